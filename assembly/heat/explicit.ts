// One explicit step (FTCS) in place: T ← T + dt (α δ²T + s), two rows at a time, with a copy of the row below as it was.
// Blocks of rows go one after another or on several threads (../kernel/team.ts): then each has its neighbours' rows as they
// were from before the step.

import { firstFree, isPeriodic, lastFree, shareOf, widthOf } from "../grid/axis";
import { copyRow, fillGhosts, rowAt, rowBelow, rowBytes } from "../grid/field";
import { between, pairBytes, spread } from "../grid/stencil";
import { allocate } from "../kernel/frame";
import { TEAM, each } from "../kernel/team";
import { inflowOfRow, inflowUnit } from "./balance";
import { alpha, nx, ny, x, y } from "./problem";
import { addEndsX, addEndsY, addSource, factors, keepEndsX, layFactors } from "./row";

@inline function updated(left: v128, here: v128, right: v128, below: v128, above: v128, own: v128, a: v128, b: v128): v128 {
  return f64x2.add(f64x2.mul(own, here), spread(a, left, right, b, below, above));
}

/**
 * The same in place: `keep` gets the row as it was, and may be `below` or `above`. The pair to the
 * left of a pair has been overwritten: it is carried along.
 */
function updateRow(row: usize, below: usize, above: usize, keep: usize): void {
  const own = v128.load(factors), a = v128.load(factors, 16), b = v128.load(factors, 32);
  const end = row + pairBytes(nx);
  let here = v128.load(row), left = between(v128.load(row - 16), here);
  for (; row < end; row += 16, below += 16, above += 16, keep += 16) {
    const next = v128.load(row, 16), right = between(here, next);
    const changed = updated(left, here, right, v128.load(below), v128.load(above), own, a, b);
    v128.store(keep, here);
    v128.store(row, changed);
    here = next; left = right;
  }
}

/** A pair of each of two rows: the first behind the pointers, or the second (v128), by an offset that the instruction holds. */
@inline function updatePairs<Pair>(
  low: usize, high: usize, below: usize, above: usize, keep: usize,
  lowLeft: v128, p: v128, lowRight: v128, highLeft: v128, q: v128, highRight: v128, own: v128, a: v128, b: v128,
): void {
  const changed = updated(lowLeft, p, lowRight, v128.load(below, isVector<Pair>() ? 16 : 0), q, own, a, b);
  v128.store(keep, q, isVector<Pair>() ? 16 : 0);
  v128.store(low, changed, isVector<Pair>() ? 16 : 0);
  v128.store(high, updated(highLeft, q, highRight, p, v128.load(above, isVector<Pair>() ? 16 : 0), own, a, b), isVector<Pair>() ? 16 : 0);
}

/** Two rows in place, one above the other: `keep` gets the upper one as it was, and may be `below`. */
function updateTwoRows(low: usize, high: usize, below: usize, above: usize, keep: usize): void {
  const own = v128.load(factors), a = v128.load(factors, 16), b = v128.load(factors, 32);
  const bytes = pairBytes(nx), end = low + bytes - 64;
  let p = v128.load(low), q = v128.load(high), lowLeft = between(v128.load(low - 16), p), highLeft = between(v128.load(high - 16), q);
  low -= 32; high -= 32; below -= 32; above -= 32; keep -= 32;
  while (low <= end) {
    low += 32; high += 32; below += 32; above += 32; keep += 32;
    const p1 = v128.load(low, 16), q1 = v128.load(high, 16), lowRight = between(p, p1), highRight = between(q, q1);
    updatePairs<f64>(low, high, below, above, keep, lowLeft, p, lowRight, highLeft, q, highRight, own, a, b);
    p = v128.load(low, 32); q = v128.load(high, 32);
    lowLeft = between(p1, p); highLeft = between(q1, q);
    updatePairs<v128>(low, high, below, above, keep, lowRight, p1, lowLeft, highRight, q1, highLeft, own, a, b);
  }
  if ((bytes & 16) == 0) return;
  const lowRight = between(p, v128.load(low, 48)), highRight = between(q, v128.load(high, 48));
  updatePairs<f64>(low + 32, high + 32, below + 32, above + 32, keep + 32, lowLeft, p, lowRight, highLeft, q, highRight, own, a, b);
}

/** What flowed in through the ends of row j, per second, in units of inflowUnit; its ghosts are filled. */
@inline function openRow(row: usize, j: i32): f64 {
  fillGhosts(row, x);
  return isPeriodic(x) ? 0.0 : (j == 0 || j == ny ? shareOf(y, j) : 1.0) * inflowOfRow(row);
}

