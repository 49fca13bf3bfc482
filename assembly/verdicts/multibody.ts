// multibody.verdict: is the energy kept, is it the energy, and is the motion right?
//
//   one body                   a straight line at constant speed
//   two bodies, no softening   the exact Kepler orbit for the caller's own numbers
//   otherwise                  the same run with half the step (radau15: a tenth of ε; of a tree also 0.7 of its
//                              opening angle): E must agree, and the final positions and velocities are sealed only
//                              if by both they are right to 1e-3; beside it a twin, two bodies with the same integrator and step, against their Kepler orbit
//   direct sum                 E of the final state summed anew, pair by pair
//   tree                       E of the first state summed so, which is what a true motion keeps; final accelerations
//                              and potentials of a sample of bodies against their direct sum
//
// A tree that is right to 1e-3 of the potential may be wrong by per cents of E = K + U where both nearly cancel, and
// keeps what it has wrong; hence all pairs, whatever they cost beside a few steps.
//
// Half a step finds what is not resolved, not what is resolved wrongly: a kernel that left out a block of pairs
// would conserve the energy of another system, and one with a wrong step would agree with itself. The sums here
// and the twin are for that; they share no code with the force of the run.
//
// Why positions have a rule of their own: the Pythagorean problem with its energy conserved to 1e-11 still has
// positions wrong by per cents (Szebehely & Peters 1967 for the problem).
//
// Parameters: those of the run (../nbody/problem.ts), then f64
//    0  1 = the line or the Kepler orbit is the reference, 0 = a second run and a twin are
//    1  rows of the run     2  P, rows to show     3  index of the first of these gates in the declaration
// then the twin's parameters if there is one, the run's result, the second run's and the twin's if there are such,
// the rows (../nbody/record.ts).
//
// Extras: driftPct, momentum drift, angular momentum drift, 1 if the final state is sealed, difference of
// positions, difference of velocities, E₀, K, U, P, S, tree force error; then t[P], driftPct[P], x[P][S], y[P][S],
// diagnostics of x of the first body (40).

import { DIAGNOSTICS, diagnosticsScratch, profileWork, writeStaticProfile } from "../diagnostics/diagnostics";
import { allocate, countStep, openState, parameters, restoreState, spend } from "../kernel/frame";
import { BOUND, closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { Status } from "../kernel/status";
import { CONSERVED } from "../nbody/conserved";
import { length, propagate } from "../nbody/kepler";
import {
  bodyCount, gravity, HEADER_F64, massesGiven, positionsGiven, runParametersEnd, sampledBodies, schemeCode, shownBodies,
  softening, usesTree, velocitiesGiven,
} from "../nbody/problem";
import { openSlice, sliceSpent, take } from "../nbody/slice";

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
  export const ENERGY_ANEW: i32 = 5;
  export const TREE_FORCE: i32 = 6;
  export const TREE_POTENTIAL: i32 = 7;
  export const TWIN: i32 = 8;
  export const FREE_MOTION: i32 = 9;
  export const ENERGY_AT_END: i32 = 10;
}

const EXTRAS: i32 = 12;

let coordinate: usize = 0, scratch: usize = 0;

// ---- where things stand in the parameters ----------------------------------------------------------------

const OWN_BYTES: usize = 32;
/** A run of two bodies: parameters, and result. */
const PAIR_PARAMETERS: usize = (<usize>HEADER_F64 << 3) + 2 * 56;
const PAIR_RESULT: usize = 16 + 2 * 48 + (CONSERVED << 3);

@inline function head(): usize { return runParametersEnd(); }
@inline function isExact(): bool { return load<f64>(head()) != 0; }
@inline function rowCount(): i32 { return <i32>load<f64>(head(), 8); }
@inline function plotted(): i32 { return <i32>load<f64>(head(), 16); }
@inline function vectorBytes(): usize { return <usize>bodyCount() * 24; }
@inline function resultBytes(): usize { return 16 + 2 * vectorBytes() + (CONSERVED << 3) + (<usize>sampledBodies() << 5); }
@inline function twinParameters(): usize { return head() + OWN_BYTES; }
function runResult(index: usize): usize {
  return head() + OWN_BYTES + (isExact() ? 0 : PAIR_PARAMETERS) + index * resultBytes();
}
@inline function twinResult(): usize { return runResult(2); }
function rowsAt(): usize { return isExact() ? runResult(1) : twinResult() + PAIR_RESULT; }
@inline function finalPositions(index: usize): usize { return runResult(index) + 16; }
@inline function finalVelocities(index: usize): usize { return finalPositions(index) + vectorBytes(); }
@inline function conserved(index: usize): usize { return finalVelocities(index) + vectorBytes(); }
@inline function sampleAt(): usize { return conserved(0) + (CONSERVED << 3); }
@inline function energyAtEnd(index: usize): f64 { return load<f64>(conserved(index), 104); }

