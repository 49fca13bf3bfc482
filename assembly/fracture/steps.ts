// Load steps of a plate of `fracture`. A step that takes more than 200 turns is taken back and halved, at most twice; one
// that makes energy, or loses some though the force hardly falls, at most four times, where all such steps together make
// or lose more than a share of the work; one that passes the largest force too far from it, at most eight times (peak.ts). The
// next step begins with parts twice as large as the last ones.
//
// Head and rows: assembly/fracture/problem.ts, assembly/kernels/fracture.ts.

import { allocate, appendRow, countStep, fail, parameterF64, show, stepsDone } from "../kernel/frame";
import { Status } from "../kernel/status";
import { energies, ux, uy } from "./cells";
import { driveField, surfaceEnergy } from "./damage";
import { reactionX, reactionY } from "./elastic";
import { calmWidth, isRising, layPeak, notePart, passesPeak } from "./peak";
import { M, N, at, fieldBytes, isShear, loadAt } from "./problem";
import { Turn, beginTurns, elasticNow, energyNow, hasConverged, moved, takeTurn, turns } from "./turns";

/** Bytes of a row. */
export const ROW: i32 = 56;
/** Turns after which a load step is halved, and how often. */
const PATIENCE: i32 = 200, HALVINGS: i32 = 2;
/** How often it is halved for the sake of the balance. */
const REFINEMENTS: i32 = 4;
/** How often it is halved for the sake of the largest force. */
const PEAK: i32 = 8;
/** Shares of the work that all parts may lose or make together, and below which one by itself is let pass. */
const BALANCED: f64 = 4e-4, NEGLIGIBLE: f64 = 5e-6;
const MOST_TURNS: i32 = 4000;
/** A fall of the reaction by more than this share is a break. */
const FALL: f64 = 0.01;

let head: usize = 0, d: usize = 0, lower: usize = 0, keptX: usize = 0, keptY: usize = 0;
let before: u64 = 0, last: u64 = 0;
/** Of the load step that is being taken: nothing of it outlives the step but its level, which is in the head. */
let isNewStep: bool = true, isInPart: bool = false, level: i32 = 0, stepTurns: i32 = 0;
let position: f64 = 0, displacement: f64 = 0, forceBefore: f64 = 0, energyBefore: f64 = 0, workBefore: f64 = 0;

