// Plane finite elements: −∇·(k∇u) = f, or ∇·σ + b = 0 in plane stress or strain, on nine-node quadrilaterals.
// The linear system K u = f is solved by conjugate gradients (M. Hestenes, E. Stiefel, 1952) preconditioned with one
// multigrid V-cycle: block-Jacobi–Chebyshev smoothing, Q2 → Q1 on the same cells, then joined cells, LDLᵀ at the end.
// Order 3 in L2, 4 at nodes of smooth problems. Parameters: assembly/fem/problem.ts; result: assembly/fem/output.ts.
//
// One step is one CG iteration; the last one also writes the result.
//
// State body: f64 ρ = rᵀz, k, ‖r₀‖, ‖r‖/‖r₀‖; then x, r, p with guards of zeros (assembly/fem/levels.ts).
// Derived, rebuilt by resumed(): grids, coefficients, coarse levels, factors, loads.
// Cells are assembled where the vectors of the cycle on level 0 stand afterwards. At the end p is scratch.

import { assembleRows, cellBytes, failedRow, layAssembly, layCells } from "../fem/assemble";
import { fillBottom, layBottom } from "../fem/bottom";
import {
  applied, appliedSize, applyLoads, applySupports, layBoundary, linearField, linearLoads, pinned, restrained, sumApplied,
} from "../fem/boundary";
import { layElement } from "../fem/element";
import { envelopeOrder, factorRow, factorWork } from "../fem/envelope";
import { layGeometry } from "../fem/geometry";
import {
  LevelField, allocateVector, bottomLevel, cellsS, cellsT, cycleBytes, gridAt, layCycle, layLevels, levelCount, levelField, levelSize,
  setLevelField,
} from "../fem/levels";
import { layOutput, readingError, setOutput, writeFields, writeQuantity } from "../fem/output";
import { cornerCount, iterationLimit, patchCount, tolerance, unknownsPerNode } from "../fem/problem";
import {
  Op, correction, emit, emitBounds, emitCycle, jump, layProgram, nextOp, opCode, programEnd, programWork,
  residual, roughen, run, scalar, scaleCycle, setScalar,
} from "../fem/program";
import { collect, inheritFlags, listFixed, shareLevel, zeroFixed } from "../fem/sharing";
import { diagonalBytes, invertDiagonal, layInversion } from "../fem/smooth";
import { layElementSlots, layRows, roundCoefficients } from "../fem/stencil";
import { dot } from "../math/reduce";
import {
  allocate, configure as configureFrame, countStep, fail, finish, isFiniteF64, openState, restoreState, running, show, spend, watchFinite,
} from "../kernel/frame";
import { Status } from "../kernel/status";

