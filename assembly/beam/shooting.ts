// The column once more, without elements: its equation as a system of first order, by Taylor series,
//
//   w′ = θ,  θ′ = m/e,  m′ = S − N θ,  S′ = −k w        m = e w″, N = P + q (1 − x)
//
// The two solutions that fit the foot are carried to the head in panels and made orthonormal after each (Godunov),
// which keeps them apart where they grow. P is a critical load where a combination fits the head too. How many loads lie
// below P is the number of sections at which a column cut and clamped there would buckle at P, plus the negative
// directions of the stiffness at the head (W. H. Wittrick, F. W. Williams, Q. J. Mech. Appl. Math. 24 (1971) 263; the
// index theorem of M. Morse).

import { allocate } from "../kernel/frame";
import { ends, foundation, growthOf, lowerStiffness, pieceLength, pieceParts, piecePower, pieces, weight } from "./column";

const ORDER: i32 = 20;
const HALVINGS: i32 = 32;

let series: usize = 0, flexibility: usize = 0, first: usize = 0, second: usize = 0;
/** Sections clamped at which the column would buckle, met on the last way up. */
let focal: i32 = 0;

export function openShooting(): void {
  series = allocate(<usize>(ORDER + 1) * 32);
  flexibility = allocate(<usize>(ORDER + 1) * 8);
  first = allocate(32);
  second = allocate(32);
}

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** Coefficients of 1/e about a point where e is `here` and its root grows by `slope` a length: a binomial series. */
function expand(here: f64, slope: f64, power: f64): void {
  let c = 1.0 / here;
  for (let j = 0; j <= ORDER; j++) {
    put(flexibility, j, c);
    c *= -slope * (power + <f64>j) / <f64>(j + 1);
  }
}

/** y ← y at the end of a panel of length h that begins under the force `force`. */
function cross(y: usize, h: f64, force: f64, tapered: bool): void {
  memory.copy(series, y, 32);
  let w = at(y, 0), theta = at(y, 1), m = at(y, 2), s = at(y, 3), power = 1.0;
  for (let j = 0; j < ORDER; j++) {
    const term = series + (<usize>j << 5), next = term + 32, share = 1.0 / <f64>(j + 1);
    let bent = at(flexibility, 0) * at(term, 2);
    if (tapered) for (let i = 1; i <= j; i++) bent += at(flexibility, i) * at(series + (<usize>(j - i) << 5), 2);
    const turned = j > 0 ? weight * at(term - 32, 1) : 0.0;
    put(next, 0, share * at(term, 1));
    put(next, 1, share * bent);
    put(next, 2, share * (at(term, 3) - force * at(term, 1) + turned));
    put(next, 3, -share * foundation * at(term, 0));
    power *= h;
    w += power * at(next, 0); theta += power * at(next, 1); m += power * at(next, 2); s += power * at(next, 3);
  }
  put(y, 0, w); put(y, 1, theta); put(y, 2, m); put(y, 3, s);
}

@inline function product(a: usize, b: usize): f64 {
  return at(a, 0) * at(b, 0) + at(a, 1) * at(b, 1) + at(a, 2) * at(b, 2) + at(a, 3) * at(b, 3);
}

function scale(a: usize): void {
  const size = sqrt(product(a, a));
  for (let i = 0; i < 4; i++) put(a, i, at(a, i) / size);
}

function part(): void {
  scale(first);
  const along = product(first, second);
  for (let i = 0; i < 4; i++) put(second, i, at(second, i) - along * at(first, i));
  scale(second);
}

@inline function minor(i: i32, j: i32): f64 { return at(first, i) * at(second, j) - at(second, i) * at(first, j); }

/** Both solutions at the head under the load P. */
function climb(load: f64): void {
  memory.fill(first, 0, 32);
  memory.fill(second, 0, 32);
  put(first, ends == 0 ? 1 : 2, 1.0);
  put(second, 3, 1.0);
  focal = 0;
  let foot = 0.0, before = 0.0;
  for (let piece = 0; piece < pieces; piece++) {
    const count = pieceParts(piece), whole = pieceLength(piece), h = whole / <f64>count;
    const lower = lowerStiffness(piece), growth = growthOf(piece), power = piecePower(piece);
    for (let panel = 0; panel < count; panel++) {
      const root = 1.0 + growth * (<f64>panel / <f64>count);
      expand(growth == 0.0 ? lower : lower * Math.pow(root, power), growth / (whole * root), power);
      const force = load + weight * (1.0 - (foot + <f64>panel * h));
      cross(first, h, force, growth != 0.0);
      cross(second, h, force, growth != 0.0);
      part();
      const now = minor(0, 1);
      if (before * now < 0.0) focal++;
      if (now != 0.0) before = now;
    }
    foot += whole;
  }
}

/** How many critical loads lie below P. */
export function loadsUnder(load: f64): i32 {
  climb(load);
  if (ends == 2) return focal;
  if (ends != 1) return focal + (minor(2, 0) * minor(1, 0) < 0.0 ? 1 : 0);
  // The stiffness V U⁻¹ of a free head: V = (−S, m) over U = (w, θ).
  const u = minor(0, 1), determinant = minor(2, 3) / u;
  if (determinant < 0.0) return focal + 1;
  const trace = (minor(1, 3) + minor(0, 2)) / u;
  return focal + (trace < 0.0 ? 2 : 0);
}

/**
 * The critical load that has `index` others below it, where it lies within `width` of `load`; else NaN. By halves on the
 * count, which tells loads apart that nearly meet, as on a stiff foundation, where the determinant of the head's
 * conditions hardly leaves 0 between them.
 */
export function criticalLoad(index: i32, load: f64, width: f64): f64 {
  let low = load - width, high = load + width;
  if (loadsUnder(low) > index || loadsUnder(high) <= index) return NaN;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = 0.5 * (low + high);
    if (loadsUnder(middle) > index) high = middle; else low = middle;
  }
  return 0.5 * (low + high);
}
