// What stands in closed form between impedances: p = cos, sin in pieces, carried from the left end to the right (Munjal,
// Acoustics of Ducts and Mufflers, §2.18), as entire functions of k and μ. With −X″ = μX and X′ = ikβX at the left,
// F(k, μ) = X′ + ikβX at the right is 0 for the modes of an axis. Nothing here is used by a kernel of elements.
//
// Of more axes one is solved for and the others carry their μ(k) along: k is a mode where
// F(k, k² − Σμ(k) of the others) = 0.

import { parameterF64 } from "../kernel/frame";
import { im, over, re, times } from "../math/complex";
import { cosIm, cosRe, sineIm, sineRe, waves } from "./waves";
import { axes, betaIm, betaRe, isImpeded, isOpen, lengthOf, numberIn, piecesAt, piecesOf } from "./walls";

let p: f64 = 0, q: f64 = 0, s: f64 = 0, r: f64 = 0;

/** p and p′ at the left end. */
function leave(axis: i32, kRe: f64, kIm: f64): void {
  const open = isOpen(axis, 0);
  times(-kIm, kRe, betaRe(axis, 0), betaIm(axis, 0));
  p = open ? 0.0 : 1.0;
  q = 0.0;
  s = open ? 1.0 : re;
  r = open ? 0.0 : im;
}

function carry(L: f64, muRe: f64, muIm: f64): void {
  waves(L, muRe, muIm);
  times(p, q, cosRe, cosIm);
  const aRe = re, aIm = im;
  times(s, r, sineRe, sineIm);
  const nextRe = aRe + re, nextIm = aIm + im;
  times(s, r, cosRe, cosIm);
  const bRe = re, bIm = im;
  times(muRe, muIm, sineRe, sineIm);
  times(re, im, p, q);
  s = bRe - re;
  r = bIm - im;
  p = nextRe;
  q = nextIm;
}

@inline function pieceLength(axis: i32, i: i32): f64 { return parameterF64(piecesAt(axis) + <usize>i * 24); }
@inline function jump(axis: i32, i: i32): f64 {
  return parameterF64(piecesAt(axis) + <usize>i * 24 + 8) / parameterF64(piecesAt(axis) + <usize>(i + 1) * 24 + 8);
}

/** F(k, μ) of an axis, left in `valueRe`, `valueIm`. */
export let valueRe: f64 = 0, valueIm: f64 = 0;

export function characteristic(axis: i32, kRe: f64, kIm: f64, muRe: f64, muIm: f64): void {
  leave(axis, kRe, kIm);
  for (let i = 0; i < piecesOf(axis); i++) {
    carry(pieceLength(axis, i), muRe, muIm);
    if (i + 1 == piecesOf(axis)) break;
    s *= jump(axis, i);
    r *= jump(axis, i);
  }
  valueRe = p;
  valueIm = q;
  if (isOpen(axis, 1)) return;
  times(-kIm, kRe, betaRe(axis, 1), betaIm(axis, 1));
  times(re, im, p, q);
  valueRe = s + re;
  valueIm = r + im;
}

/** p of an axis at x, not scaled; left in `valueRe`, `valueIm`. */
export function pressureAt(axis: i32, kRe: f64, kIm: f64, muRe: f64, muIm: f64, x: f64): void {
  let foot = 0.0;
  leave(axis, kRe, kIm);
  for (let i = 0; i < piecesOf(axis); i++) {
    const L = pieceLength(axis, i), inside = x <= foot + L || i + 1 == piecesOf(axis);
    carry(inside ? x - foot : L, muRe, muIm);
    if (inside) break;
    s *= jump(axis, i);
    r *= jump(axis, i);
    foot += L;
  }
  valueRe = p;
  valueIm = q;
}

// ---- modes of all axes ---------------------------------------------------------------------------------

const ROUNDS: i32 = 40;
/** A relative step after which the next is rounding. */
const SETTLED: f64 = 1e-12;

