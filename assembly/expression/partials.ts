// The expression's functions in double, and their partial derivatives: uncertainty is propagated to first order in them
// (JCGM 100:2008, 5.1.2), and the running error bound begins with them (error-bound.ts; N. J. Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., 2002, 3.3).

import { digamma, erf, erfc, gamma, lgamma, sinHalfTurns } from "../math/special";
import { Op } from "./opcodes";

const LN2: f64 = 0.6931471805599453;
const LN10: f64 = 2.302585092994046;
const TWO_OVER_ROOT_PI: f64 = 1.1283791670955126;

export function unary(op: i32, a: f64): f64 {
  switch (op) {
    case Op.SQRT: return sqrt(a);
    case Op.CBRT: return Math.cbrt(a);
    case Op.EXP: return Math.exp(a);
    case Op.EXPM1: return Math.expm1(a);
    case Op.LN: return Math.log(a);
    case Op.LOG1P: return Math.log1p(a);
    case Op.LOG10: return Math.log10(a);
    case Op.LOG2: return Math.log2(a);
    case Op.SIN: return Math.sin(a);
    case Op.COS: return Math.cos(a);
    case Op.TAN: return Math.tan(a);
    case Op.SINPI: return sinHalfTurns(a, 0);
    case Op.COSPI: return sinHalfTurns(a, 1);
    case Op.ASIN: return Math.asin(a);
    case Op.ACOS: return Math.acos(a);
    case Op.ATAN: return Math.atan(a);
    case Op.SINH: return Math.sinh(a);
    case Op.COSH: return Math.cosh(a);
    case Op.TANH: return Math.tanh(a);
    case Op.ASINH: return Math.asinh(a);
    case Op.ACOSH: return Math.acosh(a);
    case Op.ATANH: return Math.atanh(a);
    case Op.ERF: return erf(a);
    case Op.ERFC: return erfc(a);
    case Op.GAMMA: return gamma(a);
    case Op.LGAMMA: return lgamma(a);
    case Op.ABS: return abs(a);
    case Op.SIGN: return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
    default: return floor(a);
  }
}

export function binary(op: i32, a: f64, b: f64): f64 {
  switch (op) {
    case Op.ADD: return a + b;
    case Op.SUBTRACT: return a - b;
    case Op.MULTIPLY: return a * b;
    case Op.DIVIDE: return a / b;
    case Op.POWER: return a == 0 && b < 0 ? NaN : Math.pow(a, b);
    case Op.ATAN2: return Math.atan2(a, b);
    case Op.MIN: return min(a, b);
    case Op.MAX: return max(a, b);
    default: return a - b * floor(a / b);
  }
}

/** Up to here a whole power is a product; beyond, the products' own roundings would add up. */
const FEW_FACTORS: i32 = 16;

/** a^n: by repeated squaring for few factors, which inner loops can afford; else pow. */
export function powerOf(a: f64, n: i32): f64 {
  if (n > FEW_FACTORS || n < -FEW_FACTORS) return Math.pow(a, <f64>n);
  let left = n < 0 ? -n : n, factor = a, product = 1.0;
  while (left > 0) {
    if (left & 1) product *= factor;
    left >>= 1;
    if (left > 0) factor *= factor;
  }
  return n < 0 ? 1.0 / product : product;
}

/** d z / d a of z = op(a). */
export function unaryDerivative(op: i32, a: f64, z: f64): f64 {
  switch (op) {
    case Op.SQRT: return 0.5 / z;
    case Op.CBRT: return 1.0 / (3.0 * z * z);
    case Op.EXP: return z;
    case Op.EXPM1: return z + 1;
    case Op.LN: return 1.0 / a;
    case Op.LOG1P: return 1.0 / (1.0 + a);
    case Op.LOG10: return 1.0 / (a * LN10);
    case Op.LOG2: return 1.0 / (a * LN2);
    case Op.SIN: return Math.cos(a);
    case Op.COS: return -Math.sin(a);
    case Op.TAN: return 1.0 + z * z;
    case Op.SINPI: return Math.PI * sinHalfTurns(a, 1);
    case Op.COSPI: return -Math.PI * sinHalfTurns(a, 0);
    case Op.ASIN: return 1.0 / sqrt((1.0 - a) * (1.0 + a));
    case Op.ACOS: return -1.0 / sqrt((1.0 - a) * (1.0 + a));
    case Op.ATAN: return 1.0 / (1.0 + a * a);
    case Op.SINH: return Math.cosh(a);
    case Op.COSH: return Math.sinh(a);
    case Op.TANH: return 1.0 - z * z;
    case Op.ASINH: return abs(a) > 1e100 ? 1.0 / abs(a) : 1.0 / sqrt(1.0 + a * a);
    case Op.ACOSH: return a > 1e100 ? 1.0 / a : 1.0 / sqrt((a - 1.0) * (a + 1.0));
    case Op.ATANH: return 1.0 / ((1.0 - a) * (1.0 + a));
    case Op.ERF: return TWO_OVER_ROOT_PI * Math.exp(-a * a);
    case Op.ERFC: return -TWO_OVER_ROOT_PI * Math.exp(-a * a);
    case Op.GAMMA: return z * digamma(a);
    case Op.LGAMMA: return digamma(a);
    case Op.ABS: return a < 0 ? -1.0 : 1.0;
    default: return 0.0; // floor and sign, between their steps
  }
}

/** ∂z/∂a of z = op(a, b). */
export function leftPartial(op: i32, a: f64, b: f64, z: f64): f64 {
  switch (op) {
    case Op.MULTIPLY: return b;
    case Op.DIVIDE: return 1.0 / b;
    case Op.POWER: return a == 0 ? (b == 1 ? 1.0 : b > 0 && b < 1 ? Infinity : 0.0) : b * z / a;
    case Op.ATAN2: return b / (a * a + b * b);
    case Op.MIN: return a <= b ? 1.0 : 0.0;
    case Op.MAX: return a >= b ? 1.0 : 0.0;
    default: return 1.0;
  }
}

/** ∂z/∂b of z = op(a, b). */
export function rightPartial(op: i32, a: f64, b: f64, z: f64): f64 {
  switch (op) {
    case Op.ADD: return 1.0;
    case Op.SUBTRACT: return -1.0;
    case Op.MULTIPLY: return a;
    case Op.DIVIDE: return -z / b;
    case Op.POWER: return a > 0 ? z * Math.log(a) : a < 0 ? Infinity : 0.0; // a < 0 has powers at whole b only
    case Op.ATAN2: return -a / (a * a + b * b);
    case Op.MIN: return a <= b ? 0.0 : 1.0;
    case Op.MAX: return a >= b ? 0.0 : 1.0;
    default: return -floor(a / b);
  }
}

/** d z / d a of z = a^n. */
@inline export function powerDerivative(a: f64, n: i32): f64 { return n == 0 ? 0 : <f64>n * powerOf(a, n - 1); }
