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
import { gainAt } from "./stencil";

/** ζ on the nodes and on the edges of both axes; behind that of an edge what φ keeps over a step and what drives it. */
let nodesX: usize = 0, edgesX: usize = 0, nodesY: usize = 0, edgesY: usize = 0;
let perX: f64 = 0, perY: f64 = 0;

export function layOutLayers(): void {
  nodesX = nodesOf(ex, ox, nx); edgesX = edgesOf(ex, ox, nx, dx);
  nodesY = nodesOf(ey, oy, ny); edgesY = edgesOf(ey, oy, ny, dy);
  perX = 1.0 / dx; perY = 1.0 / dy;
}

function nodesOf(cells: i32, first: i32, n: i32): usize {
  const table = allocate(<usize>(cells + 1) << 3);
  for (let i = 0; cells > 0 && i <= cells; i++) store<f64>(table + (<usize>i << 3), zetaAt(<f64>i, first, n));
  return table;
}

/** ζ, (1 − ½dt ζ)/(1 + ½dt ζ), dt K/(1 + ½dt ζ)/dx: Crank–Nicolson in its own ζ. */
function edgesOf(cells: i32, first: i32, n: i32, width: f64): usize {
  const table = allocate(<usize>(cells + 1) * 24);
  for (let i = 0; i < cells; i++) {
    const at = table + <usize>i * 24, z = zetaAt(<f64>i + 0.5, first, n), h = 0.5 * dt * z;
    store<f64>(at, z);
    store<f64>(at, (1.0 - h) / (1.0 + h), 8);
    store<f64>(at, dt * K / ((1.0 + h) * width), 16);
  }
  return table;
}

@inline function zeta(table: usize, i: i32): f64 { return load<f64>(table + (<usize>i << 3)); }
@inline function isBeside(j: i32): bool { return ey > 0 && (j < oy || j > oy + ny); }

/** ½∇·φ, less what damps u itself, added to the next u in the layers. */
export function pushLayers(next: usize, field: usize, phi1: usize, phi2: usize, damp: bool): void {
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    if (isBeside(j)) { pushRow(next, field, phi1, phi2, j, firstFree(x), lastFree(x), damp); continue; }
    pushRow(next, field, phi1, phi2, j, firstFree(x), ox - 1, damp);
    pushRow(next, field, phi1, phi2, j, ox + nx + 1, lastFree(x), damp);
  }
  if (isPeriodic(x)) for (let j = 0; j <= ey; j++) store<f64>(nodeAt(next, ex, ex, j), load<f64>(nodeAt(next, ex, 0, j)));
}

function pushRow(next: usize, field: usize, phi1: usize, phi2: usize, j: i32, from: i32, to: i32, damp: bool): void {
  const zy = zeta(nodesY, j), corner = damp && (zy > 0.0 || isLossy);
  for (let i = from; i <= to; i++) {
    let force = 0.5 * divergence(phi1, phi2, i, j);
    if (corner) force -= dampingAt(i, j, zeta(nodesX, i), zy) * load<f64>(nodeAt(field, ex, i, j));
    const at = nodeAt(next, ex, i, j);
    store<f64>(at, load<f64>(at) + gainAt(i, j) * force);
  }
}

/** ρ ζ₁ζ₂ + s(ζ₁ + ζ₂). */
function dampingAt(i: i32, j: i32, zx: f64, zy: f64): f64 {
  const bi = max(0, min(nx, i - ox)), bj = max(0, min(ny, j - oy));
  const both = zx * zy > 0.0 ? rhoAt(bi, bj) * zx * zy : 0.0;
  return isLossy ? both + sigmaOf(bi, bj) * (zx + zy) : both;
}

/** Through a free end as much comes in as goes out. */
@inline function divergence(phi1: usize, phi2: usize, i: i32, j: i32): f64 {
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

/** φ over one step, by the u in its middle. */
export function turnLayers(field: usize, phi1: usize, phi2: usize): void {
  for (let j = 0; j <= ey; j++) {
    if (isBeside(j)) turnAlong(field, phi1, j, 0, ex - 1);
    else { turnAlong(field, phi1, j, 0, ox - 1); turnAlong(field, phi1, j, ox + nx, ex - 1); }
    if (j == ey) break;
    if (j < oy || j >= oy + ny) turnAcross(field, phi2, j, 0, ex);
    else { turnAcross(field, phi2, j, 0, ox - 1); turnAcross(field, phi2, j, ox + nx + 1, ex); }
  }
}

function turnAlong(field: usize, phi: usize, j: i32, from: i32, to: i32): void {
  const zy = zeta(nodesY, j), row = rowAt(field, ex, j), out = rowAt(phi, ex, j);
  for (let i = from; i <= to; i++) {
    const k = <usize>i << 3;
    turn(out + k, edgesX + <usize>i * 24, zy, load<f64>(row + k, 8) - load<f64>(row + k));
  }
}

function turnAcross(field: usize, phi: usize, j: i32, from: i32, to: i32): void {
  const edge = edgesY + <usize>j * 24, row = rowAt(field, ex, j), over = rowAt(field, ex, j + 1), out = rowAt(phi, ex, j);
  for (let i = from; i <= to; i++) {
    const k = <usize>i << 3;
    turn(out + k, edge, zeta(nodesX, i), load<f64>(over + k) - load<f64>(row + k));
  }
}

/** φ at an edge with its entry of the table, the other axis' ζ and the difference of u. */
@inline function turn(at: usize, edge: usize, other: f64, step: f64): void {
  store<f64>(at, load<f64>(edge, 8) * load<f64>(at) + load<f64>(edge, 16) * (other - load<f64>(edge)) * step);
}
