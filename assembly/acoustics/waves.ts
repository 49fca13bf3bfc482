// cos and sin of waves along a line of length L, as entire functions of μ = q².

import { cosine, im, over, re, rootOf, sine, times } from "../math/complex";

/** cos qL of μ = q², and sin qL / q, which has no root to choose. */
export let cosRe: f64 = 0, cosIm: f64 = 0, sineRe: f64 = 0, sineIm: f64 = 0;

export function waves(L: f64, muRe: f64, muIm: f64): void {
  rootOf(muRe, muIm);
  const qRe = re, qIm = im;
  cosine(qRe * L, qIm * L);
  cosRe = re;
  cosIm = im;
  if (Math.hypot(qRe, qIm) * L < 1e-3) {
    times(muRe * L * L, muIm * L * L, muRe * L * L, muIm * L * L);
    sineRe = L * (1.0 - muRe * L * L / 6.0 + re / 120.0);
    sineIm = L * (im / 120.0 - muIm * L * L / 6.0);
    return;
  }
  sine(qRe * L, qIm * L);
  over(re, im, qRe, qIm);
  sineRe = re;
  sineIm = im;
}
