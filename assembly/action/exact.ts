// What the verdict of `action` knows of its systems: energies, closed forms, and a Taylor series for Hénon–Heiles.
// Written apart from assembly/action/system.ts, which is the kernel's.
//
// S in closed form follows from the end alone where V is homogeneous: with V of degree d, d(p·q)/dt = 2T − dV, so
//   ∫T dt = ([p·q] + dEt)/(2 + d),  S = 2∫T dt − Et     (virial theorem; Landau & Lifshitz, Mechanics, §10)
//   harmonic d = 2: S = [p·q]/2,   quartic d = 4: S = ([p·q] + Et)/3,   Kepler d = −1: S = 2[p·q] − 3Et

import { allocate } from "../kernel/frame";
import { propagate } from "../nbody/kepler";
import {
  actionOfTurn, layOrbit, layOutOrbit, momentum, orbitAt, passed, period as orbitPeriod, position,
} from "./orbit";

const HARMONIC: i32 = 0, PENDULUM: i32 = 1, QUARTIC: i32 = 2, DOUBLE_WELL: i32 = 3, KEPLER: i32 = 4, HENON: i32 = 5;
const TURN: f64 = 6.283185307179586;
const ORDER: i32 = 24;
/** The series of Hénon–Heiles converges within about 1.5 of every bounded real time; its frequency is 1. */
export const TAYLOR_STEP: f64 = 0.25;

let code: i32 = 0, m: f64 = 1, a: f64 = 0, b: f64 = 0, start: usize = 0, n: i32 = 1;
let series: usize = 0, planar: usize = 0;
let still: bool = false;
/** Whether a closed form or a quadrature is known; whether the motion is periodic. */
export let known: bool = false;
export let periodic: bool = false;
export let period: f64 = 0;
export let turnAction: f64 = 0;
export let energy: f64 = 0;
/** K₀ + |V₀|. */
export let energyScale: f64 = 0;

@inline function item(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }

export function layOutExact(): void {
  layOutOrbit();
  series = allocate(<usize>(4 * (ORDER + 2)) << 3);
  planar = allocate(48);
}

// ---- energy --------------------------------------------------------------------------------------------

export function potentialOf(q: usize): f64 {
  const x = load<f64>(q);
  if (code == HARMONIC) return 0.5 * a * x * x;
  if (code == PENDULUM) return m * a * b * 2.0 * NativeMath.pow(NativeMath.sin(0.5 * x), 2.0);
  if (code == QUARTIC) return 0.25 * a * NativeMath.pow(x, 4.0);
  if (code == DOUBLE_WELL) return -0.5 * a * x * x + 0.25 * b * NativeMath.pow(x, 4.0);
  if (code == KEPLER) return -m * a / NativeMath.hypot(x, item(q, 1));
  if (code == HENON) {
    const y = item(q, 1);
    return 0.5 * (x * x + y * y) + a * (x * x * y - y * y * y / 3.0);
  }
  let sum = 0.0;
  for (let i = 0; i <= n; i++) {
    const stretch = (i < n ? item(q, i) : 0.0) - (i > 0 ? item(q, i - 1) : 0.0);
    sum += a * stretch * stretch / 2.0 + b * stretch * stretch * stretch / 3.0;
  }
  return sum;
}

export function kineticOf(p: usize): f64 {
  let sum = 0.0;
  for (let i = 0; i < n; i++) sum += item(p, i) * item(p, i);
  return sum / (2.0 * (code == PENDULUM ? m * b * b : m));
}

/** ∂V/∂q₀, for the diagnostics; 0 for a chain. */
export function slopeOf(x: f64, y: f64): f64 {
  if (code == HARMONIC) return a * x;
  if (code == PENDULUM) return m * a * b * NativeMath.sin(x);
  if (code == QUARTIC) return a * x * x * x;
  if (code == DOUBLE_WELL) return b * x * x * x - a * x;
  if (code == KEPLER) return m * a * x / NativeMath.pow(NativeMath.hypot(x, y), 3.0);
  return code == HENON ? x + 2.0 * a * x * y : 0.0;
}

// ---- the motion ----------------------------------------------------------------------------------------

/** `q` and behind it `p` at the start. */
export function setMotion(system: i32, mass: f64, first: f64, second: f64, count: i32, q: usize): void {
  code = system; m = mass; a = first; b = second; n = count; start = q;
  const p = q + (<usize>n << 3);
  const motion = kineticOf(p), stored = potentialOf(q);
  energy = motion + stored;
  energyScale = motion + abs(stored);
  known = code <= KEPLER;
  period = 0.0; turnAction = 0.0;
  const rounding = code == PENDULUM ? 4e-16 * m * a * b : 0.0; // of sin q, upright
  still = n == 1 && load<f64>(p) == 0.0 && abs(slopeOf(load<f64>(q), 0.0)) <= rounding;
  if (code == HARMONIC) { period = TURN * sqrt(m / a); turnAction = energy * period; }
  if (code == KEPLER && energy < 0.0) {
    const axis = -0.5 * m * a / energy;
    period = TURN * axis * sqrt(axis / a);
    turnAction = TURN * m * sqrt(a * axis);
  }
  if (!still && (code == PENDULUM || code == QUARTIC || code == DOUBLE_WELL)) {
    layOrbit(code, m, a, b, load<f64>(q), load<f64>(p));
    period = orbitPeriod;
    turnAction = actionOfTurn;
  }
  periodic = period > 0.0 && !still;
}

