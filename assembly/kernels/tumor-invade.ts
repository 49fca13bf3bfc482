// Invasion: u_t = D u_xx + r u (1 − u) on [0, Lx] without flux at the ends (Fisher, Ann. Eugenics 7 (1937) 355;
// Swanson, Alvord & Murray, Cell Prolif. 33 (2000) 317), by Heun's method on N cells with central differences:
//
//   v = u + h f(u),   u ← ½ (u + v + h f(v)),   f(u)ᵢ = D (uᵢ₋₁ − 2uᵢ + uᵢ₊₁)/Δx² + r uᵢ (1 − uᵢ)
//
// Order 2 in Δx and h; positive and stable for D h/Δx² ≤ ¼. Cells lie at (i + ½) Δx, their mirror images beyond the
// ends. The invaded length is M = ∫ u dx, and the speed how fast it grows over the second half of a run; for a front
// that keeps its shape that is the speed of the front.
//
// Parameters (f64):
//   0 D [m²/s] · 8 r [1/s] · 16 Lx [m] · 24 N · 32 t_max [s] · 40 steps per row; of rows, 64
//   48 start: 0 front, 1 density, 2 ½ + ½ cos πx/Lx, 3 the same everywhere, 4 an earlier state · 56 x₀ of the front [m], or that density
//   64 probe [m] · 72 cells of the density that make one here
//   80 … the density, or of a run that goes on the state of the earlier one (../kernel/stretch.ts); kind 4
// State body (f64):  0 M · 8 M in the middle of the run · 32 N cells before the last step · 56+8N cell −1 · 64+8N N cells
//   64+16N cell N. At the end the result takes its place: most of it stands there already.
// Rows (f64), 65 at equal times from the beginning to t_max:  0 M [m]
// Result (f64):  0 M [m] · 8 speed [m/s] · 16 u at the probe · 24 step h [s] · 32 N cells one step before
//   32+8N state to go on from: N cells

