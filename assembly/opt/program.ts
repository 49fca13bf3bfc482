// A linear or quadratic programme as its kernels get it: min ½xᵀHx + cᵀx, Ax ≤ b, Ex = d, l ≤ x ≤ u.
//
// Parameters (f64): 0 variables n · 8 rows m of A and E together · 16 rows of A · 24 pivots or changes allowed
//   32 1: H stands behind · 40, 48, 56 of the kernel · 64 c (n) · l (n) · u (n), ±∞ where there is none · b, d (m)
//   of A over E, column by column, what is not 0: where each column begins (n + 1, i32) · rows (i32) · entries · H (n × n)
// Whole numbers of 32 bits take a multiple of 8 bytes.

import { allocate, parameterF64, parameters } from "../kernel/frame";

export const HEAD: usize = 64;

export let n: i32 = 0, m: i32 = 0, mA: i32 = 0;
export let allowed: u64 = 0;
export let hasH: bool = false;
export let costs: usize = 0, lowers: usize = 0, uppers: usize = 0, sides: usize = 0, hessian: usize = 0;
/** Of A over E. */
let starts: usize = 0, rows: usize = 0, entries: usize = 0;
let columns: usize = 0;
/** Address of what stands behind the programme. */
export let behind: usize = 0;

@inline export function at(array: usize, i: i32): f64 { return load<f64>(array + (<usize>i << 3)); }
@inline export function put(array: usize, i: i32, value: f64): void { store<f64>(array + (<usize>i << 3), value); }
/** Place of the first entry of column j; of column n the number of entries. */
@inline export function startOf(j: i32): i32 { return load<i32>(starts + (<usize>j << 2)); }
@inline export function rowOfEntry(k: i32): i32 { return load<i32>(rows + (<usize>k << 2)); }
@inline export function entryAt(k: i32): f64 { return at(entries, k); }
@inline function paddedInts(count: i32): usize { return <usize>((count + 1) & ~1) << 2; }

/** Column j of A over E in full, behind layColumns. */
@inline export function column(j: i32): usize { return columns + (<usize>(j * m) << 3); }
export function layColumns(): void {
  columns = allocate(<usize>(n * m) << 3);
  for (let j = 0; j < n; j++) layColumn(j, column(j));
}
/** Column j in full, where there are zeros. */
export function layColumn(j: i32, to: usize): void {
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) put(to, rowOfEntry(k), entryAt(k));
}

export function readProgram(): void {
  n = <i32>parameterF64(0);
  m = <i32>parameterF64(8);
  mA = <i32>parameterF64(16);
  allowed = <u64>parameterF64(24);
  hasH = parameterF64(32) == 1.0;
  const row = <usize>n << 3;
  costs = parameters() + HEAD;
  lowers = costs + row;
  uppers = lowers + row;
  sides = uppers + row;
  starts = sides + (<usize>m << 3);
  rows = starts + paddedInts(n + 1);
  entries = rows + paddedInts(startOf(n));
  hessian = entries + (<usize>startOf(n) << 3);
  behind = hessian + (hasH ? row * <usize>n : 0);
}

// ---- scaling -------------------------------------------------------------------------------------------

/** The power of two next below 1/x; 1 for 0. Multiplying by it rounds nothing. */
function scaleOf(x: f64): f64 {
  if (x == 0.0) return 1.0;
  const exponent = <i64>((reinterpret<u64>(x) >> 52) & 0x7ff) - 1023;
  return reinterpret<f64>(<u64>(1023 - max<i64>(-1000, min<i64>(1000, exponent))) << 52);
}

/** What x is multiplied by, and the costs: programmes of small numbers are solved to the digits of large ones. */
export let extent: f64 = 1, price: f64 = 1;

function largest(array: usize, count: i32): f64 {
  let most = 0.0;
  for (let k = 0; k < count; k++) if (abs(at(array, k)) < Infinity) most = max(most, abs(at(array, k)));
  return most;
}

/** The power of two that brings numbers of at most `most` to about 1, where that is more. */
@inline function magnification(most: f64): f64 { return most < 1.0 ? scaleOf(most) : 1.0; }

function magnify(array: usize, count: i32, factor: f64): void {
  for (let k = 0; k < count; k++) put(array, k, at(array, k) * factor);
}

