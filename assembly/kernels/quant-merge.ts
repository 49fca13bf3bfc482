// What the replicates of `quant` know so far: whether the standard error is small enough and paths that are too rare to be
// met hold little of a payoff of its own, and how many points are missing. No closed form is looked at: where to stop must
// not hang on how near the price has come. A price that is nothing beside its scale ends the job here: no relative bound
// could be held for it.
//
// Parameters (f64): 0 … 80 assembly/quant/problem.ts · 88 rounds · 96 … results of their runs, 1024 bytes each,
//   then the formula of a payoff of its own (assembly/expression)
// Result (f64): 0 mean payoff · 8 standard error · 16 enough (1) · 24 points that each replicate should have

import {
  countStep, fail, finish, openResult, openState, parameterF64, parameters, parametersLength, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { ALLOWED, openResolution } from "../expression/resolved";
import { openPrograms, programCount } from "../expression/program";
import { findLaw, lawColumn } from "../quant/law";
import { payout, q, readProblem, REPLICATES, RUN_BYTES, RUNS, S0, Sum, T, Type, type } from "../quant/problem";
import { encloseRare, enoughPaths, MOST_PATHS, rareShare, rareWork } from "../quant/rare";
import { coefficient, mean, openReplicates, standardError, total } from "../quant/replicates";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

/** Of the price; the verdict allows four standard errors 1e-3. */
const TARGET: f64 = 2.4e-4;
const LEAST_PRICE: f64 = 1e-6;
const UNITS_PER_ROUND: u64 = 20000;
const GROWTH: f64 = 64.0;

export function start(_budget: i32): i32 { openState(0); return 1; }
export function restore(length: i32): usize { openState(0); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

export function advance(_steps: i32, _budget: i32): i32 {
  readProblem();
  const rounds = <i32>parameterF64(88);
  openReplicates(parameters() + 96, rounds);
  // A payoff of its own may be what its holder owes.
  const price = mean(Sum.Y), size = abs(price), scale = type == Type.DIGITAL ? payout : S0;
  const b = coefficient(), error = standardError(Sum.Y, Sum.C, b);
  let excess = size > 0.0 ? error / (TARGET * size) : GROWTH;
  // The twin of an arithmetic Asian stands on the same paths without a control: it must be sharp as well.
  if (type == Type.ARITHMETIC) excess = max(excess, standardError(Sum.C, Sum.C, 0.0) / (TARGET * mean(Sum.C)));
  if (type == Type.OWN) excess = max(excess, pathsMissing(price - b * (mean(Sum.C) - S0 * Math.exp(-q * T)), rounds));
  const at = openResult(32);
  store<f64>(at, price);
  store<f64>(at, error, 8);
  store<f64>(at, excess <= 1.0 ? 1.0 : 0.0, 16);
  store<f64>(at, total(Sum.N) / <f64>REPLICATES * growth(excess), 24);
  spend(UNITS_PER_ROUND * <u64>rounds + (type == Type.OWN ? rareWork() : 0));
  countStep();
  if (!(size >= LEAST_PRICE * scale)) { show(0, price / scale); fail(Status.INVALID_INPUT); }
  finish();
  return 1;
}

/** How many times the paths would do, of a payoff of its own without a law; 1 where more than there can be would. */
function pathsMissing(price: f64, rounds: i32): f64 {
  const from = 96 + <usize>rounds * RUNS * RUN_BYTES;
  if (!(openPrograms(parameters() + from, parametersLength() - <i32>from) && programCount() == 1)) return 1.0;
  openResolution(1);
  findLaw();
  const paths = total(Sum.N);
  if (lawColumn >= 0) return 1.0;
  encloseRare();
  if (rareShare(price, paths) <= ALLOWED) return 1.0;
  const enough = enoughPaths(price, paths);
  return enough > 0.0 && enough <= MOST_PATHS ? enough / paths : 1.0;
}

/** A power of two: the error falls about as 1/points. */
function growth(excess: f64): f64 {
  let factor = 2.0;
  while (factor < min(GROWTH, excess)) factor *= 2.0;
  return factor;
}
