"""A verdict within a run, run again with the answer: docs/protocol.md, section 13, "Verdicts within a run"."""

from hashlib import sha256

import shapes
from answer_file import AnswerFile, parameters_of, run_hash
from merkle import root
from shapes import require
from through_segment import End, through_segment
from verdict_notes import outcomes

claim_members = shapes.members(
    **{"from": shapes.integer},
    to=shapes.integer,
    digests=shapes.list_of(shapes.digest),
    steps=shapes.integer,
    work=shapes.decimal,
    state=shapes.digest,
    rowsRoot=shapes.digest,
    rowsHash=shapes.digest,
    final=shapes.members(status=shapes.integer, result=shapes.digest),
    optional=("final",),
)


def claim(value, at):
    claim_members(value, at)
    require(len(value["digests"]) == value["to"] - value["from"] + 1, at, "a digest of each segment")
    require("final" not in value or value["final"]["status"] > 0, at, "a status of an end")


said = shapes.members(node=shapes.text, engine=shapes.text, claim=claim)
verdict_shape = shapes.members(
    verdict=shapes.text,
    outcome=shapes.one_of(*outcomes),
    detail=shapes.text,
    run=shapes.text,
    kernel=shapes.digest,
    runHash=shapes.digest,
    stepsPerSegment=shapes.integer,
    **{"from": shapes.integer},
    segment=shapes.integer,
    before=shapes.nullable(shapes.digest),
    contributor=said,
    challenger=said,
    third=said,
    service=shapes.nullable(said),
    faulty=shapes.list_of(shapes.text),
    node=shapes.text,
    engine_version=shapes.text,
    tick=shapes.integer,
    t_ns=shapes.decimal,
)


def say_the_same(one: dict, other: dict) -> bool:
    """What `one` says of its span, held against `other`, which may go further."""
    if one["to"] == other["to"]:
        return one == other
    began = other["digests"][: len(one["digests"])] == one["digests"]
    return other["to"] > one["to"] and "final" not in one and began


def outcome_by(found: dict, contributor: dict, challenger: dict) -> str:
    if say_the_same(found, contributor):
        return "challenger_wrong"
    return "contributor_wrong" if say_the_same(found, challenger) else "not_reproducible"


def strangeness(verdict: dict) -> str | None:
    """What the verdict says, and does not follow from what it says of the executions."""
    claims = {side: verdict[side]["claim"] for side in ("contributor", "challenger", "third")}
    wrong = {"contributor_wrong": ["contributor"], "challenger_wrong": ["challenger"], "not_reproducible": []}
    if any(each["from"] != verdict["from"] for each in claims.values()):
        return "an execution begins elsewhere"
    if verdict["from"] > verdict["segment"] or claims["third"]["to"] > verdict["segment"]:
        return "the third execution is of other segments"
    if verdict["service"] and not say_the_same(claims["third"], verdict["service"]["claim"]):
        return "third execution and that of the service differ"
    if outcome_by(claims["third"], claims["contributor"], claims["challenger"]) != verdict["outcome"]:
        return "the outcome does not follow"
    if verdict["faulty"] != [verdict[side]["node"] for side in wrong[verdict["outcome"]]]:
        return "it withholds another bond"
    return None


def parameters_in(verdict: dict, file: AnswerFile) -> bytes | None:
    for run in file.runs:
        if run["kernel"] == verdict["kernel"]:
            parameters = parameters_of(run, file.blobs, file.produced)
            if parameters is not None:
                hashed = run_hash(run["kernel"], parameters, run["stepsPerSegment"])
                if hashed.hex() == verdict["runHash"]:
                    return parameters
    return None


def claim_of(begin: int, end: End) -> dict:
    """What an execution says of the segments from `begin` on."""
    is_error = end.status >= 16
    held, result = (b"", b"") if is_error else (end.state, end.result)
    found = {"from": float(begin), "to": float(len(end.digests) - 1), "steps": float(end.steps), "work": str(end.work)}
    found |= {"digests": [digest.hex() for digest in end.digests[begin:]], "state": sha256(held).hexdigest()}
    found |= {"rowsRoot": root(end.rows[begin:]).hex(), "rowsHash": end.rows[-1].hex()}
    if end.status != 0:
        found["final"] = {"status": float(end.status), "result": sha256(result).hexdigest()}
    return found


def why_not(verdict: dict, file: AnswerFile, patience: float) -> str | None:
    """Why the verdict does not hold, by an execution here; None where it does."""
    return strangeness(verdict) or differing(verdict, file, patience)


def differing(verdict: dict, file: AnswerFile, patience: float) -> str | None:
    parameters = parameters_in(verdict, file)
    if parameters is None:
        return "the answer has no such run, or lacks bytes of its parameters"
    end, begin = through_segment(verdict, int(verdict["segment"]), parameters, file, patience), int(verdict["from"])
    before = end.digests[begin - 1].hex() if 0 < begin <= len(end.digests) else None
    if before != verdict["before"] or len(end.digests) <= begin:
        return "the segment before came out otherwise here"
    own = claim_of(begin, end)
    claims = [verdict[side]["claim"] for side in ("contributor", "challenger")]
    if not say_the_same(verdict["third"]["claim"], own) or outcome_by(own, *claims) != verdict["outcome"]:
        return f"segment {own['to']:.0f} came out here with {own['digests'][-1]}"
    return None