/** Sides and bounds become those of extent × x. `otherwise` is the size of x where all of them are 0. */
export function magnifyLengths(otherwise: f64): void {
  const most = max(largest(sides, m), largest(lowers, 2 * n));
  extent = magnification(most > 0.0 ? most : otherwise);
  magnify(sides, m, extent);
  magnify(lowers, 2 * n, extent);
}

export function magnifyCosts(factor: f64): void {
  price = factor;
  magnify(costs, n, price);
}

/** What brings the costs to about 1. */
export function magnificationOfCosts(): f64 { return magnification(largest(costs, n)); }

/** Rounds in which entries are brought together before the largest come to about 1. */
const ROUNDS: i32 = 4;

/** A power of two whose square is about 1/(least × most): 1 where there is nothing. */
function between(least: f64, most: f64): f64 {
  if (most == 0.0) return 1.0;
  const exponents = exponentOf(least) + exponentOf(most);
  return reinterpret<f64>(<u64>(1023 - (exponents >> 1)) << 52);
}

@inline function exponentOf(x: f64): i64 { return max<i64>(-1000, min<i64>(1000, <i64>((reinterpret<u64>(x) >> 52) & 0x7ff) - 1023)); }

/**
 * Scales rows and columns, in turn by the geometric mean of their least and largest entries (Tomlin, Math. Program. Study 4 (1975)
 * 146); by these columns each row is then scaled to a largest entry of about 1, and by these rows each column: A ← RAS with R, S powers of two, at `rowScales` and
 * `columnScales`. So x = S x̃ and the multipliers are y = R ỹ.
 */
export function equilibrate(rowScales: usize, columnScales: usize): void {
  const least = allocate(<usize>m << 3), most = allocate(<usize>m << 3);
  for (let i = 0; i < m; i++) put(rowScales, i, 1.0);
  for (let j = 0; j < n; j++) put(columnScales, j, 1.0);
  for (let round = 0; round < ROUNDS; round++) {
    scaleRows(rowScales, columnScales, least, most);
    for (let j = 0; j < n; j++) scaleColumn(j, rowScales, columnScales);
  }
  largestOfRows(columnScales, most);
  for (let i = 0; i < m; i++) {
    put(rowScales, i, scaleOf(at(most, i)));
    put(sides, i, at(sides, i) * at(rowScales, i));
  }
  for (let j = 0; j < n; j++) applyScales(j, rowScales, columnScales);
}

/** Least and largest entries of each row, as the columns are scaled. */
function scaleRows(rowScales: usize, columnScales: usize, least: usize, most: usize): void {
  memory.fill(most, 0, <usize>m << 3);
  for (let j = 0; j < n; j++) for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const i = rowOfEntry(k), entry = abs(entryAt(k)) * at(columnScales, j);
    if (at(most, i) == 0.0 || entry < at(least, i)) put(least, i, entry);
    put(most, i, max(at(most, i), entry));
  }
  for (let i = 0; i < m; i++) put(rowScales, i, between(at(least, i), at(most, i)));
}

function scaleColumn(j: i32, rowScales: usize, columnScales: usize): void {
  let least = Infinity, most = 0.0;
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const entry = abs(entryAt(k)) * at(rowScales, rowOfEntry(k));
    least = min(least, entry);
    most = max(most, entry);
  }
  put(columnScales, j, between(least, most));
}

function largestOfRows(columnScales: usize, most: usize): void {
  memory.fill(most, 0, <usize>m << 3);
  for (let j = 0; j < n; j++) for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const i = rowOfEntry(k);
    put(most, i, max(at(most, i), abs(entryAt(k)) * at(columnScales, j)));
  }
}

/** Column j by the scales of its rows, and then so that its largest entry is about 1. */
function applyScales(j: i32, rowScales: usize, columnScales: usize): void {
  let most = 0.0;
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const entry = entryAt(k) * at(rowScales, rowOfEntry(k));
    put(entries, k, entry);
    most = max(most, abs(entry));
  }
  const scale = scaleOf(most);
  put(columnScales, j, scale);
  put(costs, j, at(costs, j) * scale);
  put(lowers, j, at(lowers, j) / scale);
  put(uppers, j, at(uppers, j) / scale);
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) put(entries, k, entryAt(k) * scale);
}
