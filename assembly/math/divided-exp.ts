// Divided differences of the exponential with complex nodes. They are the closed forms of linear equations with
// constant coefficients: the inverse Laplace transform of 1/((s−λ₁)…(s−λₙ)) is tⁿ⁻¹ exp[λ₁t, …, λₙt], and stays
// finite where nodes meet (critical damping, resonance, no stiffness) as quotients of differences do not.
// McCurdy, Ng & Parlett, Math. Comp. 43 (1984) 501. A complex number is two f64 at an address.

/** exp[w, z] = e^w (e^{z−w} − 1)/(z−w), with complex expm1: e^x cos y − 1 = expm1(x) cos y − 2 sin²(y/2). */
export function dividedExp2(wRe: f64, wIm: f64, zRe: f64, zIm: f64, out: usize): void {
  const x = zRe - wRe, y = zIm - wIm;
  let re = 1.0, im = 0.0;
  const size = x * x + y * y;
  if (size > 0.0) {
    const half = Math.sin(0.5 * y);
    const grown = Math.expm1(x);
    const eRe = grown * Math.cos(y) - 2.0 * half * half;
    const eIm = (grown + 1.0) * Math.sin(y);
    re = (eRe * x + eIm * y) / size;
    im = (eIm * x - eRe * y) / size;
  }
  const scale = Math.exp(wRe);
  const c = scale * Math.cos(wIm), s = scale * Math.sin(wIm);
  store<f64>(out, c * re - s * im);
  store<f64>(out, c * im + s * re, 8);
}

@inline function distance(aRe: f64, aIm: f64, bRe: f64, bIm: f64): f64 {
  return sqrt((aRe - bRe) * (aRe - bRe) + (aIm - bIm) * (aIm - bIm));
}

/** (p − q)/(a − b) at `out`; p and q stand at `out` and `out + 16`. */
function quotient(out: usize, aRe: f64, aIm: f64, bRe: f64, bIm: f64): void {
  const re = load<f64>(out) - load<f64>(out, 16), im = load<f64>(out, 8) - load<f64>(out, 24);
  const x = aRe - bRe, y = aIm - bIm;
  const size = x * x + y * y;
  store<f64>(out, (re * x + im * y) / size);
  store<f64>(out, (im * x - re * y) / size, 8);
}

/** Σ hₙ(a, b, w)/(n+2)! with the complete homogeneous polynomials; a, b are real or conjugate, so a+b, ab are real. */
function series3(sum: f64, product: f64, wRe: f64, wIm: f64, out: usize): void {
  let older = 0.0, pair = 1.0;
  let hRe = 1.0, hIm = 0.0, factor = 0.5, re = 0.5, im = 0.0;
  for (let n = 1; n < 26; n++) {
    const next = sum * pair - product * older;
    older = pair;
    pair = next;
    const t = pair + wRe * hRe - wIm * hIm;
    hIm = wRe * hIm + wIm * hRe;
    hRe = t;
    factor /= <f64>(n + 2);
    re += hRe * factor;
    im += hIm * factor;
  }
  store<f64>(out, re);
  store<f64>(out, im, 8);
}

/**
 * exp[a, b, w] at `out` (32 bytes, 16 of them scratch); a, b real or conjugate to each other. `pair` is exp[a, b],
 * which the caller has without cancellation. The two farthest nodes make the denominator; when all are small,
 * the Taylor series.
 */
export function dividedExp3(
  aRe: f64, aIm: f64, bRe: f64, bIm: f64, wRe: f64, wIm: f64, pair: f64, out: usize,
): void {
  const largest = max(max(distance(aRe, aIm, 0, 0), distance(bRe, bIm, 0, 0)), distance(wRe, wIm, 0, 0));
  if (largest <= 1.0) {
    series3(aRe + bRe, aRe * bRe - aIm * bIm, wRe, wIm, out);
    return;
  }
  const ab = distance(aRe, aIm, bRe, bIm);
  const aw = distance(aRe, aIm, wRe, wIm);
  const bw = distance(bRe, bIm, wRe, wIm);
  if (ab >= aw && ab >= bw) {
    dividedExp2(wRe, wIm, aRe, aIm, out);
    dividedExp2(wRe, wIm, bRe, bIm, out + 16);
    quotient(out, aRe, aIm, bRe, bIm);
    return;
  }
  store<f64>(out, pair);
  store<f64>(out, 0.0, 8);
  if (aw >= bw) {
    dividedExp2(wRe, wIm, bRe, bIm, out + 16);
    quotient(out, aRe, aIm, wRe, wIm);
  } else {
    dividedExp2(wRe, wIm, aRe, aIm, out + 16);
    quotient(out, bRe, bIm, wRe, wIm);
  }
}
