// Assembly: cells in ascending order add their matrices into the rows of level 0, so that every entry is the sum
// over its elements in ascending order. At the same time each matrix is carried to the coarser levels by
// Galerkin's product Pᵀ K P, cell by cell (U. Trottenberg et al., Multigrid, §2.6.2 and App. A): Q2 → Q1 on the
// same cell, then fine cell → cell of the next level. Where an unknown is prescribed the row of P is zero, so
// each coarse matrix is that of a subspace of the true problem and positive definite with it.

import { allocate } from "../kernel/frame";
import { SEATS, TEAM, each, seat } from "../kernel/team";
import { buildElement, elementLoad, elementMatrix, takeElement } from "./element";
import {
  LevelField, V, bottomLevel, cellMatrices, cellsS, cellsT, copyIndex, fillsRow, fineVertex, firstCell, gridAt, levelField,
  levelSize, parentS, parentT, placeS, placeT, setCellMatrices,
} from "./levels";
import { patchCount, unknownsPerNode } from "./problem";
import { flagsOf } from "./sharing";
import { elementSlot, entryStep, nodeClass, nodeCoefficients, nodeI, nodeJ } from "./stencil";

/** K P, at most 18 × 8. */
let product: usize = 0;
/** Coarse cell matrix 4d × 4d. */
let projected: usize = 0;
/** Both, a room a thread. */
let rooms: usize = 0;
const PRODUCT: usize = 18 * 8 * 8, ROOM: usize = PRODUCT + 8 * 8 * 8;

export function layAssembly(): void {
  rooms = allocate(<usize>(TEAM ? SEATS : 1) * ROOM);
  failures = allocate(BAND << 2);
  takeRoom();
}

/** Before cells are assembled in a block (../kernel/team.ts). */
function takeRoom(): void {
  takeElement();
  product = rooms + <usize>seat() * ROOM;
  projected = product + PRODUCT;
}

@inline function matrixBytes(): usize { return <usize>(16 * unknownsPerNode() * unknownsPerNode()) << 3; }
/** Room for the matrices of the cells of all levels from 2 on, which nothing needs once all are assembled. */
export function cellBytes(): usize {
  let cells = 0;
  for (let l = 2; l <= bottomLevel(); l++) cells += levelField(l, LevelField.CELLS);
  return <usize>cells * matrixBytes();
}
/** Lays them from `at` on, where all is zero. */
export function layCells(at: usize): void {
  for (let l = 2; l <= bottomLevel(); l++) {
    for (let p = 0; p < patchCount(); p++) setCellMatrices(gridAt(l, p), at + <usize>firstCell(gridAt(l, p)) * matrixBytes());
    at += <usize>levelField(l, LevelField.CELLS) * matrixBytes();
  }
}

