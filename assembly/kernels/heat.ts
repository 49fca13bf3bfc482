// Heat conduction ∂T/∂t = α∇²T + s in a rod or a rectangle, by explicit steps (FTCS) or by Peaceman–Rachford's ADI.
// Parameters and result: assembly/heat/problem.ts. Ends of the axes: assembly/grid/axis.ts.
//
// State body (f64):
//   0 what has flowed in since the start · 8 the same in sizes · 16 ∫T at the start · 24, 32 least and largest T there
//   64 four rows of the profile: two steps before the end, and one step before it the row and both beside it
//   then T with its padding (assembly/grid/field.ts) · of a source of t its sums and its content
// At the end the result takes its place, and padding goes.
// Rows (f64), at the start, every so many steps and at the end:  0 t since the start [s] · 8 T at the probe [K]

import {
  allocate, appendRow, countStep, fail, finish, openRows, openState, parameterF64, restoreState, rowsFull, running, show, spend,
  standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { widthOf } from "../grid/axis";
import { fieldBytes, packField, rowAt, unpackField } from "../grid/field";
import { factorAxis, factoredBytes } from "../grid/implicit-axis";
import { probeField } from "../grid/probe";
import { keepSample } from "../grid/source";
import { keepProfile } from "../grid/profile";
import { inflowX, inflowY } from "../heat/balance";
import { explicitStep, layExplicit } from "../heat/explicit";
import { layImplicit, sweepX, sweepY } from "../heat/implicit";
import {
  CONTENT, RESULT_HEAD, arrayContent, closeRing, contentOf, earlierResult, formulaWork, goesOn, moveSource, movingBytes, movingWork,
  nodes, nx, ny, profileBytes, readProblem, setEdges, sourceArray, sourceMoves, sourceNumber, writeStart, x, y,
} from "../heat/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 16;
const ROOM: i32 = 272 * ROW;

let body: usize = 0, field: usize = 0, profile: usize = 0, tableX: usize = 0, tableY: usize = 0;
let dt: f64 = 0, number: f64 = 0;
let array: usize = 0, moving: usize = 0;
let steps: u64 = 0, before: u64 = 0, stepsPerRow: u64 = 0, units: u64 = 0, damped: u64 = 0;
let implicit: bool = false;

@inline function at(offset: usize): f64 { return load<f64>(body + offset); }
@inline function add(offset: usize, value: f64): void { store<f64>(body + offset, at(offset) + value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  dt = parameterF64(40);
  steps = <u64>parameterF64(48);
  stepsPerRow = <u64>parameterF64(56);
  implicit = parameterF64(64) == 1.0;
  damped = <u64>parameterF64(72);
  number = sourceNumber();
  array = sourceArray();
  before = goesOn() ? <u64>load<f64>(earlierResult()) : 0;
  units = unitsPerStep() + movingWork();
  const bytes = RESULT_HEAD + profileBytes() + fieldBytes(nx, ny) + movingBytes();
  body = openState(bytes);
  profile = body + RESULT_HEAD;
  field = profile + profileBytes();
  moving = field + fieldBytes(nx, ny);
  watchFinite(body, <i32>(bytes >> 3));
  if (implicit) layImplicit(); else layExplicit();
  openRows(ROOM);
  if (implicit) factorAxes();
}

function factorAxes(): void {
  const tau = 0.5 * dt * parameterF64(32);
  tableX = allocate(factoredBytes(x));
  factorAxis(tableX, x, tau / (widthOf(x) * widthOf(x)));
  tableY = allocate(factoredBytes(y));
  if (ny > 0) factorAxis(tableY, y, tau / (widthOf(y) * widthOf(y)));
}

/** Work units of a step. */
function unitsPerStep(): u64 {
  const rows = <u64>(ny + 1), columns = <u64>(nx + 1);
  return implicit ? 100 + 30 * rows + 7 * columns * rows : 60 + 20 * rows + columns * rows * 3 / 4;
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) goOn(); else begin();
  spend(units + formulaWork());
  writeRow();
  return 1;
}

function begin(): void {
  writeStart(field);
  closeRing(field);
  store<f64>(body, contentOf(field), 16);
  noteExtremes();
  if (parameterF64(208) == 3.0 && !(at(24) >= 0.0) && running()) { show(0, at(24)); fail(Status.INVALID_INPUT); }
  setEdges(field, !implicit);
}

/** From the end of an earlier run: what it gathered, the rows of its profile, its field. */
function goOn(): void {
  const from = earlierResult();
  store<f64>(body, load<f64>(from, 16));
  store<f64>(body, load<f64>(from, 24), 8);
  store<f64>(body, load<f64>(from, 8), 16);
  store<f64>(body, load<f64>(from, 32), 24);
  store<f64>(body, load<f64>(from, 40), 32);
  unpackField(field, from + RESULT_HEAD + profileBytes(), nx, ny);
  if (sourceMoves()) store<f64>(moving + CONTENT, load<f64>(from + RESULT_HEAD + profileBytes() + (nodes() << 3) + CONTENT));
}

function noteExtremes(): void {
  let least = Infinity, most = -Infinity;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const T = load<f64>(rowAt(field, nx, j) + (<usize>i << 3));
      least = min(least, T);
      most = max(most, T);
    }
  }
  store<f64>(body, least, 24);
  store<f64>(body, most, 32);
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- steps ---------------------------------------------------------------------------------------------

