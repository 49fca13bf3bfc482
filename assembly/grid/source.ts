// A source that is a formula of x, y and t on the nodes of a grid, laid out anew for each time, and what holds it to
// the formula: at 17 steps of a run, spread over it evenly, the kernel keeps a sum over the nodes, whose weights grow
// along both axes so that places cannot be exchanged. The verdict makes the sums again from its own evaluator.

import { layFormulaRow, plainAt, setTime } from "./formula";

const SAMPLES: i32 = 17;
/** Bytes of the sums, to a multiple of 16. */
export const SAMPLE_BYTES: usize = 144;

/** Formula j on all nodes, row by row, at t seconds after the start. */
export function laySourceAt(j: i32, t: f64, places: usize, nx: i32, ny: i32, dy: f64, to: usize): void {
  const columns = <usize>(nx + 1) << 3;
  setTime(t);
  for (let row = 0; row <= ny; row++)
    layFormulaRow(j, places, nx + 1, ny > 0 ? <f64>row * dy : 0.0, to + columns * <usize>row);
}

@inline export function weight(i: i32, j: i32, nx: i32, ny: i32): f64 {
  return 1.0 + <f64>i / <f64>nx + (ny > 0 ? 2.0 * <f64>j / <f64>ny : 0.0);
}

// ---- samples: step `first` + ⌊k (count − 1)/16⌋ of the `count` that a run makes ----------------------------

@inline export function lastSample(count: i64): i64 { return min<i64>(SAMPLES, count) - 1; }
@inline export function sampleStep(k: i64, first: i64, count: i64): i64 {
  return lastSample(count) > 0 ? first + k * (count - 1) / lastSample(count) : first;
}

/** Number of the sample that step n is, or −1. */
export function sampleAt(n: i64, first: i64, count: i64): i32 {
  const k = count > 1 ? ((n - first) * lastSample(count) + count - 2) / (count - 1) : 0;
  return k >= 0 && k <= lastSample(count) && sampleStep(k, first, count) == n ? <i32>k : -1;
}

/** Keeps the sum of `array` where step n is one that is sampled. */
export function keepSample(sums: usize, n: i64, first: i64, count: i64, array: usize, nx: i32, ny: i32): void {
  const k = sampleAt(n, first, count);
  if (k < 0) return;
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++, array += 8) sum += weight(i, j, nx, ny) * load<f64>(array);
  }
  store<f64>(sums + (<usize>k << 3), sum);
}

// ---- for verdicts ----------------------------------------------------------------------------------------

/** The sum that is furthest from the formula: as it was kept, as it is, and their distance over the size of all. */
export let keptSum: f64 = 0, askedSum: f64 = 0, sampleError: f64 = 0;
let sum: f64 = 0, size: f64 = 0, worst: f64 = 0, largest: f64 = 0;

export function openSamples(): void { worst = -1.0; largest = 0.0; sum = 0.0; size = 0.0; }
/** One node's term of a sum; `noise` of it may be rounding. */
@inline export function addTerm(term: f64, noise: f64): void { sum += term; size += abs(term) + noise; }
/** All terms have been: what was kept of them. */
export function closeSample(kept: f64): void {
  const apart = abs(kept - sum);
  largest = max(largest, size);
  if (!(apart <= worst) && !isNaN(worst)) { worst = apart; keptSum = kept; askedSum = sum; }
  sampleError = largest > 0.0 ? worst / largest : worst;
  sum = 0.0; size = 0.0;
}

/** `late`: how far behind a step's beginning, in steps, the source was taken. */
export function judgeSamples(
  sums: usize, j: i32, first: i64, count: i64, dt: f64, late: f64, nx: i32, ny: i32, dx: f64, dy: f64,
): void {
  openSamples();
  for (let k: i64 = 0; k <= lastSample(count); k++) {
    const t = (<f64>sampleStep(k, first, count) + late) * dt;
    for (let row = 0; row <= ny; row++) {
      for (let i = 0; i <= nx; i++) {
        addTerm(weight(i, row, nx, ny) * plainAt(j, <f64>i * dx, ny > 0 ? <f64>row * dy : 0.0, t), 0.0);
      }
    }
    closeSample(load<f64>(sums + (<usize>k << 3)));
  }
}

/** Points of the formula that this takes. */
@inline export function samplePoints(nodes: u64): u64 { return <u64>SAMPLES * nodes; }
