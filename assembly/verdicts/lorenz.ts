// Verdict of `lorenz`, trajectory. Chaos makes of the smallest difference a large one, so what rounding takes is seen from
// runs beside the first (Viswanath, Physica D 190 (2004) 115): they are compared at every row, and beyond the horizon the
// run did not converge. Another order alone may come near the first by accident, as both have errors of one size: of
// random motions a tenth were three times as wrong as the two were apart. Three starts that are moved along x, y and z by
// eight times their rounding show what the motion makes of errors in every direction; twice the largest difference bounds
// the error of all but about one in a thousand (of 1548, 2.5 differences at most). That the equations are the right ones is seen from row
// to row: each is the start of an integration to the next by a method of another kind, RK4 in many small steps. A last
// run starts on the z axis, which it must not leave, with z = z₀ e^{−βt}.
//
// Parameters (f64): 0 … 72 those of the first run · 80 t₀ · 88 z of the twin's start · 96 beginning of the runs,
//   since the start · 104 the six runs' results (32 bytes each), then their 257 rows (24 bytes each)
// Extras (f64): 0 x · 8 y · 16 z · 24 steps · 32 t · 40 257 times · x · y · z · diagnostics of z (40)
//
// Gates: 0 end of the other runs · 1 their series · 2 row to row · 3 z axis. Where 0 or 1 refuses, the time is
//   shown at which a shorter run would be held (4).

