// Modes of a cavity of square cells: K p = k²M p in nine-node elements (assembly/acoustics/mask.ts), by Lanczos' method on
// (K + sM)⁻¹M with full reorthogonalisation (T. Ericsson, A. Ruhe, Math. Comp. 35 (1980) 1251).
//
// One start vector meets one mode of each k², so converged modes are locked and a new vector is started beside them, until
// the lowest of a pass lies above all that are asked for: modes of any multiplicity are found. Then the inertia of K − σM at
// σ = k²(1 − 1e-6) of the highest proves that none is missed (Sylvester).
//
// Parameters: assembly/acoustics/mask.ts
// State body (f64): 0 phase: 0 factors, 1 Lanczos, 2 count · 8 row or iteration · 16 locked · 24 pass · 32 pivots below 0 ·
//   40 iterations of all passes · 48 α, 200 · β, 200 · levels −1/(k² + s), 128 · q₀ … q₂₀₀ · locked modes · the band
// Result (f64): k² [1/m²] of all modes from the lowest on · how many lie below σ · p of the chosen one at all nodes of the
//   grid around the cavity, row by row, the largest of size 1, 0 where there is no air
//
// A step is a row of a factorisation or an iteration. The number of these is known when they are done.

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { assembleBand, band, columns, n, numberOf, readMask, rows, timesMass } from "../acoustics/mask";
import { bandAxpy, bandBytes, bandDot, bandSolve, factorRows } from "../linear/banded";
import { bisected, sturmCount, tridiagonalVector } from "../linear/tridiagonal";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const MOST: i32 = 200;
const LOCKS: i32 = 128;
const EVERY: i32 = 5;
const TOLERANCE: f64 = 1e-11;

let body: usize = 0, alpha: usize = 0, beta: usize = 0, levels: usize = 0, basis: usize = 0, locks: usize = 0, a: usize = 0;
let image: usize = 0, squares: usize = 0, s: usize = 0, f: usize = 0, b: usize = 0;
let wanted: i32 = 0;
let shift: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function q(k: i32): usize { return basis + ((<usize>k * <usize>n) << 3); }
@inline function lock(k: i32): usize { return locks + ((<usize>k * <usize>n) << 3); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readMask();
  wanted = <i32>parameterF64(72);
  const vectors = MOST + 1 + wanted + 8;
  body = openState(48 + (<usize>(2 * MOST + LOCKS) << 3) + ((<usize>vectors * <usize>n) << 3) + bandBytes(n, band));
  alpha = body + 48;
  beta = alpha + (MOST << 3);
  levels = beta + (MOST << 3);
  basis = levels + (LOCKS << 3);
  locks = q(MOST + 1);
  a = lock(wanted + 8);
  watchFinite(body, 6 + 2 * MOST + LOCKS);
  image = allocate(<usize>n << 3);
  squares = allocate(MOST << 3); s = allocate(MOST << 3); f = allocate(MOST << 3); b = allocate(MOST << 3);
  const size = max(parameterF64(0), parameterF64(8));
  shift = 3.0 / (size * size);
}

