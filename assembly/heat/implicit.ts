// Peaceman–Rachford (J. SIAM 3 (1955) 28): half a step implicit in x and explicit in y, then the other way round.
// Where data jump it would ring; there the first two steps are two implicit half-steps each (R. Rannacher, Numer.
// Math. 43 (1984) 309), one axis after the other, which damp every mode.
//
// Lines along x are solved in blocks of rows, lines along y in blocks of columns, one after another or on several threads
// (../kernel/team.ts). A block of rows then has its neighbours' rows as they were from before the sweep.

import {
  End, cellsOf, firstFree, isPeriodic, lastFree, lowerGamma, lowerKind, upperGamma, upperKind, widthOf,
} from "../grid/axis";
import { copyRow, fillGhosts, rowAbove, rowAt, rowBelow, rowBytes } from "../grid/field";
import { solveColumns, solveFour } from "../grid/implicit-axis";
import { allocate } from "../kernel/frame";
import { TEAM, each } from "../kernel/team";
import { alpha, nx, ny, x, y } from "./problem";
import { addEndsX, addEndsY, addSource, keepEndsX, layFactors, stencilRow } from "./row";

/** Nodes of a block, some 50 µs, at least; and its columns. */
const BLOCK_NODES: i32 = 16384;
const BLOCK_COLUMNS: i32 = 64;
let rows: i32 = 0, blocks: i32 = 0, columns: i32 = 0, columnBlocks: i32 = 0;
/** Of a block: two rows as they were, four lines side by side; with several threads also the row behind the block. */
let rooms: usize = 0, roomBytes: usize = 0;
/** What closes the ring of each line along y. */
let closing: usize = 0;
/** What the sweep at hand goes by. */
let swept: usize = 0, factored: usize = 0, halfStep: f64 = 0, across: f64 = 0, along: f64 = 0, sourceEach: f64 = 0, sources: usize = 0;

export function layImplicit(): void {
  rows = 4 * ((BLOCK_NODES / 4 + nx) / (nx + 1));
  blocks = max(1, (lastFree(y) - firstFree(y) + rows) / rows);
  columnBlocks = max(1, min((nx + 1) / BLOCK_COLUMNS, (nx + 1) * (ny + 1) / BLOCK_NODES));
  columns = 2 * (((nx + 2 >> 1) + columnBlocks - 1) / columnBlocks);
  roomBytes = (TEAM ? 3 : 2) * rowBytes(nx) + (<usize>(nx + 1) << 5);
  rooms = allocate(TEAM ? roomBytes * <usize>blocks : roomBytes);
  closing = ny > 0 && isPeriodic(y) ? allocate(rowBytes(nx)) : 0;
}

@inline function roomOf(block: i32): usize { return TEAM ? rooms + roomBytes * <usize>block : rooms; }
@inline function firstOf(block: i32): i32 { return firstFree(y) + block * rows; }
@inline function endOf(block: i32): i32 { return min(firstOf(block) + rows - 1, lastFree(y)); }
/** Where a block has row j as it was. */
@inline function keptAt(room: usize, j: i32): usize { return room + <usize>(j & 1) * rowBytes(nx) + 16; }
@inline function behindAt(room: usize): usize { return room + 2 * rowBytes(nx) + 16; }
@inline function linesAt(room: usize): usize { return room + (TEAM ? 3 : 2) * rowBytes(nx); }

function layOut(field: usize, table: usize, tau: f64, number: f64, array: usize): void {
  swept = field; factored = table; halfStep = tau; sourceEach = number; sources = array;
}

/** What natural ends of x bring to an implicit line: 2κγ. */
@inline function broughtAt(i: i32, kappa: f64): f64 {
  if (i == 0 && lowerKind(x) == End.NATURAL) return 2.0 * kappa * lowerGamma(x);
  return i == nx && upperKind(x) == End.NATURAL ? 2.0 * kappa * upperGamma(x) : 0.0;
}

/** Four rows to lines side by side and back; of fewer the other lanes hold what stands behind them. */
function gather(lines: usize, rows: usize): void {
  const bytes = rowBytes(nx);
  for (let i: usize = 0; i <= <usize>nx; i++) {
    const from = rows + (i << 3), to = lines + (i << 5);
    store<f64>(to, load<f64>(from));
    store<f64>(to, load<f64>(from + bytes), 8);
    store<f64>(to, load<f64>(from + 2 * bytes), 16);
    store<f64>(to, load<f64>(from + 3 * bytes), 24);
  }
}
function scatter(row: usize, lines: usize, lane: usize): void {
  for (let i: usize = 0; i <= <usize>nx; i++) store<f64>(row + (i << 3), load<f64>(lines + (i << 5) + (lane << 3)));
}

