// Verdict of `heat` and `heat-steady`: closed forms where the caller's problem has one, three grids where it has none,
// a mode on the same grid, and the balance of heat. It shares nothing with the kernels' steps.
//
// Parameters (f64): 0 … 319 those of the run on the finest grid (assembly/heat/problem.ts)
//   320 closed form: 0 none, 1 mode, 2 series, 3 steady rod, 4 steady rectangle · 328 levels, 1 or 3 · 336 steady
//   344 time since the start [s] · 352 t₀ [s] · 360, 368, 376, 384 k and phase of the twin along x and y
//   392 rows of the run · 400 terms of a series along x · 408 along y · 416 steps of the job that is continued
//   424 the start's array, if it has one · the source's array, if it is one · the formulas at the end · result at h, its rows (16 bytes each)
//   · results at 2h and 4h, if there are three levels · the twin's result
// Extras (f64): 0 T at the probe at h · 1, 2 at 2h, 4h, 0: none · 3 observed order · 4 extrapolated · 5 closed form's
//   T, 0: none · 6 range of the temperatures · 7, 8 ∫T at start and end · 9 inflow · 10 source · 11 iterations
//   12 residual · 13 steps · 14 dt · 15 max error of the field over the range, 0: none · 16 largest and 17 least T
//   18 x of the profile (nx+1) · T of it (nx+1) · t of the rows · T of the rows · diagnostics of the profile (40)
//
// Gates: 0 T at the probe · 1 field · 2 three grids · 3 twin · 4 balance · 5 the start · 6 source
//   · 7 between the nodes: what formulas hold there, over the range of temperatures · 8 maximum principle.

