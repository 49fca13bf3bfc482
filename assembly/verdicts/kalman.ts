// Verdict of `kalman`. A linear Gaussian model is one great normal distribution, and the filter conditions it on the
// measurements one by one. Here it is done at once, window by window, from the row before the window to the row at its
// end: all measurements of the window have the covariance Σ, Σ_jk = H F^{j−k} V_k Hᵀ + R δ_jk, V_{k+1} = F V_k Fᵀ + Q, and
//
//   x = μ + C Σ⁻¹ r,   P = V − C Σ⁻¹ Cᵀ,   ln L = −½ (ln det 2πΣ + rᵀΣ⁻¹r),   C_k = F^{N−k} V_k Hᵀ
//
// (Anderson, Introduction to Multivariate Statistical Analysis, §2.5). No variance need be positive but R. The windows
// follow one another without a gap. The smoother's whole series is held against the adjoint of the filter (Bryson & Frazier
// 1963), whose rows are held each by itself. The limit of the Riccati equation is put into the equation. K S = P⁻Hᵀ holds for every gain, and every row follows from the row
// before. Where P no longer changes, it is held against the limit of the Riccati equation, found by Newton's method from
// its gain (Hewer, IEEE Trans. Autom. Control 16 (1971) 382): the covariance of a filter whose gain stays K is
//
//   W = A W Aᵀ + (1 − KH) Q (1 − KH)ᵀ + K R Kᵀ,   A = (1 − KH) F,
//
// summed by squaring (Smith, SIAM J. Appl. Math. 16 (1968) 198); from W follows the next K. Where the powers of A do not
// vanish, the limit is not the filter's own and no gate. The limit that is asked for has to be it: every other solution of
// the equation leaves a state that the gain does not hold (Chan, Goodwin & Sin, IEEE Trans. Autom. Control 29 (1984) 110),
// and is refused.
//
// Parameters: assembly/kalman/problem.ts, then the run's result, the rows of the filter, and those of the smoother.
// Extras (f64): the run's result · mean of yᵀS⁻¹y · measurements; unless steady then N × each: number of the measurement ·
//   value's component or ln L · each entry of x · each of K · each of y · yᵀS⁻¹y · ln L · P n×n · of a smoother x of all smoothed states; diagnostics of the value's
//   component (40)
//
// Gates: 0 state · 1 covariance · 2 ln L · 3 gain · 4 before the measurement · 5 smoother · 6 Riccati · 7 rows · 8 limit

import {
  allocate, countStep, fail, openState, parameterF64, restoreState, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import {
  addTo, at, cholesky, largest, multiply, multiplyTransposed, put, solveLower, solveUpper,
} from "../kalman/matrix";
import { D, E, findLimit, layInnovationCovariance, layOutLimit, layPrior, T, U, W } from "../kalman/limit";
import {
  B, bytes, count, earlierCount, earlierLogL, end, F, H, m, n, p, P0, Q, R, readProblem, resultNumbers, rowNumbers, smooths,
  steady, u, window, x0, z,
} from "../kalman/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const LN_TURN: f64 = 1.8378770664093453;

/** Above this share P still changes from measurement to measurement. */
const AT_REST: f64 = 1e-9;
const GROWN: f64 = 1e6;

let run: usize = 0, rows: usize = 0, back: usize = 0;
let mu: usize = 0, Vs: usize = 0, sigma: usize = 0, C: usize = 0, r: usize = 0, scratch: usize = 0;
let forecast: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  worstState = 0.0; worstCovariance = 0.0; worstLikelihood = 0.0; worstSmooth = 0.0;
  worstRow = 0.0; foundRow = 0.0; exactRow = 0.0;
  foundState = 0.0; exactState = 0.0; foundP = 0.0; exactP = 0.0; foundL = 0.0; exactL = 0.0;
  readProblem();
  run = end;
  rows = run + bytes(resultNumbers());
  back = rows + bytes(count * rowNumbers());
  const many = window * m;
  mu = allocate(bytes((window + 1) * n));
  Vs = allocate(bytes((window + 1) * n * n));
  sigma = allocate(bytes(many * many));
  C = allocate(bytes(many * n));
  r = allocate(bytes(many));
  scratch = allocate(bytes(diagnosticsScratch(max(count, 3)) + 4 * n));
  forecast = allocate(bytes(n * n));
  layOutLimit();
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(unitsOf());
  countStep();
  return 1;
}

