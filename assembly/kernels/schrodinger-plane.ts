// Levels in the plane: the product of two sine DVRs (assembly/kernels/schrodinger-dvr.ts) by Lanczos' method with full
// reorthogonalisation (Parlett, The Symmetric Eigenvalue Problem, ch. 13).
//
// One start vector meets one state of each level, so converged states are locked and a new vector is started beside
// them, until the lowest level of a pass lies above all that are asked for: levels of any multiplicity are found.
//
// Parameters: assembly/quantum/problem.ts
// State body (f64): 0 iterations k of this pass · 8 locked states · 16 pass · 24 α, 500 · β, 500 · locked levels, 80 · q₀ …
//   q₅₀₀ · locked states
// Result (f64): 0 … levels 0 to n + 1 [J] · ψ at inner nodes, row by row of y, ∫ψ² = 1 [1/m]
//
// A step is an iteration. Their number is known when they are done.

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { bandAxpy, bandDot } from "../linear/banded";
import { bisected, sturmCount, tridiagonalVector } from "../linear/tridiagonal";
import { bottom, height, left, potentialAt, readProblem, unitEnergy, width } from "../quantum/problem";
import { kineticEntry } from "../quantum/sines";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const MOST: i32 = 500;
const LOCKS: i32 = 80;
const EVERY: i32 = 10;
/** Iterations of all passes together. */
const BUDGET: u64 = 1500;
const TOLERANCE: f64 = 1e-7;

let body: usize = 0, alpha: usize = 0, beta: usize = 0, levels: usize = 0, basis: usize = 0, locks: usize = 0;
let v: usize = 0, tx: usize = 0, ty: usize = 0, squares: usize = 0, s: usize = 0, f: usize = 0, b: usize = 0;
let nx: i32 = 0, ny: i32 = 0, n: i32 = 0, wanted: i32 = 0;
let floor: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function q(k: i32): usize { return basis + ((<usize>k * <usize>n) << 3); }
@inline function lock(k: i32): usize { return locks + ((<usize>k * <usize>n) << 3); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  nx = <i32>parameterF64(152) - 1;
  ny = <i32>parameterF64(160) - 1;
  n = nx * ny;
  wanted = <i32>parameterF64(144) + 2;
  const vectors = MOST + 1 + 2 * wanted + 8;
  body = openState(24 + (<usize>(2 * MOST + LOCKS) << 3) + ((<usize>vectors * <usize>n) << 3));
  alpha = body + 24;
  beta = alpha + (MOST << 3);
  levels = beta + (MOST << 3);
  basis = levels + (LOCKS << 3);
  locks = q(MOST + 1);
  watchFinite(body, 3 + 2 * MOST + LOCKS);
  v = allocate(<usize>n << 3);
  squares = allocate(MOST << 3); s = allocate(MOST << 3); f = allocate(MOST << 3); b = allocate(MOST << 3);
  tx = kinetic(nx, 1.0);
  ty = kinetic(ny, (width / height) * (width / height));
  floor = Infinity;
  for (let i = 0; i < n; i++) {
    const x = left + width * (<f64>(i % nx + 1) / <f64>(nx + 1)), y = bottom + height * (<f64>(i / nx + 1) / <f64>(ny + 1));
    put(v, i, potentialAt(x, y, 0.0) / unitEnergy);
    floor = min(floor, at(v, i));
  }
}

function kinetic(size: i32, scale: f64): usize {
  const matrix = allocate((<usize>size * <usize>size) << 3);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) put(matrix, i * size + j, scale * kineticEntry(size + 1, i + 1, j + 1));
  }
  return matrix;
}

