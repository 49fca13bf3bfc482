// A cavity of square cells, in nine-node elements (Zienkiewicz & Taylor, The Finite Element Method 1, §8.3): K = ∫ ∇p·∇v and
// M = ∫ p v are products of the matrices of a line, ⅓ (7, −8, 1; 16, −8; 7)/h and h/30 (4, 2, −1; 16, 2; 4). Elements are
// rectangles between lines that stand closer towards corners (assembly/acoustics/mask-lines.ts).
//
// Parameters (f64): 0, 8 cells along x, y · 16 edge of a cell [m] · 24 elements on it · 32 … 56 left, right, bottom, top: 0
//   rigid, 1 open · 64 walls inside, likewise · 72 modes · 80 iterations at most · 88 the mode whose p is kept · 96 cells from the bottom, row by
//   row: 1 air, 0 none · then elements of the coarsest mesh on the edge of a cell, and its lines along x, then y
//
// Lengths count in edges of a cell. Nodes that are free are numbered along the shorter side first, which gives the
// half bandwidth `band`; −1: no air, or p = 0.

import { allocate, parameterF64, parameters } from "../kernel/frame";
import { bandAt } from "../linear/banded";
import { elementAlong, placeWithin, widthAlong } from "./mask-lines";

export const CELLS: usize = 96;

const STIFF = memory.data<f64>([7, -8, 1, -8, 16, -8, 1, -8, 7]);
const MASS = memory.data<f64>([4, 2, -1, 2, 16, 2, -1, 2, 4]);

function cellsEnd(): usize { return CELLS + (<usize>(cellsX * cellsY) << 3); }
/** The mask alone ends here; what belongs to driven sound and to walls follows. */
export function maskEnd(): usize { return cellsEnd() + 8 + (<usize>(coarse * (cellsX + cellsY) + 2) << 3); }

export let columns: i32 = 0, rows: i32 = 0, n: i32 = 0, band: i32 = 0;
export let cellsX: i32 = 0, cellsY: i32 = 0, fine: i32 = 0;
/** Elements of the coarsest mesh on the edge of a cell, and of this one in each. */
let coarse: i32 = 0, parts: i32 = 0, linesX: usize = 0, linesY: usize = 0;
let numbers: usize = 0, airs: usize = 0, alongX: usize = 0, alongY: usize = 0, elementM: usize = 0, ids: usize = 0;
/** Sides of the element that is visited; length of the edge. */
let wide: f64 = 0, high: f64 = 0, edge: f64 = 0;

@inline export function isAir(cx: i32, cy: i32): bool {
  if (cx < 0 || cy < 0 || cx >= cellsX || cy >= cellsY) return false;
  return parameterF64(CELLS + (<usize>(cy * cellsX + cx) << 3)) == 1.0;
}

/** Elements of the whole grid, and whether one is air. */
@inline export function elementColumns(): i32 { return fine * cellsX; }
@inline export function elementRows(): i32 { return fine * cellsY; }
@inline export function isAirElement(x: i32, y: i32): bool {
  if (x < 0 || y < 0 || x >= fine * cellsX || y >= fine * cellsY) return false;
  return load<u8>(airs + <usize>(y * fine * cellsX + x)) == 1;
}

/** Number of the node in column i, row j of the whole grid. */
@inline export function numberOf(i: i32, j: i32): i32 { return load<i32>(numbers + (<usize>(j * columns + i) << 2)); }

@inline export function setNumber(i: i32, j: i32, number: i32): void { store<i32>(numbers + (<usize>(j * columns + i) << 2), number); }

export function readMask(): void {
  cellsX = <i32>parameterF64(0);
  cellsY = <i32>parameterF64(8);
  fine = <i32>parameterF64(24);
  coarse = <i32>parameterF64(cellsEnd());
  parts = fine / coarse;
  linesX = parameters() + cellsEnd() + 8;
  linesY = linesX + (<usize>(coarse * cellsX + 1) << 3);
  columns = 2 * fine * cellsX + 1;
  rows = 2 * fine * cellsY + 1;
  numbers = allocate((<usize>columns * <usize>rows) << 2);
  alongX = allocate(81 * 8);
  alongY = allocate(81 * 8);
  elementM = allocate(81 * 8);
  ids = allocate(36);
  airs = allocate(<usize>(fine * cellsX) * <usize>(fine * cellsY));
  for (let y = 0; y < fine * cellsY; y++) {
    for (let x = 0; x < fine * cellsX; x++) store<u8>(airs + <usize>(y * fine * cellsX + x), isAir(x / fine, y / fine) ? 1 : 0);
  }
  numberNodes();
  layOutElement();
  band = 0;
  eachElement(widen);
}

