import { BOUND } from './equation.ts';
import type { BinaryOperator, Expression } from './syntax.ts';

const levels: Readonly<Record<BinaryOperator, number>> = { '+': 10, '-': 10, '*': 20, '/': 20, '^': 30 };
const NEGATIVE = 20;

/** The text of a tree, with no more parentheses than it needs; `parse` reads it back as the same tree. */
export function plainText(expression: Expression): string {
  return written(expression, 0);
}

/** @param least the level below which the node needs parentheses */
function written(node: Expression, least: number): string {
  switch (node.kind) {
    case 'number':
      return node.text;
    case 'symbol':
      return node.name.startsWith(BOUND) ? node.name.slice(BOUND.length) : node.name;
    case 'call':
      return `${node.name}(${node.arguments.map((argument) => written(argument, 0)).join(', ')})`;
    case 'negate':
      return bracketed(`-${written(node.of, NEGATIVE + 1)}`, NEGATIVE, least);
    case 'binary':
      return ofBinary(node, least);
  }
}

function ofBinary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>, least: number): string {
  const level = levels[operator];
  const [before, after] = operator === '^' ? [level + 1, level] : [level, level + 1];
  const sign = operator === '+' || operator === '-' ? ` ${operator} ` : operator;
  return bracketed(`${written(left, before)}${sign}${written(right, after)}`, level, least);
}

const bracketed = (text: string, level: number, least: number): string =>
  level < least ? `(${text})` : text;
