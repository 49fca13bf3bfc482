import { printable } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { type Dimension, dimension, sameDimension } from '../units/dimension.ts';
import { exponentOf, parseUnit, UnitError } from '../units/unit.ts';
import { isNothing } from './dimensions.ts';
import { functionOf } from './functions.ts';
import { parseLatex, refuseTwins } from './latex.ts';
import { refuseNonScalar } from './non-scalar.ts';
import { parse, refuseLongText } from './parse.ts';
import { type Expression, substitute, symbolsOf, visit } from './syntax.ts';

/** A free-form equation with its letters bound: what is left are the inputs to ask for. */
export interface Equation {
  readonly syntax: 'plain' | 'latex';
  /** The name left of the `=`, where there is one. */
  readonly result: string | undefined;
  readonly expression: Expression;
  /** Constants of CODATA that a letter was bound to by the syntax around it. */
  readonly constants: readonly string[];
  /** Whether e is raised to a power in it, and so is Euler's number. */
  readonly hasEuler: boolean;
  readonly inputs: readonly string[];
}

/** Letters that are given, with their units as far as they have any. */
export type GivenLetters = ReadonlyMap<string, string | undefined>;

/**
 * Reads `y = …` or a bare expression, as plain text or, where it has a backslash or braces, as LaTeX. A relation,
 * limit, transfer function, matrix or state vector is refused as NON_SCALAR_RESULT (HON-10 to HON-13); derivatives,
 * sums and integrals as UNSUPPORTED. A single letter is an input (HON-06), but an e that is always raised to a power is Euler's number
 * (HON-07) and h beside a frequency or wavelength is Planck's constant (HON-08): not where h is given itself, nor where
 * that letter is given in another unit than one of a frequency or wavelength.
 */
export function readEquation(text: string, given: GivenLetters = new Map()): Equation {
  refuseLongText(text);
  const inside = displayed
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  const syntax = inside !== undefined || /[\\{}]/.test(text) ? 'latex' : 'plain';
  const bare = inside ?? (syntax === 'plain' ? withoutBrackets(text) : text);
  const formulaText = withPrimedName(bare, syntax, given);
  refuseNonScalar(formulaText, syntax, {
    formula: () => rightSide(formulaText, syntax),
    unitOf: (name) => given.get(name),
  });
  const { result, formula } = syntax === 'latex' ? latexSides(formulaText) : plainSides(formulaText);
  refuseStandardValue(text, formula);
  refuseDegrees(text, formula);
  if (syntax === 'plain') refuseTwoGammas(text, formula, given);
  const isEuler = !given.has('e') && isEulerOnly(formula);
  const withoutE = isEuler ? bindEuler(formula) : formula;
  const { expression, bound } = bindPlanck(withoutE, given);
  const inputs = symbolsOf(expression).filter((name) => name !== 'pi' && !name.startsWith(BOUND));
  return {
    ...{ syntax, result, expression, inputs },
    constants: bound ? ['h'] : [],
    hasEuler: isEuler,
  };
}

/** [S] and [A]_0 are concentrations, with names as they stand: V_max [S]/(K_m + [S]). */
const withoutBrackets = (text: string): string =>
  text.replace(
    /\[(\p{Lu}[\p{L}\p{N}]*)\](_[\p{L}\p{N}]+)?/gu,
    (_, name: string, index = '') => ` ${name}${index} `,
  );

