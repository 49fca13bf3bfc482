// The equations of a steady cavity on corner values ψ, and their linear equations. u = ∂ψ/∂y, v = −∂ψ/∂x have no sources,
// and the pressure is there exactly when the tendency F has no circulation around any inner corner:
//
//   R(ψ) = δ_y F_u − δ_x F_v − S = 0            (S: curl of the force of the manufactured lid, else 0)
//
// R is quadratic in ψ, so a central difference gives its Jacobian J without error.
//
// On the coarsest grid, J itself: corners five apart do not meet, so 25 pairs of evaluations make all columns (Curtis,
// Powell & Reid, IMA J. Appl. Math. 13 (1974) 117), whose band is factored. On a finer one Krylov's method, with this
// factored J for what the coarsest grid can carry, and δ⁻⁴/ν for the rest, where viscosity rules (the two grids of
// Brandt, Math. Comp. 31 (1977) 333, with a direct solution for a smoother).

import { allocate, parameterF64 } from "../kernel/frame";
import { bandRow, clearBand, factorBand, layBand, solveBand } from "./band";
import { layBiharmonic, solveBiharmonic } from "./biharmonic";
import { fieldBytes } from "./krylov";
import { manufacturedPsi } from "./known";
import { takeCurlOfForce } from "./manufactured";
import { layMomentum, tendenciesOfRow } from "./momentum";
import { Ly, coarsen, dx, dy, ghostsAbove, ghostsBelow, ghostsOfU, ghostsOfV, nx, ny, pitch, rowOf, uncoarsen } from "./problem";
import { injectCorners, prolongCorners, restrictCorners } from "./transfer";
import { pinned } from "../grid/stencil";

/** Corners of the finest grid, and how much wider the cells of the coarsest are. */
export let corners: i32 = 0, by: i32 = 1;
/** Of the finest grid: what is left of a residual. Of the coarsest: ψ, corners of a colour, what J makes of them. */
let rest: usize = 0, coarse: usize = 0, colour: usize = 0, columns: usize = 0;
let right: usize = 0;
/** Three rows of u, three of v, one of what drives v and two of what drives u. */
let rows: usize = 0;
/** Two rows of ψ and a share of another field. */
let mixed: usize = 0;
let speed: f64 = 0;
export let isManufactured: bool = false;

@inline function entry(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }
@inline function put(base: usize, k: i32, value: f64): void { store<f64>(base + (<usize>k << 3), value); }
@inline function corner(i: i32, j: i32): i32 { return j * (nx + 1) + i; }
/** Place of an inner corner among the unknowns: the shorter axis first, so that the band is narrow. */
@inline function unknown(i: i32, j: i32): i32 { return nx <= ny ? (j - 1) * (nx - 1) + i - 1 : (i - 1) * (ny - 1) + j - 1; }

/** Unknowns and half the width of the band on a grid. */
@inline export function unknowns(columns: i32, rows: i32): i32 { return (columns - 1) * (rows - 1); }
@inline export function halfBand(columns: i32, rows: i32): i32 { return 2 * min(columns, rows); }

/** `scratch`: a field that every linear solution overwrites; `room`: biharmonicRoom, which the start does. */
export function laySteady(scratch: usize, room: usize): void {
  by = <i32>parameterF64(184);
  speed = parameterF64(160);
  isManufactured = parameterF64(152) == 3.0;
  corners = (nx + 1) * (ny + 1);
  rest = scratch;
  const below = <usize>((nx / by + 1) * (ny / by + 1)) << 3;
  rows = allocate(10 * pitch);
  mixed = allocate(2 * rowBytes());
  layBand(unknowns(nx / by, ny / by), halfBand(nx / by, ny / by));
  right = allocate(<usize>unknowns(nx / by, ny / by) << 3);
  colour = allocate(below); columns = allocate(below);
  if (by == 1) return;
  coarse = allocate(below);
  layBiharmonic(nx, ny, dx, dy, room);
}

// ---- residual ----------------------------------------------------------------------------------------------------

/** A row of corners, and a number behind it. */
@inline function rowBytes(): usize { return <usize>((nx + 2) & ~1) << 3; }

/** Row j of ψ + share · z; of ψ alone where z is 0. */
function rowOfPsi(psi: usize, z: usize, share: f64, j: i32): usize {
  const row = <usize>corner(0, j) << 3, from = psi + row;
  if (z == 0) return from;
  const to = mixed + rowBytes() * <usize>(j & 1), m = pinned(share), end = <usize>(nx + 1) << 3;
  let k: usize = 0;
  for (; k + 16 <= end; k += 16) v128.store(to + k, f64x2.add(v128.load(from + k), f64x2.mul(m, v128.load(z + row + k))));
  if (k < end) store<f64>(to + k, load<f64>(from + k) + share * load<f64>(z + row + k));
  return to;
}

