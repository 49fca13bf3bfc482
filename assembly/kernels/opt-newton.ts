// A minimum of a smooth function from one start: Newton's method in a trust region, which stands as its multiplier μ,
//
//   (∇²f + μD) s = −∇f,   D = 1 of a function, diag of Gauss and Newton's matrix of a model of data (Marquardt, J. SIAM
//   11 (1963) 431), D ≥ its largest so far (Moré, LNM 630 (1978) 105), of which each step forgets three quarters
//
// μ is raised until the matrix is positive definite and f falls, and lowered where the quadratic model was right
// (Nocedal & Wright, Numerical Optimization, §4.1, §4.3, §10.3). A bound holds a variable that the gradient presses
// against it (Bertsekas, SIAM J. Control Optim. 20 (1982) 221). A step is one try.
//
// Parameters: assembly/opt/smooth.ts
// State body (f64): 0 f · 8 μ · 16 accepted · 24 outcome · 32 f at the start · 40 size of the last gradient ·
//   48 steps that moved nothing · 56 reserved · 64 x (n) · D (n)
// Rows (f64), one an accepted step and one of the start: 0 f · 8 largest |∂f| over the free variables
// Result (f64): 0 outcome: 0 settled, 1 not, 2 fell for ever · 8 accepted · 16 f · 24 f at the start · 32 x (n)

import {
  allocate, appendRow, countStep, finish, isFiniteF64, openResult, openRows, openState, parameterF64, restoreState,
  rowsFull, running, show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { philox, Purpose, uniform } from "../math/philox";
import { backward, cholesky, forward, rowAt } from "../opt/cholesky";
import { evaluate, openObjective, value } from "../opt/objective";
import { at, put } from "../opt/program";
import { allowed, count, first, Kind, kind, lowers, n, readSmooth, uppers, which } from "../opt/smooth";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SETTLED: f64 = 1e-13;
const FAR: f64 = 1e12;
const LARGEST_MU: f64 = 1e30;

let body: usize = 0, x: usize = 0, D: usize = 0;
let gradient: usize = 0, hessian: usize = 0, matrix: usize = 0, step: usize = 0, tried: usize = 0, words: usize = 0;
let unitsPerStep: u64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, to: f64): void { store<f64>(body + offset, to); }

function prepare(): void {
  readSmooth();
  const vector = <usize>n << 3, square = vector * <usize>n;
  body = openState(64 + 2 * vector);
  x = body + 64;
  D = x + vector;
  watchFinite(body, 8 + 2 * n);
  gradient = allocate(vector);
  hessian = allocate(square);
  matrix = allocate(square);
  step = allocate(vector);
  tried = allocate(vector);
  words = allocate(16);
  openObjective(gradient, hessian, allocate(2 * vector + 64));
  openRows(16 * 1024);
  const square1 = <u64>(n * n), perItem = kind == Kind.MODEL ? 40 + 3 * square1 : (square1 + 2 * <u64>n) * (10 + 20 * <u64>n);
  unitsPerStep = 1000 + square1 * <u64>(n + 64) / 8 + (kind == Kind.FUNCTION ? 0 : <u64>count * perItem);
}

export function start(_budget: i32): i32 {
  prepare();
  const number = <u32>parameterF64(40);
  for (let j = 0; j < n; j++) {
    const own = number == 0 ? at(first, j) : drawn(<u32>j, number, at(first, j));
    put(x, j, max(at(lowers, j), min(at(uppers, j), own)));
    put(D, j, kind == Kind.MODEL ? 0.0 : 1.0);
  }
  evaluate(x);
  spend(unitsPerStep);
  setField(0, value);
  setField(32, value);
  setField(8, kind == Kind.MODEL ? 1e-3 : 0.0);
  if (!isFiniteF64(value)) { setField(0, 0.0); setField(32, 0.0); setField(24, 1.0); conclude(); return 1; }
  noteGradient();
  writeRow();
  return 1;
}

/** Where other starts lie: the function's usual box, or about x₀. */
function drawn(j: u32, number: u32, around: f64): f64 {
  philox(number, 0, j, Purpose.MEASUREMENT, <u32>parameterF64(48), <u32>parameterF64(56), words);
  const u = 2.0 * uniform(load<u32>(words), load<u32>(words, 4)) - 1.0;
  if (kind == Kind.MODEL) return around + 0.5 * u * (around == 0.0 ? 1.0 : abs(around));
  if (kind == Kind.POLYNOMIAL) return around + 2.0 * u * (1.0 + abs(around));
  if (which == 3) return j == 0 ? 1.25 + 2.75 * u : 0.5 + 3.5 * u;
  return (which == 0 ? 2.0 : which == 2 ? 4.5 : 5.0) * u;
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { evaluate(x); return 1; }

// ---- steps ---------------------------------------------------------------------------------------------

export function advance(most: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < most && running() && work() < end && !rowsFull(16)) {
    evaluate(x);
    tryStep();
    countStep();
    spend(unitsPerStep);
    taken++;
    if (running() && stepsDone() >= allowed) { setField(24, 1.0); conclude(); }
  }
  show(0, field(0));
  show(1, field(40));
  return taken;
}

