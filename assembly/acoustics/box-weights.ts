// Means over the walls of a driven box and in it, of p at its nodes [y][x][z] (assembly/kernels/acoustic-box.ts): integrals of the
// elements, so that what comes in is what goes out and is lost to rounding.

import { bandAt } from "../linear/banded";
import { loadOf, lossFactor, massOf, nodesOf } from "./box";
import { DEGREE } from "./quartic";

let p: usize = 0, nx: i32 = 0, ny: i32 = 0, nz: i32 = 0;

export function openWeights(values: usize): void {
  p = values;
  nx = nodesOf(0);
  ny = nodesOf(1);
  nz = nodesOf(2);
}

@inline function at(y: i32, x: i32, z: i32): usize { return p + (((<usize>y * <usize>nx + <usize>x) * <usize>nz + <usize>z) << 4); }
@inline function massBetween(axis: i32, i: i32, j: i32): f64 { return load<f64>(bandAt(massOf(axis), DEGREE, max(i, j), min(i, j))); }

/** ∫p over the piston. */
export function meanAtPiston(out: usize): void {
  let sumRe = 0.0, sumIm = 0.0;
  for (let y = 0; y < ny; y++) {
    for (let z = 0; z < nz; z++) {
      const weight = load<f64>(loadOf(1) + (<usize>y << 3)) * load<f64>(loadOf(2) + (<usize>z << 3));
      sumRe += weight * load<f64>(at(y, 0, z));
      sumIm += weight * load<f64>(at(y, 0, z), 8);
    }
  }
  store<f64>(out, sumRe);
  store<f64>(out, sumIm, 8);
}

/** Re ∫p̄q of two planes of rows of one axis and columns of another, `rowStride` and `columnStride` bytes apart. */
function product(first: usize, second: usize, rows: i32, columns: i32, rowStride: usize, columnStride: usize): f64 {
  const rowCount = nodesOf(rows), columnCount = nodesOf(columns);
  let sum = 0.0;
  for (let i = 0; i < rowCount; i++) {
    for (let k = max(0, i - DEGREE), lastRow = min(rowCount - 1, i + DEGREE); k <= lastRow; k++) {
      const ofRows = massBetween(rows, i, k), a = first + <usize>i * rowStride, b = second + <usize>k * rowStride;
      if (ofRows == 0.0) continue;
      let inner = 0.0;
      for (let j = 0; j < columnCount; j++) {
        const x = a + <usize>j * columnStride, re = load<f64>(x), im = load<f64>(x, 8);
        for (let l = max(0, j - DEGREE), last = min(columnCount - 1, j + DEGREE); l <= last; l++) {
          const y = b + <usize>l * columnStride;
          inner += massBetween(columns, j, l) * (re * load<f64>(y) + im * load<f64>(y, 8));
        }
      }
      sum += ofRows * inner;
    }
  }
  return sum;
}

/** Mean |p|² over right, bottom, top, front and back, and in the box where it is lost there. */
export function meanSquares(out: usize): void {
  const byZ: usize = 16, byX = <usize>nz << 4, byY = byX * <usize>nx;
  const right = at(0, nx - 1, 0), bottom = at(0, 0, 0), top = at(ny - 1, 0, 0), back = at(0, 0, nz - 1);
  store<f64>(out, product(right, right, 1, 2, byY, byZ));
  store<f64>(out, product(bottom, bottom, 0, 2, byX, byZ), 8);
  store<f64>(out, product(top, top, 0, 2, byX, byZ), 16);
  store<f64>(out, product(bottom, bottom, 1, 0, byY, byX), 24);
  store<f64>(out, product(back, back, 1, 0, byY, byX), 32);
  let whole = 0.0;
  for (let y = 0; y < ny && lossFactor() > 0.0; y++) {
    for (let other = max(0, y - DEGREE); other <= y; other++) {
      const twice = other == y ? 1.0 : 2.0;
      whole += twice * massBetween(1, y, other) * product(at(y, 0, 0), at(other, 0, 0), 0, 2, byX, byZ);
    }
  }
  store<f64>(out, whole, 40);
}
