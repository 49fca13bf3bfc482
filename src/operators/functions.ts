/** What the dimension of a function's result is made from. */
export type DimensionRule = 'pure' | 'same' | 'root' | 'ratio';

export interface ExpressionFunction {
  readonly opcode: number;
  readonly arity: 1 | 2;
  /**
   * pure: pure number → pure number · same: all alike, the result too · root: x^(1/root) · ratio: two alike → pure
   */
  readonly rule: DimensionRule;
  readonly root?: number;
}

const one = (opcode: number, rule: DimensionRule = 'pure', root?: number): ExpressionFunction =>
  root === undefined ? { opcode, arity: 1, rule } : { opcode, arity: 1, rule, root };
const two = (opcode: number, rule: DimensionRule): ExpressionFunction => ({ opcode, arity: 2, rule });

/** Functions of the expression language; opcodes are those of assembly/expression/opcodes.ts. */
export const functions: ReadonlyMap<string, ExpressionFunction> = new Map([
  ['sqrt', one(32, 'root', 2)],
  ['cbrt', one(33, 'root', 3)],
  ['exp', one(34)],
  ['expm1', one(35)],
  ['ln', one(36)],
  ['log1p', one(37)],
  ['log10', one(38)],
  ['log2', one(39)],
  ['sin', one(40)],
  ['cos', one(41)],
  ['tan', one(42)],
  ['sinpi', one(43)],
  ['cospi', one(44)],
  ['asin', one(45)],
  ['acos', one(46)],
  ['atan', one(47)],
  ['sinh', one(48)],
  ['cosh', one(49)],
  ['tanh', one(50)],
  ['abs', one(51, 'same')],
  ['floor', one(52)],
  ['asinh', one(53)],
  ['acosh', one(54)],
  ['atanh', one(55)],
  ['erf', one(56)],
  ['erfc', one(57)],
  ['gamma', one(58)],
  ['lgamma', one(59)],
  ['atan2', two(13, 'ratio')],
  ['min', two(14, 'same')],
  ['max', two(15, 'same')],
  ['mod', two(16, 'same')],
]);

export const opcodes = {
  push: 0,
  negate: 1,
  powerOf: 2,
  '+': 8,
  '-': 9,
  '*': 10,
  '/': 11,
  '^': 12,
} as const;
