"""Steps 1 to 10 of docs/protocol.md, section 9. A check yields (JSON pointer, claim, whether it holds)."""

import re
import struct
from hashlib import sha256

import clock
import shapes
from answer_file import (
    AnswerFile,
    canonical_digest,
    doubles,
    parameters_of,
    root_of_listed,
    run_hash,
    run_leaf,
)
from merkle import checkpoint_of, root, root_by_inclusion
from shapes import base64_bytes, escaped, kinds
from strict_json import canonical, number_text

amounts = ("work", "price_plancks", "from_bond_plancks", "from_fuel_plancks")


def names_of_blobs(file: AnswerFile):
    for place in ("blobs", "kernels"):
        for name, data in getattr(file, place).items():
            yield f"/{place}/{name}", "bytes hash to their name", sha256(data).hexdigest() == name


def head(file: AnswerFile):
    answer, envelope, at = file.answer, file.answer["envelope"], file.at
    for where, value in (("/value", answer["value"]), ("/envelope/value", envelope["value"])):
        yield at + where, "value has the sealed bits", bits_of(value) == envelope["valueBits"]
    yield at + "/unit", "unit is the sealed one", answer["unit"] == envelope["unit"]
    for name in amounts:
        yield f"{at}/charges/{name}", "as sealed", answer["charges"][name] == envelope[name]
    work, price, bond, fuel = (int(envelope[name]) for name in amounts)
    yield at + "/envelope/price_plancks", "the price is bond and fuel", price == bond + fuel
    yield at + "/envelope/price_plancks", "the price is at most the work", price <= work
    yield at + "/request", "the request is the sealed one", request_digest(file) == envelope["requestHash"]


def request_digest(file: AnswerFile) -> str:
    request = file.answer["request"]
    return request["$blob"][7:] if shapes.is_blob_reference(request) else canonical_digest(request)


def bits_of(value: float) -> str:
    return struct.pack(">d", value + 0.0).hex()  # −0 + 0 is 0


def verdict(file: AnswerFile):
    at, envelope = file.at, file.answer["envelope"]
    rows = rows_of_verdict(base64_bytes(file.answer["verdict"], ""))
    yield at + "/verdict", "the verdict is well formed", rows is not None
    if rows is None:
        return
    value, precision, rows = rows
    yield at + "/verdict", "the verdict's value is sealed", bits_of(value) == envelope["valueBits"]
    yield at + "/envelope/precisionActual", "is the verdict's", envelope["precisionActual"] == precision
    of_rows = max((error for *_, error, bound in rows if bound <= 0.001), default=0)
    yield at + "/verdict", "precisionActual follows from the rows", precision == of_rows
    present = [word for kind, word in enumerate(kinds) if any(row[1] == kind for row in rows)]
    yield at + "/envelope/gateKinds", "the kinds of the rows", envelope["gateKinds"] == present
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
    at, shown = file.at, file.answer["gates"]
    yield at + "/gates", "one gate a row", len(shown) == len(rows)
    for i, (gate, row) in enumerate(zip(shown, rows)):
        columns = ("index", "kind", "measured", "reference", "relError", "bound")
        for name, number in zip(columns, row):
            stated = kinds.index(gate[name]) if name == "kind" else gate[name]
            yield f"{at}/gates/{i}/{name}", "as in the verdict", stated == number
        yield f"{at}/gates/{i}/relError", "the error is within the bound", row[4] <= row[5]


def runs(file: AnswerFile):
    at, envelope = file.at, file.answer["envelope"]
    for i, run in enumerate(file.runs):
        yield from one_run(file, i, run, f"{at}/runs/{i}")
    last = sha256(base64_bytes(file.answer["verdict"], "")).hexdigest()
    yield at + "/verdict", "the verdict is the last result", last == file.runs[-1]["resultHash"]
    job_root = root([run_leaf(run) for run in file.runs]).hex()
    yield at + "/envelope/jobRoot", "the runs give the root of the job", job_root == envelope["jobRoot"]
    work = sum(int(run["work"]) for run in file.runs)
    yield at + "/envelope/work", "the work of the runs", work == int(envelope["work"])


def one_run(file: AnswerFile, i: int, run: dict, at: str):
    n, s, steps = run["segments"], run["stepsPerSegment"], run["steps"]
    yield at + "/status", "the run is finished", run["status"] == 1
    yield at + "/stepsPerSegment", "is at least 1", s >= 1
    fits = steps == 0 if n == 0 else (int(n) - 1) * int(s) <= steps <= int(n) * int(s)
    yield at + "/steps", "steps fit the segments", fits
    yield at + "/digests", "as many digests as segments", has_all_digests(run)
    yield at + "/root", "the digests lead to the root", root_of_listed(run).hex() == run["root"]
    if "result" in run:
        yield at + "/result", "hashes to resultHash", hash_of_held(file, run["result"]) == run["resultHash"]
    for name in ("result", "rows"):
        yield f"{at}/{name}", "has its length", name not in run or not file.has_false_length(run[name])
    yield from parts(file, i, run, at)


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


