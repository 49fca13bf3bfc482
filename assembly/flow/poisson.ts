// ∇²φ = f on nx × ny cells, values at their middles, without iterating: along y a cosine or Fourier transform that
// makes the matrix diagonal, along x one tridiagonal system for each mode (Hockney, J. ACM 12 (1965) 95; Swarztrauber,
// SIAM Rev. 19 (1977) 490). At a side, half a cell outside the last middle, one of
//
//   NATURAL   ∂φ/∂n = 0        ZERO   φ = 0        RING   joined to the opposite side
//
// Cosine transform by one complex transform of half the rows' number of columns: two columns of a row are one complex
// number, v_j = x_{2j}, v_{m−1−j} = x_{2j+1} (Makhoul, IEEE Trans. ASSP 28 (1980) 27). With V its transform,
//   X_k = cos θ_k Re V_k + sin θ_k Im V_k,   X_{m−k} = sin θ_k Re V_k − cos θ_k Im V_k,   θ_k = πk/2m;
// θ = 0 leaves the real Fourier transform. A ZERO side along y is an odd mirror image: twice the rows.
//
// Where no side is ZERO, φ is known up to a constant, which makes the last cell of mode 0 zero.

import { allocate } from "../kernel/frame";
import { endsAtHome, layStockham, stockham, stockhamBytes } from "../math/stockham";

export namespace Side {
  export const NATURAL: i32 = 0;
  export const ZERO: i32 = 1;
  export const RING: i32 = 2;
}

let nx: i32 = 0, ny: i32 = 0, m: i32 = 0;
let kindLeft: i32 = 0, kindRight: i32 = 0, kindBottom: i32 = 0, kindTop: i32 = 0;
let stride: usize = 0, one: usize = 0, two: usize = 0, home: usize = 0, twiddles: usize = 0, angles: usize = 0;
let pivots: usize = 0, rings: usize = 0, ratio: f64 = 0, scale: f64 = 0;
let isRing: bool = false, isMirrored: bool = false;

@inline function rowOf(table: usize, k: i32): usize { return table + <usize>k * stride; }

/** Rows that the transform along y takes. */
export function transformRows(n: i32, bottom: i32, top: i32): i32 {
  return bottom == Side.ZERO || top == Side.ZERO ? 2 * n : n;
}

export function layPoisson(columns: i32, rows: i32, dx: f64, dy: f64, left: i32, right: i32, bottom: i32, top: i32): void {
  nx = columns; ny = rows; kindLeft = left; kindRight = right; kindBottom = bottom; kindTop = top;
  m = transformRows(ny, bottom, top);
  isMirrored = m != ny;
  isRing = bottom == Side.RING || (bottom == Side.ZERO && top == Side.ZERO);
  stride = <usize>((nx + 1) & ~1) << 3;
  one = allocate(stride * <usize>m);
  two = allocate(stride * <usize>m);
  home = one;
  twiddles = allocate(stockhamBytes(m));
  layStockham(twiddles, m);
  angles = allocate(<usize>(m + 1) << 4);
  pivots = allocate(stride * <usize>m);
  rings = left == Side.RING ? allocate(stride * <usize>m) : 0;
  ratio = dx * dx / (dy * dy);
  scale = dx * dx / <f64>m;
  for (let k = 0; k <= m; k++) {
    const angle = isRing ? 0.0 : 0.5 * Math.PI * <f64>k / <f64>m;
    store<f64>(angles + (<usize>k << 4), Math.cos(angle));
    store<f64>(angles + (<usize>k << 4), Math.sin(angle), 8);
  }
  for (let k = 0; k < m; k++) factorMode(k);
}

/** −dx² times the eigenvalue of δ²/dy² of mode k. */
function stiffness(k: i32): f64 {
  const s = Math.sin((isRing ? 1.0 : 0.5) * Math.PI * <f64>k / <f64>m);
  return 4.0 * ratio * s * s;
}

