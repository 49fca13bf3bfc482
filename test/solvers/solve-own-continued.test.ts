import t from 'tap';
import type { SolveInput } from '../../src/solvers/solve/problem.ts';
import { solve } from '../../src/solvers/solve.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { goOn, startJob } from './continue-job.ts';
import { fieldOf, inputOf } from './solver-test.ts';
import { refusalOfTwin } from './twin-job.ts';

// Systems of the caller's own in `solve` that go on from an earlier job.

const kernel = 'assembly/kernels/solve-system.ts';
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

/** What a level ends with: value, components, extremes; and the state to go on from. */
function endOf({ result }: { readonly result: Uint8Array }, n: number): string {
  const state = 8 * (3 + 3 * n);
  return Buffer.concat([result.subarray(0, 8 * (1 + n)), result.subarray(-state)]).toString('hex');
}

const pushed = {
  equation: "theta'' = -(g/L)*sin(theta) + a*sin(w*t)",
  inputs: {
    theta0: { value: 170, unit: 'deg' },
    theta_dot0: { value: 0, unit: 'rad/s' },
    g: { value: 9.81, unit: 'm/s^2' },
    L: { value: 1, unit: 'm' },
    a: { value: 0.1, unit: '1/s^2' },
    w: { value: 1, unit: 'rad/s' },
  },
};
const predators = {
  equation: "u' = u - u*v; v' = u*v - v",
  inputs: { u0: 2, v0: 1 },
  conserved: 'u - ln(u) + v - ln(v)',
};

for (const [title, body, ends] of [
  ['a pendulum that is pushed', { ...pushed, dt: 1 / 256 }, [2, 2.5, 4]],
  ['what is conserved', { ...predators, dt: 1 / 64 }, [1, 3, 7]],
  ['a later start', { ...predators, initialState: { t0: 1 }, dt: 1 / 64 }, [2, 4, 7]],
] as const) {
  t.test(`${title}: a system on from T₁ is the run to T₂, to the bit, on every level`, async (t) => {
    const until = (t_end: number) => inputOf(solve, { ...body, inputs: { ...body.inputs, t_end } });
    const sent = (t_end: number) => ({ equation: body.equation, inputs: { t_end } }) as SolveInput;
    const [first, second, last] = ends;
    const whole = await startJob(solve, until(last));
    const then = await goOn(solve, await startJob(solve, until(first)), sent(second));
    const third = await goOn(solve, then, sent(last));
    for (const level of [0, 1, 2])
      t.equal(endOf(third.finished[level]!, 2), endOf(whole.finished[level]!, 2), `level ${level}`);
    t.equal(third.verdict.value, whole.verdict.value);
    const times = fieldOf(
      { ...third, presentation: solve.present(third.input, third.verdict, third.finished) },
      't',
    );
    t.same([times[0], times.at(-1)], [second, last], 'samples of its own stretch');
    t.ok(third.verdict.gates.some(({ name }) => name === 'single steps'));
    const { work } = solve.quote(third.input, { requestHash: new Uint8Array(32) });
    t.equal(
      third.finished.reduce((sum, run) => sum + Number(run.work), 0),
      work,
      'as quoted',
    );
  });
}

t.test('with strict a level that left the numbers, or was not needed, starts anew', async (t) => {
  const body = {
    equation: "y' = -30*(y - cos(t))",
    inputs: { y0: 0, t_end: 1 },
    dt: 1 / 4,
    strict: true,
    maxIterations: 20,
  };
  const until = (t_end: number) => inputOf(solve, { ...body, inputs: { ...body.inputs, t_end } });
  const first = await startJob(solve, until(1));
  const then = await goOn(solve, first, { equation: body.equation, inputs: { t_end: 2 } } as SolveInput);
  // y' = −k(y − cos t): (k² cos t + k sin t)/(k² + 1) when the start is forgotten.
  const y = (900 * Math.cos(2) + 30 * Math.sin(2)) / 901;
  t.ok(relative(then.verdict.value, y) < 1e-6, `${then.verdict.value}`);
});

t.test('a new end of a system in another unit, or between its steps, is refused', async (t) => {
  const body = inputOf(solve, {
    ...pushed,
    inputs: { ...pushed.inputs, t_end: { value: 2, unit: 's' } },
    dt: 0.25,
  });
  const first = await startJob(solve, { ...body, dt: 1 / 256 });
  const sent = (t_end: unknown) => ({ equation: body.equation, inputs: { t_end } }) as SolveInput;
  for (const t_end of [
    { value: 3, unit: 'm' },
    { value: 1, unit: 's' },
    { value: 2001.1, unit: 'ms' },
  ])
    await t.rejects(async () => goOn(solve, first, sent(t_end)), { code: 'INVALID_INPUT' });
  await t.rejects(async () => goOn(solve, first, sent(undefined)), { code: 'MISSING_INPUT' });
  const then = await goOn(solve, first, sent({ value: 2500, unit: 'ms' }));
  t.equal(then.verdict.value, (await goOn(solve, first, sent(2.5))).verdict.value);
  const swing = { operators: ['ODE_NONE'], inputs: {} } as SolveInput;
  t.throws(
    () =>
      solve.continuation!.join(sent(3), { id: 'j', first: swing, firstHash: new Uint8Array(32), runs: [] }),
    { code: 'UNSUPPORTED' },
  );
});

t.test(
  'a kernel that goes on from another place than the earlier end is never sealed (HON-16)',
  async (t) => {
    const first = await startJob(
      solve,
      inputOf(solve, { ...predators, inputs: { ...predators.inputs, t_end: 1 }, dt: 1 / 64 }),
    );
    const { input } = await goOn(solve, first, {
      equation: predators.equation,
      inputs: { t_end: 2 },
    } as SolveInput);
    const twin = await brokenTwin(kernel, {
      file: kernel,
      find: 'memory.copy(y, state + 24, column);',
      replace: 'begin();',
    });
    t.equal((await refusalOfTwin(solve, input, 'solve-system', twin))?.code, 'OUTSIDE_TOLERANCE');
  },
);
