// One explicit step in place: u ← u + D dt δ²u + dt R(u, v), row by row, of two species two at a time, with copies of the rows below as they were.
// On the way it gathers, from the values before the step, the moments whose balance the verdict knows, and the least
// concentration. Two nodes in a vector; sums run over columns 0 … nx−1 in pairs, so their shape is fixed.
// Blocks of rows go one after another or on several threads (../kernel/team.ts): then each has its neighbours' rows as they
// were from before the step. Formulas of the caller's own have one block: they are evaluated in one place.

import { isPeriodic, lastFree, shareOf, widthOf } from "../grid/axis";
import { copyRow, fillGhosts, rowAbove, rowAt, rowBelow, rowBytes } from "../grid/field";
import { between, spread } from "../grid/stencil";
import { bindColumn, evaluateStrip, STRIP } from "../expression/formulas";
import { partialOf, setValue } from "../expression/program";
import { allocate } from "../kernel/frame";
import { TEAM, each } from "../kernel/team";
import { Model, first, hasTwo, model, nx, ny, second, x, y } from "./problem";

/** What a step multiplies by, laid down once: D dt/dx² and D dt/dy² of u and v, and the models' own (below). */
let uAlongX: f64 = 0, uAlongY: f64 = 0, vAlongX: f64 = 0, vAlongY: f64 = 0;
let keptU: f64 = 0, keptV: f64 = 0, fed: f64 = 0, turned: f64 = 0, made: f64 = 0, quadratic: f64 = 0, cubic: f64 = 0;

/** The same in both lanes, which blocks load: along x and y and kept of u, of v; dt, −dt, fed, turned, and of one species the squares' and the cubes'. */
const factors = memory.data(192, 16);
const ALONG_X: usize = 0, ALONG_Y: usize = 16, KEPT: usize = 32, OF_V: usize = 48, MADE: usize = 96, TAKEN: usize = 112;
const FED: usize = 128, TURNED: usize = 144, QUADRATIC: usize = 160, CUBIC: usize = 176;

@inline function lay(at: usize, factor: f64): void { v128.store(factors + at, f64x2.splat(factor)); }
@inline function factor(at: usize): v128 { return v128.load(factors + at); }

function layFactors(): void {
  lay(ALONG_X, uAlongX); lay(ALONG_Y, uAlongY); lay(KEPT, keptU);
  lay(OF_V + ALONG_X, vAlongX); lay(OF_V + ALONG_Y, vAlongY); lay(OF_V + KEPT, keptV);
  lay(MADE, made); lay(TAKEN, -made); lay(FED, fed); lay(TURNED, turned);
  lay(QUADRATIC, quadratic); lay(CUBIC, cubic);
}

/** Sums of the row that was stepped last. */
let rowA: f64 = 0, rowB: f64 = 0, rowC: f64 = 0;
export let momentA: f64 = 0, momentB: f64 = 0, momentC: f64 = 0, lowest: f64 = 0;

/**
 * Each model as u' = fed + keptU u + spread + …:
 *   Fisher       keptU = 1 − Σ + r dt, u² times −r dt            (Σ: what spreads to the neighbours)
 *   Nagumo       keptU = 1 − Σ − ka dt, u² times k(1 + a) dt, u³ times −k dt
 *   Gray–Scott   u: F dt + (1 − Σ − F dt) u − dt uv²;  v: (1 − Σ − (F + k) dt) v + dt uv²
 *   own          u: (1 − Σ) u + dt R_u(u, v);  v likewise
 *   Brusselator  u: A dt + (1 − Σ − (B + 1) dt) u + dt u²v;  v: B dt u + (1 − Σ) v − dt u²v
 */
