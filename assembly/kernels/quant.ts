// Option prices under geometric Brownian motion, dS = (r − q) S dt + σ S dW, by randomised quasi-Monte Carlo: Sobol
// points with digital shifts, the Brownian bridge, exact log-normal steps. A run samples four of the 32 replicates; a
// step is 4096 points of one of them. Replicates are independent, so their spread is the standard error (Glasserman,
// Monte Carlo Methods in Financial Engineering, §5.4).
//
// Parameters (f64): 0 … 80 assembly/quant/problem.ts · 88, 96 seed · 104 first replicate · 112 first point
//   120 points of each replicate, a multiple of 4096 · 128 … the formula of a payoff of its own (assembly/expression)
// State body and result: sums of four replicates and counts (assembly/quant/problem.ts), 1024 bytes

import {
  countStep, fail, finish, openResult, openState, parameterF64, parameters, parametersLength, restoreState, running, show, spend, stepsDone, watchFinite,
  work,
} from "../kernel/frame";
import { layPaths, openBridge } from "../quant/bridge";
import { Status } from "../kernel/status";
import { stripHalves } from "../expression/work";
import { lawColumn } from "../quant/law";
import { openOwnPayoff, openPayoff, takePaths } from "../quant/payoff";
import { fixings, PER_RUN, readProblem, RUN_BYTES, Sum, SUMS, T, Type, type } from "../quant/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const CHUNK: u64 = 4096;
const BLOCK: u64 = 256;
/** Work units of a path's derivatives, where the payoff has a law of its own. */
const SCORES: u64 = 25;

let body: usize = 0;
let firstReplicate: u32 = 0;
let firstPoint: u64 = 0, chunks: u64 = 0, unitsPerStep: u64 = 0;

function prepare(): void {
  readProblem();
  firstReplicate = <u32>parameterF64(104);
  firstPoint = <u64>parameterF64(112);
  chunks = <u64>parameterF64(120) / CHUNK;
  openBridge(fixings, T, <u32>parameterF64(88), <u32>parameterF64(96));
  openPayoff();
  if (type == Type.OWN && !openOwnPayoff(parameters() + 128, parametersLength() - 128)) fail(Status.INVALID_INPUT);
  body = openState(RUN_BYTES);
  watchFinite(body, <i32>(RUN_BYTES >> 3));
  unitsPerStep = CHUNK * unitsPerPath();
  if (running() && type == Type.OWN) unitsPerStep += CHUNK / 2 * stripHalves(0) + (lawColumn >= 0 ? CHUNK * SCORES : 0);
}

/** The same formula is in the plan. */
function unitsPerPath(): u64 {
  const base: u64 = type == Type.DOWN_OUT ? 50 : 30;
  const perFixing: u64 = type == Type.ARITHMETIC || type == Type.OWN ? 28 : 13;
  return base + perFixing * <u64>fixings;
}

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const replicate = stepsDone() / chunks, chunk = stepsDone() % chunks;
    sample(<u32>replicate, firstPoint + chunk * CHUNK);
    spend(unitsPerStep);
    countStep();
    taken++;
    if (stepsDone() == <u64>PER_RUN * chunks) conclude();
  }
  show(0, load<f64>(body + Sum.Y) / max(1.0, load<f64>(body + Sum.N)));
  return taken;
}

function sample(replicate: u32, point: u64): void {
  for (let at = point; at < point + CHUNK; at += BLOCK) {
    layPaths(firstReplicate + replicate, <u32>(at / BLOCK));
    takePaths(body + SUMS * <usize>replicate, body + SUMS * <usize>PER_RUN);
  }
}

function conclude(): void {
  memory.copy(openResult(<i32>RUN_BYTES), body, RUN_BYTES);
  finish();
}
