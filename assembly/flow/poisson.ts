// ∇²φ = f on nx × ny cells, values at their middles, without iterating: along y a cosine or Fourier transform that
// makes the matrix diagonal, along x one tridiagonal system for each mode (Hockney, J. ACM 12 (1965) 95; Swarztrauber,
// SIAM Rev. 19 (1977) 490). At a side, half a cell outside the last middle, one of
//
//   NATURAL   ∂φ/∂n = 0        ZERO   φ = 0        RING   joined to the opposite side
//
// Cosine transform by one complex transform of half the rows' number of columns: two columns of a row are one complex
// number, v_j = x_{2j}, v_{m−1−j} = x_{2j+1} (Makhoul, IEEE Trans. ASSP 28 (1980) 27). With V its transform,
//   X_k = cos θ_k Re V_k + sin θ_k Im V_k,   X_{m−k} = sin θ_k Re V_k − cos θ_k Im V_k,   θ_k = πk/2m;
// θ = 0 leaves the real Fourier transform. Between two ZERO sides sin(π(m−k)(j+½)/m) = (−1)^j cos(πk(j+½)/m): every other
// row changes its sign, and mode k is sine m − k. One ZERO side along y alone is an odd mirror image: twice the rows.
//
// All is done in the table that holds f. Modes k and m − k are two lanes of a vector, and four such vectors of a column
// stand side by side in a row of their own, so that one pointer serves eight tridiagonal systems and none waits for its
// own last operation. Modes 0 and m/2 are pairs whose other lane is 0.
//
// Between sides 1/pivot settles after so many columns that a mode takes, and only these are kept. On a ring, where
// T = −(1 − rS)(1 − rS⁻¹)/r, S the shift by a cell and r + 1/r = −T_ii, both factors are recurrences that begin
// with what goes round: a sum of powers of r, of as many columns as can be seen.
//
// Strips of columns, and then groups of modes, are shared between threads (../kernel/team.ts), each with rooms of its own.
//
// Where no side is ZERO, φ is known up to a constant, which makes the last cell of mode 0 zero.

import { allocate } from "../kernel/frame";
import { SEATS, TEAM, each, seat } from "../kernel/team";
import { STRIP, layStockham, stockham, stockhamBytes, stripBytes } from "../math/stockham";

export namespace Side {
  export const NATURAL: i32 = 0;
  export const ZERO: i32 = 1;
  export const RING: i32 = 2;
}

const SIGNS: usize = memory.data<f64>([1.0, -1.0], 16);
/** Bytes of eight modes at a column. */
const COLUMN: usize = 64;
/** Numbers in the groups of modes that are a block. */
const BLOCK: i32 = 8192;
/** What a power of r comes to that is not seen any more. */
const UNSEEN: f64 = 1e-18;

let nx: i32 = 0, ny: i32 = 0, m: i32 = 0;
let kindLeft: i32 = 0, kindRight: i32 = 0, kindBottom: i32 = 0, kindTop: i32 = 0;
let table: usize = 0, stride: usize = 0, rowBytes: usize = 0, rooms: usize = 0, modes: usize = 0, alone: usize = 0, groups: usize = 0;
/** Half of `scale` in both lanes, and with both signs. */
const halves = memory.data(32, 16);
let sign: f64 = 0, groupsOfBlock: i32 = 0;
let twiddles: usize = 0, angles: usize = 0, ratio: f64 = 0, scale: f64 = 0;
let isAlongRing: bool = false, isRing: bool = false, isMirrored: bool = false, isAlternating: bool = false;

@inline function rowOf(k: i32): usize { return table + <usize>k * stride; }

/** Rows that the transform along y takes. */
export function transformRows(n: i32, bottom: i32, top: i32): i32 {
  return (bottom == Side.ZERO) != (top == Side.ZERO) ? 2 * n : n;
}

