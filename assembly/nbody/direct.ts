// Newtonian attraction by direct sum,
//
//   aᵢ = Σⱼ G mⱼ (xⱼ − xᵢ) / (rᵢⱼ² + ε²)^{3/2},     U = −Σ_{i<j} G mᵢ mⱼ / (rᵢⱼ² + ε²)^{1/2}     (Plummer softening),
//
// each pair once by Newton's third law. The bodies are cut into blocks of 64; the pairs of blocks (I ≤ J), in
// rows, are dealt like cards to min(16, pairs) shares. A share has accumulators of its own and shares are added
// in order, so the sums do not depend on who computes a share: one thread goes through them with one room for all, several
// with one for each (../kernel/team.ts). Bodies i, i+1 are the two SIMD lanes: each lane does what scalar code would do in
// the same order.
//
// Body j stands in both lanes of a place of its own, and gets its reaction in two lanes (from i and from i+1) that are
// folded when its block pair is done.
//
// What is summed is wᵢ aᵢ, wᵢ = mᵢ / max m: one product serves both bodies of a pair. Where a mass is 0, or next to
// nothing beside the greatest, a pair has two products and aᵢ itself is summed ("onesided"). A few bodies are
// summed pair by pair, without blocks (./few.ts).
// U is summed within a row of up to 64 plainly, over rows with the error kept (Knuth's two-sum).

import { allocate } from "../kernel/frame";
import { TEAM, each } from "../kernel/team";
import { accelerationsAt, attractionsAt, count, massesAt, offsetsAt, positionsAt, stride } from "./bodies";
import { FEW, potentialOfFew, sumFew } from "./few";
import { softening } from "./problem";
import { sliceSpent, take, unspent } from "./slice";

const BLOCK: i32 = 64;
const SHARES: i32 = 16;

let blocks: i32 = 0;
let shares: i32 = 0;
let softening2: f64 = 0;

/** Of a share: 0 i32 block I · 4 i32 block J · 8 i64 work units of a call · 16 its potential, two lanes of sum, two of
 *  error · 48 accumulators ax ay az, as the accelerations · the bodies of block J, in places. */
let roomsAt: usize = 0;
let roomBytes: usize = 0;
const ROOM_POTENTIAL: usize = 16, ROOM_HEAD: usize = 48;
/** Accumulators, places and potential of the share at work. */
let shareAt: usize = 0;
/** Two equal lanes each: 0 x y z · 48 G m · 64 their reaction · 112 strength · 128 offsets x y z. */
let placesAt: usize = 0;
const PLACE: usize = 176;
let potentialAt: usize = 0;

/** Constants from memory, 1 and ε²: the engine would build them anew in the loop. */
const ones = memory.data<f64>([1.0, 1.0], 16);
const soft = memory.data(16, 16);
/** The greatest mass, in both lanes. */
const heaviest = memory.data(16, 16);
/** Where nobody is: what stands behind an odd last body, without mass. */
const NOWHERE: f64 = 1e60;
/** A mass of less than this share of the greatest moves no bit of another body's sum. */
const LIGHTEST: f64 = 1e-60;

/** wᵢ and 1/wᵢ. */
let weightsAt: usize = 0;
let perWeightAt: usize = 0;
let onesided: bool = false;

let share: i32 = 0;
let onlyPotential: bool = false;
let potentialSum: f64 = 0;
let potentialError: f64 = 0;

/** Work units of one force evaluation; `src/solvers/multibody/cost.ts` states the same formulas. */
export function directCost(bodies: i64): i64 { return pairCost(bodies * (bodies - 1)) + 8 * bodies + 25; }
/** Work units of one evaluation of the potential alone. */
export function directPotentialCost(bodies: i64): i64 { return (bodies * (bodies - 1) * 9) / 10 + 8 * bodies + 25; }
/** A pair counts twice here. */
@inline function pairCost(pairs: i64): i64 { return pairs * 14 / 10; }

