// Verdict of `action`: exact motion where there is one (assembly/action/exact.ts), a Taylor series for Hénon–Heiles,
// and three steps h, 2h, 4h where the system has none.
//
// Parameters (f64):
//   0 system · 8 mass · 16, 24 its constants · 32 n · 40 h [s] · 48 order of the scheme · 56 steps since the start
//   64 rows R · 72 t₀ [s] · 80 value: 0 S, 1 J, 2 period · 88 1: runs at 2h and 4h follow · 96 steps of the twin, 0: none
//   104 1: two Runge–Kutta runs, else one · 112 Taylor: 1 · 120 n coordinates, n momenta at the start
//   then: body of the run · bodies at 2h, 4h · body of the twin (2 or 3 masses, as n is even or odd) · of each
//   Runge–Kutta run max|H − H₀| and whether it left the numbers · R rows
// Extras (f64): 0 S · 1 J, 2 period of the run · 3 J, 4 period exact · 5 turns · 6 drift [%] · 7, 8 drift [%] of
//   Runge–Kutta at the same step and at as many forces, −1: left the numbers · 9 steps · 10 step [s] · 11 H₀ [J] · 12 W
//   13 end [s] · 14 1: turns were made · 15 1: periodic · then R times · R each of H, S, q₀, q_b, p₀, p_b · n q · n p
//   · diagnostics of q₀ (40)
//
// Gates: 0 energy · 1 action · 2 end · 3 series · 4 period · 5 J · 6 Taylor · 7 action by steps · 8 end by steps · 9 chain

import {
  allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeStaticProfile, writeTerms,
} from "../diagnostics/diagnostics";
import { estimateOfLevels } from "../math/richardson";
import {
  energy, energyScale, kineticOf, known, layOutExact, motionAt, period, periodic, potentialOf, setMotion, slopeOf, taylor,
  turnAction,
} from "../action/exact";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 120, ROW: usize = 56;
const SCALARS: i32 = 16;
const ONCE: u64 = 1000000, PER_ROW: u64 = 20000, PER_MASS: u64 = 100, PER_TAYLOR: u64 = 6000;

let n: i32 = 0, rows: i32 = 0, bodyBytes: usize = 0;
let exactState: usize = 0, lists: usize = 0, scratch: usize = 0;
let largestQ: f64 = 0, largestP: f64 = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  n = <i32>parameterF64(32);
  rows = <i32>parameterF64(64);
  bodyBytes = bodyOf(n);
  layOutExact();
  exactState = allocate(64);
  lists = allocate(<usize>(3 * rows) << 3);
  scratch = allocate(<usize>diagnosticsScratch(rows) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  const expansions = parameterF64(112) != 0.0 ? <u64>ceil(endTime() / 0.25) + <u64>rows : 0;
  spend(ONCE + <u64>rows * PER_ROW + <u64>n * PER_MASS + expansions * PER_TAYLOR);
  countStep();
  return 1;
}

// ---- what the runs gave --------------------------------------------------------------------------------

@inline function bodyOf(masses: i32): usize { return 136 + (<usize>(2 * masses + 2) << 3); }
@inline function givenStart(): usize { return parameters() + HEAD; }
@inline function bodyAt(level: i32): usize { return givenStart() + (<usize>(2 * n) << 3) + <usize>level * bodyBytes; }
@inline function levels(): bool { return parameterF64(88) != 0.0; }
@inline function twinMasses(): i32 { return 2 + (n & 1); }
function twinAt(): usize { return bodyAt(levels() ? 3 : 1); }
function comparisonsAt(): usize { return twinAt() + (parameterF64(96) > 0.0 ? bodyOf(twinMasses()) : 0); }
function rowAt(i: i32): usize {
  return comparisonsAt() + (parameterF64(104) != 0.0 ? 32 : 16) + <usize>i * ROW;
}
@inline function coordinatesOf(body: usize): usize { return body + 144; }
@inline function momentaOf(body: usize, masses: i32): usize { return body + 144 + (<usize>(masses + 1) << 3); }
@inline function endTime(): f64 { return parameterF64(56) * parameterF64(40); }
@inline function run(offset: usize): f64 { return load<f64>(bodyAt(0) + offset); }
@inline function share(part: f64, whole: f64): f64 { return part == 0.0 ? 0.0 : part / whole; }
@inline function item(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }

/** Turns, their mean length [s] and ∮ p dq, from the kind of event that was seen more often. */
let turns: f64 = 0, foundPeriod: f64 = 0, foundAction: f64 = 0;

function readTurns(): void {
  const at = bodyAt(0) + (run(56) >= run(96) ? 56 : 96);
  turns = max(0.0, load<f64>(at) - 1.0);
  if (turns == 0.0) { foundPeriod = 0.0; foundAction = 0.0; return; }
  foundPeriod = (load<f64>(at, 16) - load<f64>(at, 8)) / turns * parameterF64(40);
  foundAction = (load<f64>(at, 32) - load<f64>(at, 24)) / turns;
}

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  setMotion(
    <i32>parameterF64(0), parameterF64(8), parameterF64(16), parameterF64(24), n, givenStart(),
  );
  readTurns();
  const quantity = <i32>parameterF64(80), cyclic = periodic && turns > 0.0;
  if (quantity > 0 && !cyclic) { show(0, periodic ? 1.5 * period : 0.0); fail(Status.INVALID_INPUT); return; }
  const series = parameterF64(112) != 0.0, twin = parameterF64(96) > 0.0;
  openVerdict(
    1 + (known ? 3 : 0) + (cyclic ? 2 : 0) + (series ? 1 : 0) + (levels() ? 2 : 0) + (twin ? 1 : 0),
    SCALARS + 7 * rows + 2 * n + DIAGNOSTICS,
  );
  const drift = conservation();
  measureExtent();
  writeScalars(drift, cyclic);
  writeRows();
  if (known) exactGates();
  if (cyclic) {
    gate(4, Kind.EXACT, foundPeriod, period, relativeError(foundPeriod, period));
    gate(5, Kind.EXACT, foundAction, turnAction, relativeError(foundAction, turnAction));
  }
  if (series) taylorGate();
  if (levels()) levelGates();
  if (twin) chainGate();
  writeDiagnostics();
  closeVerdict(quantity == 0 ? run(8) : quantity == 1 ? foundAction : foundPeriod);
}

/** What the kernel watched at every step, and its end once more by the verdict's own energy. */
function conservation(): f64 {
  const body = bodyAt(0), last = kineticOf(momentaOf(body, n)) + potentialOf(coordinatesOf(body));
  const drift = share(max(run(40), abs(last - energy)), max(abs(energy), 0.1 * energyScale));
  gate(0, Kind.INVARIANT, last, energy, drift, 1e-3, Status.ENERGY_NOT_CONSERVED);
  if (!(drift <= 1e-3)) { show(0, 100.0 * drift); show(1, 0.1); show(2, parameterF64(40)); show(3, endTime()); }
  return drift;
}

function measureExtent(): void {
  const arm = parameterF64(0) == 1.0 ? parameterF64(24) : 1.0; // of a pendulum
  largestQ = 0.0;
  largestP = 1e-9 * arm * sqrt(2.0 * parameterF64(8) * energyScale); // rounding at rest is no motion
  for (let i = 0; i < n; i++) {
    largestQ = max(largestQ, max(abs(item(givenStart(), i)), abs(item(coordinatesOf(bodyAt(0)), i))));
    largestP = max(largestP, max(abs(item(givenStart(), n + i)), abs(item(momentaOf(bodyAt(0), n), i))));
  }
  for (let i = 0; i < rows; i++) {
    largestQ = max(largestQ, max(abs(load<f64>(rowAt(i), 24)), abs(load<f64>(rowAt(i), 32))));
    largestP = max(largestP, max(abs(load<f64>(rowAt(i), 40)), abs(load<f64>(rowAt(i), 48))));
  }
}

/** S that is not asked for may cross 0: then it is measured by ∫ T dt + |Et| as well. */
@inline function actionScale(reference: f64): f64 {
  if (parameterF64(80) == 0.0) return abs(reference);
  return max(abs(reference), 0.5 * abs(run(24)) + abs(energy * endTime()));
}

/** |q − q′| or |p − p′|, relative to the largest of the motion. */
@inline function apart(q: f64, p: f64, i: i32): f64 {
  return max(share(abs(q - item(exactState, i)), largestQ), share(abs(p - item(exactState, n + i)), largestP));
}

