// A basis of the columns (A I) and its inverse, which every pivot updates and now and then is made anew, by as many
// pivots from the slacks as other columns stand in it. Columns that have one row left to themselves come first, and those that
// alone have a row last, for they change nothing but their own row (the triangles of Suhl & Suhl, ORSA J. Comput. 2
// (1990) 325); what is left between them by few entries, each where its entry is largest.
//
// Variables 0 … n−1 are the caller's, n … n+m−1 the slacks of the rows. Of the state there are only the basis (m), the one
// that the inverse was last made of (m), the number of exchanges since and each of them, row and variable: the inverse
// follows from these, to the bit.

import { allocate } from "../kernel/frame";
import { dotLeaf } from "../math/reduce";
import {
  SPARSE, addColumn, beginSolution, endNames, layUnit, nameColumn, openInverse, pivotRow, takeRow, touched, touchedCount, turn,
} from "./inverse";
import { intAt, ints, putInt } from "./places";
import { at, entryAt, layColumn, m, n, put, rowOfEntry, startOf } from "./program";

/** Exchanges after which the inverse is to be made anew at the latest. */
export const REFACTOR: i32 = 256;

let basic: usize = 0, origin: usize = 0, since: usize = 0;
let effort: u64 = 0;

const SINGULAR: f64 = 1e-11;

/** Of each column of many entries where it stands in full, else 0. */
let full: usize = 0;
/** Row by row of A over E, without the columns in full: where rows begin (m + 1, i32), columns (i32), entries. */
let rowStarts: usize = 0, rowColumns: usize = 0, rowEntries: usize = 0;
/** α of all variables, and which of them a row has reached (i32); 1 where a variable is among them. */
export let alphas: usize = 0;
let reached: usize = 0, isReached: usize = 0, reachedCount: i32 = 0;

@inline function flag(list: usize, k: i32): bool { return load<u8>(list + <usize>k) != 0; }
@inline function setFlag(list: usize, k: i32, value: u8): void { store<u8>(list + <usize>k, value); }

/** Variable that stands in row i of the basis. */
@inline export function basicAt(i: i32): i32 { return <i32>at(basic, i); }
@inline function fullColumn(j: i32): usize { return load<usize>(full + (<usize>j << 2)); }

@inline export function basisBytes(): usize { return <usize>(2 * m + 1 + 2 * REFACTOR) << 3; }

/** `at`: basisBytes() of the state. */
export function openBasis(at: usize): void {
  basic = at;
  origin = basic + (<usize>m << 3);
  since = origin + (<usize>m << 3);
  alphas = allocate(<usize>(n + m) << 3); reached = ints(n + m); isReached = allocate(<usize>(n + m));
  reachedCount = 0; effort = 0;
  openInverse();
  layFull();
  layRows();
  layOrder();
}

@inline function isFull(j: i32): bool { return SPARSE * (startOf(j + 1) - startOf(j)) > m; }

function layFull(): void {
  full = ints(n);
  for (let j = 0; j < n; j++) {
    if (!isFull(j)) continue;
    const to = allocate(<usize>m << 3);
    layColumn(j, to);
    store<usize>(full + (<usize>j << 2), to);
  }
}

function layRows(): void {
  rowStarts = ints(m + 2);
  let count = 0;
  for (let j = 0; j < n; j++) if (!isFull(j)) for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const i = rowOfEntry(k) + 2;
    putInt(rowStarts, i, intAt(rowStarts, i) + 1);
    count++;
  }
  for (let i = 2; i < m + 2; i++) putInt(rowStarts, i, intAt(rowStarts, i) + intAt(rowStarts, i - 1));
  rowColumns = ints(count);
  rowEntries = allocate(<usize>count << 3);
  for (let j = 0; j < n; j++) if (!isFull(j)) for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const i = rowOfEntry(k) + 1, place = intAt(rowStarts, i);
    putInt(rowStarts, i, place + 1);
    putInt(rowColumns, place, j);
    put(rowEntries, place, entryAt(k));
  }
}

/** Work units of what was done since this was asked before: one for two entries side by side, or for one by itself. */
export function takeEffort(): u64 {
  const taken = effort;
  effort = 0;
  return taken;
}

/** Work units of one entry of (A I) times a row vector. */
@inline export function unitsOf(j: i32): u64 {
  return j >= n ? 1 : 1 + <u64>(isFull(j) ? m / 2 : startOf(j + 1) - startOf(j));
}

