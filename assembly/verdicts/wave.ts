// Verdict of `wave`: closed forms where the caller's problem has one, three grids where it has none, a thicker layer, a
// mode that follows leapfrog's dispersion relation, and the balance of energy. Parameters: assembly/wave/judged.ts.
//
// Extras (f64): 0, 1, 2 what is sealed at h, 2h, 4h (0: none) · 3 observed order · 4 extrapolated · 5 closed form, 0: none
//   6 scale of its error · 7, 8 energy at start and end · 9 inflow · 10 work of the source · 11 loss · 12 steps · 13 dt
//   14 strongest frequency of the series [Hz] · 15 reflectance · 16 transmittance · 17 Courant number · 18 largest |u|
//   19 error of the balance · 20 with thicker layers · 21 u at the probe
//   22 x of the profile (nx+1) · u of it (nx+1) · t, u of the rows · f, amplitude of the bins · diagnostics (40)
//
// Gates: 0 closed form · 1 three grids · 2 layers · 3 twin · 4 energy · 5 the start · 6 R + T · 7 source
//   · 8 between nodes and steps · 9 all has passed · 10 settled · 11 absorbed · 12 one line.

import { allocate, countStep, fail, openState, parameterF64, parameters, restoreState, running, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeStep, writeTerms,
} from "../diagnostics/diagnostics";
import { askedSum, keptSum, sampleError } from "../grid/source";
import { ALLOWED } from "../expression/resolved";
import { besideAt, judgeBeside, judgeLevels, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";
import { loudestHarmonic, modeFactor, reflectance, solveGuide, solveStack, transmittance, unfolded } from "../wave/exact";
import {
  HEAD, K, coarse, coarseRows, columns, conductivityAt, densityAt, drivenAt, dt, dx, dy, energyAtEnd, fieldOf, fine,
  fineRows, formulaUnits, goesOn, hasFormulas, hasLines, hasLoss, hasWindows, isMaxwell, judgeSource, lastOf, middle, middleRows, mostBetween, node, notedNorm, nx, ny, readParts, shape, sourceIsFormula,
  startKind, startNorm, startOnLine, thick, thickRows, timesThatDo, twinField, twinRates,
} from "../wave/judged";
import { passed, passedOf, readPower, returned, returnedOf, unsettled } from "../wave/power";
import { frequencyError, layOutSeries, layOutSpectrum, strongestFrequency } from "../wave/series";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 22;
const NONE: i32 = 0, MODE: i32 = 1, LINE: i32 = 2;
const VALUE: i32 = 0, FREQUENCY: i32 = 1, TRANSMITTANCE: i32 = 2;
/** Where nothing comes back, the error of R or T is over this. */
const LEAST_SHARE: f64 = 0.01;
/** Differences between neighbours below this part of the largest |u| are rounding, of a field that rests. */
const AT_REST: f64 = 1e-12;

let form: i32 = 0, quantity: i32 = 0, rows: i32 = 0, places: i32 = 0, bins: i32 = 0;
let scratch: usize = 0, spectrum: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readParts();
  form = <i32>parameterF64(304); quantity = <i32>parameterF64(320); rows = <i32>parameterF64(384);
  places = <i32>parameterF64(424); bins = <i32>parameterF64(432);
  layOutSeries(places);
  spectrum = allocate(<usize>places << 2);
  scratch = allocate(6 * columns(1) + (<usize>diagnosticsScratch(nx + 1) << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(1000000 + 120 * <u64>(nx + 1) * <u64>(ny + 1) + (quantity == FREQUENCY ? 12000 : 2000) * <u64>rows + 200 * <u64>places
    + 400 * <u64>parameterF64(400) * <u64>max(1.0, parameterF64(464)) + formulaUnits());
  countStep();
  return 1;
}

@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }
@inline function shown(i: i32): f64 { return load<f64>(extras() + (<usize>i << 3)); }

// ---- what the runs gave --------------------------------------------------------------------------------

/** Neville's scheme through four nodes at 0, 1, 2, 3. */
function neville(s: f64, a: f64, b: f64, c: f64, d: f64): f64 {
  const ab = a + s * (b - a), bc = b + (s - 1.0) * (c - b), cd = c + (s - 2.0) * (d - c);
  const abc = ab + 0.5 * s * (bc - ab), bcd = bc + 0.5 * (s - 1.0) * (cd - bc);
  return abc + s / 3.0 * (bcd - abc);
}

function alongRow(result: usize, level: i32, i: i32, j: i32, p: f64): f64 {
  return neville(p, node(result, level, i, j), node(result, level, i + 1, j), node(result, level, i + 2, j), node(result, level, i + 3, j));
}

function valueAt(result: usize, level: i32, x: f64, y: f64): f64 {
  const h = <f64>level, sx = x / (dx * h), i = max(0, min(<i32>sx - 1, nx / level - 3)), p = sx - <f64>i;
  if (ny == 0) return alongRow(result, level, i, 0, p);
  const sy = y / (dy * h), j = max(0, min(<i32>sy - 1, ny / level - 3));
  return neville(sy - <f64>j, alongRow(result, level, i, j, p), alongRow(result, level, i, j + 1, p),
    alongRow(result, level, i, j + 2, p), alongRow(result, level, i, j + 3, p));
}

@inline function atProbe(result: usize, level: i32): f64 { return valueAt(result, level, parameterF64(200), parameterF64(208)); }

/** The strongest frequency of a run's rows; leaves their spectrum. */
function frequencyOf(series: usize): f64 {
  const first = series + (<usize>parameterF64(392) << 4), count = <i32>parameterF64(416);
  layOutSpectrum(spectrum, first, count);
  return strongestFrequency(spectrum, first, count) / parameterF64(440);
}

/** Of a run's rows, how far other lines may pull the strongest one. */
function lineError(series: usize, frequency: f64): f64 {
  return frequencyError(frequency * parameterF64(440), series + (<usize>parameterF64(392) << 4), <i32>parameterF64(416));
}

/** `times`: how thick the layers are beside the others. */
function measuredOf(result: usize, series: usize, level: i32, times: f64 = 1.0): f64 {
  if (quantity == VALUE) return atProbe(result, level);
  if (quantity == FREQUENCY) return frequencyOf(series);
  if (result == fine) return quantity == TRANSMITTANCE ? passed : returned;
  return quantity == TRANSMITTANCE ? passedOf(result, level, times) : returnedOf(result, level, times);
}

/** A cell of the finest grid to each side, and one of the coarsest: grids that agree by accident do so over some of the finest. */
function judgeSides(scale: f64): void {
  for (let k = 0; k < (ny > 0 ? 8 : 4); k++) {
    const cells = (k & 1) == 0 ? 1.0 : 4.0, side = k >> 1;
    const x = besideAt(side, parameterF64(200), cells * dx, parameterF64(16)), y = besideAt(side - 2, parameterF64(208), cells * dy, parameterF64(24));
    judgeBeside(valueAt(fine, 1, x, y), valueAt(middle, 2, x, y), valueAt(coarse, 4, x, y), 2.0, scale);
  }
}

// ---- closed forms --------------------------------------------------------------------------------------

/** Angular frequency of the mode that the run starts from. */
function modeOmega(): f64 {
  const a = parameterF64(144), b = ny > 0 ? parameterF64(160) : 0.0;
  return sqrt(K / densityAt(0, 0) * (a * a + b * b));
}

function exactValue(): f64 {
  const t = parameterF64(328), px = parameterF64(200);
  if (form == MODE) {
    const g = ny > 0 ? shape(parameterF64(160), parameterF64(168), parameterF64(208)) : 1.0;
    return startOnLine(px) * g * modeFactor(modeOmega(), 0.5 * parameterF64(48) / densityAt(0, 0), t);
  }
  const L = parameterF64(16), reach = sqrt(K / densityAt(0, 0)) * t, left = parameterF64(96), right = parameterF64(104);
  return 0.5 * (unfolded(startOnLine, px + reach, L, left, right) + unfolded(startOnLine, px - reach, L, left, right));
}

function exactFrequency(): f64 {
  const gamma = 0.5 * parameterF64(48) / densityAt(0, 0);
  if (form == MODE) { const omega = modeOmega(); return sqrt(omega * omega - gamma * gamma) / (2.0 * Math.PI); }
  const L = parameterF64(16), m = loudestHarmonic(parameterF64(176), parameterF64(200), L);
  return <f64>m * 0.5 * sqrt(K / densityAt(0, 0)) / L;
}

function exactFlux(): f64 {
  const light = sqrt(K / parameterF64(40)), f = parameterF64(256), mu = mediumMu();
  const at = parameters() + HEAD, count = <i32>parameterF64(400), k0 = 2.0 * Math.PI * f / (light * sqrt(mu)), loss = 1.0 / (2.0 * Math.PI * f * parameterF64(40));
  if (ny > 0) solveGuide(at, count, k0, loss, mu, parameterF64(24), parameterF64(248), parameterF64(112) == 2.0, <i32>parameterF64(464));
  else solveStack(at, count, k0, loss, mu);
  return quantity == TRANSMITTANCE ? transmittance : reflectance;
}

/** μ_r: K = 1/(μ₀ μ_r), and ε₀μ₀ = 1/c². */
function mediumMu(): f64 { return 299792458.0 * 299792458.0 * parameterF64(40) / K; }

// ---- gates ---------------------------------------------------------------------------------------------

/** A frequency that nothing is known of beside the series. */
function isSought(): bool { return quantity == FREQUENCY && form == NONE; }

function judge(): void {
  const isThree = parameterF64(312) == 3.0, isThick = parameterF64(408) == 1.0, anew = !goesOn() && startKind() != 0;
  const isStack = quantity >= TRANSMITTANCE, balanced = isStack && !hasLoss();
  const count = 2 + (form != NONE ? 1 : 0) + (isThree ? 1 : 0) + (isThick ? 2 : 0) + (anew ? 1 : 0) + (balanced ? 1 : 0)
    + (sourceIsFormula() ? 1 : 0) + (hasFormulas() ? 1 : 0) + (hasLines() ? 1 : 0) + (isSought() ? 1 : 0);
  openVerdict(count, SCALARS + 2 * (nx + 1) + 2 * rows + 2 * bins + DIAGNOSTICS);
  const largest = load<f64>(fine, 96);
  put(14, frequencyOf(fineRows));
  writeSpectrum();
  if (isStack) { readPower(); put(15, returned); put(16, passed); }
  const v1 = measuredOf(fine, fineRows, 1), size = quantity == VALUE ? largest > 0.0 ? 1e-3 * largest : 1.0 : quantity == FREQUENCY ? 0.0 : LEAST_SHARE;
  let value = v1;
  put(0, v1); put(21, atProbe(fine, 1));
  if (isThree) {
    const v2 = measuredOf(middle, middleRows, 2), v4 = measuredOf(coarse, coarseRows, 4);
    judgeLevels(v1, v2, v4, 2.0, max(abs(v1), size));
    if (quantity == VALUE) judgeSides(max(abs(v1), size));
    value = levelValue;
    put(1, v2); put(2, v4); put(3, levelOrder); put(4, levelExtrapolated);
  }
  if (hasWindows()) judgeWindows(); else if (hasLines()) judgeRest();
  if (form != NONE) {
    const exact = quantity == VALUE ? exactValue() : quantity == FREQUENCY ? exactFrequency() : exactFlux();
    const scale = max(abs(exact), size);
    gate(0, Kind.EXACT, value, exact, abs(value - exact) / scale);
    put(5, exact); put(6, scale);
  }
  if (isThree) gate(1, Kind.ESTIMATE, v1, value, levelError);
  if (isThick) { judgeLayers(size); judgeAbsorbed(); }
  gate(3, Kind.TWIN, 1.0, 1.0, twinError(), 1e-9);
  judgeEnergy();
  if (anew) judgeStart();
  if (balanced) gate(6, Kind.INVARIANT, returned + passed, 1.0, abs(returned + passed - 1.0));
  if (sourceIsFormula()) {
    judgeSource();
    gate(7, Kind.INVARIANT, keptSum, askedSum, sampleError);
  }
  if (hasFormulas()) { // a value that is small beside the largest is held closer, down to a tenth
    const worst = mostBetween(quantity == VALUE && largest > 0.0 ? max(min(1.0, abs(value) / largest), 0.1) : 1.0);
    if (running() && worst > ALLOWED) show(4, <f64>timesThatDo); // behind what the gate shows of itself
    gate(8, Kind.CERTIFICATE, ALLOWED, worst, worst / ALLOWED, 1.0);
  }
  if (quantity == FREQUENCY && !(value * <f64>(parameterF64(416) - 1.0) * parameterF64(440) >= 2.0)) fail(Status.DID_NOT_CONVERGE);
  if (isSought()) gate(12, Kind.ESTIMATE, v1, v1, lineError(fineRows, v1));
  writeRest(largest);
  closeVerdict(value);
}

/** The same at 2h with layers twice as thick: what they send back. */
function judgeLayers(size: f64): void {
  const plain = shown(1), other = measuredOf(thick, thickRows, 2, 2.0), scale = max(max(abs(plain), abs(other)), size > 0.0 ? size : 1e-300);
  const error = abs(other - plain) / scale, refuses = running() && error > 1e-3;
  put(20, other);
  gate(2, Kind.ESTIMATE, other, plain, error);
  if (refuses) show(4, scale); // behind what the gate shows of itself
}

/** sin²(ωdt/2) = Σ c²dt²/dx² sin²(k dx/2) holds at every node, and so do the rates or H that go with it. */
function twinError(): f64 {
  const kx = parameterF64(344), ky = parameterF64(360), rho = parameterF64(448), r = K * dt * dt / rho;
  const a = Math.sin(0.5 * kx * dx) / dx, b = ny > 0 ? Math.sin(0.5 * ky * dy) / dy : 0.0;
  const theta = 2.0 * Math.asin(sqrt(r * (a * a + b * b))), n = parameterF64(376), turned = Math.sin(n * theta);
  const rate = isMaxwell ? K * dt * 0.5 * turned / Math.tan(0.5 * theta) : -turned * Math.sin(theta) / dt;
  const unit = isMaxwell ? sqrt(1.0 / (K * rho)) : dt / theta;
  let worst = 0.0, u = twinField(), k = twinRates();
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++, u += 8) {
      const f = twinX(i) * twinY(j), error = abs(load<f64>(u) - Math.cos(n * theta) * f);
      if (!(error <= worst)) worst = error;
      const own = isMaxwell ? (j < ny ? -rate * twinX(i) * (twinY(j + 1) - twinY(j)) / dy : NaN) : rate * f;
      if (isNaN(own)) continue;
      const apart = unit * abs(load<f64>(k) - own);
      k += 8;
      if (!(apart <= worst)) worst = apart;
    }
  }
  if (!isMaxwell) return worst;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i < nx; i++, k += 8) {
      const apart = unit * abs(load<f64>(k) - rate * (twinX(i + 1) - twinX(i)) / dx * twinY(j));
      if (!(apart <= worst)) worst = apart;
    }
  }
  return worst;
}

