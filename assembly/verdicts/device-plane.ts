// Is the equilibrium of a device in the plane right? V_bi is exact, and E_max of one doping; else three grids bound the
// error. Gauss' law is held from side to side, column by column and row by row, with the carriers' charge of the verdict's own, and E against the slope of ψ. Nothing of the kernel's method is used here.
//
// Parameters: those of the kernel (assembly/device/plane.ts), the array, the result of the finest grid, the heads of the
// other two. Extras: SCALARS numbers by `put`, then x and ψ along the middle row, then its diagnostics.

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { Kind, closeVerdict, extras, gate, openVerdict, relativeError } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";
import { majority, potentialOf } from "../device/exact";
import {
  Lx, Ly, PLANE_ARRAY, PLANE_HEAD, hx, hy, intrinsic, lambdaSquare, mx, my, nx, ny, planeBytes, planeNodes, readPlane, thermal,
} from "../device/plane";
import { judgeLevels, judgeUnresolved, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

namespace Gate {
  export const BUILT_IN: i32 = 0, LARGEST: i32 = 1, GAUSS: i32 = 4, GRIDS: i32 = 5, SLOPE: i32 = 8, CONTACTS: i32 = 9;
}
const SCALARS: i32 = 16;

let fine: usize = 0, middle: usize = 0, coarse: usize = 0, fields: usize = 0, strip: usize = 0, scratch: usize = 0;
let isField: bool = false, isUniform: bool = false;

function prepare(): void {
  openState(0);
  readPlane();
  isField = parameterF64(96) == 1.0; isUniform = parameterF64(104) == 1.0;
  fine = parameters() + PLANE_ARRAY + (<usize>mx * <usize>my << 3);
  middle = fine + planeBytes();
  coarse = middle + PLANE_HEAD;
  fields = fine + PLANE_HEAD + 24 * planeNodes();
  strip = allocate(<usize>max(mx, my) << 3);
  scratch = allocate((<usize>(3 * (nx + 1)) + <usize>diagnosticsScratch(nx + 1)) << 3);
}

export function start(_budget: i32): i32 {
  prepare();
  return 1;
}
export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}
export function resumed(_budget: i32): i32 { return 1; }

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(1000000 + 60 * <u64>planeNodes() + 4 * <u64>mx * <u64>my);
  countStep();
  return 1;
}

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }
/** ψ at a node [V]. */
@inline function psi(i: i32, j: i32): f64 { return load<f64>(fine + PLANE_HEAD + (<usize>(j * (nx + 1) + i) << 3)); }
/** p − n at a node, over n_i. */
@inline function carriers(i: i32, j: i32): f64 { return -2.0 * Math.sinh(psi(i, j) / thermal); }
@inline function doping(i: i32, j: i32): f64 { return load<f64>(parameters() + PLANE_ARRAY + (<usize>(j * mx + i) << 3)) / intrinsic; }
@inline function share(k: i32, n: i32): f64 { return k == 0 || k == n ? 0.5 : 1.0; }

// ---- gates -----------------------------------------------------------------------------------------------

function judge(): void {
  openVerdict(4 + (isField ? 1 : 0), SCALARS + 2 * (nx + 1) + DIAGNOSTICS);
  let value = load<f64>(fine + (isField ? 8 : 0));
  judgeBuiltIn();
  if (isField && isUniform) gate(Gate.LARGEST, Kind.EXACT, value, 0.0, value * debyeOf(doping(0, 0)) / thermal);
  if (isField && !isUniform) {
    judgeGrids(value);
    value = levelValue;
  }
  put(0, load<f64>(fine)); put(1, isField ? value : load<f64>(fine, 8));
  judgeContacts();
  judgeGauss();
  judgeSlope();
  writeRest();
  closeVerdict(value);
}

function judgeBuiltIn(): void {
  const measured = load<f64>(fine), builtIn = thermal * (meanPotential(mx - 1) - meanPotential(0));
  gate(Gate.BUILT_IN, Kind.EXACT, measured, builtIn, relativeError(measured, builtIn, thermal));
}

/** Mean of asinh(C/2) over a contact: ∫ asinh(C/2) dC = C asinh(C/2) − √(C² + 4). */
function meanPotential(i: i32): f64 {
  let sum = 0.0;
  for (let k = 0; k < my - 1; k++) {
    const a = doping(i, k), b = doping(i, k + 1), middle = potentialOf(0.5 * (a + b));
    // Of what hardly changes the difference has no digits; the middle is off by the square of the change.
    if (abs(b - a) <= 1e-6 * max(abs(a), 1.0)) sum += middle;
    else sum += (b * potentialOf(b) - a * potentialOf(a) - (sqrt(b * b + 4.0) - sqrt(a * a + 4.0))) / (b - a);
  }
  return sum / <f64>(my - 1);
}

