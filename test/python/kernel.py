"""A kernel driven by Wasmtime (Cranelift) as docs/protocol.md, section 1, says."""

import wasmtime

budget = 5_000_000

no_more_than = {
    "wasm_threads": False,
    "wasm_relaxed_simd": False,
    "wasm_tail_call": False,
    "wasm_multi_memory": False,
    "wasm_memory64": False,
    "wasm_multi_value": False,
}


def engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    for feature, wanted in no_more_than.items():
        setattr(config, feature, wanted)
    return wasmtime.Engine(config)


class Kernel:
    """One instance of a kernel; pointers and lengths are read as unsigned."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module):
        self.store = wasmtime.Store(engine)
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory = self.exports["memory"]

    def call(self, name: str, *arguments: int) -> int:
        return self.exports[name](self.store, *arguments)

    def unsigned(self, name: str, *arguments: int) -> int:
        return self.call(name, *arguments) & 0xFFFFFFFF

    def bytes_at(self, pointer: int, length: int) -> bytes:
        return bytes(self.memory.read(self.store, pointer, pointer + length))

    def begin(self, parameters: bytes) -> None:
        self.memory.write(self.store, parameters, self.unsigned("configure", len(parameters)))
        while self.call("start", budget) == 0:
            pass

    def rows(self) -> bytes:
        length = self.unsigned("drainLength")
        return self.bytes_at(self.unsigned("drain"), length) if length > 0 else b""

    def state(self):
        """(status, state bytes); state() comes first, because it may set the status."""
        pointer = self.unsigned("state")
        status = self.call("status")
        return status, self.bytes_at(pointer, self.unsigned("stateLength"))

    def result(self) -> bytes:
        length = self.unsigned("resultLength")
        return self.bytes_at(self.unsigned("result"), length)

    def work(self) -> int:
        return self.call("work") & 0xFFFFFFFFFFFFFFFF


def segments_of(kernel: Kernel, parameters: bytes, steps_per_segment: int):
    """Drives a run; yields (k, steps, status, state, rows) at the end of each segment."""
    kernel.begin(parameters)
    rows, steps, k = kernel.rows(), 0, 0
    status, state = kernel.state()
    yield k, steps, status, state, rows
    while kernel.call("status") == 0:
        end, rows = (k + 1) * steps_per_segment, []
        while steps < end and kernel.call("status") == 0:
            steps += kernel.call("advance", min(end - steps, 2**30), budget)
            rows.append(kernel.rows())
        k += 1
        status, state = kernel.state()
        yield k, steps, status, state, b"".join(rows)
