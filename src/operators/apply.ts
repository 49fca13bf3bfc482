import { nearest } from '../errors/nearest.ts';
import { printable, printableWord } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { constants, edition } from '../units/constants.ts';
import type { Dimension } from '../units/dimension.ts';
import { unitOfDimension } from '../units/format.ts';
import { convert, convertDifference, parseUnit, UnitError } from '../units/unit.ts';
import { exactly, type Filled, type Program, type Value } from './bytecode.ts';
import { derive } from './dimensions.ts';
import { BOUND } from './equation.ts';
import { type Condition, dimensionOf, type Operator, type PreparedInput } from './operator.ts';
import type { OperatorInput } from './row.ts';
import type { Expression } from './syntax.ts';
import { isDifference, refusePoints, type Temperature, temperatureOf } from './temperatures.ts';

/** An input as it is sent. */
export type Given =
  | number
  | { readonly value: number; readonly unit?: string; readonly uncertainty?: number };
export type GivenInputs = Readonly<Record<string, Given>>;

/** A number that no one gave, and why it stands there (HON-02). */
export interface Assumed {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly because: string;
}

/** A condition with the values of its symbols; none is uncertain. */
export interface AppliedCondition extends Condition, Filled {
  readonly program: Program;
  /** Of the figure that must not be negative; null where it cannot be known. */
  readonly unit: string | null;
}

/** An operator with the values of all its symbols. */
export interface Application extends Filled {
  readonly operator: Operator;
  readonly conditions: readonly AppliedCondition[];
  /** Null where it cannot be known; `unitUnknown` then names the symbols that withhold it (OPEN-43). */
  readonly unit: string | null;
  readonly unitUnknown: readonly string[];
  readonly assumed: readonly Assumed[];
  /** The inputs that were given, by symbol, in the unit of their row. */
  readonly given: ReadonlyMap<string, Given>;
}

export interface Read {
  readonly input: PreparedInput;
  readonly name: string;
  readonly value: Value;
  readonly unit: string | undefined;
  readonly dimension: Dimension | undefined;
  /** Of an input of any unit; where the row says a unit, it says what the value means. */
  readonly temperature: Temperature;
}

/**
 * Gives every operator its inputs by name or alias (CMP-03), converted and held against the row's domain. Throws a
 * Refusal: MISSING_INPUT with `inputError` where a required input is not there (CMP-04), INVALID_INPUT otherwise.
 */
export function applyInputs(operators: readonly Operator[], inputs: GivenInputs): Application[] {
  refuseUnknownNames(operators, inputs);
  return operators.map((operator) => apply(operator, inputs));
}

function refuseUnknownNames(operators: readonly Operator[], inputs: GivenInputs): void {
  for (const name of Object.keys(inputs)) {
    if (operators.some(({ byName }) => byName.has(name))) continue;
    const names = operators.flatMap(({ byName }) => [...byName.keys()]);
    const near = nearest(name, names);
    const field = `inputs.${printableWord(name)}`;
    const hint = near ? `, the nearest is ${near}` : '';
    refuse(
      'INVALID_INPUT',
      `${field} is no input here${hint}; accepted: ${names.join(', ') || 'no input'}.`,
      {
        field,
        accepts: names,
      },
    );
  }
}

function apply(operator: Operator, inputs: GivenInputs): Application {
  const read = new Map<string, Read>();
  for (const name of Object.keys(inputs)) {
    const input = operator.byName.get(name);
    if (!input) continue;
    const twin = read.get(input.symbol);
    if (twin) throw invalid(name, `and ${twin.name} are the same input of ${operator.id}`, 'one of the two');
    read.set(input.symbol, readOne(input, name, inputs[name]!));
  }
  if ([...read.values()].some(({ temperature }) => temperature !== 'other'))
    refusePoints(operator.expression, (symbol) => read.get(symbol)?.temperature ?? 'other');
  const assumed: Assumed[] = [];
  const valuesOf = ({ symbols }: Program) =>
    symbols.map((symbol) => symbolValue(operator, symbol, read, assumed));
  const { program } = operator;
  const values = valuesOf(program);
  const conditions = operator.conditions.map(
    (condition): AppliedCondition => ({
      ...condition,
      values: valuesOf(condition.program).map(certain),
      unit: unitOf(operator, condition.expression, read).unit,
    }),
  );
  const own = { operator, program, values, conditions, assumed, given: canonicalInputs(read) };
  if (operator.result.unit !== 'derived') return { ...own, unit: operator.result.unit, unitUnknown: [] };
  return { ...own, ...unitOf(operator, operator.expression, read) };
}

