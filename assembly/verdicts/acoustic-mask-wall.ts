// Verdict of `acoustic` for modes of cavities of cells between impedances: three meshes, the balance of decay and walls, the
// residual, the roots counted on the coarsest mesh, and the rectangle around by quartic elements on its axes.
//
// Parameters (f64): 0 c [m/s] · 8 frequencies · 16 the one that is the value, from 1 · 24, 32 columns and rows of nodes · 40 edge of a
//   cell [m] · 48 followed modes of the rectangle's axes · 56 lines of the mesh (assembly/acoustics/given-lines.ts) · result with N, with p · with N/2, N/4 · of the rectangle with N/2, one
//   frequency (assembly/kernels/acoustic-mask-wall.ts) · rows of the rectangle by its axes (assembly/kernels/acoustic-wall.ts)
// Extras (f64): 0 f [Hz] · 8 c · 16, 24 all modes are known up to this frequency [Hz] and decay rate [1/s] · 32 frequencies [Hz] ·
//   decay rates [1/s] · columns x [m] · rows y [m] · Re p · Im p · diagnostics of Re p in the lowest row, at even
//   places (40)
//
// The list is that of the finest mesh: two modes beyond that of the coarsest are there, where they stand beside it.
//
// Gates: 7 meshes · 11 decay · 12 balance · 14 residual · 13 count · 9 the rectangle around

