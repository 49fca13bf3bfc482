// Levels of −ħ²/2m ψ″ + Vψ = Eψ on a line, or of u = rψ on a ray, by the renormalised Numerov method, order 4.
//
// With ψ = 0 at both ends of the grid, T = 1 − h²(v − e)/6 and y = Tψ the equation is y_{i+1} − U_i y_i + y_{i−1} = 0,
// U = (12 − 10 T)/T. The ratios R_i = y_{i+1}/y_i = U_i − 1/R_{i−1} are the pivots of the Numerov matrix: as many are
// negative as levels lie below e (B. R. Johnson, J. Chem. Phys. 67 (1977) 4086, eqs. 21 and 36). Bisection on that
// count finds a level by its number; ψ comes from the ratios of both sides, joined where they fit best.
// At r = 0 of a ray y does not vanish where vu does not: u ∝ r(1 − Zr + Z²r²/3) for l = 0, r² for l = 1, where V is −Z/r
// near it.
//
// Parameters: assembly/quantum/problem.ts
// State body (f64): 0, 8 bracket of the level that is sought · 16, 24, 32 levels n, n + 1 and n − 1 (or 0), in ε
// Result (f64): 0, 8, 16 the three levels [J] · 24 ψ [m^−½] at all nodes of the grid, ∫ψ² = 1
//
// Steps: 60 halvings for each level, and ψ: 181.