export function layDirect(): void {
  blocks = (count + BLOCK - 1) / BLOCK;
  shares = min(SHARES, blocks * (blocks + 1) / 2);
  softening2 = softening() * softening();
  v128.store(soft, f64x2.splat(softening2));
  layWeights();
  roomBytes = ROOM_HEAD + 3 * stride + <usize>(BLOCK + 1) * PLACE;
  roomsAt = allocate(<usize>rooms() * roomBytes);
}

function layWeights(): void {
  weightsAt = allocate(stride);
  perWeightAt = allocate(stride);
  let most: f64 = 0, least = Infinity;
  for (let i: usize = 0; i < <usize>count << 3; i += 8) {
    most = max(most, load<f64>(massesAt + i));
    least = min(least, load<f64>(massesAt + i));
  }
  onesided = !(least >= LIGHTEST * most);
  v128.store(heaviest, f64x2.splat(most));
  for (let i: usize = 0; i < stride; i += 8) {
    const weight = onesided || i >= <usize>count << 3 ? 1.0 : load<f64>(massesAt + i) / most;
    store<f64>(weightsAt + i, weight);
    store<f64>(perWeightAt + i, 1.0 / weight);
  }
}

/** U at the positions of the last evaluation. */
export function directPotential(): f64 { return -(potentialSum + potentialError); }

export function beginDirect(potentialOnly: bool): void {
  onlyPotential = potentialOnly;
  potentialSum = 0; potentialError = 0;
  if (count <= FEW) return;
  if (!potentialOnly) memory.fill(accelerationsAt, 0, 3 * stride);
  share = 0;
  for (let k = rooms() - 1; k >= 0; k--) openShare(k);
}

/** Goes on with the evaluation until it is done (true) or the slice is spent (false). */
export function continueDirect(): bool {
  if (count <= FEW) {
    sumFew(softening2);
    potentialSum = potentialOfFew;
    take(directCost(count));
    return true;
  }
  if (!(TEAM ? goOnTogether() : goOnInTurn())) return false;
  if (!onlyPotential && !onesided) unweigh();
  return true;
}

function goOnInTurn(): bool {
  for (; share < shares; openShare(++share)) {
    while (!isDone(roomOf(share))) {
      quota = 0;
      goOn(share);
      take(load<i64>(roomOf(share), 8));
      if (sliceSpent()) return false;
    }
    closeShare(share);
  }
  return true;
}

function goOnTogether(): bool {
  while (share < shares) {
    quota = unspent() / shares;
    each(goOn, shares);
    let open = 0;
    for (let k = 0; k < shares; k++) {
      take(load<i64>(roomOf(k), 8));
      if (!isDone(roomOf(k))) open++;
    }
    if (open == 0) for (; share < shares; share++) closeShare(share);
    else if (sliceSpent()) return false;
  }
  return true;
}

/** What goOn() may spend beside the first pair of blocks. */
let quota: i64 = 0;

/** One or more pairs of blocks of a share that is not done; what they took stands in its room. */
function goOn(share: i32): void {
  const room = roomOf(share);
  potentialAt = room + ROOM_POTENTIAL;
  shareAt = room + ROOM_HEAD;
  placesAt = shareAt + 3 * stride;
  let spent: i64 = 0;
  while (!isDone(room) && (spent == 0 || spent < quota)) {
    const I = load<i32>(room), J = load<i32>(room, 4);
    spent += pairCost(2 * <i64>(onlyPotential ? blockPotential(I, J) : blockForce(I, J)));
    skipBlockPairs(room, shares);
  }
  store<i64>(room, spent, 8);
}

/** One room for all shares in turn; with several threads one for each. */
@inline function rooms(): i32 { return TEAM ? shares : 1; }
@inline function roomOf(share: i32): usize { return TEAM ? roomsAt + <usize>share * roomBytes : roomsAt; }
@inline function isDone(room: usize): bool { return load<i32>(room) >= blocks; }

