// The main sum Σ_{n<=N} n^{−½} cos(θ − t ln n) and its table of logarithms.
//
// Phases are counted in turns, x = θ/2π − t L_n with L_n = ln n / 2π. L = H + R with H the high 26 bits, t = T + d
// with T the high 26 bits of t: T·H and d·H are exact, so that the fraction of T·H is, and only t·R (below 2^8 at
// t = 10^10) rounds: an error of 2^-45 turns there, where the plain product is off by 10^-6. Then
// cos 2πx = sin 2π(¼ − |x|) by one odd polynomial, error 2e-16.
//
// Two lanes hold n and n + 1; the phases of 128 terms lie in L1 scratch between the two passes, because one long
// chain of dependent operations leaves the multipliers idle. Both are unrolled: V8 checks its stack in each turn of a
// loop (+25 %). Four polynomials go beside each other and share their coefficients. The first pass may go on behind the
// last term, by what lies there; nobody reads those phases.
//
// For sums at many heights close to one another (openNearby) the fractions φ of a L_n are kept, a the next multiple of 4,
// and the phase at t is φ + (t − a) L_n − θ/2π: t − a is exact and at most 2, so this rounds by some 2^-51 more. The
// multiple depends on t alone, and so does every bit of the sum.

import { allocate } from "../kernel/frame";
import { artanhSeries, ddAdd, ddDiv, ddMul, head, low } from "../math/dd";
import { INV_TWO_PI, INV_TWO_PI_LOW } from "./theta";

const BLOCK: i32 = 128;

/** Odd polynomial of sin 2πy, |y| <= ¼: coefficients of y^15 … y (Chebyshev fit, error 1.8e-16), each twice. */
const SINE: usize = memory.data<f64>([
  -0.69250670107207173421, -0.69250670107207173421, 3.817365633469135203, 3.817365633469135203,
  -15.094506140734291304, -15.094506140734291304, 42.058689953950938581, 42.058689953950938581,
  -76.70585968962867265, -76.70585968962867265, 81.60524927557976415, 81.60524927557976415,
  -41.341702240398286582, -41.341702240398286582, 6.2831853071795857574, 6.2831853071795857574,
  0.25, 0.25,
], 16);

/** The same from y^13 on, error 7.9e-14: for nearbySum, whose phases are no better than 2^-45 turns. */
const SHORT: usize = memory.data<f64>([
  3.6658551595639612, 3.6658551595639612, -15.081483206893, -15.081483206893, 42.058134871372054, 42.058134871372054,
  -76.70584754377326, -76.70584754377326, 81.60524914901583, 81.60524914901583, -41.341702239903675, -41.341702239903675,
  6.28318530717927, 6.28318530717927,
], 16);

let capacity: i32 = 0;
let filled: i32 = 0;
let headsAt: usize = 0;
let restsAt: usize = 0;
let weightsAt: usize = 0;
let scratchAt: usize = 0;
/** Of openNearby: L_n and φ_n, and the height a that these are of. */
let turnsAt: usize = 0;
let anchoredAt: usize = 0;
let anchor: f64 = -1;
/** t − a and θ/2π, each twice: nothing of a loop keeps a register that long. */
const NEAR: usize = memory.data(32, 16);
const SPACING: f64 = 4;
let logHigh: f64 = 0;
let logLow: f64 = 0;

/** Room for the terms n = 1 … terms; fillTerms then makes them. */
export function openTerms(terms: i32): void {
  capacity = (terms + 3) & ~3;
  filled = 0;
  headsAt = allocate(<usize>capacity << 3);
  restsAt = allocate(<usize>capacity << 3);
  weightsAt = allocate(<usize>capacity << 3);
  scratchAt = allocate((<usize>BLOCK << 3) + 64);
}

@inline export function termHeads(): usize { return headsAt; }
@inline export function termRests(): usize { return restsAt; }
@inline export function termWeights(): usize { return weightsAt; }
@inline export function termCapacity(): i32 { return capacity; }