/** The rows below and behind each block, which other blocks change. */
function keepBorders(): void {
  const first = firstFree(y), last = lastFree(y);
  for (let block = 0; block < blocks; block++) {
    const room = roomOf(block), from = firstOf(block);
    copyRow(keptAt(room, from - 1), from > first ? rowAt(swept, nx, from - 1) : rowBelow(swept, nx, y, first, 0, first), nx);
    if (endOf(block) < last) copyRow(behindAt(room), rowAt(swept, nx, from + rows), nx);
  }
}

/** (1 − τα δx²) T' = T + eτα δy²T + τs: e = 1 explicit in y, 0 without y. */
export function sweepX(field: usize, table: usize, tau: f64, e: f64, number: f64, array: usize): void {
  layOut(field, table, tau, number, array);
  along = alpha * tau / (widthOf(x) * widthOf(x));
  across = ny > 0 ? e * alpha * tau / (widthOf(y) * widthOf(y)) : 0.0;
  layFactors(0.0, across);
  if (TEAM && ny > 0) keepBorders();
  each(sweepRows, blocks);
  if (isPeriodic(y) && ny > 0) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
}

function sweepRows(block: i32): void {
  const room = roomOf(block), lines = linesAt(room), end = endOf(block);
  for (let from = firstOf(block); from <= end; from += 4) {
    const count = min(4, end - from + 1);
    for (let q = 0; q < count; q++) layRowX(room, from + q, end);
    gather(lines, rowAt(swept, nx, from));
    solveFour(factored, x, lines);
    for (let q = 0; q < count; q++) scatter(rowAt(swept, nx, from + q), lines, q);
  }
}

/** The right side of row j of a block that ends with row `end`. */
function layRowX(room: usize, j: i32, end: i32): void {
  const side = rowAt(swept, nx, j), old = keptAt(room, j), older = keptAt(room, j - 1);
  copyRow(old, side, nx);
  const below = ny == 0 ? old : TEAM ? older : rowBelow(swept, nx, y, j, older, firstFree(y));
  const above = ny == 0 ? old : TEAM && j == end && end < lastFree(y) ? behindAt(room) : rowAbove(swept, nx, y, j, older);
  stencilRow(side, old, below, above);
  if (across != 0.0) addEndsY(side, old, j, across);
  addSource(side, j, halfStep, sourceEach, sources);
  for (let i = 0; i <= nx; i += nx) store<f64>(side + (<usize>i << 3), load<f64>(side + (<usize>i << 3)) + broughtAt(i, along));
  if (!isPeriodic(x)) keepEndsX(side, old);
}

/** (1 − τα δy²) T' = T + eτα δx²T + τs; in one dimension the right side alone. */
export function sweepY(field: usize, table: usize, tau: f64, e: f64, number: f64, array: usize): void {
  layOut(field, table, tau, number, array);
  along = e * alpha * tau / (widthOf(x) * widthOf(x));
  layFactors(along, 0.0);
  each(layRowsY, blocks);
  if (ny == 0) return;
  each(sweepColumns, columnBlocks);
  if (isPeriodic(y)) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
}

/** The right sides of a block of rows. */
function layRowsY(block: i32): void {
  const row = roomOf(block) + 16, end = endOf(block);
  for (let j = firstOf(block); j <= end; j++) {
    const out = rowAt(swept, nx, j);
    copyRow(row, out, nx);
    fillGhosts(row, x);
    stencilRow(out, row, row, row);
    if (along != 0.0) addEndsX(out, row, along);
    addSource(out, j, halfStep, sourceEach, sources);
    if (ny == 0) keepEndsX(out, row);
    addImplicitY(out, j, halfStep);
  }
}

/** Lines along y, side by side. */
function sweepColumns(block: i32): void {
  const from = block * columns, most = (nx + 2) & ~1, k = <usize>from << 3;
  solveColumns(factored, y, rowAt(swept, nx, 0) + k, rowBytes(nx), closing + k, <usize>max(0, min(columns, most - from)) << 3);
}

/** What natural ends of y bring to the implicit side: 2κγ. */
function addImplicitY(out: usize, j: i32, tau: f64): void {
  if (ny == 0 || (j > 0 && j < ny) || isPeriodic(y)) return;
  if ((j == 0 ? lowerKind(y) : upperKind(y)) != End.NATURAL) return;
  const add = 2.0 * alpha * tau / (widthOf(y) * widthOf(y)) * (j == 0 ? lowerGamma(y) : upperGamma(y));
  for (let k: usize = 0; k <= <usize>nx; k++) store<f64>(out + (k << 3), load<f64>(out + (k << 3)) + add);
}
