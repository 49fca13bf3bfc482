// Modes of a cavity of cells between walls of impedance: T(κ)x = (K + iκC − κ²M)x = 0 (assembly/acoustics/mask-walls.ts).
//
// On the coarsest mesh each mode is followed from rigid and open walls to its own (assembly/acoustics/mask-follow.ts). Two modes
// of one k² are first parted so that the walls do not mix them. Then the
// turns of det T(κ) around a rectangle say how many modes it holds (assembly/acoustics/mask-rim.ts). Finer meshes begin from the
// κ of a coarser one.
//
// Parameters: assembly/acoustics/mask-walls.ts
// State body (f64): 0 phase: 0 modes of t = 0, 1 modes, 2 rim, 3 p of a mode, 4 done · 8 mode · 16 t · 24 its step · 32 sweep, 0 to begin ·
//   40, 48 κ · 56, 64 as it was, or what T is factored for · 72 steps of all · 80 u of the rim · 88 its step · 96, 104 det T, of size 1 · 112 turned · rows ·
//   x as it was and as it is · the modes of t = 0
// Result (f64): rows of the list and two more, 0 where there is none beside it, of the coarsest mesh in order: k [1/m] re, im · loss, stiffness of the walls [1/m] (assembly/acoustics/walls.ts) · |T x| over |Kx| + |κ²Mx| ·
//   then roots counted, roots known, κ and decay of the rectangle [1/m] · Re p, Im p of the mode that is the value at all nodes of the
//   grid around the cavity, the largest 1

import {
  allocate, countStep, finish, openResult, openState, parameterF64, parameters, restoreState, running, show, stepsDone,
  watchFinite, work,
} from "../kernel/frame";
import { im, over, re } from "../math/complex";
import { columns, maskEnd, n, numberOf, readMask, rows } from "../acoustics/mask";
import { forgetFactors, nextRigid, stepMode } from "../acoustics/mask-follow";
import { count, openCount, stepRim } from "../acoustics/mask-rim";
import {
  DONE, FIELDS, MODES, PRESSURE, RIGID, RIM, ROW, SPARE, countsOn, edge, field, is, order, placeState, refining, rigid, rowOf, setField,
  spendFactor, spendSolves, was,
} from "../acoustics/mask-state";
import { inverseIteration, openVectors } from "../acoustics/mask-vectors";
import { HEAD, wallField } from "../acoustics/mask-walls";
import { high, knownInside, right } from "../acoustics/rim";
import { openRigid } from "../acoustics/rigid-modes";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readMask();
  const refines = wallField(0) == 1.0, modes = <i32>wallField(8), h = parameterF64(16);
  const ofRows = <usize>(modes * ROW) << 3, kept = refines ? 0 : <usize>((modes + 1) * n) << 4;
  const body = openState(FIELDS + ofRows + (<usize>n << 5) + kept);
  watchFinite(body, 15 + modes * ROW + 4 * n);
  placeState(body, modes, h, refines, allocate(<usize>modes << 2));
  openVectors();
  openRigid(rigid, parameters() + maskEnd() + HEAD, h, was);
  forgetFactors();
}

export function start(_budget: i32): i32 {
  prepare();
  setField(0, refining ? MODES : RIGID);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 {
  if (field(0) >= RIM) openCount();
  return 1;
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    if (countsOn()) step();
    countStep();
    taken++;
  }
  show(0, <f64>stepsDone());
  return taken;
}

function step(): void {
  const phase = field(0);
  if (phase == RIGID) nextRigid();
  else if (phase == MODES) stepMode();
  else if (phase == RIM) { if (stepRim()) afterRim(); }
  else givePressure();
  if (phase == MODES && field(0) == RIM) beginRim();
  if (field(0) == DONE && running()) conclude();
}

function beginRim(): void {
  setField(80, -1.0);
  openCount();
  if (wallField(40) == 0.0) afterRim();
}

function afterRim(): void { setField(0, wallField(48) == 1.0 ? PRESSURE : DONE); }

// ---- what is given -------------------------------------------------------------------------------------

/** Modes beyond the list that stand so near to its last may come before it on a finer mesh. */
const BESIDE: f64 = 1.2;

@inline function placed(i: i32): i32 { return load<i32>(order + (<usize>i << 2)); }

function isGiven(i: i32): bool {
  const listed = <i32>wallField(16);
  return i < listed || (i < count && load<f64>(rowOf(placed(i))) <= BESIDE * load<f64>(rowOf(placed(listed - 1))));
}

/** x of the mode that is the value. */
function givePressure(): void {
  const row = rowOf(load<i32>(order + (<usize>(<i32>wallField(24) - 1) << 2)));
  inverseIteration(is, load<f64>(row) * edge * (1.0 + 1e-7), load<f64>(row, 8) * edge, 6);
  spendFactor();
  spendSolves(6);
  setField(0, DONE);
}

function conclude(): void {
  const all = <i32>wallField(16) + SPARE, nodes = columns * rows, given = wallField(48) == 1.0;
  const out = openResult((all * ROW + 4) * 8 + (given ? nodes << 4 : 0)), to = out + (<usize>(all * ROW) << 3);
  for (let i = 0; i < all; i++) {
    const row = out + (<usize>(i * ROW) << 3);
    if (refining || isGiven(i)) memory.copy(row, rowOf(refining ? i : placed(i)), ROW * 8); else memory.fill(row, 0, ROW * 8);
  }
  store<f64>(to, Math.round(field(112) / (2.0 * Math.PI)));
  store<f64>(to, <f64>knownInside(), 8);
  store<f64>(to, right, 16);
  store<f64>(to, high, 24);
  if (given) writePressure(to + 32);
  finish();
}

function writePressure(to: usize): void {
  let most = 0.0, mostAt = is;
  for (let i = 0; i < n; i++) {
    const at = is + (<usize>i << 4), size = Math.hypot(load<f64>(at), load<f64>(at, 8));
    if (size > most) { most = size; mostAt = at; }
  }
  const mostRe = load<f64>(mostAt), mostIm = load<f64>(mostAt, 8);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const number = numberOf(i, j), at = to + (<usize>(j * columns + i) << 3);
      if (number < 0) continue;
      over(load<f64>(is + (<usize>number << 4)), load<f64>(is + (<usize>number << 4), 8), mostRe, mostIm);
      store<f64>(at, re);
      store<f64>(at + (<usize>(columns * rows) << 3), im);
    }
  }
}
