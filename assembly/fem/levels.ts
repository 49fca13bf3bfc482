// The grids of a run and where their numbers lie. Level 0 holds the nine-node elements (Q2), level 1 the
// four-node ones on the same cells (Q1), level l+1 joins the cells of level l in pairs, down to a grid that is
// solved directly. Grids are structured inside each patch; a node on a side between two patches has a copy in each.
//
// A vector of a level is one block of f64: unknown c of copy e lies at index c·size + e. The copies of a patch
// stand line by line of its cells, those of a line by class — V at vertices, H at mid-points of horizontal sides, W of
// vertical sides, C at centres — each row padded to an even length, so that two neighbours fill one f64x2. Padding is
// always zero. The coefficients of a patch stand in the same order.
//
//   V──H──V──H──V      V (cx+1)·(cy+1)     H cx·(cy+1)
//   W  C  W  C  W      W (cx+1)·cy         C cx·cy             V V V H H W W W C C  V V V H H W …

import { allocate } from "../kernel/frame";
import { isParallelogram } from "./geometry";
import { PatchField, at, patchAt, patchCount, unknownsPerNode } from "./problem";

export const MAX_LEVELS: i32 = 24;
const LEVEL_BYTES: usize = 128;
const PATCH_BYTES: usize = 136;

/** Classes of nodes. */
export const V: i32 = 0, H: i32 = 1, W: i32 = 2, C: i32 = 3;

let levelsAt: usize = 0;
let levelTotal: i32 = 0;

@inline export function levelCount(): i32 { return levelTotal; }
@inline export function bottomLevel(): i32 { return levelTotal - 1; }

/** Field of a level: an i32 or address at a byte offset. */
@inline function levelAt(l: i32): usize { return levelsAt + <usize>l * LEVEL_BYTES; }
export namespace LevelField {
  export const SIZE: usize = 0;
  export const ROWS: usize = 4;
  export const ROWS_AT: usize = 8;
  export const PATCHES_AT: usize = 12;
  export const RESIDUAL: usize = 16;
  export const CORRECTION: usize = 20;
  export const DIRECTION: usize = 24;
  export const DIAGONAL: usize = 28;
  export const FLAGS: usize = 32;
  export const FIXED: usize = 36;
  export const FIXED_COUNT: usize = 40;
  export const SHARED: usize = 44;
  export const SHARED_COUNT: usize = 48;
  export const CELLS: usize = 52;
  export const GUARD: usize = 56;
  export const COEFFICIENTS: usize = 60;
  export const ROUNDED: usize = 64;
}
@inline export function levelField(l: i32, field: usize): i32 { return load<i32>(levelAt(l) + field); }
@inline export function setLevelField(l: i32, field: usize, value: i32): void { store<i32>(levelAt(l) + field, value); }
@inline export function levelSize(l: i32): i32 { return levelField(l, LevelField.SIZE); }
/** Whether any node of the level has more than one copy. */
@inline export function isShared(l: i32): bool { return levelField(l, LevelField.SHARED_COUNT) > 0; }
/** Largest eigenvalue of D⁻¹A on the level. */
@inline export function spectralBound(l: i32): f64 { return load<f64>(levelAt(l), 120); }
@inline export function setSpectralBound(l: i32, value: f64): void { store<f64>(levelAt(l), value, 120); }

// ---- patch of a level ------------------------------------------------------------------------------------

