// Verdict of a truss. Its reference is another formulation of statics, with the bar forces as unknowns beside the
// displacements, solved by elimination with row exchanges:
//
//   N_b − (EA/L)_b n_b·(u_j − u_i) = 0   for each bar        Σ N_b n_b = F   for each free joint and direction
//
// For a statically determinate truss the second set alone gives the forces (method of joints). It shares neither the
// stiffness matrix nor its factorisation with the kernel.
//
// Parameters: those of assembly/fem/truss.ts, then the result of the kernel.
// Extras: 0 energy, 1 … 3 Σ loads, 4 … 6 Σ reactions, 7 largest bar force or displacement, 8 reference, 9 … 48 diagnostics
//   of the forces, bar by bar
// Gates: 1 loads and reactions · 2 energy · 3 every joint · 4 exact · 6 largest, and every displacement and bar force

import {
  allocate, configure, countStep, drain, drainLength, fail, observe, observeLength, openState, parameters, restoreState,
  result, resultLength, running, show, spend, state, stateLength, status, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { DIAGNOSTICS, diagnosticsScratch, profileWork, writeStaticProfile } from "../diagnostics/diagnostics";
import { Kind, closeVerdict, extras, gate, openVerdict } from "../kernel/verdict";
import {
  TRUSS_HEAD, barCount, barDirection, barEnd, barStart, barStiffness, dimensions, freeCount, freeNumber, jointCount, placeOf, prescribed,
  readTruss, shift, trussBytes, trussComponent, trussLoadAt, trussLoads, trussQuantity, trussTarget,
} from "../fem/truss";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const BALANCE_BOUND: f64 = 1e-6;
const SCALARS: i32 = 9;

let order: i32 = 0;
let matrix: usize = 0;
let right: usize = 0;
let scratch: usize = 0;
let stiffest: f64 = 0;
let pivot: i32 = 0;
let given: usize = 0;

@inline function entry(i: i32, j: i32): usize { return matrix + (<usize>(i * order + j) << 3); }
@inline function number(i: i32): f64 { return load<f64>(given + (<usize>i << 3)); }

function layout(): void { openState(0); }

/** Displacements are scaled by the largest EA/L, so that all coefficients are at most 1. */
function prepare(): void {
  readTruss(parameters());
  given = parameters() + trussBytes();
  order = barCount() + freeCount;
  matrix = allocate(<usize>(order * order) << 3);
  right = allocate(<usize>order << 3);
  scratch = allocate(<usize>diagnosticsScratch(barCount()) << 3);
  stiffest = 0;
  for (let b = 0; b < barCount(); b++) stiffest = max(stiffest, barStiffness(b));
  const d = dimensions();
  for (let b = 0; b < barCount(); b++) {
    store<f64>(entry(b, b), 1);
    for (let c = 0; c < d; c++) {
      couple(b, barEnd(b), c, barDirection(b, c));
      couple(b, barStart(b), c, -barDirection(b, c));
    }
  }
  for (let l = 0; l < trussLoads(); l++) {
    const record = trussLoadAt(l);
    for (let c = 0; c < d; c++) {
      const row = freeNumber(<i32>load<f64>(record), c);
      if (row >= 0) addRight(barCount() + row, load<f64>(record + (<usize>c << 3), 8));
    }
  }
  pivot = 0;
}

@inline function addRight(i: i32, value: f64): void {
  const to = right + (<usize>i << 3);
  store<f64>(to, load<f64>(to) + value);
}

/** Joint a of bar b along direction c, with direction cosine n. */
function couple(b: i32, a: i32, c: i32, n: f64): void {
  const column = freeNumber(a, c);
  if (column < 0) { addRight(b, barStiffness(b) * n * prescribed(a, c)); return; }
  store<f64>(entry(b, barCount() + column), -barStiffness(b) / stiffest * n);
  store<f64>(entry(barCount() + column, b), n);
}

export function start(budget: i32): i32 { layout(); prepare(); return 1; }
export function restore(length: i32): usize { layout(); return restoreState(length); }
export function resumed(budget: i32): i32 { prepare(); return 1; }

export function advance(steps: i32, budget: i32): i32 {
  while (pivot < order && budget > 0) {
    if (!eliminate(pivot)) { show(0, <f64>placeOf(pivot - barCount())); fail(Status.UNDER_CONSTRAINED); return 0; }
    const rest = order - pivot;
    budget -= rest * rest / 2 + 1;
    pivot++;
  }
  if (pivot < order) return 0;
  substitute();
  judge();
  let total: i64 = 10000;
  for (let k = 0; k < order; k++) total += <i64>(order - k) * (order - k) / 2 + 1;
  spend(total);
  countStep();
  return 1;
}

/** Gaussian elimination with the largest pivot of the column. */
function eliminate(k: i32): bool {
  let best = k;
  for (let i = k + 1; i < order; i++) if (abs(load<f64>(entry(i, k))) > abs(load<f64>(entry(best, k)))) best = i;
  if (abs(load<f64>(entry(best, k))) < 1e-13) return false;
  if (best != k) exchange(k, best);
  for (let i = k + 1; i < order; i++) {
    const factor = load<f64>(entry(i, k)) / load<f64>(entry(k, k));
    if (factor == 0) continue;
    for (let j = k; j < order; j++) store<f64>(entry(i, j), load<f64>(entry(i, j)) - factor * load<f64>(entry(k, j)));
    addRight(i, -factor * load<f64>(right + (<usize>k << 3)));
  }
  return true;
}
function exchange(a: i32, b: i32): void {
  for (let j = 0; j < order; j++) {
    const kept = load<f64>(entry(a, j));
    store<f64>(entry(a, j), load<f64>(entry(b, j)));
    store<f64>(entry(b, j), kept);
  }
  const kept = load<f64>(right + (<usize>a << 3));
  store<f64>(right + (<usize>a << 3), load<f64>(right + (<usize>b << 3)));
  store<f64>(right + (<usize>b << 3), kept);
}
function substitute(): void {
  for (let i = order - 1; i >= 0; i--) {
    let value = load<f64>(right + (<usize>i << 3));
    for (let j = i + 1; j < order; j++) value -= load<f64>(entry(i, j)) * load<f64>(right + (<usize>j << 3));
    store<f64>(right + (<usize>i << 3), value / load<f64>(entry(i, i)));
  }
}

// ---- gates -----------------------------------------------------------------------------------------------

function reference(): f64 {
  if (trussQuantity() == 2) return load<f64>(right + (<usize>trussTarget() << 3));
  if (trussQuantity() == 0) return displacement(trussTarget(), trussComponent());
  let energy = 0.0;
  for (let b = 0; b < barCount(); b++) {
    const force = load<f64>(right + (<usize>b << 3));
    energy += 0.5 * force * force / barStiffness(b);
  }
  return energy;
}

function displacement(joint: i32, c: i32): f64 {
  const row = freeNumber(joint, c);
  return shift(c) + (row < 0 ? prescribed(joint, c) : load<f64>(right + (<usize>(barCount() + row) << 3)) / stiffest);
}

/** Of the bar forces where one is asked for, else of the displacements. */
function largestSize(): f64 {
  let most = 0.0;
  if (trussQuantity() == 2) {
    for (let b = 0; b < barCount(); b++) most = max(most, abs(load<f64>(right + (<usize>b << 3))));
    return most;
  }
  for (let a = 0; a < jointCount(); a++) for (let c = 0; c < dimensions(); c++) most = max(most, abs(displacement(a, c)));
  return most;
}

/** The largest error of a displacement over the largest of them, or of a bar force over the largest force. */
function worstError(): f64 {
  const d = dimensions(), forces = TRUSS_HEAD + jointCount() * d;
  let move = 0.0, apart = 0.0, force = 0.0, off = 0.0;
  for (let a = 0; a < jointCount(); a++) {
    for (let c = 0; c < d; c++) {
      const exact = displacement(a, c), error = abs(number(TRUSS_HEAD + a * d + c) - exact);
      move = max(move, abs(exact));
      if (!(error <= apart)) apart = error;
    }
  }
  for (let b = 0; b < barCount(); b++) {
    const exact = load<f64>(right + (<usize>b << 3)), error = abs(number(forces + b) - exact);
    force = max(force, abs(exact));
    if (!(error <= off)) off = error;
  }
  return max(over(apart, move), over(off, force));
}

function over(difference: f64, size: f64): f64 { return size > 0 ? difference / size : difference; }

function judge(): void {
  if (!running()) return;
  openVerdict(5, SCALARS + DIAGNOSTICS);
  const value = number(0), exact = reference(), largest = largestSize();
  let force = 0.0, most = 0;
  for (let c = 0; c < 3; c++) {
    force = max(force, abs(number(4 + c) + number(7 + c)));
    if (abs(number(4 + c)) > abs(number(4 + most))) most = c;
  }
  gate(1, Kind.INVARIANT, number(7 + most), -number(4 + most), over(force, number(10)), BALANCE_BOUND);
  gate(2, Kind.INVARIANT, number(2), number(3), over(abs(number(2) - number(3)), max(abs(number(2)), abs(number(3)))), BALANCE_BOUND);
  gate(3, Kind.INVARIANT, number(11), 0, number(11), BALANCE_BOUND);
  gate(4, Kind.EXACT, value, exact, over(abs(value - exact), max(abs(exact), trussQuantity() == 1 ? 0.0 : 1e-3 * largest)));
  gate(6, Kind.EXACT, number(1), largest, max(over(abs(number(1) - largest), largest), worstError()));
  const to = extras();
  store<f64>(to, number(2));
  for (let i = 0; i < 6; i++) store<f64>(to + (<usize>(1 + i) << 3), number(4 + i));
  store<f64>(to, number(1), 56);
  store<f64>(to, exact, 64);
  writeStaticProfile(to + (SCALARS << 3), right, barCount(), scratch);
  closeVerdict(value);
}
