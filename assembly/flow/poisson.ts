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
// Modes k and m − k are two lanes of a vector, and four such vectors of a column stand side by side, so that one pointer
// serves eight tridiagonal systems and none waits for its own last operation. Modes 0 and m/2 are pairs whose other lane is 0.
//
// Where no side is ZERO, φ is known up to a constant, which makes the last cell of mode 0 zero.

import { allocate } from "../kernel/frame";
import { pinned } from "../grid/stencil";
import { endsAtHome, layStockham, stockham, stockhamBytes } from "../math/stockham";

export namespace Side {
  export const NATURAL: i32 = 0;
  export const ZERO: i32 = 1;
  export const RING: i32 = 2;
}

const SIGNS: usize = memory.data<f64>([1.0, -1.0], 16);

let nx: i32 = 0, ny: i32 = 0, m: i32 = 0;
let kindLeft: i32 = 0, kindRight: i32 = 0, kindBottom: i32 = 0, kindTop: i32 = 0;
let stride: usize = 0, one: usize = 0, two: usize = 0, home: usize = 0, twiddles: usize = 0, angles: usize = 0;
let pivots: usize = 0, rings: usize = 0, ratio: f64 = 0, scale: f64 = 0;
let isRing: bool = false, isMirrored: bool = false;

@inline function rowOf(table: usize, k: i32): usize { return table + <usize>k * stride; }

/** Bytes of eight modes at a column. */
const COLUMN: usize = 64;
/** Where pair k begins: four pairs take the bytes of eight rows. */
@inline function pairOf(table: usize, k: i32): usize { return rowOf(table, (k >> 2) << 3) + (<usize>(k & 3) << 4); }
@inline function pairedRows(): i32 { return ((m >> 1) + 4 & ~3) << 1; }

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
  one = allocate(stride * <usize>pairedRows());
  two = allocate(stride * <usize>pairedRows());
  home = one;
  twiddles = allocate(stockhamBytes(m));
  layStockham(twiddles, m);
  angles = allocate(<usize>(m + 1) << 4);
  pivots = allocate(stride * <usize>pairedRows());
  rings = left == Side.RING ? allocate(stride * <usize>pairedRows()) : 0;
  ratio = dx * dx / (dy * dy);
  scale = dx * dx / <f64>m;
  for (let k = 0; k <= m; k++) {
    const angle = isRing ? 0.0 : 0.5 * Math.PI * <f64>k / <f64>m;
    store<f64>(angles + (<usize>k << 4), Math.cos(angle));
    store<f64>(angles + (<usize>k << 4), Math.sin(angle), 8);
  }
  for (let k = 0; 2 * k <= m; k++) { factorMode(k, pairOf(0, k)); factorMode(k == 0 ? 0 : m - k, pairOf(8, k)); }
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

/** 1/pivot of every cell; on a ring the last cell is a border, with z of T z = e_0 + e_{n−2}. `at`: of its lane. */
function factorMode(k: i32, at: usize): void {
  const row = pivots + at, last = rings ? nx - 1 : nx;
  let inverse = 0.0;
  for (let i = 0; i < last; i++) {
    inverse = 1.0 / (diagonal(i, k) - inverse);
    store<f64>(row + COLUMN * <usize>i, inverse);
  }
  if (!rings) {
    if (k == 0 && isFree()) store<f64>(row + COLUMN * <usize>(nx - 1), 0.0);
    return;
  }
  const z = rings + at;
  for (let i = 0; i < last; i++) store<f64>(z + COLUMN * <usize>i, (i == 0 ? 1.0 : 0.0) + (i == last - 1 ? 1.0 : 0.0));
  solveLine(z, row, last);
  const border = load<f64>(z) + load<f64>(z + COLUMN * <usize>(last - 1)) - diagonal(nx - 1, k);
  store<f64>(row + COLUMN * <usize>last, k == 0 && isFree() ? 0.0 : 1.0 / border);
}

function solveLine(x: usize, inverse: usize, count: i32): void {
  const end = x + COLUMN * <usize>count, apart = inverse - x;
  let d = 0.0;
  for (let p = x; p < end; p += COLUMN) {
    d = (load<f64>(p) - d) * load<f64>(p + apart);
    store<f64>(p, d);
  }
  for (let p = end - 2 * COLUMN; p >= x; p -= COLUMN) {
    d = load<f64>(p) - load<f64>(p + apart) * d;
    store<f64>(p, d);
  }
}

