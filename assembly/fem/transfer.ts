// Interpolation between levels and its transpose. Level 1 → 0 puts the four-node field onto the nine nodes of the
// same cells; level l+1 → l is linear in the patch's own coordinates, from the vertices of the joined cells.

import { C, H, V, W, cellsS, cellsT, classOffset, classStride, gridAt, levelSize, parentS, parentT, placeS, placeT } from "./levels";
import { unknownsPerNode } from "./problem";
import { rowJ, rowPatch } from "./stencil";

@inline function rowOfClass(vector: usize, grid: usize, k: i32, j: i32): usize {
  return vector + (<usize>(classOffset(grid, k) + j * classStride(grid, k)) << 3);
}
@inline function singleRowOfClass(vector: usize, grid: usize, k: i32, j: i32): usize {
  return vector + (<usize>(classOffset(grid, k) + j * classStride(grid, k)) << 2);
}
@inline function get(row: usize, i: i32): f64 { return load<f64>(row + (<usize>i << 3)); }
@inline function set(row: usize, i: i32, value: f64): void { store<f64>(row + (<usize>i << 3), value); }
@inline function setSingle(row: usize, i: i32, value: f64): void { store<f32>(row + (<usize>i << 2), <f32>value); }

/** Vertex rows [from, to) of level 1 interpolated to `fine` on level 0, in f32. */
export function prolongToElements(coarse: usize, fine: usize, from: i32, to: i32): void {
  for (let c = 0; c < unknownsPerNode(); c++) {
    for (let row = from; row < to; row++) {
      const p = rowPatch(1, row), j = rowJ(1, row);
      const grid = gridAt(0, p), vertices = gridAt(1, p), n = cellsS(grid);
      const below = rowOfClass(coarse, vertices, V, j);
      const v = singleRowOfClass(fine, grid, V, j), h = singleRowOfClass(fine, grid, H, j);
      for (let i = 0; i <= n; i++) setSingle(v, i, get(below, i));
      for (let i = 0; i < n; i++) setSingle(h, i, 0.5 * (get(below, i) + get(below, i + 1)));
      if (j == cellsT(grid)) continue;
      const above = rowOfClass(coarse, vertices, V, j + 1);
      const w = singleRowOfClass(fine, grid, W, j), m = singleRowOfClass(fine, grid, C, j);
      let right = 0.5 * (get(below, 0) + get(above, 0));
      setSingle(w, 0, right);
      for (let i = 0; i < n; i++) {
        const left = right;
        right = 0.5 * (get(below, i + 1) + get(above, i + 1));
        setSingle(w, i + 1, right);
        setSingle(m, i, 0.5 * (left + right));
      }
    }
    coarse += <usize>levelSize(1) << 3;
    fine += <usize>levelSize(0) << 2;
  }
}

/** Vertex rows [from, to) of level 1 of the transpose. */
export function restrictFromElements(fine: usize, coarse: usize, from: i32, to: i32): void {
  for (let c = 0; c < unknownsPerNode(); c++) {
    for (let row = from; row < to; row++) {
      const p = rowPatch(1, row), j = rowJ(1, row);
      const grid = gridAt(0, p), n = cellsS(grid), m = cellsT(grid);
      const out = rowOfClass(coarse, gridAt(1, p), V, j);
      const v = rowOfClass(fine, grid, V, j), h = rowOfClass(fine, grid, H, j);
      const w0 = rowOfClass(fine, grid, W, j - 1), w1 = rowOfClass(fine, grid, W, j);
      const c0 = rowOfClass(fine, grid, C, j - 1), c1 = rowOfClass(fine, grid, C, j);
      for (let i = 0; i <= n; i++) {
        let sum = get(v, i), half = 0.0, quarter = 0.0;
        if (i > 0) half += get(h, i - 1);
        if (i < n) half += get(h, i);
        if (j > 0) {
          half += get(w0, i);
          if (i > 0) quarter += get(c0, i - 1);
          if (i < n) quarter += get(c0, i);
        }
        if (j < m) {
          half += get(w1, i);
          if (i > 0) quarter += get(c1, i - 1);
          if (i < n) quarter += get(c1, i);
        }
        set(out, i, sum + 0.5 * half + 0.25 * quarter);
      }
    }
    coarse += <usize>levelSize(1) << 3;
    fine += <usize>levelSize(0) << 3;
  }
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

/** Rows [from, to) of level l ≥ 1 of the transpose, added to `coarse`, which was zero before row 0. */
export function restrictVertices(l: i32, fine: usize, coarse: usize, from: i32, to: i32): void {
  for (let c = 0; c < unknownsPerNode(); c++) {
    for (let row = from; row < to; row++) {
      const p = rowPatch(l, row), j = rowJ(l, row);
      const grid = gridAt(l, p), parent = gridAt(l + 1, p);
      const J = parentT(grid, j), t = placeT(grid, j);
      const below = rowOfClass(coarse, parent, V, J), above = rowOfClass(coarse, parent, V, J + 1);
      const row0 = rowOfClass(fine, grid, V, j);
      for (let i = 0; i <= cellsS(grid); i++) {
        const I = parentS(grid, i), s = placeS(grid, i), value = get(row0, i);
        const low = (1 - t) * value, high = t * value;
        set(below, I, get(below, I) + (1 - s) * low);
        set(below, I + 1, get(below, I + 1) + s * low);
        set(above, I, get(above, I) + (1 - s) * high);
        set(above, I + 1, get(above, I + 1) + s * high);
      }
    }
    coarse += <usize>levelSize(l + 1) << 3;
    fine += <usize>levelSize(l) << 3;
  }
}
