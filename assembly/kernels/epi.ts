// Epidemics, SIR and SEIR (Kermack & McKendrick, Proc. R. Soc. A 115 (1927) 700), by RK4 in x = ln(S/S₀), E, I, R:
//
//   ẋ = −βI/N      SIR:  İ = βSI/N − γI      SEIR:  Ė = βSI/N − σE,  İ = σE − γI      Ṙ = γI,  S = S₀ eˣ
//
// S is positive whatever the step does, and a population without susceptibles needs no case of its own. eˣ is carried
// along, each step by the exponential of its own small change, and so is no exponential of x. R counts those
// who recover after the start. The run goes to t_max in equal steps, then on in tail steps until the epidemic is over:
// I+E ≤ 1e-9 N, and those still to be infected, at most (I+E) r/(1−r) with r = βS/(γN) < 1, are under 1e-7 of all
// ever infected. Where İ falls through 0 the step is cut by Newton's method at the maximum of I.
// Order 4. Hairer, Nørsett & Wanner, Solving ODE I, table II.1.2.
//
// Parameters (f64):
//   0 model: 0 SIR, 1 SEIR · 8 N · 16 S₀ · 24 E₀ · 32 I₀ · 40 β [1/s] · 48 γ [1/s] · 56 σ [1/s] · 64 t_max [s]
//   72 steps per row; of rows, 256 · 80 tail step [s] · 88 most tail steps
//   96 … of a run that goes on the state of the earlier one (../kernel/stretch.ts)
// State body (f64):  0 x · 8 E · 16 I · 24 R · 32 eˣ · 40 largest I · 48 its time [s] · 56 the same seven at t_max
// Rows (f64), 257 at equal times from the beginning to t_max:  0 x · 8 E · 16 I · 24 R
// Result (f64), at the end of the tail:  0 x · 8 E · 16 I · 24 R · 32 largest I · 40 its time [s] · 48 time [s]
//   56 state to go on from: the seven at t_max

import {
  allocate, appendRow, countSteps, fail, finish, openResult, openRows, openState, parameterF64, restoreState, running,
  show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { STRETCH, beginning, beginningIn, earlierBody, goesOn, keepStretch, openStretch } from "../kernel/stretch";
import { SMALL, smallExpm1 } from "../math/small-exponential";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const OWN: usize = 96;
const SEVEN: usize = 56;
const BODY: usize = 2 * SEVEN;
const ROW: i32 = 32;
const INTERVALS: u64 = 256;
/** Work units of a step: four exponentials of what is small. */
const UNITS: u64 = 40;

let body: usize = 0, trial: usize = 0;
let latent: bool = false;
let susceptible: f64 = 0, contact: f64 = 0, gamma: f64 = 0, sigma: f64 = 0, population: f64 = 0, infected: f64 = 0;
let steps: u64 = 0, stepsPerRow: u64 = 0, mostTail: u64 = 0;
let small: bool = false;
let h: f64 = 0, tailStep: f64 = 0, end: f64 = 0;
let begun: f64 = 0; // steps of h before this run

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  openStretch(OWN);
  latent = parameterF64(0) == 1.0;
  population = parameterF64(8);
  susceptible = parameterF64(16);
  infected = parameterF64(24) + parameterF64(32);
  contact = parameterF64(40) / population;
  gamma = parameterF64(48);
  sigma = parameterF64(56);
  end = parameterF64(64);
  stepsPerRow = <u64>parameterF64(72);
  steps = INTERVALS * stepsPerRow;
  h = (end - beginning()) / <f64>steps;
  begun = beginningIn(h);
  tailStep = parameterF64(80);
  mostTail = <u64>parameterF64(88);
  body = openState(BODY);
  watchFinite(body, <i32>(BODY >> 3));
  trial = allocate(40);
  openRows(<i32>(INTERVALS + 1) * ROW);
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) memory.copy(body, earlierBody(), SEVEN); else begin();
  writeRow();
  return 1;
}

