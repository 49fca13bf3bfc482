"""Peers of bench/solvers/particles.ts: bodies, atoms, links and paths by NumPy and SciPy over whole arrays."""
import numpy as np
from scipy.optimize import basinhopping
from scipy.spatial import cKDTree
from scipy.special import ndtri
from scipy.stats import qmc

from rounds import serve


def leapfrog(position, mass, softening, dt, steps):
    """All pairs at once with G = 1; the energy at the end, work: steps."""
    x, m = np.array(position), np.array(mass)
    v = np.zeros_like(x)

    def acceleration(x):
        d = x[None] - x[:, None]
        w = (np.einsum("ijk,ijk->ij", d, d) + softening**2) ** -1.5
        return np.einsum("ij,ijk->ik", w * m, d)

    a = acceleration(x)
    for _ in range(steps):
        v += 0.5 * dt * a
        x = x + dt * v
        a = acceleration(x)
        v += 0.5 * dt * a
    d = x[None] - x[:, None]
    r = np.sqrt((d * d).sum(axis=2) + softening**2)
    i, j = np.triu_indices(len(m), 1)
    return 0.5 * (m * (v * v).sum(axis=1)).sum() - (m[i] * m[j] / r[i, j]).sum(), steps


def lennard_jones(cells, density, temperature, cut, dt, steps):
    """Velocity Verlet of a periodic fluid, pairs from SciPy's tree with a skin; energy at the end, work: atom-steps."""
    edge = cells * (4 / density) ** (1 / 3)
    base = np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    corner = np.stack(np.meshgrid(*[np.arange(cells)] * 3), axis=-1).reshape(-1, 1, 3)
    x = ((corner + base).reshape(-1, 3) + 0.25) * edge / cells
    n = len(x)
    v = np.random.default_rng(1).standard_normal((n, 3))
    v -= v.mean(axis=0)
    v *= np.sqrt(3 * (n - 1) * temperature / (v * v).sum())
    pull = 24 * (2 * cut**-13 - cut**-7)
    rest = 4 * (cut**-12 - cut**-6) + pull * cut
    skin, kept = 0.3, None

    def forces(x):
        nonlocal kept
        if kept is None or (((x - kept[0]) ** 2).sum(axis=1)).max() > skin * skin / 4:
            kept = x.copy(), cKDTree(x % edge, boxsize=edge).query_pairs(cut + skin, output_type="ndarray").T
        i, j = kept[1]
        d = x[i] - x[j]
        d -= edge * np.round(d / edge)
        r2 = (d * d).sum(axis=1)
        near = r2 < cut * cut
        i, j, d, r2 = i[near], j[near], d[near], r2[near]
        r, s = np.sqrt(r2), r2**-3
        f = ((24 * (2 * s * s - s) / r - pull) / r)[:, None] * d
        total = np.empty_like(x)
        for k in range(3):
            total[:, k] = np.bincount(i, f[:, k], n) - np.bincount(j, f[:, k], n)
        return total, (4 * (s * s - s) + pull * r - rest).sum()

    a, potential = forces(x)
    for _ in range(steps):
        v += 0.5 * dt * a
        x = x + dt * v
        a, potential = forces(x)
        v += 0.5 * dt * a
    return 0.5 * (v * v).sum() + potential, n * steps


def cluster(n, hops):
    """Basin hopping of a Lennard-Jones cluster by SciPy, which takes 100 hops where it is not told how many."""
    i, j = np.triu_indices(n, 1)

    def energy(flat):
        x = flat.reshape(n, 3)
        d = x[i] - x[j]
        r2 = (d * d).sum(axis=1)
        s = r2**-3
        f = (-24 * (2 * s * s - s) / r2)[:, None] * d
        slope = np.zeros_like(x)
        for k in range(3):
            slope[:, k] = np.bincount(i, f[:, k], n) - np.bincount(j, f[:, k], n)
        return 4 * (s * s - s).sum(), slope.ravel()

    start = np.random.default_rng(1).uniform(-1.5, 1.5, 3 * n)
    way = {"method": "L-BFGS-B", "jac": True}
    return basinhopping(energy, start, niter=hops, T=0.8, stepsize=0.4, minimizer_kwargs=way, rng=1).fun


def heat_bath(L, beta, chains, sweeps):
    """U(1) in two dimensions on many lattices at once, half of a direction's links at a time; work: link updates."""
    random = np.random.default_rng(1)
    links = np.zeros((2, chains, L, L))
    x, y = np.meshgrid(np.arange(L), np.arange(L), indexing="ij")
    halves = [(x + y) % 2 == parity for parity in (0, 1)]
    total = 0.0
    for sweep in range(sweeps):
        for mu in (0, 1):
            a, b = links[mu], links[1 - mu]
            one, two = (1, 2) if mu == 0 else (2, 1)
            for half in halves:
                ahead = np.roll(b, -1, one) - np.roll(a, -1, two) - b
                back = -np.roll(np.roll(b, -1, one), 1, two) - np.roll(a, 1, two) + np.roll(b, 1, two)
                staple = (np.exp(1j * ahead) + np.exp(1j * back))[:, half]
                a[:, half] = random.vonmises(-np.angle(staple), beta * abs(staple))
        if sweep >= sweeps // 4:
            u, v = links
            total += np.cos(u + np.roll(v, -1, 1) - np.roll(u, -1, 2) - v).mean()
    return total / (sweeps - sweeps // 4), 2 * L * L * chains * sweeps


def option(S0, K, r, sigma, T, fixings, replicates, points):
    """A call on the mean of the fixings by SciPy's scrambled Sobol points, with the terminal price as control, and its
    pathwise delta and vega; work: paths."""
    t = T / fixings * np.arange(1, fixings + 1)
    prices = []
    for seed in range(replicates):
        z = ndtri(np.clip(qmc.Sobol(fixings, seed=seed).random(points), 1e-16, 1 - 1e-16))
        w = np.sqrt(T / fixings) * np.cumsum(z, axis=1)
        S = S0 * np.exp((r - sigma**2 / 2) * t + sigma * w)
        mean, end = S.mean(axis=1), np.exp(-r * T) * S[:, -1]
        paid = np.exp(-r * T) * np.maximum(mean - K, 0)
        inside = mean > K
        delta = np.exp(-r * T) * (inside * mean).mean() / S0
        vega = np.exp(-r * T) * (inside[:, None] * S * (w - sigma * t)).mean()
        spread = np.cov(paid, end)
        prices.append([paid.mean() - spread[0, 1] / spread[1, 1] * (end.mean() - S0), delta, vega])
    return np.mean(prices, axis=0)[0], replicates * points


def shifted_option(S0, K, r, sigma, T, replicates, points, by):
    """What a European call changes by where sigma does, both prices with their control on the same points."""
    changes = []
    for seed in range(replicates):
        z = ndtri(np.clip(qmc.Sobol(1, seed=seed).random(points)[:, 0], 1e-16, 1 - 1e-16))
        prices = []
        for s in (sigma, sigma + by):
            end = S0 * np.exp(-(s**2) / 2 * T + s * np.sqrt(T) * z)
            paid = np.maximum(end - np.exp(-r * T) * K, 0)
            spread = np.cov(paid, end)
            prices.append(paid.mean() - spread[0, 1] / spread[1, 1] * (end.mean() - S0))
        changes.append(prices[1] - prices[0])
    return np.mean(changes)


serve(leapfrog, lennard_jones, cluster, heat_bath, option, shifted_option)
