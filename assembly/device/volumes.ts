// Integrals of what is given on equidistant nodes and linear between them, over the half cells of another grid: exact,
// so that a grid of any width sees the whole of a doping.

/**
 * ∫ over the 2n half cells of [0, length] of the array of m ≥ 2 f64 at `from`, `stride` bytes apart, to 2n f64 at `to`.
 */
export function halfVolumes(from: usize, stride: usize, m: i32, length: f64, n: i32, to: usize): void {
  const width = length / <f64>(m - 1);
  let k = 0, whole = 0.0, before = 0.0, a = load<f64>(from), b = load<f64>(from + stride);
  for (let i = 1; i <= 2 * n; i++) {
    const x = 0.5 * length * <f64>i / <f64>n;
    while (k < m - 2 && <f64>(k + 1) * width <= x) {
      whole += 0.5 * width * (a + b);
      k++;
      a = b;
      b = load<f64>(from + <usize>(k + 1) * stride);
    }
    const s = x - <f64>k * width, up = whole + s * (a + 0.5 * (b - a) * s / width);
    store<f64>(to + (<usize>(i - 1) << 3), up - before);
    before = up;
  }
}
