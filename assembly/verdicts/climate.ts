// Verdict of `climate` without latitude: holds a run against the closed form of its own balance.
//
//   zero-d      implicit solution by artanh and arctan; steady: (A/εσ)^(1/4)
//   two-layer   sum of two exponentials; steady: F/λ
//   grey        n layers: T_s⁴ = (n + 1)T_e⁴; depth τ: T_s⁴ = (1 + ¾τ)T_e⁴, T⁴ = (½ + ¾τ′)T_e⁴ within
//   forcing     5.35 ln(C/C₀) with a logarithm of its own
//
// Parameters (f64): 0 … 72 those of the run · 80 t₀ [s] · 88 value: 0 T, 1 F · 96 count of the profile, 0: none
//   104 beginning of the run, since the start [s] · 112 its result, 24 bytes and the profile · its 257 rows, of models 0 and 1
// Extras (f64): 0 T or ΔT · 8 T_d · 16 F · 24 equilibrium T · 32 T_e · 40 steps of this run · 48 step [s]
//   in time: 257 times [s] · 257 T · 257 T_d      a profile: its coordinate (layer from the top, depth) · T [K]
//   and with either the diagnostics of T (40)
//
// Gates: 0 temperature · 1 deep temperature · 2 series · 3 profile · 4 balance · 5 forcing

import {
  allocate, countStep, openState, parameterF64, parameters, restoreState, spend,
} from "../kernel/frame";
import { timeOfRow } from "../kernel/stretch";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { cooled, deepOfTwo, logarithm, stefanBoltzmann, surfaceOfTwo, twoLayers } from "../climate/exact";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeStaticProfile, writeTerms,
} from "../diagnostics/diagnostics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const RUN: usize = 112;
const COUNT: i32 = 257;
const SCALARS: i32 = 7;
/** Work units: with a series, with a profile, with neither. */
const SERIES: u64 = 2500000;
const PROFILE: u64 = 2000000;
const SCALAR: u64 = 10000;

let scratch: usize = 0;
let model: i32 = 0, count: i32 = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  model = <i32>parameterF64(0);
  count = model < 2 ? COUNT : <i32>parameterF64(96);
  if (count > 0) scratch = allocate(<usize>(4 * count + diagnosticsScratch(count)) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  spend(model < 2 ? SERIES : count > 0 ? PROFILE : SCALAR);
  const columns = model < 2 ? 3 : 2;
  openVerdict(gatesOf(), SCALARS + (count > 0 ? columns * count + DIAGNOSTICS : 0));
  if (model == 0) judgeSeries();
  else if (model == 1) judgeSeries();
  else if (model == 2) judgeSteady();
  else if (model == 3) judgeSteadyTwo();
  else if (model == 6) judgeForcing();
  else judgeGrey();
  closeVerdict(parameterF64(88) == 1.0 ? ofRun(8) : ofRun(0));
  countStep();
  return 1;
}

function gatesOf(): i32 {
  if (model == 1) return 3;
  if (model == 6) return constant(2) > 0.0 ? 2 : 1;
  return 2;
}

@inline function constant(i: i32): f64 { return parameterF64(8 + (<usize>i << 3)); }
@inline function ofRun(offset: usize): f64 { return load<f64>(parameters() + RUN + offset); }
@inline function ofRow(i: i32, offset: usize): f64 {
  return load<f64>(parameters() + RUN + 24 + (<usize>i << 4) + offset);
}
@inline function absorbed(): f64 { return (1.0 - constant(1)) * constant(0) / 4.0; }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }
@inline function get(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }

/** Of the run [s]. */
@inline function length(): f64 { return parameterF64(64) - parameterF64(104); }

function writeScalars(T: f64, D: f64, F: f64, equilibrium: f64, effective: f64): void {
  const at = extras(), steps = model < 2 ? 256.0 * parameterF64(72) : 0.0;
  put(at, 0, T); put(at, 1, D); put(at, 2, F); put(at, 3, equilibrium); put(at, 4, effective);
  put(at, 5, steps);
  put(at, 6, model < 2 ? length() / steps : 0.0);
}

// ---- steady --------------------------------------------------------------------------------------------

function judgeSteady(): void {
  const emitted = constant(2) * stefanBoltzmann(), T = ofRun(0), square = T * T;
  const exact = Math.exp(0.25 * Math.log(absorbed() / emitted));
  gate(0, Kind.EXACT, T, exact, absorbed() == 0.0 ? T : relativeError(T, exact));
  gate(4, Kind.INVARIANT, emitted * square * square, absorbed(), relativeError(emitted * square * square, absorbed()));
  writeScalars(T, 0, 0, exact, exact);
}

function judgeSteadyTwo(): void {
  const exact = constant(0) / constant(1);
  gate(0, Kind.EXACT, ofRun(0), exact, relativeError(ofRun(0), exact));
  gate(1, Kind.EXACT, ofRun(8), exact, relativeError(ofRun(8), exact));
  writeScalars(ofRun(0), ofRun(8), constant(0), exact, 0);
}

function judgeForcing(): void {
  const F = 5.35 * (logarithm(constant(0)) - logarithm(constant(1))), lambda = constant(2);
  gate(5, Kind.EXACT, ofRun(8), F, relativeError(ofRun(8), F, 5.35));
  if (lambda > 0.0) gate(0, Kind.EXACT, ofRun(0), F / lambda, relativeError(ofRun(0), F / lambda, 5.35 / lambda));
  writeScalars(ofRun(0), 0, ofRun(8), lambda > 0.0 ? F / lambda : 0.0, 0);
}

