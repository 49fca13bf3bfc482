// Kalman's filter (J. Basic Eng. 82 (1960) 35) for x' = Fx + Bu + w, z = Hx + v, w ~ N(0, Q), v ~ N(0, R): each
// measurement first predicts, then updates,
//
//   x ← Fx + Bu, P ← FPFᵀ + Q;   y = z − Hx, S = HPHᵀ + R, K = PHᵀS⁻¹, x ← x + Ky, P ← (1 − KH)P(1 − KH)ᵀ + KRKᵀ
//
// by Joseph's form and Cholesky's factor of S (Anderson & Moore, Optimal Filtering, §3.1, 6.3; Bucy & Joseph 1968). The
// smoother then goes back (Rauch, Tung & Striebel, AIAA J. 3 (1965) 1445): x ← x_k + C (x_{k+1} − Fx_k − Bu), C = P_k Fᵀ
// P⁻¹_{k+1|k}. The steady state is the limit of the Riccati equation by doubling (Chu, Fan, Lin & Wang, Int. J. Control 77
// (2004) 767): A ← A W A, G ← G + A W G Aᵀ, X ← X + Aᵀ X W A, W = (1 + GX)⁻¹, from Fᵀ, HᵀR⁻¹H, Q. X counts from Z, 0 at
// first; from another Z, with its gain K and S, doubling begins at ((1 − KH)ᵀFᵀ, HᵀS⁻¹H, FPFᵀ + Q − Z). A mode that grows
// and has no noise stays at 0 from Z = 0, though the filter does not: then A, the powers of the closed loop, grows, and Z
// is what the filter itself makes of a great covariance, whose gain holds every state that is seen (Bitmead, Gevers,
// Petersen & Kaye, Syst. Control Lett. 5 (1985) 309).
//
// Parameters: assembly/kalman/problem.ts.
// State body (f64):  x n · P n×n · P before the measurement n×n · K n×m · ln L · steady: A, G, X n×n each, steps of the
//   filter to a Z that still follow (0 before them, −1 after), Z as P before the measurement · smoother: x smoothed n, then
//   for each measurement x n, P n×n, before it x n, P n×n
// Step = a measurement; then one back; or a doubling.
// Rows (f64):  of a measurement x n · P n×n · ln L · y m · yᵀS⁻¹y · K n×m; of a step back x smoothed n, from the last but
//   one on
// Result (f64):  x n · P n×n · P before the measurement n×n · K n×m · ln L · measurements so far, those of the jobs
//   before among them

import {
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, restoreState, rowsFull, running, show,
  spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  addTo, at, cholesky, eliminate, largest, multiply, multiplyTransposed, put, solveLower, solveUpper, symmetrise,
  transpose,
} from "../kalman/matrix";
import {
  B, bytes, count, earlierCount, earlierLogL, F, H, m, n, p, P0, Q, R, readProblem, resultNumbers, rowNumbers, smooths,
  steady, u, x0, z,
} from "../kalman/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const MOST_DOUBLINGS: u64 = 48;
/** Beside n, the steps of the filter from a great covariance, GREAT times the noises, to a Z. */
const FILTER_STEPS: i32 = 32;
/** The powers of a closed loop beyond this grow for ever, or have lost their digits. */
const GROWS: f64 = 1e8;
const GREAT: f64 = 1e6;
const LN_TURN: f64 = 1.8378770664093453;
const BUFFERED_BYTES: i32 = 1 << 18;

let x: usize = 0, P: usize = 0, prior: usize = 0, K: usize = 0, logL: usize = 0, A: usize = 0, G: usize = 0, X: usize = 0;
let ahead: usize = 0;
let smoothed: usize = 0, kept: usize = 0;
let T: usize = 0, U: usize = 0, S: usize = 0, V: usize = 0, y: usize = 0, xp: usize = 0;
/** Fᵀ and Hᵀ: a product with what lies transposed goes row by row, two columns at once. */
let Ft: usize = 0, Ht: usize = 0;
let units: u64 = 0;

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  const square = bytes(n * n), own = n + 2 * n * n + n * m + 1;
  const memory = own + (steady ? 3 * n * n + 1 : 0) + (smooths ? n + count * (2 * n + 2 * n * n) : 0);
  x = openState(bytes(memory));
  watchFinite(x, memory);
  P = x + bytes(n); prior = P + square; K = prior + square; logL = K + bytes(n * m);
  A = logL + 8; G = A + square; X = G + square; ahead = X + square;
  smoothed = logL + 8; kept = smoothed + bytes(n);
  const wide = max(n, m), scratch = bytes(wide * wide);
  T = allocate(scratch); U = allocate(scratch); S = allocate(scratch); V = allocate(scratch);
  y = allocate(bytes(m)); xp = allocate(bytes(n));
  Ft = allocate(square); Ht = allocate(bytes(n * m));
  transpose(F, Ft, n, n);
  transpose(H, Ht, m, n);
  openRows(max(8, BUFFERED_BYTES / (rowNumbers() * 8)) * rowNumbers() * 8);
  units = unitsOfStep();
}

