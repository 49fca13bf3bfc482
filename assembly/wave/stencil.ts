// One leapfrog in place, row by row or two at a time: u⁺ = (1 − q)u + q u⁻ + k ∇²u. Without loss q = −1 and k = (c dt)².

import { allocate } from "../kernel/frame";
import { End, isPeriodic, lowerKind, upperKind } from "../grid/axis";
import { rowBytes } from "../grid/field";
import { between, pairBytes, spread } from "../grid/stencil";
import { K, dt, dx, dy, ex, ey, isLayered, isLossy, isUniform, nx, ny, ox, oy, rhoAt, sigmaOf, x, zetaAt } from "./problem";

/** Rows of q and k, none where they are numbers. Those of the box are one where the medium depends on x alone; of q, which is −1 there without loss, always then. */
let qAt: usize = 0, kAt: usize = 0, stride: usize = 0;
let isOneQ: bool = false, isOneK: bool = false;

/** Of the neighbours along x and y, of the node itself, and 1, in both lanes: laid once, blocks load them. */
const factors = memory.data(64, 16);
const ALONG_X: usize = 0, ALONG_Y: usize = 16, OWN: usize = 32, ONE: usize = 48;

@inline function lay(at: usize, factor: f64): void { v128.store(factors + at, f64x2.splat(factor)); }
@inline function factor(at: usize): v128 { return v128.load(factors + at); }

function layFactors(): void {
  const isOne = isUniform(), rho = isOne ? rhoAt(0, 0) : 1.0;
  const kx = K * dt * dt / (dx * dx) / rho, ky = ny > 0 ? K * dt * dt / (dy * dy) / rho : 0.0;
  lay(ALONG_X, kx); lay(ALONG_Y, ky); lay(ONE, 1.0);
  lay(OWN, isOne ? 2.0 - 2.0 * (kx + ky) : -2.0 * (kx + ky));
}

export function layCoefficients(): void {
  qAt = 0; kAt = 0;
  layFactors();
  if (isUniform()) return;
  isOneK = isLayered(); isOneQ = isOneK || !isLossy;
  stride = rowBytes(ex);
  qAt = allocate(stride * <usize>(rowOf(ey, isOneQ) + 1)) + 16; kAt = allocate(stride * <usize>(rowOf(ey, isOneK) + 1)) + 16;
  for (let j = 0; j <= ey; j++) {
    if (j > 0 && rowOf(j, isOneK) == rowOf(j - 1, isOneK)) continue;
    for (let i = 0; i <= ex; i++) layNode(i, j);
  }
}

/** Of the rows that are kept the one that row j of the grid has. */
@inline function rowOf(j: i32, isOne: bool): i32 { return isOne ? min(j, oy) + max(0, j - oy - ny) : j; }
@inline function qRow(j: i32): usize { return qAt + stride * <usize>rowOf(j, isOneQ); }

/**
 * ρ(1 ± ½dt Z) ± ½dt s + ¼dt² D: the damping of layers and of σ at the middle of the step, and what layers add to u itself,
 * D = ρζ₁ζ₂ + sZ, as the mean (u⁻ + 2u + u⁺)/4: by u alone it would shorten the step that is stable.
 */
function layNode(i: i32, j: i32): void {
  const bi = max(0, min(nx, i - ox)), bj = max(0, min(ny, j - oy)), rho = rhoAt(bi, bj), s = 0.5 * dt * sigmaOf(bi, bj);
  const zx = 0.5 * dt * zetaAt(<f64>i, ox, nx, dx), zy = ey > 0 ? 0.5 * dt * zetaAt(<f64>j, oy, ny, dy) : 0.0, z = zx + zy;
  const held = rho * (zx * zy) + s * z, divisor = rho * (1.0 + z) + s + held;
  const k = <usize>i << 3;
  store<f64>(qRow(j) + k, -(rho * (1.0 - z) - s + held) / divisor);
  store<f64>(gainRow(j) + k, 1.0 / divisor);
}

/** dt²/ρ, with the damping, at a node of the whole grid. */
export function gainAt(i: i32, j: i32): f64 {
  return qAt ? dt * dt * load<f64>(gainRow(j) + (<usize>i << 3)) : dt * dt / rhoAt(0, 0);
}

/** What gainAt multiplies dt² by along row j, where coefficients are no numbers. */
export function gainRow(j: i32): usize { return kAt + stride * <usize>rowOf(j, isOneK); }

@inline function leaped(left: v128, here: v128, right: v128, under: v128, over: v128, old: v128, own: v128, a: v128, b: v128): v128 {
  return f64x2.add(f64x2.sub(f64x2.mul(own, here), old), spread(a, left, right, b, under, over));
}

