import { Refusal } from '../../src/errors/refusal.ts';
import {
  type Application,
  type AppliedCondition,
  applyInputs,
  type Given,
  type GivenInputs,
} from '../../src/operators/apply.ts';
import { canonical, canonicalText } from '../../src/operators/canonical.ts';
import { derive } from '../../src/operators/dimensions.ts';
import { BOUND, readEquation } from '../../src/operators/equation.ts';
import { parseLatex } from '../../src/operators/latex.ts';
import {
  dimensionOf,
  type Operator,
  type PreparedInput,
  type PreparedOde,
  prepare,
} from '../../src/operators/operator.ts';
import { parse } from '../../src/operators/parse.ts';
import type { OperatorRow } from '../../src/operators/row.ts';
import { renaming } from '../../src/operators/same-formula.ts';
import { type Expression, symbolsOf } from '../../src/operators/syntax.ts';
import { compute } from '../../src/solvers/compute.ts';
import { readInput } from '../../src/solvers/input.ts';
import { readSystem } from '../../src/solvers/solve/differential.ts';
import { constants } from '../../src/units/constants.ts';
import { type Dimension, isDimensionless, over, sameDimension } from '../../src/units/dimension.ts';
import { fraction, multiply } from '../../src/units/fraction.ts';
import { parseUnit } from '../../src/units/unit.ts';
import { evidenceOf } from '../solvers/evidence.ts';
import { runJob } from '../solvers/run-job.ts';

export type Row = OperatorRow & { readonly category: string };

/** A row with its compiled form, or with what keeps it from compiling. */
interface Prepared {
  readonly row: Row;
  readonly operator: Operator;
}

type Law = (prepared: Prepared) => string | undefined | Promise<string | undefined>;

/** What every row that gives a number must obey; each law says what is wrong with a row, or nothing. */
export const laws: Readonly<Record<string, Law>> = {
  'symbols are plain names, and each is used': symbolsAreUsed,
  'units of inputs are coherent': unitsAreCoherent,
  'the derived dimension is the declared one': dimensionIsDeclared,
  'LaTeX and expression are the same tree': sameTree,
  'every alias works': aliasesWork,
  'every missing input is named': missingIsNamed,
  'every limit of the domain refuses': limitsRefuse,
  'the examples hold': examplesHold,
  'every condition refuses': conditionsRefuse,
};

/** The laws that a row breaks, as sentences. */
export async function broken(row: Row): Promise<string[]> {
  if (row.expression === undefined && row.ode === undefined)
    return row.refuses === undefined ? ['neither expression nor refuses'] : [];
  let operator: Operator;
  try {
    operator = prepare(row);
  } catch (error) {
    return [`does not compile: ${(error as Error).message}`];
  }
  const found: string[] = [];
  for (const [name, law] of Object.entries(laws)) {
    const problem = await Promise.resolve()
      .then(() => law({ row, operator }))
      .catch((error: Error) => error.message);
    if (problem !== undefined) found.push(`${name}: ${problem}`);
  }
  return found;
}

// ---- text ------------------------------------------------------------------------------------------------

function symbolsAreUsed({ row, operator }: Prepared): string | undefined {
  const own = [...row.inputs, ...(row.fixed ?? [])].map(({ symbol }) => symbol);
  const odd = own.find((symbol) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(symbol));
  if (odd !== undefined) return `${odd} is no plain name`;
  const twice = own.find((symbol, i) => own.indexOf(symbol) !== i || row.constants?.includes(symbol));
  if (twice !== undefined) return `${twice} stands twice`;
  const used = new Set([
    ...(operator.ode ? operator.program.symbols : symbolsOf(operator.expression)),
    ...operator.conditions.flatMap(({ expression }) => symbolsOf(expression)),
  ]);
  const idle = [...own, ...(row.constants ?? []).map((key) => BOUND + key)].find(
    (symbol) => !used.has(symbol),
  );
  return idle === undefined ? undefined : `${idle} is not in the expression`;
}

const isCoherent = (unit: string): boolean => {
  const { scale, offset } = parseUnit(unit);
  return scale.n === scale.d && offset === undefined;
};

