// Sound in a box that is driven by a piston, between open walls or walls of impedance: the solution of quartic elements in tensor
// products, K⊗M⊗M + M⊗K⊗M + M⊗M⊗K − k²M⊗M⊗M with the walls, by its modes across and a complex symmetric LDLᵀ along the
// box for each pair (R. E. Lynch, J. R. Rice & D. H. Thomas, Numer. Math. 6 (1964) 185; assembly/acoustics/box.ts).
//
// Parameters: assembly/acoustics/box.ts, then the tables of y and of z (assembly/acoustics/across.ts)
// State body: 0 modes of y that are summed (f64) · 16 p [Pa] at the nodes [y][x][z], re and im
// Result (f64): 0, 8 p at the probe [Pa] · 16, 24 its mean over the piston · 32 mean |p|² over right, bottom, top, front, back · 72 mean
//   |p|² in the box · 80 129 p at equal distances along x, y, z through the probe, re and im
//
// A step is a mode of y with all those of z; the last one weighs what was summed.

import {
  allocate, countStep, finish, openResult, openState, parameters, restoreState, running, spend, watchFinite, work,
} from "../kernel/frame";
import { isDriven, shareOf, tableBytes, valueOf, vectorOf } from "../acoustics/across";
import {
  angularFrequency, driveWave, lengthOf, modesOf, nodesOf, openBox, openWave, parametersEnd, probe, useAxis, wave,
} from "../acoustics/box";
import { meanAtPiston, meanSquares, openWeights } from "../acoustics/box-weights";
import { valueAt } from "../acoustics/quartic";
import { complexAxpy } from "../linear/complex-band";
import { im, re, times } from "../math/complex";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SAMPLES: i32 = 129;

let nx: i32 = 0, ny: i32 = 0, nz: i32 = 0, modesY: i32 = 0, modesZ: i32 = 0;
let body: usize = 0, p: usize = 0, slice: usize = 0, plane: usize = 0, line: usize = 0, tableY: usize = 0, tableZ: usize = 0;

function prepare(): void {
  openBox();
  openWave();
  nx = nodesOf(0);
  ny = nodesOf(1);
  nz = nodesOf(2);
  modesY = modesOf(1);
  modesZ = modesOf(2);
  tableY = parameters() + parametersEnd();
  tableZ = tableY + tableBytes(ny, modesY);
  const all = <usize>nx * <usize>ny * <usize>nz;
  body = openState(16 + (all << 4));
  watchFinite(body + 16, 2 * <i32>all);
  p = body + 16;
  slice = allocate((<usize>nx * <usize>nz) << 4);
  plane = allocate((<usize>nx * <usize>ny) << 4);
  line = allocate(<usize>max(nx, max(ny, nz)) << 4);
  openWeights(p);
}

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

// ---- sums ----------------------------------------------------------------------------------------------

/** Σ_j t_j X_ij Z_j in the slice [x][z], then that times s_i Y_i. */
function addMode(i: i32): void {
  if (!isDriven(tableY, modesY, i)) return;
  const mu = valueOf(tableY, i), s = shareOf(tableY, modesY, i), y = vectorOf(tableY, ny, modesY, i);
  memory.fill(slice, 0, (<usize>nx * <usize>nz) << 4);
  for (let j = 0; j < modesZ; j++) {
    if (!isDriven(tableZ, modesZ, j)) continue;
    const nu = valueOf(tableZ, j), t = shareOf(tableZ, modesZ, j);
    driveWave(angularFrequency(), load<f64>(mu), load<f64>(mu, 8), load<f64>(nu), load<f64>(nu, 8));
    for (let x = 0; x < nx; x++) {
      const at = wave + (<usize>x << 4);
      times(load<f64>(at), load<f64>(at, 8), load<f64>(t), load<f64>(t, 8));
      complexAxpy(vectorOf(tableZ, nz, modesZ, j), slice + ((<usize>x * <usize>nz) << 4), nz, re, im);
    }
  }
  for (let node = 0; node < ny; node++) {
    const at = y + (<usize>node << 4);
    times(load<f64>(at), load<f64>(at, 8), load<f64>(s), load<f64>(s, 8));
    complexAxpy(slice, p + ((<usize>node * <usize>nx * <usize>nz) << 4), nx * nz, re, im);
  }
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, units = <u64>nx * <u64>nz * (<u64>modesZ + <u64>ny) + <u64>nx * <u64>modesZ * 80;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const i = <i32>load<f64>(body);
    if (i < modesY) {
      addMode(i);
      store<f64>(body, <f64>(i + 1));
      spend(units);
    } else {
      conclude();
      spend(<u64>nx * <u64>ny * <u64>nz * 400);
    }
    countStep();
    taken++;
  }
  return taken;
}

// ---- what was summed -----------------------------------------------------------------------------------

@inline function at(y: i32, x: i32, z: i32): usize { return p + (((<usize>y * <usize>nx + <usize>x) * <usize>nz + <usize>z) << 4); }

/** to ← complex values of an axis, `stride` bytes apart, at u of it. */
function between(axis: i32, from: usize, stride: usize, u: f64, to: usize): void {
  useAxis(axis);
  store<f64>(to, valueAt(from, stride, u));
  store<f64>(to, valueAt(from + 8, stride, u), 8);
}

@inline function share(axis: i32): f64 { return probe(axis) / lengthOf(axis); }
@inline function inPlane(y: i32, x: i32): usize { return plane + ((<usize>y * <usize>nx + <usize>x) << 4); }

function sampleLine(axis: i32, out: usize): void {
  for (let i = 0; i < SAMPLES; i++) {
    between(axis, line, 16, <f64>i / <f64>(SAMPLES - 1), out + 80 + (<usize>(axis * SAMPLES + i) << 4));
  }
}

function conclude(): void {
  const out = openResult(80 + (3 * SAMPLES << 4)), row = <usize>nx << 4;
  for (let y = 0; y < ny; y++) for (let x = 0; x < nx; x++) between(2, at(y, x, 0), 16, share(2), inPlane(y, x));
  for (let x = 0; x < nx; x++) between(1, inPlane(0, x), row, share(1), line + (<usize>x << 4));
  sampleLine(0, out);
  between(0, line, 16, share(0), out);
  for (let y = 0; y < ny; y++) between(0, inPlane(y, 0), 16, share(0), line + (<usize>y << 4));
  sampleLine(1, out);
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) between(0, at(y, 0, z), <usize>nz << 4, share(0), plane + (<usize>y << 4));
    between(1, plane, 16, share(1), line + (<usize>z << 4));
  }
  sampleLine(2, out);
  meanAtPiston(out + 16);
  meanSquares(out + 32);
  finish();
}
