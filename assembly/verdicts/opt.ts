// Verdict of linear and quadratic programmes: a certificate, recomputed from the caller's numbers. With multipliers y
// (≥ 0 for A) and r = Hx + c + Aᵀy, the reduced costs, every feasible point has an objective of at least
//
//   d = −½xᵀHx − bᵀy + Σ_j (r_j > 0 ? r_j l_j : r_j u_j)                          (Boyd & Vandenberghe §5.2.3)
//
// so that p − d bounds how far x is from the minimum. Where there is none the kernels gave a ray, which is verified
// here before the programme is refused: Farkas' y ≥ 0 with min over the bounds of (Aᵀy)·x above bᵀy, or a feasible point
// and a direction z with Az ≤ 0, Ez = 0, Hz = 0, cᵀz < 0 that no bound stops.
//
// Parameters: assembly/opt/program.ts with 40 constant · 48 1 or −1: sense · 56 outcome 0, 1, 2 · behind the programme:
//   x (n) · y (m), or of an infeasible one y (m), or of an unbounded one x (n) · z (n)
// Extras (f64): 0 bound d · 8 p − d · 16 largest violation · x (n) · y (m) · reduced costs (n), those of a
//   maximum with its sign · diagnostics of x (40)
//
// Gates: 0 feasibility · 1 multipliers · 2 complementarity · 3 duality gap

import {
  allocate, countStep, fail, openState, parameterF64, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { DIAGNOSTICS, diagnosticsScratch, profileWork, writeStaticProfile } from "../diagnostics/diagnostics";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import {
  at, behind, costs, entryAt, hasH, hessian, lowers, m, mA, n, put, readProgram, rowOfEntry, sides, startOf, uppers,
} from "../opt/program";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const FEASIBLE: f64 = 1e-6;
/** A value that its terms cancel to less than this part of is judged by them, one without terms by gradient × length. */
const CANCELLED: f64 = 1e-6;
const NOTHING: f64 = 1e-9;
/** Of a reduced cost beside its terms: it is 0 and pulls to no bound, however far away. */
const ROUNDING: f64 = 1e-12;
const RAY: f64 = 1e-7;
/** Least slope of a ray beside its terms: what rounding leaves of 0 is none. */
const SLOPE: f64 = 1e-11;
/** Numbers of a ray that can be shown. */
const SHOWN: i32 = 12;

let x: usize = 0, y: usize = 0, reduced: usize = 0, sizes: usize = 0, product: usize = 0, scratch: usize = 0;
let products: usize = 0, sizesOfRows: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readProgram();
  reduced = allocate(<usize>(n + m) << 3);
  sizes = allocate(<usize>n << 3);
  product = allocate(<usize>n << 3);
  products = allocate(<usize>m << 3);
  sizesOfRows = allocate(<usize>m << 3);
  scratch = allocate(<usize>diagnosticsScratch(n) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  const outcome = parameterF64(56);
  if (outcome == 0.0) judge();
  else if (outcome == 1.0) judgeInfeasible();
  else judgeUnbounded();
  spend(20000 + profileWork(n) + <u64>(8 * (startOf(n) + (hasH ? n * n : 0)) + 20 * (n + m)));
  countStep();
  return 1;
}

// ---- sums of the caller's numbers ----------------------------------------------------------------------

/** Of each row its product with `v`, and the sum of the sizes of its terms. */
function rowsTimes(v: usize): void {
  memory.fill(products, 0, <usize>m << 3);
  memory.fill(sizesOfRows, 0, <usize>m << 3);
  for (let j = 0; j < n; j++) for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const i = rowOfEntry(k), term = entryAt(k) * at(v, j);
    put(products, i, at(products, i) + term);
    put(sizesOfRows, i, at(sizesOfRows, i) + abs(term));
  }
}

let sizeOfColumn: f64 = 0;
function columnTimes(j: i32, v: usize): f64 {
  let sum = 0.0;
  sizeOfColumn = 0.0;
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const term = entryAt(k) * at(v, rowOfEntry(k));
    sum += term;
    sizeOfColumn += abs(term);
  }
  return sum;
}

