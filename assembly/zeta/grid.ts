// Z on a stretch of heights: the main sum on a uniform grid by rotations, and between its points by interpolation.
//
// With t = T + d, φ_n = t L_n at d = 0 in turns and the band centred by λ ≈ ½ ln N_max / 2π,
//   G(d) = Σ_{n<=N} n^{−½} exp 2πi(φ_n + d(L_n − λ)),   Z = 2 Re[G(d) exp −2πi(θ(t)/2π − dλ)] + remainder.
// G has no frequency above λ, so grid points kδ with δ = 1/(8λ) are four times as dense as needed and Lagrange's
// formula on 2H = 32 points around d has error at most (π δ λ)^{2H} / √(πH) of Σ n^{−½}, about 2·10^-14, in the
// middle interval (barycentric form: Berrut and Trefethen, SIAM Rev. 46 (2004) 501).
//
// Along the grid a term is rotated by a constant angle: two chains, of even and odd k, each by the double angle,
// so that 128 products suffice; each is off by at most 2^-51 (|error| 2.2 ulp and that of the factor), 2^-44 in
// all. Every block starts anew from exact phases. Four terms go along the grid together, lanes n and n + 1.

import { allocate } from "../kernel/frame";
import { head } from "../math/dd";
import { remainder, siegelTerms, thetaTurns } from "./hardy";
import {
  cosineOfTurns, cosTurns, fraction, phases, sinTurns, termCapacity, termAt, termHeads, termRests, termWeights,
  turnsOfTerm,
} from "./main-sum";
import { INV_TWO_PI, thetaStep } from "./theta";

/** Most samples of a block. */
export const SAMPLES: i32 = 256;
const HALF: i32 = 16;
/** Samples before the first height that is asked for: half an interpolation and a few more. */
export const LEAD: i32 = 20;
/** Samples at the end that only interpolation uses. */
export const TRAIL: i32 = 17;

let delta: f64 = 0;
let centre: f64 = 0;
let rotationsAt: usize = 0;
let sumsAt: usize = 0;
let realAt: usize = 0;
let imaginaryAt: usize = 0;
let binomialsAt: usize = 0;
let lastWeightsAt: usize = 0;

let anchor: f64 = 0;
let logAnchor: f64 = 0;
let anchorTurns: f64 = 0;
let samples: i32 = 0;
let terms: i32 = 0;
let nextTerm: i32 = 0;

/** Distance of grid points. */
@inline export function gridStep(): f64 { return delta; }

/** Room and constants for blocks whose terms are at most `most`; the tables of terms are filled. */
export function openGrid(most: i32): void {
  centre = ceil(0.5 * turnsOfTerm(max(most, 2)) * 65536.0) / 65536.0;
  delta = floor(1048576.0 / (8.0 * centre)) / 1048576.0;
  rotationsAt = allocate(<usize>termCapacity() << 4);
  sumsAt = allocate(<usize>SAMPLES << 5);
  realAt = allocate(<usize>SAMPLES << 3);
  imaginaryAt = allocate(<usize>SAMPLES << 3);
  binomialsAt = allocate(2 * HALF * 8);
  lastWeightsAt = allocate(32);
  let binomial = 1.0;
  for (let i = 0; i < 2 * HALF; i++) {
    store<f64>(binomialsAt + (<usize>i << 3), (i & 1) == 1 ? -binomial : binomial);
    binomial = binomial * <f64>(2 * HALF - 1 - i) / <f64>(i + 1);
  }
}

/** The double angle's cosines and sines of terms from … to − 1 (multiples of 4), as [cos, sin] of a pair of terms. */
export function fillRotations(from: i32, to: i32): void {
  const quarter = f64x2.splat(0.25), step = f64x2.splat(2.0 * delta), middle = f64x2.splat(centre);
  for (let at = <usize>from << 3; at < <usize>to << 3; at += 16) {
    const x = fraction(f64x2.mul(step, detuning(at, middle)));
    v128.store(rotationsAt + (at << 1), cosineOfTurns(x));
    v128.store(rotationsAt + (at << 1), cosineOfTurns(fraction(f64x2.sub(x, quarter))), 16);
  }
}

@inline function detuning(at: usize, middle: v128): v128 {
  return f64x2.add(f64x2.sub(v128.load(termHeads() + at), middle), v128.load(termRests() + at));
}

