// Verdict of `climate`, model ebm: temperature and edge of the ice beside their sums of Legendre polynomials
// (../climate/modes.ts), which share neither the grid nor the search with the kernel.
//
// The edge stands where Σ T_n(x_s) P_n(x_s) = T_f. The verdict looks for all such places by itself, in 2048 modes, and
// chooses by the rule at the head of ../kernels/climate-ebm.ts.
//
// Parameters (f64): 0 … 104 those of the finest run · 112 value: 0 mean T, 1 T at the probe, 2 latitude of the edge
//   120 m given temperatures · behind them the run's result, with ice also those of n/2 and n/4 cells
// Extras (f64): 0 mean T [K] · 8 T at the probe [K] · 16 latitude of the edge [deg] · 24 x_s · 32 A + B⟨T⟩ [W/m²]
//   40 absorbed [W/m²] · 48 1 − κG, how stable the edge is; no edge: 1 · 56 count of states · 64 eight of latitude [deg]
//   and 1 stable, 0 not · 192 latitudes [deg] of the 2n cells from pole to pole · T of them [K] · diagnostics (40)
//
// Gates: 0 temperature · 3 profile · 6 mean temperature · 7 ice latitude · 8 meshes · 9 global balance · 10 stability

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { estimateOfLevels } from "../math/richardson";
import { absorbedByModes, expand, feedback, layModes, meanOfModes, sumAt } from "../climate/modes";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ZERO: f64 = 273.15;
const DEGREES: f64 = 57.29577951308232;
const MODES: i32 = 2048;
/** Places where an edge is looked for, evenly in latitude, and modes enough to see on which side of T_f it is. */
const PLACES: i32 = 360;
const COARSE: i32 = 512;
const STATES: i32 = 8;
const SCALARS: i32 = 24;
const CELLS: usize = 160;
/** Work units: all that is done once; the search; a cell with ice, and without. */
const ONCE: u64 = 2000000;
const SEARCH: u64 = 6000000;
const ICED: u64 = 10000;
const BARE: u64 = 300;

let n: i32 = 0;
let Tf: f64 = 0;
let runs: usize = 0, runBytes: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  n = <i32>parameterF64(88);
  Tf = parameterF64(64) - ZERO;
  runs = parameters() + 120 + (<usize>parameterF64(104) << 3);
  runBytes = CELLS + (<usize>n << 3);
  layModes(parameters());
  scratch = allocate(<usize>(10 * n + diagnosticsScratch(2 * n)) << 3);
}

