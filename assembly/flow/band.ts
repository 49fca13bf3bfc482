// A x = b with a band matrix by Gaussian elimination without pivoting (Golub & Van Loan, Matrix Computations, 4th ed.,
// Alg. 4.3.1), four pivots at a time: a row below is read and written once for all four. A row holds columns
// k − half … k + half, and eight zeros behind them, so that the rows of four pivots can be read together.

import { allocate } from "../kernel/frame";
import { pinned } from "../grid/stencil";

let size: i32 = 0, half: i32 = 0, width: usize = 0, matrix: usize = 0;

export function bandBytes(n: i32, halfWidth: i32): usize { return (<usize>n * <usize>((2 * halfWidth + 10) & ~1)) << 3; }

/** Room for the matrix, which is zero. */
export function layBand(n: i32, halfWidth: i32): void {
  size = n; half = halfWidth;
  width = bandBytes(1, half);
  matrix = allocate(bandBytes(n, half));
}
export function clearBand(): void { memory.fill(matrix, 0, bandBytes(size, half)); }

/** Entry (row, column) stands at bandRow(row) + 8 (column − row + half). */
@inline export function bandRow(row: i32): usize { return matrix + <usize>row * width; }
@inline function at(row: i32, column: i32): usize { return bandRow(row) + (<usize>(column - row + half) << 3); }

/** row[0 …) −= a·p + b·q + c·r + d·s over `bytes`, two or one at a time. */
function subtractFour(row: usize, p: usize, q: usize, r: usize, s: usize, a: f64, b: f64, c: f64, d: f64, bytes: usize): void {
  const va = pinned(a), vb = pinned(b), vc = pinned(c), vd = pinned(d);
  let k: usize = 0;
  for (; k + 32 <= bytes; k += 32) {
    const x = f64x2.add(f64x2.mul(va, v128.load(p + k)), f64x2.mul(vb, v128.load(q + k)));
    const y = f64x2.add(f64x2.mul(vc, v128.load(r + k)), f64x2.mul(vd, v128.load(s + k)));
    const z = f64x2.add(f64x2.mul(va, v128.load(p + k, 16)), f64x2.mul(vb, v128.load(q + k, 16)));
    const w = f64x2.add(f64x2.mul(vc, v128.load(r + k, 16)), f64x2.mul(vd, v128.load(s + k, 16)));
    v128.store(row + k, f64x2.sub(v128.load(row + k), f64x2.add(x, y)));
    v128.store(row + k, f64x2.sub(v128.load(row + k, 16), f64x2.add(z, w)), 16);
  }
  for (; k < bytes; k += 8) {
    const x = a * load<f64>(p + k) + b * load<f64>(q + k), y = c * load<f64>(r + k) + d * load<f64>(s + k);
    store<f64>(row + k, load<f64>(row + k) - (x + y));
  }
}

/** Row −= l · pivot row, from column `from` on; l is kept in place of the entry that vanishes. */
function eliminate(row: i32, pivot: i32, to: i32): f64 {
  if (row - pivot > half) return 0.0;
  const l = load<f64>(at(row, pivot)) / load<f64>(at(pivot, pivot));
  store<f64>(at(row, pivot), l);
  for (let c = pivot + 1; c <= to; c++) store<f64>(at(row, c), load<f64>(at(row, c)) - l * load<f64>(at(pivot, c)));
  return l;
}

function factorFour(k: i32): void {
  const end = min(size - 1, k + 3 + half);
  for (let r = k + 1; r < k + 4; r++) for (let p = k; p < r; p++) eliminate(r, p, min(size - 1, p + half));
  const columns = <usize>(end - k - 3) << 3;
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

@inline function dot(a: usize, x: usize, count: i32): f64 {
  let s = f64x2.splat(0), t = s, k: usize = 0;
  const bytes = <usize>count << 3;
  for (; k + 32 <= bytes; k += 32) {
    s = f64x2.add(s, f64x2.mul(v128.load(a + k), v128.load(x + k)));
    t = f64x2.add(t, f64x2.mul(v128.load(a + k, 16), v128.load(x + k, 16)));
  }
  s = f64x2.add(s, t);
  let sum = f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
  for (; k < bytes; k += 8) sum += load<f64>(a + k) * load<f64>(x + k);
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
  store<f64>(to, (load<f64>(to) - dot(at(r, r + 1), to + 8, count)) / load<f64>(at(r, r)));
}