def parts(file: AnswerFile, i: int, run: dict, at: str):
    for j, part in enumerate(run["parts"]):
        yield f"{at}/parts/{j}", "takes from what is there", "run" not in part or part["run"] < i
        if "run" in part and part["run"] >= i:
            return
        data = source_bytes(file, part) if "run" in part else file.blobs.get(part.get("blob"))
        if data is not None:
            end = part["from"] + part["length"] if "run" in part else part["length"]
            fits = end <= len(data) if "run" in part else end == len(data)
            yield f"{at}/parts/{j}/length", "lies within its source", fits
    parameters = parameters_of(run, file.blobs, file.produced)
    if parameters is not None:
        found = run_hash(run["kernel"], parameters, run["stepsPerSegment"])
        yield at + "/runHash", "kernel, parameters and cut give it", found.hex() == run["runHash"]


def source_bytes(file: AnswerFile, source: dict):
    return file.produced(int(source["run"]), source["of"])


def time(file: AnswerFile):
    at, envelope = file.at + "/envelope", file.answer["envelope"]
    tick, phase, master_sum = clock.at(int(envelope["t_ns"]))
    yield at + "/tick", "follows from t_ns", envelope["tick"] == tick
    yield at + "/phase", "follows from t_ns", envelope["phase"] == phase
    yield at + "/masterSum", "follows from t_ns", envelope["masterSum"] == master_sum
    yield at + "/R", "is value × masterSum", envelope["R"] == envelope["value"] * master_sum


hmac_details = {
    "v3": "HMAC-SHA256 over operators, value, tick, engine version, precision bound and actual, and job root",
    "v1": "HMAC-SHA256 over operators, value and tick",
    "pre_genesis": "sealed before the first key: without an HMAC, and sound as what it is",
}
continuum_fields = {
    "Pa": "pressure",
    "m/s": "velocity",
    "V": "potential",
    "T": "magneticB",
    "kg·m/s": "momentum",
    "kg*m/s": "momentum",
    "m*kg/s": "momentum",
    "K": "temperature",
}


def receipt(file: AnswerFile):
    answer, envelope = file.answer, file.answer["envelope"]
    averaged = tick_averaged(envelope)
    yield from same(expected_receipt(envelope, averaged), answer["receipt"], file.at + "/receipt")
    yield from same(averaged, answer["tick_averaged"], file.at + "/tick_averaged")
    names = ("tick", "t_ns", "phase", "masterSum", "R")
    expected = {"tick_period_ns": clock.T, "pulse": 1.287, **{name: envelope[name] for name in names}}
    yield from same(expected, answer["tick_receipt"], file.at + "/tick_receipt")


def tick_averaged(envelope: dict) -> dict:
    value = envelope["value"] + 0.0
    check = {"samples": 777, "everyNs": 1000001, "sineSum": 0, "mean": clock.mean_over_a_tick(value)}
    return {"value": value, "unit": envelope["unit"], "periodNs": "777000777", "check": check}


def expected_receipt(envelope: dict, averaged: dict) -> dict:
    signed = envelope["generation"] != "pre_genesis"
    hmac = {
        "algorithm": "HMAC-SHA256" if signed else None,
        "generation": envelope["generation"],
        "verified": signed,
        "detail": hmac_details[envelope["generation"]],
    }
    name = continuum_fields.get(envelope["unit"])
    return {
        "pulse": 1.287,
        "tick_period_ns": clock.T,
        "hmac": hmac,
        "tick_averaged": averaged,
        "continuum": {name: envelope["value"]} if name else {},
    }


def same(expected, found, at: str):
    """Members that are expected, one check each; an empty object must be empty."""
    if not isinstance(expected, dict):
        yield at, f"is {expected}", found == expected and isinstance(found, bool) == isinstance(expected, bool)
        return
    yield at, "has no other member", at.endswith("/receipt") or found.keys() == expected.keys()
    for name, value in expected.items():
        if name in found:
            yield from same(value, found[name], f"{at}/{name}")