function hasEvenRows(): bool {
  for (let k = 1; k < my; k++) for (let i = 0; i < mx; i++) if (doping(i, k) != doping(i, 0)) return false;
  return true;
}

/** Where the doping is largest. */
function leastDebye(): f64 {
  let most = 0.0;
  for (let k = 0; k < my; k++) for (let i = 0; i < mx; i++) most = max(most, abs(doping(i, k)));
  return debyeOf(most);
}

function debyeOf(c: f64): f64 { const n = majority(c); return sqrt(lambdaSquare / (n + 1.0 / n)); }

/** An order is believed where cells are at most two thirds of the shortest Debye length, along y if the doping changes along it. */
function judgeGrids(v1: f64): void {
  const v2 = load<f64>(middle, 8), v4 = load<f64>(coarse, 8);
  if (1.5 * (hasEvenRows() ? hx : max(hx, hy)) <= leastDebye()) judgeLevels(v1, v2, v4, 2.0, v1); else judgeUnresolved(v1, v2, v4, v1);
  gate(Gate.GRIDS, Kind.ESTIMATE, v1, levelValue, levelError);
  put(2, v1); put(3, v2); put(4, v4); put(5, levelOrder); put(6, levelExtrapolated);
}

/** Contacts are neutral: the largest error of ψ over V_t. */
function judgeContacts(): void {
  let worst = 0.0;
  for (let j = 0; j <= ny; j++) {
    const s = <f64>j * hy / Ly * <f64>(my - 1), k = min(<i32>s, my - 2), t = s - <f64>k;
    const left = doping(0, k) * (1.0 - t) + doping(0, k + 1) * t, right = doping(mx - 1, k) * (1.0 - t) + doping(mx - 1, k + 1) * t;
    worst = greater(abs(psi(0, j) / thermal - potentialOf(left)), worst);
    worst = greater(abs(psi(nx, j) / thermal - potentialOf(right)), worst);
  }
  gate(Gate.CONTACTS, Kind.INVARIANT, worst, 0.0, worst);
}

/** ∫C over y at the nodes of x; or over x within the volumes between the contacts, at the nodes of y. Over n_i. */
function layStrip(alongX: bool): void {
  const n = alongX ? mx : my, m = alongX ? my : mx, width = (alongX ? Ly : Lx) / <f64>(m - 1), cut = alongX ? 0.0 : 0.5 * hx;
  for (let k = 0; k < n; k++) {
    let sum = 0.0;
    for (let l = 0; l < m - 1; l++) {
      const a = alongX ? doping(k, l) : doping(l, k), b = alongX ? doping(k, l + 1) : doping(l + 1, k);
      const from = max(0.0, cut / width - <f64>l), to = min(1.0, (Lx - cut) / width - <f64>l), whole = alongX ? 1.0 : max(0.0, to - from);
      sum += width * whole * (a + 0.5 * (alongX ? 1.0 : from + to) * (b - a));
    }
    store<f64>(strip + (<usize>k << 3), sum);
  }
}

/** ∫ of the strip from a to b. */
function stripBetween(a: f64, b: f64, n: i32, length: f64): f64 {
  const width = length / <f64>(n - 1);
  let sum = 0.0;
  for (let k = max(0, <i32>(a / width) - 1); k < n - 1 && <f64>k * width < b; k++) {
    const from = max(a, <f64>k * width), to = k == n - 2 ? b : min(b, <f64>(k + 1) * width);
    if (to > from) sum += (to - from) * (at(strip, k) + (0.5 * (from + to) / width - <f64>k) * (at(strip, k + 1) - at(strip, k)));
  }
  return sum;
}

