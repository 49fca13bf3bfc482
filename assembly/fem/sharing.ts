// Copies of one node in several patches. A vector is *owned* when the first copy holds the number and the others
// hold zero, and *spread* when every copy holds it. A stencil reads a spread vector and gives sums that are still
// parted over the copies; `collect` makes them owned. A plain dot product of a parted and a spread vector is then
// the product over nodes (A. Toselli, O. Widlund, Domain Decomposition Methods, §4.1).
//
// The list holds pairs (owner, other) of copies: first the insides of sides, patch by patch, then the corners.

import { allocate } from "../kernel/frame";
import {
  H, LevelField, V, W, cellsS, cellsT, copyIndex, fineVertex, gridAt, levelField, levelSize, setLevelField,
} from "./levels";
import { PatchField, at, cornerCount, patchAt, patchCount, unknownsPerNode } from "./problem";

/** Sides: 0 bottom 0→1, 1 right 1→2, 2 top 3→2, 3 left 0→3. */
@inline export function sideCells(grid: usize, side: i32): i32 { return side & 1 ? cellsT(grid) : cellsS(grid); }

/** Copy of vertex n of a side. */
export function sideVertex(grid: usize, side: i32, n: i32): i32 {
  if (side == 0) return copyIndex(grid, V, n, 0);
  if (side == 1) return copyIndex(grid, V, cellsS(grid), n);
  if (side == 2) return copyIndex(grid, V, n, cellsT(grid));
  return copyIndex(grid, V, 0, n);
}
/** Copy of the mid-point of cell n of a side (level 0). */
export function sideMiddle(grid: usize, side: i32, n: i32): i32 {
  if (side == 0) return copyIndex(grid, H, n, 0);
  if (side == 1) return copyIndex(grid, W, cellsS(grid), n);
  if (side == 2) return copyIndex(grid, H, n, cellsT(grid));
  return copyIndex(grid, W, 0, n);
}
/** Copy of corner 0 … 3. */
export function cornerCopy(grid: usize, corner: i32): i32 {
  const i = corner == 1 || corner == 2 ? cellsS(grid) : 0;
  const j = corner >= 2 ? cellsT(grid) : 0;
  return copyIndex(grid, V, i, j);
}

let pairAt: usize = 0;

function pair(owner: i32, other: i32): void {
  store<i32>(pairAt, owner);
  store<i32>(pairAt, other, 4);
  pairAt += 8;
}

/** A side is listed once, from its lower (patch, side). */
function lower(p: i32, side: i32, code: i32): bool { return code >= 0 && p * 4 + side < (code >> 3) * 4 + ((code >> 1) & 3); }

function pairSide(l: i32, p: i32, side: i32, code: i32): void {
  const grid = gridAt(l, p), other = gridAt(l, code >> 3);
  const otherSide = (code >> 1) & 3, reversed = code & 1;
  const n = sideCells(grid, side);
  for (let i = 1; i < n; i++) {
    pair(sideVertex(grid, side, i), sideVertex(other, otherSide, reversed ? n - i : i));
  }
  if (l > 0) return;
  for (let i = 0; i < n; i++) {
    pair(sideMiddle(grid, side, i), sideMiddle(other, otherSide, reversed ? n - 1 - i : i));
  }
}

function pairCorners(l: i32, first: usize): void {
  memory.fill(first, 0xff, <usize>cornerCount() << 2);
  for (let p = 0; p < patchCount(); p++) {
    for (let c = 0; c < 4; c++) {
      const slot = first + (<usize>at(patchAt(p), PatchField.CORNER + c) << 2);
      const copy = cornerCopy(gridAt(l, p), c);
      if (load<i32>(slot) < 0) store<i32>(slot, copy);
      else pair(load<i32>(slot), copy);
    }
  }
}

/** Lists the pairs of a level. */
export function shareLevel(l: i32, cornerScratch: usize): void {
  let count = 4 * patchCount();
  for (let p = 0; p < patchCount(); p++) {
    for (let side = 0; side < 4; side++) {
      if (lower(p, side, <i32>at(patchAt(p), PatchField.NEIGHBOUR + side))) count += 2 * sideCells(gridAt(l, p), side);
    }
  }
  const list = allocate(<usize>count << 3);
  pairAt = list;
  for (let p = 0; p < patchCount(); p++) {
    for (let side = 0; side < 4; side++) {
      const code = <i32>at(patchAt(p), PatchField.NEIGHBOUR + side);
      if (lower(p, side, code)) pairSide(l, p, side, code);
    }
  }
  pairCorners(l, cornerScratch);
  setLevelField(l, LevelField.SHARED, <i32>list);
  setLevelField(l, LevelField.SHARED_COUNT, <i32>((pairAt - list) >> 3));
}

