// Steady flow in a cavity: ∇·(uu) = −∇p/ρ + ν∇²u, ∇·u = 0, with the very fluxes of assembly/flow/momentum.ts. On a
// staggered grid u = ∂ψ/∂y, v = −∂ψ/∂x of corner values ψ has no sources, and the pressure is there exactly when the
// tendency F has no circulation around any inner corner:
//
//   R(ψ) = δ_y F_u − δ_x F_v − S = 0            (S: curl of the force of the manufactured lid, else 0)
//
// R is quadratic in ψ, so a central difference gives its Jacobian without error; corners five apart do not meet, so 25
// pairs of evaluations make all columns (Curtis, Powell & Reid, IMA J. Appl. Math. 13 (1974) 117). Newton steps by LU of
// that band without pivoting, factors being used again while they contract, steps halved while they do not (Deuflhard,
// Newton Methods for Nonlinear Problems, §3.1). From rest ν comes down by halves.
// Parameters: assembly/flow/problem.ts; result: assembly/flow/answer.ts.
//
// State body (f64): head of 16: 0 ν now · 8 steps since the factors were made · 16 whether there are factors · 24 ν of theirs
//   32 ‖R‖ before · 40 factorisations · 48 largest |R| · ψ now · ψ of the factors, both (ny+1) rows of (nx+1)

