import fc from 'fast-check';
import t from 'tap';
import { readInput } from '../../src/solvers/input.ts';
import type { KalmanInput } from '../../src/solvers/kalman/problem.ts';
import { kalman } from '../../src/solvers/kalman.ts';
import type { Verdict } from '../../src/solvers/solver.ts';
import { goOn, startJob } from './continue-job.ts';
import type { Refused } from './refusals.ts';
import { runJob } from './run-job.ts';
import { fieldOf, inputOf, outputOf, refusalOf, solved as solvedBy, testSolver } from './solver-test.ts';

/** Three states, two measurements, of which one noise is none; the measurements are made by formula. */
const model = {
  F: [
    [1, 0.1, 0],
    [-0.2, 0.95, 0.1],
    [0, 0.05, 0.9],
  ],
  H: [
    [1, 0, 0.5],
    [0, 1, 0],
  ],
  Q: [
    [0.01, 0, 0],
    [0, 0.04, 0],
    [0, 0, 0],
  ],
  R: [
    [0.5, 0.1],
    [0.1, 0.3],
  ],
  x0: [1, 0, -1],
  P0: [
    [1, 0, 0],
    [0, 2, 0],
    [0, 0, 0.5],
  ],
};
const rounded = (x: number) => Number(x.toFixed(4));
const measured = Array.from({ length: 200 }, (_, k) => [
  rounded(Math.sin(0.1 * k) + (0.3 * (((k * 7) % 5) - 2)) / 2),
  rounded(Math.cos(0.13 * k) + (0.2 * (((k * 11) % 7) - 3)) / 3),
]);
const filtered = { ...model, z: measured, quantity: 'state', component: [0] };
const smoothed = { ...filtered, z: measured.slice(0, 100), smoother: true };
const limit = { ...model, steady: true, quantity: 'priorCovariance', component: [0, 1] };
const walk = { F: [[1]], H: [[1]], x0: [0], P0: [[1]], quantity: 'state', component: [0] };

const solved = (body: object) => solvedBy(kalman, body);
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);
const share = (min: number, max: number) =>
  fc.integer({ min: 100 * min, max: 100 * max }).map((x) => x / 100);

// ---- laws ----------------------------------------------------------------------------------------------

const square = (n: number) =>
  fc.array(fc.array(share(-1, 1), { minLength: n, maxLength: n }), { minLength: n, maxLength: n });
/** A Aᵀ + s. */
const gram = (a: number[][], s: number) =>
  a.map((row, i) =>
    a.map((other, j) => row.reduce((sum, x, k) => sum + x * other[k]!, 0) + (i === j ? s : 0)),
  );
const models = fc
  .integer({ min: 1, max: 5 })
  .chain((n) =>
    fc.tuple(
      square(n),
      square(n),
      square(n),
      fc.array(fc.tuple(share(-3, 3), share(-3, 3)), { minLength: 1, maxLength: 90 }),
    ),
  );

/** Pivots of P with a little on its diagonal. */
function isSemidefinite(P: readonly number[][]): boolean {
  const little = 1e-10 * Math.max(...P.map((row, i) => row[i]!));
  const rest = P.map((row, i) => row.map((entry, j) => entry + (i === j ? little : 0)));
  return rest.every((row, k) => {
    for (const below of rest.slice(k + 1)) {
      const factor = below[k]! / row[k]!;
      for (let j = k; j < P.length; j++) below[j]! -= factor * row[j]!;
    }
    return little === 0 || row[k]! > 0;
  });
}

t.test(
  'whatever the model: gates within 1e-6, covariances symmetric, with variances that fall',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(models, async ([a, b, c, z]) => {
        const n = a.length;
        const H = [a[0]!, c[n - 1]!];
        const body = {
          F: a,
          H,
          Q: gram(b, 0),
          R: gram(
            [
              [1, 0.3],
              [0, 0.5],
            ],
            0,
          ),
          P0: gram(c, 0),
          x0: b[0],
          z,
        };
        const job = await solved({ ...body, quantity: 'covariance', component: [0, 0] });
        t.ok(job.verdict.precisionActual < 1e-6, String(job.verdict.precisionActual));
        const { finalState, priorCovariance: prior } = job.presentation.outputs as unknown as {
          finalState: { P: number[][] };
          priorCovariance: number[][];
        };
        const { P } = finalState;
        t.ok(P.every((row, i) => row.every((entry, j) => entry === P[j]![i])));
        t.ok(isSemidefinite(P), JSON.stringify(P));
        t.ok(P.every((row, i) => row[i]! >= -1e-12 && row[i]! <= prior[i]![i]! * (1 + 1e-9) + 1e-12));
      }),
      { numRuns: 30, seed: 8 },
    );
  },
);

