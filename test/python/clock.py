"""The clock of docs/protocol.md, section 4, in doubles, operation by operation."""

T = 777000777
alpha = 1 / 1287


def sine(rem: int) -> float:
    m = 8 * rem
    o = m // T
    rho = m - o * T
    if o & 1:
        rho = T - rho
    x = 0.7853981633974483 * (rho / 777000777)
    y = x * x
    cosine = o % 4 in (1, 2)
    c = 1.0
    for divisor in (240, 182, 132, 90, 56, 30, 12, 2) if cosine else (272, 210, 156, 110, 72, 42, 20, 6):
        c = 1 - (y / divisor) * c
    u = c if cosine else x * c
    return u if o < 4 else -u


def at(t_ns: int):
    """tick, phase and masterSum of an instant."""
    tick, rem = divmod(t_ns, T)
    return tick, (rem / 777000777) * 6.283185307179586, 1 + alpha * sine(rem)


def mean_over_a_tick(value: float) -> float:
    """The check of the receipt; its sines add up to exactly 0."""
    total = sine(0)
    for j in range(1, 389):
        total += sine(1000001 * j) + sine(1000001 * (777 - j))
    return value * (1 + (alpha * total) / 777)
