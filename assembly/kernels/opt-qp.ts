// Convex quadratic programmes by the dual method of Goldfarb and Idnani, Math. Programming 27 (1983) 1: from the
// unconstrained minimum on, the most violated constraint is made active, those whose multiplier would turn negative
// are dropped on the way.
//
// The method needs G = H positive definite. Where H, scaled to a diagonal of ones, is only semidefinite, G = H + εD, D
// its diagonal, and the minimum is the limit of x_{k+1} = argmin ½xᵀHx + cᵀx + ½ε(x − x_k)ᵀD(x − x_k) (Rockafellar, SIAM
// J. Control Optim. 14 (1976) 877), which for a programme of this kind is reached after few of them: each begins with
// what was active at the end of the one before, and the last is the one whose εD(x − x_k) is nothing beside the
// gradient. With a small ε they are few and lose digits, so that ε grows where rounding makes rows contradict one another,
// and shrinks where they come no nearer. An indefinite H is refused.
//
// Constraints in the form normal · x ≥ side: 0 … m−1 the rows, −a for A, +e for E; m+j the lower, m+n+j the upper
// bound of x_j. A step begins a minimization or makes one constraint active.
//
// Parameters: assembly/opt/program.ts
// State body (f64): 0 minimizations begun · 8 constraints made active · 16 active · 24 equalities looked at · 32 ε
//   40 objective · 48 largest violation · 56 factorizations · 64 what was left over by the minimization before with this
//   ε, 0: none
//   72 1: x was made anew from what is active · 80 x (n) · x_k (n) · multipliers of the active (n+1) · their numbers (n+1)
//   1 for each that is active (m+2n) · J (n²) · R (n²)
// Rows (f64), one a step: 0 objective · 8 largest violation
// Result (f64): 0 outcome 0 · 8 constraints made active · 16 minimizations · 24 x (n) · y (m) of the rows

import {
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, restoreState, rowsFull, running, show,
  spend, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  active, addNormal, combination, dropNormal, dualStep, openActive, primalStep, setActive, turned,
} from "../opt/active";
import { backward, cholesky, rowAt, smallestPivot } from "../opt/cholesky";
import {
  allowed, at, column, costs, extent, hessian, layColumns, lowers, m, mA, magnifyCosts, magnifyLengths, n, put, readProgram, sides,
  uppers,
} from "../opt/program";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const FEASIBLE: f64 = 1e-10;
/** Of sums of terms of size 1. */
const ROUNDING: f64 = 1e-13;
const SETTLED: f64 = 1e-10;
const MINIMIZATIONS: f64 = 200;
/** Of H scaled to a diagonal of ones: below −INDEFINITE a pivot is negative, below DEFINITE there is need of ε. */
const INDEFINITE: f64 = 1e-9;
const DEFINITE: f64 = 1e-9;
const EPSILON: f64 = 1e-3;
const LEAST_EPSILON: f64 = 1e-9;
const FACTORIZATIONS: f64 = 16;

let body: usize = 0, x: usize = 0, before: usize = 0, multipliers: usize = 0, numbers: usize = 0, isActive: usize = 0;
let J: usize = 0, R: usize = 0, factor: usize = 0, normal: usize = 0, d: usize = 0, z: usize = 0, r: usize = 0;
let constraints: i32 = 0;
let unitsPerPass: u64 = 0, unitsToBegin: u64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

function prepare(): void {
  readProgram();
  layColumns();
  constraints = m + 2 * n;
  const vector = <usize>n << 3, square = vector * <usize>n;
  const lists = 2 * (vector + 8) + (<usize>constraints << 3);
  body = openState(80 + 2 * vector + lists + 2 * square);
  x = body + 80;
  before = x + vector;
  multipliers = before + vector;
  numbers = multipliers + vector + 8;
  isActive = numbers + vector + 8;
  J = isActive + (<usize>constraints << 3);
  R = J + square;
  factor = allocate(square);
  normal = allocate(vector);
  d = allocate(vector + 8);
  z = allocate(vector);
  r = allocate(vector + 8);
  watchFinite(body, <i32>(10 + 4 * n + 2 + constraints + 2 * n * n));
  openRows(16 * 1024);
  openActive(J, R);
  most = 0.0;
  for (let i = 0; i < n; i++) most = max(most, at(rowAt(hessian, n, i), i));
  steepest = 0.0;
  for (let i = 0; i < n; i++) steepest = max(steepest, abs(at(costs, i)));
  magnifyLengths(most > 0.0 ? steepest / most : 0.0);
  magnifyCosts(extent);
  steepest *= extent;
  unitsPerPass = 500 + <u64>(6 * n * n + (m + 4) * n);
  unitsToBegin = 500 + <u64>(n * n) * <u64>n;
}

