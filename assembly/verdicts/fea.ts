// Verdict of `fea` on nested meshes: three runs with cells h, 2h, 4h give the value and its discretisation error; the
// gates hold each run to the patch test, to the balance of loads and reactions, of energy, and of every free node.
//
// Parameters (f64), 16 numbers, then the results of the kernel `fea` from their beginning: 419 numbers of the
// finest run, 32 of each of the two coarser ones.
//   0 unknowns per node   1 quantity   2 component   3 exact solution: 0 none, 1 Timoshenko's cantilever
//   4 L   5 half depth c   6 E   7 nu (of plane stress)   8 intensity a of the end shear a(1−ξ²)   9, 10 probe x, y
//   11 1 where a node alone is held   12 … 15 orders below 2 that corners hold the value to, lowest first (0: none)
//
// Extras: 0 v(h), 1 v(2h), 2 v(4h), 3 observed order (0: none), 4 scale, 5 iterations of the finest run, 6 its
// residual, 7 unknowns, 8 cells, 9 energy, 10, 11 applied load, 12, 13 reactions, 14 largest size of the field,
// 15 levels, 16 … 55 diagnostics of the probe line (assembly/diagnostics/diagnostics.ts).
//
// Gates: 0 patch test · 1 loads and reactions · 2 energy · 3 every node · 4 exact · 5 estimate; where the last
// refuses, observe() gives as number 4 how many times as many cells along a side do, as 5 whether a node alone bears

import {
  allocate, configure, countStep, drain, drainLength, observe, observeLength, openState, parameterF64, parameters,
  restoreState, result, resultLength, show, spend, state, stateLength, status, work,
} from "../kernel/frame";
import { BOUND, Kind, closeVerdict, extras, gate, openVerdict } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReferenceTerms, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const HEADER: usize = 16 * 8;
const RUN: usize = 32 * 8;
const LINE: i32 = 129;
const WORK: u64 = 200000;
const EXTRAS: i32 = 16;

const STRESS: f64 = 1, ENERGY: f64 = 2;
const PATCH_BOUND: f64 = 1e-10;
const BALANCE_BOUND: f64 = 1e-6;

export function start(budget: i32): i32 { openState(0); return 1; }
export function restore(length: i32): usize { openState(0); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }

export function advance(steps: i32, budget: i32): i32 {
  judge();
  spend(WORK);
  countStep();
  return 1;
}

/** Number i of run n (0 the finest). */
function given(n: i32, i: i32): f64 {
  const first = n == 0 ? 0 : RUN + LINE * 3 * 8 + RUN * <usize>(n - 1);
  return load<f64>(parameters() + HEADER + first + (<usize>i << 3));
}
@inline function lineAt(): usize { return parameters() + HEADER + RUN; }

function judge(): void {
  const exact = parameterF64(24) != 0;
  openVerdict(exact ? 6 : 5, EXTRAS + DIAGNOSTICS);
  const value = estimate();
  balances();
  if (exact) againstTimoshenko(value);
  estimateGate(value);
  writeExtras();
  closeVerdict(value);
}

// ---- balances --------------------------------------------------------------------------------------------

function over(difference: f64, size: f64): f64 { return size > 0 ? difference / size : difference; }

function balances(): void {
  let patch = 0.0, force = 0.0, energy = 0.0, node = 0.0, worst = 0;
  for (let n = 0; n < 3; n++) {
    patch = max(patch, given(n, 9));
    force = max(force, over(max(abs(given(n, 4) + given(n, 6)), abs(given(n, 5) + given(n, 7))), given(n, 8)));
    const apart = over(abs(given(n, 2) - given(n, 3)), max(abs(given(n, 2)), abs(given(n, 3))));
    if (apart > energy) { energy = apart; worst = n; }
    node = max(node, given(n, 12));
  }
  gate(0, Kind.INVARIANT, patch, 0, patch, PATCH_BOUND);
  gate(1, Kind.INVARIANT, sumOf(6), -sumOf(4), force, BALANCE_BOUND);
  gate(2, Kind.INVARIANT, given(worst, 2), given(worst, 3), energy, BALANCE_BOUND);
  gate(3, Kind.INVARIANT, node, 0, node, BALANCE_BOUND);
}
/** The component of larger reaction. */
function sumOf(i: i32): f64 { return abs(given(0, 7)) > abs(given(0, 6)) ? given(0, i + 1) : given(0, i); }