/** Products at 4/3 ns each, and what is done once for an entry, as the plan has it (src/solvers/kalman.ts). */
function unitsOf(): u64 {
  const a = <u64>n, b = <u64>m, long = <u64>window, many = long * b, windows = <u64>((count + window - 1) / window);
  const square = (a + b) * (a + b);
  const model = 2 * long * a * a * a + long * (long + 1) / 2 * a * b * (a + b) + long * a * a * b;
  const density = many * many * many / 6 + many * many * (a + 1) / 2 + many * a * (a + 1);
  const row = 2 * a * a * a + 2 * a * b * (a + b) + b * b * b / 6;
  const products = windows * (model + density) + (smooths ? 2 : 1) * <u64>count * row + (steady ? 500 : 200) * a * a * a;
  return 4 * products / 3 + <u64>count * (15 * square + 30 * b + 250) + 100 * square + 1500000;
}

@inline function rowAt(k: i32): usize { return rows + bytes(k * rowNumbers()); }

// ---- a window ------------------------------------------------------------------------------------------

/**
 * μ and V along at most `length` measurements from `first` on; 0 is what was known before. Says how many they are: a
 * state that grows leaves no digits to Σ, so that the window ends where V is GROWN times what it came from.
 */
function layModel(first: i32, length: i32): i32 {
  memory.copy(mu, first == 0 ? x0 : rowAt(first - 1), bytes(n));
  memory.copy(Vs, first == 0 ? P0 : rowAt(first - 1) + bytes(n), bytes(n * n));
  const least = GROWN * max(largest(Vs, n * n), max(largest(Q, n * n), largest(R, m * m)));
  for (let k = 0; k < length; k++) {
    const before = mu + bytes(k * n), next = before + bytes(n), V = Vs + bytes(k * n * n), W = V + bytes(n * n);
    multiply(F, before, next, n, n, 1);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < p; j++) put(next, i, at(next, i) + at(B, i * p + j) * at(u, (first + k) * p + j));
    }
    multiply(F, V, T, n, n, n);
    multiplyTransposed(T, F, W, n, n, n);
    addTo(W, Q, n * n);
    if (k > 0 && largest(W, n * n) > least) return k;
  }
  return length;
}

/** Σ (its lower part), r, and C as rows: cov(z_k, x at the end). */
function layCovariance(first: i32, length: i32): void {
  const many = length * m;
  for (let k = 0; k < length; k++) {
    const place = mu + bytes((k + 1) * n);
    for (let i = 0; i < m; i++) {
      let sum = at(z, (first + k) * m + i);
      for (let j = 0; j < n; j++) sum -= at(H, i * n + j) * at(place, j);
      put(r, k * m + i, sum);
    }
    multiplyTransposed(Vs + bytes((k + 1) * n * n), H, T, n, n, m);
    for (let l = k; l < length; l++) {
      multiply(H, T, U, m, n, m);
      if (l == k) addTo(U, R, m * m);
      for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) put(sigma, (l * m + i) * many + k * m + j, at(U, i * m + j));
      if (l + 1 < length) { multiply(F, T, U, n, n, m); memory.copy(T, U, bytes(n * m)); }
    }
    for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) put(C, (k * m + j) * n + i, at(T, i * m + j));
  }
}

@inline function logLBefore(k: i32): f64 { return k == 0 ? earlierLogL : at(rowAt(k - 1), n + n * n); }

