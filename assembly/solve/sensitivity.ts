// How much an error of a rate counts: what a component that is moved at the time t moves the value by, and every
// component at later samples, relative to what their gates measure them by. To first order it is the transition matrix of
// the variational equation (Hairer, Nørsett & Wanner, Solving ODE I, I.14), here by Lobatto's collocation of order 4
// along ./track (IIIA; Hairer & Wanner, Solving ODE II, IV.5), which neither hides growth nor blows up decay. A rule of
// order 2 makes a motion that comes back to itself, such as an orbit, grow where it does not. Between two knots what counts, in each quarter, is the most that any step
// of the track there makes of what counts at the second: a push between samples that fall on one phase of a motion moves
// what they miss.
//
// Where no track leads from knot to knot, the matrix is known if it is the same wherever the components come; else
// anything may count.

import { allocate } from "../kernel/frame";
import { partialOf, setValue } from "../expression/program";
import { namesValue } from "../expression/taylor";
import { components, KNOTS, knotAt, knots, leads, leastOver, mostOver, parts, timeOfKnot, valueBehind } from "./track";

/** Of many components every so many knots is one of those at which they are looked at, and the last; of few every one. */
const TARGETS: i32 = 4;
const FEW: i32 = 4;
const UNBOUNDED: f64 = 1e300;
const QUARTERS: i32 = 4;
/** Above this ratio to the Jacobian in the middle of a step that at its end is left out. */
const STEEP: f64 = 16.0;
/** What entries of one matrix may differ by. */
const STEADY: f64 = 1e-9;

/**
 * Rows of n: of each quarter ∫ of the sensitivity from the first knot on, and the most; of each knot the larger of both
 * ends behind it. The transposed matrices from knot to knot, and the most that their entries are from any point of each
 * quarter.
 */
let sumsAt: usize = 0, ratesAt: usize = 0, endsAt: usize = 0, matricesAt: usize = 0, boundsAt: usize = 0, work: usize = 0, rowsAt: usize = 0, largestAt: usize = 0;
/** Of the value, n of ∂/∂y; ∫ of what each rate may miss between knots; the sums that rows make of it. */
let gradientAt: usize = 0, tallyAt: usize = 0, totalsAt: usize = 0;
/** At each knot, of each row the most over all targets, that of the value last; between knots what a row makes of the tally, and all of that. */
let mostAt: usize = 0, weightsAt: usize = 0, nearAt: usize = 0;

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, x: f64): void { store<f64>(base + (<usize>i << 3), x); }
@inline function matrix(j: i32): usize { return matricesAt + (<usize>(j * components * components) << 3); }
@inline function bounds(j: i32, quarter: i32): usize { return boundsAt + (<usize>((j * QUARTERS + quarter) * components * components) << 3); }

export function openSensitivity(): void {
  const n = components;
  sumsAt = allocate(<usize>(KNOTS * QUARTERS * n) << 3);
  ratesAt = allocate(<usize>(KNOTS * QUARTERS * n) << 3);
  endsAt = allocate(<usize>(KNOTS * n) << 3);
  matricesAt = allocate(<usize>(KNOTS * n * n) << 3);
  boundsAt = allocate(<usize>(KNOTS * QUARTERS * n * n) << 3);
  work = allocate(<usize>(4 * n * n) << 3);
  rowsAt = allocate(<usize>(2 * n * n) << 3);
  mostAt = allocate(<usize>(KNOTS * (n + 1) * n) << 3);
  weightsAt = allocate(<usize>(KNOTS * n) << 3);
  nearAt = allocate(<usize>(KNOTS * n) << 3);
  largestAt = allocate(<usize>n << 3);
  gradientAt = allocate(<usize>n << 3);
  tallyAt = allocate(<usize>(KNOTS * QUARTERS * n) << 3);
  totalsAt = allocate(<usize>n << 3);
}

/** Sensitivities of the value, program `quantity`, over `scale`, and of components over their sizes at `sizes`. */
export function findSensitivity(quantity: i32, scale: f64, sizes: usize): void {
  const n = components, last = knots - 1;
  for (let i = 0; i < n; i++) put(largestAt, i, max(at(sizes, i), 1e-300));
  for (let j = 0; j < last; j++) {
    makeMatrix(j);
    for (let i = 0; i < n; i++) put(endsAt, j * n + i, 1.0 / at(largestAt, i));
  }
  setKnot(last);
  for (let i = 0; i < n; i++) put(gradientAt, i, finiteOr(partialOf(quantity, i) / scale, namesValue(quantity, i) ? UNBOUNDED : 0.0));
  memory.fill(mostAt, 0, <usize>(KNOTS * (n + 1) * n) << 3);
  takeAllBack(false);
  boundRates();
  addUp();
}

