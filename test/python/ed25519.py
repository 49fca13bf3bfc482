"""Ed25519 verification, RFC 8032 section 5.1, with the formulas of 5.1.4 in extended coordinates."""

import hashlib

p = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
d = -121665 * pow(121666, p - 2, p) % p
square_root_of_minus_one = pow(2, (p - 1) // 4, p)


def add(P, Q):
    A = (P[1] - P[0]) * (Q[1] - Q[0]) % p
    B = (P[1] + P[0]) * (Q[1] + Q[0]) % p
    C = 2 * P[3] * Q[3] * d % p
    D = 2 * P[2] * Q[2] % p
    E, F, G, H = B - A, D - C, D + C, B + A
    return (E * F % p, G * H % p, F * G % p, E * H % p)


def multiply(scalar, P):
    Q = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            Q = add(Q, P)
        P = add(P, P)
        scalar >>= 1
    return Q


def same_point(P, Q):
    return (P[0] * Q[2] - Q[0] * P[2]) % p == 0 and (P[1] * Q[2] - Q[1] * P[2]) % p == 0


def recover_x(y, sign):
    """5.1.3, steps 2 to 4; None where no point has this y."""
    if y >= p:
        return None
    x2 = (y * y - 1) * pow(d * y * y + 1, p - 2, p) % p
    if x2 == 0:
        return None if sign else 0
    x = pow(x2, (p + 3) // 8, p)
    if (x * x - x2) % p != 0:
        x = x * square_root_of_minus_one % p
    if (x * x - x2) % p != 0:
        return None
    return p - x if x & 1 != sign else x


def decode_point(data):
    number = int.from_bytes(data, "little")
    y = number & ((1 << 255) - 1)
    x = recover_x(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % p)


_base_y = 4 * pow(5, p - 2, p) % p
_base_x = recover_x(_base_y, 0)
base_point = (_base_x, _base_y, 1, _base_x * _base_y % p)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """5.1.7: [S]B = R + [k]A, with S below the group order."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    A, R = decode_point(public_key), decode_point(signature[:32])
    S = int.from_bytes(signature[32:], "little")
    if A is None or R is None or S >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % L
    return same_point(multiply(S, base_point), add(R, multiply(k, A)))
