// One explicit step (FTCS) in place: T ← T + dt (α δ²T + s), row by row, with a copy of the row below as it was. Two cells in a vector; lanes are independent cells, so that the bits are those of scalar code.

import {
  End, cellsOf, firstFree, isPeriodic, lastFree, lowerBeta, lowerGamma, lowerKind, shareOf, upperBeta, upperGamma, upperKind,
  widthOf,
} from "../grid/axis";
import { copyRow, fillGhosts, rowAbove, rowAt, rowBelow } from "../grid/field";
import { inflowOfRow, inflowUnit } from "./balance";
import { alpha, nx, ny, x, y } from "./problem";

/** out = T + rx (T₋ − 2T + T₊) + ry (below − 2T + above) over whole pairs from node 0. */
export function stencilRow(out: usize, row: usize, below: usize, above: usize, rx: f64, ry: f64): void {
  const a = f64x2.splat(rx), b = f64x2.splat(ry), c = f64x2.splat(1.0 - 2.0 * (rx + ry));
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

/**
 * The same in place: `keep` gets the row as it was, and may be `below` or `above`. The pair to the
 * left of a pair has been overwritten: it is carried along.
 */
export function stencilInPlace(row: usize, below: usize, above: usize, keep: usize, rx: f64, ry: f64): void {
  const a = f64x2.splat(rx), b = f64x2.splat(ry), c = f64x2.splat(1.0 - 2.0 * (rx + ry));
  const end = row + (<usize>(nx + 1) << 3);
  let left = v128.load(row - 8), p = row;
  for (; p + 32 <= end; p += 32, below += 32, above += 32, keep += 32) {
    const right = v128.load(p, 8), next = v128.load(p, 24);
    updatePair<f64>(p, below, above, keep, left, right, a, b, c);
    updatePair<v128>(p, below, above, keep, right, next, a, b, c);
    left = next;
  }
  for (; p < end; p += 16, below += 16, above += 16, keep += 16) {
    const right = v128.load(p, 8);
    updatePair<f64>(p, below, above, keep, left, right, a, b, c);
    left = right;
  }
}

/** The first pair behind the pointers, or the second one (v128), by an offset that the instruction holds. */
@inline function updatePair<Pair>(
  p: usize, below: usize, above: usize, keep: usize, left: v128, right: v128, a: v128, b: v128, c: v128,
): void {
  const here = v128.load(p, isVector<Pair>() ? 16 : 0), others = f64x2.mul(b, f64x2.add(v128.load(below, isVector<Pair>() ? 16 : 0), v128.load(above, isVector<Pair>() ? 16 : 0)));
  v128.store(keep, here, isVector<Pair>() ? 16 : 0);
  v128.store(p, f64x2.add(f64x2.mul(c, here), f64x2.add(f64x2.mul(a, f64x2.add(left, right)), others)), isVector<Pair>() ? 16 : 0);
}

/** `scratch`: room for a padded row. Gives what flowed in through left and right, per second. */
export function explicitStep(field: usize, scratch: usize, dt: f64, number: f64, array: usize): f64 {
  const rx = alpha * dt / (widthOf(x) * widthOf(x)), ry = ny > 0 ? alpha * dt / (widthOf(y) * widthOf(y)) : 0.0;
  const first = firstFree(y), last = lastFree(y), old = scratch + 16;
  const heated = array != 0 || number != 0.0, ring = isPeriodic(x);
  let flow = 0.0;
  for (let j = first; j <= last; j++) {
    const row = rowAt(field, nx, j);
    fillGhosts(row, x);
    if (!ring) flow += (j == 0 || j == ny ? shareOf(y, j) : 1.0) * inflowOfRow(row);
    const below = ny > 0 ? rowBelow(field, nx, y, j, old, first) : row, above = ny > 0 ? rowAbove(field, nx, y, j, old) : row;
    stencilInPlace(row, below, above, old, rx, ry);
    addEndsX(row, old, rx);
    if (j == 0 || j == ny) addEndsY(row, old, j, ry);
    if (heated) addSource(row, j, dt, number, array);
    keepEndsX(row, old);
  }
  if (isPeriodic(y) && ny > 0) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
  return flow * inflowUnit();
}
