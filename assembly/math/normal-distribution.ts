// The standard normal distribution. Inside |x| ≤ 5 the series of Φ(x) − ½ with all terms of one sign (Abramowitz &
// Stegun 26.2.11), outside Laplace's continued fraction of the tail (26.2.14), from the back. Relative error of either
// tail some 1e-14; below −37 it is 0.

const TERMS: i32 = 100;
const LEVELS: i32 = 60;

/** φ(x) = e^{−x²/2}/√(2π). */
@inline export function normalDensity(x: f64): f64 { return 0.3989422804014327 * Math.exp(-0.5 * x * x); }

/** Φ(x). */
export function normalDistribution(x: f64): f64 {
  if (x < -3.0) return upperTail(-x);
  if (x > 5.0) return 1.0 - upperTail(x);
  let term = x, sum = x;
  for (let k = 1; k < TERMS; k++) {
    term *= x * x / <f64>(2 * k + 1);
    sum += term;
  }
  return 0.5 + normalDensity(x) * sum;
}

/** 1 − Φ(x) for x ≥ 3. */
function upperTail(x: f64): f64 { return normalDensity(x) / tailFraction(x); }

/** φ(x)/(1 − Φ(x)). */
function tailFraction(x: f64): f64 {
  let fraction = x;
  for (let k = LEVELS; k > 0; k--) fraction = x + <f64>k / fraction;
  return fraction;
}

/** e^w Φ(x), where one may be beyond the numbers and the product is not. */
export function weighedDistribution(w: f64, x: f64): f64 {
  if (x >= -3.0) return Math.exp(w) * normalDistribution(x);
  return 0.3989422804014327 * Math.exp(w - 0.5 * x * x) / tailFraction(-x);
}
