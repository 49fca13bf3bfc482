// climate: energy balances without latitude (North & Kim, Energy Balance Climate Models, ch. 2; Hartmann, Global
// Physical Climatology, 2.3 and 3.8; Geoffroy et al., J. Climate 26 (2013) 1841, eq. 1–2).
//
//   0 zero-d      C Ṫ = S₀(1 − α)/4 − εσT⁴                                    by Runge–Kutta 4
//   1 two-layer   C Ṫ = F − λT − γ(T − T_d),   C_d Ṫ_d = γ(T − T_d)           by Runge–Kutta 4
//   2 zero-d, steady        3 two-layer, steady: both balances eliminated
//   4 grey, n black layers: every layer's balance 2E_i = E_(i−1) + E_(i+1), eliminated from the top
//   5 grey, optical depth τ (Eddington): both fluxes marched down, d/dτ F↑ = d/dτ F↓ = ¾(F↑ − F↓), to the ground
//   6 forcing     F = 5.35 W/m² ln(C/C₀) (Myhre et al., Geophys. Res. Lett. 25 (1998) 2715), ΔT = F/λ
//
// Parameters (f64): 0 model · 8 … 56 constants a₀ … a₆ · 64 t_end [s] · 72 steps per row; of rows, 256
//   80 … of a run that goes on the state of the earlier one (../kernel/stretch.ts)
//   zero-d     S₀ [W/m²], α, ε, C [J/(m² K)], T₀ [K]
//   two-layer  F [W/m²], λ, γ [W/(m² K)], C, C_d [J/(m² K)], T, T_d [K]
//   grey       S₀, α, n or τ                    forcing   C, C₀, λ or 0
// State body (f64): 0 T · 8 T_d
// Rows (f64), of models 0 and 1, 257 at equal times from the beginning to t_end:  0 T · 8 T_d
// Result (f64): 0 T [K] (forcing: ΔT or 0) · 8 T_d (forcing: F [W/m²]) · 16 count · 24 profile T [K], top to ground
//   The profile: grey, n + 1 temperatures of layers and ground; grey, τ: 257 at equal steps of the depth.
//   Models 0 and 1: 24 the state to go on from, T and T_d

