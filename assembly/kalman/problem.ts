// Parameters of `kalman` (f64), read alike by kernel and verdict:
//   0 n · 8 m · 16 p · 24 measurements N · 32 smoother (1) · 40 steady (1) · 48 measurements in a window of the verdict
//   56 index of the value in the result · 64 goes on from another job (1) · 72 F n×n · H m×n · Q n×n · R m×m · B n×p ·
//   z N×m · u N×p · x₀ n · P₀ n×n, or the whole result of the job before, which begins with them

import { parameterF64, parameters } from "../kernel/frame";

export let n: i32 = 0, m: i32 = 0, p: i32 = 0, count: i32 = 0, window: i32 = 0;
export let smooths: bool = false, steady: bool = false, goesOn: bool = false;
export let F: usize = 0, H: usize = 0, Q: usize = 0, R: usize = 0, x0: usize = 0, P0: usize = 0, B: usize = 0;
export let z: usize = 0, u: usize = 0, end: usize = 0;
/** ln L and the count of the measurements before these. */
export let earlierLogL: f64 = 0, earlierCount: f64 = 0;

export function readProblem(): void {
  n = <i32>parameterF64(0); m = <i32>parameterF64(8); p = <i32>parameterF64(16); count = <i32>parameterF64(24);
  smooths = parameterF64(32) == 1.0;
  steady = parameterF64(40) == 1.0;
  window = <i32>parameterF64(48);
  goesOn = parameterF64(64) == 1.0;
  F = parameters() + 72;
  H = F + bytes(n * n);
  Q = H + bytes(m * n);
  R = Q + bytes(n * n);
  B = R + bytes(m * m);
  z = B + bytes(n * p);
  u = z + bytes(count * m);
  x0 = u + bytes(count * p);
  P0 = x0 + bytes(n);
  end = goesOn ? x0 + bytes(resultNumbers()) : P0 + bytes(n * n);
  earlierLogL = goesOn ? load<f64>(end - 16) : 0.0;
  earlierCount = goesOn ? load<f64>(end - 8) : 0.0;
}

@inline export function bytes(numbers: i32): usize { return <usize>numbers << 3; }

/** Numbers in a row of the filter: x, P, ln L until there, innovation, its square in units of S, K. */
@inline export function rowNumbers(): i32 { return n + n * n + m + 2 + n * m; }
/** Numbers of the result: x, P, P before the measurement, K, ln L, measurements. */
@inline export function resultNumbers(): i32 { return n + 2 * n * n + n * m + 2; }
