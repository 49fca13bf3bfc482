// What the kernels of `flow` are told, and the staggered grid that they share (Harlow & Welch, Phys. Fluids 8 (1965)
// 2182): u on the faces x = i dx, v on the faces y = j dy, p in the middles of the cells, ψ and ω on the corners.
//
// Parameters (f64):
//   0 nx · 8 ny · 16 Lx · 24 Ly [m] · 32 ν [m²/s] · 40 dt [s] · 48 steps · 56, 64 g [m/s²]
//   72 factor: the arrays below are those of a grid that is finer by it · 80 … 104 kinds of left, right, bottom, top
//   112 start: 0 arrays, 1 Taylor–Green, 2 uniform, 3 goes on · 120, 128 u, v of a uniform start; U and drift of Taylor–Green
//   136 ρ [kg/m³] · 144 steps per row; of a steady run, whose 48 are the most it may take: work units allowed · 152 lid: 0 none, 1 uniform, 2 regularised, 3 manufactured · 160 its U [m/s]
//   168 residual that ends a steady run · 176 coarser corners come with it: 1
//   184 of a steady run: how much wider the cells are of the grid whose linear equations are solved directly
//   192 for left, right, bottom, top: normal velocity of each face, tangential velocity of each of its ends
//   start 0: u of (nx+1) × ny faces, v of nx × (ny+1), finest grid · start 3: the result to go on from
//   176 = 1: ψ on the corners of the grid 2h

import { allocate, parameterF64, parameters } from "../kernel/frame";

export namespace Kind {
  export const WALL: i32 = 0;
  export const SLIP: i32 = 1;
  export const OPEN: i32 = 2;
  export const RING: i32 = 3;
}
export const HEAD: usize = 192;

export let nx: i32 = 0, ny: i32 = 0, factor: i32 = 1;
export let Lx: f64 = 0, Ly: f64 = 0, dx: f64 = 0, dy: f64 = 0;
export let left: i32 = 0, right: i32 = 0, bottom: i32 = 0, top: i32 = 0;
/** Bytes of a padded row; velocities of the sides on this grid. */
export let pitch: usize = 0;
export let leftNormal: usize = 0, leftAlong: usize = 0, rightNormal: usize = 0, rightAlong: usize = 0;
export let bottomNormal: usize = 0, bottomAlong: usize = 0, topNormal: usize = 0, topAlong: usize = 0;
let startsAt: usize = 0;

/** Padded fields have rows −1 … ny+1 and columns −2 … nx+3 at least. */
export function paddedBytes(): usize { return pitch * <usize>(ny + 3); }
@inline export function rowOf(field: usize, j: i32): usize { return field + pitch * <usize>(j + 1) + 16; }
@inline export function at(field: usize, i: i32, j: i32): usize { return rowOf(field, j) + (<isize>i << 3); }

@inline function entry(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }

/** A side's normal velocities as means of the finer faces, its tangential ones where corners coincide. */
function laySide(cells: i32, from: usize, normal: usize, along: usize): usize {
  for (let i = 0; i < cells; i++) {
    let sum = 0.0;
    for (let k = 0; k < factor; k++) sum += entry(from, i * factor + k);
    store<f64>(normal + (<usize>i << 3), sum / <f64>factor);
  }
  const ends = from + (<usize>(cells * factor) << 3);
  for (let i = 0; i <= cells; i++) store<f64>(along + (<usize>i << 3), entry(ends, i * factor));
  return ends + (<usize>(cells * factor + 1) << 3);
}

@inline function room(cells: i32): usize { return allocate(<usize>(cells + 2) << 3); }

export function readProblem(): void {
  nx = <i32>parameterF64(0); ny = <i32>parameterF64(8);
  Lx = parameterF64(16); Ly = parameterF64(24);
  dx = Lx / <f64>nx; dy = Ly / <f64>ny;
  factor = <i32>parameterF64(72);
  left = <i32>parameterF64(80); right = <i32>parameterF64(88); bottom = <i32>parameterF64(96); top = <i32>parameterF64(104);
  pitch = <usize>((nx + 8) & ~1) << 3;
  leftNormal = room(ny); leftAlong = room(ny); rightNormal = room(ny); rightAlong = room(ny);
  bottomNormal = room(nx); bottomAlong = room(nx); topNormal = room(nx); topAlong = room(nx);
  let from = parameters() + HEAD;
  from = laySide(ny, from, leftNormal, leftAlong);
  from = laySide(ny, from, rightNormal, rightAlong);
  from = laySide(nx, from, bottomNormal, bottomAlong);
  startsAt = laySide(nx, from, topNormal, topAlong);
  layLid(<i32>parameterF64(152), parameterF64(160));
}

