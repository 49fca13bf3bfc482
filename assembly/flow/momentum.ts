// F = −∇·(uu) + ν∇²u + g on the faces: central fluxes in conservative form, which neither make nor lose kinetic energy
// (Harlow & Welch 1965; Morinishi et al., J. Comput. Phys. 143 (1998) 90, §3.1). Two faces in a vector; sums in the
// order of the formula, so that lanes change no bit.

import { allocate, parameterF64 } from "../kernel/frame";
import { Kind, bottom, dx, dy, left, nx, ny, pitch, right, rowOf, top } from "./problem";
import { between, pinned } from "../grid/stencil";

let kept: f64 = 0, taken: f64 = 0, acrossX: f64 = 0, acrossY: f64 = 0, spreadX: f64 = 0, spreadY: f64 = 0, pushX: f64 = 0, pushY: f64 = 0;

/** Each call of `push` gives q ← a q + dt F; where a is 0, what q was is not looked at. */
export function layMomentum(nu: f64, a: f64, dt: f64): void {
  kept = a;
  acrossX = 0.25 * dt / dx; acrossY = 0.25 * dt / dy;
  spreadX = nu * dt / (dx * dx); spreadY = nu * dt / (dy * dy);
  pushX = dt * parameterF64(56); pushY = dt * parameterF64(64);
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

/**
 * What u carries along y is what v carries along x: of the corners of row j's lower edge, (u below + u)(v left + v). A row
 * of u makes those of its upper edge of them. Beside them the rows of u and v below as they were before the stage.
 */
let corners: usize = 0, underU: usize = 0, underV: usize = 0;

export function layRows(): void {
  corners = allocate(pitch) + 16;
  underU = allocate(pitch) + 16;
  underV = allocate(pitch) + 16;
}

@inline function corner(below: v128, above: v128, v: usize): v128 {
  return f64x2.mul(f64x2.add(below, above), f64x2.add(v128.load(v), v128.load(v, 8)));
}

/** The rows below the lowest, and its lower corners. */
function openRows(u: usize, v: usize): void {
  memory.copy(underU - 16, u - pitch - 16, pitch);
  memory.copy(underV - 16, v - pitch - 16, pitch);
  const end = corners + (<usize>(nx + 1) << 3);
  v -= 8;
  for (let to = corners, below = underU; to < end; to += 16, below += 16, u += 16, v += 16) v128.store(to, corner(v128.load(below), v128.load(u), v));
}

/** Faces 0 … nx of a row of u; `over` the row of v above the faces' middles. */
function rowOfU<Cells, Stage>(q: usize, u: usize, over: usize): void {
  const a = pinned(kept), b = pinned(taken), ax = pinned(acrossX), ay = pinned(acrossY), sx = pinned(spreadX);
  const sy = pinned(spreadY), g = pinned(pushX), two = pinned(-2.0 * (spreadX + spreadY));
  const end = q + (<usize>(nx + 1) << 3), before = v128.load(u - 16);
  let c = v128.load(u), l = between(before, c), middle = f64x2.add(before, l), west = f64x2.mul(middle, middle);
  let up = u + pitch, under = underU, edge = corners;
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

/** Faces 0 … nx−1 of a row of v, at whose ends the corners lie. */
function rowOfV<Cells, Stage>(q: usize, v: usize): void {
  const a = pinned(kept), b = pinned(taken), ax = pinned(acrossX), ay = pinned(acrossY), sx = pinned(spreadX);
  const sy = pinned(spreadY), g = pinned(pushY), two = pinned(-2.0 * (spreadX + spreadY));
  const end = q + (<usize>nx << 3);
  let c = v128.load(v), l = between(v128.load(v - 16), c), up = v + pitch, under = underV, edge = corners;
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

/** Row j of v, and of u above it, from what `openRows` and the rows before left. */
function rowsAt<Cells, Stage>(j: i32, u: usize, v: usize, qu: usize, qv: usize): void {
  const far = <usize>nx << 3;
  if ((j == 0 && bottom <= Kind.SLIP) || (j == ny && top <= Kind.SLIP)) {
    memory.fill(qv, 0, far);
    memory.copy(underV, v, far);
  } else rowOfV<Cells, Stage>(qv, v);
  if (j == ny) return;
  rowOfU<Cells, Stage>(qu, u, v + pitch);
  if (left <= Kind.SLIP) hold(qu, u, underU);
  if (right <= Kind.SLIP) hold(qu + far, u + far, underU + far);
}

function stageOf<Cells, Stage>(u: usize, v: usize, qu: usize, qv: usize): void {
  openRows(rowOf(u, 0), rowOf(v, 0));
  for (let j = 0; j <= ny; j++) rowsAt<Cells, Stage>(j, rowOf(u, j), rowOf(v, j), rowOf(qu, j), rowOf(qv, j));
}

/** q, and u ← u + b q. Ghosts of u and v must be filled. */
export function push(u: usize, v: usize, qu: usize, qv: usize, b: f64): void {
  taken = b;
  if (kept != 0.0) { if (dx == dy) stageOf<bool, f64>(u, v, qu, qv); else stageOf<f64, f64>(u, v, qu, qv); }
  else if (dx == dy) stageOf<bool, bool>(u, v, qu, qv);
  else stageOf<f64, bool>(u, v, qu, qv);
}

/** q alone. */
export function tendencies(u: usize, v: usize, qu: usize, qv: usize): void { push(u, v, qu, qv, 0.0); }

/** The same row by row, of which but two need to be there: rows 0 … ny in turn, each with those below and above. */
export function tendenciesOfRow(j: i32, u: usize, v: usize, qu: usize, qv: usize): void {
  taken = 0.0;
  if (j == 0) openRows(u, v);
  if (dx == dy) rowsAt<bool, bool>(j, u, v, qu, qv);
  else rowsAt<f64, bool>(j, u, v, qu, qv);
}
