// Turing's method: how many zeros lie below a Gram point, from the zeros that were found near it.
//
// N(t) = θ(t)/π + 1 + S(t) and |∫ S dt| <= 2.067 + 0.059 ln t2 on [t1, t2] above 168π (Trudgian, Math. Comp. 80
// (2011) 2259; the method: Lehman, Proc. London Math. Soc. 20 (1970) 303). Where (−1)^{n−1} Z(t) > 0, N(t) − n is
// even; were N(t) = n − 2 or less at the upper end A of [q, A], or n + 2 or more at the lower end B of [B, p], then
// with the zeros found there, at least, |∫ S| would be at least
//   below:  2(A − q) − ∫_q^A (n_A − 1 − θ/π) dt + Σ (γ_j − q),   above: 2(p − B) − ∫_B^p (θ/π − n_B + 1) dt + Σ (p − γ_j).
// If that is above the bound, the count is not off. Both ends of [A, B] with n_B − n_A zeros between: none is missing.

import { thetaReference, referenceIndex } from "./reference";

const PANELS: i32 = 16;

export function turingBound(t: f64): f64 { return 2.067 + 0.059 * Math.log(t); }

/** ∫ (θ/π − m) dt from a to b by Simpson's rule; θ is smooth at this scale. */
export function thetaExcess(a: f64, b: f64, m: f64): f64 {
  const h = (b - a) / (2 * PANELS);
  let sum = 0.0;
  for (let i = 0; i <= 2 * PANELS; i++) {
    const part = thetaReference(a + <f64>i * h);
    const weight: f64 = i == 0 || i == 2 * PANELS ? 1 : (i & 1) == 1 ? 4 : 2;
    sum += weight * ((referenceIndex - m) + part);
  }
  return sum * h / 3.0;
}
