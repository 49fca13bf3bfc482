// One level of RK4 on the master equation
//
//   order 2:  m ẍ + c ẋ + k x + β x³ = F cos Ωt + b          order 1:  c ẏ + k y + β y³ = F cos Ωt + b
//
// from t₀ to t_end in N equal steps (classical Runge–Kutta: Hairer, Nørsett & Wanner, Solving ODE I, table 1.2),
// then on over one pulse of 0.777000777 s by the same scheme, for the mean by Simpson's rule. x and v are summed
// with carries (Kahan). The energy of an undamped, unforced oscillator is watched at every step.
//
// Parameters (f64):
//   0 order · 8 m · 16 c · 24 k · 32 β · 40 F · 48 Ω · 56 b · 64 x₀ · 72 v₀ · 80 t₀ · 88 t_end
//   96 N · 104 steps between two samples · 112 steps of the pulse (even; 0: no mean) · 120 limit of |x|, 0: none
//   128 earlier levels given (0, 1, 2) · 136 a run goes on (1): x₀, v₀, t₀ are then those of the first start
//   144 step of the first sample (a new level of a job that goes on has its samples where the others have theirs)
//   152 … the first 16 bytes (x, v) of the earlier levels' results, the coarser first, then the state to go on from
// State body (f64):
//   0 x · 8 v · 16, 24 carries · 32 max|x| · 40 max|v| · 48 max|E−E₀| · 56 Simpson sum · 64 the pulse was left (1)
//   72 x(t_end) · 80 v(t_end) · 88 max|x| of the pulse · 96 257 samples of x · 2152 257 samples of v
//   4208, 4216 carries at t_end
// Result (f64):
//   0 x · 8 v · 16 energy drift · 24 E · 32 mean over the pulse · 40 it is there (1) · 48 max|x| · 56 max|v|
//   64 e_x · 72 e_v · 80 estimate · 88 converged (1) · 96 N · 104 h · 112 E₀ · 120 samples n · 128 max|x| of the pulse
//   136 reserved · 144 … n times, n x, n v, then the state to go on from
// State to go on from (f64), as it was at t_end:
//   0 N · 8 h · 16 x · 24 v · 32, 40 carries · 48 max|x| · 56 max|v| · 64 max|E−E₀|
//
// A run that goes on takes N, h and state of the one before, and gives to the bit what one run to the same end gives;
// only the samples are those of its own steps.
//
// At order 1, x is y and v is ẏ; then no energy.

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  parameters, parameterF64, openState, watchFinite, restoreState, openResult, show, running, fail, finish, spend, stepsDone,
  countSteps, isFiniteF64,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { estimateOfLevels, differenceOfLevels } from "../math/richardson";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const SAMPLES: i32 = 257;
const PULSE: f64 = 0.777000777;
const TOLERANCE: f64 = 1e-3;
// Work units of a step, and of its two cosines when there is a force. Order 1 is one longer chain of operations.
const UNITS: u64 = 23;
const UNITS_FIRST_ORDER: u64 = 42;
const UNITS_FORCE: u64 = 20;
const BODY: usize = 112 + 2 * 257 * 8;
const CARRIES: usize = 96 + 2 * 257 * 8;
const SERIES: usize = 144;
const CONTINUATION_BYTES: usize = 72;

// Constants of the equation, per mass (order 2) or per c (order 1), set by `prepare` from the parameters.
let body: usize = 0;
let order: i32 = 2;
let damping: f64 = 0, stiffness: f64 = 0, cubic: f64 = 0, force: f64 = 0, omega: f64 = 0, constant: f64 = 0;
let startTime: f64 = 0, endTime: f64 = 0;
let firstSample: u64 = 0, steps: u64 = 0, stride: u64 = 0, pulseSteps: u64 = 0;
let h: f64 = 0, pulseH: f64 = 0, limit: f64 = 0, firstEnergy: f64 = 0;
let unitsPerStep: u64 = 0;

