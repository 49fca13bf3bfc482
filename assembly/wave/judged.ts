// What the verdict of `wave` reads of the problem and of the runs: the medium on the nodes, the start, energies, nodes.
// Nothing here is shared with the kernel. Layouts: assembly/wave/problem.ts; behind the head of a run's parameters:
//
//   304 closed form: 0 none, 1 mode, 2 line, 3 stack · 312 levels · 320 quantity: 0 value, 1 frequency, 2 transmittance,
//   3 reflectance · 328 time since the start [s] · 336 t₀ [s] · 344 … 368 k and phase of the twin along x and y
//   376 steps of the twin · 384 rows · 392 first row of the series at equal times · 400 segments of the stack
//   408 there is a run with thicker layers · 416 rows of the series · 424 places of its transform · 432 bins shown
//   440 time between rows [s] · 448 ρ of the twin · 456 steps of the job that is continued · 464 modes of a guide
//   472 segments · formulas · ε on a row of nodes or on cells · σ on cells · start's arrays · result at h and its rows · at 2h, 4h, each with its rows
//   where a frequency is wanted · the same of thicker layers at 2h · the empty run's result (in a plane at h, 2h, 4h and
//   with thicker layers) · the twin's

import { allocate, parameterF64, parameters } from "../kernel/frame";
import { layPlainField, openPlainFormulas, plainAt, plainFieldWork } from "../grid/formula";
import { alongBox, alongTime, axesOf, betweenNodes } from "../grid/between";
import { ALLOWED, openResolution, resolutionWork, timesFiner } from "../expression/resolved";
import { SAMPLE_BYTES, addTerm, closeSample, lastSample, openSamples, samplePoints, sampleStep, weight } from "../grid/source";

export const HEAD: usize = 472;
const RESULT_HEAD: usize = 112;

export let nx: i32 = 0, ny: i32 = 0;
export let dx: f64 = 0, dy: f64 = 0, dt: f64 = 0, K: f64 = 0;
export let isMaxwell: bool = false;
export let fine: usize = 0, fineRows: usize = 0, middle: usize = 0, middleRows: usize = 0, coarse: usize = 0, coarseRows: usize = 0;
export let thick: usize = 0, thickRows: usize = 0, empty: usize = 0, twin: usize = 0;
export let emptyMiddle: usize = 0, emptyCoarse: usize = 0, emptyThick: usize = 0;
let epsilonAt: usize = 0, sigmaAt: usize = 0, startAt: usize = 0;

@inline function absorbs(side: usize): bool { return parameterF64(96 + (side << 3)) == 3.0; }

export function readParts(): void {
  nx = <i32>parameterF64(0); ny = <i32>parameterF64(8);
  dx = parameterF64(16) / <f64>nx; dy = ny > 0 ? parameterF64(24) / <f64>ny : 1.0;
  dt = parameterF64(56); K = parameterF64(32); isMaxwell = parameterF64(184) == 1.0;
  const cells = <usize>nx * <usize>max(1, ny), nodes = nodesOf(1), kind = parameterF64(272);
  const formulasAt = parameters() + HEAD + 24 * <usize>parameterF64(400);
  epsilonAt = formulasAt + <usize>parameterF64(192);
  sigmaAt = epsilonAt + (kind == 0.0 ? 0 : kind == 1.0 ? <usize>(nx + 1) << 3 : cells << 3);
  startAt = sigmaAt + (parameterF64(280) == 2.0 ? cells << 3 : 0);
  fine = startAt + (isArrays() && !startIsFormula() ? (nodes << 3) + ratesOf(1) : 0);
  if (startIsFormula()) startAt = allocate(nodes << 4);
  layFormulas(formulasAt);
  fineRows = fine + resultBytes(1, layerCells(1.0));
  const rows = <usize>parameterF64(384) << 4, kept = parameterF64(320) == 1.0 ? rows : 0;
  middle = fineRows + rows;
  const isThree = parameterF64(312) == 3.0, plain = layerCells(1.0);
  middleRows = middle + (isThree ? resultBytes(2, plain) : 0);
  coarse = middleRows + (isThree ? kept : 0);
  coarseRows = coarse + (isThree ? resultBytes(4, plain) : 0);
  thick = coarseRows + (isThree ? kept : 0);
  const isThick = parameterF64(408) == 1.0;
  thickRows = thick + (isThick ? resultBytes(2, layerCells(2.0)) : 0);
  empty = thickRows + (isThick ? kept : 0);
  emptyMiddle = empty + (parameterF64(320) >= 2.0 ? resultBytes(1, plain) : 0);
  emptyCoarse = emptyMiddle + (hasLines() ? resultBytes(2, plain) : 0);
  emptyThick = emptyCoarse + (hasLines() ? resultBytes(4, plain) : 0);
  twin = emptyThick + (hasLines() ? resultBytes(2, layerCells(2.0)) : 0);
}