import {
  appendRow, countStep, countSteps, finish, openResult, openRows, openState, parameterF64, restoreState, running, show,
  spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { STRETCH, beginning, earlierBody, goesOn, keepStretch, openStretch } from "../kernel/stretch";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SIGMA: f64 = 5.670374419e-8;
const OWN: usize = 80;
const BODY: usize = 16;
const INTERVALS: u64 = 256;
const ROW: i32 = 16;
/** Work units: a step of Runge–Kutta; a model without time, and a layer of one. */
const UNITS: u64 = 30;
const ONCE: u64 = 4000;
const LAYER: u64 = 20;

let body: usize = 0;
let model: i32 = 0;
let gain: f64 = 0, loss: f64 = 0; // zero-d: Ṫ = gain − loss T⁴
let driven: f64 = 0, restoring: f64 = 0, exchange: f64 = 0, deepExchange: f64 = 0;
let h: f64 = 0;
let stepsPerRow: u64 = 0, steps: u64 = 0;

@inline function constant(i: i32): f64 { return parameterF64(8 + (<usize>i << 3)); }
/** Absorbed sunlight, W/m². */
@inline function absorbed(): f64 { return 0.25 * constant(0) * (1.0 - constant(1)); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  openStretch(OWN);
  model = <i32>parameterF64(0);
  stepsPerRow = <u64>parameterF64(72);
  steps = model < 2 ? INTERVALS * stepsPerRow : 1;
  h = (parameterF64(64) - beginning()) / <f64>steps;
  if (model == 0) {
    gain = absorbed() / constant(3);
    loss = constant(2) * SIGMA / constant(3);
  } else if (model == 1) {
    driven = constant(0) / constant(3);
    restoring = constant(1) / constant(3);
    exchange = constant(2) / constant(3);
    deepExchange = constant(2) / constant(4);
  }
  body = openState(BODY);
  watchFinite(body, 2);
  if (model < 2) openRows(<i32>(INTERVALS + 1) * ROW);
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) memory.copy(body, earlierBody(), BODY);
  else if (model == 0) store<f64>(body, constant(4));
  else if (model == 1) { store<f64>(body, constant(5)); store<f64>(body, constant(6), 8); }
  if (model < 2) writeRow();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- in time -------------------------------------------------------------------------------------------

@inline function radiating(T: f64): f64 { const square = T * T; return gain - loss * (square * square); }

function integrateOne(count: u64): void {
  const half = 0.5 * h, sixth = h / 6.0;
  let T = load<f64>(body);
  for (let i: u64 = 0; i < count; i++) {
    const k1 = radiating(T), k2 = radiating(T + half * k1), k3 = radiating(T + half * k2), k4 = radiating(T + h * k3);
    T += sixth * (k1 + 2.0 * (k2 + k3) + k4);
  }
  store<f64>(body, T);
}

@inline function surface(T: f64, D: f64): f64 { return driven - restoring * T - exchange * (T - D); }
@inline function deep(T: f64, D: f64): f64 { return deepExchange * (T - D); }

function integrateTwo(count: u64): void {
  const half = 0.5 * h, sixth = h / 6.0;
  let T = load<f64>(body), D = load<f64>(body, 8);
  for (let i: u64 = 0; i < count; i++) {
    const a1 = surface(T, D), b1 = deep(T, D);
    const a2 = surface(T + half * a1, D + half * b1), b2 = deep(T + half * a1, D + half * b1);
    const a3 = surface(T + half * a2, D + half * b2), b3 = deep(T + half * a2, D + half * b2);
    const a4 = surface(T + h * a3, D + h * b3), b4 = deep(T + h * a3, D + h * b3);
    T += sixth * (a1 + 2.0 * (a2 + a3) + a4);
    D += sixth * (b1 + 2.0 * (b2 + b3) + b4);
  }
  store<f64>(body, T);
  store<f64>(body, D, 8);
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  if (model >= 2) return once();
  const end = work() + <u64>budget;
  let left = <u64>allowed;
  while (left > 0 && running() && work() < end) {
    const done = stepsDone(), affordable = (end - work()) / UNITS + 1;
    const count = min(min(left, affordable), stepsPerRow - done % stepsPerRow);
    if (model == 0) integrateOne(count); else integrateTwo(count);
    countSteps(count);
    spend(count * UNITS);
    left -= count;
    if ((done + count) % stepsPerRow == 0) writeRow();
    if (done + count == steps) concludeSeries();
  }
  show(0, load<f64>(body));
  return allowed - <i32>left;
}

function writeRow(): void { memory.copy(appendRow(ROW), body, ROW); }

function concludeSeries(): void {
  const out = openResult(<i32>(24 + STRETCH + BODY));
  memory.copy(out, body, BODY);
  memory.copy(keepStretch(out + 24, parameterF64(64), h, steps), body, BODY);
  finish();
}

/** Opens the result, whose profile of `count` the caller fills, and ends the run. */
function conclude(count: i32): usize {
  const out = openResult(24 + 8 * count);
  memory.copy(out, body, 16);
  store<f64>(out, <f64>count, 16);
  finish();
  return out + 24;
}

// ---- without time --------------------------------------------------------------------------------------

@inline function fourthRoot(x: f64): f64 { return sqrt(sqrt(x)); }

function once(): i32 {
  let layers = 0;
  if (model == 2) { steadyOne(); conclude(0); }
  else if (model == 3) { steadyTwo(); conclude(0); }
  else if (model == 4) layers = greyLayers();
  else if (model == 5) layers = greyColumn();
  else { forcing(); conclude(0); }
  spend(ONCE + <u64>layers * LAYER);
  countStep();
  return 1;
}

function steadyOne(): void { store<f64>(body, fourthRoot(absorbed() / (constant(2) * SIGMA))); }

/** (λ + γ)T − γT_d = F, γT − γT_d = 0: the second balance without T, then the first. */
function steadyTwo(): void {
  const F = constant(0), gamma = constant(2), pivot = constant(1) + gamma;
  const D = gamma * F / pivot / (gamma - gamma * gamma / pivot);
  store<f64>(body, (F + gamma * D) / pivot);
  store<f64>(body, D, 8);
}

/**
 * E₁ … E_n from the top and E_s of the ground, which keeps what it absorbs: E_s − E_n = A. With E_i = r_i E_(i+1),
 * r_i = 1/(2 − r_(i−1)), the ground has E_s (1 − r_n) = A.
 */
function greyLayers(): i32 {
  const n = <i32>constant(2), A = absorbed(), profile = conclude(n + 1);
  let ratio = 0.0;
  for (let i = 0; i < n; i++) {
    ratio = 1.0 / (2.0 - ratio);
    store<f64>(profile + (<usize>i << 3), ratio);
  }
  let E = A / (1.0 - ratio);
  for (let i = n; i >= 0; i--) {
    const at = profile + (<usize>i << 3), share = i > 0 ? load<f64>(at - 8) : 0.0;
    store<f64>(at, fourthRoot(E / SIGMA));
    E *= share;
  }
  store<f64>(profile - 24, load<f64>(profile + (<usize>n << 3)));
  return n + 1;
}

/** From the top, where nothing comes down: F↑ = A, F↓ = 0. In equilibrium the air radiates the mean of both. */
function greyColumn(): i32 {
  const count = <i32>INTERVALS + 1, A = absorbed(), step = constant(2) / <f64>INTERVALS, profile = conclude(count);
  let up = A, down = 0.0;
  for (let i = 0; i < count; i++) {
    store<f64>(profile + (<usize>i << 3), fourthRoot(0.5 * (up + down) / SIGMA));
    if (i + 1 == count) break;
    const change = 0.75 * step * (up - down);
    up += change;
    down += change;
  }
  store<f64>(profile - 24, fourthRoot(up / SIGMA));
  return count;
}

function forcing(): void {
  const F = 5.35 * Math.log(constant(0) / constant(1));
  store<f64>(body, constant(2) > 0.0 ? F / constant(2) : 0.0);
  store<f64>(body, F, 8);
}
