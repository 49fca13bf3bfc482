import { constants } from '../units/constants.ts';
import type { Dimension } from '../units/dimension.ts';
import { parseUnit } from '../units/unit.ts';
import { compile, exactly, type Program, type Value } from './bytecode.ts';
import { derive } from './dimensions.ts';
import { BOUND } from './equation.ts';
import { parse } from './parse.ts';
import type { OperatorInput, OperatorRow } from './row.ts';
import { type Expression, substitute, symbolsOf } from './syntax.ts';

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
  /** Of an operator without closed form; `expression` is then nothing, and `program` names what the equation needs. */
  readonly ode?: PreparedOde;
  /** Of a free-form equation: whether its e was read as Euler’s number. */
  readonly hasEuler?: boolean;
  readonly result: OperatorRow['result'];
}

/** A differential equation ready to be integrated (src/solvers/solve/operator-system.ts). */
export interface PreparedOde {
  readonly variable: string;
  readonly components: readonly PreparedComponent[];
  readonly value: Expression;
  readonly conserved: Expression | undefined;
  readonly steps: number | undefined;
}

export interface PreparedComponent {
  readonly symbol: string;
  readonly unit: string;
  readonly dimension: Dimension;
  /** The symbol of an input, or a number. */
  readonly start: string | number;
  readonly rate: Expression;
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
  const ode = row.ode && prepareOde(row, row.ode);
  const [expression, program] = ode ? [nothing, needsOf(ode)] : compiled(row, row.expression!);
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
  const made = {
    id,
    name,
    equation,
    expression,
    program,
    inputs,
    byName,
    fixed,
    conditions,
    result,
    ...(ode && { ode }),
  };
  for (const condition of conditions) derive(condition.expression, (symbol) => dimensionOf(made, symbol));
  return made;
}

// ---- differential equations ------------------------------------------------------------------------------

const nothing: Expression = { kind: 'number', text: '0' };

function prepareOde(row: OperatorRow, ode: NonNullable<OperatorRow['ode']>): PreparedOde {
  const read = (text: string) => bindConstants(parse(text), row.constants ?? []);
  if (!row.inputs.some(({ symbol }) => symbol === ode.variable))
    throw new Error(`${row.id}: no input is called ${ode.variable}, the variable`);
  const components = ode.components.map(({ symbol, unit, start, rate }) => {
    const number = /^[+-]?(?:\d|\.\d)/.test(start) ? Number(start) : undefined;
    if (number === undefined && !row.inputs.some((input) => input.symbol === start))
      throw new Error(`${row.id}: ${symbol} starts at ${start}, which is no input`);
    if (row.inputs.some((input) => input.symbol === symbol))
      throw new Error(`${row.id}: ${symbol} is an input and a component`);
    return { symbol, unit, dimension: parseUnit(unit).dimension, start: number ?? start, rate: read(rate) };
  });
  const conserved = ode.conserved === undefined ? undefined : read(ode.conserved);
  return { variable: ode.variable, components, value: read(ode.value), conserved, steps: ode.steps };
}

/** All expressions of a differential equation. */
export const expressionsOf = ({ components, value, conserved }: PreparedOde): Expression[] => [
  ...components.map(({ rate }) => rate),
  value,
  ...(conserved ? [conserved] : []),
];

/** A program that computes nothing: it names the inputs and constants that the equation needs, so that they are asked for. */
function needsOf(ode: PreparedOde): Program {
  const own = ode.components.map(({ symbol }) => symbol);
  const starts = ode.components.flatMap(({ start }) => (typeof start === 'string' ? [start] : []));
  const named = expressionsOf(ode).flatMap((expression) => symbolsOf(expression));
  const symbols = [...new Set([...named, ...starts, ode.variable])].filter(
    (name) => name !== 'pi' && !own.includes(name),
  );
  return { symbols, literals: [], code: [], depth: 1, work: 0, derivativeWork: 0, bendWork: 0 };
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
