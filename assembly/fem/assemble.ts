// Assembly: cells in ascending order add their matrices into the rows of level 0, so that every entry is the sum
// over its elements in ascending order. At the same time each matrix is carried to the coarser levels by
// Galerkin's product Pᵀ K P, cell by cell (U. Trottenberg et al., Multigrid, §2.6.2 and App. A): Q2 → Q1 on the
// same cell, then fine cell → cell of the next level. Where an unknown is prescribed the row of P is zero, so
// each coarse matrix is that of a subspace of the true problem and positive definite with it.

import { allocate } from "../kernel/frame";
import { buildElement, elementLoad, elementMatrix } from "./element";
import {
  LevelField, V, bottomLevel, cellMatrices, cellsS, copyIndex, firstCell, gridAt, levelField, levelSize,
  parentS, parentT, placeS, placeT, setCellMatrices,
} from "./levels";
import { patchCount, unknownsPerNode } from "./problem";
import { flagsOf } from "./sharing";
import { elementSlot, entryStep, nodeClass, nodeCoefficients, nodeI, nodeJ } from "./stencil";

/** Masked interpolation weights: unknown, fine node (≤ 9), coarse vertex (4). */
let interpolation: usize = 0;
/** K P, at most 18 × 8. */
let product: usize = 0;
/** Coarse cell matrix 4d × 4d. */
let projected: usize = 0;

export function layAssembly(): void {
  interpolation = allocate(2 * 9 * 4 * 8);
  product = allocate(18 * 8 * 8);
  projected = allocate(8 * 8 * 8);
  const bytes = <usize>(16 * unknownsPerNode() * unknownsPerNode()) << 3;
  for (let l = 2; l <= bottomLevel(); l++) {
    const all = allocate(<usize>levelField(l, LevelField.CELLS) * bytes);
    for (let p = 0; p < patchCount(); p++) setCellMatrices(gridAt(l, p), all + <usize>firstCell(gridAt(l, p)) * bytes);
  }
}

/** Adds the matrix of n nodes into the rows of cell (i, j). */
function scatter(l: i32, grid: usize, i: i32, j: i32, n: i32, matrix: usize): void {
  const d = unknownsPerNode(), block = d * d;
  for (let a = 0; a < n; a++) {
    const k = nodeClass(a), ia = i + nodeI(a);
    const row = nodeCoefficients(l, grid, k, ia, j + nodeJ(a));
    const step = entryStep(grid, k, ia);
    for (let b = 0; b < n; b++) {
      let to = row + <usize>(elementSlot(a, b) * block) * step;
      for (let c = 0; c < d; c++) {
        let from = matrix + <usize>(((a * d + c) * n + b) * d << 3);
        for (let e = 0; e < d; e++) {
          store<f64>(to, load<f64>(to) + load<f64>(from));
          to += step; from += 8;
        }
      }
    }
  }
}

// ---- Galerkin --------------------------------------------------------------------------------------------

@inline function weightAt(c: i32, a: i32, vertex: i32): usize { return interpolation + <usize>(((c * 9 + a) * 4 + vertex) << 3); }

/** Bilinear weights of a point (s, t) of the coarse cell for fine node a, zero where prescribed. */
function interpolate(a: i32, s: f64, t: f64, flags: i32): void {
  for (let c = 0; c < unknownsPerNode(); c++) {
    const free: f64 = flags & (1 << c) ? 0.0 : 1.0;
    store<f64>(weightAt(c, a, 0), free * ((1 - s) * (1 - t)));
    store<f64>(weightAt(c, a, 1), free * (s * (1 - t)));
    store<f64>(weightAt(c, a, 2), free * (s * t));
    store<f64>(weightAt(c, a, 3), free * ((1 - s) * t));
  }
}

/** projected = Pᵀ K P for a matrix of n nodes. */
function project(n: i32, matrix: usize): void {
  const d = unknownsPerNode(), rows = n * d, columns = 4 * d;
  for (let r = 0; r < rows; r++) {
    for (let v = 0; v < 4; v++) {
      for (let c = 0; c < d; c++) {
        let sum = 0.0;
        for (let b = 0; b < n; b++) {
          sum += load<f64>(matrix + <usize>((r * rows + b * d + c) << 3)) * load<f64>(weightAt(c, b, v));
        }
        store<f64>(product + <usize>((r * columns + v * d + c) << 3), sum);
      }
    }
  }
  for (let v = 0; v < 4; v++) {
    for (let c = 0; c < d; c++) {
      for (let q = 0; q < columns; q++) {
        let sum = 0.0;
        for (let a = 0; a < n; a++) {
          sum += load<f64>(weightAt(c, a, v)) * load<f64>(product + <usize>(((a * d + c) * columns + q) << 3));
        }
        store<f64>(projected + <usize>(((v * d + c) * columns + q) << 3), sum);
      }
    }
  }
}

