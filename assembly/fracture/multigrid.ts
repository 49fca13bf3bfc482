// z ≈ A⁻¹r for the equilibrium: one V-cycle over the grids of levels.ts, a sweep of damped Jacobi before and after each
// coarser grid, so that it is symmetric; the coarsest grid is solved by LDLᵀ (Brandt 1977; Alcouffe et al. 1981).
// Of mirrored data the solution there is averaged with its mirror image, as an elimination has an order.

import { allocate } from "../kernel/frame";
import { addEntry, closeEnvelope, envelopeEntries, envelopeOrder, factorRow, openEnvelope, solveEnvelope, widen } from "../fem/envelope";
import { cells, ix, iy, ux, uy } from "./cells";
import { forces } from "./forces";
import {
  cellsX, cellsY, coarsest, correctionOf, leftOf, place, residualOf, sharesAt, stencilAt,
} from "./grids";
import { layLevels } from "./levels";
import { M, N, at, fieldBytes, isShear, lambda, mu, split, stride } from "./problem";
import { buildStencils, layStencils, relax, subtractProduct } from "./stencils";

/** Product with the finest matrix, then what is left of the residual. */
let tx: usize = 0, ty: usize = 0;
/** Entries of the envelope, and the unknowns. */
let envelope: usize = 0, entries: i64 = 0, dense: usize = 0;
let isDirect: bool = false, isMirrored: bool = false;
/** Cells across the coarsest grid above which it is relaxed instead of solved, and how often. */
const WIDEST: i32 = 64, SWEEPS: i32 = 16;

export function layMultigrid(): void {
  layLevels();
  if (coarsest == 0) return;
  layStencils();
  isDirect = min(cellsX(coarsest), cellsY(coarsest)) <= WIDEST;
  if (isDirect) layBottom();
}

/** Grids for the cells as they are now. */
export function buildGrids(): void {
  if (coarsest == 0) return;
  buildStencils();
  isMirrored = !isShear && areMirrored();
  if (isDirect) factorBottom();
}

function areMirrored(): bool {
  for (let j = 0; 2 * j <= M; j++)
    for (let i = 0; i <= N; i++) {
      const low = at(0, i, j), high = at(0, i, M - j);
      if (load<f64>(ux + low) != load<f64>(ux + high) || load<f64>(uy + low) != -load<f64>(uy + high)) return false;
      if (load<f64>(cells + low) != load<f64>(cells + at(0, i, M - 1 - j))) return false;
    }
  return true;
}

// ---- coarsest grid -------------------------------------------------------------------------------------

/** Number of the first unknown of a node between the grips: along the shorter side first. */
function numberOf(i: i32, j: i32): i32 {
  const l = coarsest;
  return 2 * (cellsX(l) < cellsY(l) ? (j - 1) * (cellsX(l) + 1) + i : i * (cellsY(l) - 1) + (j - 1));
}
@inline function isFree(i: i32, j: i32): bool { return i >= 0 && i <= cellsX(coarsest) && j >= 1 && j < cellsY(coarsest); }

function layBottom(): void {
  const l = coarsest;
  openEnvelope(2 * (cellsX(l) + 1) * (cellsY(l) - 1));
  eachEntry(false);
  entries = envelopeEntries();
  envelope = allocate(0);
  closeEnvelope();
  dense = allocate(<usize>envelopeOrder() << 3);
}

/** Makes room for the entries, or adds them. */
function eachEntry(isFilled: bool): void {
  const l = coarsest;
  for (let j = 1; j < cellsY(l); j++)
    for (let i = 0; i <= cellsX(l); i++)
      for (let s = 0; s < 9; s++) {
        const x = i + s % 3 - 1, y = j + s / 3 - 1;
        if (!isFree(x, y)) continue;
        for (let c = 0; c < 4; c++) {
          const row = numberOf(i, j) + (c & 1), column = numberOf(x, y) + (c >> 1);
          if (isFilled) addEntry(row, column, load<f64>(stencilAt(l, i, j) + (<usize>(4 * s + c) << 3))); else widen(row, column);
        }
      }
}

function factorBottom(): void {
  memory.fill(envelope, 0, <usize>entries << 3);
  eachEntry(true);
  for (let k = 0; k < envelopeOrder(); k++) factorRow(k);
}

function solveBottom(): void {
  const l = coarsest, r = residualOf(l), z = correctionOf(l);
  for (let j = 1; j < cellsY(l); j++)
    for (let i = 0; i <= cellsX(l); i++) v128.store(dense + (<usize>numberOf(i, j) << 3), v128.load(r + place(l, i, j)));
  solveEnvelope(dense);
  const halfOf = f64x2.splat(0.5), image = f64x2.replace_lane(halfOf, 1, -0.5);
  for (let j = 1; j < cellsY(l); j++)
    for (let i = 0; i <= cellsX(l); i++) {
      const own = v128.load(dense + (<usize>numberOf(i, j) << 3)), other = v128.load(dense + (<usize>numberOf(i, cellsY(l) - j) << 3));
      v128.store(z + place(l, i, j), isMirrored ? f64x2.add(f64x2.mul(halfOf, own), f64x2.mul(image, other)) : own);
    }
}

// ---- between the grids ---------------------------------------------------------------------------------

@inline function pair(x: usize, y: usize, k: usize): v128 { return f64x2.replace_lane(f64x2.splat(load<f64>(x + k)), 1, load<f64>(y + k)); }
/** What is left at node (i, j) of level l. */
@inline function leftAt(l: i32, i: i32, j: i32): v128 { return l == 0 ? pair(tx, ty, at(0, i, j)) : v128.load(leftOf(l) + place(l, i, j)); }
@inline function times(shares: usize, k: i32, x: v128): v128 { return f64x2.mul(f64x2.splat(load<f64>(shares + (<usize>k << 3))), x); }

