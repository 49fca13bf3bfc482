// Hamiltonian flow and its action S = ∫(T − V) dt by symplectic composition, or by the classical Runge–Kutta scheme
// that stands beside it for comparison.
//
// Flow and action together are split into drift (q̇ = p/μ, Ṡ = T) and kick (ṗ = −∂V/∂q, Ṡ = −V), each solved
// exactly; so the discrete Lagrangian sum that is carried along has the order of the scheme (Marsden & West, Acta
// Numerica 10 (2001) 357, §2). W = ∫ p dq = ∫ 2T dt goes the same way; over a period it is the action variable J.
// Leapfrog: Störmer–Verlet, kick first. PEFRL: Omelyan, Mryglod & Folk, Comput. Phys. Commun. 146 (2002) 188, eq. 20.
// Yoshida: Phys. Lett. A 150 (1990) 262, table 1, solution A.
//
// Parameters (f64):
//   0 system · 8 mass · 16, 24 its constants (assembly/action/system.ts) · 32 degrees of freedom n · 40 step h [s]
//   48 first step i₀ · 56 last step · 64 scheme: 0 PEFRL, 1 leapfrog, 2 Yoshida 6, 3 Runge–Kutta 4
//   72 steps per row (0: no rows) · 80 n coordinates, n momenta at step 0 · if i₀ > 0, the body after step i₀
// State body = result (f64):
//   0 steps since the start · 8, 16 S and its carry · 24, 32 W and its carry · 40 max|H − H₀| · 48 1: left the numbers
//   56 turning points where p falls through 0 (or returns: see `event`): count, first and last time [in steps], W there
//   96 the same where p rises · 136 the two zeros around n coordinates · n momenta
// Rows (f64), at every multiple of the row's steps and at the end: 0 step · 8 H · 16 S · 24, 32 q₀, q_b · 40, 48 p₀, p_b
//   with b the middle of a chain of more than two, else the last

import {
  addScaled, chainStage, forces, FPUT, inertia, kinetic, KEPLER, PENDULUM, setSystem, squares,
} from "../action/system";
import {
  allocate, appendRow, countSteps, finish, finiteRange, openResult, openRows, openState, parameterF64,
  parameters, restoreState, running, show, spend, watchFinite, work,
} from "../kernel/frame";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const XI: f64 = 0.1786178958448091;
const LAMBDA: f64 = -0.2123418310626054;
const CHI: f64 = -0.06626458266981849;
const W1: f64 = -1.17767998417887, W2: f64 = 0.235573213359357, W3: f64 = 0.784513610477560;
const W0: f64 = 1.0 - 2.0 * (W1 + W2 + W3);

const LEAPFROG: i32 = 1, YOSHIDA: i32 = 2, RUNGE_KUTTA: i32 = 3;
const SCALARS: usize = 136;
const START: usize = 80;
const ROW: i32 = 56;
const ROWS: i32 = 260;
const TURN: f64 = 6.283185307179586;
/** What a comparison scheme may gain before it is left where it is, in units of K₀ + |V₀|. */
const LEFT: f64 = 1e12;

let body: usize = 0, bytes: usize = 0, n: i32 = 0, q: usize = 0, p: usize = 0, f: usize = 0;
let k: usize = 0, middle: usize = 0, before: usize = 0;
let h: f64 = 0, scheme: i32 = 0, system: i32 = 0, probe: usize = 0;
let last: u64 = 0, perRow: u64 = 0, units: u64 = 0, watched: i32 = 0;
let firstEnergy: f64 = 0, potential: f64 = 0, direction: f64 = 1;
/** A chain of more than one mass goes in passes of its own; of it Σp²/2μ is known after each. */
let isChain: bool = false, motion: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  system = <i32>parameterF64(0);
  n = <i32>parameterF64(32);
  h = parameterF64(40);
  last = <u64>parameterF64(56);
  scheme = <i32>parameterF64(64);
  perRow = <u64>parameterF64(72);
  setSystem(system, parameterF64(8), parameterF64(16), parameterF64(24), n);
  isChain = system == FPUT && n > 1;
  bytes = SCALARS + (<usize>(2 * n + 2) << 3);
  body = openState(bytes);
  q = body + SCALARS + 8;
  p = q + (<usize>(n + 1) << 3);
  probe = <usize>(n > 2 ? n / 2 : n - 1) << 3;
  const vector = <usize>(n + 2) << 3;
  f = allocate(vector);
  before = allocate(bytes);
  if (scheme == RUNGE_KUTTA) { k = allocate(6 * vector); middle = allocate(vector) + 8; }
  watchFinite(body, <i32>(bytes >> 3));
  if (perRow > 0) openRows(ROWS * ROW);
  units = stepUnits();
  measureStart();
}

