import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import {
  beginningOf,
  continuesOf,
  earlierState,
  FROM_ITS_START,
  jobToContinue,
  overStretches,
} from './continuation.ts';
import { readDiagnostics } from './diagnostics.ts';
import { outputs } from './epi/outputs.ts';
import { type EpiInput, type Problem, quantities, readProblem, tailStepsOf } from './epi/problem.ts';
import { choice, optional, quantity, ratio, record, usedWith } from './input.ts';
import { Layout, segmentSteps } from './layout.ts';
import { longSteps, orShorter, shorterStep } from './long-steps.ts';
import type { Assumption, Field, Presentation, Quote, Solver, Verdict } from './solver.ts';

/** Layouts and costs as assembly/kernels/epi.ts and assembly/verdicts/epi.ts have them. */
const INTERVALS = 256;
const ROWS = INTERVALS + 1;
const ROWS_BYTES = 32 * ROWS;
const RESULT_BYTES = 56;
/** What a run keeps to go on from. */
const KEPT_BYTES = 56;
const STATE_BYTES = 16 + 2 * KEPT_BYTES;
const UNITS_PER_STEP = 40;
const VERDICT_UNITS = { sir: 3_000_000, seir: 2_400_000 };
const SCALARS = 13;
const RUNS = { sir: 2, seir: 4 };
const MEMORY = 2 ** 18;

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });
const people = (description: string) => optional(ratio(description, { minimum: 0 }));

const schema = record({
  model: choice(['sir', 'seir'], 'Without or with a latent period.'),
  N: ratio('Population.', { exclusiveMinimum: 0 }),
  S0: people('Susceptible at the start; with I0.'),
  ...usedWith({ model: ['seir'] }, { E0: people('Exposed at the start, not yet infectious.') }),
  I0: people('Infectious at the start; with S0. S0 + E0 + I0 is at most N.'),
  beta: positive('1/s', 'Transmission rate.'),
  gamma: positive('1/s', 'Recovery rate.'),
  ...usedWith({ model: ['seir'] }, { sigma: optional(positive('1/s', 'Rate of becoming infectious.')) }),
  t_max: positive('s', 'Length of the series, counted from the start.'),
  quantity: optional(
    choice(quantities, 'What the value is: all ever infected, the largest I, or its time; absent: attack.'),
  ),
  dt: optional(positive('s', 'Largest step; absent: a sixteenth of the fastest time.')),
  initialState: optional(
    record(
      {
        S: people('Susceptible.'),
        E: people('Exposed; with model seir.'),
        I: people('Infectious.'),
        t0: optional(quantity('s', 'Time of the start.')),
        continue: jobToContinue('t_max', FROM_ITS_START),
      },
      { description: 'The start, instead of S0, E0 and I0.' },
    ),
  ),
});

// ---- runs ----------------------------------------------------------------------------------------------

/** Level 0 is the finest; level k has steps of 2^k times its length. */
function headOf(input: EpiInput, problem: Problem, level: number): Layout {
  const { N, beta, gamma, t_max } = input;
  const { S0, E0, I0, sigma, stepsPerRow, tailStep, tailSteps } = problem;
  const factor = 2 ** level;
  return new Layout()
    .f64(input.model === 'seir' ? 1 : 0, N, S0, E0, I0, beta, gamma, sigma, t_max)
    .f64(stepsPerRow / factor, tailStep * factor, Math.ceil(tailSteps / factor));
}

function levelRun(input: EpiInput, problem: Problem, level: number): RunPlan {
  const steps = (INTERVALS * problem.stepsPerRow) / 2 ** level;
  return {
    kernel: 'epi',
    parts: [{ bytes: headOf(input, problem, level).bytes() }],
    stepsPerSegment: segmentSteps(STATE_BYTES, UNITS_PER_STEP),
    work: (steps + Math.ceil(problem.tailSteps / 2 ** level)) * UNITS_PER_STEP,
    memory: MEMORY,
    label: `RK4, ${steps} steps and the tail`,
  };
}

/** The finest steps once more, without infections: what is left has a closed form. */
function twinRun(input: EpiInput, problem: Problem): RunPlan {
  const half = input.N / 2;
  const quiet = { ...input, beta: 0 };
  const start = { S0: half, E0: half, I0: 0 };
  const tailSteps = tailStepsOf(quiet, problem.sigma, start, problem.tailStep);
  return { ...levelRun(quiet, { ...problem, ...start, tailSteps }, 0), label: 'twin without infections' };
}

const goingOn = (input: EpiInput, runs: readonly RunPlan[]): RunPlan[] =>
  runs.map((run, i) => ({ ...run, parts: [...run.parts, ...earlierState(input, i)] }));

