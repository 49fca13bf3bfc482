// One level of RK4 on a system of the caller's own
//
//   y' = f(t, y; parameters),   y = (y_1 … y_n)
//
// from t₀ to t_end in N equal steps (classical Runge–Kutta: Hairer, Nørsett & Wanner, Solving ODE I, table 1.2); the
// components are summed with carries (Kahan). f is formulas (assembly/expression/formulas.ts), and so are what gives the
// value and what is conserved. 17 times the state one step after a sample is kept: there the verdict holds the step
// against another method.
//
// Parameters (f64):
//   0 components n (1 … 16) · 8 t₀ · 16 h · 24 N from t₀ on · 32 steps between two samples · 40 something is conserved (1)
//   48 a motion that leaves the numbers ends the run, which still finishes (1) · 56 bytes of the formulas
//   64 earlier levels given (0, 1, 2) · 72 the step at which samples and probes begin · 80 it goes on from there (1)
//   88 n starts
//   … formulas: values are the components, t, then constants; programs are the n rates, the value, what is conserved
//   … the earlier levels' results, the coarser first · the state to go on from, as it ends a result
// State body (f64):
//   0 n components · n carries · n max|y| · it left the numbers (1) · max|value| · samples and probes as in the result
// Shown: y_1 · the component whose rate has no value to begin with (none: 0) · the last sample at which all were numbers
// Result (f64):
//   0 value · 8 n components · then, from 8 (1 + n) on:
//   0 estimate · 8 converged (1) · 16 N · 24 h · 32 samples · 40 it left the numbers (1) · 48 max|value| · 56 n max|y|
//   … samples, each 257: t · value · conserved · n components
//   … 17 probes of 1 + n: the step behind which it stands (−1: none) · n components one step later
//   … 256 times 2n: of each component, between a sample and the next, the least and the largest that rates were asked at
//   … the state to go on from: steps since t₀ (−1: none), h, max|value|, n components, n carries, n max|y|

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  parameters, parameterF64, allocate, openState, watchFinite, restoreState, openResult, show, running, fail, finish,
  spend, stepsDone, countSteps, finiteRange,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { cell, evaluateAt, openPoints, resultOf, results, setTime } from "../expression/point";
import { programCount } from "../expression/program";
import { pointWork } from "../expression/work";
import { estimateOfLevels, differenceOfLevels } from "../math/richardson";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const SAMPLES: i32 = 257;
const PROBES: i32 = 17;
const BETWEEN: i32 = 256;
const MOST_COMPONENTS: i32 = 16;
/** Refinement is enough here: a hundredth of what the gates allow, so that enclosures between the steps hold as well. */
const TOLERANCE: f64 = 1e-5;
/** Work units of a step, of a component in it, and of a sample. */
const UNITS: u64 = 10;
const UNITS_COMPONENT: u64 = 16;
const UNITS_SAMPLE: u64 = 20;

let n: i32 = 0;
let startTime: f64 = 0, h: f64 = 0;
let steps: u64 = 0, stride: u64 = 0, from: u64 = 0, base: u64 = 0;
let conserved: bool = false, mayLeave: bool = false;
let body: usize = 0, y: usize = 0, carries: usize = 0, largest: usize = 0, left: usize = 0, series: usize = 0;
let probes: usize = 0, ranges: usize = 0, range: usize = 0, spare: usize = 0, slopes: usize = 0;
let unitsPerStep: u64 = 0, unitsPerSample: u64 = 0;

@inline function at(base: usize, i: i32): usize { return base + (<usize>i << 3); }
@inline function headBytes(): usize { return 88 + (<usize>n << 3); }
/** t, value, conserved and the components, at sample `index`. */
@inline function sampleOf(column: i32, index: i32): usize { return series + (<usize>(column * SAMPLES + index) << 3); }
@inline function samplesBytes(): usize { return (<usize>((3 + n) * SAMPLES + PROBES * (1 + n) + 2 * n * BETWEEN)) << 3; }

