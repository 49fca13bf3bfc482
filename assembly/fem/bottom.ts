// The coarsest level, solved directly: free unknowns of its nodes, numbered patch by patch and row by row, in an
// envelope.

import { allocate } from "../kernel/frame";
import { addEntry, closeEnvelope, envelopeEntries, envelopeOrder, openEnvelope, solveEnvelope, widen } from "./envelope";
import { LevelField, V, bottomLevel, cellsS, cellsT, copyIndex, gridAt, levelField, levelSize } from "./levels";
import { patchCount, unknownsPerNode } from "./problem";
import { flagsOf } from "./sharing";
import { entryStep, nodeCoefficients, nodeI, nodeJ } from "./stencil";

/** Number of free unknown c of copy e at index c·size + e, −1 when prescribed or padding. */
let numbers: usize = 0;
let dense: usize = 0;

@inline function numberOf(index: i32): i32 { return load<i32>(numbers + (<usize>index << 2)); }

/** Copies that are not owners take their owner's number. */
function numberNodes(): i32 {
  const l = bottomLevel(), size = levelSize(l), d = unknownsPerNode();
  memory.fill(numbers, 0xff, <usize>(size * d) << 2);
  const list = <usize>levelField(l, LevelField.SHARED), pairs = levelField(l, LevelField.SHARED_COUNT);
  for (let n = 0; n < pairs; n++) store<i32>(numbers + (<usize>load<i32>(list + (<usize>n << 3), 4) << 2), -2);
  let count = 0;
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p), wide = cellsS(grid) > cellsT(grid);
    const outer = wide ? cellsS(grid) : cellsT(grid), inner = wide ? cellsT(grid) : cellsS(grid);
    for (let j = 0; j <= outer; j++) {
      for (let i = 0; i <= inner; i++) {
        const e = wide ? copyIndex(grid, V, j, i) : copyIndex(grid, V, i, j);
        if (numberOf(e) == -2) continue;
        for (let c = 0; c < d; c++) {
          store<i32>(numbers + (<usize>(c * size + e) << 2), flagsOf(l, e) & (1 << c) ? -1 : count++);
        }
      }
    }
  }
  for (let n = 0; n < pairs; n++) {
    const owner = load<i32>(list + (<usize>n << 3)), other = load<i32>(list + (<usize>n << 3), 4);
    for (let c = 0; c < d; c++) store<i32>(numbers + (<usize>(c * size + other) << 2), numberOf(c * size + owner));
  }
  return count;
}

function widenCells(): void {
  const l = bottomLevel();
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p);
    for (let j = 0; j < cellsT(grid); j++) {
      for (let i = 0; i < cellsS(grid); i++) widenCell(l, grid, i, j);
    }
  }
}

function widenCell(l: i32, grid: usize, i: i32, j: i32): void {
  const d = unknownsPerNode(), size = levelSize(l);
  for (let a = 0; a < 4; a++) {
    const ea = copyIndex(grid, V, i + nodeI(a), j + nodeJ(a));
    for (let b = 0; b < 4; b++) {
      const eb = copyIndex(grid, V, i + nodeI(b), j + nodeJ(b));
      for (let c = 0; c < d; c++) {
        for (let e = 0; e < d; e++) {
          const row = numberOf(c * size + ea), column = numberOf(e * size + eb);
          if (row >= 0 && column >= 0) widen(row, column);
        }
      }
    }
  }
}

/** Neighbour s of a vertex: (s mod 3 − 1, s div 3 − 1). */
function addRow(l: i32, grid: usize, i: i32, j: i32): void {
  const d = unknownsPerNode(), size = levelSize(l);
  const from = nodeCoefficients(l, grid, V, i, j), step = entryStep(grid, V, i);
  const ea = copyIndex(grid, V, i, j);
  for (let s = 0; s < 9; s++) {
    const I = i + s % 3 - 1, J = j + s / 3 - 1;
    if (I < 0 || J < 0 || I > cellsS(grid) || J > cellsT(grid)) continue;
    const eb = copyIndex(grid, V, I, J);
    for (let c = 0; c < d; c++) {
      for (let e = 0; e < d; e++) {
        const row = numberOf(c * size + ea), column = numberOf(e * size + eb);
        if (row < 0 || column < 0) continue;
        addEntry(row, column, load<f64>(from + <usize>((s * d + c) * d + e) * step));
      }
    }
  }
}

/** Numbers the unknowns and lays out the envelope; its entries. */
export function layBottom(): i64 {
  const l = bottomLevel();
  numbers = allocate(<usize>(levelSize(l) * unknownsPerNode()) << 2);
  const count = numberNodes();
  openEnvelope(count);
  widenCells();
  dense = allocate(<usize>count << 3);
  return envelopeEntries();
}

/** Fills the envelope from the assembled rows. */
export function fillBottom(): void {
  closeEnvelope();
  const l = bottomLevel();
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p);
    for (let j = 0; j <= cellsT(grid); j++) for (let i = 0; i <= cellsS(grid); i++) addRow(l, grid, i, j);
  }
}

/** z ← A⁻¹ r on the coarsest level: r owned, z spread. */
export function solveBottom(r: usize, z: usize): void {
  const total = levelSize(bottomLevel()) * unknownsPerNode();
  memory.fill(dense, 0, <usize>envelopeOrder() << 3);
  for (let n = 0; n < total; n++) {
    const row = numberOf(n);
    if (row < 0) continue;
    const to = dense + (<usize>row << 3);
    store<f64>(to, load<f64>(to) + load<f64>(r + (<usize>n << 3)));
  }
  solveEnvelope(dense);
  for (let n = 0; n < total; n++) {
    const row = numberOf(n);
    store<f64>(z + (<usize>n << 3), row < 0 ? 0 : load<f64>(dense + (<usize>row << 3)));
  }
}
