// What a run of `flow` leaves behind, for the verdict, for another run and for the reader.
//
// Result (f64): head of 16 (below) · u at x = Lx/2 two steps and one step before the end (ny each, u of the middles)
//   · u: ny rows of nx+1 · v: ny+1 rows of nx · p/ρ: ny rows of nx · ψ, ω: ny+1 rows of nx+1 each
// Head: 0 steps · 8 t since the start [s] · 16, 24 kinetic energy per mass and depth at start and end [m⁴/s²]
//   32 worst |∇·u| of a step · 40 largest |u|dt/dx + |v|dt/dy · 48 … 88 ∫u, ∫v [m³/s] two and one steps before the end, at it
//   96 largest |∇·u| of the start · 104 largest |u|, 112 |v| · 120 residual of a steady run [m/s²]

import { parameterF64, standResult } from "../kernel/frame";
import { layMomentum, tendencies } from "./momentum";
import { Kind, at, bottom, dx, dy, left, nx, ny, right, rowOf, top } from "./problem";
import { putInOrder } from "./poisson";
import { phiRow, project } from "./projection";

export const ANSWER_HEAD: usize = 128;

@inline export function lineBytes(): usize { return <usize>ny << 4; }
@inline function put(to: usize, i: i32, value: f64): void { store<f64>(to + (<usize>i << 3), value); }

/** ½∫(u² + v²): half the square of each face belongs to the cell on either side. */
export function kineticEnergy(u: usize, v: usize): f64 {
  const pairs = <usize>(nx >> 1) << 4;
  let sum = 0.0;
  for (let j = 0; j < ny; j++) {
    const row = rowOf(u, j), low = rowOf(v, j), high = rowOf(v, j + 1);
    let pair = f64x2.splat(0);
    for (let k: usize = 0; k < pairs; k += 16) {
      const w = v128.load(row + k), e = v128.load(row + k, 8), s = v128.load(low + k), n = v128.load(high + k);
      pair = f64x2.add(pair, f64x2.add(f64x2.add(f64x2.mul(w, w), f64x2.mul(e, e)), f64x2.add(f64x2.mul(s, s), f64x2.mul(n, n))));
    }
    let line = f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
    if (nx & 1) {
      const w = load<f64>(row + pairs), e = load<f64>(row + pairs, 8), s = load<f64>(low + pairs), n = load<f64>(high + pairs);
      line += (w * w + e * e) + (s * s + n * n);
    }
    sum += line;
  }
  return 0.25 * dx * dy * sum;
}

/** ∫u over the faces that move: on a ring each once, else those between the ends. */
export function momentumAlongX(u: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j < ny; j++) for (let i = left == Kind.RING ? 0 : 1; i < nx; i++) sum += load<f64>(at(u, i, j));
  return dx * dy * sum;
}
export function momentumAlongY(v: usize): f64 {
  let sum = 0.0;
  for (let j = bottom == Kind.RING ? 0 : 1; j < ny; j++) for (let i = 0; i < nx; i++) sum += load<f64>(at(v, i, j));
  return dx * dy * sum;
}

export function largest(field: usize, columns: i32, rows: i32): f64 {
  let most = 0.0;
  for (let j = 0; j < rows; j++) for (let i = 0; i < columns; i++) most = max(most, abs(load<f64>(at(field, i, j))));
  return most;
}

/** u of the faces at the middle of x. */
export function keepLine(to: usize, u: usize): void {
  for (let j = 0; j < ny; j++) put(to, j, load<f64>(at(u, nx >> 1, j)));
}

