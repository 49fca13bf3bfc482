// Objectives with their exact first and second derivatives, by hand. Of a model of data, f = Σ w (y − m)², the second
// derivatives are Gauss and Newton's, 2 Σ w ∇m ∇mᵀ.

import { rowAt } from "./cholesky";
import { at, put } from "./program";
import { count, data, Kind, kind, n, which } from "./smooth";

export let value: f64 = 0;
let g: usize = 0, H: usize = 0, slopes: usize = 0;

/** Addresses of gradient (n), second derivatives (n²) and scratch (2n). */
export function openObjective(gradient: usize, hessian: usize, scratch: usize): void {
  g = gradient; H = hessian; slopes = scratch;
}

@inline function curve(i: i32, j: i32, by: f64): void { put(rowAt(H, n, i), j, at(rowAt(H, n, i), j) + by); }
@inline function slope(i: i32, by: f64): void { put(g, i, at(g, i) + by); }

/** f, its gradient and second derivatives at x. */
export function evaluate(x: usize): void {
  value = 0.0;
  memory.fill(g, 0, <usize>n << 3);
  memory.fill(H, 0, <usize>(n * n) << 3);
  if (kind == Kind.POLYNOMIAL) polynomial(x);
  else if (kind == Kind.MODEL) squares(x);
  else named(x);
}

// ---- named functions -----------------------------------------------------------------------------------

function named(x: usize): void {
  if (which == 0) for (let i = 0; i < n - 1; i++) rosenbrock(i, at(x, i), at(x, i + 1));
  else if (which == 1) himmelblau(at(x, 0), at(x, 1));
  else if (which == 2) {
    beale(1.5, 1, at(x, 0), at(x, 1));
    beale(2.25, 2, at(x, 0), at(x, 1));
    beale(2.625, 3, at(x, 0), at(x, 1));
  } else if (which == 3) mccormick(at(x, 0), at(x, 1));
  else for (let i = 0; i < n; i++) styblinski(i, at(x, i));
}

/** 100 (b − a²)² + (1 − a)². */
function rosenbrock(i: i32, a: f64, b: f64): void {
  const r = b - a * a, q = 1.0 - a;
  value += 100.0 * r * r + q * q;
  slope(i, -400.0 * a * r - 2.0 * q);
  slope(i + 1, 200.0 * r);
  curve(i, i, 800.0 * a * a - 400.0 * r + 2.0);
  curve(i, i + 1, -400.0 * a);
  curve(i + 1, i, -400.0 * a);
  curve(i + 1, i + 1, 200.0);
}

/** (a² + b − 11)² + (a + b² − 7)². */
function himmelblau(a: f64, b: f64): void {
  const r = a * a + b - 11.0, q = a + b * b - 7.0;
  value = r * r + q * q;
  slope(0, 4.0 * a * r + 2.0 * q);
  slope(1, 2.0 * r + 4.0 * b * q);
  curve(0, 0, 4.0 * r + 8.0 * a * a + 2.0);
  curve(0, 1, 4.0 * a + 4.0 * b);
  curve(1, 0, 4.0 * a + 4.0 * b);
  curve(1, 1, 2.0 + 4.0 * q + 8.0 * b * b);
}

/** (c − a + a b^k)². */
function beale(c: f64, k: i32, a: f64, b: f64): void {
  const below = k == 1 ? 1.0 : k == 2 ? b : b * b, raised = below * b;
  const r = c - a + a * raised, da = raised - 1.0, db = <f64>k * a * below;
  const dab = <f64>k * below, dbb = k == 1 ? 0.0 : <f64>(k * (k - 1)) * a * (k == 2 ? 1.0 : b);
  value += r * r;
  slope(0, 2.0 * r * da);
  slope(1, 2.0 * r * db);
  curve(0, 0, 2.0 * da * da);
  curve(0, 1, 2.0 * (da * db + r * dab));
  curve(1, 0, 2.0 * (da * db + r * dab));
  curve(1, 1, 2.0 * (db * db + r * dbb));
}

/** sin(a + b) + (a − b)² − 1.5 a + 2.5 b + 1. */
function mccormick(a: f64, b: f64): void {
  const s = Math.sin(a + b), c = Math.cos(a + b), apart = a - b;
  value = s + apart * apart - 1.5 * a + 2.5 * b + 1.0;
  slope(0, c + 2.0 * apart - 1.5);
  slope(1, c - 2.0 * apart + 2.5);
  curve(0, 0, 2.0 - s);
  curve(1, 1, 2.0 - s);
  curve(0, 1, -2.0 - s);
  curve(1, 0, -2.0 - s);
}

