// How many levels of the plane lie below an energy: another discretisation, whose matrix is banded and can be counted.
//
// Central differences of order 8 for both second derivatives (Fornberg, Math. Comp. 51 (1988) 699, table 1), odd beyond
// the edge; the number of negative pivots of H − σ is the number of levels below σ (Sylvester). With the level E of
// assembly/kernels/schrodinger-plane.ts and s = min(E − V_min, distance to the next other level), σ is E ∓ 5e-4 s and
// E ∓ 1e-5 s: if no more than n lie below the lower and at least n + 1 below the upper one, E is level n to that width.
//
// Parameters: assembly/quantum/problem.ts, then levels 0 … n + 1 [J]
// State body (f64): 0 row · 8 which σ · 16 … 40 four counts · 48 the band
// Result (f64): 0 … 24 four counts · 32 s [J]
//
// A step is a row of a factorisation.

import {
  countStep, finish, openResult, openState, parameterF64, restoreState, running, show, spend, watchFinite, work,
} from "../kernel/frame";
import { bandAt, bandBytes, factorRows } from "../linear/banded";
import { bottom, height, left, potentialAt, problemEnd, readProblem, unitEnergy, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const REACH: i32 = 4;
const WIDE: f64 = 5e-4;
const NARROW: f64 = 1e-5;

let body: usize = 0, band: usize = 0;
let nx: i32 = 0, ny: i32 = 0, n: i32 = 0, b: i32 = 0;
let scale: f64 = 0, energy: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

function prepare(): void {
  readProblem();
  nx = <i32>parameterF64(152) - 1;
  ny = <i32>parameterF64(160) - 1;
  n = nx * ny;
  b = REACH * nx;
  body = openState(48 + bandBytes(n, b));
  band = body + 48;
  watchFinite(body, 6);
  measureScale();
}

@inline function placeX(i: i32): f64 { return left + width * (<f64>(i % nx + 1) / <f64>(nx + 1)); }
@inline function placeY(i: i32): f64 { return bottom + height * (<f64>(i / nx + 1) / <f64>(ny + 1)); }

/** s: by how much a level may be off, in thousandths. */
function measureScale(): void {
  const own = problemEnd(), level = <i32>parameterF64(144);
  energy = parameterF64(own + (<usize>level << 3)) / unitEnergy;
  let least = Infinity;
  for (let i = 0; i < n; i++) least = min(least, potentialAt(placeX(i), placeY(i), 0.0) / unitEnergy);
  scale = energy - least;
  for (let i = 0; i < level + 2; i++) {
    const gap = abs(parameterF64(own + (<usize>i << 3)) / unitEnergy - energy);
    if (gap > 1e-9 * abs(energy)) scale = min(scale, gap);
  }
}

export function start(_budget: i32): i32 {
  prepare();
  layOut();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

@inline function coefficient(k: i32): f64 {
  return k == 0 ? -205.0 / 72.0 : k == 1 ? 1.6 : k == 2 ? -0.2 : k == 3 ? 8.0 / 315.0 : -1.0 / 560.0;
}

/** H − σ of the σ that is next. */
function layOut(): void {
  const which = <i32>field(8), wide = which < 2 ? WIDE : NARROW, shift = energy + (which & 1 ? wide : -wide) * scale;
  const alongX = -0.5 * <f64>(nx + 1) * <f64>(nx + 1), share = width / height;
  const alongY = -0.5 * <f64>(ny + 1) * <f64>(ny + 1) * share * share;
  memory.fill(band, 0, bandBytes(n, b));
  for (let i = 0; i < n; i++) {
    const v = potentialAt(placeX(i), placeY(i), 0.0) / unitEnergy;
    add(i, i, v - shift + (alongX + alongY) * coefficient(0));
    for (let k = 1; k <= REACH; k++) {
      couple(i, i % nx + 1, nx, 1, k, alongX);
      couple(i, i / nx + 1, ny, nx, k, alongY);
    }
  }
}

/**
 * Node i, the p-th of `count` on its axis whose nodes are `stride` apart, with the nodes k before it and behind it. Beyond
 * a wall ψ goes on as −ψ of the mirrored node.
 */
function couple(i: i32, p: i32, count: i32, stride: i32, k: i32, factor: f64): void {
  const entry = factor * coefficient(k);
  if (p > k) add(i, i - k * stride, entry);
  else if (p < k) addMirrored(i, p, k - p, stride, entry);
  if (p + k > count + 1) addMirrored(i, p, 2 * (count + 1) - p - k, stride, entry);
}

function addMirrored(i: i32, p: i32, q: i32, stride: i32, entry: f64): void {
  if (q <= p) add(i, i - (p - q) * stride, -entry);
}

function add(i: i32, j: i32, entry: f64): void {
  const at = bandAt(band, b, i, j);
  store<f64>(at, load<f64>(at) + entry);
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, units = <u64>b * <u64>b / 4 + <u64>b * 6;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const row = <i32>field(0), at = 16 + (<usize>field(8) << 3);
    setField(at, field(at) + <f64>factorRows(band, b, row, row + 1, 1e-300));
    setField(0, <f64>(row + 1));
    countStep();
    spend(units);
    taken++;
    if (row + 1 == n) nextShift();
  }
  show(0, field(8));
  return taken;
}

function nextShift(): void {
  setField(0, 0.0);
  setField(8, field(8) + 1.0);
  if (field(8) < 4.0) { layOut(); return; }
  const out = openResult(40);
  memory.copy(out, body + 16, 32);
  store<f64>(out, scale * unitEnergy, 32);
  finish();
}
