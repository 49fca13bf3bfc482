// Verdict of `lattice`: holds the gates of every point again, reduces the values to one, and binds all points by a
// tree (assembly/lattice/tree.ts). Points come as the verdicts of their own jobs, or as rows of the kernel `lattice`.
//
// Of the error p|f| of each point the error of the reduction follows as a bracket, which is a gate of its own: sums may
// cancel, and of values close to each other another may be the largest.
//   max, min  [opt (f − u), opt (f + u)], u = p|f|      mean, sum  ± Σu and the rounding of the sum      at  ± u
//
// Parameters (f64; counts of bytes are to a multiple of 8):
//   0 form: 0 verdicts, 1 rows · 8 points N · 16 axes A · 24 reduce: 0 max, 1 min, 2 mean, 3 sum, 4 at · 32 at, the point
//   40 proofs P · 48 bytes of the header · with form 1, else 0: 56 programs m · 64 bindings B · 72 bytes of the programs
//   80 A × coordinates on the axis · A × the coordinates · P × point · the header
//   form 1: B × {axis, value of the programs that it sets} · B × that value along the axis · the programs
//   form 0: N × {value, precisionActual, g, g × row} · form 1: N × m rows of programs
// State body (f64): 0 worst difference of the second evaluation · 8 the row's value there · 16 the second value
// A step makes one node of the tree, and with a leaf of form 1 evaluates its point again, in double.
// Extras (f64): 0 point that the value is that of, −1 none · 8 point with the largest error · 16 root of the points
//   (8 words) · 80 SHA-256 of the header (8 words) · N values · N precisionActual
//   form 1: N uncertainties; of each further program N values, N uncertainties
//   the coordinates, axis by axis · P × {nodes of the path, height × 8 words}
//   diagnostics of the values (40)
//
// Gates: 0–10 the worst of the points (assembly/lattice/held.ts) · 11 reduction · 12 second evaluation (form 1)
// A point whose verdict does not hold by itself is shown as −1 and its number.

import {
  allocate, countStep, fail, openState, parameterF64, restoreState, running, show, spend, stepsDone, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { BOUND, closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, profileWork, writeStaticProfile } from "../diagnostics/diagnostics";
import { plainValue, setValue } from "../expression/program";
import { evaluationError, isFiniteRow, roundingError, ROW } from "../expression/row";
import { classesSeen, gateWorst, holds, openHeld, takeRow, takeRows } from "../lattice/held";
import {
  MAX_AXES, axes, axisOf, bindings, bindingsAt, coordinateCount, coordinatesAt, countOf, headerBytes, leafUnits, ofRows, openPoints,
  placeOf, points, precisionOf, programs, slotOf, valueOf,
  valuesAt,
} from "../lattice/points";
import { reduce } from "../lattice/reduction";
import { openShown, shownCount, writeShown } from "../lattice/shown";
import { addLeaf, addNode, openTree, treeNodes } from "../lattice/tree";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SECOND: i32 = 12;
/** Work units: a node, a byte of the header, all that is done once. */
const NODE: u64 = 360;
const HEADER_BYTE: u64 = 6;
const ONCE: u64 = 20000;

let body: usize = 0, digitsAt: usize = 0, scratch: usize = 0;
let again: u64 = 0;

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }

/** Makes the nodes again that were made before. */
export function resumed(budget: i32): i32 {
  const done = stepsDone();
  for (let spent: u64 = 0; again < done && spent < <u64>budget; spent += NODE) { makeNode(<i32>again); again++; }
  if (again < done) return 0;
  if (done > 0 && done == <u64>treeNodes(points)) conclude();
  return 1;
}

function prepare(): void {
  body = openState(24);
  again = 0;
  const isSound = openPoints();
  if (!isSound) fail(Status.INVALID_INPUT);
  if (points == 0) return;
  digitsAt = allocate(<usize>MAX_AXES << 3);
  openShown();
  scratch = allocate(<usize>diagnosticsScratch(points) << 3);
  openTree(points, axes);
  openHeld();
  taken = -1;
}

// ---- steps ---------------------------------------------------------------------------------------------

