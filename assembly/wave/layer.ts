// Absorbing sides: a perfectly matched layer in second-order form (M. Grote, I. Sim, arXiv:1001.0319, eq. 3.7),
//
//   ρ[u_tt + (ζ₁+ζ₂)u_t + ζ₁ζ₂u] + s[u_t + (ζ₁+ζ₂)u] = K∇²u + ∇·φ + f,
//   ∂φ₁/∂t = −ζ₁φ₁ + K(ζ₂−ζ₁)∂u/∂x,   ∂φ₂/∂t = −ζ₂φ₂ + K(ζ₁−ζ₂)∂u/∂y,
//
// φ on the edges at half steps. It lies outside the box, whose nodes obey the bare equation. (With s, corners lack a
// term s ζ₁ζ₂∫u dt.) What a layer sends back is measured by the gate ‘layer’.

import { allocate } from "../kernel/frame";
import { End, firstFree, isPeriodic, lastFree, lowerKind } from "../grid/axis";
import { nodeAt, rowAt, rowBytes } from "../grid/field";
import { K, dt, dx, dy, ex, ey, isLossy, nx, ny, ox, oy, rhoAt, sigmaOf, x, y, zetaAt } from "./problem";
import { gainAt, gainRow } from "./stencil";

/** ζ on the nodes of both axes; of their edges ζ, what φ keeps over a step and what drives it, one table behind another. */
let nodesX: usize = 0, edgesX: usize = 0, nodesY: usize = 0, edgesY: usize = 0, tableX: usize = 0, tableY: usize = 0;
let perX: f64 = 0, perY: f64 = 0;

export function layOutLayers(): void {
  tableX = <usize>(ex + 2) << 3; tableY = <usize>(ey + 2) << 3;
  nodesX = nodesOf(ex, ox, nx, dx); edgesX = edgesOf(ex, ox, nx, dx, tableX);
  nodesY = nodesOf(ey, oy, ny, dy); edgesY = edgesOf(ey, oy, ny, dy, tableY);
  perX = 1.0 / dx; perY = 1.0 / dy;
}

function nodesOf(cells: i32, first: i32, n: i32, width: f64): usize {
  const table = allocate(<usize>(cells + 2) << 3);
  for (let i = 0; cells > 0 && i <= cells; i++) store<f64>(table + (<usize>i << 3), zetaAt(<f64>i, first, n, width));
  return table;
}

/** ζ, (1 − ½dt ζ)/(1 + ½dt ζ), dt K/(1 + ½dt ζ)/dx: Crank–Nicolson in its own ζ. */
function edgesOf(cells: i32, first: i32, n: i32, width: f64, bytes: usize): usize {
  const table = allocate(3 * bytes);
  for (let i = 0; i < cells; i++) {
    const at = table + (<usize>i << 3), z = zetaAt(<f64>i + 0.5, first, n, width), h = 0.5 * dt * z;
    store<f64>(at, z);
    store<f64>(at + bytes, (1.0 - h) / (1.0 + h));
    store<f64>(at + 2 * bytes, dt * K / ((1.0 + h) * width));
  }
  return table;
}

@inline function zeta(table: usize, i: i32): f64 { return load<f64>(table + (<usize>i << 3)); }
@inline function isBeside(j: i32): bool { return ey > 0 && (j < oy || j > oy + ny); }
@inline function twice(value: f64): v128 { return f64x2.splat(value); }

// ---- u in the layers -----------------------------------------------------------------------------------

/** ½∇·φ, less what damps u itself, added to the next u in the layers of row j. */
export function pushLayers(next: usize, field: usize, phi1: usize, phi2: usize, j: i32, damp: bool): void {
  pushRow(next, field, phi1, phi2, j, firstFree(x), ox - 1, damp);
  if (isBeside(j)) pushRow(next, field, phi1, phi2, j, max(ox, firstFree(x)), min(ox + nx, lastFree(x)), damp);
  pushRow(next, field, phi1, phi2, j, ox + nx + 1, lastFree(x), damp);
  if (isPeriodic(x)) store<f64>(nodeAt(next, ex, ex, j), load<f64>(nodeAt(next, ex, 0, j)));
}

