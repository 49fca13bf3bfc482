"""The shapes of docs/protocol.md, sections 5, 7 and 8. A shape takes a value and its JSON pointer."""

import base64
import binascii
import re

from strict_json import Unreadable


def escaped(name) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")


def require(holds: bool, at: str, what: str) -> None:
    if not holds:
        raise Unreadable(f"{at or '/'}: {what} is missing or of another shape")


def anything(value, at):
    pass


def text(value, at):
    require(isinstance(value, str), at, "a text")


def boolean(value, at):
    require(isinstance(value, bool), at, "a truth value")


def number(value, at):
    require(isinstance(value, float), at, "a number")


def integer(value, at):
    fits = isinstance(value, float) and value.is_integer() and 0 <= value < 2**53
    require(fits, at, "an integer from 0")


def matching(pattern: str, what: str):
    compiled = re.compile(pattern)

    def shape(value, at):
        require(isinstance(value, str) and compiled.fullmatch(value) is not None, at, what)

    return shape


digest = matching(r"[0-9a-f]{64}", "a digest")
bits = matching(r"[0-9a-f]{16}", "16 hexadecimal digits")
decimal = matching(r"0|[1-9][0-9]{0,39}", "decimal text")


def base64_bytes(value, at) -> bytes:
    """The bytes; the one spelling with padding and with unused bits zero."""
    try:
        data = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError):
        data = None
    require(data is not None and base64.b64encode(data).decode() == value, at, "base 64")
    return data


def base64_text(value, at):
    require(isinstance(value, str), at, "base 64")
    base64_bytes(value, at)


def one_of(*words):
    def shape(value, at):
        require(isinstance(value, (str, float)) and value in words, at, " or ".join(map(str, words)))

    return shape


def nullable(inner):
    return lambda value, at: None if value is None else inner(value, at)


def list_of(inner):
    def shape(value, at):
        require(isinstance(value, list), at, "a list")
        for i, item in enumerate(value):
            inner(item, f"{at}/{i}")

    return shape


def map_of(name_shape, inner):
    def shape(value, at):
        require(isinstance(value, dict), at, "an object")
        for name, item in value.items():
            name_shape(name, f"{at}/{escaped(name)}")
            inner(item, f"{at}/{escaped(name)}")

    return shape


def members(others=None, optional=(), **shapes):
    """An object with these members; `others` is the shape of any more, which are refused without it."""

    def shape(value, at):
        require(isinstance(value, dict), at, "an object")
        for name, inner in shapes.items():
            if name not in value:
                require(name in optional, f"{at}/{name}", "a member")
            else:
                inner(value[name], f"{at}/{name}")
        for name in value.keys() - shapes.keys():
            require(others is not None, f"{at}/{escaped(name)}", "no such member; a known one")
            others(value[name], f"{at}/{escaped(name)}")

    return shape


blob_reference = members(**{"$blob": matching(r"sha256:[0-9a-f]{64}", "a blob's name"), "length": integer})


def or_blob(inner):
    def shape(value, at):
        (blob_reference if is_blob_reference(value) else inner)(value, at)

    return shape


def is_blob_reference(value) -> bool:
    return isinstance(value, dict) and "$blob" in value


slice_of = {"run": integer, "of": one_of("result", "rows"), "from": integer, "length": integer}


def part(value, at):
    require(isinstance(value, dict), at, "a part")
    if "bytes" in value:
        members(bytes=base64_text)(value, at)
    elif "blob" in value:
        members(blob=digest, length=integer)(value, at)
    else:
        members(**slice_of)(value, at)


def digests(value, at):
    listed = value if isinstance(value, list) else value.get("nodes") if isinstance(value, dict) else None
    require(isinstance(listed, list) and len(listed) <= 16384, at, "a list of at most 16384")
    many = members(level=integer, nodes=list_of(digest))
    (list_of(digest) if isinstance(value, list) else many)(value, at)


run = members(
    kernel=digest,
    name=text,
    label=text,
    parts=list_of(part),
    runHash=digest,
    stepsPerSegment=integer,
    steps=integer,
    segments=integer,
    status=integer,
    digests=digests,
    root=digest,
    resultHash=digest,
    work=decimal,
    result=or_blob(base64_text),
    rows=or_blob(base64_text),
    optional=("result", "rows"),
)
runs = list_of(run)

kinds = ("exact", "invariant", "certificate", "twin", "estimate")

gate = members(
    index=integer,
    name=text,
    kind=one_of(*kinds),
    quantity=text,
    source=text,
    measured=number,
    reference=number,
    relError=number,
    bound=number,
)

field = members(
    name=text,
    unit=nullable(text),
    shape=list_of(integer),
    source=members(**slice_of),
    sealed=boolean,
    values=or_blob(list_of(number)),
)

envelope = members(
    optional=("shownHash",),
    generation=one_of("v3", "v1", "pre_genesis"),
    node=text,
    operators=list_of(text),
    solver=text,
    requestHash=digest,
    jobRoot=digest,
    shownHash=digest,
    value=number,
    valueBits=bits,
    unit=nullable(text),
    masterSum=number,
    R=number,
    phase=number,
    tick=integer,
    t_ns=decimal,
    precisionBound=number,
    precisionActual=number,
    gateKinds=list_of(one_of(*kinds)),
    engine_version=text,
    work=decimal,
    price_plancks=decimal,
    from_bond_plancks=decimal,
    from_fuel_plancks=decimal,
    token_id=nullable(text),
    proof=nullable(digest),
)

tick_averaged = members(
    value=number,
    unit=nullable(text),
    periodNs=decimal,
    check=members(samples=integer, everyNs=integer, sineSum=number, mean=number),
)

receipt = members(
    pulse=number,
    tick_period_ns=integer,
    hmac=members(algorithm=nullable(text), generation=text, verified=boolean, detail=text),
    tick_averaged=tick_averaged,
    continuum=map_of(text, number),
    masterEquation=anything,
    functionalEquation=anything,
    spectralPropagator=anything,
    log=members(index=integer, path=list_of(base64_text), checkpoint=text),
)

charges = members(
    work=decimal, price_plancks=decimal, from_bond_plancks=decimal, from_fuel_plancks=decimal
)

tick_receipt = members(
    tick=integer, t_ns=decimal, tick_period_ns=integer, pulse=number, phase=number, masterSum=number, R=number
)

answer_members = {
    "format": one_of("svc-answer-1"),
    "value": number,
    "unit": nullable(text),
    "envelope": envelope,
    "receipt": receipt,
    "charges": charges,
    "tick_receipt": tick_receipt,
    "tick_averaged": tick_averaged,
    "request": or_blob(anything),
    "gates": list_of(gate),
    "verdict": base64_text,
    "runs": or_blob(runs),
    "fields": list_of(field),
    "plots": list_of(anything),
    "assumed": list_of(anything),
    "warnings": list_of(text),
    "unsealed": list_of(text),
}
answer = members(others=anything, **answer_members)

bundle = members(
    format=one_of("svc-bundle-1"),
    answer=answer,
    blobs=map_of(digest, base64_text),
    kernels=map_of(digest, base64_text),
)
