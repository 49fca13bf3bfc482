// Steady heat conduction α∇²T + s = 0 by conjugate gradients (Golub & Van Loan, §11.5), preconditioned by lines
// (assembly/heat/lines.ts), on the grid of `heat`. With each node's share w of a cell the matrix is symmetric:
//
//   A T = −w α δ²T on free nodes (fixed ones 0),   b = w (s + what fixed and natural ends bring)
//
// The loop stops at ‖b − A T‖ ≤ tol ‖b₀‖, b₀ the larger of b and the first residual. One step is one iteration.
//
// Parameters and result: assembly/heat/problem.ts.
// z and the result stand where A p was: in all there are four fields for a state of three.
// State body (f64): 0 ρ = r·z · 8 ‖b₀‖² · 16 ‖r‖² · 64 T, r, p, padded (assembly/grid/field.ts)

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, restoreState, running, show, spend, stepsDone,
  watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  End, cellsOf, firstFree, isPeriodic, lastFree, lowerBeta, lowerKind, shareOf, upperBeta, upperKind, widthOf,
} from "../grid/axis";
import { copyRow, fieldBytes, fillGhosts, nodeAt, packField, rowAt, rowBelow, rowAbove, rowBytes } from "../grid/field";
import { inflowX, inflowY } from "../heat/balance";
import {
  RESULT_HEAD, alpha, contentOf, formulaWork, nodes, nx, ny, profileBytes, readProblem, laySource, setEdges, sourceArray, sourceNumber, x, y,
} from "../heat/problem";
import { layLines, solveLines, unitsPerNode } from "../heat/lines";
import { addEndsX, addEndsY, addSource } from "../heat/row";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

let source: usize = 0;
let body: usize = 0, T: usize = 0, r: usize = 0, p: usize = 0, q: usize = 0, shares: usize = 0, ghost: usize = 0;
let units: u64 = 0, limit: u64 = 0;
let cx: f64 = 0, cy: f64 = 0;

function prepare(): void {
  readProblem();
  const bytes = fieldBytes(nx, ny);
  body = openState(RESULT_HEAD + 3 * bytes);
  T = body + RESULT_HEAD;
  r = T + bytes;
  p = r + bytes;
  watchFinite(body, <i32>((RESULT_HEAD + 3 * bytes) >> 3));
  q = openResult(<i32>resultBytes());
  allocate(max(bytes, resultBytes()) - resultBytes() + 16);
  shares = allocate(rowBytes(nx));
  ghost = allocate(rowBytes(nx)) + 16;
  for (let i = 0; i <= nx; i++) store<f64>(shares + (<usize>i << 3), shareOf(x, i));
  cx = alpha / (widthOf(x) * widthOf(x));
  cy = ny > 0 ? alpha / (widthOf(y) * widthOf(y)) : 0.0;
  layLines();
  limit = <u64>parameterF64(312);
  source = parameterF64(280) == 3.0 ? laySource(q) : sourceArray(); // is read before A p is
  units = 200 + 40 * <u64>(ny + 1) + unitsPerNode() * <u64>(nx + 1) * <u64>(ny + 1);
}

@inline function resultBytes(): usize { return RESULT_HEAD + profileBytes() + (nodes() << 3); }

export function start(_budget: i32): i32 {
  prepare();
  setEdges(T, false);
  firstResidual();
  spend(2 * units + formulaWork());
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

@inline function share(i: i32): f64 { return load<f64>(shares + (<usize>i << 3)); }

/** α δ²f at row j into out, ends without what they bring (γ). */
function laplacianRow(out: usize, f: usize, j: i32): void {
  const row = rowAt(f, nx, j), far = <usize>nx << 3;
  fillGhosts(row, x);
  const below = ny > 0 ? rowBelow(f, nx, y, j, rowAt(f, nx, j - 1), 0) : row;
  const above = ny > 0 ? rowAbove(f, nx, y, j, rowAt(f, nx, j - 1)) : row;
  for (let k: usize = 0; k <= far; k += 8) {
    const c = load<f64>(row + k);
    store<f64>(out + k, cx * (load<f64>(row + k - 8) - 2.0 * c + load<f64>(row + k + 8))
      + cy * (load<f64>(below + k) - 2.0 * c + load<f64>(above + k)));
  }
  if (lowerKind(x) == End.NATURAL) store<f64>(out, load<f64>(out) - 2.0 * cx * lowerBeta(x) * load<f64>(row));
  if (upperKind(x) == End.NATURAL) store<f64>(out + far, load<f64>(out + far) - 2.0 * cx * upperBeta(x) * load<f64>(row + far));
  if (ny == 0 || isPeriodic(y) || (j > 0 && j < ny)) return;
  const beta = 2.0 * cy * (j == 0 ? lowerBeta(y) : upperBeta(y));
  if (beta != 0.0) for (let k: usize = 0; k <= far; k += 8) store<f64>(out + k, load<f64>(out + k) - beta * load<f64>(row + k));
}

/** r = w (s + α δ²T + ends), p = z, and the sums. */
function firstResidual(): void {
  const number = sourceNumber(), zero = ghost;
  let square = 0.0;
  memory.fill(zero - 16, 0, rowBytes(nx));
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    const out = rowAt(r, nx, j);
    laplacianRow(out, T, j);
    addEndsX(out, zero, cx);
    addEndsY(out, zero, j, cy);
    addSource(out, j, 1.0, number, source);
    for (let i = 0; i <= nx; i++) {
      const k = <usize>i << 3, value = share(i) * shareOf(y, j) * load<f64>(out + k);
      store<f64>(out + k, value);
      square += value * value;
    }
  }
  store<f64>(body, square, 8);
  store<f64>(body, square, 16);
  store<f64>(body, precondition());
  turn(0.0);
}

