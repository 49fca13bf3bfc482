// How a wall of impedance grows from a rigid one: as tβ, t from 0 to 1, where |β| ≤ 1. A spring that is softer turns the
// phase of p by atan |β|, and grows so that this does as t does; as tβ it would leap at the first step.

import { im, over, re, rootOf, times } from "../math/complex";

export function grown(t: f64, betaRe: f64, betaIm: f64): f64 {
  const size = Math.hypot(betaRe, betaIm);
  return t == 1.0 || size <= 1.0 ? t : Math.tan(t * Math.atan(size)) / size;
}

export let nearRe: f64 = 0, nearIm: f64 = 0;

/** The k of a + ikc − k²m = 0 that is next to one that there is. */
export function nearestRoot(aRe: f64, aIm: f64, cRe: f64, cIm: f64, mRe: f64, mIm: f64, kRe: f64, kIm: f64): void {
  times(cRe, cIm, cRe, cIm);
  const squareRe = -re, squareIm = -im;
  times(4.0 * aRe, 4.0 * aIm, mRe, mIm);
  rootOf(squareRe + re, squareIm + im);
  const rootRe = re, rootIm = im;
  over(-cIm + rootRe, cRe + rootIm, 2.0 * mRe, 2.0 * mIm);
  const firstRe = re, firstIm = im;
  over(-cIm - rootRe, cRe - rootIm, 2.0 * mRe, 2.0 * mIm);
  const first = Math.hypot(firstRe - kRe, firstIm - kIm) <= Math.hypot(re - kRe, im - kIm);
  nearRe = first ? firstRe : re;
  nearIm = first ? firstIm : im;
}
