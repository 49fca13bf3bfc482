// zeta: Hardy's function Z(t) = e^{iθ(t)} ζ(½ + it) and its zeros (assembly/zeta: hardy.ts, grid.ts, search.ts).
//
// kind 0, profile. A step is one sample. From `from` to `to`, or, where to <= from, around `from` in sixteenths of
//   the mean spacing, so that sample 64 is `from` itself.
// kind 1 and 2, scan. Heights are walked by Gram intervals, θ(g_m) = mπ, each sampled at `density` places; a step
//   is one block of the grid (below t = 200: eight intervals). A sign change, or a dip of |Z| that reaches zero, is
//   a row. What is scanned goes beyond what was asked by 24 intervals on either side, from and to Gram points A and
//   B where (−1)^m Z(g_m) > 0, so that the verdict can close the count by Turing's method; that needs heights above
//   168π, and a scan that begins lower starts at g_{−1} = 9.67, below which there is no zero.
//   Parts 0 … parts − 1 share the Gram intervals of one scan: the cut points follow from the request alone.
//
// Parameters (f64): 0 kind (0 profile, 1 zero of index n, 2 zeros between heights) · 8 from (t, n, t1) · 16 to (t2)
//   24 part · 32 parts · 40 density
// State (f64): 0 m, Gram index where the next step begins · 8 g_m · 16, 24 the sample before: t, Z · 32, 40 the last
//   sample: t, Z · 48 zeros found · 56, 64, 72 A: zeros found below, m, g_m · 80, 88, 96 B: the same · 104, 112, 120
//   γ_n, lower, upper end. Of a profile: 0 samples done, at 128 129 t and 129 Z
// Rows: search.ts. Result of a scan: m and g_m where it began and ended (4), then state 48 … 127; of a profile: 129
//   t, 129 Z.

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  parameterF64, openState, restoreState, finish, fail, running, spend, countStep, openResult, openRows, rowsFull,
  show, watchFinite,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { fillRotations, gridStep, groupWork, LEAD, openBlock, openGrid, extendBlock, SAMPLES, TRAIL } from "../zeta/grid";
import { gramIndexBelow, gramPoint, gramPointNear, openGram } from "../zeta/gram";
import { SIEGEL_FROM, siegelTerms, termsAt, zAt, zBound, zNearby } from "../zeta/hardy";
import { fillTerms, openNearby, openTerms, termCapacity } from "../zeta/main-sum";
import { locate, ROW_BYTES, rowFromEnd, searchDip, takeFound, useGrid, zOf } from "../zeta/search";
import { meanSpacing } from "../zeta/theta";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const PROFILE: i32 = 129;
const SCALARS: i32 = 16;
/** Gram intervals that are scanned beyond A and B, and heights from where Turing's bound holds: g_291 > 168π. */
const ZONE: i64 = 24;
const LOWEST_ZONE: i64 = 291;
const EULER_INTERVALS: i64 = 8;
const ROWS_PER_STEP: i32 = 2048;
const UNSET: f64 = -2;
const OPEN: i64 = -2;
/** Work units: a term of a table, a term of a sum, the rest of an evaluation, a Gram interval's samples. */
const TERM_WORK: i32 = 200;
const SUM_WORK: f64 = 2;
const EVALUATION_WORK: f64 = 200;
const INTERVAL_WORK: i64 = 1600;
const EULER_INTERVAL_WORK: i64 = 8000;
/** … and each sample of an interval. */
const SAMPLE_WORK: i64 = 200;

let body: usize = 0;
let kind: i32 = 0;
let density: i32 = 0;
let phase: i32 = 0; // of start, scratch: 1 terms, 2 rotations
let rotationsDone: i32 = 0;
let stepIntervals: i64 = 0;
let left: i64 = 0;

// What is asked, in Gram indices: the scan begins at `first` and must contain g_low … g_high.
let first: i64 = 0;
let low: i64 = 0;
let high: i64 = 0;
let partEnd: i64 = 0; // OPEN: where B is closed
let firstHeight: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

// ---- start ---------------------------------------------------------------------------------------------

export function start(budget: i32): i32 {
  if (stateLength() == 0) lay();
  if (!derive(budget)) return 0;
  spend(<u64>(termCapacity() * TERM_WORK));
  if (kind != 0) beginScan();
  return 1;
}

export function restore(length: i32): usize { lay(); return restoreState(length); }
export function resumed(budget: i32): i32 { return derive(budget) ? 1 : 0; }

function lay(): void {
  kind = <i32>parameterF64(0);
  density = <i32>parameterF64(40);
  const floats = SCALARS + (kind == 0 ? 2 * PROFILE : 0);
  body = openState(<usize>floats << 3);
  watchFinite(body, floats);
  if (kind != 0) openRows(4 * ROWS_PER_STEP * ROW_BYTES);
  openTerms(kind == 0 ? termsOfProfile() : planScan());
  phase = 1; stepPhase = 0;
  rotationsDone = 0;
}

