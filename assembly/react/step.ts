// One explicit step in place: u ← u + D dt δ²u + dt R(u, v), row by row, with copies of the rows below as they were.
// On the way it gathers, from the values before the step, the moments whose balance the verdict knows, and the least
// concentration. Two nodes in a vector; sums run over columns 0 … nx−1 in pairs, so their shape is fixed.

import { isPeriodic, lastFree, shareOf, widthOf } from "../grid/axis";
import { copyRow, fillGhosts, rowAbove, rowAt, rowBelow } from "../grid/field";
import { Model, first, hasTwo, model, nx, ny, second, x, y } from "./problem";

/** Constants in memory, each twice: V8 would make them anew in every turn of a loop. */
let table: usize = 0;
const CX: usize = 0, CY: usize = 16, CC: usize = 32, DX: usize = 48, DY: usize = 64, DC: usize = 80;
const P: usize = 96, Q: usize = 112, DT: usize = 128, ONE: usize = 144;
export const TABLE_BYTES: usize = 160;

/** Sums of a row, and the least concentration so far: two lanes. */
let sumA: v128 = f64x2.splat(0), sumB: v128 = f64x2.splat(0), sumC: v128 = f64x2.splat(0), least: v128 = f64x2.splat(0);
export let momentA: f64 = 0, momentB: f64 = 0, momentC: f64 = 0, lowest: f64 = 0;

@inline function put(offset: usize, value: f64): void { v128.store(table + offset, f64x2.splat(value)); }

export function laySteps(at: usize, Du: f64, Dv: f64, dt: f64): void {
  table = at;
  const rx = dt / (widthOf(x) * widthOf(x)), ry = ny > 0 ? dt / (widthOf(y) * widthOf(y)) : 0.0;
  put(CX, Du * rx); put(CY, Du * ry); put(CC, -2.0 * Du * (rx + ry));
  put(DX, Dv * rx); put(DY, Dv * ry); put(DC, -2.0 * Dv * (rx + ry));
  put(P, first); put(Q, second); put(DT, dt); put(ONE, 1.0);
}

@inline function constant(offset: usize): v128 { return v128.load(table + offset); }

/** D dt δ²u at a pair. */
@inline function spread(here: v128, left: v128, right: v128, below: v128, above: v128, at: usize): v128 {
  const sides = f64x2.mul(constant(at), f64x2.add(left, right)), others = f64x2.mul(constant(at + 16), f64x2.add(below, above));
  return f64x2.add(f64x2.mul(constant(at + 32), here), f64x2.add(sides, others));
}

/** R of one species. Fisher: r u (1 − u). Nagumo: k u (1 − u)(u − a). */
@inline function rateOne(u: v128, cubic: bool): v128 {
  const logistic = f64x2.mul(f64x2.mul(constant(P), u), f64x2.sub(constant(ONE), u));
  return cubic ? f64x2.mul(logistic, f64x2.sub(u, constant(Q))) : logistic;
}

function rowOfOne(row: usize, below: usize, above: usize, keep: usize, cubic: bool): void {
  const end = row + (<usize>(nx + 1) << 3), whole = end - 8;
  let left = v128.load(row - 8);
  for (let p = row; p < end; p += 16, below += 16, above += 16, keep += 16) {
    const here = v128.load(p), right = v128.load(p, 8);
    const moved = spread(here, left, right, v128.load(below), v128.load(above), CX);
    v128.store(keep, here);
    v128.store(p, f64x2.add(here, f64x2.add(moved, f64x2.mul(constant(DT), rateOne(here, cubic)))));
    left = right;
    if (p >= whole) continue;
    const square = f64x2.mul(here, here);
    sumA = f64x2.add(sumA, here);
    sumB = f64x2.add(sumB, square);
    if (cubic) sumC = f64x2.add(sumC, f64x2.mul(square, here));
    least = f64x2.pmin(least, here);
  }
}