/** A row of v between the corners of one of ψ, and of u between those of two, with what stands behind its ends. */
function rowOfV(v: usize, psi: usize, j: i32): void {
  const x = pinned(-1.0 / dx), end = <usize>nx << 3;
  for (let k: usize = 0; k < end; k += 16) v128.store(v + k, f64x2.mul(x, f64x2.sub(v128.load(psi + k, 8), v128.load(psi + k))));
  ghostsOfV(v, j);
}
function rowOfU(u: usize, low: usize, high: usize): void {
  const y = pinned(1.0 / dy), end = <usize>(nx + 1) << 3;
  for (let k: usize = 0; k < end; k += 16) v128.store(u + k, f64x2.mul(y, f64x2.sub(v128.load(high + k), v128.load(low + k))));
  ghostsOfU(u);
}

/** ψ → u, v with their ghosts. */
export function velocities(psi: usize, u: usize, v: usize): void {
  const line = <usize>(nx + 1) << 3;
  for (let j = 0; j <= ny; j++, psi += line) {
    rowOfV(rowOf(v, j), psi, j);
    if (j < ny) rowOfU(rowOf(u, j), psi, psi + line);
  }
  ghostsBelow(rowOf(u, 0), rowOf(v, 0));
  ghostsAbove(rowOf(u, ny), rowOf(v, ny + 1));
}

/** A row of δ_y F_u − δ_x F_v on the inner corners. With `rate` times what that is more than what stood there. */
function turnsOfRow(to: usize, above: usize, below: usize, along: usize, rate: f64): void {
  const x = pinned(1.0 / dx), y = pinned(1.0 / dy), r = pinned(rate), end = <usize>nx << 3;
  let k: usize = 8;
  for (; k + 16 <= end; k += 16) {
    const up = f64x2.mul(y, f64x2.sub(v128.load(above + k), v128.load(below + k)));
    const turns = f64x2.sub(up, f64x2.mul(x, f64x2.sub(v128.load(along + k), v128.load(along + k - 8))));
    v128.store(to + k, rate == 0.0 ? turns : f64x2.mul(r, f64x2.sub(turns, v128.load(to + k))));
  }
  if (k < end) {
    const turns = (load<f64>(above + k) - load<f64>(below + k)) * (1.0 / dy) - (load<f64>(along + k) - load<f64>(along + k - 8)) * (1.0 / dx);
    store<f64>(to + k, rate == 0.0 ? turns : rate * (turns - load<f64>(to + k)));
  }
}

/** The circulation of F of ψ + share · z around the inner corners, of two rows of u and of v at a time and one beyond them. */
function circulation(psi: usize, z: usize, share: f64, to: usize, viscosity: f64, rate: f64): void {
  layMomentum(viscosity, 0.0, 1.0);
  const u = rowOf(rows, 0), v = u + 3 * pitch, along = v + 3 * pitch;
  let above = along + pitch, below = above + pitch, low = rowOfPsi(psi, z, share, 0), high = rowOfPsi(psi, z, share, 1);
  rowOfU(u, low, high);
  rowOfV(v, low, 0);
  rowOfV(v + pitch, high, 1);
  ghostsBelow(u, v);
  for (let j = 0; j < ny; j++) {
    low = high;
    if (j + 2 <= ny) { high = rowOfPsi(psi, z, share, j + 2); rowOfU(u + pitch, low, high); }
    else ghostsAbove(u + pitch, v + 2 * pitch);
    tendenciesOfRow(j, u, v, above, along);
    if (j > 0) turnsOfRow(to + (<usize>corner(0, j) << 3), above, below, along, rate);
    const next = below;
    below = above; above = next;
    memory.copy(u - 16, u + pitch - 16, pitch);
    memory.copy(v - 16, v + pitch - 16, pitch);
    if (j + 2 <= ny) rowOfV(v + pitch, high, j + 2);
  }
}

export function residualOf(from: usize, to: usize, viscosity: f64): void {
  circulation(from, 0, 0.0, to, viscosity, 0.0);
  if (isManufactured) takeCurlOfForce(to, speed, viscosity);
}

