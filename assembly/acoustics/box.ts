// A box whose left side is a piston, between walls that are rigid, open or of impedance Z: ∇²p + k²p = 0 with e^{iωt},
// k = ω/c (1 − iη/2), ∂p/∂x = −iωρu₀ at the left and ∂p/∂n = −iαp elsewhere, α = ωρ/Z (Morse & Ingard, Theoretical Acoustics, §9.4).
// p = Σ s_i t_j X_ij(x) Y_i(y) Z_j(z): Y_i and Z_j of (K + iαC − μM) Y = 0 across the box, and X_ij driven along it with
// q² = k² − μ_i − ν_j.
//
// Parameters (f64):
//   0 ω [1/s] · 8 c [m/s] · 16 η · 24 ρ [kg/m³] · 32 u₀ [m/s] · 40 of right, bottom, top, front, back: 0 rigid, 1 open, 2 impedance; R, X of
//   Z [Pa s/m] · 160 probe [m] · 184 frequencies of a spectrum from ω/2 to 3ω/2, 0: p at ω alone · 192 the axis of modes across, 1 or 2 ·
//   200, 208 modes of y and z that the verdict begins from · 216 pieces of x, y, z · 240 pieces: length [m], S = 1, elements

import { allocate, parameterF64 } from "../kernel/frame";
import { bandAt, bandBytes } from "../linear/banded";
import { addComplex, complexAt, complexBandBytes, complexBandSolve, factorComplexRows } from "../linear/complex-band";
import { closeNode, shiftLine } from "./line-vectors";
import { DEGREE, eachEntry, nodeCount, readPieces, usePieces, wholeLength } from "./quartic";

const PIECES: usize = 240;

@inline export function angularFrequency(): f64 { return parameterF64(0); }
@inline export function speed(): f64 { return parameterF64(8); }
@inline export function lossFactor(): f64 { return parameterF64(16); }
@inline export function density(): f64 { return parameterF64(24); }
@inline export function velocity(): f64 { return parameterF64(32); }
@inline export function wallType(wall: i32): i32 { return <i32>parameterF64(40 + <usize>wall * 24); }
@inline export function resistance(wall: i32): f64 { return parameterF64(48 + <usize>wall * 24); }
@inline export function reactance(wall: i32): f64 { return parameterF64(56 + <usize>wall * 24); }
@inline export function probe(axis: i32): f64 { return parameterF64(160 + (<usize>axis << 3)); }
@inline export function frequencies(): i32 { return <i32>parameterF64(184); }
@inline export function acrossAxis(): i32 { return <i32>parameterF64(192); }
@inline export function begunModes(axis: i32): i32 { return <i32>parameterF64(192 + (<usize>axis << 3)); }
@inline function piecesOf(axis: i32): i32 { return <i32>parameterF64(216 + (<usize>axis << 3)); }

/** The wall at the left or right end of an axis; none where the piston is. */
@inline export function wallAt(axis: i32, side: i32): i32 { return 2 * axis + side - 1; }
@inline export function isOpen(axis: i32, side: i32): bool {
  return wallAt(axis, side) >= 0 && wallType(wallAt(axis, side)) == 1;
}

/** iαL of a wall of impedance at ω, else 0. */
export let admittanceRe: f64 = 0, admittanceIm: f64 = 0;
export function readAdmittance(wall: i32, omega: f64, L: f64): void {
  admittanceRe = 0.0;
  admittanceIm = 0.0;
  if (wall < 0 || wallType(wall) != 2) return;
  const R = resistance(wall), X = reactance(wall), size = omega * density() * L / (R * R + X * X);
  admittanceRe = size * X;
  admittanceIm = size * R;
}

/** Where the pieces of an axis begin, or those of all end. */
function piecesAt(axis: i32): usize {
  let at = PIECES;
  for (let before = 0; before < axis; before++) at += <usize>piecesOf(before) * 24;
  return at;
}
@inline export function parametersEnd(): usize { return piecesAt(3); }

/** [m]. */
export function lengthOf(axis: i32): f64 {
  let sum = 0.0;
  for (let i = 0; i < piecesOf(axis); i++) sum += parameterF64(piecesAt(axis) + <usize>i * 24);
  return sum;
}

// ---- elements ------------------------------------------------------------------------------------------

