// iħ ∂ψ/∂t = (−ħ²/2m ∇² + V) ψ on a periodic grid by splitting: the potential turns phases at nodes, the kinetic energy
// those of plane waves. Strang: half V, T, half V, order 2; Suzuki: five such steps of s, s, 1 − 4s, s, s with
// s = 1/(4 − 4^⅓), order 4 (Feit, Fleck & Steiger, J. Comput. Phys. 47 (1982) 412; Suzuki, Phys. Lett. A 146 (1990)
// 319). Both are unitary.
//
// Parameters: assembly/quantum/problem.ts; then
//   0 initial: 0 packet, 1 arrays, 2 earlier state · 8, 16 x₀ [m] · 24 σ [m] · 32, 40 k₀ [1/m] · 48 arrays: Re ψ at all
//   nodes, Im ψ; or of a run that goes on the state of the earlier one (../kernel/stretch.ts)
// State body (f64): 0 norm, 8 energy at the start [ε] · 16, 24 largest |norm − 1| and energy drift at rows · 32 largest
//   |ψ| at the edge over that inside · 40 largest share of waves beyond ⅔ of the shortest · 48 ψ (re, im), row by row of y
// Rows (f64), 33 at equal times from the beginning on: 0 t [s] · 8 norm · 16 ⟨x⟩, 24 Δx [m] · 32 ⟨H⟩ [J] · 40 |ψ|² at 128 places along x [1/m]
// Result (f64): 0 norm · 8 ⟨x⟩ · 16 Δx · 24 ⟨H⟩ · 32, 40 drifts · 48 edge · 56 short waves · 64 kinetic energy at the start
//   [J] · 72 ⟨H⟩ at the start [J] · 80 state to go on from: the state's body, Σ|ψ|² = n

import {
  allocate, appendRow, countStep, finish, openResult, openRows, openState, parameterF64, parameters, restoreState,
  running, show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import {
  STRETCH, beginning, earlierBody, goesOn, keepStretch, openStretch, timeOfRow,
} from "../kernel/stretch";
import { fftBackward, fftForward, frequencyAt, layOutTwiddles, twiddleBytes } from "../math/fft";
import { bottom, height, left, potentialAt, problemEnd, readProblem, unitEnergy, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: usize = 48;
const INTERVALS: u64 = 32;
const PLACES: i32 = 128;
const ROW: i32 = 40 + 128 * 8;
/** Work units of a node in a stage of the transform, and in what is multiplied. */
const STAGE: u64 = 1;
const PHASES: u64 = 4;
const SUZUKI: f64 = 0.4144907717943757; // 1/(4 − 4^⅓)

let body: usize = 0, psi: usize = 0, v: usize = 0, copy: usize = 0, own: usize = 0;
let tableX: usize = 0, tableY: usize = 0, orderX: usize = 0, orderY: usize = 0;
/** Phases of potential and kinetic energy for the two lengths of a splitting. */
let turnV: usize = 0, turnT: usize = 0, longV: usize = 0, longT: usize = 0;
let nx: i32 = 0, ny: i32 = 0, n: i32 = 0, order: i32 = 0, logs: i32 = 0;
let steps: u64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  own = problemEnd();
  nx = <i32>parameterF64(152);
  ny = parameterF64(128) == 2.0 ? <i32>parameterF64(160) : 1;
  n = nx * ny;
  logs = 0;
  for (let k = 1; k < n; k <<= 1) logs++;
  steps = <u64>parameterF64(176);
  openStretch(own + 48 + (parameterF64(own) == 1.0 ? <usize>n << 4 : 0));
  order = <i32>parameterF64(184);
  const whole = <usize>n << 4;
  body = openState(SCALARS + whole);
  psi = body + SCALARS;
  watchFinite(body, 6 + 2 * n);
  v = allocate(<usize>n << 3);
  copy = allocate(whole);
  turnV = allocate(whole);
  turnT = allocate(whole);
  if (order == 4) { longV = allocate(whole); longT = allocate(whole); }
  tableX = allocate(twiddleBytes(nx));
  tableY = allocate(twiddleBytes(ny));
  orderX = allocate(<usize>nx << 3);
  orderY = allocate(<usize>ny << 3);
  openRows(<i32>(INTERVALS + 1) * ROW);
  layOutTables();
}

function layOutTables(): void {
  layOutTwiddles(tableX, nx);
  layOutTwiddles(tableY, ny);
  for (let i = 0; i < nx; i++) store<f64>(orderX + (<usize>i << 3), <f64>frequencyAt(i, nx));
  for (let i = 0; i < ny; i++) store<f64>(orderY + (<usize>i << 3), <f64>frequencyAt(i, ny));
  for (let j = 0; j < ny; j++) {
    const y = ny == 1 ? 0.0 : bottom + height * (<f64>j / <f64>ny);
    for (let i = 0; i < nx; i++) {
      const x = left + width * (<f64>i / <f64>nx);
      store<f64>(v + (<usize>(j * nx + i) << 3), potentialAt(x, y, width / <f64>nx) / unitEnergy);
    }
  }
  const whole = (parameterF64(168) - beginning()) * unitEnergy / parameterF64(0) / <f64>steps;
  layOutPhases(turnV, turnT, order == 4 ? SUZUKI * whole : whole);
  if (order == 4) layOutPhases(longV, longT, (1.0 - 4.0 * SUZUKI) * whole);
}

/** A step [s]. */
@inline function h(): f64 { return (parameterF64(168) - beginning()) / <f64>steps; }

/** e^{−iv τ/2} at nodes and e^{−ik²τ/2}/n of waves, in the order of the transform. */
function layOutPhases(ofV: usize, ofT: usize, tau: f64): void {
  for (let i = 0; i < n; i++) {
    const half = 0.5 * tau * load<f64>(v + (<usize>i << 3)), turn = 0.5 * tau * squareOf(i), at = <usize>i << 4;
    store<f64>(ofV + at, Math.cos(half));
    store<f64>(ofV + at, -Math.sin(half), 8);
    store<f64>(ofT + at, Math.cos(turn) / <f64>n);
    store<f64>(ofT + at, -Math.sin(turn) / <f64>n, 8);
  }
}

/** k² of the wave at place i of the transform. */
function squareOf(i: i32): f64 {
  const kx = 2.0 * Math.PI * load<f64>(orderX + (<usize>(i % nx) << 3));
  if (ny == 1) return kx * kx;
  const ky = 2.0 * Math.PI * load<f64>(orderY + (<usize>(i / nx) << 3)) * (width / height);
  return kx * kx + ky * ky;
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) memory.copy(body, earlierBody(), SCALARS + (<usize>n << 4)); else begin();
  measure(!goesOn());
  return 1;
}

