// δ⁴ψ = f on the corners of a box between walls, without iterating: ψ = 0 on the walls, and its mirror image behind
// them, which is what ν∇²u makes of ψ where walls hold the fluid. Along y a sine transform, by one complex transform of the odd
// image, two columns a complex number, strip by strip; along x five diagonals for each mode. What walls at the bottom and the top add,
// 2ψ/dy⁴ in the rows beside them, is of rank 2 (nx − 1), and is taken back by a matrix of that size, which falls into the two
// parities of the modes (Bjørstad, SIAM J. Numer. Anal. 20 (1983) 59).

import { allocate } from "../kernel/frame";
import { SEATS, TEAM, each, seat } from "../kernel/team";
import { bandAt, bandAxpy, bandDot, factorRows } from "../linear/banded";
import { STRIP, layStockham, stockham, stockhamBytes, stripBytes } from "../math/stockham";
import { pinned } from "../grid/stencil";

let nx: i32 = 0, ny: i32 = 0, inner: i32 = 0;
let across: f64 = 0, along: f64 = 0;
/** Rows are those of the corners, 0 … ny. */
let stride: usize = 0, home: usize = 0, rooms: usize = 0, twiddles: usize = 0;
/** Of each pair of modes its factors, and where those of the last column that has its own stand. */
let pairs: usize = 0;
/** Factors of both parities, row behind row of a triangle, right-hand sides of theirs, and two rows for each thread. */
let odd: usize = 0, even: usize = 0, forOdd: usize = 0, forEven: usize = 0, taken: usize = 0;

@inline function rowOf(table: usize, k: i32): usize { return table + <usize>k * stride; }
/** Bytes of a row up to the last wall, in pairs. */
@inline function lineBytes(): usize { return (<usize>(nx + 1) & ~1) << 3; }
@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** What the start overwrites of `room`. */
export function biharmonicRoom(columns: i32): usize { return 3 * (<usize>((columns - 1) * (columns - 1)) << 3); }

export function layBiharmonic(columns: i32, rows: i32, dx: f64, dy: f64, room: usize): void {
  nx = columns; ny = rows; inner = nx - 1;
  across = 1.0 / (dx * dx); along = 1.0 / (dy * dy);
  stride = <usize>(nx + 1) << 3;
  const square = <usize>(inner * inner) << 3, triangle = <usize>(inner * (inner + 1)) << 2;
  rooms = allocate((TEAM ? SEATS : 1) * stripBytes(2 * ny));
  twiddles = allocate(stockhamBytes(2 * ny));
  layStockham(twiddles, 2 * ny);
  odd = allocate(triangle); even = allocate(triangle);
  forOdd = allocate(stride); forEven = allocate(stride);
  taken = allocate((TEAM ? SEATS : 1) * 2 * stride);
  pairs = allocate(<usize>ny << 3);
  for (let k = 1; k < ny; k += 2) factorPair(k);
  memory.fill(room, 0, 2 * square);
  for (let k = 1; k < ny; k++) addInverse(k, (k & 1) == 1 ? room : room + square, room + 2 * square);
  closeParity(room, odd);
  closeParity(room + square, even);
}

@inline function sine(k: i32): f64 { return Math.sin(Math.PI * <f64>k / <f64>ny); }

// ---- modes -------------------------------------------------------------------------------------------------------

/** Of two modes at a column: the two entries of L and 1/pivot. The first one is the last column's 1/pivot alone. */
const COLUMN: usize = 48;

@inline function factorsOf(k: i32): usize { return <usize>load<u32>(pairs + (<usize>((k - 1) >> 1) << 3)); }
@inline function ownOf(k: i32): i32 { return load<i32>(pairs + (<usize>((k - 1) >> 1) << 3), 4); }

/** Columns of the modes from k on that differ from those behind them by more than rounding: at σ = sin(πk/2ny) dx/dy the factors settle by e^(−4 asinh σ) a column. */
function ownColumns(k: i32): i32 {
  const x = 1.57 * <f64>k / <f64>ny, sigma = x * (1.0 - x * x / 6.0) * sqrt(along / across);
  return <i32>min(<f64>inner, ceil(10.0 + 10.0 / sigma) + 16.0);
}

function factorPair(k: i32): void {
  const own = ownColumns(k), from = allocate(COLUMN * <usize>(own + 1));
  store<u32>(pairs + (<usize>((k - 1) >> 1) << 3), <u32>from);
  store<i32>(pairs + (<usize>((k - 1) >> 1) << 3), own, 4);
  factorMode(k, from, own);
  if (k + 1 < ny) factorMode(k + 1, from + 8, own);
}

