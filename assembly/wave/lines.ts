// The running transform of Ez along the left and the right edge of a plane, each with the column of nodes inside it:
// power through an edge is Im(û* ∂û/∂x), and a harmonic solution of the discrete equation without loss carries the same
// through every column.
//
// What a sine's start leaves behind rings at the cutoffs of the modes and dies as slowly as t^(−1/2), but at frequencies of
// its own: a window (../math/window) keeps it out of the transform. There are three, each of half the time from the first
// step to the end and half of that later than the one before, so that the verdict sees what still changes.
//
// A row of the box has eight f64: real and imaginary part at columns 0, 1, nx − 1 and nx. Of a sine all rows of the first
// window stand before those of the second, and these before the third's.

import { parameterF64 } from "../kernel/frame";
import { nodeAt } from "../grid/field";
import { nuttall } from "../math/window";
import { ex, nx, ny, ox, oy } from "./problem";

const ROW: usize = 64;

/** Power is taken through edges: there is a frequency, in two dimensions. */
@inline export function hasLines(): bool { return ny > 0 && parameterF64(256) > 0.0; }
/** Of a pulse one transform, of a sine three, two of them at a time. */
@inline function isSine(): bool { return parameterF64(216) == 2.0; }
@inline export function linesBytes(): usize { return hasLines() ? (isSine() ? 3 : 1) * ROW * <usize>(ny + 1) : 0; }
/** Work units of a step. */
@inline export function linesWork(): u64 { return hasLines() ? (isSine() ? 20 : 10) * <u64>(ny + 1) : 0; }

@inline function add(to: usize, weight: v128, u: usize): void {
  v128.store(to, f64x2.add(v128.load(to), f64x2.mul(weight, v128.load64_splat(u))));
}

/** Adds (re, im) times what the field is at step n, under the windows that are open. */
export function addToLines(lines: usize, field: usize, n: u64, re: f64, im: f64): void {
  if (!isSine()) { addToRows(lines, field, re, im); return; }
  const first = parameterF64(264), half = 0.25 * (parameterF64(64) - first), at = (<f64>n - first) / half;
  for (let k = 0; k < 3; k++) {
    const z = 0.5 * (at - <f64>k);
    if (!(z >= 0.0 && z < 1.0)) continue;
    const w = nuttall(z);
    addToRows(lines + ROW * <usize>(k * (ny + 1)), field, w * re, w * im);
  }
}

function addToRows(lines: usize, field: usize, re: f64, im: f64): void {
  const weight = f64x2.replace_lane(f64x2.splat(re), 1, im), far = <usize>(nx - 1) << 3;
  for (let j = 0, to = lines; j <= ny; j++, to += ROW) {
    const row = nodeAt(field, ex, ox, j + oy);
    add(to, weight, row);
    add(to + 16, weight, row + 8);
    add(to + 32, weight, row + far);
    add(to + 48, weight, row + far + 8);
  }
}
