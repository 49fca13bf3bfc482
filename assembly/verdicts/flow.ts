// Verdict of `flow`: closed forms, three grids, a flow that is known in full on the same numerics, sources, and forces
// against the rate of momentum. It shares nothing with the kernels' steps; layouts: assembly/flow/answer.ts.
//
// Parameters (f64): 0 case: 0 cavity, 1 Taylor–Green, 2 custom · 8 nx · 16 ny · 24 Lx · 32 Ly · 40 ν · 48 dt · 56 t since the start
//   64 t₀ · 72 ρ or 0 · 80 quantity (below) · 88, 96 probe · 104 … 128 kinds of left, right, bottom, top · 136 U · 144 lid
//   152 closed form: 1 Taylor–Green, 2 the number at 160 · 160 · 168 twin: 0 none, 1 drifting vortices, 2 manufactured
//   176 its cells along x, 184 y · 192 its Lx · 200 Ly · 208 U · 216 drift · 224 its t · 232 rows · 240, 248 g
//   256 velocities of the sides (assembly/flow/problem.ts) · results at h, 2h, 4h · the twin's result · rows of h
// Extras (f64): 0, 1, 2 the value at h, 2h, 4h · 3 observed order · 4 extrapolated · 5 its closed form · 6 t · 7 worst |∇·u|
//   8 Courant number · 9, 10 kinetic energy per mass and depth, start and end · 11, 12 largest |u|, |v| · 13 residual
//   14 |∇·u| of the start · 15, 16 rate of momentum along x and the forces · 17, 18 along y · 19 steps
//   20 y, u at x = Lx/2 (ny each) · x, v at y = Ly/2 (nx each) · t, kinetic energy of each of the rows · diagnostics (40)
//
// Gates: 0 value · 1 field · 2 three grids · 3 twin · 4 divergence · 5, 6 momentum along x, y

import { allocate, countStep, openState, parameterF64, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms } from "../diagnostics/diagnostics";
import { forcesAlongX, forcesAlongY, forgetTerms, largestTerm, term } from "../flow/forces";
import { manufacturedPsi, vorticesU, vorticesV } from "../flow/known";
import { extreme, laySheet, leastOfSheet, sampled } from "../flow/sheet";
import { Quantity, layResults, loadSheet, nx, ny, Lx, Ly, dx, dy, head, omegaAt, pAt, results, uAt, vAt, rowsData } from "../flow/read";
import { besideAt, judgeBeside, judgeLevels, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 20;

let nu: f64 = 0, quantity: i32 = 0, rows: i32 = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  layResults();
  nu = parameterF64(40); quantity = <i32>parameterF64(80); rows = <i32>parameterF64(232);
  laySheet(nx + 7, ny + 7);
  scratch = allocate((6 * <usize>ny + <usize>diagnosticsScratch(ny)) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(4000000 + 200 * <u64>(nx + 1) * <u64>(ny + 1));
  countStep();
  return 1;
}

// ---- the value on a grid -----------------------------------------------------------------------------------

/** x, y: where, of a quantity that is taken at a point. */
function valueAt(level: i32, x: f64, y: f64): f64 {
  if (quantity == Quantity.KINETIC) return head(level, 3) / head(level, 2);
  loadSheet(quantity, level);
  if (quantity <= Quantity.OMEGA) return (quantity == Quantity.P ? parameterF64(72) : 1.0) * sampled(x, y);
  if (quantity == Quantity.PSI_MIN) return leastOfSheet();
  if (quantity <= Quantity.U_MAX) return extreme(false, 0.5 * Lx, Ly, quantity == Quantity.U_MIN ? 1.0 : -1.0);
  return extreme(true, 0.5 * Ly, Lx, quantity == Quantity.V_MIN ? 1.0 : -1.0);
}

function atProbe(level: i32): f64 { return valueAt(level, parameterF64(88), parameterF64(96)); }

function judgeSides(scale: f64): void {
  for (let k = 0; k < 4; k++) {
    const x = besideAt(k, parameterF64(88), dx, Lx), y = besideAt(k - 2, parameterF64(96), dy, Ly);
    judgeBeside(valueAt(0, x, y), valueAt(1, x, y), valueAt(2, x, y), 2.0, scale);
  }
}

/** Speed that the force would give over the box: what a fluid at rest is measured by. */
function speedOfForce(): f64 {
  return sqrt(max(abs(parameterF64(240)), abs(parameterF64(248))) * max(Lx, Ly));
}

/** What rounding may leave of a field that is nothing everywhere, by what the flow could have. */
function leastOfField(): f64 {
  const speed = max(head(0, 13), head(0, 14)), L = min(Lx, Ly);
  if (quantity == Quantity.OMEGA) return 1e-6 * speed / L;
  if (quantity != Quantity.P) return 1e-9 * speedOfForce();
  return 1e-6 * parameterF64(72) * (speed * speed + nu * speed / L + speedOfForce() * speedOfForce());
}

/** What the value is measured by where it is small: the largest of its field. */
function sizeOfField(): f64 {
  let most = leastOfField();
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      let size = 0.0;
      if (quantity == Quantity.P) size = abs(parameterF64(72) * pAt(0, i, j));
      else if (quantity == Quantity.OMEGA) size = abs(omegaAt(0, i, j));
      else if (quantity == Quantity.PSI || quantity == Quantity.PSI_MIN) size = max(abs(uAt(0, i, j)), abs(vAt(0, i, j))) * min(Lx, Ly);
      else if (quantity == Quantity.KINETIC) size = 1.0;
      else size = max(abs(uAt(0, i, j)), abs(vAt(0, i, j)));
      most = max(most, size);
    }
  }
  return most;
}

