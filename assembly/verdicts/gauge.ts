// Verdict of `gauge`: the mean of all chains against the exact value on the same finite torus (assembly/gauge/exact.ts).
//
// Parameters (f64): 0 group · 8 β · 16 L · 24 R · 32 T, 0: no loop · 40 rounds
//   48 … the first 1616 bytes of 8 · rounds results of the kernel `gauge`, round by round
// Extras (f64): 0 standard error · 8 τ_int · 16 sweeps of all chains · 24 mean plaquette · 32 its standard error
//   40 mean charge · 48 ⟨Q²⟩/V · 56 charges taken · 64 flux moves accepted, share · 72 mean, cold · 80 mean, hot
//   88 centres of 64 bins of the plaquette · 600 their shares · 1112 diagnostics of these (40)
//
// Gates: 0 exact, relative · 1 exact, in standard errors · 2 standard error · 3 hot = cold, in standard errors
//   4 plaquette, exact, in standard errors (with a loop)

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  parameters, parameterF64, allocate, openState, restoreState, spend, countStep,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { EXACT_SCRATCH, exactLoop } from "../gauge/exact";
import { withExcursions } from "../gauge/excursions";
import {
  autocorrelationTime, CHAINS, meanOf, meanOfStart, Observable, samplesOf, standardError, totalOf,
} from "../gauge/statistics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const TARGET: f64 = 2.5e-4;
const SIGMAS: f64 = 4.5;
const BINS: usize = 64;
const WORK: u64 = 262560;

export function start(budget: i32): i32 { openState(0); return 1; }
export function restore(length: i32): usize { openState(0); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }

export function advance(steps: i32, budget: i32): i32 {
  judge(parameters() + 48, CHAINS * <i32>parameterF64(40));
  spend(WORK);
  countStep();
  return 1;
}

/** |difference| in standard errors; a chain that is frozen in the exact value has none, up to rounding. */
function sigmas(difference: f64, error: f64, size: f64): f64 {
  return abs(difference) <= 1e-12 * size ? 0.0 : ratio(abs(difference), error);
}

/** Finite where both are: an infinite error is a refusal by its bound, not a broken number. */
function ratio(above: f64, below: f64): f64 { return above == 0.0 ? 0.0 : min(above / below, f64.MAX_VALUE); }

/** Standard error of an observable of `area`. */
function errorOf(groups: usize, count: i32, which: i32, area: f64): f64 {
  const volume = parameterF64(16) * parameterF64(16), blocks = standardError(groups, count, which);
  return withExcursions(blocks, <i32>parameterF64(0), parameterF64(8), volume, area, samplesOf(groups, count));
}

function judge(groups: usize, count: i32): void {
  const group = <i32>parameterF64(0), beta = parameterF64(8), size = parameterF64(16);
  const area = parameterF64(24) * parameterF64(32), loop = area > 0.0;
  const volume = size * size, scratch = allocate(EXACT_SCRATCH);
  const mean = meanOf(groups, count, Observable.SAMPLE);
  const error = errorOf(groups, count, Observable.SAMPLE, loop ? area : 1.0);
  const exact = exactLoop(group, beta, volume, loop ? area : 1.0, scratch);
  openVerdict(loop ? 5 : 4, 11 + 2 * <i32>BINS + DIAGNOSTICS);
  gate(2, Kind.ESTIMATE, error, TARGET * abs(mean), ratio(error, abs(mean)), TARGET, Status.DID_NOT_CONVERGE);
  gate(0, Kind.EXACT, mean, exact, relativeError(mean, exact));
  gate(1, Kind.EXACT, mean, exact, sigmas(mean - exact, error, exact), SIGMAS);
  const cold = meanOfStart(groups, count, Observable.SAMPLE, 0), hot = meanOfStart(groups, count, Observable.SAMPLE, 1);
  // Half of the chains each: the difference of the halves has twice the error of the mean of all.
  gate(3, Kind.INVARIANT, hot, cold, sigmas(hot - cold, 2.0 * error, exact), SIGMAS);
  const plaquette = meanOf(groups, count, Observable.PLAQUETTE);
  const plaquetteError = errorOf(groups, count, Observable.PLAQUETTE, 1.0);
  if (loop) {
    const reference = exactLoop(group, beta, volume, 1.0, scratch);
    gate(4, Kind.EXACT, plaquette, reference, sigmas(plaquette - reference, plaquetteError, reference), SIGMAS);
  }
  const at = extras();
  store<f64>(at, error);
  const blocks = standardError(groups, count, Observable.SAMPLE);
  store<f64>(at, autocorrelationTime(groups, count, Observable.SAMPLE, blocks), 8);
  store<f64>(at, samplesOf(groups, count), 16);
  store<f64>(at, plaquette, 24);
  store<f64>(at, plaquetteError, 32);
  store<f64>(at, cold, 72);
  store<f64>(at, hot, 80);
  writeCharges(at, groups, count, volume);
  writeHistogram(at + 88, groups, count);
  writeStaticProfile(at + 1112, at + 600, <i32>BINS, allocate(<usize>diagnosticsScratch(<i32>BINS) << 3));
  closeVerdict(mean);
}

function writeCharges(at: usize, groups: usize, count: i32, volume: f64): void {
  const charges = totalOf(groups, count, 24);
  if (charges > 0.0) {
    store<f64>(at, totalOf(groups, count, 32) / charges, 40);
    store<f64>(at, totalOf(groups, count, 40) / (charges * volume), 48);
  }
  store<f64>(at, charges, 56);
  store<f64>(at, totalOf(groups, count, 1600) / samplesOf(groups, count), 64);
}

function writeHistogram(at: usize, groups: usize, count: i32): void {
  let total = 0.0;
  for (let i: usize = 0; i < BINS; i++) total += totalOf(groups, count, 1088 + (i << 3));
  for (let i: usize = 0; i < BINS; i++) {
    store<f64>(at + (i << 3), (<f64>(2 * i + 1)) / <f64>BINS - 1.0);
    store<f64>(at + 512 + (i << 3), totalOf(groups, count, 1088 + (i << 3)) / total);
  }
}
