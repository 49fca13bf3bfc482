// Verdict of a system of the caller's own (assembly/kernels/solve-system.ts): the finest level of RK4 against the
// coarser ones, its steps against another method, and what the caller says is conserved.
//
// Parameters (f64): 0 components n · 8 strict (1), and what does not hold is no refusal (2) · 16 levels given (2, 3) · 24 something is conserved (1)
//   32 bytes of the formulas · 40 pairs of runs at shifted inputs · 48, 56 t where samples begin and end
//   64 steps of the finest level from one sample to the next · 72 n components where samples begin · … formulas · … results of the levels,
//   the coarser first · … values of the pairs: with an input one standard uncertainty lower, higher
// Extras (f64): 0 N · 8 h · 16 uncertainty of the value · 24 conserved at the start · 32 its largest change, relative
//   40 refinement ended before it was enough (1) · 48 n components at the end
//   … 40 numbers of diagnostics (assembly/diagnostics), zeros where there are fewer than 3 samples
// Shown behind the gate that refuses: 4 what components are off by at the end, as the first samples foretell it · 5 how
//   many times as large a component is at the end as before
// Where what does not hold is no refusal: 0 · the largest error over its bound · 0 gates, which is no verdict
//
// Gates of `solve`: 2 value, estimate · 5 value at the samples, estimate · 7 components at the samples, estimate
//   8 single steps · 9 conserved · 10 between the steps
//
// 8: at up to 17 places along the run the step is made again by Gragg's modified midpoint rule, extrapolated to order 8
// (Hairer, Nørsett & Wanner, Solving ODE I, II.9), with f from the pass that derivatives come from. The
// difference counts relative to what the step changes, or would at the mean pace of the component.

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  parameters, parameterF64, allocate, finish, openResult, openState, restoreState, fail, show, spend, countStep,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { BOUND, Kind, closeVerdict, extras, gate, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeBand, writeReflection } from "../diagnostics/diagnostics";
import { openPrograms, plainValue, plainWork, programCount, setValue, valueCount, wordsOf } from "../expression/program";
import { ALLOWED, LOST } from "../expression/resolved";
import { namesValue, openSeries } from "../expression/taylor";
import { estimateOfLevels, differenceOfLevels } from "../math/richardson";
import { betweenWork, countedBetween, openBetween } from "../solve/between";
import { lostAtSamples, lostInQuantity, lostInRates, roundingWork } from "../solve/rounding";
import { findSensitivity, firstSensitivity, openSensitivity } from "../solve/sensitivity";
import { addKnot, knotAt, knots, layTrack, leads, openTrack, parts, partsOf, timeOfKnot, valueOnTrack } from "../solve/track";
import { awayInTube, layTube, openTube, tubeWork } from "../solve/tube";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const SAMPLES: i32 = 257;
const PROBES: i32 = 17;
const BETWEEN: i32 = 256;
const COLUMNS: i32 = 4;
const WORK: u64 = 400000;
/** Errors of components up to here say how they grow. */
const SMALL: f64 = 0.01;
/** Rates that one probe asks for. */
const RATES: u64 = 24;

let n: i32 = 0, levels: i32 = 0;
let sound: bool = false, conserved: bool = false;
/** Levels may follow; the largest error over its bound of the gates that do not hold. */
let isTrial: bool = false, beyond: f64 = 0;

function prepare(): void {
  openState(0);
  n = <i32>parameterF64(0);
  levels = <i32>parameterF64(16);
  conserved = parameterF64(24) == 1.0;
  isTrial = parameterF64(8) == 2.0;
  beyond = 0.0;
  sound = n >= 1 && n <= 16 && openPrograms(parameters() + headBytes(), <i32>parameterF64(32))
    && programCount() == n + 1 + <i32>conserved && valueCount() > n;
}

export function start(budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }

export function advance(steps: i32, budget: i32): i32 {
  if (sound) judge(); else fail(Status.INVALID_INPUT);
  let units: u64 = WORK + (sound ? betweenUnits() : 0);
  for (let i = 0; i < n; i++) units += RATES * <u64>PROBES * plainWork(i);
  spend(units);
  countStep();
  return 1;
}