// ---- closed forms ------------------------------------------------------------------------------------------

/** Taylor–Green: u, v, p/ρ, ψ, ω at a point (G. I. Taylor, Phil. Mag. 46 (1923) 671, for two wave numbers). */
function knownAt(x: f64, y: f64): f64 {
  const U = parameterF64(136), t = parameterF64(56), k = 2.0 * Math.PI / Lx, l = 2.0 * Math.PI / Ly, decay = Math.exp(-nu * (k * k + l * l) * t);
  const u = U * decay * Math.cos(k * x) * Math.sin(l * y), v = -U * decay * k / l * Math.sin(k * x) * Math.cos(l * y);
  const psi = -U * decay / l * Math.cos(k * x) * Math.cos(l * y), square = k * k + l * l;
  if (quantity == Quantity.U) return u;
  if (quantity == Quantity.V) return v;
  if (quantity == Quantity.PSI) return psi;
  if (quantity == Quantity.OMEGA) return square * psi;
  const mean = 0.25 * U * U * decay * decay * square / (l * l);
  return parameterF64(72) * (mean - 0.5 * (u * u + v * v) - 0.5 * square * psi * psi);
}

function knownValue(): f64 {
  if (parameterF64(152) == 2.0) return parameterF64(160);
  if (quantity <= Quantity.OMEGA) return knownAt(parameterF64(88), parameterF64(96));
  const U = parameterF64(136), k = 2.0 * Math.PI / Lx, l = 2.0 * Math.PI / Ly, decay = Math.exp(-nu * (k * k + l * l) * parameterF64(56));
  if (quantity == Quantity.KINETIC) return decay * decay;
  if (quantity == Quantity.PSI_MIN) return -abs(U) * decay / l;
  const size = abs(U) * decay * (quantity <= Quantity.U_MAX ? 1.0 : k / l);
  return quantity == Quantity.U_MIN || quantity == Quantity.V_MIN ? -size : size;
}

