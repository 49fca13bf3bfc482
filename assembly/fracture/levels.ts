// Coarser grids of a damaged body, each of cells twice as wide, for the cycle of multigrid.ts.
//
// Displacements between coarse nodes are means weighted by the stiffness towards each of them: a node beside a crack
// takes what its own side has, so that a crack stays open on every grid (Alcouffe, Brandt, Dendy & Painter 1981). The
// matrix of a coarse grid is that of the fine one seen through this interpolation P, PᵀAP, cell by cell: every element
// matrix has 4 × 4 blocks of 2 × 2. Sums over what the mirror y → −y exchanges are added first in pairs.

import { allocate } from "../kernel/frame";
import { D, cells } from "./cells";
import { ELEMENT, Field, array, cellsX, cellsY, coarsest, elementOf, layGrids, sharesAt } from "./grids";
import { M, N, at, lambda, mu, split } from "./problem";

let q: usize = 0, share: usize = 0, half: usize = 0, child: usize = 0, modes: usize = 0;

export function layLevels(): void {
  layGrids();
  if (coarsest == 0) return;
  q = allocate(36 << 3); share = allocate(16 << 3); modes = allocate(12 << 3);
  half = allocate(ELEMENT); child = allocate(4 * ELEMENT);
}

// ---- stiffness along the axes --------------------------------------------------------------------------

@inline function cellOf(l: i32, field: usize, i: i32, j: i32): usize { return array(l, field) + (<usize>(j * cellsX(l) + i) << 3); }
/** 0 outside the body. */
@inline function stiffness(l: i32, field: usize, i: i32, j: i32): f64 {
  return i < 0 || j < 0 || i >= cellsX(l) || j >= cellsY(l) ? 0.0 : load<f64>(cellOf(l, field, i, j));
}

function readStiffness(): void {
  const whole = lambda + 2.0 * mu;
  for (let j = 0; j < M; j++)
    for (let i = 0; i < N; i++) {
      const p = at(0, i, j);
      store<f64>(cellOf(0, Field.ALONG, i, j), split == 0 ? load<f64>(cells + p) : load<f64>(D(0) + p) / whole);
      store<f64>(cellOf(0, Field.ACROSS, i, j), split == 0 ? load<f64>(cells + p) : load<f64>(D(2) + p) / whole);
    }
}

@inline function harmonic(a: f64, b: f64): f64 { return 2.0 * a * b / (a + b); }

/** Springs in a row along the axis, side by side across it. */
function coarsenStiffness(l: i32): void {
  for (let j = 0; j < cellsY(l); j++)
    for (let i = 0; i < cellsX(l); i++) {
      const x = Field.ALONG, y = Field.ACROSS, a = 2 * i, b = 2 * j;
      store<f64>(cellOf(l, x, i, j), 0.5 * (harmonic(stiffness(l - 1, x, a, b), stiffness(l - 1, x, a + 1, b))
        + harmonic(stiffness(l - 1, x, a, b + 1), stiffness(l - 1, x, a + 1, b + 1))));
      store<f64>(cellOf(l, y, i, j), 0.5 * (harmonic(stiffness(l - 1, y, a, b), stiffness(l - 1, y, a, b + 1))
        + harmonic(stiffness(l - 1, y, a + 1, b), stiffness(l - 1, y, a + 1, b + 1))));
    }
}

// ---- interpolation -------------------------------------------------------------------------------------

@inline function put(p: usize, k: i32, value: f64): void { store<f64>(p + (<usize>k << 3), value); }
@inline function get(p: usize, k: i32): f64 { return load<f64>(p + (<usize>k << 3)); }

/** Two shares, by weight. */
function putPair(p: usize, k: i32, a: f64, b: f64): void {
  if (!(a + b > 0.0)) return;
  put(p, k, a / (a + b));
  put(p, k + 1, b / (a + b));
}