// ---- the run ---------------------------------------------------------------------------------------------

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(bytes: i32): usize { layOut(); return restoreState(bytes); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  coordinate = allocate(<usize>plotted() << 3);
  scratch = allocate(<usize>diagnosticsScratch(plotted()) << 3);
  cursor = 0; sampled = 0;
  potential = 0; kinetic = 0;
  forceError = 0; forceSize = 0; forceReference = 0;
  potentialError = 0; potentialSize = 0; potentialReference = 0;
}

/** One step; it returns 0 while it sums. */
export function advance(_steps: i32, budget: i32): i32 {
  openSlice(budget);
  if (!sumSample() || !sumEnergy()) return 0;
  countStep();
  spend(workOfSums() + <u64>(40 * bodyCount() + 10 * rowCount() + 2000) + profileWork(plotted()));
  const drift = relative(load<f64>(conserved(0), 16), load<f64>(conserved(0), 8));
  if (!(drift <= BOUND)) { openVerdict(1, 0); driftGate(drift); }
  else if (!isExact()) judgeAgainstHalfStep(drift);
  else if (bodyCount() == 1) judgeFreeMotion(drift);
  else judgeAgainstKepler(drift);
  closeVerdict(energyAtEnd(0));
  return 1;
}

function driftGate(drift: f64): void {
  gateRow(Gate.ENERGY, Kind.INVARIANT, energyAtEnd(0), load<f64>(conserved(0)), drift, Status.ENERGY_NOT_CONSERVED);
}

/** The drift is measured by K and U where E is small beside them; E is the value, and so held by itself too. */
function energyGate(): void {
  const start = load<f64>(conserved(0)), end = energyAtEnd(0);
  gateRow(Gate.ENERGY_AT_END, Kind.EXACT, end, start, relativeError(end, start, load<f64>(conserved(0), 8)));
}

function gateRow(index: i32, kind: f64, measured: f64, reference: f64, error: f64, code: i32 = Status.OUTSIDE_TOLERANCE): void {
  gate(<i32>load<f64>(head(), 24) + index, kind, measured, reference, error, BOUND, code);
}

/** No drift is none, also of a system whose energy is 0 throughout. */
@inline function relative(difference: f64, scale: f64): f64 { return difference == 0 ? 0 : difference / scale; }

// ---- one body ----------------------------------------------------------------------------------------------

/** A body that nothing attracts: x₀ + vt, beside the way it went or its coordinates. */
function judgeFreeMotion(drift: f64): void {
  const x = massesGiven() + 8, v = x + 24, t = load<f64>(parameters(), 24);
  let lost: f64 = 0, gained: f64 = 0;
  for (let axis: usize = 0; axis < 24; axis += 8) {
    const d = load<f64>(finalPositions(0) + axis) - (load<f64>(x + axis) + t * load<f64>(v + axis));
    const w = load<f64>(finalVelocities(0) + axis) - load<f64>(v + axis);
    lost += d * d; gained += w * w;
  }
  const way = t * length(v);
  positionError = relative(sqrt(lost), max(way, length(x)));
  velocityError = relative(sqrt(gained), length(v));
  openVerdict(3 + sumGates(), extrasCount());
  driftGate(drift);
  gateRow(Gate.FREE_MOTION, Kind.EXACT, sqrt(squareBetween(finalPositions(0), x)), way, max(positionError, velocityError));
  sumGate();
  energyGate();
  writeExtras(drift, true, positionError, velocityError);
}

// ---- two bodies --------------------------------------------------------------------------------------------

/** Separation and relative velocity. */
const separation = memory.data(24, 16);
const relativeVelocity = memory.data(24, 16);
let orbitDistance: f64 = 0;
let orbitSpeed: f64 = 0;
let positionError: f64 = 0;
let velocityError: f64 = 0;

function judgeAgainstKepler(drift: f64): void {
  followOrbit(parameters(), runResult(0));
  openVerdict(4 + sumGates(), extrasCount());
  driftGate(drift);
  gateRow(Gate.KEPLER_POSITION, Kind.EXACT, apart(finalPositions(0)), orbitDistance, positionError);
  gateRow(Gate.KEPLER_VELOCITY, Kind.EXACT, apart(finalVelocities(0)), orbitSpeed, velocityError);
  sumGate();
  energyGate();
  writeExtras(drift, true, positionError, velocityError);
}

/** Errors of a run of two bodies, by its parameters and its result: of positions over the distance, of velocities
 *  over the relative speed or √(μ/r), whichever is larger. */
