// What the verdict of `kalman` knows without the filter: one step of the covariance, and the limit of the Riccati equation
// by Newton's method (Hewer, IEEE Trans. Autom. Control 16 (1971) 382) from a gain that is nearly right.

import { allocate } from "../kernel/frame";
import { addTo, at, eliminate, largest, multiply, multiplyTransposed, put, symmetrise } from "./matrix";
import { bytes, F, H, m, n, Q, R, steady } from "./problem";

/** So often the closed loop of a run may be squared: after 2²⁰ steps what is left of a start is below what the gate asks. */
const MOST_SQUARINGS: i32 = 20;
/** And that of the limit itself, as often as the kernel doubles. */
const SQUARINGS_OF_STEADY: i32 = 48;
const NEWTON_STEPS: i32 = 3;
/** Matrices of any of the sizes; W holds the limit. */
export let T: usize = 0, U: usize = 0, D: usize = 0, E: usize = 0, W: usize = 0;
let A: usize = 0, gainNow: usize = 0;

export function layOutLimit(): void {
  const wide = bytes(max(n, m) * max(n, m));
  T = allocate(wide); U = allocate(wide); D = allocate(wide); E = allocate(wide);
  A = allocate(wide); W = allocate(wide);
  gainNow = allocate(bytes(n * m));
}

/** U = P⁻Hᵀ, D = S. */
export function layInnovationCovariance(prior: usize): void {
  multiplyTransposed(prior, H, U, n, n, m);
  multiply(H, U, D, m, n, m);
  addTo(D, R, m * m);
}

/** F P Fᵀ + Q. */
export function layPrior(P: usize, to: usize): void {
  multiply(F, P, T, n, n, n);
  multiplyTransposed(T, F, to, n, n, n);
  addTo(to, Q, n * n);
}

/** W ← the limit of P by Newton's method from the gain; false where the gain does not hold the state. */
export function findLimit(gain: usize): bool {
  memory.copy(gainNow, gain, bytes(n * m));
  for (let step = 0; step < NEWTON_STEPS; step++) {
    if (!layConstantGain()) return false;
    if (step < NEWTON_STEPS - 1 && !nextGain()) return false;
  }
  return true;
}

/** W ← covariance of the filter with the constant gain `gainNow`. */
function layConstantGain(): bool {
  multiply(gainNow, H, D, n, m, n);
  for (let i = 0; i < n * n; i++) put(D, i, (i % (n + 1) == 0 ? 1.0 : 0.0) - at(D, i));
  multiply(D, F, A, n, n, n);
  multiply(D, Q, T, n, n, n);
  multiplyTransposed(T, D, W, n, n, n);
  multiply(gainNow, R, T, n, m, m);
  multiplyTransposed(T, gainNow, D, n, m, n);
  addTo(W, D, n * n);
  const most = steady ? SQUARINGS_OF_STEADY : MOST_SQUARINGS;
  for (let squaring = 0; squaring < most; squaring++) {
    multiply(A, W, T, n, n, n);
    multiplyTransposed(T, A, D, n, n, n);
    addTo(W, D, n * n);
    multiply(A, A, D, n, n, n);
    memory.copy(A, D, bytes(n * n));
    const left = largest(A, n * n);
    if (!(left < 1e150)) return false;
    if (<f64>n * left * left <= 1e-16) { symmetrise(W, n); return true; }
  }
  return false;
}

/** K = P⁻Hᵀ S⁻¹ from W. */
function nextGain(): bool {
  layPrior(W, E);
  layInnovationCovariance(E);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) put(T, j * n + i, at(U, i * m + j));
  if (!eliminate(D, T, m, n)) return false;
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) put(gainNow, i * m + j, at(T, j * n + i));
  return true;
}