/** 16ξ²(1−ξ)² U is U in the middle, and comes to rest with its slope at both ends. */
function layLid(kind: i32, U: f64): void {
  if (kind == 0) return;
  for (let i = 0; i <= nx; i++) {
    const s = <f64>i / <f64>nx, hill = 4.0 * s * (1.0 - s);
    store<f64>(topAlong + (<usize>i << 3), kind == 1 ? U : U * hill * hill);
  }
}

/** Cells that are `by` times as wide, or as narrow as before; what the sides do is left as it was. */
export function coarsen(by: i32): void {
  nx /= by; ny /= by;
  dx = Lx / <f64>nx; dy = Ly / <f64>ny;
  pitch = <usize>((nx + 8) & ~1) << 3;
}
export function uncoarsen(by: i32): void {
  nx *= by; ny *= by;
  dx = Lx / <f64>nx; dy = Ly / <f64>ny;
  pitch = <usize>((nx + 8) & ~1) << 3;
}

/** What stands behind the sides. */
@inline export function startData(): usize { return startsAt; }

// ---- start -----------------------------------------------------------------------------------------------------

/** Faces of this grid from those of the finest: the mean of those that make it up, which keeps ∇·u. */
function coarseFaces(u: usize, v: usize): void {
  const columns = nx * factor, lines = ny * factor, vs = startsAt + (<usize>((columns + 1) * lines) << 3);
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i <= nx; i++) {
      let sum = 0.0;
      for (let k = 0; k < factor; k++) sum += entry(startsAt, (j * factor + k) * (columns + 1) + i * factor);
      store<f64>(at(u, i, j), sum / <f64>factor);
    }
  }
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i < nx; i++) {
      let sum = 0.0;
      for (let k = 0; k < factor; k++) sum += entry(vs, j * factor * columns + i * factor + k);
      store<f64>(at(v, i, j), sum / <f64>factor);
    }
  }
}

/** u = U cos(2πx/Lx) sin(2πy/Ly), v = −U (Ly/Lx) sin(2πx/Lx) cos(2πy/Ly): Taylor & Green, Proc. R. Soc. A 158 (1937). */
function vortices(u: usize, v: usize): void {
  const U = parameterF64(120), drift = parameterF64(128);
  for (let j = 0; j < ny; j++) {
    const s = U * Math.sin(2.0 * Math.PI * (<f64>j + 0.5) / <f64>ny);
    for (let i = 0; i <= nx; i++) store<f64>(at(u, i, j), drift + s * Math.cos(2.0 * Math.PI * <f64>(i % nx) / <f64>nx));
  }
  for (let j = 0; j <= ny; j++) {
    const c = U * Ly / Lx * Math.cos(2.0 * Math.PI * <f64>(j % ny) / <f64>ny);
    for (let i = 0; i < nx; i++) store<f64>(at(v, i, j), -c * Math.sin(2.0 * Math.PI * (<f64>i + 0.5) / <f64>nx));
  }
}

function uniform(u: usize, v: usize): void {
  for (let j = 0; j < ny; j++) for (let i = 0; i <= nx; i++) store<f64>(at(u, i, j), parameterF64(120));
  for (let j = 0; j <= ny; j++) for (let i = 0; i < nx; i++) store<f64>(at(v, i, j), parameterF64(128));
}

/** Faces on walls have the walls' velocity, whatever the start says. */
export function fixFaces(u: usize, v: usize): void {
  for (let j = 0; j < ny; j++) {
    if (left <= Kind.SLIP) store<f64>(at(u, 0, j), entry(leftNormal, j));
    if (right <= Kind.SLIP) store<f64>(at(u, nx, j), entry(rightNormal, j));
    if (left == Kind.RING) store<f64>(at(u, nx, j), load<f64>(at(u, 0, j)));
  }
  for (let i = 0; i < nx; i++) {
    if (bottom <= Kind.SLIP) store<f64>(at(v, i, 0), entry(bottomNormal, i));
    if (top <= Kind.SLIP) store<f64>(at(v, i, ny), entry(topNormal, i));
    if (bottom == Kind.RING) store<f64>(at(v, i, ny), load<f64>(at(v, i, 0)));
  }
}

