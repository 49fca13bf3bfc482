import { printable } from '../../errors/printable.ts';
import { Refusal, refuse } from '../../errors/refusal.ts';
import { parseLatex } from '../../operators/latex.ts';
import type { Expression } from '../../operators/syntax.ts';
import { MOST_COUPLED, solvedFor, treeOf, type Undetermined } from './implicit.ts';

/** `name' = rate`, of a component of a system. */
export interface RateText {
  readonly name: string;
  /** In the expression language, or in LaTeX. */
  readonly rate: string;
}

/** A system of first order as it is written, with the letter that its derivatives are by. */
export interface SystemText {
  readonly variable: string;
  readonly components: readonly RateText[];
}

/** What a derivative of a component is called in formulas: x' is x_dot, x'' x_ddot. */
const derivativeName = (name: string, order: number): string =>
  order === 0 ? name : `${name}_${accentOf(order)}`;
const accentOf = (order: number): string => `${'d'.repeat(order - 1)}dot`;

const MOST_COMPONENTS = 16;
/** As many dots as LaTeX has. */
const HIGHEST_ORDER = 4;
const accepted = [
  "y' = …",
  "x'' = …, with x' on the right",
  "y''' = … and d^3y/dt^3 = …, up to the fourth, with y' and y'' on the right",
  'dy/dt = …',
  '\\dot{y} = …, \\ddot{x} = …, \\frac{dy}{dt} = …',
  "what is linear in the highest derivatives, such as a y'' + b y' + c y = 0, or x' + y' = 1; x' - y' = x",
  'several of them between ;',
];

/**
 * Reads differential equations that are linear in their highest derivatives; one of third order becomes three of first
 * order, x, x_dot and x_ddot. @throws Refusal INVALID_INPUT that says what is accepted
 */
export function readSystem(text: string): SystemText {
  const latex = /[\\{}]/.test(text);
  const statements = text
    .split(latex ? /\\\\|;|\n/ : /;|\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  if (statements.length === 0) wrong('holds no equation', text);
  const read = statements.map((statement) => readStatement(statement, latex, text));
  const { variable, orders } = derivativesOf(read, text);
  const rates = isSolved(read, orders) ? read.map(asWritten) : solvedRates(read, orders, latex, text);
  const components = rates.flatMap(({ name, rate }) => {
    const order = orders.get(name)!;
    return Array.from({ length: order }, (_, k) => ({
      name: derivativeName(name, k),
      rate: k + 1 === order ? rate : derivativeName(name, k + 1),
    }));
  });
  refuseNames(components, variable, text);
  return { variable, components };
}

function refuseNames(components: readonly RateText[], variable: string, text: string): void {
  const names = components.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) wrong(`has two equations for ${printable(twice)}`, text);
  if (names.includes(variable)) wrong(`has an equation for its own variable ${printable(variable)}`, text);
  if (names.includes('pi') || variable === 'pi') wrong('has an equation for pi', text);
  if (names.length > MOST_COMPONENTS) wrong(`has ${names.length} components, above ${MOST_COMPONENTS}`, text);
}

/** An equation; `solved` where its left side is a derivative alone. */
interface Statement {
  readonly left: NamedSide;
  readonly right: NamedSide;
  readonly solved?: Derivative | undefined;
}

/** A side with its derivatives under names, x_dot, x_ddot and so on. */
interface NamedSide {
  readonly text: string;
  readonly found: readonly Derivative[];
}

interface Derivative {
  readonly name: string;
  readonly order: number;
  readonly variable?: string | undefined;
}

/** Of each name the order of its highest derivative. */
type Orders = ReadonlyMap<string, number>;

function readStatement(statement: string, latex: boolean, text: string): Statement {
  const sides = statement.split('=');
  if (sides.length !== 2) wrong(`has a part that is no equation, ${printable(statement)}`, text);
  const left = sides[0]!.trim();
  const right = sides[1]!.trim();
  if (right === '') wrong(`has nothing right of ${printable(left)}`, text);
  const named = (side: string) => (latex ? namedLatex(side) : namedPlain(side, text));
  const solved = latex ? latexLeft(left) : plainLeft(left);
  if (solved) return { left: { text: '', found: [solved] }, right: named(right), solved };
  return { left: named(left), right: named(right) };
}

const foundIn = ({ left, right }: Statement): readonly Derivative[] => [...left.found, ...right.found];

