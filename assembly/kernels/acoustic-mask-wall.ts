// Modes of a cavity of cells between walls of impedance: T(κ)x = (K + iκC − κ²M)x = 0 (assembly/acoustics/mask-walls.ts), with
// κ, x by inverse iteration with T(κ)⁻¹M and the root of xᵀT(κ)x next to κ (Schreiber, Nonlinear Eigenvalue Problems, ch. 4).
//
// On the coarsest mesh each mode is followed from rigid walls as β grows to its own by steps of t, each taken when the mode
// is nearly the same, xᵀMx' ≈ 1; where modes meet it is not, and the run ends with DID_NOT_CONVERGE. Two modes of one k² are
// first parted so that C does not mix them. Then the turns of det T(κ) around a rectangle say how many modes it holds (Ahlfors,
// Complex Analysis, §4.5.2). Finer meshes begin from the κ of a coarser one.
//
// Parameters: assembly/acoustics/mask-walls.ts
// State body (f64): 0 phase: 0 rigid modes, 1 modes, 2 rim · 8 mode · 16 t · 24 its step · 32 sweep, 0 to begin · 40, 48 κ · 56, 64 as it was ·
//   72 sweeps of all · 80 u of the rim · 88 its step · 96, 104 det T, of size 1 · 112 turned · rows · x as it was and as it
//   is · the rigid modes
// Result (f64): rows of the list, of the coarsest mesh in order: k [1/m] re, im · loss, stiffness of the walls [1/m] (assembly/acoustics/walls.ts) · |T x| over |Kx| + |κ²Mx| ·
//   then roots counted, roots known, κ and decay of the rectangle [1/m] · Re p, Im p of the mode that is the value at all nodes of the
//   grid around the cavity, the largest 1
//
// A step is a factorisation.

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, parameters, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { im, over, re, times } from "../acoustics/complex";
import { band, columns, maskEnd, n, numberOf, readMask, rows } from "../acoustics/mask";
import { a, factor, hermitian, image, inverseIteration, invert, ofWalls, openVectors, product } from "../acoustics/mask-vectors";
import {
  addWalls, alongNodes, HEAD, held, loss, nearestRoot, timesElements, valueIm, valueRe, wallField, weighWalls,
} from "../acoustics/mask-walls";
import { beginRigid, openRigid, rigidMode, rigidSquare } from "../acoustics/rigid-modes";
import { clearance, high, knownInside, openRim, ranked, readRows, right, rimIm, rimRe } from "../acoustics/rim";
import { complexAt } from "../linear/complex-band";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 5;
const FIELDS: usize = 120;
const SWEEPS: f64 = 9.0;
const FIRST: f64 = 0.125;
const LEAST: f64 = 1.0 / 1024.0;
const CHANGE: f64 = 0.2;
const TOLERANCE: f64 = 1e-10;
const ENOUGH: f64 = 5.0;
const ROUNDING: f64 = 1e-8;
const LONGEST: f64 = 1.0 / 64.0;

let body: usize = 0, table: usize = 0, was: usize = 0, is: usize = 0, order: usize = 0;
let modes: i32 = 0, edge: f64 = 0, refining: bool = false;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function mode(): i32 { return <i32>field(8); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readMask();
  refining = wallField(0) == 1.0;
  modes = <i32>wallField(8);
  edge = parameterF64(16);
  const ofRows = <usize>(modes * ROW) << 3, kept = refining ? 0 : <usize>(modes * n) << 4;
  body = openState(FIELDS + ofRows + (<usize>n << 5) + kept);
  watchFinite(body, 15 + modes * ROW + 4 * n);
  table = body + FIELDS;
  was = table + ofRows;
  is = was + (<usize>n << 4);
  openVectors();
  openRigid(is + (<usize>n << 4), parameters() + maskEnd() + HEAD, edge, was);
  order = allocate(<usize>modes << 2);
}

