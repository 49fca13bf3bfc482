// A wave that meets a potential: −ħ²/2m ψ″ + Vψ = Eψ by Numerov's method, order 4, from right to left.
//
// Beyond its ends V stays as it is there. y = Tψ obeys y_{i−1} = U_i y_i − y_{i+1} (assembly/kernels/schrodinger.ts), and
// beyond the ends its solutions are waves e^{±iθj} with cos θ = U/2. The wave that leaves to the right is y_N = 1,
// y_{N−1} = e^{−iθ}; at the left end it is A e^{iθ′j} + B e^{−iθ′j}. The Wronskian of y is kept by every step, so
// transmission sin θ/(|A|² sin θ′) and reflection |B|²/|A|² add up to 1.
//
// Parameters: assembly/quantum/problem.ts
// State body (f64): none; a run is one step.
// Result (f64): 0 transmission · 8 reflection · 16 |ψ|² at all nodes for an incident wave of size 1

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, restoreState, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { readProblem, scaledAt, unitEnergy } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const UNITS: u64 = 30;

let n: i32 = 0;
let y: usize = 0;

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function prepare(): void {
  readProblem();
  n = <i32>parameterF64(152);
  openState(0);
  y = allocate(<usize>(n + 1) << 4);
}

export function advance(_steps: i32, _budget: i32): i32 {
  const h = 1.0 / <f64>n, e = parameterF64(192) / unitEnergy;
  const rightAngle = Math.acos(clamp(0.5 * ratioAt(n, h, e))), leftAngle = Math.acos(clamp(0.5 * ratioAt(0, h, e)));
  countStep();
  spend(<u64>n * UNITS);
  if (!(Math.sin(rightAngle) > 0.0 && Math.sin(leftAngle) > 0.0)) { fail(Status.INVALID_INPUT); return 1; }
  run(h, e, rightAngle);
  conclude(h, e, rightAngle, leftAngle);
  return 1;
}

@inline function clamp(c: f64): f64 { return max(-1.0, min(1.0, c)); }
@inline function weightAt(i: i32, h: f64, e: f64): f64 { return 1.0 - h * h * (scaledAt(<f64>i * h, h) - e) / 6.0; }
@inline function ratioAt(i: i32, h: f64, e: f64): f64 {
  const T = weightAt(i, h, e);
  return (12.0 - 10.0 * T) / T;
}

/** From the wave at the right to the left end. */
function run(h: f64, e: f64, angle: f64): void {
  let re1 = 1.0, im1 = 0.0, re = Math.cos(angle), im = -Math.sin(angle);
  put(n, re1, im1);
  put(n - 1, re, im);
  for (let i = n - 1; i > 0; i--) {
    const U = ratioAt(i, h, e), re0 = U * re - re1, im0 = U * im - im1;
    put(i - 1, re0, im0);
    re1 = re; im1 = im; re = re0; im = im0;
  }
}

@inline function put(i: i32, re: f64, im: f64): void {
  store<f64>(y + (<usize>i << 4), re);
  store<f64>(y + (<usize>i << 4), im, 8);
}

/** A = (y₁ − y₀ e^{−iθ})/2i sin θ, B = (y₀ e^{iθ} − y₁)/2i sin θ. */
function conclude(h: f64, e: f64, rightAngle: f64, leftAngle: f64): void {
  const c = Math.cos(leftAngle), s = Math.sin(leftAngle);
  const re0 = load<f64>(y), im0 = load<f64>(y, 8), re1 = load<f64>(y, 16), im1 = load<f64>(y, 24);
  const reA = re1 - (re0 * c + im0 * s), imA = im1 - (im0 * c - re0 * s);
  const reB = re0 * c - im0 * s - re1, imB = im0 * c + re0 * s - im1;
  const incident = (reA * reA + imA * imA) / (4.0 * s * s), back = (reB * reB + imB * imB) / (4.0 * s * s);
  const out = openResult(16 + ((n + 1) << 3));
  store<f64>(out, Math.sin(rightAngle) / (incident * s));
  store<f64>(out, back / incident, 8);
  const unit = weightAt(0, h, e) * weightAt(0, h, e) / incident;
  for (let i = 0; i <= n; i++) {
    const at = y + (<usize>i << 4), T = weightAt(i, h, e);
    store<f64>(out + 16 + (<usize>i << 3), unit * (load<f64>(at) * load<f64>(at) + load<f64>(at, 8) * load<f64>(at, 8)) / (T * T));
  }
  finish();
}