/** `home`: table of transformRows rows, `apart` bytes apart, of whole pairs of columns, whose last ones are zero where nx is odd. */
export function layPoisson(columns: i32, rows: i32, dx: f64, dy: f64, left: i32, right: i32, bottom: i32, top: i32, home: usize, apart: usize): void {
  nx = columns; ny = rows; kindLeft = left; kindRight = right; kindBottom = bottom; kindTop = top;
  m = transformRows(ny, bottom, top);
  isMirrored = m != ny;
  isAlternating = bottom == Side.ZERO && top == Side.ZERO;
  isRing = bottom == Side.RING;
  isAlongRing = left == Side.RING;
  table = home; stride = apart;
  rowBytes = <usize>((nx + 1) & ~1) << 3;
  const threads: usize = TEAM ? SEATS : 1;
  rooms = allocate(threads * stripBytes(m));
  modes = allocate(threads * (rowBytes << 3));
  alone = allocate(rowBytes);
  groupsOfBlock = max(1, BLOCK / (8 * nx));
  twiddles = allocate(stockhamBytes(m));
  layStockham(twiddles, m);
  angles = allocate(<usize>(m + 1) << 4);
  ratio = dx * dx / (dy * dy);
  scale = dx * dx / <f64>m;
  v128.store(halves, f64x2.splat(0.5 * scale));
  v128.store(halves, f64x2.mul(f64x2.splat(0.5 * scale), v128.load(SIGNS)), 16);
  for (let k = 0; k <= m; k++) {
    const angle = isRing ? 0.0 : 0.5 * Math.PI * <f64>k / <f64>m;
    store<f64>(angles + (<usize>k << 4), Math.cos(angle));
    store<f64>(angles + (<usize>k << 4), Math.sin(angle), 8);
  }
  groups = allocate(<usize>((m >> 3) + 1) << 4);
  for (let first = 0; 2 * first <= m; first += 4) if (isAlongRing) layRings(first); else layPivots(first);
}

// ---- factors -------------------------------------------------------------------------------------------

/** Of four pairs: their factors, and of how many columns. */
@inline function groupOf(first: i32): usize { return groups + (<usize>first << 2); }
@inline function factorsOf(first: i32): usize { return <usize>load<u64>(groupOf(first)); }
@inline function countOf(first: i32): usize { return <usize>load<u64>(groupOf(first), 8); }
function layGroup(first: i32, factors: usize, count: i32): void {
  store<u64>(groupOf(first), <u64>factors);
  store<u64>(groupOf(first), <u64>count, 8);
}

/** The mode of a lane of four pairs; −1: none. */
function modeOf(first: i32, lane: i32): i32 {
  const k = first + (lane >> 1);
  return 2 * k > m ? -1 : (lane & 1) == 1 && k > 0 ? m - k : k;
}

/** −dx² times the eigenvalue of δ²/dy² of mode k. */
function stiffness(k: i32): f64 {
  const s = Math.sin((isRing ? 1.0 : 0.5) * Math.PI * <f64>(isAlternating ? m - k : k) / <f64>m);
  return 4.0 * ratio * s * s;
}

/** Mode 0 between sides without a value has a constant to choose; of an odd mirror image it holds rounding alone. */
@inline function isFree(first: i32): bool { return first == 0 && kindLeft != Side.ZERO && kindRight != Side.ZERO && !isAlternating; }

/** 1/pivot of one column after another, until it is the one before, and then of the last column. */
function layPivots(first: i32): void {
  let count = 0, before: usize = 0;
  for (let settled = false; count < nx - 1 && !settled; count++) {
    const column = allocate(COLUMN), isEnd = count == 0 && kindLeft != Side.RING;
    layColumn(first, column, before, isEnd ? kindLeft : Side.RING);
    settled = count > 1 && memory.compare(column, before, COLUMN) == 0;
    if (count == 0) layGroup(first, column, 0);
    before = column;
  }
  const last = allocate(COLUMN);
  layColumn(first, last, before, kindRight);
  if (isFree(first)) v128.store(last, f64x2.splat(0));
  layGroup(first, factorsOf(first), count);
}

function layColumn(first: i32, column: usize, before: usize, kind: i32): void {
  const end = kind == Side.NATURAL ? 1.0 : kind == Side.ZERO ? -1.0 : 0.0;
  for (let lane = 0; lane < 8; lane++) {
    const k = modeOf(first, lane), at = <usize>lane << 3;
    if (k >= 0) store<f64>(column + at, 1.0 / (-2.0 - stiffness(k) + end - (before ? load<f64>(before + at) : 0.0)));
  }
}