@inline function twinX(i: i32): f64 { return shape(parameterF64(344), parameterF64(352), <f64>i * dx); }
@inline function twinY(j: i32): f64 { return ny > 0 ? shape(parameterF64(360), parameterF64(368), <f64>j * dy) : 1.0; }

function judgeEnergy(): void {
  const before = load<f64>(fine, 8), inflow = load<f64>(fine, 16), work = load<f64>(fine, 24), loss = load<f64>(fine, 32);
  const after = energyAtEnd(), expected = before + inflow + work - loss;
  const steepest = AT_REST * load<f64>(fine, 96) / dx, still = K * steepest * steepest * <f64>nx * dx * <f64>max(ny, 1) * dy;
  const size = max(max(max(abs(before), after), load<f64>(fine, 40)), still);
  const error = size > 0.0 ? abs(after - expected) / size : abs(after - expected);
  gate(4, Kind.INVARIANT, after, expected, error, 1e-3, Status.ENERGY_NOT_CONSERVED);
  put(7, before); put(8, after); put(9, inflow); put(10, work); put(11, loss); put(19, error);
}

/**
 * Through absorbing sides nothing comes in but what was outside at the start. Every other gate measures by the field
 * itself, and layers that blow up agree with themselves.
 */
function judgeAbsorbed(): void {
  const inflow = max(0.0, load<f64>(fine, 16)), allowed = 10.0 * load<f64>(fine, 8) + 1e-3 * (abs(load<f64>(fine, 24)) + energyAtEnd());
  gate(11, Kind.CERTIFICATE, allowed, inflow, inflow == 0.0 ? 0.0 : inflow / allowed, 1.0);
}

