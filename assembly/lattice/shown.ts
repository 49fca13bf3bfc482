// What the verdict of a lattice shows beside its value: values and precisions of all points, their coordinates, roots and
// paths (assembly/verdicts/lattice.ts, 'Extras').

import { allocate, parameterF64, parameters } from "../kernel/frame";
import { extras } from "../kernel/verdict";
import { ROW } from "../expression/row";
import { sha256 } from "../math/sha256";
import {
  coordinateCount, coordinatesAt, headerAt, headerBytes, ofRows, placeOf, points, precisionOf, precisionsAt, programs, proofs,
  valuesAt,
} from "./points";
import { chosen } from "./reduction";
import { digestWords, inclusionPath, treeHeight, treeRoot } from "./tree";

let pathAt: usize = 0;

export function openShown(): void { pathAt = allocate(<usize>max(1, treeHeight(points)) << 5); }

@inline function perProof(): i32 { return 1 + 8 * treeHeight(points); }

/** Numbers that `writeShown` will write. */
export function shownCount(): i32 {
  const columns = ofRows ? 1 + 2 * programs : 2;
  return 18 + columns * points + coordinateCount + proofs * perProof();
}

export function writeShown(): void {
  const at = extras(), n = <usize>points << 3;
  store<f64>(at, <f64>chosen);
  store<f64>(at, <f64>leastPrecise(), 8);
  digestWords(treeRoot(), at + 16);
  sha256(headerAt, headerBytes, pathAt);
  digestWords(pathAt, at + 80);
  let to = at + 144;
  memory.copy(to, valuesAt, n);
  memory.copy(to + n, precisionsAt, n);
  to += 2 * n;
  if (ofRows) to = writeColumns(to);
  memory.copy(to, parameters() + coordinatesAt(), <usize>coordinateCount << 3);
  writeProofs(to + (<usize>coordinateCount << 3));
}

function leastPrecise(): i32 {
  let worst = 0;
  for (let i = 1; i < points; i++) if (precisionOf(i) > precisionOf(worst)) worst = i;
  return worst;
}

/** Uncertainties of the first program, values and uncertainties of the others. */
function writeColumns(to: usize): usize {
  to = writeColumn(32, to);
  for (let j = 1; j < programs; j++) {
    to = writeColumn(<usize>j * ROW, to);
    to = writeColumn(<usize>j * ROW + 32, to);
  }
  return to;
}

function writeColumn(offset: usize, to: usize): usize {
  for (let i = 0; i < points; i++) store<f64>(to + (<usize>i << 3), load<f64>(placeOf(i) + offset));
  return to + (<usize>points << 3);
}

function writeProofs(to: usize): void {
  const list = coordinatesAt() + (<usize>coordinateCount << 3);
  for (let i = 0; i < proofs; i++) {
    const length = inclusionPath(<i32>parameterF64(list + (<usize>i << 3)), pathAt);
    store<f64>(to, <f64>length);
    for (let k = 0; k < length; k++) digestWords(pathAt + (<usize>k << 5), to + 8 + (<usize>k << 6));
    to += <usize>perProof() << 3;
  }
}
