// Sound in a duct driven by a piston, or a plane wave through it: (S p′)′ + k²S p = 0 with e^{iωt}, k = ω/c (1 − iη/2), in
// quartic elements and complex symmetric LDLᵀ (assembly/acoustics/quartic.ts, assembly/linear/complex-band.ts).
//
// Piston: p′ = −iωρu₀ at the left. Right end: rigid, open (p = 0), or p = Z u. Plane wave: 1 comes in from the left and
// both ends let waves pass, p′ = −ik(2 − p) and p′ = −ikp.
//
// Parameters (f64): 0 0 piston, 1 plane wave · 8 ω [1/s] · 16 c [m/s] · 24 η · 32 ρ [kg/m³] · 40 u₀ [m/s] · 48 right end: 0
//   rigid, 1 open, 2 impedance · 56, 64 R, X of Z [Pa s/m] · 72 probe [m] · 80 pieces · 88 of each: length [m], S [m²],
//   elements
// State body: none; a run is one step.
// Result (f64): 0, 8 p at the probe [Pa] · 16, 24 p at the left end · 32, 40 at the right end · 48 ∫S|p|² dx/(S₁ L) ·
//   56 129 p at equal distances, re and im

import { allocate, countStep, finish, openResult, openState, parameterF64, restoreState, spend } from "../kernel/frame";
import { addComplex, complexAt, complexBandBytes, complexBandSolve, factorComplexRows } from "../linear/complex-band";
import { DEGREE, eachEntry, nodeCount, pieceArea, pieceCount, readPieces, valueAt, wholeLength } from "../acoustics/quartic";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SAMPLES: i32 = 129;
const UNITS: u64 = 1000;

let n: i32 = 0, a: usize = 0, x: usize = 0;
let squareRe: f64 = 0, squareIm: f64 = 0, lossSum: f64 = 0;

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function prepare(): void {
  openState(0);
  readPieces(<i32>parameterF64(80), 88);
  n = nodeCount();
  a = allocate(complexBandBytes(n, DEGREE));
  x = allocate(<usize>n << 4);
}

/** K − k²M, with (kL)². */
function take(row: i32, column: i32, stiff: f64, mass: f64): void {
  addComplex(complexAt(a, DEGREE, row, column), stiff - squareRe * mass, -squareIm * mass);
}

/** ∫S|p|². */
function takeLoss(row: i32, column: i32, _stiff: f64, mass: f64): void {
  const p = x + (<usize>row << 4), q = x + (<usize>column << 4);
  lossSum += (row == column ? 1.0 : 2.0) * mass * (load<f64>(p) * load<f64>(q) + load<f64>(p, 8) * load<f64>(q, 8));
}

export function advance(_steps: i32, _budget: i32): i32 {
  const k = parameterF64(8) / parameterF64(16) * wholeLength, eta = parameterF64(24);
  squareRe = k * k * (1.0 - 0.25 * eta * eta);
  squareIm = -k * k * eta;
  eachEntry(take);
  if (parameterF64(0) == 1.0) passWaves(k, eta); else drive();
  factorComplexRows(a, DEGREE, 0, n);
  complexBandSolve(a, n, DEGREE, x);
  conclude();
  spend(<u64>n * UNITS);
  countStep();
  return 1;
}

/** ik = i kL (1 − iη/2) at both ends, and the wave that comes in. */
function passWaves(k: f64, eta: f64): void {
  const re = 0.5 * k * eta, last = pieceArea(pieceCount - 1);
  addComplex(complexAt(a, DEGREE, 0, 0), re, k);
  addComplex(complexAt(a, DEGREE, n - 1, n - 1), last * re, last * k);
  addComplex(x, 2.0 * re, 2.0 * k);
}

/** iωρu₀ at the left; iωρ/Z, or p = 0, at the right. */
function drive(): void {
  const impulse = parameterF64(8) * parameterF64(32) * wholeLength, S = pieceArea(pieceCount - 1);
  addComplex(x, 0.0, impulse * parameterF64(40));
  const end = parameterF64(48), last = complexAt(a, DEGREE, n - 1, n - 1);
  if (end == 2.0) {
    const R = parameterF64(56), X = parameterF64(64), square = R * R + X * X;
    addComplex(last, impulse * S * X / square, impulse * S * R / square);
  }
  if (end != 1.0) return;
  for (let j = n - 1 - DEGREE; j < n; j++) {
    store<f64>(complexAt(a, DEGREE, n - 1, j), j == n - 1 ? 1.0 : 0.0);
    store<f64>(complexAt(a, DEGREE, n - 1, j), 0.0, 8);
  }
}

function conclude(): void {
  const out = openResult(56 + SAMPLES * 16), probe = parameterF64(72) / wholeLength;
  store<f64>(out, valueAt(x, 16, probe));
  store<f64>(out, valueAt(x + 8, 16, probe), 8);
  memory.copy(out + 16, x, 16);
  memory.copy(out + 32, x + (<usize>(n - 1) << 4), 16);
  lossSum = 0.0;
  eachEntry(takeLoss);
  store<f64>(out, lossSum, 48);
  for (let i = 0; i < SAMPLES; i++) {
    const at = out + 56 + (<usize>i << 4), u = <f64>i / <f64>(SAMPLES - 1);
    store<f64>(at, valueAt(x, 16, u));
    store<f64>(at, valueAt(x + 8, 16, u), 8);
  }
  finish();
}