export function start(_budget: i32): i32 {
  prepare();
  assembleBand(a, -shift);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

function startPass(): void {
  const pass = field(24), first = q(0);
  for (let i = 0; i < n; i++) {
    put(first, i, 1.0 / <f64>(1 + i) + (pass > 0.0 ? Math.cos(<f64>i * (0.7 + 0.31 * pass)) : 0.0));
  }
  setField(8, 0.0);
  makeOrthogonal(first, -1);
  makeOrthogonal(first, -1);
  normalise(first);
}

// ---- an iteration --------------------------------------------------------------------------------------

/** Takes from x its parts along locked modes and q₀ … q_k, in the product of M. */
function makeOrthogonal(x: usize, k: i32): void {
  const locked = <i32>field(16);
  timesMass(x, image);
  for (let i = 0; i < locked; i++) bandAxpy(-bandDot(lock(i), image, n), lock(i), x, n);
  for (let i = 0; i <= k; i++) bandAxpy(-bandDot(q(i), image, n), q(i), x, n);
}

/** x of size 1 in the product of M; returns what it was. */
function normalise(x: usize): f64 {
  timesMass(x, image);
  const size = sqrt(bandDot(x, image, n));
  if (size > 0.0) for (let i = 0; i < n; i++) put(x, i, at(x, i) / size);
  return size;
}

function iterate(k: i32): void {
  const next = q(k + 1);
  timesMass(q(k), next);
  bandSolve(a, n, band, next);
  for (let i = 0; i < n; i++) put(next, i, -at(next, i));
  timesMass(next, image);
  put(alpha, k, bandDot(q(k), image, n));
  makeOrthogonal(next, k);
  makeOrthogonal(next, k);
  put(beta, k, normalise(next));
  if (at(beta, k) > 1e-5 / shift) return;
  // What is left is mostly rounding, and made large: it must be parted once more.
  makeOrthogonal(next, k);
  normalise(next);
}

// ---- levels of the pass --------------------------------------------------------------------------------

function fillSquares(k: i32): void {
  for (let i = 0; i < k; i++) put(squares, i, at(beta, i) * at(beta, i));
}

function ritz(j: i32, k: i32): f64 {
  fillSquares(k);
  return bisected(alpha, squares, k + 1, j, -1.01 / shift, 0.0, 64);
}

function converged(k: i32, level: f64): bool {
  tridiagonalVector(alpha, beta, k + 1, level, s, f, b);
  return at(beta, k) * abs(at(s, k)) <= -TOLERANCE * level;
}

/** Whether the space of the start vector ends here: then all levels that it knows are exact. */
@inline function isBroken(k: i32): bool { return at(beta, k) <= 1e-10 / shift; }

/** Whether the lowest `count` levels have converged; then they are locked. */
function lockLowest(count: i32, k: i32): bool {
  if (isBroken(k)) count = min(count, k + 1);
  else if (count > k) return false;
  for (let j = count - 1; j >= 0; j--) if (!converged(k, ritz(j, k))) return false;
  for (let j = 0; j < count; j++) {
    const place = <i32>field(16);
    if (place >= min(LOCKS, wanted + 8)) { fail(Status.DID_NOT_CONVERGE); return false; }
    put(levels, place, ritz(j, k));
    converged(k, at(levels, place));
    memory.fill(lock(place), 0, <usize>n << 3);
    for (let i = 0; i <= k; i++) bandAxpy(at(s, i), q(i), lock(place), n);
    makeOrthogonal(lock(place), -1);
    // Of levels that are one to rounding T gives one vector twice: what is left of the second is nothing.
    if (normalise(lock(place)) > 0.5) setField(16, <f64>(place + 1));
  }
  return true;
}

/** The m-th of the locked modes. */
function sorted(m: i32): i32 {
  const locked = <i32>field(16);
  for (let i = 0; i < locked; i++) {
    let below = 0;
    for (let j = 0; j < locked; j++) if (at(levels, j) < at(levels, i) || (at(levels, j) == at(levels, i) && j < i)) below++;
    if (below == m) return i;
  }
  return 0;
}

@inline function squareOf(m: i32): f64 { return -1.0 / at(levels, sorted(m)) - shift; }

function look(k: i32): void {
  let ended = false;
  const missing = wanted - <i32>field(16);
  if (missing > 0) {
    ended = lockLowest(missing, k);
  } else {
    const highest = at(levels, sorted(wanted - 1)), lowest = ritz(0, k);
    if (lowest >= highest * (1.0 + 1e-9) && converged(k, lowest)) { startCount(); return; }
    fillSquares(k);
    const below = sturmCount(alpha, squares, k + 1, highest);
    if (below > 0) ended = lockLowest(min(below, max(1, wanted + 8 - <i32>field(16))), k);
  }
  if (!ended) return;
  setField(24, field(24) + 1.0);
  startPass();
}

function startCount(): void {
  setField(0, 2.0);
  setField(8, 0.0);
  setField(32, 0.0);
  memory.fill(a, 0, bandBytes(n, band));
  assembleBand(a, squareOf(wanted - 1) * (1.0 - 1e-6));
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, row = <u64>band * <u64>band / 4 + 6 * <u64>band;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    if (field(0) == 1.0) { stepLanczos(); spend(<u64>n * (2 * <u64>band + 500 + 2 * MOST)); } else { stepRow(); spend(row); }
    countStep();
    taken++;
  }
  show(0, <f64>stepsDone());
  return taken;
}

function stepRow(): void {
  const row = <i32>field(8);
  setField(32, field(32) + <f64>factorRows(a, band, row, row + 1, 1e-300));
  setField(8, <f64>(row + 1));
  if (row + 1 < n) return;
  if (field(0) == 2.0) { conclude(); return; }
  setField(0, 1.0);
  setField(40, 0.0);
  startPass();
}

function stepLanczos(): void {
  const k = <i32>field(8), last = k == min(MOST, n - <i32>field(16)) - 1;
  iterate(k);
  setField(8, <f64>(k + 1));
  setField(40, field(40) + 1.0);
  if (k % EVERY == EVERY - 1 || last || isBroken(k)) look(k);
  if (running() && field(0) == 1.0 && ((last && <i32>field(8) > k) || field(40) >= parameterF64(80))) fail(Status.DID_NOT_CONVERGE);
}

function conclude(): void {
  const out = openResult((wanted + 1 + columns * rows) << 3), h = parameterF64(16);
  for (let m = 0; m < wanted; m++) put(out, m, max(0.0, squareOf(m)) / (h * h));
  put(out, wanted, field(32));
  const chosen = lock(sorted(<i32>parameterF64(88)));
  let most = 0.0, sign = 0.0;
  for (let i = 0; i < n; i++) most = max(most, abs(at(chosen, i)));
  for (let i = 0; i < n && sign == 0.0; i++) if (abs(at(chosen, i)) > 0.1 * most) sign = at(chosen, i) > 0.0 ? 1.0 : -1.0;
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const number = numberOf(i, j);
      put(out, wanted + 1 + j * columns + i, number < 0 ? 0.0 : sign / most * at(chosen, number));
    }
  }
  finish();
}