/** Carries the matrix of cell (i, j) of level l ≥ 1 into that of its parent cell. */
function carryUp(l: i32, p: i32, grid: usize, i: i32, j: i32, matrix: usize): void {
  const parent = gridAt(l + 1, p);
  const I = parentS(grid, i), J = parentT(grid, j);
  const s0 = placeS(grid, i), s1 = parentS(grid, i + 1) == I ? placeS(grid, i + 1) : 1.0;
  const t0 = placeT(grid, j), t1 = parentT(grid, j + 1) == J ? placeT(grid, j + 1) : 1.0;
  interpolate(0, s0, t0, flagsOf(l, copyIndex(grid, V, i, j)));
  interpolate(1, s1, t0, flagsOf(l, copyIndex(grid, V, i + 1, j)));
  interpolate(2, s1, t1, flagsOf(l, copyIndex(grid, V, i + 1, j + 1)));
  interpolate(3, s0, t1, flagsOf(l, copyIndex(grid, V, i, j + 1)));
  project(4, matrix);
  const count = 16 * unknownsPerNode() * unknownsPerNode();
  let to = cellMatrices(parent) + (<usize>((J * cellsS(parent) + I) * count) << 3);
  for (let n = 0; n < count; n++) {
    store<f64>(to, load<f64>(to) + load<f64>(projected + (<usize>n << 3)));
    to += 8;
  }
}

/** Q2 → Q1 on the same cell; the result is in `projected`. */
function carryToVertices(grid: usize, i: i32, j: i32): void {
  for (let a = 0; a < 9; a++) {
    const k = nodeClass(a);
    const s: f64 = k & 1 ? 0.5 : <f64>nodeI(a), t: f64 = k & 2 ? 0.5 : <f64>nodeJ(a);
    interpolate(a, s, t, flagsOf(0, copyIndex(grid, k, i + nodeI(a), j + nodeJ(a))));
  }
  project(9, elementMatrix);
}

function addLoad(grid: usize, i: i32, j: i32, load0: usize): void {
  const d = unknownsPerNode(), size = levelSize(0);
  for (let a = 0; a < 9; a++) {
    const e = copyIndex(grid, nodeClass(a), i + nodeI(a), j + nodeJ(a));
    for (let c = 0; c < d; c++) {
      const to = load0 + (<usize>(c * size + e) << 3);
      store<f64>(to, load<f64>(to) + load<f64>(elementLoad + <usize>((a * d + c) << 3)));
    }
  }
}

/** Assembles cell row j of patch p of level 0 into levels 0 and 1 and the matrices of level 2; false: det J ≤ 0. */
export function assembleCells(p: i32, j: i32, loads: usize): bool {
  const grid = gridAt(0, p), vertices = gridAt(1, p);
  const coarser = bottomLevel() > 1;
  for (let i = 0; i < cellsS(grid); i++) {
    if (!buildElement(p, grid, i, j)) return false;
    scatter(0, grid, i, j, 9, elementMatrix);
    addLoad(grid, i, j, loads);
    carryToVertices(grid, i, j);
    scatter(1, vertices, i, j, 4, projected);
    if (coarser) carryFromProjected(p, vertices, i, j);
  }
  return true;
}

/** `projected` is overwritten by the next projection, so it is moved aside first. */
function carryFromProjected(p: i32, grid: usize, i: i32, j: i32): void {
  const bytes = <usize>(16 * unknownsPerNode() * unknownsPerNode()) << 3;
  memory.copy(elementMatrix, projected, bytes);
  carryUp(1, p, grid, i, j, elementMatrix);
}

/** Assembles cell row j of patch p of level l ≥ 2 from the matrices that level l−1 left. */
export function assembleCoarse(l: i32, p: i32, j: i32): void {
  const grid = gridAt(l, p);
  const bytes = <usize>(16 * unknownsPerNode() * unknownsPerNode()) << 3;
  for (let i = 0; i < cellsS(grid); i++) {
    const matrix = cellMatrices(grid) + <usize>(j * cellsS(grid) + i) * bytes;
    scatter(l, grid, i, j, 4, matrix);
    if (l < bottomLevel()) carryUp(l, p, grid, i, j, matrix);
  }
}