/** Products at 4/3 ns each, what is done once for an entry, and a logarithm for a measurement (src/solvers/kalman.ts). */
function unitsOfStep(): u64 {
  const a = <u64>n, b = <u64>m, products = steady ? 11 * a * a * a : 4 * a * a * a + 3 * a * b * (a + b) + b * b * b / 6;
  return 4 * products / 3 + 15 * (a + b) * (a + b) + 30 * b + 250;
}

export function start(_budget: i32): i32 {
  prepare();
  memory.copy(x, x0, bytes(n));
  memory.copy(P, P0, bytes(n * n));
  store<f64>(logL, earlierLogL);
  if (steady) { memory.fill(prior, 0, bytes(n * n)); put(ahead, 0, 0.0); layRiccati(); }
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- filter --------------------------------------------------------------------------------------------

/** x ← Fx + Bu_k, P ← FPFᵀ + Q, kept as what is known before the measurement. */
function predict(k: i32): void {
  multiply(F, x, xp, n, n, 1);
  for (let i = 0; i < n; i++) {
    let sum = at(xp, i);
    for (let j = 0; j < p; j++) sum += at(B, i * p + j) * at(u, k * p + j);
    put(x, i, sum);
  }
  layPrior(prior);
}

function layPrior(to: usize): void {
  multiply(F, P, T, n, n, n);
  multiply(T, Ft, to, n, n, n);
  addTo(to, Q, n * n);
  symmetrise(to, n);
}

/** K of `prior`, with S's factor in S. */
function gain(): bool {
  multiply(H, prior, T, m, n, n);
  multiply(T, Ht, S, m, n, m);
  addTo(S, R, m * m);
  symmetrise(S, m);
  if (!cholesky(S, m)) return false;
  solveLower(S, T, m, n);
  solveUpper(S, T, m, n);
  transpose(T, K, m, n);
  return true;
}

/** T ← 1 − KH. */
function layRest(): void {
  multiply(K, H, T, n, m, n);
  for (let i = 0; i < n * n; i++) put(T, i, 0.0 - at(T, i));
  for (let i = 0; i < n; i++) put(T, i * n + i, 1.0 + at(T, i * n + i));
}

/** P ← (1 − KH) P (1 − KH)ᵀ + K R Kᵀ. */
function joseph(): void {
  layRest();
  multiply(T, prior, U, n, n, n);
  transpose(T, V, n, n);
  multiply(U, V, P, n, n, n);
  multiply(K, R, U, n, m, m);
  transpose(K, V, n, m);
  multiply(U, V, T, n, m, n);
  addTo(P, T, n * n);
  symmetrise(P, n);
}

/** One measurement; its row. */
function measure(k: i32): void {
  predict(k);
  if (smooths) keepPrior(k);
  if (!gain()) { fail(Status.NON_FINITE); return; }
  for (let i = 0; i < m; i++) {
    let sum = at(z, k * m + i);
    for (let j = 0; j < n; j++) sum -= at(H, i * n + j) * at(x, j);
    put(y, i, sum);
  }
  multiply(K, y, xp, n, m, 1);
  addTo(x, xp, n);
  joseph();
  const row = appendRow(rowNumbers() * 8);
  memory.copy(row + bytes(n + n * n + 1), y, bytes(m));
  solveLower(S, y, m, 1);
  let square = 0.0, logDet = 0.0;
  for (let i = 0; i < m; i++) { square += at(y, i) * at(y, i); logDet += 2.0 * Math.log(at(S, i * m + i)); }
  store<f64>(logL, load<f64>(logL) - 0.5 * (<f64>m * LN_TURN + logDet + square));
  memory.copy(row, x, bytes(n + n * n));
  put(row, n + n * n, load<f64>(logL));
  put(row, n + n * n + 1 + m, square);
  memory.copy(row + bytes(n + n * n + 2 + m), K, bytes(n * m));
  if (smooths) memory.copy(keptAt(k), x, bytes(n + n * n));
}

// ---- smoother ------------------------------------------------------------------------------------------

@inline function keptAt(k: i32): usize { return kept + bytes(k * (2 * n + 2 * n * n)); }

function keepPrior(k: i32): void {
  memory.copy(keptAt(k) + bytes(n + n * n), x, bytes(n));
  memory.copy(keptAt(k) + bytes(2 * n + n * n), prior, bytes(n * n));
}

/** From k+1 to k: C = P_k Fᵀ P⁻¹ without P⁻¹, in units of the deviations; directions without variance are left alone. */
function back(k: i32): void {
  const here = keptAt(k), later = keptAt(k + 1) + bytes(n + n * n);
  if (k == count - 2) memory.copy(smoothed, keptAt(k + 1), bytes(n));
  for (let i = 0; i < n; i++) put(xp, i, at(smoothed, i) - at(later, i));
  const scales = V;
  for (let i = 0; i < n; i++) {
    const variance = at(later + bytes(n), i * n + i);
    put(scales, i, variance > 0.0 ? 1.0 / sqrt(variance) : 0.0);
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) put(T, i * n + j, at(later + bytes(n), i * n + j) * at(scales, i) * at(scales, j));
    put(T, i * n + i, 1.0 + 1e-14);
    put(xp, i, at(xp, i) * at(scales, i));
  }
  if (!eliminate(T, xp, n, 1)) { fail(Status.NON_FINITE); return; }
  for (let i = 0; i < n; i++) put(xp, i, at(xp, i) * at(scales, i));
  for (let i = 0; i < n; i++) {
    let sum = 0.0;
    for (let j = 0; j < n; j++) sum += at(F, j * n + i) * at(xp, j);
    put(V, i, sum);
  }
  multiply(here + bytes(n), V, smoothed, n, n, 1);
  addTo(smoothed, here, n);
  memory.copy(appendRow(<i32>bytes(n)), smoothed, bytes(n));
}

