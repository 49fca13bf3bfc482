// The start of a run: u at t = 0 on the whole grid, and u one step before it by Taylor's series,
// u⁻¹ = u⁰ − dt v + ½dt² a, so that the first leapfrog has the rate v exactly (second order). Beyond an absorbing side
// u goes on as it is there, at rest: nothing comes in from outside (B. Engquist, A. Majda, Math. Comp. 31 (1977) 629).

import { parameterF64 } from "../kernel/frame";
import { End, firstFree, isPeriodic, lastFree, lowerKind, shareOf, upperKind } from "../grid/axis";
import { copyRow, fillGhosts, nodeAt, rowAt } from "../grid/field";
import {
  K, boxX, boxY, dt, dx, dy, ex, ey, isMaxwell, isUniform, nx, ny, ox, oy, rhoAt, sigmaOf, sourceIsFormula, startArray, startKind, startRatesArray, x, y, zetaAt,
} from "./problem";
import { edgeShare, layFirstRow, startForceAt, startRateAt } from "./source";

function shape(k: f64, phase: f64, at: f64): f64 { return phase == 1.0 ? Math.cos(k * at) : Math.sin(k * at); }

function triangle(at: f64): f64 {
  const peak = parameterF64(176), length = parameterF64(16);
  return parameterF64(136) * (at < peak ? at / peak : (length - at) / (length - peak));
}

/** Lies on a fixed side, where sin mπ is not quite 0. */
@inline function isHeld(i: i32, j: i32): bool {
  if ((i == 0 && parameterF64(96) == 0.0) || (i == nx && parameterF64(104) == 0.0)) return true;
  return ny > 0 && ((j == 0 && parameterF64(112) == 0.0) || (j == ny && parameterF64(120) == 0.0));
}

@inline function boxOffset(i: i32, j: i32): usize { return <usize>(j * (nx + 1) + i) << 3; }

/** u at a node of the box. */
function uAt(i: i32, j: i32): f64 {
  const kind = startKind();
  if (kind == 3) return load<f64>(startArray() + boxOffset(i, j));
  if (kind == 0 || isHeld(i, j)) return 0.0;
  if (kind == 2) return triangle(<f64>i * dx);
  const g = ny > 0 ? shape(parameterF64(160), parameterF64(168), <f64>j * dy) : 1.0;
  return parameterF64(136) * g * shape(parameterF64(144), parameterF64(152), <f64>i * dx);
}

/** Number of an edge on its axis of n: beyond an end that of the end, on a ring that of the other side. */
@inline function edgeAt(k: i32, n: i32, axis: usize): i32 {
  if (isPeriodic(axis)) return k < 0 ? n - 1 : k == n ? 0 : k;
  return min(max(k, 0), n - 1);
}
@inline function hx(i: i32, j: i32): f64 {
  return load<f64>(startRatesArray() + boxOffset(i, edgeAt(j, ny, y)));
}
@inline function hy(i: i32, j: i32): f64 {
  return load<f64>(startRatesArray() + boxOffset(0, ny) + (<usize>(j * nx + edgeAt(i, nx, x)) << 3));
}

/** ∂u/∂t at a node of the box, half of it on an absorbing edge; Maxwell: (∂Hy/∂x − ∂Hx/∂y − σEz)/ε. */
function vAt(i: i32, j: i32, u: f64): f64 {
  if (isMaxwell) {
    let curl = startRateAt(i, j) - sigmaOf(i, j) * u;
    if (startRatesArray()) curl += (hy(i, j) - hy(i - 1, j)) / dx - (ny > 0 ? (hx(i, j) - hx(i, j - 1)) / dy : 0.0);
    return curl / rhoAt(i, j);
  }
  return startRatesArray() ? edgeShare(i, j) * load<f64>(startRatesArray() + boxOffset(i, j)) : 0.0;
}

@inline function clampX(i: i32): i32 { return max(0, min(nx, i - ox)); }
@inline function clampY(j: i32): i32 { return max(0, min(ny, j - oy)); }
@inline function isInside(i: i32, j: i32): bool { return i >= ox && i <= ox + nx && j >= oy && j <= oy + ny; }

export function writeStart(field: usize): void {
  if (startKind() == 1) writeMode(field);
  else for (let j = 0; j <= ey; j++) for (let i = 0; i <= ex; i++) store<f64>(nodeAt(field, ex, i, j), uAt(clampX(i), clampY(j)));
  closeRing(field);
}

/** The same bits as uAt with one sine for each column and row; row 0 keeps those of the columns to the end. */
function writeMode(field: usize): void {
  for (let i = 0; i <= ex; i++)
    store<f64>(nodeAt(field, ex, i, 0), shape(parameterF64(144), parameterF64(152), <f64>clampX(i) * dx));
  for (let j = ey; j >= 0; j--) {
    const g = parameterF64(136) * (ny > 0 ? shape(parameterF64(160), parameterF64(168), <f64>clampY(j) * dy) : 1.0);
    for (let i = 0; i <= ex; i++) {
      const held = isHeld(clampX(i), clampY(j));
      store<f64>(nodeAt(field, ex, i, j), held ? 0.0 : g * load<f64>(nodeAt(field, ex, i, 0)));
    }
  }
}