/** Adds the matrix of n nodes into the rows of cell (i, j). */
function scatter(l: i32, grid: usize, i: i32, j: i32, n: i32, matrix: usize): void {
  const d = unknownsPerNode(), block = d * d;
  for (let a = 0; a < n; a++) {
    const k = nodeClass(a), ia = i + nodeI(a);
    if (!fillsRow(grid, k, j + nodeJ(a))) continue;
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

/** Zeroes the rows and columns of prescribed unknowns of a matrix of n nodes, so that P can be whole. */
function mask(n: i32, matrix: usize, a: i32, flags: i32): void {
  const d = unknownsPerNode(), rows = n * d;
  for (let c = 0; c < d; c++) {
    if ((flags & (1 << c)) == 0) continue;
    const fixed = a * d + c;
    for (let r = 0; r < rows; r++) {
      store<f64>(matrix + <usize>((fixed * rows + r) << 3), 0);
      store<f64>(matrix + <usize>((r * rows + fixed) << 3), 0);
    }
  }
}

/** Nine numbers a step apart, carried to the four vertices: a vertex, half its two mid-sides, a quarter of the centre. */
@inline function nineToFour(from: usize, step: usize, to: usize, toStep: usize): void {
  const bottom = 0.5 * load<f64>(from + 4 * step), right = 0.5 * load<f64>(from + 5 * step);
  const top = 0.5 * load<f64>(from + 6 * step), left = 0.5 * load<f64>(from + 7 * step);
  const centre = 0.25 * load<f64>(from + 8 * step);
  store<f64>(to, load<f64>(from) + (bottom + left) + centre);
  store<f64>(to + toStep, load<f64>(from + step) + (bottom + right) + centre);
  store<f64>(to + 2 * toStep, load<f64>(from + 2 * step) + (top + right) + centre);
  store<f64>(to + 3 * toStep, load<f64>(from + 3 * step) + (top + left) + centre);
}

/** Four vertices of a cell at places s0, s1, t0, t1 of its parent, carried to the parent's: first along s, then t. */
@inline function fourToFour(from: usize, step: usize, to: usize, toStep: usize): void {
  const v0 = load<f64>(from), v1 = load<f64>(from + step), v2 = load<f64>(from + 2 * step), v3 = load<f64>(from + 3 * step);
  const lowRight = s0 * v0 + s1 * v1, lowLeft = (v0 + v1) - lowRight;
  const highRight = s0 * v3 + s1 * v2, highLeft = (v3 + v2) - highRight;
  const topLeft = t0 * lowLeft + t1 * highLeft, topRight = t0 * lowRight + t1 * highRight;
  store<f64>(to, (lowLeft + highLeft) - topLeft);
  store<f64>(to + toStep, (lowRight + highRight) - topRight);
  store<f64>(to + 2 * toStep, topRight);
  store<f64>(to + 3 * toStep, topLeft);
}
let s0: f64 = 0, s1: f64 = 0, t0: f64 = 0, t1: f64 = 0;

/** projected = Pᵀ K P for a matrix of n nodes, nine or four. */
function project(n: i32, matrix: usize): void {
  const d = unknownsPerNode(), rows = n * d, columns = 4 * d;
  const next = <usize>d << 3, down = <usize>(d * columns) << 3;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < d; c++) {
      const from = matrix + <usize>((r * rows + c) << 3), to = product + <usize>((r * columns + c) << 3);
      if (n == 9) nineToFour(from, next, to, next);
      else fourToFour(from, next, to, next);
    }
  }
  for (let q = 0; q < columns; q++) {
    for (let c = 0; c < d; c++) {
      const at = <usize>((c * columns + q) << 3);
      if (n == 9) nineToFour(product + at, down, projected + at, down);
      else fourToFour(product + at, down, projected + at, down);
    }
  }
}

/** Prescribed unknowns of local vertex a of cell (i, j). */
@inline function vertexFlags(l: i32, grid: usize, i: i32, j: i32, a: i32): i32 {
  return flagsOf(l, copyIndex(grid, V, i + nodeI(a), j + nodeJ(a)));
}

/** Carries the matrix of cell (i, j) of level l ≥ 1 into that of its parent cell; the matrix is masked on the way. */
function carryUp(l: i32, p: i32, grid: usize, i: i32, j: i32, matrix: usize): void {
  const parent = gridAt(l + 1, p);
  const I = parentS(grid, i), J = parentT(grid, j);
  s0 = placeS(grid, i); s1 = parentS(grid, i + 1) == I ? placeS(grid, i + 1) : 1.0;
  t0 = placeT(grid, j); t1 = parentT(grid, j + 1) == J ? placeT(grid, j + 1) : 1.0;
  for (let a = 0; a < 4; a++) mask(4, matrix, a, vertexFlags(l, grid, i, j, a));
  project(4, matrix);
  const count = 16 * unknownsPerNode() * unknownsPerNode();
  let to = cellMatrices(parent) + (<usize>((J * cellsS(parent) + I) * count) << 3);
  for (let n = 0; n < count; n++) {
    store<f64>(to, load<f64>(to) + load<f64>(projected + (<usize>n << 3)));
    to += 8;
  }
}

