// Equilibrium of a damaged body: conjugate gradients, preconditioned by a cycle over coarser grids (multigrid.ts), or by
// the diagonal where there are none. Its sums keep mirrored bits as those of forces.ts do.

import { allocate } from "../kernel/frame";
import { ix, iy, layCells, ux, uy } from "./cells";
import { dotForces, forces, layForces } from "./forces";
import { coarsest, layBuilding } from "./grids";
import { layMultigrid, precondition } from "./multigrid";
import { M, N, at, fieldBytes, stride } from "./problem";

/** Residual, what the cycle makes of it, direction and its image, each of x and y. */
let rx: usize = 0, ry: usize = 0, zx: usize = 0, zy: usize = 0, px: usize = 0, py: usize = 0, qx: usize = 0, qy: usize = 0;
let room: usize = 0;
let rho: f64 = 0, scaled: f64 = 0;
/** ‖r‖² of the free nodes; reaction of the upper grip along x and y, and the norm of all reactions. */
export let residual: f64 = 0, reactionX: f64 = 0, reactionY: f64 = 0, reactionNorm: f64 = 0;

/** `x`, `y`: the displacements, which the state holds. */
export function layElastic(x: usize, y: usize): void {
  layCells(x, y);
  layForces();
  layMultigrid();
  room = allocate(max(8 * fieldBytes, layBuilding(0)));
  layBuilding(room);
  rx = room; ry = rx + fieldBytes;
  zx = ry + fieldBytes; zy = zx + fieldBytes;
  px = zy + fieldBytes; py = px + fieldBytes;
  qx = py + fieldBytes; qy = qx + fieldBytes;
}

/** Eight fields that hold nothing before an equilibrium is sought and after it: there grids are built and damage is. */
export function spareFields(): usize { return room; }

function sumRow(field: usize, j: i32): f64 {
  let sum = 0.0;
  for (let i = 0; i <= N; i++) sum += load<f64>(at(field, i, j));
  return sum;
}

function squareRow(field: usize, j: i32): f64 {
  let sum = 0.0;
  for (let i = 0; i <= N; i++) { const value = load<f64>(at(field, i, j)); sum += value * value; }
  return sum;
}

/** r = −A u on the free nodes, and the reactions of the grips. */
export function beginEquilibrium(): void {
  memory.fill(room, 0, 8 * fieldBytes);
  forces(ux, uy, rx, ry);
  reactionX = sumRow(rx, M);
  reactionY = sumRow(ry, M);
  reactionNorm = sqrt((squareRow(rx, 0) + squareRow(rx, M)) + (squareRow(ry, 0) + squareRow(ry, M)));
  release(rx); release(ry);
  rho = 0.0;
  descend(0.0);
}

/** Forces on the free nodes, with the sign of a residual. */
function release(field: usize): void {
  memory.fill(field, 0, stride);
  memory.fill(at(field, 0, M), 0, stride);
  for (let p = field, end = field + fieldBytes; p < end; p += 8) store<f64>(p, -load<f64>(p));
}

/** u += α p, r −= α q; gives ‖r‖² and r·D⁻¹r. */
function descend(alpha: f64): void {
  const step = f64x2.splat(alpha);
  let square = f64x2.splat(0), product = square;
  for (let k = stride, end = fieldBytes - stride; k < end; k += 16) {
    v128.store(ux + k, f64x2.add(v128.load(ux + k), f64x2.mul(step, v128.load(px + k))));
    v128.store(uy + k, f64x2.add(v128.load(uy + k), f64x2.mul(step, v128.load(py + k))));
    const a = f64x2.sub(v128.load(rx + k), f64x2.mul(step, v128.load(qx + k))), b = f64x2.sub(v128.load(ry + k), f64x2.mul(step, v128.load(qy + k)));
    v128.store(rx + k, a);
    v128.store(ry + k, b);
    const aa = f64x2.mul(a, a), bb = f64x2.mul(b, b);
    square = f64x2.add(square, f64x2.add(aa, bb));
    product = f64x2.add(product, f64x2.add(f64x2.mul(aa, v128.load(ix + k)), f64x2.mul(bb, v128.load(iy + k))));
  }
  residual = f64x2.extract_lane(square, 0) + f64x2.extract_lane(square, 1);
  scaled = f64x2.extract_lane(product, 0) + f64x2.extract_lane(product, 1);
}

/** r·z. */
function overlap(): f64 {
  let sum = f64x2.splat(0);
  for (let k = stride, end = fieldBytes - stride; k < end; k += 16)
    sum = f64x2.add(sum, f64x2.add(f64x2.mul(v128.load(rx + k), v128.load(zx + k)), f64x2.mul(v128.load(ry + k), v128.load(zy + k))));
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** p = z + β p. */
function redirect(beta: f64): void {
  const keep = f64x2.splat(beta);
  for (let k = stride, end = fieldBytes - stride; k < end; k += 16) {
    v128.store(px + k, f64x2.add(v128.load(zx + k), f64x2.mul(keep, v128.load(px + k))));
    v128.store(py + k, f64x2.add(v128.load(zy + k), f64x2.mul(keep, v128.load(py + k))));
  }
}

/** p = D⁻¹r + β p. */
function redirectScaled(beta: f64): void {
  const keep = f64x2.splat(beta);
  for (let k = stride, end = fieldBytes - stride; k < end; k += 16) {
    v128.store(px + k, f64x2.add(f64x2.mul(v128.load(rx + k), v128.load(ix + k)), f64x2.mul(keep, v128.load(px + k))));
    v128.store(py + k, f64x2.add(f64x2.mul(v128.load(ry + k), v128.load(iy + k)), f64x2.mul(keep, v128.load(py + k))));
  }
}

export function iterateEquilibrium(): void {
  const before = rho;
  if (coarsest > 0) {
    precondition(rx, ry, zx, zy, qx, qy);
    rho = overlap();
    redirect(before > 0.0 ? rho / before : 0.0);
  } else {
    rho = scaled;
    redirectScaled(before > 0.0 ? rho / before : 0.0);
  }
  forces(px, py, qx, qy);
  descend(dotForces > 0.0 ? rho / dotForces : 0.0);
}