@inline function get(offset: usize): f64 { return load<f64>(head + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(head + offset, value); }

/** `done`: load steps of earlier jobs. */
export function laySteps(state: usize, damage: usize, bottom: usize, done: u64): void {
  layPeak(state);
  head = state; d = damage; lower = bottom; before = done;
  last = <u64>parameterF64(104);
  keptX = allocate(fieldBytes); keptY = allocate(fieldBytes);
  isNewStep = true; isInPart = false; level = 0; stepTurns = 0; position = 0.0;
}

/** Whether all load steps are done. */
export function isLastDone(): bool { return before + stepsDone() == last; }

// ---- parts of a step -----------------------------------------------------------------------------------

@inline function isWhole(x: f64): bool { return x == floor(x); }

/** The next part of the load step: displacements grow in proportion, or evenly from nothing. */
function beginPart(): void {
  if (isNewStep) {
    isNewStep = false;
    level = <i32>get(144);
    stepTurns = 0; forceBefore = get(16); energyBefore = get(24) + get(32); workBefore = get(48);
  }
  const width = calmWidth();
  while (level < PEAK && loadAt(1.0) > width * <f64>(1 << level)) level++;
  memory.copy(lower, d, fieldBytes);
  memory.copy(keptX, ux, fieldBytes);
  memory.copy(keptY, uy, fieldBytes);
  beginAt(position + 1.0 / <f64>(1 << level));
}

function beginAt(next: f64): void {
  const last = get(8);
  displacement = loadAt(<f64>(before + stepsDone()) + next);
  if (last != 0.0) scale(displacement / last); else ramp(displacement);
  clamp(displacement);
  beginTurns();
  isInPart = true;
}

/** The grips of displacement U. */
export function clamp(U: f64): void {
  const end = at(0, 0, M), inX = isShear ? 0.5 * U : 0.0, inY = isShear ? 0.0 : 0.5 * U;
  for (let i = 0; i <= N; i++) {
    const k = <usize>i << 3;
    store<f64>(ux + k, -inX); store<f64>(uy + k, -inY);
    store<f64>(ux + end + k, inX); store<f64>(uy + end + k, inY);
  }
}

function scale(factor: f64): void {
  for (let k: usize = 0; k < fieldBytes; k += 8) {
    store<f64>(ux + k, factor * load<f64>(ux + k));
    store<f64>(uy + k, factor * load<f64>(uy + k));
  }
}

function ramp(U: f64): void {
  for (let j = 0; j <= M; j++) {
    const share = U * (<f64>(2 * j - M) / <f64>(2 * M));
    for (let i = 0; i <= N; i++) store<f64>(at(isShear ? ux : uy, i, j), share);
  }
}

function takeBack(): void {
  memory.copy(d, lower, fieldBytes);
  memory.copy(ux, keptX, fieldBytes);
  memory.copy(uy, keptY, fieldBytes);
  level++;
  isInPart = false;
}

function showTurns(): void {
  show(0, <f64>turns); show(1, moved); show(2, parameterF64(112)); show(3, <f64>(before + stepsDone()));
}

function endTurn(): void {
  stepTurns++;
  showTurns();
  if (hasConverged) return;
  if (level < PEAK && isBreaking()) { takeBack(); return; }
  if (level < REFINEMENTS && isLosing()) takeBack();
  else if (turns >= PATIENCE && level < HALVINGS) takeBack();
  else if (turns >= MOST_TURNS) giveUp();
}

/** Whether the reaction has not fallen by so much since the last part that the body breaks. */
@inline function holds(force: f64): bool { return force >= (1.0 - FALL) * get(16); }

/** Whether a loss of energy is too much beside the work, with those of the stable parts before. */
function isUnbalanced(lost: f64, whole: f64): bool {
  const isStable = get(16) >= (1.0 - FALL) * forceBefore, ofStep = get(48) - workBefore - (get(24) + get(32) - energyBefore);
  const sum = get(88) - get(96) + (isStable ? ofStep : 0.0) + lost;
  return abs(lost) > NEGLIGIBLE * whole && abs(sum) > BALANCED * whole;
}

/**
 * Whether energy is lost though the force has hardly fallen: turns only lower the energy, so that the part will end with
 * a loss, or with a break whose load smaller parts meet better. Twice the elastic energy is the force times U.
 */
function isLosing(): bool {
  const force = 2.0 * elasticNow / displacement, done = 0.5 * (force + get(16)) * (displacement - get(8));
  const lost = done - (energyNow - get(24) - get(32));
  return lost > 0.0 && holds(force) && isUnbalanced(lost, get(48) + done);
}

/** Whether the force has fallen so far from its largest value that the body breaks, while the load can come closer to it. */
function isBreaking(): bool {
  const force = 2.0 * elasticNow / displacement;
  return !holds(force) && passesPeak(displacement, force);
}

export function giveUp(): void {
  showTurns();
  fail(Status.DID_NOT_CONVERGE);
}

function acceptPart(): void {
  const force = isShear ? reactionX : reactionY, U = displacement, done = 0.5 * (force + get(16)) * (U - get(8));
  const gain = energies(d, driveField()) + surfaceEnergy(d) - get(24) - get(32);
  if (level < REFINEMENTS && isUnbalanced(done - gain, get(48) + done) && (gain > done || holds(force))) { takeBack(); return; }
  if (level < PEAK && passesPeak(U, force)) { takeBack(); return; }
  notePart(U, force);
  set(48, get(48) + done);
  set(8, U);
  set(16, force);
  set(24, energies(d, driveField()));
  set(32, surfaceEnergy(d));
  set(72, get(72) + <f64>turns);
  set(112, max(get(112), abs(force * U / (2.0 * get(24)) - 1.0)));
  position += 1.0 / <f64>(1 << level);
  if (!isRising() && level > HALVINGS && isWhole(position * <f64>(1 << (level - 1)))) level--;
  isInPart = false;
  if (position >= 1.0) endStep();
}

function endStep(): void {
  const gain = get(24) + get(32) - energyBefore, done = get(48) - workBefore;
  const isStable = get(16) >= (1.0 - FALL) * forceBefore;
  set(80, max(get(80), <f64>stepTurns));
  if (isStable) { set(88, get(88) + done); set(96, get(96) + gain); } else set(120, get(120) + 1.0);
  set(104, max(get(104), (get(24) + get(32) - get(136) - get(48)) / get(48)));
  countStep();
  set(0, <f64>(before + stepsDone()));
  writeRow(isStable);
  set(144, <f64>max(level - 1, 0));
  isNewStep = true;
  position = 0.0;
}

/** Between the calls of `advance`: the next piece of a turn, or the next part of a step. */
export function task(): void {
  if (!isInPart) { beginPart(); return; }
  const what = takeTurn();
  if (what == Turn.ENDED) endTurn();
  else if (what == Turn.SETTLED) acceptPart();
}

/** U, F, energies, work, turns and whether the step was stable. */
export function writeRow(isStable: bool): void {
  const row = appendRow(ROW);
  for (let k = 0; k < 3; k++) store<f64>(row + (<usize>k << 3), get(8 + (<usize>k << 3)));
  store<f64>(row, get(32), 24);
  store<f64>(row, get(48), 32);
  store<f64>(row, <f64>stepTurns, 40);
  store<f64>(row, isStable ? 1.0 : 0.0, 48);
}
