// Brittle fracture of a notched plate by a phase field: at every load step the energy
//
//   ∫ [(1 − d)² + κ] ψ⁺ + ψ⁻ + (G_c/c_w)(w(d)/ℓ + ℓ|∇d|²)
//
// is minimised in u and in d ≥ d of the step before in turn, until d moves by no more than tol (Bourdin, Francfort &
// Marigo 2000; AT1, AT2: Pham et al. 2011, Tanné et al. 2018). Cells and solvers: assembly/fracture/{elastic,damage}.ts.
// A load step that takes more than 200 turns is taken back and halved, at most twice;
// one that makes energy, or loses some though nothing broke, at most five times.
//
// Parameters, result and head: assembly/fracture/problem.ts. State body: head · u_x, u_y, d, d before, padded
// Rows (f64), at the start and after every load step:
//   0 U [m] · 8 F [N/m] · 16 elastic · 24 surface energy [J/m] · 32 work of the grips · 40 turns · 48 1: stable

import {
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, parameterF64, restoreState, rowsFull,
  running, show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  assemble, beginEquilibrium, energies, iterateEquilibrium, layElastic, reactionNorm, reactionX, reactionY, residual, ux, uy,
} from "../fracture/elastic";
import {
  beginDamage, damageResidual, driveField, iterateDamage, layDamage, prepareDamage, project, surfaceEnergy,
} from "../fracture/damage";
import {
  M, N, RESULT_HEAD, at, fieldBytes, goesOn, isNotched, isShear, loadAt, nodes, pack, readProblem, split, startAt, stride, unpack,
} from "../fracture/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 56;
const ROWS: i32 = 64;
/** Turns after which a load step is halved, and how often. */
const PATIENCE: i32 = 200, HALVINGS: i32 = 2;
/** So often, too, where energy was made, or lost though nothing broke, by more than a share of the work. */
const REFINEMENTS: i32 = 5;
const BALANCED: f64 = 5e-5;
const MOST_TURNS: i32 = 4000;
/** Over-relaxation of the damage where turns shrink its moves by less than SLOW (Farrell & Maurini 2017, §3). */
const OVER: f64 = 1.6, SLOW: f64 = 0.6;
/** A fall of the reaction by more than this share is a break. */
const FALL: f64 = 0.05;

namespace Phase {
  export const STEP: i32 = 0;
  export const BALANCE: i32 = 1;
  export const PULL: i32 = 2;
  export const DAMAGE: i32 = 3;
  export const SOFTEN: i32 = 4;
}

let head: usize = 0, d: usize = 0, lower: usize = 0, old: usize = 0, keptX: usize = 0, keptY: usize = 0;
let tol: f64 = 0, allowedWork: u64 = 0, steps: u64 = 0, before: u64 = 0;
/** Of the load step that is being taken: nothing of it outlives the step. */
let phase: i32 = 0, level: i32 = 0, turns: i32 = 0, stepTurns: i32 = 0, sweeps: i32 = 0, iterations: i32 = 0;
let position: f64 = 0, moved: f64 = 0, displacement: f64 = 0, forceBefore: f64 = 0, energyBefore: f64 = 0, workBefore: f64 = 0;
let hasConverged: bool = false;

