// Verdict of `tumor`, growth: holds the run against the closed form of its model (assembly/tumor/closed-form.ts), taken
// piecewise from dose to dose, at the end and at every row.
//
// Parameters (f64): 0 … those of the run, with n doses · then t₀, beginning of the run since the start [s], its result (16 bytes) and
//   its 257 rows
// Extras (f64): 0 V · 8 V∞ · 16 V of the closed form · 24 steps · 32 V grows at the start (1) · 40 doubling time there
//   ln 2 / (V̇/V) [s] · 48 V where growth is fastest · 56 it lies ahead and there are no doses (1) · 64 its time [s]
//   72 smallest V of the rows · 80 257 times [s] · 257 V · diagnostics of V (40)
//
// Gates: 0 volume · 1 series

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { timeOfRow } from "../kernel/stretch";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";
import { grown, inflection, pace, timeToGrow } from "../tumor/closed-form";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const DOSES: usize = 96;
const COUNT: i32 = 257;
const COLUMN: usize = 257 * 8;
const SCALARS: i32 = 10;
/** Work units: a dose, and all that is done once. */
const DOSE: u64 = 40;
const ONCE: u64 = 2300000;

let model: i32 = 0, doses: i32 = 0;
let rate: f64 = 0, nu: f64 = 0, end: f64 = 0, first: f64 = 0, logLimit: f64 = 0;
let begin: f64 = 0;
let runAt: usize = 0, scratch: usize = 0, dosesAt: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  model = <i32>parameterF64(0);
  rate = parameterF64(8);
  nu = parameterF64(16);
  end = parameterF64(56);
  doses = <i32>parameterF64(88);
  runAt = DOSES + (<usize>doses << 5);
  begin = parameterF64(runAt + 8);
  const limit = parameterF64(32);
  logLimit = limit > 0.0 ? Math.log(limit) : 3.0 * (Math.log(parameterF64(40)) - Math.log(parameterF64(48)));
  first = Math.log(parameterF64(24)) - logLimit;
  dosesAt = allocate(COLUMN);
  scratch = allocate(3 * COLUMN + (<usize>diagnosticsScratch(COUNT) << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(<u64>doses * DOSE + ONCE);
  countStep();
  return 1;
}

@inline function volumeOf(depth: f64): f64 { return Math.exp(depth + logLimit); }
@inline function ofRow(i: i32): f64 { return parameterF64(runAt + 32 + (<usize>i << 3)); }

/** V∞ as it was given where it was: e^{ln K} is K but for rounding. */
function limitVolume(): f64 { return parameterF64(32) > 0.0 ? parameterF64(32) : volumeOf(0.0); }

// ---- the closed form, from dose to dose ----------------------------------------------------------------

let depth: f64 = 0, since: f64 = 0, given: i32 = 0, killed: f64 = 0;

/** ln(V/V∞) at t, behind what is given at t, which adds to `killed` [m³]; asked for at times that do not fall. */
function exactDepth(t: f64): f64 {
  while (given < doses && parameterF64(DOSES + (<usize>given << 3)) <= t) {
    const at = parameterF64(DOSES + (<usize>given << 3)), quantity = DOSES + (<usize>doses << 3) + <usize>given * 24;
    const D = parameterF64(quantity), survival = parameterF64(quantity + 8) * D + parameterF64(quantity + 16) * (D * D);
    const before = grown(model, nu, depth, rate * (at - since));
    killed -= volumeOf(before) * Math.expm1(-survival);
    depth = before - survival;
    since = at;
    given++;
  }
  return grown(model, nu, depth, rate * (t - since));
}

function judge(): void {
  openVerdict(2, SCALARS + 2 * COUNT + DIAGNOSTICS);
  depth = first; since = 0.0; given = 0;
  let worst = 0.0, measured = 0.0, reference = 0.0, least = Infinity, exact = 0.0;
  const times = extras() + SCALARS * 8, volumes = times + COLUMN;
  for (let i = 0; i < COUNT; i++) {
    const t = timeOfRow(begin, end, i, 256), y = ofRow(i);
    killed = 0.0;
    exact = exactDepth(t);
    store<f64>(dosesAt + (<usize>i << 3), killed);
    const error = abs(Math.expm1(y - exact));
    if (!(error <= worst) || i == 0) { worst = error; measured = volumeOf(y); reference = volumeOf(exact); }
    store<f64>(times + (<usize>i << 3), parameterF64(runAt) + t);
    store<f64>(volumes + (<usize>i << 3), volumeOf(y));
    least = min(least, volumeOf(y));
  }
  const y = parameterF64(runAt + 16);
  gate(0, Kind.EXACT, volumeOf(y), volumeOf(exact), abs(Math.expm1(y - exact)));
  gate(1, Kind.EXACT, measured, reference, worst);
  writeScalars(exact, least);
  writeDiagnostics();
  closeVerdict(volumeOf(y));
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeScalars(exact: f64, least: f64): void {
  const at = extras(), speed = rate * pace(model, nu, first), turn = inflection(model, nu);
  const ahead = doses == 0 && first < turn;
  store<f64>(at, volumeOf(parameterF64(runAt + 16)));
  store<f64>(at, limitVolume(), 8);
  store<f64>(at, volumeOf(exact), 16);
  store<f64>(at, parameterF64(runAt + 24), 24);
  store<f64>(at, speed > 0.0 ? 1.0 : 0.0, 32);
  store<f64>(at, speed > 0.0 ? 0.6931471805599453 / speed : 0.0, 40);
  store<f64>(at, volumeOf(turn), 48);
  store<f64>(at, ahead ? 1.0 : 0.0, 56);
  store<f64>(at, ahead ? parameterF64(runAt) + timeToGrow(model, nu, first, turn) / rate : 0.0, 64);
  store<f64>(at, least, 72);
}

/**
 * Of V(t), in the solver's own terms, as central differences have them: damping V̇, selfInteraction −V̇ of the model, source
 * the volume that doses kill between the rows before and behind, V(1 − e^{−αD − βD²}) each. The first row is behind its own.
 */
function writeDiagnostics(): void {
  const V = extras() + SCALARS * 8 + COLUMN, block = V + COLUMN, step = (end - begin) / 256.0;
  const change = scratch, reaction = change + COLUMN, rest = reaction + COLUMN;
  let sum = 0.0;
  for (let i = 0; i < COUNT; i++) {
    const at = <usize>i << 3, ends = i == 0 || i == COUNT - 1;
    store<f64>(reaction + at, -rate * pace(model, nu, ofRow(i)) * load<f64>(V + at));
    sum -= load<f64>(reaction + at) * (ends ? 0.5 * step : step);
    if (i > 0) sum -= load<f64>(dosesAt + at);
    if (!ends) store<f64>(change + at, (load<f64>(V + at, 8) - load<f64>(V + at - 8)) / (2.0 * step));
  }
  for (let i = 1; i < COUNT - 1; i++) {
    const at = dosesAt + (<usize>i << 3);
    store<f64>(at, (load<f64>(at) + load<f64>(at, 8)) / (2.0 * step));
  }
  const gained = load<f64>(V + COLUMN - 8) - load<f64>(V);
  writeTerms(block, 1, V, COUNT, 0, change, 0, 0, reaction, doses > 0 ? dosesAt : 0, rest);
  writeBalance(block, gained, sum, abs(gained - sum));
  writeReflection(block, V, COUNT, rest + COLUMN);
  writeBand(block, V, COUNT, rest + COLUMN);
}
