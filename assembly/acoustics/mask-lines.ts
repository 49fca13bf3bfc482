// Lines between the elements of a cavity of cells along an axis, in edges of a cell. Those of the coarsest mesh are given; they
// stand closer towards corners. A finer mesh parts what is between two of them evenly, so that all nodes of a mesh are nodes of the
// finer ones, and what three meshes leave is of the orders of even ones.

@inline function at(lines: usize, i: i32): f64 { return load<f64>(lines + (<usize>i << 3)); }

/** Of element e of so many, `parts`, between two lines. */
export function widthAlong(lines: usize, parts: i32, e: i32): f64 {
  const piece = e / parts;
  return (at(lines, piece + 1) - at(lines, piece)) / <f64>parts;
}

/** Where node i stands: two an element. */
export function nodeAlong(lines: usize, parts: i32, i: i32): f64 {
  const all = 2 * parts, piece = i / all, from = at(lines, piece), within = i - piece * all;
  return within == 0 ? from : from + (at(lines, piece + 1) - from) * (<f64>within / <f64>all);
}

/** The element that holds x, of `count`. */
export function elementAlong(lines: usize, parts: i32, count: i32, x: f64): i32 {
  let piece = 0;
  while (piece < count / parts - 1 && x >= at(lines, piece + 1)) piece++;
  const within = <i32>Math.floor((x - at(lines, piece)) / (at(lines, piece + 1) - at(lines, piece)) * <f64>parts);
  return piece * parts + min(max(within, 0), parts - 1);
}

/** Where x stands in that element, from 0 to 1; on a node where nothing but rounding parts it from one. */
export function placeWithin(lines: usize, parts: i32, e: i32, x: f64): f64 {
  const t = (x - nodeAlong(lines, parts, 2 * e)) / widthAlong(lines, parts, e), node = 0.5 * Math.round(2.0 * t);
  return abs(t - node) < 1e-12 ? node : t;
}

/** Weight a of what a quadratic takes from its values at 0, ½ and 1. */
@inline export function quadratic(a: i32, t: f64): f64 {
  return a == 0 ? (1.0 - t) * (1.0 - 2.0 * t) : a == 1 ? 4.0 * t * (1.0 - t) : t * (2.0 * t - 1.0);
}

/** Values at as many places that are even, of those at the nodes. */
export function evenly(to: usize, values: usize, lines: usize, parts: i32, columns: i32): void {
  const elements = columns - 1 >> 1, whole = nodeAlong(lines, parts, columns - 1);
  for (let i = 0; i < columns; i++) {
    const x = whole * (<f64>i / <f64>(columns - 1)), e = elementAlong(lines, parts, elements, x), t = placeWithin(lines, parts, e, x);
    let sum = 0.0;
    for (let a = 0; a < 3; a++) sum += quadratic(a, t) * at(values, 2 * e + a);
    store<f64>(to + (<usize>i << 3), sum);
  }
}
