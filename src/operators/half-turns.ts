import { type DoubleDouble, multiply, ofDouble, toDouble, toDoubleDouble } from '../units/fraction.ts';
import { halfTurnsIn } from '../units/unit.ts';
import type { Application } from './apply.ts';
import { compile, type Filled, nearestTo, type Program, type Value } from './bytecode.ts';
import { decided } from './decided.ts';
import type { Operator } from './operator.ts';
import { type Expression, substitute, symbolsOf, visit } from './syntax.ts';

// π is no number of digits, and cos(π/2) is 0. So the kernel gets every sine, cosine and tangent of parts of π in half
// turns: sin(2πft) becomes sinpi(2ft), and of an input that is sent in degrees cos(2θ) becomes cospi(2q) with
// q = θ/180 deg. Zeros and extremes are exact then. The formula, its inputs and its unit stay what they are.

/** What the kernel runs for an operator. */
export interface KernelPrograms {
  readonly own: Filled;
  readonly conditions: readonly Filled[];
  /** Symbols whose values are in half turns there. */
  readonly turned: ReadonlySet<string>;
}

const known = new WeakMap<Application, KernelPrograms>();
const knownHere = new WeakMap<Application, KernelPrograms>();
const compiled = new WeakMap<Operator, Map<string, readonly Program[]>>();

/** For any values of the inputs in the units in which these were sent. */
export function kernelPrograms(application: Application): KernelPrograms {
  const found = known.get(application) ?? programsOf(application);
  known.set(application, found);
  return found;
}

/** For these values alone: what their decimals decide is a number in the program. */
export function kernelProgramsHere(application: Application): KernelPrograms {
  const found = knownHere.get(application) ?? programsHere(application);
  knownHere.set(application, found);
  return found;
}

function programsOf(application: Application): KernelPrograms {
  const turned = turnedOf(application);
  return filledWith(application, turned, programsIn(application.operator, [...turned.keys()].sort()));
}

function programsHere(application: Application): KernelPrograms {
  const found = expressionsOf(application.operator).map((each) => decided(each, application));
  if (!found.some((each) => each)) return kernelPrograms(application);
  const turned = turnedOf(application);
  const names = [...turned.keys()];
  const programs = expressionsOf(application.operator).map((each, j) =>
    compile(rewritten(found[j] ?? each, names)),
  );
  return filledWith(application, turned, programs);
}

function filledWith(
  application: Application,
  turned: ReadonlyMap<string, Value>,
  [own, ...others]: readonly Program[],
): KernelPrograms {
  const { conditions } = application;
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

/** Of the inputs in degrees those of which some sine, cosine or tangent takes a part of π, in half turns. */
function turnedOf({ operator, given }: Application): Map<string, Value> {
  const angles = new Map<string, Value>();
  for (const [symbol, quantity] of given) {
    const turns = typeof quantity === 'number' ? undefined : halfTurnsOf(quantity);
    if (turns) angles.set(symbol, turns);
  }
  if (angles.size === 0) return angles;
  const found = new Set<string>();
  const isAngle = (name: string) => angles.has(name);
  for (const expression of expressionsOf(operator))
    for (const of of partsOfPi(expression, isAngle))
      for (const name of symbolsOf(of)) if (isAngle(name)) found.add(name);
  return new Map([...angles].filter(([name]) => found.has(name)));
}

/** The arguments of sines, cosines and tangents that are parts of π. */
function partsOfPi(expression: Expression, isAngle: (name: string) => boolean): Expression[] {
  const found: Expression[] = [];
  visit(expression, (node) => {
    if (isTrigonometric(node) && overPi(node.arguments[0]!, isAngle) !== undefined)
      found.push(node.arguments[0]!);
  });
  return found;
}

function programsIn(operator: Operator, turned: readonly string[]): readonly Program[] {
  const programs = compiled.get(operator) ?? new Map<string, readonly Program[]>();
  compiled.set(operator, programs);
  const key = turned.join(' ');
  const made = programs.get(key) ?? rewrittenPrograms(operator, turned);
  programs.set(key, made);
  return made;
}

function rewrittenPrograms(operator: Operator, turned: readonly string[]): readonly Program[] {
  const own = [operator.program, ...operator.conditions.map(({ program }) => program)];
  const isAngle = (name: string) => turned.includes(name);
  return expressionsOf(operator).map((each, j) =>
    turned.length === 0 && partsOfPi(each, isAngle).length === 0 ? own[j]! : compile(rewritten(each, turned)),
  );
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
      if (!isTrigonometric(node)) return undefined;
      const turns = overPi(node.arguments[0]!, isAngle, inRadians);
      return turns && ofHalfTurns(node.name, turns);
    });
  return inRadians(expression);
}

function ofHalfTurns(name: string, turns: Expression): Expression {
  if (name !== 'tan') return call(`${name}pi`, turns);
  return { kind: 'binary', operator: '/', left: call('sinpi', turns), right: call('cospi', turns) };
}

const unity: Expression = { kind: 'number', text: '1' };
const times = (left: Expression, right: Expression): Expression =>
  left === unity ? right : right === unity ? left : { kind: 'binary', operator: '*', left, right };

/** An angle over π, where each of its terms has π or such an angle for a factor; what else is in it goes through `other`. */
function overPi(
  node: Expression,
  isAngle: (name: string) => boolean,
  other: (node: Expression) => Expression = (same) => same,
): Expression | undefined {
  const over = (part: Expression) => overPi(part, isAngle, other);
  if (node.kind === 'symbol') return isAngle(node.name) ? node : node.name === 'pi' ? unity : undefined;
  if (node.kind === 'negate') {
    const of = over(node.of);
    return of && { kind: 'negate', of };
  }
  if (node.kind !== 'binary' || node.operator === '^') return undefined;
  const { operator, left, right } = node;
  const [a, b] = [over(left), operator === '/' ? undefined : over(right)];
  if (operator === '+' || operator === '-') return a && b && { kind: 'binary', operator, left: a, right: b };
  if (operator === '/') return a && { kind: 'binary', operator, left: a, right: other(right) };
  return a ? times(a, other(right)) : b && times(other(left), b);
}
