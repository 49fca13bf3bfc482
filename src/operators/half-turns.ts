import { type DoubleDouble, multiply, ofDouble, toDouble, toDoubleDouble } from '../units/fraction.ts';
import { halfTurnsIn } from '../units/unit.ts';
import type { Application } from './apply.ts';
import { compile, type Filled, nearestTo, type Program, type Value } from './bytecode.ts';
import type { Operator } from './operator.ts';
import { type Expression, substitute, symbolsOf, visit } from './syntax.ts';

// 180 deg are π, which no number of digits holds, and cos(90 deg) is 0. So an input that is sent in degrees goes to the
// kernel in half turns wherever the formula takes a sine, cosine or tangent of it: cos(2θ) becomes cospi(2q) with
// q = θ/180 deg, whose zeros and extremes are exact. The formula, its inputs and its unit stay what they are.

/** What the kernel runs for an operator. */
export interface KernelPrograms {
  readonly own: Filled;
  readonly conditions: readonly Filled[];
  /** Symbols whose values are in half turns there. */
  readonly turned: ReadonlySet<string>;
}

const known = new WeakMap<Application, KernelPrograms>();
const compiled = new WeakMap<Operator, Map<string, readonly Program[]>>();

export function kernelPrograms(application: Application): KernelPrograms {
  const found = known.get(application) ?? programsOf(application);
  known.set(application, found);
  return found;
}

function programsOf(application: Application): KernelPrograms {
  const { operator, conditions, given } = application;
  const values = new Map<string, Value>();
  for (const [symbol, quantity] of given) {
    const turns = typeof quantity === 'number' ? undefined : halfTurnsOf(quantity);
    if (turns) values.set(symbol, turns);
  }
  const turned = values.size === 0 ? values : turnedOf(operator, values);
  if (turned.size === 0) return { own: application, conditions, turned: new Set() };
  const [own, ...others] = programsIn(operator, [...turned.keys()].sort());
  const filled = (program: Program, from: Filled): Filled => ({
    program,
    values: program.symbols.map(
      (symbol) => turned.get(symbol) ?? from.values[from.program.symbols.indexOf(symbol)]!,
    ),
  });
  return {
    own: filled(own!, application),
    conditions: conditions.map((condition, j) => certain(filled(others[j]!, condition))),
    turned: new Set(turned.keys()),
  };
}

const certain = ({ program, values }: Filled): Filled => ({
  program,
  values: values.map((value) => ({ ...value, sigma: 0 })),
});

/** A quantity in degrees, in half turns; undefined where its unit is no such part of π. */
export function halfTurnsOf({ value, unit, uncertainty = 0 }: Sent): Value | undefined {
  const ratio = unit === undefined ? undefined : halfTurnsIn(unit);
  if (ratio === undefined) return undefined;
  const exact = (x: number): DoubleDouble => toDoubleDouble(multiply(ofDouble(x), ratio));
  return { ...exact(value), sigma: toDouble(multiply(ofDouble(uncertainty), ratio)), ...nearestTo(value) };
}

type Sent = { readonly value: number; readonly unit?: string; readonly uncertainty?: number };

// ---- formulas --------------------------------------------------------------------------------------------

const expressionsOf = ({ expression, conditions }: Operator): Expression[] => [
  expression,
  ...conditions.map((condition) => condition.expression),
];

/** Of the angles in degrees those that some sine, cosine or tangent takes as a part of π. */
function turnedOf(operator: Operator, angles: ReadonlyMap<string, Value>): Map<string, Value> {
  const found = new Set<string>();
  const isAngle = (name: string) => angles.has(name);
  for (const expression of expressionsOf(operator))
    visit(expression, (node) => {
      if (!isTrigonometric(node) || overPi(node.arguments[0]!, isAngle) === undefined) return;
      for (const name of symbolsOf(node.arguments[0]!)) if (isAngle(name)) found.add(name);
    });
  return new Map([...angles].filter(([name]) => found.has(name)));
}

function programsIn(operator: Operator, turned: readonly string[]): readonly Program[] {
  const programs = compiled.get(operator) ?? new Map<string, readonly Program[]>();
  compiled.set(operator, programs);
  const key = turned.join(' ');
  const made = programs.get(key) ?? expressionsOf(operator).map((each) => compile(rewritten(each, turned)));
  programs.set(key, made);
  return made;
}

type Call = Extract<Expression, { kind: 'call' }>;
const isTrigonometric = (node: Expression): node is Call =>
  node.kind === 'call' && (node.name === 'sin' || node.name === 'cos' || node.name === 'tan');

const call = (name: string, of: Expression): Expression => ({ kind: 'call', name, arguments: [of] });
const pi: Expression = { kind: 'symbol', name: 'pi' };

/** The same formula of angles that are given in half turns. */
function rewritten(expression: Expression, turned: readonly string[]): Expression {
  const isAngle = (name: string) => turned.includes(name);
  const inRadians = (tree: Expression): Expression =>
    substitute(tree, (node) => {
      if (node.kind === 'symbol' && isAngle(node.name))
        return { kind: 'binary', operator: '*', left: pi, right: node };
      if (!isTrigonometric(node) || !symbolsOf(node).some(isAngle)) return undefined;
      const turns = overPi(node.arguments[0]!, isAngle, inRadians);
      return turns && ofHalfTurns(node.name, turns);
    });
  return inRadians(expression);
}

function ofHalfTurns(name: string, turns: Expression): Expression {
  if (name !== 'tan') return call(`${name}pi`, turns);
  return { kind: 'binary', operator: '/', left: call('sinpi', turns), right: call('cospi', turns) };
}

/** An angle over π, where each of its terms has π or such an angle for a factor; what else is in it goes through `other`. */
function overPi(
  node: Expression,
  isAngle: (name: string) => boolean,
  other: (node: Expression) => Expression = (same) => same,
): Expression | undefined {
  const over = (part: Expression) => overPi(part, isAngle, other);
  if (node.kind === 'symbol')
    return isAngle(node.name) ? node : node.name === 'pi' ? { kind: 'number', text: '1' } : undefined;
  if (node.kind === 'negate') {
    const of = over(node.of);
    return of && { kind: 'negate', of };
  }
  if (node.kind !== 'binary' || node.operator === '^') return undefined;
  const { operator, left, right } = node;
  const [a, b] = [over(left), operator === '/' ? undefined : over(right)];
  if (operator === '+' || operator === '-') return a && b && { kind: 'binary', operator, left: a, right: b };
  if (a) return { kind: 'binary', operator, left: a, right: other(right) };
  return b && { kind: 'binary', operator, left: other(left), right: b };
}
