import { parseLatex } from '../../operators/latex.ts';
import { MAX_LENGTH, parse } from '../../operators/parse.ts';
import { plainText } from '../../operators/plain-text.ts';
import { type Expression, symbolsOf } from '../../operators/syntax.ts';

// Equations that are linear in some of their symbols, the highest derivatives, solved for these: one after another where
// an equation has only one that is not known yet, else by Cramer's rule, which divides by one determinant. Where that is
// 0 at a point of the motion, there is no value.

/** Highest derivatives that may stand in one another's equations: a determinant has as many products as their factorial. */
export const MOST_COUPLED = 4;

/** Σ factors · unknowns + rest; absent is 0. */
interface Row {
  readonly factors: readonly (Expression | undefined)[];
  readonly rest?: Expression | undefined;
}

interface Linear {
  readonly factor?: Expression | undefined;
  readonly rest?: Expression | undefined;
}

/** Why unknowns have no values, and which. */
export interface Undetermined {
  readonly why: 'nonlinear' | 'open' | 'too many' | 'too long';
  readonly of: readonly number[];
}

const unity: Expression = { kind: 'number', text: '1' };
const zero: Expression = { kind: 'number', text: '0' };

export const treeOf = (text: string, latex: boolean): Expression =>
  latex ? parseLatex(text, new Set(['e'])) : parse(text);

/** What the unknowns are by so many equations left = right, in plain text. */
export function solvedFor(
  unknowns: readonly string[],
  equations: readonly (readonly [left: Expression, right: Expression])[],
): string[] | Undetermined {
  const rows: Row[] = [];
  for (const [left, right] of equations) {
    const row = rowOf({ kind: 'binary', operator: '-', left, right }, unknowns);
    if ('why' in row) return row;
    rows.push(row);
  }
  const known = new Map<number, Expression>();
  for (let open = rows; open.length > 0; ) {
    const group = smallestGroup(open, known);
    const failed = solveGroup(group, known);
    if (failed) return failed;
    open = open.filter((row) => !group.rows.includes(row));
  }
  const texts = unknowns.map((_, i) => plainText(known.get(i)!));
  const long = texts.flatMap(({ length }, i) => (length > MAX_LENGTH ? [i] : []));
  return long.length > 0 ? { why: 'too long', of: long } : texts;
}

function rowOf(tree: Expression, unknowns: readonly string[]): Row | Undetermined {
  const factors: (Expression | undefined)[] = [];
  let rest: Expression | undefined = tree;
  for (const [i, name] of unknowns.entries()) {
    const found: Linear | undefined = rest ? linearIn(rest, name) : {};
    if (!found || (found.factor && unknowns.some((each) => symbolsOf(found.factor!).includes(each))))
      return { why: 'nonlinear', of: [i] };
    factors.push(found.factor);
    rest = found.rest;
  }
  return { factors, rest };
}

// ---- groups of unknowns ----------------------------------------------------------------------------------

interface Group {
  readonly rows: readonly Row[];
  readonly unknowns: readonly number[];
}

type Known = Map<number, Expression>;

const unknownsOf = ({ factors }: Row, known: Known): number[] =>
  factors.flatMap((factor, i) => (factor && !known.has(i) ? [i] : []));

/** The fewest unknowns that as many rows hold among themselves: those of one row, and of others that reach no further. */
function smallestGroup(rows: readonly Row[], known: Known): Group {
  const groups = rows.map((row) => reachOf(row, rows, known));
  return groups.reduce((least, group) => (group.unknowns.length < least.unknowns.length ? group : least));
}

/** Unknowns of a row, and of rows that share some with it, until there are as many rows as unknowns. */
function reachOf(first: Row, rows: readonly Row[], known: Known): Group {
  const unknowns = new Set(unknownsOf(first, known));
  for (;;) {
    const within = rows.filter((row) => unknownsOf(row, known).every((i) => unknowns.has(i)));
    if (within.length >= unknowns.size) return { rows: within, unknowns: [...unknowns] };
    const near = rows.find(
      (row) => !within.includes(row) && unknownsOf(row, known).some((i) => unknowns.has(i)),
    );
    if (!near) return { rows: within, unknowns: [...unknowns] };
    for (const i of unknownsOf(near, known)) unknowns.add(i);
  }
}

