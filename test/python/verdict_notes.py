"""Signed verdicts: docs/protocol.md, sections 12 and 13."""

from dataclasses import dataclass

from merkle import Key, checkpoint_of, is_signed, root_by_inclusion, signature_of
from shapes import base64_bytes, require
from strict_json import Unreadable, canonical, read_json

outcomes = ("contributor_wrong", "challenger_wrong", "not_reproducible")


@dataclass
class Note:
    kind: str
    signed: bytes  # also the leaf of the log
    signatures: list
    content: dict


def read_note(data: bytes, shapes: dict, key: Key) -> Note:
    """@raises Unreadable where it is not to the byte a note of a kind that `shapes` has, signed by the key"""
    text, separator, lines = data.decode("utf-8", "replace").rpartition("\n\n")
    signatures = [signature_of(line) for line in lines.removesuffix("\n").split("\n")]
    kind, _, line = text.partition("\n")
    require(separator != "" and kind in shapes and None not in signatures, "", f"a note of {' or '.join(shapes)}")
    content = read_json(line.encode())
    shapes[kind](content, "")
    require(canonical(content) == line.encode(), "", "canonical JSON")
    note = Note(kind, (text + "\n").encode(), signatures, content)
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