// ---- estimate --------------------------------------------------------------------------------------------

let order: f64 = 0;
let scale: f64 = 0;
let error: f64 = 0;

/** A value is held beside itself down to this share of the largest in the body. */
const SMALL: f64 = 1e-6;

/** Of Poisson's u, whose zero is arbitrary, no more than the range of the field counts. */
function sizeOf(value: f64): f64 {
  const largest = given(0, 1), isOfRange = parameterF64(0) == 1 && parameterF64(8) == 0 && given(0, 21) > 0;
  const most = isOfRange ? max(given(0, 21), 1e-8 * largest) : largest;
  return max(isOfRange ? min(abs(value), most) : abs(value), SMALL * most);
}

/**
 * Richardson's extrapolation with the observed order p̂ = log₂|(v4−v2)/(v2−v1)|, where both differences have one
 * sign and ½ ≤ p̂ ≤ 4; its error is 1.25 times the step taken (P. Roache, J. Fluids Eng. 116 (1994) 405, the grid
 * convergence index for three grids), and no less than as much of what order 2 leaves of the difference before: a smooth
 * part that is gone first hides those of corners. Else v1 stands: two meshes agree by accident too, so that its error is
 * 3 |v1−v2| or a quarter of |v2−v4|, where that is more (measured: docs/adding-a-solver.md, 'The verdict'). Nor is it
 * less than how far from there any two of the orders that the body has put the value.
 *
 * A stress has no such expansion, nor has a field where the probe is no node: the error there goes with the place of the
 * probe in its cell, which is another one on each mesh. So v1 stands, and the error is 1.25 times the finer difference, or
 * what order 2 leaves of the coarser one three times over.
 */
function estimate(): f64 {
  const v1 = given(0, 0);
  scale = sizeOf(v1);
  const value = extrapolated(v1, v1 - given(1, 0), given(1, 0) - given(2, 0));
  const fine = v1 - given(1, 0);
  error = max(error, over(1.25 * spreadOfOrders(v1 - value, fine, given(1, 0) - given(2, 0)), scale));
  error = max(error, over(leftByLowest(fine), scale));
  return value;
}

/**
 * Of what the lowest order of the corners would leave by itself, the share that is stated at least. Three parts of the error
 * and those of complex exponents, which change their sign as cells shrink, are no two orders whatever they are: of 424 random
 * bodies they left up to 1.58 times as much, where two orders stated half of it.
 */
const LOWEST: f64 = 1.75;
function leftByLowest(fine: f64): f64 {
  const p = lastingOrder(0);
  return p < REGULAR ? LOWEST * abs(fine) / (Math.pow(2.0, p) - 1) : 0;
}

/** Whether the error goes with the place of the probe in its cell. */
function isOfPlace(): bool {
  const asked = parameterF64(8);
  if (parameterF64(0) == 2 && asked == STRESS) return true;
  return asked != ENERGY && !(given(0, 23) != 0 && given(1, 23) != 0 && given(2, 23) != 0);
}

function extrapolated(v1: f64, fine: f64, coarse: f64): f64 {
  order = 0;
  if (isOfPlace()) {
    error = over(max(1.25 * abs(fine), abs(coarse) / 4), scale);
    return v1;
  }
  if (abs(fine) <= 1e-10 * scale) { error = over(max(abs(fine), abs(coarse) / 4), scale); return v1; }
  const ratio = coarse / fine;
  const p = ratio > 0 ? Math.log2(ratio) : 0;
  if (p >= 0.5 && p <= 4) {
    order = p;
    const step = fine / (ratio - 1);
    error = 1.25 * max(abs(step), abs(coarse) / 12) / scale;
    return v1 + step;
  }
  error = max(3 * abs(fine), abs(coarse) / 4) / scale;
  return v1;
}

