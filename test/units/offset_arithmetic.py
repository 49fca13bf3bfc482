"""Writes offset-arithmetic.json: what Pint 0.25.3 (pip install pint==0.25.3) makes of a OP b, where a is 100 and b is 10
in each of eight units. Pint's rule, which its own tests hold: a point on a scale is no difference, and stands in no
product. A value is in K, m or a pure number, or a product of them; null where Pint refuses."""
import json
import operator
from pathlib import Path

import pint

registry = pint.UnitRegistry()
units = ["K", "mK", "degC", "degF", "delta_degC", "delta_degF", "m", "1"]
operators = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def quantity(value, unit):
    return registry.Quantity(value, "" if unit == "1" else unit)


def result(apply, a, b):
    try:
        found = apply(quantity(100.0, a), quantity(10.0, b))
        return found.to_base_units().magnitude
    except (pint.OffsetUnitCalculusError, pint.DimensionalityError):
        return None


table = [
    {"left": a, "operator": name, "right": b, "value": result(apply, a, b)}
    for name, apply in operators.items()
    for a in units
    for b in units
]
lines = ",\n".join("  " + json.dumps(row) for row in table)
Path(__file__).with_name("offset-arithmetic.json").write_text(f"[\n{lines}\n]\n")
