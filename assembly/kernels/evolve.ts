// evolve: Lennard-Jones atoms at constant energy by velocity Verlet (Swope, Andersen, Berens & Wilson, J. Chem. Phys. 76
// (1982) 637): half a kick, a drift, the new forces, half a kick. Order 2, symplectic, reversible.
//
// Parameters, units and state: ../evolve/atoms.ts; forces: ../evolve/force.ts.
// Rows (f64), at the start, every so many steps and at the end: t [τ] · (E − E₀)/scale · K · U · Σ r·f [ε]
// Result (f64): 0 N · 8 steps from the start · 16 h [s] · 24 rows · 32 state body · N × (x y z) [m], N × (v) [m/s]
//   256 sampled atoms at most, ⌊kN/count⌋: their share of U and the force on them, four numbers each [ε, ε/σ]
//   with r_c: 64 counts of pairs by their distance, r_c/64 each

import {
  appendRow, configure as configureFrame, countStep, countSteps, finish, openResult, openRows, openState, parameterF64, parameters, restoreState,
  rowsFull, running, show, spend, standResult, stepsDone, watchFinite,
} from "../kernel/frame";
import {
  CONSERVED, count, DATA, keep, keptAt, kineticEnergy, layAtoms, lengthUnit, momentum, placeGiven, placeLattice, POINT, pointsBytes,
  positionsAt, speedUnit, stateBytes, sumOfSpeeds, total, velocitiesAt,
} from "../evolve/atoms";
import { countPairs, evaluate, forcesAt, layForce, newPositions, SUM, virial } from "../evolve/force";
import { goOn, rowsScratch, rowsScratchBytes } from "../evolve/rows";