/** Largest error of a face, over the largest velocity. */
function fieldError(level: i32, known: bool, columns: i32, lines: i32, lengthX: f64, lengthY: f64, U: f64, drift: f64, t: f64): f64 {
  let worst = 0.0, size = 0.0;
  for (let j = 0; j < lines; j++) {
    for (let i = 0; i < columns; i++) {
      const u = vorticesU(i, j, columns, lines, lengthX, lengthY, U, drift, nu, t, known), v = vorticesV(i, j, columns, lines, lengthX, lengthY, U, drift, nu, t, known);
      const apart = max(abs(uAt(level, i, j) - u), abs(vAt(level, i, j) - v));
      size = max(size, max(abs(u - drift), abs(v)));
      if (!(apart <= worst)) worst = apart;
    }
  }
  return worst / size;
}

/** Largest error of ψ of the manufactured flow, over its largest. */
function manufacturedError(): f64 {
  const columns = <i32>parameterF64(176), lines = <i32>parameterF64(184);
  let worst = 0.0, size = 0.0;
  for (let j = 1; j < lines; j++) {
    let psi = 0.0;
    for (let i = 0; i < columns; i++) {
      // ψ from the velocities themselves: down the row of corners from the left wall, where it is nothing.
      if (i > 0) psi -= vAt(3, i - 1, j) * (Lx / <f64>columns);
      const exact = manufacturedPsi(<f64>i / <f64>columns, <f64>j / <f64>lines, parameterF64(208), Ly);
      size = max(size, abs(exact));
      if (!(abs(psi - exact) <= worst)) worst = abs(psi - exact);
    }
  }
  return worst / size;
}

function twinError(): f64 {
  if (parameterF64(168) == 2.0) return manufacturedError();
  return fieldError(3, false, <i32>parameterF64(176), <i32>parameterF64(184), parameterF64(192), parameterF64(200), parameterF64(208), parameterF64(216), parameterF64(224));
}

// ---- momentum ----------------------------------------------------------------------------------------------

/** Rate of momentum at the end by three levels, of order 2; a steady flow has none. */
@inline function rateOf(first: i32): f64 {
  if (parameterF64(0) == 0.0) return 0.0;
  return (3.0 * head(0, first + 4) - 4.0 * head(0, first + 2) + head(0, first)) / (2.0 * parameterF64(48));
}

function judgeMomentum(): void {
  forgetTerms();
  // What any part of the fluid carries, so that forces that cancel everywhere are not measured by their rounding.
  const floor = 1e-6 * max(head(0, 13) * head(0, 13), head(0, 14) * head(0, 14)) * max(Lx, Ly);
  const forceX = forcesAlongX(nu), forceY = forcesAlongY(nu), rateX = term(rateOf(6)), rateY = term(rateOf(7));
  const size = max(largestTerm, floor);
  const isStill = size == 0.0;
  gate(5, Kind.INVARIANT, rateX, forceX, isStill ? 0.0 : abs(rateX - forceX) / size);
  gate(6, Kind.INVARIANT, rateY, forceY, isStill ? 0.0 : abs(rateY - forceY) / size);
  put(15, rateX); put(16, forceX); put(17, rateY); put(18, forceY);
}

// ---- gates -------------------------------------------------------------------------------------------------

function judge(): void {
  const isKnown = parameterF64(152) != 0.0, isVortex = parameterF64(152) == 1.0, hasTwin = parameterF64(168) != 0.0;
  openVerdict(4 + (isKnown ? 1 : 0) + (isVortex ? 1 : 0) + (hasTwin ? 1 : 0), SCALARS + 2 * nx + 2 * ny + 2 * rows + DIAGNOSTICS);
  const v1 = atProbe(0), v2 = atProbe(1), v4 = atProbe(2), field = sizeOfField(), scale = max(abs(v1), 1e-3 * field);
  judgeLevels(v1, v2, v4, 2.0, scale);
  if (quantity <= Quantity.OMEGA) judgeSides(scale);
  const value = levelValue, error = levelError, order = levelOrder, extrapolated = levelExtrapolated;
  if (isKnown) {
    const exact = knownValue();
    gate(0, Kind.EXACT, value, exact, abs(value - exact) / max(max(abs(exact), 1e-3 * field), 1e-300));
    put(5, exact);
  }
  if (isVortex) {
    const worst = fieldError(0, true, nx, ny, Lx, Ly, parameterF64(136), 0.0, parameterF64(56));
    gate(1, Kind.EXACT, worst, 0.0, worst);
  }
  gate(2, Kind.ESTIMATE, v1, value, error);
  if (hasTwin) { const apart = twinError(); gate(3, Kind.TWIN, apart, 0.0, apart); }
  const speed = max(max(head(0, 13), head(0, 14)), max(speedOfForce(), 1e-300)), sources = head(0, 4) * min(dx, dy) / speed;
  gate(4, Kind.INVARIANT, sources, 0.0, sources, 1e-12);
  judgeMomentum();
  put(0, v1); put(1, v2); put(2, v4); put(3, order); put(4, extrapolated);
  writeRest();
  closeVerdict(value);
}