let worstState: f64 = 0, worstCovariance: f64 = 0, worstLikelihood: f64 = 0, worstSmooth: f64 = 0;
let foundState: f64 = 0, exactState: f64 = 0, foundP: f64 = 0, exactP: f64 = 0, foundL: f64 = 0, exactL: f64 = 0;

/** The window's end against the row there; its length, 0 where Σ is not positive. */
function judgeWindow(first: i32, most: i32): i32 {
  const length = layModel(first, most), many = length * m, row = rowAt(first + length - 1);
  layCovariance(first, length);
  if (!cholesky(sigma, many)) return 0;
  solveLower(sigma, C, many, n);
  solveLower(sigma, r, many, 1);
  compareState(row, mu + bytes(length * n), many);
  compareCovariance(row + bytes(n), Vs + bytes(length * n * n), many);
  let square = 0.0, logDet = 0.0;
  for (let i = 0; i < many; i++) { square += at(r, i) * at(r, i); logDet += 2.0 * Math.log(at(sigma, i * many + i)); }
  const before = logLBefore(first), found = at(row, n + n * n) - before;
  const exact = -0.5 * (<f64>many * LN_TURN + logDet + square), error = abs(found - exact) / max(abs(exact), 1.0);
  if (!(error <= worstLikelihood)) { worstLikelihood = error; foundL = found; exactL = exact; }
  return length;
}

function compareState(found: usize, mean: usize, many: i32): void {
  const size = largest(found, n);
  for (let i = 0; i < n; i++) {
    let exact = at(mean, i);
    for (let k = 0; k < many; k++) exact += at(C, k * n + i) * at(r, k);
    const value = at(found, i), apart = abs(value - exact);
    const error = apart == 0.0 ? 0.0 : apart / max(abs(exact), 1e-3 * max(size, sqrt(at(found, n + i * n + i))));
    if (!(error <= worstState)) { worstState = error; foundState = value; exactState = exact; }
  }
}

/** Beside the two standard deviations, or 1e-9 of the largest variance before, which rounding takes. */
function compareCovariance(found: usize, V: usize, many: i32): void {
  const whole = largest(V, n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let exact = at(V, i * n + j);
      for (let k = 0; k < many; k++) exact -= at(C, k * n + i) * at(C, k * n + j);
      const value = at(found, i * n + j), apart = abs(value - exact);
      const own = sqrt(abs(at(found, i * n + i))) * sqrt(abs(at(found, j * n + j)));
      const scale = max(own, 1e-9 * whole);
      const error = apart == 0.0 ? 0.0 : apart / scale;
      if (!(error <= worstCovariance)) { worstCovariance = error; foundP = value; exactP = exact; }
    }
  }
}

/**
 * All smoothed states by the adjoint of the filter: x_k + P_k Fᵀ λ_{k+1}, λ_k = HᵀS⁻¹y + (1 − KH)ᵀ Fᵀ λ_{k+1}, which goes back
 * by the closed loop, however F grows, and inverts no P.
 */
function judgeSmoother(): void {
  const lambda = scratch, pulled = lambda + bytes(n), exact = pulled + bytes(n);
  memory.fill(lambda, 0, bytes(n));
  for (let k = count - 1; k >= 0; k--) {
    const row = rowAt(k), y = row + bytes(n + n * n + 1), K = y + bytes(m + 1);
    layTransposed(F, lambda, pulled, n, n);
    multiply(row + bytes(n), pulled, exact, n, n, 1);
    addTo(exact, row, n);
    if (k < count - 1) compareSmoothed(back + bytes((count - 2 - k) * n), exact, row + bytes(n));
    layPrior(k == 0 ? P0 : rowAt(k - 1) + bytes(n), forecast);
    layInnovationCovariance(forecast);
    if (!cholesky(D, m)) { fail(Status.NON_FINITE); return; }
    memory.copy(r, y, bytes(m));
    solveLower(D, r, m, 1);
    solveUpper(D, r, m, 1);
    layTransposed(K, pulled, T, n, m);
    for (let j = 0; j < m; j++) put(r, j, at(r, j) - at(T, j));
    layTransposed(H, r, lambda, m, n);
    addTo(lambda, pulled, n);
  }
}

