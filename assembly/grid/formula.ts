// Formulas of x and y on the nodes of a grid (assembly/expression): row by row in strips, and once more, for verdicts, by
// the pass that derivatives come from. Values of the block: x, a column, and y, a variable.

import { allocate, fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { bindColumn, evaluateField, openFormulas, setVariable, stripHalves } from "../expression/formulas";
import { openPrograms, plainValue, plainWork, programCount, setValue } from "../expression/program";

/** Opens the block of `count` formulas at `at`; a block that is none ends the run. */
export function openGridFormulas(at: usize, length: i32, count: i32): bool {
  if (openFormulas(at, length, 1, 1) && programCount() == count) return true;
  fail(Status.INVALID_INPUT);
  return false;
}

/** Formula j at the places `xs` of a row and at y, written to `to`. */
export function layFormulaRow(j: i32, xs: usize, count: i32, y: f64, to: usize): void {
  setVariable(1, y);
  bindColumn(0, xs);
  if (!evaluateField(j, count, to)) fail(Status.NON_FINITE);
}

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
  if (openPrograms(at, length) && programCount() == count) return true;
  fail(Status.INVALID_INPUT);
  return false;
}

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

export function plainFieldWork(j: i32, nodes: u64): u64 { return nodes * plainWork(j); }
