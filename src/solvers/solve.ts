import { Type } from 'typebox';
import { isTaken } from '../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import { unitOver } from '../units/format.ts';
import { continuesOf, jobToContinue, WHOLE_STEPS } from './continuation.ts';
import { readDiagnostics } from './diagnostics.ts';
import { anyQuantity, flag, integer, list, optional, quantity, record } from './input.ts';
import { Layout, segmentSteps } from './layout.ts';
import { orShorter, shorterStep } from './long-steps.ts';
import { continuation } from './solve/continuation.ts';
import { solveGates } from './solve/gates.ts';
import { addsUp, type Grid, gridOf, lastLevel, likelyLevel, maxSteps, pulseSeconds } from './solve/grid.ts';
import { outputs } from './solve/outputs.ts';
import {
  canonicalInputs,
  isOwn,
  masterUnits,
  type Problem,
  readProblem,
  readStrict,
  type SolveInput,
  unitOf,
} from './solve/problem.ts';
import { STRICT, systemSolver } from './solve/system-solver.ts';
import type { Assumption, Field, Presentation, Quote, Solver, Verdict } from './solver.ts';

/** Where a level's result has its samples: times, positions, rates. */
const SERIES_AT = 144;
const STATE_BYTES = 16 + 112 + 2 * 257 * 8;
const MEMORY = 2 ** 18;
const VERDICT_WORK = 600_000;
/** Index of the diagnostics in the verdict's extras. */
const DIAGNOSTICS_AT = 12;
/** Levels of a request that asks for no refinement. */
const PLAIN_LEVELS = 3;

/** Work units of a step: assembly/kernels/solve.ts. */
const unitsPerStep = (problem: Problem) => (problem.order === 2 ? 23 : 42) + (problem.F === 0 ? 0 : 20);

const text = (description: string, maxLength: number) => Type.String({ description, maxLength });
const coefficient = (name: keyof typeof masterUnits, description: string) =>
  optional(anyQuantity(description, { unit: `${masterUnits[name]} or any` }));
const number = (unit: string, description: string) => optional(quantity(unit, description));

const schema = record({
  operators: optional(
    list(
      text('An operator.', 200),
      'An operator with a differential equation, instead of the master equation; inputs are then its own.',
      {
        maxItems: 4,
      },
    ),
  ),
  equation: optional(
    text(
      "A system of your own, instead of the master equation: y' = …, x'' = …, up to the fourth derivative, dy/dt = …, what is linear in its highest derivatives (x'' + x' + sin(x) = 0; x' + y' = 1 with x' - y' = x), or LaTeX, several between ;. " +
        'inputs then hold t_end, a start for each component (y0, x0 and x_dot0; x_ddot0 of a third derivative) and every other letter, in any unit.',
      4096,
    ),
  ),
  quantity: optional(
    text('With equation: what value is, a formula of its letters; absent: the first component.', 2000),
  ),
  conserved: optional(text('With equation: a formula that must not change, which is a gate.', 2000)),
  inputs: record(
    {
      t_end: coefficient('t_end', 'End of the integration, after t0; required.'),
      m: coefficient('m', 'Mass, positive; required with positions.'),
      c: coefficient('c', 'Damping, positive; required without positions.'),
      k: coefficient('k', 'Linear stiffness, required; without positions in units of c per second.'),
      beta: coefficient('beta', 'Cubic stiffness; absent: no such term.'),
      F: coefficient('F', 'Amplitude of the harmonic force; with Omega.'),
      Omega: coefficient('Omega', 'Angular frequency of the force, positive; with F.'),
      b: coefficient('b', 'Constant force; absent: no such term.'),
      x0: coefficient('x0', 'Initial position.'),
      v0: coefficient('v0', 'Initial velocity.'),
      y0: optional(anyQuantity('Initial value without positions; the result has its unit.')),
    },
    {
      patternProperties: { '^.*$': anyQuantity('With equation: a start or another letter of it.') },
      description:
        'Coefficients and start: m, k, x0, v0 with positions; c, k, y0 without; with equation, what it names.',
    },
  ),
  dt: optional(quantity('s', 'Step of the coarsest level.', { exclusiveMinimum: 0 })),
  strict: optional(flag('Refine the step until every gate holds; with maxIterations.')),
  maxIterations: optional(
    integer(
      'Refinement levels, with strict; a search without an end in sight stops after two seconds of the reference core and four verdicts.',
      { minimum: 1, maximum: 40 },
    ),
  ),
  initialState: optional(
    record(
      {
        x: number('m', 'Position.'),
        v: number('m/s', 'Velocity.'),
        y: optional(anyQuantity('Value without positions.')),
        t0: number('s', 'Time of the start.'),
        continue: jobToContinue('inputs.t_end', WHOLE_STEPS),
      },
      { description: 'The start, instead of x0 and v0 or y0.' },
    ),
  ),
});

