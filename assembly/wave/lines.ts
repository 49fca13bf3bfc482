// The running transform of Ez along the left and the right edge of a plane, each with the column of nodes inside it:
// power through an edge is Im(û* ∂û/∂x), and a harmonic solution of the discrete equation without loss carries the same
// through every column.
//
// A row of the box has eight f64: real and imaginary part at columns 0, 1, nx − 1 and nx.

import { parameterF64 } from "../kernel/frame";
import { nodeAt } from "../grid/field";
import { ex, nx, ny, ox, oy } from "./problem";

const ROW: usize = 64;

/** Power is taken through edges: there is a frequency, in two dimensions. */
@inline export function hasLines(): bool { return ny > 0 && parameterF64(256) > 0.0; }
@inline export function linesBytes(): usize { return hasLines() ? ROW * <usize>(ny + 1) : 0; }
/** Work units of a step. */
@inline export function linesWork(): u64 { return hasLines() ? 10 * <u64>(ny + 1) : 0; }

@inline function add(to: usize, weight: v128, u: usize): void {
  v128.store(to, f64x2.add(v128.load(to), f64x2.mul(weight, v128.load64_splat(u))));
}

/** Adds (re, im) times what the field is there. */
export function addToLines(lines: usize, field: usize, re: f64, im: f64): void {
  const weight = f64x2.replace_lane(f64x2.splat(re), 1, im), far = <usize>(nx - 1) << 3;
  for (let j = 0, to = lines; j <= ny; j++, to += ROW) {
    const row = nodeAt(field, ex, ox, j + oy);
    add(to, weight, row);
    add(to + 16, weight, row + 8);
    add(to + 32, weight, row + far);
    add(to + 48, weight, row + far + 8);
  }
}
