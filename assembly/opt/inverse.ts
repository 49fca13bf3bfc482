// The inverse of a basis, column by column, with the squared length of each of its rows. Where its entries are not 0 is
// known by sets, of each row and of each column: a basis of few entries has an inverse of few, and only these are gone
// over. A set may have more than that, where entries have come to be 0.

import { allocate } from "../kernel/frame";
import { dotLeaf } from "../math/reduce";
import { include, intAt, ints, listed, putInt, setBytes, unite } from "./places";
import { at, m, put } from "./program";

/** Entries that are gone over one by one cost as much as so many times their count side by side. */
export const SPARSE: i32 = 4;
/** A squared length that is left of what it was has its digits; of less it is summed anew. */
const KEPT: f64 = 1e-3;

let inverse: usize = 0, lengths: usize = 0, ofRows: usize = 0, ofColumns: usize = 0;
/** A row of the inverse (m), and which of its entries are not 0. */
export let pivotRow: usize = 0;
export let touched: usize = 0, touchedCount: i32 = 0;
/** Rows in which a column's solution may not be 0. */
let moving: usize = 0, moved: usize = 0, movedCount: i32 = 0;
/** Rows that a pivot changes (i32), and their squared lengths before. */
let changed: usize = 0, before: usize = 0;

@inline export function columnOf(k: i32): usize { return inverse + (<usize>(k * m) << 3); }
@inline function setOfRow(i: i32): usize { return ofRows + <usize>i * setBytes(); }
@inline function setOfColumn(k: i32): usize { return ofColumns + <usize>k * setBytes(); }
/** Squared length of a row of the inverse. */
@inline export function lengthOf(i: i32): f64 { return at(lengths, i); }
/** Rows of the last solution: all that are not 0 are among them. */
@inline export function movedBy(): i32 { return movedCount; }
@inline export function movedAt(k: i32): i32 { return intAt(moved, k); }

export function openInverse(): void {
  inverse = allocate(<usize>(m * m) << 3);
  lengths = allocate(<usize>m << 3);
  ofRows = allocate(<usize>m * setBytes());
  ofColumns = allocate(<usize>m * setBytes());
  pivotRow = allocate(<usize>m << 3);
  touched = ints(m);
  moving = allocate(setBytes());
  moved = ints(m);
  changed = ints(m);
  before = allocate(<usize>m << 3);
}

/** The inverse of the slacks. */
export function layUnit(): void {
  for (let k = 0; k < m; k++) {
    const count = listed(setOfColumn(k), moved);
    for (let t = 0; t < count; t++) put(columnOf(k), intAt(moved, t), 0.0);
  }
  memory.fill(ofRows, 0, <usize>m * setBytes());
  memory.fill(ofColumns, 0, <usize>m * setBytes());
  for (let i = 0; i < m; i++) {
    put(columnOf(i), i, 1.0);
    put(lengths, i, 1.0);
    include(setOfRow(i), i);
    include(setOfColumn(i), i);
  }
}

// ---- products ------------------------------------------------------------------------------------------

/** to += factor × m numbers. */
function add(to: usize, from: usize, factor: f64): void {
  const f = f64x2.splat(factor), end = to + (<usize>m << 3), whole = to + (<usize>(m & ~1) << 3);
  for (; to < whole; to += 16, from += 16) v128.store(to, f64x2.add(v128.load(to), f64x2.mul(f, v128.load(from))));
  if (to < end) store<f64>(to, load<f64>(to) + factor * load<f64>(from));
}

/** A solution is to be summed in `to`, of columns that are named first. */
export function beginSolution(to: usize): void {
  memory.fill(to, 0, <usize>m << 3);
  memory.fill(moving, 0, setBytes());
}
export function nameColumn(k: i32): void { unite(moving, setOfColumn(k)); }
/** Says what it costs to add one of them. */
export function endNames(): u64 {
  movedCount = listed(moving, moved);
  return costOfColumn();
}
@inline function costOfColumn(): u64 { return <u64>min(SPARSE * movedCount, m); }
/** to += factor × column k of the inverse. */
export function addColumn(to: usize, k: i32, factor: f64): void {
  const column = columnOf(k);
  if (SPARSE * movedCount > m) { add(to, column, factor); return; }
  for (let p = moved, end = moved + (<usize>movedCount << 2); p < end; p += 4) {
    const skip = <usize>load<i32>(p) << 3;
    store<f64>(to + skip, load<f64>(to + skip) + factor * load<f64>(column + skip));
  }
}

/** to = B⁻¹ from. Says what it cost. */
export function inverseTimes(from: usize, to: usize): u64 {
  let units: u64 = 0;
  memory.fill(to, 0, <usize>m << 3);
  for (let k = 0; k < m; k++) if (at(from, k) != 0.0) {
    movedCount = listed(setOfColumn(k), moved);
    addColumn(to, k, at(from, k));
    units += costOfColumn();
  }
  return units;
}

/** to += from B⁻¹. */
export function addTimesInverse(from: usize, to: usize): void {
  for (let k = 0; k < m; k++) {
    movedCount = listed(setOfColumn(k), moved);
    put(to, k, at(to, k) + (SPARSE * movedCount > m ? dotLeaf(from, columnOf(k), m) : dotMoved(from, columnOf(k))));
  }
}

function dotMoved(from: usize, column: usize): f64 {
  let sum = 0.0;
  for (let t = 0; t < movedCount; t++) sum += at(from, intAt(moved, t)) * at(column, intAt(moved, t));
  return sum;
}

/** Row r of the inverse becomes the pivotRow. */
export function takeRow(r: i32): void {
  const all = listed(setOfRow(r), touched);
  let count = 0;
  memory.fill(pivotRow, 0, <usize>m << 3);
  for (let t = 0; t < all; t++) {
    const k = intAt(touched, t), value = at(columnOf(k), r);
    put(pivotRow, k, value);
    putInt(touched, count, k);
    count += value != 0.0 ? 1 : 0;
  }
  touchedCount = count;
}

// ---- a pivot -------------------------------------------------------------------------------------------

/** The inverse behind a pivot in row r, which is the pivotRow; `w`, the last solution, is the column that enters. Says what it cost. */
export function turn(r: i32, w: usize): u64 {
  const over = 1.0 / at(w, r);
  const count = takeChanged(r, w);
  const isSparse = SPARSE * count <= m;
  let own = 0.0;
  for (let t = 0; t < touchedCount; t++) {
    const k = intAt(touched, t), value = at(pivotRow, k) * over;
    if (isSparse) subtractChanged(columnOf(k), w, value, count);
    else subtract(columnOf(k), w, value);
    put(columnOf(k), r, value);
    unite(setOfColumn(k), moving);
    own += value * value;
  }
  for (let t = 0; t < count; t++) {
    const i = intAt(changed, t);
    unite(setOfRow(i), setOfRow(r));
    if (!(at(lengths, i) > KEPT * at(before, i))) put(lengths, i, squareOfRow(i));
  }
  put(lengths, r, own);
  return <u64>m + <u64>touchedCount * <u64>(isSparse ? SPARSE * count : m);
}

/** Rows other than r where w is not 0. */
function takeChanged(r: i32, w: usize): i32 {
  let count = 0;
  for (let t = 0; t < movedCount; t++) {
    const i = intAt(moved, t);
    if (i == r || at(w, i) == 0.0) continue;
    putInt(changed, count++, i);
    put(before, i, at(lengths, i));
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
