// Forward derivatives: one pass a value that is uncertain, in double, on slots of 16 bytes {value, derivative}; and the
// value alone, on slots of 8.

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
  const z = unaryStep(op, n, a);
  const d = op == Op.NEGATE ? -1 : op == Op.POWER_OF ? powerDerivative(a, n) : unaryDerivative(op, a, z);
  store<f64>(slot, z);
  store<f64>(slot, times(d, load<f64>(slot, 8)), 8);
}

/** What the program is in double. */
export function plain(code: usize, words: i32, values: usize, stack: usize): f64 {
  let top = stack - 8;
  for (let i = 0; i < words; i++) {
    const word = load<i32>(code + (<usize>i << 2)), op = operation(word);
    if (isPush(op)) {
      top += 8;
      store<f64>(top, load<f64>(values + <usize>operand(word) * VALUE));
    } else if (isBinary(op)) {
      top -= 8;
      store<f64>(top, binary(op, load<f64>(top), load<f64>(top, 8)));
    } else store<f64>(top, unaryStep(op, operand(word), load<f64>(top)));
  }
  return load<f64>(stack);
}

@inline function unaryStep(op: i32, n: i32, a: f64): f64 {
  return op == Op.NEGATE ? -a : op == Op.POWER_OF ? powerOf(a, n) : unary(op, a);
}
