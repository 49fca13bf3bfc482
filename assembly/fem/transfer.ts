// Interpolation between levels and its transpose. Level 1 → 0 puts the four-node field onto the nine nodes of the
// same cells; level l+1 → l is linear in the patch's own coordinates, from the vertices of the joined cells.

import {
  C, H, V, W, cellsS, cellsT, classStride, copyIndex, fineVertex, gridAt, levelSize, parentS, parentT, placeS, placeT,
} from "./levels";
import { unknownsPerNode } from "./problem";
import { rowJ, rowPatch } from "./stencil";

@inline function rowOfClass(vector: usize, grid: usize, k: i32, j: i32): usize {
  return vector + (<usize>copyIndex(grid, k, 0, j) << 3);
}
@inline function singleRowOfClass(vector: usize, grid: usize, k: i32, j: i32): usize {
  return vector + (<usize>copyIndex(grid, k, 0, j) << 2);
}
@inline function get(row: usize, i: i32): f64 { return load<f64>(row + (<usize>i << 3)); }
@inline function set(row: usize, i: i32, value: f64): void { store<f64>(row + (<usize>i << 3), value); }
@inline function setSingle(row: usize, i: i32, value: f64): void { store<f32>(row + (<usize>i << 2), <f32>value); }

/** Half the sum of two pairs of f64. */
@inline function halved(a: v128, b: v128): v128 { return f64x2.mul(f64x2.splat(0.5), f64x2.add(a, b)); }
/** Two f64 into two f32. */
@inline function setTwo(row: usize, i: i32, two: v128): void { v128.store64_lane(row + (<usize>i << 2), f32x4.demote_f64x2_zero(two), 0); }
@inline function getTwo(row: usize, i: i32): v128 { return v128.load(row + (<usize>i << 3)); }

/** Vertex rows [from, to) of level 1 interpolated to `fine` on level 0, in f32. */
export function prolongToElements(coarse: usize, fine: usize, from: i32, to: i32): void {
  for (let c = 0; c < unknownsPerNode(); c++) {
    for (let row = from; row < to; row++) {
      const p = rowPatch(1, row), j = rowJ(1, row);
      const grid = gridAt(0, p), vertices = gridAt(1, p), n = cellsS(grid);
      const below = rowOfClass(coarse, vertices, V, j);
      prolongAlong(below, singleRowOfClass(fine, grid, V, j), singleRowOfClass(fine, grid, H, j), n);
      if (j == cellsT(grid)) continue;
      const above = rowOfClass(coarse, vertices, V, j + 1);
      prolongBetween(below, above, singleRowOfClass(fine, grid, W, j), singleRowOfClass(fine, grid, C, j), n);
    }
    coarse += <usize>levelSize(1) << 3;
    fine += <usize>levelSize(0) << 2;
  }
}

/** Vertices and the middles between them. */
function prolongAlong(below: usize, v: usize, h: usize, n: i32): void {
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    const left = getTwo(below, i);
    setTwo(v, i, left);
    setTwo(h, i, halved(left, getTwo(below, i + 1)));
  }
  if (i < n) {
    setSingle(v, i, get(below, i));
    setSingle(h, i, 0.5 * (get(below, i) + get(below, n)));
  }
  setSingle(v, n, get(below, n));
}

/** Middles between two rows of vertices, and the centres between those. */
function prolongBetween(below: usize, above: usize, w: usize, m: usize, n: i32): void {
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    const left = halved(getTwo(below, i), getTwo(above, i));
    setTwo(w, i, left);
    setTwo(m, i, halved(left, halved(getTwo(below, i + 1), getTwo(above, i + 1))));
  }
  const last = 0.5 * (get(below, n) + get(above, n));
  if (i < n) {
    const left = 0.5 * (get(below, i) + get(above, i));
    setSingle(w, i, left);
    setSingle(m, i, 0.5 * (left + last));
  }
  setSingle(w, n, last);
}

