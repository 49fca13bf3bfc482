// One leapfrog in place, row by row: u⁺ = (1 − q)u + q u⁻ + k ∇²u. Without loss q = −1 and k = (c dt)². Two nodes in a
// vector; lanes are independent nodes, so that the bits are those of scalar code.

import { allocate } from "../kernel/frame";
import { End, isPeriodic, lowerKind, upperKind } from "../grid/axis";
import { rowAt, rowBytes } from "../grid/field";
import { K, dt, dx, dy, ex, ey, isLayered, isUniform, nx, ny, ox, oy, rhoAt, sigmaOf, x, zetaAt } from "./problem";

/** Rows of q and k: none where they are numbers, one where they depend on x alone, else one for each row. */
let qAt: usize = 0, kAt: usize = 0, stride: usize = 0;
let kx: f64 = 0, ky: f64 = 0;

/** Bytes of the coefficients. */
export function layCoefficients(): void {
  qAt = 0; kAt = 0; stride = 0;
  kx = K * dt * dt / (dx * dx); ky = ny > 0 ? K * dt * dt / (dy * dy) : 0.0;
  if (isUniform()) { const rho = rhoAt(0, 0); kx /= rho; ky /= rho; return; }
  const rows = isLayered() ? 1 : ey + 1, bytes = rowBytes(ex);
  qAt = allocate(bytes * <usize>rows) + 16; kAt = allocate(bytes * <usize>rows) + 16;
  stride = rows > 1 ? bytes : 0;
  for (let j = 0; j < rows; j++) for (let i = 0; i <= ex; i++) layNode(i, j, bytes * <usize>j + (<usize>i << 3));
}

/**
 * ρ(1 ± ½dt Z) ± ½dt s + ¼dt² D: the damping of layers and of σ at the middle of the step, and what layers add to u itself,
 * D = ρζ₁ζ₂ + sZ, as the mean (u⁻ + 2u + u⁺)/4: by u alone it would shorten the step that is stable.
 */
function layNode(i: i32, j: i32, at: usize): void {
  const bi = max(0, min(nx, i - ox)), bj = max(0, min(ny, j - oy)), rho = rhoAt(bi, bj), s = 0.5 * dt * sigmaOf(bi, bj);
  const zx = 0.5 * dt * zetaAt(<f64>i, ox, nx, dx), zy = ey > 0 ? 0.5 * dt * zetaAt(<f64>j, oy, ny, dy) : 0.0, z = zx + zy;
  const held = rho * (zx * zy) + s * z, divisor = rho * (1.0 + z) + s + held;
  store<f64>(qAt + at, -(rho * (1.0 - z) - s + held) / divisor);
  store<f64>(kAt + at, 1.0 / divisor);
}

/** dt²/ρ, with the damping, at a node of the whole grid. */
export function gainAt(i: i32, j: i32): f64 {
  return qAt ? dt * dt * load<f64>(kAt + stride * <usize>j + (<usize>i << 3)) : dt * dt / rhoAt(0, 0);
}

/** What gainAt multiplies dt² by along row j, where coefficients are no numbers. */
export function gainRow(j: i32): usize { return kAt + stride * <usize>j; }

/** Two nodes, whose neighbours at the sides come from the pairs before and behind. */
@inline function leapPair(before: v128, here: v128, behind: v128, old: usize, under: usize, over: usize, c: v128, a: v128, b: v128): void {
  const sides = f64x2.mul(a, f64x2.add(v128.shuffle<f64>(before, here, 1, 2), v128.shuffle<f64>(here, behind, 1, 2)));
  const others = f64x2.mul(b, f64x2.add(v128.load(under), v128.load(over)));
  v128.store(old, f64x2.add(f64x2.sub(f64x2.mul(c, here), v128.load(old)), f64x2.add(sides, others)));
}

/** Four pairs at once; of the row itself each is loaded once. */
function uniformRow(old: usize, row: usize, under: usize, over: usize): void {
  const a = f64x2.splat(kx), b = f64x2.splat(ky), c = f64x2.splat(2.0 - 2.0 * (kx + ky));
  const end = row + (<usize>(ex + 1) << 3);
  let p = row, p0 = v128.load(row - 16), p1 = v128.load(row);
  for (; p + 64 <= end; p += 64, old += 64, under += 64, over += 64) {
    const p2 = v128.load(p, 16), p3 = v128.load(p, 32), p4 = v128.load(p, 48), p5 = v128.load(p, 64);
    leapPair(p0, p1, p2, old, under, over, c, a, b);
    leapPair(p1, p2, p3, old + 16, under + 16, over + 16, c, a, b);
    leapPair(p2, p3, p4, old + 32, under + 32, over + 32, c, a, b);
    leapPair(p3, p4, p5, old + 48, under + 48, over + 48, c, a, b);
    p0 = p4; p1 = p5;
  }
  for (; p < end; p += 16, old += 16, under += 16, over += 16) {
    const p2 = v128.load(p, 16);
    leapPair(p0, p1, p2, old, under, over, c, a, b);
    p0 = p1; p1 = p2;
  }
}

function variedRow(old: usize, row: usize, under: usize, over: usize, q: usize, k: usize): void {
  const a = f64x2.splat(kx), b = f64x2.splat(ky), c = f64x2.splat(-2.0 * (kx + ky)), one = f64x2.splat(1.0);
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
  if (qAt) variedRow(old, row, under, over, qAt + stride * <usize>j, kAt + stride * <usize>j);
  else uniformRow(old, row, under, over);
  const far = <usize>ex << 3;
  if (lowerKind(x) == End.FIXED) store<f64>(old, load<f64>(row));
  if (upperKind(x) == End.FIXED) store<f64>(old + far, load<f64>(row + far));
  if (isPeriodic(x)) store<f64>(old + far, load<f64>(old));
}