/** Coordinates and momenta at time t since the start, to `out`; returns S. Only where `known`. */
export function motionAt(t: f64, out: usize): f64 {
  const vector = <usize>n << 3, p = start + vector;
  memory.copy(out, start, 2 * vector);
  if (t == 0.0) return 0.0;
  if (still) return -energy * t;
  if (code == HARMONIC) harmonicAt(t, out);
  else if (code == KEPLER) keplerAt(t, out);
  else { orbitAt(t); store<f64>(out, position); store<f64>(out, momentum, 8); }
  if (code == PENDULUM || code == DOUBLE_WELL) return passed - energy * t;
  let change = 0.0;
  for (let i = 0; i < n; i++) change += item(out, n + i) * item(out, i) - item(p, i) * item(start, i);
  return code == HARMONIC ? 0.5 * change : code == QUARTIC ? (change + energy * t) / 3.0 : 2.0 * change - 3.0 * energy * t;
}

function harmonicAt(t: f64, out: usize): void {
  const omega = sqrt(a / m), c = NativeMath.cos(omega * t), s = NativeMath.sin(omega * t);
  const x = load<f64>(start), v = load<f64>(start, 8) / m;
  store<f64>(out, x * c + v / omega * s);
  store<f64>(out, m * (v * c - omega * x * s), 8);
}

function keplerAt(t: f64, out: usize): void {
  memory.fill(planar, 0, 48);
  for (let i = 0; i < 2; i++) {
    store<f64>(planar + (<usize>i << 3), item(start, i));
    store<f64>(planar + 24 + (<usize>i << 3), item(start, 2 + i) / m);
  }
  propagate(planar, planar + 24, a, t);
  for (let i = 0; i < 2; i++) {
    store<f64>(out + (<usize>i << 3), item(planar, i));
    store<f64>(out + (<usize>(2 + i) << 3), m * item(planar, 3 + i));
  }
}

// ---- Hénon–Heiles --------------------------------------------------------------------------------------

/**
 * Carries (x, y, p_x, p_y, S) at `state` over time t by Taylor series of order 24: ẍ = −x − 2λxy,
 * ÿ = −y − λ(x² − y²), S = ∫ (T − V), each coefficient from the products of those before it.
 */
export function taylor(state: usize, t: f64): void {
  const steps = <i32>max(1.0, ceil(t / TAYLOR_STEP)), h = t / <f64>steps;
  for (let i = 0; i < steps; i++) taylorStep(state, h);
}

function taylorStep(state: usize, h: f64): void {
  const room = <usize>(ORDER + 2) << 3, x = series, y = x + room, u = y + room, v = u + room;
  store<f64>(x, load<f64>(state)); store<f64>(y, load<f64>(state, 8));
  store<f64>(u, load<f64>(state, 16)); store<f64>(v, load<f64>(state, 24));
  let gain = 0.0, power = h;
  for (let k = 0; k < ORDER; k++) {
    let xy = 0.0, xx = 0.0, yy = 0.0, uu = 0.0, cubic = 0.0;
    for (let i = 0; i <= k; i++) {
      xy += item(x, i) * item(y, k - i);
      xx += item(x, i) * item(x, k - i);
      yy += item(y, i) * item(y, k - i);
      uu += item(u, i) * item(u, k - i) + item(v, i) * item(v, k - i);
    }
    const next = <usize>(k + 1) << 3, factor = 1.0 / <f64>(k + 1);
    store<f64>(x + next, item(u, k) * factor);
    store<f64>(y + next, item(v, k) * factor);
    store<f64>(u + next, -(item(x, k) + 2.0 * a * xy) * factor);
    store<f64>(v + next, -(item(y, k) + a * (xx - yy)) * factor);
    cubic = productOfThree(k, x, y);
    gain += power * factor * (0.5 * uu - 0.5 * (xx + yy) - a * cubic);
    power *= h;
  }
  for (let j = 0; j < 4; j++) {
    const list = series + <usize>j * room;
    let sum = 0.0;
    for (let i = ORDER; i >= 0; i--) sum = sum * h + item(list, i);
    store<f64>(state + (<usize>j << 3), sum);
  }
  store<f64>(state, load<f64>(state, 32) + gain, 32);
}

/** Coefficient k of x²y − y³/3 = (x² − y²/3) y. */
function productOfThree(k: i32, x: usize, y: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j <= k; j++) {
    let square = 0.0;
    for (let i = 0; i <= j; i++) square += item(x, i) * item(x, j - i) - item(y, i) * item(y, j - i) / 3.0;
    sum += square * item(y, k - j);
  }
  return sum;
}
