"""Peers of bench/solvers/fields.ts: fields on grids by NumPy slices, SciPy's banded solver and FFT, of the same order on the
same grid as a job."""
import numpy as np
from scipy.linalg import solve_banded

from rounds import serve


def heat_explicit(N, steps, r):
    """FTCS on a plate of 100° with edges at 0°."""
    u = np.zeros((N + 1, N + 1))
    u[1:-1, 1:-1] = 100
    for _ in range(steps):
        inside = u[1:-1, 1:-1]
        u[1:-1, 1:-1] = inside + r * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inside)
    return u[N // 2, N // 2]


def heat_adi(N, steps, r):
    """Peaceman and Rachford on one mode of the plate."""
    wave = np.sin(np.pi * np.arange(1, N) / N)
    u = 100 * np.outer(wave, wave)
    bands = np.empty((3, N - 1))
    bands[0] = bands[2] = -r / 2
    bands[1] = 1 + r

    def half(u):
        out = (1 - r) * u
        out[:, 1:] += r / 2 * u[:, :-1]
        out[:, :-1] += r / 2 * u[:, 1:]
        return solve_banded((1, 1), bands, out)

    for _ in range(steps):
        u = half(half(u).T).T
    return u[N // 2 - 1, N // 2 - 1]


def membrane(N, steps, courant):
    """Leapfrog of a square membrane in its lowest mode; its middle."""
    wave = np.sin(np.pi * np.arange(N + 1) / N)
    now = np.outer(wave, wave)
    r = courant * courant

    def spread(u):
        return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]

    before = now.copy()
    now[1:-1, 1:-1] += r / 2 * spread(now)
    for _ in range(steps - 1):
        before[1:-1, 1:-1] = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + r * spread(now)
        before, now = now, before
    return now[N // 2, N // 2]


def grayscott(N, steps, dt, Du, Dv, F, k, w):
    """Explicit steps on a periodic square, as the tutorials have them; the mean of u."""
    x = np.arange(N) / N - 0.5
    spot = np.exp(-(x[:, None] ** 2 + x**2) / (w * w))
    u, v = 1 - 0.5 * spot, 0.25 * spot

    def diffusion(a):
        return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a

    for _ in range(steps):
        uvv = u * v * v
        change = Du * N * N * diffusion(u) - uvv + F * (1 - u)
        v = v + dt * (Dv * N * N * diffusion(v) + uvv - (F + k) * v)
        u = u + dt * change
    return u.mean()


def fisher(L, N, t, D, r, x0, probe):
    """The exact front of Fisher's equation after t, by explicit steps near the limit of stability; u at the probe."""
    h = L / N
    x = h * np.arange(N + 1)
    u = (1 + np.exp(np.sqrt(r / D / 6) * (x - x0))) ** -2
    steps = int(np.ceil(t / (0.4 * h * h / D)))
    dt = t / steps
    for _ in range(steps):
        spread = np.empty_like(u)
        spread[1:-1] = u[2:] + u[:-2] - 2 * u[1:-1]
        spread[0], spread[-1] = 2 * (u[1] - u[0]), 2 * (u[-2] - u[-1])
        u = u + dt * (D / (h * h) * spread + r * u * (1 - u))
    return u[round(probe / h)]


def front_speed(L, N, t, D, r, x0):
    """Speed of the same front over the second half of the time, from ∫u dx."""
    h = L / N
    x = h * np.arange(N + 1)
    u = (1 + np.exp(np.sqrt(r / D / 6) * (x - x0))) ** -2
    steps = 2 * int(np.ceil(t / (0.8 * h * h / D)))
    dt = t / steps
    for i in range(steps):
        if i == steps // 2:
            before = h * u.sum()
        spread = np.empty_like(u)
        spread[1:-1] = u[2:] + u[:-2] - 2 * u[1:-1]
        spread[0], spread[-1] = 2 * (u[1] - u[0]), 2 * (u[-2] - u[-1])
        u = u + dt * (D / (h * h) * spread + r * u * (1 - u))
    return (h * u.sum() - before) / (t / 2)


def packet(L, N, steps, dt, mass, sigma):
    """A free Gaussian packet by split steps with NumPy's FFT; its width, as in every step of a job."""
    hbar = 1.054571817646156e-34
    x = L / N * np.arange(N) - L / 2
    psi = np.exp(-(x**2) / (4 * sigma**2)).astype(complex)
    k = 2 * np.pi * np.fft.fftfreq(N, L / N)
    kinetic = np.exp(-0.5j * hbar * k * k * dt / mass)
    for _ in range(steps):
        psi = np.fft.ifft(kinetic * np.fft.fft(psi))
        density = abs(psi) ** 2
    density /= density.sum()
    return np.sqrt((density * x * x).sum() - (density * x).sum() ** 2)


serve(heat_explicit, heat_adi, membrane, grayscott, fisher, front_speed, packet)
