import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { FinishedRun } from '../../src/proof/job.ts';
import { gauge } from '../../src/solvers/gauge.ts';
import { type MultibodyInput, type Scheme, schemes } from '../../src/solvers/multibody/problem.ts';
import { multibody } from '../../src/solvers/multibody.ts';
import type { SolveInput } from '../../src/solvers/solve/problem.ts';
import { solve } from '../../src/solvers/solve.ts';
import { repositoryRoot } from '../root.ts';
import { figureEight } from '../spine/test-node.ts';
import { goOn, type Job, startJob } from './continue-job.ts';

t.setTimeout(120_000);

// A run to T₁ that goes on to T₂ is the run to T₂: positions, velocities, carries, conserved quantities and what is
// told of them are equal to the bit. What by nature is not: the work (each job counts its own), the rows and samples
// (each job shows its own stretch, so too the count of rows), and with more than 1000 steps the extremes of the
// momenta, which are taken at the rows.

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const doubles = (bytes: Uint8Array) => new Float64Array(Uint8Array.from(bytes).buffer);

/** A result of an N-body run but for its count of rows, which stands at 8, and for rows kept in radau15's clock. */
function endOf(run: FinishedRun, bodies: number, scheme: Scheme): string {
  const numbers = doubles(run.result);
  numbers[1] = 0;
  if (scheme === 'radau15') {
    const stateAt = 2 + 6 * bodies + 16 + 4;
    const padded = bodies + (bodies % 2);
    numbers[stateAt + 12 * padded + 16 + 4] = 0;
  }
  return hex(new Uint8Array(numbers.buffer));
}

const gatesOf = ({ verdict }: Job<never>) => verdict.gates.map(({ source: _, ...row }) => row);

const eight = (integrator: Scheme, t_max: number): MultibodyInput => ({
  ...(figureEight as MultibodyInput),
  dt: 1 / 256,
  t_max,
  integrator,
});
const pair = (integrator: Scheme, t_max: number): MultibodyInput => ({
  position: [
    [1, 0, 0],
    [-0.5, 0, 0.1],
  ],
  velocity: [
    [0, 0.5, 0],
    [0, -0.25, 0],
  ],
  mass: [1, 2],
  referenceMode: 'gravity',
  G: 1,
  dt: 1 / 512,
  t_max,
  integrator,
});

for (const integrator of schemes) {
  for (const [title, body] of [
    ['three bodies', eight],
    ['two bodies', pair],
  ] as const) {
    t.test(`${integrator}, ${title}: on from T₁ is the run to T₂, to the bit`, async (t) => {
      const bodies = body(integrator, 1).mass!.length;
      const whole = await startJob(multibody, body(integrator, 1.75));
      const start = await startJob(multibody, body(integrator, 1));
      const then = await goOn(multibody, start, { t_max: 1.75 } as MultibodyInput);
      const runs = bodies === 2 ? [0] : [0, 1, 2];
      for (const run of runs) {
        const [own, other] = [then.finished[run]!, whole.finished[run]!];
        t.equal(
          endOf(own, run === 2 ? 2 : bodies, integrator),
          endOf(other, run === 2 ? 2 : bodies, integrator),
        );
      }
      t.same(gatesOf(then as never), gatesOf(whole as never), 'gates: drift, half step, orbit');
      t.same(then.verdict.extras.slice(0, 9), whole.verdict.extras.slice(0, 9), 'drifts, errors, E₀, K, U');
      t.equal(then.verdict.value, whole.verdict.value);
      const work = (job: Job<MultibodyInput>) => job.finished[0]!.work;
      if (integrator !== 'radau15') t.equal(work(start) + work(then), work(whole), 'no step is paid twice');
    });
  }

  t.test(`${integrator}: a chain of three is the run to its end`, async (t) => {
    const whole = await startJob(multibody, eight(integrator, 1.5));
    const first = await startJob(multibody, eight(integrator, 0.5));
    const second = await goOn(multibody, first, { t_max: 0.75 } as MultibodyInput);
    const third = await goOn(multibody, second, { t_max: 1.5 } as MultibodyInput);
    for (const run of [0, 1]) {
      t.equal(endOf(third.finished[run]!, 3, integrator), endOf(whole.finished[run]!, 3, integrator));
    }
    t.same(gatesOf(third as never), gatesOf(whole as never));
  });
}

t.test('a tree goes on from the same positions with the same forces', async (t) => {
  const tree = (t_max: number): MultibodyInput => ({ ...eight('leapfrog', t_max), force: 'tree' });
  const whole = await startJob(multibody, tree(1));
  const then = await goOn(multibody, await startJob(multibody, tree(0.5)), { t_max: 1 } as MultibodyInput);
  t.equal(endOf(then.finished[0]!, 3, 'leapfrog'), endOf(whole.finished[0]!, 3, 'leapfrog'));
});

