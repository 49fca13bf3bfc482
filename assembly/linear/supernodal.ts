// Symmetric sparse matrices by supernodes: LDLᵀ without row exchanges, its inertia, and solves (J. W. H. Liu, E. G. Ng,
// B. W. Peyton, SIAM J. Matrix Anal. 14 (1993) 242; Sylvester's law of inertia). The order of elimination, and which rows a
// supernode reaches, come from elsewhere (assembly/acoustics/dissection.ts).
//
// The panel of a supernode of s columns has its own s rows and then one for each node that it reaches, all of `wide`
// numbers, s or one more: below the diagonal l, on it d. Rows one after another make all inner loops dot products of
// neighbours. When a panel is factored its part of all later ones is taken from them at once, so that the panels are
// the whole state.

import { allocate } from "../kernel/frame";
import { firstOf, listOf, reachOf, sizeOf, supernodes } from "../acoustics/dissection";
import { bandAxpy, bandDot } from "./banded";

let owners: usize = 0, offsets: usize = 0, factors: usize = 0, places: usize = 0, values: usize = 0;
let panel: usize = 0, wide: i32 = 0;

@inline function wideOf(m: i32): i32 { return (sizeOf(m) + 1) & ~1; }
@inline function ownerOf(number: i32): i32 { return load<i32>(owners + (<usize>number << 2)); }
@inline function panelOf(m: i32): usize { return values + <usize>load<u64>(offsets + (<usize>m << 3)); }
@inline function listed(list: usize, k: i32): i32 { return load<i32>(list + (<usize>k << 2)); }
@inline function rowOf(k: i32): usize { return panel + ((<usize>k * <usize>wide) << 3); }

/** Lays out the tables for n nodes; the bytes of all panels. */
export function laySupernodes(n: i32): usize {
  owners = allocate(<usize>n << 2);
  offsets = allocate(<usize>supernodes << 3);
  let bytes: u64 = 0, most = 0, widest = 0;
  for (let m = 0; m < supernodes; m++) {
    for (let i = 0; i < sizeOf(m); i++) store<i32>(owners + (<usize>(firstOf(m) + i) << 2), m);
    store<u64>(offsets + (<usize>m << 3), bytes);
    bytes += <u64>(sizeOf(m) + reachOf(m)) * <u64>wideOf(m) << 3;
    most = max(most, reachOf(m) * wideOf(m));
    widest = max(widest, reachOf(m));
  }
  factors = allocate(<usize>most << 3);
  places = allocate(<usize>widest << 2);
  return <usize>bytes;
}

/** Where the panels are. */
export function setPanels(at: usize): void { values = at; }

/** The row of node p in the panel of m. */
function rowIn(m: i32, p: i32): i32 {
  const own = p - firstOf(m);
  if (own < sizeOf(m)) return own;
  const list = listOf(m);
  let low = 0, high = reachOf(m);
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (listed(list, middle) <= p) low = middle; else high = middle;
  }
  return sizeOf(m) + low;
}

/** a_pq += value, q ≤ p. */
export function addEntry(p: i32, q: i32, value: f64): void {
  const m = ownerOf(q), at = panelOf(m) + (<usize>(rowIn(m, p) * wideOf(m) + q - firstOf(m)) << 3);
  store<f64>(at, load<f64>(at) + value);
}

/** Work units of factorSupernode(m): products, what is taken from other panels, and calls. */
export function supernodeUnits(m: i32): u64 {
  const s = <u64>sizeOf(m), r = <u64>reachOf(m);
  return (s * s * s / 3 + s * s * r + s * r * r) / 2 + r * r + 20 * (s + r) + 200;
}

/** Of all supernodes: numbers in panels, which a solve goes through twice. */
export function panelNumbers(): u64 {
  let count: u64 = 0;
  for (let m = 0; m < supernodes; m++) count += <u64>(sizeOf(m) + reachOf(m)) * <u64>wideOf(m);
  return count;
}

// ---- factors -------------------------------------------------------------------------------------------

/**
 * Factors the panel of m, all before it being done. A pivot below `tiny` becomes −tiny. Returns how many pivots are
 * negative; over all supernodes that is the number of negative eigenvalues.
 */
export function factorSupernode(m: i32, tiny: f64): i32 {
  const size = sizeOf(m), reach = reachOf(m);
  panel = panelOf(m);
  wide = wideOf(m);
  const negative = factorDiagonal(size, tiny);
  for (let k = 0; k < reach; k++) reduceRow(rowOf(size + k), size);
  for (let k = 0; k < reach; k++) scaleRow(rowOf(size + k), factors + ((<usize>k * <usize>wide) << 3), size);
  takeFromOthers(m, size, reach);
  memory.copy(rowOf(size), factors, (<usize>reach * <usize>wide) << 3);
  return negative;
}

function factorDiagonal(size: i32, tiny: f64): i32 {
  let negative = 0;
  for (let i = 0; i < size; i++) {
    const row = rowOf(i);
    reduceRow(row, i);
    let d = load<f64>(row + (<usize>i << 3));
    for (let j = 0; j < i; j++) {
      const at = row + (<usize>j << 3), u = load<f64>(at), l = u / load<f64>(rowOf(j) + (<usize>j << 3));
      d -= u * l;
      store<f64>(at, l);
    }
    if (abs(d) < tiny) d = -tiny;
    if (d < 0.0) negative++;
    store<f64>(row + (<usize>i << 3), d);
  }
  return negative;
}

/** u_j = a_j − Σ_k<j u_k l_jk for j < count. */
function reduceRow(row: usize, count: i32): void {
  for (let j = 1; j < count; j++) {
    const at = row + (<usize>j << 3);
    store<f64>(at, load<f64>(at) - bandDot(row, rowOf(j), j));
  }
}

