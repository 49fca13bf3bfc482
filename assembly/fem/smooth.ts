// Smoothing by Chebyshev polynomials of the fourth kind in D⁻¹A, D the d×d diagonal blocks (J. Lottes, Numer.
// Linear Algebra Appl. 30 (2023) e2518, eq. 8): it needs the largest eigenvalue λ alone and, as a polynomial in a
// symmetric operator, is the same before and after the coarse correction:
//
//   d ← (2k−3)/(2k+1) d + (8k−4)/((2k+1)λ) D⁻¹ r,   z ← z + d,   r ← r − A d,   k = 1, 2, …
//
// D⁻¹ is zero where an unknown is prescribed, at padding and at copies that own nothing. d is kept in f32, r and z in
// f64: z takes the d that the product takes, so that r stays the residual of z but for the rounding of that product.

import { allocate } from "../kernel/frame";
import { each } from "../kernel/team";
import { LevelField, copyIndex, alongRow, gridAt, levelField, levelSize } from "./levels";
import { unknownsPerNode } from "./problem";
import { collect, flagsOf } from "./sharing";
import { entryStep, nodeCoefficients, ownSlot, rowClass, rowCount, rowEnd, rowFirst, rowJ, rowPatch, widenedHigh } from "./stencil";

/** Numbers of D⁻¹ per node: xx, yy, xy (or one). */
@inline function blockNumbers(): i32 { return unknownsPerNode() == 1 ? 1 : 3; }

export function diagonalBytes(l: i32): usize { return <usize>(blockNumbers() * levelSize(l)) << 3; }

/** Rows that one thread takes at a time, and the largest entry of each such block. */
const ROWS: i32 = 16;
let level: i32 = 0, diagonal: usize = 0, largestAt: usize = 0;

@inline function blockCount(): i32 { return (rowCount(level) + ROWS - 1) / ROWS; }
@inline function blockEnd(block: i32): i32 { return min((block + 1) * ROWS, rowCount(level)); }

export function layInversion(): void { largestAt = allocate(<usize>((rowCount(0) + ROWS - 1) / ROWS) << 3); }

/** Gathers the diagonal blocks of the level and inverts them on the free unknowns; returns the largest entry of all. */
export function invertDiagonal(l: i32): f64 {
  level = l; diagonal = <usize>levelField(l, LevelField.DIAGONAL);
  each(gatherRows, blockCount());
  collect(l, diagonal, blockNumbers());
  each(invertRows, blockCount());
  let largest = 0.0;
  for (let block = 0; block < blockCount(); block++) largest = max(largest, load<f64>(largestAt + (<usize>block << 3)));
  return largest;
}

function gatherRows(block: i32): void {
  const size = levelSize(level);
  for (let row = block * ROWS; row < blockEnd(block); row++) {
    const grid = gridAt(level, rowPatch(level, row)), j = rowJ(level, row), k = rowClass(level, row);
    for (let i = 0; i < alongRow(grid, k); i++) gatherBlock(level, grid, k, i, j, diagonal, size);
  }
}

function invertRows(block: i32): void {
  const component = <usize>levelSize(level) << 3, isOne = unknownsPerNode() == 1, end = rowEnd(level, blockEnd(block) - 1);
  let largest = 0.0;
  for (let e = rowFirst(level, block * ROWS); e < end; e++) {
    const at = diagonal + (<usize>e << 3), flags = flagsOf(level, e);
    largest = max(largest, isOne ? load<f64>(at) : max(load<f64>(at), load<f64>(at + component)));
    if (isOne) invertOne(at, flags == 0);
    else invertTwo(at, component, flags);
  }
  store<f64>(largestAt + (<usize>block << 3), largest);
}

function gatherBlock(l: i32, grid: usize, k: i32, i: i32, j: i32, diagonal: usize, size: i32): void {
  const d = unknownsPerNode(), step = entryStep(grid, k, i);
  const from = nodeCoefficients(l, grid, k, i, j) + <usize>(ownSlot(k) * d * d) * step;
  const to = diagonal + (<usize>copyIndex(grid, k, i, j) << 3);
  store<f64>(to, load<f64>(from));
  if (d == 1) return;
  store<f64>(to + (<usize>size << 3), load<f64>(from + 3 * step));
  store<f64>(to + (<usize>size << 4), load<f64>(from + step));
}

function invertOne(at: usize, free: bool): void {
  const a = load<f64>(at);
  store<f64>(at, free && a > 0 ? 1 / a : 0);
}

function invertTwo(at: usize, component: usize, flags: i32): void {
  const xx = load<f64>(at), yy = load<f64>(at + component), xy = load<f64>(at + 2 * component);
  let ixx = 0.0, iyy = 0.0, ixy = 0.0;
  if (flags == 0 && xx > 0) {
    const det = xx * yy - xy * xy;
    ixx = yy / det; iyy = xx / det; ixy = -xy / det;
  } else if (flags == 2 && xx > 0) ixx = 1 / xx;
  else if (flags == 1 && yy > 0) iyy = 1 / yy;
  store<f64>(at, ixx);
  store<f64>(at + component, iyy);
  store<f64>(at + 2 * component, ixy);
}