export {
  status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 40;
const ROWS_BETWEEN_DRAINS: i32 = 64;
const SAMPLED: i32 = 256;
const BINS: i32 = 64;
/** Work units: an entry of a row, one of all others, an atom, a step. */
const PER_ENTRY: f64 = 8;
const PER_OTHER: f64 = 3;
const PER_ATOM: u64 = 60;
const PER_STEP: u64 = 100;

let body: usize = 0, atoms: i32 = 0;
let h: f64 = 0, time: f64 = 0;
let steps: u64 = 0, perRow: u64 = 0, stepUnits: u64 = 0;
/** Inside a step: the atoms have drifted and wait for their forces. */
let drifted: bool = false, laid: bool = false, listed: bool = false;

function prepare(): void {
  atoms = <i32>parameterF64(0);
  steps = <u64>parameterF64(64);
  perRow = <u64>parameterF64(72);
  body = openState(stateBytes(atoms));
  layAtoms(atoms, body);
  layForce();
  watchFinite(body, 6 * atoms + CONSERVED);
  openRows(ROWS_BETWEEN_DRAINS * ROW);
  time = lengthUnit() / speedUnit();
  h = parameterF64(56) / time;
  listed = parameterF64(40) > 0.0;
  const perAtom = listed ? PER_ENTRY * parameterF64(152) : PER_OTHER * <f64>(atoms - 1);
  stepUnits = (<u64>perAtom + PER_ATOM) * <u64>atoms + PER_STEP;
  drifted = false;
  laid = true;
}

@inline function continued(): bool { return parameterF64(80) == 2.0; }

/** A used instance may have been left anywhere. */
export function configure(bytes: i32): usize { laid = false; return configureFrame(bytes); }

export function start(budget: i32): i32 {
  if (!laid) {
    prepare();
    if (continued()) {
      memory.copy(body, parameters() + DATA, stateBytes(atoms));
      countSteps(<u64>parameterF64(160));
    } else if (parameterF64(80) == 1.0) placeLattice();
    else placeGiven();
  }
  if (!evaluate(budget) && running()) return 0;
  laid = false;
  if (!continued()) measureStart();
  writeRow();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

/** The forces belong to the state: they are summed anew, in rows that need not be those of before. */
export function resumed(budget: i32): i32 {
  if (!evaluate(budget) && running()) return 0;
  laid = false;
  return 1;
}

// ---- a step --------------------------------------------------------------------------------------------

export function advance(allowed: i32, budget: i32): i32 {
  let taken = 0;
  let left = <i64>budget;
  while (taken < allowed && running() && left > 0 && !rowsFull(ROW)) {
    if (!drifted) {
      kickAndDrift();
      newPositions();
      drifted = true;
    }
    if (!evaluate(max(left / 4, 1024))) { left -= max(left, 4096); continue; }
    kick();
    drifted = false;
    record();
    spend(stepUnits);
    left -= <i64>stepUnits;
    countStep();
    taken++;
    const done = stepsDone();
    if (done % perRow == 0 || done == steps) writeRow();
    if (done == steps) conclude();
  }
  show(0, <f64>stepsDone() * parameterF64(56));
  show(1, keptAt(2) / keptAt(1));
  return taken;
}

function kickAndDrift(): void {
  const half = 0.5 * h;
  let x = positionsAt(), v = velocitiesAt(), a = forcesAt();
  for (let i = 0; i < atoms; i++, x += POINT, v += POINT, a += SUM) {
    const dx = h * faster(v, a, half), dy = h * faster(v + 8, a + 8, half), dz = h * faster(v + 16, a + 16, half);
    store<f64>(x, load<f64>(x) + dx);
    store<f64>(x, load<f64>(x, 8) + dy, 8);
    store<f64>(x, load<f64>(x, 16) + dz, 16);
    if (listed) goOn(i, dx, dy, dz);
  }
}

function kick(): void {
  const half = 0.5 * h;
  let v = velocitiesAt(), a = forcesAt();
  for (let i = 0; i < atoms; i++, v += POINT, a += SUM) { faster(v, a, half); faster(v + 8, a + 8, half); faster(v + 16, a + 16, half); }
}

/** v ← v + τ a of a component. */
@inline function faster(v: usize, a: usize, time: f64): f64 {
  const speed = load<f64>(v) + time * load<f64>(a);
  store<f64>(v, speed);
  return speed;
}

// ---- what is conserved ---------------------------------------------------------------------------------

function measureStart(): void {
  keep(10, potentialEnergy());
  keep(9, kineticEnergy());
  keep(8, keptAt(9) + keptAt(10));
  keep(0, keptAt(8));
  keep(1, max(abs(keptAt(0)), 0.1 * (keptAt(9) + abs(keptAt(10)))));
  keep(11, virial());
  keep(3, sumOfSpeeds());
  for (let axis = 0; axis < 3; axis++) keep(4 + axis, momentum(axis));
}

/** At every step's end; a drift that is no number is kept. */
function record(): void {
  keep(10, potentialEnergy());
  keep(9, kineticEnergy());
  keep(8, keptAt(9) + keptAt(10));
  const drift = abs(keptAt(8) - keptAt(0));
  if (!(drift <= keptAt(2))) keep(2, drift);
  const x = momentum(0) - keptAt(4), y = momentum(1) - keptAt(5), z = momentum(2) - keptAt(6);
  const lost = sqrt(x * x + y * y + z * z), speeds = max(keptAt(3), sumOfSpeeds());
  if (lost != 0.0 && !(lost / speeds <= keptAt(7))) keep(7, lost / speeds);
}

/** Each pair stands whole in both of its atoms' sums. */
function potentialEnergy(): f64 { return 0.5 * total(forcesAt() + 24, SUM); }

function writeRow(): void {
  keep(11, virial());
  const row = appendRow(ROW), drift = keptAt(8) - keptAt(0);
  store<f64>(row, <f64>stepsDone() * h);
  store<f64>(row, drift == 0.0 ? 0.0 : drift / keptAt(1), 8);
  store<f64>(row, keptAt(9), 16);
  store<f64>(row, keptAt(10), 24);
  store<f64>(row, keptAt(11), 32);
}

// ---- the end -------------------------------------------------------------------------------------------

const distances = memory.data(8 * BINS, 16);

function conclude(): void {
  const sampled = min(atoms, SAMPLED), bins = listed ? BINS : 0;
  const bytes = 32 + stateBytes(atoms) + 2 * pointsBytes() + (<usize>(4 * sampled + bins) << 3);
  memory.fill(distances, 0, 8 * BINS);
  if (listed) countPairs(distances, BINS);
  const out = roomForResult(bytes), from = <u64>parameterF64(160), done = steps - from;
  store<f64>(out, <f64>atoms);
  store<f64>(out, <f64>steps, 8);
  store<f64>(out, parameterF64(56), 16);
  store<f64>(out, <f64>rowsKept(from, done), 24);
  memory.copy(out + 32, body, stateBytes(atoms));
  let to = out + 32 + stateBytes(atoms);
  toUnits(to, positionsAt(), lengthUnit());
  toUnits(to + pointsBytes(), velocitiesAt(), speedUnit());
  to += 2 * pointsBytes();
  writeShares(to, sampled);
  memory.copy(to + (<usize>sampled << 5), distances, <usize>bins << 3);
  finish();
}

/** Where rows stood, if that is enough: nothing is summed any more. */
function roomForResult(bytes: usize): usize {
  if (!listed || rowsScratchBytes() < bytes) return openResult(<i32>bytes);
  standResult(rowsScratch(), <i32>bytes);
  return rowsScratch();
}

/** One at the start, one at every so many steps, and one at the end. */
function rowsKept(from: u64, done: u64): u64 {
  const last: u64 = steps % perRow != 0 && done > 0 ? 1 : 0;
  return steps / perRow - from / perRow + last + 1;
}

function toUnits(to: usize, from: usize, unit: f64): void {
  for (let at: usize = 0; at < pointsBytes(); at += 8) store<f64>(to + at, load<f64>(from + at) * unit);
}

/** What the last sums gave. */
function writeShares(to: usize, sampled: i32): void {
  for (let k = 0; k < sampled; k++, to += 32) {
    const at = forcesAt() + <usize>(<i64>k * atoms / sampled) * SUM;
    store<f64>(to, 0.5 * load<f64>(at, 24));
    memory.copy(to + 8, at, 24);
  }
}