/** From wᵢ aᵢ to aᵢ. */
function unweigh(): void {
  const s = stride;
  for (let p: usize = 0; p < s; p += 16) {
    const perWeight = v128.load(perWeightAt + p), a = accelerationsAt + p;
    v128.store(a, f64x2.mul(v128.load(a), perWeight));
    v128.store(a + s, f64x2.mul(v128.load(a + s), perWeight));
    v128.store(a + 2 * s, f64x2.mul(v128.load(a + 2 * s), perWeight));
  }
}

function openShare(share: i32): void {
  const room = roomOf(share);
  memory.fill(room, 0, onlyPotential ? ROOM_HEAD : ROOM_HEAD + 3 * stride);
  skipBlockPairs(room, share);
}

/** The block pair that comes `pairs` later in the rows (0,0) (0,1) … (1,1) (1,2) … */
function skipBlockPairs(room: usize, pairs: i32): void {
  let I = load<i32>(room), J = load<i32>(room, 4) + pairs;
  while (J >= blocks && I < blocks) {
    I++;
    J += I - blocks;
  }
  store<i32>(room, I); store<i32>(room, J, 4);
}

function closeShare(share: i32): void {
  const room = roomOf(share), sums = room + ROOM_HEAD;
  if (!onlyPotential) {
    for (let p: usize = 0; p < 3 * stride; p += 16) {
      v128.store(accelerationsAt + p, f64x2.add(v128.load(accelerationsAt + p), v128.load(sums + p)));
    }
  }
  const U = room + ROOM_POTENTIAL;
  addPotential(load<f64>(U), load<f64>(U, 16));
  addPotential(load<f64>(U, 8), load<f64>(U, 24));
}

function addPotential(sum: f64, error: f64): void {
  const total = potentialSum + sum;
  const kept = total - potentialSum;
  potentialError += (potentialSum - (total - kept)) + (sum - kept) + error;
  potentialSum = total;
}

// ---- one pair of blocks --------------------------------------------------------------------------------

function blockForce(I: i32, J: i32): i32 {
  const iEnd = min((I + 1) * BLOCK, count);
  const jFirst = J * BLOCK;
  const jEnd = min(jFirst + BLOCK, count);
  layPlaces(jFirst, jEnd);
  for (let i = I * BLOCK; i < iEnd; i += 2) {
    if (I == J && i + 1 < iEnd) pairForce(i);
    const jStart = I == J ? i + 2 : jFirst;
    if (jStart >= jEnd) continue;
    if (onesided) {
      if (offsetsAt) onesidedRowWithOffsets(i, jStart, jFirst, jEnd);
      else onesidedRow(i, jStart, jFirst, jEnd);
    } else if (offsetsAt) forceRowWithOffsets(i, jStart, jFirst, jEnd);
    else forceRow(i, jStart, jFirst, jEnd);
  }
  foldReactions(jFirst, jEnd);
  return pairsBetween(I, J, iEnd, jEnd);
}

@inline function pairsBetween(I: i32, J: i32, iEnd: i32, jEnd: i32): i32 {
  const inJ = jEnd - J * BLOCK;
  return I != J ? (iEnd - I * BLOCK) * inJ : inJ * (inJ - 1) / 2;
}

function layPlaces(jFirst: i32, jEnd: i32): void {
  const s = stride, zero = f64x2.splat(0.0), mass = attractionsAt - positionsAt, shift = offsetsAt - positionsAt;
  const end = positionsAt + (<usize>jEnd << 3);
  let to = placesAt;
  for (let at = positionsAt + (<usize>jFirst << 3); at < end; at += 8, to += PLACE) {
    put3(to, at, s);
    v128.store(to, v128.load64_splat(at + mass), 48);
    v128.store(to, zero, 64);
    v128.store(to, zero, 80);
    v128.store(to, zero, 96);
    if (offsetsAt) put3(to + 128, at + shift, s);
  }
  const far = f64x2.splat(NOWHERE);
  v128.store(to, far);
  v128.store(to, far, 16);
  v128.store(to, far, 32);
  v128.store(to, zero, 48);
  v128.store(to, zero, 64);
  v128.store(to, zero, 80);
  v128.store(to, zero, 96);
}