/** Power is taken through the edges of a plane. */
@inline export function hasLines(): bool { return ny > 0 && parameterF64(320) >= 2.0; }
@inline function rowsOfLines(level: i32): usize { return <usize>(ny / level + 1) << 6; }
/** Power is that of a sine, seen through three windows. */
@inline export function hasWindows(): bool { return hasLines() && parameterF64(216) == 2.0; }
@inline function linesBytes(level: i32): usize { return hasLines() ? (hasWindows() ? 3 : 1) * rowsOfLines(level) : 0; }
/** The transforms along both edges in a result on cells of `level`, of the window `back` from the last. */
export function linesOf(result: usize, level: i32, back: usize = 0): usize {
  return result + RESULT_HEAD + profileBytes(level) + linesBytes(level) - (back + 1) * rowsOfLines(level);
}

@inline function layerCells(times: f64): i32 { return <i32>(parameterF64(80) * times); }
@inline export function nodesOf(level: i32): usize { return <usize>(nx / level + 1) * <usize>(ny / level + 1); }
@inline export function columns(level: i32): usize { return <usize>(nx / level + 1) << 3; }
/** v, or Hx and Hy. */
function ratesOf(level: i32): usize {
  const cx = <usize>(nx / level), cy = <usize>(ny / level);
  return (isMaxwell ? cy * (cx + 1) + (cy + 1) * cx : nodesOf(level)) << 3;
}
/** Nodes of a row of the whole grid, and all of it. */
function wideOf(level: i32, layer: i32): usize {
  return <usize>(nx / level + (absorbs(0) ? layer : 0) + (absorbs(1) ? layer : 0) + 1);
}
function allOf(level: i32, layer: i32): usize {
  return wideOf(level, layer) * (ny > 0 ? <usize>(ny / level + (absorbs(2) ? layer : 0) + (absorbs(3) ? layer : 0) + 1) : 1);
}
@inline function profileBytes(level: i32): usize { return (columns(level) + 15) & ~15; }
/** Before the fields, but for the twin's, which has no source. */
function frontBytes(level: i32): usize {
  return RESULT_HEAD + profileBytes(level) + (sourceIsFormula() ? SAMPLE_BYTES : 0) + linesBytes(level);
}
function resultBytes(level: i32, layer: i32): usize {
  const nodes = nodesOf(level), all = allOf(level, layer), fields = (all > nodes ? 4 : 2) * all + (isMaxwell ? nodes : 0);
  return frontBytes(level) + (fields << 3) + ratesOf(level);
}

// ---- formulas ------------------------------------------------------------------------------------------

let formulas: i32 = 0;

@inline export function sourceIsFormula(): bool { return parameterF64(216) == 3.0; }
@inline function startIsFormula(): bool { return isArrays() && parameterF64(136) > 0.0; }
@inline function formulaOf(bit: i32): bool { return startIsFormula() && (<i32>parameterF64(136) & bit) != 0; }

/** What the start's formulas say, by the other evaluator. */
function layFormulas(at: usize): void {
  formulas = <i32>sourceIsFormula() + <i32>formulaOf(1) + <i32>formulaOf(2);
  if (formulas == 0) return;
  if (!openPlainFormulas(at, <i32>parameterF64(192), formulas)) { formulas = 0; return; }
  let next = <i32>sourceIsFormula();
  const bytes = nodesOf(1) << 3;
  if (formulaOf(1)) memory.copy(startAt, layPlainField(next++, nx, ny, dx, dy), bytes);
  if (formulaOf(2)) memory.copy(startAt + bytes, layPlainField(next, nx, ny, dx, dy), bytes);
  openResolution(axesOf(ny, sourceIsFormula()));
}

