// A bar of unit section by the phase field of `fracture`: linear d and u on N elements, 2 Gauss points. At given d the
// stress is that of springs in a row; at given strains d is a tridiagonal problem with the bounds d before ≤ d ≤ 1, whose
// active set is found anew after each solution. Both in turn until d moves by no more than tol.
//
// A load step whose stress falls for the first time is taken back and halved until it is 1e-4 of the load, so that the
// peak is met; one whose work and energy differ by more than 1e-4, too; one of more than 200 turns twice. The toughness of the two middle elements is less by 1e-8 of it: they
// say where the bar breaks once it cannot stay uniform.
//
// Parameters (f64):
//   0 elements N · 8 L [m] · 16 E [Pa] · 24 G_c [J/m²] · 32 ℓ [m] · 40 model: 1 AT1, 2 AT2
//   48 displacement [m] after 56 load steps · 64 last load step · 72 tol · 80 start: 0 undamaged, 1 arrays, 2 the result
//   of a run, 3 broken at node ⌊N/2⌋ without a load · 88 load steps done in the arrays · 96 work units allowed
//   104 the start: u, d on the nodes, or a result
// State body and result (f64):
//   0 load steps done · 8 U [m] · 16 stress [Pa] · 24 elastic · 32 surface energy [J/m²] · 40 that of the start
//   48 work done on the bar · 56 largest stress · 64 U there · 72 turns · 80 most of them in one load step
//   88 1: the stress has fallen · 96 largest excess of energy over work · 104 1: starts undamaged · 112, 120 0
//   128 u · d · d before the last part of a load step, N+1 each
// Rows (f64), at the start and after every load step:
//   0 U · 8 stress · 16 elastic · 24 surface energy · 32 work · 40 turns