import {
  allocate, countStep, finish, openResult, openState, parameterF64, restoreState, running, show, spend, stepsDone,
  watchFinite, work,
} from "../kernel/frame";
import { chargeAtCentre } from "../quantum/centre";
import { left, orbital, readProblem, scaledAt, unitEnergy, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HALVINGS: i32 = 60;
const LEVELS: i32 = 3;
/** Work units of a count and of ψ, per interval. */
const UNITS: u64 = 8;
const SHAPE: u64 = 40;
/** T is held above this: deep in a wall ψ is nothing, and the ratios stay those of a definite matrix. */
const LEAST: f64 = 0.1;
/** Twice the 3/h² of the shortest wave. */
const ALL_WAVES: f64 = 6;

let body: usize = 0, v: usize = 0, forward: usize = 0, backward: usize = 0;
let n: i32 = 0, level: i32 = 0;
let h: f64 = 0, charge: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

function prepare(): void {
  readProblem();
  n = <i32>parameterF64(152);
  level = <i32>parameterF64(144);
  h = 1.0 / <f64>n;
  body = openState(40);
  watchFinite(body, 5);
  v = allocate(<usize>(n + 1) << 3);
  forward = allocate(<usize>(n + 1) << 3);
  backward = allocate(<usize>(n + 1) << 3);
  for (let i = 1; i < n; i++) put(v, i, scaledAt(<f64>i * h, h));
  charge = orbital > 1.0 ? 0.0 : chargeAtCentre(at(v, 1), at(v, 2), at(v, 3), h);
}

export function start(_budget: i32): i32 {
  prepare();
  openBracket();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/**
 * Below v no level lies; above the highest v by that of a box, more than enough do. Where enough lie below what the waves of
 * this grid have, a wall above is no place to look for them: halvings from 10³⁰ would not come down to a level.
 */
function openBracket(): void {
  let least = Infinity, most = -Infinity;
  for (let i = 1; i < n; i++) { least = min(least, at(v, i)); most = max(most, at(v, i)); }
  const waves = Math.PI * <f64>(level + 3), near = least + ALL_WAVES * <f64>n * <f64>n;
  const isEnough = near < most && levelsBelow(near) > level + 1;
  setField(0, least);
  setField(8, isEnough ? near : most + waves * waves);
}

// ---- ratios --------------------------------------------------------------------------------------------

@inline function weightAt(i: i32, e: f64): f64 { return max(LEAST, 1.0 - h * h * (at(v, i) - e) / 6.0); }
@inline function U(T: f64): f64 { return (12.0 - 10.0 * T) / T; }

/** y₀/y₁ at the centre of a ray. */
function centre(T: f64): f64 {
  if (orbital < 0.0 || left != 0.0 || orbital > 1.0) return 0.0;
  const Z = charge;
  if (orbital == 1.0) return -1.0 / (6.0 * T * (1.0 - 0.5 * Z * h));
  return Z * h / (6.0 * T * (1.0 - Z * h * (1.0 - Z * h / 3.0)));
}

/** Levels below e. The hot loop: one division waits for the other. */
function levelsBelow(e: f64): i32 {
  let below = 0, T = weightAt(1, e), R = U(T) - centre(T);
  if (R < 0.0) below++;
  for (let i = 2; i < n; i++) {
    T = weightAt(i, e);
    R = U(T) - 1.0 / (R == 0.0 ? -1e-300 : R);
    if (R < 0.0) below++;
  }
  return below;
}

function halve(index: i32): void {
  const middle = 0.5 * (field(0) + field(8));
  if (levelsBelow(middle) > index) setField(8, middle); else setField(0, middle);
}

@inline function soughtLevel(which: i32): i32 { return which == 0 ? level : which == 1 ? level + 1 : max(0, level - 1); }

// ---- the state -----------------------------------------------------------------------------------------

/** y by ratios from both ends, joined at the node where they fit best; then ψ = y/T. */
function writeState(e: f64, to: usize): void {
  let T = weightAt(1, e);
  put(forward, 1, U(T) - centre(T));
  for (let i = 2; i < n; i++) put(forward, i, U(weightAt(i, e)) - 1.0 / safe(at(forward, i - 1)));
  put(backward, n - 1, U(weightAt(n - 1, e)));
  for (let i = n - 2; i > 0; i--) put(backward, i, U(weightAt(i, e)) - 1.0 / safe(at(backward, i + 1)));
  let turn = 1, least = Infinity;
  for (let i = 2; i < n - 1; i++) {
    const gap = abs(at(forward, i) + at(backward, i) - U(weightAt(i, e)));
    if (gap < least) { least = gap; turn = i; }
  }
  put(to, turn, 1.0);
  for (let i = turn - 1; i > 0; i--) put(to, i, at(to, i + 1) / safe(at(forward, i)));
  for (let i = turn + 1; i < n; i++) put(to, i, at(to, i - 1) / safe(at(backward, i)));
  for (let i = 1; i < n; i++) put(to, i, at(to, i) / weightAt(i, e));
  normalise(to);
}

@inline function safe(ratio: f64): f64 { return abs(ratio) < 1e-300 ? 1e-300 : ratio; }

/** ∫ψ² dx = 1; the first ψ above a tenth of the largest is positive. */
function normalise(psi: usize): void {
  let most = 0.0, sum = 0.0, sign = 0.0;
  for (let i = 1; i < n; i++) { most = max(most, abs(at(psi, i))); sum += at(psi, i) * at(psi, i); }
  for (let i = 1; i < n && sign == 0.0; i++) if (abs(at(psi, i)) > 0.1 * most) sign = at(psi, i) > 0.0 ? 1.0 : -1.0;
  const scale = sign / sqrt(sum * h * width);
  for (let i = 1; i < n; i++) put(psi, i, scale * at(psi, i));
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const step = <i32>stepsDone(), which = step / HALVINGS;
    if (which < LEVELS) {
      halve(soughtLevel(which));
      if (step % HALVINGS == HALVINGS - 1) {
        setField(16 + (<usize>which << 3), 0.5 * (field(0) + field(8)));
        openBracket();
      }
      spend(<u64>n * UNITS);
    } else {
      conclude();
      spend(<u64>n * SHAPE);
    }
    countStep();
    taken++;
  }
  show(0, field(16) * unitEnergy);
  return taken;
}

function conclude(): void {
  const out = openResult(24 + ((n + 1) << 3));
  for (let i: usize = 0; i < <usize>LEVELS; i++) store<f64>(out + (i << 3), field(16 + (i << 3)) * unitEnergy);
  writeState(field(16), out + 24);
  finish();
}
