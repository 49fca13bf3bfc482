// Epidemics, SIR and SEIR (Kermack & McKendrick, Proc. R. Soc. A 115 (1927) 700), by RK4 in x = ln(S/S₀), E, I, R:
//
//   ẋ = −βI/N      SIR:  İ = βSI/N − γI      SEIR:  Ė = βSI/N − σE,  İ = σE − γI      Ṙ = γI,  S = S₀ eˣ
//
// S is positive whatever the step does, and a population without susceptibles needs no case of its own. R counts those
// who recover after the start. The run goes to t_max in equal steps, then on in tail steps until the epidemic is over:
// I+E ≤ 1e-9 N, and those still to be infected, at most (I+E) r/(1−r) with r = βS/(γN) < 1, are under 1e-7 of all
// ever infected. Where İ falls through 0 the step is cut by Newton's method at the maximum of I.
// Order 4. Hairer, Nørsett & Wanner, Solving ODE I, table II.1.2.
//
// Parameters (f64):
//   0 model: 0 SIR, 1 SEIR · 8 N · 16 S₀ · 24 E₀ · 32 I₀ · 40 β [1/s] · 48 γ [1/s] · 56 σ [1/s] · 64 t_max [s]
//   72 steps per row; of rows, 256 · 80 tail step [s] · 88 most tail steps
//   96 … of a run that goes on the state of the earlier one (../kernel/stretch.ts)
// State body (f64):  0 x · 8 E · 16 I · 24 R · 32 largest I · 40 its time [s] · 48 the same six at t_max
// Rows (f64), 257 at equal times from the beginning to t_max:  0 x · 8 E · 16 I · 24 R
// Result (f64), at the end of the tail:  0 x · 8 E · 16 I · 24 R · 32 largest I · 40 its time [s] · 48 time [s]
//   56 state to go on from: the six at t_max

import {
  allocate, appendRow, countSteps, fail, finish, openResult, openRows, openState, parameterF64, restoreState, running,
  show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { STRETCH, beginning, beginningIn, earlierBody, goesOn, keepStretch, openStretch } from "../kernel/stretch";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const OWN: usize = 96;
const SIX: usize = 48;
const BODY: usize = 2 * SIX;
const ROW: i32 = 32;
const INTERVALS: u64 = 256;
/** Work units of a step: four exponentials. */
const UNITS: u64 = 70;

let body: usize = 0, trial: usize = 0;
let latent: bool = false;
let susceptible: f64 = 0, contact: f64 = 0, gamma: f64 = 0, sigma: f64 = 0, population: f64 = 0, infected: f64 = 0;
let steps: u64 = 0, stepsPerRow: u64 = 0, mostTail: u64 = 0;
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
  trial = allocate(32);
  openRows(<i32>(INTERVALS + 1) * ROW);
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) memory.copy(body, earlierBody(), SIX); else begin();
  writeRow();
  return 1;
}

function begin(): void {
  store<f64>(body, parameterF64(24), 8);
  store<f64>(body, parameterF64(32), 16);
  store<f64>(body, parameterF64(32), 32);
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
function curvature(x: f64, E: f64, I: f64): f64 {
  const fresh = infections(Math.exp(x), I), rise = onset(fresh, E) - gamma * I;
  const change = latent ? sigma * (fresh - sigma * E) : contact * (susceptible * Math.exp(x) * rise - fresh * I);
  return change - gamma * rise;
}

/** One step of length `step` from the state at `from`, where eˣ is `grown`, to `to`. */
function rungeKutta(from: usize, grown: f64, step: f64, to: usize): void {
  const half = 0.5 * step, sixth = step / 6.0;
  const x = load<f64>(from), E = load<f64>(from, 8), I = load<f64>(from, 16);
  const f1 = infections(grown, I), o1 = onset(f1, E), E1 = f1 - o1, I1 = o1 - gamma * I;
  const Ib = I + half * I1, Eb = E + half * E1;
  const f2 = infections(Math.exp(x - half * contact * I), Ib), o2 = onset(f2, Eb), E2 = f2 - o2, I2 = o2 - gamma * Ib;
  const Ic = I + half * I2, Ec = E + half * E2;
  const f3 = infections(Math.exp(x - half * contact * Ib), Ic), o3 = onset(f3, Ec), E3 = f3 - o3, I3 = o3 - gamma * Ic;
  const Id = I + step * I3, Ed = E + step * E3;
  const f4 = infections(Math.exp(x - step * contact * Ic), Id), o4 = onset(f4, Ed), E4 = f4 - o4, I4 = o4 - gamma * Id;
  const mean = sixth * (I + 2.0 * (Ib + Ic) + Id);
  store<f64>(to, x - contact * mean);
  store<f64>(to, E + sixth * (E1 + 2.0 * (E2 + E3) + E4), 8);
  store<f64>(to, I + sixth * (I1 + 2.0 * (I2 + I3) + I4), 16);
  store<f64>(to, load<f64>(from, 24) + gamma * mean, 24);
}

/** `count` steps, the first of which begins at `origin + first · step`. The hot loop. */
function integrate(origin: f64, first: f64, count: u64, step: f64): void {
  let grown = Math.exp(field(0)), before = slope(grown, field(8), field(16));
  for (let i: u64 = 0; i < count; i++) {
    rungeKutta(body, grown, step, trial);
    const next = Math.exp(load<f64>(trial)), after = slope(next, load<f64>(trial, 8), load<f64>(trial, 16));
    if (before > 0.0 && after <= 0.0) {
      notePeak(origin + (first + <f64>i) * step, step * before / (before - after), grown);
    } else memory.copy(body, trial, 32);
    grown = next;
    before = after;
  }
}

/** The maximum of I in the step that begins at t, by steps of their own length `part`; then the whole step once more. */
function notePeak(t: f64, part: f64, grown: f64): void {
  const x = load<f64>(trial), E = load<f64>(trial, 8), I = load<f64>(trial, 16), R = load<f64>(trial, 24);
  for (let i = 0; i < 5; i++) {
    rungeKutta(body, grown, part, trial);
    const x1 = load<f64>(trial), E1 = load<f64>(trial, 8), I1 = load<f64>(trial, 16);
    part -= slope(Math.exp(x1), E1, I1) / curvature(x1, E1, I1);
  }
  if (load<f64>(trial, 16) > field(32)) {
    store<f64>(body, load<f64>(trial, 16), 32);
    store<f64>(body, t + part, 40);
  }
  store<f64>(body, x);
  store<f64>(body, E, 8);
  store<f64>(body, I, 16);
  store<f64>(body, R, 24);
}

/** Nothing is left that could change the final size by 1e-7 of it. */
function isOver(): bool {
  const left = field(8) + field(16);
  if (left == 0.0) return true;
  const all = infected - susceptible * Math.expm1(field(0));
  const reproduction = contact * susceptible * Math.exp(field(0)) / gamma;
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
    if (done + count == steps) memory.copy(body + SIX, body, SIX);
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
  const out = openResult(<i32>(56 + STRETCH + SIX));
  memory.copy(out, body, SIX);
  store<f64>(out, end + <f64>tail * tailStep, 48);
  memory.copy(keepStretch(out + 56, end, h, steps), body + SIX, SIX);
  finish();
}