/** From every target, and the value from the end; gives the most that a target makes of the tally. */
function takeAllBack(isTally: bool): f64 {
  const n = components, last = knots - 1, apart = n <= FEW ? 1 : TARGETS;
  let most = 0.0;
  for (let k = last; k > 0; k -= k == last && last % apart != 0 ? last % apart : apart) {
    memory.fill(rowsAt, 0, <usize>(n * n) << 3);
    for (let i = 0; i < n; i++) put(rowsAt, i * n + i, 1.0 / at(largestAt, i));
    most = max(most, takeBack(k, n, isTally));
  }
  memory.copy(rowsAt, gradientAt, <usize>n << 3);
  return max(most, takeBack(last, 1, isTally));
}

@inline function finiteOr(x: f64, other: f64): f64 { return abs(x) <= UNBOUNDED ? x : other; }

function setKnot(j: i32): void {
  for (let i = 0; i < components; i++) setValue(i, at(knotAt(j), i));
  setValue(components, timeOfKnot(j));
}

/** `count` rows at knot k, back to the first. */
function takeBack(k: i32, count: i32, isTally: bool): f64 {
  const n = components, other = rowsAt + (<usize>(n * n) << 3), bytes = <usize>(count * n) << 3;
  memory.fill(totalsAt, 0, <usize>n << 3);
  for (let j = k - 1; j >= 0; j--) {
    timesMatrix(rowsAt, count, j, other);
    if (isTally) countInterval(j, count, k - j <= TARGETS);
    else { keepRows(j, count); keepEnds(j, count); }
    memory.copy(rowsAt, other, bytes);
    if (!isTally) keepEnds(j, count);
  }
  let most = 0.0;
  for (let r = 0; r < count; r++) most = max(most, at(totalsAt, r));
  return most;
}

function timesMatrix(rows: usize, count: i32, j: i32, to: usize): void {
  const n = components, m = matrix(j);
  for (let r = 0; r < count; r++) {
    for (let c = 0; c < n; c++) {
      let sum = 0.0;
      for (let l = 0; l < n; l++) sum += at(rows, r * n + l) * at(m, c * n + l);
      put(to, r * n + c, finiteOr(sum, UNBOUNDED));
    }
  }
}

/** What rows make of the tally in interval j; the samples between two targets see all of what is near. */
function countInterval(j: i32, count: i32, isNear: bool): void {
  const n = components, isOwn = isNear && count == n;
  for (let r = 0; r < count; r++) {
    let sum = isOwn ? at(nearAt, j * n + r) / at(largestAt, r) : 0.0;
    for (let l = 0; l < n; l++) { const x = abs(at(rowsAt, r * n + l)); if (x > 0.0) sum += x * at(weightsAt, j * n + l); }
    put(totalsAt, r, at(totalsAt, r) + sum);
  }
}

/** Of each interval, what a row's entries make of the tally at most, and all that it holds of each component. */
function weighIntervals(): void {
  const n = components, bytes = <usize>(KNOTS * n) << 3;
  memory.fill(weightsAt, 0, bytes);
  memory.fill(nearAt, 0, bytes);
  for (let q = 0; q < (knots - 1) * QUARTERS; q++) {
    const row = q / QUARTERS * n, most = bounds(q / QUARTERS, q % QUARTERS);
    for (let c = 0; c < n; c++) {
      const missed = at(tallyAt, q * n + c);
      if (missed == 0.0) continue;
      put(nearAt, row + c, at(nearAt, row + c) + missed);
      for (let l = 0; l < n; l++) put(weightsAt, row + l, at(weightsAt, row + l) + missed * at(most, c * n + l));
    }
  }
}

export function clearTally(): void { memory.fill(tallyAt, 0, <usize>(KNOTS * QUARTERS * components) << 3); }

/** Rate i may miss so much a time between these times. */
export function addToTally(i: i32, from: f64, to: f64, missed: f64): void {
  const n = components, all = (knots - 1) * QUARTERS, first = quarterAt(from);
  for (let q = first; q < all && (q == first || timeOfQuarter(q) < to); q++) {
    const overlap = min(to, q + 1 == all ? to : timeOfQuarter(q + 1)) - max(from, q == first ? from : timeOfQuarter(q));
    put(tallyAt, q * n + i, at(tallyAt, q * n + i) + missed * max(0.0, overlap));
  }
}

function timeOfQuarter(q: i32): f64 {
  const j = q / QUARTERS, t = timeOfKnot(j);
  return j == knots - 1 ? t : t + <f64>(q - j * QUARTERS) / <f64>QUARTERS * (timeOfKnot(j + 1) - t);
}

