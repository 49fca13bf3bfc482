// How a run goes on from the end of an earlier one, as if it had never ended there. Every result closes with the
// state to go on from, and the parameters of a run that goes on close with that of the run before:
//
//    0  steps done in this state
//    8  h, the step of the first run (s); radau15: the longest step
//   16  where the earlier run ended (s after the start)
//   24  0
//   32  the body of the state
//
// Work counts anew; steps, conserved quantities and their extremes go on.

import { countSteps } from "../kernel/frame";
import { isContinued, runParametersEnd } from "./problem";

const HEAD: usize = 32;

@inline export function stepsBefore(): u64 { return isContinued() ? <u64>load<f64>(runParametersEnd()) : 0; }
@inline export function stepBefore(): f64 { return load<f64>(runParametersEnd(), 8); }
@inline export function timeBefore(): f64 { return isContinued() ? load<f64>(runParametersEnd(), 16) : 0; }

/** Bytes of it for a state body of `bytes`. */
@inline export function continuationBytes(bytes: usize): usize { return HEAD + bytes; }

/** Takes the earlier run's state for the state at `body`, which is laid out and empty. */
export function takeUp(body: usize, bytes: usize): void {
  memory.copy(body, runParametersEnd() + HEAD, bytes);
  countSteps(stepsBefore());
}

/** Keeps the state at `body`, after `steps` steps of a run that ends at `end`, at `to`. */
export function keepContinuation(to: usize, steps: u64, step: f64, end: f64, body: usize, bytes: usize): void {
  store<f64>(to, <f64>steps);
  store<f64>(to, step, 8);
  store<f64>(to, end, 16);
  memory.copy(to + HEAD, body, bytes);
}