t.test(
  'the step is the first job’s, to the bit, also where the later end would round it otherwise',
  async (t) => {
    const body = (t_max: number): MultibodyInput => ({ ...pair('yoshida6', t_max), dt: 0.1 });
    t.not(0.3 / 3, 0.5 / 5);
    const start = await startJob(multibody, body(0.3));
    const atOnce = await goOn(multibody, start, { t_max: 0.5 } as MultibodyInput);
    const between = await goOn(multibody, start, { t_max: 0.4 } as MultibodyInput);
    const inTwo = await goOn(multibody, between, { t_max: 0.5 } as MultibodyInput);
    t.equal(endOf(inTwo.finished[0]!, 2, 'yoshida6'), endOf(atOnce.finished[0]!, 2, 'yoshida6'));
    const [steps, step] = doubles(atOnce.finished[0]!.result).subarray(2 + 12 + 16);
    t.same([steps, step], [5, 0.3 / 3]);
  },
);

// ---- solve -----------------------------------------------------------------------------------------------

/** What a level says but for its samples (their count at 120) — head, and the state to go on from. */
function levelOf(run: FinishedRun): string {
  const numbers = doubles(run.result);
  numbers[15] = 0;
  return hex(new Uint8Array(numbers.buffer)).slice(0, 288) + hex(run.result.subarray(-72));
}

const equations: readonly (readonly [string, SolveInput])[] = [
  ['damped oscillator', { inputs: { t_end: 2, m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0 }, dt: 1 / 128 }],
  ['undamped Duffing', { inputs: { t_end: 2, m: 1, k: 1, beta: 1, x0: 1, v0: 0 }, dt: 1 / 128 }],
  [
    'forced Duffing',
    { inputs: { t_end: 2, m: 1, c: 0.2, k: 1, beta: 1, F: 0.3, Omega: 1.2, x0: 1, v0: 0 }, dt: 1 / 128 },
  ],
  ['first order, with a force', { inputs: { t_end: 2, c: 1, k: 0.3, F: 1, Omega: 2, y0: 5 }, dt: 1 / 128 }],
  [
    'from a later start',
    { inputs: { t_end: 2, m: 1, k: 4 }, initialState: { x: 1, v: 0, t0: 1 }, dt: 1 / 128 },
  ],
];
const until = (input: SolveInput, t_end: number): SolveInput => ({
  ...input,
  inputs: { ...input.inputs, t_end },
});

for (const [title, input] of equations) {
  t.test(`solve, ${title}: on from T₁ is the run to T₂, to the bit, on every level`, async (t) => {
    const whole = await startJob(solve, until(input, 4));
    const second = await goOn(solve, await startJob(solve, input), until(input, 2.5));
    const third = await goOn(solve, second, until(input, 4));
    for (const level of [0, 1, 2]) t.equal(levelOf(third.finished[level]!), levelOf(whole.finished[level]!));
    t.equal(third.verdict.value, whole.verdict.value);
    t.same(
      third.verdict.extras.slice(0, 12),
      whole.verdict.extras.slice(0, 12),
      'x, v, E, drift, mean, period',
    );
    const times = doubles(third.finished[2]!.result).subarray(18);
    t.same(
      [times[0], times[doubles(third.finished[2]!.result)[15]! - 1]],
      [2.5, 4],
      'samples of its own stretch',
    );
  });
}

t.test('solve goes on from a result of 0.4.0, which had room for 257 samples', async (t) => {
  const file = join(repositoryRoot, 'test', 'proof', 'released', 'solve-0.4.0.json');
  const { runs } = JSON.parse(readFileSync(file, 'utf8'));
  const input: SolveInput = { inputs: { t_end: 3, m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0 } };
  const today = await startJob(solve, input);
  const finished = today.finished.map((run, i) =>
    i < 3 ? { ...run, result: new Uint8Array(Buffer.from(runs[i].result, 'base64')) } : run,
  );
  t.ok(finished[0]!.result.length > today.finished[0]!.result.length);
  const [before, now] = await Promise.all(
    [{ ...today, finished }, today].map((job) => goOn(solve, job, until(input, 4))),
  );
  const [was, is] = [before, now].map((job) => doubles(Buffer.from(levelOf(job!.finished[2]!), 'hex')));
  for (const [i, value] of was!.entries())
    t.ok(
      // What is carried from sum to sum is rounding itself, of numbers of about 1.
      Math.abs(value - is![i]!) <= 1e-12 * Math.abs(is![i]!) + 2 ** -52,
      `${value}: kernels of then and now round apart`,
    );
});

t.test('with strict each level goes on, and one that was not needed before starts anew', async (t) => {
  const input: SolveInput = {
    inputs: { t_end: 4, m: 1, c: 0.2, k: 1, beta: 1, F: 0.3, Omega: 1.2, x0: 1, v0: 0 },
    dt: 1 / 2,
    strict: true,
    maxIterations: 12,
  };
  const whole = await startJob(solve, until(input, 16));
  const first = await startJob(solve, input);
  const then = await goOn(solve, first, until(input, 16));
  t.ok(then.finished.length > first.finished.length, 'a longer run needs finer levels');
  t.equal(then.finished.length, whole.finished.length);
  then.finished.slice(0, -1).forEach((run, level) => {
    t.equal(levelOf(run), levelOf(whole.finished[level]!), `level ${level}`);
  });
  t.equal(then.verdict.value, whole.verdict.value);
});

