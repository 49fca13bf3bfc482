import { refuse } from '../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import {
  beginningOf,
  continuesOf,
  earlierState,
  FROM_ITS_START,
  jobToContinue,
  overStretches,
  refuseElsewhere,
  type Stretch,
} from './continuation.ts';
import { readDiagnostics } from './diagnostics.ts';
import { choice, optional, quantity, ratio, record } from './input.ts';
import { Layout, segmentSteps } from './layout.ts';
import { longSteps } from './long-steps.ts';
import { continues } from './outputs.ts';
import type { Assumption, Field, Presentation, Quote, Solver, Verdict } from './solver.ts';

interface LotkaInput {
  readonly alpha: number;
  readonly beta: number;
  readonly delta: number;
  readonly gamma: number;
  readonly x0?: number;
  readonly y0?: number;
  readonly t_max: number;
  readonly dt?: number;
  readonly quantity?: Quantity;
  readonly initialState?: {
    readonly x?: number;
    readonly y?: number;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Stretch;
}

const quantities = ['x', 'y', 'period'] as const;
type Quantity = (typeof quantities)[number];

/** Layouts and costs as assembly/kernels/lotka.ts and assembly/verdicts/lotka.ts have them. */
const INTERVALS = 256;
const ROWS = INTERVALS + 1;
const ROWS_BYTES = 16 * ROWS;
const BODY_BYTES = 72;
const STATE_BYTES = 16 + BODY_BYTES;
const RESULT_BYTES = 56;
const UNITS_PER_STEP = 110;
const UNITS_PER_PANEL = 1000;
const VERDICT_UNITS = 2_300_000;
const SCALARS = 10;
const MEMORY = 2 ** 18;

const MAX_STEPS = 2 ** 26;
/** Beyond it the populations fall under e^−600 of the equilibrium and leave the normal numbers. */
const MAX_DEPTH = 600;
/** Steps of the default in the fastest time that the orbit may hold. */
const STEPS_PER_RATE = 10;
/** Panels of the quadrature that hold its error below 1e-11 on a round orbit. */
const PANELS = 128;

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });
const population = (description: string) => optional(ratio(description, { exclusiveMinimum: 0 }));

const schema = record({
  alpha: positive('1/s', 'Growth of the prey.'),
  beta: positive('1/s', 'Predation.'),
  delta: positive('1/s', 'Gain of the predators.'),
  gamma: positive('1/s', 'Death of the predators.'),
  x0: population('Prey at the start; with y0.'),
  y0: population('Predators at the start; with x0.'),
  t_max: positive('s', 'Length of the run, counted from the start.'),
  dt: optional(positive('s', 'Largest step; absent: a tenth of the fastest time on the orbit.')),
  quantity: optional(choice(quantities, 'What the value is: x or y at the end, or the period; absent: x.')),
  initialState: optional(
    record(
      {
        x: population('Prey.'),
        y: population('Predators.'),
        t0: optional(quantity('s', 'Time of the start.')),
        continue: jobToContinue('t_max', FROM_ITS_START),
      },
      { description: 'The start, instead of x0 and y0.' },
    ),
  ),
});

// ---- what is asked -------------------------------------------------------------------------------------

interface Problem {
  readonly x0: number;
  readonly y0: number;
  readonly t0: number;
  readonly stepsPerRow: number;
  readonly panels: number;
}

const starts = ['x0 and y0', 'initialState {x, y} with optional t0'];

/** What the schema cannot say: one start, a bounded orbit, a bounded number of steps. */
function readProblem(input: LotkaInput): Problem {
  const { x0, y0, t0 } = startOf(input);
  const [depth, rate] = extent(input, x0, y0);
  if (!(depth <= MAX_DEPTH)) {
    refuse(
      'LIMIT_EXCEEDED',
      `The orbit falls to e^−${depth} of the equilibrium; e^−${MAX_DEPTH} is the limit.`,
      {
        field: input.initialState ? 'initialState' : 'x0',
        measured: depth,
        bound: MAX_DEPTH,
        accepts: 'a start nearer to the equilibrium (gamma/delta, alpha/beta)',
      },
    );
  }
  const panels = PANELS * Math.ceil(Math.max(1, Math.sqrt(2 * depth)));
  return { x0, y0, t0, stepsPerRow: stepsPerRow(input, rate), panels };
}