const primed = /^\s*(\\?\p{L}[\p{L}\p{N}_]*)\s*(?:['′]|\^\s*(?:\\prime|\{\s*\\prime\s*\})|\\prime)\s*=/u;

/** The f' of f' = … is a name where each letter right of it is given: derivative or not, its value is what stands there. */
function withPrimedName(text: string, syntax: 'plain' | 'latex', given: GivenLetters): string {
  const name = primed.exec(text)?.[1];
  const formula = name === undefined ? undefined : rightSide(text, syntax);
  if (!formula || !symbolsOf(formula).every((letter) => letter === 'pi' || given.has(letter))) return text;
  return text.replace(primed, syntax === 'latex' ? `${name}_{prime} =` : `${name}_prime =`);
}

/** What stands right of the `=`, where it can be read. */
function rightSide(text: string, syntax: 'plain' | 'latex'): Expression | undefined {
  const right = text.slice(text.indexOf('=') + 1);
  try {
    return syntax === 'latex' ? parseLatex(right, lettersOfLatex) : parse(right);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** What stands around a formula in a text: $…$, $$…$$, \\(…\\), \\[…\\]. */
const displayed = /^\s*(?:\$\$([^$]+)\$\$|\$([^$]+)\$|\\\(([\s\S]+)\\\)|\\\[([\s\S]+)\\\])\s*$/;

/** What an e stands for that is only raised to powers, to 40 digits (OEIS A001113), and why. */
export const euler = {
  numeral: '2.718281828459045235360287471352662497757',
  because: 'e is raised to a power',
} as const;

/** The id of a free-form equation where operators have theirs. */
export const EQUATION = 'equation';

/** Prefix of a symbol that stands for a constant; no text can contain it. */
export const BOUND = '#';

interface Sides {
  readonly result: string | undefined;
  readonly formula: Expression;
}

/** The name left of the one `=`, and what stands right of it; or the whole, where there is none. */
function plainSides(text: string): Sides {
  const sides = text.split('=');
  if (sides.length === 1) return { result: undefined, formula: parse(text) };
  const named = /^\s*([\p{L}_][\p{L}\p{M}\p{Nd}\p{Nl}₀-₉_]*)°?\s*(\([\p{L}\p{N}_\s,]*\))?\s*$/u.exec(
    sides[0]!,
  );
  if (sides.length !== 2 || !named || isFunctionOf(named)) throw notSolved(text);
  return { result: named[1], formula: parse(sides[1]!) };
}

/** sin(x) = 0.5 is an equation for x; gamma(v) = … names the factor of Lorentz. */
const isFunctionOf = ([, name, list]: RegExpExecArray): boolean =>
  list !== undefined && name !== 'gamma' && functionOf(name!) !== undefined;

/** e stays a letter here, so that one rule binds it in both syntaxes. */
const lettersOfLatex: ReadonlySet<string> = new Set(['e']);

function latexSides(text: string): Sides {
  refuseTwins(text);
  const sides = text.split('=');
  const formula = () => parseLatex(sides.at(-1)!, lettersOfLatex);
  if (sides.length === 1) return { result: undefined, formula: formula() };
  const left = sides.length === 2 ? (latexName(sides[0]!) ?? abbreviation(sides[0]!)) : undefined;
  if (left === undefined) throw notSolved(text, sides.length === 2 ? wordOf(sides[0]!) : undefined);
  return { result: left, formula: formula() };
}

/** The name that a LaTeX text is; of `x(t)` it is x. */
function latexName(text: string): string | undefined {
  const bare = text.replace(/(?:\\left\s*)?\([^()]*\)\s*$/, '');
  try {
    const tree = parseLatex(bare, lettersOfLatex);
    return tree.kind === 'symbol' ? tree.name : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** EOQ and BMI by themselves: what stands right of the `=` is their value as one name or as a product. */
const abbreviation = (left: string): string | undefined => /^\s*(\p{Lu}{2,}\d*)\s*$/u.exec(left)?.[1];

/** A word that is meant for one name, and of which LaTeX makes a product. */
const wordOf = (left: string): string | undefined => /^\s*(\p{L}{2,}[\d_]*)\s*$/u.exec(left)?.[1];

function notSolved(text: string, word?: string): Refusal {
  const named = word === undefined ? '' : `; in LaTeX a name of several letters is \\mathrm{${word}}`;
  const accepts = `an expression, or one name = an expression${named}`;
  return new Refusal(
    'INVALID_INPUT',
    `equation ${printable(text)} is not solved for one name; accepted: ${accepts}.`,
    { field: 'equation', accepts },
  );
}

/** No formula raises a letter to 0: in E = E^0 − … it is the standard value of E. */
function refuseStandardValue(text: string, formula: Expression): void {
  visit(formula, (node) => {
    if (
      node.kind !== 'binary' ||
      node.operator !== '^' ||
      node.left.kind !== 'symbol' ||
      !isNothing(node.right)
    )
      return;
    const { name } = node.left;
    const accepts = `another name for a standard value, such as ${name}_0, or 1`;
    refuse(
      'INVALID_INPUT',
      `equation ${printable(text)} has ${name}^0, which is 1 unless it is a standard value of ${name}; accepted: ${accepts}.`,
      { field: 'equation', accepts },
    );
  });
}

/** 90 − φ and 360 n/365 under a sine are degrees in the books that have them; nobody has so many radians. */
function refuseDegrees(text: string, formula: Expression): void {
  visit(formula, (node) => {
    if (node.kind !== 'call' || !circular.has(node.name)) return;
    const [argument] = node.arguments;
    if (symbolsOf(argument!).includes('pi') || !countsDegrees(argument!)) return;
    const accepts = 'a sign of degrees behind the number (360°), or radians with pi (2*pi)';
    refuse(
      'INVALID_INPUT',
      `equation ${printable(text)} has under ${node.name} a number that may be of degrees; accepted: ${accepts}.`,
      { field: 'equation', accepts },
    );
  });
}

const circular = new Set(['sin', 'cos', 'tan']);
const isOneOf = (texts: readonly string[], node: Expression): boolean =>
  node.kind === 'number' && texts.includes(node.text);

/** A right angle or more as a term, or a part of two right angles or four. */
function countsDegrees(node: Expression): boolean {
  if (node.kind === 'negate') return countsDegrees(node.of);
  if (node.kind !== 'binary' || node.operator === '^') return false;
  const { operator, left, right } = node;
  const parts = [left, right];
  if (operator === '/' && parts.flatMap(factorNodes).some((each) => isOneOf(['180', '360'], each)))
    return true;
  if (
    (operator === '+' || operator === '-') &&
    parts.some((each) => isOneOf(['90', '180', '270', '360'], each))
  )
    return true;
  return parts.some(countsDegrees);
}

const factorNodes = (node: Expression): Expression[] =>
  node.kind === 'binary' && (node.operator === '*' || node.operator === '/')
    ? [...factorNodes(node.left), ...factorNodes(node.right)]
    : [node];

/** gamma(x) is Γ(x); where gamma is a letter as well, as in sqrt(gamma (p/rho)), it may be a product. */
function refuseTwoGammas(text: string, formula: Expression, given: GivenLetters): void {
  let isCalled = false;
  visit(formula, (node) => {
    isCalled ||= node.kind === 'call' && node.name === 'gamma';
  });
  if (!isCalled || !(given.has('gamma') || symbolsOf(formula).includes('gamma'))) return;
  const accepts = 'gamma*(…) for a product, or another letter beside the function gamma(…)';
  refuse(
    'INVALID_INPUT',
    `equation ${printable(text)} has gamma as a letter and before a bracket, where it is Γ(…) or a product; accepted: ${accepts}.`,
    { field: 'equation', accepts },
  );
}

const isRaisedE = (node: Expression): boolean =>
  node.kind === 'binary' && node.operator === '^' && node.left.kind === 'symbol' && node.left.name === 'e';

/** Every e is raised: where one is not, as in e^2/(1 + e), nobody says which e is which, so it is asked for. */
function isEulerOnly(expression: Expression): boolean {
  let letters = 0;
  let raised = 0;
  visit(expression, (node) => {
    if (node.kind === 'symbol' && node.name === 'e') letters++;
    if (isRaisedE(node)) raised++;
  });
  return raised > 0 && raised === letters;
}

/** e^x is exp(x). */
function bindEuler(expression: Expression): Expression {
  return substitute(expression, (node) => {
    if (node.kind !== 'binary' || !isRaisedE(node)) return undefined;
    return { kind: 'call', name: 'exp', arguments: [bindEuler(node.right)] };
  });
}

const perSecond = dimension({ s: -1 });
const metre = dimension({ m: 1 });
const waves: readonly (readonly [letters: RegExp, dimension: Dimension])[] = [
  [/^(?:f|nu|ν|frequency)(?:_[\p{L}\p{N}_]+|\d*)$/u, perSecond],
  [/^(?:λ|lambda|wavelength)(?:_[\p{L}\p{N}_]+|\d*)$/u, metre],
];

/** By its letter, and by its unit where it has one: an f in m is a focal length, and one in rad/s goes with h/2π. */
function isWave(name: string, given: GivenLetters): boolean {
  const wave = waves.find(([letters]) => letters.test(name));
  const unit = given.get(name);
  if (!wave || unit === undefined) return wave !== undefined;
  try {
    const counts = exponentOf('angle', unit) !== 0 || exponentOf('decay', unit) !== 0;
    return !counts && sameDimension(parseUnit(unit).dimension, wave[1]);
  } catch (error) {
    if (error instanceof UnitError) return true; // which is said of the input
    throw error;
  }
}

/** In all its places or in none: in m*g*h + h*nu nobody says which h is which, so it is asked for. */
function bindPlanck(expression: Expression, given: GivenLetters): { expression: Expression; bound: boolean } {
  const places = given.has('h') ? [] : planckPlaces(expression, given, false);
  if (places.length === 0 || places.includes(false)) return { expression, bound: false };
  return {
    expression: substitute(expression, (node) =>
      node.kind === 'symbol' && node.name === 'h' ? { kind: 'symbol', name: `${BOUND}h` } : undefined,
    ),
    bound: true,
  };
}

/** Of every h whether it stands in a product or quotient with a frequency or wavelength among its factors. */
function planckPlaces(node: Expression, given: GivenLetters, isBeside: boolean): boolean[] {
  const within = (part: Expression, beside = false) => planckPlaces(part, given, beside);
  switch (node.kind) {
    case 'number':
      return [];
    case 'symbol':
      return node.name === 'h' ? [isBeside] : [];
    case 'negate':
      return within(node.of, isBeside);
    case 'call':
      return node.arguments.flatMap((argument) => within(argument));
    case 'binary': {
      const { operator, left, right } = node;
      if (operator === '^') return [...within(left, isBeside), ...within(right)];
      const beside =
        (operator === '*' || operator === '/') &&
        (isBeside || factorsOf(node).some((name) => isWave(name, given)));
      return [...within(left, beside), ...within(right, beside)];
    }
  }
}

function factorsOf(node: Expression): string[] {
  if (node.kind === 'symbol') return [node.name];
  if (node.kind === 'negate') return factorsOf(node.of);
  if (node.kind !== 'binary') return [];
  if (node.operator === '^') return factorsOf(node.left);
  return node.operator === '*' || node.operator === '/'
    ? [...factorsOf(node.left), ...factorsOf(node.right)]
    : [];
}

/** Of a name of the equation whose letters are all given, as mc in E = mc^2, how to write it as their product. */
export function productMeant(
  letter: string,
  names: readonly string[],
  isGiven: (name: string) => boolean,
): string | undefined {
  const meant = names.find((name) => name.length > 1 && name.includes(letter) && [...name].every(isGiven));
  return meant && `${meant} is one name here, write ${[...meant].join('*')} for the product`;
}
