// A x = b with a band matrix by Gaussian elimination without pivoting (Golub & Van Loan, Matrix Computations, 4th ed.,
// Alg. 4.3.1), four pivots at a time: a row below is read and written once for all four. A row holds columns
// k − half … k + half, and eight zeros behind them, so that the rows of four pivots can be read together. Entries are f32,
// for what is solved here is what Newton's and Krylov's methods are preconditioned with; sums of solutions are f64.

import { allocate } from "../kernel/frame";
import { pinned } from "../grid/stencil";

let size: i32 = 0, half: i32 = 0, width: usize = 0, matrix: usize = 0;

export function bandBytes(n: i32, halfWidth: i32): usize { return (<usize>n * <usize>((2 * halfWidth + 12) & ~3)) << 2; }

/** Room for the matrix, which is zero. */
export function layBand(n: i32, halfWidth: i32): void {
  size = n; half = halfWidth;
  width = bandBytes(1, half);
  matrix = allocate(bandBytes(n, half));
}
export function clearBand(): void { memory.fill(matrix, 0, bandBytes(size, half)); }

/** Entry (row, column) stands at bandRow(row) + 4 (column − row + half). */
@inline export function bandRow(row: i32): usize { return matrix + <usize>row * width; }
@inline function at(row: i32, column: i32): usize { return bandRow(row) + (<usize>(column - row + half) << 2); }

/** row[0 …) −= a·p + b·q + c·r + d·s over `bytes`, four or one at a time. */
function subtractFour(row: usize, p: usize, q: usize, r: usize, s: usize, a: f32, b: f32, c: f32, d: f32, bytes: usize): void {
  const va = f32x4.splat(a), vb = f32x4.splat(b), vc = f32x4.splat(c), vd = f32x4.splat(d);
  let k: usize = 0;
  for (; k + 16 <= bytes; k += 16) {
    const x = f32x4.add(f32x4.mul(va, v128.load(p + k)), f32x4.mul(vb, v128.load(q + k)));
    const y = f32x4.add(f32x4.mul(vc, v128.load(r + k)), f32x4.mul(vd, v128.load(s + k)));
    v128.store(row + k, f32x4.sub(v128.load(row + k), f32x4.add(x, y)));
  }
  for (; k < bytes; k += 4) {
    const x = a * load<f32>(p + k) + b * load<f32>(q + k), y = c * load<f32>(r + k) + d * load<f32>(s + k);
    store<f32>(row + k, load<f32>(row + k) - (x + y));
  }
}

/** Row −= l · pivot row, from column `from` on; l is kept in place of the entry that vanishes. */
function eliminate(row: i32, pivot: i32, to: i32): f32 {
  if (row - pivot > half) return 0.0;
  const l = load<f32>(at(row, pivot)) / load<f32>(at(pivot, pivot));
  store<f32>(at(row, pivot), l);
  for (let c = pivot + 1; c <= to; c++) store<f32>(at(row, c), load<f32>(at(row, c)) - l * load<f32>(at(pivot, c)));
  return l;
}

function factorFour(k: i32): void {
  const end = min(size - 1, k + 3 + half);
  for (let r = k + 1; r < k + 4; r++) for (let p = k; p < r; p++) eliminate(r, p, min(size - 1, p + half));
  const columns = <usize>(end - k - 3) << 2;
  for (let r = k + 4; r <= end; r++) {
    const a = eliminate(r, k, k + 3), b = eliminate(r, k + 1, k + 3), c = eliminate(r, k + 2, k + 3), d = eliminate(r, k + 3, k + 3);
    subtractFour(at(r, k + 4), at(k, k + 4), at(k + 1, k + 4), at(k + 2, k + 4), at(k + 3, k + 4), a, b, c, d, columns);
  }
}

export function factorBand(): void {
  let k = 0;
  for (; k + 4 <= size; k += 4) factorFour(k);
  for (; k < size; k++) for (let r = k + 1; r <= min(size - 1, k + half); r++) eliminate(r, k, min(size - 1, k + half));
}

/** Of entries and numbers in f64. */
@inline function dot(a: usize, x: usize, count: i32): f64 {
  let s = f64x2.splat(0), t = s;
  const end = a + (<usize>count << 2), whole = a + (<usize>(count & ~3) << 2);
  for (; a < whole; a += 16, x += 32) {
    s = f64x2.add(s, f64x2.mul(f64x2.promote_low_f32x4(v128.load64_zero(a)), v128.load(x)));
    t = f64x2.add(t, f64x2.mul(f64x2.promote_low_f32x4(v128.load64_zero(a, 8)), v128.load(x, 16)));
  }
  s = f64x2.add(s, t);
  let sum = f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
  for (; a < end; a += 4, x += 8) sum += <f64>load<f32>(a) * load<f64>(x);
  return sum;
}

export function solveBand(x: usize): void {
  for (let r = 1; r < size; r++) forward(r, x);
  for (let r = size - 1; r >= 0; r--) backward(r, x);
}
function forward(r: i32, x: usize): void {
  const from = max(0, r - half), to = x + (<usize>r << 3);
  store<f64>(to, load<f64>(to) - dot(at(r, from), x + (<usize>from << 3), r - from));
}
function backward(r: i32, x: usize): void {
  const count = min(size - 1, r + half) - r, to = x + (<usize>r << 3);
  store<f64>(to, (load<f64>(to) - dot(at(r, r + 1), to + 8, count)) / <f64>load<f32>(at(r, r)));
}
