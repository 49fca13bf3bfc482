import t from 'tap';
import type { Refusal } from '../../src/errors/refusal.ts';
import { type ComputeInput, compute } from '../../src/solvers/compute.ts';
import { fea } from '../../src/solvers/fea.ts';
import { gauge } from '../../src/solvers/gauge.ts';
import { readInput } from '../../src/solvers/input.ts';
import { refusalOfRun } from '../../src/solvers/refused-run.ts';
import { schrodinger } from '../../src/solvers/schrodinger.ts';
import { zeta } from '../../src/solvers/zeta.ts';
import { goOn, startJob } from './continue-job.ts';
import { cheapest, inputOf } from './solver-test.ts';

const of = (equation: string, status: number): Refusal => {
  const { input } = readInput(compute.input, { equation, inputs: {} });
  return refusalOfRun(compute, compute.canonical!(input as ComputeInput), { status, observed: [] });
};

t.test('a formula that fails is said to, by the operations that it has', async (t) => {
  const cases: [equation: string, status: number, code: string, sentence: RegExp][] = [
    ['1/0', 16, 'NON_FINITE', /^compute: equation: .*a division by zero, or .*; accepted: .*finite/],
    ['sqrt(-1)', 16, 'NON_FINITE', /^compute: equation: .*a square root of a negative number, or/],
    [
      'ln(0) + asin(2)',
      16,
      'NON_FINITE',
      /a logarithm of what is not positive, or an arcsine of what is above 1/,
    ],
    ['exp(1000)', 16, 'NON_FINITE', /here: a number beyond 1\.8e308; accepted/],
    [
      'sin(1e22)',
      24,
      'UNSUPPORTED',
      /^compute: equation: the angle of sin is too large; accepted: .*2\^50 rad\.$/,
    ],
  ];
  for (const [equation, status, code, sentence] of cases) {
    const refusal = of(equation, status);
    t.match(refusal, { code, message: sentence, details: { field: 'equation', accepts: String } }, equation);
  }
  t.notMatch(of('1/0', 16).message, /root|logarithm/, 'and not by others');
});

t.test('the sentence of a failed run has the field, the reason and what is accepted', async (t) => {
  const read = <I>(solver: { input: unknown }, body: unknown) =>
    readInput(solver.input as never, body).input as I;
  const plate = read<Parameters<typeof fea.unit>[0]>(
    fea,
    fea.examples.find(({ body }) => 'probe' in body)!.body,
  );
  t.equal(
    refusalOfRun(fea, plate, { status: 20, observed: [4, 0, 0] }).message,
    'fea: probe: the probe lies in no patch; accepted: a point of the body.',
  );
  const chain = read<Parameters<typeof gauge.unit>[0]>(gauge, { group: 'U1', beta: 5, L: 4 });
  t.match(
    refusalOfRun(gauge, { ...chain, sweeps: 64 }, { status: 17, observed: [2, 0, 1e-2, 2.5e-4] }).message,
    /^gauge: sweeps: .*; accepted: 150016 sweeps, or a larger L\.$/,
  );
  const [gate] = gauge.gates;
  t.equal(
    refusalOfRun(gauge, chain, { status: 18, observed: [0, 0, 2, 1] }).message,
    `gauge: gate ‘${gate!.name}’ has error 2, above its bound 1.`,
  );
  const packet = schrodinger.examples.find(({ body }) => 'integrator' in body || 't_max' in body)!.body;
  t.match(
    refusalOfRun(schrodinger, inputOf(schrodinger, { ...packet, dt: 1e-17 }), {
      status: 19,
      observed: [1, 0, 4e-3, 1e-3],
    }),
    {
      message:
        'schrodinger: the energy drifts by 0.4 %, above its bound of 0.1 %; accepted: dt = 3.91e-18 or less.',
      details: { field: 'dt', driftPct: 0.4, boundPct: 0.1 },
    },
  );
  const zero = read<Parameters<typeof zeta.unit>[0]>(zeta, cheapest(zeta));
  t.match(refusalOfRun(zeta, zero, { status: 16, observed: [] }).message, /left the finite numbers/);
});

t.test('a job that goes on is told of a job from the start, for it can change its end alone', async (t) => {
  const { body } = schrodinger.examples.find((each) => 't_max' in each.body)!;
  const first = inputOf(schrodinger, { ...body, dt: 1e-17 });
  const drifts = { status: 19, observed: [1, 0, 4e-3, 1e-3] };
  t.match(refusalOfRun(schrodinger, { ...first, before: {} } as never, drifts), {
    message: /; accepted: a job from the start with dt = 3\.91e-18 or less\.$/,
    details: {
      field: 'initialState.continue',
      accepts: /^a job from the start with dt = 3\.91e-18 or less$/,
    },
  });
  const chain = readInput(gauge.input, { group: 'U1', beta: 5, L: 4 }).input;
  const longer = { ...(chain as object), sweeps: 64, before: {} };
  t.match(refusalOfRun(gauge, longer as never, { status: 17, observed: [2, 0, 1e-2, 2.5e-4] }), {
    details: { accepts: '150016 sweeps in all, or a larger L' },
  });
  const packet = {
    mode: 'evolve',
    units: 'reduced',
    mass: 1,
    potential: { type: 'harmonic', omega: 1 },
    initial: { type: 'gaussian', x0: [1.5], sigma: 0.7, k0: [0] },
    domain: [-10, 10],
    N: 256,
    quantity: 'mean',
    dt: 0.1,
  };
  const begun = await startJob(schrodinger, inputOf(schrodinger, { ...packet, t_max: 0.1 }));
  await t.rejects(async () => goOn(schrodinger, begun, { ...begun.first, t_max: 20 }), {
    code: 'OUTSIDE_TOLERANCE',
    details: { field: 'initialState.continue', accepts: /^a job from the start with dt = [\d.]+ or less$/ },
  });
});

t.test('gauge says why it takes no β of 0', async (t) => {
  const { input } = readInput(gauge.input, { group: 'Z2', beta: 0, L: 4 });
  t.throws(() => gauge.plan(input as never, { requestHash: new Uint8Array(32) }), {
    code: 'INVALID_INPUT',
    message: /^beta: .*every loop is exactly 0.*; accepted: 0 < beta ≤ 50\.$/,
    details: { field: 'beta', accepts: '0 < beta ≤ 50' },
  });
});
