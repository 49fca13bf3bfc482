// Modes of boxes and ducts between impedances: (K + ikLβC − μM) x = 0 on each axis in quartic elements, k² = Σμ
// (assembly/acoustics/walls.ts, assembly/acoustics/quartic.ts). The sum over the axes is the problem in tensor products.
//
// Each mode is followed from walls that are rigid (β = 0) or open (1/β = 0) as β, or 1/β, grows to its own by steps of t; at
// each t by sweeps of one Rayleigh quotient iteration an axis and one step of Newton's on k² − Σμ(k), with
// dμ/dk = iβ Σ x² L / xᵀMx at the walls. A step is taken when the mode is still nearly the same, xᵀMx' ≈ 1; where modes meet
// it is not, t cannot go on, and the run ends with DID_NOT_CONVERGE.
//
// Parameters: assembly/acoustics/walls.ts; then μ [1/m²] of the modes of each axis at t = 0 (assembly/kernels/acoustic.ts)
// State body (f64): 0 mode · 8 t · 16 its step · 24 sweep, 0 to begin the mode · 32, 40 k [1/m] · 48 μL² of three axes · 96 k as it was
//   at t · 112 μL² likewise · 160 sweeps of all · 168 rows of the modes · x at all nodes of the axes, as it was and as it is
// Result (f64): rows of the modes (assembly/acoustics/walls.ts) · of each axis 129 p of the mode that is the value, re and im,
//   the largest 1
//
// A step is the begin of a mode or a sweep; their number is known when they are done.

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  alike, all, beginAxis, factor, hasSpringsAlone, held, invert, loss, openAxes, partOf, sample, SAMPLES, slopeIm, slopeOf, slopeOfAxis, slopeRe,
  weighWalls,
} from "../acoustics/axis";
import { nearestRoot, nearIm, nearRe } from "../acoustics/growth";
import { muIm, muRe } from "../acoustics/line-vectors";
import { im, over, re, times } from "../math/complex";
import { ranked, readRows } from "../acoustics/rim";
import {
  axes, chosen, endType, followed, isImpeded, labelOf, lengthOf, listed, modesOf, numberIn,
  readWalls, rowNumbers, sweepsAtMost, wallsEnd,
} from "../acoustics/walls";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const UNITS: u64 = 200;
const SWEEPS: f64 = 9.0;
const FIRST: f64 = 0.125;
const LEAST: f64 = 1.0 / 4096.0;
/** How much a mode may change in a step. */
const CHANGE: f64 = 0.2;
const TOLERANCE: f64 = 1e-10;
/** Sweeps after which it may be rounding that is left. */
const ENOUGH: f64 = 5.0;
const TABLE: usize = 168;

let body: usize = 0, was: usize = 0, is: usize = 0, order: usize = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readWalls();
  openAxes();
  const table = <usize>(followed * rowNumbers()) << 3;
  body = openState(TABLE + table + (<usize>all << 5));
  watchFinite(body, 21 + followed * rowNumbers() + 4 * all);
  was = body + TABLE + table;
  is = was + (<usize>all << 4);
  order = allocate(<usize>followed << 2);
  let longest = 0.0;
  for (let axis = 0; axis < axes; axis++) longest = max(longest, lengthOf(axis));
  waveSquare = 1.0 / (longest * longest);
  rounding = 1e-15 * <f64>all * <f64>all;
}

export function start(_budget: i32): i32 { prepare(); return 1; }

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- a mode --------------------------------------------------------------------------------------------

@inline function mode(): i32 { return <i32>field(0); }

