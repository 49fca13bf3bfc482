// Verdict of `acoustic` for driven cavities of cells: three meshes, the balance of power, a tube on the same mesh, and a spectrum
// that meets the frequency.
//
// Parameters (f64): 0 ω [1/s] · 8 c [m/s] · 16 ρ [kg/m³] · 24 u₀ [m/s] · 32 η of the tube · 40 its length [m] · 48, 56 columns and
//   rows of nodes · 64 edge of a cell [m] · 72 frequencies of the spectrum · 80 which mesh it is of, 1 2h, 2 4h · 88, 96 the element
//   of N/2 in which the probe lies · 104, 112 that of N · 120 which of its corners point into the air · 128 lines of the
//   mesh (assembly/acoustics/given-lines.ts) · results with N, N/2 and N/4 (40 + 16 columns · rows bytes of each), then 40 bytes of that of the
//   tube with N/2 (assembly/kernels/acoustic-field.ts); its probe lies at the far wall; then |p| of the spectrum
// Extras (f64): 0 |p| at the probe [Pa] · 8, 16 p there · 24 power that comes in, 32 goes out, 40 is lost · columns x [m] ·
//   rows y [m] · Re p · Im p · frequencies [Hz] from f/2 to 3f/2 · |p| at the probe there [Pa] · diagnostics of p in the lowest row,
//   at even places (40)
//
// Gates: 7 meshes · 5 power · 10 tube · 15 spectrum

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { leftAround, leftAtCorners, openMeshes } from "../acoustics/around-probe";
import { evenRow, meanDistance, openLines, writePlaces } from "../acoustics/given-lines";
import { leftByMeshes } from "../acoustics/meshes";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { takePhase } from "../acoustics/described";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const LINES: usize = 128;
const SCALARS: i32 = 6;
const ONCE: u64 = 300000;
const UNITS: u64 = 10;

let columns: i32 = 0, rows: i32 = 0, frequencies: i32 = 0, results: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  columns = <i32>parameterF64(48);
  rows = <i32>parameterF64(56);
  frequencies = <i32>parameterF64(72);
  results = openLines(LINES, columns, rows);
  scratch = allocate(<usize>(3 * columns + diagnosticsScratch(columns)) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(<u64>(columns * rows) * UNITS + ONCE);
  countStep();
  return 1;
}

@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** Where the runs with h, 2h, 4h, the tube and the spectrum begin (level 0 … 4). */
function placeOf(level: i32): usize {
  let at = results;
  for (let before = 0; before < level; before++) at += 40 + (before < 3 ? <usize>nodesOf(before) << 4 : 0);
  return at;
}
function nodesOf(level: i32): i32 { return ((columns - 1 >> level) + 1) * ((rows - 1 >> level) + 1); }
function ofRun(level: i32, offset: usize): f64 { return parameterF64(placeOf(level) + offset); }
function sizeOf(level: i32): f64 { return Math.hypot(ofRun(level, 0), ofRun(level, 8)); }

/** |p| at frequency i of the spectrum. */
@inline function response(i: i32): f64 { return ofRun(4, <usize>i << 3); }

function largest(): f64 {
  let most = 0.0;
  const re = parameters() + results + 40, im = re + (<usize>(columns * rows) << 3);
  for (let i = 0; i < columns * rows; i++) {
    most = max(most, Math.hypot(load<f64>(re + (<usize>i << 3)), load<f64>(im + (<usize>i << 3))));
  }
  return most;
}

/** Of the largest p: what is less is 0 but for rounding. */
const NOTHING: f64 = 1e-9;
/** Of differences at the probe that fall as no order does: what is around it bounds them too. */
const UNSETTLED: f64 = 1.5;

/** Of the complex p: phases count too. */
function estimate(value: f64, most: f64): f64 {
  const size = max(value, NOTHING * most);
  const own = leftByMeshes(
    ofRun(0, 0) - ofRun(1, 0), ofRun(0, 8) - ofRun(1, 8), ofRun(1, 0) - ofRun(2, 0), ofRun(1, 8) - ofRun(2, 8), size, UNSETTLED,
  );
  if (value < size) return own;
  const p = parameters() + 40;
  openMeshes(p + placeOf(0), p + placeOf(1), p + placeOf(2), columns, rows);
  const beside = leftAtCorners(<i32>parameterF64(104), <i32>parameterF64(112), <i32>parameterF64(120)) / value;
  return max(own, leftAround(<i32>parameterF64(88), <i32>parameterF64(96), value)) + beside;
}

/** |p| at the far wall of a closed tube: ωρu₀/|k sin kL|, k = ω/c (1 − iη/2). */
function tube(): f64 {
  const k = parameterF64(0) / parameterF64(8), half = 0.5 * parameterF64(32), L = parameterF64(40);
  const sine = Math.hypot(Math.sin(k * L) * Math.cosh(k * L * half), Math.cos(k * L) * Math.sinh(k * L * half));
  return parameterF64(0) * parameterF64(16) * abs(parameterF64(24)) / (k * Math.hypot(1.0, half) * sine);
}

function judge(): void {
  openVerdict(4, SCALARS + columns + rows + 2 * columns * rows + 2 * frequencies + DIAGNOSTICS);
  const value = sizeOf(0), most = largest();
  gate(7, Kind.ESTIMATE, value, sizeOf(1), estimate(value, most));
  const inward = ofRun(0, 16), outward = ofRun(0, 24) + ofRun(0, 32);
  const floor = parameterF64(0) * parameterF64(16) * abs(parameterF64(24)) * parameterF64(64) * meanDistance() * most;
  gate(5, Kind.INVARIANT, inward, outward, abs(inward - outward) / max(max(abs(inward), abs(outward)), 1e-6 * floor));
  gate(10, Kind.TWIN, sizeOf(3), tube(), relativeError(sizeOf(3), tube()));
  const met = response(frequencies >> 1), alone = sizeOf(<i32>parameterF64(80));
  gate(15, Kind.INVARIANT, met, alone, abs(met - alone) / max(alone, 1e-3 * most), 1e-9);
  const to = extras(), xs = to + SCALARS * 8, p = xs + (<usize>(columns + rows) << 3);
  put(to, 0, value);
  memory.copy(to + 8, parameters() + results, 40);
  writePlaces(xs, parameterF64(64));
  memory.copy(p, parameters() + results + 40, <usize>(columns * rows) << 4);
  const spectrum = p + (<usize>(columns * rows) << 4), hertz = parameterF64(0) / (2.0 * Math.PI);
  for (let i = 0; i < frequencies; i++) {
    put(spectrum, i, hertz * (0.5 + <f64>i / <f64>(frequencies - 1)));
    put(spectrum, frequencies + i, response(i));
  }
  const behind = scratch + (<usize>columns << 3), even = behind + (<usize>columns << 3);
  takePhase(scratch, behind, columns, p, p + (<usize>(columns * rows) << 3), 8);
  evenRow(even, scratch);
  writeStaticProfile(spectrum + (<usize>frequencies << 4), even, columns, even + (<usize>columns << 3));
  closeVerdict(value);
}
