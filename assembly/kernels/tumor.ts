// Growth of a tumour and its treatment, by RK4 in y = ln(V/V∞), V∞ the volume that the model tends to:
//
//   0 Gompertz       V̇ = aV ln(K/V)           ẏ = −a y             V∞ = K
//   1 logistic       V̇ = rV (1 − V/K)         ẏ = r (1 − e^y)      V∞ = K
//   2 Richards       V̇ = rV (1 − (V/K)^ν)     ẏ = r (1 − e^{νy})   V∞ = K
//   3 Bertalanffy    V̇ = αV^{2/3} − βV        ẏ = β (e^{−y/3} − 1) V∞ = (α/β)³
//
// (Gerlee, Cancer Res. 73 (2013) 2407.) A dose D takes y to y − αD − βD² at once, the linear–quadratic law (Fowler,
// Br. J. Radiol. 62 (1989) 679), and the integration begins anew behind it. A step is at most `share` of 1/|dẏ/dy|,
// which between doses is largest where the step begins or at y = 0, and at most dt; so the steps follow the logarithm
// of the volume. A row at the time of a dose shows what is behind it. Order 4.
//
// Parameters (f64):
//   0 model · 8 rate a, r, β [1/s] · 16 ν, else 1 · 24 y₀ of V₀/V∞ given as V₀ [m³] · 32 V∞ [m³], 0: the next two ·
//   40 α [m/s] · 48 β [1/s] · 56 t_max [s] · 64 share · 72 dt [s] · 80 most steps · 88 doses n
//   96 … n times [s] in order, then n losses as 3 numbers each: dose [Gy], α [1/Gy], β [1/Gy²]
//   … of a run that goes on the state of the earlier one (../kernel/stretch.ts)
// State body (f64):  0 y · 8 row to come · 16 dose to come · 24 done of the stretch to it [s] · 32 its beginning [s]
// Rows (f64), 257 at equal times from the beginning to t_max:  0 y
// Result (f64):  0 y · 8 steps since the start · 16 state to go on from: y and dose to come

import {
  appendRow, countStep, fail, finish, openResult, openRows, openState, parameterF64, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { STRETCH, beginning, earlierBody, goesOn, keepStretch, openStretch, stepsBefore, timeOfRow } from "../kernel/stretch";
import { SMALL, smallExpm1 } from "../math/small-exponential";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const BODY: usize = 40;
const INTERVALS: i32 = 256;
const DOSES: usize = 96;
/** y and dose to come. */
const KEPT: usize = 16;
/** Work units of a step: an exponential, three that lie near it, and quotients for its length. */
const UNITS: u64 = 80;

let body: usize = 0;
let model: i32 = 0, doses: i32 = 0;
let rate: f64 = 0, exponent: f64 = 0, end: f64 = 0, share: f64 = 0, longest: f64 = 0, most: u64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  model = <i32>parameterF64(0);
  rate = parameterF64(8);
  exponent = model == 3 ? -1.0 / 3.0 : parameterF64(16);
  end = parameterF64(56);
  share = parameterF64(64);
  longest = parameterF64(72);
  most = <u64>parameterF64(80);
  doses = <i32>parameterF64(88);
  openStretch(DOSES + (<usize>doses << 5));
  body = openState(BODY);
  watchFinite(body, <i32>(BODY >> 3));
  openRows((INTERVALS + 1) * 8);
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) goOn(); else setField(0, firstDepth());
  settle(beginning());
  return 1;
}

function goOn(): void {
  setField(0, load<f64>(earlierBody()));
  setField(16, load<f64>(earlierBody(), 8));
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/** ln(V₀/V∞). */
function firstDepth(): f64 {
  const V0 = parameterF64(24), limit = parameterF64(32);
  if (limit > 0.0) return Math.log(V0 / limit);
  return Math.log(V0) - 3.0 * Math.log(parameterF64(40) / parameterF64(48));
}

// ---- the equation --------------------------------------------------------------------------------------

/** e^{νy} − 1; of Gompertz's model y itself. */
@inline function depthAt(y: f64): f64 { return model == 0 ? y : Math.expm1(exponent * y); }

/** The depth farther on, by e^{x+d} − 1 = (e^x − 1) + e^x (e^d − 1): a stage is near, and needs no exponential of its own. */
@inline function depthAfter(depth: f64, way: f64): f64 {
  return model == 0 ? depth + way : depth + (1.0 + depth) * expm1Near(exponent * way);
}

/** The default of `share` keeps d small. */
@inline function expm1Near(d: f64): f64 { return abs(d) <= SMALL ? smallExpm1(d) : Math.expm1(d); }

/** ẏ. */
@inline function growth(depth: f64): f64 { return model == 3 ? rate * depth : -rate * depth; }

/** |dẏ/dy| there or at y = 0, whichever is larger. */
@inline function steepness(depth: f64): f64 {
  return model == 0 ? rate : rate * abs(exponent) * max(1.0, 1.0 + depth);
}

function rungeKutta(y: f64, depth: f64, step: f64): f64 {
  const k1 = growth(depth);
  const k2 = growth(depthAfter(depth, 0.5 * step * k1));
  const k3 = growth(depthAfter(depth, 0.5 * step * k2));
  const k4 = growth(depthAfter(depth, step * k3));
  return y + step / 6.0 * ((k1 + k4) + 2.0 * (k2 + k3));
}

// ---- events --------------------------------------------------------------------------------------------

@inline function rowTime(row: i32): f64 { return timeOfRow(beginning(), end, row, INTERVALS); }
@inline function doseTime(dose: i32): f64 { return dose < doses ? parameterF64(DOSES + (<usize>dose << 3)) : Infinity; }

/** αD + βD². */
function loss(dose: i32): f64 {
  const at = DOSES + (<usize>doses << 3) + <usize>dose * 24;
  const D = parameterF64(at);
  return D * (parameterF64(at + 8) + D * parameterF64(at + 16));
}

/** Gives the doses that are due at t, then writes the row that is, and turns to the next stretch. */
function settle(t: f64): void {
  let row = <i32>field(8), dose = <i32>field(16);
  for (; doseTime(dose) <= t; dose++) setField(0, field(0) - loss(dose));
  if (rowTime(row) <= t) { store<f64>(appendRow(8), field(0)); row++; }
  setField(8, <f64>row);
  setField(16, <f64>dose);
  setField(24, 0.0);
  setField(32, t);
  if (row > INTERVALS) conclude();
}

/** One step towards the next event. */
function step(): void {
  const next = min(rowTime(<i32>field(8)), doseTime(<i32>field(16)));
  const left = next - field(32) - field(24), y = field(0), depth = depthAt(y);
  const count = ceil(left / min(longest, share / steepness(depth)) * (1.0 - 1e-12));
  const length = count > 1.0 ? left / count : left;
  setField(0, rungeKutta(y, depth, length));
  if (count > 1.0) setField(24, field(24) + length); else settle(next);
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const stop = work() + <u64>budget;
  let left = allowed;
  while (left > 0 && running() && work() < stop) {
    countStep();
    spend(UNITS);
    step();
    left--;
    if (stepsDone() >= most) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, field(0));
  return allowed - left;
}

function conclude(): void {
  const out = openResult(<i32>(16 + STRETCH + KEPT));
  store<f64>(out, field(0));
  store<f64>(out, stepsBefore() + <f64>stepsDone(), 8);
  const kept = keepStretch(out + 16, end, 0.0, stepsDone());
  store<f64>(kept, field(0));
  store<f64>(kept, field(16), 8);
  finish();
}
