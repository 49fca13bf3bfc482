// LDLᵀ of a symmetric positive definite matrix in envelope (skyline) storage, row by row, without pivoting
// (A. George, J. Liu, Computer Solution of Large Sparse Positive Definite Systems, §4.3–4.4):
//
//   g_ij = a_ij − Σ_{k<j} g_ik l_jk,   l_ij = g_ij / d_j,   d_i = a_ii − Σ_j g_ij l_ij
//
// Row i holds columns first_i … i; after its factorisation l_ij, and d_i on the diagonal.

import { allocate } from "../kernel/frame";

let order: i32 = 0;
let firsts: usize = 0;
let rows: usize = 0;

@inline function firstOf(i: i32): i32 { return load<i32>(firsts + (<usize>i << 2)); }
/** Address of the (possibly imagined) entry (i, 0). */
@inline function rowOf(i: i32): usize { return <usize>load<u32>(rows + (<usize>i << 2)); }
@inline export function envelopeOrder(): i32 { return order; }

/** Begins a matrix of order n with nothing but its diagonal; then widen(), then closeEnvelope(). */
export function openEnvelope(n: i32): void {
  order = n;
  firsts = allocate(<usize>n << 2);
  rows = allocate(<usize>n << 2);
  for (let i = 0; i < n; i++) store<i32>(firsts + (<usize>i << 2), i);
}
/** Makes room for entry (i, j) and its mirror. */
export function widen(i: i32, j: i32): void {
  const row = max(i, j), column = min(i, j);
  if (column < firstOf(row)) store<i32>(firsts + (<usize>row << 2), column);
}
/** Number of entries in the envelope. */
export function envelopeEntries(): i64 {
  let count: i64 = 0;
  for (let i = 0; i < order; i++) count += <i64>(i - firstOf(i) + 1);
  return count;
}
export function closeEnvelope(): void {
  let at = allocate(<usize>envelopeEntries() << 3);
  for (let i = 0; i < order; i++) {
    store<u32>(rows + (<usize>i << 2), <u32>(at - (<usize>firstOf(i) << 3)));
    at += <usize>(i - firstOf(i) + 1) << 3;
  }
}
/** Adds to entry (i, j) of the lower triangle; the upper one is ignored. */
export function addEntry(i: i32, j: i32, value: f64): void {
  if (j > i) return;
  const to = rowOf(i) + (<usize>j << 3);
  store<f64>(to, load<f64>(to) + value);
}

/** Σ a_k b_k in two pairs of lanes; the order depends on the count alone. */
function product(a: usize, b: usize, n: i32): f64 {
  let s0 = f64x2.splat(0), s1 = s0;
  const whole = a + (<usize>(n & ~3) << 3);
  while (a < whole) {
    s0 = f64x2.add(s0, f64x2.mul(v128.load(a), v128.load(b)));
    s1 = f64x2.add(s1, f64x2.mul(v128.load(a, 16), v128.load(b, 16)));
    a += 32; b += 32;
  }
  s0 = f64x2.add(s0, s1);
  let sum = f64x2.extract_lane(s0, 0) + f64x2.extract_lane(s0, 1);
  for (let k = n & 3; k > 0; k--) { sum += load<f64>(a) * load<f64>(b); a += 8; b += 8; }
  return sum;
}

/** A pivot this small beside its diagonal entry is zero. */
const ZERO_PIVOT: f64 = 1e-12;

/** Factorises row i (all before it are done); false when its pivot is zero. */
export function factorRow(i: i32): bool {
  const row = rowOf(i), first = firstOf(i);
  const diagonal = row + (<usize>i << 3);
  const original = load<f64>(diagonal);
  for (let j = first; j < i; j++) {
    const from = max(first, firstOf(j));
    const to = row + (<usize>j << 3);
    store<f64>(to, load<f64>(to) - product(row + (<usize>from << 3), rowOf(j) + (<usize>from << 3), j - from));
  }
  let pivot = original;
  for (let j = first; j < i; j++) {
    const to = row + (<usize>j << 3);
    const g = load<f64>(to), l = g / load<f64>(rowOf(j) + (<usize>j << 3));
    store<f64>(to, l);
    pivot -= g * l;
  }
  store<f64>(diagonal, pivot);
  return pivot > ZERO_PIVOT * original;
}

/** x ← A⁻¹ x. */
export function solveEnvelope(x: usize): void {
  for (let i = 0; i < order; i++) {
    const first = firstOf(i), to = x + (<usize>i << 3);
    store<f64>(to, load<f64>(to) - product(rowOf(i) + (<usize>first << 3), x + (<usize>first << 3), i - first));
  }
  for (let i = 0; i < order; i++) {
    const to = x + (<usize>i << 3);
    store<f64>(to, load<f64>(to) / load<f64>(rowOf(i) + (<usize>i << 3)));
  }
  for (let i = order - 1; i > 0; i--) {
    const row = rowOf(i), value = load<f64>(x + (<usize>i << 3));
    for (let j = firstOf(i); j < i; j++) {
      const to = x + (<usize>j << 3);
      store<f64>(to, load<f64>(to) - load<f64>(row + (<usize>j << 3)) * value);
    }
  }
}

/** Work of factorising row i, and of one solve: multiply–adds. */
export function factorWork(i: i32): i64 {
  const width = <i64>(i - firstOf(i));
  return width * width / 2 + 8;
}
