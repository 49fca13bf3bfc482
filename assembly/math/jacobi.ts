// Elliptic integrals and functions of the parameter n = k² in [0, 1), by the arithmetic–geometric mean
// (Abramowitz & Stegun 16.4, 17.6).

const LEVELS: i32 = 16;
const HALF_PI: f64 = 1.5707963267948966;

/** Limit of the arithmetic–geometric mean of a and b. */
export function agm(a: f64, b: f64): f64 {
  for (let i = 0; i < LEVELS && abs(a - b) > 1e-16 * a; i++) {
    const mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 0.5 * (a + b);
}

/** Complete elliptic integral of the first kind, K = π / 2 agm(1, √(1−n)). `complement` is 1−n. */
export function ellipticK(complement: f64): f64 {
  return HALF_PI / agm(1.0, sqrt(complement));
}

/**
 * sn, cn, dn of u at `out`, 8 bytes apart. `complement` is 1−n, given apart because near n = 1 it carries digits
 * that n has lost. `scratch` holds 2 · 16 f64. Backward recurrence sin(2φᵢ₋₁ − φᵢ) = (cᵢ/aᵢ) sin φᵢ (16.4.3).
 */
export function jacobi(u: f64, n: f64, complement: f64, out: usize, scratch: usize): void {
  let a = 1.0, b = sqrt(complement), c = sqrt(n);
  let last = 0;
  while (last < LEVELS - 1 && abs(c) > 1e-16 * a) {
    last++;
    c = 0.5 * (a - b);
    const mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
    store<f64>(scratch + (<usize>last << 4), a);
    store<f64>(scratch + (<usize>last << 4), c, 8);
  }
  let phi = <f64>(1 << last) * a * u;
  for (let i = last; i > 0; i--) {
    const at = scratch + (<usize>i << 4);
    phi = 0.5 * (phi + Math.asin(load<f64>(at, 8) / load<f64>(at) * Math.sin(phi)));
  }
  const cn = Math.cos(phi);
  store<f64>(out, Math.sin(phi));
  store<f64>(out, cn, 8);
  store<f64>(out, sqrt(complement + n * cn * cn), 16);
}

/** Addition theorem (16.17): sn, cn, dn of u+v at `out` from those of u (there already) and of v. */
export function jacobiSum(n: f64, sn: f64, cn: f64, dn: f64, out: usize): void {
  const s = load<f64>(out), c = load<f64>(out, 8), d = load<f64>(out, 16);
  const denominator = 1.0 - n * s * s * sn * sn;
  store<f64>(out, (s * cn * dn + sn * c * d) / denominator);
  store<f64>(out, (c * cn - s * d * sn * dn) / denominator, 8);
  store<f64>(out, (d * dn - n * s * c * sn * cn) / denominator, 16);
}
