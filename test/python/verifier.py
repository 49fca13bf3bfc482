"""Checks and re-executes an answer by docs/protocol.md alone: a second implementation, a second engine.

    verifier.py verify FILE --key VKEY [--json]
    verifier.py rerun FILE [--json]

Exit: 0 sound or agreeing; 1 not sound, unknown node or differing; 2 unreadable. `-` is standard input.
"""

import argparse
import json
import sys
from pathlib import Path

import checks
from answer_file import AnswerFile, read_file
from merkle import checkpoint_of, is_signed, verifier_key
from strict_json import Unreadable


def verify(file: AnswerFile, vkey: str) -> dict:
    answer = file.answer
    if any(answer[name] is None for name in ("envelope", "receipt", "charges", "tick_receipt", "tick_averaged")):
        raise Unreadable("the answer is not sealed: nothing to verify")
    key = verifier_key(vkey)
    failed = [{"at": at, "what": what} for check in checks.without_key for at, what, holds in check(file) if not holds]
    checkpoint = checkpoint_of(answer["receipt"]["log"]["checkpoint"])
    known = key.name == answer["envelope"]["node"]
    if known and checkpoint and not is_signed(checkpoint, key):
        failed.append({"at": file.at + "/receipt/log/checkpoint", "what": "is signed by the trusted key"})
    verdict = "NOT_SOUND" if failed else "SOUND" if known else "UNKNOWN_NODE"
    return {"exit": 0 if verdict == "SOUND" else 1, "verdict": verdict, "failed": failed}


def rerun(file: AnswerFile) -> dict:
    from rerun import Differs, rerun  # Wasmtime is needed here only

    try:
        done = rerun(file)
    except Differs as difference:
        place = {"run": difference.run, "segment": difference.segment, "at": difference.at}
        return {"exit": 1, "verdict": "DIFFERS", **place, "what": str(difference)}
    leaves = [one.leaf.hex() for one in done]
    segments = sum(one.segments + 1 for one in done)
    return {"exit": 0, "verdict": "AGREES", "segments": segments, "leaves": leaves}


def command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("verify", "rerun"):
        options = verbs.add_parser(verb)
        options.add_argument("file")
        options.add_argument("--json", action="store_true")
        if verb == "verify":
            options.add_argument("--key", required=True)
    return parser.parse_args()


def outcome(options: argparse.Namespace) -> dict:
    try:
        data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
        file = read_file(data)
        return verify(file, options.key) if options.verb == "verify" else rerun(file)
    except Unreadable as why:
        return {"exit": 2, "verdict": "UNREADABLE", "what": str(why)}
    except OSError as why:
        return {"exit": 2, "verdict": "UNREADABLE", "what": str(why)}


def main() -> int:
    options = command_line()
    found = outcome(options)
    if options.json:
        print(json.dumps(found))
    else:
        print(found["verdict"], *(f"{name} {value}" for name, value in found.items() if name not in ("verdict", "exit")))
    return found["exit"]


if __name__ == "__main__":
    sys.exit(main())