// ---- the results ---------------------------------------------------------------------------------------

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function headBytes(): usize { return 72 + (<usize>n << 3); }
@inline function ownBytes(): usize { return <usize>(1 + n) << 3; }
function levelBytes(): usize { return ownBytes() + 56 + (<usize>(n + (3 + n) * SAMPLES + PROBES * (1 + n) + 2 * n * BETWEEN + 3 + 3 * n) << 3); }
/** The level `back` before the finest. */
function level(back: i32): usize {
  return parameters() + headBytes() + <usize>parameterF64(32) + levelBytes() * <usize>(levels - 1 - back);
}
@inline function largest(result: usize, i: i32): f64 { return at(result + ownBytes() + 56, i); }
@inline function column(result: usize, k: i32): usize {
  return result + ownBytes() + 56 + (<usize>(n + k * SAMPLES) << 3);
}
@inline function share(error: f64, scale: f64): f64 { return error == 0.0 ? 0.0 : error / scale; }

function judge(): void {
  const finest = level(0), more = finest + ownBytes();
  const strict = parameterF64(8) > 0.0, timeout = strict && load<f64>(more, 8) != 1.0;
  if (load<f64>(more, 40) == 1.0) { show(2, load<f64>(more, 48)); fail(Status.DID_NOT_CONVERGE); return; }
  openVerdict(5 + <i32>conserved, 6 + n + DIAGNOSTICS);
  const count = <i32>load<f64>(more, 32), largestValue = load<f64>(more, 48);
  show(4, outlook(finest, count));
  show(5, upturn(finest, count));
  const error = valueGate(finest, largestValue);
  seriesGate(5, finest, 1, 1, count, largestValue);
  seriesGate(7, finest, 3, n, count, 0.0);
  stepGate(finest, load<f64>(more, 24));
  const perKnot = layKnots(finest, count, load<f64>(more, 24));
  const first = load<f64>(column(finest, 2)), drift = conserved ? conservedGate(finest, count) : 0.0;
  betweenGate(finest, perKnot, load<f64>(more, 24));
  if (beyond > 0.0) { notYet(); return; }
  const to = extras();
  store<f64>(to, load<f64>(more, 16));
  store<f64>(to, load<f64>(more, 24), 8);
  store<f64>(to, uncertainty(error), 16);
  store<f64>(to, first, 24);
  store<f64>(to, drift, 32);
  store<f64>(to, timeout ? 1.0 : 0.0, 40);
  memory.copy(to + 48, finest + 8, <usize>n << 3);
  if (count >= 3) diagnose(to + 48 + (<usize>n << 3), column(finest, 1), count);
  closeVerdict(load<f64>(finest));
}

function notYet(): void {
  store<f64>(openResult(24), beyond, 8);
  finish();
}

function diagnose(block: usize, series: usize, count: i32): void {
  const scratch = allocate(<usize>diagnosticsScratch(count) << 3);
  writeReflection(block, series, count, scratch);
  writeBand(block, series, count, scratch);
}

// ---- gates ---------------------------------------------------------------------------------------------

function hold(index: i32, kind: f64, measured: f64, reference: f64, error: f64, bound: f64 = BOUND): void {
  if (!isTrial || error <= bound) gate(index, kind, measured, reference, error, bound);
  else beyond = max(beyond, error / bound <= 1e300 ? error / bound : 1e300);
}

/**
 * What the integration may be wrong by, and of each pair half of what it differs by and √½ of what its mean is off by from
 * the value between them, which is on their level (JCGM 100:2008, 5.1.3 and the note to 5.1.2), in quadrature.
 */
function uncertainty(error: f64): f64 {
  const values = level(-1);
  let squares = error * error;
  for (let k = 0; k < <i32>parameterF64(40); k++) {
    const low = at(values, 2 * k), high = at(values, 2 * k + 1), bend = high + low - 2.0 * load<f64>(level(1));
    squares += 0.25 * (high - low) * (high - low) + 0.5 * bend * bend;
  }
  return sqrt(squares);
}

