// multibody.verdict: is the energy kept, and is the motion right?
//
//   two bodies, no softening   the exact Kepler orbit for the caller's own numbers
//   otherwise                  the same run with half the step (radau15: a tenth of ε): E must agree, and the
//                              final positions and velocities are sealed only if they agree to 1e-3
//   force by tree              final accelerations of a sample of bodies against their direct sum, rms
//
// Why positions have a rule of their own: the Pythagorean problem with its energy conserved to 1e-11 still has
// positions wrong by per cents (Szebehely & Peters 1967 for the problem).
//
// Parameters: those of the run (../nbody/problem.ts), then f64
//    0  1 = the Kepler orbit is the reference, 0 = a second run is
//    1  rows of the run     2  P, rows to show     3  bodies in the tree's sample, 0 = direct force
//    4  index of the first of these gates in the declaration
// then the run's result, the second run's result if there is one, the rows (../nbody/record.ts).
//
// Extras: driftPct, momentum drift, angular momentum drift, 1 if the final state is sealed, difference of
// positions, difference of velocities, E₀, K, U, P, S, tree force error; then t[P], driftPct[P], x[P][S], y[P][S].

import { allocate, countStep, openState, restoreState, spend } from "../kernel/frame";
import { BOUND, closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { Status } from "../kernel/status";
import { accelerationsAt, attractionsAt, bodiesStateBytes, count, layBodies, positionsAt, stride } from "../nbody/bodies";
import { CONSERVED } from "../nbody/conserved";
import { evaluateForce, forceCost, layForce } from "../nbody/force";
import { length, propagate } from "../nbody/kepler";
import {
  bodyCount, duration, gravity, massesGiven, positionsGiven, runParametersEnd, shownBodies, softening,
  velocitiesGiven,
} from "../nbody/problem";
import { openSlice } from "../nbody/slice";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

/** Gates in the order of the declaration. */
namespace Gate {
  export const ENERGY: i32 = 0;
  export const KEPLER_POSITION: i32 = 1;
  export const KEPLER_VELOCITY: i32 = 2;
  export const HALF_STEP_ENERGY: i32 = 3;
  export const HALF_STEP_STATE: i32 = 4;
  export const TREE_FORCE: i32 = 5;
}

const EXTRAS: i32 = 12;

// ---- where things stand in the parameters ----------------------------------------------------------------

@inline function head(): usize { return runParametersEnd(); }
@inline function isKepler(): bool { return load<f64>(head()) != 0; }
@inline function rowCount(): i32 { return <i32>load<f64>(head(), 8); }
@inline function plotted(): i32 { return <i32>load<f64>(head(), 16); }
@inline function sampled(): i32 { return <i32>load<f64>(head(), 24); }
@inline function vectorBytes(): usize { return <usize>bodyCount() * 24; }
function resultBytes(): usize { return 16 + 2 * vectorBytes() + (CONSERVED << 3); }
function runResult(index: usize): usize { return head() + 40 + index * resultBytes(); }
function rowsAt(): usize { return runResult(isKepler() ? 1 : 2); }
@inline function finalPositions(index: usize): usize { return runResult(index) + 16; }
@inline function finalVelocities(index: usize): usize { return finalPositions(index) + vectorBytes(); }
@inline function conserved(index: usize): usize { return finalVelocities(index) + vectorBytes(); }
@inline function energyAtEnd(index: usize): f64 { return load<f64>(conserved(index), 104); }

// ---- the run ---------------------------------------------------------------------------------------------

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(bytes: i32): usize { layOut(); return restoreState(bytes); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  treeError = 0;
  if (sampled() > 0) layTreeCheck();
}

export function advance(_steps: i32, budget: i32): i32 {
  openSlice(budget);
  if (sampled() > 0 && !checkTree()) return 0;
  countStep();
  spend(<u64>(40 * bodyCount() + 10 * rowCount() + 2000 + (sampled() > 0 ? forceCost() + 2 * sampled() * bodyCount() : 0)));
  const drift = relative(load<f64>(conserved(0), 16), load<f64>(conserved(0), 8));
  if (!(drift <= BOUND)) { openVerdict(1, 0); energyGate(drift); }
  else if (isKepler()) judgeAgainstKepler(drift);
  else judgeAgainstHalfStep(drift);
  closeVerdict(energyAtEnd(0));
  return 1;
}

function gateRow(index: i32, kind: f64, measured: f64, reference: f64, error: f64, code: i32 = Status.OUTSIDE_TOLERANCE): void {
  gate(<i32>load<f64>(head(), 32) + index, kind, measured, reference, error, BOUND, code);
}

/** No drift is none, also of a system whose energy is 0 throughout. */
@inline function relative(difference: f64, scale: f64): f64 { return difference == 0 ? 0 : difference / scale; }

function energyGate(drift: f64): void {
  gateRow(Gate.ENERGY, Kind.INVARIANT, energyAtEnd(0), load<f64>(conserved(0)), drift, Status.ENERGY_NOT_CONSERVED);
}

// ---- two bodies --------------------------------------------------------------------------------------------

/** Separation and relative velocity, then centre of mass and its velocity. */
const separation = memory.data(24, 16);
const relativeVelocity = memory.data(24, 16);

function judgeAgainstKepler(drift: f64): void {
  const m1 = load<f64>(massesGiven()), m2 = load<f64>(massesGiven(), 8);
  const x = positionsGiven(), v = velocitiesGiven();
  for (let axis: usize = 0; axis < 24; axis += 8) {
    store<f64>(separation + axis, load<f64>(x + axis, 24) - load<f64>(x + axis));
    store<f64>(relativeVelocity + axis, load<f64>(v + axis, 24) - load<f64>(v + axis));
  }
  const mu = gravity() * (m1 + m2);
  propagate(separation, relativeVelocity, mu, duration());
  const r = length(separation);
  const speed = max(length(relativeVelocity), sqrt(mu / r));
  const positionError = orbitError(finalPositions(0), separation, duration()) / r;
  const velocityError = orbitError(finalVelocities(0), relativeVelocity, 0) / speed;
  openVerdict(3 + treeGates(), extrasCount());
  energyGate(drift);
  gateRow(Gate.KEPLER_POSITION, Kind.EXACT, apart(finalPositions(0)), r, positionError);
  gateRow(Gate.KEPLER_VELOCITY, Kind.EXACT, apart(finalVelocities(0)), length(relativeVelocity), velocityError);
  treeGate();
  writeExtras(drift, true, positionError, velocityError);
}

/**
 * Largest distance of a body from where the orbit has it, x = c ∓ (m/M) r about the centre of mass, which moves
 * on for `t` (for velocities: stays, t = 0).
 */
function orbitError(at: usize, r: usize, t: f64): f64 {
  const m1 = load<f64>(massesGiven()), m2 = load<f64>(massesGiven(), 8), total = m1 + m2;
  const x = positionsGiven(), v = velocitiesGiven();
  let first: f64 = 0, second: f64 = 0;
  for (let axis: usize = 0; axis < 24; axis += 8) {
    const drifted = (m1 * load<f64>(v + axis) + m2 * load<f64>(v + axis, 24)) / total;
    const start = (m1 * load<f64>(x + axis) + m2 * load<f64>(x + axis, 24)) / total;
    const centre = t > 0 ? start + t * drifted : drifted;
    const d1 = load<f64>(at + axis) - (centre - m2 / total * load<f64>(r + axis));
    const d2 = load<f64>(at + axis, 24) - (centre + m1 / total * load<f64>(r + axis));
    first += d1 * d1; second += d2 * d2;
  }
  return sqrt(max(first, second));
}

function apart(at: usize): f64 {
  const x = load<f64>(at, 24) - load<f64>(at), y = load<f64>(at, 32) - load<f64>(at, 8), z = load<f64>(at, 40) - load<f64>(at, 16);
  return sqrt(x * x + y * y + z * z);
}

// ---- three and more ----------------------------------------------------------------------------------------

function judgeAgainstHalfStep(drift: f64): void {
  const positions = difference(finalPositions(0), finalPositions(1));
  const velocities = difference(finalVelocities(0), finalVelocities(1));
  const sealed = positions <= BOUND && velocities <= BOUND;
  openVerdict((sealed ? 3 : 2) + treeGates(), extrasCount());
  energyGate(drift);
  const energy = energyAtEnd(0), finer = energyAtEnd(1);
  gateRow(Gate.HALF_STEP_ENERGY, Kind.ESTIMATE, energy, finer, relative(abs(energy - finer), load<f64>(conserved(0), 8)));
  if (sealed) gateRow(Gate.HALF_STEP_STATE, Kind.ESTIMATE, extent(finalPositions(0)), extent(finalPositions(1)), max(positions, velocities));
  treeGate();
  writeExtras(drift, sealed, positions, velocities);
}

const centre = memory.data(24, 16);

/** Mass-weighted mean of the vectors at `at`, into `centre`. */
function findCentre(at: usize): void {
  let total: f64 = 0, x: f64 = 0, y: f64 = 0, z: f64 = 0;
  for (let i = 0; i < bodyCount(); i++, at += 24) {
    const m = load<f64>(massesGiven() + (<usize>i << 3));
    total += m; x += m * load<f64>(at); y += m * load<f64>(at, 8); z += m * load<f64>(at, 16);
  }
  store<f64>(centre, x / total); store<f64>(centre, y / total, 8); store<f64>(centre, z / total, 16);
}

/** Largest distance from the centre of mass. */
function extent(at: usize): f64 {
  findCentre(at);
  let largest: f64 = 0;
  for (const end = at + vectorBytes(); at < end; at += 24) largest = max(largest, squareBetween(at, centre));
  return sqrt(largest);
}

/** Largest distance between the two runs' vectors of one body, over the extent of the system. */
function difference(a: usize, b: usize): f64 {
  let largest: f64 = 0;
  for (let p: usize = 0; p < vectorBytes(); p += 24) largest = max(largest, squareBetween(a + p, b + p));
  return relative(sqrt(largest), extent(b));
}

function squareBetween(a: usize, b: usize): f64 {
  const x = load<f64>(a) - load<f64>(b), y = load<f64>(a, 8) - load<f64>(b, 8), z = load<f64>(a, 16) - load<f64>(b, 16);
  return x * x + y * y + z * z;
}

// ---- the tree ------------------------------------------------------------------------------------------------

let treeError: f64 = 0;
let treeSize: f64 = 0;
let treeReference: f64 = 0;

/** The bodies where the run left them. */
function layTreeCheck(): void {
  layBodies(allocate(bodiesStateBytes()));
  for (let i: usize = 0; i < <usize>count; i++) {
    for (let axis: usize = 0; axis < 3; axis++) {
      store<f64>(positionsAt + axis * stride + (i << 3), load<f64>(finalPositions(0) + 24 * i + (axis << 3)));
    }
  }
  layForce();
}

/**
 * The tree's accelerations of a sample of bodies, evenly chosen by index, against the direct sum:
 * √(Σ|a − a_direct|² / Σ|a_direct|²). False when the slice is spent first.
 */
function checkTree(): bool {
  if (!evaluateForce()) return false;
  let error: f64 = 0, size: f64 = 0, reference: f64 = 0;
  for (let k = 0; k < sampled(); k++) {
    const at = <usize>(<i64>k * count / sampled()) << 3;
    directSum(at);
    for (let axis: usize = 0; axis < 3; axis++) {
      const a = load<f64>(accelerationsAt + axis * stride + at), exact = load<f64>(centre + (axis << 3));
      error += (a - exact) * (a - exact);
      size += a * a;
      reference += exact * exact;
    }
  }
  treeSize = sqrt(size); treeReference = sqrt(reference);
  treeError = relative(sqrt(error), treeReference);
  return true;
}

/** Acceleration of the body `at` bytes into the arrays, into `centre`. */
function directSum(at: usize): void {
  const x = load<f64>(positionsAt + at), y = load<f64>(positionsAt + stride + at), z = load<f64>(positionsAt + 2 * stride + at);
  const eps2 = softening() * softening();
  let ax: f64 = 0, ay: f64 = 0, az: f64 = 0;
  for (let j: usize = 0; j < <usize>count << 3; j += 8) {
    if (j == at) continue;
    const p = positionsAt + j;
    const dx = load<f64>(p) - x, dy = load<f64>(p + stride) - y, dz = load<f64>(p + 2 * stride) - z;
    const inverse = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + eps2);
    const w = load<f64>(attractionsAt + j) * inverse * inverse * inverse;
    ax += w * dx; ay += w * dy; az += w * dz;
  }
  store<f64>(centre, ax); store<f64>(centre, ay, 8); store<f64>(centre, az, 16);
}

