// One axis of a box, or a duct, between impedances in quartic elements (assembly/acoustics/quartic.ts): T = K + ikLβC − σM with
// complex k and σ, its factors, and Rayleigh quotient iteration with xᵀ, not xᴴ, as T is symmetric and not Hermitian
// (Arbenz & Hochstenbach, SIAM J. Sci. Comput. 25 (2004) 1655). Lengths count in the whole axis.

import { allocate } from "../kernel/frame";
import { bandAt, bandBytes } from "../linear/banded";
import { addComplex, complexAt, complexBandBytes, complexBandSolve, factorComplexRows } from "../linear/complex-band";
import { im, over, re, rootOf, times } from "./complex";
import { DEGREE, eachEntry, nodeCount, pieceArea, pieceCount, readPieces, usePieces, valueAt } from "./quartic";
import { axes, betaIm, betaRe, endType, isOpen, lengthOf, piecesAt, piecesOf } from "./walls";

export const SAMPLES: i32 = 129;

/** Nodes of all axes. */
export let all: i32 = 0;
let counts: usize = 0, stiff: usize = 0, mass: usize = 0, a: usize = 0, image: usize = 0, taken: i32 = 0;

@inline function nodesOf(axis: i32): i32 { return load<i32>(counts + (<usize>axis << 3)); }
/** Nodes of the axes before. */
@inline function firstOf(axis: i32): i32 { return load<i32>(counts + (<usize>axis << 3), 4); }
/** Where an axis begins in a vector of all. */
@inline export function partOf(vector: usize, axis: i32): usize { return vector + (<usize>firstOf(axis) << 4); }
@inline function bandOf(base: usize, axis: i32): usize { return base + bandBytes(firstOf(axis), DEGREE); }

/** K and M of all axes. */
export function openAxes(): void {
  counts = allocate(<usize>axes << 3);
  readPieces(piecesOf(0), piecesAt(0));
  all = 0;
  let most = 0;
  for (let axis = 0; axis < axes; axis++) {
    usePieces(piecesOf(axis), piecesAt(axis));
    store<i32>(counts + (<usize>axis << 3), nodeCount());
    store<i32>(counts + (<usize>axis << 3), all, 4);
    all += nodeCount();
    most = max(most, nodeCount());
  }
  stiff = allocate(bandBytes(all, DEGREE));
  mass = allocate(bandBytes(all, DEGREE));
  a = allocate(complexBandBytes(most, DEGREE));
  image = allocate(<usize>most << 4);
  for (let axis = 0; axis < axes; axis++) {
    usePieces(piecesOf(axis), piecesAt(axis));
    taken = axis;
    eachEntry(take);
  }
}

function take(row: i32, column: i32, ofK: f64, ofM: f64): void {
  const k = bandAt(bandOf(stiff, taken), DEGREE, row, column), m = bandAt(bandOf(mass, taken), DEGREE, row, column);
  store<f64>(k, load<f64>(k) + ofK);
  store<f64>(m, load<f64>(m) + ofM);
}

let admittanceRe: f64 = 0, admittanceIm: f64 = 0;

/** S L β of a wall at t. */
function readAdmittance(axis: i32, side: i32, t: f64): void {
  usePieces(piecesOf(axis), piecesAt(axis));
  const type = endType(axis, side), S = side == 0 ? 1.0 : pieceArea(pieceCount - 1);
  const factor = type < 2 ? 0.0 : lengthOf(axis) * S * (type == 2 ? t : 1.0 / max(t, 1e-9));
  admittanceRe = factor * betaRe(axis, side);
  admittanceIm = factor * betaIm(axis, side);
}

/** K + ikLβC − σM of an axis at t, and its factors; p = 0 at what is open. */
export function factor(axis: i32, t: f64, kRe: f64, kIm: f64, sigmaRe: f64, sigmaIm: f64): void {
  const n = nodesOf(axis), k = bandOf(stiff, axis), m = bandOf(mass, axis);
  for (let i = 0; i < n * (DEGREE + 1); i++) {
    const at = <usize>i << 3, ofM = load<f64>(m + at);
    store<f64>(a + 2 * at, load<f64>(k + at) - sigmaRe * ofM);
    store<f64>(a + 2 * at, -sigmaIm * ofM, 8);
  }
  for (let side = 0; side < 2; side++) {
    const node = side == 0 ? 0 : n - 1;
    if (isOpen(axis, side)) { close(node, n); continue; }
    readAdmittance(axis, side, t);
    times(kRe, kIm, -admittanceIm, admittanceRe);
    addComplex(complexAt(a, DEGREE, node, node), re, im);
  }
  factorComplexRows(a, DEGREE, 0, n);
}

function close(node: i32, n: i32): void {
  for (let i = max(0, node - DEGREE); i <= min(n - 1, node + DEGREE); i++) {
    const at = complexAt(a, DEGREE, max(i, node), min(i, node));
    store<f64>(at, i == node ? 1.0 : 0.0);
    store<f64>(at, 0.0, 8);
  }
}

/** `image` ← M x, 0 at what is open. */
function timesMass(axis: i32, x: usize): void {
  const n = nodesOf(axis), m = bandOf(mass, axis);
  memory.fill(image, 0, <usize>n << 4);
  for (let i = 0; i < n; i++) {
    for (let j = max(0, i - DEGREE); j <= i; j++) {
      const entry = load<f64>(bandAt(m, DEGREE, i, j)), p = x + (<usize>i << 4), q = x + (<usize>j << 4);
      addComplex(image + (<usize>i << 4), entry * load<f64>(q), entry * load<f64>(q, 8));
      if (i != j) addComplex(image + (<usize>j << 4), entry * load<f64>(p), entry * load<f64>(p, 8));
    }
  }
  if (isOpen(axis, 0)) memory.fill(image, 0, 16);
  if (isOpen(axis, 1)) memory.fill(image + (<usize>(n - 1) << 4), 0, 16);
}

