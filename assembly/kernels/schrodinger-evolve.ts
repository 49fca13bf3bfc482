// iħ ∂ψ/∂t = (−ħ²/2m ∇² + V) ψ on a periodic grid by splitting: the potential turns phases at nodes, the kinetic energy
// those of plane waves. Strang: half V, T, half V, order 2; Suzuki: five such steps of s, s, 1 − 4s, s, s with
// s = 1/(4 − 4^⅓), order 4 (Feit, Fleck & Steiger, J. Comput. Phys. 47 (1982) 412; Suzuki, Phys. Lett. A 146 (1990)
// 319). Both are unitary.
//
// Parameters: assembly/quantum/problem.ts; then
//   0 initial: 0 packet, 1 arrays, 2 earlier state · 8, 16 x₀ [m] · 24 σ [m] · 32, 40 k₀ [1/m] · 48 arrays: Re ψ at all
//   nodes, Im ψ; or of a run that goes on the state of the earlier one (../kernel/stretch.ts)
// State body (f64): 0 room for the head of the result, which stands here at the end · 112 kinetic energy, 120 energy at the
//   start [ε] · 128, 136 largest |norm − 1| and energy drift at rows · 144 largest |ψ| at the edge over that inside, of all steps · 152 largest
//   share of waves beyond ⅔ of the shortest, of both axes · 160 ψ (re, im), row by row of y; but at rows it lacks the last half
//   V, which the next step's first joins: the same two factors, one walk
// Rows (f64), 33 at equal times from the beginning on: 0 t [s] · 8 norm · 16 ⟨x⟩, 24 Δx [m] · 32 ⟨H⟩ [J] · 40 |ψ|² at 128 places along x [1/m]
// Result (f64): 0 norm · 8 ⟨x⟩ · 16 Δx · 24 ⟨H⟩ · 32, 40 drifts · 48 edge · 56 short waves · 64 kinetic energy at the start
//   [J] · 72 ⟨H⟩ at the start [J] · 80 state to go on from: the state's body, Σ|ψ|² = n

