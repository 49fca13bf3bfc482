// Damage of least energy at given displacements, between the damage before the load step and 1:
//
//   E(d) = Σ over cells  W ½ (φ₀φ₂ + φ₁φ₃) + (G_c h²/c_w ℓ) ⟨w(d)⟩ + (G_c ℓ/c_w) h² ⟨|∇d|²⟩,   φ = 1 − d at the corners
//
// w = d, c_w = 8/3 (AT1) or w = d², c_w = 2 (AT2); bilinear d, 2×2 Gauss points (Pham et al. 2011). In a cell d is its
// mean, two slopes and a twist, in which all means are diagonal. The products are not convex; they lie below
// ab ≤ ½ (a² b₀/a₀ + b² a₀/b₀), which touches them at the damage (a₀, b₀) before: what is minimised is this, and the energy
// falls (majorisation; Hunter & Lange, Am. Stat. 58 (2004) 30).
// The bounds are kept by an active set that is found
// anew after each solution on the free nodes (projected; Hintermüller, Ito & Kunisch 2002), by conjugate gradients.
// Sums are grouped as in elastic.ts, so that the mirror keeps bits.

import { allocate } from "../kernel/frame";
import { Gc, M, N, at, ell, fieldBytes, h, isAT1, stride } from "./problem";

/** W of each cell; residual, direction, image, 1/diagonal; 1 where a node is free. */
let drive: usize = 0, r: usize = 0, p: usize = 0, q: usize = 0, inverse: usize = 0, free: usize = 0, carry: usize = 0;
/** ¼ for each cell of a row, 0 behind the last. */
let quarters: usize = 0;
/** What pulls at each node, over its 1 − d; the least 1 − d that is divided by. */
let nodal: usize = 0;
const FLOOR: f64 = 1e-7;
let dotPQ: f64 = 0, rho: f64 = 0, rhoNext: f64 = 0;
export let damageResidual: f64 = 0;

/** G_c h²/(c_w ℓ) and G_c ℓ/c_w. */
@inline export function surface(): f64 { return Gc * h * h / (ell * (isAT1 ? 8.0 / 3.0 : 2.0)); }
@inline export function gradient(): f64 { return Gc * ell / (isAT1 ? 8.0 / 3.0 : 2.0); }

/** `fields`: room for seven, which hold nothing between one damage and the next. */
export function layDamage(fields: usize): void {
  drive = fields; r = drive + fieldBytes; p = r + fieldBytes; q = p + fieldBytes;
  inverse = q + fieldBytes; free = inverse + fieldBytes; nodal = free + fieldBytes;
  carry = allocate(stride);
  quarters = allocate(stride);
  for (let i = 0; i < N; i++) store<f64>(quarters + (<usize>i << 3), 0.25);
}
/** Where the elastic part writes what drives the damage of each cell. */
@inline export function driveField(): usize { return drive; }

/**
 * Row j of cells of ½ ∂E/∂d: `constant` 1 with the terms without d, 0 the product with the matrix alone. The carry
 * holds the forces on the upper nodes.
 */
