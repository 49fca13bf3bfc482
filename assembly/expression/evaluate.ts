// One pass over a program: every value in double and in double-double at once, with a bound on the error of the
// latter that runs along. Stack slots of 32 bytes: 0 double, 8 and 16 hi and lo, 24 error bound.
//
// The values are the numbers that they are, and their errors 0. Only where floor, sign or mod leaps may what a number lost
// when it was rounded to a double decide everything: 0.3/0.1 is 3 in decimals and 2.9999999999999998 in the doubles
// nearest to them. So a program with such operations is run once more before, with those errors, and where one of them may
// then lie on either side of a step its value is as good as unknown.

import { ddAdd, low, productError } from "../math/dd";
import {
  ddAcos, ddAcosh, ddAsin, ddAsinh, ddAtan, ddAtan2, ddAtanh, ddCbrt, ddCos, ddCosh, ddCosPi, ddExp, ddExpm1, ddFloor,
  ddLn, ddLog10, ddLog1p, ddLog2, ddMod, ddPow, ddPowerOf, ddSin, ddSinh, ddSinPi, ddTan, ddTanh, LARGEST_ANGLE, product,
  quotient, squareRoot, tail,
} from "../math/dd-functions";
import { ddErf, ddErfc, ddGamma, ddLgamma } from "../math/dd-special";
import { fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { isBinary, isPush, isStep, Op, operand, operation } from "./opcodes";
import {
  binaryError, powerError, productBound, quotientBound, remainderError, unaryError, UNDERFLOW,
} from "./error-bound";
import { binary, powerOf, unary } from "./partials";

export const SLOT: usize = 32;
/** An error that nothing is known of: the gate refuses the value, which is finite. */
const UNBOUNDED: f64 = 1.7976931348623157e308;
export const VALUE: usize = 24;

// Relative errors of one operation: Hida, Li and Bailey bound the arithmetic; the functions are measured
// (test/kernels/expression.test.ts) and stay below.
const ARITHMETIC: f64 = 1.9721522630525295e-31; // 2^-102
const FUNCTION: f64 = 5.048709793414476e-29; // 2^-94
/** What a function may lose where numbers have fewer bits: some tens of the smallest steps. */
const UNDERFLOW_OF_FUNCTION: f64 = 3e-322;
/** Half an ulp of a double, and what a double-double is off by at most from the number that it stands for. */
const HALF_ULP: f64 = 1.1102230246251565e-16;
const HALF_TAIL: f64 = 1.232595164407831e-32; // 2^-106
/** Up to here Γ of a whole number fits into a double-double, and so does every product on the way. */
const EXACT_GAMMA: f64 = 37;

/** 0 as long as every value on the way is a number: NaN^0 and min(1, 1/0) would hide one that is not (HON-03). */
let unsound: f64 = 0;
/** Whether values are off by what they lost when they were rounded, and whether a step lies within that. */
let isRounded: bool = false, isOnStep: bool = false;

@inline function hiOf(slot: usize): f64 { return load<f64>(slot, 8); }
@inline function loOf(slot: usize): f64 { return load<f64>(slot, 16); }
@inline function errorOf(slot: usize): f64 { return load<f64>(slot, 24); }

/** Runs `words` of code, with or without steps; the result is in the slot at `stack`. `values` are {hi, lo, σ}. */
export function evaluate(code: usize, words: i32, steps: bool, values: usize, stack: usize): void {
  if (!steps) { pass(code, words, values, stack, false); return; }
  isOnStep = false;
  isRounded = true;
  pass(code, words, values, stack, true);
  isRounded = false;
  pass(code, words, values, stack, false);
  if (!isOnStep) return;
  store<f64>(stack, hiOf(stack)); // so that the gate that refuses is the one of rounding, in whatever the two differ
  store<f64>(stack, unknown(hiOf(stack)), 24);
}

/** The error bound of a value that nothing is known of; over it, it is a number still. */
function unknown(value: f64): f64 { return value == 0 ? 1 : min(1e100 * abs(value), UNBOUNDED); }

function pass(code: usize, words: i32, values: usize, stack: usize, rounded: bool): void {
  let top = stack - SLOT;
  unsound = 0;
  for (let i = 0; i < words; i++) {
    const word = load<i32>(code + (<usize>i << 2)), op = operation(word);
    if (isPush(op)) {
      const value = values + <usize>operand(word) * VALUE;
      const next = i + 1 < words ? operation(load<i32>(code + (<usize>(i + 1) << 2))) : Op.PUSH;
      if (isArithmetic(next) && !rounded) { // two words at once: the value never gets a slot
        const hi = load<f64>(value);
        arithmetic(next, top, hi, hi, load<f64>(value, 8), 0);
        i++;
      } else { top += SLOT; push(top, value, op, rounded); }
    } else if (isArithmetic(op)) {
      arithmetic(op, top - SLOT, load<f64>(top), hiOf(top), loOf(top), errorOf(top));
      top -= SLOT;
    } else if (op == Op.NEGATE) negate(top);
    else if (op == Op.POWER_OF) raise(top, operand(word));
    else if (isBinary(op)) { top -= SLOT; combine(op, top); }
    else apply(op, top);
  }
  if (!(unsound == 0)) store<f64>(stack, Infinity, 8);
}

function push(slot: usize, value: usize, op: i32, rounded: bool): void {
  const hi = load<f64>(value), lo = load<f64>(value, 8);
  store<f64>(slot, hi);
  store<f64>(slot, hi, 8);
  store<f64>(slot, lo, 16);
  store<f64>(slot, rounded ? lostOf(hi, lo, op) : 0, 24);
}

@inline function lostOf(hi: f64, lo: f64, op: i32): f64 {
  return op == Op.PUSH_NEAREST ? HALF_ULP * abs(hi) : lo != 0 ? HALF_TAIL * abs(hi) : 0;
}

function negate(slot: usize): void {
  store<f64>(slot, -load<f64>(slot));
  store<f64>(slot, -hiOf(slot), 8);
  store<f64>(slot, -loOf(slot), 16);
}

function settle(slot: usize, double: f64, hi: f64, lo: f64, error: f64): void {
  unsound += hi * 0;
  store<f64>(slot, double);
  store<f64>(slot, hi, 8);
  store<f64>(slot, lo, 16);
  store<f64>(slot, error < UNBOUNDED ? error : UNBOUNDED, 24);
}

// ---- one operand ---------------------------------------------------------------------------------------

function apply(op: i32, slot: usize): void {
  const a = load<f64>(slot), ah = hiOf(slot), al = loOf(slot), e = errorOf(slot);
  if (op >= Op.SIN && op <= Op.TAN && abs(ah) > LARGEST_ANGLE) fail(Status.UNSUPPORTED);
  const h = function1(op, ah, al), l = tail;
  const carried = unaryError(op, ah, al, h, e), error = carried + localError(op, ah, al, h, l);
  if (isRounded && isStep(op) && carried > 0) isOnStep = true;
  settle(slot, unary(op, a), h, l, error);
}

function function1(op: i32, h: f64, l: f64): f64 {
  switch (op) {
    case Op.SQRT: return squareRoot(h, l);
    case Op.CBRT: return ddCbrt(h, l);
    case Op.EXP: return ddExp(h, l);
    case Op.EXPM1: return ddExpm1(h, l);
    case Op.LN: return ddLn(h, l);
    case Op.LOG1P: return ddLog1p(h, l);
    case Op.LOG10: return ddLog10(h, l);
    case Op.LOG2: return ddLog2(h, l);
    case Op.SIN: return ddSin(h, l);
    case Op.COS: return ddCos(h, l);
    case Op.TAN: return ddTan(h, l);
    case Op.SINPI: return ddSinPi(h, l);
    case Op.COSPI: return ddCosPi(h, l);
    case Op.ASIN: return ddAsin(h, l);
    case Op.ACOS: return ddAcos(h, l);
    case Op.ATAN: return ddAtan(h, l);
    case Op.SINH: return ddSinh(h, l);
    case Op.COSH: return ddCosh(h, l);
    case Op.TANH: return ddTanh(h, l);
    case Op.ASINH: return ddAsinh(h, l);
    case Op.ACOSH: return ddAcosh(h, l);
    case Op.ATANH: return ddAtanh(h, l);
    case Op.ERF: return ddErf(h, l);
    case Op.ERFC: return ddErfc(h, l);
    case Op.GAMMA: return ddGamma(h, l);
    case Op.LGAMMA: return ddLgamma(h, l);
    case Op.ABS: return absolute(h, l);
    case Op.SIGN: return product(unary(Op.SIGN, h), 0, 1, 0);
    default: return ddFloor(h, l);
  }
}

/** The next one reads `tail`, so |x| leaves through a product with ±1. */
function absolute(h: f64, l: f64): f64 { return product(h, l, h < 0 ? -1 : 1, 0); }

/** What the operation itself adds; nothing where its result is known to be exact. */
function localError(op: i32, ah: f64, al: f64, h: f64, l: f64): f64 {
  if (op == Op.ABS || op == Op.FLOOR || op == Op.SIGN) return 0;
  if (h == 0 && !mayVanish(op, al)) return 0;
  if (ah == 0) return 0; // 1 at 0: exp, cos, cosh, erfc
  if (op == Op.GAMMA && al == 0 && ah > 0 && ah <= EXACT_GAMMA && nearest(ah) == ah) return 0;
  if (op == Op.SQRT && al == 0 && l == 0 && productError(h, h, h * h) == 0 && h * h == ah) return 0;
  return FUNCTION * abs(h) + UNDERFLOW_OF_FUNCTION;
}

/** Whether a result of 0 may be an underflow; all other functions are zero at exact zeros only. */
@inline function mayVanish(op: i32, al: f64): bool {
  return op == Op.EXP || op == Op.ERFC || op == Op.GAMMA || (op == Op.LGAMMA && al != 0);
}

function raise(slot: usize, n: i32): void {
  const a = load<f64>(slot), ah = hiOf(slot), al = loOf(slot);
  const h = ddPowerOf(ah, al, n), l = tail;
  const own = h == 0 && ah == 0 ? 0 : FUNCTION * abs(h) + UNDERFLOW_OF_FUNCTION;
  settle(slot, powerOf(a, n), h, l, powerError(ah, n, errorOf(slot)) + own);
}

// ---- sums and products ---------------------------------------------------------------------------------

@inline function isArithmetic(op: i32): bool { return op >= Op.ADD && op <= Op.DIVIDE; }

/** The slot at `left` and b = bh + bl, off by `eb`, become one. */
function arithmetic(op: i32, left: usize, b: f64, bh: f64, bl: f64, eb: f64): void {
  if (op == Op.MULTIPLY) multiply(left, b, bh, bl, eb);
  else if (op == Op.DIVIDE) divide(left, b, bh, bl, eb);
  else if (op == Op.ADD) add(left, b, bh, bl, eb);
  else add(left, -b, -bh, -bl, eb);
}

function add(left: usize, b: f64, bh: f64, bl: f64, eb: f64): void {
  const al = loOf(left), h = ddAdd(hiOf(left), al, bh, bl);
  const own = al == 0 && bl == 0 ? 0 : ARITHMETIC * abs(h);
  settle(left, load<f64>(left) + b, h, low, errorOf(left) + eb + own);
}

function multiply(left: usize, b: f64, bh: f64, bl: f64, eb: f64): void {
  const ah = hiOf(left), al = loOf(left), ea = errorOf(left);
  const h = product(ah, al, bh, bl), l = tail;
  let error = ea == 0 && eb == 0 ? 0 : productBound(ah, bh, ea, eb);
  const isExact = ah == 0 || bh == 0 || (al == 0 && bl == 0 && abs(h) > 1e-280);
  if (!isExact) error += ARITHMETIC * abs(h) + UNDERFLOW;
  settle(left, load<f64>(left) * b, h, l, error);
}

function divide(left: usize, b: f64, bh: f64, bl: f64, eb: f64): void {
  const ah = hiOf(left), al = loOf(left), ea = errorOf(left);
  const h = quotient(ah, al, bh, bl), l = tail;
  let error = ea == 0 && eb == 0 ? 0 : quotientBound(abs(ah), abs(bh), ea, eb);
  const isExact = ah == 0 || (al == 0 && bl == 0 && l == 0 && isExactQuotient(ah, bh, h));
  if (!isExact) error += ARITHMETIC * abs(h) + UNDERFLOW;
  settle(left, load<f64>(left) / b, h, l, error);
}

// ---- other functions of two operands -------------------------------------------------------------------

/** The slot at `left` and the one above it become one. */
function combine(op: i32, left: usize): void {
  const right = left + SLOT;
  const ah = hiOf(left), al = loOf(left), bh = hiOf(right), bl = loOf(right);
  const h = function2(op, ah, al, bh, bl), l = tail;
  const carried = binaryError(op, ah, bh, h, errorOf(left), errorOf(right));
  let error = carried + localError2(op, ah, al, bh, bl, h, l);
  if (op == Op.MOD) {
    const within = error;
    error = remainderError(bh, bl, h, l, within);
    if (isRounded && error > within) isOnStep = true;
  }
  settle(left, binary(op, load<f64>(left), load<f64>(right)), h, l, error);
}

function function2(op: i32, ah: f64, al: f64, bh: f64, bl: f64): f64 {
  switch (op) {
    case Op.POWER: return ddPow(ah, al, bh, bl);
    case Op.ATAN2: return ddAtan2(ah, al, bh, bl);
    case Op.MIN: { const a = ah < bh || (ah == bh && al <= bl); return a ? product(ah, al, 1, 0) : product(bh, bl, 1, 0); }
    case Op.MAX: { const a = ah > bh || (ah == bh && al >= bl); return a ? product(ah, al, 1, 0) : product(bh, bl, 1, 0); }
    default: return ddMod(ah, al, bh, bl);
  }
}

function localError2(op: i32, ah: f64, al: f64, bh: f64, bl: f64, h: f64, l: f64): f64 {
  if (op == Op.MIN || op == Op.MAX) return 0;
  const exactOperands = al == 0 && bl == 0;
  if ((op == Op.POWER || op == Op.ATAN2) && ah == 0 && h == 0) return 0;
  // a − b⌊a/b⌋ carries the rounding of a, not of the remainder.
  if (op == Op.MOD) return exactOperands && abs(ah) < 4503599627370496.0 * abs(bh) ? 0 : ARITHMETIC * (abs(ah) + abs(h));
  return FUNCTION * abs(h) + UNDERFLOW_OF_FUNCTION;
}

function isExactQuotient(a: f64, b: f64, q: f64): bool {
  if (abs(q) > 1e280 || abs(b) > 1e280) return false;
  const p = q * b;
  return p == a && productError(q, b, p) == 0;
}
