// Verdict of `buckling`: the load of the elements beside the equation's own, found by shooting (assembly/beam/
// shooting.ts, which shares nothing with elements or factors), beside closed forms, and beside itself on three meshes.
//
// Parameters (f64): those of assembly/beam/column.ts, with panels of each piece; then
//   0 A [m²], 0: none · 8 σ_Y [Pa] · 16 loads in the table · 24 elements, then the results of the runs with h, 2h, 4h
//   (1088 bytes each, assembly/kernels/buckling.ts)
// Extras (f64): 0 P [N] · 8 effective length [m] · 16 K · 24 slenderness · 32 largest stress [Pa] (0: none) · 40 N
//   48 loads in the table · 56 … 80 they [N] · 88 129 x [m] · 129 w · diagnostics of w (40)
//
// Gates: 0 P by shooting · 1 P by closed form · 2 FE loads below · 3 FE loads above · 4 loads below by shooting ·
//   5 meshes · 6 the other loads of the table · 7 the mode, where no other load is within 1 %

import { allocate, countStep, fail, openState, parameterF64, restoreState, running, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { estimateOfLevels } from "../math/richardson";
import {
  columnEnd, ends, foundation, growthOf, HEAD, length, pieceParts, PIECE, pieces, readColumn, stiffness, unitLoad, weight,
} from "../beam/column";
import { criticalLoad, loadsUnder, openShooting } from "../beam/shooting";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SAMPLES: i32 = 129;
const RESULT: usize = 1088;
const SCALARS: i32 = 11;
/** Work units: a panel, of a piece that tapers or not, for each load; and all that is done once. */
const PANEL: u64 = 40000;
const TAPERED: u64 = 90000;
const ONCE: u64 = 1200000;
/** Share of a column's own weight below which the load that it bears beside it is none. */
const NOTHING: f64 = 1e-5;

let own: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readColumn();
  own = columnEnd();
  openShooting();
  scratch = allocate(<usize>diagnosticsScratch(SAMPLES) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  let units: u64 = 0;
  for (let piece = 0; piece < pieces; piece++) units += <u64>pieceParts(piece) * (growthOf(piece) == 0.0 ? PANEL : TAPERED);
  judge();
  spend(units * <u64>table() + ONCE);
  countStep();
  return 1;
}

@inline function table(): i32 { return <i32>parameterF64(own + 16); }
/** A number of the run with 1, 2 or 4 times h (level 0, 1, 2). */
@inline function ofRun(level: i32, offset: usize): f64 { return parameterF64(own + 32 + <usize>level * RESULT + offset); }

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  const closed = closedForm(), alone = abs(ofRun(0, 32) - ofRun(0, 24)) > 0.01 * scaleOf(ofRun(0, 24));
  const rows = 5 + (closed > 0.0 ? 1 : 0) + (table() > 1 ? 1 : 0) + (alone ? 1 : 0);
  openVerdict(rows, SCALARS + 2 * SAMPLES + DIAGNOSTICS);
  const load = ofRun(0, 0), scale = scaleOf(load);
  const exact = exactLoad(0, load);
  gate(0, Kind.EXACT, load, exact == exact ? exact : 0.0, exact == exact ? abs(load - exact) / scaleOf(exact) : 1.0);
  if (closed > 0.0) gate(1, Kind.EXACT, load, closed, relativeError(load, closed));
  countGates(load, scale);
  gate(5, Kind.ESTIMATE, load, ofRun(1, 0), estimateOfLevels(load, ofRun(1, 0), ofRun(2, 0), 4.0, scale));
  if (table() > 1) tableGate();
  if (alone) shapeGate();
  writeExtras(load);
  yieldTest(load);
  closeVerdict(load);
}

/** What errors of a load are measured by: its size, or what is nothing beside all that presses on the foot. */
function scaleOf(load: f64): f64 { return max(abs(load), NOTHING * (abs(load) + weight * unitLoad)); }

/** The load of the equation that stands at the same place of the table as one of the elements, near that [N]. */
function exactLoad(index: i32, load: f64): f64 {
  return criticalLoad(index, load / unitLoad, 2e-3 * scaleOf(load) / unitLoad) * unitLoad;
}

function countGates(load: f64, scale: f64): void {
  gate(2, Kind.CERTIFICATE, ofRun(0, 8), 0.0, ofRun(0, 8), 0.0);
  const absent = ofRun(0, 16) >= 1.0 ? 0.0 : 1.0;
  gate(3, Kind.CERTIFICATE, absent, 0.0, absent, 0.0);
  const below = <f64>loadsUnder((load - 1e-3 * scale) / unitLoad);
  gate(4, Kind.CERTIFICATE, below, 0.0, below, 0.0);
}

