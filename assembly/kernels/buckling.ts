// Buckling of a column: (EI w″)″ + (N w′)′ + k_f w = 0, N = P + q (L − x), the lowest P and its mode.
//
// K w = P G w in cubic Hermite elements (assembly/beam/hermite.ts), order 4. How many loads lie below σ is the number
// of negative pivots of K − σG (Sylvester), since G is positive on what is not held. Bisection on that number gives
// the four lowest loads; inverse iteration from a shift 1e-6 below the lowest gives its mode, and the Rayleigh quotient
// the load. The factors at that shift and at one as far above it are the certificate: 0 and at least 1 lie below.
//
// Parameters: assembly/beam/column.ts, with elements of each piece.
// State body (f64): 0, 8 bracket of the load that is sought · 16 … 40 four loads · 48, 56 loads below and above ·
//   64 the lowest load · 72 the mode: w and w′ of each node. Loads without unit, in EI/L² of the foot.
// Result (f64): 0 P [N] · 8, 16 loads found below P(1 − 1e-6) and P(1 + 1e-6) · 24 … 48 the four loads [N] ·
//   56 129 w at equal distances from the foot on, the largest of size 1
//
// Steps: 56 halvings for each load, the inverse iteration, the count above: 226. A step is one factorisation.

import {
  allocate, countStep, finish, openResult, openState, restoreState, running, show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { foundation, lowerStiffness, growthOf, piecePower, pieces, readColumn, unitLoad, weight } from "../beam/column";
import {
  assemble, BAND, elementCount, matrixBytes, normaliseShape, sampleShape, SAMPLES,
} from "../beam/hermite";
import { bandDot, bandSolve, bandTimes, factorRows } from "../linear/banded";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const LOADS: i32 = 4;
const HALVINGS: i32 = 56;
const ITERATIONS: i32 = 6;
const OFFSET: f64 = 1e-6;
const SCALARS: usize = 72;
/** Work units of a factorisation, per unknown. */
const UNITS: u64 = 25;

let body: usize = 0, k: usize = 0, g: usize = 0, factors: usize = 0, scratch: usize = 0, image: usize = 0;
let n: i32 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

function prepare(): void {
  readColumn();
  n = 2 * elementCount() + 2;
  body = openState(SCALARS + (<usize>n << 3));
  watchFinite(body, <i32>(SCALARS >> 3) + n);
  k = allocate(matrixBytes(n));
  g = allocate(matrixBytes(n));
  factors = allocate(matrixBytes(n));
  image = allocate(<usize>n << 3);
  scratch = allocate(32);
  assemble(k, g, scratch);
}

export function start(_budget: i32): i32 {
  prepare();
  setField(0, -weight); // where no part of the column is pressed
  setField(8, highest());
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/** Above the fourth load: of the clamped column it is below (5π)² EI, and w = 0 at both ends gives ∫w² ≤ ∫w′²/π². */
function highest(): f64 {
  let most = 0.0;
  for (let piece = 0; piece < pieces; piece++) {
    const lower = lowerStiffness(piece);
    most = max(most, max(lower, lower * Math.pow(1.0 + growthOf(piece), piecePower(piece))));
  }
  return 1.5 * (25.0 * Math.PI * Math.PI * most + foundation / (Math.PI * Math.PI));
}

/** Factors of K − σG; how many loads lie below σ. */
function loadsBelow(shift: f64): i32 {
  const bytes = matrixBytes(n);
  for (let at: usize = 0; at < bytes; at += 16) {
    const product = f64x2.mul(f64x2.splat(shift), v128.load(g + at));
    v128.store(factors + at, f64x2.sub(v128.load(k + at), product));
  }
  return factorRows(factors, BAND, 0, n, 1e-300);
}

function halve(load: i32): void {
  const middle = 0.5 * (field(0) + field(8));
  if (loadsBelow(middle) > load) setField(8, middle); else setField(0, middle);
}

function noteLoad(load: i32): void {
  setField(16 + (<usize>load << 3), 0.5 * (field(0) + field(8)));
  setField(8, highest());
}

/** Distance of the shifts from the lowest load; self-weight is the scale where the load is nearly 0. */
function offset(): f64 { return OFFSET * (abs(field(16)) + weight); }

/** The mode by inverse iteration from just below its load, and the load as its Rayleigh quotient. */
function iterate(): void {
  const x = body + SCALARS;
  setField(48, <f64>loadsBelow(field(16) - offset()));
  for (let i = 0; i < n; i++) store<f64>(x + (<usize>i << 3), 1.0 / <f64>(1 + i));
  for (let round = 0; round < ITERATIONS; round++) {
    bandTimes(g, n, BAND, x, image);
    memory.copy(x, image, <usize>n << 3);
    bandSolve(factors, n, BAND, x);
    const size = sqrt(bandDot(x, x, n));
    for (let i = 0; i < n; i++) store<f64>(x + (<usize>i << 3), load<f64>(x + (<usize>i << 3)) / size);
  }
  bandTimes(k, n, BAND, x, image);
  const bending = bandDot(x, image, n);
  bandTimes(g, n, BAND, x, image);
  setField(64, bending / bandDot(x, image, n));
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const step = <i32>stepsDone(), load = step / HALVINGS;
    if (load < LOADS) {
      halve(load);
      if (step % HALVINGS == HALVINGS - 1) noteLoad(load);
    } else if (step == LOADS * HALVINGS) {
      iterate();
    } else {
      setField(56, <f64>loadsBelow(field(16) + offset()));
      conclude();
    }
    countStep();
    spend(<u64>n * UNITS);
    taken++;
  }
  show(0, field(16) * unitLoad);
  return taken;
}

function conclude(): void {
  const out = openResult(56 + SAMPLES * 8);
  store<f64>(out, field(64) * unitLoad);
  store<f64>(out, field(48), 8);
  store<f64>(out, field(56), 16);
  for (let i: usize = 0; i < <usize>LOADS; i++) store<f64>(out + (i << 3), field(16 + (i << 3)) * unitLoad, 24);
  sampleShape(body + SCALARS, out + 56, scratch);
  normaliseShape(out + 56);
  finish();
}