export {
  status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

// ---- state -----------------------------------------------------------------------------------------------

let body: usize = 0;
let x: usize = 0, r: usize = 0, p: usize = 0;
let loads: usize = 0;
/** Of the cycle on level 0: its vectors and the diagonal; before, of cells while they are assembled. */
let room: usize = 0, roomBytes: usize = 0;
let numbers: i32 = 0;

@inline function rho(): f64 { return load<f64>(body); }
@inline function iteration(): f64 { return load<f64>(body, 8); }
@inline function startSize(): f64 { return load<f64>(body, 16); }
@inline function relativeResidual(): f64 { return load<f64>(body, 24); }

function layState(): void {
  const guard = <usize>levelField(0, LevelField.GUARD) << 3;
  numbers = levelSize(0) * unknownsPerNode();
  const bytes = <usize>numbers << 3;
  body = openState(32 + 4 * guard + 3 * bytes);
  x = body + 32 + guard;
  r = x + bytes + guard;
  p = r + bytes + guard;
  watchFinite(body, 4 + 4 * levelField(0, LevelField.GUARD) + 3 * numbers);
}

// ---- preparation: what start() and resumed() share -------------------------------------------------------

namespace Phase {
  export const LAY: i32 = 0;
  export const CELLS: i32 = 1;
  export const COARSE: i32 = 2;
  export const BOTTOM: i32 = 3;
  export const FACTOR: i32 = 4;
  export const BOUNDS: i32 = 5;
  export const BEGIN: i32 = 6;
  export const READY: i32 = 7;
}
let phase: i32 = Phase.LAY;
let cursor: i32 = 0, cursorPatch: i32 = 0, cursorLevel: i32 = 0;

let boundsProgram: i32 = 0, beginProgram: i32 = 0, stepProgram: i32 = 0, endProgram: i32 = 0;

/** Own operations of the programs. */
namespace Own {
  export const ALPHA: i32 = 32;
  export const CHECK: i32 = 33;
  export const BETA: i32 = 34;
  export const BEGIN: i32 = 35;
  export const BALANCE: i32 = 36;
  export const LINEAR: i32 = 37;
  export const PATCH: i32 = 38;
  export const OUTPUT: i32 = 39;
}
/** Scalars: pᵀAp, α, rᵀr, rᵀz of the scaled z, β, what takes z back; 8 and 9 for the bounds. */
const PAP: i32 = 0, ALPHA: i32 = 1, RR: i32 = 2, RZ: i32 = 3, BETA: i32 = 4, BACK: i32 = 5, BOUNDS: i32 = 8;

/** Reasons shown with INVALID_INPUT: number, then its place. */
namespace Reason {
  export const JACOBIAN: f64 = 1;
  export const SUPPORT: f64 = 2;
  export const LOAD: f64 = 3;
  export const PROBE: f64 = 4;
}
function refuse(reason: f64, first: f64, second: f64): void {
  show(0, reason); show(1, first); show(2, second); show(3, 0);
  fail(Status.INVALID_INPUT);
}

function layout(): void {
  layGeometry();
  layLevels();
  const corners = allocate(<usize>cornerCount() << 2);
  for (let l = 0; l < levelCount(); l++) {
    shareLevel(l, corners);
    setLevelField(l, LevelField.FLAGS, <i32>allocate(<usize>levelSize(l)));
  }
  layState();
}

function layDerived(): void {
  const d = unknownsPerNode();
  layElementSlots();
  layElement();
  layBoundary();
  layRows(0);
  layInversion();
  const ofCycle = cycleBytes(0);
  roomBytes = max(ofCycle + diagonalBytes(0), cellBytes());
  room = allocate(roomBytes);
  layCycle(0, room);
  setLevelField(0, LevelField.DIAGONAL, <i32>(room + ofCycle));
  layCells(room);
  for (let l = 1; l < levelCount(); l++) {
    layRows(l);
    setLevelField(l, LevelField.DIAGONAL, <i32>allocate(diagonalBytes(l)));
  }
  loads = allocateVector(0, d);
  layAssembly();
  layProgram();
  layOutput(x);
  layPrograms();
}

function layPrograms(): void {
  boundsProgram = programEnd();
  emitBounds(BOUNDS);
  emit(Op.END, 0, 0, 0);
  beginProgram = programEnd();
  emit(Op.SUBTRACT, 0, x, r);
  emit(Op.COLLECT, 0, r, 0);
  emit(Op.DOT, 0, r, r, RR);
  emit(Own.BEGIN, 0, 0, 0);
  emitCycle(r, RZ);
  emit(Own.BETA, 0, 0, 0);
  emit(Op.XPAY, 0, correction(0), p, BETA);
  emit(Op.END, 0, 0, 0);
  stepProgram = programEnd();
  emit(Op.APPLY, 0, p, residual(0));
  emit(Op.DOT, 0, p, residual(0), PAP);
  emit(Op.COLLECT, 0, residual(0), 0);
  emit(Own.ALPHA, 0, 0, 0);
  emit(Op.AXPY, 0, p, x, ALPHA, 1);
  emit(Op.AXPY, 0, residual(0), r, ALPHA, -1);
  emit(Op.DOT, 0, r, r, RR);
  emit(Own.CHECK, 0, 0, 0);
  emitCycle(r, RZ);
  emit(Own.BETA, 0, 0, 0);
  emit(Op.XPAY, 0, correction(0), p, BETA);
  emit(Op.END, 0, 0, 0);
  endProgram = programEnd();
  emit(Op.APPLY, 0, x, residual(0));
  emit(Own.BALANCE, 0, 0, 0);
  emit(Own.LINEAR, 0, 0, 0);
  emit(Op.APPLY, 0, p, residual(0));
  emit(Own.PATCH, 0, 0, 0);
  emit(Own.OUTPUT, 0, 0, 0);
  emit(Op.END, 0, 0, 0);
}

/** Supports, flags of all levels, loads. */
function layConditions(): void {
  const support = applySupports(correction(0), residual(0));
  memory.fill(room, 0, roomBytes);
  if (support >= 0) { refuse(Reason.SUPPORT, <f64>support, 0); return; }
  if (!restrained()) { fail(Status.UNDER_CONSTRAINED); return; }
  for (let l = 1; l < levelCount(); l++) inheritFlags(l);
  for (let l = 0; l < levelCount(); l++) listFixed(l);
  const load0 = applyLoads(loads);
  if (load0 >= 0) refuse(Reason.LOAD, <f64>load0, 0);
  sumApplied();
}

/** Work of a cell and of a coarse cell; of a node of the diagonal and the vectors. */
@inline function cellWork(): i32 { return unknownsPerNode() == 1 ? 2600 : 6500; }
@inline function coarseWork(): i32 { return unknownsPerNode() == 1 ? 500 : 1800; }

/** Assembles some rows of cells; returns their work. */
function assemble(l: i32, perCell: i32): i32 {
  const grid = gridAt(l, cursorPatch), rows = assembleRows(l, cursorPatch, cursor, loads);
  if (rows == 0) refuse(Reason.JACOBIAN, <f64>cursorPatch, <f64>failedRow);
  cursor += rows;
  if (cursor == cellsT(grid)) { cursor = 0; cursorPatch++; }
  return <i32>min<i64>(<i64>perCell * cellsS(grid) * rows, i32.MAX_VALUE);
}

function assembleSome(budget: i32): i32 {
  while (budget > 0 && cursorPatch < patchCount() && running()) budget -= assemble(0, cellWork());
  if (cursorPatch == patchCount()) { phase = Phase.COARSE; cursorPatch = 0; cursor = 0; cursorLevel = 2; }
  return budget;
}

function assembleSomeCoarse(budget: i32): i32 {
  while (budget > 0 && cursorLevel < levelCount()) {
    budget -= assemble(cursorLevel, coarseWork());
    if (cursorPatch == patchCount()) { cursorPatch = 0; cursorLevel++; }
  }
  if (cursorLevel == levelCount()) phase = Phase.BOTTOM;
  return budget;
}

function layLast(): void {
  memory.fill(room, 0, roomBytes);
  for (let l = 1; l < levelCount(); l++) invertDiagonal(l);
  // The largest entry of a positive definite matrix stands on its diagonal.
  roundCoefficients(invertDiagonal(0));
  for (let l = 0; l < bottomLevel(); l++) roughen(l);
  collect(0, loads, unknownsPerNode());
  layBottom();
  fillBottom();
  phase = Phase.FACTOR;
  cursor = 0;
}

function factorSome(budget: i32): i32 {
  while (budget > 0 && cursor < envelopeOrder()) {
    if (!factorRow(cursor)) { fail(Status.UNDER_CONSTRAINED); return 0; }
    budget -= <i32>factorWork(cursor);
    cursor++;
  }
  if (cursor == envelopeOrder()) { phase = Phase.BOUNDS; jump(boundsProgram); }
  return budget;
}

/** Goes on with the preparation; true when the phase `until` is reached. */
function prepare(budget: i32, until: i32): bool {
  while (running() && phase < until) {
    if (budget <= 0) return false;
    switch (phase) {
      case Phase.LAY:
        layDerived();
        layConditions();
        cursor = 0; cursorPatch = 0;
        phase = Phase.CELLS;
        budget -= numbers;
        break;
      case Phase.CELLS: budget = assembleSome(budget); break;
      case Phase.COARSE: budget = assembleSomeCoarse(budget); break;
      case Phase.BOTTOM: layLast(); budget -= 4 * numbers; break;
      case Phase.FACTOR: budget = factorSome(budget); break;
      case Phase.BOUNDS:
        budget = run(budget);
        if (opCode() == Op.END) phase = Phase.BEGIN;
        break;
      default: budget = begin(budget); break;
    }
  }
  return true;
}

/** r₀ = f − K x₀ on the free unknowns, z = M⁻¹ r₀, p = z. */
function begin(budget: i32): i32 {
  budget = run(budget);
  if (opCode() == Own.BEGIN) {
    store<f64>(body, sqrt(scalar(RR)), 16);
    if (scalar(RR) == 0) { phase = Phase.READY; return budget; }
    store<f64>(body, 1, 24);
    setScalar(BACK, scaleCycle(sqrt(scalar(RR))));
    nextOp();
  } else if (opCode() == Own.BETA) {
    store<f64>(body, scalar(RZ) * scalar(BACK));
    setScalar(BETA, 0);
    nextOp();
  } else if (opCode() == Op.END) phase = Phase.READY;
  return budget;
}

function preparationWork(): i64 {
  let total: i64 = <i64>numbers * 5 + <i64>levelField(0, LevelField.CELLS) * cellWork();
  for (let l = 2; l < levelCount(); l++) total += <i64>levelField(l, LevelField.CELLS) * coarseWork();
  for (let i = 0; i < envelopeOrder(); i++) total += factorWork(i);
  return total + programWork(boundsProgram, stepProgram);
}

let begun: bool = false;
let opened: bool = false;

export function configure(length: i32): usize {
  opened = false; begun = false; between = true; ending = false;
  phase = Phase.LAY;
  return configureFrame(length);
}

export function start(budget: i32): i32 {
  if (!opened) { opened = true; layout(); }
  if (!prepare(budget, Phase.BEGIN)) return 0;
  if (running() && !begun) { begun = true; placeStart(); }
  if (running() && !prepare(budget, Phase.READY)) return 0;
  if (running()) spend(preparationWork());
  return 1;
}

/** x₀ is the prescribed displacement, r begins as f. */
function placeStart(): void {
  jump(beginProgram);
  placeSupports();
  memory.copy(r, loads, <usize>numbers << 3);
}

/** The supports' values are found again. */
function placeSupports(): void {
  memory.fill(correction(0), 0, <usize>numbers << 3);
  memory.fill(residual(0), 0, <usize>numbers << 3);
  applySupports(correction(0), residual(0));
  const list = <usize>levelField(0, LevelField.FIXED), count = levelField(0, LevelField.FIXED_COUNT);
  for (let n = 0; n < count; n++) {
    const o = <usize>load<i32>(list + (<usize>n << 2)) << 3;
    store<f64>(x + o, load<f64>(correction(0) + o));
  }
}

export function restore(length: i32): usize {
  layout();
  return restoreState(length);
}

export function resumed(budget: i32): i32 {
  return prepare(budget, Phase.BEGIN) ? 1 : 0;
}

// ---- iteration -------------------------------------------------------------------------------------------

/** True between two steps. */
let between: bool = true;

export function advance(steps: i32, budget: i32): i32 {
  let taken = 0;
  while (taken < steps && running() && budget > 0) {
    if (between) { jump(startSize() == 0 ? endProgram : stepProgram); between = false; }
    budget = run(budget);
    const code = opCode();
    if (code >= Op.OWN) { own(code); continue; }
    if (code != Op.END) continue;
    endStep();
    taken++;
  }
  return taken;
}

function endStep(): void {
  between = true;
  countStep();
  spend(programWork(stepProgram, endProgram));
  if (ending) { spend(programWork(endProgram, programEnd()) + 40 * <i64>numbers); finish(); }
  ending = false;
}

let ending: bool = false;

function own(code: i32): void {
  switch (code) {
    case Own.ALPHA: ratioAlpha(); break;
    case Own.CHECK: check(); return;
    case Own.BETA: {
      const next = scalar(RZ) * scalar(BACK);
      setScalar(BETA, next / rho());
      store<f64>(body, next);
      break;
    }
    case Own.BALANCE: ending = true; balance(); break;
    case Own.LINEAR: linear(); break;
    case Own.PATCH: patchTest(); break;
    default: if (!writeQuantity()) refuse(Reason.PROBE, 0, 0); else writeFields(); break;
  }
  nextOp();
}

/** α = ρ / pᵀAp. */
function ratioAlpha(): void {
  const curvature = scalar(PAP);
  if (!isFiniteF64(curvature) || !isFiniteF64(rho())) fail(Status.NON_FINITE);
  else if (!(curvature > 0)) stalled();
  setScalar(ALPHA, rho() / curvature);
}

function check(): void {
  const relative = sqrt(scalar(RR)) / startSize();
  setScalar(BACK, scaleCycle(sqrt(scalar(RR))));
  store<f64>(body, iteration() + 1, 8);
  store<f64>(body, relative, 24);
  show(0, iteration()); show(1, relative); show(2, tolerance());
  if (relative <= tolerance()) jump(endProgram);
  else if (iteration() >= iterationLimit()) stalled();
  else nextOp();
}

function stalled(): void {
  show(0, iteration()); show(1, relativeResidual()); show(2, tolerance());
  fail(Status.DID_NOT_CONVERGE);
}

// ---- what the gates read ---------------------------------------------------------------------------------

/** Energy, external work, reactions and the true residual; residual(0) holds K x (parted). */
function balance(): void {
  const d = unknownsPerNode(), force = residual(0), scratch = p;
  collect(0, force, d);
  const strain = 0.5 * dot(x, force, numbers, scratch);
  let external = 0.5 * dot(x, loads, numbers, scratch);
  let size = appliedSize();
  const list = <usize>levelField(0, LevelField.FIXED), count = levelField(0, LevelField.FIXED_COUNT);
  for (let c = 0; c < d; c++) setOutput(6 + c, 0);
  let sumX = 0.0, sumY = 0.0;
  for (let n = 0; n < count; n++) {
    const index = load<i32>(list + (<usize>n << 2)), o = <usize>index << 3;
    const reaction = load<f64>(force + o) - load<f64>(loads + o);
    if (index < levelSize(0)) sumX += reaction;
    else sumY += reaction;
    size += abs(reaction);
    external += 0.5 * reaction * load<f64>(x + o);
  }
  setOutput(22, pinned(force, loads));
  for (let n = 0; n < numbers; n++) {
    const o = <usize>n << 3;
    store<f64>(force + o, load<f64>(loads + o) - load<f64>(force + o));
  }
  zeroFixed<f64>(0, force);
  const left = sqrt(dot(force, force, numbers, scratch));
  setOutput(2, strain); setOutput(3, external);
  setOutput(4, applied(0)); setOutput(5, d == 1 ? 0 : applied(1));
  setOutput(6, sumX); setOutput(7, sumY);
  setOutput(8, size);
  setOutput(10, iteration()); setOutput(11, relativeResidual());
  setOutput(12, startSize() > 0 ? left / startSize() : left);
}

/** The linear field into p, its boundary loads into correction(0). */
function linear(): void {
  const d = unknownsPerNode();
  memory.fill(correction(0), 0, <usize>numbers << 3);
  linearLoads(correction(0));
  collect(0, correction(0), d);
  linearField(p);
}

/**
 * max |K u_lin − f_lin| over max |D u_lin|, the largest single term of the sums: the residual of the patch test
 * (Zienkiewicz & Taylor 1, ch. 10); and what the output reads off the same field.
 */
function patchTest(): void {
  const d = unknownsPerNode(), force = residual(0), inverse = <usize>levelField(0, LevelField.DIAGONAL);
  collect(0, force, d);
  let off = 0.0, field = 0.0, stiffest = 0.0;
  for (let n = 0; n < numbers; n++) {
    const o = <usize>n << 3;
    off = max(off, abs(load<f64>(force + o) - load<f64>(correction(0) + o)));
    field = max(field, abs(load<f64>(p + o)));
    const flexible = load<f64>(inverse + o);
    if (flexible > 0) stiffest = max(stiffest, 1 / flexible);
  }
  const residue = stiffest > 0 ? off / (stiffest * field) : off / field;
  setOutput(9, max(residue, readingError(p)));
}
