// Verdict of `blackhole`: holds value, turning points and orbit against their closed forms (assembly/blackhole/exact.ts),
// of which the kernel knows none.
//
// Parameters (f64): 0 … 32 those of the run · 40 its result (80 bytes) · 120 its 257 rows, with modes 4 to 6
// Extras (f64): 0 GM/c² [m] · 8 value in arc seconds · 16 periapsis [m] · 24 apoapsis [m], 0: none · 32 p [m] · 40 e
//   48 energy E · 56 angular momentum L [m²/s], or c times b · 64 angle from apsis to apsis or past the hole [rad]
//   72 Kepler's period [s] · 80 arc seconds per century · 88 share of rest mass set free, 1 − E of the innermost orbit
//   96 the circular orbit is stable (1) · then, with modes 4 to 6, 257 angles [rad] · 257 r [m] · 129 r [m] · 129
//   effective potentials · diagnostics of 1/r (40)
//
// Gates: 0 value · 1 turning points, angle, 1/l², e · 2 orbit · 3 constant of motion

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";
import {
  advanceOfOrbit, deflection, exactOrbit, ROOTS, rootsOfMotion, rootsOfOrbit, rootsOfRay,
} from "../blackhole/exact";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const G: f64 = 6.67430e-11;
const C: f64 = 299792458.0;
const ARCSECOND: f64 = 648000.0 / Math.PI;
/** A Julian century [s]. */
const CENTURY: f64 = 3155760000.0;
const RUN: usize = 40;
const ROWS: usize = 120;
const COUNT: i32 = 257;
const COLUMN: usize = 257 * 8;
const GRID: i32 = 129;
const SCALARS: i32 = 13;
/** Below it e is the difference of what rounding leaves nearly equal, and is not vouched for (src/solvers/blackhole/outputs.ts). */
const ROUND: f64 = 1e-3;
const UNITS: u64 = 10000;
const UNITS_ORBIT: u64 = 2400000;

let mode: i32 = 0;
let radius: f64 = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  mode = <i32>parameterF64(0);
  radius = G * parameterF64(8) / (C * C);
  scratch = allocate(5 * COLUMN + (<usize>diagnosticsScratch(COUNT) << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(hasOrbit() ? UNITS_ORBIT : UNITS);
  countStep();
  return 1;
}

@inline function hasOrbit(): bool { return mode >= 4 && mode <= 6; }
@inline function ofRun(offset: usize): f64 { return parameterF64(RUN + offset); }
@inline function root(i: i32): f64 { return load<f64>(ROOTS + (<usize>i << 3)); }

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  openVerdict(hasOrbit() ? 4 : 1, SCALARS + (hasOrbit() ? 2 * COUNT + 2 * GRID + DIAGNOSTICS : 0));
  const value = ofRun(0), rounded = hasOrbit() ? shareOfRounding() : 0.0, expected = reference(1.0);
  gate(0, Kind.EXACT, value, expected, max(relativeError(value, expected), rounded));
  if (hasOrbit()) {
    turnGate();
    orbitGate();
    constantGate();
  }
  writeScalars(value);
  if (hasOrbit()) { writeOrbit(); writePotential(); writeDiagnostics(); }
  closeVerdict(value);
}

/** Share by which b, a or L over GM/c² may be off: four units in the last place. */
const ROUNDED: f64 = 4.0 * 2.220446049250313e-16;

/**
 * What it makes of value and angle. Near an orbit that winds on for ever both sides have the same few digits, and agree with
 * each other all the same. Less L and more L are not alike: where rounding has made an orbit round, less of it is not.
 */
function shareOfRounding(): f64 { return max(shareOfRounded(1.0 - ROUNDED), shareOfRounded(1.0 + ROUNDED)); }

function shareOfRounded(scale: f64): f64 {
  const value = reference(scale), excess = reachedExcess(scale), own = reference(1.0);
  return max(relativeError(value, own), relativeError(excess, reachedExcess(1.0)));
}

/** Of the roots that `reference` has left. */
function reachedExcess(scale: f64): f64 { return mode == 4 ? deflection(scale * parameterF64(16) / radius) : advanceOfOrbit(); }

/** The value in closed form, and the roots with it, where b, a or L is so many times what was sent. */
function reference(scale: f64): f64 {
  const first = (mode == 6 ? 1.0 : scale) * parameterF64(16), second = (mode == 6 ? scale : 1.0) * parameterF64(24), quantity = <i32>parameterF64(32);
  if (mode == 0) return 2.0 * radius;
  if (mode == 1) return 3.0 * radius;
  if (mode == 2) return sqrt(27.0) * radius;
  if (mode == 3) return 6.0 * radius;
  if (mode == 7) return sqrt(G * parameterF64(8) / first) / first / (2.0 * Math.PI);
  if (mode == 4) return deflection(first / radius);
  if (mode == 5) rootsOfOrbit(first * (1.0 - second) * (1.0 + second) / radius, second);
  else rootsOfMotion(first, second / (radius * C));
  if (quantity == 1) return radius / root(1);
  return quantity == 2 ? radius / root(0) : advanceOfOrbit();
}

/** Periapsis and angle; of a bound orbit apoapsis and 1/l² too. */
function turnGate(): void {
  const near = relativeError(ofRun(32), root(1)), excess = reachedExcess(1.0);
  let worst = max(near, relativeError(ofRun(56), excess));
  if (mode != 4) worst = max(worst, max(relativeError(ofRun(40), root(0)), relativeError(ofRun(48), pullOfOrbit())));
  const e = eccentricity(ofRun(32), ofRun(40));
  if (mode == 6 && e >= ROUND) worst = max(worst, relativeError(e, eccentricity(root(1), root(0))));
  gate(1, Kind.EXACT, ofRun(32), root(1), worst);
}