// ---- runs ----------------------------------------------------------------------------------------------

const problemLayout = (p: Problem) =>
  new Layout().f64(p.order, p.m, p.c, p.k, p.beta, p.F, p.Omega, p.b, p.x0, p.v0, p.t0, p.tEnd);

/** One level; `earlier` are the indices of the coarser levels that it compares itself with. */
function levelRun(problem: Problem, grid: Grid, level: number, earlier: readonly number[]): RunPlan {
  const factor = 2 ** level;
  const [steps, pulse] = [grid.steps * factor, grid.pulseSteps * factor];
  const sampledFrom = (problem.before?.steps ?? 0) * factor;
  const state = problem.before?.states[level];
  const taken = steps - (state ? sampledFrom : 0) + pulse;
  const head = problemLayout(problem)
    .f64(steps, grid.stride * factor, pulse, grid.limit)
    .f64(earlier.length, state ? 1 : 0, sampledFrom);
  return {
    kernel: 'solve',
    parts: [
      { bytes: head.bytes() },
      ...earlier.map((run): Part => ({ run, of: 'result', from: 0, length: 16 })),
      ...(state ? [{ bytes: state }] : []),
    ],
    stepsPerSegment: segmentSteps(STATE_BYTES, unitsPerStep(problem)),
    steps: taken,
    work: taken * unitsPerStep(problem),
    memory: MEMORY,
    label: `RK4, ${steps} steps`,
  };
}

function verdictRound(problem: Problem, grid: Grid, strict: boolean, levels: number): Round {
  const used = Array.from({ length: levels }, (_, i) => i).slice(-3);
  const samples = samplesOf(problem, grid);
  const head = problemLayout(problem).f64(strict ? 1 : 0, used.length, samples);
  const length = SERIES_AT + 3 * 8 * samples;
  const parts: Part[] = [
    { bytes: head.bytes() },
    ...used.map((run): Part => ({ run, of: 'result', from: 0, length })),
  ];
  const verdict: RunPlan = {
    kernel: 'solve.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: VERDICT_WORK,
    memory: MEMORY,
    label: 'verdict',
  };
  return { runs: [verdict], verdict: true };
}

/** Of each level: they are taken at the same instants, of the steps that this job takes itself. */
function samplesOf({ before }: Problem, { steps, stride }: Grid): number {
  return Math.floor((steps - (before?.steps ?? 0)) / stride) + 1;
}

/** What the level says of itself: its errors against the coarser ones are in bound. */
function hasConverged(run: FinishedRun): boolean {
  return new DataView(run.result.buffer, run.result.byteOffset).getFloat64(88, true) === 1;
}

/** Of a strict request. */
function lastLevelOf(input: SolveInput): number {
  const problem = readProblem(input);
  return lastLevel(problem, gridOf(problem, input.dt), input.maxIterations!);
}

/** Levels that a strict request needs by what has been run; undefined while it must refine. */
function finalLevels(finished: readonly FinishedRun[], grid: Grid, last: number): number | undefined {
  for (let level = 1; level < finished.length; level++) {
    const exhausted = level === last || grid.steps * 2 ** (level + 1) > maxSteps;
    if (hasConverged(finished[level]!) || exhausted) return level + 1;
  }
  return undefined;
}

