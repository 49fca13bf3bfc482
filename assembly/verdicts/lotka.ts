// Verdict of `lotka`: holds the run against the exact orbit, by code that shares nothing with the step.
//
// The orbit is the level curve γ g(p) + α g(q) = E, g(s) = e^s − 1 − s (assembly/kernels/lotka.ts). With
// w(s) = ±√(2 g(s)), of the sign of s, it is an ellipse, w(p) = √(2E/γ) cos θ and w(q) = √(2E/α) sin θ, and time is
// a quadrature along it, because w dw = (e^s − 1) ds:
//
//   dt/dθ = F(p) F(q) / √(αγ),   F(s) = w(s) / (e^s − 1), 1 at s = 0;   the period T is the whole turn
//
// So T → 2π/√(αγ) for small amplitudes. The turn is cut into panels of four Gauss–Legendre nodes each; the time at
// their ends is a table, in which the exact p and q at any time are looked up and then solved for by Newton's method.
// Over a period the means of x and y are those of the equilibrium, γ/δ and α/β (Volterra 1926), since p and q return.
//
// Parameters (f64): 0 … 56 those of the run · 64 t₀ [s] · 72 value: 0 x, 1 y, 2 period · 80 panels
//   88 beginning of the run, since the start [s] · 96 the run's result (56 bytes) · 152 its 257 rows
// Extras (f64): 0 x(t_max) · 8 y(t_max) · 16 V drift [%] · 24 returns · 32 period of the run [s], 0: none · 40 T [s]
//   48, 56 means of x and y, 0: none · 64 steps of this run · 72 step [s] · 80 257 times [s] · 257 x · 257 y · diagnostics of x (40)
//
// Gates: 0 V · 1 x · 2 y · 3 the rows · 4 period · 5 mean of x · 6 mean of y; the last three from one period on.

