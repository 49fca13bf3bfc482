// A wave that meets a potential: −ħ²/2m ψ″ + Vψ = Eψ from right to left by Magnus' method of order 4 (Iserles, Munthe-Kaas,
// Nørsett & Zanna, Acta Numerica 9 (2000) 215, §5).
//
// Beyond its ends V stays as it is there. (ψ, ψ′)′ = [[0, 1], [q, 0]] (ψ, ψ′), q = 2m(V − E)/ħ². Over a step of h it is carried
// on to the left by the exponential of [[−c, −h], [−hq̄, c]], q̄ the mean of q at Gauss' two points, c = (q₂ − q₁)h²/4√3: of a
// constant V without error, and its determinant is 1, so that the Wronskian is kept and T + R = 1.
// No step goes across a node of a table, where V‴ jumps, nor across a jump of V: cells end there.
//
// From the wave that leaves to the right, ψ = 1, ψ′ = ik, it comes to A e^{ik′x} + B e^{−ik′x} at the left end; transmission is
// k/(k′|A|²), reflection |B|²/|A|².
//
// Parameters: assembly/quantum/problem.ts, with the steps of a cell in place of those of a run
// State body (f64): none; a run is one step.
// Result (f64): 0 transmission · 8 reflection · 16 |ψ|² at all nodes for an incident wave of size 1

import {
  allocate, countStep, fail, finish, openResult, openState, parameterF64, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { Potential, count, kind, left, nodeX, readProblem, scaledAt, unitEnergy, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const UNITS: u64 = 60;
/** Gauss' points, from the middle of a step, and 1/4√3. */
const GAUSS: f64 = 0.28867513459481287, MAGNUS: f64 = 0.14433756729740643;
/** Numbers end below it, and with them the digits of T. */
const LEAST: f64 = 1e-300;

let n: i32 = 0, parts: i32 = 0;
let densities: usize = 0;
/** ψ and ψ′, and the energy, in units of the domain's width and ε. */
let re: f64 = 0, im: f64 = 0, slopeRe: f64 = 0, slopeIm: f64 = 0, energy: f64 = 0;

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function prepare(): void {
  readProblem();
  n = <i32>parameterF64(152);
  parts = <i32>parameterF64(176);
  energy = parameterF64(192) / unitEnergy;
  openState(0);
  densities = allocate(<usize>(n + 1) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  const right = waveAt(1.0), before = waveAt(0.0);
  countStep();
  spend(<u64>parts * <u64>(n + (kind == Potential.TABLE ? count : 0)) * UNITS);
  if (!(right > 0.0 && before > 0.0)) { fail(Status.INVALID_INPUT); return 1; }
  run(right);
  conclude(right, before);
  return 1;
}

/** k at an end. */
@inline function waveAt(u: f64): f64 { return sqrt(2.0 * (energy - scaledAt(u, 1.0 / <f64>n))); }

// ---- the steps -----------------------------------------------------------------------------------------

/** From the wave at the right to the left end, cell by cell, which end at nodes of the grid and of a table. */
function run(k: f64): void {
  re = 1.0; im = 0.0; slopeRe = 0.0; slopeIm = k;
  put(n);
  let inner = kind == Potential.TABLE ? count - 2 : 0;
  for (let i = n - 1; i >= 0; i--) {
    const end = <f64>i / <f64>n;
    let from = <f64>(i + 1) / <f64>n;
    for (; inner > 0; inner--) {
      const at = (nodeX(inner) - left) / width;
      if (at <= end) break;
      if (at < from) { cell(from, at); from = at; }
    }
    cell(from, end);
    put(i);
  }
}

@inline function put(i: i32): void { store<f64>(densities + (<usize>i << 3), re * re + im * im); }

function cell(from: f64, to: f64): void {
  const h = (from - to) / <f64>parts, aside = GAUSS * h;
  for (let i = 0; i < parts; i++) {
    const middle = from - (<f64>i + 0.5) * h;
    step(h, curvatureAt(middle + aside, h), curvatureAt(middle - aside, h));
  }
}

/** q at a point of a step that no jump is in. */
@inline function curvatureAt(u: f64, h: f64): f64 { return 2.0 * (scaledAt(u, 0.25 * h) - energy); }

/** To the left by h, by q at the first and the second point on the way. */
function step(h: f64, q1: f64, q2: f64): void {
  const q = 0.5 * (q1 + q2), c = MAGNUS * h * h * (q2 - q1), square = c * c + h * h * q, size = sqrt(abs(square));
  const C = square > 0.0 ? Math.cosh(size) : Math.cos(size);
  const S = size < 1e-8 ? 1.0 : (square > 0.0 ? Math.sinh(size) : Math.sin(size)) / size;
  const a = C - S * c, d = C + S * c, b = -S * h, e = b * q;
  const nextRe = a * re + b * slopeRe, nextIm = a * im + b * slopeIm;
  slopeRe = e * re + d * slopeRe; slopeIm = e * im + d * slopeIm;
  re = nextRe; im = nextIm;
}

/** A = (ψ + ψ′/ik′)/2, B = (ψ − ψ′/ik′)/2. */
function conclude(k: f64, before: f64): void {
  const overRe = slopeIm / before, overIm = -slopeRe / before;
  const incident = 0.25 * ((re + overRe) * (re + overRe) + (im + overIm) * (im + overIm));
  const back = 0.25 * ((re - overRe) * (re - overRe) + (im - overIm) * (im - overIm)), passes = k / (before * incident);
  if (!(passes >= LEAST)) { show(0, 1.0); show(1, passes); show(2, LEAST); fail(Status.INVALID_INPUT); return; }
  const out = openResult(16 + ((n + 1) << 3));
  store<f64>(out, passes);
  store<f64>(out, back / incident, 8);
  for (let i = 0; i <= n; i++) store<f64>(out + 16 + (<usize>i << 3), load<f64>(densities + (<usize>i << 3)) / incident);
  finish();
}