/** Parted → owned: the owner gets the sum in the order of the list, the others zero. */
export function collect(l: i32, vector: usize, components: i32): void {
  const list = <usize>levelField(l, LevelField.SHARED), count = levelField(l, LevelField.SHARED_COUNT);
  const bytes = <usize>levelSize(l) << 3;
  for (let c = 0; c < components; c++) {
    for (let n = 0; n < count; n++) {
      const owner = vector + (<usize>load<i32>(list + (<usize>n << 3)) << 3);
      const other = vector + (<usize>load<i32>(list + (<usize>n << 3), 4) << 3);
      store<f64>(owner, load<f64>(owner) + load<f64>(other));
      store<f64>(other, 0);
    }
    vector += bytes;
  }
}

/** The copy of a node of level 0 that owns it. */
export function owner(copy: i32): i32 {
  const list = <usize>levelField(0, LevelField.SHARED), count = levelField(0, LevelField.SHARED_COUNT);
  for (let n = 0; n < count; n++) {
    if (load<i32>(list + (<usize>n << 3), 4) == copy) return load<i32>(list + (<usize>n << 3));
  }
  return copy;
}

/** Owned → spread, of a vector of T. */
export function spread<T>(l: i32, vector: usize, components: i32): void {
  const list = <usize>levelField(l, LevelField.SHARED), count = levelField(l, LevelField.SHARED_COUNT);
  const bytes = <usize>levelSize(l) << alignof<T>();
  for (let c = 0; c < components; c++) {
    for (let n = 0; n < count; n++) {
      const owner = vector + (<usize>load<i32>(list + (<usize>n << 3)) << alignof<T>());
      const other = vector + (<usize>load<i32>(list + (<usize>n << 3), 4) << alignof<T>());
      store<T>(other, load<T>(owner));
    }
    vector += bytes;
  }
}

// ---- prescribed unknowns ---------------------------------------------------------------------------------

/** Flags of copy e of a level: bit c set when unknown c is prescribed. */
@inline export function flagsOf(l: i32, e: i32): i32 { return <i32>load<u8>(<usize>levelField(l, LevelField.FLAGS) + <usize>e); }
@inline export function setFlags(l: i32, e: i32, flags: i32): void { store<u8>(<usize>levelField(l, LevelField.FLAGS) + <usize>e, <u8>flags); }

/** Makes the list of prescribed indices c·size + e from the flags. */
export function listFixed(l: i32): void {
  const size = levelSize(l), d = unknownsPerNode();
  let count = 0;
  for (let e = 0; e < size; e++) if (flagsOf(l, e)) count += d;
  const list = allocate(<usize>count << 2);
  count = 0;
  for (let c = 0; c < d; c++) {
    for (let e = 0; e < size; e++) {
      if (flagsOf(l, e) & (1 << c)) { store<i32>(list + (<usize>count << 2), c * size + e); count++; }
    }
  }
  setLevelField(l, LevelField.FIXED, <i32>list);
  setLevelField(l, LevelField.FIXED_COUNT, count);
}

/** Sets a vector of T to zero where the unknown is prescribed. */
export function zeroFixed<T>(l: i32, vector: usize): void {
  const list = <usize>levelField(l, LevelField.FIXED), count = levelField(l, LevelField.FIXED_COUNT);
  for (let n = 0; n < count; n++) store<T>(vector + (<usize>load<i32>(list + (<usize>n << 2)) << alignof<T>()), <T>0);
}

@inline function vertexUnder(l: i32, n: i32, i: i32): i32 { return l == 1 ? i : fineVertex(n, i); }

/** Flags of level 1 and coarser: a coarse vertex is prescribed where the fine vertex under it is. */
export function inheritFlags(l: i32): void {
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p), fine = gridAt(l - 1, p);
    for (let j = 0; j <= cellsT(grid); j++) {
      for (let i = 0; i <= cellsS(grid); i++) {
        const under = copyIndex(fine, V, vertexUnder(l, cellsS(fine), i), vertexUnder(l, cellsT(fine), j));
        setFlags(l, copyIndex(grid, V, i, j), flagsOf(l - 1, under));
      }
    }
  }
}