export function start(_budget: i32): i32 {
  prepare();
  setField(0, refining ? 1.0 : 0.0);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { openCount(); return 1; }

/** k of a mode on a coarser mesh, re and im. */
@inline function foundBefore(i: i32, j: i32): f64 { return parameterF64(maskEnd() + HEAD + (<usize>(i * ROW + j) << 3)); }

// ---- a mode --------------------------------------------------------------------------------------------

function beginMode(): void {
  setField(16, 0.0);
  setField(24, FIRST);
  if (refining) {
    setField(40, foundBefore(mode(), 0) * edge);
    setField(48, foundBefore(mode(), 1) * edge);
    inverseIteration(is, field(40), field(48));
    setField(32, 1.0);
    setField(24, 1.0);
    return;
  }
  setField(40, sqrt(max(0.0, rigidSquare(mode()))));
  setField(48, 0.0);
  memory.copy(is, rigidMode(mode()), <usize>n << 4);
  keep();
  predict();
}

@inline function keep(): void {
  memory.copy(body + 56, body + 40, 16);
  memory.copy(was, is, <usize>n << 4);
}

/** Where a step of t begins: κ as it was; of a mode at rest iβ of the walls over the area, which grows with t. */
function predict(): void {
  const t = field(16);
  memory.copy(body + 40, body + 56, 16);
  memory.copy(is, was, <usize>n << 4);
  setField(32, 1.0);
  if (rigidSquare(mode()) > 1e-7) return;
  if (t == 0.0) {
    ofWalls(is);
    alongNodes(is, image);
    setField(40, -field(24) * im);
    setField(48, field(24) * re);
    return;
  }
  setField(40, field(40) * (t + field(24)) / t);
  setField(48, field(48) * (t + field(24)) / t);
}

function sweep(): void {
  const t = field(16) + field(24), size = Math.hypot(field(40), field(48));
  factor(field(40) + 1e-7 * (size + 1e-3), field(48), t);
  invert(is);
  const moved = improve(t);
  setField(32, field(32) + 1.0);
  if (moved <= TOLERANCE || (field(32) > ENOUGH && moved <= ROUNDING)) accept();
  else if (field(32) > SWEEPS || !(moved < 10.0)) halve();
}

/** The root of xᵀT(κ)x next to κ; returns how far it lies, over κ. */
function improve(t: f64): f64 {
  ofWalls(is);
  alongNodes(is, image);
  const cRe = t * re, cIm = t * im;
  timesElements(is, image, 1.0, 0.0, 0.0);
  alongNodes(is, image);
  // Of a mode at rest x is constant but for β², and what stands here is rounding.
  const isRounding = Math.hypot(re, im) < 1e-12, aRe = isRounding ? 0.0 : re, aIm = isRounding ? 0.0 : im;
  const kRe = field(40), kIm = field(48);
  nearestRoot(aRe, aIm, cRe, cIm, 1.0, 0.0, kRe, kIm);
  setField(40, valueRe);
  setField(48, valueIm);
  return Math.hypot(valueRe - kRe, valueIm - kIm) / Math.hypot(valueRe, valueIm);
}

function accept(): void {
  if (!refining) {
    product(was);
    alongNodes(is, image);
    if (!(Math.hypot(abs(re) - 1.0, im) <= CHANGE)) { halve(); return; }
  }
  const t = field(16) + field(24);
  setField(16, t);
  setField(24, min(1.0 - t, min(0.25, 2.0 * field(24))));
  if (t < 1.0) { keep(); predict(); return; }
  writeRow();
  setField(8, field(8) + 1.0);
  setField(32, 0.0);
  if (mode() < modes) return;
  setField(0, 2.0);
  setField(80, -1.0);
  openCount();
  if (running() && wallField(40) == 0.0) conclude();
}

function halve(): void {
  setField(24, 0.5 * field(24));
  if (refining || field(24) < LEAST) { fail(Status.DID_NOT_CONVERGE); return; }
  predict();
}

function writeRow(): void {
  const row = table + (<usize>(mode() * ROW) << 3), kRe = field(40), kIm = field(48);
  product(is);
  const size = hermitian(is, image), ofMass = sqrt(hermitian(image, image));
  weighWalls(is);
  store<f64>(row, kRe / edge);
  store<f64>(row, kIm / edge, 8);
  store<f64>(row, loss / (size * edge), 16);
  store<f64>(row, held / (size * edge), 24);
  timesElements(is, image, 1.0, 0.0, 0.0);
  const ofStiff = sqrt(hermitian(image, image));
  times(kRe, kIm, kRe, kIm);
  timesElements(is, image, 1.0, re, im);
  addWalls(is, image, kRe, kIm, 1.0);
  store<f64>(row, sqrt(hermitian(image, image)) / (ofStiff + (kRe * kRe + kIm * kIm) * ofMass), 32);
}

// ---- the rim -------------------------------------------------------------------------------------------

/** The list in order, and the rectangle around it. */
function openCount(): void {
  if (field(0) != 2.0) return;
  readRows(table, ROW, modes);
  const count = ranked(order);
  if (count < <i32>wallField(16)) { fail(Status.DID_NOT_CONVERGE); return; }
  openRim(order, count, <i32>wallField(16));
}

/** One determinant further around; u = −1 before the first. */
function stepRim(): void {
  const u = field(80), h = min(field(88), 0.5 * clearance(max(0.0, u))), next = u < 0.0 ? 0.0 : min(u + h, Math.floor(u) + 1.0);
  factor(rimRe(next) * edge, rimIm(next) * edge, 1.0);
  let x = 1.0, y = 0.0;
  for (let i = 0; i < n; i++) {
    const d = complexAt(a, band, i, i), size = Math.hypot(load<f64>(d), load<f64>(d, 8));
    times(x, y, load<f64>(d) / size, -load<f64>(d, 8) / size);
    x = re;
    y = im;
  }
  const angle = u < 0.0 ? 0.0 : Math.atan2(y * field(96) - x * field(104), x * field(96) + y * field(104));
  if (!(abs(angle) <= 0.7)) {
    setField(88, 0.5 * h);
    if (h < 1e-9) fail(Status.DID_NOT_CONVERGE);
    return;
  }
  setField(80, next);
  setField(88, u < 0.0 ? LONGEST : min(2.0 * h, LONGEST));
  setField(96, x);
  setField(104, y);
  setField(112, field(112) + angle);
  if (next >= 4.0) conclude();
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    step();
    countStep();
    spend(<u64>n * (<u64>(band * band) / 2 + 30 * <u64>band + 1000));
    taken++;
  }
  show(0, <f64>stepsDone());
  return taken;
}

