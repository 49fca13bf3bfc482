import { nearest } from '../errors/nearest.ts';
import { printable, printableWord } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { constants, edition } from '../units/constants.ts';
import { convertDifference, convertWide } from '../units/conversion.ts';
import type { Dimension } from '../units/dimension.ts';
import { unitOfDimension } from '../units/format.ts';
import type { DoubleDouble } from '../units/fraction.ts';
import { type Quantity, QuantityError, readQuantity } from '../units/quantity.ts';
import { parseUnit, UnitError } from '../units/unit.ts';
import { exactly, type Filled, nearestTo, type Program, type Value } from './bytecode.ts';
import { refuseMiscounted } from './counts.ts';
import { derive } from './dimensions.ts';
import { BOUND, EQUATION, euler, productMeant } from './equation.ts';
import { type Condition, dimensionOf, type Operator, type PreparedInput } from './operator.ts';
import { isOtherRate, ratesFor } from './rates.ts';
import type { OperatorInput } from './row.ts';
import type { Expression } from './syntax.ts';
import {
  isCoefficient,
  isDifference,
  refusePoints,
  type Temperature,
  temperatureOf,
} from './temperatures.ts';
import { coherentUnit } from './turns.ts';

/** An input as it is sent: a number, that with its unit and uncertainty, or both as text, `3 ± 0.1 km/h`. */
export type Given = Quantity | string;
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
  /** The inputs that were given, by symbol, in the units in which they were sent. */
  readonly given: ReadonlyMap<string, Quantity>;
}

export interface Read {
  readonly input: PreparedInput;
  readonly name: string;
  readonly sent: Quantity;
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
    const isEquation = operators.some(({ id }) => id === EQUATION);
    const product = isEquation ? productMeant(name, names, (each) => Object.hasOwn(inputs, each)) : undefined;
    const near = nearest(name, names);
    const field = `inputs.${printableWord(name)}`;
    const hint = product ? `; ${product}` : near ? `, the nearest is ${near}` : '';
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
  refuseCounts(operator, read);
  const assumed: Assumed[] = operator.hasEuler ? [raisedE] : [];
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
  const own = {
    operator,
    program,
    values,
    conditions,
    assumed,
    given: new Map([...read].map(([symbol, { sent }]) => [symbol, sent])),
  };
  if (operator.result.unit !== 'derived') return { ...own, unit: operator.result.unit, unitUnknown: [] };
  return { ...own, ...unitOf(operator, operator.expression, read) };
}

/** Where a row says no unit, only the one that was sent says what a number counts. */
function refuseCounts({ expression, byName }: Operator, read: ReadonlyMap<string, Read>): void {
  if (![...read.values()].some(({ input, sent }) => !input.dimension && unitSent(sent) !== undefined)) return;
  refuseMiscounted(expression, (name) => {
    const input = byName.get(name);
    if (input?.dimension) return input.unit;
    const sent = read.get(name)?.sent;
    return sent === undefined ? undefined : unitSent(sent);
  });
}

/** A condition is held at the values themselves. */
const certain = (value: Value): Value => ({ ...value, sigma: 0 });

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

const raisedE: Assumed = { name: 'e', value: Number(euler.numeral), unit: '1', because: euler.because };

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

/**
 * One input in the unit of its row, to the width of a double-double: what a conversion rounds away, a difference of two
 * inputs would bring forward. Throws the Refusal that names what its domain accepts.
 */
export function readOne(input: PreparedInput, name: string, given: Given): Read {
  const quantity = quantityOf(name, given);
  const { value, unit: sent, uncertainty = 0 } = quantity;
  const { unit, dimension } = unitFor(input, name, sent);
  const from = sent ?? unit;
  const plain = from === undefined || unit === undefined;
  const { hi, lo } = plain ? { hi: value, lo: 0 } : converted(input, name, value, from, unit);
  const temperature = sent === undefined ? 'other' : temperatureFor(input, name, sent);
  const sigma = plain || uncertainty === 0 ? uncertainty : convertDifference(uncertainty, from, unit);
  if (!Number.isFinite(hi) || !fits(input, { hi, lo }))
    throw invalid(name, `is ${printable(hi)}${unitText(unit)}`, domain(input));
  const least = !plain && parseUnit(from).offset ? LEAST_POINT : LEAST;
  if (Math.abs(hi) < least && value !== 0 && hi !== value)
    throw invalid(name, `has no digits left in ${unit ?? '1'}`, `0, or a number above ${least} in size`);
  if (temperature === 'point' && hi < 0)
    throw invalid(name, `is ${printable(hi)} K, below absolute zero`, 'a temperature from 0 K');
  if (!Number.isFinite(sigma) || sigma < 0) {
    throw invalid(`${name}.uncertainty`, `is ${printable(uncertainty)}`, 'a standard uncertainty from 0');
  }
  const words = { hi: hi + 0, lo: lo + 0, sigma, ...nearestTo(value) };
  return { input, name, sent: asSent(quantity), value: words, unit, dimension, temperature };
}