/** The quarter in which the time t is; every stretch but the last is as long as the first. */
function quarterAt(t: f64): i32 {
  const j = min(knots - 2, max(0, <i32>floor((t - timeOfKnot(0)) / (timeOfKnot(1) - timeOfKnot(0)))));
  const q = floor((t - timeOfKnot(j)) / (timeOfKnot(j + 1) - timeOfKnot(j)) * <f64>QUARTERS);
  return j * QUARTERS + <i32>max(0.0, min(q, <f64>(QUARTERS - 1)));
}

/** The most that what is missed counts anywhere. */
export function weighTally(): f64 { weighIntervals(); return takeAllBack(true); }

/** Rows at the second knot of interval j, the value's own by itself. */
function keepRows(j: i32, count: i32): void {
  const n = components, to = mostAt + (<usize>((j * (n + 1) + (count < n ? n : 0)) * n) << 3);
  for (let e = 0; e < count * n; e++) put(to, e, max(at(to, e), abs(at(rowsAt, e))));
}

function keepEnds(j: i32, count: i32): void {
  const n = components;
  for (let e = 0; e < count * n; e++) put(endsAt, j * n + e % n, max(at(endsAt, j * n + e % n), abs(at(rowsAt, e))));
}

/** The most that rows make of a push in each quarter. */
function boundRates(): void {
  const n = components;
  for (let q = 0; q < (knots - 1) * QUARTERS; q++) {
    const j = q / QUARTERS, m = bounds(j, q % QUARTERS), rows = mostAt + (<usize>(j * (n + 1) * n) << 3);
    for (let c = 0; c < n; c++) {
      let most = 1.0 / at(largestAt, c);
      for (let r = 0; r <= n; r++) {
        let sum = 0.0;
        for (let l = 0; l < n; l++) { const x = at(rows, r * n + l); if (x > 0.0) sum += x * at(m, c * n + l); }
        most = max(most, sum);
      }
      put(ratesAt, q * n + c, finiteOr(most, UNBOUNDED));
    }
  }
}

function addUp(): void {
  const n = components;
  for (let i = 0; i < n; i++) {
    put(sumsAt, i, 0.0);
    for (let q = 0; q < (knots - 1) * QUARTERS; q++) put(sumsAt, (q + 1) * n + i, at(sumsAt, q * n + i) + at(ratesAt, q * n + i) * (timeOfQuarter(q + 1) - timeOfQuarter(q)));
  }
}

/** Of component i, at the start. */
export function firstSensitivity(i: i32): f64 { return at(ratesAt, i); }

/** ∫ of that of component i from the first knot to the time t. */
export function sensitivityUntil(i: i32, t: f64): f64 {
  const n = components, q = quarterAt(t);
  return at(sumsAt, q * n + i) + at(ratesAt, q * n + i) * (t - timeOfQuarter(q));
}

/** How far each component may be moved between these times, to count `allowed` at most: into n numbers at `to`. */
export function reachOver(from: f64, until: f64, allowed: f64, to: usize): void {
  const n = components, last = knots - 1, step = timeOfKnot(1) - timeOfKnot(0);
  const first = min(last - 1, max(0, <i32>floor((from - timeOfKnot(0)) / step)));
  for (let i = 0; i < n; i++) {
    let least = at(endsAt, first * n + i);
    for (let j = first + 1; j < last && timeOfKnot(j) < until; j++) least = min(least, at(endsAt, j * n + i));
    put(to, i, allowed / least);
  }
}

/**
 * From knot j to the next: the product of L⁻¹R over the steps of the track, transposed and from the last step back, so
 * that what stands on the way is what leads from each point to the second knot. With the Jacobian at the beginning, in
 * the middle and at the end of a step
 *
 *   L = 1 − h/6 J₁ − h/3 J½ + h²/12 J½J₁,   R = 1 + h/6 J₀ + h/3 J½ + h²/12 J½J₀
 */
function makeMatrix(j: i32): void {
  const n = components, to = matrix(j), size = <usize>(n * n) << 3;
  const t = timeOfKnot(j), h = (timeOfKnot(j + 1) - t) / <f64>parts;
  let begin = work, end = work + size;
  const middle = work + 2 * size, other = work + 3 * size;
  memory.fill(to, 0, size);
  for (let q = 0; q < QUARTERS; q++) memory.fill(bounds(j, q), 0, size);
  for (let i = 0; i < n; i++) put(to, i * n + i, 1.0);
  jacobianAt(j, <f64>parts, t, h, end);
  for (let k = parts - 1; k >= 0; k--) {
    boundBy(j, k, to);
    jacobianAt(j, <f64>k + 0.5, t, h, middle);
    jacobianAt(j, <f64>k, t, h, begin);
    collocation(isSteep(end, middle) ? middle : end, middle, -1.0, other);
    divideOut(other, to, n);
    collocation(isSteep(begin, middle) ? middle : begin, middle, 1.0, other);
    multiplyInto(other, to, end);
    const swapped = begin;
    begin = end;
    end = swapped;
    boundBy(j, k, to);
  }
  if (!leads(j) && !isSteady(j, h)) for (let e = 0; e < QUARTERS * n * n; e++) put(bounds(j, 0), e, UNBOUNDED);
}

