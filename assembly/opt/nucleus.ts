// Elimination of what is left of a basis between its triangles. A pivot is taken where (entries of its row − 1)(entries of its
// column − 1) is least (Markowitz, Manage. Sci. 3 (1957) 255), of the shortest column and the shortest row, among entries
// of at least a tenth of the largest in their column. Numbers stand in a table row by row, their places in sets.

import { allocate } from "../kernel/frame";
import { addEntry, beginLower, endLower } from "./factors";
import { countOf, exclude, include, intAt, ints, listed, putInt, setBytes, unite } from "./places";
import { at, m, put } from "./program";

/** Part of the largest entry of its column that a pivot has to have. */
const STABLE: f64 = 0.1;
const SINGULAR: f64 = 1e-11;

let table: usize = 0;
/** Columns that wait and have an entry in a row; rows that wait in a column; rows that had their pivot before, in a column. */
let ofRows: usize = 0, ofColumns: usize = 0, above: usize = 0;
let rows: usize = 0, rowCount: i32 = 0, columns: usize = 0, columnCount: i32 = 0;
/** Entries of each, and where they stand among those that wait. */
let inRow: usize = 0, inColumn: usize = 0, rowAt: usize = 0, columnAt: usize = 0;
/** Rows of a column, and columns of a row. */
let down: usize = 0, downCount: i32 = 0, along: usize = 0, alongCount: i32 = 0;
/** Pivots in their order. */
let pivotRows: usize = 0, pivotColumns: usize = 0, pivotCount: i32 = 0;
let effort: u64 = 0;

@inline function entry(i: i32, p: i32): usize { return table + (<usize>(i * m + p) << 3); }
@inline function setOfRow(i: i32): usize { return ofRows + <usize>i * setBytes(); }
@inline function setOfColumn(p: i32): usize { return ofColumns + <usize>p * setBytes(); }
@inline function setAbove(p: i32): usize { return above + <usize>p * setBytes(); }

@inline export function pivotsTaken(): i32 { return pivotCount; }
@inline export function rowOfPivot(k: i32): i32 { return intAt(pivotRows, k); }
@inline export function placeOfPivot(k: i32): i32 { return intAt(pivotColumns, k); }

export function openNucleus(): void {
  const sets = <usize>m * setBytes();
  table = allocate(<usize>(m * m) << 3);
  ofRows = allocate(sets); ofColumns = allocate(sets); above = allocate(sets);
  rows = ints(m); columns = ints(m); inRow = ints(m); inColumn = ints(m); rowAt = ints(m); columnAt = ints(m);
  down = ints(m); along = ints(m); pivotRows = ints(m); pivotColumns = ints(m);
  effort = 0;
}

/** Entries that were gone over since this was asked before. */
export function takeEliminated(): u64 {
  const taken = effort;
  effort = 0;
  return taken;
}

export function beginNucleus(): void { rowCount = 0; columnCount = 0; pivotCount = 0; }
export function waitRow(i: i32): void {
  putInt(rowAt, i, rowCount);
  putInt(rows, rowCount++, i);
}
export function waitColumn(p: i32): void {
  putInt(columnAt, p, columnCount);
  putInt(columns, columnCount++, p);
}
export function takeIn(i: i32, p: i32, value: f64): void {
  store<f64>(entry(i, p), value);
  include(setOfRow(i), p);
  include(setOfColumn(p), i);
}

/** Takes all pivots, and lays their columns of L down; false where the nucleus is singular. */
export function eliminate(): bool {
  for (let k = 0; k < rowCount; k++) putInt(inRow, intAt(rows, k), countOf(setOfRow(intAt(rows, k))));
  for (let k = 0; k < columnCount; k++) putInt(inColumn, intAt(columns, k), countOf(setOfColumn(intAt(columns, k))));
  while (columnCount > 0) {
    if (!choosePivot()) return false;
    takePivot(chosenRow, chosenColumn);
  }
  return true;
}

let chosenRow: i32 = 0, chosenColumn: i32 = 0, chosenCost: i32 = 0, chosenSize: f64 = 0;

function choosePivot(): bool {
  chosenCost = i32.MAX_VALUE;
  if (!tryColumn(shortest(columns, columnCount, inColumn))) return false;
  if (chosenCost > 0) tryRow(shortest(rows, rowCount, inRow));
  effort += <u64>(rowCount + columnCount);
  return true;
}

function shortest(list: usize, count: i32, lengths: usize): i32 {
  let best = intAt(list, 0), least = intAt(lengths, best);
  for (let k = 1; k < count; k++) {
    const length = intAt(lengths, intAt(list, k));
    if (length < least) { least = length; best = intAt(list, k); }
  }
  return best;
}

