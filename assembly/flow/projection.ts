// u ← u − ∇φ with ∇²φ = ∇·u, so that no cell gains or loses volume (Chorin, Math. Comp. 22 (1968) 745). The system is
// solved directly, so that what is left is rounding.

import { Kind, bottom, dx, dy, left, nx, ny, pitch, right, rowOf, top } from "./problem";
import { Side, layPoisson, poissonRow, solvePoisson, transformRows } from "./poisson";
import { each } from "../kernel/team";
import { between, pinned } from "../grid/stencil";

@inline function sideOf(kind: i32): i32 { return kind == Kind.RING ? Side.RING : kind == Kind.OPEN ? Side.ZERO : Side.NATURAL; }

@inline function tableStride(): usize { return <usize>((nx + 1) & ~1) << 3; }
/** Of the table of φ. */
export function projectionBytes(): usize { return tableStride() * <usize>transformRows(ny, sideOf(bottom), sideOf(top)); }
export function phiRow(first: usize, j: i32): usize { return first + tableStride() * <usize>j; }

export function layProjection(table: usize): void {
  layPoisson(nx, ny, dx, dy, sideOf(left), sideOf(right), sideOf(bottom), sideOf(top), table, tableStride());
}

/** 1/dx and 1/dy, in both lanes; fields and rows of the blocks that threads share (../kernel/team.ts). */
const rates = memory.data(32, 16);
const ACROSS: usize = rates, UP: usize = rates + 16;
/** Cells of a block. */
const BLOCK: i32 = 16384;
let ofU: usize = 0, ofV: usize = 0, rowsOfBlock: i32 = 0;

/** ∇·u of the cells of a row. */
function divergenceOfRow(to: usize, u: usize, v: usize): void {
  const x = v128.load(ACROSS), y = v128.load(UP), end = to + (<usize>nx << 3);
  let here = v128.load(u), over = v + pitch;
  for (; to < end; to += 16, u += 16, v += 16, over += 16) {
    const next = v128.load(u, 16), alongX = f64x2.mul(x, f64x2.sub(between(here, next), here));
    v128.store(to, f64x2.add(alongX, f64x2.mul(y, f64x2.sub(v128.load(over), v128.load(v)))));
    here = next;
  }
  if (nx & 1) store<f64>(end, 0.0);
}

/** The larger lane. */
@inline function larger(pair: v128): f64 { return max(f64x2.extract_lane(pair, 0), f64x2.extract_lane(pair, 1)); }

/** Largest |∇·u|. */
export function worstDivergence(u: usize, v: usize): f64 {
  const x = pinned(1.0 / dx), y = pinned(1.0 / dy), bytes = <usize>nx << 3;
  let worst = f64x2.splat(0);
  for (let j = 0; j < ny; j++) {
    const a = rowOf(u, j), b = rowOf(v, j), c = rowOf(v, j + 1);
    for (let k: usize = 0; k < bytes; k += 16) {
      const alongX = f64x2.mul(x, f64x2.sub(v128.load(a + k, 8), v128.load(a + k)));
      let sources = f64x2.add(alongX, f64x2.mul(y, f64x2.sub(v128.load(c + k), v128.load(b + k))));
      if (k + 8 == bytes) sources = v128.shuffle<f64>(sources, sources, 0, 0);
      worst = f64x2.pmax(f64x2.abs(sources), worst);
    }
  }
  return larger(worst);
}

