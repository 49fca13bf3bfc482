// The mesh of a cavity of cells as its verdict has it: elements between lines of the coarsest mesh, then these lines along x and
// along y (f64, in edges of a cell).

import { parameterF64, parameters } from "../kernel/frame";
import { evenly, nodeAlong } from "./mask-lines";

let parts: i32 = 0, linesX: usize = 0, linesY: usize = 0, columns: i32 = 0, rows: i32 = 0;

/** At this offset of the parameters, of so many columns and rows of nodes; says where they end. */
export function openLines(offset: usize, ofColumns: i32, ofRows: i32): usize {
  columns = ofColumns;
  rows = ofRows;
  parts = <i32>parameterF64(offset);
  linesX = parameters() + offset + 8;
  linesY = linesX + (<usize>((columns - 1) / (2 * parts) + 1) << 3);
  return linesY + (<usize>((rows - 1) / (2 * parts) + 1) << 3) - parameters();
}

/** x of all columns, then y of all rows, in metres. */
export function writePlaces(to: usize, edge: f64): void {
  for (let i = 0; i < columns; i++) store<f64>(to + (<usize>i << 3), edge * nodeAlong(linesX, parts, i));
  const ys = to + (<usize>columns << 3);
  for (let j = 0; j < rows; j++) store<f64>(ys + (<usize>j << 3), edge * nodeAlong(linesY, parts, j));
}

/** Distance of columns in the mean, in edges of a cell. */
export function meanDistance(): f64 { return nodeAlong(linesX, parts, columns - 1) / <f64>(columns - 1); }

/** Values of a row of nodes at as many even places. */
export function evenRow(to: usize, values: usize): void { evenly(to, values, linesX, parts, columns); }