export function laySteps(Du: f64, Dv: f64, dt: f64): void {
  const rx = dt / (widthOf(x) * widthOf(x)), ry = ny > 0 ? dt / (widthOf(y) * widthOf(y)) : 0.0;
  uAlongX = Du * rx; uAlongY = Du * ry; vAlongX = Dv * rx; vAlongY = Dv * ry;
  keptU = 1.0 - 2.0 * (uAlongX + uAlongY);
  keptV = 1.0 - 2.0 * (vAlongX + vAlongY);
  made = dt;
  fed = first * dt;
  turned = second * dt;
  if (model == Model.GRAY_SCOTT) { keptU -= first * dt; keptV -= (first + second) * dt; }
  if (model == Model.BRUSSELATOR) keptU -= (second + 1.0) * dt;
  if (model == Model.FISHER) { keptU += first * dt; quadratic = -first * dt; cubic = 0.0; }
  if (model == Model.NAGUMO) { keptU -= first * second * dt; quadratic = first * (1.0 + second) * dt; cubic = -first * dt; }
  layFactors();
}

// ---- the caller's own reaction ---------------------------------------------------------------------------

let ratesU: usize = 0, ratesV: usize = 0;
/** Least and most of a species in the row that was stepped last, and in the step. */
let rowLeast: f64 = 0, rowMost: f64 = 0;
let uLeast: f64 = 0, uMost: f64 = 0, vLeast: f64 = 0, vMost: f64 = 0;

/** Spans that hold nothing yet: least and most of u, of v, at `at`; of one species those of v are 0. */
export function openSpans(at: usize): void {
  for (let k: usize = 0; k < (first == 2.0 ? 32 : 16); k += 16) {
    store<f64>(at + k, f64.MAX_VALUE);
    store<f64>(at + k, -f64.MAX_VALUE, 8);
  }
}

/** Widens the spans by the concentrations that the last step began with. */
export function keepSpans(at: usize): void {
  store<f64>(at, min(load<f64>(at), uLeast));
  store<f64>(at, max(load<f64>(at, 8), uMost), 8);
  if (first != 2.0) return;
  store<f64>(at, min(load<f64>(at, 16), vLeast), 16);
  store<f64>(at, max(load<f64>(at, 24), vMost), 24);
}

/** Room for the rates of a row. */
export function layRates(): void {
  ratesU = allocate(rowBytes(nx) + 32);
  ratesV = hasTwo() ? allocate(rowBytes(nx) + 32) : 0;
}

/** R of a row as it stands, strip by strip. */
function rateRow(j: i32, u: usize, v: usize, to: usize): void {
  for (let from = 0; from <= nx; from += STRIP) {
    const count = min(STRIP, nx + 1 - from), skip = <usize>from << 3;
    bindColumn(0, u + skip);
    bindColumn(1, (v ? v : u) + skip);
    memory.copy(to + skip, evaluateStrip(j, count), <usize>count << 3);
  }
}

/** One species of a row, whose rates are known: c ← (1 − Σ) c + spread + dt R. */
function growRow(row: usize, below: usize, above: usize, keep: usize, rates: usize, species: usize): v128 {
  let least = f64x2.splat(load<f64>(row)), most = least;
  const cx = factor(species + ALONG_X), cy = factor(species + ALONG_Y), stays = factor(species + KEPT), dt = factor(MADE);
  const bytes = <usize>(nx + 1) << 3, whole = bytes - 8;
  let left = v128.load(row - 8), sum = f64x2.splat(0);
  for (let k: usize = 0; k < bytes; k += 16) {
    const here = v128.load(row + k), right = v128.load(row + k, 8), rate = v128.load(rates + k);
    const moved = spread(cx, left, right, cy, v128.load(below + k), v128.load(above + k));
    v128.store(keep + k, here);
    v128.store(row + k, f64x2.add(f64x2.add(f64x2.mul(stays, here), moved), f64x2.mul(dt, rate)));
    left = right;
    if (k >= whole) break;
    sum = f64x2.add(sum, rate);
    least = f64x2.pmin(least, here);
    most = f64x2.pmax(most, here);
  }
  const end = load<f64>(keep + bytes - 8);
  rowLeast = min(end, min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1)));
  rowMost = max(end, max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)));
  return sum;
}