function runsOf(input: EpiInput, problem: Problem): RunPlan[] {
  const levels = [0, 1].map((level) => levelRun(input, problem, level));
  if (input.model === 'sir') return goingOn(input, levels);
  return goingOn(input, [...levels, levelRun(input, problem, 2), twinRun(input, problem)]);
}

function verdictRun(input: EpiInput, problem: Problem): RunPlan {
  const runs = runsOf(input, problem);
  const value = quantities.indexOf(input.quantity ?? 'attack');
  const head = headOf(input, problem, 0).f64(problem.t0, value, runs.length, beginningOf(input));
  const parts: Part[] = [
    { bytes: head.bytes() },
    ...runs.flatMap((_, run): Part[] => [
      { run, of: 'result', from: 0, length: RESULT_BYTES },
      { run, of: 'rows', from: 0, length: ROWS_BYTES },
    ]),
  ];
  return {
    kernel: 'epi.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: VERDICT_UNITS[input.model],
    memory: MEMORY,
    label: 'verdict',
  };
}

function plan(input: EpiInput): Round {
  return { runs: runsOf(input, readProblem(input)) };
}

function next(input: EpiInput, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length > RUNS[input.model]) return undefined;
  return { runs: [verdictRun(input, readProblem(input))], verdict: true };
}

/** A ceiling: how long the epidemic lasts is only bounded before it has run. */
function quote(input: EpiInput): Quote {
  const problem = readProblem(input);
  const work = runsOf(input, problem).reduce((sum, run) => sum + run.work, verdictRun(input, problem).work);
  return { work, exact: false, memory: MEMORY };
}

// ---- presentation --------------------------------------------------------------------------------------

function assumed(input: EpiInput): Assumption[] {
  const { stepsPerRow } = readProblem(input);
  const choices: Assumption[] = [];
  if (input.dt === undefined) {
    const dt = (input.t_max - beginningOf(input)) / (INTERVALS * stepsPerRow);
    choices.push({
      name: 'dt',
      value: dt,
      unit: 's',
      because: 'numerical choice: 16 steps per fastest time',
    });
  }
  if (input.initialState?.t0 === undefined)
    choices.push({ name: 't0', value: 0, unit: 's', because: 'origin of time' });
  if (input.quantity === undefined)
    choices.push({ name: 'quantity', value: 'attack', because: 'the value if none is named' });
  choices.push({ name: 'births and deaths', value: 0, unit: '1/s', because: 'not in the equation' });
  return choices;
}

/** Reads what the verdict wrote; the offsets are those at the head of assembly/verdicts/epi.ts. */
function present(input: EpiInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const [attack, susceptibleLeft, peak, peakTime, R0, herdImmunity, S, E, I, recovered, steps, dt, end] =
    verdict.extras;
  const t0 = verdict.extras[SCALARS + INTERVALS];
  const seir = input.model === 'seir';
  const outputs = {
    attack,
    susceptibleLeft,
    peak,
    peakTime,
    R0,
    herdImmunity,
    finalState: seir ? { S, E, I, t0 } : { S, I, t0 },
    recovered,
    end,
    steps,
    dt,
    ...continuesOf(input.before),
  };
  return {
    outputs,
    fields: fieldsOf(input, verdict, finished.length - 1),
    plots: [
      { kind: 'line', title: 'epidemic', x: 't', y: seir ? ['S', 'E', 'I'] : ['S', 'I'] },
      { kind: 'points', title: 'infectious against susceptible', x: 'S', y: 'I' },
    ],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 5 * ROWS, {
      absentTerm: 'the equation of the infectious has no such term',
      absentStep: 'a step of this equation is not linear',
    }),
  };
}

function fieldsOf({ model }: EpiInput, { gates }: Verdict, run: number): Field[] {
  const extrasAt = 24 + 48 * gates.length;
  const field = (name: string, column: number): Field => ({
    name,
    unit: name === 't' ? 's' : '1',
    shape: [ROWS],
    source: { run, of: 'result', from: extrasAt + 8 * (SCALARS + ROWS * column), length: 8 * ROWS },
    sealed: true,
  });
  const columns = ['t', 'S', 'E', 'I', 'recovered'].map(field);
  return model === 'seir' ? columns : columns.filter(({ name }) => name !== 'E');
}

function refusalDetails(
  input: EpiInput,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  const { tailSteps, tailStep, defaultStep } = readProblem(input);
  if (tailStep > defaultStep) return longSteps(tailStep, defaultStep);
  const [, , error, bound] = observed;
  if (status === 18) return { field: 'dt', accepts: orShorter(shorterStep(tailStep, error! / bound!, 4)) };
  if (status !== 17) return {};
  return {
    reason: 'the epidemic is not over',
    infected: observed[0],
    end: input.t_max + tailSteps * tailStep,
  };
}

