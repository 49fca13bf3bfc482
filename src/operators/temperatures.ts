import { refuse } from '../errors/refusal.ts';
import { parseUnit } from '../units/unit.ts';
import { isNothing } from './dimensions.ts';
import type { Expression } from './syntax.ts';

/**
 * What a value given with a unit of temperature is: 20 degC is a point on a scale, 20 delta_degC a difference. A value
 * in K may be either, and is the same number as both; like everything else it is `other`.
 */
export type Temperature = 'point' | 'difference' | 'other';

/** @throws UnitError where the text is no unit */
export function temperatureOf(unit: string | undefined): Temperature {
  if (unit === undefined) return 'other';
  const { offset, isDifference } = parseUnit(unit);
  return offset ? 'point' : isDifference ? 'difference' : 'other';
}

interface Declared {
  readonly symbol: string;
  readonly unit: string;
  readonly meaning: string;
}

/** By its name or by what it says that it is: `Delta_T`, an excess temperature. No point on a scale is one. */
export const isDifference = ({ symbol, meaning }: Declared): boolean =>
  /^(Delta|Δ)_?./.test(symbol) || /\b(difference|rise|drop|change|excess|less)\b/.test(meaning);

/**
 * A number of kelvins that nothing has as its temperature, and no point on a scale either: a coefficient of a formula, as
 * Antoine's B and C, an energy over k as the Debye temperature, a unit that data are fitted in. Temperatures are T or
 * theta in every row.
 */
export const isCoefficient = (input: Declared): boolean =>
  input.unit === 'K' &&
  !isDifference(input) &&
  (!/^(?:T|t|theta)(?:_|$)/.test(input.symbol) || /\bby convention\b/.test(input.meaning));

type Kinds = (symbol: string) => Temperature;

/**
 * Refuses a formula of no declared meaning where points on a scale stand in it as only differences or absolute
 * temperatures could: a sum of two points, a product with one. Who writes 20 degC there may mean 293.15 K or 20 K. A
 * point and a difference make a point, two points a difference, as in Pint (its `OffsetUnitCalculusError`).
 */
export function refusePoints(expression: Expression, kinds: Kinds): void {
  kindOf(expression, kinds);
}

/** What the result of an operator is: by what its row says of it, in a formula of no declared meaning by its inputs. */
export function resultKind(result: Declared, expression: Expression, kinds: Kinds): Temperature {
  if (result.unit === 'derived') return kindOf(expression, kinds);
  if (result.unit !== 'K' || isCoefficient(result)) return 'other';
  return isDifference(result) ? 'difference' : 'point';
}

function kindOf(node: Expression, kinds: Kinds): Temperature {
  switch (node.kind) {
    case 'number':
      return 'other';
    case 'symbol':
      return kinds(node.name);
    case 'negate':
      return noPoint('the negative of it', node.of, kinds);
    case 'call':
      return ofCall(node, kinds);
    case 'binary':
      if (node.operator === '+') return ofSum(node, kinds);
      if (node.operator === '-') return ofDifference(node, kinds);
      for (const part of [node.left, node.right])
        noPoint(node.operator === '^' ? 'a power' : 'a product or quotient', part, kinds);
      return 'other';
  }
}

function noPoint(what: string, node: Expression, kinds: Kinds): Temperature {
  const kind = kindOf(node, kinds);
  return kind === 'point' ? ambiguous(what, node, kinds) : kind;
}

type Binary = Extract<Expression, { kind: 'binary' }>;

function ofSum(node: Binary, kinds: Kinds): Temperature {
  const [left, right] = [kindOf(node.left, kinds), kindOf(node.right, kinds)];
  if (left === 'point' && right === 'point') return ambiguous('a sum of two', node, kinds);
  if (left === 'point' || right === 'point') return 'point';
  return left === right ? left : 'other';
}

function ofDifference(node: Binary, kinds: Kinds): Temperature {
  const [left, right] = [kindOf(node.left, kinds), kindOf(node.right, kinds)];
  if (isNothing(node.left) || isNothing(node.right))
    for (const part of [node.left, node.right]) noPoint('a difference from 0', part, kinds);
  if (right === 'point') {
    if (left === 'difference') return ambiguous('taken from a difference', node.right, kinds);
    return 'difference';
  }
  if (left === 'point') return right === 'difference' ? 'point' : 'difference';
  return left === right ? left : 'other';
}

/** The greater of two points is one; of anything else a point is no argument. */
function ofCall(node: Extract<Expression, { kind: 'call' }>, kinds: Kinds): Temperature {
  if (node.name !== 'min' && node.name !== 'max') {
    for (const argument of node.arguments) noPoint(node.name, argument, kinds);
    return 'other';
  }
  const found = node.arguments.map((argument) => kindOf(argument, kinds));
  if (found.includes('point') && node.arguments.some(isNothing)) return ambiguous('beside 0', node, kinds);
  if (!found.includes('point')) return found.every((kind) => kind === found[0]) ? found[0]! : 'other';
  return found.includes('difference') ? ambiguous('beside a difference', node, kinds) : 'point';
}

function ambiguous(what: string, node: Expression, kinds: Kinds): never {
  const symbol = pointsOf(node, kinds)[0]!;
  const accepts = 'a temperature in K, or a difference in K, delta_degC or delta_degF';
  return refuse(
    'INVALID_INPUT',
    `inputs.${symbol} is a point on a scale (degC, degF) and stands in the equation where it is ambiguous: ${what}; ` +
      `accepted: ${accepts}.`,
    { field: `inputs.${symbol}.unit`, accepts },
  );
}

function pointsOf(node: Expression, kinds: Kinds): string[] {
  if (node.kind === 'symbol') return kinds(node.name) === 'point' ? [node.name] : [];
  if (node.kind === 'negate') return pointsOf(node.of, kinds);
  if (node.kind === 'call') return node.arguments.flatMap((argument) => pointsOf(argument, kinds));
  return node.kind === 'binary' ? [...pointsOf(node.left, kinds), ...pointsOf(node.right, kinds)] : [];
}
