// Verdict of `kalman`. A linear Gaussian model is one great normal distribution, and the filter conditions it on the
// measurements one by one. Here it is done at once, window by window, from the row before the window to the row at its
// end: all measurements of the window have the covariance Σ, Σ_jk = H F^{j−k} V_k Hᵀ + R δ_jk, V_{k+1} = F V_k Fᵀ + Q, and
//
//   x = μ + C Σ⁻¹ r,   P = V − C Σ⁻¹ Cᵀ,   ln L = −½ (ln det 2πΣ + rᵀΣ⁻¹r),   C_k = F^{N−k} V_k Hᵀ
//
// (Anderson, Introduction to Multivariate Statistical Analysis, §2.5). No variance need be positive but R. The windows
// follow one another without a gap. The smoother's whole series comes from one window of all measurements. The limit of
// the Riccati equation is put into the equation. K R = P Hᵀ holds for every gain.
//
// Parameters: assembly/kalman/problem.ts, then the run's result, the rows of the filter, and those of the smoother.
// Extras (f64): the run's result · mean of yᵀS⁻¹y · measurements · N × value's component or ln L along the run (absent
//   when steady) · diagnostics of these (40)
//
// Gates: 0 state · 1 covariance · 2 ln L · 3 gain · 4 before the measurement · 5 smoother · 6 Riccati

import {
  allocate, countStep, fail, openState, parameterF64, restoreState, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { addTo, at, cholesky, largest, multiply, multiplyTransposed, put, solveLower, solveUpper } from "../kalman/matrix";
import {
  B, bytes, count, end, F, H, m, n, p, P0, Q, R, readProblem, resultNumbers, rowNumbers, smooths, steady, u, window, x0, z,
} from "../kalman/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const LN_TURN: f64 = 1.8378770664093453;

let run: usize = 0, rows: usize = 0, back: usize = 0;
let mu: usize = 0, Vs: usize = 0, T: usize = 0, U: usize = 0, sigma: usize = 0, C: usize = 0, r: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  worstState = 0.0; worstCovariance = 0.0; worstLikelihood = 0.0; worstSmooth = 0.0;
  foundState = 0.0; exactState = 0.0; foundP = 0.0; exactP = 0.0; foundL = 0.0; exactL = 0.0;
  readProblem();
  run = end;
  rows = run + bytes(resultNumbers());
  back = rows + bytes(count * rowNumbers());
  const wide = max(n, m), many = window * m;
  mu = allocate(bytes((window + 1) * n));
  Vs = allocate(bytes((window + 1) * n * n));
  T = allocate(bytes(wide * wide)); U = allocate(bytes(wide * wide));
  sigma = allocate(bytes(many * many));
  C = allocate(bytes(many * n));
  r = allocate(bytes(many));
  scratch = allocate(bytes(diagnosticsScratch(max(count, 3)) + 4 * n));
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(unitsOf());
  countStep();
  return 1;
}

/** As the plan has it. */
function unitsOf(): u64 {
  const many = <u64>(window * m), long = <u64>(n + m), windows = <u64>(window > 0 ? (count + window - 1) / window : 0);
  const one = many * many * many + 4 * many * many * long * long + 8 * <u64>window * long * long * long + 1000;
  return windows * one + 40 * long * long * long + <u64>count * 100 + 2500000;
}

@inline function rowAt(k: i32): usize { return rows + bytes(k * rowNumbers()); }

// ---- a window ------------------------------------------------------------------------------------------

/** μ and V along the `length` measurements from `first` on; 0 is what was known before. */
function layModel(first: i32, length: i32): void {
  memory.copy(mu, first == 0 ? x0 : rowAt(first - 1), bytes(n));
  memory.copy(Vs, first == 0 ? P0 : rowAt(first - 1) + bytes(n), bytes(n * n));
  for (let k = 0; k < length; k++) {
    const before = mu + bytes(k * n), next = before + bytes(n), V = Vs + bytes(k * n * n), W = V + bytes(n * n);
    multiply(F, before, next, n, n, 1);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < p; j++) put(next, i, at(next, i) + at(B, i * p + j) * at(u, (first + k) * p + j));
    }
    multiply(F, V, T, n, n, n);
    multiplyTransposed(T, F, W, n, n, n);
    addTo(W, Q, n * n);
  }
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

let worstState: f64 = 0, worstCovariance: f64 = 0, worstLikelihood: f64 = 0, worstSmooth: f64 = 0;
let foundState: f64 = 0, exactState: f64 = 0, foundP: f64 = 0, exactP: f64 = 0, foundL: f64 = 0, exactL: f64 = 0;

