import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { beginningOf, earlierState } from '../continuation.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { type ClimateInput, invalid, missing, oneOf, quantityOf } from './problem.ts';

// The models without latitude. Layouts and costs as assembly/kernels/climate.ts and assembly/verdicts/climate.ts.

const INTERVALS = 256;
export const ROWS = INTERVALS + 1;
const UNITS_PER_STEP = 30;
const ONCE = 4000;
const UNITS_PER_LAYER = 20;
const VERDICT_UNITS = { series: 2_500_000, profile: 2_000_000, scalar: 10_000 };
const MAX_STEPS = 2 ** 26;
/** On the negative real axis Runge–Kutta 4 is stable to 2.785 (Hairer & Wanner, Solving ODEs II, IV.2). */
const STABLE = 2.785;
/** Steps of the default in the fastest time. */
const STEPS_PER_RATE = 16;
const SIGMA = 5.670374419e-8;
const MEMORY = 2 ** 18;
/** What a run in time keeps to go on from. */
export const KEPT_BYTES = 16;

/** Codes of the kernel. */
const codes = {
  'zero-d': 0,
  'two-layer': 1,
  'zero-d steady': 2,
  'two-layer steady': 3,
  layers: 4,
  depth: 5,
  forcing: 6,
};
type Code = keyof typeof codes;

export interface Balance {
  readonly code: Code;
  /** a₀ … a₆ of the kernel. */
  readonly constants: readonly number[];
  readonly t0: number;
  readonly stepsPerRow: number;
  /** What dt is where none is sent [s]; 0: there are no steps. */
  readonly usualStep: number;
  /** Levels of a profile; 0: none. */
  readonly levels: number;
}

export const hasSeries = ({ code }: Balance) => codes[code] < 2;

export function readBalance(input: ClimateInput): Balance {
  const still = { t0: 0, stepsPerRow: 0, usualStep: 0, levels: 0 };
  switch (input.model) {
    case 'zero-d':
      return oneOf(input, ['t_end', 'steady']) === 'steady' ? steadyOne(input) : warming(input);
    case 'two-layer':
      return oneOf(input, ['t_end', 'steady']) === 'steady' ? steadyTwo(input) : twoLayers(input);
    case 'grey':
      return grey(input);
    default: {
      const { co2, co2Ref, lambda } = input;
      if (lambda === undefined && quantityOf(input) === 'temperature')
        missing(input, 'lambda', 'lambda [W/(m^2 K)], or quantity forcing');
      return { ...still, code: 'forcing', constants: [co2!, co2Ref!, lambda ?? 0] };
    }
  }
}

function steadyOne(input: ClimateInput): Balance {
  refuseInSteady(input, ['C', 'T0', 'dt', 'initialState']);
  if (input.emissivity === 0)
    invalid('emissivity', 'Without emission there is no steady temperature.', 'above 0, at most 1');
  const { S0, albedo, emissivity } = input;
  return {
    code: 'zero-d steady',
    constants: [S0!, albedo!, emissivity!],
    t0: 0,
    stepsPerRow: 0,
    usualStep: 0,
    levels: 0,
  };
}

function steadyTwo(input: ClimateInput): Balance {
  refuseInSteady(input, ['dt', 'initialState']);
  const { F, lambda, gamma, C, Cd } = input;
  return {
    code: 'two-layer steady',
    constants: [F!, lambda!, gamma!, C!, Cd!],
    t0: 0,
    stepsPerRow: 0,
    usualStep: 0,
    levels: 0,
  };
}

function refuseInSteady(input: ClimateInput, fields: readonly (keyof ClimateInput)[]): void {
  const given = fields.find((name) => input[name] !== undefined);
  if (given) invalid(given, `The steady state does not depend on ${given}.`, 'steady alone, or t_end');
}

function grey(input: ClimateInput): Balance {
  const { S0, albedo, n, tau } = input;
  const layers = oneOf(input, ['n', 'tau']) === 'n';
  return {
    code: layers ? 'layers' : 'depth',
    constants: [S0!, albedo!, layers ? n! : tau!],
    t0: 0,
    stepsPerRow: 0,
    usualStep: 0,
    levels: layers ? n! + 1 : ROWS,
  };
}

// ---- in time -------------------------------------------------------------------------------------------

function warming(input: ClimateInput): Balance {
  if (input.C === undefined) missing(input, 'C', 'C [J/(m^2 K)], or steady');
  const { S0, albedo, emissivity, C, initialState } = input;
  oneOf(input, ['T0', 'initialState']);
  const T = initialState ? temperatureOf(input, initialState.T) : input.T0!;
  if (!(T > 0)) invalid('initialState.T', `A temperature of ${T} K is none.`, 'above 0 K');
  if (initialState?.Td !== undefined)
    invalid('initialState.Td', 'zero-d has one temperature.', 'initialState {T, t0}');
  const emission = emissivity! * SIGMA;
  const rest = emission > 0 ? Math.sqrt(Math.sqrt((S0! * (1 - albedo!)) / (4 * emission))) : 0;
  const hottest = Math.max(T, rest);
  return {
    code: 'zero-d',
    constants: [S0!, albedo!, emissivity!, C, T],
    t0: initialState?.t0 ?? 0,
    ...stepsOf(input, (4 * emission * hottest * hottest * hottest) / C),
    levels: 0,
  };
}

