// Verdict of `acoustic` for driven ducts: the elements beside transfer matrices, and the balance of power.
//
// Parameters (f64): those of assembly/kernels/acoustic-line.ts (0 … 80, pieces), then its result (2120 bytes)
// Extras (f64): 0 |p| at the probe [Pa], or TL [dB] · 8 Re p, 16 Im p there · 24 power that comes in, 32 goes out, 40 is lost,
//   over ρωS₁/2 or k S₁ · 48 129 x [m] · 129 |p| · 129 frequencies [Hz] from f/2 to 3f/2 · 129 |p| at the probe or TL there ·
//   diagnostics of p (40, assembly/acoustics/described.ts)
//
// Gates: 3 pressure · 4 profile · 5 power · 6 transmission loss. RESONANCE where nothing damps and a resonance is within 0.1 %.

import { allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS } from "../diagnostics/diagnostics";
import { SAMPLES, describeAxis, describedScratch, takePhase } from "../acoustics/described";
import { areaOf, carryTo, im, openEnd, openPieces, re, slopeIm, slopeRe, wholeLength } from "../acoustics/exact";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 6;
const ONCE: u64 = 200000;
const UNITS: u64 = 60000;

let pieces: i32 = 0, own: usize = 0, scratch: usize = 0;
let passing: bool = false;
let scaleRe: f64 = 0, scaleIm: f64 = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  pieces = <i32>parameterF64(80);
  passing = parameterF64(0) == 1.0;
  own = 88 + <usize>pieces * 24;
  openPieces(parameters() + 88, pieces);
  scratch = allocate((3 * SAMPLES + describedScratch()) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  if (isResonant()) { show(0, parameterF64(8) / (2.0 * Math.PI)); fail(Status.RESONANCE); } else judge();
  spend(<u64>pieces * UNITS + ONCE);
  countStep();
  return 1;
}

@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function ofRun(offset: usize): f64 { return parameterF64(own + offset); }
@inline function waveRe(omega: f64): f64 { return omega / parameterF64(16); }
@inline function waveIm(omega: f64): f64 { return -0.5 * parameterF64(24) * omega / parameterF64(16); }

// ---- closed form ---------------------------------------------------------------------------------------

/** p and p′ at x for some amplitude at the right end. */
function shape(omega: f64, x: f64): void {
  const kRe = waveRe(omega), kIm = waveIm(omega), end = parameterF64(48);
  if (passing) openEnd(1.0, 0.0, kIm, -kRe); // −ik
  else if (end == 0.0) openEnd(1.0, 0.0, 0.0, 0.0);
  else if (end == 1.0) openEnd(0.0, 0.0, 1.0, 0.0);
  else {
    const R = parameterF64(56), X = parameterF64(64), size = omega * parameterF64(32) / (R * R + X * X);
    openEnd(1.0, 0.0, -size * X, -size * R); // −iωρ/Z
  }
  carryTo(x, kRe, kIm);
}

/** The factor that makes p′(0) = −iωρu₀, or the wave that comes in 1. */
function scaleShape(omega: f64): void {
  shape(omega, 0.0);
  if (!passing) {
    const drive = -omega * parameterF64(32) * parameterF64(40), square = slopeRe * slopeRe + slopeIm * slopeIm;
    scaleRe = drive * slopeIm / square;
    scaleIm = drive * slopeRe / square;
    return;
  }
  // A = ½ (p + i p′/k)
  const kRe = waveRe(omega), kIm = waveIm(omega), square = kRe * kRe + kIm * kIm;
  const ratioRe = (slopeRe * kRe + slopeIm * kIm) / square, ratioIm = (slopeIm * kRe - slopeRe * kIm) / square;
  const aRe = 0.5 * (re - ratioIm), aIm = 0.5 * (im + ratioRe), size = aRe * aRe + aIm * aIm;
  scaleRe = aRe / size;
  scaleIm = -aIm / size;
}

/** |p(x)|; Re and Im are left in `re`, `im` before the factor. */
function exactRe(omega: f64, x: f64): f64 { shape(omega, x); return re * scaleRe - im * scaleIm; }
function exactIm(omega: f64, x: f64): f64 { shape(omega, x); return re * scaleIm + im * scaleRe; }

/** |p| at the probe, or the power that goes on over that which comes in. */
function response(omega: f64): f64 {
  scaleShape(omega);
  const x = passing ? wholeLength() : parameterF64(72), size = Math.hypot(exactRe(omega, x), exactIm(omega, x));
  return passing ? size * size * areaOf(pieces - 1) / areaOf(0) : size;
}

function isResonant(): bool {
  if (passing || parameterF64(24) != 0.0 || (parameterF64(48) == 2.0 && parameterF64(56) != 0.0)) return false;
  shape(parameterF64(8) * 0.999, 0.0);
  const below = slopeRe;
  shape(parameterF64(8) * 1.001, 0.0);
  return below * slopeRe <= 0.0;
}