export function start(_budget: i32): i32 {
  prepare();
  startPass();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/** A first vector without symmetry, beside all that is locked. */
function startPass(): void {
  const pass = field(16), first = q(0);
  for (let i = 0; i < n; i++) {
    put(first, i, 1.0 / <f64>(1 + i) + (pass > 0.0 ? Math.cos(<f64>i * (0.7 + 0.31 * pass) + 0.013 * pass * <f64>(i % nx)) : 0.0));
  }
  setField(0, 0.0);
  makeOrthogonal(first, -1);
  makeOrthogonal(first, -1);
  scaleVector(first, 1.0 / sqrt(bandDot(first, first, n)));
}

// ---- an iteration --------------------------------------------------------------------------------------

function scaleVector(x: usize, by: f64): void {
  for (let i = 0; i < n; i++) put(x, i, by * at(x, i));
}

/** Takes from x its parts along locked states and q₀ … q_k. */
function makeOrthogonal(x: usize, k: i32): void {
  const locked = <i32>field(8);
  for (let i = 0; i < locked; i++) bandAxpy(-bandDot(lock(i), x, n), lock(i), x, n);
  for (let i = 0; i <= k; i++) bandAxpy(-bandDot(q(i), x, n), q(i), x, n);
}

/** y ← H x. */
function apply(x: usize, y: usize): void {
  for (let i = 0; i < n; i++) put(y, i, at(v, i) * at(x, i));
  const line = <usize>nx << 3;
  for (let j = 0; j < ny; j++) {
    const row = y + <usize>j * line, own = x + <usize>j * line;
    for (let i = 0; i < nx; i++) put(row, i, at(row, i) + bandDot(tx + <usize>i * line, own, nx));
    for (let k = 0; k < ny; k++) bandAxpy(at(ty, j * ny + k), x + <usize>k * line, row, nx);
  }
}

function iterate(k: i32): void {
  const next = q(k + 1);
  apply(q(k), next);
  put(alpha, k, bandDot(q(k), next, n));
  makeOrthogonal(next, k);
  makeOrthogonal(next, k);
  const size = sqrt(bandDot(next, next, n));
  put(beta, k, size);
  put(squares, k, size * size);
  if (size > 0.0) scaleVector(next, 1.0 / size);
}

// ---- levels of the pass --------------------------------------------------------------------------------

/** The j-th level that T of k + 1 rows knows. */
function ritz(j: i32, k: i32): f64 {
  for (let i = 0; i < k; i++) put(squares, i, at(beta, i) * at(beta, i));
  let high = -Infinity;
  for (let i = 0; i <= k; i++) {
    high = max(high, at(alpha, i) + (i > 0 ? at(beta, i - 1) : 0.0) + (i < k ? at(beta, i) : 0.0));
  }
  return bisected(alpha, squares, k + 1, j, floor, high, 64);
}

/** Whether that level has converged; its vector in the basis is left in `s`. */
function converged(j: i32, k: i32, level: f64): bool {
  tridiagonalVector(alpha, beta, k + 1, level, s, f, b);
  return at(beta, k) * abs(at(s, k)) <= TOLERANCE * (level - floor);
}

/** Whether the lowest `count` levels have converged; then they are locked. */
function lockLowest(count: i32, k: i32): bool {
  if (count > k) return false;
  for (let j = count - 1; j >= 0; j--) if (!converged(j, k, ritz(j, k))) return false;
  for (let j = 0; j < count; j++) {
    const place = <i32>field(8);
    if (place >= min(LOCKS, 2 * wanted + 8)) { fail(Status.DID_NOT_CONVERGE); return false; }
    put(levels, place, ritz(j, k));
    converged(j, k, at(levels, place));
    const state = lock(place);
    memory.fill(state, 0, <usize>n << 3);
    for (let i = 0; i <= k; i++) bandAxpy(at(s, i), q(i), state, n);
    makeOrthogonal(state, -1);
    // Of levels that are one to rounding T gives one vector twice: what is left of the second is nothing.
    const left = sqrt(bandDot(state, state, n));
    if (left <= 0.5) continue;
    scaleVector(state, 1.0 / left);
    setField(8, <f64>(place + 1));
  }
  return true;
}

/** The m-th of the locked levels. */
function sorted(m: i32): i32 {
  const locked = <i32>field(8);
  for (let i = 0; i < locked; i++) {
    let below = 0;
    for (let j = 0; j < locked; j++) if (at(levels, j) < at(levels, i) || (at(levels, j) == at(levels, i) && j < i)) below++;
    if (below == m) return i;
  }
  return 0;
}

function look(k: i32): void {
  let ended = false;
  const missing = wanted - <i32>field(8);
  if (missing > 0) {
    ended = lockLowest(missing, k);
  } else {
    const highest = at(levels, sorted(wanted - 1)), lowest = ritz(0, k);
    if (converged(0, k, lowest) && lowest >= highest - 1e-9 * (highest - floor)) { conclude(); return; }
    for (let i = 0; i < k; i++) put(squares, i, at(beta, i) * at(beta, i));
    const below = sturmCount(alpha, squares, k + 1, highest);
    if (below > 0) ended = lockLowest(below, k);
  }
  if (!ended) return;
  setField(16, field(16) + 1.0);
  startPass();
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const k = <i32>field(0), vectors = <u64>(k + 1) + <u64>field(8);
    iterate(k);
    setField(0, <f64>(k + 1));
    countStep();
    spend(<u64>n * (<u64>(nx + ny) / 2 + 10) + 2 * vectors * <u64>n + 50000);
    taken++;
    const last = k == min(MOST, n - <i32>field(8)) - 1;
    if (k % EVERY == EVERY - 1 || last) look(k);
    if (running() && ((last && <i32>field(0) > k) || stepsDone() == BUDGET)) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, <f64>stepsDone());
  return taken;
}

function conclude(): void {
  const out = openResult((wanted + n) << 3), chosen = lock(sorted(<i32>parameterF64(144)));
  for (let m = 0; m < wanted; m++) put(out, m, at(levels, sorted(m)) * unitEnergy);
  const psi = out + (<usize>wanted << 3);
  let most = 0.0, sign = 0.0;
  for (let i = 0; i < n; i++) most = max(most, abs(at(chosen, i)));
  for (let i = 0; i < n && sign == 0.0; i++) if (abs(at(chosen, i)) > 0.1 * most) sign = at(chosen, i) > 0.0 ? 1.0 : -1.0;
  const scale = sign / sqrt(bandDot(chosen, chosen, n) * width / <f64>(nx + 1) * height / <f64>(ny + 1));
  for (let i = 0; i < n; i++) put(psi, i, scale * at(chosen, i));
  finish();
}
