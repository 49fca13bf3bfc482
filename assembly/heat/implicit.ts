// Peaceman–Rachford (J. SIAM 3 (1955) 28): half a step implicit in x and explicit in y, then the other way round.
// Where data jump it would ring; there the first two steps are two implicit half-steps each (R. Rannacher, Numer.
// Math. 43 (1984) 309), one axis after the other, which damp every mode.

import {
  End, cellsOf, firstFree, isPeriodic, lastFree, lowerGamma, lowerKind, upperGamma, upperKind, widthOf,
} from "../grid/axis";
import { copyRow, fillGhosts, rowAbove, rowAt, rowBelow, rowBytes } from "../grid/field";
import { eliminateRow, ringDivisor, ringShare, ringZ, solveFour, substituteRow } from "../grid/implicit-axis";
import { alpha, nx, ny, x, y } from "./problem";
import { addEndsX, addEndsY, addSource, keepEndsX, stencilRow } from "./row";

/** Bytes of scratch: two rows as they were, four lines side by side. */
export function implicitScratch(): usize { return 2 * rowBytes(nx) + (<usize>(nx + 1) << 5); }

/** What natural ends of x bring to an implicit line: 2κγ. */
@inline function endOf(i: i32, kappa: f64): f64 {
  if (i == 0 && lowerKind(x) == End.NATURAL) return 2.0 * kappa * lowerGamma(x);
  return i == nx && upperKind(x) == End.NATURAL ? 2.0 * kappa * upperGamma(x) : 0.0;
}

/** Four rows to lines side by side and back; of fewer the other lanes hold what stands behind them. */
function gather(lines: usize, rows: usize): void {
  const bytes = rowBytes(nx);
  for (let i: usize = 0; i <= <usize>nx; i++) {
    const from = rows + (i << 3), to = lines + (i << 5);
    store<f64>(to, load<f64>(from));
    store<f64>(to, load<f64>(from + bytes), 8);
    store<f64>(to, load<f64>(from + 2 * bytes), 16);
    store<f64>(to, load<f64>(from + 3 * bytes), 24);
  }
}
function scatter(row: usize, lines: usize, lane: usize): void {
  for (let i: usize = 0; i <= <usize>nx; i++) store<f64>(row + (i << 3), load<f64>(lines + (i << 5) + (lane << 3)));
}

/** (1 − τα δx²) T' = T + eτα δy²T + τs: e = 1 explicit in y, 0 without y. */
export function sweepX(field: usize, scratch: usize, table: usize, tau: f64, e: f64, number: f64, array: usize): void {
  const kx = alpha * tau / (widthOf(x) * widthOf(x)), ky = ny > 0 ? e * alpha * tau / (widthOf(y) * widthOf(y)) : 0.0;
  const bytes = rowBytes(nx), first = firstFree(y), last = lastFree(y), lines = scratch + 2 * bytes;
  let old = scratch + 16, older = old + bytes;
  for (let from = first; from <= last; from += 4) {
    const count = min(4, last - from + 1);
    for (let q = 0; q < count; q++) {
      const j = from + q, side = rowAt(field, nx, j);
      const swapped = old; old = older; older = swapped;
      copyRow(old, side, nx);
      const below = ny > 0 ? rowBelow(field, nx, y, j, older, first) : old;
      const above = ny > 0 ? rowAbove(field, nx, y, j, older) : old;
      stencilRow(side, old, below, above, 0.0, ky);
      if (e != 0.0) addEndsY(side, old, j, ky);
      addSource(side, j, tau, number, array);
      for (let i = 0; i <= nx; i += nx) store<f64>(side + (<usize>i << 3), load<f64>(side + (<usize>i << 3)) + endOf(i, kx));
      if (!isPeriodic(x)) keepEndsX(side, old);
    }
    gather(lines, rowAt(field, nx, from));
    solveFour(table, x, lines);
    for (let q = 0; q < count; q++) scatter(rowAt(field, nx, from + q), lines, q);
  }
  if (isPeriodic(y) && ny > 0) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
}

/** (1 − τα δy²) T' = T + eτα δx²T + τs; in one dimension the right side alone. */
export function sweepY(field: usize, scratch: usize, table: usize, tau: f64, e: f64, number: f64, array: usize): void {
  const kx = e * alpha * tau / (widthOf(x) * widthOf(x)), row = scratch + 16;
  const last = isPeriodic(y) && ny > 0 ? ny - 1 : ny, bytes = <usize>((nx + 2) & ~1) << 3;
  for (let j = 0; j <= last; j++) {
    const out = rowAt(field, nx, j);
    if (j >= firstFree(y) && j <= lastFree(y)) {
      copyRow(row, out, nx);
      fillGhosts(row, x);
      stencilRow(out, row, row, row, kx, 0.0);
      if (e != 0.0) addEndsX(out, row, kx);
      addSource(out, j, tau, number, array);
      if (ny == 0) keepEndsX(out, row);
      addImplicitY(out, j, tau);
    }
    if (ny > 0) eliminateRow(table, j, out, rowAt(field, nx, j - 1), bytes);
  }
  if (ny == 0) return;
  for (let j = last - 1; j >= 0; j--) substituteRow(table, j, rowAt(field, nx, j), rowAt(field, nx, j + 1), bytes);
  if (isPeriodic(y)) closeRows(field, table, row, bytes);
}

/** What natural ends of y bring to the implicit side: 2κγ. */
function addImplicitY(out: usize, j: i32, tau: f64): void {
  if (ny == 0 || (j > 0 && j < ny) || isPeriodic(y)) return;
  if ((j == 0 ? lowerKind(y) : upperKind(y)) != End.NATURAL) return;
  const add = 2.0 * alpha * tau / (widthOf(y) * widthOf(y)) * (j == 0 ? lowerGamma(y) : upperGamma(y));
  for (let k: usize = 0; k <= <usize>nx; k++) store<f64>(out + (k << 3), load<f64>(out + (k << 3)) + add);
}

function closeRows(field: usize, table: usize, row: usize, bytes: usize): void {
  const share = ringShare(table, ny), divisor = ringDivisor(table, ny);
  const first = rowAt(field, nx, 0), end = rowAt(field, nx, ny - 1);
  for (let k: usize = 0; k < bytes; k += 8) store<f64>(row + k, (load<f64>(first + k) + share * load<f64>(end + k)) / divisor);
  for (let j = 0; j < ny; j++) {
    const z = f64x2.splat(ringZ(table, j)), at = rowAt(field, nx, j);
    for (let k: usize = 0; k < bytes; k += 16)
      v128.store(at + k, f64x2.sub(v128.load(at + k), f64x2.mul(z, v128.load(row + k))));
  }
  copyRow(rowAt(field, nx, ny), first, nx);
}