/** The window's end against the row there. */
function judgeWindow(first: i32, length: i32): bool {
  const many = length * m, row = rowAt(first + length - 1);
  layModel(first, length);
  layCovariance(first, length);
  if (!cholesky(sigma, many)) return false;
  solveLower(sigma, C, many, n);
  solveLower(sigma, r, many, 1);
  compareState(row, mu + bytes(length * n), many);
  compareCovariance(row + bytes(n), Vs + bytes(length * n * n), many);
  let square = 0.0, logDet = 0.0;
  for (let i = 0; i < many; i++) { square += at(r, i) * at(r, i); logDet += 2.0 * Math.log(at(sigma, i * many + i)); }
  const before = first == 0 ? 0.0 : at(rowAt(first - 1), n + n * n), found = at(row, n + n * n) - before;
  const exact = -0.5 * (<f64>many * LN_TURN + logDet + square), error = abs(found - exact) / max(abs(exact), 1.0);
  if (!(error <= worstLikelihood)) { worstLikelihood = error; foundL = found; exactL = exact; }
  return true;
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

/** All smoothed states: x_k = μ_k + s_k + V_k λ_k; λ gathers α = Σ⁻¹r from behind, s from before. */
function judgeSmoother(): void {
  const lambdas = C, s = scratch, h = s + bytes(n), t = h + bytes(n);
  solveUpper(sigma, r, count * m, 1);
  memory.fill(t, 0, bytes(n));
  for (let k = count - 1; k >= 0; k--) {
    for (let i = 0; i < n; i++) {
      let sum = 0.0;
      for (let j = 0; j < m; j++) sum += at(H, j * n + i) * at(r, k * m + j);
      for (let j = 0; j < n && k < count - 1; j++) sum += at(F, j * n + i) * at(t, j);
      put(h, i, sum);
    }
    memory.copy(t, h, bytes(n));
    memory.copy(lambdas + bytes(k * n * m), h, bytes(n));
  }
  memory.fill(s, 0, bytes(n));
  for (let k = 0; k < count; k++) {
    const V = Vs + bytes((k + 1) * n * n), lambda = lambdas + bytes(k * n * m);
    multiply(V, lambda, h, n, n, 1);
    addTo(h, s, n);
    addTo(h, mu + bytes((k + 1) * n), n);
    if (k < count - 1) compareSmoothed(back + bytes((count - 2 - k) * n), h, V);
    for (let i = 0; i < n; i++) {
      let sum = 0.0;
      for (let j = 0; j < m; j++) sum += at(H, j * n + i) * at(r, k * m + j);
      put(t, i, sum);
    }
    multiply(V, t, h, n, n, 1);
    addTo(h, s, n);
    multiply(F, h, s, n, n, 1);
  }
}

function compareSmoothed(found: usize, exact: usize, V: usize): void {
  const size = largest(exact, n);
  for (let i = 0; i < n; i++) {
    const apart = abs(at(found, i) - at(exact, i));
    const error = apart == 0.0 ? 0.0 : apart / max(abs(at(exact, i)), 1e-3 * max(size, sqrt(at(V, i * n + i))));
    if (!(error <= worstSmooth)) worstSmooth = error;
  }
}

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  openVerdict(steady ? 2 : smooths ? 6 : 5, resultNumbers() + 2 + (steady ? 0 : count + DIAGNOSTICS));
  if (steady) riccatiGate();
  else if (!filterGates()) { fail(Status.NON_FINITE); return; }
  gainGate();
  writeExtras();
  closeVerdict(at(run, <i32>parameterF64(56)));
}

function filterGates(): bool {
  for (let first = 0; first < count; first += window) if (!judgeWindow(first, min(window, count - first))) return false;
  gate(0, Kind.EXACT, foundState, exactState, worstState);
  gate(1, Kind.EXACT, foundP, exactP, worstCovariance);
  gate(2, Kind.EXACT, foundL, exactL, worstLikelihood);
  if (smooths) { judgeSmoother(); gate(5, Kind.EXACT, worstSmooth, 0.0, worstSmooth); }
  priorGate();
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

/** K R = P Hᵀ. */
function gainGate(): void {
  const P = run + bytes(n), K = run + bytes(n + 2 * n * n);
  multiply(K, R, T, n, m, m);
  multiplyTransposed(P, H, U, n, n, m);
  const size = largest(U, n * m);
  let worst = 0.0;
  for (let i = 0; i < n * m; i++) worst = max(worst, abs(at(T, i) - at(U, i)));
  gate(3, Kind.EXACT, largest(T, n * m), size, worst == 0.0 ? 0.0 : worst / size);
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
  const out = extras(), numbers = resultNumbers(), series = out + bytes(numbers + 2), index = <i32>parameterF64(56);
  memory.copy(out, run, bytes(numbers));
  let sum = 0.0;
  for (let k = 0; k < count; k++) {
    sum += at(rowAt(k), rowNumbers() - 1);
    // What the row has of the value: x and P stand alike, of the others ln L is shown.
    put(series, k, at(rowAt(k), index < n + n * n ? index : n + n * n));
  }
  put(out, numbers, count > 0 ? sum / <f64>(count * m) : 0.0);
  put(out, numbers + 1, <f64>count);
  if (!steady) writeStaticProfile(series + bytes(count), series, count, scratch);
}
