// Linear programmes by the bounded dual simplex method with steepest edges (Koberstein, The dual simplex method,
// techniques for a fast and stable implementation, thesis, Paderborn 2005: algorithm 4, and §4.2 for phase 1).
//
// Phase 0 solves the boxed problem, min cᵀx with right sides 0 and bounds 0, 1 or 1000 in place of those that are
// infinite. It is dual feasible from its slack basis; its optimum 0 leaves a basis that is dual feasible for the
// programme, an optimum below 0 is a ray on which cᵀx falls for ever. Phase 1 is the programme itself; where no column
// can enter, the row of the inverse is Farkas' certificate. Phase 2, only behind a ray, asks whether there is a
// feasible point at all, from the slack basis again, by costs of its own, for which that is dual feasible; so does phase
// 1 where all costs are 0.
//
// Rows and columns are scaled by powers of two. A step is a pivot, factors made anew, a nearer look at the rows or the end of a
// phase. After 100 pivots, and one for each variable, without a gain the smallest index leaves and enters (Bland, Math.
// Oper. Res. 2 (1977) 103), until there is one.
//
// Parameters: assembly/opt/program.ts
// State body (f64): 0 phase · 8 pivots · 16 pivots since the last gain · 24 pivots since the factors were made, small ones fourfold · 32 outcome
//   40 objective · 48 largest violation · 56 factors made · 64 largest |x| in the basis · 72 how near: 0, 1, 2 · 80 columns that hardly pulled and moved · 88 x of all n+m variables · reduced costs of all (n+m)
//   place of each: 0 at its lower bound, 1 upper, 2 free at 0, 3 basic (n+m) · ray (n+m)
//   basis, and what its factors follow from (assembly/opt/basis.ts)
// Rows (f64), one a step of phase 1: 0 objective · 8 largest violation, scaled
// Result (f64): 0 outcome: 0 optimal, 1 infeasible, 2 unbounded · 8 pivots · 16 cᵀx · 24 x (n) · y (m) · ray (n+m):
//   of an infeasible programme multipliers (m), of an unbounded one the direction (n)