/** r and 1/(1 − rⁿ) of each mode. */
function layRings(first: i32): void {
  const rates = allocate(COLUMN), rounds = allocate(COLUMN);
  let most = 0;
  for (let lane = isFree(first) ? 2 : 0; lane < 8; lane++) {
    const k = modeOf(first, lane), at = <usize>lane << 3;
    if (k < 0) continue;
    const half = 0.5 * stiffness(k), r = 1.0 / (1.0 + half + sqrt(half * (2.0 + half)));
    let power = 1.0, seen = 0;
    for (let i = 0; i < nx; i++) { power *= r; if (power > UNSEEN) seen = i + 1; }
    store<f64>(rates + at, r);
    store<f64>(rounds + at, 1.0 / (1.0 - power));
    most = max(most, seen);
  }
  layGroup(first, rates, most);
}

// ---- eight systems side by side ------------------------------------------------------------------------

/** Between sides: pivots of the first columns, one for all between, and the last. */
function solveBetween(x: usize, pivots: usize, settled: usize): void {
  const last = x + COLUMN * <usize>(nx - 1), own = x + COLUMN * settled;
  let p = x, q = pivots, a = f64x2.splat(0), b = a, c = a, d = a;
  for (; p < own; p += COLUMN, q += COLUMN) {
    a = f64x2.mul(f64x2.sub(v128.load(p), a), v128.load(q));
    b = f64x2.mul(f64x2.sub(v128.load(p, 16), b), v128.load(q, 16));
    c = f64x2.mul(f64x2.sub(v128.load(p, 32), c), v128.load(q, 32));
    d = f64x2.mul(f64x2.sub(v128.load(p, 48), d), v128.load(q, 48));
    v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  }
  q -= COLUMN;
  const e = v128.load(q), f = v128.load(q, 16), g = v128.load(q, 32), h = v128.load(q, 48);
  for (; p < last; p += COLUMN) {
    a = f64x2.mul(f64x2.sub(v128.load(p), a), e);
    b = f64x2.mul(f64x2.sub(v128.load(p, 16), b), f);
    c = f64x2.mul(f64x2.sub(v128.load(p, 32), c), g);
    d = f64x2.mul(f64x2.sub(v128.load(p, 48), d), h);
    v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  }
  a = f64x2.mul(f64x2.sub(v128.load(p), a), v128.load(q, 64));
  b = f64x2.mul(f64x2.sub(v128.load(p, 16), b), v128.load(q, 80));
  c = f64x2.mul(f64x2.sub(v128.load(p, 32), c), v128.load(q, 96));
  d = f64x2.mul(f64x2.sub(v128.load(p, 48), d), v128.load(q, 112));
  v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  for (p -= COLUMN; p >= own; p -= COLUMN) {
    a = f64x2.sub(v128.load(p), f64x2.mul(e, a));
    b = f64x2.sub(v128.load(p, 16), f64x2.mul(f, b));
    c = f64x2.sub(v128.load(p, 32), f64x2.mul(g, c));
    d = f64x2.sub(v128.load(p, 48), f64x2.mul(h, d));
    v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  }
  for (; p >= x; p -= COLUMN, q -= COLUMN) {
    a = f64x2.sub(v128.load(p), f64x2.mul(v128.load(q), a));
    b = f64x2.sub(v128.load(p, 16), f64x2.mul(v128.load(q, 16), b));
    c = f64x2.sub(v128.load(p, 32), f64x2.mul(v128.load(q, 32), c));
    d = f64x2.sub(v128.load(p, 48), f64x2.mul(v128.load(q, 48), d));
    v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  }
}

