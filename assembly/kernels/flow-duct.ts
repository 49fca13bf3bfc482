// Flow along a channel (one gap) or a duct (two) that is the same everywhere along it: ∂u/∂t = G/ρ + ν∇²u on the cross
// section, u = 0 on the walls; what is left of the equations of `flow` when u = (u(y, z, t), 0, 0). Middles of cells,
// order 2. A steady flow is solved directly (assembly/flow/poisson.ts); one that starts from rest takes the three stages
// of Williamson (J. Comput. Phys. 35 (1980) 48, case 7), in one pass over the rows: each stage a row behind the one before.
//
// Parameters (f64): 0 cells along y · 8 along z, 1 for a channel · 16 Ly · 24 Lz [m] · 32 ν [m²/s] · 40 dt [s]
//   48 steps since the first start, 0: steady · 56 G/ρ [m/s²] · 64 steps per row · 72 start: 0 rest, 1 the same everywhere, 2 cells, 3 a
//   result to go on from · 80 what is everywhere [m/s] · 88 cells of the finest grid in one of these, along an axis · 96 u in the cells of
//   the finest grid (means of them are taken), or that result
// State body (f64): 0 impulse of the walls' drag, per ρ and length [m³/s] · 8 … 24 spare · 32 padded u
// Rows (f64), at the start, every so many steps and at the end: 0 t [s] · 8 discharge [m³/s] · 16 largest u [m/s]
// Result (f64), where the state stood: 0 discharge · 8 impulse of drag, steady: the drag itself [m³/s²] · 16 largest u · 24 steps · 32 u, cells along y first

import {
  allocate, appendRow, countStep, finish, openRows, openState, parameterF64, restoreState, rowsFull, running,
  spend, standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Side, layPoisson, poissonRow, putInOrder, solvePoisson } from "../flow/poisson";
import { between, pinned } from "../grid/stencil";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 24;
const ROOM: i32 = 272 * ROW;
const HEAD: usize = 32;
const START: usize = 96;

/** Of each stage: what it keeps of q, what it takes of it, and for how much of the step its rate stands in the end. */
const stages = memory.data<f64>([0.0, 1.0 / 3.0, 1.0 / 6.0, -5.0 / 9.0, 15.0 / 16.0, 0.3, -153.0 / 128.0, 8.0 / 15.0, 8.0 / 15.0]);
/** Of each stage: the sums of u along the sides and the ends. */
const besideWalls = memory.data(48);

let n: i32 = 0, m: i32 = 0, pitch: usize = 0, body: usize = 0, u: usize = 0;
/** Three rows of q, and of each stage the row below as it was before. */
let rates: usize = 0, unders: usize = 0;
let dy: f64 = 0, dz: f64 = 0, nu: f64 = 0, dt: f64 = 0, push: f64 = 0;
let steps: u64 = 0, before: u64 = 0, stepsPerRow: u64 = 0, units: u64 = 0;

