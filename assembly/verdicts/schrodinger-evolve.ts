// Verdict of `schrodinger` in time: norm and energy of the run, its packet beside closed forms where there are any,
// beside itself with three steps, and a free packet on the same grid beside its closed form.
//
// Parameters (f64): those of assembly/quantum/problem.ts; then
//   0 start: 0 packet, 1 arrays · 8, 16 x₀ · 24 σ · 32, 40 k₀ · 48 value: 0 width, 1 mean, 2 energy · 56 joules of the unit
//   64 t₀ [s] · 72 σ and 80 length of the free packet's run · 88 beginning of the others, since the start [s]
//   96 heads of results (80 bytes each): dt, 2dt, 4dt, free; of V that is not smooth the run on half the nodes
//   ψ (re, im) of the run with dt, Σ|ψ|² = n · rows of the run with dt (assembly/kernels/schrodinger-evolve.ts)
// Extras (f64): 0 norm · 8 mean [m] · 16 width [m] · 24 energy in the unit · 32 energy drift [%] · 40 steps of this run · 48 dt [s] ·
//   56 t₀ + t [s] · 64 33 times [s], means [m], widths [m], energies · places x [m] · 33 × places |ψ|² [1/m] · Re ψ, Im ψ
//   diagnostics of the last |ψ|² (40)
//
// Gates: 6 norm · 7 energy · 8 free packet · 9 mean · 10 width · 11 mean energy (closed forms) · 12 steps
//   · 15 between the nodes · 16 half the nodes

import { allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { estimateOfLevels } from "../math/richardson";
import { ALLOWED, addAxis, clearAxes, hiddenShare, openResolution, resolutionWork } from "../expression/resolved";
import { plainWork } from "../expression/program";
import { bottom, height, kind, left, plainFormulaAt, Potential, problemEnd, readProblem, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 8;
const COUNT: i32 = 33;
const ROW: usize = 40 + 128 * 8;
const ONCE: u64 = 1500000;
const UNITS: u64 = 4;

let own: usize = 0, n: i32 = 0, places: i32 = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readProblem();
  own = problemEnd();
  const nx = <i32>parameterF64(152);
  n = nx * (parameterF64(128) == 2.0 ? <i32>parameterF64(160) : 1);
  places = min(128, nx);
  scratch = allocate(<usize>diagnosticsScratch(places) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(<u64>n * UNITS + ONCE + (kind == Potential.FORMULA ? resolutionWork(0, dimensions()) + <u64>(places * LINES) * plainWork(0) : 0));
  countStep();
  return 1;
}

@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function said(offset: usize): f64 { return parameterF64(own + offset); }
/** Of the run with 1, 2 or 4 times dt, the free one (level 3) or that on half the nodes (4). */
@inline function ofRun(level: i32, offset: usize): f64 { return said(96 + <usize>level * 80 + offset); }
@inline function psi(): usize { return parameters() + own + 96 + (isRough() ? 5 : 4) * 80; }
@inline function rows(): usize { return psi() + (<usize>n << 4); }

/** Whether V jumps or is a table. */
function isRough(): bool { return kind == Potential.FINITE_WELL || kind == Potential.BARRIER || kind == Potential.TABLE; }

// ---- closed forms --------------------------------------------------------------------------------------

/** ħt/2mσ². */
function spreading(sigma: f64, t: f64): f64 { return parameterF64(0) * t / (2.0 * parameterF64(8) * sigma * sigma); }

function exactMean(t: f64): f64 {
  const x0 = said(8), speed = parameterF64(0) * said(32) / parameterF64(8), omega = parameterF64(40);
  if (kind == Potential.FREE) return x0 + speed * t;
  return x0 * Math.cos(omega * t) + speed / omega * Math.sin(omega * t);
}

function exactWidth(t: f64): f64 {
  const sigma = said(24), omega = parameterF64(40);
  if (kind == Potential.FREE) return sigma * Math.hypot(1.0, spreading(sigma, t));
  return Math.hypot(sigma * Math.cos(omega * t), spreading(sigma, 1.0) * sigma / omega * Math.sin(omega * t));
}

/** ħ²k₀²/2m + ħ²/8mσ² an axis, and of an oscillator ½mω²(x₀² + σ²). */
function exactEnergy(): f64 {
  const hbar = parameterF64(0), mass = parameterF64(8), sigma = said(24), omega = parameterF64(40);
  let sum = 0.0;
  for (let axis = 0; axis < <i32>parameterF64(128); axis++) {
    const k0 = said(32 + (<usize>axis << 3)), x0 = said(8 + (<usize>axis << 3));
    sum += hbar * hbar / (2.0 * mass) * (k0 * k0 + 0.25 / (sigma * sigma));
    if (kind == Potential.HARMONIC) sum += 0.5 * mass * omega * omega * (x0 * x0 + sigma * sigma);
  }
  return sum;
}

// ---- gates ---------------------------------------------------------------------------------------------

/** Whether the packet keeps off the edge, where the grid would bring it in again, and its waves fit the grid. */
function admissible(): bool {
  const short = ofRun(0, 56) <= 1e-6, apart = ofRun(0, 48) <= 1e-6;
  if (short && apart) return true;
  show(0, apart ? 3.0 : 2.0);
  show(1, apart ? ofRun(0, 56) : ofRun(0, 48));
  show(2, 1e-6);
  fail(apart ? Status.STABILITY_LIMIT : Status.INVALID_INPUT);
  return false;
}

function judge(): void {
  if (!admissible()) return;
  const closed = said(0) == 0.0 && (kind == Potential.FREE || kind == Potential.HARMONIC), t = parameterF64(168);
  openVerdict((closed ? 7 : 4) + (kind == Potential.FORMULA || isRough() ? 1 : 0), SCALARS + COUNT * (4 + places) + places + 2 * n + DIAGNOSTICS);
  gate(6, Kind.INVARIANT, ofRun(0, 0), 1.0, max(ofRun(0, 32), abs(ofRun(0, 0) - 1.0)), 1e-10);
  gate(7, Kind.INVARIANT, ofRun(0, 24), ofRun(0, 72), ofRun(0, 40), 1e-3, Status.ENERGY_NOT_CONSERVED);
  const free = said(72) * Math.hypot(1.0, spreading(said(72), said(80)));
  gate(8, Kind.TWIN, ofRun(3, 16), free, abs(ofRun(3, 16) / free - 1.0));
  if (closed) {
    gate(9, Kind.EXACT, ofRun(0, 8), exactMean(t), abs(ofRun(0, 8) - exactMean(t)) / max(abs(exactMean(t)), exactWidth(t)));
    gate(10, Kind.EXACT, ofRun(0, 16), exactWidth(t), abs(ofRun(0, 16) / exactWidth(t) - 1.0));
    gate(11, Kind.EXACT, ofRun(0, 24), exactEnergy(), abs(ofRun(0, 24) / exactEnergy() - 1.0));
  }
  if (kind == Potential.FORMULA) judgeBetween();
  const which = said(48), offset: usize = which == 0.0 ? 16 : which == 1.0 ? 8 : 24, value = ofRun(0, offset);
  const order = parameterF64(184), scale = which == 1.0 ? max(abs(value), ofRun(0, 16)) : max(abs(value), which == 2.0 ? 0.1 * ofRun(0, 64) : 0.0);
  gate(12, Kind.ESTIMATE, value, ofRun(1, offset), estimateOfLevels(value, ofRun(1, offset), ofRun(2, offset), order, scale));
  // Where a jump lies in its cell makes an error of the order 2 that does not fall evenly: three times the difference.
  if (isRough()) gate(16, Kind.ESTIMATE, value, ofRun(4, offset), 3.0 * abs(value - ofRun(4, offset)) / scale);
  writeExtras();
  closeVerdict(which == 2.0 ? value / said(56) : value);
}

@inline function dimensions(): i32 { return parameterF64(128) == 2.0 ? 2 : 1; }

/** Where |ψ|² was never more than this part of its largest, V counts for nothing. */
const FAINT: f64 = 1e-6;
/** A packet is wider than so many cells: what V holds between the nodes counts in their mean. */
const MEAN_CELLS: f64 = 8;
/** Rows in which the lowest V is looked for. */
const LINES: i32 = 64;

/** What V holds between the nodes where the packet comes, over the energy that the packet has above the lowest V. */
function judgeBetween(): void {
  const nx = <i32>parameterF64(152), ny = n / nx, stride = nx / places;
  let most = 0.0, first = places, last = 0, floor = Infinity;
  for (let i = 0; i < COUNT * places; i++) most = max(most, densityAt(i));
  for (let i = 0; i < COUNT * places; i++) if (densityAt(i) >= FAINT * most) { first = min(first, i % places); last = max(last, i % places); }
  const lines = ny > 1 ? LINES : 1, i0 = max(0, (first - 1) * stride), i1 = min(nx, (last + 2) * stride);
  for (let k = 0; k < lines; k++) {
    for (let i = first; i <= last; i++) floor = min(floor, plainFormulaAt(left + width * (<f64>i / <f64>places), ny > 1 ? bottom + height * (<f64>k / <f64>lines) : 0.0));
  }
  openResolution(dimensions());
  clearAxes();
  addAxis(0, left + width * (<f64>i0 / <f64>nx), width / <f64>nx, i1 - i0, MEAN_CELLS);
  if (ny > 1) addAxis(1, bottom, height / <f64>ny, ny, MEAN_CELLS);
  const worst = hiddenShare(0, max(0.0, ofRun(0, 24) - floor));
  gate(15, Kind.CERTIFICATE, ALLOWED, worst, worst / ALLOWED, 1.0);
}

@inline function densityAt(i: i32): f64 { return load<f64>(rows() + <usize>(i / places) * ROW + 40 + (<usize>(i % places) << 3)); }

function writeExtras(): void {
  const to = extras(), unit = said(56);
  put(to, 0, ofRun(0, 0));
  put(to, 1, ofRun(0, 8));
  put(to, 2, ofRun(0, 16));
  put(to, 3, ofRun(0, 24) / unit);
  put(to, 4, 100.0 * ofRun(0, 40));
  put(to, 5, parameterF64(176));
  put(to, 6, (parameterF64(168) - said(88)) / parameterF64(176));
  put(to, 7, said(64) + parameterF64(168));
  const times = to + SCALARS * 8, xs = times + 4 * COUNT * 8, densities = xs + (<usize>places << 3), states = densities + (<usize>(COUNT * places) << 3);
  for (let i = 0; i < COUNT; i++) {
    const row = rows() + <usize>i * ROW;
    put(times, i, said(64) + load<f64>(row));
    put(times, COUNT + i, load<f64>(row, 16));
    put(times, 2 * COUNT + i, load<f64>(row, 24));
    put(times, 3 * COUNT + i, load<f64>(row, 32) / unit);
    memory.copy(densities + (<usize>(i * places) << 3), row + 40, <usize>places << 3);
  }
  for (let i = 0; i < places; i++) put(xs, i, left + width * (<f64>i / <f64>places));
  writePsi(states);
  writeStaticProfile(states + (<usize>n << 4), states - (<usize>places << 3), places, scratch);
}

/** Re ψ, then Im ψ, ∫|ψ|² = 1. */
function writePsi(to: usize): void {
  const scale = 1.0 / sqrt(width * (parameterF64(128) == 2.0 ? height : 1.0));
  for (let i = 0; i < n; i++) {
    put(to, i, scale * load<f64>(psi() + (<usize>i << 4)));
    put(to, n + i, scale * load<f64>(psi() + (<usize>i << 4), 8));
  }
}
