// Modified Bessel functions of integer order by Miller's backward recurrence with Gauss's continued fraction
// (Gautschi, SIAM Review 9 (1967) 24; DLMF 10.74(iv)): ratios only, so that nothing overflows.

/** I_n(x) / I_{n−1}(x), n ≥ 1, by the continued fraction x/(2n + x²/(2n+2 + …)), taken from far behind. */
export function besselRatio(n: i32, x: f64): f64 {
  if (x == 0.0) return 0.0;
  const last = n + 24 + <i32>(1.5 * abs(x));
  let ratio = 0.0;
  for (let k = last; k >= n; k--) ratio = x / (2.0 * <f64>k + x * ratio);
  return ratio;
}

/** I_n(x) / I_0(x) for n = 0 … count − 1 at `out`. */
export function besselOverI0(x: f64, count: i32, out: usize): void {
  let ratio = besselRatio(count, x);
  for (let n = count - 1; n >= 1; n--) {
    ratio = x / (2.0 * <f64>n + x * ratio);
    store<f64>(out + (<usize>n << 3), ratio);
  }
  store<f64>(out, 1.0);
  for (let n = 1; n < count; n++) {
    const at = out + (<usize>n << 3);
    store<f64>(at, load<f64>(at) * load<f64>(at - 8));
  }
}
