// Matrices of the coarser grids, node by node: 9 blocks of 2 × 2 for itself and its neighbours, gathered from the elements
// of levels.ts, and their product with a vector of pairs (x, y). What a mirror exchanges is added first in pairs.

import { allocate } from "../kernel/frame";
import {
  cellsX, cellsY, coarsest, correctionOf, dampingOf, elementOf, inverseOf, leftOf, place, residualOf, rowNodes, setDamping,
  stencilAt,
} from "./grids";
import { blockAt, coarsen, seeRow } from "./levels";

/** Blocks of a node from the elements below it, for neighbours 0 … 5, and from those above it, for 3 … 8. */
let sides: usize = 0;
/** Share of λmax(D⁻¹A) over which a sweep of damped Jacobi smooths best: 2/(1 + ¼) (Hackbusch 1985, §3.3). */
const SMOOTHING: f64 = 1.6;

export function layStencils(): void { sides = allocate(12 << 5); }

@inline function localOf(x: i32, y: i32): i32 { return y == 0 ? x : 3 - x; }

/** Element (i + x, j + y) of node (i, j), x and y of −1, 0. */
function addSide(l: i32, i: i32, j: i32, x: i32, y: i32): void {
  if (i + x < 0 || i + x >= cellsX(l)) return;
  const element = elementOf(l, i + x, j + y), own = localOf(-x, -y), to = sides + (y < 0 ? 0 : 6 << 5);
  for (let b = 0; b < 4; b++) {
    const dx = x + (b == 1 || b == 2 ? 1 : 0), dy = b >= 2 ? 1 : 0, at = to + (<usize>(3 * dy + dx + 1) << 5), from = blockAt(element, own, b);
    v128.store(at, f64x2.add(v128.load(at), v128.load(from)));
    v128.store(at, f64x2.add(v128.load(at, 16), v128.load(from, 16)), 16);
  }
}

/** Gathers node (i, j) between the grips; gives the row sum of sizes over the diagonal, which bounds eigenvalues. */
function gather(l: i32, i: i32, j: i32): f64 {
  memory.fill(sides, 0, 12 << 5);
  addSide(l, i, j, -1, -1); addSide(l, i, j, 0, -1);
  addSide(l, i, j, -1, 0); addSide(l, i, j, 0, 0);
  const to = stencilAt(l, i, j);
  memory.copy(to, sides, 6 << 5);
  memory.copy(to + (6 << 5), sides + (9 << 5), 3 << 5);
  for (let k: usize = 0; k < 96; k += 16)
    v128.store(to + 96 + k, f64x2.add(v128.load(sides + 96 + k), v128.load(sides + 192 + k)));
  const inverse = f64x2.div(f64x2.splat(1), v128.shuffle<f64>(v128.load(to, 128), v128.load(to, 144), 0, 3));
  v128.store(inverseOf(l) + place(l, i, j), inverse);
  let sum = f64x2.splat(0);
  for (let k: usize = 0; k < 288; k += 16) sum = f64x2.add(sum, f64x2.abs(v128.load(to + k)));
  sum = f64x2.mul(sum, inverse);
  return max(f64x2.extract_lane(sum, 0), f64x2.extract_lane(sum, 1));
}

/** Matrices of all coarser grids, from the cells of the finest. */
export function buildStencils(): void {
  for (let l = 1; l <= coarsest; l++) {
    coarsen(l);
    setDamping(l, 0.0);
  }
  for (let j = 0; j < cellsY(1); j++) buildRow(1, j);
  for (let l = 1; l <= coarsest; l++) setDamping(l, SMOOTHING / min(dampingOf(l), 8.0));
}

/** Row j of elements, the nodes below it, and the row of the next level that it completes; bounds of eigenvalues so far. */
function buildRow(l: i32, j: i32): void {
  seeRow(l, j);
  let most = dampingOf(l);
  if (j > 0) for (let i = 0; i <= cellsX(l); i++) most = max(most, gather(l, i, j));
  setDamping(l, most);
  if (l < coarsest && j & 1) buildRow(l + 1, j >> 1);
}

@inline function product(stencil: usize, x: v128): v128 {
  return f64x2.add(f64x2.mul(v128.load(stencil), v128.shuffle<f64>(x, x, 0, 0)), f64x2.mul(v128.load(stencil, 16), v128.shuffle<f64>(x, x, 1, 1)));
}
@inline function productRow(stencil: usize, at: usize): v128 {
  return f64x2.add(f64x2.add(product(stencil, v128.load(at - 16)), product(stencil + 32, v128.load(at))), product(stencil + 64, v128.load(at + 16)));
}

/** What z leaves of r, into `leftOf`. */
export function subtractProduct(l: i32): void {
  const z = correctionOf(l), r = residualOf(l), t = leftOf(l), row = <usize>rowNodes(l) << 4;
  for (let j = 1; j < cellsY(l); j++) {
    let stencil = stencilAt(l, 0, j), k = place(l, 0, j);
    for (let i = 0; i <= cellsX(l); i++) {
      const at = z + k, around = f64x2.add(productRow(stencil, at - row), productRow(stencil + 192, at + row));
      v128.store(t + k, f64x2.sub(v128.load(r + k), f64x2.add(productRow(stencil + 96, at), around)));
      stencil += 288; k += 16;
    }
  }
}

/** z = ω D⁻¹ r, or z += ω D⁻¹ (r − A z). */
export function relax(l: i32, isFirst: bool): void {
  if (!isFirst) subtractProduct(l);
  const z = correctionOf(l), from = isFirst ? residualOf(l) : leftOf(l), inverse = inverseOf(l), damping = f64x2.splat(dampingOf(l));
  for (let k = place(l, 0, 1), end = place(l, 0, cellsY(l)); k < end; k += 16) {
    const step = f64x2.mul(f64x2.mul(damping, v128.load(inverse + k)), v128.load(from + k));
    v128.store(z + k, isFirst ? step : f64x2.add(v128.load(z + k), step));
  }
}
