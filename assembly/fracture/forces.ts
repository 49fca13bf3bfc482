// Forces A u of a damaged body's cells (cells.ts) on its nodes, two cells in a vector. Sums are grouped so that mirrored
// data give mirrored bits: what the mirror y → −y exchanges is added first in pairs. Then a mirrored crack stays one,
// which rounding would not allow.

import { allocate } from "../kernel/frame";
import { D, cells } from "./cells";
import { M, at, lambda, mu, split, stride } from "./problem";

let carryX: usize = 0, carryY: usize = 0;
/** u·A u of the last product. */
export let dotForces: f64 = 0;

export function layForces(): void { carryX = allocate(stride); carryY = allocate(stride); }

@inline function left(before: v128, here: v128): v128 { return v128.shuffle<f64>(before, here, 1, 2); }
@inline function half(x: v128): v128 { return f64x2.mul(x, f64x2.splat(0.5)); }

/**
 * Row j of cells of y = A x: writes the forces on its lower nodes, to which the carry adds those of the row below, and
 * keeps those on its upper nodes in the carry. Two cells in a vector.
 */
function cellRow(j: i32, x: usize, y: usize, toX: usize, toY: usize): void {
  const isIsotropic = split == 0, row = at(0, 0, j), end = row + stride - 16;
  const c11 = f64x2.splat(lambda + 2.0 * mu), c12 = f64x2.splat(lambda), c33 = f64x2.splat(mu), c = f64x2.splat((lambda + 3.0 * mu) / 12.0);
  let below1 = f64x2.splat(0), below2 = below1, above1 = below1, above2 = below1, sum = below1;
  for (let p = row, k: usize = 0; p < end; p += 16, k += 16) {
    const u0 = v128.load(x + p), u1 = v128.load(x + p, 8), u3 = v128.load(x + p + stride), u2 = v128.load(x + p + stride, 8);
    const v0 = v128.load(y + p), v1 = v128.load(y + p, 8), v3 = v128.load(y + p + stride), v2 = v128.load(y + p + stride, 8);
    const uBelow = f64x2.sub(u1, u0), uAbove = f64x2.sub(u2, u3), vBelow = f64x2.sub(v1, v0), vAbove = f64x2.sub(v2, v3);
    const e1 = half(f64x2.add(uBelow, uAbove)), e2 = half(f64x2.add(f64x2.sub(v3, v0), f64x2.sub(v2, v1)));
    const e3 = half(f64x2.add(f64x2.add(f64x2.sub(u3, u0), f64x2.sub(u2, u1)), f64x2.add(vBelow, vAbove)));
    const hu = f64x2.sub(uAbove, uBelow), hv = f64x2.sub(vAbove, vBelow);
    let s1 = e1, s2 = e2, s3 = e3, k1 = hu, k2 = hv;
    if (isIsotropic) {
      const g = v128.load(cells + p), gHalf = half(g), gk = f64x2.mul(g, c);
      s1 = f64x2.mul(gHalf, f64x2.add(f64x2.mul(c11, e1), f64x2.mul(c12, e2)));
      s2 = f64x2.mul(gHalf, f64x2.add(f64x2.mul(c12, e1), f64x2.mul(c11, e2)));
      s3 = f64x2.mul(gHalf, f64x2.mul(c33, e3));
      k1 = f64x2.mul(gk, hu); k2 = f64x2.mul(gk, hv);
    } else {
      const xy = v128.load(D(1) + p), xs = v128.load(D(4) + p), ys = v128.load(D(5) + p), gk = v128.load(D(6) + p);
      s1 = half(f64x2.add(f64x2.add(f64x2.mul(v128.load(D(0) + p), e1), f64x2.mul(xy, e2)), f64x2.mul(xs, e3)));
      s2 = half(f64x2.add(f64x2.add(f64x2.mul(xy, e1), f64x2.mul(v128.load(D(2) + p), e2)), f64x2.mul(ys, e3)));
      s3 = half(f64x2.add(f64x2.add(f64x2.mul(xs, e1), f64x2.mul(ys, e2)), f64x2.mul(v128.load(D(3) + p), e3)));
      k1 = f64x2.mul(gk, hu); k2 = f64x2.mul(gk, hv);
    }
    // Corners in the order 0 1 of the lower and 3 2 of the upper nodes.
    const minus1 = f64x2.sub(f64x2.neg(s1), s3), plus1 = f64x2.sub(s1, s3), minus2 = f64x2.sub(f64x2.neg(s2), s3), plus2 = f64x2.sub(s3, s2);
    const fu1 = f64x2.sub(plus1, k1), fv1 = f64x2.sub(plus2, k2), fu2 = f64x2.sub(k1, minus1), fv2 = f64x2.sub(k2, minus2);
    const qu = f64x2.add(f64x2.add(f64x2.add(minus1, k1), left(below1, fu1)), v128.load(carryX + k));
    const qv = f64x2.add(f64x2.add(f64x2.add(minus2, k2), left(below2, fv1)), v128.load(carryY + k));
    v128.store(carryX + k, f64x2.add(f64x2.neg(f64x2.add(plus1, k1)), left(above1, fu2)));
    v128.store(carryY + k, f64x2.add(f64x2.neg(f64x2.add(plus2, k2)), left(above2, fv2)));
    v128.store(toX + p, qu);
    v128.store(toY + p, qv);
    sum = f64x2.add(sum, f64x2.add(f64x2.mul(u0, qu), f64x2.mul(v0, qv)));
    below1 = fu1; below2 = fv1; above1 = fu2; above2 = fv2;
  }
  dotForces += f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

export function forces(x: usize, y: usize, toX: usize, toY: usize): void {
  memory.fill(carryX, 0, stride);
  memory.fill(carryY, 0, stride);
  dotForces = 0.0;
  for (let j = 0; j < M; j++) cellRow(j, x, y, toX, toY);
  memory.copy(toX + at(0, 0, M), carryX, stride);
  memory.copy(toY + at(0, 0, M), carryY, stride);
}