/** A condition is held at the values themselves. */
const certain = ({ hi, lo }: Value): Value => ({ hi, lo, sigma: 0 });

function symbolValue(
  operator: Operator,
  symbol: string,
  read: ReadonlyMap<string, Read>,
  assumed: Assumed[],
): Value {
  const given = read.get(symbol);
  if (given) return given.value;
  if (symbol.startsWith(BOUND)) return constantValue(symbol.slice(BOUND.length), assumed);
  const fixed = operator.fixed.get(symbol);
  if (fixed) return fixed.value;
  const input = operator.inputs.find((candidate) => candidate.symbol === symbol)!;
  if (!input.standard) throw missing(operator, input);
  assume(assumed, {
    name: symbol,
    value: input.standard.hi,
    unit: input.unit,
    because: input.because ?? 'standard condition',
  });
  return input.standard;
}

function constantValue(key: string, assumed: Assumed[]): Value {
  const { value, uncertainty, unit } = constants.get(key)!;
  assume(assumed, { name: key, value: Number(value), unit, because: edition });
  return exactly(value, Number(uncertainty));
}

/** Once, whether the formula or its conditions use it. */
function assume(assumed: Assumed[], one: Assumed): void {
  if (!assumed.some(({ name }) => name === one.name)) assumed.push(one);
}

/** HTTP 200 on compute: the answer carries `inputError` and no value. */
function missing(operator: Operator, input: PreparedInput): Refusal {
  const accepts = [input.symbol, ...input.aliases];
  const when = input.when ? ` (needed when ${input.when})` : '';
  const message = `${operator.id} needs ${input.symbol}, ${input.meaning}${when}; accepted: ${accepts.join(', ')} in ${
    input.unit === 'any' ? 'any unit' : input.unit
  }.`;
  return new Refusal('MISSING_INPUT', message, {
    field: `inputs.${input.symbol}`,
    accepts,
    inputError: { code: 'MISSING_INPUT', message, missing: input.symbol, accepts },
  });
}

function invalid(name: string, problem: string, accepts: string): Refusal {
  const field = `inputs.${printableWord(name)}`;
  return new Refusal('INVALID_INPUT', `${field} ${problem}; accepted: ${accepts}.`, { field, accepts });
}

// ---- one input -----------------------------------------------------------------------------------------

/** One input in the unit of its row. Throws the Refusal that names what its domain accepts. */
export function readOne(input: PreparedInput, name: string, given: Given): Read {
  const { value, unit: sent, uncertainty = 0 } = typeof given === 'number' ? { value: given } : given;
  const { unit, dimension } = unitFor(input, name, sent);
  const from = sent ?? unit;
  const hi = (from === undefined || unit === undefined ? value : converted(name, value, from, unit)) + 0;
  const temperature = sent === undefined ? 'other' : temperatureFor(input, name, sent);
  const sigma =
    from === undefined || unit === undefined ? uncertainty : convertDifference(uncertainty, from, unit);
  if (!Number.isFinite(hi) || !fits(input, hi))
    throw invalid(name, `is ${printable(hi)}${unitText(unit)}`, domain(input));
  if (!Number.isFinite(sigma) || sigma < 0) {
    throw invalid(`${name}.uncertainty`, `is ${printable(uncertainty)}`, 'a standard uncertainty from 0');
  }
  return { input, name, value: { hi, lo: 0, sigma }, unit, dimension, temperature };
}

