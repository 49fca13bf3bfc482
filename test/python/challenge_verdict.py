"""The verdict of a challenge, run again with the answer: docs/protocol.md, section 13."""

from hashlib import sha256

import shapes
from answer_file import AnswerFile, listed_nodes, parameters_of, root_of_listed, run_hash, run_leaf
from merkle import folded, leaf_hash, root
from sealed_checks import has_all_digests
from strict_json import canonical
from through_segment import End, through_segment
from verdict_notes import outcomes

claim = {
    "hash": shapes.digest,
    "resultHash": shapes.nullable(shapes.digest),
    "work": shapes.nullable(shapes.decimal),
    "segments": shapes.nullable(shapes.integer),
}
ends = ("resultHash", "work", "segments")
executed = shapes.members(node=shapes.text, engine=shapes.text, **claim)

names = {"node": shapes.text, "token_id": shapes.text, "jobRoot": shapes.digest, "engine_version": shapes.text}

verdict_shape = shapes.members(
    challenge=shapes.text,
    outcome=shapes.one_of(*outcomes),
    revoked=shapes.boolean,
    detail=shapes.text,
    of=shapes.members(envelope=shapes.digest, **names),
    run=shapes.integer,
    kernel=shapes.digest,
    runHash=shapes.digest,
    stepsPerSegment=shapes.integer,
    segments=shapes.integer,
    **{"from": shapes.integer},
    through=shapes.integer,
    before=shapes.nullable(shapes.digest),
    agreed=shapes.boolean,
    sealed=shapes.members(**claim),
    challenger=shapes.members(**claim),
    third=shapes.nullable(executed),
    service=executed,
    faulty=shapes.list_of(shapes.text),
    node=shapes.text,
    engine_version=shapes.text,
    tick=shapes.integer,
    t_ns=shapes.decimal,
)


def why_not(verdict: dict, file: AnswerFile, patience: float) -> str | None:
    """Why the verdict does not hold, by an execution here; None where it does."""
    why = strange_result(verdict, file) or strange_sides(verdict, file) or strange_consequence(verdict)
    return why or differing(verdict, file, patience)


def strange_result(verdict: dict, file: AnswerFile) -> str | None:
    """What of the verdict is about another result than that of the answer."""
    sealed, of, i = file.answer["envelope"], verdict["of"], int(verdict["run"])
    if leaf_hash(canonical(sealed)).hex() != of["envelope"]:
        return "it is about another result"
    if any(of[name] != sealed[name] for name in names):
        return "it calls the result by other names"
    if root([run_leaf(run) for run in file.runs]).hex() != sealed["jobRoot"] or not all(map(lists_its_root, file.runs)):
        return "the answer lists other runs or digests than were sealed"
    if i >= len(file.runs) or any(verdict[name] != file.runs[i][name] for name in of_run):
        return "the answer has no such run"
    return None


def lists_its_root(run: dict) -> bool:
    return has_all_digests(run) and root_of_listed(run).hex() == run["root"]


of_run = ("kernel", "runHash", "stepsPerSegment", "segments")


def strange_sides(verdict: dict, file: AnswerFile) -> str | None:
    """What it says of the sides and executions, and cannot be so."""
    run, begin, through = file.runs[int(verdict["run"])], int(verdict["from"]), int(verdict["through"])
    level, nodes = listed_nodes(run)
    last = through == run["segments"]
    if begin % 2**level or not begin <= through == min(begin + 2**level - 1, run["segments"]):
        return "it is about other segments than a search ends at"
    end = {name: run[name] if last else None for name in ends}
    if verdict["sealed"] != {"hash": nodes[begin >> level].hex(), **end}:
        return "what it calls sealed is not what the answer lists"
    executions = [verdict["service"]] + ([verdict["third"]] if verdict["third"] else [])
    if any((said[name] is None) == last for said in (verdict["challenger"], *executions) for name in ends):
        return "result, work and segments are said of the last segment, and of no other"
    if say_the_same(verdict["challenger"], verdict["sealed"]):
        return "the sides do not differ"
    if not all(say_the_same(said, verdict["service"]) for said in executions):
        return "third execution and that of the service differ"
    if outcome_by(verdict["service"], verdict["agreed"], verdict) != verdict["outcome"]:
        return "the outcome does not follow"
    return None


def strange_consequence(verdict: dict) -> str | None:
    outcome, faulty, third = verdict["outcome"], verdict["faulty"], verdict["third"]
    right = [verdict["service"]["node"], third and third["node"]]
    if verdict["revoked"] != (outcome != "challenger_wrong"):
        return "a result is revoked where it falls, and nowhere else"
    if len(faulty) > (1 if outcome == "contributor_wrong" else 0) or any(node in right for node in faulty):
        return "it withholds another bond"
    return None


def say_the_same(one: dict, other: dict) -> bool:
    return all(one[name] == other[name] for name in claim)


def outcome_by(found: dict, agreed: bool, verdict: dict) -> str:
    if agreed and say_the_same(found, verdict["sealed"]):
        return "challenger_wrong"
    return "contributor_wrong" if agreed and say_the_same(found, verdict["challenger"]) else "not_reproducible"


def differing(verdict: dict, file: AnswerFile, patience: float) -> str | None:
    run, begin, through = file.runs[int(verdict["run"])], int(verdict["from"]), int(verdict["through"])
    parameters = parameters_of(run, file.blobs, file.produced)
    if parameters is None:
        return "the answer lacks bytes of its parameters"
    if run_hash(run["kernel"], parameters, run["stepsPerSegment"]).hex() != verdict["runHash"]:
        return "kernel and parameters of the answer give another runHash"
    end = through_segment(verdict, through, parameters, file, patience)
    digests = end.digests + [bytes(32)] * (through + 1 - len(end.digests))
    level, listed = listed_nodes(run)
    before = digests[begin - 1].hex() if begin > 0 else None
    agreed = listed[: begin >> level] == nodes_of(digests[:begin], level)
    found = {"hash": nodes_of(digests[begin:], level)[0].hex(), **end_of(end, through, run)}
    is_same = say_the_same(found, verdict["service"]) and agreed == verdict["agreed"] and before == verdict["before"]
    if not is_same or outcome_by(found, agreed, verdict) != verdict["outcome"]:
        return f"segments {begin} to {through} came out here with {found['hash']} behind {before}"
    return None


def nodes_of(digests: list, level: int) -> list:
    """The nodes of a level over digests that begin where one of them does."""
    return [folded([leaf_hash(D) for D in digests[i : i + 2**level]]) for i in range(0, len(digests), 2**level)]


def end_of(end: End, through: int, run: dict) -> dict:
    """Result, work and segments, where the segments are the last that were sealed."""
    if through < run["segments"]:
        return dict.fromkeys(ends)
    result = end.result if end.status == 1 else b""
    segments = through + 1 if end.status == 0 else len(end.digests) - 1
    return {"resultHash": sha256(result).hexdigest(), "work": str(end.work), "segments": float(segments)}
