// Row-wise storage of a level's matrix and its product with a vector. Inside a patch the neighbours of a node
// depend on its class alone, so no column index is stored: a class has a stencil of 25, 15, 15 or 9 neighbours
// (level 0) or 9 (Q1), and a row of nodes is a list of shifted rows. Coefficients of a row lie in tiles of T nodes
// (T = 8 for one unknown, 4 for two), then pairs:
//
//   tile: for each neighbour, for each entry of its d×d block, T numbers
//
// Two neighbouring nodes fill the lanes of f64x2, so that each sum runs over the neighbours in their order and
// has the bits of the scalar loop. A neighbour outside the patch has coefficient zero; what is read there is any
// finite number of the same vector or its guard.
//
// A smoother needs coefficients in f32 alone: on level 0 they stand beside those in f64; on coarser levels they move together
// to the beginning of their room once all are there, and the level's vectors take the rest.

import { allocate } from "../kernel/frame";
import { SEATS, TEAM, each, seat } from "../kernel/team";
import {
  C, H, LevelField, V, W, bottomLevel, cellsT, classCoefficients, classStencil, classStride, classesOf, copyIndex, cycleBytes,
  gridAt, keptRow, layCycle, levelField, levelSize, lineCoefficients, lineStride, rowsOf, setClassCoefficients, setClassStencil,
  setLevelField, setLineCoefficients,
} from "./levels";
import { patchCount, unknownsPerNode } from "./problem";
import { alongS, alongT } from "./shape";

// ---- stencils --------------------------------------------------------------------------------------------

/** (class, di, dj) of each neighbour, three i8 each; in the order of the coefficients. */
const AROUND_V = memory.data<i8>([
  0, -1, -1, 0, 0, -1, 0, 1, -1, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 1, 0, 0, 1, 0, 1, 1,
  1, -1, -1, 1, 0, -1, 1, -1, 0, 1, 0, 0, 1, -1, 1, 1, 0, 1,
  2, -1, -1, 2, 0, -1, 2, 1, -1, 2, -1, 0, 2, 0, 0, 2, 1, 0,
  3, -1, -1, 3, 0, -1, 3, -1, 0, 3, 0, 0,
]);
const AROUND_H = memory.data<i8>([
  0, 0, -1, 0, 1, -1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1,
  1, 0, -1, 1, 0, 0, 1, 0, 1,
  2, 0, -1, 2, 1, -1, 2, 0, 0, 2, 1, 0,
  3, 0, -1, 3, 0, 0,
]);
const AROUND_W = memory.data<i8>([
  0, -1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 1, 0, 0, 1, 0, 1, 1,
  1, -1, 0, 1, 0, 0, 1, -1, 1, 1, 0, 1,
  2, -1, 0, 2, 0, 0, 2, 1, 0,
  3, -1, 0, 3, 0, 0,
]);
const AROUND_C = memory.data<i8>([
  0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1,
  1, 0, 0, 1, 0, 1,
  2, 0, 0, 2, 1, 0,
  3, 0, 0,
]);

function around(k: i32): usize { return k == V ? AROUND_V : k == H ? AROUND_H : k == W ? AROUND_W : AROUND_C; }

/** Number of neighbours of a class, itself included. */
export function neighbours(l: i32, k: i32): i32 { return l > 0 ? 9 : k == V ? 25 : k == C ? 9 : 15; }

/** Place of neighbour (class, di, dj) in the stencil of class k. */
function slotOf(k: i32, kind: i32, di: i32, dj: i32): i32 {
  let entry = around(k);
  for (let s = 0; s < 25; s++) {
    if (load<i8>(entry) == kind && load<i8>(entry, 1) == di && load<i8>(entry, 2) == dj) return s;
    entry += 3;
  }
  return -1;
}
/** Place of the node itself in its stencil. */
export function ownSlot(k: i32): i32 { return slotOf(k, k, 0, 0); }

/** Class of local node a of an element, and its index relative to the cell. */
@inline export function nodeClass(a: i32): i32 { return (alongS(a) == 1 ? 1 : 0) + (alongT(a) == 1 ? 2 : 0); }
@inline export function nodeI(a: i32): i32 { return alongS(a) >> 1; }
@inline export function nodeJ(a: i32): i32 { return alongT(a) >> 1; }

