// (1 − κ δ²) T = r along one axis, δ² the second difference times dx² with the ends of axis.ts: Thomas's algorithm
// with the elimination done once (Golub & Van Loan, §4.3), a periodic axis by the Sherman–Morrison formula.
//
// A factored axis is a table of 4 f64 a node: lower entry · 1/pivot · upper entry/pivot · periodic: z of A'z = u.

import { End, cellsOf, firstFree, isPeriodic, lastFree, lowerBeta, lowerKind, upperBeta, upperKind } from "./axis";

export function factoredBytes(axis: usize): usize { return <usize>(cellsOf(axis) + 1) << 5; }

@inline function entry(table: usize, i: i32): usize { return table + (<usize>i << 5); }

/** Share of the last unknown in the closing of a ring, and the divisor: at the node behind the last unknown. */
@inline function ringShare(table: usize, n: i32): f64 { return load<f64>(entry(table, n)); }
@inline function ringDivisor(table: usize, n: i32): f64 { return load<f64>(entry(table, n), 8); }
@inline function ringZ(table: usize, i: i32): f64 { return load<f64>(entry(table, i), 24); }

/** Diagonal, lower and upper entry of row i before elimination. */
@inline function diagonal(axis: usize, i: i32, kappa: f64): f64 {
  const n = cellsOf(axis), b = 1.0 + 2.0 * kappa;
  if (i < firstFree(axis) || (i == n && upperKind(axis) == End.FIXED)) return 1.0;
  if (isPeriodic(axis)) return i == 0 ? 2.0 * b : i == n - 1 ? b + kappa * kappa / b : b;
  if (i == 0) return b + 2.0 * kappa * lowerBeta(axis);
  return i == n ? b + 2.0 * kappa * upperBeta(axis) : b;
}
@inline function lower(axis: usize, i: i32, kappa: f64): f64 {
  const n = cellsOf(axis);
  if (i == 0 || (i == n && upperKind(axis) == End.FIXED)) return 0.0;
  return i == n ? -2.0 * kappa : -kappa;
}
@inline function upper(axis: usize, i: i32, kappa: f64): f64 {
  if (i == 0 && lowerKind(axis) == End.FIXED) return 0.0;
  return i == 0 && lowerKind(axis) == End.NATURAL ? -2.0 * kappa : -kappa;
}

export function factorAxis(table: usize, axis: usize, kappa: f64): void {
  const n = cellsOf(axis), last = isPeriodic(axis) ? n - 1 : n;
  let carried = 0.0;
  for (let i = 0; i <= last; i++) {
    const low = lower(axis, i, kappa), pivot = diagonal(axis, i, kappa) - low * carried;
    carried = i < last ? upper(axis, i, kappa) / pivot : 0.0;
    store<f64>(entry(table, i), low);
    store<f64>(entry(table, i), 1.0 / pivot, 8);
    store<f64>(entry(table, i), carried, 16);
  }
  if (isPeriodic(axis)) closeRing(table, n, kappa);
}

/** z of A'z = u, u = (−b, 0, …, 0, −κ), and what closes the ring. */
function closeRing(table: usize, n: i32, kappa: f64): void {
  const b = 1.0 + 2.0 * kappa;
  let d = 0.0;
  for (let i = 0; i < n; i++) {
    const u = (i == 0 ? -b : 0.0) + (i == n - 1 ? -kappa : 0.0);
    d = (u - load<f64>(entry(table, i)) * d) * load<f64>(entry(table, i), 8);
    store<f64>(entry(table, i), d, 24);
  }
  for (let i = n - 2; i >= 0; i--) {
    store<f64>(entry(table, i), ringZ(table, i) - load<f64>(entry(table, i), 16) * ringZ(table, i + 1), 24);
  }
  const share = kappa / b;
  store<f64>(entry(table, n), share);
  store<f64>(entry(table, n), 1.0 + ringZ(table, 0) + share * ringZ(table, n - 1), 8);
}

/** Solves one line of numbers `stride` bytes apart. */
export function solveLine(table: usize, axis: usize, line: usize, stride: usize): void {
  const n = cellsOf(axis), last = isPeriodic(axis) ? n - 1 : n;
  let d = 0.0;
  for (let i = 0; i <= last; i++) {
    const row = entry(table, i), at = line + <usize>i * stride;
    d = (load<f64>(at) - load<f64>(row) * d) * load<f64>(row, 8);
    store<f64>(at, d);
  }
  for (let i = last - 1; i >= 0; i--) {
    const at = line + <usize>i * stride;
    d = load<f64>(at) - load<f64>(entry(table, i), 16) * d;
    store<f64>(at, d);
  }
  if (!isPeriodic(axis)) return;
  const f = (load<f64>(line) + ringShare(table, n) * load<f64>(line + <usize>(n - 1) * stride)) / ringDivisor(table, n);
  for (let i = 0; i < n; i++) {
    const at = line + <usize>i * stride;
    store<f64>(at, load<f64>(at) - ringZ(table, i) * f);
  }
  store<f64>(line + <usize>n * stride, load<f64>(line));
}

