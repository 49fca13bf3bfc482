import { nearest } from '../errors/nearest.ts';
import { printableWord } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { compile, type Program } from '../operators/bytecode.ts';
import { refuseMiscounted } from '../operators/counts.ts';
import { type Derived, derive } from '../operators/dimensions.ts';
import { BOUND, readEquation } from '../operators/equation.ts';
import { type Expression, symbolsOf } from '../operators/syntax.ts';
import { coherentUnit } from '../operators/turns.ts';
import { constantOfKey } from '../units/constants.ts';
import { converter } from '../units/conversion.ts';
import { type Dimension, dimensionless, sameDimension } from '../units/dimension.ts';
import { unitOfDimension } from '../units/format.ts';
import { parseUnit } from '../units/unit.ts';

/**
 * Formulas of the caller inside a kernel (assembly/expression/formulas.ts): the text becomes a tree, its symbols are
 * held against those that there are, its dimension against the one that belongs there, and the bytecode is laid out as
 * a kernel's parameters.
 */

/** A symbol that a formula may use; without a dimension where it is a number of unknown unit. */
export interface FormulaSymbol {
  readonly name: string;
  readonly dimension?: Dimension | undefined;
  /** As it was sent, which says what a number in 1/s counts. */
  readonly unit?: string | undefined;
}

/** A number by name, as the caller sent it. */
export type SentParameters = Readonly<
  Record<string, number | { readonly value: number; readonly unit: string } | undefined>
>;

export interface Parameter extends FormulaSymbol {
  /** In the SI unit of its dimension, or as it was sent where that is unknown. */
  readonly value: number;
}

/** Where a formula stands in the request, and what is said of its symbols. */
export interface FormulaPlace {
  readonly field: string;
  /** Dotted path under which numbers by name are sent. */
  readonly parametersField: string;
}

/** A formula, its symbols known. */
export interface Formula {
  readonly field: string;
  readonly expression: Expression;
  readonly derived: Derived;
}

const MAX_PARAMETERS = 64;

/** The numbers that a request gives by name, in the order of its canonical text. @throws Refusal INVALID_INPUT for a name that no formula could have */
export function readParameters(sent: SentParameters, field: string): Parameter[] {
  const names = Object.keys(sent)
    .filter((name) => sent[name] !== undefined)
    .sort();
  if (names.length > MAX_PARAMETERS)
    refuse('INVALID_INPUT', `${field} has ${names.length} names; accepted: at most ${MAX_PARAMETERS}.`, {
      field,
      accepts: `at most ${MAX_PARAMETERS} names`,
    });
  return names.map((name) => readParameter(name, sent[name]!, field));
}

export function readParameter(
  name: string,
  sent: number | { readonly value: number; readonly unit: string },
  field: string,
): Parameter {
  if (name === 'pi' || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) {
    const shown = printableWord(name);
    refuse('INVALID_INPUT', `${field}.${shown} is no name that a formula can have.`, {
      field: `${field}.${shown}`,
      accepts: 'letters, digits and _, beginning with a letter; not pi',
    });
  }
  if (typeof sent === 'number') return { name, value: sent };
  const { dimension, offset } = parseUnit(sent.unit);
  if (offset) {
    const accepts = 'a temperature in K, or a difference in K, delta_degC or delta_degF';
    const what = `${field}.${name} is a point on a scale (${sent.unit}), which is ambiguous in a formula`;
    refuse('INVALID_INPUT', `${what}; accepted: ${accepts}.`, { field: `${field}.${name}`, accepts });
  }
  const value = converter(sent.unit, coherentUnit(name, sent.unit))(sent.value);
  if (!Number.isFinite(value))
    refuse('INVALID_INPUT', `${field}.${name} is beyond the numbers in SI units.`, {
      field: `${field}.${name}`,
      accepts: 'a finite number',
    });
  return { name, value: value + 0, dimension, unit: sent.unit };
}

/**
 * Reads a formula, plain text or LaTeX. @throws Refusal INVALID_INPUT, NON_SCALAR_RESULT or UNSUPPORTED under `field`;
 * MISSING_INPUT for a symbol that is not among `symbols`
 */
export function readFormula(text: string, symbols: readonly FormulaSymbol[], place: FormulaPlace): Formula {
  const expression = within(place.field, () => treeOf(text, symbols));
  for (const name of symbolsOf(expression)) {
    if (name !== 'pi' && !name.startsWith(BOUND) && !symbols.some((symbol) => symbol.name === name))
      refuseUnknown(name, symbols, place);
  }
  refuseMiscounted(
    expression,
    (name) => symbols.find((symbol) => symbol.name === name)?.unit,
    place.parametersField,
  );
  const derived = within(place.field, () => derive(expression, (name) => dimensionOf(name, symbols)));
  return { field: place.field, expression, derived };
}

