import { logarithm } from '../elementary.ts';

/**
 * Where zeros lie, roughly: for sizes, limits and the price only. The kernels compute their own.
 */

export const PI = Math.PI;
const TWO_PI = 2 * PI;

/** N(10^10): no zero of this index or below lies above 10^10. */
export const zerosBelowLimit = 32_130_158_315;

/** θ(t)/π to about 1/t; −1 below the Gram point of that index. */
export function gramIndex(t: number): number {
  if (t < 9.67) return -1;
  return (t / TWO_PI) * (logarithm(t / TWO_PI) - 1) - 0.125;
}

/** The height with that Gram index, for index ≥ −1. */
export function gramHeight(index: number): number {
  let t = 20 + 6.3 * (index + 2);
  for (let i = 0; i < 30; i++) t -= (gramIndex(t) - index) / (logarithm(t / TWO_PI) / TWO_PI);
  return t;
}

/** Mean spacing of the zeros, as in the kernels. */
export const meanSpacing = (t: number) => TWO_PI / Math.max(1, logarithm(Math.max(t, 1) / TWO_PI));

/** N = ⌊√(t/2π)⌋. */
export const siegelTerms = (t: number) => Math.floor(Math.sqrt(t / TWO_PI));