/** Of what the source gave so little is left that the transforms are whole. */
function judgeRest(): void {
  const left = sqrt(max(0.0, energyAtEnd()) / abs(load<f64>(fine, 24)));
  gate(9, Kind.INVARIANT, left, 0.0, left, 1e-3, Status.DID_NOT_CONVERGE);
}

/** The steady state has come: the three windows see one power. */
function judgeWindows(): void {
  const ofPassed = quantity == TRANSMITTANCE, value = ofPassed ? passed : returned, left = unsettled(ofPassed);
  gate(10, Kind.ESTIMATE, value, ofPassed ? passedOf(fine, 1, 1.0, 1) : returnedOf(fine, 1, 1.0, 1), left / max(abs(value), LEAST_SHARE), 1e-3, Status.DID_NOT_CONVERGE);
}

function judgeStart(): void {
  const asked = startNorm(), noted = notedNorm();
  gate(5, Kind.INVARIANT, noted, asked, asked > 0.0 ? abs(noted - asked) / asked : noted);
}

// ---- what is shown -------------------------------------------------------------------------------------

function blockAt(number: i32): usize { return extras() + (<usize>number << 3); }

function writeSpectrum(): void {
  const f = blockAt(SCALARS + 2 * (nx + 1) + 2 * rows), unit = 1.0 / (<f64>places * parameterF64(440));
  for (let k = 0; k < bins; k++) store<f64>(f + (<usize>k << 3), <f64>k * unit);
  memory.copy(f + (<usize>bins << 3), spectrum, <usize>bins << 3);
}

