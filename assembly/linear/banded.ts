// Symmetric banded matrices: LDLᵀ without row exchanges, its inertia, and solves (Golub & Van Loan, Matrix
// Computations, 4th ed., §4.3.6; Sylvester's law of inertia).
//
// Of the half bandwidth b, row i keeps its b + 1 entries of columns i−b … i one after another, so that all inner
// loops are dot products and axpys of neighbours. What would stand left of column 0 is there and zero.

/** Bytes of a band of n rows. */
@inline export function bandBytes(n: i32, b: i32): usize { return (<usize>n * <usize>(b + 1)) << 3; }

/** Address of entry (i, j), i − b ≤ j ≤ i. */
@inline export function bandAt(a: usize, b: i32, i: i32, j: i32): usize {
  return a + ((<usize>i * <usize>(b + 1) + <usize>(j - i + b)) << 3);
}

/** Σ x_i y_i of n neighbours, in four pairs of sums. */
export function bandDot(x: usize, y: usize, n: i32): f64 {
  let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
  const whole = x + (<usize>(n & ~7) << 3), end = x + (<usize>n << 3);
  while (x < whole) {
    s0 = f64x2.add(s0, f64x2.mul(v128.load(x), v128.load(y)));
    s1 = f64x2.add(s1, f64x2.mul(v128.load(x, 16), v128.load(y, 16)));
    s2 = f64x2.add(s2, f64x2.mul(v128.load(x, 32), v128.load(y, 32)));
    s3 = f64x2.add(s3, f64x2.mul(v128.load(x, 48), v128.load(y, 48)));
    x += 64; y += 64;
  }
  s0 = f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3));
  let sum = f64x2.extract_lane(s0, 0) + f64x2.extract_lane(s0, 1);
  for (; x < end; x += 8, y += 8) sum += load<f64>(x) * load<f64>(y);
  return sum;
}

/** y ← y + factor · x, n neighbours. */
export function bandAxpy(factor: f64, x: usize, y: usize, n: i32): void {
  const f = f64x2.splat(factor), whole = x + (<usize>(n & ~1) << 3);
  for (; x < whole; x += 16, y += 16) v128.store(y, f64x2.add(v128.load(y), f64x2.mul(f, v128.load(x))));
  if (n & 1) store<f64>(y, load<f64>(y) + factor * load<f64>(x));
}

/** Narrower bands than this are summed plainly: a call and eight lanes cost more than they bring. */
const NARROW: i32 = 8;

/** Σ x_i y_i of a few neighbours. */
@inline function shortDot(x: usize, y: usize, n: i32): f64 {
  let sum = 0.0;
  for (const end = x + (<usize>n << 3); x < end; x += 8, y += 8) sum += load<f64>(x) * load<f64>(y);
  return sum;
}

/** factorRows for a narrow band. */
function factorNarrow(a: usize, b: i32, from: i32, to: i32, tiny: f64): i32 {
  const stride = <usize>(b + 1) << 3;
  let negative = 0;
  for (let i = from; i < to; i++) {
    const first = max(0, i - b), row = bandAt(a, b, i, first), end = bandAt(a, b, i, i);
    let other = bandAt(a, b, first, first);
    for (let at = row; at < end; at += 8) {
      store<f64>(at, load<f64>(at) - shortDot(row, other - (at - row), <i32>((at - row) >> 3)));
      other += stride;
    }
    let d = load<f64>(end);
    other = bandAt(a, b, first, first);
    for (let at = row; at < end; at += 8) {
      const u = load<f64>(at), l = u / load<f64>(other);
      d -= u * l;
      store<f64>(at, l);
      other += stride;
    }
    if (abs(d) < tiny) d = -tiny;
    if (d < 0.0) negative++;
    store<f64>(end, d);
  }
  return negative;
}

/**
 * Rows [from, to) of the factors over the matrix: l_ij left of the diagonal, d_i on it. A pivot below `tiny` becomes
 * −tiny. Returns how many of these pivots are negative; over all rows that is the number of negative eigenvalues.
 */
export function factorRows(a: usize, b: i32, from: i32, to: i32, tiny: f64): i32 {
  if (b < NARROW) return factorNarrow(a, b, from, to, tiny);
  let negative = 0;
  for (let i = from; i < to; i++) {
    const first = max(0, i - b), row = bandAt(a, b, i, first);
    for (let j = first; j < i; j++) {
      const at = row + (<usize>(j - first) << 3);
      store<f64>(at, load<f64>(at) - bandDot(row, bandAt(a, b, j, first), j - first));
    }
    let d = load<f64>(bandAt(a, b, i, i));
    for (let j = first; j < i; j++) {
      const at = row + (<usize>(j - first) << 3), u = load<f64>(at), l = u / load<f64>(bandAt(a, b, j, j));
      d -= u * l;
      store<f64>(at, l);
    }
    if (abs(d) < tiny) d = -tiny;
    if (d < 0.0) negative++;
    store<f64>(bandAt(a, b, i, i), d);
  }
  return negative;
}

/** x ← A⁻¹x by the factors of all n rows. */
export function bandSolve(a: usize, n: i32, b: i32, x: usize): void {
  for (let i = 0; i < n; i++) {
    const first = max(0, i - b), at = x + (<usize>i << 3);
    store<f64>(at, load<f64>(at) - bandDot(bandAt(a, b, i, first), x + (<usize>first << 3), i - first));
  }
  for (let i = 0; i < n; i++) {
    const at = x + (<usize>i << 3);
    store<f64>(at, load<f64>(at) / load<f64>(bandAt(a, b, i, i)));
  }
  for (let i = n - 1; i > 0; i--) {
    const first = max(0, i - b);
    bandAxpy(-load<f64>(x + (<usize>i << 3)), bandAt(a, b, i, first), x + (<usize>first << 3), i - first);
  }
}

/** y ← A x of the matrix itself (not of its factors). */
export function bandTimes(a: usize, n: i32, b: i32, x: usize, y: usize): void {
  for (let i = 0; i < n; i++) {
    const first = max(0, i - b);
    const sum = bandDot(bandAt(a, b, i, first), x + (<usize>first << 3), i - first + 1);
    store<f64>(y + (<usize>i << 3), sum);
    bandAxpy(load<f64>(x + (<usize>i << 3)), bandAt(a, b, i, first), y + (<usize>first << 3), i - first);
  }
}