/** A pinned node's values go as the logarithm of the cells, over three meshes about as this order. */
const LOGARITHM: f64 = 0.1;
/** Of a node that is loaded, and beside a corner (src/solvers/fea/orders.ts). */
const NO_ORDER: f64 = 0.2;
const REGULAR: f64 = 2;
/** Of the sums of the loads and reactions, what a pinned node bears where it only keeps the body from moving. */
const IDLE: f64 = 1e-7;

function isPinned(): bool { return parameterF64(88) != 0 && given(0, 22) > IDLE * given(0, 8); }
/** Order n of the body: that of pinned nodes, those of its corners, then what the elements have. */
function orderOf(n: i32): f64 {
  if (isPinned()) n--;
  if (n < 0) return LOGARITHM;
  const given = n < 4 ? parameterF64(96 + (<usize>n << 3)) : 0.0;
  return given > 0 ? given : REGULAR;
}

/** Opposite signs make three meshes agree that are far off: the farthest of all pairs from where v1 is off by `step`. */
function spreadOfOrders(step: f64, fine: f64, coarse: f64): f64 {
  let most = 0.0;
  for (let i = 0; orderOf(i) < REGULAR; i++) {
    for (let j = i + 1; ; j++) {
      most = max(most, abs(leftBy(orderOf(i), orderOf(j), fine, coarse) + step));
      if (orderOf(j) == REGULAR) break;
    }
  }
  return most;
}

/**
 * Where the error is a hᵖ + b hᑫ, v1 is off by ((P+Q−1)(v1−v2) − (v2−v4)) / ((P−1)(Q−1)), P = 2ᵖ, Q = 2ᑫ, whatever a and
 * b are.
 */
function leftBy(first: f64, second: f64, fine: f64, coarse: f64): f64 {
  const p = Math.pow(2.0, first), q = Math.pow(2.0, second);
  return ((p + q - 1) * fine - coarse) / ((p - 1) * (q - 1));
}

function estimateGate(value: f64): void {
  gate(5, Kind.ESTIMATE, given(0, 0), value, error);
  if (error <= BOUND) return;
  show(4, finer());
  show(5, isPinned() ? 1 : 0);
}

// ---- cells that do ---------------------------------------------------------------------------------------

/** What fields without corners have. */
const SMOOTH: f64 = 4;
/** Share of the bound that the error on more cells is to keep within; how far they are looked for, and in what steps. */
const KEPT: f64 = 0.8, MOST_TIMES: f64 = 4096, STEP_OF_TIMES: f64 = 1.05;

/** Order n of those that more cells leave, then those of what has no corners: a probe beside a corner is so on few cells only. */
function lastingOrder(n: i32): f64 {
  const first = parameterF64(96) == NO_ORDER ? 1 : 0;
  let count = first;
  while (count < 4 && parameterF64(96 + (<usize>count << 3)) > 0) count++;
  n += first;
  return n < count ? parameterF64(96 + (<usize>n << 3)) : n == count ? REGULAR : SMOOTH;
}

/**
 * How many times as many cells along a side take the error that will be stated below its bound: where the values go as
 * a hᵖ + b h⁴, p the lowest order of the corners, those on so many cells are known.
 */
function finer(): f64 {
  const fine = given(0, 0) - given(1, 0), coarse = given(1, 0) - given(2, 0);
  const p = Math.pow(2.0, lastingOrder(0)), q = Math.pow(2.0, SMOOTH);
  const b = (coarse - p * fine) / (q - p), a = fine - b;
  let times = 1.0, first = a, second = b;
  do {
    times *= STEP_OF_TIMES;
    first = a * Math.pow(times, -lastingOrder(0));
    second = b * Math.pow(times, -SMOOTH);
  } while (times < MOST_TIMES && !(stated(first + second, p * first + q * second) <= KEPT * BOUND));
  return times;
}

