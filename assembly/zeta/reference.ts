// Z(t) once more, for the verdict, sharing no table, polynomial or expansion with hardy.ts and grid.ts:
//
//   θ      from Stirling's series of ln Γ(¼ + it/2) with ln |z| in double-double (DLMF 5.11.1)
//   ln n   by ddLog for each n; t ln n by an exact product; cosines by the compiled libm
//   t < 2000: Euler–Maclaurin with other parameters, B_2k/(2k)! from ζ(2k), which owes nothing to Riemann–Siegel
//   above: the Riemann–Siegel sum with the derivatives of Ψ(p) = cos 2π(p² − p − 1/16) / cos 2πp by Cauchy's
//   integral on a circle instead of power series

import { allocate } from "../kernel/frame";
import { ddAdd, ddLog, ddMul, low, productError } from "../math/dd";

const INV_TWO_PI: f64 = 0.15915494309189535;
const INV_TWO_PI_LOW: f64 = -9.839338337591243e-18;
const LN_PI_HIGH: f64 = 1.1447298858494002;
const LN_PI_LOW: f64 = 1.0265951162707826e-17;
const TWO_PI: f64 = 6.283185307179586;
const EULER_BELOW: f64 = 2000;
const EULER_ORDER: i32 = 12;
const CIRCLE: i32 = 32;
const RADIUS: f64 = 0.5;
const ORDERS: i32 = 13;

let logsAt: usize = 0;
let capacity: i32 = 0;
let filled: i32 = 0;
let bernoulliAt: usize = 0;
let derivativesAt: usize = 0;

/** Terms of the sum at t. */
export function referenceTerms(t: f64): i32 {
  return t < EULER_BELOW ? 30 + <i32>floor(0.6 * t) : <i32>floor(sqrt(t * INV_TWO_PI));
}

/** Bound of |Z here − Z|. */
export function referenceBound(t: f64): f64 {
  if (t < EULER_BELOW) return 3.637978807091713e-12; // 2^-38
  return 0.017 / (t * t * t) * sqrt(sqrt(t)) + 9.094947017729282e-13 * sqrt(<f64>referenceTerms(t)); // 2^-40 √N
}

export function openReference(terms: i32): void {
  capacity = terms;
  filled = 0;
  logsAt = allocate(<usize>capacity << 4);
  bernoulliAt = allocate(EULER_ORDER * 8);
  derivativesAt = allocate(ORDERS * 8);
  fillBernoulli();
}

/** Makes `count` more logarithms; true when all are there. */
export function fillReference(count: i32): bool {
  const end = min(capacity, filled + count);
  for (; filled < end; filled++) {
    let h = ddLog(<f64>(filled + 1), 0);
    h = ddMul(h, low, INV_TWO_PI, INV_TWO_PI_LOW);
    store<f64>(logsAt + (<usize>filled << 4), h);
    store<f64>(logsAt + (<usize>filled << 4), low, 8);
  }
  return filled == capacity;
}

/** B_2k/(2k)! = (−1)^{k+1} 2ζ(2k)/(2π)^{2k}. */
function fillBernoulli(): void {
  let power = 1.0;
  for (let k = 1; k <= EULER_ORDER; k++) {
    power *= TWO_PI * TWO_PI;
    const size = 2.0 * zetaEven(2 * k) / power;
    store<f64>(bernoulliAt + (<usize>(k - 1) << 3), (k & 1) == 1 ? size : -size);
  }
}

function zetaEven(s: i32): f64 {
  if (s == 2) return Math.PI * Math.PI / 6;
  if (s == 4) return Math.pow(Math.PI, 4) / 90;
  if (s == 6) return Math.pow(Math.PI, 6) / 945;
  if (s == 8) return Math.pow(Math.PI, 8) / 9450;
  let sum = 0.0;
  for (let j = 60; j >= 1; j--) sum += Math.pow(<f64>j, <f64>-s);
  return sum;
}

// ---- θ -------------------------------------------------------------------------------------------------

/** ⌊θ/π⌋ of the last thetaReference. */
export let referenceIndex: f64 = 0;

/** θ(t)/π − ⌊θ(t)/π⌋. */
export function thetaReference(t: f64): f64 {
  const shifts = t < 30.0 ? 24 : 0;
  const y = 0.5 * t, x = 0.25 + <f64>shifts;
  let h = ddMul(y, 0, y, 0);
  h = ddAdd(h, low, x * x, 0);
  h = ddLog(h, low);
  h = ddAdd(0.5 * h, 0.5 * low, -1.0, 0);
  h = ddAdd(h, low, -LN_PI_HIGH, -LN_PI_LOW);
  h = ddMul(h, low, y, 0);
  let rest = (x - 0.5) * Math.atan2(y, x) + stirlingSeries(x, y);
  for (let j = 0; j < shifts; j++) rest -= Math.atan2(y, 0.25 + <f64>j);
  h = ddAdd(h, low, rest, 0);
  h = ddMul(h, low, 2.0 * INV_TWO_PI, 2.0 * INV_TWO_PI_LOW);
  const l = low, whole = floor(h), part = (h - whole) + l, carry = floor(part);
  referenceIndex = whole + carry;
  return part - carry;
}

