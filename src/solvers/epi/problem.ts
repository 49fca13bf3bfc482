import { refuse } from '../../errors/refusal.ts';
import { beginningOf, refuseElsewhere, type Stretch } from '../continuation.ts';

/** What a request of `epi` may say; validated by the schema, in SI. */
export interface EpiInput {
  readonly model: 'sir' | 'seir';
  readonly N: number;
  readonly S0?: number;
  readonly E0?: number;
  readonly I0?: number;
  readonly beta: number;
  readonly gamma: number;
  readonly sigma?: number;
  readonly t_max: number;
  readonly quantity?: (typeof quantities)[number];
  readonly dt?: number;
  readonly initialState?: {
    readonly S?: number;
    readonly E?: number;
    readonly I?: number;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Stretch;
}

export const quantities = ['attack', 'peak', 'peakTime'] as const;

export interface Problem {
  readonly S0: number;
  readonly E0: number;
  readonly I0: number;
  readonly sigma: number;
  readonly t0: number;
  /** Of the finest level; divisible by 4. */
  readonly stepsPerRow: number;
  /** Of the finest level: step [s] behind t_max, and how many of them the epidemic cannot outlast. */
  readonly tailStep: number;
  readonly tailSteps: number;
  /** What dt is where none is sent [s]. */
  readonly defaultStep: number;
}

const INTERVALS = 256;
export const MAX_STEPS = 2 ** 26;
/** Steps of the default in the fastest time. */
const STEPS_PER_RATE = 16;
/** S₀ + E₀ + I₀ may be above N by this much of rounding. */
const ROUNDING = 1e-12;

/** What the schema cannot say: one start, within the population, a bounded number of steps. */
export function readProblem(input: EpiInput): Problem {
  const { N, beta, gamma } = input;
  const sigma = sigmaOf(input);
  const start = startOf(input);
  const { S0, E0, I0 } = start;
  if (!(S0 + E0 + I0 <= N * (1 + ROUNDING)))
    refuse('INVALID_INPUT', `N: ${S0 + E0 + I0} people at the start are more than the population of ${N}.`, {
      field: 'N',
      accepts: `at least ${S0 + E0 + I0}`,
    });
  const defaultStep = 1 / (STEPS_PER_RATE * Math.max(beta, gamma, sigma));
  const tailStep = input.dt ?? defaultStep;
  const length = input.t_max - beginningOf(input);
  const perRow = 4 * Math.max(1, Math.ceil((length / (tailStep * 4 * INTERVALS)) * (1 - 1e-12)));
  const tailSteps = tailStepsOf(input, sigma, start, tailStep);
  if (!(perRow * INTERVALS + tailSteps <= MAX_STEPS)) refuseSteps(input, perRow * INTERVALS, tailSteps);
  return { ...start, sigma, stepsPerRow: perRow, tailStep, tailSteps, defaultStep };
}

/** Tail steps that the epidemic cannot outlast. */
export function tailStepsOf(
  { N, beta, gamma }: Pick<EpiInput, 'N' | 'beta' | 'gamma'>,
  sigma: number,
  { S0, E0, I0 }: Pick<Problem, 'S0' | 'E0' | 'I0'>,
  tailStep: number,
): number {
  return Math.ceil(longest(beta, gamma, sigma, S0 / N, (E0 + I0) / N) / tailStep) + 4;
}

function refuseSteps({ dt }: EpiInput, steps: number, tailSteps: number): never {
  const field = tailSteps > MAX_STEPS / 2 && dt === undefined ? 'beta' : dt === undefined ? 't_max' : 'dt';
  return refuse(
    'LIMIT_EXCEEDED',
    `epi would need ${steps} steps to t_max and up to ${tailSteps} to its end.`,
    {
      field,
      measured: steps + tailSteps,
      bound: MAX_STEPS,
      accepts: `at most ${MAX_STEPS} steps: a shorter t_max, a larger dt, or rates further from the threshold`,
    },
  );
}

/**
 * How long the epidemic lasts at most [s]. Growth and decay are no slower than min(κ, γ), where
 * κ² = (βs − γ)² + 2βγsi is the rate of Kermack and McKendrick's sech² (their eq. 31), and in SEIR by σ/(σ+γ) slower;
 * logarithms of what is infected at the start and left at the end are bounded by roots, which all round alike.
 */
function longest(beta: number, gamma: number, sigma: number, s: number, i: number): number {
  if (i === 0) return 0;
  const growth = beta * s - gamma;
  const kappa = Math.sqrt(growth * growth + 2 * beta * gamma * s * i);
  const slowing = sigma === 0 ? 1 : sigma / (sigma + gamma);
  return (2 * (60 + 2 * minusLog(i))) / (slowing * Math.min(kappa, gamma));
}

/** −ln r or a little more, 0 < r ≤ 1: −ln r ≤ n (r^(−1/n) − 1). */
function minusLog(r: number): number {
  let root = 1 / Math.min(1, r);
  for (let k = 0; k < 16; k++) root = Math.sqrt(root);
  return 2 ** 16 * (root - 1);
}

// ---- start ---------------------------------------------------------------------------------------------

/** 0 without a latent period. */
function sigmaOf({ model, sigma, initialState }: EpiInput): number {
  if (model === 'seir') {
    if (sigma !== undefined) return sigma;
    return refuse('MISSING_INPUT', 'epi lacks sigma, the rate of becoming infectious.', {
      field: 'sigma',
      missing: ['sigma'],
      accepts: 'a number above 0 in 1/s, or model sir',
    });
  }
  if (initialState?.E !== undefined)
    refuse('INVALID_INPUT', 'initialState.E: the model sir has no latent period.', {
      field: 'initialState.E',
      accepts: ['model seir', 'none'],
    });
  return 0;
}

function startOf(input: EpiInput): Pick<Problem, 'S0' | 'E0' | 'I0' | 't0'> {
  const { model, initialState, S0, E0, I0 } = input;
  const seir = model === 'seir';
  const starts = seir
    ? ['S0, E0 and I0', 'initialState {S, E, I} with optional t0']
    : ['S0 and I0', 'initialState {S, I} with optional t0'];
  refuseElsewhere('epi', initialState, starts);
  if (initialState && [S0, E0, I0].some((value) => value !== undefined))
    refuse('INVALID_INPUT', 'initialState: the start is given twice.', {
      field: 'initialState',
      accepts: starts,
    });
  const given = initialState
    ? {
        'initialState.S': initialState.S,
        ...(seir && { 'initialState.E': initialState.E }),
        'initialState.I': initialState.I,
      }
    : { S0, ...(seir && { E0 }), I0 };
  const missing = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length)
    refuse('MISSING_INPUT', `epi lacks ${missing.join(' and ')}. Accepted: ${starts.join('; or ')}.`, {
      field: missing[0]!,
      missing,
      accepts: starts,
    });
  const state = initialState ?? { S: S0, E: E0, I: I0 };
  return { S0: state.S!, E0: state.E ?? 0, I0: state.I!, t0: initialState?.t0 ?? 0 };
}
