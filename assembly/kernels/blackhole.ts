// Schwarzschild's black hole, with lengths in GM/c² and w = 1/r:
//
//   (dw/dφ)² = (E² − 1)/l² + 2w/l² − w² + 2w³   (matter),   1/b² − w² + 2w³   (light)
//
// so w'' + w = 1/l² + 3w² or 3w² (Misner, Thorne & Wheeler, Gravitation, §25.5 and 25.6). Angles are quadratures
// (assembly/blackhole/angles.ts), turning points are roots by Newton's method, and the orbit itself is integrated from
// its periapsis by Gauss–Radau of order 15 (assembly/blackhole/radau.ts). Radii are found as what they are: the zero of
// 1 − 2/r, the largest (1 − 2/r)/r² of light, the circular orbit of least angular momentum; the frequency is dφ/dt of a
// circular orbit with its own E and l.
//
// Parameters (f64):
//   0 mode: 0 horizon, 1 photon sphere, 2 shadow, 3 innermost stable orbit, 4 deflection, 5 precession, 6 orbit, 7 frequency
//   8 M [kg] · 16 b [m], a [m], E or r [m] · 24 e or L [m²/s] · 32 of orbit: 0 advance, 1 periapsis, 2 apoapsis
// State body (f64):  0 w · 8 w' · 16 value · 24 angle of the rows [rad] · 32 w at the periapsis · 40 w at the apoapsis
//   48 1/l² · 56 angle in excess of 2π or π [rad]
// Rows of modes 4 to 6 (f64), 257 at equal angles from the periapsis on, over a period, or 0.96 of a ray's half:  0 w
// Step = a step of the orbit, or all of it where there is none.
// Result (f64):  0 value [m, rad or Hz] · 8 GM/c² [m] · 16 … 56 those of the state · 64 w · 72 w' in the end

import {
  appendRow, countStep, fail, finish, openResult, openRows, openState, parameterF64, restoreState, running, show, spend,
  stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { lightExcess, orbitExcess } from "../blackhole/angles";
import { radauStep } from "../blackhole/radau";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

/** CODATA 2022. */
const G: f64 = 6.67430e-11;
const C: f64 = 299792458.0;
const BODY: usize = 64;
const INTERVALS: u64 = 256;
const RAY_SHARE: f64 = 0.96;
/** Work units: a step of the orbit; quadrature and roots. */
const UNITS: u64 = 100;
const ONCE: u64 = 50000;

let body: usize = 0;
let mode: i32 = 0;
let radius: f64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function hasOrbit(): bool { return mode >= 4 && mode <= 6; }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  mode = <i32>parameterF64(0);
  radius = G * parameterF64(8) / (C * C);
  body = openState(BODY);
  watchFinite(body, <i32>(BODY >> 3));
  openRows(<i32>(INTERVALS + 1) * 8);
}