function plan(input: SolveInput): Round {
  const problem = readProblem(input);
  const grid = gridOf(problem, input.dt);
  const levels = readStrict(input) ? 1 : PLAIN_LEVELS;
  return { runs: Array.from({ length: levels }, (_, level) => levelRun(problem, grid, level, [])) };
}

function next(input: SolveInput, finished: readonly FinishedRun[]): Round | undefined {
  const problem = readProblem(input);
  const grid = gridOf(problem, input.dt);
  const strict = readStrict(input);
  const levels = strict ? finalLevels(finished, grid, lastLevelOf(input)) : PLAIN_LEVELS;
  if (levels === undefined) {
    const level = finished.length;
    const earlier = level === 1 ? [0] : [level - 2, level - 1];
    return { runs: [levelRun(problem, grid, level, earlier)] };
  }
  return finished.length > levels ? undefined : verdictRound(problem, grid, strict, levels);
}

/** Exact for the plain levels; with strict the ceiling, every level that may be. */
function quote(input: SolveInput): Quote {
  const problem = readProblem(input);
  const grid = gridOf(problem, input.dt);
  const strict = readStrict(input);
  const likely = strict && !addsUp(problem) ? likelyLevel : Infinity;
  let [work, expected] = [VERDICT_WORK, VERDICT_WORK];
  for (let level = 0; level <= (strict ? lastLevelOf(input) : PLAIN_LEVELS - 1); level++) {
    if (grid.steps * 2 ** level <= maxSteps) work += levelRun(problem, grid, level, []).work;
    if (level <= likely) expected = work;
  }
  const ceiling = `all levels that maxIterations ${input.maxIterations} and ${maxSteps} steps allow`;
  const exact = !strict && grid.limit === 0;
  return { work, expected, ...(strict && { ceiling }), exact, memory: MEMORY };
}

// ---- presentation --------------------------------------------------------------------------------------

const closedForms = [
  undefined,
  'linear equation',
  'Bernoulli equation',
  'Jacobi cn',
  'Jacobi dn',
  'Jacobi sn',
];

function assumed(input: SolveInput): Assumption[] {
  const problem = readProblem(input);
  const grid = gridOf(problem, input.dt);
  const choices: Assumption[] = [];
  if (input.dt === undefined) {
    const h = (problem.tEnd - problem.t0) / grid.steps;
    choices.push({
      name: 'dt',
      value: h,
      unit: 's',
      because: 'numerical choice: five steps per 1/|λ|, at least 64',
    });
  }
  if (!input.strict) choices.push({ name: 'levels', value: PLAIN_LEVELS, because: 'numerical choice' });
  if (input.initialState?.t0 === undefined) {
    choices.push({ name: 't0', value: 0, unit: 's', because: 'origin of time' });
  }
  const optionalTerms =
    problem.order === 2 ? (['c', 'beta', 'F', 'b'] as const) : (['beta', 'F', 'b'] as const);
  for (const name of optionalTerms) {
    if (input.inputs[name] === undefined) choices.push({ name, value: 0, because: 'not in the equation' });
  }
  return choices;
}

function present(input: SolveInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const [rk4, rate, energy, drift, mean, hasMean, form, period, timeout, conservative, steps] =
    verdict.extras;
  const { order, before } = readProblem(input);
  const positions = order === 2;
  const closed = closedForms[form!];
  const run = finished.length - 2;
  const outputs = {
    conservative: conservative === 1,
    iterations: run,
    tuneStatus: timeout === 1 ? 'timeout' : 'converged',
    method: closed === undefined ? 'RK4' : `closed form: ${closed}`,
    ...(closed === undefined && {
      note: 'NUMERICAL FALLBACK: no closed form is known for these inputs; the value is the RK4 integral.',
    }),
    rk4,
    steps,
    ...continuesOf(before),
    ...(positions ? { v: rate, energy, energyUnit: 'J' } : { rate }),
    energyDriftPct: conservative === 1 ? 100 * drift! : null,
    period: period === 0 ? null : period,
    pulseMean: hasMean === 1 ? { value: mean, seconds: pulseSeconds } : null,
  };
  const fields = fieldsOf(input, finished[run]!, run);
  const diagnostics =
    fields[0]!.shape[0]! >= 3 &&
    readDiagnostics(verdict.extras, DIAGNOSTICS_AT, { absentTerm: 'the equation has no such term' });
  return { outputs, fields, plots: plotsOf(positions), ...(diagnostics && { diagnostics }) };
}

