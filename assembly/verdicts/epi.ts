// Verdict of `epi`: holds the runs against what is exact (assembly/epi/exact.ts): the final size of both models, and of
// SIR the peak, its time and S of the whole series. I and R of both come from runs with steps h and 2h that are compared
// with each other, each number beside itself, so that the few at both ends are held as the many between. SEIR has no
// closed form in time: its peak comes from steps of 4h too, and the same steps are taken without infections, where from
// E(0) = N/2, I(0) = 0
//
//   E = N/2 e^{−σt},   I = N/2 σ (e^{−γt} − e^{−σt}) / (σ − γ).
//
// Parameters (f64): 0 … 88 those of the finest run · 96 t₀ [s] · 104 value: 0 attack, 1 peak, 2 its time · 112 runs: 2, 4
//   120 beginning of the runs, since the start [s]
//   128 of each run, the finest first, SEIR's without infections last, its result (56 bytes) and its 257 rows (32 bytes each)
// Extras (f64): 0 all ever infected · 8 S∞ · 16 peak · 24 its time [s] · 32 R₀ · 40 share to be immune, 1 − 1/R₀ or 0
//   48 S · 56 E · 64 I at t_max · 72 recovered since the start · 80 steps of this run to t_max · 88 step [s] · 96 end [s]
//   104 257 times [s], S, E, I, recovered · diagnostics of I (40)
//
// Gates: 0 final size · 1 S∞ · 2 peak · 3 its time · 4 series (SIR) · 5 invariant · 6 population · 7 two steps · 8 without infections (SEIR)

import {
  allocate, countStep, openState, parameterF64, parameters, restoreState, spend,
} from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";
import { exactPeak, finalDepth, infectedAt, peakDepth, setEpidemic, timeBetween } from "../epi/exact";
import { timeOfRow } from "../kernel/stretch";
import { differenceOfLevels, estimateOfLevels } from "../math/richardson";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const RUNS: usize = 128;
const RESULT: usize = 56;
const COUNT: i32 = 257;
const COLUMN: usize = 257 * 8;
const RUN: usize = RESULT + 257 * 32;
const SCALARS: i32 = 13;
/** Of the population: less than one person of all there are. */
const LEAST: f64 = 1e-12;
/** Work units, all of it once; the quadratures of SIR. */
const UNITS: u64 = 2400000;
const UNITS_SIR: u64 = 3000000;