@inline function get(offset: usize): f64 { return load<f64>(head + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(head + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  tol = parameterF64(112);
  allowedWork = <u64>parameterF64(120);
  steps = <u64>parameterF64(104);
  head = openState(RESULT_HEAD + 4 * fieldBytes);
  const fields = head + RESULT_HEAD;
  layElastic(fields, fields + fieldBytes);
  d = fields + 2 * fieldBytes; lower = d + fieldBytes;
  watchFinite(head, <i32>((RESULT_HEAD + 4 * fieldBytes) >> 3));
  layDamage();
  old = allocate(fieldBytes); keptX = allocate(fieldBytes); keptY = allocate(fieldBytes);
  openRows(ROWS * ROW);
  before = goesOn() ? <u64>load<f64>(startAt()) : parameterF64(152) == 1.0 ? <u64>parameterF64(160) : 0;
  phase = Phase.STEP; level = 0; turns = 0; stepTurns = 0; moved = 0.0; position = 0.0; hasBegun = false;
}

let hasBegun: bool = false;

/** The notch takes the damage that it has without a load, which `start` comes back for; then arrays are read. */
export function start(budget: i32): i32 {
  if (!hasBegun) {
    prepare();
    hasBegun = true;
    if (goesOn()) { goOn(); return 1; }
    breakNotch();
    memory.copy(lower, d, fieldBytes);
    prepareDamage();
    phase = Phase.DAMAGE; sweeps = 0;
  }
  const end = work() + <u64>budget;
  while (running() && work() < end) {
    if (phase == Phase.DAMAGE) beginSweep(); else if (phase == Phase.SOFTEN) soften();
    if (work() > allowedWork) giveUp();
    if (phase == Phase.BALANCE) {
      set(40, surfaceEnergy(d));
      phase = Phase.STEP;
      turns = 0;
      if (parameterF64(152) == 1.0) fromArrays();
      else { memory.copy(lower, d, fieldBytes); set(32, get(40)); set(128, 1.0); }
      set(136, get(24) + get(32));
      writeRow(true);
      hasBegun = false;
      return 1;
    }
  }
  return running() ? 0 : 1;
}

function breakNotch(): void {
  const cosine = Math.cos(parameterF64(144)), sine = Math.sin(parameterF64(144));
  for (let j = 0; j < M; j++)
    for (let i = 0; i < N; i++)
      if (isNotched(i, j, cosine, sine)) {
        store<f64>(at(d, i, j), 1.0); store<f64>(at(d, i + 1, j), 1.0);
        store<f64>(at(d, i, j + 1), 1.0); store<f64>(at(d, i + 1, j + 1), 1.0);
      }
}

function fromArrays(): void {
  unpack(ux, startAt(), 2, 0);
  unpack(uy, startAt(), 2, 1);
  unpack(d, startAt() + (nodes() << 4), 1, 0);
  breakNotch();
  memory.copy(lower, d, fieldBytes);
  set(8, loadAt(<f64>before));
  clamp(get(8));
  assemble(d);
  beginEquilibrium();
  set(16, isShear ? reactionX : reactionY);
  set(24, energies(d, driveField()));
  set(32, surfaceEnergy(d));
  spend(assemblyUnits());
}

function goOn(): void {
  const from = startAt(), fields = from + RESULT_HEAD;
  memory.copy(head, from, RESULT_HEAD);
  unpack(ux, fields, 2, 0);
  unpack(uy, fields, 2, 1);
  unpack(d, fields + (nodes() << 4), 1, 0);
  unpack(lower, fields + 3 * (nodes() << 3), 1, 0);
  hasBegun = false;
  spend(assemblyUnits());
  writeRow(true);
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/** The grips of displacement U. */
function clamp(U: f64): void {
  const end = at(0, 0, M), inX = isShear ? 0.5 * U : 0.0, inY = isShear ? 0.0 : 0.5 * U;
  for (let i = 0; i <= N; i++) {
    const k = <usize>i << 3;
    store<f64>(ux + k, -inX); store<f64>(uy + k, -inY);
    store<f64>(ux + end + k, inX); store<f64>(uy + end + k, inY);
  }
}

// ---- work ----------------------------------------------------------------------------------------------

/** Work units of each task, by the nodes. */
@inline function padded(): u64 { return fieldBytes >> 3; }
function assemblyUnits(): u64 { return (split == 0 ? 60 : 130) * padded(); }
function pullUnits(): u64 { return (split == 0 ? 16 : 22) * padded(); }
function sweepUnits(): u64 { return 40 * padded(); }
function softenUnits(): u64 { return 9 * padded(); }

// ---- a load step ---------------------------------------------------------------------------------------

/** The next part of the load step: displacements grow in proportion, or evenly from nothing. */
function beginPart(): void {
  if (level == 0 && position == 0.0) {
    stepTurns = 0; forceBefore = get(16); energyBefore = get(24) + get(32); workBefore = get(48);
  }
  memory.copy(lower, d, fieldBytes);
  memory.copy(keptX, ux, fieldBytes);
  memory.copy(keptY, uy, fieldBytes);
  beginAt(position + 1.0 / <f64>(1 << level));
}

function beginAt(next: f64): void {
  const last = get(8);
  displacement = loadAt(<f64>(before + stepsDone()) + next);
  if (last != 0.0) scale(displacement / last); else ramp(displacement);
  clamp(displacement);
  turns = 0;
  moved = 0.01;
  hasConverged = false;
  phase = Phase.BALANCE;
}

function scale(factor: f64): void {
  for (let k: usize = 0; k < fieldBytes; k += 8) {
    store<f64>(ux + k, factor * load<f64>(ux + k));
    store<f64>(uy + k, factor * load<f64>(uy + k));
  }
}

function ramp(U: f64): void {
  for (let j = 0; j <= M; j++) {
    const share = U * (<f64>(2 * j - M) / <f64>(2 * M));
    for (let i = 0; i <= N; i++) store<f64>(at(isShear ? ux : uy, i, j), share);
  }
}

/** Equilibrium is sought to this share of the reactions: coarsely while the damage still moves. */
function accuracy(): f64 { return max(2e-7, min(1e-3, 1e-2 * moved)); }

function balance(): void {
  assemble(d);
  beginEquilibrium();
  spend(assemblyUnits() + pullUnits());
  iterations = 0;
  const small = 1e-6 * reactionNorm;
  if (hasConverged && residual <= small * small) acceptPart(); else phase = Phase.PULL;
}

function pull(): void {
  const limit = accuracy() * reactionNorm;
  if (residual > limit * limit && iterations < 20 * (N + M)) {
    iterateEquilibrium();
    spend(pullUnits());
    iterations++;
    return;
  }
  energies(d, driveField());
  prepareDamage();
  memory.copy(old, d, fieldBytes);
  spend(assemblyUnits());
  sweeps = 0;
  phase = Phase.DAMAGE;
}

function beginSweep(): void {
  const changed = beginDamage(d, lower);
  spend(sweepUnits());
  iterations = 0;
  if ((sweeps > 0 && changed == 0) || sweeps == 30) endDamage(); else phase = Phase.SOFTEN;
  sweeps++;
}

function soften(): void {
  const limit = 0.03 * tol;
  if (damageResidual > limit * limit && iterations < 20 * (N + M)) {
    iterateDamage(d);
    spend(softenUnits());
    iterations++;
    return;
  }
  project(d, lower, 0.0);
  phase = Phase.DAMAGE;
}

function endDamage(): void {
  const last = moved;
  moved = largestMove();
  if (turns >= 3 && moved > SLOW * last && moved > tol) relax();
  turns++;
  stepTurns++;
  show(0, <f64>turns); show(1, moved); show(2, tol); show(3, <f64>(before + stepsDone()));
  hasConverged = moved <= tol;
  phase = Phase.BALANCE;
  if (hasConverged) return;
  if (turns >= PATIENCE && level < HALVINGS) takeBack();
  else if (turns >= MOST_TURNS) giveUp();
}

function largestMove(): f64 {
  let most = 0.0;
  for (let k: usize = 0; k < fieldBytes; k += 8) {
    const change = abs(load<f64>(d + k) - load<f64>(old + k));
    if (!(change <= most)) most = change;
  }
  return most;
}

function relax(): void {
  for (let k: usize = 0; k < fieldBytes; k += 8) {
    const from = load<f64>(old + k);
    store<f64>(d + k, min(1.0, max(load<f64>(lower + k), from + OVER * (load<f64>(d + k) - from))));
  }
}

function takeBack(): void {
  memory.copy(d, lower, fieldBytes);
  memory.copy(ux, keptX, fieldBytes);
  memory.copy(uy, keptY, fieldBytes);
  level++;
  phase = Phase.STEP;
}

function giveUp(): void {
  show(0, <f64>turns); show(1, moved); show(2, tol); show(3, <f64>(before + stepsDone()));
  fail(Status.DID_NOT_CONVERGE);
}

function acceptPart(): void {
  const force = isShear ? reactionX : reactionY, U = displacement, done = 0.5 * (force + get(16)) * (U - get(8));
  const gain = energies(d, driveField()) + surfaceEnergy(d) - get(24) - get(32);
  const made = gain - done, much = BALANCED * (get(48) + done);
  if (level < REFINEMENTS && (made > much || (-made > much && force >= (1.0 - FALL) * get(16)))) { takeBack(); return; }
  set(48, get(48) + done);
  set(8, U);
  set(16, force);
  set(24, energies(d, driveField()));
  set(32, surfaceEnergy(d));
  set(72, get(72) + <f64>turns);
  set(112, max(get(112), abs(force * U / (2.0 * get(24)) - 1.0)));
  if (force > get(56)) { set(56, force); set(64, U); }
  position += 1.0 / <f64>(1 << level);
  phase = Phase.STEP;
  if (position >= 1.0) endStep();
}

function endStep(): void {
  const gain = get(24) + get(32) - energyBefore, done = get(48) - workBefore;
  const isStable = get(16) >= (1.0 - FALL) * forceBefore;
  set(80, max(get(80), <f64>stepTurns));
  if (isStable) { set(88, get(88) + done); set(96, get(96) + gain); } else set(120, get(120) + 1.0);
  set(104, max(get(104), (get(24) + get(32) - get(136) - get(48)) / get(48)));
  countStep();
  set(0, <f64>(before + stepsDone()));
  turns = stepTurns;
  writeRow(isStable);
  level = 0;
  position = 0.0;
  if (before + stepsDone() == steps) conclude();
}

// ---- slices --------------------------------------------------------------------------------------------

function task(): void {
  if (phase == Phase.STEP) beginPart();
  else if (phase == Phase.BALANCE) balance();
  else if (phase == Phase.PULL) pull();
  else if (phase == Phase.DAMAGE) beginSweep();
  else soften();
}

/** At most `allowed` load steps and about `budget` work units; says how many load steps were ended. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, from = stepsDone();
  while (<i32>(stepsDone() - from) < allowed && running() && work() < end && !rowsFull(ROW)) {
    task();
    if (running() && work() > allowedWork) giveUp();
  }
  return <i32>(stepsDone() - from);
}

function writeRow(isStable: bool): void {
  const row = appendRow(ROW);
  for (let k = 0; k < 3; k++) store<f64>(row + (<usize>k << 3), get(8 + (<usize>k << 3)));
  store<f64>(row, get(32), 24);
  store<f64>(row, get(48), 32);
  store<f64>(row, <f64>turns, 40);
  store<f64>(row, isStable ? 1.0 : 0.0, 48);
}

function conclude(): void {
  const bytes = nodes() << 3, out = openResult(<i32>(RESULT_HEAD + 4 * bytes)), fields = out + RESULT_HEAD;
  memory.copy(out, head, RESULT_HEAD);
  pack(fields, ux, 2, 0);
  pack(fields, uy, 2, 1);
  pack(fields + 2 * bytes, d, 1, 0);
  pack(fields + 3 * bytes, lower, 1, 0);
  finish();
}