/** What an estimate of these differences says, the orders apart that only few cells have. */
function stated(fine: f64, coarse: f64): f64 {
  const v1 = given(0, 0), step = extrapolated(v1, fine, coarse) - v1;
  let most = max(error * scale, leftByLowest(fine));
  for (let i = 0; lastingOrder(i) < REGULAR; i++)
    for (let j = i + 1; lastingOrder(j) != SMOOTH; j++)
      most = max(most, 1.25 * abs(leftBy(lastingOrder(i), lastingOrder(j), fine, coarse) - step));
  return over(most, scale);
}

// ---- closed form -----------------------------------------------------------------------------------------

/** S. Timoshenko, J. Goodier, Theory of Elasticity, art. 21, with the parabolic end shear and its moment. */
function againstTimoshenko(value: f64): void {
  const length = parameterF64(32), c = parameterF64(40), e = parameterF64(48), nu = parameterF64(56);
  const load0 = parameterF64(64) * 4 * c / 3, inertia = 2 * c * c * c / 3;
  const x = parameterF64(72), y = parameterF64(80);
  const depth = 4 * c * c, unit = load0 / (6 * e * inertia);
  let reference = 0.0;
  if (parameterF64(8) == 0) {
    reference = parameterF64(16) == 0
      ? -unit * y * ((6 * length - 3 * x) * x + (2 + nu) * (y * y - depth / 4))
      : unit * (3 * nu * y * y * (length - x) + (4 + 5 * nu) * depth * x / 4 + (3 * length - x) * x * x);
  } else if (parameterF64(16) == 0) reference = -load0 * (length - x) * y / inertia;
  else if (parameterF64(16) == 2) reference = load0 / (2 * inertia) * (depth / 4 - y * y);
  gate(4, Kind.EXACT, value, reference, abs(value - reference) / max(abs(reference), scale));
}

// ---- extras ----------------------------------------------------------------------------------------------

function writeExtras(): void {
  const to = extras();
  const rest = memory.data<u8>([10, 11, 13, 14, 2, 4, 5, 6, 7, 1, 15]);
  for (let n = 0; n < 3; n++) store<f64>(to + (<usize>n << 3), given(n, 0));
  store<f64>(to, order, 24);
  store<f64>(to, scale, 32);
  for (let i = 0; i < 11; i++) store<f64>(to + (<usize>i << 3), given(0, <i32>load<u8>(rest + <usize>i)), 40);
  const block = to + (EXTRAS << 3);
  const scratch = allocate(<usize>diagnosticsScratch(LINE) << 3);
  if (parameterF64(0) == 1 && parameterF64(8) == 0) poissonTerms(block, scratch);
  else writeReferenceTerms(block, lineAt(), LINE, 0, 0, 1, scratch);
  writeReflection(block, lineAt(), LINE, scratch);
  writeBand(block, lineAt(), LINE, scratch);
}

/** −k∇²u and −f along the line, from the lines beside it; absent where there are none. */
function poissonTerms(block: usize, scratch: usize): void {
  const out = -given(0, 6), size = given(0, 8);
  writeBalance(block, out, given(0, 4), over(abs(out - given(0, 4)), size));
  store<f64>(block, 1);
  if (given(0, 18) == 0) return;
  const u = lineAt(), left = u + LINE * 8, right = left + LINE * 8;
  const none = scratch, diffusion = none + LINE * 8, source = diffusion + LINE * 8, total = source + LINE * 8;
  const h = given(0, 17) / <f64>(LINE - 1), k = given(0, 19) / (h * h);
  memory.fill(none, 0, LINE * 8);
  for (let i = 1; i < LINE - 1; i++) {
    const at = <usize>i << 3;
    const around = (load<f64>(u + at - 8) + load<f64>(u + at + 8)) + (load<f64>(left + at) + load<f64>(right + at));
    store<f64>(diffusion + at, -k * (around - 4 * load<f64>(u + at)));
    store<f64>(source + at, -given(0, 20));
  }
  writeTerms(block, 1, u, LINE, 0, 0, none, diffusion, none, source, total);
}