/** The ends of an axis without flux count half in the mean of R. */
function addRates(share: f64, sum: v128, rates: usize): f64 {
  const ends = isPeriodic(x) ? 0.0 : 0.5 * (load<f64>(rates + (<usize>nx << 3)) - load<f64>(rates));
  return share * (lanes(sum) + ends);
}

/** Concentrations may have any sign, so none is the lowest that is allowed; where the rates were taken is kept. */
function rowOfOwn(share: f64, u: usize, uBelow: usize, uAbove: usize, uKeep: usize, v: usize, vBelow: usize, vAbove: usize, vKeep: usize): void {
  rateRow(0, u, v, ratesU);
  if (v) rateRow(1, u, v, ratesV);
  momentA += addRates(share, growRow(u, uBelow, uAbove, uKeep, ratesU, 0), ratesU);
  uLeast = min(uLeast, rowLeast);
  uMost = max(uMost, rowMost);
  if (v) {
    momentB += addRates(share, growRow(v, vBelow, vAbove, vKeep, ratesV, OF_V), ratesV);
    vLeast = min(vLeast, rowLeast);
    vMost = max(vMost, rowMost);
  }
  lowest = 0.0;
}

function fastestOfOwn(u: usize, v: usize): f64 {
  let most = 0.0;
  for (let k: usize = 0, end = <usize>nx << 3; k <= end; k += 8) {
    setValue(0, load<f64>(u + k));
    setValue(1, load<f64>(v + k));
    most = max(most, max(abs(partialOf(0, 0)), first == 2.0 ? abs(partialOf(1, 1)) : 0.0));
  }
  return most;
}

function rowOfOne(row: usize, below: usize, above: usize, keep: usize): void {
  const cx = factor(ALONG_X), cy = factor(ALONG_Y), kept = factor(KEPT);
  const second = factor(QUADRATIC), third = factor(CUBIC), isCubic = cubic != 0.0;
  const end = row + (<usize>(nx + 1) << 3), whole = end - 8;
  let left = v128.load(row - 8), sumA = f64x2.splat(0), sumB = sumA, sumC = sumA, least = f64x2.splat(lowest);
  for (let p = row; p < end; p += 16, below += 16, above += 16, keep += 16) {
    const here = v128.load(p), right = v128.load(p, 8);
    const moved = spread(cx, left, right, cy, v128.load(below), v128.load(above));
    const growth = f64x2.add(kept, f64x2.mul(here, f64x2.add(second, f64x2.mul(third, here))));
    v128.store(keep, here);
    v128.store(p, f64x2.add(f64x2.mul(here, growth), moved));
    left = right;
    if (p >= whole) break;
    const square = f64x2.mul(here, here);
    sumA = f64x2.add(sumA, here);
    sumB = f64x2.add(sumB, square);
    if (isCubic) sumC = f64x2.add(sumC, f64x2.mul(square, here));
    least = f64x2.pmin(least, here);
  }
  keepSums(sumA, sumB, sumC, least);
}

// ---- two species ------------------------------------------------------------------------------------------
//
// A pass over v that keeps what the reaction gives to u, one over u that takes it: all at once has more factors and sums
// than there are registers. `Rows` bool: two rows, one above the other; else the lower one alone.

/** What the neighbours give; on square cells (`Cells` bool) by one product. */
@inline function spreadOn<Cells>(alongX: v128, left: v128, right: v128, alongY: v128, below: v128, above: v128): v128 {
  if (isBoolean<Cells>()) return f64x2.mul(alongX, f64x2.add(f64x2.add(left, right), f64x2.add(below, above)));
  return spread(alongX, left, right, alongY, below, above);
}

/** What u gets of the reaction, and v gives: of Gray–Scott −dt uv², of the Brusselator (`Species` bool) dt u²v. */
@inline function given<Species>(u: v128, v: v128, dt: v128): v128 {
  return isBoolean<Species>() ? f64x2.mul(f64x2.mul(dt, v), f64x2.mul(u, u)) : f64x2.mul(f64x2.mul(dt, u), f64x2.mul(v, v));
}