/** A share of ψ of the flow whose force isManufactured. */
export function standKnown(to: usize, share: f64): void {
  for (let j = 1; j < ny; j++) for (let i = 1; i < nx; i++) put(to, corner(i, j), share * manufacturedPsi(<f64>i / <f64>nx, <f64>j / <f64>ny, speed, Ly));
}

export function norm(list: usize): f64 {
  let sum = 0.0;
  for (let k = 0; k < corners; k++) sum += entry(list, k) * entry(list, k);
  return sqrt(sum / <f64>unknowns(nx, ny));
}

export function worst(list: usize): f64 {
  let most = 0.0;
  for (let k = 0; k < (nx + 1) * (ny + 1); k++) if (!(abs(entry(list, k)) <= most)) most = abs(entry(list, k));
  return most;
}

// ---- the coarsest grid's Jacobian ----------------------------------------------------------------------------------

/** Columns of one colour: corners (a, b) modulo five. */
function makeColumns(base: usize, a: i32, b: i32, viscosity: f64): void {
  memory.fill(colour, 0, <usize>((nx + 1) * (ny + 1)) << 3);
  for (let j = b; j < ny; j += 5) for (let i = a; i < nx; i += 5) if (i > 0 && j > 0) put(colour, corner(i, j), 1.0);
  applyJacobian(base, colour, columns, viscosity);
  for (let j = b; j < ny; j += 5) for (let i = a; i < nx; i += 5) if (i > 0 && j > 0) keepColumn(i, j);
}

function keepColumn(i: i32, j: i32): void {
  const column = unknown(i, j), half = halfBand(nx, ny);
  for (let q = max(1, j - 2); q <= min(ny - 1, j + 2); q++) {
    for (let p = max(1, i - 2); p <= min(nx - 1, i + 2); p++) {
      const k = corner(p, q), row = unknown(p, q);
      store<f32>(bandRow(row) + (<usize>(column - row + half) << 2), <f32>entry(columns, k));
    }
  }
}

/** Factors of J at ψ on the coarsest grid. */
export function makeFactors(psi: usize, viscosity: f64): void {
  let base = psi;
  if (by > 1) { injectCorners(psi, coarse, nx, ny, by); base = coarse; }
  coarsen(by);
  clearBand();
  for (let b = 0; b < 5; b++) for (let a = 0; a < 5; a++) makeColumns(base, a, b, viscosity);
  factorBand();
  uncoarsen(by);
}

/** J⁻¹ r on the coarsest grid, in the corners of both. */
function solveCoarse(r: usize, to: usize): void {
  const m = nx / by, n = ny / by;
  coarsen(by);
  for (let j = 1; j < n; j++) for (let i = 1; i < m; i++) put(right, unknown(i, j), entry(r, corner(i, j)));
  solveBand(right);
  for (let j = 1; j < n; j++) for (let i = 1; i < m; i++) put(to, corner(i, j), entry(right, unknown(i, j)));
  uncoarsen(by);
}

// ---- linear equations ----------------------------------------------------------------------------------------------

/** J z at ψ on the inner corners. */
export function applyJacobian(psi: usize, z: usize, to: usize, viscosity: f64): void {
  const most = worst(z), move = most > 0.0 ? 0.1 * speed * Ly / most : 1.0;
  circulation(psi, z, -move, to, viscosity, 0.0);
  circulation(psi, z, move, to, viscosity, 0.5 / move);
}

/** z ≈ J⁻¹ r: exactly on the coarsest grid alone, else both grids in turn. */
export function precondition(psi: usize, r: usize, z: usize, viscosity: f64): void {
  if (by == 1) { solveCoarse(r, z); return; }
  // Coarser fields stand in turn in either part of what is left, which is not known yet.
  const one = rest, two = rest + fieldBytes((nx / 2 + 1) * (ny / 2 + 1));
  let from = r, to = one;
  for (let f = 1; f < by; f *= 2) {
    restrictCorners(from, to, nx / f, ny / f);
    from = to;
    to = from == one ? two : one;
  }
  solveCoarse(from, from);
  for (let f = by / 2; f >= 1; f /= 2) {
    if (f == 1) to = z;
    prolongCorners(from, to, nx / f, ny / f);
    from = to;
    to = from == one ? two : one;
  }
  applyJacobian(psi, z, rest, viscosity);
  for (let k = 0; k < corners; k++) put(rest, k, entry(r, k) - entry(rest, k));
  solveBiharmonic(rest);
  for (let k = 0; k < corners; k++) put(z, k, entry(z, k) + entry(rest, k) / viscosity);
}
