// A basis of the columns (A I) and its inverse, which every pivot updates and every 64th makes anew, by as many pivots
// from the slacks as other columns stand in it: those of fewest entries first, each where its entry is largest.
//
// Variables 0 … n−1 are the caller's, n … n+m−1 the slacks of the rows. The inverse stands row by row in the state, and
// behind it the squared length of each row. Of a column or a pivot's row of few entries only these are gone over.

import { allocate } from "../kernel/frame";
import { dotLeaf } from "../math/reduce";
import { at, column, m, n, put } from "./program";

export let basic: usize = 0, inverse: usize = 0, lengths: usize = 0;
let effort: u64 = 0;

/** Entries that are gone over one by one cost as much as so many times their count side by side. */
const SPARSE: i32 = 4;
/** A squared length that is left of what it was has its digits; of less it is summed anew. */
const KEPT: f64 = 1e-3;
const SINGULAR: f64 = 1e-11;

/** Of each column of few entries: where they begin (n + 1, i32); their rows (i32); the entries (f64). */
let starts: usize = 0, rows: usize = 0, entries: usize = 0;
/** Entries of the pivot's row that are not 0; of a basis that is made anew its variables, a column, and rows that are taken. */
let touched: usize = 0, wanted: usize = 0, turned: usize = 0, taken: usize = 0;

@inline export function rowOf(i: i32): usize { return inverse + (<usize>(i * m) << 3); }
/** Squared length of a row of the inverse. */
@inline export function lengthOf(i: i32): f64 { return at(lengths, i); }
/** Variable that stands in row i of the basis. */
@inline export function basicAt(i: i32): i32 { return <i32>at(basic, i); }
@inline function startOf(j: i32): i32 { return load<i32>(starts + (<usize>j << 2)); }

/** `basics`: m f64, `matrix`: m² f64, `squares`: m f64, all in the state. */
export function openBasis(basics: usize, matrix: usize, squares: usize): void {
  basic = basics; inverse = matrix; lengths = squares;
  touched = allocate(<usize>m << 2);
  wanted = allocate(<usize>m << 3);
  turned = allocate(<usize>m << 3);
  taken = allocate(<usize>m);
  layColumns();
}

function entriesOf(j: i32): i32 {
  let count = 0;
  for (let i = 0; i < m; i++) if (at(column(j), i) != 0.0) count++;
  return count;
}

