// Verdict of a truss. Its reference is another formulation of statics, with the bar forces as unknowns beside the
// displacements, solved by elimination with row exchanges:
//
//   N_b − (EA/L)_b n_b·(u_j − u_i) = 0   for each bar        Σ N_b n_b = F   for each free joint and direction
//
// For a statically determinate truss the second set alone gives the forces (method of joints). It shares neither the
// stiffness matrix nor its factorisation with the kernel. What both sets leave is summed in double-double and solved for
// again until it is rounding, so that bars of any stiffness beside each other have forces of sixteen digits.
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
import { ddAdd, ddMul, low } from "../math/dd";
import {
  TRUSS_HEAD, barCount, barDirection, barDirectionLow, barEnd, barStart, barStiffness, barStiffnessLow, dimensions, freeCount,
  freeNumber, jointCount, placeOf, prescribed, readTruss, shift, trussBytes, trussComponent, trussLoadAt, trussLoads, trussQuantity,
  trussTarget,
} from "../fem/truss";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const BALANCE_BOUND: f64 = 1e-6;
const SCALARS: i32 = 9;
/** Rounds of correction at most; each but the last must shrink it so much. */
const ROUNDS: i32 = 20;
const SHRINKS: f64 = 16;
/** A value is held beside itself down to this share of the largest: what is less is 0, as of a bar that bears nothing. */
const NOTHING: f64 = 1e-12;

let order: i32 = 0;
/** Row by row; where it is eliminated, the factors that did it. Rows that were exchanged, pivot by pivot. */
let matrix: usize = 0, exchanged: usize = 0;
let right: usize = 0;
/** Forces of all bars, then free displacements; what f64 leaves of them stands behind each. */
let solution: usize = 0;
/** Sum of the loads on each free unknown; what bars have of it, in double-double. */
let loads: usize = 0, borne: usize = 0;
/** Σ EA/L n² of a free unknown: what its displacement is multiplied by, so that its coefficients are about 1. */
let scales: usize = 0;
let scratch: usize = 0;
let pivot: i32 = 0;
let given: usize = 0;

@inline function entry(i: i32, j: i32): usize { return matrix + (<usize>(i * order + j) << 3); }
@inline function number(i: i32): f64 { return load<f64>(given + (<usize>i << 3)); }

function layout(): void { openState(0); }

function prepare(): void {
  readTruss(parameters());
  given = parameters() + trussBytes();
  order = barCount() + freeCount;
  matrix = allocate(<usize>(order * order) << 3);
  exchanged = allocate(<usize>order << 2);
  right = allocate(<usize>order << 3);
  solution = allocate(<usize>order << 4);
  loads = allocate(<usize>freeCount << 3);
  borne = allocate(<usize>freeCount << 4);
  scales = allocate(<usize>freeCount << 3);
  scratch = allocate(<usize>diagnosticsScratch(barCount()) << 3);
  const d = dimensions();
  for (let b = 0; b < barCount(); b++) for (let c = 0; c < d; c++) { weigh(b, barEnd(b), c); weigh(b, barStart(b), c); }
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
      if (row >= 0) addTo(loads, row, load<f64>(record + (<usize>c << 3), 8));
    }
  }
  pivot = 0;
}

@inline function addTo(vector: usize, i: i32, value: f64): void {
  const to = vector + (<usize>i << 3);
  store<f64>(to, load<f64>(to) + value);
}
@inline function scale(i: i32): f64 { return load<f64>(scales + (<usize>i << 3)); }

function weigh(b: i32, a: i32, c: i32): void {
  if (freeNumber(a, c) >= 0) addTo(scales, freeNumber(a, c), barStiffness(b) * barDirection(b, c) * barDirection(b, c));
}

/** Joint a of bar b along direction c, with direction cosine n. */
function couple(b: i32, a: i32, c: i32, n: f64): void {
  const column = freeNumber(a, c);
  if (column < 0 || n == 0) return;
  store<f64>(entry(b, barCount() + column), -barStiffness(b) / scale(column) * n);
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
  approach();
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
  store<i32>(exchanged + (<usize>k << 2), best);
  for (let i = k + 1; i < order; i++) {
    const factor = load<f64>(entry(i, k)) / load<f64>(entry(k, k));
    store<f64>(entry(i, k), factor);
    if (factor == 0) continue;
    for (let j = k + 1; j < order; j++) store<f64>(entry(i, j), load<f64>(entry(i, j)) - factor * load<f64>(entry(k, j)));
  }
  return true;
}
function exchange(a: i32, b: i32): void {
  for (let j = 0; j < order; j++) {
    const kept = load<f64>(entry(a, j));
    store<f64>(entry(a, j), load<f64>(entry(b, j)));
    store<f64>(entry(b, j), kept);
  }
}