@inline function treeGates(): i32 { return sampled() > 0 ? 1 : 0; }

function treeGate(): void {
  if (sampled() > 0) gateRow(Gate.TREE_FORCE, Kind.ESTIMATE, treeSize, treeReference, treeError);
}

// ---- what is shown -------------------------------------------------------------------------------------------

function extrasCount(): i32 { return EXTRAS + plotted() * (2 + 2 * shownBodies()); }

function writeExtras(drift: f64, sealed: bool, positions: f64, velocities: f64): void {
  const to = extras(), kept = conserved(0);
  store<f64>(to, 100.0 * drift);
  store<f64>(to, load<f64>(kept, 88), 8);
  store<f64>(to, load<f64>(kept, 96), 16);
  store<f64>(to, sealed ? 1 : 0, 24);
  store<f64>(to, positions, 32);
  store<f64>(to, velocities, 40);
  store<f64>(to, load<f64>(kept), 48);
  store<f64>(to, load<f64>(kept, 112), 56);
  store<f64>(to, load<f64>(kept, 120), 64);
  store<f64>(to, <f64>plotted(), 72);
  store<f64>(to, <f64>shownBodies(), 80);
  store<f64>(to, treeError, 88);
  writeSeries(to + (<usize>EXTRAS << 3));
}

/** P of the rows, evenly chosen, first and last among them, as columns. */
function writeSeries(times: usize): void {
  const rows = rowCount(), chosen = plotted(), bodies = shownBodies();
  const rowBytes = <usize>(2 + 3 * bodies) << 3;
  const drifts = times + (<usize>chosen << 3);
  let x = drifts + (<usize>chosen << 3);
  let y = x + (<usize>(chosen * bodies) << 3);
  for (let k = 0; k < chosen; k++) {
    const index = chosen > 1 ? k * (rows - 1) / (chosen - 1) : 0;
    const row = rowsAt() + <usize>index * rowBytes;
    store<f64>(times + (<usize>k << 3), load<f64>(row));
    store<f64>(drifts + (<usize>k << 3), 100.0 * load<f64>(row, 8));
    for (let i = 0; i < bodies; i++, x += 8, y += 8) {
      const at = row + 16 + <usize>(24 * i);
      store<f64>(x, load<f64>(at));
      store<f64>(y, load<f64>(at, 8));
    }
  }
}
