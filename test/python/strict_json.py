"""JSON read strictly and written canonically (docs/protocol.md, "Canonical JSON"; RFC 8785)."""

import json
import math
import re


class Unreadable(Exception):
    """The file is not JSON, or not of the protocol's shapes: exit 2."""


def read_json(data: bytes):
    """I-JSON (RFC 7493) of at most 100 levels; every number becomes a double, as ECMAScript reads it."""
    try:
        value = json.loads(
            data.decode("utf-8"),
            parse_int=_finite,
            parse_float=_finite,
            parse_constant=_refuse_word,
            object_pairs_hook=_members,
        )
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {error}") from None
    _refuse_depth_and_half_pairs(value, 0)
    return value


def _members(pairs: list) -> dict:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Unreadable("a member is named twice")
    return members


_half_pair = re.compile("[\ud800-\udfff]")


def _refuse_depth_and_half_pairs(value, above: int) -> None:
    texts = [value] if isinstance(value, str) else value if isinstance(value, dict) else []
    if any(_half_pair.search(text) for text in texts):
        raise Unreadable("half of a surrogate pair")
    if isinstance(value, (list, dict)):
        if above == 100:
            raise Unreadable("nested deeper than 100 levels")
        for inner in value.values() if isinstance(value, dict) else value:
            _refuse_depth_and_half_pairs(inner, above + 1)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise Unreadable(f"{digits} is no finite double")
    return number


def _refuse_word(word: str):
    raise Unreadable(f"{word} is not JSON")


def number_text(number: float) -> str:
    """Number::toString of ECMAScript: 0.d1…dk · 10^n with the shortest digits, which repr gives too."""
    if number == 0:
        return "0"
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    unstripped = (whole + fraction).lstrip("0")
    n = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(unstripped))
    digits = unstripped.rstrip("0")
    return ("-" if number < 0 else "") + _placed(digits, n)


def _placed(digits: str, n: int) -> str:
    k = len(digits)
    if k <= n <= 21:
        return digits + "0" * (n - k)
    if 0 < n <= 21:
        return digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return "0." + "0" * -n + digits
    mantissa = digits[0] + ("." + digits[1:] if k > 1 else "")
    return f"{mantissa}e{'+' if n > 0 else '-'}{abs(n - 1)}"


_short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_special = re.compile(r'["\\\x00-\x1f]')


def string_text(text: str) -> str:
    return '"' + _special.sub(lambda m: _short.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'


def _in_utf16_order(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def canonical(value) -> bytes:
    return _written(value).encode("utf-8")


def _written(value) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, (float, int)):
        return number_text(float(value))
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    members = (f"{string_text(k)}:{_written(value[k])}" for k in sorted(value, key=_in_utf16_order))
    return "{" + ",".join(members) + "}"