function followOrbit(run: usize, result: usize): void {
  const masses = run + (<usize>HEADER_F64 << 3), x = masses + 16, v = x + 48;
  for (let axis: usize = 0; axis < 24; axis += 8) {
    store<f64>(separation + axis, load<f64>(x + axis, 24) - load<f64>(x + axis));
    store<f64>(relativeVelocity + axis, load<f64>(v + axis, 24) - load<f64>(v + axis));
  }
  const mu = load<f64>(run, 32) * (load<f64>(masses) + load<f64>(masses, 8)), t = load<f64>(run, 24);
  propagate(separation, relativeVelocity, mu, t);
  orbitDistance = length(separation);
  orbitSpeed = length(relativeVelocity);
  positionError = orbitError(masses, result + 16, separation, t) / orbitDistance;
  velocityError = orbitError(masses, result + 64, relativeVelocity, 0) / max(orbitSpeed, sqrt(mu / orbitDistance));
}

/**
 * Largest distance of a body from where the orbit has it, x = c ∓ (m/M) r about the centre of mass, which moves
 * on for `t` (for velocities: stays, t = 0).
 */
function orbitError(masses: usize, at: usize, r: usize, t: f64): f64 {
  const m1 = load<f64>(masses), m2 = load<f64>(masses, 8), total = m1 + m2;
  const x = masses + 16, v = x + 48;
  let first: f64 = 0, second: f64 = 0;
  for (let axis: usize = 0; axis < 24; axis += 8) {
    const drifted = (m1 * load<f64>(v + axis) + m2 * load<f64>(v + axis, 24)) / total;
    const start = (m1 * load<f64>(x + axis) + m2 * load<f64>(x + axis, 24)) / total;
    const middle = t > 0 ? start + t * drifted : drifted;
    const d1 = load<f64>(at + axis) - (middle - m2 / total * load<f64>(r + axis));
    const d2 = load<f64>(at + axis, 24) - (middle + m1 / total * load<f64>(r + axis));
    first += d1 * d1; second += d2 * d2;
  }
  return sqrt(max(first, second));
}

function apart(at: usize): f64 { return sqrt(squareBetween(at, at + 24)); }

// ---- three and more ----------------------------------------------------------------------------------------

function judgeAgainstHalfStep(drift: f64): void {
  const whole = wholeError();
  const positions = whole * difference(finalPositions(0), finalPositions(1));
  const velocities = whole * difference(finalVelocities(0), finalVelocities(1));
  const sealed = positions <= BOUND && velocities <= BOUND;
  openVerdict((sealed ? 5 : 4) + sumGates(), extrasCount());
  driftGate(drift);
  const energy = energyAtEnd(0), finer = energyAtEnd(1);
  gateRow(Gate.HALF_STEP_ENERGY, Kind.ESTIMATE, energy, finer, whole * relative(abs(energy - finer), load<f64>(conserved(0), 8)));
  if (sealed) gateRow(Gate.HALF_STEP_STATE, Kind.ESTIMATE, extent(finalPositions(0)), extent(finalPositions(1)), max(positions, velocities));
  sumGate();
  followOrbit(twinParameters(), twinResult());
  gateRow(Gate.TWIN, Kind.TWIN, apart(twinResult() + 16), orbitDistance, max(positionError, velocityError));
  energyGate();
  writeExtras(drift, sealed, positions, velocities);
}

/**
 * Half the step leaves 2⁻ᵖ of the error of order p, so the difference is 1 − 2⁻ᵖ of it; of radau15 it is nearly all. That of
 * a tree with quadrupoles falls as the third power of its opening angle or faster, so 0.7 of it shows 0.66 of the error.
 */
