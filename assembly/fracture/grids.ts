// Where the coarser grids of a damaged body keep their matrices and vectors: each of cells twice as wide as the one before,
// as long as both sides can be halved. Level 0 is the body's own grid, whose fields stand elsewhere (cells.ts).

import { allocate } from "../kernel/frame";
import { M, N } from "./problem";

const MOST: i32 = 10;
/** Finest cells above which the matrices of coarser grids would take too much memory. */
const MOST_CELLS: u64 = 2000000;
/** A level: cells along x and y, then where its arrays are. */
const LEVEL: usize = 56;
export namespace Field {
  export const STENCIL: usize = 8;
  export const INVERSE: usize = 12;
  export const R: usize = 16;
  export const Z: usize = 20;
  export const T: usize = 24;
  /** Of this level in the next finer one: 8 numbers a node. */
  export const SHARES: usize = 28;
  /** Stiffness along x and along y of each cell. */
  export const ALONG: usize = 32;
  export const ACROSS: usize = 36;
  /** 1.6 over a bound of the eigenvalues of D⁻¹A. */
  export const DAMPING: usize = 40;
  export const ELEMENTS: usize = 48;
}
export const ELEMENT: usize = 512;
const NODE: usize = 288;
const SHARE: usize = 64;

/** Index of the coarsest grid; 0: there is none but the finest. */
export let coarsest: i32 = 0;
let table: usize = 0;

/** Of the elements of a level two rows stand at a time. */
@inline export function elementOf(l: i32, i: i32, j: i32): usize { return array(l, Field.ELEMENTS) + <usize>((j & 1) * cellsX(l) + i) * ELEMENT; }
@inline function record(l: i32): usize { return table + <usize>l * LEVEL; }
@inline export function array(l: i32, field: usize): usize { return <usize>load<u32>(record(l) + field); }
@inline function setArray(l: i32, field: usize, bytes: usize): void { store<u32>(record(l) + field, <u32>allocate(bytes)); }
@inline export function cellsX(l: i32): i32 { return load<i32>(record(l)); }
@inline export function cellsY(l: i32): i32 { return load<i32>(record(l), 4); }
/** Nodes of a row: one behind the last stays zero. */
@inline export function rowNodes(l: i32): i32 { return cellsX(l) + 2; }
@inline export function bytesOf(l: i32): usize { return <usize>(rowNodes(l) * (cellsY(l) + 1)) << 4; }
/** Place of node (i, j) in a vector of pairs. */
@inline export function place(l: i32, i: i32, j: i32): usize { return <usize>(j * rowNodes(l) + i) << 4; }
@inline export function residualOf(l: i32): usize { return array(l, Field.R); }
@inline export function correctionOf(l: i32): usize { return array(l, Field.Z); }
@inline export function leftOf(l: i32): usize { return array(l, Field.T); }
@inline export function inverseOf(l: i32): usize { return array(l, Field.INVERSE); }
@inline export function dampingOf(l: i32): f64 { return load<f64>(record(l) + Field.DAMPING); }
@inline export function setDamping(l: i32, value: f64): void { store<f64>(record(l) + Field.DAMPING, value); }
/** 9 blocks of 2 × 2, by columns, of node (i, j): neighbours row by row. */
@inline export function stencilAt(l: i32, i: i32, j: i32): usize { return array(l, Field.STENCIL) + (place(l, i, j) >> 4) * NODE; }
/** Shares of coarse node (i, j) of level l in the finer one: half-way to the right from its left and right, half-way up
 * from below and above, then of the four corners in the middle. */
@inline export function sharesAt(l: i32, i: i32, j: i32): usize { return array(l, Field.SHARES) + <usize>(j * (cellsX(l) + 1) + i) * SHARE; }

export function layGrids(): void {
  table = allocate(<usize>MOST * LEVEL);
  store<i32>(table, N); store<i32>(table, M, 4);
  coarsest = 0;
  if (<u64>N * <u64>M > MOST_CELLS) return;
  while (coarsest < MOST - 1 && cellsX(coarsest) % 2 == 0 && cellsY(coarsest) % 2 == 0 && min(cellsX(coarsest), cellsY(coarsest)) > 6) layLevel(coarsest + 1);
}

/** Lays out from `from` on what is needed only while the grids are built; where it ends. */
export function layBuilding(from: usize): usize {
  if (coarsest == 0) return from;
  for (let l = 0; l <= coarsest; l++) {
    const cells = <usize>(cellsX(l) * cellsY(l)) << 3;
    store<u32>(record(l) + Field.ALONG, <u32>from);
    store<u32>(record(l) + Field.ACROSS, <u32>(from + cells));
    from += 2 * cells;
    if (l == 0) continue;
    store<u32>(record(l) + Field.ELEMENTS, <u32>from);
    from += 2 * <usize>cellsX(l) * ELEMENT;
  }
  return from;
}

function layLevel(l: i32): void {
  store<i32>(record(l), cellsX(l - 1) >> 1);
  store<i32>(record(l), cellsY(l - 1) >> 1, 4);
  setArray(l, Field.STENCIL, (bytesOf(l) >> 4) * NODE);
  setArray(l, Field.INVERSE, bytesOf(l));
  setArray(l, Field.R, bytesOf(l));
  setArray(l, Field.Z, bytesOf(l));
  setArray(l, Field.T, bytesOf(l));
  setArray(l, Field.SHARES, <usize>((cellsX(l) + 1) * (cellsY(l) + 1)) * SHARE);
  coarsest = l;
}