@inline function put3(to: usize, from: usize, s: usize): void {
  v128.store(to, v128.load64_splat(from));
  v128.store(to, v128.load64_splat(from + s), 16);
  v128.store(to, v128.load64_splat(from + 2 * s), 32);
}

/** Two places at a time: of an odd number the last stands beside nobody's, and one number behind is changed by 0. */
function foldReactions(jFirst: i32, jEnd: i32): void {
  for (let axis: usize = 0; axis < 3; axis++) {
    let from = placesAt + 64 + 16 * axis;
    const start = shareAt + axis * stride;
    const end = start + (<usize>jEnd << 3);
    for (let at = start + (<usize>jFirst << 3); at < end; at += 16, from += 2 * PLACE) {
      const a = v128.load(from), b = v128.load(from + PLACE);
      const even = v128.shuffle<f64>(a, b, 0, 2), odd = v128.shuffle<f64>(a, b, 1, 3);
      v128.store(at, f64x2.sub(v128.load(at), f64x2.add(even, odd)));
    }
  }
}

function forceRow(i: i32, jStart: i32, jFirst: i32, jEnd: i32): void { row(i, jStart, jFirst, jEnd, false, false); }
function forceRowWithOffsets(i: i32, jStart: i32, jFirst: i32, jEnd: i32): void { row(i, jStart, jFirst, jEnd, true, false); }
function onesidedRow(i: i32, jStart: i32, jFirst: i32, jEnd: i32): void { row(i, jStart, jFirst, jEnd, false, true); }
function onesidedRowWithOffsets(i: i32, jStart: i32, jFirst: i32, jEnd: i32): void { row(i, jStart, jFirst, jEnd, true, true); }

/**
 * Bodies i, i+1 against j in [jStart, jEnd): the innermost loops of everything. First the strengths of the row, which
 * wait in the places, then what they do along x, y, z: square root and division take so long that otherwise everything
 * behind them fills the processor's window.
 */
@inline function row(i: i32, jStart: i32, jFirst: i32, jEnd: i32, offset: bool, onesided: bool): void {
  const s = stride;
  const iAt = positionsAt + (<usize>i << 3), oAt = offset ? offsetsAt + (<usize>i << 3) : iAt;
  const start = placesAt + <usize>(jStart - jFirst) * PLACE, end = placesAt + <usize>(jEnd - jFirst) * PLACE;
  const xi = v128.load(iAt), yi = v128.load(iAt + s), zi = v128.load(iAt + 2 * s);
  const ox = v128.load(oAt), oy = v128.load(oAt + s), oz = v128.load(oAt + 2 * s);
  const gi = v128.load(attractionsAt + (<usize>i << 3)), wi = v128.load(weightsAt + (<usize>i << 3));
  const one = v128.load(ones), eps2 = v128.load(soft);
  let phi = f64x2.splat(0.0);
  for (let p = start; p < end; p += 2 * PLACE) {
    const a = f64x2.sqrt(squared(p, xi, yi, zi, ox, oy, oz, eps2, offset));
    const b = f64x2.sqrt(squared(p + PLACE, xi, yi, zi, ox, oy, oz, eps2, offset));
    // 1/a = b (1/ab): one division for two places.
    const both = f64x2.div(one, f64x2.mul(a, b));
    v128.store(p, f64x2.mul(both, b), 112);
    v128.store(p, f64x2.mul(both, a), 112 + PLACE);
  }

  let ax = f64x2.splat(0.0), ay = ax, az = ax;
  for (let p = start; p < end; p += 2 * PLACE) {
    const q = p + PLACE, ip = v128.load(p, 112), iq = v128.load(q, 112);
    const ep = energy(p, wi, ip, onesided), eq = energy(q, wi, iq, onesided);
    phi = f64x2.add(f64x2.add(phi, ep), eq);
    const ip2 = f64x2.mul(ip, ip), iq2 = f64x2.mul(iq, iq);
    const fp = f64x2.mul(ep, ip2), fq = f64x2.mul(eq, iq2);
    // Used where onesided only.
    const bp = f64x2.mul(gi, f64x2.mul(ip, ip2)), bq = f64x2.mul(gi, f64x2.mul(iq, iq2));
    ax = f64x2.add(f64x2.add(ax, along(p, xi, ox, fp, bp, offset, onesided)), along(q, xi, ox, fq, bq, offset, onesided));
    ay = f64x2.add(f64x2.add(ay, along(p + 16, yi, oy, fp, bp, offset, onesided)), along(q + 16, yi, oy, fq, bq, offset, onesided));
    az = f64x2.add(f64x2.add(az, along(p + 32, zi, oz, fp, bp, offset, onesided)), along(q + 32, zi, oz, fq, bq, offset, onesided));
  }
  const to = shareAt + (<usize>i << 3);
  v128.store(to, f64x2.add(v128.load(to), ax));
  v128.store(to + s, f64x2.add(v128.load(to + s), ay));
  v128.store(to + 2 * s, f64x2.add(v128.load(to + 2 * s), az));
  addRowPotential(i, phi, onesided);
}

