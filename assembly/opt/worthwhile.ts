// Rows that lie outside, and columns that are pulled, by hardly more than rounding (assembly/kernels/opt-lp.ts): beside steep columns
// they can be worth parts in a hundred of the objective.

import { fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { basicAt, exchange, lengthOf, solveColumn, solved, takeRowOf } from "./basis";
import { movedAt, movedBy, takeRow } from "./factors";
import { alphas } from "./pricing";
import { at, entryAt, m, n, put, rowOfEntry, startOf } from "./program";
import { enteringVariable, PIVOT } from "./ratio";
import {
  all, AT_LOWER, AT_UPPER, BASIC, cost, entering, field, highsOfBasis, isAnyPointRight, longest, lower, lowsOfBasis, objective, outside, phase,
  place, reduced, remake, ROUNDING, setField, takeMultipliers, termsOfObjective, upper, valueBasics, values, x, y,
} from "./simplex";

/** Part of the objective that a pivot has to gain; rows tried, and columns that may move. */
const WORTH: f64 = 1e-6;
const TRIED: i32 = 4;
const MOST_PULLED: f64 = 16;
/** Part of the objective by which rounding may change it; rows of which that is asked. */
const DOUBT: f64 = 1e-4;
const ROWS_DOUBTED: i32 = 16;
/** Of sums, beside their terms: what rounding may have left where there is nothing. */
const NOISE: f64 = 1e-10;
/** A reduced cost beside its terms: what is less is 0 to the verdict too. */
const PRICED: f64 = 1e-12;

// ---- rows ----------------------------------------------------------------------------------------------

let lastScore: f64 = 0, lastRow: i32 = 0;

function beginRows(): void { lastScore = Infinity; lastRow = -1; }

/** The row of the next lower violation, or violation²/‖row of the inverse‖², that is above `floor`; −1: there is none. */
function nextRow(floor: f64, byLength: bool): i32 {
  let row = -1, highest = floor;
  for (let i = 0; i < m; i++) {
    const violation = abs(outside(basicAt(i))), score = byLength ? violation * violation / lengthOf(i) : violation;
    if (score > highest && (score < lastScore || (score == lastScore && i > lastRow))) { highest = score; row = i; }
  }
  lastScore = highest;
  lastRow = row;
  return row;
}

/** By how much the objective changes where a row is held. */
function gainOf(row: i32): f64 {
  const apart = outside(basicAt(row));
  takeRow(row);
  const q = enteringVariable(row, apart < 0.0 ? 1.0 : -1.0);
  return q < 0 ? 0.0 : abs(apart * at(reduced, q) / at(alphas, q));
}

/**
 * Of the few rows that lie outside the most by less than leavingRow counts, that whose pivot gains the most, where that is
 * more than WORTH of the objective: beside steep columns a violation of 1e-9 can be worth parts in a hundred. −1: none.
 */
export function worthwhileRow(): i32 {
  let best = -1, most = worth();
  beginRows();
  for (let k = 0; k < TRIED; k++) {
    const row = nextRow(ROUNDING * longest(), false);
    if (row < 0) break;
    const gain = gainOf(row);
    if (gain > most) { most = gain; best = row; }
  }
  return best;
}

/**
 * Whether a row that lies outside by no more than rounding would change the objective by more than DOUBT of it, were it held: x
 * of 1e8 is known to 1e-8, beside columns so steep that this is parts in a hundred. The value is then not known.
 */
export function isDoubtful(): bool {
  const most = DOUBT * abs(objective()) + NOISE * termsOfObjective();
  beginRows();
  for (let k = 0; k < ROWS_DOUBTED; k++) {
    const row = nextRow(0.0, true);
    if (row < 0) return false;
    if (gainOf(row) > most) return true;
  }
  return false;
}

/** What a pivot has to gain where rows or reduced costs are as good as right. */
function worth(): f64 { return WORTH * abs(objective()) + NOISE * WORTH * termsOfObjective(); }

// ---- columns -------------------------------------------------------------------------------------------

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
export function takeWorthwhileColumn(): bool {
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
