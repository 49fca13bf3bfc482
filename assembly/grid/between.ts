// Whether a grid sees all of its formulas: what one may hold between the nodes, and between the steps where the time
// stands in it, by assembly/expression/resolved.ts.

import { startOf } from "./formula";
import { addAxis, clearAxes, hiddenShare } from "../expression/resolved";

/** Values of the block: x, y, t. */
const X: i32 = 0, Y: i32 = 1, T: i32 = 2;

/** Axes of a formula: those of the box, and the time. */
@inline export function axesOf(ny: i32, moves: bool): i32 { return (ny > 0 ? 2 : 1) + <i32>moves; }

/** Nodes along x and, where there is one, y; the equation takes means over so many cells. */
export function alongBox(nx: i32, ny: i32, dx: f64, dy: f64, meanX: f64, meanY: f64): void {
  clearAxes();
  addAxis(X, 0.0, dx, nx, meanX);
  if (ny > 0) addAxis(Y, 0.0, dy, ny, meanY);
}

/** `count` steps from `first` on. */
export function alongTime(first: i64, count: i64, dt: f64, mean: f64): void {
  addAxis(T, startOf() + <f64>first * dt, dt, <i32>count, mean);
}

/** What formula j may hold between the points of these axes, over `scale`. */
export function betweenNodes(j: i32, scale: f64): f64 { return hiddenShare(j, scale); }