/** A column of many entries has none here: it is taken as it stands. */
function layColumns(): void {
  starts = allocate(<usize>(n + 1) << 2);
  let all = 0;
  for (let j = 0; j < n; j++) {
    store<i32>(starts + (<usize>j << 2), all);
    const count = entriesOf(j);
    if (SPARSE * count <= m) all += count;
  }
  store<i32>(starts + (<usize>n << 2), all);
  rows = allocate(<usize>all << 2);
  entries = allocate(<usize>all << 3);
  for (let j = 0; j < n; j++) {
    let k = startOf(j);
    if (startOf(j + 1) > k) for (let i = 0; i < m; i++) if (at(column(j), i) != 0.0) {
      store<i32>(rows + (<usize>k << 2), i);
      put(entries, k, at(column(j), i));
      k++;
    }
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
  if (j >= n) return 1;
  const count = startOf(j + 1) - startOf(j);
  return 1 + <u64>(count > 0 ? count : m / 2);
}

export function slackBasis(): void {
  memory.fill(inverse, 0, <usize>(m * m) << 3);
  for (let i = 0; i < m; i++) {
    put(basic, i, <f64>(n + i));
    put(rowOf(i), i, 1.0);
    put(lengths, i, 1.0);
  }
}

/** Entry of (A I) times a row vector. */
export function priced(row: usize, j: i32): f64 {
  if (j >= n) return at(row, j - n);
  const from = startOf(j), to = startOf(j + 1);
  if (from == to) return dotLeaf(row, column(j), m);
  let sum = 0.0;
  for (let k = from; k < to; k++) sum += at(row, load<i32>(rows + (<usize>k << 2))) * at(entries, k);
  return sum;
}

/** to = B⁻¹ a_j. */
export function solved(j: i32, to: usize): void {
  for (let i = 0; i < m; i++) put(to, i, priced(rowOf(i), j));
  effort += <u64>m * unitsOf(j);
}

/** Variable j takes the place of the one in row r; `w` = B⁻¹ a_j. */
export function exchange(r: i32, j: i32, w: usize): void {
  const pivot = rowOf(r), turn = 1.0 / at(w, r);
  let count = 0;
  for (let k = 0; k < m; k++) {
    const value = at(pivot, k) * turn;
    put(pivot, k, value);
    if (value == 0.0) continue;
    store<i32>(touched + (<usize>count << 2), k);
    count++;
  }
  const isSparse = SPARSE * count <= m;
  let changed = 1;
  for (let i = 0; i < m; i++) {
    const factor = at(w, i);
    if (i == r || factor == 0.0) continue;
    if (isSparse) subtractTouched(i, pivot, factor, count);
    else subtract(i, pivot, factor);
    changed++;
  }
  put(lengths, r, dotLeaf(pivot, pivot, m));
  put(basic, r, <f64>j);
  effort += <u64>m + <u64>changed * <u64>(isSparse ? SPARSE * count : m);
}

/** Row i −= factor × pivot. */
function subtract(i: i32, pivot: usize, factor: f64): void {
  const f = f64x2.splat(factor);
  let p = rowOf(i), q = pivot, s0 = f64x2.splat(0), s1 = s0;
  for (const end = p + (<usize>(m & ~3) << 3); p < end; p += 32, q += 32) {
    const u = f64x2.sub(v128.load(p), f64x2.mul(f, v128.load(q)));
    const v = f64x2.sub(v128.load(p, 16), f64x2.mul(f, v128.load(q, 16)));
    v128.store(p, u);
    v128.store(p, v, 16);
    s0 = f64x2.add(s0, f64x2.mul(u, u));
    s1 = f64x2.add(s1, f64x2.mul(v, v));
  }
  const sums = f64x2.add(s0, s1);
  let length = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (const end = rowOf(i) + (<usize>m << 3); p < end; p += 8, q += 8) {
    const value = load<f64>(p) - factor * load<f64>(q);
    store<f64>(p, value);
    length += value * value;
  }
  put(lengths, i, length);
}

function subtractTouched(i: i32, pivot: usize, factor: f64, count: i32): void {
  const row = rowOf(i), before = at(lengths, i);
  let length = before;
  for (let at: usize = touched, end = touched + (<usize>count << 2); at < end; at += 4) {
    const skip = <usize>load<i32>(at) << 3, old = load<f64>(row + skip), value = old - factor * load<f64>(pivot + skip);
    store<f64>(row + skip, value);
    length += value * value - old * old;
  }
  put(lengths, i, length > KEPT * before ? length : dotLeaf(row, row, m));
}

/** The inverse from the basis, whose variables may come to stand in other rows; false where it is singular. */
export function refactor(): bool {
  memory.copy(wanted, basic, <usize>m << 3);
  sortByEntries();
  slackBasis();
  memory.fill(taken, 0, <usize>m);
  for (let k = 0; k < m; k++) if (wantedAt(k) >= n) take(wantedAt(k) - n);
  for (let k = 0; k < m; k++) {
    const j = wantedAt(k);
    if (j >= n) continue;
    solved(j, turned);
    const r = largestLeft();
    if (r < 0) return false;
    exchange(r, j, turned);
    take(r);
  }
  return true;
}

@inline function wantedAt(k: i32): i32 { return <i32>at(wanted, k); }
@inline function take(i: i32): void { store<u8>(taken + <usize>i, 1); }

function sortByEntries(): void {
  for (let k = 1; k < m; k++) {
    const j = wantedAt(k);
    let i = k;
    for (; i > 0 && unitsOf(wantedAt(i - 1)) > unitsOf(j); i--) put(wanted, i, at(wanted, i - 1));
    put(wanted, i, <f64>j);
  }
}

/** Of the rows that are not taken, that of the largest entry; −1 where there is none to speak of. */
function largestLeft(): i32 {
  let best = -1, most = SINGULAR;
  for (let i = 0; i < m; i++) {
    if (load<u8>(taken + <usize>i) != 0 || abs(at(turned, i)) <= most) continue;
    most = abs(at(turned, i));
    best = i;
  }
  return best;
}