const POINT = 'a temperature in K, degC or degF';
const DIFFERENCE = 'a difference of temperatures in K, delta_degC or delta_degF';

/** Refuses a point on a scale for a difference, and a difference for the temperature that a row asks for. */
function temperatureFor(input: PreparedInput, name: string, sent: string): Temperature {
  const kind = temperatureOf(sent);
  if (kind === 'point' && isDifference(input))
    throw invalid(`${name}.unit`, `is ${printable(sent)}, a point on a scale`, DIFFERENCE);
  if (input.dimension === undefined) return kind;
  if (kind === 'difference' && !isDifference(input))
    throw invalid(`${name}.unit`, `is ${printable(sent)}, a difference`, POINT);
  return 'other';
}

/** The unit the kernel works in: that of the row; where the row takes any, the SI unit of the one that was sent. */
function unitFor(
  input: PreparedInput,
  name: string,
  sent: string | undefined,
): Pick<Read, 'unit' | 'dimension'> {
  if (input.dimension) return { unit: input.unit, dimension: input.dimension };
  if (sent === undefined) return { unit: undefined, dimension: undefined };
  try {
    const { dimension } = parseUnit(sent);
    return { unit: unitOfDimension(dimension), dimension };
  } catch (error) {
    throw wrongUnit(name, sent, 'a unit', error);
  }
}

function converted(name: string, value: number, from: string, to: string): number {
  try {
    return convert(value, from, to);
  } catch (error) {
    throw wrongUnit(name, from, `a unit that converts to ${to}`, error);
  }
}

function wrongUnit(name: string, sent: string, accepts: string, error: unknown): unknown {
  return error instanceof UnitError ? invalid(`${name}.unit`, `is ${printable(sent)}`, accepts) : error;
}

const unitText = (unit: string | undefined): string => (unit === undefined || unit === '1' ? '' : ` ${unit}`);

function fits({ whole, minimum, maximum, above, below }: PreparedInput, x: number): boolean {
  if (whole && !Number.isSafeInteger(x)) return false;
  if (minimum !== undefined && x < minimum) return false;
  if (maximum !== undefined && x > maximum) return false;
  if (above !== undefined && x <= above) return false;
  return below === undefined || x < below;
}

/** What an input takes, in words. */
export function domain({ whole, minimum, maximum, above, below, unit }: OperatorInput): string {
  const words = [whole ? 'a whole number' : 'a finite number'];
  if (minimum !== undefined) words.push(`from ${minimum}`);
  if (above !== undefined) words.push(`above ${above}`);
  if (maximum !== undefined) words.push(`to ${maximum}`);
  if (below !== undefined) words.push(`below ${below}`);
  return `${words.join(' ')}${unit === 'any' ? '' : unitText(unit)}`;
}

function canonicalInputs(read: ReadonlyMap<string, Read>): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  for (const [symbol, { input, value, unit }] of read) {
    const named = input.dimension || unit === undefined ? {} : { unit };
    const uncertain = value.sigma === 0 ? {} : { uncertainty: value.sigma };
    const bare = Object.keys(named).length + Object.keys(uncertain).length === 0;
    given.set(symbol, bare ? value.hi : { value: value.hi, ...named, ...uncertain });
  }
  return given;
}

// ---- the unit of the result ----------------------------------------------------------------------------

function unitOf(
  operator: Operator,
  expression: Expression,
  read: ReadonlyMap<string, Read>,
): Pick<Application, 'unit' | 'unitUnknown'> {
  const derived = derive(
    expression,
    (symbol) => read.get(symbol)?.dimension ?? dimensionOf(operator, symbol),
  );
  if ('unknown' in derived) return { unit: null, unitUnknown: derived.unknown };
  return { unit: unitOfDimension(derived.dimension), unitUnknown: [] };
}
