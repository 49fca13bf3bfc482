// Bernoulli's function B(x) = x/(eˣ − 1) of Scharfetter and Gummel (IEEE Trans. Electron Devices 16 (1969) 64).

/** Below this the series holds to rounding: the next term is x⁸/1209600. */
const SERIES: f64 = 0.05;

/** B(|x|), the smaller of B(x) and B(−x) = B(x) + x, from which the larger one follows without cancellation. */
export function bernoulli(x: f64): f64 {
  const size = abs(x);
  if (size > SERIES) return size / Math.expm1(size);
  const s = x * x;
  return 1.0 - 0.5 * size + s * (1.0 / 12.0 + s * (-1.0 / 720.0 + s / 30240.0));
}

/** B′(x) = B(x)(1 − B(−x))/x, of b = B(x) and c = B(−x); B′(−x) = −1 − B′(x). */
export function bernoulliSlope(x: f64, b: f64, c: f64): f64 {
  if (abs(x) > SERIES) return b * (1.0 - c) / x;
  const s = x * x;
  return -0.5 + x * (1.0 / 6.0 + s * (-1.0 / 180.0 + s / 5040.0));
}