@inline function rowOf(field: usize, k: i32): usize { return field + pitch * <usize>(k + 1) + 16; }
@inline function get(offset: usize): f64 { return load<f64>(body + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(body + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  n = <i32>parameterF64(0); m = <i32>parameterF64(8);
  dy = parameterF64(16) / <f64>n; dz = parameterF64(24) / <f64>m;
  nu = parameterF64(32); dt = parameterF64(40); push = parameterF64(56);
  steps = <u64>parameterF64(48); stepsPerRow = <u64>parameterF64(64);
  units = 500 + (steps > 0 ? 12 : 60) * <u64>n * <u64>m;
  pitch = <usize>((n + 6) & ~1) << 3;
  const bytes = pitch * <usize>(m + 2);
  body = openState(HEAD + bytes);
  u = body + HEAD;
  watchFinite(body, <i32>((HEAD + bytes) >> 3));
  before = parameterF64(72) == 3.0 ? <u64>parameterF64(START + 24) : 0;
  if (steps > 0) { rates = allocate(3 * pitch); unders = allocate(3 * pitch); }
  else layPoisson(n, m, dy, dz, Side.ZERO, Side.ZERO, m == 1 ? Side.RING : Side.ZERO, m == 1 ? Side.RING : Side.ZERO, rowOf(u, 0), pitch);
  openRows(ROOM);
}

export function start(_budget: i32): i32 {
  prepare();
  begin();
  spend(units);
  writeRow();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

function begin(): void {
  const kind = <i32>parameterF64(72);
  if (kind == 0) return;
  if (kind == 3) set(0, parameterF64(START + 8));
  for (let k = 0; k < m; k++) {
    for (let i = 0; i < n; i++) {
      const value = kind == 1 ? parameterF64(80) : kind == 2 ? meanOf(i, k) : parameterF64(START + HEAD + (<usize>(k * n + i) << 3));
      store<f64>(rowOf(u, k) + (<usize>i << 3), value);
    }
  }
}

/** Of the cells of the finest grid that lie in (i, k). */
function meanOf(i: i32, k: i32): f64 {
  const factor = <i32>parameterF64(88), lines = m == 1 ? 1 : factor;
  let sum = 0.0;
  for (let b = 0; b < lines; b++) {
    for (let a = 0; a < factor; a++) sum += parameterF64(START + (<usize>((k * lines + b) * n * factor + i * factor + a) << 3));
  }
  return sum / <f64>(lines * factor);
}

// ---- steps ---------------------------------------------------------------------------------------------

/** Behind a wall the mirror image with the other sign. A channel is the same along z. */
function mirror(to: usize, row: usize): void {
  const sign = m == 1 ? 1.0 : -1.0;
  for (let p: usize = 0; p < <usize>n << 3; p += 8) store<f64>(to + p, sign * load<f64>(row + p));
}

/** What row k adds to the drag of a stage. */
function meetWalls(stage: i32, k: i32): void {
  const row = rowOf(u, k), sums = besideWalls + (<usize>stage << 4);
  store<f64>(sums, load<f64>(sums) + (load<f64>(row) + load<f64>(row + (<usize>(n - 1) << 3))));
  if (m == 1) return;
  const ends = k == 0 && k == m - 1 ? 4.0 : k == 0 || k == m - 1 ? 2.0 : 0.0;
  if (ends == 0.0) return;
  let sum = 0.0;
  for (let p: usize = 0; p < <usize>n << 3; p += 8) sum += load<f64>(row + p);
  store<f64>(sums, load<f64>(sums, 8) + ends * sum, 8);
}

/** ν∮∂u/∂n: what the walls take in a stage. */
function drag(stage: i32): f64 {
  const sums = besideWalls + (<usize>stage << 4);
  return nu * (2.0 * load<f64>(sums) * dz / dy + load<f64>(sums, 8) * dy / dz);
}

/** q ← a q + dt F, u ← u + b q of row k; `Stage` bool: a is 0. */
function rowOfStage<Stage>(stage: i32, k: i32): void {
  const row = rowOf(u, k), end = row + (<usize>n << 3), under = unders + pitch * <usize>stage + 16;
  store<f64>(row - 8, -load<f64>(row));
  store<f64>(end, -load<f64>(end - 8));
  if (k == 0) mirror(under, row);
  if (k == m - 1) mirror(row + pitch, row);
  meetWalls(stage, k);
  const table = stages + <usize>(24 * stage), sizeY = nu * dt / (dy * dy), sizeZ = nu * dt / (dz * dz);
  const a = pinned(load<f64>(table)), b = pinned(load<f64>(table, 8)), sy = pinned(sizeY), sz = pinned(sizeZ);
  const g = pinned(dt * push), two = pinned(-2.0 * (sizeY + sizeZ));
  let c = v128.load(row), l = between(v128.load(row - 16), c), p = row, below = under, above = row + pitch, q = rates + pitch * <usize>(k % 3);
  for (; p < end; p += 16, below += 16, above += 16, q += 16) {
    const next = v128.load(p, 16), r = between(c, next);
    const along = f64x2.mul(sy, f64x2.add(l, r)), across = f64x2.mul(sz, f64x2.add(v128.load(below), v128.load(above)));
    let change = f64x2.add(f64x2.add(along, across), f64x2.add(f64x2.mul(two, c), g));
    if (!isBoolean<Stage>()) change = f64x2.add(f64x2.mul(a, v128.load(q)), change);
    v128.store(below, c);
    v128.store(q, change);
    v128.store(p, f64x2.add(c, f64x2.mul(b, change)));
    l = r; c = next;
  }
}

/** Each stage a row behind the one before, which has then made what it needs. */
function take(): void {
  memory.fill(besideWalls, 0, 48);
  for (let k = 0; k < m + 2; k++) {
    if (k < m) rowOfStage<bool>(0, k);
    if (k > 0 && k <= m) rowOfStage<f64>(1, k - 1);
    if (k > 1) rowOfStage<f64>(2, k - 2);
  }
  for (let stage = 0; stage < 3; stage++) set(0, get(0) + load<f64>(stages + <usize>(24 * stage), 16) * dt * drag(stage));
}

function solveSteady(): void {
  const source = -push / nu;
  for (let k = 0; k < m; k++) {
    const row = poissonRow(k);
    for (let i = 0; i < n; i++) store<f64>(row + (<usize>i << 3), source);
  }
  solvePoisson();
  putInOrder();
  memory.fill(besideWalls, 0, 48);
  for (let k = 0; k < m; k++) meetWalls(0, k);
  set(0, drag(0));
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end && !rowsFull(2 * ROW)) {
    if (steps > 0) take(); else solveSteady();
    const done = before + stepsDone() + 1, isLast = done >= steps;
    countStep();
    spend(units);
    taken++;
    if (isLast || done % stepsPerRow == 0) writeRow();
    if (isLast) conclude();
  }
  return taken;
}

function discharge(): f64 {
  let sum = 0.0;
  for (let k = 0; k < m; k++) for (let i = 0; i < n; i++) sum += load<f64>(rowOf(u, k) + (<usize>i << 3));
  return sum * dy * dz;
}
function largest(): f64 {
  let most = 0.0;
  for (let k = 0; k < m; k++) for (let i = 0; i < n; i++) most = max(most, abs(load<f64>(rowOf(u, k) + (<usize>i << 3))));
  return most;
}

function writeRow(): void {
  const row = appendRow(ROW);
  store<f64>(row, <f64>(before + stepsDone()) * dt);
  store<f64>(row, discharge(), 8);
  store<f64>(row, largest(), 16);
}

function conclude(): void {
  set(16, largest());
  set(24, <f64>(before + stepsDone()));
  set(8, get(0));
  set(0, discharge());
  for (let k = 0; k < m; k++) memory.copy(body + HEAD + (<usize>(k * n) << 3), rowOf(u, k), <usize>n << 3);
  standResult(body, <i32>HEAD + ((n * m) << 3));
  finish();
}
