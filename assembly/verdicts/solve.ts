// Verdict of `solve`: holds the finest level of RK4 against the closed form where there is one, else against the
// coarser levels. With a closed form the value is the closed form, which RK4 never overrides; without, it is x of
// the finest level.
//
// Parameters (f64): 0…88 the problem (assembly/math/oscillator.ts) · 96 strict (1) · 104 levels given n (2, 3)
//   112 samples of a level s · 120 … n results of the kernel `solve` as far as their samples go, the coarser first
// Extras (f64): 0 x by RK4 · 8 v · 16 E · 24 energy drift · 32 mean over the pulse · 40 it is there (1)
//   48 closed form (ClosedForm) · 56 period, 0: none · 64 timeout (1) · 72 conservative (1) · 80 N · 88 max|x|
//   96 40 numbers of diagnostics (assembly/diagnostics), zeros where there are fewer than 3 samples
//
// Gates: 0 x exact · 1 v exact · 2 x estimate · 3 energy · 4 samples exact · 5 samples estimate · 6 pulse mean

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  parameters, parameterF64, allocate, openState, restoreState, fail, spend, countStep,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { Kind, closeVerdict, extras, gate, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS } from "../diagnostics/diagnostics";
import { writeMotion } from "../diagnostics/motion";
import { ClosedForm, closedForm, closedFormOf, duffingPeriod, OSCILLATOR_SCRATCH } from "../math/oscillator";
import { differenceOfLevels, estimateOfLevels } from "../math/richardson";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const SERIES: usize = 144;
const WORK: u64 = 600000;

export function start(budget: i32): i32 { openState(0); return 1; }
export function restore(length: i32): usize { openState(0); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }

export function advance(steps: i32, budget: i32): i32 {
  judge();
  spend(WORK);
  countStep();
  return 1;
}

/** Bytes of a series of samples. */
@inline function series(): usize { return <usize>parameterF64(112) << 3; }

/** The level `back` before the finest. */
function level(back: i32): usize {
  return parameters() + 120 + (SERIES + 3 * series()) * <usize>(<i32>parameterF64(104) - 1 - back);
}

@inline function times(at: usize): usize { return at + SERIES; }
@inline function xs(at: usize): usize { return at + SERIES + series(); }
@inline function vs(at: usize): usize { return at + SERIES + 2 * series(); }

function judge(): void {
  const p = parameters(), finest = level(0);
  const levels = <i32>parameterF64(104);
  const form = closedFormOf(p);
  const strict = parameterF64(96) == 1.0;
  const timeout = strict && load<f64>(finest, 88) != 1.0;
  if (timeout && form == ClosedForm.NONE) { fail(Status.DID_NOT_CONVERGE); return; }
  const conservative = load<f64>(p) == 2.0 && load<f64>(p, 16) == 0.0 && load<f64>(p, 40) == 0.0;
  const mean = pulseMeans(levels);
  const exact = form != ClosedForm.NONE;
  openVerdict((exact ? 3 : 2) + <i32>conservative + <i32>mean, 12 + DIAGNOSTICS);
  const value = exact ? againstClosedForm(form, p, finest) : againstLevels(finest, levels);
  if (conservative) gate(3, Kind.INVARIANT, load<f64>(finest, 24), load<f64>(finest, 112), load<f64>(finest, 16));
  if (mean) meanGate(finest);
  writeExtras(form, p, finest, timeout, conservative, mean);
  closeVerdict(value);
}

// ---- gates ---------------------------------------------------------------------------------------------

