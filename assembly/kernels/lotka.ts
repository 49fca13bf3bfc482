// Lotka–Volterra: ẋ = αx − βxy (prey), ẏ = δxy − γy (predators), by PEFRL of order 4.
//
// In logarithms measured from the equilibrium (γ/δ, α/β), p = ln(δx/γ) and q = ln(βy/α), the system is Hamiltonian
// and separable (Hairer, Lubich & Wanner, Geometric Numerical Integration, §I.1.1 and §VI.1):
//
//   ṗ = −∂H/∂q = −α (e^q − 1)        H = γ g(p) + α g(q),  g(s) = e^s − 1 − s ≥ 0
//   q̇ = +∂H/∂p = +γ (e^p − 1)
//
// H is V − V_min of the familiar V = δx − γ ln x + βy − α ln y. A symplectic step keeps it without a trend; x and y
// are positive whatever the step does; a start at the equilibrium, p = q = 0, stays there to the last bit.
// PEFRL: Omelyan, Mryglod & Folk, Comput. Phys. Commun. 146 (2002) 188, eq. 20.
//
// Parameters (f64):
//   0 α [1/s] · 8 β [1/s] · 16 δ [1/s] · 24 γ [1/s] · 32 x₀ · 40 y₀ · 48 t_max [s] · 56 steps per row; of rows, 256
//   64 … of a run that goes on the state of the earlier one (../kernel/stretch.ts)
// State body (f64):
//   0 p · 8 q · 16 max|H − H₀| · 24, 32 ∫e^p dt, ∫e^q dt by trapezoids, in steps
//   40 returns k to the start · 48 time of the last one, in steps · 56, 64 the two integrals there
// Rows (f64), 257 at equal times from the beginning to t_max:  0 p · 8 q
// Result (f64):
//   0 p · 8 q · 16 max|H − H₀| · 24 k · 32 time of the k-th return t_k [s] · 40, 48 means of e^p, e^q until then
//   56 state to go on from: the state's body

import {
  appendRow, countSteps, finish, openResult, openRows, openState, parameterF64, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { STRETCH, beginning, beginningIn, earlierBody, goesOn, keepStretch, openStretch, stepsInEarlier } from "../kernel/stretch";
import { SMALL, smallExpm1 } from "../math/small-exponential";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const XI: f64 = 0.1786178958448091;
const LAMBDA: f64 = -0.2123418310626054;
const CHI: f64 = -0.06626458266981849;

const OWN: usize = 64;
const BODY: usize = 72;
const ROW: i32 = 16;
const INTERVALS: u64 = 256;
/** Work units of a step: two exponentials, and seven that lie near them, each waiting for the one before. */
const UNITS: u64 = 110;

// What follows from the parameters. It is not in the state: `prepare` makes it anew after a restore.
let body: usize = 0;
let alpha: f64 = 0, gamma: f64 = 0, h: f64 = 0;
let small: bool = false; // no part of a step is above SMALL
let p0: f64 = 0, q0: f64 = 0, slopeP: f64 = 0, slopeQ: f64 = 0, firstEnergy: f64 = 0;
let begun: f64 = 0; // steps of h before this run
let steps: u64 = 0, stepsPerRow: u64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  openStretch(OWN);
  alpha = parameterF64(0);
  gamma = parameterF64(24);
  p0 = Math.log(parameterF64(16) * parameterF64(32) / gamma);
  q0 = Math.log(parameterF64(8) * parameterF64(40) / alpha);
  slopeP = -alpha * growth(q0);
  slopeQ = gamma * growth(p0);
  firstEnergy = energy(p0, q0, growth(p0), growth(q0));
  stepsPerRow = <u64>parameterF64(56);
  steps = INTERVALS * stepsPerRow;
  h = (parameterF64(48) - beginning()) / <f64>steps;
  begun = beginningIn(h);
  // γe^p and αe^q stay below the bracket on the orbit (src/solvers/lotka.ts, extent); the longest part is 1 − 2(χ+ξ).
  small = 0.776 * h * (2.0 * firstEnergy + 1.4 * max(alpha, gamma)) <= SMALL;
  body = openState(BODY);
  watchFinite(body, <i32>(BODY >> 3));
  openRows(<i32>(INTERVALS + 1) * ROW); // room for all: `advance` never has to stop for a full buffer
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) goOn(); else { setField(0, p0); setField(8, q0); }
  writeRow();
  return 1;
}