import {
  allocate, appendRow, countStep, finish, openRows, openState, parameterF64, parameters, restoreState, running, show,
  spend, standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import {
  STRETCH, beginning, earlierBody, goesOn, keepStretch, openStretch, timeOfRow,
} from "../kernel/stretch";
import { fftBackward, fftForward, layOutTwiddles, twiddleBytes } from "../math/fft";
import { openPhases, putPhases } from "../math/phases";
import { bottom, height, left, potentialAt, problemEnd, readProblem, unitEnergy, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

/** Of the result, before what it keeps. */
const FRONT: usize = 80 + STRETCH;
const SCALARS: usize = 48;
const INTERVALS: u64 = 32;
const PLACES: i32 = 128;
const ROW: i32 = 40 + 128 * 8;
/** Work units of a node in a stage of the transform, and in what is multiplied. */
const STAGE: u64 = 1;
const PHASES: u64 = 4;
const SUZUKI: f64 = 0.4144907717943757; // 1/(4 − 4^⅓)
/** Of at most so many nodes the phases of V are kept; of more they are made anew, for so many nodes at a time. */
const KEPT: i32 = 32768;
const BLOCK: i32 = 1024;
/** Columns that are measured together. */
const COLUMNS: i32 = 8;

let body: usize = 0, psi: usize = 0, v: usize = 0, own: usize = 0;
let tableX: usize = 0, tableY: usize = 0;
/** Phases for the one or two lengths of a splitting, and of a step: of half V at nodes, of T at waves along rows and columns. */
let turnV: usize = 0, turnX: usize = 0, turnY: usize = 0, tauLong: f64 = 0, tauShort: f64 = 0, tauStep: f64 = 0;
/** Columns and a row to be measured. */
let strip: usize = 0, spare: usize = 0;
/**
 * A line beyond KEPT is a table of `lines` rows of `places` to its transform: columns, what turns each number by its row's wave,
 * rows (Van Loan, §3.3.1). Then no table is longer than a row. e^{−2πij/n} for j < places, e^{−2πij/lines}; of a row what turns it
 * between the transforms, and of its waves what T does beside what it does to those of the first.
 */
let lines: i32 = 1, places: i32 = 0, fine: usize = 0, coarse: usize = 0, between: usize = 0, waves: usize = 0;
let nx: i32 = 0, ny: i32 = 0, n: i32 = 0, order: i32 = 0, logs: i32 = 0;
let steps: u64 = 0;

@inline function field(offset: usize): f64 { return load<f64>(body + FRONT + offset); }
@inline function setField(offset: usize, value: f64): void { store<f64>(body + FRONT + offset, value); }
@inline function isKept(): bool { return n <= KEPT; }
@inline function isLong(): bool { return ny == 1 && !isKept(); }
@inline function tau(which: i32): f64 { return which == 0 ? tauShort : tauLong; }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  own = problemEnd();
  nx = <i32>parameterF64(152);
  ny = parameterF64(128) == 2.0 ? <i32>parameterF64(160) : 1;
  n = nx * ny;
  logs = 0;
  for (let k = 1; k < n; k <<= 1) logs++;
  steps = <u64>parameterF64(176);
  openStretch(own + 48 + (parameterF64(own) == 1.0 ? <usize>n << 4 : 0));
  order = <i32>parameterF64(184);
  body = openState(FRONT + SCALARS + (<usize>n << 4));
  psi = body + FRONT + SCALARS;
  watchFinite(body, <i32>((FRONT + SCALARS) >> 3) + 2 * n);
  layOut(order == 4 ? 2 : 1);
  openRows(<i32>(INTERVALS + 1) * ROW);
}

function layOut(lengths: usize): void {
  openPhases();
  lines = isLong() ? 1 << (logs >> 1) : 1;
  places = nx / lines;
  v = allocate(<usize>n << 3);
  turnV = allocate(lengths * (<usize>(isKept() ? n : min(nx, BLOCK)) << 4));
  turnX = allocate(lengths * (<usize>places << 4));
  turnY = allocate(lengths * (<usize>ny << 4));
  strip = allocate(<usize>(COLUMNS * ny) << 4);
  spare = allocate(<usize>places << 4);
  tableX = layTable(places);
  tableY = layTable(isLong() ? lines : ny);
  if (isLong()) {
    between = allocate(<usize>places << 4); waves = allocate(<usize>places << 4);
    fine = allocate(<usize>places << 4); coarse = allocate(<usize>lines << 4);
    layCircle(fine, places, n);
    layCircle(coarse, lines, lines);
  }
  layPotential();
  tauStep = (parameterF64(168) - beginning()) * unitEnergy / parameterF64(0) / <f64>steps;
  tauShort = order == 4 ? SUZUKI * tauStep : tauStep;
  tauLong = (1.0 - 4.0 * SUZUKI) * tauStep;
  for (let which = 0; which < <i32>lengths; which++) layPhases(which);
}

/** e^{−2πij/parts}, j < count. */
function layCircle(to: usize, count: i32, parts: i32): void {
  for (let j = 0; j < count; j += 2) {
    putPhases(to + (<usize>j << 4), f64x2.replace_lane(f64x2.splat(2.0 * <f64>j / <f64>parts), 1, 2.0 * <f64>(j + 1) / <f64>parts), 1.0);
  }
}

function layTable(places: i32): usize {
  const at = allocate(twiddleBytes(places));
  layOutTwiddles(at, places);
  return at;
}

function layPotential(): void {
  for (let j = 0; j < ny; j++) {
    const y = ny == 1 ? 0.0 : bottom + height * (<f64>j / <f64>ny);
    for (let i = 0; i < nx; i++) {
      const x = left + width * (<f64>i / <f64>nx);
      store<f64>(v + (<usize>(j * nx + i) << 3), potentialAt(x, y, width / <f64>nx) / unitEnergy);
    }
  }
}

/** A step [s]. */
@inline function h(): f64 { return (parameterF64(168) - beginning()) / <f64>steps; }

// ---- phases --------------------------------------------------------------------------------------------

function layPhases(which: i32): void {
  if (isKept()) layTurnsOfV(turnV + (<usize>(which * n) << 4), which, 0, n);
  layTurnsOfT(turnX + (<usize>(which * places) << 4), which, places, <f64>lines, nx);
  if (ny > 1) layTurnsOfT(turnY + (<usize>(which * ny) << 4), which, ny, width / height, ny);
}

/** e^{−ivτ/2} at `count` nodes. */
function layTurnsOfV(to: usize, which: i32, from: i32, count: i32): void {
  const half = 0.5 * tau(which) / Math.PI, end = v + (<usize>(from + count) << 3);
  for (let at = v + (<usize>from << 3); at < end; at += 16, to += 32) {
    putPhases(to, f64x2.mul(f64x2.splat(half), v128.load(at)), 1.0);
  }
}

/** What T turns the first wave by, in half turns. */
@inline function turnOfWave(which: i32): f64 { return 0.5 * tau(which) * 4.0 * Math.PI; }

/** e^{−ik²τ/2}/`all` of the waves along an axis that is `scale` times shorter than x. */
function layTurnsOfT(to: usize, which: i32, count: i32, scale: f64, all: i32): void {
  const turn = turnOfWave(which) * scale * scale;
  for (let i = 0, k = 0; i < count; i += 2, to += 32) {
    // two neighbours in bit-reversed order are half the number of waves apart
    const f = f64x2.replace_lane(f64x2.splat(<f64>k), 1, <f64>(k - (count >> 1)));
    putPhases(to, f64x2.mul(f64x2.splat(turn), f64x2.mul(f, f)), 1.0 / <f64>all);
    k = nextReversed(k, count >> 1);
  }
}

/** What follows k where numbers below n are counted up from their first bit on. */
@inline function nextReversed(k: i32, n: i32): i32 {
  let bit = n >> 1;
  while (k & bit) { k ^= bit; bit >>= 1; }
  return k | bit;
}

/** Of `count` nodes from `from` on, at most a block. */
function phasesOfV(which: i32, from: i32, count: i32): usize {
  if (isKept()) return turnV + (<usize>(which * n + from) << 4);
  const at = turnV + (<usize>(which * count) << 4);
  layTurnsOfV(at, which, from, count);
  return at;
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) memory.copy(body + FRONT, earlierBody(), SCALARS + (<usize>n << 4)); else begin();
  measure(!goesOn());
  return 1;
}