/** Makes up to `count` more terms by ln(n + 1) = ln n + 2 artanh(1/(2n + 1)); true when all are there. */
export function fillTerms(count: i32): bool {
  const end = min(capacity, filled + count);
  if (filled == 0) { logHigh = 0; logLow = 0; }
  for (; filled < end; filled++) {
    const n = filled + 1;
    const turnsHigh = ddMul(logHigh, logLow, INV_TWO_PI, INV_TWO_PI_LOW), turnsLow = low;
    const h = head(turnsHigh);
    const at = <usize>filled << 3;
    store<f64>(headsAt + at, h);
    store<f64>(restsAt + at, (turnsHigh - h) + turnsLow);
    store<f64>(weightsAt + at, 1.0 / sqrt(<f64>n));
    const xh = ddDiv(1.0, 0, <f64>(2 * n + 1), 0);
    const step = artanhSeries(xh, low);
    logHigh = ddAdd(logHigh, logLow, 2.0 * step, 2.0 * low); logLow = low;
  }
  return filled == capacity;
}

/** L_n = ln n / 2π. */
@inline export function turnsOfTerm(n: i32): f64 {
  const at = <usize>(n - 1) << 3;
  return load<f64>(headsAt + at) + load<f64>(restsAt + at);
}

/** Fractions of t L_n less `turns`, for the terms n and n + 1 at byte offset `at`; within [−½, ½]. */
@inline export function phases(at: usize, high: v128, rest: v128, t: v128, turns: v128): v128 {
  return phasesAt(headsAt + at, restsAt - headsAt, high, rest, t, turns);
}
/** The same at the address `at` of a head, whose rest lies `toRests` further. */
@inline function phasesAt(at: usize, toRests: usize, high: v128, rest: v128, t: v128, turns: v128): v128 {
  const h = v128.load(at);
  let whole = f64x2.mul(high, h);
  whole = f64x2.sub(whole, f64x2.nearest(whole));
  let x = f64x2.add(f64x2.add(whole, f64x2.mul(rest, h)), f64x2.sub(f64x2.mul(t, v128.load(at + toRests)), turns));
  return f64x2.sub(x, f64x2.nearest(x));
}

/** cos 2πx, |x| <= ½. */
@inline export function cosineOfTurns(x: v128): v128 {
  return sineOfTurns(f64x2.sub(v128.load(SINE, 128), f64x2.abs(x)));
}

/** sin 2πy, |y| <= ¼. */
@inline function sineOfTurns(y: v128): v128 {
  const s = f64x2.mul(y, y);
  let p = f64x2.add(f64x2.mul(v128.load(SINE), s), v128.load(SINE, 16));
  p = f64x2.add(f64x2.mul(p, s), v128.load(SINE, 32));
  p = f64x2.add(f64x2.mul(p, s), v128.load(SINE, 48));
  p = f64x2.add(f64x2.mul(p, s), v128.load(SINE, 64));
  p = f64x2.add(f64x2.mul(p, s), v128.load(SINE, 80));
  p = f64x2.add(f64x2.mul(p, s), v128.load(SINE, 96));
  p = f64x2.add(f64x2.mul(p, s), v128.load(SINE, 112));
  return f64x2.mul(p, y);
}

/** The fraction of x within [−½, ½]. */
@inline export function fraction(x: v128): v128 { return f64x2.sub(x, f64x2.nearest(x)); }