function beginMode(): void {
  let square = 0.0, at = wallsEnd();
  setField(8, 0.0);
  setField(16, FIRST);
  for (let axis = 0; axis < axes; axis++) {
    const own = parameterF64(at + (<usize>labelOf(mode(), axis) << 3));
    at += <usize>modesOf(axis) << 3;
    square += own;
    setField(48 + (<usize>axis << 4), own * lengthOf(axis) * lengthOf(axis));
  }
  setField(32, sqrt(max(0.0, square)));
  setField(40, 0.0);
  for (let axis = 0; axis < axes; axis++) {
    const to: usize = 48 + (<usize>axis << 4);
    beginAxis(axis, partOf(is, axis), 0.0, field(32), field(40), field(to), 0.0);
    setField(to, rests(axis) ? 0.0 : muRe);
    setField(to + 8, 0.0);
  }
  keep();
  predict();
}

@inline function keep(): void {
  memory.copy(body + 96, body + 32, 64);
  memory.copy(was, is, <usize>all << 4);
}

/** Nothing but k of a mode at rest moves at first: k = iβ of the walls over the length. Later it grows with t. */
function predict(): void {
  memory.copy(body + 32, body + 96, 64);
  memory.copy(is, was, <usize>all << 4);
  setField(24, 1.0);
  const t = field(8), rises = field(32) <= 1e-6 * abs(field(40)) || resting();
  if (!rises) { if (hasSpringsAlone()) foresee(t, t + field(16)); return; }
  if (t > 0.0) {
    const factor = (t + field(16)) / t;
    setField(32, field(32) * factor);
    setField(40, field(40) * factor);
    return;
  }
  slopeOf(is, field(16));
  times(0.0, 1.0, slopeRe, slopeIm);
  setField(32, re);
  setField(40, im);
}

/** Beside a spring k falls as the spring softens: k and μ at the next t with x as it is, from k² = Σμ, μ = a + ikΣβx²/L. */
function foresee(t: f64, next: f64): void {
  const kRe = field(32), kIm = field(40);
  slopeOf(is, t);
  times(kRe, kIm, -slopeIm, slopeRe);
  const heldRe = re, heldIm = im;
  times(kRe, kIm, kRe, kIm);
  const aRe = re - heldRe, aIm = im - heldIm;
  slopeOf(is, next);
  nearestRoot(aRe, aIm, slopeRe, slopeIm, 1.0, 0.0, kRe, kIm);
  setField(32, nearRe);
  setField(40, nearIm);
  for (let axis = 0; axis < axes; axis++) {
    const at: usize = 48 + (<usize>axis << 4), L = lengthOf(axis);
    slopeOfAxis(axis, is, t);
    times(kRe, kIm, -slopeIm, slopeRe);
    const wasRe = re, wasIm = im;
    slopeOfAxis(axis, is, next);
    times(nearRe, nearIm, -slopeIm, slopeRe);
    setField(at, field(at) + (re - wasRe) * L * L);
    setField(at + 8, field(at + 8) + (im - wasIm) * L * L);
  }
}

/** p is constant along this axis at t = 0. */
function rests(axis: i32): bool {
  const left = endType(axis, 0), right = endType(axis, 1);
  return labelOf(mode(), axis) == 0 && (left == 0 || left == 2) && (right == 0 || right == 2);
}

function resting(): bool {
  for (let axis = 0; axis < axes; axis++) if (!rests(axis)) return false;
  return true;
}

/** 1/L² of the longest axis. */
let waveSquare: f64 = 0;
/** Of μL²: K grows with the square of the nodes. */
let rounding: f64 = 0;