/** Vertex rows [from, to) of level 1 of the transpose. */
export function restrictFromElements(fine: usize, coarse: usize, from: i32, to: i32): void {
  for (let c = 0; c < unknownsPerNode(); c++) {
    for (let row = from; row < to; row++) {
      const p = rowPatch(1, row), j = rowJ(1, row);
      const grid = gridAt(0, p), n = cellsS(grid), under = j > 0, over = j < cellsT(grid);
      const out = rowOfClass(coarse, gridAt(1, p), V, j);
      const v = rowOfClass(fine, grid, V, j), h = rowOfClass(fine, grid, H, j);
      const w0 = rowOfClass(fine, grid, W, j - 1), w1 = rowOfClass(fine, grid, W, j);
      const c0 = rowOfClass(fine, grid, C, j - 1), c1 = rowOfClass(fine, grid, C, j);
      set(out, 0, restricted(v, h, w0, w1, c0, c1, under, over, 0, n));
      let i = 1;
      for (; i + 2 <= n; i += 2) {
        let half = f64x2.add(getTwo(h, i - 1), getTwo(h, i)), quarter = f64x2.splat(0);
        if (under) {
          half = f64x2.add(half, getTwo(w0, i));
          quarter = f64x2.add(getTwo(c0, i - 1), getTwo(c0, i));
        }
        if (over) {
          half = f64x2.add(half, getTwo(w1, i));
          quarter = f64x2.add(f64x2.add(quarter, getTwo(c1, i - 1)), getTwo(c1, i));
        }
        const sum = f64x2.add(getTwo(v, i), f64x2.mul(f64x2.splat(0.5), half));
        v128.store(out + (<usize>i << 3), f64x2.add(sum, f64x2.mul(f64x2.splat(0.25), quarter)));
      }
      for (; i <= n; i++) set(out, i, restricted(v, h, w0, w1, c0, c1, under, over, i, n));
    }
    coarse += <usize>levelSize(1) << 3;
    fine += <usize>levelSize(0) << 3;
  }
}

/** What vertex i of a row gets. */
function restricted(
  v: usize, h: usize, w0: usize, w1: usize, c0: usize, c1: usize, under: bool, over: bool, i: i32, n: i32,
): f64 {
  let half = 0.0, quarter = 0.0;
  if (i > 0) half += get(h, i - 1);
  if (i < n) half += get(h, i);
  if (under) {
    half += get(w0, i);
    if (i > 0) quarter += get(c0, i - 1);
    if (i < n) quarter += get(c0, i);
  }
  if (over) {
    half += get(w1, i);
    if (i > 0) quarter += get(c1, i - 1);
    if (i < n) quarter += get(c1, i);
  }
  return get(v, i) + 0.5 * half + 0.25 * quarter;
}

/** Rows [from, to) of level l ≥ 1 interpolated from level l+1, in f32. */
export function prolongVertices(l: i32, coarse: usize, fine: usize, from: i32, to: i32): void {
  for (let c = 0; c < unknownsPerNode(); c++) {
    for (let row = from; row < to; row++) {
      const p = rowPatch(l, row), j = rowJ(l, row);
      const grid = gridAt(l, p), parent = gridAt(l + 1, p);
      const J = parentT(grid, j), t = placeT(grid, j);
      const below = rowOfClass(coarse, parent, V, J), above = rowOfClass(coarse, parent, V, J + 1);
      const out = singleRowOfClass(fine, grid, V, j);
      for (let i = 0; i <= cellsS(grid); i++) {
        const I = parentS(grid, i), s = placeS(grid, i);
        const low = (1 - s) * get(below, I) + s * get(below, I + 1);
        const high = (1 - s) * get(above, I) + s * get(above, I + 1);
        setSingle(out, i, (1 - t) * low + t * high);
      }
    }
    coarse += <usize>levelSize(l + 1) << 3;
    fine += <usize>levelSize(l) << 2;
  }
}

/** Vertex rows [from, to) of level l+1, l ≥ 1, of the transpose. */
export function restrictVertices(l: i32, fine: usize, coarse: usize, from: i32, to: i32): void {
  for (let c = 0; c < unknownsPerNode(); c++) {
    for (let row = from; row < to; row++) {
      const p = rowPatch(l + 1, row), J = rowJ(l + 1, row);
      const grid = gridAt(l, p), parent = gridAt(l + 1, p), out = rowOfClass(coarse, parent, V, J);
      memory.fill(out, 0, <usize>classStride(parent, V) << 3);
      const first = J > 0 ? fineVertex(cellsT(grid), J - 1) : 0;
      const last = J < cellsT(parent) ? fineVertex(cellsT(grid), J + 1) - 1 : cellsT(grid);
      for (let j = first; j <= last; j++) {
        const t = placeT(grid, j);
        restrictRow(grid, rowOfClass(fine, grid, V, j), out, parentT(grid, j) == J ? 1 - t : t);
      }
    }
    coarse += <usize>levelSize(l + 1) << 3;
    fine += <usize>levelSize(l) << 3;
  }
}

/** Adds a share of a row to the vertices of the joined cells that it lies in. */
function restrictRow(grid: usize, row: usize, out: usize, share: f64): void {
  for (let i = 0; i <= cellsS(grid); i++) {
    const I = parentS(grid, i), s = placeS(grid, i), value = share * get(row, i);
    set(out, I, get(out, I) + (1 - s) * value);
    set(out, I + 1, get(out, I + 1) + s * value);
  }
}