let counts: usize = 0, stiff: usize = 0, mass: usize = 0, loads: usize = 0, taken: i32 = 0;

@inline export function useAxis(axis: i32): void { usePieces(piecesOf(axis), piecesAt(axis)); }
@inline export function nodesOf(axis: i32): i32 { return load<i32>(counts + (<usize>axis << 2)); }
/** Modes of an axis: one for each node that is not open. */
export function modesOf(axis: i32): i32 {
  return nodesOf(axis) - (isOpen(axis, 0) ? 1 : 0) - (isOpen(axis, 1) ? 1 : 0);
}
@inline function firstOf(axis: i32): i32 {
  let first = 0;
  for (let before = 0; before < axis; before++) first += nodesOf(before);
  return first;
}
@inline function stiffOf(axis: i32): usize { return stiff + bandBytes(firstOf(axis), DEGREE); }
@inline export function massOf(axis: i32): usize { return mass + bandBytes(firstOf(axis), DEGREE); }
/** ∫ of each shape function. */
@inline export function loadOf(axis: i32): usize { return loads + (<usize>firstOf(axis) << 3); }

/** K, M and M1 of the three axes, lengths in each whole axis. */
export function openBox(): void {
  counts = allocate(12);
  readPieces(piecesOf(0), piecesAt(0));
  let all = 0;
  for (let axis = 0; axis < 3; axis++) {
    useAxis(axis);
    store<i32>(counts + (<usize>axis << 2), nodeCount());
    all += nodeCount();
  }
  stiff = allocate(bandBytes(all, DEGREE));
  mass = allocate(bandBytes(all, DEGREE));
  loads = allocate(<usize>all << 3);
  for (let axis = 0; axis < 3; axis++) {
    useAxis(axis);
    taken = axis;
    eachEntry(take);
  }
}

@inline function add(at: usize, value: f64): void { store<f64>(at, load<f64>(at) + value); }

function take(row: i32, column: i32, ofK: f64, ofM: f64): void {
  add(bandAt(stiffOf(taken), DEGREE, row, column), ofK);
  add(bandAt(massOf(taken), DEGREE, row, column), ofM);
  add(loadOf(taken) + (<usize>row << 3), ofM);
  if (row != column) add(loadOf(taken) + (<usize>column << 3), ofM);
}

/** a ← K + iαC − σM of an axis at ω, rows and columns of what is open those of I. */
export function assembleAxis(a: usize, axis: i32, omega: f64, sigmaRe: f64, sigmaIm: f64): void {
  const n = nodesOf(axis);
  useAxis(axis);
  shiftLine(a, stiffOf(axis), massOf(axis), n, sigmaRe, sigmaIm);
  for (let side = 0; side < 2; side++) {
    const node = side == 0 ? 0 : n - 1;
    if (isOpen(axis, side)) { closeNode(a, node, n); continue; }
    readAdmittance(wallAt(axis, side), omega, wholeLength);
    addComplex(complexAt(a, DEGREE, node, node), admittanceRe, admittanceIm);
  }
}

// ---- along the box -------------------------------------------------------------------------------------

let factors: usize = 0;
/** X_ij at the nodes of x. */
export let wave: usize = 0;

export function openWave(): void {
  factors = allocate(complexBandBytes(nodesOf(0), DEGREE));
  wave = allocate(<usize>nodesOf(0) << 4);
}

/** X of a piston of u₀ between modes of μL_y² and νL_z². */
export function driveWave(omega: f64, muRe: f64, muIm: f64, nuRe: f64, nuIm: f64): void {
  const L = lengthOf(0), y = L / lengthOf(1), z = L / lengthOf(2), k = omega / speed() * L, eta = lossFactor();
  const squareRe = k * k * (1.0 - 0.25 * eta * eta) - muRe * y * y - nuRe * z * z;
  const squareIm = -k * k * eta - muIm * y * y - nuIm * z * z;
  assembleAxis(factors, 0, omega, squareRe, squareIm);
  factorComplexRows(factors, DEGREE, 0, nodesOf(0));
  memory.fill(wave, 0, <usize>nodesOf(0) << 4);
  store<f64>(wave, omega * density() * velocity() * L, 8);
  complexBandSolve(factors, nodesOf(0), DEGREE, wave);
}