/** Rows of u and v; `oscillates`: Brusselator, else Gray–Scott. */
function rowOfTwo(u: usize, uBelow: usize, uAbove: usize, uKeep: usize, v: usize, vBelow: usize, vAbove: usize, vKeep: usize, oscillates: bool): void {
  const bytes = <usize>(nx + 1) << 3, whole = bytes - 8;
  let uLeft = v128.load(u - 8), vLeft = v128.load(v - 8);
  for (let k: usize = 0; k < bytes; k += 16) {
    const a = v128.load(u + k), b = v128.load(v + k), uRight = v128.load(u + k, 8), vRight = v128.load(v + k, 8);
    const uMoved = spread(a, uLeft, uRight, v128.load(uBelow + k), v128.load(uAbove + k), CX);
    const vMoved = spread(b, vLeft, vRight, v128.load(vBelow + k), v128.load(vAbove + k), DX);
    v128.store(uKeep + k, a);
    v128.store(vKeep + k, b);
    let rateU: v128, rateV: v128;
    if (oscillates) {
      const made = f64x2.mul(f64x2.mul(a, a), b), turned = f64x2.mul(constant(Q), a);
      rateU = f64x2.add(f64x2.sub(f64x2.sub(constant(P), a), turned), made);
      rateV = f64x2.sub(turned, made);
    } else {
      const eaten = f64x2.mul(f64x2.mul(a, b), b), F = constant(P);
      rateU = f64x2.sub(f64x2.mul(F, f64x2.sub(constant(ONE), a)), eaten);
      rateV = f64x2.sub(eaten, f64x2.mul(f64x2.add(F, constant(Q)), b));
    }
    v128.store(u + k, f64x2.add(a, f64x2.add(uMoved, f64x2.mul(constant(DT), rateU))));
    v128.store(v + k, f64x2.add(b, f64x2.add(vMoved, f64x2.mul(constant(DT), rateV))));
    uLeft = uRight;
    vLeft = vRight;
    if (k >= whole) continue;
    sumA = f64x2.add(sumA, a);
    sumB = f64x2.add(sumB, b);
    least = f64x2.pmin(least, f64x2.pmin(a, b));
  }
}

@inline function lanes(sum: v128): f64 { return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1); }

/** Sums of a row to its integral: ends of an axis without flux count half; `keep` has them as they were. */
function closeRow(share: f64, uKeep: usize, vKeep: usize): void {
  const far = <usize>nx << 3;
  let a = lanes(sumA), b = lanes(sumB), c = lanes(sumC);
  if (!isPeriodic(x)) {
    const s = load<f64>(uKeep), e = load<f64>(uKeep + far);
    a += 0.5 * (e - s);
    b += vKeep ? 0.5 * (load<f64>(vKeep + far) - load<f64>(vKeep)) : 0.5 * (e * e - s * s);
    if (model == Model.NAGUMO) c += 0.5 * (e * e * e - s * s * s);
    lowest = min(lowest, min(e, vKeep ? load<f64>(vKeep + far) : e));
  }
  momentA += share * a; momentB += share * b; momentC += share * c;
  sumA = sumB = sumC = f64x2.splat(0);
}

/** `scratch`: room for two padded rows. v = 0: one species. */
export function step(u: usize, v: usize, scratch: usize, rowLength: usize): void {
  const last = lastFree(y), uKeep = scratch + 16, vKeep = v ? uKeep + rowLength : 0;
  momentA = momentB = momentC = 0.0;
  lowest = Infinity;
  sumA = sumB = sumC = f64x2.splat(0);
  least = f64x2.splat(Infinity);
  for (let j = 0; j <= last; j++) {
    const row = rowAt(u, nx, j);
    fillGhosts(row, x);
    const below = ny > 0 ? rowBelow(u, nx, y, j, uKeep, 0) : row, above = ny > 0 ? rowAbove(u, nx, y, j, uKeep) : row;
    if (v) {
      const other = rowAt(v, nx, j);
      fillGhosts(other, x);
      const under = ny > 0 ? rowBelow(v, nx, y, j, vKeep, 0) : other, over = ny > 0 ? rowAbove(v, nx, y, j, vKeep) : other;
      rowOfTwo(row, below, above, uKeep, other, under, over, vKeep, model == Model.BRUSSELATOR);
    } else rowOfOne(row, below, above, uKeep, model == Model.NAGUMO);
    closeRow(shareOf(y, j), uKeep, vKeep);
  }
  lowest = min(lowest, min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1)));
  const cells = <f64>nx * <f64>max(1, ny);
  momentA /= cells; momentB /= cells; momentC /= cells;
  closeRing(u);
  if (v) closeRing(v);
}

/** Last node and row of periodic axes are copies. */
function closeRing(field: usize): void {
  if (isPeriodic(x)) {
    const far = <usize>nx << 3;
    for (let j = 0; j <= ny; j++) store<f64>(rowAt(field, nx, j) + far, load<f64>(rowAt(field, nx, j)));
  }
  if (ny > 0 && isPeriodic(y)) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
}

/** Largest |∂R_u/∂u| or |∂R_v/∂v| on the field: what dt is measured by. */
export function fastestRate(u: usize, v: usize): f64 {
  let most = 0.0;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const k = <usize>i << 3, a = load<f64>(rowAt(u, nx, j) + k), b = v ? load<f64>(rowAt(v, nx, j) + k) : 0.0;
      most = max(most, rateAt(a, b));
    }
  }
  return most;
}

function rateAt(a: f64, b: f64): f64 {
  if (model == Model.GRAY_SCOTT) return max(abs(b * b + first), abs(2.0 * a * b - first - second));
  if (model == Model.FISHER) return abs(first * (1.0 - 2.0 * a));
  if (model == Model.NAGUMO) return abs(first * (-3.0 * a * a + 2.0 * (1.0 + second) * a - second));
  return max(abs(2.0 * a * b - second - 1.0), a * a);
}
