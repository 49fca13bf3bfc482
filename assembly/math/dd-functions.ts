// Elementary functions in double-double arithmetic, about 30 significant digits (dd.ts says how numbers pass).
//
//   exp, expm1       argument halved 9 times after x − k ln 2, Taylor series, then s ← 2s + s² nine times
//   ln               one Newton step on exp from the double logarithm, or the artanh series next to 1
//   sin, cos         x − n π/2 with π/2 in four parts (Cody and Waite, Software Manual for the Elementary
//                    Functions, 1980, ch. 8), Taylor series on |r| ≤ π/4; NaN for |x| > 2^50
//   sinpi, cospi     of πx, reduced exactly: sinpi(1) is 0
//   atan             the double arctangent, corrected by the angle between it and (1, x)
//   asinh, acosh     ln(1 + …) of what the root leaves beside 1; ln 2x where the root leaves nothing
//   atanh            its series, or half the logarithm of (1 + x)/(1 − x)
//
// After Hida, Li and Bailey, "Library for double-double and quad-double arithmetic" (2007). Relative errors against
// 60-digit references are held by test/kernels/expression.test.ts below 2^-94, near zeros of a function too.

import { artanhSeries, ddAdd, ddDiv, ddMul, ddSub, fastSumError, low, productError, sumError } from "./dd";

/** The low part of the last result of this file. */
export let tail: f64 = 0;

// ln 2 in three parts; the first two have 41 bits, so that k times them is exact for |k| < 2^12.
const LN2_1: f64 = 0.693147180559663;
const LN2_2: f64 = 2.8235290563014906e-13;
const LN2_3: f64 = 1.667085920830552e-25;
export const LN2_HI: f64 = 0.6931471805599453;
export const LN2_LO: f64 = 2.3190468138462996e-17;
const INVERSE_LN2: f64 = 1.4426950408889634;
const LN10_HI: f64 = 2.302585092994046;
const LN10_LO: f64 = -2.1707562233822494e-16;

const PI_HI: f64 = 3.141592653589793;
const PI_LO: f64 = 1.2246467991473532e-16;
const HALF_PI_1: f64 = 1.5707963267948966;
const HALF_PI_2: f64 = 6.123233995736766e-17;
const HALF_PI_3: f64 = -1.4973849048591698e-33;
const HALF_PI_4: f64 = 5.562271104316826e-50;
const TWO_OVER_PI: f64 = 0.6366197723675814;
export const LARGEST_ANGLE: f64 = 1125899906842624.0; // 2^50

/** 1/k! for k = 2 … 30 as hi, lo. */
const inverseFactorial = memory.data<f64>([
  0.5, 0.0,
  0.16666666666666666, 9.25185853854297e-18,
  0.041666666666666664, 2.3129646346357427e-18,
  0.008333333333333333, 1.1564823173178714e-19,
  0.001388888888888889, -5.300543954373577e-20,
  0.0001984126984126984, 1.7209558293420705e-22,
  2.48015873015873e-05, 2.1511947866775882e-23,
  2.7557319223985893e-06, -1.858393274046472e-22,
  2.755731922398589e-07, 2.3767714622250297e-23,
  2.505210838544172e-08, -1.448814070935912e-24,
  2.08767569878681e-09, -1.20734505911326e-25,
  1.6059043836821613e-10, 1.2585294588752098e-26,
  1.1470745597729725e-11, 2.0655512752830745e-28,
  7.647163731819816e-13, 7.03872877733453e-30,
  4.779477332387385e-14, 4.399205485834081e-31,
  2.8114572543455206e-15, 1.6508842730861433e-31,
  1.5619206968586225e-16, 1.1910679660273754e-32,
  8.22063524662433e-18, 2.2141894119604265e-34,
  4.110317623312165e-19, 1.4412973378659527e-36,
  1.9572941063391263e-20, -1.3643503830087908e-36,
  8.896791392450574e-22, -7.911402614872376e-38,
  3.868170170630684e-23, -8.843177655482344e-40,
  1.6117375710961184e-24, -3.6846573564509766e-41,
  6.446950284384474e-26, -1.9330404233703465e-42,
  2.4795962632247976e-27, -1.2953730964765229e-43,
  9.183689863795546e-29, 1.4303150396787322e-45,
  3.279889237069838e-30, 1.5117542744029879e-46,
  1.1309962886447716e-31, 1.0498015412959506e-47,
  3.7699876288159054e-33, 2.5870347832750324e-49,
]);

