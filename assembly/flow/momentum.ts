// F = −∇·(uu) + ν∇²u + g on the faces: central fluxes in conservative form, which neither make nor lose kinetic energy
// (Harlow & Welch 1965; Morinishi et al., J. Comput. Phys. 143 (1998) 90, §3.1). Two faces in a vector; sums in the
// order of the formula, so that lanes change no bit.

import { parameterF64 } from "../kernel/frame";
import { Kind, bottom, dx, dy, left, nx, ny, pitch, right, rowOf, top } from "./problem";
import { pinned } from "../grid/stencil";

let kept: f64 = 0, acrossX: f64 = 0, acrossY: f64 = 0, spreadX: f64 = 0, spreadY: f64 = 0, pushX: f64 = 0, pushY: f64 = 0;

/** Each call of `tendencies` gives q ← a q + dt F; where a is 0, what q was is not looked at. */
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

/** Faces 0 … nx of a row of u; `v` the row below the faces' middles, v + pitch the one above. */
function rowOfU<Cells, Stage>(q: usize, u: usize, v: usize): void {
  const a = pinned(kept), ax = pinned(acrossX), ay = pinned(acrossY), sx = pinned(spreadX);
  const sy = pinned(spreadY), g = pinned(pushX), two = pinned(-2.0 * (spreadX + spreadY));
  const bytes = <usize>(nx + 1) << 3, down = u - pitch, up = u + pitch, over = v + pitch;
  for (let k: usize = 0; k < bytes; k += 16) {
    const c = v128.load(u + k), l = v128.load(u + k - 8), r = v128.load(u + k, 8), d = v128.load(down + k), n = v128.load(up + k);
    const east = f64x2.add(c, r), west = f64x2.add(l, c);
    const north = f64x2.mul(f64x2.add(c, n), f64x2.add(v128.load(over + k - 8), v128.load(over + k)));
    const south = f64x2.mul(f64x2.add(d, c), f64x2.add(v128.load(v + k - 8), v128.load(v + k)));
    const carried = balance<Cells>(ax, f64x2.sub(f64x2.mul(east, east), f64x2.mul(west, west)), ay, f64x2.sub(north, south));
    const spread = f64x2.add(balance<Cells>(sx, f64x2.add(l, r), sy, f64x2.add(d, n)), f64x2.add(f64x2.mul(two, c), g));
    v128.store(q + k, keptAnd<Stage>(q + k, a, f64x2.sub(spread, carried)));
  }
}

/** Faces 0 … nx−1 of a row of v; `u` the row of u above them, u − pitch the one below. */
function rowOfV<Cells, Stage>(q: usize, v: usize, u: usize): void {
  const a = pinned(kept), ax = pinned(acrossX), ay = pinned(acrossY), sx = pinned(spreadX);
  const sy = pinned(spreadY), g = pinned(pushY), two = pinned(-2.0 * (spreadX + spreadY));
  const bytes = <usize>nx << 3, down = v - pitch, up = v + pitch, under = u - pitch;
  for (let k: usize = 0; k < bytes; k += 16) {
    const c = v128.load(v + k), l = v128.load(v + k - 8), r = v128.load(v + k, 8), d = v128.load(down + k), n = v128.load(up + k);
    const north = f64x2.add(c, n), south = f64x2.add(d, c);
    const east = f64x2.mul(f64x2.add(c, r), f64x2.add(v128.load(under + k, 8), v128.load(u + k, 8)));
    const west = f64x2.mul(f64x2.add(l, c), f64x2.add(v128.load(under + k), v128.load(u + k)));
    const carried = balance<Cells>(ax, f64x2.sub(east, west), ay, f64x2.sub(f64x2.mul(north, north), f64x2.mul(south, south)));
    const spread = f64x2.add(balance<Cells>(sx, f64x2.add(l, r), sy, f64x2.add(d, n)), f64x2.add(f64x2.mul(two, c), g));
    v128.store(q + k, keptAnd<Stage>(q + k, a, f64x2.sub(spread, carried)));
  }
}

/** Of faces that walls hold the tendency is nothing. */
function rowsOf<Cells, Stage>(u: usize, v: usize, qu: usize, qv: usize): void {
  for (let j = 0; j < ny; j++) {
    const q = rowOf(qu, j);
    rowOfU<Cells, Stage>(q, rowOf(u, j), rowOf(v, j));
    if (left <= Kind.SLIP) store<f64>(q, 0.0);
    if (right <= Kind.SLIP) store<f64>(q + (<usize>nx << 3), 0.0);
  }
  for (let j = 0; j <= ny; j++) {
    const q = rowOf(qv, j);
    if ((j == 0 && bottom <= Kind.SLIP) || (j == ny && top <= Kind.SLIP)) memory.fill(q, 0, <usize>nx << 3);
    else rowOfV<Cells, Stage>(q, rowOf(v, j), rowOf(u, j));
  }
}

function stageOf<Cells>(u: usize, v: usize, qu: usize, qv: usize): void {
  if (kept == 0.0) rowsOf<Cells, bool>(u, v, qu, qv);
  else rowsOf<Cells, f64>(u, v, qu, qv);
}

/** Ghosts of u and v must be filled. */
export function tendencies(u: usize, v: usize, qu: usize, qv: usize): void {
  if (dx == dy) stageOf<bool>(u, v, qu, qv);
  else stageOf<f64>(u, v, qu, qv);
}