/** Largest |u|dt/dx + |v|dt/dy of a cell. */
export function largestCourant(u: usize, v: usize, dt: f64): f64 {
  const x = pinned(dt / dx), y = pinned(dt / dy), bytes = <usize>nx << 3;
  let worst = f64x2.splat(0);
  for (let j = 0; j < ny; j++) {
    const a = rowOf(u, j), b = rowOf(v, j), c = rowOf(v, j + 1);
    for (let k: usize = 0; k < bytes; k += 16) {
      const along = f64x2.pmax(f64x2.abs(v128.load(a + k)), f64x2.abs(v128.load(a + k, 8)));
      const across = f64x2.pmax(f64x2.abs(v128.load(b + k)), f64x2.abs(v128.load(c + k)));
      let number = f64x2.add(f64x2.mul(x, along), f64x2.mul(y, across));
      if (k + 8 == bytes) number = v128.shuffle<f64>(number, number, 0, 0);
      worst = f64x2.pmax(number, worst);
    }
  }
  return larger(worst);
}

/** `bytes` of a row, less the gradient of what is `here` and `before`. */
function takeGradient(to: usize, here: usize, before: usize, bytes: usize, inverse: usize): void {
  const r = v128.load(inverse), rate = load<f64>(inverse), end = to + bytes, whole = end - 16;
  for (; to <= whole; to += 16, here += 16, before += 16) v128.store(to, f64x2.sub(v128.load(to), f64x2.mul(r, f64x2.sub(v128.load(here), v128.load(before)))));
  if (to < end) store<f64>(to, load<f64>(to) - rate * (load<f64>(here) - load<f64>(before)));
}

function alongRow(u: usize, phi: usize): void {
  const bytes = <usize>nx << 3, last = phi + bytes - 8, x = 1.0 / dx;
  takeGradient(u + 8, phi + 8, phi, bytes - 8, ACROSS);
  if (left == Kind.RING) {
    store<f64>(u, load<f64>(u) - x * (load<f64>(phi) - load<f64>(last)));
    store<f64>(u + bytes, load<f64>(u));
  }
  if (left == Kind.OPEN) store<f64>(u, load<f64>(u) - 2.0 * x * load<f64>(phi));
  if (right == Kind.OPEN) store<f64>(u + bytes, load<f64>(u + bytes) + 2.0 * x * load<f64>(last));
}

/** Of the sides along x. */
function acrossSides(v: usize): void {
  const bytes = <usize>nx << 3, y = 1.0 / dy;
  if (bottom == Kind.RING) {
    takeGradient(rowOf(v, 0), poissonRow(0), poissonRow(ny - 1), bytes, UP);
    memory.copy(rowOf(v, ny), rowOf(v, 0), bytes);
  }
  if (bottom == Kind.OPEN) addScaled(rowOf(v, 0), poissonRow(0), -2.0 * y);
  if (top == Kind.OPEN) addScaled(rowOf(v, ny), poissonRow(ny - 1), 2.0 * y);
}

function addScaled(to: usize, from: usize, rate: f64): void {
  for (let k: usize = 0; k < <usize>nx << 3; k += 8) store<f64>(to + k, load<f64>(to + k) + rate * load<f64>(from + k));
}

function takeGradients(block: i32): void {
  const bytes = <usize>nx << 3;
  for (let j = rowsOfBlock * block; j < min(ny, rowsOfBlock * (block + 1)); j++) {
    alongRow(rowOf(ofU, j), poissonRow(j));
    if (j > 0) takeGradient(rowOf(ofV, j), poissonRow(j), poissonRow(j - 1), bytes, UP);
  }
}

function layDivergence(block: i32): void {
  for (let j = rowsOfBlock * block; j < min(ny, rowsOfBlock * (block + 1)); j++) divergenceOfRow(poissonRow(j), rowOf(ofU, j), rowOf(ofV, j));
}

/** φ stands in poissonRow(j) afterwards. */
export function project(u: usize, v: usize): void {
  v128.store(ACROSS, f64x2.splat(1.0 / dx));
  v128.store(UP, f64x2.splat(1.0 / dy));
  ofU = u; ofV = v;
  rowsOfBlock = max(1, BLOCK / nx);
  const blocks = (ny + rowsOfBlock - 1) / rowsOfBlock;
  each(layDivergence, blocks);
  solvePoisson();
  each(takeGradients, blocks);
  acrossSides(v);
}
