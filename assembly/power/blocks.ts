// Sparse linear equations with 2 × 2 blocks, one per pair of neighbouring buses, by LU without exchanges in the order of
// least degree (Tinney & Walker, Proc. IEEE 55 (1967) 1801, scheme 2; ties: the lower index). The pattern is symmetric,
// so that fill follows from a graph, which is kept as rows of bits. Rows are eliminated one after another with a row of
// blocks laid open (Duff, Erisman & Reid, Direct Methods for Sparse Matrices, §5.6).

import { allocate } from "../kernel/frame";
import { neighbour, rowStart } from "./network";

let n: i32 = 0, words: i32 = 0;
/** order[k]: bus eliminated k-th; place[i]: when bus i is. */
let order: usize = 0, place: usize = 0, bits: usize = 0;
/** Row k holds its pattern by places: those before k (L), k itself, those behind it (U). */
let rowStarts: usize = 0, columns: usize = 0, blocks: usize = 0;
let open: usize = 0;
let operations: i64 = 0;

@inline function at32(base: usize, i: i32): i32 { return load<i32>(base + (<usize>i << 2)); }
@inline function put32(base: usize, i: i32, value: i32): void { store<i32>(base + (<usize>i << 2), value); }
@inline function bitRow(i: i32): usize { return bits + <usize>i * (<usize>words << 3); }
@inline function setBit(i: i32, k: i32): void {
  const at = bitRow(i) + (<usize>(k >> 6) << 3);
  store<u64>(at, load<u64>(at) | (<u64>1 << (k & 63)));
}
@inline function clearBit(i: i32, k: i32): void {
  const at = bitRow(i) + (<usize>(k >> 6) << 3);
  store<u64>(at, load<u64>(at) & ~(<u64>1 << (k & 63)));
}

/** Products of blocks in one factorisation. */
export function blockProducts(): i64 { return operations; }
/** Blocks in the factors. */
export function blockCount(): i32 { return at32(rowStarts, n); }

/** Orders n buses and lays out the factors; false where they need more than `most` products. */
export function layBlocks(count: i32, most: i64): bool {
  n = count;
  words = (n + 63) >> 6;
  order = allocate(<usize>n << 2);
  place = allocate(<usize>n << 2);
  bits = allocate(<usize>n * (<usize>words << 3));
  for (let i = 0; i < n; i++) for (let at = rowStart(i) + 1; at < rowStart(i + 1); at++) setBit(i, neighbour(at));
  const pattern = allocate(<usize>n * (<usize>words << 3));
  if (!eliminateGraph(pattern, most)) return false;
  layRows(pattern);
  open = allocate(<usize>n << 5);
  return true;
}

@inline function degree(i: i32): i32 {
  let sum = 0;
  const row = bitRow(i);
  for (let w: usize = 0; w < <usize>words << 3; w += 8) sum += <i32>popcnt(load<u64>(row + w));
  return sum;
}

/** Chooses the order; the later neighbours of each bus, when it goes, are its row of `pattern`. */
function eliminateGraph(pattern: usize, most: i64): bool {
  const degrees = allocate(<usize>n << 2), rowBytes = <usize>words << 3;
  for (let i = 0; i < n; i++) { put32(degrees, i, degree(i)); put32(place, i, -1); }
  operations = 0;
  for (let k = 0; k < n; k++) {
    let best = -1;
    for (let i = 0; i < n; i++) if (at32(place, i) < 0 && (best < 0 || at32(degrees, i) < at32(degrees, best))) best = i;
    put32(place, best, k);
    put32(order, k, best);
    const d = at32(degrees, best), row = bitRow(best);
    operations += <i64>d * d + 2 * d + 1;
    if (operations > most) return false;
    memory.copy(pattern + <usize>best * rowBytes, row, rowBytes);
    for (let i = 0; i < n; i++) {
      if (!(load<u64>(row + (<usize>(i >> 6) << 3)) >> (i & 63) & 1)) continue;
      const other = bitRow(i);
      for (let w: usize = 0; w < rowBytes; w += 8) store<u64>(other + w, load<u64>(other + w) | load<u64>(row + w));
      clearBit(i, i);
      clearBit(i, best);
      put32(degrees, i, degree(i));
    }
  }
  return true;
}

/** Rows by places: bus `b` of place k couples to the bus of place j > k in row k, and in row j to k. */
function layRows(pattern: usize): void {
  const rowBytes = <usize>words << 3, counts = allocate(<usize>n << 2);
  for (let k = 0; k < n; k++) {
    const row = pattern + <usize>at32(order, k) * rowBytes;
    for (let i = 0; i < n; i++) {
      if (!(load<u64>(row + (<usize>(i >> 6) << 3)) >> (i & 63) & 1)) continue;
      put32(counts, k, at32(counts, k) + 1);
      put32(counts, at32(place, i), at32(counts, at32(place, i)) + 1);
    }
  }
  rowStarts = allocate(<usize>(n + 1) << 2);
  for (let k = 0; k < n; k++) put32(rowStarts, k + 1, at32(rowStarts, k) + 1 + at32(counts, k));
  columns = allocate(<usize>blockCount() << 2);
  blocks = allocate(<usize>blockCount() << 5);
  for (let k = 0; k < n; k++) put32(counts, k, at32(rowStarts, k));
  // Row j gets its places in rising order when all are offered in rising order: first those before it, then itself, …
  for (let k = 0; k < n; k++) {
    const row = pattern + <usize>at32(order, k) * rowBytes;
    offer(counts, k, k);
    for (let i = 0; i < n; i++) {
      if (load<u64>(row + (<usize>(i >> 6) << 3)) >> (i & 63) & 1) offer(counts, at32(place, i), k);
    }
  }
  // … then those behind it, which row j's own L names: k < j is in row j, so j is in row k.
  for (let j = 0; j < n; j++) {
    for (let at = at32(rowStarts, j); at32(columns, at) < j; at++) offer(counts, at32(columns, at), j);
  }
}

