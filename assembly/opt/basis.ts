// A basis of the columns (A I) and its inverse, which every pivot updates and every 64th makes anew.
//
// Variables 0 … n−1 are the caller's, n … n+m−1 the slacks of the rows. The inverse stands row by row in the state.

import { allocate } from "../kernel/frame";
import { dotLeaf } from "../math/reduce";
import { at, column, m, n, put } from "./program";

export let basic: usize = 0, inverse: usize = 0;
let work: usize = 0;

@inline export function rowOf(i: i32): usize { return inverse + (<usize>(i * m) << 3); }
/** Variable that stands in row i of the basis. */
@inline export function basicAt(i: i32): i32 { return <i32>at(basic, i); }

/** `basics`: m f64, `matrix`: m² f64, both in the state. */
export function openBasis(basics: usize, matrix: usize): void {
  basic = basics; inverse = matrix;
  work = allocate(<usize>(m * m) << 3);
}

export function slackBasis(): void {
  memory.fill(inverse, 0, <usize>(m * m) << 3);
  for (let i = 0; i < m; i++) {
    put(basic, i, <f64>(n + i));
    put(rowOf(i), i, 1.0);
  }
}

/** Entry of (A I) times a row vector. */
@inline export function priced(row: usize, j: i32): f64 {
  return j >= n ? at(row, j - n) : dotLeaf(row, column(j), m);
}

/** to = B⁻¹ a_j. */
export function solved(j: i32, to: usize): void {
  for (let i = 0; i < m; i++) put(to, i, priced(rowOf(i), j));
}

/** Variable j takes the place of the one in row r; `w` = B⁻¹ a_j. */
export function exchange(r: i32, j: i32, w: usize): void {
  const pivot = rowOf(r), turn = 1.0 / at(w, r);
  for (let k = 0; k < m; k++) put(pivot, k, at(pivot, k) * turn);
  for (let i = 0; i < m; i++) {
    const factor = at(w, i);
    if (i != r && factor != 0.0) subtract(rowOf(i), pivot, factor, 0);
  }
  put(basic, r, <f64>j);
}

/** The inverse from the basis by Gauss and Jordan with partial pivoting; false where it is singular. */
export function refactor(): bool {
  const bytes = <usize>m << 3;
  memory.fill(inverse, 0, bytes * <usize>m);
  for (let i = 0; i < m; i++) {
    put(rowOf(i), i, 1.0);
    for (let k = 0; k < m; k++) {
      const j = basicAt(k);
      put(work + bytes * <usize>i, k, j >= n ? (j - n == i ? 1.0 : 0.0) : at(column(j), i));
    }
  }
  for (let k = 0; k < m; k++) if (!eliminate(k, bytes)) return false;
  return true;
}

function eliminate(k: i32, bytes: usize): bool {
  let best = k;
  for (let i = k + 1; i < m; i++) if (abs(at(work + bytes * <usize>i, k)) > abs(at(work + bytes * <usize>best, k))) best = i;
  const pivot = at(work + bytes * <usize>best, k);
  if (abs(pivot) < 1e-11) return false;
  if (best != k) {
    swapRows(work + bytes * <usize>k, work + bytes * <usize>best);
    swapRows(rowOf(k), rowOf(best));
  }
  scaleRow(work + bytes * <usize>k, 1.0 / pivot);
  scaleRow(rowOf(k), 1.0 / pivot);
  for (let i = 0; i < m; i++) {
    const factor = at(work + bytes * <usize>i, k);
    if (i == k || factor == 0.0) continue;
    subtract(work + bytes * <usize>i, work + bytes * <usize>k, factor, k & ~1);
    subtract(rowOf(i), rowOf(k), factor, 0);
  }
  return true;
}

function swapRows(p: usize, q: usize): void {
  for (let k = 0; k < m; k++) {
    const x = at(p, k);
    put(p, k, at(q, k));
    put(q, k, x);
  }
}

function scaleRow(p: usize, factor: f64): void { for (let k = 0; k < m; k++) put(p, k, at(p, k) * factor); }

/** p −= factor q from entry `from` on, which is even. */
function subtract(p: usize, q: usize, factor: f64, from: i32): void {
  const f = f64x2.splat(factor), end = p + (<usize>(m & ~1) << 3), skipped = <usize>from << 3;
  p += skipped;
  q += skipped;
  for (; p < end; p += 16, q += 16) v128.store(p, f64x2.sub(v128.load(p), f64x2.mul(f, v128.load(q))));
  if (m & 1) store<f64>(p, load<f64>(p) - factor * load<f64>(q));
}