let elementSlots: usize = 0;
/** Place of local node b in the stencil of local node a. */
@inline export function elementSlot(a: i32, b: i32): i32 { return <i32>load<u8>(elementSlots + <usize>(a * 9 + b)); }

export function layElementSlots(): void {
  elementSlots = allocate(81);
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      const slot = slotOf(nodeClass(a), nodeClass(b), nodeI(b) - nodeI(a), nodeJ(b) - nodeJ(a));
      store<u8>(elementSlots + <usize>(a * 9 + b), <u8>slot);
    }
  }
}

// ---- rows ------------------------------------------------------------------------------------------------

// A stencil: i32 count, then per neighbour the index of its row for j = 0 and the stride of its rows.
// A row: length, stencil, j, first copy, first coefficient, patch, first rounded coefficient. The rows of a patch
// stand in the order of their copies: by j, then by class.
const ROW: usize = 28;
@inline function rowAt(l: i32, row: i32): usize { return <usize>levelField(l, LevelField.ROWS_AT) + <usize>row * ROW; }
@inline export function rowLength(l: i32, row: i32): i32 { return load<i32>(rowAt(l, row)); }
@inline export function rowJ(l: i32, row: i32): i32 { return load<i32>(rowAt(l, row), 8); }
@inline export function rowPatch(l: i32, row: i32): i32 { return load<i32>(rowAt(l, row), 20); }
export function rowClass(l: i32, row: i32): i32 {
  const grid = gridAt(l, rowPatch(l, row)), stencil = load<u32>(rowAt(l, row), 4);
  for (let k = 0; k < classesOf(l) - 1; k++) if (classStencil(grid, k) == stencil) return k;
  return classesOf(l) - 1;
}
/** First copy of a row; one row begins where the one before it ends. */
@inline export function rowFirst(l: i32, row: i32): i32 { return load<i32>(rowAt(l, row), 12); }
@inline export function rowEnd(l: i32, row: i32): i32 { return rowFirst(l, row) + rowLength(l, row); }
@inline export function rowCount(l: i32): i32 { return levelField(l, LevelField.ROWS); }
/** How many rows away those are at most that a stencil reads: from V of one j to H of the next. */
@inline export function reach(l: i32): i32 { return l == 0 ? 5 : 1; }

/** Where the neighbours of a row are: a room of POINTERS a thread, and that of this one. */
let pointerRooms: usize = 0, pointers: usize = 0;
const POINTERS: usize = 128;

/** Before rows are gone through in a block (../kernel/team.ts). */
export function takePointers(): void { pointers = pointerRooms + <usize>seat() * POINTERS; }

function layStencil(l: i32, grid: usize, k: i32): void {
  const n = neighbours(l, k);
  const stencil = allocate(<usize>(4 + 8 * n));
  store<i32>(stencil, n);
  for (let s = 0; s < n; s++) {
    const entry = around(k) + <usize>(3 * s);
    const kind = <i32>load<i8>(entry), di = <i32>load<i8>(entry, 1), dj = <i32>load<i8>(entry, 2);
    store<i32>(stencil + <usize>(8 * s), copyIndex(grid, kind, di, dj), 4);
    store<i32>(stencil + <usize>(8 * s), lineStride(grid), 8);
  }
  setClassStencil(grid, k, stencil);
}

/** Rounded coefficients are those of A times a factor, so that no stiffness leaves the range of f32. */
let roundedBack: f64 = 1;
@inline export function largestCoefficient(): f64 { return roundedBack; }

/** Numbers in a row of coefficients of a class. */
@inline function rowCoefficients(l: i32, grid: usize, k: i32): i32 {
  return classStride(grid, k) * neighbours(l, k) * unknownsPerNode() * unknownsPerNode();
}

/** Numbers in those that are kept: whole lines, and of the last one what it has. */
function keptCoefficients(l: i32, grid: usize): i32 {
  let count = keptRow(grid, V, cellsT(grid)) * lineCoefficients(grid);
  for (let k = 0; k < classesOf(l); k++) if (rowsOf(grid, k) > cellsT(grid)) count += rowCoefficients(l, grid, k);
  return count;
}