function begin(): void {
  if (parameterF64(own) == 0.0) packet(); else arrays();
  normalise();
  setField(0, 0.0);
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

function packet(): void {
  const sigma = parameterF64(own + 24);
  for (let j = 0; j < ny; j++) {
    const y = ny == 1 ? 0.0 : bottom + height * (<f64>j / <f64>ny) - parameterF64(own + 16);
    for (let i = 0; i < nx; i++) {
      const x = left + width * (<f64>i / <f64>nx) - parameterF64(own + 8);
      const size = Math.exp(-(x * x + y * y) / (4.0 * sigma * sigma));
      const phase = parameterF64(own + 32) * x + parameterF64(own + 40) * y, at = psi + (<usize>(j * nx + i) << 4);
      store<f64>(at, size * Math.cos(phase));
      store<f64>(at, size * Math.sin(phase), 8);
    }
  }
}

function arrays(): void {
  const re = parameters() + own + 48, im = re + (<usize>n << 3);
  for (let i = 0; i < n; i++) {
    store<f64>(psi + (<usize>i << 4), load<f64>(re + (<usize>i << 3)));
    store<f64>(psi + (<usize>i << 4), load<f64>(im + (<usize>i << 3)), 8);
  }
}

@inline function density(at: usize): f64 { return load<f64>(at) * load<f64>(at) + load<f64>(at, 8) * load<f64>(at, 8); }

/** Σ|ψ|² row by row. */
function total(): f64 {
  let sum = 0.0;
  for (let j = 0; j < ny; j++) {
    let row = 0.0;
    for (let i = 0; i < nx; i++) row += density(psi + (<usize>(j * nx + i) << 4));
    sum += row;
  }
  return sum;
}

/** Σ|ψ|² = n. */
function normalise(): void {
  const scale = f64x2.splat(sqrt(<f64>n / total())), end = psi + (<usize>n << 4);
  for (let at = psi; at < end; at += 16) v128.store(at, f64x2.mul(scale, v128.load(at)));
}

// ---- the step ------------------------------------------------------------------------------------------

/** z (c + is), `turn` = (−s, s). */
@inline function times(z: v128, c: v128, turn: v128): v128 {
  return f64x2.add(f64x2.mul(z, c), f64x2.mul(v128.shuffle<f64>(z, z, 1, 0), turn));
}
@inline function turned(z: v128, phase: usize): v128 {
  const s = load<f64>(phase, 8);
  return times(z, v128.load64_splat(phase), f64x2.replace_lane(f64x2.splat(-s), 1, s));
}

function turnBy(x: usize, phases: usize, count: i32): void {
  const end = x + (<usize>count << 4);
  for (; x < end; x += 16, phases += 16) v128.store(x, turned(v128.load(x), phases));
}

function turnBack(x: usize, phases: usize, count: i32): void {
  const end = x + (<usize>count << 4);
  for (; x < end; x += 16, phases += 16) {
    const s = load<f64>(phases, 8);
    v128.store(x, times(v128.load(x), v128.load64_splat(phases), f64x2.replace_lane(f64x2.splat(s), 1, -s)));
  }
}

function turnTwice(x: usize, first: usize, second: usize, count: i32): void {
  const end = x + (<usize>count << 4);
  for (; x < end; x += 16, first += 16, second += 16) v128.store(x, turned(turned(v128.load(x), first), second));
}

@inline function node(i: i32): usize { return psi + (<usize>i << 4); }

/** What V turns nodes by in half a step of the one before, none of −1, and in half of this one. */
function potentialTurns(from: i32, count: i32, before: i32, which: i32): void {
  const most = isKept() ? count : min(count, BLOCK);
  for (let i = from; i < from + count; i += most) {
    if (before < 0) { turnBy(node(i), phasesOfV(which, i, most), most); continue; }
    const first = phasesOfV(before, i, most);
    turnTwice(node(i), first, before == which ? first : phasesOfV(which, i, most), most);
  }
}

function kineticRow(j: i32, which: i32): void {
  const row = node(j * nx);
  fftForward(row, nx, 1, tableX);
  turnBy(row, turnX + (<usize>(which * nx) << 4), nx);
  fftBackward(row, nx, 1, tableX);
}

/** Of row number k of the table that a long line is: e^{−2πijk/n}, from its whole turns over n and over `lines`. */
function layBetween(k: i32): void {
  const rest = places - 1, rowLogs = logs - (logs >> 1);
  for (let j = 0, e = 0; j < places; j++, e += k) {
    const w = turned(v128.load(coarse + (<usize>(e >> rowLogs) << 4)), fine + (<usize>(e & rest) << 4));
    v128.store(between + (<usize>j << 4), w);
  }
}

/** Wave k + lines m has T's turn of lines m, and these, of k² + 2 lines k m: m's bits in turn, of which the first counts backward. */
function layWaves(which: i32, k: i32): void {
  const turn = turnOfWave(which) * <f64>k;
  putPhases(waves, f64x2.splat(turn * <f64>k), 1.0);
  for (let have = 1, bit = places >> 1; have < places; have <<= 1, bit >>= 1) {
    const to = waves + (<usize>have << 4);
    putPhases(to, f64x2.splat(turn * 2.0 * <f64>lines * <f64>(have == 1 ? -bit : bit)), 1.0);
    const c = v128.load64_splat(to), s = load<f64>(to, 8), w = f64x2.replace_lane(f64x2.splat(-s), 1, s);
    for (let at = waves, far = to; at < to; at += 16, far += 16) v128.store(far, times(v128.load(at), c, w));
  }
}

/** Long lines, in their spectrum: T, or what is measured of it, from which it comes back (n is a power of 2, so that 1/n is exact). */
function throughWaves(which: i32): void {
  fftForward(psi, lines, places, tableY);
  for (let p = 0, k = 0; p < lines; p++, k = nextReversed(k, lines)) {
    const row = node(p * places);
    layBetween(k);
    turnBy(row, between, places);
    fftForward(row, places, 1, tableX);
    if (which < 0) measureRow(row, k);
    else {
      layWaves(which, k);
      turnTwice(row, turnX + (<usize>(which * places) << 4), waves, places);
    }
    fftBackward(row, places, 1, tableX);
    turnBack(row, between, places);
  }
  fftBackward(psi, lines, places, tableY);
}

/** All columns at once, so that a turn serves a whole row. */
function kineticColumns(which: i32): void {
  fftForward(psi, ny, nx, tableY);
  for (let j = 0; j < ny; j++) turnRow(node(j * nx), turnY + (<usize>(which * ny + j) << 4));
  fftBackward(psi, ny, nx, tableY);
}

function turnRow(x: usize, phase: usize): void {
  const end = x + (<usize>nx << 4), c = v128.load64_splat(phase), s = load<f64>(phase, 8);
  const turn = f64x2.replace_lane(f64x2.splat(-s), 1, s);
  for (; x < end; x += 16) v128.store(x, times(v128.load(x), c, turn));
}

/** Half V, T, and the half V before it; the last half is left to what follows. T of the two axes is a product. */
function strang(before: i32, which: i32): void {
  for (let j = 0; j < ny; j++) {
    potentialTurns(j * nx, nx, before, which);
    if (isLong()) throughWaves(which); else kineticRow(j, which);
  }
  if (ny > 1) kineticColumns(which);
}

@inline function isAtRow(): bool { return stepsDone() % (steps / INTERVALS) == 0; }

function step(): void {
  strang(isAtRow() ? -1 : 0, 0);
  if (order == 2) return;
  strang(0, 0);
  strang(0, 1);
  strang(1, 0);
  strang(0, 0);
}

/** The half of V that is left. */
function completeStep(): void { for (let j = 0; j < ny; j++) potentialTurns(j * nx, nx, -1, 0); }

// ---- what is measured at rows --------------------------------------------------------------------------

/** As the last row says. */
let norm: f64 = 0, mean: f64 = 0, energy: f64 = 0;

/** A row: norm, ⟨x⟩, Δx, ⟨H⟩ and the density along x. */
function measure(first: bool): void {
  const row = appendRow(ROW), cell = width / <f64>nx;
  let potential = 0.0;
  norm = total() / <f64>n;
  mean = 0.0;
  for (let i = 0; i < nx; i++) {
    const x = left + cell * <f64>i;
    let column = 0.0;
    for (let j = 0; j < ny; j++) {
      const here = density(psi + (<usize>(j * nx + i) << 4)) / <f64>n;
      column += here;
      potential += here * load<f64>(v + (<usize>(j * nx + i) << 3));
    }
    mean += x * column;
    const place = i * PLACES / nx;
    if (nx >= PLACES ? i * PLACES % nx == 0 : true) store<f64>(row + 40 + (<usize>place << 3), column / cell);
  }
  mean /= norm;
  measureWaves();
  energy = (kinetic + potential) / norm;
  store<f64>(row, timeOfRow(beginning(), parameterF64(168), <i32>(stepsDone() / (steps / INTERVALS)), <i32>INTERVALS));
  store<f64>(row, norm, 8);
  store<f64>(row, mean, 16);
  store<f64>(row, spread(), 24);
  store<f64>(row, energy * unitEnergy, 32);
  if (first) { setField(0, kinetic); setField(8, energy); }
  const scale = max(abs(field(8)), 0.1 * (field(0) + abs(field(8) - field(0))));
  setField(16, worse(field(16), abs(norm - 1.0)));
  setField(24, worse(field(24), abs(energy - field(8)) / scale));
  setField(32, worse(field(32), edge(outside())));
}

/** The larger one; what is no number stays to be found. */
@inline function worse(a: f64, b: f64): f64 { return b <= a ? a : b; }

/** Δx about the mean, which keeps the digits that ⟨x²⟩ − ⟨x⟩² would lose. */
function spread(): f64 {
  let sum = 0.0;
  for (let i = 0; i < nx; i++) {
    const away = left + width * (<f64>i / <f64>nx) - mean;
    let column = 0.0;
    for (let j = 0; j < ny; j++) column += density(psi + (<usize>(j * nx + i) << 4));
    sum += away * away * column;
  }
  return sqrt(sum / (<f64>n * norm));
}

/** ⟨T⟩ in ε and the share of waves beyond ⅔ of the shortest, as they are summed. */
let kinetic: f64 = 0, short: f64 = 0;

/** Of waves that stand `pace` numbers apart from `at` on, `first` + `classes` f the frequencies, `all` their number. */
function addWaves(at: usize, pace: usize, count: i32, classes: i32, first: i32, scale: f64): void {
  const all = <f64>(classes * count), unit = 2.0 * Math.PI * scale, whole = all * <f64>n;
  for (let p = 0, wave = 0; p < count; p++, at += pace << 4, wave = nextReversed(wave, count)) {
    const f = <f64>(first + classes * (wave < count >> 1 ? wave : wave - count)), k = unit * f, share = density(at) / whole;
    kinetic += 0.5 * k * k * share;
    if (3.0 * abs(f) > all) short += share;
  }
}

/** Leaves them in `kinetic` and in the body. */
function measureWaves(): void {
  kinetic = 0.0;
  short = 0.0;
  if (isLong()) throughWaves(-1);
  else for (let j = 0; j < ny; j++) {
    memory.copy(spare, node(j * nx), <usize>nx << 4);
    fftForward(spare, nx, 1, tableX);
    addWaves(spare, 1, nx, 1, 0, 1.0);
  }
  if (ny > 1) for (let x = 0; x < nx; x += COLUMNS) {
    for (let j = 0; j < ny; j++) memory.copy(strip + (<usize>(j * COLUMNS) << 4), node(j * nx + x), <usize>COLUMNS << 4);
    fftForward(strip, ny, COLUMNS, tableY);
    for (let i = 0; i < COLUMNS; i++) addWaves(strip + (<usize>i << 4), COLUMNS, ny, 1, 0, width / height);
  }
  setField(40, worse(field(40), short));
}

/** Waves k + lines m of a long line, which are n times as large as to come back as they were. */
function measureRow(row: usize, k: i32): void {
  const share = f64x2.splat(1.0 / <f64>n), end = row + (<usize>places << 4);
  addWaves(row, 1, places, lines, k, 1.0);
  for (let at = row; at < end; at += 16) v128.store(at, f64x2.mul(share, v128.load(at)));
}

/** |ψ| at the edge over its largest. */
function edge(outside: f64): f64 {
  let inside = 0.0;
  for (let at = psi, end = psi + (<usize>n << 4); at < end; at += 16) inside = max(inside, density(at));
  return sqrt(outside / inside);
}

/** Largest |ψ|² nearer to the edge than a packet goes in half a step at the speed that it begins with. */
function outside(): f64 {
  const aside = 0.5 * sqrt(2.0 * field(0)) * tauStep, nearX = within(aside, nx), nearY = within(aside * width / height, ny);
  let most = 0.0;
  for (let j = 0; j < ny; j++) {
    const isEdge = ny > 1 && (j <= nearY || j >= ny - 1 - nearY), row = j * nx;
    const left = isEdge ? nx - 1 : nearX, right = isEdge ? nx : nx - 1 - nearX;
    for (let i = 0; i <= left; i++) most = max(most, density(node(row + i)));
    for (let i = right; i < nx; i++) most = max(most, density(node(row + i)));
  }
  return most;
}

/** Cells of so much of an axis, at most half of them. */
@inline function within(share: f64, cells: i32): i32 { return <i32>min(share * <f64>cells, 0.5 * <f64>cells); }

/** Between rows: |ψ|² is 1 in the mean, so that less at the edge than the largest share so far needs no look inside. */
function watchEdge(): void {
  const here = outside();
  if (here > field(32) * field(32)) setField(32, worse(field(32), edge(here)));
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  const units = <u64>n * (2 * STAGE * <u64>logs + PHASES) * (order == 4 ? 5 : 1);
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    step();
    countStep();
    spend(units);
    taken++;
    if (isAtRow()) { completeStep(); measure(false); } else watchEdge();
    if (stepsDone() == steps) conclude();
  }
  show(0, <f64>stepsDone() / <f64>steps);
  return taken;
}

/** The last row's numbers go before the state. */
function conclude(): void {
  store<f64>(body, norm);
  store<f64>(body, mean, 8);
  store<f64>(body, spread(), 16);
  store<f64>(body, energy * unitEnergy, 24);
  memory.copy(body + 32, body + FRONT + 16, 32);
  store<f64>(body, field(0) * unitEnergy, 64);
  store<f64>(body, field(8) * unitEnergy, 72);
  keepStretch(body + 80, parameterF64(168), h(), steps);
  standResult(body, <i32>(FRONT + SCALARS + (<usize>n << 4)));
  finish();
}
