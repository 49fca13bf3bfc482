// A cavity of square cells, in nine-node elements (Zienkiewicz & Taylor, The Finite Element Method 1, §8.3): K = ∫ ∇p·∇v and
// M = ∫ p v are products of the matrices of a line, ⅓ (7, −8, 1; 16, −8; 7)/h and h/30 (4, 2, −1; 16, 2; 4).
//
// Parameters (f64): 0, 8 cells along x, y · 16 edge of a cell [m] · 24 elements on it · 32 … 56 left, right, bottom, top: 0
//   rigid, 1 open · 64 walls inside, likewise · 72 modes · 80 iterations at most · 88 the mode whose p is kept · 96 cells from the bottom, row by
//   row: 1 air, 0 none
//
// Lengths count in edges of a cell. Nodes that are free are numbered along the shorter side first, which gives the
// half bandwidth `band`; −1: no air, or p = 0.

import { allocate, parameterF64 } from "../kernel/frame";
import { bandAt } from "../linear/banded";
import { addComplex, complexAt } from "../linear/complex-band";

export const CELLS: usize = 96;

const STIFF = memory.data<f64>([7, -8, 1, -8, 16, -8, 1, -8, 7]);
const MASS = memory.data<f64>([4, 2, -1, 2, 16, 2, -1, 2, 4]);

/** The mask alone ends here; what belongs to driven sound follows. */
export function maskEnd(): usize { return CELLS + (<usize>(cellsX * cellsY) << 3); }

export let columns: i32 = 0, rows: i32 = 0, n: i32 = 0, band: i32 = 0;
let cellsX: i32 = 0, cellsY: i32 = 0, fine: i32 = 0;
let numbers: usize = 0, airs: usize = 0, elementK: usize = 0, elementM: usize = 0, ids: usize = 0;

@inline function isAir(cx: i32, cy: i32): bool {
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
  columns = 2 * fine * cellsX + 1;
  rows = 2 * fine * cellsY + 1;
  numbers = allocate((<usize>columns * <usize>rows) << 2);
  elementK = allocate(81 * 8);
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

function layOutElement(): void {
  const h = 1.0 / <f64>fine;
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      const x = (a % 3) * 3 + b % 3, y = a / 3 * 3 + b / 3, to = <usize>(9 * a + b) << 3;
      const kx = load<f64>(STIFF + (<usize>x << 3)), ky = load<f64>(STIFF + (<usize>y << 3));
      const mx = load<f64>(MASS + (<usize>x << 3)), my = load<f64>(MASS + (<usize>y << 3));
      store<f64>(elementK + to, (kx * my + mx * ky) / 90.0);
      store<f64>(elementM + to, h * h * mx * my / 900.0);
    }
  }
}

/** Calls `visit` for each element of air, its nine numbers in `ids`. */
function eachElement(visit: () => void): void {
  for (let ey = 0; ey < fine * cellsY; ey++) {
    for (let ex = 0; ex < fine * cellsX; ex++) {
      if (!isAirElement(ex, ey)) continue;
      for (let a = 0; a < 9; a++) store<i32>(ids + (<usize>a << 2), numberOf(2 * ex + a % 3, 2 * ey + a / 3));
      visit();
    }
  }
}

@inline function id(a: i32): i32 { return load<i32>(ids + (<usize>a << 2)); }

function widen(): void {
  for (let a = 0; a < 9; a++) for (let b = 0; b < 9; b++) if (id(a) >= 0 && id(b) >= 0) band = max(band, id(a) - id(b));
}

let target: usize = 0, source: usize = 0, shift: f64 = 0;

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
  const from = <usize>(9 * a + b) << 3;
  return load<f64>(elementK + from) - sigma * load<f64>(elementM + from);
}

let elements: usize = 0, elementCount: i32 = 0;

/** Keeps the nine numbers of each element of air, as they are now, for timesMass. */
export function keepElements(): void {
  elementCount = 0;
  for (let e = 0, all = elementColumns() * elementRows(); e < all; e++) elementCount += load<u8>(airs + <usize>e);
  elements = allocate(<usize>elementCount * 36);
  elementCount = 0;
  eachElement(keepElement);
}