// ---- steady state --------------------------------------------------------------------------------------

/** A, G and X from the Z in `prior`. */
function layRiccati(): void {
  if (!gain()) { fail(Status.NON_FINITE); return; }
  memory.copy(T, H, bytes(m * n));
  solveLower(S, T, m, n);
  transpose(T, U, m, n);
  multiply(U, T, G, n, m, n);
  joseph();
  layPrior(X);
  for (let i = 0; i < n * n; i++) put(X, i, at(X, i) - at(prior, i));
  layRest();
  multiply(F, T, U, n, n, n);
  transpose(U, A, n, n);
}

/** The great covariance from which the filter goes down to a Z. */
function layGreat(): void {
  const seen = largest(H, m * n), noise = largest(R, m * m) / (seen > 0.0 ? seen * seen : 1.0);
  const size = GREAT * max(noise, largest(Q, n * n));
  memory.fill(P, 0, bytes(n * n));
  for (let i = 0; i < n; i++) put(P, i * n + i, size);
  put(ahead, 0, <f64>(n + FILTER_STEPS));
}

/** One step of the filter's covariance towards Z. */
function goDown(): void {
  layPrior(prior);
  if (!(largest(prior, n * n) < 1e150) || !gain()) { fail(Status.DID_NOT_CONVERGE); return; }
  joseph();
  put(ahead, 0, at(ahead, 0) - 1.0);
  if (at(ahead, 0) > 0.0) return;
  put(ahead, 0, -1.0);
  layRiccati();
}

/** 1 + GX, freshly, for `eliminate` to spoil. */
function layFactor(): void {
  multiply(G, X, T, n, n, n);
  for (let i = 0; i < n; i++) put(T, i * n + i, at(T, i * n + i) + 1.0);
}

function double(): void {
  layFactor();
  memory.copy(U, A, bytes(n * n));
  let sound = eliminate(T, U, n, n); // U = W A
  layFactor();
  multiplyTransposed(G, A, V, n, n, n);
  sound = eliminate(T, V, n, n) && sound; // V = W G Aᵀ
  if (!sound) { fail(Status.DID_NOT_CONVERGE); return; }
  multiply(A, V, T, n, n, n);
  addTo(G, T, n * n);
  symmetrise(G, n);
  multiply(X, U, T, n, n, n);
  transpose(A, S, n, n);
  multiply(S, T, V, n, n, n);
  memory.copy(T, A, bytes(n * n));
  multiply(T, U, A, n, n, n);
  addTo(X, V, n * n);
  symmetrise(X, n);
  const grown = largest(V, n * n), size = max(largest(X, n * n), largest(prior, n * n)), left = largest(A, n * n);
  if (grown <= 1e-14 * size && <f64>n * left * left <= 1e-16) concludeSteady();
  else if (size < 1e200 && left < GROWS) { if (stepsDone() >= mostSteps()) fail(Status.DID_NOT_CONVERGE); }
  else if (at(ahead, 0) == 0.0) layGreat();
  else fail(Status.DID_NOT_CONVERGE);
}

function mostSteps(): u64 {
  return at(ahead, 0) == 0.0 ? MOST_DOUBLINGS : 2 * MOST_DOUBLINGS + <u64>(n + FILTER_STEPS);
}

function concludeSteady(): void {
  addTo(prior, X, n * n);
  if (!gain()) { fail(Status.NON_FINITE); return; }
  joseph();
  conclude();
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const stop = work() + <u64>budget;
  let left = allowed;
  while (left > 0 && running() && work() < stop && !rowsFull(rowNumbers() * 8)) {
    const done = <i32>stepsDone();
    countStep();
    spend(units);
    left--;
    if (steady) { if (at(ahead, 0) > 0.0) goDown(); else double(); continue; }
    if (done < count) measure(done); else back(2 * count - 2 - done);
    if (done + 1 == (smooths ? 2 * count - 1 : count)) conclude();
  }
  show(0, <f64>stepsDone());
  return allowed - left;
}

function conclude(): void {
  const out = openResult(resultNumbers() * 8);
  memory.copy(out, x, bytes(resultNumbers() - 1));
  put(out, resultNumbers() - 1, earlierCount + <f64>count);
  finish();
}
