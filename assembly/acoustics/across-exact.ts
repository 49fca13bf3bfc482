// Modes across a driven box in closed form (assembly/acoustics/box.ts), lengths in each axis: Y = cos κy + iα₀ sin κy/κ, or sin κy/κ at
// an open wall, and F = Y′ + iα₁Y, or Y, is 0 at the other (Morse & Ingard, Theoretical Acoustics, §9.4). Roots begin from those of
// the elements for as many as there are elements, and beyond, where |κ| is above |α|, from mπ, (m + ½)π or (m + 1)π.
//
// ∫Y² = (Y′² + κ²Y² − [YY′])/2κ², ∫Y = −[Y′]/κ². That Σ (∫Y)²/∫Y² is 1 says that no mode is missing.

import { allocate } from "../kernel/frame";
import { im, over, re, rootOf, times } from "../math/complex";
import { admittanceIm, admittanceRe, begunModes, isOpen, lengthOf, readAdmittance, wallAt, wallType } from "./box";
import { cosIm, cosRe, sineIm, sineRe, waves } from "./waves";

const COUNT: i32 = 1024;
const ROUNDS: i32 = 40;
const SETTLED: f64 = 1e-13;
/** How far a root may lie from where it begins: modes stand π apart. */
const REACH: f64 = 1.5;

/** Of a table: μ, ∫Y/∫Y², Y at the probe. */
const NUMBERS: i32 = 3;

@inline function isRigid(axis: i32): bool { return wallType(wallAt(axis, 0)) == 0 && wallType(wallAt(axis, 1)) == 0; }
@inline export function exactModes(axis: i32): i32 { return isRigid(axis) ? 1 : COUNT; }
@inline export function exactTable(axis: i32): usize { return allocate(<usize>(exactModes(axis) * NUMBERS) << 4); }
@inline export function exactValue(table: usize, mode: i32): usize { return table + (<usize>(mode * NUMBERS) << 4); }
@inline export function exactShare(table: usize, mode: i32): usize { return exactValue(table, mode) + 16; }
@inline export function exactAtProbe(table: usize, mode: i32): usize { return exactValue(table, mode) + 32; }

// ---- walls and one mode --------------------------------------------------------------------------------

let leftOpen: bool = false, rightOpen: bool = false;
let leftRe: f64 = 0, leftIm: f64 = 0, rightRe: f64 = 0, rightIm: f64 = 0;

/** iαL of both walls at ω. */
export function useWalls(axis: i32, omega: f64): void {
  leftOpen = isOpen(axis, 0);
  rightOpen = isOpen(axis, 1);
  readAdmittance(wallAt(axis, 0), omega, lengthOf(axis));
  leftRe = admittanceRe;
  leftIm = admittanceIm;
  readAdmittance(wallAt(axis, 1), omega, lengthOf(axis));
  rightRe = admittanceRe;
  rightIm = admittanceIm;
}

/** Y and Y′ at y. */
export let ownRe: f64 = 0, ownIm: f64 = 0;
let slopeRe: f64 = 0, slopeIm: f64 = 0;

export function shapeAt(y: f64, muRe: f64, muIm: f64): void {
  waves(y, muRe, muIm);
  if (leftOpen) {
    ownRe = sineRe;
    ownIm = sineIm;
    slopeRe = cosRe;
    slopeIm = cosIm;
    return;
  }
  times(leftRe, leftIm, sineRe, sineIm);
  ownRe = cosRe + re;
  ownIm = cosIm + im;
  times(muRe, muIm, sineRe, sineIm);
  const bentRe = re, bentIm = im;
  times(leftRe, leftIm, cosRe, cosIm);
  slopeRe = re - bentRe;
  slopeIm = im - bentIm;
}

let valueRe: f64 = 0, valueIm: f64 = 0, gradientRe: f64 = 0, gradientIm: f64 = 0;

/** F, and its derivative by μ from those of cos κ, −sin κ/2κ, and of sin κ/κ, (cos κ − sin κ/κ)/2μ. */
function characteristic(muRe: f64, muIm: f64): void {
  shapeAt(1.0, muRe, muIm);
  over(0.5 * (cosRe - sineRe), 0.5 * (cosIm - sineIm), muRe, muIm);
  const bySineRe = re, bySineIm = im, byCosRe = -0.5 * sineRe, byCosIm = -0.5 * sineIm;
  let ofOwnRe = bySineRe, ofOwnIm = bySineIm, ofSlopeRe = byCosRe, ofSlopeIm = byCosIm;
  if (!leftOpen) {
    times(leftRe, leftIm, bySineRe, bySineIm);
    ofOwnRe = byCosRe + re;
    ofOwnIm = byCosIm + im;
    times(leftRe, leftIm, byCosRe, byCosIm);
    ofSlopeRe = re - 0.5 * (sineRe + cosRe);
    ofSlopeIm = im - 0.5 * (sineIm + cosIm);
  }
  times(rightRe, rightIm, ownRe, ownIm);
  valueRe = rightOpen ? ownRe : slopeRe + re;
  valueIm = rightOpen ? ownIm : slopeIm + im;
  times(rightRe, rightIm, ofOwnRe, ofOwnIm);
  gradientRe = rightOpen ? ofOwnRe : ofSlopeRe + re;
  gradientIm = rightOpen ? ofOwnIm : ofSlopeIm + im;
}

