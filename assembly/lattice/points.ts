// The points of a lattice as its verdict gets them: axes and their coordinates, what an axis sets in the programs, and of each
// point its value, its precision, and where its verdict or its rows stand. Layout: assembly/verdicts/lattice.ts.

import { allocate, parameterF64, parameters, parametersLength } from "../kernel/frame";
import { openPrograms, plainWork, programCount, valueCount } from "../expression/program";
import { evaluationError, roundingError, ROW } from "../expression/row";
import { verdictBytes } from "./held";

const HEAD: usize = 80;
export const MAX_AXES: i32 = 6;
const MAX_POINTS: f64 = 65536;
/** Work units: a point, a block of its leaf, a value that it sets. */
const POINT: u64 = 300;
const BLOCK: u64 = 170;
const BINDING: u64 = 10;

export let ofRows: bool = false;
export let points: i32 = 0, axes: i32 = 0, proofs: i32 = 0, programs: i32 = 0, bindings: i32 = 0;
export let headerBytes: i32 = 0, coordinateCount: i32 = 0;
export let headerAt: usize = 0, bindingsAt: usize = 0;
/** Work units of a leaf. */
export let leafUnits: u64 = 0;
let pointsAt: usize = 0, rowBytes: usize = 0;
/** Of each point: where it stands (form 0), its value and its precision. */
let placesAt: usize = 0;
export let valuesAt: usize = 0, precisionsAt: usize = 0;

/** Reads the parameters; false, and no points, where they are none of a lattice. */
export function openPoints(): bool {
  if (!layOut()) { points = 0; return false; }
  const n = <usize>points;
  valuesAt = allocate(n << 3);
  precisionsAt = allocate(n << 3);
  placesAt = allocate(n << 3);
  return readPoints();
}

@inline function isCount(x: f64, least: f64, most: f64): bool { return x >= least && x <= most && floor(x) == x; }

function layOut(): bool {
  const length = parametersLength();
  if (length < <i32>HEAD) return false;
  if (!isCount(parameterF64(8), 1, MAX_POINTS) || !isCount(parameterF64(16), 1, MAX_AXES)) return false;
  if (!isCount(parameterF64(24), 0, 4) || !isCount(parameterF64(40), 0, MAX_POINTS)) return false;
  if (!isCount(parameterF64(48), 0, <f64>length) || !isCount(parameterF64(56), 0, 8)) return false;
  if (!isCount(parameterF64(64), 0, 64) || !isCount(parameterF64(72), 0, <f64>length)) return false;
  ofRows = parameterF64(0) == 1;
  points = <i32>parameterF64(8); axes = <i32>parameterF64(16); proofs = <i32>parameterF64(40);
  headerBytes = <i32>parameterF64(48); programs = <i32>parameterF64(56); bindings = <i32>parameterF64(64);
  if (ofRows && programs < 1) return false;
  if (parameterF64(24) == 4 && !isCount(parameterF64(32), 0, <f64>(points - 1))) return false;
  let at = HEAD + (<usize>axes << 3);
  if (<i32>at > length || !soundAxes()) return false;
  at += <usize>coordinateCount << 3;
  if (<i32>at > length || <i32>at + proofs * 8 > length) return false;
  for (let i = 0; i < proofs; i++) if (!isCount(parameterF64(at + (<usize>i << 3)), 0, <f64>(points - 1))) return false;
  at += <usize>proofs << 3;
  headerAt = parameters() + at;
  at += (<usize>headerBytes + 7) & ~7;
  bindingsAt = at;
  rowBytes = <usize>programs * ROW;
  leafUnits = POINT + BLOCK * (axes <= 4 ? 1 : 2);
  if (ofRows) {
    at = layOutPrograms(at, length);
    if (at == 0 || at + <usize>points * rowBytes != <usize>length) return false;
  }
  pointsAt = parameters() + at;
  return <i32>at <= length;
}

/** Where the points begin behind bindings, tables and programs; 0 where these do not fit together. */
function layOutPrograms(at: usize, length: i32): usize {
  at += <usize>bindings << 4;
  if (<i32>at > length) return 0;
  for (let b = 0; b < bindings; b++) {
    if (!isCount(parameterF64(bindingsAt + (<usize>b << 4)), 0, <f64>(axes - 1))) return 0;
    at += <usize>countOf(axisOf(b)) << 3;
  }
  const bytes = <i32>parameterF64(72);
  if (bytes < 16 || <i32>at + bytes > length || !openPrograms(parameters() + at, bytes)) return 0;
  if (programCount() != programs) return 0;
  for (let b = 0; b < bindings; b++) {
    if (!isCount(parameterF64(bindingsAt + (<usize>b << 4) + 8), 0, <f64>(valueCount() - 1))) return 0;
  }
  leafUnits += BINDING * <u64>bindings;
  for (let j = 0; j < programs; j++) leafUnits += plainWork(j);
  return at + <usize>bytes;
}

/** As many points as the axes make, and where the coordinates end. */
function soundAxes(): bool {
  let product: f64 = 1;
  coordinateCount = 0;
  for (let a = 0; a < axes; a++) {
    const count = parameterF64(HEAD + (<usize>a << 3));
    if (!isCount(count, 1, MAX_POINTS)) return false;
    product *= count;
    coordinateCount += <i32>count;
  }
  return product == <f64>points;
}

@inline export function countOf(axis: i32): i32 { return <i32>parameterF64(HEAD + (<usize>axis << 3)); }
@inline export function axisOf(b: i32): i32 { return <i32>parameterF64(bindingsAt + (<usize>b << 4)); }
@inline export function slotOf(b: i32): i32 { return <i32>parameterF64(bindingsAt + (<usize>b << 4) + 8); }
@inline export function coordinatesAt(): usize { return HEAD + (<usize>axes << 3); }
@inline export function valueOf(i: i32): f64 { return load<f64>(valuesAt + (<usize>i << 3)); }
@inline export function precisionOf(i: i32): f64 { return load<f64>(precisionsAt + (<usize>i << 3)); }
export const HALF_ULP: f64 = 1.1102230246251565e-16;
/** How far the true value of a point may be from the one that is there. */
@inline export function errorOf(i: i32): f64 {
  const precision = precisionOf(i);
  return precision > 0 ? (precision + HALF_ULP) * abs(valueOf(i)) : 0; // it is exact, or was rounded to a double
}

/** Value and precision of each point, and where its rows stand; false where there are more or fewer bytes. */
function readPoints(): bool {
  let at = pointsAt;
  const end = parameters() + <usize>parametersLength();
  for (let i = 0; i < points; i++) {
    const bytes = ofRows ? <i32>rowBytes : verdictBytes(at, end - at);
    if (bytes < 0) return false;
    const entry = <usize>i << 3;
    store<u64>(placesAt + entry, <u64>at);
    store<f64>(valuesAt + entry, load<f64>(at));
    store<f64>(precisionsAt + entry, ofRows ? precisionOfRows(at) : load<f64>(at, 8));
    at += <usize>bytes;
  }
  return at == end;
}

@inline export function placeOf(i: i32): usize { return <usize>load<u64>(placesAt + (<usize>i << 3)); }

/** The worst of the gates of all programs. */
function precisionOfRows(at: usize): f64 {
  let worst: f64 = 0;
  for (let j = 0; j < programs; j++) {
    const row = at + <usize>j * ROW;
    worst = max(worst, max(evaluationError(row), roundingError(row)));
  }
  return worst;
}