/** μ of the axes at k, re and im; the first axis with an impedance is the one that is solved for. */
let at: usize = 0;
export let solvedAxis: i32 = 0;

/** `mus`: room for μ of the axes, 16 bytes each. */
export function openCharacteristic(mus: usize): void {
  at = mus;
  solvedAxis = 0;
  for (let axis = axes - 1; axis >= 0; axis--) if (isImpeded(axis)) solvedAxis = axis;
}

@inline export function ownRe(axis: i32): f64 { return load<f64>(at + (<usize>axis << 4)); }
@inline export function ownIm(axis: i32): f64 { return load<f64>(at + (<usize>axis << 4), 8); }
@inline function setOwn(axis: i32, muRe: f64, muIm: f64): void {
  store<f64>(at + (<usize>axis << 4), muRe);
  store<f64>(at + (<usize>axis << 4), muIm, 8);
}

/** μ of all axes as followed mode i has them. */
export function readOwn(table: usize, i: i32): void {
  for (let axis = 0; axis < axes; axis++) setOwn(axis, numberIn(table, i, 2 + 2 * axis), numberIn(table, i, 3 + 2 * axis));
}

/** Secant method for F(k, μ) = 0 of an axis, from the μ that it has; whether it settled. */
function settle(axis: i32, kRe: f64, kIm: f64): bool {
  const L = lengthOf(axis);
  let muRe = ownRe(axis), muIm = ownIm(axis), stepRe = 1e-5 * (Math.hypot(muRe, muIm) + 1.0 / (L * L)), stepIm = 0.0;
  characteristic(axis, kRe, kIm, muRe, muIm);
  for (let round = 0; round < ROUNDS; round++) {
    const beforeRe = valueRe, beforeIm = valueIm;
    muRe += stepRe;
    muIm += stepIm;
    if (Math.hypot(stepRe, stepIm) <= SETTLED * (Math.hypot(muRe, muIm) + 1.0 / (L * L))) { setOwn(axis, muRe, muIm); return true; }
    characteristic(axis, kRe, kIm, muRe, muIm);
    if (valueRe == beforeRe && valueIm == beforeIm) { setOwn(axis, muRe, muIm); return true; }
    over(valueRe, valueIm, beforeRe - valueRe, beforeIm - valueIm);
    times(re, im, stepRe, stepIm);
    stepRe = re;
    stepIm = im;
  }
  return false;
}

/** F of the axis that is solved for at k, the μ of the others carried along; whether these settled. */
export function characteristicAt(kRe: f64, kIm: f64): bool {
  times(kRe, kIm, kRe, kIm);
  let muRe = re, muIm = im;
  for (let axis = 0; axis < axes; axis++) {
    if (axis == solvedAxis) continue;
    if (isImpeded(axis) && !settle(axis, kRe, kIm)) return false;
    muRe -= ownRe(axis);
    muIm -= ownIm(axis);
  }
  setOwn(solvedAxis, muRe, muIm);
  characteristic(solvedAxis, kRe, kIm, muRe, muIm);
  return true;
}

export let rootRe: f64 = 0, rootIm: f64 = 0;

/** The root k beside a start, by the secant method; whether it settled. */
export function refine(kRe: f64, kIm: f64): bool {
  const size = Math.hypot(kRe, kIm);
  let stepRe = 1e-6 * size, stepIm = 0.0;
  rootRe = kRe;
  rootIm = kIm;
  if (!characteristicAt(kRe, kIm)) return false;
  for (let round = 0; round < ROUNDS; round++) {
    const beforeRe = valueRe, beforeIm = valueIm;
    rootRe += stepRe;
    rootIm += stepIm;
    if (!characteristicAt(rootRe, rootIm)) return false;
    if (Math.hypot(stepRe, stepIm) <= SETTLED * size || (valueRe == beforeRe && valueIm == beforeIm)) return true;
    over(valueRe, valueIm, beforeRe - valueRe, beforeIm - valueIm);
    times(re, im, stepRe, stepIm);
    stepRe = re;
    stepIm = im;
  }
  return false;
}
