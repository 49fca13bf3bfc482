import { refuse } from '../../errors/refusal.ts';
import { beginningOf, refuseElsewhere, refuseWithoutTime, type Stretch } from '../continuation.ts';

/** What a request of `lorenz` may say; validated by the schema. */
export interface LorenzInput {
  readonly mode: 'trajectory' | 'exponents' | 'fixed-point';
  readonly sigma: number;
  readonly rho: number;
  readonly beta: number;
  readonly x0?: number;
  readonly y0?: number;
  readonly z0?: number;
  readonly t_max?: number;
  readonly seed?: number | string;
  readonly initialState?: {
    readonly x?: number;
    readonly y?: number;
    readonly z?: number;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Stretch;
}

/** @throws Refusal for a missing end */
export function checkEnd(input: LorenzInput): void {
  const { mode } = input;
  if (mode !== 'fixed-point' && input.t_max === undefined)
    refuse(
      'MISSING_INPUT',
      `lorenz lacks t_max, the ${mode === 'exponents' ? 'time of all chains' : 'end'}.`,
      {
        field: 't_max',
        missing: ['t_max'],
        accepts: 'a number above 0',
      },
    );
}

/** @throws Refusal for a job without a motion */
export function checkGoesOn({ mode }: LorenzInput): void {
  if (mode !== 'trajectory') refuseWithoutTime(`mode ${mode}`, 'a job of mode trajectory');
}

// ---- trajectory ----------------------------------------------------------------------------------------

export interface Trajectory {
  readonly start: readonly [number, number, number];
  readonly t0: number;
  readonly t_max: number;
  readonly mostSteps: number;
}

export const MAX_STEPS = 2 ** 22;
const starts = ['x0, y0 and z0', 'initialState {x, y, z} with optional t0'];

/** @throws Refusal for a start that is missing or given twice, or too long a run */
export function readTrajectory(input: LorenzInput): Trajectory {
  checkEnd(input);
  const { sigma, rho, beta, initialState } = input;
  const start = startOf(input);
  const reach = start.reduce((most, each) => Math.max(most, Math.abs(each)), 1);
  const mostSteps = Math.ceil((input.t_max! - beginningOf(input)) * (sigma + rho + beta + reach)) + 64;
  if (!(mostSteps <= MAX_STEPS))
    refuse('LIMIT_EXCEEDED', `lorenz would need up to ${mostSteps} steps.`, {
      field: 't_max',
      measured: mostSteps,
      bound: MAX_STEPS,
      accepts: `at most ${MAX_STEPS} for t_max·(sigma + rho + beta + largest of the start)`,
    });
  return { start, t0: initialState?.t0 ?? 0, t_max: input.t_max!, mostSteps };
}

function startOf({ x0, y0, z0, initialState }: LorenzInput): [number, number, number] {
  refuseElsewhere('lorenz', initialState, starts);
  if (initialState && [x0, y0, z0].some((each) => each !== undefined))
    refuse('INVALID_INPUT', 'initialState: the start is given twice.', {
      field: 'initialState',
      accepts: starts,
    });
  const given = initialState
    ? { 'initialState.x': initialState.x, 'initialState.y': initialState.y, 'initialState.z': initialState.z }
    : { x0, y0, z0 };
  const missing = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length)
    refuse('MISSING_INPUT', `lorenz lacks ${missing.join(', ')}. Accepted: ${starts.join('; or ')}.`, {
      field: missing[0]!,
      missing,
      accepts: starts,
    });
  return Object.values(given) as [number, number, number];
}

// ---- exponents -----------------------------------------------------------------------------------------

export interface Sampling {
  readonly h: number;
  /** Steps between two orthonormalisations; intervals before the first block, and in each of 16 blocks. */
  readonly stepsEach: number;
  readonly before: number;
  readonly blockLength: number;
}

export const CHAINS = 64;
const BLOCKS = 16;
const STEPS_EACH = 10;
const BEFORE = 320;
/** h times the fastest rate: 0.01 for σ 10, ρ 28, β 8/3. */
const STEP = 0.41 / 3;
export const MAX_CHAIN_STEPS = 4e9;

/** @throws Refusal for more steps than there may be */
export function readSampling(input: LorenzInput): Sampling {
  checkEnd(input);
  const h = stepOf(input);
  const blockLength = Math.max(
    1,
    Math.ceil((input.t_max! / (CHAINS * BLOCKS * STEPS_EACH * h)) * (1 - 1e-12)),
  );
  const steps = CHAINS * STEPS_EACH * (BEFORE + BLOCKS * blockLength);
  if (!(steps <= MAX_CHAIN_STEPS))
    refuse('LIMIT_EXCEEDED', `lorenz would need ${steps} steps of all chains.`, {
      field: 't_max',
      measured: steps,
      bound: MAX_CHAIN_STEPS,
      accepts: `at most ${MAX_CHAIN_STEPS} steps of ${h}`,
    });
  return { h, stepsEach: STEPS_EACH, before: BEFORE, blockLength };
}

const stepOf = ({ sigma, rho, beta }: LorenzInput): number =>
  STEP / Math.max(sigma + beta + 1, Math.sqrt(beta * (sigma + rho)));

/** The longest time of all chains, in two digits. */
export function longestTime(input: LorenzInput): number {
  const most = (MAX_CHAIN_STEPS - CHAINS * STEPS_EACH * (BEFORE + BLOCKS)) * stepOf(input);
  return Number((0.95 * most).toPrecision(2));
}

/** The ρ above which C± are unstable, where there is one (Lorenz 1963, eq. 34). */
export const unstableAbove = ({ sigma, beta }: LorenzInput): number | undefined =>
  sigma > beta + 1 ? (sigma * (sigma + beta + 3)) / (sigma - beta - 1) : undefined;

/**
 * Time of all chains in which they come to rest at C±, where those are stable: 20 times that of the slowest mode there
 * (Lorenz 1963, eq. 33), a distance of e⁻²⁰. For advice alone.
 */
export function timeToRest(input: LorenzInput): number {
  const { sigma, rho, beta } = input;
  const stable = rho > 1 && rho < (unstableAbove(input) ?? Number.POSITIVE_INFINITY);
  if (!stable) return 0;
  const sum = sigma + beta + 1;
  const pairs = beta * (sigma + rho);
  const root = negativeRoot(sum, pairs, 2 * sigma * beta * (rho - 1));
  const half = -0.5 * (sum + root);
  const inside = half * half - pairs - root * (sum + root);
  const slowest = Math.min(-root, -half - Math.sqrt(Math.max(0, inside)));
  return (20 * CHAINS) / slowest;
}

/** Of λ³ + aλ² + bλ + c with all of a, b and c above 0, by halving. */
function negativeRoot(a: number, b: number, c: number): number {
  let low = -a;
  let high = 0;
  for (let i = 0; i < 200; i++) {
    const middle = 0.5 * (low + high);
    if (((middle + a) * middle + b) * middle + c < 0) low = middle;
    else high = middle;
  }
  return low;
}
