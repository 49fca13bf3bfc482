// A basis of the columns (A I) and its inverse, which every pivot updates and now and then is made anew, by as many
// pivots from the slacks as other columns stand in it. Columns that have one row left to themselves come first, and those that
// alone have a row last, for they change nothing but their own row (the triangles of Suhl & Suhl, ORSA J. Comput. 2
// (1990) 325); what is left between them by few entries, each where its entry is largest.
//
// Variables 0 … n−1 are the caller's, n … n+m−1 the slacks of the rows. The inverse stands column by column in the state,
// and behind it the squared length of each row. Of rows and columns of few entries only these are gone over.

import { allocate } from "../kernel/frame";
import { dotLeaf } from "../math/reduce";
import { at, entryAt, layColumn, m, n, put, rowOfEntry, startOf } from "./program";

export let basic: usize = 0, inverse: usize = 0, lengths: usize = 0;
let effort: u64 = 0;

/** Entries that are gone over one by one cost as much as so many times their count side by side. */
const SPARSE: i32 = 4;
/** A squared length that is left of what it was has its digits; of less it is summed anew. */
const KEPT: f64 = 1e-3;
const SINGULAR: f64 = 1e-11;

/** Of each column of many entries where it stands in full, else 0. */
let full: usize = 0;
/** Row by row of A over E, without the columns in full: where rows begin (m + 1, i32), columns (i32), entries. */
let rowStarts: usize = 0, rowColumns: usize = 0, rowEntries: usize = 0;
/** A row of the inverse (m), and which of its entries are not 0. */
export let pivotRow: usize = 0;
let touched: usize = 0, touchedCount: i32 = 0;
/** α of all variables, and which of them a row has reached (i32); 1 where a variable is among them. */
export let alphas: usize = 0;
let reached: usize = 0, isReached: usize = 0, reachedCount: i32 = 0;
/** Rows that a pivot changes (i32), and their squared lengths before. */
let changed: usize = 0, before: usize = 0;

@inline function ints(count: i32): usize { return allocate((<usize>count + 1 & ~1) << 2); }
@inline function intAt(list: usize, k: i32): i32 { return load<i32>(list + (<usize>k << 2)); }
@inline function putInt(list: usize, k: i32, value: i32): void { store<i32>(list + (<usize>k << 2), value); }
@inline function flag(list: usize, k: i32): bool { return load<u8>(list + <usize>k) != 0; }
@inline function setFlag(list: usize, k: i32, value: u8): void { store<u8>(list + <usize>k, value); }

@inline export function columnOf(k: i32): usize { return inverse + (<usize>(k * m) << 3); }
/** Squared length of a row of the inverse. */
@inline export function lengthOf(i: i32): f64 { return at(lengths, i); }
/** Variable that stands in row i of the basis. */
@inline export function basicAt(i: i32): i32 { return <i32>at(basic, i); }
@inline function fullColumn(j: i32): usize { return load<usize>(full + (<usize>j << 2)); }

/** `basics`: m f64, `matrix`: m² f64, `squares`: m f64, all in the state. */
export function openBasis(basics: usize, matrix: usize, squares: usize): void {
  basic = basics; inverse = matrix; lengths = squares;
  pivotRow = allocate(<usize>m << 3); touched = ints(m);
  alphas = allocate(<usize>(n + m) << 3); reached = ints(n + m); isReached = allocate(<usize>(n + m));
  changed = ints(m); before = allocate(<usize>m << 3);
  reachedCount = 0; effort = 0;
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
  memory.fill(inverse, 0, <usize>(m * m) << 3);
  for (let i = 0; i < m; i++) {
    put(basic, i, <f64>(n + i));
    put(columnOf(i), i, 1.0);
    put(lengths, i, 1.0);
  }
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

/** to += factor × m numbers. */
function add(to: usize, from: usize, factor: f64): void {
  const f = f64x2.splat(factor), end = to + (<usize>m << 3), whole = to + (<usize>(m & ~1) << 3);
  for (; to < whole; to += 16, from += 16) v128.store(to, f64x2.add(v128.load(to), f64x2.mul(f, v128.load(from))));
  if (to < end) store<f64>(to, load<f64>(to) + factor * load<f64>(from));
}

/** to = B⁻¹ a_j. */
export function solved(j: i32, to: usize): void {
  effort += <u64>m * unitsOf(j);
  if (j >= n) { memory.copy(to, columnOf(j - n), <usize>m << 3); return; }
  memory.fill(to, 0, <usize>m << 3);
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) add(to, columnOf(rowOfEntry(k)), entryAt(k));
}

/** to = B⁻¹ from. */
export function inverseTimes(from: usize, to: usize): void {
  memory.fill(to, 0, <usize>m << 3);
  for (let k = 0; k < m; k++) if (at(from, k) != 0.0) add(to, columnOf(k), at(from, k));
}