/** Aᵀ v, A r×c. */
function layTransposed(a: usize, v: usize, to: usize, rows: i32, columns: i32): void {
  for (let j = 0; j < columns; j++) {
    let sum = 0.0;
    for (let i = 0; i < rows; i++) sum += at(a, i * columns + j) * at(v, i);
    put(to, j, sum);
  }
}

/** Beside the size, or the standard deviation before what came later. */
function compareSmoothed(found: usize, exact: usize, P: usize): void {
  const size = largest(exact, n);
  for (let i = 0; i < n; i++) {
    const apart = abs(at(found, i) - at(exact, i));
    const error = apart == 0.0 ? 0.0 : apart / max(abs(at(exact, i)), 1e-3 * max(size, sqrt(at(P, i * n + i))));
    if (!(error <= worstSmooth)) worstSmooth = error;
  }
}

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  const hasLimit = (steady || atRest()) && findLimit(run + bytes(n + 2 * n * n));
  if (steady && !hasLimit) { fail(Status.DID_NOT_CONVERGE); return; }
  const series = count * (3 + n + n * m + m + 1 + n * n + (smooths ? n : 0)) + DIAGNOSTICS;
  openVerdict((steady ? 2 : smooths ? 7 : 6) + (hasLimit ? 1 : 0), resultNumbers() + 2 + (steady ? 0 : series));
  if (steady) riccatiGate();
  else if (!filterGates()) { fail(Status.NON_FINITE); return; }
  gainGate();
  if (hasLimit) limitGate();
  writeExtras();
  closeVerdict(at(run, <i32>parameterF64(56)));
}

function filterGates(): bool {
  for (let first = 0; first < count;) {
    const length = judgeWindow(first, min(window, count - first));
    if (length == 0) return false;
    first += length;
  }
  gate(0, Kind.EXACT, foundState, exactState, worstState);
  gate(1, Kind.EXACT, foundP, exactP, worstCovariance);
  gate(2, Kind.EXACT, foundL, exactL, worstLikelihood);
  if (smooths) { judgeSmoother(); gate(5, Kind.EXACT, worstSmooth, 0.0, worstSmooth); }
  priorGate();
  for (let k = 0; k < count; k++) if (!judgeRow(k)) return false;
  judgeResult();
  gate(7, Kind.EXACT, foundRow, exactRow, worstRow);
  return true;
}

/** P before the last measurement from the row before it. */
function priorGate(): void {
  const last = count == 1 ? P0 : rowAt(count - 2) + bytes(n), prior = run + bytes(n + n * n);
  multiply(F, last, T, n, n, n);
  multiplyTransposed(T, F, U, n, n, n);
  addTo(U, Q, n * n);
  const size = largest(U, n * n);
  let worst = 0.0;
  for (let i = 0; i < n * n; i++) worst = max(worst, abs(at(U, i) - at(prior, i)));
  gate(4, Kind.EXACT, largest(prior, n * n), size, size > 0.0 ? worst / size : worst);
}

/** K S = P⁻Hᵀ, S = H P⁻ Hᵀ + R. */
function gainGate(): void {
  const prior = run + bytes(n + n * n), K = run + bytes(n + 2 * n * n);
  layInnovationCovariance(prior);
  multiply(K, D, T, n, m, m);
  const size = largest(U, n * m);
  let worst = 0.0;
  for (let i = 0; i < n * m; i++) worst = max(worst, abs(at(T, i) - at(U, i)));
  gate(3, Kind.EXACT, largest(T, n * m), size, worst == 0.0 ? 0.0 : worst / size);
}

// ---- rows ----------------------------------------------------------------------------------------------

let worstRow: f64 = 0, foundRow: f64 = 0, exactRow: f64 = 0;

function compareRow(found: f64, exact: f64, scale: f64): void {
  const apart = abs(found - exact), error = apart == 0.0 ? 0.0 : apart / max(scale, abs(exact));
  if (!(error <= worstRow)) { worstRow = error; foundRow = found; exactRow = exact; }
}

