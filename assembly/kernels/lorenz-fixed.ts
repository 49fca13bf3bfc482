// A fixed point of Lorenz' equations by Newton's method, and the eigenvalues of the Jacobian there and at the origin:
//
//   σ(y − x) = 0,   x(ρ − z) − y = 0,   xy − βz = 0.
//
// With d = ρ − 1 − z the second is xd + x − y: where ρ is near 1, z is as small, and ρ − z would not have its digits.
// It begins near C+ where ρ > 1, else near the origin, with √ and ratios that are only roughly right.
//
// Parameters (f64):  0 σ · 8 ρ · 16 β
// State body (f64):  0 x · 8 y · 16 z · 24 length of the last step
// Step = an iteration.
// Result (f64):  0 x · 8 y · 16 z · 24 iterations · 32 eigenvalues (re, im) × 3 there · 80 × 3 at the origin

import {
  countStep, fail, finish, openResult, openState, parameterF64, restoreState, running, show, spend, stepsDone,
  watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { cubicRoots } from "../lorenz/spectrum";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const BODY: usize = 32;
const UNITS: u64 = 50;
const MOST: u64 = 200;

let body: usize = 0;
let sigma: f64 = 0, rho: f64 = 0, beta: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }

function prepare(): void {
  sigma = parameterF64(0); rho = parameterF64(8); beta = parameterF64(16);
  body = openState(BODY);
  watchFinite(body, <i32>(BODY >> 3));
}

export function start(_budget: i32): i32 {
  prepare();
  const high = rho > 1.0 ? 1.1 * (rho - 1.0) : 0.0, wide = rho > 1.0 ? 1.2 * sqrt(beta * (rho - 1.0)) : rho < 1.0 ? 0.1 : 0.0;
  store<f64>(body, wide);
  store<f64>(body, 0.9 * wide, 8);
  store<f64>(body, high, 16);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/** J d = −f, the first of d by Cramer's rule, the others by the first and the third row, with J = [−σ σ 0; ρ−z −1 −x; y x −β]. */
function newton(): void {
  const x = field(0), y = field(8), z = field(16);
  const d = rho - 1.0 - z, f = sigma * (y - x), g = x * d + (x - y), k = x * y - beta * z;
  // At ρ = 1 the origin is a threefold root, where J is singular: there it begins, and there is no step.
  if (f == 0.0 && g == 0.0 && k == 0.0) { store<f64>(body, 0.0, 24); return; }
  const det = sigma * (beta * d - x * (x + y));
  const dx = (-f * (beta + x * x) - sigma * (g * beta - k * x)) / det;
  const dy = dx - f / sigma;
  const dz = (k + y * dx + x * dy) / beta;
  store<f64>(body, x + dx);
  store<f64>(body, y + dy, 8);
  store<f64>(body, z + dz, 16);
  store<f64>(body, abs(dx) + abs(dy) + abs(dz), 24);
}

/** At most `allowed` iterations; says how many it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const stop = work() + <u64>budget;
  let left = allowed;
  while (left > 0 && running() && work() < stop) {
    newton();
    countStep();
    spend(UNITS);
    left--;
    const size = abs(field(0)) + abs(field(8)) + abs(field(16));
    if (field(24) <= 1e-15 * (1e-3 + size)) conclude();
    else if (stepsDone() >= MOST) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, field(24));
  return allowed - left;
}

/** Of λ³ − tr J λ² + m λ − det J, m the sum of the principal minors. */
function eigenvalues(x: f64, y: f64, z: f64, out: usize): void {
  const d = rho - 1.0 - z, trace = -(sigma + 1.0 + beta);
  const minors = -sigma * d + sigma * beta + (beta + x * x);
  const det = sigma * (beta * d - x * (x + y));
  cubicRoots(-trace, minors, -det, out);
}

function conclude(): void {
  const out = openResult(128);
  memory.copy(out, body, 24);
  store<f64>(out, <f64>stepsDone(), 24);
  eigenvalues(field(0), field(8), field(16), out + 32);
  eigenvalues(0.0, 0.0, 0.0, out + 80);
  finish();
}
