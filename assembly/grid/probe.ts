// The value of a field between its nodes: cubic through four nodes of each axis, an error of O(h⁴) beside the O(h²)
// of the stencils, so that grids h, 2h, 4h still differ as their order says. At a node it is the node's value.

import { nodeAt } from "./field";

/** First of the four nodes around x = s·h, n cells. */
@inline export function stencilFrom(s: f64, n: i32): i32 {
  return max(0, min(<i32>floor(s) - 1, n - 3));
}

/** Weight of node k (0 … 3) at s nodes behind the first. */
export function cubicWeight(s: f64, k: i32): f64 {
  let weight = 1.0;
  for (let m = 0; m < 4; m++) if (m != k) weight *= (s - <f64>m) / <f64>(k - m);
  return weight;
}

/** At (sx, sy) in cells; ny = 0: on the only row. */
export function probeField(field: usize, nx: i32, ny: i32, sx: f64, sy: f64): f64 {
  const i = stencilFrom(sx, nx), j = ny > 0 ? stencilFrom(sy, ny) : 0, rows = ny > 0 ? 4 : 1;
  let sum = 0.0;
  for (let q = 0; q < rows; q++) {
    let line = 0.0;
    for (let k = 0; k < 4; k++) line += cubicWeight(sx - <f64>i, k) * load<f64>(nodeAt(field, nx, i + k, j + q));
    sum += ny > 0 ? cubicWeight(sy - <f64>j, q) * line : line;
  }
  return sum;
}