export function writeStart(u: usize, v: usize): void {
  const kind = <i32>parameterF64(112);
  if (kind == 1) vortices(u, v);
  else if (kind == 2) uniform(u, v);
  else coarseFaces(u, v);
  fixFaces(u, v);
}

// ---- ghosts ----------------------------------------------------------------------------------------------------

/**
 * Behind a side the mirror image: through a wall with twice its velocity, without a gradient else. What passes an open
 * side goes on behind it as a parabola: a mirror image, or the same once more, would leave a part of ν ∂u/∂n in the
 * balance of the faces there, and with it a pressure on a side where p is 0.
 */
export function fillGhosts(u: usize, v: usize): void {
  for (let j = 0; j < ny; j++) ghostsOfU(rowOf(u, j));
  for (let j = 0; j <= ny; j++) ghostsOfV(rowOf(v, j), j);
  if (bottom == Kind.RING) {
    memory.copy(rowOf(u, -1) - 16, rowOf(u, ny - 1) - 16, pitch);
    memory.copy(rowOf(u, ny) - 16, rowOf(u, 0) - 16, pitch);
    memory.copy(rowOf(v, -1) - 16, rowOf(v, ny - 1) - 16, pitch);
    memory.copy(rowOf(v, ny + 1) - 16, rowOf(v, 1) - 16, pitch);
    return;
  }
  ghostsBelow(rowOf(u, 0), rowOf(v, 0));
  ghostsAbove(rowOf(u, ny), rowOf(v, ny + 1));
}

/** At the ends of a row. */
export function ghostsOfU(row: usize): void {
  const end = row + (<usize>nx << 3), ring = left == Kind.RING;
  store<f64>(row - 8, ring ? load<f64>(end - 8) : left == Kind.OPEN ? beyond(row, 8) : load<f64>(row));
  store<f64>(end, ring ? load<f64>(row, 8) : right == Kind.OPEN ? beyond(end, -8) : load<f64>(end), 8);
}

/** The value behind `face`, by the parabola through it and the two that lie `inward` of it. */
@inline function beyond(face: usize, inward: isize): f64 {
  return 3.0 * (load<f64>(face) - load<f64>(face + inward)) + load<f64>(face + 2 * inward);
}
export function ghostsOfV(row: usize, j: i32): void {
  const end = row + (<usize>nx << 3), first = load<f64>(row), last = load<f64>(end - 8);
  store<f64>(row - 8, left == Kind.RING ? last : left == Kind.WALL ? 2.0 * entry(leftAlong, j) - first : first);
  store<f64>(end, left == Kind.RING ? first : right == Kind.WALL ? 2.0 * entry(rightAlong, j) - last : last);
}

/** Of a bottom that is no ring, below the lowest rows. */
export function ghostsBelow(u: usize, v: usize): void {
  goOn(v - pitch, v, pitch, bottom == Kind.OPEN);
  mirrorRow(u - pitch, u, bottom == Kind.WALL, bottomAlong);
}
/** Of such a top, from the rows below these. */
export function ghostsAbove(u: usize, v: usize): void {
  goOn(v, v - pitch, -<isize>pitch, top == Kind.OPEN);
  mirrorRow(u, u - pitch, top == Kind.WALL, topAlong);
}

/** What passes a side, behind its row of faces. */
function goOn(ghost: usize, row: usize, inward: isize, isOpen: bool): void {
  if (!isOpen) { memory.copy(ghost, row, pitch - 16); return; }
  for (let k: usize = 0; k < <usize>nx << 3; k += 8) store<f64>(ghost + k, beyond(row + k, inward));
}

function mirrorRow(ghost: usize, row: usize, isWall: bool, along: usize): void {
  for (let i = 0; i <= nx; i++) {
    const k = <usize>i << 3, inside = load<f64>(row + k);
    store<f64>(ghost + k, isWall ? 2.0 * load<f64>(along + k) - inside : inside);
  }
}
