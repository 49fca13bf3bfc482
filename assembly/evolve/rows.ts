// Rows of neighbours, those behind each atom within r_c and a skin, by rising index, laid end to end. An entry is the way to
// the next neighbour's index, 16 bits. A wider gap is bridged by an atom in it, which lies beyond r_c as much as a neighbour
// that has gone: who sums must measure all of them.
//
// Atoms are sorted into cells of half a reach or more; an atom looks through the lines of cells that a ball of its reach
// meets. Where an axis has not five cells it has one. What is sorted lies where the forces are summed later, the cells of
// the atoms and the neighbours that are found where rows come to lie.

import { allocate, fail, parameterF64 } from "../kernel/frame";
import { Status } from "../kernel/status";
import { count, edge, periodic, POINT, positionsAt } from "./atoms";

/** As far as rows reach beyond r_c: less, by halves, where they have no room. */
const SKIN: f64 = 0.3, LEAST_SKIN: f64 = 0.01;
/** Of what rounding loses of a way or of a place. */
const ROUNDING: f64 = 1e-3;
const WIDEST: i32 = 0xffff;
/** Room before what is found of a row, where its entries come to lie: sixteen bridges lead past a million atoms. */
const AHEAD: usize = 32;

let cutoff: f64 = 0, skin: f64 = 0, reach2: f64 = 0, made: bool = false, room: i32 = 0;
let rows: usize = 0, rowsEnd: usize = 0, ends: usize = 0, ways: usize = 0;
let lengthX: f64 = 0, lengthY: f64 = 0, lengthZ: f64 = 0, inverseX: f64 = 0, inverseY: f64 = 0, inverseZ: f64 = 0;
let cellsX: i32 = 0, cellsY: i32 = 0, cellsZ: i32 = 0, cellStarts: usize = 0;
/** By cells: x, y, z folded into the box, each of all atoms, and their numbers. */
let sortedX: usize = 0, sortedY: usize = 0, sortedZ: usize = 0, members: usize = 0;
/** Some atom has gone half a skin since rows were made. */
let gone: bool = false;

/** Memory from `scratch` on is free while rows are made: 28 bytes an atom and 8 more. */
export function layRows(radius: f64, scratch: usize): void {
  const n = count(), each = <usize>n << 3;
  cutoff = radius;
  skin = SKIN;
  made = false;
  room = <i32>parameterF64(152);
  lengthX = edge(0); lengthY = edge(1); lengthZ = edge(2);
  inverseX = periodic() ? 1.0 / lengthX : 0.0;
  inverseY = periodic() ? 1.0 / lengthY : 0.0;
  inverseZ = periodic() ? 1.0 / lengthZ : 0.0;
  layCells();
  ends = allocate(<usize>(n + 1) << 2);
  ways = allocate(<usize>n * WAY);
  const bytes = max(<usize>n * (<usize>room << 1), <usize>n << 2) + 4096;
  rows = allocate(bytes);
  rowsEnd = rows + bytes - 64;
  sortedX = scratch; sortedY = scratch + each; sortedZ = scratch + 2 * each; members = scratch + 3 * each;
}

function layCells(): void {
  cellsX = cellsAlong(lengthX); cellsY = cellsAlong(lengthY); cellsZ = cellsAlong(lengthZ);
  // Most cells of a box that is nearly empty would have nobody.
  while (<f64>cellsX * <f64>cellsY * <f64>cellsZ > <f64>max(2 * count(), 125)) {
    const most = max(cellsX, max(cellsY, cellsZ)), fewer = max(5, most - (most >> 2));
    if (cellsX == most) cellsX = fewer; else if (cellsY == most) cellsY = fewer; else cellsZ = fewer;
  }
  cellStarts = allocate(<usize>(cellsX * cellsY * cellsZ + 1) << 2);
}

function cellsAlong(length: f64): i32 {
  const cells = periodic() ? <i32>min(floor(length / (0.5 * (cutoff + SKIN))), 1e6) : 1;
  return cells < 5 ? 1 : cells;
}

/** Where rows end and what stands before them may be written over when nothing is summed any more: bytes from ends on. */
export function rowsScratch(): usize { return ends; }
export function rowsScratchBytes(): usize { return rowsEnd - ends; }

// ---- since rows were made ------------------------------------------------------------------------------

/** The way of an atom, three f32. */
const WAY: usize = 12;

/** An atom has gone on by (x, y, z). A way that is no number has left. */
@inline export function goOn(i: i32, x: f64, y: f64, z: f64): void {
  const at = ways + <usize>i * WAY;
  const a = load<f32>(at) + <f32>x, b = load<f32>(at, 4) + <f32>y, c = load<f32>(at, 8) + <f32>z;
  store<f32>(at, a); store<f32>(at, b, 4); store<f32>(at, c, 8);
  if (!(<f64>(a * a + b * b + c * c) < farthest2)) gone = true;
}
let farthest2: f64 = 0;