/** Nodes of a row that lie in one layer or in the corner of two: pairs of them, but for the ends of the axes. */
function pushRow(next: usize, field: usize, phi1: usize, phi2: usize, j: i32, from: i32, to: i32, damp: bool): void {
  const isEnd = ey > 0 && (j == 0 || j == ey);
  let i = from;
  if (!isEnd && !(damp && isLossy)) {
    if (i == 0 && i <= to) pushNode(next, field, phi1, phi2, i++, j, damp);
    const last = min(to, ex - 1), inCorner = damp && isBeside(j) && (to < ox || from > ox + nx);
    pushPairs(next, field, phi1, phi2, i, j, last, inCorner);
    if (last >= i) i += (last - i + 1) & ~1;
  }
  for (; i <= to; i++) pushNode(next, field, phi1, phi2, i, j, damp);
}

function pushPairs(next: usize, field: usize, phi1: usize, phi2: usize, from: i32, j: i32, to: i32, inCorner: bool): void {
  const k = <usize>from << 3, end = <usize>((to - from + 1) & ~1) << 3, apart = ey > 0 ? rowBytes(ex) : 0;
  const out = rowAt(next, ex, j) + k, row = rowAt(field, ex, j) + k, a = rowAt(phi1, ex, j) + k, b = rowAt(phi2, ex, j) + k;
  const gain = gainRow(j) + k, zs = nodesX + k, bi = max(0, min(nx, from - ox)), bj = max(0, min(ny, j - oy));
  const half = twice(0.5), px = twice(perX), py = twice(perY), square = twice(dt * dt), zy = twice(zeta(nodesY, j)), rho = twice(inCorner ? rhoAt(bi, bj) : 0.0);
  if (to <= from) return;
  for (let p: usize = 0; p < end; p += 16) {
    let force = f64x2.mul(f64x2.sub(v128.load(a + p), v128.load(a + p - 8)), px);
    if (apart) force = f64x2.add(force, f64x2.mul(f64x2.sub(v128.load(b + p), v128.load(b + p - apart)), py));
    force = f64x2.mul(half, force);
    if (inCorner) force = f64x2.sub(force, f64x2.mul(f64x2.mul(f64x2.mul(rho, v128.load(zs + p)), zy), v128.load(row + p)));
    v128.store(out + p, f64x2.add(v128.load(out + p), f64x2.mul(f64x2.mul(square, v128.load(gain + p)), force)));
  }
}

function pushNode(next: usize, field: usize, phi1: usize, phi2: usize, i: i32, j: i32, damp: bool): void {
  const zy = zeta(nodesY, j), at = nodeAt(next, ex, i, j);
  let force = 0.5 * divergence(phi1, phi2, i, j);
  if (damp && (zy > 0.0 || isLossy)) force -= dampingAt(i, j, zeta(nodesX, i), zy) * load<f64>(nodeAt(field, ex, i, j));
  store<f64>(at, load<f64>(at) + gainAt(i, j) * force);
}

/** ρ ζ₁ζ₂ + s(ζ₁ + ζ₂). */
function dampingAt(i: i32, j: i32, zx: f64, zy: f64): f64 {
  const bi = max(0, min(nx, i - ox)), bj = max(0, min(ny, j - oy));
  const both = zx * zy > 0.0 ? rhoAt(bi, bj) * zx * zy : 0.0;
  return isLossy ? both + sigmaOf(bi, bj) * (zx + zy) : both;
}

/** Through a free end as much comes in as goes out. */
function divergence(phi1: usize, phi2: usize, i: i32, j: i32): f64 {
  const row = rowAt(phi1, ex, j);
  const along = i > 0 && i < ex ? load<f64>(row + (<usize>i << 3)) - load<f64>(row + (<usize>i << 3) - 8) : atEnd(row, 8, i, ex, lowerKind(x));
  if (ey == 0) return along * perX;
  const column = nodeAt(phi2, ex, i, 0), stride = rowBytes(ex), at = column + stride * <usize>j;
  const across = j > 0 && j < ey ? load<f64>(at) - load<f64>(at - stride) : atEnd(column, stride, j, ey, lowerKind(y));
  return along * perX + across * perY;
}