/** Coefficients of the finest level that one thread rounds at a time, some 30 µs. */
const ROUNDED_AT_ONCE: i32 = 65536;

/** Rounds the coefficients of all levels but the last; `largest` is at least the size of every one of the finest. */
export function roundCoefficients(largest: f64): void {
  roundedBack = largest > 0 ? largest : 1;
  each(roundBlock, (levelCoefficients(0) + ROUNDED_AT_ONCE - 1) / ROUNDED_AT_ONCE);
  for (let l = 1; l < bottomLevel(); l++) {
    const count = levelCoefficients(l);
    roundSome(l, 0, count);
    memory.fill(<usize>levelField(l, LevelField.ROUNDED) + (<usize>count << 2), 0, max(<usize>count << 2, cycleBytes(l)));
  }
}

function roundBlock(block: i32): void {
  roundSome(0, block * ROUNDED_AT_ONCE, min((block + 1) * ROUNDED_AT_ONCE, levelCoefficients(0)));
}

function roundSome(l: i32, from: i32, to: i32): void {
  const source = <usize>levelField(l, LevelField.COEFFICIENTS), target = <usize>levelField(l, LevelField.ROUNDED);
  const factor = f64x2.splat(1 / roundedBack);
  for (let n = from; n < to; n += 2) {
    const at = <usize>n << 2;
    v128.store64_lane(target + at, f32x4.demote_f64x2_zero(f64x2.mul(factor, v128.load(source + 2 * at))), 0);
  }
}

function levelCoefficients(l: i32): i32 {
  let count = 0;
  for (let p = 0; p < patchCount(); p++) count += keptCoefficients(l, gridAt(l, p));
  return count;
}

/** Coefficients of the level, one patch behind the other. */
function layCoefficients(l: i32): void {
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p);
    let line = 0;
    for (let k = 0; k < classesOf(l); k++) line += rowCoefficients(l, grid, k);
    setLineCoefficients(grid, line);
  }
  const count = <usize>levelCoefficients(l), isInner = l > 0 && l < bottomLevel();
  let at = allocate(isInner ? max(count << 3, (count << 2) + cycleBytes(l)) : count << 3);
  setLevelField(l, LevelField.COEFFICIENTS, <i32>at);
  setLevelField(l, LevelField.ROUNDED, <i32>(l == 0 ? allocate(count << 2) : at));
  if (l > 0) layCycle(l, isInner ? at + (count << 2) : allocate(cycleBytes(l)));
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p);
    let first = at;
    for (let k = 0; k < classesOf(l); k++) {
      setClassCoefficients(grid, k, first);
      first += <usize>rowCoefficients(l, grid, k) << 3;
    }
    at += <usize>keptCoefficients(l, grid) << 3;
  }
}

/** Lays out the coefficients and the table of rows of a level, and of a coarser one its vectors. */
export function layRows(l: i32): void {
  if (l == 0) {
    pointerRooms = allocate(<usize>(TEAM ? SEATS : 1) * POINTERS);
    pointers = pointerRooms;
  }
  layCoefficients(l);
  const room = <usize>levelField(l, LevelField.COEFFICIENTS), rounded = <usize>levelField(l, LevelField.ROUNDED);
  let rows = 0;
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p);
    for (let k = 0; k < classesOf(l); k++) {
      layStencil(l, grid, k);
      rows += rowsOf(grid, k);
    }
  }
  setLevelField(l, LevelField.ROWS, rows);
  setLevelField(l, LevelField.ROWS_AT, <i32>allocate(<usize>rows * ROW));
  let at = rowAt(l, 0);
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(l, p);
    for (let j = 0; j <= cellsT(grid); j++) {
      for (let k = 0; k < classesOf(l) && j < rowsOf(grid, k); k++) {
        const first = classCoefficients(grid, k) + (firstCoefficient(grid, k, j) << 3);
        store<i32>(at, classStride(grid, k));
        store<i32>(at, <i32>classStencil(grid, k), 4);
        store<i32>(at, j, 8);
        store<i32>(at, copyIndex(grid, k, 0, j), 12);
        store<i32>(at, <i32>first, 16);
        store<i32>(at, p, 20);
        store<i32>(at, <i32>(rounded + ((first - room) >> 1)), 24);
        at += ROW;
      }
    }
  }
}

