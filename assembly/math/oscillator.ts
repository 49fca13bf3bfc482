// Closed forms of m ẍ + c ẋ + k x + β x³ = F cos Ωt + b and of c ẏ + k y + β y³ = F cos Ωt + b.
//
// Which exist: every linear case (β = 0); order 1 without force (Bernoulli's equation); the undamped, unforced
// Duffing oscillator that stays bounded, by Jacobi's functions (Kovacic & Brennan, The Duffing Equation, ch. 3).
//
// The problem is twelve f64: 0 order · 8 m · 16 c · 24 k · 32 β · 40 F · 48 Ω · 56 b · 64 x₀ · 72 v₀ · 80 t₀ · 88 t_end.

import { dividedExp2, dividedExp3 } from "./divided-exp";
import { ellipticK, jacobi, jacobiSum } from "./jacobi";

export namespace ClosedForm {
  export const NONE: i32 = 0;
  export const LINEAR: i32 = 1;
  export const BERNOULLI: i32 = 2;
  /** x = A cn, A dn, A sn. */
  export const CN: i32 = 3;
  export const DN: i32 = 4;
  export const SN: i32 = 5;
}

/** Bytes of scratch that `closedForm` needs. */
export const OSCILLATOR_SCRATCH: i32 = 64 + 256;

/** Which closed form the problem has. */
export function closedFormOf(p: usize): i32 {
  const k = load<f64>(p, 24), beta = load<f64>(p, 32);
  if (beta == 0.0) return ClosedForm.LINEAR;
  if (load<f64>(p, 40) != 0.0 || load<f64>(p, 56) != 0.0) return ClosedForm.NONE;
  if (load<f64>(p) == 1.0) return ClosedForm.BERNOULLI;
  if (load<f64>(p, 16) != 0.0) return ClosedForm.NONE;
  const energy = duffingEnergy(p);
  if (beta > 0.0) return energy >= 0.0 && (k > 0.0 || energy > 0.0) ? ClosedForm.CN : wellForm(energy);
  const inside = k > 0.0 && load<f64>(p, 64) * load<f64>(p, 64) * -beta < k;
  return inside && energy < k * k / (-4.0 * beta) ? ClosedForm.SN : ClosedForm.NONE;
}

/** Below the hump between two wells; on it, and at rest on it, there is no period and no use of cn. */
function wellForm(energy: f64): i32 { return energy < 0.0 ? ClosedForm.DN : ClosedForm.NONE; }

/** x and v (ẏ at order 1) at time `t`: two f64 at `out`. */
export function closedForm(form: i32, p: usize, t: f64, out: usize, scratch: usize): void {
  const elapsed = t - load<f64>(p, 80);
  if (form == ClosedForm.LINEAR) {
    if (load<f64>(p) == 2.0) linearMotion(p, elapsed, out, scratch);
    else linearRelaxation(p, elapsed, out, scratch);
  } else if (form == ClosedForm.BERNOULLI) bernoulli(p, elapsed, out);
  else duffing(form, p, elapsed, out, scratch);
}

// ---- linear --------------------------------------------------------------------------------------------

/**
 * Roots λ of s² + 2γs + κ. Free motion by C = e^{−γt} cosh μt and S = e^{−γt} sinh μt / μ in expm1 and sinc forms,
 * so that near-critical damping loses no digit; the response to a force e^{iΩt}/m from rest is t² exp[λ₁t, λ₂t, iΩt].
 */
function linearMotion(p: usize, t: f64, out: usize, scratch: usize): void {
  const m = load<f64>(p, 8), gamma = 0.5 * load<f64>(p, 16) / m, kappa = load<f64>(p, 24) / m;
  const x0 = load<f64>(p, 64), v0 = load<f64>(p, 72);
  const root = kappa > 0.0 ? sqrt(kappa) : 0.0;
  const discriminant = kappa > 0.0 ? (gamma - root) * (gamma + root) : gamma * gamma - kappa;
  let C: f64, S: f64, re1: f64, re2: f64, im = 0.0;
  if (discriminant > 0.0) {
    const mu = sqrt(discriminant);
    re1 = -kappa / (gamma + mu);
    re2 = -(gamma + mu);
    const slow = Math.exp(re1 * t);
    C = 0.5 * (slow + Math.exp(re2 * t));
    S = slow * -Math.expm1(-2.0 * mu * t) / (2.0 * mu);
  } else {
    const nu = sqrt(-discriminant), decay = Math.exp(-gamma * t);
    re1 = re2 = -gamma;
    im = nu;
    C = decay * Math.cos(nu * t);
    S = nu * t == 0.0 ? decay * t : decay * Math.sin(nu * t) / nu;
  }
  store<f64>(out, x0 * (C + gamma * S) + v0 * S);
  store<f64>(out, v0 * (C - gamma * S) - kappa * x0 * S, 8);
  const a1 = re1 * t, a2 = re2 * t, i1 = im * t;
  addResponse(load<f64>(p, 56) / m, 0.0, 0.0, a1, a2, i1, S, t, out, scratch);
  const omega = load<f64>(p, 48);
  addResponse(load<f64>(p, 40) / m, omega, omega * load<f64>(p, 80), a1, a2, i1, S, t, out, scratch);
}