t.test('the information form agrees within 1e-9 where a constant is measured', async (t) => {
  const z = measured.map(([first]) => [first!]);
  const job = await solved({ ...walk, Q: [[0]], R: [[0.25]], P0: [[2]], x0: [3], z });
  const information = 1 / 2 + 200 / 0.25;
  const sum = 3 / 2 + z.reduce((total, [each]) => total + each! / 0.25, 0);
  t.ok(relative(job.verdict.value, sum / information) < 1e-9);
});

t.test('the information form agrees within 1e-9, whatever the model', async (t) => {
  const times = (a: number[][], b: number[][]) =>
    a.map((row) => b[0]!.map((_, j) => row.reduce((sum, x, k) => sum + x * b[k]![j]!, 0)));
  const turned = (a: number[][]) => a[0]!.map((_, j) => a.map((row) => row[j]!));
  const plus = (a: number[][], b: number[][]) => a.map((row, i) => row.map((x, j) => x + b[i]![j]!));
  /** By Gauss and Jordan, with pivots. */
  const inverse = (a: number[][]) => {
    const n = a.length;
    const rows = a.map((row, i) => [...row, ...row.map((_, j) => +(i === j))]);
    for (let k = 0; k < n; k++) {
      const best = rows.findIndex(
        (row, i) => i >= k && rows.slice(k).every((other) => Math.abs(row[k]!) >= Math.abs(other[k]!)),
      );
      [rows[k], rows[best]] = [rows[best]!, rows[k]!];
      const pivot = rows[k]!.map((x) => x / rows[k]![k]!);
      rows.forEach((row, i) => {
        rows[i] = i === k ? pivot : row.map((x, j) => x - row[k]! * pivot[j]!);
      });
    }
    return rows.map((row) => row.slice(n));
  };
  await fc.assert(
    fc.asyncProperty(models, async ([F, b, c, z]) => {
      const n = F.length;
      const H = [F[0]!, c[n - 1]!];
      const [Q, P0] = [gram(b, 0.2), gram(c, 0.5)];
      const R = [
        [1.09, 0.15],
        [0.15, 0.75],
      ];
      const body = { F, H, Q, R, P0, x0: b[0], z, quantity: 'state', component: [0] };
      const { finalState } = (await solved(body)).presentation.outputs as unknown as {
        finalState: { x: number[]; P: number[][] };
      };
      const seen = times(turned(H), inverse(R));
      let [x, P] = [b[0]!.map((each) => [each]), P0];
      for (const each of z) {
        const prior = inverse(plus(times(times(F, P), turned(F)), Q));
        const told = plus(times(prior, times(F, x)), times(seen, turned([each])));
        P = inverse(plus(prior, times(seen, H)));
        x = times(P, told);
      }
      const far = (ours: number[], theirs: number[]) =>
        Math.max(...theirs.map((value, i) => Math.abs(value - ours[i]!))) /
        Math.max(...theirs.map(Math.abs), 1e-3);
      t.ok(far(finalState.x, x.flat()) < 1e-9, `x: ${far(finalState.x, x.flat())}`);
      t.ok(far(finalState.P.flat(), P.flat()) < 1e-9, `P: ${far(finalState.P.flat(), P.flat())}`);
    }),
    { numRuns: 30, seed: 9 },
  );
});

t.test('the filter tends to the limit of the Riccati equation', async (t) => {
  const { outputs } = (await solved(filtered)).presentation;
  const steady = (await solved(limit)).presentation.outputs;
  const [gain, exact] = [outputs.gain, steady.gain] as number[][][];
  t.ok(gain!.every((row, i) => row.every((entry, j) => Math.abs(entry - exact![i]![j]!) < 1e-3)));
});

