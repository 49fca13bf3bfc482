// The lowest levels of a symmetric operator by Lanczos' method with full reorthogonalisation (Parlett, The Symmetric
// Eigenvalue Problem, ch. 13). A kernel applies its operator and its inner product; the tables are kept here.
//
// One start vector meets one vector of each level, so converged ones are locked and a new vector is started beside them,
// until the lowest level of a pass lies above all that are wanted: levels of any multiplicity are found.
//
// Pass (f64):    0 iteration k of this pass · 8 locked vectors · 16 passes before
// Tables (f64):  α, most · β, most · locked levels, slots · q₀ … q_most · room for locked vectors

import { allocate, fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { bandAxpy, bandDot } from "./banded";
import { bisected, sturmCount, tridiagonalVector } from "./tridiagonal";

/** What `lookAt` says beside a count: every wanted level is locked, and none lies below them. */
export const ALL_FOUND: i32 = -1;

let pass: usize = 0, alpha: usize = 0, beta: usize = 0, levels: usize = 0, basis: usize = 0, locks: usize = 0;
let squares: usize = 0, s: usize = 0, f: usize = 0, b: usize = 0;
let n: i32 = 0, wanted: i32 = 0, most: i32 = 0, places: i32 = 0;
let low: f64 = 0, high: f64 = 0, origin: f64 = 0, tolerance: f64 = 0, broken: f64 = 0;

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

@inline export function iteration(): i32 { return <i32>load<f64>(pass); }
@inline export function locked(): i32 { return <i32>load<f64>(pass, 8); }
@inline export function passNumber(): f64 { return load<f64>(pass, 16); }
@inline export function setIteration(k: i32): void { store<f64>(pass, <f64>k); }
@inline export function q(k: i32): usize { return basis + ((<usize>k * <usize>n) << 3); }
@inline function lock(k: i32): usize { return locks + ((<usize>k * <usize>n) << 3); }
@inline export function setRow(k: i32, diagonal: f64, below: f64): void { put(alpha, k, diagonal); put(beta, k, below); }

// ---- tables --------------------------------------------------------------------------------------------

/** Numbers of the tables that must be finite, and the bytes of all tables for vectors of n. */
@inline export function numbersIn(most: i32, slots: i32): i32 { return 2 * most + slots; }
export function tableBytes(n: i32, most: i32, slots: i32, room: i32): usize {
  return (<usize>numbersIn(most, slots) + <usize>(most + 1 + room) * <usize>n) << 3;
}

/** At most `most_` iterations a pass, `wanted_` levels of n_ numbers. */
export function layTables(pass_: usize, tables: usize, n_: i32, wanted_: i32, most_: i32, slots: i32, room: i32): void {
  pass = pass_; n = n_; wanted = wanted_; most = most_;
  places = min(slots, room);
  alpha = tables;
  beta = alpha + (<usize>most << 3);
  levels = beta + (<usize>most << 3);
  basis = levels + (<usize>slots << 3);
  locks = q(most + 1);
  const bytes = <usize>most << 3;
  squares = allocate(bytes); s = allocate(bytes); f = allocate(bytes); b = allocate(bytes);
}

/**
 * Levels lie within [low_, high_], of which Infinity stands for Gershgorin's bound; one has converged where its
 * residual is within `tolerance_` of its distance from `origin_`. A β of `broken_` or less ends the space.
 */
export function setLevels(low_: f64, high_: f64, origin_: f64, tolerance_: f64, broken_: f64): void {
  low = low_; high = high_; origin = origin_; tolerance = tolerance_; broken = broken_;
}

// ---- vectors -------------------------------------------------------------------------------------------

/** Takes from x its parts along locked vectors and q₀ … q_k. `image`: x times the matrix of the inner product. */
export function takeParts(x: usize, image: usize, k: i32): void {
  for (let i = 0, count = locked(); i < count; i++) bandAxpy(-bandDot(lock(i), image, n), lock(i), x, n);
  for (let i = 0; i <= k; i++) bandAxpy(-bandDot(q(i), image, n), q(i), x, n);
}

/** Whether the space of the start vector ends here: then all levels that it knows are exact. */
@inline export function isBroken(k: i32): bool { return at(beta, k) <= broken; }

/** Whether no iteration can follow in this pass. */
@inline export function isLast(k: i32): bool { return k == min(most, n - locked()) - 1; }

export function nextPass(): void { store<f64>(pass, passNumber() + 1.0, 16); }

// ---- levels of the pass --------------------------------------------------------------------------------

function fillSquares(k: i32): void {
  for (let i = 0; i < k; i++) put(squares, i, at(beta, i) * at(beta, i));
}

/** Gershgorin's bound of T of k + 1 rows. */
function bound(k: i32): f64 {
  let most = -Infinity;
  for (let i = 0; i <= k; i++) most = max(most, at(alpha, i) + (i > 0 ? at(beta, i - 1) : 0.0) + (i < k ? at(beta, i) : 0.0));
  return most;
}

/** The j-th level that T of k + 1 rows knows. */
function ritz(j: i32, k: i32): f64 {
  fillSquares(k);
  return bisected(alpha, squares, k + 1, j, low, high == Infinity ? bound(k) : high, 64);
}

/** Whether that level has converged; its vector in the basis is left in `s`. */
function converged(k: i32, level: f64): bool {
  tridiagonalVector(alpha, beta, k + 1, level, s, f, b);
  return at(beta, k) * abs(at(s, k)) <= tolerance * abs(level - origin);
}

/** `count`, or as many as there are in a broken space, if so many lowest levels have converged; otherwise 0. */
function readyToLock(count: i32, k: i32): i32 {
  if (isBroken(k)) count = min(count, k + 1);
  else if (count > k) return 0;
  for (let j = count - 1; j >= 0; j--) if (!converged(k, ritz(j, k))) return 0;
  return count;
}

/** How many of the lowest levels are to be locked before another pass; or ALL_FOUND; 0: go on. */
export function lookAt(k: i32): i32 {
  const missing = wanted - locked();
  if (missing > 0) return readyToLock(missing, k);
  const highest = lockedLevel(wanted - 1), lowest = ritz(0, k);
  if (lowest >= highest - 1e-9 * abs(highest - origin) && converged(k, lowest)) return ALL_FOUND;
  fillSquares(k);
  const below = sturmCount(alpha, squares, k + 1, highest);
  return below > 0 ? readyToLock(min(below, max(1, places - locked())), k) : 0;
}

/** Level j of the pass and its vector in the next free place, not yet parted from the others; 0 without a place. */
export function layVector(j: i32, k: i32): usize {
  const place = locked();
  if (place >= places) { fail(Status.DID_NOT_CONVERGE); return 0; }
  put(levels, place, ritz(j, k));
  converged(k, at(levels, place));
  memory.fill(lock(place), 0, <usize>n << 3);
  for (let i = 0; i <= k; i++) bandAxpy(at(s, i), q(i), lock(place), n);
  return lock(place);
}

/**
 * Keeps what was laid last, if more than half of it is `left` beside the others: of levels that are one to rounding T
 * gives one vector twice, and what is left of the second is nothing.
 */
export function keepVector(left: f64): void {
  if (left > 0.5) store<f64>(pass, <f64>(locked() + 1), 8);
}

// ---- locked --------------------------------------------------------------------------------------------

/** The m-th of the locked levels. */
function sorted(m: i32): i32 {
  const count = locked();
  for (let i = 0; i < count; i++) {
    let below = 0;
    for (let j = 0; j < count; j++) if (at(levels, j) < at(levels, i) || (at(levels, j) == at(levels, i) && j < i)) below++;
    if (below == m) return i;
  }
  return 0;
}

export function lockedLevel(m: i32): f64 { return at(levels, sorted(m)); }
export function lockedVector(m: i32): usize { return lock(sorted(m)); }

export function largestOf(x: usize, n: i32): f64 {
  let most = 0.0;
  for (let i = 0; i < n; i++) most = max(most, abs(at(x, i)));
  return most;
}

/** The sign of the first number of x that is above a tenth of the largest. */
export function signOf(x: usize, n: i32): f64 {
  const tenth = 0.1 * largestOf(x, n);
  for (let i = 0; i < n; i++) if (abs(at(x, i)) > tenth) return at(x, i) > 0.0 ? 1.0 : -1.0;
  return 0.0;
}
