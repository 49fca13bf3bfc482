"""Steps 1 to 4, 9 and 11 of docs/protocol.md, section 9.

A check yields (JSON pointer into the answer, claim, whether it holds).
"""

import hmac
import math
import struct
from hashlib import sha256

import shapes
from answer_file import (
    AnswerFile,
    doubles,
    is_standing,
    named_blobs,
    parameters_of,
    root_of_listed,
    run_hash,
    run_leaf,
    source_bytes,
)
from merkle import checkpoint_of, root, root_by_inclusion
from shapes import base64_bytes, kinds
from strict_json import canonical
from verdict_rules import has_reference, rules_kept

amounts = ("work", "price_plancks", "from_bond_plancks", "from_fuel_plancks")


def names_of_blobs(file: AnswerFile):
    for place in ("blobs", "kernels"):
        for name, data in getattr(file, place).items():
            yield f"/{place}/{name}", "bytes hash to their name", sha256(data).hexdigest() == name
    if file.bundled:
        for name in named_blobs(file):
            yield f"/blobs/{name}", "is in the bundle", name in file.blobs
        for name in {run["kernel"] for run in file.runs}:
            yield f"/kernels/{name}", "is in the bundle", name in file.kernels


def head(file: AnswerFile):
    answer, envelope = file.answer, file.answer["envelope"]
    for where, value in (("/value", answer["value"]), ("/envelope/value", envelope["value"])):
        yield where, "value has the sealed bits", bits_of(value) == envelope["valueBits"]
    yield "/unit", "unit is the sealed one", answer["unit"] == envelope["unit"]
    for name in amounts:
        yield f"/charges/{name}", "as sealed", answer["charges"][name] == envelope[name]
    work, price, bond, fuel = (int(envelope[name]) for name in amounts)
    yield "/envelope/price_plancks", "the price is bond and fuel", price == bond + fuel
    yield "/envelope/price_plancks", "the price is at most the work", price <= work
    yield "/request", "the request is the sealed one", request_digest(file) == envelope["requestHash"]
    for name, held in (("request", file.request), ("runs", file.runs)):
        if shapes.is_blob_reference(answer[name]) and held is not None:
            length = len(canonical(held))
            yield f"/{name}/length", f"it has {length} bytes", answer[name]["length"] == length


def request_digest(file: AnswerFile) -> str:
    request = file.answer["request"]
    if shapes.is_blob_reference(request):
        return request["$blob"][7:]
    return sha256(canonical(request)).hexdigest()


def bits_of(value: float) -> str:
    return struct.pack(">d", value + 0.0).hex()  # −0 + 0 is 0


def verdict(file: AnswerFile):
    envelope = file.answer["envelope"]
    data = base64_bytes(file.answer["verdict"], "")
    rows = rows_of_verdict(data)
    yield "/verdict", "the verdict is well formed", rows is not None
    if rows is None:
        return
    value, precision, rows = rows
    yield "/verdict", "the verdict's value is sealed", bits_of(value) == envelope["valueBits"]
    yield "/envelope/precisionActual", "is the verdict's", envelope["precisionActual"] == precision
    of_rows = max((error for *_, error, bound in rows if bound <= 0.001), default=0)
    yield "/verdict", "all of its numbers are finite", all(map(math.isfinite, doubles(data)))
    yield "/verdict", "a reference stands behind the value", has_reference(rows)
    yield "/verdict", "precisionActual follows from the rows", precision == of_rows
    present = [word for kind, word in enumerate(kinds) if any(row[1] == kind for row in rows)]
    yield "/envelope/gateKinds", "the kinds of the rows", envelope["gateKinds"] == present
    yield from gates(file, rows)


def rows_of_verdict(data: bytes):
    """(value, precisionActual, rows), or None where the bytes are not so laid out."""
    numbers = doubles(data)
    if len(data) % 8 or len(numbers) < 3 or not numbers[2].is_integer() or numbers[2] < 0:
        return None
    count = int(numbers[2])
    if len(numbers) < 3 + 6 * count:
        return None
    rows = [numbers[3 + 6 * i : 9 + 6 * i] for i in range(count)]
    return None if any(row[1] not in range(len(kinds)) for row in rows) else (*numbers[:2], rows)


def gates(file: AnswerFile, rows):
    shown = file.answer["gates"]
    yield "/gates", "one gate a row", len(shown) == len(rows)
    for i, (gate, row) in enumerate(zip(shown, rows)):
        columns = ("index", "kind", "measured", "reference", "relError", "bound")
        for name, number in zip(columns, row):
            stated = kinds.index(gate[name]) if name == "kind" else gate[name]
            yield f"/gates/{i}/{name}", "as in the verdict", stated == number
    for i, row in enumerate(rows):
        for rule, kept in rules_kept(row, rows):
            yield f"/gates/{i}", f"keeps rule {rule} for rows", kept


def runs(file: AnswerFile):
    envelope = file.answer["envelope"]
    for i, run in enumerate(file.runs):
        yield from one_run(file, run, f"/runs/{i}")
    last = sha256(base64_bytes(file.answer["verdict"], "")).hexdigest()
    yield "/verdict", "the verdict is the last result", last == file.runs[-1]["resultHash"]
    job_root = root([run_leaf(run) for run in file.runs]).hex()
    yield "/envelope/jobRoot", "the runs give the root of the job", job_root == envelope["jobRoot"]
    work = sum(int(run["work"]) for run in file.runs)
    yield "/envelope/work", "the work of the runs", work == int(envelope["work"])


