"""What a reader takes of a stranger's file: docs/protocol.md, section 10, "Limits"."""

import shapes

file_bytes = 500_000_000
most_runs = 65_536
most_segments = 4_194_304
parameter_bytes = 1_073_741_824
kernel_memory = 2_147_483_648
output_bytes = 2_147_483_648
standstill_seconds = 60.0


def within(runs: list) -> None:
    """@raises Unreadable for runs that are too many, too long or too large"""
    shapes.require(len(runs) <= most_runs, "/runs", f"a list of at most {most_runs}")
    for i, run in enumerate(runs):
        shapes.require(run["segments"] <= most_segments, f"/runs/{i}/segments", f"at most {most_segments}")
        total = sum(length_of(part) for part in run["parts"])
        shapes.require(total <= parameter_bytes, f"/runs/{i}/parts", f"at most {parameter_bytes} bytes")


def length_of(part: dict) -> int:
    if "bytes" in part:
        return len(shapes.base64_bytes(part["bytes"], ""))
    return int(part["length"])
