// Complex sound in a cavity of square cells (assembly/acoustics/mask.ts): K − k²M in a complex band, what stands at its sides,
// ∫|p|² and p at a place.

import { addComplex, complexAt } from "../linear/complex-band";
import {
  band, columns, eachElement, elementAtX, elementAtY, elementColumns, elementRows, id, isAirElement, massEntry, numberOf, rows, setId,
  stiffEntry, takeEdge, withinX, withinY,
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

/** Calls `visit` for each edge of air on a side of the grid (0 left … 3 top), its three numbers first in `ids`. */
export function eachEdge(side: i32, visit: () => void): void {
  const upright = side < 2, count = upright ? elementRows() : elementColumns();
  for (let e = 0; e < count; e++) {
    const x = side == 0 ? 0 : side == 1 ? elementColumns() - 1 : e, y = side == 2 ? 0 : side == 3 ? elementRows() - 1 : e;
    if (!isAirElement(x, y)) continue;
    takeEdge(x, y, upright);
    for (let a = 0; a < 3; a++) {
      const along = 2 * e + a;
      const i = side == 0 ? 0 : side == 1 ? columns - 1 : along, j = side == 2 ? 0 : side == 3 ? rows - 1 : along;
      setId(a, numberOf(i, j));
    }
    visit();
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
