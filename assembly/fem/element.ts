// Matrix and load of one nine-node element, 3×3 Gauss (Zienkiewicz & Taylor, The Finite Element Method 1):
//
//   Poisson      K_ab = ∫ k ∇N_a·∇N_b,              f_a = ∫ f N_a
//   elasticity   K_ab = t ∫ B_aᵀ D B_b (2×2),       f_a = t ∫ b N_a
//
//   D: σ_xx = c₁ε_xx + c₂ε_yy, σ_yy = c₂ε_xx + c₁ε_yy, σ_xy = µγ_xy with µ = E/2(1+ν) and
//   plane stress c₁ = E/(1−ν²), c₂ = νc₁; plane strain c₁ = E(1−ν)/((1+ν)(1−2ν)), c₂ = νc₁/(1−ν).

import { allocate } from "../kernel/frame";
import { SEATS, TEAM, seat } from "../kernel/team";
import { mapPoint, takeShapes } from "./geometry";
import { positionS, positionT } from "./levels";
import { manufactured, modulus, planeStrain, poissonRatio, source, thickness, unknownsPerNode } from "./problem";
import { gaussPoint, gaussWeight, shapeFunctions } from "./shape";

/** Shape functions at the nine Gauss points of the unit cell: 9 × 27 f64. */
let gaussShapes: usize = 0;
/** What follows, a room a thread. */
let rooms: usize = 0;
const GRADIENTS: usize = 9 * 9 * 16, ROOM: usize = 2 * GRADIENTS + 18 * 18 * 8 + 18 * 8 + 10 * 8 + 48;
/** Per Gauss point and node (∂N/∂x, ∂N/∂y), and the same times the weight. */
let gradients: usize = 0, weighted: usize = 0;
/** Weight of each Gauss point times the shape of the source. */
let sources: usize = 0;
let mapped: usize = 0;
/** Matrix (9d × 9d, by node then unknown) and load (9d) of the last element. */
export let elementMatrix: usize = 0;
export let elementLoad: usize = 0;
export let stiffC1: f64 = 0, stiffC2: f64 = 0, shear: f64 = 0;

export function layElement(): void {
  gaussShapes = allocate(9 * 27 * 8);
  rooms = allocate(<usize>(TEAM ? SEATS : 1) * ROOM);
  takeElement();
  for (let g = 0; g < 9; g++) {
    shapeFunctions(gaussPoint(g % 3), gaussPoint(g / 3), gaussShapes + <usize>(g * 216));
  }
  stiffness();
}

/** Before elements are built in a block (../kernel/team.ts). */
export function takeElement(): void {
  takeShapes();
  gradients = rooms + <usize>seat() * ROOM;
  weighted = gradients + GRADIENTS;
  elementMatrix = weighted + GRADIENTS;
  elementLoad = elementMatrix + 18 * 18 * 8;
  sources = elementLoad + 18 * 8;
  mapped = sources + 10 * 8;
}

function stiffness(): void {
  const e = modulus(), nu = poissonRatio();
  shear = e / (2 * (1 + nu));
  stiffC1 = planeStrain() ? e * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) : e / (1 - nu * nu);
  stiffC2 = planeStrain() ? stiffC1 * nu / (1 - nu) : stiffC1 * nu;
}

function sine(x: f64): f64 { return Math.sin(Math.PI * x); }

