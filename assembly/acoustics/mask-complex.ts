// Complex sound in a cavity of square cells (assembly/acoustics/mask.ts): K − k²M in a complex band, what stands at its sides,
// ∫|p|² and p at a place.

import { addComplex, complexAt } from "../linear/complex-band";
import {
  band, eachElement, elementAtX, elementAtY, elementColumns, elementRows, id, isAirElement, massEntry, numberOf, setId, stiffEntry,
  takeEdge, withinX, withinY,
} from "./mask";
import { quadratic } from "./mask-lines";

let target: usize = 0, source: usize = 0, squareRe: f64 = 0, squareIm: f64 = 0;

/** K − k²M with complex k², into a complex band that is zero. */
export function assembleComplex(to: usize, re: f64, im: f64): void {
  target = to;
  squareRe = re;
  squareIm = im;
  eachElement(addComplexElement);
}

function addComplexElement(): void {
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      if (id(a) < 0 || id(b) < 0 || id(b) > id(a)) continue;
      const mass = massEntry(a, b);
      addComplex(complexAt(target, band, id(a), id(b)), stiffEntry(a, b) - squareRe * mass, -squareIm * mass);
    }
  }
}

/** Which wall the edge is of: 0 left, 1 right, 2 bottom, 3 top, 4 inside. */
export let wall: i32 = 0;

/** Calls `visit` for each edge between air and what is none, its three numbers first among those visited. */
export function eachEdge(visit: () => void): void {
  for (let y = 0; y < elementRows(); y++) {
    for (let x = 0; x < elementColumns(); x++) {
      if (!isAirElement(x, y)) continue;
      for (let side = 0; side < 4; side++) {
        const across = side == 0 ? x - 1 : side == 1 ? x + 1 : x, beyond = side == 2 ? y - 1 : side == 3 ? y + 1 : y;
        if (isAirElement(across, beyond)) continue;
        wall = across < 0 ? 0 : across >= elementColumns() ? 1 : beyond < 0 ? 2 : beyond >= elementRows() ? 3 : 4;
        takeEdge(x, y, side < 2);
        for (let a = 0; a < 3; a++) {
          const i = side == 0 ? 0 : side == 1 ? 2 : a, j = side == 2 ? 0 : side == 3 ? 2 : a;
          setId(a, numberOf(2 * x + i, 2 * y + j));
        }
        visit();
      }
    }
  }
}

/** ∫|p|² of complex nodal values. */
export function squaredNorm(p: usize): f64 {
  source = p;
  squareRe = 0.0;
  eachElement(addSquares);
  return squareRe;
}

function addSquares(): void {
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      if (id(a) < 0 || id(b) < 0) continue;
      const x = source + (<usize>id(a) << 4), y = source + (<usize>id(b) << 4);
      squareRe += massEntry(a, b) * (load<f64>(x) * load<f64>(y) + load<f64>(x, 8) * load<f64>(y, 8));
    }
  }
}

/** Part `part` (0 re, 1 im) of p at (x, y), in edges of a cell, in the first element of air there. */
export function complexValueAt(p: usize, part: i32, x: f64, y: f64): f64 {
  for (let dy = 0; dy < 2; dy++) {
    for (let dx = 0; dx < 2; dx++) {
      const ex = elementAtX(x - 1e-9 * <f64>dx), ey = elementAtY(y - 1e-9 * <f64>dy);
      if (!isAirElement(ex, ey)) continue;
      const s = withinX(ex, x), t = withinY(ey, y);
      let sum = 0.0;
      for (let a = 0; a < 9; a++) {
        const number = numberOf(2 * ex + a % 3, 2 * ey + a / 3);
        if (number < 0) continue;
        sum += quadratic(a % 3, s) * quadratic(a / 3, t) * load<f64>(p + (<usize>number << 4) + (<usize>part << 3));
      }
      return sum;
    }
  }
  return NaN;
}