/** Largest of the diagonal, largest cost, and D: what is 0 or less there is measured by them. */
let most: f64 = 0, steepest: f64 = 0;
@inline function metric(i: i32): f64 {
  const own = at(rowAt(hessian, n, i), i);
  return own > 1e-14 * most ? own : most > 0.0 ? most : steepest > 0.0 ? steepest : 1.0;
}

export function start(_budget: i32): i32 {
  prepare();
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
    const size = sqrt(metric(i) * metric(j));
    put(rowAt(factor, n, i), j, at(rowAt(hessian, n, i), j) / size);
  }
  const pivot = smallestPivot(factor, n);
  spend(unitsToBegin);
  if (pivot < -INDEFINITE) { show(0, 3.0); show(1, pivot); fail(Status.INVALID_INPUT); return 1; }
  setField(32, pivot > DEFINITE ? 0.0 : EPSILON);
  begin();
  return 1;
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { setActive(<i32>field(16)); return 1; }

/** The minimum without constraints: G x = ε x_k − c. */
function begin(): void {
  const epsilon = field(32);
  memory.copy(before, x, <usize>n << 3);
  memory.copy(factor, hessian, <usize>(n * n) << 3);
  for (let i = 0; i < n; i++) put(rowAt(factor, n, i), i, at(rowAt(factor, n, i), i) + epsilon * metric(i));
  if (!cholesky(factor, n, 0.0)) { fail(Status.DID_NOT_CONVERGE); return; }
  memory.fill(R, 0, <usize>(n * n) << 3);
  memory.fill(isActive, 0, <usize>constraints << 3);
  for (let k = 0; k < n; k++) {
    memory.fill(d, 0, <usize>n << 3);
    put(d, k, 1.0);
    backward(factor, n, d);
    for (let i = 0; i < n; i++) put(rowAt(J, n, i), k, at(d, i));
  }
  for (let i = 0; i < n; i++) put(normal, i, epsilon * metric(i) * at(before, i) - at(costs, i));
  turned(normal, d);
  setActive(0);
  primalStep(d, x);
  setField(0, field(0) + 1.0);
  setField(24, 0.0);
  setField(56, field(56) + 1.0);
  setField(64, 0.0);
  setField(72, 0.0);
  spend(unitsToBegin);
}

/** The next minimization, from the factors and the active constraints of the one before. */
function goOn(): void {
  memory.copy(before, x, <usize>n << 3);
  setField(0, field(0) + 1.0);
  for (;;) {
    spend(unitsPerPass);
    minimizeActive();
    let out = -1, least = 0.0;
    for (let i = 0; i < active; i++) {
      const k = <i32>at(numbers, i);
      if ((k >= mA && k < m) || at(multipliers, i) >= least) continue;
      least = at(multipliers, i);
      out = i;
    }
    if (out < 0) return;
    drop(out);
  }
}

/**
 * Minimum on the active constraints: x = J u with Rᵀu₁ = their sides and u₂ = J₂ᵀ(εDx_k − c); their multipliers are
 * R⁻¹(u₁ − J₁ᵀ(εDx_k − c)).
 */
function minimizeActive(): void {
  for (let i = 0; i < n; i++) put(normal, i, field(32) * metric(i) * at(before, i) - at(costs, i));
  turned(normal, d);
  for (let i = 0; i < active; i++) {
    let sum = side(<i32>at(numbers, i));
    for (let k = 0; k < i; k++) sum -= at(rowAt(R, n, k), i) * at(z, k);
    put(z, i, sum / at(rowAt(R, n, i), i));
  }
  for (let i = active; i < n; i++) put(z, i, at(d, i));
  for (let i = 0; i < active; i++) put(d, i, at(z, i) - at(d, i));
  dualStep(d, multipliers);
  memory.copy(d, z, <usize>n << 3);
  combination(d, x);
}

