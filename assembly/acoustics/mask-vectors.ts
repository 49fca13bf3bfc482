// Modes of a cavity of cells as complex nodal values: T(κ) factored in a band (assembly/acoustics/mask-walls.ts,
// assembly/linear/complex-band.ts), inverse iteration with T⁻¹M, and xᵀMx = 1, not xᴴMx, as T is symmetric and not Hermitian.

import { allocate } from "../kernel/frame";
import { addComplex, complexBandBytes, complexBandSolve, factorComplexRows } from "../linear/complex-band";
import { im, over, re, rootOf, times } from "./complex";
import { band, n } from "./mask";
import { assembleComplex } from "./mask-complex";
import { addWalls, alongNodes, assembleWalls, timesElements } from "./mask-walls";

export let a: usize = 0, image: usize = 0;

export function openVectors(): void {
  a = allocate(complexBandBytes(n, band));
  image = allocate(<usize>n << 4);
}

/** `image` ← M x. */
@inline export function product(x: usize): void { timesElements(x, image, 0.0, -1.0, 0.0); }

export function scale(x: usize, byRe: f64, byIm: f64): void {
  for (let at = x, end = x + (<usize>n << 4); at < end; at += 16) {
    times(load<f64>(at), load<f64>(at, 8), byRe, byIm);
    store<f64>(at, re);
    store<f64>(at, im, 8);
  }
}

/** y ← y + (re + i im) x. */
export function add(x: usize, y: usize, byRe: f64, byIm: f64): void {
  for (let at: usize = 0, bytes = <usize>n << 4; at < bytes; at += 16) {
    times(load<f64>(x + at), load<f64>(x + at, 8), byRe, byIm);
    addComplex(y + at, re, im);
  }
}

/** xᵀMx = 1, the sign so that xᵀ`image` of before is positive. */
export function normalise(x: usize): void {
  alongNodes(x, image);
  const acrossRe = re, acrossIm = im;
  product(x);
  alongNodes(x, image);
  rootOf(re, im);
  const rootRe = re, rootIm = im;
  over(acrossRe, acrossIm, rootRe, rootIm);
  over(re < 0.0 ? -1.0 : 1.0, 0.0, rootRe, rootIm);
  scale(x, re, im);
}

/** Factors of T(κ) with tβ. */
export function factor(kRe: f64, kIm: f64, t: f64): void {
  memory.fill(a, 0, complexBandBytes(n, band));
  assembleWalls(a, kRe, kIm, t);
  factorComplexRows(a, band, 0, n);
}

export function invert(x: usize): void {
  product(x);
  memory.copy(x, image, <usize>n << 4);
  complexBandSolve(a, n, band, x);
  normalise(x);
}

export function startAnywhere(x: usize): void {
  for (let i = 0; i < n; i++) {
    store<f64>(x + (<usize>i << 4), 1.0 / <f64>(1 + i));
    store<f64>(x + (<usize>i << 4), 0.0, 8);
  }
}

/** Factors of K − κ²M. */
export function factorRigid(square: f64): void {
  memory.fill(a, 0, complexBandBytes(n, band));
  assembleComplex(a, square, 0.0);
  factorComplexRows(a, band, 0, n);
}

/** The mode next to κ from any start. */
export function inverseIteration(x: usize, kRe: f64, kIm: f64): void {
  startAnywhere(x);
  factor(kRe, kIm, 1.0);
  for (let round = 0; round < 6; round++) invert(x);
}

/** `image` ← C x. */
export function ofWalls(x: usize): void {
  memory.fill(image, 0, <usize>n << 4);
  addWalls(x, image, 0.0, -1.0, 1.0);
}

/** Re xᴴy. */
export function hermitian(x: usize, y: usize): f64 {
  let sum = 0.0;
  for (let at: usize = 0, bytes = <usize>n << 4; at < bytes; at += 8) sum += load<f64>(x + at) * load<f64>(y + at);
  return sum;
}
