"""Peers of bench/solvers/choices.ts and of bench/kernels/{sat,zeta,fea}.ts: programmes, formulas, zeros, closed forms."""
import hashlib
import math

import numpy as np
import pint
from mpmath import log10, mp, mpf, workprec, zetazero
from pysat.solvers import Solver
from scipy.optimize import curve_fit, linprog, minimize
from scipy.sparse import csr_array

from rounds import serve

units = pint.UnitRegistry()


def linear_programme(c, shape, entries, b, equal=0, entries_equal=(), d=None, upper=None):
    """SciPy's linprog, which is HiGHS."""

    def matrix(rows, given):
        i, j, value = zip(*given)
        return csr_array((value, (i, j)), shape=(rows, shape[1]))

    bounds = [(0, most) for most in upper or [None] * len(c)]
    held = matrix(equal, entries_equal) if equal else None
    return linprog(c, matrix(shape[0], entries), b, held, d, bounds, method="highs").fun


def quadratic_programme(H, g, A, b):
    H, g, A, b = map(np.array, (H, g, A, b))
    bounded = {"type": "ineq", "fun": lambda x: b - A @ x, "jac": lambda x: -A}
    return minimize(
        lambda x: 0.5 * x @ H @ x + g @ x,
        np.full(len(g), 0.5),
        jac=lambda x: H @ x + g,
        bounds=[(0, None)] * len(g),
        constraints=[bounded],
        method="SLSQP",
        options={"ftol": 1e-12},
    ).fun


def fit(x, y, start, starts):
    """Misra1a: p₀(1 − e^{−p₁x}), the best of as many starts as a job takes."""
    x, y = np.array(x), np.array(y)

    def model(x, p, q):
        return p * (1 - np.exp(-q * x))

    best = np.inf
    for i in range(starts):
        found, _ = curve_fit(model, x, y, np.array(start) * (1 + 0.2 * i), ftol=1e-14, xtol=1e-14)
        best = min(best, ((y - model(x, *found)) ** 2).sum())
    return best


def satisfiable(clauses, solver):
    """MiniSat 2.2 or CaDiCaL in C++, through PySAT; work: propagations."""
    with Solver(name=solver, bootstrap_with=clauses) as each:
        return each.solve(), each.accum_stats()["propagations"] or 1


def decided(clauses, solver):
    return satisfiable(clauses, solver)[0]


def zero(n):
    """mpmath's n-th zero of zeta."""
    mp.dps = 15
    return zetazero(n).imag


def decay(A, t, tau, omega):
    """A closed form with its units, by Pint."""
    A, t = units.Quantity(A, "V"), units.Quantity(t, "s")
    tau, omega = units.Quantity(tau, "ms"), units.Quantity(omega, "rad/s")
    value = A * np.exp(-(t / tau).to("1").magnitude) * np.cos((omega * t).to("rad").magnitude)
    return value.to("V").magnitude


def bare_decay(A, t, tau, omega):
    """The same in floating-point numbers, units in the head of who wrote it."""
    return A * math.exp(-t / (1e-3 * tau)) * math.cos(omega * t)


def decibels(side):
    """A lattice of signal-to-noise ratios over whole arrays; the mean, work: points."""
    signal, noise = np.logspace(0, 6, side)[:, None], np.linspace(1, 2, side)
    return (10 * np.log10(signal / noise)).mean(), side * side


def tree(values, *axes):
    """Root of the Merkle tree over the points of a lattice, as docs/lattice.md has it."""
    points = np.empty(values.size, [("mark", "u1"), ("index", "<u8"), *((f"x{k}", "<f8") for k in range(len(axes))), ("f", "<f8")])
    points["mark"], points["index"], points["f"] = 0, np.arange(values.size), values.ravel()
    for k, x in enumerate(np.meshgrid(*axes, indexing="ij")):
        points[f"x{k}"] = x.ravel()
    leaves, size, sha = points.tobytes(), points.itemsize, hashlib.sha256
    level = [sha(leaves[at : at + size]).digest() for at in range(0, len(leaves), size)]
    while len(level) > 1:
        pairs = [sha(b"\1" + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) & ~1 :]
    return level[0]


def bound_decibels(side):
    """The same lattice with a digest by which each point can be shown to belong to it."""
    signal, noise = np.logspace(0, 6, side), np.linspace(1, 2, side)
    values = 10 * np.log10(signal[:, None] / noise)
    tree(values, signal, noise)
    return values.mean(), side * side


def wide_decibels(side):
    """The same, each value held against one in 106 bits, as wide as two doubles, by mpmath."""
    signal, noise = np.logspace(0, 6, side), np.linspace(1, 2, side)
    values = 10 * np.log10(signal[:, None] / noise)
    with workprec(106):
        wide = [10 * log10(mpf(x) / mpf(y)) for x in signal for y in noise]
    if not all(abs(f - w) <= 1e-3 * abs(w) for f, w in zip(values.ravel(), wide)):
        raise ValueError("a value is not good to 0.1 %")
    tree(values, signal, noise)
    return values.mean(), side * side


def shifted_decay(A, t, tau, omega, by):
    return decay(A, t + by, tau, omega) - decay(A, t, tau, omega)


serve(
    *(linear_programme, quadratic_programme, fit, satisfiable, decided, zero),
    *(decay, bare_decay, shifted_decay, decibels, bound_decibels, wide_decibels),
)
