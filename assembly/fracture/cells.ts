// The cells of a damaged body: bilinear displacements on squares, 2×2 Gauss points, whose sums are written out. In a
// cell the strains are their means e = (e_x, e_y, γ)/h and two hourglass modes, and its energy is
//
//   E = ½ e·D e + ½ k (H_u² + H_v²),   k = g (λ + 3μ)/12,   g = ½ (φ₀φ₂ + φ₁φ₃) + κ,   φ = 1 − d at the corners
//
// g is a mean of (1 − d)² to second order. Across a crack it is the stiffness 1/∫φ⁻² of layers in a row, of linear φ: one
// line of broken nodes parts the body, and a crack costs G_c, not G_c (1 + h/2ℓ) as one row of broken cells does (Bourdin,
// Francfort & Marigo, J. Elasticity 91 (2008) 5, §8.1).
//
// with D = g C where all energy drives damage; else D is the second derivative of g ψ⁺ + ψ⁻ at the last strain, which
// gives its stress exactly, ψ± being homogeneous of degree 2 (Miehe 2010; Amor, Marigo & Maurini 2009).

import { allocate, parameterF64 } from "../kernel/frame";
import { KAPPA, M, N, at, fieldBytes, lambda, mu, split, stride } from "./problem";

/** Displacements, which the state holds. */
export let ux: usize = 0, uy: usize = 0;
/** Per cell: g, or the six numbers of D and k. */
export let cells: usize = 0;
/** 1/diagonal, of x and of y. */
export let ix: usize = 0, iy: usize = 0;

@inline function coefficients(): usize { return split == 0 ? 1 : 7; }
@inline export function D(k: usize): usize { return cells + k * fieldBytes; }

export function layCells(x: usize, y: usize): void {
  ux = x; uy = y;
  ix = allocate(fieldBytes); iy = allocate(fieldBytes);
  cells = allocate(coefficients() * fieldBytes);
}

/** ½ (φ₀φ₂ + φ₁φ₃), φ = 1 − d, of a cell whose lower left node is at `p`: nothing where one of its edges is broken. */
@inline export function softness(p: usize): f64 {
  const a = 1.0 - load<f64>(p), b = 1.0 - load<f64>(p, 8), c = 1.0 - load<f64>(p + stride, 8), e = 1.0 - load<f64>(p + stride);
  return 0.5 * (a * c + b * e);
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
