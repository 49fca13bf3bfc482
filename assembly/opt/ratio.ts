// Which column enters the basis (assembly/kernels/opt-lp.ts), and which go over to their other bound before it.

import { spend } from "../kernel/frame";
import { basicAt, inverseTimes } from "./basis";
import { addBreakpoint, breakpointsLeft, clearBreakpoints, nextRatio, openBreakpoints, orderBreakpoints, takeBreakpoint } from "./breakpoints";
import { movedAt, movedBy } from "./factors";
import { intAt, ints, putInt } from "./places";
import { alphas, priceRow, reachedAt, reachedBy } from "./pricing";
import { at, m, put } from "./program";
import {
  all, AT_LOWER, AT_UPPER, BASIC, entering, isStalled, lower, nearly, outside, place, reduced, ROUNDING, takeOff, TIE, upper, value, values, x,
  y,
} from "./simplex";

export const PIVOT: f64 = 1e-9;

/** Variables that a dual step passes. */
let passed: usize = 0, passedCount: i32 = 0;

export function openRatios(): void {
  passed = ints(all);
  openBreakpoints(all);
}

/**
 * The column that enters for row r, and those that go over to their other bound before it: past the ratio |d/α| of a column
 * with two bounds a step still gains, while x_r stays outside of its bounds with that column at the other one (Maros,
 * Computational Techniques of the Simplex Method, 2003, 10.4). Of equal ratios the largest |α|. −1: x_r stays outside whatever
 * moves. Bland: the first, of equal ones the smallest index.
 */
export function enteringVariable(r: i32, sigma: f64): i32 {
  const bland = isStalled();
  priceRow(place, BASIC);
  clearBreakpoints();
  for (let k = 0; k < reachedBy(); k++) {
    const j = reachedAt(k), alpha = at(alphas, j);
    if (canEnter(j, sigma * alpha)) addBreakpoint(abs(at(reduced, j) / alpha), j);
  }
  orderBreakpoints();
  const leaves = basicAt(r), way = abs(outside(leaves));
  let gone = 0.0, last = 0.0, count = 0;
  while (breakpointsLeft() > 0 && gone <= way) {
    last = nextRatio();
    const j = takeBreakpoint();
    putInt(passed, count++, j);
    gone += bland ? Infinity : abs(at(alphas, j)) * (upper(j) - lower(j));
  }
  while (breakpointsLeft() > 0 && nextRatio() <= last + TIE) putInt(passed, count++, takeBreakpoint());
  passedCount = 0;
  if (way - gone > nearly(leaves) + ROUNDING * gone) return -1;
  let best = -1, most = 0.0;
  for (let k = 0; k < count; k++) {
    const j = intAt(passed, k), alpha = at(alphas, j);
    if (abs(at(reduced, j) / alpha) < last - TIE) { putInt(passed, passedCount++, j); continue; }
    const isBetter = bland ? best < 0 || j < best : abs(alpha) > most || (abs(alpha) == most && j < best);
    if (isBetter) { most = abs(alpha); best = j; }
  }
  return best;
}

/** Columns that were passed go over to their other bound, and x in the basis with them. */
export function flip(): void {
  if (passedCount == 0) return;
  memory.fill(y, 0, <usize>m << 3);
  for (let k = 0; k < passedCount; k++) {
    const j = intAt(passed, k), rises = at(place, j) == AT_LOWER;
    const to = rises ? upper(j) : lower(j), change = to - at(x, j);
    put(place, j, rises ? AT_UPPER : AT_LOWER);
    put(x, j, to);
    takeOff(y, j, change);
  }
  spend(<u64>passedCount);
  inverseTimes(y, entering);
  for (let k = 0; k < movedBy(); k++) {
    const i = movedAt(k);
    value(i, at(values, i) + at(entering, i));
  }
}

@inline function canEnter(j: i32, turned: f64): bool {
  const where = at(place, j);
  if (where == BASIC || lower(j) == upper(j)) return false;
  if (where == AT_LOWER) return turned < -PIVOT;
  if (where == AT_UPPER) return turned > PIVOT;
  return abs(turned) > PIVOT;
}
