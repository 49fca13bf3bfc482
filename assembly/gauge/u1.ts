// U(1) links as unit complex numbers: heat bath by Best & Fisher's von Mises sampler (Appl. Statist. 28 (1979) 152)
// and proposals that change the total flux by ±2π. With K = |K| e^{iφ} the sum of the two staples, a link's weight is
// exp(β Re UK), so its angle about −φ is von Mises with κ = β|K|.

import { allocate, fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { logs } from "../math/lanes";
import { philox, uniform } from "../math/philox";
import {
  draws, drawLine, key0, key1, L, linesPerChunk, linkAt, MAX_ATTEMPTS, next, PLANE, previous, stream, volume,
} from "./lattice";
import { INTEGRATED_BELOW, seriesRatio } from "./link-mean";

const PI: f64 = 3.141592653589793;

let beta: f64 = 0;
let words: usize = 0;
/**
 * Of the links of a line: cos, sin of −φ · |K| · 2κ · τ · cos, sin of what is proposed · 1/(τ + 2κ cos); of those that wait
 * for a proposal: two uniforms, and their number in the line (u32).
 */
let lineAt: usize = 0, plane: usize = 0;
/** Σ cos and Σ sin over all plaquettes, as the last measurement left them. */
export let cosines: f64 = 0, sines: f64 = 0;

export function openU1(inverseCoupling: f64): void {
  beta = inverseCoupling;
  words = allocate(16);
  plane = <usize>(L + 2) << 3;
  lineAt = allocate(11 * plane);
}

export function hotU1(at: usize, u: f64): void {
  store<f64>(at, Math.cos(2.0 * PI * u));
  store<f64>(at, Math.sin(2.0 * PI * u), 8);
}
export function coldU1(at: usize): void {
  store<f64>(at, 1.0);
  store<f64>(at, 0.0, 8);
}

// ---- heat bath, a line of links at a time ----------------------------------------------------------------
//
// Links of direction 0 in a row know nothing of each other, and neither do links of direction 1 in a column. So a line of
// them goes through passes, two links at a time: staples, proposals until all are taken, new links.

/** One heat-bath sweep; with small β the link-integrated mean plaquette, else 0. */
export function sweepU1(sweep: u32): f64 {
  let sum = 0.0;
  for (let y = 0; y < L; y++) {
    const offset = drawLine(0, y, sweep, 0, 0);
    drawLine(0, y, sweep, 1, 2);
    sum += heatLine(0, y, 0, L, sweep, draws + offset, 8);
  }
  const rows = linesPerChunk();
  for (let y = 0; y < L; y += rows) {
    drawLine(1, y, sweep, 0, 0);
    drawLine(1, y, sweep, 1, 2);
    for (let x = 0; x < L; x++) sum += heatLine(1, y, x, min(rows, L - y), sweep, draws + (<usize>x << 3), <usize>L << 3);
  }
  return sum / (2.0 * <f64>volume);
}

/**
 * `count` links of a direction from (x, y) on, along x or along y, whose draws stand at `random`, `pace` bytes apart;
 * returns the sum of the means of their two plaquettes with the link integrated (small β).
 */
function heatLine(direction: i32, y: i32, x: i32, count: i32, sweep: u32, random: usize, pace: usize): f64 {
  if (direction == 0) for (let i = 0; i < count; i += 2) rowStaples(y, i, min(i + 1, count - 1));
  else for (let i = 0; i < count; i += 2) columnStaples(x, y, i, min(i + 1, count - 1));
  propose(count, sweep, <u32>(direction * volume + y * L + x), direction == 0 ? 1 : <u32>L, random, pace);
  newLinks(linkAt(direction, y, x), direction == 0 ? 16 : <usize>L << 4, count);
  if (beta >= INTEGRATED_BELOW) return 0.0;
  let sum = 0.0;
  for (let at = lineAt + 2 * plane; at < lineAt + 2 * plane + (<usize>count << 3); at += 8) {
    sum += 0.5 * load<f64>(at) * seriesRatio(1, beta * load<f64>(at));
  }
  return sum;
}

/** K of the links (i, y) and (j, y) = U₁(x+1,y) U₀(x,y+1)* U₁(x,y)* + [U₁(x+1,y−1) U₀(x,y−1)* U₁(x,y−1)*]‡, ‡: below. */
@inline function rowStaples(y: i32, i: i32, j: i32): void {
  const above = linkAt(0, next(y), 0), below = linkAt(0, previous(y), 0);
  const sides = linkAt(1, y, 0), lower = linkAt(1, previous(y), 0);
  const at = <usize>i << 4, beside = <usize>j << 4, right = <usize>next(i) << 4, far = <usize>next(j) << 4;
  keepStaples(
    i, sides + right, sides + far, above + at, above + beside, sides + at, sides + beside,
    lower + right, lower + far, below + at, below + beside, lower + at, lower + beside,
  );
}

/** K of the links of direction 1 in column x, i and j rows after y: the two plaquettes beside. */
@inline function columnStaples(x: i32, y: i32, i: i32, j: i32): void {
  const at = <usize>x << 4, left = <usize>previous(x) << 4, right = <usize>next(x) << 4, upright = <usize>volume << 4;
  const u = linkAt(0, y + i, 0), v = linkAt(0, y + j, 0), over = linkAt(0, next(y + i), 0), above = linkAt(0, next(y + j), 0);
  keepStaples(
    i, u + left, v + left, over + left, above + left, u + upright + left, v + upright + left,
    u + at, v + at, u + upright + right, v + upright + right, over + at, above + at,
  );
}

@inline function reals(a: v128, b: v128): v128 { return v128.shuffle<f64>(a, b, 0, 2); }
@inline function imaginaries(a: v128, b: v128): v128 { return v128.shuffle<f64>(a, b, 1, 3); }

/** a b* c* + (d e)* f of two links, and what follows from its length, to place i of the line. */
@inline function keepStaples(
  i: i32, a: usize, a2: usize, b: usize, b2: usize, c: usize, c2: usize,
  d: usize, d2: usize, e: usize, e2: usize, f: usize, f2: usize,
): void {
  let p = v128.load(a), q = v128.load(a2);
  let ar = reals(p, q), ai = imaginaries(p, q);
  p = v128.load(b); q = v128.load(b2);
  let br = reals(p, q), bi = imaginaries(p, q);
  let re = f64x2.add(f64x2.mul(ar, br), f64x2.mul(ai, bi)), im = f64x2.sub(f64x2.mul(ai, br), f64x2.mul(ar, bi));
  p = v128.load(c); q = v128.load(c2);
  br = reals(p, q); bi = imaginaries(p, q);
  const kr = f64x2.add(f64x2.mul(re, br), f64x2.mul(im, bi)), ki = f64x2.sub(f64x2.mul(im, br), f64x2.mul(re, bi));
  p = v128.load(d); q = v128.load(d2);
  ar = reals(p, q); ai = imaginaries(p, q);
  p = v128.load(e); q = v128.load(e2);
  br = reals(p, q); bi = imaginaries(p, q);
  re = f64x2.sub(f64x2.mul(ar, br), f64x2.mul(ai, bi)); im = f64x2.add(f64x2.mul(ar, bi), f64x2.mul(ai, br));
  p = v128.load(f); q = v128.load(f2);
  br = reals(p, q); bi = imaginaries(p, q);
  keepLength(
    lineAt + (<usize>i << 3), f64x2.add(kr, f64x2.add(f64x2.mul(re, br), f64x2.mul(im, bi))),
    f64x2.add(ki, f64x2.sub(f64x2.mul(re, bi), f64x2.mul(im, br))),
  );
}

@inline function keepLength(at: usize, kr: v128, ki: v128): void {
  const one = f64x2.splat(1.0), zero = f64x2.splat(0.0);
  const size = f64x2.sqrt(f64x2.add(f64x2.mul(kr, kr), f64x2.mul(ki, ki))), some = f64x2.gt(size, zero);
  const turn = f64x2.div(one, size), twice = f64x2.mul(f64x2.splat(2.0 * beta), size);
  v128.store(at, v128.bitselect(f64x2.mul(kr, turn), one, some));
  v128.store(at + plane, v128.and(f64x2.mul(ki, turn), some));
  v128.store(at + 2 * plane, size);
  v128.store(at + 3 * plane, twice);
  v128.store(at + 4 * plane, f64x2.add(one, f64x2.sqrt(f64x2.add(one, f64x2.mul(twice, twice)))));
}

@inline function waiting(k: i32): i32 { return load<i32>(lineAt + 10 * plane + (<usize>k << 2)); }
@inline function wait(k: i32, i: i32): void { store<i32>(lineAt + 10 * plane + (<usize>k << 2), i); }

/** Proposals to all links of the line until each has taken one; link i of it is item `item` + i `step`. */
function propose(count: i32, sweep: u32, item: u32, step: u32, random: usize, pace: usize): void {
  let left = firstProposals(count, random, pace);
  for (let attempt: u32 = 1; left > 0; attempt++) {
    if (attempt == MAX_ATTEMPTS) { fail(Status.NON_FINITE); return; }
    for (let k = 0; k < left; k++) {
      const at = random + 2 * PLANE + <usize>waiting(k) * pace;
      if (attempt == 1) putDraw(k, load<f64>(at), load<f64>(at + PLANE));
      else drawAnew(k, attempt, sweep, item + <u32>waiting(k) * step);
    }
    left = proposals(left);
  }
}

@inline function putDraw(k: i32, u: f64, limit: f64): void {
  const at = lineAt + 8 * plane + (<usize>k << 3);
  store<f64>(at, u);
  store<f64>(at + plane, limit);
}

function drawAnew(k: i32, attempt: u32, sweep: u32, item: u32): void {
  philox(attempt, sweep, item, stream, key0, key1, words);
  putDraw(k, uniform(load<u32>(words), load<u32>(words, 4)), uniform(load<u32>(words, 8), load<u32>(words, 12)));
}

/** f64 at two places. */
@inline function pairOf(a: usize, b: usize): v128 { return v128.load64_lane(b, v128.load64_zero(a), 1); }
@inline function putPair(a: usize, b: usize, pair: v128): void {
  v128.store64_lane(a, pair, 0);
  v128.store64_lane(b, pair, 1);
}

/**
 * Which of two links refuse: bit 0 the first, bit 1 the second. Leaves cosines, sines and d at their places.
 *
 * Best & Fisher's r is τ/2κ with τ = 1 + √(1+4κ²). With z, w = cos, sin of the proposed πv their c is τ/(τ+2κz), and
 * the angle has cosine (2κ+τz)/(τ+2κz) and sine √(2τ) w/(τ+2κz): one quotient, nothing to cancel, any κ ≥ 0.
 */
@inline function refusals(u: v128, limit: v128, tau: v128, twice: v128, cosines: usize, sines: usize, quotients: usize): i32 {
  const one = f64x2.splat(1.0), two = f64x2.splat(2.0);
  turnTwo(f64x2.sub(f64x2.add(u, u), one), cosines, sines);
  const d = f64x2.div(one, f64x2.add(tau, f64x2.mul(twice, v128.load(cosines))));
  v128.store(quotients, d);
  const c = f64x2.mul(tau, d), rest = f64x2.sub(f64x2.add(logs(f64x2.div(c, limit)), one), c);
  return i64x2.bitmask(v128.or(f64x2.gt(f64x2.mul(c, f64x2.sub(two, c)), limit), f64x2.ge(rest, f64x2.splat(0.0)))) ^ 3;
}

/** A proposal to each link of the line; those that refuse it wait, and are counted. */
function firstProposals(count: i32, random: usize, pace: usize): i32 {
  let left = 0, from = random;
  for (let i = 0; i < count; i += 2, from += 2 * pace) {
    const at = lineAt + (<usize>i << 3), beside = i + 1 < count ? from + pace : from;
    const refused = refusals(
      pairOf(from, beside), pairOf(from + PLANE, beside + PLANE), v128.load(at + 4 * plane), v128.load(at + 3 * plane),
      at + 5 * plane, at + 6 * plane, at + 7 * plane,
    );
    wait(left, i);
    left += refused & 1;
    if (i + 1 < count) { wait(left, i + 1); left += refused >> 1; }
  }
  return left;
}

/** The same to those that wait. */
function proposals(count: i32): i32 {
  const last = lineAt + 8 * plane + (<usize>count << 3) - 8;
  putDraw(count, load<f64>(last), load<f64>(last + plane)); // beside an odd last one it stands again
  wait(count, waiting(count - 1));
  let left = 0;
  for (let k = 0; k < count; k += 2) {
    const i = waiting(k), j = waiting(k + 1), a = lineAt + (<usize>i << 3), b = lineAt + (<usize>j << 3);
    const draw = lineAt + 8 * plane + (<usize>k << 3);
    const refused = refusals(
      v128.load(draw), v128.load(draw + plane), pairOf(a + 4 * plane, b + 4 * plane), pairOf(a + 3 * plane, b + 3 * plane),
      found, found + 16, found + 32,
    );
    putPair(a + 5 * plane, b + 5 * plane, v128.load(found));
    putPair(a + 6 * plane, b + 6 * plane, v128.load(found + 16));
    putPair(a + 7 * plane, b + 7 * plane, v128.load(found + 32));
    wait(left, i);
    left += refused & 1;
    if (k + 1 < count) { wait(left, j); left += refused >> 1; }
  }
  return left;
}

/** e^{i(θ − φ)} of the line's links, which stand `pace` bytes apart from `to` on. */
function newLinks(to: usize, pace: usize, count: i32): void {
  const two = f64x2.splat(2.0);
  for (let i = 0; i < count; i += 2, to += 2 * pace) {
    const at = lineAt + (<usize>i << 3), wr = v128.load(at), wi = v128.load(at + plane);
    const tau = v128.load(at + 4 * plane), d = v128.load(at + 7 * plane);
    const cosine = f64x2.mul(f64x2.add(v128.load(at + 3 * plane), f64x2.mul(tau, v128.load(at + 5 * plane))), d);
    const sine = f64x2.mul(f64x2.mul(f64x2.sqrt(f64x2.mul(two, tau)), v128.load(at + 6 * plane)), d);
    const re = f64x2.add(f64x2.mul(cosine, wr), f64x2.mul(sine, wi)), im = f64x2.sub(f64x2.mul(sine, wr), f64x2.mul(cosine, wi));
    v128.store(to, reals(re, im));
    if (i + 1 < count) v128.store(to + pace, imaginaries(re, im));
  }
}

/** Of sin x / x and cos x in x², from the highest power, each twice; π, and the signs' bit. */
const SERIES: usize = memory.data<f64>([
  -1.0 / 1307674368000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, 1.0 / 6227020800.0,
  -1.0 / 39916800.0, -1.0 / 39916800.0, 1.0 / 362880.0, 1.0 / 362880.0, -1.0 / 5040.0, -1.0 / 5040.0,
  1.0 / 120.0, 1.0 / 120.0, -1.0 / 6.0, -1.0 / 6.0, 1.0, 1.0,
  1.0 / 20922789888000.0, 1.0 / 20922789888000.0, -1.0 / 87178291200.0, -1.0 / 87178291200.0,
  1.0 / 479001600.0, 1.0 / 479001600.0, -1.0 / 3628800.0, -1.0 / 3628800.0, 1.0 / 40320.0, 1.0 / 40320.0,
  -1.0 / 720.0, -1.0 / 720.0, 1.0 / 24.0, 1.0 / 24.0, -0.5, -0.5, 3.141592653589793, 3.141592653589793,
], 16);

@inline function series(at: usize, y: v128): v128 {
  let sum = f64x2.add(f64x2.mul(v128.load(at), y), v128.load(at + 16));
  sum = f64x2.add(f64x2.mul(sum, y), v128.load(at + 32));
  sum = f64x2.add(f64x2.mul(sum, y), v128.load(at + 48));
  sum = f64x2.add(f64x2.mul(sum, y), v128.load(at + 64));
  sum = f64x2.add(f64x2.mul(sum, y), v128.load(at + 80));
  sum = f64x2.add(f64x2.mul(sum, y), v128.load(at + 96));
  return f64x2.add(f64x2.mul(sum, y), v128.load(at + 112));
}

const found: usize = memory.data(48, 16);

/** cos πv and sin πv, |v| ≤ 1, by Taylor's series to rounding on |x| ≤ π/4: of two. */
@inline function turnTwo(v: v128, cosines: usize, sines: usize): void {
  const half = f64x2.splat(0.5), one = i64x2.splat(1);
  const quarter = f64x2.nearest(f64x2.add(v, v)), x = f64x2.mul(v128.load(SERIES + 256), f64x2.sub(v, f64x2.mul(half, quarter)));
  const y = f64x2.mul(x, x), s = f64x2.mul(x, series(SERIES, y));
  const c = f64x2.add(f64x2.splat(1.0), f64x2.mul(y, series(SERIES + 128, y)));
  const turns = f64x2.add(quarter, f64x2.splat(6755399441055744.0)); // 1.5·2⁵²: the last bits are the integer
  const odd = i64x2.neg(v128.and(turns, one));
  const real = i64x2.shl(i64x2.shr_u(i64x2.add(turns, one), 1), 63), imaginary = i64x2.shl(i64x2.shr_u(turns, 1), 63);
  v128.store(cosines, v128.xor(v128.bitselect(s, c, odd), real));
  v128.store(sines, v128.xor(v128.bitselect(c, s, odd), imaginary));
}

// ---- measurement and flux ------------------------------------------------------------------------------

/** The product of three links, each as it is (sign 1) or conjugate (−1). */
@inline function threeLinks(a: usize, b: usize, c: usize, sa: f64, sb: f64, sc: f64): v128 {
  const ar = load<f64>(a), ai = sa * load<f64>(a, 8), br = load<f64>(b), bi = sb * load<f64>(b, 8);
  const cr = load<f64>(c), ci = sc * load<f64>(c, 8);
  const re = ar * br - ai * bi, im = ar * bi + ai * br;
  return f64x2.replace_lane(f64x2.splat(re * cr - im * ci), 1, re * ci + im * cr);
}

@inline function plaquetteU1(y: i32, x: i32): v128 {
  const right = next(x), up = next(y);
  const k = threeLinks(linkAt(1, y, right), linkAt(0, up, x), linkAt(1, y, x), 1.0, -1.0, -1.0);
  const kr = f64x2.extract_lane(k, 0), ki = f64x2.extract_lane(k, 1);
  const ur = load<f64>(linkAt(0, y, x)), ui = load<f64>(linkAt(0, y, x), 8);
  return f64x2.replace_lane(f64x2.splat(ur * kr - ui * ki), 1, ur * ki + ui * kr);
}

/** Σ cos θ_p and Σ sin θ_p into `cosines` and `sines`. */
export function measureU1(): void {
  cosines = 0.0;
  sines = 0.0;
  for (let y = 0; y < L; y++) measureRow(y);
}

function measureRow(y: i32): void {
  const here = linkAt(0, y, 0), above = linkAt(0, next(y), 0), sides = linkAt(1, y, 0);
  let c = 0.0, s = 0.0;
  for (let x = 0; x < L; x++) {
    const at = <usize>x << 4, right = <usize>next(x) << 4;
    const k = threeLinks(sides + right, above + at, sides + at, 1.0, -1.0, -1.0);
    const kr = f64x2.extract_lane(k, 0), ki = f64x2.extract_lane(k, 1);
    const ur = load<f64>(here + at), ui = load<f64>(here + at, 8);
    c += ur * kr - ui * ki;
    s += ur * ki + ui * kr;
  }
  cosines += c;
  sines += s;
}

/** Topological charge, Σ arg U_p / 2π, an integer up to rounding. */
export function chargeU1(): f64 {
  let sum = 0.0;
  for (let y = 0; y < L; y++) {
    for (let x = 0; x < L; x++) {
      const p = plaquetteU1(y, x);
      sum += Math.atan2(f64x2.extract_lane(p, 1), f64x2.extract_lane(p, 0));
    }
  }
  return nearest(sum / (2.0 * PI));
}

/**
 * Proposes to turn every plaquette by ±2π/V, so that the total flux changes by one: U₀(x,y) by −φy, U₁(x,L−1) by φLx.
 * Accepted with exp(ΔS), which needs only Σ cos and Σ sin. Returns 1 when accepted.
 */
export function proposeFlux(sweep: u32): i32 {
  philox(0, sweep, 2 * volume, stream, key0, key1, words);
  const angle = 2.0 * PI / <f64>volume;
  const phi = uniform(load<u32>(words), load<u32>(words, 4)) < 0.5 ? -angle : angle;
  const turned = cosines * Math.cos(phi) - sines * Math.sin(phi);
  const gain = beta * (turned - cosines);
  if (gain < 0.0 && uniform(load<u32>(words, 8), load<u32>(words, 12)) >= Math.exp(gain)) return 0;
  sines = sines * Math.cos(phi) + cosines * Math.sin(phi);
  cosines = turned;
  for (let y = 1; y < L; y++) {
    const c = Math.cos(phi * <f64>y), s = -Math.sin(phi * <f64>y);
    for (let x = 0; x < L; x++) turnLink(linkAt(0, y, x), c, s);
  }
  for (let x = 1; x < L; x++) {
    const turn = phi * <f64>L * <f64>x;
    turnLink(linkAt(1, L - 1, x), Math.cos(turn), Math.sin(turn));
  }
  return 1;
}

/** By e^{iφ}, and back to length 1. */
function turnLink(at: usize, c: f64, s: f64): void {
  const re = load<f64>(at) * c - load<f64>(at, 8) * s, im = load<f64>(at) * s + load<f64>(at, 8) * c;
  const scale = 1.0 / sqrt(re * re + im * im);
  store<f64>(at, re * scale);
  store<f64>(at, im * scale, 8);
}
