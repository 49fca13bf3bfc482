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
/** Rows that a pivot changes (i32), and of each row its product with the pivotRow. */
let changed: usize = 0, along: usize = 0;

@inline function columnOf(k: i32): usize { return inverse + (<usize>(k * m) << 3); }
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
  along = allocate(<usize>m << 3);
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

/**
 * The inverse behind a pivot in row r, which is the pivotRow p; `w`, the last solution, is the column that enters. Row i loses
 * tᵢ p, tᵢ = wᵢ/w_r: its squared length changes by tᵢ(tᵢ|p|² − 2 row·p). Says what it cost.
 */
export function turn(r: i32, w: usize): u64 {
  const over = 1.0 / at(w, r), count = takeChanged(r, w), isSparse = SPARSE * count <= m;
  let square = 0.0, t = 0;
  memory.fill(along, 0, <usize>m << 3);
  if (!isSparse) for (; t + 4 <= touchedCount; t += 4) subtractFour(t, w, over);
  for (; t < touchedCount; t++) {
    const k = intAt(touched, t), p = at(pivotRow, k);
    if (isSparse) subtractChanged(columnOf(k), w, p, p * over, count); else subtract(columnOf(k), w, p, p * over);
  }
  for (t = 0; t < touchedCount; t++) {
    const k = intAt(touched, t), p = at(pivotRow, k);
    square += p * p;
    put(columnOf(k), r, p * over);
    unite(setOfColumn(k), moving);
  }
  for (t = 0; t < count; t++) {
    const i = intAt(changed, t), share = at(w, i) * over, before = at(lengths, i), now = before + share * (share * square - 2.0 * at(along, i));
    unite(setOfRow(i), setOfRow(r));
    put(lengths, i, now > KEPT * before ? now : squareOfRow(i));
  }
  put(lengths, r, square * over * over);
  return <u64>m + <u64>touchedCount * <u64>(isSparse ? SPARSE * count : m);
}

/** Rows other than r where w is not 0. */
function takeChanged(r: i32, w: usize): i32 {
  let count = 0;
  for (let t = 0; t < movedCount; t++) {
    const i = intAt(moved, t);
    if (i == r || at(w, i) == 0.0) continue;
    putInt(changed, count++, i);
  }
  return count;
}

function squareOfRow(i: i32): f64 {
  let sum = 0.0;
  for (let k = 0, p = inverse + (<usize>i << 3); k < m; k++, p += <usize>m << 3) sum += load<f64>(p) * load<f64>(p);
  return sum;
}

/** along += p × column; column −= value × w. */
function subtract(column: usize, w: usize, p: f64, value: f64): void {
  const v = f64x2.splat(value), ps = f64x2.splat(p), whole = column + (<usize>(m & ~1) << 3), end = column + (<usize>m << 3);
  let sums = along;
  for (; column < whole; column += 16, w += 16, sums += 16) {
    const old = v128.load(column);
    v128.store(column, f64x2.sub(old, f64x2.mul(v, v128.load(w))));
    v128.store(sums, f64x2.add(v128.load(sums), f64x2.mul(ps, old)));
  }
  if (column < end) {
    const old = load<f64>(column);
    store<f64>(column, old - value * load<f64>(w));
    store<f64>(sums, load<f64>(sums) + p * old);
  }
}

/** Four touched columns side by side, from the t-th on. */
function subtractFour(t: i32, w: usize, over: f64): void {
  const k0 = intAt(touched, t), k1 = intAt(touched, t + 1), k2 = intAt(touched, t + 2), k3 = intAt(touched, t + 3);
  const p0 = at(pivotRow, k0), p1 = at(pivotRow, k1), p2 = at(pivotRow, k2), p3 = at(pivotRow, k3);
  let c0 = columnOf(k0), c1 = columnOf(k1), c2 = columnOf(k2), c3 = columnOf(k3), sums = along;
  const v0 = f64x2.splat(p0 * over), v1 = f64x2.splat(p1 * over), v2 = f64x2.splat(p2 * over), v3 = f64x2.splat(p3 * over);
  const s0 = f64x2.splat(p0), s1 = f64x2.splat(p1), s2 = f64x2.splat(p2), s3 = f64x2.splat(p3);
  for (const whole = c0 + (<usize>(m & ~1) << 3); c0 < whole; c0 += 16, c1 += 16, c2 += 16, c3 += 16, w += 16, sums += 16) {
    const moves = v128.load(w), o0 = v128.load(c0), o1 = v128.load(c1), o2 = v128.load(c2), o3 = v128.load(c3);
    v128.store(c0, f64x2.sub(o0, f64x2.mul(v0, moves)));
    v128.store(c1, f64x2.sub(o1, f64x2.mul(v1, moves)));
    v128.store(c2, f64x2.sub(o2, f64x2.mul(v2, moves)));
    v128.store(c3, f64x2.sub(o3, f64x2.mul(v3, moves)));
    const first = f64x2.add(f64x2.mul(s0, o0), f64x2.mul(s1, o1)), second = f64x2.add(f64x2.mul(s2, o2), f64x2.mul(s3, o3));
    v128.store(sums, f64x2.add(v128.load(sums), f64x2.add(first, second)));
  }
  if ((m & 1) == 0) return;
  const moves = load<f64>(w), o0 = load<f64>(c0), o1 = load<f64>(c1), o2 = load<f64>(c2), o3 = load<f64>(c3);
  store<f64>(c0, o0 - p0 * over * moves);
  store<f64>(c1, o1 - p1 * over * moves);
  store<f64>(c2, o2 - p2 * over * moves);
  store<f64>(c3, o3 - p3 * over * moves);
  store<f64>(sums, load<f64>(sums) + (p0 * o0 + p1 * o1 + (p2 * o2 + p3 * o3)));
}

function subtractChanged(column: usize, w: usize, p: f64, value: f64, count: i32): void {
  for (let list = changed, end = changed + (<usize>count << 2); list < end; list += 4) {
    const skip = <usize>load<i32>(list) << 3, old = load<f64>(column + skip);
    store<f64>(column + skip, old - value * load<f64>(w + skip));
    store<f64>(along + skip, load<f64>(along + skip) + p * old);
  }
}
