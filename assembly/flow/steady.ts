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
import { krylovBytes } from "./krylov";
import { curlOfForce } from "./manufactured";
import { layMomentum, tendencies } from "./momentum";
import { Ly, coarsen, dx, dy, fillGhosts, nx, ny, paddedBytes, rowOf, uncoarsen } from "./problem";
import { layProjection, projectionBytes } from "./projection";
import { injectCorners, prolongCorners, restrictCorners } from "./transfer";
import { pinned } from "../grid/stencil";

export let u: usize = 0, v: usize = 0, qu: usize = 0, qv: usize = 0;
/** Corners of the finest grid, and how much wider the cells of the coarsest are. */
export let corners: i32 = 0, by: i32 = 1;
/** Fields that any evaluation may overwrite. */
let trial: usize = 0, below: usize = 0, above: usize = 0, source: usize = 0, coarse: usize = 0, rest: usize = 0;
let one: usize = 0, two: usize = 0, right: usize = 0;
let speed: f64 = 0;

@inline function entry(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }
@inline function put(base: usize, k: i32, value: f64): void { store<f64>(base + (<usize>k << 3), value); }
@inline function corner(i: i32, j: i32): i32 { return j * (nx + 1) + i; }
/** Place of an inner corner among the unknowns: the shorter axis first, so that the band is narrow. */
@inline function unknown(i: i32, j: i32): i32 { return nx <= ny ? (j - 1) * (nx - 1) + i - 1 : (i - 1) * (ny - 1) + j - 1; }

/** Unknowns and half the width of the band on a grid. */
@inline export function unknowns(columns: i32, rows: i32): i32 { return (columns - 1) * (rows - 1); }
@inline export function halfBand(columns: i32, rows: i32): i32 { return 2 * min(columns, rows); }

export function laySteady(): void {
  by = <i32>parameterF64(184);
  speed = parameterF64(160);
  corners = (nx + 1) * (ny + 1);
  const bytes = krylovBytes(corners), field = paddedBytes();
  u = allocate(field); v = allocate(field);
  const phi = allocate(projectionBytes());
  qu = allocate(field); qv = allocate(field);
  layProjection(phi);
  trial = allocate(bytes); below = allocate(bytes); above = allocate(bytes); source = allocate(bytes);
  layBand(unknowns(nx / by, ny / by), halfBand(nx / by, ny / by));
  right = allocate(<usize>unknowns(nx / by, ny / by) << 3);
  if (parameterF64(152) == 3.0) curlOfForce(source, speed, parameterF64(32));
  if (by == 1) return;
  rest = allocate(bytes);
  coarse = allocate(<usize>((nx / by + 1) * (ny / by + 1)) << 3);
  one = allocate(krylovBytes((nx / 2 + 1) * (ny / 2 + 1)));
  two = allocate(krylovBytes((nx / 2 + 1) * (ny / 2 + 1)));
  layBiharmonic(nx, ny, dx, dy);
}

// ---- residual ----------------------------------------------------------------------------------------------------

/** ψ → u, v with their ghosts. */
export function velocities(from: usize): void {
  const row = <usize>(nx + 1) << 3, y = pinned(1.0 / dy), x = pinned(-1.0 / dx);
  for (let j = 0; j < ny; j++) {
    const to = rowOf(u, j), low = from + <usize>j * row;
    for (let k: usize = 0; k < row; k += 16) v128.store(to + k, f64x2.mul(y, f64x2.sub(v128.load(low + row + k), v128.load(low + k))));
  }
  for (let j = 0; j <= ny; j++) {
    const to = rowOf(v, j), here = from + <usize>j * row;
    for (let k: usize = 0; k < row - 8; k += 16) v128.store(to + k, f64x2.mul(x, f64x2.sub(v128.load(here + k, 8), v128.load(here + k))));
  }
  fillGhosts(u, v);
}

/** δ_y F_u − δ_x F_v of the inner corners. */
function circulation(from: usize, to: usize, viscosity: f64): void {
  velocities(from);
  layMomentum(viscosity, 0.0, 1.0);
  tendencies(u, v, qu, qv);
  const x = pinned(1.0 / dx), y = pinned(1.0 / dy), end = <usize>nx << 3;
  for (let j = 1; j < ny; j++) {
    const a = rowOf(qu, j), b = rowOf(qu, j - 1), c = rowOf(qv, j), out = to + (<usize>corner(0, j) << 3);
    let k: usize = 8;
    for (; k + 16 <= end; k += 16) {
      const along = f64x2.mul(y, f64x2.sub(v128.load(a + k), v128.load(b + k)));
      v128.store(out + k, f64x2.sub(along, f64x2.mul(x, f64x2.sub(v128.load(c + k), v128.load(c + k - 8)))));
    }
    if (k < end) store<f64>(out + k, (load<f64>(a + k) - load<f64>(b + k)) * (1.0 / dy) - (load<f64>(c + k) - load<f64>(c + k - 8)) * (1.0 / dx));
  }
}

