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
// phase. After 100 pivots, and
// one for each variable, without a gain the smallest index leaves and enters (Bland, Math. Oper. Res. 2 (1977) 103),
// until there is one.
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
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, restoreState, rowsFull,
  running, show, spend, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { LEAF, dotLeaf } from "../math/reduce";
import {
  basicAt, basisBytes, exchange, follow, inverseTimes, lengthOf, openBasis, refactor, slackBasis, solveColumn, solved,
  takeEffort, takeRowOf,
} from "../opt/basis";
import { addBreakpoint, breakpointsLeft, clearBreakpoints, nextRatio, openBreakpoints, orderBreakpoints, takeBreakpoint } from "../opt/breakpoints";
import { REFACTOR, addTransposed, hasRoom, movedAt, movedBy, pivotRow, takeRow } from "../opt/factors";
import { intAt, ints, putInt } from "../opt/places";
import { alphas, priceRow, priced, reachedAt, reachedBy } from "../opt/pricing";
import {
  allowed, at, costs, entryAt, equilibrate, extent, lowers, m, mA, magnificationOfCosts, magnifyCosts, magnifyLengths, n,
  price, put, readProgram, rowOfEntry, sides, startOf, uppers,
} from "../opt/program";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const AT_LOWER: f64 = 0, AT_UPPER: f64 = 1, FREE: f64 = 2, BASIC: f64 = 3;
const HEAD: usize = 88;
const FEASIBLE: f64 = 1e-9;
/** Where rows that lie outside by less than FEASIBLE are looked at: behind the optimum of the others, until nothing is gained. */
const NEARER: f64 = 1, AS_BEFORE: f64 = 2;
const NEARLY_FEASIBLE: f64 = 1e-13;
const IDLE: f64 = 20;
const PIVOT: f64 = 1e-9;
/** A pivot that is a smaller part of its column counts fourfold. */
const SMALL: f64 = 0.1;
/** By how much a pivot may differ, beside itself, where its row and its column give it. */
const DRIFT: f64 = 1e-9;
/** Pivots without a gain, beside one for each variable: so many free ones may have to enter before there is any. */
const STALL: f64 = 100;
/** How often factors may be made anew beyond once for 16 pivots. */
const ANEW: u64 = 50;
/** How far apart ratios are one and the same, so that the largest pivot among them can be taken. */
const TIE: f64 = 1e-10;
/** Of a certificate, beside its largest entry: what rounding may have left where there is nothing. */
const NOISE: f64 = 1e-10;
/** Its multiples lie evenly in 0 … 1. */
const GOLDEN: f64 = 0.6180339887498949;
/** Of sums of terms of size 1, in a basis that is none too good. */
const ROUNDING: f64 = 1e-14;
/** Part of the objective that a pivot has to gain for a row that lies outside, or a column that is pulled, by hardly more than
 * rounding; rows tried, and columns that may move. */
const WORTH: f64 = 1e-6;
const TRIED: i32 = 4;
/** Part of the objective by which rounding may change it; rows of which that is asked. */
const DOUBT: f64 = 1e-4;
const ROWS_DOUBTED: i32 = 16;
const MOST_PULLED: f64 = 16;
/** A reduced cost beside its terms: what is less is 0 to the verdict too. */
const PRICED: f64 = 1e-12;
/** Slope of a ray, beside the terms that it is the sum of. */
const SLOPE: f64 = 1e-10;

let body: usize = 0, x: usize = 0, reduced: usize = 0, place: usize = 0, ray: usize = 0;
let lows: usize = 0, highs: usize = 0, rowScales: usize = 0, columnScales: usize = 0, entering: usize = 0, y: usize = 0;
let all: i32 = 0;
/** x in the basis by places, with its bounds. */
let values: usize = 0, lowsOfBasis: usize = 0, highsOfBasis: usize = 0;
/** Variables that a dual step passes. */
let passed: usize = 0, passedCount: i32 = 0;
let hasCosts: bool = false;
/** Of a pivot, and of making the factors anew, beside what the basis counts. */
let unitsPerPivot: u64 = 0, unitsAnew: u64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function phase(): f64 { return field(0); }
@inline function isStalled(): bool { return field(16) > STALL + <f64>all; }
/** The largest |x| in the basis since x was valued. */
@inline function longest(): f64 { return field(64); }

