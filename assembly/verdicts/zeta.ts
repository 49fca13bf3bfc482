// Verdict of `zeta`: evaluates Z anew by other formulas (assembly/zeta/reference.ts) at the samples, at the ends of
// brackets and where it was asked, and closes the count of zeros by Turing's method (assembly/zeta/turing.ts).
//
// Parameters (f64): 0 mode (0 Z, 1 zero, 2 zeros, 3 count) · 8 t, n, t1 or T · 16 t2 · 24 parts of the scan · 32 rows
//   then parts × 14 results of scans, the profile's 129 t and 129 Z, the rows (γ, lower, upper end, Z there)
// A step is one evaluation. State (f64): 0 next evaluation · 8 worst |Z − Z'| / (bounds) · 16 Z' at the value's t
//   24 worst bound/|Z'| at heights that were asked · 32, 40 Z'(A), Z'(B)
// Extras (f64): 0, 8 lower and upper end · 16 N · 24 S · 32 N(t1) · 40 zeros listed · 48 error bound of Z · 56 Z'
//   then 129 t, 129 Z, diagnostics of Z (assembly/diagnostics/diagnostics.ts), the zeros
//
// Gates: 0 Z' · 1 bound of Z · 2 Z' against Z at all samples and ends, in units of their bounds · 3 signs · 4 count
//   5 Turing below · 6 Turing above · 7 width of brackets · 8 heights that were asked lie clear of zeros

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  allocate, parameters, parameterF64, openState, restoreState, running, spend, countStep, show,
} from "../kernel/frame";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { Kind, closeVerdict, extras, gate, openVerdict } from "../kernel/verdict";
import { zBound } from "../zeta/hardy";
import {
  fillReference, openReference, referenceBound, referenceIndex, referenceTerms, thetaReference, zReference,
} from "../zeta/reference";
import { meanSpacing } from "../zeta/theta";
import { thetaExcess, turingBound } from "../zeta/turing";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const PROFILE: i32 = 129;
const SCAN: usize = 14 * 8;
const ROW: usize = 40;
const EXTRAS: i32 = 8 + 2 * PROFILE + DIAGNOSTICS;
const LISTED: i32 = 1024;
/** |Z| below this is judged by its absolute error. */
const SMALL: f64 = 1e-3;
/** Below this height there is no zero: γ_1 = 14.13. */
const NO_ZERO_BELOW: f64 = 14;
/** Zeros whose bracket is evaluated anew: all, or as many as take 2^21 terms an end, at least 32. */
const TERM_BUDGET: i32 = 1 << 21;
const LEAST_CHECKED: i32 = 32;
const TERM_WORK: u64 = 25;
const LOG_WORK: i32 = 800;
/** Diagnostics and the passes over the rows. */
const JUDGE_WORK: u64 = 500000;

let mode: i32 = 0;
let parts: i32 = 0;
let rows: i32 = 0;
let checked: i32 = 0;
let terms: i32 = 0;
let scansAt: usize = 0;
let profileAt: usize = 0;
let rowsAt: usize = 0;
let body: usize = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
/** The f64 at `offset` of the first or the last scan. */
@inline function ofFirst(offset: usize): f64 { return load<f64>(scansAt + offset); }
@inline function ofLast(offset: usize): f64 { return load<f64>(scansAt + <usize>(parts - 1) * SCAN + offset); }
@inline function row(i: i32): usize { return rowsAt + <usize>i * ROW; }

export function start(budget: i32): i32 {
  if (stateLength() == 0) lay();
  if (!fillReference(max(64, budget / LOG_WORK))) return 0;
  spend(<u64>terms * LOG_WORK);
  return 1;
}
export function restore(length: i32): usize { lay(); return restoreState(length); }
export function resumed(budget: i32): i32 { return <i32>fillReference(max(64, budget / LOG_WORK)); }

function lay(): void {
  mode = <i32>parameterF64(0); parts = <i32>parameterF64(24); rows = <i32>parameterF64(32);
  scansAt = parameters() + 40;
  profileAt = scansAt + <usize>parts * SCAN;
  rowsAt = profileAt + 2 * PROFILE * 8;
  body = openState(48);
  const top = highest();
  checked = min(rows, max(LEAST_CHECKED, TERM_BUDGET / referenceTerms(top)));
  terms = max(referenceTerms(top), referenceTerms(min(top, 1999.9)));
  openReference(terms);
}

/** The greatest height at which Z or θ is wanted. */
function highest(): f64 {
  let top = max(abs(load<f64>(profileAt)), abs(load<f64>(profileAt + (PROFILE - 1) * 8)));
  if (mode == 2) top = max(top, parameterF64(16));
  if (mode != 0) top = max(top, ofLast(24));
  return top;
}

export function advance(steps: i32, budget: i32): i32 {
  let done = 0;
  for (let left = <i64>budget; done < steps && running() && left > 0; done++) left -= <i64>evaluateNext();
  return done;
}

