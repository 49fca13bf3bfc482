// Verdict of `tumor`, invasion. A front that starts as Ablowitz and Zeppetella's keeps its shape,
//
//   u = [1 + e^{(x − x₀ − ct)/w}]^{−2},   w = √(6D/r),   c = (5/√6) √(rD)       (Bull. Math. Biol. 41 (1979) 835)
//
// and where the ends are far enough that it cannot tell (the plan says so) the run is held against it. Every run is
// held against those with 2Δx, 4h and 4Δx, 16h; and where the start is another, the same cells and steps are taken on
// twins that have a closed form: that front, or, where the box is too short for one, a cosine that diffuses and a
// density that grows alike everywhere.
//
// Parameters (f64): 0 … 72 those of the finest run · 80 t₀ [s] · 88 value: 0 speed, 1 u at the probe · 96 exact (1)
//   104 twins m · 112 beginning of the run, since the start [s]; twins begin at theirs · 120 … of m twins the 80 bytes of parameters, then results of the three levels, rows of
//   the finest (65 f64), results of the twins
// Extras (f64): 0 speed [m/s] · 8 u at the probe · 16 M [m] · 24 c [m/s] · 32 w [m] · 40 N · 48 steps of this run · 56 step [s]
//   64 t [s] · 72 65 times [s] · 65 M [m] · N places [m] · N densities · diagnostics of u (40)
//
// Gates: 2 speed · 3 profile · 4 probe · 5 three steps · 6 profile, two steps · 7 front · 8 diffusion · 9 growth (twins)

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { STRETCH, timeOfRow } from "../kernel/stretch";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";
import { differenceOfLevels, estimateOfLevels } from "../math/richardson";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const TWINS: usize = 120;
const HEAD: usize = 80;
const ROWS: i32 = 65;
const SCALARS: i32 = 9;
/** Work units: a cell, and what is done once. */
const CELL: u64 = 240;
const ONCE: u64 = 2300000;

let D: f64 = 0, r: f64 = 0, L: f64 = 0, begin: f64 = 0, end: f64 = 0;
let cells: i32 = 0, twins: i32 = 0;
let levelsAt: usize = 0, rowsAt: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  D = parameterF64(0); r = parameterF64(8); L = parameterF64(16); end = parameterF64(32);
  begin = parameterF64(112);
  cells = <i32>parameterF64(24);
  twins = <i32>parameterF64(104);
  levelsAt = parameters() + TWINS + <usize>twins * HEAD;
  rowsAt = levelAt(2) + resultBytes(cells >> 2);
  scratch = allocate((<usize>cells << 5) + (<usize>diagnosticsScratch(cells) << 3));
}

@inline function resultBytes(n: i32): usize { return 32 + STRETCH + (<usize>n << 4); }
/** The n cells of a run at its end, and one step before it. */
@inline function cellsOf(run: usize, n: i32): usize { return run + 32 + STRETCH + (<usize>n << 3); }
@inline function cellsBefore(run: usize): usize { return run + 32; }
function levelAt(level: i32): usize {
  let at = levelsAt;
  for (let k = 0; k < level; k++) at += resultBytes(cells >> k);
  return at;
}
@inline function twinAt(k: i32): usize { return rowsAt + ROWS * 8 + <usize>k * resultBytes(cells); }

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(<u64>cells * CELL + ONCE);
  countStep();
  return 1;
}

// ---- closed forms --------------------------------------------------------------------------------------

@inline function frontSpeed(d: f64, rate: f64): f64 { return 5.0 / sqrt(6.0) * sqrt(rate * d); }

function front(x: f64, x0: f64, t: f64, d: f64, rate: f64): f64 {
  const e = Math.exp(-(x - x0 - frontSpeed(d, rate) * t) / sqrt(6.0 * d / rate)), share = e / (1.0 + e);
  return e < 1e300 ? share * share : 1.0;
}

/** Of the problem whose parameters stand at p, at its end. */
function closedForm(p: usize, x: f64): f64 {
  const d = load<f64>(p), rate = load<f64>(p, 8), length = load<f64>(p, 16), t = load<f64>(p, 32);
  const kind = <i32>load<f64>(p, 48), first = load<f64>(p, 56);
  if (kind == 0) return front(x, first, t, d, rate);
  const wave = Math.PI / length;
  if (kind == 2) return 0.5 + 0.5 * Math.cos(wave * x) * Math.exp(-d * wave * wave * t);
  return first / (first + (1.0 - first) * Math.exp(-rate * t));
}

@inline function place(i: i32): f64 { return (<f64>i + 0.5) * (L / <f64>cells); }

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  const exact = parameterF64(96) == 1.0, probed = parameterF64(88) == 1.0;
  openVerdict(2 + (exact ? (probed ? 3 : 2) : 0) + twins, SCALARS + 2 * ROWS + 2 * cells + DIAGNOSTICS);
  const finest = levelAt(0), largest = largestOf(finest);
  const speed = measuredSpeed(), density = load<f64>(finest, 16);
  if (exact) {
    gate(2, Kind.EXACT, speed, frontSpeed(D, r), relativeError(speed, frontSpeed(D, r)));
    profileGate(3, Kind.EXACT, parameters(), finest);
    const expected = front(parameterF64(64), parameterF64(56), end, D, r);
    if (probed) gate(4, Kind.EXACT, density, expected, abs(density - expected) / max(expected, 1e-3));
  }
  levelGates(probed ? density : speed, probed ? 16 : 8, probed ? 1e-3 * largest : 1e-3 * frontSpeed(D, r), largest);
  for (let k = 0; k < twins; k++) {
    const p = parameters() + TWINS + <usize>k * HEAD, kind = <i32>load<f64>(p, 48);
    profileGate(kind == 0 ? 7 : kind == 2 ? 8 : 9, Kind.TWIN, p, twinAt(k));
  }
  writeScalars(finest, speed, density);
  writeFields(finest);
  writeDiagnostics(finest);
  closeVerdict(probed ? density : speed);
}

