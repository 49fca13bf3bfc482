// δ⁴ψ = f on the corners of a box between walls, without iterating: ψ = 0 on the walls, and its mirror image behind
// them, which is what ν∇²u makes of ψ where walls hold the fluid. Along y a sine transform, by one complex transform of the odd
// image, two columns a complex number; along x five diagonals for each mode. What walls at the bottom and the top add,
// 2ψ/dy⁴ in the rows beside them, is of rank 2 (nx − 1), and is taken back by a matrix of that size, which falls into the two
// parities of the modes (Bjørstad, SIAM J. Numer. Anal. 20 (1983) 59).

import { allocate } from "../kernel/frame";
import { bandAt, bandSolve, factorRows } from "../linear/banded";
import { layStockham, stockham, stockhamBytes, stripBytes } from "../math/stockham";
import { pinned } from "../grid/stencil";

let nx: i32 = 0, ny: i32 = 0, inner: i32 = 0;
let across: f64 = 0, along: f64 = 0;
let stride: usize = 0, home: usize = 0, rooms: usize = 0, twiddles: usize = 0;
/** 1/pivot and the two rows of L of each mode; factors of both parities, and right-hand sides of theirs. */
let pivots: usize = 0, first: usize = 0, second: usize = 0, odd: usize = 0, even: usize = 0, forOdd: usize = 0, forEven: usize = 0;

@inline function rowOf(table: usize, k: i32): usize { return table + <usize>k * stride; }
@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

export function layBiharmonic(columns: i32, rows: i32, dx: f64, dy: f64): void {
  nx = columns; ny = rows; inner = nx - 1;
  across = 1.0 / (dx * dx); along = 1.0 / (dy * dy);
  stride = <usize>((nx + 2) & ~1) << 3;
  const table = stride * <usize>(2 * ny), square = <usize>(inner * inner) << 3;
  home = allocate(max(table, square));
  rooms = allocate(stripBytes(2 * ny));
  twiddles = allocate(stockhamBytes(2 * ny));
  layStockham(twiddles, 2 * ny);
  pivots = allocate(stride * <usize>ny); first = allocate(stride * <usize>ny); second = allocate(stride * <usize>ny);
  odd = allocate(square); even = allocate(square);
  forOdd = allocate(stride); forEven = allocate(stride);
  for (let k = 1; k < ny; k++) factorMode(k);
  for (let k = 1; k < ny; k++) addInverse(k, (k & 1) == 1 ? odd : even);
  closeParity(odd);
  closeParity(even);
}

@inline function sine(k: i32): f64 { return Math.sin(Math.PI * <f64>k / <f64>ny); }

/** LDLᵀ of (δ_xx + λ_k)² with what the walls at the left and the right add. */
function factorMode(k: i32): void {
  const s = Math.sin(0.5 * Math.PI * <f64>k / <f64>ny), d = -2.0 * across - 4.0 * along * s * s, a = across;
  const p = rowOf(pivots, k), f = rowOf(first, k), g = rowOf(second, k);
  let d1 = 0.0, d2 = 0.0, l1 = 0.0;
  for (let i = 1; i <= inner; i++) {
    const isEnd = i == 1 || i == inner, m2 = i > 2 ? a * a / d2 : 0.0;
    const m1 = i > 1 ? (2.0 * a * d - m2 * d2 * l1) / d1 : 0.0;
    const pivot = d * d + (isEnd ? 3.0 : 2.0) * a * a - m1 * m1 * d1 - m2 * m2 * d2;
    put(f, i, m1); put(g, i, m2); put(p, i, 1.0 / pivot);
    d2 = d1; d1 = pivot; l1 = m1;
  }
}

// ---- what the walls at the bottom and the top add ----------------------------------------------------------------

