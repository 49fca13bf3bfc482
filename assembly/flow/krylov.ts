// A x = b by minimal residuals over Krylov's space, preconditioned from the right: the caller gives A M⁻¹ v for each v
// (Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856; modified Gram–Schmidt and Givens' rotations). The vectors
// are kept in f32, whose rounding is far below what is left of b at the end, and all sums are in f64 (Aliaga, Anzt,
// Grützmacher, Quintana-Ortí & Tomás, Concurr. Comput. 35 (2023) e7871).

import { allocate } from "../kernel/frame";
import { pinned } from "../grid/stencil";

let most: i32 = 0, size: usize = 0, vectors: usize = 0, columns: usize = 0, cosines: usize = 0, sines: usize = 0, sides: usize = 0;
let taken: i32 = 0;

@inline function vector(k: i32): usize { return vectors + <usize>k * (size >> 1); }
@inline function entry(row: i32, column: i32): usize { return columns + (<usize>(column * (most + 1) + row) << 3); }
@inline function at(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }
@inline function put(base: usize, k: i32, value: f64): void { store<f64>(base + (<usize>k << 3), value); }

/** Bytes of a field of n numbers: pairs, the last one zero. */
@inline export function fieldBytes(n: i32): usize { return <usize>((n + 1) & ~1) << 3; }
/** Bytes of the vectors for fields of n numbers. */
export function krylovBytes(n: i32, vectorsMost: i32): usize { return (fieldBytes(n) >> 1) * <usize>(vectorsMost + 1); }

/** `room`: krylovBytes. */
export function layKrylov(n: i32, vectorsMost: i32, room: usize): void {
  most = vectorsMost; size = fieldBytes(n);
  vectors = room;
  columns = allocate(<usize>(most * (most + 1)) << 3);
  cosines = allocate(<usize>most << 3); sines = allocate(<usize>most << 3);
  sides = allocate(<usize>(most + 1) << 3);
}

/** The pair that stands at `at` in f32. */
@inline function pair(at: usize): v128 { return f64x2.promote_low_f32x4(v128.load64_zero(at)); }

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

/** Of a vector and a field. */
function dot(v: usize, w: usize): f64 {
  let s = f64x2.splat(0), t = s;
  const end = w + size, whole = w + (size & ~31);
  for (; w < whole; v += 16, w += 32) {
    s = f64x2.add(s, f64x2.mul(pair(v), v128.load(w)));
    t = f64x2.add(t, f64x2.mul(pair(v + 8), v128.load(w, 16)));
  }
  if (w < end) s = f64x2.add(s, f64x2.mul(pair(v), v128.load(w)));
  s = f64x2.add(s, t);
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}

function add(to: usize, v: usize, by: f64): void {
  const b = pinned(by);
  for (const end = to + size; to < end; to += 16, v += 8) v128.store(to, f64x2.add(v128.load(to), f64x2.mul(b, pair(v))));
}

function keep(v: usize, from: usize, by: f64): void {
  const b = pinned(by);
  for (const end = from + size; from < end; from += 16, v += 8) {
    v128.store64_lane(v, f32x4.demote_f64x2_zero(f64x2.mul(b, v128.load(from))), 0);
  }
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
  for (let v = vector(taken), end = to + size; to < end; to += 16, v += 8) v128.store(to, pair(v));
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