/** Im of 1/12z − 1/360z³ + 1/1260z⁵ − 1/1680z⁷ + 1/1188z⁹ − 691/360360z¹¹. */
function stirlingSeries(x: f64, y: f64): f64 {
  const radius = x * x + y * y;
  const r = x / radius, i = -y / radius;
  const sr = r * r - i * i, si = 2.0 * r * i;
  let pr = r, pi = i, sum = 0.0;
  for (let k = 0; k < 6; k++) {
    const c: f64 = k == 0 ? 1.0 / 12 : k == 1 ? -1.0 / 360 : k == 2 ? 1.0 / 1260 : k == 3 ? -1.0 / 1680
      : k == 4 ? 1.0 / 1188 : -691.0 / 360360;
    sum += c * pi;
    const next = pr * sr - pi * si;
    pi = pr * si + pi * sr; pr = next;
  }
  return sum;
}

// ---- Z -------------------------------------------------------------------------------------------------

/** Z(t), t >= 0; logarithms up to referenceTerms(t) are there. */
export function zReference(t: f64): f64 {
  const part = thetaReference(t);
  const turns = 0.5 * (part + (referenceIndex - 2.0 * floor(0.5 * referenceIndex)));
  const terms = referenceTerms(t);
  if (t < EULER_BELOW) return sumTo(t, turns, terms - 1) + eulerTail(t, turns, terms);
  return 2.0 * sumTo(t, turns, terms) + siegelTail(t, terms);
}

/** The fraction of t ln n / 2π, about 1e-16. */
function phaseOfTerm(t: f64, n: i32): f64 {
  const at = logsAt + (<usize>(n - 1) << 4);
  const h = load<f64>(at), p = t * h;
  return (p - floor(p)) + (productError(t, h, p) + t * load<f64>(at, 8));
}

function sumTo(t: f64, turns: f64, terms: i32): f64 {
  let sum = 0.0;
  for (let n = terms; n >= 1; n--) sum += Math.cos(TWO_PI * (turns - phaseOfTerm(t, n))) / sqrt(<f64>n);
  return sum;
}

function eulerTail(t: f64, turns: f64, terms: i32): f64 {
  const m = <f64>terms, norm = 0.25 + t * t;
  let re = 0.5 - 0.5 * m / norm, im = -t * m / norm;
  let pr = 1.0, pi = 0.0; // the rising product of (s + j)/m
  for (let j = 0; j <= 2 * EULER_ORDER - 2; j++) {
    const x = (0.5 + <f64>j) / m, y = t / m;
    const next = pr * x - pi * y;
    pi = pr * y + pi * x; pr = next;
    if ((j & 1) == 1) continue;
    const b = load<f64>(bernoulliAt + (<usize>(j >> 1) << 3));
    re += b * pr; im += b * pi;
  }
  const angle = TWO_PI * (turns - phaseOfTerm(t, terms));
  return (re * Math.cos(angle) - im * Math.sin(angle)) / sqrt(m);
}

function siegelTail(t: f64, terms: i32): f64 {
  const a = sqrt(t * INV_TWO_PI);
  differentiate(a - <f64>terms);
  const p2 = Math.PI * Math.PI, p4 = p2 * p2, p6 = p4 * p2, p8 = p4 * p4;
  const c1 = -psi(3) / (96 * p2);
  const c2 = psi(2) / (64 * p2) + psi(6) / (18432 * p4);
  const c3 = -psi(1) / (64 * p2) - psi(5) / (3840 * p4) - psi(9) / (5308416 * p6);
  const c4 = psi(0) / (128 * p2) + 19 * psi(4) / (24576 * p4) + 11 * psi(8) / (5898240 * p6)
    + psi(12) / (2038431744 * p8);
  const sum = psi(0) + c1 / a + c2 / (a * a) + c3 / (a * a * a) + c4 / (a * a * a * a);
  return ((terms & 1) == 1 ? sum : -sum) / sqrt(a);
}

@inline function psi(order: i32): f64 { return load<f64>(derivativesAt + (<usize>order << 3)); }

/** Ψ^(k)(p) = k!/r^k · mean of Ψ(p + re^{iφ}) e^{−ikφ}, k < 13, over 64 points, of which conjugates agree. */
function differentiate(p: f64): void {
  memory.fill(derivativesAt, 0, ORDERS * 8);
  for (let j = 0; j < CIRCLE; j++) {
    const angle = (<f64>j + 0.5) * Math.PI / CIRCLE;
    const c = Math.cos(angle), s = Math.sin(angle);
    evaluatePsi(p + RADIUS * c, RADIUS * s);
    let re = psiReal, im = psiImaginary;
    for (let k = 0; k < ORDERS; k++) {
      store<f64>(derivativesAt + (<usize>k << 3), psi(k) + re);
      const next = re * c + im * s;
      im = im * c - re * s; re = next;
    }
  }
  let factor = 1.0 / <f64>CIRCLE;
  for (let k = 0; k < ORDERS; k++) {
    store<f64>(derivativesAt + (<usize>k << 3), psi(k) * factor);
    factor *= <f64>(k + 1) / RADIUS;
  }
}

let psiReal: f64 = 0;
let psiImaginary: f64 = 0;

function evaluatePsi(x: f64, y: f64): void {
  const ar = TWO_PI * (x * x - y * y - x - 0.0625), ai = TWO_PI * (2.0 * x * y - y);
  const br = TWO_PI * x, bi = TWO_PI * y;
  const nr = Math.cos(ar) * Math.cosh(ai), ni = -Math.sin(ar) * Math.sinh(ai);
  const dr = Math.cos(br) * Math.cosh(bi), di = -Math.sin(br) * Math.sinh(bi);
  const norm = dr * dr + di * di;
  psiReal = (nr * dr + ni * di) / norm;
  psiImaginary = (ni * dr - nr * di) / norm;
}
