// Modes of a cavity of square cells: K p = k²M p in nine-node elements (assembly/acoustics/mask.ts), by Lanczos' method
// (assembly/linear/lanczos.ts) on (K + sM)⁻¹M (T. Ericsson, A. Ruhe, Math. Comp. 35 (1980) 1251), factored by nested
// dissection (assembly/acoustics/dissection.ts, assembly/linear/supernodal.ts). Then the inertia of K − σM at
// σ = k²(1 − 1e-6) of the highest proves that none is missed (Sylvester).
//
// Parameters: assembly/acoustics/mask.ts
// State body (f64): 0 phase: 0 factors, 1 Lanczos, 2 count · 8 the pass, its iteration also the supernode of a factorisation ·
//   32 pivots below 0 · 40 iterations of all passes · 48 the tables, of levels −1/(k² + s) · M q of the
//   newest vector · the panels
// Result (f64): k² [1/m²] of all modes from the lowest on · how many lie below σ · p of the chosen one at all nodes of the
//   grid around the cavity, row by row, the largest of size 1, 0 where there is no air
//
// A step is a supernode of a factorisation or an iteration. The number of these is known when they are done.

import {
  countStep, fail, finish, openResult, openState, parameterF64, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { dissect, supernodes } from "../acoustics/dissection";
import { columns, eachEntry, keepElements, n, numberOf, readMask, rows, timesMass } from "../acoustics/mask";
import { bandDot } from "../linear/banded";
import {
  ALL_FOUND, isBroken, isLast, iteration, keepVector, largestOf, layTables, layVector, lockedLevel, lockedVector, lookAt,
  nextPass, numbersIn, passNumber, q, setIteration, setLevels, setRow, signOf, tableBytes, takeParts,
} from "../linear/lanczos";
import {
  addEntry, factorSupernode, laySupernodes, panelNumbers, setPanels, supernodalSolve, supernodeUnits,
} from "../linear/supernodal";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

/** Iterations of a pass: as many for each mode, and more, at most so many. */
const EACH: i32 = 4;
const MORE: i32 = 60;
const MOST: i32 = 200;
const LOCKS: i32 = 128;
const EVERY: i32 = 5;
const TOLERANCE: f64 = 1e-11;

let body: usize = 0, panels: usize = 0, panelBytes: usize = 0, image: usize = 0;
let wanted: i32 = 0, most: i32 = 0;
let shift: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readMask();
  dissect();
  keepElements();
  wanted = <i32>parameterF64(72);
  most = min(MOST, MORE + EACH * wanted);
  const tables = tableBytes(n, most, LOCKS, wanted + 8);
  panelBytes = laySupernodes(n);
  body = openState(48 + (<usize>n << 3) + tables + panelBytes);
  image = body + 48 + tables;
  panels = image + (<usize>n << 3);
  setPanels(panels);
  watchFinite(body, 6 + numbersIn(most, LOCKS));
  layTables(body + 8, body + 48, n, wanted, most, LOCKS, wanted + 8);
  const size = max(parameterF64(0), parameterF64(8));
  shift = 3.0 / (size * size);
  setLevels(-1.01 / shift, 0.0, 0.0, TOLERANCE, 1e-10 / shift);
}

export function start(_budget: i32): i32 {
  prepare();
  eachEntry(-shift, addEntry);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

function startPass(): void {
  const pass = passNumber(), first = q(0);
  for (let i = 0; i < n; i++) {
    put(first, i, 1.0 / <f64>(1 + i) + (pass > 0.0 ? Math.cos(<f64>i * (0.7 + 0.31 * pass)) : 0.0));
  }
  setIteration(0);
  makeOrthogonal(first, -1);
  makeOrthogonal(first, -1);
  normalise(first);
}

// ---- an iteration --------------------------------------------------------------------------------------

/** Takes from x its parts along locked modes and q₀ … q_k, in the product of M. */
function makeOrthogonal(x: usize, k: i32): void {
  timesMass(x, image);
  takeParts(x, image, k);
}

/** x of size 1 in the product of M, `image` its image; returns what it was. */
function normalise(x: usize): f64 {
  timesMass(x, image);
  const size = sqrt(bandDot(x, image, n));
  if (size > 0.0) { scale(x, 1.0 / size); scale(image, 1.0 / size); }
  return size;
}

function scale(x: usize, factor: f64): void {
  const f = f64x2.splat(factor), whole = x + (<usize>(n & ~1) << 3);
  for (; x < whole; x += 16) v128.store(x, f64x2.mul(v128.load(x), f));
  if (n & 1) store<f64>(x, load<f64>(x) * factor);
}

function iterate(k: i32): void {
  const next = q(k + 1);
  memory.copy(next, image, <usize>n << 3);
  supernodalSolve(next);
  scale(next, -1.0);
  timesMass(next, image);
  const diagonal = bandDot(q(k), image, n);
  takeParts(next, image, k);
  makeOrthogonal(next, k);
  const below = normalise(next);
  setRow(k, diagonal, below);
  if (below > 1e-5 / shift) return;
  // What is left is mostly rounding, and made large: it must be parted once more.
  makeOrthogonal(next, k);
  normalise(next);
}

@inline function squareOf(m: i32): f64 { return -1.0 / lockedLevel(m) - shift; }

function look(k: i32): void {
  const count = lookAt(k);
  if (count == ALL_FOUND) { startCount(); return; }
  for (let j = 0; j < count; j++) {
    const mode = layVector(j, k);
    if (mode == 0) return;
    makeOrthogonal(mode, -1);
    keepVector(normalise(mode));
  }
  if (count == 0) return;
  nextPass();
  startPass();
}

function startCount(): void {
  setField(0, 2.0);
  setField(8, 0.0);
  setField(32, 0.0);
  memory.fill(panels, 0, panelBytes);
  eachEntry(squareOf(wanted - 1) * (1.0 - 1e-6), addEntry);
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, iteration = 2 * panelNumbers() + <u64>n * <u64>(100 + most);
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    if (field(0) == 1.0) { stepLanczos(); spend(iteration); } else stepFactor();
    countStep();
    taken++;
  }
  show(0, <f64>stepsDone());
  return taken;
}

function stepFactor(): void {
  const m = <i32>field(8);
  setField(32, field(32) + <f64>factorSupernode(m, 1e-300));
  setField(8, <f64>(m + 1));
  spend(supernodeUnits(m));
  if (m + 1 < supernodes) return;
  if (field(0) == 2.0) { conclude(); return; }
  setField(0, 1.0);
  setField(40, 0.0);
  startPass();
}

function stepLanczos(): void {
  const k = iteration(), last = isLast(k);
  iterate(k);
  setIteration(k + 1);
  setField(40, field(40) + 1.0);
  if (k % EVERY == EVERY - 1 || last || isBroken(k)) look(k);
  if (running() && field(0) == 1.0 && ((last && <i32>field(8) > k) || field(40) >= parameterF64(80))) fail(Status.DID_NOT_CONVERGE);
}

function conclude(): void {
  const out = openResult((wanted + 1 + columns * rows) << 3), h = parameterF64(16);
  for (let m = 0; m < wanted; m++) put(out, m, max(0.0, squareOf(m)) / (h * h));
  put(out, wanted, field(32));
  const chosen = lockedVector(<i32>parameterF64(88)), scale = signOf(chosen, n) / largestOf(chosen, n);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const number = numberOf(i, j);
      put(out, wanted + 1 + j * columns + i, number < 0 ? 0.0 : scale * at(chosen, number));
    }
  }
  finish();
}