function writeRest(largest: f64): void {
  const speed = K * dt * dt / leastDensity();
  put(12, load<f64>(fine)); put(13, dt); put(18, largest);
  put(17, sqrt(speed * (1.0 / (dx * dx) + (ny > 0 ? 1.0 / (dy * dy) : 0.0))));
  const xs = blockAt(SCALARS), profile = xs + columns(1), times = profile + columns(1), row = <usize>parameterF64(288);
  for (let i = 0; i <= nx; i++) store<f64>(xs + (<usize>i << 3), <f64>i * dx);
  memory.copy(profile, fieldOf(fine, 1) + columns(1) * row, columns(1));
  for (let k = 0; k < rows; k++) {
    const at = times + (<usize>k << 3);
    store<f64>(at, parameterF64(336) + load<f64>(fineRows + (<usize>k << 4)));
    store<f64>(at + (<usize>rows << 3), load<f64>(fineRows + (<usize>k << 4), 8));
  }
  writeDiagnostics(blockAt(SCALARS + 2 * (nx + 1) + 2 * rows + 2 * bins), profile, <i32>row, speed);
}

function leastDensity(): f64 {
  let least = densityAt(0, 0);
  if (parameterF64(272) == 0.0) return least;
  for (let j = 0; j <= ny; j++) for (let i = 0; i <= nx; i++) least = min(least, densityAt(i, j));
  return least;
}

