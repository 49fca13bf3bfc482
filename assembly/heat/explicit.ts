// One explicit step (FTCS) in place: T ← T + dt (α δ²T + s), two rows at a time, with a copy of the row below as it was.

import {
  End, cellsOf, firstFree, isPeriodic, lastFree, lowerBeta, lowerGamma, lowerKind, shareOf, upperBeta, upperGamma, upperKind,
  widthOf,
} from "../grid/axis";
import { copyRow, fillGhosts, rowAbove, rowAt, rowBelow, rowBytes } from "../grid/field";
import { between, pinned, pairBytes, spread } from "../grid/stencil";
import { inflowOfRow, inflowUnit } from "./balance";
import { alpha, nx, ny, x, y } from "./problem";

/** out = T + rx (T₋ − 2T + T₊) + ry (below − 2T + above) over whole pairs from node 0. */
export function stencilRow(out: usize, row: usize, below: usize, above: usize, rx: f64, ry: f64): void {
  const a = pinned(rx), b = pinned(ry), c = pinned(1.0 - 2.0 * (rx + ry));
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

@inline function updated(left: v128, here: v128, right: v128, below: v128, above: v128, own: v128, a: v128, b: v128): v128 {
  return f64x2.add(f64x2.mul(own, here), spread(a, left, right, b, below, above));
}

/**
 * The same in place: `keep` gets the row as it was, and may be `below` or `above`. The pair to the
 * left of a pair has been overwritten: it is carried along.
 */
function updateRow(row: usize, below: usize, above: usize, keep: usize, rx: f64, ry: f64): void {
  const own = pinned(1.0 - 2.0 * (rx + ry)), a = pinned(rx), b = pinned(ry);
  const end = row + pairBytes(nx);
  let here = v128.load(row), left = between(v128.load(row - 16), here);
  for (; row < end; row += 16, below += 16, above += 16, keep += 16) {
    const next = v128.load(row, 16), right = between(here, next);
    const changed = updated(left, here, right, v128.load(below), v128.load(above), own, a, b);
    v128.store(keep, here);
    v128.store(row, changed);
    here = next; left = right;
  }
}

/** A pair of each of two rows: the first behind the pointers, or the second (v128), by an offset that the instruction holds. */
@inline function updatePairs<Pair>(
  low: usize, high: usize, below: usize, above: usize, keep: usize,
  lowLeft: v128, p: v128, lowRight: v128, highLeft: v128, q: v128, highRight: v128, own: v128, a: v128, b: v128,
): void {
  const changed = updated(lowLeft, p, lowRight, v128.load(below, isVector<Pair>() ? 16 : 0), q, own, a, b);
  v128.store(keep, q, isVector<Pair>() ? 16 : 0);
  v128.store(low, changed, isVector<Pair>() ? 16 : 0);
  v128.store(high, updated(highLeft, q, highRight, p, v128.load(above, isVector<Pair>() ? 16 : 0), own, a, b), isVector<Pair>() ? 16 : 0);
}

/** Two rows in place, one above the other: `keep` gets the upper one as it was, and may be `below`. */
function updateTwoRows(low: usize, high: usize, below: usize, above: usize, keep: usize, rx: f64, ry: f64): void {
  const own = pinned(1.0 - 2.0 * (rx + ry)), a = pinned(rx), b = pinned(ry);
  const bytes = pairBytes(nx), end = low + bytes - 64;
  let p = v128.load(low), q = v128.load(high), lowLeft = between(v128.load(low - 16), p), highLeft = between(v128.load(high - 16), q);
  low -= 32; high -= 32; below -= 32; above -= 32; keep -= 32;
  while (low <= end) {
    low += 32; high += 32; below += 32; above += 32; keep += 32;
    const p1 = v128.load(low, 16), q1 = v128.load(high, 16), lowRight = between(p, p1), highRight = between(q, q1);
    updatePairs<f64>(low, high, below, above, keep, lowLeft, p, lowRight, highLeft, q, highRight, own, a, b);
    p = v128.load(low, 32); q = v128.load(high, 32);
    lowLeft = between(p1, p); highLeft = between(q1, q);
    updatePairs<v128>(low, high, below, above, keep, lowRight, p1, lowLeft, highRight, q1, highLeft, own, a, b);
  }
  if ((bytes & 16) == 0) return;
  const lowRight = between(p, v128.load(low, 48)), highRight = between(q, v128.load(high, 48));
  updatePairs<f64>(low + 32, high + 32, below + 32, above + 32, keep + 32, lowLeft, p, lowRight, highLeft, q, highRight, own, a, b);
}

/** What flowed in through the ends of row j, per second, in units of inflowUnit; its ghosts are filled. */
@inline function openRow(row: usize, j: i32): f64 {
  fillGhosts(row, x);
  return isPeriodic(x) ? 0.0 : (j == 0 || j == ny ? shareOf(y, j) : 1.0) * inflowOfRow(row);
}

/** `scratch`: room for two padded rows. Gives what flowed in through left and right, per second. */
export function explicitStep(field: usize, scratch: usize, dt: f64, number: f64, array: usize): f64 {
  const rx = alpha * dt / (widthOf(x) * widthOf(x)), ry = ny > 0 ? alpha * dt / (widthOf(y) * widthOf(y)) : 0.0;
  const first = firstFree(y), last = lastFree(y), old = scratch + 16, ends = old + rowBytes(nx), far = <usize>nx << 3;
  let flow = 0.0;
  for (let j = first; j <= last; j++) {
    const row = rowAt(field, nx, j), below = ny > 0 ? rowBelow(field, nx, y, j, old, first) : row;
    flow += openRow(row, j);
    if (j > 0 && j < last && j + 1 < ny) {
      const upper = rowAt(field, nx, j + 1);
      flow += openRow(upper, j + 1);
      store<f64>(ends, load<f64>(row));
      store<f64>(ends + far, load<f64>(row + far));
      updateTwoRows(row, upper, below, rowAt(field, nx, j + 2), old, rx, ry);
      closeRow(row, ends, j++, rx, ry, dt, number, array);
      closeRow(upper, old, j, rx, ry, dt, number, array);
    } else {
      updateRow(row, below, ny > 0 ? rowAbove(field, nx, y, j, old) : row, old, rx, ry);
      closeRow(row, old, j, rx, ry, dt, number, array);
    }
  }
  if (isPeriodic(y) && ny > 0) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
  return flow * inflowUnit();
}

/** What ends and source bring to row j; of `old` the ends will do, but on the sides of y. */
@inline function closeRow(row: usize, old: usize, j: i32, rx: f64, ry: f64, dt: f64, number: f64, array: usize): void {
  addEndsX(row, old, rx);
  if (j == 0 || j == ny) addEndsY(row, old, j, ry);
  if (array != 0 || number != 0.0) addSource(row, j, dt, number, array);
  keepEndsX(row, old);
}
