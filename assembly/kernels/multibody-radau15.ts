// multibody-radau15: N gravitating bodies by Gauss–Radau quadrature of order 15 with adaptive steps, for close
// encounters (Everhart 1985; IAS15 of Rein & Spiegel 2015). Tables and polynomials: ../nbody/radau.ts.
//
// A step foretells its coefficients b from the last step, then runs over the seven nodes again and again until b₆
// changes by less than 1e-16 of the acceleration or stops getting better. The next step follows from how large
// the last coefficient is: h' = h (ε / |b₆/a|)^{1/7}. A step four times too long is taken again. Positions and
// velocities are advanced by compensated addition, and so is the time: this is the one integrator whose times
// are sums. Energy is taken at every step's end.
//
// Parameters: ../nbody/problem.ts. State body: positions, velocities, carries (../nbody/bodies.ts), conserved
// quantities (../nbody/conserved.ts), then f64 t, its carry, the next h, the last h, rows kept, 0, then b and e
// of the last step (seven times x y z arrays each).
//
// The last step is cut to end at t_max. A run that goes on from an earlier one goes on from before that step, which
// it takes uncut: so it gives, to the bit, what one run to the later end gives.

import { Status } from "../kernel/status";
import {
  allocate, configure as configureFrame, countStep, fail, openState, restoreState, running, spend, stepsDone,
  watchFinite, work,
} from "../kernel/frame";
import {
  accelerationsAt, addScaled, bodiesStateBytes, count, evaluateWithOffsets, layBodies, placeBodies, positionCarriesAt,
  positionsAt, STATE_ARRAYS, stride, velocitiesAt, velocityCarriesAt,
} from "../nbody/bodies";
import { CONSERVED, layConserved, measureStart, recordEnergy, recordMomenta } from "../nbody/conserved";
import { keepContinuation, stepBefore, takeUp, timeBefore } from "../nbody/continued";
import { evaluateForce, forceCost, layForce, potentialEnergy } from "../nbody/force";
import {
  controllerEpsilon, duration, isContinued, sampling, startTime, stepCount, workLimit,
} from "../nbody/problem";
import {
  bundleBytes, COEFFICIENTS, correct, foretell, largestEntry, layTables, negate, newtonForm, node, velocityChange, wayAt,
} from "../nbody/radau";
import { continuationAt, finishRecord, keepRow, keepRowAt, layResult, layRows, showProgress } from "../nbody/record";
import { openSlice, sliceSpent, take } from "../nbody/slice";

