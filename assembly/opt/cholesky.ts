// Cholesky factors of small dense symmetric matrices, row by row.

import { at, put } from "./program";

@inline export function rowAt(matrix: usize, n: i32, i: i32): usize { return matrix + (<usize>(i * n) << 3); }

/** The lower triangle of `matrix` becomes L, A = LLᵀ; false where a pivot is not above `least`. */
export function cholesky(matrix: usize, n: i32, least: f64): bool {
  for (let i = 0; i < n; i++) {
    const row = rowAt(matrix, n, i);
    for (let j = 0; j <= i; j++) {
      const other = rowAt(matrix, n, j);
      let sum = at(row, j);
      for (let k = 0; k < j; k++) sum -= at(row, k) * at(other, k);
      if (j < i) put(row, j, sum / at(other, j));
      else if (!(sum > least)) return false;
      else put(row, i, sqrt(sum));
    }
  }
  return true;
}

/** b ← L⁻¹ b. */
export function forward(factor: usize, n: i32, b: usize): void {
  for (let i = 0; i < n; i++) {
    const row = rowAt(factor, n, i);
    let sum = at(b, i);
    for (let k = 0; k < i; k++) sum -= at(row, k) * at(b, k);
    put(b, i, sum / at(row, i));
  }
}

/** b ← L⁻ᵀ b. */
export function backward(factor: usize, n: i32, b: usize): void {
  for (let i = n - 1; i >= 0; i--) {
    let sum = at(b, i);
    for (let k = i + 1; k < n; k++) sum -= at(rowAt(factor, n, k), i) * at(b, k);
    put(b, i, sum / at(rowAt(factor, n, i), i));
  }
}

/**
 * Smallest pivot of the factorization with the largest diagonal first, in units of the largest entry; negative for an
 * indefinite matrix, about 0 for one that is semidefinite. `matrix` is used up.
 */
export function smallestPivot(matrix: usize, n: i32): f64 {
  let scale = 0.0;
  for (let i = 0; i < n * n; i++) scale = max(scale, abs(at(matrix, i)));
  if (scale == 0.0) return 0.0;
  let least = Infinity;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (at(rowAt(matrix, n, i), i) > at(rowAt(matrix, n, best), best)) best = i;
    exchangeBoth(matrix, n, k, best);
    const pivot = at(rowAt(matrix, n, k), k) / scale;
    least = min(least, pivot);
    if (pivot <= 1e-13 * <f64>n) return min(least, leastOfRest(matrix, n, k) / scale);
    for (let i = k + 1; i < n; i++) {
      const row = rowAt(matrix, n, i), factor = at(row, k) / (pivot * scale);
      for (let j = k + 1; j < n; j++) put(row, j, at(row, j) - factor * at(rowAt(matrix, n, k), j));
    }
  }
  return least;
}

/** With no diagonal left above 0, any entry aside of it makes the rest indefinite. */
function leastOfRest(matrix: usize, n: i32, k: i32): f64 {
  let least = Infinity;
  for (let i = k; i < n; i++) for (let j = k; j < n; j++) {
    const entry = at(rowAt(matrix, n, i), j);
    least = min(least, i == j ? entry : -abs(entry));
  }
  return least;
}

function exchangeBoth(matrix: usize, n: i32, i: i32, j: i32): void {
  if (i == j) return;
  for (let k = 0; k < n; k++) {
    const x = at(rowAt(matrix, n, i), k);
    put(rowAt(matrix, n, i), k, at(rowAt(matrix, n, j), k));
    put(rowAt(matrix, n, j), k, x);
  }
  for (let k = 0; k < n; k++) {
    const row = rowAt(matrix, n, k), x = at(row, i);
    put(row, i, at(row, j));
    put(row, j, x);
  }
}
