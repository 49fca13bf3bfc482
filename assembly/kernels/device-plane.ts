// A semiconductor in the plane in equilibrium: λ²∇²u = 2 sinh u − C, u = ψ/V_t, on control volumes of equal cells; order 2.
// Newton's method; its linear equations, symmetric and positive, by conjugate gradients (Golub & Van Loan, Matrix
// Computations, §11.5) behind a cycle over coarser grids (assembly/device/cycle.ts), each to a ten-thousandth. One step of
// the run is one iteration of these.
//
// Parameters and result: assembly/device/plane.ts.
// State body (f64): 0 Newton iterations done · 8 ρ = r·z · 16 ρ at the start of the iteration · 24 the last update
//   64 u, δ, r, p in rows of nx + 1 numbers and a zero or two, in pairs, and two more zeros

import {
  allocate, countStep, fail, finish, openState, parameterF64, restoreState, running, show, spend, standResult,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { cycle, layDiagonals, layGrids, strideOf } from "../device/cycle";
import {
  Ly, PLANE_HEAD, contactDoping, hx, hy, intrinsic, lambdaSquare, layVolumes, my, nx, ny, planeBytes, planeNodes, readPlane,
  thermal, volumesScratch,
} from "../device/plane";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 64;
/** (10⁻⁴)² */
const INNER: f64 = 1e-8;
const LONGEST: f64 = 8.0;
/** What it costs to make the equations of u, in iterations of conjugate gradients. */
const LINEARIZE: u64 = 3;

let body: usize = 0, u: usize = 0, change: usize = 0, r: usize = 0, p: usize = 0, q: usize = 0;
let diagonal: usize = 0, inverse: usize = 0, volumes: usize = 0, zeros: usize = 0, stride: usize = 0;
let cx: f64 = 0, cy: f64 = 0, units: u64 = 0;

function prepare(): void {
  readPlane();
  stride = strideOf(nx);
  const field = stride * <usize>(ny + 1);
  body = openState(HEAD + 4 * field + 16);
  u = body + HEAD; change = u + field; r = change + field; p = r + field;
  watchFinite(body, <i32>((HEAD + 4 * field) >> 3));
  // The result takes the place of these four at the end.
  q = allocate(4 * field + 32) + 16; diagonal = q + field + 16; inverse = diagonal + field; volumes = inverse + field;
  zeros = allocate(stride + 32) + 16;
  layVolumes(volumes, stride, allocate(volumesScratch()));
  cx = lambdaSquare / hx; cy = lambdaSquare * hx / hy;
  layGrids(nx, ny, hx, hy, lambdaSquare, inverse);
  units = 400 + 14 * <u64>(nx + 1) * <u64>(ny + 1);
}

/** Height of the volumes of row j [m]. */
@inline function heightOf(j: i32): f64 { return j == 0 || j == ny ? 0.5 * hy : hy; }
@inline function row(field: usize, j: i32): usize { return field + stride * <usize>j; }
@inline function neighbour(field: usize, j: i32): usize { return j < 0 || j > ny ? zeros : row(field, j); }

export function start(_budget: i32): i32 {
  prepare();
  for (let j = 0; j <= ny; j++) {
    const out = row(u, j), C = row(volumes, j), volume = hx * heightOf(j);
    for (let i = 1; i < nx; i++) store<f64>(out + (<usize>i << 3), Math.asinh(0.5 * load<f64>(C + (<usize>i << 3)) / volume));
    store<f64>(out, Math.asinh(0.5 * contactDoping(false, <f64>j * hy)));
    store<f64>(out + (<usize>nx << 3), Math.asinh(0.5 * contactDoping(true, <f64>j * hy)));
  }
  linearize();
  spend(LINEARIZE * units);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 {
  layMatrix();
  return 1;
}

// ---- Newton ----------------------------------------------------------------------------------------------

/** D of the linear equations, and the grids below them. */
function layMatrix(): void {
  for (let j = 0; j <= ny; j++) {
    const volume = hx * heightOf(j);
    for (let k: usize = 8, end = <usize>nx << 3; k < end; k += 8) {
      const up = Math.exp(load<f64>(row(u, j) + k));
      store<f64>(row(diagonal, j) + k, volume * (up + 1.0 / up));
    }
  }
  layDiagonals(diagonal);
}

/** The equations of u and their residual, δ = 0, p = z and ρ. */
function linearize(): void {
  for (let j = 0; j <= ny; j++) layRow(j);
  layDiagonals(diagonal);
  const rho = cycle(q, r), bytes = stride * <usize>(ny + 1);
  memory.copy(p, q, bytes);
  memory.fill(change, 0, bytes);
  store<f64>(body, rho, 8);
  store<f64>(body, rho, 16);
}

function layRow(j: i32): void {
  const here = row(u, j), height = heightOf(j), below = j > 0 ? row(u, j - 1) : here, above = j < ny ? row(u, j + 1) : here;
  for (let k: usize = 8, end = <usize>nx << 3; k < end; k += 8) {
    const v = load<f64>(here + k), up = Math.exp(v), down = 1.0 / up;
    const flow = cx * height * ((load<f64>(here + k + 8) - v) - (v - load<f64>(here + k - 8)))
      + cy * ((load<f64>(above + k) - v) - (v - load<f64>(below + k)));
    store<f64>(row(diagonal, j) + k, hx * height * (up + down));
    store<f64>(row(r, j) + k, flow + hx * height * (down - up) + load<f64>(row(volumes, j) + k));
  }
}

/** u += δ, shortened where it is long; the largest of δ. */
function improve(): f64 {
  const count = stride * <usize>(ny + 1);
  let most = 0.0;
  for (let k: usize = 0; k < count; k += 8) {
    const size = abs(load<f64>(change + k));
    if (!(size <= most)) most = size;
  }
  const share = most > LONGEST ? LONGEST / most : 1.0;
  for (let k: usize = 0; k < count; k += 8) store<f64>(u + k, load<f64>(u + k) + share * load<f64>(change + k));
  return most;
}

// ---- conjugate gradients -----------------------------------------------------------------------------------

/** q = A p; p·q. */
function applyMatrix(): f64 {
  let sum = f64x2.splat(0);
  const y = f64x2.splat(cy);
  for (let j = 0; j <= ny; j++) {
    const here = row(p, j), out = row(q, j), D = row(diagonal, j), x = f64x2.splat(cx * heightOf(j));
    const below = neighbour(p, j - 1), above = neighbour(p, j + 1);
    for (let k: usize = 0; k < stride; k += 16) {
      const c = v128.load(here + k), sides = f64x2.add(v128.load(here + k - 8), v128.load(here + k + 8));
      const ends = f64x2.add(v128.load(below + k), v128.load(above + k));
      const value = f64x2.sub(f64x2.sub(f64x2.mul(v128.load(D + k), c), f64x2.mul(x, sides)), f64x2.mul(y, ends));
      v128.store(out + k, value);
      sum = f64x2.add(sum, f64x2.mul(c, value));
    }
    store<f64>(out, 0.0);
    store<f64>(out + (<usize>nx << 3), 0.0);
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** δ += a p, r −= a q. */
function move(a: f64): void {
  const factor = f64x2.splat(a), count = stride * <usize>(ny + 1);
  for (let k: usize = 0; k < count; k += 16) {
    v128.store(change + k, f64x2.add(v128.load(change + k), f64x2.mul(factor, v128.load(p + k))));
    v128.store(r + k, f64x2.sub(v128.load(r + k), f64x2.mul(factor, v128.load(q + k))));
  }
}

/** p = z + β p. */
function turn(beta: f64): void {
  const factor = f64x2.splat(beta), count = stride * <usize>(ny + 1);
  for (let k: usize = 0; k < count; k += 16) v128.store(p + k, f64x2.add(v128.load(q + k), f64x2.mul(factor, v128.load(p + k))));
}

function iterate(): void {
  const rho = load<f64>(body, 8);
  if (rho > 0.0) {
    move(rho / applyMatrix());
    const next = cycle(q, r);
    turn(next / rho);
    store<f64>(body, next, 8);
  }
  countStep();
  spend(units);
  if (load<f64>(body, 8) <= INNER * load<f64>(body, 16)) settle();
  else if (<f64>stepsDone() >= parameterF64(88)) fail(Status.DID_NOT_CONVERGE);
}

/** The end of one of Newton's iterations. */
function settle(): void {
  const update = improve(), done = load<f64>(body) + 1.0;
  store<f64>(body, done);
  store<f64>(body, update, 24);
  show(0, done); show(1, update); show(2, parameterF64(72));
  if (update <= parameterF64(72)) { conclude(); return; }
  if (done >= parameterF64(80)) fail(Status.DID_NOT_CONVERGE);
  linearize();
  spend(LINEARIZE * units);
}

/** At most `allowed` iterations and about `budget` work units; says how many it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    iterate();
    taken++;
  }
  return taken;
}

// ---- result --------------------------------------------------------------------------------------------------

@inline function at(i: i32, j: i32): f64 { return load<f64>(row(u, j) + (<usize>i << 3)); }

/** ∂u/∂x at a node; at a contact, which is neutral, from three nodes. */
function slopeX(i: i32, j: i32): f64 {
  if (i == 0) return (4.0 * at(1, j) - 3.0 * at(0, j) - at(2, j)) / (2.0 * hx);
  if (i == nx) return (3.0 * at(nx, j) - 4.0 * at(nx - 1, j) + at(nx - 2, j)) / (2.0 * hx);
  return (at(i + 1, j) - at(i - 1, j)) / (2.0 * hx);
}

/** |E| at a node [V/m]; no field crosses the sides y = 0 and y = L_y. */
function fieldAt(i: i32, j: i32): f64 {
  const x = slopeX(i, j), y = j == 0 || j == ny ? 0.0 : (at(i, j + 1) - at(i, j - 1)) / (2.0 * hy);
  return thermal * sqrt(x * x + y * y);
}

/** How far the vertex of the parabola through three values lies above the middle one; where, in cells: `vertexAt`. */
function vertex(a: f64, b: f64, c: f64): f64 {
  const bend = 2.0 * b - a - c;
  vertexAt = 0.0;
  if (!(bend > 0.0) || abs(c - a) > 2.0 * bend) return 0.0;
  vertexAt = 0.5 * (c - a) / bend;
  return 0.125 * (c - a) * (c - a) / bend;
}
let vertexAt: f64 = 0;

/**
 * Mean of u over a contact, whatever the cells: over an interval of the array from m − s to m + s of u, between which
 * 2 sinh u is linear, it is m + tanh m (s coth s − 1).
 */
function contactPotential(right: bool): f64 {
  const intervals = <f64>(my - 1);
  let sum = 0.0, low = Math.asinh(0.5 * contactDoping(right, 0.0));
  for (let k = 1; k < my; k++) {
    const high = Math.asinh(0.5 * contactDoping(right, Ly * (<f64>k / intervals))), m = 0.5 * (low + high), s = 0.5 * (high - low);
    sum += m + Math.tanh(m) * (abs(s) < 1e-2 ? s * s * (1.0 / 3.0 - s * s / 45.0) : s / Math.tanh(s) - 1.0);
    low = high;
  }
  return sum / intervals;
}

function conclude(): void {
  const out = q, whole = planeNodes() << 3;
  let k = out + PLANE_HEAD, most = -1.0, ti = 0, tj = 0;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++, k += 8) {
      const v = at(i, j), E = fieldAt(i, j);
      store<f64>(k, thermal * v);
      store<f64>(k + whole, intrinsic * Math.exp(v));
      store<f64>(k + 2 * whole, intrinsic * Math.exp(-v));
      store<f64>(k + 3 * whole, E);
      if (E > most) { most = E; ti = i; tj = j; }
    }
  }
  let x = <f64>ti, y = <f64>tj, above = 0.0;
  if (ti > 0 && ti < nx) { above += vertex(fieldAt(ti - 1, tj), most, fieldAt(ti + 1, tj)); x += vertexAt; }
  if (tj > 0 && tj < ny) { above += vertex(fieldAt(ti, tj - 1), most, fieldAt(ti, tj + 1)); y += vertexAt; }
  store<f64>(out, thermal * (contactPotential(true) - contactPotential(false)));
  store<f64>(out, most + above, 8);
  store<f64>(out, load<f64>(body), 16); store<f64>(out, load<f64>(body, 24), 24); store<f64>(out, <f64>stepsDone(), 32);
  store<f64>(out, x * hx, 40); store<f64>(out, y * hy, 48);
  standResult(out, <i32>planeBytes());
  finish();
}