/** Of the rows themselves, over the second half. */
function measuredSpeed(): f64 {
  return (load<f64>(rowsAt, 64 * 8) - load<f64>(rowsAt, 32 * 8)) / (0.5 * (end - begin));
}

function largestOf(run: usize): f64 {
  let largest = 0.0;
  for (let i = 0; i < cells; i++) largest = max(largest, load<f64>(cellsOf(run, cells) + (<usize>i << 3)));
  return largest;
}

/** The worst cell, relative to the capacity 1. */
function profileGate(index: i32, kind: f64, p: usize, run: usize): void {
  const values = cellsOf(run, cells);
  let worst = 0.0, measured = load<f64>(values), reference = measured;
  for (let i = 0; i < cells; i++) {
    const value = load<f64>(values + (<usize>i << 3)), expected = closedForm(p, place(i));
    if (!(abs(value - expected) <= worst)) {
      worst = abs(value - expected);
      measured = value;
      reference = expected;
    }
  }
  gate(index, kind, measured, reference, worst);
}

/** The value on three levels; the cells beside the mean of the two finer ones, as wide as a cell of the next level. */
function levelGates(v1: f64, offset: usize, least: f64, largest: f64): void {
  const fine = levelAt(0), coarse = levelAt(1), v2 = load<f64>(coarse + offset);
  const error = estimateOfLevels(v1, v2, load<f64>(levelAt(2) + offset), 2.0, max(abs(v1), least));
  gate(5, Kind.ESTIMATE, v1, v2, v1 == v2 ? 0.0 : error);
  let worst = 0.0, measured = 0.0, reference = 0.0;
  for (let i = 0; i < cells >> 1; i++) {
    const at = cellsOf(fine, cells) + (<usize>i << 4), mean = 0.5 * (load<f64>(at) + load<f64>(at, 8));
    const other = load<f64>(cellsOf(coarse, cells >> 1) + (<usize>i << 3));
    const apart = largest > 0.0 ? differenceOfLevels(mean, other, 3.0, largest, largest) : 0.0;
    if (!(apart <= worst)) { worst = apart; measured = mean; reference = other; }
  }
  gate(6, Kind.ESTIMATE, measured, reference, worst);
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeScalars(run: usize, speed: f64, density: f64): void {
  const at = extras();
  store<f64>(at, speed);
  store<f64>(at, density, 8);
  store<f64>(at, load<f64>(run), 16);
  store<f64>(at, frontSpeed(D, r), 24);
  store<f64>(at, sqrt(6.0 * D / r), 32);
  store<f64>(at, <f64>cells, 40);
  store<f64>(at, 64.0 * parameterF64(40), 48);
  store<f64>(at, load<f64>(run, 24), 56);
  store<f64>(at, parameterF64(80) + end, 64);
}

function writeFields(run: usize): void {
  const times = extras() + SCALARS * 8, xs = times + 2 * ROWS * 8;
  for (let i = 0; i < ROWS; i++) {
    store<f64>(times + (<usize>i << 3), parameterF64(80) + timeOfRow(begin, end, i, 64));
    store<f64>(times + (<usize>(ROWS + i) << 3), load<f64>(rowsAt + (<usize>i << 3)));
  }
  for (let i = 0; i < cells; i++) store<f64>(xs + (<usize>i << 3), place(i));
  memory.copy(xs + (<usize>cells << 3), cellsOf(run, cells), <usize>cells << 3);
}

/** Of u(x) in the middle of the last step, in the solver's own terms: damping, diffusion, selfInteraction −ru(1 − u). */
function writeDiagnostics(run: usize): void {
  const bytes = <usize>cells << 3, after = cellsOf(run, cells), before = cellsBefore(run), h = load<f64>(run, 24);
  const u = extras() + ((<usize>(SCALARS + 2 * ROWS)) << 3) + bytes, block = u + bytes;
  const change = scratch, bend = change + bytes, reaction = bend + bytes, rest = reaction + bytes;
  const width = L / <f64>cells, scale = 0.5 * D / (width * width);
  let gained = 0.0, grown = 0.0;
  for (let i = 0; i < cells; i++) {
    const at = <usize>i << 3, a = load<f64>(after + at), b = load<f64>(before + at);
    store<f64>(change + at, (a - b) / h);
    store<f64>(reaction + at, -0.5 * r * (a * (1.0 - a) + b * (1.0 - b)));
    if (i > 0 && i < cells - 1) store<f64>(bend + at, -scale * (curve(after + at) + curve(before + at)));
    gained += (a - b) / h * width;
    grown -= load<f64>(reaction + at) * width;
  }
  writeTerms(block, 1, u, cells, 0, change, 0, bend, reaction, 0, rest);
  writeBalance(block, gained, grown, abs(gained - grown));
  writeReflection(block, u, cells, rest + bytes);
  writeBand(block, u, cells, rest + bytes);
}

@inline function curve(at: usize): f64 { return (load<f64>(at - 8) + load<f64>(at, 8)) - 2.0 * load<f64>(at); }