/** To the rows of a triangle (4/ny) sin²(πk/ny) times the inverse of mode k. */
function addInverse(k: i32, to: usize): void {
  const f = rowOf(first, k), g = rowOf(second, k), p = rowOf(pivots, k), line = <usize>inner << 3;
  for (let i = 1; i <= inner; i++) {
    const row = home + <usize>(i - 1) * line;
    memory.fill(row, 0, line);
    put(row, i - 1, 1.0);
    if (i > 1) take(row, row - line, i > 2 ? row - 2 * line : row - line, at(f, i), i > 2 ? at(g, i) : 0.0, i - 1);
  }
  for (let i = 1; i <= inner; i++) multiply(home + <usize>(i - 1) * line, at(p, i), i);
  for (let i = inner - 1; i > 0; i--) {
    const row = home + <usize>(i - 1) * line, hasTwo = i + 2 <= inner;
    take(row, row + line, hasTwo ? row + 2 * line : row + line, at(f, i + 1), hasTwo ? at(g, i + 2) : 0.0, i);
  }
  const share = 4.0 / <f64>ny * sine(k) * sine(k);
  for (let i = 0; i < inner; i++) take(bandAt(to, inner - 1, i, 0), home + <usize>i * line, home + <usize>i * line, -share, 0.0, i + 1);
}

/** row −= l·a + m·b. */
function take(row: usize, a: usize, b: usize, l: f64, m: f64, count: i32): void {
  const x = pinned(l), y = pinned(m), bytes = <usize>count << 3;
  let k: usize = 0;
  for (; k + 16 <= bytes; k += 16) {
    const less = f64x2.add(f64x2.mul(x, v128.load(a + k)), f64x2.mul(y, v128.load(b + k)));
    v128.store(row + k, f64x2.sub(v128.load(row + k), less));
  }
  if (k < bytes) store<f64>(row + k, load<f64>(row + k) - (l * load<f64>(a + k) + m * load<f64>(b + k)));
}

function multiply(row: usize, by: f64, count: i32): void {
  for (let k = 0; k < count; k++) put(row, k, by * at(row, k));
}

function closeParity(matrix: usize): void {
  for (let i = 0; i < inner; i++) {
    const place = bandAt(matrix, inner - 1, i, i);
    store<f64>(place, load<f64>(place) + 0.5 / (along * along));
  }
  factorRows(matrix, inner - 1, 0, inner, 0.0);
}

// ---- transform ---------------------------------------------------------------------------------------------------

/** Rows 1 … ny − 1 to their sine transform, times `by`. */
function transform(by: f64): void {
  memory.fill(rowOf(home, 0), 0, stride);
  memory.fill(rowOf(home, ny), 0, stride);
  for (let j = 1; j < ny; j++) {
    const from = rowOf(home, j), to = rowOf(home, 2 * ny - j);
    for (let p: usize = 0; p < stride; p += 16) v128.store(to + p, f64x2.neg(v128.load(from + p)));
  }
  stockham(home, stride, rooms, 2 * ny, stride, twiddles, 1.0);
  // Of an odd image a + ib the transform is −2i times that of the sines.
  const turn = f64x2.replace_lane(f64x2.splat(0.5 * by), 0, -0.5 * by);
  for (let k = 1; k < ny; k++) {
    const row = rowOf(home, k);
    for (let p: usize = 0; p < stride; p += 16) {
      const z = v128.load(row + p);
      v128.store(row + p, f64x2.mul(turn, v128.shuffle<f64>(z, z, 1, 0)));
    }
  }
}

