import { constants } from '../units/constants.ts';
import type { Dimension } from '../units/dimension.ts';
import { parseUnit } from '../units/unit.ts';
import { compile, exactly, type Program, type Value } from './bytecode.ts';
import { derive } from './dimensions.ts';
import { BOUND } from './equation.ts';
import { parse } from './parse.ts';
import type { OperatorInput, OperatorRow } from './row.ts';
import { type Expression, substitute } from './syntax.ts';

/** An operator ready to run: a row of the registry, or a free-form equation. */
export interface Operator {
  readonly id: string;
  readonly name: string;
  /** LaTeX, or the text of a free-form equation. */
  readonly equation: string;
  readonly expression: Expression;
  readonly program: Program;
  readonly inputs: readonly PreparedInput[];
  /** Inputs by symbol and by alias. */
  readonly byName: ReadonlyMap<string, PreparedInput>;
  /** Numbers that belong to the formula. */
  readonly fixed: ReadonlyMap<string, Fixed>;
  readonly conditions: readonly Condition[];
  readonly result: OperatorRow['result'];
}

/** What must not be negative for the operator to hold. */
export interface Condition {
  /** As it stands in the row. */
  readonly text: string;
  readonly expression: Expression;
  readonly program: Program;
  readonly meaning: string;
}

export interface Fixed {
  readonly value: Value;
  readonly dimension: Dimension;
}

export interface PreparedInput extends OperatorInput {
  /** Dimension of its unit; undefined where the unit is `any`. */
  readonly dimension: Dimension | undefined;
  /** Of an assumed or optional input. */
  readonly standard: Value | undefined;
}

/** Compiles a row. Throws for a row that contradicts itself, which the tests of the registry keep out. */
export function prepare(row: OperatorRow): Operator {
  const [expression, program] = compiled(row, row.expression!);
  const inputs = row.inputs.map(prepareInput);
  const fixed = new Map((row.fixed ?? []).map((each) => [each.symbol, prepareFixed(each)]));
  const byName = new Map<string, PreparedInput>();
  for (const input of inputs) {
    for (const name of [input.symbol, ...input.aliases]) {
      if (byName.has(name)) throw new Error(`${row.id}: the name ${name} means two inputs`);
      byName.set(name, input);
    }
  }
  const conditions = (row.conditions ?? []).map((each) => prepareCondition(row, each));
  for (const symbol of [program, ...conditions.map((each) => each.program)].flatMap((each) => each.symbols)) {
    if (!symbol.startsWith(BOUND) && !fixed.has(symbol) && !inputs.some((input) => input.symbol === symbol))
      throw new Error(`${row.id}: no input is called ${symbol}`);
  }
  const { id, name, equation, result } = row;
  const made = { id, name, equation, expression, program, inputs, byName, fixed, conditions, result };
  for (const condition of conditions) derive(condition.expression, (symbol) => dimensionOf(made, symbol));
  return made;
}

function compiled(row: OperatorRow, text: string): [Expression, Program] {
  const expression = bindConstants(parse(text), row.constants ?? []);
  return [expression, compile(expression)];
}

function prepareCondition(
  row: OperatorRow,
  { nonNegative, meaning }: NonNullable<OperatorRow['conditions']>[number],
): Condition {
  const [expression, program] = compiled(row, nonNegative);
  return { text: nonNegative, expression, program, meaning };
}

/** The dimension of a symbol as far as the row says it; undefined where the unit is `any`. */
export function dimensionOf(
  { inputs, fixed }: Pick<Operator, 'inputs' | 'fixed'>,
  symbol: string,
): Dimension | undefined {
  if (symbol === 'pi') return parseUnit('1').dimension;
  if (symbol.startsWith(BOUND)) return parseUnit(constants.get(symbol.slice(BOUND.length))!.unit).dimension;
  return fixed.get(symbol)?.dimension ?? inputs.find((input) => input.symbol === symbol)?.dimension;
}

/** The constants of a row under the names that a free-form equation gives them. */
function bindConstants(expression: Expression, keys: readonly string[]): Expression {
  return substitute(expression, (node) =>
    node.kind === 'symbol' && keys.includes(node.name)
      ? { kind: 'symbol', name: `${BOUND}${node.name}` }
      : undefined,
  );
}

function prepareFixed({ value, unit }: NonNullable<OperatorRow['fixed']>[number]): Fixed {
  return { value: exactly(value), dimension: parseUnit(unit).dimension };
}

function prepareInput(input: OperatorInput): PreparedInput {
  const dimension = input.unit === 'any' ? undefined : parseUnit(input.unit).dimension;
  const standsByItself = input.role === 'assumed' || input.role === 'optional';
  if (standsByItself !== (input.value !== undefined))
    throw new Error(`${input.symbol}: role and value disagree`);
  return { ...input, dimension, standard: input.value === undefined ? undefined : exactly(input.value) };
}
