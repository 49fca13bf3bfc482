import { Type } from 'typebox';
import { refuse } from '../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import { refuseOldResult } from './continuation.ts';
import { readDiagnostics } from './diagnostics.ts';
import { choice, flag, integer, list, numbers, optional, record, vector } from './input.ts';
import { kalmanExamples } from './kalman/examples.ts';
import { outputs } from './kalman/outputs.ts';
import { type KalmanInput, MAX_SIZE, type Problem, quantities, readProblem } from './kalman/problem.ts';
import { Layout, segmentSteps } from './layout.ts';
import type { Plot } from './plot.ts';
import type { Assumption, Continuation, Field, Presentation, Quote, Solver, Verdict } from './solver.ts';

const row = (most: number) => vector('1', 'A row.', { minItems: 1, maxItems: most });
/** Rows, or all their numbers one after the other, as in a blob. */
const table = (description: string, mostRows: number, most: number) =>
  Type.Union(
    [
      numbers('1', description, { minItems: 1, maxItems: most }),
      Type.Array(row(MAX_SIZE), { unit: '1', minItems: 1, maxItems: mostRows }),
    ],
    { description: `${description} Rows, or one row after the other.` },
  );
const matrix = (description: string) => table(description, MAX_SIZE, MAX_SIZE * MAX_SIZE);
const rows = (description: string) => table(description, 2 ** 20, 2 ** 21);

const schema = record({
  F: matrix('Transition, n×n, n at most 64.'),
  H: matrix('Measurement, m×n.'),
  Q: matrix('Covariance of the process noise, n×n, positive semidefinite.'),
  R: matrix('Covariance of the measurement noise, m×m, positive definite.'),
  x0: optional(
    numbers('1', 'State before the first prediction; with P0; without both only steady.', {
      minItems: 1,
      maxItems: MAX_SIZE,
    }),
  ),
  P0: optional(matrix('Its covariance, n×n, positive semidefinite; with x0.')),
  z: optional(rows('Measurements, each predicted, then used; without steady.')),
  B: optional(matrix('Control, n×p; with u.')),
  u: optional(rows('Controls, one for each measurement; with B.')),
  smoother: optional(
    flag(
      'Also go back (Rauch, Tung and Striebel): the field smoothedBackwards has a row of n for each measurement but the last, from the last but one back to the first; x, P and finalState are the filter’s. Absent: false.',
    ),
  ),
  steady: optional(
    flag(
      'Value from the limit of the Riccati equation, to which the filter tends from every positive definite P0; ' +
        'absent: false.',
    ),
  ),
  quantity: choice(quantities, 'What the value is, after the last measurement or in the limit.'),
  component: optional(
    list(integer('Index.', { minimum: 0 }), 'Its entry, [i] or [i, j] from 0; not with logLikelihood.', {
      minItems: 1,
      maxItems: 2,
    }),
  ),
  initialState: optional(
    record(
      {
        x: optional(numbers('1', 'State.', { minItems: 1, maxItems: MAX_SIZE })),
        P: optional(matrix('Its covariance.')),
        continue: optional(
          Type.String({
            maxLength: 200,
            description:
              'A job to continue, alone: the fields of that job without its start, and as z (and u) what was measured ' +
              'since. The likelihood is that of all measurements, the series are those of the new ones.',
          }),
        ),
      },
      { description: 'The start, instead of x0 and P0.' },
    ),
  ),
});

// ---- runs ----------------------------------------------------------------------------------------------

// Layouts and costs as assembly/kalman/problem.ts and the two kernels have them.

const MOST_DOUBLINGS = 48;
const FILTER_STEPS = 32;
const DIAGNOSTICS = 40;
const resultNumbers = ({ n, m }: Problem) => n + 2 * n * n + n * m + 2;
const rowNumbers = ({ n, m }: Problem) => n + n * n + m + 2 + n * m;
/** Of each measurement: its number, the value's component, x, K, y, yᵀS⁻¹y, ln L, P, x of the smoother. */
const seriesNumbers = ({ smoother }: KalmanInput, { n, m, count }: Problem) =>
  count * (4 + n + n * m + m + n * n + (smoother ? n : 0)) + DIAGNOSTICS;
