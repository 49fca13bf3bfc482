// Formulas of x, y and t on the nodes of a grid (assembly/expression): row by row in strips, and once more, for verdicts,
// by the pass that derivatives come from. Values of the block: x, a column, then y and t, variables; the value of t in
// the block is that of the start.

import { allocate, fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { bindColumn, evaluateField, openFormulas, setVariable } from "../expression/formulas";
import { stripHalves } from "../expression/work";
import { openPrograms, plainValue, plainWork, programCount, setValue, valueOf } from "../expression/program";

const T: i32 = 2;

/** t of the start [s]. */
let startTime: f64 = 0;

/** Opens the block of `count` formulas at `at`; a block that is none ends the run. */
export function openGridFormulas(at: usize, length: i32, count: i32): bool {
  if (openFormulas(at, length, 1, 2) && programCount() == count) { startTime = valueOf(T); return true; }
  fail(Status.INVALID_INPUT);
  return false;
}

/** Formula j at the places `xs` of a row and at y, written to `to`. */
export function layFormulaRow(j: i32, xs: usize, count: i32, y: f64, to: usize): void {
  setVariable(1, y);
  bindColumn(0, xs);
  if (!evaluateField(j, count, to)) fail(Status.NON_FINITE);
}

/** Of the rows that follow, so many seconds after the start. */
@inline export function setTime(t: f64): void { setVariable(T, startTime + t); }

/** Places 0, h, 2h … of a row; behind them there is room to be read. */
export function layPlaces(count: i32, h: f64): usize {
  const xs = allocate(<usize>(count + 4) << 3);
  for (let i = 0; i < count; i++) store<f64>(xs + (<usize>i << 3), <f64>i * h);
  return xs;
}

/** Work units of formula j on so many nodes. */
export function gridFormulaWork(j: i32, nodes: u64): u64 { return (nodes * stripHalves(j) + 1) / 2; }

// ---- for verdicts ----------------------------------------------------------------------------------------

export function openPlainFormulas(at: usize, length: i32, count: i32): bool {
  if (openPrograms(at, length) && programCount() == count) { startTime = valueOf(T); return true; }
  fail(Status.INVALID_INPUT);
  return false;
}

/** t of the start [s]. */
@inline export function startOf(): f64 { return startTime; }
/** Of the fields that follow, so many seconds after the start. */
@inline export function setPlainTime(t: f64): void { setValue(T, startTime + t); }

/** Formula j on all nodes, row by row. */
export function layPlainField(j: i32, nx: i32, ny: i32, dx: f64, dy: f64): usize {
  const field = allocate(<usize>(nx + 1) * <usize>(ny + 1) << 3);
  for (let row = 0; row <= ny; row++) {
    setValue(1, <f64>row * dy);
    for (let i = 0; i <= nx; i++) {
      setValue(0, <f64>i * dx);
      store<f64>(field + (<usize>(row * (nx + 1) + i) << 3), plainValue(j));
    }
  }
  return field;
}

/** Formula j at a place, t seconds after the start. */
export function plainAt(j: i32, x: f64, y: f64, t: f64): f64 {
  setValue(0, x);
  setValue(1, y);
  setPlainTime(t);
  return plainValue(j);
}

export function plainFieldWork(j: i32, nodes: u64): u64 { return nodes * plainWork(j); }
