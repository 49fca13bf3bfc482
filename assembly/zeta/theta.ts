// The Riemann–Siegel theta function θ(t) = Im ln Γ(1/4 + it/2) − (t/2) ln π, split so that θ/π keeps an absolute
// error of about 1e-14 whatever its size: at t = 10^10 it is 3·10^10.
//
// t >= 30: θ = (t/2) ln(t/2π) − t/2 − π/8 + Σ_k (1 − 2^{1−2k}) |B_2k| / (4k(2k − 1) t^{2k−1})
// (Edwards, Riemann's Zeta Function, 6.5; DLMF 25.10.2); below, Stirling's series of ln Γ after 16 shifts.

import { ddAdd, ddLog, ddMul, low } from "../math/dd";

export const INV_TWO_PI: f64 = 0.15915494309189535;
export const INV_TWO_PI_LOW: f64 = -9.839338337591243e-18;
export const INV_PI: f64 = 0.3183098861837907;
const LN_PI: f64 = 1.1447298858494002;
export const TWO_PI: f64 = 6.283185307179586;
const SHIFTS: i32 = 16;
const ASYMPTOTIC_FROM: f64 = 30;
const TAIL_TERMS: i32 = 8;

/** (1 − 2^{1−2k}) |B_2k| / (4k(2k − 1)), k = 8 … 1. */
const TAIL: usize = memory.data<f64>([
  0.014774875890195759, 0.0032047369541266026, 0.0009582953125433594, 0.000420050053398569,
  0.00029529389880952382, 0.0003844246031746032, 0.0012152777777777778, 0.020833333333333332,
]);

/** B_2k / (2k(2k − 1)), k = 8 … 1. */
const STIRLING: usize = memory.data<f64>([
  -0.02955065359477124, 0.00641025641025641, -0.0019175269175269176, 0.0008417508417508417,
  -0.0005952380952380953, 0.0007936507936507937, -0.002777777777777778, 0.08333333333333333,
]);

/** Σ_k of the asymptotic expansion; its size is 1/(48t). */
export function thetaTail(t: f64): f64 {
  const s = 1.0 / (t * t);
  let sum = 0.0;
  for (let k = 0; k < TAIL_TERMS; k++) sum = sum * s + load<f64>(TAIL + (<usize>k << 3));
  return sum / t;
}

/** ⌊θ/π⌋ of the last thetaPhase. */
export let thetaIndex: f64 = 0;

/** θ(t)/π − ⌊θ(t)/π⌋, t >= 0. */
export function thetaPhase(t: f64): f64 {
  if (t < ASYMPTOTIC_FROM) return splitPhase(thetaByGamma(t) * INV_PI, 0);
  const xh = ddMul(t, 0, INV_TWO_PI, INV_TWO_PI_LOW), xl = low;
  let h = ddLog(xh, xl);
  h = ddAdd(h, low, -1.0, 0);
  h = ddMul(h, low, xh, xl);
  const l = low;
  return splitPhase(h, l + (thetaTail(t) * INV_PI - 0.125));
}

function splitPhase(hi: f64, lo: f64): f64 {
  const whole = floor(hi);
  const part = (hi - whole) + lo;
  const carry = floor(part);
  thetaIndex = whole + carry;
  return part - carry;
}

/** θ(t) for t < 200 or so, where one f64 holds it. */
export function thetaByGamma(t: f64): f64 {
  const y = 0.5 * t, x = 0.25 + <f64>SHIFTS;
  const radius = x * x + y * y;
  const angle = Math.atan2(y, x);
  // Im of Σ B_2k/(2k(2k − 1)) z^{1−2k}, by Horner's rule in w = 1/z².
  const ir = x / radius, ii = -y / radius;
  const wr = ir * ir - ii * ii, wi = 2.0 * ir * ii;
  let sr = 0.0, si = 0.0;
  for (let k = 0; k < 8; k++) {
    const r = sr * wr - si * wi + load<f64>(STIRLING + (<usize>k << 3));
    si = sr * wi + si * wr; sr = r;
  }
  let theta = (x - 0.5) * angle + y * (0.5 * Math.log(radius) - 1.0 - LN_PI) + (sr * ii + si * ir);
  for (let j = 0; j < SHIFTS; j++) theta -= Math.atan2(y, 0.25 + <f64>j);
  return theta;
}

/** θ(anchor + d) − θ(anchor), both heights >= 30, with `logAnchor` = ln(anchor/2π); error about |d| 2^-52. */
export function thetaStep(anchor: f64, logAnchor: f64, d: f64): f64 {
  return 0.5 * (d * logAnchor + anchor * entropy(d / anchor)) + (shortTail(anchor + d) - shortTail(anchor));
}

/** thetaTail without what is below 2^-53 at t = 30 once it is differenced. */
@inline function shortTail(t: f64): f64 {
  const i = 1.0 / t, s = i * i;
  return i * (1.0 / 48 + s * (7.0 / 5760 + s * (31.0 / 80640 + s * (127.0 / 430080))));
}

/** (1 + u) ln(1 + u) − u = u²/2 − u³/6 + u⁴/12 − … */
function entropy(u: f64): f64 {
  if (abs(u) > 0.0078125) return (1.0 + u) * Math.log1p(u) - u;
  return u * u * (0.5 - u * (1.0 / 6 - u * (1.0 / 12 - u * (1.0 / 20 - u * (1.0 / 30 - u * (1.0 / 42
    - u * (1.0 / 56)))))));
}

/** Mean spacing of the zeros at height t, 2π/ln(t/2π); held at 2π where the logarithm is below 1. */
export function meanSpacing(t: f64): f64 {
  return TWO_PI / max(1.0, Math.log(max(t, 1.0) * INV_TWO_PI));
}