function startOf({ x0, y0, initialState }: LotkaInput): { x0: number; y0: number; t0: number } {
  refuseElsewhere('lotka', initialState, starts);
  if (initialState && (x0 !== undefined || y0 !== undefined)) {
    refuse('INVALID_INPUT', 'initialState: the start is given twice.', {
      field: 'initialState',
      accepts: starts,
    });
  }
  const [x, y] = initialState ? [initialState.x, initialState.y] : [x0, y0];
  if (x !== undefined && y !== undefined) return { x0: x, y0: y, t0: initialState?.t0 ?? 0 };
  const names = initialState ? ['initialState.x', 'initialState.y'] : ['x0', 'y0'];
  const missing = names.filter((_, i) => [x, y][i] === undefined);
  return refuse('MISSING_INPUT', `lotka lacks ${missing.join(' and ')}. Accepted: ${starts.join('; or ')}.`, {
    field: missing[0]!,
    missing,
    accepts: starts,
  });
}

/**
 * With E = V₀ − V_min: how many e-folds the orbit falls below the equilibrium, E/min(α, γ), and a bound of the
 * fastest rate on it. From γ(e^p − 1 − p) ≤ E and e^p/2 ≥ p + 0.3 follows γe^p ≤ 2E + 1.4γ; so for α, q.
 */
function extent({ alpha, beta, delta, gamma }: LotkaInput, x0: number, y0: number): [number, number] {
  const energy = gamma * above((delta * x0) / gamma) + alpha * above((beta * y0) / alpha);
  return [energy / Math.min(alpha, gamma), 2 * energy + 1.4 * Math.max(alpha, gamma)];
}

/** r − 1 − ln r or a little more, but for rounding: −ln r ≤ n (r^(−1/n) − 1), by roots, which all round alike. */
function above(r: number): number {
  let root = 1 / r;
  for (let i = 0; i < 16; i++) root = Math.sqrt(root);
  return Math.max(0, r - 1 + 2 ** 16 * (root - 1));
}

const lengthOf = (input: LotkaInput) => input.t_max - beginningOf(input);

function stepsPerRow(input: LotkaInput, rate: number): number {
  const { dt } = input;
  const length = lengthOf(input);
  const least = dt === undefined ? STEPS_PER_RATE * rate * length : length / dt;
  // A quotient within 1e-12 of a whole number is that number.
  const perRow = Math.max(1, Math.ceil((least / INTERVALS) * (1 - 1e-12)));
  if (perRow * INTERVALS <= MAX_STEPS) return perRow;
  return refuse('LIMIT_EXCEEDED', `lotka would need ${perRow * INTERVALS} steps.`, {
    field: dt === undefined ? 't_max' : 'dt',
    measured: perRow * INTERVALS,
    bound: MAX_STEPS,
    accepts: `at most ${MAX_STEPS} steps: a shorter t_max or a larger dt`,
  });
}

// ---- runs ----------------------------------------------------------------------------------------------

function headOf(input: LotkaInput, { x0, y0, stepsPerRow }: Problem): Layout {
  const { alpha, beta, delta, gamma, t_max } = input;
  return new Layout().f64(alpha, beta, delta, gamma, x0, y0, t_max, stepsPerRow);
}

function orbitRun(input: LotkaInput, problem: Problem): RunPlan {
  const steps = INTERVALS * problem.stepsPerRow;
  return {
    kernel: 'lotka',
    parts: [{ bytes: headOf(input, problem).bytes() }, ...earlierState(input, 0)],
    stepsPerSegment: segmentSteps(STATE_BYTES, UNITS_PER_STEP),
    steps,
    work: steps * UNITS_PER_STEP,
    memory: MEMORY,
    label: `PEFRL, ${steps} steps`,
  };
}