/** ∂²u/∂t² + (s/ρ)∂u/∂t − (K/ρ)∇²u − f/ρ along the profile, one step before the end. */
function writeDiagnostics(block: usize, profile: usize, row: i32, speed: f64): void {
  const here = lastOf(row), under = lastOf(row - 1), over = lastOf(row + 1), earlier = fine + 112;
  const inertia = scratch, damping = inertia + columns(1), spread = damping + columns(1), force = spread + columns(1), rest = force + columns(1);
  for (let i = 1; i < nx; i++) {
    const k = <usize>i << 3, u = load<f64>(here + k), now = load<f64>(profile + k), then = load<f64>(earlier + k), rho = densityAt(i, row);
    let second = (load<f64>(here + k - 8) - 2.0 * u + load<f64>(here + k, 8)) / (dx * dx);
    if (ny > 0) second += (load<f64>(under + k) - 2.0 * u + load<f64>(over + k)) / (dy * dy);
    store<f64>(inertia + k, (now - 2.0 * u + then) / (dt * dt));
    store<f64>(damping + k, conductivityAt(i, row) / rho * (now - then) / (2.0 * dt));
    store<f64>(spread + k, -K / rho * second);
    store<f64>(force + k, -drivenAt(load<f64>(fine) - 1.0, i, row) / rho);
  }
  writeTerms(block, 1, here, nx + 1, inertia, hasLoss() ? damping : 0, 0, spread, 0, parameterF64(216) > 0.0 ? force : 0, rest);
  const left = shown(8) - shown(7), right = shown(9) + shown(10) - shown(11);
  writeBalance(block, left, right, abs(left - right));
  writeReflection(block, profile, nx + 1, rest + columns(1));
  writeBand(block, profile, nx + 1, rest + columns(1));
  const r = min(1.0, speed * (1.0 / (dx * dx) + (ny > 0 ? 1.0 / (dy * dy) : 0.0)));
  writeStep(block, 1.0, 2.0 * Math.asin(sqrt(r)));
}
