// Forward derivatives: one pass a value that is uncertain, in double, on slots of 16 bytes {value, derivative}.

import { isBinary, Op, operand, operation } from "./opcodes";
import { binary, leftPartial, powerDerivative, powerOf, rightPartial, unary, unaryDerivative } from "./partials";
import { VALUE } from "./evaluate";

@inline function times(derivative: f64, seed: f64): f64 { return seed == 0 ? 0 : derivative * seed; }

/**
 * ∂(program)/∂(value `index`), whose standard uncertainty is `sigma`. A step has no derivative that says anything: where
 * a multiple lies within one standard uncertainty of the operand of floor and mod, it counts by the chord from −sigma
 * to sigma; the first order alone would be 0 there (JCGM 100:2008, 5.1.2, note).
 */
export function derivative(code: usize, words: i32, values: usize, index: i32, stack: usize, sigma: f64 = 0): f64 {
  let top = stack - 16;
  for (let i = 0; i < words; i++) {
    const word = load<i32>(code + (<usize>i << 2)), op = operation(word);
    if (op == Op.PUSH) {
      top += 16;
      store<f64>(top, load<f64>(values + <usize>operand(word) * VALUE));
      store<f64>(top, operand(word) == index ? 1 : 0, 8);
    } else if (isBinary(op)) {
      top -= 16;
      const a = load<f64>(top), b = load<f64>(top, 16), z = binary(op, a, b);
      let d = times(leftPartial(op, a, b, z), load<f64>(top, 8)) + times(rightPartial(op, a, b, z), load<f64>(top, 24));
      if (op == Op.MOD) d -= b * stepsOf(a / b, (load<f64>(top, 8) - a / b * load<f64>(top, 24)) / b, sigma);
      store<f64>(top, z);
      store<f64>(top, d, 8);
    } else step(op, operand(word), top, sigma);
  }
  return load<f64>(stack, 8);
}

function step(op: i32, n: i32, slot: usize, sigma: f64): void {
  const a = load<f64>(slot), seed = load<f64>(slot, 8);
  let z: f64, d: f64;
  if (op == Op.NEGATE) { z = -a; d = -1; }
  else if (op == Op.POWER_OF) { z = powerOf(a, n); d = powerDerivative(a, n); }
  else { z = unary(op, a); d = unaryDerivative(op, a, z); }
  store<f64>(slot, z);
  store<f64>(slot, op == Op.FLOOR ? stepsOf(a, seed, sigma) : times(d, seed), 8);
}

/** Of ⌊a⌋, a with the derivative `seed`: the whole numbers that a passes over two standard uncertainties. */
function stepsOf(a: f64, seed: f64, sigma: f64): f64 {
  const reach = seed * sigma;
  return reach == 0 ? 0 : (floor(a + reach) - floor(a - reach)) / (2 * sigma);
}