@inline function ownOfV<Species>(u: v128, v: v128, kept: v128, turn: v128): v128 {
  return isBoolean<Species>() ? f64x2.add(f64x2.mul(turn, u), f64x2.mul(kept, v)) : f64x2.mul(kept, v);
}

/** `Of` bool: v, which keeps what it gives; else u, which takes it. */
@inline function changed<Of, Species, Cells>(
  left: v128, here: v128, right: v128, below: v128, above: v128, u: v128, gives: v128, kept: v128, along: v128, across: v128, turn: v128,
): v128 {
  const moved = spreadOn<Cells>(along, left, right, across, below, above);
  if (isBoolean<Of>()) return f64x2.add(ownOfV<Species>(u, here, kept, turn), f64x2.sub(moved, gives));
  return f64x2.add(f64x2.add(turn, f64x2.mul(kept, here)), f64x2.add(moved, gives));
}

/** The first (f64) or second (v128) pair behind the pointers, by offsets that the instructions hold; `keep` may be `below` or `above`. */
@inline function changePairs<Pair, Of, Species, Cells, Rows>(
  low: usize, high: usize, below: usize, above: usize, keep: usize, uLow: usize, uHigh: usize, gives: usize,
  lowLeft: v128, p: v128, lowRight: v128, highLeft: v128, q: v128, highRight: v128, kept: v128, along: v128, across: v128, turn: v128, dt: v128,
): void {
  const a = isBoolean<Of>() ? v128.load(uLow, isVector<Pair>() ? 16 : 0) : p, under = v128.load(below, isVector<Pair>() ? 16 : 0);
  const over = isBoolean<Rows>() ? q : v128.load(above, isVector<Pair>() ? 16 : 0);
  let gift = isBoolean<Of>() ? given<Species>(a, p, dt) : v128.load(gives, isVector<Pair>() ? 32 : 0);
  if (isBoolean<Of>()) v128.store(gives, gift, isVector<Pair>() ? 32 : 0);
  v128.store(keep, isBoolean<Rows>() ? q : p, isVector<Pair>() ? 16 : 0);
  v128.store(low, changed<Of, Species, Cells>(lowLeft, p, lowRight, under, over, a, gift, kept, along, across, turn), isVector<Pair>() ? 16 : 0);
  if (!isBoolean<Rows>()) return;
  const b = isBoolean<Of>() ? v128.load(uHigh, isVector<Pair>() ? 16 : 0) : q;
  gift = isBoolean<Of>() ? given<Species>(b, q, dt) : v128.load(gives, isVector<Pair>() ? 48 : 16);
  if (isBoolean<Of>()) v128.store(gives, gift, isVector<Pair>() ? 48 : 16);
  v128.store(high, changed<Of, Species, Cells>(highLeft, q, highRight, p, v128.load(above, isVector<Pair>() ? 16 : 0), b, gift, kept, along, across, turn), isVector<Pair>() ? 16 : 0);
}

/** Sums of one species over nodes 0 … nx − 1 of the rows that were stepped last. */
let lowSum: f64 = 0, highSum: f64 = 0;

