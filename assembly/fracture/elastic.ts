// Equilibrium of a damaged body on square cells: bilinear displacements, 2×2 Gauss points, whose sums are written
// out. In a cell the strains are their means e = (e_x, e_y, γ)/h and two hourglass modes, and its energy is
//
//   E = ½ e·D e + ½ k (H_u² + H_v²),   k = g (λ + 3μ)/12,   g = mean of (1 − d)² + κ over the Gauss points
//
// with D = g C where all energy drives damage; else D is the second derivative of g ψ⁺ + ψ⁻ at the last strain, which
// gives its stress exactly, ψ± being homogeneous of degree 2 (Miehe 2010; Amor, Marigo & Maurini 2009).
//
// Solved by conjugate gradients with the diagonal. Sums are grouped so that mirrored data give mirrored bits: what the
// mirror y → −y exchanges is added first in pairs. Then a mirrored crack stays one, which rounding would not allow.

import { allocate, parameterF64 } from "../kernel/frame";
import { KAPPA, M, N, at, fieldBytes, lambda, mu, split, stride } from "./problem";

/** Displacements, residual, direction, its image, and 1/diagonal, each of x and y. */
export let ux: usize = 0, uy: usize = 0;
let rx: usize = 0, ry: usize = 0, px: usize = 0, py: usize = 0, qx: usize = 0, qy: usize = 0, ix: usize = 0, iy: usize = 0;
/** Per cell: g, or the six numbers of D and k. */
let cells: usize = 0, carryX: usize = 0, carryY: usize = 0;
let dotPQ: f64 = 0, rho: f64 = 0;
/** ‖r‖² of the free nodes; reaction of the upper grip along x and y, and the norm of all reactions. */
export let residual: f64 = 0, reactionX: f64 = 0, reactionY: f64 = 0, reactionNorm: f64 = 0;

@inline function coefficients(): usize { return split == 0 ? 1 : 7; }
@inline function D(k: usize): usize { return cells + k * fieldBytes; }

/** `x`, `y`: the displacements, which the state holds. */
export function layElastic(x: usize, y: usize): void {
  ux = x; uy = y;
  rx = allocate(fieldBytes); ry = allocate(fieldBytes);
  px = allocate(fieldBytes); py = allocate(fieldBytes);
  qx = allocate(fieldBytes); qy = allocate(fieldBytes);
  ix = allocate(fieldBytes); iy = allocate(fieldBytes);
  cells = allocate(coefficients() * fieldBytes);
  carryX = allocate(stride); carryY = allocate(stride);
}

// ---- cells ---------------------------------------------------------------------------------------------

/** Mean of (1 − d)² over the Gauss points of a cell whose lower left node is at `p`. */
@inline export function softness(p: usize): f64 {
  const a = 1.0 - load<f64>(p), b = 1.0 - load<f64>(p, 8), c = 1.0 - load<f64>(p + stride, 8), e = 1.0 - load<f64>(p + stride);
  const mean = 0.25 * ((a + e) + (b + c)), x = 0.25 * ((b + c) - (a + e));
  const y = 0.25 * ((e - a) + (c - b)), xy = 0.25 * ((c - b) - (e - a));
  return mean * mean + x * x / 3.0 + (y * y / 3.0 + xy * xy / 9.0);
}

/** Strains of the cell times h, as its nodes at `p` in both fields have them. */
let ex: f64 = 0, ey: f64 = 0, gamma: f64 = 0, hourglass: f64 = 0;
function strainsAt(p: usize): void {
  const q = p - ux + uy;
  const u0 = load<f64>(p), u1 = load<f64>(p, 8), u2 = load<f64>(p + stride, 8), u3 = load<f64>(p + stride);
  const v0 = load<f64>(q), v1 = load<f64>(q, 8), v2 = load<f64>(q + stride, 8), v3 = load<f64>(q + stride);
  ex = 0.5 * ((u1 - u0) + (u2 - u3));
  ey = 0.5 * ((v3 - v0) + (v2 - v1));
  gamma = 0.5 * (((u3 - u0) + (u2 - u1)) + ((v1 - v0) + (v2 - v3)));
  const hu = (u0 - u1) + (u2 - u3), hv = (v0 - v1) + (v2 - v3);
  hourglass = (lambda + 3.0 * mu) / 24.0 * (hu * hu + hv * hv);
}

@inline function positive(x: f64): f64 { return x > 0.0 ? x : 0.0; }

