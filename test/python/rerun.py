"""Re-execution, docs/protocol.md, section 10: the first run and segment that differ, or none."""

from dataclasses import dataclass
from hashlib import sha256

import wasmtime

import limits
from answer_file import (
    AnswerFile,
    listed_nodes,
    parameters_of,
    run_hash,
    run_leaf,
    segment_digest,
)
from sealed_checks import hash_of_held, kernels
from shown_checks import field_agrees, shown_hash
from kernel import Kernel, OutsideMemory, TookSteps, engine, let_time_pass, segments_of
from merkle import folded, leaf_hash, root
from shapes import base64_bytes
from strict_json import Unreadable


class Differs(Exception):
    def __init__(self, what: str, run=None, segment=None, at=""):
        super().__init__(what)
        self.run, self.segment, self.at = run, segment, at


@dataclass
class Done:
    result: bytes
    rows: bytes
    leaf: bytes
    segments: int


def rerun(file: AnswerFile, patience: float):
    """What each run gave, and the jobRoot.

    @raises Differs, and Unreadable where a kernel or blob is not in the file
    """
    for run, (at, what, holds) in enumerate(kernels(file)):
        if not holds:
            raise Differs(f"it does not hold: {what}", min(run, len(file.runs) - 1), None, at)
    wasm = engine()
    ended = let_time_pass(wasm, patience)
    try:
        return execute_all(file, wasm)
    finally:
        ended.set()


def execute_all(file: AnswerFile, wasm: wasmtime.Engine):
    modules, done = {}, []
    file.blobs = {name: data for name, data in file.blobs.items() if sha256(data).hexdigest() == name}
    for i, run in enumerate(file.runs):
        parameters = parameters_here(file, i, run, done)
        if run["kernel"] not in modules:
            modules[run["kernel"]] = compiled(wasm, file, i, run)
        room = limits.output_bytes - sum(len(one.result) + len(one.rows) for one in done)
        done.append(execute(wasm, modules[run["kernel"]], i, run, parameters, room))
        compare_held(file, i, run, done[i])
    compare_fields(file, done)
    return done, compare_end(file, done)


def parameters_here(file: AnswerFile, i: int, run: dict, done: list) -> bytes:
    at = f"/runs/{i}"
    parameters = parameters_of(run, file.blobs, lambda r, of: getattr(done[r], of))
    if parameters is None:
        raise Unreadable(f"{at}/parts: a blob is not in the file")
    if run_hash(run["kernel"], parameters, run["stepsPerSegment"]).hex() != run["runHash"]:
        raise Differs("kernel, parameters and cut give another runHash", i, None, at + "/runHash")
    return parameters


def compiled(wasm: wasmtime.Engine, file: AnswerFile, i: int, run: dict) -> wasmtime.Module:
    name = run["kernel"]
    if name not in file.kernels:
        raise Unreadable(f"run {i}: kernel {name} is not in the file; a bundle has it")
    if sha256(file.kernels[name]).hexdigest() != name:
        raise Unreadable(f"run {i}, segment 0: the bytes under kernel {name} are not that kernel")
    try:
        return wasmtime.Module(wasm, file.kernels[name])
    except wasmtime.WasmtimeError as error:
        raise Differs(f"the kernel is no module of the protocol: {error}", i, 0, f"/kernels/{name}") from None


# What a module can do that is no kernel: no memory, other functions, pointers outside, a stack without end.
engine_says = (wasmtime.Trap, wasmtime.WasmtimeError)
failures = (*engine_says, OutsideMemory, TookSteps, KeyError, TypeError, ValueError)


