// Verdict of `react`: three grids, travelling fronts that are known in closed form, a mode on a uniform state whose
// growth is that of the Jacobian, and the balance of what reacts. It shares nothing with the kernel's steps; a reaction
// of the caller's own and its Jacobian are read by the pass that derivatives come from.
//
// Parameters (f64): 0 … 335 those of the run on the finest grid (assembly/react/problem.ts)
//   336 closed form: 1 the front · 344 time since the start [s] · 352 t₀ [s] · 360 rows of each run
//   368 value: 0 mean, 1 at the probe, 2 speed, 3 wavelength · 376 component: 0 u, 1 v · 384 steps of the twin
//   392, 400 its uniform u, v · 408, 416 its k [1/m] · 424 modes of the spectrum
//   432 the start's arrays, if it has them · result and rows (48 bytes each) at h, 2h, 4h · the twin's result
// Extras (f64): 0, 1, 2 the value at h, 2h, 4h · 3 observed order · 4 extrapolated · 5 its closed form, 0: none
//   6, 7 means of u, v at the end · 8, 9 at the start · 10 least concentration · 11 steps · 12 dt
//   13 both sides of the balance, 14 · 15 largest u · 16 fastest rate · 17 where the front is at the end [m], −1: nowhere
//   18 x (nx+1) · u along the profile (nx+1) · t, ⟨u⟩, ⟨v⟩, u at the probe, front, each of the rows
//   · k [rad/m], power, each of the modes · diagnostics of the profile (40)
//
// Gates: 0 value · 1 field · 2 three grids · 3 twin · 4 balance · 5 the start · 6 between what the grid meets · 7 one mode.

