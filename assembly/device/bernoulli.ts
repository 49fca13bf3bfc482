// Bernoulli's function B(x) = x/(eˣ − 1) of Scharfetter and Gummel (IEEE Trans. Electron Devices 16 (1969) 64) of two lanes at
// once: B(x) = 1 − x/2 + x² Q(x²), and (1 − B(−x))/x = −½ − x Q(x²).
//
// Constants are loaded: the engine would build them anew in every turn of a loop.

import { expm1s } from "../math/exp-lanes";

/**
 * Q's series B₂ₖ/(2k)! (NIST, Digital Library of Mathematical Functions, 24.2.1), which to |x| = ½ holds to rounding: the
 * next term of B is 3.4e-13 x¹⁶. Then ½, 1, 700, and the smallest |x| of which eˣ − 1 is formed.
 */
const NUMBERS: usize = memory.data<f64>([
  0.08333333333333333, 0.08333333333333333, -0.001388888888888889, -0.001388888888888889,
  0.00003306878306878307, 0.00003306878306878307, -8.267195767195768e-7, -8.267195767195768e-7,
  2.08767569878681e-8, 2.08767569878681e-8, -5.284190138687493e-10, -5.284190138687493e-10,
  1.3382536530684679e-11, 1.3382536530684679e-11, 0.5, 0.5, 1.0, 1.0, 700.0, 700.0,
], 16);

@inline function number(i: usize): v128 { return v128.load(NUMBERS + 16 * i); }
@inline function then(i: usize, s: v128, rest: v128): v128 { return f64x2.add(number(i), f64x2.mul(s, rest)); }

/** B(x), B(−x) and (1 − B(−x))/x as found last. */
export let against: v128 = f64x2.splat(0), along: v128 = f64x2.splat(0), slope: v128 = f64x2.splat(0);

@inline export function findBernoulli(x: v128): void {
  const half = number(7), one = number(8), size = f64x2.abs(x), near = f64x2.le(size, half);
  const s = f64x2.mul(x, x), Q = then(0, s, then(1, s, then(2, s, then(3, s, then(4, s, then(5, s, number(6)))))));
  const middle = f64x2.add(one, f64x2.mul(s, Q)), shift = f64x2.mul(half, x);
  against = f64x2.sub(middle, shift);
  along = f64x2.add(middle, shift);
  slope = f64x2.neg(f64x2.add(half, f64x2.mul(x, Q)));
  if (i64x2.all_true(near)) return;
  // The smaller one of both is a quotient, from which the larger one follows without cancellation.
  const least = f64x2.div(size, expm1s(f64x2.pmin(f64x2.pmax(size, half), number(9))));
  const b = f64x2.add(least, f64x2.pmax(f64x2.neg(x), f64x2.splat(0))), c = f64x2.add(least, f64x2.pmax(x, f64x2.splat(0)));
  against = v128.bitselect(against, b, near);
  along = v128.bitselect(along, c, near);
  slope = v128.bitselect(slope, f64x2.div(f64x2.sub(one, c), x), near);
}
