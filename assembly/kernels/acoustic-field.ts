// Sound in a cavity of cells whose left side is a piston: ∇²p + k²p = 0 with e^{iωt}, k = ω/c (1 − iη/2), in nine-node
// elements (assembly/acoustics/mask.ts, assembly/acoustics/mask-complex.ts) and complex symmetric LDLᵀ (assembly/linear/complex-band.ts).
//
// ∂p/∂n = iωρu₀ on the piston, −iωρp/Z on an impedance. Where nothing damps, the inertia of K − k²M at 0.999 k and 1.001 k
// says whether a resonance lies between (Sylvester): RESONANCE.
//
// Parameters: assembly/acoustics/mask.ts (sides and walls inside: 2 impedance, of these that of the right side); then (f64)
//   0 ω [1/s] · 8 c [m/s] · 16 η · 24 ρ [kg/m³] · 32 u₀ [m/s] · 40 R, X of left, right, bottom, top [Pa s/m] · 104, 112 probe [m]
//   120 whether to look for a resonance · 128 frequencies of a spectrum from ω/2 to 3ω/2, 0: p at ω alone
// State body (f64): 0 phase: 0, 1 counts, 2 factors · 8 row · 16, 24 pivots below 0 · 32 frequency of the spectrum · 40 spare ·
//   48 the spectrum, then the band, of complex numbers
// Result (f64): 0, 8 p at the probe [Pa] · 16 power that comes in, 24 goes out, 32 is lost, over h ωρ/2 · 40 Re p, then Im p
//   at all nodes of the grid around the cavity, row by row, 0 where there is no air. Of a spectrum: |p| at the probe [Pa] at its frequencies
//
// A step is a row of a factorisation.

import {
  allocate, countStep, fail, finish, openState, parameterF64, restoreState, running, show, spend, standResult, watchFinite,
  work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { assembleBand, band, columns, edgeLength, edgeMass, id as edgeNumber, maskEnd, n, numberOf, readMask, rows } from "../acoustics/mask";
import { assembleComplex, complexValueAt, eachEdge, squaredNorm, wall } from "../acoustics/mask-complex";
import { factorRows } from "../linear/banded";
import { addComplex, complexAt, complexBandBytes, complexBandSolve, factorComplexRows } from "../linear/complex-band";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

let body: usize = 0, a: usize = 0, x: usize = 0, own: usize = 0;
let k: f64 = 0, eta: f64 = 0, drive: f64 = 0, side: i32 = 0, sum: f64 = 0, frequencies: i32 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

function prepare(): void {
  readMask();
  own = maskEnd();
  eta = parameterF64(own + 16);
  frequencies = <i32>parameterF64(own + 128);
  const kept = 48 + ((<usize>frequencies << 3) + 15 & ~15);
  body = openState(kept + complexBandBytes(n, band));
  watchFinite(body, 6 + frequencies);
  a = body + kept;
  const bytes = complexBandBytes(n, band), wanted = frequencies == 0 ? fieldBytes() : 0;
  if (wanted > bytes) allocate(wanted - bytes);
  x = allocate(<usize>n << 4);
}

/** Of p and what precedes it in the result, which stands where the factors did when p is known. */
@inline function fieldBytes(): usize { return 40 + ((<usize>columns * <usize>rows) << 4); }

export function start(_budget: i32): i32 {
  prepare();
  setField(0, parameterF64(own + 120) == 1.0 ? 0.0 : 2.0);
  beginPhase();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 {
  setWave();
  return 1;
}

/** k and ωρ at this frequency, in edges of a cell. */
function setWave(): void {
  const share = frequencies == 0 ? 1.0 : 0.5 + field(32) / <f64>(frequencies - 1), h = parameterF64(16);
  k = share * parameterF64(own) / parameterF64(own + 8) * h;
  drive = share * parameterF64(own) * parameterF64(own + 24) * h;
}

function beginPhase(): void {
  setWave();
  setField(8, 0.0);
  memory.fill(a, 0, complexBandBytes(n, band));
  if (field(0) < 2.0) {
    const near = k * (field(0) == 0.0 ? 0.999 : 1.001);
    assembleBand(a, near * near);
    return;
  }
  assembleComplex(a, k * k * (1.0 - 0.25 * eta * eta), -k * k * eta);
  for (let which = 0; which < 5; which++) if (typeOf(which) == 2.0) along(which, addImpedance);
}

@inline function typeOf(which: i32): f64 { return parameterF64(32 + (<usize>which << 3)); }
/** Of the wall: what is inside has what all sides have. */
@inline function impedanceAt(): usize { return own + 40 + (<usize>(side == 4 ? 1 : side) << 4); }
@inline function resistance(): f64 { return parameterF64(impedanceAt()); }
@inline function reactance(): f64 { return parameterF64(impedanceAt() + 8); }

let visiting: () => void = nowhere;
function nowhere(): void {}

/** Calls `visit` for each edge of a side, 0 left to 3 top, or of the walls inside, 4. */
function along(which: i32, visit: () => void): void {
  side = which;
  visiting = visit;
  eachEdge(visitSide);
}

function visitSide(): void { if (wall == side) visiting(); }

/** iωρ/Z. */
function addImpedance(): void {
  const square = resistance() * resistance() + reactance() * reactance();
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const p = edgeNumber(i), q = edgeNumber(j);
      if (p < 0 || q < 0 || q > p) continue;
      const factor = drive * edgeMass(i, j) / square;
      addComplex(complexAt(a, band, p, q), factor * reactance(), factor * resistance());
    }
  }
}