function sweep(): void {
  const t = field(8) + field(16);
  let sumRe = 0.0, sumIm = 0.0, settled = true;
  for (let axis = 0; axis < axes; axis++) {
    const at: usize = 48 + (<usize>axis << 4), oldRe = field(at), oldIm = field(at + 8), size = Math.hypot(oldRe, oldIm) + 1.0;
    const L = lengthOf(axis);
    if (isImpeded(axis)) {
      factor(axis, t, field(32), field(40), oldRe + 1e-7 * size, oldIm);
      invert(axis, partOf(is, axis), oldRe + 1e-7 * size, oldIm);
      if (!(Math.hypot(muRe - oldRe, muIm - oldIm) <= (1e-8 + rounding) * size)) settled = false;
      setField(at, muRe);
      setField(at + 8, muIm);
    }
    sumRe += field(at) / (L * L);
    sumIm += field(at + 8) / (L * L);
  }
  const off = improve(t, sumRe, sumIm), square = field(32) * field(32) + field(40) * field(40);
  setField(24, field(24) + 1.0);
  setField(160, field(160) + 1.0);
  if (field(160) > sweepsAtMost()) { fail(Status.DID_NOT_CONVERGE); return; }
  const near = off <= TOLERANCE * square || (field(24) > ENOUGH && off <= (1e-11 + rounding) * waveSquare);
  if (settled && near) accept();
  else if (field(24) > SWEEPS || !(off < 1e6 * (square + waveSquare))) halve();
}

/** A step of Newton's on k² − Σμ(k) = 0; returns how far it was from 0. */
function improve(t: f64, sumRe: f64, sumIm: f64): f64 {
  const kRe = field(32), kIm = field(40);
  slopeOf(is, t);
  times(kRe, kIm, kRe, kIm);
  const offRe = re - sumRe, offIm = im - sumIm;
  over(offRe, offIm, 2.0 * kRe + slopeIm, 2.0 * kIm - slopeRe);
  setField(32, kRe - re);
  setField(40, kIm - im);
  return Math.hypot(offRe, offIm);
}

function accept(): void {
  for (let axis = 0; axis < axes; axis++) {
    alike(axis, partOf(was, axis), partOf(is, axis));
    if (!(Math.hypot(abs(re) - 1.0, im) <= CHANGE)) { halve(); return; }
  }
  const t = field(8) + field(16);
  setField(8, t);
  setField(16, min(1.0 - t, min(0.25, 2.0 * field(16))));
  keep();
  if (t < 1.0) { predict(); return; }
  writeRow();
  setField(0, field(0) + 1.0);
  setField(24, 0.0);
}

function halve(): void {
  setField(16, 0.5 * field(16));
  if (field(16) < LEAST) { fail(Status.DID_NOT_CONVERGE); return; }
  predict();
}

function writeRow(): void {
  const row = body + TABLE + (<usize>(mode() * rowNumbers()) << 3), end = row + 16 + (<usize>axes << 4);
  memory.copy(row, body + 32, 16);
  for (let axis = 0; axis < axes; axis++) {
    const L = lengthOf(axis), to = row + 16 + (<usize>axis << 4);
    store<f64>(to, field(48 + (<usize>axis << 4)) / (L * L));
    store<f64>(to, field(56 + (<usize>axis << 4)) / (L * L), 8);
  }
  weighWalls(is);
  store<f64>(end, loss);
  store<f64>(end, held, 8);
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    if (mode() == followed) conclude();
    else if (field(24) == 0.0) beginMode();
    else sweep();
    countStep();
    spend(<u64>all * UNITS);
    taken++;
  }
  show(0, <f64>stepsDone());
  return taken;
}

function conclude(): void {
  const table = <usize>(followed * rowNumbers()) << 3, from = body + TABLE;
  readRows(from, rowNumbers(), followed);
  const count = ranked(order);
  if (count < listed) { fail(Status.DID_NOT_CONVERGE); return; }
  const out = openResult(<i32>table + ((axes * SAMPLES) << 4)), mine = load<i32>(order + (<usize>chosen << 2));
  memory.copy(out, from, table);
  setField(32, numberIn(from, mine, 0));
  setField(40, numberIn(from, mine, 1));
  for (let axis = 0; axis < axes; axis++) {
    const L = lengthOf(axis);
    beginAxis(
      axis, partOf(is, axis), 1.0, field(32), field(40), numberIn(from, mine, 2 + 2 * axis) * L * L, numberIn(from, mine, 3 + 2 * axis) * L * L,
    );
    sample(axis, partOf(is, axis), out + table + (<usize>(axis * SAMPLES) << 4));
  }
  finish();
}