@inline function offer(counts: usize, row: i32, column: i32): void {
  const at = at32(counts, row);
  put32(columns, at, column);
  put32(counts, row, at + 1);
}

// ---- numbers -------------------------------------------------------------------------------------------

/** Opens the row of bus `i`: its blocks are written at blockAt(k) and taken over by closeRow. */
export function openRow(i: i32): void {
  const k = at32(place, i);
  for (let at = at32(rowStarts, k); at < at32(rowStarts, k + 1); at++) memory.fill(open + (<usize>at32(columns, at) << 5), 0, 32);
}

/** The block (a b; c d) of the open row for bus k: a, b, c, d. */
@inline export function blockAt(k: i32): usize { return open + (<usize>at32(place, k) << 5); }

@inline function rowOf(i: i32): i32 { return at32(place, i); }
/** Bus of the k-th row: rows must be opened and closed in this order. */
@inline export function busOfRow(k: i32): i32 { return at32(order, k); }

/** Eliminates the open row of bus i; false where its pivot is singular. Its diagonal block is kept inverted. */
export function closeRow(i: i32): bool {
  const k = rowOf(i), end = at32(rowStarts, k + 1);
  let at = at32(rowStarts, k);
  for (; at32(columns, at) < k; at++) {
    const j = at32(columns, at);
    eliminate(j, diagonalOf(j));
  }
  const pivot = open + (<usize>k << 5), a = load<f64>(pivot), b = load<f64>(pivot, 8), c = load<f64>(pivot, 16), d = load<f64>(pivot, 24);
  const det = a * d - b * c;
  store<f64>(pivot, d / det); store<f64>(pivot, -b / det, 8); store<f64>(pivot, -c / det, 16); store<f64>(pivot, a / det, 24);
  for (at = at32(rowStarts, k); at < end; at++) {
    memory.copy(blocks + (<usize>at << 5), open + (<usize>at32(columns, at) << 5), 32);
  }
  return det != 0.0;
}

/** Place of the diagonal in row j. */
@inline function diagonalOf(j: i32): i32 {
  let at = at32(rowStarts, j);
  while (at32(columns, at) < j) at++;
  return at;
}

/** L = A D⁻¹ of the open row for column j, and what it takes from the columns behind. */
function eliminate(j: i32, diagonal: i32): void {
  const left = open + (<usize>j << 5), D = blocks + (<usize>diagonal << 5), end = at32(rowStarts, j + 1);
  const a = load<f64>(left), b = load<f64>(left, 8), c = load<f64>(left, 16), d = load<f64>(left, 24);
  const p = load<f64>(D), q = load<f64>(D, 8), r = load<f64>(D, 16), s = load<f64>(D, 24);
  const l11 = a * p + b * r, l12 = a * q + b * s, l21 = c * p + d * r, l22 = c * q + d * s;
  store<f64>(left, l11); store<f64>(left, l12, 8); store<f64>(left, l21, 16); store<f64>(left, l22, 24);
  for (let at = diagonal + 1; at < end; at++) {
    const U = blocks + (<usize>at << 5), to = open + (<usize>at32(columns, at) << 5);
    const u11 = load<f64>(U), u12 = load<f64>(U, 8), u21 = load<f64>(U, 16), u22 = load<f64>(U, 24);
    store<f64>(to, load<f64>(to) - (l11 * u11 + l12 * u21));
    store<f64>(to, load<f64>(to, 8) - (l11 * u12 + l12 * u22), 8);
    store<f64>(to, load<f64>(to, 16) - (l21 * u11 + l22 * u21), 16);
    store<f64>(to, load<f64>(to, 24) - (l21 * u12 + l22 * u22), 24);
  }
}

/** x ← A⁻¹x; two numbers of each bus, by bus. */
export function solveBlocks(x: usize): void {
  for (let k = 0; k < n; k++) {
    const to = x + (<usize>at32(order, k) << 4);
    for (let at = at32(rowStarts, k); at32(columns, at) < k; at++) subtract(x, to, at);
  }
  for (let k = n - 1; k >= 0; k--) {
    const to = x + (<usize>at32(order, k) << 4), diagonal = diagonalOf(k), end = at32(rowStarts, k + 1);
    for (let at = diagonal + 1; at < end; at++) subtract(x, to, at);
    const D = blocks + (<usize>diagonal << 5), p = load<f64>(to), q = load<f64>(to, 8);
    store<f64>(to, load<f64>(D) * p + load<f64>(D, 8) * q);
    store<f64>(to, load<f64>(D, 16) * p + load<f64>(D, 24) * q, 8);
  }
}

@inline function subtract(x: usize, to: usize, at: i32): void {
  const B = blocks + (<usize>at << 5), from = x + (<usize>at32(order, at32(columns, at)) << 4);
  const p = load<f64>(from), q = load<f64>(from, 8);
  store<f64>(to, load<f64>(to) - (load<f64>(B) * p + load<f64>(B, 8) * q));
  store<f64>(to, load<f64>(to, 8) - (load<f64>(B, 16) * p + load<f64>(B, 24) * q), 8);
}
