// multibody: N gravitating bodies by a symplectic scheme with a fixed step.
//
//   H = Σ pᵢ²/2mᵢ + U(x);   drift(τ): x ← x + τ v,   kick(τ): v ← v + τ a(x)
//
// A step is a palindrome of drifts and kicks, so it is symplectic, reversible, and conserves momentum and
// angular momentum; the energy error stays bounded.
//
//   leapfrog   order 2   kick-drift-kick (Störmer; Verlet 1967)
//   pefrl      order 4   Omelyan, Mryglod & Folk, Comput. Phys. Commun. 146 (2002) 188, eq. (20)
//   yoshida6   order 6   Yoshida, Phys. Lett. A 150 (1990) 262, solution A: seven leapfrogs of steps w₃ … w₃
//
// The energy is taken at every step's end. Where a scheme ends with a kick, U is left over from its force; pefrl
// ends with a drift and evaluates U once more. Time is t0 + i h with h = t_max / n, never a running sum.
//
// Parameters: ../nbody/problem.ts. State body: positions, velocities, carries (../nbody/bodies.ts), then the
// conserved quantities (../nbody/conserved.ts). One step of the scheme is a step of the kernel.
//
// A run that goes on from an earlier one takes its state and its h, and gives what one run to the same end gives:
// positions, velocities, carries and conserved quantities to the bit (the momenta where the rows are the same).

import { configure as configureFrame, countStep, openState, restoreState, running, spend, stepsDone, watchFinite } from "../kernel/frame";
import { bodiesStateBytes, drift, kick, layBodies, massesAt, placeBodies, positionsAt, stride, count } from "../nbody/bodies";
import { CONSERVED, layConserved, measureStart, recordEnergy } from "../nbody/conserved";
import { keepContinuation, stepBefore, stepsBefore, takeUp } from "../nbody/continued";
import { evaluateForce, evaluatePotential, forceCost, layForce, potentialCost, potentialEnergy } from "../nbody/force";
import {
  duration, isContinued, sampling, schemeCode, startTime, stepCount,
} from "../nbody/problem";
import { continuationAt, finishRecord, keepRow, layResultOver, layRows, noRoomForRow, showProgress } from "../nbody/record";
import { openSlice, sliceSpent, take } from "../nbody/slice";

