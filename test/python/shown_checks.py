"""Steps 5 to 9 of docs/protocol.md, section 9.

A check yields (JSON pointer into the answer, claim, whether it holds).
"""

import re
from hashlib import sha256

import clock
import shapes
from answer_file import AnswerFile, doubles, is_standing, parameters_of, source_bytes
from shapes import base64_bytes, escaped
from strict_json import canonical, number_text


def time(file: AnswerFile):
    at, envelope = "/envelope", file.answer["envelope"]
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
    yield from same(expected_receipt(envelope, averaged), answer["receipt"], "/receipt")
    yield from same(averaged, answer["tick_averaged"], "/tick_averaged")
    names = ("tick", "t_ns", "phase", "masterSum", "R")
    expected = {"tick_period_ns": clock.T, "pulse": 1.287, **{name: envelope[name] for name in names}}
    yield from same(expected, answer["tick_receipt"], "/tick_receipt")


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
            yield pointer, f"{shown} follows from sealed bytes", shown in known


def shown_values(answer: dict):
    for name in answer.keys() - shapes.answer_members.keys():
        yield from numbers_in(answer[name], "/" + escaped(name))
    for name in ("assumed", "plots"):
        yield from numbers_in(answer[name], "/" + name)
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
        known.update((run["segments"], float(run["work"]), run["work"]))
        literal = []
        if parameters_of(run, file.blobs, file.produced) is not None:
            known.add(run["stepsPerSegment"])
            literal = [part["bytes"] for part in run["parts"] if "bytes" in part]
        for held in (*literal, run.get("result")):
            if isinstance(held, str):
                known.update(doubles(base64_bytes(held, "")))
    return known


def shown_hash(file: AnswerFile) -> str:
    """Over everything that is shown beside what the envelope says and the runs bind (section 5)."""
    answer, listed = file.answer, ("gates", "fields", "plots", "assumed", "warnings", "unsealed")
    shown = {name: answer[name] for name in (*listed, *(answer.keys() - shapes.answer_members.keys()))}
    shown["receipt"] = {name: answer["receipt"][name] for name in diagnostics}
    shown["runs"] = [{name: run[name] for name in ("label", "name")} for run in file.runs]
    return sha256(canonical(shown)).hexdigest()


def shown(file: AnswerFile):
    sealed, release = file.answer["envelope"].get("shownHash"), file.answer["envelope"]["engine_version"]
    if sealed is not None or release not in ("0.1.0", "0.2.0", "0.3.0"):
        yield "/envelope/shownHash", "is the digest of what is shown", shown_hash(file) == sealed


def fields(file: AnswerFile):
    for i, field in enumerate(file.answer["fields"]):
        at, source = f"/fields/{i}", field["source"]
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
    yield at + "/source", "stands here", is_standing(file, source)
    if data is None and field["sealed"]:
        shown = not shapes.is_blob_reference(field["values"]) or file.bytes_of(field["values"]) is not None
        yield at, "what is shown as sealed is in the file", not shown
    if data is not None:
        yield at + "/source", "lies within", source["from"] + source["length"] <= len(data)
        yield at + "/values", "are the bytes of the source", field_agrees(field, data)


def field_agrees(field: dict, produced: bytes) -> bool:
    start, length = int(field["source"]["from"]), int(field["source"]["length"])
    data = produced[start : start + length]
    if len(data) != length or length % 8 != 0:
        return False
    if shapes.is_blob_reference(field["values"]):
        return field["values"]["$blob"][7:] == sha256(data).hexdigest()
    return field["values"] == list(doubles(data))
