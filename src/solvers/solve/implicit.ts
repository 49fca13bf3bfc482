import { parseLatex } from '../../operators/latex.ts';
import { parse } from '../../operators/parse.ts';
import { plainText } from '../../operators/plain-text.ts';
import { type Expression, symbolsOf } from '../../operators/syntax.ts';

/** factor · name + rest; absent is 0. */
interface Linear {
  readonly factor?: Expression | undefined;
  readonly rest?: Expression | undefined;
}

const unity: Expression = { kind: 'number', text: '1' };
const zero: Expression = { kind: 'number', text: '0' };

/**
 * What `name` is by left = right, both linear in it, in plain text: of a·name + b = 0 it is −b/a. Undefined where the
 * two are not linear in it.
 */
export function solvedFor(name: string, left: string, right: string, latex: boolean): string | undefined {
  const tree = (text: string) => (latex ? parseLatex(text, new Set(['e'])) : parse(text));
  const both: Expression = { kind: 'binary', operator: '-', left: tree(left), right: tree(right) };
  const found = linearIn(both, name);
  if (!found?.factor) return undefined;
  const { factor, rest = zero } = found; // where the factor is 0 too the equation says nothing, and 0/0 is refused
  const isOne = factor.kind === 'number' && Number(factor.text) === 1;
  return plainText(negated(isOne ? rest : { kind: 'binary', operator: '/', left: rest, right: factor }));
}

function linearIn(node: Expression, name: string): Linear | undefined {
  if (!symbolsOf(node).includes(name)) return isZero(node) ? {} : { rest: node };
  if (node.kind === 'symbol') return { factor: unity };
  if (node.kind === 'negate') return mapped(linearIn(node.of, name), negated);
  if (node.kind !== 'binary') return undefined;
  const { operator, left, right } = node;
  if (operator === '+' || operator === '-')
    return joined(operator, linearIn(left, name), linearIn(right, name));
  if (operator === '/' && !symbolsOf(right).includes(name))
    return mapped(linearIn(left, name), (part) => ({ kind: 'binary', operator, left: part, right }));
  if (operator !== '*') return undefined;
  const [of, by] = symbolsOf(left).includes(name) ? [left, right] : [right, left];
  if (symbolsOf(by).includes(name)) return undefined;
  return mapped(linearIn(of, name), (part) => (part === unity ? by : { ...node, left: by, right: part }));
}

function joined(
  operator: '+' | '-',
  left: Linear | undefined,
  right: Linear | undefined,
): Linear | undefined {
  if (!left || !right) return undefined;
  const sum = (a: Expression | undefined, b: Expression | undefined): Expression | undefined => {
    if (!a || !b) return b && operator === '-' ? negated(b) : (a ?? b);
    return { kind: 'binary', operator, left: a, right: b };
  };
  return { factor: sum(left.factor, right.factor), rest: sum(left.rest, right.rest) };
}

const mapped = (linear: Linear | undefined, change: (part: Expression) => Expression): Linear | undefined =>
  linear && {
    factor: linear.factor && change(linear.factor),
    rest: linear.rest && change(linear.rest),
  };

const negated = (node: Expression): Expression =>
  node.kind === 'negate' ? node.of : { kind: 'negate', of: node };

const isZero = (node: Expression): boolean => node.kind === 'number' && Number(node.text) === 0;