/** Energies of the last cell that damage lowers, and that it does not. */
let driving: f64 = 0, resting: f64 = 0;
function splitEnergy(): void {
  const trace = ex + ey, half = 0.5 * (ex - ey), radius = sqrt(half * half + 0.25 * gamma * gamma);
  const first = 0.5 * trace + radius, second = 0.5 * trace - radius;
  const all = 0.5 * lambda * trace * trace + mu * (first * first + second * second);
  if (split == 0) { driving = all + hourglass; resting = 0.0; return; }
  const opened = positive(trace);
  if (split == 1) {
    const a = positive(first), b = positive(second);
    driving = 0.5 * lambda * opened * opened + mu * (a * a + b * b) + hourglass;
    resting = positive(all + hourglass - driving);
    return;
  }
  const bulk = lambda + 2.0 * mu / parameterF64(72), shut = positive(-trace);
  resting = 0.5 * bulk * shut * shut;
  driving = positive(all - resting) + hourglass;
}

/** Writes into `drive` what drives the damage of every cell; gives the elastic energy. */
export function energies(d: usize, drive: usize): f64 {
  let total = 0.0;
  for (let j = 0; j < M; j++) {
    let row = 0.0;
    for (let i = 0; i < N; i++) {
      strainsAt(at(ux, i, j));
      splitEnergy();
      store<f64>(at(drive, i, j), driving);
      row += (softness(at(d, i, j)) + KAPPA) * driving + resting;
    }
    total += row;
  }
  return total;
}

function writeD(i: i32, j: i32, xx: f64, xy: f64, yy: f64, ss: f64, xs: f64, ys: f64, k: f64): void {
  const p = at(0, i, j);
  store<f64>(D(0) + p, xx); store<f64>(D(1) + p, xy); store<f64>(D(2) + p, yy); store<f64>(D(3) + p, ss);
  store<f64>(D(4) + p, xs); store<f64>(D(5) + p, ys); store<f64>(D(6) + p, k);
}

/** Second derivative of ½λ⟨tr⟩² + μ Σ⟨e_i⟩²: diagonal in the axes of the strain, with the shear of a coaxial law. */
function spectralD(i: i32, j: i32, g: f64): void {
  const trace = ex + ey, half = 0.5 * (ex - ey), radius = sqrt(half * half + 0.25 * gamma * gamma);
  const first = 0.5 * trace + radius, second = 0.5 * trace - radius;
  const l = trace > 0.0 ? lambda * g : lambda;
  const a = first > 0.0 ? 2.0 * mu * g : 2.0 * mu, b = second > 0.0 ? 2.0 * mu * g : 2.0 * mu;
  const G = radius > 0.0 ? (a * first - b * second) / (4.0 * radius) : 0.5 * a;
  const c = radius > 0.0 ? half / radius : 1.0, s = radius > 0.0 ? 0.5 * gamma / radius : 0.0; // of twice the angle
  const more = 0.5 * (1.0 + c), less = 0.5 * (1.0 - c), turned = 0.5 * s;
  writeD(i, j,
    l + a * more * more + b * less * less + G * s * s,
    l + (a + b) * more * less - G * s * s,
    l + a * less * less + b * more * more + G * s * s,
    (a + b) * turned * turned + G * c * c,
    (a * more - b * less - 2.0 * G * c) * turned,
    (a * less - b * more + 2.0 * G * c) * turned,
    g * (lambda + 3.0 * mu) / 12.0);
}

/** Where the cell opens all of it is softened, else its shape alone. */
function volumetricD(i: i32, j: i32, g: f64): void {
  const n = parameterF64(72), shape = 2.0 * mu * g;
  const bulk = ex + ey > 0.0 ? g * (lambda + 2.0 * mu / n) : lambda + 2.0 * mu / n;
  const along = bulk + shape * (1.0 - 1.0 / n);
  writeD(i, j, along, bulk - shape / n, along, 0.5 * shape, 0.0, 0.0, g * (lambda + 3.0 * mu) / 12.0);
}

/** Stiffness of all cells at damage `d` and the last strains, and the diagonal. */
export function assemble(d: usize): void {
  for (let j = 0; j < M; j++) {
    for (let i = 0; i < N; i++) {
      const g = softness(at(d, i, j)) + KAPPA;
      if (split == 0) { store<f64>(at(cells, i, j), g); continue; }
      strainsAt(at(ux, i, j));
      if (split == 1) spectralD(i, j, g); else volumetricD(i, j, g);
    }
  }
  for (let j = 0; j <= M; j++) for (let i = 0; i <= N; i++) invertDiagonal(i, j);
}