t.test('the general random walk in the limit: P = (Q + √(Q² + 4QR))/2', async (t) => {
  const { z0: _, ...rest } = { ...walk, z0: 0 };
  for (const [Q, R] of [
    [2, 0.5],
    [1e-3, 4],
    [50, 1],
  ] as const) {
    const body = {
      ...rest,
      Q: [[Q]],
      R: [[R]],
      steady: true,
      quantity: 'priorCovariance',
      component: [0, 0],
    };
    t.ok(relative((await solved(body)).verdict.value, (Q + Math.sqrt(Q * Q + 4 * Q * R)) / 2) < 1e-12);
  }
});

const growing = (F: number[][], H: number[][], Q: number[][], component = [0, 0]) => ({
  F,
  H,
  Q,
  R: [[1]],
  x0: F.map(() => 0),
  P0: F.map((_, i) => F.map((__, j) => (i === j ? 1 : 0))),
  steady: true,
  quantity: 'priorCovariance',
  component,
});
const mixed = (component: number[]) =>
  growing(
    [
      [2, 0],
      [0, 0.5],
    ],
    [[1, 1]],
    [
      [0, 0],
      [0, 1],
    ],
    component,
  );

t.test('a state that grows is held in the limit, though it has no noise', async (t) => {
  for (const [f, expected] of [
    [2, 3],
    [1.1, 0.21],
    [-2, 3],
    [1000, 999_999],
  ] as const) {
    const { verdict } = await solved(growing([[f]], [[1]], [[0]]));
    t.ok(relative(verdict.value, expected) < 1e-9, `F = ${f}: (F² − 1)R`);
  }
  const still = await solved(growing([[0.5]], [[1]], [[0]]));
  t.equal(still.verdict.value, 0, 'a state that decays is known in the end');
});

t.test('what grows is filtered however long, and is the limit', async (t) => {
  for (const count of [20, 30, 500]) {
    const z = Array.from({ length: count }, () => [0]);
    const body = { ...growing([[2]], [[1]], [[0]]), steady: undefined, z };
    const { verdict } = await solved(JSON.parse(JSON.stringify(body)) as object);
    t.ok(relative(verdict.value, 3) < 1e-9, `${count} measurements`);
  }
});

t.test('α–β filter for Λ = 1: α = 0.75, β = 0.5', async (t) => {
  const { outputs } = (await solved(kalman.examples[1]!.body)).presentation;
  const [[alpha], [beta]] = outputs.gain as [number[], number[]];
  t.ok(relative(alpha!, 0.75) < 1e-9 && relative(beta!, 0.5) < 1e-9);
});

t.test('measurements in two jobs are measurements in one', async (t) => {
  const first = (await solved({ ...filtered, z: measured.slice(0, 120) })).presentation.outputs;
  const { x0: _, P0: __, ...rest } = filtered;
  const { x, P } = first.finalState as { x: number[]; P: number[][] };
  const then = await solved({ ...rest, z: measured.slice(120), initialState: { x, P } });
  const whole = await solved(filtered);
  t.strictSame(then.presentation.outputs.finalState, whole.presentation.outputs.finalState);
  const likelihood = outputOf(then, 'logLikelihood') + (first.logLikelihood as number);
  t.ok(relative(likelihood, outputOf(whole, 'logLikelihood')) < 1e-12);
});

t.test('the fields stand where they are said to be', async (t) => {
  const job = await solved(filtered);
  const series = fieldOf(job, 'series');
  t.equal(series.at(-1), job.verdict.value);
  t.strictSame(series, fieldOf(job, 'x0'));
  t.strictSame(Array.from(fieldOf(job, 'measurement').subarray(0, 2)), [1, 2]);
  const { finalState, gain } = job.presentation.outputs as unknown as {
    finalState: { x: number[]; P: number[][] };
    gain: number[][];
  };
  t.same([...last(job, 'x', 200)], finalState.x);
  t.same([...last(job, 'K', 200)], gain.flat());
  t.same([...fieldOf(job, 'P').subarray(-9)], finalState.P.flat());
  t.equal(fieldOf(job, 'logLikelihoods').at(-1), outputOf(job, 'logLikelihood'));
  const squares = fieldOf(job, 'normalisedInnovations');
  t.ok(
    relative(squares.reduce((sum, each) => sum + each, 0) / 200, outputOf(job, 'normalisedInnovation')) <
      1e-12,
  );
});