// ---- gates ---------------------------------------------------------------------------------------------

@inline function decibels(share: f64): f64 { return -10.0 * Math.log10(share); }

function judge(): void {
  const omega = parameterF64(8), reference = response(omega);
  openVerdict(3, SCALARS + 4 * SAMPLES + DIAGNOSTICS);
  const most = profile(omega);
  let value = Math.hypot(ofRun(0), ofRun(8));
  if (passing) {
    const share = (ofRun(32) * ofRun(32) + ofRun(40) * ofRun(40)) * areaOf(pieces - 1) / areaOf(0);
    value = decibels(share);
    gate(6, Kind.EXACT, value, decibels(reference), abs(value - decibels(reference)) / max(abs(decibels(reference)), 1e-3));
  } else {
    gate(3, Kind.EXACT, value, reference, abs(value - reference) / max(reference, 1e-3 * most));
  }
  power(omega);
  writeExtras(value, omega);
  closeVerdict(value);
}

/** All 129 samples beside the closed form; the largest |p|. */
function profile(omega: f64): f64 {
  const xs = extras() + SCALARS * 8, sizes = xs + SAMPLES * 8;
  let most = 0.0, apart = 0.0, measured = 0.0, reference = 0.0;
  for (let i = 0; i < SAMPLES; i++) {
    const x = wholeLength() * (<f64>i / <f64>(SAMPLES - 1)), a = exactRe(omega, x), b = exactIm(omega, x);
    const from: usize = 56 + (<usize>i << 4), p = ofRun(from), q = ofRun(from + 8), error = Math.hypot(p - a, q - b);
    put(xs, i, x);
    put(sizes, i, Math.hypot(p, q));
    most = max(most, Math.hypot(a, b));
    if (!(error <= apart)) { apart = error; measured = Math.hypot(p, q); reference = Math.hypot(a, b); }
  }
  gate(4, Kind.EXACT, measured, reference, apart / most);
  return most;
}

/** What comes in is what goes out and what is lost: the imaginary part of p̄ times the discrete equation. */
function power(omega: f64): void {
  const k = waveRe(omega), eta = parameterF64(24), S = areaOf(pieces - 1) / areaOf(0), L = wholeLength();
  const p0 = ofRun(16), q0 = ofRun(24), last = ofRun(32) * ofRun(32) + ofRun(40) * ofRun(40);
  const loss = k * k * eta * ofRun(48) * L, size = Math.hypot(p0, q0);
  let inward = 0.0, outward = 0.0, floor = 0.0;
  if (passing) {
    inward = 2.0 * k * p0 - k * eta * q0 - k * size * size;
    outward = k * S * last;
    floor = k * size * size;
  } else {
    const R = parameterF64(56), X = parameterF64(64), drive = omega * parameterF64(32);
    inward = drive * parameterF64(40) * p0;
    outward = parameterF64(48) == 2.0 ? drive * S * last * R / (R * R + X * X) : 0.0;
    floor = drive * abs(parameterF64(40)) * size;
  }
  const scale = max(max(abs(inward), max(outward, loss)), 1e-9 * floor);
  gate(5, Kind.INVARIANT, inward, outward + loss, abs(inward - outward - loss) / scale);
  put(extras(), 3, inward);
  put(extras(), 4, outward);
  put(extras(), 5, loss);
}

function writeExtras(value: f64, omega: f64): void {
  const to = extras(), spectrum = to + ((SCALARS + 2 * SAMPLES) << 3), block = spectrum + 2 * SAMPLES * 8;
  put(to, 0, value);
  put(to, 1, ofRun(0));
  put(to, 2, ofRun(8));
  for (let i = 0; i < SAMPLES; i++) {
    const here = omega * (0.5 + <f64>i / <f64>(SAMPLES - 1)), found = response(here);
    put(spectrum, i, here / (2.0 * Math.PI));
    put(spectrum, SAMPLES + i, passing ? decibels(found) : found);
  }
  writeDiagnostics(block, omega);
}

/** k² is complex where the air takes something: −Re k²p has a share of what is a quarter behind. */
function writeDiagnostics(block: usize, omega: f64): void {
  const p = scratch, behind = p + SAMPLES * 8, terms = behind + SAMPLES * 8, L = wholeLength(), kRe = waveRe(omega) * L, kIm = waveIm(omega) * L;
  takePhase(p, behind, SAMPLES, parameters() + own + 56, parameters() + own + 64, 16);
  for (let i = 0; i < SAMPLES; i++) put(terms, i, 2.0 * kRe * kIm * at(behind, i) - (kRe * kRe - kIm * kIm) * at(p, i));
  describeAxis(block, p, terms, parameters() + 88, pieces, terms + SAMPLES * 8);
}