/** Tables that follow from the parameters; true when they are there. */
function derive(budget: i32): bool {
  left = budget;
  if (phase == 1) {
    while (!fillTerms(64)) { left -= 64 * TERM_WORK; if (left <= 0) return false; }
    if (kind != 0) openGrid(termCapacity());
    else openNearby();
    phase = 2;
  }
  if (kind != 0) {
    while (rotationsDone < termCapacity()) {
      const to = min(rotationsDone + 1024, termCapacity());
      fillRotations(rotationsDone, to);
      rotationsDone = to;
      left -= 8192;
      if (left <= 0 && to < termCapacity()) return false;
    }
  }
  return true;
}

function termsOfProfile(): i32 {
  const from = profileHeight(0), to = profileHeight(PROFILE - 1);
  return max(termsAt(max(from, to)), termsAt(min(max(from, to), SIEGEL_FROM - 1.0))) + 4;
}

/** Sets first, low, high and this part's end; returns the number of terms at most needed. */
function planScan(): i32 {
  const from = parameterF64(8), to = parameterF64(16);
  if (kind == 1) { low = <i64>from - 5; high = <i64>from + 3; }
  else { low = gramIndexBelow(from); high = gramIndexBelow(to) + 1; }
  first = low - ZONE - 4;
  if (first < LOWEST_ZONE) { first = -1; low = -1; }
  high = max(high, LOWEST_ZONE);
  const parts = <i64>parameterF64(32), part = <i64>parameterF64(24);
  const begin = first + (high - first) * part / parts;
  partEnd = part + 1 == parts ? OPEN : first + (high - first) * (part + 1) / parts;
  const top = gramPoint((partEnd == OPEN ? high : partEnd) + 2 * ZONE);
  first = begin;
  firstHeight = gramPoint(begin);
  return max(siegelTerms(top), termsAt(SIEGEL_FROM - 1.0)) + 4;
}

function beginScan(): void {
  useGrid(false);
  const z = zAt(firstHeight);
  setField(0, <f64>first);
  setField(8, firstHeight);
  setField(16, firstHeight); setField(24, z);
  setField(32, firstHeight); setField(40, z);
  setField(64, UNSET); setField(88, UNSET);
  noteGram(first, firstHeight, z);
}

// ---- advance -------------------------------------------------------------------------------------------

export function advance(steps: i32, budget: i32): i32 {
  left = budget;
  let done = 0;
  while (done < steps && running()) {
    if (kind == 0) sampleProfile();
    else {
      if (rowsFull(ROWS_PER_STEP * ROW_BYTES)) break;
      if (!scanBlock()) break;
    }
    countStep();
    done++;
    if (left <= 0) break;
  }
  return done;
}

function charge(units: i64): void { spend(<u64>units); left -= units; }

// ---- profile -------------------------------------------------------------------------------------------

function profileHeight(j: i32): f64 {
  const from = parameterF64(8), to = parameterF64(16);
  if (to > from) return from + (to - from) * (<f64>j / <f64>(PROFILE - 1));
  return from + <f64>(j - (PROFILE - 1) / 2) * (meanSpacing(from) / 16.0);
}

/** Eight samples or more between two anchors. */
@inline function samplesAreNear(): bool { return abs(profileHeight(1) - profileHeight(0)) <= 0.5; }

/** Z is even in t. */
function sampleProfile(): void {
  const j = <i32>field(0), at = body + <usize>SCALARS * 8 + (<usize>j << 3);
  const t = profileHeight(j), height = abs(t);
  store<f64>(at, t);
  store<f64>(at + PROFILE * 8, samplesAreNear() ? zNearby(height) : zAt(height));
  setField(0, <f64>(j + 1));
  charge(<i64>(SUM_WORK * <f64>termsAt(height) + EVALUATION_WORK));
  show(0, <f64>(j + 1));
  if (j + 1 < PROFILE) return;
  memory.copy(openResult(2 * PROFILE * 8), body + <usize>SCALARS * 8, 2 * PROFILE * 8);
  finish();
}

// ---- scan ----------------------------------------------------------------------------------------------

let stepPhase: i32 = 0;

/** One block; false while it goes on. */
function scanBlock(): bool {
  if (stepPhase == 0) openStep();
  if (stepPhase == 1) {
    while (left > 0) {
      const ready = extendBlock(64);
      left -= 64 * groupWork(SAMPLES);
      if (ready) { stepPhase = 2; break; }
    }
    if (stepPhase == 1) return false;
  }
  walk();
  stepPhase = 0;
  return true;
}

