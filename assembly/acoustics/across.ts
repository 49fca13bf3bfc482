// Modes across a driven box (assembly/acoustics/box.ts): all pairs of (K + iαC − μM) Y = 0 of an axis. μ by QR of
// D^{−1/2}L⁻¹(K + iαC)L⁻ᵀD^{−1/2} with M = LDLᵀ (Golub & Van Loan, §8.7.2), Y by inverse iteration, YᵀMY = 1. That Σ s_i Y_i is 1, where
// s = Yᵀ M 1 is what the piston gives to each, shows that the modes are whole: where two meet, they are not.
//
// A table of n nodes and m modes: μL², re and im, of all · s of all · Y of each at the nodes, from the lowest Re μ on.

import { allocate } from "../kernel/frame";
import { bandAt, bandBytes, factorRows } from "../linear/banded";
import { complexAt, complexAxpy, complexBandBytes, factorComplexRows } from "../linear/complex-band";
import { complexEigenvalues } from "../linear/complex-eigen";
import { im, re } from "../math/complex";
import { assembleAxis, isOpen, loadOf, massOf, modesOf, nodesOf } from "./box";
import { along, invertLine, massTimes, muIm, muRe, scaleToOne, startAnywhere } from "./line-vectors";
import { DEGREE } from "./quartic";

const ASIDE: f64 = 1e-9;
const SAME: f64 = 1e-6;
const WHOLE: f64 = 1e-5;

@inline export function tableBytes(nodes: i32, modes: i32): usize { return (<usize>modes * <usize>(nodes + 2)) << 4; }
@inline export function valueOf(table: usize, mode: i32): usize { return table + (<usize>mode << 4); }
@inline export function shareOf(table: usize, modes: i32, mode: i32): usize { return table + (<usize>(modes + mode) << 4); }
@inline export function vectorOf(table: usize, nodes: i32, modes: i32, mode: i32): usize {
  return table + ((2 * <usize>modes + <usize>mode * <usize>nodes) << 4);
}

/** Whether the piston drives a mode: others are those of another symmetry. */
export function isDriven(table: usize, modes: i32, mode: i32): bool {
  const s = shareOf(table, modes, mode);
  return Math.hypot(load<f64>(s), load<f64>(s, 8)) > 1e-12;
}

let band: usize = 0, cholesky: usize = 0, dense: usize = 0, room: usize = 0, image: usize = 0;

/** Room for axes of so many nodes. */
export function openAcross(most: i32): void {
  band = allocate(complexBandBytes(most, DEGREE));
  cholesky = allocate(bandBytes(most, DEGREE));
  dense = allocate((<usize>most * <usize>most) << 4);
  room = allocate(<usize>most << 5);
  image = allocate(<usize>most << 4);
}

/** The table of an axis at ω; whether its modes are whole. */
export function modesAcross(axis: i32, omega: f64, table: usize): bool {
  const n = nodesOf(axis), count = modesOf(axis);
  assembleAxis(band, axis, omega, 0.0, 0.0);
  fillDense(axis, count);
  if (!complexEigenvalues(dense, count, table, room)) return false;
  sortValues(table, count);
  for (let mode = 0; mode < count; mode++) if (!findVector(axis, omega, table, mode)) return false;
  return isWhole(axis, table, n, count);
}

/** LDLᵀ of M without what is open, and the matrix between. */
function fillDense(axis: i32, count: i32): void {
  const first = isOpen(axis, 0) ? 1 : 0, m = massOf(axis);
  memory.fill(cholesky, 0, bandBytes(count, DEGREE));
  memory.fill(dense, 0, (<usize>count * <usize>count) << 4);
  for (let i = 0; i < count; i++) {
    for (let j = max(0, i - DEGREE); j <= i; j++) {
      store<f64>(bandAt(cholesky, DEGREE, i, j), load<f64>(bandAt(m, DEGREE, first + i, first + j)));
      const from = complexAt(band, DEGREE, first + i, first + j);
      memory.copy(rowAt(count, i) + (<usize>j << 4), from, 16);
      memory.copy(rowAt(count, j) + (<usize>i << 4), from, 16);
    }
  }
  factorRows(cholesky, DEGREE, 0, count, 0.0);
  reduceRows(count);
  for (let i = 0; i < count; i++) for (let j = 0; j < i; j++) swap(rowAt(count, i) + (<usize>j << 4), rowAt(count, j) + (<usize>i << 4));
  reduceRows(count);
}

@inline function rowAt(count: i32, i: i32): usize { return dense + ((<usize>i * <usize>count) << 4); }

function swap(p: usize, q: usize): void {
  const kept = v128.load(p);
  v128.store(p, v128.load(q));
  v128.store(q, kept);
}