/** product = H v, sizes = the sums of the sizes of its terms; vᵀHv. */
function curved(v: usize): f64 {
  let sum = 0.0;
  for (let i = 0; i < n; i++) {
    let own = 0.0, size = 0.0;
    if (hasH) for (let j = 0; j < n; j++) {
      const term = at(hessian + (<usize>(i * n) << 3), j) * at(v, j);
      own += term;
      size += abs(term);
    }
    put(product, i, own);
    put(sizes, i, size);
    sum += own * at(v, i);
  }
  return sum;
}

/** The largest side or bound, or where all are 0 what c and H say of x, but at most 1: what is nothing is so beside that. */
function unitOfLengths(): f64 {
  let most = 0.0, cost = 0.0, curvature = 0.0;
  for (let i = 0; i < m; i++) most = max(most, abs(at(sides, i)));
  for (let j = 0; j < 2 * n; j++) if (abs(at(lowers, j)) < Infinity) most = max(most, abs(at(lowers, j)));
  if (most > 0.0 || !hasH) return most > 0.0 ? min(1.0, most) : 1.0;
  for (let j = 0; j < n; j++) {
    cost = max(cost, abs(at(costs, j)));
    curvature = max(curvature, at(hessian + (<usize>(j * n) << 3), j));
  }
  return cost > 0.0 && curvature > 0.0 ? min(1.0, cost / curvature) : 1.0;
}

/** How far v is from fulfilling all rows and bounds, each beside its own size. */
function violation(v: usize): f64 {
  const unit = unitOfLengths();
  let worst = 0.0;
  rowsTimes(v);
  for (let i = 0; i < m; i++) {
    const apart = at(products, i) - at(sides, i), size = unit + abs(at(sides, i)) + at(sizesOfRows, i);
    worst = max(worst, (i < mA ? max(0.0, apart) : abs(apart)) / size);
  }
  for (let j = 0; j < n; j++) {
    const low = at(lowers, j), high = at(uppers, j), value = at(v, j);
    if (value < low) worst = max(worst, (low - value) / (unit + abs(low)));
    if (value > high) worst = max(worst, (value - high) / (unit + abs(high)));
  }
  return worst;
}

// ---- an optimum ----------------------------------------------------------------------------------------

function judge(): void {
  x = behind;
  y = x + (<usize>n << 3);
  openVerdict(4, 3 + 2 * n + m + DIAGNOSTICS);
  const square = curved(x);
  let p = 0.5 * square, scale = 0.0, terms = 0.0;
  for (let j = 0; j < n; j++) {
    const gradient = abs(at(costs, j)) + at(sizes, j);
    p += at(costs, j) * at(x, j);
    terms += gradient * abs(at(x, j));
    scale = max(scale, gradient);
    put(reduced, j, at(product, j) + at(costs, j) + columnTimes(j, y));
    put(sizes, j, gradient + sizeOfColumn);
  }
  const outside = violation(x);
  gate(0, Kind.CERTIFICATE, outside, 0.0, outside, FEASIBLE);
  const constant = parameterF64(40), value = parameterF64(48) * p + constant;
  if (scale == 0.0) scale = 1.0;
  const size = max(abs(value), CANCELLED * (terms + abs(constant)) + NOTHING * scale * unitOfLengths());
  const dual = -0.5 * square + boundsOf(scale, size);
  gate(3, Kind.CERTIFICATE, p, dual, abs(p - dual) / size);
  writeExtras(dual, p - dual, outside);
  closeVerdict(value);
}