// ---- a step, in blocks of rows -----------------------------------------------------------------------------

/** Cells of a block, some 15 µs, at least. */
const BLOCK_CELLS: i32 = 32768;
let rows: i32 = 0, blocks: i32 = 0;
/** Of a block: the row below as it was, ends of a row as they were; with several threads also the row behind the block. */
let rooms: usize = 0, roomBytes: usize = 0, flows: usize = 0;
let stepped: usize = 0, stepOfTime: f64 = 0, alongX: f64 = 0, alongY: f64 = 0, sourceEach: f64 = 0, sources: usize = 0;

export function layExplicit(): void {
  rows = 2 * ((BLOCK_CELLS / 2 + nx) / (nx + 1));
  blocks = max(1, (lastFree(y) - firstFree(y) + rows) / rows);
  flows = allocate(<usize>blocks << 3);
  roomBytes = (TEAM ? 3 : 2) * rowBytes(nx);
  rooms = allocate(TEAM ? roomBytes * <usize>blocks : roomBytes);
}

@inline function roomOf(block: i32): usize { return TEAM ? rooms + roomBytes * <usize>block : rooms; }
@inline function firstOf(block: i32): i32 { return firstFree(y) + block * rows; }

/** Gives what flowed in through left and right, per second. */
export function explicitStep(field: usize, dt: f64, number: f64, array: usize): f64 {
  stepped = field; stepOfTime = dt; sourceEach = number; sources = array;
  alongX = alpha * dt / (widthOf(x) * widthOf(x));
  alongY = ny > 0 ? alpha * dt / (widthOf(y) * widthOf(y)) : 0.0;
  layFactors(alongX, alongY);
  if (TEAM && ny > 0) keepBorders();
  each(stepBlock, blocks);
  let flow = 0.0;
  for (let block = 0; block < blocks; block++) flow += load<f64>(flows + (<usize>block << 3));
  if (isPeriodic(y) && ny > 0) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
  return flow * inflowUnit();
}

/** The rows below and behind each block, which other blocks change; ghosts too are what they would be. */
function keepBorders(): void {
  const first = firstFree(y), last = lastFree(y);
  for (let block = 0; block < blocks; block++) {
    const room = roomOf(block), from = firstOf(block);
    copyRow(room + 16, from > first ? rowAt(stepped, nx, from - 1) : rowBelow(stepped, nx, y, first, 0, first), nx);
    if (from > first) fillGhosts(room + 16, x);
    if (from + rows <= last) copyRow(room + 2 * rowBytes(nx) + 16, rowAt(stepped, nx, from + rows), nx);
  }
}

function stepBlock(block: i32): void {
  const room = roomOf(block), old = room + 16, ends = old + rowBytes(nx), far = <usize>nx << 3;
  const first = firstFree(y), last = lastFree(y), from = firstOf(block), end = min(from + rows - 1, last);
  const behind = TEAM && end < last ? ends + rowBytes(nx) : rowAt(stepped, nx, end + 1);
  let flow = 0.0;
  for (let j = from; j <= end; j++) {
    const row = rowAt(stepped, nx, j), below = ny == 0 ? row : TEAM ? old : rowBelow(stepped, nx, y, j, old, first);
    flow += openRow(row, j);
    if (j > 0 && j < end && j + 1 < ny) {
      const upper = rowAt(stepped, nx, j + 1);
      flow += openRow(upper, j + 1);
      store<f64>(ends, load<f64>(row));
      store<f64>(ends + far, load<f64>(row + far));
      updateTwoRows(row, upper, below, j + 1 < end ? rowAt(stepped, nx, j + 2) : behind, old);
      closeRow(row, ends, j++);
      closeRow(upper, old, j);
    } else {
      updateRow(row, below, ny == 0 ? row : j == ny ? old : j < end ? rowAt(stepped, nx, j + 1) : behind, old);
      closeRow(row, old, j);
    }
  }
  store<f64>(flows + (<usize>block << 3), flow);
}

/** What ends and source bring to row j; of `old` the ends will do, but on the sides of y. */
@inline function closeRow(row: usize, old: usize, j: i32): void {
  addEndsX(row, old, alongX);
  if (j == 0 || j == ny) addEndsY(row, old, j, alongY);
  if (sources != 0 || sourceEach != 0.0) addSource(row, j, stepOfTime, sourceEach, sources);
  keepEndsX(row, old);
}
