// Nested dissection of a cavity of cells (A. George, SIAM J. Numer. Anal. 10 (1973) 345): a rectangle of elements falls in
// two along its longer side until it has two elements a side; what both halves touch is eliminated after both. A
// supernode is what one rectangle eliminates: `size` nodes that follow one another, and beside them in its columns the
// `reach` nodes that its elements share with others, which later ones eliminate (J. W. H. Liu, SIAM Rev. 34 (1992) 82).
//
// Nodes are renumbered in that order.

import { allocate } from "../kernel/frame";
import { columns, elementColumns, elementRows, isAirElement, n, numberOf, rows, setNumber } from "./mask";

const LEAF: i32 = 2;
const FREE: i32 = -2;

export let supernodes: i32 = 0;
/** Of each supernode i32: first node, size, reach, where its list is. */
let table: usize = 0, numbered: i32 = 0;

@inline export function firstOf(m: i32): i32 { return load<i32>(table + (<usize>m << 4)); }
@inline export function sizeOf(m: i32): i32 { return load<i32>(table + (<usize>m << 4), 4); }
@inline export function reachOf(m: i32): i32 { return load<i32>(table + (<usize>m << 4), 8); }
/** The nodes that supernode m reaches, i32 in rising order. */
@inline export function listOf(m: i32): usize { return <usize>load<i32>(table + (<usize>m << 4), 12); }

/** Renumbers the free nodes and lays out the supernodes. */
export function dissect(): void {
  table = allocate(<usize>n << 4);
  supernodes = 0;
  numbered = 0;
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) if (numberOf(i, j) >= 0) setNumber(i, j, FREE);
  }
  divide(0, elementColumns(), 0, elementRows());
  for (let m = 0; m < supernodes; m++) sortList(listOf(m), reachOf(m));
}

/** Whether a column (row) of elements has air within the rectangle. */
function airInColumn(x: i32, y0: i32, y1: i32): bool {
  for (let y = y0; y < y1; y++) if (isAirElement(x, y)) return true;
  return false;
}
function airInRow(y: i32, x0: i32, x1: i32): bool {
  for (let x = x0; x < x1; x++) if (isAirElement(x, y)) return true;
  return false;
}

/** Elements x0 ≤ x < x1, y0 ≤ y < y1, without the margins that hold no air. */
function divide(x0: i32, x1: i32, y0: i32, y1: i32): void {
  while (x0 < x1 && !airInColumn(x0, y0, y1)) x0++;
  if (x0 == x1) return;
  while (!airInColumn(x1 - 1, y0, y1)) x1--;
  while (!airInRow(y0, x0, x1)) y0++;
  while (!airInRow(y1 - 1, x0, x1)) y1--;
  const width = x1 - x0, height = y1 - y0;
  if (max(width, height) > LEAF) {
    if (width >= height) {
      divide(x0, x0 + width / 2, y0, y1);
      divide(x0 + width / 2, x1, y0, y1);
    } else {
      divide(x0, x1, y0, y0 + height / 2);
      divide(x0, x1, y0 + height / 2, y1);
    }
  }
  eliminate(x0, x1, y0, y1);
}

const INSIDE: i32 = 1, OUTSIDE: i32 = 2;

/** Whether elements of air around node (i, j) lie inside the rectangle, and outside. */
function surroundings(i: i32, j: i32, x0: i32, x1: i32, y0: i32, y1: i32): i32 {
  let where = 0;
  for (let y = (j - 1) >> 1; y <= j >> 1; y++) {
    for (let x = (i - 1) >> 1; x <= i >> 1; x++) {
      if (isAirElement(x, y)) where |= x >= x0 && x < x1 && y >= y0 && y < y1 ? INSIDE : OUTSIDE;
    }
  }
  return where;
}

/** Numbers what only this rectangle touches, and lists what it shares. */
function eliminate(x0: i32, x1: i32, y0: i32, y1: i32): void {
  const first = numbered;
  let reach = 0;
  for (let j = 2 * y0; j <= 2 * y1; j++) {
    for (let i = 2 * x0; i <= 2 * x1; i++) {
      if (numberOf(i, j) != FREE) continue;
      const where = surroundings(i, j, x0, x1, y0, y1);
      if (where == INSIDE) setNumber(i, j, numbered++);
      else if (where & INSIDE) reach++;
    }
  }
  if (numbered == first) return;
  const at = table + (<usize>supernodes << 4), places = allocate(<usize>reach << 2);
  supernodes++;
  store<i32>(at, first);
  store<i32>(at, numbered - first, 4);
  store<i32>(at, reach, 8);
  store<i32>(at, <i32>places, 12);
  listShared(x0, x1, y0, y1, places);
}

/** Places in the grid of the nodes that still have no number. */
function listShared(x0: i32, x1: i32, y0: i32, y1: i32, to: usize): void {
  for (let j = 2 * y0; j <= 2 * y1; j++) {
    for (let i = 2 * x0; i <= 2 * x1; i++) {
      if (numberOf(i, j) != FREE || !(surroundings(i, j, x0, x1, y0, y1) & INSIDE)) continue;
      store<i32>(to, j * columns + i);
      to += 4;
    }
  }
}

/** Places become numbers, in rising order. */
function sortList(list: usize, count: i32): void {
  for (let k = 0; k < count; k++) {
    const place = load<i32>(list + (<usize>k << 2)), number = numberOf(place % columns, place / columns);
    let at = list + (<usize>k << 2);
    for (; at > list && load<i32>(at - 4) > number; at -= 4) store<i32>(at, load<i32>(at - 4));
    store<i32>(at, number);
  }
}
