import { Type } from 'typebox';
import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import { readDiagnostics } from './diagnostics.ts';
import { choice, flag, integer, list, optional, ratio, record } from './input.ts';
import { type KalmanInput, MAX_SIZE, type Problem, quantities, readProblem } from './kalman/problem.ts';
import { Layout, segmentSteps } from './layout.ts';
import type { Assumption, Field, Presentation, Quote, Solver, Verdict } from './solver.ts';

const number = ratio('A number.');
const row = list(number, 'A row.', { minItems: 1, maxItems: MAX_SIZE });
const matrix = (description: string) => list(row, description, { minItems: 1, maxItems: MAX_SIZE });
const rows = (description: string) => list(row, description, { minItems: 1, maxItems: 2 ** 20 });

const schema = record({
  F: matrix('Transition, n×n, n at most 64.'),
  H: matrix('Measurement, m×n.'),
  Q: matrix('Covariance of the process noise, n×n, positive semidefinite.'),
  R: matrix('Covariance of the measurement noise, m×m, positive definite.'),
  x0: optional(
    list(number, 'State before the first prediction; with P0.', { minItems: 1, maxItems: MAX_SIZE }),
  ),
  P0: optional(matrix('Its covariance, n×n, positive semidefinite; with x0.')),
  z: optional(rows('Measurements, each predicted, then used; without steady.')),
  B: optional(matrix('Control, n×p; with u.')),
  u: optional(rows('Controls, one for each measurement; with B.')),
  smoother: optional(flag('Also go back (Rauch, Tung and Striebel); absent: false.')),
  steady: optional(flag('Value from the limit of the Riccati equation; absent: false.')),
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
        x: optional(list(number, 'State.', { minItems: 1, maxItems: MAX_SIZE })),
        P: optional(matrix('Its covariance.')),
        continue: optional(Type.String({ maxLength: 200, description: 'A job to continue.' })),
      },
      { description: 'The start, instead of x0 and P0.' },
    ),
  ),
});

// ---- runs ----------------------------------------------------------------------------------------------

// Layouts and costs as assembly/kalman/problem.ts and the two kernels have them.

const MOST_DOUBLINGS = 60;
const resultNumbers = ({ n, m }: Problem) => n + 2 * n * n + n * m + 1;
const rowNumbers = ({ n, m }: Problem) => n + n * n + m + 2;
const backNumbers = (input: KalmanInput, { n, count }: Problem) => (input.smoother ? (count - 1) * n : 0);

function unitsPerStep({ n, m }: Problem): number {
  const long = n + m;
  return 6 * long * long * long + 60 * long * long + 200;
}

function headOf(input: KalmanInput, problem: Problem): Uint8Array {
  const { n, m, p, count, window, index, x0, P0, z, B, u } = problem;
  const matrices = [input.F, input.H, input.Q, input.R, [x0], P0, B, z, u];
  const layout = new Layout()
    .f64(n, m, p, count, input.smoother ? 1 : 0, input.steady ? 1 : 0)
    .f64(window, index);
  for (const each of matrices) layout.f64s(each.flat());
  return layout.bytes();
}

function filterRun(input: KalmanInput, problem: Problem): RunPlan {
  const { n, count } = problem;
  const steps = input.steady ? MOST_DOUBLINGS : input.smoother ? 2 * count - 1 : count;
  const extra = (input.steady ? 3 * n * n : 0) + (input.smoother ? n + count * (2 * n + 2 * n * n) : 0);
  const stateBytes = 16 + 8 * (resultNumbers(problem) + extra);
  const head = headOf(input, problem);
  return {
    kernel: 'kalman',
    parts: [{ bytes: head }],
    stepsPerSegment: segmentSteps(stateBytes, unitsPerStep(problem)),
    ...(!input.steady && { steps }),
    work: steps * unitsPerStep(problem),
    memory: 2 ** 18 + head.length + stateBytes + 8 * (64 * rowNumbers(problem) + 8 * MAX_SIZE * MAX_SIZE),
    label: input.steady ? 'Riccati equation by doubling' : `filter, ${count} measurements`,
  };
}

function verdictUnits({ n, m, count, window }: Problem): number {
  const [many, long] = [window * m, n + m];
  const one = many * many * many + 4 * many * many * long * long + 8 * window * long * long * long + 1000;
  return Math.ceil(count / window) * one + 40 * long * long * long + count * 100 + 2_500_000;
}

