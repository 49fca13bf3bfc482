// Levels in the plane: the product of two sine DVRs (assembly/kernels/schrodinger-dvr.ts) by Lanczos' method
// (assembly/linear/lanczos.ts).
//
// Parameters: assembly/quantum/problem.ts
// State body (f64): 0 the pass · 24 the tables
// Result (f64): 0 … levels 0 to n + 1 [J] · ψ at inner nodes, row by row of y, ∫ψ² = 1 [1/m]
//
// A step is an iteration. Their number is known when they are done.

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { bandAxpy, bandDot } from "../linear/banded";
import {
  ALL_FOUND, isLast, iteration, keepVector, layTables, layVector, locked, lockedVector, lookAt, nextPass,
  numbersIn, passNumber, q, setIteration, setLevels, setRow, signOf, tableBytes, takeParts,
} from "../linear/lanczos";
import { bottom, height, left, potentialAt, readProblem, unitEnergy, width } from "../quantum/problem";
import { kineticEntry } from "../quantum/sines";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const MOST: i32 = 500;
const LOCKS: i32 = 80;
const EVERY: i32 = 10;
/** Iterations of all passes together. */
const BUDGET: u64 = 1500;
const TOLERANCE: f64 = 1e-9;
/** Degree of the filter, and the lowest part of the spectrum that it raises, or more where many levels are wanted. */
const DEGREE: i32 = 10;
const RAISED: f64 = 0.2;

let v: usize = 0, tx: usize = 0, ty: usize = 0;
/** Two vectors of the filter; the middle and the half width of what it takes down. */
let before: usize = 0, now: usize = 0, middle: f64 = 0, half: f64 = 0;
let nx: i32 = 0, ny: i32 = 0, n: i32 = 0, wanted: i32 = 0;

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  nx = <i32>parameterF64(152) - 1;
  ny = <i32>parameterF64(160) - 1;
  n = nx * ny;
  wanted = <i32>parameterF64(144) + 2;
  const room = 2 * wanted + 8, body = openState(24 + tableBytes(n, MOST, LOCKS, room));
  watchFinite(body, 3 + numbersIn(MOST, LOCKS));
  layTables(body, body + 24, n, wanted, MOST, LOCKS, room);
  v = allocate(<usize>n << 3);
  tx = kinetic(nx, 1.0);
  ty = kinetic(ny, (width / height) * (width / height));
  let floor = Infinity, most = -Infinity;
  for (let i = 0; i < n; i++) {
    const x = left + width * (<f64>(i % nx + 1) / <f64>(nx + 1)), y = bottom + height * (<f64>(i / nx + 1) / <f64>(ny + 1));
    put(v, i, potentialAt(x, y, 0.0) / unitEnergy);
    floor = min(floor, at(v, i));
    most = max(most, at(v, i));
  }
  setLevels(1.1 * layFilter(floor, most + kineticMost(nx, 1.0) + kineticMost(ny, width / height)), Infinity, 0.0, TOLERANCE, -1.0);
}

function kinetic(size: i32, scale: f64): usize {
  const matrix = allocate((<usize>size * <usize>size) << 3);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) put(matrix, i * size + j, scale * kineticEntry(size + 1, i + 1, j + 1));
  }
  return matrix;
}

