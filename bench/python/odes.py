"""Peers of bench/solvers/odes.ts: initial-value problems by SciPy's DOP853, as one would write them, with the 257 rows of
a series that a job gives too."""
import numpy as np
from scipy.integrate import solve_ivp

from rounds import serve


def integrated(slope, t, start, rtol, small):
    rows = np.linspace(0, t, 257)
    return solve_ivp(slope, (0, t), start, method="DOP853", t_eval=rows, rtol=rtol, atol=small * rtol).y


def duffing(t, rtol):
    def slope(_, s):
        return [s[1], -s[0] - s[0] ** 3]

    return integrated(slope, t, [1, 0], rtol, 1)[0, -1]


def lotka(t, rtol):
    def slope(_, s):
        x, y = s
        return [2 / 3 * x - 4 / 3 * x * y, x * y - y]

    return integrated(slope, t, [1, 1], rtol, 1)[0, -1]


def sir(t, beta, gamma, N, rtol):
    def slope(_, s):
        new, gone = beta * s[0] * s[1] / N, gamma * s[1]
        return [-new, new - gone, gone]

    return N - integrated(slope, t, [N - 1, 1, 0], rtol, 1)[0, -1]


def gompertz(t, a, K, V0, rtol):
    """Volumes in mm³; the answer in m³."""

    def slope(_, V):
        return a * V * np.log(K / V)

    return 1e-9 * integrated(slope, t, [V0], rtol, 1)[0, -1]


def lorenz(t, rtol):
    def slope(_, s):
        x, y, z = s
        return [10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z]

    return integrated(slope, t, [1, 1, 1], rtol, 1)[2, -1]


def lorenz_exponents(steps, chains):
    """The largest exponent by RK4 of many chains at once with one tangent vector each; work: time units of a chain."""
    sigma, rho, beta, h = 10.0, 28.0, 8 / 3, 0.01
    s = np.ones((6, chains))
    s[0] += np.arange(chains)
    s[2] = 27

    def slope(s):
        x, y, z, u, v, w = s
        up = rho - z
        return np.array(
            [sigma * (y - x), x * up - y, x * y - beta * z, sigma * (v - u), up * u - v - x * w, y * u + x * v - beta * w]
        )

    grown = 0.0
    for i in range(steps):
        a = slope(s)
        b = slope(s + 0.5 * h * a)
        c = slope(s + 0.5 * h * b)
        s = s + h / 6 * (a + 2 * (b + c) + slope(s + h * c))
        if i % 10 == 9:
            length = np.sqrt((s[3:] ** 2).sum(axis=0))
            s[3:] /= length
            grown += np.log(length).mean() if i >= 1000 else 0.0
    return grown / (h * (steps - 1000)), h * steps * chains


def two_layer(t, rtol):
    """Geoffroy et al. (2013), in years."""
    F, feedback, uptake, C, Cd = 3.71, 1.13, 0.73, 7.3, 106.0

    def slope(_, s):
        down = uptake * (s[0] - s[1])
        return [(F - feedback * s[0] - down) / C, down / Cd]

    return integrated(slope, t, [0, 0], rtol, 1)[0, -1]


def deflection(b, rtol):
    """Light past a black hole at the impact parameter b in GM/c²: u'' = 3u² − u until u is 0 again."""

    def slope(_, s):
        return [s[1], 3 * s[0] ** 2 - s[0]]

    def away(phi, s):
        return s[0] if phi > 1 else 1.0

    away.terminal = True
    out = solve_ivp(slope, (0, 20), [0, 1 / b], method="DOP853", rtol=rtol, atol=rtol / b, events=away)
    return out.t_events[0][0] - np.pi


def henon_heiles(t, rtol):
    """The action ∫ p dq − H dt along a path, as a fifth component."""

    def slope(_, s):
        x, y, p, q, _ = s
        kinetic, potential = 0.5 * (p * p + q * q), 0.5 * (x * x + y * y) + x * x * y - y**3 / 3
        return [p, q, -x - 2 * x * y, -y - x * x + y * y, kinetic - potential]

    return integrated(slope, t, [0, 0.1, 0.35, 0, 0], rtol, 1)[4, -1]


serve(duffing, lotka, sir, gompertz, lorenz, lorenz_exponents, two_layer, deflection, henon_heiles)
