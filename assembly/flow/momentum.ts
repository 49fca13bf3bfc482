// F = −∇·(uu) + ν∇²u + g on the faces: central fluxes in conservative form, which neither make nor lose kinetic energy
// (Harlow & Welch 1965; Morinishi et al., J. Comput. Phys. 143 (1998) 90, §3.1). Two faces in a vector; sums in the
// order of the formula, so that lanes change no bit.

import { allocate, parameterF64 } from "../kernel/frame";
import { TEAM, each } from "../kernel/team";
import { Kind, bottom, dx, dy, left, nx, ny, pitch, right, rowOf, top } from "./problem";
import { between } from "../grid/stencil";

let kept: f64 = 0;

/** Factors of the rows, each in both lanes: loaded, so that they stay out of the loops (../grid/stencil.ts). */
const factors = memory.data(144, 16);
const KEPT: usize = factors, TAKEN: usize = factors + 16, ACROSS_X: usize = factors + 32, ACROSS_Y: usize = factors + 48;
const SPREAD_X: usize = factors + 64, SPREAD_Y: usize = factors + 80, CENTRE: usize = factors + 96, PUSH_X: usize = factors + 112;
const PUSH_Y: usize = factors + 128;

@inline function lay(factor: usize, value: f64): void { v128.store(factor, f64x2.splat(value)); }

/** Each call of `push` gives q ← a q + dt F; where a is 0, what q was is not looked at. */
export function layMomentum(nu: f64, a: f64, dt: f64): void {
  const spreadX = nu * dt / (dx * dx), spreadY = nu * dt / (dy * dy);
  kept = a;
  lay(KEPT, a);
  lay(ACROSS_X, 0.25 * dt / dx); lay(ACROSS_Y, 0.25 * dt / dy);
  lay(SPREAD_X, spreadX); lay(SPREAD_Y, spreadY); lay(CENTRE, -2.0 * (spreadX + spreadY));
  lay(PUSH_X, dt * parameterF64(56)); lay(PUSH_Y, dt * parameterF64(64));
}

/** What comes along x and along y; of square cells (`bool`) by one factor, which leaves a register free. */
@inline function balance<Cells>(x: v128, alongX: v128, y: v128, alongY: v128): v128 {
  if (isBoolean<Cells>()) return f64x2.mul(x, f64x2.add(alongX, alongY));
  return f64x2.add(f64x2.mul(x, alongX), f64x2.mul(y, alongY));
}

/** a q + `more`; of a first stage (`bool`) `more` alone. */
@inline function keptAnd<Stage>(q: usize, a: v128, more: v128): v128 {
  return isBoolean<Stage>() ? more : f64x2.add(f64x2.mul(a, v128.load(q)), more);
}

/** Cells of a block of rows that threads share (../kernel/team.ts); one thread alone has one block. */
const BLOCK: i32 = 16384;
let rowsOfBlock: i32 = 0, blocks: i32 = 0, rooms: usize = 0, roomBytes: usize = 0;
let ofU: usize = 0, ofV: usize = 0, toU: usize = 0, toV: usize = 0;

/**
 * What u carries along y is what v carries along x: of the corners of row j's lower edge, (u below + u)(v left + v). A row
 * of u makes those of its upper edge of them. Beside them the rows of u and v below as they were before the stage, and
 * behind a block that is not the last the rows above it as they were. Of one block at a time.
 */
let corners: usize = 0, underU: usize = 0, underV: usize = 0, behindU: usize = 0, behindV: usize = 0;

export function layRows(): void {
  rowsOfBlock = TEAM ? max(1, BLOCK / nx) : ny;
  blocks = max(1, ny / rowsOfBlock);
  roomBytes = (TEAM ? 5 : 3) * pitch;
  rooms = allocate(roomBytes * <usize>blocks);
}