function uniformRow(old: usize, row: usize, under: usize, over: usize): void {
  const own = factor(OWN), a = factor(ALONG_X), b = factor(ALONG_Y);
  const end = row + pairBytes(ex);
  let here = v128.load(row), left = between(v128.load(row - 16), here);
  for (; row < end; row += 16, old += 16, under += 16, over += 16) {
    const next = v128.load(row, 16), right = between(here, next);
    v128.store(old, leaped(left, here, right, v128.load(under), v128.load(over), v128.load(old), own, a, b));
    here = next; left = right;
  }
}

/** A pair of each of two rows: the first behind the pointers, or the second (v128), by an offset that the instruction holds. */
@inline function leapPairs<Pair>(
  oldLow: usize, oldHigh: usize, under: usize, over: usize,
  lowLeft: v128, p: v128, lowRight: v128, highLeft: v128, q: v128, highRight: v128, own: v128, a: v128, b: v128,
): void {
  const low = leaped(lowLeft, p, lowRight, v128.load(under, isVector<Pair>() ? 16 : 0), q, v128.load(oldLow, isVector<Pair>() ? 16 : 0), own, a, b);
  v128.store(oldLow, low, isVector<Pair>() ? 16 : 0);
  const high = leaped(highLeft, q, highRight, p, v128.load(over, isVector<Pair>() ? 16 : 0), v128.load(oldHigh, isVector<Pair>() ? 16 : 0), own, a, b);
  v128.store(oldHigh, high, isVector<Pair>() ? 16 : 0);
}

/** Two rows, one above the other, where factors are numbers. */
function twoUniformRows(oldLow: usize, oldHigh: usize, low: usize, high: usize, under: usize, over: usize): void {
  const own = factor(OWN), a = factor(ALONG_X), b = factor(ALONG_Y);
  const bytes = pairBytes(ex), end = low + bytes - 64;
  let p = v128.load(low), q = v128.load(high), lowLeft = between(v128.load(low - 16), p), highLeft = between(v128.load(high - 16), q);
  low -= 32; high -= 32; under -= 32; over -= 32; oldLow -= 32; oldHigh -= 32;
  while (low <= end) {
    low += 32; high += 32; under += 32; over += 32; oldLow += 32; oldHigh += 32;
    const p1 = v128.load(low, 16), q1 = v128.load(high, 16), lowRight = between(p, p1), highRight = between(q, q1);
    leapPairs<f64>(oldLow, oldHigh, under, over, lowLeft, p, lowRight, highLeft, q, highRight, own, a, b);
    p = v128.load(low, 32); q = v128.load(high, 32);
    lowLeft = between(p1, p); highLeft = between(q1, q);
    leapPairs<v128>(oldLow, oldHigh, under, over, lowRight, p1, lowLeft, highRight, q1, highLeft, own, a, b);
  }
  if ((bytes & 16) == 0) return;
  const lowRight = between(p, v128.load(low, 48)), highRight = between(q, v128.load(high, 48));
  leapPairs<f64>(oldLow + 32, oldHigh + 32, under + 32, over + 32, lowLeft, p, lowRight, highLeft, q, highRight, own, a, b);
}

function variedRow(old: usize, row: usize, under: usize, over: usize, q: usize, k: usize): void {
  const a = factor(ALONG_X), b = factor(ALONG_Y), c = factor(OWN), one = factor(ONE);
  const end = row + (<usize>(ex + 1) << 3);
  for (let p = row; p < end; p += 16, old += 16, under += 16, over += 16, q += 16, k += 16) {
    const u = v128.load(p), damping = v128.load(q);
    const sides = f64x2.mul(a, f64x2.add(v128.load(p - 8), v128.load(p, 8)));
    const others = f64x2.mul(b, f64x2.add(v128.load(under), v128.load(over)));
    const force = f64x2.mul(v128.load(k), f64x2.add(f64x2.mul(c, u), f64x2.add(sides, others)));
    const inertia = f64x2.add(f64x2.mul(f64x2.sub(one, damping), u), f64x2.mul(damping, v128.load(old)));
    v128.store(old, f64x2.add(inertia, force));
  }
}

/** Row j of `old` becomes that of the next time; ghosts of `row` are filled. */
export function leapRow(old: usize, row: usize, under: usize, over: usize, j: i32): void {
  if (qAt) variedRow(old, row, under, over, qRow(j), gainRow(j));
  else uniformRow(old, row, under, over);
  keepEnds(old, row);
}

/** A row and the one above it, where no node has coefficients of its own. */
export function leapTwoRows(oldLow: usize, oldHigh: usize, low: usize, high: usize, under: usize, over: usize): void {
  twoUniformRows(oldLow, oldHigh, low, high, under, over);
  keepEnds(oldLow, low);
  keepEnds(oldHigh, high);
}

@inline function keepEnds(old: usize, row: usize): void {
  const far = <usize>ex << 3;
  if (lowerKind(x) == End.FIXED) store<f64>(old, load<f64>(row));
  if (upperKind(x) == End.FIXED) store<f64>(old + far, load<f64>(row + far));
  if (isPeriodic(x)) store<f64>(old + far, load<f64>(old));
}