function fieldsOf(input: SolveInput, finest: FinishedRun, run: number): Field[] {
  const count = new DataView(finest.result.buffer, finest.result.byteOffset).getFloat64(120, true);
  const positions = readProblem(input).order === 2;
  const unit = unitOf(input);
  const column = (name: string, unit: string | null, series: number, sealed: boolean): Field => ({
    name,
    unit,
    shape: [count],
    source: { run, of: 'result', from: SERIES_AT + series * 8 * count, length: 8 * count },
    sealed,
  });
  return [
    column('t', 's', 0, true),
    column(positions ? 'x' : 'y', unit, 1, true),
    column(positions ? 'v' : 'rate', positions ? 'm/s' : unit && unitOver(unit, 's'), 2, false),
  ];
}

function plotsOf(positions: boolean): Presentation['plots'] {
  if (!positions) return [{ kind: 'line', title: 'y(t)', x: 't', y: ['y'] }];
  return [
    { kind: 'line', title: 'x(t)', x: 't', y: ['x'] },
    { kind: 'points', title: 'phase portrait', x: 'x', y: 'v' },
  ];
}

/** Beyond so many times its bound an error tells nothing of the step. */
const TOLD = 100;

/** The step in which the error of RK4, of order 4, comes to half of its bound, or what looks for it. */
function shorter(input: SolveInput, h: number, [, , error = 0, bound = 0]: readonly number[]) {
  if (input.strict) return {};
  const dt = shorterStep(h, (2 * error) / bound, 4);
  if (error <= TOLD * bound && isTaken(() => gridOf(readProblem(input), dt)))
    return { field: 'dt', accepts: orShorter(dt) };
  return { accepts: STRICT };
}

function refusalDetails(
  input: SolveInput,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  const problem = readProblem(input);
  const grid = gridOf(problem, input.dt);
  if (status === 18) return shorter(input, (problem.tEnd - problem.t0) / grid.steps, observed);
  if (status !== 17) return {};
  const escaped = grid.limit > 0 && !(Math.abs(observed[0] ?? 0) <= grid.limit);
  return escaped
    ? escapes(input, grid.limit, observed, problem.t0)
    : { reason: 'the estimate stays above the bound', maxIterations: input.maxIterations, maxSteps };
}

/** A cubic force that pushes outwards takes a motion to infinity in a finite time; until `last` it was within. */
function escapes(
  { inputs }: SolveInput,
  bound: number,
  [position, , last = 0]: readonly number[],
  t0: number,
): Record<string, unknown> {
  const within = t0 + Number((0.95 * (last - t0)).toPrecision(3));
  return {
    field: 'inputs.t_end',
    reason: 'the motion escapes',
    position,
    bound,
    t_end: inputs.t_end,
    accepts: [
      ...(within > t0 ? [`t_end of about ${within} s`] : []),
      'a start nearer to rest',
      'beta of 0 or more',
    ],
  };
}

/**
 * The master equation by RK4 on three or more levels of step, held against its closed form where it has one
 * (which is then the value) and else against itself. In: SI numbers as the schema says. Out: x(t_end) in m, or
 * y(t_end) in the unit of y0.
 */