function enterRoom(block: i32): void {
  corners = rooms + roomBytes * <usize>block + 16;
  underU = corners + pitch;
  underV = underU + pitch;
  behindU = underV + pitch;
  behindV = behindU + pitch;
}

@inline function copyRow(to: usize, from: usize): void { memory.copy(to - 16, from - 16, pitch); }

function keepBelow(u: usize, v: usize): void {
  copyRow(underU, u - pitch);
  copyRow(underV, v - pitch);
}

@inline function corner(below: v128, above: v128, v: usize): v128 {
  return f64x2.mul(f64x2.add(below, above), f64x2.add(v128.load(v), v128.load(v, 8)));
}

/** Lower corners of the lowest row. */
function layCorners(u: usize, v: usize): void {
  const end = corners + (<usize>(nx + 1) << 3);
  v -= 8;
  for (let to = corners, below = underU; to < end; to += 16, below += 16, u += 16, v += 16) v128.store(to, corner(v128.load(below), v128.load(u), v));
}

/** Faces 0 … nx of a row of u; `up` the row above, `over` the row of v above the faces' middles. */
function rowOfU<Cells, Stage>(q: usize, u: usize, up: usize, over: usize): void {
  const a = v128.load(KEPT), b = v128.load(TAKEN), ax = v128.load(ACROSS_X), ay = v128.load(ACROSS_Y), sx = v128.load(SPREAD_X);
  const sy = v128.load(SPREAD_Y), g = v128.load(PUSH_X), two = v128.load(CENTRE);
  const end = q + (<usize>(nx + 1) << 3), before = v128.load(u - 16);
  let c = v128.load(u), l = between(before, c), middle = f64x2.add(before, l), west = f64x2.mul(middle, middle);
  let under = underU, edge = corners;
  over -= 8;
  for (; q < end; q += 16, u += 16, under += 16, up += 16, over += 16, edge += 16) {
    const next = v128.load(u, 16), r = between(c, next), d = v128.load(under), n = v128.load(up);
    middle = f64x2.add(c, r);
    const east = f64x2.mul(middle, middle), north = corner(c, n, over), south = v128.load(edge);
    v128.store(edge, north);
    v128.store(under, c);
    const carried = balance<Cells>(ax, f64x2.sub(east, between(west, east)), ay, f64x2.sub(north, south));
    const spread = f64x2.add(balance<Cells>(sx, f64x2.add(l, r), sy, f64x2.add(d, n)), f64x2.add(f64x2.mul(two, c), g));
    const change = keptAnd<Stage>(q, a, f64x2.sub(spread, carried));
    v128.store(q, change);
    v128.store(u, f64x2.add(c, f64x2.mul(b, change)));
    west = east; l = r; c = next;
  }
}

/** Faces 0 … nx−1 of a row of v, at whose ends the corners lie; `up` the row above. */
function rowOfV<Cells, Stage>(q: usize, v: usize, up: usize): void {
  const a = v128.load(KEPT), b = v128.load(TAKEN), ax = v128.load(ACROSS_X), ay = v128.load(ACROSS_Y), sx = v128.load(SPREAD_X);
  const sy = v128.load(SPREAD_Y), g = v128.load(PUSH_Y), two = v128.load(CENTRE);
  const end = q + (<usize>nx << 3);
  let c = v128.load(v), l = between(v128.load(v - 16), c), under = underV, edge = corners;
  for (; q < end; q += 16, v += 16, under += 16, up += 16, edge += 16) {
    const next = v128.load(v, 16), r = between(c, next), d = v128.load(under), n = v128.load(up);
    const north = f64x2.add(c, n), south = f64x2.add(d, c);
    v128.store(under, c);
    const carried = balance<Cells>(ax, f64x2.sub(v128.load(edge, 8), v128.load(edge)), ay, f64x2.sub(f64x2.mul(north, north), f64x2.mul(south, south)));
    const spread = f64x2.add(balance<Cells>(sx, f64x2.add(l, r), sy, f64x2.add(d, n)), f64x2.add(f64x2.mul(two, c), g));
    const change = keptAnd<Stage>(q, a, f64x2.sub(spread, carried));
    v128.store(q, change);
    v128.store(v, f64x2.add(c, f64x2.mul(b, change)));
    l = r; c = next;
  }
}