/** ∂²E/∂u² and ∂²E/∂v² of a cell at one of its nodes; `twist`: sign of γ times that of e_x, and of e_y. */
let ofX: f64 = 0, ofY: f64 = 0;
function addDiagonal(i: i32, j: i32, twist: f64): void {
  if (i < 0 || j < 0 || i >= N || j >= M) return;
  const p = at(0, i, j);
  if (split == 0) {
    const g = load<f64>(cells + p), both = g * (0.25 * (lambda + 3.0 * mu) + (lambda + 3.0 * mu) / 12.0);
    ofX += both; ofY += both;
    return;
  }
  const ss = load<f64>(D(3) + p), k = load<f64>(D(6) + p);
  ofX += 0.25 * (load<f64>(D(0) + p) + ss) + (0.5 * twist * load<f64>(D(4) + p) + k);
  ofY += 0.25 * (load<f64>(D(2) + p) + ss) + (0.5 * twist * load<f64>(D(5) + p) + k);
}

function invertDiagonal(i: i32, j: i32): void {
  ofX = 0.0; ofY = 0.0;
  addDiagonal(i - 1, j - 1, 1.0); addDiagonal(i, j - 1, -1.0);
  const belowX = ofX, belowY = ofY;
  ofX = 0.0; ofY = 0.0;
  addDiagonal(i - 1, j, -1.0); addDiagonal(i, j, 1.0);
  store<f64>(at(ix, i, j), 1.0 / (belowX + ofX));
  store<f64>(at(iy, i, j), 1.0 / (belowY + ofY));
}

// ---- forces --------------------------------------------------------------------------------------------

@inline function left(before: v128, here: v128): v128 { return v128.shuffle<f64>(before, here, 1, 2); }
@inline function half(x: v128): v128 { return f64x2.mul(x, f64x2.splat(0.5)); }

/**
 * Row j of cells of y = A x: writes the forces on its lower nodes, to which the carry adds those of the row below, and
 * keeps those on its upper nodes in the carry. Two cells in a vector.
 */
