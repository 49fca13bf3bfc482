// Eigenvalues of dense complex matrices: Householder's reflections to Hessenberg form, then QR with Wilkinson's shifts
// (Golub & Van Loan, Matrix Computations, 4th ed., §7.4.2 and §7.5). Rows one after another, (re, im) for each entry.

import { im, over, re, rootOf, times } from "../math/complex";
import { addComplex, complexAxpy } from "./complex-band";

const EPSILON: f64 = 2.220446049250313e-16;
const ROUNDS: i32 = 60;

@inline function entry(a: usize, n: i32, i: i32, j: i32): usize { return a + ((<usize>i * <usize>n + <usize>j) << 4); }
@inline function sizeAt(at: usize): f64 { return Math.hypot(load<f64>(at), load<f64>(at, 8)); }

/** Column k below its second place to 0 by I − βvvᴴ, from both sides. `room`: 2n complex numbers. */
function reflect(a: usize, n: i32, k: i32, room: usize): void {
  const first = k + 1, count = n - first, sums = room + (<usize>n << 4);
  let square = 0.0;
  for (let i = first; i < n; i++) {
    const at = entry(a, n, i, k);
    memory.copy(room + (<usize>(i - first) << 4), at, 16);
    square += load<f64>(at) * load<f64>(at) + load<f64>(at, 8) * load<f64>(at, 8);
  }
  const size = sizeAt(room), norm = sqrt(square);
  if (norm == 0.0) return;
  const phaseRe = size == 0.0 ? 1.0 : load<f64>(room) / size, phaseIm = size == 0.0 ? 0.0 : load<f64>(room, 8) / size;
  addComplex(room, norm * phaseRe, norm * phaseIm);
  const beta = 1.0 / (norm * (norm + size));
  memory.fill(sums, 0, <usize>(n - k) << 4);
  for (let i = 0; i < count; i++) {
    const v = room + (<usize>i << 4);
    complexAxpy(entry(a, n, first + i, k), sums, n - k, load<f64>(v), -load<f64>(v, 8));
  }
  for (let i = 0; i < count; i++) {
    const v = room + (<usize>i << 4);
    complexAxpy(sums, entry(a, n, first + i, k), n - k, -beta * load<f64>(v), -beta * load<f64>(v, 8));
  }
  for (let i = 0; i < count; i++) store<f64>(room + (<usize>i << 4), -load<f64>(room + (<usize>i << 4), 8), 8);
  for (let i = 0; i < n; i++) {
    const row = entry(a, n, i, first);
    let sumRe = 0.0, sumIm = 0.0;
    for (let j = 0; j < count; j++) {
      const v = room + (<usize>j << 4), x = row + (<usize>j << 4);
      sumRe += load<f64>(x) * load<f64>(v) + load<f64>(x, 8) * load<f64>(v, 8);
      sumIm += load<f64>(x, 8) * load<f64>(v) - load<f64>(x) * load<f64>(v, 8);
    }
    complexAxpy(room, row, count, -beta * sumRe, -beta * sumIm);
  }
}

/** The eigenvalue of the last two rows that is nearer to the last entry. */
function wilkinson(a: usize, n: i32, last: i32): void {
  const d = entry(a, n, last, last), c = entry(a, n, last, last - 1), b = entry(a, n, last - 1, last), p = entry(a, n, last - 1, last - 1);
  const halfRe = 0.5 * (load<f64>(p) - load<f64>(d)), halfIm = 0.5 * (load<f64>(p, 8) - load<f64>(d, 8));
  times(load<f64>(b), load<f64>(b, 8), load<f64>(c), load<f64>(c, 8));
  const acrossRe = re, acrossIm = im;
  times(halfRe, halfIm, halfRe, halfIm);
  rootOf(re + acrossRe, im + acrossIm);
  const sign = re * halfRe + im * halfIm < 0.0 ? -1.0 : 1.0, sumRe = halfRe + sign * re, sumIm = halfIm + sign * im;
  if (sumRe == 0.0 && sumIm == 0.0) { times(load<f64>(d), load<f64>(d, 8), 1.0, 0.0); return; }
  over(acrossRe, acrossIm, sumRe, sumIm);
  times(load<f64>(d) - re, load<f64>(d, 8) - im, 1.0, 0.0);
}