/** Every level of the atmosphere and the ground. */
function judgeGrey(): void {
  const layers = model == 4, depth = constant(2), at = extras() + (<usize>SCALARS << 3);
  const unit = absorbed() / stefanBoltzmann(), last = count - 1;
  let worst = 0.0, measured = 0.0, reference = 0.0;
  for (let i = 0; i < count; i++) {
    const below = layers ? <f64>(i + 1) : 0.5 + 0.75 * depth * <f64>i / <f64>last;
    const exact = Math.pow(unit * below, 0.25), T = ofRun(24 + (<usize>i << 3)), error = relativeError(T, exact);
    if (!(error <= worst) || i == 0) { worst = error; measured = T; reference = exact; }
    put(at, i, layers ? <f64>(i + 1) : depth * <f64>i / <f64>last);
    put(at, count + i, T);
  }
  const ground = Math.pow(unit * (layers ? depth + 1.0 : 1.0 + 0.75 * depth), 0.25);
  gate(0, Kind.EXACT, ofRun(0), ground, relativeError(ofRun(0), ground));
  gate(3, Kind.EXACT, measured, reference, worst);
  writeScalars(ofRun(0), 0, 0, ground, Math.pow(unit, 0.25));
  writeStaticProfile(at + (<usize>(2 * count) << 3), at + (<usize>count << 3), count, scratch);
}

// ---- in time -------------------------------------------------------------------------------------------

let exactT: f64 = 0, exactD: f64 = 0;

function solveAt(t: f64): void {
  if (model == 0) {
    exactT = cooled(absorbed(), constant(2) * stefanBoltzmann(), constant(3), constant(4), t);
    return;
  }
  twoLayers(constant(0), constant(1), constant(2), constant(3), constant(4), constant(5), constant(6), t);
  exactT = surfaceOfTwo();
  exactD = deepOfTwo();
}

/** What an anomaly that is nearly 0 is measured against; zero-d: its own temperature. */
function scaleOfTwo(): f64 {
  let most = max(abs(constant(5)), abs(constant(6)));
  for (let i = 0; i < COUNT; i++) most = max(most, max(abs(ofRow(i, 0)), abs(ofRow(i, 8))));
  return 1e-3 * most;
}

@inline function apart(measured: f64, exact: f64, floor: f64): f64 {
  const difference = abs(measured - exact);
  return difference == 0.0 ? 0.0 : difference / max(abs(exact), floor);
}

function judgeSeries(): void {
  const times = extras() + (<usize>SCALARS << 3), Ts = times + (<usize>COUNT << 3), Ds = Ts + (<usize>COUNT << 3);
  const floor = model == 0 ? 0.0 : scaleOfTwo();
  let worst = 0.0, measured = ofRow(0, 0), reference = measured;
  for (let i = 0; i < COUNT; i++) {
    const t = timeOfRow(parameterF64(104), parameterF64(64), i, 256), T = ofRow(i, 0), D = ofRow(i, 8);
    solveAt(t);
    put(times, i, parameterF64(80) + t);
    put(Ts, i, T);
    put(Ds, i, D);
    const error = apart(T, exactT, floor), below = model == 0 ? 0.0 : apart(D, exactD, floor);
    if (!(error <= worst)) { worst = error; measured = T; reference = exactT; }
    if (!(below <= worst)) { worst = below; measured = D; reference = exactD; }
  }
  gate(2, Kind.EXACT, measured, reference, worst);
  gate(0, Kind.EXACT, ofRun(0), exactT, apart(ofRun(0), exactT, floor));
  if (model == 1) gate(1, Kind.EXACT, ofRun(8), exactD, apart(ofRun(8), exactD, floor));
  writeEnd();
  writeDiagnostics(Ts, Ds, Ds + (<usize>COUNT << 3));
}

function writeEnd(): void {
  const emitted = constant(2) * stefanBoltzmann();
  const rest = model == 1 ? constant(0) / constant(1) : emitted > 0.0 && absorbed() > 0.0 ? Math.pow(absorbed() / emitted, 0.25) : 0.0;
  writeScalars(ofRun(0), ofRun(8), model == 1 ? constant(0) : 0.0, rest, model == 1 ? 0.0 : rest);
}

/** Of T(t), in the solver's own terms: damping C Ṫ, selfInteraction what leaves, source −what comes. */
function writeDiagnostics(Ts: usize, Ds: usize, block: usize): void {
  const column = <usize>COUNT << 3, rate = scratch, leaving = rate + column, coming = leaving + column;
  const rest = coming + column, step = length() / 256.0, C = constant(3), emitted = constant(2) * stefanBoltzmann();
  let sum = 0.0;
  for (let i = 0; i < COUNT; i++) {
    const T = get(Ts, i), ends = i == 0 || i == COUNT - 1;
    const out = model == 0 ? emitted * (T * T) * (T * T) : constant(1) * T + constant(2) * (T - get(Ds, i));
    const into = model == 0 ? absorbed() : constant(0);
    put(leaving, i, out);
    put(coming, i, -into);
    sum += (into - out) * (ends ? 0.5 * step : step);
    if (!ends) put(rate, i, C * (get(Ts, i + 1) - get(Ts, i - 1)) / (2.0 * step));
  }
  const change = C * (get(Ts, COUNT - 1) - get(Ts, 0));
  writeTerms(block, 1, Ts, COUNT, 0, rate, 0, 0, leaving, coming, rest);
  writeBalance(block, change, sum, abs(change - sum));
  writeReflection(block, Ts, COUNT, rest + column);
  writeBand(block, Ts, COUNT, rest + column);
}