function largestOf(p: i32): f64 {
  let most = 0.0;
  downCount = listed(setOfColumn(p), down);
  for (let k = 0; k < downCount; k++) most = max(most, abs(load<f64>(entry(intAt(down, k), p))));
  effort += <u64>downCount;
  return most;
}

function consider(i: i32, p: i32, size: f64): void {
  const cost = (intAt(inRow, i) - 1) * (intAt(inColumn, p) - 1);
  if (cost > chosenCost || (cost == chosenCost && size <= chosenSize)) return;
  chosenRow = i; chosenColumn = p; chosenCost = cost; chosenSize = size;
}

function tryColumn(p: i32): bool {
  const most = largestOf(p);
  if (!(most > SINGULAR)) return false;
  for (let k = 0; k < downCount; k++) {
    const size = abs(load<f64>(entry(intAt(down, k), p)));
    if (size >= STABLE * most) consider(intAt(down, k), p, size);
  }
  return true;
}

/** Of columns that would cost as much none is looked at: where all rows are full, that were all that waits, at each pivot. */
function tryRow(i: i32): void {
  alongCount = listed(setOfRow(i), along);
  for (let k = 0; k < alongCount; k++) {
    const p = intAt(along, k), size = abs(load<f64>(entry(i, p)));
    if ((intAt(inRow, i) - 1) * (intAt(inColumn, p) - 1) >= chosenCost) continue;
    const most = largestOf(p);
    if (most > SINGULAR && size >= STABLE * most) consider(i, p, size);
  }
}

function takePivot(r: i32, p: i32): void {
  strike(r, p);
  alongCount = listed(setOfRow(r), along);
  downCount = listed(setOfColumn(p), down);
  for (let k = 0; k < alongCount; k++) {
    const q = intAt(along, k), set = setOfColumn(q);
    unite(set, setOfColumn(p));
    exclude(set, r);
    include(setAbove(q), r);
    putInt(inColumn, q, countOf(set));
  }
  const over = 1.0 / load<f64>(entry(r, p));
  beginLower(r);
  for (let k = 0; k < downCount; k++) {
    const i = intAt(down, k), set = setOfRow(i), multiple = load<f64>(entry(i, p)) * over;
    store<f64>(entry(i, p), 0.0);
    unite(set, setOfRow(r));
    exclude(set, p);
    putInt(inRow, i, countOf(set));
    if (multiple == 0.0) continue;
    addEntry(i, multiple);
    subtractRow(entry(i, 0), entry(r, 0), multiple);
  }
  endLower();
  memory.fill(setOfRow(r), 0, setBytes());
  memory.fill(setOfColumn(p), 0, setBytes());
  effort += <u64>(alongCount + 1) * <u64>(downCount + 1) + 8 * <u64>(alongCount + downCount);
}

/** Row r and column p wait no longer. */
function strike(r: i32, p: i32): void {
  exclude(setOfRow(r), p);
  exclude(setOfColumn(p), r);
  const lastRow = intAt(rows, --rowCount), lastColumn = intAt(columns, --columnCount);
  putInt(rows, intAt(rowAt, r), lastRow); putInt(rowAt, lastRow, intAt(rowAt, r));
  putInt(columns, intAt(columnAt, p), lastColumn); putInt(columnAt, lastColumn, intAt(columnAt, p));
  putInt(pivotRows, pivotCount, r);
  putInt(pivotColumns, pivotCount++, p);
}

function subtractRow(to: usize, from: usize, multiple: f64): void {
  for (let list = along, end = along + (<usize>alongCount << 2); list < end; list += 4) {
    const skip = <usize>load<i32>(list) << 3;
    store<f64>(to + skip, load<f64>(to + skip) - multiple * load<f64>(from + skip));
  }
}

/** Lays down the entries of U that the column of a place has above its pivot, which is returned; the table is empty behind it. */
export function takeOutColumn(k: i32): f64 {
  const p = placeOfPivot(k), pivot = entry(rowOfPivot(k), p), value = load<f64>(pivot);
  downCount = listed(setAbove(p), down);
  memory.fill(setAbove(p), 0, setBytes());
  for (let t = 0; t < downCount; t++) {
    const i = intAt(down, t), place = entry(i, p);
    if (load<f64>(place) != 0.0) addEntry(i, load<f64>(place));
    store<f64>(place, 0.0);
  }
  store<f64>(pivot, 0.0);
  return value;
}
