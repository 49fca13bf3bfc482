// The factors of a basis made anew. Columns that have one row left to themselves are columns of U as they are, and those that
// alone have a row columns of U and L (the triangles of Suhl & Suhl, ORSA J. Comput. 2 (1990) 325); what is left between
// them is eliminated (assembly/opt/nucleus.ts).

import { allocate } from "../kernel/frame";
import { addEntry, beginFactors, beginLower, beginUpper, endFactors, endLower, endUpper } from "./factors";
import {
  beginNucleus, eliminate, pivotsTaken, placeOfPivot, rowOfPivot, takeIn, takeOutColumn, waitColumn, waitRow,
} from "./nucleus";
import { flag, intAt, ints, putInt, setFlag } from "./places";
import { columnInRow, rowStart } from "./pricing";
import { at, entryAt, m, n, rowOfEntry, startOf } from "./program";

const SINGULAR: f64 = 1e-11;
const SETTLED: i32 = -1;

/** Of each of the caller's columns its place, and the rows it has among those that are free; of each row the columns that wait. */
let placeOf: usize = 0, rowsLeft: usize = 0, columnsLeft: usize = 0;
/** Columns and rows (these as −1 − i) of which one is left. */
let singles: usize = 0, singleCount: i32 = 0;
/** 1 where a row has no pivot yet. */
let isFree: usize = 0;

export function openTriangles(): void {
  placeOf = ints(n); rowsLeft = ints(n); columnsLeft = ints(m);
  singles = ints(2 * m);
  isFree = allocate(<usize>m);
}

/** Factors of the basis whose variables stand at `basic`; false where it is singular. */
export function factorize(basic: usize): bool {
  beginFactors();
  laySlacks(basic);
  count(basic);
  for (let k = 0; k < singleCount; k++) {
    const single = intAt(singles, k);
    const isRegular = single >= 0 ? takeColumnAlone(single) : takeRowAlone(-1 - single);
    if (!isRegular) return false;
  }
  if (!takeNucleus(basic)) return false;
  endFactors();
  return true;
}

@inline function basicAt(basic: usize, p: i32): i32 { return <i32>at(basic, p); }

function laySlacks(basic: usize): void {
  memory.fill(isFree, 1, <usize>m);
  for (let p = 0; p < m; p++) {
    const i = basicAt(basic, p) - n;
    if (i < 0) continue;
    setFlag(isFree, i, 0);
    beginUpper(p);
    endUpper(p, i, 1.0);
  }
}

/** What each column and row has left, and the singles among them. */
function count(basic: usize): void {
  memory.fill(columnsLeft, 0, <usize>m << 2);
  for (let j = 0; j < n; j++) putInt(rowsLeft, j, SETTLED);
  singleCount = 0;
  for (let p = 0; p < m; p++) {
    const j = basicAt(basic, p);
    if (j >= n) continue;
    let left = 0;
    for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
      const i = rowOfEntry(k);
      if (!flag(isFree, i)) continue;
      putInt(columnsLeft, i, intAt(columnsLeft, i) + 1);
      left++;
    }
    putInt(placeOf, j, p);
    putInt(rowsLeft, j, left);
    if (left == 1) addSingle(j);
  }
  for (let i = 0; i < m; i++) if (flag(isFree, i) && intAt(columnsLeft, i) == 1) addSingle(-1 - i);
}

@inline function addSingle(single: i32): void { putInt(singles, singleCount++, single); }

function takeColumnAlone(j: i32): bool {
  if (intAt(rowsLeft, j) != 1) return true;
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) if (flag(isFree, rowOfEntry(k))) return settle(j, rowOfEntry(k));
  return true;
}

function takeRowAlone(i: i32): bool {
  if (!flag(isFree, i) || intAt(columnsLeft, i) != 1) return true;
  for (let e = rowStart(i), end = rowStart(i + 1); e < end; e++) {
    if (intAt(rowsLeft, columnInRow(e)) > 0) return settle(columnInRow(e), i);
  }
  return true;
}

/** Column j has its pivot in row i: neither waits any longer. False where there is none to speak of. */
function settle(j: i32, i: i32): bool {
  setFlag(isFree, i, 0);
  putInt(rowsLeft, j, SETTLED);
  const pivot = layUpper(j, i);
  if (!(abs(pivot) > SINGULAR)) return false;
  beginLower(i);
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const row = rowOfEntry(k);
    if (!flag(isFree, row)) continue;
    addEntry(row, entryAt(k) / pivot);
    putInt(columnsLeft, row, intAt(columnsLeft, row) - 1);
    if (intAt(columnsLeft, row) == 1) addSingle(-1 - row);
  }
  endLower();
  for (let e = rowStart(i), end = rowStart(i + 1); e < end; e++) {
    const other = columnInRow(e), left = intAt(rowsLeft, other) - 1;
    if (left < 0) continue;
    putInt(rowsLeft, other, left);
    if (left == 1) addSingle(other);
  }
  return true;
}

/** Column j of U, of the rows that have their pivots; that of row i is returned. */
function layUpper(j: i32, i: i32): f64 {
  let pivot = 0.0;
  beginUpper(intAt(placeOf, j));
  for (let k = startOf(j), end = startOf(j + 1); k < end; k++) {
    const row = rowOfEntry(k);
    if (row == i) pivot = entryAt(k); else if (!flag(isFree, row)) addEntry(row, entryAt(k));
  }
  endUpper(intAt(placeOf, j), i, pivot);
  return pivot;
}

function takeNucleus(basic: usize): bool {
  beginNucleus();
  for (let i = 0; i < m; i++) if (flag(isFree, i)) waitRow(i);
  for (let p = 0; p < m; p++) {
    const j = basicAt(basic, p);
    if (j >= n || intAt(rowsLeft, j) == SETTLED) continue;
    waitColumn(p);
    for (let k = startOf(j), end = startOf(j + 1); k < end; k++) if (flag(isFree, rowOfEntry(k))) takeIn(rowOfEntry(k), p, entryAt(k));
  }
  if (!eliminate()) return false;
  for (let t = 0; t < pivotsTaken(); t++) {
    const p = placeOfPivot(t), j = basicAt(basic, p);
    beginUpper(p);
    for (let k = startOf(j), end = startOf(j + 1); k < end; k++) if (!flag(isFree, rowOfEntry(k))) addEntry(rowOfEntry(k), entryAt(k));
    const pivot = takeOutColumn(t);
    endUpper(p, rowOfPivot(t), pivot);
  }
  return true;
}
