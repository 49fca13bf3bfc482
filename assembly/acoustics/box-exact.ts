// Sound in a driven box in closed form: Σ over the modes across (assembly/acoustics/across-exact.ts) of a X(x) Y(y) Z(z), with
// X = A e^{−iqx} + B e^{−iq(L−x)}, Im q ≤ 0, X′(0) = −iωρu₀ and X′ + iαX = 0, or X = 0, at L. Nothing here is used by a kernel.

import { allocate } from "../kernel/frame";
import { addComplex } from "../linear/complex-band";
import { im, over, re, rootOf, times } from "../math/complex";
import { exactAtProbe, exactModes, exactShare, exactTable, exactValue, fillShares, fillValues, ownIm, ownRe, shapeAt, useWalls } from "./across-exact";
import { admittanceIm, admittanceRe, angularFrequency, density, isOpen, lengthOf, lossFactor, probe, readAdmittance, speed, velocity } from "./box";

export const SAMPLES: i32 = 129;
/** e⁻⁴⁵ is below rounding. */
const DEEP: f64 = -45.0;
const SLIGHT: f64 = 1e-12;

let modesY: i32 = 0, modesZ: i32 = 0, tableY: usize = 0, tableZ: usize = 0, sumsY: usize = 0, sumsZ: usize = 0;
let belowY: usize = 0, belowZ: usize = 0, aboveY: usize = 0, aboveZ: usize = 0;
/** p along x, y, z through the probe, 129 each. */
export let lines: usize = 0;
/** Σ (∫Y)²/∫Y² of y and of z. */
export let wholeY: f64 = 0, wholeZ: f64 = 0;
export let probeRe: f64 = 0, probeIm: f64 = 0;

export function openExactBox(): void {
  modesY = exactModes(1);
  modesZ = exactModes(2);
  tableY = exactTable(1);
  tableZ = exactTable(2);
  belowY = exactTable(1);
  belowZ = exactTable(2);
  aboveY = exactTable(1);
  aboveZ = exactTable(2);
  sumsY = allocate(<usize>modesY << 4);
  sumsZ = allocate(<usize>modesZ << 4);
  lines = allocate(<usize>(3 * SAMPLES) << 4);
}

/** Modes of y and z, from μ of the elements. */
export function findModes(begunY: usize, begunZ: usize): void {
  const omega = angularFrequency();
  fillValues(1, omega, tableY, begunY, 0);
  fillValues(2, omega, tableZ, begunZ, 0);
  wholeY = fillShares(1, omega, tableY, probe(1) / lengthOf(1));
  wholeZ = fillShares(2, omega, tableZ, probe(2) / lengthOf(2));
}

@inline function sizeAt(at: usize): f64 { return Math.hypot(load<f64>(at), load<f64>(at, 8)); }
/** Modes of another symmetry than the piston's. */
@inline function isSlight(i: i32, j: i32): bool { return sizeAt(exactShare(tableY, i)) * sizeAt(exactShare(tableZ, j)) <= SLIGHT; }

let squareRe: f64 = 0, squareIm: f64 = 0;

/** (qL)² of a pair at ω. */
function readSquare(omega: f64, mu: usize, nu: usize): void {
  const L = lengthOf(0), y = L / lengthOf(1), z = L / lengthOf(2), k = omega / speed() * L, eta = lossFactor();
  squareRe = k * k * (1.0 - 0.25 * eta * eta) - load<f64>(mu) * y * y - load<f64>(nu) * z * z;
  squareIm = -k * k * eta - load<f64>(mu, 8) * y * y - load<f64>(nu, 8) * z * z;
}

// ---- resonance -----------------------------------------------------------------------------------------

/** What has the sign of X′(0) where nothing is lost, X being what the right wall leaves. */
function slopeOf(omega: f64, tableOfY: usize, tableOfZ: usize, i: i32, j: i32): f64 {
  readSquare(omega, exactValue(tableOfY, i), exactValue(tableOfZ, j));
  readAdmittance(0, omega, lengthOf(0));
  const q = sqrt(abs(squareRe));
  if (isOpen(0, 1)) return squareRe < 0.0 ? 1.0 : Math.cos(q);
  return squareRe < 0.0 ? -q * Math.tanh(q) - admittanceRe : q * Math.sin(q) - admittanceRe * Math.cos(q);
}

/** Whether a mode that the piston drives lies within 0.1 % of ω. */
export function isNearMode(): bool {
  const below = 0.999 * angularFrequency(), above = 1.001 * angularFrequency();
  fillValues(1, below, belowY, 0, tableY);
  fillValues(2, below, belowZ, 0, tableZ);
  fillValues(1, above, aboveY, 0, tableY);
  fillValues(2, above, aboveZ, 0, tableZ);
  for (let i = 0; i < modesY; i++) {
    for (let j = 0; j < modesZ; j++) {
      if (isSlight(i, j)) continue;
      if (!(slopeOf(below, belowY, belowZ, i, j) * slopeOf(above, aboveY, aboveZ, i, j) > 0.0)) return true;
    }
  }
  return false;
}

// ---- the sum -------------------------------------------------------------------------------------------

let qRe: f64 = 0, qIm: f64 = 0, outRe: f64 = 0, outIm: f64 = 0, backRe: f64 = 0, backIm: f64 = 0;

/** e^{−iqu} with u of L. */
function goOn(u: f64): void {
  const size = Math.exp(qIm * u);
  times(size * Math.cos(qRe * u), -size * Math.sin(qRe * u), 1.0, 0.0);
}

