// SU(2) links as unit quaternions a₀ + i a·σ. With K = k V the sum of the two staples, k = |K| and V in SU(2), a link
// is U = X V†, where X has weight √(1−x₀²) e^{αx₀}, α = βk: by Kennedy & Pendleton (Phys. Lett. B 156 (1985) 393)
// for α ≥ 1.5, by Creutz (Phys. Rev. D 21 (1980) 2308) below. Then one overrelaxation, U → V†U†V† (Creutz, Phys.
// Rev. D 36 (1987) 515), which keeps the action. Links are brought back to length 1 every 16 sweeps.

import { allocate, fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { philox, uniform } from "../math/philox";
import {
  draws, drawLine, key0, key1, L, linkAt, links, MAX_ATTEMPTS, next, PLANE, previous, stream, volume,
} from "./lattice";
import { INTEGRATED_BELOW, seriesRatio } from "./link-mean";

const PI: f64 = 3.141592653589793;
const KENNEDY_PENDLETON_FROM: f64 = 1.5;
/** Draw number of the direction on the sphere, out of the way of the attempts 2a and 2a+1. */
const DIRECTION: u32 = 1 << 31;

let beta: f64 = 0;
let words: usize = 0, staple: usize = 0, product: usize = 0;

export function openSU2(inverseCoupling: f64): void {
  beta = inverseCoupling;
  words = allocate(32);
  staple = allocate(32);
  product = allocate(64);
}

// ---- quaternions ---------------------------------------------------------------------------------------

/** a b at `out`, each with its vector part times its sign: −1 for the adjoint. `out` may be neither. */
export function multiply(out: usize, a: usize, sa: f64, b: usize, sb: f64): void {
  const a0 = load<f64>(a), a1 = sa * load<f64>(a, 8), a2 = sa * load<f64>(a, 16), a3 = sa * load<f64>(a, 24);
  const b0 = load<f64>(b), b1 = sb * load<f64>(b, 8), b2 = sb * load<f64>(b, 16), b3 = sb * load<f64>(b, 24);
  store<f64>(out, a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3);
  store<f64>(out, a0 * b1 + b0 * a1 - (a2 * b3 - a3 * b2), 8);
  store<f64>(out, a0 * b2 + b0 * a2 - (a3 * b1 - a1 * b3), 16);
  store<f64>(out, a0 * b3 + b0 * a3 - (a1 * b2 - a2 * b1), 24);
}

function addProduct(sum: usize, a: usize, sa: f64, b: usize, sb: f64, c: usize, sc: f64): void {
  multiply(product, a, sa, b, sb);
  multiply(product + 32, product, 1.0, c, sc);
  for (let i: usize = 0; i < 32; i += 8) store<f64>(sum + i, load<f64>(sum + i) + load<f64>(product + 32 + i));
}

export function coldSU2(at: usize): void {
  store<f64>(at, 1.0);
  store<f64>(at, 0.0, 8);
  store<f64>(at, 0.0, 16);
  store<f64>(at, 0.0, 24);
}

/** Haar-distributed from three uniforms (Shoemake, Graphics Gems III (1992) 124). */
export function hotSU2(at: usize, u: f64, v: f64, w: f64): void {
  const inner = sqrt(u), outer = sqrt(1.0 - u);
  store<f64>(at, inner * Math.cos(2.0 * PI * v));
  store<f64>(at, inner * Math.sin(2.0 * PI * v), 8);
  store<f64>(at, outer * Math.cos(2.0 * PI * w), 16);
  store<f64>(at, outer * Math.sin(2.0 * PI * w), 24);
}

// ---- updates -------------------------------------------------------------------------------------------

/** Sum of the two staples at `staple`. */
function gather(direction: i32, y: i32, x: i32): void {
  const right = next(x), up = next(y);
  memory.fill(staple, 0, 32);
  if (direction == 0) {
    const down = previous(y);
    addProduct(staple, linkAt(1, y, right), 1.0, linkAt(0, up, x), -1.0, linkAt(1, y, x), -1.0);
    addProduct(staple, linkAt(1, down, right), -1.0, linkAt(0, down, x), -1.0, linkAt(1, down, x), 1.0);
  } else {
    const left = previous(x);
    addProduct(staple, linkAt(0, up, left), -1.0, linkAt(1, y, left), -1.0, linkAt(0, y, left), 1.0);
    addProduct(staple, linkAt(0, up, x), 1.0, linkAt(1, y, right), -1.0, linkAt(0, y, x), -1.0);
  }
}

/** Divides the staple sum by its length, which it returns; the unit where it vanishes. */
function normalise(at: usize): f64 {
  let square = 0.0;
  for (let i: usize = 0; i < 32; i += 8) square += load<f64>(at + i) * load<f64>(at + i);
  const size = sqrt(square);
  if (size == 0.0) { coldSU2(at); return 0.0; }
  for (let i: usize = 0; i < 32; i += 8) store<f64>(at + i, load<f64>(at + i) / size);
  return size;
}

/** A heat-bath and an overrelaxation sweep; with small β the link-integrated mean plaquette, else 0. */
export function sweepSU2(sweep: u32): f64 {
  let sum = 0.0;
  for (let direction = 0; direction < 2; direction++) {
    for (let y = 0; y < L; y++) {
      const offset = drawLine(direction, y, sweep, 0, 0);
      drawLine(direction, y, sweep, 1, 2);
      drawLine(direction, y, sweep, DIRECTION, 4);
      sum += heatRow(direction, y, sweep, offset);
    }
  }
  for (let direction = 0; direction < 2; direction++) for (let y = 0; y < L; y++) overrelaxRow(direction, y);
  if ((sweep & 15) == 15) for (let i = 0; i < 2 * volume; i++) normalise(links + (<usize>i << 5));
  return sum / (2.0 * <f64>volume);
}

function heatRow(direction: i32, y: i32, sweep: u32, offset: usize): f64 {
  let sum = 0.0;
  for (let x = 0; x < L; x++) {
    gather(direction, y, x);
    const k = normalise(staple);
    const item = <u32>(direction * volume + y * L + x);
    const random = draws + offset + (<usize>x << 3);
    const x0 = firstComponent(beta * k, item, sweep, random);
    pointOnSphere(x0, load<f64>(random + 4 * PLANE), load<f64>(random + 5 * PLANE));
    multiply(linkAt(direction, y, x), words, 1.0, staple, -1.0);
    if (beta < INTEGRATED_BELOW) sum += 0.5 * k * seriesRatio(2, beta * k);
  }
  return sum;
}

/** X at `words` from x₀ and two uniforms for the direction. */
function pointOnSphere(x0: f64, u: f64, v: f64): void {
  const size = sqrt((1.0 - x0) * (1.0 + x0));
  const c = 2.0 * u - 1.0, s = sqrt((1.0 - c) * (1.0 + c));
  store<f64>(words, x0);
  store<f64>(words, size * s * Math.cos(2.0 * PI * v), 8);
  store<f64>(words, size * s * Math.sin(2.0 * PI * v), 16);
  store<f64>(words, size * c, 24);
}

/** x₀ in (−1, 1) with weight √(1−x₀²) e^{αx₀}; attempt a has the draws 2a and 2a+1, of which the first are made. */
function firstComponent(alpha: f64, item: u32, sweep: u32, random: usize): f64 {
  let r1 = load<f64>(random), r2 = load<f64>(random + PLANE);
  let r3 = load<f64>(random + 2 * PLANE), r4 = load<f64>(random + 3 * PLANE);
  const steep = alpha >= KENNEDY_PENDLETON_FROM;
  const flat = max(alpha, 1e-12), span = Math.expm1(-2.0 * flat);
  for (let attempt: u32 = 0; attempt < MAX_ATTEMPTS;) {
    if (steep) {
      const c = Math.cos(2.0 * PI * r3);
      const delta = -(Math.log(r1) + c * c * Math.log(r2)) / alpha;
      if (r4 * r4 <= 1.0 - 0.5 * delta) return max(-1.0, 1.0 - delta);
    } else {
      const x0 = max(-1.0, min(1.0, 1.0 + Math.log1p(span * r1) / flat));
      if (r2 * r2 <= 1.0 - x0 * x0) return x0;
    }
    attempt++;
    philox(2 * attempt, sweep, item, stream, key0, key1, product);
    r1 = uniform(load<u32>(product), load<u32>(product, 4));
    r2 = uniform(load<u32>(product, 8), load<u32>(product, 12));
    if (!steep) continue;
    philox(2 * attempt + 1, sweep, item, stream, key0, key1, product);
    r3 = uniform(load<u32>(product), load<u32>(product, 4));
    r4 = uniform(load<u32>(product, 8), load<u32>(product, 12));
  }
  fail(Status.NON_FINITE);
  return 1.0;
}

function overrelaxRow(direction: i32, y: i32): void {
  for (let x = 0; x < L; x++) {
    gather(direction, y, x);
    if (normalise(staple) == 0.0) continue;
    const at = linkAt(direction, y, x);
    multiply(product, staple, -1.0, at, -1.0);
    multiply(at, product, 1.0, staple, -1.0);
  }
}