function twoLayers(input: ClimateInput): Balance {
  const { F, lambda, gamma, C, Cd, initialState } = input;
  const [T, D] = initialState
    ? [
        temperatureOf(input, initialState.T),
        initialState.Td ?? missing(input, 'initialState.Td', 'T and Td [K]'),
      ]
    : [0, 0];
  const [a, b, d] = [(lambda! + gamma!) / C!, gamma! / C!, gamma! / Cd!];
  const fastest = 0.5 * (a + d + Math.sqrt((a - d) * (a - d) + 4 * b * d));
  return {
    code: 'two-layer',
    constants: [F!, lambda!, gamma!, C!, Cd!, T, D],
    t0: initialState?.t0 ?? 0,
    ...stepsOf(input, fastest),
    levels: 0,
  };
}

function temperatureOf(input: ClimateInput, T: number | readonly number[] | undefined): number {
  if (T === undefined) missing(input, 'initialState.T', 'T [K]');
  if (typeof T !== 'number') invalid('initialState.T', `Model ${input.model} has one T.`, 'a number');
  return T;
}

function stepsOf(input: ClimateInput, rate: number): Pick<Balance, 'stepsPerRow' | 'usualStep'> {
  const { dt } = input;
  const length = input.t_end! - beginningOf(input);
  if (dt !== undefined && !(dt * rate <= STABLE))
    refuse('STABILITY_LIMIT', `dt: a step of ${dt} s is unstable.`, {
      field: 'dt',
      measured: dt * rate,
      bound: STABLE,
      maxDt: STABLE / rate,
      accepts: `at most ${STABLE / rate} s`,
    });
  const least = dt === undefined ? STEPS_PER_RATE * rate * length : length / dt;
  const perRow = Math.max(1, Math.ceil((least / INTERVALS) * (1 - 1e-12)));
  const usualStep = 1 / (STEPS_PER_RATE * rate);
  if (perRow * INTERVALS <= MAX_STEPS) return { stepsPerRow: perRow, usualStep };
  return refuse('LIMIT_EXCEEDED', `climate would need ${perRow * INTERVALS} steps.`, {
    field: dt === undefined ? 't_end' : 'dt',
    measured: perRow * INTERVALS,
    bound: MAX_STEPS,
    accepts: `at most ${MAX_STEPS} steps: a shorter t_end, a larger dt, or steady`,
  });
}

// ---- runs ----------------------------------------------------------------------------------------------

function head(input: ClimateInput, { code, constants, stepsPerRow }: Balance): Layout {
  const seven = [...constants, 0, 0, 0, 0, 0, 0].slice(0, 7);
  return new Layout().f64(codes[code], ...seven, input.t_end ?? 0, stepsPerRow);
}

function balanceRun(input: ClimateInput, balance: Balance): RunPlan {
  const steps = hasSeries(balance) ? INTERVALS * balance.stepsPerRow : 1;
  return {
    kernel: 'climate',
    parts: [{ bytes: head(input, balance).bytes() }, ...earlierState(input, 0)],
    stepsPerSegment: segmentSteps(32, UNITS_PER_STEP),
    steps,
    work: hasSeries(balance) ? steps * UNITS_PER_STEP : ONCE + balance.levels * UNITS_PER_LAYER,
    memory: MEMORY,
    label: hasSeries(balance) ? `RK4, ${steps} steps` : 'balance',
  };
}

function verdictRun(input: ClimateInput, balance: Balance): RunPlan {
  const value = quantityOf(input) === 'forcing' ? 1 : 0;
  const series = hasSeries(balance);
  const parts: Part[] = [
    { bytes: head(input, balance).f64(balance.t0, value, balance.levels, beginningOf(input)).bytes() },
    { run: 0, of: 'result', from: 0, length: 24 + 8 * balance.levels },
    ...(series ? [{ run: 0, of: 'rows', from: 0, length: 16 * ROWS } as const] : []),
  ];
  return {
    kernel: 'climate.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: VERDICT_UNITS[series ? 'series' : balance.levels > 0 ? 'profile' : 'scalar'],
    memory: MEMORY + 160 * balance.levels,
    label: 'verdict',
  };
}

export const firstRound = (input: ClimateInput): Round => ({ runs: [balanceRun(input, readBalance(input))] });

export function nextRound(input: ClimateInput, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length > 1) return undefined;
  return { runs: [verdictRun(input, readBalance(input))], verdict: true };
}

export function quoteBalance(input: ClimateInput): Quote {
  const balance = readBalance(input);
  const runs = [balanceRun(input, balance), verdictRun(input, balance)];
  const memory = Math.max(...runs.map((run) => run.memory));
  return { work: runs[0]!.work + runs[1]!.work, exact: true, memory };
}