/** ½ (a⁴ − 16 a² + 5 a). */
function styblinski(i: i32, a: f64): void {
  const square = a * a;
  value += 0.5 * (square * square - 16.0 * square + 5.0 * a);
  slope(i, 2.0 * a * square - 16.0 * a + 2.5);
  curve(i, i, 6.0 * square - 16.0);
}

// ---- polynomial ----------------------------------------------------------------------------------------

@inline function powerOf(term: usize, j: i32): i32 { return <i32>at(term, j + 1); }

function raised(x: f64, power: i32): f64 {
  let result = 1.0;
  for (let k = 0; k < power; k++) result *= x;
  return result;
}

/** The term with one power less of variables i and j, −1: none, times what differentiating brings down. */
function lowered(term: usize, x: usize, i: i32, j: i32): f64 {
  let product = at(term, 0);
  for (let k = 0; k < n; k++) {
    let power = powerOf(term, k);
    if (k == i) { product *= <f64>power; power--; }
    if (k == j) { product *= <f64>power; power--; }
    if (product == 0.0) return 0.0;
    product *= raised(at(x, k), power);
  }
  return product;
}

function polynomial(x: usize): void {
  for (let t = 0; t < count; t++) {
    const term = data + (<usize>(t * (n + 1)) << 3);
    value += lowered(term, x, -1, -1);
    for (let i = 0; i < n; i++) {
      if (powerOf(term, i) == 0) continue;
      slope(i, lowered(term, x, i, -1));
      for (let j = 0; j < n; j++) if (powerOf(term, j) > 0) curve(i, j, lowered(term, x, i, j));
    }
  }
}

// ---- models --------------------------------------------------------------------------------------------

/** Model at t with its derivatives by the parameters at `slopes`. */
function model(p: usize, t: f64): f64 {
  const a = at(p, 0), b = n > 1 ? at(p, 1) : 0.0;
  if (which == 6) return powers(p, t);
  if (which == 3) {
    const share = t / (b + t);
    return derived(share, -a * share / (b + t), 0.0, a);
  }
  if (which == 2) {
    const grown = Math.pow(t, b);
    return derived(grown, t > 0.0 ? a * grown * Math.log(t) : 0.0, 0.0, a);
  }
  if (which == 4) {
    const late = t - at(p, 2), share = 1.0 / (1.0 + Math.exp(-b * late)), bend = a * share * (1.0 - share);
    return derived(share, bend * late, -bend * b, a);
  }
  if (which == 5) {
    const width = at(p, 2), apart = (t - b) / width, bell = Math.exp(-0.5 * apart * apart);
    return derived(bell, a * bell * apart / width, a * bell * apart * apart / width, a);
  }
  const grown = Math.exp(which == 0 ? b * t : -b * t);
  return which == 0 ? derived(grown, a * t * grown, 0.0, a) : derived(1.0 - grown, a * t * grown, 0.0, a);
}

/** All models are p₀ times something, which is the first derivative. */
@inline function derived(share: f64, second: f64, third: f64, a: f64): f64 {
  put(slopes, 0, share);
  put(slopes, 1, second);
  if (n > 2) put(slopes, 2, third);
  return a * share;
}

function powers(p: usize, t: f64): f64 {
  let power = 1.0, sum = 0.0;
  for (let i = 0; i < n; i++) {
    put(slopes, i, power);
    sum += at(p, i) * power;
    power *= t;
  }
  return sum;
}

function squares(p: usize): void {
  const ys = data + (<usize>count << 3), weights = ys + (<usize>count << 3);
  for (let k = 0; k < count; k++) {
    const w = at(weights, k), r = at(ys, k) - model(p, at(data, k));
    value += w * r * r;
    for (let i = 0; i < n; i++) {
      slope(i, -2.0 * w * r * at(slopes, i));
      for (let j = 0; j <= i; j++) curve(i, j, 2.0 * w * at(slopes, i) * at(slopes, j));
    }
  }
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) put(rowAt(H, n, i), j, at(rowAt(H, n, j), i));
}
