// The strongest frequency of a series at equal times: the peak of its Hann-windowed transform, set finer by a parabola
// through the logarithms of three bins, then by least squares of m + e^(−γt)(a cos ωt + b sin ωt) under Nuttall's window
// (Gauss–Newton). Of one sinusoid that dies away it is exact (F. Harris, Proc. IEEE 66 (1978) 51; Kay, Modern Spectral
// Estimation, §13).
//
// Other lines pull it. Those that the window parts from it hardly do, and do it otherwise in a part of the series. One too
// close to be parted makes the line beat: what least squares leave at its own place, r of it, grows as (Δω T)², and the
// frequency is off by up to Δω, of ωT: about √r. Twice that is counted (measured on pairs of lines of all distances).

import { allocate } from "../kernel/frame";
import { nuttall } from "../math/window";
import { fftForward, frequencyAt, layOutTwiddles, twiddleBytes } from "../math/fft";

let work: usize = 0, table: usize = 0, places: i32 = 0;

/** Room for series of up to `places`, a power of two. */
export function layOutSeries(size: i32): void {
  places = size;
  work = allocate(<usize>size << 4);
  table = allocate(twiddleBytes(size));
  layOutTwiddles(table, size);
}

@inline function sample(rows: usize, i: i32): f64 { return load<f64>(rows + (<usize>i << 4), 8); }
@inline function hann(i: i32, count: i32): f64 {
  return count > 1 ? 0.5 - 0.5 * Math.cos(2.0 * Math.PI * <f64>i / <f64>(count - 1)) : 1.0;
}

/** Amplitudes of the bins 0 … places/2 − 1 at `to`, without the mean; rows of {t, u}. */
export function layOutSpectrum(to: usize, rows: usize, count: i32): void {
  let mean = 0.0, weight = 0.0;
  for (let i = 0; i < count; i++) { mean += hann(i, count) * sample(rows, i); weight += hann(i, count); }
  mean = weight > 0.0 ? mean / weight : 0.0;
  memory.fill(work, 0, <usize>places << 4);
  for (let i = 0; i < count; i++) store<f64>(work + (<usize>i << 4), hann(i, count) * (sample(rows, i) - mean));
  fftForward(work, places, 1, table);
  for (let p = 0; p < places; p++) {
    const bin = frequencyAt(p, places), at = work + (<usize>p << 4);
    if (bin < 0 || bin >= places >> 1) continue;
    const re = load<f64>(at), im = load<f64>(at, 8);
    store<f64>(to + (<usize>bin << 3), weight > 0.0 ? 2.0 * sqrt(re * re + im * im) / weight : 0.0);
  }
}

/** Frequency in turns per row, 0 where there is none; `spectrum` is its own. */
export function strongestFrequency(spectrum: usize, rows: usize, count: i32): f64 {
  let peak = 1;
  for (let k = 1; k < (places >> 1) - 1; k++)
    if (load<f64>(spectrum + (<usize>k << 3)) > load<f64>(spectrum + (<usize>peak << 3))) peak = k;
  const at = spectrum + (<usize>peak << 3), middle = load<f64>(at);
  if (!(middle > 0.0)) return 0.0;
  const low = load<f64>(at - 8), high = load<f64>(at, 8);
  let shift = 0.0;
  if (low > 0.0 && high > 0.0) {
    const a = Math.log(low), b = Math.log(middle), c = Math.log(high);
    shift = a - 2.0 * b + c < 0.0 ? 0.5 * (a - c) / (a - 2.0 * b + c) : 0.0;
  }
  const start = max(0.0, <f64>peak + shift) / <f64>places, found = lineNear(start, rows, count);
  return found > 0.0 ? found : start;
}

/** How far `frequency`, which was found in these rows, may be off, over itself: by what parts of them say, and by what is left beside it. */
export function frequencyError(frequency: f64, rows: usize, count: i32): f64 {
  if (isNaN(lineNear(frequency, rows, count))) return 1.0;
  let worst = 2.0 * sqrt(leftBeside(rows, count)) / (frequency * <f64>(count - 1));
  const part = count - (count >> 2);
  for (let k = 0; k < 3; k++) {
    const found = lineNear(frequency, rows + (<usize>((count - part) * k >> 1) << 4), part), off = abs(found / frequency - 1.0);
    if (!(off <= worst)) worst = isNaN(off) ? 1.0 : off;
  }
  return worst;
}

/** What `lineNear` found: ω, γ, and m, a, b. */
let omega: f64 = 0, gamma: f64 = 0, m: f64 = 0, a: f64 = 0, b: f64 = 0;

