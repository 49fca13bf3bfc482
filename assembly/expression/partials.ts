// The expression's functions in double, and their partial derivatives. Both the running error bound and the
// propagation of uncertainty are sums over |∂z/∂a| · error of a, to first order (N. J. Higham, Accuracy and Stability
// of Numerical Algorithms, 2nd ed., 2002, 3.3; JCGM 100:2008, 5.1.2).

import { Op } from "./opcodes";

const LN2: f64 = 0.6931471805599453;
const LN10: f64 = 2.302585092994046;

/** x reduced to half turns |r| ≤ ¼ with the quadrant in the result's place: sin π(x + shift/2). */
function sinHalfTurns(x: f64, shift: f64): f64 {
  const turns = x - 2.0 * nearest(x * 0.5);
  const n = nearest(2.0 * turns), r = Math.PI * (turns - 0.5 * n);
  const quadrant = (<i32>(n + shift)) & 3;
  const s = quadrant & 1 ? Math.cos(r) : Math.sin(r);
  return (quadrant & 2 ? -s : s) + 0.0;
}

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
    case Op.ABS: return abs(a);
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
    case Op.ABS: return a < 0 ? -1.0 : 1.0;
    default: return 0.0; // floor, between its steps
  }
}

/** ∂z/∂a of z = op(a, b). */
export function leftPartial(op: i32, a: f64, b: f64, z: f64): f64 {
  switch (op) {
    case Op.MULTIPLY: return b;
    case Op.DIVIDE: return 1.0 / b;
    case Op.POWER: return a == 0 ? (b == 1 ? 1.0 : 0.0) : b * z / a;
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
    case Op.POWER: return a > 0 ? z * Math.log(a) : 0.0;
    case Op.ATAN2: return -a / (a * a + b * b);
    case Op.MIN: return a <= b ? 0.0 : 1.0;
    case Op.MAX: return a >= b ? 0.0 : 1.0;
    default: return -floor(a / b);
  }
}

/** d z / d a of z = a^n. */
@inline export function powerDerivative(a: f64, n: i32): f64 { return n == 0 ? 0 : <f64>n * Math.pow(a, <f64>(n - 1)); }