/** Whether every pair within r_c stands in a row still. */
export function rowsHold(): bool { return made && !gone; }

/** Where the entries of row i begin; those of i + 1 are where they end. */
@inline export function entriesOf(i: i32): usize { return rows + (<usize>load<u32>(ends + (<usize>i << 2)) << 1); }
/** The neighbour behind j that the entry at `at` leads to. */
@inline export function nextAfter(j: i32, at: usize): i32 { return j + <i32>load<u16>(at); }

// ---- cells ---------------------------------------------------------------------------------------------

export function beginRows(): void {
  useSkin(min(SKIN, 2.0 * skin));
  memory.fill(ways, 0, <usize>count() * WAY);
  gone = false;
  made = true;
  sortIntoCells();
}

function useSkin(length: f64): void {
  skin = length;
  reach2 = (cutoff + skin) * (cutoff + skin);
  const farthest = (0.5 - ROUNDING) * skin;
  farthest2 = farthest * farthest;
}

@inline function position(i: i32, axis: i32): f64 { return load<f64>(positionsAt() + <usize>i * POINT + (<usize>axis << 3)); }
/** Into the box; an open one is as it is. */
@inline function fold(x: f64, length: f64, inverse: f64): f64 { return x - length * floor(x * inverse); }
@inline function cellAt(folded: f64, inverse: f64, cells: i32): i32 { return min(max(<i32>(folded * inverse * <f64>cells), 0), cells - 1); }

function sortIntoCells(): void {
  const n = count(), cells = cellsX * cellsY * cellsZ;
  memory.fill(cellStarts, 0, <usize>(cells + 1) << 2);
  for (let i = 0; i < n; i++) {
    const x = cellAt(fold(position(i, 0), lengthX, inverseX), inverseX, cellsX);
    const y = cellAt(fold(position(i, 1), lengthY, inverseY), inverseY, cellsY);
    const z = cellAt(fold(position(i, 2), lengthZ, inverseZ), inverseZ, cellsZ);
    const cell = (z * cellsY + y) * cellsX + x, at = cellStarts + (<usize>(cell + 1) << 2);
    store<i32>(rows + (<usize>i << 2), cell);
    store<i32>(at, load<i32>(at) + 1);
  }
  for (let c: usize = 0; c < <usize>cells << 2; c += 4) store<i32>(cellStarts + c, load<i32>(cellStarts + c) + load<i32>(cellStarts + c, 4), 4);
  for (let i = n - 1; i >= 0; i--) {
    const at = cellStarts + (<usize>(load<i32>(rows + (<usize>i << 2)) + 1) << 2), place = <usize>(load<i32>(at) - 1);
    store<i32>(at, <i32>place);
    store<f64>(sortedX + (place << 3), fold(position(i, 0), lengthX, inverseX));
    store<f64>(sortedY + (place << 3), fold(position(i, 1), lengthY, inverseY));
    store<f64>(sortedZ + (place << 3), fold(position(i, 2), lengthZ, inverseZ));
    store<i32>(members + (place << 2), i);
  }
}

/** After the sort a cell's members end where the next one's begin: entry c + 1 is the start of cell c. */
@inline function cellStart(c: i32): i32 { return load<i32>(cellStarts + (<usize>(c + 1) << 2)); }
@inline function cellEnd(c: i32): i32 { return c + 1 == cellsX * cellsY * cellsZ ? count() : cellStart(c + 1); }

// ---- a row ---------------------------------------------------------------------------------------------

/** Where the next neighbour that is found goes; before its row is laid they stand in 32 bits each. */
let found: usize = 0;

/** Work units of a row, about. */
export function rowUnits(): i64 { return cellsX * cellsY * cellsZ == 1 ? <i64>count() : 4 * <i64>room; }

/** Lays row i behind the row before; false where there is no room and all begin anew with a shorter skin. */
export function makeRow(i: i32): bool {
  const start = entriesOf(i), first = ((start + 3) & ~3) + AHEAD;
  found = first;
  lookAround(i);
  if (found >= rowsEnd) {
    if (0.5 * skin < LEAST_SKIN) fail(Status.LIMIT_EXCEEDED);
    useSkin(0.5 * skin);
    return false;
  }
  sortFound(first);
  let to = start;
  for (let at = first, j = i; at < found; at += 4) {
    let gap = load<i32>(at) - j;
    j += gap;
    for (; gap > WIDEST; gap -= WIDEST, to += 2) store<u16>(to, <u16>WIDEST);
    store<u16>(to, <u16>gap);
    to += 2;
  }
  store<u32>(ends + (<usize>(i + 1) << 2), <u32>(to - rows >> 1));
  return true;
}