function prepare(): void {
  readProgram();
  all = n + m;
  rowScales = allocate(<usize>m << 3);
  columnScales = allocate(<usize>n << 3);
  lows = allocate(<usize>all << 3);
  highs = allocate(<usize>all << 3);
  entering = allocate(<usize>m << 3);
  y = allocate(<usize>m << 3);
  values = allocate(<usize>m << 3);
  lowsOfBasis = allocate(<usize>m << 3);
  highsOfBasis = allocate(<usize>m << 3);
  passed = ints(all);
  openBreakpoints(all);
  equilibrate(rowScales, columnScales);
  magnifyLengths(0.0);
  magnifyCosts(magnificationOfCosts());
  hasCosts = false;
  for (let j = 0; j < n; j++) if (at(costs, j) != 0.0) hasCosts = true;
  const bytes = <usize>all << 3;
  body = openState(HEAD + 4 * bytes + basisBytes());
  x = body + HEAD;
  reduced = x + bytes;
  place = reduced + bytes;
  ray = place + bytes;
  openBasis(ray + bytes);
  watchFinite(body, <i32>(11 + 4 * all + <i32>(basisBytes() >> 3)));
  openRows(16 * 1024);
  unitsPerPivot = 400 + 6 * <u64>all;
  unitsAnew = unitsPerPivot + 20 * <u64>m + 4 * <u64>startOf(n);
}

export function start(_budget: i32): i32 {
  prepare();
  takeSlacks();
  if (!isDualFeasible()) beginPhase(0.0);
  else beginPhase(1.0);
  spend(takeEffort());
  return 1;
}

function takeSlacks(): void {
  slackBasis();
  for (let j = 0; j < all; j++) put(place, j, j < n ? AT_LOWER : BASIC);
}