let S0: f64 = 0, infected: f64 = 0, N: f64 = 0, beta: f64 = 0, gamma: f64 = 0, sigma: f64 = 0, last: f64 = 0;
let latent: bool = false;
let scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  latent = parameterF64(0) == 1.0;
  N = parameterF64(8); S0 = parameterF64(16); infected = parameterF64(24) + parameterF64(32);
  beta = parameterF64(40); gamma = parameterF64(48); sigma = parameterF64(56);
  scratch = allocate(4 * COLUMN + (<usize>diagnosticsScratch(COUNT) << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  setEpidemic(S0, infected, beta / (gamma * N), beta / N);
  last = finalDepth();
  judge();
  spend(latent ? UNITS : UNITS_SIR);
  countStep();
  return 1;
}

@inline function ofRun(run: i32, offset: usize): f64 {
  return load<f64>(parameters() + RUNS + <usize>run * RUN + offset);
}
@inline function ofRow(run: i32, i: i32, offset: usize): f64 { return ofRun(run, RESULT + (<usize>i << 5) + offset); }
@inline function timeOf(row: i32): f64 { return timeOfRow(parameterF64(120), parameterF64(64), row, 256); }
/** Of a time since the start [s]. */
@inline function clockOf(t: f64): f64 { return parameterF64(96) + t; }
/** An error of a time since the start, beside the clock where that is nearer to 0: t0 may lie before it. */
function ofClock(error: f64, t: f64): f64 {
  const clock = abs(clockOf(t));
  return error > 0.0 && clock < t ? error * t / clock : error;
}
/** Of the runs to t_max [s]. */
@inline function length(): f64 { return parameterF64(64) - parameterF64(120); }
/** All ever infected until ln(S/S₀) = x. */
@inline function everInfected(x: f64): f64 { return infected - S0 * Math.expm1(x); }

function judge(): void {
  openVerdict(8, SCALARS + 5 * COUNT + DIAGNOSTICS);
  const x = ofRun(0, 0), attack = everInfected(x), exact = everInfected(last);
  gate(0, Kind.EXACT, attack, exact, relativeError(attack, exact, N));
  gate(1, Kind.EXACT, S0 * Math.exp(x), S0 * Math.exp(last), abs(Math.expm1(x - last)));
  if (latent) levelGates(); else exactGates();
  twoStepsGate();
  if (latent) twinGate();
  balanceGates();
  writeScalars(attack);
  writeSeries();
  writeDiagnostics();
  const value = <i32>parameterF64(104);
  closeVerdict(value == 0 ? attack : value == 1 ? ofRun(0, 32) : clockOf(ofRun(0, 40)));
}

// ---- SIR against its quadrature ------------------------------------------------------------------------

function exactGates(): void {
  gate(2, Kind.EXACT, ofRun(0, 32), exactPeak(), relativeError(ofRun(0, 32), exactPeak(), N));
  const time = peakDepth() < 0.0 && infected > 0.0 ? timeBetween(0.0, peakDepth()) : 0.0;
  gate(3, Kind.EXACT, clockOf(ofRun(0, 40)), clockOf(time), ofClock(relativeError(ofRun(0, 40), time, 1.0 / gamma), time));
  seriesGate();
}

/**
 * Every row: the time at which the exact curve has the row's x is turned into an error of S by the speed there. Where
 * few are left, E + I < 1e-9 N, x is as good as final and is compared with that.
 */
function seriesGate(): void {
  let worst = 0.0, measured = S0, reference = S0, t = 0.0, from = 0.0;
  for (let i = 0; i < COUNT && infected > 0.0; i++) {
    const x = ofRow(0, i, 0), left = infectedAt(x);
    let off = x - last;
    if (x >= peakDepth() || left > 1e-9 * N) {
      if (x < from) { t += timeBetween(from, x); from = x; }
      off = (t - timeOf(i)) * beta / N * left;
    }
    if (!(abs(off) <= worst)) { worst = abs(off); measured = S0 * Math.exp(x); reference = S0 * Math.exp(x - off); }
  }
  gate(4, Kind.EXACT, measured, reference, worst);
}

// ---- SEIR against itself -------------------------------------------------------------------------------

function levelGates(): void {
  const peak = ofRun(0, 32), time = ofRun(0, 40);
  const scale = max(peak, 1e-12 * N), slow = time > 0.0 ? time : 1.0 / gamma;
  gate(2, Kind.ESTIMATE, peak, ofRun(1, 32), estimateOfLevels(peak, ofRun(1, 32), ofRun(2, 32), 4.0, scale));
  gate(3, Kind.ESTIMATE, clockOf(time), clockOf(ofRun(1, 40)), ofClock(estimateOfLevels(time, ofRun(1, 40), ofRun(2, 40), 4.0, slow), time));
}

function twinGate(): void {
  const half = 0.5 * N, slow = min(sigma, gamma), apart = abs(sigma - gamma);
  let worst = 0.0, measured = half, reference = half;
  for (let i = 0; i < COUNT; i++) {
    const t = timeOf(i);
    const share = apart == 0.0 ? t : -Math.expm1(-apart * t) / apart;
    const E = half * Math.exp(-sigma * t), I = half * sigma * Math.exp(-slow * t) * share;
    const errorE = abs(ofRow(3, i, 8) - E) / half, errorI = abs(ofRow(3, i, 16) - I) / half;
    if (!(errorE <= worst)) { worst = errorE; measured = ofRow(3, i, 8); reference = E; }
    if (!(errorI <= worst)) { worst = errorI; measured = ofRow(3, i, 16); reference = I; }
  }
  gate(8, Kind.TWIN, measured, reference, worst);
}

// ---- both ----------------------------------------------------------------------------------------------

/** ln S, and E, I and R beside themselves: fewer than LEAST of the population stand beside that many. */
function twoStepsGate(): void {
  let worst = 0.0, measured = infected, reference = infected;
  for (let i = 0; i < COUNT; i++) {
    for (let field: usize = 0; field < 32; field += 8) {
      const fine = ofRow(0, i, field), coarse = ofRow(1, i, field);
      const error = differenceOfLevels(fine, coarse, 15.0, field == 0 ? 1.0 : max(abs(fine), LEAST * N), 1.0);
      if (!(error <= worst)) { worst = error; measured = fine; reference = coarse; }
    }
  }
  gate(7, Kind.ESTIMATE, measured, reference, worst);
}

/** At every row E + I by the invariant, and nobody lost, both relative to all who were infected until then. */
function balanceGates(): void {
  let drift = 0.0, lost = 0.0, now = infected, then = infected, sum = infected, all = infected;
  for (let i = 0; i < COUNT; i++) {
    const x = ofRow(0, i, 0), ill = ofRow(0, i, 8) + ofRow(0, i, 16), ever = everInfected(x);
    const gone = relativeError(ill + ofRow(0, i, 24), ever, N);
    const off = ill == infectedAt(x) ? 0.0 : abs(ill - infectedAt(x)) / ever;
    if (!(off <= drift)) { drift = off; now = ill; then = infectedAt(x); }
    if (!(gone <= lost)) { lost = gone; sum = ill + ofRow(0, i, 24); all = ever; }
  }
  gate(5, Kind.INVARIANT, now, then, drift);
  gate(6, Kind.INVARIANT, sum, all, lost);
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeScalars(attack: f64): void {
  const at = extras(), steps = 256.0 * parameterF64(72), reproduction = beta / gamma, end = COUNT - 1;
  store<f64>(at, attack);
  store<f64>(at, S0 * Math.exp(ofRun(0, 0)), 8);
  store<f64>(at, ofRun(0, 32), 16);
  store<f64>(at, clockOf(ofRun(0, 40)), 24);
  store<f64>(at, reproduction, 32);
  store<f64>(at, reproduction > 1.0 ? 1.0 - 1.0 / reproduction : 0.0, 40);
  store<f64>(at, S0 * Math.exp(ofRow(0, end, 0)), 48);
  store<f64>(at, ofRow(0, end, 8), 56);
  store<f64>(at, ofRow(0, end, 16), 64);
  store<f64>(at, ofRow(0, end, 24), 72);
  store<f64>(at, steps, 80);
  store<f64>(at, length() / steps, 88);
  store<f64>(at, clockOf(ofRun(0, 48)), 96);
}

function writeSeries(): void {
  const at = extras() + SCALARS * 8;
  for (let i = 0; i < COUNT; i++) {
    const p = at + (<usize>i << 3);
    store<f64>(p, clockOf(timeOf(i)));
    store<f64>(p + COLUMN, S0 * Math.exp(ofRow(0, i, 0)));
    for (let field: usize = 8; field < 32; field += 8) store<f64>(p + COLUMN + (field >> 3) * COLUMN, ofRow(0, i, field));
  }
}

/** Of I(t), in the solver's own terms: damping İ, selfInteraction γI, source −βSI/N or −σE. */
function writeDiagnostics(): void {
  const t = extras() + SCALARS * 8, S = t + COLUMN, E = S + COLUMN, I = E + COLUMN, block = I + 2 * COLUMN;
  const rate = scratch, loss = rate + COLUMN, gain = loss + COLUMN, rest = gain + COLUMN, step = length() / 256.0;
  let sum = 0.0;
  for (let i = 0; i < COUNT; i++) {
    const at = <usize>i << 3, ill = load<f64>(I + at), ends = i == 0 || i == COUNT - 1;
    const onset = latent ? sigma * load<f64>(E + at) : beta / N * load<f64>(S + at) * ill;
    store<f64>(loss + at, gamma * ill);
    store<f64>(gain + at, -onset);
    sum += (onset - gamma * ill) * (ends ? 0.5 * step : step);
    if (!ends) store<f64>(rate + at, (load<f64>(I + at, 8) - load<f64>(I + at - 8)) / (2.0 * step));
  }
  const change = load<f64>(I + COLUMN - 8) - load<f64>(I);
  writeTerms(block, 1, I, COUNT, 0, rate, 0, 0, loss, gain, rest);
  writeBalance(block, change, sum, abs(change - sum));
  writeReflection(block, I, COUNT, rest + COLUMN);
  writeBand(block, I, COUNT, rest + COLUMN);
}
