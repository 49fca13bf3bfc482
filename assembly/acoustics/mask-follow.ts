// A mode of cells between walls, κ and x with T(κ)x = 0: followed on the coarsest mesh as t goes from 0 to 1, by steps each of which
// is taken when the mode is nearly the same, xᵀMx' ≈ 1; on finer meshes refined from the κ of a coarser one, with T factored once
// there and corrections by its factors, and again where four of these were not enough. κ is always the root of xᵀT(κ)x next to the last one (Schreiber, Nonlinear
// Eigenvalue Problems, ch. 4).

import { fail, parameterF64 } from "../kernel/frame";
import { Status } from "../kernel/status";
import { im, re, times } from "../math/complex";
import { nearestRoot, nearIm, nearRe } from "./growth";
import { maskEnd, n } from "./mask";
import {
  edge, field, is, keep, mode, modes, MODES, refining, RIM, ROW, rowOf, setField, spendFactor, spendSolves, takeBack, was,
} from "./mask-state";
import { correct, factor, hermitian, image, inverseIteration, invert, leaveOut, ofWalls, product } from "./mask-vectors";
import {
  addWalls, alongNodes, HEAD, hasSpringsAlone, held, loss, timesElements, weighWalls,
} from "./mask-walls";
import { beginRigid, rigidMode, rigidSquare } from "./rigid-modes";

const SWEEPS: f64 = 9.0;
const CORRECTIONS: f64 = 24.0, PATIENCE: i32 = 4;
const FIRST: f64 = 0.125;
const LEAST: f64 = 1.0 / 1024.0;
const CHANGE: f64 = 0.2;
const TOLERANCE: f64 = 1e-10;
const ENOUGH: f64 = 5.0;
const ROUNDING: f64 = 1e-8;
/** Modes whose κ are nearer than this part are at one root, and one where no more than this of x is left without the others. */
const ONE_ROOT: f64 = 1e-6, NOTHING_LEFT: f64 = 1e-4;

/** The mode that T is factored for; −1: none. */
let factored: i32 = -1;

export function forgetFactors(): void { factored = -1; }

/** One more than are followed: the last of them may be one of two of the same k². */
export function nextRigid(): void {
  beginRigid(mode());
  spendFactor();
  spendSolves(6);
  setField(8, field(8) + 1.0);
  if (mode() <= modes) return;
  setField(0, MODES);
  setField(8, 0.0);
}

/** The next step of a mode: the first, or one more sweep. */
export function stepMode(): void {
  if (field(32) > 0.0) { if (refining) correctOnce(); else sweep(); return; }
  setField(16, 0.0);
  setField(24, refining ? 1.0 : FIRST);
  if (refining) beginRefined(); else beginFollowed();
}

// ---- refined -------------------------------------------------------------------------------------------

/** κ of a mode on a coarser mesh; T is factored beside it. */
@inline function before(part: usize): f64 { return edge * parameterF64(maskEnd() + HEAD + (<usize>(mode() * ROW) << 3) + part); }

function beginRefined(): void {
  if (before(0) == 0.0) { nextMode(); return; }
  setField(40, before(0));
  setField(48, before(8));
  standBeside();
  inverseIteration(is, field(56), field(64), 3);
  factored = mode();
  improve(1.0);
  setField(32, 1.0);
  spendFactor();
  spendSolves(3);
}

/** What T is factored for is beside κ. */
function standBeside(): void {
  setField(56, field(40) + 1e-7 * (Math.hypot(field(40), field(48)) + 1e-3));
  setField(64, field(48));
}

/** The factors are no part of the state: whoever goes on makes them anew. */
function correctOnce(): void {
  if (<i32>field(32) % PATIENCE == 0) {
    standBeside();
    factored = -1;
    spendFactor();
  }
  if (factored != mode()) factor(field(56), field(64), 1.0);
  factored = mode();
  correct(is, field(40), field(48));
  spendSolves(2);
  if (isSettled(improve(1.0))) accept();
  else if (field(32) > CORRECTIONS) fail(Status.DID_NOT_CONVERGE);
}

/** Counts a sweep that moved κ by so much of it. */
function isSettled(moved: f64): bool {
  setField(32, field(32) + 1.0);
  return moved <= TOLERANCE || (field(32) > ENOUGH && moved <= ROUNDING);
}

// ---- followed ------------------------------------------------------------------------------------------

function beginFollowed(): void {
  setField(40, sqrt(max(0.0, rigidSquare(mode()))));
  setField(48, 0.0);
  memory.copy(is, rigidMode(mode()), <usize>n << 4);
  keep();
  predict();
  spendSolves(1);
}

/** Where a step of t begins: κ as it was; of a mode at rest iβ of the walls over the area, which grows with t. */
function predict(): void {
  const t = field(16);
  takeBack();
  setField(32, 1.0);
  if (rigidSquare(mode()) > 1e-7) {
    // Beside a spring κ falls as the spring softens, with x as it is.
    if (hasSpringsAlone()) improve(t + field(24));
    return;
  }
  if (t == 0.0) {
    ofWalls(is, 1.0);
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
  spendFactor();
  const moved = improve(t);
  if (isSettled(moved)) accept();
  else if (field(32) > SWEEPS || !(moved < 10.0)) halve();
}

/** The root of xᵀT(κ)x next to κ; returns how far it lies, over κ. */
function improve(t: f64): f64 {
  ofWalls(is, t);
  alongNodes(is, image);
  const cRe = re, cIm = im;
  timesElements(is, image, 1.0, 0.0, 0.0);
  alongNodes(is, image);
  // Of a mode at rest x is constant but for β², and what stands here is rounding.
  const isRounding = Math.hypot(re, im) < 1e-12, aRe = isRounding ? 0.0 : re, aIm = isRounding ? 0.0 : im;
  const kRe = field(40), kIm = field(48);
  nearestRoot(aRe, aIm, cRe, cIm, 1.0, 0.0, kRe, kIm);
  setField(40, nearRe);
  setField(48, nearIm);
  return Math.hypot(nearRe - kRe, nearIm - kIm) / Math.hypot(nearRe, nearIm);
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
  if (refining || !isTaken()) writeRow();
  nextMode();
}

function nextMode(): void {
  setField(8, field(8) + 1.0);
  setField(32, 0.0);
  if (mode() == modes) setField(0, RIM);
}

/**
 * Whether those before have come to the same mode, so that its row stays 0. Two of one κ may be two: what x has beside theirs stays
 * in the place of the mode that it began from.
 */
function isTaken(): bool {
  const own = rigidMode(mode());
  memory.copy(own, is, <usize>n << 4);
  const size = hermitian(own, own);
  for (let j = 0; j < mode(); j++) if (isAtRootOf(j)) leaveOut(rigidMode(j), own);
  return hermitian(own, own) <= NOTHING_LEFT * size;
}

function isAtRootOf(j: i32): bool {
  const row = rowOf(j), kRe = field(40) / edge, kIm = field(48) / edge;
  return Math.hypot(load<f64>(row) - kRe, load<f64>(row, 8) - kIm) <= ONE_ROOT * Math.hypot(kRe, kIm);
}

/** Where modes meet one cannot be followed on: its row stays 0, and the roots that are counted say whether it is missed. */
function halve(): void {
  setField(24, 0.5 * field(24));
  if (field(24) < LEAST) nextMode(); else predict();
}

function writeRow(): void {
  const row = rowOf(mode()), kRe = field(40), kIm = field(48);
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
