// What the rates of a system hold between the places where RK4 asks them, along the motion: over whole boxes of steps, in
// which every component lies where ./track has it, each rate is enclosed with its Taylor coefficients in the time, from
// x′ = f (Moore, Kearfott & Cloud, Introduction to Interval Analysis, 2009, 10.3). Over a step of length h, RK4 makes of a
// rate the mean that Simpson's rule makes of its beginning, middle and end, which is wrong by at most
//
//   width of f      5h/72 of the width of f′      h²/162 of that of f″      h³/1152 of that of f‴      h⁴/2880 of |f⁗|
//
// (S. S. Dragomir, R. P. Agarwal & P. Cerone, On Simpson's inequality and applications, 2000). The least holds, counts by
// ./sensitivity, and is summed over the run. A box is as wide as the motion may be moved by what is allowed, so that a
// motion that is held up somewhere does not leave it unseen. The box that counts most is halved, until the sum is small enough.

import { allocate } from "../kernel/frame";
import { ALLOWED } from "../expression/resolved";
import { magnitude, widthOf } from "../expression/interval";
import {
  coefficient, keepSeries, keepValues, openKept, refineSeries, refineValues, seriesOf, seriesWork, setAlong, setCoefficient, standApart,
} from "../expression/taylor";
import { addToTally, clearTally, reachOver, sensitivityUntil, weighTally } from "./sensitivity";
import { components, pointWithin, setSpans } from "./track";
import { popEntry, pushEntry } from "../math/heap";

/** What it counts, first and last step, what each rate may miss. */
let bytes: usize = 0;
const UNBOUNDED: f64 = 1e100;
/** A box that counts less than this part of what is allowed is not halved. */
const LITTLE: f64 = 1.0 / 4096.0;

let start: f64 = 0, h: f64 = 0, size: i32 = 0, heapAt: usize = 0, boxAt: usize = 0, ratesAt: usize = 0, reachAt: usize = 0;

@inline function heap(i: i32): usize { return heapAt + <usize>i * bytes; }

export function openBetween(series: i32, from: f64, step: f64): void {
  start = from;
  h = step;
  bytes = 16 + (<usize>components << 3);
  heapAt = allocate(<usize>(series + 3) * bytes);
  boxAt = allocate(3 * bytes);
  ratesAt = allocate(<usize>components << 4);
  reachAt = allocate(<usize>components << 3);
  openKept();
}

/** Work units of so many boxes: at their points and over them three passes up to the second coefficient, two up to the fourth. */
export function betweenWork(series: u64): u64 {
  let units: u64 = 100;
  for (let i = 0; i < components; i++) units += 7 * seriesWork(i);
  return series * units;
}

/**
 * Components as series in the time over these steps, x_(k+1) = f_k/(k + 1), from the track's point in their middle where
 * there is one; leaves the rates enclosed up to f₃, and f₄ to whoever asks for it.
 */
function placeAlong(from: f64, to: f64): void {
  const middle = pointWithin(from, to);
  reachOver(from, to, ALLOWED, reachAt);
  if (middle != middle) { standApart(); followRates(from, to, 0.0); return; }
  keepSeries();
  followRates(middle, middle, 0.0);
  for (let i = 0; i < components; i++) seriesOf(i, 4);
  keepValues(components + 1);
  followRates(from, to, (1.0 + 1e-12) * max(to - middle, middle - from));
}

/** Those coefficients between two times, one after the other; `away` from the point that is kept. */
function followRates(from: f64, to: f64, away: f64): void {
  setAlong(components, from, to);
  setSpans(from, to, reachAt);
  for (let k = 0; k <= 4; k++) {
    if (away > 0.0) { refineSeries(away, k); refineValues(components); }
    if (k == 4) return;
    for (let i = 0; i < components; i++) memory.copy(ratesAt + (<usize>i << 4), coefficient(seriesOf(i, k < 3 ? 2 : 4), k), 16);
    for (let i = 0; i < components; i++) setCoefficient(i, k + 1, ratesAt + (<usize>i << 4), 1.0 / <f64>(k + 1));
  }
}

/** Mean over a step in the box of what Simpson's rule may miss of rate i. */
function missed(i: i32): f64 {
  const f = seriesOf(i, 4), squared = h * h;
  const straight = min(widthOf(f), h * widthOf(coefficient(f, 1)) * (5.0 / 72.0));
  const curved = min(squared * widthOf(coefficient(f, 2)) / 81.0, squared * h * widthOf(coefficient(f, 3)) / 192.0);
  const quartic = squared * squared * magnitude(coefficient(f, 4)) / 120.0;
  let least = UNBOUNDED;
  if (straight < least) least = straight;
  if (curved < least) least = curved;
  if (quartic < least) least = quartic;
  return least;
}

/** What the box at `box` counts, at most what the one that it was cut from did. */
function assess(box: usize, most: f64): void {
  const from = start + h * <f64>load<i32>(box, 8), to = start + h * <f64>load<i32>(box, 12);
  placeAlong(from, to);
  let sum = 0.0;
  for (let i = 0; i < components; i++) {
    const error = min(missed(i), load<f64>(box + (<usize>i << 3), 16));
    store<f64>(box + (<usize>i << 3), error, 16);
    if (error > 0.0) sum += error * (sensitivityUntil(i, to) - sensitivityUntil(i, from));
  }
  store<f64>(box, sum <= most ? sum : most);
}

@inline function push(box: usize): void { pushEntry(heapAt, size++, bytes, box); }
@inline function pop(to: usize): void { popEntry(heapAt, size--, bytes, to); }

function tally(box: usize): void {
  const from = start + h * <f64>load<i32>(box, 8), to = start + h * <f64>load<i32>(box, 12);
  for (let i = 0; i < components; i++) addToTally(i, from, to, load<f64>(box + (<usize>i << 3), 16));
}

/** Sum over the steps first … last, after so many boxes or when it is within `limit`. */
export function countedBetween(first: i32, last: i32, series: i32, limit: f64): f64 {
  size = 0;
  if (first >= last) return 0.0;
  clearTally();
  for (let i = 0; i < components; i++) store<f64>(boxAt + (<usize>i << 3), UNBOUNDED, 16);
  store<i32>(boxAt, first, 8); store<i32>(boxAt, last, 12);
  assess(boxAt, UNBOUNDED);
  push(boxAt);
  let settled = 0.0, asked = 1, next = 1;
  while (size > 0) {
    if (asked >= next) {
      const whole = settled + sumOfBoxes();
      if (whole <= (asked < series >> 2 ? 0.25 : 1.0) * limit) return whole;
      next = asked + 1 + (asked >> 5);
    }
    if (asked + 2 > series) break;
    pop(boxAt);
    const from = load<i32>(boxAt, 8), to = load<i32>(boxAt, 12), counts = load<f64>(boxAt);
    if (to - from < 2 || counts <= LITTLE * limit) { settled += counts; tally(boxAt); continue; }
    const middle = from + ((to - from) >> 1), other = boxAt + bytes;
    memory.copy(other, boxAt, bytes);
    store<i32>(other, middle, 8); store<i32>(boxAt, middle, 12);
    assess(boxAt, counts);
    assess(other, counts);
    asked += 2;
    push(boxAt);
    push(other);
  }
  // The sum above takes each box by the largest that it counts anywhere; what counts for one place is less.
  for (let i = 0; i < size; i++) tally(heap(i));
  return min(min(settled + sumOfBoxes(), weighTally()), UNBOUNDED);
}

function sumOfBoxes(): f64 {
  let sum = 0.0;
  for (let i = 0; i < size; i++) sum += load<f64>(heap(i));
  return sum;
}
