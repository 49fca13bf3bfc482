import type { Expression } from '../operators/syntax.ts';
import { exponential, logarithm, sineAndCosine } from './elementary.ts';

// The value of a formula to a few digits, for advice: what is sealed is a kernel's.

const TURN = 6.283185307179586;

function phase(x: number): [sine: number, cosine: number] {
  return Math.abs(x) < 1e9 ? sineAndCosine(x - TURN * Math.round(x / TURN)) : [NaN, NaN];
}

const halfSum = (x: number, sign: number) => 0.5 * (exponential(x) + sign * exponential(-x));
const tanh = (x: number) => 1 - 2 / (1 + exponential(2 * x));

const calls: Readonly<Record<string, (x: number) => number>> = {
  sqrt: Math.sqrt,
  exp: exponential,
  ln: logarithm,
  sin: (x) => phase(x)[0],
  cos: (x) => phase(x)[1],
  tan: (x) => phase(x)[0] / phase(x)[1],
  sinh: (x) => halfSum(x, -1),
  cosh: (x) => halfSum(x, 1),
  tanh,
  abs: Math.abs,
};

/** NaN where it is not known, or has none. */
export function formulaValue(expression: Expression, symbols: ReadonlyMap<string, number>): number {
  switch (expression.kind) {
    case 'number':
      return Number(expression.text);
    case 'symbol':
      return expression.name === 'pi' ? TURN / 2 : (symbols.get(expression.name) ?? NaN);
    case 'negate':
      return -formulaValue(expression.of, symbols);
    case 'call': {
      const [first, second] = expression.arguments;
      const call = second ? undefined : calls[expression.name];
      return call && first ? call(formulaValue(first, symbols)) : NaN;
    }
    default: {
      const left = formulaValue(expression.left, symbols);
      const right = formulaValue(expression.right, symbols);
      return binary(expression.operator, left, right);
    }
  }
}

function binary(operator: '+' | '-' | '*' | '/' | '^', a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return power(a, b);
  }
}

/** Whole powers by products. */
export function power(base: number, exponent: number): number {
  if (!Number.isInteger(exponent) || Math.abs(exponent) > 64) return exponential(exponent * logarithm(base));
  let product = 1;
  for (let i = Math.abs(exponent); i > 0; i--) product *= base;
  return exponent < 0 ? 1 / product : product;
}
