// Rigid docking: poses of a ligand from a Sobol sequence over box and rotations (uniform quaternions: Shoemake, in
// Graphics Gems III (1992) 124) are scored; the best of them descend to their minima (assembly/dock/descend.ts), and the
// lowest minima hop: moved at random, far, near or about themselves by turns, they descend again and stay where that is
// lower. A descent whose centre leaves the box says what lies at its side: from there, along it, another one descends.
//
// Parameters (f64):
//   0 scoring: 0 lj, 1 vina · 8 receptor atoms n · 16 ligand atoms m · 24 rule: 0 Lorentz–Berthelot, 1 geometric
//   32 k_e/ε_r [kJ·Å/(mol·e²)], 0: no charges · 40 centre of the box [Å] · 64 its edges [Å] · 88 first block of 256
//   points · 96 blocks · 104 poses that descend, K · 112 minima that hop
//   120 hops of each · 128 energies to spend: later hops fall away · 136 n + m atoms of six (assembly/dock/rigid.ts)
// State body (f64): K of score (later: 1, it has hopped), number of the point, by score · K of E [kJ/mol], centre, quaternion, ‖∇E‖·reach/|E|
//   · the lowest E at a side of the box · E, centre of the minimum outside that led there
// Result: all but the first list; E = 1e300 where the centre left the box.