/** D^{−1/2}L⁻¹ times the rows. */
function reduceRows(count: i32): void {
  for (let i = 0; i < count; i++) {
    for (let j = max(0, i - DEGREE); j < i; j++) {
      complexAxpy(rowAt(count, j), rowAt(count, i), count, -load<f64>(bandAt(cholesky, DEGREE, i, j)), 0.0);
    }
  }
  for (let i = 0; i < count; i++) {
    const factor = f64x2.splat(1.0 / sqrt(load<f64>(bandAt(cholesky, DEGREE, i, i))));
    for (let at = rowAt(count, i), end = rowAt(count, i + 1); at < end; at += 16) v128.store(at, f64x2.mul(v128.load(at), factor));
  }
}

/** By Re μ, then by Im μ. */
function sortValues(table: usize, count: i32): void {
  for (let i = 1; i < count; i++) {
    for (let j = i; j > 0; j--) {
      const p = valueOf(table, j - 1), q = valueOf(table, j);
      if (load<f64>(p) < load<f64>(q) || (load<f64>(p) == load<f64>(q) && load<f64>(p, 8) <= load<f64>(q, 8))) break;
      swap(p, q);
    }
  }
}

/** Y, μ and s of a mode from its μ; whether it is that of this μ. */
function findVector(axis: i32, omega: f64, table: usize, mode: i32): bool {
  const n = nodesOf(axis), count = modesOf(axis), value = valueOf(table, mode), x = vectorOf(table, n, count, mode);
  const ownRe = load<f64>(value), ownIm = load<f64>(value, 8), size = Math.hypot(ownRe, ownIm) + 1.0;
  const sigmaRe = ownRe + ASIDE * size;
  assembleAxis(band, axis, omega, sigmaRe, ownIm);
  factorComplexRows(band, DEGREE, 0, n);
  startAnywhere(x, n);
  for (let round = 0; round < 4; round++) {
    invertLine(band, massOf(axis), n, isOpen(axis, 0), isOpen(axis, 1), x, image, sigmaRe, ownIm);
    takeEarlier(axis, table, mode, ownRe, ownIm);
  }
  store<f64>(value, muRe);
  store<f64>(value, muIm, 8);
  let sumRe = 0.0, sumIm = 0.0;
  for (let i = 0; i < n; i++) {
    const b = load<f64>(loadOf(axis) + (<usize>i << 3)), at = x + (<usize>i << 4);
    sumRe += b * load<f64>(at);
    sumIm += b * load<f64>(at, 8);
  }
  store<f64>(shareOf(table, count, mode), sumRe);
  store<f64>(shareOf(table, count, mode), sumIm, 8);
  return Math.hypot(muRe - ownRe, muIm - ownIm) <= SAME * size;
}

/**
 * What a vector has of those before it that are nearly of its μ: waves that fit only the short elements at one end have twins at the
 * other.
 */
function takeEarlier(axis: i32, table: usize, mode: i32, ownRe: f64, ownIm: f64): void {
  const n = nodesOf(axis), count = modesOf(axis), x = vectorOf(table, n, count, mode), near = SAME * (Math.hypot(ownRe, ownIm) + 1.0);
  for (let other = mode - 1; other >= 0 && ownRe - load<f64>(valueOf(table, other)) <= near; other--) {
    if (!(abs(ownIm - load<f64>(valueOf(table, other), 8)) <= near)) continue;
    const y = vectorOf(table, n, count, other);
    massTimes(massOf(axis), n, isOpen(axis, 0), isOpen(axis, 1), x, image);
    along(y, image, n);
    complexAxpy(y, x, n, -re, -im);
    massTimes(massOf(axis), n, isOpen(axis, 0), isOpen(axis, 1), x, image);
    along(x, image, n);
    scaleToOne(x, n, re, im, 1.0, 0.0);
  }
}

/** Whether M Σ s Y is M 1 at what is not open. */
function isWhole(axis: i32, table: usize, n: i32, count: i32): bool {
  memory.fill(room, 0, <usize>n << 4);
  for (let mode = 0; mode < count; mode++) {
    const s = shareOf(table, count, mode);
    complexAxpy(vectorOf(table, n, count, mode), room, n, load<f64>(s), load<f64>(s, 8));
  }
  massTimes(massOf(axis), n, isOpen(axis, 0), isOpen(axis, 1), room, image);
  let most = 0.0, apart = 0.0;
  for (let i = isOpen(axis, 0) ? 1 : 0, end = isOpen(axis, 1) ? n - 1 : n; i < end; i++) {
    const b = load<f64>(loadOf(axis) + (<usize>i << 3)), at = image + (<usize>i << 4);
    most = max(most, b);
    const error = Math.hypot(load<f64>(at) - b, load<f64>(at, 8));
    if (!(error <= apart)) apart = error;
  }
  return apart <= WHOLE * most;
}