/** Σ_{first<=n<=last} n^{−½} cos 2π(turns − t L_n), first odd; lanes of odd and even n, added at the end. */
export function mainSum(t: f64, turns: f64, first: i32, last: i32): f64 {
  const tHead = head(t);
  const high = f64x2.splat(tHead), rest = f64x2.splat(t - tHead), whole = f64x2.splat(t), shift = f64x2.splat(turns);
  let even = f64x2.splat(0), odd = f64x2.splat(0);
  const end = <usize>last << 3, toRests = restsAt - headsAt;
  for (let from = <usize>(first - 1) << 3; from < end; from += <usize>BLOCK << 3) {
    const to = min(from + (<usize>BLOCK << 3), end);
    let out = scratchAt;
    const stop = headsAt + to;
    for (let at = headsAt + from; at < stop; at += 64, out += 64) {
      v128.store(out, phasesAt(at, toRests, high, rest, whole, shift));
      v128.store(out, phasesAt(at + 16, toRests, high, rest, whole, shift), 16);
      v128.store(out, phasesAt(at + 32, toRests, high, rest, whole, shift), 32);
      v128.store(out, phasesAt(at + 48, toRests, high, rest, whole, shift), 48);
    }
    let at = scratchAt, w = weightsAt + from;
    const close = scratchAt + (to - from);
    for (; at + 64 <= close; at += 64, w += 64) {
      const x = f64x2.sub(v128.load(SINE, 128), f64x2.abs(v128.load(at)));
      const y = f64x2.sub(v128.load(SINE, 128), f64x2.abs(v128.load(at, 16)));
      const z = f64x2.sub(v128.load(SINE, 128), f64x2.abs(v128.load(at, 32)));
      const u = f64x2.sub(v128.load(SINE, 128), f64x2.abs(v128.load(at, 48)));
      const a = f64x2.mul(x, x), b = f64x2.mul(y, y), c = f64x2.mul(z, z), d = f64x2.mul(u, u);
      let k = v128.load(SINE), p = k, q = k, r = k, o = k;
      k = v128.load(SINE, 16);
      p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
      k = v128.load(SINE, 32);
      p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
      k = v128.load(SINE, 48);
      p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
      k = v128.load(SINE, 64);
      p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
      k = v128.load(SINE, 80);
      p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
      k = v128.load(SINE, 96);
      p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
      k = v128.load(SINE, 112);
      p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
      even = f64x2.add(even, f64x2.mul(f64x2.mul(p, x), v128.load(w)));
      odd = f64x2.add(odd, f64x2.mul(f64x2.mul(q, y), v128.load(w, 16)));
      even = f64x2.add(even, f64x2.mul(f64x2.mul(r, z), v128.load(w, 32)));
      odd = f64x2.add(odd, f64x2.mul(f64x2.mul(o, u), v128.load(w, 48)));
    }
    for (; at + 32 <= close; at += 32, w += 32) {
      even = f64x2.add(even, f64x2.mul(cosineOfTurns(v128.load(at)), v128.load(w)));
      odd = f64x2.add(odd, f64x2.mul(cosineOfTurns(v128.load(at, 16)), v128.load(w, 16)));
    }
    if (close - at >= 16) {
      even = f64x2.add(even, f64x2.mul(cosineOfTurns(v128.load(at)), v128.load(w)));
      at += 16; w += 16;
    }
    if (at < close) {
      odd = f64x2.add(odd, f64x2.mul(cosineOfTurns(v128.load64_zero(at)), v128.load64_zero(w)));
    }
  }
  const sum = f64x2.add(even, odd);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

// ---- sums at heights close to one another ------------------------------------------------------------------

/** Room for nearbySum, behind openTerms and when all terms are there. */
export function openNearby(): void {
  turnsAt = allocate(<usize>capacity << 3);
  anchoredAt = allocate(<usize>capacity << 3);
  anchor = -1;
  for (let at: usize = 0; at < <usize>capacity << 3; at += 8) store<f64>(turnsAt + at, load<f64>(headsAt + at) + load<f64>(restsAt + at));
}

function anchorAt(a: f64): void {
  const aHead = head(a), none = f64x2.splat(0);
  const high = f64x2.splat(aHead), rest = f64x2.splat(a - aHead), whole = f64x2.splat(a);
  for (let at: usize = 0; at < <usize>capacity << 3; at += 16) v128.store(anchoredAt + at, phases(at, high, rest, whole, none));
  anchor = a;
}

/** ¼ − |x|, x the fraction of the phase of the terms at `at` of the table of φ. */
@inline function nearby(at: usize, toTurns: usize): v128 {
  const x = f64x2.sub(f64x2.add(v128.load(at), f64x2.mul(v128.load(NEAR), v128.load(at + toTurns))), v128.load(NEAR, 16));
  return f64x2.sub(v128.load(SINE, 128), f64x2.abs(fraction(x)));
}

/** Σ_{n<=last} n^{−½} cos 2π(turns − t L_n); lanes of odd and even n, added at the end. */
export function nearbySum(t: f64, turns: f64, last: i32): f64 {
  const a = SPACING * nearest(t / SPACING);
  if (a != anchor) anchorAt(a);
  v128.store(NEAR, f64x2.splat(t - a));
  v128.store(NEAR, f64x2.splat(turns), 16);
  const toTurns = turnsAt - anchoredAt, toWeights = weightsAt - anchoredAt, close = anchoredAt + (<usize>last << 3);
  let even = f64x2.splat(0), odd = f64x2.splat(0), at = anchoredAt;
  for (; at + 64 <= close; at += 64) {
    const x = nearby(at, toTurns), y = nearby(at + 16, toTurns), z = nearby(at + 32, toTurns), u = nearby(at + 48, toTurns);
    const a = f64x2.mul(x, x), b = f64x2.mul(y, y), c = f64x2.mul(z, z), d = f64x2.mul(u, u);
    let k = v128.load(SHORT), p = k, q = k, r = k, o = k;
    k = v128.load(SHORT, 16);
    p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
    k = v128.load(SHORT, 32);
    p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
    k = v128.load(SHORT, 48);
    p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
    k = v128.load(SHORT, 64);
    p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
    k = v128.load(SHORT, 80);
    p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
    k = v128.load(SHORT, 96);
    p = f64x2.add(f64x2.mul(p, a), k); q = f64x2.add(f64x2.mul(q, b), k); r = f64x2.add(f64x2.mul(r, c), k); o = f64x2.add(f64x2.mul(o, d), k);
    even = f64x2.add(even, f64x2.mul(f64x2.mul(p, x), v128.load(at + toWeights)));
    odd = f64x2.add(odd, f64x2.mul(f64x2.mul(q, y), v128.load(at + toWeights, 16)));
    even = f64x2.add(even, f64x2.mul(f64x2.mul(r, z), v128.load(at + toWeights, 32)));
    odd = f64x2.add(odd, f64x2.mul(f64x2.mul(o, u), v128.load(at + toWeights, 48)));
  }
  for (; at < close; at += 16) {
    const w = v128.load(at + toWeights), term = f64x2.mul(sineOfTurns(nearby(at, toTurns)), w);
    even = f64x2.add(even, at + 8 < close ? term : f64x2.replace_lane(term, 1, 0.0));
  }
  const sum = f64x2.add(even, odd);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** n^{−½} cos 2π(turns − t L_n), with the exact products of phases(). */
export function termAt(n: i32, t: f64, turns: f64): f64 {
  const at = <usize>(n - 1) << 3, h = load<f64>(headsAt + at), tHead = head(t);
  const whole = tHead * h;
  const x = ((whole - nearest(whole)) + (t - tHead) * h) + (t * load<f64>(restsAt + at) - turns);
  return load<f64>(weightsAt + at) * cosTurns(x);
}

/** cos 2πx of any x. */
export function cosTurns(x: f64): f64 { return f64x2.extract_lane(cosineOfTurns(fraction(f64x2.splat(x))), 0); }
/** sin 2πx of any x. */
export function sinTurns(x: f64): f64 { return cosTurns(x - 0.25); }