/** What is left of λ²·flux = charge up to each column, and up to each row, over the largest term. */
function judgeGauss(): void {
  const lambda2 = lambdaSquare / thermal;
  let worst = 0.0, largest = 0.0, charge = 0.0, first = 0.0;
  layStrip(true);
  for (let i = 0; i < nx; i++) {
    let flux = 0.0, inside = 0.0;
    for (let j = 0; j <= ny; j++) {
      flux += share(j, ny) * hy * lambda2 * (psi(i, j) - psi(i + 1, j)) / hx;
      if (i > 0) inside += share(j, ny) * hy * hx * carriers(i, j);
    }
    if (i == 0) first = flux;
    else charge += inside + stripBetween((<f64>i - 0.5) * hx, (<f64>i + 0.5) * hx, mx, Lx);
    worst = greater(abs(flux - first - charge), worst);
    largest = max(largest, abs(flux));
  }
  layStrip(false);
  let gained = 0.0;
  for (let j = 0; j < ny; j++) {
    const from = j == 0 ? 0.0 : (<f64>j - 0.5) * hy, height = share(j, ny) * hy;
    let up = 0.0;
    gained += stripBetween(from, (<f64>j + 0.5) * hy, my, Ly);
    for (let i = 1; i < nx; i++) {
      up += hx * lambda2 * (psi(i, j) - psi(i, j + 1)) / hy;
      gained += hx * height * carriers(i, j);
    }
    gained -= height * lambda2 * (psi(1, j) - psi(0, j) + psi(nx - 1, j) - psi(nx, j)) / hx;
    worst = greater(abs(up - gained), worst);
    largest = max(largest, abs(up));
  }
  const error = worst / max(largest, 1e-3 * lambdaSquare * Ly / leastDebye());
  gate(Gate.GAUSS, Kind.INVARIANT, error, 0.0, error);
  put(7, error);
}

/** A maximum that keeps a NaN. */
@inline function greater(a: f64, b: f64): f64 { return a <= b ? b : a; }

/** |E| of inner nodes against the slopes of both cells beside them. */
function judgeSlope(): void {
  const top = load<f64>(fine, 8);
  let worst = 0.0, largest = 0.0;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const shown = load<f64>(fields + (<usize>(j * (nx + 1) + i) << 3));
      largest = max(largest, shown);
      if (i == 0 || j == 0 || i == nx || j == ny) continue;
      const x = 0.5 * ((psi(i, j) - psi(i - 1, j)) + (psi(i + 1, j) - psi(i, j))) / hx, y = 0.5 * ((psi(i, j) - psi(i, j - 1)) + (psi(i, j + 1) - psi(i, j))) / hy;
      worst = greater(abs(sqrt(x * x + y * y) - shown), worst);
    }
  }
  const scale = max(top, 1e-3 * thermal / leastDebye()), error = top >= 0.999999 * largest && top <= 1.2 * largest ? worst / scale : 1.0;
  gate(Gate.SLOPE, Kind.INVARIANT, error, 0.0, error);
}

// ---- what is shown ---------------------------------------------------------------------------------------

function writeRest(): void {
  put(8, load<f64>(fine, 16)); put(9, load<f64>(fine, 24)); put(10, load<f64>(fine, 32)); put(11, load<f64>(fine, 40)); put(12, load<f64>(fine, 48));
  const j = ny >> 1, column = <usize>(nx + 1) << 3, x = extras() + SCALARS * 8, profile = x + column;
  for (let i = 0; i <= nx; i++) {
    store<f64>(x + (<usize>i << 3), <f64>i * hx);
    store<f64>(profile + (<usize>i << 3), psi(i, j));
  }
  writeDiagnostics(profile + column, profile, j);
}

/** −∇²ψ − ρ/ε along the middle row. */
function writeDiagnostics(block: usize, profile: usize, j: i32): void {
  const column = <usize>(nx + 1) << 3, spread = scratch, source = spread + column, total = source + column, rest = total + column;
  const y = <f64>j * hy, s = y / Ly * <f64>(my - 1), k = min(<i32>s, my - 2), tail = s - <f64>k;
  let left = 0.0, right = 0.0;
  for (let i = 1; i < nx; i++) {
    const t = <f64>i * hx / Lx * <f64>(mx - 1), m = min(<i32>t, mx - 2), part = t - <f64>m;
    const low = doping(m, k) + part * (doping(m + 1, k) - doping(m, k)), high = doping(m, k + 1) + part * (doping(m + 1, k + 1) - doping(m, k + 1));
    const rho = thermal / lambdaSquare * (carriers(i, j) + low + tail * (high - low)), c = psi(i, j);
    const bend = (psi(i + 1, j) - 2.0 * c + psi(i - 1, j)) / (hx * hx) + (psi(i, j + 1) - 2.0 * c + psi(i, j - 1)) / (hy * hy);
    store<f64>(spread + (<usize>i << 3), -bend);
    store<f64>(source + (<usize>i << 3), -rho);
    left -= bend * hx; right += rho * hx;
  }
  writeTerms(block, 1, profile, nx + 1, 0, 0, 0, spread, 0, source, total);
  writeBalance(block, left, right, abs(left - right));
  writeReflection(block, profile, nx + 1, rest);
  writeBand(block, profile, nx + 1, rest);
}
