// The direct sum over a few bodies, pair by pair: blocks, places and shares (./direct.ts) would cost more than the pairs.
// Bodies j, j+1 are the two SIMD lanes; what they do to body i is folded when all have been met.

import { accelerationsAt, attractionsAt, count, massesAt, offsetsAt, positionsAt, stride } from "./bodies";

/** Above this many the blocks win (measured). */
export const FEW: i32 = 10;

/** Σᵢ mᵢ Σ_{j>i} G mⱼ / r of the last sum. */
export let potentialOfFew: f64 = 0;

/** Accelerations and potential at the positions, or positions and offsets. */
export function sumFew(softening2: f64): void {
  const n = <usize>count << 3;
  potentialOfFew = 0;
  for (let p: usize = 0; p < 3 * stride; p += 16) v128.store(accelerationsAt + p, f64x2.splat(0.0));
  if (offsetsAt) for (let i: usize = 0; i < n; i += 8) meet(i, n, softening2, true);
  else for (let i: usize = 0; i < n; i += 8) meet(i, n, softening2, false);
}

/** The body at byte i of the arrays meets those behind it. */
@inline function meet(i: usize, n: usize, softening2: f64, offset: bool): void {
  const s = stride, to = accelerationsAt + i, g = attractionsAt, gi = f64x2.splat(load<f64>(g + i));
  let ax = f64x2.splat(0.0), ay = ax, az = ax, phi = ax, j = i + 8;
  for (; j + 8 < n; j += 16) {
    const dx = apart(i, j, offset), dy = apart(i + s, j + s, offset), dz = apart(i + 2 * s, j + 2 * s, offset);
    const r2 = f64x2.add(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)), f64x2.mul(dz, dz));
    const inverse = f64x2.div(f64x2.splat(1.0), f64x2.sqrt(f64x2.add(r2, f64x2.splat(softening2))));
    const cube = f64x2.mul(f64x2.mul(inverse, inverse), inverse), gj = v128.load(g + j);
    const onI = f64x2.mul(gj, cube), onJ = f64x2.mul(gi, cube), other = accelerationsAt + j;
    phi = f64x2.add(phi, f64x2.mul(gj, inverse));
    ax = f64x2.add(ax, f64x2.mul(onI, dx));
    ay = f64x2.add(ay, f64x2.mul(onI, dy));
    az = f64x2.add(az, f64x2.mul(onI, dz));
    v128.store(other, f64x2.sub(v128.load(other), f64x2.mul(onJ, dx)));
    v128.store(other + s, f64x2.sub(v128.load(other + s), f64x2.mul(onJ, dy)));
    v128.store(other + 2 * s, f64x2.sub(v128.load(other + 2 * s), f64x2.mul(onJ, dz)));
  }
  store<f64>(to, load<f64>(to) + folded(ax));
  store<f64>(to + s, load<f64>(to + s) + folded(ay));
  store<f64>(to + 2 * s, load<f64>(to + 2 * s) + folded(az));
  const last = j < n ? meetLast(i, j, softening2, offset) : 0.0;
  potentialOfFew += load<f64>(massesAt + i) * (folded(phi) + last);
}

@inline function folded(both: v128): f64 { return f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1); }

/** From one entry of the positions (and offsets) to two neighbouring ones. */
@inline function apart(i: usize, j: usize, offset: bool): v128 {
  const difference = f64x2.sub(v128.load(positionsAt + j), v128.load64_splat(positionsAt + i));
  return offset ? f64x2.add(difference, f64x2.sub(v128.load(offsetsAt + j), v128.load64_splat(offsetsAt + i))) : difference;
}

@inline function apart1(i: usize, j: usize, offset: bool): f64 {
  const difference = load<f64>(positionsAt + j) - load<f64>(positionsAt + i);
  return offset ? difference + (load<f64>(offsetsAt + j) - load<f64>(offsetsAt + i)) : difference;
}

/** The pair of i and the last body; G mⱼ / r. */
@inline function meetLast(i: usize, j: usize, softening2: f64, offset: bool): f64 {
  const s = stride, to = accelerationsAt + i, other = accelerationsAt + j;
  const dx = apart1(i, j, offset), dy = apart1(i + s, j + s, offset), dz = apart1(i + 2 * s, j + 2 * s, offset);
  const inverse = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + softening2), cube = inverse * inverse * inverse;
  const gj = load<f64>(attractionsAt + j), onI = gj * cube, onJ = load<f64>(attractionsAt + i) * cube;
  store<f64>(to, load<f64>(to) + onI * dx);
  store<f64>(to + s, load<f64>(to + s) + onI * dy);
  store<f64>(to + 2 * s, load<f64>(to + 2 * s) + onI * dz);
  store<f64>(other, load<f64>(other) - onJ * dx);
  store<f64>(other + s, load<f64>(other + s) - onJ * dy);
  store<f64>(other + 2 * s, load<f64>(other + 2 * s) - onJ * dz);
  return gj * inverse;
}