/** H₀ and the kind of motion, from the start that the parameters hold. */
function measureStart(): void {
  const vector = <usize>n << 3, from = parameters() + START;
  memory.copy(q, from, vector);
  memory.copy(p, from + vector, vector);
  potential = forces(q, f);
  firstEnergy = kinetic(p) + potential;
  watched = n == 1 ? 1 : system == KEPLER ? 3 : 0;
  if (scheme == RUNGE_KUTTA) watched = 0;
  direction = load<f64>(p) < 0.0 ? -1.0 : 1.0;
  if (system == PENDULUM && firstEnergy > 2.0 * parameterF64(8) * parameterF64(16) * parameterF64(24)) watched = 2;
  if (system == KEPLER) direction = angularMomentum() < 0.0 ? -1.0 : 1.0;
}

export function start(_budget: i32): i32 {
  prepare();
  if (parameterF64(48) > 0.0) memory.copy(body, parameters() + START + (<usize>(2 * n) << 3), bytes);
  else startEvents();
  if (perRow > 0) writeRow();
  return 1;
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

/** A turning point at once, or the start of the first turn. */
function startEvents(): void {
  const force = load<f64>(f);
  if (watched >= 2) setField(56, 1.0);
  else if (watched == 1 && load<f64>(p) == 0.0 && force != 0.0) setField(force < 0.0 ? 56 : 96, 1.0);
}

/** Work units of a step, as src/solvers/action/plan.ts has them. */
function stepUnits(): u64 {
  const stages: u64 = scheme == LEAPFROG ? 2 : scheme == YOSHIDA ? 8 : 5;
  const force: u64 = system == PENDULUM ? 45 : system == KEPLER ? 30 : 18;
  return 80 + stages * (force + 4 * <u64>(n - 1));
}

// ---- symplectic schemes --------------------------------------------------------------------------------

/** Adds to the sum at `offset`, whose carry stands behind it (Kahan). */
@inline function add(offset: usize, term: f64): void {
  const total = field(offset), corrected = term - field(offset + 8), next = total + corrected;
  setField(offset + 8, (next - total) - corrected);
  setField(offset, next);
}

@inline function addDrift(time: f64, energy: f64): void {
  add(8, time * energy);
  add(24, 2.0 * time * energy);
}

@inline function drift(time: f64): void {
  const energy = kinetic(p);
  addScaled(q, time / inertia, p);
  addDrift(time, energy);
}

/** By the force and potential where q is now. */
@inline function kick(time: f64): void {
  addScaled(p, time, f);
  add(8, -time * potential);
}

/** Drift, forces where it ended, and a kick by them, if it has a length. */
@inline function stage(drifting: f64, kicking: f64): void {
  if (isChain) { stageOfChain(drifting, kicking); return; }
  drift(drifting);
  potential = forces(q, f);
  if (kicking != 0.0) kick(kicking);
}

function stageOfChain(drifting: f64, kicking: f64): void {
  addDrift(drifting, motion);
  potential = chainStage(q, p, f, drifting / inertia, kicking);
  motion = 0.5 * squares / inertia;
  if (kicking != 0.0) add(8, -kicking * potential);
}

/** One step of length `step`, with force and potential known at its start; they are known at its end. */
function step(step: f64): void {
  if (scheme == LEAPFROG) { verlet(step); return; }
  if (scheme == YOSHIDA) {
    verlet(W3 * step); verlet(W2 * step); verlet(W1 * step); verlet(W0 * step);
    verlet(W1 * step); verlet(W2 * step); verlet(W3 * step);
    return;
  }
  stage(XI * step, 0.5 * (1.0 - 2.0 * LAMBDA) * step);
  stage(CHI * step, LAMBDA * step);
  stage((1.0 - 2.0 * (CHI + XI)) * step, LAMBDA * step);
  stage(CHI * step, 0.5 * (1.0 - 2.0 * LAMBDA) * step);
  stage(XI * step, 0.0);
}

@inline function verlet(step: f64): void {
  kick(0.5 * step);
  if (isChain) motion = kinetic(p);
  stage(step, 0.5 * step);
}

/** `steps` steps; `advance` enters it again and again, so that V8 can put its best code in place. */
function integrate(steps: u64): void {
  potential = forces(q, f);
  motion = kinetic(p);
  for (let i: u64 = 0; i < steps; i++) {
    if (watched) memory.copy(before, body, bytes);
    step(h);
    setField(0, field(0) + 1.0);
    setField(40, max(field(40), abs((isChain ? motion : kinetic(p)) + potential - firstEnergy)));
    if (watched) event();
  }
}

// ---- turning points and returns ------------------------------------------------------------------------

@inline function angularMomentum(): f64 {
  return load<f64>(parameters() + START) * load<f64>(p, 8) - load<f64>(parameters() + START, 8) * load<f64>(p);
}

/** Zero where the event is: the momentum; the angle from the next whole turn; the side of the line through the start. */
function distanceToEvent(): f64 {
  if (watched == 1) return load<f64>(p);
  const from = parameters() + START;
  if (watched == 2) return direction * (load<f64>(q) - load<f64>(from)) - TURN * field(56);
  return direction * (load<f64>(from) * load<f64>(q, 8) - load<f64>(from, 8) * load<f64>(q));
}

@inline function besideStart(): bool {
  const from = parameters() + START;
  return load<f64>(from) * load<f64>(q) + load<f64>(from, 8) * load<f64>(q, 8) > 0.0;
}

/** Whether the step that `before` precedes passed one. In one dimension p = 0 twice in a period: falling and rising. */
function event(): void {
  if (watched == 1) {
    const earlier = load<f64>(before + (p - body)), later = load<f64>(p);
    if (earlier > 0.0 && later <= 0.0) locate(56);
    else if (earlier < 0.0 && later >= 0.0) locate(96);
    return;
  }
  const later = distanceToEvent();
  if (watched == 2) { if (later >= 0.0) locate(56); return; }
  const from = parameters() + START, x = load<f64>(before + (q - body)), y = load<f64>(before + (q - body), 8);
  const earlier = direction * (load<f64>(from) * y - load<f64>(from, 8) * x);
  if (earlier < 0.0 && later >= 0.0 && besideStart()) locate(56);
}

/** Repeats the step in part until it ends at the event (secants), notes time and W there, and puts all back. */
function locate(kind: usize): void {
  const after = middleOf();
  let high = 1.0, aboveZero = distanceToEvent();
  memory.copy(body, before, bytes);
  let low = 0.0, belowZero = distanceToEvent(), part = 0.0;
  for (let i = 0; i < 8 && aboveZero != belowZero; i++) {
    const next = high - aboveZero * (high - low) / (aboveZero - belowZero);
    if (next == high) break;
    part = next;
    memory.copy(body, before, bytes);
    potential = forces(q, f);
    step(part * h);
    low = high; belowZero = aboveZero;
    high = part; aboveZero = distanceToEvent();
  }
  const passed = field(24);
  memory.copy(body, after, bytes);
  potential = forces(q, f);
  note(kind, field(0) - 1.0 + part, passed);
}

/** A copy of the body behind the step. */
function middleOf(): usize {
  memory.copy(spare, body, bytes);
  return spare;
}
const spare = memory.data(192, 16);

function note(kind: usize, time: f64, passed: f64): void {
  if (field(kind) == 0.0) { setField(kind + 8, time); setField(kind + 24, passed); }
  setField(kind, field(kind) + 1.0);
  setField(kind + 16, time);
  setField(kind + 32, passed);
}

// ---- Runge–Kutta ---------------------------------------------------------------------------------------

/** q̇ and ṗ at (q, p): to `rates`, each with room for n + 2. */
function derivatives(at: usize, momenta: usize, rates: usize, forcesAt: usize): void {
  potential = forces(at, forcesAt);
  const vector = <usize>n << 3;
  memory.fill(rates, 0, vector);
  addScaled(rates, 1.0 / inertia, momenta);
}

/** A run that left the numbers stays where it was: it is here to be compared with, and its energy says enough. */
function rungeKutta(steps: u64): void {
  const vector = <usize>(n + 2) << 3, plain = <usize>n << 3;
  const v = k, a = k + vector, sumV = a + vector, sumA = sumV + vector, momenta = sumA + vector;
  const motion = kinetic(parameters() + START + plain), scale = motion + abs(firstEnergy - motion);
  for (let i: u64 = 0; i < steps; i++) {
    setField(0, field(0) + 1.0);
    if (field(48) != 0.0) continue;
    memory.copy(before, body, bytes);
    memory.fill(sumV, 0, plain);
    memory.fill(sumA, 0, plain);
    memory.copy(middle, q, plain);
    memory.copy(momenta, p, plain);
    for (let stage = 0; stage < 4; stage++) {
      derivatives(middle, momenta, v, a);
      const weight = stage == 0 || stage == 3 ? h / 6.0 : h / 3.0, reach = stage == 2 ? h : 0.5 * h;
      addScaled(sumV, weight, v);
      addScaled(sumA, weight, a);
      if (stage == 3) break;
      memory.copy(middle, q, plain);
      memory.copy(momenta, p, plain);
      addScaled(middle, reach, v);
      addScaled(momenta, reach, a);
    }
    addScaled(q, 1.0, sumV);
    addScaled(p, 1.0, sumA);
    potential = forces(q, f);
    const apart = abs(kinetic(p) + potential - firstEnergy);
    if (apart <= LEFT * scale && finiteRange(q, 2 * n + 1)) { setField(40, max(field(40), apart)); continue; }
    const steps = field(0);
    memory.copy(body, before, bytes);
    setField(0, steps);
    setField(48, 1.0);
  }
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let left = <u64>allowed;
  while (left > 0 && running() && work() < end) {
    const done = <u64>field(0), affordable = (end - work()) / units + 1;
    let steps = min(min(left, affordable), last - done);
    if (perRow > 0) steps = min(steps, perRow - done % perRow);
    if (scheme == RUNGE_KUTTA) rungeKutta(steps); else integrate(steps);
    countSteps(steps);
    spend(steps * units);
    left -= steps;
    if (perRow > 0 && ((done + steps) % perRow == 0 || done + steps == last)) writeRow();
    if (done + steps == last) conclude();
  }
  show(0, field(8));
  show(1, field(40));
  return allowed - <i32>left;
}

function writeRow(): void {
  const row = appendRow(ROW);
  store<f64>(row, field(0));
  store<f64>(row, kinetic(p) + forces(q, f), 8);
  store<f64>(row, field(8), 16);
  store<f64>(row, load<f64>(q), 24);
  store<f64>(row, load<f64>(q + probe), 32);
  store<f64>(row, load<f64>(p), 40);
  store<f64>(row, load<f64>(p + probe), 48);
}

function conclude(): void {
  memory.copy(openResult(<i32>bytes), body, bytes);
  finish();
}
