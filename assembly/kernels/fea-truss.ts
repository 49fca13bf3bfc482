// Pin-jointed truss: K u = F with K = Σ EA/L (n nᵀ) over bars, solved directly by LDLᵀ in envelope storage
// (W. McGuire, R. Gallagher, R. Ziemian, Matrix Structural Analysis, ch. 3). A zero pivot is a mechanism.
//
// What the factors leave of F − K u is solved for again, and again, until it is rounding (N. Higham, Accuracy and Stability
// of Numerical Algorithms, ch. 12). It is summed bar by bar in double-double: beside bars 10¹² times as stiff f64 leaves a
// soft one no more than four digits, in K as in the stretch of a bar whose ends move alike.
//
// Parameters and result: assembly/fem/truss.ts. One step. State body: displacements less the shift, D·n f64.

import { addEntry, closeEnvelope, envelopeOrder, factorRow, factorWork, openEnvelope, solveEnvelope, widen } from "../fem/envelope";
import {
  TRUSS_HEAD, barCount, barDirection, barDirectionLow, barEnd, barStart, barStiffness, barStiffnessLow, dimensions, freeCount,
  freeNumber, jointCount, placeOf, prescribed, readTruss, shift, trussComponent, trussLoadAt, trussLoads, trussQuantity,
  trussTarget,
} from "../fem/truss";
import {
  allocate, countStep, fail, finish, openResult, openState, parameters, restoreState, running, show, spend, watchFinite,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { ddAdd, ddMul, low } from "../math/dd";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

/** Rounds of correction at most; each but the last must shrink it so much. */
const ROUNDS: i32 = 20;
const SHRINKS: f64 = 16;

/** Displacements less the shift, and what f64 leaves of them. */
let displacement: usize = 0, displacementLow: usize = 0;
let right: usize = 0;
/** External force and internal force on every unknown; force in every bar. Of the last two the low parts stand behind them. */
let external: usize = 0, internal: usize = 0, inBars: usize = 0;
let resultAt: usize = 0;
let row: i32 = 0;

function layout(): void {
  readTruss(parameters());
  const total = jointCount() * dimensions();
  displacement = openState(<usize>total << 3);
  watchFinite(displacement, total);
}

function prepare(): void {
  const total = jointCount() * dimensions();
  right = allocate(<usize>freeCount << 3);
  displacementLow = allocate(<usize>total << 3);
  external = allocate(<usize>total << 3);
  internal = allocate(<usize>total << 4);
  inBars = allocate(<usize>barCount() << 4);
  resultAt = openResult((TRUSS_HEAD + total + barCount()) << 3);
  for (let l = 0; l < trussLoads(); l++) {
    const record = trussLoadAt(l), joint = <i32>load<f64>(record);
    for (let c = 0; c < dimensions(); c++) add(external, joint * dimensions() + c, load<f64>(record + (<usize>c << 3), 8));
  }
  assemble();
  row = 0;
}

@inline function add(vector: usize, i: i32, value: f64): void {
  const to = vector + (<usize>i << 3);
  store<f64>(to, load<f64>(to) + value);
}

function assemble(): void {
  openEnvelope(freeCount);
  for (let b = 0; b < barCount(); b++) eachPair(b, false);
  closeEnvelope();
  for (let b = 0; b < barCount(); b++) eachPair(b, true);
}

/** Block (±EA/L) n nᵀ of bar b: widens the envelope, or adds to it. */
function eachPair(b: i32, fill: bool): void {
  const d = dimensions();
  for (let s = 0; s < 2; s++) {
    for (let t = 0; t < 2; t++) {
      const ja = s == 0 ? barStart(b) : barEnd(b), jb = t == 0 ? barStart(b) : barEnd(b);
      const stiffness = s == t ? barStiffness(b) : -barStiffness(b);
      for (let c = 0; c < d; c++) {
        for (let e = 0; e < d; e++) {
          const i = freeNumber(ja, c), j = freeNumber(jb, e);
          if (i < 0 || j < 0) continue;
          if (!fill) { widen(i, j); continue; }
          const value = stiffness * barDirection(b, c) * barDirection(b, e);
          addEntry(i, j, value);
        }
      }
    }
  }
}

export function start(budget: i32): i32 { layout(); prepare(); return 1; }
export function restore(length: i32): usize { layout(); return restoreState(length); }
export function resumed(budget: i32): i32 { prepare(); return 1; }

export function advance(steps: i32, budget: i32): i32 {
  let left: i64 = <i64>budget;
  while (row < envelopeOrder() && left > 0) {
    if (!factorRow(row)) { show(0, <f64>placeOf(row)); fail(Status.UNDER_CONSTRAINED); return 0; }
    left -= factorWork(row);
    row++;
  }
  if (row < envelopeOrder()) return 0;
  approach();
  writeResult();
  let total: i64 = <i64>(barCount() * 2000 + jointCount() * 100 + 1000);
  for (let i = 0; i < envelopeOrder(); i++) total += factorWork(i);
  spend(total);
  countStep();
  if (running()) finish();
  return 1;
}

// ---- correction ------------------------------------------------------------------------------------------

function approach(): void {
  const d = dimensions();
  for (let a = 0; a < jointCount(); a++)
    for (let c = 0; c < d; c++) if (freeNumber(a, c) < 0) store<f64>(displacement + (<usize>(a * d + c) << 3), prescribed(a, c));
  let before = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    pull();
    solveEnvelope(right);
    const size = correct();
    if (!(SHRINKS * size <= before) || size == 0) break;
    before = size;
  }
  pull();
}