t.test('smoothed states stand beside the filtered ones, from the first to the last', async (t) => {
  const job = await solved(smoothed);
  const states = fieldOf(job, 'smoothed');
  t.equal(states.length, 100 * 3);
  t.same(states.subarray(-3), last(job, 'x', 100), 'the last is the filter’s');
  const drawn = job.presentation.plots.flatMap((plot) => (plot.kind === 'line' ? [plot.y] : []));
  for (const i of [0, 1, 2])
    t.ok(
      drawn.some(([x, y]) => x === `x${i}` && y === `smoothed[${i}]`),
      `x${i}`,
    );
});

/** Of a field whose rows are series of so many numbers. */
const last = (job: Parameters<typeof fieldOf>[0], name: string, count: number) =>
  fieldOf(job, name).filter((_, i) => i % count === count - 1);

t.test('arrays may be blobs or flat, and mean the same', async (t) => {
  const { body } = kalman.examples[2]!;
  const digests = Object.keys(body).filter((name) => Array.isArray(body[name]) && name !== 'component');
  const blobOf = (name: string) =>
    new Uint8Array(new Float64Array((body[name] as number[][]).flat() as number[]).buffer);
  const digest = (name: string) => String(digests.indexOf(name)).repeat(64);
  const sent = Object.fromEntries(digests.map((name) => [name, { $blob: `sha256:${digest(name)}` }]));
  const { input, request } = readInput(kalman.input, { ...body, ...sent }, (wanted) =>
    blobOf(digests.find((name) => digest(name) === wanted)!),
  );
  t.equal(digests.length, 9);
  t.match(request, sent, 'they stay references in the request');
  const job = await runJob(kalman, input as unknown as KalmanInput);
  t.equal(job.verdict.value, 3.75);
});

t.test('P at rest is held against the limit of the Riccati equation; P that changes is not', async (t) => {
  const limitOf = (job: { verdict: Verdict }) =>
    job.verdict.gates.find(({ name }) => name === 'Riccati limit');
  t.ok(limitOf(await solved(filtered))!.relError < 1e-9);
  t.notOk(limitOf(await solved({ ...filtered, z: measured.slice(0, 5) })), 'five measurements');
  const constant = { ...walk, Q: [[0]], R: [[1]], z: measured.map(([first]) => [first!]) };
  t.notOk(limitOf(await solved(constant)), 'a constant is known better and better');
  const unseen = { ...walk, H: [[0]], Q: [[0]], R: [[1]], z: [[1], [2], [3]] };
  t.notOk(limitOf(await solved(unseen)), 'what is not seen stays as it was, and is no limit of the equation');
  t.ok(limitOf(await solved(limit))!.relError < 1e-9);
  const vanishing = { ...walk, F: [[1.1]], Q: [[0]], R: [[1]], z: measured.map(([first]) => [first!]) };
  const { verdict } = await solved({ ...vanishing, quantity: 'covariance', component: [0, 0] });
  t.ok(relative(verdict.value, 0.21 / 1.21) < 1e-9, 'a growing state: P = (F² − 1)R/F²');
  t.ok(verdict.gates.some(({ name }) => name === 'Riccati limit'));
});

// ---- going on (docs/protocol.md, 'Continuing') ---------------------------------------------------------

const controls = measured.map((_, k) => [0.01 * (k % 3)]);
const steered = { ...filtered, B: [[0], [1], [0.5]], u: controls };
const inputOfStretch = (body: object, from: number, to: number) =>
  inputOf(kalman, { ...body, z: measured.slice(from, to), u: controls.slice(from, to) });