function solveGroup({ rows, unknowns }: Group, known: Known): Undetermined | undefined {
  if (unknowns.length !== rows.length) return { why: 'open', of: unknowns.length > 0 ? unknowns : [0] };
  if (unknowns.length > MOST_COUPLED) return { why: 'too many', of: unknowns };
  const matrix = rows.map(({ factors }) => unknowns.map((i) => factors[i]));
  const right = rows.map((row) => negatedOr0(restWith(row, known)));
  const whole = determinant(matrix);
  if (!whole || constantOf(whole) === 0) return { why: 'open', of: unknowns };
  const solved = unknowns.map((_, k) => determinant(matrix.map((row, i) => row.with(k, right[i]))) ?? zero);
  for (const [k, i] of unknowns.entries()) known.set(i, quotient(solved[k]!, whole));
  return undefined;
}

/** What a row holds beside the unknowns that are still open. */
function restWith({ factors, rest }: Row, known: Known): Expression | undefined {
  return factors.reduce((sum, factor, i) => {
    const rate = factor && known.get(i);
    return rate ? total('+', sum, product(factor, rate)) : sum;
  }, rest);
}

/** By the first row (Laplace); undefined is 0. */
function determinant(matrix: readonly (readonly (Expression | undefined)[])[]): Expression | undefined {
  const [first, ...others] = matrix;
  if (!first) return unity;
  return first.reduce<Expression | undefined>((sum, entry, k) => {
    const minor = entry && determinant(others.map((row) => row.toSpliced(k, 1)));
    return minor ? total(k % 2 === 0 ? '+' : '-', sum, product(entry, minor)) : sum;
  }, undefined);
}

/** Of sums, products and quotients of numbers; no number for anything else. */
function constantOf(node: Expression): number {
  if (node.kind === 'number') return Number(node.text);
  if (node.kind === 'negate') return -constantOf(node.of);
  if (node.kind !== 'binary') return Number.NaN;
  const [a, b] = [constantOf(node.left), constantOf(node.right)];
  if (node.operator === '+') return a + b;
  if (node.operator === '-') return a - b;
  if (node.operator === '*') return a * b;
  return node.operator === '/' ? a / b : Number.NaN;
}

// ---- trees -----------------------------------------------------------------------------------------------

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
  return mapped(linearIn(of, name), (part) => product(by, part));
}

const joined = (
  operator: '+' | '-',
  left: Linear | undefined,
  right: Linear | undefined,
): Linear | undefined =>
  left &&
  right && {
    factor: total(operator, left.factor, right.factor),
    rest: total(operator, left.rest, right.rest),
  };

function total(
  operator: '+' | '-',
  a: Expression | undefined,
  b: Expression | undefined,
): Expression | undefined {
  if (!a || !b) return b && operator === '-' ? negated(b) : (a ?? b);
  return { kind: 'binary', operator, left: a, right: b };
}

const mapped = (linear: Linear | undefined, change: (part: Expression) => Expression): Linear | undefined =>
  linear && {
    factor: linear.factor && change(linear.factor),
    rest: linear.rest && change(linear.rest),
  };

function product(a: Expression, b: Expression): Expression {
  if (isOne(a)) return b;
  return isOne(b) ? a : { kind: 'binary', operator: '*', left: a, right: b };
}

const quotient = (a: Expression, b: Expression): Expression =>
  isOne(b) ? a : { kind: 'binary', operator: '/', left: a, right: b };

const negated = (node: Expression): Expression =>
  node.kind === 'negate' ? node.of : { kind: 'negate', of: node };

const negatedOr0 = (node: Expression | undefined): Expression | undefined => node && negated(node);

const isOne = (node: Expression): boolean => node.kind === 'number' && Number(node.text) === 1;
const isZero = (node: Expression): boolean => node.kind === 'number' && Number(node.text) === 0;
