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
//
// Gates: 0–10 the worst of the points (assembly/lattice/held.ts) · 11 reduction · 12 second evaluation (form 1)
// A point whose verdict does not hold by itself is shown as −1 and its number.

import {
  allocate, countStep, fail, openState, parameterF64, parameters, parametersLength, restoreState, running, show, spend,
  stepsDone, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { BOUND, closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { openPrograms, plainValue, plainWork, programCount, setValue, valueCount } from "../expression/program";
import { evaluationError, isFiniteRow, roundingError, ROW } from "../expression/row";
import { classesSeen, gateWorst, holds, openHeld, takeRow, takeRows, verdictBytes } from "../lattice/held";
import { addLeaf, addNode, digestWords, inclusionPath, openTree, treeHeight, treeNodes, treeRoot } from "../lattice/tree";
import { leafCount, sum } from "../math/reduce";
import { sha256 } from "../math/sha256";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 80;
const MAX_AXES: i32 = 6;
const MAX_POINTS: f64 = 65536;
const REDUCTION: i32 = 11;
const SECOND: i32 = 12;
/** A sum of n terms by pairs rounds log₂ n times. */
const HALF_ULP: f64 = 1.1102230246251565e-16;
/** Work units: a point, a block of its leaf, a value that it sets, a node, a byte of the header, all that is done once. */
const POINT: u64 = 300;
const BLOCK: u64 = 330;
const BINDING: u64 = 10;
const NODE: u64 = 700;
const HEADER_BYTE: u64 = 6;
const ONCE: u64 = 20000;

let ofRows: bool = false;
let points: i32 = 0;
let axes: i32 = 0;
let proofs: i32 = 0;
let programs: i32 = 0;
let bindings: i32 = 0;
let headerBytes: i32 = 0;
let coordinateCount: i32 = 0;
let headerAt: usize = 0;
let bindingsAt: usize = 0;
let pointsAt: usize = 0;
let rowBytes: usize = 0;
let body: usize = 0;
let leafUnits: u64 = 0;
/** Of each point: where it stands (form 0), its value and its precision. */
let placesAt: usize = 0;
let valuesAt: usize = 0;
let precisionsAt: usize = 0;
let scratch: usize = 0;
let digitsAt: usize = 0;
let pathAt: usize = 0;
let again: u64 = 0;

// ---- parameters ----------------------------------------------------------------------------------------

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
  if (!layOut()) { points = 0; fail(Status.INVALID_INPUT); return; }
  const n = <usize>points;
  valuesAt = allocate(n << 3);
  precisionsAt = allocate(n << 3);
  placesAt = allocate(n << 3);
  scratch = allocate(<usize>leafCount(points) << 3);
  digitsAt = allocate(<usize>MAX_AXES << 3);
  pathAt = allocate(<usize>max(1, treeHeight(points)) << 5);
  openTree(points);
  openHeld();
  if (!readPoints()) fail(Status.INVALID_INPUT);
}

@inline function isCount(x: f64, least: f64, most: f64): bool { return x >= least && x <= most && floor(x) == x; }

function layOut(): bool {
  const length = parametersLength();
  if (length < <i32>HEAD) return false;
  if (!isCount(parameterF64(8), 1, MAX_POINTS) || !isCount(parameterF64(16), 1, MAX_AXES)) return false;
  if (!isCount(parameterF64(24), 0, 4) || !isCount(parameterF64(40), 0, MAX_POINTS)) return false;
  if (!isCount(parameterF64(48), 0, <f64>length) || !isCount(parameterF64(56), 0, 8)) return false;
  if (!isCount(parameterF64(64), 0, 64) || !isCount(parameterF64(72), 0, <f64>length)) return false;
  ofRows = parameterF64(0) == 1;
  points = <i32>parameterF64(8); axes = <i32>parameterF64(16); proofs = <i32>parameterF64(40);
  headerBytes = <i32>parameterF64(48); programs = <i32>parameterF64(56); bindings = <i32>parameterF64(64);
  if (ofRows && programs < 1) return false;
  if (parameterF64(24) == 4 && !isCount(parameterF64(32), 0, <f64>(points - 1))) return false;
  let at = HEAD + (<usize>axes << 3);
  if (<i32>at > length || !soundAxes()) return false;
  at += <usize>coordinateCount << 3;
  if (<i32>at > length || <i32>at + proofs * 8 > length) return false;
  for (let i = 0; i < proofs; i++) if (!isCount(parameterF64(at + (<usize>i << 3)), 0, <f64>(points - 1))) return false;
  at += <usize>proofs << 3;
  headerAt = parameters() + at;
  at += (<usize>headerBytes + 7) & ~7;
  bindingsAt = at;
  rowBytes = <usize>programs * ROW;
  leafUnits = POINT + BLOCK * (axes <= 4 ? 1 : 2);
  if (ofRows) {
    at = layOutPrograms(at, length);
    if (at == 0 || at + <usize>points * rowBytes != <usize>length) return false;
  }
  pointsAt = parameters() + at;
  return <i32>at <= length;
}

/** Where the points begin behind bindings, tables and programs; 0 where these do not fit together. */
function layOutPrograms(at: usize, length: i32): usize {
  at += <usize>bindings << 4;
  if (<i32>at > length) return 0;
  for (let b = 0; b < bindings; b++) {
    if (!isCount(parameterF64(bindingsAt + (<usize>b << 4)), 0, <f64>(axes - 1))) return 0;
    at += <usize>countOf(axisOf(b)) << 3;
  }
  const bytes = <i32>parameterF64(72);
  if (bytes < 16 || <i32>at + bytes > length || !openPrograms(parameters() + at, bytes)) return 0;
  if (programCount() != programs) return 0;
  for (let b = 0; b < bindings; b++) {
    if (!isCount(parameterF64(bindingsAt + (<usize>b << 4) + 8), 0, <f64>(valueCount() - 1))) return 0;
  }
  leafUnits += BINDING * <u64>bindings;
  for (let j = 0; j < programs; j++) leafUnits += plainWork(j);
  return at + <usize>bytes;
}

/** As many points as the axes make, and where the coordinates end. */
function soundAxes(): bool {
  let product: f64 = 1;
  coordinateCount = 0;
  for (let a = 0; a < axes; a++) {
    const count = parameterF64(HEAD + (<usize>a << 3));
    if (!isCount(count, 1, MAX_POINTS)) return false;
    product *= count;
    coordinateCount += <i32>count;
  }
  return product == <f64>points;
}

@inline function countOf(axis: i32): i32 { return <i32>parameterF64(HEAD + (<usize>axis << 3)); }
@inline function axisOf(b: i32): i32 { return <i32>parameterF64(bindingsAt + (<usize>b << 4)); }
@inline function slotOf(b: i32): i32 { return <i32>parameterF64(bindingsAt + (<usize>b << 4) + 8); }
@inline function coordinatesAt(): usize { return HEAD + (<usize>axes << 3); }
@inline function valueOf(i: i32): f64 { return load<f64>(valuesAt + (<usize>i << 3)); }
@inline function precisionOf(i: i32): f64 { return load<f64>(precisionsAt + (<usize>i << 3)); }
/** How far the true value of a point may be from the one that is there. */
@inline function errorOf(i: i32): f64 { return precisionOf(i) * abs(valueOf(i)); }

/** Value and precision of each point, and where its rows stand; false where there are more or fewer bytes. */
function readPoints(): bool {
  let at = pointsAt;
  const end = parameters() + <usize>parametersLength();
  for (let i = 0; i < points; i++) {
    const bytes = ofRows ? <i32>rowBytes : verdictBytes(at, end - at);
    if (bytes < 0) return false;
    const entry = <usize>i << 3;
    store<u64>(placesAt + entry, <u64>at);
    store<f64>(valuesAt + entry, load<f64>(at));
    store<f64>(precisionsAt + entry, ofRows ? precisionOfRows(at) : load<f64>(at, 8));
    at += <usize>bytes;
  }
  return at == end;
}

@inline function placeOf(i: i32): usize { return <usize>load<u64>(placesAt + (<usize>i << 3)); }

/** The worst of the gates of all programs. */
function precisionOfRows(at: usize): f64 {
  let worst: f64 = 0;
  for (let j = 0; j < programs; j++) {
    const row = at + <usize>j * ROW;
    worst = max(worst, max(evaluationError(row), roundingError(row)));
  }
  return worst;
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
    if (step + 1 == all) { spend(ONCE + HEADER_BYTE * <u64>headerBytes); conclude(); }
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
  const columns = ofRows ? 1 + 2 * programs : 2;
  const perProof = 1 + 8 * treeHeight(points);
  openVerdict(classesSeen() + (ofRows ? 2 : 1), 18 + columns * points + coordinateCount + proofs * perProof);
  gateWorst();
  const value = reduce();
  if (ofRows) gate(SECOND, Kind.ESTIMATE, load<f64>(body, 8), load<f64>(body, 16), load<f64>(body));
  writeExtras(perProof);
  closeVerdict(value);
}

function takePoint(i: i32): bool {
  const at = placeOf(i);
  if (!ofRows) { if (!holds(at)) return false; takeRows(at); return true; }
  for (let j = 0; j < programs; j++) {
    const row = at + <usize>j * ROW;
    if (!isFiniteRow(row)) return false;
    takeEstimate(load<f64>(row, 16), load<f64>(row), evaluationError(row));
    takeEstimate(load<f64>(row), load<f64>(row), roundingError(row));
  }
  return precisionOf(i) <= BOUND;
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

// ---- reduction -----------------------------------------------------------------------------------------

let chosen: i32 = -1;

/** The value, and its gate. */
function reduce(): f64 {
  const how = <i32>parameterF64(24);
  if (how >= 2 && how != 4) return reduceSum(how == 2);
  if (how == 4) { chosen = <i32>parameterF64(32); return bracket(valueOf(chosen), errorOf(chosen), errorOf(chosen), abs(valueOf(chosen))); }
  return reduceExtreme(how == 0 ? 1 : -1);
}

/** The largest of sign·f; the smallest for −1. */
function reduceExtreme(sign: f64): f64 {
  chosen = 0;
  let scale: f64 = 0, upper = -Infinity, lower = -Infinity;
  for (let i = 0; i < points; i++) {
    const f = sign * valueOf(i), u = errorOf(i);
    if (f > sign * valueOf(chosen)) chosen = i;
    upper = max(upper, f + u);
    lower = max(lower, f - u);
    scale = max(scale, abs(f));
  }
  const best = sign * valueOf(chosen), up = upper - best, down = best - lower;
  return sign > 0 ? bracket(best, up, down, scale) : bracket(-best, down, up, scale);
}

function reduceSum(isMean: bool): f64 {
  chosen = -1;
  let size: f64 = 0, error: f64 = 0;
  for (let i = 0; i < points; i++) { size += abs(valueOf(i)); error += errorOf(i); }
  const n = isMean ? <f64>points : 1, total = sum(valuesAt, points, scratch);
  const u = (error + <f64>(treeHeight(points) + 1) * HALF_ULP * size) / n;
  return bracket(total / n, points == 1 ? error : u, points == 1 ? error : u, size / n);
}

/** The true value lies at most `up` above and `down` below `value`. */
function bracket(value: f64, up: f64, down: f64, scale: f64): f64 {
  const far = up > down ? value + up : value - down;
  gate(REDUCTION, Kind.CERTIFICATE, value, far, relativeError(value, far, scale));
  return value;
}

// ---- extras --------------------------------------------------------------------------------------------

function writeExtras(perProof: i32): void {
  const at = extras(), n = <usize>points << 3;
  store<f64>(at, <f64>chosen);
  store<f64>(at, <f64>leastPrecise(), 8);
  digestWords(treeRoot(), at + 16);
  sha256(headerAt, headerBytes, pathAt);
  digestWords(pathAt, at + 80);
  let to = at + 144;
  memory.copy(to, valuesAt, n);
  memory.copy(to + n, precisionsAt, n);
  to += 2 * n;
  if (ofRows) to = writeColumns(to);
  memory.copy(to, parameters() + coordinatesAt(), <usize>coordinateCount << 3);
  writeProofs(to + (<usize>coordinateCount << 3), perProof);
}

function leastPrecise(): i32 {
  let worst = 0;
  for (let i = 1; i < points; i++) if (precisionOf(i) > precisionOf(worst)) worst = i;
  return worst;
}

/** Uncertainties of the first program, values and uncertainties of the others. */
function writeColumns(to: usize): usize {
  to = writeColumn(32, to);
  for (let j = 1; j < programs; j++) {
    to = writeColumn(<usize>j * ROW, to);
    to = writeColumn(<usize>j * ROW + 32, to);
  }
  return to;
}

function writeColumn(offset: usize, to: usize): usize {
  for (let i = 0; i < points; i++) store<f64>(to + (<usize>i << 3), load<f64>(placeOf(i) + offset));
  return to + (<usize>points << 3);
}

function writeProofs(to: usize, perProof: i32): void {
  const list = coordinatesAt() + (<usize>coordinateCount << 3);
  for (let i = 0; i < proofs; i++) {
    const length = inclusionPath(<i32>parameterF64(list + (<usize>i << 3)), pathAt);
    store<f64>(to, <f64>length);
    for (let k = 0; k < length; k++) digestWords(pathAt + (<usize>k << 5), to + 8 + (<usize>k << 6));
    to += <usize>perProof << 3;
  }
}
