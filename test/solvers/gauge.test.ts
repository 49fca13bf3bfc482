import fc from 'fast-check';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { gauge } from '../../src/solvers/gauge.ts';
import { readInput } from '../../src/solvers/input.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { testRefusals } from './refusals.ts';
import { runJob } from './run-job.ts';
import { memoryOf, testSolver } from './solver-test.ts';

type Input = typeof gauge extends Solver<infer I> ? I : never;
const read = (body: unknown) => readInput(gauge.input, body).input as unknown as Input;
const context = { requestHash: new Uint8Array(32) };

async function refusalOf(body: unknown): Promise<Refusal> {
  try {
    await runJob(gauge, read(body));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('was not refused');
}

/** On so large a torus the plaquette is that of the plane: I₁(β)/I₀(β), I₂(β)/I₁(β), tanh β (Gross & Witten 1980). */
const plane: typeof cases = [
  ['U1, β = 1, on a plane', { group: 'U1', beta: 1, L: 16 }, 0.446389965896535],
  ['U1, β = 2, on a plane', { group: 'U1', beta: 2, L: 16 }, 0.697774657964008],
  ['SU2, β = 2, on a plane', { group: 'SU2', beta: 2, L: 6 }, 0.433127426722312],
  ['Z2, β = 0.5, on a plane', { group: 'Z2', beta: 0.5, L: 16 }, 0.46211715726001],
];

// mpmath, 20 digits, by the sums at the head of assembly/gauge/exact.ts.
const cases: [string, Record<string, unknown>, number][] = [
  ['Z2, β = 0.1, L = 8', { group: 'Z2', beta: 0.1, L: 8 }, 0.09966799462495582],
  ['Z2, β = 2, L = 3', { group: 'Z2', beta: 2, L: 3 }, 0.9946842615143073],
  ['U1, β = 0.1, L = 8', { group: 'U1', beta: 0.1, L: 8 }, 0.04993760398793892],
  ['U1, β = 3, L = 16', { group: 'U1', beta: 3, L: 16 }, 0.8099852939565045],
  ['U1, β = 50, L = 4', { group: 'U1', beta: 50, L: 4 }, 0.9905802241940727],
  ['U1, β = 20, L = 4, 2 × 2', { group: 'U1', beta: 20, L: 4, loop: [2, 2] }, 0.9260338249459603],
  ['U1, β = 5, L = 2', { group: 'U1', beta: 5, L: 2 }, 0.9216849739400252],
  ['SU2, β = 0.3, L = 4', { group: 'SU2', beta: 0.3, L: 4 }, 0.0747203225965537],
  ['SU2, β = 20, L = 5', { group: 'SU2', beta: 20, L: 5 }, 0.9265433228436332],
  ['SU2, β = 40, L = 4, 2 × 1', { group: 'SU2', beta: 40, L: 4, loop: [2, 1] }, 0.9297396465325403],
];

testSolver(gauge, {
  references: [...cases, ...plane].map(([title, body, expect]) => ({
    title,
    body: { ...body, seed: 3 },
    expect,
    tolerance: 1e-3,
    source: 'mpmath',
  })),
  orders: [
    {
      title: 'standard error over sweeps',
      theory: 0.5,
      halvings: 4,
      errors: () => Promise.all([standardErrorAfter(64), standardErrorAfter(1024)]),
    },
  ],
});

async function standardErrorAfter(sweeps: number): Promise<number> {
  const job = await runJob(gauge, read({ group: 'U1', beta: 50, L: 8, seed: 1, sweeps }));
  return job.presentation.outputs.SE as number;
}

// mpmath, 30 digits, as above.
const rare: [string, Record<string, unknown>, number][] = [
  ['Z2, β = 4, L = 4', { group: 'Z2', beta: 4, L: 4 }, 0.9999966239788246],
  ['Z2, β = 4, L = 4, 1 × 2', { group: 'Z2', beta: 4, L: 4, loop: [1, 2] }, 0.9999936980968791],
  ['Z2, β = 6, L = 8', { group: 'Z2', beta: 6, L: 8 }, 0.9999999952433307],
];

t.test('Z2 where links hardly ever turn over is sealed with the error of what was not seen', async (t) => {
  for (const [title, body, value] of rare) {
    for (const seed of [1, 2, 3]) {
      const { verdict, presentation } = await runJob(gauge, read({ ...body, seed }));
      const error = presentation.outputs.SE as number;
      t.ok(error > 0 && error <= 2.5e-4, `${title}, seed ${seed}: standard error ${error}`);
      t.ok(Math.abs(verdict.value - value) <= 4.5 * error, `${title}, seed ${seed}: ${verdict.value}`);
    }
  }
});

t.test('a seed names the chain: the same again, another one otherwise (HON-17)', async (t) => {
  const body = { group: 'U1', beta: 20, L: 3 };
  const [a, b, c] = await Promise.all([1, '1', 2].map((seed) => runJob(gauge, read({ ...body, seed }))));
  t.equal(a!.verdict.value, b!.verdict.value);
  t.not(a!.verdict.value, c!.verdict.value);
});

t.test('what is spent is under the quote, and the runs spend what they plan', async (t) => {
  const input = read({ group: 'SU2', beta: 20, L: 3 });
  const { finished } = await runJob(gauge, input);
  const spent = finished.reduce((sum, run) => sum + Number(run.work), 0);
  t.ok(spent <= gauge.quote(input, context).work);
  const planned = gauge.plan(input, context).runs.map((run) => run.work);
  t.same(
    finished.slice(0, 8).map((run) => Number(run.work)),
    planned,
  );
});

t.test('a chain takes the memory of its links, half as much again for the longest loop', async (t) => {
  for (const body of [
    { group: 'SU2', beta: 8, L: 128, sweeps: 64 },
    { group: 'SU2', beta: 8, L: 64, loop: [1, 63], sweeps: 64 },
    { group: 'U1', beta: 8, L: 64, loop: [3, 2], sweeps: 64 },
    { group: 'Z2', beta: 1, L: 2, sweeps: 64 },
  ]) {
    const [run] = gauge.plan(read(body), context).runs;
    const { taken, state } = memoryOf(run!);
    t.ok(taken <= run!.memory, JSON.stringify(body));
    t.ok(run!.memory <= 1.51 * state + 4 * 2 ** 16, JSON.stringify(body));
  }
});

t.test('without sweeps a quote is one to seven times what is spent, and the sweeps suffice', async (t) => {
  const drawn = fc.record({
    group: fc.constantFrom('Z2', 'U1', 'SU2'),
    beta: fc.double({ min: 2, max: 50, noNaN: true }),
    L: fc.integer({ min: 2, max: 12 }),
  });
  const asked = [
    { group: 'Z2', beta: 1.9, L: 5 },
    { group: 'U1', beta: 1, L: 12 },
    { group: 'U1', beta: 20, L: 4, loop: [2, 1] },
  ];
  for (const body of [...asked, ...fc.sample(drawn, { numRuns: 8, seed: 5 })]) {
    const input = read(body);
    const { finished } = await runJob(gauge, input);
    const spent = finished.reduce((sum, run) => sum + Number(run.work), 0);
    const ratio = gauge.quote(input, context).work / spent;
    t.ok(ratio >= 1 && ratio <= 7, `${JSON.stringify(body)}: ${ratio}`);
  }
});

const refused: [string, Record<string, unknown>, string, string][] = [
  ['four dimensions', { d: 4 }, 'UNSUPPORTED', 'd'],
  ['a job that is not there', { initialState: { continue: 'job' } }, 'NOT_FOUND', 'initialState.continue'],
  ['β = 0', { beta: 0 }, 'INVALID_INPUT', 'beta'],
  ['β = 51', { beta: 51 }, 'INVALID_INPUT', 'beta'],
  ['L = 1', { L: 1 }, 'INVALID_INPUT', 'L'],
  ['L = 10⁹', { L: 1e9 }, 'LIMIT_EXCEEDED', 'L'],
  ['a loop as long as the lattice', { loop: [4, 1] }, 'INVALID_INPUT', 'loop'],
  ['a loop of one side', { loop: [2] }, 'INVALID_INPUT', 'loop'],
  ['fewer sweeps than blocks', { sweeps: 10 }, 'INVALID_INPUT', 'sweeps'],
  ['another group', { group: 'SU3' }, 'INVALID_INPUT', 'group'],
  ['no group', { group: undefined }, 'MISSING_INPUT', 'group'],
  ['no β', { beta: undefined }, 'MISSING_INPUT', 'beta'],
  ['no L', { L: undefined }, 'MISSING_INPUT', 'L'],
  ['a β that is no number', { beta: 'strong' }, 'INVALID_INPUT', 'beta'],
  ['a β that is not finite', { beta: null }, 'INVALID_INPUT', 'beta'],
  ['an enormous β', { beta: 1e300 }, 'INVALID_INPUT', 'beta'],
  ['half a site', { L: 4.5 }, 'INVALID_INPUT', 'L'],
  ['a negative L', { L: -4 }, 'INVALID_INPUT', 'L'],
  ['no sweeps', { sweeps: 0 }, 'INVALID_INPUT', 'sweeps'],
  ['half a sweep', { sweeps: 100.5 }, 'INVALID_INPUT', 'sweeps'],
  ['a loop of side 0', { loop: [0, 1] }, 'INVALID_INPUT', 'loop[0]'],
  ['a loop that is no list', { loop: 2 }, 'INVALID_INPUT', 'loop'],
  ['a negative seed', { seed: -1 }, 'INVALID_INPUT', 'seed'],
  ['an unknown field', { mass: 1 }, 'INVALID_INPUT', 'mass'],
];

testRefusals('gauge', [
  ...refused.map(([title, change, code, field]) => ({
    title,
    body: { group: 'U1', beta: 2, L: 4, ...change },
    code,
    field,
  })),
  { title: 'too few sweeps', body: { group: 'U1', beta: 1, L: 2, sweeps: 64 }, code: 'DID_NOT_CONVERGE' },
]);

t.test('sweeps that do not suffice end as DID_NOT_CONVERGE, with those that do', async (t) => {
  const refusal = await refusalOf({ group: 'U1', beta: 1, L: 2, sweeps: 64 });
  t.equal(refusal.code, 'DID_NOT_CONVERGE');
  t.equal(refusal.details.sweeps, 64);
  const advised = Number(/^(\d+) sweeps, or a larger L$/.exec(String(refusal.details.accepts))?.[1]);
  // I₁/I₀ on the torus of four plaquettes, Σ Iₙ³ Iₙ₊₁ / Σ Iₙ⁴, by mpmath.
  const { verdict } = await runJob(gauge, read({ group: 'U1', beta: 1, L: 2, sweeps: advised }));
  t.ok(Math.abs(verdict.value / 0.5051965397676 - 1) < 1e-3, `${advised} sweeps: ${verdict.value}`);
});