function exactGates(): void {
  const S = motionAt(endTime(), exactState), body = bodyAt(0);
  gate(1, Kind.EXACT, run(8), S, share(abs(run(8) - S), actionScale(S)));
  let worst = 0.0;
  for (let i = 0; i < n; i++) worst = max(worst, apart(item(coordinatesOf(body), i), item(momentaOf(body, n), i), i));
  gate(2, Kind.EXACT, load<f64>(coordinatesOf(body)), load<f64>(exactState), worst);
  let error = 0.0, measured = load<f64>(rowAt(0), 24), reference = measured;
  for (let i = 0; i < rows; i++) {
    const row = rowAt(i), S = motionAt(load<f64>(row) * parameterF64(40), exactState);
    let here = apart(load<f64>(row, 24), load<f64>(row, 40), 0);
    if (n == 2) here = max(here, apart(load<f64>(row, 32), load<f64>(row, 48), 1));
    here = max(here, share(abs(load<f64>(row, 16) - S), 0.5 * abs(run(24)) + abs(energy * endTime())));
    if (!(here <= error)) { error = here; measured = load<f64>(row, 24); reference = load<f64>(exactState); }
  }
  gate(3, Kind.EXACT, measured, reference, error);
}

/** Rows and action of Hénon–Heiles beside the series, which goes from row to row by itself. */
function taylorGate(): void {
  memory.copy(exactState, givenStart(), 32);
  store<f64>(exactState, 0.0, 32);
  let time = load<f64>(rowAt(0)) * parameterF64(40), error = 0.0;
  if (time > 0.0) taylor(exactState, time);
  for (let i = 0; i < rows; i++) {
    const row = rowAt(i), until = load<f64>(row) * parameterF64(40);
    if (until > time) taylor(exactState, until - time);
    time = until;
    const here = max(
      apart(load<f64>(row, 24), load<f64>(row, 40), 0), apart(load<f64>(row, 32), load<f64>(row, 48), 1),
    );
    error = max(error, here);
  }
  const S = load<f64>(exactState, 32);
  gate(6, Kind.EXACT, run(8), S, max(error, share(abs(run(8) - S), actionScale(S))));
}

function levelGates(): void {
  const order = parameterF64(48);
  const S1 = run(8), S2 = load<f64>(bodyAt(1), 8), S4 = load<f64>(bodyAt(2), 8);
  gate(7, Kind.ESTIMATE, S1, S2, estimateOfLevels(S1, S2, S4, order, actionScale(S1)));
  let fineQ = 0.0, coarseQ = 0.0, fineP = 0.0, coarseP = 0.0;
  for (let i = 0; i < n; i++) {
    const q = item(coordinatesOf(bodyAt(1)), i), p = item(momentaOf(bodyAt(1), n), i);
    fineQ = max(fineQ, abs(q - item(coordinatesOf(bodyAt(0)), i)));
    coarseQ = max(coarseQ, abs(q - item(coordinatesOf(bodyAt(2)), i)));
    fineP = max(fineP, abs(p - item(momentaOf(bodyAt(0), n), i)));
    coarseP = max(coarseP, abs(p - item(momentaOf(bodyAt(2), n), i)));
  }
  const errorQ = largestQ > 0.0 ? estimateOfLevels(0.0, fineQ, fineQ + coarseQ, order, largestQ) : 0.0;
  const errorP = largestP > 0.0 ? estimateOfLevels(0.0, fineP, fineP + coarseP, order, largestP) : 0.0;
  gate(8, Kind.ESTIMATE, load<f64>(coordinatesOf(bodyAt(0))), load<f64>(coordinatesOf(bodyAt(1))), max(errorQ, errorP));
}

/** Two or three masses in their lowest mode, without α: q = (1, 1) or (1, √2, 1), ω² = k/m or (2 − √2)k/m. */
function chainGate(): void {
  const masses = twinMasses(), body = twinAt(), t = parameterF64(96) * parameterF64(40);
  const k = parameterF64(16), m = parameterF64(8), stiffness = (masses == 2 ? 1.0 : 2.0 - sqrt(2.0)) * k;
  const omega = sqrt(stiffness / m), weight = masses == 2 ? 2.0 : 4.0;
  const c = NativeMath.cos(omega * t), s = NativeMath.sin(omega * t);
  let error = 0.0;
  for (let i = 0; i < masses; i++) {
    const shape = masses == 3 && i == 1 ? sqrt(2.0) : 1.0;
    error = max(error, abs(item(coordinatesOf(body), i) - shape * c));
    error = max(error, abs(item(momentaOf(body, masses), i) / (m * omega) + shape * s));
  }
  const S = -0.5 * weight * m * omega * s * c;
  error = max(error, abs(load<f64>(body, 8) - S) / (0.5 * weight * m * omega));
  gate(9, Kind.TWIN, load<f64>(coordinatesOf(body)), c, error);
}

