// climate, model ebm: steady temperature over latitude with ice where it is colder than T_f (North, J. Atmos. Sci. 32
// (1975) 2033; North, Cahalan & Coakley, Rev. Geophys. 19 (1981) 91, §4).
//
// For each place x_s of the ice's edge the balance is linear (../climate/hemisphere.ts). g(x_s) = T(x_s; x_s) − T_f is 0
// where the edge stands still; there the largest eigenvalue of the linearised balance has the sign of dg/dx_s (slope
// stability: Cahalan & North, J. Atmos. Sci. 36 (1979) 1178), so that a state with an edge is stable where g falls.
// Ice everywhere is a state where g(0) < 0, no ice at all where g(1) ≥ 0. So g is taken at 257 places, closest to one
// another at the pole, each change of its sign is bisected, and one stable state is chosen:
//
//   warm    the smallest cap of ice, without one: no ice, then ice everywhere
//   cold    ice everywhere, then the largest cap, then no ice
//   given T the first stable state to which the edge moves: poleward where g > 0, else to the equator
//
// Parameters (f64): 0 S₀ [W/m²] · 8 A [W/m²] · 16 B [W/(m² K)] · 24 D [W/(m² K)] · 32 s₂ · 40 a₀ · 48 a₂ · 56 a_i
//   64 T_f [K] · 72 ice 1, none 0 · 80 start: 0 warm, 1 cold, 2 given · 88 cells n of a hemisphere · 96 probe |x|
//   104 count m of given temperatures · 112 … them, both hemispheres from pole to pole [K]
// State body (f64): 257 values of g [K]
// Result (f64): 0 x_s (1: no ice) · 8 mean T [K] · 16 T at the probe [K] · 24 count of states
//   32 eight of x_s and 1 stable, 0 not, by x_s · 160 T of the n cells from the equator [K]

import {
  countStep, fail, finish, openResult, openState, parameterF64, parameters, restoreState, running, show,
  spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  layHemisphere, meanTemperature, solveWith, temperatureAt, temperatureOnEdge, temperaturesAt,
} from "../climate/hemisphere";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ZERO: f64 = 273.15;
const PLACES: i32 = 257;
const STATES: i32 = 8;
const HALVINGS: i32 = 50;
const LIST: usize = 32;
const CELLS: usize = 160;

let body: usize = 0, out: usize = 0;
let n: i32 = 0, found: i32 = 0;
let Tf: f64 = 0;

@inline function hasIce(): bool { return parameterF64(72) == 1.0; }
/** Work units of one solution. */
@inline function solving(): u64 { return 100 + 15 * <u64>n; }
/** Place k of 256: by parabolas, so that small caps of ice are seen. */
@inline function placeOf(k: i32): f64 { const part = <f64>k / <f64>(PLACES - 1); return part * (2.0 - part); }

function prepare(): void {
  n = <i32>parameterF64(88);
  Tf = parameterF64(64) - ZERO;
  body = openState(<usize>PLACES << 3);
  watchFinite(body, PLACES);
  layHemisphere(parameters(), n);
}

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

/** At most `allowed` steps: one place of the edge each, then the states. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const k = hasIce() ? <i32>stepsDone() : PLACES;
    if (k < PLACES) {
      store<f64>(body + (<usize>k << 3), excess(placeOf(k)));
      spend(solving());
    } else conclude();
    countStep();
    taken++;
    show(0, <f64>stepsDone());
  }
  return taken;
}

/** g: by how much it is too warm for ice at an edge there. */
function excess(edge: f64): f64 {
  solveWith(edge);
  return temperatureOnEdge(edge) - Tf;
}

@inline function excessOf(k: i32): f64 { return load<f64>(body + (<usize>k << 3)); }

// ---- states --------------------------------------------------------------------------------------------