/** hi + lo as this file's result; for the files beside it, too. */
@inline export function give(hi: f64, lo: f64): f64 { tail = lo; return hi; }

@inline function power2(k: i32): f64 { return reinterpret<f64>((<u64>(k + 1023)) << 52); }

/** x · 2^k, in two steps where 2^k is no double. */
@inline export function scaleByPower(x: f64, k: i32): f64 {
  const half = k >> 1;
  return x * power2(half) * power2(k - half);
}

// ---- products and quotients over the whole range -------------------------------------------------------

const LARGE: f64 = 1.0463951242053391e298; // 2^990: past it the split of a product overflows
const DOWN: f64 = 5.421010862427522e-20; // 2^-64
const UP: f64 = 1.8446744073709552e19; // 2^64

export function product(ah: f64, al: f64, bh: f64, bl: f64): f64 {
  if (abs(ah) <= LARGE && abs(bh) <= LARGE) { const h = ddMul(ah, al, bh, bl); return give(h, low); }
  const aBig = abs(ah) > abs(bh);
  const h = aBig ? ddMul(ah * DOWN, al * DOWN, bh, bl) : ddMul(ah, al, bh * DOWN, bl * DOWN);
  return give(h * UP, low * UP);
}

export function quotient(ah: f64, al: f64, bh: f64, bl: f64): f64 {
  const big = abs(ah) > LARGE || abs(bh) > LARGE;
  const h = big ? ddDiv(ah * DOWN, al * DOWN, bh * DOWN, bl * DOWN) : ddDiv(ah, al, bh, bl);
  return give(h, low);
}

/** Karp and Markstein, ACM TOMS 23 (1997) 561: one correction of a · (1/√a). */
export function squareRoot(ah: f64, al: f64): f64 {
  if (ah == 0) return give(0, 0);
  if (!(ah > 0)) return give(NaN, NaN);
  // By an even power of two to the middle of the range, so that nothing below over- or underflows.
  const k = (((<i32>(reinterpret<u64>(ah) >> 52)) - 1023) >> 1) << 1;
  const h = scaleByPower(ah, -k), l = scaleByPower(al, -k);
  const x = sqrt(h);
  const sh = ddMul(x, 0, x, 0);
  const correction = ddSub(h, l, sh, low) / (2.0 * x);
  const r = x + correction;
  return give(scaleByPower(r, k >> 1), scaleByPower(fastSumError(x, correction, r), k >> 1));
}

// ---- exponential and logarithm -------------------------------------------------------------------------

/** Σ r^j / j! for j = from … to, over r^(from−1): Horner's rule, `from` ≥ 2. */
function series(rh: f64, rl: f64, from: i32, to: i32, step: i32): f64 {
  let h = 0.0, l = 0.0;
  for (let j = to; j >= from; j -= step) {
    h = ddMul(h, l, rh, rl); l = low;
    const at = inverseFactorial + (<usize>(j - 2) << 4);
    h = ddAdd(h, l, load<f64>(at), load<f64>(at, 8)); l = low;
  }
  return give(h, l);
}

/** e^r − 1 for |r| ≤ 0.35. */
function expm1Reduced(rh: f64, rl: f64): f64 {
  const h0 = rh * 0.001953125, l0 = rl * 0.001953125; // 2^-9
  let h = series(h0, l0, 2, 11, 1), l = tail;
  h = ddMul(h, l, h0, l0); l = low;
  h = ddMul(h, l, h0, l0); l = low; // (Σ r^(j−2)/j!) r²
  h = ddAdd(h, l, h0, l0); l = low;
  for (let i = 0; i < 9; i++) {
    const sh = ddMul(h, l, h, l);
    h = ddAdd(sh, low, 2.0 * h, 2.0 * l); l = low;
  }
  return give(h, l);
}

/** x − k ln 2 with k = round(x / ln 2), which goes to `quotientOf`. */
let quotientOf: i32 = 0;
function reduceByLn2(xh: f64, xl: f64): f64 {
  const k = nearest(xh * INVERSE_LN2);
  quotientOf = <i32>k;
  const a = k * LN2_1, s = xh - a, e = sumError(xh, -a, s);
  let h = ddAdd(s, e, xl, 0), l = low;
  h = ddSub(h, l, k * LN2_2, 0); l = low;
  const c = k * LN2_3;
  h = ddSub(h, l, c, productError(k, LN2_3, c));
  return give(h, low);
}