/** hJᵀ/6 at the place `along`, in steps behind knot j, which is at the time t. */
function jacobianAt(j: i32, along: f64, t: f64, h: f64, to: usize): void {
  for (let i = 0; i < components; i++) setValue(i, valueBehind(j, along, i));
  setValue(components, t + along * h);
  jacobianTo(to, h / 6.0);
}

/** An end of a step says nothing of it where the rates are singular, as those with 1/t are at 0. */
function isSteep(end: usize, middle: usize): bool {
  let most = 0.0, usual = 0.0;
  for (let e = 0; e < components * components; e++) { most = max(most, abs(at(end, e))); usual = max(usual, abs(at(middle, e))); }
  return most > STEEP * usual;
}

/** Lᵀ or Rᵀ: 1 ± (a + 2m) + 3am, from a and m = hJᵀ/6 at an end and in the middle. */
function collocation(a: usize, m: usize, sign: f64, to: usize): void {
  const n = components;
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < n; c++) {
      let sum = 0.0;
      for (let l = 0; l < n; l++) sum += at(a, r * n + l) * at(m, l * n + c);
      put(to, r * n + c, finiteOr((r == c ? 1.0 : 0.0) + sign * (at(a, r * n + c) + 2.0 * at(m, r * n + c)) + 3.0 * sum, UNBOUNDED));
    }
  }
}

/** right becomes left · right. */
function multiplyInto(left: usize, right: usize, scratch: usize): void {
  const n = components;
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < n; c++) {
      let sum = 0.0;
      for (let l = 0; l < n; l++) sum += at(left, r * n + l) * at(right, l * n + c);
      put(scratch, r * n + c, finiteOr(sum, UNBOUNDED));
    }
  }
  memory.copy(right, scratch, <usize>(n * n) << 3);
}

/** What leads to the second knot from an end of step k, in every quarter that the step is in. */
function boundBy(j: i32, k: i32, m: usize): void {
  const entries = components * components;
  for (let q = k * QUARTERS / parts; q * parts < (k + 1) * QUARTERS; q++) {
    const most = bounds(j, q);
    for (let e = 0; e < entries; e++) put(most, e, max(at(most, e), abs(at(m, e))));
  }
}

/** Transposed, of the values that are set, times `factor`. */
function jacobianTo(to: usize, factor: f64): void {
  const n = components;
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < n; c++) put(to, c * n + r, namesValue(r, c) ? factor * finiteOr(partialOf(r, c), 0.0) : 0.0);
  }
}

/** The Jacobian is one at both ends of what components come to behind knot j, and at the last step of the line there. */
function isSteady(j: i32, h: f64): bool {
  const n = components, one = work, other = work + (<usize>(n * n) << 3), t = timeOfKnot(j);
  jacobianAt(j, <f64>parts - 0.5, t, h, one);
  for (let end = 0; end < 2; end++) {
    for (let i = 0; i < n; i++) setValue(i, end == 0 ? leastOver(j, i) : mostOver(j, i));
    setValue(n, timeOfKnot(j + end));
    jacobianTo(other, h / 6.0);
    for (let e = 0; e < n * n; e++) if (!(abs(at(one, e) - at(other, e)) <= STEADY * abs(at(one, e)))) return false;
  }
  return true;
}

/** right becomes left⁻¹ right, by elimination with pivots. */
function divideOut(left: usize, right: usize, n: i32): void {
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let r = k + 1; r < n; r++) if (abs(at(left, r * n + k)) > abs(at(left, pivot * n + k))) pivot = r;
    if (pivot != k) { swapRows(left, k, pivot, n); swapRows(right, k, pivot, n); }
    const inverse = 1.0 / at(left, k * n + k);
    for (let r = 0; r < n; r++) {
      const factor = at(left, r * n + k) * inverse;
      if (r == k || factor == 0.0) continue;
      for (let c = k; c < n; c++) put(left, r * n + c, at(left, r * n + c) - factor * at(left, k * n + c));
      for (let c = 0; c < n; c++) put(right, r * n + c, at(right, r * n + c) - factor * at(right, k * n + c));
    }
  }
  for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) put(right, r * n + c, finiteOr(at(right, r * n + c) / at(left, r * n + r), UNBOUNDED));
}

function swapRows(base: usize, a: i32, b: i32, n: i32): void {
  for (let c = 0; c < n; c++) {
    const x = at(base, a * n + c);
    put(base, a * n + c, at(base, b * n + c));
    put(base, b * n + c, x);
  }
}