function openStep(): void {
  const m = <i64>field(0), t = field(8);
  useGrid(t >= SIEGEL_FROM);
  if (t < SIEGEL_FROM) {
    stepIntervals = EULER_INTERVALS;
    stepPhase = 2;
    spend(<u64>(EULER_INTERVALS * (EULER_INTERVAL_WORK + density * SAMPLE_WORK)));
    return;
  }
  const spacing = meanSpacing(t), delta = gridStep();
  const most = <i64>floor(<f64>(SAMPLES - LEAD - TRAIL - 2) * delta / spacing);
  stepIntervals = max(<i64>1, min(most, intervalsLeft(m)));
  const count = LEAD + TRAIL + 2 + <i32>ceil(<f64>stepIntervals * spacing / delta);
  openBlock(t - <f64>LEAD * delta, min(count, SAMPLES));
  spend(<u64>((siegelTerms(t) + 3) / 4 * groupWork(min(count, SAMPLES))) + <u64>(stepIntervals * (INTERVAL_WORK + density * SAMPLE_WORK)));
  stepPhase = 1;
}

/** Gram intervals from m to where the scan may end. */
function intervalsLeft(m: i64): i64 {
  if (partEnd != OPEN) return partEnd - m;
  return (field(88) == UNSET ? max(high, m) : <i64>field(88)) + ZONE - m;
}

/** Samples the Gram intervals of the step. */
function walk(): void {
  let m = <i64>field(0);
  if (field(8) >= 30.0) openGram(field(8));
  for (let i: i64 = 0; i < stepIntervals; i++) {
    walkInterval(m);
    m++;
    noteGram(m, field(32), field(40));
    if (scanIsOver(m)) { closeScan(m); break; }
  }
  setField(0, <f64>m);
  setField(8, field(32));
  left -= stepIntervals * INTERVAL_WORK;
  show(0, field(32)); show(1, field(48));
}

function walkInterval(m: i64): void {
  const begin = field(32);
  const end = m + 1 == partEnd || field(8) < 30.0 ? gramPoint(m + 1) : gramPointNear(m + 1, begin + meanSpacing(begin));
  for (let j = 1; j <= density; j++) {
    const t = j == density ? end : begin + (end - begin) * (<f64>j / <f64>density);
    if (kind == 2) { visitBetween(parameterF64(8), t); visitBetween(parameterF64(16), t); }
    visit(t);
  }
}

/** A height that was asked for is a sample, so that no bracket lies across it. */
function visitBetween(asked: f64, t: f64): void { if (asked > field(32) && asked < t) visit(asked); }

function visit(t: f64): void {
  const z = zOf(t), t0 = field(16), z0 = field(24), t1 = field(32), z1 = field(40);
  // A sample stands for the two before it after a dip, so that no dip is found twice.
  let before = t1, zBefore = z1;
  if ((z > 0.0) != (z1 > 0.0)) locate(t1, z1, t, z);
  else if (t0 < t1 && (z0 > 0.0) == (z1 > 0.0) && searchDip(t0, z0, t1, z1, t, z)) { before = t; zBefore = z; }
  const zeros = takeFound();
  if (zeros > 0) count(zeros);
  setField(16, before); setField(24, zBefore);
  setField(32, t); setField(40, z);
}

/** Counts `zeros` new rows; one of them may be the zero of index n, A + 1 zeros lying below A. */
function count(zeros: i32): void {
  const total = field(48) + <f64>zeros;
  setField(48, total);
  if (kind != 1 || field(64) == UNSET || field(104) != 0.0) return;
  const beyond = (total - field(56)) - (parameterF64(8) - (field(64) + 1.0));
  if (beyond < 0.0) return;
  memory.copy(body + 104, rowFromEnd(<i32>beyond), 24);
}

/** A is the last good Gram point up to g_low, B the first from g_high on. */
function noteGram(m: i64, t: f64, z: f64): void {
  const good = ((m & 1) == 0 ? z : -z) > zBound(t);
  if (!good) return;
  if (m <= low && parameterF64(24) == 0.0) noteAt(56, m, t);
  if (m >= high && partEnd == OPEN && field(88) == UNSET) noteAt(80, m, t);
}

function noteAt(offset: usize, m: i64, t: f64): void {
  setField(offset, field(48)); setField(offset + 8, <f64>m); setField(offset + 16, t);
}

function scanIsOver(m: i64): bool {
  if (partEnd != OPEN) return m == partEnd;
  return field(88) == UNSET ? m > high + 4 * ZONE : m >= <i64>field(88) + ZONE;
}

function closeScan(m: i64): void {
  const out = openResult(14 * 8);
  store<f64>(out, <f64>first); store<f64>(out, firstHeight, 8);
  store<f64>(out, <f64>m, 16); store<f64>(out, field(32), 24);
  memory.copy(out + 32, body + 48, 10 * 8);
  if (partEnd == OPEN && field(88) == UNSET) fail(Status.DID_NOT_CONVERGE);
  finish();
}
