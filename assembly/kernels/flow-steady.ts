// Steady flow in a cavity: ∇·(uu) = −∇p/ρ + ν∇²u, ∇·u = 0, with the very fluxes of assembly/flow/momentum.ts, by Newton's
// method on corner values of ψ. Equations, Jacobian and what stands in for its inverse: assembly/flow/steady.ts. Where the
// grid is its own coarsest, factors serve again while steps take few iterations (Deuflhard, Newton Methods for Nonlinear
// Problems, §3.1); steps are halved while they do not. From rest ν comes down by halves; a known flow begins as nine tenths
// of itself: what the grid makes of it is near, and steps that end too early are seen.
// Parameters: assembly/flow/problem.ts; result: assembly/flow/answer.ts.
//
// State body (f64): head of 16: 0 ν now · 8 steps since the factors were made · 16 whether there are factors · 24 ν of theirs
//   32 ‖R‖ before · 40 factorisations · 48 largest |R| · 56 iterations of Krylov's method
//   ψ now · ψ of the factors, both (ny+1) rows of (nx+1)

import {
  allocate, countStep, fail, finish, openState, parameterF64, restoreState, running, show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { ANSWER_HEAD, kineticEnergy, largest, lineBytes, standAnswer } from "../flow/answer";
import { beginKrylov, endKrylov, extendKrylov, fieldBytes, krylovBytes, krylovTaken, layKrylov, nextVector } from "../flow/krylov";
import { Lx, Ly, dx, dy, nx, ny, paddedBytes, readProblem, startData, topAlong } from "../flow/problem";
import { biharmonicRoom } from "../flow/biharmonic";
import { layRows } from "../flow/momentum";
import { layProjection, projectionBytes, worstDivergence } from "../flow/projection";
import {
  applyJacobian, by, corners, halfBand, isManufactured, laySteady, makeFactors, norm, precondition, residualOf, standKnown, unknowns, velocities,
  worst,
} from "../flow/steady";
import { prolongCorners } from "../flow/transfer";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 128;
const STAGE_TOLERANCE: f64 = 1e-4;
/** Vectors of Krylov's method, and what it leaves of a residual. */
const VECTORS: i32 = 24;
const LEFT: f64 = 1e-3;
/** Factors of the grid itself are used again while a step takes at most so many. */
const KEPT_ITERATIONS: i32 = 8;
/** Rounding of δ⁴ψ: a unit of the last place in each of four differences, one after another. */
const ROUNDING: f64 = 4.0 * 2.220446049250313e-16;

namespace Phase {
  export const BEGIN: i32 = 0;
  export const KRYLOV: i32 = 1;
}

let body: usize = 0, psi: usize = 0, base: usize = 0;
/** R, and what linear solutions overwrite; the step; v, J M⁻¹ v and the ψ that is tried. */
let residual: usize = 0, moved: usize = 0, image: usize = 0;
/** Where vectors stand first, and in the end the answer. */
let room: usize = 0;
let nu: f64 = 0, speed: f64 = 0, tolerance: f64 = 0;
let factorUnits: u64 = 0, evaluationUnits: u64 = 0, iterationUnits: u64 = 0, allowedWork: u64 = 0, mostSteps: u64 = 0;
/** Of the step that is being taken: nothing of it outlives the step. */
let phase: i32 = 0, before: f64 = 0;

@inline function get(offset: usize): f64 { return load<f64>(body + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function entry(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }
@inline function put(base: usize, k: i32, value: f64): void { store<f64>(base + (<usize>k << 3), value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  nu = parameterF64(32); speed = parameterF64(160); tolerance = parameterF64(168);
  mostSteps = <u64>parameterF64(48); allowedWork = <u64>parameterF64(144);
  const bytes = fieldBytes((nx + 1) * (ny + 1));
  body = openState(HEAD + 2 * bytes);
  psi = body + HEAD;
  base = psi + bytes;
  watchFinite(body, <i32>((HEAD + 2 * bytes) >> 3));
  residual = allocate(bytes); moved = allocate(bytes); image = allocate(bytes);
  const vectors = max(krylovBytes((nx + 1) * (ny + 1), VECTORS), parameterF64(184) > 1.0 ? biharmonicRoom(nx) : 0);
  room = allocate(max(vectors, tableAt() + projectionBytes() + 2 * paddedBytes()));
  laySteady(residual, room);
  layRows();
  layKrylov(corners, VECTORS, room);
  layProjection(room + tableAt());
  const count = <u64>unknowns(nx / by, ny / by), half = <u64>halfBand(nx / by, ny / by);
  factorUnits = count * half * half * 2 / 5 + 1000 * count;
  evaluationUnits = 10000 + 12 * <u64>corners;
  iterationUnits = (by == 1 ? 2 : 4) * evaluationUnits + 2 * count * half + 150 * <u64>corners;
  phase = Phase.BEGIN;
}

/** Where in the room φ stands: behind head, lines, u and v. */
function tableAt(): usize { return ANSWER_HEAD + lineBytes() + 2 * paddedBytes(); }

export function start(_budget: i32): i32 {
  prepare();
  if (isManufactured) { standKnown(psi, 0.9); set(0, nu); }
  else if (parameterF64(176) == 1.0) { refine(); set(0, nu); }
  else {
    let slow = nu;
    while (speed * max(Lx, Ly) > 200.0 * slow) slow *= 2.0;
    set(0, slow);
  }
  spend(evaluationUnits);
  return 1;
}

/** ψ of the grid 2h; what lies behind the lid is a mirror image that its slope tilts. */
function refine(): void {
  prolongCorners(startData(), psi, nx, ny);
  for (let i = 1; i < nx; i++) {
    const k = (ny - 1) * (nx + 1) + i;
    put(psi, k, entry(psi, k) - 0.25 * dy * entry(topAlong, i));
  }
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

/** The factors are not in the state; what they were made from is. */
export function resumed(_budget: i32): i32 {
  if (get(16) == 1.0) makeFactors(base, get(24));
  return 1;
}

// ---- steps ---------------------------------------------------------------------------------------------

/** Residual and factors. */
function begin(): void {
  residualOf(psi, residual, get(0));
  spend(evaluationUnits);
  before = norm(residual);
  if (get(16) == 0.0) {
    memory.copy(base, psi, <usize>corners << 3);
    set(24, get(0));
    set(8, 0.0);
    set(16, 1.0);
    set(40, get(40) + 1.0);
    makeFactors(base, get(24));
    spend(factorUnits);
  }
  beginKrylov(residual);
  phase = Phase.KRYLOV;
}

/** One more direction; where enough is known, the step. */
function iterate(): void {
  nextVector(image);
  precondition(psi, image, moved, get(0));
  applyJacobian(psi, moved, image, get(0));
  const left = extendKrylov(image);
  spend(iterationUnits);
  set(56, get(56) + 1.0);
  if (work() > allowedWork) { residualOf(psi, residual, nu); giveUp(measured(worst(residual))); return; }
  if (left > LEFT * before * sqrt(<f64>unknowns(nx, ny)) && krylovTaken() < VECTORS) return;
  endKrylov(image);
  precondition(psi, image, moved, get(0));
  spend(iterationUnits);
  if (by > 1 || krylovTaken() > KEPT_ITERATIONS) set(16, 0.0);
  move();
}

function move(): void {
  let length = 1.0, after = Infinity;
  for (let halvings = 0; halvings < 8 && !(after < before); halvings++, length *= 0.5) {
    for (let k = 0; k < corners; k++) put(image, k, entry(psi, k) - length * entry(moved, k));
    residualOf(image, residual, get(0));
    spend(evaluationUnits);
    after = norm(residual);
  }
  const size = worst(residual), stalled = !(after < before);
  if (!stalled) memory.copy(psi, image, <usize>corners << 3);
  set(32, after);
  set(48, size * min(dx, dy));
  phase = Phase.BEGIN;
  countStep();
  settle(measured(size), after / before, stalled);
}

/** |R| in the measure of the tolerance, ‖∂u/∂t‖Lx/U². */
@inline function measured(R: f64): f64 { return R * min(dx, dy) * Lx / (speed * max(speed, nu / Lx)); }

/** What rounding leaves of R, in that measure. */
function rounding(): f64 {
  const stiff = 1.0 / (dx * dx) + 1.0 / (dy * dy);
  return measured(ROUNDING * nu * speed * max(Lx, Ly) * stiff * stiff);
}

function settle(size: f64, contraction: f64, stalled: bool): void {
  const isLast = get(0) == nu, isFresh = get(8) == 0.0;
  set(8, get(8) + 1.0);
  if (size <= (isLast ? max(tolerance, rounding()) : STAGE_TOLERANCE)) {
    if (isLast) { conclude(); return; }
    set(0, max(nu, 0.5 * get(0)));
    set(16, 0.0);
    return;
  }
  if ((stalled && isFresh) || stepsDone() >= mostSteps || work() > allowedWork) giveUp(size);
  if (stalled || contraction > 0.2) set(16, 0.0);
}

function giveUp(size: f64): void {
  show(0, size); show(1, <f64>stepsDone()); show(2, tolerance);
  fail(Status.DID_NOT_CONVERGE);
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, from = stepsDone();
  while (<i32>(stepsDone() - from) < allowed && running() && work() < end) {
    if (phase == Phase.BEGIN) begin(); else iterate();
  }
  return <i32>(stepsDone() - from);
}

function conclude(): void {
  const head = room, u = head + ANSWER_HEAD + lineBytes(), v = u + paddedBytes();
  const qu = head + tableAt() + projectionBytes(), qv = qu + paddedBytes();
  memory.fill(head, 0, u - head);
  velocities(psi, u, v);
  put(head, 0, <f64>stepsDone());
  put(head, 3, kineticEnergy(u, v));
  put(head, 4, worstDivergence(u, v));
  put(head, 13, largest(u, nx + 1, ny));
  put(head, 14, largest(v, nx, ny + 1));
  put(head, 15, get(48));
  standAnswer(head, u, v, qu, qv, qu, qv);
  finish();
}
