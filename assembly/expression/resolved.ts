// How much a formula may hold between the points at which a solver asks it: a bound that no structure between them can
// escape, however narrow, since every point of every cell lies in a box over which ./taylor encloses the formula.
//
// Axes are values of the block, each with n equal cells of width h, at whose ends the formula is asked. In a cell, and
// along each axis, the formula f differs from what its values at the points say, in the mean over the cell, by at most
//
//   width of f over the box                          whatever interpolation stays between its values
//   h (M − m)/8,  f′ between m and M                  straight lines; kinks
//   h²|f″|/12                                        straight lines
//   (0.015 … 0.026) h⁴|f⁗|                           cubics through four points (C. de Boor, A Practical Guide to
//                                                     Splines, 2001, ch. II), f⁗ also of a cell on either side
//
// and along several axes by the sum of theirs, times the norm of a cubic (1.7) for each axis that has one. The smallest
// holds. What the solver's equation makes of f is a mean of it whose weight is nowhere above 1/reach cells and 1 in all;
// its most is found by giving that weight to the boxes with the largest bounds. The box with the largest is halved,
// until what is found is small enough, cells are reached, or as many series have been asked as were paid for.
//
// What rounding takes from f at the points is no part of that: it is the width of f where every value is a point, and no
// two evaluations in double show it, since both may lose the same digits.

import { allocate } from "../kernel/frame";
import { coefficient, openSeries, seriesOf, seriesWork, setAlong, setBetween } from "./taylor";
import { lower, magnitude, upper, widthOf } from "./interval";
import { popEntry, pushEntry } from "../math/heap";

const MOST_AXES: i32 = 3;
/** Bound, weight, axis to halve (−1: none), then the first and the last cell of each axis. */
const BOX: usize = 48;
/** Above every bound, so that sums stay numbers. */
const UNBOUNDED: f64 = 1e100;
/** What is less than this part of what is allowed is not halved again. */
const LITTLE: f64 = 1.0 / 256.0;
const CUBIC_NORM: f64 = 1.7;
/** So many cells are asked at once; fewer one by one. */
const MANY: i32 = 4;
/** ∫ of |t(1 − t)(1 + t)(2 − t)| and |t(1 − t)(2 − t)(3 − t)| over a cell, times f⁗/24. */
const CUBIC: f64 = 0.36667;
const CUBIC_AT_END: f64 = 0.63334;

let axes: i32 = 0, asked: i32 = 0, size: i32 = 0, room: i32 = 0;
let axesAt: usize = 0, heapAt: usize = 0, boxAt: usize = 0;
/** Weight of a box: cells of all axes over `reach`, or what the solver's own function says of the first axis. */
let reach: f64 = 1, ownWeight: bool = false;
let weightOf: (first: i32, last: i32) => f64 = noWeight;
let place: (value: i32, first: i32, last: i32) => void = noPlace;
let ownPlace: bool = false;

function noWeight(_first: i32, _last: i32): f64 { return 0.0; }
function noPlace(_value: i32, _first: i32, _last: i32): void {}

// ---- axes ----------------------------------------------------------------------------------------------

// Axis (40 bytes): 0 f64 first point · 8 f64 h · 16 i32 value · 20 i32 cells
@inline function axis(a: i32): usize { return axesAt + <usize>a * 40; }
@inline function cellsOf(a: i32): i32 { return load<i32>(axis(a), 20); }
@inline function firstOf(box: usize, a: i32): i32 { return load<i32>(box + (<usize>a << 3), 24); }
@inline function lastOf(box: usize, a: i32): i32 { return load<i32>(box + (<usize>a << 3), 28); }

/** Room for up to `count` axes; values of the block are points until axes say otherwise. */
export function openResolution(count: i32): void {
  openSeries();
  axesAt = allocate(<usize>MOST_AXES * 40);
  room = seriesAlong(count);
  heapAt = allocate(<usize>(room + 2) * BOX);
  boxAt = allocate(2 * BOX);
  clearAxes();
}

export function clearAxes(): void { axes = 0; reach = 1.0; ownWeight = false; ownPlace = false; }

