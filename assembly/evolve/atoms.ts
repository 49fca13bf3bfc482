// Atoms of `evolve` in reduced units: lengths in σ, energies in ε, masses in m, times in τ = σ√(m/ε).
//
// Parameters (f64): 0 N · 8 box: 0 open, 1 periodic · 16, 24, 32 its edges [m]; of a lattice 0 · 40 r_c [m], 0: none
//   48 at r_c: 0 truncated, 1 shifted, 2 shifted-force · 56 h [s] · 64 steps from the start · 72 steps per row
//   80 start: 0 given, 1 fcc, 2 goes on · 88 cells per edge · 96 density [1/m³] · 104 kT [J] · 112 seed (two)
//   128 ε [J] · 136 σ [m] · 144 m [kg] · 152 room for neighbours of an atom, on average · 160 steps before · 168 t₀ [s]
//   176 given: N × (x y z) [m], N × (v) [m/s]; goes on: the state body of the run before
// State body (f64): N × (x y z), not folded into the box, N × (v), then 16 numbers:
//   0 E₀ · 1 scale of the drift · 2 max|E − E₀| · 3 Σ|v| at the start · 4 … 6 P₀ · 7 max|P − P₀|/Σ|v| · 8 E · 9 K · 10 U
//   11 Σ r·f of pairs

import { allocate, parameterF64, parameters } from "../kernel/frame";
import { normal } from "../math/normal";
import { philox, Purpose, uniform } from "../math/philox";
import { foldTree, LEAF, leafCount, sumLeaf } from "../math/reduce";

export const CONSERVED: i32 = 16;
export const DATA: usize = 176;
/** Bytes of x y z of an atom. */
export const POINT: usize = 24;

let n: i32 = 0;
let xs: usize = 0, vs: usize = 0, kept: usize = 0, leaves: usize = 0;
let edgeX: f64 = 0, edgeY: f64 = 0, edgeZ: f64 = 0;
/** One number of each atom of a leaf of a sum (../math/reduce.ts). */
const each = memory.data(8 * LEAF, 16);

@inline export function count(): i32 { return n; }
@inline export function pointsBytes(): usize { return <usize>n * POINT; }
@inline export function positionsAt(): usize { return xs; }
@inline export function velocitiesAt(): usize { return vs; }
@inline export function keptAt(i: i32): f64 { return load<f64>(kept + (<usize>i << 3)); }
@inline export function keep(i: i32, value: f64): void { store<f64>(kept + (<usize>i << 3), value); }
@inline export function periodic(): bool { return parameterF64(8) == 1.0; }
@inline export function edge(axis: i32): f64 { return axis == 0 ? edgeX : axis == 1 ? edgeY : edgeZ; }
@inline export function lengthUnit(): f64 { return parameterF64(136); }
@inline export function speedUnit(): f64 { return sqrt(parameterF64(128) / parameterF64(144)); }
@inline export function stateBytes(atoms: i32): usize { return <usize>(6 * atoms + CONSERVED) << 3; }

/** Sizes, the edges in σ, and what is scratch; the state is at `body`. */
export function layAtoms(atoms: i32, body: usize): void {
  n = atoms;
  xs = body;
  vs = body + pointsBytes();
  kept = body + 2 * pointsBytes();
  leaves = allocate(<usize>leafCount(n) << 3);
  const lattice = latticeEdge();
  edgeX = lattice > 0.0 ? lattice : parameterF64(16) / lengthUnit();
  edgeY = lattice > 0.0 ? lattice : parameterF64(24) / lengthUnit();
  edgeZ = lattice > 0.0 ? lattice : parameterF64(32) / lengthUnit();
}

/** Of a start on a lattice: cells · (4/ρ)^(1/3). */
function latticeEdge(): f64 {
  const cells = parameterF64(88);
  return cells > 0.0 ? cells * Math.cbrt(4.0 / parameterF64(96)) / lengthUnit() : 0.0;
}

// ---- starts --------------------------------------------------------------------------------------------