import { allocate, countStep, fail, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { evenRow, openLines, writePlaces } from "../acoustics/given-lines";
import { leftByMeshes } from "../acoustics/meshes";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { ranked, readRows } from "../acoustics/rim";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const LINES: usize = 56;
const ROW: i32 = 5;
/** Rows beyond the list (assembly/acoustics/mask-state.ts). */
const SPARE: i32 = 2;
const ROW_OF_AXES: i32 = 10;
const SCALARS: i32 = 4;
const ONCE: u64 = 300000;
const UNITS: u64 = 10;

let listed: i32 = 0, given: i32 = 0, columns: i32 = 0, rows: i32 = 0, count: i32 = 0, order: usize = 0, results: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  listed = <i32>parameterF64(8);
  given = listed + SPARE;
  columns = <i32>parameterF64(24);
  rows = <i32>parameterF64(32);
  order = allocate(<usize>max(given, <i32>parameterF64(48)) << 2);
  results = openLines(LINES, columns, rows);
  scratch = allocate(<usize>(columns + diagnosticsScratch(columns)) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  const twin = firstOfAxes();
  readRows(parameters() + results, ROW, given);
  count = ranked(order);
  if (count < listed) fail(Status.DID_NOT_CONVERGE); else judge(twin);
  spend(<u64>(columns * rows) * UNITS + ONCE);
  countStep();
  return 1;
}

@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function hertz(k: f64): f64 { return parameterF64(0) * k / (2.0 * Math.PI); }
@inline function placed(i: i32): i32 { return load<i32>(order + (<usize>i << 2)); }

/** Where the result of a run begins: N, N/2, N/4 (level 0 … 2), the rectangle, its axes. */
function resultOf(level: i32): usize {
  const own = given * ROW + 4, all = level == 0 ? 0 : 2 * columns * rows + own + min(level - 1, 2) * own + (level == 4 ? (1 + SPARE) * ROW + 4 : 0);
  return results + (<usize>all << 3);
}
/** Number j of the row of mode i. */
@inline function ofMode(level: i32, i: i32, j: i32): f64 { return parameterF64(resultOf(level) + (<usize>(i * ROW + j) << 3)); }

/** Row of the lowest mode of the rectangle by its axes. */
function firstOfAxes(): usize {
  readRows(parameters() + resultOf(4), ROW_OF_AXES, <i32>parameterF64(48));
  return ranked(order) == 0 ? 0 : resultOf(4) + (<usize>(placed(0) * ROW_OF_AXES) << 3);
}

@inline function apart(a: i32, i: i32, b: i32, j: i32): f64 {
  return Math.hypot(ofMode(a, i, 0) - ofMode(b, j, 0), ofMode(a, i, 1) - ofMode(b, j, 1));
}

/** Whether mode i and another of the coarsest mesh became one on a finer one: that is too coarse to tell them apart. */
function isMerged(i: i32): bool {
  const size = 1e-9 * ofMode(0, i, 0);
  for (let j = 0; j < given; j++) {
    if (apart(2, i, 2, j) > 1000.0 * size && (apart(0, i, 0, j) < size || apart(1, i, 1, j) < size)) return true;
  }
  return false;
}

// ---- gates ---------------------------------------------------------------------------------------------

/** How far number j of a mode moves from mesh to mesh. */
@inline function moved(level: i32, i: i32, j: i32): f64 { return ofMode(level, i, j) - ofMode(level + 1, i, j); }

@inline function distance(level: i32, i: i32): f64 { return Math.hypot(moved(level, i, 0), moved(level, i, 1)); }

/** By how much more a mode moves at first than after: 16 times is the order of the elements. */
const AT_FIRST: f64 = 64.0;

/** Whether the mode that began on the coarsest mesh is another on a finer one: it stands where another does, or leapt and rests. */
function isLost(i: i32): bool {
  const leap = distance(1, i);
  return isMerged(i) || (leap > 1e-3 * ofMode(0, i, 0) && leap > AT_FIRST * distance(0, i));
}

/** Of a mode that is lost: how far it moved, and no less than no list may have. */
function lostError(i: i32): f64 { return max(2e-3, distance(1, i) / Math.hypot(ofMode(0, i, 0), ofMode(0, i, 1))); }

function meshes(): void {
  let worst = 0, error = -1.0, decayWorst = 0, decayError = -1.0;
  for (let place = 0; place < listed; place++) {
    const i = placed(place);
    const own = leftByMeshes(moved(0, i, 0), moved(0, i, 1), moved(1, i, 0), moved(1, i, 1), Math.hypot(ofMode(0, i, 0), ofMode(0, i, 1)));
    const ofDecay = leftByMeshes(moved(0, i, 1), 0.0, moved(1, i, 1), 0.0, ofMode(0, i, 1));
    if (!(own <= error)) { error = own; worst = i; }
    if (!(ofDecay <= decayError)) { decayError = ofDecay; decayWorst = i; }
  }
  for (let i = 0; i < given; i++) {
    if (ofMode(0, i, 0) > 0.0 && isLost(i) && !(lostError(i) <= error)) { error = lostError(i); worst = i; }
  }
  gate(7, Kind.ESTIMATE, hertz(ofMode(0, worst, 0)), hertz(ofMode(1, worst, 0)), error);
  gate(11, Kind.ESTIMATE, parameterF64(0) * ofMode(0, decayWorst, 1), parameterF64(0) * ofMode(1, decayWorst, 1), decayError);
}

/** Im k (2κ − held) = κ loss, the worst of the list, and the worst residual. */
function balance(): void {
  let worst = -1.0, dies = 0.0, taken = 0.0, residual = 0.0;
  for (let place = 0; place < listed; place++) {
    const i = placed(place);
    const left = ofMode(0, i, 1) * (2.0 * ofMode(0, i, 0) - ofMode(0, i, 3)), right = ofMode(0, i, 0) * ofMode(0, i, 2);
    const error = relativeError(left, right);
    if (!(error <= worst)) { worst = error; dies = left; taken = right; }
    if (!(ofMode(0, i, 4) <= residual)) residual = ofMode(0, i, 4);
  }
  gate(12, Kind.INVARIANT, dies, taken, worst);
  gate(14, Kind.INVARIANT, residual, 0.0, residual, 1e-6);
}

function judge(twin: usize): void {
  const mine = placed(<i32>parameterF64(16) - 1), value = hertz(ofMode(0, mine, 0));
  const found = resultOf(2) + (<usize>(given * ROW) << 3), roots = parameterF64(found), known = parameterF64(found + 8);
  openVerdict(6, SCALARS + 2 * listed + columns + rows + 2 * columns * rows + DIAGNOSTICS);
  meshes();
  balance();
  gate(13, Kind.CERTIFICATE, roots, known, abs(roots - known), 0.0);
  const re = twin == 0 ? NaN : parameterF64(twin), im = twin == 0 ? NaN : parameterF64(twin + 8);
  const off = Math.hypot(ofMode(3, 0, 0) - re, ofMode(3, 0, 1) - im) / Math.hypot(re, im);
  gate(9, Kind.TWIN, hertz(ofMode(3, 0, 0)), hertz(re), off);
  writeExtras(value, found);
  closeVerdict(value);
}

function writeExtras(value: f64, found: usize): void {
  const to = extras(), xs = to + (<usize>(SCALARS + 2 * listed) << 3), p = xs + (<usize>(columns + rows) << 3);
  put(to, 0, value);
  put(to, 1, parameterF64(0));
  put(to, 2, hertz(parameterF64(found + 16)));
  put(to, 3, parameterF64(0) * parameterF64(found + 24));
  for (let i = 0; i < listed; i++) {
    put(to, SCALARS + i, hertz(ofMode(0, placed(i), 0)));
    put(to, SCALARS + listed + i, parameterF64(0) * ofMode(0, placed(i), 1));
  }
  writePlaces(xs, parameterF64(40));
  memory.copy(p, parameters() + results + (<usize>(given * ROW + 4) << 3), <usize>(columns * rows) << 4);
  evenRow(scratch, p);
  writeStaticProfile(p + (<usize>(columns * rows) << 4), scratch, columns, scratch + (<usize>columns << 3));
}
