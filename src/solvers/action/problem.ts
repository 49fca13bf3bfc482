import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';
import { fastestRate } from './rates.ts';
import { type ActionInput, type System, systems } from './schema.ts';

export interface Problem {
  readonly system: System;
  readonly m: number;
  /** Constants in the order of assembly/action/system.ts. */
  readonly constants: readonly [number, number];
  readonly q: readonly number[];
  readonly p: readonly number[];
  readonly t0: number;
  readonly dt: number;
  /** Steps since the start, before and behind this job; divisible by 4. */
  readonly first: number;
  readonly last: number;
  readonly stepsPerRow: number;
  readonly rows: number;
}

const MAX_STEPS = 2 ** 28;
/** Masses × steps. */
const MAX_WORK = 2 ** 34;
const ROWS = 256;

const needs: Record<System, readonly (keyof ActionInput)[]> = {
  harmonic: ['m', 'k'],
  pendulum: ['m', 'L', 'g'],
  quartic: ['m', 'lambda'],
  'double-well': ['m', 'a', 'b'],
  kepler2d: ['m', 'mu'],
  'henon-heiles': ['lambda'],
  fput: ['m', 'k', 'alpha', 'n'],
};

/** What the schema cannot say: the constants of the system, one start, a stable step, a bounded run. */
export function readProblem(input: ActionInput): Problem {
  const { system } = input;
  checkConstants(input);
  const m = input.m ?? 1;
  const constants = constantsOf(input);
  const start = startOf(input);
  checkQuantity(input);
  const { rate, field } = fastestRate(system, m, constants, start.q, start.p);
  const timing = timingOf(input, start.q.length);
  checkStep(input.dt, rate, field);
  return { system, m, constants, ...start, ...timing };
}

const invalid = (field: string, reason: string, accepts: unknown): never =>
  refuse('INVALID_INPUT', `${field}: ${reason}.`, { field, accepts });

function checkConstants(input: ActionInput): void {
  const { system } = input;
  const missing = needs[system].filter((name) => input[name] === undefined);
  if (missing.length > 0)
    refuse('MISSING_INPUT', `action lacks ${missing.join(' and ')}, which the system ${system} needs.`, {
      field: missing[0]!,
      missing,
      accepts: needs[system],
    });
  if (system === 'quartic' && !(input.lambda! > 0)) invalid('lambda', 'the potential has no floor', '> 0');
}

function constantsOf({ system, k, L, g, lambda, a, b, mu, alpha }: ActionInput): [number, number] {
  const pairs: Record<System, readonly [number?, number?]> = {
    harmonic: [k],
    pendulum: [g, L],
    quartic: [lambda],
    'double-well': [a, b],
    kepler2d: [mu],
    'henon-heiles': [lambda],
    fput: [k, alpha],
  };
  const [first = 0, second = 0] = pairs[system];
  return [first, second];
}

function checkQuantity({ system, quantity = 'action' }: ActionInput): void {
  if (quantity === 'action' || !['henon-heiles', 'fput'].includes(system)) return;
  refuse('UNSUPPORTED', `quantity: the motion of ${system} has no period.`, {
    field: 'quantity',
    accepts: ['action'],
  });
}

// ---- start ---------------------------------------------------------------------------------------------

const starts = ['q0 and p0', 'initialState {q, p} with optional t0'];

export const freedom = ({ system, n }: ActionInput): number =>
  system === 'fput' ? n! : ['kepler2d', 'henon-heiles'].includes(system) ? 2 : 1;

function startOf(input: ActionInput): Pick<Problem, 'q' | 'p' | 't0'> {
  const { q0, p0, initialState } = input;
  refuseElsewhere('action', initialState, starts);
  if (initialState && (q0 !== undefined || p0 !== undefined))
    invalid('initialState', 'the start is given twice', starts);
  const given = initialState
    ? { 'initialState.q': initialState.q, 'initialState.p': initialState.p }
    : { q0, p0 };
  const missing = Object.keys(given).filter((name) => given[name as never] === undefined);
  if (missing.length > 0)
    refuse('MISSING_INPUT', `action lacks ${missing.join(' and ')}. Accepted: ${starts.join('; or ')}.`, {
      field: missing[0]!,
      missing,
      accepts: starts,
    });
  const [q, p] = Object.entries(given).map(([name, value]) => listOf(name, value!, freedom(input)));
  return { q: q!, p: p!, t0: initialState?.t0 ?? 0 };
}

function listOf(field: string, value: number | readonly number[], count: number): readonly number[] {
  const list = typeof value === 'number' ? [value] : value;
  if (list.length !== count)
    invalid(
      field,
      `it has ${list.length} numbers, the system has ${count} degrees of freedom`,
      `${count} numbers`,
    );
  return list;
}

// ---- steps ---------------------------------------------------------------------------------------------

function timingOf(input: ActionInput, masses: number) {
  const { before } = input;
  const first = before?.steps ?? 0;
  const last = before
    ? 4 * Math.floor(input.t_max / (4 * before.dt) + 0.5)
    : 4 * Math.max(1, Math.ceil((input.t_max / (4 * input.dt)) * (1 - 1e-12)));
  if (!(last <= MAX_STEPS && last * masses <= MAX_WORK)) refuseSteps(input, last, masses);
  const dt = before?.dt ?? input.t_max / last;
  const stepsPerRow = Math.ceil((last - first) / ROWS);
  const multiples = Math.floor(last / stepsPerRow) - Math.floor(first / stepsPerRow);
  const rows = 1 + multiples + (last % stepsPerRow === 0 ? 0 : 1);
  return { first, last, dt, stepsPerRow, rows };
}

function refuseSteps({ t_max }: ActionInput, steps: number, masses: number): never {
  const bound = Math.min(MAX_STEPS, Math.floor(MAX_WORK / masses));
  return refuse('LIMIT_EXCEEDED', `action would need ${steps} steps.`, {
    field: 't_max',
    measured: steps,
    bound,
    t_max,
    accepts: `at most ${bound} steps: a shorter t_max or a larger dt`,
  });
}

/** The limit of the leapfrog, ωh < 2, for the fastest frequency that the motion may meet. */
function checkStep(dt: number, rate: number, field: string): void {
  if (!Number.isFinite(rate)) invalid(field, 'the motion runs into the centre', 'another start');
  if (rate * dt < 2) return;
  refuse('STABILITY_LIMIT', `dt: ω·dt is ${rate * dt}, and a step is stable below 2.`, {
    field: 'dt',
    measured: rate * dt,
    bound: 2,
    maxDt: 2 / rate,
    accepts: `< ${2 / rate} s`,
  });
}

export const systemCode = (system: System): number => systems.indexOf(system);