/** On a ring: y_i = r (y_{i−1} − f_i), x_i = y_i + r x_{i+1}; what goes round is the sum over the columns that are seen. */
function solveRound(x: usize, rates: usize, seen: usize): void {
  const end = x + COLUMN * <usize>nx;
  const e = v128.load(rates), f = v128.load(rates, 16), g = v128.load(rates, 32), h = v128.load(rates, 48);
  let p = end - COLUMN * seen, a = f64x2.splat(0), b = a, c = a, d = a;
  for (; p < end; p += COLUMN) {
    a = f64x2.mul(f64x2.sub(a, v128.load(p)), e);
    b = f64x2.mul(f64x2.sub(b, v128.load(p, 16)), f);
    c = f64x2.mul(f64x2.sub(c, v128.load(p, 32)), g);
    d = f64x2.mul(f64x2.sub(d, v128.load(p, 48)), h);
  }
  a = f64x2.mul(a, v128.load(rates, 64)); b = f64x2.mul(b, v128.load(rates, 80));
  c = f64x2.mul(c, v128.load(rates, 96)); d = f64x2.mul(d, v128.load(rates, 112));
  for (p = x; p < end; p += COLUMN) {
    a = f64x2.mul(f64x2.sub(a, v128.load(p)), e);
    b = f64x2.mul(f64x2.sub(b, v128.load(p, 16)), f);
    c = f64x2.mul(f64x2.sub(c, v128.load(p, 32)), g);
    d = f64x2.mul(f64x2.sub(d, v128.load(p, 48)), h);
    v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  }
  a = f64x2.splat(0); b = a; c = a; d = a;
  for (p = x + COLUMN * seen - COLUMN; p >= x; p -= COLUMN) {
    a = f64x2.add(v128.load(p), f64x2.mul(e, a));
    b = f64x2.add(v128.load(p, 16), f64x2.mul(f, b));
    c = f64x2.add(v128.load(p, 32), f64x2.mul(g, c));
    d = f64x2.add(v128.load(p, 48), f64x2.mul(h, d));
  }
  a = f64x2.mul(a, v128.load(rates, 64)); b = f64x2.mul(b, v128.load(rates, 80));
  c = f64x2.mul(c, v128.load(rates, 96)); d = f64x2.mul(d, v128.load(rates, 112));
  for (p = end - COLUMN; p >= x; p -= COLUMN) {
    a = f64x2.add(v128.load(p), f64x2.mul(e, a));
    b = f64x2.add(v128.load(p, 16), f64x2.mul(f, b));
    c = f64x2.add(v128.load(p, 32), f64x2.mul(g, c));
    d = f64x2.add(v128.load(p, 48), f64x2.mul(h, d));
    v128.store(p, a); v128.store(p, b, 16); v128.store(p, c, 32); v128.store(p, d, 48);
  }
}

/** Mode 0 of a ring, whose last cell is 0, into `to`: between two such cells 1/pivot of column i is −(i + 1)/(i + 2). */
function solveFree(x: usize, to: usize): void {
  let d = 0.0, p = to;
  for (let i = 1; i < nx; i++, p += 8, x += COLUMN) {
    d = -<f64>i / <f64>(i + 1) * (load<f64>(x) - d);
    store<f64>(p, d);
  }
  store<f64>(p, 0.0);
  d = 0.0;
  for (let i = nx - 1; i > 0; i--) {
    p -= 8;
    d = load<f64>(p) + <f64>i / <f64>(i + 1) * d;
    store<f64>(p, d);
  }
}

function solveRings(first: i32, modes: usize): void {
  const free = isFree(first);
  if (free) solveFree(modes, alone);
  solveRound(modes, factorsOf(first), countOf(first));
  if (free) for (let i = 0; i < nx; i++) store<f64>(modes + COLUMN * <usize>i, load<f64>(alone + (<usize>i << 3)));
}

// ---- modes ---------------------------------------------------------------------------------------------

/** From the complex transform to the real modes of pair k, with dx²/m that the systems and the way back want. */
function toModes(k: i32, modes: usize): void {
  const a = rowOf(k), b = rowOf(k == 0 ? 0 : m - k), w = angles + (<usize>k << 4), end = a + rowBytes;
  const half = v128.load(halves), sign = v128.load(halves, 16), c = v128.load64_splat(w), s = v128.load64_splat(w, 8);
  for (let p = a, q = b, to = modes + (<usize>(k & 3) << 4); p < end; p += 16, q += 16, to += 2 * COLUMN) {
    const x = v128.load(p), y = v128.load(q), apart = f64x2.sub(x, y);
    const re = f64x2.mul(half, f64x2.add(x, y)), im = f64x2.mul(sign, v128.shuffle<f64>(apart, apart, 1, 0));
    const first = f64x2.add(f64x2.mul(c, re), f64x2.mul(s, im)), second = f64x2.sub(f64x2.mul(s, re), f64x2.mul(c, im));
    v128.store(to, v128.shuffle<f64>(first, second, 0, 2));
    v128.store(to, v128.shuffle<f64>(first, second, 1, 3), COLUMN);
  }
}

