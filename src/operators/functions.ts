import type { BinaryOperator, Expression } from './syntax.ts';

/** What the dimension of a function's result is made from. */
export type DimensionRule = 'pure' | 'same' | 'root' | 'ratio';

export interface ExpressionFunction {
  readonly opcode: number;
  readonly arity: 1 | 2;
  /**
   * pure: pure number → pure number · same: all alike, the result too · root: x^(1/root) · ratio: all alike → pure
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
  ['sign', one(60, 'ratio')],
  ['atan2', two(13, 'ratio')],
  ['min', two(14, 'same')],
  ['max', two(15, 'same')],
  ['mod', two(16, 'same')],
]);

/** Other names of functions, as books have them. */
const renamed: Readonly<Record<string, string>> = {
  arcsin: 'asin',
  arccos: 'acos',
  arctan: 'atan',
  arsinh: 'asinh',
  arcosh: 'acosh',
  artanh: 'atanh',
  sgn: 'sign',
  signum: 'sign',
  lg: 'log10',
  lb: 'log2',
  log_10: 'log10',
  log_2: 'log2',
};
/** Functions that are one over another. */
const inverted: Readonly<Record<string, string>> = {
  cot: 'tan',
  sec: 'cos',
  csc: 'sin',
  coth: 'tanh',
  sech: 'cosh',
  csch: 'sinh',
};

const others = new Map([...Object.entries(renamed), ...Object.entries(inverted)]);
const unity: Expression = { kind: 'number', text: '1' };

/** The name that the kernel has for a function of a text, if it has one. */
export function functionOf(word: string): string | undefined {
  const name = others.get(word) ?? word;
  return name === 'ceil' || functions.has(name) ? name : undefined;
}

/** The tree of a function of a text, or how many arguments it takes in place of those; min and max take two or more. */
export function applied(word: string, list: readonly Expression[]): Expression | number {
  const name = functionOf(word)!;
  const { arity } = functions.get(name === 'ceil' ? 'floor' : name)!;
  const [first, ...rest] = list;
  if ((name === 'min' || name === 'max') && rest.length > 0)
    return rest.reduce<Expression>((left, right) => call(name, left, right), first!);
  if (list.length !== arity) return arity;
  if (name === 'ceil') return { kind: 'negate', of: call('floor', { kind: 'negate', of: first! }) };
  const value = call(name, ...list);
  return Object.hasOwn(inverted, word) ? { kind: 'binary', operator: '/', left: unity, right: value } : value;
}

export const call = (name: string, ...list: readonly Expression[]): Expression => ({
  kind: 'call',
  name,
  arguments: list,
});

/** n! is Γ(n + 1). */
export const factorial = (of: Expression): Expression =>
  call('gamma', { kind: 'binary', operator: '+', left: of, right: unity });

const number = (text: string): Expression => ({ kind: 'number', text });
const binary = (operator: BinaryOperator, left: Expression, right: Expression): Expression => ({
  kind: 'binary',
  operator,
  left,
  right,
});

/** 45° is 45 π/180, in rad. */
export const degrees = (of: Expression): Expression =>
  binary('*', of, binary('/', { kind: 'symbol', name: 'pi' }, number('180')));

/** n!! is 2^(n/2) (π/2)^((cos πn − 1)/4) Γ(n/2 + 1), which makes one of the two lines of DLMF 5.4.2. */
export function doubleFactorial(of: Expression): Expression {
  const half = binary('/', of, number('2'));
  const odd = binary('/', binary('-', call('cospi', of), unity), number('4'));
  const quarterTurns = binary('^', binary('/', { kind: 'symbol', name: 'pi' }, number('2')), odd);
  return binary('*', binary('*', binary('^', number('2'), half), quarterTurns), factorial(half));
}

export const opcodes = {
  push: 0,
  negate: 1,
  powerOf: 2,
  pushNearest: 3,
  '+': 8,
  '-': 9,
  '*': 10,
  '/': 11,
  '^': 12,
} as const;