t.test('a job goes on with what was measured since, and ends where one job ends, to the bit', async (t) => {
  const whole = await startJob(kalman, inputOfStretch(steered, 0, 200));
  const first = await startJob(kalman, inputOfStretch(steered, 0, 70));
  const second = await goOn(kalman, first, inputOfStretch(steered, 70, 130));
  const third = await goOn(kalman, second, inputOfStretch(steered, 130, 200));
  t.same(third.finished[0]!.result, whole.finished[0]!.result, 'x, P, K, ln L and the count of measurements');
  const { outputs } = kalman.present(third.input, third.verdict, third.finished);
  t.match(outputs, { measurements: 200, continues: { job: 'job_before', measurements: 130 } });
  const work = (job: typeof first) => job.finished[0]!.work;
  t.equal(work(first) + work(second) + work(third), work(whole), 'no step is paid twice');
  const { work: quoted, exact } = kalman.quote(third.input, { requestHash: new Uint8Array(32) });
  t.equal(exact && quoted, Number(third.finished[0]!.work + third.finished[1]!.work));
});

t.test('a smoother goes on over the new stretch', async (t) => {
  const body = { ...steered, smoother: true };
  const whole = await startJob(kalman, inputOfStretch(body, 0, 100));
  const then = await goOn(
    kalman,
    await startJob(kalman, inputOfStretch(body, 0, 60)),
    inputOfStretch(body, 60, 100),
  );
  const states = (job: typeof whole) =>
    fieldOf({ ...job, presentation: presented(job) } as never, 'smoothed');
  t.same(states(then), states(whole).subarray(60 * 3));
});

const presented = ({ input, verdict, finished }: Awaited<ReturnType<typeof startJob<KalmanInput>>>) =>
  kalman.present(input, verdict, finished);

t.test('a limit does not go on', async (t) => {
  const start = await startJob(kalman, inputOf(kalman, limit));
  await t.rejects(async () => goOn(kalman, start, inputOf(kalman, limit)), {
    code: 'INVALID_INPUT',
    details: { field: 'initialState.continue' },
  });
});

// ---- what every solver must show -----------------------------------------------------------------------

const faults: [string, object, string, string][] = [
  ['a gain of half the size', filtered, 'addTo(x, xp, n);\n  joseph', 'joseph'],
  ['no noise of the process', filtered, 'addTo(to, Q, n * n);', ''],
  ['an update without noise', filtered, '  addTo(P, T, n * n);\n', ''],
  ['a likelihood without its determinant', filtered, '+ logDet + square', '+ square'],
  ['controls that come twice', { ...kalman.examples[2]!.body }, 'at(u, k * p + j)', '2.0 * at(u, k * p + j)'],
  ['a smoother that forgets', smoothed, 'addTo(smoothed, here, n);', ''],
  [
    'rows with a smaller innovation than it had',
    filtered,
    'n * n + 1 + m, square);',
    'n * n + 1 + m, 0.9 * square);',
  ],
  [
    'a result that is not its last row',
    filtered,
    'put(out, resultNumbers() - 1, earlierCount + <f64>count);',
    'put(out, 0, 1.01 * at(x, 0));',
  ],
  ['rows without their gains', filtered, 'memory.copy(row + bytes(n + n * n + 2 + m), K, bytes(n * m));', ''],
  [
    'a limit that a state which grows leaves',
    mixed([0, 0]),
    'size && <f64>n * left * left <= 1e-16) concludeSteady',
    'size) concludeSteady',
  ],
  ['a limit of half a doubling', limit, 'addTo(X, V, n * n);', 'addTo(X, X, n * n);'],
];

const by = { tolerance: 1e-9, source: 'NumPy, explicit inverses' };
// ---- requests that are refused -------------------------------------------------------------------------

const unit = (n: number) =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => +(i === j)));
const one = { F: [[1]], H: [[1]], Q: [[1]], R: [[1]], quantity: 'state', component: [0] };
const twoSteps = { ...one, x0: [0], P0: [[1]], z: [[1], [2]] };
const { z: _, ...withoutZ } = twoSteps;
const { P0: __, ...withoutP0 } = twoSteps;
const { R: ___, ...withoutR } = twoSteps;
const { component: ____, ...withoutComponent } = twoSteps;
const { x0: _____, ...withoutStart } = withoutP0;

