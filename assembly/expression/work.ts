// Work units (ns of the reference core) of one word of a caller's formula: at a point with its dispatch (./point), and of
// a point in a strip (./formulas). The functions take what they take. src/solvers/expressions.ts has the same numbers.

import { Op, operation } from "./opcodes";
import { codeOf, wordsOf } from "./program";

/** Of starting program j, and its words at a point. */
export function pointWork(j: i32): u64 {
  const code = codeOf(j), words = wordsOf(j);
  let units: u64 = 2;
  for (let i = 0; i < words; i++) {
    const op = operation(load<i32>(code + (<usize>i << 2)));
    units += op == Op.PUSH ? 0 : isCheap(op) ? 3 : functionWork(op);
  }
  return units;
}

/** Twice the units of a point of program j in a strip: cheap operations take half of one. */
export function stripHalves(j: i32): u64 {
  const code = codeOf(j), words = wordsOf(j);
  let halves: u64 = 1;
  for (let i = 0; i < words; i++) {
    const op = operation(load<i32>(code + (<usize>i << 2)));
    halves += op == Op.PUSH ? 0 : isCheap(op) ? 1 : 2 * functionWork(op);
  }
  return halves;
}

@inline function isCheap(op: i32): bool {
  return (op >= Op.NEGATE && op <= Op.DIVIDE) || op == Op.MIN || op == Op.MAX || op == Op.ABS || op == Op.FLOOR
    || op == Op.SIGN || op == Op.SQRT;
}

function functionWork(op: i32): u64 {
  if (op == Op.MOD) return 5;
  if (op == Op.POWER || op == Op.GAMMA || op == Op.LGAMMA || op == Op.ERF || op == Op.ERFC) return 40;
  return 20;
}