/** A letter that the caller gives is not Planck's constant, whatever stands beside it. */
function treeOf(text: string, symbols: readonly FormulaSymbol[]): Expression {
  const units = symbols.map(({ name, dimension }): [string, string | undefined] => [
    name,
    dimension && unitOfDimension(dimension),
  ]);
  return readEquation(text, new Map(units)).expression;
}

function dimensionOf(name: string, symbols: readonly FormulaSymbol[]): Dimension | undefined {
  if (name === 'pi') return dimensionless;
  if (name.startsWith(BOUND)) return parseUnit(constantOfKey(name.slice(BOUND.length)).unit).dimension;
  return symbols.find((symbol) => symbol.name === name)?.dimension;
}

/** What the parser says of `equation` is said of the field. */
function within<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.code, `${field}: ${error.message}`, { ...error.details, field });
  }
}

function refuseUnknown(
  name: string,
  symbols: readonly FormulaSymbol[],
  { field, parametersField }: FormulaPlace,
): never {
  const known = symbols.map((symbol) => symbol.name);
  const shown = printableWord(name);
  const near = nearest(name, known);
  const hint = near ? `, the nearest is ${near}` : '';
  const place = `${parametersField}.${shown}`;
  refuse(
    'MISSING_INPUT',
    `${field} uses ${shown}, which is not known${hint}; accepted: ${known.join(', ')}, or a number as ${place}.`,
    {
      field: place,
      missing: [place],
      accepts: [...known, `a number as ${place}`],
      ...(near ? { nearest: near } : {}),
    },
  );
}

/** @throws Refusal INVALID_INPUT where the dimension of the formula is known and is another */
export function requireDimension({ field, derived }: Formula, dimension: Dimension | undefined): void {
  if (!dimension || 'unknown' in derived || sameDimension(derived.dimension, dimension)) return;
  const [found, wanted] = [unitOfDimension(derived.dimension), unitOfDimension(dimension)];
  refuse('INVALID_INPUT', `${field} is in ${found}, where ${wanted} belongs.`, {
    field,
    measured: found,
    accepts: `a formula in ${wanted}`,
  });
}

/**
 * Symbols that a solver sets, beside the caller's parameters. Where no parameter has a unit, all are numbers in SI units
 * and nothing is said of dimensions; where one has, the solver's own have theirs.
 */
export function symbolsBeside(
  own: readonly FormulaSymbol[],
  parameters: readonly Parameter[],
): { readonly symbols: readonly FormulaSymbol[]; readonly isPlain: boolean } {
  const isPlain = parameters.every(({ dimension }) => dimension === undefined);
  const set = isPlain ? own.map(({ name }) => ({ name })) : own;
  return { symbols: [...set, ...parameters], isPlain };
}

/** @throws Refusal INVALID_INPUT for a number under a name that the solver itself sets */
export function refuseTaken(parameters: readonly Parameter[], names: readonly string[], field: string): void {
  const taken = parameters.find(({ name }) => names.includes(name));
  if (taken)
    refuse('INVALID_INPUT', `${field}.${taken.name}: ${taken.name} is what the formula is of.`, {
      field: `${field}.${taken.name}`,
      accepts: 'another name',
    });
}

/** @throws Refusal INVALID_INPUT for a number that no formula uses */
export function refuseUnused(
  parameters: readonly Parameter[],
  formulas: readonly Formula[],
  field: string,
): void {
  const used = new Set(formulas.flatMap(({ expression }) => symbolsOf(expression)));
  const unused = parameters.find(({ name }) => !used.has(name));
  if (!unused) return;
  const known = [...used].filter((name) => name !== 'pi' && !name.startsWith(BOUND));
  const near = nearest(unused.name, known);
  refuse(
    'INVALID_INPUT',
    `${field}.${printableWord(unused.name)} stands in no formula${near ? `, the nearest is ${near}` : ''}.`,
    { field: `${field}.${printableWord(unused.name)}`, accepts: known, ...(near ? { nearest: near } : {}) },
  );
}

// ---- bytes ---------------------------------------------------------------------------------------------

/** The block of assembly/expression/program.ts in which all formulas share one table of values. */
export interface FormulaBlock {
  readonly bytes: Uint8Array;
  /** Of each formula: work units at a point, twice those of a point in a strip, of a pass for derivatives, of a series. */
  readonly costs: readonly FormulaCost[];
}

export interface FormulaCost {
  readonly point: number;
  readonly stripHalves: number;
  readonly plain: number;
  readonly series: number;
  /** Indices of the given symbols that stand in it. */
  readonly names: readonly number[];
}