// ---- what stands beside the value ----------------------------------------------------------------------

function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }

/** Drift of a Runge–Kutta run [%]; −1 where it left the numbers. */
function comparison(at: usize): f64 {
  if (load<f64>(at, 8) != 0.0) return -1.0;
  return 100.0 * share(load<f64>(at), max(abs(energy), 0.1 * energyScale));
}

function writeScalars(drift: f64, cyclic: bool): void {
  put(0, run(8)); put(1, foundAction); put(2, foundPeriod); put(3, turnAction); put(4, period); put(5, turns);
  put(6, 100.0 * drift);
  put(7, comparison(comparisonsAt()));
  put(8, comparison(comparisonsAt() + (parameterF64(104) != 0.0 ? 16 : 0)));
  put(9, parameterF64(56)); put(10, parameterF64(40)); put(11, energy); put(12, run(24));
  put(13, parameterF64(72) + endTime());
  put(14, cyclic ? 1.0 : 0.0);
  put(15, periodic ? 1.0 : 0.0);
  const ends = extras() + (<usize>(SCALARS + 7 * rows) << 3), vector = <usize>n << 3;
  memory.copy(ends, coordinatesOf(bodyAt(0)), vector);
  memory.copy(ends + vector, momentaOf(bodyAt(0), n), vector);
}

function writeRows(): void {
  for (let i = 0; i < rows; i++) {
    put(SCALARS + i, parameterF64(72) + load<f64>(rowAt(i)) * parameterF64(40));
    for (let j = 1; j < 7; j++) put(SCALARS + j * rows + i, item(rowAt(i), j));
  }
}

/** Steps from the row before to row i. */
@inline function stepsTo(i: i32): f64 { return load<f64>(rowAt(i)) - load<f64>(rowAt(i - 1)); }

/**
 * Of q₀(t) at equal times: inertia ṗ and selfInteraction ∂V/∂q; of a chain in the reference basis. The last row may be
 * nearer than others are to each other, and of a job that goes on the second to the first: those at the ends are left out.
 */
function writeDiagnostics(): void {
  const apart = stepsTo(rows > 3 ? 2 : 1), first = stepsTo(1) == apart ? 0 : 1;
  const count = (stepsTo(rows - 1) == apart ? rows : rows - 1) - first;
  const column = extras() + (<usize>SCALARS << 3), vector = <usize>rows << 3, ahead = <usize>first << 3;
  const q = column + 3 * vector + ahead, block = column + 7 * vector + (<usize>(2 * n) << 3);
  if (parameterF64(0) == 6.0 || count < 3) {
    if (count >= 3) writeStaticProfile(block, q, count, scratch);
    else { writeReflection(block, q, count, scratch); writeBand(block, q, count, scratch); }
    return;
  }
  const rate = lists, slope = rate + vector, rest = slope + vector, step = apart * parameterF64(40);
  for (let i = 0; i < count; i++) {
    const at = <usize>i << 3, row = first + i;
    store<f64>(slope + at, slopeOf(load<f64>(q + at), load<f64>(q + vector + at)));
    if (i > 0 && i < count - 1)
      store<f64>(rate + at, (load<f64>(rowAt(row + 1), 40) - load<f64>(rowAt(row - 1), 40)) / (2.0 * step));
  }
  writeTerms(block, 1, q, count, rate, 0, 0, 0, slope, 0, rest);
  let impulse = 0.0;
  for (let i = 0; i < count; i++) impulse -= (i == 0 || i == count - 1 ? 0.5 : 1.0) * step * load<f64>(slope + (<usize>i << 3));
  const gained = load<f64>(rowAt(first + count - 1), 40) - load<f64>(rowAt(first), 40);
  writeBalance(block, gained, impulse, abs(gained - impulse));
  writeReflection(block, q, count, scratch);
  writeBand(block, q, count, scratch);
}
