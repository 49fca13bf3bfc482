// Verdict of quant's options: the 32 replicates beside closed forms (assembly/quant/closed-form.ts), by code that
// shares nothing with the paths. An arithmetic Asian has no closed form: it is held by its standard error, by the
// geometric Asian on the very same paths, and by the exact mean of its average through parity. A payoff of its own is
// held by its standard error and, where it is one of S_T alone (or of the geometric mean), by quadrature over its law
// with the other evaluator, which nothing between the quadrature's points escapes (assembly/expression/resolved.ts);
// else by the most that it is where paths are too rare to be met.
//
// Parameters (f64): 0 … 80 assembly/quant/problem.ts · 88 rounds · 96 … results of their runs, 1024 bytes each,
//   then the formula of a payoff of its own (assembly/expression)
// Extras (f64): 0 standard error · 8 paths · 16 ∂/∂S₀ · 24 its standard error · 32 ∂/∂σ · 40 its standard error
//   48 standard error of so many plain paths · 56 b of the control · 64 64 prices [currency] · 64 densities [1/currency]
//   diagnostics of the density (40) · 32 estimates of the price, one of each replicate [currency]
//
// Gates: 0 price · 1 the same in standard errors · 2 four standard errors · 3 twin · 4 the same in standard errors
//   5 control · 6 parity · 7 delta · 8 vega · 9 distribution · 14 between points of the quadrature
//   15 paths that were never taken. In standard errors the bound is 8: the errors of
//   shifted points are skew where the payoff is, and of 420 honest jobs with σ²T ≤ 4 none lay further than 5 away.