/** Work units of all that is asked of the formulas. */
export function formulaUnits(): u64 {
  let units: u64 = 0;
  const nodes = <u64>nodesOf(1);
  for (let j = <i32>sourceIsFormula(); j < formulas; j++) units += plainFieldWork(j, nodes);
  if (sourceIsFormula() && formulas > 0) units += plainFieldWork(0, 2 * (samplePoints(nodes) + <u64>(nx + 1)) + LATTICE);
  for (let j = 0; j < formulas; j++) units += resolutionWork(j, axesOf(ny, sourceIsFormula() && j == 0));
  return units;
}

// ---- between nodes and steps ---------------------------------------------------------------------------

/** Waves are carried on as they are: of what stands between the nodes the mean over so many cells and steps counts. */
const MEAN_CELLS: f64 = 8;
/** Times and places, besides those of the samples, at which the source is looked at. */
const TIMES: i32 = 257, PLACES: i32 = 9;
const LATTICE: u64 = 257 * 81;

@inline export function hasFormulas(): bool { return formulas > 0; }

/** Most that formulas hold between nodes and steps, over `part` of the largest |u|, |v| or |f| that the grid meets. */
export function mostBetween(part: f64): f64 {
  let worst = 0.0, j = 0;
  timesThatDo = 1;
  if (sourceIsFormula()) {
    const first: i64 = goesOn() ? <i64>parameterF64(456) : 0, count = <i64>load<f64>(fine) - first;
    alongBox(nx, ny, dx, dy, MEAN_CELLS, MEAN_CELLS);
    alongTime(first, count, dt, MEAN_CELLS);
    worst = hiddenOf(j++, part * largestSource(first, count));
  }
  if (formulaOf(1)) worst = max(worst, between(j++, startAt, part));
  if (formulaOf(2)) worst = max(worst, between(j, startAt + (nodesOf(1) << 3), part));
  return worst;
}

function between(j: i32, values: usize, part: f64): f64 {
  let size = 0.0;
  for (let k: usize = 0; k < nodesOf(1); k++) size = max(size, abs(load<f64>(values + (k << 3))));
  alongBox(nx, ny, dx, dy, MEAN_CELLS, MEAN_CELLS);
  return hiddenOf(j, part * size);
}

/** By how many times more cells, and steps, all formulas would be within the bound; 0: that is not known. */
export let timesThatDo: i32 = 1;

function hiddenOf(j: i32, scale: f64): f64 {
  const share = betweenNodes(j, scale);
  if (share <= ALLOWED) return share;
  const times = timesFiner(j, scale);
  timesThatDo = times == 0 || timesThatDo == 0 ? 0 : max(times, timesThatDo);
  return share;
}

/** Of the samples, which have all nodes at a few times, and of few places at many. */
function largestSource(first: i64, count: i64): f64 {
  let size = largestSample;
  for (let k = 0; k < TIMES; k++) {
    const t = (<f64>first + <f64>count * <f64>k / <f64>(TIMES - 1)) * dt;
    for (let p = 0; p < PLACES * PLACES; p++) {
      const x = parameterF64(16) * <f64>(p % PLACES) / <f64>(PLACES - 1), y = ny > 0 ? parameterF64(24) * <f64>(p / PLACES) / <f64>(PLACES - 1) : 0.0;
      size = max(size, abs(plainAt(0, x, y, t)));
    }
  }
  return size;
}


/** Holds the source of the finest run to its formula. */
export function judgeSource(): void {
  const first = goesOn() ? <i64>parameterF64(456) : 0, count = <i64>load<f64>(fine) - first;
  const sums = fine + RESULT_HEAD + profileBytes(1);
  openSamples();
  for (let k: i64 = 0; k <= lastSample(count); k++) {
    addTerms(<f64>sampleStep(k, first, count));
    closeSample(load<f64>(sums + (<usize>k << 3)));
  }
}

/** The force of step n on the free nodes; of a current's difference a part is rounding. */
function addTerms(n: f64): void {
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const w = weight(i, j, nx, ny) * share(0, i, nx) * share(2, j, ny) * edgeShare(i, j);
      const f = ownForce(n, <f64>i * dx, ny > 0 ? <f64>j * dy : 0.0);
      largestSample = max(largestSample, isMaxwell ? currentSize : abs(f));
      addTerm(w * f, isMaxwell ? 1e-12 * w * currentSize / dt : 0.0);
    }
  }
}

