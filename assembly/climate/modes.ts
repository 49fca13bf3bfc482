// The diffusive energy balance of a hemisphere in Legendre polynomials, for any edge x_s of the ice (North, J. Atmos.
// Sci. 32 (1975) 2033, eq. 20–27): with sunlight times coalbedo q = Σ H_n P_n, n even,
//
//   T(x) = Σ T_n P_n(x),   T_n = (S₀/4) H_n / (n(n+1) D + B),   T₀ less A/B;   H_n = (2n+1) ∫₀¹ q P_n dx
//
// Without ice q is of degree 4 and has three terms. With ice the jump r = q_ice − q_free adds (2n+1) ∫ r P_n from x_s
// to 1, which follow from ∫ P_n = (P_(n−1)(x_s) − P_(n+1)(x_s))/(2n+1) and (2n+1) x P_n = (n+1)P_(n+1) + n P_(n−1).
// The terms of T fall as n⁻³.

import { allocate } from "../kernel/frame";

const MODES: i32 = 2048;
const ROOM: usize = <usize>(MODES + 16) << 3;

let polynomials: usize = 0, integrals: usize = 0, products: usize = 0, coefficients: usize = 0;
let quarter: f64 = 0, A: f64 = 0, B: f64 = 0, D: f64 = 0;
let H0: f64 = 0, H2: f64 = 0, H4: f64 = 0, r0: f64 = 0, r2: f64 = 0, r4: f64 = 0;
let modes: i32 = 0;

@inline function get(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }

/** `p`: S₀, A, B, D, s₂, a₀, a₂, a_i. */
export function layModes(p: usize): void {
  polynomials = allocate(ROOM);
  integrals = allocate(ROOM);
  products = allocate(ROOM);
  coefficients = allocate(ROOM);
  quarter = 0.25 * get(p, 0); A = get(p, 1); B = get(p, 2); D = get(p, 3);
  const s2 = get(p, 4), a0 = get(p, 5), a2 = get(p, 6), darker = a0 - get(p, 7);
  H0 = 1.0 - a0 - s2 * a2 / 5.0;
  H2 = s2 * (1.0 - a0) - a2 - 2.0 / 7.0 * s2 * a2;
  H4 = -18.0 / 35.0 * s2 * a2;
  // r = (1 + s₂P₂)(a₀ − a_i + a₂P₂), in powers of x
  const e = 1.0 - 0.5 * s2, f = 1.5 * s2, g = darker - 0.5 * a2, k = 1.5 * a2;
  r0 = e * g; r2 = e * k + f * g; r4 = f * k;
}

/** P_0 … P_(count) at x. */
function evaluate(x: f64, count: i32): void {
  put(polynomials, 0, 1.0);
  put(polynomials, 1, x);
  for (let n = 1; n < count; n++) {
    const m = <f64>n;
    put(polynomials, n + 1, ((2.0 * m + 1.0) * x * get(polynomials, n) - m * get(polynomials, n - 1)) / (m + 1.0));
  }
}

/** ∫ x P_n from ∫ P_n, n < count; of P_0 it is that of P_1. */
function timesX(from: usize, to: usize, count: i32): void {
  put(to, 0, get(from, 1));
  for (let n = 1; n < count; n++) {
    const m = <f64>n;
    put(to, n, ((m + 1.0) * get(from, n + 1) + m * get(from, n - 1)) / (2.0 * m + 1.0));
  }
}

/** The coefficients T_n, n < `count` + 1 (at most 2048), for an edge at `edge`; 1 means no ice. */
export function expand(edge: f64, count: i32): void {
  modes = edge < 1.0 ? count : 4;
  memory.fill(coefficients, 0, ROOM);
  if (edge < 1.0) addJump(edge, count);
  put(coefficients, 0, get(coefficients, 0) + H0);
  put(coefficients, 2, get(coefficients, 2) + H2);
  put(coefficients, 4, get(coefficients, 4) + H4);
  for (let n = 0; n <= modes; n += 2) {
    put(coefficients, n, get(coefficients, n) * quarter / (<f64>n * <f64>(n + 1) * D + B));
  }
  put(coefficients, 0, get(coefficients, 0) - A / B);
}

function addJump(edge: f64, count: i32): void {
  evaluate(edge, count + 8);
  put(integrals, 0, 1.0 - edge);
  for (let n = 1; n < count + 7; n++) {
    put(integrals, n, (get(polynomials, n - 1) - get(polynomials, n + 1)) / <f64>(2 * n + 1));
  }
  addIntegrals(r0, count);
  timesX(integrals, products, count + 6);
  timesX(products, integrals, count + 5);
  addIntegrals(r2, count);
  timesX(integrals, products, count + 4);
  timesX(products, integrals, count + 3);
  addIntegrals(r4, count);
}

function addIntegrals(factor: f64, count: i32): void {
  for (let n = 0; n <= count; n += 2) {
    put(coefficients, n, get(coefficients, n) + factor * <f64>(2 * n + 1) * get(integrals, n));
  }
}

@inline export function meanOfModes(): f64 { return get(coefficients, 0); }
/** (S₀/4)⟨q⟩, W/m². */
@inline export function absorbedByModes(): f64 { return B * get(coefficients, 0) + A; }

/** T in °C at x. */
export function sumAt(x: f64): f64 {
  let before = 1.0, here = x, sum = get(coefficients, 0);
  for (let n = 1; n < modes; n += 2) {
    const m = <f64>n;
    const even = ((2.0 * m + 1.0) * x * here - m * before) / (m + 1.0);
    sum += get(coefficients, n + 1) * even;
    before = even;
    here = ((2.0 * m + 3.0) * x * even - (m + 1.0) * here) / (m + 2.0);
  }
  return sum;
}

/**
 * κG at the edge: a small advance of the ice shines (S₀/4) s (c_free − c_ice)/|dT/dx| less per degree, and G = Σ (2n+1)
 * P_n²/(n(n+1)D + B) warms the edge by it. Below 1 every disturbance that both hemispheres share decays.
 */
export function feedback(edge: f64): f64 {
  evaluate(edge, modes + 1);
  const q = edge * edge, jump = -quarter * (r0 + q * (r2 + q * r4));
  let gradient = 0.0, green = 0.0;
  for (let n = 0; n <= modes; n += 2) {
    const P = get(polynomials, n), m = <f64>n;
    green += (2.0 * m + 1.0) * P * P / (m * (m + 1.0) * D + B);
    if (n > 0) gradient += get(coefficients, n) * m * (get(polynomials, n - 1) - edge * P) / (1.0 - q);
  }
  return jump * green / abs(gradient);
}
