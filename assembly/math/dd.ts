// Double-double arithmetic: a number is an unevaluated sum hi + lo of two f64 with |lo| <= ulp(hi)/2, about 106
// bits. Only + − × ÷ of f64 without FMA, so the bits are those of every engine.
//
// Dekker, Numer. Math. 18 (1971) 224 (split, product); Knuth, TAOCP 2, 4.2.2 (two-sum); Hida, Li and Bailey,
// "Algorithms for quad-double precision floating point arithmetic", ARITH-15 (2001) (add, mul, div).
//
// A function returns hi and leaves lo in `low`: read it before the next call.

/** The low part of the last double-double result. */
export let low: f64 = 0;

const SPLITTER: f64 = 134217729; // 2^27 + 1

/** The error of s = fl(a + b), exactly. */
@inline export function sumError(a: f64, b: f64, s: f64): f64 {
  const part = s - a;
  return (a - (s - part)) + (b - part);
}

/** The same where |a| >= |b| or a = 0. */
@inline export function fastSumError(a: f64, b: f64, s: f64): f64 { return b - (s - a); }

/** The high 26 bits of a; a − head(a) has the rest, exactly. For |a| < 2^996. */
@inline export function head(a: f64): f64 {
  const c = SPLITTER * a;
  return c - (c - a);
}

/** The error of p = fl(a × b), exactly. */
@inline export function productError(a: f64, b: f64, p: f64): f64 {
  const ah = head(a), al = a - ah, bh = head(b), bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

@inline function renormalize(hi: f64, lo: f64): f64 {
  const s = hi + lo;
  low = fastSumError(hi, lo, s);
  return s;
}

export function ddAdd(ah: f64, al: f64, bh: f64, bl: f64): f64 {
  const s = ah + bh, e = sumError(ah, bh, s), t = al + bl, f = sumError(al, bl, t);
  const u = s + (e + t);
  return renormalize(u, fastSumError(s, e + t, u) + f);
}

/** The same where |ah| >= |bh|, in half the steps that wait for one another. Error at most about 2^-104 of the sum. */
export function ddAddSmaller(ah: f64, al: f64, bh: f64, bl: f64): f64 {
  const s = ah + bh;
  return renormalize(s, fastSumError(ah, bh, s) + (al + bl));
}

@inline export function ddSub(ah: f64, al: f64, bh: f64, bl: f64): f64 { return ddAdd(ah, al, -bh, -bl); }

export function ddMul(ah: f64, al: f64, bh: f64, bl: f64): f64 {
  const p = ah * bh;
  return renormalize(p, productError(ah, bh, p) + (ah * bl + al * bh));
}

/**
 * (ah + al) / (bh + bl) by two quotients, error at most 2^-102 of it: 15u² + 56u³ with u = 2^-53 (Joldes, Muller and Popescu,
 * "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44 (2017), algorithm 17).
 */
export function ddDiv(ah: f64, al: f64, bh: f64, bl: f64): f64 {
  const q = ah / bh, p = q * bh, c = q * bl, t = p + c;
  const d = fastSumError(p, c, t) + productError(q, bh, p), rh = t + d;
  return renormalize(q, ((ah - rh) + (al - fastSumError(t, d, rh))) / bh);
}

const LN2_HI: f64 = 0.6931471805599453;
const LN2_LO: f64 = 2.3190468138462996e-17;
const SQRT_HALF: f64 = 0.7071067811865476;

/**
 * ln(ah + al) for a normal positive number: 2^k m with m in [√½, √2), ln m = 2 artanh((m − 1)/(m + 1)) by its
 * series. Error at most about 2^-98 relative to max(|ln|, 2^-8).
 */
export function ddLog(ah: f64, al: f64): f64 {
  let k = <i64>(reinterpret<u64>(ah) >> 52) - 1023;
  let m = scale(ah, -k);
  if (m > 2.0 * SQRT_HALF) { k++; m *= 0.5; }
  const ml = scale(al, -k);
  let h = ddSub(m, ml, 1.0, 0), l = low;
  const dh = ddAdd(m, ml, 1.0, 0);
  const xh = ddDiv(h, l, dh, low), xl = low;
  h = artanhSeries(xh, xl); l = low;
  const kh = ddMul(LN2_HI, LN2_LO, <f64>k, 0);
  return ddAdd(kh, low, 2.0 * h, 2.0 * l);
}

/** artanh(x) = x Σ x^{2j}/(2j + 1) for |x| <= 0.18, by Horner's rule. */
export function artanhSeries(xh: f64, xl: f64): f64 {
  const sh = ddMul(xh, xl, xh, xl), sl = low;
  let terms = 1;
  for (let power = sh; power > 1e-34; power *= sh) terms++;
  let h = 0.0, l = 0.0;
  for (let j = terms; j >= 0; j--) {
    h = ddMul(h, l, sh, sl); l = low;
    const ch = ddDiv(1.0, 0, <f64>(2 * j + 1), 0);
    h = ddAdd(h, l, ch, low); l = low;
  }
  return ddMul(h, l, xh, xl);
}

/** x · 2^k where neither leaves the normal numbers. */
@inline function scale(x: f64, k: i64): f64 { return x * reinterpret<f64>(<u64>(k + 1023) << 52); }