function wholeError(): f64 {
  const scheme = schemeCode();
  if (usesTree()) return 1.5;
  return scheme == 0 ? 4.0 / 3.0 : scheme == 1 ? 16.0 / 15.0 : scheme == 2 ? 64.0 / 63.0 : 1.0;
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

// ---- sums of its own ---------------------------------------------------------------------------------------

/** The body whose sum is next, and the place in the sample. */
let cursor: i32 = 0, sampled: i32 = 0;
let potential: f64 = 0;
let kinetic: f64 = 0;

/** E of the final state, of a tree's run that of the first, pair by pair; false when the slice is spent first. */
function sumEnergy(): bool {
  const isFirst = sampledBodies() > 0;
  const places = isFirst ? positionsGiven() : finalPositions(0), speeds = isFirst ? velocitiesGiven() : finalVelocities(0);
  for (; cursor < bodyCount(); cursor++) {
    if (sliceSpent()) return false;
    const mass = load<f64>(massesGiven() + (<usize>cursor << 3));
    const v = speeds + <usize>cursor * 24;
    kinetic += 0.5 * mass * (load<f64>(v) * load<f64>(v) + load<f64>(v, 8) * load<f64>(v, 8) + load<f64>(v, 16) * load<f64>(v, 16));
    attraction(places, cursor, cursor + 1);
    potential -= mass * load<f64>(field, 24);
    take(3 * (bodyCount() - cursor));
  }
  return true;
}

/** ax ay az and Σ G m/r at body i of the `places` from the bodies from `first` on, i left out. */
const field = memory.data(32, 16);

function attraction(places: usize, i: i32, first: i32): void {
  const at = places + <usize>i * 24, G = gravity(), eps2 = softening() * softening();
  const x = load<f64>(at), y = load<f64>(at, 8), z = load<f64>(at, 16);
  let ax: f64 = 0, ay: f64 = 0, az: f64 = 0, phi: f64 = 0;
  for (let j = first; j < bodyCount(); j++) {
    if (j == i) continue;
    const p = places + <usize>j * 24;
    const dx = load<f64>(p) - x, dy = load<f64>(p, 8) - y, dz = load<f64>(p, 16) - z;
    const r2 = dx * dx + dy * dy + dz * dz + eps2;
    const u = G * load<f64>(massesGiven() + (<usize>j << 3)) / sqrt(r2), w = u / r2;
    phi += u; ax += w * dx; ay += w * dy; az += w * dz;
  }
  store<f64>(field, ax); store<f64>(field, ay, 8); store<f64>(field, az, 16); store<f64>(field, phi, 24);
}

/** Sums over the sample: squares of the error, of what the tree has, of the direct sum. */
let forceError: f64 = 0;
let forceSize: f64 = 0;
let forceReference: f64 = 0;
let potentialError: f64 = 0;
let potentialSize: f64 = 0;
let potentialReference: f64 = 0;

function sumSample(): bool {
  for (; sampled < sampledBodies(); sampled++) {
    if (sliceSpent()) return false;
    attraction(finalPositions(0), <i32>(<i64>sampled * bodyCount() / sampledBodies()), 0);
    const by = sampleAt() + (<usize>sampled << 5);
    for (let axis: usize = 0; axis < 24; axis += 8) {
      const a = load<f64>(by + axis), exact = load<f64>(field + axis);
      forceError += (a - exact) * (a - exact); forceSize += a * a; forceReference += exact * exact;
    }
    const phi = load<f64>(by, 24), exact = load<f64>(field, 24);
    potentialError += (phi - exact) * (phi - exact); potentialSize += phi * phi; potentialReference += exact * exact;
    take(3 * bodyCount());
  }
  return true;
}

function workOfSums(): u64 {
  const bodies = <u64>bodyCount();
  return 3 * (<u64>sampledBodies() * bodies + bodies * (bodies - 1) / 2);
}

@inline function sumGates(): i32 { return sampledBodies() > 0 ? 3 : 1; }
@inline function treeForceError(): f64 { return relative(sqrt(forceError), sqrt(forceReference)); }

function sumGate(): void {
  const anew = kinetic + potential;
  const error = relativeError(energyAtEnd(0), anew, load<f64>(conserved(0), 8));
  gateRow(Gate.ENERGY_ANEW, Kind.CERTIFICATE, energyAtEnd(0), anew, error);
  if (sampledBodies() == 0) return;
  gateRow(Gate.TREE_FORCE, Kind.ESTIMATE, sqrt(forceSize), sqrt(forceReference), treeForceError());
  const lost = relative(sqrt(potentialError), sqrt(potentialReference));
  gateRow(Gate.TREE_POTENTIAL, Kind.ESTIMATE, sqrt(potentialSize), sqrt(potentialReference), lost);
}

// ---- what is shown -------------------------------------------------------------------------------------------

@inline function columnsCount(): i32 { return EXTRAS + plotted() * (2 + 2 * shownBodies()); }
@inline function extrasCount(): i32 { return columnsCount() + DIAGNOSTICS; }

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
  store<f64>(to, treeForceError(), 88);
  writeSeries(to + (<usize>EXTRAS << 3));
  writeDiagnostics(to);
}

/** Of x of the first body over the times that are shown. */
function writeDiagnostics(to: usize): void {
  const many = plotted(), across = to + (<usize>(EXTRAS + 2 * many) << 3), stride = <usize>shownBodies() << 3;
  for (let k = 0; k < many; k++) store<f64>(coordinate + (<usize>k << 3), load<f64>(across + <usize>k * stride));
  writeStaticProfile(to + (<usize>columnsCount() << 3), coordinate, many, scratch);
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