import { allocate, countStep, fail, openState, parameterF64, parameters, parametersLength, restoreState, spend } from "../kernel/frame";
import { openPrograms, partialOf, plainValue, plainWork, programCount, setValue } from "../expression/program";
import { ALLOWED, addAxis, clearAxes, hiddenShareBeside, openResolution, resolutionWork } from "../expression/resolved";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";
import { besideAt, judgeBeside, judgeLevels, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ARRAYS: usize = 432;
const RESULT_HEAD: usize = 96;
const ROW: usize = 48;
const SCALARS: i32 = 18;
const MEAN: i32 = 0, VALUE: i32 = 1, SPEED: i32 = 2, WAVELENGTH: i32 = 3;
const GRAY_SCOTT: i32 = 0, FISHER: i32 = 1, NAGUMO: i32 = 2, BRUSSELATOR: i32 = 3, OWN: i32 = 4;

let nx: i32 = 0, ny: i32 = 0, model: i32 = 0, species: i32 = 0, rows: i32 = 0, quantity: i32 = 0, part: i32 = 0, modes: i32 = 0;
let Lx: f64 = 0, Ly: f64 = 0, p: f64 = 0, q: f64 = 0, t: f64 = 0, dt: f64 = 0;
let startAt: usize = 0, twin: usize = 0, scratch: usize = 0, power: usize = 0;
let results: StaticArray<usize> = [0, 0, 0];
let series: StaticArray<usize> = [0, 0, 0];

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

@inline function columns(factor: i32): i32 { return nx / factor + 1; }
@inline function lines(factor: i32): i32 { return ny / factor + 1; }
@inline function fieldBytes(factor: i32): usize { return <usize>(columns(factor) * lines(factor)) << 3; }
@inline function fieldsOf(result: usize, factor: i32): usize { return result + RESULT_HEAD + 5 * (<usize>columns(factor) << 3); }
@inline function resultBytes(factor: i32): usize {
  return RESULT_HEAD + 5 * (<usize>columns(factor) << 3) + <usize>species * fieldBytes(factor);
}

function layOut(): void {
  openState(0);
  nx = <i32>parameterF64(0); ny = <i32>parameterF64(8); Lx = parameterF64(16); Ly = parameterF64(24);
  model = <i32>parameterF64(32); species = model == GRAY_SCOTT || model == BRUSSELATOR || (model == OWN && parameterF64(56) == 2.0) ? 2 : 1;
  p = parameterF64(56); q = parameterF64(64); dt = parameterF64(72); t = parameterF64(344);
  rows = <i32>parameterF64(360); quantity = <i32>parameterF64(368); part = <i32>parameterF64(376); modes = <i32>parameterF64(424);
  startAt = parameterF64(224) == 1.0 ? parameters() + ARRAYS : 0;
  let at = parameters() + ARRAYS + (startAt ? <usize>species * fieldBytes(1) : 0);
  for (let level = 0; level < 3; level++) {
    results[level] = at;
    series[level] = at + resultBytes(1 << level);
    at = series[level] + ROW * <usize>rows;
  }
  twin = at;
  if (model == OWN) openReaction();
  power = allocate(<usize>(3 * modes) << 3);
  scratch = allocate(6 * (<usize>(nx + 1) << 3) + (<usize>diagnosticsScratch(nx + 1) << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(1500000 + 40 * <u64>(nx + 1) * <u64>(ny + 1) + 6 * <u64>modes * <u64>(nx + 1) * <u64>(ny + 1) + enclosureUnits());
  countStep();
  return 1;
}

// ---- reading what the runs gave ----------------------------------------------------------------------------

@inline function node(result: usize, factor: i32, component: i32, i: i32, j: i32): f64 {
  return load<f64>(fieldsOf(result, factor) + <usize>component * fieldBytes(factor) + (<usize>(j * columns(factor) + i) << 3));
}
@inline function ofRow(level: i32, row: i32, offset: usize): f64 { return load<f64>(series[level] + ROW * <usize>row + offset); }

/** Share of a cell that belongs to node i of n cells; `ends` where the axis' lower end stands in the parameters. */
function shareAt(ends: usize, i: i32, n: i32): f64 {
  if (n == 0) return 1.0;
  if (parameterF64(ends) == 2.0) return i == n ? 0.0 : 1.0;
  return i == 0 || i == n ? 0.5 : 1.0;
}

function meanAt(result: usize, factor: i32, component: i32): f64 {
  const n = nx / factor, m = ny / factor;
  let sum = 0.0;
  for (let j = 0; j <= m; j++) {
    let line = 0.0;
    for (let i = 0; i <= n; i++) line += shareAt(96, i, n) * node(result, factor, component, i, j);
    sum += shareAt(160, j, m) * line;
  }
  return sum / (<f64>n * <f64>max(1, m));
}

/** Neville's scheme through four nodes: p(s) of values at 0, 1, 2, 3. */
function neville(s: f64, a: f64, b: f64, c: f64, d: f64): f64 {
  const ab = a + s * (b - a), bc = b + (s - 1.0) * (c - b), cd = c + (s - 2.0) * (d - c);
  const abc = ab + 0.5 * s * (bc - ab), bcd = bc + 0.5 * (s - 1.0) * (cd - bc);
  return abc + s / 3.0 * (bcd - abc);
}

function alongRow(result: usize, factor: i32, i: i32, j: i32, s: f64): f64 {
  return neville(s, node(result, factor, part, i, j), node(result, factor, part, i + 1, j),
    node(result, factor, part, i + 2, j), node(result, factor, part, i + 3, j));
}

function at(result: usize, factor: i32, x: f64, y: f64): f64 {
  const n = nx / factor, m = ny / factor, sx = x / Lx * <f64>n, i = max(0, min(<i32>sx - 1, n - 3));
  if (m == 0) return alongRow(result, factor, i, 0, sx - <f64>i);
  const sy = y / Ly * <f64>m, j = max(0, min(<i32>sy - 1, m - 3));
  return neville(sy - <f64>j, alongRow(result, factor, i, j, sx - <f64>i), alongRow(result, factor, i, j + 1, sx - <f64>i),
    alongRow(result, factor, i, j + 2, sx - <f64>i), alongRow(result, factor, i, j + 3, sx - <f64>i));
}

@inline function atProbe(result: usize, factor: i32): f64 { return at(result, factor, parameterF64(272), parameterF64(280)); }

function judgeSides(scale: f64): void {
  const dx = Lx / <f64>nx, dy = ny > 0 ? Ly / <f64>ny : 0.0;
  for (let k = 0; k < (ny > 0 ? 4 : 2); k++) {
    const x = besideAt(k, parameterF64(272), dx, Lx), y = besideAt(k - 2, parameterF64(280), dy, Ly);
    judgeBeside(at(results[0], 1, x, y), at(results[1], 2, x, y), at(results[2], 4, x, y), 2.0, scale);
  }
}

/** Where the front is at t: a polynomial through the four rows around it, through two where it is not in all of them. */
function frontOf(level: i32, t: f64): f64 {
  let row = 0;
  while (row < rows - 2 && ofRow(level, row + 1, 0) <= t) row++;
  let first = max(0, min(row - 1, rows - 4)), last = min(rows - 1, first + 3);
  for (let k = first; k <= last; k++) if (ofRow(level, k, 40) < 0.0) { first = row; last = row + 1; break; }
  let sum = 0.0;
  for (let k = first; k <= last; k++) {
    let weight = 1.0;
    for (let l = first; l <= last; l++) if (l != k) weight *= (t - ofRow(level, l, 0)) / (ofRow(level, k, 0) - ofRow(level, l, 0));
    if (ofRow(level, k, 40) < 0.0 && weight != 0.0) fail(Status.INVALID_INPUT);
    sum += weight * ofRow(level, k, 40);
  }
  return sum;
}

/** Way of the front over the later half of the run, by its time; no front there: refused. */
function speedOf(level: i32): f64 {
  const end = ofRow(level, rows - 1, 0), half = 0.5 * (ofRow(level, 0, 0) + end), to = ofRow(level, rows - 1, 40);
  if (to < 0.0) fail(Status.INVALID_INPUT);
  return (to - frontOf(level, half)) / (end - half);
}

@inline function isRing(): bool { return parameterF64(96) == 2.0; }
/** k of a mode: whole waves around a ring, half waves between walls. */
@inline function waveNumber(mode: i32): f64 { return (isRing() ? 2.0 : 1.0) * Math.PI * <f64>mode / Lx; }

@inline function powerOf(level: i32, mode: i32): f64 { return load<f64>(power + (<usize>(level * modes + mode - 1) << 3)); }

/** Power of the modes 1 … along x of a grid, summed over the rows; gives the strongest. */
function strongest(level: i32): i32 {
  const result = results[level], factor = 1 << level;
  const n = nx / factor, m = ny / factor;
  let best = 1, most = -1.0;
  for (let mode = 1; mode <= modes; mode++) {
    let sum = 0.0;
    for (let j = 0; j <= m; j++) {
      let c = 0.0, s = 0.0;
      const turn = waveNumber(mode) * Lx / <f64>n, cosine = Math.cos(turn), sine = Math.sin(turn);
      let re = 1.0, im = 0.0;
      for (let i = 0; i <= n; i++) {
        const value = shareAt(96, i, n) * node(result, factor, part, i, j), next = re * cosine - im * sine;
        c += value * re;
        s += value * im;
        im = im * cosine + re * sine;
        re = next;
      }
      sum += shareAt(160, j, m) * (c * c + (isRing() ? s * s : 0.0));
    }
    sum *= 4.0 / (<f64>n * <f64>n * <f64>max(1, m));
    store<f64>(power + (<usize>(level * modes + mode - 1) << 3), sum);
    if (sum > most) { most = sum; best = mode; }
  }
  return best;
}

function valueAt(level: i32): f64 {
  const result = results[level], factor = 1 << level;
  if (quantity == MEAN) return meanAt(result, factor, part);
  if (quantity == VALUE) return atProbe(result, factor);
  if (quantity == SPEED) return speedOf(level);
  return 2.0 * Math.PI / waveNumber(strongest(level));
}

/** Below this part of the largest concentration an amplitude is rounding. */
const AT_REST: f64 = 1e-13;

/** The power of a mode that the three grids extrapolate to, and what they leave of it. */
function judgePower(mode: i32, rest: f64): void {
  const finest = powerOf(0, mode);
  judgeLevels(finest, powerOf(1, mode), powerOf(2, mode), 2.0, 1.0);
  levelError += 2.0 * rest * sqrt(finest) + rest * rest;
}

/** Power of all modes along x that are not listed, which are narrower: the rest of twice the variance (Parseval). */
function powerBeyond(): f64 {
  const fine = results[0];
  let all = 0.0;
  for (let j = 0; j <= ny; j++) {
    let sum = 0.0, squares = 0.0;
    for (let i = 0; i <= nx; i++) sum += shareAt(96, i, nx) * node(fine, 1, part, i, j);
    const mean = sum / <f64>nx;
    for (let i = 0; i <= nx; i++) { const apart = node(fine, 1, part, i, j) - mean; squares += shareAt(96, i, nx) * apart * apart; }
    all += shareAt(160, j, ny) * squares;
  }
  all *= 2.0 / (<f64>nx * <f64>max(1, ny));
  for (let mode = 1; mode <= modes; mode++) all -= powerOf(0, mode);
  return max(0.0, all);
}

/** The grids may all name one mode, and another be stronger: what that may come to, with what the grids leave of both. */
function judgeMode(peak: f64): void {
  const best = strongest(0), rest = AT_REST * peak;
  judgePower(best, rest);
  const most = levelValue, left = levelError;
  let second = 2.0 * powerBeyond();
  for (let mode = 1; mode <= modes; mode++) {
    if (mode == best) continue;
    judgePower(mode, rest);
    second = max(second, levelValue + levelError);
  }
  gate(7, Kind.CERTIFICATE, most, second + left, most > 0.0 ? (second + left) / most : 2.0, 1.0);
}

function largest(component: i32): f64 {
  let most = 0.0;
  for (let j = 0; j <= ny; j++) for (let i = 0; i <= nx; i++) most = max(most, abs(node(results[0], 1, component, i, j)));
  return most;
}

// ---- closed forms ------------------------------------------------------------------------------------------

/** Speed of the front: Ablowitz & Zeppetella 1979; Nagumo: Murray, Mathematical Biology I, §13.4. */
function frontSpeed(): f64 {
  const D = parameterF64(40);
  return model == FISHER ? 5.0 * sqrt(p * D / 6.0) : sqrt(0.5 * D * p) * (1.0 - 2.0 * q);
}

/** What the speed of a front that may stand still is measured by: a thousandth of that for a = 0. */
@inline function standing(): f64 { return model == NAGUMO ? 1e-3 * sqrt(0.5 * parameterF64(40) * p) : 0.0; }

function frontAt(x: f64): f64 {
  const D = parameterF64(40), z = x - parameterF64(232) - frontSpeed() * t;
  if (model == NAGUMO) return 0.5 * (1.0 - Math.tanh(0.5 * z * sqrt(0.5 * p / D)));
  const half = 0.5 * (1.0 - Math.tanh(0.5 * z * sqrt(p / (6.0 * D))));
  return half * half;
}

function fieldError(): f64 {
  let worst = 0.0;
  for (let i = 0; i <= nx; i++) {
    const exact = frontAt(Lx * <f64>i / <f64>nx);
    for (let j = 0; j <= ny; j++) {
      const error = abs(node(results[0], 1, 0, i, j) - exact);
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

// ---- twin --------------------------------------------------------------------------------------------------

function openReaction(): void {
  const bytes = <i32>parameterF64(64), from = parameters() + <usize>(parametersLength() - bytes);
  if (!(openPrograms(from, bytes) && programCount() == species)) fail(Status.INVALID_INPUT);
}

function ownAt(u: f64, v: f64): void { setValue(0, u); setValue(1, species == 2 ? v : u); }
function ownRate(j: i32, u: f64, v: f64): f64 { ownAt(u, v); return plainValue(j); }
function ownPartial(j: i32, i: i32, u: f64, v: f64): f64 { ownAt(u, v); return partialOf(j, i); }

@inline function reactionU(u: f64, v: f64): f64 {
  if (model == OWN) return ownRate(0, u, v);
  if (model == GRAY_SCOTT) return p - (p + v * v) * u;
  if (model == FISHER) return p * (u - u * u);
  if (model == NAGUMO) return -p * u * (q - (1.0 + q) * u + u * u);
  return p + u * (u * v - q - 1.0);
}
@inline function reactionV(u: f64, v: f64): f64 {
  if (model == OWN) return species == 2 ? ownRate(1, u, v) : 0.0;
  return model == GRAY_SCOTT ? v * (u * v - p - q) : model == BRUSSELATOR ? u * (q - u * v) : 0.0;
}

/** Entry of the Jacobian of R: row, column. */
function jacobian(u: f64, v: f64, row: i32, column: i32): f64 {
  if (model == OWN) return row < species && column < species ? ownPartial(row, column, u, v) : 0.0;
  if (model == GRAY_SCOTT) return row == 0 ? (column == 0 ? -v * v - p : -2.0 * u * v) : column == 0 ? v * v : 2.0 * u * v - p - q;
  if (model == BRUSSELATOR) return row == 0 ? (column == 0 ? 2.0 * u * v - q - 1.0 : u * u) : column == 0 ? q - 2.0 * u * v : -u * u;
  return row + column > 0 ? 0.0 : model == FISHER ? p * (1.0 - 2.0 * u) : -p * (q - 2.0 * (1.0 + q) * u + 3.0 * u * u);
}

/** Eigenvalue of −δ² of the twin's mode. */
function stiffness(): f64 {
  const dx = Lx / <f64>nx, s = Math.sin(0.5 * parameterF64(408) * dx) / dx;
  if (ny == 0) return 4.0 * s * s;
  const dy = Ly / <f64>ny, r = Math.sin(0.5 * parameterF64(416) * dy) / dy;
  return 4.0 * (s * s + r * r);
}

/** Largest error of a node of the twin, over the amplitude that the mode began with. */
function twinError(): f64 {
  let u = parameterF64(392), v = parameterF64(400), a = 1e-5, b = species == 2 ? 0.5e-5 : 0.0;
  const steps = <i32>parameterF64(384), lambda = stiffness(), Du = parameterF64(40), Dv = parameterF64(48);
  for (let n = 0; n < steps; n++) {
    const da = (jacobian(u, v, 0, 0) - Du * lambda) * a + jacobian(u, v, 0, 1) * b;
    const db = jacobian(u, v, 1, 0) * a + (jacobian(u, v, 1, 1) - Dv * lambda) * b;
    const du = reactionU(u, v), dv = reactionV(u, v);
    a += dt * da; b += dt * db; u += dt * du; v += dt * dv;
  }
  let worst = 0.0;
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const form = Math.cos(parameterF64(408) * Lx * <f64>i / <f64>nx) * (ny > 0 ? Math.cos(parameterF64(416) * Ly * <f64>j / <f64>ny) : 1.0);
      let error = abs(node(twin, 1, 0, i, j) - u - a * form);
      if (species == 2) error = max(error, abs(node(twin, 1, 1, i, j) - v - b * form));
      if (!(error <= worst)) worst = error;
    }
  }
  return worst / 1e-5;
}

// ---- balance and start -------------------------------------------------------------------------------------

/** Below this part of the largest concentration a change of the means is rounding, summed over the nodes and the steps. */
const UNCHANGED: f64 = 1e-9;

/** Δ⟨·⟩ against what the reaction makes of the moments, over the largest term. */
function judgeBalance(): void {
  const fine = results[0], a = load<f64>(fine, 24), b = load<f64>(fine, 32), c = load<f64>(fine, 40);
  let change = meanAt(fine, 1, 0) - load<f64>(fine, 8), one = 0.0, two = 0.0, three = 0.0;
  if (species == 2) change += meanAt(fine, 1, 1) - load<f64>(fine, 16);
  if (model == GRAY_SCOTT) { one = p * t; two = -p * a; three = -(p + q) * b; }
  else if (model == FISHER) { one = p * a; two = -p * b; }
  else if (model == NAGUMO) { one = -p * q * a; two = p * (1.0 + q) * b; three = -p * c; }
  else if (model == OWN) { one = a; two = b; }
  else { one = p * t; two = -a; }
  const made = one + two + three, still = UNCHANGED * max(largest(0), species == 2 ? largest(1) : 0.0);
  const size = max(max(abs(change), max(still, 1e-12)), max(abs(one), max(abs(two), abs(three))));
  gate(4, Kind.INVARIANT, change, made, abs(change - made) / size);
  put(13, change); put(14, made);
}

/** The start as the parameters say it, at a node. */
function startAtNode(component: i32, i: i32, j: i32): f64 {
  if (startAt) return load<f64>(startAt + <usize>component * fieldBytes(1) + (<usize>(j * (nx + 1) + i) << 3));
  let form = 0.0;
  if (parameterF64(224) == 3.0) {
    const keep = t;
    t = 0.0;
    form = frontAt(Lx * <f64>i / <f64>nx);
    t = keep;
  } else {
    let dx = abs(Lx * <f64>i / <f64>nx - parameterF64(232)), dy = ny > 0 ? abs(Ly * <f64>j / <f64>ny - parameterF64(240)) : 0.0;
    if (isRing() && 2.0 * dx > Lx) dx = Lx - dx;
    if (ny > 0 && parameterF64(160) == 2.0 && 2.0 * dy > Ly) dy = Ly - dy;
    const w = parameterF64(248);
    form = Math.exp(-(dx / w) * (dx / w)) * Math.exp(-(dy / w) * (dy / w));
  }
  return component == 0 ? parameterF64(296) + parameterF64(256) * form : parameterF64(304) + parameterF64(264) * form;
}

function startError(): f64 {
  let worst = 0.0;
  for (let component = 0; component < species; component++) {
    let sum = 0.0, size = 0.0;
    for (let j = 0; j <= ny; j++) {
      for (let i = 0; i <= nx; i++) {
        const w = shareAt(96, i, nx) * shareAt(160, j, ny), value = startAtNode(component, i, j);
        sum += w * value;
        size += w * abs(value);
      }
    }
    const cells = <f64>nx * <f64>max(1, ny), kept = load<f64>(results[0] + (component == 0 ? 8 : 16));
    const apart = abs(kept - sum / cells);
    worst = max(worst, size > 0.0 ? apart / (size / cells) : apart);
  }
  return worst;
}

// ---- between what the grid meets ---------------------------------------------------------------------------

/** A node passes over what a 256th of the range of a concentration holds; the means are over eight such parts. */
const PARTS: i32 = 256;
const MEAN_PARTS: f64 = 8;
/** Places along a concentration at which the largest rate is looked for. */
const PLACES: i32 = 33;

function enclosureUnits(): u64 {
  let units: u64 = 0;
  if (model == OWN) for (let j = 0; j < species; j++) units += resolutionWork(j, species) + <u64>(PLACES * (species == 2 ? PLACES : 1)) * plainWork(j);
  return units;
}

let least: f64 = 0, most: f64 = 0;

/** From least to most of a component at all nodes of all steps, on each grid, and at the end. */
function findSpan(component: i32): void {
  const span: usize = component == 0 ? 64 : 80;
  least = Infinity; most = -Infinity;
  for (let level = 0; level < 3; level++) { widen(load<f64>(results[level] + span)); widen(load<f64>(results[level] + span + 8)); }
  for (let j = 0; j <= ny; j++) for (let i = 0; i <= nx; i++) widen(node(results[0], 1, component, i, j));
  if (least == most) most += max(1e-6 * abs(most), 1e-9);
}
@inline function widen(x: f64): void { least = min(least, x); most = max(most, x); }

/**
 * What the rates hold between the concentrations that nodes have, over the largest rate; what rounding takes from them also
 * over the rate that would make the concentrations in the time of the run, since they may be at rest.
 */
function judgeBetween(): void {
  openResolution(species);
  findSpan(0);
  const u = least, du = (most - least) / <f64>PARTS;
  if (species == 2) findSpan(1); else { least = 0.0; most = 0.0; }
  const v = least, dv = (most - least) / <f64>PARTS;
  let worst = 0.0;
  for (let j = 0; j < species; j++) {
    clearAxes();
    addAxis(0, u, du, PARTS, MEAN_PARTS);
    if (species == 2) addAxis(1, v, dv, PARTS, MEAN_PARTS);
    const rate = largestRate(j, u, du, v, dv), size = max(abs(u) + <f64>PARTS * du, abs(v) + <f64>PARTS * dv);
    worst = max(worst, hiddenShareBeside(j, rate, max(rate, size / t)));
  }
  gate(6, Kind.CERTIFICATE, ALLOWED, worst, worst / ALLOWED, 1.0);
}

function largestRate(j: i32, u: f64, du: f64, v: f64, dv: f64): f64 {
  const step = <f64>PARTS / <f64>(PLACES - 1);
  let size = 0.0;
  for (let k = 0; k < (species == 2 ? PLACES : 1); k++) {
    for (let i = 0; i < PLACES; i++) size = max(size, abs(ownRate(j, u + <f64>i * step * du, v + <f64>k * step * dv)));
  }
  return size;
}

// ---- gates -------------------------------------------------------------------------------------------------

function judge(): void {
  const hasFront = parameterF64(336) == 1.0, anew = parameterF64(224) != 2.0, known = hasFront && (quantity == VALUE || quantity == SPEED);
  openVerdict(3 + (quantity == WAVELENGTH ? 1 : 0) + (known ? 1 : 0) + (hasFront ? 1 : 0) + (anew ? 1 : 0) + (model == OWN ? 1 : 0), SCALARS + 2 * (nx + 1) + 5 * rows + 2 * modes + DIAGNOSTICS);
  const peak = largest(part), v1 = valueAt(0), v2 = valueAt(1), v4 = valueAt(2);
  const scale = max(abs(v1), quantity == SPEED ? standing() : quantity == WAVELENGTH ? 0.0 : 1e-3 * peak);
  judgeLevels(v1, v2, v4, 2.0, scale);
  if (quantity == VALUE) judgeSides(scale);
  const value = levelValue, error = levelError, order = levelOrder, extrapolated = levelExtrapolated;
  if (known) {
    const exact = quantity == SPEED ? frontSpeed() : frontAt(parameterF64(272));
    gate(0, Kind.EXACT, value, exact, abs(value - exact) / max(abs(exact), quantity == SPEED ? standing() : 1e-3));
    put(5, exact);
  }
  if (hasFront) {
    const worst = fieldError();
    gate(1, Kind.EXACT, worst, 0.0, worst);
  }
  gate(2, Kind.ESTIMATE, v1, value, error);
  gate(3, Kind.TWIN, 1.0, 1.0, twinError());
  judgeBalance();
  if (anew) { const apart = startError(); gate(5, Kind.INVARIANT, apart, 0.0, apart); }
  if (model == OWN) judgeBetween();
  if (quantity == WAVELENGTH) judgeMode(peak);
  put(0, v1); put(1, v2); put(2, v4); put(3, order); put(4, extrapolated);
  writeRest();
  closeVerdict(value);
}

// ---- what is shown -----------------------------------------------------------------------------------------

@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }

function writeRest(): void {
  const fine = results[0], column = <usize>(nx + 1) << 3, row = <i32>parameterF64(288);
  put(6, meanAt(fine, 1, 0)); put(7, species == 2 ? meanAt(fine, 1, 1) : 0.0); put(8, load<f64>(fine, 8)); put(9, load<f64>(fine, 16));
  put(10, load<f64>(fine, 48)); put(11, load<f64>(fine)); put(12, dt); put(15, largest(0)); put(16, load<f64>(fine, 56));
  put(17, ofRow(0, rows - 1, 40));
  const xs = extras() + SCALARS * 8, profile = xs + column;
  for (let i = 0; i <= nx; i++) store<f64>(xs + (<usize>i << 3), Lx * <f64>i / <f64>nx);
  memory.copy(profile, fieldsOf(fine, 1) + column * <usize>row, column);
  let at = profile + column;
  for (let k = 0; k < 5; k++) {
    const offset: usize = k == 4 ? 40 : <usize>k << 3;
    for (let n = 0; n < rows; n++, at += 8) store<f64>(at, ofRow(0, n, offset) + (k == 0 ? parameterF64(352) : 0.0));
  }
  strongest(0);
  for (let m = 1; m <= modes; m++, at += 8) store<f64>(at, waveNumber(m));
  memory.copy(at, power, <usize>modes << 3);
  writeDiagnostics(at + (<usize>modes << 3), profile);
}

/** ∂u/∂t − D∇²u − R along the profile, one step before the end. */
function writeDiagnostics(block: usize, profile: usize): void {
  const column = <usize>(nx + 1) << 3, kept = results[0] + RESULT_HEAD, here = kept + 2 * column, D = parameterF64(40);
  const rate = scratch, spread = rate + column, reaction = spread + column, rest = reaction + column;
  const dx = Lx / <f64>nx, dy = ny > 0 ? Ly / <f64>ny : 1.0;
  for (let i = 1; i < nx; i++) {
    const k = <usize>i << 3, u = load<f64>(here + k), v = species == 2 ? load<f64>(kept + 4 * column + k) : 0.0;
    let second = (load<f64>(here + k - 8) - 2.0 * u + load<f64>(here + k, 8)) / (dx * dx);
    if (ny > 0) second += (load<f64>(kept + column + k) - 2.0 * u + load<f64>(kept + 3 * column + k)) / (dy * dy);
    store<f64>(rate + k, (load<f64>(profile + k) - load<f64>(kept + k)) / (2.0 * dt));
    store<f64>(spread + k, -D * second);
    store<f64>(reaction + k, -reactionU(u, v));
  }
  writeTerms(block, 1, here, nx + 1, 0, rate, 0, spread, reaction, 0, rest);
  const shown = extras();
  writeBalance(block, load<f64>(shown, 104), load<f64>(shown, 112), abs(load<f64>(shown, 104) - load<f64>(shown, 112)));
  writeReflection(block, profile, nx + 1, rest + column);
  writeBand(block, profile, nx + 1, rest + column);
}