/** to += from B⁻¹. */
export function addTimesInverse(from: usize, to: usize): void {
  for (let k = 0; k < m; k++) put(to, k, at(to, k) + dotLeaf(from, columnOf(k), m));
}

/** Row r of the inverse becomes the pivotRow. */
export function takeRow(r: i32): void {
  let count = 0;
  for (let k = 0, p = inverse + (<usize>r << 3); k < m; k++, p += <usize>m << 3) {
    const value = load<f64>(p);
    put(pivotRow, k, value);
    putInt(touched, count, k);
    count += value != 0.0 ? 1 : 0;
  }
  touchedCount = count;
}

/** The pivotRow becomes that of a row that no pivot has changed. */
function takeUnitRow(r: i32): void {
  memory.fill(pivotRow, 0, <usize>m << 3);
  put(pivotRow, r, 1.0);
  putInt(touched, 0, r);
  touchedCount = 1;
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

// ---- a pivot -------------------------------------------------------------------------------------------

/** Variable j takes the place of the one in row r, which is the pivotRow; `w` = B⁻¹ a_j. */
export function exchange(r: i32, j: i32, w: usize): void {
  const turn = 1.0 / at(w, r);
  const count = takeChanged(r, w);
  const isSparse = SPARSE * count <= m;
  let own = 0.0;
  for (let t = 0; t < touchedCount; t++) {
    const k = intAt(touched, t), value = at(pivotRow, k) * turn;
    if (isSparse) subtractChanged(columnOf(k), w, value, count);
    else subtract(columnOf(k), w, value);
    put(columnOf(k), r, value);
    own += value * value;
  }
  for (let t = 0; t < count; t++) {
    const i = intAt(changed, t);
    if (!(at(lengths, i) > KEPT * at(before, i))) put(lengths, i, squareOfRow(i));
  }
  put(lengths, r, own);
  put(basic, r, <f64>j);
  effort += <u64>m + <u64>touchedCount * <u64>(isSparse ? SPARSE * count : m);
}

/** Rows other than r where w is not 0, two at a time: most pairs are. */
function takeChanged(r: i32, w: usize): i32 {
  const none = f64x2.splat(0), even = m & ~1;
  let count = 0;
  for (let i = 0; i < m; i += 2) {
    if (i < even && !v128.any_true(f64x2.ne(v128.load(w + (<usize>i << 3)), none))) continue;
    for (let k = i, end = min(i + 2, m); k < end; k++) if (k != r && at(w, k) != 0.0) {
      putInt(changed, count++, k);
      put(before, k, at(lengths, k));
    }
  }
  return count;
}

function squareOfRow(i: i32): f64 {
  let sum = 0.0;
  for (let k = 0, p = inverse + (<usize>i << 3); k < m; k++, p += <usize>m << 3) sum += load<f64>(p) * load<f64>(p);
  return sum;
}

/** A column −= value × w, and what that makes of the lengths of its rows. */
function subtract(column: usize, w: usize, value: f64): void {
  const v = f64x2.splat(value), whole = column + (<usize>(m & ~1) << 3), end = column + (<usize>m << 3);
  let length = lengths;
  for (; column < whole; column += 16, w += 16, length += 16) {
    const old = v128.load(column), now = f64x2.sub(old, f64x2.mul(v, v128.load(w)));
    v128.store(column, now);
    v128.store(length, f64x2.add(v128.load(length), f64x2.sub(f64x2.mul(now, now), f64x2.mul(old, old))));
  }
  if (column < end) {
    const old = load<f64>(column), now = old - value * load<f64>(w);
    store<f64>(column, now);
    store<f64>(length, load<f64>(length) + (now * now - old * old));
  }
}

function subtractChanged(column: usize, w: usize, value: f64, count: i32): void {
  for (let p = changed, end = changed + (<usize>count << 2); p < end; p += 4) {
    const skip = <usize>load<i32>(p) << 3, old = load<f64>(column + skip), now = old - value * load<f64>(w + skip);
    store<f64>(column + skip, now);
    store<f64>(lengths + skip, load<f64>(lengths + skip) + (now * now - old * old));
  }
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
  const count = orderColumns();
  slackBasis();
  for (let k = 0; k < count; k++) {
    const j = intAt(order, k), single = intAt(pivots, k);
    solved(j, turned);
    const r = single >= 0 ? single : largestLeft();
    if (r < 0 || !(abs(at(turned, r)) > SINGULAR)) return false;
    if (single >= 0) takeUnitRow(r);
    else { takeRow(r); setFlag(isFree, r, 0); }
    exchange(r, j, turned);
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