/** LDLᵀ of (δ_xx + λ_k)² with what the walls at the left and the right add. */
function factorMode(k: i32, to: usize, own: i32): void {
  const s = Math.sin(0.5 * Math.PI * <f64>k / <f64>ny), d = -2.0 * across - 4.0 * along * s * s, a = across;
  let d1 = 0.0, d2 = 0.0, l1 = 0.0;
  for (let i = 1; i <= inner; i++) {
    const isEnd = i == 1 || i == inner, m2 = i > 2 ? a * a / d2 : 0.0;
    const m1 = i > 1 ? (2.0 * a * d - m2 * d2 * l1) / d1 : 0.0;
    const pivot = d * d + (isEnd ? 3.0 : 2.0) * a * a - m1 * m1 * d1 - m2 * m2 * d2;
    if (i <= own) {
      const column = to + COLUMN * <usize>i;
      store<f64>(column, m1); store<f64>(column, m2, 16); store<f64>(column, 1.0 / pivot, 32);
    }
    if (i == inner) store<f64>(to, 1.0 / pivot, 32);
    d2 = d1; d1 = pivot; l1 = m1;
  }
}

/** Of mode k at column i: the address of its three factors; 1/pivot of the last column stands before all. */
@inline function factorAt(k: i32, i: i32): usize { return factorsOf(k) + COLUMN * <usize>min(i, ownOf(k)) + (<usize>((k - 1) & 1) << 3); }
@inline function inverseOf(k: i32, i: i32): f64 { return load<f64>(i == inner ? factorsOf(k) + (<usize>((k - 1) & 1) << 3) : factorAt(k, i), 32); }

// ---- what the walls at the bottom and the top add ----------------------------------------------------------------