/** A variable at a bound that f would like to leave through. */
@inline function isHeld(j: i32): bool {
  return (at(x, j) <= at(lowers, j) && at(gradient, j) > 0.0) || (at(x, j) >= at(uppers, j) && at(gradient, j) < 0.0);
}

function noteGradient(): void {
  let size = 0.0;
  for (let j = 0; j < n; j++) if (!isHeld(j)) size = max(size, abs(at(gradient, j)));
  setField(40, size);
}

/** Matrix and right side on the free variables; false where it is not positive definite. */
function factorized(mu: f64): bool {
  memory.copy(matrix, hessian, <usize>(n * n) << 3);
  for (let i = 0; i < n; i++) {
    const row = rowAt(matrix, n, i), held = isHeld(i);
    for (let j = 0; j < n; j++) if (held || isHeld(j)) put(row, j, 0.0);
    put(row, i, held ? 1.0 : at(row, i) + mu * at(D, i));
    put(step, i, held ? 0.0 : -at(gradient, i));
  }
  return cholesky(matrix, n, 0.0);
}

function tryStep(): void {
  let largest = 0.0;
  for (let i = 0; i < n; i++) {
    const own = at(rowAt(hessian, n, i), i);
    largest = max(largest, abs(own));
    if (kind == Kind.MODEL) put(D, i, max(at(D, i), own > 0.0 ? own : 1e-300));
  }
  if (!factorized(field(8))) { raise(largest); return; }
  forward(matrix, n, step);
  backward(matrix, n, step);
  const expected = clip();
  const old = field(0), moved = hasMoved();
  evaluate(tried);
  const gained = old - value;
  if (!isFiniteF64(value) || !(gained >= 0.0) || !(expected > 0.0)) {
    if (!moved || abs(gained) <= 4e-16 * abs(old)) settle(largest, moved);
    else raise(largest);
    return;
  }
  memory.copy(x, tried, <usize>n << 3);
  setField(0, value);
  setField(16, field(16) + 1.0);
  forgetScales();
  const ratio = gained / expected;
  if (ratio > 0.75) lowerMu(largest);
  else if (ratio < 0.25) raise(largest);
  noteGradient();
  writeRow();
  if (isSettled() || !moved) conclude();
  else if (sizeOf(x) > FAR || value < -FAR * (1.0 + abs(field(32)))) { setField(24, 2.0); conclude(); }
}

/** Neither up nor down within rounding: a few more tries with a shorter step, then it is the minimum. */
function settle(largest: f64, moved: bool): void {
  setField(48, field(48) + 1.0);
  if (!moved || field(48) > 8.0) conclude(); else raise(largest);
}

function raise(largest: f64): void {
  const unit = kind == Kind.MODEL ? 1.0 : largest > 0.0 ? largest : 1.0;
  setField(8, max(1e-3 * unit, 4.0 * field(8)));
  if (field(8) > LARGEST_MU * unit) conclude();
}

function lowerMu(largest: f64): void {
  const unit = kind == Kind.MODEL ? 1.0 : largest;
  const next = 0.1 * field(8);
  setField(8, next < 1e-9 * unit ? 0.0 : next);
}

/** The step, cut at the bounds, to `tried`; what the quadratic model gains by it. */
function clip(): f64 {
  let gained = 0.0;
  for (let j = 0; j < n; j++) {
    put(tried, j, max(at(lowers, j), min(at(uppers, j), at(x, j) + at(step, j))));
    put(step, j, at(tried, j) - at(x, j));
  }
  for (let i = 0; i < n; i++) {
    let curved = 0.0;
    for (let j = 0; j < n; j++) curved += at(rowAt(hessian, n, i), j) * at(step, j);
    gained -= at(step, i) * (at(gradient, i) + 0.5 * curved);
  }
  return gained;
}

/** Scales of far away do not hold for ever: where a model falls off, its curvature there may be any number of times that here. */
function forgetScales(): void {
  if (kind == Kind.MODEL) for (let j = 0; j < n; j++) put(D, j, 0.25 * at(D, j));
}

function hasMoved(): bool {
  for (let j = 0; j < n; j++) if (abs(at(step, j)) > 4e-16 * abs(at(x, j))) return true;
  return false;
}

function sizeOf(v: usize): f64 {
  let size = 0.0;
  for (let j = 0; j < n; j++) size = max(size, abs(at(v, j)));
  return size;
}

/** Of a function by its gradient; a model of data goes on until nothing moves. */
function isSettled(): bool {
  return kind != Kind.MODEL && field(40) * max(1.0, sizeOf(x)) <= SETTLED * max(1.0, abs(field(0)));
}

// ---- ends ----------------------------------------------------------------------------------------------

function writeRow(): void {
  const row = appendRow(16);
  store<f64>(row, field(0));
  store<f64>(row, field(40), 8);
}

function conclude(): void {
  const out = openResult(32 + 8 * n);
  store<f64>(out, field(24));
  store<f64>(out, field(16), 8);
  store<f64>(out, field(0), 16);
  store<f64>(out, field(32), 24);
  memory.copy(out + 32, x, <usize>n << 3);
  finish();
}
