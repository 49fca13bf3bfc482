// Integrals of what is given on equidistant nodes and linear between them, over the half cells of another grid: exact,
// so that a grid of any width sees the whole of a doping.

/** The array of f64 that is walked along, its intervals and where the walk is in it; the half cells, and how many are behind. */
let nodes: usize = 0, gap: usize = 0, intervals: i32 = 0, spacing: f64 = 0, span: f64 = 0, halves: i32 = 0, done: i32 = 0;
let k: i32 = 0, whole: f64 = 0, before: f64 = 0, a: f64 = 0, b: f64 = 0;

/** Begins at the first half cell of n cells in [0, length], in the array of m ≥ 2 f64 at `from`, `stride` bytes apart. */
export function openHalves(from: usize, stride: usize, m: i32, length: f64, n: i32): void {
  nodes = from; gap = stride; intervals = m - 1; spacing = length / <f64>(m - 1); span = length; halves = 2 * n; done = 0;
  k = 0; whole = 0.0; before = 0.0; a = load<f64>(from); b = load<f64>(from + stride);
}

/** ∫ over the next half cell. */
export function nextHalf(): f64 {
  const x = span * <f64>(++done) / <f64>halves;
  while (k < intervals - 1 && <f64>(k + 1) * spacing <= x) {
    whole += 0.5 * spacing * (a + b);
    k++;
    a = b;
    b = load<f64>(nodes + <usize>(k + 1) * gap);
  }
  const s = x - <f64>k * spacing, up = whole + s * (a + 0.5 * (b - a) * s / spacing), half = up - before;
  before = up;
  return half;
}
