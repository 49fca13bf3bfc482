// The first stretch of a motion whose rate has no useful bound at the start, such as 1/t of something that is 0 at 0: a
// tube that no solution leaves, in pieces that grow with the distance from the start. A solution that begins between
// l and u stays there while, for every component i and all others between their bounds,
//
//   u_i′ ≥ f_i(t, y) where y_i = u_i,      l_i′ ≤ f_i(t, y) where y_i = l_i
//
// (M. Müller, Über das Fundamentaltheorem in der Theorie der gewöhnlichen Differentialgleichungen, Math. Z. 26 (1927);
// W. Walter, Ordinary Differential Equations, 1998, §10), which sees that a strong pull back is no danger. Bounds are
// straight in each piece. Whatever a rate holds, however narrow, is in the tube.

import { allocate } from "../kernel/frame";
import { lower, upper } from "../expression/interval";
import { seriesOf, seriesWork, setBetween, standApart } from "../expression/taylor";
import { components, knotAt, timeOfKnot } from "./track";

/** The first piece is this part of a step, none is above LONGEST; each begins so many of its lengths behind the start. */
const FIRST: f64 = 1e-12;
const RATIO: f64 = 4.0;
const LONGEST: f64 = 0.25;
const PIECES: i32 = 260;
const TRIALS: i32 = 8;
/** A slope that is not enough grows by this part of what the last trial found. */
const WIDER: f64 = 0.1;
const ROUNDING: f64 = 1e-14;

let low: usize = 0, high: usize = 0, falling: usize = 0, rising: usize = 0;

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, x: f64): void { store<f64>(base + (<usize>i << 3), x); }

export function openTube(): void {
  const bytes = <usize>components << 3;
  low = allocate(bytes); high = allocate(bytes); falling = allocate(bytes); rising = allocate(bytes);
}

/** Work units of the tube: without coefficients in the time a series costs a fifth. */
export function tubeWork(): u64 {
  let units: u64 = 0;
  for (let i = 0; i < components; i++) units += seriesWork(i);
  return 640 * units;
}

/** The tube over the first `steps` steps of length h; false where none is found. */
export function layTube(h: f64, steps: f64): bool {
  const start = timeOfKnot(0), end = steps * h;
  standApart();
  for (let i = 0; i < components; i++) { put(low, i, at(knotAt(0), i)); put(high, i, at(knotAt(0), i)); }
  let passed = 0.0;
  for (let piece = 0; piece < PIECES; piece++) {
    const length = min(min(end - passed, LONGEST * h), max(FIRST * h, passed / RATIO));
    if (!goOn(start + passed, length)) return false;
    passed = end - passed - length <= 1e-9 * h ? end : passed + length;
    if (passed == end) return true;
  }
  return false;
}

/** How far component i of the tube's end may lie from x. */
export function awayInTube(i: i32, x: f64): f64 { return max(abs(at(high, i) - x), abs(x - at(low, i))); }

/** Over one piece: slopes are tried until they hold. */
function goOn(t: f64, length: f64): bool {
  for (let i = 0; i < components; i++) {
    put(rising, i, edge(i, t, length, true, false));
    put(falling, i, edge(i, t, length, false, false));
  }
  for (let trial = 0; trial < TRIALS - 1; trial++) if (holds(t, length)) { advanceBy(length); return true; }
  return false;
}

/** Whether all slopes are steep enough; those that are not become steeper. */
function holds(t: f64, length: f64): bool {
  let enough = true;
  for (let i = 0; i < components; i++) {
    const up = edge(i, t, length, true, true), down = edge(i, t, length, false, true);
    if (!(abs(up) + abs(down) < 1e300)) return false;
    const more = WIDER * abs(up - down) + ROUNDING * (abs(up) + abs(down));
    if (!(up <= at(rising, i))) { put(rising, i, up + more); enough = false; }
    if (!(down >= at(falling, i))) { put(falling, i, down - more); enough = false; }
  }
  return enough;
}

/** The most that rate i is where its component is the upper bound of the tube, or the least where it is the lower. */
function edge(i: i32, t: f64, length: f64, isUpper: bool, isMoving: bool): f64 {
  setBetween(components, t, t + length);
  for (let j = 0; j < components; j++) {
    const up = isMoving ? at(rising, j) * length : 0.0, down = isMoving ? at(falling, j) * length : 0.0;
    if (j != i) setBetween(j, min(at(low, j), at(low, j) + down), max(at(high, j), at(high, j) + up));
    else if (isUpper) setBetween(j, min(at(high, j), at(high, j) + up), max(at(high, j), at(high, j) + up));
    else setBetween(j, min(at(low, j), at(low, j) + down), max(at(low, j), at(low, j) + down));
  }
  const f = seriesOf(i, 2);
  return isUpper ? upper(f) : lower(f);
}

function advanceBy(length: f64): void {
  for (let i = 0; i < components; i++) {
    put(high, i, outward(at(high, i) + length * at(rising, i), 1.0));
    put(low, i, outward(at(low, i) + length * at(falling, i), -1.0));
  }
}

@inline function outward(x: f64, way: f64): f64 { return x + way * 4e-16 * abs(x); }