/** Forces in the bars, on the joints, and what these leave of the loads on free ones, to the right. */
function pull(): void {
  const d = dimensions(), total = jointCount() * d;
  memory.fill(internal, 0, <usize>total << 4);
  for (let b = 0; b < barCount(); b++) {
    const force = forceOf(b), forceLow = low, at = inBars + (<usize>b << 4);
    store<f64>(at, force); store<f64>(at, forceLow, 8);
    for (let c = 0; c < d; c++) {
      const along = ddMul(force, forceLow, barDirection(b, c), barDirectionLow(b, c)), alongLow = low;
      addFinely(internal, barEnd(b) * d + c, along, alongLow);
      addFinely(internal, barStart(b) * d + c, -along, -alongLow);
    }
  }
  for (let a = 0; a < jointCount(); a++) {
    for (let c = 0; c < d; c++) {
      const i = a * d + c;
      if (freeNumber(a, c) >= 0) store<f64>(right + (<usize>freeNumber(a, c) << 3), -unbalanced(i));
    }
  }
}

/** N = EA/L n·(u_j − u_i). */
function forceOf(b: i32): f64 {
  const d = dimensions();
  let longer = 0.0, longerLow = 0.0;
  for (let c = 0; c < d; c++) {
    const i = barStart(b) * d + c, j = barEnd(b) * d + c;
    const apart = ddAdd(moved(j), movedLow(j), -moved(i), -movedLow(i));
    const more = ddMul(apart, low, barDirection(b, c), barDirectionLow(b, c));
    longer = ddAdd(longer, longerLow, more, low); longerLow = low;
  }
  return ddMul(longer, longerLow, barStiffness(b), barStiffnessLow(b));
}

function addFinely(vector: usize, i: i32, value: f64, valueLow: f64): void {
  const to = vector + (<usize>i << 4);
  store<f64>(to, ddAdd(load<f64>(to), load<f64>(to, 8), value, valueLow));
  store<f64>(to, low, 8);
}

/** Internal less external force. */
function unbalanced(i: i32): f64 {
  const at = internal + (<usize>i << 4);
  return ddAdd(load<f64>(at), load<f64>(at, 8), -load<f64>(external + (<usize>i << 3)), 0);
}

/** Adds the solution to the displacements; gives the largest size in it. */
function correct(): f64 {
  const d = dimensions();
  let most = 0.0;
  for (let a = 0; a < jointCount(); a++) {
    for (let c = 0; c < d; c++) {
      if (freeNumber(a, c) < 0) continue;
      const more = load<f64>(right + (<usize>freeNumber(a, c) << 3)), at = <usize>(a * d + c) << 3;
      store<f64>(displacement + at, ddAdd(load<f64>(displacement + at), load<f64>(displacementLow + at), more, 0));
      store<f64>(displacementLow + at, low);
      most = max(most, abs(more));
    }
  }
  return most;
}

// ---- result ----------------------------------------------------------------------------------------------

@inline function set(i: i32, value: f64): void { store<f64>(resultAt + (<usize>i << 3), value); }
@inline function moved(i: i32): f64 { return load<f64>(displacement + (<usize>i << 3)); }
@inline function movedLow(i: i32): f64 { return load<f64>(displacementLow + (<usize>i << 3)); }

function writeResult(): void {
  const d = dimensions(), total = jointCount() * d;
  const forces = TRUSS_HEAD + total;
  let largestForce = 0.0, largestMove = 0.0, energy = 0.0;
  for (let b = 0; b < barCount(); b++) {
    const force = load<f64>(inBars + (<usize>b << 4));
    set(forces + b, force);
    largestForce = max(largestForce, abs(force));
    energy += 0.5 * force * force / barStiffness(b);
  }
  for (let i = 0; i < total; i++) {
    const u = moved(i) + shift(i % d);
    set(TRUSS_HEAD + i, u);
    largestMove = max(largestMove, abs(u));
  }
  balance(energy, largestForce);
  const target = trussTarget();
  if (trussQuantity() == 0) { set(0, moved(target * d + trussComponent()) + shift(trussComponent())); set(1, largestMove); }
  else if (trussQuantity() == 1) { set(0, energy); set(1, largestMove); }
  else { set(0, load<f64>(resultAt + (<usize>(forces + target) << 3))); set(1, largestForce); }
}

function balance(energy: f64, largestForce: f64): void {
  const d = dimensions();
  let done = 0.0, doneLow = 0.0, size = 0.0, off = 0.0;
  for (let a = 0; a < jointCount(); a++) {
    for (let c = 0; c < d; c++) {
      const i = a * d + c, outside = load<f64>(external + (<usize>i << 3));
      const rest = unbalanced(i), isFree = freeNumber(a, c) >= 0, inside = internal + (<usize>i << 4);
      // Of what the supports move, load and reaction together: it is what the bars bear.
      const work = isFree
        ? ddMul(outside, 0, moved(i), movedLow(i))
        : ddMul(load<f64>(inside), load<f64>(inside, 8), moved(i), movedLow(i));
      done = ddAdd(done, doneLow, 0.5 * work, 0.5 * low); doneLow = low;
      size += abs(outside);
      set(4 + c, load<f64>(resultAt + (<usize>(4 + c) << 3)) + outside);
      if (isFree) { off = max(off, abs(rest)); continue; }
      size += abs(rest);
      set(7 + c, load<f64>(resultAt + (<usize>(7 + c) << 3)) + rest);
    }
  }
  set(2, energy);
  set(3, done);
  set(10, size);
  set(11, largestForce > 0 ? off / largestForce : off);
}