function verdictRun(input: KalmanInput, problem: Problem): RunPlan {
  const { n, m, count, window } = problem;
  const head = headOf(input, problem);
  const rowsBytes = 8 * (count * rowNumbers(problem) + backNumbers(input, problem));
  const parts: Part[] = [
    { bytes: head },
    { run: 0, of: 'result', from: 0, length: 8 * resultNumbers(problem) },
    ...(input.steady ? [] : [{ run: 0, of: 'rows', from: 0, length: rowsBytes } as const]),
  ];
  const windowNumbers = (window + 1) * (n + n * n) + window * m * window * m + window * m * (n + 1);
  return {
    kernel: 'kalman.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: verdictUnits(problem),
    memory: 2 ** 18 + head.length + rowsBytes + 8 * (windowNumbers + 10 * count + 4 * MAX_SIZE * MAX_SIZE),
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
  const { n, m, count } = problem;
  const numbers = resultNumbers(problem);
  const square = (at: number, columns: number) =>
    Array.from({ length: n }, (_, i) => [...extras.subarray(at + i * columns, at + (i + 1) * columns)]);
  const P = square(n, n);
  const priorCovariance = square(n + n * n, n);
  const gain = square(n + 2 * n * n, m);
  if (input.steady) return { outputs: { covariance: P, priorCovariance, gain }, fields: [], plots: [] };
  const field = (name: string, run: number, of: 'result' | 'rows', from: number, shape: number[]): Field => ({
    name,
    unit: '1',
    shape,
    source: { run, of, from, length: 8 * shape.reduce((a, b) => a * b, 1) },
    sealed: true,
  });
  const seriesAt = 24 + 48 * gates.length + 8 * (numbers + 2);
  const name = input.quantity === 'state' || input.quantity === 'covariance' ? 'series' : 'logLikelihoods';
  return {
    outputs: {
      finalState: { x: [...extras.subarray(0, n)], P },
      priorCovariance,
      gain,
      logLikelihood: extras[numbers - 1],
      normalisedInnovation: extras[numbers],
      measurements: extras[numbers + 1],
    },
    fields: [
      field(name, 1, 'result', seriesAt, [count]),
      field('filtered', 0, 'rows', 0, [count, rowNumbers(problem)]),
      ...(input.smoother && count > 1
        ? [field('smoothedBackwards', 0, 'rows', 8 * count * rowNumbers(problem), [count - 1, n])]
        : []),
    ],
    plots: [],
    diagnostics: readDiagnostics(extras, numbers + 2 + count),
  };
}

function refusalDetails({ steady }: KalmanInput, status: number): Record<string, unknown> {
  if (!steady || status !== 17) return {};
  return {
    field: 'steady',
    reason: 'the Riccati equation has no limit: the measurements do not show every state that grows',
    accepts: 'a detectable pair F, H',
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
    'Chu, Fan, Lin & Wang, Int. J. Control 77 (2004) 767 (doubling)',
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
    { name: 'gain', quantity: 'K R', source: 'P Hᵀ' },
    { name: 'prediction', quantity: 'P before the last measurement', source: 'F P Fᵀ + Q of the row before' },
    { name: 'smoother', quantity: 'largest error of a smoothed state', source: 'all measurements at once' },
    { name: 'Riccati equation', quantity: 'P in the limit', source: 'residual of the equation itself' },
  ],
  field: true,
  unit: () => '1',
  assumed,
  quote,
  plan: (input) => ({ runs: [filterRun(input, readProblem(input))] }),
  next,
  present,
  refusalDetails,
  examples: [
    {
      title: 'random walk, steady gain',
      body: {
        F: [[1]],
        H: [[1]],
        Q: [[1]],
        R: [[1]],
        x0: [0],
        P0: [[1]],
        steady: true,
        quantity: 'gain',
        component: [0, 0],
      },
      expect: { value: 0.618033988749895, unit: '1' },
      tolerance: 1e-12,
      source: 'golden ratio: P = (Q + √(Q² + 4QR))/2',
    },
    {
      title: 'α–β filter, Λ = 1',
      body: {
        F: [
          [1, 1],
          [0, 1],
        ],
        H: [[1, 0]],
        Q: [
          [0.25, 0.5],
          [0.5, 1],
        ],
        R: [[1]],
        x0: [0, 0],
        P0: [
          [1, 0],
          [0, 1],
        ],
        steady: true,
        quantity: 'priorCovariance',
        component: [0, 0],
      },
      expect: { value: 3, unit: '1' },
      tolerance: 1e-9,
      source: 'Kalata 1984',
    },
    {
      title: 'three measurements of a steered constant',
      body: {
        F: [[1]],
        B: [[1]],
        H: [[1]],
        Q: [[0]],
        R: [[1]],
        x0: [0],
        P0: [[1]],
        u: [[1], [1], [1]],
        z: [[2], [3], [4]],
        quantity: 'state',
        component: [0],
      },
      expect: { value: 3.75, unit: '1' },
      tolerance: 1e-12,
      source: 'least squares: 3 + (1+1+1)/4',
    },
  ],
};
