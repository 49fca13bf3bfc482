// Verdict of `acoustic` for boxes driven between open walls or walls of impedance: the elements beside the series of modes across in
// closed form, the balance of power, and the modes beside the area of the piston.
//
// Parameters: assembly/acoustics/box.ts; result of assembly/kernels/acoustic-box.ts (6272 bytes); μ of y and of z that the roots begin
//   from (assembly/acoustics/across.ts); |p| of the spectrum (assembly/kernels/acoustic-box-spectrum.ts)
// Extras (f64): 0 |p| at the probe [Pa] · 8, 16 p there · 24 power that comes in, 32 goes out, 40 is lost, over ωρ S/2 of the piston · 48 of
//   x, y, z: 129 places [m], 129 |p| · frequencies [Hz] from f/2 to 3f/2 · |p| at the probe there · diagnostics of p along x (40)
//
// Gates: 3 pressure · 4 profile · 5 power · 15 spectrum · 16 piston. RESONANCE where nothing damps and a mode that is driven is within 0.1 %.

import { allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { takePhase } from "../acoustics/described";
import { exactModes } from "../acoustics/across-exact";
import {
  angularFrequency, begunModes, density, frequencies, lengthOf, lossFactor, parametersEnd, reactance, resistance, speed, velocity,
  wallType,
} from "../acoustics/box";
import { findModes, isNearMode, lines, openExactBox, probeIm, probeRe, SAMPLES, sumModes, wholeY, wholeZ } from "../acoustics/box-exact";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 6;
const FIELD: usize = 6272;
const WALLS: i32 = 5;
const ONCE: u64 = 2000000;
const UNITS: u64 = 200;

let own: usize = 0, begun: usize = 0, spectrum: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  own = parametersEnd();
  begun = own + FIELD;
  spectrum = begun + (<usize>(begunModes(1) + begunModes(2)) << 4);
  openExactBox();
  scratch = allocate((2 * SAMPLES + diagnosticsScratch(SAMPLES)) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  findModes(parameters() + begun, parameters() + begun + (<usize>begunModes(1) << 4));
  if (isUndamped() && isNearMode()) { show(0, angularFrequency() / (2.0 * Math.PI)); fail(Status.RESONANCE); } else judge();
  spend(<u64>exactModes(1) * <u64>exactModes(2) * UNITS + ONCE);
  countStep();
  return 1;
}

@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function ofRun(offset: usize): f64 { return parameterF64(own + offset); }
@inline function response(i: i32): f64 { return parameterF64(spectrum + (<usize>i << 3)); }

function isUndamped(): bool {
  for (let wall = 0; wall < WALLS; wall++) if (wallType(wall) == 2 && resistance(wall) != 0.0) return false;
  return lossFactor() == 0.0;
}

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  openVerdict(5, SCALARS + 6 * SAMPLES + 2 * frequencies() + DIAGNOSTICS);
  sumModes();
  const value = Math.hypot(ofRun(0), ofRun(8)), reference = Math.hypot(probeRe, probeIm), most = largest(), scale = max(reference, 1e-3 * most);
  piston();
  gate(3, Kind.EXACT, value, reference, Math.hypot(ofRun(0) - probeRe, ofRun(8) - probeIm) / scale);
  profile(most);
  power(most);
  const met = response(frequencies() >> 1);
  gate(15, Kind.EXACT, met, reference, abs(met - reference) / scale);
  writeExtras(value);
  closeVerdict(value);
}

/** The worse of y and z; a root that was not found makes it no number. */
function piston(): void {
  const y = wholeY == wholeY ? wholeY : 0.0, z = wholeZ == wholeZ ? wholeZ : 0.0, worse = abs(y - 1.0) > abs(z - 1.0) ? y : z;
  gate(16, Kind.CERTIFICATE, worse, 1.0, abs(worse - 1.0));
}

/** |p| of the series; where a probe has open walls around it, at least a little of that at the piston. */
function largest(): f64 {
  let most = 1e-3 * Math.hypot(ofRun(16), ofRun(24));
  for (let i = 0; i < 3 * SAMPLES; i++) most = max(most, Math.hypot(load<f64>(lines + (<usize>i << 4)), load<f64>(lines + (<usize>i << 4), 8)));
  return most;
}

/** All samples of the three lines beside the series. */
function profile(most: f64): void {
  let apart = 0.0, measured = 0.0, reference = 0.0;
  for (let i = 0; i < 3 * SAMPLES; i++) {
    const at = <usize>i << 4, p = ofRun(80 + at), q = ofRun(88 + at), a = load<f64>(lines + at), b = load<f64>(lines + at, 8);
    const error = Math.hypot(p - a, q - b);
    if (!(error <= apart)) { apart = error; measured = Math.hypot(p, q); reference = Math.hypot(a, b); }
  }
  gate(4, Kind.EXACT, measured, reference, apart / most);
}

/** Im of pᴴ times the equation of the elements, over the area of the piston. */
function power(most: f64): void {
  const drive = angularFrequency() * density(), k = angularFrequency() / speed(), L = lengthOf(0);
  const inward = drive * velocity() * ofRun(16), lost = k * k * lossFactor() * L * ofRun(72);
  let outward = 0.0;
  for (let wall = 0; wall < WALLS; wall++) {
    if (wallType(wall) != 2) continue;
    const R = resistance(wall), X = reactance(wall), over = wall == 0 ? 1.0 : L / lengthOf(wall < 3 ? 1 : 2);
    outward += drive * over * ofRun(32 + (<usize>wall << 3)) * R / (R * R + X * X);
  }
  const floor = 1e-9 * drive * abs(velocity()) * most;
  gate(5, Kind.INVARIANT, inward, outward + lost, abs(inward - outward - lost) / max(max(abs(inward), outward + lost), floor));
  put(extras(), 3, inward);
  put(extras(), 4, outward);
  put(extras(), 5, lost);
}

function writeExtras(value: f64): void {
  const to = extras(), block = to + ((SCALARS + 6 * SAMPLES + 2 * frequencies()) << 3);
  put(to, 0, value);
  put(to, 1, ofRun(0));
  put(to, 2, ofRun(8));
  for (let axis = 0; axis < 3; axis++) {
    for (let i = 0; i < SAMPLES; i++) {
      const at = 80 + (<usize>(axis * SAMPLES + i) << 4), place = SCALARS + 2 * axis * SAMPLES + i;
      put(to, place, lengthOf(axis) * (<f64>i / <f64>(SAMPLES - 1)));
      put(to, place + SAMPLES, Math.hypot(ofRun(at), ofRun(at + 8)));
    }
  }
  const hertz = angularFrequency() / (2.0 * Math.PI), from = SCALARS + 6 * SAMPLES;
  for (let i = 0; i < frequencies(); i++) {
    put(to, from + i, hertz * (0.5 + <f64>i / <f64>(frequencies() - 1)));
    put(to, from + frequencies() + i, response(i));
  }
  takePhase(scratch, scratch + SAMPLES * 8, SAMPLES, parameters() + own + 80, parameters() + own + 88, 16);
  writeStaticProfile(block, scratch, SAMPLES, scratch + 2 * SAMPLES * 8);
}
