// A duct by quartic elements: K = ∫ S p′v′ dx, M = ∫ S p v dx, S constant in pieces (Ihlenburg, Finite Element Analysis
// of Acoustic Scattering, §4.1 for the degree). Five nodes at equal distances; five Gauss points, exact for both.
//
// Pieces in the parameters, at byte `pieces`: 0 length [m] · 8 S [m²] · 16 elements. Lengths count in the whole one.

import { allocate, parameterF64 } from "../kernel/frame";

export const DEGREE: i32 = 4;

const POINTS = memory.data<f64>([
  0.046910077030668, 0.23076534494715845, 0.5, 0.7692346550528415, 0.953089922969332,
]);
const WEIGHTS = memory.data<f64>([
  0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324, 0.11846344252809454,
]);

let at: usize = 0;
export let pieceCount: i32 = 0;
export let wholeLength: f64 = 0;
let shapes: usize = 0, slopes: usize = 0;

export function readPieces(count: i32, offset: usize): void {
  shapes = allocate(40);
  slopes = allocate(40);
  usePieces(count, offset);
}

/** Other pieces, of another axis. */
export function usePieces(count: i32, offset: usize): void {
  pieceCount = count;
  at = offset;
  wholeLength = 0.0;
  for (let i = 0; i < count; i++) wholeLength += parameterF64(at + <usize>i * 24);
}

@inline export function pieceLength(i: i32): f64 { return parameterF64(at + <usize>i * 24) / wholeLength; }
@inline export function pieceArea(i: i32): f64 { return parameterF64(at + <usize>i * 24 + 8) / parameterF64(at + 8); }
@inline export function pieceElements(i: i32): i32 { return <i32>parameterF64(at + <usize>i * 24 + 16); }

export function nodeCount(): i32 {
  let count = 1;
  for (let i = 0; i < pieceCount; i++) count += DEGREE * pieceElements(i);
  return count;
}

/** Shape functions and their slopes at t of an element, 0 ≤ t ≤ 1. */
function shape(t: f64): void {
  for (let a = 0; a < 5; a++) {
    let value = 1.0, slope = 0.0;
    for (let b = 0; b < 5; b++) {
      if (b == a) continue;
      const apart = 4.0 / <f64>(a - b), factor = apart * (t - 0.25 * <f64>b);
      slope = slope * factor + value * apart;
      value *= factor;
    }
    store<f64>(shapes + (<usize>a << 3), value);
    store<f64>(slopes + (<usize>a << 3), slope);
  }
}

/** Entries (row, column, K, M) of all elements, lower triangle, handed to `take` one by one. */
export function eachEntry(take: (row: i32, column: i32, stiff: f64, mass: f64) => void): void {
  let first = 0;
  for (let piece = 0; piece < pieceCount; piece++) {
    const count = pieceElements(piece), h = pieceLength(piece) / <f64>count, S = pieceArea(piece);
    for (let element = 0; element < count; element++, first += DEGREE) {
      for (let g = 0; g < 5; g++) {
        const weight = load<f64>(WEIGHTS + (<usize>g << 3)) * S;
        shape(load<f64>(POINTS + (<usize>g << 3)));
        for (let a = 0; a < 5; a++) {
          for (let b = 0; b <= a; b++) {
            const stiff = load<f64>(slopes + (<usize>a << 3)) * load<f64>(slopes + (<usize>b << 3));
            const mass = load<f64>(shapes + (<usize>a << 3)) * load<f64>(shapes + (<usize>b << 3));
            take(first + a, first + b, weight * stiff / h, weight * mass * h);
          }
        }
      }
    }
  }
}

/** What the nodal values x, `stride` bytes apart, are at u of the whole length. */
export function valueAt(x: usize, stride: usize, u: f64): f64 {
  let first = 0, foot = 0.0;
  for (let piece = 0; piece < pieceCount; piece++) {
    const count = pieceElements(piece), whole = pieceLength(piece);
    if (u > foot + whole * (1.0 + 1e-12) && piece < pieceCount - 1) {
      foot += whole;
      first += DEGREE * count;
      continue;
    }
    const place = max(0.0, u - foot) / whole * <f64>count, element = min(count - 1, <i32>place);
    shape(min(1.0, place - <f64>element));
    let sum = 0.0;
    for (let a = 0; a < 5; a++) {
      sum += load<f64>(shapes + (<usize>a << 3)) * load<f64>(x + <usize>(first + DEGREE * element + a) * stride);
    }
    return sum;
  }
  return NaN;
}