function againstClosedForm(form: i32, p: usize, finest: usize): f64 {
  const scratch = allocate(OSCILLATOR_SCRATCH), out = allocate(16);
  const maxX = load<f64>(finest, 48), maxV = load<f64>(finest, 56);
  closedForm(form, p, load<f64>(p, 88), out, scratch);
  const x = load<f64>(out), v = load<f64>(out, 8);
  gate(0, Kind.EXACT, load<f64>(finest), x, relativeError(load<f64>(finest), x, maxX));
  const measured = load<f64>(finest, 8);
  gate(1, Kind.EXACT, measured, v, differenceOfLevels(measured, v, 1.0, max(abs(v), 1e-3 * maxV), maxV));
  let worst = 0.0, at = 0;
  const count = <i32>load<f64>(finest, 120);
  for (let i = 0; i < count; i++) {
    closedForm(form, p, load<f64>(times(finest) + (<usize>i << 3)), out, scratch);
    const error = abs(load<f64>(xs(finest) + (<usize>i << 3)) - load<f64>(out));
    if (!(error <= worst)) { worst = error; at = i; }
  }
  closedForm(form, p, load<f64>(times(finest) + (<usize>at << 3)), out, scratch);
  gate(4, Kind.EXACT, load<f64>(xs(finest) + (<usize>at << 3)), load<f64>(out), share(worst, maxX));
  return x;
}

function againstLevels(finest: usize, levels: i32): f64 {
  const x = load<f64>(finest), x2 = load<f64>(level(1)), maxX = load<f64>(finest, 48);
  const scale = max(abs(x), 1e-3 * maxX);
  const error = levels == 3
    ? estimateOfLevels(x, x2, load<f64>(level(2)), 4.0, scale)
    : 3.0 * differenceOfLevels(x, x2, 1.0, scale, maxX);
  gate(2, Kind.ESTIMATE, x, x2, error);
  let worst = 0.0, at = 0;
  const count = <i32>load<f64>(finest, 120);
  const fine = xs(finest), coarse = xs(level(1));
  for (let i = 0; i < count; i++) {
    const difference = abs(load<f64>(fine + (<usize>i << 3)) - load<f64>(coarse + (<usize>i << 3)));
    if (!(difference <= worst)) { worst = difference; at = i; }
  }
  const offset = <usize>at << 3;
  gate(5, Kind.ESTIMATE, load<f64>(fine + offset), load<f64>(coarse + offset), share(worst / 15.0, maxX));
  return x;
}

function meanGate(finest: usize): void {
  const fine = load<f64>(finest, 32), coarse = load<f64>(level(1), 32);
  gate(6, Kind.ESTIMATE, fine, coarse, share(abs(fine - coarse) / 15.0, load<f64>(finest, 128)));
}

@inline function share(error: f64, scale: f64): f64 { return error == 0.0 ? 0.0 : error / scale; }

function pulseMeans(levels: i32): bool {
  return load<f64>(level(0), 40) == 1.0 && load<f64>(level(1), 40) == 1.0;
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeExtras(form: i32, p: usize, finest: usize, timeout: bool, conservative: bool, mean: bool): void {
  const at = extras();
  store<f64>(at, load<f64>(finest));
  store<f64>(at, load<f64>(finest, 8), 8);
  store<f64>(at, load<f64>(finest, 24), 16);
  store<f64>(at, conservative ? load<f64>(finest, 16) : 0.0, 24);
  store<f64>(at, mean ? load<f64>(finest, 32) : 0.0, 32);
  store<f64>(at, mean ? 1.0 : 0.0, 40);
  store<f64>(at, <f64>form, 48);
  const periodic = form >= ClosedForm.CN && load<f64>(finest, 48) > 0.0;
  store<f64>(at, periodic ? duffingPeriod(form, p, allocate(OSCILLATOR_SCRATCH)) : linearPeriod(form, p), 56);
  store<f64>(at, timeout ? 1.0 : 0.0, 64);
  store<f64>(at, conservative ? 1.0 : 0.0, 72);
  store<f64>(at, load<f64>(finest, 96), 80);
  store<f64>(at, load<f64>(finest, 48), 88);
  const n = <i32>load<f64>(finest, 120);
  if (n >= 3) writeMotion(at + 96, p, n, times(finest), xs(finest), vs(finest), load<f64>(finest, 104));
}

/** 2π√(m/k) of the undamped, unforced linear oscillator; else none. */
function linearPeriod(form: i32, p: usize): f64 {
  const k = load<f64>(p, 24);
  const free = form == ClosedForm.LINEAR && load<f64>(p) == 2.0 && load<f64>(p, 16) == 0.0 && load<f64>(p, 40) == 0.0;
  return free && k > 0.0 ? 6.283185307179586 * sqrt(load<f64>(p, 8) / k) : 0.0;
}