// ---- what is shown -----------------------------------------------------------------------------------------

@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }

function writeRest(): void {
  put(6, parameterF64(64) + parameterF64(56)); put(7, head(0, 4)); put(8, head(0, 5)); put(9, head(0, 2)); put(10, head(0, 3));
  put(11, head(0, 13)); put(12, head(0, 14)); put(13, head(0, 15)); put(14, head(0, 12)); put(19, head(0, 0));
  let k = SCALARS;
  for (let j = 0; j < ny; j++) put(k++, (<f64>j + 0.5) * dy);
  const profile = extras() + (<usize>k << 3);
  for (let j = 0; j < ny; j++) put(k++, uAt(0, nx >> 1, j));
  for (let i = 0; i < nx; i++) put(k++, (<f64>i + 0.5) * dx);
  for (let i = 0; i < nx; i++) put(k++, vAt(0, i, ny >> 1));
  for (let row = 0; row < rows; row++) put(k++, parameterF64(64) + load<f64>(rowsData() + 32 * <usize>row));
  for (let row = 0; row < rows; row++) put(k++, load<f64>(rowsData() + 32 * <usize>row, 8));
  writeDiagnostics(extras() + (<usize>k << 3), profile);
}

/** ∂u/∂t + u·∇u − ν∇²u + ∂p/∂x − g along x = Lx/2 at the end. */
function writeDiagnostics(block: usize, profile: usize): void {
  const line = <usize>ny << 3, rate = scratch, carried = rate + line, spread = carried + line, push = spread + line, rest = push + line;
  const isSteady = parameterF64(0) == 0.0, i = nx >> 1, kept = results(0) + 128;
  for (let j = 1; j < ny - 1; j++) {
    const k = <usize>j << 3, u = uAt(0, i, j);
    const v = 0.25 * (vAt(0, i - 1, j) + vAt(0, i, j) + vAt(0, i - 1, j + 1) + vAt(0, i, j + 1));
    const east = uAt(0, i + 1, j), west = uAt(0, i - 1, j), north = uAt(0, i, j + 1), south = uAt(0, i, j - 1);
    if (!isSteady) store<f64>(rate + k, (3.0 * u - 4.0 * load<f64>(kept + line + k) + load<f64>(kept + k)) / (2.0 * parameterF64(48)));
    store<f64>(carried + k, u * (east - west) / (2.0 * dx) + v * (north - south) / (2.0 * dy));
    store<f64>(spread + k, -nu * ((east - 2.0 * u + west) / (dx * dx) + (north - 2.0 * u + south) / (dy * dy)));
    store<f64>(push + k, (pAt(0, i, j) - pAt(0, i - 1, j)) / dx - parameterF64(240));
  }
  writeTerms(block, 1, profile, ny, 0, isSteady ? 0 : rate, carried, spread, 0, push, rest);
  const shown = extras();
  writeBalance(block, load<f64>(shown, 120), load<f64>(shown, 128), abs(load<f64>(shown, 120) - load<f64>(shown, 128)));
  writeReflection(block, profile, ny, rest + line);
  writeBand(block, profile, ny, rest + line);
}