@inline function eccentricity(near: f64, far: f64): f64 { return (near - far) / (near + far); }

/** 1/l² by what was sent: semi-major axis and eccentricity, or the angular momentum. */
function pullOfOrbit(): f64 {
  const first = parameterF64(16), second = parameterF64(24), p = first * (1.0 - second) * (1.0 + second) / radius, l = second / (radius * C);
  return mode == 5 ? (p - 3.0 - second * second) / (p * p) : 1.0 / (l * l);
}

/** Every row, beside 1/r at the periapsis. */
function orbitGate(): void {
  let worst = 0.0, measured = root(1), expected = measured;
  for (let i = 0; i < COUNT; i++) {
    const w = parameterF64(ROWS + (<usize>i << 3)), exact = exactOrbit(ofRun(24) * (<f64>i / 256.0));
    const error = abs(w - exact) / root(1);
    if (!(error <= worst)) { worst = error; measured = w; expected = exact; }
  }
  gate(2, Kind.EXACT, measured, expected, worst);
}

/** w'² + w² − 2w³ − 2w/l² at the end, against that at the periapsis. */
function constantGate(): void {
  const w = ofRun(64), v = ofRun(72), pull = ofRun(48), near = root(1);
  const now = v * v + w * (w - 2.0 * w * w - 2.0 * pull), then = near * (near - 2.0 * near * near - 2.0 * pull);
  gate(3, Kind.INVARIANT, now, then, abs(now - then) / (near * near));
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeScalars(value: f64): void {
  const at = extras(), bound = mode == 5 || mode == 6;
  memory.fill(at, 0, <usize>SCALARS << 3);
  store<f64>(at, radius);
  store<f64>(at, value * ARCSECOND, 8);
  if (mode == 4) {
    store<f64>(at, radius / ofRun(32), 16);
    store<f64>(at, parameterF64(16) * C, 56);
    store<f64>(at, Math.PI + ofRun(56), 64);
  }
  if (bound) writeBound(at);
  if (mode == 3) store<f64>(at, 1.0 - sqrt(8.0) / 3.0, 88);
  if (mode == 7) store<f64>(at, parameterF64(16) >= 6.0 * radius ? 1.0 : 0.0, 96);
}

function writeBound(at: usize): void {
  const near = ofRun(32), far = ofRun(40), p = 2.0 / (near + far);
  const a = 0.5 * radius * (1.0 / near + 1.0 / far), period = 2.0 * Math.PI * sqrt(a / (G * parameterF64(8))) * a;
  const pull = ofRun(48);
  store<f64>(at, radius / near, 16);
  store<f64>(at, radius / far, 24);
  store<f64>(at, radius * p, 32);
  store<f64>(at, mode == 5 ? parameterF64(24) : eccentricity(near, far), 40);
  store<f64>(at, sqrt((1.0 - 2.0 * near) * (1.0 + near * near / pull)), 48);
  store<f64>(at, radius * C / sqrt(pull), 56);
  store<f64>(at, 2.0 * Math.PI + ofRun(56), 64);
  store<f64>(at, period, 72);
  store<f64>(at, ofRun(56) * ARCSECOND * CENTURY / period, 80);
}

function writeOrbit(): void {
  const angles = extras() + SCALARS * 8, radii = angles + COLUMN;
  for (let i = 0; i < COUNT; i++) {
    store<f64>(angles + (<usize>i << 3), ofRun(24) * (<f64>i / 256.0));
    store<f64>(radii + (<usize>i << 3), radius / parameterF64(ROWS + (<usize>i << 3)));
  }
}

/** Of matter (1 − 2/r)(1 + l²/r²); of light (1 − 2/r) 27/r², which is 1 at its largest. */
function writePotential(): void {
  const grid = extras() + SCALARS * 8 + 2 * COLUMN, values = grid + GRID * 8;
  const far = mode == 4 ? max(12.0, 3.0 / ofRun(32)) : 1.5 / ofRun(40), pull = ofRun(48);
  for (let i = 0; i < GRID; i++) {
    const r = 2.0 + (far - 2.0) * (<f64>i / 128.0), lapse = 1.0 - 2.0 / r;
    store<f64>(grid + (<usize>i << 3), radius * r);
    store<f64>(values + (<usize>i << 3), mode == 4 ? 27.0 * lapse / (r * r) : lapse * (1.0 + 1.0 / (pull * r * r)));
  }
}

/** Of w(φ), in the solver's own terms: inertia w'', selfInteraction w − 3w², source −1/l². */
function writeDiagnostics(): void {
  const block = extras() + SCALARS * 8 + 2 * COLUMN + 2 * GRID * 8, step = ofRun(24) / 256.0, pull = ofRun(48);
  const ws = parameters() + ROWS, bend = scratch, own = bend + COLUMN, source = own + COLUMN, rest = source + COLUMN;
  let sum = 0.0;
  for (let i = 0; i < COUNT; i++) {
    const at = <usize>i << 3, w = load<f64>(ws + at), ends = i == 0 || i == COUNT - 1;
    store<f64>(own + at, w - 3.0 * w * w);
    store<f64>(source + at, -pull);
    sum += (pull - w + 3.0 * w * w) * (ends ? 0.5 * step : step);
    if (!ends) store<f64>(bend + at, (load<f64>(ws + at, 8) - 2.0 * w + load<f64>(ws + at - 8)) / (step * step));
  }
  const change = ofRun(72);
  writeTerms(block, 1, ws, COUNT, bend, 0, 0, 0, own, source, rest);
  writeBalance(block, change, sum, abs(change - sum));
  writeReflection(block, ws, COUNT, rest + COLUMN);
  writeBand(block, ws, COUNT, rest + COLUMN);
}