/** −bᵀy + Σ r_j × its bound; and the gates of signs, beside the gradient, and of complementarity, beside the value. Behind rowsTimes(x). */
function boundsOf(scale: f64, size: f64): f64 {
  let sum = 0.0, wrong = 0.0, loose = 0.0;
  for (let i = 0; i < m; i++) {
    sum -= at(sides, i) * at(y, i);
    if (i >= mA) continue;
    wrong = max(wrong, -at(y, i) / scale);
    loose = max(loose, abs(at(y, i) * (at(sides, i) - at(products, i))));
  }
  for (let j = 0; j < n; j++) {
    const r = at(reduced, j), bound = r > 0.0 ? at(lowers, j) : at(uppers, j);
    if (abs(r) <= ROUNDING * at(sizes, j)) { sum += r * at(x, j); continue; }
    if (abs(bound) == Infinity) { wrong = max(wrong, abs(r) / scale); sum += r * at(x, j); continue; }
    sum += r * bound;
    loose = max(loose, abs(r * (at(x, j) - bound)));
  }
  gate(1, Kind.CERTIFICATE, wrong, 0.0, max(0.0, wrong), FEASIBLE);
  gate(2, Kind.CERTIFICATE, loose, 0.0, loose / size);
  return sum;
}

function writeExtras(dual: f64, gap: f64, outside: f64): void {
  const to = extras(), sense = parameterF64(48);
  store<f64>(to, sense * dual + parameterF64(40));
  store<f64>(to, gap, 8);
  store<f64>(to, outside, 16);
  for (let j = 0; j < n; j++) {
    put(to, 3 + j, at(x, j) + 0.0);
    put(to, 3 + n + m + j, sense * at(reduced, j) + 0.0);
  }
  for (let i = 0; i < m; i++) put(to, 3 + n + i, at(y, i) + 0.0);
  writeStaticProfile(to + (<usize>(3 + 2 * n + m) << 3), to + 24, n, scratch);
}

// ---- no optimum ----------------------------------------------------------------------------------------

function refuseWith(outcome: f64, margin: f64, isProven: bool, certificate: usize, count: i32): void {
  show(0, outcome);
  show(1, margin);
  show(2, <f64>count);
  for (let i = 0; i < min(count, SHOWN); i++) show(3 + i, at(certificate, i));
  fail(isProven ? Status.INVALID_INPUT : Status.DID_NOT_CONVERGE);
}

/** Farkas: y ≥ 0 on A and (Aᵀy)·x > bᵀy for every x within the bounds. */
function judgeInfeasible(): void {
  y = behind;
  let least = 0.0, size = 0.0, most = 0.0, isSigned = true;
  for (let i = 0; i < m; i++) most = max(most, abs(at(y, i)));
  for (let i = 0; i < m; i++) {
    least -= at(sides, i) * at(y, i);
    size += abs(at(sides, i) * at(y, i));
    if (i < mA && at(y, i) < -RAY * most) isSigned = false;
  }
  for (let j = 0; j < n; j++) {
    const r = columnTimes(j, y), bound = r > 0.0 ? at(lowers, j) : at(uppers, j);
    if (abs(r) <= ROUNDING * sizeOfColumn) continue;
    least += r * bound;
    size += abs(r * bound);
  }
  refuseWith(1.0, least, isSigned && least > RAY * size && most > 0.0, y, m);
}

function judgeUnbounded(): void {
  x = behind;
  const z = x + (<usize>n << 3);
  let most = 0.0, slope = 0.0, terms = 0.0, isRay = violation(x) <= FEASIBLE;
  for (let j = 0; j < n; j++) most = max(most, abs(at(z, j)));
  const small = RAY * most;
  for (let j = 0; j < n; j++) {
    slope += at(costs, j) * at(z, j);
    terms += abs(at(costs, j) * at(z, j));
    if (at(z, j) < -small && at(lowers, j) > -Infinity) isRay = false;
    if (at(z, j) > small && at(uppers, j) < Infinity) isRay = false;
  }
  rowsTimes(z);
  for (let i = 0; i < m; i++) {
    const moved = at(products, i);
    if ((i < mA ? moved : abs(moved)) > RAY * (at(sizesOfRows, i) + 1e-300)) isRay = false;
  }
  curved(z);
  for (let i = 0; i < n; i++) if (abs(at(product, i)) > RAY * most * rowSize(i)) isRay = false;
  refuseWith(2.0, slope, isRay && slope < -SLOPE * terms, z, n);
}

function rowSize(i: i32): f64 {
  let sum = 1e-300;
  if (hasH) for (let j = 0; j < n; j++) sum += abs(at(hessian + (<usize>(i * n) << 3), j));
  return sum;
}