function numberNodes(): void {
  n = 0;
  const wide = columns > rows, outer = max(columns, rows), inner = min(columns, rows);
  for (let a = 0; a < outer; a++) {
    for (let b = 0; b < inner; b++) {
      const i = wide ? a : b, j = wide ? b : a;
      store<i32>(numbers + (<usize>(j * columns + i) << 2), isFree(i, j) ? n++ : -1);
    }
  }
}

/** A node has up to four cells around it. */
function isFree(i: i32, j: i32): bool {
  const edge = 2 * fine, left = i % edge == 0, low = j % edge == 0;
  let air = 0, around = 0;
  for (let dx = left ? -1 : 0; dx <= 0; dx++) {
    for (let dy = low ? -1 : 0; dy <= 0; dy++) {
      const cx = i / edge + dx, cy = j / edge + dy;
      if (cx >= 0 && cy >= 0 && cx < cellsX && cy < cellsY) around++;
      if (isAir(cx, cy)) air++;
    }
  }
  if (air == 0) return false;
  if (air < around && parameterF64(64) == 1.0) return false;
  if ((i == 0 && parameterF64(32) == 1.0) || (i == columns - 1 && parameterF64(40) == 1.0)) return false;
  return !((j == 0 && parameterF64(48) == 1.0) || (j == rows - 1 && parameterF64(56) == 1.0));
}

/** Of an element with sides of 1: ∂p/∂x ∂v/∂x, ∂p/∂y ∂v/∂y and p v. */
function layOutElement(): void {
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      const x = (a % 3) * 3 + b % 3, y = a / 3 * 3 + b / 3, to = <usize>(9 * a + b) << 3;
      const kx = load<f64>(STIFF + (<usize>x << 3)), ky = load<f64>(STIFF + (<usize>y << 3));
      const mx = load<f64>(MASS + (<usize>x << 3)), my = load<f64>(MASS + (<usize>y << 3));
      store<f64>(alongX + to, kx * my / 90.0);
      store<f64>(alongY + to, mx * ky / 90.0);
      store<f64>(elementM + to, mx * my / 900.0);
    }
  }
}

/** Calls `visit` for each element of air, its nine numbers in `ids`. */
export function eachElement(visit: () => void): void {
  for (let ey = 0; ey < fine * cellsY; ey++) {
    high = widthAlong(linesY, parts, ey);
    for (let ex = 0; ex < fine * cellsX; ex++) {
      if (!isAirElement(ex, ey)) continue;
      wide = widthAlong(linesX, parts, ex);
      for (let a = 0; a < 9; a++) store<i32>(ids + (<usize>a << 2), numberOf(2 * ex + a % 3, 2 * ey + a / 3));
      visit();
    }
  }
}

/** Number a of what is visited, an element or an edge. */
@inline export function id(a: i32): i32 { return load<i32>(ids + (<usize>a << 2)); }
@inline export function setId(a: i32, number: i32): void { store<i32>(ids + (<usize>a << 2), number); }
@inline export function stiffEntry(a: i32, b: i32): f64 {
  const from = <usize>(9 * a + b) << 3;
  return load<f64>(alongX + from) * (high / wide) + load<f64>(alongY + from) * (wide / high);
}
@inline export function massEntry(a: i32, b: i32): f64 { return wide * high * load<f64>(elementM + (<usize>(9 * a + b) << 3)); }

/** Takes the edge at the left or right of element (x, y), or at its bottom or top. */
export function takeEdge(x: i32, y: i32, upright: bool): void { edge = upright ? widthAlong(linesY, parts, y) : widthAlong(linesX, parts, x); }
/** ∫ N_a N_b along the edge. */
export function edgeMass(a: i32, b: i32): f64 { return edge * load<f64>(MASS + (<usize>(3 * a + b) << 3)) / 30.0; }
/** ∫ N_a along it. */
export function edgeLength(a: i32): f64 { return edge * (a == 1 ? 4.0 : 1.0) / 6.0; }

/** The element that holds (x, y), of those along one axis. */
export function elementAtX(x: f64): i32 { return elementAlong(linesX, parts, fine * cellsX, x); }
export function elementAtY(y: f64): i32 { return elementAlong(linesY, parts, fine * cellsY, y); }
/** Where in that element it stands, from 0 to 1. */
export function withinX(e: i32, x: f64): f64 { return placeWithin(linesX, parts, e, x); }
export function withinY(e: i32, y: f64): f64 { return placeWithin(linesY, parts, e, y); }

function widen(): void {
  for (let a = 0; a < 9; a++) for (let b = 0; b < 9; b++) if (id(a) >= 0 && id(b) >= 0) band = max(band, id(a) - id(b));
}

let target: usize = 0, shift: f64 = 0;