function verdictRun(input: LotkaInput, problem: Problem): RunPlan {
  const value = quantities.indexOf(input.quantity ?? 'x');
  const parts: Part[] = [
    { bytes: headOf(input, problem).f64(problem.t0, value, problem.panels, beginningOf(input)).bytes() },
    { run: 0, of: 'result', from: 0, length: RESULT_BYTES },
    { run: 0, of: 'rows', from: 0, length: ROWS_BYTES },
  ];
  const work = problem.panels * UNITS_PER_PANEL + VERDICT_UNITS;
  return {
    kernel: 'lotka.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work,
    memory: MEMORY,
    label: 'verdict',
  };
}

function plan(input: LotkaInput): Round {
  return { runs: [orbitRun(input, readProblem(input))] };
}

function next(input: LotkaInput, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length > 1) return undefined;
  return { runs: [verdictRun(input, readProblem(input))], verdict: true };
}

function quote(input: LotkaInput): Quote {
  const problem = readProblem(input);
  const work = orbitRun(input, problem).work + verdictRun(input, problem).work;
  return { work, exact: true, memory: MEMORY };
}

// ---- presentation --------------------------------------------------------------------------------------

function assumed(input: LotkaInput): Assumption[] {
  const { stepsPerRow } = readProblem(input);
  const choices: Assumption[] = [];
  if (input.dt === undefined) {
    const dt = lengthOf(input) / (INTERVALS * stepsPerRow);
    choices.push({
      name: 'dt',
      value: dt,
      unit: 's',
      because: 'numerical choice: ten steps in the fastest time',
    });
  }
  if (input.initialState?.t0 === undefined)
    choices.push({ name: 't0', value: 0, unit: 's', because: 'origin of time' });
  if (input.quantity === undefined)
    choices.push({ name: 'quantity', value: 'x', because: 'the value if none is named' });
  return choices;
}

/** Reads what the verdict wrote; the offsets are those at the head of assembly/verdicts/lotka.ts. */
function present(input: LotkaInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const [x, y, driftPct, returns, period, exactPeriod, meanX, meanY, steps, dt] = verdict.extras;
  const cyclic = returns! > 0;
  const outputs = {
    finalState: { x, y, t0: verdict.extras[SCALARS + INTERVALS] },
    conservative: true,
    driftPct,
    returns,
    period: cyclic ? period : null,
    exactPeriod,
    meanX: cyclic ? meanX : null,
    meanY: cyclic ? meanY : null,
    steps,
    dt,
    ...continuesOf(input.before),
  };
  return {
    outputs,
    fields: fieldsOf(verdict, finished.length - 1),
    plots: [
      { kind: 'line', title: 'prey and predators', x: 't', y: ['x', 'y'] },
      { kind: 'points', title: 'orbit', x: 'x', y: 'y' },
    ],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 3 * ROWS, {
      absentTerm: 'the equation of the prey has no such term',
      absentStep: 'a step of this equation is not linear',
    }),
  };
}

function fieldsOf({ gates }: Verdict, run: number): Field[] {
  const extrasAt = 24 + 48 * gates.length;
  return (['t', 'x', 'y'] as const).map((name, column) => ({
    name,
    unit: name === 't' ? 's' : '1',
    shape: [ROWS],
    source: { run, of: 'result', from: extrasAt + 8 * (SCALARS + ROWS * column), length: 8 * ROWS },
    sealed: true,
  }));
}