// ---- evaluations ---------------------------------------------------------------------------------------

/** Profile, two ends of each checked row, A, B, and the heights that were asked; the last one judges. */
function evaluateNext(): u64 {
  const e = <i32>field(0), brackets = PROFILE + 2 * checked;
  setField(0, <f64>(e + 1));
  let t: f64;
  if (e < PROFILE) t = comparedSample(e);
  else if (e < brackets) t = comparedEnd(e - PROFILE);
  else t = askedHeight(e - brackets);
  const units = <u64>referenceTerms(t) * TERM_WORK + 8000;
  spend(units);
  countStep();
  show(0, <f64>(e + 1));
  if (e + 1 == evaluations()) { spend(JUDGE_WORK); judge(); }
  return units;
}

function evaluations(): i32 {
  const asked = mode == 0 ? 0 : mode == 1 ? 2 : mode == 2 ? 4 : 3;
  return PROFILE + 2 * checked + asked;
}

function comparedSample(j: i32): f64 {
  const at = profileAt + (<usize>j << 3);
  const t = abs(load<f64>(at)), z = zReference(t);
  compare(t, load<f64>(at + PROFILE * 8), z);
  if (j == PROFILE / 2) setField(16, z);
  return t;
}

/** Checked rows are spread evenly over all. */
function comparedEnd(e: i32): f64 {
  const i = <i32>(<i64>(e >> 1) * rows / checked);
  const offset: usize = (e & 1) == 0 ? 8 : 16;
  const t = load<f64>(row(i) + offset), z = zReference(t);
  compare(t, load<f64>(row(i) + offset + 16), z);
  return t;
}

function compare(t: f64, z: f64, reference: f64): void {
  const error = abs(z - reference) / (zBound(t) + referenceBound(t));
  if (!(error <= field(8))) setField(8, error);
}

/** A, B, then t1, t2 or T. */
function askedHeight(i: i32): f64 {
  const t = i == 0 ? ofFirst(56) : i == 1 ? ofLast(80) : i == 2 ? parameterF64(8) : parameterF64(16);
  const z = zReference(t);
  if (i == 0) setField(32, z);
  else if (i == 1) setField(40, z);
  else if (t > NO_ZERO_BELOW) setField(24, max(field(24), referenceBound(t) / abs(z)));
  return t;
}

// ---- judgement -----------------------------------------------------------------------------------------

function judge(): void {
  if (mode == 0) judgeZ(); else judgeZeros();
}

function judgeZ(): void {
  const t = parameterF64(8), z = load<f64>(profileAt + (PROFILE + PROFILE / 2) * 8), reference = field(16);
  openVerdict(3, EXTRAS);
  gate(0, Kind.TWIN, z, reference, abs(z - reference) / max(abs(reference), SMALL));
  gate(1, Kind.CERTIFICATE, z, zBound(t), zBound(t) / max(abs(z), SMALL));
  gate(2, Kind.TWIN, field(8), 0, field(8), 1.0);
  writeProfile();
  store<f64>(extras(), zBound(t), 48);
  store<f64>(extras(), reference, 56);
  closeVerdict(z);
}

let validRows: i32 = 0;
let insideAB: i32 = 0;
let sumBelow: f64 = 0;
let sumAbove: f64 = 0;
let worstSign: f64 = 0;
let worstWidth: f64 = 0;

/** One pass over the rows: order, signs, widths, and the sums of Turing's method. */
function readRows(a: f64, b: f64, q: f64, p: f64): void {
  validRows = 0; insideAB = 0; sumBelow = 0; sumAbove = 0; worstSign = 0; worstWidth = 0;
  let before = 0.0;
  for (let i = 0; i < rows; i++) {
    const at = row(i);
    const root = load<f64>(at), lower = load<f64>(at, 8), upper = load<f64>(at, 16);
    if (!(lower >= before && lower < upper && lower <= root && root <= upper)) continue;
    before = upper;
    validRows++;
    const zl = load<f64>(at, 24), zu = load<f64>(at, 32);
    const sign = zl * zu < 0.0 ? zBound(lower) / min(abs(zl), abs(zu)) : 2.0;
    if (!(sign <= worstSign)) worstSign = sign;
    const width = (upper - lower) / meanSpacing(root);
    if (!(width <= worstWidth)) worstWidth = width;
    if (lower >= a && upper <= b) insideAB++;
    if (lower >= q && upper <= a) sumBelow += lower - q;
    if (lower >= b && upper <= p) sumAbove += p - upper;
  }
}

/** n with θ(t) = (n − 1)π at a Gram point t whose Z' has the sign (−1)^{n−1}; −1 if it is none. */
function countAtGram(t: f64, z: f64): f64 {
  const part = thetaReference(t);
  const m = referenceIndex + (part > 0.5 ? 1.0 : 0.0);
  const off = part > 0.5 ? 1.0 - part : part;
  const even = m == 2.0 * floor(0.5 * m);
  return off < 1e-4 && (even ? z : -z) > referenceBound(t) ? m + 1.0 : -1.0;
}