@inline export function gridAt(l: i32, p: i32): usize {
  return <usize>levelField(l, LevelField.PATCHES_AT) + <usize>p * PATCH_BYTES;
}
@inline export function cellsS(grid: usize): i32 { return load<i32>(grid); }
@inline export function cellsT(grid: usize): i32 { return load<i32>(grid, 4); }
/** Index of the first copy of a class, the length of its rows, and how far they lie apart. */
@inline export function classOffset(grid: usize, k: i32): i32 { return load<i32>(grid + 8 + (<usize>k << 2)); }
@inline export function classStride(grid: usize, k: i32): i32 { return load<i32>(grid + 24 + (<usize>k << 2)); }
@inline export function lineStride(grid: usize): i32 { return load<i32>(grid, 124); }
/** First coefficient of a class, and how many numbers its rows of coefficients lie apart. */
@inline export function classCoefficients(grid: usize, k: i32): usize { return <usize>load<u32>(grid + 40 + (<usize>k << 2)); }
@inline export function setClassCoefficients(grid: usize, k: i32, a: usize): void { store<u32>(grid + 40 + (<usize>k << 2), <u32>a); }
@inline export function lineCoefficients(grid: usize): i32 { return load<i32>(grid, 128); }
@inline export function setLineCoefficients(grid: usize, n: i32): void { store<i32>(grid, n, 128); }
@inline export function classStencil(grid: usize, k: i32): usize { return <usize>load<u32>(grid + 56 + (<usize>k << 2)); }
@inline export function setClassStencil(grid: usize, k: i32, a: usize): void { store<u32>(grid + 56 + (<usize>k << 2), <u32>a); }
/** Positions of the vertices along s and t in the unit square of the patch. */
@inline export function positionS(grid: usize, i: i32): f64 { return load<f64>(<usize>load<u32>(grid, 72) + (<usize>i << 3)); }
@inline export function positionT(grid: usize, j: i32): f64 { return load<f64>(<usize>load<u32>(grid, 76) + (<usize>j << 3)); }
/** Cell of the next coarser level that holds cell i, and the place of vertex i in it (0 … 1). */
@inline export function parentS(grid: usize, i: i32): i32 { return load<i32>(<usize>load<u32>(grid, 80) + (<usize>i << 2)); }
@inline export function parentT(grid: usize, j: i32): i32 { return load<i32>(<usize>load<u32>(grid, 84) + (<usize>j << 2)); }
@inline export function placeS(grid: usize, i: i32): f64 { return load<f64>(<usize>load<u32>(grid, 88) + (<usize>i << 3)); }
@inline export function placeT(grid: usize, j: i32): f64 { return load<f64>(<usize>load<u32>(grid, 92) + (<usize>j << 3)); }
/** Matrices of the cells of this grid, collected from the finer level. */
@inline export function cellMatrices(grid: usize): usize { return <usize>load<u32>(grid, 96); }
@inline export function setCellMatrices(grid: usize, a: usize): void { store<u32>(grid, <u32>a, 96); }
/** Number of this patch's first cell among all cells of the level. */
@inline export function firstCell(grid: usize): i32 { return load<i32>(grid, 100); }

/** Whether all cell rows of this grid have the same matrices. */
@inline export function repeats(grid: usize): bool { return load<i32>(grid, 104) != 0; }

/** Copies of a class along s and t. */
@inline export function alongRow(grid: usize, k: i32): i32 { return cellsS(grid) + (k == V || k == W ? 1 : 0); }
@inline export function rowsOf(grid: usize, k: i32): i32 { return cellsT(grid) + (k == V || k == H ? 1 : 0); }
/** Row of coefficients of row j: a grid that repeats keeps the first row of a class, one from inside and the last. */
@inline export function keptRow(grid: usize, k: i32, j: i32): i32 {
  return repeats(grid) ? min(j, k == W || k == C ? 0 : j == cellsT(grid) ? 2 : 1) : j;
}
/** Whether row j is the one that fills its row of coefficients. */
@inline export function fillsRow(grid: usize, k: i32, j: i32): bool {
  return j == keptRow(grid, k, j) || (k != W && k != C && j == cellsT(grid));
}
@inline export function copyIndex(grid: usize, k: i32, i: i32, j: i32): i32 {
  return classOffset(grid, k) + j * lineStride(grid) + i;
}
@inline export function classesOf(l: i32): i32 { return l == 0 ? 4 : 1; }

// ---- coarsening ------------------------------------------------------------------------------------------

/** Cells after joining n cells in pairs; an odd row keeps a single or a triple in its middle, so that both ends see the same. */
export function coarseCells(n: i32): i32 {
  const m = n >> 1;
  if ((n & 1) == 0) return m;
  if (n == 1) return 1;
  return (m & 1) == 0 ? m + 1 : m;
}