export function residualOf(from: usize, to: usize, viscosity: f64): void {
  circulation(from, to, viscosity);
  for (let k = 0; k < corners; k++) put(to, k, entry(to, k) - entry(source, k));
}

export function norm(list: usize): f64 {
  let sum = 0.0;
  for (let k = 0; k < corners; k++) sum += entry(list, k) * entry(list, k);
  return sqrt(sum / <f64>unknowns(nx, ny));
}

export function worst(list: usize): f64 {
  let most = 0.0;
  for (let k = 0; k < corners; k++) if (!(abs(entry(list, k)) <= most)) most = abs(entry(list, k));
  return most;
}

// ---- the coarsest grid's Jacobian ----------------------------------------------------------------------------------

/** Columns of one colour: corners (a, b) modulo five. */
function makeColumns(base: usize, a: i32, b: i32, move: f64, viscosity: f64): void {
  for (let side = -1; side <= 1; side += 2) {
    memory.copy(trial, base, <usize>((nx + 1) * (ny + 1)) << 3);
    for (let j = b; j < ny; j += 5) for (let i = a; i < nx; i += 5) if (i > 0 && j > 0) put(trial, corner(i, j), entry(base, corner(i, j)) + <f64>side * move);
    circulation(trial, side < 0 ? below : above, viscosity);
  }
  for (let j = b; j < ny; j += 5) for (let i = a; i < nx; i += 5) if (i > 0 && j > 0) keepColumn(i, j, 0.5 / move);
}

function keepColumn(i: i32, j: i32, rate: f64): void {
  const column = unknown(i, j), half = halfBand(nx, ny);
  for (let q = max(1, j - 2); q <= min(ny - 1, j + 2); q++) {
    for (let p = max(1, i - 2); p <= min(nx - 1, i + 2); p++) {
      const k = corner(p, q), row = unknown(p, q);
      store<f64>(bandRow(row) + (<usize>(column - row + half) << 3), rate * (entry(above, k) - entry(below, k)));
    }
  }
}

/** Factors of J at ψ on the coarsest grid. */
export function makeFactors(psi: usize, viscosity: f64): void {
  let base = psi;
  if (by > 1) { injectCorners(psi, coarse, nx, ny, by); base = coarse; }
  coarsen(by);
  clearBand();
  for (let b = 0; b < 5; b++) for (let a = 0; a < 5; a++) makeColumns(base, a, b, 0.1 * speed * Ly, viscosity);
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

/** J z at ψ. */
export function applyJacobian(psi: usize, z: usize, to: usize, viscosity: f64): void {
  const most = worst(z), move = most > 0.0 ? 0.1 * speed * Ly / most : 1.0, bytes = <usize>krylovBytes(corners);
  const m = pinned(move), rate = pinned(0.5 / move);
  for (let k: usize = 0; k < bytes; k += 16) v128.store(trial + k, f64x2.sub(v128.load(psi + k), f64x2.mul(m, v128.load(z + k))));
  circulation(trial, below, viscosity);
  for (let k: usize = 0; k < bytes; k += 16) v128.store(trial + k, f64x2.add(v128.load(psi + k), f64x2.mul(m, v128.load(z + k))));
  circulation(trial, above, viscosity);
  for (let j = 1; j < ny; j++) {
    const row = <usize>corner(1, j) << 3, end = row + (<usize>(nx - 1) << 3);
    let k = row;
    for (; k + 16 <= end; k += 16) v128.store(to + k, f64x2.mul(rate, f64x2.sub(v128.load(above + k), v128.load(below + k))));
    if (k < end) store<f64>(to + k, 0.5 / move * (load<f64>(above + k) - load<f64>(below + k)));
  }
}

/** z ≈ J⁻¹ r: exactly on the coarsest grid alone, else both grids in turn. */
export function precondition(psi: usize, r: usize, z: usize, viscosity: f64): void {
  if (by == 1) { solveCoarse(r, z); return; }
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
  solveBiharmonic(rest, rest);
  for (let k = 0; k < corners; k++) put(z, k, entry(z, k) + entry(rest, k) / viscosity);
}