/** π²EI/(KL)², and on a foundation the least of EI(mπ/L)² + k_f(L/mπ)²; 0 where there is none. */
function closedForm(): f64 {
  const uniform = pieces == 1 && growthOf(0) == 0.0;
  if (!uniform || weight != 0.0 || (foundation != 0.0 && ends != 0)) return 0.0;
  const square = Math.PI * Math.PI;
  if (ends == 1) return 0.25 * square * unitLoad;
  if (ends == 2) return 4.0 * square * unitLoad;
  if (ends == 3) return 20.190728556426629 * unitLoad; // tan x = x, x²
  let least = square + foundation / square, next = least;
  for (let m = 2.0; next <= least; m++) {
    least = next;
    next = m * m * square + foundation / (m * m * square);
  }
  return least * unitLoad;
}

function tableGate(): void {
  let worst = 0.0, measured = ofRun(0, 24), reference = measured;
  for (let i = 1; i < table(); i++) {
    const load = ofRun(0, 24 + (<usize>i << 3)), exact = exactLoad(i, load);
    const error = exact == exact ? abs(load - exact) / scaleOf(exact) : 1.0;
    if (!(error <= worst) || i == 1) { worst = error; measured = load; reference = exact == exact ? exact : 0.0; }
  }
  gate(6, Kind.EXACT, measured, reference, worst);
}

/**
 * The mode beside those of the meshes 2h and 4h, over the largest w, which is 1: how far two are apart at most has an order
 * (what they are apart by at one place has none: it lies between other nodes in each).
 */
function shapeGate(): void {
  let fine = 0.0, coarse = 0.0, measured = 0.0, reference = 0.0;
  for (let i = 0; i < SAMPLES; i++) {
    const at: usize = 56 + (<usize>i << 3), apart = abs(ofRun(0, at) - ofRun(1, at));
    coarse = max(coarse, abs(ofRun(1, at) - ofRun(2, at)));
    if (!(apart <= fine)) { fine = apart; measured = ofRun(0, at); reference = ofRun(1, at); }
  }
  gate(7, Kind.ESTIMATE, measured, reference, estimateOfLevels(0.0, fine, fine + coarse, 4.0, 1.0));
}

// ---- what stands beside the value ----------------------------------------------------------------------

function leastMoment(): f64 {
  let least = Infinity;
  for (let piece = 0; piece < pieces; piece++) {
    const at = HEAD + <usize>piece * PIECE;
    least = min(least, min(parameterF64(at + 8), parameterF64(at + 16)));
  }
  return least;
}

function writeExtras(load: f64): void {
  const at = extras(), area = parameterF64(own), effective = load > 0.0 ? Math.PI * sqrt(stiffness / load) : 0.0;
  store<f64>(at, load);
  store<f64>(at, effective, 8);
  store<f64>(at, effective / length, 16);
  store<f64>(at, area > 0.0 ? effective / sqrt(leastMoment() / area) : 0.0, 24);
  store<f64>(at, area > 0.0 ? stressOf(load) : 0.0, 32);
  store<f64>(at, parameterF64(own + 24), 40);
  store<f64>(at, <f64>table(), 48);
  store<f64>(at, load, 56);
  for (let i = 1; i < table(); i++) store<f64>(at + (<usize>i << 3), ofRun(0, 24 + (<usize>i << 3)), 56);
  const xs = at + SCALARS * 8, ws = xs + SAMPLES * 8;
  for (let i = 0; i < SAMPLES; i++) {
    store<f64>(xs + (<usize>i << 3), length * (<f64>i / <f64>(SAMPLES - 1)));
    store<f64>(ws + (<usize>i << 3), ofRun(0, 56 + (<usize>i << 3)));
  }
  writeStaticProfile(ws + SAMPLES * 8, ws, SAMPLES, scratch);
}

/** At the foot, where the column's own weight is added [Pa]. */
function stressOf(load: f64): f64 { return (load + weight * unitLoad) / parameterF64(own); }

/** Euler's load is none where the column yields before it is reached. */
function yieldTest(load: f64): void {
  if (!running() || parameterF64(own) == 0.0 || stressOf(load) <= parameterF64(own + 8)) return;
  show(0, stressOf(load));
  show(1, parameterF64(own + 8));
  fail(Status.EULER_INVALID);
}
