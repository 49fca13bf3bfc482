import { nearest } from '../errors/nearest.ts';
import { printable, printableWord } from '../errors/printable.ts';
import { refuse } from '../errors/refusal.ts';
import { constantOfKey, edition, shownConstant } from '../units/constants.ts';
import type { Dimension } from '../units/dimension.ts';
import { unitOfDimension } from '../units/format.ts';
import { parseUnit, UnitError } from '../units/unit.ts';
import { refuseMiscounted } from './counts.ts';
import { derive } from './dimensions.ts';
import { BOUND, type Equation, euler, type GivenLetters, productMeant, readEquation } from './equation.ts';
import { sameFormulas } from './known-formulas.ts';
import { plainText } from './plain-text.ts';
import type { Row } from './registry.ts';
import { lettersOf } from './same-formula.ts';
import { operatorSearch } from './search.ts';
import { symbolsOf } from './syntax.ts';

/** The unit of a letter, alone or with a value that is not looked at. */
export type Hint = string | { readonly value?: number; readonly unit?: string };

/** To 40 digits (OEIS A000796). */
const PI = '3.141592653589793238462643383279502884197';

const MOST_SAME = 10;
const MOST_NEAR = 5;
/** Of a formula of many letters the first ones are looked for. */
const MOST_WORDS = 10;

/**
 * What is understood of a free-form equation, before anything is computed: its tree, the letters that would be asked
 * for, the constants that the syntax binds, the unit as far as it follows from those given, and the operators that are
 * this formula under other letters. @throws Refusal NON_SCALAR_RESULT · UNSUPPORTED · INVALID_INPUT
 */
export async function analyze(text: string, hints: Readonly<Record<string, Hint>> = {}) {
  const units = new Map(Object.entries(hints).map(([name, hint]) => [name, unitOfHint(hint)]));
  const equation = readEquation(text, units);
  const dimensions = dimensionsOf(equation, units);
  refuseMiscounted(equation.expression, (name) => units.get(name));
  const formula = { expression: equation.expression, letters: lettersOf(equation.expression) };
  const same = await sameFormulas(formula, equation.result, MOST_SAME);
  const { syntax, result, inputs } = equation;
  return {
    equation: text,
    syntax,
    result: result ?? null,
    expression: plainText(equation.expression),
    inputs: inputs.map((symbol) => ({ symbol, unit: unitText(dimensions.get(symbol)) })),
    constants: boundConstants(equation),
    ...unitOf(equation, dimensions),
    operators: same.map(({ row, letters }) => ({ ...heading(row), letters })),
    near: await nearBy(equation, new Set(same.map(({ row }) => row.id))),
  };
}

const unitText = (dimension: Dimension | undefined): string | null =>
  dimension ? unitOfDimension(dimension) : null;

const unitOfHint = (hint: Hint): string | undefined => (typeof hint === 'string' ? hint : hint.unit);

function dimensionsOf({ inputs }: Equation, units: GivenLetters): ReadonlyMap<string, Dimension> {
  const known = new Map<string, Dimension>();
  for (const [name, unit] of units) {
    if (!inputs.includes(name)) refuseName(name, inputs, units);
    if (unit !== undefined) known.set(name, dimensionOf(name, unit));
  }
  return known;
}

function refuseName(name: string, inputs: readonly string[], units: GivenLetters): never {
  const field = `inputs.${printableWord(name)}`;
  const near = nearest(name, inputs);
  const product = productMeant(name, inputs, (each) => units.has(each));
  const hint = product ? `; ${product}` : near ? `, the nearest is ${near}` : '';
  const accepts = inputs.join(', ') || 'no input';
  return refuse('INVALID_INPUT', `${field} is no letter of the equation${hint}; accepted: ${accepts}.`, {
    field,
    accepts: inputs,
  });
}

function dimensionOf(name: string, unit: string): Dimension {
  try {
    return parseUnit(unit).dimension;
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    const field = `inputs.${printableWord(name)}`;
    const accepts = error.accepted('a unit such as m/s^2');
    return refuse('INVALID_INPUT', `${field} is ${printable(unit)}; accepted: ${accepts}.`, {
      field,
      accepts,
    });
  }
}

function boundConstants({ constants, hasEuler, expression }: Equation) {
  const planck = constants.map((key) => ({
    ...shownConstant(constantOfKey(key)),
    because: `${key} stands in a product with a frequency or a wavelength (${edition})`,
  }));
  const exact = (key: string, name: string, numeral: string, because: string) => ({
    ...{ key, name, value: Number(numeral), unit: '1', numeral, uncertainty: '0', exact: true, because },
  });
  const power = hasEuler ? [exact('e', 'Euler’s number', euler.numeral, euler.because)] : [];
  const circle = symbolsOf(expression).includes('pi')
    ? [exact('pi', 'π', PI, 'pi names no other quantity')]
    : [];
  return [...planck, ...power, ...circle];
}

function unitOf({ expression }: Equation, dimensions: ReadonlyMap<string, Dimension>) {
  const derived = derive(expression, (name) => {
    if (name === 'pi') return parseUnit('1').dimension;
    if (name.startsWith(BOUND)) return parseUnit(constantOfKey(name.slice(BOUND.length)).unit).dimension;
    return dimensions.get(name);
  });
  if ('unknown' in derived) return { unit: null, unitUnknown: derived.unknown };
  return { unit: unitOfDimension(derived.dimension), unitUnknown: [] };
}

const heading = ({ id, name, category, equation, result }: Row) => ({
  ...{ id, name, category, equation },
  unit: result.unit === 'derived' ? null : result.unit,
});

/** Operators whose symbols, names or words are those of the equation. */
async function nearBy({ result, inputs }: Equation, same: ReadonlySet<string>) {
  const words = [result, ...inputs.slice(0, MOST_WORDS)].filter((name) => name !== undefined).join(' ');
  if (words === '') return [];
  const { results } = (await operatorSearch()).find(words, { limit: MOST_NEAR + same.size });
  return results
    .filter(({ row }) => !same.has(row.id))
    .slice(0, MOST_NEAR)
    .map(({ row }) => heading(row));
}
