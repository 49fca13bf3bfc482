// grid: power flow by Newton's method with a sparse direct solver (../power/blocks.ts) and step halving, to a mismatch of
// 1e-12 pu or, in networks of very strong branches, the rounding of the sum. It starts at set-points, 1 pu and the slack's
// angle, turned by the phase shifts on the way from there.
//
// Form 0 is polar (../power/polar.ts) and can hold reactive limits: after each solution generators change their type
// until none has to. Form 1 injects currents (../power/current.ts), with the types that a run of form 0 ended with.
//
// Parameters: ../power/network.ts, behind them (f64): form, most block products of a factorisation; form 1: n buses of
//   four numbers, the result of form 0 from its byte 24 on, of which only types and flags are read
// State body (f64): n × (θ, V) or (e, f) · n types · n flags · iterations, those of this round, rounds, mismatch [pu]
// Result (f64): 0 iterations · 8 rounds · 16 mismatch [pu] · 24 n × (V [pu], θ [rad], or e, f; type, flag)

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, parameters, restoreState, running, show, spend,
  watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { blockCount, blockProducts, busOfRow, closeRow, layBlocks, solveBlocks } from "../power/blocks";
import { mismatchCurrent, moveCurrent, rowCurrent, startCurrent } from "../power/current";
import { branches, buses, layNetwork, limitsHeld, networkBytes, roundingOfPower, typeOf } from "../power/network";
import { holdLimits, mismatchPolar, movePolar, rowPolar, startPolar } from "../power/polar";
import {
  first, flagOf, layUnknowns, residualsAt, second, setFlag, setType, stateOfBuses, typeNow, unknownsAt,
} from "../power/state";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ITERATIONS: f64 = 20;
const ROUNDS: f64 = 20;
const HALVINGS: i32 = 10;
const TOLERANCE: f64 = 1e-12;

let form: i32 = 0;
let body: usize = 0, counters: usize = 0, before: usize = 0, step: usize = 0;
let tolerance: f64 = 0;
let fits: bool = false;

function prepare(): void {
  layNetwork();
  form = <i32>parameterF64(networkBytes());
  body = openState(stateOfBuses() + 32);
  counters = body + stateOfBuses();
  before = allocate(<usize>buses() << 4);
  step = allocate(<usize>buses() << 4);
  layUnknowns(body, allocate(<usize>buses() << 4));
  watchFinite(body, 4 * buses() + 4);
  tolerance = max(TOLERANCE, roundingOfPower());
  fits = layBlocks(buses(), <i64>parameterF64(networkBytes() + 8));
}

export function start(_budget: i32): i32 {
  prepare();
  if (!fits) { fail(Status.LIMIT_EXCEEDED); return 1; }
  const types = parameters() + networkBytes() + 16;
  for (let i = 0; i < buses(); i++) {
    setType(i, form == 0 ? typeOf(i) : <i32>load<f64>(types + (<usize>i << 5), 16));
    setFlag(i, form == 0 ? 0.0 : load<f64>(types + (<usize>i << 5), 24));
  }
  if (form == 0) startPolar(); else startCurrent();
  keep(3, mismatch());
  return 1;
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

@inline function counter(i: i32): f64 { return load<f64>(counters + (<usize>i << 3)); }
@inline function keep(i: i32, value: f64): void { store<f64>(counters + (<usize>i << 3), value); }
@inline function mismatch(): f64 { return form == 0 ? mismatchPolar() : mismatchCurrent(); }

/** Work units of an iteration: products of blocks, blocks moved, sines of every neighbour and the sums over them. */
@inline function iterationUnits(): u64 {
  return 200 + <u64>blockProducts() * 8 + <u64>blockCount() * 10 + <u64>(buses() + 2 * branches()) * 120;
}

/** A step is an iteration, or the look at the limits behind the last one. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    if (counter(3) > tolerance) iterate();
    else if (form == 0 && limitsHeld() && holdLimits()) nextRound();
    else conclude();
    spend(iterationUnits());
    countStep();
    taken++;
  }
  show(0, counter(3));
  show(1, counter(0));
  return taken;
}

function nextRound(): void {
  keep(1, 0.0);
  keep(2, counter(2) + 1.0);
  keep(3, mismatch());
  if (counter(2) > ROUNDS) fail(Status.DID_NOT_CONVERGE);
}

function iterate(): void {
  const norm = counter(3);
  if (counter(1) >= ITERATIONS || !(norm < 1e300)) { fail(Status.DID_NOT_CONVERGE); return; }
  mismatch();
  for (let k = 0; k < buses(); k++) {
    const i = busOfRow(k);
    if (form == 0) rowPolar(i); else rowCurrent(i);
    if (!closeRow(i)) { fail(Status.DID_NOT_CONVERGE); return; }
  }
  memory.copy(step, residualsAt(), <usize>buses() << 4);
  solveBlocks(step);
  keep(0, counter(0) + 1.0);
  keep(1, counter(1) + 1.0);
  keep(3, halved(norm));
  if (!(counter(3) < norm) && counter(3) > tolerance) fail(Status.DID_NOT_CONVERGE);
}

/** Goes so far along the step that the mismatch falls, and says what is left of it. */
function halved(norm: f64): f64 {
  let part = 1.0, left = norm;
  memory.copy(before, unknownsAt(), <usize>buses() << 4);
  for (let i = 0; i <= HALVINGS; i++) {
    if (form == 0) movePolar(before, step, part); else moveCurrent(before, step, part);
    left = mismatch();
    if (left < norm || left <= tolerance) return left;
    part *= 0.5;
  }
  return left;
}

function conclude(): void {
  const out = openResult(24 + 32 * buses());
  store<f64>(out, counter(0));
  store<f64>(out, counter(2) + 1.0, 8);
  store<f64>(out, counter(3), 16);
  for (let i = 0; i < buses(); i++) {
    const to = out + 24 + (<usize>i << 5);
    store<f64>(to, form == 0 ? second(i) : first(i));
    store<f64>(to, form == 0 ? first(i) : second(i), 8);
    store<f64>(to, <f64>typeNow(i), 16);
    store<f64>(to, flagOf(i), 24);
  }
  finish();
}
