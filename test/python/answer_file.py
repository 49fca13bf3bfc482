"""An answer or a bundle, read whole; digests of runs; where bytes are in the file."""

import struct
from dataclasses import dataclass, field
from hashlib import sha256

import limits
import shapes
from merkle import digest_of, folded, leaf_hash
from shapes import base64_bytes
from strict_json import Unreadable, canonical, read_json


@dataclass
class AnswerFile:
    answer: dict
    blobs: dict  # digest → bytes
    kernels: dict
    runs: list
    request: object  # None where it is a blob that is not in the file
    bundled: bool = False
    releases: dict = field(default_factory=dict)  # version → name → digest, as far as they are known

    def bytes_of(self, held):
        """Bytes that are base 64 or a blob reference; None where the file does not have them."""
        if shapes.is_blob_reference(held):
            return self.blobs.get(held["$blob"][7:])
        return base64_bytes(held, "")

    def has_false_length(self, held) -> bool:
        data = self.bytes_of(held) if shapes.is_blob_reference(held) else None
        return data is not None and len(data) != held["length"]

    def produced(self, run: int, of: str):
        """The result or the rows of a run, or None where they are not in the file."""
        if of == "result" and run == len(self.runs) - 1:
            return base64_bytes(self.answer["verdict"], "")
        held = self.runs[run].get(of)
        return None if held is None else self.bytes_of(held)


def is_standing(file: AnswerFile, source: dict) -> bool:
    """Whether the run has the result or the rows, from which a part or a field takes, as a member."""
    run = int(source["run"])
    return (source["of"] == "result" and run == len(file.runs) - 1) or source["of"] in file.runs[run]


def named_blobs(file: AnswerFile) -> set:
    """The blobs that a bundle must hold."""
    held = [file.answer["request"], *(one["values"] for one in file.answer["fields"])]
    held += [run[of] for run in file.runs for of in ("result", "rows") if of in run]
    parts = {part["blob"] for run in file.runs for part in run["parts"] if "blob" in part}
    return parts | {one["$blob"][7:] for one in held if shapes.is_blob_reference(one)}


def decoded(held: dict) -> dict:
    return {name: base64_bytes(text, "") for name, text in held.items()}


def read_file(data: bytes) -> AnswerFile:
    if len(data) > limits.file_bytes:
        raise Unreadable(f"the file is longer than {limits.file_bytes} bytes")
    document = read_json(data)
    bundled = isinstance(document, dict) and document.get("format") == "svc-bundle-1"
    (shapes.bundle if bundled else shapes.answer)(document, "")
    answer = document["answer"] if bundled else document
    blobs, kernels = ({}, {}) if not bundled else (decoded(document["blobs"]), decoded(document["kernels"]))
    file = AnswerFile(answer, blobs, kernels, [], None, bundled)
    file.runs = runs_of(file)
    if not file.runs:
        raise Unreadable("an answer has at least one run")
    file.request = json_of(file, answer["request"])
    return file


def json_of(file: AnswerFile, held):
    if not shapes.is_blob_reference(held):
        return held
    data = file.bytes_of(held)
    return None if data is None else read_json(data)


def runs_of(file: AnswerFile) -> list:
    held = file.answer["runs"]
    runs = json_of(file, held)
    if runs is None:
        raise Unreadable("the runs are a blob that is not in the file")
    shapes.runs(runs, "/runs")
    limits.within(runs)
    fits = not shapes.is_blob_reference(held) or file.bytes_of(held) == canonical(runs)
    shapes.require(fits, "/runs", "the canonical JSON of the runs")
    for i, run in enumerate(runs):
        for j, part in enumerate(run["parts"]):
            shapes.require(part.get("run", -1) < i, f"/runs/{i}/parts/{j}/run", "a run below this one")
    return runs


def u32(number) -> bytes:
    return struct.pack("<I", int(number))


def u64(number) -> bytes:
    return struct.pack("<Q", int(number) % 2**64)


def run_hash(kernel: str, parameters: bytes, steps_per_segment) -> bytes:
    return digest_of(
        b"SVC-RUN-1\0", bytes.fromhex(kernel), u64(len(parameters)), parameters, u64(steps_per_segment)
    )


def segment_digest(hash_of_run: bytes, k, steps, status, state: bytes, rows: bytes) -> bytes:
    held = b"" if status >= 16 else state
    head = b"SVC-SEG-1\0" + hash_of_run + u64(k) + u64(steps) + u32(status)
    return digest_of(head, u64(len(held)), held, sha256(rows).digest())


def run_leaf(run: dict) -> bytes:
    root, result = bytes.fromhex(run["root"]), bytes.fromhex(run["resultHash"])
    hash_of_run = bytes.fromhex(run["runHash"])
    return digest_of(b"SVC-RES-1\0", hash_of_run, u64(run["segments"]), root, result, u64(run["work"]))


def listed_nodes(run: dict):
    """(level, nodes) of a run's digest tree as the answer lists them; a plain list is of leaves."""
    if isinstance(run["digests"], list):
        return 0, [leaf_hash(bytes.fromhex(D)) for D in run["digests"]]
    return int(run["digests"]["level"]), [bytes.fromhex(node) for node in run["digests"]["nodes"]]


def root_of_listed(run: dict) -> bytes:
    return folded(listed_nodes(run)[1])


def parameters_of(run: dict, blobs: dict, produced):
    """The parameters put together, or None where a part is not at hand.

    `produced(run, of)` gives result or rows of an earlier run, or None.
    """
    pieces = [part_bytes(part, blobs, produced) for part in run["parts"]]
    return None if None in pieces else b"".join(pieces)


def part_bytes(part: dict, blobs: dict, produced):
    if "bytes" in part:
        return base64_bytes(part["bytes"], "")
    if "blob" in part:
        data = blobs.get(part["blob"])
        return data if data is not None and len(data) == part["length"] else None
    data = produced(int(part["run"]), part["of"])
    return None if data is None else data[int(part["from"]) :][: int(part["length"])]


def doubles(data: bytes):
    """The f64 at offsets 0, 8, 16, …; a rest of less than 8 bytes is none."""
    return struct.unpack(f"<{len(data) // 8}d", data[: len(data) // 8 * 8])


def source_bytes(file: AnswerFile, source: dict):
    """The whole result or rows that a part or a field takes from, or None where they are not in the file."""
    return file.produced(int(source["run"]), source["of"])