function prepare(): bool {
  n = <i32>parameterF64(0);
  if (n < 1 || n > MOST_COMPONENTS) return false;
  startTime = parameterF64(8);
  steps = <u64>parameterF64(24);
  stride = <u64>parameterF64(32);
  conserved = parameterF64(40) == 1.0;
  mayLeave = parameterF64(48) == 1.0;
  h = parameterF64(16);
  from = <u64>parameterF64(72);
  base = goesOn() ? from : 0;
  body = openState(<usize>(3 * n + 2) * 8 + samplesBytes());
  y = body; carries = at(y, n); largest = at(carries, n); left = at(largest, n); series = left + 16;
  probes = sampleOf(3 + n, 0);
  ranges = probes + (<usize>(PROBES * (1 + n)) << 3);
  slopes = allocate(<usize>n << 3);
  spare = allocate(<usize>n << 4);
  const count = n + 1 + <i32>conserved;
  if (!openPoints(parameters() + headBytes(), <i32>parameterF64(56), n + 1, n) || programCount() != count) return false;
  if (!mayLeave) {
    watchFinite(body, 3 * n + 2);
    watchFinite(series, (3 + n) * SAMPLES + PROBES * (1 + n));
  }
  unitsPerStep = UNITS + UNITS_COMPONENT * <u64>n;
  for (let i = 0; i < n; i++) unitsPerStep += 4 * pointWork(i);
  unitsPerSample = UNITS_SAMPLE + pointWork(n) + (conserved ? pointWork(n + 1) : 0);
  return true;
}

@inline function goesOn(): bool { return parameterF64(80) == 1.0; }
@inline function stateBytes(): usize { return <usize>(3 + 3 * n) << 3; }
@inline function resultBytes(): usize { return (<usize>(1 + n) << 3) + 56 + (<usize>n << 3) + samplesBytes() + stateBytes(); }

/** Where the earlier job ended. */
function goOn(): void {
  const earlier = <usize>parameterF64(64) * resultBytes();
  const state = parameters() + headBytes() + <usize>parameterF64(56) + earlier, column = <usize>n << 3;
  store<f64>(left, load<f64>(state, 16), 8);
  memory.copy(y, state + 24, column);
  memory.copy(carries, state + 24 + column, column);
  memory.copy(largest, state + 24 + 2 * column, column);
}

function begin(): void {
  for (let i = 0; i < n; i++) {
    const start = parameterF64(88 + (<usize>i << 3));
    store<f64>(at(y, i), start);
    store<f64>(at(largest, i), abs(start));
  }
}

export function start(budget: i32): i32 {
  if (!prepare()) { refuseBlock(); return 1; }
  if (goesOn()) goOn(); else begin();
  if (!hasRates()) { fail(Status.NON_FINITE); return 1; }
  for (let j = 0; j < PROBES; j++) store<f64>(probes + <usize>j * (<usize>(1 + n) << 3), -1.0);
  if (base == from) sample(0);
  return 1;
}

/** Where a rate has no value to begin with, whichever it is is shown. */
function hasRates(): bool {
  memory.copy(cell(0), y, <usize>n << 3);
  slopesAt(startTime + <f64>base * h);
  for (let i = 0; i < n; i++) {
    if (isFinite(resultOf(i))) continue;
    show(1, <f64>i);
    return false;
  }
  return true;
}

function refuseBlock(): void {
  if (body == 0) body = openState(8);
  fail(Status.INVALID_INPUT);
}

export function restore(length: i32): usize { return prepare() ? restoreState(length) : 0; }

export function resumed(budget: i32): i32 { return 1; }

// ---- steps ---------------------------------------------------------------------------------------------

/** A component comes to x between this sample and the next; least and largest stand at `to`. */
@inline function widen(to: usize, x: f64): void {
  if (x < load<f64>(to)) store<f64>(to, x);
  if (x > load<f64>(to, 8)) store<f64>(to, x, 8);
}

/** Between the sample before the step `done` and the next; what lies before the first is kept nowhere. */
function openRange(done: u64): void {
  range = done < from ? spare : ranges + (<usize>((done - from) / stride) * <usize>n << 4);
  if (done >= from && (done - from) % stride != 0) return;
  for (let i = 0; i < n; i++) { const x = load<f64>(at(y, i)), to = range + (<usize>i << 4); store<f64>(to, x); store<f64>(to, x, 8); }
}