function refusalDetails(
  input: LotkaInput,
  status: number,
  [, period = 0]: readonly number[],
): Record<string, unknown> {
  if (status !== 20) {
    const { x0, y0 } = startOf(input);
    const [, rate] = extent(input, x0, y0);
    return longSteps(input.dt, 1 / (STEPS_PER_RATE * rate));
  }
  if (!(period > 0))
    return {
      field: input.initialState ? 'initialState' : 'x0',
      reason: 'the run rests at the equilibrium, which has no period',
      accepts: 'another start than x = gamma/delta, y = alpha/beta; or quantity x or y',
    };
  return {
    field: 't_max',
    reason: 'the run ends before its first return',
    accepts: `t_max of ${Number((1.02 * period).toPrecision(3))} s or more`,
    t_max: input.t_max,
  };
}

/**
 * Predators and prey by a symplectic scheme of order 4 in the logarithms of both, held against the exact orbit.
 * In: rates in 1/s, times in s, populations as pure numbers. Out: x or y at t_max, or the period in s.
 */
export const lotka: Solver<LotkaInput> = {
  id: 'lotka',
  title: 'Predators and prey',
  summary:
    'Integrates the Lotka–Volterra equations by a symplectic scheme of order 4 in ln x and ln y; final state, series and period are held against the exact orbit, which is a quadrature.',
  equation: String.raw`\dot x=\alpha x-\beta xy,\quad \dot y=\delta xy-\gamma y`,
  references: [
    'Volterra, Mem. Accad. Lincei Roma 2 (1926) 31 (the equations, their invariant, the means)',
    'Hairer, Lubich & Wanner, Geometric Numerical Integration, I.1.1 and VI.1 (logarithms, invariant)',
    'Omelyan, Mryglod & Folk, Comput. Phys. Commun. 146 (2002) 188, eq. 20 (PEFRL)',
  ],
  input: schema,
  gates: [
    {
      name: 'invariant',
      quantity: 'V − V_min, V = δx − γ ln x + βy − α ln y',
      source: 'its value at the start, watched at every step',
    },
    { name: 'prey', quantity: 'x(t_max)', source: 'exact orbit by quadrature' },
    { name: 'predators', quantity: 'y(t_max)', source: 'exact orbit by quadrature' },
    { name: 'series', quantity: 'x or y of the worst row', source: 'exact orbit by quadrature' },
    { name: 'period', quantity: 'mean time between returns', source: 'quadrature around the orbit' },
    { name: 'mean prey', quantity: 'mean of x over whole periods', source: 'γ/δ (Volterra 1926)' },
    { name: 'mean predators', quantity: 'mean of y over whole periods', source: 'α/β (Volterra 1926)' },
  ],
  field: true,
  outputs: {
    finalState: ['1', 'Prey and predators at the end, to go on from.'],
    'finalState.t0': ['s', 'The end.'],
    conservative: [null, 'Always true.'],
    driftPct: ['%', 'Largest change of the invariant.'],
    returns: ['1', 'Whole cycles within the run.'],
    period: ['s', 'Period found between returns; null without one.'],
    exactPeriod: ['s', 'Period by quadrature.'],
    meanX: ['1', 'Mean prey over whole cycles; null without one.'],
    meanY: ['1', 'Mean predators over whole cycles; null without one.'],
    steps: ['1', 'Steps.'],
    dt: ['s', 'Step.'],
    continues,
  },
  unit: ({ quantity }) => (quantity === 'period' ? 's' : '1'),
  assumed,
  quote,
  plan,
  next,
  present,
  refusalDetails,
  continuation: overStretches({
    kernels: ['lotka'],
    end: 't_max',
    start: ['x0', 'y0'],
    bodies: () => [BODY_BYTES],
  }),
  examples: [
    {
      title: 'state at t = 10',
      body: { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 1, y0: 1, t_max: 10, dt: 0.01 },
      expect: { value: 0.4891491825447, unit: '1', finalState: { x: 0.4891491825447, y: 0.4843950326585 } },
      tolerance: 1e-3,
      source: 'Taylor integration with 30 digits',
    },
    {
      title: 'period',
      body: { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 1, y0: 1, t_max: 20, quantity: 'period' },
      expect: { value: 8.0266368652898, unit: 's' },
      tolerance: 1e-3,
      source: 'Taylor integration with 30 digits',
    },
  ],
};