/** Begins a block whose grid starts at height `from`. */
export function openBlock(from: f64, count: i32): void {
  anchor = from;
  logAnchor = Math.log(from * INV_TWO_PI);
  anchorTurns = thetaTurns(from);
  samples = (count + 3) & ~3;
  terms = siegelTerms(from);
  nextTerm = 0;
  memory.fill(sumsAt, 0, <usize>samples << 5);
}

/** Work units for four terms of a block. */
@inline export function groupWork(count: i32): i32 { return 32 + count + (count >> 3); }

/** Adds `groups` more groups of four terms; true when the block is ready. */
export function extendBlock(groups: i32): bool {
  const tHead = head(anchor);
  const high = f64x2.splat(tHead), rest = f64x2.splat(anchor - tHead), whole = f64x2.splat(anchor);
  for (; groups > 0 && nextTerm < terms; groups--) {
    const at = <usize>nextTerm << 3;
    rotate(at, weightsOf(nextTerm), high, rest, whole);
    nextTerm += 4;
  }
  if (nextTerm < terms) return false;
  for (let k = 0; k < samples; k++) {
    const sum = sumsAt + (<usize>k << 5), out = <usize>k << 3;
    store<f64>(realAt + out, load<f64>(sum) + load<f64>(sum, 8));
    store<f64>(imaginaryAt + out, load<f64>(sum, 16) + load<f64>(sum, 24));
  }
  return true;
}

/** Where the weights of four terms from n = first + 1 on lie; those past the last term are 0. */
function weightsOf(first: i32): usize {
  if (first + 4 <= terms) return termWeights() + (<usize>first << 3);
  for (let i = 0; i < 4; i++) {
    const weight = first + i < terms ? load<f64>(termWeights() + (<usize>(first + i) << 3)) : 0.0;
    store<f64>(lastWeightsAt + (<usize>i << 3), weight);
  }
  return lastWeightsAt;
}

/** Adds four terms, two a lane pair, at all grid points; four points a turn, as V8 checks its stack in each (+26 %). */
function rotate(at: usize, weights: usize, high: v128, rest: v128, whole: v128): void {
  const quarter = f64x2.splat(0.25), none = f64x2.splat(0), step = f64x2.splat(delta), middle = f64x2.splat(centre);
  const x0 = phases(at, high, rest, whole, none), y0 = phases(at + 16, high, rest, whole, none);
  const x1 = fraction(f64x2.add(x0, f64x2.mul(step, detuning(at, middle))));
  const y1 = fraction(f64x2.add(y0, f64x2.mul(step, detuning(at + 16, middle))));
  const w = v128.load(weights), v = v128.load(weights, 16);
  let ar = f64x2.mul(w, cosineOfTurns(x0)), ai = f64x2.mul(w, cosineOfTurns(fraction(f64x2.sub(x0, quarter))));
  let br = f64x2.mul(w, cosineOfTurns(x1)), bi = f64x2.mul(w, cosineOfTurns(fraction(f64x2.sub(x1, quarter))));
  let cr = f64x2.mul(v, cosineOfTurns(y0)), ci = f64x2.mul(v, cosineOfTurns(fraction(f64x2.sub(y0, quarter))));
  let dr = f64x2.mul(v, cosineOfTurns(y1)), di = f64x2.mul(v, cosineOfTurns(fraction(f64x2.sub(y1, quarter))));
  const pc = v128.load(rotationsAt + (at << 1)), ps = v128.load(rotationsAt + (at << 1), 16);
  const qc = v128.load(rotationsAt + (at << 1), 32), qs = v128.load(rotationsAt + (at << 1), 48);
  const end = sumsAt + (<usize>samples << 5);
  for (let sum = sumsAt; sum < end; sum += 128) {
    v128.store(sum, f64x2.add(v128.load(sum), f64x2.add(ar, cr)));
    v128.store(sum, f64x2.add(v128.load(sum, 16), f64x2.add(ai, ci)), 16);
    v128.store(sum, f64x2.add(v128.load(sum, 32), f64x2.add(br, dr)), 32);
    v128.store(sum, f64x2.add(v128.load(sum, 48), f64x2.add(bi, di)), 48);
    let next = f64x2.sub(f64x2.mul(ar, pc), f64x2.mul(ai, ps));
    ai = f64x2.add(f64x2.mul(ar, ps), f64x2.mul(ai, pc)); ar = next;
    next = f64x2.sub(f64x2.mul(br, pc), f64x2.mul(bi, ps));
    bi = f64x2.add(f64x2.mul(br, ps), f64x2.mul(bi, pc)); br = next;
    next = f64x2.sub(f64x2.mul(cr, qc), f64x2.mul(ci, qs));
    ci = f64x2.add(f64x2.mul(cr, qs), f64x2.mul(ci, qc)); cr = next;
    next = f64x2.sub(f64x2.mul(dr, qc), f64x2.mul(di, qs));
    di = f64x2.add(f64x2.mul(dr, qs), f64x2.mul(di, qc)); dr = next;
    v128.store(sum, f64x2.add(v128.load(sum, 64), f64x2.add(ar, cr)), 64);
    v128.store(sum, f64x2.add(v128.load(sum, 80), f64x2.add(ai, ci)), 80);
    v128.store(sum, f64x2.add(v128.load(sum, 96), f64x2.add(br, dr)), 96);
    v128.store(sum, f64x2.add(v128.load(sum, 112), f64x2.add(bi, di)), 112);
    next = f64x2.sub(f64x2.mul(ar, pc), f64x2.mul(ai, ps));
    ai = f64x2.add(f64x2.mul(ar, ps), f64x2.mul(ai, pc)); ar = next;
    next = f64x2.sub(f64x2.mul(br, pc), f64x2.mul(bi, ps));
    bi = f64x2.add(f64x2.mul(br, ps), f64x2.mul(bi, pc)); br = next;
    next = f64x2.sub(f64x2.mul(cr, qc), f64x2.mul(ci, qs));
    ci = f64x2.add(f64x2.mul(cr, qs), f64x2.mul(ci, qc)); cr = next;
    next = f64x2.sub(f64x2.mul(dr, qc), f64x2.mul(di, qs));
    di = f64x2.add(f64x2.mul(dr, qs), f64x2.mul(di, qc)); dr = next;
  }
}