diagnostics = ("masterEquation", "functionalEquation", "spectralPropagator")
spelled_number = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def shown_numbers(file: AnswerFile):
    known = traceable(file)
    unsealed = set(file.answer["unsealed"])
    for pointer, shown in shown_values(file.answer):
        if pointer not in unsealed:
            yield file.at + pointer, f"{shown} follows from sealed bytes", shown in known


def shown_values(answer: dict):
    for name in answer.keys() - shapes.answer_members.keys():
        yield from numbers_in(answer[name], "/" + escaped(name))
    yield from numbers_in(answer["assumed"], "/assumed")
    for name in diagnostics:
        yield from numbers_in(answer["receipt"][name], "/receipt/" + name)


def numbers_in(value, at: str):
    """(pointer, double or text) of all numbers and of texts that spell a number."""
    if isinstance(value, float):
        yield at, value
    elif isinstance(value, str) and spelled_number.fullmatch(value):
        yield at, number_or_text(value)
    elif isinstance(value, (list, dict)):
        items = enumerate(value) if isinstance(value, list) else value.items()
        for name, item in items:
            yield from numbers_in(item, f"{at}/{escaped(name)}")


def number_or_text(spelling: str):
    """A double where it is written with just these characters, else the text."""
    number = float(spelling)
    return number if number - number == 0 and number_text(number) == spelling else spelling


def traceable(file: AnswerFile) -> set:
    known = {777000777.0, 0.777000777, *doubles(base64_bytes(file.answer["verdict"], ""))}
    known.update(shown for _, shown in numbers_in(file.request, ""))
    for run in file.runs:
        known.update((run["stepsPerSegment"], run["segments"], float(run["work"]), run["work"]))
        literal = [part["bytes"] for part in run["parts"] if "bytes" in part]
        for held in (*literal, run.get("result")):
            if isinstance(held, str):
                known.update(doubles(base64_bytes(held, "")))
    return known


def fields(file: AnswerFile):
    for i, field in enumerate(file.answer["fields"]):
        at, source = f"{file.at}/fields/{i}", field["source"]
        count = 1
        for extent in field["shape"]:
            count *= int(extent)
        yield at + "/shape", "the shape fills the source", count * 8 == source["length"]
        yield at + "/values", "the shape counts the values", count_of(field["values"]) == count
        yield at + "/source/run", "there is such a run", source["run"] < len(file.runs)
        if source["run"] < len(file.runs):
            yield from field_bytes(file, field, at)


def count_of(values):
    return values["length"] / 8 if shapes.is_blob_reference(values) else len(values)


def field_bytes(file: AnswerFile, field: dict, at: str):
    data, source = source_bytes(file, field["source"]), field["source"]
    if data is not None:
        yield at + "/source", "lies within", source["from"] + source["length"] <= len(data)
        yield at + "/values", "are the bytes of the source", field_agrees(field, data)


def field_agrees(field: dict, produced: bytes) -> bool:
    start, length = int(field["source"]["from"]), int(field["source"]["length"])
    data = produced[start : start + length]
    if shapes.is_blob_reference(field["values"]):
        return field["values"]["$blob"][7:] == sha256(data).hexdigest()
    return field["values"] == list(doubles(data))


def envelope(file: AnswerFile):
    at, sealed = file.at + "/envelope", file.answer["envelope"]
    yield at + "/precisionBound", "is 0.001", sealed["precisionBound"] == 0.001
    yield at + "/precisionActual", "is at most the bound", sealed["precisionActual"] <= 0.001
    without = sealed["generation"] == "pre_genesis"
    yield at + "/proof", "is null exactly in pre_genesis", (sealed["proof"] is None) == without
    yield at + "/operators", "KO42 first", sealed["operators"][:1] == ["KO42"]
    yield at + "/operators", "at most four", len(sealed["operators"]) <= 4
    yield at, "at most 2048 bytes", len(canonical(sealed)) <= 2048


def inclusion(file: AnswerFile):
    at, sealed, log = file.at + "/receipt/log", file.answer["envelope"], file.answer["receipt"]["log"]
    checkpoint = checkpoint_of(log["checkpoint"])
    yield at + "/checkpoint", "is a signed checkpoint", checkpoint is not None
    if checkpoint:
        yield at + "/checkpoint", "its origin is the node", checkpoint.origin == sealed["node"]
        path = [base64_bytes(h, "") for h in log["path"]]
        found = root_by_inclusion(canonical(sealed), int(log["index"]), checkpoint.size, path)
        yield at + "/path", "leads to the checkpoint's root", found == checkpoint.root


without_key = (
    names_of_blobs,
    head,
    verdict,
    runs,
    time,
    receipt,
    shown_numbers,
    fields,
    envelope,
    inclusion,
)
