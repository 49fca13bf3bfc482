import { printable, printableWord } from '../../errors/printable.ts';
import { refuse } from '../../errors/refusal.ts';
import { converter } from '../../units/conversion.ts';
import { isUnit, UnitError } from '../../units/unit.ts';
import { refuseElsewhere } from '../continuation.ts';
import type { FormulaBlock } from '../expressions.ts';

/** A number in the caller's own unit. */
export type Quantity = number | { readonly value: number; readonly unit: string };

/** Units of the master equation's coefficients; a system of the caller's own may use their names for anything. */
export const masterUnits = {
  t_end: 's',
  m: 'kg',
  c: 'kg/s',
  k: 'N/m',
  beta: 'N/m^3',
  F: 'N',
  Omega: 'rad/s',
  b: 'N',
  x0: 'm',
  v0: 'm/s',
} as const;
type Name = keyof typeof masterUnits;

/** What a request of `solve` may say; validated by the schema, in SI. */
export interface SolveInput {
  readonly operators?: readonly string[];
  readonly equation?: string;
  readonly inputs: Readonly<Record<string, Quantity | undefined>>;
  /** Of a system: the formula that gives the value, and one that must not change. */
  readonly quantity?: string;
  readonly conserved?: string;
  readonly dt?: number;
  readonly strict?: boolean;
  readonly maxIterations?: number;
  readonly initialState?: {
    readonly x?: number;
    readonly v?: number;
    readonly y?: Quantity;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
  readonly systemBefore?: SystemBefore;
}

/** Where the earlier job ended, with the state of each of its levels (assembly/kernels/solve.ts). */
export interface Before {
  readonly job: string;
  /** Steps of the coarsest level, and their length. */
  readonly steps: number;
  readonly step: number;
  readonly states: readonly Uint8Array[];
}

/** The master equation with everything known: order 2 with positions, order 1 without. */
export interface Problem {
  readonly order: 1 | 2;
  readonly m: number;
  readonly c: number;
  readonly k: number;
  readonly beta: number;
  readonly F: number;
  readonly Omega: number;
  readonly b: number;
  /** x₀ or y₀. */
  readonly x0: number;
  readonly v0: number;
  readonly t0: number;
  readonly tEnd: number;
  readonly before?: Before;
}

/** Where the job ended that is continued, with the state of each of its levels; undefined: one that left the numbers. */
export interface SystemBefore {
  readonly job: string;
  /** Steps of the coarsest level, and their length. */
  readonly steps: number;
  readonly step: number;
  readonly states: readonly (Uint8Array | undefined)[];
}

/** y' = f(t, y; parameters) with everything known. */
export interface System {
  readonly variable: string;
  readonly components: readonly Component[];
  readonly start: number;
  readonly end: number;
  /** What gives the value. */
  readonly unit: string | null;
  readonly variableUnit: string | null;
  readonly isConserved: boolean;
  readonly conservedUnit: string | null;
  /** Of the coarsest level, where the row of an operator says it. */
  readonly steps?: number | undefined;
  /** Programs: the rates, what gives the value, what is conserved. */
  readonly block: FormulaBlock;
}

export interface Component {
  readonly name: string;
  readonly start: number;
  readonly unit: string | null;
}

/** The combinations that SOLV-05 lists. */
export const acceptedCombinations = [
  'inputs {t_end, m, k, x0, v0} with optional c, beta, b, and F with Omega',
  'inputs {t_end, c, k, y0} with optional beta, b, and F with Omega',
  'inputs {t_end, m, k} with initialState {x, v} and optional t0',
  'inputs {t_end, c, k} with initialState {y} and optional t0',
];

/** The inputs as plain numbers. */
type Given = Readonly<Record<string, number | undefined>>;

const optionalNames = ['beta', 'b', 'F', 'Omega'];
const namesOfOrder = { 2: ['t_end', 'm', 'c', 'k', 'x0', 'v0'], 1: ['t_end', 'c', 'k', 'y0'] };

/** Price, plan and answer of a request ask for the same problem a dozen times. */
const problems = new WeakMap<SolveInput, Problem>();

/** Reads the problem; throws the Refusal that names what is missing or excluded (SOLV-05). */
export function readProblem(input: SolveInput): Problem {
  const known = problems.get(input);
  if (known) return known;
  const problem = problemOf(input);
  problems.set(input, problem);
  return problem;
}

function problemOf(input: SolveInput): Problem {
  refuseTargets(input);
  const given = coefficients(input.inputs);
  const state = { ...input.initialState, y: magnitude(input.initialState?.y) };
  const order = orderOf(given, state);
  refuseNames(given, order);
  const x0 = order === 2 ? pick(given.x0, state.x, 'x') : pick(given.y0, state.y, 'y');
  const v0 = order === 2 ? pick(given.v0, state.v, 'v') : 0;
  const required = {
    t_end: given.t_end,
    k: given.k,
    ...(order === 2 ? { m: given.m, x0, v0 } : { c: given.c, y0: x0 }),
  };
  const missing = Object.entries(required).filter(([, value]) => value === undefined);
  if (missing.length) refuseMissing(missing.map(([name]) => name));
  refuseSigns(given);
  const t0 = state.t0 ?? 0;
  if (!(given.t_end! > t0)) invalid('inputs.t_end', `t_end must lie after t0 = ${t0} s`, `> ${t0}`);
  return {
    order,
    m: given.m ?? 1,
    c: given.c ?? 0,
    k: given.k!,
    beta: given.beta ?? 0,
    F: given.F ?? 0,
    Omega: given.Omega ?? 0,
    b: given.b ?? 0,
    x0: x0!,
    v0: v0!,
    t0,
    tEnd: given.t_end!,
    ...(input.before && { before: input.before }),
  };
}

/** Whether the request has differential equations of its own, or those of an operator. */
export const isOwn = ({ equation, operators }: SolveInput): boolean =>
  equation !== undefined || operators !== undefined;

/** The unit of the value: metres, or whatever the start without positions was given in. */
export function unitOf(input: SolveInput): string | null {
  const y = input.inputs.y0 ?? input.initialState?.y;
  if (y === undefined) return 'm';
  return typeof y === 'number' ? null : y.unit;
}

/** The inputs of the master equation as numbers in SI. @throws Refusal INVALID_INPUT */
function coefficients(inputs: SolveInput['inputs']): Given {
  return Object.fromEntries(Object.entries(inputs).map(([name, sent]) => [name, inMasterUnit(name, sent)]));
}

function inMasterUnit(name: string, sent: Quantity | undefined): number | undefined {
  const unit = Object.hasOwn(masterUnits, name) ? masterUnits[name as Name] : undefined;
  if (typeof sent !== 'object' || unit === undefined) return magnitude(sent);
  try {
    return converter(sent.unit, unit)(sent.value) + 0;
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    const problem = isUnit(sent.unit) ? 'has another dimension' : 'is no unit';
    return invalid(
      `inputs.${name}.unit`,
      `${printable(sent.unit)} ${problem}`,
      error.accepted(`a unit that converts to ${unit}`),
    );
  }
}

/** Equal problems as equal requests: the master equation in SI numbers. */
export function canonicalInputs(input: SolveInput): SolveInput {
  if (isOwn(input)) return input;
  const inputs = Object.fromEntries(
    Object.entries(input.inputs).map(([name, sent]) => [
      name,
      name === 'y0' ? sent : inMasterUnit(name, sent),
    ]),
  );
  return { ...input, inputs };
}

/** A number as it was sent, without its unit. */
export function magnitude(quantity: Quantity | undefined): number | undefined {
  return typeof quantity === 'object' ? quantity.value : quantity;
}

/** Refinement needs its limit, and a limit means refinement (SOLV-06). */
export function readStrict({ strict, maxIterations }: SolveInput): boolean {
  if (strict && maxIterations === undefined) {
    refuse('MISSING_INPUT', 'strict needs maxIterations, from 1 to 40.', {
      field: 'maxIterations',
      missing: ['maxIterations'],
      accepts: '1 to 40',
    });
  }
  if (!strict && maxIterations !== undefined) {
    invalid('maxIterations', 'it is used with strict', ['strict: true with maxIterations', 'neither']);
  }
  return strict === true;
}

function refuseTargets(input: SolveInput): void {
  for (const field of ['quantity', 'conserved'] as const)
    if (input[field] !== undefined) invalid(field, 'it goes with an equation of your own', ['equation']);
  refuseElsewhere('solve', input.initialState, ['initialState {x, v, t0}', 'initialState {y, t0}']);
}

/** A system starts from its inputs; initialState may say the time. @throws Refusal */
export function refuseStateOfSystem(input: SolveInput): void {
  refuseElsewhere('solve', input.initialState, ['a system of your own from its start']);
  if (input.operators && input.equation !== undefined)
    invalid('operators', 'the request names operators and an equation', ['operators', 'equation']);
  for (const name of ['x', 'v', 'y'] as const)
    if (input.initialState?.[name] !== undefined)
      invalid(`initialState.${name}`, 'an equation of your own starts from its inputs', ['inputs']);
}

function orderOf(given: Given, state: { x?: number; v?: number; y: number | undefined }): 1 | 2 {
  const second = ['m', 'x0', 'v0'].filter((name) => given[name] !== undefined);
  if (state.x !== undefined || state.v !== undefined) second.push('initialState');
  const first = given.y0 !== undefined || state.y !== undefined;
  if (first && second.length) {
    invalid(
      'inputs',
      `y0 or y makes an equation without positions, ${second.join(', ')} one with positions`,
      acceptedCombinations,
    );
  }
  if (!first && second.length === 0) refuseMissing(given.c === undefined ? ['m', 'x0', 'v0'] : ['y0']);
  return first ? 1 : 2;
}

function refuseNames(given: Given, order: 1 | 2): void {
  const accepted = [...namesOfOrder[order], ...optionalNames];
  const unknown = Object.keys(given).find((name) => given[name] !== undefined && !accepted.includes(name));
  if (unknown !== undefined)
    invalid(
      `inputs.${printableWord(unknown)}`,
      `${printable(unknown)} is not a term of this equation`,
      accepted,
    );
  if (given.F !== undefined && given.Omega === undefined) refuseMissing(['Omega']);
  if (given.Omega !== undefined && given.F === undefined) refuseMissing(['F']);
}

function pick(input: number | undefined, state: number | undefined, name: string): number | undefined {
  if (input !== undefined && state !== undefined) {
    invalid(`initialState.${name}`, `the start is given twice, in inputs and in initialState`, [
      'inputs',
      'initialState',
    ]);
  }
  return input ?? state;
}

function refuseSigns(given: Given): void {
  for (const name of ['m', 'c', 'Omega', 't_end']) {
    const value = given[name];
    if (value !== undefined && !(value > 0)) invalid(`inputs.${name}`, `${name} must be positive`, '> 0');
  }
}

function refuseMissing(missing: readonly string[]): never {
  refuse(
    'MISSING_INPUT',
    `solve lacks ${missing.join(', ')}. Accepted: ${acceptedCombinations.join('; or ')}.`,
    {
      field: 'inputs',
      missing,
      accepts: acceptedCombinations,
    },
  );
}

function invalid(field: string, what: string, accepts: unknown): never {
  refuse('INVALID_INPUT', `${field}: ${what}.`, { field, accepts });
}