/** Of the slack basis: every cost pulls towards a bound that exists. */
function isDualFeasible(): bool {
  for (let j = 0; j < n; j++) {
    const c = at(costs, j);
    if (c > 0.0 && at(lowers, j) == -Infinity) return false;
    if (c < 0.0 && at(uppers, j) == Infinity) return false;
  }
  return true;
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 {
  layBounds();
  follow();
  takeEffort();
  for (let i = 0; i < m; i++) {
    layPlace(i);
    put(values, i, at(x, basicAt(i)));
  }
  return 1;
}

// ---- the problem of the phase --------------------------------------------------------------------------

@inline function ownLower(j: i32): f64 { return j < n ? at(lowers, j) : 0.0; }
@inline function ownUpper(j: i32): f64 { return j < n ? at(uppers, j) : j - n < mA ? Infinity : 0.0; }

function lowerOfPhase(j: i32): f64 {
  const own = ownLower(j);
  if (phase() != 0.0) return own;
  if (own > -Infinity) return 0.0;
  return ownUpper(j) < Infinity ? -1.0 : -1000.0;
}

function upperOfPhase(j: i32): f64 {
  const own = ownUpper(j);
  if (phase() != 0.0) return own;
  if (own < Infinity) return 0.0;
  return ownLower(j) > -Infinity ? 1.0 : 1000.0;
}

@inline function lower(j: i32): f64 { return at(lows, j); }
@inline function upper(j: i32): f64 { return at(highs, j); }

function layBounds(): void {
  for (let j = 0; j < all; j++) {
    put(lows, j, lowerOfPhase(j));
    put(highs, j, upperOfPhase(j));
  }
}

/** Where any feasible point does, each variable is pulled to a bound that it has, each by a weight of its own, so that none tie. */
@inline function isAnyPointRight(): bool { return phase() == 2.0 || !hasCosts; }
function pull(j: i32): f64 {
  const weight = 1.0 + (<f64>(j + 1) * GOLDEN) % 1.0;
  return at(lowers, j) > -Infinity ? weight : at(uppers, j) < Infinity ? -weight : 0.0;
}
@inline function cost(j: i32): f64 { return j >= n ? 0.0 : isAnyPointRight() ? pull(j) : at(costs, j); }
@inline function side(i: i32): f64 { return phase() == 0.0 ? 0.0 : at(sides, i); }

/** From the basis that stands, whose factors are fresh: a phase ends, as the first one begins, without a pivot since then. */
function beginPhase(next: f64): void {
  setField(0, next);
  setField(16, 0.0);
  layBounds();
  revalue();
}

function remake(): void {
  setField(24, 0.0);
  setField(56, field(56) + 1.0);
  const isMade = field(56) <= <f64>(allowed / 16 + ANEW) && refactor();
  spend(unitsAnew + takeEffort());
  if (isMade) revalue(); else fail(Status.DID_NOT_CONVERGE);
}

/** Reduced costs, places by their signs, values. */
function revalue(): void {
  priceAll();
  for (let j = 0; j < all; j++) if (at(place, j) != BASIC) settle(j);
  valueBasics();
}

/** d = c − (c_B B⁻¹) (A I). */
function priceAll(): void {
  takeMultipliers();
  for (let j = 0; j < all; j++) put(reduced, j, at(place, j) == BASIC ? 0.0 : cost(j) - priced(y, j));
}

/** y = c_B B⁻¹. */
function takeMultipliers(): void {
  for (let i = 0; i < m; i++) put(entering, i, cost(basicAt(i)));
  memory.fill(y, 0, <usize>m << 3);
  addTransposed(entering, y);
}

/** A variable that is not basic stands at the bound that its reduced cost pulls it to. */
function settle(j: i32): void {
  const low = lower(j), high = upper(j), d = at(reduced, j);
  const hasLow = low > -Infinity, hasHigh = high < Infinity;
  const goesUp = hasHigh && (d < -TIE || (d <= TIE && at(place, j) == AT_UPPER) || !hasLow);
  put(place, j, goesUp ? AT_UPPER : hasLow ? AT_LOWER : FREE);
  put(x, j, goesUp ? high : hasLow ? low : 0.0);
}

/** x_B = B⁻¹ (b − N x_N). */
function valueBasics(): void {
  const rest = y;
  for (let i = 0; i < m; i++) put(rest, i, side(i));
  for (let j = 0; j < all; j++) {
    const value = at(x, j);
    if (at(place, j) != BASIC && value != 0.0) takeOff(rest, j, value);
  }
  inverseTimes(rest, entering);
  setField(64, 0.0);
  for (let i = 0; i < m; i++) {
    layPlace(i);
    value(i, at(entering, i));
  }
}

/** The variable of place i comes to `to`. */
@inline function value(i: i32, to: f64): void {
  put(values, i, to);
  put(x, basicAt(i), to);
  if (abs(to) > longest()) setField(64, abs(to));
}

/** Bounds of the variable at place i. */
function layPlace(i: i32): void {
  put(lowsOfBasis, i, lower(basicAt(i)));
  put(highsOfBasis, i, upper(basicAt(i)));
}

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

/** How far variable j lies outside its bounds: below negative, above positive. */
@inline function outside(j: i32): f64 {
  const value = at(x, j), low = lower(j), high = upper(j);
  return value < low ? value - low : value > high ? value - high : 0.0;
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

/** By how much a variable in the basis may lie outside of its bounds. */
@inline function nearly(j: i32): f64 { return least() * (1.0 + abs(at(x, j))) + ROUNDING * longest(); }
@inline function least(): f64 { return field(72) == NEARER ? NEARLY_FEASIBLE : FEASIBLE; }

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

/**
 * Of the few rows that lie outside the most by less than leavingRow counts, that whose pivot gains the most, where that is
 * more than WORTH of the objective: beside steep columns a violation of 1e-9 can be worth parts in a hundred. −1: none.
 */
function worthwhileRow(): i32 {
  let best = -1, most = worth(), last = Infinity, lastRow = -1;
  for (let k = 0; k < TRIED; k++) {
    let row = -1, largest = ROUNDING * longest();
    for (let i = 0; i < m; i++) {
      const violation = abs(outside(basicAt(i)));
      if (violation > largest && (violation < last || (violation == last && i > lastRow))) { largest = violation; row = i; }
    }
    if (row < 0) break;
    last = largest; lastRow = row;
    takeRow(row);
    const q = enteringVariable(row, outside(basicAt(row)) < 0.0 ? 1.0 : -1.0);
    if (q < 0) continue;
    const gain = largest * abs(at(reduced, q) / at(alphas, q));
    if (gain > most) { most = gain; best = row; }
  }
  return best;
}

/**
 * Whether a row that lies outside by no more than rounding would change the objective by more than DOUBT of it, were it held: x
 * of 1e8 is known to 1e-8, beside columns so steep that this is parts in a hundred. The value is then not known.
 */
function isDoubtful(): bool {
  const most = DOUBT * abs(objective()) + NOISE * termsOfObjective();
  let last = Infinity, lastRow = -1;
  for (let k = 0; k < ROWS_DOUBTED; k++) {
    let row = -1, highest = 0.0;
    for (let i = 0; i < m; i++) {
      const violation = abs(outside(basicAt(i))), score = violation * violation / lengthOf(i);
      if (score > highest && (score < last || (score == last && i > lastRow))) { highest = score; row = i; }
    }
    if (row < 0) return false;
    last = highest; lastRow = row;
    takeRow(row);
    const q = enteringVariable(row, outside(basicAt(row)) < 0.0 ? 1.0 : -1.0);
    if (q < 0) continue;
    if (abs(outside(basicAt(row)) * at(reduced, q) / at(alphas, q)) > most) return true;
  }
  return false;
}

/** What a pivot has to gain where rows or reduced costs are as good as right. */
function worth(): f64 { return WORTH * abs(objective()) + NOISE * WORTH * termsOfObjective(); }

/** The largest multiplier, or 1. */
let steepest: f64 = 1;

/** Whether the reduced cost of j pulls it away from where it stands: by less than counts before. */
function isPulled(j: i32): bool {
  const where = at(place, j), d = at(reduced, j);
  if (where == BASIC || lower(j) == upper(j)) return false;
  const pulls = where == AT_LOWER ? d < 0.0 : where == AT_UPPER ? d > 0.0 : d != 0.0;
  return pulls && abs(d) > PRICED * termsOfPrice(j) + ROUNDING * steepest;
}

/** Sum of the sizes of the terms of a reduced cost; behind takeMultipliers(). */
function termsOfPrice(j: i32): f64 {
  if (j >= n) return abs(at(y, j - n));
  let sum = abs(cost(j));
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) sum += abs(at(y, rowOfEntry(k)) * entryAt(k));
  return sum;
}

let stoppedBy: i32 = 0;

/** How far the column whose solution is `entering` goes until a variable of the basis, stoppedBy, is at its bound. */
function wayOf(j: i32): f64 {
  const turn = at(reduced, j) < 0.0 ? -1.0 : 1.0;
  let least = Infinity, pivot = 0.0;
  for (let k = 0; k < movedBy(); k++) {
    const i = movedAt(k), moves = turn * at(entering, i), bound = at(moves > 0.0 ? highsOfBasis : lowsOfBasis, i);
    if (abs(moves) <= PIVOT || abs(bound) == Infinity) continue;
    const way = max(0.0, (bound - at(values, i)) / moves);
    if (way > least || (way == least && abs(moves) <= pivot)) continue;
    least = way; pivot = abs(moves); stoppedBy = i;
  }
  return least;
}

/**
 * Of the columns that are pulled the one that gains the most, where that is more than WORTH of the objective, enters or goes over
 * to its other bound: a reduced cost of 1e-9 is worth parts in a hundred where x is of size 1e7. Where nothing stops one, or
 * MOST_PULLED have moved before, the value is not known. False: there is none.
 */
function takeWorthwhileColumn(): bool {
  if (phase() != 1.0 || isAnyPointRight()) return false;
  let best = -1, most = worth();
  takeMultipliers();
  steepest = 1.0;
  for (let i = 0; i < m; i++) steepest = max(steepest, abs(at(y, i)));
  for (let j = 0; j < all; j++) {
    if (!isPulled(j)) continue;
    solveColumn(j, entering);
    const pull = abs(at(reduced, j)), way = min(wayOf(j), upper(j) - lower(j)), gain = pull * way;
    if (way == Infinity && pull <= PRICED * steepest) continue;
    if (gain > most) { most = gain; best = j; }
  }
  if (best < 0) return false;
  if (most == Infinity || field(80) >= MOST_PULLED) { fail(Status.DID_NOT_CONVERGE); return true; }
  setField(80, field(80) + 1.0);
  solveColumn(best, entering);
  if (wayOf(best) < upper(best) - lower(best)) enter(best); else cross(best);
  return true;
}

/** Column j goes over to its other bound. */
function cross(j: i32): void {
  const rises = at(place, j) == AT_LOWER;
  put(place, j, rises ? AT_UPPER : AT_LOWER);
  put(x, j, rises ? upper(j) : lower(j));
  valueBasics();
}

/** A primal step: column j, whose solution is `entering`, enters for the variable that stops it, and all is valued anew. */
function enter(j: i32): void {
  const r = stoppedBy, leaves = basicAt(r), isUp = (at(reduced, j) > 0.0) == (at(entering, r) > 0.0);
  takeRowOf(r);
  solved(j, entering);
  put(place, leaves, isUp ? AT_UPPER : AT_LOWER);
  put(place, j, BASIC);
  exchange(r, j, entering);
  setField(8, field(8) + 1.0);
  remake();
}

/**
 * The column that enters for row r, and those that go over to their other bound before it: past the ratio |d/α| of a column
 * with two bounds a step still gains, while x_r stays outside of its bounds with that column at the other one (Maros,
 * Computational Techniques of the Simplex Method, 2003, 10.4). Of equal ratios the largest |α|. −1: x_r stays outside whatever
 * moves. Bland: the first, of equal ones the smallest index.
 */
function enteringVariable(r: i32, sigma: f64): i32 {
  const bland = isStalled();
  priceRow(place, BASIC);
  clearBreakpoints();
  for (let k = 0; k < reachedBy(); k++) {
    const j = reachedAt(k), alpha = at(alphas, j);
    if (canEnter(j, sigma * alpha)) addBreakpoint(abs(at(reduced, j) / alpha), j);
  }
  orderBreakpoints();
  const leaves = basicAt(r), way = abs(outside(leaves));
  let gone = 0.0, last = 0.0, count = 0;
  while (breakpointsLeft() > 0 && gone <= way) {
    last = nextRatio();
    const j = takeBreakpoint();
    putInt(passed, count++, j);
    gone += bland ? Infinity : abs(at(alphas, j)) * (upper(j) - lower(j));
  }
  while (breakpointsLeft() > 0 && nextRatio() <= last + TIE) putInt(passed, count++, takeBreakpoint());
  passedCount = 0;
  if (way - gone > nearly(leaves) + ROUNDING * gone) return -1;
  let best = -1, most = 0.0;
  for (let k = 0; k < count; k++) {
    const j = intAt(passed, k), alpha = at(alphas, j);
    if (abs(at(reduced, j) / alpha) < last - TIE) { putInt(passed, passedCount++, j); continue; }
    const isBetter = bland ? best < 0 || j < best : abs(alpha) > most || (abs(alpha) == most && j < best);
    if (isBetter) { most = abs(alpha); best = j; }
  }
  return best;
}

/** Columns that were passed go over to their other bound, and x in the basis with them. */
function flip(): void {
  if (passedCount == 0) return;
  memory.fill(y, 0, <usize>m << 3);
  for (let k = 0; k < passedCount; k++) {
    const j = intAt(passed, k), rises = at(place, j) == AT_LOWER;
    const to = rises ? upper(j) : lower(j), change = to - at(x, j);
    put(place, j, rises ? AT_UPPER : AT_LOWER);
    put(x, j, to);
    takeOff(y, j, change);
  }
  spend(<u64>passedCount);
  inverseTimes(y, entering);
  for (let k = 0; k < movedBy(); k++) {
    const i = movedAt(k);
    value(i, at(values, i) + at(entering, i));
  }
}

/** rest −= value × column j of (A I). */
function takeOff(rest: usize, j: i32, value: f64): void {
  if (j >= n) { put(rest, j - n, at(rest, j - n) - value); return; }
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) put(rest, rowOfEntry(k), at(rest, rowOfEntry(k)) - value * entryAt(k));
}

@inline function canEnter(j: i32, turned: f64): bool {
  const where = at(place, j);
  if (where == BASIC || lower(j) == upper(j)) return false;
  if (where == AT_LOWER) return turned < -PIVOT;
  if (where == AT_UPPER) return turned > PIVOT;
  return abs(turned) > PIVOT;
}

// ---- ends ----------------------------------------------------------------------------------------------

function objective(): f64 {
  let sum = 0.0;
  for (let j = 0; j < n; j += LEAF) sum += dotLeaf(costs + (<usize>j << 3), x + (<usize>j << 3), min(LEAF, n - j));
  return sum;
}

function termsOfObjective(): f64 {
  let sum = 0.0;
  for (let j = 0; j < n; j++) sum += abs(at(costs, j) * at(x, j));
  return sum;
}

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
