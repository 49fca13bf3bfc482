// How far a result may be off because its operands are: bounds that hold for errors of any size, not to first order
// only. Where an operand may be anywhere around a zero, a step or a pole, its derivative at one point says nothing.

import { Op } from "./opcodes";
import { leftPartial, powerDerivative, powerOf, rightPartial, unaryDerivative } from "./partials";

export const UNDERFLOW: f64 = 5e-324;
const TURN: f64 = 6.283185307179587;
/** Beyond this Γ is not bounded: its derivatives are not at hand, and an operand that far off has lost its digits. */
const LARGEST_GAMMA_ERROR: f64 = 1e-6;

/** A product of what is not zero is not zero. */
@inline function up(x: f64): f64 { return x == 0 ? UNDERFLOW : x; }

/** Of z = op(ah + al), whose operand is off by `e` at most. */
export function unaryError(op: i32, ah: f64, al: f64, z: f64, e: f64): f64 {
  if (e == 0) return 0; // a derivative may be infinite where the operand is exact; then it does not count
  if (!(e < Infinity)) return Infinity;
  const a = abs(ah), d = abs(unaryDerivative(op, ah, z));
  switch (op) {
    case Op.ABS: return e;
    case Op.FLOOR: return stepError((ah - z) + al, e);
    case Op.SIGN: return abs(ah + al) <= e ? 2 : 0;
    case Op.EXP:
    case Op.EXPM1: return e <= 0.5 ? up(d * e * (1 + e)) : Math.exp(ah + e);
    case Op.SQRT: return e > 0.5 * a ? sqrt(a + e) : up(d * e * (1 + e / a));
    case Op.CBRT: return e > 0.5 * a ? 2 * Math.cbrt(a + e) : up(d * e * (1 + 2 * e / a));
    case Op.LN:
    case Op.LOG10:
    case Op.LOG2: return logError(d, a, e);
    case Op.LOG1P: return logError(d, 1 + ah, e);
    case Op.SIN:
    case Op.COS: return up(d * e + 0.5 * e * e);
    case Op.SINPI:
    case Op.COSPI: return up(d * e + 5 * e * e);
    case Op.TAN: return abs(z) * e >= 0.25 || e >= 0.25 ? Infinity : up(d * e * (1 + 4 * abs(z) * e + e));
    case Op.ASIN:
    case Op.ACOS: return rootError(d, (1 - a) * (1 + a), e);
    case Op.ACOSH: return rootError(d, (a - 1) * (a + 1), e);
    case Op.ATANH: return logError(d, (1 - a) * (1 + a), e);
    case Op.SINH:
    case Op.COSH: return up(d * e + 0.5 * Math.cosh(a + e) * e * e);
    case Op.ERF:
    case Op.ERFC: return (a + 1) * e < 0.1 ? up(d * e * (1 + 4 * (a + 1) * e)) : 1.13 * e;
    case Op.GAMMA:
    case Op.LGAMMA: return e > LARGEST_GAMMA_ERROR ? Infinity : up(d * e * (1 + e) + e * e);
    default: return up(d * e + e * e); // tanh, atan, asinh: second derivatives below 1
  }
}

/** Of a step function, `behind` its last step and 1 − `behind` before the next. */
@inline function stepError(behind: f64, e: f64): f64 { return behind <= e || 1 - behind <= e ? 1 + e : 0; }

/** Of a function that goes to infinity at the distance `m`. */
@inline function logError(d: f64, m: f64, e: f64): f64 { return 2 * e > abs(m) ? Infinity : up(d * e * (1 + 4 * e / abs(m))); }

/** Of a function that ends like a square root at about half the distance `m`. */
@inline function rootError(d: f64, m: f64, e: f64): f64 { return 4 * e > m ? 3 * sqrt(e) : up(d * e * (1 + 4 * e / m)); }

/** Of z = a^n. */
export function powerError(ah: f64, n: i32, e: f64): f64 {
  if (e == 0 || n == 0) return 0;
  const a = abs(ah);
  if (n > 0) return up(abs(powerDerivative(a + e, n)) * e);
  return 2 * e > a ? Infinity : up(abs(<f64>n * powerOf(a - e, n - 1)) * e);
}

/** Of a × b. */
export function productBound(a: f64, b: f64, ea: f64, eb: f64): f64 { return scaled(b, ea) + scaled(a, eb) + scaled(ea, eb); }

/** Of z = op(a, b), which is no sum or product, with operands that are off by `ea` and `eb` at most. */
export function binaryError(op: i32, a: f64, b: f64, z: f64, ea: f64, eb: f64): f64 {
  if (ea == 0 && eb == 0) return 0;
  switch (op) {
    case Op.POWER: return baseError(abs(a), b, z, ea) + exponentError(a, b, z, eb);
    case Op.ATAN2: return angleError(a, b, z, ea, eb);
    case Op.MIN:
    case Op.MAX: return extremeError(op, a, b, ea, eb);
    default: return ea + abs(rightPartial(op, a, b, z)) * eb; // mod: what a step adds is for `remainderError`
  }
}

@inline function scaled(a: f64, e: f64): f64 { return a == 0 || e == 0 ? 0 : up(abs(a) * e); }

/** Of a / b, both without their signs. */
export function quotientBound(a: f64, b: f64, ea: f64, eb: f64): f64 {
  const r = eb / b;
  if (!(r < 0.5)) return Infinity;
  const own = ea == 0 ? 0 : up(ea / b * (1 + 2 * r));
  return own + (a == 0 || eb == 0 ? 0 : up(a / b * r * (1 + 2 * r)));
}

function baseError(a: f64, b: f64, z: f64, e: f64): f64 {
  if (e == 0 || b == 0) return 0;
  if (4 * e > a) return b > 0 ? up(Math.pow(a + e, b)) : Infinity;
  const r = abs(b) * e / a;
  return r > 0.5 ? Infinity : up(abs(z) * r * (1 + 2 * r));
}

/** A negative number has powers at whole exponents only. */
function exponentError(a: f64, b: f64, z: f64, e: f64): f64 {
  if (e == 0) return 0;
  if (a < 0 || (a == 0 && b <= e)) return Infinity;
  if (a == 0) return 0;
  const r = abs(Math.log(a)) * e;
  return r > 0.5 ? Infinity : up(abs(z) * r * (1 + r));
}

function angleError(a: f64, b: f64, z: f64, ea: f64, eb: f64): f64 {
  const e = ea + eb, r = sqrt(a * a + b * b);
  if (2 * e >= r || (abs(a) <= ea && b < eb && ea > 0)) return TURN; // around the origin, or on both sides of the cut
  const first = abs(leftPartial(Op.ATAN2, a, b, z)) * ea + abs(rightPartial(Op.ATAN2, a, b, z)) * eb;
  return up(first + (e / r) * (e / r));
}

function extremeError(op: i32, a: f64, b: f64, ea: f64, eb: f64): f64 {
  if (abs(a - b) <= ea + eb) return max(ea, eb);
  return (a < b) == (op == Op.MIN) ? ea : eb;
}

/** z = a mod b, off by `e` otherwise, is off by a whole b where a may lie on the other side of a multiple. */
export function remainderError(bh: f64, bl: f64, zh: f64, zl: f64, e: f64): f64 {
  if (e == 0) return 0;
  const behind = abs(zh + zl), ahead = abs((bh - zh) + (bl - zl));
  return behind <= e || ahead <= e ? e + abs(bh) : e;
}
