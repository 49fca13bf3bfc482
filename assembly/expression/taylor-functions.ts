// Taylor coefficients g⁽ʲ⁾(a)/j!, j = 0 … 4, of the expression's functions of one operand, each an interval that holds
// them for every a of an interval. What has no derivative in it (|a| at 0, a step, Γ) has unknown ones from there on.

import { gamma, lgamma } from "../math/special";
import { Op } from "./opcodes";
import {
  lower, magnitude, multiplyTo, realPowerTo, reciprocalTo, scaleTo, set, setExact, setUnknown, shiftTo, sineTo, squareTo, upper, widthOf,
  wholePowerTo,
} from "./interval";
import { unary } from "./partials";

/** Coefficients of a series: 0 … 4. */
export const ORDER: i32 = 4;

const LN2: f64 = 0.6931471805599453;
const LN10: f64 = 2.302585092994046;
const TWO_OVER_ROOT_PI: f64 = 1.1283791670955126;
/** Γ falls up to 1.4616… and rises behind it. */
const GAMMA_RISES: f64 = 1.4616321449683625;

const scratch = memory.data(112, 16);

@inline function p(i: i32): usize { return scratch + (<usize>i << 4); }
@inline function g(to: usize, j: i32): usize { return to + (<usize>j << 4); }

/** Writes the five coefficients of `op` over the interval at `a` to `to`. */
export function taylorOf(op: i32, a: usize, to: usize): void {
  switch (op) {
    case Op.SQRT: return realPower(a, 0.5, to);
    case Op.CBRT: return cubeRoot(a, to);
    case Op.EXP: return exponential(a, 0.0, to);
    case Op.EXPM1: return exponential(a, -1.0, to);
    case Op.LN: return logarithm(op, a, a, 1.0, to);
    case Op.LOG1P: { shiftTo(p(0), a, 1.0); return logarithm(op, a, p(0), 1.0, to); }
    case Op.LOG10: return logarithm(op, a, a, 1.0 / LN10, to);
    case Op.LOG2: return logarithm(op, a, a, 1.0 / LN2, to);
    case Op.SIN: return sine(a, 0, 1.0, to);
    case Op.COS: return sine(a, 1, 1.0, to);
    case Op.SINPI: { scaleTo(p(0), a, Math.PI); return sine(p(0), 0, Math.PI, to); }
    case Op.COSPI: { scaleTo(p(0), a, Math.PI); return sine(p(0), 1, Math.PI, to); }
    case Op.TAN: return tangent(a, to);
    case Op.TANH: return hyperbolicTangent(a, to);
    case Op.SINH:
    case Op.COSH: return hyperbolic(op, a, to);
    case Op.ATAN:
    case Op.ATANH: return rational(op, a, to);
    case Op.ASIN:
    case Op.ACOS:
    case Op.ASINH:
    case Op.ACOSH: return inverseRoot(op, a, to);
    case Op.ERF:
    case Op.ERFC: return error(op, a, to);
    case Op.GAMMA:
    case Op.LGAMMA: return gammas(op, a, to);
    case Op.ABS: return absolute(a, to);
    case Op.SIGN: return step(lower(a) > 0.0 ? 1.0 : lower(a) == 0.0 ? 0.0 : -1.0, upper(a) < 0.0 ? -1.0 : upper(a) == 0.0 ? 0.0 : 1.0, to);
    default: return step(floor(lower(a)), floor(upper(a)), to);
  }
}

/** g₀ of a function that rises (or falls: its ends are put in order) over the interval. */
function monotone(op: i32, a: usize, to: usize): void {
  const x = unary(op, lower(a)), y = unary(op, upper(a));
  // The functions in double are good to a few units in the last place, Γ and erf to some more.
  const slack = 1e-14 * max(abs(x), abs(y));
  if (x == x && y == y) set(to, min(x, y) - slack, max(x, y) + slack); else setUnknown(to);
}

function unknownFrom(j: i32, to: usize): void { for (; j <= ORDER; j++) setUnknown(g(to, j)); }

/** Binomial (q over j) of a real q. */
function binomial(q: f64, j: i32): f64 {
  let product = 1.0;
  for (let k = 0; k < j; k++) product *= (q - <f64>k) / <f64>(k + 1);
  return product;
}

/** a^q of a ≥ 0, q no whole number. */
export function realPower(a: usize, q: f64, to: usize): void {
  for (let j = 0; j <= ORDER; j++) {
    realPowerTo(g(to, j), a, q - <f64>j);
    scaleTo(g(to, j), g(to, j), binomial(q, j));
  }
}

/** a^n. */
export function wholePower(a: usize, n: i32, to: usize): void {
  for (let j = 0; j <= ORDER; j++) {
    const factor = binomial(<f64>n, j);
    if (factor == 0.0) { setExact(g(to, j), 0.0, 0.0); continue; }
    wholePowerTo(g(to, j), a, n - j);
    scaleTo(g(to, j), g(to, j), factor);
  }
}

