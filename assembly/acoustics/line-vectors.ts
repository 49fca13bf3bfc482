// Complex nodal values along a line of quartic elements, T = A − σM symmetric and not Hermitian: inverse iteration with xᵀ, not xᴴ
// (Arbenz & Hochstenbach, SIAM J. Sci. Comput. 25 (2004) 1655). p = 0 at what is open.

import { bandAt } from "../linear/banded";
import { addComplex, complexAt, complexBandSolve } from "../linear/complex-band";
import { im, over, re, rootOf, times } from "../math/complex";
import { DEGREE } from "./quartic";

/** a ← K − σM, of bands of n rows. */
export function shiftLine(a: usize, k: usize, m: usize, n: i32, sigmaRe: f64, sigmaIm: f64): void {
  for (let i = 0; i < n * (DEGREE + 1); i++) {
    const at = <usize>i << 3, ofM = load<f64>(m + at);
    store<f64>(a + 2 * at, load<f64>(k + at) - sigmaRe * ofM);
    store<f64>(a + 2 * at, -sigmaIm * ofM, 8);
  }
}

/** Row and column of a node in T to those of I. */
export function closeNode(a: usize, node: i32, n: i32): void {
  for (let i = max(0, node - DEGREE); i <= min(n - 1, node + DEGREE); i++) {
    const at = complexAt(a, DEGREE, max(i, node), min(i, node));
    store<f64>(at, i == node ? 1.0 : 0.0);
    store<f64>(at, 0.0, 8);
  }
}

export function startAnywhere(x: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    store<f64>(x + (<usize>i << 4), 1.0 / <f64>(1 + i));
    store<f64>(x + (<usize>i << 4), 0.0, 8);
  }
}

/** `image` ← M x, 0 at what is open. */
export function massTimes(m: usize, n: i32, leftOpen: bool, rightOpen: bool, x: usize, image: usize): void {
  memory.fill(image, 0, <usize>n << 4);
  for (let i = 0; i < n; i++) {
    for (let j = max(0, i - DEGREE); j <= i; j++) {
      const entry = load<f64>(bandAt(m, DEGREE, i, j)), p = x + (<usize>i << 4), q = x + (<usize>j << 4);
      addComplex(image + (<usize>i << 4), entry * load<f64>(q), entry * load<f64>(q, 8));
      if (i != j) addComplex(image + (<usize>j << 4), entry * load<f64>(p), entry * load<f64>(p, 8));
    }
  }
  if (leftOpen) memory.fill(image, 0, 16);
  if (rightOpen) memory.fill(image + (<usize>(n - 1) << 4), 0, 16);
}

/** xᵀy, left in `re`, `im`. */
export function along(x: usize, y: usize, n: i32): void {
  let sumRe = 0.0, sumIm = 0.0;
  for (let i = 0; i < n; i++) {
    const p = x + (<usize>i << 4), q = y + (<usize>i << 4);
    sumRe += load<f64>(p) * load<f64>(q) - load<f64>(p, 8) * load<f64>(q, 8);
    sumIm += load<f64>(p) * load<f64>(q, 8) + load<f64>(p, 8) * load<f64>(q);
  }
  times(sumRe, sumIm, 1.0, 0.0);
}

export let muRe: f64 = 0, muIm: f64 = 0;

/** x ← T⁻¹Mx by the factors a for σ, of xᵀMx = 1 and the sign that it had; μ its Rayleigh quotient. */
export function invertLine(
  a: usize, m: usize, n: i32, leftOpen: bool, rightOpen: bool, x: usize, image: usize, sigmaRe: f64, sigmaIm: f64,
): void {
  massTimes(m, n, leftOpen, rightOpen, x, image);
  memory.copy(x, image, <usize>n << 4);
  complexBandSolve(a, n, DEGREE, x);
  along(x, image, n);
  const acrossRe = re, acrossIm = im;
  massTimes(m, n, leftOpen, rightOpen, x, image);
  along(x, image, n);
  const ownRe = re, ownIm = im;
  over(acrossRe, acrossIm, ownRe, ownIm);
  muRe = sigmaRe + re;
  muIm = sigmaIm + im;
  scaleToOne(x, n, ownRe, ownIm, acrossRe, acrossIm);
}

/** x over the root of xᵀMx, whose sign makes xᵀMy positive. */
export function scaleToOne(x: usize, n: i32, ownRe: f64, ownIm: f64, acrossRe: f64, acrossIm: f64): void {
  rootOf(ownRe, ownIm);
  const rootRe = re, rootIm = im;
  over(acrossRe, acrossIm, rootRe, rootIm);
  const sign = re < 0.0 ? -1.0 : 1.0;
  over(sign, 0.0, rootRe, rootIm);
  const scaleRe = re, scaleIm = im;
  for (let at = x, end = x + (<usize>n << 4); at < end; at += 16) {
    times(load<f64>(at), load<f64>(at, 8), scaleRe, scaleIm);
    store<f64>(at, re);
    store<f64>(at, im, 8);
  }
}