/** z = M⁻¹r, where A p was; ρ = r·z. */
function precondition(): f64 {
  solveLines(q, r);
  let rho = 0.0;
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    const rest = rowAt(r, nx, j), z = rowAt(q, nx, j);
    let line = 0.0;
    for (let k: usize = 0, end = <usize>nx << 3; k <= end; k += 8) line += load<f64>(rest + k) * load<f64>(z + k);
    rho += line;
  }
  return rho;
}

/** q = A p of all rows, and p·q. */
function applyMatrix(): f64 {
  copyPeriodic(p);
  let sum = 0.0;
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    const out = rowAt(q, nx, j), direction = rowAt(p, nx, j), wy = -shareOf(y, j);
    laplacianRow(out, p, j);
    let line = 0.0;
    for (let i = 0; i <= nx; i++) {
      const k = <usize>i << 3, value = wy * share(i) * load<f64>(out + k);
      store<f64>(out + k, value);
      line += value * load<f64>(direction + k);
    }
    sum += line;
  }
  return sum;
}

/** Last node and row of periodic axes are copies. */
function copyPeriodic(f: usize): void {
  if (isPeriodic(x)) for (let j = 0; j <= ny; j++) store<f64>(nodeAt(f, nx, nx, j), load<f64>(nodeAt(f, nx, 0, j)));
  if (ny > 0 && isPeriodic(y)) copyRow(rowAt(f, nx, ny), rowAt(f, nx, 0), nx);
}

/** T += a p, r −= a q; then ‖r‖², the new ρ and p. */
function improve(a: f64): void {
  let square = 0.0;
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    const t = rowAt(T, nx, j), rest = rowAt(r, nx, j), direction = rowAt(p, nx, j), image = rowAt(q, nx, j);
    let line = 0.0;
    for (let k: usize = 0, end = <usize>nx << 3; k <= end; k += 8) {
      const value = load<f64>(rest + k) - a * load<f64>(image + k);
      store<f64>(t + k, load<f64>(t + k) + a * load<f64>(direction + k));
      store<f64>(rest + k, value);
      line += value * value;
    }
    square += line;
  }
  const rho = precondition();
  turn(rho / load<f64>(body));
  store<f64>(body, rho);
  store<f64>(body, square, 16);
}

/** p = z + β p. */
function turn(beta: f64): void {
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    const z = rowAt(q, nx, j), direction = rowAt(p, nx, j);
    for (let k: usize = 0, end = <usize>nx << 3; k <= end; k += 8)
      store<f64>(direction + k, load<f64>(z + k) + beta * load<f64>(direction + k));
  }
}

@inline function converged(): bool {
  const tol = parameterF64(304);
  return load<f64>(body, 16) <= tol * tol * load<f64>(body, 8);
}

/** At most `allowed` iterations and about `budget` work units; says how many it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    if (!converged()) improve(load<f64>(body) / applyMatrix());
    countStep();
    spend(units);
    taken++;
    if (converged()) conclude();
    else if (stepsDone() >= limit) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, <f64>stepsDone());
  show(1, residual());
  return taken;
}

function residual(): f64 {
  const size = load<f64>(body, 8);
  return size > 0.0 ? sqrt(load<f64>(body, 16) / size) : 0.0;
}

function conclude(): void {
  copyPeriodic(T);
  const out = q; // A p is not needed any more
  memory.fill(out, 0, RESULT_HEAD + profileBytes());
  store<f64>(out, contentOf(T), 8);
  store<f64>(out, inflowX(T) + inflowY(T), 16);
  store<f64>(out, abs(inflowX(T)) + abs(inflowY(T)), 24);
  store<f64>(out, <f64>stepsDone(), 48);
  store<f64>(out, residual(), 56);
  packField(out + RESULT_HEAD + profileBytes(), T, nx, ny);
  finish();
}