/** `count` steps from step `first`: y + h/6 (k₁ + 2k₂ + 2k₃ + k₄). */
function integrate(first: u64, count: u64): void {
  openRange(first);
  memory.copy(cell(0), y, <usize>n << 3);
  for (let j = first; j < first + count; j++) {
    const middle = startTime + (<f64>j + 0.5) * h;
    slopesAt(startTime + <f64>j * h);
    toStage(0.0, 1.0, 0.5 * h);
    slopesAt(middle);
    toStage(1.0, 2.0, 0.5 * h);
    slopesAt(middle);
    toStage(1.0, 2.0, h);
    slopesAt(startTime + <f64>(j + 1) * h);
    toEnd(h / 6.0);
  }
}

/** k = f(t, what stands in the cells). */
@inline function slopesAt(t: f64): void {
  setTime(t);
  evaluateAt(0, n - 1);
}

/** Components go from y along k into the cells; `sums` become kept·sums + weight·k. */
@inline function toStage(kept: f64, weight: f64, along: f64): void {
  const from = y, rates = results(), to = cell(0), sums = slopes, column = <usize>n << 3;
  let reached = range;
  for (let o: usize = 0; o < column; o += 8) {
    const slope = load<f64>(<usize>load<u32>(rates + (o >> 1))), x = load<f64>(from + o) + along * slope;
    store<f64>(sums + o, kept == 0.0 ? slope : load<f64>(sums + o) + weight * slope);
    store<f64>(to + o, x);
    widen(reached, x);
    reached += 16;
  }
}

/** y + sixth (sums + k), with carries. */
@inline function toEnd(sixth: f64): void {
  const from = y, rates = results(), to = cell(0), sums = slopes, column = <usize>n << 3;
  let reached = range;
  for (let o: usize = 0; o < column; o += 8) {
    const before = load<f64>(from + o);
    const change = sixth * (load<f64>(sums + o) + load<f64>(<usize>load<u32>(rates + (o >> 1)))) + load<f64>(carries + o), after = before + change;
    store<f64>(carries + o, change - (after - before));
    store<f64>(from + o, after);
    store<f64>(to + o, after);
    widen(reached, after);
    reached += 16;
    const size = abs(after);
    if (!(size <= load<f64>(largest + o))) store<f64>(largest + o, size);
  }
}

export function advance(allowed: i32, budget: i32): i32 {
  let open = <u64>allowed;
  const end = work() + <u64>budget;
  while (open > 0 && running() && work() < end) {
    const done = base + stepsDone(), affordable = (end - work()) / unitsPerStep + 1;
    const count = min(min(open, affordable), min(untilEvent(done), steps - done));
    integrate(done, count);
    countSteps(count);
    spend(count * unitsPerStep);
    open -= count;
    reach(done + count);
  }
  show(0, load<f64>(y));
  return allowed - <i32>open;
}

/** To the next sample, or the step behind one where a probe stands. */
@inline function untilEvent(done: u64): u64 {
  if (done < from) return from - done;
  const past = (done - from) % stride;
  return past == 0 && isProbe(done - from) ? 1 : stride - past;
}

/** So many steps after samples began. */
@inline function isProbe(passed: u64): bool { return passed % (16 * stride) == 0 && passed / (16 * stride) < <u64>PROBES; }

function reach(done: u64): void {
  const passed = done - from, isSample = done >= from && passed % stride == 0;
  if (isSample || done == steps) {
    if (finiteRange(y, n)) show(2, startTime + <f64>done * h);
    else if (mayLeave) { leave(done); return; }
  }
  if (done > from && (passed - 1) % stride == 0 && isProbe(passed - 1)) probe(passed - 1);
  if (isSample) sample(<i32>(passed / stride));
  if (done == steps) conclude();
}

/** Where refinement may follow, a step that was too long is no error. In place of the value stands until when there was one. */
function leave(done: u64): void {
  memory.fill(body, 0, <usize>(3 * n + 2) * 8);
  memory.fill(series, 0, samplesBytes());
  store<f64>(left, 1.0);
  store<f64>(left, startTime + <f64>(done - min(done, stride)) * h, 8);
  conclude();
}