/** Mode 0 between sides without a value has a constant to choose; of an odd mirror image it holds rounding alone. */
@inline function isFree(): bool { return kindLeft != Side.ZERO && kindRight != Side.ZERO; }
@inline function diagonal(i: i32, k: i32): f64 {
  let d = -2.0 - stiffness(k);
  if (i == 0) d += kindLeft == Side.NATURAL ? 1.0 : kindLeft == Side.ZERO ? -1.0 : 0.0;
  if (i == nx - 1) d += kindRight == Side.NATURAL ? 1.0 : kindRight == Side.ZERO ? -1.0 : 0.0;
  return d;
}

/** 1/pivot of every cell; on a ring the last cell is a border, with z of T z = e_0 + e_{n−2}. */
function factorMode(k: i32): void {
  const row = rowOf(pivots, k), last = rings ? nx - 1 : nx;
  let inverse = 0.0;
  for (let i = 0; i < last; i++) {
    inverse = 1.0 / (diagonal(i, k) - inverse);
    store<f64>(row + (<usize>i << 3), inverse);
  }
  if (!rings) {
    if (k == 0 && isFree()) store<f64>(row + (<usize>(nx - 1) << 3), 0.0);
    return;
  }
  const z = rowOf(rings, k);
  for (let i = 0; i < last; i++) store<f64>(z + (<usize>i << 3), (i == 0 ? 1.0 : 0.0) + (i == last - 1 ? 1.0 : 0.0));
  solveLine(z, row, last);
  const border = load<f64>(z) + load<f64>(z + (<usize>(last - 1) << 3)) - diagonal(nx - 1, k);
  store<f64>(row + (<usize>last << 3), k == 0 && isFree() ? 0.0 : 1.0 / border);
}

function solveLine(x: usize, inverse: usize, count: i32): void {
  const end = x + (<usize>count << 3), apart = inverse - x;
  let d = 0.0;
  for (let p = x; p < end; p += 8) {
    d = (load<f64>(p) - d) * load<f64>(p + apart);
    store<f64>(p, d);
  }
  for (let p = end - 16; p >= x; p -= 8) {
    d = load<f64>(p) - load<f64>(p + apart) * d;
    store<f64>(p, d);
  }
}

/** Four lines side by side, so that no step waits for the one before. */
function solveFour(x: usize, inverse: usize, count: i32): void {
  const x1 = stride, x2 = 2 * stride, x3 = 3 * stride, apart = inverse - x, end = x + (<usize>count << 3);
  let a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  for (let p = x; p < end; p += 8) {
    const q = p + apart;
    a = (load<f64>(p) - a) * load<f64>(q);
    b = (load<f64>(p + x1) - b) * load<f64>(q + x1);
    c = (load<f64>(p + x2) - c) * load<f64>(q + x2);
    d = (load<f64>(p + x3) - d) * load<f64>(q + x3);
    store<f64>(p, a); store<f64>(p + x1, b); store<f64>(p + x2, c); store<f64>(p + x3, d);
  }
  for (let p = end - 16; p >= x; p -= 8) {
    const q = p + apart;
    a = load<f64>(p) - load<f64>(q) * a;
    b = load<f64>(p + x1) - load<f64>(q + x1) * b;
    c = load<f64>(p + x2) - load<f64>(q + x2) * c;
    d = load<f64>(p + x3) - load<f64>(q + x3) * d;
    store<f64>(p, a); store<f64>(p + x1, b); store<f64>(p + x2, c); store<f64>(p + x3, d);
  }
}

function closeRing(x: usize, k: i32, count: i32): void {
  const last = <usize>count << 3, z = rowOf(rings, k), inverse = rowOf(pivots, k);
  const q = (load<f64>(x) + load<f64>(x + last - 8) - load<f64>(x + last)) * load<f64>(inverse + last);
  const by = f64x2.splat(q);
  for (let p: usize = 0; p < last; p += 16) v128.store(x + p, f64x2.sub(v128.load(x + p), f64x2.mul(by, v128.load(z + p))));
  store<f64>(x + last, q);
  if ((count & 1) == 0) store<f64>(x + last + 8, 0.0);
}

