// Verdict of `acoustic` for cavities of cells: three meshes, the count that none is missed, and closed forms of rectangles.
//
// Parameters (f64): 0 c [m/s] · 8 frequencies · 16 the one that is the value, from 1 · 24 modes at rest, 1 or 0 · 32 whether it
//   is a rectangle · 40, 48 sides [m] of the one around · 56, 64 its open ends along x, y · 72, 80 columns and rows of nodes · 88 edge of
//   a cell [m] · 96 lines of the mesh (assembly/acoustics/given-lines.ts) · of the run with N: k² of all modes, the count, p; of those with N/2 and N/4: k² of all modes; of the
//   rectangle around the cavity with N/2: k² of its first modes, as many as rest in it and one more
// Extras (f64): 0 f [Hz] · 8 c · 16 frequencies [Hz] · columns x [m] · rows y [m] · p · diagnostics of the lowest row, at even places (40)
//
// Gates: 7 meshes · 8 none missed · 0 value by closed form, of rectangles · 9 the rectangle around by closed form

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { evenRow, openLines, writePlaces } from "../acoustics/given-lines";
import { leftByMeshes } from "../acoustics/meshes";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const LINES: usize = 96;
const ONCE: u64 = 300000;
const UNITS: u64 = 10;

let count: i32 = 0, rest: i32 = 0, columns: i32 = 0, rows: i32 = 0, modes: i32 = 0, results: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  count = <i32>parameterF64(8);
  rest = <i32>parameterF64(24);
  columns = <i32>parameterF64(72);
  rows = <i32>parameterF64(80);
  modes = count + rest;
  results = openLines(LINES, columns, rows);
  scratch = allocate(<usize>(columns + diagnosticsScratch(columns)) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(<u64>(columns * rows) * UNITS + ONCE);
  countStep();
  return 1;
}

@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** Frequency i ≥ 0 of the mesh h, 2h, 4h (level 0, 1, 2). */
function frequency(level: i32, i: i32): f64 {
  const from = level == 0 ? 0 : modes + 1 + columns * rows + (level - 1) * modes;
  return parameterF64(0) * sqrt(parameterF64(results + (<usize>(from + rest + i) << 3))) / (2.0 * Math.PI);
}

/** Error of the finest of three. */
function estimate(i: i32): f64 {
  const v1 = frequency(0, i), v2 = frequency(1, i);
  return leftByMeshes(v1 - v2, 0.0, v2 - frequency(2, i), 0.0, v1);
}

/** 1 where the rectangle has no open side, so that a mode rests in it, whatever the walls inside are. */
@inline function restOfBox(): i32 { return parameterF64(56) == 0.0 && parameterF64(64) == 0.0 ? 1 : 0; }

/** Frequency i of a rectangle: the (i + restOfBox)-th of its sums, by counting. */
function closedForm(i: i32): f64 {
  const a = parameterF64(40), b = parameterF64(48), most = modes + 2;
  let limit = 0.0;
  for (let round = 0; round <= i + restOfBox(); round++) {
    let next = Infinity, held = 0;
    for (let p = 0; p < most; p++) {
      for (let r = 0; r < most; r++) {
        const kx = (<f64>p + 0.5 * parameterF64(56)) / a, ky = (<f64>r + 0.5 * parameterF64(64)) / b, square = kx * kx + ky * ky;
        if (square > limit || (round == 0 && square >= limit)) next = min(next, square);
      }
    }
    limit = next;
    for (let p = 0; p < most; p++) {
      for (let r = 0; r < most; r++) {
        const kx = (<f64>p + 0.5 * parameterF64(56)) / a, ky = (<f64>r + 0.5 * parameterF64(64)) / b;
        if (kx * kx + ky * ky <= limit) held++;
      }
    }
    if (held > i + restOfBox()) break;
  }
  return 0.5 * parameterF64(0) * sqrt(limit);
}

function judge(): void {
  const chosen = <i32>parameterF64(16) - 1, value = frequency(0, chosen), rectangle = parameterF64(32) == 1.0;
  openVerdict(3 + (rectangle ? 1 : 0), 2 + count + columns + rows + columns * rows + DIAGNOSTICS);
  let worst = 0, error = 0.0;
  for (let i = 0; i < count; i++) {
    const own = estimate(i);
    if (!(own <= error)) { error = own; worst = i; }
  }
  gate(7, Kind.ESTIMATE, frequency(0, worst), frequency(1, worst), error);
  const below = parameterF64(results + (<usize>modes << 3));
  const beyond = max(0.0, below - <f64>(modes - 1));
  gate(8, Kind.CERTIFICATE, beyond, 0.0, beyond, 0.0);
  if (rectangle) gate(0, Kind.EXACT, value, closedForm(chosen), relativeError(value, closedForm(chosen)));
  const around = parameterF64(results + (<usize>(3 * modes + 1 + columns * rows + restOfBox()) << 3));
  const twin = parameterF64(0) * sqrt(around) / (2.0 * Math.PI);
  gate(9, Kind.TWIN, twin, closedForm(0), relativeError(twin, closedForm(0)));
  writeExtras(value);
  closeVerdict(value);
}

function writeExtras(value: f64): void {
  const to = extras(), xs = to + (<usize>(2 + count) << 3), p = xs + (<usize>(columns + rows) << 3);
  put(to, 0, value);
  put(to, 1, parameterF64(0));
  for (let i = 0; i < count; i++) put(to, 2 + i, frequency(0, i));
  writePlaces(xs, parameterF64(88));
  memory.copy(p, parameters() + results + (<usize>(modes + 1) << 3), <usize>(columns * rows) << 3);
  evenRow(scratch, p);
  writeStaticProfile(p + (<usize>(columns * rows) << 3), scratch, columns, scratch + (<usize>columns << 3));
}
