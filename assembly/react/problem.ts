// What the runs of `react` read from their parameters, and the start they make of it.
//
// Parameters (f64):
//   0 cells nx · 8 cells ny, 0: one dimension · 16 Lx · 24 Ly [m] · 32 model: 0 Gray–Scott, 1 Fisher, 2 Nagumo,
//   3 Brusselator, 4 own · 40 Du · 48 Dv [m²/s] · 56, 64 constants: F and k, r, k and a, A and B; own: species and bytes of formulas
//   72 dt [s] · 80 steps, all jobs together · 88 steps per row
//   96, 128, 160, 192 left, right, bottom, top: kind (grid/axis.ts: 1 no flux, 2 periodic), 0, 0, 0
//   224 start: 0 Gaussian, 1 arrays, 2 the result of a run, 3 front, 4 mode · 232, 240 x₀ [m] · 248 w [m]
//   256, 264 amplitudes in u, v · 272, 280 probe [m] · 288 row of the profile · 296, 304 u, v that the start is added to
//   312, 320 k of the mode along x, y [1/m] · 328 0
//   336 the start: arrays of u and, with two species, v, (nx+1)(ny+1) each, or a result
//   the last bytes: formulas of u and v (assembly/expression), where the model is the caller's own
// Result (f64):
//   0 steps · 8, 16 means of u, v at the start · 24, 32, 40 ∫⟨·⟩dt of the model's three moments (below)
//   48 least concentration · 56 largest rate of reaction |∂R/∂u| at the end
//   64, 72 least and most of u, 80, 88 of v that a reaction of the caller's own was taken at, in all steps; else 0
//   96 u along the profile two steps before the end; one step before it u below, on and above it, and v on it
//   then u and, with two species, v, (nx+1)(ny+1) each
// Moments: Gray–Scott and Brusselator u, v, 0 · own R_u, R_v, 0 · Fisher u, u², 0 · Nagumo u, u², u³

import { openFormulas, programCount } from "../expression/formulas";
import { allocate, parameterF64, parameters, parametersLength } from "../kernel/frame";
import { AXIS_BYTES, cellsOf, isPeriodic, layAxis, widthOf } from "../grid/axis";
import { nodeAt, unpackField } from "../grid/field";

export const HEAD: usize = 336;
export const RESULT_HEAD: usize = 96;

export namespace Model {
  export const GRAY_SCOTT: i32 = 0;
  export const FISHER: i32 = 1;
  export const NAGUMO: i32 = 2;
  export const BRUSSELATOR: i32 = 3;
  export const OWN: i32 = 4;
}

export let x: usize = 0, y: usize = 0;
export let nx: i32 = 0, ny: i32 = 0, model: i32 = 0;
export let first: f64 = 0, second: f64 = 0;

export function readProblem(): void {
  x = allocate(AXIS_BYTES);
  y = allocate(AXIS_BYTES);
  layAxis(x, <i32>parameterF64(0), parameterF64(16), parameters() + 96);
  layAxis(y, <i32>parameterF64(8), parameterF64(24), parameters() + 160);
  nx = cellsOf(x);
  ny = cellsOf(y);
  model = <i32>parameterF64(32);
  first = parameterF64(56);
  second = parameterF64(64);
}

/** The caller's own reaction; false for a block that is none. */
export function openReaction(): bool {
  const bytes = <i32>second;
  return openFormulas(parameters() + <usize>(parametersLength() - bytes), bytes, 2, 0) && programCount() == <i32>first;
}

@inline export function hasTwo(): bool { return (model == Model.OWN && first == 2.0) || model == Model.GRAY_SCOTT || model == Model.BRUSSELATOR; }
@inline export function nodes(): usize { return <usize>(nx + 1) * <usize>(ny + 1); }
@inline export function columnBytes(): usize { return <usize>(nx + 1) << 3; }
/** Five lines of the profile. */
@inline export function profileBytes(): usize { return 5 * columnBytes(); }
@inline export function goesOn(): bool { return parameterF64(224) == 2.0; }
@inline export function earlierResult(): usize { return parameters() + HEAD; }

/** e^(−|x−x₀|²/w²), around a ring the shorter way. */
function gaussian(i: i32, j: i32): f64 {
  const w = parameterF64(248);
  let dx = abs(<f64>i * widthOf(x) - parameterF64(232)), dy = ny > 0 ? abs(<f64>j * widthOf(y) - parameterF64(240)) : 0.0;
  if (isPeriodic(x)) dx = min(dx, parameterF64(16) - dx);
  if (ny > 0 && isPeriodic(y)) dy = min(dy, parameterF64(24) - dy);
  return Math.exp(-(dx * dx + dy * dy) / (w * w));
}

/** The exact travelling front at t = 0, 1 on the left: Ablowitz & Zeppetella's of Fisher, Nagumo's own. */
function front(i: i32): f64 {
  const s = <f64>i * widthOf(x) - parameterF64(232), D = parameterF64(40);
  if (model == Model.NAGUMO) return 1.0 / (1.0 + Math.exp(s * sqrt(first / (2.0 * D))));
  const e = 1.0 + Math.exp(s * sqrt(first / (6.0 * D)));
  return 1.0 / (e * e);
}

function shape(i: i32, j: i32, kind: f64): f64 {
  if (kind == 3.0) return front(i);
  if (kind == 0.0) return gaussian(i, j);
  return Math.cos(parameterF64(312) * <f64>i * widthOf(x)) * (ny > 0 ? Math.cos(parameterF64(320) * <f64>j * widthOf(y)) : 1.0);
}

export function writeStart(u: usize, v: usize): void {
  const kind = parameterF64(224);
  if (kind == 1.0) {
    unpackField(u, parameters() + HEAD, nx, ny);
    if (v) unpackField(v, parameters() + HEAD + (nodes() << 3), nx, ny);
    return;
  }
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const value = shape(i, j, kind);
      store<f64>(nodeAt(u, nx, i, j), parameterF64(296) + parameterF64(256) * value);
      if (v) store<f64>(nodeAt(v, nx, i, j), parameterF64(304) + parameterF64(264) * value);
    }
  }
}