/** How many numbers after the first coefficient of its class that of row j lies. */
@inline function firstCoefficient(grid: usize, k: i32, j: i32): usize { return <usize>(keptRow(grid, k, j) * lineCoefficients(grid)); }

/** Address of entry 0 of slot 0 of node i of row j; entries and slots follow at nodeSteps. */
export function nodeCoefficients(l: i32, grid: usize, k: i32, i: i32, j: i32): usize {
  const d = unknownsPerNode(), perNode = neighbours(l, k) * d * d;
  const tile = d == 1 ? 8 : 4;
  const full = classStride(grid, k) & ~(tile - 1);
  const row = classCoefficients(grid, k) + (firstCoefficient(grid, k, j) << 3);
  const index = i < full
    ? (i & ~(tile - 1)) * perNode + (i & (tile - 1))
    : full * perNode + ((i - full) & ~1) * perNode + (i & 1);
  return row + (<usize>index << 3);
}
/** Bytes between two entries of a block for node i of a row; a block of a slot has d·d of them. */
export function entryStep(grid: usize, k: i32, i: i32): usize {
  const tile = unknownsPerNode() == 1 ? 8 : 4;
  return i < (classStride(grid, k) & ~(tile - 1)) ? <usize>tile << 3 : 16;
}

// ---- product ---------------------------------------------------------------------------------------------

/** Coefficients of a row: its work. */
@inline export function rowWork(l: i32, row: i32): i32 {
  const d = unknownsPerNode();
  return rowLength(l, row) * load<i32>(<usize>load<i32>(rowAt(l, row), 4)) * d * d;
}

/** Addresses in x, of numbers of 1 << shift bytes, that the neighbours of row j's first node have; where they end. */
function point(stencil: usize, j: i32, x: usize, shift: usize): usize {
  const count = load<i32>(stencil);
  for (let s = 0; s < count; s++) {
    const entry = stencil + (<usize>s << 3);
    store<u32>(pointers + (<usize>s << 2), <u32>(x + (<usize>(load<i32>(entry, 4) + j * load<i32>(entry, 8)) << shift)));
  }
  return pointers + (<usize>count << 2);
}

/** Rows [from, to) of y = A x, or of y −= A x, on level 0. x is spread; y is parted. */
export function applyRows(x: usize, y: usize, subtract: bool, from: i32, to: i32): void {
  const component = <usize>levelSize(0) << 3;
  const single = unknownsPerNode() == 1;
  for (let row = from; row < to; row++) {
    const at = rowAt(0, row), a = <usize>load<u32>(at, 16);
    const end = point(<usize>load<u32>(at, 4), load<i32>(at, 8), x, 3);
    const out = y + (<usize>load<i32>(at, 12) << 3);
    if (single) applyRow1(load<i32>(at), end, a, out, subtract);
    else applyRow2(load<i32>(at), end, a, out, component, subtract);
  }
}

/**
 * Rows [from, to) of y −= A x with x, the coefficients and the sums in f32: what a smoother needs, in half the memory
 * and with four numbers to an operation. x is spread; y is parted.
 */
export function subtractRounded(l: i32, x: usize, y: usize, from: i32, to: i32): void {
  const component = <usize>levelSize(l) << 2;
  const single = unknownsPerNode() == 1;
  for (let row = from; row < to; row++) {
    const at = rowAt(l, row), a = <usize>load<u32>(at, 24);
    const end = point(<usize>load<u32>(at, 4), load<i32>(at, 8), x, 2);
    const out = y + (<usize>load<i32>(at, 12) << 3);
    if (single) roundedRow1(load<i32>(at), end, a, out);
    else roundedRow2(load<i32>(at), end, a, out, component);
  }
}