export function slackBasis(): void {
  layUnit();
  for (let i = 0; i < m; i++) put(basic, i, <f64>(n + i));
  originate();
}

/** The inverse is that of the basis. */
function originate(): void {
  memory.copy(origin, basic, <usize>m << 3);
  store<f64>(since, 0.0);
}

/** The inverse of a state that is restored. */
export function follow(): void {
  const count = <i32>load<f64>(since);
  memory.copy(basic, origin, <usize>m << 3);
  invert();
  for (let k = 0; k < count; k++) {
    const r = <i32>at(since, 1 + 2 * k), j = <i32>at(since, 2 + 2 * k);
    solved(j, turned);
    takeRow(r);
    replace(r, j, turned);
  }
  effort = 0;
}

// ---- products ------------------------------------------------------------------------------------------

/** Entry of (A I) times a row vector. */
export function priced(row: usize, j: i32): f64 {
  if (j >= n) return at(row, j - n);
  if (isFull(j)) return dotLeaf(row, fullColumn(j), m);
  let sum = 0.0;
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) sum += at(row, rowOfEntry(k)) * entryAt(k);
  return sum;
}

/** to = B⁻¹ a_j. */
export function solved(j: i32, to: usize): void {
  beginSolution(to);
  if (j >= n) nameColumn(j - n);
  else for (let k = startOf(j), end = startOf(j + 1); k < end; k++) nameColumn(rowOfEntry(k));
  effort += endNames() * unitsOf(j);
  if (j >= n) addColumn(to, j - n, 1.0);
  else for (let k = startOf(j), end = startOf(j + 1); k < end; k++) addColumn(to, rowOfEntry(k), entryAt(k));
}

export function reachedBy(): i32 { return reachedCount; }
@inline export function reachedAt(k: i32): i32 { return intAt(reached, k); }

/** α = pivotRow (A I) of the variables that do not stand in the basis, which `place` says: of others and what it misses 0. */
export function priceRow(place: usize, inBasis: f64): void {
  for (let k = 0; k < reachedCount; k++) { put(alphas, reachedAt(k), 0.0); setFlag(isReached, reachedAt(k), 0); }
  let count = 0, units = 0;
  for (let k = 0; k < touchedCount; k++) {
    const i = intAt(touched, k), value = at(pivotRow, i), end = intAt(rowStarts, i + 1);
    for (let e = intAt(rowStarts, i); e < end; e++) {
      const j = intAt(rowColumns, e);
      if (!flag(isReached, j)) {
        if (at(place, j) == inBasis) continue;
        setFlag(isReached, j, 1);
        putInt(reached, count++, j);
      }
      put(alphas, j, at(alphas, j) + value * at(rowEntries, e));
      units++;
    }
    if (at(place, n + i) == inBasis) continue;
    setFlag(isReached, n + i, 1);
    putInt(reached, count++, n + i);
    put(alphas, n + i, value);
  }
  for (let j = 0; j < n; j++) if (isFull(j) && at(place, j) != inBasis) {
    setFlag(isReached, j, 1);
    putInt(reached, count++, j);
    put(alphas, j, dotLeaf(pivotRow, fullColumn(j), m));
    units += m / 2;
  }
  reachedCount = count;
  effort += <u64>units;
}

/** Variable j takes the place of the one in row r, which is the pivotRow; `w` = B⁻¹ a_j was solved last. */
export function exchange(r: i32, j: i32, w: usize): void {
  const count = <i32>load<f64>(since);
  put(since, 1 + 2 * count, <f64>r);
  put(since, 2 + 2 * count, <f64>j);
  store<f64>(since, <f64>(count + 1));
  replace(r, j, w);
}

function replace(r: i32, j: i32, w: usize): void {
  effort += turn(r, w);
  put(basic, r, <f64>j);
}

// ---- the inverse anew ----------------------------------------------------------------------------------

/** Of each column that waits the rows it has among those that are free; of each row the columns; −1 where neither waits. */
let rowsLeft: usize = 0, columnsLeft: usize = 0;
/** Columns in their order with their rows (−1: where the entry is largest): from the front, and from the back. */
let order: usize = 0, pivots: usize = 0, front: i32 = 0, back: i32 = 0;
/** Columns and rows (these as −1 − i) of which one is left. */
let singles: usize = 0, singleCount: i32 = 0;
let isFree: usize = 0, turned: usize = 0;

function layOrder(): void {
  rowsLeft = ints(n); columnsLeft = ints(m);
  order = ints(m); pivots = ints(m);
  singles = ints(2 * m);
  isFree = allocate(<usize>m);
  turned = allocate(<usize>m << 3);
}

