// A bar of unit section by the phase field of `fracture`: its displacements and its damage (assembly/fracture/bar.ts) in turn
// until d moves by no more than tol.
//
// A load step whose stress falls for the first time is taken back and halved until it is 1e-4 of the load, so that the
// peak is met; one whose work and energy differ by more than 1e-4, too; one of more than 200 turns twice. The toughness
// of the two middle elements is less by 1e-8 of it: they say where the bar breaks once it cannot stay uniform.
//
// Parameters (f64):
//   0 elements N · 8 L [m] · 16 E [Pa] · 24 G_c [J/m²] · 32 ℓ [m] · 40 model: 1 AT1, 2 AT2
//   48 displacement [m] after 56 load steps · 64 last load step · 72 tol · 80 start: 0 undamaged, 1 arrays, 2 the result
//   of a run, 3 broken at node ⌊N/2⌋ without a load · 88 load steps done in the arrays · 96 work units allowed
//   104 the start: u, d on the nodes, or a result
// State body and result (f64):
//   0 load steps done · 8 U [m] · 16 stress [Pa] · 24 elastic · 32 surface energy [J/m²] · 40 energy of the start
//   48 work done on the bar · 56 largest stress · 64 U there · 72 turns · 80 most of them in one load step
//   88 1: the stress has fallen · 96 largest excess of energy over work · 104 1: starts undamaged · 112, 120 0
//   128 u · d · d before the last part of a load step, N+1 each
// Rows (f64), at the start and after every load step:
//   0 U · 8 stress · 16 elastic · 24 surface energy · 32 work · 40 turns

import {
  allocate, appendRow, countStep, fail, finish, openRows, openState, parameterF64, parameters, restoreState, rowsFull, running,
  show, spend, standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  N, columnBytes, d, elasticEnergy, hold, layBar, lower, node, put, reachOfCrack, readBar, soften, stretch, surfaceEnergy, u, units,
} from "../fracture/bar";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 128, START: usize = 104;
const ROW: i32 = 48;
const PATIENCE: i32 = 200, HALVINGS: i32 = 2, REFINEMENTS: i32 = 40, MOST_TURNS: i32 = 20000;
const FINEST: f64 = 1e-4, BALANCED: f64 = 1e-4;
const BALANCINGS: i32 = 10;

let body: usize = 0, old: usize = 0, tol: f64 = 0;
let steps: u64 = 0, before: u64 = 0, allowedWork: u64 = 0;
let isInPart: bool = false;
let level: i32 = 0, turns: i32 = 0, stepTurns: i32 = 0;
let position: f64 = 0, target: f64 = 0, displacement: f64 = 0;