/** wᵢ G mⱼ / r (onesided: G mⱼ / r). */
@inline function energy(p: usize, wi: v128, inverse: v128, onesided: bool): v128 {
  const gj = v128.load(p, 48);
  return f64x2.mul(onesided ? gj : f64x2.mul(wi, gj), inverse);
}

/** The force along the axis whose coordinate is at p; its reaction goes to the place. */
@inline function along(p: usize, own: v128, ownOffset: v128, onI: v128, onJ: v128, offset: bool, onesided: bool): v128 {
  const d = apart(p, own, ownOffset, offset), force = f64x2.mul(onI, d);
  v128.store(p, f64x2.add(v128.load(p, 64), onesided ? f64x2.mul(onJ, d) : force), 64);
  return force;
}

/** r² + ε² from the body at `p`. */
@inline function squared(p: usize, xi: v128, yi: v128, zi: v128, ox: v128, oy: v128, oz: v128, eps2: v128, offset: bool): v128 {
  const x = apart(p, xi, ox, offset), y = apart(p + 16, yi, oy, offset), z = apart(p + 32, zi, oz, offset);
  const r2 = f64x2.add(f64x2.add(f64x2.mul(x, x), f64x2.mul(y, y)), f64x2.mul(z, z));
  return f64x2.add(r2, eps2);
}

/** Coordinate at p less one's own; with offsets, position from position and offset from offset. */
@inline function apart(p: usize, own: v128, ownOffset: v128, offset: bool): v128 {
  const d = f64x2.sub(v128.load(p), own);
  return offset ? f64x2.add(d, f64x2.sub(v128.load(p, 128), ownOffset)) : d;
}

/** Adds mᵢ Σⱼ G mⱼ / r of a row, both lanes, to the potential of the share: `phi` is that over the mass or max m. */
@inline function addRowPotential(i: i32, phi: v128, overOwnMass: bool): void {
  const term = f64x2.mul(phi, v128.load(overOwnMass ? massesAt + (<usize>i << 3) : heaviest));
  const old = v128.load(potentialAt);
  const sum = f64x2.add(old, term);
  const kept = f64x2.sub(sum, old);
  const error = f64x2.add(f64x2.sub(old, f64x2.sub(sum, kept)), f64x2.sub(term, kept));
  v128.store(potentialAt, sum);
  v128.store(potentialAt, f64x2.add(v128.load(potentialAt, 16), error), 16);
}