function keepElement(): void {
  memory.copy(elements + <usize>elementCount * 36, ids, 36);
  elementCount++;
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
  const scale = 1.0 / (900.0 * <f64>fine * <f64>fine);
  memory.fill(y, 0, <usize>n << 3);
  for (let e = elements, end = elements + <usize>elementCount * 36; e < end; e += 36) {
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

// ---- driven sound ----------------------------------------------------------------------------------------

let squareRe: f64 = 0, squareIm: f64 = 0;

/** K − k²M with complex k², into a complex band that is zero. */
export function assembleComplex(to: usize, re: f64, im: f64): void {
  target = to;
  squareRe = re;
  squareIm = im;
  eachElement(addComplexElement);
}

function addComplexElement(): void {
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      if (id(a) < 0 || id(b) < 0 || id(b) > id(a)) continue;
      const from = <usize>(9 * a + b) << 3, mass = load<f64>(elementM + from);
      addComplex(complexAt(target, band, id(a), id(b)), load<f64>(elementK + from) - squareRe * mass, -squareIm * mass);
    }
  }
}

/** Calls `visit` for each edge of air on a side of the grid (0 left … 3 top), its three numbers first in `ids`. */
export function eachEdge(side: i32, visit: () => void): void {
  const count = fine * (side < 2 ? cellsY : cellsX);
  for (let e = 0; e < count; e++) {
    const cx = side == 0 ? 0 : side == 1 ? cellsX - 1 : e / fine, cy = side == 2 ? 0 : side == 3 ? cellsY - 1 : e / fine;
    if (!isAir(cx, cy)) continue;
    for (let a = 0; a < 3; a++) {
      const along = 2 * e + a;
      const i = side == 0 ? 0 : side == 1 ? columns - 1 : along, j = side == 2 ? 0 : side == 3 ? rows - 1 : along;
      store<i32>(ids + (<usize>a << 2), numberOf(i, j));
    }
    visit();
  }
}

/** Number a of the edge that is visited. */
export function edgeNumber(a: i32): i32 { return id(a); }
/** ∫ N_a N_b along an edge, and ∫ N_a. */
export function edgeMass(a: i32, b: i32): f64 { return load<f64>(MASS + (<usize>(3 * a + b) << 3)) / (30.0 * <f64>fine); }
export function edgeLength(a: i32): f64 { return (a == 1 ? 4.0 : 1.0) / (6.0 * <f64>fine); }

/** ∫|p|² of complex nodal values. */
export function squaredNorm(p: usize): f64 {
  source = p;
  squareRe = 0.0;
  eachElement(addSquares);
  return squareRe;
}

function addSquares(): void {
  for (let a = 0; a < 9; a++) {
    for (let b = 0; b < 9; b++) {
      if (id(a) < 0 || id(b) < 0) continue;
      const x = source + (<usize>id(a) << 4), y = source + (<usize>id(b) << 4);
      squareRe += load<f64>(elementM + (<usize>(9 * a + b) << 3)) * (load<f64>(x) * load<f64>(y) + load<f64>(x, 8) * load<f64>(y, 8));
    }
  }
}

@inline function quadratic(a: i32, t: f64): f64 {
  return a == 0 ? (1.0 - t) * (1.0 - 2.0 * t) : a == 1 ? 4.0 * t * (1.0 - t) : t * (2.0 * t - 1.0);
}

/** Part `part` (0 re, 1 im) of p at (x, y), in edges of a cell, in the first element of air there. */
export function complexValueAt(p: usize, part: i32, x: f64, y: f64): f64 {
  for (let dy = 0; dy < 2; dy++) {
    for (let dx = 0; dx < 2; dx++) {
      const ex = min(fine * cellsX - 1, <i32>max(0.0, x * <f64>fine - 1e-9 * <f64>dx)), ey = min(fine * cellsY - 1, <i32>max(0.0, y * <f64>fine - 1e-9 * <f64>dy));
      if (!isAir(ex / fine, ey / fine)) continue;
      let sum = 0.0;
      for (let a = 0; a < 9; a++) {
        const number = numberOf(2 * ex + a % 3, 2 * ey + a / 3);
        if (number < 0) continue;
        const weight = quadratic(a % 3, x * <f64>fine - <f64>ex) * quadratic(a / 3, y * <f64>fine - <f64>ey);
        sum += weight * load<f64>(p + (<usize>number << 4) + (<usize>part << 3));
      }
      return sum;
    }
  }
  return NaN;
}
