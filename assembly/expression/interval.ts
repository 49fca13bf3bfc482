// Closed intervals [lo, hi] in memory, 16 bytes each, rounded outward: the function's values lie in the result wherever
// its operands lie in theirs (R. E. Moore, R. B. Kearfott & M. J. Cloud, Introduction to Interval Analysis, 2009, ch. 5).
// What is not known is (−∞, ∞). A factor that is exactly 0 stands for what does not depend on the variable, and its
// product is 0 whatever the other is.

/** Of each result, beyond the half unit in the last place of its operation: Math's functions are good to one unit. */
const OUTWARD: f64 = 5e-16;
const HALF_PI: f64 = 1.5707963267948966;
const TURN: f64 = 6.283185307179586;
/** Beyond this an angle's place on the circle is taken for unknown. */
const LARGEST_ANGLE: f64 = 1e9;

@inline export function lower(at: usize): f64 { return load<f64>(at); }
@inline export function upper(at: usize): f64 { return load<f64>(at, 8); }
/** Largest |x|. */
@inline export function magnitude(at: usize): f64 { return max(abs(lower(at)), abs(upper(at))); }
@inline export function widthOf(at: usize): f64 { return upper(at) - lower(at); }
@inline export function isZero(at: usize): bool { return lower(at) == 0.0 && upper(at) == 0.0; }

@inline export function setExact(at: usize, lo: f64, hi: f64): void {
  store<f64>(at, lo);
  store<f64>(at, hi, 8);
}
@inline export function setUnknown(at: usize): void { setExact(at, -Infinity, Infinity); }

/** Outward; what is no interval is unknown. */
export function set(at: usize, lo: f64, hi: f64): void {
  const low = lo - OUTWARD * abs(lo), high = hi + OUTWARD * abs(hi);
  if (low <= high) setExact(at, low, high); else setUnknown(at);
}

@inline export function addTo(to: usize, a: usize, b: usize): void {
  set(to, lower(a) + lower(b), upper(a) + upper(b));
}
@inline export function subtractTo(to: usize, a: usize, b: usize): void {
  set(to, lower(a) - upper(b), upper(a) - lower(b));
}

@inline function product(x: f64, y: f64): f64 { return x == 0.0 || y == 0.0 ? 0.0 : x * y; }

export function multiplyTo(to: usize, a: usize, b: usize): void {
  if (isZero(a) || isZero(b)) { setExact(to, 0.0, 0.0); return; }
  const p = product(lower(a), lower(b)), q = product(lower(a), upper(b)), r = product(upper(a), lower(b)), s = product(upper(a), upper(b));
  set(to, min(min(p, q), min(r, s)), max(max(p, q), max(r, s)));
}

export function scaleTo(to: usize, a: usize, factor: f64): void {
  if (factor >= 0.0) set(to, product(factor, lower(a)), product(factor, upper(a)));
  else set(to, product(factor, upper(a)), product(factor, lower(a)));
}

export function shiftTo(to: usize, a: usize, by: f64): void { set(to, lower(a) + by, upper(a) + by); }

/** 1/a. */
export function reciprocalTo(to: usize, a: usize): void {
  if (lower(a) <= 0.0 && upper(a) >= 0.0) setUnknown(to);
  else set(to, 1.0 / upper(a), 1.0 / lower(a));
}

export function squareTo(to: usize, a: usize): void {
  const p = lower(a) * lower(a), q = upper(a) * upper(a), most = max(p, q);
  set(to, lower(a) <= 0.0 && upper(a) >= 0.0 ? 0.0 : min(p, q), most);
}

/** a^n. */
export function wholePowerTo(to: usize, a: usize, n: i32): void {
  const k = n < 0 ? -n : n, lo = lower(a), hi = upper(a), spans = lo <= 0.0 && hi >= 0.0;
  if (k == 0) { setExact(to, 1.0, 1.0); return; }
  if (n == 1) { setExact(to, lo, hi); return; }
  if (n == 2) { squareTo(to, a); return; }
  const p = Math.pow(lo, <f64>k), q = Math.pow(hi, <f64>k);
  if (k & 1) set(to, p, q); else set(to, spans ? 0.0 : min(p, q), max(p, q));
  if (n < 0) reciprocalTo(to, to);
}

/** a^p of a ≥ 0, p no whole number. */
export function realPowerTo(to: usize, a: usize, p: f64): void {
  const lo = lower(a), hi = upper(a);
  if (lo < 0.0 || (lo == 0.0 && p < 0.0)) setUnknown(to);
  else if (p >= 0.0) set(to, Math.pow(lo, p), Math.pow(hi, p));
  else set(to, Math.pow(hi, p), Math.pow(lo, p));
}

/** sin(a + quarters · π/2). */
export function sineTo(to: usize, a: usize, quarters: i32): void {
  const lo = lower(a), hi = upper(a);
  if (!(max(abs(lo), abs(hi)) <= LARGEST_ANGLE) || hi - lo >= TURN) { setExact(to, -1.0, 1.0); return; }
  const p = quarterSine(lo, quarters), q = quarterSine(hi, quarters);
  const top = meets(lo, hi, HALF_PI * <f64>(1 - quarters)), bottom = meets(lo, hi, HALF_PI * <f64>(3 - quarters));
  set(to, bottom ? -1.0 : min(p, q), top ? 1.0 : max(p, q));
}

function quarterSine(x: f64, quarters: i32): f64 {
  const k = quarters & 3, y = k & 1 ? Math.cos(x) : Math.sin(x);
  return k >= 2 ? -y : y;
}

/** Whether a place x + whole turns may lie between lo and hi. */
function meets(lo: f64, hi: f64, x: f64): bool {
  const slack = 1e-14 * (abs(lo) + abs(hi) + 10.0);
  return floor((hi - x + slack) / TURN) >= ceil((lo - x - slack) / TURN);
}

/** The smallest that holds both. */
export function hullTo(to: usize, a: usize, b: usize): void {
  setExact(to, min(lower(a), lower(b)), max(upper(a), upper(b)));
}
