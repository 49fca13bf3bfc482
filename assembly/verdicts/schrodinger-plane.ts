// Verdict of `schrodinger` in the plane: the level of the sine DVR beside closed forms and between the counts of another
// discretisation; the state by the energy that it has.
//
// Parameters (f64): those of assembly/quantum/problem.ts; then 0 joules of the unit of energies · levels 0 … n + 1 [J] ·
//   ψ at inner nodes (assembly/kernels/schrodinger-plane.ts) · result of assembly/kernels/schrodinger-count.ts (40 bytes)
// Extras (f64): 0 E [J] · 8, 16 ⟨T⟩, ⟨V⟩ in the unit · 24 levels 0 … n + 1 in the unit · Nx − 1 x [m] · Ny − 1 y [m] ·
//   ψ [1/m] · diagnostics of the row in the middle (40)
//
// Gates: 0 closed form · 5 counts · 4 energy of the state · 15 between the nodes. Refusals as in assembly/verdicts/schrodinger.ts.

import { allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { ALLOWED, addAxis, clearAxes, hiddenShare, openResolution, resolutionWork } from "../expression/resolved";
import { exactInPlane } from "../quantum/exact";
import { bottom, count, HEAD, height, kind, left, plainFormulaAt, Potential, potentialAt, problemEnd, readProblem, unitEnergy, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ONCE: u64 = 1500000;
const UNITS: u64 = 300;

let own: usize = 0, psi: usize = 0, scratch: usize = 0;
let nx: i32 = 0, ny: i32 = 0, level: i32 = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readProblem();
  nx = <i32>parameterF64(152) - 1;
  ny = <i32>parameterF64(160) - 1;
  level = <i32>parameterF64(144);
  own = problemEnd();
  psi = parameters() + own + 8 + (<usize>(level + 2) << 3);
  scratch = allocate(<usize>diagnosticsScratch(nx) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(<u64>(nx * ny) * UNITS + ONCE + (kind == Potential.FORMULA ? resolutionWork(0, 2) : 0));
  countStep();
  return 1;
}

@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function levelOf(m: i32): f64 { return parameterF64(own + 8 + (<usize>m << 3)); }
/** ψ at inner node (i, j), 0 at the edge, odd beyond. */
function stateAt(i: i32, j: i32): f64 {
  let sign = 1.0;
  if (i < 0) { i = -2 - i; sign = -sign; } else if (i > nx) { i = 2 * nx - i; sign = -sign; }
  if (j < 0) { j = -2 - j; sign = -sign; } else if (j > ny) { j = 2 * ny - j; sign = -sign; }
  return i < 0 || i == nx || j < 0 || j == ny ? 0.0 : sign * load<f64>(psi + (<usize>(j * nx + i) << 3));
}
@inline function counted(i: i32): f64 { return load<f64>(psi + (<usize>(nx * ny + i) << 3)); }
@inline function placeX(i: i32): f64 { return left + width * (<f64>(i + 1) / <f64>(nx + 1)); }
@inline function placeY(j: i32): f64 { return bottom + height * (<f64>(j + 1) / <f64>(ny + 1)); }

/** V in joules; a polynomial once more, by powers, and a formula by the other evaluator. */
function potentialOf(x: f64, y: f64): f64 {
  if (kind == Potential.FORMULA) return plainFormulaAt(x, y);
  if (kind != Potential.POLYNOMIAL) return potentialAt(x, y, 0.0);
  let sum = 0.0;
  for (let i = 0; i < count; i++) {
    const at = HEAD + <usize>i * 24;
    sum += parameterF64(at) * Math.pow(x, parameterF64(at + 8)) * Math.pow(y, parameterF64(at + 16));
  }
  return sum;
}

// ---- gates ---------------------------------------------------------------------------------------------

function refuse(code: i32, reason: f64, measured: f64, bound: f64): void {
  show(0, reason); show(1, measured); show(2, bound);
  fail(code);
}

/** Whether the level is bound, with room for it and a grid for its waves. */
function admissible(E: f64): bool {
  if (kind == Potential.INFINITE_WELL) return true;
  let brink = Infinity, floor = Infinity, most = 0.0, outer = 0.0;
  const marginX = max(1, nx / 100), marginY = max(1, ny / 100);
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const V = potentialOf(placeX(i), placeY(j)), size = abs(stateAt(i, j));
      floor = min(floor, V);
      most = max(most, size);
      if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) brink = min(brink, V);
      if (i < marginX || j < marginY || i >= nx - marginX || j >= ny - marginY) outer = max(outer, size);
    }
  }
  const wave = 2.0 * Math.PI / sqrt(2.0 * max(0.0, E - floor) / unitEnergy);
  const points = wave * min(<f64>(nx + 1), <f64>(ny + 1) * width / height);
  if (!(E < brink)) refuse(Status.INVALID_INPUT, 1.0, E / parameterF64(own), brink / parameterF64(own));
  else if (!(points >= 5.0)) refuse(Status.STABILITY_LIMIT, 3.0, points, 5.0);
  else if (!(outer <= 1e-6 * most)) refuse(Status.INVALID_INPUT, 2.0, outer / most, 1e-6);
  else return true;
  return false;
}