function lookAround(i: i32): void {
  const x = fold(position(i, 0), lengthX, inverseX), y = fold(position(i, 1), lengthY, inverseY), z = fold(position(i, 2), lengthZ, inverseZ);
  const row = cellAt(y, inverseY, cellsY), layer = cellAt(z, inverseZ, cellsZ), wide = (cutoff + skin) * (1.0 + ROUNDING);
  const farY = cellsY == 1 ? 0 : 2, farZ = cellsZ == 1 ? 0 : 2;
  for (let dz = -farZ; dz <= farZ; dz++) {
    const awayZ = gapTo(dz, z, layer, lengthZ / <f64>cellsZ);
    for (let dy = -farY; dy <= farY; dy++) {
      const awayY = gapTo(dy, y, row, lengthY / <f64>cellsY), left = wide * wide - awayZ * awayZ - awayY * awayY;
      if (left > 0.0) lookAlong(i, x, y, z, wrapped(layer + dz, cellsZ) * cellsY + wrapped(row + dy, cellsY), sqrt(left));
    }
  }
}

@inline function wrapped(c: i32, cells: i32): i32 { return c < 0 ? c + cells : c >= cells ? c - cells : c; }

/** How far the cells `step` from an atom's own are away from it. */
@inline function gapTo(step: i32, x: f64, cell: i32, size: f64): f64 {
  if (step == 0) return 0.0;
  const inside = x - <f64>cell * size;
  return max(0.0, step > 0 ? <f64>step * size - inside : inside - <f64>(step + 1) * size);
}

/** Cells of a line from x − half to x + half; what reaches over its ends is at its other end. */
function lookAlong(i: i32, x: f64, y: f64, z: f64, line: i32, half: f64): void {
  const perCell = inverseX * <f64>cellsX, from = line * cellsX;
  const x0 = <i32>floor((x - half) * perCell), x1 = <i32>floor((x + half) * perCell);
  if (x1 - x0 + 1 >= cellsX) { lookThrough(i, x, y, z, cellStart(from), cellEnd(from + cellsX - 1)); return; }
  if (x0 < 0) lookThrough(i, x, y, z, cellStart(from + x0 + cellsX), cellEnd(from + cellsX - 1));
  lookThrough(i, x, y, z, cellStart(from + max(x0, 0)), cellEnd(from + min(x1, cellsX - 1)));
  if (x1 >= cellsX) lookThrough(i, x, y, z, cellStart(from), cellEnd(from + x1 - cellsX));
}

@inline function near2(d: v128, length: f64, inverse: f64): v128 {
  return f64x2.sub(d, f64x2.mul(f64x2.splat(length), f64x2.nearest(f64x2.mul(d, f64x2.splat(inverse)))));
}

/** Of the sorted atoms [from, end), two at a time, those behind i within reach are found. Each is written, and kept or not. */
function lookThrough(i: i32, x: f64, y: f64, z: f64, from: i32, end: i32): void {
  const reach = f64x2.splat(reach2), px = f64x2.splat(x), py = f64x2.splat(y), pz = f64x2.splat(z);
  let to = found;
  for (let k = from; k < end; k += 2) {
    const at = <usize>k << 3;
    const dx = near2(f64x2.sub(px, v128.load(sortedX + at)), lengthX, inverseX);
    const dy = near2(f64x2.sub(py, v128.load(sortedY + at)), lengthY, inverseY);
    const dz = near2(f64x2.sub(pz, v128.load(sortedZ + at)), lengthZ, inverseZ);
    const r2 = f64x2.add(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)), f64x2.mul(dz, dz));
    const hits = i64x2.bitmask(f64x2.lt(r2, reach));
    const j0 = load<i32>(members + (at >> 1)), j1 = load<i32>(members + (at >> 1), 4);
    if (to >= rowsEnd) break;
    store<i32>(to, j0);
    to += <usize>((hits & 1) & i32(j0 > i)) << 2;
    store<i32>(to, j1);
    to += <usize>((hits >> 1) & i32(j1 > i) & i32(k + 1 < end)) << 2;
  }
  found = to;
}

/** By insertion: a row has some forty entries. */
function sortFound(first: usize): void {
  for (let at = first + 4; at < found; at += 4) {
    const j = load<i32>(at);
    let to = at;
    for (; to > first && load<i32>(to - 4) > j; to -= 4) store<i32>(to, load<i32>(to - 4));
    store<i32>(to, j);
  }
}

@inline function nearest1(d: f64, length: f64, inverse: f64): f64 { return d - length * nearest(d * inverse); }

export function distance2(i: i32, j: i32): f64 {
  const x = nearest1(position(i, 0) - position(j, 0), lengthX, inverseX), y = nearest1(position(i, 1) - position(j, 1), lengthY, inverseY);
  const z = nearest1(position(i, 2) - position(j, 2), lengthZ, inverseZ);
  return x * x + y * y + z * z;
}