function flow(seconds: f64, rate: f64): void {
  add(0, seconds * rate);
  add(8, abs(seconds * rate));
}

function stepExplicitly(done: u64): void {
  const inflow = inflowY(field);
  flow(dt, inflow + explicitStep(field, dt, number, array));
  if (done == 0) setEdges(field, false);
}

function stepImplicitly(): void {
  const tau = 0.5 * dt;
  flow(tau, inflowY(field));
  sweepX(field, tableX, tau, 1.0, number, array);
  flow(dt, inflowX(field));
  sweepY(field, tableY, tau, 1.0, number, array);
  setEdges(field, false);
  flow(tau, inflowY(field));
}

/** Two implicit half-steps, each along x and then along y. */
function stepDamped(): void {
  const tau = 0.5 * dt;
  for (let half = 0; half < 2; half++) {
    sweepX(field, tableX, tau, 0.0, number, array);
    flow(tau, inflowX(field));
    if (ny == 0) continue;
    sweepY(field, tableY, tau, 0.0, 0.0, 0);
    setEdges(field, false);
    flow(tau, inflowY(field));
  }
}

/** The source of step n: at its middle, of an explicit one at its beginning. */
function layMoving(n: u64): void {
  moveSource(array, (<f64>n + (implicit ? 0.5 : 0.0)) * dt);
  keepSample(moving, n, before, steps - before, array, nx, ny);
  store<f64>(moving + CONTENT, load<f64>(moving + CONTENT) + dt * arrayContent(array));
}

/** One step; the one to end at is `steps`. */
function step(done: u64): void {
  if (sourceMoves()) layMoving(done);
  if (!implicit) stepExplicitly(done);
  else if (done < damped) stepDamped();
  else stepImplicitly();
  keepProfile(profile, steps - done - 1, field, nx, ny, <i32>parameterF64(296));
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end && !rowsFull(2 * ROW)) {
    const done = before + stepsDone();
    step(done);
    countStep();
    spend(units);
    taken++;
    if ((done + 1) % stepsPerRow == 0 || done + 1 == steps) writeRow();
    if (done + 1 == steps) conclude();
  }
  return taken;
}

function writeRow(): void {
  const row = appendRow(ROW), T = probeField(field, nx, ny, parameterF64(264) / widthOf(x), parameterF64(272) / widthOf(y));
  store<f64>(row, <f64>(before + stepsDone()) * dt);
  store<f64>(row, T, 8);
  show(0, T);
}

function conclude(): void {
  const flowed = at(0), sizes = at(8), content = at(16), least = at(24), most = at(32);
  store<f64>(body, <f64>steps);
  store<f64>(body, content, 8);
  store<f64>(body, flowed, 16);
  store<f64>(body, sizes, 24);
  store<f64>(body, least, 32);
  store<f64>(body, most, 40);
  packField(field, field, nx, ny);
  memory.copy(field + (nodes() << 3), moving, movingBytes());
  standResult(body, <i32>(RESULT_HEAD + profileBytes() + (nodes() << 3) + movingBytes()));
  finish();
}
