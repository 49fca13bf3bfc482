// Verdict of `acoustic` for modes of boxes and ducts between impedances: each mode beside its root in closed form, its decay
// beside what the walls take, and the roots counted.
//
// Parameters (f64): assembly/acoustics/walls.ts · result of assembly/kernels/acoustic-wall.ts
// Extras (f64): 0 f [Hz] · 8 c · 16 … 32 mode on each axis · 40, 48 all modes are known up to this frequency [Hz] and decay rate
//   [1/s] · 56 frequencies [Hz] · decay rates [1/s] · of each axis 129 places [m], 129 Re p, 129 Im p · diagnostics of Re p
//   of the first axis (40)
//
// Gates: 0 value · 1 the worst of the list · 11 decay · 12 balance · 13 count · 2 the mode. A mode of decay δ = c Im k obeys
// Im (xᴴ(K + ikβC − k²M)x) = 0: δ/c (2κ − held) = κ loss.

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS } from "../diagnostics/diagnostics";
import { SAMPLES, describeAxis, describedScratch } from "../acoustics/described";
import { over, re, im } from "../math/complex";
import { openCharacteristic, ownIm, ownRe, pressureAt, readOwn, refine, rootIm, rootRe, solvedAxis, valueIm, valueRe } from "../acoustics/characteristic";
import { axes, chosen, followed, labelOf, lengthOf, listed, numberIn, pieces, piecesAt, piecesOf, readWalls, rowNumbers, speed, wallsEnd } from "../acoustics/walls";
import { openWinding, rootsFrom } from "../acoustics/winding";
import { high, knownInside, openRim, ranked, readRows, right } from "../acoustics/rim";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 7;
const ONCE: u64 = 300000;
const UNITS: u64 = 150000;

let table: usize = 0, order: usize = 0, mus: usize = 0, scratch: usize = 0, count: i32 = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readWalls();
  table = parameters() + wallsEnd();
  order = allocate(<usize>followed << 2);
  mus = allocate(3 * (<usize>axes << 4));
  scratch = allocate((SAMPLES + describedScratch()) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  readRows(table, rowNumbers(), followed);
  count = ranked(order);
  openCharacteristic(mus);
  judge();
  spend(<u64>followed * <u64>pieces * UNITS + ONCE);
  countStep();
  return 1;
}

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function modeOf(place: i32): i32 { return load<i32>(order + (<usize>place << 2)); }
@inline function kappa(place: i32): f64 { return numberIn(table, modeOf(place), 0); }
@inline function decay(place: i32): f64 { return numberIn(table, modeOf(place), 1); }
@inline function hertz(kRe: f64): f64 { return speed() * kRe / (2.0 * Math.PI); }
@inline function sampleOf(axis: i32, i: i32): usize {
  return table + (<usize>(followed * rowNumbers()) << 3) + (<usize>(axis * SAMPLES + i) << 4);
}

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  openVerdict(6, SCALARS + 2 * listed + 3 * axes * SAMPLES + DIAGNOSTICS);
  let listError = 0.0, listAt = 0, listRe = 0.0, decayError = 0.0, decayAt = 0, decayRe = 0.0, reference = 0.0;
  for (let i = 0; i < listed; i++) {
    readOwn(table, modeOf(i));
    const found = refine(kappa(i), decay(i)), kRe = found ? rootRe : NaN, kIm = found ? rootIm : NaN;
    const own = Math.hypot(kappa(i) - kRe, decay(i) - kIm) / Math.hypot(kRe, kIm), ofDecay = relativeError(decay(i), kIm);
    if (i == chosen) reference = kRe;
    if (i == 0 || !(own <= listError)) { listError = own; listAt = i; listRe = kRe; }
    if (i == 0 || !(ofDecay <= decayError)) { decayError = ofDecay; decayAt = i; decayRe = kIm; }
  }
  gate(0, Kind.EXACT, hertz(kappa(chosen)), hertz(reference), relativeError(kappa(chosen), reference));
  gate(1, Kind.EXACT, hertz(kappa(listAt)), hertz(listRe), listError);
  gate(11, Kind.EXACT, speed() * decay(decayAt), speed() * decayRe, decayError);
  balance();
  countRoots();
  writeExtras();
  closeVerdict(hertz(kappa(chosen)));
}

/** What the walls take is what the modes lose, the worst of the list. */
function balance(): void {
  let worst = 0.0, dies = 0.0, taken = 0.0;
  for (let i = 0; i < listed; i++) {
    const loss = numberIn(table, modeOf(i), 2 + 2 * axes), held = numberIn(table, modeOf(i), 3 + 2 * axes);
    const left = decay(i) * (2.0 * kappa(i) - held), right = kappa(i) * loss, error = relativeError(left, right);
    if (i == 0 || !(error <= worst)) { worst = error; dies = left; taken = right; }
  }
  gate(12, Kind.INVARIANT, dies, taken, worst);
}

