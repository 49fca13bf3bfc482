// Verdict of smooth objectives: of the starts that settled the one with the lowest f, of equal ones the first, judged
// by derivatives that share nothing with the steps (assembly/opt/objective-check.ts): the gradient vanishes, the second
// derivatives are positive definite on the variables that no bound holds, Newton's next step would gain nothing. That
// is a minimum, a local one; it is called global only where the function's own minimum is known and reached.
//
// Parameters: assembly/opt/smooth.ts, 40 starts · 48 1: the caller has bounds of its own · behind it the results of the
//   starts (32 + 8n bytes each)
// Extras (f64): 0 1: local · 8 starts that settled · 16 number of the best · 24 accepted steps of it · 32 gain that
//   Newton's next step promises · 40 smallest pivot · 48 f(x₀) · x (n) · gradient (n) · f of each start (8) · diagnostics of x (40)
//
// Gates: 4 gradient · 5 second derivatives · 6 promised gain · 7 value · 8 known minimum

import {
  allocate, countStep, fail, openState, parameterF64, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { DIAGNOSTICS, diagnosticsScratch, profileWork, writeStaticProfile } from "../diagnostics/diagnostics";
import { closeVerdict, extras, gate, Kind as Gate, openVerdict, relativeError } from "../kernel/verdict";
import { backward, cholesky, forward, rowAt } from "../opt/cholesky";
import { checkAt, found, openCheck, sizeOfData } from "../opt/objective-check";
import { at, put } from "../opt/program";
import { behind, count, first, Kind, kind, lowers, n, readSmooth, uppers, which } from "../opt/smooth";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const FLAT: f64 = 1e-6;
const STARTS: i32 = 8;
const SCALARS: i32 = 7;
/** f at its global minimum: rosenbrock, himmelblau, beale, mccormick −√3/2 − π/3, styblinski-tang by variable. */
const STYBLINSKI: f64 = -39.16616570377142;
const MCCORMICK: f64 = -1.9132229549810362;

let starts: i32 = 0;
let gradient: usize = 0, hessian: usize = 0, step: usize = 0, x: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readSmooth();
  starts = <i32>parameterF64(40);
  gradient = allocate(<usize>n << 3);
  step = allocate(<usize>n << 3);
  hessian = allocate(<usize>(n * n) << 3);
  openCheck(allocate(32 * <usize>(n + 8)));
  scratch = allocate(<usize>diagnosticsScratch(n) << 3);
}

@inline function resultOf(i: i32): usize { return behind + <usize>i * (32 + (<usize>n << 3)); }

export function advance(_steps: i32, _budget: i32): i32 {
  const perItem = kind == Kind.MODEL ? 120 : kind == Kind.POLYNOMIAL ? 200 * <u64>n : 0;
  spend(20000 + profileWork(n) + <u64>(n * n) * (50 + <u64>n * 60 + <u64>count * perItem));
  countStep();
  const best = lowest();
  if (best >= 0) judge(best);
  return 1;
}

/** Refuses where a start fell for ever, or none settled. */
function lowest(): i32 {
  let best = -1;
  for (let i = 0; i < starts; i++) {
    const outcome = load<f64>(resultOf(i));
    if (outcome == 2.0) {
      show(0, 4.0); show(1, load<f64>(resultOf(i), 16)); show(2, <f64>n);
      for (let j = 0; j < min(n, 12); j++) show(3 + j, at(resultOf(i) + 32, j));
      fail(Status.INVALID_INPUT);
      return -1;
    }
    if (outcome != 0.0) continue;
    if (best < 0 || isLower(load<f64>(resultOf(i), 16), load<f64>(resultOf(best), 16))) best = i;
  }
  if (best < 0) { show(0, 5.0); fail(Status.DID_NOT_CONVERGE); }
  return best;
}

/** By more than rounding, so that of equal minima the first is taken. */
function isLower(f: f64, than: f64): bool {
  return f < than - 1e-9 * (kind == Kind.MODEL ? abs(than) : max(1.0, abs(than)));
}

// ---- gates ---------------------------------------------------------------------------------------------

function isHeld(j: i32): bool {
  return (at(x, j) <= at(lowers, j) && at(gradient, j) > 0.0) || (at(x, j) >= at(uppers, j) && at(gradient, j) < 0.0);
}