function weighEdges(l: i32): void {
  for (let j = 0; j <= cellsY(l); j++)
    for (let i = 0; i <= cellsX(l); i++) {
      const p = sharesAt(l, i, j), a = 2 * i, b = 2 * j, f = l - 1;
      putPair(p, 0, stiffness(f, Field.ALONG, a, b - 1) + stiffness(f, Field.ALONG, a, b),
        stiffness(f, Field.ALONG, a + 1, b - 1) + stiffness(f, Field.ALONG, a + 1, b));
      putPair(p, 2, stiffness(f, Field.ACROSS, a - 1, b) + stiffness(f, Field.ACROSS, a, b),
        stiffness(f, Field.ACROSS, a - 1, b + 1) + stiffness(f, Field.ACROSS, a, b + 1));
    }
}

/** The middle of a coarse cell by the middles of its edges. */
function weighMiddles(l: i32): void {
  for (let j = 0; j < cellsY(l); j++)
    for (let i = 0; i < cellsX(l); i++) {
      const p = sharesAt(l, i, j), right = sharesAt(l, i + 1, j), above = sharesAt(l, i, j + 1), a = 2 * i, b = 2 * j, f = l - 1;
      const W = stiffness(f, Field.ALONG, a, b) + stiffness(f, Field.ALONG, a, b + 1);
      const E = stiffness(f, Field.ALONG, a + 1, b) + stiffness(f, Field.ALONG, a + 1, b + 1);
      const S = stiffness(f, Field.ACROSS, a, b) + stiffness(f, Field.ACROSS, a + 1, b);
      const A = stiffness(f, Field.ACROSS, a, b + 1) + stiffness(f, Field.ACROSS, a + 1, b + 1), sum = (W + E) + (S + A);
      put(p, 4, (W * get(p, 2) + S * get(p, 0)) / sum);
      put(p, 5, (E * get(right, 2) + S * get(p, 1)) / sum);
      put(p, 6, (E * get(right, 3) + A * get(above, 1)) / sum);
      put(p, 7, (W * get(p, 3) + A * get(above, 0)) / sum);
    }
}

/** Shares of the four corners, 0 1 below and 3 2 above, in the 9 fine nodes of coarse cell (i, j), row by row. */
function spreadCell(l: i32, i: i32, j: i32): void {
  const p = sharesAt(l, i, j), right = sharesAt(l, i + 1, j), above = sharesAt(l, i, j + 1);
  memory.fill(q, 0, 36 << 3);
  put(q, 0, 1.0); put(q, 9, 1.0); put(q, 34, 1.0); put(q, 27, 1.0);
  put(q, 4, get(p, 0)); put(q, 5, get(p, 1));
  put(q, 12, get(p, 2)); put(q, 15, get(p, 3));
  for (let k = 0; k < 4; k++) put(q, 16 + k, get(p, 4 + k));
  put(q, 21, get(right, 2)); put(q, 22, get(right, 3));
  put(q, 31, get(above, 0)); put(q, 30, get(above, 1));
}

/** Those of the nodes of child `c`: 0 1 below, 2 3 above, left to right. */
function takeChild(c: i32): void {
  const first = 12 * (c >> 1) + 4 * (c & 1);
  memory.copy(share, q + (<usize>first << 3), 64);
  memory.copy(share + 64, q + (<usize>(first + 16) << 3), 32);
  memory.copy(share + 96, q + (<usize>(first + 12) << 3), 32);
}
@inline function shareOf(node: i32, corner: i32): f64 { return get(share, 4 * node + corner); }

// ---- elements ------------------------------------------------------------------------------------------

@inline export function blockAt(element: usize, a: i32, b: i32): usize { return element + (<usize>(4 * a + b) << 5); }

/** Shares of the corners in slopes and twist of the child; a mirror exchanges 0 with 3 and 1 with 2. */
function findModes(): void {
  for (let k = 0; k < 4; k++) {
    const a = shareOf(0, k), b = shareOf(1, k), c = shareOf(2, k), d = shareOf(3, k);
    put(modes, k, 0.5 * ((b + c) - (a + d)));
    put(modes, 4 + k, 0.5 * ((d - a) + (c - b)));
    put(modes, 8 + k, (a - b) + (c - d));
  }
}

