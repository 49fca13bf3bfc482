// One explicit step in place: u ← u + D dt δ²u + dt R(u, v), row by row, with copies of the rows below as they were.
// On the way it gathers, from the values before the step, the moments whose balance the verdict knows, and the least
// concentration. Two nodes in a vector; sums run over columns 0 … nx−1 in pairs, so their shape is fixed.

import { isPeriodic, lastFree, shareOf, widthOf } from "../grid/axis";
import { copyRow, fillGhosts, rowAbove, rowAt, rowBelow, rowBytes } from "../grid/field";
import { bindColumn, evaluateStrip, STRIP } from "../expression/formulas";
import { partialOf, setValue } from "../expression/program";
import { allocate } from "../kernel/frame";
import { Model, first, model, nx, ny, second, x, y } from "./problem";

/** What a step multiplies by, laid down once: D dt/dx² and D dt/dy² of u and v, and the models' own (below). */
let uAlongX: f64 = 0, uAlongY: f64 = 0, vAlongX: f64 = 0, vAlongY: f64 = 0;
let keptU: f64 = 0, keptV: f64 = 0, fed: f64 = 0, turned: f64 = 0, made: f64 = 0, quadratic: f64 = 0, cubic: f64 = 0;

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
  ratesV = allocate(rowBytes(nx) + 32);
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
function growRow(row: usize, below: usize, above: usize, keep: usize, rates: usize, alongX: f64, alongY: f64, kept: f64): v128 {
  let least = f64x2.splat(load<f64>(row)), most = least;
  const cx = f64x2.splat(alongX), cy = f64x2.splat(alongY), stays = f64x2.splat(kept), dt = f64x2.splat(made);
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
  momentA += addRates(share, growRow(u, uBelow, uAbove, uKeep, ratesU, uAlongX, uAlongY, keptU), ratesU);
  uLeast = min(uLeast, rowLeast);
  uMost = max(uMost, rowMost);
  if (v) {
    momentB += addRates(share, growRow(v, vBelow, vAbove, vKeep, ratesV, vAlongX, vAlongY, keptV), ratesV);
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

@inline function spread(alongX: v128, left: v128, right: v128, alongY: v128, below: v128, above: v128): v128 {
  return f64x2.add(f64x2.mul(alongX, f64x2.add(left, right)), f64x2.mul(alongY, f64x2.add(below, above)));
}

function rowOfOne(row: usize, below: usize, above: usize, keep: usize): void {
  const cx = f64x2.splat(uAlongX), cy = f64x2.splat(uAlongY), kept = f64x2.splat(keptU);
  const second = f64x2.splat(quadratic), third = f64x2.splat(cubic), isCubic = cubic != 0.0;
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

/** The same on square cells (`bool`), by one product: two constants fewer for the registers. */
@inline function spreadOn<Cells>(alongX: v128, left: v128, right: v128, alongY: v128, below: v128, above: v128): v128 {
  if (isBoolean<Cells>()) return f64x2.mul(alongX, f64x2.add(f64x2.add(left, right), f64x2.add(below, above)));
  return spread(alongX, left, right, alongY, below, above);
}

/** The first (f64) or second (v128) pair behind the pointers: offsets that the instructions hold. */
// What Gray–Scott takes from u and gives to v, dt uv², the Brusselator's dt u²v goes the other way. */
@inline function pairOfTwo<Pair, Cells>(
  isBrusselator: bool, u: usize, uBelow: usize, uAbove: usize, uKeep: usize, v: usize, vBelow: usize, vAbove: usize, vKeep: usize,
  a: v128, b: v128, uLeft: v128, vLeft: v128, uRight: v128, vRight: v128,
  ux: v128, uy: v128, vx: v128, vy: v128, ku: v128, kv: v128, feed: v128, dt: v128, turn: v128,
): void {
  const uMoved = spreadOn<Cells>(ux, uLeft, uRight, uy, v128.load(uBelow, isVector<Pair>() ? 16 : 0), v128.load(uAbove, isVector<Pair>() ? 16 : 0));
  const vMoved = spreadOn<Cells>(vx, vLeft, vRight, vy, v128.load(vBelow, isVector<Pair>() ? 16 : 0), v128.load(vAbove, isVector<Pair>() ? 16 : 0));
  const uOwn = f64x2.add(feed, f64x2.mul(ku, a)), vOwn = f64x2.mul(kv, b);
  v128.store(uKeep, a, isVector<Pair>() ? 16 : 0);
  v128.store(vKeep, b, isVector<Pair>() ? 16 : 0);
  if (isBrusselator) {
    const formed = f64x2.mul(f64x2.mul(dt, b), f64x2.mul(a, a));
    v128.store(u, f64x2.add(uOwn, f64x2.add(uMoved, formed)), isVector<Pair>() ? 16 : 0);
    v128.store(v, f64x2.add(f64x2.add(f64x2.mul(turn, a), vOwn), f64x2.sub(vMoved, formed)), isVector<Pair>() ? 16 : 0);
  } else {
    const eaten = f64x2.mul(f64x2.mul(dt, a), f64x2.mul(b, b));
    v128.store(u, f64x2.add(uOwn, f64x2.sub(uMoved, eaten)), isVector<Pair>() ? 16 : 0);
    v128.store(v, f64x2.add(vOwn, f64x2.add(vMoved, eaten)), isVector<Pair>() ? 16 : 0);
  }
}

/** A row of two species in turns of two pairs, sums and the least over nodes 0 … nx − 1; `bool`: the Brusselator, square cells. */
function rowOfTwo<Species, Cells>(u: usize, uBelow: usize, uAbove: usize, uKeep: usize, v: usize, vBelow: usize, vAbove: usize, vKeep: usize): void {
  const isBrusselator = isBoolean<Species>(), end = u + (<usize>nx << 3);
  const ux = f64x2.splat(uAlongX), uy = f64x2.splat(uAlongY), vx = f64x2.splat(vAlongX), vy = f64x2.splat(vAlongY);
  const ku = f64x2.splat(keptU), kv = f64x2.splat(keptV), feed = f64x2.splat(fed), dt = f64x2.splat(made), turn = f64x2.splat(turned);
  let uLeft = v128.load(u - 8), vLeft = v128.load(v - 8), sumA = f64x2.splat(0), sumB = sumA, least = f64x2.splat(lowest);
  for (; u + 32 <= end; u += 32, uBelow += 32, uAbove += 32, uKeep += 32, v += 32, vBelow += 32, vAbove += 32, vKeep += 32) {
    const a = v128.load(u), b = v128.load(v), uNext = v128.load(u, 8), vNext = v128.load(v, 8);
    pairOfTwo<f64, Cells>(isBrusselator, u, uBelow, uAbove, uKeep, v, vBelow, vAbove, vKeep, a, b, uLeft, vLeft, uNext, vNext, ux, uy, vx, vy, ku, kv, feed, dt, turn);
    sumA = f64x2.add(sumA, a); sumB = f64x2.add(sumB, b);
    least = f64x2.pmin(least, f64x2.pmin(a, b));
    const c = v128.load(u, 16), d = v128.load(v, 16);
    uLeft = v128.load(u, 24); vLeft = v128.load(v, 24);
    pairOfTwo<v128, Cells>(isBrusselator, u, uBelow, uAbove, uKeep, v, vBelow, vAbove, vKeep, c, d, uNext, vNext, uLeft, vLeft, ux, uy, vx, vy, ku, kv, feed, dt, turn);
    sumA = f64x2.add(sumA, c); sumB = f64x2.add(sumB, d);
    least = f64x2.pmin(least, f64x2.pmin(c, d));
  }
  for (; u <= end; u += 16, uBelow += 16, uAbove += 16, uKeep += 16, v += 16, vBelow += 16, vAbove += 16, vKeep += 16) {
    const a = v128.load(u), b = v128.load(v), uRight = v128.load(u, 8), vRight = v128.load(v, 8);
    pairOfTwo<f64, Cells>(isBrusselator, u, uBelow, uAbove, uKeep, v, vBelow, vAbove, vKeep, a, b, uLeft, vLeft, uRight, vRight, ux, uy, vx, vy, ku, kv, feed, dt, turn);
    uLeft = uRight; vLeft = vRight;
    if (u >= end) break;
    sumA = f64x2.add(sumA, a); sumB = f64x2.add(sumB, b);
    least = f64x2.pmin(least, f64x2.pmin(a, b));
  }
  keepSums(sumA, sumB, f64x2.splat(0), least);
}

@inline function rowOnCells<Species>(u: usize, uBelow: usize, uAbove: usize, uKeep: usize, v: usize, vBelow: usize, vAbove: usize, vKeep: usize): void {
  if (uAlongX == uAlongY) rowOfTwo<Species, bool>(u, uBelow, uAbove, uKeep, v, vBelow, vAbove, vKeep);
  else rowOfTwo<Species, f64>(u, uBelow, uAbove, uKeep, v, vBelow, vAbove, vKeep);
}

@inline function lanes(sum: v128): f64 { return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1); }

@inline function keepSums(sumA: v128, sumB: v128, sumC: v128, least: v128): void {
  rowA = lanes(sumA);
  rowB = lanes(sumB);
  rowC = lanes(sumC);
  lowest = min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
}

/** Sums of a row to its integral: ends of an axis without flux count half; `keep` has them as they were. */
function closeRow(share: f64, uKeep: usize, vKeep: usize): void {
  const far = <usize>nx << 3;
  let a = rowA, b = rowB, c = rowC;
  if (!isPeriodic(x)) {
    const s = load<f64>(uKeep), e = load<f64>(uKeep + far);
    a += 0.5 * (e - s);
    b += vKeep ? 0.5 * (load<f64>(vKeep + far) - load<f64>(vKeep)) : 0.5 * (e * e - s * s);
    if (model == Model.NAGUMO) c += 0.5 * (e * e * e - s * s * s);
    lowest = min(lowest, min(e, vKeep ? load<f64>(vKeep + far) : e));
  }
  momentA += share * a; momentB += share * b; momentC += share * c;
}

/** `scratch`: room for two padded rows. v = 0: one species. */
export function step(u: usize, v: usize, scratch: usize, rowLength: usize): void {
  const last = lastFree(y), uKeep = scratch + 16, vKeep = v ? uKeep + rowLength : 0;
  momentA = momentB = momentC = 0.0;
  lowest = Infinity;
  uLeast = vLeast = Infinity;
  uMost = vMost = -Infinity;
  for (let j = 0; j <= last; j++) {
    const row = rowAt(u, nx, j);
    fillGhosts(row, x);
    const below = ny > 0 ? rowBelow(u, nx, y, j, uKeep, 0) : row, above = ny > 0 ? rowAbove(u, nx, y, j, uKeep) : row;
    if (v) {
      const other = rowAt(v, nx, j);
      fillGhosts(other, x);
      const under = ny > 0 ? rowBelow(v, nx, y, j, vKeep, 0) : other, over = ny > 0 ? rowAbove(v, nx, y, j, vKeep) : other;
      if (model == Model.OWN) { rowOfOwn(shareOf(y, j), row, below, above, uKeep, other, under, over, vKeep); continue; }
      if (model == Model.BRUSSELATOR) rowOnCells<bool>(row, below, above, uKeep, other, under, over, vKeep);
      else rowOnCells<f64>(row, below, above, uKeep, other, under, over, vKeep);
    } else if (model == Model.OWN) { rowOfOwn(shareOf(y, j), row, below, above, uKeep, 0, 0, 0, 0); continue; }
    else rowOfOne(row, below, above, uKeep);
    closeRow(shareOf(y, j), uKeep, vKeep);
  }
  const cells = <f64>nx * <f64>max(1, ny);
  momentA /= cells; momentB /= cells; momentC /= cells;
  closeRing(u);
  if (v) closeRing(v);
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
