"""A kernel driven by Wasmtime (Cranelift) as docs/protocol.md, section 1, says."""

import threading

import wasmtime

from limits import kernel_memory

budget = 5_000_000

no_more_than = {
    "wasm_threads": False,
    "wasm_relaxed_simd": False,
    "wasm_tail_call": False,
    "wasm_multi_memory": False,
    "wasm_memory64": False,
    "wasm_multi_value": False,
}


class TookSteps(Exception):
    """advance() took less than none or more than it was given."""


class OutsideMemory(Exception):
    """A pointer or a length leads out of the kernel's memory."""


# A kernel that stands still through this many epochs is stopped; one epoch is a 20th of the patience.
ticks = 20


def engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.epoch_interruption = True
    for feature, wanted in no_more_than.items():
        setattr(config, feature, wanted)
    return wasmtime.Engine(config)


def let_time_pass(engine: wasmtime.Engine, patience: float) -> threading.Event:
    """Starts the epochs; they end when the event is set."""
    ended = threading.Event()

    def count():
        while not ended.wait(patience / ticks):
            engine.increment_epoch()

    threading.Thread(target=count, daemon=True).start()
    return ended


class Kernel:
    """One instance of a kernel; pointers and lengths are read as unsigned."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module):
        self.store = wasmtime.Store(engine)
        self.store.set_limits(memory_size=kernel_memory, instances=1, memories=1)
        self.store.set_epoch_deadline(ticks)
        self.furthest = (0, 0)
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory = self.exports["memory"]

    def call(self, name: str, *arguments: int) -> int:
        return self.exports[name](self.store, *arguments)

    def unsigned(self, name: str, *arguments: int) -> int:
        return self.call(name, *arguments) & 0xFFFFFFFF

    def bytes_at(self, pointer: int, length: int) -> bytes:
        self.require_inside(pointer, length)
        return bytes(self.memory.read(self.store, pointer, pointer + length))

    def require_inside(self, pointer: int, length: int) -> None:
        if pointer + length > self.memory.data_len(self.store):
            raise OutsideMemory(f"bytes {pointer} to {pointer + length} lie outside its memory")

    def begin(self, parameters: bytes) -> None:
        pointer = self.unsigned("configure", len(parameters))
        self.require_inside(pointer, len(parameters))
        self.memory.write(self.store, parameters, pointer)
        while self.call("start", budget) == 0:
            self.notice(0)

    def notice(self, steps: int) -> None:
        """A step or a work unit more than ever before gives it new time."""
        most_steps, most_work = self.furthest
        work = self.work()
        if steps > most_steps or work > most_work:
            self.furthest = max(steps, most_steps), max(work, most_work)
            self.store.set_epoch_deadline(ticks)

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


def segments_of(kernel: Kernel, parameters: bytes, steps_per_segment: int, between):
    """Drives a run; yields (k, steps, status, state, rows) at the end of each segment.

    `between(steps, work, bytes of rows so far)` is called after each call of advance; it stops the run by
    raising.
    """
    kernel.begin(parameters)
    rows, steps, k = kernel.rows(), 0, 0
    drained = len(rows)
    status, state = kernel.state()
    yield k, steps, status, state, rows
    while kernel.call("status") == 0:
        end, rows = (k + 1) * steps_per_segment, []
        while steps < end and kernel.call("status") == 0:
            asked = min(end - steps, 2**30)
            taken = kernel.call("advance", asked, budget)
            if not 0 <= taken <= asked:
                raise TookSteps(f"it took {taken} of {asked} steps")
            steps += taken
            rows.append(kernel.rows())
            drained += len(rows[-1])
            kernel.notice(steps)
            between(steps, kernel.work(), drained)
        k += 1
        status, state = kernel.state()
        yield k, steps, status, state, b"".join(rows)
