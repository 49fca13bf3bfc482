// A basis of the columns (A I), its factors, and the squared length of each row of its inverse, by which rows that leave are
// chosen.
//
// Variables 0 … n−1 are the caller's, n … n+m−1 the slacks of the rows. Of the state there are the basis (m), the one
// that the factors were last made of (m), the squared lengths (m), the number of exchanges since and each of them, place and
// variable: the factors follow from these, to the bit.

import { allocate } from "../kernel/frame";
import {
  REFACTOR, exchangeColumn, formRow, formSpike, movedAt, movedBy, openFactors, pivotRow, rightSide, solve, solveEntering, takeEntries,
  takeRow, touched, touchedCount,
} from "./factors";
import { openNucleus, takeEliminated } from "./nucleus";
import { intAt } from "./places";
import { openPricing, takePriced } from "./pricing";
import { at, entryAt, m, n, put, rowOfEntry, startOf } from "./program";
import { factorize, openTriangles } from "./triangles";

/** What a squared length is at least, beside the numbers that it is the difference of. */
const KEPT: f64 = 1e-6;
/** Part of a squared length that is known to be right. */
const TRUSTED: f64 = 0.25;

let basic: usize = 0, origin: usize = 0, lengths: usize = 0, since: usize = 0;
/** B⁻¹ of the pivotRow, by places. */
let alongRow: usize = 0;

/** Variable that stands at place i of the basis. */
@inline export function basicAt(i: i32): i32 { return <i32>at(basic, i); }
/** Squared length of row i of the inverse, about. */
@inline export function lengthOf(i: i32): f64 { return at(lengths, i); }

@inline export function basisBytes(): usize { return <usize>(3 * m + 1 + 2 * REFACTOR) << 3; }

/** `at`: basisBytes() of the state. */
export function openBasis(at: usize): void {
  basic = at;
  origin = basic + (<usize>m << 3);
  lengths = origin + (<usize>m << 3);
  since = lengths + (<usize>m << 3);
  alongRow = allocate(<usize>m << 3);
  openFactors();
  openNucleus();
  openPricing();
  openTriangles();
}

/** Work units of what was done since this was asked before: one for two entries side by side, or for one by itself. */
export function takeEffort(): u64 { return takeEntries() + takeEliminated() + takePriced(); }

export function slackBasis(): void {
  for (let i = 0; i < m; i++) {
    put(basic, i, <f64>(n + i));
    put(lengths, i, 1.0);
  }
  refactor();
}

/** Factors from the basis; false where it is singular. */
export function refactor(): bool {
  memory.copy(origin, basic, <usize>m << 3);
  store<f64>(since, 0.0);
  return factorize(basic);
}

/** The factors of a state that is restored. */
export function follow(): void {
  const count = <i32>load<f64>(since);
  memory.copy(basic, origin, <usize>m << 3);
  factorize(basic);
  for (let k = 0; k < count; k++) {
    const place = <i32>at(since, 1 + 2 * k), j = <i32>at(since, 2 + 2 * k);
    formRow(place);
    layRightSide(j);
    formSpike();
    replace(place, j);
  }
}

// ---- solutions -----------------------------------------------------------------------------------------

function layRightSide(j: i32): void {
  memory.fill(rightSide, 0, <usize>m << 3);
  if (j >= n) put(rightSide, j - n, 1.0);
  else for (let k = startOf(j), end = startOf(j + 1); k < end; k++) put(rightSide, rowOfEntry(k), entryAt(k));
}

/** to = B⁻¹ a_j of the column that is to enter, and what the squared lengths follow from. */
export function solved(j: i32, to: usize): void {
  layRightSide(j);
  solveEntering(to, alongRow);
}

/** to = B⁻¹ a_j. */
export function solveColumn(j: i32, to: usize): void {
  layRightSide(j);
  solve(to);
}

/** to = B⁻¹ from. */
export function inverseTimes(from: usize, to: usize): void {
  memory.copy(rightSide, from, <usize>m << 3);
  solve(to);
}

// ---- an exchange ---------------------------------------------------------------------------------------

/** Row r of the inverse becomes the pivotRow; false where its length is far from what it was taken for. */
export function takeRowOf(r: i32): bool {
  takeRow(r);
  let square = 0.0;
  for (let k = 0; k < touchedCount; k++) square += at(pivotRow, intAt(touched, k)) * at(pivotRow, intAt(touched, k));
  const isRight = at(lengths, r) >= TRUSTED * square;
  put(lengths, r, square);
  return isRight;
}

/**
 * Variable j takes place r, whose row is the pivotRow p; `w` = B⁻¹ a_j was solved last. Row i of the inverse loses tᵢ p,
 * tᵢ = wᵢ/w_r: its squared length changes by tᵢ(tᵢ|p|² − 2 rowᵢ·p), where the products are B⁻¹p (Forrest & Goldfarb,
 * Math. Program. 57 (1992) 341).
 */
export function exchange(r: i32, j: i32, w: usize): void {
  const over = 1.0 / at(w, r), square = lengthOf(r);
  for (let k = 0; k < movedBy(); k++) {
    const i = movedAt(k), share = at(w, i) * over, added = lengthOf(i) + share * share * square;
    put(lengths, i, max(added - 2.0 * share * at(alongRow, i), KEPT * added));
  }
  put(lengths, r, square * over * over);
  const count = <i32>load<f64>(since);
  put(since, 1 + 2 * count, <f64>r);
  put(since, 2 + 2 * count, <f64>j);
  store<f64>(since, <f64>(count + 1));
  replace(r, j);
}

function replace(r: i32, j: i32): void {
  exchangeColumn(r);
  put(basic, r, <f64>j);
}
