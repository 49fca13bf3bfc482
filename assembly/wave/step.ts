// One leapfrog of the whole grid, in blocks of rows that go one after another or on several threads (../kernel/team.ts). A
// block reads u as it is in any row and writes the next one of its own, whose ghosts are filled when it is written. Layers
// take two calls more: φ turns when it has pushed all rows as it was, and pushes them again when all of it has turned.
// Formulas have one block: they are evaluated in one place.

import { firstFree, isPeriodic, lastFree } from "../grid/axis";
import { copyRow, fillGhosts, nodeAt, rowAt, rowBytes } from "../grid/field";
import { allocate } from "../kernel/frame";
import { SEATS, TEAM, each, seat } from "../kernel/team";
import { rowOver, rowUnder } from "./begin";
import { inflowOfEdge, inflowOfRow, lossOfRow } from "./energy";
import { pushLayers, turnLayers } from "./layer";
import { absorbs, ex, ey, hasLayers, isDriven, isLossy, isMaxwell, isUniform, nx, ny, ox, oy, sourceIsFormula, x, y } from "./problem";
import { drivePoint, driveRow } from "./source";
import { leapRow, leapTwoRows } from "./stencil";

/** Work units of a block, some 10 µs, at least. */
const BLOCK_WORK: u64 = 10_000;
let rows: i32 = 0, blocks: i32 = 0;
/** Of a block: what came in, was lost and was done. */
let flows: usize = 0;
const FLOWS: usize = 24;
/** A thread's row as it was one step before, where what flows is found by it. */
let old: usize = 0, keepsOld: bool = false;
let now: usize = 0, next: usize = 0, phi1: usize = 0, phi2: usize = 0, sums: usize = 0, force: f64 = 0;
/** Over the last step: through absorbing sides, to σ, by the source. */
export let inflow: f64 = 0, loss: f64 = 0, done: f64 = 0;

/** `units`: work of a step. */
export function layBlocks(units: u64): void {
  const isShared = !sourceIsFormula() && units > 2 * BLOCK_WORK;
  rows = isShared ? 2 * <i32>(1 + BLOCK_WORK / 2 * <u64>(ey + 1) / units) : ey + 1;
  blocks = (ey + rows) / rows;
  flows = allocate(FLOWS * <usize>blocks);
  keepsOld = hasLayers || isLossy || isDriven;
  old = keepsOld ? allocate(rowBytes(ex) * (TEAM ? SEATS : 1)) + 16 : 0;
}

/** Of a field that no step has written. */
export function fillAllGhosts(field: usize): void {
  for (let j = 0; j <= ey; j++) fillGhosts(rowAt(field, ex, j), x);
}

/** Adds weight · Ez to its sum over time, in rows of the box. */
export function addToSums(to: usize, field: usize, from: i32, last: i32, weight: f64): void {
  const w = f64x2.splat(weight), column = <usize>(nx + 1) << 3;
  for (let j = from; j <= last; j++) {
    const row = nodeAt(field, ex, ox, j + oy), sum = to + column * <usize>j;
    let k: usize = 0;
    for (; k + 16 <= column; k += 16) v128.store(sum + k, f64x2.add(v128.load(sum + k), f64x2.mul(w, v128.load(row + k))));
    if (k < column) store<f64>(sum + k, load<f64>(sum + k) + weight * load<f64>(row + k));
  }
}

/** `f`: the force of a source at a point. Ez is added to its sums as it was before. */
export function step(later: usize, field: usize, a: usize, b: usize, total: usize, f: f64): void {
  next = later; now = field; phi1 = a; phi2 = b; sums = total; force = f;
  each(leapBlock, blocks);
  if (hasLayers) { each(turnBlock, blocks); each(pushBlock, blocks); }
  if (ey > 0 && isPeriodic(y)) copyRow(rowAt(next, ex, ey), rowAt(next, ex, 0), ex);
  inflow = loss = done = 0.0;
  for (let at = flows, end = at + FLOWS * <usize>blocks; at < end; at += FLOWS) {
    inflow += load<f64>(at); loss += load<f64>(at, 8); done += load<f64>(at, 16);
  }
}

@inline function firstOf(block: i32): i32 { return block * rows; }
@inline function lastOf(block: i32): i32 { return min(block * rows + rows - 1, ey); }

function leapBlock(block: i32): void {
  const end = min(lastOf(block), lastFree(y)), byTwo = !keepsOld && isUniform(), was = old + rowBytes(ex) * <usize>seat();
  let came = 0.0, lost = 0.0, worked = 0.0;
  if (isMaxwell) addToSums(sums, now, max(0, firstOf(block) - oy), min(ny, lastOf(block) - oy), 1.0);
  for (let j = max(firstOf(block), firstFree(y)); j <= end; j++) {
    const row = rowAt(now, ex, j), out = rowAt(next, ex, j), under = rowUnder(now, j);
    if (byTwo && j < end) {
      const upper = rowAt(next, ex, j + 1);
      leapTwoRows(out, upper, row, rowAt(now, ex, j + 1), under, rowOver(now, ++j));
      fillGhosts(out, x);
      fillGhosts(upper, x);
      continue;
    }
    const over = rowOver(now, j), b = j - oy, inside = keepsOld && b >= 0 && b <= ny;
    if (inside) copyRow(was, out, ex);
    leapRow(out, row, under, over, j);
    if (inside) {
      if (isDriven) worked += sourceIsFormula() ? driveRow(out, was, b) : drivePoint(out, was, b, force);
      if (hasLayers) came += inflowThrough(b, out, row, was, under, over);
      if (isLossy) lost += lossOfRow(out, was, b);
    }
    if (hasLayers) pushLayers(next, now, phi1, phi2, j, true);
    else fillGhosts(out, x);
  }
  const at = flows + FLOWS * <usize>block;
  store<f64>(at, came); store<f64>(at, lost, 8); store<f64>(at, worked, 16);
}

function turnBlock(block: i32): void {
  for (let j = firstOf(block); j <= lastOf(block); j++) turnLayers(now, phi1, phi2, j);
}

function pushBlock(block: i32): void {
  const end = min(lastOf(block), lastFree(y));
  for (let j = max(firstOf(block), firstFree(y)); j <= end; j++) {
    pushLayers(next, now, phi1, phi2, j, false);
    fillGhosts(rowAt(next, ex, j), x);
  }
}

function inflowThrough(b: i32, out: usize, row: usize, was: usize, under: usize, over: usize): f64 {
  let sum = inflowOfRow(out, row, was, b);
  if (ny > 0 && b == 0 && absorbs(2)) sum += inflowOfEdge(out, was, over, under);
  if (ny > 0 && b == ny && absorbs(3)) sum += inflowOfEdge(out, was, under, over);
  return sum;
}