/** Adds amplitude · Re e^{i·phase} t² exp[λ₁t, λ₂t, iΩt] and its rate, S + iΩ times the same. */
function addResponse(
  amplitude: f64, omega: f64, phase: f64, a1: f64, a2: f64, i1: f64, S: f64, t: f64, out: usize, scratch: usize,
): void {
  if (amplitude == 0.0 || t == 0.0) return;
  dividedExp3(a1, i1, a2, -i1, 0.0, omega * t, S / t, scratch);
  const re = t * t * load<f64>(scratch), im = t * t * load<f64>(scratch, 8);
  const c = Math.cos(phase), s = Math.sin(phase);
  store<f64>(out, load<f64>(out) + amplitude * (c * re - s * im));
  store<f64>(out, load<f64>(out, 8) + amplitude * (c * (S - omega * im) - s * omega * re), 8);
}

/** y = y₀ e^{λt} + (F/c) Re e^{iΩt₀} t exp[iΩt, λt] + (b/c) t exp[0, λt], λ = −k/c; ẏ from the equation. */
function linearRelaxation(p: usize, t: f64, out: usize, scratch: usize): void {
  const c = load<f64>(p, 16), k = load<f64>(p, 24), F = load<f64>(p, 40), b = load<f64>(p, 56);
  const omega = load<f64>(p, 48), phase = omega * load<f64>(p, 80);
  const decay = -k / c * t;
  dividedExp2(0.0, 0.0, decay, 0.0, scratch);
  let y = load<f64>(p, 64) * Math.exp(decay) + b / c * t * load<f64>(scratch);
  dividedExp2(0.0, omega * t, decay, 0.0, scratch);
  y += F / c * t * (Math.cos(phase) * load<f64>(scratch) - Math.sin(phase) * load<f64>(scratch, 8));
  store<f64>(out, y);
  store<f64>(out, (F * Math.cos(phase + omega * t) + b - k * y) / c, 8);
}

// ---- nonlinear -----------------------------------------------------------------------------------------

/** y = y₀ e^{−κt} / √(1 + 2(β/c) y₀² t exp[0, −2κt]), κ = k/c: linear in 1/y². */
function bernoulli(p: usize, t: f64, out: usize): void {
  const c = load<f64>(p, 16), k = load<f64>(p, 24), beta = load<f64>(p, 32), y0 = load<f64>(p, 64);
  const z = -2.0 * k / c * t;
  const grown = z == 0.0 ? 1.0 : Math.expm1(z) / z;
  const y = y0 * Math.exp(0.5 * z) / sqrt(1.0 + 2.0 * beta / c * y0 * y0 * t * grown);
  store<f64>(out, y);
  store<f64>(out, -y * (k + beta * y * y) / c, 8);
}

function duffingEnergy(p: usize): f64 {
  const xx = load<f64>(p, 64) * load<f64>(p, 64), v = load<f64>(p, 72);
  return 0.5 * load<f64>(p, 8) * v * v + 0.5 * xx * (load<f64>(p, 24) + 0.5 * load<f64>(p, 32) * xx);
}

/** Square of the turning point: β A⁴/4 + k A²/2 = E, the root without cancellation. */
function amplitudeSquared(p: usize): f64 {
  const k = load<f64>(p, 24), beta = load<f64>(p, 32), energy = duffingEnergy(p);
  const root = sqrt(max(0.0, k * k + 4.0 * beta * energy));
  return k > 0.0 ? 4.0 * energy / (k + root) : (root - k) / beta;
}