export function start(_budget: i32): i32 {
  prepare();
  spend(ONCE);
  if (mode == 4) layRay(parameterF64(16) / radius);
  else if (mode == 5) layOrbit(parameterF64(16) * (1.0 - parameterF64(24)) * (1.0 + parameterF64(24)) / radius, parameterF64(24));
  else if (mode == 6) findOrbit(parameterF64(16), parameterF64(24) / (radius * C));
  else setField(16, mode == 7 ? frequency(parameterF64(16) / radius) : special());
  if (hasOrbit()) { setField(0, field(32)); store<f64>(appendRow(8), field(0)); }
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- radii and frequency -------------------------------------------------------------------------------

/** Newton's method on the derivative of what has its extremum there. */
function special(): f64 {
  let r = mode == 0 ? 1.5 : mode == 3 ? 5.0 : 2.5;
  for (let i = 0; i < 60; i++) {
    let value = 1.0 - 2.0 / r, slope = 2.0 / (r * r);
    if (mode == 1 || mode == 2) {
      value = (6.0 / r - 2.0) / (r * r * r);
      slope = (6.0 - 24.0 / r) / (r * r * r * r);
    } else if (mode == 3) {
      value = r * (r - 6.0) / ((r - 3.0) * (r - 3.0));
      slope = 18.0 / ((r - 3.0) * (r - 3.0) * (r - 3.0));
    }
    const step = value / slope;
    r -= step;
    if (abs(step) <= 1e-16 * r) break;
  }
  return radius * (mode == 2 ? r / sqrt(1.0 - 2.0 / r) : r);
}

/** [Hz] of the time of a far observer: dφ/dt = (1 − 2/r) l/(r²E). */
function frequency(r: f64): f64 {
  const root = sqrt(1.0 - 3.0 / r), E = (1.0 - 2.0 / r) / root, l = sqrt(r) / root;
  return (1.0 - 2.0 / r) * l / (r * r * E) * C / radius / (2.0 * Math.PI);
}

// ---- orbits --------------------------------------------------------------------------------------------

/** Turning point of a ray: the middle root of 2w³ − w² + 1/b² from below, where it falls. */
function layRay(b: f64): void {
  let w = 1.0 / b;
  for (let i = 0; i < 200; i++) {
    const step = (2.0 * w * w * w - w * w + 1.0 / (b * b)) / (6.0 * w * w - 2.0 * w);
    w -= step;
    if (!(abs(step) > 1e-16 * w)) break;
  }
  const excess = lightExcess(w);
  setField(16, excess);
  setField(24, RAY_SHARE * 0.5 * (Math.PI + excess));
  setField(32, w);
  setField(56, excess);
}

/** Orbit with semi-latus rectum p and eccentricity e; l² = p²/(p − 3 − e²). */
function layOrbit(p: f64, e: f64): void {
  const excess = orbitExcess(p, e);
  setField(16, excess);
  setField(24, 2.0 * Math.PI + excess);
  setField(32, (1.0 + e) / p);
  setField(40, (1.0 - e) / p);
  setField(48, (p - 3.0 - e * e) / (p * p));
  setField(56, excess);
}

/**
 * Apses of an orbit with energy E and angular momentum l: the lowest root from below, and the one of the rest. Where rounding has
 * put E below the energy of the circular orbit, 1 − E² = w(1 − 4w)/(1 − 3w), it is that.
 */
function findOrbit(E: f64, l: f64): void {
  const pull = 1.0 / (l * l), constant = (E - 1.0) * (E + 1.0) * pull;
  const round = 2.0 * pull / (1.0 + sqrt(1.0 - 12.0 * pull)), isRound = (1.0 - E) * (1.0 + E) >= round * (1.0 - 4.0 * round) / (1.0 - 3.0 * round);
  let low = 0.0;
  for (let i = 0; i < 200; i++) {
    const value = ((2.0 * low - 1.0) * low + 2.0 * pull) * low + constant, slope = (6.0 * low - 2.0) * low + 2.0 * pull;
    const step = value / slope;
    low -= step;
    if (!(abs(step) > 1e-16 * low)) break;
  }
  const sum = 0.5 - low, product = pull - low * sum;
  let high = 2.0 * product / (sum + sqrt(max(0.0, sum * sum - 4.0 * product)));
  if (isRound) { low = round; high = round; }
  layOrbit(2.0 / (low + high), max(0.0, high - low) / (high + low));
  // Of a long orbit (1 − e)/p has lost its digits.
  setField(32, high);
  setField(40, low);
  setField(48, pull);
  const quantity = <i32>parameterF64(32);
  if (quantity > 0) setField(16, radius / (quantity == 1 ? high : low));
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const stop = work() + <u64>budget;
  let left = allowed;
  while (left > 0 && running() && work() < stop) {
    countStep();
    left--;
    if (!hasOrbit()) { conclude(); break; }
    spend(UNITS);
    radauStep(body, field(24) / <f64>INTERVALS, field(48));
    store<f64>(appendRow(8), field(0));
    if (stepsDone() == INTERVALS) conclude();
  }
  show(0, field(0));
  return allowed - left;
}

function conclude(): void {
  const out = openResult(80);
  store<f64>(out, field(16));
  store<f64>(out, radius, 8);
  memory.copy(out + 16, body + 16, 48);
  store<f64>(out, field(0), 64);
  store<f64>(out, field(8), 72);
  if (!(radius > 0.0)) fail(Status.NON_FINITE);
  finish();
}
