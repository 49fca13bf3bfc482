// A field between its nodes, for the verdicts: polynomials of degree 5 through six nodes of each axis, an error of
// O(h⁶) beside the O(h²) of the fluxes, so that grids h, 2h, 4h still differ as their order says. A sheet is a table of
// values with the coordinates of its columns and rows, which may be unevenly far apart: at a wall the wall's value is
// a node, half a cell from the next.

import { allocate } from "../kernel/frame";

const NODES: i32 = 6;

export let columns: i32 = 0, rows: i32 = 0;
let xs: usize = 0, ys: usize = 0, values: usize = 0;
let weightsX: usize = 0, weightsY: usize = 0;

/** Bytes for up to n × m values. */
export function sheetBytes(n: i32, m: i32): usize { return (<usize>(n * m + n + m) + 4 * NODES + 8) << 3; }

/** Room for the largest sheet: once. */
export function laySheet(n: i32, m: i32): void {
  weightsX = allocate(sheetBytes(n, m));
  weightsY = weightsX + (NODES << 3);
  xs = weightsY + (NODES << 3);
  ys = xs + (<usize>n << 3);
  values = ys + (<usize>m << 3);
}
export function openSheet(n: i32, m: i32): void { columns = n; rows = m; }

@inline export function setX(i: i32, x: f64): void { store<f64>(xs + (<usize>i << 3), x); }
@inline export function setY(j: i32, y: f64): void { store<f64>(ys + (<usize>j << 3), y); }
@inline export function setValue(i: i32, j: i32, value: f64): void { store<f64>(values + (<usize>(j * columns + i) << 3), value); }
@inline export function valueOf(i: i32, j: i32): f64 { return load<f64>(values + (<usize>(j * columns + i) << 3)); }
@inline export function xOf(i: i32): f64 { return load<f64>(xs + (<usize>i << 3)); }
@inline export function yOf(j: i32): f64 { return load<f64>(ys + (<usize>j << 3)); }

/** First of the six nodes around x; their Lagrange weights go to `weights`. */
function weigh(nodes: usize, count: i32, x: f64, weights: usize): i32 {
  let first = 0;
  while (first + NODES < count && load<f64>(nodes + (<usize>(first + NODES / 2) << 3)) <= x) first++;
  for (let k = 0; k < NODES; k++) {
    let weight = 1.0;
    const here = load<f64>(nodes + (<usize>(first + k) << 3));
    for (let m = 0; m < NODES; m++) {
      const other = load<f64>(nodes + (<usize>(first + m) << 3));
      if (m != k) weight *= (x - other) / (here - other);
    }
    store<f64>(weights + (<usize>k << 3), weight);
  }
  return first;
}

@inline function alongRow(i: i32, j: i32): f64 {
  let sum = 0.0;
  for (let k = 0; k < NODES; k++) sum += load<f64>(weightsX + (<usize>k << 3)) * valueOf(i + k, j);
  return sum;
}

export function sampled(x: f64, y: f64): f64 {
  const i = weigh(xs, columns, x, weightsX), j = weigh(ys, rows, y, weightsY);
  let sum = 0.0;
  for (let k = 0; k < NODES; k++) sum += load<f64>(weightsY + (<usize>k << 3)) * alongRow(i, j + k);
  return sum;
}

// ---- extremes --------------------------------------------------------------------------------------------------

const GOLDEN: f64 = 0.6180339887498949;

/** Least of sign · value on a piece of a line; where it is goes to `found`. */
export let found: f64 = 0;
function leastOnPiece(alongX: bool, fixed: f64, low: f64, high: f64, sign: f64): f64 {
  let a = low, b = high;
  for (let turn = 0; turn < 60; turn++) {
    const p = b - GOLDEN * (b - a), q = a + GOLDEN * (b - a);
    const atP = alongX ? sampled(p, fixed) : sampled(fixed, p), atQ = alongX ? sampled(q, fixed) : sampled(fixed, q);
    if (sign * atP < sign * atQ) b = q; else a = p;
  }
  found = 0.5 * (a + b);
  const inside = sign * (alongX ? sampled(found, fixed) : sampled(fixed, found));
  const atLow = sign * (alongX ? sampled(low, fixed) : sampled(fixed, low)), atHigh = sign * (alongX ? sampled(high, fixed) : sampled(fixed, high));
  if (atLow <= inside && atLow <= atHigh) { found = low; return atLow; }
  if (atHigh <= inside) { found = high; return atHigh; }
  return inside;
}

/** Least (sign 1) or largest (−1) value on the line through x, or y, = `fixed`, from 0 to `length`. */
export function extreme(alongX: bool, fixed: f64, length: f64, sign: f64): f64 {
  const count = alongX ? columns : rows;
  let best = -1, least = Infinity;
  for (let k = 0; k < count; k++) {
    const place = alongX ? xOf(k) : yOf(k);
    if (place < 0.0 || place > length) continue;
    const value = sign * (alongX ? sampled(place, fixed) : sampled(fixed, place));
    if (value < least) { least = value; best = k; }
  }
  if (best < 0) return NaN;
  const low = max(best - 1, 0), high = min(best + 1, count - 1);
  const from = max(0.0, alongX ? xOf(low) : yOf(low)), to = min(length, alongX ? xOf(high) : yOf(high));
  return sign * leastOnPiece(alongX, fixed, from, to, sign);
}

/** The least value of the whole sheet, along x and y in turn from the least node. */
export function leastOfSheet(): f64 {
  let p = 0, q = 0;
  for (let j = 0; j < rows; j++) for (let i = 0; i < columns; i++) if (valueOf(i, j) < valueOf(p, q)) { p = i; q = j; }
  const left = xOf(max(p - 1, 0)), right = xOf(min(p + 1, columns - 1)), low = yOf(max(q - 1, 0)), high = yOf(min(q + 1, rows - 1));
  let x = xOf(p), y = yOf(q), least = valueOf(p, q);
  for (let turn = 0; turn < 8; turn++) {
    least = leastOnPiece(true, y, left, right, 1.0);
    x = found;
    least = min(least, leastOnPiece(false, x, low, high, 1.0));
    y = found;
  }
  return least;
}