/** ω of the Jacobi function and, behind it at `at`, its parameter n and 1−n. */
function duffingModulus(form: i32, p: usize, square: f64, at: usize): f64 {
  const m = load<f64>(p, 8), k = load<f64>(p, 24), stretch = load<f64>(p, 32) * square;
  let speed: f64, n: f64, complement: f64;
  if (form == ClosedForm.CN) {
    speed = k + stretch; n = 0.5 * stretch / speed; complement = (k + 0.5 * stretch) / speed;
  } else if (form == ClosedForm.DN) {
    speed = 0.5 * stretch; n = (k + stretch) / speed; complement = -(k + 0.5 * stretch) / speed;
  } else {
    speed = k + 0.5 * stretch; n = -0.5 * stretch / speed; complement = (k + stretch) / speed;
  }
  store<f64>(at, n);
  store<f64>(at, complement, 8);
  return sqrt(speed / m);
}

/** Period of the bounded Duffing motion: 4K/ω for cn and sn, 2K/ω for dn. */
export function duffingPeriod(form: i32, p: usize, scratch: usize): f64 {
  const omega = duffingModulus(form, p, amplitudeSquared(p), scratch);
  return (form == ClosedForm.DN ? 2.0 : 4.0) * ellipticK(load<f64>(scratch, 8)) / omega;
}

/** The phase at t₀ is never needed: the addition theorem takes x₀ and v₀ as values of the functions. */
function duffing(form: i32, p: usize, t: f64, out: usize, scratch: usize): void {
  const square = amplitudeSquared(p), A = sqrt(square);
  const x0 = load<f64>(p, 64), v0 = load<f64>(p, 72);
  if (A == 0.0) { store<f64>(out, 0.0); store<f64>(out, 0.0, 8); return; }
  const values = scratch + 32;
  const omega = duffingModulus(form, p, square, scratch);
  const n = load<f64>(scratch), complement = load<f64>(scratch, 8);
  const side = form == ClosedForm.DN && x0 < 0.0 ? -1.0 : 1.0;
  const q = side * v0 / (A * omega);
  jacobi(omega * t, n, complement, values, scratch + 64);
  if (form == ClosedForm.CN) addCn(x0 / A, q, n, complement, values);
  else if (form == ClosedForm.DN) addDn(abs(x0) / A, q, n, complement, values);
  else addSn(x0 / A, q, n, values);
  const s = load<f64>(values), c = load<f64>(values, 8), d = load<f64>(values, 16);
  if (form == ClosedForm.CN) { store<f64>(out, A * c); store<f64>(out, -A * omega * s * d, 8); }
  else if (form == ClosedForm.DN) { store<f64>(out, side * A * d); store<f64>(out, -side * A * omega * n * s * c, 8); }
  else { store<f64>(out, A * s); store<f64>(out, A * omega * c * d, 8); }
}

@inline function clampUnit(x: f64): f64 { return min(1.0, max(-1.0, x)); }

/** x = A cn: c = x₀/A, −s d = q. Whichever of s and c is small is taken from its own datum. */
function addCn(c: f64, q: f64, n: f64, complement: f64, values: usize): void {
  c = clampUnit(c);
  const d = sqrt(complement + n * c * c);
  const s = abs(c) > 0.7 ? clampUnit(-q / d) : q > 0.0 ? -sqrt(1.0 - c * c) : sqrt(1.0 - c * c);
  jacobiSum(n, s, c, d, values);
}

/** x = A dn: d = x₀/A, −n s c = q; the one of s and c that is below √½ is the quotient by the other. */
function addDn(d: f64, q: f64, n: f64, complement: f64, values: usize): void {
  d = max(sqrt(complement), min(1.0, d));
  const ss = n > 0.0 ? min(1.0, max(0.0, (1.0 - d * d) / n)) : 0.0;
  let s: f64, c: f64;
  if (ss > 0.5) {
    s = sqrt(ss);
    c = clampUnit(-q / (n * s));
  } else {
    c = sqrt(1.0 - ss);
    s = n > 0.0 ? clampUnit(-q / (n * c)) : 0.0;
  }
  jacobiSum(n, s, c, d, values);
}

/** x = A sn: s = x₀/A, c d = q. */
function addSn(s: f64, q: f64, n: f64, values: usize): void {
  s = clampUnit(s);
  const d = sqrt(1.0 - n * s * s);
  const c = abs(s) > 0.7 ? clampUnit(q / d) : q < 0.0 ? -sqrt(1.0 - s * s) : sqrt(1.0 - s * s);
  jacobiSum(n, s, c, d, values);
}
