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

export const CELLS: usize = 96;

const STIFF = memory.data<f64>([7, -8, 1, -8, 16, -8, 1, -8, 7]);
const MASS = memory.data<f64>([4, 2, -1, 2, 16, 2, -1, 2, 4]);

export let columns: i32 = 0, rows: i32 = 0, n: i32 = 0, band: i32 = 0;
let cellsX: i32 = 0, cellsY: i32 = 0, fine: i32 = 0;
let numbers: usize = 0, elementK: usize = 0, elementM: usize = 0, ids: usize = 0;

@inline function isAir(cx: i32, cy: i32): bool {
  if (cx < 0 || cy < 0 || cx >= cellsX || cy >= cellsY) return false;
  return parameterF64(CELLS + (<usize>(cy * cellsX + cx) << 3)) == 1.0;
}

/** Number of the node in column i, row j of the whole grid. */
@inline export function numberOf(i: i32, j: i32): i32 { return load<i32>(numbers + (<usize>(j * columns + i) << 2)); }

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
      if (!isAir(ex / fine, ey / fine)) continue;
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
      const at = bandAt(target, band, id(a), id(b)), from = <usize>(9 * a + b) << 3;
      store<f64>(at, load<f64>(at) + load<f64>(elementK + from) - shift * load<f64>(elementM + from));
    }
  }
}

/** y ← M x. */
export function timesMass(x: usize, y: usize): void {
  memory.fill(y, 0, <usize>n << 3);
  source = x;
  target = y;
  eachElement(massElement);
}

function massElement(): void {
  for (let a = 0; a < 9; a++) {
    if (id(a) < 0) continue;
    let sum = 0.0;
    for (let b = 0; b < 9; b++) {
      if (id(b) >= 0) sum += load<f64>(elementM + (<usize>(9 * a + b) << 3)) * load<f64>(source + (<usize>id(b) << 3));
    }
    const at = target + (<usize>id(a) << 3);
    store<f64>(at, load<f64>(at) + sum);
  }
}