/** To the rows of a triangle (4/ny) sin²(πk/ny) times the inverse of mode k, which is made in `room`. */
function addInverse(k: i32, to: usize, room: usize): void {
  const line = <usize>inner << 3;
  for (let i = 1; i <= inner; i++) {
    const row = room + <usize>(i - 1) * line, factor = factorAt(k, i);
    memory.fill(row, 0, line);
    put(row, i - 1, 1.0);
    if (i > 1) take(row, row - line, i > 2 ? row - 2 * line : row - line, load<f64>(factor), i > 2 ? load<f64>(factor, 16) : 0.0, i - 1);
  }
  for (let i = 1; i <= inner; i++) multiply(room + <usize>(i - 1) * line, inverseOf(k, i), i);
  for (let i = inner - 1; i > 0; i--) {
    const row = room + <usize>(i - 1) * line, hasTwo = i + 2 <= inner;
    take(row, row + line, hasTwo ? row + 2 * line : row + line, load<f64>(factorAt(k, i + 1)), hasTwo ? load<f64>(factorAt(k, i + 2), 16) : 0.0, i);
  }
  const share = 4.0 / <f64>ny * sine(k) * sine(k);
  for (let i = 0; i < inner; i++) take(bandAt(to, inner - 1, i, 0), room + <usize>i * line, room + <usize>i * line, -share, 0.0, i + 1);
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

/** Factors of a parity, from the square where it was made into a triangle. */
function closeParity(matrix: usize, to: usize): void {
  for (let i = 0; i < inner; i++) {
    const place = bandAt(matrix, inner - 1, i, i);
    store<f64>(place, load<f64>(place) + 0.5 / (along * along));
  }
  factorRows(matrix, inner - 1, 0, inner, 0.0);
  for (let i = 0; i < inner; i++) memory.copy(triangleRow(to, i), bandAt(matrix, inner - 1, i, 0), <usize>(i + 1) << 3);
}

@inline function triangleRow(triangle: usize, i: i32): usize { return triangle + (<usize>(i * (i + 1)) << 2); }

/** x ← A⁻¹x by the factors in a triangle. */
function solveTriangle(triangle: usize, x: usize): void {
  for (let i = 1; i < inner; i++) put(x, i, at(x, i) - bandDot(triangleRow(triangle, i), x, i));
  for (let i = 0; i < inner; i++) put(x, i, at(x, i) / at(triangleRow(triangle, i), i));
  for (let i = inner - 1; i > 0; i--) bandAxpy(-at(x, i), triangleRow(triangle, i), x, i);
}

// ---- transform ---------------------------------------------------------------------------------------------------

/** What the transform is multiplied by. */
let share: f64 = 0;

/** The odd image of a strip of columns in the rooms of this thread, and back. */
function transformStrip(strip: i32): void {
  const k = STRIP * <usize>strip, bytes = min(STRIP, lineBytes() - k), room = rooms + <usize>seat() * stripBytes(2 * ny);
  memory.fill(room, 0, bytes);
  memory.fill(room + STRIP * <usize>ny, 0, bytes);
  for (let j = 1; j < ny; j++) {
    const from = rowOf(home, j) + k, to = room + STRIP * <usize>j, image = room + STRIP * <usize>(2 * ny - j);
    for (let p: usize = 0; p < bytes; p += 16) {
      const pair = v128.load(from + p);
      v128.store(to + p, pair);
      v128.store(image + p, f64x2.neg(pair));
    }
  }
  stockham(room, STRIP, room, 2 * ny, bytes, twiddles, 1.0);
  // Of an odd image a + ib the transform is −2i times that of the sines.
  const turn = f64x2.replace_lane(f64x2.splat(0.5 * share), 0, -0.5 * share);
  for (let j = 1; j < ny; j++) {
    const from = room + STRIP * <usize>j, to = rowOf(home, j) + k;
    for (let p: usize = 0; p < bytes; p += 16) {
      const z = v128.load(from + p);
      v128.store(to + p, f64x2.mul(turn, v128.shuffle<f64>(z, z, 1, 0)));
    }
  }
}

/** Rows 1 … ny − 1 to their sine transform, times `by`; threads share the strips (../kernel/team.ts). */
function transform(by: f64): void {
  share = by;
  each(transformStrip, <i32>((lineBytes() + STRIP - 1) / STRIP));
}

/** x ← (δ_xx + λ_k)⁻² x with the walls left and right, two modes side by side; beside the last one alone the row that stays zero. */
function solveTwo(k: i32, x: usize, y: usize): void {
  const from = factorsOf(k);
  const end = <usize>(inner + 1) << 3, own = <usize>ownOf(k) << 3;
  let t = from + COLUMN, a = 0.0, b = 0.0, A = 0.0, B = 0.0;
  for (let q: usize = 8; q < end; q += 8) {
    const c = load<f64>(x + q) - load<f64>(t) * a - load<f64>(t, 16) * b, C = load<f64>(y + q) - load<f64>(t, 8) * A - load<f64>(t, 24) * B;
    b = a; a = c; B = A; A = C;
    store<f64>(x + q, c); store<f64>(y + q, C);
    if (q < own) t += COLUMN;
  }
  // Row i takes l₁ of row i + 1 and l₂ of row i + 2.
  a = 0.0; b = 0.0; A = 0.0; B = 0.0;
  let l = 0.0, L = 0.0, m = 0.0, M = 0.0, m1 = 0.0, M1 = 0.0, p = load<f64>(from, 32), P = load<f64>(from, 40);
  for (let q = end - 8; q >= 8; q -= 8) {
    const c = load<f64>(x + q) * p - l * a - m * b, C = load<f64>(y + q) * P - L * A - M * B;
    b = a; a = c; B = A; A = C;
    m = m1; M = M1;
    l = load<f64>(t); L = load<f64>(t, 8); m1 = load<f64>(t, 16); M1 = load<f64>(t, 24);
    store<f64>(x + q, c); store<f64>(y + q, C);
    if (q <= own) t -= COLUMN;
    p = load<f64>(t, 32); P = load<f64>(t, 40);
  }
}

/** Modes of a block, by pairs, which threads share. */
const BLOCK: i32 = 16;
@inline function modesOf(block: i32): i32 { return min(ny, 1 + BLOCK * (block + 1)); }

function solveModes(block: i32): void {
  for (let k = 1 + BLOCK * block; k < modesOf(block); k += 2) solveTwo(k, rowOf(home, k), rowOf(home, k + 1));
}

/** From each mode what the walls take, of which its parity's row is all but the factor. */
function takeWalls(block: i32): void {
  const x = taken + <usize>seat() * 2 * stride, y = x + stride;
  for (let k = 1 + BLOCK * block; k < modesOf(block); k += 2) {
    memory.copy(x, forOdd, stride);
    memory.copy(y, forEven, stride);
    solveTwo(k, x, y);
    add(rowOf(home, k), x, -Math.SQRT2 * sine(k));
    if (k + 1 < ny) add(rowOf(home, k + 1), y, -Math.SQRT2 * sine(k + 1));
  }
}

/** row += by · other. */
function add(row: usize, other: usize, by: f64): void {
  for (let i = 1; i <= inner; i++) put(row, i, at(row, i) + by * at(other, i));
}

/** ψ ← δ⁻⁴ ψ, corners in rows of nx + 1; those on the walls become 0. */
export function solveBiharmonic(psi: usize): void {
  const blocks = (ny - 1 + BLOCK - 1) / BLOCK;
  home = psi;
  memory.fill(psi + <usize>ny * stride, 0, stride);
  transform(1.0);
  each(solveModes, blocks);
  memory.fill(forOdd, 0, stride); memory.fill(forEven, 0, stride);
  for (let k = 1; k < ny; k++) add((k & 1) == 1 ? forOdd : forEven, rowOf(home, k), 2.0 * Math.SQRT2 / <f64>ny * sine(k));
  solveTriangle(odd, forOdd + 8);
  solveTriangle(even, forEven + 8);
  each(takeWalls, blocks);
  transform(2.0 / <f64>ny);
  memory.fill(psi, 0, stride);
  for (let j = 1; j < ny; j++) {
    store<f64>(rowOf(psi, j), 0.0);
    store<f64>(rowOf(psi, j) + stride - 8, 0.0);
  }
}