import {
  appendRow, countSteps, fail, finish, openRows, openState, parameterF64, parameters, restoreState, running, show, spend,
  standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { between, pinned } from "../grid/stencil";
import { Status } from "../kernel/status";
import { STRETCH, beginning, earlierBody, goesOn, keepStretch, openStretch } from "../kernel/stretch";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const INTERVALS: u64 = 64;
const OWN: usize = 80;
/** Of state and result, before the cells of before. */
const HEAD: usize = 32;
/** Below it a density is no rounding. */
const NEGATIVE: f64 = -1e-9;

let body: usize = 0, before: usize = 0, u: usize = 0;
let cells: i32 = 0, steps: u64 = 0, stepsPerRow: u64 = 0, unitsPerStep: u64 = 0;
let diffusion: f64 = 0, reaction: f64 = 0, h: f64 = 0, width: f64 = 0;

/** Of this run [s]. */
@inline function length(): f64 { return parameterF64(32) - beginning(); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  cells = <i32>parameterF64(24);
  const density = parameterF64(48) == 1.0 ? cells * <i32>parameterF64(72) : 0;
  openStretch(OWN + (<usize>density << 3));
  stepsPerRow = <u64>parameterF64(40);
  steps = INTERVALS * stepsPerRow;
  h = length() / <f64>steps;
  width = parameterF64(16) / <f64>cells;
  diffusion = h * parameterF64(0) / (width * width);
  reaction = h * parameterF64(8);
  // Two stages of a cell; and what it takes to begin a step.
  unitsPerStep = <u64>cells * 2 + 60;
  const bytes = HEAD + STRETCH + (<usize>(2 * cells + 1) << 3);
  body = openState(bytes);
  before = body + HEAD;
  u = before + (<usize>cells << 3) + STRETCH;
  watchFinite(body, <i32>(bytes >> 3));
  openRows(<i32>(INTERVALS + 1) * 8);
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) memory.copy(u, earlierBody(), <usize>cells << 3);
  else for (let i = 0; i < cells; i++) store<f64>(u + (<usize>i << 3), firstDensity(i));
  writeRow();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

function firstDensity(cell: i32): f64 {
  const x = (<f64>cell + 0.5) * width, kind = <i32>parameterF64(48);
  if (kind == 0) return frontAt(x - parameterF64(56));
  if (kind == 2) return 0.5 + 0.5 * Math.cos(Math.PI * x / parameterF64(16));
  if (kind == 3) return parameterF64(56);
  const many = <i32>parameterF64(72), from = parameters() + 80 + (<usize>(cell * many) << 3);
  let sum = 0.0;
  for (let k = 0; k < many; k++) sum += load<f64>(from + (<usize>k << 3));
  return sum / <f64>many;
}

/** Ablowitz & Zeppetella, Bull. Math. Biol. 41 (1979) 835, eq. 6, of height ¼ at 0. */
function frontAt(x: f64): f64 {
  const grown = 1.0 + Math.exp(x * sqrt(parameterF64(8) / (6.0 * parameterF64(0))));
  return 1.0 / (grown * grown);
}

// ---- the equation --------------------------------------------------------------------------------------

/** u + h f(u) for two cells. */
@inline function euler(left: v128, here: v128, right: v128, d: v128, r: v128): v128 {
  const bend = f64x2.sub(f64x2.add(left, right), f64x2.mul(f64x2.splat(2.0), here));
  const gain = f64x2.mul(f64x2.mul(r, here), f64x2.sub(f64x2.splat(1.0), here));
  return f64x2.add(here, f64x2.add(f64x2.mul(d, bend), gain));
}

@inline function mirror(): void {
  const end = u + (<usize>cells << 3);
  store<f64>(u - 8, load<f64>(u));
  store<f64>(end, load<f64>(end - 8));
}

/**
 * One step, in place. The hot loop: v of a pair of cells, then u of the pair before it. Cells are two to a vector; of an odd
 * number the last vector has cell N too.
 */
function step(): void {
  const d = pinned(diffusion), r = pinned(reaction), last = u + (<usize>((cells - 1) & ~1) << 3);
  mirror();
  let here = v128.load(u), next = v128.load(u, 16), right = between(here, next);
  let v = euler(between(v128.load(u - 16), here), here, right, d, r), vLeft = v128.shuffle<f64>(v, v, 0, 0);
  for (let p = u; p < last; p += 16) {
    const after = v128.load(p, 32), nextRight = between(next, after);
    const vNext = euler(right, next, nextRight, d, r), vRight = between(v, vNext);
    v128.store(p, mean(here, euler(vLeft, v, vRight, d, r)));
    here = next; next = after; right = nextRight;
    v = vNext; vLeft = vRight;
  }
  if (cells & 1) v = v128.shuffle<f64>(v, v, 0, 0);
  v128.store(last, mean(here, euler(vLeft, v, v128.shuffle<f64>(v, v, 1, 1), d, r)));
}

@inline function mean(a: v128, b: v128): v128 { return f64x2.mul(f64x2.splat(0.5), f64x2.add(a, b)); }

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const stop = work() + <u64>budget;
  let left = allowed;
  while (left > 0 && running() && work() < stop) {
    const done = stepsDone() + 1;
    if (done == steps) memory.copy(before, u, <usize>cells << 3);
    step();
    countSteps(1);
    spend(unitsPerStep);
    left--;
    if (done % stepsPerRow == 0) writeRow();
    if (done == steps / 2) store<f64>(body, load<f64>(body), 8);
    if (done == steps && running()) conclude();
  }
  show(0, load<f64>(body));
  return allowed - left;
}

function writeRow(): void {
  let sum = 0.0, least = 0.0;
  for (let i = 0; i < cells; i++) {
    const value = load<f64>(u + (<usize>i << 3));
    sum += value;
    least = min(least, value);
  }
  store<f64>(body, sum * width);
  store<f64>(appendRow(8), sum * width);
  if (least < NEGATIVE) fail(Status.NEGATIVE_CONCENTRATION);
}

/** u at x by the cubic through four cells, of which those beyond an end are mirror images. */
function densityAt(x: f64): f64 {
  const place = x / width - 0.5, first = <i32>floor(place), s = place - <f64>first;
  const a = cellOf(first - 1), b = cellOf(first), c = cellOf(first + 1), d = cellOf(first + 2);
  return b + s * (-a / 3.0 - 0.5 * b + c - d / 6.0 + s * (0.5 * (a + c) - b + s * ((d - a) / 6.0 + 0.5 * (b - c))));
}

function cellOf(i: i32): f64 {
  const cell = i < 0 ? -1 - i : i >= cells ? 2 * cells - 1 - i : i;
  return load<f64>(u + (<usize>cell << 3));
}

function conclude(): void {
  const M = load<f64>(body), speed = (M - load<f64>(body, 8)) / (0.5 * length()), density = densityAt(parameterF64(64));
  store<f64>(body, speed, 8);
  store<f64>(body, density, 16);
  store<f64>(body, h, 24);
  keepStretch(u - STRETCH, parameterF64(32), h, steps);
  standResult(body, <i32>(HEAD + STRETCH + (<usize>cells << 4)));
  finish();
}