export function ddExp(xh: f64, xl: f64): f64 {
  if (xh > 709.79) return give(Infinity, 0);
  if (xh < -745.2) return give(0, 0);
  if (xh == 0) return give(1, 0);
  const rh = reduceByLn2(xh, xl), rl = tail, k = quotientOf;
  const sh = expm1Reduced(rh, rl);
  const h = ddAdd(sh, tail, 1, 0);
  return give(scaleByPower(h, k), scaleByPower(low, k));
}

export function ddExpm1(xh: f64, xl: f64): f64 {
  if (abs(xh) <= 0.3465) return expm1Reduced(xh, xl);
  const h = ddExp(xh, xl), s = ddSub(h, tail, 1, 0);
  return give(s, low);
}

const NEAR_ONE: f64 = 0.02;

export function ddLn(xh: f64, xl: f64): f64 {
  if (xh == 0) return give(-Infinity, 0);
  if (!(xh > 0)) return give(NaN, NaN);
  // x = m 2^k with m in [√½, √2); a subnormal x is brought up first.
  let k: i32 = 0, mh = xh, ml = xl;
  if (mh < 2.2250738585072014e-308) { mh *= UP; ml *= UP; k = -64; }
  const exponent = (<i32>(reinterpret<u64>(mh) >> 52)) - 1023;
  mh = scaleByPower(mh, -exponent); ml = scaleByPower(ml, -exponent); k += exponent;
  if (mh > 1.4142135623730951) { mh *= 0.5; ml *= 0.5; k++; }
  const h = lnReduced(mh, ml), l = tail;
  if (k == 0) return give(h, l);
  const f = <f64>k;
  let s = ddAdd(f * LN2_1, 0, f * LN2_2, 0), t = low;
  s = ddAdd(s, t, f * LN2_3, 0); t = low;
  s = ddAdd(s, t, h, l);
  return give(s, low);
}

function lnReduced(mh: f64, ml: f64): f64 {
  if (abs(mh - 1) < NEAR_ONE) {
    const h = ddSub(mh, ml, 1, 0);
    return artanhOfRatio(h, low);
  }
  const y = Math.log(mh);
  const eh = ddExp(-y, 0);
  let h = ddMul(eh, tail, mh, ml), l = low;
  h = ddSub(h, l, 1, 0); l = low; // δ = x e^−y − 1, of size 2^-53; ln(1 + δ) = δ − δ²/2
  h = ddSub(h, l, 0.5 * h * h, 0); l = low;
  h = ddAdd(y, 0, h, l);
  return give(h, low);
}

/** ln(1 + d) = 2 artanh(d / (2 + d)) for small d. */
function artanhOfRatio(dh: f64, dl: f64): f64 {
  if (dh == 0) return give(0, 0);
  const bh = ddAdd(2, 0, dh, dl);
  const zh = ddDiv(dh, dl, bh, low);
  const h = artanhSeries(zh, low);
  return give(2.0 * h, 2.0 * low);
}

export function ddLog1p(xh: f64, xl: f64): f64 {
  if (abs(xh) < NEAR_ONE) return artanhOfRatio(xh, xl);
  const h = ddAdd(xh, xl, 1, 0);
  return ddLn(h, low);
}

export function ddLog10(xh: f64, xl: f64): f64 {
  const h = ddLn(xh, xl), q = ddDiv(h, tail, LN10_HI, LN10_LO);
  return give(q, low);
}

export function ddLog2(xh: f64, xl: f64): f64 {
  const h = ddLn(xh, xl), q = ddDiv(h, tail, LN2_HI, LN2_LO);
  return give(q, low);
}

// ---- trigonometry --------------------------------------------------------------------------------------

/** sin r for |r| ≤ π/4: r (1 − r²/3! + …). */
function sinReduced(rh: f64, rl: f64): f64 {
  const sh = ddMul(rh, rl, rh, rl), sl = low;
  let h = alternating(sh, sl, 3, 27), l = tail;
  h = ddMul(h, l, sh, sl); l = low;
  h = ddMul(h, l, rh, rl); l = low;
  h = ddAdd(rh, rl, h, l);
  return give(h, low);
}