function unitsAreCoherent({ row }: Prepared): string | undefined {
  for (const key of row.constants ?? []) {
    const constant = constants.get(key);
    if (!constant) return `${key} is no key of the constants`;
    if (!isCoherent(constant.unit)) return `${key} is in ${constant.unit}`;
  }
  const units = [...row.inputs, ...(row.fixed ?? []), ...(row.ode?.components ?? []), row.result].map(
    ({ unit }) => unit,
  );
  const odd = units.find((unit) => unit !== 'any' && unit !== 'derived' && !isCoherent(unit));
  return odd === undefined ? undefined : `${odd} is no coherent unit of the SI`;
}

function dimensionIsDeclared({ row, operator }: Prepared): string | undefined {
  if (operator.ode) return dimensionsOfOde(row, operator, operator.ode);
  if (row.result.unit === 'derived')
    return row.inputs.some(({ unit }) => unit === 'any') ? undefined : 'derived, but no input has any unit';
  const derived = derive(operator.expression, (symbol) => dimensionOf(operator, symbol));
  if ('unknown' in derived) return `the dimension of ${derived.unknown.join(', ')} is not known`;
  const declared = parseUnit(row.result.unit).dimension;
  const holds =
    row.result.unit === 'dB'
      ? isDimensionless(derived.dimension)
      : sameDimension(derived.dimension, declared);
  return holds ? undefined : `the expression is in ${derived.dimension} sixtieths, not in ${row.result.unit}`;
}

/** Rates are in the unit of their component over that of the variable; starts in that of the component. */
function dimensionsOfOde(row: Row, operator: Operator, ode: PreparedOde): string | undefined {
  const { variable, components, value, conserved } = ode;
  const own = new Map(components.map(({ symbol, dimension }) => [symbol, dimension]));
  const of = (symbol: string) => own.get(symbol) ?? dimensionOf(operator, symbol);
  const along = dimensionOf(operator, variable)!;
  const isIn = (expression: Expression, wanted: Dimension) => {
    const derived = derive(expression, of);
    return 'dimension' in derived && sameDimension(derived.dimension, wanted);
  };
  for (const { symbol, dimension, start, rate } of components) {
    if (!isIn(rate, over(dimension, along))) return `the rate of ${symbol} is in another unit`;
    if (typeof start === 'string' && !sameDimension(dimensionOf(operator, start)!, dimension))
      return `${symbol} starts in another unit`;
  }
  if (conserved) derive(conserved, of);
  return isIn(value, parseUnit(row.result.unit).dimension)
    ? undefined
    : `the value is not in ${row.result.unit}`;
}

/** The equation in LaTeX reads as the system of the row, constants apart from their mark. */
function sameSystem(row: Row, { variable, components }: NonNullable<Row['ode']>): string | undefined {
  const read = readSystem(row.equation);
  if (read.variable !== variable)
    return `the equation runs along ${read.variable}, the row along ${variable}`;
  const [ours, theirs] = [components.map(({ symbol }) => symbol), read.components.map(({ name }) => name)];
  if (JSON.stringify(ours) !== JSON.stringify(theirs)) return `components ${ours}, in LaTeX ${theirs}`;
  for (const [i, { symbol, rate }] of components.entries()) {
    const [a, b] = [parse(rate), readEquation(read.components[i]!.rate).expression].map((tree) =>
      canonicalText(tree),
    );
    if (a !== b) return `the rate of ${symbol} is ${a}, in LaTeX ${b}`;
  }
  return undefined;
}

function sameTree({ row }: Prepared): string | undefined {
  if (row.category === 'core') return undefined; // KO42's equation is an average over a tick
  if (row.ode) return sameSystem(row, row.ode);
  const sides = row.equation.split('=');
  if (sides.length !== 2) return 'the equation is not `name = formula`';
  const expression = parse(row.expression!);
  const known = new Set([...symbolsOf(expression), row.result.symbol]);
  const [left, right] = [leftName(sides[0]!, known), parseLatex(sides[1]!, known, 'row')];
  if (left !== row.result.symbol) return `the left side is ${left}, the result ${row.result.symbol}`;
  const [ours, theirs] = [canonicalText(expression), canonicalText(right)];
  return ours === theirs ? undefined : `expression ${ours}, LaTeX ${theirs}`;
}

/** The name of `x(t)` is x. */
function leftName(text: string, known: ReadonlySet<string>): string {
  const tree = parseLatex(text.replace(/\([^()]*\)\s*$/, ''), known);
  if (tree.kind !== 'symbol') throw new Error(`the left side ${text} is no name`);
  return tree.name;
}

// ---- inputs ----------------------------------------------------------------------------------------------

const required = (row: Row): OperatorRow['inputs'] =>
  row.inputs.filter(({ role }) => role === 'required' || role === 'conditional');

