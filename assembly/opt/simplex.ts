// Where the dual simplex method stands (assembly/kernels/opt-lp.ts, whose state this is): the problem of the phase, x, the place and
// the reduced cost of each variable, and values by the basis.

import { allocate, fail, openState, spend, watchFinite } from "../kernel/frame";
import { Status } from "../kernel/status";
import { LEAF, dotLeaf } from "../math/reduce";
import { basicAt, basisBytes, follow, inverseTimes, openBasis, refactor, slackBasis, takeEffort } from "./basis";
import { addTransposed } from "./factors";
import { priced } from "./pricing";
import {
  allowed, at, costs, entryAt, equilibrate, lowers, m, mA, magnificationOfCosts, magnifyCosts, magnifyLengths, n, put,
  readProgram, rowOfEntry, sides, startOf, uppers,
} from "./program";

export const AT_LOWER: f64 = 0, AT_UPPER: f64 = 1, FREE: f64 = 2, BASIC: f64 = 3;
const HEAD: usize = 88;
export const FEASIBLE: f64 = 1e-9;
/** Where rows that lie outside by less than FEASIBLE are looked at: behind the optimum of the others, until nothing is gained. */
export const NEARER: f64 = 1, AS_BEFORE: f64 = 2;
const NEARLY_FEASIBLE: f64 = 1e-13;
/** Pivots without a gain, beside one for each variable: so many free ones may have to enter before there is any. */
const STALL: f64 = 100;
/** How often factors may be made anew beyond once for 16 pivots. */
const ANEW: u64 = 50;
/** How far apart ratios are one and the same, so that the largest pivot among them can be taken. */
export const TIE: f64 = 1e-10;
/** Its multiples lie evenly in 0 … 1. */
const GOLDEN: f64 = 0.6180339887498949;
/** Of sums of terms of size 1, in a basis that is none too good. */
export const ROUNDING: f64 = 1e-14;

let body: usize = 0;
export let x: usize = 0, reduced: usize = 0, place: usize = 0, ray: usize = 0;
export let rowScales: usize = 0, columnScales: usize = 0;
/** Rows of scratch: a column by places, multipliers. */
export let entering: usize = 0, y: usize = 0;
export let all: i32 = 0;
/** x in the basis by places, with its bounds. */
export let values: usize = 0, lowsOfBasis: usize = 0, highsOfBasis: usize = 0;
let lows: usize = 0, highs: usize = 0, hasCosts: bool = false;
/** Of a pivot, and of making the factors anew, beside what the basis counts. */
export let unitsPerPivot: u64 = 0;
let unitsAnew: u64 = 0;

@inline export function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline export function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline export function phase(): f64 { return field(0); }
@inline export function isStalled(): bool { return field(16) > STALL + <f64>all; }

/** The largest |x| in the basis since x was valued. */
@inline export function longest(): f64 { return field(64); }

export function openSimplex(): void {
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
  unitsPerPivot = 400 + 6 * <u64>all;
  unitsAnew = unitsPerPivot + 20 * <u64>m + 4 * <u64>startOf(n);
}

export function takeSlacks(): void {
  slackBasis();
  for (let j = 0; j < all; j++) put(place, j, j < n ? AT_LOWER : BASIC);
}

/** Of the slack basis: every cost pulls towards a bound that exists. */
export function isDualFeasible(): bool {
  for (let j = 0; j < n; j++) {
    const c = at(costs, j);
    if (c > 0.0 && at(lowers, j) == -Infinity) return false;
    if (c < 0.0 && at(uppers, j) == Infinity) return false;
  }
  return true;
}

/** Behind a state that is restored. */
export function layDown(): void {
  layBounds();
  follow();
  takeEffort();
  for (let i = 0; i < m; i++) {
    layPlace(i);
    put(values, i, at(x, basicAt(i)));
  }
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

@inline export function lower(j: i32): f64 { return at(lows, j); }
@inline export function upper(j: i32): f64 { return at(highs, j); }

function layBounds(): void {
  for (let j = 0; j < all; j++) {
    put(lows, j, lowerOfPhase(j));
    put(highs, j, upperOfPhase(j));
  }
}

/** Where any feasible point does, each variable is pulled to a bound that it has, each by a weight of its own, so that none tie. */
@inline export function isAnyPointRight(): bool { return phase() == 2.0 || !hasCosts; }

function pull(j: i32): f64 {
  const weight = 1.0 + (<f64>(j + 1) * GOLDEN) % 1.0;
  return at(lowers, j) > -Infinity ? weight : at(uppers, j) < Infinity ? -weight : 0.0;
}

@inline export function cost(j: i32): f64 { return j >= n ? 0.0 : isAnyPointRight() ? pull(j) : at(costs, j); }
@inline function side(i: i32): f64 { return phase() == 0.0 ? 0.0 : at(sides, i); }

/** From the basis that stands, whose factors are fresh: a phase ends, as the first one begins, without a pivot since then. */
export function beginPhase(next: f64): void {
  setField(0, next);
  setField(16, 0.0);
  layBounds();
  revalue();
}

export function remake(): void {
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
export function takeMultipliers(): void {
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
export function valueBasics(): void {
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
@inline export function value(i: i32, to: f64): void {
  put(values, i, to);
  put(x, basicAt(i), to);
  if (abs(to) > longest()) setField(64, abs(to));
}

/** Bounds of the variable at place i. */
export function layPlace(i: i32): void {
  put(lowsOfBasis, i, lower(basicAt(i)));
  put(highsOfBasis, i, upper(basicAt(i)));
}

/** rest −= value × column j of (A I). */
export function takeOff(rest: usize, j: i32, value: f64): void {
  if (j >= n) { put(rest, j - n, at(rest, j - n) - value); return; }
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) put(rest, rowOfEntry(k), at(rest, rowOfEntry(k)) - value * entryAt(k));
}

// ---- how far -------------------------------------------------------------------------------------------

/** How far variable j lies outside its bounds: below negative, above positive. */
@inline export function outside(j: i32): f64 {
  const value = at(x, j), low = lower(j), high = upper(j);
  return value < low ? value - low : value > high ? value - high : 0.0;
}

/** By how much a variable in the basis may lie outside of its bounds. */
@inline export function nearly(j: i32): f64 { return least() * (1.0 + abs(at(x, j))) + ROUNDING * longest(); }

@inline export function least(): f64 { return field(72) == NEARER ? NEARLY_FEASIBLE : FEASIBLE; }

export function objective(): f64 {
  let sum = 0.0;
  for (let j = 0; j < n; j += LEAF) sum += dotLeaf(costs + (<usize>j << 3), x + (<usize>j << 3), min(LEAF, n - j));
  return sum;
}

export function termsOfObjective(): f64 {
  let sum = 0.0;
  for (let j = 0; j < n; j++) sum += abs(at(costs, j) * at(x, j));
  return sum;
}