/** A pass over one species of a row or two; `turn`: of v what it gets by u alone, of u what it is fed. `gives` has pairs of both rows in turn. */
function pass<Of, Species, Cells, Rows>(low: usize, high: usize, below: usize, above: usize, keep: usize, uLow: usize, uHigh: usize, gives: usize): void {
  const kept = factor(isBoolean<Of>() ? OF_V + KEPT : KEPT), along = factor(isBoolean<Of>() ? OF_V + ALONG_X : ALONG_X);
  const across = factor(isBoolean<Of>() ? OF_V + ALONG_Y : ALONG_Y);
  const turn = factor(isBoolean<Of>() ? TURNED : FED), dt = factor(isBoolean<Species>() ? MADE : TAKEN);
  const end = low + (<usize>nx << 3);
  let p = v128.load(low), lowLeft = between(v128.load(low - 16), p), q = p, highLeft = lowLeft;
  if (isBoolean<Rows>()) { q = v128.load(high); highLeft = between(v128.load(high - 16), q); }
  let lowAll = f64x2.splat(0), highAll = lowAll, least = f64x2.splat(lowest);
  low -= 32; high -= 32; below -= 32; above -= 32; keep -= 32; uLow -= 32; uHigh -= 32; gives -= 64;
  while (low + 64 <= end) {
    low += 32; high += 32; below += 32; above += 32; keep += 32; uLow += 32; uHigh += 32; gives += 64;
    const p1 = v128.load(low, 16), lowRight = between(p, p1), q1 = isBoolean<Rows>() ? v128.load(high, 16) : p1, highRight = isBoolean<Rows>() ? between(q, q1) : lowRight;
    changePairs<f64, Of, Species, Cells, Rows>(low, high, below, above, keep, uLow, uHigh, gives, lowLeft, p, lowRight, highLeft, q, highRight, kept, along, across, turn, dt);
    lowAll = f64x2.add(lowAll, p); least = f64x2.pmin(least, p);
    if (isBoolean<Rows>()) { highAll = f64x2.add(highAll, q); least = f64x2.pmin(least, q); }
    p = v128.load(low, 32); lowLeft = between(p1, p);
    if (isBoolean<Rows>()) { q = v128.load(high, 32); highLeft = between(q1, q); } else { q = p; highLeft = lowLeft; }
    changePairs<v128, Of, Species, Cells, Rows>(low, high, below, above, keep, uLow, uHigh, gives, lowRight, p1, lowLeft, highRight, q1, highLeft, kept, along, across, turn, dt);
    lowAll = f64x2.add(lowAll, p1); least = f64x2.pmin(least, p1);
    if (isBoolean<Rows>()) { highAll = f64x2.add(highAll, q1); least = f64x2.pmin(least, q1); }
  }
  low += 32; high += 32; below += 32; above += 32; keep += 32; uLow += 32; uHigh += 32; gives += 64;
  for (; low <= end; low += 16, high += 16, below += 16, above += 16, keep += 16, uLow += 16, uHigh += 16, gives += 32) {
    const p1 = v128.load(low, 16), lowRight = between(p, p1), q1 = isBoolean<Rows>() ? v128.load(high, 16) : p1, highRight = isBoolean<Rows>() ? between(q, q1) : lowRight;
    changePairs<f64, Of, Species, Cells, Rows>(low, high, below, above, keep, uLow, uHigh, gives, lowLeft, p, lowRight, highLeft, q, highRight, kept, along, across, turn, dt);
    if (low >= end) break;
    lowAll = f64x2.add(lowAll, p); least = f64x2.pmin(least, p);
    if (isBoolean<Rows>()) { highAll = f64x2.add(highAll, q); least = f64x2.pmin(least, q); }
    p = p1; lowLeft = lowRight; q = q1; highLeft = highRight;
  }
  lowSum = lanes(lowAll);
  highSum = lanes(highAll);
  lowest = min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
}

@inline function passOfV<Rows>(low: usize, high: usize, below: usize, above: usize, keep: usize, uLow: usize, uHigh: usize, gives: usize): void {
  if (model == Model.BRUSSELATOR) {
    if (uAlongX == uAlongY) pass<bool, bool, bool, Rows>(low, high, below, above, keep, uLow, uHigh, gives);
    else pass<bool, bool, f64, Rows>(low, high, below, above, keep, uLow, uHigh, gives);
  } else if (uAlongX == uAlongY) pass<bool, f64, bool, Rows>(low, high, below, above, keep, uLow, uHigh, gives);
  else pass<bool, f64, f64, Rows>(low, high, below, above, keep, uLow, uHigh, gives);
}