/** Eight lines side by side. */
function solveEight(x: usize, inverse: usize, count: i32): void {
  const end = x + COLUMN * <usize>count;
  let p = x, q = inverse, a = f64x2.splat(0), b = a, c = a, d = a;
  for (; p < end; p += COLUMN, q += COLUMN) {
    a = f64x2.mul(f64x2.sub(v128.load(p), a), v128.load(q));
    b = f64x2.mul(f64x2.sub(v128.load(p, 16), b), v128.load(q, 16));
    c = f64x2.mul(f64x2.sub(v128.load(p, 32), c), v128.load(q, 32));
    d = f64x2.mul(f64x2.sub(v128.load(p, 48), d), v128.load(q, 48));
    v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  }
  for (p -= 2 * COLUMN, q -= 2 * COLUMN; p >= x; p -= COLUMN, q -= COLUMN) {
    a = f64x2.sub(v128.load(p), f64x2.mul(v128.load(q), a));
    b = f64x2.sub(v128.load(p, 16), f64x2.mul(v128.load(q, 16), b));
    c = f64x2.sub(v128.load(p, 32), f64x2.mul(v128.load(q, 32), c));
    d = f64x2.sub(v128.load(p, 48), f64x2.mul(v128.load(q, 48), d));
    v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  }
}

/** What pair k has to take `rings` from it times: its border, which stands in the last column then; without a ring 0. */
function closeRing(k: i32): v128 {
  if (!rings) return f64x2.splat(0);
  const last = COLUMN * <usize>(nx - 1), x = pairOf(other(), k), end = x + last, inverse = v128.load(pairOf(pivots, k) + last);
  const border = f64x2.mul(f64x2.sub(f64x2.add(v128.load(x), v128.load(end - COLUMN)), v128.load(end)), inverse);
  v128.store(end, border);
  return border;
}

/** From the complex transform to the real modes of pair k, with dx²/m that the systems and the way back want. */
function toModes(k: i32): void {
  const a = rowOf(home, k), b = rowOf(home, k == 0 ? 0 : m - k), w = angles + (<usize>k << 4), end = a + stride;
  const half = pinned(0.5 * scale), c = v128.load64_splat(w), s = v128.load64_splat(w, 8);
  const sign = f64x2.mul(half, v128.load(SIGNS));
  for (let p = a, q = b, to = pairOf(other(), k); p < end; p += 16, q += 16, to += 2 * COLUMN) {
    const x = v128.load(p), y = v128.load(q), apart = f64x2.sub(x, y);
    const re = f64x2.mul(half, f64x2.add(x, y)), im = f64x2.mul(sign, v128.shuffle<f64>(apart, apart, 1, 0));
    const first = f64x2.add(f64x2.mul(c, re), f64x2.mul(s, im)), second = f64x2.sub(f64x2.mul(s, re), f64x2.mul(c, im));
    v128.store(to, v128.shuffle<f64>(first, second, 0, 2));
    v128.store(to, v128.shuffle<f64>(first, second, 1, 3), COLUMN);
  }
}

function fromModes(k: i32): void {
  const a = rowOf(home, k), b = rowOf(home, k == 0 ? 0 : m - k), w = angles + (<usize>k << 4), end = a + stride;
  const c = v128.load64_splat(w), s = v128.load64_splat(w, 8), sign = v128.load(SIGNS), border = closeRing(k);
  for (let p = a, q = b, from = pairOf(other(), k), z = rings ? pairOf(rings, k) : from; p < end; p += 16, q += 16, from += 2 * COLUMN, z += 2 * COLUMN) {
    const even = f64x2.sub(v128.load(from), f64x2.mul(border, v128.load(z))), odd = f64x2.sub(v128.load(from, COLUMN), f64x2.mul(border, v128.load(z, COLUMN)));
    const x = v128.shuffle<f64>(even, odd, 0, 2), y = v128.shuffle<f64>(even, odd, 1, 3);
    const re = f64x2.add(f64x2.mul(c, x), f64x2.mul(s, y)), im = f64x2.sub(f64x2.mul(s, x), f64x2.mul(c, y));
    const turned = f64x2.mul(sign, v128.shuffle<f64>(im, im, 1, 0));
    v128.store(q, f64x2.add(re, turned));
    v128.store(p, f64x2.sub(re, turned));
  }
}

function solveModes(): void {
  const count = rings ? nx - 1 : nx;
  for (let first = 0; 2 * first <= m; first += 4) {
    const last = min(first + 3, m >> 1);
    for (let k = first; k <= last; k++) toModes(k);
    solveEight(pairOf(other(), first), pairOf(pivots, first), count);
    for (let k = first; k <= last; k++) fromModes(k);
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
  solveModes();
  stockham(home, other(), m, stride, stride, twiddles, -1.0);
  if (away) home = other();
}
