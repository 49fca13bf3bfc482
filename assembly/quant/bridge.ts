// Brownian motion at m equal times by the bridge, for 256 paths at once (Glasserman, Monte Carlo Methods in Financial
// Engineering, §3.1.1; Jäckel, Monte Carlo Methods in Finance, §10.8.3): the first coordinate gives W(T), the next ones
// the middles of the largest gaps, so that the good coordinates of a Sobol point carry most of the variance.
//
// Coordinates beyond the 64 of assembly/math/sobol.ts are Philox uniforms (padding: Owen, in Monte Carlo and
// Quasi-Monte Carlo Methods 1996, p. 351).

import { allocate } from "../kernel/frame";
import { normals, normalsRoom } from "../math/normal";
import { philox, Purpose, uniformsOfItems } from "../math/philox";
import { blockUniforms, layDimension, SOBOL_BLOCK, SOBOL_BYTES, SOBOL_DIMENSIONS } from "../math/sobol";

export const PATHS: i32 = SOBOL_BLOCK;
export const ROW: usize = 8 * 256;

/** Bridge points in their order: 0 row, 4 left row or −1, 8 right row or −1 · 16 w_left · 24 w_right · 32 σ. */
const POINT: usize = 40;

let times: i32 = 0;
let points: usize = 0, dimensions: usize = 0, rows: usize = 0, list: usize = 0, spare: usize = 0, words: usize = 0;
let key0: u32 = 0, key1: u32 = 0;

/** Room for m times up to T; the seed's two words. */
export function openBridge(m: i32, T: f64, low: u32, high: u32): void {
  times = m; key0 = low; key1 = high;
  points = allocate(POINT * <usize>m);
  rows = allocate(ROW * <usize>m);
  spare = allocate(ROW);
  list = allocate(normalsRoom(256));
  words = allocate(16);
  const sobol = min(m, SOBOL_DIMENSIONS);
  dimensions = allocate(SOBOL_BYTES * <usize>sobol);
  for (let d = 0; d < sobol; d++) layDimension(d, dimensions + SOBOL_BYTES * <usize>d);
  layPoints(T);
}

/** Jäckel's construction: the first hole from `j` on is filled at its middle, then the hole behind it. */
function layPoints(T: f64): void {
  const filled = allocate(<usize>times), step = T / <f64>times;
  putPoint(0, times - 1, -1, -1, 0.0, 0.0, sqrt(T));
  store<u8>(filled + <usize>(times - 1), 1);
  let j = 0;
  for (let i = 1; i < times; i++) {
    while (load<u8>(filled + <usize>j)) j++;
    let k = j;
    while (!load<u8>(filled + <usize>k)) k++;
    const middle = j + ((k - 1 - j) >> 1);
    store<u8>(filled + <usize>middle, 1);
    const before = <f64>(middle - j + 1), behind = <f64>(k - middle), width = before + behind;
    putPoint(i, middle, j - 1, k, behind / width, before / width, sqrt(step * before * behind / width));
    j = k + 1;
    if (j >= times) j = 0;
  }
}

function putPoint(i: i32, row: i32, left: i32, right: i32, onLeft: f64, onRight: f64, deviation: f64): void {
  const at = points + POINT * <usize>i;
  store<i32>(at, row);
  store<i32>(at, left, 4);
  store<i32>(at, right, 8);
  store<f64>(at, onLeft, 16);
  store<f64>(at, onRight, 24);
  store<f64>(at, deviation, 32);
}

/** W at time (j + 1) T/m of the 256 paths. */
@inline export function rowOf(j: i32): usize { return rows + ROW * <usize>j; }

/** Paths 256 `block` … of one replicate. */
export function layPaths(replicate: u32, block: u32): void {
  for (let i = 0; i < times; i++) {
    const at = points + POINT * <usize>i, row = rowOf(load<i32>(at));
    uniforms(i, replicate, block, row);
    normals(row, 256, list);
    const left = load<i32>(at, 4), right = load<i32>(at, 8), deviation = load<f64>(at, 32);
    if (right < 0) scale(row, deviation);
    else if (left < 0) between(row, deviation, rowOf(right), load<f64>(at, 24), row, 0.0);
    else between(row, deviation, rowOf(right), load<f64>(at, 24), rowOf(left), load<f64>(at, 16));
  }
}

function uniforms(i: i32, replicate: u32, block: u32, row: usize): void {
  if (i < SOBOL_DIMENSIONS) {
    philox(<u32>i, replicate, 0, Purpose.SHIFTS, key0, key1, words);
    blockUniforms(dimensions + SOBOL_BYTES * <usize>i, block, load<u32>(words), row);
  } else if ((i & 1) == 0) {
    uniformsOfItems(<u32>i, replicate, block << 8, 256, Purpose.PATHS, key0, key1, row, spare);
  } else memory.copy(row, spare, ROW);
}

function scale(row: usize, deviation: f64): void {
  const d = f64x2.splat(deviation);
  for (let at = row; at < row + ROW; at += 16) v128.store(at, f64x2.mul(d, v128.load(at)));
}

/** row = σ row + w_right right + w_left left. */
function between(row: usize, deviation: f64, right: usize, onRight: f64, left: usize, onLeft: f64): void {
  const d = f64x2.splat(deviation), r = f64x2.splat(onRight), l = f64x2.splat(onLeft);
  for (let p: usize = 0; p < ROW; p += 16) {
    const far = f64x2.add(f64x2.mul(r, v128.load(right + p)), f64x2.mul(l, v128.load(left + p)));
    v128.store(row + p, f64x2.add(f64x2.mul(d, v128.load(row + p)), far));
  }
}