function sample(index: i32): void {
  memory.copy(cell(0), y, <usize>n << 3);
  const t = startTime + <f64>(from + <u64>index * stride) * h;
  setTime(t);
  evaluateAt(n, n + <i32>conserved);
  store<f64>(sampleOf(0, index), t);
  store<f64>(sampleOf(1, index), resultOf(n));
  store<f64>(sampleOf(2, index), conserved ? resultOf(n + 1) : 0.0);
  for (let i = 0; i < n; i++) store<f64>(sampleOf(3 + i, index), load<f64>(at(y, i)));
  store<f64>(left, max(load<f64>(left, 8), abs(resultOf(n))), 8);
  spend(unitsPerSample);
}

function probe(before: u64): void {
  const to = probes + <usize>(before / (16 * stride)) * (<usize>(1 + n) << 3);
  store<f64>(to, <f64>before);
  memory.copy(to + 8, y, <usize>n << 3);
}

// ---- result --------------------------------------------------------------------------------------------

function conclude(): void {
  const own = <usize>(1 + n) << 3;
  const to = openResult(<i32>resultBytes());
  const gone = load<f64>(left) == 1.0;
  if (!gone) {
    memory.copy(cell(0), y, <usize>n << 3);
    setTime(startTime + <f64>steps * h);
    evaluateAt(n, n);
    store<f64>(to, resultOf(n));
    memory.copy(to + 8, y, <usize>n << 3);
  }
  const more = to + own;
  store<f64>(more, load<f64>(left, 8), 48);
  memory.copy(more + 56, largest, <usize>n << 3);
  memory.copy(more + 56 + (<usize>n << 3), series, samplesBytes());
  if (!gone) compareLevels(to, more);
  store<f64>(more, <f64>steps, 16);
  store<f64>(more, h, 24);
  store<f64>(more, gone ? 0.0 : <f64>((steps - from) / stride + 1), 32);
  store<f64>(more, load<f64>(left), 40);
  writeState(more + 56 + (<usize>n << 3) + samplesBytes(), gone);
  finish();
}

function writeState(to: usize, gone: bool): void {
  store<f64>(to, gone ? -1.0 : <f64>steps);
  store<f64>(to, h, 8);
  store<f64>(to, load<f64>(left, 8), 16);
  memory.copy(to + 24, y, <usize>(3 * n) << 3);
}

/** How far column k is from that of the samples at `others`. */
function seriesError(k: i32, others: usize): f64 {
  const count = <i32>((steps - from) / stride) + 1;
  let worst = 0.0;
  for (let i = 0; i < count; i++) {
    const place = <usize>(k * SAMPLES + i) << 3;
    worst = max(worst, abs(load<f64>(series + place) - load<f64>(others + place)));
  }
  return worst;
}

/** Against the coarser levels, when they are given: the worst estimate of all, and whether it is in bound. */
function compareLevels(to: usize, more: usize): void {
  const earlier = <i32>parameterF64(64);
  if (earlier == 0) return;
  const bytes = resultBytes();
  const first = parameters() + headBytes() + <usize>parameterF64(56);
  const last = first + <usize>(earlier - 1) * bytes;
  const size = max(abs(load<f64>(to)), 1e-3 * load<f64>(left, 8));
  let worst = earlier == 1
    ? 3.0 * differenceOfLevels(load<f64>(to), load<f64>(last), 1.0, size, 1.0)
    : estimateOfLevels(load<f64>(to), load<f64>(last), load<f64>(first), 4.0, size);
  for (let i = 0; i < n; i++) {
    const place = <usize>(1 + i) << 3, scale = load<f64>(at(largest, i));
    const error = differenceOfLevels(load<f64>(to + place), load<f64>(last + place), 15.0, scale, 1.0);
    if (!(error <= worst)) worst = error;
  }
  const others = last + (more - to) + 56 + (<usize>n << 3);
  for (let k = 1; k < 3 + n; k++) {
    const scale = k == 1 ? load<f64>(left, 8) : k == 2 ? 0.0 : load<f64>(at(largest, k - 3));
    if (scale > 0.0) worst = max(worst, seriesError(k, others) / (15.0 * scale));
  }
  if (!(worst <= 1e300)) worst = 1e300;
  store<f64>(more, worst);
  store<f64>(more, worst <= TOLERANCE ? 1.0 : 0.0, 8);
}