function derivativesOf(read: readonly Statement[], text: string): { variable: string; orders: Orders } {
  const found = read.flatMap(foundIn);
  const variable = found.find((one) => one.variable !== undefined)?.variable ?? 't';
  if (found.some((one) => one.variable !== undefined && one.variable !== variable))
    wrong('has derivatives by more than one variable', text);
  const beyond = found.find(({ order }) => order > HIGHEST_ORDER);
  if (beyond)
    wrong(
      `has a derivative of order ${beyond.order}, above ${HIGHEST_ORDER}; a lower one may have a letter of its own, as a has in y'' = a; a''' = -y`,
      text,
    );
  const orders = new Map<string, number>();
  for (const { name, order } of found) if (order > (orders.get(name) ?? 0)) orders.set(name, order);
  return { variable, orders };
}

/** Names of which an equation has the highest derivative. */
const highestIn = (statement: Statement, orders: Orders): string[] => [
  ...new Set(foundIn(statement).flatMap(({ name, order }) => (orders.get(name) === order ? [name] : []))),
];

/** Each equation is solved for a highest derivative, and has no other. */
const isSolved = (read: readonly Statement[], orders: Orders): boolean =>
  read.every(({ solved, right }) => solved && highestIn({ left: none, right }, orders).length === 0);

const none: NamedSide = { text: '', found: [] };

const asWritten = ({ solved, right }: Statement): RateText => ({ name: solved!.name, rate: right.text });

/** The highest derivatives that linear equations give. */
function solvedRates(
  read: readonly Statement[],
  orders: Orders,
  latex: boolean,
  text: string,
): readonly RateText[] {
  const bare = read.find((statement) => highestIn(statement, orders).length === 0);
  if (bare && foundIn(bare).length === 0)
    wrong(`is not solved for a derivative: its left side is ${printable(bare.left.text)}`, text);
  const names = [...new Set(read.flatMap((statement) => highestIn(statement, orders)))];
  if (names.length !== read.length)
    wrong(
      `has ${names.length} highest derivatives, of ${names.map(printable).join(', ')}, in ${read.length} equation${read.length === 1 ? '' : 's'}`,
      text,
    );
  const symbols = names.map((name) => derivativeName(name, orders.get(name)!));
  const equations = read.map(({ left, right, solved }): readonly [Expression, Expression] => [
    solved ? { kind: 'symbol', name: symbols[names.indexOf(solved.name)]! } : treeOf(left.text, latex),
    treeOf(right.text, latex),
  ]);
  const rates = solvedFor(symbols, equations);
  if (!Array.isArray(rates)) return undetermined(rates as Undetermined, names, text);
  return names.map((name, i) => ({ name, rate: rates[i]! }));
}

function undetermined({ why, of }: Undetermined, names: readonly string[], text: string): never {
  const shown = of.map((i) => printable(names[i]!)).join(', ');
  if (why === 'nonlinear') return wrong(`is not linear in the highest derivative of ${shown}`, text);
  if (why === 'open') return wrong(`leaves the highest derivatives of ${shown} open`, text);
  if (why === 'too long')
    return wrong(`is too long when it is solved for the highest derivatives of ${shown}`, text);
  return wrong(
    `holds ${of.length} highest derivatives in one another, above ${MOST_COUPLED}: ${shown}`,
    text,
  );
}

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*?`;
const plainForms: readonly RegExp[] = [
  new RegExp(`^(?<name>${NAME})(?<primes>'+|")(?:\\s*\\((?<by>${NAME})\\))?$`, 'u'),
  new RegExp(`^d\\s*(?<name>${NAME})\\s*/\\s*d\\s*(?<by>${NAME})$`, 'u'),
  new RegExp(`^d\\^?(?<order>[2-9])\\s*(?<name>${NAME})\\s*/\\s*d\\s*(?<by>${NAME})\\^?\\k<order>$`, 'u'),
];

function plainLeft(left: string): Derivative | undefined {
  for (const pattern of plainForms) {
    const found = pattern.exec(left)?.groups;
    if (found) return { name: found.name!, order: orderOf(found.order, found.primes), variable: found.by };
  }
  return undefined;
}

/** By its numeral or its primes; `"` are two. */
function orderOf(numeral: string | undefined, primes = "'"): number {
  if (numeral !== undefined) return Number(numeral);
  return primes === '"' ? 2 : primes.length;
}

