"""Executes a suite of probes in Wasmtime, by docs/protocol.md alone: sections 'Kernel' and 'Run and digests'.

    python wasmtime_engine.py SUITE OPTIONS OUTCOME [FROM]

All four are JSON files; FROM is an outcome whose checkpoints to go on from. Options: budget, backwards, checkpoints as
in test/engines/probe-run.ts, canonicalNans (Cranelift writes every NaN of arithmetic as 0x7ff8000000000000, where the
hardware sets the sign on some machines and not on others), optimization ("none" or "speed").
"""

import base64
import hashlib
import json
import sys
import time

import wasmtime

FIRST_ERROR = 16


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def u64(value):
    return value.to_bytes(8, "little")


def u32(value):
    return value.to_bytes(4, "little")


def root(leaves):
    level = [sha256(b"\0", leaf) for leaf in leaves]
    while len(level) > 1:
        above = [sha256(b"\1", a, b) for a, b in zip(level[::2], level[1::2])]
        level = above + level[len(above) * 2 :]
    return level[0] if level else sha256()


def make_engine(options):
    """No feature beyond those that the protocol allows a kernel, as far as Wasmtime lets them be refused."""
    config = wasmtime.Config()
    config.wasm_relaxed_simd = False
    config.wasm_multi_memory = False
    config.wasm_threads = False
    config.wasm_tail_call = False
    config.cranelift_opt_level = options.get("optimization", "speed")
    config.cranelift_nan_canonicalization = options.get("canonicalNans", False)
    return wasmtime.Engine(config)


class Kernel:
    """An instance: its exports as functions, and its memory, which is looked up anew after each call."""

    def __init__(self, engine, code):
        self.store = wasmtime.Store(engine)
        self.exports = wasmtime.Instance(self.store, wasmtime.Module(engine, code), []).exports(self.store)
        self.memory = self.exports["memory"]

    def call(self, name, *arguments):
        return self.exports[name](self.store, *arguments)

    def read(self, at, length):
        at &= 0xFFFFFFFF
        return bytes(self.memory.read(self.store, at, at + length))

    def write(self, data, at):
        self.memory.write(self.store, data, at & 0xFFFFFFFF)

    def block(self, name):
        return self.read(self.call(name), self.call(name + "Length"))