import { allocate, countStep, openState, parameterF64, parameters, parametersLength, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeStep, writeTerms,
} from "../diagnostics/diagnostics";
import { layPlainField, openPlainFormulas, plainFieldWork, setPlainTime } from "../grid/formula";
import { alongBox, alongTime, axesOf, betweenNodes } from "../grid/between";
import { ALLOWED, openResolution, resolutionWork } from "../expression/resolved";
import { SAMPLE_BYTES, askedSum, judgeSamples, keptSum, sampleError, samplePoints } from "../grid/source";
import { besideAt, judgeBeside, judgeLevels, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";
import { isInsulated, layTerms, line0, line1, rectangle, solveLine, sumTerms } from "../heat/exact";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ARRAYS: usize = 424;
const RESULT_HEAD: usize = 64;
const SCALARS: i32 = 18;
const NONE: i32 = 0, MODE: i32 = 1, SERIES: i32 = 2, ROD: i32 = 3, RECTANGLE: i32 = 4;

let nx: i32 = 0, ny: i32 = 0, rows: i32 = 0, levels: i32 = 0, form: i32 = 0, termsX: i32 = 0, termsY: i32 = 0;
let isSteady: bool = false;
let Lx: f64 = 0, Ly: f64 = 0, dx: f64 = 0, dy: f64 = 0, alpha: f64 = 0, t: f64 = 0;
let startAt: usize = 0, sourceAt: usize = 0, fine: usize = 0, rowsAt: usize = 0, middle: usize = 0, coarse: usize = 0, twin: usize = 0;
let shapesX: usize = 0, shapesY: usize = 0, scratch: usize = 0, seriesX: usize = 0, seriesY: usize = 0;
let least: f64 = 0, most: f64 = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

@inline function columns(): usize { return <usize>(nx + 1) << 3; }
@inline function sourceMoves(): bool { return parameterF64(280) == 5.0; }
/** A steady state makes no steps, and of a source of the time the largest is not known. */
@inline function isBounded(): bool { return !isSteady && !sourceMoves(); }
/** Of the caller's own problem; the twin has no source. */
function resultBytes(level: i32): usize {
  const row = <usize>(nx / level + 1) << 3;
  return RESULT_HEAD + 4 * row + row * <usize>(ny / level + 1) + (sourceMoves() ? SAMPLE_BYTES : 0);
}
@inline function fieldOf(result: usize, level: i32): usize {
  return result + RESULT_HEAD + 4 * (<usize>(nx / level + 1) << 3);
}

function layOut(): void {
  openState(0);
  nx = <i32>parameterF64(0); ny = <i32>parameterF64(8);
  Lx = parameterF64(16); Ly = parameterF64(24); alpha = parameterF64(32);
  dx = Lx / <f64>nx; dy = ny > 0 ? Ly / <f64>ny : 1.0;
  form = <i32>parameterF64(320); levels = <i32>parameterF64(328); isSteady = parameterF64(336) == 1.0;
  t = parameterF64(344); rows = <i32>parameterF64(392);
  termsX = <i32>parameterF64(400); termsY = <i32>parameterF64(408);
  const numbers = columns() * <usize>(ny + 1);
  startAt = parameterF64(208) == 1.0 ? parameters() + ARRAYS : 0;
  sourceAt = parameterF64(280) == 2.0 ? parameters() + ARRAYS + (startAt ? numbers : 0) : 0;
  fine = parameters() + ARRAYS + (startAt ? numbers : 0) + (sourceAt ? numbers : 0);
  rowsAt = fine + resultBytes(1);
  middle = rowsAt + (<usize>rows << 4);
  coarse = levels == 3 ? middle + resultBytes(2) : middle;
  twin = levels == 3 ? coarse + resultBytes(4) : middle;
  shapesX = allocate(columns()); shapesY = allocate(<usize>(ny + 1) << 3);
  seriesX = allocate(<usize>termsX << 5); seriesY = allocate(<usize>termsY << 5);
  layFormulas(twin + resultBytes(1) - (sourceMoves() ? SAMPLE_BYTES : 0));
  scratch = allocate(5 * columns() + (<usize>diagnosticsScratch(nx + 1) << 3));
}

let formulas: i32 = 0;

/** Source and start that are formulas become arrays, by the other evaluator. */
function layFormulas(from: usize): void {
  const ofSource = parameterF64(280) >= 4.0, ofStart = parameterF64(208) == 3.0;
  formulas = <i32>ofSource + <i32>ofStart;
  if (formulas == 0) return;
  if (!openPlainFormulas(from, parametersLength() - <i32>(from - parameters()), formulas)) { formulas = 0; return; }
  if (sourceMoves()) setPlainTime(t - parameterF64(40));
  if (ofSource) sourceAt = layPlainField(0, nx, ny, dx, dy);
  if (ofStart) startAt = layPlainField(ofSource ? 1 : 0, nx, ny, dx, dy);
  openResolution(axesOf(ny, sourceMoves()));
}

function formulaUnits(): u64 {
  let units: u64 = 0;
  for (let j = 0; j < formulas; j++) units += plainFieldWork(j, <u64>(nx + 1) * <u64>(ny + 1));
  if (sourceMoves() && formulas > 0) units += plainFieldWork(0, samplePoints(<u64>(nx + 1) * <u64>(ny + 1)));
  for (let j = 0; j < formulas; j++) units += resolutionWork(j, axesOf(ny, sourceMoves() && j == 0));
  return units;
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(formulaUnits() + 1000000 + 40 * <u64>(nx + 1) * <u64>(ny + 1) + 40 * <u64>termsX * <u64>(nx + 3) + 40 * <u64>termsY * <u64>(ny + 3) + 3000 * <u64>(termsX + termsY));
  countStep();
  return 1;
}

// ---- reading what the runs gave ----------------------------------------------------------------------------

@inline function node(result: usize, level: i32, i: i32, j: i32): f64 {
  return load<f64>(fieldOf(result, level) + (<usize>(j * (nx / level + 1) + i) << 3));
}

/** Neville's scheme through four nodes: p(s) of values at 0, 1, 2, 3. */
function neville(s: f64, a: f64, b: f64, c: f64, d: f64): f64 {
  const ab = a + s * (b - a), bc = b + (s - 1.0) * (c - b), cd = c + (s - 2.0) * (d - c);
  const abc = ab + 0.5 * s * (bc - ab), bcd = bc + 0.5 * (s - 1.0) * (cd - bc);
  return abc + s / 3.0 * (bcd - abc);
}

function valueAt(result: usize, level: i32, x: f64, y: f64): f64 {
  const sx = x / (dx * <f64>level), i = max(0, min(<i32>sx - 1, nx / level - 3)), p = sx - <f64>i;
  if (ny == 0) return neville(p, node(result, level, i, 0), node(result, level, i + 1, 0), node(result, level, i + 2, 0), node(result, level, i + 3, 0));
  const sy = y / (dy * <f64>level), j = max(0, min(<i32>sy - 1, ny / level - 3));
  for (let q = 0; q < 4; q++) {
    store<f64>(scratch + (<usize>q << 3), neville(p, node(result, level, i, j + q), node(result, level, i + 1, j + q),
      node(result, level, i + 2, j + q), node(result, level, i + 3, j + q)));
  }
  return neville(sy - <f64>j, load<f64>(scratch), load<f64>(scratch, 8), load<f64>(scratch, 16), load<f64>(scratch, 24));
}
@inline function atProbe(result: usize, level: i32): f64 { return valueAt(result, level, parameterF64(264), parameterF64(272)); }

function judgeSides(scale: f64): void {
  for (let k = 0; k < (ny > 0 ? 4 : 2); k++) {
    const x = besideAt(k, parameterF64(264), dx, Lx), y = besideAt(k - 2, parameterF64(272), dy, Ly);
    judgeBeside(valueAt(fine, 1, x, y), valueAt(middle, 2, x, y), valueAt(coarse, 4, x, y), 2.0, scale);
  }
}

@inline function widen(T: f64): void { least = min(least, T); most = max(most, T); }

/** Surroundings count by the Biot number: far ones that hardly cool the body are no measure of it. */
function widenTowards(around: f64, share: f64): void {
  if (around > most) widen(most + share * (around - most));
  else if (around < least) widen(least - share * (least - around));
}

/** Range of the field and of the data: walls, surroundings, start. Below a millionth of T it is rounding. */
function findRange(): f64 {
  least = Infinity; most = -Infinity;
  for (let j = 0; j <= ny; j++) for (let i = 0; i <= nx; i++) widen(node(fine, 1, i, j));
  const highest = most, lowest = least;
  for (let side = 0; side < (ny > 0 ? 4 : 2); side++) {
    const at: usize = 80 + 32 * side, kind = parameterF64(at);
    if (kind == 0.0) widen(parameterF64(at + 8));
  }
  if (!isSteady) { widen(load<f64>(fine, 32)); widen(load<f64>(fine, 40)); }
  for (let side = 0; side < (ny > 0 ? 4 : 2); side++) {
    const at: usize = 80 + 32 * side, beta = parameterF64(at + 16);
    if (parameterF64(at) == 1.0 && beta > 0.0) widenTowards(parameterF64(at + 24) / beta, min(1.0, beta * (side < 2 ? Lx : Ly)));
  }
  const range = most - least, size = max(abs(most), abs(least));
  most = highest; least = lowest;
  return size > 0.0 ? max(range, 1e-6 * size) : 1.0;
}

/**
 * How far T is from the middle of walls, surroundings, start, and what flux and source can have brought (maximum
 * principle; steps may overshoot by the range of these; a flux γ through one end of a rod raises it by at most γ (αt/L + L/3)). Every other gate measures by the
 * field itself, and a run that has blown up agrees with itself.
 */
function judgeBounds(): void {
  let low = min(load<f64>(fine, 32), load<f64>(fine, 40)), high = max(load<f64>(fine, 32), load<f64>(fine, 40));
  for (let side = 0; side < (ny > 0 ? 4 : 2); side++) {
    const at: usize = 80 + 32 * side, kind = parameterF64(at), beta = parameterF64(at + 16), gamma = parameterF64(at + 24);
    const wall = kind == 0.0 ? parameterF64(at + 8) : gamma / beta;
    if (kind == 0.0 || (kind == 1.0 && beta > 0.0)) { low = min(low, wall); high = max(high, wall); }
  }
  for (let side = 0; side < (ny > 0 ? 4 : 2); side++) {
    const at: usize = 80 + 32 * side, L = side < 2 ? Lx : Ly, gamma = parameterF64(at + 24);
    if (parameterF64(at) != 1.0 || parameterF64(at + 16) > 0.0) continue;
    const brought = gamma * (alpha * t / L + L);
    low += min(0.0, brought); high += max(0.0, brought);
  }
  let weakest = sourceAt ? Infinity : sourceNumber(), strongest = sourceAt ? -Infinity : sourceNumber();
  if (sourceAt) for (let k = 0, count = (nx + 1) * (ny + 1); k < count; k++) {
    const s = load<f64>(sourceAt + (<usize>k << 3));
    weakest = min(weakest, s); strongest = max(strongest, s);
  }
  low += min(0.0, weakest) * t; high += max(0.0, strongest) * t;
  const range = max(high - low, 1e-6 * max(abs(high), abs(low))), middle = 0.5 * (low + high);
  const far = max(most - middle, middle - least), allowed = 1.5 * range;
  gate(8, Kind.CERTIFICATE, allowed, far, far == 0.0 ? 0.0 : far / allowed, 1.0);
}

// ---- closed forms ------------------------------------------------------------------------------------------

function shape(k: f64, phase: f64, at: f64): f64 { return phase == 1.0 ? Math.cos(k * at) : Math.sin(k * at); }

/** Makes the series of each axis; of a box the start is 1, of a rod what parts it from its steady line. */
function layForm(): void {
  if (form == ROD || (form == SERIES && ny == 0 && !isInsulated(parameters() + 80)))
    solveLine(parameters() + 80, Lx, form == ROD ? sourceNumber() / alpha : 0.0);
  if (form != SERIES) return;
  const T0 = parameterF64(216);
  if (ny == 0) { layTerms(seriesX, termsX, parameters() + 80, Lx, alpha * t / (Lx * Lx), T0 - line0, -line1 * Lx); return; }
  layTerms(seriesX, termsX, parameters() + 80, Lx, alpha * t / (Lx * Lx), 1.0, 0.0);
  layTerms(seriesY, termsY, parameters() + 144, Ly, alpha * t / (Ly * Ly), 1.0, 0.0);
}

@inline function sourceNumber(): f64 { return parameterF64(280) == 1.0 ? parameterF64(288) : 0.0; }

/** What the axis contributes: the factor of a product; in one dimension T itself. */
function alongX(x: f64): f64 {
  if (form == MODE) return shape(parameterF64(232), parameterF64(240), x);
  if (form == ROD) return line0 + x * (line1 - 0.5 * sourceNumber() / alpha * x);
  const insulated = isInsulated(parameters() + 80);
  if (ny == 0) return insulated ? parameterF64(216) : line0 + line1 * x + sumTerms(seriesX, termsX, x / Lx);
  return insulated ? 1.0 : sumTerms(seriesX, termsX, x / Lx);
}
function alongY(y: f64): f64 {
  if (ny == 0) return 1.0;
  if (form == MODE) return shape(parameterF64(248), parameterF64(256), y);
  return isInsulated(parameters() + 144) ? 1.0 : sumTerms(seriesY, termsY, y / Ly);
}

/** The temperature that a box tends to: that of any side which is not insulated. */
function surroundings(): f64 {
  for (let at: usize = 80; at < 208; at += 32) {
    if (parameterF64(at) == 0.0) return parameterF64(at + 8);
    if (parameterF64(at) == 1.0 && parameterF64(at + 16) > 0.0) return parameterF64(at + 24) / parameterF64(at + 16);
  }
  return 0.0;
}

function compose(X: f64, Y: f64): f64 {
  if (form == MODE) {
    const kx = parameterF64(232), ky = ny > 0 ? parameterF64(248) : 0.0;
    return parameterF64(216) + parameterF64(224) * Math.exp(-alpha * (kx * kx + ky * ky) * t) * X * Y;
  }
  if (ny == 0) return X;
  const around = surroundings();
  return around + (parameterF64(216) - around) * X * Y;
}

function exactAt(x: f64, y: f64): f64 {
  return form == RECTANGLE ? rectangle(parameters() + 80, x, y, Lx, Ly) : compose(alongX(x), alongY(y));
}

/** Largest error of the field at the free nodes. */
function fieldError(): f64 {
  for (let i = 0; i <= nx; i++) store<f64>(shapesX + (<usize>i << 3), alongX(<f64>i * dx));
  for (let j = 0; j <= ny; j++) store<f64>(shapesY + (<usize>j << 3), alongY(<f64>j * dy));
  let worst = 0.0;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      if (shareAt(80, i, nx) * (ny > 0 ? shareAt(144, j, ny) : 1.0) == 0.0) continue;
      const exact = compose(load<f64>(shapesX + (<usize>i << 3)), load<f64>(shapesY + (<usize>j << 3)));
      const error = abs(node(fine, 1, i, j) - exact);
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

// ---- twin and balance --------------------------------------------------------------------------------------

/** 4 sin²(k dx/2): the eigenvalue of −δ². */
function eigenvalue(k: f64, width: f64): f64 { const s = Math.sin(0.5 * k * width); return 4.0 * s * s; }

/** How much of the mode the scheme leaves, in closed form; of a steady run, the solution for a source of one mode. */
function twinFactor(): f64 {
  const sx = eigenvalue(parameterF64(360), dx) / (dx * dx), sy = ny > 0 ? eigenvalue(parameterF64(376), dy) / (dy * dy) : 0.0;
  if (isSteady) return 1.0 / (sx + sy);
  const steps = parameterF64(48), dt = parameterF64(40), damped = min(parameterF64(72), steps);
  if (parameterF64(64) == 0.0) return Math.pow(1.0 - alpha * dt * (sx + sy), steps);
  const a = 0.5 * alpha * dt * sx, b = 0.5 * alpha * dt * sy;
  const step = (1.0 - a) * (1.0 - b) / ((1.0 + a) * (1.0 + b)), half = 1.0 / ((1.0 + a) * (1.0 + b));
  return Math.pow(half, 2.0 * damped) * Math.pow(step, steps - damped);
}

/** Largest error of the twin over its amplitude at the start, or, steady, over its solution. */
function twinError(): f64 {
  const factor = twinFactor();
  let worst = 0.0;
  for (let j = 0; j <= ny; j++) {
    const g = ny > 0 ? shape(parameterF64(376), parameterF64(384), <f64>j * dy) : 1.0;
    for (let i = 0; i <= nx; i++) {
      const error = abs(node(twin, 1, i, j) - factor * g * shape(parameterF64(360), parameterF64(368), <f64>i * dx));
      if (!(error <= worst)) worst = error;
    }
  }
  return isSteady ? worst / factor : worst;
}

/** Share of a cell that belongs to node i of the axis whose ends stand at `ends`. */
function shareAt(ends: usize, i: i32, n: i32): f64 {
  if (parameterF64(ends) == 2.0) return i == n ? 0.0 : 1.0;
  if (i > 0 && i < n) return 1.0;
  return parameterF64(i == 0 ? ends : ends + 32) == 0.0 ? 0.0 : 0.5;
}

/** ∫ over the free nodes of an array, or of a number where there is none. */
function integral(array: usize, number: f64): f64 {
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    const wy = ny > 0 ? shareAt(144, j, ny) : 1.0;
    if (wy == 0.0) continue;
    let line = 0.0;
    for (let i = 0; i <= nx; i++)
      line += shareAt(80, i, nx) * (array ? load<f64>(array + (<usize>(j * (nx + 1) + i) << 3)) : number);
    sum += wy * line;
  }
  return sum * dx * dy;
}

/** ∫T of the start as the parameters say it. */
function startContent(): f64 {
  if (startAt || parameterF64(224) == 0.0) return integral(startAt, parameterF64(216));
  let f = 0.0, g = 0.0;
  for (let i = 0; i <= nx; i++) f += shareAt(80, i, nx) * shape(parameterF64(232), parameterF64(240), <f64>i * dx);
  for (let j = 0; j <= ny; j++) g += ny > 0 ? shareAt(144, j, ny) * shape(parameterF64(248), parameterF64(256), <f64>j * dy) : 1.0;
  return integral(0, parameterF64(216)) + parameterF64(224) * f * g * dx * dy;
}

// ---- gates -------------------------------------------------------------------------------------------------

function judge(): void {
  const extrasCount = SCALARS + 2 * (nx + 1) + 2 * rows + DIAGNOSTICS, anew = !isSteady && parameterF64(208) != 2.0;
  const wholeField = form != NONE && form != RECTANGLE;
  openVerdict(2 + (form != NONE ? 1 : 0) + (wholeField ? 1 : 0) + (levels == 3 ? 1 : 0) + (anew ? 1 : 0) + (sourceMoves() ? 1 : 0) + (formulas > 0 ? 1 : 0) + (isBounded() ? 1 : 0), extrasCount);
  const range = findRange(), v1 = atProbe(fine, 1);
  let value = v1;
  put(0, v1);
  if (form != NONE) {
    layForm();
    const exact = exactAt(parameterF64(264), parameterF64(272));
    gate(0, Kind.EXACT, v1, exact, abs(v1 - exact) / range);
    put(5, exact);
  }
  if (wholeField) {
    const error = fieldError() / range;
    gate(1, Kind.EXACT, error, 0.0, error);
    put(15, error);
  }
  if (formulas > 0) judgeBetween(range); // before the grids: they see as little between their nodes
  if (levels == 3) {
    const v2 = atProbe(middle, 2), v4 = atProbe(coarse, 4);
    judgeLevels(v1, v2, v4, 2.0, range);
    judgeSides(range);
    gate(2, Kind.ESTIMATE, v1, levelValue, levelError);
    value = levelValue;
    put(1, v2); put(2, v4); put(3, levelOrder); put(4, levelExtrapolated);
  }
  gate(3, Kind.TWIN, twinFactor(), twinFactor(), twinError());
  judgeBalance(range, anew);
  if (sourceMoves()) judgeSource();
  if (isBounded()) judgeBounds();
  put(6, range);
  writeRest();
  closeVerdict(value);
}

function judgeBalance(range: f64, anew: bool): void {
  const before = isSteady ? 0.0 : load<f64>(fine, 8), after = isSteady ? 0.0 : integral(fieldOf(fine, 1), 0.0);
  const inflow = load<f64>(fine, 16), flows = load<f64>(fine, 24);
  const source = sourceMoves() ? load<f64>(fine + resultBytes(1) - 8) : integral(sourceAt, sourceNumber()) * (isSteady ? 1.0 : t);
  const volume = integral(0, 1.0), change = after - before;
  const size = max(max(flows, abs(source)), isSteady ? 1e-3 * alpha * range * (ny > 0 ? max(Ly / Lx, Lx / Ly) : 1.0 / Lx) : max(1e-3 * range, 1e-6 * max(abs(most), abs(least))) * volume);
  gate(4, Kind.INVARIANT, change, inflow + source, abs(change - inflow - source) / size);
  if (anew) gate(5, Kind.INVARIANT, before, startContent(), abs(before - startContent()) / (range * volume));
  put(7, before); put(8, after); put(9, inflow); put(10, source);
}

/** The source of the finest run at steps of it, against the formula. */
function judgeSource(): void {
  const first = <i64>parameterF64(416), count = <i64>load<f64>(fine) - first;
  judgeSamples(fine + resultBytes(1) - SAMPLE_BYTES, 0, first, count, parameterF64(40), parameterF64(64) == 1.0 ? 0.5 : 0.0, nx, ny, dx, dy);
  gate(6, Kind.INVARIANT, keptSum, askedSum, sampleError);
}

/** The length that heat spreads over in t: its kernel is nowhere above 1/L + 1/√(παt), times the same along y. */
@inline function spreadOver(t: f64, L: f64): f64 { return 1.0 / (1.0 / L + 1.0 / sqrt(Math.PI * alpha * t)); }

/** A start changes T by at most what it holds between the nodes, in the mean that heat takes; a source that, times t. */
function judgeBetween(range: f64): void {
  const ofSource = parameterF64(280) >= 4.0, L = max(Lx, Ly), relaxes = 0.5 * L * L / alpha;
  const first = <i64>parameterF64(416), count = isSteady ? 1 : <i64>load<f64>(fine) - first;
  const passed = isSteady ? relaxes : parameterF64(40) * <f64>count, lasts = min(passed, relaxes);
  let worst = 0.0;
  if (ofSource) {
    const mean = 0.25 * lasts; // ∫dτ/√τ to t is t/√(t/4)
    alongBox(nx, ny, dx, dy, spreadOver(mean, Lx) / dx, spreadOver(mean, Ly) / dy);
    if (sourceMoves()) alongTime(first, count, parameterF64(40), lasts / parameterF64(40));
    worst = betweenNodes(0, range / lasts);
  }
  if (parameterF64(208) == 3.0) {
    alongBox(nx, ny, dx, dy, spreadOver(passed, Lx) / dx, spreadOver(passed, Ly) / dy);
    worst = max(worst, betweenNodes(ofSource ? 1 : 0, range));
  }
  gate(7, Kind.CERTIFICATE, ALLOWED, worst, worst / ALLOWED, 1.0);
}

// ---- what is shown -----------------------------------------------------------------------------------------

@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }

function writeRest(): void {
  put(11, load<f64>(fine, 48)); put(12, load<f64>(fine, 56)); put(13, load<f64>(fine)); put(14, isSteady ? 0.0 : parameterF64(40));
  put(16, most); put(17, least);
  const row = <i32>parameterF64(296), xs = extras() + SCALARS * 8, profile = xs + columns(), times = profile + columns();
  for (let i = 0; i <= nx; i++) store<f64>(xs + (<usize>i << 3), <f64>i * dx);
  memory.copy(profile, fieldOf(fine, 1) + columns() * <usize>row, columns());
  for (let k = 0; k < rows; k++) {
    const at = times + (<usize>k << 3);
    store<f64>(at, parameterF64(352) + load<f64>(rowsAt + (<usize>k << 4)));
    store<f64>(at + (<usize>rows << 3), load<f64>(rowsAt + (<usize>k << 4), 8));
  }
  writeDiagnostics(times + (<usize>rows << 4), profile, row);
}

/** ∂T/∂t − α∇²T − s along the profile, one step before the end; of a steady field at the end. */
function writeDiagnostics(block: usize, profile: usize, row: i32): void {
  const kept = fine + RESULT_HEAD, here = isSteady ? profile : kept + 2 * columns();
  const below = isSteady && ny > 0 ? profileOf(row - 1) : kept + columns(), above = isSteady && ny > 0 ? profileOf(row + 1) : kept + 3 * columns();
  const rate = scratch, spread = rate + columns(), heat = spread + columns(), rest = heat + columns();
  for (let i = 1; i < nx; i++) {
    const k = <usize>i << 3, T = load<f64>(here + k);
    let second = (load<f64>(here + k - 8) - 2.0 * T + load<f64>(here + k, 8)) / (dx * dx);
    if (ny > 0) second += (load<f64>(below + k) - 2.0 * T + load<f64>(above + k)) / (dy * dy);
    store<f64>(spread + k, -alpha * second);
    store<f64>(rate + k, isSteady ? 0.0 : (load<f64>(profile + k) - load<f64>(kept + k)) / (2.0 * parameterF64(40)));
    store<f64>(heat + k, -(sourceAt ? load<f64>(sourceAt + columns() * <usize>row + k) : sourceNumber()));
  }
  const hasSource = parameterF64(280) != 0.0;
  writeTerms(block, 1, here, nx + 1, 0, isSteady ? 0 : rate, 0, spread, 0, hasSource ? heat : 0, rest);
  const shown = extras(), left = load<f64>(shown, 64) - load<f64>(shown, 56), right = load<f64>(shown, 72) + load<f64>(shown, 80);
  writeBalance(block, left, right, abs(left - right));
  writeReflection(block, profile, nx + 1, rest + columns());
  writeBand(block, profile, nx + 1, rest + columns());
  if (!isSteady) writeFastest(block);
}

@inline function profileOf(row: i32): usize { return fieldOf(fine, 1) + columns() * <usize>row; }

/** |G| of the mode that changes its sign from node to node. */
function writeFastest(block: usize): void {
  const dt = parameterF64(40), a = 4.0 * alpha * dt / (dx * dx), b = ny > 0 ? 4.0 * alpha * dt / (dy * dy) : 0.0;
  const implicit = (1.0 - 0.5 * a) * (1.0 - 0.5 * b) / ((1.0 + 0.5 * a) * (1.0 + 0.5 * b));
  const G = parameterF64(64) == 0.0 ? 1.0 - a - b : implicit;
  writeStep(block, abs(G), G < 0.0 ? Math.PI : 0.0);
}