function prepare(): void {
  order = <i32>parameterF64(0);
  const inertia = order == 2 ? parameterF64(8) : parameterF64(16);
  damping = order == 2 ? parameterF64(16) / inertia : 0.0;
  stiffness = parameterF64(24) / inertia;
  cubic = parameterF64(32) / inertia;
  force = parameterF64(40) / inertia;
  omega = parameterF64(48);
  constant = parameterF64(56) / inertia;
  startTime = parameterF64(80);
  endTime = parameterF64(88);
  steps = <u64>parameterF64(96);
  stride = <u64>parameterF64(104);
  pulseSteps = <u64>parameterF64(112);
  limit = parameterF64(120);
  h = (endTime - startTime) / <f64>steps;
  if (goesOn()) h = load<f64>(before(), 8);
  firstSample = <u64>parameterF64(144);
  pulseH = pulseSteps ? PULSE / <f64>pulseSteps : 0.0;
  unitsPerStep = (order == 2 ? UNITS : UNITS_FIRST_ORDER) + (force != 0.0 ? UNITS_FORCE : 0);
  firstEnergy = energy(parameterF64(64), parameterF64(72));
  body = openState(BODY);
  watchFinite(body, 12 + 2 * SAMPLES);
}

@inline function goesOn(): bool { return parameterF64(136) != 0; }
/** The state to go on from. */
function before(): usize { return parameters() + 152 + (<usize>parameterF64(128) << 4); }

export function start(budget: i32): i32 {
  prepare();
  if (goesOn()) { goOn(); return 1; }
  const x = parameterF64(64);
  const v = order == 2 ? parameterF64(72) : slope(x, startTime);
  store<f64>(body, x);
  store<f64>(body, v, 8);
  store<f64>(body, abs(x), 32);
  store<f64>(body, abs(v), 40);
  if (firstSample == 0) sample(0, x, v);
  return 1;
}

