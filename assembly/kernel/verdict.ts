// The frame of a verdict: the result of the last run of every job (docs/protocol.md, 'Job').
//
//   offset  0  f64  value
//           8  f64  precisionActual: the worst gate error
//          16  f64  g, the number of gate rows
//          24  g rows of six f64: index in the declaration, kind, measured, reference, error, bound
//          …   what the declaration names ("extras"), f64 each
//
// A gate above its bound is an error code; the value is then never shown. observe() gives
// [index, kind, error, bound] of the gate that refused.

import { fail, finish, isFiniteF64, openResult, finiteRange, running, show } from "./frame";
import { Status } from "./status";

export namespace Kind {
  export const EXACT: f64 = 0;
  export const INVARIANT: f64 = 1;
  export const CERTIFICATE: f64 = 2;
  export const TWIN: f64 = 3;
  export const ESTIMATE: f64 = 4;
}

export const BOUND: f64 = 1e-3;

let verdictAt: usize = 0;
let gateRows: i32 = 0;
let gateCapacity: i32 = 0;
let extrasCount: i32 = 0;
let worst: f64 = 0;

/** Room for exactly `gates` rows and `extras` f64 behind them. */
export function openVerdict(gates: i32, extras: i32): void {
  gateCapacity = gates; extrasCount = extras; gateRows = 0; worst = 0;
  verdictAt = openResult(24 + gates * 48 + extras * 8);
}

/** Address of the first extra. */
export function extras(): usize { return verdictAt + 24 + <usize>gateCapacity * 48; }

/** One gate row. `code` is the error when `error` is not within `bound` (or is not a number at all). */
export function gate(
  index: i32, kind: f64, measured: f64, reference: f64, error: f64, bound: f64 = BOUND,
  code: i32 = Status.OUTSIDE_TOLERANCE,
): void {
  if (gateRows >= gateCapacity) unreachable();
  const row = verdictAt + 24 + <usize>gateRows * 48;
  store<f64>(row, <f64>index);
  store<f64>(row, kind, 8);
  store<f64>(row, measured, 16);
  store<f64>(row, reference, 24);
  store<f64>(row, error, 32);
  store<f64>(row, bound, 40);
  gateRows++;
  if (bound <= BOUND && !(error <= worst)) worst = error; // a bound in standard errors is no precision
  if (!(error <= bound) && running()) { // the first that refuses, whose code is kept, is the one shown
    show(0, <f64>index); show(1, kind); show(2, error); show(3, bound);
    fail(isFiniteF64(error) ? code : Status.NON_FINITE);
  }
}

/** |measured − reference| / |reference|, or over `scale` where the reference is tiny beside it. */
export function relativeError(measured: f64, reference: f64, scale: f64 = 0.0): f64 {
  const difference = abs(measured - reference);
  const size = abs(reference);
  if (size < 1e-12 * scale) return difference / scale;
  return difference == 0 ? 0 : difference / size;
}

/** Writes the value (a sealed −0 is +0) and ends the run: finished, or with the code of the gate that refused. */
export function closeVerdict(value: f64): void {
  if (gateRows != gateCapacity) unreachable();
  store<f64>(verdictAt, value + 0.0);
  store<f64>(verdictAt, worst, 8);
  store<f64>(verdictAt, <f64>gateRows, 16);
  if (!finiteRange(verdictAt, 3 + gateRows * 6 + extrasCount)) fail(Status.NON_FINITE);
  finish();
}