/** Axis of value `value`, with `cells` cells of width h from `from` on; the equation takes a mean over so many cells. */
export function addAxis(value: i32, from: f64, h: f64, cells: i32, mean: f64): void {
  const at = axis(axes++);
  store<f64>(at, from);
  store<f64>(at, h, 8);
  store<i32>(at, value, 16);
  store<i32>(at, cells, 20);
  reach *= max(1.0, mean);
}

/** Cells of the only axis have these weights. */
export function weighBy(weight: (first: i32, last: i32) => f64): void { weightOf = weight; ownWeight = true; }
/** Cells of the only axis are set by the solver, in the unit of its h. */
export function placeBy(set: (value: i32, first: i32, last: i32) => void): void { place = set; ownPlace = true; }

/** Work units of asking for the series of program j along so many axes, and at the points of rounding. */
export function resolutionWork(j: i32, count: i32): u64 { return <u64>(seriesAlong(count) + POINTS) * (seriesWork(j) + 100); }

// ---- boxes ---------------------------------------------------------------------------------------------

function setCells(a: i32, first: i32, last: i32, isAlong: bool): void {
  const at = axis(a), value = load<i32>(at, 16), from = load<f64>(at), h = load<f64>(at, 8);
  if (ownPlace) { place(value, first, last); return; }
  const lo = from + <f64>first * h, hi = from + <f64>last * h;
  if (isAlong) setAlong(value, lo, hi); else setBetween(value, lo, hi);
}

/** What is known of the formula over the box along one axis: its width, that of f′, most |f″|/2 and |f⁗|/24. */
let spread: f64 = 0, slopes: f64 = 0, second: f64 = 0, fourth: f64 = 0, isCubic: bool = false;

function ask(j: i32, a: i32, first: i32, last: i32): usize {
  setCells(a, first, last, true);
  asked++;
  return seriesOf(j, 4);
}

/** Of many cells all at once, with a neighbour on either side. */
function askWide(j: i32, a: i32, first: i32, last: i32): void {
  const series = ask(j, a, max(0, first - 1), min(cellsOf(a), last + 1));
  spread = widthOf(series);
  slopes = widthOf(coefficient(series, 1));
  second = magnitude(coefficient(series, 2));
  fourth = magnitude(coefficient(series, 4));
}

/** Of a few each by itself, which is closer; neighbours count for the cubic alone. At an end it has two inside. */
function askNarrow(j: i32, a: i32, first: i32, last: i32): void {
  const cells = cellsOf(a);
  let low = Infinity, high = -Infinity, least = Infinity, most = -Infinity;
  second = 0.0; fourth = 0.0;
  for (let i = max(0, last == cells ? first - 2 : first - 1); i < min(cells, first == 0 ? last + 2 : last + 1); i++) {
    const series = ask(j, a, i, i + 1);
    fourth = max(fourth, magnitude(coefficient(series, 4)));
    if (i < first || i >= last) continue;
    low = min(low, lower(series)); high = max(high, upper(series));
    least = min(least, lower(coefficient(series, 1))); most = max(most, upper(coefficient(series, 1)));
    second = max(second, magnitude(coefficient(series, 2)));
  }
  spread = high - low;
  slopes = most - least;
}

/** Mean distance along axis a in a cell of the box. */
function boundAlong(j: i32, box: usize, a: i32): f64 {
  const first = firstOf(box, a), last = lastOf(box, a), cells = cellsOf(a), h = load<f64>(axis(a), 8);
  if (last - first >= MANY) askWide(j, a, first, last); else askNarrow(j, a, first, last);
  const straight = min(h * slopes / 8.0, h * h * second / 6.0);
  const cubic = (first == 0 || last == cells ? CUBIC_AT_END : CUBIC) * h * h * h * h * fourth;
  isCubic = cells >= 3 && !(straight <= cubic);
  const least = isCubic ? cubic : straight;
  return least == least ? least : UNBOUNDED;
}