/** The root beside κ by Newton's method, its μ left in `re`, `im`; NaN where there is none in reach. */
function refine(kRe: f64, kIm: f64): void {
  let atRe = kRe, atIm = kIm, found = false;
  for (let round = 0; round < ROUNDS && !found; round++) {
    times(atRe, atIm, atRe, atIm);
    characteristic(re, im);
    times(2.0 * atRe, 2.0 * atIm, gradientRe, gradientIm);
    over(valueRe, valueIm, re, im);
    atRe -= re;
    atIm -= im;
    found = Math.hypot(re, im) <= SETTLED * (Math.hypot(atRe, atIm) + 1.0);
  }
  if (!found || !(Math.hypot(atRe - kRe, atIm - kIm) <= REACH)) { times(NaN, NaN, 1.0, 0.0); return; }
  times(atRe, atIm, atRe, atIm);
}

/** ∫Y/∫Y² of a mode; returns Re (∫Y)²/∫Y². */
function writeShare(muRe: f64, muIm: f64, to: usize): f64 {
  shapeAt(1.0, muRe, muIm);
  const firstRe = leftOpen ? 1.0 : leftRe, firstIm = leftOpen ? 0.0 : leftIm;
  if (!rightOpen) {
    times(-rightRe, -rightIm, ownRe, ownIm);
    slopeRe = re;
    slopeIm = im;
  }
  over(firstRe - slopeRe, firstIm - slopeIm, muRe, muIm);
  const meanRe = re, meanIm = im;
  times(firstRe, firstIm, firstRe, firstIm);
  let normRe = re, normIm = im;
  if (!leftOpen) { normRe += muRe + leftRe; normIm += muIm + leftIm; }
  times(ownRe, ownIm, slopeRe, slopeIm);
  over(normRe - re, normIm - im, 2.0 * muRe, 2.0 * muIm);
  over(meanRe, meanIm, re, im);
  store<f64>(to, re);
  store<f64>(to, im, 8);
  times(re, im, meanRe, meanIm);
  return re;
}

// ---- tables --------------------------------------------------------------------------------------------

/** μ of all modes at ω, from the table of a frequency beside it or, where there is none, from μ of the elements. */
export function fillValues(axis: i32, omega: f64, table: usize, begun: usize, beside: usize): void {
  if (isRigid(axis)) return;
  useWalls(axis, omega);
  const open = (leftOpen ? 0.5 : 0.0) + (rightOpen ? 0.5 : 0.0);
  for (let mode = 0; mode < COUNT; mode++) {
    const from = beside != 0 ? exactValue(beside, mode) : begun + (<usize>mode << 4);
    if (beside != 0 || mode < begunModes(axis)) rootOf(load<f64>(from), load<f64>(from, 8));
    else times(Math.PI * (<f64>mode + open), 0.0, 1.0, 0.0);
    refine(re, im);
    store<f64>(exactValue(table, mode), re);
    store<f64>(exactValue(table, mode), im, 8);
  }
}

/** What the piston gives to each mode, and each at u of the axis; Σ (∫Y)²/∫Y², of those beyond as if it fell as 1/κ². */
export function fillShares(axis: i32, omega: f64, table: usize, u: f64): f64 {
  if (isRigid(axis)) {
    store<f64>(exactShare(table, 0), 1.0);
    store<f64>(exactAtProbe(table, 0), 1.0);
    return 1.0;
  }
  useWalls(axis, omega);
  let sum = 0.0, last = 0.0, before = 0.0, muRe = 0.0, muIm = 0.0;
  for (let mode = 0; mode < COUNT; mode++) {
    const mu = exactValue(table, mode);
    muRe = load<f64>(mu);
    muIm = load<f64>(mu, 8);
    before = last;
    last = writeShare(muRe, muIm, exactShare(table, mode));
    sum += last;
    shapeAt(u, muRe, muIm);
    store<f64>(exactAtProbe(table, mode), ownRe);
    store<f64>(exactAtProbe(table, mode), ownIm, 8);
  }
  // Beyond κ, π apart, Σ 1/κ² is about (κ/π − ½)/κ²; where both walls are alike each other one is 0.
  return sum + 0.5 * (last + before) * (sqrt(muRe) / Math.PI - 0.5);
}