const backNumbers = (input: KalmanInput, { n, count }: Problem) => (input.smoother ? (count - 1) * n : 0);

function unitsPerStep({ steady }: KalmanInput, { n, m }: Problem): number {
  const cube = n * n * n;
  const products = steady ? 11 * cube : 4 * cube + 3 * n * m * (n + m) + Math.floor((m * m * m) / 6);
  return Math.floor((4 * products) / 3) + 15 * (n + m) * (n + m) + 30 * m + 250;
}

function headOf(input: KalmanInput, problem: Problem): Part[] {
  const { n, m, p, count, window, index, F, H, Q, R, B, z, u, start } = problem;
  const { smoother, steady, before } = input;
  const layout = new Layout()
    .f64(n, m, p, count, smoother ? 1 : 0, steady ? 1 : 0)
    .f64(window, index, before ? 1 : 0);
  for (const each of [F, H, Q, R, B, z, u, start]) layout.f64s(each);
  return [{ bytes: layout.bytes() }, ...(before ? [{ bytes: before.result }] : [])];
}

const headBytes = ({ n, m, p, count }: Problem) =>
  8 * (9 + 4 * n * n + 2 * n * m + m * m + n * p + count * (m + p) + n + 2);

function filterRun(input: KalmanInput, problem: Problem): RunPlan {
  const { n, count } = problem;
  const steps = input.steady ? 2 * MOST_DOUBLINGS + n + FILTER_STEPS : input.smoother ? 2 * count - 1 : count;
  const extra = (input.steady ? 3 * n * n + 1 : 0) + (input.smoother ? n + count * (2 * n + 2 * n * n) : 0);
  const stateBytes = 16 + 8 * (resultNumbers(problem) + extra);
  return {
    kernel: 'kalman',
    parts: headOf(input, problem),
    stepsPerSegment: segmentSteps(stateBytes, unitsPerStep(input, problem)),
    ...(!input.steady && { steps }),
    work: steps * unitsPerStep(input, problem),
    memory:
      2 ** 18 +
      headBytes(problem) +
      stateBytes +
      2 ** 18 +
      8 * (8 * rowNumbers(problem) + 8 * MAX_SIZE * MAX_SIZE),
    label: input.steady ? 'Riccati equation by doubling' : `filter, ${count} measurements`,
  };
}

function verdictUnits({ steady, smoother }: KalmanInput, { n, m, count, window }: Problem): number {
  const many = window * m;
  const square = (n + m) * (n + m);
  const model = 2 * window * n * n * n + ((window * (window + 1)) / 2) * n * m * (n + m) + window * n * n * m;
  const density =
    Math.floor((many * many * many) / 6) + Math.floor((many * many * (n + 1)) / 2) + many * n * (n + 1);
  const row = 2 * n * n * n + 2 * n * m * (n + m) + Math.floor((m * m * m) / 6);
  const products =
    Math.ceil(count / window) * (model + density) +
    (smoother ? 2 : 1) * count * row +
    (steady ? 500 : 200) * n * n * n;
  return Math.floor((4 * products) / 3) + count * (15 * square + 30 * m + 250) + 100 * square + 1_500_000;
}

function verdictRun(input: KalmanInput, problem: Problem): RunPlan {
  const { n, m, count, window } = problem;
  const rowsBytes = 8 * (count * rowNumbers(problem) + backNumbers(input, problem));
  const parts: Part[] = [
    ...headOf(input, problem),
    { run: 0, of: 'result', from: 0, length: 8 * resultNumbers(problem) },
    ...(input.steady ? [] : [{ run: 0, of: 'rows', from: 0, length: rowsBytes } as const]),
  ];
  const windowNumbers = (window + 1) * (n + n * n) + window * m * window * m + window * m * (n + 1);
  return {
    kernel: 'kalman.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: verdictUnits(input, problem),
    memory:
      2 ** 18 +
      headBytes(problem) +
      rowsBytes +
      8 *
        (windowNumbers +
          10 * count +
          10 * MAX_SIZE * MAX_SIZE +
          (input.steady ? 0 : seriesNumbers(input, problem))),
    label: 'verdict',
  };
}

