// Symmetric matrices by way of tridiagonal ones: Householder's reduction, Sturm's count, and an eigenvector by the
// twisted factorisation (Golub & Van Loan, Matrix Computations, 4th ed., §8.3.1 and §8.4.1; I. S. Dhillon, B. N.
// Parlett, SIAM J. Matrix Anal. 25 (2004) 858).

import { bandAxpy, bandDot } from "./banded";

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/**
 * Column k of n of Householder's reduction of the full symmetric matrix `a` (both triangles kept): d_k, and e_k² that
 * couples k and k + 1. `v`, `w`: scratch of n f64.
 */
export function reduceColumn(a: usize, n: i32, k: i32, d: usize, squares: usize, v: usize, w: usize): void {
  const rest = n - k - 1, row = a + ((<usize>k * <usize>n + <usize>(k + 1)) << 3);
  put(d, k, load<f64>(row - 8));
  if (rest <= 0) return;
  const square = bandDot(row, row, rest);
  put(squares, k, square);
  if (rest == 1 || square == 0.0) return;
  memory.copy(v, row, <usize>rest << 3);
  const first = at(v, 0);
  put(v, 0, first + (first < 0.0 ? -sqrt(square) : sqrt(square)));
  const beta = 2.0 / bandDot(v, v, rest);
  for (let i = 0; i < rest; i++) put(w, i, beta * bandDot(rowOf(a, n, k, i), v, rest));
  bandAxpy(-0.5 * beta * bandDot(w, v, rest), v, w, rest);
  for (let i = 0; i < rest; i++) {
    bandAxpy(-at(v, i), w, rowOf(a, n, k, i), rest);
    bandAxpy(-at(w, i), v, rowOf(a, n, k, i), rest);
  }
}

/** Row i of what is left behind column k. */
@inline function rowOf(a: usize, n: i32, k: i32, i: i32): usize {
  return a + ((<usize>(k + 1 + i) * <usize>n + <usize>(k + 1)) << 3);
}

/** How many eigenvalues of the tridiagonal (d, e²) lie below x. */
export function sturmCount(d: usize, squares: usize, n: i32, x: f64): i32 {
  let below = 0, q = 1.0;
  for (let i = 0; i < n; i++) {
    q = at(d, i) - x - (i > 0 ? at(squares, i - 1) / q : 0.0);
    if (q == 0.0) q = -1e-300;
    if (q < 0.0) below++;
  }
  return below;
}

/** Eigenvalue `index` within [low, high], by `halvings` halvings. */
export function bisected(d: usize, squares: usize, n: i32, index: i32, low: f64, high: f64, halvings: i32): f64 {
  for (let i = 0; i < halvings; i++) {
    const middle = 0.5 * (low + high);
    if (sturmCount(d, squares, n, middle) > index) high = middle; else low = middle;
  }
  return 0.5 * (low + high);
}

/** Eigenvector s of (d, e) at the eigenvalue x, of norm 1; the e are positive. `f`, `b`: scratch of n f64. */
export function tridiagonalVector(d: usize, e: usize, n: i32, x: f64, s: usize, f: usize, b: usize): void {
  for (let i = 0; i < n; i++) put(f, i, pivot(at(d, i) - x - (i > 0 ? at(e, i - 1) * at(e, i - 1) / at(f, i - 1) : 0.0)));
  for (let i = n - 1; i >= 0; i--) put(b, i, pivot(at(d, i) - x - (i < n - 1 ? at(e, i) * at(e, i) / at(b, i + 1) : 0.0)));
  let turn = 0, least = Infinity;
  for (let i = 0; i < n; i++) {
    const gap = abs(at(f, i) + at(b, i) - (at(d, i) - x));
    if (gap < least) { least = gap; turn = i; }
  }
  put(s, turn, 1.0);
  for (let i = turn - 1; i >= 0; i--) put(s, i, -at(e, i) * at(s, i + 1) / at(f, i));
  for (let i = turn + 1; i < n; i++) put(s, i, -at(e, i - 1) * at(s, i - 1) / at(b, i));
  const size = sqrt(bandDot(s, s, n));
  for (let i = 0; i < n; i++) put(s, i, at(s, i) / size);
}

@inline function pivot(q: f64): f64 { return q == 0.0 ? 1e-300 : q; }