const refused: readonly Refused[] = [
  { title: 'no noise', body: withoutR, code: 'MISSING_INPUT', field: 'R' },
  { title: 'half a start', body: withoutP0, code: 'MISSING_INPUT', field: 'P0' },
  { title: 'no measurements', body: withoutZ, code: 'MISSING_INPUT', field: 'z' },
  { title: 'no component', body: withoutComponent, code: 'MISSING_INPUT', field: 'component' },
  {
    title: 'a component beyond',
    body: { ...twoSteps, component: [1] },
    code: 'INVALID_INPUT',
    field: 'component',
  },
  {
    title: 'a component of the likelihood',
    body: { ...twoSteps, quantity: 'logLikelihood' },
    code: 'INVALID_INPUT',
    field: 'component',
  },
  { title: 'F that is no square', body: { ...twoSteps, F: [[1, 0]] }, code: 'INVALID_INPUT', field: 'F' },
  { title: 'H of another width', body: { ...twoSteps, H: [[1, 0]] }, code: 'INVALID_INPUT', field: 'H' },
  { title: 'a negative Q', body: { ...twoSteps, Q: [[-1]] }, code: 'INVALID_INPUT', field: 'Q' },
  { title: 'R without noise', body: { ...twoSteps, R: [[0]] }, code: 'INVALID_INPUT', field: 'R' },
  { title: 'a negative P0', body: { ...twoSteps, P0: [[-1]] }, code: 'INVALID_INPUT', field: 'P0' },
  {
    title: 'measurements of two numbers',
    body: { ...twoSteps, z: [[1, 2]] },
    code: 'INVALID_INPUT',
    field: 'z',
  },
  { title: 'controls without B', body: { ...twoSteps, u: [[1], [1]] }, code: 'MISSING_INPUT', field: 'B' },
  { title: 'B without controls', body: { ...twoSteps, B: [[1]] }, code: 'MISSING_INPUT', field: 'u' },
  { title: 'too few controls', body: { ...twoSteps, B: [[1]], u: [[1]] }, code: 'INVALID_INPUT', field: 'u' },
  {
    title: 'two starts',
    body: { ...twoSteps, initialState: { x: [0], P: [[1]] } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'numbers that fill no row',
    body: { ...twoSteps, H: [1, 0.5], R: [1, 0, 0, 1], z: [1, 2, 3] },
    code: 'INVALID_INPUT',
    field: 'z',
  },
  { title: 'a start without numbers', body: { ...withoutStart, initialState: {} }, code: 'MISSING_INPUT' },
  {
    title: 'half an initialState',
    body: { ...withoutStart, initialState: { x: [0] } },
    code: 'MISSING_INPUT',
    field: 'initialState.P',
  },
  {
    title: 'measurements of a limit',
    body: { ...twoSteps, steady: true, quantity: 'gain', component: [0, 0] },
    code: 'INVALID_INPUT',
    field: 'z',
  },
  {
    title: 'a state of a limit',
    body: { ...withoutZ, steady: true },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  { title: '65 states', body: { ...twoSteps, F: unit(65) }, code: 'INVALID_INPUT', field: 'F' },
  {
    title: 'too many numbers in all rows',
    body: {
      ...twoSteps,
      ...{ F: unit(64), Q: unit(64), P0: unit(64), H: [unit(64)[0]], x0: unit(64)[0] },
      z: Array.from({ length: 500 }, () => [1]),
    },
    code: 'LIMIT_EXCEEDED',
    field: 'z',
  },
  ...[[[1]], [[-1]]].map((F) => ({
    title: `a limit on the boundary, F = ${F}`,
    body: growing(F, [[1]], [[0]]),
    code: 'DID_NOT_CONVERGE',
    field: 'steady',
  })),
  {
    title: 'a limit of a position and a velocity without noise',
    body: growing(
      [
        [1, 1],
        [0, 1],
      ],
      [[1, 0]],
      [
        [0, 0],
        [0, 0],
      ],
    ),
    code: 'OUTSIDE_TOLERANCE',
    field: 'steady',
  },
  {
    title: 'a state that nobody sees, beyond what doubles hold',
    body: { ...twoSteps, F: [[1e10]], H: [[0]], z: Array.from({ length: 60 }, () => [0]) },
    code: 'NON_FINITE',
    field: 'z',
  },
  {
    title: 'a limit that is none',
    body: { ...withoutZ, F: [[2]], H: [[0]], steady: true, quantity: 'covariance', component: [0, 0] },
    code: 'DID_NOT_CONVERGE',
    field: 'steady',
  },
];

testSolver(kalman, {
  orders: 'its recursion is the exact solution of a model in discrete time: what is left is rounding',
  references: [
    ...[0.6993398392574448, 0.6049414329838514, 0.30317167441486065].map((expect, i) => ({
      ...by,
      title: `x${i} after 200 measurements`,
      body: { ...filtered, component: [i] },
      expect,
    })),
    {
      ...by,
      title: 'P01',
      body: { ...filtered, quantity: 'covariance', component: [0, 1] },
      expect: 0.0019854423167971285,
    },
    {
      ...by,
      title: 'K21',
      body: { ...filtered, quantity: 'gain', component: [2, 1] },
      expect: 0.01994963654265615,
    },
    {
      ...by,
      title: 'P11 before',
      body: { ...filtered, quantity: 'priorCovariance', component: [1, 1] },
      expect: 0.11843033377876616,
    },
    {
      ...by,
      title: 'ln L',
      body: { ...filtered, quantity: 'logLikelihood', component: undefined },
      expect: -321.67764820923486,
    },
    {
      title: 'limit P01',
      body: limit,
      expect: -0.0025357971117633262,
      tolerance: 1e-8,
      source: 'SciPy solve_discrete_are',
    },
    {
      title: 'limit P22',
      body: { ...limit, component: [2, 2] },
      expect: 0.0032961726583269303,
      tolerance: 1e-8,
      source: 'SciPy solve_discrete_are',
    },
    ...(
      [
        ['priorCovariance', [0, 0], 1.61803398874989],
        ['covariance', [0, 0], 0.618033988749895],
      ] as const
    ).map(([quantity, component, expect]) => ({
      title: `random walk, Q = R = 1: ${quantity}`,
      body: { F: [[1]], H: [[1]], Q: [[1]], R: [[1]], steady: true, quantity, component },
      expect,
      tolerance: 1e-12,
      source: '(Q + √(Q² + 4QR))/2 = φ',
    })),
    ...(
      [
        [0, 0, 3],
        [0, 1, 2],
        [1, 1, 2],
      ] as const
    ).map(([i, j, expect]) => ({
      title: `α–β filter, Λ = 1: P${i}${j} before the measurement`,
      body: { ...kalman.examples[1]!.body, quantity: 'priorCovariance', component: [i, j] },
      expect,
      tolerance: 1e-9,
      source: 'Kalata 1984',
    })),
    ...(
      [
        [0, 0, 8.864462209],
        [0, 1, -4 / 3],
        [1, 1, 4 / 3],
      ] as const
    ).map(([i, j, expect]) => ({
      title: `limit P${i}${j} of one state that grows and one with noise`,
      body: mixed([i, j]),
      expect,
      tolerance: 1e-8,
      source: 'SciPy solve_discrete_are',
    })),
  ].map(({ body, ...rest }) => ({ ...rest, body: JSON.parse(JSON.stringify(body)) as object })),
  twins: faults.map(([title, body, find, replace]) => ({ title, body, find, replace })),
  refused,
});

t.test('a start too uncertain for doubles is told one that is taken', async (t) => {
  const z = Array.from({ length: 50 }, (_, i) => [i + Math.sin(9 * i)]);
  const body = (P: number) => ({
    ...{ F: [[1]], H: [[1]], Q: [[0.01]], R: [[1e-3]], x0: [0], P0: [[P]], z },
    ...{ quantity: 'state', component: [0] },
  });
  for (const P of [1e17, 1e40, 1e300]) {
    const { details } = await refusalOf(kalman, body(P));
    t.equal(details.field, 'P0');
    const taken = Number(/at most (\S+)$/.exec(String(details.accepts))?.[1]);
    t.ok(Number.isFinite((await solvedBy(kalman, body(taken))).verdict.value), `${P}`);
  }
});

t.test('numbers too far from 1 are told those that are taken', async (t) => {
  const far = { F: [[0.32]], H: [[1]], Q: [[1e150]], R: [[1e-100]], x0: [0], P0: [[1e-12]], z: [[1], [2]] };
  const { details } = await refusalOf(kalman, { ...far, quantity: 'gain', component: [0, 0] });
  t.match(details, { field: 'Q', accepts: /from 1e-50 to 1e\+50 in size$/ });
  const near = { ...far, Q: [[1e50]], R: [[1e-50]], quantity: 'gain', component: [0, 0] };
  t.ok(Math.abs((await solvedBy(kalman, near)).verdict.value - 1) < 1e-9);
});

t.test('a smoother goes back over a thousand measurements, and over states that grow', async (t) => {
  const saw = (k: number) => ((k * 7) % 5) - 2;
  const cases: readonly (readonly [object, (k: number) => number, number, readonly number[]])[] = [
    // SciPy solveh_banded of the normal equations.
    [{ F: [[1]], Q: [[1]] }, saw, 1000, [-0.8295101634089189, -0.6363636363636364]],
    // Rauch, Tung and Striebel with 60 digits (mpmath).
    [{ F: [[1.5]], Q: [[0.25]] }, saw, 300, [-0.21797043323759, -0.13934426229508]],
    [{ F: [[2]], Q: [[0]] }, (k) => 2 ** (k + 1) * 0.1 + saw(k), 40, [0.2, 209715.2]],
  ];
  for (const [model, at, count, [first, middle]] of cases) {
    const z = Array.from({ length: count }, (_, k) => [at(k)]);
    const job = await solved({ ...walk, H: [[1]], R: [[1]], ...model, z, smoother: true });
    const states = fieldOf(job, 'smoothed');
    t.ok(relative(states[0]!, first!) < 1e-9, `${states[0]}`);
    const half = states[count / 2]!;
    t.ok(relative(half, middle!) < 1e-9, `${half}`);
  }
});

t.test('innovations of the right model are white, and those of a wrong one are not', async (t) => {
  // A random walk seen with noise, drawn by Park and Miller’s congruence and Box and Muller.
  let seed = 12345;
  const draw = () => {
    seed = (16807 * seed) % (2 ** 31 - 1);
    return seed / 2 ** 31;
  };
  const normal = () => Math.sqrt(-2 * Math.log(draw())) * Math.cos(2 * Math.PI * draw());
  let at = 0;
  const z = Array.from({ length: 4000 }, () => {
    at += normal();
    return [at + normal()];
  });
  const correlations = async (Q: number) => {
    const job = await solved({ ...walk, Q: [[Q]], R: [[1]], z });
    const y = fieldOf(job, 'innovations');
    const sum = (lag: number) => y.subarray(lag).reduce((total, each, k) => total + each * y[k]!, 0);
    const lags = [1, 2, 3, 4, 5].map((lag) => Math.abs(sum(lag) / sum(0)));
    return { most: Math.max(...lags), mean: outputOf(job, 'normalisedInnovation') };
  };
  const right = await correlations(1);
  // Three and a half deviations: of a correlation 1/√N, of the mean of N squares √(2/N).
  t.ok(right.most < 3.5 / Math.sqrt(4000), `${right.most}`);
  t.ok(Math.abs(right.mean - 1) < 3.5 * Math.sqrt(2 / 4000), `${right.mean}`);
  for (const wrong of [await correlations(0.1), await correlations(10)]) {
    t.ok(wrong.most > 6 / Math.sqrt(4000), `${wrong.most}`);
    t.ok(Math.abs(wrong.mean - 1) > 6 * Math.sqrt(2 / 4000), `${wrong.mean}`);
  }
});

t.test('the smoothed first state is that of NumPy’s Rauch–Tung–Striebel smoother', async (t) => {
  const states = fieldOf(await solved(smoothed), 'smoothed');
  const expected = [-0.00620167960378748, 1.0063178024585173, -0.19829308108281785];
  t.ok(expected.every((value, i) => Math.abs(states[i]! - value) < 1e-9));
});
