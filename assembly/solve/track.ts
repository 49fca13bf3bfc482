// The motion between the samples of `solve`: from each sample to the next by RK4 on the coarsest level's steps, with f
// from the pass that derivatives come from. It says where the components are for the enclosures of ./between and the
// Jacobians of ./sensitivity; no value is made from it.
//
// Knots are the samples and, where they end before it, the end of the run.

import { allocate } from "../kernel/frame";
import { plainValue, setValue } from "../expression/program";
import { setBetween } from "../expression/taylor";

/** Steps from one knot to the next: four of the finest level each, within these. */
const MOST_PARTS: i32 = 64;
export const KNOTS: i32 = 258;
/** Of its range, what a component of the track may miss the next knot by; else it is the straight line. */
const MISSED: f64 = 0.05;
/** Of what points span, and of the length of chords times the change of slope, what is added on either side. */
const MARGIN: f64 = 0.1;
const CURVED: f64 = 0.15;

export let components: i32 = 0, knots: i32 = 0, parts: i32 = 1;
let timesAt: usize = 0, knotsAt: usize = 0, trackAt: usize = 0, slopesAt: usize = 0, knownAt: usize = 0, rangesAt: usize = 0, scratch: usize = 0;
let pace: f64 = 0;

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, x: f64): void { store<f64>(base + (<usize>i << 3), x); }
@inline function pointAt(p: i32): usize { return trackAt + (<usize>(p * components) << 3); }
@inline function slopeAt(p: i32): usize { return slopesAt + (<usize>(p * components) << 3); }
/** The track leads from its knot to the next. */
@inline function isKnown(p: i32): bool { return load<u8>(knownAt + <usize>min(p / parts, knots - 2)) == 1; }
function timeOfPoint(p: i32): f64 {
  const j = min(p / parts, knots - 2), t = timeOfKnot(j);
  return t + <f64>(p - j * parts) / <f64>parts * (timeOfKnot(j + 1) - t);
}
@inline export function timeOfKnot(j: i32): f64 { return at(timesAt, j); }
@inline export function knotAt(j: i32): usize { return knotsAt + (<usize>(j * components) << 3); }
/** Component i at point k behind knot j. */
@inline export function trackValue(j: i32, k: i32, i: i32): f64 { return at(pointAt(j * parts + k), i); }

/** Steps between two knots that are `steps` of the finest level apart. */
export function partsOf(steps: f64): i32 { return <i32>max(1.0, min(<f64>MOST_PARTS, floor(0.25 * steps))); }

export function openTrack(n: i32, partsBetween: i32): void {
  components = n;
  parts = partsBetween;
  timesAt = allocate(<usize>KNOTS << 3);
  knotsAt = allocate(<usize>(KNOTS * n) << 3);
  trackAt = allocate(<usize>((KNOTS * parts + 1) * n) << 3);
  slopesAt = allocate(<usize>((KNOTS * parts + 1) * n) << 3);
  knownAt = allocate(<usize>KNOTS);
  rangesAt = allocate(<usize>n << 3);
  scratch = allocate(<usize>(3 * n) << 3);
  knots = 0;
}

/** Room for component values of the next knot. */
export function addKnot(t: f64): usize {
  put(timesAt, knots, t);
  return knotAt(knots++);
}

/** The track through the knots. */
export function layTrack(): void {
  const last = knots - 1;
  pace = last > 0 ? timeOfKnot(1) - timeOfKnot(0) : 0.0;
  for (let i = 0; i < components; i++) {
    let least = Infinity, most = -Infinity;
    for (let j = 0; j <= last; j++) { least = min(least, at(knotAt(j), i)); most = max(most, at(knotAt(j), i)); }
    put(rangesAt, i, most - least);
  }
  for (let j = 0; j < last; j++) follow(j);
  memory.copy(pointAt(last * parts), knotAt(last), <usize>components << 3);
  rungeKutta(timeOfKnot(last), 0.0, pointAt(last * parts), scratch, slopeAt(last * parts));
}