/** cos r for |r| ≤ π/4: 1 − r²/2! + … */
function cosReduced(rh: f64, rl: f64): f64 {
  const sh = ddMul(rh, rl, rh, rl), sl = low;
  let h = alternating(sh, sl, 2, 28), l = tail;
  h = ddMul(h, l, sh, sl); l = low;
  h = ddAdd(1, 0, h, l);
  return give(h, low);
}

/** −1/from! + s/(from+2)! − …, every second factorial. */
@inline function alternating(sh: f64, sl: f64, from: i32, to: i32): f64 {
  const h = series(-sh, -sl, from, to, 2);
  return give(-h, -tail);
}

/** x − n π/2 with n = round(2x/π); n mod 4 goes to `quotientOf`. */
function reduceByHalfPi(xh: f64, xl: f64): f64 {
  const n = nearest(xh * TWO_OVER_PI);
  quotientOf = <i32>((<i64>n) & 3);
  if (n == 0) return give(xh, xl);
  const p1 = n * HALF_PI_1, e1 = productError(n, HALF_PI_1, p1);
  const p2 = n * HALF_PI_2, e2 = productError(n, HALF_PI_2, p2);
  const s = xh - p1;
  let h = ddAdd(s, sumError(xh, -p1, s), xl, 0), l = low;
  h = ddSub(h, l, e1, 0); l = low;
  h = ddSub(h, l, p2, e2); l = low;
  const p3 = n * HALF_PI_3;
  h = ddSub(h, l, p3, productError(n, HALF_PI_3, p3)); l = low;
  h = ddSub(h, l, n * HALF_PI_4, 0);
  return give(h, low);
}

/** sin of r + n π/2. */
function sinOfQuadrant(rh: f64, rl: f64, n: i32): f64 {
  const h = n & 1 ? cosReduced(rh, rl) : sinReduced(rh, rl);
  return n & 2 ? give(-h, -tail) : h;
}

export function ddSin(xh: f64, xl: f64): f64 {
  if (!(abs(xh) <= LARGEST_ANGLE)) return give(NaN, NaN);
  const h = reduceByHalfPi(xh, xl);
  return sinOfQuadrant(h, tail, quotientOf);
}

export function ddCos(xh: f64, xl: f64): f64 {
  if (!(abs(xh) <= LARGEST_ANGLE)) return give(NaN, NaN);
  const h = reduceByHalfPi(xh, xl);
  return sinOfQuadrant(h, tail, quotientOf + 1);
}

export function ddTan(xh: f64, xl: f64): f64 {
  if (!(abs(xh) <= LARGEST_ANGLE)) return give(NaN, NaN);
  const rh = reduceByHalfPi(xh, xl), rl = tail, n = quotientOf;
  const sh = sinOfQuadrant(rh, rl, n), sl = tail;
  const ch = sinOfQuadrant(rh, rl, n + 1);
  const h = ddDiv(sh, sl, ch, tail);
  return give(h, low);
}

/** x − n/2 with n = round(2x), exactly; then times π. n mod 4 goes to `quotientOf`. */
function reduceHalfTurns(xh: f64, xl: f64): f64 {
  const turns = xh - 2.0 * nearest(xh * 0.5); // exact: |turns| ≤ 1
  let h = ddAdd(turns, 0, xl, 0), l = low;
  const n = nearest(2.0 * h);
  h = ddSub(h, l, 0.5 * n, 0); l = low;
  quotientOf = (<i32>n) & 3;
  const r = ddMul(h, l, PI_HI, PI_LO);
  return give(r, low);
}

/** sin πx; 0 at the integers. */
export function ddSinPi(xh: f64, xl: f64): f64 {
  const h = reduceHalfTurns(xh, xl);
  return sinOfQuadrant(h, tail, quotientOf) + 0.0;
}

/** cos πx; 0 half way between the integers. */
export function ddCosPi(xh: f64, xl: f64): f64 {
  const h = reduceHalfTurns(xh, xl);
  return sinOfQuadrant(h, tail, quotientOf + 1) + 0.0;
}