/** Times and integrals are in steps. */
function goOn(): void {
  memory.copy(body, earlierBody(), BODY);
  const scale = stepsInEarlier(h);
  setField(24, scale * field(24));
  setField(32, scale * field(32));
  for (let offset: usize = 48; offset < BODY; offset += 8) setField(offset, scale * field(offset));
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- the equation --------------------------------------------------------------------------------------

/** (g(s) − s²/2) / s² for small |s|: Σ s^k / (k+2)! from k = 1 on. */
@inline function series(s: f64): f64 {
  return s * (1.0 / 6.0 + s * (1.0 / 24.0 + s * (1.0 / 120.0 + s * (1.0 / 720.0 + s * (1.0 / 5040.0)))));
}

/** e^s − 1, near 0 by its series, so that a small orbit keeps its digits. Below −37.5 e^s is lost beside 1. */
function growth(s: f64): f64 {
  if (s < -37.5) return -1.0;
  return abs(s) > 0.01 ? Math.exp(s) - 1.0 : s + s * s * (0.5 + series(s));
}

/** e^{s+d} − 1 from e^s − 1, where a part of a step has gone from s by d. */
@inline function growthAfter(grown: f64, d: f64, s: f64): f64 {
  return small ? grown + (1.0 + grown) * smallExpm1(d) : growth(s);
}

/** g(s) from s and e^s − 1. */
@inline function g(s: f64, grown: f64): f64 {
  return abs(s) > 0.01 ? grown - s : s * s * (0.5 + series(s));
}

@inline function energy(p: f64, q: f64, grownP: f64, grownQ: f64): f64 {
  return gamma * g(p, grownP) + alpha * g(q, grownQ);
}

/** `count` steps. The hot loop: `advance` enters it again and again, so that V8 can put its best code in place. */
function integrate(count: u64): void {
  const drift1 = XI * h * alpha, drift2 = CHI * h * alpha, drift3 = (1.0 - 2.0 * (CHI + XI)) * h * alpha;
  const kick1 = 0.5 * (1.0 - 2.0 * LAMBDA) * h * gamma, kick2 = LAMBDA * h * gamma;
  const first = begun + <f64>stepsDone();
  let p = field(0), q = field(8), worst = field(16);
  let grownP = growth(p), grownQ = growth(q), ahead = aheadOfStart(p, q);
  for (let i: u64 = 0; i < count; i++) {
    const beforeP = grownP, beforeQ = grownQ, before = ahead;
    let d = -drift1 * grownQ;
    p += d;
    grownP = growthAfter(grownP, d, p);
    d = kick1 * grownP;
    q += d;
    grownQ = growthAfter(grownQ, d, q);
    d = -drift2 * grownQ;
    p += d;
    grownP = growthAfter(grownP, d, p);
    d = kick2 * grownP;
    q += d;
    grownQ = growthAfter(grownQ, d, q);
    d = -drift3 * grownQ;
    p += d;
    grownP = growthAfter(grownP, d, p);
    d = kick2 * grownP;
    q += d;
    grownQ = growthAfter(grownQ, d, q);
    d = -drift2 * grownQ;
    p += d;
    grownP = growthAfter(grownP, d, p);
    q += kick1 * grownP;
    grownQ = growth(q);
    p -= drift1 * grownQ;
    grownP = growth(p);
    worst = max(worst, abs(energy(p, q, grownP, grownQ) - firstEnergy));
    ahead = aheadOfStart(p, q);
    if (before < 0.0 && ahead >= 0.0) noteReturn(first + <f64>i, before, ahead, beforeP, beforeQ, grownP, grownQ);
    setField(24, field(24) + 1.0 + 0.5 * (beforeP + grownP));
    setField(32, field(32) + 1.0 + 0.5 * (beforeQ + grownQ));
  }
  setField(0, p); setField(8, q); setField(16, worst);
}

// ---- returns -------------------------------------------------------------------------------------------

/**
 * How far (p, q) lies ahead of the start, along its velocity. Orbits are convex curves, because H is convex: of the
 * two points where this is 0, the start is the one where it grows.
 */
@inline function aheadOfStart(p: f64, q: f64): f64 {
  return slopeP * (p - p0) + slopeQ * (q - q0);
}

/** The start was passed in the step behind the first `done`: at which part of it, by the cubic through both ends. */
function noteReturn(done: f64, s0: f64, s1: f64, beforeP: f64, beforeQ: f64, afterP: f64, afterQ: f64): void {
  const d0 = h * (slopeQ * gamma * beforeP - slopeP * alpha * beforeQ);
  const d1 = h * (slopeQ * gamma * afterP - slopeP * alpha * afterQ);
  const a = d0 + d1 - 2.0 * (s1 - s0), b = 3.0 * (s1 - s0) - 2.0 * d0 - d1;
  let part = s0 / (s0 - s1);
  for (let i = 0; i < 4; i++) {
    const value = s0 + part * (d0 + part * (b + part * a));
    part -= value / (d0 + part * (2.0 * b + 3.0 * part * a));
  }
  setField(40, field(40) + 1.0);
  setField(48, done + part);
  setField(56, field(24) + part * (1.0 + 0.5 * (beforeP + growth(p0))));
  setField(64, field(32) + part * (1.0 + 0.5 * (beforeQ + growth(q0))));
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let left = <u64>allowed;
  while (left > 0 && running() && work() < end) {
    const done = stepsDone(), affordable = (end - work()) / UNITS + 1;
    const count = min(min(left, affordable), stepsPerRow - done % stepsPerRow);
    integrate(count);
    countSteps(count);
    spend(count * UNITS);
    left -= count;
    if ((done + count) % stepsPerRow == 0) writeRow();
    if (done + count == steps) conclude();
  }
  show(0, field(0));
  show(1, field(8));
  return allowed - <i32>left;
}

function writeRow(): void { memory.copy(appendRow(ROW), body, ROW); }

function conclude(): void {
  const out = openResult(<i32>(56 + STRETCH + BODY)), returned = field(48);
  memory.copy(out, body, 24);
  store<f64>(out, field(40), 24);
  store<f64>(out, returned * h, 32);
  store<f64>(out, returned > 0.0 ? field(56) / returned : 0.0, 40);
  store<f64>(out, returned > 0.0 ? field(64) / returned : 0.0, 48);
  memory.copy(keepStretch(out + 56, parameterF64(48), h, steps), body, BODY);
  finish();
}
