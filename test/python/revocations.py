"""Whether a node has taken a result back: docs/protocol.md, section 13, "Revocation"."""

import shapes
from answer_file import AnswerFile
from merkle import Key, checkpoint_of, is_signed, leaf_hash, root_by_inclusion
from shapes import base64_bytes, require
from strict_json import canonical, read_json

HEADING = b"svc-revocation-1\n"

revocation = shapes.members(
    envelope=shapes.digest,
    index=shapes.integer,
    token_id=shapes.text,
    outcome=shapes.one_of("contributor_wrong", "not_reproducible"),
    challenge=shapes.text,
    verdict=shapes.digest,
    verdict_index=shapes.integer,
    node=shapes.text,
    tick=shapes.integer,
    t_ns=shapes.decimal,
)
page_shape = shapes.members(
    node=shapes.text,
    since=shapes.integer,
    checkpoint=shapes.text,
    revocations=shapes.list_of(
        shapes.members(index=shapes.integer, leaf=shapes.text, path=shapes.list_of(shapes.base64_text))
    ),
    next=shapes.nullable(shapes.integer),
)


def read_revocation(leaf: bytes, at: str) -> dict:
    """The content of a leaf that is a revocation to the byte. @raises Unreadable"""
    require(leaf.startswith(HEADING) and leaf.endswith(b"\n"), at, "the heading of a revocation")
    line = leaf[len(HEADING) : -1]
    content = read_json(line)
    revocation(content, at)
    require(canonical(content) == line, at, "canonical JSON")
    return content


def revoked(data: bytes, file: AnswerFile, key: Key):
    """The revocation of this answer on a page of its node, or None. @raises Unreadable where the page proves nothing"""
    page = read_json(data)
    page_shape(page, "")
    envelope, log = file.answer["envelope"], file.answer["receipt"]["log"]
    checkpoint, sealed = checkpoint_of(page["checkpoint"]), checkpoint_of(log["checkpoint"])
    of_node = checkpoint is not None and checkpoint.origin == envelope["node"] and is_signed(checkpoint, key)
    require(of_node, "/checkpoint", "a checkpoint that the node signed")
    require(checkpoint.size >= sealed.size, "/checkpoint", "a log that continues that of the receipt")
    require(page["since"] <= log["index"] + 1, "/since", "a list from the leaf behind the receipt's on")
    found = None
    for i, entry in enumerate(page["revocations"]):
        at, leaf = f"/revocations/{i}", entry["leaf"].encode()
        content = read_revocation(leaf, f"{at}/leaf")
        path = [base64_bytes(one, f"{at}/path") for one in entry["path"]]
        root = root_by_inclusion(leaf, int(entry["index"]), checkpoint.size, path)
        require(root == checkpoint.root, f"{at}/path", "a path to the root of the checkpoint")
        if content["envelope"] == leaf_hash(canonical(envelope)).hex():
            found = content
    return found
