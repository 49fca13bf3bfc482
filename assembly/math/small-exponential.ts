/** Up to here the series is right to a last digit. */
export const SMALL: f64 = 0.08;

/** e^d − 1 for |d| ≤ SMALL: half as dear as Math.expm1, and without a branch. */
@inline export function smallExpm1(d: f64): f64 {
  const q = d * d;
  const low = (1.0 / 2.0 + d * (1.0 / 6.0)) + q * (1.0 / 24.0 + d * (1.0 / 120.0));
  const high = (1.0 / 720.0 + d * (1.0 / 5040.0)) + q * (1.0 / 40320.0 + d * (1.0 / 362880.0));
  return d + q * (low + q * q * high);
}
