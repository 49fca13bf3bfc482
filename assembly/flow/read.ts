// What the verdict of `flow` reads: its own parameters (assembly/verdicts/flow.ts) and the results of four runs
// (assembly/flow/answer.ts), and their fields as sheets with what stands behind the sides.

import { parameterF64, parameters } from "../kernel/frame";
import { openSheet, setValue, setX, setY } from "./sheet";

export namespace Quantity {
  export const U: i32 = 0;
  export const V: i32 = 1;
  export const P: i32 = 2;
  export const PSI: i32 = 3;
  export const OMEGA: i32 = 4;
  export const U_MIN: i32 = 5;
  export const U_MAX: i32 = 6;
  export const V_MIN: i32 = 7;
  export const V_MAX: i32 = 8;
  export const PSI_MIN: i32 = 9;
  export const KINETIC: i32 = 10;
}

const SIDES: usize = 256;
const WALL: i32 = 0, RING: i32 = 3;

export let nx: i32 = 0, ny: i32 = 0;
export let Lx: f64 = 0, Ly: f64 = 0, dx: f64 = 0, dy: f64 = 0;
/** Of h, 2h, 4h and the twin. */
let starts: StaticArray<usize> = [0, 0, 0, 0];
let across: StaticArray<i32> = [0, 0, 0, 0];
let upward: StaticArray<i32> = [0, 0, 0, 0];
let rowsAt: usize = 0;

@inline export function results(level: i32): usize { return starts[level]; }
@inline export function rowsData(): usize { return rowsAt; }

function bytesOf(n: i32, m: i32): usize {
  return 128 + (<usize>m << 4) + (<usize>((n + 1) * m + n * (m + 1) + n * m + 2 * (n + 1) * (m + 1)) << 3);
}

export function layResults(): void {
  nx = <i32>parameterF64(8); ny = <i32>parameterF64(16); Lx = parameterF64(24); Ly = parameterF64(32);
  dx = Lx / <f64>nx; dy = Ly / <f64>ny;
  let at = parameters() + SIDES + (<usize>(4 * nx + 4 * ny + 4) << 3);
  for (let level = 0; level < 4; level++) {
    across[level] = level < 3 ? nx >> level : <i32>parameterF64(176);
    upward[level] = level < 3 ? ny >> level : <i32>parameterF64(184);
    starts[level] = at;
    if (level < 3 || parameterF64(168) != 0.0) at += bytesOf(across[level], upward[level]);
  }
  rowsAt = at;
}

@inline export function head(level: i32, place: i32): f64 { return load<f64>(starts[level] + (<usize>place << 3)); }
@inline function fields(level: i32): usize { return starts[level] + 128 + (<usize>upward[level] << 4); }
@inline function entry(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }

@inline export function uAt(level: i32, i: i32, j: i32): f64 { return entry(fields(level), j * (across[level] + 1) + i); }
@inline export function vAt(level: i32, i: i32, j: i32): f64 {
  const n = across[level], m = upward[level];
  return entry(fields(level), (n + 1) * m + j * n + i);
}
@inline export function pAt(level: i32, i: i32, j: i32): f64 {
  const n = across[level], m = upward[level];
  return entry(fields(level), (n + 1) * m + n * (m + 1) + j * n + i);
}
@inline export function psiAt(level: i32, i: i32, j: i32): f64 {
  const n = across[level], m = upward[level];
  return entry(fields(level), (n + 1) * m + n * (m + 1) + n * m + j * (n + 1) + i);
}
@inline export function omegaAt(level: i32, i: i32, j: i32): f64 {
  const n = across[level], m = upward[level];
  return entry(fields(level), (n + 1) * m + n * (m + 1) + n * m + (n + 1) * (m + 1) + j * (n + 1) + i);
}

// ---- sides, on the finest grid -----------------------------------------------------------------------------

/** Left, right, bottom, top: 0 … 3. */
@inline export function sideKind(side: i32): i32 { return <i32>parameterF64(104 + (<usize>side << 3)); }
@inline function sideAt(side: i32): usize {
  const first = 2 * ny + 1, second = 2 * nx + 1;
  return parameters() + SIDES + (<usize>(side < 2 ? side * first : 2 * first + (side - 2) * second) << 3);
}
/** Tangential velocity at corner k of the side; of a lid its profile. */
export function sideAlong(side: i32, k: i32): f64 {
  const lid = <i32>parameterF64(144);
  if (side == 3 && lid != 0) {
    const s = <f64>k / <f64>nx;
    return lid == 1 ? parameterF64(136) : parameterF64(136) * 16.0 * s * s * (1.0 - s) * (1.0 - s);
  }
  return entry(sideAt(side), (side < 2 ? ny : nx) + k);
}