t.test('multibody without positions goes on as solve does', async (t) => {
  const body = (t_max: number) =>
    ({ inputs: { m: 1, k: 1, beta: 1, x0: 1, v0: 0 }, dt: 1 / 128, t_max }) as unknown as MultibodyInput;
  const whole = await startJob(multibody, body(4));
  const then = await goOn(multibody, await startJob(multibody, body(2)), { t_max: 4 } as MultibodyInput);
  t.equal(levelOf(then.finished[2]!), levelOf(whole.finished[2]!));
});

// ---- gauge -----------------------------------------------------------------------------------------------

type GaugeInput = Parameters<typeof gauge.plan>[0];

for (const [group, beta, L] of [
  ['Z2', 1.2, 8],
  ['U1', 5, 8],
  ['SU2', 8, 4],
] as const) {
  t.test(`gauge, ${group}: every chain goes on as if it had not stopped`, async (t) => {
    const input = { group, beta, L, sweeps: 4096 * 8 } as GaugeInput;
    const first = await startJob(gauge, input);
    const rounds = Math.floor(first.finished.length / 9);
    const taken = Array.from({ length: rounds }, (_, i) => doubles(first.finished[9 * i]!.result)[0]!);
    const before = taken.reduce((a, b) => a + b, 0);
    const second = await goOn(gauge, first, { ...input, sweeps: before + 64 });
    const third = await goOn(gauge, second, { ...input, sweeps: before + 192 });
    // One run of the first job's chain over all sweeps: the parameters of its first round with more samples.
    const plan = first.plans[1]!;
    const parameters = (plan.parts[0] as { bytes: Uint8Array }).bytes.slice();
    new DataView(parameters.buffer).setFloat64(48, before + 192, true);
    const { runKernel } = await import('./run-job.ts');
    const whole = runKernel('gauge', parameters, plan.stepsPerSegment);
    t.equal(
      hex(third.finished[1]!.result.subarray(1616)),
      hex(whole.result.subarray(1616)),
      'its links, to the bit',
    );
    t.equal(third.verdict.extras[2], 8 * (before + 192), 'the sums of before are added to');
    t.not(third.verdict.value, first.verdict.value);
    const paid = third.finished.reduce((sum, run) => sum + run.work, 0n);
    t.equal(
      paid,
      BigInt(gauge.quote(third.input, { requestHash: new Uint8Array(32) }).work),
      'and the quote is exact',
    );
  });
}

// ---- what is refused -------------------------------------------------------------------------------------

t.test('a new end that does not fit is refused, with the nearest that do', async (t) => {
  const many = await startJob(multibody, eight('pefrl', 1));
  const adaptive = await startJob(multibody, eight('radau15', 1));
  const motion = await startJob(solve, equations[0]![1]);
  const field = await startJob(gauge, { group: 'U1', beta: 5, L: 8 } as GaugeInput);
  const refused: [string, () => unknown, object][] = [
    [
      'between steps',
      () => goOn(multibody, many, { t_max: 1.001 } as MultibodyInput),
      { field: 't_max', accepts: [1.00390625] },
    ],
    ['the same end', () => goOn(multibody, many, { t_max: 1 } as MultibodyInput), { field: 't_max' }],
    [
      'radau15, earlier',
      () => goOn(multibody, adaptive, { t_max: 0.5 } as MultibodyInput),
      { field: 't_max' },
    ],
    [
      'solve',
      () => goOn(solve, motion, until(motion.first, 2.001)),
      { field: 'inputs.t_end', step: 1 / 128 },
    ],
    ['gauge', () => goOn(gauge, field, { ...field.first, sweeps: 100_001 }), { field: 'sweeps', step: 64 }],
  ];
  for (const [title, call, details] of refused)
    await t.rejects(async () => call(), { code: 'INVALID_INPUT', details }, title);
  await t.rejects(async () => goOn(gauge, field, field.first), {
    code: 'MISSING_INPUT',
    details: { field: 'sweeps' },
  });
});

t.test('a broken twin of the law: from positions and velocities alone the bits are others', async (t) => {
  const whole = await startJob(multibody, eight('pefrl', 1.75));
  const start = await startJob(multibody, eight('pefrl', 1));
  const all = doubles(start.finished[0]!.result.subarray(16, 16 + 48 * 3));
  const triples = (from: number) => [0, 1, 2].map((i) => [...all.subarray(from + 3 * i, from + 3 * i + 3)]);
  const anew: MultibodyInput = { ...eight('pefrl', 0.75), position: triples(0), velocity: triples(9) };
  const then = await startJob(multibody, anew);
  t.not(hex(then.finished[0]!.result.subarray(16, 160)), hex(whole.finished[0]!.result.subarray(16, 160)));
});