// ---- constraints ---------------------------------------------------------------------------------------

function side(k: i32): f64 {
  if (k < m) return k < mA ? -at(sides, k) : at(sides, k);
  return k < m + n ? at(lowers, k - m) : -at(uppers, k - m - n);
}

function layNormal(k: i32): void {
  memory.fill(normal, 0, <usize>n << 3);
  if (k >= m + n) put(normal, k - m - n, -1.0);
  else if (k >= m) put(normal, k - m, 1.0);
  else for (let j = 0; j < n; j++) put(normal, j, k < mA ? -at(column(j), k) : at(column(j), k));
}

/** How far x is above the side, over the length of the normal. */
function slack(k: i32): f64 {
  if (k >= m) {
    const own = k >= m + n ? -at(x, k - m - n) : at(x, k - m);
    return own - side(k);
  }
  let sum = 0.0, square = 0.0;
  for (let j = 0; j < n; j++) {
    const entry = at(column(j), k);
    sum += entry * at(x, j);
    square += entry * entry;
  }
  const apart = k < mA ? at(sides, k) - sum : sum - at(sides, k);
  return square > 0.0 ? apart / sqrt(square) : apart;
}

/** The next equality, then the most violated inequality; −1 where there is none. */
function wanted(): i32 {
  const next = mA + <i32>field(24);
  if (next < m) { setField(24, field(24) + 1.0); return next; }
  let worst = -1, most = 0.0, longest = 0.0;
  for (let j = 0; j < n; j++) longest = max(longest, abs(at(x, j)));
  for (let k = 0; k < constraints; k++) {
    if ((k >= mA && k < m) || at(isActive, k) != 0.0) continue;
    const below = -slack(k);
    if (below > most) { most = below; worst = k; }
  }
  setField(48, most);
  return worst >= 0 && most > FEASIBLE * (1.0 + abs(side(worst))) + ROUNDING * longest ? worst : -1;
}

// ---- a step --------------------------------------------------------------------------------------------

export function advance(steps: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < steps && running() && work() < end && !rowsFull(16)) {
    const k = wanted();
    spend(unitsPerPass);
    if (k >= 0) activate(k); else endMinimization();
    setField(16, <f64>active);
    writeRow();
    countStep();
    taken++;
    if (running() && field(8) >= <f64>allowed) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, field(40));
  show(1, field(48));
  return taken;
}

/** Makes constraint k active; an equality on the side of it where x lies is turned round by its multiplier's sign. */
function activate(k: i32): void {
  const isEquality = k >= mA && k < m;
  layNormal(k);
  let own = 0.0;
  for (;;) {
    spend(unitsPerPass);
    turned(normal, d);
    primalStep(d, z);
    dualStep(d, r);
    let along = 0.0, whole = 0.0, distance = -side(k), size = 0.0;
    for (let j = 0; j < n; j++) {
      whole += at(d, j) * at(d, j);
      if (j >= active) along += at(d, j) * at(d, j); // z · normal = |d₂|²
      distance += at(normal, j) * at(x, j);
      size += at(normal, j) * at(normal, j);
    }
    const isFree = along > 1e-20 * whole;
    if (!isFree && isEquality) { checkDependent(distance, size); return; }
    const full = isFree ? -distance / along : Infinity;
    const out = isEquality ? -1 : blocking();
    const part = out < 0 ? Infinity : at(multipliers, out) / at(r, out);
    const step = min(full, part);
    if (step == Infinity) { falter(); return; }
    if (isFree) for (let j = 0; j < n; j++) put(x, j, at(x, j) + step * at(z, j));
    for (let i = 0; i < active; i++) put(multipliers, i, at(multipliers, i) - step * at(r, i));
    own += step;
    if (step == full) { accept(k, own); return; }
    drop(out);
  }
}

/** An equality that depends on those before it is either fulfilled or against them. */
function checkDependent(distance: f64, size: f64): void {
  if (abs(distance) > 1e-7 * (1.0 + sqrt(size))) falter();
}

/**
 * There is a feasible point, so that rounding alone can say that there is none: that of the way to x, which is made anew
 * from what is active; else begins anew with more curvature.
 */
