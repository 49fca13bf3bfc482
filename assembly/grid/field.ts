// A field on the nodes of a box, row by row. A row of nx+1 nodes is padded on both sides, so that a stencil along x
// runs over it without asking for ends: two f64 before node 0, the second of which is its ghost, and the ghost of
// the last node behind it. Rows have an even number of f64, so that every node 0 is aligned to 16 bytes.

import { End, cellsOf, isPeriodic, lowerKind } from "./axis";

@inline export function rowBytes(nx: i32): usize { return <usize>((nx + 6) & ~1) << 3; }
@inline export function fieldBytes(nx: i32, ny: i32): usize { return rowBytes(nx) * <usize>(ny + 1); }
const PAGE: usize = 4096;
/** Smaller fields lie side by side. */
const LARGE: usize = 65536;
/**
 * Bytes from one field to the next, so that the same node of both is `offset` apart within a page: a load whose
 * address has the last twelve bits of a store just before it to another field waits for that store.
 */
export function spacedBytes(bytes: usize, offset: usize): usize {
  return bytes < LARGE ? bytes : bytes + ((offset - bytes) & (PAGE - 1));
}
/** Address of node 0 of row j. */
@inline export function rowAt(field: usize, nx: i32, j: i32): usize { return field + rowBytes(nx) * <usize>j + 16; }
@inline export function nodeAt(field: usize, nx: i32, i: i32, j: i32): usize {
  return rowAt(field, nx, j) + (<usize>i << 3);
}

/** Ghosts of a row: mirrored at its ends, or from the other side where the axis is periodic. */
@inline export function fillGhosts(row: usize, x: usize): void {
  const end = row + (<usize>cellsOf(x) << 3), periodic = isPeriodic(x);
  store<f64>(row - 8, periodic ? load<f64>(end - 8) : load<f64>(row, 8));
  store<f64>(end, periodic ? load<f64>(row, 8) : load<f64>(end - 8), 8);
}

/** Copies a row with its ghosts. */
@inline export function copyRow(to: usize, from: usize, nx: i32): void {
  memory.copy(to - 16, from - 16, rowBytes(nx));
}

/** The row below row j and the one above it as the stencil sees them; `old` is row j − 1 as it was. */
@inline export function rowBelow(field: usize, nx: i32, y: usize, j: i32, old: usize, first: i32): usize {
  if (j > first) return old;
  const ny = cellsOf(y);
  return j > 0 ? rowAt(field, nx, j - 1) : rowAt(field, nx, lowerKind(y) == End.PERIODIC ? ny - 1 : 1);
}
@inline export function rowAbove(field: usize, nx: i32, y: usize, j: i32, old: usize): usize {
  return j == cellsOf(y) ? old : rowAt(field, nx, j + 1);
}

/** Plain numbers (nx+1 in a row) from a field, also from one that stands where they go or behind, and back. */
export function packField(to: usize, field: usize, nx: i32, ny: i32): void {
  const bytes = <usize>(nx + 1) << 3;
  for (let j = 0; j <= ny; j++) memory.copy(to + bytes * <usize>j, rowAt(field, nx, j), bytes);
}
export function unpackField(field: usize, from: usize, nx: i32, ny: i32): void {
  const bytes = <usize>(nx + 1) << 3;
  for (let j = 0; j <= ny; j++) memory.copy(rowAt(field, nx, j), from + bytes * <usize>j, bytes);
}