/** The pair (i, i+1), which no row meets. */
function pairForce(i: i32): void {
  const s = stride, at = <usize>i << 3;
  const dx = toNext(at), dy = toNext(at + s), dz = toNext(at + 2 * s);
  const inverse = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + softening2);
  const g = attractionsAt + at, gj = load<f64>(g, 8);
  const energy = onesided ? gj * inverse : load<f64>(weightsAt + at) * gj * inverse;
  const onI = energy * (inverse * inverse);
  const onJ = onesided ? load<f64>(g) * inverse * (inverse * inverse) : onI;
  const to = shareAt + at;
  store<f64>(to, load<f64>(to) + onI * dx);
  store<f64>(to + s, load<f64>(to + s) + onI * dy);
  store<f64>(to + 2 * s, load<f64>(to + 2 * s) + onI * dz);
  store<f64>(to, load<f64>(to, 8) - onJ * dx, 8);
  store<f64>(to + s, load<f64>(to + s, 8) - onJ * dy, 8);
  store<f64>(to + 2 * s, load<f64>(to + 2 * s, 8) - onJ * dz, 8);
  addRowPotential(i, f64x2.replace_lane(f64x2.splat(0.0), 0, energy), onesided);
}

/** The difference between two neighbouring entries of the positions (and offsets), `at` bytes from their start. */
@inline function toNext(at: usize): f64 {
  const p = positionsAt + at, difference = load<f64>(p, 8) - load<f64>(p);
  const o = offsetsAt + at;
  return offsetsAt ? difference + (load<f64>(o, 8) - load<f64>(o)) : difference;
}

// ---- the potential alone, at the positions: for schemes whose steps do not end at a force evaluation ------

function blockPotential(I: i32, J: i32): i32 {
  const iEnd = min((I + 1) * BLOCK, count);
  const jFirst = J * BLOCK;
  const jEnd = min(jFirst + BLOCK, count);
  for (let i = I * BLOCK; i < iEnd; i += 2) {
    if (I == J && i + 1 < iEnd) pairPotential(i);
    const jStart = I == J ? i + 2 : jFirst;
    if (jStart < jEnd) potentialRow(i, jStart, jEnd);
  }
  return pairsBetween(I, J, iEnd, jEnd);
}

function potentialRow(i: i32, jStart: i32, jEnd: i32): void {
  const s = stride;
  const iAt = positionsAt + (<usize>i << 3);
  const xi = v128.load(iAt), yi = v128.load(iAt + s), zi = v128.load(iAt + 2 * s), eps2 = v128.load(soft);
  const masses = attractionsAt - positionsAt;
  let phi = f64x2.splat(0.0), p = positionsAt + (<usize>jStart << 3);
  const end = positionsAt + (<usize>jEnd << 3);
  for (; p + 8 < end; p += 16) {
    const a = f64x2.sqrt(squaredAt(p, xi, yi, zi, eps2)), b = f64x2.sqrt(squaredAt(p + 8, xi, yi, zi, eps2));
    const ga = v128.load64_splat(p + masses), gb = v128.load64_splat(p + masses, 8);
    // g/a + h/b = (g b + h a)/ab
    phi = f64x2.add(phi, f64x2.div(f64x2.add(f64x2.mul(ga, b), f64x2.mul(gb, a)), f64x2.mul(a, b)));
  }
  if (p < end) phi = f64x2.add(phi, f64x2.div(v128.load64_splat(p + masses), f64x2.sqrt(squaredAt(p, xi, yi, zi, eps2))));
  addRowPotential(i, phi, true);
}

/** r² + ε² from the body with its x at p, of the arrays. */
@inline function squaredAt(p: usize, xi: v128, yi: v128, zi: v128, eps2: v128): v128 {
  const dx = f64x2.sub(v128.load64_splat(p), xi), dy = f64x2.sub(v128.load64_splat(p + stride), yi);
  const dz = f64x2.sub(v128.load64_splat(p + 2 * stride), zi);
  return f64x2.add(f64x2.add(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)), f64x2.mul(dz, dz)), eps2);
}

function pairPotential(i: i32): void {
  const at = <usize>i << 3;
  const dx = toNext(at), dy = toNext(at + stride), dz = toNext(at + 2 * stride);
  const distance = sqrt(dx * dx + dy * dy + dz * dz + softening2);
  const g = attractionsAt + (<usize>i << 3);
  addRowPotential(i, f64x2.replace_lane(f64x2.splat(0.0), 0, load<f64>(g, 8) / distance), true);
}