/** From knot j on. */
function follow(j: i32): void {
  const t = timeOfKnot(j), step = (timeOfKnot(j + 1) - t) / <f64>parts, row = <usize>components << 3;
  memory.copy(pointAt(j * parts), knotAt(j), row);
  for (let k = 0; k < parts; k++) rungeKutta(t + <f64>k * step, step, pointAt(j * parts + k), k + 1 < parts ? pointAt(j * parts + k + 1) : scratch, slopeAt(j * parts + k));
  let arrives = true;
  for (let i = 0; i < components; i++) arrives = arrives && abs(at(scratch, i) - at(knotAt(j + 1), i)) <= MISSED * at(rangesAt, i);
  store<u8>(knownAt + <usize>j, arrives ? 1 : 0);
  if (arrives) return;
  for (let k = 0; k < parts; k++) {
    const share = <f64>k / <f64>parts;
    for (let i = 0; i < components; i++) {
      const change = at(knotAt(j + 1), i) - at(knotAt(j), i);
      put(pointAt(j * parts + k), i, at(knotAt(j), i) + share * change);
      put(slopeAt(j * parts + k), i, change / (timeOfKnot(j + 1) - t));
    }
  }
}

function rungeKutta(t: f64, h: f64, from: usize, to: usize, slopes: usize): void {
  const slope = scratch + (<usize>components << 3), sum = slope + (<usize>components << 3);
  memory.fill(sum, 0, <usize>components << 3);
  for (let s = 0; s < 4; s++) {
    const reach = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h, weight = s == 0 || s == 3 ? 1.0 : 2.0;
    for (let i = 0; i < components; i++) setValue(i, at(from, i) + (s == 0 ? 0.0 : reach * at(slope, i)));
    setValue(components, t + reach);
    for (let i = 0; i < components; i++) {
      put(slope, i, plainValue(i));
      put(sum, i, at(sum, i) + weight * at(slope, i));
      if (s == 0) put(slopes, i, at(slope, i));
    }
  }
  for (let i = 0; i < components; i++) put(to, i, at(from, i) + h / 6.0 * at(sum, i));
}

/** Point of the track before the time t. */
function pointBefore(t: f64): i32 {
  if (!(pace > 0.0)) return 0;
  const j = min(knots - 2, max(0, <i32>floor((t - timeOfKnot(0)) / pace)));
  const k = floor((t - timeOfKnot(j)) / (timeOfKnot(j + 1) - timeOfKnot(j)) * <f64>parts);
  return j * parts + <i32>max(0.0, min(k, <f64>parts));
}

/** Component i at the time t, behind point p: the cubic of values and slopes at both ends (Hermite). */
function between(p: i32, t: f64, i: i32): f64 {
  const from = timeOfPoint(p), h = timeOfPoint(p + 1) - from, s = (t - from) / h, r = 1.0 - s;
  const a = at(pointAt(p), i), b = at(pointAt(p + 1), i);
  return r * r * (1.0 + 2.0 * s) * a + s * s * (1.0 + 2.0 * r) * b + h * s * r * (r * at(slopeAt(p), i) - s * at(slopeAt(p + 1), i));
}

/**
 * Components lie where the track has them between these times, and beyond by what a curve may be beyond its chords, an
 * eighth of their length times what its slope changes by, of one sign half of the value at least; and by `further` (n).
 */
export function setSpans(from: f64, to: f64, further: usize): void {
  const last = (knots - 1) * parts - 1, p = min(last, pointBefore(from)), q = min(last, pointBefore(to));
  const chord = min(to - from, pace / <f64>parts);
  for (let i = 0; i < components; i++) {
    const a = between(p, from, i), b = between(q, to, i);
    let lo = min(a, b), hi = max(a, b), slow = Infinity, fast = -Infinity;
    for (let k = p; k <= q + 1; k++) {
      slow = min(slow, at(slopeAt(k), i)); fast = max(fast, at(slopeAt(k), i));
      if (k > p && k <= q || !isKnown(k)) { lo = min(lo, at(pointAt(k), i)); hi = max(hi, at(pointAt(k), i)); }
    }
    const more = MARGIN * (hi - lo) + CURVED * chord * (fast - slow), reach = at(further, i);
    setBetween(i, (lo > 0.0 ? max(0.5 * lo, lo - more) : lo - more) - reach, (hi < 0.0 ? min(0.5 * hi, hi + more) : hi + more) + reach);
  }
}