/** Last node and row of periodic axes are copies of the first. */
export function closeRing(field: usize): void {
  if (isPeriodic(x)) for (let j = 0; j <= ey; j++) store<f64>(nodeAt(field, ex, ex, j), load<f64>(nodeAt(field, ex, 0, j)));
  if (ey > 0 && isPeriodic(y)) copyRow(rowAt(field, ex, ey), rowAt(field, ex, 0), ex);
}

/** The rows that the stencil sees below and above row j: mirrored at free ends, the other side's on a ring. */
@inline export function rowUnder(field: usize, j: i32): usize {
  if (ey == 0) return rowAt(field, ex, j);
  return rowAt(field, ex, j > 0 ? j - 1 : lowerKind(y) == End.PERIODIC ? ey - 1 : 1);
}
@inline export function rowOver(field: usize, j: i32): usize {
  if (ey == 0) return rowAt(field, ex, j);
  return rowAt(field, ex, j < ey ? j + 1 : upperKind(y) == End.PERIODIC ? 1 : ey - 1);
}

/** ∇²u at node i of row j, whose ghosts are filled. */
export function laplacianAt(field: usize, i: i32, j: i32): f64 {
  const k = <usize>i << 3, row = rowAt(field, ex, j) + k, u = load<f64>(row);
  const along = (load<f64>(row - 8) - 2.0 * u + load<f64>(row, 8)) / (dx * dx);
  return ey == 0 ? along : along + (load<f64>(rowUnder(field, j) + k) - 2.0 * u + load<f64>(rowOver(field, j) + k)) / (dy * dy);
}

/** u one step before the start; fixed nodes are what they were. */
export function writeBefore(before: usize, field: usize): void {
  memory.copy(rowAt(before, ex, 0) - 16, rowAt(field, ex, 0) - 16, rowAt(before, ex, ey + 1) - rowAt(before, ex, 0));
  const isStill = isUniform() && startKind() != 3 && !sourceIsFormula();
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    fillGhosts(rowAt(field, ex, j), x);
    if (isStill) { stillRow(before, field, j); continue; }
    layFirstRow(j - oy);
    const zy = ey > 0 ? zetaAt(<f64>j, oy, ny, dy) : 0.0;
    for (let i = firstFree(x); i <= lastFree(x); i++) {
      const bi = clampX(i), bj = clampY(j), rho = rhoAt(bi, bj), s = sigmaOf(bi, bj), zx = zetaAt(<f64>i, ox, nx, dx);
      const u = load<f64>(nodeAt(field, ex, i, j)), v = isInside(i, j) ? vAt(bi, bj, u) : 0.0, Z = zx + zy;
      const f = isInside(i, j) ? startForceAt(bi, bj) : 0.0;
      const a = (f + K * laplacianAt(field, i, j) - (rho * Z + s) * v - (rho * zx * zy + s * Z) * u) / rho;
      store<f64>(nodeAt(before, ex, i, j), u - dt * v + 0.5 * dt * dt * a);
    }
  }
  closeRing(before);
}

/** A row that is at rest, in one medium without loss, layers and force: u + ½dt² K∇²u/ρ. */
function stillRow(before: usize, field: usize, j: i32): void {
  const rho = rhoAt(0, 0), to = rowAt(before, ex, j), row = rowAt(field, ex, j);
  for (let i = firstFree(x); i <= lastFree(x); i++) {
    const a = K * laplacianAt(field, i, j) / rho;
    store<f64>(to + (<usize>i << 3), load<f64>(row + (<usize>i << 3)) + 0.5 * dt * dt * a);
  }
}

/** ∫u² over the box. */
export function normOfField(field: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    const row = nodeAt(field, ex, ox, j + oy);
    let line = 0.0;
    for (let i = 0; i <= nx; i++) {
      const u = load<f64>(row + (<usize>i << 3));
      line += shareOf(boxX, i) * u * u;
    }
    sum += shareOf(boxY, j) * line;
  }
  return sum * dx * dy;
}

/** ∫(∂u/∂t)² of the start over the box. */
export function normOfRates(field: usize): f64 {
  if (startKind() != 3) return 0.0;
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const v = vAt(i, j, load<f64>(nodeAt(field, ex, i + ox, j + oy)));
      sum += shareOf(boxX, i) * shareOf(boxY, j) * v * v;
    }
  }
  return sum * dx * dy;
}

/** v at a node of the box from the end of a run without σ: (u − u before)/dt + ½dt a. */
export function rateAt(field: usize, before: usize, i: i32, j: i32): f64 {
  const at = nodeAt(field, ex, i, j);
  return (load<f64>(at) - load<f64>(nodeAt(before, ex, i, j))) / dt + 0.5 * dt * K * laplacianAt(field, i, j) / rhoAt(i - ox, j - oy);
}