def kernels(file: AnswerFile):
    """Section 3, "Releases": nothing where the release is not known."""
    version = file.answer["envelope"]["engine_version"]
    for i, run in enumerate(file.runs if version in file.releases else ()):
        own = file.releases[version].get(run["name"]) == run["kernel"]
        yield f"/runs/{i}/kernel", f"is the one that release {version} calls {run['name']}", own
    last = file.runs[-1]["name"]
    if version in file.releases:
        judges = last.endswith(".verdict") or last == "expression"
        yield f"/runs/{len(file.runs) - 1}/kernel", "is a verdict", judges


def one_run(file: AnswerFile, run: dict, at: str):
    n, s, steps = run["segments"], run["stepsPerSegment"], run["steps"]
    yield at + "/status", "the run is finished", run["status"] == 1
    yield at + "/stepsPerSegment", "is at least 1", s >= 1
    yield at + "/work", "fits 64 bits", int(run["work"]) < 2**64
    fits = steps == 0 if n == 0 else (int(n) - 1) * int(s) <= steps <= int(n) * int(s)
    yield at + "/steps", "steps fit the segments", fits
    yield at + "/digests", "as many digests as segments", has_all_digests(run)
    yield at + "/root", "the digests lead to the root", root_of_listed(run).hex() == run["root"]
    if "result" in run:
        yield at + "/result", "hashes to resultHash", hash_of_held(file, run["result"]) == run["resultHash"]
    for name in ("result", "rows"):
        yield f"{at}/{name}", "has its length", name not in run or not file.has_false_length(run[name])
    yield from parts(file, run, at)


def has_all_digests(run: dict) -> bool:
    leaves = int(run["segments"]) + 1
    if isinstance(run["digests"], list):
        return len(run["digests"]) == leaves <= 16384
    level, nodes = int(run["digests"]["level"]), run["digests"]["nodes"]
    if not 1 <= level <= 53:
        return False
    return len(nodes) == -(-leaves // 2**level) <= 16384 < -(-leaves // 2 ** (level - 1))


def hash_of_held(file: AnswerFile, held) -> str:
    return held["$blob"][7:] if shapes.is_blob_reference(held) else sha256(file.bytes_of(held)).hexdigest()


def parts(file: AnswerFile, run: dict, at: str):
    for j, part in enumerate(run["parts"]):
        if "run" in part:
            yield f"{at}/parts/{j}/run", "its source stands here", is_standing(file, part)
        data = source_bytes(file, part) if "run" in part else file.blobs.get(part.get("blob"))
        if data is not None:
            end = part["from"] + part["length"] if "run" in part else part["length"]
            fits = end <= len(data) if "run" in part else end == len(data)
            yield f"{at}/parts/{j}/length", "lies within its source", fits
    parameters = parameters_of(run, file.blobs, file.produced)
    if parameters is not None:
        found = run_hash(run["kernel"], parameters, run["stepsPerSegment"])
        yield at + "/runHash", "kernel, parameters and cut give it", found.hex() == run["runHash"]


def envelope(file: AnswerFile):
    at, sealed = "/envelope", file.answer["envelope"]
    yield at + "/precisionBound", "is 0.001", sealed["precisionBound"] == 0.001
    yield at + "/precisionActual", "is at most the bound", sealed["precisionActual"] <= 0.001
    without = sealed["generation"] == "pre_genesis"
    yield at + "/proof", "is null exactly in pre_genesis", (sealed["proof"] is None) == without
    yield at + "/operators", "KO42 first", sealed["operators"][:1] == ["KO42"]
    yield at + "/operators", "at most four", len(sealed["operators"]) <= 4


def inclusion(file: AnswerFile):
    at, sealed, log = "/receipt/log", file.answer["envelope"], file.answer["receipt"]["log"]
    leaf, checkpoint = canonical(sealed), checkpoint_of(log["checkpoint"])
    yield "/envelope", "at most 2048 bytes", len(leaf) <= 2048
    yield at + "/checkpoint", "is a signed checkpoint", checkpoint is not None
    if checkpoint:
        yield at + "/checkpoint", "its origin is the node", checkpoint.origin == sealed["node"]
        path = [base64_bytes(h, "") for h in log["path"]]
        found = root_by_inclusion(leaf, int(log["index"]), checkpoint.size, path)
        yield at + "/path", "leads to the checkpoint's root", found == checkpoint.root


members_of_proof = {
    "v1": ("operators", "valueBits", "tick"),
    "v3": (
        "operators",
        "valueBits",
        "tick",
        "engine_version",
        "precisionBound",
        "precisionActual",
        "jobRoot",
    ),
}


def proof_of(sealed: dict, secret: bytes):
    """Section 5: the HMAC of an envelope; None in pre_genesis."""
    covered = members_of_proof.get(sealed["generation"])
    text = covered and canonical({name: sealed[name] for name in covered})
    return text and hmac.new(secret, text, sha256).hexdigest()