function goOn(): void {
  memory.copy(body, before() + 16, 32);
  memory.copy(body + 32, before() + 48, 24);
  countSteps(<u64>load<f64>(before()));
  sample(0, load<f64>(body), load<f64>(body, 8));
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(budget: i32): i32 { return 1; }

// ---- the equation --------------------------------------------------------------------------------------

/** Force minus springs and damper: ẍ at order 2. */
@inline function acceleration(x: f64, v: f64, drive: f64): f64 {
  return drive - damping * v - x * (stiffness + cubic * (x * x));
}

@inline function drive(t: f64): f64 {
  return force != 0.0 ? constant + force * Math.cos(omega * t) : constant;
}

/** ẏ at order 1. */
function slope(y: f64, t: f64): f64 { return drive(t) - y * (stiffness + cubic * (y * y)); }

/** Energy per mass. */
@inline function energy(x: f64, v: f64): f64 {
  const xx = x * x;
  return 0.5 * (v * v) + 0.5 * xx * (stiffness + 0.5 * cubic * xx) - constant * x;
}

// ---- steps ---------------------------------------------------------------------------------------------

/** Acceleration, `bool` without a damper; the products side by side, for what waits for x here is what a step takes. */
@inline function rate<Damper>(x: f64, v: f64, k: f64, b: f64, g: f64, c: f64): f64 {
  const rest = (g - k * x) - (b * x) * (x * x);
  return isBoolean<Damper>() ? rest : rest - c * v;
}

/**
 * `count` steps of size `step`. The hot loop of order 2: one chain of operations, each of which waits for the last. So
 * what is known early is summed early: from x to the next x it is 17 operations, 22 in the order of the textbook, and 15
 * without a damper (`bool`). Half and a sixth of the step come from outside: the engine would move their making into the
 * loop, with its division, to have fewer registers to keep; the largest values, which nothing waits for, stay in memory.
 */
function integrate<Damper>(count: u64, step: f64, half: f64, sixth: f64): void {
  const c = damping, k = stiffness, b = cubic, e0 = firstEnergy, g = constant;
  let x = load<f64>(body), v = load<f64>(body, 8), carryX = load<f64>(body, 16), carryV = load<f64>(body, 24);
  const most = body + 32;
  for (let i: u64 = 0; i < count; i++) {
    const a1 = rate<Damper>(x, v, k, b, g, c);
    const x2 = x + half * v, v2 = v + half * a1;
    const a2 = rate<Damper>(x2, v2, k, b, g, c);
    const x3 = x + half * v2, v3 = v + half * a2;
    const a3 = rate<Damper>(x3, v3, k, b, g, c);
    const x4 = x + step * v3, v4 = v + step * a3;
    const a4 = rate<Damper>(x4, v4, k, b, g, c);
    const dx = (sixth * (v + 2.0 * (v2 + v3)) + carryX) + sixth * v4;
    const dv = (sixth * (a1 + 2.0 * (a2 + a3)) + carryV) + sixth * a4;
    const nextX = x + dx, nextV = v + dv;
    carryX = dx - (nextX - x);
    carryV = dv - (nextV - v);
    x = nextX;
    v = nextV;
    const xx = x * x;
    const ax = abs(x), av = abs(v);
    const drift = abs(0.5 * (v * v) + 0.5 * xx * (k + 0.5 * b * xx) - g * x - e0);
    if (ax > load<f64>(most)) store<f64>(most, ax);
    if (av > load<f64>(most, 8)) store<f64>(most, av, 8);
    if (drift > load<f64>(most, 16)) store<f64>(most, drift, 16);
  }
  store<f64>(body, x); store<f64>(body, v, 8); store<f64>(body, carryX, 16); store<f64>(body, carryV, 24);
}

/** The same with a force that depends on time; the cosine at a step's end is the next one's first. */
function integrateForced(first: u64, count: u64, origin: f64, step: f64): void {
  const half = 0.5 * step, sixth = step / 6.0;
  let x = load<f64>(body), v = load<f64>(body, 8), carryX = load<f64>(body, 16), carryV = load<f64>(body, 24);
  let maxX = load<f64>(body, 32), maxV = load<f64>(body, 40);
  let now = drive(origin + <f64>first * step);
  for (let i = first; i < first + count; i++) {
    const middle = drive(origin + (<f64>i + 0.5) * step);
    const next = drive(origin + <f64>(i + 1) * step);
    const a1 = acceleration(x, v, now);
    const x2 = x + half * v, v2 = v + half * a1;
    const a2 = acceleration(x2, v2, middle);
    const x3 = x + half * v2, v3 = v + half * a2;
    const a3 = acceleration(x3, v3, middle);
    const x4 = x + step * v3, v4 = v + step * a3;
    const a4 = acceleration(x4, v4, next);
    const dx = sixth * ((v + v4) + 2.0 * (v2 + v3)) + carryX;
    const dv = sixth * ((a1 + a4) + 2.0 * (a2 + a3)) + carryV;
    const nextX = x + dx, nextV = v + dv;
    carryX = dx - (nextX - x);
    carryV = dv - (nextV - v);
    x = nextX;
    v = nextV;
    now = next;
    const ax = abs(x), av = abs(v);
    if (ax > maxX) maxX = ax;
    if (av > maxV) maxV = av;
  }
  store<f64>(body, x); store<f64>(body, v, 8); store<f64>(body, carryX, 16); store<f64>(body, carryV, 24);
  store<f64>(body, maxX, 32); store<f64>(body, maxV, 40);
}

/** Order 1: ẏ = drive(t) − y (k + β y²), all per c. */
function integrateFirstOrder(first: u64, count: u64, origin: f64, step: f64): void {
  const half = 0.5 * step, sixth = step / 6.0;
  let y = load<f64>(body), rate = load<f64>(body, 8), carry = load<f64>(body, 16);
  let maxY = load<f64>(body, 32), maxRate = load<f64>(body, 40);
  let now = drive(origin + <f64>first * step);
  for (let i = first; i < first + count; i++) {
    const middle = drive(origin + (<f64>i + 0.5) * step);
    const next = drive(origin + <f64>(i + 1) * step);
    const k1 = acceleration(y, 0.0, now);
    const k2 = acceleration(y + half * k1, 0.0, middle);
    const k3 = acceleration(y + half * k2, 0.0, middle);
    const k4 = acceleration(y + step * k3, 0.0, next);
    const dy = sixth * ((k1 + k4) + 2.0 * (k2 + k3)) + carry;
    const nextY = y + dy;
    carry = dy - (nextY - y);
    y = nextY;
    now = next;
    rate = acceleration(y, 0.0, now);
    const ay = abs(y), ar = abs(rate);
    if (ay > maxY) maxY = ay;
    if (ar > maxRate) maxRate = ar;
  }
  store<f64>(body, y); store<f64>(body, rate, 8); store<f64>(body, carry, 16);
  store<f64>(body, maxY, 32); store<f64>(body, maxRate, 40);
}

function take(first: u64, count: u64, origin: f64, step: f64): void {
  if (order == 1) integrateFirstOrder(first, count, origin, step);
  else if (force != 0.0) integrateForced(first, count, origin, step);
  else if (damping != 0.0) integrate<f64>(count, step, 0.5 * step, step / 6.0);
  else integrate<bool>(count, step, 0.5 * step, step / 6.0);
  countSteps(count);
  spend(count * unitsPerStep);
}

export function advance(allowed: i32, budget: i32): i32 {
  let left = <u64>allowed;
  const end = work() + <u64>budget;
  while (left > 0 && running() && work() < end) {
    const done = stepsDone();
    const affordable = (end - work()) / unitsPerStep + 1;
    if (done < steps) {
      const count = min(min(left, affordable), min(untilSample(done), steps - done));
      take(done, count, startTime, h);
      left -= count;
      reach(done + count);
    } else {
      pulseStep(done - steps);
      left--;
    }
  }
  show(0, load<f64>(body));
  show(1, load<f64>(body, 8));
  return allowed - <i32>left;
}

@inline function untilSample(done: u64): u64 {
  return done < firstSample ? firstSample - done : stride - (done - firstSample) % stride;
}

/** What is due when `done` steps of the first phase are taken. */
function reach(done: u64): void {
  if (done >= firstSample && (done - firstSample) % stride == 0) {
    const x = load<f64>(body);
    if (limit > 0.0 && !(load<f64>(body, 32) <= limit)) {
      show(2, startTime + <f64>(done > firstSample ? done - stride : <u64>0) * h);
      fail(Status.DID_NOT_CONVERGE);
      return;
    }
    sample(<i32>((done - firstSample) / stride), x, load<f64>(body, 8));
  }
  if (done == steps) closeMotion();
}

function sample(index: i32, x: f64, v: f64): void {
  store<f64>(body + 96 + (<usize>index << 3), x);
  store<f64>(body + 2152 + (<usize>index << 3), v);
}

function closeMotion(): void {
  const x = load<f64>(body), v = load<f64>(body, 8);
  if (!isFiniteF64(x) || !isFiniteF64(v)) { fail(Status.NON_FINITE); return; }
  store<f64>(body, x, 72);
  store<f64>(body, v, 80);
  memory.copy(body + CARRIES, body + 16, 16);
  if (pulseSteps == 0) { conclude(); return; }
  store<f64>(body, x, 56);
  store<f64>(body, abs(x), 88);
}

// ---- the pulse -----------------------------------------------------------------------------------------

/** Step `index` of the pulse: weights 1 4 2 4 … 4 1. A motion that escapes ends the pulse, not the run. */
function pulseStep(index: u64): void {
  const drift = load<f64>(body, 48), maxX = load<f64>(body, 32), maxV = load<f64>(body, 40);
  take(index, 1, endTime, pulseH);
  store<f64>(body, drift, 48); store<f64>(body, maxX, 32); store<f64>(body, maxV, 40);
  const x = load<f64>(body);
  if (!isFiniteF64(x) || !isFiniteF64(load<f64>(body, 8)) || (limit > 0.0 && !(abs(x) <= limit))) {
    store<f64>(body, load<f64>(body, 72)); store<f64>(body, load<f64>(body, 80), 8);
    store<f64>(body, 0.0, 16); store<f64>(body, 0.0, 24);
    store<f64>(body, 1.0, 64);
    conclude();
    return;
  }
  const last = index + 1 == pulseSteps;
  const weight = last ? 1.0 : index & 1 ? 2.0 : 4.0;
  store<f64>(body, load<f64>(body, 56) + weight * x, 56);
  store<f64>(body, max(load<f64>(body, 88), abs(x)), 88);
  if (last) conclude();
}

// ---- result --------------------------------------------------------------------------------------------

function conclude(): void {
  const count = <usize>((steps - firstSample) / stride) + 1, bytes = count << 3;
  const at = openResult(<i32>(SERIES + 3 * bytes + CONTINUATION_BYTES));
  const x = load<f64>(body, 72), v = load<f64>(body, 80);
  const maxX = load<f64>(body, 32), maxV = load<f64>(body, 40);
  const mass = order == 2 ? parameterF64(8) : 0.0;
  store<f64>(at, x);
  store<f64>(at, v, 8);
  store<f64>(at, relativeDrift(), 16);
  store<f64>(at, mass * energy(x, v), 24);
  const mean = pulseSteps != 0 && load<f64>(body, 64) == 0.0;
  store<f64>(at, mean ? load<f64>(body, 56) / (3.0 * <f64>pulseSteps) : 0.0, 32);
  store<f64>(at, mean ? 1.0 : 0.0, 40);
  store<f64>(at, maxX, 48);
  store<f64>(at, maxV, 56);
  compareLevels(at, x, v, maxX, maxV);
  store<f64>(at, <f64>steps, 96);
  store<f64>(at, h, 104);
  store<f64>(at, mass * firstEnergy, 112);
  store<f64>(at, <f64>count, 120);
  store<f64>(at, load<f64>(body, 88), 128);
  const times = at + SERIES;
  for (let i: usize = 0; i < count; i++) store<f64>(times + (i << 3), startTime + <f64>(firstSample + <u64>i * stride) * h);
  memory.copy(times + bytes, body + 96, bytes);
  memory.copy(times + 2 * bytes, body + 2152, bytes);
  keepContinuation(times + 3 * bytes, x, v);
  finish();
}

function keepContinuation(at: usize, x: f64, v: f64): void {
  store<f64>(at, <f64>steps);
  store<f64>(at, h, 8);
  store<f64>(at, x, 16);
  store<f64>(at, v, 24);
  memory.copy(at + 32, body + CARRIES, 16);
  memory.copy(at + 48, body + 32, 24);
}

/** max|E−E₀| / max(|E₀|, 0.1 (K₀+|U₀|)); 0 at order 1, with damping or with a force that changes. */
function relativeDrift(): f64 {
  const drift = load<f64>(body, 48);
  if (order == 1 || damping != 0.0 || force != 0.0 || drift == 0.0) return 0.0;
  const kinetic = 0.5 * parameterF64(72) * parameterF64(72);
  const start = max(abs(firstEnergy), 0.1 * (kinetic + abs(firstEnergy - kinetic)));
  // At rest where the potential is 0, and pushed by b: there is no energy but that of the motion.
  const most = 0.5 * load<f64>(body, 40) * load<f64>(body, 40);
  return drift / (start < 1e-12 * most ? most : start);
}

/** Against the coarser levels, when they are given: the differences, the estimate, and whether all are in bound. */
function compareLevels(at: usize, x: f64, v: f64, maxX: f64, maxV: f64): void {
  const earlier = <i32>parameterF64(128);
  if (earlier == 0) return;
  const x2 = parameterF64(152 + (<usize>(earlier - 1) << 4));
  const v2 = parameterF64(160 + (<usize>(earlier - 1) << 4));
  const ex = differenceOfLevels(x, x2, 15.0, abs(x), maxX);
  const ev = differenceOfLevels(v, v2, 15.0, maxV, maxV);
  const scale = max(abs(x), 1e-3 * maxX);
  const estimate = earlier == 1
    ? 3.0 * differenceOfLevels(x, x2, 1.0, scale, maxX)
    : estimateOfLevels(x, x2, parameterF64(152), 4.0, scale);
  store<f64>(at, ex, 64);
  store<f64>(at, ev, 72);
  store<f64>(at, estimate, 80);
  store<f64>(at, max(max(ex, ev), estimate) <= TOLERANCE ? 1.0 : 0.0, 88);
}
