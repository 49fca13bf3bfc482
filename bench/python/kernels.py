"""Peers of bench/kernels/device.ts, flow.ts and fracture.ts: the same methods on the same grids by NumPy and SciPy."""
import numpy as np
from scipy.fft import irfft2, rfft2
from scipy.linalg import solve_banded

from rounds import serve

Q, KB, EPS0 = 1.602176634e-19, 1.380649e-23, 8.8541878188e-12


def bernoulli(d):
    size = np.abs(d)
    s = d * d
    series = 1 - 0.5 * size + s * (1 / 12 + s * (-1 / 720 + s / 30240))
    least = np.where(size > 0.05, size / np.expm1(np.maximum(size, 0.05)), series)
    return least + np.maximum(0, -d), least + np.maximum(0, d)


def slope(d, b, c):
    s = d * d
    safe = np.where(np.abs(d) > 0.05, d, 1)
    return np.where(np.abs(d) > 0.05, b * (1 - c) / safe, -0.5 + d * (1 / 6 + s * (-1 / 180 + s / 5040)))


def mesh(cells, L, smallest):
    """Cells that grow like sinh from the junction in the middle."""
    m = cells // 2
    ratio, low, high = L / (smallest * m), 1e-9, 50.0
    for _ in range(80):
        a = 0.5 * (low + high)
        low, high = (a, high) if np.sinh(a) < ratio * a else (low, a)
    side = L * np.sinh(low * np.arange(1, m + 1) / m) / np.sinh(low)
    return np.concatenate([-side[::-1], [0], side])


