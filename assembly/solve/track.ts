// The motion between the samples of `solve`: from each sample to the next by RK4 on the coarsest level's steps, with f
// from the pass that derivatives come from. It says where the components are for the enclosures of ./between and the
// Jacobians of ./sensitivity; no value is made from it.
//
// Knots are the samples and, where they end before it, the end of the run. Of the stretch from each to the next the
// finest level says where the components came, so that samples which fall on one phase of a motion hide nothing: a
// track that does not lead from knot to knot says nothing there, and one that does is widened to all of that.

import { allocate } from "../kernel/frame";
import { plainValue, setValue } from "../expression/program";
import { setBetween } from "../expression/taylor";

/** Steps from one knot to the next: four of the finest level each, within these. */
const MOST_PARTS: i32 = 256;
export const KNOTS: i32 = 258;
/** Of its range, from knot to knot and in all, what a component of the track may miss the next knot by. */
const MISSED: f64 = 0.05;
const MISSED_OF_ALL: f64 = 1e-6;
/** Steps of the finest level in one of the coarsest. */
const SHORTER: i32 = 4;
/** Of what points span, and of the length of chords times the change of slope, what is added on either side. */
const MARGIN: f64 = 0.1;
const CURVED: f64 = 0.15;

export let components: i32 = 0, knots: i32 = 0, parts: i32 = 1;
let timesAt: usize = 0, knotsAt: usize = 0, trackAt: usize = 0, slopesAt: usize = 0, knownAt: usize = 0, rangesAt: usize = 0, allAt: usize = 0, widerAt: usize = 0, scratch: usize = 0;
/** Where the track ends between two knots, and slopes that nobody asks for. */
let ending: usize = 0, passing: usize = 0;
let pace: f64 = 0;
/** Where a component is, and how fast. */
let least: f64 = 0, most: f64 = 0, slow: f64 = 0, fast: f64 = 0;

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, x: f64): void { store<f64>(base + (<usize>i << 3), x); }
@inline function pointAt(p: i32): usize { return trackAt + (<usize>(p * components) << 3); }
@inline function slopeAt(p: i32): usize { return slopesAt + (<usize>(p * components) << 3); }
/** The track leads from knot j to the next. */
@inline export function leads(j: i32): bool { return load<u8>(knownAt + <usize>j) == 1; }
/** Least and largest of component i between knot j and the next, by the finest level. */
@inline export function leastOver(j: i32, i: i32): f64 { return load<f64>(rangesAt + (<usize>(j * components + i) << 4)); }
@inline export function mostOver(j: i32, i: i32): f64 { return load<f64>(rangesAt + (<usize>(j * components + i) << 4), 8); }
/** What the track of component i may be away from the motion there. */
@inline function wider(j: i32, i: i32): usize { return widerAt + (<usize>(j * components + i) << 3); }
function timeOfPoint(p: i32): f64 {
  const j = min(p / parts, knots - 2), t = timeOfKnot(j);
  return t + <f64>(p - j * parts) / <f64>parts * (timeOfKnot(j + 1) - t);
}
@inline export function timeOfKnot(j: i32): f64 { return at(timesAt, j); }
@inline export function knotAt(j: i32): usize { return knotsAt + (<usize>(j * components) << 3); }
/** Component i so many steps, or half a one more, behind knot j; without a track, on the straight line between the knots. */
export function valueBehind(j: i32, along: f64, i: i32): f64 {
  if (!leads(j)) return at(knotAt(j), i) + along / <f64>parts * (at(knotAt(j + 1), i) - at(knotAt(j), i));
  const k = floor(along), p = j * parts + <i32>k;
  return along == k ? at(pointAt(p), i) : between(p, 0.5 * (timeOfPoint(p) + timeOfPoint(p + 1)), i);
}

/** Steps between two knots that are `steps` of the finest level apart. */
export function partsOf(steps: f64): i32 { return <i32>max(1.0, min(<f64>MOST_PARTS, floor(0.25 * steps))); }

/** `ranges`: least and largest of each of n components between knots. */
export function openTrack(n: i32, partsBetween: i32, ranges: usize): void {
  components = n;
  parts = partsBetween;
  timesAt = allocate(<usize>KNOTS << 3);
  knotsAt = allocate(<usize>(KNOTS * n) << 3);
  trackAt = allocate(<usize>((KNOTS * parts + 1) * n) << 3);
  slopesAt = allocate(<usize>((KNOTS * parts + 1) * n) << 3);
  knownAt = allocate(<usize>KNOTS);
  rangesAt = ranges;
  allAt = allocate(<usize>n << 3);
  widerAt = allocate(<usize>(KNOTS * n) << 3);
  scratch = allocate(<usize>(2 * n) << 3);
  ending = allocate(<usize>n << 3);
  passing = allocate(<usize>n << 3);
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
    least = Infinity; most = -Infinity;
    for (let j = 0; j < last; j++) { least = min(least, leastOver(j, i)); most = max(most, mostOver(j, i)); }
    put(allAt, i, most - least);
  }
  for (let j = 0; j < last; j++) follow(j);
  memory.copy(pointAt(last * parts), knotAt(last), <usize>components << 3);
  rungeKutta(timeOfKnot(last), 0.0, pointAt(last * parts), ending, slopeAt(last * parts));
}