function applyRow1(n: i32, end: usize, a: usize, y: usize, subtract: bool): void {
  let offset: usize = 0;
  const full = <usize>(n & ~7) << 3, whole = <usize>n << 3;
  while (offset < full) {
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let q = pointers; q < end; q += 4) {
      const x = <usize>load<u32>(q) + offset;
      s0 = f64x2.add(s0, f64x2.mul(v128.load(a), v128.load(x)));
      s1 = f64x2.add(s1, f64x2.mul(v128.load(a, 16), v128.load(x, 16)));
      s2 = f64x2.add(s2, f64x2.mul(v128.load(a, 32), v128.load(x, 32)));
      s3 = f64x2.add(s3, f64x2.mul(v128.load(a, 48), v128.load(x, 48)));
      a += 64;
    }
    const to = y + offset;
    if (subtract) {
      s0 = f64x2.sub(v128.load(to), s0); s1 = f64x2.sub(v128.load(to, 16), s1);
      s2 = f64x2.sub(v128.load(to, 32), s2); s3 = f64x2.sub(v128.load(to, 48), s3);
    }
    v128.store(to, s0); v128.store(to, s1, 16); v128.store(to, s2, 32); v128.store(to, s3, 48);
    offset += 64;
  }
  while (offset < whole) {
    let s0 = f64x2.splat(0);
    for (let q = pointers; q < end; q += 4) {
      s0 = f64x2.add(s0, f64x2.mul(v128.load(a), v128.load(<usize>load<u32>(q) + offset)));
      a += 16;
    }
    const to = y + offset;
    v128.store(to, subtract ? f64x2.sub(v128.load(to), s0) : s0);
    offset += 16;
  }
}

function applyRow2(n: i32, end: usize, a: usize, y: usize, component: usize, subtract: bool): void {
  let offset: usize = 0;
  const full = <usize>(n & ~3) << 3, whole = <usize>n << 3;
  while (offset < full) {
    let s0 = f64x2.splat(0), s1 = s0, t0 = s0, t1 = s0;
    for (let q = pointers; q < end; q += 4) {
      const x = <usize>load<u32>(q) + offset;
      const u0 = v128.load(x), u1 = v128.load(x, 16);
      const v0 = v128.load(x + component), v1 = v128.load(x + component, 16);
      s0 = f64x2.add(f64x2.add(s0, f64x2.mul(v128.load(a), u0)), f64x2.mul(v128.load(a, 32), v0));
      s1 = f64x2.add(f64x2.add(s1, f64x2.mul(v128.load(a, 16), u1)), f64x2.mul(v128.load(a, 48), v1));
      t0 = f64x2.add(f64x2.add(t0, f64x2.mul(v128.load(a, 64), u0)), f64x2.mul(v128.load(a, 96), v0));
      t1 = f64x2.add(f64x2.add(t1, f64x2.mul(v128.load(a, 80), u1)), f64x2.mul(v128.load(a, 112), v1));
      a += 128;
    }
    const to = y + offset, to2 = to + component;
    if (subtract) {
      s0 = f64x2.sub(v128.load(to), s0); s1 = f64x2.sub(v128.load(to, 16), s1);
      t0 = f64x2.sub(v128.load(to2), t0); t1 = f64x2.sub(v128.load(to2, 16), t1);
    }
    v128.store(to, s0); v128.store(to, s1, 16); v128.store(to2, t0); v128.store(to2, t1, 16);
    offset += 32;
  }
  while (offset < whole) {
    let s0 = f64x2.splat(0), t0 = s0;
    for (let q = pointers; q < end; q += 4) {
      const x = <usize>load<u32>(q) + offset;
      const u0 = v128.load(x), v0 = v128.load(x + component);
      s0 = f64x2.add(f64x2.add(s0, f64x2.mul(v128.load(a), u0)), f64x2.mul(v128.load(a, 16), v0));
      t0 = f64x2.add(f64x2.add(t0, f64x2.mul(v128.load(a, 32), u0)), f64x2.mul(v128.load(a, 48), v0));
      a += 64;
    }
    const to = y + offset, to2 = to + component;
    v128.store(to, subtract ? f64x2.sub(v128.load(to), s0) : s0);
    v128.store(to2, subtract ? f64x2.sub(v128.load(to2), t0) : t0);
    offset += 16;
  }
}

/** The last two of four f32 as f64. */
@inline export function widenedHigh(four: v128): v128 { return f64x2.promote_low_f32x4(v128.shuffle<f32>(four, four, 2, 3, 2, 3)); }

