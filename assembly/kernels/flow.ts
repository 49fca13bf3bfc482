// Incompressible flow ∂u/∂t + ∇·(uu) = −∇p/ρ + ν∇²u + g, ∇·u = 0 in a rectangle: a staggered grid with central fluxes,
// order 2, and three stages of order 3 that need one array beside the velocities (Williamson, J. Comput. Phys. 35 (1980)
// 48, case 7), each followed by a projection. Parameters: assembly/flow/problem.ts; result: assembly/flow/answer.ts.
//
// State body: a result's head (128 bytes) · u at x = Lx/2 one and two steps ago · u and v, padded. Behind it stand φ and q,
// and at the end the result takes the place of all.
// Rows (f64), at the start, every so many steps and at the end:
//   0 t since the start [s] · 8 kinetic energy per mass and depth · 16 largest |u|dt/dx + |v|dt/dy · 24 largest |∇·u|

import {
  allocate, appendRow, countStep, fail, finish, openRows, openState, parameterF64, restoreState, rowsFull, running, show,
  spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  ANSWER_HEAD, keepLine, kineticEnergy, largest, lineBytes, momentumAlongX, momentumAlongY, readAnswer, standAnswer,
} from "../flow/answer";
import { layMomentum, layRows, push } from "../flow/momentum";
import { fillGhosts, fixFaces, nx, ny, paddedBytes, readProblem, startData, writeStart } from "../flow/problem";
import { largestCourant, layProjection, project, projectionBytes, worstDivergence } from "../flow/projection";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 32;
const ROOM: i32 = 272 * ROW;
/** Units of a cell in a step of three stages, for both sweeps of the transform. */
const UNITS_PER_CELL: u64 = 40;

let body: usize = 0, lines: usize = 0, u: usize = 0, v: usize = 0, qu: usize = 0, qv: usize = 0;
let dt: f64 = 0, nu: f64 = 0;
let steps: u64 = 0, before: u64 = 0, stepsPerRow: u64 = 0, units: u64 = 0;

@inline function get(offset: usize): f64 { return load<f64>(body + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function goesOn(): bool { return parameterF64(112) == 3.0; }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  nu = parameterF64(32); dt = parameterF64(40);
  steps = <u64>parameterF64(48); stepsPerRow = <u64>parameterF64(144);
  before = goesOn() ? <u64>load<f64>(startData()) : 0;
  units = 2000 + UNITS_PER_CELL * <u64>nx * <u64>ny;
  const kept = lineBytes(), field = paddedBytes();
  body = openState(ANSWER_HEAD + kept + 2 * field);
  lines = body + ANSWER_HEAD;
  u = lines + kept;
  v = u + field;
  watchFinite(body, <i32>((ANSWER_HEAD + kept + 2 * field) >> 3));
  const phi = allocate(projectionBytes());
  qu = allocate(field);
  qv = allocate(field);
  layRows();
  layProjection(phi);
  openRows(ROOM);
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) {
    memory.copy(body, startData(), ANSWER_HEAD);
    readAnswer(startData(), u, v);
    fixFaces(u, v);
  } else begin();
  fillGhosts(u, v);
  spend(units);
  writeRow();
  return 1;
}

function begin(): void {
  writeStart(u, v);
  set(96, worstDivergence(u, v));
  project(u, v);
  set(16, kineticEnergy(u, v));
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- steps ---------------------------------------------------------------------------------------------

/** q ← a q + dt F, u ← u + b q, and what has sources is taken away. */
function stage(a: f64, b: f64): void {
  layMomentum(nu, a, dt);
  push(u, v, qu, qv, b);
  project(u, v);
  fillGhosts(u, v);
}

function take(left: u64): void {
  if (left <= 2) keepLine(lines + (left == 2 ? 0 : lineBytes() >> 1), u);
  if (left <= 2) { set(left == 2 ? 48 : 64, momentumAlongX(u)); set(left == 2 ? 56 : 72, momentumAlongY(v)); }
  stage(0.0, 1.0 / 3.0);
  stage(-5.0 / 9.0, 15.0 / 16.0);
  stage(-153.0 / 128.0, 8.0 / 15.0);
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end && !rowsFull(2 * ROW)) {
    const done = before + stepsDone();
    take(steps - done);
    countStep();
    spend(units);
    taken++;
    if ((done + 1) % stepsPerRow == 0 || done + 1 == steps) writeRow();
    if (done + 1 == steps && running()) conclude();
  }
  return taken;
}

function writeRow(): void {
  const row = appendRow(ROW), number = largestCourant(u, v, dt), sources = worstDivergence(u, v);
  set(24, kineticEnergy(u, v));
  store<f64>(row, <f64>(before + stepsDone()) * dt);
  store<f64>(row, get(24), 8);
  store<f64>(row, number, 16);
  store<f64>(row, sources, 24);
  set(32, max(get(32), sources));
  set(40, max(get(40), number));
  if (!(number <= 1.0 + 1e-9)) { show(0, number); show(1, dt / number); fail(number > 0.0 ? Status.STABILITY_LIMIT : Status.NON_FINITE); }
}

function conclude(): void {
  set(0, <f64>steps);
  set(8, <f64>steps * dt);
  set(80, momentumAlongX(u));
  set(88, momentumAlongY(v));
  set(104, largest(u, nx + 1, ny));
  set(112, largest(v, nx, ny + 1));
  standAnswer(body, u, v, qu, qv, qu, qv);
  finish();
}