function edgeShare(i: i32, j: i32): f64 {
  const onX = (i == 0 && absorbs(0)) || (i == nx && absorbs(1));
  const onY = ny > 0 && ((j == 0 && absorbs(2)) || (j == ny && absorbs(3)));
  return (onX ? 0.5 : 1.0) * (onY ? 0.5 : 1.0);
}

/** u of the box in a result. */
@inline export function fieldOf(result: usize, level: i32): usize { return result + frontBytes(level); }
/** u of the finest run one step before the end at the nodes of row j of the box. */
export function lastOf(j: i32): usize {
  const layer = layerCells(1.0), left = absorbs(0) ? layer : 0, below = ny > 0 && absorbs(2) ? layer : 0;
  return fine + frontBytes(1) + ((allOf(1, layer) + wideOf(1, layer) * <usize>(j + below) + <usize>left) << 3);
}
/** u of the twin and its rates, which follow u before and the sums. */
export function twinField(): usize { return twin + RESULT_HEAD + profileBytes(1); }
export function twinRates(): usize { return twinField() + nodesOf(1) * (isMaxwell ? 24 : 16); }
@inline export function node(result: usize, level: i32, i: i32, j: i32): f64 {
  return load<f64>(fieldOf(result, level) + (<usize>(j * (nx / level + 1) + i) << 3));
}

// ---- the problem ---------------------------------------------------------------------------------------

@inline export function goesOn(): bool { return parameterF64(128) >= 4.0; }
@inline export function startKind(): i32 { const kind = <i32>parameterF64(128); return kind > 3 ? kind - 5 : kind; }
@inline function isArrays(): bool { return startKind() == 3; }

export function shape(k: f64, phase: f64, at: f64): f64 { return phase == 1.0 ? Math.cos(k * at) : Math.sin(k * at); }

/** The start on a line or along x. */
export function startOnLine(x: f64): f64 {
  const A = parameterF64(136);
  if (startKind() == 2) {
    const peak = parameterF64(176);
    return A * min(x / peak, (parameterF64(16) - x) / (parameterF64(16) - peak));
  }
  return A * shape(parameterF64(144), parameterF64(152), x);
}

function startAtNode(i: i32, j: i32): f64 {
  if (isArrays()) return load<f64>(startAt + (<usize>(j * (nx + 1) + i) << 3));
  if (startKind() == 0) return 0.0;
  const g = ny > 0 ? shape(parameterF64(160), parameterF64(168), <f64>j * dy) : 1.0;
  return startOnLine(<f64>i * dx) * g;
}

/** Mean of the cells that meet in a node. */
function mean(array: usize, i: i32, j: i32): f64 {
  let sum = 0.0, count = 0.0;
  for (let q = max(0, j - 1); q <= min(j, max(0, ny - 1)); q++) {
    for (let p = max(0, i - 1); p <= min(i, nx - 1); p++) {
      sum += load<f64>(array + (<usize>(q * nx + p) << 3));
      count += 1.0;
    }
  }
  return sum / count;
}
export function densityAt(i: i32, j: i32): f64 {
  const kind = parameterF64(272);
  return parameterF64(40) * (kind == 0.0 ? parameterF64(296) : kind == 1.0 ? load<f64>(epsilonAt + (<usize>i << 3)) : mean(epsilonAt, i, j));
}
export function conductivityAt(i: i32, j: i32): f64 {
  return parameterF64(280) == 2.0 ? mean(sigmaAt, i, j) : parameterF64(48);
}
@inline export function hasLoss(): bool { return parameterF64(280) == 2.0 || parameterF64(48) != 0.0; }

/** Share of a cell of node i on the axis whose ends are sides `side` and `side` + 1. */
export function share(side: usize, i: i32, n: i32): f64 {
  if (n == 0) return 1.0;
  const low = parameterF64(96 + (side << 3));
  if (low == 2.0) return i == n ? 0.0 : 1.0;
  if (i > 0 && i < n) return 1.0;
  return (i == 0 ? low : parameterF64(104 + (side << 3))) == 0.0 ? 0.0 : 0.5;
}

