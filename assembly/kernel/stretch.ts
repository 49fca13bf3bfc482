// A run over a stretch of time: from the start, or from where an earlier run ended (docs/protocol.md, 'Continuing').
// Behind its own parameters a run that goes on has the state that the earlier run's result closes with:
//
//    0 end of the earlier run, since the start [s] · 8 its step h [s]; 0: steps are not equal
//   16 that end in steps of h · 24 steps taken since the start
//   32 what the kernel keeps
//
// A stretch may have a step of its own; where that is the earlier one, all times are the same to the bit.

import { parameters, parametersLength } from "./frame";

/** Bytes before what the kernel keeps. */
export const STRETCH: usize = 32;

let earlier: usize = 0;

/** Looks whether an earlier state stands behind the first `own` bytes of the parameters. */
export function openStretch(own: usize): void {
  earlier = <usize>parametersLength() > own ? parameters() + own : 0;
}

@inline export function goesOn(): bool { return earlier != 0; }
/** Where it begins [s since the start]. */
@inline export function beginning(): f64 { return earlier ? load<f64>(earlier) : 0.0; }
/** Steps of `h` in one of the earlier run. */
@inline export function stepsInEarlier(h: f64): f64 { return earlier ? load<f64>(earlier, 8) / h : 1.0; }
/** Where it begins, in steps of `h`. */
@inline export function beginningIn(h: f64): f64 { return earlier ? load<f64>(earlier, 16) * stepsInEarlier(h) : 0.0; }
/** Steps taken since the start by all runs before. */
@inline export function stepsBefore(): f64 { return earlier ? load<f64>(earlier, 24) : 0.0; }
/** Address of what the earlier run kept. */
@inline export function earlierBody(): usize { return earlier + STRETCH; }

/** Writes the head of the state to go on from, for a run of `steps` that ends at `end`; returns where the rest goes. */
export function keepStretch(to: usize, end: f64, h: f64, steps: u64): usize {
  store<f64>(to, end);
  store<f64>(to, h, 8);
  store<f64>(to, h > 0.0 ? beginningIn(h) + <f64>steps : 0.0, 16);
  store<f64>(to, stepsBefore() + <f64>steps, 24);
  return to + STRETCH;
}

/** Time of row i of n intervals between the beginning and `end`. */
@inline export function timeOfRow(begin: f64, end: f64, i: i32, n: i32): f64 {
  return i == n ? end : begin + (end - begin) * (<f64>i / <f64>n);
}