/** A and B of a pair: (q + α) − (q − α) e^{−2iqL} is what both are over. */
function driveExact(omega: f64, mu: usize, nu: usize): void {
  readSquare(omega, mu, nu);
  rootOf(squareRe, squareIm);
  const sign = im > 0.0 ? -1.0 : 1.0;
  qRe = sign * re;
  qIm = sign * im;
  if (Math.hypot(qRe, qIm) < 1e-6) qRe = 1e-6;
  readAdmittance(0, omega, lengthOf(0));
  const open = isOpen(0, 1), alphaRe = admittanceIm, alphaIm = -admittanceRe;
  const plusRe = open ? 1.0 : qRe + alphaRe, plusIm = open ? 0.0 : qIm + alphaIm;
  const minusRe = open ? -1.0 : qRe - alphaRe, minusIm = open ? 0.0 : qIm - alphaIm;
  goOn(1.0);
  const eRe = re, eIm = im;
  times(minusRe, minusIm, eRe, eIm);
  const returnRe = re, returnIm = im;
  times(returnRe, returnIm, eRe, eIm);
  times(plusRe - re, plusIm - im, qRe, qIm);
  over(omega * density() * velocity() * lengthOf(0), 0.0, re, im);
  const scaleRe = re, scaleIm = im;
  times(plusRe, plusIm, scaleRe, scaleIm);
  outRe = re;
  outIm = im;
  times(returnRe, returnIm, scaleRe, scaleIm);
  backRe = re;
  backIm = im;
}

/** X at u of L. */
function waveAt(u: f64): void {
  let sumRe = 0.0, sumIm = 0.0;
  if (qIm * u > DEEP) {
    goOn(u);
    times(re, im, outRe, outIm);
    sumRe = re;
    sumIm = im;
  }
  if (qIm * (2.0 - u) > DEEP) {
    goOn(1.0 - u);
    times(re, im, backRe, backIm);
    sumRe += re;
    sumIm += im;
  }
  times(sumRe, sumIm, 1.0, 0.0);
}

/** line ← line + c A e^{−iqu}, from the piston, or c B e^{−iq(1−u)}, from the right. */
function addAlong(startRe: f64, startIm: f64, first: i32, step: i32): void {
  const h = 1.0 / <f64>(SAMPLES - 1);
  goOn(h);
  const byRe = re, byIm = im;
  times(startRe, startIm, 1.0, 0.0);
  for (let i = 0; i < SAMPLES && qIm * h * <f64>i > DEEP; i++) {
    addComplex(lines + (<usize>(first + step * i) << 4), re, im);
    times(re, im, byRe, byIm);
  }
}

function addPair(omega: f64, i: i32, j: i32): void {
  driveExact(omega, exactValue(tableY, i), exactValue(tableZ, j));
  const y = exactAtProbe(tableY, i), z = exactAtProbe(tableZ, j), a = exactShare(tableY, i), b = exactShare(tableZ, j);
  times(load<f64>(a), load<f64>(a, 8), load<f64>(y), load<f64>(y, 8));
  const ofYRe = re, ofYIm = im;
  times(load<f64>(b), load<f64>(b, 8), load<f64>(z), load<f64>(z, 8));
  const ofZRe = re, ofZIm = im;
  waveAt(probe(0) / lengthOf(0));
  const waveRe = re, waveIm = im;
  times(waveRe, waveIm, ofZRe, ofZIm);
  addComplex(sumsY + (<usize>i << 4), re, im);
  times(waveRe, waveIm, ofYRe, ofYIm);
  addComplex(sumsZ + (<usize>j << 4), re, im);
  times(ofYRe, ofYIm, ofZRe, ofZIm);
  const bothRe = re, bothIm = im;
  times(waveRe, waveIm, bothRe, bothIm);
  probeRe += re;
  probeIm += im;
  times(outRe, outIm, bothRe, bothIm);
  addAlong(re, im, 0, 1);
  if (qIm <= DEEP) return;
  times(backRe, backIm, bothRe, bothIm);
  addAlong(re, im, SAMPLES - 1, -1);
}

/** Σ a Y of the sums of an axis, at 129 places. */
function sumAcross(axis: i32, omega: f64, table: usize, sums: usize, count: i32): void {
  useWalls(axis, omega);
  for (let mode = 0; mode < count; mode++) {
    const a = exactShare(table, mode), s = sums + (<usize>mode << 4), mu = exactValue(table, mode);
    times(load<f64>(a), load<f64>(a, 8), load<f64>(s), load<f64>(s, 8));
    const bothRe = re, bothIm = im;
    if (bothRe == 0.0 && bothIm == 0.0) continue;
    for (let i = 0; i < SAMPLES; i++) {
      shapeAt(<f64>i / <f64>(SAMPLES - 1), load<f64>(mu), load<f64>(mu, 8));
      times(ownRe, ownIm, bothRe, bothIm);
      addComplex(lines + (<usize>(axis * SAMPLES + i) << 4), re, im);
    }
  }
}

/** p at the probe and along the lines. */
export function sumModes(): void {
  const omega = angularFrequency();
  probeRe = 0.0;
  probeIm = 0.0;
  for (let i = 0; i < modesY; i++) for (let j = 0; j < modesZ; j++) if (!isSlight(i, j)) addPair(omega, i, j);
  sumAcross(1, omega, tableY, sumsY, modesY);
  sumAcross(2, omega, tableZ, sumsZ, modesZ);
}