const PLAIN = new RegExp(
  [
    String.raw`(?<![\p{L}_])(?:d\^?([2-9])\s*(${NAME})\s*/\s*d\s*(${NAME})\^?\1(?![\p{L}\p{N}_])`,
    String.raw`|d\s*(${NAME})\s*/\s*d\s*(t)(?![\p{L}\p{N}_])`,
    String.raw`|(${NAME})('+|")(?!['"])(?:\s*\(\s*(t)\s*\))?)`,
  ].join(''),
  'gu',
);

function namedPlain(side: string, equation: string): NamedSide {
  const found: Derivative[] = [];
  const text = side.replace(
    PLAIN,
    (whole, numeral, higher, by, first, along, primed, primes, of, at: number) => {
      const name: string = higher ?? first ?? primed;
      const order = orderOf(numeral, primes);
      found.push({ name, order, variable: by ?? along ?? of });
      return `${derivativeName(name, order)}${joint(whole, side.slice(at + whole.length), equation)}`;
    },
  );
  return { text, found };
}

/** What makes a product of a derivative and what stands behind it; a bracket with one thing in it may be a place. */
function joint(derivative: string, behind: string, text: string): string {
  const bracket = /^\s*\(\s*([\p{L}\p{N}_.]*)(.?)/su.exec(behind);
  if (!bracket) return /^[\p{L}\p{N}_]/u.test(behind) ? ' ' : '';
  if (bracket[1] !== '' && bracket[2] === ')')
    wrong(
      `has ${printable(`${derivative}(${bracket[1]})`)}, a product or the derivative at one place: write ${derivative}*${bracket[1]}, or give a start in inputs`,
      text,
    );
  return '*';
}

const ACCENT = /^\\(d{0,3})dot\s*(?:\{(.*)\}|(\\[A-Za-z]+|[A-Za-z])(.*))$/su;
const PRIMED = /^(.*?)('+)$/su;
const D = String.raw`(?:d|\\mathrm\{d\})`;
const QUOTIENT = new RegExp(
  String.raw`^\\[dt]?frac\{\s*${D}(?:\^\{?([2-9])\}?)?\s*(.+?)\s*\}\{\s*${D}\s*(.+?)\s*\}$`,
  'su',
);

function latexLeft(left: string): Derivative | undefined {
  const accent = ACCENT.exec(left);
  if (accent) return latexName(accent[2] ?? `${accent[3]}${accent[4]}`, accent[1]!.length + 1);
  const primed = PRIMED.exec(left);
  if (primed) return latexName(primed[1]!, primed[2]!.length);
  const quotient = QUOTIENT.exec(left);
  if (!quotient) return undefined;
  const variable = symbolOf(quotient[3]!.replace(/\^\{?[2-9]\}?$/u, ''));
  return variable === undefined ? undefined : latexName(quotient[2]!, orderOf(quotient[1]), variable);
}

function latexName(text: string, order: number, variable?: string): Derivative | undefined {
  const name = symbolOf(text);
  return name === undefined ? undefined : { name, order, variable };
}

function symbolOf(text: string): string | undefined {
  try {
    const tree = parseLatex(text, new Set(['e']));
    return tree.kind === 'symbol' ? tree.name : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const LETTER = String.raw`(?:\\[A-Za-z]+|[A-Za-z])(?:_\{[^{}]*\}|_[A-Za-z0-9])?`;
const LATEX = new RegExp(
  [
    String.raw`\\(d{0,3})dot\s*(?:\{\s*(${LETTER})\s*\}|(${LETTER}))`,
    String.raw`|\\[dt]?frac\{\s*${D}(?:\^\{?([2-9])\}?)?\s*(${LETTER})\s*\}\{\s*${D}\s*(${LETTER})(?:\^\{?[2-9]\}?)?\s*\}`,
    `|(${LETTER})('+)`,
  ].join(''),
  'gu',
);

/** Derivatives of a side as \dot{x}, \ddot{x} and so on, which the reader calls x_dot and x_ddot. */
function namedLatex(side: string): NamedSide {
  const found: Derivative[] = [];
  const text = side.replace(LATEX, (whole, d, braced, bare, numeral, above, below, primed, primes) => {
    const of: string = braced ?? bare ?? above ?? primed;
    const order = d === undefined ? orderOf(numeral, primes) : d.length + 1;
    const left = latexName(of, order, below === undefined ? undefined : symbolOf(below));
    if (!left) return whole;
    found.push(left);
    return `\\${accentOf(order)}{${of}}`;
  });
  return { text, found };
}

function wrong(problem: string, text: string): never {
  return refuse('INVALID_INPUT', `equation ${printable(text)} ${problem}.`, {
    field: 'equation',
    accepts: accepted,
  });
}
