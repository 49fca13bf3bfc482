"""The rules for rows of docs/protocol.md, section 3: what makes rows of gates a verdict.

A row is (index, kind, measured, reference, error, bound), all doubles.
"""

import math

from shapes import kinds

exact, invariant, certificate, twin, estimate = range(len(kinds))


def is_precision(row) -> bool:
    return 0 < row[5] <= 0.001


def has_reference(rows) -> bool:
    """Rule 2."""
    return any(
        (is_precision(row) and row[1] in (exact, certificate, estimate)) or (row[5] == 0 and row[1] in (exact, certificate))
        for row in rows
    )


def rules_kept(row, rows):
    """(rule, whether it is kept) for the rules that this row is under."""
    index, kind, measured, reference, error, bound = row
    finite = all(map(math.isfinite, row))
    yield 1, finite and 0 <= index < 2**31 and index.is_integer() and 0 <= error <= bound
    if bound == 0:
        yield 3, measured == reference
    elif bound <= 0.001:
        yield 4, kind in (certificate, estimate) or error != 0 or differ_by(1e-9, row)
    elif kind in (certificate, twin):
        ratio = measured > 0 and error == reference / measured
        yield 5, bound == 1 and (ratio or error == abs(measured - reference))
    elif kind in (exact, invariant):
        bounded = any(other[1] == estimate and is_precision(other) for other in rows)
        near = differ_by(1e-12, row) or differ_by(error * 0.001, row)
        yield 6, bound <= 4.5 and bounded and near
    else:
        yield 7, False


def differ_by(share: float, row) -> bool:
    """At most by this share of the greater one."""
    _, _, measured, reference, _, _ = row
    return abs(measured - reference) <= share * max(abs(measured), abs(reference))
