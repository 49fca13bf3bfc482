// Flow along a channel (one gap) or a duct (two) that is the same everywhere along it: ∂u/∂t = G/ρ + ν∇²u on the cross
// section, u = 0 on the walls; what is left of the equations of `flow` when u = (u(y, z, t), 0, 0). Middles of cells,
// order 2. A steady flow is solved directly (assembly/flow/poisson.ts); one that starts from rest takes the three stages
// of Williamson (J. Comput. Phys. 35 (1980) 48, case 7).
//
// Parameters (f64): 0 cells along y · 8 along z, 1 for a channel · 16 Ly · 24 Lz [m] · 32 ν [m²/s] · 40 dt [s]
//   48 steps since the first start, 0: steady · 56 G/ρ [m/s²] · 64 steps per row · 72 start: 0 rest, 1 the same everywhere, 2 cells, 3 a
//   result to go on from · 80 what is everywhere [m/s] · 88 cells of the finest grid in one of these, along an axis · 96 u in the cells of
//   the finest grid (means of them are taken), or that result
// State body (f64): 0 impulse of the walls' drag, per ρ and length [m³/s] · 8 … 24 spare · 32 padded u
// Rows (f64), at the start, every so many steps and at the end: 0 t [s] · 8 discharge [m³/s] · 16 largest u [m/s]
// Result (f64): 0 discharge · 8 impulse of drag, steady: the drag itself [m³/s²] · 16 largest u · 24 steps · 32 u, cells along y first

import {
  allocate, appendRow, countStep, finish, openResult, openRows, openState, parameterF64, restoreState, rowsFull, running,
  spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Side, layPoisson, poissonRow, solvePoisson } from "../flow/poisson";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 24;
const ROOM: i32 = 272 * ROW;
const HEAD: usize = 32;
const START: usize = 96;

let n: i32 = 0, m: i32 = 0, pitch: usize = 0, body: usize = 0, u: usize = 0, q: usize = 0;
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
  if (steps > 0) q = allocate(bytes);
  else layPoisson(n, m, dy, dz, Side.ZERO, Side.ZERO, m == 1 ? Side.RING : Side.ZERO, m == 1 ? Side.RING : Side.ZERO);
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
function fillGhosts(): void {
  for (let k = 0; k < m; k++) {
    const row = rowOf(u, k), end = row + (<usize>n << 3);
    store<f64>(row - 8, -load<f64>(row));
    store<f64>(end, -load<f64>(end - 8));
  }
  const sign = m == 1 ? 1.0 : -1.0;
  for (let p: usize = 0; p < <usize>n << 3; p += 8) {
    store<f64>(rowOf(u, -1) + p, sign * load<f64>(rowOf(u, 0) + p));
    store<f64>(rowOf(u, m) + p, sign * load<f64>(rowOf(u, m - 1) + p));
  }
}

/** ν∮∂u/∂n: what the walls take. The ghosts must be filled. */
function drag(): f64 {
  let sides = 0.0, ends = 0.0;
  for (let k = 0; k < m; k++) sides += load<f64>(rowOf(u, k)) + load<f64>(rowOf(u, k) + (<usize>(n - 1) << 3));
  for (let p: usize = 0; p < <usize>n << 3; p += 8) {
    ends += (load<f64>(rowOf(u, 0) + p) - load<f64>(rowOf(u, -1) + p)) + (load<f64>(rowOf(u, m - 1) + p) - load<f64>(rowOf(u, m) + p));
  }
  return nu * (2.0 * sides * dz / dy + ends * dy / dz);
}

function rowOfF(to: usize, row: usize, kept: f64): void {
  const a = f64x2.splat(kept), sy = f64x2.splat(nu * dt / (dy * dy)), sz = f64x2.splat(nu * dt / (dz * dz)), g = f64x2.splat(dt * push);
  const two = f64x2.splat(-2.0 * (nu * dt / (dy * dy) + nu * dt / (dz * dz))), down = row - pitch, up = row + pitch;
  for (let p: usize = 0; p < <usize>n << 3; p += 16) {
    const along = f64x2.mul(sy, f64x2.add(v128.load(row + p - 8), v128.load(row + p, 8)));
    const across = f64x2.mul(sz, f64x2.add(v128.load(down + p), v128.load(up + p)));
    const rate = f64x2.add(f64x2.add(along, across), f64x2.add(f64x2.mul(two, v128.load(row + p)), g));
    v128.store(to + p, f64x2.add(f64x2.mul(a, v128.load(to + p)), rate));
  }
}

/** `share` of the step that this stage's rate stands for in the end. */
function stage(a: f64, b: f64, share: f64): void {
  const rate = f64x2.splat(b);
  fillGhosts();
  set(0, get(0) + share * dt * drag());
  for (let k = 0; k < m; k++) rowOfF(rowOf(q, k), rowOf(u, k), a);
  for (let k = 0; k < m; k++) {
    const row = rowOf(u, k), from = rowOf(q, k);
    for (let p: usize = 0; p < <usize>n << 3; p += 16) v128.store(row + p, f64x2.add(v128.load(row + p), f64x2.mul(rate, v128.load(from + p))));
  }
}

function take(): void {
  memory.fill(q, 0, pitch * <usize>(m + 2));
  stage(0.0, 1.0 / 3.0, 1.0 / 6.0);
  stage(-5.0 / 9.0, 15.0 / 16.0, 0.3);
  stage(-153.0 / 128.0, 8.0 / 15.0, 8.0 / 15.0);
  for (let k = 0; k < m; k++) store<f64>(rowOf(u, k) + (<usize>n << 3), 0.0);
}

function solveSteady(): void {
  const source = -push / nu;
  for (let k = 0; k < m; k++) {
    const row = poissonRow(k);
    for (let i = 0; i < n; i++) store<f64>(row + (<usize>i << 3), source);
  }
  solvePoisson();
  for (let k = 0; k < m; k++) memory.copy(rowOf(u, k), poissonRow(k), <usize>n << 3);
  fillGhosts();
  set(0, drag());
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
  const out = openResult(<i32>HEAD + ((n * m) << 3));
  store<f64>(out, discharge());
  store<f64>(out, get(0), 8);
  store<f64>(out, largest(), 16);
  store<f64>(out, <f64>(before + stepsDone()), 24);
  for (let k = 0; k < m; k++) memory.copy(out + HEAD + (<usize>(k * n) << 3), rowOf(u, k), <usize>n << 3);
  finish();
}
