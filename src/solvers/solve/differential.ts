import { printable } from '../../errors/printable.ts';
import { Refusal, refuse } from '../../errors/refusal.ts';
import { parseLatex } from '../../operators/latex.ts';
import { solvedFor } from './implicit.ts';

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

/** What the derivative of a component is called in formulas: x' is x_dot. */
const rateName = (name: string): string => `${name}_dot`;

const MOST_COMPONENTS = 16;
const accepted = [
  "y' = …",
  "x'' = …, with x' on the right",
  'dy/dt = …',
  '\\dot{y} = …, \\ddot{x} = …, \\frac{dy}{dt} = …',
  "a form that is linear in its highest derivative, such as a y'' + b y' + c y = 0",
  'several of them between ;',
];

/**
 * Reads differential equations that are linear in their highest derivative; one of second order becomes two of first
 * order, x and x_dot. @throws Refusal INVALID_INPUT that says what is accepted
 */
export function readSystem(text: string): SystemText {
  const latex = /[\\{}]/.test(text);
  const statements = text
    .split(latex ? /\\\\|;|\n/ : /;|\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  if (statements.length === 0) wrong('holds no equation', text);
  const read = statements.map((statement) => readStatement(statement, latex, text));
  const variable = read.find((one) => one.variable !== undefined)?.variable ?? 't';
  if (read.some((one) => one.variable !== undefined && one.variable !== variable))
    wrong('has derivatives by more than one variable', text);
  const components = read.flatMap(({ name, order, rate }) =>
    order === 1
      ? [{ name, rate }]
      : [
          { name, rate: rateName(name) },
          { name: rateName(name), rate },
        ],
  );
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

interface Statement {
  readonly name: string;
  readonly order: 1 | 2;
  readonly variable?: string | undefined;
  readonly rate: string;
}

function readStatement(statement: string, latex: boolean, text: string): Statement {
  const sides = statement.split('=');
  if (sides.length !== 2) wrong(`has a part that is no equation, ${printable(statement)}`, text);
  const left = sides[0]!.trim();
  const right = sides[1]!.trim();
  if (right === '') wrong(`has nothing right of ${printable(left)}`, text);
  const named = latex ? namedLatex : namedPlain;
  const found = latex ? latexLeft(left) : plainLeft(left);
  return found ? { ...found, rate: named(right).text } : implicit(named(left), named(right), latex, text);
}

/** A part that is not solved for a derivative is solved for its highest, where it has one of which it is linear. */
function implicit(left: NamedSide, right: NamedSide, latex: boolean, text: string): Statement {
  const all = [...left.found, ...right.found];
  const order = all.some((each) => each.order === 2) ? 2 : 1;
  const [highest, ...others] = all.filter((each) => each.order === order);
  if (!highest)
    return wrong(`is not solved for a derivative: its left side is ${printable(left.text)}`, text);
  if (others.some(({ name }) => name !== highest.name))
    wrong(`has a part with two highest derivatives, of ${highest.name} and another`, text);
  const symbol = order === 2 ? `${highest.name}_ddot` : rateName(highest.name);
  const rate = solvedFor(symbol, left.text, right.text, latex);
  if (rate === undefined) return wrong(`is not linear in the highest derivative of ${highest.name}`, text);
  return { ...highest, variable: all.find(({ variable }) => variable !== undefined)?.variable, rate };
}

/** A side with its derivatives under names, x_dot and x_ddot. */
interface NamedSide {
  readonly text: string;
  readonly found: readonly Left[];
}

type Left = Omit<Statement, 'rate'>;

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*?`;
const plainForms: readonly (readonly [RegExp, 1 | 2])[] = [
  [new RegExp(`^(${NAME})'(?:\\s*\\((${NAME})\\))?$`, 'u'), 1],
  [new RegExp(`^(${NAME})(?:''|")(?:\\s*\\((${NAME})\\))?$`, 'u'), 2],
  [new RegExp(`^d\\s*(${NAME})\\s*/\\s*d\\s*(${NAME})$`, 'u'), 1],
  [new RegExp(`^d\\^?2\\s*(${NAME})\\s*/\\s*d\\s*(${NAME})\\^?2$`, 'u'), 2],
];

function plainLeft(left: string): Left | undefined {
  for (const [pattern, order] of plainForms) {
    const match = pattern.exec(left);
    if (match) return { name: match[1]!, order, variable: match[2] };
  }
  return undefined;
}

const PLAIN = new RegExp(
  [
    String.raw`(?<![\p{L}_])(?:d\^?2\s*(${NAME})\s*/\s*d\s*(${NAME})\^?2(?![\p{L}\p{N}_])`,
    String.raw`|d\s*(${NAME})\s*/\s*d\s*(t)(?![\p{L}\p{N}_])`,
    String.raw`|(${NAME})(''|"|')(?!['"])(?:\s*\(\s*(t)\s*\))?)`,
  ].join(''),
  'gu',
);

function namedPlain(side: string): NamedSide {
  const found: Left[] = [];
  const text = side.replace(PLAIN, (_, second, by, first, along, primed, primes, of) => {
    const name: string = second ?? first ?? primed;
    const order = second !== undefined || (primes !== undefined && primes !== "'") ? 2 : 1;
    found.push({ name, order, variable: by ?? along ?? of });
    return `${name}_${order === 2 ? 'ddot' : 'dot'}`;
  });
  return { text, found };
}

const ACCENT = /^\\(d?)dot\s*(?:\{(.*)\}|(\\[A-Za-z]+|[A-Za-z])(.*))$/su;
const PRIMED = /^(.*?)('{1,2})$/su;
const D = String.raw`(?:d|\\mathrm\{d\})`;
const QUOTIENT = new RegExp(
  String.raw`^\\[dt]?frac\{\s*${D}(\^\{?2\}?)?\s*(.+?)\s*\}\{\s*${D}\s*(.+?)\s*\}$`,
  'su',
);

function latexLeft(left: string): Left | undefined {
  const accent = ACCENT.exec(left);
  if (accent) return latexName(accent[2] ?? `${accent[3]}${accent[4]}`, accent[1] === 'd' ? 2 : 1);
  const primed = PRIMED.exec(left);
  if (primed) return latexName(primed[1]!, primed[2]!.length === 2 ? 2 : 1);
  const quotient = QUOTIENT.exec(left);
  if (!quotient) return undefined;
  const variable = symbolOf(quotient[3]!.replace(/\^\{?2\}?$/u, ''));
  return variable === undefined ? undefined : latexName(quotient[2]!, quotient[1] ? 2 : 1, variable);
}

function latexName(text: string, order: 1 | 2, variable?: string): Left | undefined {
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
    String.raw`\\(d?)dot\s*(?:\{\s*(${LETTER})\s*\}|(${LETTER}))`,
    String.raw`|\\[dt]?frac\{\s*${D}(\^\{?2\}?)?\s*(${LETTER})\s*\}\{\s*${D}\s*(${LETTER})(?:\^\{?2\}?)?\s*\}`,
    `|(${LETTER})('{1,2})(?!')`,
  ].join(''),
  'gu',
);

/** Derivatives of a side as \dot{x} and \ddot{x}, which the reader calls x_dot and x_ddot. */
function namedLatex(side: string): NamedSide {
  const found: Left[] = [];
  const text = side.replace(LATEX, (whole, d, braced, bare, second, above, below, primed, primes) => {
    const of: string = braced ?? bare ?? above ?? primed;
    const order = d === 'd' || second !== undefined || primes === "''" ? 2 : 1;
    const left = latexName(of, order, below === undefined ? undefined : symbolOf(below));
    if (!left) return whole;
    found.push(left);
    return `\\${order === 2 ? 'ddot' : 'dot'}{${of}}`;
  });
  return { text, found };
}

function wrong(problem: string, text: string): never {
  return refuse('INVALID_INPUT', `equation ${printable(text)} ${problem}.`, {
    field: 'equation',
    accepts: accepted,
  });
}