/** A face that a wall holds: the tendency is nothing, the velocity what it was. */
@inline function hold(q: usize, u: usize, was: usize): void {
  store<f64>(q, 0.0);
  store<f64>(u, load<f64>(was));
}

/** Row j of v, and of u above it, from the rows above (`upU`, `upV`) and what those below left. */
function rowsAt<Cells, Stage>(j: i32, u: usize, v: usize, qu: usize, qv: usize, upU: usize, upV: usize): void {
  const far = <usize>nx << 3;
  if ((j == 0 && bottom <= Kind.SLIP) || (j == ny && top <= Kind.SLIP)) {
    memory.fill(qv, 0, far);
    memory.copy(underV, v, far);
  } else rowOfV<Cells, Stage>(qv, v, upV);
  if (j == ny) return;
  rowOfU<Cells, Stage>(qu, u, upU, upV);
  if (left <= Kind.SLIP) hold(qu, u, underU);
  if (right <= Kind.SLIP) hold(qu + far, u + far, underU + far);
}

/** Rows of v of a block, and of u above them; the last has row ny too. */
function rowsOf<Cells, Stage>(block: i32): void {
  const first = rowsOfBlock * block, isLast = block == blocks - 1, end = isLast ? ny : first + rowsOfBlock - 1;
  layCorners(rowOf(ofU, first), rowOf(ofV, first));
  for (let j = first; j <= end; j++) {
    const u = rowOf(ofU, j), v = rowOf(ofV, j), isBefore = j == end && !isLast;
    rowsAt<Cells, Stage>(j, u, v, rowOf(toU, j), rowOf(toV, j), isBefore ? behindU : u + pitch, isBefore ? behindV : v + pitch);
  }
}

function pushBlock(block: i32): void {
  enterRoom(block);
  if (kept != 0.0) { if (dx == dy) rowsOf<bool, f64>(block); else rowsOf<f64, f64>(block); }
  else if (dx == dy) rowsOf<bool, bool>(block);
  else rowsOf<f64, bool>(block);
}

/** Rows that one block changes and another looks at. */
function keepBorders(): void {
  for (let block = 0; block < blocks; block++) {
    const first = rowsOfBlock * block, next = first + rowsOfBlock;
    enterRoom(block);
    keepBelow(rowOf(ofU, first), rowOf(ofV, first));
    if (block == blocks - 1) return;
    copyRow(behindU, rowOf(ofU, next));
    copyRow(behindV, rowOf(ofV, next));
  }
}

/** q, and u ← u + b q. Ghosts of u and v must be filled. */
export function push(u: usize, v: usize, qu: usize, qv: usize, b: f64): void {
  lay(TAKEN, b);
  ofU = u; ofV = v; toU = qu; toV = qv;
  keepBorders();
  each(pushBlock, blocks);
}

/** q alone. */
export function tendencies(u: usize, v: usize, qu: usize, qv: usize): void { push(u, v, qu, qv, 0.0); }

/** The same row by row, of which but two need to be there: rows 0 … ny in turn, each with those below and above. */
export function tendenciesOfRow(j: i32, u: usize, v: usize, qu: usize, qv: usize): void {
  lay(TAKEN, 0.0);
  if (j == 0) {
    enterRoom(0);
    keepBelow(u, v);
    layCorners(u, v);
  }
  if (dx == dy) rowsAt<bool, bool>(j, u, v, qu, qv, u + pitch, v + pitch);
  else rowsAt<f64, bool>(j, u, v, qu, qv, u + pitch, v + pitch);
}
