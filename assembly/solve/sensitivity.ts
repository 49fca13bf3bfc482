// How much an error of a rate counts: what a component that is moved at the time t moves the value by, and every
// component at later samples, relative to what their gates measure them by. To first order it is the transition matrix of
// the variational equation (Hairer, Nørsett & Wanner, Solving ODE I, I.14), here by the midpoint rule along ./track,
// which neither hides growth nor blows up decay.

import { allocate } from "../kernel/frame";
import { partialOf, setValue } from "../expression/program";
import { namesValue } from "../expression/taylor";
import { components, KNOTS, knotAt, knots, parts, timeOfKnot, trackValue } from "./track";

/** Every so many knots is one of those at which components are looked at, and the last. */
const TARGETS: i32 = 4;
const UNBOUNDED: f64 = 1e300;

/** KNOTS rows of n: ∫ of the sensitivity from the first knot on, and the matrices from knot to knot. */
let sumsAt: usize = 0, ratesAt: usize = 0, matricesAt: usize = 0, work: usize = 0, rowsAt: usize = 0, largestAt: usize = 0;
/** Of the value, n of ∂/∂y; ∫ of what each rate may miss between knots; the sums that rows make of it. */
let gradientAt: usize = 0, tallyAt: usize = 0, totalsAt: usize = 0;

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, x: f64): void { store<f64>(base + (<usize>i << 3), x); }
@inline function matrix(j: i32): usize { return matricesAt + (<usize>(j * components * components) << 3); }

export function openSensitivity(): void {
  const n = components;
  sumsAt = allocate(<usize>(KNOTS * n) << 3);
  ratesAt = allocate(<usize>(KNOTS * n) << 3);
  matricesAt = allocate(<usize>(KNOTS * n * n) << 3);
  work = allocate(<usize>(4 * n * n) << 3);
  rowsAt = allocate(<usize>(2 * n * n) << 3);
  largestAt = allocate(<usize>n << 3);
  gradientAt = allocate(<usize>n << 3);
  tallyAt = allocate(<usize>(KNOTS * n) << 3);
  totalsAt = allocate(<usize>n << 3);
}

/** Sensitivities of the value, program `quantity`, over `scale`, and of components over their sizes at `sizes`. */
export function findSensitivity(quantity: i32, scale: f64, sizes: usize): void {
  const n = components, last = knots - 1;
  for (let i = 0; i < n; i++) put(largestAt, i, max(at(sizes, i), 1e-300));
  for (let j = 0; j < last; j++) {
    makeMatrix(j);
    for (let i = 0; i < n; i++) put(ratesAt, j * n + i, 1.0 / at(largestAt, i));
  }
  setKnot(last);
  for (let i = 0; i < n; i++) put(gradientAt, i, finiteOr(partialOf(quantity, i) / scale, namesValue(quantity, i) ? UNBOUNDED : 0.0));
  takeAllBack(false);
  addUp();
}