def diode(cells, steps):
    """10^16 cm^-3 on both sides of 2 um, up to 0.05 V times steps: Newton in n, p and psi by a banded solver; J."""
    Vt, ni, c, L, tau = KB * 300 / Q, 1e16, 1e6, 2e-6, 1e-6
    l2, Dn, Dp = EPS0 * 11.7 * Vt / (Q * ni), 0.135 * Vt, 0.048 * Vt
    x = mesh(cells, L, np.sqrt(l2 / c) / 12)
    h = np.diff(x)
    w = 0.5 * (h[:-1] + h[1:])
    sides = np.where(np.arange(cells) < cells // 2, -c, c) * h / 2
    C = sides[:-1] + sides[1:]
    ends = np.arcsinh(np.array([-c, c]) / 2)
    u = np.concatenate([ends[:1], np.arcsinh(C / w / 2), ends[1:]])
    done = 0
    while True:
        done += 1
        bands = np.zeros((3, cells - 1))
        up, down = np.exp(u[1:-1]), np.exp(-u[1:-1])
        field = l2 * np.diff(u) / h
        bands[0, 1:] = bands[2, :-1] = l2 / h[1:-1]
        bands[1] = -l2 / h[:-1] - l2 / h[1:] - w * (up + down)
        step = solve_banded((1, 1), bands, -(np.diff(field) + w * (down - up) + C))
        u[1:-1] += step * min(1, 8 / np.abs(step).max())
        if np.abs(step).max() <= 1e-8:
            break
    n, p = np.exp(u), np.exp(-u)
    for k in range(1, steps + 1):
        u[0] = ends[0] + 0.05 * k / Vt
        while True:
            done += 1
            update = newton(u, n, p, h, w, C, l2, Dn, Dp, tau)
            if update <= 1e-8:
                break
    m = cells // 2
    b, c = bernoulli(np.diff(u)[m])
    F, G = Dn * (n[m + 1] * b - n[m] * c) / h[m], Dp * (p[m + 1] * c - p[m] * b) / h[m]
    return Q * ni * (F - G), cells * done


def newton(u, n, p, h, w, C, l2, Dn, Dp, tau):
    d = np.diff(u)
    b, c = bernoulli(d)
    s = slope(d, b, c)
    n0, n1, p0, p1 = Dn / h * n[:-1] * c, Dn / h * n[1:] * b, Dp / h * p[:-1] * b, Dp / h * p[1:] * c
    sn, sp = Dn / h * (n[1:] * s - n[:-1] * (1 + s)), Dp / h * (p[1:] * (1 + s) - p[:-1] * s)
    st = l2 / h
    N, P = n[1:-1], p[1:-1]
    slow = 1 / (tau * (N + P + 2))
    R = w * (N * P - 1) * slow
    Rn, Rp = N * slow * (w * P - R * tau), P * slow * (w * N - R * tau)
    a = np.zeros((11, 3 * N.size))  # a[5 + row - column, column]

    def put(row, column, where, values):
        at = 3 * np.arange(N.size) + row
        to = at + column - row + 3 * where
        inside = (to >= 0) & (to < 3 * N.size)
        a[5 + at[inside] - to[inside], to[inside]] = values[inside]

    put(0, 0, -1, n0[:-1]), put(0, 2, -1, sn[:-1]), put(0, 0, 1, n1[1:]), put(0, 2, 1, sn[1:])
    put(0, 0, 0, -n0[1:] - n1[:-1] - Rn), put(0, 1, 0, -Rp), put(0, 2, 0, -sn[1:] - sn[:-1])
    put(1, 1, -1, p0[:-1]), put(1, 2, -1, sp[:-1]), put(1, 1, 1, p1[1:]), put(1, 2, 1, sp[1:])
    put(1, 1, 0, -p0[1:] - p1[:-1] - Rp), put(1, 0, 0, -Rn), put(1, 2, 0, -sp[1:] - sp[:-1])
    put(2, 2, -1, st[:-1]), put(2, 2, 1, st[1:])
    put(2, 2, 0, -st[1:] - st[:-1]), put(2, 0, 0, -w * N), put(2, 1, 0, w * P)
    r = np.empty(3 * N.size)
    r[0::3] = -(np.diff(n1 - n0) - R)
    r[1::3] = -(np.diff(p1 - p0) - R)
    r[2::3] = -(np.diff(st * d) + w * (P - N) + C)
    x = solve_banded((5, 5), a, r, overwrite_ab=True, overwrite_b=True, check_finite=False)
    N *= np.where(x[0::3] < 0, 1 / (1 - np.minimum(x[0::3], 0)), 1 + x[0::3])
    P *= np.where(x[1::3] < 0, 1 / (1 - np.minimum(x[1::3], 0)), 1 + x[1::3])
    u[1:-1] += np.clip(x[2::3], -8, 8)
    return np.abs(x).max()


def vortices(N, steps, nu, dt):
    """Taylor and Green's on a periodic square: staggered cells, three stages, each projected by FFT; u on a face."""
    h = 1 / N
    i = np.arange(N)
    u = np.cos(2 * np.pi * i / N) * np.sin(2 * np.pi * (i[:, None] + 0.5) / N)
    v = -np.sin(2 * np.pi * (i + 0.5) / N) * np.cos(2 * np.pi * i[:, None] / N)
    wave = 4 * np.sin(np.pi * i / N) ** 2
    inverse = -(h * h) / (wave[:, None] + wave[: N // 2 + 1] + (i[:, None] + i[: N // 2 + 1] == 0))
    inverse[0, 0] = 0

    def east(f):
        return np.roll(f, -1, 1)

    def west(f):
        return np.roll(f, 1, 1)

    def north(f):
        return np.roll(f, -1, 0)

    def south(f):
        return np.roll(f, 1, 0)

    def project(u, v):
        q = irfft2(rfft2((east(u) - u + north(v) - v) / h) * inverse, s=(N, N))
        return u - (q - west(q)) / h, v - (q - south(q)) / h

    x, s = 0.25 * dt / h, nu * dt / (h * h)
    u, v = project(u, v)
    for _ in range(steps):
        qu, qv = 0, 0
        for a, b in ((0, 1 / 3), (-5 / 9, 15 / 16), (-153 / 128, 8 / 15)):
            uc, vc = u + east(u), v + north(v)
            corner = (south(u) + u) * (west(v) + v)
            tu = s * (east(u) + west(u) + north(u) + south(u) - 4 * u) - x * (uc * uc - west(uc * uc) + north(corner) - corner)
            tv = s * (east(v) + west(v) + north(v) + south(v) - 4 * v) - x * (vc * vc - south(vc * vc) + east(corner) - corner)
            qu, qv = a * qu + tu, a * qv + tv
            u, v = project(u + b * qu, v + b * qv)
    return u[N // 8, N // 8], N * N * steps / 1e6


def plate(N, iterations):
    """Conjugate gradients with the diagonal on bilinear square cells, the upper side lifted; what is left."""
    mu, k, soft = 1.0, 4 / 12, 1 + 1e-7

    def apply(f):
        u, v = f
        ub, ua, vb, va = u[:-1], u[1:], v[:-1], v[1:]
        uB, uA, vB, vA = np.diff(ub), np.diff(ua), np.diff(vb), np.diff(va)
        du, dv = ua - ub, va - vb
        e1, e2 = 0.5 * (uB + uA), 0.5 * (dv[:, :-1] + dv[:, 1:])
        e3 = 0.5 * (du[:, :-1] + du[:, 1:] + vB + vA)
        s1, s2, s3 = 0.5 * soft * (3 * e1 + e2), 0.5 * soft * (e1 + 3 * e2), 0.5 * soft * mu * e3
        k1, k2 = soft * k * (uA - uB), soft * k * (vA - vB)
        out = np.zeros_like(f)
        a, b = out
        a[:-1, :-1] += k1 - s1 - s3
        a[:-1, 1:] += s1 - s3 - k1
        a[1:, 1:] += s1 + s3 + k1
        a[1:, :-1] += s3 - s1 - k1
        b[:-1, :-1] += k2 - s2 - s3
        b[:-1, 1:] += s3 - s2 - k2
        b[1:, 1:] += s2 + s3 + k2
        b[1:, :-1] += s2 - s3 - k2
        out[:, 0] = out[:, -1] = 0
        return out

    sides = np.where((np.arange(N + 1) > 0) & (np.arange(N + 1) < N), 2, 1)
    inverse = 1 / (np.outer(sides, sides) * soft * (1 + 4 / 12))
    x = np.zeros((2, N + 1, N + 1))
    x[1, -1], x[1, 0] = 0.5 * N, -0.5 * N
    r = -apply(x)
    p = r * inverse
    rho = (r * p).sum()
    for _ in range(iterations):
        q = apply(p)
        alpha = rho / (p * q).sum()
        x += alpha * p
        r -= alpha * q
        z = r * inverse
        after = (r * z).sum()
        p *= after / rho
        p += z
        rho = after
    return (r * r).sum(), 2 * (N + 1) ** 2 * iterations / 1e6


serve(diode, vortices, plate)