/** p/ρ is what makes the tendency free of sources; where only its gradient is known its mean is nothing. Says where its rows begin. */
function pressure(u: usize, v: usize, qu: usize, qv: usize, nu: f64): usize {
  layMomentum(nu, 0.0, 1.0);
  tendencies(u, v, qu, qv);
  project(qu, qv);
  const first = putInOrder(), isOpen = left == Kind.OPEN || right == Kind.OPEN || bottom == Kind.OPEN || top == Kind.OPEN;
  if (isOpen) return first;
  let sum = 0.0;
  for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) sum += load<f64>(phiRow(first, j) + (<usize>i << 3));
  const mean = sum / (<f64>nx * <f64>ny);
  for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) put(phiRow(first, j), i, load<f64>(phiRow(first, j) + (<usize>i << 3)) - mean);
  return first;
}

/** u = ∂ψ/∂y, v = −∂ψ/∂x from the lower left corner, where ψ is 0; in a box without sides its mean is. */
function writeStream(to: usize, u: usize, v: usize): void {
  put(to, 0, 0.0);
  for (let i = 0; i < nx; i++) put(to, i + 1, load<f64>(to + (<usize>i << 3)) - load<f64>(at(v, i, 0)) * dx);
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i <= nx; i++) put(to, (j + 1) * (nx + 1) + i, load<f64>(to + (<usize>(j * (nx + 1) + i) << 3)) + load<f64>(at(u, i, j)) * dy);
  }
  if (left != Kind.RING || bottom != Kind.RING) return;
  const mean = meanOfCorners(to);
  for (let k = 0; k < (nx + 1) * (ny + 1); k++) put(to, k, load<f64>(to + (<usize>k << 3)) - mean);
}

/** By trapezoids: where the whole fluid drifts ψ grows from side to side, so that opposite ends count alike. */
function meanOfCorners(psi: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    let line = 0.0;
    for (let i = 0; i <= nx; i++) line += (i == 0 || i == nx ? 0.5 : 1.0) * load<f64>(psi + (<usize>(j * (nx + 1) + i) << 3));
    sum += (j == 0 || j == ny ? 0.5 : 1.0) * line;
  }
  return sum / (<f64>nx * <f64>ny);
}

function writeVorticity(to: usize, u: usize, v: usize): void {
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const turned = (load<f64>(at(v, i, j)) - load<f64>(at(v, i - 1, j))) / dx;
      put(to, j * (nx + 1) + i, turned - (load<f64>(at(u, i, j)) - load<f64>(at(u, i, j - 1))) / dy);
    }
  }
}

let filled: usize = 0;
/** `count` numbers, down to where those before end. */
function moveDown(from: usize, count: i32): void {
  memory.copy(filled, from, <usize>count << 3);
  filled += <usize>count << 3;
}

/**
 * Makes the result of what stands behind each other, of which nothing is read any more: head, lines, u, v with their ghosts
 * filled, the table of φ, and rooms for ψ and ω, which may be those of q. Each is closer there than it was.
 */
export function standAnswer(head: usize, u: usize, v: usize, qu: usize, qv: usize, psi: usize, omega: usize): void {
  const corners = (nx + 1) * (ny + 1), p = pressure(u, v, qu, qv, parameterF64(32));
  writeStream(psi, u, v);
  writeVorticity(omega, u, v);
  filled = head + ANSWER_HEAD + lineBytes();
  for (let j = 0; j < ny; j++) moveDown(rowOf(u, j), nx + 1);
  for (let j = 0; j <= ny; j++) moveDown(rowOf(v, j), nx);
  for (let j = 0; j < ny; j++) moveDown(phiRow(p, j), nx);
  moveDown(psi, corners);
  moveDown(omega, corners);
  standResult(head, <i32>(filled - head));
}

/** u, v of a result to go on from. */
export function readAnswer(from: usize, u: usize, v: usize): void {
  let at = from + ANSWER_HEAD + lineBytes();
  for (let j = 0; j < ny; j++, at += <usize>(nx + 1) << 3) memory.copy(rowOf(u, j), at, <usize>(nx + 1) << 3);
  for (let j = 0; j <= ny; j++, at += <usize>nx << 3) memory.copy(rowOf(v, j), at, <usize>nx << 3);
}