/** r of level l: what is left on the finer one, by the shares that its nodes take from here. */
function restrict(l: i32): void {
  const f = l - 1, r = residualOf(l);
  for (let j = 1; j < cellsY(l); j++)
    for (let i = 0; i <= cellsX(l); i++) {
      const x = 2 * i, y = 2 * j, own = sharesAt(l, i, j), below = sharesAt(l, i, j - 1);
      let sum = f64x2.add(f64x2.add(leftAt(f, x, y), times(own, 0, leftAt(f, x + 1, y))),
        f64x2.add(times(own, 2, leftAt(f, x, y + 1)), times(below, 3, leftAt(f, x, y - 1))));
      sum = f64x2.add(sum, f64x2.add(times(own, 4, leftAt(f, x + 1, y + 1)), times(below, 7, leftAt(f, x + 1, y - 1))));
      if (i > 0) {
        const before = sharesAt(l, i - 1, j), corner = sharesAt(l, i - 1, j - 1);
        sum = f64x2.add(sum, times(before, 1, leftAt(f, x - 1, y)));
        sum = f64x2.add(sum, f64x2.add(times(before, 5, leftAt(f, x - 1, y + 1)), times(corner, 6, leftAt(f, x - 1, y - 1))));
      }
      v128.store(r + place(l, i, j), sum);
    }
}

let zx: usize = 0, zy: usize = 0;
@inline function addAt(l: i32, i: i32, j: i32, x: v128): void {
  if (l > 0) {
    const p = correctionOf(l) + place(l, i, j);
    v128.store(p, f64x2.add(v128.load(p), x));
    return;
  }
  const k = at(0, i, j);
  store<f64>(zx + k, load<f64>(zx + k) + f64x2.extract_lane(x, 0));
  store<f64>(zy + k, load<f64>(zy + k) + f64x2.extract_lane(x, 1));
}

/** Adds the correction of level l to that of the finer one. */
function prolong(l: i32): void {
  const f = l - 1, z = correctionOf(l);
  for (let j = 0; j < cellsY(l); j++)
    for (let i = 0; i <= cellsX(l); i++) {
      const shares = sharesAt(l, i, j), x = 2 * i, y = 2 * j;
      const a = v128.load(z + place(l, i, j)), b = v128.load(z + place(l, i + 1, j));
      const d = v128.load(z + place(l, i, j + 1)), c = v128.load(z + place(l, i + 1, j + 1));
      if (j > 0) addAt(f, x, y, a);
      addAt(f, x, y + 1, f64x2.add(times(shares, 2, a), times(shares, 3, d)));
      if (i == cellsX(l)) continue;
      if (j > 0) addAt(f, x + 1, y, f64x2.add(times(shares, 0, a), times(shares, 1, b)));
      addAt(f, x + 1, y + 1, f64x2.add(f64x2.add(times(shares, 4, a), times(shares, 7, d)), f64x2.add(times(shares, 5, b), times(shares, 6, c))));
    }
}

// ---- cycle ---------------------------------------------------------------------------------------------

/** 1.6 over a bound of the eigenvalues of D⁻¹A of a cell: of C, 6(λ+μ)/(λ+3μ); of what a split leaves, its trace. */
@inline function damping(): f64 { return 1.6 / (split == 0 ? 6.0 * (lambda + mu) / (lambda + 3.0 * mu) : 6.5); }

/** z = ω D⁻¹ r, or z += ω D⁻¹ of what is left. */
function relaxFinest(x: usize, y: usize, isFirst: bool): void {
  const omega = f64x2.splat(damping());
  for (let k = stride, end = fieldBytes - stride; k < end; k += 16) {
    const a = f64x2.mul(f64x2.mul(omega, v128.load(ix + k)), v128.load(x + k)), b = f64x2.mul(f64x2.mul(omega, v128.load(iy + k)), v128.load(y + k));
    v128.store(zx + k, isFirst ? a : f64x2.add(v128.load(zx + k), a));
    v128.store(zy + k, isFirst ? b : f64x2.add(v128.load(zy + k), b));
  }
}

function subtractForces(rx: usize, ry: usize): void {
  forces(zx, zy, tx, ty);
  memory.fill(tx, 0, stride); memory.fill(ty, 0, stride);
  memory.fill(at(tx, 0, M), 0, stride); memory.fill(at(ty, 0, M), 0, stride);
  for (let k = stride, end = fieldBytes - stride; k < end; k += 16) {
    v128.store(tx + k, f64x2.sub(v128.load(rx + k), v128.load(tx + k)));
    v128.store(ty + k, f64x2.sub(v128.load(ry + k), v128.load(ty + k)));
  }
}

/** One cycle, where there are coarser grids; `leftX`, `leftY`: room for what is left of the residual. */
export function precondition(rx: usize, ry: usize, toX: usize, toY: usize, leftX: usize, leftY: usize): void {
  zx = toX; zy = toY; tx = leftX; ty = leftY;
  relaxFinest(rx, ry, true);
  subtractForces(rx, ry);
  for (let l = 1; l < coarsest; l++) {
    restrict(l);
    relax(l, true);
    subtractProduct(l);
  }
  restrict(coarsest);
  if (isDirect) solveBottom(); else for (let k = 0; k < SWEEPS; k++) relax(coarsest, k == 0);
  for (let l = coarsest - 1; l > 0; l--) {
    prolong(l + 1);
    relax(l, false);
  }
  prolong(1);
  subtractForces(rx, ry);
  relaxFinest(tx, ty, false);
}