import {
  allocate, countStep, fail, openState, parameterF64, parameters, parametersLength, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { normalDistribution } from "../math/normal-distribution";
import { ALLOWED, addAxis, clearAxes, hiddenShare, openResolution, placeBy, resolutionWork, weighBy } from "../expression/resolved";
import { setExponential } from "../expression/taylor";
import { openPrograms, plainValue, plainWork, programCount, setValue } from "../expression/program";
import { centreOf, deviationOf, exactMean, exactPrice } from "../quant/closed-form";
import { findLaw, lawCentre, lawColumn, lawDeviation, scoreOfSigma, scoreOfSpot } from "../quant/law";
import { encloseRare, enoughPaths, enoughPrice, rareShare, rareWork } from "../quant/rare";
import { BINS, fixings, K, omega, OWN_COLUMNS, q, r, readProblem, REPLICATES, RUN_BYTES, RUNS, S0, sigma, Sum, T, Type, type } from "../quant/problem";
import { coefficient, countOf, mean, openReplicates, standardError, sumOf, total } from "../quant/replicates";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 8;
const STANDARD_ERRORS: f64 = 8.0;
/** What rounding may add to a standard error, of the reference; of derivatives, whose reference is a difference, more. */
const ROUNDING: f64 = 1e-9;
const DIFFERENCE: f64 = 1e-4;
const DISTANCE: f64 = 0.01;
const ONCE: u64 = 2000000;
const UNITS_PER_ROUND: u64 = 60000;

let scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  scratch = allocate(<usize>diagnosticsScratch(BINS) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  readProblem();
  openReplicates(parameters() + 96, <i32>parameterF64(88));
  const isSound = type != Type.OWN || openOwn();
  if (isSound) judge(); else fail(Status.INVALID_INPUT);
  spend(ONCE + UNITS_PER_ROUND * <u64>parameterF64(88) + (isSound && type == Type.OWN ? quadratureWork() : 0));
  countStep();
  return 1;
}

// ---- gates ---------------------------------------------------------------------------------------------

/** A bracket: `reference` lies within eight standard errors (`error`) of `measured`; the row is that ratio. */
function gateInErrors(index: i32, measured: f64, reference: f64, error: f64, rounding: f64): void {
  const apart = abs(measured - reference);
  const unit = error + rounding * max(abs(reference), 1e-3 * scaleOf(index));
  bracket(index, STANDARD_ERRORS * unit, apart);
}

/** `apart` is at most `most`. */
function bracket(index: i32, most: f64, apart: f64): void {
  gate(index, Kind.CERTIFICATE, most, apart, apart == 0.0 ? 0.0 : apart / most, 1.0);
}

/** What a quantity near zero is measured by: the spot, or the price a relative change of it makes. */
function scaleOf(index: i32): f64 { return index == 7 ? 1.0 : index == 8 ? S0 * sqrt(T) : S0; }

// ---- a payoff of its own -------------------------------------------------------------------------------

const HALF_POINTS: i32 = 24000;
const REACH: f64 = 8.0;
const UNITS_PER_POINT: u64 = 60;

function openOwn(): bool {
  const from = 96 + <usize>parameterF64(88) * RUNS * RUN_BYTES;
  if (!(openPrograms(parameters() + from, parametersLength() - <i32>from) && programCount() == 1)) return false;
  openResolution(1);
  return true;
}

function quadratureWork(): u64 {
  return <u64>(2 * HALF_POINTS + 1) * (UNITS_PER_POINT + plainWork(0)) + resolutionWork(0, 1) + rareWork();
}

@inline function standardAt(i: i32): f64 { return <f64>(i - HALF_POINTS) * (REACH / <f64>HALF_POINTS); }

/** Price, ∂/∂S₀ and ∂/∂σ by the quadrature. */
let ownPrice: f64 = 0, ownDelta: f64 = 0, ownVega: f64 = 0;

/** e^{−rT} ∫ Y(e^{c + s z}) φ(z) dz by the trapezium rule, Y also times its scores; a kink costs 1e-7, a jump 1e-4. */
function quadrature(): void {
  const h = REACH / <f64>HALF_POINTS, factor = Math.exp(-r * T) * h / sqrt(2.0 * Math.PI);
  let sum = 0.0, ofSpot = 0.0, ofSigma = 0.0;
  for (let i = 0; i <= 2 * HALF_POINTS; i++) {
    const z = standardAt(i), X = Math.exp(lawCentre + lawDeviation * z);
    for (let k = 0; k < OWN_COLUMNS; k++) setValue(k, X);
    const y = plainValue(0) * Math.exp(-0.5 * z * z);
    sum += y;
    ofSpot += y * scoreOfSpot(z);
    ofSigma += y * scoreOfSigma(z);
  }
  ownPrice = factor * sum; ownDelta = factor * ofSpot; ownVega = factor * ofSigma;
}

/** Probability of what lies between two points. */
function shareBetween(first: i32, last: i32): f64 {
  const a = standardAt(first), b = standardAt(last);
  return a > 0.0 ? normalDistribution(-a) - normalDistribution(-b) : normalDistribution(b) - normalDistribution(a);
}

/** All prices are X, along the points. */
function placePrices(_value: i32, first: i32, last: i32): void {
  const low = Math.exp(lawCentre + lawDeviation * standardAt(first)) * (1.0 - 1e-14), high = Math.exp(lawCentre + lawDeviation * standardAt(last)) * (1.0 + 1e-14);
  for (let k = 0; k < OWN_COLUMNS; k++) setExponential(k, low, high, lawDeviation * (REACH / <f64>HALF_POINTS));
}

/** What the payoff holds between the points, by its probability, over the price that the quadrature gives. */
function judgeBetween(exact: f64): void {
  clearAxes();
  addAxis(0, 0.0, 1.0, 2 * HALF_POINTS, 1.0);
  placeBy(placePrices);
  weighBy(shareBetween);
  const worst = hiddenShare(0, abs(exact) * Math.exp(r * T));
  gate(14, Kind.CERTIFICATE, ALLOWED, worst, worst / ALLOWED, 1.0);
}

/** What paths that were never taken may hold, wherever they are (../quant/rare.ts); a refusal says how many would do. */
function judgeRare(price: f64): void {
  encloseRare();
  const paths = total(Sum.N), worst = rareShare(price, paths);
  if (!(worst <= ALLOWED)) { show(4, enoughPaths(price, paths)); show(5, enoughPrice(price)); }
  gate(15, Kind.CERTIFICATE, ALLOWED, worst, worst / ALLOWED, 1.0);
}

function judgeOwn(): void {
  findLaw();
  openVerdict(3 + (lawColumn >= 0 ? 5 : 1), SCALARS + 2 * BINS + DIAGNOSTICS + REPLICATES);
  const b = coefficient(), forward = S0 * Math.exp(-q * T);
  const price = mean(Sum.Y) - b * (mean(Sum.C) - forward), error = standardError(Sum.Y, Sum.C, b);
  writeReplicates(b, forward);
  if (lawColumn >= 0) {
    quadrature();
    judgeBetween(ownPrice);
    gate(0, Kind.EXACT, price, ownPrice, relativeError(price, ownPrice, S0));
    gateInErrors(1, price, ownPrice, error, 1e-4);
    gateInErrors(7, mean(Sum.DELTA), ownDelta, standardError(Sum.DELTA, Sum.DELTA, 0.0), 1e-4);
    gateInErrors(8, mean(Sum.VEGA), ownVega, standardError(Sum.VEGA, Sum.VEGA, 0.0), 1e-4);
  } else judgeRare(price);
  gate(2, Kind.ESTIMATE, 4.0 * error, price, 4.0 * error / abs(price), 1e-3, Status.DID_NOT_CONVERGE);
  gateInErrors(5, mean(Sum.C), forward, standardError(Sum.C, Sum.C, 0.0), ROUNDING);
  writeDensity(true);
  writeScalars(error, b);
  closeVerdict(price);
}

function judge(): void {
  if (type == Type.OWN) { judgeOwn(); return; }
  const isTwin = type == Type.ARITHMETIC, hasParity = type == Type.EUROPEAN || type == Type.GEOMETRIC || isTwin;
  openVerdict((isTwin ? 3 : 5) + (hasParity ? 1 : 0) + 2, SCALARS + 2 * BINS + DIAGNOSTICS + REPLICATES);
  const b = coefficient(), exact = exactPrice(S0, sigma), forward = S0 * Math.exp(-q * T);
  const price = mean(Sum.Y) - b * (mean(Sum.C) - (isTwin ? exact : forward));
  const error = standardError(Sum.Y, Sum.C, b);
  writeReplicates(b, isTwin ? exact : forward);
  if (!isTwin) {
    gate(0, Kind.EXACT, price, exact, relativeError(price, exact, S0));
    gateInErrors(1, price, exact, error, ROUNDING);
  }
  gate(2, Kind.ESTIMATE, 4.0 * error, price, 4.0 * error / abs(price), 1e-3, Status.DID_NOT_CONVERGE);
  const control = mean(Sum.C), spread = standardError(Sum.C, Sum.C, 0.0);
  if (isTwin) {
    gate(3, Kind.TWIN, control, exact, relativeError(control, exact, S0), 1e-3, Status.DID_NOT_CONVERGE);
    gateInErrors(4, control, exact, spread, ROUNDING);
  } else gateInErrors(5, control, forward, spread, ROUNDING);
  if (hasParity) parity();
  derivatives(isTwin);
  writeDensity(!isTwin);
  writeScalars(error, b);
  closeVerdict(price);
}

/** What call and put on the same paths differ by is linear in X, whose mean is known: e^{−rT} (E X − K). */
function parity(): void {
  const measured = omega * (mean(Sum.Y) - mean(Sum.OTHER));
  const reference = Math.exp(-r * T) * (exactMean(S0, sigma) - K);
  gateInErrors(6, measured, reference, standardError(Sum.Y, Sum.OTHER, 1.0), ROUNDING);
}

/** ∂/∂S₀ and ∂/∂σ beside central differences of the closed form; of an arithmetic Asian, those of its twin. */
function derivatives(isTwin: bool): void {
  const bump = DIFFERENCE * min(1.0, sigma * sqrt(T)) * S0, turn = DIFFERENCE * sigma;
  const delta = (exactPrice(S0 + bump, sigma) - exactPrice(S0 - bump, sigma)) / (2.0 * bump);
  const vega = (exactPrice(S0, sigma + turn) - exactPrice(S0, sigma - turn)) / (2.0 * turn);
  const d = isTwin ? Sum.CONTROL_DELTA : Sum.DELTA, v = isTwin ? Sum.CONTROL_VEGA : Sum.VEGA;
  gateInErrors(7, mean(d), delta, standardError(d, d, 0.0), 1e-4);
  gateInErrors(8, mean(v), vega, standardError(v, v, 0.0), 1e-4);
}

// ---- what stands beside the value ----------------------------------------------------------------------

/** Density of X over its bins, and how far its distribution lies from the log-normal one at their edges. */
function writeDensity(isExact: bool): void {
  const prices = extras() + SCALARS * 8, densities = prices + BINS * 8;
  const centre = centreOf(S0, sigma), deviation = deviationOf(sigma), n = total(Sum.N);
  let below = 0.0, farthest = 0.0;
  for (let i = 0; i < BINS; i++) {
    const at = <usize>i << 3, low = <f64>(i - BINS / 2) / 8.0, share = countOf(i) / n;
    const from = Math.exp(centre + deviation * low), to = Math.exp(centre + deviation * (low + 0.125));
    store<f64>(prices + at, Math.exp(centre + deviation * (low + 0.0625)));
    store<f64>(densities + at, share / (to - from));
    below += share;
    const expected = normalDistribution(low + 0.125);
    if (i < BINS - 1) farthest = max(farthest, abs(below - expected));
  }
  if (isExact) bracket(9, DISTANCE, farthest);
  writeStaticProfile(densities + BINS * 8, densities, BINS, scratch);
}

/** Of two jobs with one seed these can be compared pair by pair. `centre` is the mean of the control. */
function writeReplicates(b: f64, centre: f64): void {
  const at = extras() + ((SCALARS + 2 * BINS + DIAGNOSTICS) << 3);
  for (let k = 0; k < REPLICATES; k++) {
    const n = sumOf(k, Sum.N);
    store<f64>(at + (<usize>k << 3), sumOf(k, Sum.Y) / n - b * (sumOf(k, Sum.C) / n - centre));
  }
}

function writeScalars(error: f64, b: f64): void {
  const at = extras(), n = total(Sum.N), y = mean(Sum.Y);
  store<f64>(at, error);
  store<f64>(at, n, 8);
  store<f64>(at, mean(Sum.DELTA), 16);
  store<f64>(at, standardError(Sum.DELTA, Sum.DELTA, 0.0), 24);
  store<f64>(at, mean(Sum.VEGA), 32);
  store<f64>(at, standardError(Sum.VEGA, Sum.VEGA, 0.0), 40);
  store<f64>(at, sqrt(max(0.0, total(Sum.YY) / n - y * y) / n), 48);
  store<f64>(at, b, 56);
}
