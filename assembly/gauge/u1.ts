// U(1) links as unit complex numbers: heat bath by Best & Fisher's von Mises sampler (Appl. Statist. 28 (1979) 152)
// and proposals that change the total flux by ±2π. With K = |K| e^{iφ} the sum of the two staples, a link's weight is
// exp(β Re UK), so its angle about −φ is von Mises with κ = β|K|.

import { allocate, fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { philox, uniform } from "../math/philox";
import { draws, drawLine, key0, key1, L, linkAt, MAX_ATTEMPTS, next, PLANE, previous, stream, volume } from "./lattice";
import { INTEGRATED_BELOW, seriesRatio } from "./link-mean";

const PI: f64 = 3.141592653589793;

let beta: f64 = 0;
let words: usize = 0;
/** Σ cos and Σ sin over all plaquettes, as the last measurement left them. */
export let cosines: f64 = 0, sines: f64 = 0;

export function openU1(inverseCoupling: f64): void {
  beta = inverseCoupling;
  words = allocate(16);
}

export function hotU1(at: usize, u: f64): void {
  store<f64>(at, Math.cos(2.0 * PI * u));
  store<f64>(at, Math.sin(2.0 * PI * u), 8);
}
export function coldU1(at: usize): void {
  store<f64>(at, 1.0);
  store<f64>(at, 0.0, 8);
}

/** One heat-bath sweep, line by line; with small β the link-integrated mean plaquette, else 0. */
export function sweepU1(sweep: u32): f64 {
  let sum = 0.0;
  for (let direction = 0; direction < 2; direction++) {
    for (let y = 0; y < L; y++) {
      const offset = drawLine(direction, y, sweep, 0, 0);
      drawLine(direction, y, sweep, 1, 2);
      sum += direction == 0 ? rowU1(y, sweep, offset) : columnU1(y, sweep, offset);
    }
  }
  return sum / (2.0 * <f64>volume);
}

/** Links of direction 0 in row y: K = U₁(x+1,y) U₀(x,y+1)* U₁(x,y)* + [U₁(x+1,y−1) U₀(x,y−1)* U₁(x,y−1)*]‡, ‡: below. */
function rowU1(y: i32, sweep: u32, offset: usize): f64 {
  const here = linkAt(0, y, 0), above = linkAt(0, next(y), 0), below = linkAt(0, previous(y), 0);
  const sides = linkAt(1, y, 0), lower = linkAt(1, previous(y), 0);
  const item = <u32>(y * L);
  let sum = 0.0;
  for (let x = 0; x < L; x++) {
    const at = <usize>x << 4, right = <usize>next(x) << 4;
    // a b* c* and, from the conjugate of the plaquette below, a* b* c.
    const k = threeLinks(sides + right, above + at, sides + at, 1.0, -1.0, -1.0);
    const l = threeLinks(lower + right, below + at, lower + at, -1.0, -1.0, 1.0);
    sum += heatLink(here + at, f64x2.add(k, l), item + x, sweep, offset + (<usize>x << 3));
  }
  return sum;
}

/** Links of direction 1 in row y, from left to right: the two plaquettes beside. */
function columnU1(y: i32, sweep: u32, offset: usize): f64 {
  const here = linkAt(1, y, 0), lower = linkAt(0, y, 0), upper = linkAt(0, next(y), 0);
  const item = <u32>(volume + y * L);
  let sum = 0.0;
  for (let x = 0; x < L; x++) {
    const at = <usize>x << 4, right = <usize>next(x) << 4, left = <usize>previous(x) << 4;
    const k = threeLinks(lower + left, upper + left, here + left, 1.0, -1.0, -1.0);
    const l = threeLinks(lower + at, here + right, upper + at, -1.0, -1.0, 1.0);
    sum += heatLink(here + at, f64x2.add(k, l), item + x, sweep, offset + (<usize>x << 3));
  }
  return sum;
}

/** The product of three links, each as it is (sign 1) or conjugate (−1). */
@inline function threeLinks(a: usize, b: usize, c: usize, sa: f64, sb: f64, sc: f64): v128 {
  const ar = load<f64>(a), ai = sa * load<f64>(a, 8), br = load<f64>(b), bi = sb * load<f64>(b, 8);
  const cr = load<f64>(c), ci = sc * load<f64>(c, 8);
  const re = ar * br - ai * bi, im = ar * bi + ai * br;
  return f64x2.replace_lane(f64x2.splat(re * cr - im * ci), 1, re * ci + im * cr);
}

/**
 * A new link at `at` given its staples; returns the mean of its two plaquettes with the link integrated (small β).
 *
 * Best & Fisher's r is τ/2κ with τ = 1 + √(1+4κ²). With z, w = cos, sin of the proposed πv their c is τ/(τ+2κz), and
 * the angle has cosine (2κ+τz)/(τ+2κz) and sine √(2τ) w/(τ+2κz): one quotient, nothing to cancel, any κ ≥ 0.
 */
@inline function heatLink(at: usize, staples: v128, item: u32, sweep: u32, offset: usize): f64 {
  const kr = f64x2.extract_lane(staples, 0), ki = f64x2.extract_lane(staples, 1);
  const size = sqrt(kr * kr + ki * ki);
  const twice = 2.0 * beta * size, tau = 1.0 + sqrt(1.0 + twice * twice);
  const turn = size > 0.0 ? 1.0 / size : 0.0;
  const wr = size > 0.0 ? kr * turn : 1.0, wi = ki * turn;
  let point = turnHalves(2.0 * load<f64>(draws + offset) - 1.0);
  let d = 1.0 / (tau + twice * f64x2.extract_lane(point, 0));
  const limit = load<f64>(draws + offset + PLANE), c = tau * d;
  if (!(c * (2.0 - c) > limit || Math.log(c / limit) + 1.0 - c >= 0.0)) {
    point = retry(tau, twice, item, sweep, draws + offset + 2 * PLANE);
    d = 1.0 / (tau + twice * f64x2.extract_lane(point, 0));
  }
  const cosine = (twice + tau * f64x2.extract_lane(point, 0)) * d;
  const sine = sqrt(2.0 * tau) * f64x2.extract_lane(point, 1) * d;
  store<f64>(at, cosine * wr + sine * wi); // e^{i(θ − φ)}
  store<f64>(at, sine * wr - cosine * wi, 8);
  return beta < INTEGRATED_BELOW ? 0.5 * size * seriesRatio(1, 0.5 * twice) : 0.0;
}

/** cos πv and sin πv of the first proposal that is accepted, from attempt 1 on, whose draws stand at `second`. */
function retry(tau: f64, twice: f64, item: u32, sweep: u32, second: usize): v128 {
  let u = load<f64>(second), limit = load<f64>(second + PLANE);
  for (let attempt: u32 = 1; attempt < MAX_ATTEMPTS;) {
    const point = turnHalves(2.0 * u - 1.0);
    const c = tau / (tau + twice * f64x2.extract_lane(point, 0));
    if (c * (2.0 - c) > limit || Math.log(c / limit) + 1.0 - c >= 0.0) return point;
    attempt++;
    philox(attempt, sweep, item, stream, key0, key1, words);
    u = uniform(load<u32>(words), load<u32>(words, 4));
    limit = uniform(load<u32>(words, 8), load<u32>(words, 12));
  }
  fail(Status.NON_FINITE);
  return f64x2(1.0, 0.0);
}

/** cos πv and sin πv, |v| ≤ 1, by Taylor's series to rounding on |x| ≤ π/4. */
@inline function turnHalves(v: f64): v128 {
  const quarter = nearest(2.0 * v);
  const x = PI * (v - 0.5 * quarter), y = x * x;
  const s = x * (1.0 + y * (-1.0 / 6.0 + y * (1.0 / 120.0 + y * (-1.0 / 5040.0 + y * (1.0 / 362880.0
    + y * (-1.0 / 39916800.0 + y * (1.0 / 6227020800.0 - y * (1.0 / 1307674368000.0))))))));
  const c = 1.0 + y * (-0.5 + y * (1.0 / 24.0 + y * (-1.0 / 720.0 + y * (1.0 / 40320.0 + y * (-1.0 / 3628800.0
    + y * (1.0 / 479001600.0 + y * (-1.0 / 87178291200.0 + y * (1.0 / 20922789888000.0))))))));
  const turns = <i32>quarter;
  const a = turns & 1 ? s : c, b = turns & 1 ? c : s;
  const real = (turns + 1) & 2 ? -a : a, imaginary = turns & 2 ? -b : b;
  return f64x2.replace_lane(f64x2.splat(real), 1, imaginary);
}

// ---- measurement and flux ------------------------------------------------------------------------------

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
