// The receipt diagnostics of a motion x(t): the master equation in the solver's own basis, without advection and
// diffusion, evaluated by central differences of the samples; so the closure is a residual of the series itself.
//
//   inertia m ẍ (order 2) · damping c ẋ · selfInteraction k x + β x³ · source −(F cos Ωt + b)

import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeStep, writeTerms,
} from "./diagnostics";
import { allocate } from "../kernel/frame";

@inline function get(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }

/** −(k x + β x³) + F cos Ωt + b of the problem p (assembly/math/oscillator.ts). */
function force(p: usize, x: f64, t: f64): f64 {
  return drive(p, t) - x * (load<f64>(p, 24) + load<f64>(p, 32) * x * x);
}

function drive(p: usize, t: f64): f64 {
  return load<f64>(p, 40) * Math.cos(load<f64>(p, 48) * t) + load<f64>(p, 56);
}

/** The block of 40 numbers for n ≥ 3 samples of t, x and v (ẏ at order 1), made with step h of RK4. */
export function writeMotion(block: usize, p: usize, n: i32, t: usize, x: usize, v: usize, h: f64): void {
  memory.fill(block, 0, DIAGNOSTICS * 8);
  const row = <usize>n << 3, terms = allocate(5 * row), scratch = allocate(<usize>diagnosticsScratch(n) << 3);
  const inertia = terms, damping = terms + row, self = terms + 2 * row, source = terms + 3 * row;
  const first = load<f64>(p) == 1.0, m = load<f64>(p, 8), c = load<f64>(p, 16);
  const step = get(t, 1) - get(t, 0);
  for (let i = 1; i < n - 1; i++) {
    put(inertia, i, m * (get(x, i + 1) - 2.0 * get(x, i) + get(x, i - 1)) / (step * step));
    put(damping, i, c * (get(x, i + 1) - get(x, i - 1)) / (2.0 * step));
    put(self, i, drive(p, get(t, i)) - force(p, get(x, i), get(t, i)));
    put(source, i, -drive(p, get(t, i)));
  }
  writeTerms(block, 1, x, n, first ? 0 : inertia, damping, 0, 0, self, source, terms + 4 * row);
  const momentum = first ? 0.0 : m * (get(v, n - 1) - get(v, 0));
  balance(block, momentum + c * (get(x, n - 1) - get(x, 0)), p, n, t, x, step);
  amplification(block, p, h);
  writeReflection(block, x, n, scratch);
  writeBand(block, x, n, scratch);
}

/** m Δv + c Δx against the impulse of all forces, by the trapezium rule on the samples. */
function balance(block: usize, left: f64, p: usize, n: i32, t: usize, x: usize, step: f64): void {
  let sum = 0.0;
  for (let i = 0; i < n; i++) {
    const weight = i == 0 || i == n - 1 ? 0.5 : 1.0;
    sum += weight * force(p, get(x, i), get(t, i));
  }
  writeBalance(block, left, sum * step, abs(left - sum * step));
}

/** RK4's factor R(hλ) = Σ (hλ)^j/j! for the root λ of the linear part with the larger |λ|. */
function amplification(block: usize, p: usize, h: f64): void {
  const first = load<f64>(p) == 1.0, m = load<f64>(p, 8), c = load<f64>(p, 16), k = load<f64>(p, 24);
  const discriminant = c * c - 4.0 * m * k;
  let zr = -h * c / (2.0 * m), zi = 0.0;
  if (first) zr = -h * k / c;
  else if (discriminant >= 0.0) zr -= h * sqrt(discriminant) / (2.0 * m);
  else zi = h * sqrt(-discriminant) / (2.0 * m);
  let re = 1.0, im = 0.0;
  for (let j = 4; j >= 1; j--) {
    const r = 1.0 + (re * zr - im * zi) / <f64>j;
    im = (re * zi + im * zr) / <f64>j;
    re = r;
  }
  writeStep(block, sqrt(re * re + im * im), Math.atan2(im, re));
}