/** ∫u² of the start, and of arrays (L/c)² ∫v² beside it. */
export function startNorm(): f64 {
  const time = parameterF64(16) * sqrt(densityAt(0, 0) / K), rates = startAt + (nodesOf(1) << 3);
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const w = share(0, i, nx) * share(2, j, ny), u = startAtNode(i, j);
      sum += w * u * u;
      if (!isArrays() || isMaxwell) continue;
      let v = load<f64>(rates + (<usize>(j * (nx + 1) + i) << 3)) * time;
      if ((i == 0 && absorbs(0)) || (i == nx && absorbs(1))) v *= 0.5;
      if (ny > 0 && ((j == 0 && absorbs(2)) || (j == ny && absorbs(3)))) v *= 0.5;
      sum += w * v * v;
    }
  }
  return sum * dx * dy;
}
/** The same from what the kernel noted. */
export function notedNorm(): f64 {
  const time = parameterF64(16) * sqrt(densityAt(0, 0) / K), rate = isArrays() && !isMaxwell ? load<f64>(fine, 88) : 0.0;
  return load<f64>(fine, 80) + time * time * rate;
}

/** ½‖δ_t u‖² + ½K⟨∇u, ∇u before⟩ at the end of the finest run. */
export function energyAtEnd(): f64 {
  const first = fieldOf(fine, 1), up = columns(1);
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    const u = first + up * <usize>j, before = lastOf(j), beforeUp = lastOf(j + 1) - before;
    for (let i = 0; i <= nx; i++) {
      const k = <usize>i << 3, wx = share(0, i, nx), wy = share(2, j, ny);
      const v = (load<f64>(u + k) - load<f64>(before + k)) / dt;
      sum += wx * wy * densityAt(i, j) * v * v;
      if (i < nx) sum += K * wy / (dx * dx) * (load<f64>(u + k + 8) - load<f64>(u + k)) * (load<f64>(before + k + 8) - load<f64>(before + k));
      if (j < ny) sum += K * wx / (dy * dy) * (load<f64>(u + k + up) - load<f64>(u + k)) * (load<f64>(before + k + beforeUp) - load<f64>(before + k));
    }
  }
  return 0.5 * dx * dy * sum;
}

/** −∂J/∂t of the source at node (i, j) around the time n dt. */
export function drivenAt(n: f64, i: i32, j: i32): f64 {
  const type = parameterF64(216);
  if (type == 0.0) return 0.0;
  if (type == 3.0) return ownForce(n, <f64>i * dx, ny > 0 ? <f64>j * dy : 0.0);
  const a = max(0.0, 1.0 - abs(parameterF64(240) / dx - <f64>i)), b = ny > 0 ? max(0.0, 1.0 - rowsApart(parameterF64(248) / dy, j)) : 1.0;
  return a * b == 0.0 ? 0.0 : -a * b * (current(type, (n + 0.5) * dt) - current(type, (n - 0.5) * dt)) / (dt * dx * dy);
}

function rowsApart(at: f64, j: i32): f64 {
  const apart = abs(at - <f64>j);
  return parameterF64(112) == 2.0 ? min(apart, <f64>ny - apart) : apart;
}

let currentSize: f64 = 0, largestSample: f64 = 0;

/** f of step n, or −∂J/∂t over it, of which before the start there is none. */
function ownForce(n: f64, x: f64, y: f64): f64 {
  if (formulas == 0) return 0.0;
  if (!isMaxwell) return plainAt(0, x, y, n * dt);
  const J = plainAt(0, x, y, (n + 0.5) * dt), before = plainAt(0, x, y, n == 0.0 ? 0.0 : (n - 0.5) * dt);
  currentSize = abs(J);
  return -(J - before) / (n == 0.0 ? 0.5 * dt : dt);
}

function current(type: f64, t: f64): f64 {
  const w = parameterF64(232), turn = 2.0 * Math.PI * parameterF64(224);
  if (type == 1.0) { const z = t / w - 5.0; return Math.exp(-0.5 * z * z) * Math.sin(turn * w * z); }
  const ramp = t <= 0.0 ? 0.0 : t >= w ? 1.0 : Math.sin(0.5 * Math.PI * t / w);
  return ramp * ramp * Math.sin(turn * t);
}