export {
  status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

// ---- the schemes: coefficients in units of h, one after another, drift and kick in turn -------------------

const KICK_FIRST: i32 = 0;
const DRIFT_FIRST: i32 = 1;

const leapfrog: StaticArray<f64> = [0.5, 1.0, 0.5];

const XI: f64 = 0.1786178958448091;
const LAMBDA: f64 = -0.2123418310626054;
const CHI: f64 = -0.06626458266981849;
const pefrl: StaticArray<f64> = [
  XI, 0.5 * (1.0 - 2.0 * LAMBDA), CHI, LAMBDA, 1.0 - 2.0 * (CHI + XI), LAMBDA, CHI, 0.5 * (1.0 - 2.0 * LAMBDA), XI,
];

const W1: f64 = -1.17767998417887;
const W2: f64 = 0.235573213359357;
const W3: f64 = 0.784513610477560;
const W0: f64 = 1.0 - 2.0 * (W1 + W2 + W3);
/** Neighbouring half kicks are one. */
const yoshida6: StaticArray<f64> = [
  0.5 * W3, W3, 0.5 * (W3 + W2), W2, 0.5 * (W2 + W1), W1, 0.5 * (W1 + W0), W0, 0.5 * (W0 + W1), W1, 0.5 * (W1 + W2), W2,
  0.5 * (W2 + W3), W3, 0.5 * W3,
];

let coefficients: usize = 0;
let stages: i32 = 0;
/** Parity of the stages that are kicks. */
let kickParity: i32 = 0;
let stepCost: i64 = 0;

function useScheme(table: StaticArray<f64>, first: i32): void {
  coefficients = changetype<usize>(table);
  stages = table.length;
  kickParity = first;
}

function chooseScheme(): void {
  const code = schemeCode();
  if (code == 0) useScheme(leapfrog, KICK_FIRST);
  else if (code == 1) useScheme(pefrl, DRIFT_FIRST);
  else if (code == 2) useScheme(yoshida6, KICK_FIRST);
  else unreachable();
  const forces = stages >> 1;
  stepCost = forces * forceCost() + (endsWithDrift() ? potentialCost() : 0) + stages * stageCost() + closingCost();
}

@inline function stageCost(): i64 { return 2 * count + 5; }
/** The energy, and what a step costs whatever it does. */
@inline function closingCost(): i64 { return 2 * count + 30; }
@inline function endsWithDrift(): bool { return kickParity != ((stages - 1) & 1); }

const ROWS_BETWEEN_DRAINS: i32 = 64;

// ---- the run ---------------------------------------------------------------------------------------------

let bodyAt: usize = 0;
let bodyBytes: usize = 0;
let length: f64 = 0;
/** Steps that an earlier run did. */
let firstStep: u64 = 0;
let lastStep: u64 = 0;
/** The next step that keeps a row. */
let rowStep: u64 = 0;
let stage: i32 = 0;
/** The accelerations belong to the positions. */
let fresh: bool = false;
let laid: bool = false;

function layOut(): void {
  const bodies = bodiesStateBytes();
  bodyBytes = bodies + CONSERVED * 8;
  bodyAt = openState(bodyBytes);
  layRows(ROWS_BETWEEN_DRAINS);
  layBodies(bodyAt);
  layConserved(bodyAt + bodies);
  layForce();
  layResultOver(massesAt, bodyBytes);
  chooseScheme();
  firstStep = stepsBefore();
  lastStep = stepCount();
  length = duration() / <f64>lastStep;
  if (isContinued()) length = stepBefore();
  watchFinite(positionsAt, 12 * (<i32>stride >> 3));
  stage = 0;
  fresh = false;
  laid = true;
}

/** A used instance may have been left anywhere. */
export function configure(bytes: i32): usize { laid = false; return configureFrame(bytes); }

export function start(budget: i32): i32 {
  if (isContinued()) return goOn(budget);
  if (!laid) { layOut(); placeBodies(); }
  openSlice(budget);
  if (!evaluateForce()) return 0;
  laid = false;
  fresh = true;
  measureStart(potentialEnergy());
  recordEnergy(potentialEnergy());
  keepRow(startTime());
  rowStep = firstStep + sampling();
  showProgress(startTime());
  return 1;
}

/** From the state of the earlier run: nothing is measured, which a run that had not ended would not have measured. */
function goOn(budget: i32): i32 {
  if (!laid) { layOut(); takeUp(bodyAt, bodyBytes); }
  if (!resumed(budget)) return 0;
  laid = false;
  keepRow(timeNow());
  return 1;
}

export function restore(bytes: i32): usize {
  layOut();
  return restoreState(bytes);
}

/** A scheme that begins with a kick needs the accelerations at the restored positions. */
export function resumed(budget: i32): i32 {
  showProgress(timeNow());
  rowStep = firstStep + ((stepsDone() - firstStep) / sampling() + 1) * sampling();
  if (endsWithDrift()) return 1;
  openSlice(budget);
  if (!evaluateForce()) return 0;
  fresh = true;
  return 1;
}

export function advance(steps: i32, budget: i32): i32 {
  openSlice(budget);
  let taken = 0;
  while (taken < steps && running() && !noRoomForRow()) {
    if (!goThroughStages() || !closeStep()) break;
    taken++;
    if (sliceSpent()) break;
  }
  showProgress(timeNow());
  return taken;
}

@inline function timeNow(): f64 { return startTime() + <f64>stepsDone() * length; }

/** Drifts and kicks in turn; false when the slice was spent inside a force evaluation. */
function goThroughStages(): bool {
  while (stage < stages) {
    const tau = length * load<f64>(coefficients + (<usize>stage << 3));
    if ((stage & 1) == kickParity) {
      if (!fresh && !evaluateForce()) return false;
      fresh = true;
      kick(tau);
    } else {
      drift(tau);
      fresh = false;
    }
    take(stageCost());
    stage++;
  }
  return true;
}

function closeStep(): bool {
  if (!fresh && !evaluatePotential()) return false;
  recordEnergy(potentialEnergy());
  stage = 0;
  countStep();
  spend(<u64>stepCost);
  take(closingCost());
  const done = stepsDone();
  if (done == rowStep || done == lastStep) {
    rowStep += sampling();
    keepRow(timeNow());
  }
  if (done == lastStep) conclude();
  return true;
}

function conclude(): void {
  finishRecord(1 + (lastStep - firstStep + sampling() - 1) / sampling());
  keepContinuation(continuationAt(), lastStep, length, duration(), bodyAt, bodyBytes);
}