function addPiston(): void {
  for (let i = 0; i < 3; i++) {
    if (edgeNumber(i) >= 0) addComplex(x + (<usize>edgeNumber(i) << 4), 0.0, drive * parameterF64(own + 32) * edgeLength(i));
  }
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, units = <u64>band * <u64>band / 2 + 8 * <u64>band;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const row = <i32>field(8), phase = field(0);
    if (phase == 2.0) factorComplexRows(a, band, row, row + 1);
    else {
      const at: usize = phase == 0.0 ? 16 : 24;
      setField(at, field(at) + <f64>factorRows(a, band, row, row + 1, 1e-300));
    }
    setField(8, <f64>(row + 1));
    countStep();
    spend(units);
    taken++;
    if (row + 1 == n) endPhase();
  }
  show(0, parameterF64(own) / (2.0 * Math.PI));
  return taken;
}

function endPhase(): void {
  if (field(0) == 2.0) { if (frequencies == 0) conclude(); else nextFrequency(); return; }
  if (field(0) == 1.0 && field(16) != field(24)) { fail(Status.RESONANCE); return; }
  setField(0, field(0) + 1.0);
  beginPhase();
}

function nextFrequency(): void {
  const i = <i32>field(32);
  solve();
  setField(48 + (<usize>i << 3), Math.hypot(atProbe(0), atProbe(1)));
  if (i + 1 < frequencies) {
    setField(32, <f64>(i + 1));
    beginPhase();
    return;
  }
  standResult(body + 48, frequencies << 3);
  finish();
}

function solve(): void {
  memory.fill(x, 0, <usize>n << 4);
  along(0, addPiston);
  complexBandSolve(a, n, band, x);
}

function atProbe(part: i32): f64 {
  const h = parameterF64(16);
  return complexValueAt(x, part, parameterF64(own + 104) / h, parameterF64(own + 112) / h);
}

/** ∫ Re p over the piston, and ∫|p|² over a side. */
function addMean(): void {
  for (let i = 0; i < 3; i++) if (edgeNumber(i) >= 0) sum += edgeLength(i) * load<f64>(x + (<usize>edgeNumber(i) << 4));
}

function addSquare(): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      if (edgeNumber(i) < 0 || edgeNumber(j) < 0) continue;
      const p = x + (<usize>edgeNumber(i) << 4), q = x + (<usize>edgeNumber(j) << 4);
      sum += edgeMass(i, j) * (load<f64>(p) * load<f64>(q) + load<f64>(p, 8) * load<f64>(q, 8));
    }
  }
}

function conclude(): void {
  const out = a;
  solve();
  standResult(out, <i32>fieldBytes());
  store<f64>(out, atProbe(0));
  store<f64>(out, atProbe(1), 8);
  sum = 0.0;
  along(0, addMean);
  store<f64>(out, drive * parameterF64(own + 32) * sum, 16);
  let outward = 0.0;
  for (let which = 0; which < 5; which++) {
    if (typeOf(which) != 2.0) continue;
    sum = 0.0;
    along(which, addSquare);
    outward += drive * sum * resistance() / (resistance() * resistance() + reactance() * reactance());
  }
  store<f64>(out, outward, 24);
  store<f64>(out, k * k * eta * squaredNorm(x), 32);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const number = numberOf(i, j), to = out + 40 + (<usize>(j * columns + i) << 3);
      store<f64>(to, number < 0 ? 0.0 : load<f64>(x + (<usize>number << 4)));
      store<f64>(to + (<usize>(columns * rows) << 3), number < 0 ? 0.0 : load<f64>(x + (<usize>number << 4), 8));
    }
  }
  finish();
}