/** From every target, and the value from the end; gives the most that a target makes of the tally. */
function takeAllBack(isTally: bool): f64 {
  const n = components, last = knots - 1;
  let most = 0.0;
  for (let k = last; k > 0; k -= k == last && last % TARGETS != 0 ? last % TARGETS : TARGETS) {
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

/** `count` rows at knot k, back to the first; of each interval the larger of what stands at its ends. */
function takeBack(k: i32, count: i32, isTally: bool): f64 {
  const n = components, other = rowsAt + (<usize>(n * n) << 3), bytes = <usize>(count * n) << 3;
  memory.fill(totalsAt, 0, <usize>n << 3);
  for (let j = k - 1; j >= 0; j--) {
    const m = matrix(j);
    for (let r = 0; r < count; r++) {
      for (let c = 0; c < n; c++) {
        let sum = 0.0;
        for (let l = 0; l < n; l++) sum += at(rowsAt, r * n + l) * at(m, l * n + c);
        put(other, r * n + c, finiteOr(sum, UNBOUNDED));
      }
    }
    if (isTally) countInterval(j, count, other, k - j < TARGETS); else { keep(j, count); }
    memory.copy(rowsAt, other, bytes);
    if (!isTally) keep(j, count);
  }
  let most = 0.0;
  for (let r = 0; r < count; r++) most = max(most, at(totalsAt, r));
  return most;
}

/** What rows at the ends of interval j make of the tally; the samples between two targets see all of what is near. */
function countInterval(j: i32, count: i32, other: usize, isNear: bool): void {
  const n = components;
  for (let r = 0; r < count; r++) {
    let sum = 0.0;
    for (let i = 0; i < n; i++) {
      const missed = at(tallyAt, j * n + i);
      if (missed == 0.0) continue;
      const own = isNear && count == n && i == r ? 1.0 / at(largestAt, i) : 0.0;
      sum += missed * max(own, max(abs(at(rowsAt, r * n + i)), abs(at(other, r * n + i))));
    }
    put(totalsAt, r, at(totalsAt, r) + sum);
  }
}

export function clearTally(): void { memory.fill(tallyAt, 0, <usize>(KNOTS * components) << 3); }

/** Rate i may miss so much a time between these times. */
export function addToTally(i: i32, from: f64, to: f64, missed: f64): void {
  const n = components, last = knots - 1, step = timeOfKnot(1) - timeOfKnot(0);
  const first = min(last - 1, max(0, <i32>floor((from - timeOfKnot(0)) / step)));
  for (let j = first; j < last && (j == first || timeOfKnot(j) < to); j++) {
    const overlap = min(to, j + 1 == last ? to : timeOfKnot(j + 1)) - max(from, j == first ? from : timeOfKnot(j));
    put(tallyAt, j * n + i, at(tallyAt, j * n + i) + missed * max(0.0, overlap));
  }
}

/** The most that what is missed counts anywhere. */
export function weighTally(): f64 { return takeAllBack(true); }

function keep(j: i32, count: i32): void {
  const n = components;
  for (let r = 0; r < count; r++) {
    for (let i = 0; i < n; i++) put(ratesAt, j * n + i, max(at(ratesAt, j * n + i), abs(at(rowsAt, r * n + i))));
  }
}

function addUp(): void {
  const n = components;
  for (let i = 0; i < n; i++) {
    put(sumsAt, i, 0.0);
    for (let j = 0; j < knots - 1; j++) put(sumsAt, (j + 1) * n + i, at(sumsAt, j * n + i) + at(ratesAt, j * n + i) * (timeOfKnot(j + 1) - timeOfKnot(j)));
  }
}

/** Of component i, at the start. */
export function firstSensitivity(i: i32): f64 { return at(ratesAt, i); }

/** ∫ of that of component i from the first knot to the time t. */
export function sensitivityUntil(i: i32, t: f64): f64 {
  const n = components, last = knots - 1, step = timeOfKnot(1) - timeOfKnot(0);
  const j = min(last - 1, max(0, <i32>floor((t - timeOfKnot(0)) / step)));
  return at(sumsAt, j * n + i) + at(ratesAt, j * n + i) * (t - timeOfKnot(j));
}

/** How far each component may be moved between these times, to count `allowed` at most: into n numbers at `to`. */
export function reachOver(from: f64, until: f64, allowed: f64, to: usize): void {
  const n = components, last = knots - 1, step = timeOfKnot(1) - timeOfKnot(0);
  const first = min(last - 1, max(0, <i32>floor((from - timeOfKnot(0)) / step)));
  for (let i = 0; i < n; i++) {
    let least = at(ratesAt, first * n + i);
    for (let j = first + 1; j < last && timeOfKnot(j) < until; j++) least = min(least, at(ratesAt, j * n + i));
    put(to, i, allowed / least);
  }
}

/** From knot j to the next: the product of (1 − hJ/2)⁻¹(1 + hJ/2) in the middle of each step of the track. */
function makeMatrix(j: i32): void {
  const n = components, to = matrix(j), jacobian = work, right = work + (<usize>(n * n) << 3), size = <usize>(n * n) << 3;
  const t = timeOfKnot(j), h = (timeOfKnot(j + 1) - t) / <f64>parts;
  memory.fill(to, 0, size);
  for (let i = 0; i < n; i++) put(to, i * n + i, 1.0);
  for (let k = 0; k < parts; k++) {
    for (let i = 0; i < n; i++) setValue(i, 0.5 * (trackValue(j, k, i) + trackValue(j, k + 1, i)));
    setValue(n, t + (<f64>k + 0.5) * h);
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < n; c++) put(jacobian, r * n + c, namesValue(r, c) ? 0.5 * h * finiteOr(partialOf(r, c), 0.0) : 0.0);
    }
    // (1 + hJ/2) times what is there, then (1 − hJ/2) is divided out
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < n; c++) {
        let sum = at(to, r * n + c);
        for (let l = 0; l < n; l++) sum += at(jacobian, r * n + l) * at(to, l * n + c);
        put(right, r * n + c, finiteOr(sum, UNBOUNDED));
      }
    }
    for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) put(jacobian, r * n + c, (r == c ? 1.0 : 0.0) - at(jacobian, r * n + c));
    divideOut(jacobian, right, n);
    memory.copy(to, right, size);
  }
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