function conclude(): void {
  out = openResult(<i32>CELLS + 8 * n);
  found = 0;
  if (hasIce()) listStates();
  const edge = hasIce() ? chosen() : 1.0;
  solveWith(edge);
  store<f64>(out, edge);
  store<f64>(out, meanTemperature() + ZERO, 8);
  store<f64>(out, temperatureAt(parameterF64(96)) + ZERO, 16);
  store<f64>(out, <f64>found, 24);
  for (let i: usize = 0; i < <usize>n << 3; i += 8) store<f64>(out + CELLS + i, load<f64>(temperaturesAt() + i) + ZERO);
  spend(2 * solving());
  if (isBelowZero()) fail(Status.INVALID_INPUT);
  if (hasIce() && !isCap(edge)) fail(Status.UNSUPPORTED);
  finish();
}

function note(edge: f64, stable: bool): void {
  if (found == STATES) { fail(Status.LIMIT_EXCEEDED); return; }
  const at = out + LIST + (<usize>found << 4);
  store<f64>(at, edge);
  store<f64>(at, stable ? 1.0 : 0.0, 8);
  found++;
}

function listStates(): void {
  if (excessOf(0) < 0.0) note(0.0, true);
  for (let k = 0; k + 1 < PLACES; k++) {
    const falls = excessOf(k) >= 0.0 && excessOf(k + 1) < 0.0, rises = excessOf(k) < 0.0 && excessOf(k + 1) >= 0.0;
    if (falls || rises) note(bisected(placeOf(k), placeOf(k + 1), falls), falls);
  }
  if (excessOf(PLACES - 1) >= 0.0) note(1.0, true);
}

function bisected(low: f64, high: f64, falls: bool): f64 {
  for (let i = 0; i < HALVINGS; i++) {
    const middle = 0.5 * (low + high);
    if ((excess(middle) >= 0.0) == falls) low = middle; else high = middle;
  }
  spend(<u64>HALVINGS * solving());
  return 0.5 * (low + high);
}

@inline function edgeOf(i: i32): f64 { return load<f64>(out + LIST + (<usize>i << 4)); }
@inline function isStable(i: i32): bool { return load<f64>(out + LIST + (<usize>i << 4), 8) == 1.0; }
@inline function isEdge(i: i32): bool { return edgeOf(i) > 0.0 && edgeOf(i) < 1.0; }

function chosen(): f64 {
  const way = <i32>parameterF64(80);
  if (way == 2) return moved(givenEdge());
  if (way == 1) { // by x_s, so the first stable one has most ice
    for (let i = 0; i < found; i++) if (isStable(i)) return edgeOf(i);
    return 1.0;
  }
  for (let i = found - 1; i >= 0; i--) if (isStable(i) && isEdge(i)) return edgeOf(i);
  return found > 0 ? edgeOf(found - 1) : 1.0;
}

/** The share of the sphere that is not colder than T_f: the edge of caps of equal area. */
function givenEdge(): f64 {
  const count = <i32>parameterF64(104);
  let free = 0;
  for (let i = 0; i < count; i++) if (parameterF64(112 + (<usize>i << 3)) - ZERO >= Tf) free++;
  return <f64>free / <f64>count;
}

function moved(edge: f64): f64 {
  if (excess(edge) >= 0.0) {
    for (let i = 0; i < found; i++) if (isStable(i) && edgeOf(i) >= edge) return edgeOf(i);
    return 1.0;
  }
  for (let i = found - 1; i >= 0; i--) if (isStable(i) && edgeOf(i) <= edge) return edgeOf(i);
  return 0.0;
}

/** Whether some place is colder than 0 K: the radiation A + BT is linear and knows of no such bound. */
function isBelowZero(): bool {
  for (let i = 0; i < n; i++) if (load<f64>(temperaturesAt() + (<usize>i << 3)) <= -ZERO) return true;
  return false;
}

/** Whether it is warmer than T_f on the one side of the edge and colder on the other, but for the cells beside it. */
function isCap(edge: f64): bool {
  for (let i = 0; i < n; i++) {
    const x = (<f64>i + 0.5) / <f64>n, T = load<f64>(temperaturesAt() + (<usize>i << 3));
    if (abs(x - edge) * <f64>n > 1.0 && (x < edge) != (T >= Tf)) return false;
  }
  return true;
}