export const solve: Solver<SolveInput> = {
  id: 'solve',
  title: 'Master equation',
  summary:
    'Integrates m ẍ + c ẋ + k x + βx³ = F cos Ωt + b, its first-order form without positions, or a system of your ' +
    'own, by Runge–Kutta 4; returns the closed form where one is known.',
  equation: 'm\\ddot x + c\\dot x + kx + \\beta x^3 = F\\cos\\Omega t + b',
  references: [
    'Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, table II.1.2 (RK4)',
    'Hairer & Wanner, Solving Ordinary Differential Equations II, IV.2 (stability limits)',
    'Kovacic & Brennan, The Duffing Equation, chapter 3 (closed forms)',
    'Abramowitz & Stegun, 16.4, 16.17, 17.6 (Jacobi functions)',
    'Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, II.9 (Gragg’s extrapolated midpoint rule)',
    'McCurdy, Ng & Parlett, Math. Comp. 43 (1984) 501 (divided differences of exp)',
  ],
  input: schema,
  gates: solveGates,
  field: true,
  outputs,
  canonical: canonicalInputs,
  operators: ({ operators = [] }) => operators.filter((id) => id !== 'KO42'),
  unit: (input) => (isOwn(input) ? systemSolver.unit(input) : unitOf(input)),
  assumed: (input) => (isOwn(input) ? systemSolver.assumed(input) : assumed(input)),
  quote: (input) => (isOwn(input) ? systemSolver.quote(input) : quote(input)),
  plan: (input) => (isOwn(input) ? systemSolver.plan(input) : plan(input)),
  next: (input, finished) => (isOwn(input) ? systemSolver.next(input, finished) : next(input, finished)),
  present: (input, verdict, finished) =>
    isOwn(input) ? systemSolver.present(input, verdict, finished) : present(input, verdict, finished),
  refusalDetails: (input, status, observed) =>
    isOwn(input)
      ? systemSolver.refusalDetails(input, status, observed)
      : refusalDetails(input, status, observed),
  continuation,
  examples: [
    {
      title: 'damped oscillator',
      body: {
        inputs: {
          t_end: 3,
          m: { value: 2, unit: 'kg' },
          c: 0.4,
          k: 50,
          x0: { value: 10, unit: 'cm' },
          v0: 0,
        },
        dt: 0.01,
      },
      expect: { value: -0.0551672173869299, unit: 'm' },
      tolerance: 1e-3,
      source: 'closed form of the damped oscillator, 25 digits',
    },
    {
      title: 'undamped Duffing oscillator',
      body: { inputs: { t_end: 5, m: 1, k: 1, beta: 1, x0: 1, v0: 0 } },
      expect: { value: 0.947129542080219, unit: 'm', conservative: true },
      tolerance: 1e-3,
      source: 'A cn(ωt|n), Abramowitz & Stegun 16, 25 digits',
    },
    {
      title: 'first order, without positions',
      body: { inputs: { t_end: 4, c: 1, k: 0.3, y0: 5 } },
      expect: { value: 1.50597105956101, conservative: false },
      tolerance: 1e-3,
      source: '5 exp(−1.2)',
    },
    {
      title: 'forced damped Duffing, strict',
      body: {
        inputs: { t_end: 5, m: 1, c: 0.2, k: 1, beta: 1, F: 0.3, Omega: 1.2, x0: 1, v0: 0 },
        strict: true,
        maxIterations: 20,
      },
      expect: { value: 0.51237277088831, unit: 'm', tuneStatus: 'converged' },
      tolerance: 1e-3,
      source: 'Taylor integration with 22 digits',
    },
    {
      title: 'a pendulum of its own equation, from 170 degrees',
      body: {
        equation: "theta'' = -(g/L)*sin(theta)",
        inputs: {
          t_end: 2,
          theta0: { value: 170, unit: 'deg' },
          theta_dot0: { value: 0, unit: 'rad/s' },
          g: { value: 9.81, unit: 'm/s^2' },
          L: { value: 1, unit: 'm' },
        },
        conserved: 'theta_dot^2/2 - g/L*cos(theta)',
      },
      expect: { value: -2.768158094163466, unit: '1' },
      tolerance: 1e-3,
      source: 'Jacobi sn, 2 asin(k sn(K − ωt, k)) with k = sin 85°, mpmath with 25 digits',
    },
  ],
};
