// Forward derivatives: one pass a value that is uncertain, in double, on slots of 16 bytes {value, derivative}.

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
