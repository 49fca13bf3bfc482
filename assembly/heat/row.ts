// What every scheme does to a row of T: the stencil, a source, and what the ends of both axes bring or keep.

import {
  End, isPeriodic, lowerBeta, lowerGamma, lowerKind, upperBeta, upperGamma, upperKind,
} from "../grid/axis";
import { nx, ny, x, y } from "./problem";

/** Of node, neighbours along x and along y, in both lanes: laid once a step, and loaded by all of its blocks. */
export const factors = memory.data(48, 16);

export function layFactors(rx: f64, ry: f64): void {
  v128.store(factors, f64x2.splat(1.0 - 2.0 * (rx + ry)));
  v128.store(factors, f64x2.splat(rx), 16);
  v128.store(factors, f64x2.splat(ry), 32);
}

/** out = T + rx (T₋ − 2T + T₊) + ry (below − 2T + above) over whole pairs from node 0. */
export function stencilRow(out: usize, row: usize, below: usize, above: usize): void {
  const c = v128.load(factors), a = v128.load(factors, 16), b = v128.load(factors, 32);
  const end = row + (<usize>(nx + 1) << 3);
  for (let p = row, o = out; p < end; p += 16, o += 16, below += 16, above += 16) {
    const sides = f64x2.mul(a, f64x2.add(v128.load(p - 8), v128.load(p, 8)));
    const others = f64x2.mul(b, f64x2.add(v128.load(below), v128.load(above)));
    v128.store(o, f64x2.add(f64x2.mul(c, v128.load(p)), f64x2.add(sides, others)));
  }
}

/** Adds weight · s to a row: s a number, or an array where there is one. */
export function addSource(out: usize, j: i32, weight: f64, number: f64, array: usize): void {
  const end = out + (<usize>(nx + 1) << 3);
  if (array) {
    let q = array + (<usize>j * <usize>(nx + 1) << 3);
    for (let p = out; p < end; p += 8, q += 8) store<f64>(p, load<f64>(p) + weight * load<f64>(q));
  } else if (number != 0.0) {
    for (let p = out; p < end; p += 8) store<f64>(p, load<f64>(p) + weight * number);
  }
}

/** Adds what natural ends of x bring: 2r (γ − βT) at each. */
export function addEndsX(out: usize, row: usize, r: f64): void {
  const far = <usize>nx << 3;
  if (lowerKind(x) == End.NATURAL)
    store<f64>(out, load<f64>(out) + 2.0 * r * (lowerGamma(x) - lowerBeta(x) * load<f64>(row)));
  if (upperKind(x) == End.NATURAL)
    store<f64>(out + far, load<f64>(out + far) + 2.0 * r * (upperGamma(x) - upperBeta(x) * load<f64>(row + far)));
}

/** The same for the rows at the ends of y. */
export function addEndsY(out: usize, row: usize, j: i32, r: f64): void {
  if (ny == 0 || (j > 0 && j < ny)) return;
  if ((j == 0 ? lowerKind(y) : upperKind(y)) != End.NATURAL) return;
  const beta = j == 0 ? lowerBeta(y) : upperBeta(y), gamma = j == 0 ? lowerGamma(y) : upperGamma(y);
  if (beta == 0.0 && gamma == 0.0) return;
  const far = <usize>(nx + 1) << 3;
  for (let k: usize = 0; k < far; k += 8)
    store<f64>(out + k, load<f64>(out + k) + 2.0 * r * (gamma - beta * load<f64>(row + k)));
}

/** Fixed nodes keep their values; node n of a periodic axis is node 0. */
export function keepEndsX(out: usize, row: usize): void {
  const far = <usize>nx << 3;
  if (lowerKind(x) == End.FIXED) store<f64>(out, load<f64>(row));
  if (upperKind(x) == End.FIXED) store<f64>(out + far, load<f64>(row + far));
  if (isPeriodic(x)) store<f64>(out + far, load<f64>(out));
}