function falter(): void {
  if (field(72) == 0.0 && active > 0) {
    setField(72, 1.0);
    spend(unitsPerPass);
    minimizeActive();
    return;
  }
  memory.copy(x, before, <usize>n << 3);
  beginWith(min(1.0, 100.0 * field(32)));
}

function beginWith(epsilon: f64): void {
  if (epsilon == field(32) || field(56) >= FACTORIZATIONS) { fail(Status.DID_NOT_CONVERGE); return; }
  setField(32, epsilon);
  begin();
}

/** The inequality whose multiplier would be the first to turn negative; −1: none. */
function blocking(): i32 {
  let out = -1, least = Infinity;
  for (let i = 0; i < active; i++) {
    const k = <i32>at(numbers, i);
    if ((k >= mA && k < m) || at(r, i) <= 0.0) continue;
    const ratio = at(multipliers, i) / at(r, i);
    if (ratio < least) { least = ratio; out = i; }
  }
  return out;
}

function accept(k: i32, multiplier: f64): void {
  put(numbers, active, <f64>k);
  put(multipliers, active, multiplier);
  put(isActive, k, 1.0);
  addNormal(d);
  setField(8, field(8) + 1.0);
  setField(72, 0.0);
}

function drop(out: i32): void {
  put(isActive, <i32>at(numbers, out), 0.0);
  dropNormal(out);
  for (let i = out; i < active; i++) {
    put(numbers, i, at(numbers, i + 1));
    put(multipliers, i, at(multipliers, i + 1));
  }
}

// ---- ends ----------------------------------------------------------------------------------------------

function objective(): f64 {
  let sum = 0.0;
  for (let i = 0; i < n; i++) {
    const row = rowAt(hessian, n, i);
    let product = 0.0;
    for (let j = 0; j < n; j++) product += at(row, j) * at(x, j);
    sum += at(x, i) * (0.5 * product + at(costs, i));
  }
  return sum;
}

function writeRow(): void {
  setField(40, objective());
  const row = appendRow(16);
  store<f64>(row, field(40) / (extent * extent));
  store<f64>(row, field(48) / extent, 8);
}

/** The end is made anew from what is active, so that it has none of the rounding of the way to it. */
function endMinimization(): void {
  const left = field(32) == 0.0 ? 0.0 : leftOver();
  if (left <= SETTLED) { minimizeActive(); conclude(); }
  else if (field(0) >= MINIMIZATIONS) fail(Status.DID_NOT_CONVERGE);
  else if (field(64) > 0.0 && left > 0.1 * field(64) && field(32) > LEAST_EPSILON) beginWith(0.01 * field(32));
  else { setField(64, left); goOn(); }
}

/**
 * How much εD(x − x_k) is, which the gradient lacks: beside the largest entry of the gradient, and what it adds to the
 * gap of duality, beside the terms of the objective.
 */
function leftOver(): f64 {
  let longest = 0.0, gap = 0.0, gradient = max(steepest, 1e-9 * (most > 0.0 ? most : 1.0)), terms = 0.0;
  for (let j = 0; j < n; j++) {
    const row = rowAt(hessian, n, j), here = at(x, j);
    let product = 0.0;
    for (let k = 0; k < n; k++) product += at(row, k) * at(x, k);
    const lacking = field(32) * metric(j) * (here - at(before, j)), bound = lacking < 0.0 ? at(lowers, j) : at(uppers, j);
    longest = max(longest, abs(lacking));
    gap += abs(lacking * (abs(bound) < Infinity ? here - bound : here));
    gradient = max(gradient, abs(product));
    terms += abs(here) * (abs(product) + abs(at(costs, j)));
  }
  return max(longest / gradient, gap / (terms + gradient));
}

function conclude(): void {
  const out = openResult(24 + 8 * (n + m)), y = out + 24 + (<usize>n << 3);
  store<f64>(out, field(8), 8);
  store<f64>(out, field(0), 16);
  for (let j = 0; j < n; j++) put(out + 24, j, at(x, j) / extent);
  for (let i = 0; i < active; i++) {
    const k = <i32>at(numbers, i);
    if (k < m) put(y, k, (k < mA ? at(multipliers, i) : -at(multipliers, i)) / extent);
  }
  finish();
}
