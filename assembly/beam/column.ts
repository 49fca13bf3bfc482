// A column as its parameters say it, without units: lengths in L, stiffness in E·I of its foot, loads in EI/L².
//
// Parameters (f64):
//   0 E [Pa] · 8 L [m] · 16 ends: 0 pinned-pinned, 1 fixed-free, 2 fixed-fixed, 3 fixed-pinned · 24 k_f [N/m²]
//   32 q [N/m] · 40 pieces; of each, from 48 on:
//   0 length [m] · 8, 16 I at its lower and upper end [m⁴] · 24 power: I^{1/power} is linear · 32 elements or panels

import { parameterF64, parameters } from "../kernel/frame";

export const HEAD: usize = 48;
export const PIECE: usize = 40;

export let length: f64 = 0;
/** E I of the foot, and the load EI/L² [N] that is 1. */
export let stiffness: f64 = 0, unitLoad: f64 = 0;
export let foundation: f64 = 0, weight: f64 = 0;
export let ends: i32 = 0, pieces: i32 = 0;

export function readColumn(): void {
  length = parameterF64(8);
  stiffness = parameterF64(0) * parameterF64(HEAD + 8);
  unitLoad = stiffness / (length * length);
  ends = <i32>parameterF64(16);
  foundation = parameterF64(24) * length * length / unitLoad;
  weight = parameterF64(32) * length / unitLoad;
  pieces = <i32>parameterF64(40);
}

/** Byte behind the last piece. */
export function columnEnd(): usize { return HEAD + <usize>pieces * PIECE; }

@inline function ofPiece(piece: i32, offset: usize): f64 {
  return load<f64>(parameters() + HEAD + <usize>piece * PIECE + offset);
}
export function pieceLength(piece: i32): f64 { return ofPiece(piece, 0) / length; }
export function pieceParts(piece: i32): i32 { return <i32>ofPiece(piece, 32); }
export function piecePower(piece: i32): f64 { return ofPiece(piece, 24); }
/** E I at the lower end of a piece. */
export function lowerStiffness(piece: i32): f64 { return ofPiece(piece, 8) / parameterF64(HEAD + 8); }
/** (I_upper/I_lower)^{1/power} − 1: how the root of I grows over the piece. */
export function growthOf(piece: i32): f64 {
  const lower = ofPiece(piece, 8), upper = ofPiece(piece, 16);
  return lower == upper ? 0.0 : Math.pow(upper / lower, 1.0 / ofPiece(piece, 24)) - 1.0;
}