export function start(_budget: i32): i32 {
  prepare();
  startPass();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/** A first vector without symmetry, beside all that is locked. */
function startPass(): void {
  const pass = passNumber(), first = q(0);
  for (let i = 0; i < n; i++) {
    put(first, i, 1.0 / <f64>(1 + i) + (pass > 0.0 ? Math.cos(<f64>i * (0.7 + 0.31 * pass) + 0.013 * pass * <f64>(i % nx)) : 0.0));
  }
  setIteration(0);
  takeParts(first, first, -1);
  takeParts(first, first, -1);
  normalise(first);
}

// ---- an iteration --------------------------------------------------------------------------------------

/** x of size 1; returns what it was. */
function normalise(x: usize): f64 {
  const size = sqrt(bandDot(x, x, n)), by = 1.0 / size;
  if (size > 0.0) for (let i = 0; i < n; i++) put(x, i, by * at(x, i));
  return size;
}

/** π²k²/2 of the last sine. */
function kineticMost(size: i32, scale: f64): f64 {
  const wave = Math.PI * <f64>(size + 1) * scale;
  return 0.5 * wave * wave;
}

/** For a spectrum between `floor` and `top`; says what the filter makes of the floor. */
function layFilter(floor: f64, top: f64): f64 {
  const edge = floor + max(RAISED, 2.0 * <f64>wanted / <f64>n) * (top - floor);
  middle = 0.5 * (top + edge);
  half = 0.5 * (top - edge);
  before = allocate(<usize>n << 3);
  now = allocate(<usize>n << 3);
  return -Math.cosh(<f64>DEGREE * Math.acosh((middle - floor) / half));
}

/**
 * y ← −T_d((H − middle)/half) x by Chebyshev's recurrence: between −1 and 1 from the edge to the top, and below the edge
 * the lower the lower H (Y. Saad, Math. Comp. 42 (1984) 567). Products with H are cheap beside vectors to be parted from.
 */
function filter(x: usize, y: usize): void {
  memory.copy(before, x, <usize>n << 3);
  shifted(x, now, 1.0 / half);
  for (let k = 2; k <= DEGREE; k++) {
    shifted(now, y, 2.0 / half);
    for (let i = 0; i < n; i++) {
      const next = at(y, i) - at(before, i);
      put(before, i, at(now, i));
      put(now, i, next);
    }
  }
  for (let i = 0; i < n; i++) put(y, i, -at(now, i));
}

/** y ← by (H − middle) x. */
function shifted(x: usize, y: usize, by: f64): void {
  apply(x, y);
  for (let i = 0; i < n; i++) put(y, i, by * (at(y, i) - middle * at(x, i)));
}

/** y ← H x. */
function apply(x: usize, y: usize): void {
  for (let i = 0; i < n; i++) put(y, i, at(v, i) * at(x, i));
  const line = <usize>nx << 3;
  for (let j = 0; j < ny; j++) {
    const row = y + <usize>j * line, own = x + <usize>j * line;
    for (let i = 0; i < nx; i++) put(row, i, at(row, i) + bandDot(tx + <usize>i * line, own, nx));
    for (let k = 0; k < ny; k++) bandAxpy(at(ty, j * ny + k), x + <usize>k * line, row, nx);
  }
}

function iterate(k: i32): void {
  const next = q(k + 1);
  filter(q(k), next);
  const diagonal = bandDot(q(k), next, n);
  takeParts(next, next, k);
  takeParts(next, next, k);
  setRow(k, diagonal, normalise(next));
}

function look(k: i32): void {
  const count = lookAt(k);
  if (count == ALL_FOUND) { conclude(); return; }
  for (let j = 0; j < count; j++) {
    const state = layVector(j, k);
    if (state == 0) return;
    takeParts(state, state, -1);
    keepVector(normalise(state));
  }
  if (count == 0) return;
  nextPass();
  startPass();
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const k = iteration(), vectors = <u64>(k + 1) + <u64>locked();
    iterate(k);
    setIteration(k + 1);
    countStep();
    spend(<u64>n * <u64>DEGREE * (<u64>(nx + ny) / 2 + 10) + 2 * vectors * <u64>n + 50000);
    taken++;
    const last = isLast(k);
    if (k % EVERY == EVERY - 1 || last) look(k);
    if (running() && ((last && iteration() > k) || stepsDone() == BUDGET)) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, <f64>stepsDone());
  return taken;
}

function energyOf(x: usize): f64 {
  apply(x, now);
  return bandDot(x, now, n);
}

function conclude(): void {
  const out = openResult((wanted + n) << 3), chosen = lockedVector(<i32>parameterF64(144));
  for (let m = 0; m < wanted; m++) put(out, m, energyOf(lockedVector(m)) * unitEnergy);
  const psi = out + (<usize>wanted << 3);
  const scale = signOf(chosen, n) / sqrt(bandDot(chosen, chosen, n) * width / <f64>(nx + 1) * height / <f64>(ny + 1));
  for (let i = 0; i < n; i++) put(psi, i, scale * at(chosen, i));
  finish();
}