@inline function passOfU<Rows>(low: usize, high: usize, below: usize, above: usize, keep: usize, gives: usize): void {
  if (uAlongX == uAlongY) pass<f64, f64, bool, Rows>(low, high, below, above, keep, 0, 0, gives);
  else pass<f64, f64, f64, Rows>(low, high, below, above, keep, 0, 0, gives);
}

@inline function lanes(sum: v128): f64 { return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1); }

@inline function keepSums(sumA: v128, sumB: v128, sumC: v128, least: v128): void {
  rowA = lanes(sumA);
  rowB = lanes(sumB);
  rowC = lanes(sumC);
  lowest = min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
}

@inline function keepEnds(to: usize, u: usize, v: usize): void {
  const far = <usize>nx << 3;
  store<f64>(to, load<f64>(u));
  store<f64>(to, load<f64>(u + far), 8);
  if (!v) return;
  store<f64>(to, load<f64>(v), 16);
  store<f64>(to, load<f64>(v + far), 24);
}

/** Sums of a row to its integral: ends of an axis without flux count half. */
function closeRow(share: f64, ends: usize): void {
  let a = rowA, b = rowB, c = rowC;
  if (!isPeriodic(x)) {
    const s = load<f64>(ends), e = load<f64>(ends, 8), far = load<f64>(ends, 24);
    a += 0.5 * (e - s);
    b += hasTwo() ? 0.5 * (far - load<f64>(ends, 16)) : 0.5 * (e * e - s * s);
    if (model == Model.NAGUMO) c += 0.5 * (e * e * e - s * s * s);
    lowest = min(lowest, hasTwo() ? min(e, far) : e);
  }
  momentA += share * a; momentB += share * b; momentC += share * c;
}

// ---- a step, in blocks of rows -----------------------------------------------------------------------------

/** Cells of a block, some 30 µs, at least. */
const BLOCK_CELLS: i32 = 16384;
let rows: i32 = 0, blocks: i32 = 0;
/** Between the kept rows of u and of v, which are stored side by side (assembly/grid/field.ts). */
const APART: usize = 1024;
/**
 * Rooms of the blocks, rows `apart` bytes each: u and v below as they were, on a line in the same place; two of what v gives
 * to u; with several threads also u and v behind the block.
 */
let rooms: usize = 0, roomBytes: usize = 0, apart: usize = 0;
/** Of a block: the sums of its moments, its least concentration · 32 what its lower and its upper row had at their ends
 *  before the step: first and last of u, of v. */
let found: usize = 0;
const FOUND: usize = 96, LOW_ENDS: usize = 32, HIGH_ENDS: usize = 64;
let steppedU: usize = 0, steppedV: usize = 0;

export function layBlocks(): void {
  const last = lastFree(y), own = model == Model.OWN;
  rows = own ? last + 1 : 2 * ((BLOCK_CELLS / 2 + nx) / (nx + 1));
  blocks = (last + rows) / rows;
  if (blocks < 1) blocks = 1;
  apart = rowBytes(nx) + APART;
  roomBytes = apart * (keptRows() + (hasTwo() && !own ? 2 : 0) + (TEAM ? 2 : 0));
  rooms = allocate(TEAM ? roomBytes * <usize>blocks : roomBytes);
  found = allocate(FOUND * <usize>blocks);
}

@inline function keptRows(): usize { return hasTwo() && ny > 0 ? 2 : 1; }
@inline function roomOf(block: i32): usize { return (TEAM ? rooms + roomBytes * <usize>block : rooms) + 16; }
@inline function foundOf(block: i32): usize { return found + FOUND * <usize>block; }
@inline function behindOf(room: usize): usize { return room + roomBytes - 2 * apart; }