/** Fine vertex under coarse vertex i. */
export function fineVertex(n: i32, i: i32): i32 {
  const m = n >> 1;
  if ((n & 1) == 0) return 2 * i;
  if (n == 1) return i;
  if ((m & 1) == 0) return i <= (m >> 1) ? 2 * i : 2 * i - 1;
  return i <= ((m - 1) >> 1) ? 2 * i : 2 * i + 1;
}

@inline function isUniform(requested: f64, grade: f64): bool { return requested < 2 || grade == 1; }

/** Vertices of the finest level: equal lengths, or a geometric row whose last cell is `grade` times the first. */
function placeVertices(n: i32, requested: f64, grade: f64, to: usize): void {
  const uniform = isUniform(requested, grade);
  const q = uniform ? 1.0 : Math.pow(grade, requested / (requested - 1));
  for (let i = 0; i <= n; i++) {
    const t = <f64>i / <f64>n;
    store<f64>(to + (<usize>i << 3), uniform ? t : (Math.pow(q, t) - 1) / (q - 1));
  }
  store<f64>(to + (<usize>n << 3), 1.0);
}

/** Fills parent cells and places of `fine`'s vertices along one coordinate, and the coarse positions. */
function joinVertices(n: i32, fine: usize, coarse: usize, parents: usize, places: usize): void {
  const m = coarseCells(n);
  for (let I = 0; I < m; I++) {
    const first = fineVertex(n, I), last = fineVertex(n, I + 1);
    const a = load<f64>(fine + (<usize>first << 3)), b = load<f64>(fine + (<usize>last << 3));
    store<f64>(coarse + (<usize>I << 3), a);
    store<f64>(coarse + (<usize>(I + 1) << 3), b);
    for (let i = first; i <= last; i++) {
      store<i32>(parents + (<usize>i << 2), I);
      store<f64>(places + (<usize>i << 3), (load<f64>(fine + (<usize>i << 3)) - a) / (b - a));
    }
  }
}

// ---- layout ----------------------------------------------------------------------------------------------

function even(n: i32): i32 { return (n + 1) & ~1; }

function layClasses(l: i32, grid: usize, offset: i32): i32 {
  let line = 0, last = 0;
  for (let k = 0; k < classesOf(l); k++) {
    const stride = even(alongRow(grid, k));
    store<i32>(grid + 8 + (<usize>k << 2), offset + line);
    store<i32>(grid + 24 + (<usize>k << 2), stride);
    line += stride;
    if (rowsOf(grid, k) > cellsT(grid)) last += stride;
  }
  store<i32>(grid, line, 124);
  return offset + cellsT(grid) * line + last;
}

function layGrid(l: i32, p: i32, cx: i32, cy: i32): void {
  const grid = gridAt(l, p);
  store<i32>(grid, cx);
  store<i32>(grid, cy, 4);
  store<u32>(grid, <u32>allocate(<usize>(cx + 1) << 3), 72);
  store<u32>(grid, <u32>allocate(<usize>(cy + 1) << 3), 76);
  store<u32>(grid, <u32>allocate(<usize>(cx + 1) << 2), 80);
  store<u32>(grid, <u32>allocate(<usize>(cy + 1) << 2), 84);
  store<u32>(grid, <u32>allocate(<usize>(cx + 1) << 3), 88);
  store<u32>(grid, <u32>allocate(<usize>(cy + 1) << 3), 92);
  // On coarser levels prescribed unknowns leave their mark on the matrices of cells.
  const record = patchAt(p);
  const same = isParallelogram(p) && isUniform(at(record, PatchField.REQUESTED + 1), at(record, PatchField.GRADE + 1));
  store<i32>(grid, l == 0 && same ? 1 : 0, 104);
}