/** Also of inputs that the example leaves to their standard value. */
function aliasesWork({ row, operator }: Prepared): string | undefined {
  const inputs: GivenInputs = row.examples[0]?.inputs ?? {};
  const valuesOf = (given: GivenInputs) => JSON.stringify(applyInputs([operator], given)[0]!.values);
  for (const input of row.inputs) {
    const names = [input.symbol, ...input.aliases];
    const sent = names.find((name) => Object.hasOwn(inputs, name)) ?? input.symbol;
    const { [sent]: value = Number(input.value ?? input.minimum ?? 1), ...others } = inputs;
    const expected = valuesOf({ ...others, [input.symbol]: value });
    for (const alias of names) if (valuesOf({ ...others, [alias]: value }) !== expected) return alias;
  }
  return undefined;
}

function missingIsNamed({ row, operator }: Prepared): string | undefined {
  const inputs = row.examples[0]?.inputs ?? {};
  for (const input of required(row)) {
    const without = Object.fromEntries(
      Object.entries(inputs).filter(([name]) => operator.byName.get(name)?.symbol !== input.symbol),
    );
    const refusal = refusalOf(() => applyInputs([operator], without));
    const { missing, accepts } = (refusal?.details.inputError ?? {}) as {
      missing?: string;
      accepts?: string[];
    };
    if (refusal?.code !== 'MISSING_INPUT' || missing !== input.symbol)
      return `${input.symbol} is not asked for`;
    if (JSON.stringify(accepts) !== JSON.stringify([input.symbol, ...input.aliases]))
      return `${input.symbol}'s aliases`;
  }
  return undefined;
}

function limitsRefuse({ row, operator }: Prepared): string | undefined {
  const inputs = row.examples[0]?.inputs ?? {};
  for (const input of operator.inputs) {
    const others = Object.fromEntries(
      Object.entries(inputs).filter(([name]) => operator.byName.get(name)?.symbol !== input.symbol),
    );
    for (const outside of outsideOf(input)) {
      const refusal = refusalOf(() => applyInputs([operator], { ...others, [input.symbol]: outside }));
      if (refusal?.code !== 'INVALID_INPUT') return `${input.symbol} = ${outside} is taken`;
    }
  }
  return undefined;
}

function outsideOf({ whole, minimum, maximum, above, below }: PreparedInput): number[] {
  const step = (x: number) => Math.max(Math.abs(x) * 1e-9, 1e-300);
  return [
    ...(minimum === undefined ? [] : [minimum - step(minimum)]),
    ...(maximum === undefined ? [] : [maximum + step(maximum)]),
    ...(above === undefined ? [] : [above, above - step(above)]),
    ...(below === undefined ? [] : [below, below + step(below)]),
    ...(whole ? [(minimum ?? 1) + 0.5] : []),
  ];
}

