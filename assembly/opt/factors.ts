// Factors of a basis B, whose columns stand at places 0 … m−1: R_k … R_1 L⁻¹ B = U. Elimination gives L, column by column,
// and U, which is triangular in the order of its pivots. An exchange puts the column that enters last in that order and
// takes the row of the pivot that leaves out of U by multiples of other rows, one row R (Forrest & Tomlin, Math. Program. 2
// (1972) 263). These multiples are a solution with Uᵀ that choosing the column took anyway (Koberstein, thesis, 5.3.2).
//
// All entries stand in one pool, each with its row as an offset in bytes; U is held by columns. What an exchange takes out
// of U stays where it is: the pivot of its row now stands behind that of its column, so that nothing reads what it adds.

import { allocate } from "../kernel/frame";
import { intAt, ints, putInt } from "./places";
import { at, m, put } from "./program";

/** Exchanges after which factors are to be made anew at the latest. */
export const REFACTOR: i32 = 256;
/** Exchanges that are taken down where there is room, however many entries they add. */
const LEAST: i32 = 16;
/** Room for exchanges, in full columns. */
const SPARE: i32 = 64;

let poolRows: usize = 0, poolValues: usize = 0, poolCount: i32 = 0, poolMost: i32 = 0, poolFresh: i32 = 0;
/** Columns of L and rows of R: their own row, where their entries begin and end. */
let lowerRows: usize = 0, lowerStarts: usize = 0, lowerEnds: usize = 0, lowerCount: i32 = 0;
let turnRows: usize = 0, turnStarts: usize = 0, turnEnds: usize = 0, turnCount: i32 = 0;
/** Of each place its column of U, with its pivot and that one's row. */
let starts: usize = 0, ends: usize = 0, pivots: usize = 0, rowsOfPivots: usize = 0;
/** Places in the order of their pivots, −1 where one has been moved to the end; where each stands. */
let sequence: usize = 0, standing: usize = 0, sequenceEnd: i32 = 0;
let entries: u64 = 0;

/** A right side by rows, which a solution uses up. */
export let rightSide: usize = 0;
/** The column that is to enter, behind L and R; the row that is to leave, behind Uᵀ. */
let spike: usize = 0, rowOfU: usize = 0;
/** Two right sides by rows, side by side. */
let pair: usize = 0;
/** A row of the inverse (m), and which of its entries are not 0. */
export let pivotRow: usize = 0;
export let touched: usize = 0, touchedCount: i32 = 0;
/** Places in which the last solution is not 0. */
let moved: usize = 0, movedCount: i32 = 0;

@inline export function movedBy(): i32 { return movedCount; }
@inline export function movedAt(k: i32): i32 { return intAt(moved, k); }

export function openFactors(): void {
  poolMost = m * (m + SPARE);
  poolRows = ints(poolMost); poolValues = allocate(<usize>poolMost << 3);
  lowerRows = ints(m); lowerStarts = ints(m); lowerEnds = ints(m);
  turnRows = ints(REFACTOR); turnStarts = ints(REFACTOR); turnEnds = ints(REFACTOR);
  starts = ints(m); ends = ints(m); pivots = allocate(<usize>m << 3); rowsOfPivots = ints(m);
  sequence = ints(m + REFACTOR); standing = ints(m);
  rightSide = allocate(<usize>m << 3); spike = allocate(<usize>m << 3); rowOfU = allocate(<usize>m << 3);
  pair = allocate(<usize>m << 4);
  pivotRow = allocate(<usize>m << 3); touched = ints(m); moved = ints(m);
  entries = 0;
}

/** Entries that were gone over since this was asked before. */
export function takeEntries(): u64 {
  const taken = entries;
  entries = 0;
  return taken;
}

// ---- to be laid down -----------------------------------------------------------------------------------

export function beginFactors(): void { poolCount = 0; lowerCount = 0; turnCount = 0; sequenceEnd = 0; }
export function endFactors(): void { poolFresh = poolCount; }

@inline export function addEntry(row: i32, value: f64): void {
  store<i32>(poolRows + (<usize>poolCount << 2), row << 3);
  put(poolValues, poolCount++, value);
}

export function beginUpper(place: i32): void { putInt(starts, place, poolCount); }
/** The column of a place, behind its entries: it comes last in the order of pivots. */
export function endUpper(place: i32, row: i32, pivot: f64): void {
  putInt(ends, place, poolCount);
  put(pivots, place, pivot);
  putInt(rowsOfPivots, place, row << 3);
  stand(place);
}

function stand(place: i32): void {
  putInt(standing, place, sequenceEnd);
  putInt(sequence, sequenceEnd++, place);
}

export function beginLower(row: i32): void {
  putInt(lowerRows, lowerCount, row << 3);
  putInt(lowerStarts, lowerCount, poolCount);
}
/** A column of L, behind its entries. */
export function endLower(): void {
  if (poolCount > intAt(lowerStarts, lowerCount)) putInt(lowerEnds, lowerCount++, poolCount);
}