class Run:
    """A run that is being driven: steps, rows and digests so far."""

    def __init__(self, kernel, digest, parameters, steps_per_segment, budget):
        self.kernel, self.parameters = kernel, parameters
        self.segment_steps, self.budget = steps_per_segment, budget
        self.run_hash = sha256(
            b"SVC-RUN-1\0", bytes.fromhex(digest), u64(len(parameters)), parameters, u64(steps_per_segment)
        )
        self.steps, self.digests, self.rows, self.fresh_rows = 0, [], [], []
        self.checkpoints = []

    def drive(self, checkpoint=None):
        self.configure()
        if checkpoint:
            self.resume(checkpoint)
        else:
            while self.kernel.call("start", self.budget) == 0:
                pass
            self.take_rows()
            self.end_segment()
        while self.kernel.call("status") == 0:
            self.advance_segment()
        return self

    def configure(self):
        self.kernel.write(self.parameters, self.kernel.call("configure", len(self.parameters)))

    def resume(self, checkpoint):
        state = base64.b64decode(checkpoint["state"])
        at = self.kernel.call("restore", len(state))
        assert at != 0, "the checkpoint does not fit"
        self.kernel.write(state, at)
        while self.kernel.call("resumed", self.budget) == 0:
            pass
        self.steps = checkpoint["steps"]
        self.digests = [bytes.fromhex(digest) for digest in checkpoint["digests"]]
        self.rows = [base64.b64decode(rows) for rows in checkpoint["rows"]]

    def advance_segment(self):
        end = len(self.digests) * self.segment_steps
        while self.steps < end and self.kernel.call("status") == 0:
            self.steps += self.kernel.call("advance", min(end - self.steps, 2**30), self.budget)
            self.take_rows()
        self.end_segment()

    def take_rows(self):
        length = self.kernel.call("drainLength")
        if length > 0:
            self.fresh_rows.append(self.kernel.read(self.kernel.call("drain"), length))

    def end_segment(self):
        at = self.kernel.call("state")
        status = self.kernel.call("status")
        state = self.kernel.read(at, self.kernel.call("stateLength"))
        rows, self.fresh_rows = b"".join(self.fresh_rows), []
        sealed = b"" if status >= FIRST_ERROR else state
        k = len(self.digests)
        head = self.run_hash + u64(k) + u64(self.steps) + u32(status) + u64(len(sealed))
        self.rows.append(rows)
        self.digests.append(sha256(b"SVC-SEG-1\0", head, sealed, sha256(rows)))
        if status == 0:
            self.checkpoints.append((k, self.steps, state))

    def finished(self):
        """What the run gave, and its leaf."""
        self.result = self.kernel.block("result")
        self.work = self.kernel.call("work") & 0xFFFFFFFFFFFFFFFF
        self.root = root(self.digests)
        segments = u64(len(self.digests) - 1)
        self.leaf = sha256(
            b"SVC-RES-1\0", self.run_hash, segments, self.root, sha256(self.result), u64(self.work)
        )
        return self

    def outcome(self, with_checkpoint):
        outcome = {
            "runHash": self.run_hash.hex(),
            "status": self.kernel.call("status"),
            "steps": self.steps,
            "work": str(self.work),
            "digests": [digest.hex() for digest in self.digests],
            "root": self.root.hex(),
            "resultHash": sha256(self.result).hex(),
        }
        middle = self.middle() if with_checkpoint else None
        return {**outcome, "checkpoint": middle} if middle else outcome

    def middle(self):
        segments = len(self.digests) - 1
        if not self.checkpoints:
            return None
        k, steps, state = self.checkpoints[min(len(self.checkpoints) - 1, segments // 2)]
        if k >= segments:
            return None
        return {
            "segment": k,
            "steps": steps,
            "state": base64.b64encode(state).decode(),
            "digests": [digest.hex() for digest in self.digests[: k + 1]],
            "rows": [base64.b64encode(rows).decode() for rows in self.rows[: k + 1]],
        }


class Probing:
    def __init__(self, suite, options, resume_from):
        self.suite, self.options, self.resume_from = suite, options, resume_from
        self.engine = make_engine(options)
        self.kernels = {}
        self.blobs = {digest: base64.b64decode(text) for digest, text in suite["blobs"].items()}

    def kernel(self, digest):
        if digest not in self.kernels:
            code = base64.b64decode(self.suite["kernels"][digest])
            assert sha256(code).hex() == digest, "not the kernel of this name"
            self.kernels[digest] = Kernel(self.engine, code)
        return self.kernels[digest]

    def part(self, part, runs):
        if "bytes" in part:
            return base64.b64decode(part["bytes"])
        if "blob" in part:
            return self.blobs[part["blob"]]
        run = runs[part["run"]]
        whole = run.result if part["of"] == "result" else b"".join(run.rows)
        return whole[part["from"] : part["from"] + part["length"]]

    def job(self, index):
        runs, outcomes = [], []
        for i, probe in enumerate(self.suite["jobs"][index]["runs"]):
            parameters = b"".join(self.part(part, runs) for part in probe["parts"])
            kernel, budget = self.kernel(probe["kernel"]), self.options.get("budget", 5_000_000)
            run = Run(kernel, probe["kernel"], parameters, probe["stepsPerSegment"], budget)
            saved = self.resume_from and self.resume_from["jobs"][index]["runs"][i].get("checkpoint")
            runs.append(run.drive(saved).finished())
            outcomes.append(run.outcome(self.options.get("checkpoints", False)))
        return {"runs": outcomes, "jobRoot": root([run.leaf for run in runs]).hex()}


def main(suite_file, options_file, outcome_file, from_file=None):
    def read(file):
        with open(file, encoding="utf-8") as text:
            return json.load(text)

    began = time.process_time()
    probing = Probing(read(suite_file), read(options_file), from_file and read(from_file))
    order = range(len(probing.suite["jobs"]))
    jobs = {index: probing.job(index) for index in (reversed(order) if probing.options.get("backwards") else order)}
    outcome = {"cpuSeconds": time.process_time() - began, "jobs": [jobs[index] for index in order]}
    with open(outcome_file, "w", encoding="utf-8") as text:
        json.dump(outcome, text)


main(*sys.argv[1:])