/** v = 0: one species. */
export function step(u: usize, v: usize): void {
  steppedU = u; steppedV = v;
  if (bordersAreKept()) keepBorders();
  each(stepBlock, blocks);
  momentA = momentB = momentC = 0.0;
  lowest = Infinity;
  for (let block = 0; block < blocks; block++) {
    const at = foundOf(block);
    momentA += load<f64>(at); momentB += load<f64>(at, 8); momentC += load<f64>(at, 16);
    lowest = min(lowest, load<f64>(at, 24));
  }
  const cells = <f64>nx * <f64>max(1, ny);
  momentA /= cells; momentB /= cells; momentC /= cells;
  closeRing(u);
  if (v) closeRing(v);
}

/** The rows below and behind each block, which other blocks change; ghosts too are what they would be. */
function keepBorders(): void {
  for (let block = 0; block < blocks; block++) {
    const room = roomOf(block);
    keepBordersOf(steppedU, block, room, behindOf(room));
    if (steppedV) keepBordersOf(steppedV, block, room + apart, behindOf(room) + apart);
  }
}

function keepBordersOf(field: usize, block: i32, below: usize, behind: usize): void {
  const from = block * rows;
  copyRow(below, from > 0 ? rowAt(field, nx, from - 1) : rowBelow(field, nx, y, 0, 0, 0), nx);
  if (from > 0) fillGhosts(below, x);
  if (from + rows <= lastFree(y)) copyRow(behind, rowAt(field, nx, from + rows), nx);
}

@inline function bordersAreKept(): bool { return TEAM && ny > 0 && blocks > 1; }

function stepBlock(block: i32): void {
  const u = steppedU, v = steppedV, room = roomOf(block), vKeep = room + apart * (keptRows() - 1), at = foundOf(block);
  const last = lastFree(y), end = min((block + 1) * rows - 1, last), kept = bordersAreKept();
  const behind = kept && end < last ? behindOf(room) : rowAt(u, nx, end + 1);
  const over = kept && end < last ? behindOf(room) + apart : v ? rowAt(v, nx, end + 1) : 0;
  momentA = momentB = momentC = 0.0;
  lowest = Infinity;
  uLeast = vLeast = Infinity;
  uMost = vMost = -Infinity;
  for (let j = block * rows; j <= end; j++) {
    const row = rowAt(u, nx, j);
    fillGhosts(row, x);
    const below = ny == 0 ? row : kept ? room : rowBelow(u, nx, y, j, room, 0);
    const above = ny == 0 ? row : j == ny ? room : j < end ? rowAt(u, nx, j + 1) : behind;
    if (!v) {
      if (model == Model.OWN) { rowOfOwn(shareOf(y, j), row, below, above, room, 0, 0, 0, 0); continue; }
      keepEnds(at + LOW_ENDS, row, 0);
      rowOfOne(row, below, above, room);
      closeRow(shareOf(y, j), at + LOW_ENDS);
      continue;
    }
    const other = rowAt(v, nx, j);
    fillGhosts(other, x);
    const vBelow = ny == 0 ? other : kept ? vKeep : rowBelow(v, nx, y, j, vKeep, 0);
    const vAbove = ny == 0 ? other : j == ny ? vKeep : j < end ? rowAt(v, nx, j + 1) : over;
    if (model == Model.OWN) rowOfOwn(shareOf(y, j), row, below, above, room, other, vBelow, vAbove, vKeep);
    else if (j == 0 || j >= end || j + 1 >= ny) oneRowOfTwo(j, at, row, below, above, room, other, vBelow, vAbove, vKeep);
    else {
      const next = j + 1 < end;
      twoRowsOfTwo(j, at, row, below, next ? rowAt(u, nx, j + 2) : behind, room, other, vBelow, next ? rowAt(v, nx, j + 2) : over, vKeep);
      j++;
    }
  }
  store<f64>(at, momentA); store<f64>(at, momentB, 8); store<f64>(at, momentC, 16);
  store<f64>(at, lowest, 24);
}

@inline function givesOf(vKeep: usize): usize { return vKeep + apart; }

