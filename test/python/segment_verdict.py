"""A verdict within a run, run again with the answer: docs/protocol.md, section 13, "Verdicts within a run"."""

from dataclasses import dataclass
from hashlib import sha256

import wasmtime

import shapes
from answer_file import AnswerFile, parameters_of, run_hash, segment_digest
from kernel import Kernel, engine, let_time_pass, segments_of
from merkle import Key, checkpoint_of, is_signed, leaf_hash, root, root_by_inclusion, signature_of
from rerun import failures
from shapes import base64_bytes, require
from strict_json import Unreadable, canonical, read_json

KIND = "svc-segment-verdict-1"
outcomes = ("contributor_wrong", "challenger_wrong", "not_reproducible")

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


@dataclass
class Note:
    signed: bytes  # also the leaf of the log
    signatures: list
    content: dict


def read_note(data: bytes, key: Key) -> Note:
    """@raises Unreadable where it is not such a verdict to the byte, signed by the key"""
    text, separator, lines = data.decode("utf-8", "replace").rpartition("\n\n")
    signatures = [signature_of(line) for line in lines.removesuffix("\n").split("\n")]
    heading, _, line = text.partition("\n")
    require(separator != "" and heading == KIND and None not in signatures, "", f"a note of {KIND}")
    content = read_json(line.encode())
    verdict_shape(content, "")
    require(canonical(content) == line.encode(), "", "canonical JSON")
    note = Note((text + "\n").encode(), signatures, content)
    require(content["node"] == key.name and is_signed(note, key), "/node", "the signature of the trusted key")
    return note


def is_logged(note: Note, proof: bytes, key: Key) -> bool:
    """Whether the proof (c2sp.org/tlog-proof) leads from the verdict to a checkpoint that its node signed."""
    head, _, signed = proof.decode("utf-8", "replace").partition("\n\n")
    lines, checkpoint = head.split("\n"), checkpoint_of(signed)
    if lines[0] != "c2sp.org/tlog-proof@v1" or len(lines) < 2 or not lines[1].startswith("index ") or checkpoint is None:
        raise Unreadable("the proof is no c2sp.org/tlog-proof")
    path = [base64_bytes(one, "/path") for one in lines[2:]]
    led_to = root_by_inclusion(note.signed, int(lines[1].removeprefix("index ")), checkpoint.size, path)
    return led_to == checkpoint.root and checkpoint.origin == key.name and is_signed(checkpoint, key)


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


def executed(verdict: dict, parameters: bytes, module: bytes, patience: float):
    """(D of the segment before, claim) from the start of the run through the segment in dispute."""
    wasm = engine()
    ended = let_time_pass(wasm, patience)
    digests, rows, hash_of_run = [], [], bytes.fromhex(verdict["runHash"])
    try:
        kernel = Kernel(wasm, wasmtime.Module(wasm, module))
        through, cut = verdict["segment"], int(verdict["stepsPerSegment"])
        for k, steps, status, state, new in segments_of(kernel, parameters, cut, lambda *_: None):
            digests.append(segment_digest(hash_of_run, k, steps, status, state, new).hex())
            rows.append(sha256(new).digest())
            if k == through or status != 0:
                break
        result, work = kernel.result(), kernel.work()
    except failures as error:
        raise Unreadable(f"the kernel failed: {error}") from None
    finally:
        ended.set()
    begin, is_error = int(verdict["from"]), status >= 16
    held, result = (b"", b"") if is_error else (state, result)
    found = {"from": float(begin), "to": float(k), "digests": digests[begin:], "steps": float(steps), "work": str(work)}
    found |= {"state": sha256(held).hexdigest(), "rowsRoot": root(rows[begin:]).hex(), "rowsHash": rows[-1].hex()}
    if status != 0:
        found["final"] = {"status": float(status), "result": sha256(result).hexdigest()}
    return digests[begin - 1] if 0 < begin <= len(digests) else None, found


def judged(note: Note, file: AnswerFile, patience: float) -> dict:
    """Whether the verdict holds, by an execution here."""
    verdict = note.content
    found = {"outcome": verdict["outcome"], "segment": verdict["segment"], "leaf": leaf_hash(note.signed).hex()}
    why = strangeness(verdict) or differing(verdict, file, patience)
    return {"exit": 1 if why else 0, "verdict": "FAILS" if why else "HOLDS", **found, **({"what": why} if why else {})}


def differing(verdict: dict, file: AnswerFile, patience: float) -> str | None:
    parameters = parameters_in(verdict, file)
    if parameters is None:
        return "the answer has no such run, or lacks bytes of its parameters"
    module = file.kernels.get(verdict["kernel"])
    if module is None or sha256(module).hexdigest() != verdict["kernel"]:
        raise Unreadable("the kernel is not in the file; a bundle has it")
    before, own = executed(verdict, parameters, module, patience)
    if before != verdict["before"] or not own["digests"]:
        return "the segment before came out otherwise here"
    claims = [verdict[side]["claim"] for side in ("contributor", "challenger")]
    if not say_the_same(verdict["third"]["claim"], own) or outcome_by(own, *claims) != verdict["outcome"]:
        return f"segment {own['to']:.0f} came out here with {own['digests'][-1]}"
    return None