import {
  allocate, countStep, fail, finish, openState, parameterF64, restoreState, running, show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { ANSWER_HEAD, kineticEnergy, largest, lineBytes, writeAnswer } from "../flow/answer";
import { bandRow, clearBand, factorBand, layBand, solveBand } from "../flow/band";
import { layMomentum, tendencies } from "../flow/momentum";
import { Lx, Ly, at, dx, dy, fillGhosts, nx, ny, paddedBytes, readProblem, startData } from "../flow/problem";
import { layProjection, worstDivergence } from "../flow/projection";
import { curlOfForce } from "../flow/manufactured";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 128;
/** From rest, and from the solution of the grid 2h. */
const MOST_STEPS: u64 = 60, MOST_STEPS_FROM_COARSER: u64 = 16;
const STAGE_TOLERANCE: f64 = 1e-4;

let body: usize = 0, psi: usize = 0, base: usize = 0, trial: usize = 0, residual: usize = 0, change: usize = 0, moved: usize = 0, source: usize = 0;
let u: usize = 0, v: usize = 0, qu: usize = 0, qv: usize = 0, lines: usize = 0;
let nu: f64 = 0, speed: f64 = 0, tolerance: f64 = 0;
let corners: i32 = 0, across: i32 = 0, count: i32 = 0, band: i32 = 0;
let factorUnits: u64 = 0, stepUnits: u64 = 0;

@inline function get(offset: usize): f64 { return load<f64>(body + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function entry(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }
@inline function put(base: usize, k: i32, value: f64): void { store<f64>(base + (<usize>k << 3), value); }
@inline function corner(i: i32, j: i32): i32 { return j * (nx + 1) + i; }
/** Place of an inner corner among the unknowns: the shorter axis first, so that the band is narrow. */
@inline function unknown(i: i32, j: i32): i32 { return nx <= ny ? (j - 1) * across + i - 1 : (i - 1) * across + j - 1; }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  nu = parameterF64(32); speed = parameterF64(160); tolerance = parameterF64(168);
  corners = (nx + 1) * (ny + 1);
  across = min(nx, ny) - 1;
  count = (nx - 1) * (ny - 1);
  band = 2 * across + 2;
  const bytes = <usize>corners << 3;
  body = openState(HEAD + 2 * bytes);
  psi = body + HEAD;
  base = psi + bytes;
  watchFinite(body, <i32>((HEAD + 2 * bytes) >> 3));
  trial = allocate(bytes); residual = allocate(bytes); moved = allocate(bytes); change = allocate(bytes); source = allocate(bytes);
  const field = paddedBytes();
  u = allocate(field); v = allocate(field); qu = allocate(field); qv = allocate(field);
  lines = allocate(lineBytes());
  layBand(count, band);
  layProjection();
  if (parameterF64(152) == 3.0) curlOfForce(source, speed, nu);
  factorUnits = <u64>count * <u64>band * <u64>band * 2 / 5 + 300 * <u64>count;
  stepUnits = 10000 + <u64>count * (80 + 2 * <u64>band);
}

export function start(_budget: i32): i32 {
  prepare();
  if (parameterF64(176) == 1.0) { refine(startData()); set(0, nu); }
  else {
    let slow = nu;
    while (speed * Lx > 200.0 * slow) slow *= 2.0;
    set(0, slow);
  }
  spend(stepUnits);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

/** The factors are not in the state; what they were made from is. */
export function resumed(_budget: i32): i32 {
  if (get(16) == 1.0) makeFactors();
  return 1;
}

/** ψ of the grid 2h at its own corners, and by cubics half-way between them. */
function refine(coarse: usize): void {
  const m = nx / 2, n = ny / 2;
  for (let j = 0; j <= n; j++) for (let i = 0; i <= m; i++) put(psi, corner(2 * i, 2 * j), entry(coarse, j * (m + 1) + i));
  for (let j = 0; j <= ny; j += 2) for (let i = 1; i < nx; i += 2) put(psi, corner(i, j), halfway(corner(i, j), 1, i, nx));
  for (let j = 1; j < ny; j += 2) for (let i = 0; i <= nx; i++) put(psi, corner(i, j), halfway(corner(i, j), nx + 1, j, ny));
}

function halfway(k: i32, stride: i32, place: i32, n: i32): f64 {
  const near = 0.5 * (entry(psi, k - stride) + entry(psi, k + stride));
  if (place < 3 || place > n - 3) return near;
  return 1.125 * near - 0.0625 * (entry(psi, k - 3 * stride) + entry(psi, k + 3 * stride));
}

// ---- residual ------------------------------------------------------------------------------------------

function velocities(from: usize): void {
  for (let j = 0; j < ny; j++) for (let i = 0; i <= nx; i++) store<f64>(at(u, i, j), (entry(from, corner(i, j + 1)) - entry(from, corner(i, j))) / dy);
  for (let j = 0; j <= ny; j++) for (let i = 0; i < nx; i++) store<f64>(at(v, i, j), -(entry(from, corner(i + 1, j)) - entry(from, corner(i, j))) / dx);
  fillGhosts(u, v);
}

function residualOf(from: usize, to: usize, viscosity: f64): void {
  velocities(from);
  layMomentum(viscosity, 0.0, 1.0);
  tendencies(u, v, qu, qv);
  for (let j = 1; j < ny; j++) {
    for (let i = 1; i < nx; i++) {
      const k = corner(i, j);
      const turned = (load<f64>(at(qu, i, j)) - load<f64>(at(qu, i, j - 1))) / dy - (load<f64>(at(qv, i, j)) - load<f64>(at(qv, i - 1, j))) / dx;
      put(to, k, turned - entry(source, k));
    }
  }
}

function norm(list: usize): f64 {
  let sum = 0.0;
  for (let k = 0; k < corners; k++) sum += entry(list, k) * entry(list, k);
  return sqrt(sum / <f64>count);
}

function worst(list: usize): f64 {
  let most = 0.0;
  for (let k = 0; k < corners; k++) if (!(abs(entry(list, k)) <= most)) most = abs(entry(list, k));
  return most;
}

// ---- Jacobian ------------------------------------------------------------------------------------------

/** Columns of one colour: corners (a, b) modulo five. */
function makeColumns(a: i32, b: i32, by: f64, viscosity: f64): void {
  for (let side = -1; side <= 1; side += 2) {
    memory.copy(trial, base, <usize>corners << 3);
    for (let j = b; j < ny; j += 5) for (let i = a; i < nx; i += 5) if (i > 0 && j > 0) put(trial, corner(i, j), entry(base, corner(i, j)) + <f64>side * by);
    residualOf(trial, side < 0 ? moved : change, viscosity);
  }
  for (let j = b; j < ny; j += 5) for (let i = a; i < nx; i += 5) if (i > 0 && j > 0) keepColumn(i, j, 0.5 / by);
}

function keepColumn(i: i32, j: i32, rate: f64): void {
  const column = unknown(i, j);
  for (let q = max(1, j - 2); q <= min(ny - 1, j + 2); q++) {
    for (let p = max(1, i - 2); p <= min(nx - 1, i + 2); p++) {
      const k = corner(p, q), row = unknown(p, q);
      store<f64>(bandRow(row) + (<usize>(column - row + band) << 3), rate * (entry(change, k) - entry(moved, k)));
    }
  }
}

function makeFactors(): void {
  clearBand();
  const by = 0.1 * speed * Ly;
  for (let b = 0; b < 5; b++) for (let a = 0; a < 5; a++) makeColumns(a, b, by, get(24));
  factorBand();
}

// ---- steps ---------------------------------------------------------------------------------------------

function take(): void {
  residualOf(psi, residual, get(0));
  const before = norm(residual);
  if (get(16) == 0.0) {
    memory.copy(base, psi, <usize>corners << 3);
    set(24, get(0));
    set(8, 0.0);
    set(16, 1.0);
    set(40, get(40) + 1.0);
    makeFactors();
    spend(factorUnits);
  }
  for (let j = 1; j < ny; j++) for (let i = 1; i < nx; i++) put(moved, unknown(i, j), entry(residual, corner(i, j)));
  solveBand(moved);
  move(before);
}

function move(before: f64): void {
  let length = 1.0, after = Infinity;
  for (let halvings = 0; halvings < 8 && !(after < before); halvings++, length *= 0.5) {
    for (let j = 1; j < ny; j++) for (let i = 1; i < nx; i++) put(trial, corner(i, j), entry(psi, corner(i, j)) - length * entry(moved, unknown(i, j)));
    residualOf(trial, residual, get(0));
    after = norm(residual);
  }
  const size = worst(residual) * min(dx, dy), stalled = !(after < before);
  if (!stalled) memory.copy(psi, trial, <usize>corners << 3);
  set(32, after);
  set(48, size);
  settle(size * Lx / (speed * max(speed, nu / Lx)), after / before, stalled);
}

function settle(size: f64, contraction: f64, stalled: bool): void {
  const isLast = get(0) == nu, isFresh = get(8) == 0.0;
  set(8, get(8) + 1.0);
  if (size <= (isLast ? tolerance : STAGE_TOLERANCE)) {
    if (isLast) { conclude(); return; }
    set(0, max(nu, 0.5 * get(0)));
    set(16, 0.0);
    return;
  }
  if ((stalled && isFresh) || stepsDone() + 1 >= (parameterF64(176) == 1.0 ? MOST_STEPS_FROM_COARSER : MOST_STEPS)) {
    show(0, size); show(1, <f64>(stepsDone() + 1)); show(2, tolerance);
    fail(Status.DID_NOT_CONVERGE);
  }
  if (stalled || contraction > 0.2) set(16, 0.0);
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    take();
    spend(stepUnits);
    countStep();
    taken++;
  }
  return taken;
}

function conclude(): void {
  velocities(psi);
  const head = trial;
  memory.fill(head, 0, ANSWER_HEAD);
  put(head, 0, <f64>(stepsDone() + 1));
  put(head, 3, kineticEnergy(u, v));
  put(head, 4, worstDivergence(u, v));
  put(head, 13, largest(u, nx + 1, ny));
  put(head, 14, largest(v, nx, ny + 1));
  put(head, 15, get(48));
  writeAnswer(head, lines, u, v, qu, qv);
  finish();
}