/** The angle of (x, y), in (−π, π]. */
export function ddAtan2(yh: f64, yl: f64, xh: f64, xl: f64): f64 {
  if (yh == 0) { if (xh >= 0) return give(0, 0); return give(PI_HI, PI_LO); }
  // Both by one power of two, so that the larger is near 1.
  const size = max(abs(xh), abs(yh));
  const k = 1023 - (<i32>((reinterpret<u64>(size) >> 52) & 0x7ff));
  const ah = scaleByPower(yh, k), al = scaleByPower(yl, k), bh = scaleByPower(xh, k), bl = scaleByPower(xl, k);
  // θ from the doubles; what is left is the angle δ with tan δ = (y cos θ − x sin θ) / (x cos θ + y sin θ).
  const t = Math.atan2(ah, bh);
  const sh = ddSin(t, 0), sl = tail, ch = ddCos(t, 0), cl = tail;
  const p = ddMul(ah, al, ch, cl), pl = low, q = ddMul(bh, bl, sh, sl), ql = low;
  const nh = ddSub(p, pl, q, ql), nl = low;
  const u = ddMul(bh, bl, ch, cl), ul = low, v = ddMul(ah, al, sh, sl), vl = low;
  const dh = ddAdd(u, ul, v, vl), dl = low;
  const eh = ddDiv(nh, nl, dh, dl), el = low;
  const h = ddAdd(t, 0, eh, el);
  return give(h, low);
}

export function ddAtan(xh: f64, xl: f64): f64 { return ddAtan2(xh, xl, 1, 0); }

/** √(1 − x²) as √((1 − x)(1 + x)). */
function cosineOfSine(xh: f64, xl: f64): f64 {
  const ah = ddSub(1, 0, xh, xl), al = low, bh = ddAdd(1, 0, xh, xl);
  const h = ddMul(ah, al, bh, low);
  return squareRoot(h, low);
}

export function ddAsin(xh: f64, xl: f64): f64 {
  const c = cosineOfSine(xh, xl);
  return ddAtan2(xh, xl, c, tail);
}

export function ddAcos(xh: f64, xl: f64): f64 {
  const c = cosineOfSine(xh, xl);
  return ddAtan2(c, tail, xh, xl);
}

// ---- hyperbolic functions, powers ----------------------------------------------------------------------

/** sinh x = (u + u/(u + 1)) / 2 with u = e^|x| − 1. */
export function ddSinh(xh: f64, xl: f64): f64 {
  const negative = xh < 0;
  const ah = abs(xh), al = negative ? -xl : xl;
  if (ah > 700) return ofHalves(ah, al, negative);
  const uh = ddExpm1(ah, al), ul = tail;
  const vh = ddAdd(uh, ul, 1, 0), vl = low;
  const qh = ddDiv(uh, ul, vh, vl), ql = low;
  const h = ddAdd(uh, ul, qh, ql);
  return negative ? give(-0.5 * h, -0.5 * low) : give(0.5 * h, 0.5 * low);
}

export function ddCosh(xh: f64, xl: f64): f64 {
  const ah = abs(xh), al = xh < 0 ? -xl : xl;
  if (ah > 700) return ofHalves(ah, al, false);
  const eh = ddExp(ah, al), el = tail, qh = ddDiv(1, 0, eh, el), ql = low;
  const h = ddAdd(eh, el, qh, ql);
  return give(0.5 * h, 0.5 * low);
}

/** e^x / 2 where e^x alone may overflow. */
function ofHalves(ah: f64, al: f64, negative: bool): f64 {
  const s = ddSub(ah, al, LN2_HI, LN2_LO), h = ddExp(s, low);
  return negative ? give(-h, -tail) : h;
}

/** tanh x = u / (u + 2) with u = e^2x − 1. */
export function ddTanh(xh: f64, xl: f64): f64 {
  if (abs(xh) > 40) return give(xh > 0 ? 1 : -1, 0); // within e^−80
  const uh = ddExpm1(2.0 * xh, 2.0 * xl), ul = tail;
  const vh = ddAdd(uh, ul, 2, 0), vl = low, h = ddDiv(uh, ul, vh, vl);
  return give(h, low);
}

const ROOT_VANISHES: f64 = 1152921504606846976.0; // 2^60: √(x² ± 1) is x to 2^-120
const ARTANH_SERIES: f64 = 0.17;