function compareRange(found: usize, exact: usize, numbers: i32, least: f64): void {
  const scale = max(largest(exact, numbers), least);
  for (let i = 0; i < numbers; i++) compareRow(at(found, i), at(exact, i), scale);
}

/** Row k from the row before: x⁻, P⁻, y, K S = P⁻Hᵀ, x = x⁻ + K y, P = P⁻ − K H P⁻, yᵀS⁻¹y and what ln L grows by. */
function judgeRow(k: i32): bool {
  const row = rowAt(k), y = row + bytes(n + n * n + 1), K = y + bytes(m + 1), mean = mu, prior = forecast, here = z + bytes(k * m);
  const before = k == 0 ? x0 : rowAt(k - 1);
  multiply(F, before, mean, n, n, 1);
  for (let i = 0; i < n; i++) for (let j = 0; j < p; j++) put(mean, i, at(mean, i) + at(B, i * p + j) * at(u, k * p + j));
  layPrior(k == 0 ? P0 : before + bytes(n), prior);
  multiply(H, mean, r, m, n, 1);
  const size = max(largest(r, m), largest(here, m));
  for (let i = 0; i < m; i++) put(r, i, at(here, i) - at(r, i));
  compareRange(y, r, m, size);
  layInnovationCovariance(prior);
  multiply(K, D, T, n, m, m);
  compareRange(T, U, n * m, 0.0);
  multiply(K, r, E, n, m, 1);
  const moved = max(largest(mean, n), largest(E, n));
  addTo(mean, E, n);
  compareRange(row, mean, n, moved);
  multiplyTransposed(K, U, T, n, m, n);
  for (let i = 0; i < n * n; i++) put(T, i, at(prior, i) - at(T, i));
  compareRange(row + bytes(n), T, n * n, largest(prior, n * n));
  return judgeDensity(k, row + bytes(n + n * n), size);
}

/** The state to go on from, the last gain and ln L stand in the result too. */
function judgeResult(): void {
  const row = rowAt(count - 1), logL = row + bytes(n + n * n), K = logL + bytes(m + 2);
  compareRange(run, row, n, 0.0);
  compareRange(run + bytes(n), row + bytes(n), n * n, 0.0);
  compareRange(run + bytes(n + 2 * n * n), K, n * m, 0.0);
  compareRow(at(run, resultNumbers() - 2), at(logL, 0), 1.0);
}

/** yᵀS⁻¹y beside the size that rounding has in it, and the density of the innovation; S is in D. */
function judgeDensity(k: i32, logL: usize, size: f64): bool {
  if (!cholesky(D, m)) return false;
  memory.copy(T, r, bytes(m));
  solveLower(D, T, m, 1);
  let square = 0.0, logDet = 0.0, least = f64.MAX_VALUE;
  for (let i = 0; i < m; i++) {
    square += at(T, i) * at(T, i);
    logDet += 2.0 * Math.log(at(D, i * m + i));
    least = min(least, at(D, i * m + i));
  }
  const blur = 1e-9 * (size / least) * (size / least), found = at(logL, 0) - logLBefore(k);
  const exact = -0.5 * (<f64>m * LN_TURN + logDet + square);
  compareRow(at(logL, 1 + m), square, max(1.0, blur));
  compareRow(found, exact, max(1.0, max(blur, 1e-9 * abs(at(logL, 0)))));
  return true;
}

// ---- limit ---------------------------------------------------------------------------------------------

/** Whether the last measurement changed P by less than rounding and patience can tell. */
function atRest(): bool {
  if (count < 2) return false;
  const last = rowAt(count - 1) + bytes(n), before = rowAt(count - 2) + bytes(n), size = largest(last, n * n);
  let change = 0.0;
  for (let i = 0; i < n * n; i++) change = max(change, abs(at(last, i) - at(before, i)));
  return change < AT_REST * size;
}