import { descend, evaluations, slope } from "../dock/descend";
import { arm, energyOf, layOutPairs, move, reach } from "../dock/rigid";
import {
  allocate, countStep, finish, openResult, openState, parameterF64, parameters, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { philox, Purpose, uniform } from "../math/philox";
import { layDimension, pointAt, SOBOL_BYTES } from "../math/sobol";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const BLOCK: u32 = 256;
const ENTRY: usize = 72;
const TURN: f64 = 6.283185307179586;
const NOWHERE: f64 = 1e300;
const SIDE: usize = 40;

let scores: usize = 0, poses: usize = 0, side: usize = 0, tables: usize = 0, pose: usize = 0;
let trial: usize = 0, by: usize = 0, words: usize = 0, hoppers: i32 = 0;
let kept: i32 = 0, blocks: i32 = 0, pairUnits: u64 = 0, most: u64 = 0;

function prepare(): void {
  const n = <i32>parameterF64(8), m = <i32>parameterF64(16), vina = parameterF64(0) != 0.0;
  blocks = <i32>parameterF64(96);
  kept = <i32>parameterF64(104);
  scores = openState(<usize>kept * (16 + ENTRY) + SIDE);
  poses = scores + <usize>kept * 16;
  side = poses + <usize>kept * ENTRY;
  watchFinite(scores, kept * 11 + 5);
  layOutPairs(<i32>parameterF64(0), <i32>parameterF64(24), parameterF64(32), n, m, parameters() + 136);
  tables = allocate(6 * SOBOL_BYTES);
  for (let d = 0; d < 6; d++) layDimension(d, tables + <usize>d * SOBOL_BYTES);
  pose = allocate(64);
  trial = allocate(64);
  by = allocate(48);
  words = allocate(16);
  hoppers = <i32>parameterF64(112);
  pairUnits = <u64>n * <u64>m * (vina ? 12 : 4) + 60 * <u64>m + 100;
  most = <u64>parameterF64(128) * pairUnits;
}

export function start(_budget: i32): i32 {
  prepare();
  for (let i = 0; i < kept; i++) store<f64>(scores + (<usize>i << 4), NOWHERE);
  store<f64>(side, NOWHERE);
  return 1;
}
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

// ---- poses ---------------------------------------------------------------------------------------------

@inline function uniformOf(dimension: i32, point: u32): f64 {
  return (<f64>pointAt(tables + <usize>dimension * SOBOL_BYTES, point) + 0.5) * 2.3283064365386963e-10;
}

function placeAt(point: u32): void {
  for (let axis = 0; axis < 3; axis++) {
    const centre = parameterF64(40 + (<usize>axis << 3)), edge = parameterF64(64 + (<usize>axis << 3));
    store<f64>(pose + (<usize>axis << 3), centre + edge * (uniformOf(axis, point) - 0.5));
  }
  const u = uniformOf(3, point), first = TURN * uniformOf(4, point), second = TURN * uniformOf(5, point);
  const a = sqrt(1.0 - u), b = sqrt(u);
  store<f64>(pose, b * NativeMath.cos(second), 24);
  store<f64>(pose, a * NativeMath.sin(first), 32);
  store<f64>(pose, a * NativeMath.cos(first), 40);
  store<f64>(pose, b * NativeMath.sin(second), 48);
}

/** Keeps a score among the best; of equal ones the earlier point. */
function keep(score: f64, point: u32): void {
  let i = kept - 1;
  if (!(score < load<f64>(scores + (<usize>i << 4)))) return;
  for (; i > 0 && score < load<f64>(scores + (<usize>(i - 1) << 4)); i--)
    memory.copy(scores + (<usize>i << 4), scores + (<usize>(i - 1) << 4), 16);
  store<f64>(scores + (<usize>i << 4), score);
  store<f64>(scores + (<usize>i << 4), <f64>point, 8);
}

function scoreBlock(block: i32): void {
  const from = (<u32>parameterF64(88) + <u32>block) * BLOCK;
  for (let i: u32 = 0; i < BLOCK; i++) {
    placeAt(from + i);
    keep(energyOf(pose), from + i);
  }
  spend(BLOCK * pairUnits);
}

function insideBox(pose: usize): bool {
  for (let axis: usize = 0; axis < 24; axis += 8)
    if (!(abs(load<f64>(pose + axis) - parameterF64(40 + axis)) <= 0.5 * parameterF64(64 + axis))) return false;
  return true;
}

function descendFrom(rank: i32): void {
  if (work() >= most) {
    store<f64>(scores + (<usize>rank << 4), 1.0);
    store<f64>(poses + <usize>rank * ENTRY, NOWHERE);
    return;
  }
  placeAt(<u32>load<f64>(scores + (<usize>rank << 4), 8));
  const energy = descend(pose, parameterF64(0) != 0.0), entry = poses + <usize>rank * ENTRY;
  store<f64>(scores + (<usize>rank << 4), 0.0);
  store<f64>(entry, insideBox(pose) ? energy : NOWHERE);
  memory.copy(entry + 8, pose, 56);
  store<f64>(entry, slope, 64);
  spend(<u64>evaluations * pairUnits);
  show(0, energy);
  if (!insideBox(pose)) lookAlongSide(energy);
}

/** The centre goes back to the nearest point of the box, and the pose descends from there along the sides that it lies on. */
function lookAlongSide(outside: f64): void {
  memory.copy(trial, pose, 56);
  let still = 0;
  for (let axis = 0; axis < 3; axis++) {
    const at = <usize>axis << 3, far = 0.5 * (1.0 - 1e-12) * parameterF64(64 + at), centre = parameterF64(40 + at);
    const away = load<f64>(pose + at) - centre;
    if (abs(away) <= far) continue;
    store<f64>(trial + at, centre + (away < 0.0 ? -far : far));
    still |= 1 << axis;
  }
  const energy = descend(trial, parameterF64(0) != 0.0, still);
  spend(<u64>evaluations * pairUnits);
  if (!insideBox(trial) || !(energy < load<f64>(side))) return;
  store<f64>(side, energy);
  store<f64>(side, outside, 8);
  memory.copy(side + 16, pose, 24);
}

@inline function hopped(i: i32): bool { return load<f64>(scores + (<usize>i << 4)) != 0.0; }
@inline function energyOfEntry(i: i32): f64 { return load<f64>(poses + <usize>i * ENTRY); }

/** Whether one that has hopped has this energy. */
function isKnown(energy: f64): bool {
  for (let i = 0; i < kept; i++) if (hopped(i) && abs(energyOfEntry(i) - energy) <= 1e-3 * abs(energy)) return true;
  return false;
}

/** The lowest minimum that has not hopped; every second time the lowest unlike those that have, if there is one. */
function nextHopper(hopper: i32): i32 {
  let best = -1, lowest = 0.5 * NOWHERE, other = -1, lowestOther = lowest;
  for (let i = 0; i < kept; i++) {
    const energy = energyOfEntry(i);
    if (hopped(i)) continue;
    if (energy < lowest) { best = i; lowest = energy; }
    if (hopper & 1 && energy < lowestOther && !isKnown(energy)) { other = i; lowestOther = energy; }
  }
  return other < 0 ? best : other;
}

/** Six lengths up to 0.6 of the reach, or a tenth of that, or a quarter and any turn. */
function drawMove(hopper: i32, hop: i32): void {
  const way = hop % 3, most = (way == 0 ? 0.6 : way == 1 ? 0.06 : 0.15) * reach, turn = way == 2 ? 3.0 / (0.15 * reach) : 2.0 / reach;
  for (let i = 0; i < 6; i += 2) {
    philox(i, hop, hopper, Purpose.PATHS, <u32>parameterF64(88), 0, words);
    store<f64>(by + (<usize>i << 3), most * (2.0 * uniform(load<u32>(words), load<u32>(words, 4)) - 1.0));
    store<f64>(by + (<usize>i << 3), most * (2.0 * uniform(load<u32>(words, 8), load<u32>(words, 12)) - 1.0), 8);
  }
  for (let i: usize = 24; i < 48; i += 8) store<f64>(by + i, load<f64>(by + i) * arm * turn);
}

function hopFrom(hopper: i32): void {
  const rank = nextHopper(hopper);
  if (rank < 0) return;
  const entry = poses + <usize>rank * ENTRY, hops = <i32>parameterF64(120);
  store<f64>(scores + (<usize>rank << 4), 1.0);
  for (let hop = 0; hop < hops && work() < most; hop++) {
    drawMove(hopper, hop);
    move(entry + 8, by, 1.0, trial);
    const energy = descend(trial, parameterF64(0) != 0.0), before = load<f64>(entry);
    spend(<u64>evaluations * pairUnits);
    if (!(energy < before - 1e-10 * abs(before)) || !insideBox(trial)) continue;
    store<f64>(entry, energy);
    memory.copy(entry + 8, trial, 56);
    store<f64>(entry, slope, 64);
  }
}

/** A step is a block of poses, then one descent, then the hops of one minimum. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const done = <i32>stepsDone();
    if (done < blocks) scoreBlock(done);
    else if (done < blocks + kept) descendFrom(done - blocks);
    else hopFrom(done - blocks - kept);
    countStep();
    taken++;
    if (done + 1 == blocks + kept + hoppers) conclude();
  }
  return taken;
}

function conclude(): void {
  const bytes = <usize>kept * ENTRY + SIDE;
  memory.copy(openResult(<i32>bytes), poses, bytes);
  finish();
}