/** θ(t)/2π modulo 1 in the block. */
@inline export function turnsInBlock(t: f64): f64 {
  return anchorTurns + thetaStep(anchor, logAnchor, t - anchor) * INV_TWO_PI;
}

/** Z(t) in the block, from anchor + 15 δ to anchor + (samples − 17) δ. */
export function zInBlock(t: f64): f64 {
  const d = t - anchor, turns = turnsInBlock(t);
  interpolate(d / delta);
  const x = turns - d * centre;
  let sum = interpolatedReal * cosTurns(x) + interpolatedImaginary * sinTurns(x);
  const last = siegelTerms(t);
  for (let n = terms + 1; n <= last; n++) sum += termAt(n, t, turns);
  return 2.0 * sum + remainder(t, last);
}

let interpolatedReal: f64 = 0;
let interpolatedImaginary: f64 = 0;

function interpolate(x: f64): void {
  const node = <i32>floor(x), first = node - (HALF - 1);
  const offset = <usize>first << 3;
  if (x == <f64>node) {
    interpolatedReal = load<f64>(realAt + (<usize>node << 3));
    interpolatedImaginary = load<f64>(imaginaryAt + (<usize>node << 3));
    return;
  }
  const y = x - <f64>first;
  let distance = f64x2.replace_lane(f64x2.splat(y), 1, y - 1.0);
  const two = f64x2.splat(2);
  let norm = f64x2.splat(0), real = f64x2.splat(0), imaginary = f64x2.splat(0);
  for (let at: usize = 0; at < <usize>(2 * HALF) << 3; at += 16) {
    const weight = f64x2.div(v128.load(binomialsAt + at), distance);
    norm = f64x2.add(norm, weight);
    real = f64x2.add(real, f64x2.mul(weight, v128.load(realAt + offset + at)));
    imaginary = f64x2.add(imaginary, f64x2.mul(weight, v128.load(imaginaryAt + offset + at)));
    distance = f64x2.sub(distance, two);
  }
  const scale = 1.0 / (f64x2.extract_lane(norm, 0) + f64x2.extract_lane(norm, 1));
  interpolatedReal = scale * (f64x2.extract_lane(real, 0) + f64x2.extract_lane(real, 1));
  interpolatedImaginary = scale * (f64x2.extract_lane(imaginary, 0) + f64x2.extract_lane(imaginary, 1));
}