/** Q2 → Q1 on the same cell; the result is in `projected`. The element's matrix is masked on the way. */
function carryToVertices(grid: usize, i: i32, j: i32): void {
  for (let a = 0; a < 9; a++) {
    mask(9, elementMatrix, a, flagsOf(0, copyIndex(grid, nodeClass(a), i + nodeI(a), j + nodeJ(a))));
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
function assembleCells(p: i32, j: i32): bool {
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
function assembleCoarse(l: i32, p: i32, j: i32): void {
  const grid = gridAt(l, p);
  const bytes = <usize>(16 * unknownsPerNode() * unknownsPerNode()) << 3;
  for (let i = 0; i < cellsS(grid); i++) {
    const matrix = cellMatrices(grid) + <usize>(j * cellsS(grid) + i) * bytes;
    scatter(l, grid, i, j, 4, matrix);
    if (l < bottomLevel()) carryUp(l, p, grid, i, j, matrix);
  }
}

// ---- rows in blocks ----------------------------------------------------------------------------------------
//
// A row of cells adds to the nodes below and above it and to the parents of its cells. A block has the rows of two rows of
// parents; its first row comes last, when those below are done, so that no other block adds to what the rest of it does, and
// every entry is summed in one order, whether blocks go one after another or on several threads (../kernel/team.ts).

/** Blocks that threads share at a time. */
const BAND: i32 = 8;
/** Of each block of a band, its row of cells with det J ≤ 0, or −1. */
let failures: usize = 0;
let level: i32 = 0, patch: i32 = 0, band: i32 = 0, loads: usize = 0;

@inline function hasParents(): bool { return level < bottomLevel() && bottomLevel() > 1; }
/** The grid that says what the parents of rows are: levels 0 and 1 have the same cells. */
@inline function joined(): usize { return gridAt(max(level, 1), patch); }
@inline function blockCount(): i32 { return hasParents() ? (cellsT(gridAt(max(level, 1) + 1, patch)) + 1) >> 1 : 1; }
function blockFirst(block: i32): i32 {
  const n = cellsT(joined());
  return block == 0 ? 0 : block < blockCount() ? fineVertex(n, 2 * block) : n;
}

/**
 * Assembles rows of cells of patch p of level l, 0 or at least 2: the n-th in their order and perhaps those behind it; says
 * how many. 0: the Jacobian of row `failedRow` is not positive.
 */
export function assembleRows(l: i32, p: i32, n: i32, loadsAt: usize): i32 {
  level = l; patch = p; loads = loadsAt;
  const block = hasParents() ? parentT(joined(), n) >> 1 : 0;
  return TEAM ? assembleBand(block) : assembleNext(n, blockFirst(block), blockFirst(block + 1));
}
export let failedRow: i32 = -1;

function assembleNext(n: i32, first: i32, end: i32): i32 {
  const row = n + 1 < end ? n + 1 : first;
  if (assembleRow(row)) return 1;
  failedRow = row;
  return 0;
}

function assembleBand(first: i32): i32 {
  band = first;
  const count = min(BAND, blockCount() - band);
  memory.fill(failures, 0xff, BAND << 2);
  each(insideBlock, count);
  each(firstOfBlock, count);
  for (let k = 0; k < count; k++) {
    failedRow = load<i32>(failures + (<usize>k << 2));
    if (failedRow >= 0) return 0;
  }
  return blockFirst(band + count) - blockFirst(band);
}

function insideBlock(k: i32): void {
  takeRoom();
  const end = blockFirst(band + k + 1);
  for (let j = blockFirst(band + k) + 1; j < end; j++) {
    if (!assembleRow(j)) { store<i32>(failures + (<usize>k << 2), j); return; }
  }
}

function firstOfBlock(k: i32): void {
  takeRoom();
  const failed = failures + (<usize>k << 2), first = blockFirst(band + k);
  if (load<i32>(failed) < 0 && !assembleRow(first)) store<i32>(failed, first);
}

function assembleRow(j: i32): bool {
  if (level == 0) return assembleCells(patch, j);
  assembleCoarse(level, patch, j);
  return true;
}