@inline function get(offset: usize): f64 { return load<f64>(body + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function loadAt(n: f64): f64 { return parameterF64(48) * n / parameterF64(56); }
@inline function isProfile(): bool { return parameterF64(80) == 3.0; }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readBar();
  tol = parameterF64(72);
  steps = <u64>parameterF64(64);
  allowedWork = <u64>parameterF64(96);
  const bytes = columnBytes();
  body = openState(HEAD + 3 * bytes);
  layBar(body + HEAD);
  old = allocate(bytes);
  watchFinite(body, <i32>((HEAD + 3 * bytes) >> 3));
  openRows(256 * ROW);
  const kind = parameterF64(80);
  before = kind == 2.0 ? <u64>load<f64>(parameters() + START) : kind == 1.0 ? <u64>parameterF64(88) : 0;
  isInPart = false; level = 0; position = 0.0; turns = 0; stepTurns = 0; displacement = 0.0;
}

export function start(_budget: i32): i32 {
  prepare();
  spend(units);
  const kind = parameterF64(80), from = parameters() + START, bytes = columnBytes();
  if (kind == 2.0) memory.copy(body, from, HEAD + 3 * bytes);
  if (kind == 1.0) { memory.copy(u, from, 2 * bytes); memory.copy(lower, d, bytes); fromArrays(); }
  if (kind == 0.0) set(104, 1.0);
  if (kind == 3.0) breakMiddle(); else writeRow();
  return 1;
}

function fromArrays(): void {
  set(8, loadAt(<f64>before));
  displacement = get(8);
  set(16, stretch(displacement));
  set(24, elasticEnergy());
  set(32, surfaceEnergy());
  set(40, get(24) + get(32));
  set(56, get(16));
  set(64, get(8));
}

/** The profile of a crack in the middle, which costs the least energy: the same solver as everywhere. */
function breakMiddle(): void {
  put(d, N / 2, 1.0);
  memory.copy(lower, d, columnBytes());
  hold(reachOfCrack());
  soften();
  memory.fill(u, 0, columnBytes());
  set(32, surfaceEnergy());
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- load steps ----------------------------------------------------------------------------------------

function beginPart(): void {
  if (level == 0 && position == 0.0) stepTurns = 0;
  memory.copy(lower, d, columnBytes());
  target = get(88) == 1.0 && level > HALVINGS ? 1.0 : position + Math.pow(0.5, <f64>level);
  displacement = loadAt(<f64>(before + stepsDone()) + target);
  hold(Infinity);
  turns = 0;
  isInPart = true;
}

function turn(): void {
  memory.copy(old, d, columnBytes());
  stretch(displacement);
  const isLeast = soften();
  let moved = 0.0;
  for (let i = 0; i <= N; i++) {
    const change = abs(node(d, i) - node(old, i));
    if (!(change <= moved)) moved = change;
  }
  spend(units);
  turns++;
  stepTurns++;
  show(0, <f64>turns); show(1, moved); show(2, tol); show(3, <f64>(before + stepsDone()));
  if (moved <= tol && isLeast) accept();
  else if (turns >= PATIENCE && level < HALVINGS) takeBack();
  else if (turns >= MOST_TURNS) fail(Status.DID_NOT_CONVERGE);
}

function takeBack(): void {
  memory.copy(d, lower, columnBytes());
  level++;
  isInPart = false;
}

function accept(): void {
  const stress = stretch(displacement), falls = get(88) == 0.0 && stress < get(16);
  if (falls && level < REFINEMENTS && displacement - get(8) > FINEST * displacement) { takeBack(); return; }
  const done = 0.5 * (stress + get(16)) * (displacement - get(8)), gain = elasticEnergy() + surfaceEnergy() - get(24) - get(32);
  if (get(88) == 0.0 && !falls && level < BALANCINGS && abs(gain - done) > BALANCED * done) { takeBack(); return; }
  if (falls) set(88, 1.0);
  set(48, get(48) + done);
  set(8, displacement);
  set(16, stress);
  set(24, elasticEnergy());
  set(32, surfaceEnergy());
  set(72, get(72) + <f64>turns);
  set(96, max(get(96), (get(24) + get(32) - get(40) - get(48)) / get(48)));
  if (stress > get(56)) { set(56, stress); set(64, displacement); }
  isInPart = false;
  position = target;
  if (position < 1.0) return;
  countStep();
  set(0, <f64>(before + stepsDone()));
  set(80, max(get(80), <f64>stepTurns));
  turns = stepTurns;
  writeRow();
  level = 0;
  position = 0.0;
}

/** At most `allowed` load steps and about `budget` work units; says how many load steps were ended. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, from = stepsDone();
  if (isProfile()) { countStep(); conclude(); return 1; }
  while (<i32>(stepsDone() - from) < allowed && running() && work() < end && !rowsFull(ROW)) {
    if (isInPart) turn(); else beginPart();
    if (running() && work() > allowedWork) fail(Status.DID_NOT_CONVERGE);
    if (before + stepsDone() == steps && running()) conclude();
  }
  return <i32>(stepsDone() - from);
}

function writeRow(): void {
  const row = appendRow(ROW);
  for (let k: usize = 0; k < 5; k++) store<f64>(row + (k << 3), get(8 + (k < 3 ? k : k == 3 ? 3 : 5) * 8));
  store<f64>(row, <f64>turns, 40);
}

function conclude(): void {
  standResult(body, <i32>(HEAD + 3 * columnBytes()));
  finish();
}