function cubeRoot(a: usize, to: usize): void {
  if (lower(a) > 0.0) { realPower(a, 1.0 / 3.0, to); return; }
  monotone(Op.CBRT, a, to);
  if (upper(a) < 0.0) { // −(−a)^⅓: the signs of g₂ and g₄ turn
    setExact(p(0), -upper(a), -lower(a));
    realPower(p(0), 1.0 / 3.0, to);
    for (let j = 0; j <= ORDER; j += 2) scaleTo(g(to, j), g(to, j), -1.0);
  } else unknownFrom(1, to);
}

function exponential(a: usize, less: f64, to: usize): void {
  monotone(Op.EXP, a, p(1));
  let factorial = 1.0;
  for (let j = 0; j <= ORDER; j++) {
    scaleTo(g(to, j), p(1), 1.0 / factorial);
    factorial *= <f64>(j + 1);
  }
  if (less != 0.0) monotone(Op.EXPM1, a, to);
}

/** c·ln b; g_j = ∓c/(j b^j). */
function logarithm(op: i32, a: usize, b: usize, c: f64, to: usize): void {
  if (!(lower(b) > 0.0)) { unknownFrom(0, to); return; }
  for (let j = 1; j <= ORDER; j++) {
    wholePowerTo(g(to, j), b, -j);
    scaleTo(g(to, j), g(to, j), (j & 1 ? c : -c) / <f64>j);
  }
  monotone(op, a, to);
}

/** sin(a + quarters·π/2), the derivative of a by the variable being `pace`. */
function sine(a: usize, quarters: i32, pace: f64, to: usize): void {
  let factor = 1.0;
  for (let j = 0; j <= ORDER; j++) {
    sineTo(g(to, j), a, quarters + j);
    scaleTo(g(to, j), g(to, j), factor);
    factor *= pace / <f64>(j + 1);
  }
}

/** t, 1 + t², t(1 + t²), (1 + t²)(1 + 3t²)/3, t(1 + t²)(2 + 3t²)/3. */
function tangent(a: usize, to: usize): void {
  const turns = floor(lower(a) / Math.PI + 0.5);
  if (!(magnitude(a) < 1e9) || turns != floor(upper(a) / Math.PI + 0.5)) { unknownFrom(0, to); return; }
  monotone(Op.TAN, a, to);
  tangents(to, 1.0);
}

/** t, 1 − t², −t(1 − t²), −(1 − t²)(1 − 3t²)/3, t(1 − t²)(2 − 3t²)/3. */
function hyperbolicTangent(a: usize, to: usize): void {
  monotone(Op.TANH, a, to);
  tangents(to, -1.0);
}

function tangents(to: usize, sign: f64): void {
  squareTo(p(1), to);
  scaleTo(p(2), p(1), sign);
  shiftTo(g(to, 1), p(2), 1.0);
  multiplyTo(g(to, 2), to, g(to, 1));
  if (sign < 0.0) scaleTo(g(to, 2), g(to, 2), -1.0);
  scaleTo(p(3), p(2), 3.0);
  shiftTo(p(4), p(3), 1.0);
  multiplyTo(g(to, 3), g(to, 1), p(4));
  scaleTo(g(to, 3), g(to, 3), sign / 3.0);
  shiftTo(p(4), p(3), 2.0);
  multiplyTo(p(5), to, g(to, 1));
  multiplyTo(g(to, 4), p(5), p(4));
  scaleTo(g(to, 4), g(to, 4), 1.0 / 3.0);
}

function hyperbolic(op: i32, a: usize, to: usize): void {
  monotone(Op.SINH, a, p(1));
  const spans = lower(a) <= 0.0 && upper(a) >= 0.0, c = Math.cosh(lower(a)), d = Math.cosh(upper(a));
  set(p(2), (spans ? 1.0 : min(c, d)) * (1.0 - 1e-14), max(c, d) * (1.0 + 1e-14));
  let factorial = 1.0;
  for (let j = 0; j <= ORDER; j++) {
    scaleTo(g(to, j), (op == Op.SINH) == ((j & 1) == 0) ? p(1) : p(2), 1.0 / factorial);
    factorial *= <f64>(j + 1);
  }
}

/** With r = 1/(1 ± a²): r, ∓a r², (3a² ∓ 1) r³/3, ∓a(a² ∓ 1)… r⁴: the upper signs are atan's, the lower atanh's. */
function rational(op: i32, a: usize, to: usize): void {
  const sign = op == Op.ATAN ? 1.0 : -1.0;
  if (sign < 0.0 && !(magnitude(a) < 1.0)) { unknownFrom(0, to); return; }
  squareTo(p(1), a);
  scaleTo(p(2), p(1), sign);
  shiftTo(p(3), p(2), 1.0);
  reciprocalTo(g(to, 1), p(3));
  squareTo(p(3), g(to, 1));
  multiplyTo(g(to, 2), a, p(3));
  scaleTo(g(to, 2), g(to, 2), -sign);
  multiplyTo(p(4), p(3), g(to, 1));
  scaleTo(p(5), p(1), 3.0);
  shiftTo(p(5), p(5), -sign);
  multiplyTo(g(to, 3), p(5), p(4));
  scaleTo(g(to, 3), g(to, 3), 1.0 / 3.0);
  squareTo(p(4), p(3));
  scaleTo(p(5), p(1), -sign);
  shiftTo(p(5), p(5), 1.0);
  multiplyTo(p(6), a, p(5));
  multiplyTo(g(to, 4), p(6), p(4));
  monotone(op, a, to);
}