/** From knot j on, by steps that are as short as those of the finest level where the longer ones lead astray. */
function follow(j: i32): void {
  const arrives = arrivesBy(j, 1) || arrivesBy(j, SHORTER);
  store<u8>(knownAt + <usize>j, arrives ? 1 : 0);
}

/** By so many steps from point to point; leaves how far the motion may be away from the track. */
function arrivesBy(j: i32, steps: i32): bool {
  const t = timeOfKnot(j), step = (timeOfKnot(j + 1) - t) / <f64>parts, own = step / <f64>steps;
  memory.copy(pointAt(j * parts), knotAt(j), <usize>components << 3);
  for (let k = 0; k < parts; k++) {
    const from = pointAt(j * parts + k), to = k + 1 < parts ? pointAt(j * parts + k + 1) : ending, begins = t + <f64>k * step;
    rungeKutta(begins, own, from, to, slopeAt(j * parts + k));
    for (let s = 1; s < steps; s++) rungeKutta(begins + <f64>s * own, own, to, to, passing);
  }
  let arrives = true;
  for (let i = 0; i < components; i++) {
    const missed = abs(at(ending, i) - at(knotAt(j + 1), i));
    arrives = arrives && missed <= MISSED * (mostOver(j, i) - leastOver(j, i)) + MISSED_OF_ALL * at(allAt, i);
    store<f64>(wider(j, i), max(missed, beyondTrack(j, i, step)));
  }
  return arrives;
}

/** How far the finest level comes out of what the points of the track behind knot j span. */
function beyondTrack(j: i32, i: i32, step: f64): f64 {
  least = at(knotAt(j + 1), i); most = least; slow = Infinity; fast = -Infinity;
  for (let p = j * parts; p < (j + 1) * parts; p++) {
    least = min(least, at(pointAt(p), i)); most = max(most, at(pointAt(p), i));
    slow = min(slow, at(slopeAt(p), i)); fast = max(fast, at(slopeAt(p), i));
  }
  const curved = CURVED * step * (fast - slow);
  return max(0.0, max(least - leastOver(j, i), mostOver(j, i) - most) - curved);
}

function rungeKutta(t: f64, h: f64, from: usize, to: usize, slopes: usize): void {
  const slope = scratch, sum = scratch + (<usize>components << 3);
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

/** The time of the track's point next to the middle between these times, if it is there; else no number. */
export function pointWithin(from: f64, to: f64): f64 {
  const middle = 0.5 * (from + to), p = min((knots - 1) * parts - 1, pointBefore(middle));
  if (!leads(p / parts)) return NaN;
  const before = timeOfPoint(p), after = timeOfPoint(p + 1), t = middle - before <= after - middle ? before : after;
  return from <= t && t <= to ? t : NaN;
}

/** Component i of the track at the time t. */
export function valueOnTrack(t: f64, i: i32): f64 { return between(min((knots - 1) * parts - 1, pointBefore(t)), t, i); }

/**
 * Components lie where the track has them between these times, and beyond by what a curve may be beyond its chords, an
 * eighth of their length times what its slope changes by, of one sign half of the value at least; where there is no
 * track, anywhere they come to before the next knot; and by `further` (n).
 */
export function setSpans(from: f64, to: f64, further: usize): void {
  const last = (knots - 1) * parts - 1, p = min(last, pointBefore(from)), q = min(last, pointBefore(to));
  for (let i = 0; i < components; i++) {
    let lo = Infinity, hi = -Infinity, away = 0.0;
    slow = Infinity; fast = -Infinity;
    for (let j = p / parts; j <= q / parts; j++) {
      least = leastOver(j, i); most = mostOver(j, i);
      if (leads(j)) { alongTrack(j, i, p, q, from, to); away = max(away, load<f64>(wider(j, i))); }
      else away = max(away, MARGIN * (most - least));
      lo = min(lo, least); hi = max(hi, most);
    }
    const more = MARGIN * (hi - lo) + (fast > slow ? CURVED * min(to - from, pace / <f64>parts) * (fast - slow) : 0.0);
    away += at(further, i);
    setBetween(i, (lo > 0.0 ? max(0.5 * lo, lo - more) : lo - more) - away, (hi < 0.0 ? min(0.5 * hi, hi + more) : hi + more) + away);
  }
}

/** On the track behind knot j, from the time `from` behind point p to the time `to` behind point q. */
function alongTrack(j: i32, i: i32, p: i32, q: i32, from: f64, to: f64): void {
  const first = max(p, j * parts), last = min(q, (j + 1) * parts - 1);
  const a = first == p ? between(p, from, i) : at(pointAt(first), i), b = last == q ? between(q, to, i) : at(pointAt(last + 1), i);
  least = min(a, b); most = max(a, b);
  for (let k = first; k <= last + 1; k++) {
    slow = min(slow, at(slopeAt(k), i)); fast = max(fast, at(slopeAt(k), i));
    if (k > first && k <= last) { least = min(least, at(pointAt(k), i)); most = max(most, at(pointAt(k), i)); }
  }
}
