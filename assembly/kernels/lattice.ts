// lattice: programs of the expression kernel at every point of a Cartesian grid of inputs, in double and in
// double-double (assembly/expression). A step is a point, row-major, the last axis running fastest. Whether the rows
// are right is for the verdict to say (assembly/verdicts/lattice.ts); what fails here is counted and named at the end.
//
// Parameters
//   0  i32 axes A · 4 i32 bindings B · 8 i32 points N · 12 i32 bytes E of the block of programs
//  16  A × i32 coordinates on the axis, then to a multiple of 8
//   …  B × i32 {axis, value of the block that the axis sets}
//   …  B × f64 {hi, lo} as many as its axis has: that value along the axis
//   …  E bytes: the block of programs (assembly/expression/program.ts)
// State body (f64): 0 points that failed · 8 of the first five of them: point, gate (−1 not finite), error
//   128 the last of them, counted from 1
// Rows (f64), N: of each program its row (assembly/expression/row.ts)
// Result (f64): N, programs
// Shown by a run that fails: points that failed; of the first five of them: point, gate (−1 not finite, −2 not offered), error

import {
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, parameterI32, parameters,
  parametersLength, restoreState, rowsFull, running, show, spend, stepsDone, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { BOUND } from "../kernel/verdict";
import { evaluateProgram, openPrograms, programCount, programWork, setWideValue, valueCount } from "../expression/program";
import { evaluationError, isFiniteRow, roundingError, ROW } from "../expression/row";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const BODY: usize = 136;
const NAMED: i32 = 5;
const MAX_AXES: i32 = 6;
const MAX_POINTS: i32 = 65536;
/** Rows between two drains. */
const BUFFER: i32 = 1024;
/** Work units of finding a point, and of setting one value. */
const POINT: u64 = 120;
const BINDING: u64 = 10;

let body: usize = 0;
let axes: i32 = 0;
let bindings: i32 = 0;
let points: i32 = 0;
let bindingsAt: usize = 0;
let tablesAt: usize = 0;
let digitsAt: usize = 0;
let rowBytes: i32 = 0;
let unitsPerPoint: u64 = 0;

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { if (stepsDone() >= <u64>points) conclude(); return 1; }

function prepare(): void {
  body = openState(BODY);
  if (!layOut()) { fail(Status.INVALID_INPUT); return; }
  digitsAt = allocate(<usize>MAX_AXES << 2);
  rowBytes = programCount() * <i32>ROW;
  openRows(BUFFER * rowBytes);
  unitsPerPoint = POINT + BINDING * <u64>bindings;
  for (let j = 0; j < programCount(); j++) unitsPerPoint += programWork(j);
}

/** The pieces of the parameters, each behind the other; false where they do not fit together. */
function layOut(): bool {
  axes = parameterI32(0); bindings = parameterI32(4); points = parameterI32(8);
  const block = parameterI32(12);
  if (axes < 1 || axes > MAX_AXES || bindings < 0 || bindings > 64 || points < 1 || points > MAX_POINTS) return false;
  bindingsAt = 16 + ((<usize>axes * 4 + 7) & ~7);
  tablesAt = bindingsAt + <usize>bindings * 8;
  if (<i32>tablesAt > parametersLength()) return false;
  let product = 1;
  for (let a = 0; a < axes; a++) {
    const count = countOf(a);
    if (count < 1 || count > MAX_POINTS || (product *= count) > MAX_POINTS) return false;
  }
  let blockAt = tablesAt;
  for (let b = 0; b < bindings; b++) {
    if (axisOf(b) < 0 || axisOf(b) >= axes) return false;
    blockAt += <usize>countOf(axisOf(b)) << 4;
  }
  if (product != points || block < 16 || <i32>blockAt + block != parametersLength()) return false;
  if (!openPrograms(parameters() + blockAt, block)) return false;
  for (let b = 0; b < bindings; b++) if (valueOf(b) < 0 || valueOf(b) >= valueCount()) return false;
  return true;
}

@inline function countOf(axis: i32): i32 { return parameterI32(16 + (<usize>axis << 2)); }
@inline function axisOf(b: i32): i32 { return parameterI32(bindingsAt + (<usize>b << 3)); }
@inline function valueOf(b: i32): i32 { return parameterI32(bindingsAt + (<usize>b << 3) + 4); }

export function advance(steps: i32, budget: i32): i32 {
  let taken = 0;
  const end = work() + <u64>budget;
  while (taken < steps && running() && work() < end && !rowsFull(rowBytes)) {
    const point = <i32>stepsDone();
    evaluatePoint(point, appendRow(rowBytes));
    spend(unitsPerPoint);
    countStep();
    taken++;
    if (point + 1 == points) conclude();
  }
  return taken;
}

function evaluatePoint(point: i32, row: usize): void {
  place(point);
  for (let j = 0; j < programCount(); j++) {
    const at = row + <usize>j * ROW;
    evaluateProgram(j, at);
    if (!running()) { note(point, -2, 0); memory.fill(at, 0, ROW); conclude(); return; }
    judge(point, at);
  }
}

/** Digits of the point in the base of the axes, and the values that they stand for. */
function place(point: i32): void {
  let rest = point;
  for (let a = axes - 1; a >= 0; a--) {
    const count = countOf(a);
    store<i32>(digitsAt + (<usize>a << 2), rest % count);
    rest /= count;
  }
  let table = parameters() + tablesAt;
  for (let b = 0; b < bindings; b++) {
    const axis = axisOf(b), digit = <usize>load<i32>(digitsAt + (<usize>axis << 2));
    const at = table + (digit << 4);
    setWideValue(valueOf(b), load<f64>(at), load<f64>(at, 8));
    table += <usize>countOf(axis) << 4;
  }
}

/** Bits of what is not a number differ between machines: such a row is zeros, and its point has failed. */
function judge(point: i32, row: usize): void {
  const evaluation = evaluationError(row), rounding = roundingError(row);
  if (!isFiniteRow(row)) { note(point, -1, 0); memory.fill(row, 0, ROW); }
  else if (!(evaluation <= BOUND)) note(point, 0, evaluation);
  else if (!(rounding <= BOUND)) note(point, 1, rounding);
}

function note(point: i32, gate: i32, error: f64): void {
  if (load<f64>(body, 128) == <f64>(point + 1)) return; // another program of the same point
  store<f64>(body, <f64>(point + 1), 128);
  const failures = <i32>load<f64>(body);
  if (failures < NAMED) {
    const at = body + 8 + <usize>failures * 24;
    store<f64>(at, <f64>point);
    store<f64>(at, <f64>gate, 8);
    store<f64>(at, error, 16);
  }
  store<f64>(body, <f64>(failures + 1));
}

function conclude(): void {
  const failures = <i32>load<f64>(body);
  if (failures == 0) {
    const at = openResult(16);
    store<f64>(at, <f64>points);
    store<f64>(at, <f64>programCount(), 8);
    finish();
    return;
  }
  const numbers = 1 + 3 * min(failures, NAMED);
  for (let i = 0; i < numbers; i++) show(i, load<f64>(body + (<usize>i << 3)));
  fail(load<f64>(body, 16) < 0 ? Status.NON_FINITE : Status.OUTSIDE_TOLERANCE);
}
