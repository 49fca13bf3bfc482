// The frame of every kernel: parameters, state, rows, result, work and status (docs/protocol.md, 'Kernel').
// A kernel re-exports what stands here and adds start, advance, restore and resumed:
//
//   export { configure, status, state, stateLength, drain, drainLength, observe, observeLength,
//            result, resultLength, work } from "../kernel/frame";
//   export function start(budget: i32): i32 …            builds the state; 0 means: call again
//   export function advance(steps: i32, budget: i32): i32 …  → steps taken
//   export function restore(length: i32): usize …        lays out the state, then return restoreState(length)
//   export function resumed(budget: i32): i32 …          rebuilds derived data; 0 means: call again
//
// Memory is one arena behind the module's static data. configure() empties it, so that an instance can be
// used again; every byte handed out is zero. Nothing here is freed and `advance` must allocate nothing.
//
// State region: offset 0 u64 work units, 8 u64 steps done, 16 the kernel's own body (16-byte aligned).

import { Status } from "./status";

const PAGE: usize = 65536;
const HEADER: usize = 16;
const OBSERVED: i32 = 16;

let arenaEnd: usize = 0;

let parametersAt: usize = 0;
let parametersBytes: i32 = 0;

let statusCode: i32 = Status.RUNNING;

let stateAt: usize = 0;
let stateBytes: i32 = 0;

let rowsAt: usize = 0;
let rowsBytes: i32 = 0;
let rowsCapacity: i32 = 0;

let resultAt: usize = 0;
let resultBytes: i32 = 0;

let observedAt: usize = 0;
let observedCount: i32 = 0;

/** Ranges of the state that hold f64 and must be finite at a segment's end: address and count, in pairs. */
const WATCHED: i32 = 32;
let watchedAt: usize = 0;
let watchedCount: i32 = 0;

/** `bytes` zeroed bytes, 16-byte aligned; traps when the stated maximum memory is exhausted. */
export function allocate(bytes: usize): usize {
  const at = (arenaEnd + 15) & ~(<usize>15);
  const end = at + bytes;
  const have = (<usize>memory.size()) * PAGE;
  if (end > have) {
    const pages = <i32>((end - have + PAGE - 1) / PAGE);
    if (memory.grow(pages) < 0) unreachable();
  }
  memory.fill(at, 0, bytes);
  arenaEnd = end;
  return at;
}

// ---- parameters ----------------------------------------------------------------------------------------

export function configure(length: i32): usize {
  arenaEnd = __heap_base;
  statusCode = Status.RUNNING;
  stateAt = 0; stateBytes = 0;
  rowsAt = 0; rowsBytes = 0; rowsCapacity = 0;
  resultAt = 0; resultBytes = 0;
  observedCount = 0; watchedCount = 0;
  parametersBytes = length;
  parametersAt = allocate(<usize>length);
  observedAt = allocate(OBSERVED * 8);
  watchedAt = allocate(WATCHED * 2 * 8);
  return parametersAt;
}

@inline export function parameters(): usize { return parametersAt; }
@inline export function parametersLength(): i32 { return parametersBytes; }
/** The f64 at byte offset `offset` of the parameters. */
@inline export function parameterF64(offset: usize): f64 { return load<f64>(parametersAt + offset); }
/** The i32 at byte offset `offset` of the parameters. */
@inline export function parameterI32(offset: usize): i32 { return load<i32>(parametersAt + offset); }
/** A u64 that the plan wrote as two f64 of 32 bits each, low word first. */
export function parameterU64(offset: usize): u64 {
  return (<u64>parameterF64(offset)) | ((<u64>parameterF64(offset + 8)) << 32);
}

// ---- status and work -----------------------------------------------------------------------------------

export function status(): i32 { return statusCode; }
export function work(): u64 { return stateAt ? load<u64>(stateAt) : 0; }

export function finish(): void { if (statusCode == Status.RUNNING) statusCode = Status.FINISHED; }
/** The first error wins: what comes after it is its consequence. */
export function fail(code: i32): void { if (statusCode < 16) statusCode = code; }
@inline export function running(): bool { return statusCode == Status.RUNNING; }