const HEADER = 16;
const VALUE = 24;
const PUSH = 0;

/** A symbol that the kernel sets; with a value, where it reads one for the start. */
export type Given = string | { readonly name: string; readonly value: number };

/**
 * `given` are the symbols that the kernel sets, in its order: columns, then variables. What a formula names beside them
 * are parameters and constants.
 */
export function formulaBlock(
  formulas: readonly Pick<Formula, 'expression'>[],
  given: readonly Given[],
  parameters: readonly Parameter[],
): FormulaBlock {
  const programs = formulas.map(({ expression }) => compile(expression));
  const own = given.map((symbol) => (typeof symbol === 'string' ? { name: symbol, value: 0 } : symbol));
  const values = [...own, ...parameters].map(({ value }) => value);
  const index = new Map([...own, ...parameters].map(({ name }, i) => [name, i]));
  const place = (value: number): number => {
    const found = values.indexOf(value, given.length + parameters.length);
    return found < 0 ? values.push(value) - 1 : found;
  };
  const codes = programs.map(({ symbols, literals, code }) => {
    const where = [
      ...symbols.map((name) => index.get(name) ?? place(constantValue(name))),
      ...literals.map(({ hi }) => place(hi)),
    ];
    return code.map((word) => ((word & 0xff) === PUSH ? where[word >> 8]! << 8 : word));
  });
  const depth = Math.max(...programs.map((program) => program.depth));
  return {
    bytes: blockBytes(values, codes, depth),
    costs: programs.map((program, j) => ({ ...costOf(program), names: namesIn(codes[j]!, given.length) })),
  };
}

const namesIn = (code: readonly number[], given: number): number[] => [
  ...new Set(code.flatMap((word) => ((word & 0xff) === PUSH && word >> 8 < given ? [word >> 8] : []))),
];

const constantValue = (name: string): number => Number(constantOfKey(name.slice(BOUND.length)).value);

function blockBytes(
  values: readonly number[],
  codes: readonly (readonly number[])[],
  depth: number,
): Uint8Array {
  const tableAt = HEADER + VALUE * values.length;
  const codeAt = tableAt + 8 * codes.length;
  const words = codes.reduce((sum, code) => sum + code.length, 0);
  const view = new DataView(new ArrayBuffer((codeAt + 4 * words + 7) & ~7));
  for (const [i, x] of [codes.length, values.length, words, depth].entries()) view.setInt32(4 * i, x, true);
  for (const [i, x] of values.entries()) view.setFloat64(HEADER + VALUE * i, x, true);
  let word = 0;
  codes.forEach((code, j) => {
    view.setInt32(tableAt + 8 * j, word, true);
    view.setInt32(tableAt + 8 * j + 4, code.length, true);
    for (const instruction of code) view.setInt32(codeAt + 4 * word++, instruction, true);
  });
  return new Uint8Array(view.buffer);
}

// ---- work: the numbers of assembly/expression/formulas.ts ----------------------------------------------

const cheap = new Set([1, 2, 8, 9, 10, 11, 14, 15, 32, 51, 52, 60]);
const dear = new Set([12, 56, 57, 58, 59]);
const MOD = 16;
const PLAIN_WORD = 40;

const functionWork = (opcode: number): number => (opcode === MOD ? 5 : dear.has(opcode) ? 40 : 20);

/**
 * Of assembly/expression/taylor.ts: sums, products, functions, powers and areas. By processor time in one process 33
 * formulas took 0.1 to 1.4 ns a unit of these, 0.75 in the middle, where the kernels of lotka, react and wave took 0.97,
 * 1.26 and 0.73.
 */
const seriesWork = (opcode: number): number => {
  if (seriesSums.has(opcode)) return 20;
  if (seriesProducts.has(opcode)) return 120;
  return seriesDear.has(opcode) ? 600 : 400;
};
const seriesDear = new Set([12, 53, 54, 55]);
const seriesSums = new Set([PUSH, 1, 8, 9]);
const seriesProducts = new Set([10, 11, 14, 15, 16]);

function costOf({ code }: Program): Omit<FormulaCost, 'names'> {
  let [point, stripHalves, series] = [2, 1, 20];
  for (const word of code) {
    const opcode = word & 0xff;
    series += seriesWork(opcode);
    if (opcode === PUSH) continue;
    point += cheap.has(opcode) ? 3 : functionWork(opcode);
    stripHalves += cheap.has(opcode) ? 1 : 2 * functionWork(opcode);
  }
  return { point, stripHalves, plain: PLAIN_WORD * code.length, series };
}

/** What the numbers of a formula are in, as far as it is known. */
export const unitOfFormula = ({ derived }: Formula): string | null =>
  'unknown' in derived ? null : unitOfDimension(derived.dimension);