function cellRow(j: i32, d: usize, to: usize, constant: f64): void {
  const row = at(0, 0, j), end = row + stride - 16, four = f64x2.splat(0.25);
  const mass = f64x2.splat(isAT1 ? 0.0 : surface()), slope = f64x2.splat(4.0 * gradient()), twist = f64x2.splat(8.0 / 3.0 * gradient());
  const pull = f64x2.splat(constant);
  const ofSlope = f64x2.add(f64x2.mul(mass, f64x2.splat(1.0 / 3.0)), slope), ofTwist = f64x2.add(f64x2.mul(mass, f64x2.splat(1.0 / 9.0)), twist);
  const edge = f64x2.splat(isAT1 ? 0.5 * constant * surface() : 0.0);
  let below = f64x2.splat(0), above = below, sum = below;
  for (let s = row, k: usize = 0; s < end; s += 16, k += 16) {
    const d0 = v128.load(d + s), d1 = v128.load(d + s, 8), d3 = v128.load(d + s + stride), d2 = v128.load(d + s + stride, 8);
    const quarter = v128.load(quarters + k);
    const left = f64x2.add(d0, d3), right = f64x2.add(d1, d2), rise = f64x2.sub(d3, d0), climb = f64x2.sub(d2, d1);
    const mean = f64x2.mul(four, f64x2.add(left, right)), a = f64x2.mul(four, f64x2.sub(right, left));
    const b = f64x2.mul(four, f64x2.add(rise, climb)), c = f64x2.mul(four, f64x2.sub(climb, rise));
    const m = f64x2.mul(quarter, f64x2.add(f64x2.mul(mass, mean), edge));
    const fa = f64x2.mul(quarter, f64x2.mul(ofSlope, a));
    const fb = f64x2.mul(quarter, f64x2.mul(ofSlope, b));
    const fc = f64x2.mul(quarter, f64x2.mul(ofTwist, c));
    const plus = f64x2.add(m, fa), minus = f64x2.sub(m, fa), up = f64x2.add(fb, fc), down = f64x2.sub(fb, fc);
    const f1 = f64x2.sub(plus, up), f2 = f64x2.add(plus, up);
    const pulled = f64x2.mul(v128.load(nodal + s), f64x2.sub(d0, pull));
    const here = f64x2.add(f64x2.add(f64x2.add(f64x2.sub(minus, down), v128.shuffle<f64>(below, f1, 1, 2)), v128.load(carry + k)), pulled);
    v128.store(carry + k, f64x2.add(f64x2.add(minus, down), v128.shuffle<f64>(above, f2, 1, 2)));
    v128.store(to + s, here);
    sum = f64x2.add(sum, f64x2.mul(d0, here));
    below = f1; above = f2;
  }
  dotPQ += f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

function product(d: usize, to: usize, constant: f64): void {
  memory.fill(carry, 0, stride);
  dotPQ = 0.0;
  for (let j = 0; j < M; j++) cellRow(j, d, to, constant);
  memory.copy(to + at(0, 0, M), carry, stride);
  for (let k = at(0, 0, M), end = k + stride; k < end; k += 8) {
    store<f64>(to + k, load<f64>(to + k) + load<f64>(nodal + k) * (load<f64>(d + k) - constant));
    dotPQ += load<f64>(d + k) * load<f64>(to + k);
  }
}

@inline function soundness(d: usize, i: i32, j: i32): f64 { return 1.0 - load<f64>(at(d, i, j)); }

/** W of the cell towards (x, y) of a node, times 1 − d of the corner over there. */
@inline function pullOf(d: usize, i: i32, j: i32, x: i32, y: i32): f64 {
  const left = x < 0 ? i - 1 : i, low = y < 0 ? j - 1 : j;
  if (left < 0 || low < 0 || left >= N || low >= M) return 0.0;
  return load<f64>(at(drive, left, low)) * soundness(d, i + x, j + y);
}

/** The majorant at damage `d`: ¼ Σ W φ_opposite/φ of each node, of which the energy is φ² times that. */
function weigh(d: usize): void {
  for (let j = 0; j <= M; j++)
    for (let i = 0; i <= N; i++) {
      const below = pullOf(d, i, j, -1, -1) + pullOf(d, i, j, 1, -1), above = pullOf(d, i, j, -1, 1) + pullOf(d, i, j, 1, 1);
      store<f64>(at(nodal, i, j), 0.25 * (below + above) / (soundness(d, i, j) + FLOOR));
    }
}

/** The majorant, and ½ ∂²E/∂d² of a node: its own pull and a quarter of each mode of its cells. */
export function prepareDamage(d: usize): void {
  memory.fill(r, 0, 6 * fieldBytes);
  weigh(d);
  const mass = isAT1 ? 0.0 : surface() * (1.0 + 2.0 / 3.0 + 1.0 / 9.0) / 16.0, ofCell = mass + (8.0 + 8.0 / 3.0) / 16.0 * gradient();
  for (let j = 0; j <= M; j++)
    for (let i = 0; i <= N; i++) {
      const cells = (i > 0 && i < N ? 2.0 : 1.0) * (j > 0 && j < M ? 2.0 : 1.0);
      store<f64>(at(inverse, i, j), 1.0 / (load<f64>(at(nodal, i, j)) + cells * ofCell));
    }
}

/**
 * Residual at d and the nodes that are free: not those of the notch (lower = 1), nor those on a bound that the
 * residual pushes against. Says how many nodes changed sides.
 */
export function beginDamage(d: usize, lower: usize): i32 {
  product(d, r, 1.0);
  let changed = 0;
  for (let j = 0; j <= M; j++) {
    for (let i = 0; i <= N; i++) {
      const k = at(0, i, j), value = load<f64>(d + k), bottom = load<f64>(lower + k), force = load<f64>(r + k);
      const isHeld = bottom >= 1.0 || (value <= bottom && force >= 0.0) || (value >= 1.0 && force <= 0.0);
      const now = isHeld ? 0.0 : 1.0;
      if (now != load<f64>(free + k)) changed++;
      store<f64>(free + k, now);
      store<f64>(r + k, -force * now);
    }
  }
  memory.fill(p, 0, fieldBytes);
  memory.fill(q, 0, fieldBytes);
  descend(d, 0.0);
  redirect(0.0);
  return changed;
}

function descend(d: usize, alpha: f64): void {
  const step = f64x2.splat(alpha);
  let square = f64x2.splat(0), sum = square;
  for (let k: usize = 0; k < fieldBytes; k += 16) {
    v128.store(d + k, f64x2.add(v128.load(d + k), f64x2.mul(step, v128.load(p + k))));
    const left = f64x2.sub(v128.load(r + k), f64x2.mul(f64x2.mul(step, v128.load(q + k)), v128.load(free + k)));
    v128.store(r + k, left);
    const scaled = f64x2.mul(left, v128.load(inverse + k));
    square = f64x2.add(square, f64x2.mul(scaled, scaled));
    sum = f64x2.add(sum, f64x2.mul(left, scaled));
  }
  damageResidual = f64x2.extract_lane(square, 0) + f64x2.extract_lane(square, 1);
  rhoNext = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

function redirect(beta: f64): void {
  const keep = f64x2.splat(beta);
  for (let k: usize = 0; k < fieldBytes; k += 16)
    v128.store(p + k, f64x2.add(f64x2.mul(v128.load(r + k), v128.load(inverse + k)), f64x2.mul(keep, v128.load(p + k))));
  rho = rhoNext;
}

export function iterateDamage(d: usize): void {
  product(p, q, 0.0);
  const before = rho;
  descend(d, dotPQ > 0.0 ? before / dotPQ : 0.0);
  redirect(before > 0.0 ? rhoNext / before : 0.0);
}

/** Back within the bounds; says whether any node had left them by more than `slack`. */
export function project(d: usize, lower: usize, slack: f64): bool {
  let left = false;
  for (let j = 0; j <= M; j++) {
    for (let i = 0; i <= N; i++) {
      const k = at(0, i, j), value = load<f64>(d + k), inside = min(1.0, max(load<f64>(lower + k), value));
      if (abs(value - inside) > slack) left = true;
      store<f64>(d + k, inside);
    }
  }
  return left;
}

/** Surface energy of the field [J/m]. */
export function surfaceEnergy(d: usize): f64 {
  let total = 0.0;
  for (let j = 0; j < M; j++) {
    let row = 0.0;
    for (let i = 0; i < N; i++) {
      const k = at(d, i, j), left = load<f64>(k) + load<f64>(k + stride), right = load<f64>(k, 8) + load<f64>(k + stride, 8);
      const rise = load<f64>(k + stride) - load<f64>(k), climb = load<f64>(k + stride, 8) - load<f64>(k, 8);
      const mean = 0.25 * (left + right), a = 0.25 * (right - left), b = 0.25 * (rise + climb), c = 0.25 * (climb - rise);
      const w = isAT1 ? mean : mean * mean + (a * a + b * b) / 3.0 + c * c / 9.0;
      row += surface() * w + 4.0 * gradient() * (a * a + b * b + 2.0 / 3.0 * c * c);
    }
    total += row;
  }
  return total;
}
