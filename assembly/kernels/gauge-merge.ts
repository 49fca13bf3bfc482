// What the chains of `gauge` know so far: whether the standard error is small enough, and how many sweeps are missing.
//
// Parameters (f64): 0 rounds · 8 group · 16 β · 24 L · 32 R · 40 T, 0: no loop
//   48 … the first 1616 bytes of 8 · rounds results of the kernel `gauge`, round by round
// Result (f64): 0 mean · 8 standard error · 16 τ_int · 24 converged (1) · 32 sweeps of the next round, a multiple of 64

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  parameters, parameterF64, openState, openResult, restoreState, finish, spend, countStep,
} from "../kernel/frame";
import { withExcursions } from "../gauge/excursions";
import { autocorrelationTime, CHAINS, meanOf, Observable, samplesOf, standardError } from "../gauge/statistics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const TARGET: f64 = 2.5e-4;
/** A little more than what is missing, so that one more round is enough mostly, and never more than 15 × what is. */
const MARGIN: f64 = 1.2;
const GROWTH: f64 = 16.0;
const UNITS_PER_GROUP: u64 = 1000;

export function start(budget: i32): i32 { openState(0); return 1; }
export function restore(length: i32): usize { openState(0); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }

export function advance(steps: i32, budget: i32): i32 {
  const count = CHAINS * <i32>parameterF64(0), groups = parameters() + 48;
  const mean = meanOf(groups, count, Observable.SAMPLE);
  const blocks = standardError(groups, count, Observable.SAMPLE), sweeps = samplesOf(groups, count);
  const volume = parameterF64(24) * parameterF64(24), area = max(1.0, parameterF64(32) * parameterF64(40));
  const error = withExcursions(blocks, <i32>parameterF64(8), parameterF64(16), volume, area, sweeps);
  const each = sweeps / <f64>CHAINS;
  const at = openResult(40);
  store<f64>(at, mean);
  store<f64>(at, error, 8);
  store<f64>(at, autocorrelationTime(groups, count, Observable.SAMPLE, blocks), 16);
  const goal = TARGET * abs(mean);
  store<f64>(at, error <= goal ? 1.0 : 0.0, 24);
  const factor = goal > 0.0 ? min(GROWTH, MARGIN * (error / goal) * (error / goal)) : GROWTH;
  store<f64>(at, 64.0 * max(1.0, ceil(each * (factor - 1.0) / 64.0)), 32);
  spend(UNITS_PER_GROUP * <u64>count);
  countStep();
  finish();
  return 1;
}
