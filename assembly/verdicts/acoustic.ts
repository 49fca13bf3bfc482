// Verdict of `acoustic` for modes of boxes and ducts: sums of the axes' k² beside closed forms, the mode beside its own.
//
// Parameters (f64): 0 axes, 1 or 3 · 8 c [m/s] · 16 frequencies · 24 the one that is the value, from 1 · 32 pieces · then of
//   each axis left end, right end (0 rigid, 1 open), L [m], modes · pieces: length [m], S [m²], elements (of a box one
//   of each axis, S = 1) · results of the axes' runs (assembly/kernels/acoustic.ts)
// Extras (f64): 0 f [Hz] · 8 c · 16 … 32 mode on each axis · 40 frequencies [Hz] · of each axis 129 places [m], 129 p ·
//   diagnostics of the first axis (40)
//
// Gates: 0 value · 1 the worst of the list · 2 the mode

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS } from "../diagnostics/diagnostics";
import { SAMPLES, describeAxis, describedScratch } from "../acoustics/described";
import { areaOf, exactMode, exactWave, openPieces } from "../acoustics/exact";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ONCE: u64 = 300000;
const UNITS: u64 = 60000;

let axes: i32 = 0, count: i32 = 0, pieces: i32 = 0;
let found: usize = 0, exact: usize = 0, ordered: usize = 0, places: usize = 0, waves: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  axes = <i32>parameterF64(0);
  count = <i32>parameterF64(16);
  pieces = <i32>parameterF64(32);
  found = allocate(<usize>(count + 1) << 3);
  exact = allocate(<usize>(count + 1) << 3);
  ordered = allocate(<usize>(count + 1) << 3);
  places = allocate(<usize>(count + 1) << 3);
  waves = allocate(<usize>(axes * (count + 2)) << 3);
  scratch = allocate((SAMPLES + describedScratch()) << 3);
}

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function ofAxis(axis: i32, offset: usize): f64 { return parameterF64(40 + <usize>axis * 32 + offset); }
@inline function modesOf(axis: i32): i32 { return axis < axes ? <i32>ofAxis(axis, 24) : 1; }
@inline function pieceTable(): usize { return parameters() + 40 + (<usize>axes << 5); }