def execute(
    wasm: wasmtime.Engine, module: wasmtime.Module, i: int, run: dict, parameters: bytes, room: int
) -> Done:
    at = f"/runs/{i}"
    hash_of_run, leaves, rows, level = bytes.fromhex(run["runHash"]), [], [], listed_nodes(run)[0]
    steps = status = 0
    if run["stepsPerSegment"] < 1:
        raise Differs("stepsPerSegment is not at least 1", i, None, at + "/stepsPerSegment")
    try:
        kernel = Kernel(wasm, module)
        cut, between = int(run["stepsPerSegment"]), stopping(run, i, room, at)
        for k, steps, status, state, new in segments_of(kernel, parameters, cut, between):
            leaves.append(leaf_hash(segment_digest(hash_of_run, k, steps, status, state, new)))
            rows.append(new)
            compare_segment(run, i, k, leaves, level, at)
        result, work = kernel.result(), kernel.work()
    except failures as error:
        raise Differs(f"the kernel failed: {error}", i, len(leaves), at) from None
    if len(result) + sum(map(len, rows)) > room:
        raise Differs(f"more than {limits.output_bytes} bytes in the whole job", i, len(leaves) - 1, at)
    last = len(leaves) - 1
    compare_nodes(run, i, last, leaves[last >> level << level :], level, at)
    here = {"status": status, "steps": steps, "segments": last, "work": str(work)}
    here |= {"root": folded(leaves).hex(), "resultHash": sha256(result).hexdigest()}
    for name, value in here.items():
        if run[name] != value:
            raise Differs(f"{name} is {value} here", i, last, f"{at}/{name}")
    return Done(result, b"".join(rows), run_leaf(run), last)


def stopping(run: dict, i: int, room: int, at: str):
    """Ends a run that does more than the answer says, or than anybody may."""

    def between(steps: int, work: int, rows: int) -> None:
        if steps > run["steps"] or work > int(run["work"]):
            raise Differs("it does more than the answer says", i, None, at + "/steps")
        if rows > room:
            raise Differs(f"more than {limits.output_bytes} bytes in the whole job", i, None, at + "/rows")

    return between


def compare_segment(run: dict, i: int, k: int, leaves: list, level: int, at: str) -> None:
    """A segment is past the answer's last one, or it completes a listed node, or there is nothing to compare."""
    if k > run["segments"]:
        raise Differs("the run goes on after its last segment", i, k, at + "/segments")
    if (k + 1) % 2**level == 0:
        compare_nodes(run, i, k, leaves[k >> level << level :], level, at)


def compare_nodes(run: dict, i: int, k: int, leaves: list, level: int, at: str) -> None:
    nodes, place = listed_nodes_once(run), k >> level
    where = f"{at}/digests/{place}" if level == 0 else f"{at}/digests/nodes/{place}"
    if place >= len(nodes) or folded(leaves) != nodes[place]:
        raise Differs("another digest", i, place << level, where)


def listed_nodes_once(run: dict) -> list:
    if "_nodes" not in run:
        run["_nodes"] = listed_nodes(run)[1]
    return run["_nodes"]


def compare_held(file: AnswerFile, i: int, run: dict, done: Done) -> None:
    for name in ("result", "rows"):
        if name in run and hash_of_held(file, run[name]) != sha256(getattr(done, name)).hexdigest():
            raise Differs(f"other {name} stand in the answer", i, None, f"/runs/{i}/{name}")


def compare_fields(file: AnswerFile, done: list) -> None:
    for f, field in enumerate(file.answer["fields"]):
        run = int(field["source"]["run"])
        if run >= len(done) or not field_agrees(field, getattr(done[run], field["source"]["of"])):
            raise Differs("the field is not what came out", run, None, f"/fields/{f}/values")


def compare_end(file: AnswerFile, done: list) -> str:
    last, job_root = len(done) - 1, root([one.leaf for one in done]).hex()
    if done[-1].result != base64_bytes(file.answer["verdict"], ""):
        raise Differs("the last result is not the verdict", last, None, "/verdict")
    if job_root != file.answer["envelope"]["jobRoot"]:
        raise Differs("the runs give another jobRoot", None, None, "/envelope/jobRoot")
    if file.answer["envelope"].get("shownHash") not in (None, shown_hash(file)):
        raise Differs("something else is shown than was sealed", None, None, "/envelope/shownHash")
    return job_root