function solveModes(): void {
  const count = rings ? nx - 1 : nx;
  let k = 0;
  for (; k + 4 <= m; k += 4) solveFour(rowOf(home, k), rowOf(pivots, k), count);
  for (; k < m; k++) solveLine(rowOf(home, k), rowOf(pivots, k), count);
  if (rings) for (k = 0; k < m; k++) closeRing(rowOf(home, k), k, count);
}

/** From the complex transform to the real modes, with dx²/m that the systems and the way back want. */
function toModes(): void {
  for (let k = 0; 2 * k <= m; k++) {
    const a = rowOf(home, k), b = rowOf(home, k == 0 ? 0 : m - k), w = angles + (<usize>k << 4);
    const half = f64x2.splat(0.5 * scale), sign = f64x2.replace_lane(f64x2.splat(-0.5 * scale), 0, 0.5 * scale);
    const c = v128.load64_splat(w), s = v128.load64_splat(w, 8);
    for (let p: usize = 0; p < stride; p += 16) {
      const x = v128.load(a + p), y = v128.load(b + p), apart = f64x2.sub(x, y);
      const re = f64x2.mul(half, f64x2.add(x, y)), im = f64x2.mul(sign, v128.shuffle<f64>(apart, apart, 1, 0));
      if (b != a) v128.store(b + p, f64x2.sub(f64x2.mul(s, re), f64x2.mul(c, im)));
      v128.store(a + p, f64x2.add(f64x2.mul(c, re), f64x2.mul(s, im)));
    }
  }
}

function fromModes(): void {
  for (let k = 0; 2 * k <= m; k++) {
    const a = rowOf(home, k), b = rowOf(home, k == 0 ? 0 : m - k), w = angles + (<usize>k << 4);
    const c = v128.load64_splat(w), s = v128.load64_splat(w, 8), sign = f64x2.replace_lane(f64x2.splat(1.0), 0, -1.0);
    if (k == 0) continue;
    for (let p: usize = 0; p < stride; p += 16) {
      const x = v128.load(a + p), y = v128.load(b + p);
      if (a == b) { v128.store(a + p, f64x2.mul(f64x2.add(c, s), x)); continue; }
      const re = f64x2.add(f64x2.mul(c, x), f64x2.mul(s, y)), im = f64x2.sub(f64x2.mul(s, x), f64x2.mul(c, y));
      const turned = f64x2.mul(sign, v128.shuffle<f64>(im, im, 1, 0));
      v128.store(a + p, f64x2.add(re, turned));
      v128.store(b + p, f64x2.sub(re, turned));
    }
  }
}

/** Place of row j among the rows of the transform. */
@inline function placeOf(j: i32): i32 {
  if (isMirrored && kindBottom == Side.ZERO && kindTop != Side.ZERO) j += ny;
  if (isRing) return j;
  return (j & 1) == 0 ? j >> 1 : m - 1 - (j >> 1);
}

/** Where row j of f goes; then, after solve(), where row j of φ stands. */
@inline export function poissonRow(j: i32): usize { return rowOf(home, placeOf(j)); }

/** The odd mirror image of the rows, where a side along y is ZERO. */
function mirror(): void {
  for (let j = 0; j < ny; j++) {
    const from = poissonRow(j);
    const image = kindBottom == Side.ZERO && kindTop != Side.ZERO ? ny - 1 - j : 2 * ny - 1 - j;
    const to = rowOf(home, isRing ? image : (image & 1) == 0 ? image >> 1 : m - 1 - (image >> 1));
    for (let p: usize = 0; p < stride; p += 16) v128.store(to + p, f64x2.neg(v128.load(from + p)));
  }
}

@inline function other(): usize { return home == one ? two : one; }

export function solvePoisson(): void {
  if (isMirrored) mirror();
  const away = !endsAtHome(m);
  stockham(home, other(), m, stride, stride, twiddles, 1.0);
  if (away) home = other();
  toModes();
  solveModes();
  fromModes();
  stockham(home, other(), m, stride, stride, twiddles, -1.0);
  if (away) home = other();
}