function begin(): void {
  if (parameterF64(own) == 0.0) packet(); else arrays();
  normalise();
  setField(0, 0.0);
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

function packet(): void {
  const sigma = parameterF64(own + 24);
  for (let j = 0; j < ny; j++) {
    const y = ny == 1 ? 0.0 : bottom + height * (<f64>j / <f64>ny) - parameterF64(own + 16);
    for (let i = 0; i < nx; i++) {
      const x = left + width * (<f64>i / <f64>nx) - parameterF64(own + 8);
      const size = Math.exp(-(x * x + y * y) / (4.0 * sigma * sigma));
      const phase = parameterF64(own + 32) * x + parameterF64(own + 40) * y, at = psi + (<usize>(j * nx + i) << 4);
      store<f64>(at, size * Math.cos(phase));
      store<f64>(at, size * Math.sin(phase), 8);
    }
  }
}

function arrays(): void {
  const re = parameters() + own + 48, im = re + (<usize>n << 3);
  for (let i = 0; i < n; i++) {
    store<f64>(psi + (<usize>i << 4), load<f64>(re + (<usize>i << 3)));
    store<f64>(psi + (<usize>i << 4), load<f64>(im + (<usize>i << 3)), 8);
  }
}

@inline function density(at: usize): f64 { return load<f64>(at) * load<f64>(at) + load<f64>(at, 8) * load<f64>(at, 8); }

/** Σ|ψ|² row by row. */
function total(): f64 {
  let sum = 0.0;
  for (let j = 0; j < ny; j++) {
    let row = 0.0;
    for (let i = 0; i < nx; i++) row += density(psi + (<usize>(j * nx + i) << 4));
    sum += row;
  }
  return sum;
}

/** Σ|ψ|² = n. */
function normalise(): void {
  const scale = f64x2.splat(sqrt(<f64>n / total())), end = psi + (<usize>n << 4);
  for (let at = psi; at < end; at += 16) v128.store(at, f64x2.mul(scale, v128.load(at)));
}

// ---- the step ------------------------------------------------------------------------------------------

function transform(x: usize): void {
  for (let j = 0; j < ny; j++) fftForward(x + (<usize>(j * nx) << 4), nx, 1, tableX);
  if (ny > 1) fftForward(x, ny, nx, tableY);
}

function transformBack(x: usize): void {
  if (ny > 1) fftBackward(x, ny, nx, tableY);
  for (let j = 0; j < ny; j++) fftBackward(x + (<usize>(j * nx) << 4), nx, 1, tableX);
}

function turn(x: usize, phases: usize): void {
  const end = x + (<usize>n << 4);
  for (; x < end; x += 16, phases += 16) {
    const a = v128.load(x), s = load<f64>(phases, 8);
    const turned = f64x2.mul(v128.shuffle<f64>(a, a, 1, 0), f64x2.replace_lane(f64x2.splat(-s), 1, s));
    v128.store(x, f64x2.add(f64x2.mul(a, v128.load64_splat(phases)), turned));
  }
}

function strang(ofV: usize, ofT: usize): void {
  turn(psi, ofV);
  transform(psi);
  turn(psi, ofT);
  transformBack(psi);
  turn(psi, ofV);
}

function step(): void {
  strang(turnV, turnT);
  if (order == 2) return;
  strang(turnV, turnT);
  strang(longV, longT);
  strang(turnV, turnT);
  strang(turnV, turnT);
}

// ---- what is measured at rows --------------------------------------------------------------------------

/** A row: norm, ⟨x⟩, Δx, ⟨H⟩ and the density along x. */
function measure(first: bool): void {
  const row = appendRow(ROW), cell = width / <f64>nx, norm = total() / <f64>n;
  let mean = 0.0, square = 0.0, potential = 0.0;
  for (let i = 0; i < nx; i++) {
    const x = left + cell * <f64>i;
    let column = 0.0;
    for (let j = 0; j < ny; j++) {
      const here = density(psi + (<usize>(j * nx + i) << 4)) / <f64>n;
      column += here;
      potential += here * load<f64>(v + (<usize>(j * nx + i) << 3));
    }
    mean += x * column;
    square += x * x * column;
    const place = i * PLACES / nx;
    if (nx >= PLACES ? i * PLACES % nx == 0 : true) store<f64>(row + 40 + (<usize>place << 3), column / cell);
  }
  mean /= norm;
  const kinetic = kineticEnergy(), energy = (kinetic + potential) / norm;
  store<f64>(row, timeOfRow(beginning(), parameterF64(168), <i32>(stepsDone() / (steps / INTERVALS)), <i32>INTERVALS));
  store<f64>(row, norm, 8);
  store<f64>(row, mean, 16);
  store<f64>(row, spread(mean, norm), 24);
  store<f64>(row, energy * unitEnergy, 32);
  if (first) { setField(0, kinetic); setField(8, energy); }
  const scale = max(abs(field(8)), 0.1 * (field(0) + abs(field(8) - field(0))));
  setField(16, worse(field(16), abs(norm - 1.0)));
  setField(24, worse(field(24), abs(energy - field(8)) / scale));
  setField(32, worse(field(32), edge()));
}

/** The larger one; what is no number stays to be found. */
@inline function worse(a: f64, b: f64): f64 { return b <= a ? a : b; }

/** Δx about the mean, which keeps the digits that ⟨x²⟩ − ⟨x⟩² would lose. */
function spread(mean: f64, norm: f64): f64 {
  let sum = 0.0;
  for (let i = 0; i < nx; i++) {
    const away = left + width * (<f64>i / <f64>nx) - mean;
    let column = 0.0;
    for (let j = 0; j < ny; j++) column += density(psi + (<usize>(j * nx + i) << 4));
    sum += away * away * column;
  }
  return sqrt(sum / (<f64>n * norm));
}

/** ⟨T⟩ in ε; notes the share of waves beyond ⅔ of the shortest. */
function kineticEnergy(): f64 {
  memory.copy(copy, psi, <usize>n << 4);
  transform(copy);
  let sum = 0.0, short = 0.0;
  for (let i = 0; i < n; i++) {
    const share = density(copy + (<usize>i << 4)) / (<f64>n * <f64>n);
    sum += 0.5 * squareOf(i) * share;
    const fast = 3.0 * abs(load<f64>(orderX + (<usize>(i % nx) << 3))) > <f64>nx;
    if (fast || (ny > 1 && 3.0 * abs(load<f64>(orderY + (<usize>(i / nx) << 3))) > <f64>ny)) short += share;
  }
  setField(40, worse(field(40), short));
  return sum;
}

/** |ψ| at the edge over its largest. */
function edge(): f64 {
  let outside = 0.0, inside = 0.0;
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const here = density(psi + (<usize>(j * nx + i) << 4));
      inside = max(inside, here);
      if (i == 0 || i == nx - 1 || (ny > 1 && (j == 0 || j == ny - 1))) outside = max(outside, here);
    }
  }
  return sqrt(outside / inside);
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  const units = <u64>n * (2 * STAGE * <u64>logs + PHASES) * (order == 4 ? 5 : 1);
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    step();
    countStep();
    spend(units);
    taken++;
    if (stepsDone() % (steps / INTERVALS) == 0) measure(false);
    if (stepsDone() == steps) conclude();
  }
  show(0, <f64>stepsDone() / <f64>steps);
  return taken;
}

function conclude(): void {
  const kept = SCALARS + (<usize>n << 4), out = openResult(<i32>(80 + STRETCH + kept)), norm = total() / <f64>n;
  let mean = 0.0, potential = 0.0;
  const cell = width / <f64>nx;
  for (let i = 0; i < n; i++) {
    const at = psi + (<usize>i << 4), here = density(at) / <f64>n;
    mean += (left + cell * <f64>(i % nx)) * here;
    potential += here * load<f64>(v + (<usize>i << 3));
  }
  mean /= norm;
  store<f64>(out, norm);
  store<f64>(out, mean, 8);
  store<f64>(out, spread(mean, norm), 16);
  store<f64>(out, (kineticEnergy() + potential) / norm * unitEnergy, 24);
  memory.copy(out + 32, body + 16, 32);
  store<f64>(out, field(0) * unitEnergy, 64);
  store<f64>(out, field(8) * unitEnergy, 72);
  memory.copy(keepStretch(out + 80, parameterF64(168), h(), steps), body, kept);
  finish();
}