/** Roots in a rectangle around the list, and those that are known. */
function countRoots(): void {
  openRim(order, count, listed);
  openWinding(mus, mus + (<usize>axes << 4));
  let roots = 0;
  for (let i = 0; i < followed; i++) {
    if (!isFirstOf(i)) continue;
    readOwn(table, i);
    const inside = rootsFrom(numberIn(table, i, 0), numberIn(table, i, 1));
    roots = inside < 0 || roots < 0 ? -1 : roots + inside;
  }
  const known = knownInside();
  gate(13, Kind.CERTIFICATE, <f64>roots, <f64>known, abs(<f64>(roots - known)) + <f64>repeated(), 0.0);
  put(extras(), 5, hertz(right));
  put(extras(), 6, speed() * high);
}

/** Roots of one characteristic function that are nearer to each other than this part of them are one. */
const ONE_ROOT: f64 = 1e-6;

/** Modes that came to a root which another had come to: beside one that nobody came to, the numbers agree. */
function repeated(): i32 {
  let again = 0;
  for (let i = 0; i < followed; i++) if (numberIn(table, i, 0) < right && hasRootOfAnother(i)) again++;
  return again;
}

function hasRootOfAnother(i: i32): bool {
  const re = numberIn(table, i, 0), im = numberIn(table, i, 1), near = ONE_ROOT * Math.hypot(re, im);
  for (let j = 0; j < i; j++) if (areAlike(i, j) && Math.hypot(numberIn(table, j, 0) - re, numberIn(table, j, 1) - im) <= near) return true;
  return false;
}

/** Whether both have the same indices on the axes that are not solved for, and so one characteristic function. */
function areAlike(i: i32, j: i32): bool {
  for (let axis = 0; axis < axes; axis++) if (axis != solvedAxis && labelOf(i, axis) != labelOf(j, axis)) return false;
  return true;
}

/** The first of its characteristic function. */
function isFirstOf(i: i32): bool {
  for (let j = 0; j < i; j++) if (areAlike(i, j)) return false;
  return true;
}

// ---- what is shown -------------------------------------------------------------------------------------

function writeExtras(): void {
  const to = extras(), mine = modeOf(chosen);
  put(to, 0, hertz(kappa(chosen)));
  put(to, 1, speed());
  for (let axis = 0; axis < 3; axis++) put(to, 2 + axis, axis < axes ? <f64>labelOf(mine, axis) : 0.0);
  for (let i = 0; i < listed; i++) {
    put(to, SCALARS + i, hertz(kappa(i)));
    put(to, SCALARS + listed + i, speed() * decay(i));
  }
  readOwn(table, mine);
  refine(kappa(chosen), decay(chosen));
  profiles(to + (<usize>(SCALARS + 2 * listed) << 3));
}

/** All 129 samples of each axis beside the closed form, where the largest is 1 in both. */
function profiles(to: usize): void {
  let error = 0.0, measured = 0.0, reference = 0.0;
  for (let axis = 0; axis < axes; axis++) {
    const xs = to + (<usize>(3 * axis * SAMPLES) << 3), L = lengthOf(axis);
    let most = 0.0, mostAt = 0;
    for (let i = 0; i < SAMPLES; i++) {
      const size = Math.hypot(load<f64>(sampleOf(axis, i)), load<f64>(sampleOf(axis, i), 8));
      if (size > most) { most = size; mostAt = i; }
    }
    pressureAt(axis, rootRe, rootIm, ownRe(axis), ownIm(axis), L * (<f64>mostAt / <f64>(SAMPLES - 1)));
    const mostRe = valueRe, mostIm = valueIm;
    for (let i = 0; i < SAMPLES; i++) {
      const x = L * (<f64>i / <f64>(SAMPLES - 1)), p = load<f64>(sampleOf(axis, i)), q = load<f64>(sampleOf(axis, i), 8);
      pressureAt(axis, rootRe, rootIm, ownRe(axis), ownIm(axis), x);
      over(valueRe, valueIm, mostRe, mostIm);
      const apart = Math.hypot(p - re, q - im);
      put(xs, i, x);
      put(xs, SAMPLES + i, p);
      put(xs, 2 * SAMPLES + i, q);
      if (!(apart <= error)) { error = apart; measured = Math.hypot(p, q); reference = Math.hypot(re, im); }
    }
  }
  gate(2, Kind.EXACT, measured, reference, error);
  writeDiagnostics(to + (<usize>(3 * axes * SAMPLES) << 3));
}

/** Of Re p along the first axis: its largest sample is 1. */
function writeDiagnostics(block: usize): void {
  const p = block - (<usize>(3 * axes * SAMPLES - SAMPLES) << 3), L = lengthOf(0);
  for (let i = 0; i < SAMPLES; i++) put(scratch, i, -L * L * (ownRe(0) * at(p, i) - ownIm(0) * at(p, SAMPLES + i)));
  describeAxis(block, p, scratch, parameters() + piecesAt(0), piecesOf(0), scratch + SAMPLES * 8);
}