/** l_j = u_j/d_j. */
function scaleRow(row: usize, to: usize, count: i32): void {
  for (let j = 0; j < count; j++) {
    const at = <usize>j << 3;
    store<f64>(to + at, load<f64>(row + at) / load<f64>(rowOf(j) + at));
  }
  if (count & 1) store<f64>(to + (<usize>count << 3), 0.0);
}

/** a_pq −= Σ u_pk l_qk for all p ≥ q that m reaches. */
function takeFromOthers(m: i32, size: i32, reach: i32): void {
  const list = listOf(m);
  for (let q = 0; q < reach;) {
    const owner = ownerOf(listed(list, q)), end = firstOf(owner) + sizeOf(owner);
    let last = q;
    while (last < reach && listed(list, last) < end) last++;
    findPlaces(owner, list, q, reach);
    takeColumns(panelOf(owner), wideOf(owner), firstOf(owner), list, q, last, reach, size);
    q = last;
  }
}

/** Byte offset in the panel of `owner` of the rows of listed nodes from `from` on. */
function findPlaces(owner: i32, list: usize, from: i32, reach: i32): void {
  const first = firstOf(owner), size = sizeOf(owner), other = listOf(owner), bytes = wideOf(owner) << 3;
  let k = 0;
  for (let p = from; p < reach; p++) {
    const number = listed(list, p);
    let row = number - first;
    if (row >= size) {
      while (listed(other, k) < number) k++;
      row = size + k;
    }
    store<i32>(places + (<usize>p << 2), row * bytes);
  }
}

/** Columns q0 ≤ q < q1 of the list, two of them with two rows at a time. */
function takeColumns(to: usize, toWide: i32, first: i32, list: usize, q0: i32, q1: i32, reach: i32, size: i32): void {
  const stride = <usize>wide << 3, base = rowOf(size);
  let q = q0;
  for (; q + 1 < q1; q += 2) {
    const left = to + (<usize>(listed(list, q) - first) << 3), right = to + (<usize>(listed(list, q + 1) - first) << 3);
    const l = factors + <usize>q * stride;
    let p = q;
    for (; p + 1 < reach; p += 2) takePair(base + <usize>p * stride, stride, l, listed(places, p), listed(places, p + 1), left, right, p == q);
    if (p < reach) {
      takeOne(base + <usize>p * stride, l, left + <usize>listed(places, p));
      takeOne(base + <usize>p * stride, l + stride, right + <usize>listed(places, p));
    }
  }
  if (q == q1) return;
  const column = to + (<usize>(listed(list, q) - first) << 3);
  for (let p = q; p < reach; p++) takeOne(base + <usize>p * stride, factors + <usize>q * stride, column + <usize>listed(places, p));
}

function takeOne(u: usize, l: usize, at: usize): void {
  store<f64>(at, load<f64>(at) - bandDot(u, l, wide));
}

@inline function total(x: v128): f64 { return f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1); }

/** Rows u, u + stride with l, l + stride; on the diagonal the entry above it is left out. */
function takePair(u: usize, stride: usize, l: usize, upper: i32, lower: i32, left: usize, right: usize, diagonal: bool): void {
  let s00 = f64x2.splat(0), s01 = s00, s10 = s00, s11 = s00;
  for (const end = u + stride; u < end; u += 16, l += 16) {
    const a = v128.load(u), b = v128.load(u + stride), c = v128.load(l), d = v128.load(l + stride);
    s00 = f64x2.add(s00, f64x2.mul(a, c));
    s01 = f64x2.add(s01, f64x2.mul(a, d));
    s10 = f64x2.add(s10, f64x2.mul(b, c));
    s11 = f64x2.add(s11, f64x2.mul(b, d));
  }
  const x = left + <usize>upper, y = left + <usize>lower, z = right + <usize>lower;
  store<f64>(x, load<f64>(x) - total(s00));
  store<f64>(y, load<f64>(y) - total(s10));
  store<f64>(z, load<f64>(z) - total(s11));
  if (diagonal) return;
  const w = right + <usize>upper;
  store<f64>(w, load<f64>(w) - total(s01));
}

// ---- solves --------------------------------------------------------------------------------------------

/** x ← A⁻¹x by the factors of all supernodes. */
export function supernodalSolve(x: usize): void {
  for (let m = 0; m < supernodes; m++) forward(m, x);
  for (let m = supernodes - 1; m >= 0; m--) backward(m, x);
}

function forward(m: i32, x: usize): void {
  const size = sizeOf(m), reach = reachOf(m), own = x + (<usize>firstOf(m) << 3), list = listOf(m);
  panel = panelOf(m);
  wide = wideOf(m);
  for (let i = 1; i < size; i++) {
    const at = own + (<usize>i << 3);
    store<f64>(at, load<f64>(at) - bandDot(rowOf(i), own, i));
  }
  for (let k = 0; k < reach; k++) {
    const at = x + (<usize>listed(list, k) << 3);
    store<f64>(at, load<f64>(at) - bandDot(rowOf(size + k), own, size));
  }
}

function backward(m: i32, x: usize): void {
  const size = sizeOf(m), reach = reachOf(m), own = x + (<usize>firstOf(m) << 3), list = listOf(m);
  panel = panelOf(m);
  wide = wideOf(m);
  for (let i = 0; i < size; i++) {
    const at = own + (<usize>i << 3);
    store<f64>(at, load<f64>(at) / load<f64>(rowOf(i) + (<usize>i << 3)));
  }
  for (let k = 0; k < reach; k++) bandAxpy(-load<f64>(x + (<usize>listed(list, k) << 3)), rowOf(size + k), own, size);
  for (let i = size - 1; i > 0; i--) bandAxpy(-load<f64>(own + (<usize>i << 3)), rowOf(i), own, i);
}