import {
  allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { timeOfRow } from "../kernel/stretch";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const RUN: usize = 96;
const ROWS: usize = 152;
const COUNT: i32 = 257;
const COLUMN: usize = 257 * 8;
const SCALARS: i32 = 10;
const TURN: f64 = 6.283185307179586;
const NODE1: f64 = 0.3399810435848563, WEIGHT1: f64 = 0.6521451548625461;
const NODE2: f64 = 0.8611363115940526, WEIGHT2: f64 = 0.3478548451374538;
/** Work units: a panel, and all that is done once. */
const PANEL: u64 = 1000;
const ONCE: u64 = 2300000;

let alpha: f64 = 0, gamma: f64 = 0, p0: f64 = 0, q0: f64 = 0;
let E: f64 = 0, radiusP: f64 = 0, radiusQ: f64 = 0, firstAngle: f64 = 0, period: f64 = 0;
let panels: i32 = 0;
let timesAt: usize = 0;
let scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  panels = <i32>parameterF64(80);
  timesAt = allocate(<usize>(panels + 1) << 3);
  scratch = allocate(3 * COLUMN + (<usize>diagnosticsScratch(COUNT) << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  layOrbit();
  judge();
  spend(<u64>panels * PANEL + ONCE);
  countStep();
  return 1;
}

// ---- the exact orbit -----------------------------------------------------------------------------------

function g(s: f64, grown: f64): f64 {
  if (abs(s) > 0.01) return grown - s;
  return 0.5 * s * s * (1.0 + s / 3.0 * (1.0 + 0.25 * s * (1.0 + 0.2 * s * (1.0 + s / 6.0 * (1.0 + s / 7.0)))));
}

@inline function energy(p: f64, q: f64): f64 { return gamma * g(p, Math.expm1(p)) + alpha * g(q, Math.expm1(q)); }
@inline function signedRoot(s: f64): f64 { return copysign(sqrt(2.0 * g(s, Math.expm1(s))), s); }

/** The s of w(s) = w, by Newton's method on the convex g from the outer side, whence it never overshoots. */
function fromRoot(w: f64): f64 {
  let s = w > 0.0 ? Math.log1p(w + 0.5 * w * w) : w - 0.5 * w * w;
  for (let i = 0; i < 20 && s != 0.0; i++) {
    const grown = Math.expm1(s), step = (g(s, grown) - 0.5 * w * w) / grown;
    s -= step;
    if (abs(step) <= 1e-15 * abs(s)) break;
  }
  return s;
}

@inline function F(w: f64): f64 { return w == 0.0 ? 1.0 : w / Math.expm1(fromRoot(w)); }

/** dt/dθ. */
function slowness(angle: f64): f64 {
  return F(radiusP * Math.cos(angle)) * F(radiusQ * Math.sin(angle)) / sqrt(alpha * gamma);
}

/** Time from `angle` on over `width`. */
function duration(angle: f64, width: f64): f64 {
  const half = 0.5 * width, middle = angle + half;
  const inner = slowness(middle - NODE1 * half) + slowness(middle + NODE1 * half);
  const outer = slowness(middle - NODE2 * half) + slowness(middle + NODE2 * half);
  return half * (WEIGHT1 * inner + WEIGHT2 * outer);
}

@inline function timeOf(panel: i32): f64 { return load<f64>(timesAt + (<usize>panel << 3)); }
@inline function angleOf(panel: i32): f64 { return firstAngle + TURN * (<f64>panel / <f64>panels); }

/** The table of times from the start to the end of each panel. */
function layOrbit(): void {
  alpha = parameterF64(0);
  gamma = parameterF64(24);
  p0 = Math.log(parameterF64(16) * parameterF64(32) / gamma);
  q0 = Math.log(parameterF64(8) * parameterF64(40) / alpha);
  E = energy(p0, q0);
  radiusP = sqrt(2.0 * E / gamma);
  radiusQ = sqrt(2.0 * E / alpha);
  firstAngle = E == 0.0 ? 0.0 : Math.atan2(signedRoot(q0) / radiusQ, signedRoot(p0) / radiusP);
  for (let i = 0; i < panels; i++) {
    store<f64>(timesAt + (<usize>(i + 1) << 3), timeOf(i) + duration(angleOf(i), TURN / <f64>panels));
  }
  period = timeOf(panels);
}

/** The angle at time t. */
function angleAt(t: f64): f64 {
  const rest = t - floor(t / period) * period;
  let low = 0, high = panels;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (timeOf(middle) <= rest) low = middle; else high = middle;
  }
  const from = angleOf(low), missing = rest - timeOf(low);
  let width = TURN / <f64>panels * missing / (timeOf(high) - timeOf(low));
  for (let i = 0; i < 2; i++) width += (missing - duration(from, width)) / slowness(from + width);
  return from + width;
}

@inline function exactP(angle: f64): f64 { return fromRoot(radiusP * Math.cos(angle)); }
@inline function exactQ(angle: f64): f64 { return fromRoot(radiusQ * Math.sin(angle)); }

// ---- gates ---------------------------------------------------------------------------------------------

/** Of the run [s]. */
@inline function length(): f64 { return parameterF64(48) - parameterF64(88); }
@inline function ofRun(offset: usize): f64 { return load<f64>(parameters() + RUN + offset); }
@inline function ofRow(i: i32, offset: usize): f64 { return load<f64>(parameters() + ROWS + (<usize>i << 4) + offset); }
@inline function preyOf(p: f64): f64 { return gamma / parameterF64(16) * Math.exp(p); }
@inline function predatorsOf(q: f64): f64 { return alpha / parameterF64(8) * Math.exp(q); }
@inline function share(error: f64, scale: f64): f64 { return error == 0.0 ? 0.0 : error / scale; }

function judge(): void {
  const returns = ofRun(24), quantity = <i32>parameterF64(72), t = parameterF64(48);
  const cyclic = returns > 0.0 || (E > 0.0 && t >= 1.001 * period);
  if (quantity == 2 && !cyclic) { show(0, t); show(1, E > 0.0 ? period : 0.0); fail(Status.INVALID_INPUT); return; }
  openVerdict(cyclic ? 7 : 4, SCALARS + 3 * COUNT + DIAGNOSTICS);
  const x = preyOf(ofRun(0)), y = predatorsOf(ofRun(8));
  const drift = conservation();
  const angle = angleAt(t);
  gate(1, Kind.EXACT, x, preyOf(exactP(angle)), relativeError(x, preyOf(exactP(angle))));
  gate(2, Kind.EXACT, y, predatorsOf(exactQ(angle)), relativeError(y, predatorsOf(exactQ(angle))));
  rowsGate();
  const found = returns > 0.0 ? ofRun(32) / returns : 0.0;
  if (cyclic) cycleGates(found);
  writeScalars(x, y, drift, returns, found);
  writeDiagnostics();
  closeVerdict(quantity == 0 ? x : quantity == 1 ? y : found);
}

/** V − V_min, which every step of the run has watched, and its end once more from the equation. */
function conservation(): f64 {
  const last = energy(ofRun(0), ofRun(8));
  const drift = share(max(ofRun(16), abs(last - E)), E);
  gate(0, Kind.INVARIANT, last, E, drift);
  return drift;
}

/** Every row beside the orbit at its time; x and y go to the extras. The worst of them is the gate. */
function rowsGate(): void {
  const times = extras() + SCALARS * 8, xs = times + COLUMN, ys = xs + COLUMN;
  let worst = 0.0, measured = preyOf(ofRow(0, 0)), reference = measured;
  for (let i = 0; i < COUNT; i++) {
    const at = <usize>i << 3, t = timeOfRow(parameterF64(88), parameterF64(48), i, 256), angle = angleAt(t);
    const x = preyOf(ofRow(i, 0)), y = predatorsOf(ofRow(i, 8));
    store<f64>(times + at, parameterF64(64) + t);
    store<f64>(xs + at, x);
    store<f64>(ys + at, y);
    const errorX = relativeError(x, preyOf(exactP(angle))), errorY = relativeError(y, predatorsOf(exactQ(angle)));
    if (!(errorX <= worst)) { worst = errorX; measured = x; reference = preyOf(exactP(angle)); }
    if (!(errorY <= worst)) { worst = errorY; measured = y; reference = predatorsOf(exactQ(angle)); }
  }
  gate(3, Kind.EXACT, measured, reference, worst);
}

function cycleGates(found: f64): void {
  gate(4, Kind.EXACT, found, period, relativeError(found, period));
  gate(5, Kind.EXACT, preyOf(0.0) * ofRun(40), preyOf(0.0), relativeError(ofRun(40), 1.0));
  gate(6, Kind.EXACT, predatorsOf(0.0) * ofRun(48), predatorsOf(0.0), relativeError(ofRun(48), 1.0));
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeScalars(x: f64, y: f64, drift: f64, returns: f64, found: f64): void {
  const at = extras();
  store<f64>(at, x);
  store<f64>(at, y, 8);
  store<f64>(at, 100.0 * drift, 16);
  store<f64>(at, returns, 24);
  store<f64>(at, found, 32);
  store<f64>(at, period, 40);
  store<f64>(at, preyOf(0.0) * ofRun(40), 48);
  store<f64>(at, predatorsOf(0.0) * ofRun(48), 56);
  store<f64>(at, 256.0 * parameterF64(56), 64);
  store<f64>(at, length() / (256.0 * parameterF64(56)), 72);
}

/** Of x(t), in the solver's own terms: damping ẋ, selfInteraction (βy − α) x; ẋ by central differences of the rows. */
function writeDiagnostics(): void {
  const xs = extras() + SCALARS * 8 + COLUMN, ys = xs + COLUMN, block = ys + COLUMN;
  const rate = scratch, reaction = rate + COLUMN, rest = reaction + COLUMN, step = length() / 256.0;
  let gain = 0.0;
  for (let i = 0; i < COUNT; i++) {
    const at = <usize>i << 3, x = xs + at, ends = i == 0 || i == COUNT - 1;
    store<f64>(reaction + at, load<f64>(x) * (parameterF64(8) * load<f64>(ys + at) - alpha));
    gain -= load<f64>(reaction + at) * (ends ? 0.5 * step : step);
    if (!ends) store<f64>(rate + at, (load<f64>(x, 8) - load<f64>(x - 8)) / (2.0 * step));
  }
  const change = load<f64>(ys - 8) - load<f64>(xs);
  writeTerms(block, 1, xs, COUNT, 0, rate, 0, 0, reaction, 0, rest);
  writeBalance(block, change, gain, abs(change - gain));
  writeReflection(block, xs, COUNT, rest + COLUMN);
  writeBand(block, xs, COUNT, rest + COLUMN);
}