/** The error in the unit of the value. */
function valueGate(finest: usize, largestValue: f64): f64 {
  const v = load<f64>(finest), v2 = load<f64>(level(1)), scale = max(abs(v), 1e-3 * largestValue);
  const error = levels == 3
    ? estimateOfLevels(v, v2, load<f64>(level(2)), 4.0, scale)
    : 3.0 * differenceOfLevels(v, v2, 1.0, scale, 1.0);
  hold(2, Kind.ESTIMATE, v, v2, error);
  return error * scale;
}

/** The worst of `count` samples of `columns` series, each relative to its largest value, or to `scale`. */
function seriesGate(index: i32, finest: usize, first: i32, columns: i32, count: i32, scale: f64): void {
  let worst = 0.0, fine = 0.0, coarse = 0.0;
  for (let k = first; k < first + columns; k++) {
    const size = scale > 0.0 || index == 5 ? scale : largest(finest, k - first);
    for (let i = 0; i < count; i++) {
      const a = at(column(finest, k), i), b = at(column(level(1), k), i), error = share(abs(a - b) / 15.0, size);
      if (!(error <= worst)) { worst = error; fine = a; coarse = b; }
    }
  }
  hold(index, Kind.ESTIMATE, fine, coarse, worst);
}

/** The largest change of what is conserved and what rounding takes from it, relative to its size at the start. */
function conservedGate(finest: usize, count: i32): f64 {
  const series = column(finest, 2), first = load<f64>(series);
  let worst = 0.0, last = first;
  for (let i = 1; i < count; i++) {
    const change = abs(at(series, i) - first);
    if (!(change <= worst)) { worst = change; last = at(series, i); }
  }
  const error = share(worst, abs(first)), lost = LOST * lostAtSamples(n + 1);
  hold(9, Kind.INVARIANT, last, first, min(error + share(lost, abs(first)), 1e100));
  return error;
}

/** The median over all places, so that a jump which the motion soon forgets is not all that counts. */
function stepGate(finest: usize, h: f64): void {
  const probes = column(finest, 3 + n), own = <usize>(1 + n) << 3;
  const made = allocate(<usize>n << 3), from = allocate(<usize>n << 3), scratch = allocate(<usize>(COLUMNS + 3) * (<usize>n << 3));
  const errors = allocate(<usize>(n * PROBES) << 3);
  const duration = load<f64>(finest + ownBytes(), 16) * h;
  let places = 0, fine = 0.0, other = 0.0;
  for (let j = 0; j < PROBES; j++) {
    const probe = probes + <usize>j * own;
    if (load<f64>(probe) < 0.0) continue;
    for (let i = 0; i < n; i++) store<f64>(from + (<usize>i << 3), at(column(finest, 3 + i), 16 * j));
    gragg(from, at(column(finest, 0), 16 * j), h, made, scratch);
    for (let i = 0; i < n; i++) {
      const before = at(from, i), after = at(probe + 8, i), mine = at(made, i), difference = abs(after - mine);
      const noise = 4.0 * 2.220446049250313e-16 * max(abs(before), abs(after));
      const pace = max(abs(mine - before), h * (largest(finest, i) / duration));
      const error = difference <= noise ? 0.0 : (difference - noise) / pace;
      insert(errors + (<usize>(i * PROBES) << 3), places, error == error ? error : Infinity);
      fine = after;
      other = mine;
    }
    places++;
  }
  let worst = startsAsAsked(finest) ? 0.0 : 1.0;
  for (let i = 0; i < n; i++) worst = max(worst, at(errors, i * PROBES + places / 2));
  hold(8, Kind.ESTIMATE, fine, other, worst);
}

/**
 * What components are off by at the end if errors grow with the square of the time, as those of a motion that comes back
 * do, from where they are still small: levels that have lost the motion say nothing of it.
 */
function outlook(finest: usize, count: i32): f64 {
  let most = 0.0, seen = 1.0;
  for (let k = 1; k < count; k++) {
    let error = 0.0;
    for (let i = 0; i < n; i++) error = max(error, share(abs(at(column(finest, 3 + i), k) - at(column(level(1), 3 + i), k)) / 15.0, largest(finest, i)));
    if (k > 1 && !(error <= SMALL)) break;
    most = max(most, error);
    seen = <f64>k;
  }
  const longer = <f64>(count - 1) / seen;
  return most * longer * longer;
}

