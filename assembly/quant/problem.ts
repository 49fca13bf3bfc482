// Head of the parameters of all kernels of quant's options (f64), in currency and years:
//   0 type: 0 european, 1 digital, 2 geometric Asian, 3 arithmetic Asian, 4 down-and-out, 5 a payoff of its own · 8 right: 0 call, 1 put
//   16 S₀ · 24 K · 32 r · 40 q · 48 σ · 56 T · 64 payout (digital) · 72 fixings m (Asian and own, else 1) · 80 barrier
// Sums of one replicate, 16 f64: 0 paths n · 8 ΣY · 16 ΣC · 24 ΣYC · 32 ΣCC · 40 ΣYY · 48 Σ∂Y/∂S₀ · 56 Σ∂Y/∂σ
//   64 Σ of the other right's Y · 72, 80 Σ∂C/∂S₀, Σ∂C/∂σ of an arithmetic Asian · the rest 0
// Y is the discounted payoff, C the control: the discounted S_T, or for an arithmetic Asian the geometric one's Y.
// Result of a run: sums of 4 replicates (512 bytes), then 64 counts of ln X in bins of an eighth of its deviation from
// −4 to 4, the ends open; X is S_T or the average.

import { parameterF64 } from "../kernel/frame";

export namespace Type {
  export const EUROPEAN: i32 = 0;
  export const DIGITAL: i32 = 1;
  export const GEOMETRIC: i32 = 2;
  export const ARITHMETIC: i32 = 3;
  export const DOWN_OUT: i32 = 4;
  export const OWN: i32 = 5;
}

export namespace Sum {
  export const N: usize = 0;
  export const Y: usize = 8;
  export const C: usize = 16;
  export const YC: usize = 24;
  export const CC: usize = 32;
  export const YY: usize = 40;
  export const DELTA: usize = 48;
  export const VEGA: usize = 56;
  export const OTHER: usize = 64;
  export const CONTROL_DELTA: usize = 72;
  export const CONTROL_VEGA: usize = 80;
}

export const SUMS: usize = 128;
export const PER_RUN: i32 = 4;
export const RUNS: i32 = 8;
export const REPLICATES: i32 = 32;
export const BINS: i32 = 64;
export const RUN_BYTES: usize = 1024;

export let type: i32 = 0, fixings: i32 = 1;
/** 1 for a call, −1 for a put. */
export let omega: f64 = 1;
export let S0: f64 = 0, K: f64 = 0, r: f64 = 0, q: f64 = 0, sigma: f64 = 0, T: f64 = 0, payout: f64 = 0, barrier: f64 = 0;

/** Values of an own payoff's block (assembly/expression): S_T, means A and G, least and largest of the fixings. */
export const OWN_COLUMNS: i32 = 5;

export function readProblem(): void {
  type = <i32>parameterF64(0);
  omega = parameterF64(8) == 0.0 ? 1.0 : -1.0;
  S0 = parameterF64(16);
  K = parameterF64(24);
  r = parameterF64(32);
  q = parameterF64(40);
  sigma = parameterF64(48);
  T = parameterF64(56);
  payout = parameterF64(64);
  fixings = <i32>parameterF64(72);
  barrier = parameterF64(80);
}