function judgeZeros(): void {
  const a = ofFirst(56), b = ofLast(80), q = ofFirst(8), p = ofLast(24);
  readRows(a, b, q, p);
  const na = a < NO_ZERO_BELOW ? 0.0 : countAtGram(a, field(32)), nb = countAtGram(b, field(40));
  const below = na > 0.0, asked = mode != 1;
  openVerdict(5 + <i32>below + <i32>asked, EXTRAS + listed(na));
  gate(2, Kind.TWIN, field(8), 0, field(8), 1.0);
  gate(3, Kind.CERTIFICATE, worstSign, 0, worstSign, 1.0);
  const known = na >= 0.0 && nb > 0.0 && validRows == rows && contiguous();
  gate(4, Kind.CERTIFICATE, <f64>insideAB, nb - na, known ? abs(<f64>insideAB - (nb - na)) : 1.0, 0.0);
  if (below) turingGate(5, 2.0 * (a - q) + thetaExcess(q, a, na - 1.0) + sumBelow, a);
  turingGate(6, 2.0 * (p - b) - thetaExcess(b, p, nb - 1.0) + sumAbove, p);
  gate(7, Kind.CERTIFICATE, worstWidth, 0, worstWidth);
  if (asked) gate(8, Kind.CERTIFICATE, field(24), 0, field(24), 1.0);
  writeProfile();
  closeVerdict(mode == 1 ? writeZero(na) : writeCounts(na));
}

function turingGate(index: i32, integral: f64, top: f64): void {
  const bound = turingBound(top);
  gate(index, Kind.CERTIFICATE, integral, bound, integral > 0.0 ? bound / integral : 1e9, 1.0);
}

/** Parts must join: each begins at the height where the one before ended. */
function contiguous(): bool {
  for (let i = 1; i < parts; i++) {
    const at = scansAt + <usize>i * SCAN;
    if (load<f64>(at, 8) != load<f64>(at - SCAN, 24)) return false;
  }
  return true;
}

// ---- extras --------------------------------------------------------------------------------------------

function writeProfile(): void {
  const at = extras() + 64, z = at + PROFILE * 8;
  memory.copy(at, profileAt, 2 * PROFILE * 8);
  writeStaticProfile(z + PROFILE * 8, z, PROFILE, allocate(<usize>diagnosticsScratch(PROFILE) << 3));
}

/** Rows of zeros at or below t, from the first row on. */
function rowsBelow(t: f64): i32 {
  let lowest = 0, highest = rows;
  while (lowest < highest) {
    const middle = (lowest + highest) >> 1;
    if (load<f64>(row(middle), 16) <= t) lowest = middle + 1; else highest = middle;
  }
  return lowest;
}

function listed(na: f64): i32 {
  if (mode == 1) return 1;
  return mode == 2 ? min(LISTED, rowsBelow(parameterF64(16)) - rowsBelow(parameterF64(8))) : 0;
}

/** N(t) = zeros below A and those found up to t. */
function countBelow(t: f64, na: f64): f64 { return na + <f64>(rowsBelow(t) - rowsBelow(ofFirst(56))); }

/** S(t) = N(t) − 1 − θ(t)/π. */
function argument(t: f64, count: f64): f64 {
  const part = thetaReference(t);
  return (count - 1.0 - referenceIndex) - part;
}

function writeZero(na: f64): f64 {
  const n = parameterF64(8), i = rowsBelow(ofFirst(56)) + <i32>(n - na) - 1;
  const at = row(max(0, min(i, rows - 1))), out = extras();
  const root = load<f64>(at);
  memory.copy(out, at + 8, 16);
  store<f64>(out, n, 16);
  store<f64>(out, argument(root, n), 24);
  store<f64>(out, 1.0, 40);
  store<f64>(out, zBound(root), 48);
  store<f64>(out + <usize>EXTRAS * 8, root);
  return root;
}

function writeCounts(na: f64): f64 {
  const from = parameterF64(8), to = mode == 2 ? parameterF64(16) : from;
  const upTo = countBelow(to, na), before = countBelow(from, na), out = extras();
  store<f64>(out, from); store<f64>(out, to, 8);
  store<f64>(out, upTo, 16);
  store<f64>(out, argument(to, upTo), 24);
  store<f64>(out, before, 32);
  const count = listed(na), first = rowsBelow(from);
  store<f64>(out, <f64>count, 40);
  store<f64>(out, zBound(to), 48);
  for (let i = 0; i < count; i++) {
    store<f64>(out + <usize>(EXTRAS + i) * 8, load<f64>(row(first + i)));
  }
  return mode == 2 ? upTo - before : upTo;
}
