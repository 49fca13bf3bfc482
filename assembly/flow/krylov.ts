// A x = b by minimal residuals over Krylov's space, preconditioned from the right: the caller gives A M⁻¹ v for each v
// (Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856; modified Gram–Schmidt and Givens' rotations). The vectors
// are kept in 16 bits a number, whose rounding is far below what is left of b at the end, and all sums are in f64 (Aliaga,
// Anzt, Grützmacher, Quintana-Ortí & Tomás, Concurr. Comput. 35 (2023) e7871): 64 numbers, whole multiples of what stands
// before them in f64.

import { allocate } from "../kernel/frame";
import { pinned } from "../grid/stencil";

let most: i32 = 0, size: usize = 0, vectors: usize = 0, columns: usize = 0, cosines: usize = 0, sines: usize = 0, sides: usize = 0;
let taken: i32 = 0;

/** Bytes of a field that share a unit, and of what is kept of them. */
const BLOCK: usize = 512;
const KEPT: usize = 8 + BLOCK / 4;

@inline function keptBytes(bytes: usize): usize { return (bytes + BLOCK - 1) / BLOCK * KEPT; }
@inline function vector(k: i32): usize { return vectors + <usize>k * keptBytes(size); }
@inline function entry(row: i32, column: i32): usize { return columns + (<usize>(column * (most + 1) + row) << 3); }
@inline function at(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }
@inline function put(base: usize, k: i32, value: f64): void { store<f64>(base + (<usize>k << 3), value); }

/** Bytes of a field of n numbers: pairs, the last one zero. */
@inline export function fieldBytes(n: i32): usize { return <usize>((n + 1) & ~1) << 3; }
/** Bytes of the vectors for fields of n numbers. */
export function krylovBytes(n: i32, vectorsMost: i32): usize { return keptBytes(fieldBytes(n)) * <usize>(vectorsMost + 1); }

/** `room`: krylovBytes. */
export function layKrylov(n: i32, vectorsMost: i32, room: usize): void {
  most = vectorsMost; size = fieldBytes(n);
  vectors = room;
  columns = allocate(<usize>(most * (most + 1)) << 3);
  cosines = allocate(<usize>most << 3); sines = allocate(<usize>most << 3);
  sides = allocate(<usize>(most + 1) << 3);
}

function norm(w: usize): f64 {
  let s = f64x2.splat(0), t = s, k: usize = 0;
  for (; k + 32 <= size; k += 32) {
    const a = v128.load(w + k), b = v128.load(w + k, 16);
    s = f64x2.add(s, f64x2.mul(a, a));
    t = f64x2.add(t, f64x2.mul(b, b));
  }
  if (k < size) s = f64x2.add(s, f64x2.mul(v128.load(w + k), v128.load(w + k)));
  s = f64x2.add(s, t);
  return sqrt(f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1));
}

/** Two numbers in f64 of four in 16 bits, the first or the last. */
@inline function lower(four: v128): v128 { return f64x2.convert_low_i32x4_s(four); }
@inline function upper(four: v128): v128 { return f64x2.convert_low_i32x4_s(v128.shuffle<i32>(four, four, 2, 3, 2, 3)); }
@inline function four(at: usize): v128 { return v128.load16x4_s(at); }

/** Of a block of a vector and `bytes` of a field, in pairs. */
function dotOfBlock(v: usize, w: usize, bytes: usize): f64 {
  const unit = load<f64>(v), end = w + bytes, whole = w + (bytes & ~31);
  let s = f64x2.splat(0), t = s;
  v += 8;
  for (; w < whole; v += 8, w += 32) {
    const q = four(v);
    s = f64x2.add(s, f64x2.mul(lower(q), v128.load(w)));
    t = f64x2.add(t, f64x2.mul(upper(q), v128.load(w, 16)));
  }
  if (w < end) s = f64x2.add(s, f64x2.mul(lower(four(v)), v128.load(w)));
  s = f64x2.add(s, t);
  return unit * (f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1));
}