/** The inverse from the basis, whose variables may come to stand in other rows; false where it is singular. */
export function refactor(): bool {
  originate();
  return invert();
}

function invert(): bool {
  const count = orderColumns();
  layUnit();
  for (let i = 0; i < m; i++) put(basic, i, <f64>(n + i));
  for (let k = 0; k < count; k++) {
    const j = intAt(order, k), single = intAt(pivots, k);
    solved(j, turned);
    const r = single >= 0 ? single : largestLeft();
    if (r < 0 || !(abs(at(turned, r)) > SINGULAR)) return false;
    takeRow(r);
    setFlag(isFree, r, 0);
    replace(r, j, turned);
  }
  return true;
}

/** Lays down the order of the caller's columns that stand in the basis; says how many. */
function orderColumns(): i32 {
  let count = 0;
  memory.fill(isFree, 1, <usize>m);
  memory.fill(columnsLeft, 0, <usize>m << 2);
  for (let j = 0; j < n; j++) putInt(rowsLeft, j, -1);
  for (let i = 0; i < m; i++) if (basicAt(i) >= n) setFlag(isFree, basicAt(i) - n, 0);
  singleCount = 0;
  for (let i = 0; i < m; i++) {
    const j = basicAt(i);
    if (j >= n) continue;
    count++;
    let left = 0;
    for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
      const row = rowOfEntry(k);
      if (!flag(isFree, row)) continue;
      putInt(columnsLeft, row, intAt(columnsLeft, row) + 1);
      left++;
    }
    putInt(rowsLeft, j, left);
    if (left == 1) addSingle(j);
  }
  for (let i = 0; i < m; i++) if (flag(isFree, i) && intAt(columnsLeft, i) == 1) addSingle(-1 - i);
  front = 0; back = count;
  for (let k = 0; k < singleCount; k++) {
    const single = intAt(singles, k);
    if (single >= 0) takeColumnAlone(single); else takeRowAlone(-1 - single);
  }
  placeRest();
  return count;
}

@inline function addSingle(single: i32): void { putInt(singles, singleCount++, single); }

function takeColumnAlone(j: i32): void {
  if (intAt(rowsLeft, j) != 1) return;
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) if (flag(isFree, rowOfEntry(k))) { settle(j, rowOfEntry(k), front++); return; }
}

function takeRowAlone(i: i32): void {
  if (!flag(isFree, i) || intAt(columnsLeft, i) != 1) return;
  for (let e = intAt(rowStarts, i), end = intAt(rowStarts, i + 1); e < end; e++) {
    if (intAt(rowsLeft, intAt(rowColumns, e)) > 0) { settle(intAt(rowColumns, e), i, --back); return; }
  }
}

/** Column j is to pivot in row i: neither waits any longer. */
function settle(j: i32, i: i32, place: i32): void {
  putInt(order, place, j);
  putInt(pivots, place, i);
  setFlag(isFree, i, 0);
  putInt(rowsLeft, j, -1);
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const row = rowOfEntry(k);
    if (!flag(isFree, row)) continue;
    putInt(columnsLeft, row, intAt(columnsLeft, row) - 1);
    if (intAt(columnsLeft, row) == 1) addSingle(-1 - row);
  }
  for (let e = intAt(rowStarts, i), end = intAt(rowStarts, i + 1); e < end; e++) {
    const other = intAt(rowColumns, e), left = intAt(rowsLeft, other) - 1;
    if (left < 0) continue;
    putInt(rowsLeft, other, left);
    if (left == 1) addSingle(other);
  }
}

/** Those that still wait, by few entries, between the others. */
function placeRest(): void {
  let count = front;
  for (let i = 0; i < m; i++) {
    const j = basicAt(i);
    if (j >= n || intAt(rowsLeft, j) < 0) continue;
    let k = count++;
    for (; k > front && unitsOf(intAt(order, k - 1)) > unitsOf(j); k--) putInt(order, k, intAt(order, k - 1));
    putInt(order, k, j);
  }
  for (let k = front; k < count; k++) putInt(pivots, k, -1);
}

/** Of the rows that are free, that of the largest entry; −1 where there is none to speak of. */
function largestLeft(): i32 {
  let best = -1, most = SINGULAR;
  for (let i = 0; i < m; i++) {
    if (!flag(isFree, i) || abs(at(turned, i)) <= most) continue;
    most = abs(at(turned, i));
    best = i;
  }
  return best;
}