function layLevel(l: i32): void {
  setLevelField(l, LevelField.PATCHES_AT, <i32>allocate(<usize>patchCount() * PATCH_BYTES));
  let offset = 0, cells = 0, guard = 0;
  for (let p = 0; p < patchCount(); p++) {
    let cx: i32, cy: i32;
    if (l < 2) {
      cx = <i32>at(patchAt(p), PatchField.CELLS);
      cy = <i32>at(patchAt(p), PatchField.CELLS + 1);
    } else {
      cx = coarseCells(cellsS(gridAt(l - 1, p)));
      cy = coarseCells(cellsT(gridAt(l - 1, p)));
    }
    layGrid(l, p, cx, cy);
    const grid = gridAt(l, p);
    store<i32>(grid, cells, 100);
    offset = layClasses(l, grid, offset);
    cells += cx * cy;
    guard = max(guard, lineStride(grid) + 4);
  }
  setLevelField(l, LevelField.SIZE, offset);
  setLevelField(l, LevelField.CELLS, cells);
  setLevelField(l, LevelField.GUARD, guard);
}

function placeLevel(l: i32): void {
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p), record = patchAt(p);
    if (l < 2) {
      placeVertices(cellsS(grid), at(record, PatchField.REQUESTED), at(record, PatchField.GRADE), <usize>load<u32>(grid, 72));
      placeVertices(cellsT(grid), at(record, PatchField.REQUESTED + 1), at(record, PatchField.GRADE + 1), <usize>load<u32>(grid, 76));
    } else {
      const fine = gridAt(l - 1, p);
      joinVertices(cellsS(fine), <usize>load<u32>(fine, 72), <usize>load<u32>(grid, 72), <usize>load<u32>(fine, 80), <usize>load<u32>(fine, 88));
      joinVertices(cellsT(fine), <usize>load<u32>(fine, 76), <usize>load<u32>(grid, 76), <usize>load<u32>(fine, 84), <usize>load<u32>(fine, 92));
    }
  }
}

function coarsens(l: i32): bool {
  for (let p = 0; p < patchCount(); p++) {
    if (cellsS(gridAt(l, p)) > 1 || cellsT(gridAt(l, p)) > 1) return true;
  }
  return false;
}

/** The direct solve takes over below this many unknowns. */
const BOTTOM_UNKNOWNS: i32 = 128;

/** Lays out all levels from the parameters. */
export function layLevels(): void {
  levelsAt = allocate(<usize>MAX_LEVELS * LEVEL_BYTES);
  layLevel(0); placeLevel(0);
  layLevel(1); placeLevel(1);
  levelTotal = 2;
  while (levelTotal < MAX_LEVELS && coarsens(levelTotal - 1) && levelSize(levelTotal - 1) * unknownsPerNode() > BOTTOM_UNKNOWNS) {
    layLevel(levelTotal); placeLevel(levelTotal);
    levelTotal++;
  }
}

/** Room of a vector of the level, of numbers of T, with guards at both ends: stencils read past the rim, times zero. */
function vectorBytes<T>(l: i32, components: i32): usize {
  return (2 * <usize>levelField(l, LevelField.GUARD) + <usize>(components * levelSize(l))) << alignof<T>();
}
/** Zeroed room for one of f64. */
export function allocateVector(l: i32, components: i32): usize {
  return allocate(vectorBytes<f64>(l, components)) + (<usize>levelField(l, LevelField.GUARD) << 3);
}
/** Room for the vectors of the cycle on a level. */
export function cycleBytes(l: i32): usize {
  const d = unknownsPerNode();
  return 2 * vectorBytes<f64>(l, d) + vectorBytes<f32>(l, d);
}
/** Lays them from `at` on, where all is zero. */
export function layCycle(l: i32, at: usize): void {
  const d = unknownsPerNode(), guard = <usize>levelField(l, LevelField.GUARD), bytes = vectorBytes<f64>(l, d);
  setLevelField(l, LevelField.RESIDUAL, <i32>(at + (guard << 3)));
  setLevelField(l, LevelField.CORRECTION, <i32>(at + bytes + (guard << 3)));
  setLevelField(l, LevelField.DIRECTION, <i32>(at + 2 * bytes + (guard << 2)));
}