function limitGate(): void {
  const P = run + bytes(n), size = largest(W, n * n);
  let worst = 0.0;
  for (let i = 0; i < n * n; i++) worst = max(worst, abs(at(P, i) - at(W, i)));
  gate(8, Kind.EXACT, largest(P, n * n), size, worst == 0.0 ? 0.0 : worst / size);
}

/** The limit in its own equation: X = F P Fᵀ + Q with P⁻¹ = X⁻¹ + HᵀR⁻¹H, which is P = X − XHᵀ(HXHᵀ + R)⁻¹HX. */
function riccatiGate(): void {
  const X = run + bytes(n + n * n), P = run + bytes(n);
  multiply(F, P, T, n, n, n);
  multiplyTransposed(T, F, U, n, n, n);
  addTo(U, Q, n * n);
  const size = largest(X, n * n);
  let worst = 0.0;
  for (let i = 0; i < n * n; i++) worst = max(worst, abs(at(U, i) - at(X, i)));
  multiply(H, X, C, m, n, n);
  multiplyTransposed(C, H, sigma, m, n, m);
  addTo(sigma, R, m * m);
  if (!cholesky(sigma, m)) { fail(Status.NON_FINITE); }
  solveLower(sigma, C, m, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let exact = at(X, i * n + j);
      for (let k = 0; k < m; k++) exact -= at(C, k * n + i) * at(C, k * n + j);
      worst = max(worst, abs(exact - at(P, i * n + j)));
    }
  }
  gate(6, Kind.CERTIFICATE, largest(U, n * n), size, size > 0.0 ? worst / size : worst);
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeExtras(): void {
  const out = extras(), numbers = resultNumbers();
  memory.copy(out, run, bytes(numbers));
  let sum = 0.0;
  for (let k = 0; k < count; k++) sum += at(rowAt(k), n + n * n + 1 + m);
  put(out, numbers, count > 0 ? sum / <f64>count : 0.0);
  put(out, numbers + 1, <f64>count);
  if (!steady) writeSeries(out + bytes(numbers + 2));
}

/** One entry of every row after the other, so that each can be drawn; of the covariances whole matrices. */
function writeSeries(out: usize): void {
  for (let k = 0; k < count; k++) put(out, k, earlierCount + <f64>(k + 1));
  const value = out + bytes(count);
  let to = writeColumn(value, columnOfValue());
  for (let i = 0; i < n; i++) to = writeColumn(to, i);
  for (let i = 0; i < n * m; i++) to = writeColumn(to, n + n * n + 2 + m + i);
  for (let i = 0; i < m; i++) to = writeColumn(to, n + n * n + 1 + i);
  to = writeColumn(to, n + n * n + 1 + m);
  to = writeColumn(to, n + n * n);
  for (let k = 0; k < count; k++) memory.copy(to + bytes(k * n * n), rowAt(k) + bytes(n), bytes(n * n));
  to += bytes(count * n * n);
  if (smooths) to = writeSmoothed(to);
  writeStaticProfile(to, value, count, scratch);
}

/** The smoother went back from the last measurement but one; the last row is the filter's. */
function writeSmoothed(to: usize): usize {
  for (let k = 0; k < count - 1; k++) memory.copy(to + bytes(k * n), back + bytes((count - 2 - k) * n), bytes(n));
  memory.copy(to + bytes((count - 1) * n), rowAt(count - 1), bytes(n));
  return to + bytes(count * n);
}

function writeColumn(to: usize, column: i32): usize {
  for (let k = 0; k < count; k++) put(to, k, at(rowAt(k), column));
  return to + bytes(count);
}

/** Where a row has the value: x and P stand as in the result; of what it does not have, ln L is shown. */
function columnOfValue(): i32 {
  const index = <i32>parameterF64(56), gains = n + 2 * n * n;
  if (index < n + n * n) return index;
  return index >= gains && index < gains + n * m ? n + n * n + 2 + m + index - gains : n + n * n;
}
