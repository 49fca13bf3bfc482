"""Hash tree, inclusion proof, signed checkpoint (docs/protocol.md, "Tree" and section 6)."""

import re
from dataclasses import dataclass
from hashlib import sha256

import ed25519
from shapes import base64_bytes
from strict_json import Unreadable


def digest_of(*pieces: bytes) -> bytes:
    return sha256(b"".join(pieces)).digest()


def leaf_hash(leaf: bytes) -> bytes:
    return digest_of(b"\x00", leaf)


def node_hash(left: bytes, right: bytes) -> bytes:
    return digest_of(b"\x01", left, right)


def folded(nodes: list) -> bytes:
    """The node over neighbouring nodes of one level; an odd last one moves up unchanged."""
    while len(nodes) > 1:
        pairs = [node_hash(nodes[i], nodes[i + 1]) for i in range(0, len(nodes) - 1, 2)]
        nodes = pairs + nodes[len(pairs) * 2 :]
    return nodes[0] if nodes else digest_of()


def root(leaves: list) -> bytes:
    return folded([leaf_hash(leaf) for leaf in leaves])


def root_by_inclusion(leaf: bytes, index: int, size: int, path: list):
    """The root that the path leads to, or None where the path does not fit the place."""
    if not 0 <= index < size:
        return None
    r, a, b = leaf_hash(leaf), index, size - 1
    for h in path:
        if b == 0:
            return None
        if a & 1 or a == b:
            r = node_hash(h, r)
            while a & 1 == 0 and a != 0:
                a, b = a >> 1, b >> 1
        else:
            r = node_hash(r, h)
        a, b = a >> 1, b >> 1
    return r if b == 0 else None


@dataclass
class Key:
    name: str
    key_id: bytes
    public_key: bytes


def is_key_name(name: str) -> bool:
    return name != "" and not any(c == "+" or c.isspace() or ord(c) < 32 or ord(c) == 127 for c in name)


def verifier_key(text: str) -> Key:
    """@raises Unreadable for what is no key, or a key whose hash does not fit"""
    name, _, rest = text.strip().partition("+")
    hexadecimal, _, encoded = rest.partition("+")
    typed_key = base64_bytes(encoded, "--key")
    if not is_key_name(name) or len(typed_key) != 33 or typed_key[0] != 1:
        raise Unreadable("--key is no Ed25519 verifier key")
    key_id = digest_of(name.encode(), b"\n", typed_key)[:4]
    if hexadecimal != key_id.hex():
        raise Unreadable("the hash of --key does not fit its name and bytes")
    return Key(name, key_id, typed_key[1:])


@dataclass
class Checkpoint:
    origin: str
    size: int
    root: bytes
    signed: bytes
    signatures: list  # of (name, key ID ‖ signature)


_head = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/=]+)\n")


def checkpoint_of(note: str):
    """The parts of a checkpoint, or None where it is none."""
    text, separator, signature_lines = note.rpartition("\n\n")
    head = _head.fullmatch(text + "\n")
    if not separator or not head or not signature_lines.endswith("\n"):
        return None
    try:
        signatures = [signature_of(line) for line in signature_lines[:-1].split("\n")]
        tree_root = base64_bytes(head[3], "")
    except Unreadable:
        return None
    if None in signatures or len(tree_root) != 32:
        return None
    return Checkpoint(head[1], int(head[2]), tree_root, (text + "\n").encode(), signatures)


def signature_of(line: str):
    words = line.split(" ")
    if len(words) != 3 or words[0] != "\u2014" or words[1] == "":
        return None
    _, name, encoded = words
    blob = base64_bytes(encoded, "")
    return (name, blob) if len(blob) > 4 else None


def is_signed(checkpoint: Checkpoint, key: Key) -> bool:
    own = [blob[4:] for name, blob in checkpoint.signatures if name == key.name and blob[:4] == key.key_id]
    return own != [] and all(ed25519.verify(key.public_key, checkpoint.signed, one) for one in own)