/**
 * An epidemic with recovery for life, by Runge–Kutta 4 in ln S, to its end. In: rates in 1/s, times in s, people as
 * pure numbers. Out: all ever infected, the largest number of infectious, or its time in s.
 */
export const epi: Solver<EpiInput> = {
  id: 'epi',
  title: 'Epidemic',
  summary:
    'Integrates the SIR or SEIR equations by Runge–Kutta 4 in ln S until nobody is infected; the final size is held ' +
    'against Lambert’s W, peak and S of SIR against their quadrature, all of the series and SEIR’s peak against other steps.',
  equation: String.raw`\dot S=-\frac{\beta SI}{N},\quad \dot E=\frac{\beta SI}{N}-\sigma E,\quad \dot I=\sigma E-\gamma I`,
  references: [
    'Kermack & McKendrick, Proc. R. Soc. A 115 (1927) 700 (equations, invariant, final size)',
    'Murray, Mathematical Biology I, 10.2 (peak; boarding school of 1978)',
    'Corless, Gonnet, Hare, Jeffrey & Knuth, Adv. Comput. Math. 5 (1996) 329 (W)',
    'Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, table II.1.2 (RK4)',
  ],
  input: schema,
  gates: [
    { name: 'final size', quantity: 'S₀ + E₀ + I₀ − S∞', source: 'Lambert’s W₀, by Newton’s method' },
    { name: 'susceptible left', quantity: 'S∞', source: 'Lambert’s W₀, by Newton’s method' },
    { name: 'peak', quantity: 'largest I', source: 'sir: invariant at S = γN/β; seir: steps h, 2h, 4h' },
    {
      name: 'peak time',
      quantity: 'time of the largest I',
      source: 'sir: quadrature; seir: steps h, 2h, 4h',
    },
    { name: 'series', quantity: 'S of the worst row', source: 'sir: quadrature of dt = −dS/(βSI/N)' },
    { name: 'invariant', quantity: 'E + I of the worst row', source: 'E + I + S − (γN/β) ln S at the start' },
    { name: 'population', quantity: 'E + I + recovered of the worst row', source: 'S₀ + E₀ + I₀ − S' },
    {
      name: 'two steps, series',
      quantity: 'ln S, E, I or recovered of the worst row; fewer than 10⁻¹² N beside that many',
      source: 'steps h and 2h (Richardson)',
    },
    { name: 'without infections', quantity: 'E or I of the worst row', source: 'sums of two exponentials' },
  ],
  field: true,
  outputs,
  unit: (input) => (input.quantity === 'peakTime' ? 's' : '1'),
  assumed,
  quote,
  plan,
  next,
  present,
  refusalDetails,
  continuation: overStretches({
    kernels: ['epi'],
    end: 't_max',
    start: ['S0', 'E0', 'I0'],
    bodies: ({ model }) => new Array(RUNS[model]).fill(KEPT_BYTES),
  }),
  examples: [
    {
      title: 'boarding school 1978, total infected',
      body: {
        model: 'sir',
        N: 763,
        S0: 762,
        I0: 1,
        beta: { value: 1.66, unit: '1/d' },
        gamma: { value: 0.44, unit: '1/d' },
        t_max: { value: 60, unit: 'd' },
      },
      expect: { value: 743.731018538167, unit: '1' },
      tolerance: 1e-6,
      source: 'final size by Lambert’s W, 25 digits; data of Murray, 10.2',
    },
    {
      title: 'the same, peak',
      body: {
        model: 'sir',
        N: 763,
        S0: 762,
        I0: 1,
        beta: { value: 1.66, unit: '1/d' },
        gamma: { value: 0.44, unit: '1/d' },
        t_max: { value: 60, unit: 'd' },
        quantity: 'peak',
      },
      expect: { value: 292.4890916745, unit: '1' },
      tolerance: 1e-6,
      source: 'I₀ + S₀ − (γN/β)(1 + ln(βS₀/γN))',
    },
    {
      title: 'SEIR, R₀ = 2',
      body: {
        model: 'seir',
        N: 1000,
        S0: 990,
        E0: 0,
        I0: 10,
        beta: { value: 0.5, unit: '1/d' },
        gamma: { value: 0.25, unit: '1/d' },
        sigma: { value: 0.2, unit: '1/d' },
        t_max: { value: 200, unit: 'd' },
      },
      expect: { value: 800.203967676799, unit: '1' },
      tolerance: 1e-6,
      source: 'final size by Lambert’s W, 25 digits',
    },
  ],
};