/** Finds bound and weight of a box whose cells are set. */
function assess(j: i32, box: usize, parent: f64): void {
  // An axis that is alone is set where it is asked.
  if (axes > 1) for (let a = 0; a < axes; a++) setCells(a, firstOf(box, a), lastOf(box, a), false);
  let bound = 0.0, worst = -1.0, halved = -1, width = Infinity, norm = 1.0;
  for (let a = 0; a < axes; a++) {
    const own = boundAlong(j, box, a);
    width = min(width, spread == spread ? spread : Infinity);
    if (isCubic) norm *= CUBIC_NORM;
    bound += own;
    if (lastOf(box, a) - firstOf(box, a) > 1 && own > worst) { worst = own; halved = a; }
    if (axes > 1) setCells(a, firstOf(box, a), lastOf(box, a), false);
  }
  if (axes > 1) bound *= norm;
  bound = min(min(bound, width), min(parent, UNBOUNDED));
  if (!(bound >= 0.0)) bound = UNBOUNDED;
  store<f64>(box, bound);
  store<f64>(box, weigh(box), 8);
  store<i32>(box, halved < 0 || worst > 0.0 ? halved : longest(box), 16);
}

function longest(box: usize): i32 {
  let most = 1, found = -1;
  for (let a = 0; a < axes; a++) {
    const cells = lastOf(box, a) - firstOf(box, a);
    if (cells > most) { most = cells; found = a; }
  }
  return found;
}

function weigh(box: usize): f64 {
  if (ownWeight) return weightOf(firstOf(box, 0), lastOf(box, 0));
  let cells = 1.0;
  for (let a = 0; a < axes; a++) cells *= <f64>(lastOf(box, a) - firstOf(box, a));
  return cells / reach;
}

// ---- the box with the largest bound first ------------------------------------------------------------------

@inline function heap(i: i32): usize { return heapAt + <usize>i * BOX; }

@inline function push(box: usize): void { pushEntry(heapAt, size++, BOX, box); }
@inline function pop(to: usize): void { popEntry(heapAt, size--, BOX, to); }

/**
 * A bound of what program j may hold between the points, in the mean that the weights say, or what is known of it after
 * so many series; `limit` is what is allowed.
 */
export function hiddenPart(j: i32, series: i32, limit: f64): f64 {
  asked = 0;
  size = 0;
  for (let a = 0; a < axes; a++) { store<i32>(boxAt + (<usize>a << 3), 0, 24); store<i32>(boxAt + (<usize>a << 3), cellsOf(a), 28); }
  assess(j, boxAt, UNBOUNDED);
  push(boxAt);
  const most = min(series, room) - 2 * axes * (MANY + 1);
  // Bounds come out of the heap in order, since no half has a larger one than the whole.
  let given = 0.0, found = 0.0;
  while (size > 0 && given < 1.0) {
    const whole = found + (1.0 - given) * load<f64>(heap(0));
    if (whole <= (asked < most >> 2 ? 0.25 : 1.0) * limit || found > limit || asked > most) return min(whole, UNBOUNDED);
    pop(boxAt);
    const bound = load<f64>(boxAt), weight = min(load<f64>(boxAt, 8), 1.0 - given);
    if (load<i32>(boxAt, 16) >= 0 && bound * weight > LITTLE * limit) halve(j);
    else { given += weight; found += weight * bound; }
  }
  return min(found, UNBOUNDED);
}

/** Series that are asked for along so many axes. */
@inline export function seriesAlong(count: i32): i32 { return 256 << (2 * count); }

/** What is allowed of a scale. */
export const ALLOWED: f64 = 1e-3;

/** What rounding may change counts so many times: 1e-5 of a scale is allowed of it. */
export const LOST: f64 = 100.0;
/** Of its own size a formula may lose so much by rounding without being asked what that is of the scale. */
const ORDINARY: f64 = 1e-12;
/** Points at which rounding is looked at; apart by irrational parts, so that none is a node, a jump or a removable pole. */
export const POINTS: i32 = 64;

/** The hidden part and what rounding counts over `scale`, clamped to what a row can hold. */
export function hiddenShare(j: i32, scale: f64): f64 { return hiddenShareBeside(j, scale, scale); }