/** H − σI = QR, H ← RQ + σI in rows and columns [first, last], by Givens' rotations. */
function sweep(a: usize, n: i32, first: i32, last: i32, shiftRe: f64, shiftIm: f64, room: usize): void {
  for (let k = first; k <= last; k++) addComplex(entry(a, n, k, k), -shiftRe, -shiftIm);
  for (let k = first; k < last; k++) {
    const x = entry(a, n, k, k), y = entry(a, n, k + 1, k), size = Math.hypot(sizeAt(x), sizeAt(y)), g = room + (<usize>k << 5);
    store<f64>(g, size == 0.0 ? 1.0 : load<f64>(x) / size);
    store<f64>(g, size == 0.0 ? 0.0 : load<f64>(x, 8) / size, 8);
    store<f64>(g, size == 0.0 ? 0.0 : load<f64>(y) / size, 16);
    store<f64>(g, size == 0.0 ? 0.0 : load<f64>(y, 8) / size, 24);
    rotate(x, y, 16, last - k + 1, load<f64>(g), -load<f64>(g, 8), load<f64>(g, 16), -load<f64>(g, 24));
  }
  for (let k = first; k < last; k++) {
    const g = room + (<usize>k << 5), rows = min(k + 2, last) - first + 1;
    rotate(
      entry(a, n, first, k), entry(a, n, first, k + 1), <usize>n << 4, rows,
      load<f64>(g), load<f64>(g, 8), load<f64>(g, 16), load<f64>(g, 24),
    );
  }
  for (let k = first; k <= last; k++) addComplex(entry(a, n, k, k), shiftRe, shiftIm);
}

/** (x, y) ← (cx + sy, c̄y − s̄x). */
function rotate(x: usize, y: usize, stride: usize, count: i32, cRe: f64, cIm: f64, sRe: f64, sIm: f64): void {
  for (let i = 0; i < count; i++, x += stride, y += stride) {
    const p = load<f64>(x), q = load<f64>(x, 8), r = load<f64>(y), s = load<f64>(y, 8);
    store<f64>(x, cRe * p - cIm * q + sRe * r - sIm * s);
    store<f64>(x, cRe * q + cIm * p + sRe * s + sIm * r, 8);
    store<f64>(y, cRe * r + cIm * s - sRe * p - sIm * q);
    store<f64>(y, cRe * s - cIm * r - sRe * q + sIm * p, 8);
  }
}

/** a is overwritten; its n eigenvalues go to `values`. `room`: 2n complex numbers. Whether all were found. */
export function complexEigenvalues(a: usize, n: i32, values: usize, room: usize): bool {
  for (let k = 0; k < n - 2; k++) reflect(a, n, k, room);
  for (let last = n - 1, rounds = 0; last > 0; ) {
    let first = last;
    while (first > 0) {
      const around = sizeAt(entry(a, n, first, first)) + sizeAt(entry(a, n, first - 1, first - 1));
      if (sizeAt(entry(a, n, first, first - 1)) <= EPSILON * around) break;
      first--;
    }
    if (first == last) { last--; rounds = 0; continue; }
    if (rounds++ == ROUNDS) return false;
    wilkinson(a, n, last);
    const aside = rounds % 10 == 0 ? sizeAt(entry(a, n, last, last - 1)) : 0.0;
    sweep(a, n, first, last, re + aside, im, room);
  }
  for (let i = 0; i < n; i++) memory.copy(values + (<usize>i << 4), entry(a, n, i, i), 16);
  return true;
}
