// Modes of a cavity of cells as complex nodal values: T(κ) factored in a band (assembly/acoustics/mask-walls.ts,
// assembly/linear/complex-band.ts), inverse iteration with T⁻¹M, and xᵀMx = 1, not xᴴMx, as T is symmetric and not Hermitian.

import { allocate } from "../kernel/frame";
import { addComplex, complexBandBytes, complexBandSolve, factorComplexRows } from "../linear/complex-band";
import { im, over, re, rootOf, times } from "../math/complex";
import { band, n } from "./mask";
import { addFirst, addWalls, alongNodes, assembleWalls, timesElements } from "./mask-walls";

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

/** Factors of T(κ) at t. */
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

/** The mode next to κ from any start, by so many rounds; the factors stay. */
export function inverseIteration(x: usize, kRe: f64, kIm: f64, rounds: i32): void {
  startAnywhere(x);
  factor(kRe, kIm, 1.0);
  for (let round = 0; round < rounds; round++) invert(x);
}

/** x ← x − T(σ)⁻¹T(κ)x by the factors of T(σ): nearer to the mode by about |κ − σ| (A. Neumaier, SIAM J. Numer. Anal. 22 (1985) 914). */
export function correct(x: usize, kRe: f64, kIm: f64): void {
  times(kRe, kIm, kRe, kIm);
  timesElements(x, image, 1.0, re, im);
  addWalls(x, image, kRe, kIm, 1.0);
  complexBandSolve(a, n, band, image);
  add(image, x, -1.0, 0.0);
  product(x);
  normalise(x);
}

/** `image` ← C x at t. */
export function ofWalls(x: usize, t: f64): void {
  memory.fill(image, 0, <usize>n << 4);
  addWalls(x, image, 0.0, -1.0, t);
}

/** `image` ← what the walls do first to a mode of κ² = `square`, over iκ. */
export function firstOfWalls(x: usize, square: f64): void {
  memory.fill(image, 0, <usize>n << 4);
  addFirst(x, image, square);
}

/** y ← y − x xᴴy/xᴴx. */
export function leaveOut(x: usize, y: usize): void {
  let p = 0.0, q = 0.0;
  for (let at: usize = 0, bytes = <usize>n << 4; at < bytes; at += 16) {
    const a = load<f64>(x + at), b = load<f64>(x + at, 8), c = load<f64>(y + at), d = load<f64>(y + at, 8);
    p += a * c + b * d;
    q += a * d - b * c;
  }
  const size = hermitian(x, x);
  add(x, y, -p / size, -q / size);
}

/** Re xᴴy. */
export function hermitian(x: usize, y: usize): f64 {
  let sum = 0.0;
  for (let at: usize = 0, bytes = <usize>n << 4; at < bytes; at += 8) sum += load<f64>(x + at) * load<f64>(y + at);
  return sum;
}