/**
 * Nodes [from, to): d ← a d + b D⁻¹ r; z ← d (fresh) or z + d; with `copy`, r is taken times `scale` and copy ← r.
 * from and to are even.
 */
export function smoothNodes(
  l: i32, r: usize, d: usize, z: usize, a: f64, b: f64, fresh: bool, copy: usize, scale: f64, from: i32, to: i32,
): void {
  const inverse = <usize>levelField(l, LevelField.DIAGONAL), component = <usize>levelSize(l) << 3;
  if (unknownsPerNode() == 1) smoothOne(inverse, r, d, z, a, b, fresh, copy, scale, <usize>from << 3, <usize>to << 3);
  else smoothTwo(inverse, component, r, d, z, a, b, fresh, copy, scale, <usize>from << 3, <usize>to << 3);
}

/** Two f32 as f64. */
@inline export function widened(at: usize): v128 { return f64x2.promote_low_f32x4(v128.load64_zero(at)); }

/** d ← step in f32; z ← d or z + d. */
@inline function take(step: v128, d: usize, z: usize, fresh: bool): void {
  const single = f32x4.demote_f64x2_zero(step);
  v128.store64_lane(d, single, 0);
  const taken = f64x2.promote_low_f32x4(single);
  v128.store(z, fresh ? taken : f64x2.add(v128.load(z), taken));
}

/** b D⁻¹ r; with `copy`, r is taken times `scale` and copy ← r. */
@inline function weighted(inverse: usize, r: usize, b: v128, copy: usize, scale: v128): v128 {
  let residual = v128.load(r);
  if (copy) { residual = f64x2.mul(scale, residual); v128.store(copy, residual); }
  return f64x2.mul(b, f64x2.mul(v128.load(inverse), residual));
}

function smoothOne(
  inverse: usize, r: usize, d: usize, z: usize, a: f64, b: f64, fresh: bool, copy: usize, scale: f64, from: usize, to: usize,
): void {
  const va = f64x2.splat(a), vb = f64x2.splat(b), vs = f64x2.splat(scale);
  let o = from;
  for (; o + 32 <= to; o += 32) {
    let low = weighted(inverse + o, r + o, vb, copy ? copy + o : 0, vs);
    let high = weighted(inverse + o + 16, r + o + 16, vb, copy ? copy + o + 16 : 0, vs);
    const to4 = d + (o >> 1), to8 = z + o;
    if (a != 0) {
      const before = v128.load(to4);
      low = f64x2.add(f64x2.mul(va, f64x2.promote_low_f32x4(before)), low);
      high = f64x2.add(f64x2.mul(va, widenedHigh(before)), high);
    }
    const step = v128.shuffle<f32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5);
    v128.store(to4, step);
    low = f64x2.promote_low_f32x4(step); high = widenedHigh(step);
    if (!fresh) { low = f64x2.add(v128.load(to8), low); high = f64x2.add(v128.load(to8, 16), high); }
    v128.store(to8, low); v128.store(to8, high, 16);
  }
  if (o < to) {
    let step = weighted(inverse + o, r + o, vb, copy ? copy + o : 0, vs);
    if (a != 0) step = f64x2.add(f64x2.mul(va, widened(d + (o >> 1))), step);
    take(step, d + (o >> 1), z + o, fresh);
  }
}

function smoothTwo(
  inverse: usize, component: usize, r: usize, d: usize, z: usize, a: f64, b: f64, fresh: bool, copy: usize, scale: f64,
  from: usize, to: usize,
): void {
  const va = f64x2.splat(a), vb = f64x2.splat(b), vs = f64x2.splat(scale);
  for (let o = from; o < to; o += 16) {
    let rx = v128.load(r + o), ry = v128.load(r + component + o);
    if (copy) {
      rx = f64x2.mul(vs, rx); ry = f64x2.mul(vs, ry);
      v128.store(copy + o, rx); v128.store(copy + component + o, ry);
    }
    const cross = v128.load(inverse + 2 * component + o);
    let sx = f64x2.add(f64x2.mul(v128.load(inverse + o), rx), f64x2.mul(cross, ry));
    let sy = f64x2.add(f64x2.mul(cross, rx), f64x2.mul(v128.load(inverse + component + o), ry));
    sx = f64x2.mul(vb, sx);
    sy = f64x2.mul(vb, sy);
    const dx = d + (o >> 1), dy = dx + (component >> 1);
    if (a != 0) {
      sx = f64x2.add(f64x2.mul(va, widened(dx)), sx);
      sy = f64x2.add(f64x2.mul(va, widened(dy)), sy);
    }
    take(sx, dx, z + o, fresh);
    take(sy, dy, z + component + o, fresh);
  }
}
