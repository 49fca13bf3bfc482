"""Peers of bench/solvers/linear.ts: eigenvalues, networks and filters by NumPy, SciPy's LAPACK and ARPACK."""
import numpy as np
import scipy.linalg as dense
import scipy.sparse as sparse
import scipy.sparse.linalg as iterative

from rounds import serve


def harmonic_level(N, L, n):
    """The level n of a harmonic oscillator by second differences and LAPACK's bisection (dstebz)."""
    h = 2 * L / N
    x = h * np.arange(1, N) - L
    off = np.full(N - 2, -0.5 / h**2)
    return dense.eigh_tridiagonal(1 / h**2 + x * x / 2, off, eigvals_only=True, select="i", select_range=(n, n))[0]


def cone(N, E, I0, I1, L):
    """The four lowest loads of a pinned cone in N cubic Hermite elements, by LAPACK's generalised eigenvalues."""
    h, n = L / N, 2 * N + 2
    K, G = np.zeros((n, n)), np.zeros((n, n))
    points, weights = np.polynomial.legendre.leggauss(4)
    for e in range(N):
        at = slice(2 * e, 2 * e + 4)
        for s, weight in zip((points + 1) / 2, weights / 2):
            I = (I0**0.25 + (I1**0.25 - I0**0.25) * (e + s) / N) ** 4
            bend = np.array([12 * s - 6, h * (6 * s - 4), 6 - 12 * s, h * (6 * s - 2)]) / h**2
            slope = np.array([6 * s * s - 6 * s, h * (3 * s * s - 4 * s + 1), 6 * s - 6 * s * s, h * (3 * s * s - 2 * s)]) / h
            K[at, at] += weight * h * E * I * np.outer(bend, bend)
            G[at, at] += weight * h * np.outer(slope, slope)
    free = np.setdiff1d(np.arange(n), [0, n - 2])
    free = np.ix_(free, free)
    return dense.eigh(K[free], G[free], eigvals_only=True, subset_by_index=(0, 3))[0]


def cavity(N, c, count):
    """Modes of an L of three unit squares in nine-node squares, by ARPACK with a sparse factorisation."""
    h, line = 1 / N, 4 * N + 1
    stiff = np.array([[7, -8, 1], [-8, 16, -8], [1, -8, 7]]) / (3 * h)
    mass = h * np.array([[4, 2, -1], [2, 16, 2], [-1, 2, 4]]) / 30
    k, m = np.kron(stiff, mass) + np.kron(mass, stiff), np.kron(mass, mass)
    ex, ey = np.meshgrid(np.arange(2 * N), np.arange(2 * N))
    inside = (ex < N) | (ey < N)
    first = (2 * ey[inside] * line + 2 * ex[inside])[:, None]
    nodes = first + (np.arange(3)[:, None] * line + np.arange(3)).ravel()
    used, nodes = np.unique(nodes, return_inverse=True)
    nodes = nodes.reshape(-1, 9)
    rows, columns = np.repeat(nodes, 9, axis=1).ravel(), np.tile(nodes, 9).ravel()
    size = (len(used), len(used))
    K = sparse.csc_matrix((np.tile(k.ravel(), len(nodes)), (rows, columns)), size)
    M = sparse.csc_matrix((np.tile(m.ravel(), len(nodes)), (rows, columns)), size)
    found = iterative.eigsh(K, count + 1, M, sigma=-1.0, return_eigenvectors=False)
    return c * np.sqrt(np.sort(found)[1]) / (2 * np.pi)


def power_flow(baseMVA, buses, generators, branches):
    """Newton's method on a dense Jacobian from a flat start, by MATPOWER's formulas; losses in MW."""
    buses, generators, branches = map(np.array, (buses, generators, branches))
    n = len(buses)
    place = {bus: i for i, bus in enumerate(buses[:, 0])}
    f, t = (np.array([place[bus] for bus in branches[:, side]]) for side in (0, 1))
    ratio = np.where(branches[:, 5] == 0, 1, branches[:, 5]) * np.exp(1j * np.radians(branches[:, 6]))
    series, shunt = 1 / (branches[:, 2] + 1j * branches[:, 3]), 0.5j * branches[:, 4]
    Y = np.diag((buses[:, 4] + 1j * buses[:, 5]) / baseMVA).astype(complex)
    np.add.at(Y, (f, f), (series + shunt) / abs(ratio) ** 2)
    np.add.at(Y, (t, t), series + shunt)
    np.add.at(Y, (f, t), -series / ratio.conj())
    np.add.at(Y, (t, f), -series / ratio)
    V, S = np.ones(n, complex), -(buses[:, 2] + 1j * buses[:, 3]) / baseMVA
    for bus, P, *_, magnitude in generators:
        S[place[bus]] += P / baseMVA
        V[place[bus]] = magnitude
    angles, sizes = np.flatnonzero(buses[:, 1] != 3), np.flatnonzero(buses[:, 1] == 1)
    for _ in range(20):
        I = Y @ V
        missing = V * I.conj() - S
        wrong = np.concatenate([missing.real[angles], missing.imag[sizes]])
        if abs(wrong).max() < 1e-12:
            break
        unit = V / abs(V)
        by_size = V[:, None] * (Y * unit).conj() + np.diag(I.conj() * unit)
        by_angle = 1j * V[:, None] * (np.diag(I) - Y * V).conj()
        J = np.block(
            [
                [by_angle.real[np.ix_(angles, angles)], by_size.real[np.ix_(angles, sizes)]],
                [by_angle.imag[np.ix_(sizes, angles)], by_size.imag[np.ix_(sizes, sizes)]],
            ]
        )
        step = np.linalg.solve(J, wrong)
        turn, size = np.angle(V), abs(V)
        turn[angles] -= step[: len(angles)]
        size[sizes] -= step[len(angles) :]
        V = size * np.exp(1j * turn)
    return baseMVA * (V * (Y @ V).conj()).sum().real - (buses[:, 4] * abs(V) ** 2).sum()


def kalman(F, H, Q, R, x, P, z):
    """Predict and update in NumPy, one measurement after the other; the log-likelihood."""
    F, H, Q, R, x, P, z = map(np.array, (F, H, Q, R, x, P, z))
    x = x.astype(float)
    total, one = 0.0, np.eye(len(x))
    for each in z:
        x, P = F @ x, F @ P @ F.T + Q
        innovation, S = each - H @ x, H @ P @ H.T + R
        gain = np.linalg.solve(S, H @ P).T
        x = x + gain @ innovation
        rest = one - gain @ H
        P = rest @ P @ rest.T + gain @ R @ gain.T
        sign, size = np.linalg.slogdet(2 * np.pi * S)
        total -= 0.5 * (size + innovation @ np.linalg.solve(S, innovation))
    return total


serve(harmonic_level, cone, cavity, power_flow, kalman)
