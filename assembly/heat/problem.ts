// What the runs of `heat` read from their parameters, and the start they make of it.
//
// Parameters (f64):
//   0 cells nx · 8 cells ny, 0: one dimension · 16 Lx · 24 Ly [m] · 32 α [m²/s] · 40 dt [s] · 48 steps, all jobs together
//   56 steps per row · 64 scheme: 0 explicit, 1 ADI · 72 steps that are four implicit half-steps, 0 or 2
//   80, 112, 144, 176 left, right, bottom, top: kind (grid/axis.ts), T [K], h/k [1/m], q/k + h T∞/k [K/m]
//   208 start: 0 T + A f(x) g(y), 1 an array, 2 the result of a run, 3 a formula · 216 T [K] · 224 A [K]
//   232 k [1/m] and 240 phase of f: 0 sin kx, 1 cos kx · 248, 256 of g
//   264, 272 probe [m] · 280 source: 0 none, 1 a number, 2 an array, 3 s f(x) g(y), 4 a formula, 5 one of t too · 288 s [K/s] · 296 row of the profile
//   304 tolerance (steady) · 312 most iterations (steady)
//   320 the start: an array (nx+1)(ny+1), a result, or nothing · then the source's array, if it is one
//   then the formulas (assembly/grid/formula.ts), where there are any: of the source, of the start
// Result (f64):
//   0 steps · 8 ∫T at the start · 16 what has flowed in since · 24 the same in sizes [K m, K m²] · 32 least and
//   40 largest T of the start · 48 iterations and 56 residual (steady)
//   64 the row of the profile two steps before the end, and that row and both beside it one step before
//   then T, (nx+1)(ny+1) · of a source of t its sums (assembly/grid/source.ts) and ∫∫s since the start

import { allocate, parameterF64, parameters, parametersLength } from "../kernel/frame";
import { gridFormulaWork, layFormulaRow, layPlaces, openGridFormulas } from "../grid/formula";
import { SAMPLE_BYTES, laySourceAt } from "../grid/source";
import { AXIS_BYTES, End, cellsOf, isPeriodic, layAxis, lowerKind, lowerValue, shareOf, upperKind, upperValue, widthOf } from "../grid/axis";
import { copyRow, nodeAt, rowAt, unpackField } from "../grid/field";

export const HEAD: usize = 320;
/** Bytes of a result before the rows of the profile. */
export const RESULT_HEAD: usize = 64;

export let x: usize = 0, y: usize = 0;
export let nx: i32 = 0, ny: i32 = 0;
export let alpha: f64 = 0;

export function readProblem(): void {
  x = allocate(AXIS_BYTES);
  y = allocate(AXIS_BYTES);
  layAxis(x, <i32>parameterF64(0), parameterF64(16), parameters() + 80);
  layAxis(y, <i32>parameterF64(8), parameterF64(24), parameters() + 144);
  nx = cellsOf(x);
  ny = cellsOf(y);
  alpha = parameterF64(32);
  openFormulasOfHeat();
}

let places: usize = 0, formulas: i32 = 0;

@inline function sourceIsFormula(): bool { return parameterF64(280) >= 4.0; }
/** The source is a formula in which the time stands. */
@inline export function sourceMoves(): bool { return parameterF64(280) == 5.0; }
/** Bytes that such a source keeps: its sums, its content behind them. */
@inline export function movingBytes(): usize { return sourceMoves() ? SAMPLE_BYTES : 0; }
/** Where the content stands. */
export const CONTENT: usize = SAMPLE_BYTES - 8;
@inline function startIsFormula(): bool { return parameterF64(208) == 3.0; }
@inline function startFormula(): i32 { return sourceIsFormula() ? 1 : 0; }

/** A run that goes on has the formula of its start no more. */
function openFormulasOfHeat(): void {
  formulas = <i32>sourceIsFormula() + <i32>startIsFormula();
  if (formulas == 0) return;
  const from = HEAD + startBytes() + (parameterF64(280) == 2.0 ? nodes() << 3 : 0);
  if (!openGridFormulas(parameters() + from, parametersLength() - <i32>from, formulas)) formulas = 0;
  places = layPlaces(nx + 1, widthOf(x));
}

/** Work units of laying the formulas. */
export function formulaWork(): u64 {
  let units: u64 = 0;
  for (let j = 0; j < formulas; j++) units += gridFormulaWork(j, <u64>nodes());
  return units;
}

/** Work units of laying the source anew. */
export function movingWork(): u64 { return sourceMoves() && formulas > 0 ? gridFormulaWork(0, <u64>nodes()) + 2 * <u64>nodes() : 0; }

/** The source t seconds after the start. */
export function moveSource(array: usize, t: f64): void {
  if (formulas > 0) laySourceAt(0, t, places, nx, ny, widthOf(y), array);
}

/** ∫s over the free nodes. */
export function arrayContent(array: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    let line = 0.0;
    for (let i = 0; i <= nx; i++, array += 8) line += shareOf(x, i) * load<f64>(array);
    sum += shareOf(y, j) * line;
  }
  return sum * widthOf(x) * widthOf(y);
}