/** Smallest pivot of the second derivatives, scaled to a diagonal of ones, and the gain of Newton's step. */
let pivot: f64 = 0, gain: f64 = 0;
function newton(): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      checkAt(x, i, j);
      put(rowAt(hessian, n, i), j, found(3));
    }
    put(gradient, i, found(1));
  }
  for (let i = 0; i < n; i++) put(step, i, at(rowAt(hessian, n, i), i) > 0.0 ? 1.0 / sqrt(at(rowAt(hessian, n, i), i)) : 0.0);
  let isPositive = true;
  for (let i = 0; i < n; i++) {
    const held = isHeld(i);
    if (!held && at(step, i) == 0.0) isPositive = false;
    for (let j = 0; j <= i; j++) {
      const own = held || isHeld(j) ? 0.0 : at(rowAt(hessian, n, i), j) * at(step, i) * at(step, j);
      put(rowAt(hessian, n, i), j, i == j ? (held ? 1.0 : own) : own);
    }
    put(step, i, held ? 0.0 : at(gradient, i) * at(step, i));
  }
  pivot = 0.0;
  gain = 0.0;
  if (!isPositive || !cholesky(hessian, n, 1e-14)) return;
  pivot = Infinity;
  for (let i = 0; i < n; i++) pivot = min(pivot, at(rowAt(hessian, n, i), i) * at(rowAt(hessian, n, i), i));
  forward(hessian, n, step);
  for (let i = 0; i < n; i++) gain += 0.5 * at(step, i) * at(step, i);
}

function knownMinimum(): f64 { return which == 3 ? MCCORMICK : which == 4 ? STYBLINSKI * <f64>n : 0.0; }

function judge(best: i32): void {
  const own = resultOf(best);
  x = own + 32;
  checkAt(first, 0, 0);
  const atStart = found(0);
  newton();
  checkAt(x, 0, 0);
  const f = found(0), data = kind == Kind.MODEL ? sizeOfData() : 0.0;
  const known = knownMinimum(), size = known != 0.0 ? abs(known) : abs(atStart);
  const apart = f == known ? 0.0 : abs(f - known) / size;
  const isKnown = kind == Kind.FUNCTION && parameterF64(48) == 0.0 && (apart <= 1e-3);
  openVerdict(isKnown ? 5 : 4, SCALARS + 2 * n + STARTS + DIAGNOSTICS);
  gradientGate(kind == Kind.MODEL ? max(data, 1e-300) : max(1.0, abs(f)));
  gate(5, Gate.CERTIFICATE, pivot > 0.0 ? 0.0 : 1.0, 0.0, pivot > 0.0 ? 0.0 : 1.0, 0.0);
  gate(6, Gate.CERTIFICATE, gain, 0.0, gain / (kind == Kind.MODEL ? max(f, 1e-20 * data + 1e-300) : max(1.0, abs(f))), FLAT);
  const claimed = load<f64>(own, 16), scale = kind == Kind.MODEL ? data : max(1.0, abs(f));
  gate(7, Gate.EXACT, claimed, f, abs(f) < 1e-9 * scale ? abs(claimed - f) / scale : relativeError(claimed, f));
  if (isKnown) gate(8, Gate.EXACT, f, known, apart);
  writeExtras(best, own, isKnown, atStart);
  closeVerdict(f);
}

/** Σ|x_j ∂_j f| over the free variables, beside f, or beside the data that a model is fitted to. */
function gradientGate(scale: f64): void {
  let sum = 0.0;
  for (let j = 0; j < n; j++) if (!isHeld(j)) sum += abs(at(gradient, j) * (kind == Kind.MODEL ? at(x, j) : max(1.0, abs(at(x, j)))));
  gate(4, Gate.CERTIFICATE, sum, 0.0, sum / scale, FLAT);
}

function writeExtras(best: i32, own: usize, isKnown: bool, atStart: f64): void {
  const to = extras();
  let settled = 0;
  for (let i = 0; i < starts; i++) {
    if (load<f64>(resultOf(i)) == 0.0) settled++;
    put(to, SCALARS + 2 * n + i, load<f64>(resultOf(i), 16));
  }
  store<f64>(to, isKnown ? 0.0 : 1.0);
  store<f64>(to, <f64>settled, 8);
  store<f64>(to, <f64>best, 16);
  store<f64>(to, load<f64>(own, 8), 24);
  store<f64>(to, gain, 32);
  store<f64>(to, pivot, 40);
  store<f64>(to, atStart, 48);
  for (let j = 0; j < n; j++) {
    put(to, SCALARS + j, at(x, j) + 0.0);
    put(to, SCALARS + n + j, at(gradient, j) + 0.0);
  }
  writeStaticProfile(to + (<usize>(SCALARS + 2 * n + STARTS) << 3), to + (SCALARS << 3), n, scratch);
}