// ---- solutions -----------------------------------------------------------------------------------------

/** y −= factor × entries. */
@inline function scatter(y: usize, from: i32, to: i32, factor: f64): void {
  let value = poolValues + (<usize>from << 3);
  for (let row = poolRows + (<usize>from << 2), end = poolRows + (<usize>to << 2); row < end; row += 4, value += 8) {
    const place = y + <usize>load<u32>(row);
    store<f64>(place, load<f64>(place) - factor * load<f64>(value));
  }
  entries += <u64>(to - from);
}

/** Entries times y. */
@inline function gather(y: usize, from: i32, to: i32): f64 {
  let value = poolValues + (<usize>from << 3), even = 0.0, odd = 0.0;
  let row = poolRows + (<usize>from << 2);
  const end = poolRows + (<usize>to << 2);
  for (; row + 8 <= end; row += 8, value += 16) {
    even += load<f64>(value) * load<f64>(y + <usize>load<u32>(row));
    odd += load<f64>(value, 8) * load<f64>(y + <usize>load<u32>(row, 4));
  }
  if (row < end) even += load<f64>(value) * load<f64>(y + <usize>load<u32>(row));
  entries += <u64>(to - from);
  return even + odd;
}

/** rightSide ← R L⁻¹ rightSide. */
function descend(): void {
  const y = rightSide;
  for (let k = 0; k < lowerCount; k++) {
    const value = load<f64>(y + <usize>intAt(lowerRows, k));
    if (value != 0.0) scatter(y, intAt(lowerStarts, k), intAt(lowerEnds, k), value);
  }
  for (let k = 0; k < turnCount; k++) {
    const place = y + <usize>intAt(turnRows, k);
    store<f64>(place, load<f64>(place) + gather(y, intAt(turnStarts, k), intAt(turnEnds, k)));
  }
}

/** to = U⁻¹ rightSide. */
function ascend(to: usize): void {
  const y = rightSide;
  let count = 0;
  memory.fill(to, 0, <usize>m << 3);
  for (let s = sequenceEnd - 1; s >= 0; s--) {
    const place = intAt(sequence, s);
    if (place < 0) continue;
    const left = load<f64>(y + <usize>intAt(rowsOfPivots, place));
    if (left == 0.0) continue;
    const value = left / at(pivots, place);
    put(to, place, value);
    putInt(moved, count++, place);
    scatter(y, intAt(starts, place), intAt(ends, place), value);
  }
  movedCount = count;
  entries += <u64>m;
}

/** to = B⁻¹ rightSide, by places. */
export function solve(to: usize): void {
  descend();
  ascend(to);
}

/**
 * The same of a column that is to enter, and of the pivotRow to `along`, entry by entry side by side: of this there is what
 * stands where the column's solution is not 0.
 */
export function solveEntering(to: usize, along: usize): void {
  for (let i = 0; i < m; i++) {
    store<f64>(pair + (<usize>i << 4), at(rightSide, i));
    store<f64>(pair + (<usize>i << 4), at(pivotRow, i), 8);
  }
  descendPair();
  for (let i = 0; i < m; i++) put(spike, i, load<f64>(pair + (<usize>i << 4)));
  ascendPair(to, along);
}

@inline function isNothing(both: v128): bool { return !v128.any_true(f64x2.ne(both, f64x2.splat(0))); }
@inline function pairAt(row: i32): usize { return pair + (<usize>row << 1); }

function scatterPair(from: i32, to: i32, factor: v128): void {
  let value = poolValues + (<usize>from << 3);
  for (let row = poolRows + (<usize>from << 2), end = poolRows + (<usize>to << 2); row < end; row += 4, value += 8) {
    const place = pairAt(load<i32>(row));
    v128.store(place, f64x2.sub(v128.load(place), f64x2.mul(factor, v128.load64_splat(value))));
  }
  entries += <u64>(to - from);
}

/** In the order of gather, so that a state that is restored gets the same spikes. */
function gatherPair(from: i32, to: i32): v128 {
  let value = poolValues + (<usize>from << 3), even = f64x2.splat(0), odd = even;
  let row = poolRows + (<usize>from << 2);
  const end = poolRows + (<usize>to << 2);
  for (; row + 8 <= end; row += 8, value += 16) {
    even = f64x2.add(even, f64x2.mul(v128.load64_splat(value), v128.load(pairAt(load<i32>(row)))));
    odd = f64x2.add(odd, f64x2.mul(v128.load64_splat(value, 8), v128.load(pairAt(load<i32>(row, 4)))));
  }
  if (row < end) even = f64x2.add(even, f64x2.mul(v128.load64_splat(value), v128.load(pairAt(load<i32>(row)))));
  entries += <u64>(to - from);
  return f64x2.add(even, odd);
}