function heightOf(j: i32): f64 { return ny > 0 ? <f64>j * widthOf(y) : 0.0; }

@inline export function nodes(): usize { return <usize>(nx + 1) * <usize>(ny + 1); }
@inline export function profileBytes(): usize { return <usize>(nx + 1) << 5; }
@inline export function goesOn(): bool { return parameterF64(208) == 2.0; }

/** The result of the run that goes on. */
@inline export function earlierResult(): usize { return parameters() + HEAD; }

function startBytes(): usize {
  const kind = parameterF64(208);
  return kind == 1.0 ? nodes() << 3 : kind == 2.0 ? RESULT_HEAD + profileBytes() + (nodes() << 3) + movingBytes() : 0;
}

/** The source's array, or 0. */
export function sourceArray(): usize {
  if (parameterF64(280) == 2.0) return parameters() + HEAD + startBytes();
  if (sourceIsFormula()) return formulas > 0 ? layFormulaSource(allocate(nodes() << 3)) : 0;
  return 0;
}

function layFormulaSource(array: usize): usize {
  const columns = <usize>(nx + 1) << 3;
  for (let j = 0; j <= ny; j++) layFormulaRow(0, places, nx + 1, heightOf(j), array + columns * <usize>j);
  return array;
}

/** s f(x) g(y), the source of a steady twin, on the nodes. */
export function laySource(array: usize): usize {
  for (let j = 0; j <= ny; j++)
    for (let i = 0; i <= nx; i++)
      store<f64>(array + (<usize>(j * (nx + 1) + i) << 3), parameterF64(288) * shapeX(i) * shapeY(j));
  return array;
}
@inline export function sourceNumber(): f64 { return parameterF64(280) == 1.0 ? parameterF64(288) : 0.0; }

function wave(k: f64, phase: f64, at: f64): f64 { return phase == 1.0 ? Math.cos(k * at) : Math.sin(k * at); }

function shapeX(i: i32): f64 { return wave(parameterF64(232), parameterF64(240), <f64>i * widthOf(x)); }
function shapeY(j: i32): f64 {
  return ny > 0 ? wave(parameterF64(248), parameterF64(256), <f64>j * widthOf(y)) : 1.0;
}

/** The start without its edges. */
export function writeStart(field: usize): void {
  if (parameterF64(208) == 1.0) { unpackField(field, parameters() + HEAD, nx, ny); return; }
  if (startIsFormula()) {
    if (formulas > 0) for (let j = 0; j <= ny; j++) layFormulaRow(startFormula(), places, nx + 1, heightOf(j), nodeAt(field, nx, 0, j));
    return;
  }
  const T = parameterF64(216), A = parameterF64(224);
  for (let j = 0; j <= ny; j++) {
    const g = A == 0.0 ? 0.0 : A * shapeY(j);
    for (let i = 0; i <= nx; i++) store<f64>(nodeAt(field, nx, i, j), A == 0.0 ? T : T + g * shapeX(i));
  }
}

/** Last node and row of periodic axes are copies of the first. */
export function closeRing(field: usize): void {
  if (isPeriodic(x)) for (let j = 0; j <= ny; j++) store<f64>(nodeAt(field, nx, nx, j), load<f64>(nodeAt(field, nx, 0, j)));
  if (ny > 0 && isPeriodic(y)) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
}

/** What a fixed node is kept at: the mean at a corner of two fixed sides; NaN where the node is free. */
export function fixedValue(i: i32, j: i32): f64 {
  const alongX = i == 0 && lowerKind(x) == End.FIXED ? lowerValue(x)
    : i == nx && upperKind(x) == End.FIXED ? upperValue(x) : NaN;
  if (ny == 0) return alongX;
  const alongY = j == 0 && lowerKind(y) == End.FIXED ? lowerValue(y)
    : j == ny && upperKind(y) == End.FIXED ? upperValue(y) : NaN;
  if (isNaN(alongX)) return alongY;
  return isNaN(alongY) ? alongX : 0.5 * (alongX + alongY);
}

@inline function setFixed(field: usize, i: i32, j: i32, half: bool): void {
  const value = fixedValue(i, j), at = nodeAt(field, nx, i, j);
  if (!isNaN(value)) store<f64>(at, half ? 0.5 * (value + load<f64>(at)) : value);
}

/** Sets the fixed edges; `half`: to the mean of what is there and what they are kept at. */
export function setEdges(field: usize, half: bool): void {
  for (let j = 0; j <= ny; j++) { setFixed(field, 0, j, half); setFixed(field, nx, j, half); }
  if (ny == 0) return;
  for (let i = 1; i < nx; i++) { setFixed(field, i, 0, half); setFixed(field, i, ny, half); }
}

/** ∫T over the free nodes [K m or K m²]. */
export function contentOf(field: usize): f64 {
  let sum = 0.0;
  for (let j = 0; j <= ny; j++) {
    const row = rowAt(field, nx, j);
    let line = 0.0;
    for (let i = 0; i <= nx; i++) line += shareOf(x, i) * load<f64>(row + (<usize>i << 3));
    sum += shareOf(y, j) * line;
  }
  return sum * widthOf(x) * widthOf(y);
}