import {
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, parameterF64, parameters, restoreState,
  rowsFull, running, show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 128, START: usize = 104;
const ROW: i32 = 48;
const KAPPA: f64 = 1e-7, SEED: f64 = 1e-8;
const PATIENCE: i32 = 200, HALVINGS: i32 = 2, REFINEMENTS: i32 = 40, MOST_TURNS: i32 = 20000;
const FINEST: f64 = 1e-4, BALANCED: f64 = 1e-4;
const BALANCINGS: i32 = 10;

let body: usize = 0, u: usize = 0, d: usize = 0, lower: usize = 0;
let drive: usize = 0, old: usize = 0, factor: usize = 0, rhs: usize = 0, held: usize = 0;
let N: i32 = 0, isAT1: bool = false;
let h: f64 = 0, E: f64 = 0, mass: f64 = 0, spread: f64 = 0, tol: f64 = 0;
let steps: u64 = 0, before: u64 = 0, allowedWork: u64 = 0, units: u64 = 0;
let isInPart: bool = false;
let level: i32 = 0, turns: i32 = 0, stepTurns: i32 = 0;
let position: f64 = 0, target: f64 = 0, displacement: f64 = 0;

@inline function get(offset: usize): f64 { return load<f64>(body + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function node(field: usize, i: i32): f64 { return load<f64>(field + (<usize>i << 3)); }
@inline function put(field: usize, i: i32, value: f64): void { store<f64>(field + (<usize>i << 3), value); }
@inline function loadAt(n: f64): f64 { return parameterF64(48) * n / parameterF64(56); }
@inline function isProfile(): bool { return parameterF64(80) == 3.0; }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  N = <i32>parameterF64(0);
  h = parameterF64(8) / <f64>N;
  E = parameterF64(16);
  isAT1 = parameterF64(40) == 1.0;
  const width = parameterF64(32), perNorm = parameterF64(24) / (isAT1 ? 8.0 / 3.0 : 2.0);
  mass = perNorm * h / width;
  spread = perNorm * width / h;
  tol = parameterF64(72);
  steps = <u64>parameterF64(64);
  allowedWork = <u64>parameterF64(96);
  units = 120 * <u64>(N + 1);
  const bytes = <usize>(N + 1) << 3;
  body = openState(HEAD + 3 * bytes);
  u = body + HEAD; d = u + bytes; lower = d + bytes;
  watchFinite(body, <i32>((HEAD + 3 * bytes) >> 3));
  drive = allocate(bytes); old = allocate(bytes); factor = allocate(bytes); rhs = allocate(bytes); held = allocate(bytes);
  openRows(256 * ROW);
  const kind = parameterF64(80);
  before = kind == 2.0 ? <u64>load<f64>(parameters() + START) : kind == 1.0 ? <u64>parameterF64(88) : 0;
  isInPart = false; level = 0; position = 0.0; turns = 0; stepTurns = 0; displacement = 0.0;
}

export function start(_budget: i32): i32 {
  prepare();
  spend(units);
  const kind = parameterF64(80), from = parameters() + START, bytes = <usize>(N + 1) << 3;
  if (kind == 2.0) memory.copy(body, from, HEAD + 3 * bytes);
  if (kind == 1.0) { memory.copy(u, from, 2 * bytes); memory.copy(lower, d, bytes); fromArrays(); }
  if (kind == 0.0) set(104, 1.0);
  if (kind == 3.0) breakMiddle(); else writeRow();
  return 1;
}

function fromArrays(): void {
  set(8, loadAt(<f64>before));
  displacement = get(8);
  set(16, stretch());
  set(24, elasticEnergy());
  set(32, surfaceEnergy());
  set(40, get(32));
  set(56, get(16));
  set(64, get(8));
}

/** The profile of a crack in the middle, which costs the least energy: the same solver as everywhere. */
function breakMiddle(): void {
  put(d, N / 2, 1.0);
  memory.copy(lower, d, <usize>(N + 1) << 3);
  soften();
  set(32, surfaceEnergy());
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- springs in a row ----------------------------------------------------------------------------------

/** Mean of (1 − d)² over the element, by its Gauss points. */
@inline function softness(e: i32): f64 {
  const a = 1.0 - node(d, e), b = 1.0 - node(d, e + 1);
  return (a * a + a * b + b * b) / 3.0 + KAPPA;
}

/** Displacements and what drives the damage of each element, at `displacement`; gives the stress. */
function stretch(): f64 {
  let compliance = 0.0;
  for (let e = 0; e < N; e++) compliance += h / (E * softness(e));
  const stress = displacement / compliance;
  let sum = 0.0;
  put(u, 0, 0.0);
  for (let e = 0; e < N; e++) {
    const strain = stress / (E * softness(e));
    sum += strain * h;
    put(u, e + 1, sum);
    put(drive, e, 0.5 * E * strain * strain * h);
  }
  put(u, N, displacement);
  return stress;
}

function elasticEnergy(): f64 {
  let sum = 0.0;
  for (let e = 0; e < N; e++) sum += softness(e) * node(drive, e);
  return sum;
}

// ---- damage --------------------------------------------------------------------------------------------

@inline function massOf(e: i32): f64 { return e == N / 2 - 1 || e == N / 2 ? mass * (1.0 - SEED) : mass; }

/** ½ ∂E/∂d of a node: the diagonal entry, the entry with the next node, and the right side. */
let diagonal: f64 = 0, beside: f64 = 0, right: f64 = 0;
function addElement(e: i32): void {
  if (e < 0 || e >= N) return;
  const W = node(drive, e), weight = W + (isAT1 ? 0.0 : massOf(e));
  diagonal += weight / 3.0 + spread;
  right += 0.5 * W - (isAT1 ? 0.25 * massOf(e) : 0.0);
}
@inline function link(e: i32): f64 { return (node(drive, e) + (isAT1 ? 0.0 : massOf(e))) / 6.0 - spread; }

function rowAt(i: i32): void {
  diagonal = 0.0; right = 0.0;
  addElement(i - 1);
  addElement(i);
}

/** Least energy between the bounds. */
function soften(): void {
  for (let i = 0; i <= N; i++) put(held, i, node(lower, i) >= 1.0 ? 1.0 : 0.0);
  for (let sweep = 0; sweep < 60; sweep++) {
    solveFree();
    spend(units);
    if (!chooseHeld()) return;
  }
}

/** Thomas' algorithm; a held node keeps its damage. */
function solveFree(): void {
  let lastFactor = 0.0, lastRight = 0.0;
  for (let i = 0; i <= N; i++) {
    rowAt(i);
    if (node(held, i) != 0.0) { diagonal = 1.0; right = node(d, i); lastFactor = 0.0; put(factor, i, 0.0); put(rhs, i, right); lastRight = right; continue; }
    const back = i > 0 ? link(i - 1) : 0.0, ahead = i < N ? link(i) : 0.0, pivot = diagonal - back * lastFactor;
    lastFactor = ahead / pivot;
    lastRight = (right - back * lastRight) / pivot;
    put(factor, i, lastFactor);
    put(rhs, i, lastRight);
  }
  for (let i = N; i >= 0; i--) {
    if (node(held, i) != 0.0) continue;
    put(d, i, node(rhs, i) - (i < N ? node(factor, i) * node(d, i + 1) : 0.0));
  }
}

/** Nodes outside their bounds are held there, and those let go that are pushed inside; says whether any changed. */
function chooseHeld(): bool {
  let changed = false;
  for (let i = 0; i <= N; i++) {
    const bottom = node(lower, i), value = node(d, i);
    let now = 0.0;
    if (bottom >= 1.0) now = 1.0;
    else if (node(held, i) == 0.0) { if (value < bottom || value > 1.0) now = 1.0; }
    else now = isPushed(i) ? 1.0 : 0.0;
    put(rhs, i, now);
  }
  for (let i = 0; i <= N; i++) {
    const now = node(rhs, i);
    if (now != node(held, i)) changed = true;
    if (now != 0.0) put(d, i, min(1.0, max(node(lower, i), node(d, i))));
    put(held, i, now);
  }
  return changed;
}

function isPushed(i: i32): bool {
  rowAt(i);
  let force = diagonal * node(d, i) - right;
  if (i > 0) force += link(i - 1) * node(d, i - 1);
  if (i < N) force += link(i) * node(d, i + 1);
  return node(d, i) >= 1.0 ? force <= 0.0 : force >= 0.0;
}

function surfaceEnergy(): f64 {
  let sum = 0.0;
  for (let e = 0; e < N; e++) {
    const a = node(d, e), b = node(d, e + 1), w = isAT1 ? 0.5 * (a + b) : (a * a + a * b + b * b) / 3.0;
    sum += massOf(e) * w + spread * (b - a) * (b - a);
  }
  return sum;
}

// ---- load steps ----------------------------------------------------------------------------------------

function beginPart(): void {
  if (level == 0 && position == 0.0) stepTurns = 0;
  memory.copy(lower, d, <usize>(N + 1) << 3);
  target = get(88) == 1.0 && level > HALVINGS ? 1.0 : position + Math.pow(0.5, <f64>level);
  displacement = loadAt(<f64>(before + stepsDone()) + target);
  turns = 0;
  isInPart = true;
}

function turn(): void {
  memory.copy(old, d, <usize>(N + 1) << 3);
  stretch();
  soften();
  let moved = 0.0;
  for (let i = 0; i <= N; i++) {
    const change = abs(node(d, i) - node(old, i));
    if (!(change <= moved)) moved = change;
  }
  spend(units);
  turns++;
  stepTurns++;
  show(0, <f64>turns); show(1, moved); show(2, tol); show(3, <f64>(before + stepsDone()));
  if (moved <= tol) accept();
  else if (turns >= PATIENCE && level < HALVINGS) takeBack();
  else if (turns >= MOST_TURNS) fail(Status.DID_NOT_CONVERGE);
}

function takeBack(): void {
  memory.copy(d, lower, <usize>(N + 1) << 3);
  level++;
  isInPart = false;
}

function accept(): void {
  const stress = stretch(), falls = get(88) == 0.0 && stress < get(16);
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
  const bytes = HEAD + 3 * (<usize>(N + 1) << 3);
  memory.copy(openResult(<i32>bytes), body, bytes);
  finish();
}
