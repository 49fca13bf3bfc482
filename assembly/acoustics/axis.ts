// One axis of a box, or a duct, between impedances in quartic elements (assembly/acoustics/quartic.ts): T = K + ikLβC − σM with
// complex k and σ, its factors, and Rayleigh quotient iteration (assembly/acoustics/line-vectors.ts). Lengths count in the whole axis.

import { allocate } from "../kernel/frame";
import { bandAt, bandBytes } from "../linear/banded";
import { addComplex, complexAt, complexBandBytes, factorComplexRows } from "../linear/complex-band";
import { im, over, re, times } from "../math/complex";
import { grown } from "./growth";
import { along, closeNode, invertLine, massTimes, shiftLine, startAnywhere } from "./line-vectors";
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
  const share = type == 2 ? grown(t, betaRe(axis, side), betaIm(axis, side)) : 1.0 / max(t, 1e-9);
  const factor = type < 2 ? 0.0 : lengthOf(axis) * S * share;
  admittanceRe = factor * betaRe(axis, side);
  admittanceIm = factor * betaIm(axis, side);
}

/** K + ikLβC − σM of an axis at t, and its factors; p = 0 at what is open. */
export function factor(axis: i32, t: f64, kRe: f64, kIm: f64, sigmaRe: f64, sigmaIm: f64): void {
  const n = nodesOf(axis);
  shiftLine(a, bandOf(stiff, axis), bandOf(mass, axis), n, sigmaRe, sigmaIm);
  for (let side = 0; side < 2; side++) {
    const node = side == 0 ? 0 : n - 1;
    if (isOpen(axis, side)) { closeNode(a, node, n); continue; }
    readAdmittance(axis, side, t);
    times(kRe, kIm, -admittanceIm, admittanceRe);
    addComplex(complexAt(a, DEGREE, node, node), re, im);
  }
  factorComplexRows(a, DEGREE, 0, n);
}

/** `image` ← M x of an axis. */
@inline function timesMass(axis: i32, x: usize): void {
  massTimes(bandOf(mass, axis), nodesOf(axis), isOpen(axis, 0), isOpen(axis, 1), x, image);
}

/** x ← T⁻¹Mx by the factors for σ; μ its Rayleigh quotient. */
@inline export function invert(axis: i32, x: usize, sigmaRe: f64, sigmaIm: f64): void {
  invertLine(a, bandOf(mass, axis), nodesOf(axis), isOpen(axis, 0), isOpen(axis, 1), x, image, sigmaRe, sigmaIm);
}

/** The mode of an axis whose μL² at this k is nearest to σ, from any start. */
export function beginAxis(axis: i32, x: usize, t: f64, kRe: f64, kIm: f64, sigmaRe: f64, sigmaIm: f64): void {
  const n = nodesOf(axis), shifted = sigmaRe - 1e-7 * (abs(sigmaRe) + 1.0);
  startAnywhere(x, n);
  factor(axis, t, kRe, kIm, shifted, sigmaIm);
  for (let round = 0; round < 4; round++) invert(axis, x, shifted, sigmaIm);
}

/** xᵀMy of two modes of an axis, left in `re`, `im`. */
export function alike(axis: i32, x: usize, y: usize): void {
  timesMass(axis, x);
  along(y, image, nodesOf(axis));
}

// ---- walls ---------------------------------------------------------------------------------------------

export let slopeRe: f64 = 0, slopeIm: f64 = 0;

/** Σβx²/L over all walls at t, of a vector of all axes: −i times the slope of Σμ along k. */
export function slopeOf(vector: usize, t: f64): void {
  let sumRe = 0.0, sumIm = 0.0;
  for (let axis = 0; axis < axes; axis++) {
    slopeOfAxis(axis, vector, t);
    sumRe += slopeRe;
    sumIm += slopeIm;
  }
  slopeRe = sumRe;
  slopeIm = sumIm;
}

/** The same over the walls of one axis. */
export function slopeOfAxis(axis: i32, vector: usize, t: f64): void {
  const L = lengthOf(axis);
  slopeRe = 0.0;
  slopeIm = 0.0;
  for (let side = 0; side < 2; side++) {
    const x = atWall(vector, axis, side);
    readAdmittance(axis, side, t);
    times(load<f64>(x), load<f64>(x, 8), load<f64>(x), load<f64>(x, 8));
    times(re, im, admittanceRe / (L * L), admittanceIm / (L * L));
    slopeRe += re;
    slopeIm += im;
  }
}

/** Whether no wall is followed from an open one, and one is a spring softer than ρc. */
export function hasSpringsAlone(): bool {
  let springs = false;
  for (let axis = 0; axis < axes; axis++) {
    for (let side = 0; side < 2; side++) {
      if (endType(axis, side) == 3) return false;
      if (endType(axis, side) == 2 && Math.hypot(betaRe(axis, side), betaIm(axis, side)) > 1.0) springs = true;
    }
  }
  return springs;
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