function judge(): void {
  const E = levelOf(level);
  if (!admissible(E)) return;
  const exact = exactInPlane(kind, level);
  openVerdict(2 + (exact == exact ? 1 : 0) + (kind == Potential.FORMULA ? 1 : 0), 3 + level + 2 + nx + ny + nx * ny + DIAGNOSTICS);
  if (exact == exact) gate(0, Kind.EXACT, E, exact, relativeError(E, exact));
  gate(5, Kind.CERTIFICATE, E, counted(4), bracket());
  if (kind == Potential.FORMULA) judgeBetween(E);
  const kinetic = kineticEnergy(), potential = potentialEnergy();
  gate(4, Kind.INVARIANT, kinetic + potential, E, abs(kinetic + potential - E) / kinetic);
  writeExtras(E, kinetic, potential);
  closeVerdict(E / parameterF64(own));
}

/** Beyond this part of its largest ψ counts for nothing: of ψ² a millionth. */
const FAINT: f64 = 1e-3;

/** What V holds between the nodes where ψ is, weighed by the largest ψ², over height above the lowest V or the next level. */
function judgeBetween(E: f64): void {
  let most = 0.0, floor = Infinity, i0 = nx, i1 = 0, j0 = ny, j1 = 0;
  for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) most = max(most, abs(stateAt(i, j)));
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      if (abs(stateAt(i, j)) < FAINT * most) continue;
      floor = min(floor, potentialOf(placeX(i), placeY(j)));
      i0 = min(i0, i); i1 = max(i1, i); j0 = min(j0, j); j1 = max(j1, j);
    }
  }
  let scale = E - floor;
  for (let m = 0; m < level + 2; m++) {
    const gap = abs(levelOf(m) - E);
    if (gap > 1e-9 * abs(E)) scale = min(scale, gap);
  }
  openResolution(2);
  clearAxes();
  addAxis(0, placeX(i0), width / <f64>(nx + 1), max(1, i1 - i0), 1.0 / (most * most * cell()));
  addAxis(1, placeY(j0), height / <f64>(ny + 1), max(1, j1 - j0), 1.0);
  const worst = hiddenShare(0, scale);
  gate(15, Kind.CERTIFICATE, ALLOWED, worst, worst / ALLOWED, 1.0);
}

/** The narrower pair of counts that holds level n, as a part of the scale; 1 where none does. */
function bracket(): f64 {
  const n = <f64>level;
  if (counted(2) <= n && counted(3) >= n + 1.0) return 1e-5;
  return counted(0) <= n && counted(1) >= n + 1.0 ? 5e-4 : 1.0;
}

@inline function coefficient(k: i32): f64 {
  if (k < 2) return k == 0 ? -5269.0 / 1800.0 : 5.0 / 3.0;
  return k == 2 ? -5.0 / 21.0 : k == 3 ? 5.0 / 126.0 : k == 4 ? -5.0 / 1008.0 : 1.0 / 3150.0;
}

/** ∫ −ħ²/2m ψ∇²ψ by differences of order 10. */
function kineticEnergy(): f64 {
  const forX = <f64>(nx + 1) * <f64>(nx + 1), forY = <f64>(ny + 1) * <f64>(ny + 1) * (width / height) * (width / height);
  let sum = 0.0;
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      let bent = (forX + forY) * coefficient(0) * stateAt(i, j);
      for (let k = 1; k <= 5; k++) {
        bent += forX * coefficient(k) * (stateAt(i - k, j) + stateAt(i + k, j));
        bent += forY * coefficient(k) * (stateAt(i, j - k) + stateAt(i, j + k));
      }
      sum -= 0.5 * stateAt(i, j) * bent;
    }
  }
  return sum * unitEnergy * cell();
}

@inline function cell(): f64 { return width / <f64>(nx + 1) * height / <f64>(ny + 1); }

function potentialEnergy(): f64 {
  let sum = 0.0;
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) sum += stateAt(i, j) * stateAt(i, j) * potentialOf(placeX(i), placeY(j));
  }
  return sum * cell();
}

function writeExtras(E: f64, kinetic: f64, potential: f64): void {
  const to = extras(), unit = parameterF64(own);
  put(to, 0, E);
  put(to, 1, kinetic / unit);
  put(to, 2, potential / unit);
  for (let m = 0; m < level + 2; m++) put(to, 3 + m, levelOf(m) / unit);
  const xs = to + (<usize>(level + 5) << 3), ys = xs + (<usize>nx << 3), states = ys + (<usize>ny << 3);
  for (let i = 0; i < nx; i++) put(xs, i, placeX(i));
  for (let j = 0; j < ny; j++) put(ys, j, placeY(j));
  memory.copy(states, psi, <usize>(nx * ny) << 3);
  writeStaticProfile(states + (<usize>(nx * ny) << 3), states + (<usize>(ny / 2 * nx) << 3), nx, scratch);
}