/** How many times as large as at any sample but the last two a component is at the end. */
function upturn(finest: usize, count: i32): f64 {
  let most = 0.0;
  for (let i = 0; i < n; i++) {
    let before = 0.0;
    for (let k = 0; k < count - 2; k++) before = max(before, abs(at(column(finest, 3 + i), k)));
    most = max(most, share(abs(at(finest + 8, i)), before));
  }
  return most;
}

/** Keeps the first `count` numbers in order. */
function insert(sorted: usize, count: i32, x: f64): void {
  let k = count;
  for (; k > 0 && at(sorted, k - 1) > x; k--) store<f64>(sorted + (<usize>k << 3), at(sorted, k - 1));
  store<f64>(sorted + (<usize>k << 3), x);
}

/** Of a finer level than the job before had, nobody knows where it is when samples begin (NaN). */
function startsAsAsked(finest: usize): bool {
  for (let i = 0; i < n; i++) {
    const asked = parameterF64(72 + (<usize>i << 3));
    if (!isNaN(asked) && at(column(finest, 3 + i), 0) != asked) return false;
  }
  return true;
}

// ---- between the steps ---------------------------------------------------------------------------------

/**
 * What the rates hold between the places where RK4 asks them, by what it would change of the value and of components at
 * samples. The first stretch may be held by a tube that nothing leaves instead.
 */
function betweenGate(finest: usize, perKnot: i32, h: f64): void {
  const begin = parameterF64(48), end = parameterF64(56), steps = <i32>nearest((end - begin) / h), value = load<f64>(finest);
  const largestValue = load<f64>(finest + ownBytes(), 48);
  layTrack();
  openSensitivity();
  findSensitivity(n, max(max(abs(value), 1e-3 * largestValue), 1e-300), sizesOf(finest, end - begin));
  const series = seriesOver(parts);
  openBetween(series, begin, h);
  let counted = countedBetween(0, steps, series, ALLOWED);
  if (counted > ALLOWED) counted = min(counted, behindTube(perKnot, steps, h));
  counted = min(counted + LOST * lostOnTheWay(finest, begin, end), 1e100);
  hold(10, Kind.CERTIFICATE, ALLOWED, counted, counted / ALLOWED, 1.0);
}

/** Largest of each component; of one at rest that is the rate of another, the rate that would make the other in the run. */
function sizesOf(finest: usize, duration: f64): usize {
  const sizes = allocate(<usize>n << 3);
  for (let i = 0; i < n; i++) {
    let size = largest(finest, i);
    if (size == 0.0) for (let k = 0; k < n; k++) if (wordsOf(k) == 1 && namesValue(k, i)) size = max(size, largest(finest, k) / duration);
    store<f64>(sizes + (<usize>i << 3), size);
  }
  return sizes;
}

/** What rounding takes from the rates and, at the samples and the end, from the value. */
function lostOnTheWay(finest: usize, begin: f64, end: f64): f64 {
  const value = load<f64>(finest), largestValue = load<f64>(finest + ownBytes(), 48);
  const atEnd = lostInQuantity(n, finest + 8, end) / max(max(abs(value), 1e-3 * largestValue), 1e-300);
  return lostInRates(begin, end) + atEnd + lostAtSamples(n) / max(largestValue, 1e-300);
}

/** Boxes that are asked for over the whole run, and behind the tube. */
function seriesOver(partsBetween: i32): i32 { return 256 * max(4, min(128, partsBetween)); }
const SERIES_BEHIND: i32 = 256;
/** Steps of the tube, where the first sample lies further away than LONGEST. */
const STEPS_OF_TUBE: i32 = 16;
const LONGEST: i32 = 32;

/** Samples, and the end where it is none; gives how many steps the first lies from the second. */
function layKnots(finest: usize, count: i32, h: f64): i32 {
  const begin = parameterF64(48), end = parameterF64(56);
  const perKnot = count > 1 ? nearest((at(column(finest, 0), 1) - begin) / h) : nearest((end - begin) / h);
  openSeries();
  openTrack(n, partsOf(parameterF64(64)), column(finest, 3 + n) + (<usize>(PROBES * (1 + n)) << 3));
  for (let k = 0; k < count; k++) {
    const to = addKnot(k == 0 ? begin : at(column(finest, 0), k));
    for (let i = 0; i < n; i++) store<f64>(to + (<usize>i << 3), at(column(finest, 3 + i), k));
  }
  if (end - timeOfKnot(knots - 1) > 0.5 * h) memory.copy(addKnot(end), finest + 8, <usize>n << 3);
  return <i32>perKnot;
}

