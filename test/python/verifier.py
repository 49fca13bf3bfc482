"""Checks and re-executes an answer by docs/protocol.md alone: a second implementation, a second engine.

    verifier.py verify FILE --key VKEY [--secret HEX] [--json]
    verifier.py rerun FILE [--json]

Exit: 0 sound or agreeing; 1 not sound, unknown node or differing; 2 unreadable. `-` is standard input.
"""

import argparse
import json
import sys
from pathlib import Path

import sealed_checks
import shown_checks
from answer_file import AnswerFile, read_file
from merkle import Key, checkpoint_of, is_signed, verifier_key
from strict_json import Unreadable


in_order = (
    sealed_checks.names_of_blobs,
    sealed_checks.head,
    sealed_checks.verdict,
    sealed_checks.runs,
    shown_checks.time,
    shown_checks.receipt,
    shown_checks.shown_numbers,
    shown_checks.fields,
    sealed_checks.envelope,
    sealed_checks.inclusion,
)


def verify(file: AnswerFile, key: Key, secret: bytes | None) -> dict:
    failed = [{"at": at, "what": what} for check in in_order for at, what, holds in check(file) if not holds]
    sealed, checkpoint = file.answer["envelope"], checkpoint_of(file.answer["receipt"]["log"]["checkpoint"])
    known = key.name == sealed["node"]
    if known and checkpoint and not is_signed(checkpoint, key):
        failed.append({"at": "/receipt/log/checkpoint", "what": "is signed by the trusted key"})
    if secret is not None and sealed_checks.proof_of(sealed, secret) != sealed["proof"]:
        failed.append({"at": "/envelope/proof", "what": "is the HMAC under the secret"})
    verdict = "NOT_SOUND" if failed else "SOUND" if known else "UNKNOWN_NODE"
    return {"exit": 0 if verdict == "SOUND" else 1, "verdict": verdict, "failed": failed}


def rerun(file: AnswerFile) -> dict:
    from rerun import Differs, rerun  # Wasmtime is needed here only

    try:
        done, job_root = rerun(file)
    except Differs as difference:
        place = {"run": difference.run, "segment": difference.segment, "at": difference.at}
        return {"exit": 1, "verdict": "DIFFERS", **place, "what": str(difference)}
    segments = sum(one.segments for one in done)
    return {"exit": 0, "verdict": "AGREES", "runs": len(done), "segments": segments, "jobRoot": job_root}


def command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("verify", "rerun"):
        options = verbs.add_parser(verb)
        options.add_argument("file")
        options.add_argument("--json", action="store_true")
        if verb == "verify":
            options.add_argument("--key", required=True, help="the node's verifier key")
            options.add_argument("--secret", type=bytes.fromhex, help="the node's HMAC key, hexadecimal")
    return parser.parse_args()


def outcome(options: argparse.Namespace) -> dict:
    try:
        key = verifier_key(options.key) if options.verb == "verify" else None
        data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
        file = read_file(data)
        return verify(file, key, options.secret) if key else rerun(file)
    except (Unreadable, OSError) as why:
        return {"exit": 2, "verdict": "UNREADABLE", "what": str(why)}


def main() -> int:
    options = command_line()
    found = outcome(options)
    if options.json:
        print(json.dumps(found))
    else:
        details = (f"{name} {value}" for name, value in found.items() if name not in ("verdict", "exit"))
        print(found["verdict"], *details)
    return found["exit"]


if __name__ == "__main__":
    sys.exit(main())