/** Four numbers of y less s. */
@inline function subtractFour(y: usize, back: v128, s: v128): void {
  v128.store(y, f64x2.sub(v128.load(y), f64x2.mul(back, f64x2.promote_low_f32x4(s))));
  v128.store(y, f64x2.sub(v128.load(y, 16), f64x2.mul(back, widenedHigh(s))), 16);
}
@inline function subtractTwo(y: usize, back: v128, s: v128): void {
  v128.store(y, f64x2.sub(v128.load(y), f64x2.mul(back, f64x2.promote_low_f32x4(s))));
}

/** Two tiles go together, for the length of their chains of sums. */
function roundedRow1(n: i32, end: usize, a: usize, y: usize): void {
  let offset: usize = 0;
  const back = f64x2.splat(roundedBack);
  const pairs = <usize>(n & ~15) << 2, full = <usize>(n & ~7) << 2, whole = <usize>n << 2;
  const tile = (end - pointers) << 3;
  while (offset < pairs) {
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let b = a + tile;
    for (let q = pointers; q < end; q += 4) {
      const x = <usize>load<u32>(q) + offset;
      s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(x)));
      s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(x, 16)));
      s2 = f32x4.add(s2, f32x4.mul(v128.load(b), v128.load(x, 32)));
      s3 = f32x4.add(s3, f32x4.mul(v128.load(b, 16), v128.load(x, 48)));
      a += 32; b += 32;
    }
    a = b;
    const to = y + (offset << 1);
    subtractFour(to, back, s0); subtractFour(to + 32, back, s1);
    subtractFour(to + 64, back, s2); subtractFour(to + 96, back, s3);
    offset += 64;
  }
  while (offset < full) {
    let s0 = f32x4.splat(0), s1 = s0;
    for (let q = pointers; q < end; q += 4) {
      const x = <usize>load<u32>(q) + offset;
      s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(x)));
      s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(x, 16)));
      a += 32;
    }
    subtractFour(y + (offset << 1), back, s0); subtractFour(y + (offset << 1) + 32, back, s1);
    offset += 32;
  }
  while (offset < whole) {
    let s0 = f32x4.splat(0);
    for (let q = pointers; q < end; q += 4) {
      s0 = f32x4.add(s0, f32x4.mul(v128.load64_zero(a), v128.load64_zero(<usize>load<u32>(q) + offset)));
      a += 8;
    }
    subtractTwo(y + (offset << 1), back, s0);
    offset += 8;
  }
}

function roundedRow2(n: i32, end: usize, a: usize, y: usize, component: usize): void {
  let offset: usize = 0;
  const back = f64x2.splat(roundedBack);
  const full = <usize>(n & ~3) << 2, whole = <usize>n << 2;
  while (offset < full) {
    let s0 = f32x4.splat(0), s1 = s0, t0 = s0, t1 = s0;
    for (let q = pointers; q < end; q += 4) {
      const x = <usize>load<u32>(q) + offset;
      const u = v128.load(x), v = v128.load(x + component);
      s0 = f32x4.add(s0, f32x4.mul(v128.load(a), u));
      s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v));
      t0 = f32x4.add(t0, f32x4.mul(v128.load(a, 32), u));
      t1 = f32x4.add(t1, f32x4.mul(v128.load(a, 48), v));
      a += 64;
    }
    const to = y + (offset << 1);
    subtractFour(to, back, f32x4.add(s0, s1));
    subtractFour(to + (component << 1), back, f32x4.add(t0, t1));
    offset += 16;
  }
  while (offset < whole) {
    let s0 = f32x4.splat(0), s1 = s0, t0 = s0, t1 = s0;
    for (let q = pointers; q < end; q += 4) {
      const x = <usize>load<u32>(q) + offset;
      const u = v128.load64_zero(x), v = v128.load64_zero(x + component);
      s0 = f32x4.add(s0, f32x4.mul(v128.load64_zero(a), u));
      s1 = f32x4.add(s1, f32x4.mul(v128.load64_zero(a, 8), v));
      t0 = f32x4.add(t0, f32x4.mul(v128.load64_zero(a, 16), u));
      t1 = f32x4.add(t1, f32x4.mul(v128.load64_zero(a, 24), v));
      a += 32;
    }
    const to = y + (offset << 1);
    subtractTwo(to, back, f32x4.add(s0, s1));
    subtractTwo(to + (component << 1), back, f32x4.add(t0, t1));
    offset += 8;
  }
}
