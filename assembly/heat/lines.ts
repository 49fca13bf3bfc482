// Preconditioner of the steady state: lines along the axis whose cells are narrower, each with the diagonal of the other
// axis, M = w (D − α δ²), D = 2 α (1 + β)/dx² across (Trottenberg, Oosterlee & Schüller, Multigrid, §5.1). In cells that
// are long and thin, a fin's, the diagonal alone leaves conjugate gradients iterations by the ratio of their sides. In one
// dimension the line is all there is.

import { allocate } from "../kernel/frame";
import { End, cellsOf, firstFree, isPeriodic, lastFree, lowerBeta, lowerKind, shareOf, upperBeta, upperKind, widthOf } from "../grid/axis";
import { rowAt, rowBytes } from "../grid/field";
import { factorAxis, factoredBytes, solveColumns, solveLine } from "../grid/implicit-axis";
import { alpha, nx, ny, x, y } from "./problem";

/** D over α/dx² along the line: of a line alone so much of its lowest mode, and never so little that rounding is more. */
const ALONE: f64 = 0.1;
const LEAST: f64 = 1e-12;
const UNITS_ALONG_Y: u64 = 14, UNITS_ALONG_X: u64 = 24;

let line: usize = 0, other: usize = 0, tables: usize = 0, factors: usize = 0, closing: usize = 0, ends: usize = 0;

@inline function isAlongY(): bool { return line == y; }
/** Work units of an iteration and node. */
export function unitsPerNode(): u64 { return isAlongY() ? UNITS_ALONG_Y : UNITS_ALONG_X; }

/** Of lines at the lower end of the other axis 0, between 1, at its upper end 2. */
@inline function tableOf(kind: i32): usize { return tables + factoredBytes(line) * <usize>kind; }
@inline function kindOf(i: i32): i32 { return i == 0 ? 0 : i == cellsOf(other) ? 2 : 1; }

function acrossOf(kind: i32): f64 {
  const n = <f64>cellsOf(line), along = alpha / (widthOf(line) * widthOf(line));
  if (cellsOf(other) == 0) return ALONE * along / (n * n);
  let beta = 0.0;
  if (kind == 0 && lowerKind(other) == End.NATURAL) beta = lowerBeta(other);
  if (kind == 2 && upperKind(other) == End.NATURAL) beta = upperBeta(other);
  return max(2.0 * alpha * (1.0 + beta) / (widthOf(other) * widthOf(other)), LEAST * along);
}

export function layLines(): void {
  const isTall = ny > 0 && widthOf(y) <= widthOf(x);
  line = isTall ? y : x;
  other = isTall ? x : y;
  tables = allocate(3 * factoredBytes(line));
  for (let kind = 0; kind < 3; kind++) factorAxis(tableOf(kind), line, alpha / (widthOf(line) * widthOf(line) * acrossOf(kind)));
  factors = allocate(rowBytes(nx));
  closing = allocate(rowBytes(nx));
  ends = allocate(<usize>(ny + 1) << 4);
  for (let i = 0; i <= nx; i++) {
    const share = shareOf(x, i);
    store<f64>(factors + (<usize>i << 3), share > 0.0 ? 1.0 / (isTall ? share * acrossOf(kindOf(i)) : share) : 0.0);
  }
}

/** z of M z = r. */
export function solveLines(z: usize, r: usize): void { if (isAlongY()) solveAlongY(z, r); else solveAlongX(z, r); }

function scaleRow(row: usize, rest: usize, factor: f64): void {
  for (let k: usize = 0, end = <usize>nx << 3; k <= end; k += 8)
    store<f64>(row + k, load<f64>(rest + k) * load<f64>(factors + k) * factor);
}

function solveAlongY(z: usize, r: usize): void {
  const last = isPeriodic(y) ? ny - 1 : ny, far = <usize>nx << 3;
  for (let j = 0; j <= last; j++) {
    const row = rowAt(z, nx, j), share = shareOf(y, j), end = ends + (<usize>j << 4);
    scaleRow(row, rowAt(r, nx, j), share > 0.0 ? 1.0 / share : 0.0);
    store<f64>(row + far, 0.0, 8);
    store<f64>(end, load<f64>(row));
    store<f64>(end, load<f64>(row + far), 8);
  }
  solveColumns(tableOf(1), y, rowAt(z, nx, 0), rowBytes(nx), closing, <usize>((nx + 2) & ~1) << 3);
  if (lowerKind(x) == End.NATURAL && lowerBeta(x) != 0.0) solveEnd(z, 0, 0);
  if (upperKind(x) == End.NATURAL && upperBeta(x) != 0.0) solveEnd(z, 2, far);
}

/** The column at an end with convection, which has a diagonal of its own. */
function solveEnd(z: usize, kind: i32, k: usize): void {
  const side = ends + (k == 0 ? 0 : 8);
  solveLine(tableOf(kind), y, side, 16);
  for (let j = 0; j <= ny; j++) store<f64>(rowAt(z, nx, j) + k, load<f64>(side + (<usize>j << 4)));
}

function solveAlongX(z: usize, r: usize): void {
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    const row = rowAt(z, nx, j), kind = ny > 0 ? kindOf(j) : 1;
    scaleRow(row, rowAt(r, nx, j), 1.0 / (shareOf(y, j) * acrossOf(kind)));
    solveLine(tableOf(kind), x, row, 8);
  }
}