function begin(): void {
  store<f64>(body, parameterF64(24), 8);
  store<f64>(body, parameterF64(32), 16);
  store<f64>(body, 1.0, 32);
  store<f64>(body, parameterF64(32), 40);
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- the equation --------------------------------------------------------------------------------------

/** New infections per second; `grown` is eˣ. */
@inline function infections(grown: f64, I: f64): f64 { return contact * susceptible * grown * I; }
/** Who becomes infectious per second. */
@inline function onset(fresh: f64, E: f64): f64 { return latent ? sigma * E : fresh; }

/** İ. */
@inline function slope(grown: f64, E: f64, I: f64): f64 { return onset(infections(grown, I), E) - gamma * I; }

/** Ï, for Newton's method. */
function curvature(grown: f64, E: f64, I: f64): f64 {
  const fresh = infections(grown, I), rise = onset(fresh, E) - gamma * I;
  const change = latent ? sigma * (fresh - sigma * E) : contact * (susceptible * grown * rise - fresh * I);
  return change - gamma * rise;
}

/** e^{x−d} of eˣ: a step of the default is so small that d ≤ hβ needs no exponential. */
@inline function grownAfter(grown: f64, d: f64): f64 { return grown + grown * (small ? smallExpm1(-d) : Math.expm1(-d)); }

/** One step of length `step` from the body's state to `trial`. */
function rungeKutta(step: f64): void {
  const half = 0.5 * step, sixth = step / 6.0;
  const x = field(0), E = field(8), I = field(16), grown = field(32);
  const f1 = infections(grown, I), o1 = onset(f1, E), E1 = f1 - o1, I1 = o1 - gamma * I;
  const Ib = I + half * I1, Eb = E + half * E1;
  const f2 = infections(grownAfter(grown, half * contact * I), Ib), o2 = onset(f2, Eb), E2 = f2 - o2, I2 = o2 - gamma * Ib;
  const Ic = I + half * I2, Ec = E + half * E2;
  const f3 = infections(grownAfter(grown, half * contact * Ib), Ic), o3 = onset(f3, Ec), E3 = f3 - o3, I3 = o3 - gamma * Ic;
  const Id = I + step * I3, Ed = E + step * E3;
  const f4 = infections(grownAfter(grown, step * contact * Ic), Id), o4 = onset(f4, Ed), E4 = f4 - o4, I4 = o4 - gamma * Id;
  const mean = sixth * (I + 2.0 * (Ib + Ic) + Id);
  store<f64>(trial, x - contact * mean);
  store<f64>(trial, E + sixth * (E1 + 2.0 * (E2 + E3) + E4), 8);
  store<f64>(trial, I + sixth * (I1 + 2.0 * (I2 + I3) + I4), 16);
  store<f64>(trial, field(24) + gamma * mean, 24);
  store<f64>(trial, grownAfter(grown, contact * mean), 32);
}

/** What a step changes, number by number: a copy of memory waits until all of it has been written. */
@inline function keepStep(): void {
  store<f64>(body, load<f64>(trial));
  store<f64>(body, load<f64>(trial, 8), 8);
  store<f64>(body, load<f64>(trial, 16), 16);
  store<f64>(body, load<f64>(trial, 24), 24);
  store<f64>(body, load<f64>(trial, 32), 32);
}

/** İ of the five at `at`. */
@inline function slopeAt(at: usize): f64 { return slope(load<f64>(at, 32), load<f64>(at, 8), load<f64>(at, 16)); }

/** `count` steps, the first of which begins at `origin + first · step`. The hot loop. */
function integrate(origin: f64, first: f64, count: u64, step: f64): void {
  small = step * contact * population <= SMALL;
  let before = slopeAt(body);
  for (let i: u64 = 0; i < count; i++) {
    rungeKutta(step);
    const after = slopeAt(trial);
    if (before > 0.0 && after <= 0.0) {
      notePeak(origin + (first + <f64>i) * step, step * before / (before - after));
      rungeKutta(step);
    }
    keepStep();
    before = after;
  }
}

/** The maximum of I in the step that begins at t, by steps of their own length `part`. */
function notePeak(t: f64, part: f64): void {
  for (let i = 0; i < 5; i++) {
    rungeKutta(part);
    part -= slopeAt(trial) / curvature(load<f64>(trial, 32), load<f64>(trial, 8), load<f64>(trial, 16));
  }
  if (load<f64>(trial, 16) > field(40)) {
    store<f64>(body, load<f64>(trial, 16), 40);
    store<f64>(body, t + part, 48);
  }
}

/** Nothing is left that could change the final size by 1e-7 of it. */
function isOver(): bool {
  const left = field(8) + field(16);
  if (left == 0.0) return true;
  if (slope(field(32), field(8), field(16)) > 0.0) return false; // the largest I is yet to come
  const all = infected - susceptible * Math.expm1(field(0));
  const reproduction = contact * susceptible * field(32) / gamma;
  if (!(left <= 1e-9 * population) || !(contact * left <= 1e-7 * gamma)) return false;
  return reproduction < 1.0 && left * reproduction <= 1e-7 * (1.0 - reproduction) * all;
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const stop = work() + <u64>budget;
  let left = <u64>allowed;
  while (left > 0 && running() && work() < stop) {
    const done = stepsDone();
    const count = done < steps ? min(min(left, (stop - work()) / UNITS + 1), stepsPerRow - done % stepsPerRow) : 1;
    if (done < steps) integrate(0.0, begun + <f64>done, count, h);
    else integrate(end, <f64>(done - steps), 1, tailStep);
    countSteps(count);
    spend(count * UNITS);
    left -= count;
    if (done + count <= steps && (done + count) % stepsPerRow == 0) writeRow();
    if (done + count == steps) memory.copy(body + SEVEN, body, SEVEN);
    if (done + count >= steps) conclude(done + count - steps);
  }
  show(0, field(8) + field(16));
  return allowed - <i32>left;
}

function writeRow(): void { memory.copy(appendRow(ROW), body, ROW); }

function conclude(tail: u64): void {
  if (!isOver()) {
    if (tail >= mostTail) fail(field(8) + field(16) >= 0.0 ? Status.DID_NOT_CONVERGE : Status.NON_FINITE);
    return;
  }
  const out = openResult(<i32>(56 + STRETCH + SEVEN));
  memory.copy(out, body, 32);
  memory.copy(out + 32, body + 40, 16);
  store<f64>(out, end + <f64>tail * tailStep, 48);
  memory.copy(keepStretch(out + 56, end, h, steps), body + SEVEN, SEVEN);
  finish();
}