/** Of a point on another scale: -273.15 degC is 0 K, and the double nearest to it 10^-14 K. */
const LEAST_POINT = 2 ** -40;
/** The least number that has all its digits: a conversion to a smaller one would round them away, up to all of them. */
const LEAST = 2 ** -1022;

/** The same number whichever way it is written. */
function quantityOf(name: string, given: Given): Exclude<Quantity, number> {
  if (typeof given === 'number') return { value: given };
  if (typeof given !== 'string') return given;
  try {
    const read = readQuantity(given);
    return typeof read === 'number' ? { value: read } : read;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw invalid(name, `is ${printable(given)}, no number with a unit`, error.accepts);
  }
}

/** The unit that an input is sent in; undefined where it has none, or is no quantity. */
export function unitSent(given: Given): string | undefined {
  if (typeof given === 'object') return given.unit;
  try {
    const read = typeof given === 'string' ? readQuantity(given) : given;
    return typeof read === 'object' ? read.unit : undefined;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** What the canonical request says: number and unit as they came, so that a stranger sees what was asked. */
function asSent({ value, unit, uncertainty = 0 }: Exclude<Quantity, number>): Quantity {
  if (unit === undefined && uncertainty === 0) return value + 0;
  return {
    value: value + 0,
    ...(unit === undefined ? {} : { unit }),
    ...(uncertainty === 0 ? {} : { uncertainty }),
  };
}

const POINT = 'a temperature in K, degC or degF';
const DIFFERENCE = 'a difference of temperatures in K, delta_degC or delta_degF';
const KELVINS = 'a number of kelvins, in K, delta_degC or delta_degF';

/** Refuses a point on a scale for a difference, and a difference for the temperature that a row asks for. */
function temperatureFor(input: PreparedInput, name: string, sent: string): Temperature {
  const kind = temperatureOf(sent);
  const wanted = isDifference(input) ? DIFFERENCE : isCoefficient(input) ? KELVINS : undefined;
  if (kind === 'point' && wanted !== undefined)
    throw invalid(`${name}.unit`, `is ${printable(sent)}, a point on a scale`, wanted);
  if (input.dimension === undefined) return kind;
  if (kind === 'difference' && wanted === undefined)
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
    return { unit: coherentUnit(input.symbol, sent), dimension: parseUnit(sent).dimension };
  } catch (error) {
    throw wrongUnit(name, sent, 'a unit', error);
  }
}

function converted(
  input: PreparedInput,
  name: string,
  value: number,
  from: string,
  to: string,
): DoubleDouble {
  try {
    if (input.dimension && isOtherRate(to, from))
      throw invalid(`${name}.unit`, `is ${printable(from)}, where ${to} belongs`, ratesFor(to));
    return convertWide(value, from, to);
  } catch (error) {
    throw wrongUnit(name, from, `a unit that converts to ${to}`, error);
  }
}

function wrongUnit(name: string, sent: string, accepts: string, error: unknown): unknown {
  return error instanceof UnitError
    ? invalid(`${name}.unit`, `is ${printable(sent)}`, error.accepted(accepts))
    : error;
}

const unitText = (unit: string | undefined): string => (unit === undefined || unit === '1' ? '' : ` ${unit}`);

/** A limit is held against the double nearest to the value, as it is one itself: 360 deg is not above 2π. */
export function fits(
  { whole, minimum, maximum, above, below }: PreparedInput,
  { hi: x, lo }: DoubleDouble,
): boolean {
  if (whole && !(Number.isSafeInteger(x) && lo === 0)) return false;
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
