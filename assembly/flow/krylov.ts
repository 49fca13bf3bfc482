// A x = b by minimal residuals over Krylov's space, preconditioned from the right: the caller gives A M⁻¹ v for each v
// (Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856; modified Gram–Schmidt and Givens' rotations).

import { allocate } from "../kernel/frame";
import { pinned } from "../grid/stencil";

let most: i32 = 0, size: usize = 0, vectors: usize = 0, columns: usize = 0, cosines: usize = 0, sines: usize = 0, sides: usize = 0;
let taken: i32 = 0;

@inline function vector(k: i32): usize { return vectors + <usize>k * size; }
@inline function entry(row: i32, column: i32): usize { return columns + (<usize>(column * (most + 1) + row) << 3); }
@inline function at(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }
@inline function put(base: usize, k: i32, value: f64): void { store<f64>(base + (<usize>k << 3), value); }

/** Bytes of a vector of n numbers: pairs, the last one zero. */
@inline export function krylovBytes(n: i32): usize { return <usize>((n + 1) & ~1) << 3; }

export function layKrylov(n: i32, vectorsMost: i32): void {
  most = vectorsMost; size = krylovBytes(n);
  vectors = allocate(size * <usize>(most + 1));
  columns = allocate(<usize>(most * (most + 1)) << 3);
  cosines = allocate(<usize>most << 3); sines = allocate(<usize>most << 3);
  sides = allocate(<usize>(most + 1) << 3);
}

function dot(a: usize, b: usize): f64 {
  let s = f64x2.splat(0), t = s, k: usize = 0;
  for (; k + 32 <= size; k += 32) {
    s = f64x2.add(s, f64x2.mul(v128.load(a + k), v128.load(b + k)));
    t = f64x2.add(t, f64x2.mul(v128.load(a + k, 16), v128.load(b + k, 16)));
  }
  if (k < size) s = f64x2.add(s, f64x2.mul(v128.load(a + k), v128.load(b + k)));
  s = f64x2.add(s, t);
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}

function add(to: usize, from: usize, by: f64): void {
  const b = pinned(by);
  for (let k: usize = 0; k < size; k += 16) v128.store(to + k, f64x2.add(v128.load(to + k), f64x2.mul(b, v128.load(from + k))));
}

function keep(to: usize, from: usize, by: f64): void {
  const b = pinned(by);
  for (let k: usize = 0; k < size; k += 16) v128.store(to + k, f64x2.mul(b, v128.load(from + k)));
}

/** b, from a field with room for pairs. */
export function beginKrylov(b: usize): void {
  const norm = sqrt(dot(b, b));
  taken = 0;
  memory.fill(sides, 0, <usize>(most + 1) << 3);
  put(sides, 0, norm);
  keep(vector(0), b, norm > 0.0 ? 1.0 / norm : 0.0);
}

/** The v of which A M⁻¹ v is wanted. */
export function krylovVector(): usize { return vector(taken); }
export function krylovTaken(): i32 { return taken; }

/** A M⁻¹ v, which is overwritten; says how much of b is left. */
export function extendKrylov(w: usize): f64 {
  const k = taken;
  for (let j = 0; j <= k; j++) {
    const h = dot(vector(j), w);
    store<f64>(entry(j, k), h);
    add(w, vector(j), -h);
  }
  const norm = sqrt(dot(w, w));
  keep(vector(k + 1), w, norm > 0.0 ? 1.0 / norm : 0.0);
  for (let j = 0; j < k; j++) {
    const a = load<f64>(entry(j, k)), b = load<f64>(entry(j + 1, k));
    store<f64>(entry(j, k), at(cosines, j) * a + at(sines, j) * b);
    store<f64>(entry(j + 1, k), at(cosines, j) * b - at(sines, j) * a);
  }
  const a = load<f64>(entry(k, k)), r = sqrt(a * a + norm * norm);
  put(cosines, k, r > 0.0 ? a / r : 1.0); put(sines, k, r > 0.0 ? norm / r : 0.0);
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