/** Gradients at the Gauss points of cell (i, j); false when the Jacobian is not positive at one of them. */
function cellGradients(p: i32, grid: usize, i: i32, j: i32): bool {
  const s0 = positionS(grid, i), hs = positionS(grid, i + 1) - s0;
  const t0 = positionT(grid, j), ht = positionT(grid, j + 1) - t0;
  for (let g = 0; g < 9; g++) {
    mapPoint(p, s0 + hs * gaussPoint(g % 3), t0 + ht * gaussPoint(g / 3), mapped);
    const xs = load<f64>(mapped, 16) * hs, ys = load<f64>(mapped, 24) * hs;
    const xt = load<f64>(mapped, 32) * ht, yt = load<f64>(mapped, 40) * ht;
    const det = xs * yt - xt * ys;
    if (!(det > 0)) return false;
    const w = det * gaussWeight(g % 3) * gaussWeight(g / 3) * thickness();
    store<f64>(sources + <usize>(g << 3), manufactured() ? w * sine(load<f64>(mapped)) * sine(load<f64>(mapped, 8)) : w);
    const inverse = 1 / det;
    const shapes = gaussShapes + <usize>(g * 216);
    for (let a = 0; a < 9; a++) {
      const ns = load<f64>(shapes + <usize>(a << 3), 72), nt = load<f64>(shapes + <usize>(a << 3), 144);
      const to = <usize>((g * 9 + a) << 4);
      const nx = (ns * yt - nt * ys) * inverse, ny = (nt * xs - ns * xt) * inverse;
      store<f64>(gradients + to, nx);
      store<f64>(gradients + to, ny, 8);
      store<f64>(weighted + to, nx * w);
      store<f64>(weighted + to, ny * w, 8);
    }
  }
  return true;
}

/** Fills elementMatrix and elementLoad for cell (i, j) of patch p; false when its Jacobian is not positive. */
export function buildElement(p: i32, grid: usize, i: i32, j: i32): bool {
  if (!cellGradients(p, grid, i, j)) return false;
  if (unknownsPerNode() == 1) buildPoisson();
  else buildElastic();
  buildLoad();
  return true;
}

function buildPoisson(): void {
  const k = modulus();
  for (let a = 0; a < 9; a++) {
    for (let b = a; b < 9; b++) {
      let sum = f64x2.splat(0);
      let left = weighted + <usize>(a << 4), right = gradients + <usize>(b << 4);
      for (let g = 0; g < 9; g++) {
        sum = f64x2.add(sum, f64x2.mul(v128.load(left), v128.load(right)));
        left += 144; right += 144;
      }
      const value = k * (f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1));
      store<f64>(elementMatrix + <usize>((a * 9 + b) << 3), value);
      store<f64>(elementMatrix + <usize>((b * 9 + a) << 3), value);
    }
  }
}

function buildElastic(): void {
  for (let a = 0; a < 9; a++) {
    for (let b = a; b < 9; b++) {
      let alongX = f64x2.splat(0), alongY = alongX;
      let left = weighted + <usize>(a << 4), right = gradients + <usize>(b << 4);
      for (let g = 0; g < 9; g++) {
        const gradient = v128.load(right);
        alongX = f64x2.add(alongX, f64x2.mul(v128.load64_splat(left), gradient));
        alongY = f64x2.add(alongY, f64x2.mul(v128.load64_splat(left, 8), gradient));
        left += 144; right += 144;
      }
      const xx = f64x2.extract_lane(alongX, 0), xy = f64x2.extract_lane(alongX, 1);
      const yx = f64x2.extract_lane(alongY, 0), yy = f64x2.extract_lane(alongY, 1);
      storeBlock(a, b, stiffC1 * xx + shear * yy, stiffC2 * xy + shear * yx, stiffC2 * yx + shear * xy, stiffC1 * yy + shear * xx);
    }
  }
}

function storeBlock(a: i32, b: i32, xx: f64, xy: f64, yx: f64, yy: f64): void {
  const upper = elementMatrix + <usize>((a * 36 + b * 2) << 3);
  store<f64>(upper, xx); store<f64>(upper, xy, 8);
  store<f64>(upper, yx, 144); store<f64>(upper, yy, 152);
  const lower = elementMatrix + <usize>((b * 36 + a * 2) << 3);
  store<f64>(lower, xx); store<f64>(lower, yx, 8);
  store<f64>(lower, xy, 144); store<f64>(lower, yy, 152);
}

function buildLoad(): void {
  const d = unknownsPerNode();
  for (let a = 0; a < 9; a++) {
    let sum = 0.0;
    for (let g = 0; g < 9; g++) {
      sum += load<f64>(sources + <usize>(g << 3)) * load<f64>(gaussShapes + <usize>(g * 216 + (a << 3)));
    }
    for (let c = 0; c < d; c++) store<f64>(elementLoad + <usize>((a * d + c) << 3), source(c) * sum);
  }
}
