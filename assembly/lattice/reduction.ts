// One value of all points of a lattice, and the gate of that: of the error p|f| of each point the error of the reduction
// follows as a bracket (assembly/verdicts/lattice.ts).

import { parameterF64 } from "../kernel/frame";
import { Kind, gate, relativeError } from "../kernel/verdict";
import { ddAdd, low } from "../math/dd";
import { HALF_ULP, errorOf, points, valueOf } from "./points";

const REDUCTION: i32 = 11;
/** What one addition of double-doubles loses, relative (Hida, Li and Bailey). */
const ADDITION: f64 = 1.9721522630525295e-31;

/** The point that the value is that of; −1: of none. */
export let chosen: i32 = -1;

/** The value, and its gate. Sums are double-doubles: 1e16 + 1 − 1e16 is 1. */
export function reduce(): f64 {
  const how = <i32>parameterF64(24);
  if (how >= 2 && how != 4) return reduceSum(how == 2);
  if (how == 4) { chosen = <i32>parameterF64(32); return bracket(valueOf(chosen), errorOf(chosen), errorOf(chosen), abs(valueOf(chosen))); }
  return reduceExtreme(how == 0 ? 1 : -1);
}

/** The largest of sign·f; the smallest for −1. */
function reduceExtreme(sign: f64): f64 {
  chosen = 0;
  let scale: f64 = 0, upper = -Infinity, lower = -Infinity;
  for (let i = 0; i < points; i++) {
    const f = sign * valueOf(i), u = errorOf(i);
    if (f > sign * valueOf(chosen)) chosen = i;
    upper = max(upper, f + u);
    lower = max(lower, f - u);
    scale = max(scale, abs(f));
  }
  const best = sign * valueOf(chosen), up = upper - best, down = best - lower;
  return sign > 0 ? bracket(best, up, down, scale) : bracket(-best, down, up, scale);
}

function reduceSum(isMean: bool): f64 {
  chosen = -1;
  let size: f64 = 0, error: f64 = 0, total: f64 = 0, rest: f64 = 0;
  for (let i = 0; i < points; i++) {
    size += abs(valueOf(i));
    error += errorOf(i);
    total = ddAdd(total, rest, valueOf(i), 0);
    rest = low;
  }
  const n = isMean ? <f64>points : 1;
  const u = (error + <f64>points * ADDITION * size + HALF_ULP * abs(total)) / n;
  // No scale: a sum that cancels too well is known to nothing.
  return bracket(total / n, points == 1 ? error : u, points == 1 ? error : u, 0);
}

/** The true value lies at most `up` above and `down` below `value`. */
function bracket(value: f64, up: f64, down: f64, scale: f64): f64 {
  const far = up > down ? value + up : value - down;
  gate(REDUCTION, Kind.CERTIFICATE, value, far, relativeError(value, far, scale));
  return value;
}