export function placeGiven(): void {
  const from = parameters() + DATA, perLength = 1.0 / lengthUnit(), perSpeed = 1.0 / speedUnit(), bytes = pointsBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    store<f64>(xs + at, load<f64>(from + at) * perLength);
    store<f64>(vs + at, load<f64>(from + bytes + at) * perSpeed);
  }
}

/** Four atoms a cell, and Maxwell's velocities: without momentum, scaled to 3(N − 1)kT/2 exactly. */
export function placeLattice(): void {
  const cells = <i32>parameterF64(88), a = edgeX / <f64>cells;
  let i = 0;
  for (let z = 0; z < cells; z++) for (let y = 0; y < cells; y++) for (let x = 0; x < cells; x++) {
    for (let k = 0; k < 4; k++, i++) {
      const at = xs + <usize>i * POINT;
      store<f64>(at, a * (<f64>x + (k == 1 || k == 2 ? 0.5 : 0.0)));
      store<f64>(at, a * (<f64>y + (k == 1 || k == 3 ? 0.5 : 0.0)), 8);
      store<f64>(at, a * (<f64>z + (k >= 2 ? 0.5 : 0.0)), 16);
    }
  }
  drawVelocities();
}

const words = memory.data(16, 16);

function drawVelocities(): void {
  const low = <u32>parameterF64(112), high = <u32>parameterF64(120);
  for (let i = 0; i < n; i++) {
    const at = vs + <usize>i * POINT;
    philox(0, 0, i, Purpose.VELOCITIES, low, high, words);
    store<f64>(at, normal(uniform(load<u32>(words), load<u32>(words, 4))));
    store<f64>(at, normal(uniform(load<u32>(words, 8), load<u32>(words, 12))), 8);
    philox(1, 0, i, Purpose.VELOCITIES, low, high, words);
    store<f64>(at, normal(uniform(load<u32>(words), load<u32>(words, 4))), 16);
  }
  for (let axis = 0; axis < 3; axis++) {
    const at = vs + (<usize>axis << 3), mean = momentum(axis) / <f64>n;
    for (let i: usize = 0; i < pointsBytes(); i += POINT) store<f64>(at + i, load<f64>(at + i) - mean);
  }
  const wanted = 1.5 * <f64>(n - 1) * parameterF64(104) / parameterF64(128), factor = sqrt(wanted / kineticEnergy());
  for (let i: usize = 0; i < pointsBytes(); i += 8) store<f64>(vs + i, load<f64>(vs + i) * factor);
}

// ---- sums ----------------------------------------------------------------------------------------------

/** Σ of a number of each atom, `bytes` apart, by a tree. */
export function total(at: usize, bytes: usize): f64 {
  for (let first = 0; first < n; first += LEAF) {
    const many = min(LEAF, n - first);
    for (let i: usize = 0; i < <usize>many << 3; i += 8, at += bytes) store<f64>(each + i, load<f64>(at));
    keepLeaf(first, many);
  }
  return foldTree(leaves, leafCount(n));
}

@inline function keepLeaf(first: i32, many: i32): void { store<f64>(leaves + (<usize>(first >> 10) << 3), sumLeaf(each, many)); }
@inline function square(v: usize): f64 {
  const x = load<f64>(v), y = load<f64>(v, 8), z = load<f64>(v, 16);
  return x * x + y * y + z * z;
}

export function kineticEnergy(): f64 {
  for (let first = 0, v = vs; first < n; first += LEAF) {
    const many = min(LEAF, n - first);
    for (let i: usize = 0; i < <usize>many << 3; i += 8, v += POINT) store<f64>(each + i, 0.5 * square(v));
    keepLeaf(first, many);
  }
  return foldTree(leaves, leafCount(n));
}

export function sumOfSpeeds(): f64 {
  for (let first = 0, v = vs; first < n; first += LEAF) {
    const many = min(LEAF, n - first);
    for (let i: usize = 0; i < <usize>many << 3; i += 8, v += POINT) store<f64>(each + i, sqrt(square(v)));
    keepLeaf(first, many);
  }
  return foldTree(leaves, leafCount(n));
}

export function momentum(axis: i32): f64 { return total(vs + (<usize>axis << 3), POINT); }