function addBlock(to: usize, v: usize, by: f64, bytes: usize): void {
  const b = pinned(by * load<f64>(v)), end = to + bytes, whole = to + (bytes & ~31);
  v += 8;
  for (; to < whole; v += 8, to += 32) {
    const q = four(v);
    v128.store(to, f64x2.add(v128.load(to), f64x2.mul(b, lower(q))));
    v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(b, upper(q))), 16);
  }
  if (to < end) v128.store(to, f64x2.add(v128.load(to), f64x2.mul(b, lower(four(v)))));
}

const MOST: f64 = 32767.0;
/** Multiples of the unit, by which the largest of them has all 16 bits. */
function keepBlock(v: usize, from: usize, by: f64, bytes: usize): void {
  const end = from + bytes;
  let largest = f64x2.splat(0);
  for (let k = from; k < end; k += 16) largest = f64x2.pmax(largest, f64x2.abs(v128.load(k)));
  const most = max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1)), isNothing = !(most > 0.0);
  store<f64>(v, isNothing ? 0.0 : most * by / MOST);
  const b = pinned(isNothing ? 0.0 : MOST / most);
  v += 8;
  for (; from < end; from += 16, v += 4) {
    const two = i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(f64x2.mul(b, v128.load(from))));
    v128.store32_lane(v, i16x8.narrow_i32x4_s(two, two), 0);
  }
}

/** Of a vector and a field. */
function dot(v: usize, w: usize): f64 {
  let sum = 0.0;
  for (let k: usize = 0; k < size; k += BLOCK, v += KEPT) sum += dotOfBlock(v, w + k, min(BLOCK, size - k));
  return sum;
}
function add(to: usize, v: usize, by: f64): void {
  for (let k: usize = 0; k < size; k += BLOCK, v += KEPT) addBlock(to + k, v, by, min(BLOCK, size - k));
}
function keep(v: usize, from: usize, by: f64): void {
  for (let k: usize = 0; k < size; k += BLOCK, v += KEPT) keepBlock(v, from + k, by, min(BLOCK, size - k));
}

/** b, from a field with room for pairs. */
export function beginKrylov(b: usize): void {
  const length = norm(b);
  taken = 0;
  memory.fill(sides, 0, <usize>(most + 1) << 3);
  put(sides, 0, length);
  keep(vector(0), b, length > 0.0 ? 1.0 / length : 0.0);
}

/** Lays down the v of which A M⁻¹ v is wanted. */
export function nextVector(to: usize): void {
  memory.fill(to, 0, size);
  add(to, vector(taken), 1.0);
}
export function krylovTaken(): i32 { return taken; }

/** A M⁻¹ v, which is overwritten; says how much of b is left. */
export function extendKrylov(w: usize): f64 {
  const k = taken;
  for (let j = 0; j <= k; j++) {
    const h = dot(vector(j), w);
    store<f64>(entry(j, k), h);
    add(w, vector(j), -h);
  }
  const rest = norm(w);
  keep(vector(k + 1), w, rest > 0.0 ? 1.0 / rest : 0.0);
  for (let j = 0; j < k; j++) {
    const a = load<f64>(entry(j, k)), b = load<f64>(entry(j + 1, k));
    store<f64>(entry(j, k), at(cosines, j) * a + at(sines, j) * b);
    store<f64>(entry(j + 1, k), at(cosines, j) * b - at(sines, j) * a);
  }
  const a = load<f64>(entry(k, k)), r = sqrt(a * a + rest * rest);
  put(cosines, k, r > 0.0 ? a / r : 1.0); put(sines, k, r > 0.0 ? rest / r : 0.0);
  store<f64>(entry(k, k), r);
  put(sides, k + 1, -at(sines, k) * at(sides, k));
  put(sides, k, at(cosines, k) * at(sides, k));
  taken = k + 1;
  return abs(at(sides, k + 1));
}

/** M x: the combination of vectors that leaves least. */
export function endKrylov(to: usize): void {
  for (let i = taken - 1; i >= 0; i--) {
    let value = at(sides, i);
    for (let j = i + 1; j < taken; j++) value -= load<f64>(entry(i, j)) * at(sides, j);
    put(sides, i, value / load<f64>(entry(i, i)));
  }
  memory.fill(to, 0, size);
  for (let i = 0; i < taken; i++) add(to, vector(i), at(sides, i));
}