/** Number j of what the run of an axis found: k² of its modes, then 129 p of each. */
function ofRun(axis: i32, j: i32): f64 {
  let from = 40 + (<usize>axes << 5) + <usize>pieces * 24;
  for (let i = 0; i < axis; i++) from += <usize>(modesOf(i) * (1 + SAMPLES)) << 3;
  return parameterF64(from + (<usize>j << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  let modes: u64 = 0;
  for (let axis = 0; axis < axes; axis++) modes += <u64>modesOf(axis);
  exactWaves();
  order(found, false);
  order(exact, true);
  judge();
  spend(modes * <u64>pieces * UNITS + ONCE);
  countStep();
  return 1;
}

// ---- the list ------------------------------------------------------------------------------------------

function openAxis(axis: i32): void {
  openPieces(axes == 1 ? pieceTable() : pieceTable() + <usize>axis * 24, axes == 1 ? pieces : 1);
}

function exactWaves(): void {
  for (let axis = 0; axis < axes; axis++) {
    openAxis(axis);
    let least = Infinity, most = 0.0;
    for (let i = 0; i < (axes == 1 ? pieces : 1); i++) { least = min(least, areaOf(i)); most = max(most, areaOf(i)); }
    const bound = 2.0 * Math.PI * <f64>(modesOf(axis) + 2) * sqrt(most / least) / ofAxis(axis, 16);
    for (let i = 0; i < modesOf(axis); i++) {
      put(waves, axis * (count + 2) + i, exactWave(i, ofAxis(axis, 0) == 1.0, ofAxis(axis, 8) == 1.0, bound));
    }
  }
}

function squareOf(axis: i32, i: i32, closed: bool): f64 {
  if (axis >= axes) return 0.0;
  const k = at(waves, axis * (count + 2) + i);
  return closed ? k * k : max(0.0, ofRun(axis, i));
}

/**
 * The `count` lowest sums above 0, by insertion. A mode (i, j, l) has (i + 1)(j + 1)(l + 1) − 1 others that lie no higher,
 * of which one may be 0.
 */
function order(to: usize, closed: bool): void {
  let length = 0;
  const most = count + 2;
  for (let i = 0; i < min(most, modesOf(0)); i++) {
    for (let j = 0; j < modesOf(1) && (i + 1) * (j + 1) <= most; j++) {
      for (let l = 0; l < modesOf(2) && (i + 1) * (j + 1) * (l + 1) <= most; l++) {
        const square = squareOf(0, i, closed) + squareOf(1, j, closed) + squareOf(2, l, closed);
        if (restsAt(i, j, l)) continue;
        length = insert(to, length, square, <f64>(i + 1000 * j + 1000000 * l), !closed);
      }
    }
  }
  for (let i = 0; i < length; i++) put(to, i, parameterF64(8) * sqrt(at(to, i)) / (2.0 * Math.PI));
}

/** Whether nothing moves: the lowest mode between rigid ends, on every axis. */
function restsAt(i: i32, j: i32, l: i32): bool {
  return i + j + l == 0 && rigid(0) && rigid(1) && rigid(2);
}
function rigid(axis: i32): bool { return axis >= axes || (ofAxis(axis, 0) == 0.0 && ofAxis(axis, 8) == 0.0); }

function insert(to: usize, length: i32, square: f64, place: f64, keep: bool): i32 {
  let i = length;
  for (; i > 0 && at(to, i - 1) > square; i--) {
    if (i <= count) { put(to, i, at(to, i - 1)); if (keep) put(places, i, at(places, i - 1)); }
  }
  if (i < count) { put(to, i, square); if (keep) put(places, i, place); }
  return min(length + 1, count);
}

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  const chosen = <i32>parameterF64(24) - 1, value = at(found, chosen), reference = at(exact, chosen);
  openVerdict(3, 5 + count + 2 * axes * SAMPLES + DIAGNOSTICS);
  gate(0, Kind.EXACT, value, reference, relativeError(value, reference));
  let worst = 0, error = 0.0;
  for (let i = 0; i < count; i++) {
    const own = relativeError(at(found, i), at(exact, i));
    if (!(own <= error)) { error = own; worst = i; }
  }
  gate(1, Kind.EXACT, at(found, worst), at(exact, worst), error);
  writeExtras(value, at(places, chosen));
  closeVerdict(value);
}

function writeExtras(value: f64, place: f64): void {
  const to = extras(), code = <i32>place;
  put(to, 0, value);
  put(to, 1, parameterF64(8));
  put(to, 2, <f64>(code % 1000));
  put(to, 3, <f64>(code / 1000 % 1000));
  put(to, 4, <f64>(code / 1000000));
  memory.copy(to + 40, found, <usize>count << 3);
  let error = 0.0, measured = 0.0, reference = 0.0;
  for (let axis = 0; axis < axes; axis++) {
    const xs = to + (<usize>(5 + count + 2 * axis * SAMPLES) << 3), ps = xs + SAMPLES * 8;
    const mode = <i32>at(to, 2 + axis), k = at(waves, axis * (count + 2) + mode), open = ofAxis(axis, 0) == 1.0;
    openAxis(axis);
    const scale = scaleOf(k, open, ofAxis(axis, 16));
    for (let i = 0; i < SAMPLES; i++) {
      const x = ofAxis(axis, 16) * (<f64>i / <f64>(SAMPLES - 1)), closed = scale * exactMode(k, open, x);
      put(xs, i, x);
      put(ps, i, ofRun(axis, modesOf(axis) + mode * SAMPLES + i));
      const apart = abs(at(ps, i) - closed);
      if (!(apart <= error)) { error = apart; measured = at(ps, i); reference = closed; }
    }
  }
  gate(2, Kind.EXACT, measured, reference, error);
  const firstX = to + (<usize>(5 + count) << 3);
  writeDiagnostics(to + (<usize>(5 + count + 2 * axes * SAMPLES) << 3), firstX + SAMPLES * 8, at(waves, <i32>at(to, 2)) * ofAxis(0, 16));
}

/** So that the largest sample has size 1 and the first one above a tenth of it is positive. */
function scaleOf(k: f64, open: bool, L: f64): f64 {
  let most = 0.0, sign = 0.0;
  for (let i = 0; i < SAMPLES; i++) most = max(most, abs(exactMode(k, open, L * (<f64>i / <f64>(SAMPLES - 1)))));
  for (let i = 0; i < SAMPLES && sign == 0.0; i++) {
    const p = exactMode(k, open, L * (<f64>i / <f64>(SAMPLES - 1)));
    if (abs(p) > 0.1 * most) sign = p > 0.0 ? 1.0 : -1.0;
  }
  return sign / most;
}

/** Of p along the first axis. */
function writeDiagnostics(block: usize, p: usize, wave: f64): void {
  for (let i = 0; i < SAMPLES; i++) put(scratch, i, -wave * wave * at(p, i));
  describeAxis(block, p, scratch, pieceTable(), axes == 1 ? pieces : 1, scratch + SAMPLES * 8);
}