import {
  appendRow, countStep, fail, finish, openResult, openRows, restoreState, rowsFull, running, show, spend, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { basicAt, exchange, lengthOf, solved, takeEffort, takeRowOf } from "../opt/basis";
import { REFACTOR, addTransposed, hasRoom, movedAt, movedBy, pivotRow } from "../opt/factors";
import { alphas, priced, reachedAt, reachedBy } from "../opt/pricing";
import { allowed, at, extent, m, n, price, put } from "../opt/program";
import { enteringVariable, flip, openRatios } from "../opt/ratio";
import {
  all, AS_BEFORE, AT_LOWER, AT_UPPER, BASIC, beginPhase, columnScales, entering, FEASIBLE, field, highsOfBasis, isAnyPointRight, isDualFeasible,
  isStalled, layDown, layPlace, least, lower, lowsOfBasis, NEARER, nearly, objective, openSimplex, outside, phase, place, ray, reduced, remake,
  rowScales, setField, takeMultipliers, takeSlacks, termsOfObjective, unitsPerPivot, upper, value, values, x, y,
} from "../opt/simplex";
import { isDoubtful, takeWorthwhileColumn, worthwhileRow } from "../opt/worthwhile";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

/** Pivots without a gain by which a nearer look may end. */
const IDLE: f64 = 20;
/** A pivot that is a smaller part of its column counts fourfold. */
const SMALL: f64 = 0.1;
/** By how much a pivot may differ, beside itself, where its row and its column give it. */
const DRIFT: f64 = 1e-9;
/** Of a certificate, beside its largest entry: what rounding may have left where there is nothing. */
const NOISE: f64 = 1e-10;
/** Slope of a ray, beside the terms that it is the sum of. */
const SLOPE: f64 = 1e-10;

function prepare(): void {
  openSimplex();
  openRatios();
  openRows(16 * 1024);
}

export function start(_budget: i32): i32 {
  prepare();
  takeSlacks();
  if (!isDualFeasible()) beginPhase(0.0);
  else beginPhase(1.0);
  spend(takeEffort());
  return 1;
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { layDown(); return 1; }

// ---- a pivot -------------------------------------------------------------------------------------------

export function advance(most: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < most && running() && work() < end && !rowsFull(16)) {
    pivotOnce();
    countStep();
    spend(unitsPerPivot + takeEffort());
    taken++;
    if (running() && field(8) >= <f64>allowed) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, field(40));
  show(1, field(48));
  return taken;
}

function pivotOnce(): void {
  if (field(24) >= REFACTOR || !hasRoom()) { remake(); if (!running()) return; }
  if (field(72) == NEARER && field(16) > IDLE) setField(72, AS_BEFORE);
  let r = leavingRow();
  writeRow();
  if (r < 0) {
    if (field(24) > 0.0) { remake(); return; }
    if (lookNearer()) return;
    r = phase() == 1.0 ? worthwhileRow() : -1;
    if (r < 0) { if (!takeWorthwhileColumn()) endPhase(); return; }
    takeRowOf(r);
  }
  const leaves = basicAt(r), sigma = outside(leaves) < 0.0 ? 1.0 : -1.0;
  const q = enteringVariable(r, sigma);
  if (q < 0) { if (field(24) > 0.0) remake(); else if (field(72) == NEARER) setField(72, AS_BEFORE); else noneEnters(r, sigma); return; }
  flip();
  solved(q, entering);
  if (field(24) > 0.0 && !(abs(at(entering, r) - at(alphas, q)) <= DRIFT * abs(at(alphas, q)))) { remake(); return; }
  const step = at(reduced, q) / at(alphas, q);
  setField(16, abs(step) > 1e-12 ? 0.0 : field(16) + 1.0);
  for (let k = 0; k < reachedBy(); k++) put(reduced, reachedAt(k), at(reduced, reachedAt(k)) - step * at(alphas, reachedAt(k)));
  put(reduced, q, 0.0);
  put(reduced, leaves, -step);
  const bound = sigma > 0.0 ? lower(leaves) : upper(leaves), length = (at(x, leaves) - bound) / at(entering, r);
  let largest = 0.0;
  for (let k = 0; k < movedBy(); k++) {
    const i = movedAt(k), moves = at(entering, i);
    largest = max(largest, abs(moves));
    if (i != r) value(i, at(values, i) - length * moves);
  }
  const counts = abs(at(entering, r)) < SMALL * largest ? 4.0 : 1.0;
  put(x, leaves, bound);
  put(place, leaves, sigma > 0.0 ? AT_LOWER : AT_UPPER);
  put(place, q, BASIC);
  exchange(r, q, entering);
  layPlace(r);
  value(r, at(x, q) + length);
  setField(8, field(8) + 1.0);
  setField(24, field(24) + counts);
}

/**
 * The optimum of rows that are held to 1e-9: beside steep columns so little can be worth parts in a hundred, in many pivots of
 * hardly any gain each, so that the rest is held as well as numbers can.
 */
function lookNearer(): bool {
  if (phase() != 1.0 || isAnyPointRight() || field(72) != 0.0) return false;
  setField(72, NEARER);
  setField(16, 0.0);
  return true;
}

/** The row that is to leave, as the pivotRow; −1: feasible. Where it is longer by far than it was taken for, another may be better. */
function leavingRow(): i32 {
  const r = bestRow();
  if (r < 0 || takeRowOf(r) || isStalled()) return r;
  const other = bestRow();
  if (other != r) takeRowOf(other);
  return other;
}

/** The row with the largest violation²/‖row of the inverse‖²; −1: feasible. Bland: the smallest index. */
function bestRow(): i32 {
  const low = f64x2.splat(least()), two = m & ~1;
  best = -1; most = 0.0; worst = 0.0;
  for (let i = 0; i < two; i += 2) {
    const skip = <usize>i << 3, own = v128.load(values + skip);
    const apart = f64x2.max(f64x2.sub(v128.load(lowsOfBasis + skip), own), f64x2.sub(own, v128.load(highsOfBasis + skip)));
    if (v128.any_true(f64x2.gt(apart, low))) { consider(i); consider(i + 1); }
  }
  if (two < m) consider(two);
  setField(48, worst);
  return best;
}

let best: i32 = 0, most: f64 = 0, worst: f64 = 0;

function consider(i: i32): void {
  const j = basicAt(i), violation = abs(outside(j));
  if (violation <= nearly(j)) return;
  worst = max(worst, violation);
  const gain = isStalled() ? 1.0 / <f64>(j + 1) : violation * violation / lengthOf(i);
  if (gain > most) { most = gain; best = i; }
}

// ---- ends ----------------------------------------------------------------------------------------------

function writeRow(): void {
  setField(40, objective());
  if (phase() != 1.0) return;
  const row = appendRow(16);
  store<f64>(row, field(40) / (extent * price));
  store<f64>(row, field(48) / extent, 8);
}

/** A column without a bound, or a row of one entry, takes no multiple of what is to be nothing. */
function dropNoise(array: usize, count: i32): void {
  let most = 0.0;
  for (let i = 0; i < count; i++) most = max(most, abs(at(array, i)));
  for (let i = 0; i < count; i++) if (abs(at(array, i)) < NOISE * most) put(array, i, 0.0);
}

/** The pivotRow is row r, with which Farkas’ multipliers begin. */
function noneEnters(r: i32, sigma: f64): void {
  for (let i = 0; i < m; i++) put(entering, i, i == r ? 1.0 : 0.0);
  refine(pivotRow, entering);
  dropNoise(pivotRow, m);
  for (let i = 0; i < m; i++) put(ray, i, sigma * at(pivotRow, i) * at(rowScales, i));
  for (let i = m; i < all; i++) put(ray, i, 0.0);
  setField(32, 1.0);
  conclude();
}

function endPhase(): void {
  if (phase() == 1.0) {
    if (!isAnyPointRight() && isDoubtful()) fail(Status.DID_NOT_CONVERGE); else conclude();
    return;
  }
  if (phase() == 2.0) { setField(32, 2.0); conclude(); return; }
  if (objective() >= -FEASIBLE - SLOPE * termsOfObjective()) { beginPhase(1.0); return; }
  for (let j = 0; j < all; j++) put(ray, j, j < n ? at(x, j) : 0.0);
  dropNoise(ray, n);
  for (let j = 0; j < n; j++) put(ray, j, at(ray, j) * at(columnScales, j));
  takeSlacks();
  beginPhase(2.0);
}

/** y with y·a_j = wanted of each basic j, once more from what it lacks; `wanted` is used up. */
function refine(y: usize, wanted: usize): void {
  for (let i = 0; i < m; i++) put(wanted, i, at(wanted, i) - priced(y, basicAt(i)));
  addTransposed(wanted, y);
}

function conclude(): void {
  const out = openResult(24 + 8 * (2 * n + 2 * m)), to = out + 24;
  store<f64>(out, field(32));
  store<f64>(out, field(8), 8);
  store<f64>(out, objective() / (extent * price), 16);
  takeMultipliers();
  refine(y, entering);
  if (isAnyPointRight()) memory.fill(y, 0, <usize>m << 3);
  for (let j = 0; j < n; j++) put(to, j, at(x, j) * at(columnScales, j) / extent);
  for (let i = 0; i < m; i++) put(to, n + i, -at(y, i) * at(rowScales, i) / price);
  for (let j = 0; j < all; j++) put(to, all + j, at(ray, j));
  finish();
}