/** PᵀKP of a cell of the finest grid. */
function seeCell(i: i32, j: i32, to: usize): void {
  findModes();
  const p = at(0, i, j), isWhole = split == 0, g = load<f64>(cells + p), whole = g * (lambda + 2.0 * mu);
  const xx = isWhole ? whole : load<f64>(D(0) + p), xy = isWhole ? g * lambda : load<f64>(D(1) + p), yy = isWhole ? whole : load<f64>(D(2) + p);
  const ss = isWhole ? g * mu : load<f64>(D(3) + p), xs = isWhole ? 0.0 : load<f64>(D(4) + p), ys = isWhole ? 0.0 : load<f64>(D(5) + p);
  const k = isWhole ? g * (lambda + 3.0 * mu) / 12.0 : load<f64>(D(6) + p);
  for (let a = 0; a < 4; a++) {
    const ax = get(modes, a), ay = get(modes, 4 + a), at = k * get(modes, 8 + a);
    for (let b = 0; b < 4; b++) {
      const bx = get(modes, b), by = get(modes, 4 + b), twist = at * get(modes, 8 + b), block = blockAt(to, a, b);
      const mixed = ax * by + ay * bx;
      store<f64>(block, (xx * ax * bx + ss * ay * by) + (xs * mixed + twist));
      store<f64>(block, (xy * ay * bx + ss * ax * by) + (xs * ax * bx + ys * ay * by), 8);
      store<f64>(block, (xy * ax * by + ss * ay * bx) + (xs * ax * bx + ys * ay * by), 16);
      store<f64>(block, (yy * ay * by + ss * ax * bx) + (ys * mixed + twist), 24);
    }
  }
}

/** Σ over nodes of shares times blocks at from, from + step, …: nodes 0 and 3 first, then 1 and 2. */
@inline function blend(from: usize, step: usize, corner: i32): v128 {
  const a = f64x2.mul(f64x2.splat(shareOf(0, corner)), v128.load(from)), d = f64x2.mul(f64x2.splat(shareOf(3, corner)), v128.load(from + 3 * step));
  const b = f64x2.mul(f64x2.splat(shareOf(1, corner)), v128.load(from + step)), c = f64x2.mul(f64x2.splat(shareOf(2, corner)), v128.load(from + 2 * step));
  return f64x2.add(f64x2.add(a, d), f64x2.add(b, c));
}

/** PᵀKP of the element at `from`. */
function seeElement(from: usize, to: usize): void {
  for (let a = 0; a < 4; a++)
    for (let b = 0; b < 4; b++) {
      v128.store(blockAt(half, a, b), blend(blockAt(from, a, 0), 32, b));
      v128.store(blockAt(half, a, b), blend(blockAt(from, a, 0) + 16, 32, b), 16);
    }
  for (let a = 0; a < 4; a++)
    for (let b = 0; b < 4; b++) {
      v128.store(blockAt(to, a, b), blend(blockAt(half, 0, b), 128, a));
      v128.store(blockAt(to, a, b), blend(blockAt(half, 0, b) + 16, 128, a), 16);
    }
}

/** What level l takes of the finer one: stiffness and shares. */
export function coarsen(l: i32): void {
  if (l == 1) readStiffness();
  coarsenStiffness(l);
  weighEdges(l);
  weighMiddles(l);
}

/** Row j of the elements of level l, of rows 2j and 2j + 1 of the finer one. */
export function seeRow(l: i32, j: i32): void {
  for (let i = 0; i < cellsX(l); i++) {
    spreadCell(l, i, j);
    for (let c = 0; c < 4; c++) {
      const x = 2 * i + (c & 1), y = 2 * j + (c >> 1);
      takeChild(c);
      if (l == 1) seeCell(x, y, child + <usize>c * ELEMENT);
      else seeElement(elementOf(l - 1, x, y), child + <usize>c * ELEMENT);
    }
    const to = elementOf(l, i, j);
    for (let k: usize = 0; k < ELEMENT; k += 16)
      v128.store(to + k, f64x2.add(f64x2.add(v128.load(child + k), v128.load(child + k + 2 * ELEMENT)),
        f64x2.add(v128.load(child + k + ELEMENT), v128.load(child + k + 3 * ELEMENT))));
  }
}