/** K − σM, into a band that is zero. */
export function assembleBand(to: usize, sigma: f64): void {
  target = to;
  shift = sigma;
  eachElement(addElement);
}

function addElement(): void {
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      if (id(a) < 0 || id(b) < 0 || id(b) > id(a)) continue;
      const at = bandAt(target, band, id(a), id(b));
      store<f64>(at, load<f64>(at) + elementEntry(a, b, shift));
    }
  }
}

/** Calls `add` with every entry (p, q), q ≤ p, of K − σM of each element. */
export function eachEntry(sigma: f64, add: (p: i32, q: i32, value: f64) => void): void {
  shift = sigma;
  adding = add;
  eachElement(addEntries);
}

let adding: (p: i32, q: i32, value: f64) => void = nowhere;
function nowhere(_p: i32, _q: i32, _value: f64): void {}

function addEntries(): void {
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      if (id(b) >= 0 && id(b) <= id(a)) adding(id(a), id(b), elementEntry(a, b, shift));
    }
  }
}

@inline function elementEntry(a: i32, b: i32, sigma: f64): f64 {
  return stiffEntry(a, b) - sigma * massEntry(a, b);
}

/** Of a kept element its nine numbers and its area over 900. */
const KEPT: usize = 48, AREA: usize = 40;
let elements: usize = 0, elementCount: i32 = 0;

/** Keeps each element of air, with its numbers as they are now, for timesMass. */
export function keepElements(): void {
  elementCount = 0;
  for (let e = 0, all = elementColumns() * elementRows(); e < all; e++) elementCount += load<u8>(airs + <usize>e);
  elements = allocate(<usize>elementCount * KEPT);
  elementCount = 0;
  eachElement(keepElement);
}

function keepElement(): void {
  const to = elements + <usize>elementCount * KEPT;
  elementCount++;
  memory.copy(to, ids, 36);
  store<f64>(to + AREA, wide * high / 900.0);
}

@inline function valueOf(x: usize, element: usize, a: usize): f64 {
  const number = load<i32>(element + 4 * a);
  return number < 0 ? 0.0 : load<f64>(x + (<usize>number << 3));
}

@inline function addTo(y: usize, element: usize, a: usize, value: f64): void {
  const number = load<i32>(element + 4 * a);
  if (number >= 0) store<f64>(y + (<usize>number << 3), load<f64>(y + (<usize>number << 3)) + value);
}

/** y ← M x, in each element along x and then along y: M is the product of the matrices of two lines. */
export function timesMass(x: usize, y: usize): void {
  memory.fill(y, 0, <usize>n << 3);
  for (let e = elements, end = elements + <usize>elementCount * KEPT; e < end; e += KEPT) {
    const scale = load<f64>(e + AREA);
    const a0 = valueOf(x, e, 0), a1 = valueOf(x, e, 1), a2 = valueOf(x, e, 2);
    const b0 = valueOf(x, e, 3), b1 = valueOf(x, e, 4), b2 = valueOf(x, e, 5);
    const c0 = valueOf(x, e, 6), c1 = valueOf(x, e, 7), c2 = valueOf(x, e, 8);
    const p0 = scale * (4.0 * a0 + 2.0 * a1 - a2), p1 = scale * (2.0 * a0 + 16.0 * a1 + 2.0 * a2), p2 = scale * (2.0 * a1 + 4.0 * a2 - a0);
    const q0 = scale * (4.0 * b0 + 2.0 * b1 - b2), q1 = scale * (2.0 * b0 + 16.0 * b1 + 2.0 * b2), q2 = scale * (2.0 * b1 + 4.0 * b2 - b0);
    const r0 = scale * (4.0 * c0 + 2.0 * c1 - c2), r1 = scale * (2.0 * c0 + 16.0 * c1 + 2.0 * c2), r2 = scale * (2.0 * c1 + 4.0 * c2 - c0);
    addTo(y, e, 0, 4.0 * p0 + 2.0 * q0 - r0);
    addTo(y, e, 1, 4.0 * p1 + 2.0 * q1 - r1);
    addTo(y, e, 2, 4.0 * p2 + 2.0 * q2 - r2);
    addTo(y, e, 3, 2.0 * p0 + 16.0 * q0 + 2.0 * r0);
    addTo(y, e, 4, 2.0 * p1 + 16.0 * q1 + 2.0 * r1);
    addTo(y, e, 5, 2.0 * p2 + 16.0 * q2 + 2.0 * r2);
    addTo(y, e, 6, 2.0 * q0 + 4.0 * r0 - p0);
    addTo(y, e, 7, 2.0 * q1 + 4.0 * r1 - p1);
    addTo(y, e, 8, 2.0 * q2 + 4.0 * r2 - p2);
  }
}