/** Solves four lines at once: `lines` holds the right sides, four f64 a node, and then the solutions. */
export function solveFour(table: usize, axis: usize, lines: usize): void {
  const n = cellsOf(axis), last = isPeriodic(axis) ? n - 1 : n;
  let d = f64x2.splat(0), e = d;
  for (let i = 0; i <= last; i++) {
    const row = entry(table, i), at = lines + (<usize>i << 5);
    const low = v128.load64_splat(row), inverse = v128.load64_splat(row, 8);
    d = f64x2.mul(f64x2.sub(v128.load(at), f64x2.mul(low, d)), inverse);
    e = f64x2.mul(f64x2.sub(v128.load(at, 16), f64x2.mul(low, e)), inverse);
    v128.store(at, d);
    v128.store(at, e, 16);
  }
  for (let i = last - 1; i >= 0; i--) {
    const at = lines + (<usize>i << 5), up = v128.load64_splat(entry(table, i), 16);
    d = f64x2.sub(v128.load(at), f64x2.mul(up, d));
    e = f64x2.sub(v128.load(at, 16), f64x2.mul(up, e));
    v128.store(at, d);
    v128.store(at, e, 16);
  }
  if (isPeriodic(axis)) closeFour(table, n, lines);
}

function closeFour(table: usize, n: i32, lines: usize): void {
  const share = f64x2.splat(ringShare(table, n)), inverse = f64x2.splat(1.0 / ringDivisor(table, n));
  const end = lines + (<usize>(n - 1) << 5);
  const f = f64x2.mul(f64x2.add(v128.load(lines), f64x2.mul(share, v128.load(end))), inverse);
  const g = f64x2.mul(f64x2.add(v128.load(lines, 16), f64x2.mul(share, v128.load(end, 16))), inverse);
  for (let i = 0; i < n; i++) {
    const at = lines + (<usize>i << 5), z = v128.load64_splat(entry(table, i), 24);
    v128.store(at, f64x2.sub(v128.load(at), f64x2.mul(z, f)));
    v128.store(at, f64x2.sub(v128.load(at, 16), f64x2.mul(z, g)), 16);
  }
  memory.copy(lines + (<usize>n << 5), lines, 32);
}

// ---- along y: a row is many lines side by side -----------------------------------------------------------

/**
 * Lines side by side: row i begins at `first` + i · `stride` and has `bytes`, whole pairs. `closing`: scratch of a row, for
 * rings, whose last row is left to the caller.
 */
export function solveColumns(table: usize, axis: usize, first: usize, stride: usize, closing: usize, bytes: usize): void {
  const n = cellsOf(axis), last = isPeriodic(axis) ? n - 1 : n;
  for (let i = 0; i <= last; i++) eliminateRow(table, i, first + <usize>i * stride, first + <usize>(i - 1) * stride, bytes);
  for (let i = last - 1; i >= 0; i--) substituteRow(table, i, first + <usize>i * stride, first + <usize>(i + 1) * stride, bytes);
  if (isPeriodic(axis)) closeColumns(table, n, first, stride, closing, bytes);
}

function closeColumns(table: usize, n: i32, first: usize, stride: usize, closing: usize, bytes: usize): void {
  const share = ringShare(table, n), divisor = ringDivisor(table, n), end = first + <usize>(n - 1) * stride;
  for (let c: usize = 0; c < bytes; c += 8) store<f64>(closing + c, (load<f64>(first + c) + share * load<f64>(end + c)) / divisor);
  for (let i = 0; i < n; i++) {
    const z = f64x2.splat(ringZ(table, i)), at = first + <usize>i * stride;
    for (let c: usize = 0; c < bytes; c += 16)
      v128.store(at + c, f64x2.sub(v128.load(at + c), f64x2.mul(z, v128.load(closing + c))));
  }
}

/** Row i after elimination from its right side in `row` and the row before it; `bytes` whole pairs. */
function eliminateRow(table: usize, i: i32, row: usize, before: usize, bytes: usize): void {
  const low = v128.load64_splat(entry(table, i)), inverse = v128.load64_splat(entry(table, i), 8);
  const end = row + bytes;
  if (i == 0) {
    for (let p = row; p < end; p += 16) v128.store(p, f64x2.mul(v128.load(p), inverse));
    return;
  }
  for (let p = row, q = before; p < end; p += 16, q += 16) {
    v128.store(p, f64x2.mul(f64x2.sub(v128.load(p), f64x2.mul(low, v128.load(q))), inverse));
  }
}

/** Row i after substitution from the row behind it. */
function substituteRow(table: usize, i: i32, row: usize, behind: usize, bytes: usize): void {
  const up = v128.load64_splat(entry(table, i), 16), end = row + bytes;
  for (let p = row, q = behind; p < end; p += 16, q += 16) {
    v128.store(p, f64x2.sub(v128.load(p), f64x2.mul(up, v128.load(q))));
  }
}
