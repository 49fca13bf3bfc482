// Lorenz' equations (J. Atmos. Sci. 20 (1963) 130, eq. 25–27) by Taylor series,
//
//   ẋ = σ(y − x),   ẏ = x(ρ − z) − y,   ż = xy − βz,
//
// whose coefficients follow one another: (k+1) xₖ₊₁ = σ(yₖ − xₖ), (k+1) yₖ₊₁ = ρxₖ − yₖ − Σ xⱼzₖ₋ⱼ,
// (k+1) zₖ₊₁ = Σ xⱼyₖ₋ⱼ − βzₖ. The step is h = (ε |X₀| / |X_p|)^{1/p}, the smaller one of the last two orders p (Jorba &
// Zou, Exp. Math. 14 (2005) 99), and a row in the midst of a step is a value of its series.
//
// Parameters (f64):
//   0 σ · 8 ρ · 16 β · 24 x₀ · 32 y₀ · 40 z₀ · 48 t_max · 56 order · 64 ε · 72 most steps
//   80 … of a run that goes on the state of the earlier one (../kernel/stretch.ts)
// State body (f64):  0 x · 8 y · 16 z · 24 t · 32 row to come
// Rows (f64), 257 at equal times from the beginning to t_max:  0 x · 8 y · 16 z
// Result (f64):  0 x · 8 y · 16 z · 24 steps since the start · 32 state to go on from: x, y, z, t before the last step,
//   which ends at t_max and is taken again in its whole length, so that its end leaves no trace

import {
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, parameterF64, restoreState, running,
  show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { STRETCH, beginning, earlierBody, goesOn, keepStretch, openStretch, stepsBefore, timeOfRow } from "../kernel/stretch";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const OWN: usize = 80;
const BODY: usize = 40;
/** x, y, z and t. */
const PLACE: usize = 32;
const ROW: i32 = 24;
const INTERVALS: i32 = 256;
/** Bytes of the coefficients of one variable. */
const SERIES: usize = 40 * 8;

let body: usize = 0, place: usize = 0, xs: usize = 0, ys: usize = 0, zs: usize = 0;
let sigma: f64 = 0, rho: f64 = 0, beta: f64 = 0, end: f64 = 0, tolerance: f64 = 0;
let order: i32 = 0, most: u64 = 0, units: u64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function coefficient(series: usize, k: i32): f64 { return load<f64>(series + (<usize>k << 3)); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  openStretch(OWN);
  sigma = parameterF64(0); rho = parameterF64(8); beta = parameterF64(16);
  end = parameterF64(48);
  order = <i32>parameterF64(56);
  tolerance = parameterF64(64);
  most = <u64>parameterF64(72);
  // Two sums of products of order² /2 terms, and two roots.
  units = <u64>(order * order + 5 * order + 60);
  body = openState(BODY);
  watchFinite(body, <i32>(BODY >> 3));
  place = allocate(PLACE);
  xs = allocate(3 * SERIES);
  ys = xs + SERIES;
  zs = ys + SERIES;
  openRows((INTERVALS + 1) * ROW);
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) { memory.copy(body, earlierBody(), PLACE); return 1; } // whose first row lies in the first step
  for (let offset: usize = 0; offset < 24; offset += 8) store<f64>(body + offset, parameterF64(24 + offset));
  memory.copy(appendRow(ROW), body, ROW);
  store<f64>(body, 1.0, 32);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- the series ----------------------------------------------------------------------------------------

function expand(): void {
  memory.copy(xs, body, 8);
  memory.copy(ys, body + 8, 8);
  memory.copy(zs, body + 16, 8);
  for (let k = 0; k < order; k++) {
    let xz = 0.0, xy = 0.0;
    for (let j = 0; j <= k; j++) {
      const xj = coefficient(xs, j);
      xz += xj * coefficient(zs, k - j);
      xy += xj * coefficient(ys, k - j);
    }
    const x = coefficient(xs, k), y = coefficient(ys, k), z = coefficient(zs, k);
    const at = <usize>(k + 1) << 3, share = 1.0 / <f64>(k + 1);
    store<f64>(xs + at, share * (sigma * (y - x)));
    store<f64>(ys + at, share * (rho * x - y - xz));
    store<f64>(zs + at, share * (xy - beta * z));
  }
}

function norm(k: i32): f64 {
  return max(abs(coefficient(xs, k)), max(abs(coefficient(ys, k)), abs(coefficient(zs, k))));
}

/** h by the coefficient of order p; of a motion that dies out tolerance · norm would be 0 before the motion is. */
function stepOf(p: i32): f64 {
  const size = norm(p);
  return size == 0.0 ? Infinity : Math.pow(tolerance * (norm(0) / size), 1.0 / <f64>p);
}

function valueOf(series: usize, s: f64): f64 {
  let sum = coefficient(series, order);
  for (let k = order - 1; k >= 0; k--) sum = sum * s + coefficient(series, k);
  return sum;
}

@inline function valuesTo(at: usize, s: f64): void {
  store<f64>(at, valueOf(xs, s));
  store<f64>(at, valueOf(ys, s), 8);
  store<f64>(at, valueOf(zs, s), 16);
}

// ---- advance -------------------------------------------------------------------------------------------

@inline function rowTime(row: i32): f64 { return timeOfRow(beginning(), end, row, INTERVALS); }

/** One step, with the rows that lie in it; the last ends at t_max. */
function step(): void {
  expand();
  const t = field(24), h = min(stepOf(order), stepOf(order - 1)), last = !(t + h < end);
  let row = <i32>field(32);
  if (last) memory.copy(place, body, PLACE);
  for (; row < INTERVALS && rowTime(row) <= t + h; row++) valuesTo(appendRow(ROW), rowTime(row) - t);
  valuesTo(body, last ? end - t : h);
  store<f64>(body, last ? end : t + h, 24);
  store<f64>(body, <f64>row, 32);
  if (last) conclude();
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const stop = work() + <u64>budget;
  let left = allowed;
  while (left > 0 && running() && work() < stop) {
    countStep();
    spend(units);
    step();
    left--;
    if (stepsDone() >= most) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, field(24));
  return allowed - left;
}

function conclude(): void {
  memory.copy(appendRow(ROW), body, ROW);
  const out = openResult(<i32>(32 + STRETCH + PLACE));
  memory.copy(out, body, 24);
  store<f64>(out, stepsBefore() + <f64>stepsDone(), 24);
  memory.copy(keepStretch(out + 32, end, 0.0, stepsDone() - 1), place, PLACE);
  finish();
}
