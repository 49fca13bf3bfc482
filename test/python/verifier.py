"""Checks and re-executes an answer by docs/protocol.md alone: a second implementation, a second engine.

    verifier.py verify FILE --key VKEY [--secret HEX] [--revocations PAGE] [--releases FILE [--strict]] [--json]
    verifier.py verdict NOTE --answer BUNDLE --key VKEY [--proof PROOF] [--patience SECONDS] [--json]
    verifier.py rerun FILE [--patience SECONDS] [--releases FILE [--strict]] [--json]

Exit: 0 sound, agreeing or holding; 1 not sound, failing, revoked, unknown node, differing or (--strict) unknown release; 2 unreadable. `-` is standard input.
"""

import argparse
import json
import sys
from pathlib import Path

import limits
import sealed_checks
import shown_checks
from answer_file import AnswerFile, read_file
from merkle import Key, checkpoint_of, is_signed, leaf_hash, verifier_key
from revocations import revoked
from strict_json import Unreadable
from verdict_notes import is_logged, read_note


in_order = (
    sealed_checks.names_of_blobs,
    sealed_checks.head,
    sealed_checks.verdict,
    sealed_checks.runs,
    sealed_checks.kernels,
    shown_checks.time,
    shown_checks.receipt,
    shown_checks.shown_numbers,
    shown_checks.fields,
    shown_checks.shown,
    sealed_checks.envelope,
    sealed_checks.inclusion,
)


def verify(file: AnswerFile, key: Key, secret: bytes | None, strict: bool) -> dict:
    failed = [{"at": at, "what": what} for check in in_order for at, what, holds in check(file) if not holds]
    sealed, checkpoint = file.answer["envelope"], checkpoint_of(file.answer["receipt"]["log"]["checkpoint"])
    known = key.name == sealed["node"]
    if known and checkpoint and not is_signed(checkpoint, key):
        failed.append({"at": "/receipt/log/checkpoint", "what": "is signed by the trusted key"})
    if secret is not None and sealed_checks.proof_of(sealed, secret) != sealed["proof"]:
        failed.append({"at": "/envelope/proof", "what": "is the HMAC under the secret"})
    doubted = "UNKNOWN_RELEASE" if strict and not is_released(file) else "SOUND"
    verdict = "NOT_SOUND" if failed else doubted if known else "UNKNOWN_NODE"
    return {"exit": 0 if verdict == "SOUND" else 1, "verdict": verdict, "failed": failed, **release_of(file)}


def is_released(file: AnswerFile) -> bool:
    return file.answer["envelope"]["engine_version"] in file.releases


def release_of(file: AnswerFile) -> dict:
    return {"release": {"version": file.answer["envelope"]["engine_version"], "known": is_released(file)}}


def rerun(file: AnswerFile, patience: float, strict: bool) -> dict:
    from rerun import Differs, rerun  # Wasmtime is needed here only

    try:
        done, job_root = rerun(file, patience)
    except Differs as difference:
        place = {"run": difference.run, "segment": difference.segment, "at": difference.at}
        return {"exit": 1, "verdict": "DIFFERS", **place, "what": str(difference)}
    segments = sum(one.segments for one in done)
    found = {"exit": 1 if strict and not is_released(file) else 0, "verdict": "AGREES", **release_of(file)}
    return {**found, "runs": len(done), "segments": segments, "jobRoot": job_root}


def verdict(options: argparse.Namespace) -> dict:
    import challenge_verdict  # as above
    import segment_verdict

    kinds = {"svc-verdict-1": challenge_verdict, "svc-segment-verdict-1": segment_verdict}
    key = verifier_key(options.key)
    note = read_note(bytes_of(options.file), {kind: of.verdict_shape for kind, of in kinds.items()}, key)
    if options.proof and not is_logged(note, options.proof.read_bytes(), key):
        return {"exit": 1, "verdict": "FAILS", "what": "the log of its node does not have it"}
    why = kinds[note.kind].why_not(note.content, read_file(bytes_of(options.answer)), options.patience)
    found = {"outcome": note.content["outcome"], "leaf": leaf_hash(note.signed).hex()}
    return {"exit": 1, "verdict": "FAILS", **found, "what": why} if why else {"exit": 0, "verdict": "HOLDS", **found}


def command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("verify", "verdict", "rerun"):
        options = verbs.add_parser(verb)
        options.add_argument("file")
        options.add_argument("--json", action="store_true")
        if verb != "verdict":
            options.add_argument("--releases", type=Path, help="kernels/releases.json of the repository")
            options.add_argument("--strict", action="store_true", help="exit 1 where the release is not known")
        if verb != "verify":
            seconds = limits.standstill_seconds
            options.add_argument("--patience", type=float, default=seconds, help="seconds without a step")
        if verb == "verdict":
            options.add_argument("--answer", required=True, help="a bundle that has the run")
            options.add_argument("--proof", type=Path, help="what GET /api/svc/log/proof/{index} answered")
        if verb != "rerun":
            options.add_argument("--key", required=True, help="the node's verifier key")
        if verb == "verify":
            options.add_argument("--revocations", type=Path, help="what GET /api/svc/revocations answered")
            options.add_argument("--secret", type=bytes.fromhex, help="the node's HMAC key, hexadecimal")
    return parser.parse_args()


def bytes_of(name: str) -> bytes:
    """No more of the file than is needed to see that it is too long."""
    if name == "-":
        return sys.stdin.buffer.read(limits.file_bytes + 1)
    with open(name, "rb") as file:
        return file.read(limits.file_bytes + 1)


def outcome(options: argparse.Namespace) -> dict:
    try:
        if options.verb == "verdict":
            return verdict(options)
        key = verifier_key(options.key) if options.verb == "verify" else None
        file = read_file(bytes_of(options.file))
        if options.releases:
            file.releases = json.loads(options.releases.read_bytes())
        if key:
            found = verify(file, key, options.secret, options.strict)
            if options.revocations and found["verdict"] == "SOUND":
                taken_back = revoked(options.revocations.read_bytes(), file, key)
                return {**found, "exit": 1, "verdict": "REVOKED", "revocation": taken_back} if taken_back else found
            return found
        return rerun(file, options.patience, options.strict)
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
