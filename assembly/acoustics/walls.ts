// Boxes and ducts between walls of impedance Z: ∂p/∂n = −ikβp with β = ρc/Z and e^{iωt}, k = ω/c = κ + iδ/c, so that
// p dies as e^{−δt} (Kuttruff, Room Acoustics, §3.1). p = X(x) Y(y) Z(z), −X″ = μ_x X, k² = μ_x + μ_y + μ_z: the axes hang
// together by the k in their walls (Morse & Ingard, Theoretical Acoustics, §9.4).
//
// Parameters (f64):
//   0 axes, 1 or 3 · 8 pieces · 16 modes that are followed · 24 frequencies · 32 the one that is the value, from 1 · 40 c [m/s] ·
//   48 sweeps at most
//   56 of each axis: left, right end: 0 rigid, 1 open, 2 an impedance followed from rigid, 3 from open · β left, re and im · β
//   right · modes of the axis
//   pieces: length [m], S [m²], elements (of a box one of each axis, S = 1) · of each mode its index on each axis
//
// A followed mode is a row of numbers: k [1/m], re and im · μ of each axis [1/m²], re and im · loss and stiffness of its
// walls: Σ Re β |p|² and −Σ Im β |p|² over the walls, over ∫|p|² [1/m].

import { parameterF64 } from "../kernel/frame";

const HEAD: usize = 56;
const OF_AXIS: usize = 56;

export let axes: i32 = 0, pieces: i32 = 0, followed: i32 = 0, listed: i32 = 0, chosen: i32 = 0;

export function readWalls(): void {
  axes = <i32>parameterF64(0);
  pieces = <i32>parameterF64(8);
  followed = <i32>parameterF64(16);
  listed = <i32>parameterF64(24);
  chosen = <i32>parameterF64(32) - 1;
}

@inline export function speed(): f64 { return parameterF64(40); }
@inline export function sweepsAtMost(): f64 { return parameterF64(48); }
@inline export function endType(axis: i32, side: i32): i32 { return <i32>parameterF64(HEAD + <usize>axis * OF_AXIS + (<usize>side << 3)); }
@inline export function betaRe(axis: i32, side: i32): f64 { return parameterF64(HEAD + <usize>axis * OF_AXIS + 16 + (<usize>side << 4)); }
@inline export function betaIm(axis: i32, side: i32): f64 { return parameterF64(HEAD + <usize>axis * OF_AXIS + 24 + (<usize>side << 4)); }
@inline export function modesOf(axis: i32): i32 { return <i32>parameterF64(HEAD + <usize>axis * OF_AXIS + 48); }
@inline export function isOpen(axis: i32, side: i32): bool { return endType(axis, side) == 1; }
@inline export function isImpeded(axis: i32): bool { return endType(axis, 0) > 1 || endType(axis, 1) > 1; }

/** Pieces of an axis, and where the first stands. */
@inline export function piecesOf(axis: i32): i32 { return axes == 1 ? pieces : 1; }
@inline export function piecesAt(axis: i32): usize {
  return HEAD + <usize>axes * OF_AXIS + (axes == 1 ? 0 : <usize>axis * 24);
}
@inline function labelsAt(): usize { return HEAD + <usize>axes * OF_AXIS + <usize>pieces * 24; }
/** Index of followed mode i on an axis. */
@inline export function labelOf(i: i32, axis: i32): i32 { return <i32>parameterF64(labelsAt() + (<usize>(i * axes + axis) << 3)); }
@inline export function wallsEnd(): usize { return labelsAt() + (<usize>(followed * axes) << 3); }

export function lengthOf(axis: i32): f64 {
  let sum = 0.0;
  for (let i = 0; i < piecesOf(axis); i++) sum += parameterF64(piecesAt(axis) + <usize>i * 24);
  return sum;
}

// ---- rows of followed modes ----------------------------------------------------------------------------

/** Numbers of a row. */
@inline export function rowNumbers(): i32 { return 4 + 2 * axes; }
@inline export function numberIn(table: usize, i: i32, j: i32): f64 { return load<f64>(table + (<usize>(i * rowNumbers() + j) << 3)); }
