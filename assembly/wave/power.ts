// Power through the edges of a box at one frequency, of what passes and of what comes back, over what would pass without
// the obstacle. On a line the field at the end says it; in a plane the power Im(û* ∂û/∂x) through the edge.

import { densityAt, empty, emptyCoarse, emptyMiddle, emptyThick, fine, hasLines, linesOf, nx, ny, share } from "./judged";

/** Of the finest run. */
export let passed: f64 = 0, returned: f64 = 0;

export function readPower(): void {
  passed = hasLines() ? passedOf(fine, 1, 1.0) : ratioAt(64, false) * sqrt(densityAt(nx, 0) / densityAt(0, 0));
  returned = hasLines() ? returnedOf(fine, 1, 1.0) : ratioAt(48, true);
}

// ---- a line --------------------------------------------------------------------------------------------

/** |a|²/|b|² of the transforms at `at` of two results; `less`: of a − b. */
function ratioAt(at: usize, less: bool): f64 {
  const re = load<f64>(fine + at) - (less ? load<f64>(empty + at) : 0.0), im = load<f64>(fine + at + 8) - (less ? load<f64>(empty + at + 8) : 0.0);
  const c = load<f64>(empty + at), s = load<f64>(empty + at + 8);
  return (re * re + im * im) / (c * c + s * s);
}

// ---- a plane -------------------------------------------------------------------------------------------

/** The run without the obstacle that goes with a run. */
function emptyOf(level: i32, times: f64): usize {
  return times > 1.0 ? emptyThick : level == 1 ? empty : level == 2 ? emptyMiddle : emptyCoarse;
}

/** Power to the right, in units of ½K dy/ωdx, between the two columns at `edge`: of û, or of û less `other`. */
function powerAt(lines: usize, other: usize, edge: usize, level: i32): f64 {
  const n = ny / level;
  let sum = 0.0;
  for (let j = 0; j <= n; j++) {
    const at = lines + (<usize>j << 6) + edge, less = other + (<usize>j << 6) + edge;
    const a = load<f64>(at) - (other ? load<f64>(less) : 0.0), b = load<f64>(at, 8) - (other ? load<f64>(less, 8) : 0.0);
    const c = load<f64>(at, 16) - (other ? load<f64>(less, 16) : 0.0), d = load<f64>(at, 24) - (other ? load<f64>(less, 24) : 0.0);
    sum += share(2, j, n) * (b * c - a * d);
  }
  return sum;
}

const LEFT: usize = 0, RIGHT: usize = 32;

/** Of a sine in the window `back` from the last. */
export function passedOf(run: usize, level: i32, times: f64, back: usize = 0): f64 {
  const other = linesOf(emptyOf(level, times), level, back);
  return powerAt(linesOf(run, level, back), 0, RIGHT, level) / powerAt(other, 0, RIGHT, level);
}
export function returnedOf(run: usize, level: i32, times: f64, back: usize = 0): f64 {
  const other = linesOf(emptyOf(level, times), level, back);
  return -powerAt(linesOf(run, level, back), other, LEFT, level) / powerAt(other, 0, RIGHT, level);
}

/** What the windows still move: the last difference summed on as a geometric series, at most ten of it. */
export function unsettled(ofPassed: bool): f64 {
  const a = ofPassed ? passedOf(fine, 1, 1.0, 2) : returnedOf(fine, 1, 1.0, 2);
  const b = ofPassed ? passedOf(fine, 1, 1.0, 1) : returnedOf(fine, 1, 1.0, 1);
  const c = ofPassed ? passed : returned, earlier = abs(b - a), later = abs(c - b);
  return later * (later < 0.9 * earlier ? earlier / (earlier - later) : 10.0);
}
