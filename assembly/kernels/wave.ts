// The wave equation ρ u_tt + s u_t = K∇²u + f by leapfrog, scalar or Maxwell's for Ez, on a line or in a rectangle.
// Parameters and result: assembly/wave/problem.ts. Ends of the axes: assembly/grid/axis.ts.
//
// State body (f64):
//   0 … 111 as the result has them, but for the steps and the largest |u| with that of the end, which come at the end
//   112 the row of the profile · the sums of a source · the transforms along edges, likewise
//   then u of even and of odd times with their padding (assembly/grid/field.ts) · with layers φ₁, φ₂ · Maxwell: Σ Ez
// At the end this becomes the result in place; what the state has no room for, v or H, follows where coefficients stood.
// Rows (f64), at the start, every so many steps and at the end:  0 t since the start [s] · 8 u at the probe

import {
  allocate, appendRow, countStep, finish, openRows, openState, parameterF64, restoreState, rowsFull, running, show, spend,
  standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { isPeriodic, shareOf } from "../grid/axis";
import { fieldBytes, nodeAt, packField, rowAt, spacedBytes, unpackField } from "../grid/field";
import { probeField } from "../grid/probe";
import { SAMPLE_BYTES } from "../grid/source";
import { normOfField, normOfRates, rateAt, writeBefore, writeStart } from "../wave/begin";
import { energyOf } from "../wave/energy";
import { layOutLayers } from "../wave/layer";
import { addToLines, hasLines, linesBytes, linesWork } from "../wave/lines";
import {
  K, RESULT_HEAD, allNodes, boxNodes, boxX, boxY, dt, dx, dy, earlierResult, edges, ex, ey, goesOn,
  hasLayers, isDriven, isLossy, isMaxwell, isUniform, layStart, nx, ny, ox, oy, readProblem, sourceIsFormula, sourceWork, startIsFormula, startRatesArray,
  startWork, x, y,
} from "../wave/problem";
import { closeStep, layFirst, openSource, pointForce, prepareStep } from "../wave/source";
import { addToSums, done, fillAllGhosts, inflow, layBlocks, loss, step as leap } from "../wave/step";
import { layCoefficients } from "../wave/stencil";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROW: i32 = 16;
const ROOM: i32 = 1024 * ROW;

let body: usize = 0, profile: usize = 0, even: usize = 0, odd: usize = 0, phi1: usize = 0, phi2: usize = 0, sums: usize = 0, samples: usize = 0, lines: usize = 0;
/** Behind the state: what of the result it has no room for, and until then coefficients and what a source and a start need. */
let behind: usize = 0, free: usize = 0;
let steps: u64 = 0, before: u64 = 0, stepsPerRow: u64 = 0, units: u64 = 0, transformFrom: u64 = 0;
let ownSource: bool = false;

@inline function at(offset: usize): f64 { return load<f64>(body + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline function add(offset: usize, value: f64): void { store<f64>(body + offset, at(offset) + value); }

/** u at time n and at the one before it. */
@inline function fieldAt(n: u64): usize { return n & 1 ? odd : even; }

// ---- begin and go on -----------------------------------------------------------------------------------

@inline function profileBytes(): usize { return (<usize>(nx + 2) & ~1) << 3; }

function prepare(): void {
  readProblem();
  steps = <u64>parameterF64(64);
  stepsPerRow = <u64>parameterF64(72);
  transformFrom = <u64>parameterF64(264);
  ownSource = sourceIsFormula();
  before = goesOn() ? <u64>load<f64>(earlierResult()) : 0;
  units = unitsPerStep();
  layOutState();
  layOutBehind();
  layBlocks(units);
  openRows(ROOM);
}

function layOutState(): void {
  const whole = spacedBytes(fieldBytes(ex, ey), hasLayers ? 1024 : 2048), box = isMaxwell ? (boxNodes() << 3) : 0;
  const head = RESULT_HEAD + profileBytes() + (ownSource ? SAMPLE_BYTES : 0) + linesBytes();
  const bytes = head + whole * (hasLayers ? 4 : 2) + box;
  body = openState(bytes);
  profile = body + RESULT_HEAD;
  samples = profile + profileBytes();
  lines = samples + (ownSource ? SAMPLE_BYTES : 0);
  even = body + head;
  odd = even + whole;
  phi1 = odd + whole;
  phi2 = phi1 + whole;
  sums = hasLayers ? phi2 + whole : phi1;
  watchFinite(body, <i32>(bytes >> 3));
}

function layOutBehind(): void {
  const needed = ((isMaxwell ? edges() : boxNodes()) + allNodes() - boxNodes()) << 3;
  behind = allocate(0);
  layCoefficients();
  if (hasLayers) layOutLayers();
  openSource();
  free = allocate(0);
  const end = max(behind + needed, free + (startIsFormula() && !isMaxwell ? boxNodes() << 3 : 0));
  allocate(end - free);
}

/** Work units of a step. */
function unitsPerStep(): u64 {
  const rows = <u64>(ey + 1), all = rows * <u64>(ex + 1), box = <u64>boxNodes();
  let sum = 150 + 30 * rows + all * (isUniform() ? 3 : 6) / 4;
  if (hasLayers) sum += 10 * (all - box);
  if (isMaxwell) sum += box;
  if (ownSource) sum += sourceWork() + 4 * box;
  sum += linesWork();
  return isLossy ? sum + 8 * box : sum;
}

export function start(_budget: i32): i32 {
  prepare();
  if (goesOn()) goOn(); else { begin(); spend(startWork()); }
  fillAllGhosts(fieldAt(before));
  spend(units + 30 * <u64>allNodes());
  writeRow();
  return 1;
}

function begin(): void {
  layStart(odd, free);
  layFirst();
  writeStart(even);
  writeBefore(odd, even);
  set(8, energyOf(even, odd));
  set(80, normOfField(even));
  set(88, normOfRates(even));
  set(104, largestOf(even));
  if (isMaxwell) addToSums(sums, even, 0, ny, -0.5);
}

/** Largest |u| in the box. */
function largestOf(field: usize): f64 {
  let most = f64x2.splat(0), last = 0.0;
  for (let j = 0; j <= ny; j++) {
    const row = nodeAt(field, ex, ox, j + oy), end = row + (<usize>nx << 3);
    for (let p = row; p < end; p += 16) most = f64x2.pmax(most, f64x2.abs(v128.load(p)));
    last = max(last, abs(load<f64>(end)));
  }
  return max(last, max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)));
}

/** From the end of an earlier run. */
function goOn(): void {
  const from = earlierResult(), nodes = boxNodes() << 3, all = allNodes() << 3, now = fieldAt(before);
  memory.copy(body + 8, from + 8, 88);
  set(104, load<f64>(from + 104)); // the end of a part is no end
  let at = from + (even - body);
  for (let j = 0; j <= ny; j++) memory.copy(nodeAt(now, ex, ox, j + oy), at + column() * <usize>j, column());
  copyOutside(now, at + nodes, false);
  at += all;
  unpackField(fieldAt(before + 1), at, ex, ey);
  if (hasLayers) {
    unpackField(phi1, at + all, ex, ey);
    unpackField(phi2, at + 2 * all, ex, ey);
    at += 2 * all;
  }
  if (isMaxwell) memory.copy(sums, at + all, nodes);
}

@inline function column(): usize { return <usize>(nx + 1) << 3; }

/** Copies what of a field lies outside the box to `at`, row by row, or from there. */
function copyOutside(field: usize, at: usize, out: bool): void {
  for (let j = 0; j <= ey; j++) {
    const row = rowAt(field, ex, j), isBeside = j < oy || j > oy + ny, left = <usize>(isBeside ? ex + 1 : ox) << 3;
    const right = isBeside ? 0 : <usize>(ex - ox - nx) << 3, far = row + (<usize>(ox + nx + 1) << 3);
    memory.copy(out ? at : row, out ? row : at, left);
    memory.copy(out ? at + left : far, out ? far : at + left, right);
    at += left + right;
  }
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- steps ---------------------------------------------------------------------------------------------

function flow(place: usize, amount: f64): void {
  add(place, amount);
  add(40, abs(amount));
}

/** From time n to n + 1. */
function step(n: u64): void {
  const now = fieldAt(n), next = fieldAt(n + 1);
  if (ownSource) prepareStep(n, before, steps - before);
  transform(now, n);
  leap(next, now, phi1, phi2, sums, isDriven && !ownSource ? pointForce(n) : 0.0);
  if (ownSource) closeStep(samples);
  if (hasLayers) flow(16, inflow);
  if (isDriven) flow(24, done);
  if (isLossy) flow(32, loss);
}

/** u e^(−iωt) dt summed at both ends of the box, or along both edges. */
function transform(now: usize, n: u64): void {
  const frequency = parameterF64(256);
  if (frequency == 0.0 || n < transformFrom) return;
  const angle = 2.0 * Math.PI * frequency * <f64>n * dt, c = Math.cos(angle) * dt, s = Math.sin(angle) * dt;
  if (ny > 0) { addToLines(lines, now, n, c, -s); return; }
  const left = load<f64>(nodeAt(now, ex, ox, 0)), right = load<f64>(nodeAt(now, ex, ox + nx, 0));
  add(48, c * left); add(56, -s * left); add(64, c * right); add(72, -s * right);
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end && !rowsFull(2 * ROW)) {
    const done = before + stepsDone();
    if (steps - done == 2) memory.copy(profile, profileRow(fieldAt(done)), <usize>(nx + 1) << 3);
    step(done);
    if (((done + 1) & 63) == 0) set(104, max(at(104), largestOf(fieldAt(done + 1))));
    countStep();
    spend(units);
    taken++;
    if ((done + 1) % stepsPerRow == 0 || done + 1 == steps) writeRow();
    if (done + 1 == steps) conclude();
  }
  return taken;
}

@inline function profileRow(field: usize): usize { return nodeAt(field, ex, ox, oy + <i32>parameterF64(288)); }

function writeRow(): void {
  const done = before + stepsDone(), row = appendRow(ROW);
  const u = probeField(fieldAt(done), ex, ey, parameterF64(200) / dx + <f64>ox, parameterF64(208) / dy + <f64>oy);
  store<f64>(row, <f64>done * dt);
  store<f64>(row, u, 8);
  show(0, u);
}

// ---- end -----------------------------------------------------------------------------------------------

/** The state becomes the result: what it lacks is made behind it, then all is packed where it stands, from the first on. */
function conclude(): void {
  const nodes = boxNodes() << 3, now = fieldAt(steps), then = fieldAt(steps + 1), added = isMaxwell ? edges() << 3 : nodes;
  set(0, <f64>steps);
  set(96, max(at(104), largestOf(now)));
  if (isMaxwell) packMagnetic(behind, now); else packRates(behind, now, then);
  copyOutside(now, behind + added, true);
  if (now != even) exchange(even, odd);
  let to = even;
  for (let j = 0; j <= ny; j++) to = moved(to, nodeAt(even, ex, ox, j + oy), column());
  to = moved(to, behind + added, (allNodes() << 3) - nodes);
  to = packed(to, odd);
  if (hasLayers) to = packed(packed(to, phi1), phi2);
  if (isMaxwell) to = moved(to, sums, nodes);
  to = moved(to, behind, added);
  standResult(body, <i32>(to - body));
  finish();
}

/** These give where the next one goes. */
function packed(to: usize, field: usize): usize { packField(to, field, ex, ey); return to + (allNodes() << 3); }
function moved(to: usize, from: usize, bytes: usize): usize { memory.copy(to, from, bytes); return to + bytes; }

function exchange(a: usize, b: usize): void {
  for (const end = a + fieldBytes(ex, ey); a < end; a += 16, b += 16) {
    const pair = v128.load(a);
    v128.store(a, v128.load(b));
    v128.store(b, pair);
  }
}

/** v where nodes are free, 0 where they are fixed. */
function packRates(to: usize, now: usize, then: usize): void {
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++, to += 8) {
      const ring = isPeriodic(x) && i == nx ? 0 : i, round = ny > 0 && isPeriodic(y) && j == ny ? 0 : j;
      const isFree = shareOf(boxX, ring) > 0.0 && shareOf(boxY, round) > 0.0;
      store<f64>(to, isFree ? rateAt(now, then, ring + ox, round + oy) : 0.0);
    }
  }
}

/** H at the end: of the start, and dt/μ curl of the sum of Ez by trapezoids. */
function packMagnetic(to: usize, now: usize): void {
  const start = startRatesArray(), scale = dt * K;
  let k: usize = 0;
  for (let j = 0; j < ny; j++)
    for (let i = 0; i <= nx; i++, k += 8)
      store<f64>(to + k, (start ? load<f64>(start + k) : 0.0) - scale * (summed(now, i, j + 1) - summed(now, i, j)) / dy);
  for (let j = 0; j <= ny; j++)
    for (let i = 0; i < nx; i++, k += 8)
      store<f64>(to + k, (start ? load<f64>(start + k) : 0.0) + scale * (summed(now, i + 1, j) - summed(now, i, j)) / dx);
}

@inline function summed(now: usize, i: i32, j: i32): f64 {
  return load<f64>(sums + (<usize>(j * (nx + 1) + i) << 3)) + 0.5 * load<f64>(nodeAt(now, ex, i + ox, j + oy));
}