/** right ← the solution of the factors for it. */
function substitute(): void {
  for (let k = 0; k < order; k++) {
    const a = right + (<usize>k << 3), b = right + (<usize>load<i32>(exchanged + (<usize>k << 2)) << 3), kept = load<f64>(a);
    store<f64>(a, load<f64>(b));
    store<f64>(b, kept);
  }
  for (let i = 0; i < order; i++) {
    let value = load<f64>(right + (<usize>i << 3));
    for (let j = 0; j < i; j++) value -= load<f64>(entry(i, j)) * load<f64>(right + (<usize>j << 3));
    store<f64>(right + (<usize>i << 3), value);
  }
  for (let i = order - 1; i >= 0; i--) {
    let value = load<f64>(right + (<usize>i << 3));
    for (let j = i + 1; j < order; j++) value -= load<f64>(entry(i, j)) * load<f64>(right + (<usize>j << 3));
    store<f64>(right + (<usize>i << 3), value / load<f64>(entry(i, i)));
  }
}

function approach(): void {
  let before = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    leave();
    substitute();
    const size = correct();
    if (!(SHRINKS * size <= before) || size == 0) break;
    before = size;
  }
}

@inline function solved(i: i32): f64 { return load<f64>(solution + (<usize>i << 4)); }
@inline function solvedLow(i: i32): f64 { return load<f64>(solution + (<usize>i << 4), 8); }
function addFinely(vector: usize, i: i32, value: f64, valueLow: f64): void {
  const to = vector + (<usize>i << 4);
  store<f64>(to, ddAdd(load<f64>(to), load<f64>(to, 8), value, valueLow));
  store<f64>(to, low, 8);
}

/** What both sets of equations leave, to the right. */
function leave(): void {
  memory.fill(borne, 0, <usize>freeCount << 4);
  for (let b = 0; b < barCount(); b++) {
    let longer = 0.0, longerLow = 0.0;
    for (let c = 0; c < dimensions(); c++) {
      const n = barDirection(b, c), nLow = barDirectionLow(b, c);
      const far = ddMul(place(barEnd(b), c), placeLow(barEnd(b), c), n, nLow);
      longer = ddAdd(longer, longerLow, far, low); longerLow = low;
      const near = ddMul(place(barStart(b), c), placeLow(barStart(b), c), -n, -nLow);
      longer = ddAdd(longer, longerLow, near, low); longerLow = low;
      const along = ddMul(solved(b), solvedLow(b), n, nLow), alongLow = low;
      if (freeNumber(barEnd(b), c) >= 0) addFinely(borne, freeNumber(barEnd(b), c), along, alongLow);
      if (freeNumber(barStart(b), c) >= 0) addFinely(borne, freeNumber(barStart(b), c), -along, -alongLow);
    }
    const force = ddMul(longer, longerLow, barStiffness(b), barStiffnessLow(b));
    store<f64>(right + (<usize>b << 3), ddAdd(force, low, -solved(b), -solvedLow(b)));
  }
  for (let i = 0; i < freeCount; i++) {
    const at = borne + (<usize>i << 4);
    store<f64>(right + (<usize>(barCount() + i) << 3), ddAdd(load<f64>(loads + (<usize>i << 3)), 0, -load<f64>(at), -load<f64>(at, 8)));
  }
}

/** Displacement of a joint less the shift. */
function place(a: i32, c: i32): f64 {
  const row = freeNumber(a, c);
  return row < 0 ? prescribed(a, c) : solved(barCount() + row);
}
function placeLow(a: i32, c: i32): f64 {
  const row = freeNumber(a, c);
  return row < 0 ? 0 : solvedLow(barCount() + row);
}

/** Adds what is to the right to the solution; gives the largest size in it, of a displacement times its scale. */
function correct(): f64 {
  let most = 0.0;
  for (let i = 0; i < order; i++) {
    const more = load<f64>(right + (<usize>i << 3));
    addFinely(solution, i, i < barCount() ? more : more / scale(i - barCount()), 0);
    most = max(most, abs(more));
  }
  return most;
}

// ---- gates -----------------------------------------------------------------------------------------------

function reference(): f64 {
  if (trussQuantity() == 2) return solved(trussTarget());
  if (trussQuantity() == 0) return displacement(trussTarget(), trussComponent());
  let energy = 0.0;
  for (let b = 0; b < barCount(); b++) {
    const force = solved(b);
    energy += 0.5 * force * force / barStiffness(b);
  }
  return energy;
}

function displacement(joint: i32, c: i32): f64 { return shift(c) + place(joint, c); }

/** Of the bar forces where one is asked for, else of the displacements. */
function largestSize(): f64 {
  let most = 0.0;
  if (trussQuantity() == 2) {
    for (let b = 0; b < barCount(); b++) most = max(most, abs(solved(b)));
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
    const exact = solved(b), error = abs(number(forces + b) - exact);
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
  gate(4, Kind.EXACT, value, exact, over(abs(value - exact), max(abs(exact), trussQuantity() == 1 ? 0.0 : NOTHING * largest)));
  gate(6, Kind.EXACT, number(1), largest, max(over(abs(number(1) - largest), largest), worstError()));
  const to = extras();
  store<f64>(to, number(2));
  for (let i = 0; i < 6; i++) store<f64>(to + (<usize>(1 + i) << 3), number(4 + i));
  store<f64>(to, number(1), 56);
  store<f64>(to, exact, 64);
  for (let b = 0; b < barCount(); b++) store<f64>(right + (<usize>b << 3), solved(b));
  writeStaticProfile(to + (SCALARS << 3), right, barCount(), scratch);
  closeVerdict(value);
}