function refusalOf(action: () => unknown): Refusal | undefined {
  try {
    action();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return undefined;
}

// ---- values ----------------------------------------------------------------------------------------------

/** The value, or the code of the refusal. Anything else that is thrown is thrown on. */
export async function sealedValue(id: string, inputs: GivenInputs): Promise<number | string> {
  const found = await sealed(id, inputs);
  return typeof found === 'string' ? found : found.value;
}

/** The value with the error of the gate that tells most, or the code of the refusal. */
export async function sealed(
  id: string,
  inputs: GivenInputs,
): Promise<{ readonly value: number; readonly error: number } | string> {
  try {
    const { input } = readInput(compute.input, { operators: [id], inputs });
    const { value, gates } = (await runJob(compute, input as never)).verdict;
    return { value, error: Math.max(...gates.map(({ relError }) => relError)) };
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

async function examplesHold({ row }: Prepared): Promise<string | undefined> {
  if (row.examples.length === 0) return 'there is none';
  for (const { inputs, value, unit, tolerance, source } of row.examples) {
    const found = await sealedValue(row.id, inputs);
    if (typeof found === 'string') return `${JSON.stringify(inputs)} is refused with ${found}`;
    const error = Math.abs(found - value) / (value === 0 ? 1 : Math.abs(value));
    if (!(error <= tolerance)) return `${JSON.stringify(inputs)} gives ${found}, not ${value}`;
    const { input } = readInput(compute.input, { operators: [row.id], inputs });
    const shown = compute.unit(input as never);
    if (shown !== unit) return `the unit is ${shown}, not ${unit}`;
    evidenceOf('compute').references.push({ title: row.id, error, tolerance, source });
  }
  return undefined;
}

/** From an example, which meets them all, each condition is left by some change of one input. */
async function conditionsRefuse({ row, operator }: Prepared): Promise<string | undefined> {
  const inputs = row.examples[0]?.inputs ?? {};
  const [application] = applyInputs([operator], inputs);
  for (const condition of application!.conditions)
    if (!(await isLeft(operator, condition, inputs))) return `${condition.text} is never negative`;
  return undefined;
}

async function isLeft(operator: Operator, held: AppliedCondition, inputs: GivenInputs): Promise<boolean> {
  for (const input of operator.inputs.filter(({ symbol }) => held.program.symbols.includes(symbol))) {
    const others = Object.entries(inputs).filter(([name]) => operator.byName.get(name) !== input);
    for (const value of changed(input, held)) {
      const moved = { ...Object.fromEntries(others), [input.symbol]: value };
      const refusal = await refusalAt(operator.id, moved);
      if (refusal?.details.condition === held.text) return true;
    }
  }
  return false;
}

const FACTORS = [1, 1.1, 2, 10, 1e3, 1e6, 1e12, 0.9, 0.5, 0.1, 1e-3, 1e-6, 1e-12, 0, -1];

/** Values that an input takes, near and far of its own and of those beside it. */
function changed(input: PreparedInput, { program, values }: AppliedCondition): number[] {
  const { symbol, whole, minimum, maximum } = input;
  const inside = (x: number) => isWithin(input, x) && (!whole || Number.isSafeInteger(x));
  const own = values[program.symbols.indexOf(symbol)]!.hi;
  const scaled = values.flatMap(({ hi }) => FACTORS.map((factor) => hi * factor));
  const near = [own + 1, own - 1, own + 0.1, own - 0.1, minimum ?? own, maximum ?? own];
  return [...(whole ? scaled.map(Math.round) : scaled), ...near].filter(inside);
}

async function refusalAt(id: string, inputs: GivenInputs): Promise<Refusal | undefined> {
  try {
    const { input } = readInput(compute.input, { operators: [id], inputs });
    await runJob(compute, input as never);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/**
 * Inputs near those of a row's example, each by a factor of up to `spread`, where the formula is used and conditions
 * mostly hold. Whole numbers, and halves where a condition asks for them, move by whole numbers.
 */
export function nearInputs(operator: Operator, row: Row, spread: number, next: () => number): GivenInputs {
  const [{ program, values }] = applyInputs([operator], row.examples[0]!.inputs) as [Application];
  const stepped = row.conditions?.filter(({ nonNegative }) => nonNegative.includes('mod(')) ?? [];
  const inSteps = new Set(stepped.flatMap(({ nonNegative }) => symbolsOf(parse(nonNegative))));
  const near = (input: PreparedInput): [string, Given][] => {
    const at = program.symbols.indexOf(input.symbol);
    if (at < 0) return [];
    const own = values[at]!.hi;
    const moved =
      input.whole || inSteps.has(input.symbol)
        ? own + Math.floor(3 * next())
        : own * spread ** (2 * next() - 1);
    return [[input.symbol, isWithin(input, moved) ? moved : own]];
  };
  return Object.fromEntries(operator.inputs.flatMap(near));
}

const isWithin = ({ minimum, maximum, above, below }: PreparedInput, x: number): boolean =>
  !(x < minimum! || x > maximum! || x <= above! || x >= below!);

/** Inputs within the domain of a row, from numbers between 0 and 1: spread over magnitudes where the domain is wide. */
export function randomInputs(operator: Operator, next: () => number): GivenInputs {
  return Object.fromEntries(
    operator.inputs.map((input): [string, Given] => [input.symbol, randomValue(input, next)]),
  );
}

function randomValue({ whole, minimum, maximum, above, below }: PreparedInput, next: () => number): number {
  const [low, high] = [minimum ?? above, maximum ?? below];
  const signed = (low ?? -1) < 0 && (high ?? 1) > 0 && next() < 0.5 ? -1 : 1;
  const wide = 10 ** (next() * 24 - 12);
  let x = low !== undefined && high !== undefined ? low + (high - low) * next() : signed * wide;
  if (low !== undefined && high === undefined) x = low + wide;
  if (high !== undefined && low === undefined) x = high - wide;
  return whole ? Math.max(Math.round(x), minimum ?? Math.round(x)) : x;
}

// ---- between rows ----------------------------------------------------------------------------------------

interface Shape {
  readonly row: Row;
  readonly symbols: readonly { readonly name: string; readonly unit: string }[];
  readonly signature: string;
}

/** Rows that say what another row says: the same formula under other letters, or solved for another letter. */
export function repeated(rows: readonly Row[]): string[] {
  const shapes = rows
    .filter((row) => row.expression !== undefined && row.category !== 'core')
    .flatMap(shapeOf);
  return [...names(rows), ...sameFormula(shapes), ...solvedForAnother(shapes)];
}

function names(rows: readonly Row[]): string[] {
  const seen = new Map<string, string>();
  return rows.flatMap(({ id, name }) => {
    const first = seen.get(name);
    seen.set(name, id);
    return first === undefined ? [] : [`${id} has the name of ${first}: ${name}`];
  });
}

function shapeOf(row: Row): Shape[] {
  try {
    const { expression, inputs } = prepare(row);
    const units = new Map(
      [...inputs, ...(row.fixed ?? [])].map(({ symbol, unit }) => [symbol, unitKey(unit)]),
    );
    const symbols = symbolsOf(expression).flatMap((name) => {
      const unit = units.get(name);
      return unit === undefined ? [] : [{ name, unit }];
    });
    return [{ row, symbols, signature: canonicalText(expression, (name) => units.get(name) ?? name) }];
  } catch {
    return []; // reported where the row is compiled
  }
}

const unitKey = (unit: string): string =>
  unit === 'any' ? '<any>' : `<${parseUnit(unit).dimension.join()}>`;

function grouped<T>(list: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups.values()].filter((group) => group.length > 1);
}

function pairs<T>(group: readonly T[]): [T, T][] {
  return group.flatMap((a, i) => group.slice(i + 1).map((b): [T, T] => [a, b]));
}

function sameFormula(shapes: readonly Shape[]): string[] {
  return grouped(shapes, ({ signature }) => signature).flatMap((group) =>
    pairs(group)
      .filter(([a, b]) => renames(a, b))
      .map(([a, b]) => `${b.row.id} is the formula of ${a.row.id} under other letters`),
  );
}

/** Whether some renaming that keeps units makes the one formula the other. */
function renames(a: Shape, b: Shape): boolean {
  const [unitOfA, unitOfB] = [a, b].map(
    ({ symbols }) => new Map(symbols.map(({ name, unit }) => [name, unit])),
  ) as [Map<string, string>, Map<string, string>];
  const lettered = ({ row, symbols }: Shape) => ({
    expression: prepare(row).expression,
    letters: symbols.map(({ name }) => name),
  });
  const sameUnit = (own: string, theirs: string) => unitOfA.get(own) === unitOfB.get(theirs);
  return renaming(lettered(a), lettered(b), sameUnit) !== undefined;
}

/** Of formulas that are one product: which quantities stand in it with which exponents, whichever is the result. */
function solvedForAnother(shapes: readonly Shape[]): string[] {
  const relations = shapes.flatMap((shape) => {
    const key = relationOf(shape);
    return key === undefined ? [] : [{ shape, key }];
  });
  return grouped(relations, ({ key }) => key).flatMap((group) =>
    pairs(group)
      .filter(([a, b]) => a.shape.signature !== b.shape.signature)
      .map(([a, b]) => `${b.shape.row.id} is ${a.shape.row.id} solved for another letter`),
  );
}

function relationOf({ row, symbols }: Shape): string | undefined {
  const { factors } = canonical(prepare(row).expression);
  const units = new Map(symbols.map(({ name, unit }) => [name, unit]));
  if (
    [...factors.keys()].some((name) => /[([]/.test(name)) ||
    symbols.length < 2 ||
    row.result.unit === 'derived'
  )
    return undefined;
  const terms = [...factors].map(([name, exponent]) => ({ name: units.get(name) ?? name, exponent }));
  terms.push({ name: unitKey(row.result.unit === 'dB' ? '1' : row.result.unit), exponent: fraction(-1n) });
  const text = (sign: bigint) =>
    terms
      .filter(({ name }) => name !== 'pi')
      .map(({ name, exponent }) => `${name}^${asText(multiply(exponent, fraction(sign)))}`)
      .sort()
      .join(' ');
  return [text(1n), text(-1n)].sort()[0];
}

const asText = ({ n, d }: { n: bigint; d: bigint }): string => `${n}/${d}`;