export function advance(steps: i32, budget: i32): i32 {
  let taken = 0;
  const end = work() + <u64>budget, all = treeNodes(points);
  while (taken < steps && running() && work() < end) {
    const step = <i32>stepsDone();
    makeNode(step);
    if (ofRows && step < points) evaluateAgain(step);
    spend(step < points ? leafUnits : NODE);
    countStep();
    taken++;
    if (step + 1 == all) { spend(ONCE + profileWork(points) + HEADER_BYTE * <u64>headerBytes); conclude(); }
  }
  return taken;
}

function makeNode(step: i32): void {
  if (step >= points) { addNode(); return; }
  let rest = step, table = coordinatesAt() + (<usize>coordinateCount << 3);
  for (let a = axes - 1; a >= 0; a--) {
    const count = countOf(a);
    table -= <usize>count << 3;
    store<f64>(digitsAt + (<usize>a << 3), parameterF64(table + (<usize>(rest % count) << 3)));
    rest /= count;
  }
  addLeaf(step, digitsAt, axes, valueOf(step));
}

/** The point in double, from its place by strides where the kernel takes remainders; keeps the worst difference. */
function evaluateAgain(point: i32): void {
  let table = bindingsAt + (<usize>bindings << 4);
  for (let b = 0; b < bindings; b++) {
    const axis = axisOf(b), count = countOf(axis);
    let stride = 1;
    for (let a = axis + 1; a < axes; a++) stride *= countOf(a);
    const line = point / stride, digit = line - (line / count) * count;
    setValue(slotOf(b), parameterF64(table + (<usize>digit << 3)));
    table += <usize>count << 3;
  }
  for (let j = 0; j < programs; j++) {
    const value = load<f64>(placeOf(point) + <usize>j * ROW), second = plainValue(j);
    const distance = abs(second - value);
    const difference = distance == 0 ? 0 : value == 0 ? 1 : distance / abs(value);
    if (difference <= load<f64>(body)) continue;
    store<f64>(body, difference);
    store<f64>(body, value, 8);
    store<f64>(body, second, 16);
  }
}

// ---- judgement -----------------------------------------------------------------------------------------

function conclude(): void {
  for (let i = 0; i < points; i++) if (!takePoint(i)) { show(0, -1); show(1, <f64>i); fail(Status.OUTSIDE_TOLERANCE); return; }
  openVerdict(classesSeen() + (ofRows ? 2 : 1), shownCount() + DIAGNOSTICS);
  gateWorst();
  const value = reduce();
  if (ofRows) gate(SECOND, Kind.ESTIMATE, load<f64>(body, 8), load<f64>(body, 16), load<f64>(body));
  writeShown();
  writeStaticProfile(extras() + (<usize>shownCount() << 3), valuesAt, points, scratch);
  closeVerdict(value);
}

/** The largest precision of a point whose rows were taken: no row of a point below it is the worst. */
let taken: f64 = -1;

function takePoint(i: i32): bool {
  const at = placeOf(i);
  if (!ofRows) { if (!holds(at)) return false; takeRows(at); return true; }
  const precision = precisionOf(i);
  for (let j = 0; j < programs; j++) if (!isFiniteRow(at + <usize>j * ROW)) return false;
  if (precision <= taken) return true;
  taken = precision;
  for (let j = 0; j < programs; j++) {
    const row = at + <usize>j * ROW;
    takeEstimate(load<f64>(row, 16), load<f64>(row), evaluationError(row));
    takeEstimate(load<f64>(row), load<f64>(row), roundingError(row));
  }
  return precision <= BOUND;
}

const ESTIMATE_ROW: usize = memory.data(48, 16);

function takeEstimate(measured: f64, reference: f64, error: f64): void {
  store<f64>(ESTIMATE_ROW, Kind.ESTIMATE, 8);
  store<f64>(ESTIMATE_ROW, measured, 16);
  store<f64>(ESTIMATE_ROW, reference, 24);
  store<f64>(ESTIMATE_ROW, error, 32);
  store<f64>(ESTIMATE_ROW, BOUND, 40);
  takeRow(ESTIMATE_ROW);
}