function fromModes(k: i32, modes: usize): void {
  const a = rowOf(k), b = rowOf(k == 0 ? 0 : m - k), w = angles + (<usize>k << 4), end = a + rowBytes;
  const c = v128.load64_splat(w), s = v128.load64_splat(w, 8), sign = v128.load(SIGNS);
  for (let p = a, q = b, from = modes + (<usize>(k & 3) << 4); p < end; p += 16, q += 16, from += 2 * COLUMN) {
    const even = v128.load(from), odd = v128.load(from, COLUMN);
    const x = v128.shuffle<f64>(even, odd, 0, 2), y = v128.shuffle<f64>(even, odd, 1, 3);
    const re = f64x2.add(f64x2.mul(c, x), f64x2.mul(s, y)), im = f64x2.sub(f64x2.mul(s, x), f64x2.mul(c, y));
    const turned = f64x2.mul(sign, v128.shuffle<f64>(im, im, 1, 0));
    v128.store(q, f64x2.add(re, turned));
    v128.store(p, f64x2.sub(re, turned));
  }
}

/** Some groups of four pairs, through the row of this thread. */
function solveGroups(block: i32): void {
  const row = modes + <usize>seat() * (rowBytes << 3);
  for (let first = 4 * groupsOfBlock * block; first < 4 * groupsOfBlock * (block + 1) && 2 * first <= m; first += 4) {
    const last = min(first + 3, m >> 1);
    for (let k = first; k <= last; k++) toModes(k, row);
    if (isAlongRing) solveRings(first, row); else solveBetween(row, factorsOf(first), countOf(first));
    for (let k = first; k <= last; k++) fromModes(k, row);
  }
}

function solveModes(): void {
  each(solveGroups, ((m >> 3) + groupsOfBlock) / groupsOfBlock);
}

function transformStrip(strip: i32): void {
  const k = STRIP * <usize>strip;
  stockham(table + k, stride, rooms + <usize>seat() * stripBytes(m), m, min(STRIP, rowBytes - k), twiddles, sign);
}

/** +1 forward, −1 back. */
function transform(way: f64): void {
  sign = way;
  each(transformStrip, <i32>((rowBytes + STRIP - 1) / STRIP));
}

/** Place of row j among the rows of the transform. */
@inline function placeAmong(j: i32): i32 {
  return isRing ? j : (j & 1) == 0 ? j >> 1 : m - 1 - (j >> 1);
}
/** Row 0 of φ among the rows of an odd mirror image. */
@inline function lowest(): i32 { return isMirrored && kindBottom == Side.ZERO ? ny : 0; }

/** Where row j of f goes; then, after solve(), where row j of φ stands. */
@inline export function poissonRow(j: i32): usize { return rowOf(placeAmong(j + lowest())); }

/** Puts the rows of φ in their order; says where the first one stands. */
export function putInOrder(): usize {
  for (let j = 0; j < m; j++) {
    let k = placeAmong(j);
    while (k < j) k = placeAmong(k);
    if (k > j) exchange(rowOf(j), rowOf(k));
  }
  return rowOf(lowest());
}
function exchange(a: usize, b: usize): void {
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const x = v128.load(a + k);
    v128.store(a + k, v128.load(b + k));
    v128.store(b + k, x);
  }
}

function negate(from: usize, to: usize): void {
  for (let p: usize = 0; p < rowBytes; p += 16) v128.store(to + p, f64x2.neg(v128.load(from + p)));
}

/** The odd mirror image of the rows, where one side along y is ZERO. */
function mirror(): void {
  for (let j = 0; j < ny; j++) negate(poissonRow(j), rowOf(placeAmong(lowest() > 0 ? ny - 1 - j : 2 * ny - 1 - j)));
}

/** (−1)^j, where both are. */
function alternate(): void {
  for (let j = 1; j < ny; j += 2) negate(poissonRow(j), poissonRow(j));
}

export function solvePoisson(): void {
  if (isMirrored) mirror();
  if (isAlternating) alternate();
  transform(1.0);
  solveModes();
  transform(-1.0);
  if (isAlternating) alternate();
}
