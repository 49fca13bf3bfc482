// Zeros of Z between samples: sign changes, dips without a sign change (close pairs), Brent's root and a bracket
// whose ends have opposite signs beyond the error bound of Z.

import { appendRow } from "../kernel/frame";
import { SIEGEL_FROM, zAt, zBound } from "./hardy";
import { zInBlock } from "./grid";
import { meanSpacing } from "./theta";

/** A row: γ, lower and upper end of its bracket, Z there. */
export const ROW_BYTES: i32 = 40;

/** Width of a bracket that is aimed at, in mean spacings. */
const TOLERANCE: f64 = 1e-10;
const EPSILON: f64 = 2.220446049250313e-16;

let gridded: bool = false;
let found: i32 = 0;

/** Whether Z comes from the open block or from a sum of its own. */
export function useGrid(on: bool): void { gridded = on; }
/** Zeros found since the last call. */
export function takeFound(): i32 { const count = found; found = 0; return count; }

export function zOf(t: f64): f64 { return gridded && t >= SIEGEL_FROM ? zInBlock(t) : zAt(t); }

/** The zero between a and b, where the signs of fa and fb differ; writes its row. */
export function locate(a: f64, fa: f64, b: f64, fb: f64): void {
  const tolerance = max(TOLERANCE * meanSpacing(b), 2.0 * EPSILON * b);
  const root = brent(a, fa, b, fb, tolerance);
  let half = max(tolerance, 4.0 * zBound(b) / slope);
  let low = a, high = b, fLow = fa, fHigh = fb;
  for (let tries = 0; tries < 24; tries++) {
    low = max(a, root - half); high = min(b, root + half);
    fLow = low == a ? fa : zOf(low); fHigh = high == b ? fb : zOf(high);
    const bound = 2.0 * zBound(low);
    if (fLow * fHigh < 0.0 && abs(fLow) > bound && abs(fHigh) > bound) break;
    half *= 4.0;
  }
  const row = appendRow(ROW_BYTES);
  // The chord of the bracket ends meets the axis closer to γ than the bracket is wide.
  const chord = low + (high - low) * (abs(fLow) / (abs(fLow) + abs(fHigh)));
  store<f64>(row, min(max(chord, low), high)); store<f64>(row, low, 8); store<f64>(row, high, 16);
  store<f64>(row, fLow, 24); store<f64>(row, fHigh, 32);
  lastRow = row;
  found++;
}

let lastRow: usize = 0;

/** The row that lies `back` rows before the last one, which the same step wrote. */
export function rowFromEnd(back: i32): usize { return lastRow - <usize>(back * ROW_BYTES); }

/** |Z(b) − Z(a)| / |b − a| over the last bracket of brent(). */
let slope: f64 = 1;

/** Brent, Algorithms for Minimization without Derivatives (1973), ch. 4: zeroin. */
function brent(a: f64, fa: f64, b: f64, fb: f64, tolerance: f64): f64 {
  let c = a, fc = fa, d = b - a, e = d;
  slope = abs(fb - fa) / abs(b - a);
  for (let i = 0; i < 200; i++) {
    if ((fb > 0.0) == (fc > 0.0)) { c = a; fc = fa; d = b - a; e = d; }
    if (abs(fc) < abs(fb)) { a = b; b = c; c = a; fa = fb; fb = fc; fc = fa; }
    const m = 0.5 * (c - b), least = 0.5 * tolerance;
    if (abs(m) <= least || fb == 0.0) break;
    if (abs(e) < least || abs(fa) <= abs(fb)) { d = m; e = m; }
    else {
      const s = fb / fa;
      let p: f64, q: f64;
      if (a == c) { p = 2.0 * m * s; q = 1.0 - s; }
      else {
        const u = fa / fc, r = fb / fc;
        p = s * (2.0 * m * u * (u - r) - (b - a) * (r - 1.0));
        q = (u - 1.0) * (r - 1.0) * (s - 1.0);
      }
      if (p > 0.0) q = -q; else p = -p;
      if (2.0 * p < min(3.0 * m * q - abs(least * q), abs(e * q))) { e = d; d = p / q; }
      else { d = m; e = m; }
    }
    a = b; fa = fb;
    b += abs(d) > least ? d : (m > 0.0 ? least : -least);
    fb = zOf(b);
    if (fb != fa) slope = abs(fb - fa) / abs(b - a);
  }
  return b;
}

const GOLDEN: f64 = 0.3819660112501051;

/** Where the parabola through three samples of one sign comes nearest to zero; NaN when not between them. */
function lowestBetween(a: f64, fa: f64, b: f64, fb: f64, c: f64, fc: f64): f64 {
  const ab = (fb - fa) / (b - a), bc = (fc - fb) / (c - b);
  const bend = (bc - ab) / (c - a);
  if (!(bend * fb > 0.0)) return NaN;
  const t = 0.5 * (a + b) - 0.5 * ab / bend;
  return t > a && t < c ? t : NaN;
}

/**
 * Three samples of one sign whose parabola has its lowest point between them: on the Riemann hypothesis |Z| has no
 * minimum but at its zeros (Edwards, 8.3), so that there are two. The golden section goes down from that point until
 * the sign turns, and both are located. Without a turn there was nothing: false.
 */
export function searchDip(a: f64, fa: f64, b: f64, fb: f64, c: f64, fc: f64): bool {
  const sign: f64 = fb > 0.0 ? 1.0 : -1.0;
  let left = a, right = c, x = lowestBetween(a, fa, b, fb, c, fc);
  if (x != x) return false;
  let fx = sign * zOf(x), t = x, f = fx;
  for (let i = 0; i < 60; i++) {
    if (f < 0.0) {
      locate(a, fa, t, sign * f);
      locate(t, sign * f, c, fc);
      return true;
    }
    t = right - x > x - left ? x + GOLDEN * (right - x) : x - GOLDEN * (x - left);
    if (t <= left || t >= right || t == x) return false;
    f = sign * zOf(t);
    if (f < fx) { if (t > x) left = x; else right = x; x = t; fx = f; }
    else if (t > x) right = t; else left = t;
  }
  return false;
}
