// Modes of a duct or of one axis of a box: (S p′)′ + k²S p = 0 in quartic elements, order 8 in k².
//
// How many k² lie below σ is the number of negative pivots of K − σM (Sylvester); bisection on it finds each by its number,
// inverse iteration its mode (assembly/acoustics/quartic.ts, assembly/linear/banded.ts).
//
// Parameters (f64): 0, 8 left, right end: 0 rigid, 1 open · 16 modes · 24 pieces · 32 of each: length [m], S [m²], elements
// State body (f64): 0, 8 bracket · 16 k² of all modes in 1/L² · 129 p of each mode at equal distances
// Result (f64): k² [1/m²] of all modes from the lowest on, 0 of rigid ends among them · 129 p of each, the largest of size 1
//
// Steps: of each mode 50 halvings and the inverse iteration.

import {
  allocate, countStep, finish, openResult, openState, parameterF64, restoreState, running, show, spend, stepsDone,
  watchFinite, work,
} from "../kernel/frame";
import { bandAt, bandBytes, bandDot, bandSolve, bandTimes, factorRows } from "../linear/banded";
import { DEGREE, eachEntry, nodeCount, pieceArea, pieceCount, readPieces, valueAt, wholeLength } from "../acoustics/quartic";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HALVINGS: i32 = 50;
const SAMPLES: i32 = 129;
const UNITS: u64 = 40;

let body: usize = 0, k: usize = 0, m: usize = 0, factors: usize = 0, x: usize = 0, image: usize = 0;
let n: i32 = 0, modes: i32 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }

function take(row: i32, column: i32, stiff: f64, mass: f64): void {
  const ofK = bandAt(k, DEGREE, row, column), ofM = bandAt(m, DEGREE, row, column);
  store<f64>(ofK, load<f64>(ofK) + stiff);
  store<f64>(ofM, load<f64>(ofM) + mass);
}

/** p = 0: the row stays with 1 in K and 0 in M. */
function open(node: i32): void {
  for (let i = max(0, node - DEGREE); i <= min(n - 1, node + DEGREE); i++) {
    store<f64>(bandAt(k, DEGREE, max(i, node), min(i, node)), i == node ? 1.0 : 0.0);
    store<f64>(bandAt(m, DEGREE, max(i, node), min(i, node)), 0.0);
  }
}

function prepare(): void {
  readPieces(<i32>parameterF64(24), 32);
  n = nodeCount();
  modes = <i32>parameterF64(16);
  body = openState(16 + (<usize>(modes * (1 + SAMPLES)) << 3));
  watchFinite(body, 2 + modes * (1 + SAMPLES));
  k = allocate(bandBytes(n, DEGREE));
  m = allocate(bandBytes(n, DEGREE));
  factors = allocate(bandBytes(n, DEGREE));
  x = allocate(<usize>n << 3);
  image = allocate(<usize>n << 3);
  eachEntry(take);
  if (parameterF64(0) == 1.0) open(0);
  if (parameterF64(8) == 1.0) open(n - 1);
}

export function start(_budget: i32): i32 {
  prepare();
  openBracket();
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/** A duct has no more modes below k² than one of its widest area has below k² times the ratio of its areas. */
function openBracket(): void {
  let least = Infinity, most = 0.0;
  for (let i = 0; i < pieceCount; i++) { least = min(least, pieceArea(i)); most = max(most, pieceArea(i)); }
  const waves = Math.PI * <f64>(modes + 2);
  setField(0, -1.0);
  setField(8, 2.0 * waves * waves * most / least);
}

/** Factors of K − σM; how many k² lie below σ. */
function modesBelow(shift: f64): i32 {
  for (let at: usize = 0, bytes = bandBytes(n, DEGREE); at < bytes; at += 8) {
    store<f64>(factors + at, load<f64>(k + at) - shift * load<f64>(m + at));
  }
  return factorRows(factors, DEGREE, 0, n, 1e-300);
}

/** The mode from a shift beside its k². */
function iterate(mode: i32): void {
  const square = field(16 + (<usize>mode << 3)), samples = body + 16 + (<usize>(modes + mode * SAMPLES) << 3);
  modesBelow(square - 1e-7 * (abs(square) + 1.0));
  for (let i = 0; i < n; i++) store<f64>(x + (<usize>i << 3), 1.0 / <f64>(1 + i));
  for (let round = 0; round < 4; round++) {
    bandTimes(m, n, DEGREE, x, image);
    memory.copy(x, image, <usize>n << 3);
    bandSolve(factors, n, DEGREE, x);
    const size = sqrt(bandDot(x, x, n));
    for (let i = 0; i < n; i++) store<f64>(x + (<usize>i << 3), load<f64>(x + (<usize>i << 3)) / size);
  }
  let most = 0.0, sign = 0.0;
  for (let i = 0; i < SAMPLES; i++) {
    const p = valueAt(x, 8, <f64>i / <f64>(SAMPLES - 1));
    store<f64>(samples + (<usize>i << 3), p);
    most = max(most, abs(p));
  }
  for (let i = 0; i < SAMPLES && sign == 0.0; i++) {
    const p = load<f64>(samples + (<usize>i << 3));
    if (abs(p) > 0.1 * most) sign = p > 0.0 ? 1.0 : -1.0;
  }
  for (let i = 0; i < SAMPLES; i++) {
    const at = samples + (<usize>i << 3);
    store<f64>(at, load<f64>(at) * sign / most);
  }
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const step = <i32>stepsDone(), mode = step / (HALVINGS + 1), part = step % (HALVINGS + 1);
    if (part < HALVINGS) {
      const middle = 0.5 * (field(0) + field(8));
      if (modesBelow(middle) > mode) setField(8, middle); else setField(0, middle);
    } else {
      setField(16 + (<usize>mode << 3), 0.5 * (field(0) + field(8)));
      iterate(mode);
      openBracket();
      if (mode == modes - 1) conclude();
    }
    countStep();
    spend(<u64>n * UNITS);
    taken++;
  }
  show(0, <f64>stepsDone());
  return taken;
}

function conclude(): void {
  const out = openResult((modes * (1 + SAMPLES)) << 3);
  memory.copy(out, body + 16, <usize>(modes * (1 + SAMPLES)) << 3);
  for (let i = 0; i < modes; i++) {
    const at = out + (<usize>i << 3);
    store<f64>(at, load<f64>(at) / (wholeLength * wholeLength));
  }
  finish();
}