/** The difference of φ at the end i = 0 or n of a line of edges. */
function atEnd(line: usize, stride: usize, i: i32, n: i32, kind: i32): f64 {
  const first = load<f64>(line), last = load<f64>(line + stride * <usize>(n - 1));
  if (kind == End.PERIODIC) return first - last;
  return i == 0 ? 2.0 * first : -2.0 * last;
}

// ---- φ ------------------------------------------------------------------------------------------------

/** φ of row j, and of the edges between it and the one above, over one step, by the u in its middle. */
export function turnLayers(field: usize, phi1: usize, phi2: usize, j: i32): void {
  if (isBeside(j)) turnAlong(field, phi1, j, 0, ex - 1);
  else { turnAlong(field, phi1, j, 0, ox - 1); turnAlong(field, phi1, j, ox + nx, ex - 1); }
  if (j == ey) return;
  if (j < oy || j >= oy + ny) turnAcross(field, phi2, j, 0, ex);
  else { turnAcross(field, phi2, j, 0, ox - 1); turnAcross(field, phi2, j, ox + nx + 1, ex); }
}

/** φ₁ on the edges of a row: kept by their own table, driven by the other axis' ζ less their own. */
function turnAlong(field: usize, phi: usize, j: i32, from: i32, to: i32): void {
  const k = <usize>from << 3, end = <usize>max(0, (to - from + 1) & ~1) << 3, row = rowAt(field, ex, j) + k, out = rowAt(phi, ex, j) + k, table = edgesX + k;
  const zy = zeta(nodesY, j), other = twice(zy), kept = table + tableX, driven = kept + tableX;
  for (let p: usize = 0; p < end; p += 16) {
    const step = f64x2.sub(v128.load(row + p, 8), v128.load(row + p));
    const drive = f64x2.mul(f64x2.mul(v128.load(driven + p), f64x2.sub(other, v128.load(table + p))), step);
    v128.store(out + p, f64x2.add(f64x2.mul(v128.load(kept + p), v128.load(out + p)), drive));
  }
  if (from <= to && ((to - from) & 1) == 0) {
    const p = end, step = load<f64>(row + p, 8) - load<f64>(row + p);
    store<f64>(out + p, load<f64>(kept + p) * load<f64>(out + p) + load<f64>(driven + p) * (zy - load<f64>(table + p)) * step);
  }
}

/** φ₂ on the edges between row j and the one above. */
function turnAcross(field: usize, phi: usize, j: i32, from: i32, to: i32): void {
  const k = <usize>from << 3, end = <usize>max(0, (to - from + 1) & ~1) << 3, row = rowAt(field, ex, j) + k, over = rowAt(field, ex, j + 1) + k, out = rowAt(phi, ex, j) + k;
  const edge = edgesY + (<usize>j << 3), z = load<f64>(edge), keep = load<f64>(edge + tableY), drive = load<f64>(edge + 2 * tableY), zs = nodesX + k;
  const own = twice(z), kept = twice(keep), driven = twice(drive);
  for (let p: usize = 0; p < end; p += 16) {
    const step = f64x2.sub(v128.load(over + p), v128.load(row + p));
    const push = f64x2.mul(f64x2.mul(driven, f64x2.sub(v128.load(zs + p), own)), step);
    v128.store(out + p, f64x2.add(f64x2.mul(kept, v128.load(out + p)), push));
  }
  if (from <= to && ((to - from) & 1) == 0) {
    const p = end, step = load<f64>(over + p) - load<f64>(row + p);
    store<f64>(out + p, keep * load<f64>(out + p) + drive * (load<f64>(zs + p) - z) * step);
  }
}