/** Gauss–Newton on {m, a, b, ω, γ}: the normal equations of five columns. NaN where it does not come to an end nearby. */
function lineNear(start: f64, rows: usize, count: i32): f64 {
  omega = 2.0 * Math.PI * start; gamma = 0.0; a = 0.0; b = 0.0;
  const middle = 0.5 * <f64>(count - 1), N = work, right = N + 200;
  for (let round = 0; round < 16; round++) {
    memory.fill(N, 0, 240);
    for (let i = 0; i < count; i++) {
      const t = <f64>i - middle, e = Math.exp(-gamma * t), c = e * Math.cos(omega * t), s = e * Math.sin(omega * t);
      const turned = round == 0 ? 0.0 : t * (b * c - a * s), faded = round == 0 ? 0.0 : -t * (a * c + b * s);
      addEquation(N, nuttall(<f64>i / <f64>(count - 1)), c, s, turned, faded, sample(rows, i));
    }
    if (round == 0) { store<f64>(N, 1.0, 144); store<f64>(N, 1.0, 192); }
    if (!solveFive(N)) return NaN;
    m = load<f64>(right); a = load<f64>(right, 8); b = load<f64>(right, 16);
    if (round == 0) continue;
    const change = load<f64>(right, 24), fades = load<f64>(right, 32);
    if (!(abs(change) * <f64>count < 4.0 && abs(fades) * <f64>count < 4.0)) return NaN;
    omega += change; gamma += fades;
    if (abs(change) <= 1e-14 * omega) break;
  }
  return omega / (2.0 * Math.PI);
}

/** Largest amplitude, over that of the line, that the rows without it have within two bins of its place. */
function leftBeside(rows: usize, count: i32): f64 {
  const middle = 0.5 * <f64>(count - 1);
  let worst = 0.0, weight = 0.0;
  for (let k = -2; k <= 2; k++) {
    const here = omega + 2.0 * Math.PI * <f64>k / <f64>(count - 1);
    let re = 0.0, im = 0.0;
    weight = 0.0;
    for (let i = 0; i < count; i++) {
      const t = <f64>i - middle, w = nuttall(<f64>i / <f64>(count - 1)), line = Math.exp(-gamma * t) * (a * Math.cos(omega * t) + b * Math.sin(omega * t));
      const left = w * (sample(rows, i) - m - line);
      weight += w; re += left * Math.cos(here * t); im += left * Math.sin(here * t);
    }
    worst = max(worst, 2.0 * sqrt(re * re + im * im) / weight);
  }
  return worst / sqrt(a * a + b * b);
}

/** Five rows of five and the right side behind them, of the columns 1, c, s, d, g. */
function addEquation(N: usize, w: f64, c: f64, s: f64, d: f64, g: f64, u: f64): void {
  for (let p: usize = 0; p < 5; p++) {
    const left = w * (p == 0 ? 1.0 : p == 1 ? c : p == 2 ? s : p == 3 ? d : g), row = N + 40 * p;
    store<f64>(row, load<f64>(row) + left);
    store<f64>(row, load<f64>(row, 8) + left * c, 8);
    store<f64>(row, load<f64>(row, 16) + left * s, 16);
    store<f64>(row, load<f64>(row, 24) + left * d, 24);
    store<f64>(row, load<f64>(row, 32) + left * g, 32);
    store<f64>(N + 200 + (p << 3), load<f64>(N + 200 + (p << 3)) + left * u);
  }
}

/** Cholesky's order without roots; the matrix is positive definite but for a column of zeros. */
function solveFive(N: usize): bool {
  const right = N + 200;
  for (let p = 0; p < 5; p++) {
    const pivot = load<f64>(N + 40 * p + (p << 3));
    if (!(pivot > 0.0)) return false;
    for (let q = p + 1; q < 5; q++) {
      const factor = load<f64>(N + 40 * q + (p << 3)) / pivot;
      for (let r = p; r < 5; r++) {
        const at = N + 40 * q + (r << 3);
        store<f64>(at, load<f64>(at) - factor * load<f64>(N + 40 * p + (r << 3)));
      }
      store<f64>(right + (q << 3), load<f64>(right + (q << 3)) - factor * load<f64>(right + (p << 3)));
    }
  }
  for (let p: i32 = 4; p >= 0; p--) {
    const at = <usize>p;
    let sum = load<f64>(right + (at << 3));
    for (let q = at + 1; q < 5; q++) sum -= load<f64>(N + 40 * at + (q << 3)) * load<f64>(right + (q << 3));
    store<f64>(right + (at << 3), sum / load<f64>(N + 40 * at + (at << 3)));
  }
  return true;
}