import { allocate, countStep, openState, parameterF64, parameters, restoreState, running, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { timeOfRow } from "../kernel/stretch";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const RUNS: usize = 104;
const RESULT: usize = 32;
/** The first, four that it is compared with, and the one on the z axis. */
const OTHERS: i32 = 4, AXIS: i32 = 5;
const MARGIN: f64 = 2.0;
const ROWS_AT: usize = RUNS + 6 * RESULT;
const COUNT: i32 = 257;
const COLUMN: usize = 257 * 8;
const SCALARS: i32 = 5;
/** Steps of RK4 in the fastest time, and at most in a row. */
const FINENESS: f64 = 40.0;
const MOST: f64 = 2048.0;
const UNITS: u64 = 12000000;

let sigma: f64 = 0, rho: f64 = 0, beta: f64 = 0, begin: f64 = 0, end: f64 = 0, size: f64 = 0;
let scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  sigma = parameterF64(0); rho = parameterF64(8); beta = parameterF64(16); end = parameterF64(48); begin = parameterF64(96);
  scratch = allocate(4 * COLUMN + (<usize>diagnosticsScratch(COUNT) << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(UNITS);
  countStep();
  return 1;
}

@inline function ofRow(run: i32, i: i32, k: i32): f64 {
  return parameterF64(ROWS_AT + (<usize>(run * COUNT + i) * 24) + (<usize>k << 3));
}

function judge(): void {
  openVerdict(4, SCALARS + 4 * COUNT + DIAGNOSTICS);
  size = 0.0;
  for (let i = 0; i < COUNT; i++) for (let k = 0; k < 3; k++) size = max(size, abs(ofRow(0, i, k)));
  agreementGates();
  defectGate();
  axisGate();
  writeScalars();
  writeDiagnostics();
  closeVerdict(parameterF64(RUNS + 16));
}

// ---- gates ---------------------------------------------------------------------------------------------

let worst: f64 = 0, measured: f64 = 0, reference: f64 = 0;

/** What is furthest apart, by `scale`. */
function compare(a: f64, b: f64, scale: f64): void {
  const apart = a == b ? 0.0 : MARGIN * abs(a - b) / scale;
  if (!(apart <= worst)) { worst = apart; measured = a; reference = b; }
}

/** The end, each coordinate beside itself until rounding is all of it, and every row beside how far the motion reaches. */
function agreementGates(): void {
  worst = 0.0; measured = parameterF64(RUNS + 16); reference = measured;
  for (let run = 1; run <= OTHERS; run++) {
    for (let k: usize = 0; k < 24; k += 8) {
      const a = parameterF64(RUNS + k), b = parameterF64(RUNS + <usize>run * RESULT + k);
      compare(a, b, abs(b) < 1e-12 * size ? size : abs(b));
    }
  }
  gate(0, Kind.ESTIMATE, measured, reference, worst, 1e-3, Status.DID_NOT_CONVERGE);
  worst = 0.0; measured = ofRow(0, 0, 2); reference = measured;
  for (let run = 1; run <= OTHERS; run++)
    for (let i = 0; i < COUNT; i++) for (let k = 0; k < 3; k++) compare(ofRow(0, i, k), ofRow(run, i, k), size);
  gate(1, Kind.ESTIMATE, measured, reference, worst, 1e-3, Status.DID_NOT_CONVERGE);
  if (!running()) show(4, predictable());
}

/** How far apart the runs may be, of the bound, at a row that a shorter run is told to end at. */
const SHARE: f64 = 0.25;

/** The last row that a run could end at and be held, as its time; its own time at the beginning where there is none. */
function predictable(): f64 {
  let last: i32 = 0, reach = 0.0, far = 0.0;
  for (let i = 0; i < COUNT; i++) {
    worst = 0.0;
    for (let k = 0; k < 3; k++) reach = max(reach, abs(ofRow(0, i, k)));
    for (let run = 1; run <= OTHERS; run++) for (let k = 0; k < 3; k++) {
      const a = ofRow(0, i, k), b = ofRow(run, i, k);
      far = max(far, abs(a - b));
      compare(a, b, abs(b) < 1e-12 * reach ? reach : abs(b));
    }
    if (!(MARGIN * far <= SHARE * 1e-3 * reach)) break;
    if (worst <= SHARE * 1e-3) last = i;
  }
  return timeOfRow(begin, end, last, 256);
}

let x: f64 = 0, y: f64 = 0, z: f64 = 0;

/** One step of the classical Runge–Kutta method on x, y, z. */
function rungeKutta(h: f64): void {
  const half = 0.5 * h;
  const a1 = sigma * (y - x), b1 = x * (rho - z) - y, c1 = x * y - beta * z;
  let u = x + half * a1, v = y + half * b1, w = z + half * c1;
  const a2 = sigma * (v - u), b2 = u * (rho - w) - v, c2 = u * v - beta * w;
  u = x + half * a2; v = y + half * b2; w = z + half * c2;
  const a3 = sigma * (v - u), b3 = u * (rho - w) - v, c3 = u * v - beta * w;
  u = x + h * a3; v = y + h * b3; w = z + h * c3;
  const a4 = sigma * (v - u), b4 = u * (rho - w) - v, c4 = u * v - beta * w;
  x += h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
  y += h / 6.0 * (b1 + 2.0 * (b2 + b3) + b4);
  z += h / 6.0 * (c1 + 2.0 * (c2 + c3) + c4);
}

/** From every row to the next, and from the last row to the end of the run. */
function defectGate(): void {
  const length = (end - begin) / 256.0, rate = sigma + 1.0 + beta + rho + size;
  const count = min(MOST, max(8.0, ceil(FINENESS * length * rate)));
  let worst = 0.0, measured = 0.0, reference = 0.0;
  for (let i = 0; i + 1 < COUNT; i++) {
    x = ofRow(0, i, 0); y = ofRow(0, i, 1); z = ofRow(0, i, 2);
    for (let s = 0.0; s < count; s += 1.0) rungeKutta(length / count);
    for (let k = 0; k < 3; k++) {
      const expected = k == 0 ? x : k == 1 ? y : z, found = ofRow(0, i + 1, k);
      const apart = found == expected ? 0.0 : abs(found - expected) / size;
      if (!(apart <= worst)) { worst = apart; measured = found; reference = expected; }
    }
  }
  for (let k = 0; k < 3; k++) if (!(abs(parameterF64(RUNS + (<usize>k << 3)) - ofRow(0, 256, k)) <= worst * size)) worst = 1.0;
  gate(2, Kind.ESTIMATE, measured, reference, worst);
}

function axisGate(): void {
  const z0 = parameterF64(88);
  let worst = 0.0, measured = z0, reference = z0;
  for (let i = 0; i < COUNT; i++) {
    const expected = z0 * Math.exp(-beta * timeOfRow(begin, end, i, 256)), found = ofRow(AXIS, i, 2);
    const apart = max(abs(found - expected), max(abs(ofRow(AXIS, i, 0)), abs(ofRow(AXIS, i, 1)))) / z0;
    if (!(apart <= worst)) { worst = apart; measured = found; reference = expected; }
  }
  gate(3, Kind.TWIN, measured, reference, worst);
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeScalars(): void {
  const at = extras(), series = at + SCALARS * 8;
  memory.copy(at, parameters() + RUNS, RESULT);
  store<f64>(at, parameterF64(80) + end, 32);
  for (let i = 0; i < COUNT; i++) {
    const p = series + (<usize>i << 3);
    store<f64>(p, parameterF64(80) + timeOfRow(begin, end, i, 256));
    for (let k = 0; k < 3; k++) store<f64>(p + <usize>(k + 1) * COLUMN, ofRow(0, i, k));
  }
}

/** Of z(t), in the solver's own terms: damping ż by central differences, selfInteraction βz, source −xy. */
function writeDiagnostics(): void {
  const series = extras() + SCALARS * 8, zs = series + 3 * COLUMN, block = zs + COLUMN, step = (end - begin) / 256.0;
  const change = scratch, loss = change + COLUMN, gain = loss + COLUMN, rest = gain + COLUMN;
  let sum = 0.0;
  for (let i = 0; i < COUNT; i++) {
    const at = <usize>i << 3, ends = i == 0 || i == COUNT - 1;
    store<f64>(loss + at, beta * ofRow(0, i, 2));
    store<f64>(gain + at, -ofRow(0, i, 0) * ofRow(0, i, 1));
    sum -= (load<f64>(loss + at) + load<f64>(gain + at)) * (ends ? 0.5 * step : step);
    if (!ends) store<f64>(change + at, (ofRow(0, i + 1, 2) - ofRow(0, i - 1, 2)) / (2.0 * step));
  }
  const gained = ofRow(0, 256, 2) - ofRow(0, 0, 2);
  writeTerms(block, 1, zs, COUNT, 0, change, 0, 0, loss, gain, rest);
  writeBalance(block, gained, sum, abs(gained - sum));
  writeReflection(block, zs, COUNT, rest + COLUMN);
  writeBand(block, zs, COUNT, rest + COLUMN);
}