export {
  status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const CONVERGED: f64 = 1e-16;
const MAX_ITERATIONS: i32 = 12;
/** A step is taken again when the controller wants less than this part of it; it never grows by more than 1/this. */
const SAFETY: f64 = 0.25;

// ---- what the state holds beside the bodies --------------------------------------------------------------

const CLOCK: usize = 6;
let clockAt: usize = 0;
let lastB: usize = 0;
let lastE: usize = 0;

@inline function elapsed(): f64 { return load<f64>(clockAt); }
@inline function nextStep(): f64 { return load<f64>(clockAt, 16); }
@inline function lastStep(): f64 { return load<f64>(clockAt, 24); }
@inline function rowsKept(): f64 { return load<f64>(clockAt, 32); }

// ---- scratch of one step -----------------------------------------------------------------------------------

let b: usize = 0;
let e: usize = 0;
let g: usize = 0;
/** Start of the step: accelerations, and once it is accepted the positions and velocities too. */
let a0: usize = 0;
let x0: usize = 0;
let v0: usize = 0;
/** Offsets from the positions at a node (and room for carries), and zeros. */
let offsets: usize = 0;
let zeros: usize = 0;

namespace Phase {
  export const OPEN: i32 = 0;
  export const NODES: i32 = 1;
  export const CLOSE: i32 = 2;
}
let phase: i32 = Phase.OPEN;
let bodyAt: usize = 0;
let bodyBytes: usize = 0;
let longestStep: f64 = 0;
let stepNow: f64 = 0;
let isLast: bool = false;
let nodeNow: i32 = 1;
let iteration: i32 = 0;
let lastChange: f64 = 0;
let cost: i64 = 0;
let laid: bool = false;

function layOut(): void {
  const bodies = bodiesStateBytes();
  const bundle = bodies / STATE_ARRAYS * 3 * <usize>COEFFICIENTS;
  bodyBytes = bodies + CONSERVED * 8 + CLOCK * 8 + 2 * bundle;
  bodyAt = openState(bodyBytes);
  layBodies(bodyAt);
  layConserved(bodyAt + bodies);
  clockAt = bodyAt + bodies + CONSERVED * 8;
  lastB = clockAt + CLOCK * 8;
  lastE = lastB + bundle;
  b = allocate(bundle); e = allocate(bundle); g = allocate(bundle);
  a0 = allocate(3 * stride); x0 = allocate(3 * stride); v0 = allocate(3 * stride); zeros = allocate(3 * stride);
  offsets = allocate(6 * stride);
  layForce();
  layTables();
  layRows(<i32>sampling() + 1);
  layResult(bodyBytes);
  longestStep = isContinued() ? stepBefore() : duration() / <f64>stepCount();
  watchFinite(positionsAt, 12 * (<i32>stride >> 3));
  phase = Phase.OPEN;
  laid = true;
}

// ---- the run ---------------------------------------------------------------------------------------------

/** A used instance may have been left anywhere. */
export function configure(bytes: i32): usize { laid = false; return configureFrame(bytes); }

export function start(budget: i32): i32 {
  if (isContinued()) return goOn(budget);
  if (!laid) { layOut(); placeBodies(); }
  openSlice(budget);
  if (!evaluateForce()) return 0;
  measureStart(potentialEnergy());
  recordEnergy(potentialEnergy());
  store<f64>(clockAt, longestStep, 16);
  store<f64>(clockAt, longestStep, 24);
  store<f64>(clockAt, 1, 32);
  keepRow(startTime());
  showProgress(startTime());
  return 1;
}

/** From before the earlier run's last step; the first row is where that run ended, inside a step. */
function goOn(budget: i32): i32 {
  if (!laid) {
    layOut();
    takeUp(bodyAt, bodyBytes);
    store<f64>(clockAt, 0, 32);
  }
  return resumed(budget);
}

export function restore(bytes: i32): usize {
  layOut();
  return restoreState(bytes);
}

/** A step begins with the accelerations at its start. */
export function resumed(budget: i32): i32 {
  openSlice(budget);
  offsetsAreCarries();
  if (!evaluateForce()) return 0;
  showProgress(startTime() + elapsed());
  return 1;
}

export function advance(steps: i32, budget: i32): i32 {
  openSlice(budget);
  let taken = 0;
  while (taken < steps && running()) {
    if (!continueStep()) break;
    taken++;
    if (sliceSpent()) break;
  }
  showProgress(startTime() + elapsed());
  return taken;
}

/** True when a step is done, false when the slice is spent first or no step can be made. */
function continueStep(): bool {
  if (phase == Phase.OPEN) { cost = 0; memory.copy(a0, accelerationsAt, 3 * stride); openStep(nextStep()); }
  while (phase == Phase.NODES) {
    if (!running() || !evaluateForce()) return false;
    cost += forceCost() + 40 * count;
    atNode();
  }
  if (!evaluateForce()) return false;
  closeStep();
  return true;
}

/** A step of at most h from here: foretold coefficients, first node. */
function openStep(h: f64): void {
  const left = duration() - elapsed();
  isLast = h >= left * (1.0 - 1e-12);
  stepNow = isLast ? left : h;
  if (elapsed() + stepNow == elapsed()) fail(Status.DID_NOT_CONVERGE);
  foretell(e, lastB, stepNow / lastStep());
  for (let p: usize = 0; p < bundleBytes(); p += 16) {
    const missed = f64x2.sub(v128.load(lastB + p), v128.load(lastE + p));
    v128.store(b + p, f64x2.add(v128.load(e + p), missed));
  }
  newtonForm(g, b);
  cost += 100 * count;
  iteration = 0;
  lastChange = Infinity;
  evaluateWithOffsets(offsets);
  phase = Phase.NODES;
  toNode(1);
}

function toNode(n: i32): void {
  nodeNow = n;
  wayAt(offsets, positionCarriesAt(), velocitiesAt, a0, b, stepNow, node(n));
}

function atNode(): void {
  const change = correct(nodeNow, accelerationsAt, a0, g, b);
  take(40 * count);
  if (nodeNow < COEFFICIENTS) { toNode(nodeNow + 1); return; }
  iteration++;
  const size = largestEntry(accelerationsAt);
  const error = change == 0 ? 0 : change / size;
  const settled = error < CONVERGED || (iteration > 2 && error >= lastChange) || iteration >= MAX_ITERATIONS;
  lastChange = error;
  if (settled || !(error < Infinity)) judgeStep(size); else toNode(1);
}

/** Accepts the step or takes it again, shorter. */
function judgeStep(size: f64): void {
  const largest = largestEntry(b + <usize>(COEFFICIENTS - 1) * 3 * stride);
  const error = largest == 0 ? 0 : largest / size;
  const wanted = error == 0 ? stepNow / SAFETY : stepNow * NativeMath.pow(controllerEpsilon() / error, 1.0 / 7.0);
  if (!(wanted >= SAFETY * stepNow)) {
    openStep(isFiniteStep(wanted) ? wanted : SAFETY * stepNow);
    return;
  }
  if (isLast) keepContinuation(continuationAt(), stepsDone(), longestStep, duration(), bodyAt, bodyBytes);
  accept(min(min(wanted, stepNow / SAFETY), longestStep));
}

@inline function isFiniteStep(h: f64): bool { return h > 0 && h < Infinity; }

function accept(wanted: f64): void {
  memory.copy(x0, positionsAt, 3 * stride);
  memory.copy(v0, velocitiesAt, 3 * stride);
  wayAt(offsets, zeros, v0, a0, b, stepNow, 1.0);
  addScaled(positionsAt, positionCarriesAt(), offsets, 1.0, 3 * stride);
  velocityChange(offsets, a0, b, stepNow);
  addScaled(velocitiesAt, velocityCarriesAt(), offsets, 1.0, 3 * stride);
  memory.copy(lastB, b, bundleBytes());
  memory.copy(lastE, e, bundleBytes());
  store<f64>(clockAt, wanted, 16);
  store<f64>(clockAt, stepNow, 24);
  offsetsAreCarries();
  phase = Phase.CLOSE;
}

/** The positions to their full precision. */
function offsetsAreCarries(): void {
  negate(offsets, positionCarriesAt());
  evaluateWithOffsets(offsets);
}

function closeStep(): void {
  const from = elapsed();
  tick();
  recordEnergy(potentialEnergy());
  recordMomenta();
  keepRowsFrom(from);
  phase = Phase.OPEN;
  countStep();
  spend(<u64>(cost + forceCost() + 100 * count));
  take(100 * count);
  if (isLast) finishRecord(<u64>rowsKept());
  else if (work() > workLimit()) fail(Status.DID_NOT_CONVERGE);
}

/** t ← t + h, compensated; the last step ends at t_max to the bit. */
function tick(): void {
  const addend = stepNow - load<f64>(clockAt, 8);
  const sum = elapsed() + addend;
  store<f64>(clockAt, (sum - elapsed()) - addend, 8);
  store<f64>(clockAt, isLast ? duration() : sum);
}

/** Rows at the equal time intervals that the step has passed, from its polynomial; the last one is the end itself. */
function keepRowsFrom(from: f64): void {
  const intervals = <f64>sampling(), begin = timeBefore();
  for (let k = rowsKept(); k <= intervals; k++) {
    const time = begin + k / intervals * (duration() - begin);
    if (time > elapsed() || (k == intervals && !isLast)) return;
    if (k == intervals) keepRowAt(startTime() + duration(), positionsAt);
    else {
      wayAt(offsets, zeros, v0, a0, b, stepNow, (time - from) / stepNow);
      memory.fill(offsets + 3 * stride, 0, 3 * stride);
      addScaled(offsets, offsets + 3 * stride, x0, 1.0, 3 * stride);
      keepRowAt(startTime() + time, offsets);
    }
    store<f64>(clockAt, k + 1, 32);
  }
}