/** x ← (δ_xx + λ_k)⁻² x with the walls left and right, two modes side by side. */
function solveTwo(k: i32, next: i32): void {
  const x = rowOf(home, k), y = rowOf(home, next), f = rowOf(first, k), F = rowOf(first, next);
  const g = rowOf(second, k), G = rowOf(second, next), p = rowOf(pivots, k), P = rowOf(pivots, next);
  let a = 0.0, b = 0.0, A = 0.0, B = 0.0;
  const end = <usize>(inner + 1) << 3;
  for (let q: usize = 8; q < end; q += 8) {
    const c = load<f64>(x + q) - load<f64>(f + q) * a - load<f64>(g + q) * b, C = load<f64>(y + q) - load<f64>(F + q) * A - load<f64>(G + q) * B;
    b = a; a = c; B = A; A = C;
    store<f64>(x + q, c); store<f64>(y + q, C);
  }
  // Row i takes l₁ of row i + 1 and l₂ of row i + 2.
  a = 0.0; b = 0.0; A = 0.0; B = 0.0;
  let l = 0.0, L = 0.0, m = 0.0, M = 0.0, m1 = 0.0, M1 = 0.0;
  for (let q = end - 8; q >= 8; q -= 8) {
    const c = load<f64>(x + q) * load<f64>(p + q) - l * a - m * b, C = load<f64>(y + q) * load<f64>(P + q) - L * A - M * B;
    b = a; a = c; B = A; A = C;
    m = m1; M = M1;
    l = load<f64>(f + q); L = load<f64>(F + q); m1 = load<f64>(g + q); M1 = load<f64>(G + q);
    store<f64>(x + q, c); store<f64>(y + q, C);
  }
}

function solveModes(): void {
  let k = 1;
  for (; k + 1 < ny; k += 2) solveTwo(k, k + 1);
  if (k < ny) solveOne(k);
}

/** The last mode, where they are odd in number. */
function solveOne(k: i32): void {
  const x = rowOf(home, k), f = rowOf(first, k), g = rowOf(second, k), p = rowOf(pivots, k);
  put(x, 0, 0.0);
  for (let i = 2; i <= inner; i++) put(x, i, at(x, i) - at(f, i) * at(x, i - 1) - (i > 2 ? at(g, i) * at(x, i - 2) : 0.0));
  for (let i = inner; i > 0; i--) {
    let value = at(x, i) * at(p, i);
    if (i < inner) value -= at(f, i + 1) * at(x, i + 1);
    if (i + 2 <= inner) value -= at(g, i + 2) * at(x, i + 2);
    put(x, i, value);
  }
}

/** forParity += by · row of mode k, or row −= by · forParity. */
function gather(to: usize, row: usize, by: f64): void {
  for (let i = 1; i <= inner; i++) put(to, i, at(to, i) + by * at(row, i));
}

/** ψ ← δ⁻⁴ f, corners in rows of nx + 1; those on the walls become 0. */
export function solveBiharmonic(f: usize, psi: usize): void {
  const line = <usize>(nx + 1) << 3;
  for (let j = 1; j < ny; j++) memory.copy(rowOf(home, j), f + <usize>j * line, line);
  transform(1.0);
  const kept = psi, root = Math.sqrt(2.0);
  for (let k = 1; k < ny; k++) memory.copy(kept + <usize>k * line, rowOf(home, k), line);
  solveModes();
  memory.fill(forOdd, 0, stride); memory.fill(forEven, 0, stride);
  for (let k = 1; k < ny; k++) gather((k & 1) == 1 ? forOdd : forEven, rowOf(home, k), 2.0 * root / <f64>ny * sine(k));
  bandSolve(odd, inner, inner - 1, forOdd + 8);
  bandSolve(even, inner, inner - 1, forEven + 8);
  for (let k = 1; k < ny; k++) {
    memory.copy(rowOf(home, k), kept + <usize>k * line, line);
    gather(rowOf(home, k), (k & 1) == 1 ? forOdd : forEven, -root * sine(k));
  }
  solveModes();
  transform(2.0 / <f64>ny);
  memory.fill(psi, 0, line);
  memory.fill(psi + <usize>ny * line, 0, line);
  for (let j = 1; j < ny; j++) {
    memory.copy(psi + <usize>j * line, rowOf(home, j), line);
    store<f64>(psi + <usize>j * line, 0.0);
    store<f64>(psi + <usize>j * line + line - 8, 0.0);
  }
}