@inline export function spend(units: u64): void { store<u64>(stateAt, load<u64>(stateAt) + units); }
@inline export function stepsDone(): u64 { return load<u64>(stateAt, 8); }
@inline export function countSteps(steps: u64): void { store<u64>(stateAt, load<u64>(stateAt, 8) + steps, 8); }
@inline export function countStep(): void { store<u64>(stateAt, load<u64>(stateAt, 8) + 1, 8); }

// ---- state ---------------------------------------------------------------------------------------------

/** Lays out a state with a body of `bytes`; returns the address of the body. */
export function openState(bytes: usize): usize {
  stateBytes = <i32>(HEADER + bytes);
  stateAt = allocate(HEADER + bytes);
  return stateAt + HEADER;
}

/** Says that `count` f64 from `at` on must be finite whenever a segment ends. */
export function watchFinite(at: usize, count: i32): void {
  if (watchedCount >= WATCHED) unreachable();
  const entry = watchedAt + (<usize>watchedCount << 4);
  store<u64>(entry, <u64>at);
  store<u64>(entry, <u64>count, 8);
  watchedCount++;
}

@inline export function isFiniteF64(x: f64): bool {
  return (reinterpret<u64>(x) & 0x7ff0000000000000) != 0x7ff0000000000000;
}

export function finiteRange(at: usize, count: i32): bool {
  const end = at + (<usize>count << 3);
  for (let p = at; p < end; p += 8) if (!isFiniteF64(load<f64>(p))) return false;
  return true;
}

/** Called at a segment's end, before status(): tests what is watched, so that slices change nothing. */
export function state(): usize {
  if (statusCode < 16) {
    for (let i = 0; i < watchedCount; i++) {
      const entry = watchedAt + (<usize>i << 4);
      if (!finiteRange(<usize>load<u64>(entry), <i32>load<u64>(entry, 8))) { fail(Status.NON_FINITE); break; }
    }
  }
  return stateAt;
}
export function stateLength(): i32 { return stateBytes; }

/** For a kernel's restore(), after it laid out its state: room for it, or 0 when the length does not fit. */
export function restoreState(length: i32): usize { return length == stateBytes ? stateAt : 0; }

// ---- rows ----------------------------------------------------------------------------------------------

/** Room for rows between two drains; when rowsFull() says so, `advance` returns and the host drains. */
export function openRows(capacity: i32): void { rowsCapacity = capacity; rowsAt = allocate(<usize>capacity); }
/** Address of a new row of `bytes`. The caller has asked rowsFull(bytes) before. */
export function appendRow(bytes: i32): usize {
  const at = rowsAt + <usize>rowsBytes;
  rowsBytes += bytes;
  return at;
}
@inline export function rowsFull(bytes: i32): bool { return rowsBytes + bytes > rowsCapacity; }
/** The rows since the last drain: ask drainLength() first, then drain(), which empties the buffer. */
export function drainLength(): i32 { return rowsBytes; }
export function drain(): usize { rowsBytes = 0; return rowsAt; }

// ---- what is shown while it runs -----------------------------------------------------------------------

/** Shows `value` as the index-th observed quantity. Never part of a digest. */
export function show(index: i32, value: f64): void {
  store<f64>(observedAt + (<usize>index << 3), value);
  if (index >= observedCount) observedCount = index + 1;
}
export function observe(): usize { return observedAt; }
export function observeLength(): i32 { return observedCount << 3; }

// ---- result --------------------------------------------------------------------------------------------

export function openResult(bytes: i32): usize { resultBytes = bytes; resultAt = allocate(<usize>bytes); return resultAt; }
/** The result stands where state or scratch stood, of which nothing is read any more: it takes no memory of its own. */
export function standResult(at: usize, bytes: i32): void { resultBytes = bytes; resultAt = at; }
export function result(): usize { return resultAt; }
/** A run that ended with an error has no result. */
export function resultLength(): i32 { return statusCode == Status.FINISHED ? resultBytes : 0; }
