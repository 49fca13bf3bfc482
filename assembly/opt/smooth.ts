// A smooth objective as its kernels get it.
//
// Parameters (f64): 0 kind: 0 named function, 1 polynomial, 2 model of data · 8 which · 16 variables n ·
//   24 steps allowed · 32 terms or points N · 40 number of the start, 0: x₀ itself · 48, 56 seed · 64 x₀ (n) · l (n) ·
//   u (n), ±∞ where there is none · of a polynomial N terms, c and n exponents each · of a model x (N) · y (N) · w (N)
// Functions: 0 rosenbrock · 1 himmelblau · 2 beale · 3 mccormick · 4 styblinski-tang
// Models: 0 exponential · 1 saturation · 2 power · 3 michaelis-menten · 4 logistic · 5 gaussian · 6 polynomial

import { parameterF64, parameters } from "../kernel/frame";

export const SMOOTH_HEAD: usize = 64;

export namespace Kind {
  export const FUNCTION: i32 = 0;
  export const POLYNOMIAL: i32 = 1;
  export const MODEL: i32 = 2;
}

export let kind: i32 = 0, which: i32 = 0, n: i32 = 0, count: i32 = 0;
export let allowed: u64 = 0;
export let first: usize = 0, lowers: usize = 0, uppers: usize = 0, data: usize = 0;
/** Address of what stands behind it. */
export let behind: usize = 0;

export function readSmooth(): void {
  kind = <i32>parameterF64(0);
  which = <i32>parameterF64(8);
  n = <i32>parameterF64(16);
  allowed = <u64>parameterF64(24);
  count = <i32>parameterF64(32);
  const vector = <usize>n << 3;
  first = parameters() + SMOOTH_HEAD;
  lowers = first + vector;
  uppers = lowers + vector;
  data = uppers + vector;
  const numbers = kind == Kind.POLYNOMIAL ? count * (n + 1) : kind == Kind.MODEL ? 3 * count : 0;
  behind = data + (<usize>numbers << 3);
}