function cellRow(j: i32, x: usize, y: usize, toX: usize, toY: usize): void {
  const isIsotropic = split == 0, row = at(0, 0, j), end = row + stride - 16;
  const c11 = f64x2.splat(lambda + 2.0 * mu), c12 = f64x2.splat(lambda), c33 = f64x2.splat(mu), c = f64x2.splat((lambda + 3.0 * mu) / 12.0);
  let below1 = f64x2.splat(0), below2 = below1, above1 = below1, above2 = below1, sum = below1;
  for (let p = row, k: usize = 0; p < end; p += 16, k += 16) {
    const u0 = v128.load(x + p), u1 = v128.load(x + p, 8), u3 = v128.load(x + p + stride), u2 = v128.load(x + p + stride, 8);
    const v0 = v128.load(y + p), v1 = v128.load(y + p, 8), v3 = v128.load(y + p + stride), v2 = v128.load(y + p + stride, 8);
    const uBelow = f64x2.sub(u1, u0), uAbove = f64x2.sub(u2, u3), vBelow = f64x2.sub(v1, v0), vAbove = f64x2.sub(v2, v3);
    const e1 = half(f64x2.add(uBelow, uAbove)), e2 = half(f64x2.add(f64x2.sub(v3, v0), f64x2.sub(v2, v1)));
    const e3 = half(f64x2.add(f64x2.add(f64x2.sub(u3, u0), f64x2.sub(u2, u1)), f64x2.add(vBelow, vAbove)));
    const hu = f64x2.sub(uAbove, uBelow), hv = f64x2.sub(vAbove, vBelow);
    let s1 = e1, s2 = e2, s3 = e3, k1 = hu, k2 = hv;
    if (isIsotropic) {
      const g = v128.load(cells + p), gHalf = half(g), gk = f64x2.mul(g, c);
      s1 = f64x2.mul(gHalf, f64x2.add(f64x2.mul(c11, e1), f64x2.mul(c12, e2)));
      s2 = f64x2.mul(gHalf, f64x2.add(f64x2.mul(c12, e1), f64x2.mul(c11, e2)));
      s3 = f64x2.mul(gHalf, f64x2.mul(c33, e3));
      k1 = f64x2.mul(gk, hu); k2 = f64x2.mul(gk, hv);
    } else {
      const xy = v128.load(D(1) + p), xs = v128.load(D(4) + p), ys = v128.load(D(5) + p), gk = v128.load(D(6) + p);
      s1 = half(f64x2.add(f64x2.add(f64x2.mul(v128.load(D(0) + p), e1), f64x2.mul(xy, e2)), f64x2.mul(xs, e3)));
      s2 = half(f64x2.add(f64x2.add(f64x2.mul(xy, e1), f64x2.mul(v128.load(D(2) + p), e2)), f64x2.mul(ys, e3)));
      s3 = half(f64x2.add(f64x2.add(f64x2.mul(xs, e1), f64x2.mul(ys, e2)), f64x2.mul(v128.load(D(3) + p), e3)));
      k1 = f64x2.mul(gk, hu); k2 = f64x2.mul(gk, hv);
    }
    // Corners in the order 0 1 of the lower and 3 2 of the upper nodes.
    const minus1 = f64x2.sub(f64x2.neg(s1), s3), plus1 = f64x2.sub(s1, s3), minus2 = f64x2.sub(f64x2.neg(s2), s3), plus2 = f64x2.sub(s3, s2);
    const fu1 = f64x2.sub(plus1, k1), fv1 = f64x2.sub(plus2, k2), fu2 = f64x2.sub(k1, minus1), fv2 = f64x2.sub(k2, minus2);
    const qu = f64x2.add(f64x2.add(f64x2.add(minus1, k1), left(below1, fu1)), v128.load(carryX + k));
    const qv = f64x2.add(f64x2.add(f64x2.add(minus2, k2), left(below2, fv1)), v128.load(carryY + k));
    v128.store(carryX + k, f64x2.add(f64x2.neg(f64x2.add(plus1, k1)), left(above1, fu2)));
    v128.store(carryY + k, f64x2.add(f64x2.neg(f64x2.add(plus2, k2)), left(above2, fv2)));
    v128.store(toX + p, qu);
    v128.store(toY + p, qv);
    sum = f64x2.add(sum, f64x2.add(f64x2.mul(u0, qu), f64x2.mul(v0, qv)));
    below1 = fu1; below2 = fv1; above1 = fu2; above2 = fv2;
  }
  dotPQ += f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

function forces(x: usize, y: usize, toX: usize, toY: usize): void {
  memory.fill(carryX, 0, stride);
  memory.fill(carryY, 0, stride);
  dotPQ = 0.0;
  for (let j = 0; j < M; j++) cellRow(j, x, y, toX, toY);
  memory.copy(toX + at(0, 0, M), carryX, stride);
  memory.copy(toY + at(0, 0, M), carryY, stride);
}

function sumRow(field: usize, j: i32): f64 {
  let sum = 0.0;
  for (let i = 0; i <= N; i++) sum += load<f64>(at(field, i, j));
  return sum;
}

function squareRow(field: usize, j: i32): f64 {
  let sum = 0.0;
  for (let i = 0; i <= N; i++) sum += load<f64>(at(field, i, j)) * load<f64>(at(field, i, j));
  return sum;
}

// ---- conjugate gradients -------------------------------------------------------------------------------

/** r = −A u on the free nodes, z = r/diagonal as the first direction, and the reactions of the grips. */
export function beginEquilibrium(): void {
  forces(ux, uy, rx, ry);
  reactionX = sumRow(rx, M);
  reactionY = sumRow(ry, M);
  reactionNorm = sqrt((squareRow(rx, 0) + squareRow(rx, M)) + (squareRow(ry, 0) + squareRow(ry, M)));
  memory.fill(rx, 0, stride); memory.fill(ry, 0, stride);
  memory.fill(at(rx, 0, M), 0, stride); memory.fill(at(ry, 0, M), 0, stride);
  memory.fill(px, 0, fieldBytes); memory.fill(py, 0, fieldBytes);
  memory.fill(qx, 0, fieldBytes); memory.fill(qy, 0, fieldBytes);
  negate(rx); negate(ry);
  rho = 0.0;
  descend(0.0);
  redirect(0.0);
}

function negate(field: usize): void {
  for (let p = field, end = field + fieldBytes; p < end; p += 8) store<f64>(p, -load<f64>(p));
}

let rhoNext: f64 = 0;
/** u += α p, r −= α q; gives ‖r‖² and r·z. */
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
  rhoNext = f64x2.extract_lane(product, 0) + f64x2.extract_lane(product, 1);
}

/** p = r/diagonal + β p. */
function redirect(beta: f64): void {
  const keep = f64x2.splat(beta);
  for (let k = stride, end = fieldBytes - stride; k < end; k += 16) {
    v128.store(px + k, f64x2.add(f64x2.mul(v128.load(rx + k), v128.load(ix + k)), f64x2.mul(keep, v128.load(px + k))));
    v128.store(py + k, f64x2.add(f64x2.mul(v128.load(ry + k), v128.load(iy + k)), f64x2.mul(keep, v128.load(py + k))));
  }
  rho = rhoNext;
}

export function iterateEquilibrium(): void {
  forces(px, py, qx, qy);
  const before = rho;
  descend(dotPQ > 0.0 ? before / dotPQ : 0.0);
  redirect(before > 0.0 ? rhoNext / before : 0.0);
}