function nextRigid(): void {
  beginRigid(mode());
  setField(8, field(8) + 1.0);
  if (mode() < modes) return;
  setField(0, 1.0);
  setField(8, 0.0);
}

function step(): void {
  setField(72, field(72) + 1.0);
  if (field(72) > wallField(32)) fail(Status.DID_NOT_CONVERGE);
  else if (field(0) == 0.0) nextRigid();
  else if (field(0) == 2.0) stepRim();
  else if (field(32) == 0.0) beginMode();
  else sweep();
}

function conclude(): void {
  const listed = <i32>wallField(16), nodes = columns * rows, given = wallField(48) == 1.0;
  const out = openResult((listed * ROW + 4) * 8 + (given ? nodes << 4 : 0)), to = out + (<usize>(listed * ROW) << 3);
  for (let i = 0; i < listed; i++) {
    const from = refining ? i : load<i32>(order + (<usize>i << 2));
    memory.copy(out + (<usize>(i * ROW) << 3), table + (<usize>(from * ROW) << 3), ROW * 8);
  }
  store<f64>(to, Math.round(field(112) / (2.0 * Math.PI)));
  store<f64>(to, <f64>knownInside(), 8);
  store<f64>(to, right, 16);
  store<f64>(to, high, 24);
  if (given) givePressure(to + 32, load<i32>(order + (<usize>(<i32>wallField(24) - 1) << 2)));
  finish();
}

function givePressure(to: usize, mine: i32): void {
  const row = table + (<usize>(mine * ROW) << 3);
  inverseIteration(is, load<f64>(row) * edge * (1.0 + 1e-7), load<f64>(row, 8) * edge);
  let most = 0.0, mostAt = is;
  for (let i = 0; i < n; i++) {
    const at = is + (<usize>i << 4), size = Math.hypot(load<f64>(at), load<f64>(at, 8));
    if (size > most) { most = size; mostAt = at; }
  }
  const mostRe = load<f64>(mostAt), mostIm = load<f64>(mostAt, 8);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const number = numberOf(i, j), at = to + (<usize>(j * columns + i) << 3);
      if (number < 0) continue;
      over(load<f64>(is + (<usize>number << 4)), load<f64>(is + (<usize>number << 4), 8), mostRe, mostIm);
      store<f64>(at, re);
      store<f64>(at + (<usize>(columns * rows) << 3), im);
    }
  }
}