function descendPair(): void {
  for (let k = 0; k < lowerCount; k++) {
    const both = v128.load(pairAt(intAt(lowerRows, k)));
    if (!isNothing(both)) scatterPair(intAt(lowerStarts, k), intAt(lowerEnds, k), both);
  }
  for (let k = 0; k < turnCount; k++) {
    const place = pairAt(intAt(turnRows, k));
    v128.store(place, f64x2.add(v128.load(place), gatherPair(intAt(turnStarts, k), intAt(turnEnds, k))));
  }
}

function ascendPair(to: usize, along: usize): void {
  let count = 0;
  memory.fill(to, 0, <usize>m << 3);
  for (let s = sequenceEnd - 1; s >= 0; s--) {
    const place = intAt(sequence, s);
    if (place < 0) continue;
    const left = v128.load(pairAt(intAt(rowsOfPivots, place)));
    if (isNothing(left)) continue;
    const both = f64x2.div(left, f64x2.splat(at(pivots, place))), value = f64x2.extract_lane(both, 0);
    put(along, place, f64x2.extract_lane(both, 1));
    if (value != 0.0) { put(to, place, value); putInt(moved, count++, place); }
    scatterPair(intAt(starts, place), intAt(ends, place), both);
  }
  movedCount = count;
  entries += <u64>m;
}

export function formSpike(): void {
  descend();
  memory.copy(spike, rightSide, <usize>m << 3);
}

/** y = U⁻ᵀ c by rows, where c by places is 0 before the first-th pivot. */
function ascendTransposed(c: usize, y: usize, first: i32): void {
  for (let s = first; s < sequenceEnd; s++) {
    const place = intAt(sequence, s);
    if (place < 0) continue;
    const sum = at(c, place) - gather(y, intAt(starts, place), intAt(ends, place));
    if (sum != 0.0) store<f64>(y + <usize>intAt(rowsOfPivots, place), sum / at(pivots, place));
  }
  entries += <u64>m;
}

/** y ← L⁻ᵀ Rᵀ y. */
function descendTransposed(y: usize): void {
  for (let k = turnCount - 1; k >= 0; k--) {
    const value = load<f64>(y + <usize>intAt(turnRows, k));
    if (value != 0.0) scatter(y, intAt(turnStarts, k), intAt(turnEnds, k), -value);
  }
  for (let k = lowerCount - 1; k >= 0; k--) {
    const place = y + <usize>intAt(lowerRows, k);
    store<f64>(place, load<f64>(place) - gather(y, intAt(lowerStarts, k), intAt(lowerEnds, k)));
  }
}

/** to += c B⁻¹ by rows, c by places. */
export function addTransposed(c: usize, to: usize): void {
  memory.fill(rightSide, 0, <usize>m << 3);
  ascendTransposed(c, rightSide, 0);
  descendTransposed(rightSide);
  for (let i = 0; i < m; i++) put(to, i, at(to, i) + at(rightSide, i));
}

/** What an exchange at `place` needs: its unit vector behind Uᵀ. */
export function formRow(place: i32): void {
  const unit = pivotRow;
  memory.fill(unit, 0, <usize>m << 3);
  memory.fill(rowOfU, 0, <usize>m << 3);
  put(unit, place, 1.0);
  ascendTransposed(unit, rowOfU, intAt(standing, place));
}

/** The row of the inverse at `place` becomes the pivotRow. */
export function takeRow(place: i32): void {
  formRow(place);
  memory.copy(pivotRow, rowOfU, <usize>m << 3);
  descendTransposed(pivotRow);
  let count = 0;
  for (let i = 0; i < m; i++) if (at(pivotRow, i) != 0.0) putInt(touched, count++, i);
  touchedCount = count;
}

// ---- an exchange ---------------------------------------------------------------------------------------

/** Whether one more exchange can be taken down, and a solution is not longer by far than behind factors made anew. */
export function hasRoom(): bool {
  if (turnCount >= REFACTOR || poolCount + 2 * m > poolMost) return false;
  return turnCount < LEAST || poolCount - poolFresh <= 2 * (poolFresh + m);
}

/** The column whose spike was formed last takes `place`, whose row was. */
export function exchangeColumn(place: i32): void {
  const row = intAt(rowsOfPivots, place), over = 1.0 / load<f64>(rowOfU + <usize>row);
  let pivot = load<f64>(spike + <usize>row);
  putInt(turnRows, turnCount, row);
  putInt(turnStarts, turnCount, poolCount);
  for (let i = 0; i < m; i++) {
    const z = at(rowOfU, i);
    if (z == 0.0 || i << 3 == row) continue;
    const multiple = z * over;
    pivot += multiple * at(spike, i);
    addEntry(i, multiple);
  }
  putInt(turnEnds, turnCount++, poolCount);
  putInt(sequence, intAt(standing, place), -1);
  beginUpper(place);
  for (let i = 0; i < m; i++) if (at(spike, i) != 0.0 && i << 3 != row) addEntry(i, at(spike, i));
  endUpper(place, row >> 3, pivot);
}
