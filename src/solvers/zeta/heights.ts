/**
 * Where zeros lie, roughly: for sizes, limits and the price only. The kernels compute their own. A plan may use
 * + − × ÷ and √ alone, so that it is the same on every machine.
 */

export const PI = Math.PI;
const TWO_PI = 2 * PI;

/** N(10^10): no zero of this index or below lies above 10^10. */
export const zerosBelowLimit = 32_130_158_315;

/** 2 artanh u for |u| ≤ 1/3. */
function twiceArtanh(u: number): number {
  let sum = 0;
  for (let j = 39; j >= 1; j -= 2) sum = sum * u * u + 1 / j;
  return 2 * u * sum;
}

const LN2 = twiceArtanh(1 / 3);

/** ln x for x > 0, about 1e-15. */
export function logarithm(x: number): number {
  let exponent = 0;
  let m = x;
  for (; m >= 1.5; m /= 2) exponent++;
  for (; m < 0.75; m *= 2) exponent--;
  return exponent * LN2 + twiceArtanh((m - 1) / (m + 1));
}

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
