// Forward derivatives: one pass a value that is uncertain, in double, on slots of 16 bytes {value, derivative}; and, on
// slots {here, elsewhere} or {ahead, behind}, what a program is within a standard uncertainty.

import { isFiniteF64 } from "../kernel/frame";
import { isBinary, isPush, Op, operand, operation } from "./opcodes";
import { binary, leftPartial, powerDerivative, powerOf, rightPartial, unary, unaryDerivative } from "./partials";
import { VALUE } from "./evaluate";

@inline function times(derivative: f64, seed: f64): f64 { return seed == 0 ? 0 : derivative * seed; }

/** ∂(program)/∂(value `index`); the program's value stands before it on the stack. */
export function derivative(code: usize, words: i32, values: usize, index: i32, stack: usize): f64 {
  let top = stack - 16;
  for (let i = 0; i < words; i++) {
    const word = load<i32>(code + (<usize>i << 2)), op = operation(word);
    if (isPush(op)) {
      top += 16;
      store<f64>(top, load<f64>(values + <usize>operand(word) * VALUE));
      store<f64>(top, operand(word) == index ? 1 : 0, 8);
    } else if (isBinary(op)) {
      top -= 16;
      const a = load<f64>(top), b = load<f64>(top, 16), z = binary(op, a, b);
      const d = times(leftPartial(op, a, b, z), load<f64>(top, 8)) + times(rightPartial(op, a, b, z), load<f64>(top, 24));
      store<f64>(top, z);
      store<f64>(top, d, 8);
    } else step(op, operand(word), top);
  }
  return load<f64>(stack, 8);
}

function step(op: i32, n: i32, slot: usize): void {
  const a = load<f64>(slot);
  let z: f64, d: f64;
  if (op == Op.NEGATE) { z = -a; d = -1; }
  else if (op == Op.POWER_OF) { z = powerOf(a, n); d = powerDerivative(a, n); }
  else { z = unary(op, a); d = unaryDerivative(op, a, z); }
  store<f64>(slot, z);
  store<f64>(slot, times(d, load<f64>(slot, 8)), 8);
}

// ---- across a standard uncertainty ---------------------------------------------------------------------

/** Operations whose derivative at one place says nothing of the next. */
export function hasTurns(code: usize, words: i32): bool {
  for (let i = 0; i < words; i++) if (isTurning(operation(load<i32>(code + (<usize>i << 2))))) return true;
  return false;
}

@inline function isTurning(op: i32): bool {
  return op == Op.ABS || op == Op.SIGN || op == Op.FLOOR || op == Op.MOD || op == Op.MIN || op == Op.MAX;
}

/** Places at which a program is asked again: a standard uncertainty to either side, and WITHIN of it. */
export const PLACES: i32 = 4;
/** No plain fraction, at which numbers as people write them would put poles and kinks: 0.3 ± 0.5, 0.1 ± 0.2. */
const WITHIN: f64 = 0.618;

/**
 * The most that a program changes by where value `index` lies up to `sigma` elsewhere, of those places at which one of its
 * operations is on the other side of a step or a kink than at the value; 0 where there is none: the first order alone
 * would lose it (JCGM 100:2008, 5.1.2, note).
 */
export function farthestAcross(code: usize, words: i32, values: usize, index: i32, stack: usize, sigma: f64): f64 {
  let most = 0.0;
  for (let place = 0; place < PLACES; place++) {
    const side = (place & 1) == 0 ? sigma : -sigma, away = place < 2 ? side : WITHIN * side;
    if (sideBySide(code, words, values, stack, index, 0, away, -1, 0)) most = max(most, abs(load<f64>(stack, 8) - load<f64>(stack)));
  }
  return most;
}

/**
 * f(x + σ) + f(x − σ) − 2f(x), σ being `sigma` of value `index` and, of another value `other`, `beside`: what first order
 * leaves out, about (∂²f/∂x²)σ² of one value, and the same of both and twice the mixed one of two. Where only one side has a
 * value, twice what it is off by from the tangent, `slope` being the derivative times sigma; no number where none has.
 */
export function bend(code: usize, words: i32, values: usize, stack: usize, here: f64, index: i32, sigma: f64, other: i32, beside: f64, slope: f64): f64 {
  sideBySide(code, words, values, stack, index, sigma, -sigma, other, beside);
  const ahead = load<f64>(stack) - here, behind = load<f64>(stack, 8) - here;
  if (isFiniteF64(ahead)) return isFiniteF64(behind) ? ahead + behind : 2 * (ahead - slope);
  return isFiniteF64(behind) ? 2 * (behind + slope) : NaN;
}

/**
 * The program in two columns, value `index` being `first` and `second` away from what it is, and value `other` `beside` to
 * either side; whether an operation is on two sides of a step or kink in them.
 */
function sideBySide(code: usize, words: i32, values: usize, stack: usize, index: i32, first: f64, second: f64, other: i32, beside: f64): bool {
  let top = stack - 16, turns = false;
  for (let i = 0; i < words; i++) {
    const word = load<i32>(code + (<usize>i << 2)), op = operation(word);
    if (isPush(op)) {
      const value = operand(word), x = load<f64>(values + <usize>value * VALUE);
      top += 16;
      store<f64>(top, value == index ? x + first : value == other ? x + beside : x);
      store<f64>(top, value == index ? x + second : value == other ? x - beside : x, 8);
      continue;
    }
    if (isBinary(op)) top -= 16;
    turns = turns || (isTurning(op) && turned(op, load<f64>(top), load<f64>(top, 16)) != turned(op, load<f64>(top, 8), load<f64>(top, 24)));
    for (let side: usize = 0; side < 16; side += 8) store<f64>(top + side, result(op, operand(word), load<f64>(top + side), load<f64>(top + side, 16)));
  }
  return turns;
}

/** On which side of its steps or its kink an operation is; of one of one operand `b` is not looked at. */
function turned(op: i32, a: f64, b: f64): f64 {
  if (op == Op.FLOOR) return floor(a);
  if (op == Op.MOD) return floor(a / b);
  return unary(Op.SIGN, op == Op.MIN || op == Op.MAX ? a - b : a);
}

function result(op: i32, n: i32, a: f64, b: f64): f64 {
  if (isBinary(op)) return binary(op, a, b);
  return op == Op.NEGATE ? -a : op == Op.POWER_OF ? powerOf(a, n) : unary(op, a);
}
