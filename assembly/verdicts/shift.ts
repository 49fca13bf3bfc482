// Verdict of `shift`: Δ = f(x + δ) − f(x) from the verdicts of two jobs. A difference of two values that are good to
// 0.1 % need not be: what both may be wrong by must be small beside it.
//
//   independent errors   u = p₀|f₀| + p₁|f₁|, each p at least 4 ulp, and u ≤ 10⁻³ |Δ|
//   paired replicates    4 SE(d̄) ≤ 10⁻³ |Δ|, d_i = f₁ᵢ − f₀ᵢ with common random numbers (Glasserman, Monte Carlo
//                        Methods in Financial Engineering, 7.1); rounding, which no replicate shows, counts as
//                        64 ulp of both values and 10⁻¹² of the input
//   the δ that was made  |(x + δ) − x − δ| of δ is as much of Δ: x + δ is a double
//
// Parameters (f64): 0 shifts S · 8 replicates R of each side, 0: none · 16 S × {x, δ, x + δ as a double}
//   twice {value, precisionActual, g, g × row}, base and shifted · R replicates of the base · R of the shifted
// Extras (f64): 0 f(x) · 8 f(x + δ) · 16 1 where Δ/δ is there (one shift) · 24 Δ/δ, of the δ that was made · 32 1 where the elasticity is there
//   40 elasticity (Δ/f)/(δ/x) · 48 u · 56, 64 precisionActual of base and shifted
//
// Gates: 0–10 the worst of both jobs (assembly/lattice/held.ts) · 11 difference. A side whose verdict does not hold by
// itself is shown as −1 and its number.

import {
  countStep, fail, openState, parameterF64, parameters, parametersLength, restoreState, running, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { classesSeen, gateWorst, holds, openHeld, takeRows, verdictBytes } from "../lattice/held";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 16;
const SHIFT: usize = 24;
const MAX_SHIFTS: f64 = 1000;
const DIFFERENCE: i32 = 11;
const EXTRAS: i32 = 9;
const FOUR_ULP: f64 = 8.881784197001252e-16;
/** Of sums over paths, whose terms are larger than what is left of them. */
const ROUNDING: f64 = 16 * FOUR_ULP;
const ROUNDED_INPUT: f64 = 1e-12;
/** A bound in relative terms stands for four standard errors, as everywhere where samples are averaged. */
const STANDARD_ERRORS: f64 = 4;
/** Work units: all of it, and a replicate. */
const ONCE: u64 = 20000;
const REPLICATE: u64 = 10;

let baseAt: usize = 0;
let shiftedAt: usize = 0;
let replicatesAt: usize = 0;
let replicates: i32 = 0;

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function prepare(): void {
  openState(0);
  openHeld();
  if (!layOut()) fail(Status.INVALID_INPUT);
}

function layOut(): bool {
  const length = <usize>parametersLength(), end = parameters() + length;
  if (length < HEAD) return false;
  const shifts = parameterF64(0), count = parameterF64(8);
  if (!(shifts >= 1 && shifts <= MAX_SHIFTS) || floor(shifts) != shifts) return false;
  if (!(count == 0 || (count >= 2 && count <= 1048576)) || floor(count) != count) return false;
  replicates = <i32>count;
  const head = HEAD + SHIFT * <usize>shifts;
  if (length < head) return false;
  baseAt = parameters() + head;
  const first = verdictBytes(baseAt, end - baseAt);
  if (first < 0) return false;
  shiftedAt = baseAt + <usize>first;
  const second = verdictBytes(shiftedAt, end - shiftedAt);
  if (second < 0) return false;
  replicatesAt = shiftedAt + <usize>second;
  return replicatesAt + (<usize>replicates << 4) == end;
}

export function advance(steps: i32, _budget: i32): i32 {
  if (steps < 1 || !running()) return 0;
  countStep();
  spend(ONCE + REPLICATE * <u64>replicates);
  judge();
  return 1;
}

function judge(): void {
  if (!holds(baseAt) || !holds(shiftedAt)) {
    show(0, -1); show(1, holds(baseAt) ? 1 : 0);
    fail(Status.OUTSIDE_TOLERANCE);
    return;
  }
  takeRows(baseAt);
  takeRows(shiftedAt);
  openVerdict(classesSeen() + 1, EXTRAS);
  gateWorst();
  const f0 = load<f64>(baseAt), f1 = load<f64>(shiftedAt), delta = f1 - f0;
  const independent = errorOf(baseAt) + errorOf(shiftedAt);
  const paired = replicates > 0 ? STANDARD_ERRORS * pairedError() + ROUNDING * (abs(f0) + abs(f1)) : 0;
  const u = (replicates > 0 ? paired : independent) + shareOfShift() * abs(delta);
  gate(DIFFERENCE, Kind.ESTIMATE, delta, delta, u == 0 ? 0 : delta == 0 ? 1 : u / abs(delta));
  writeExtras(f0, f1, delta, u);
  closeVerdict(delta);
}

/** What a value may be wrong by: its gates say, but it is rounded as well. */
function errorOf(at: usize): f64 { return max(load<f64>(at, 8), FOUR_ULP) * abs(load<f64>(at)); }

/** How much of the change is that of another shift than was asked for, the worst of all inputs. */
function shareOfShift(): f64 {
  let worst: f64 = 0;
  for (let i: u32 = 0, shifts = <u32>parameterF64(0); i < shifts; i++) {
    const at = <i32>(HEAD + SHIFT * <usize>i);
    const x = parameterF64(at), d = parameterF64(at + 8), made = parameterF64(at + 16) - x;
    const rounded = replicates > 0 ? ROUNDED_INPUT * abs(x) : 0;
    worst = max(worst, (abs(made - d) + rounded) / abs(d));
  }
  return worst;
}

/** Standard error of the mean of the paired differences. */
function pairedError(): f64 {
  let mean: f64 = 0, squares: f64 = 0;
  for (let i = 0; i < replicates; i++) mean += pairOf(i);
  mean /= <f64>replicates;
  for (let i = 0; i < replicates; i++) { const d = pairOf(i) - mean; squares += d * d; }
  return sqrt(squares / (<f64>replicates * <f64>(replicates - 1)));
}

function pairOf(i: i32): f64 {
  const at = replicatesAt + (<usize>i << 3);
  return load<f64>(at + (<usize>replicates << 3)) - load<f64>(at);
}

function writeExtras(f0: f64, f1: f64, delta: f64, u: f64): void {
  const at = extras(), x = parameterF64(16), d = parameterF64(32) - x;
  const hasRate = parameterF64(0) == 1, hasElasticity = hasRate && f0 != 0 && x != 0;
  store<f64>(at, f0);
  store<f64>(at, f1, 8);
  store<f64>(at, hasRate ? 1 : 0, 16);
  store<f64>(at, hasRate ? delta / d : 0, 24);
  store<f64>(at, hasElasticity ? 1 : 0, 32);
  store<f64>(at, hasElasticity ? (delta / f0) / (d / x) : 0, 40);
  store<f64>(at, u, 48);
  store<f64>(at, load<f64>(baseAt, 8), 56);
  store<f64>(at, load<f64>(shiftedAt, 8), 64);
}