function next(input: KalmanInput, finished: readonly FinishedRun[]): Round | undefined {
  return finished.length > 1 ? undefined : { runs: [verdictRun(input, readProblem(input))], verdict: true };
}

/** A ceiling only for the limit, whose doublings are not known before. */
function quote(input: KalmanInput): Quote {
  const problem = readProblem(input);
  const runs = [filterRun(input, problem), verdictRun(input, problem)];
  return {
    work: runs[0]!.work + runs[1]!.work,
    exact: !input.steady,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

// ---- presentation --------------------------------------------------------------------------------------

function assumed(input: KalmanInput): Assumption[] {
  const choices: Assumption[] = [];
  for (const name of ['smoother', 'steady'] as const)
    if (input[name] === undefined) choices.push({ name, value: false, because: 'numerical choice' });
  if (input.B === undefined && !input.steady)
    choices.push({ name: 'B', value: 0, because: 'not in the equation' });
  return choices;
}

/** Reads what the verdict wrote; the offsets are those at the heads of the kernel and the verdict. */
function present(input: KalmanInput, { extras, gates }: Verdict): Presentation {
  const problem = readProblem(input);
  const { n, m } = problem;
  const numbers = resultNumbers(problem);
  const square = (at: number, columns: number) =>
    Array.from({ length: n }, (_, i) => [...extras.subarray(at + i * columns, at + (i + 1) * columns)]);
  const P = square(n, n);
  const priorCovariance = square(n + n * n, n);
  const gain = square(n + 2 * n * n, m);
  if (input.steady) return { outputs: { covariance: P, priorCovariance, gain }, fields: [], plots: [] };
  return {
    outputs: {
      finalState: { x: [...extras.subarray(0, n)], P },
      priorCovariance,
      gain,
      logLikelihood: extras[numbers - 2],
      normalisedInnovation: extras[numbers],
      measurements: extras[numbers - 1],
      ...(input.before && { continues: { job: input.before.job, measurements: input.before.count } }),
    },
    fields: fieldsOf(input, problem, 24 + 48 * gates.length + 8 * (numbers + 2)),
    plots: plotsOf(input, problem),
    diagnostics: readDiagnostics(extras, extras.length - DIAGNOSTICS),
  };
}

/** Of so many entries each is a curve; of more the whole array is a field. */
const MOST_CURVES = 6;

const hasSeries = ({ quantity }: KalmanInput) =>
  quantity !== 'priorCovariance' && quantity !== 'logLikelihood';
const stateNames = ({ n }: Problem) => (n <= MOST_CURVES ? names(n, (i) => `x${i}`) : []);
const gainNames = ({ n, m }: Problem) =>
  n * m <= MOST_CURVES ? names(n * m, (i) => `K${Math.floor(i / m)}${i % m}`) : [];
const names = (count: number, name: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => name(i));

/** The verdict has them one after the other, from `first` on. */
function fieldsOf(input: KalmanInput, problem: Problem, first: number): Field[] {
  const { n, m, count } = problem;
  const fields: Field[] = [];
  const add = (name: string, at: number, shape: number[]) => {
    const length = 8 * shape.reduce((a, b) => a * b, 1);
    const source = { run: 1, of: 'result', from: first + 8 * count * at, length } as const;
    fields.push({ name, unit: '1', shape, source, sealed: true });
  };
  add('measurement', 0, [count]);
  if (hasSeries(input)) add('series', 1, [count]);
  add('x', 2, [n, count]);
  add('K', 2 + n, [n, m, count]);
  stateNames(problem).forEach((name, i) => void add(name, 2 + i, [count]));
  gainNames(problem).forEach((name, i) => void add(name, 2 + n + i, [count]));
  const behind = 2 + n + n * m;
  add('innovations', behind, [m, count]);
  add('normalisedInnovations', behind + m, [count]);
  add('logLikelihoods', behind + m + 1, [count]);
  add('P', behind + m + 2, [count, n, n]);
  if (input.smoother) add('smoothed', behind + m + 2 + n * n, [count, n]);
  return fields;
}

function plotsOf(input: KalmanInput, problem: Problem): Plot[] {
  const curve = (title: string, y: readonly string[]): Plot[] =>
    y.length > 0 ? [{ kind: 'line', title, x: 'measurement', y }] : [];
  return [
    ...(hasSeries(input) ? curve(`${input.quantity} after each measurement`, ['series']) : []),
    ...(input.smoother
      ? stateNames(problem).flatMap((name, i) =>
          curve(`state ${i}, filtered and smoothed`, [name, `smoothed[${i}]`]),
        )
      : curve('state', stateNames(problem))),
    ...curve('gain', gainNames(problem)),
    ...curve('normalised innovation squared', ['normalisedInnovations']),
  ];
}

// ---- going on ------------------------------------------------------------------------------------------

const continuation: Continuation<KalmanInput> = {
  end: () => 'z',
  beside: ['u'],
  start: ['x0', 'P0'],
  results: ['kalman'],
  join({ z, u }, { id, first, runs }) {
    if (first.steady)
      refuse('INVALID_INPUT', `Job ${id} is the limit, which does not go on.`, {
        field: 'initialState.continue',
        accepts: 'a job with measurements',
      });
    const result = runs[0]?.result;
    const numbers = resultNumbers(readProblem(first));
    if (result?.length !== 8 * numbers) return refuseOldResult(id);
    const count = new DataView(result.buffer, result.byteOffset).getFloat64(8 * numbers - 8, true);
    const { u: _, ...rest } = first;
    return { ...rest, z, ...(u && { u }), before: { job: id, count, result } };
  },
};

/** Index of the gate that the limit has to pass. */
const LIMIT_GATE = 8;

/** P0 over the least variance of a measurement up to which covariances of whole windows keep their digits. */
const WIDE = 1e9;

/** Of a start so uncertain that rounding of P0 hides the rest: one that is taken. */
function ofWideStart(input: KalmanInput): Record<string, unknown> | undefined {
  const { n, m, R, start } = readProblem(input);
  const diagonal = (of: readonly number[], size: number) => of.filter((_, i) => i % (size + 1) === 0);
  const variances = diagonal(R, m).filter((each) => each > 0);
  const most = WIDE * variances.reduce((least, each) => Math.min(least, each), Infinity);
  if (!diagonal(start.slice(n), n).some((each) => each > most)) return undefined;
  return {
    field: input.P0 ? 'P0' : 'initialState.P',
    reason: 'the start is so uncertain beside R that rounding of its covariance hides what is measured',
    accepts: `entries of at most ${most}`,
  };
}

/** Sizes whose products of four doubles hold. */
const SMALL = 1e-50;
const LARGE = 1e50;

/** Of numbers so far apart that their products leave the doubles. */
function ofFarApart(input: KalmanInput): Record<string, unknown> | undefined {
  const { F, H, Q, R } = readProblem(input);
  const tables = { F, H, Q, R };
  const isFar = (each: number) => each !== 0 && !(Math.abs(each) >= SMALL && Math.abs(each) <= LARGE);
  const field = Object.entries(tables).find(([, numbers]) => numbers.some(isFar))?.[0];
  return field === undefined
    ? undefined
    : {
        field,
        reason: 'its entries lie so far from 1 that products of them leave the doubles',
        accepts: `F, H, Q and R of entries that are 0, or from ${SMALL} to ${LARGE} in size`,
      };
}

function refusalDetails(
  input: KalmanInput,
  status: number,
  [gate]: readonly number[],
): Record<string, unknown> {
  const { steady } = input;
  const lost =
    status === 16 || status === 18
      ? (ofFarApart(input) ?? (steady ? undefined : ofWideStart(input)))
      : undefined;
  if (lost) return lost;
  if (status === 16 && !steady)
    return {
      field: 'z',
      reason: 'a state that grows, or its covariance, is beyond what doubles hold',
      accepts: 'fewer measurements, or measurements that show every state that grows',
    };
  if (!steady || (status !== 17 && !(status === 18 && gate === LIMIT_GATE))) return {};
  return {
    field: 'steady',
    reason:
      'the Riccati equation has no limit whose gain holds every state: the measurements do not show one that does not ' +
      'decay, or one that neither grows nor decays has no noise',
    accepts: 'a detectable pair F, H, with noise on every state that neither grows nor decays',
  };
}

/**
 * Kalman's filter and smoother for a linear Gaussian model. In and out: pure numbers in the caller's own units. Out: an
 * entry of the state, of a covariance or of the gain after the last measurement, or the log-likelihood of all.
 */
export const kalman: Solver<KalmanInput> = {
  id: 'kalman',
  title: 'Kalman filter',
  summary:
    'Filters measurements of a linear Gaussian model by Joseph’s form, smooths them, or finds the limit of the Riccati ' +
    'equation by doubling; held against the normal distribution of whole windows of measurements.',
  equation: String.raw`x_{k+1}=Fx_k+Bu_k+w,\quad z_k=Hx_k+v,\quad w\sim N(0,Q),\ v\sim N(0,R)`,
  references: [
    'Kalman, J. Basic Eng. 82 (1960) 35',
    'Anderson & Moore, Optimal Filtering, §3.1 and 6.3 (filter, Joseph’s form)',
    'Rauch, Tung & Striebel, AIAA J. 3 (1965) 1445 (smoother)',
    'Bryson & Frazier, Proc. Optimum System Synthesis Conf., ASD-TDR-63-119 (1963) 353 (smoother by the adjoint)',
    'Chu, Fan, Lin & Wang, Int. J. Control 77 (2004) 767 (doubling)',
    'Bitmead, Gevers, Petersen & Kaye, Syst. Control Lett. 5 (1985) 309 (gains that hold every state)',
    'Chan, Goodwin & Sin, IEEE Trans. Autom. Control 29 (1984) 110 (which solution the filter tends to)',
    'Hewer, IEEE Trans. Autom. Control 16 (1971) 382 (Newton’s method for the Riccati equation)',
    'Anderson, An Introduction to Multivariate Statistical Analysis, §2.5 (conditional normal distribution)',
    'Kalata, IEEE Trans. Aerosp. Electron. Syst. 20 (1984) 174 (α–β filter)',
  ],
  input: schema,
  gates: [
    { name: 'state', quantity: 'x of the worst window', source: 'all measurements of the window at once' },
    {
      name: 'covariance',
      quantity: 'P of the worst window',
      source: 'all measurements of the window at once',
    },
    { name: 'log-likelihood', quantity: 'ln L of the worst window', source: 'normal density of the window' },
    { name: 'gain', quantity: 'K (H P⁻ Hᵀ + R)', source: 'P⁻ Hᵀ' },
    { name: 'prediction', quantity: 'P before the last measurement', source: 'F P Fᵀ + Q of the row before' },
    {
      name: 'smoother',
      quantity: 'largest error of a smoothed state',
      source: 'adjoint of the filter (Bryson & Frazier 1963)',
    },
    { name: 'Riccati equation', quantity: 'P in the limit', source: 'residual of the equation itself' },
    {
      name: 'rows',
      quantity: 'largest error of a row: x, P, K, innovation, ln L',
      source: 'one step from the row before',
    },
    {
      name: 'Riccati limit',
      quantity: 'P in the limit, or where it no longer changes, of a gain that holds every state',
      source: 'limit of the Riccati equation by Newton’s method (Hewer 1971)',
    },
  ],
  field: true,
  outputs,
  unit: () => '1',
  assumed,
  quote,
  plan: (input) => ({ runs: [filterRun(input, readProblem(input))] }),
  next,
  present,
  refusalDetails,
  continuation,
  examples: kalmanExamples,
};
