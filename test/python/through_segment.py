"""A run from its start to the end of a segment, and no further."""

from dataclasses import dataclass
from hashlib import sha256

import wasmtime

from answer_file import AnswerFile, segment_digest
from kernel import Kernel, engine, let_time_pass, segments_of
from rerun import failures
from strict_json import Unreadable


@dataclass
class End:
    digests: list  # D_0 … D of the last segment that there was
    rows: list  # SHA-256 of the rows of each
    steps: int
    status: int
    state: bytes
    result: bytes
    work: int


def through_segment(verdict: dict, segment: int, parameters: bytes, file: AnswerFile, patience: float) -> End:
    """@raises Unreadable where the kernel is not in the file, or fails"""
    module = file.kernels.get(verdict["kernel"])
    if module is None or sha256(module).hexdigest() != verdict["kernel"]:
        raise Unreadable("the kernel is not in the file; a bundle has it")
    wasm = engine()
    ended = let_time_pass(wasm, patience)
    digests, rows, hash_of_run = [], [], bytes.fromhex(verdict["runHash"])
    try:
        kernel = Kernel(wasm, wasmtime.Module(wasm, module))
        cut = int(verdict["stepsPerSegment"])
        for k, steps, status, state, new in segments_of(kernel, parameters, cut, lambda *_: None):
            digests.append(segment_digest(hash_of_run, k, steps, status, state, new))
            rows.append(sha256(new).digest())
            if k == segment or status != 0:
                break
        return End(digests, rows, steps, status, state, kernel.result(), kernel.work())
    except failures as error:
        raise Unreadable(f"the kernel failed: {error}") from None
    finally:
        ended.set()