@inline function hasIce(): bool { return parameterF64(72) == 1.0; }
@inline function get(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }
/** Result of the run with n/2^level cells. */
@inline function levelAt(level: i32): usize {
  return level == 0 ? runs : level == 1 ? runs + runBytes : runs + runBytes + CELLS + (<usize>(n >> 1) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  const iced = hasIce(), probed = parameterF64(112) == 1.0;
  spend(ONCE + <u64>n * (iced ? ICED : BARE) + (iced ? SEARCH : 0));
  openVerdict(3 + (probed ? 1 : 0) + (iced ? 3 : 0), SCALARS + 4 * n + DIAGNOSTICS);
  judge(iced, probed);
  countStep();
  return 1;
}

function judge(iced: bool, probed: bool): void {
  const exact = iced ? chosen(get(runs, 0)) : 1.0, edge = get(runs, 0);
  const margin = iced ? stability(edge) : 1.0;
  expand(exact, MODES);
  const range = profileGate(), mean = get(runs, 1), sum = meanOfModes() + ZERO;
  gate(6, Kind.EXACT, mean, sum, abs(mean - sum) / range);
  if (probed) {
    const there = sumAt(parameterF64(96)) + ZERO;
    gate(0, Kind.EXACT, get(runs, 2), there, abs(get(runs, 2) - there) / range);
  }
  if (iced) iceGates(edge, exact, range);
  balanceGate(edge);
  writeScalars(edge, margin);
  writeDiagnostics(edge);
  closeVerdict(valueOf(0));
}

/** The value, from the run of a level. */
function valueOf(level: i32): f64 {
  const asked = parameterF64(112), at = levelAt(level);
  return asked == 0.0 ? get(at, 1) : asked == 1.0 ? get(at, 2) : latitudeOf(get(at, 0));
}

@inline function latitudeOf(x: f64): f64 { return DEGREES * Math.asin(x); }

// ---- the edge ------------------------------------------------------------------------------------------

/** How much too warm for ice an edge at x is. */
function excess(x: f64, modes: i32): f64 {
  expand(x, modes);
  return sumAt(x) - Tf;
}

let states: i32 = 0;
const edges = memory.data(64, 16);
const firm = memory.data(64, 16);

function note(x: f64, stable: bool): void {
  if (states == STATES) return;
  put(edges, states, x);
  put(firm, states, stable ? 1.0 : 0.0);
  states++;
}

/** All states, by x_s, and of them the one that was asked for. `near`: the kernel's, where a start was given. */
function chosen(near: f64): f64 {
  states = 0;
  let x = 0.0, before = excess(0.0, COARSE);
  if (before < 0.0) note(0.0, true);
  for (let k = 1; k <= PLACES; k++) {
    const next = k == PLACES ? 1.0 : Math.sin(<f64>k / <f64>PLACES * 90.0 / DEGREES), here = excess(next, COARSE);
    if ((before < 0.0) != (here < 0.0)) note(root(x, next, before >= 0.0), before >= 0.0);
    x = next;
    before = here;
  }
  if (before >= 0.0) note(1.0, true);
  const way = parameterF64(80);
  if (way == 2.0) return fromGiven();
  if (way == 1.0) return leastFrom(0);
  for (let i = states - 1; i >= 0; i--) if (get(firm, i) == 1.0 && get(edges, i) > 0.0 && get(edges, i) < 1.0) return get(edges, i);
  return states > 0 ? get(edges, states - 1) : near;
}

/** The stable state of most ice among those from i on; none: no ice. */
function leastFrom(i: i32): f64 {
  for (; i < states; i++) if (get(firm, i) == 1.0) return get(edges, i);
  return 1.0;
}

/** Where the edge goes that leaves the share of given temperatures above T_f free. */
function fromGiven(): f64 {
  const count = <i32>parameterF64(104);
  let frozen = 0;
  for (let i = 0; i < count; i++) if (parameterF64(120 + (<usize>i << 3)) - ZERO < Tf) frozen++;
  const x = 1.0 - <f64>frozen / <f64>count;
  let i = 0;
  while (i < states && get(edges, i) < x) i++;
  if (excess(x, COARSE) >= 0.0) return leastFrom(i);
  for (i = i < states && get(edges, i) == x ? i : i - 1; i >= 0; i--) if (get(firm, i) == 1.0) return get(edges, i);
  return 0.0;
}

/** The place between two where the excess changes its sign, by halving the latitude and then by secants. */
function root(low: f64, high: f64, falls: bool): f64 {
  let a = excess(low, MODES), b = excess(high, MODES);
  if ((a < 0.0) == (b < 0.0)) return 0.5 * (low + high);
  for (let i = 0; i < 60 && high - low > 1e-13; i++) {
    const middle = i % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * a / (a - b), value = excess(middle, MODES);
    if ((value >= 0.0) == falls) { low = middle; a = value; } else { high = middle; b = value; }
    if (value == 0.0) return middle;
  }
  return abs(a) < abs(b) ? low : high;
}

/** 1 − κG at the run's edge, and the gate: no disturbance may grow. Without an edge nothing can. */
function stability(edge: f64): f64 {
  let margin = 1.0;
  if (edge > 0.0 && edge < 1.0) {
    expand(edge, MODES);
    margin = 1.0 - feedback(edge);
  }
  const growing = margin > 0.0 ? 0.0 : 1.0;
  gate(10, Kind.CERTIFICATE, growing, 0.0, growing, 0.0);
  return margin;
}

// ---- gates ---------------------------------------------------------------------------------------------

@inline function cellT(i: i32): f64 { return load<f64>(runs + CELLS + (<usize>i << 3)); }
@inline function cellX(i: i32): f64 { return (<f64>i + 0.5) / <f64>n; }

/** Every cell beside the sum; returns the range of T, by which differences are measured. */
function profileGate(): f64 {
  let least = cellT(0), most = least, worst = 0.0, measured = least, reference = least;
  for (let i = 0; i < n; i++) {
    const T = cellT(i), exact = sumAt(cellX(i)) + ZERO;
    least = min(least, min(T, exact));
    most = max(most, max(T, exact));
    if (!(abs(T - exact) <= worst)) { worst = abs(T - exact); measured = T; reference = exact; }
  }
  const range = max(most - least, 1e-3 * ZERO);
  gate(3, Kind.EXACT, measured, reference, worst / range);
  return range;
}

function iceGates(edge: f64, exact: f64, range: f64): void {
  gate(7, Kind.EXACT, latitudeOf(edge), latitudeOf(exact), relativeError(latitudeOf(edge), latitudeOf(exact), 1.0));
  const v1 = valueOf(0), v2 = valueOf(1), v4 = valueOf(2), scale = parameterF64(112) == 2.0 ? max(v1, 0.09) : range;
  gate(8, Kind.ESTIMATE, v1, v2, estimateOfLevels(v1, v2, v4, 2.0, scale));
}

/** A + B⟨T⟩ of the cells, and what the sphere absorbs with its ice where the run has it. */
function balanceGate(edge: f64): void {
  let sum = 0.0;
  for (let i = 0; i < n; i++) sum += cellT(i) - ZERO;
  const leaving = parameterF64(8) + parameterF64(16) * (sum / <f64>n);
  expand(edge, 16);
  const absorbed = absorbedByModes();
  gate(9, Kind.INVARIANT, leaving, absorbed, relativeError(leaving, absorbed, abs(parameterF64(8))));
  put(extras(), 4, leaving);
  put(extras(), 5, absorbed);
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeScalars(edge: f64, margin: f64): void {
  const at = extras(), count = <i32>get(runs, 3), latitudes = at + (<usize>SCALARS << 3), Ts = latitudes + (<usize>n << 4);
  put(at, 0, get(runs, 1)); put(at, 1, get(runs, 2)); put(at, 2, latitudeOf(edge)); put(at, 3, edge);
  put(at, 6, margin); put(at, 7, <f64>count);
  for (let i = 0; i < count; i++) {
    put(at, 8 + 2 * i, latitudeOf(get(runs, 4 + 2 * i)));
    put(at, 9 + 2 * i, get(runs, 5 + 2 * i));
  }
  for (let i = 0; i < n; i++) {
    put(latitudes, n + i, latitudeOf(cellX(i)));
    put(latitudes, n - 1 - i, -latitudeOf(cellX(i)));
    put(Ts, n + i, cellT(i));
    put(Ts, n - 1 - i, cellT(i));
  }
}

/** Sunlight times coalbedo at |x|, with ice poleward of the edge. */
function source(x: f64, edge: f64): f64 {
  const P2 = 1.5 * x * x - 0.5, coalbedo = abs(x) < edge ? 1.0 - parameterF64(40) - parameterF64(48) * P2 : 1.0 - parameterF64(56);
  return 0.25 * parameterF64(0) * (1.0 + parameterF64(32) * P2) * coalbedo;
}

/** Of T over sin φ, in the solver's own terms: diffusion −D((1 − x²)T′)′, selfInteraction BT, source A − absorbed. */
function writeDiagnostics(edge: f64): void {
  const count = 2 * n, column = <usize>count << 3, Ts = extras() + (<usize>SCALARS << 3) + column, block = Ts + column;
  const spread = scratch, held = spread + column, given = held + column, total = given + column, rest = total + column;
  const D = parameterF64(24), h = 1.0 / <f64>n;
  let leaving = 0.0, absorbed = 0.0;
  for (let i = 0; i < count; i++) {
    const x = (<f64>i + 0.5) * h - 1.0, T = get(Ts, i) - ZERO, left = x - 0.5 * h, right = x + 0.5 * h;
    if (i > 0 && i < count - 1) {
      const into = (1.0 - left * left) * (get(Ts, i) - get(Ts, i - 1)), out = (1.0 - right * right) * (get(Ts, i + 1) - get(Ts, i));
      put(spread, i, D * (into - out) / (h * h));
    }
    put(held, i, parameterF64(16) * T);
    put(given, i, parameterF64(8) - source(x, edge));
    leaving += 0.5 * h * (parameterF64(8) + parameterF64(16) * T);
    absorbed += 0.5 * h * source(x, edge);
  }
  writeTerms(block, 1, Ts, count, 0, 0, 0, spread, held, given, total);
  writeBalance(block, leaving, absorbed, abs(leaving - absorbed));
  writeReflection(block, Ts, count, rest);
  writeBand(block, Ts, count, rest);
}
