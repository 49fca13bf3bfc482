// Complex symmetric banded matrices, not Hermitian: LDLᵀ without row exchanges (Golub & Van Loan, Matrix Computations,
// 4th ed., §4.3.6). Storage as in assembly/linear/banded.ts with (re, im) for each entry.

/** Bytes of a band of n rows. */
@inline export function complexBandBytes(n: i32, b: i32): usize { return (<usize>n * <usize>(b + 1)) << 4; }
/** Address of entry (i, j), i − b ≤ j ≤ i. */
@inline export function complexAt(a: usize, b: i32, i: i32, j: i32): usize {
  return a + ((<usize>i * <usize>(b + 1) + <usize>(j - i + b)) << 4);
}
export function addComplex(at: usize, re: f64, im: f64): void {
  store<f64>(at, load<f64>(at) + re);
  store<f64>(at, load<f64>(at, 8) + im, 8);
}

let sumRe: f64 = 0, sumIm: f64 = 0;

/** Σ x_k y_k of n neighbours: left in sumRe, sumIm. */
function product(x: usize, y: usize, n: i32): void {
  let straight = f64x2.splat(0), crossed = straight;
  for (const end = x + (<usize>n << 4); x < end; x += 16, y += 16) {
    const a = v128.load(x), b = v128.load(y);
    straight = f64x2.add(straight, f64x2.mul(a, b));
    crossed = f64x2.add(crossed, f64x2.mul(a, v128.shuffle<f64>(b, b, 1, 0)));
  }
  sumRe = f64x2.extract_lane(straight, 0) - f64x2.extract_lane(straight, 1);
  sumIm = f64x2.extract_lane(crossed, 0) + f64x2.extract_lane(crossed, 1);
}

/** Rows [from, to) of the factors over the matrix: l_ij left of the diagonal, 1/d_i on it. */
export function factorComplexRows(a: usize, b: i32, from: i32, to: i32): void {
  for (let i = from; i < to; i++) {
    const first = max(0, i - b), row = complexAt(a, b, i, first);
    for (let j = first; j < i; j++) {
      product(row, complexAt(a, b, j, first), j - first);
      addComplex(row + (<usize>(j - first) << 4), -sumRe, -sumIm);
    }
    let re = load<f64>(complexAt(a, b, i, i)), im = load<f64>(complexAt(a, b, i, i), 8);
    for (let j = first; j < i; j++) {
      const at = row + (<usize>(j - first) << 4), d = complexAt(a, b, j, j);
      const uRe = load<f64>(at), uIm = load<f64>(at, 8), dRe = load<f64>(d), dIm = load<f64>(d, 8);
      const lRe = uRe * dRe - uIm * dIm, lIm = uRe * dIm + uIm * dRe;
      re -= uRe * lRe - uIm * lIm;
      im -= uRe * lIm + uIm * lRe;
      store<f64>(at, lRe);
      store<f64>(at, lIm, 8);
    }
    const square = re * re + im * im, d = complexAt(a, b, i, i);
    store<f64>(d, re / square);
    store<f64>(d, -im / square, 8);
  }
}

/** x ← A⁻¹x by the factors. */
export function complexBandSolve(a: usize, n: i32, b: i32, x: usize): void {
  for (let i = 0; i < n; i++) {
    const first = max(0, i - b);
    product(complexAt(a, b, i, first), x + (<usize>first << 4), i - first);
    addComplex(x + (<usize>i << 4), -sumRe, -sumIm);
  }
  for (let i = 0; i < n; i++) {
    const at = x + (<usize>i << 4), d = complexAt(a, b, i, i);
    const re = load<f64>(at), im = load<f64>(at, 8), dRe = load<f64>(d), dIm = load<f64>(d, 8);
    store<f64>(at, re * dRe - im * dIm);
    store<f64>(at, re * dIm + im * dRe, 8);
  }
  for (let i = n - 1; i > 0; i--) {
    const first = max(0, i - b), row = complexAt(a, b, i, first);
    const re = load<f64>(x + (<usize>i << 4)), im = load<f64>(x + (<usize>i << 4), 8);
    for (let j = first; j < i; j++) {
      const l = row + (<usize>(j - first) << 4), lRe = load<f64>(l), lIm = load<f64>(l, 8);
      addComplex(x + (<usize>j << 4), -(re * lRe - im * lIm), -(re * lIm + im * lRe));
    }
  }
}

/** y ← y + factor · x, n complex neighbours. */
export function complexAxpy(x: usize, y: usize, n: i32, factorRe: f64, factorIm: f64): void {
  const straight = f64x2.splat(factorRe), crossed = f64x2(-factorIm, factorIm);
  for (const end = x + (<usize>n << 4); x < end; x += 16, y += 16) {
    const a = v128.load(x);
    const product = f64x2.add(f64x2.mul(a, straight), f64x2.mul(v128.shuffle<f64>(a, a, 1, 0), crossed));
    v128.store(y, f64x2.add(v128.load(y), product));
  }
}