// ---- sheets ------------------------------------------------------------------------------------------------

/** Nodes behind an end of an axis: three of a ring, three of a mirror, a wall's own one for what runs along it. */
@inline function behind(side: i32, isMiddles: bool, isAlong: bool): i32 {
  const kind = sideKind(side);
  if (kind == RING) return 3;
  return isMiddles && isAlong ? (kind == WALL ? 1 : 3) : 0;
}

/** Coordinate of node k of an axis; −1, n … of middles stand on the walls where those are nodes. */
@inline function placeOf(k: i32, n: i32, h: f64, isMiddles: bool, lowWall: bool, highWall: bool): f64 {
  if (isMiddles && k == -1 && lowWall) return 0.0;
  if (isMiddles && k == n && highWall) return <f64>n * h;
  return (isMiddles ? <f64>k + 0.5 : <f64>k) * h;
}

/** Index of the node that node k is an image of. */
@inline function imageOf(k: i32, n: i32, isMiddles: bool, ring: bool): i32 {
  if (ring) return (k + n) % n;
  if (!isMiddles) return k;
  return k < 0 ? -1 - k : k >= n ? 2 * n - 1 - k : k;
}

@inline function nodeOf(which: i32, level: i32, i: i32, j: i32): f64 {
  if (which == Quantity.U) return uAt(level, i, j);
  if (which == Quantity.V) return vAt(level, i, j);
  if (which == Quantity.P) return pAt(level, i, j);
  return which == Quantity.PSI ? psiAt(level, i, j) : omegaAt(level, i, j);
}

/** The field that the quantity is about, on grid 2^level h. */
export function loadSheet(quantity: i32, level: i32): void {
  const which = quantity <= Quantity.OMEGA ? quantity : quantity <= Quantity.U_MAX ? Quantity.U : quantity <= Quantity.V_MAX ? Quantity.V : Quantity.PSI;
  const n = across[level], m = upward[level], coarse = 1 << level, hx = Lx / <f64>n, hy = Ly / <f64>m;
  const middlesX = which == Quantity.V || which == Quantity.P, middlesY = which == Quantity.U || which == Quantity.P;
  const ringX = sideKind(0) == RING && which < Quantity.PSI, ringY = sideKind(2) == RING && which < Quantity.PSI;
  const corners = which >= Quantity.PSI, alongX = which == Quantity.V, alongY = which == Quantity.U;
  const low = corners ? 0 : behind(0, middlesX, alongX), high = corners ? 0 : behind(1, middlesX, alongX);
  const under = corners ? 0 : behind(2, middlesY, alongY), over = corners ? 0 : behind(3, middlesY, alongY);
  const columns = (middlesX ? n : n + 1) + low + high, lines = (middlesY ? m : m + 1) + under + over;
  const leftWall = alongX && sideKind(0) == WALL, rightWall = alongX && sideKind(1) == WALL;
  const lowWall = alongY && sideKind(2) == WALL, highWall = alongY && sideKind(3) == WALL;
  openSheet(columns, lines);
  for (let i = 0; i < columns; i++) setX(i, placeOf(i - low, n, hx, middlesX, leftWall, rightWall));
  for (let j = 0; j < lines; j++) {
    setY(j, placeOf(j - under, m, hy, middlesY, lowWall, highWall));
    for (let i = 0; i < columns; i++) {
      const p = i - low, q = j - under;
      let value = 0.0;
      if (lowWall && q < 0) value = sideAlong(2, imageOf(p, n, false, ringX) * coarse);
      else if (highWall && q >= m) value = sideAlong(3, imageOf(p, n, false, ringX) * coarse);
      else if (leftWall && p < 0) value = sideAlong(0, imageOf(q, m, false, ringY) * coarse);
      else if (rightWall && p >= n) value = sideAlong(1, imageOf(q, m, false, ringY) * coarse);
      else value = nodeOf(which, level, imageOf(p, n, middlesX, ringX), imageOf(q, m, middlesY, ringY));
      setValue(i, j, value);
    }
  }
}