/** asinh x = ln(1 + a + a²/(1 + √(1 + a²))), a = |x|. */
export function ddAsinh(xh: f64, xl: f64): f64 {
  if (abs(xh) < 1e-17) return give(xh, xl); // within x²/6
  const negative = xh < 0, ah = abs(xh), al = negative ? -xl : xl;
  if (ah > ROOT_VANISHES) { const h = lnTwice(ah, al); return negative ? give(-h, -tail) : h; }
  const sh = ddMul(ah, al, ah, al), sl = low, uh = ddAdd(sh, sl, 1, 0);
  const rh = squareRoot(uh, low), dh = ddAdd(rh, tail, 1, 0), qh = ddDiv(sh, sl, dh, low);
  const bh = ddAdd(ah, al, qh, low), h = ddLog1p(bh, low);
  return negative ? give(-h, -tail) : h;
}

/** acosh x = ln(1 + t + √(t (t + 2))), t = x − 1. */
export function ddAcosh(xh: f64, xl: f64): f64 {
  if (!(xh >= 1)) return give(NaN, NaN);
  if (xh > ROOT_VANISHES) return lnTwice(xh, xl);
  const th = ddSub(xh, xl, 1, 0), tl = low, uh = ddAdd(th, tl, 2, 0);
  const sh = ddMul(th, tl, uh, low), rh = squareRoot(sh, low);
  const bh = ddAdd(th, tl, rh, tail);
  return ddLog1p(bh, low);
}

function lnTwice(xh: f64, xl: f64): f64 {
  const lh = ddLn(xh, xl), h = ddAdd(lh, tail, LN2_HI, LN2_LO);
  return give(h, low);
}

export function ddAtanh(xh: f64, xl: f64): f64 {
  if (!(abs(xh) < 1)) return give(NaN, NaN);
  if (abs(xh) < ARTANH_SERIES) { const h = artanhSeries(xh, xl); return give(h, low); }
  const nh = ddAdd(1, 0, xh, xl), nl = low, dh = ddSub(1, 0, xh, xl);
  const qh = ddDiv(nh, nl, dh, low), h = ddLn(qh, low);
  return give(0.5 * h, 0.5 * tail);
}

/** x^n by repeated squaring, |n| ≤ 1024. */
export function ddPowerOf(xh: f64, xl: f64, n: i32): f64 {
  let rh = 1.0, rl = 0.0, bh = xh, bl = xl;
  for (let left = abs(n); left; left >>= 1) {
    if (left & 1) { rh = product(rh, rl, bh, bl); rl = tail; }
    if (left > 1) { bh = product(bh, bl, bh, bl); bl = tail; }
  }
  return n < 0 ? quotient(1, 0, rh, rl) : give(rh, rl);
}

/** x^y: by squaring where y is a whole number, else e^(y ln x), which a negative x has not. */
export function ddPow(xh: f64, xl: f64, yh: f64, yl: f64): f64 {
  if (yl == 0 && abs(yh) <= 1024 && nearest(yh) == yh) return ddPowerOf(xh, xl, <i32>yh);
  if (xh == 0) return give(yh > 0 ? 0 : NaN, 0);
  if (xh < 0) return give(NaN, NaN);
  const lh = ddLn(xh, xl), ll = tail, h = ddMul(lh, ll, yh, yl);
  return ddExp(h, low);
}

/** ∛x: one Newton step from the double root. */
export function ddCbrt(xh: f64, xl: f64): f64 {
  if (xh == 0) return give(0, 0);
  const r = Math.cbrt(xh);
  const sh = ddMul(r, 0, r, 0), sl = low, ch = ddMul(sh, sl, r, 0), cl = low;
  const dh = ddSub(xh, xl, ch, cl), correction = dh / (3.0 * sh);
  const s = r + correction;
  return give(s, fastSumError(r, correction, s));
}

/** ⌊x⌋ of the whole hi + lo. */
export function ddFloor(xh: f64, xl: f64): f64 {
  const f = floor(xh);
  if (f != xh) return give(f, 0);
  const g = floor(xl), s = f + g;
  return give(s, fastSumError(f, g, s));
}

/** x − y ⌊x/y⌋: the sign of y. */
export function ddMod(xh: f64, xl: f64, yh: f64, yl: f64): f64 {
  const qh = quotient(xh, xl, yh, yl), fh = ddFloor(qh, tail), ph = product(fh, tail, yh, yl);
  const h = ddSub(xh, xl, ph, tail);
  return give(h, low);
}