/** xᵀ `image`, left in `re`, `im`. */
function alongImage(x: usize, n: i32): void {
  let sumRe = 0.0, sumIm = 0.0;
  for (let i = 0; i < n; i++) {
    const p = x + (<usize>i << 4), q = image + (<usize>i << 4);
    sumRe += load<f64>(p) * load<f64>(q) - load<f64>(p, 8) * load<f64>(q, 8);
    sumIm += load<f64>(p) * load<f64>(q, 8) + load<f64>(p, 8) * load<f64>(q);
  }
  times(sumRe, sumIm, 1.0, 0.0);
}

export let muRe: f64 = 0, muIm: f64 = 0;

/** x ← T⁻¹Mx by the factors for σ, of xᵀMx = 1 and the sign that it had; μ its Rayleigh quotient. */
export function invert(axis: i32, x: usize, sigmaRe: f64, sigmaIm: f64): void {
  const n = nodesOf(axis);
  timesMass(axis, x);
  memory.copy(x, image, <usize>n << 4);
  complexBandSolve(a, n, DEGREE, x);
  alongImage(x, n);
  const acrossRe = re, acrossIm = im;
  timesMass(axis, x);
  alongImage(x, n);
  const ownRe = re, ownIm = im;
  over(acrossRe, acrossIm, ownRe, ownIm);
  muRe = sigmaRe + re;
  muIm = sigmaIm + im;
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

/** The mode of an axis whose μL² at this k is nearest to σ, from any start. */
export function beginAxis(axis: i32, x: usize, t: f64, kRe: f64, kIm: f64, sigmaRe: f64, sigmaIm: f64): void {
  const n = nodesOf(axis), shifted = sigmaRe - 1e-7 * (abs(sigmaRe) + 1.0);
  for (let i = 0; i < n; i++) {
    store<f64>(x + (<usize>i << 4), 1.0 / <f64>(1 + i));
    store<f64>(x + (<usize>i << 4), 0.0, 8);
  }
  factor(axis, t, kRe, kIm, shifted, sigmaIm);
  for (let round = 0; round < 4; round++) invert(axis, x, shifted, sigmaIm);
}

/** xᵀMy of two modes of an axis, left in `re`, `im`. */
export function alike(axis: i32, x: usize, y: usize): void {
  timesMass(axis, x);
  alongImage(y, nodesOf(axis));
}

// ---- walls ---------------------------------------------------------------------------------------------

export let slopeRe: f64 = 0, slopeIm: f64 = 0;

/** Σβx²/L over all walls at t, of a vector of all axes: −i times the slope of Σμ along k. */
export function slopeOf(vector: usize, t: f64): void {
  let sumRe = 0.0, sumIm = 0.0;
  for (let axis = 0; axis < axes; axis++) {
    const L = lengthOf(axis);
    for (let side = 0; side < 2; side++) {
      const x = atWall(vector, axis, side);
      readAdmittance(axis, side, t);
      times(load<f64>(x), load<f64>(x, 8), load<f64>(x), load<f64>(x, 8));
      times(re, im, admittanceRe / (L * L), admittanceIm / (L * L));
      sumRe += re;
      sumIm += im;
    }
  }
  slopeRe = sumRe;
  slopeIm = sumIm;
}

@inline function atWall(vector: usize, axis: i32, side: i32): usize {
  return partOf(vector, axis) + (side == 0 ? 0 : <usize>(nodesOf(axis) - 1) << 4);
}

export let loss: f64 = 0, held: f64 = 0;

/** Σ Re β |x|² and −Σ Im β |x|² over all walls, over ∫|x|². */
export function weighWalls(vector: usize): void {
  loss = 0.0;
  held = 0.0;
  for (let axis = 0; axis < axes; axis++) {
    const L = lengthOf(axis), size = squaredNorm(axis, partOf(vector, axis));
    for (let side = 0; side < 2; side++) {
      const x = atWall(vector, axis, side), square = load<f64>(x) * load<f64>(x) + load<f64>(x, 8) * load<f64>(x, 8);
      readAdmittance(axis, side, 1.0);
      loss += admittanceRe * square / (size * L * L);
      held -= admittanceIm * square / (size * L * L);
    }
  }
}

/** ∫|x|² of an axis. */
function squaredNorm(axis: i32, x: usize): f64 {
  let sum = 0.0;
  timesMass(axis, x);
  for (let at: usize = 0, bytes = <usize>nodesOf(axis) << 4; at < bytes; at += 8) sum += load<f64>(x + at) * load<f64>(image + at);
  return sum;
}

/** 129 p of an axis, the largest 1. */
export function sample(axis: i32, x: usize, to: usize): void {
  let most = 0.0, mostRe = 1.0, mostIm = 0.0;
  usePieces(piecesOf(axis), piecesAt(axis));
  for (let i = 0; i < SAMPLES; i++) {
    const p = valueAt(x, 16, <f64>i / <f64>(SAMPLES - 1)), q = valueAt(x + 8, 16, <f64>i / <f64>(SAMPLES - 1));
    store<f64>(to + (<usize>i << 4), p);
    store<f64>(to + (<usize>i << 4), q, 8);
    if (p * p + q * q > most) { most = p * p + q * q; mostRe = p; mostIm = q; }
  }
  for (let i = 0; i < SAMPLES; i++) {
    const at = to + (<usize>i << 4);
    over(load<f64>(at), load<f64>(at, 8), mostRe, mostIm);
    store<f64>(at, re);
    store<f64>(at, im, 8);
  }
}
