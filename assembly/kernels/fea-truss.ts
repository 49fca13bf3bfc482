// Pin-jointed truss: K u = F with K = Σ EA/L (n nᵀ) over bars, solved directly by LDLᵀ in envelope storage
// (W. McGuire, R. Gallagher, R. Ziemian, Matrix Structural Analysis, ch. 3). A zero pivot is a mechanism.
// Parameters and result: assembly/fem/truss.ts. One step. State body: displacements less the shift, D·n f64.

import { addEntry, closeEnvelope, envelopeOrder, factorRow, factorWork, openEnvelope, solveEnvelope, widen } from "../fem/envelope";
import {
  TRUSS_HEAD, barCount, barDirection, barEnd, barStart, barStiffness, dimensions, freeCount, freeNumber, jointCount, placeOf,
  prescribed, readTruss, shift, trussComponent, trussLoadAt, trussLoads, trussQuantity, trussTarget,
} from "../fem/truss";
import {
  allocate, countStep, fail, finish, openResult, openState, parameters, restoreState, running, show, spend, watchFinite,
} from "../kernel/frame";
import { Status } from "../kernel/status";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

let displacement: usize = 0;
let right: usize = 0;
/** External force and internal force on every unknown. */
let external: usize = 0, internal: usize = 0;
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
  external = allocate(<usize>total << 3);
  internal = allocate(<usize>total << 3);
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
  const d = dimensions();
  openEnvelope(freeCount);
  for (let b = 0; b < barCount(); b++) eachPair(b, false);
  closeEnvelope();
  for (let a = 0; a < jointCount(); a++) {
    for (let c = 0; c < d; c++) {
      if (freeNumber(a, c) >= 0) add(right, freeNumber(a, c), load<f64>(external + (<usize>(a * d + c) << 3)));
    }
  }
  for (let b = 0; b < barCount(); b++) eachPair(b, true);
}

/** Block (±EA/L) n nᵀ of bar b: widens the envelope, or adds to it and moves prescribed displacements to the right. */
function eachPair(b: i32, fill: bool): void {
  const d = dimensions();
  for (let s = 0; s < 2; s++) {
    for (let t = 0; t < 2; t++) {
      const ja = s == 0 ? barStart(b) : barEnd(b), jb = t == 0 ? barStart(b) : barEnd(b);
      const stiffness = s == t ? barStiffness(b) : -barStiffness(b);
      for (let c = 0; c < d; c++) {
        for (let e = 0; e < d; e++) {
          const i = freeNumber(ja, c), j = freeNumber(jb, e);
          if (i < 0) continue;
          if (!fill) { if (j >= 0) widen(i, j); continue; }
          const value = stiffness * barDirection(b, c) * barDirection(b, e);
          if (j >= 0) addEntry(i, j, value);
          else add(right, i, -value * prescribed(jb, e));
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
  solveEnvelope(right);
  for (let a = 0; a < jointCount(); a++) {
    for (let c = 0; c < dimensions(); c++) {
      const number = freeNumber(a, c);
      store<f64>(displacement + (<usize>(a * dimensions() + c) << 3), number < 0 ? prescribed(a, c) : load<f64>(right + (<usize>number << 3)));
    }
  }
  writeResult();
  let total: i64 = <i64>(barCount() * 2000 + jointCount() * 100 + 1000);
  for (let i = 0; i < envelopeOrder(); i++) total += factorWork(i);
  spend(total);
  countStep();
  if (running()) finish();
  return 1;
}

// ---- result ----------------------------------------------------------------------------------------------

@inline function set(i: i32, value: f64): void { store<f64>(resultAt + (<usize>i << 3), value); }
@inline function moved(i: i32): f64 { return load<f64>(displacement + (<usize>i << 3)); }

/** N = EA/L n·(u_j − u_i). */
function barForce(b: i32): f64 {
  let longer = 0.0;
  for (let c = 0; c < dimensions(); c++) {
    longer += barDirection(b, c) * (moved(barEnd(b) * dimensions() + c) - moved(barStart(b) * dimensions() + c));
  }
  return barStiffness(b) * longer;
}

function writeResult(): void {
  const d = dimensions(), total = jointCount() * d;
  const forces = TRUSS_HEAD + total;
  let largestForce = 0.0, largestMove = 0.0, energy = 0.0;
  for (let b = 0; b < barCount(); b++) {
    const force = barForce(b);
    set(forces + b, force);
    largestForce = max(largestForce, abs(force));
    energy += 0.5 * force * force / barStiffness(b);
    for (let c = 0; c < d; c++) {
      add(internal, barEnd(b) * d + c, force * barDirection(b, c));
      add(internal, barStart(b) * d + c, -force * barDirection(b, c));
    }
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
  let done = 0.0, size = 0.0, off = 0.0;
  for (let a = 0; a < jointCount(); a++) {
    for (let c = 0; c < d; c++) {
      const i = a * d + c, outside = load<f64>(external + (<usize>i << 3));
      const rest = load<f64>(internal + (<usize>i << 3)) - outside;
      done += 0.5 * outside * moved(i);
      size += abs(outside);
      set(4 + c, load<f64>(resultAt + (<usize>(4 + c) << 3)) + outside);
      if (freeNumber(a, c) >= 0) { off = max(off, abs(rest)); continue; }
      done += 0.5 * rest * moved(i);
      size += abs(rest);
      set(7 + c, load<f64>(resultAt + (<usize>(7 + c) << 3)) + rest);
    }
  }
  set(2, energy);
  set(3, done);
  set(10, size);
  set(11, largestForce > 0 ? off / largestForce : off);
}
