// Bytecode of the expression kernel: one i32 a word, the operation in the low 8 bits, the operand above.
// src/operators/bytecode.ts writes it; a test holds the two lists against each other. A number is never reused.

export namespace Op {
  /** Pushes value `operand` of the table. */
  export const PUSH: i32 = 0;
  export const NEGATE: i32 = 1;
  /** To the whole power `operand` (signed, |n| ≤ 1024). */
  export const POWER_OF: i32 = 2;
  /** As PUSH, of a value that is the double nearest to the decimal that was meant: half an ulp may decide on a step. */
  export const PUSH_NEAREST: i32 = 3;

  export const ADD: i32 = 8;
  export const SUBTRACT: i32 = 9;
  export const MULTIPLY: i32 = 10;
  export const DIVIDE: i32 = 11;
  export const POWER: i32 = 12;
  export const ATAN2: i32 = 13;
  export const MIN: i32 = 14;
  export const MAX: i32 = 15;
  export const MOD: i32 = 16;

  export const SQRT: i32 = 32;
  export const CBRT: i32 = 33;
  export const EXP: i32 = 34;
  export const EXPM1: i32 = 35;
  export const LN: i32 = 36;
  export const LOG1P: i32 = 37;
  export const LOG10: i32 = 38;
  export const LOG2: i32 = 39;
  export const SIN: i32 = 40;
  export const COS: i32 = 41;
  export const TAN: i32 = 42;
  export const SINPI: i32 = 43;
  export const COSPI: i32 = 44;
  export const ASIN: i32 = 45;
  export const ACOS: i32 = 46;
  export const ATAN: i32 = 47;
  export const SINH: i32 = 48;
  export const COSH: i32 = 49;
  export const TANH: i32 = 50;
  export const ABS: i32 = 51;
  export const FLOOR: i32 = 52;
  export const ASINH: i32 = 53;
  export const ACOSH: i32 = 54;
  export const ATANH: i32 = 55;
  export const ERF: i32 = 56;
  export const ERFC: i32 = 57;
  export const GAMMA: i32 = 58;
  export const LGAMMA: i32 = 59;
  export const SIGN: i32 = 60;
}

@inline export function operation(word: i32): i32 { return word & 0xff; }
@inline export function operand(word: i32): i32 { return word >> 8; }
@inline export function isPush(op: i32): bool { return op == Op.PUSH || op == Op.PUSH_NEAREST; }
/** Operations whose value leaps. */
@inline export function isStep(op: i32): bool { return isIn(<u64>1 << <u64>Op.FLOOR | <u64>1 << <u64>Op.SIGN | <u64>1 << <u64>Op.MOD, op); }
/** Those, and operations whose derivative at one place says nothing of the next. */
@inline export function isTurning(op: i32): bool {
  return isIn(<u64>1 << <u64>Op.FLOOR | <u64>1 << <u64>Op.SIGN | <u64>1 << <u64>Op.MOD | <u64>1 << <u64>Op.ABS | <u64>1 << <u64>Op.MIN | <u64>1 << <u64>Op.MAX, op);
}
/** Whether an operation, which is below 64, is among those of a set. */
@inline function isIn(set: u64, op: i32): bool { return (set >> <u64>op & 1) != 0; }
/** Operations from 8 to 31 take two operands, from 32 on one. */
@inline export function isBinary(op: i32): bool { return op >= 8 && op < 32; }

export function isKnown(op: i32): bool {
  return (op >= Op.PUSH && op <= Op.PUSH_NEAREST) || (op >= Op.ADD && op <= Op.MOD) || (op >= Op.SQRT && op <= Op.SIGN);
}

/** Work units (ns of the reference core) of one word: what it takes in double-double, double and error bound. */
export function cost(word: i32): u64 {
  const op = operation(word);
  if (isPush(op) || op == Op.NEGATE || op == Op.ABS || op == Op.SIGN || op == Op.MIN || op == Op.MAX) return 10;
  if (op == Op.ADD || op == Op.SUBTRACT || op == Op.MULTIPLY) return 20;
  if (op == Op.DIVIDE || op == Op.SQRT || op == Op.FLOOR || op == Op.MOD) return 60;
  if (op == Op.POWER_OF || op == Op.CBRT) return 200;
  if (op == Op.EXP || (op >= Op.SIN && op <= Op.COSPI && op != Op.TAN)) return 400;
  if (op >= Op.ERF && op <= Op.GAMMA) return 3200;
  if (op == Op.LGAMMA) return 2000;
  if (op == Op.POWER || op == Op.ATAN2 || (op >= Op.ASIN && op <= Op.ATAN)) return 1200;
  return 800;
}

/** Work units of starting a program, and of one word in a derivative pass. */
export const PROGRAM_COST: u64 = 300;
export const DERIVATIVE_COST: u64 = 40;
