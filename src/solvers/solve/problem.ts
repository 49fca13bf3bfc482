import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';

/** A number in the caller's own unit. */
export type Quantity = number | { readonly value: number; readonly unit: string };

type Name = 't_end' | 'm' | 'c' | 'k' | 'beta' | 'F' | 'Omega' | 'b' | 'x0' | 'v0';
type Coefficients = Partial<Readonly<Record<Name, number>>>;

/** What a request of `solve` may say; validated by the schema, in SI. */
export interface SolveInput {
  readonly operators?: readonly string[];
  readonly equation?: string;
  readonly inputs: Coefficients & { readonly y0?: Quantity };
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
  const given: Given = { ...input.inputs, y0: magnitude(input.inputs.y0) };
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

/** The unit of the value: metres, or whatever the start without positions was given in. */
export function unitOf(input: SolveInput): string | null {
  const y = input.inputs.y0 ?? input.initialState?.y;
  if (y === undefined) return 'm';
  return typeof y === 'number' ? null : y.unit;
}

function magnitude(quantity: Quantity | undefined): number | undefined {
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
  const field = input.operators ? 'operators' : input.equation === undefined ? undefined : 'equation';
  if (field) {
    refuse(
      'UNSUPPORTED',
      `solve integrates the master equation; no ${field} with a differential equation is known yet.`,
      {
        field,
        accepts: acceptedCombinations,
      },
    );
  }
  refuseElsewhere('solve', input.initialState, ['initialState {x, v, t0}', 'initialState {y, t0}']);
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
    invalid(`inputs.${unknown}`, `${unknown} is not a term of this equation`, accepted);
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