/** The same where rounding is measured by another scale. */
export function hiddenShareBeside(j: i32, scale: f64, ofRounding: f64): f64 {
  const part = hiddenPart(j, seriesAlong(axes), ALLOWED * scale), lost = lostPart(j);
  lostShare = lost == 0.0 ? 0.0 : LOST * lost / ofRounding;
  const share = (part == 0.0 ? 0.0 : part / scale) + lostShare;
  return share <= UNBOUNDED ? share : UNBOUNDED;
}

/** Of the last share what rounding counts for. */
let lostShare: f64 = 0;
/** Cells are not divided more often than this. */
const MOST_TIMES: i32 = 4096;

/**
 * By how many times more cells along each axis formula j, whose share has just been too much, hides no more than is
 * allowed, as far as the series tell that were paid for and not asked yet; 0: none is known. The axes are finer then.
 */
export function timesFiner(j: i32, scale: f64): i32 {
  for (let times = 2, left = seriesAlong(axes) - asked; times <= MOST_TIMES && lostShare < ALLOWED; times *= 2) {
    for (let a = 0; a < axes; a++) {
      store<f64>(axis(a), 0.5 * load<f64>(axis(a), 8), 8);
      store<i32>(axis(a), 2 * cellsOf(a), 20);
    }
    if (hiddenPart(j, left, ALLOWED * scale) <= (ALLOWED - lostShare) * scale) return times;
    left -= asked;
    if (left <= 2 * axes * (MANY + 1)) return 0;
  }
  return 0;
}

/** Of series over points: how wide rounding makes the formula, 0 where that is next to nothing beside `size` or itself. */
export function lostOf(series: usize, size: f64): f64 {
  const width = widthOf(series);
  if (width <= ORDINARY * max(size, magnitude(series))) return 0.0;
  return width <= UNBOUNDED ? width : UNBOUNDED;
}

/** A place in (0, 1) along axis a, the k-th. */
export function apart(k: i32, a: i32): f64 {
  const x = (<f64>k + 0.5) * (a == 0 ? 0.6180339887498949 : a == 1 ? 0.7548776662466927 : 0.8191725133961645);
  return x - floor(x);
}

/** Mean of what rounding takes by the solver's own weights, else the most. */
function lostPart(j: i32): f64 {
  let most = 0.0, mean = 0.0;
  for (let k = 0; k < POINTS; k++) {
    const cells = cellsOf(0), first = cells * k / POINTS, last = cells * (k + 1) / POINTS;
    for (let a = 0; a < axes; a++) setPoint(a, k, first, last);
    const lost = lostOf(seriesOf(j, 2), 0.0);
    if (lost == 0.0) continue;
    most = max(most, lost);
    if (ownWeight) mean += lost * weightOf(first, last);
  }
  return ownWeight ? mean : most;
}

/** Of the solver's own weights or places the first axis is cut into as many parts as there are points. */
function setPoint(a: i32, k: i32, first: i32, last: i32): void {
  const at = axis(a), value = load<i32>(at, 16), isCut = ownWeight || ownPlace;
  const along = isCut ? <f64>first + apart(k, a) * <f64>(last - first) : apart(k, a) * <f64>cellsOf(a);
  if (ownPlace) { const i = <i32>floor(along); place(value, i, i); return; }
  const x = load<f64>(at) + along * load<f64>(at, 8);
  setBetween(value, x, x);
}

/** Both halves of the box at `boxAt` take its place. */
function halve(j: i32): void {
  const a = load<i32>(boxAt, 16), at = <usize>a << 3, first = firstOf(boxAt, a), last = lastOf(boxAt, a), bound = load<f64>(boxAt);
  const middle = first + ((last - first) >> 1), other = boxAt + BOX;
  memory.copy(other, boxAt, BOX);
  store<i32>(boxAt + at, middle, 28);
  store<i32>(other + at, middle, 24);
  assess(j, boxAt, bound);
  assess(j, other, bound);
  push(boxAt);
  push(other);
}