function behindTube(perKnot: i32, steps: i32, h: f64): f64 {
  const isShort = perKnot <= LONGEST, held = isShort ? min(perKnot, steps) : STEPS_OF_TUBE;
  if (!isShort && !leads(0)) return Infinity;
  openTube();
  if (!layTube(h, <f64>held)) return Infinity;
  let counted = 0.0;
  for (let i = 0; i < n; i++) {
    const away = awayInTube(i, isShort ? at(knotAt(1), i) : valueOnTrack(timeOfKnot(0) + <f64>held * h, i));
    if (away > 0.0) counted += away * firstSensitivity(i);
  }
  return counted + countedBetween(held, steps, SERIES_BEHIND, ALLOWED - counted);
}

/** Of laying the track, of matrices along it and back, of boxes and of the tube. */
function betweenUnits(): u64 {
  const cube = <u64>(n * n * n), between = <u64>partsOf(parameterF64(64));
  let units = 40 * <u64>n + 6 * cube;
  for (let i = 0; i < n; i++) {
    let named: u64 = 4;
    for (let k = 0; k < n; k++) if (namesValue(i, k)) named += 2;
    units += named * plainWork(i);
  }
  return <u64>SAMPLES * between * units + 30000 * cube + betweenWork(<u64>(seriesOver(<i32>between) + SERIES_BEHIND)) + tubeWork() + roundingWork();
}

/** From a state over h: the midpoint rule in 2, 4, 6, 8 parts, extrapolated in h² (Aitken–Neville). */
function gragg(from: usize, begin: f64, h: f64, to: usize, scratch: usize): void {
  const row = <usize>n << 3;
  for (let k = 0; k < COLUMNS; k++) {
    midpoint(from, begin, h, 2 * (k + 1), scratch + <usize>k * row, scratch + COLUMNS * row);
    for (let j = k - 1; j >= 0; j--) {
      const ratio = <f64>(k + 1) / <f64>(j + 1), factor = 1.0 / (ratio * ratio - 1.0);
      for (let i = 0; i < n; i++) {
        const finer = scratch + <usize>(j + 1) * row + (<usize>i << 3), coarser = scratch + <usize>j * row + (<usize>i << 3);
        store<f64>(coarser, load<f64>(finer) + factor * (load<f64>(finer) - load<f64>(coarser)));
      }
    }
  }
  memory.copy(to, scratch, row);
}

/** z_{m+1} = z_{m−1} + 2g f(z_m); the end is (z_parts + z_{parts−1} + g f(z_parts)) / 2. */
function midpoint(from: usize, begin: f64, h: f64, parts: i32, to: usize, scratch: usize): void {
  const row = <usize>n << 3, g = h / <f64>parts;
  let before = scratch, now = scratch + row;
  const rate = scratch + 2 * row;
  memory.copy(before, from, row);
  rates(begin, before, rate);
  for (let i = 0; i < n; i++) store<f64>(now + (<usize>i << 3), at(before, i) + g * at(rate, i));
  for (let m = 1; m < parts; m++) {
    rates(begin + <f64>m * g, now, rate);
    for (let i = 0; i < n; i++) store<f64>(before + (<usize>i << 3), at(before, i) + 2.0 * g * at(rate, i));
    const swapped = before;
    before = now;
    now = swapped;
  }
  rates(begin + h, now, rate);
  for (let i = 0; i < n; i++) store<f64>(to + (<usize>i << 3), 0.5 * (at(now, i) + at(before, i) + g * at(rate, i)));
}

function rates(t: f64, z: usize, to: usize): void {
  for (let i = 0; i < n; i++) setValue(i, at(z, i));
  setValue(n, t);
  for (let i = 0; i < n; i++) store<f64>(to + (<usize>i << 3), plainValue(i));
}
