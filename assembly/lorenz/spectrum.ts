// Roots of a real cubic, for the eigenvalues of Lorenz' equations at their fixed points. At C± they solve
// λ³ + (σ+β+1) λ² + β(σ+ρ) λ + 2σβ(ρ−1) = 0 (Lorenz, J. Atmos. Sci. 20 (1963) 130, eq. 33), at the origin
// (λ + β)(λ² + (σ+1) λ + σ(1−ρ)) = 0 (eq. 32).

/** Real and imaginary parts of the roots of λ³ + aλ² + bλ + c, in pairs at `out`, by falling real part. */
export function cubicRoots(a: f64, b: f64, c: f64, out: usize): void {
  const root = c == 0.0 ? 0.0 : realRoot(a, b, c);
  // λ² + sum λ + product is left. Of its coefficients each has two forms, and roots that are small beside another keep
  // their digits only in the one that does not take the large from the large.
  const product = root == 0.0 ? b : -c / root;
  const isFar = root * root > max(abs(product), abs(b)), sum = isFar ? (product - b) / root : a + root;
  const half = -0.5 * sum, inside = half * half - product;
  if (inside < 0.0) {
    put(out, 0, half, sqrt(-inside));
    put(out, 1, half, -sqrt(-inside));
  } else {
    // Without the cancellation that one of half ± √ may have.
    const far = half + copysign(sqrt(inside), half), near = far == 0.0 ? 0.0 : product / far;
    put(out, 0, max(far, near), 0.0);
    put(out, 1, min(far, near), 0.0);
  }
  place(out, root);
}

@inline function put(out: usize, i: usize, re: f64, im: f64): void {
  store<f64>(out + (i << 4), re);
  store<f64>(out + (i << 4), im, 8);
}

/** The real root goes where its size says. */
function place(out: usize, root: f64): void {
  put(out, 2, root, 0.0);
  if (root <= load<f64>(out, 16)) return;
  memory.copy(out + 32, out + 16, 16);
  put(out, 1, root, 0.0);
  if (root <= load<f64>(out) || load<f64>(out, 8) != 0.0 && root <= load<f64>(out, 32)) return;
  memory.copy(out + 16, out, 16);
  put(out, 0, root, 0.0);
}

/** By halving between the bounds of Cauchy. */
function realRoot(a: f64, b: f64, c: f64): f64 {
  let high = 1.0 + max(abs(a), max(abs(b), abs(c))), low = -high;
  for (let i = 0; i < 2000; i++) {
    const middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    if (((middle + a) * middle + b) * middle + c < 0.0) low = middle; else high = middle;
  }
  return low;
}