/** Row j of two species. */
function oneRowOfTwo(j: i32, at: usize, u: usize, uBelow: usize, uAbove: usize, uKeep: usize, v: usize, vBelow: usize, vAbove: usize, vKeep: usize): void {
  keepEnds(at + LOW_ENDS, u, v);
  rowC = 0.0;
  passOfV<f64>(v, 0, vBelow, vAbove, vKeep, u, 0, givesOf(vKeep));
  rowB = lowSum;
  passOfU<f64>(u, 0, uBelow, uAbove, uKeep, givesOf(vKeep));
  rowA = lowSum;
  closeRow(shareOf(y, j), at + LOW_ENDS);
}

/** Row j of two species and the one above it, neither a side. */
function twoRowsOfTwo(j: i32, at: usize, u: usize, uBelow: usize, uAbove: usize, uKeep: usize, v: usize, vBelow: usize, vAbove: usize, vKeep: usize): void {
  const upper = u + rowBytes(nx), upperOther = v + rowBytes(nx);
  fillGhosts(upper, x);
  fillGhosts(upperOther, x);
  keepEnds(at + LOW_ENDS, u, v);
  keepEnds(at + HIGH_ENDS, upper, upperOther);
  rowC = 0.0;
  passOfV<bool>(v, upperOther, vBelow, vAbove, vKeep, u, upper, givesOf(vKeep));
  rowB = lowSum;
  const highB = highSum;
  passOfU<bool>(u, upper, uBelow, uAbove, uKeep, givesOf(vKeep));
  rowA = lowSum;
  closeRow(shareOf(y, j), at + LOW_ENDS);
  rowA = highSum; rowB = highB;
  closeRow(shareOf(y, j + 1), at + HIGH_ENDS);
}

/** Last node and row of periodic axes are copies. */
export function closeRing(field: usize): void {
  if (isPeriodic(x)) {
    const far = <usize>nx << 3;
    for (let j = 0; j <= ny; j++) store<f64>(rowAt(field, nx, j) + far, load<f64>(rowAt(field, nx, j)));
  }
  if (ny > 0 && isPeriodic(y)) copyRow(rowAt(field, nx, ny), rowAt(field, nx, 0), nx);
}

/** Largest |∂R_u/∂u| or |∂R_v/∂v| on the field: what dt is measured by. */
export function fastestRate(u: usize, v: usize): f64 {
  let most = 0.0;
  for (let j = 0; j <= ny; j++) {
    const a = rowAt(u, nx, j), b = v ? rowAt(v, nx, j) : a;
    most = max(most, model == Model.OWN ? fastestOfOwn(a, b) : v ? fastestOfTwo(a, b) : fastestOfOne(a));
  }
  return most;
}

/** Of two species at a node: Gray–Scott's v² + F and 2uv − F − k, the Brusselator's 2uv − B − 1 and u². */
function fastestOfTwo(u: usize, v: usize): f64 {
  const isBrusselator = model == Model.BRUSSELATOR;
  let most = 0.0;
  for (let k: usize = 0, end = <usize>nx << 3; k <= end; k += 8) {
    const a = load<f64>(u + k), b = load<f64>(v + k);
    most = max(most, isBrusselator
      ? max(abs(2.0 * a * b - second - 1.0), a * a)
      : max(b * b + first, abs(2.0 * a * b - first - second)));
  }
  return most;
}

/** Of Fisher r (1 − 2u), of Nagumo k (−3u² + 2 (1 + a) u − a). */
function fastestOfOne(u: usize): f64 {
  const isCubic = model == Model.NAGUMO, a = isCubic ? -second : 1.0, b = isCubic ? 2.0 * (1.0 + second) : -2.0, c = isCubic ? -3.0 : 0.0;
  let most = 0.0;
  for (let k: usize = 0, end = <usize>nx << 3; k <= end; k += 8) {
    const here = load<f64>(u + k);
    most = max(most, abs(a + here * (b + c * here)));
  }
  return first * most;
}