/** With w = 1 − a² (asin, acos), 1 + a² (asinh), a² − 1 (acosh): derivatives are powers of w times polynomials. */
function inverseRoot(op: i32, a: usize, to: usize): void {
  const isCircular = op == Op.ASIN || op == Op.ACOS, isSinh = op == Op.ASINH;
  squareTo(p(1), a);
  if (isCircular) scaleTo(p(2), p(1), -1.0); else setExact(p(2), lower(p(1)), upper(p(1)));
  shiftTo(p(2), p(2), isCircular || isSinh ? 1.0 : -1.0);
  if (!(lower(p(2)) > 0.0) || (op == Op.ACOSH && !(lower(a) > 1.0))) { monotone(op, a, to); unknownFrom(1, to); return; }
  // Signs: asin +, +, + ; asinh −, 2a² − 1, 3 − 2a² ; acosh −, 2a² + 1, −(3 + 2a²)
  realPowerTo(g(to, 1), p(2), -0.5);
  realPowerTo(p(3), p(2), -1.5);
  multiplyTo(g(to, 2), a, p(3));
  scaleTo(g(to, 2), g(to, 2), isCircular ? 0.5 : -0.5);
  scaleTo(p(4), p(1), 2.0);
  shiftTo(p(5), p(4), isSinh ? -1.0 : 1.0);
  realPowerTo(p(3), p(2), -2.5);
  multiplyTo(g(to, 3), p(5), p(3));
  scaleTo(g(to, 3), g(to, 3), 1.0 / 6.0);
  if (isSinh) scaleTo(p(4), p(4), -1.0);
  shiftTo(p(5), p(4), 3.0);
  multiplyTo(p(6), a, p(5));
  realPowerTo(p(3), p(2), -3.5);
  multiplyTo(g(to, 4), p(6), p(3));
  scaleTo(g(to, 4), g(to, 4), op == Op.ACOSH ? -0.125 : 0.125);
  if (op == Op.ACOS) for (let j = 1; j <= ORDER; j++) scaleTo(g(to, j), g(to, j), -1.0);
  monotone(op, a, to);
}

/** ±(2/√π) e^(−a²) times 1, −a, (2a² − 1)/3, a(3 − 2a²)/6. */
function error(op: i32, a: usize, to: usize): void {
  squareTo(p(1), a);
  scaleTo(p(2), p(1), -1.0);
  monotone(Op.EXP, p(2), p(3));
  scaleTo(g(to, 1), p(3), op == Op.ERF ? TWO_OVER_ROOT_PI : -TWO_OVER_ROOT_PI);
  multiplyTo(g(to, 2), a, g(to, 1));
  scaleTo(g(to, 2), g(to, 2), -1.0);
  scaleTo(p(4), p(1), 2.0);
  shiftTo(p(5), p(4), -1.0);
  multiplyTo(g(to, 3), p(5), g(to, 1));
  scaleTo(g(to, 3), g(to, 3), 1.0 / 3.0);
  scaleTo(p(4), p(4), -1.0);
  shiftTo(p(5), p(4), 3.0);
  multiplyTo(p(6), a, p(5));
  multiplyTo(g(to, 4), p(6), g(to, 1));
  scaleTo(g(to, 4), g(to, 4), 1.0 / 6.0);
  monotone(op, a, to);
}

function gammas(op: i32, a: usize, to: usize): void {
  unknownFrom(1, to);
  if (lower(a) > GAMMA_RISES || widthOf(a) == 0.0) monotone(op, a, to);
  else if (lower(a) > 0.0) { // its least is Γ(1.4616…) = 0.8856…
    const most = max(op == Op.GAMMA ? gamma(lower(a)) : lgamma(lower(a)), op == Op.GAMMA ? gamma(upper(a)) : lgamma(upper(a)));
    set(to, op == Op.GAMMA ? 0.8856 : -0.1215, most + 1e-12 * abs(most));
  } else setUnknown(to);
}

function absolute(a: usize, to: usize): void {
  if (lower(a) >= 0.0 || upper(a) <= 0.0) { wholePower(a, 1, to); if (upper(a) <= 0.0) { scaleTo(to, to, -1.0); scaleTo(g(to, 1), g(to, 1), -1.0); } return; }
  setExact(to, 0.0, magnitude(a));
  setExact(g(to, 1), -1.0, 1.0);
  unknownFrom(2, to);
}

/** From `lo` to `hi` in steps. */
function step(lo: f64, hi: f64, to: usize): void {
  if (lo == hi) { setExact(to, lo, hi); for (let j = 1; j <= ORDER; j++) setExact(g(to, j), 0.0, 0.0); return; }
  if (lo == lo && hi == hi) setExact(to, lo, hi); else setUnknown(to);
  unknownFrom(1, to);
}
