// Products of rows with the columns (A I): one column that is not in the basis after the other, or all of them by the places of
// a row that are not 0. Columns of many entries stand in full as well, to be gone over side by side.

import { allocate } from "../kernel/frame";
import { dotLeaf } from "../math/reduce";
import { pivotRow, touched, touchedCount } from "./factors";
import { flag, intAt, ints, putInt, setFlag } from "./places";
import { at, entryAt, layColumn, m, n, put, rowOfEntry, startOf } from "./program";

/** Entries of a column that are gone over one by one cost as much as so many times their count side by side. */
const SPARSE: i32 = 4;

/** Of each column of many entries where it stands in full, else 0. */
let full: usize = 0;
/** Row by row of A over E, without the columns in full: where rows begin (m + 1, i32), columns (i32), entries. */
let rowStarts: usize = 0, rowColumns: usize = 0, rowEntries: usize = 0;
/** α of all variables, and which of them a row has reached (i32); 1 where a variable is among them. */
export let alphas: usize = 0;
let reached: usize = 0, isReached: usize = 0, reachedCount: i32 = 0;

let effort: u64 = 0;

@inline export function rowStart(i: i32): i32 { return intAt(rowStarts, i); }
@inline export function columnInRow(e: i32): i32 { return intAt(rowColumns, e); }
@inline function fullColumn(j: i32): usize { return load<usize>(full + (<usize>j << 2)); }

export function openPricing(): void {
  alphas = allocate(<usize>(n + m) << 3); reached = ints(n + m); isReached = allocate(<usize>(n + m));
  reachedCount = 0; effort = 0;
  layFull();
  layRows();
}

/** Work units of what was priced since this was asked before. */
export function takePriced(): u64 {
  const taken = effort;
  effort = 0;
  return taken;
}

@inline function isFull(j: i32): bool { return SPARSE * (startOf(j + 1) - startOf(j)) > m; }

function layFull(): void {
  full = ints(n);
  for (let j = 0; j < n; j++) {
    if (!isFull(j)) continue;
    const to = allocate(<usize>m << 3);
    layColumn(j, to);
    store<usize>(full + (<usize>j << 2), to);
  }
}

function layRows(): void {
  rowStarts = ints(m + 2);
  let count = 0;
  for (let j = 0; j < n; j++) if (!isFull(j)) for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const i = rowOfEntry(k) + 2;
    putInt(rowStarts, i, intAt(rowStarts, i) + 1);
    count++;
  }
  for (let i = 2; i < m + 2; i++) putInt(rowStarts, i, intAt(rowStarts, i) + intAt(rowStarts, i - 1));
  rowColumns = ints(count);
  rowEntries = allocate(<usize>count << 3);
  for (let j = 0; j < n; j++) if (!isFull(j)) for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const i = rowOfEntry(k) + 1, place = intAt(rowStarts, i);
    putInt(rowStarts, i, place + 1);
    putInt(rowColumns, place, j);
    put(rowEntries, place, entryAt(k));
  }
}

/** Entry of (A I) times a row vector. */
export function priced(row: usize, j: i32): f64 {
  if (j >= n) return at(row, j - n);
  if (isFull(j)) return dotLeaf(row, fullColumn(j), m);
  let sum = 0.0;
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) sum += at(row, rowOfEntry(k)) * entryAt(k);
  return sum;
}

export function reachedBy(): i32 { return reachedCount; }
@inline export function reachedAt(k: i32): i32 { return intAt(reached, k); }

/** α = pivotRow (A I) of the variables that do not stand in the basis, which `place` says: of others and what it misses 0. */
export function priceRow(place: usize, inBasis: f64): void {
  for (let k = 0; k < reachedCount; k++) { put(alphas, reachedAt(k), 0.0); setFlag(isReached, reachedAt(k), 0); }
  let count = 0, units = 0;
  for (let k = 0; k < touchedCount; k++) {
    const i = intAt(touched, k), value = at(pivotRow, i), end = intAt(rowStarts, i + 1);
    for (let e = intAt(rowStarts, i); e < end; e++) {
      const j = intAt(rowColumns, e);
      if (!flag(isReached, j)) {
        if (at(place, j) == inBasis) continue;
        setFlag(isReached, j, 1);
        putInt(reached, count++, j);
      }
      put(alphas, j, at(alphas, j) + value * at(rowEntries, e));
      units++;
    }
    if (at(place, n + i) == inBasis) continue;
    setFlag(isReached, n + i, 1);
    putInt(reached, count++, n + i);
    put(alphas, n + i, value);
  }
  for (let j = 0; j < n; j++) if (isFull(j) && at(place, j) != inBasis) {
    setFlag(isReached, j, 1);
    putInt(reached, count++, j);
    put(alphas, j, dotLeaf(pivotRow, fullColumn(j), m));
    units += m / 2;
  }
  reachedCount = count;
  effort += <u64>units;
}
