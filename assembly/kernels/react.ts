// Reaction and diffusion u_t = D∇²u + R on a line or a rectangle, by explicit Euler steps: order 2 in dx with the
// step in proportion to dx². Gray–Scott, Fisher, Nagumo, Brusselator. Parameters and result: assembly/react/problem.ts.
//
// State body (f64): the 96 bytes of a result's head · five lines of the profile · u and v, padded (assembly/grid/field.ts)
// At the end the result takes its place, and padding goes.
// Rows (f64), at the start, every so many steps and at the end:
//   0 t since the start [s] · 8, 16 means of u, v · 24, 32 u, v at the probe · 40 where u last crosses ½ [m], −1: nowhere

import {
  appendRow, countStep, fail, finish, openRows, openState, parameterF64, restoreState, rowsFull, running, show,
  spend, standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { stripHalves } from "../expression/work";
import { Status } from "../kernel/status";
import { isPeriodic, shareOf, widthOf } from "../grid/axis";
import { fieldBytes, packField, rowAt, spacedBytes, unpackField } from "../grid/field";
import { cubicWeight, probeField, stencilFrom } from "../grid/probe";
import { keepLine, keepProfile } from "../grid/profile";
import {
  Model, RESULT_HEAD, earlierResult, goesOn, hasTwo, model, nodes, nx, ny, openReaction, profileBytes, readProblem,
  writeStart, x, y,
} from "../react/problem";
import { closeRing, fastestRate, keepSpans, layRates, openSpans, layBlocks, laySteps, lowest, momentA, momentB, momentC, step } from "../react/step";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 48;
const ROOM: i32 = 272 * ROW;
/** Concentrations below it are refused. */
const FLOOR: f64 = -1e-9;
/** Where the head has the spans of u and v. */
const SPANS: usize = 64;

let body: usize = 0, profile: usize = 0, u: usize = 0, v: usize = 0;
let dt: f64 = 0;
let steps: u64 = 0, before: u64 = 0, stepsPerRow: u64 = 0, units: u64 = 0;

@inline function at(offset: usize): f64 { return load<f64>(body + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(body + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  dt = parameterF64(72);
  steps = <u64>parameterF64(80);
  stepsPerRow = <u64>parameterF64(88);
  before = goesOn() ? <u64>load<f64>(earlierResult()) : 0;
  const bytes = fieldBytes(nx, ny), apart = spacedBytes(bytes, 2048), lines = (profileBytes() + 15) & ~15, all = RESULT_HEAD + lines + (hasTwo() ? apart + bytes : bytes);
  units = unitsPerStep();
  body = openState(all);
  profile = body + RESULT_HEAD;
  u = profile + lines;
  v = hasTwo() ? u + apart : 0;
  watchFinite(body, <i32>(all >> 3));
  layBlocks();
  laySteps(parameterF64(40), parameterF64(48), dt);
  if (model == Model.OWN) {
    layRates();
    if (!openReaction()) fail(Status.INVALID_INPUT);
    else units += ownUnits();
  }
  openRows(ROOM);
}

/** Work units of a step. */
function unitsPerStep(): u64 {
  const rows = <u64>(ny + 1), columns = <u64>(nx + 1);
  return 80 + 30 * rows + (hasTwo() ? 5 : 3) * columns * rows / 2;
}

/** Rates on all nodes, in strips. */
function ownUnits(): u64 {
  const halves = stripHalves(0) + (v ? stripHalves(1) : 0), nodes = <u64>(nx + 1) * <u64>(ny + 1);
  return (nodes * halves + 1) / 2 + 20 * <u64>(ny + 1);
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) goOn(); else begin();
  spend(units);
  if (running()) writeRow();
  return 1;
}

function begin(): void {
  if (!running()) return;
  writeStart(u, v);
  closeRing(u);
  if (v) closeRing(v);
  set(8, meanOf(u));
  if (v) set(16, meanOf(v));
  set(48, f64.MAX_VALUE);
  if (model == Model.OWN) openSpans(body + SPANS);
}

/** From the end of an earlier run: its head and fields. */
function goOn(): void {
  const from = earlierResult(), fields = from + RESULT_HEAD + profileBytes();
  memory.copy(body, from, RESULT_HEAD);
  unpackField(u, fields, nx, ny);
  if (v) unpackField(v, fields + (nodes() << 3), nx, ny);
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

function meanOf(field: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    let line = 0.0;
    const row = rowAt(field, nx, j), end = row + (<usize>nx << 3);
    for (let p = row; p < end; p += 8) line += load<f64>(p);
    if (!isPeriodic(x)) line += 0.5 * (load<f64>(end) - load<f64>(row));
    sum += shareOf(y, j) * line;
  }
  return sum / (<f64>nx * <f64>max(1, ny));
}

// ---- steps ---------------------------------------------------------------------------------------------

function take(done: u64): void {
  step(u, v);
  set(24, at(24) + dt * momentA);
  set(32, at(32) + dt * momentB);
  set(40, at(40) + dt * momentC);
  set(48, min(at(48), lowest));
  if (model == Model.OWN) keepSpans(body + SPANS);
  if (lowest < FLOOR) { show(0, lowest); show(1, <f64>done * dt); fail(Status.NEGATIVE_CONCENTRATION); }
  const left = steps - done - 1, row = <i32>parameterF64(288);
  keepProfile(profile, left, u, nx, ny, row);
  if (v && left == 1) keepLine(profile, 4, v, nx, row);
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end && !rowsFull(2 * ROW)) {
    const done = before + stepsDone();
    take(done);
    countStep();
    spend(units);
    taken++;
    if (!running()) break;
    if ((done + 1) % stepsPerRow == 0 || done + 1 == steps) writeRow();
    if (done + 1 == steps && running()) conclude();
  }
  return taken;
}

function writeRow(): void {
  const row = appendRow(ROW), sx = parameterF64(272) / widthOf(x), sy = parameterF64(280) / widthOf(y), rate = fastestRate(u, v);
  store<f64>(row, <f64>(before + stepsDone()) * dt);
  store<f64>(row, meanOf(u), 8);
  store<f64>(row, v ? meanOf(v) : 0.0, 16);
  store<f64>(row, probeField(u, nx, ny, sx, sy), 24);
  store<f64>(row, v ? probeField(v, nx, ny, sx, sy) : 0.0, 32);
  store<f64>(row, crossing(), 40);
  if (rate * dt > 0.25 * (1.0 + 1e-9)) { show(0, rate * dt); show(1, 0.25 / rate); fail(Status.STABILITY_LIMIT); }
}

/** The last place where u falls through ½ along the profile's row: by the cubic through four nodes. */
function crossing(): f64 {
  const row = rowAt(u, nx, <i32>parameterF64(288));
  for (let i = nx - 1; i >= 0; i--) {
    const p = row + (<usize>i << 3);
    if (load<f64>(p) >= 0.5 && load<f64>(p, 8) < 0.5) return (<f64>i + placeIn(row, i)) * widthOf(x);
  }
  return -1.0;
}

function placeIn(row: usize, i: i32): f64 {
  const from = stencilFrom(<f64>i, nx), shift = <f64>(i - from);
  let low = 0.0, high = 1.0;
  for (let turn = 0; turn < 52; turn++) {
    const s = 0.5 * (low + high);
    let value = 0.0;
    for (let k = 0; k < 4; k++) value += cubicWeight(s + shift, k) * load<f64>(row + (<usize>(from + k) << 3));
    if (value >= 0.5) low = s; else high = s;
  }
  return 0.5 * (low + high);
}

function conclude(): void {
  const fields = body + RESULT_HEAD + profileBytes(), bytes = nodes() << 3;
  set(0, <f64>steps);
  set(56, fastestRate(u, v));
  packField(fields, u, nx, ny);
  if (v) packField(fields + bytes, v, nx, ny);
  standResult(body, <i32>(RESULT_HEAD + profileBytes() + (v ? 2 * bytes : bytes)));
  finish();
}
