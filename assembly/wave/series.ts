// The strongest frequency of a series at equal times: the peak of its Hann-windowed transform, set finer by a parabola
// through the logarithms of three bins, then by least squares of m + a cos ωt + b sin ωt under the same window
// (Gauss–Newton). Of one sinusoid it is exact (F. Harris, Proc. IEEE 66 (1978) 51; Kay, Modern Spectral Estimation, §13).

import { allocate } from "../kernel/frame";
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
  return refined((<f64>peak + shift) / <f64>places, rows, count);
}

/** Gauss–Newton on {m, a, b, ω}: the normal equations of four columns. */
function refined(start: f64, rows: usize, count: i32): f64 {
  let omega = 2.0 * Math.PI * start, a = 0.0, b = 0.0;
  const middle = 0.5 * <f64>(count - 1), N = work;
  for (let round = 0; round < 12; round++) {
    memory.fill(N, 0, 160);
    for (let i = 0; i < count; i++) {
      const t = <f64>i - middle, c = Math.cos(omega * t), s = Math.sin(omega * t), w = hann(i, count);
      addEquation(N, w, c, s, round == 0 ? 0.0 : t * (b * c - a * s), sample(rows, i));
    }
    if (round == 0) store<f64>(N, 1.0, 120);
    if (!solveFour(N)) return start;
    a = load<f64>(N, 136); b = load<f64>(N, 144);
    const change = round == 0 ? 0.0 : load<f64>(N, 152);
    if (!(abs(change) * <f64>count < 4.0)) return start;
    omega += change;
    if (round > 0 && abs(change) <= 1e-14 * omega) break;
  }
  return omega / (2.0 * Math.PI);
}

/** Four rows of four and the right side behind them, of the columns 1, c, s, d. */
function addEquation(N: usize, w: f64, c: f64, s: f64, d: f64, u: f64): void {
  for (let p: usize = 0; p < 4; p++) {
    const left = w * (p == 0 ? 1.0 : p == 1 ? c : p == 2 ? s : d);
    const row = N + (p << 5);
    store<f64>(row, load<f64>(row) + left);
    store<f64>(row, load<f64>(row, 8) + left * c, 8);
    store<f64>(row, load<f64>(row, 16) + left * s, 16);
    store<f64>(row, load<f64>(row, 24) + left * d, 24);
    store<f64>(N + 128 + (p << 3), load<f64>(N + 128 + (p << 3)) + left * u);
  }
}

/** Cholesky's order without roots; the matrix is positive definite but for a column of zeros. */
function solveFour(N: usize): bool {
  for (let p: usize = 0; p < 4; p++) {
    const pivot = load<f64>(N + (p << 5) + (p << 3));
    if (!(pivot > 0.0)) return false;
    for (let q = p + 1; q < 4; q++) {
      const factor = load<f64>(N + (q << 5) + (p << 3)) / pivot;
      for (let r = p; r < 4; r++) {
        const at = N + (q << 5) + (r << 3);
        store<f64>(at, load<f64>(at) - factor * load<f64>(N + (p << 5) + (r << 3)));
      }
      store<f64>(N + 128 + (q << 3), load<f64>(N + 128 + (q << 3)) - factor * load<f64>(N + 128 + (p << 3)));
    }
  }
  for (let p: i32 = 3; p >= 0; p--) {
    const at = <usize>p;
    let sum = load<f64>(N + 128 + (at << 3));
    for (let q = at + 1; q < 4; q++) sum -= load<f64>(N + (at << 5) + (q << 3)) * load<f64>(N + 128 + (q << 3));
    store<f64>(N + 128 + (at << 3), sum / load<f64>(N + (at << 5) + (at << 3)));
  }
  return true;
}
