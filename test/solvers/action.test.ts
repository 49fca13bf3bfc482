import fc from 'fast-check';
import t from 'tap';
import type { ActionInput } from '../../src/solvers/action/schema.ts';
import { action } from '../../src/solvers/action.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { goOn, startJob } from './continue-job.ts';
import type { Refused } from './refusals.ts';
import { runKernel } from './run-job.ts';
import {
  fieldOf,
  inputOf,
  outputOf,
  refusalOf,
  solved as solvedBy,
  type Twin,
  testSolver,
} from './solver-test.ts';

t.setTimeout(120_000);

const solved = (body: object) => solvedBy(action, body);
const pendulum = { system: 'pendulum', m: 1, L: 1, g: 1, q0: Math.PI / 2, p0: 0, dt: 0.02, t_max: 3 };
const henon = { system: 'henon-heiles', lambda: 1, q0: [0, 0.1], p0: [0.35, 0], dt: 0.02, t_max: 20 };
const spring = { system: 'harmonic', m: 1, k: 1, q0: 1, p0: 0, dt: 0.1, t_max: 30 };
const planet = { system: 'kepler2d', m: 3, mu: 1, q0: [1, 0], p0: [0, 3.6], dt: 0.02, t_max: 40 };
const chain = {
  system: 'fput',
  m: 1,
  k: 1,
  alpha: 0.25,
  n: 7,
  q0: [0, 0.2, 0.5, 0.3, 0.1, 0, 0],
  p0: [0, 0, 0, 0, 0, 0.2, 0],
  dt: 0.1,
  t_max: 60,
};

// ---- laws ----------------------------------------------------------------------------------------------

const size = (min: number, max: number) => fc.double({ min, max, noNaN: true });

t.test('any motion in one dimension is held by its quadrature, also over and near a barrier', async () => {
  const body = fc.record({
    system: fc.constantFrom('pendulum', 'quartic', 'double-well', 'harmonic'),
    m: size(0.5, 3),
    q0: fc.oneof(size(-3, -0.3), size(0.3, 3)),
    p0: size(-3, 3),
    integrator: fc.constantFrom('pefrl', 'yoshida6'),
  });
  const constants: Record<string, object> = {
    pendulum: { L: 1.2, g: 2 },
    quartic: { lambda: 0.7 },
    'double-well': { a: 1, b: 0.8 },
    harmonic: { k: 2 },
  };
  await fc.assert(
    fc.asyncProperty(body, async (start) => {
      const job = { ...start, ...constants[start.system], dt: 0.02, t_max: 60, quantity: 'actionVariable' };
      const { verdict } = await solved(job);
      return verdict.precisionActual < 1e-3 && verdict.gates.length === 6;
    }),
    { numRuns: 40, seed: 4 },
  );
});

t.test('a flow that is turned round comes home, and its action is the same', async (t) => {
  for (const body of [henon, planet, chain]) {
    const there = await solved(body);
    const { q, p } = there.presentation.outputs.finalState as { q: number[]; p: number[] };
    const back = await solved({ ...body, q0: q, p0: p.map((each) => -each) });
    const home = back.presentation.outputs.finalState as { q: number[]; p: number[] };
    const gap = Math.max(...home.q.map((each, i) => Math.abs(each - [body.q0].flat()[i]!)));
    t.ok(gap < 1e-10, `${body.system}: ${gap}`);
    t.ok(Math.abs(back.verdict.value - there.verdict.value) < 1e-9 * (1 + Math.abs(there.verdict.value)));
  }
});

t.test('the energy of a symplectic scheme does not drift over 10⁵ periods; that of Runge–Kutta does', (t) => {
  const steps = 2 ** 22;
  const parameters = (scheme: number, count: number) =>
    new Layout().f64(0, 1, 1, 0, 1, 0.15, 0, count, scheme, 0, 1, 0).bytes();
  const drift = (scheme: number, count: number) =>
    new Float64Array(runKernel('action', parameters(scheme, count), 2 ** 20).result.slice().buffer)[5]!;
  for (const scheme of [0, 1, 2]) {
    const [early, late] = [drift(scheme, 2 ** 10), drift(scheme, steps)];
    t.ok(late < 1.01 * early + 1e-12, `${early} after ${2 ** 10} steps, ${late} after ${steps}`);
  }
  t.ok(drift(3, steps) > 100 * drift(3, 2 ** 10));
  t.end();
});

t.test('RK4 takes from a spring exactly 1 − (ωh)⁶/72 + (ωh)⁸/576 of its energy in a step', (t) => {
  // Hairer & Wanner II, IV.2: ωh = 0.1, 1000 steps, 0.999986128568335 of the energy is left.
  const parameters = new Layout().f64(0, 1, 1, 0, 1, 0.1, 0, 1000, 3, 0, 1, 0).bytes();
  const result = new Float64Array(runKernel('action', parameters, 2 ** 20).result.slice().buffer);
  // Behind 136 bytes q between two zeros, and p.
  const [q, p] = [result[18], result[20]];
  t.ok(Math.abs((q! * q! + p! * p!) / 0.999986128568335 - 1) < 1e-13, `${q! * q! + p! * p!}`);
  t.ok(Math.abs(result[5]! / (0.5 * (1 - 0.999986128568335)) - 1) < 1e-9, 'and that is the drift it tells');
  t.end();
});

t.test('leapfrog turns a spring at (2/h) asin(ωh/2), at ωh = 0.1 by 1.0004171361154', (t) => {
  const parameters = new Layout().f64(0, 1, 1, 0, 1, 0.1, 0, 2 ** 20, 1, 0, 1, 0).bytes();
  const [turns, first, last] = new Float64Array(
    runKernel('action', parameters, 2 ** 20).result.slice().buffer,
  ).slice(7) as unknown as [number, number, number];
  const rate = (2 * Math.PI * (turns - 1)) / (0.1 * (last - first));
  t.ok(Math.abs(rate / 1.0004171361154 - 1) < 1e-8, `${rate}`);
  t.end();
});

t.test('Kepler’s third law and J = 2πm√(μa)', async (t) => {
  for (const speed of [0.7, 1, 1.2]) {
    const job = await solved({ ...planet, p0: [0, 3 * speed], dt: 0.01, t_max: 60, quantity: 'period' });
    const axis = 1 / (2 - speed * speed);
    t.ok(Math.abs(job.verdict.value / (2 * Math.PI * axis ** 1.5) - 1) < 1e-5);
    t.ok(Math.abs(outputOf(job, 'J') / (6 * Math.PI * Math.sqrt(axis)) - 1) < 1e-5);
  }
});

t.test('open and parabolic orbits are held as well; they have no period', async (t) => {
  for (const p0 of [
    [0, 3 * Math.SQRT2],
    [1, 6],
  ]) {
    const job = await solved({ ...planet, p0 });
    t.equal(job.presentation.outputs.exactPeriod, null);
    t.ok(job.verdict.precisionActual < 1e-4);
  }
});

t.test('what rests, also upright or on a barrier, rests; S = −Vt', async (t) => {
  const barrier = { system: 'double-well', m: 1, a: 1, b: 1, q0: 0, p0: 0, dt: 0.02, t_max: 5 };
  t.equal((await solved(barrier)).verdict.value, 0);
  t.ok(Math.abs((await solved({ ...barrier, q0: 1 })).verdict.value - 5 / 4) < 1e-12);
  t.ok(Math.abs((await solved({ ...pendulum, q0: Math.PI, t_max: 5 })).verdict.value + 10) < 1e-9);
});

t.test('a long chain goes the way of a short one that is far from its ends', async (t) => {
  const wide = (n: number) => {
    const q0 = new Array<number>(n).fill(0);
    q0[n / 2] = 1;
    return { ...chain, n, q0, p0: q0.map(() => 0), t_max: 10 };
  };
  const [short, long] = [await solved(wide(60)), await solved(wide(600))];
  t.ok(Math.abs(short.verdict.value / long.verdict.value - 1) < 1e-10);
  t.equal(fieldOf(long, 'q_end').length, 600, 'a long end is a field');
  t.equal((long.presentation.outputs.finalState as { q: string }).q, 'field q_end');
});

t.test('rows begin at the start and end at the end; a final state goes on from where it was', async (t) => {
  const job = await solved({ ...pendulum, t_max: 3 });
  const [times, q, p] = ['t', 'q', 'p'].map((name) => fieldOf(job, name)) as [
    Float64Array,
    ...Float64Array[],
  ];
  t.same([times[0], q![0], p![0]], [0, Math.PI / 2, 0]);
  const { finalState } = job.presentation.outputs as { finalState: { q: number[]; p: number[]; t0: number } };
  t.same([times.at(-1), q!.at(-1), p!.at(-1)], [finalState.t0, finalState.q[0], finalState.p[0]]);
  const { q0: _, p0: __, ...rest } = pendulum;
  const then = await solved({ ...rest, initialState: finalState, t_max: 1 });
  t.ok(Math.abs(fieldOf(then, 't').at(-1)! - 4) < 1e-12);
});

for (const body of [
  { ...spring, integrator: 'leapfrog', dt: 0.02 },
  { ...henon, integrator: 'yoshida6' },
  planet,
  chain,
])
  t.test(`${body.system}: on from T₁ is the run to T₂, to the bit`, async (t) => {
    const input = { ...body, integrator: 'pefrl', ...body } as unknown as ActionInput;
    const whole = await startJob(action, { ...input, t_max: body.dt * 600 });
    const start = await startJob(action, { ...input, t_max: body.dt * 400 });
    const then = await goOn(action, start, { t_max: body.dt * 600 } as ActionInput);
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    const runs = whole.finished.length - 1;
    for (let run = 0; run < runs; run++)
      t.equal(hex(then.finished[run]!.result), hex(whole.finished[run]!.result), `run ${run}`);
    t.equal(then.verdict.value, whole.verdict.value);
    t.equal(then.input.before?.steps, 400);
  });

t.test('a job that goes on is described at equal times, whenever it begins', async (t) => {
  const body = { ...spring, dt: 0.005, t_max: 31.16 };
  const first = await startJob(action, inputOf(action, body));
  const { verdict, input, finished } = await goOn(action, first, { t_max: 44.28 } as ActionInput);
  const { diagnostics } = action.present(input, verdict, finished) as unknown as {
    diagnostics: { masterEquation: { closure: number } };
  };
  // Central differences of cos t over h: −(sin h/h) cos t.
  const [time] = [
    fieldOf({ verdict, finished, presentation: action.present(input, verdict, finished) }, 't'),
  ];
  const h = time[2]! - time[1]!;
  t.not(time[1]! - time[0]!, h, 'the first row is nearer');
  const expected = (1 - Math.sin(h) / h) / (1 + Math.sin(h) / h);
  t.ok(Math.abs(diagnostics.masterEquation.closure / expected - 1) < 1e-3, `${expected}`);
});

t.test('ENERGY_NOT_CONSERVED names drift, bound, step and end', async (t) => {
  const { code, details } = await refusalOf(action, { ...chain, integrator: 'leapfrog', dt: 0.2 });
  t.equal(code, 'ENERGY_NOT_CONSERVED');
  t.ok((details.driftPct as number) > 0.1);
  t.match(details, { boundPct: 0.1, t_max: Number, field: 'dt' });
});

t.test('a step that is too long is refused with one that does', async (t) => {
  // The action of a spring from rest at 1 over t is −sin(2t)/4 (∫(p² − q²)/2 dt of q = cos t).
  const body = { ...spring, t_max: 10, dt: 0.2, integrator: 'leapfrog' };
  const { details } = await refusalOf(action, body);
  const dt = stepOf(details);
  const { verdict } = await solved({ ...body, dt });
  t.ok(Math.abs(verdict.value / (-Math.sin(20) / 4) - 1) < 1e-3, `${verdict.value} with dt = ${dt}`);
});

const stepOf = ({ accepts }: Record<string, unknown>): number =>
  Number(/^dt = ([\d.]+) or less$/.exec(String(accepts))?.[1]);

t.test('where a run by longer steps leaves the finite numbers, the step that does is named', async (t) => {
  const waves = {
    ...henon,
    q0: [-0.239, 0.194],
    p0: [0.163, -0.168],
    t_max: 35.3,
    dt: 0.3925,
    integrator: 'leapfrog',
  };
  const coarse = { ...waves, lambda: 0.918 };
  const { code, details, message } = await refusalOf(action, coarse);
  t.match({ code, details }, { code: 'NON_FINITE', details: { field: 'dt' } });
  t.match(message, /two or four of these steps/);
  // The action ends near 0, so that its own gate may ask for a shorter one still.
  const again = await refusalOf(action, { ...coarse, dt: stepOf(details) });
  t.match(again, { code: 'OUTSIDE_TOLERANCE', details: { gate: 'Taylor series' } });
  await solved({ ...coarse, dt: stepOf(again.details) });
});

// ---- orders --------------------------------------------------------------------------------------------

const endError = async (integrator: string, dt: number) => {
  const { verdict } = await solved({ ...pendulum, integrator, dt, t_max: 2 });
  return verdict.gates.find(({ name }) => name === 'end')!.relError;
};

// ---- broken twins --------------------------------------------------------------------------------------

const system = 'assembly/action/system.ts';
const twins: Twin[] = [
  {
    title: 'a force of the wrong sign',
    body: pendulum,
    find: 'addScaled(p, time, f)',
    replace: 'addScaled(p, -time, f)',
  },
  { title: 'half a step', body: henon, find: 'h = parameterF64(40)', replace: 'h = 0.5 * parameterF64(40)' },
  { title: 'an action without V', body: henon, find: 'add(8, -time * potential);', replace: '' },
  {
    title: 'W by halves',
    body: { ...spring, quantity: 'actionVariable' },
    find: '2.0 * time * energy',
    replace: 'time * energy',
  },
  {
    title: 'a stage that is left out',
    body: chain,
    find: '  stage((1.0 - 2.0 * (CHI + XI)) * step, LAMBDA * step);\n',
    replace: '',
  },
  {
    title: 'half the cubic term',
    body: chain,
    file: system,
    find: 'f64x2.mul(alpha, d)',
    replace: 'f64x2.mul(f64x2.mul(f64x2.splat(0.5), alpha), d)',
  },
  {
    title: 'rows of the wrong time',
    body: planet,
    find: 'store<f64>(row, field(0));',
    replace: 'store<f64>(row, field(0) + 1.0);',
  },
];

// ---- requests that are refused -------------------------------------------------------------------------

const stiff = { system: 'harmonic', m: 1, k: 4, q0: 1, p0: 0, dt: 0.01, t_max: 1 };
const { k: _, ...withoutK } = stiff;
const { p0: __, ...withoutP0 } = stiff;
const { q0: ___, ...withoutStart } = withoutP0;
const briefPlanet = { system: 'kepler2d', m: 1, mu: 1, q0: [1, 0], p0: [0, 1], dt: 0.01, t_max: 1 };
const briefHenon = { system: 'henon-heiles', lambda: 1, q0: [0, 0.1], p0: [0.35, 0], dt: 0.01, t_max: 1 };

const refused: readonly Refused[] = [
  { title: 'no constant', body: withoutK, code: 'MISSING_INPUT', field: 'k' },
  { title: 'a constant of another system', body: { ...stiff, g: 9.81 }, code: 'INVALID_INPUT', field: 'g' },
  { title: 'no momentum', body: withoutP0, code: 'MISSING_INPUT', field: 'p0' },
  {
    title: 'two starts',
    body: { ...stiff, initialState: { q: [1], p: [0] } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half an initialState',
    body: { ...withoutStart, initialState: { q: [1] } },
    code: 'MISSING_INPUT',
    field: 'initialState.p',
  },
  {
    title: 'an angle of a spring',
    body: { ...stiff, q0: { value: 1, unit: 'deg' } },
    code: 'INVALID_INPUT',
    field: 'q0.unit',
  },
  {
    title: 'a length of a pendulum',
    body: { ...pendulum, q0: { value: 1, unit: 'cm' } },
    code: 'INVALID_INPUT',
    field: 'q0.unit',
  },
  {
    title: 'an angular momentum of planets, as a list',
    body: { ...briefPlanet, p0: { value: [0, 1], unit: 'kg*m^2/s' } },
    code: 'INVALID_INPUT',
    field: 'p0.unit',
  },
  {
    title: 'an angular momentum of a spring, in initialState',
    body: { ...withoutStart, initialState: { q: [1], p: { value: [0], unit: 'kg*m^2/s' } } },
    code: 'INVALID_INPUT',
    field: 'initialState.p.unit',
  },
  {
    title: 'a length in reduced numbers',
    body: { ...briefHenon, q0: [{ value: 0, unit: 'm' }, 0.1] },
    code: 'INVALID_INPUT',
    field: 'q0[0].unit',
  },
  {
    title: 'a step in seconds of reduced numbers',
    body: { ...briefHenon, dt: { value: 10, unit: 'ms' } },
    code: 'INVALID_INPUT',
    field: 'dt.unit',
  },
  { title: 'a chain of one mass', body: { ...chain, n: 1 }, code: 'INVALID_INPUT', field: 'n' },
  { title: 'a chain of 65537', body: { ...chain, n: 65_537 }, code: 'INVALID_INPUT', field: 'n' },
  { title: 'one coordinate of two', body: { ...briefPlanet, q0: 1 }, code: 'INVALID_INPUT', field: 'q0' },
  {
    title: 'a start in the centre',
    body: { ...briefPlanet, q0: [0, 0] },
    code: 'INVALID_INPUT',
    field: 'q0',
  },
  {
    title: 'a fall into the centre',
    body: { ...briefPlanet, p0: [0, 0] },
    code: 'INVALID_INPUT',
    field: 'p0',
  },
  { title: 'ω·dt = 2', body: { ...stiff, dt: 1 }, code: 'STABILITY_LIMIT', field: 'dt' },
  { title: 'an escape', body: { ...briefHenon, p0: [0.6, 0] }, code: 'INVALID_INPUT', field: 'p0' },
  {
    title: 'a start beyond the saddle',
    body: { ...briefHenon, q0: [0, 1.4] },
    code: 'INVALID_INPUT',
    field: 'q0',
  },
  {
    title: 'a period of Hénon–Heiles',
    body: { ...briefHenon, quantity: 'period' },
    code: 'UNSUPPORTED',
    field: 'quantity',
  },
  {
    title: 'a quartic well without a floor',
    body: { system: 'quartic', m: 1, lambda: -1, q0: 1, p0: 0, dt: 0.01, t_max: 1 },
    code: 'INVALID_INPUT',
    field: 'lambda',
  },
  { title: 'a run without an end', body: { ...stiff, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'a period that is not reached',
    body: { ...stiff, quantity: 'period' },
    code: 'INVALID_INPUT',
    field: 't_max',
  },
  {
    title: 'the period of rest',
    body: { ...stiff, q0: 0, quantity: 'period' },
    code: 'INVALID_INPUT',
    field: 'q0',
  },
  { title: 'steps too coarse', body: { ...stiff, dt: 0.9, t_max: 40 }, code: 'ENERGY_NOT_CONSERVED' },
];

testSolver(action, {
  references: [
    {
      title: 'θ(3) of a pendulum from 90°',
      body: pendulum,
      of: 'finalState.q.0',
      expect: -1.32058238498907,
      tolerance: 1e-6,
      source: 'Taylor integration with 25 digits',
    },
    {
      title: 'p²/2 + q⁴/4 from 1, period',
      body: { system: 'quartic', m: 1, lambda: 1, q0: 1, p0: 0, dt: 0.02, t_max: 30, quantity: 'period' },
      expect: 7.41629870920549,
      tolerance: 1e-6,
      source: 'Γ(1/4)²/√π (Abramowitz & Stegun, 6.1.32)',
    },
  ],
  orders: (
    [
      ['leapfrog', 2, 0.01],
      ['pefrl', 4, 0.05],
      ['yoshida6', 6, 0.05],
    ] as const
  ).map(([integrator, theory, dt]) => ({
    title: `${integrator}, pendulum, steps ${dt} and half of it`,
    theory,
    errors: async () => [await endError(integrator, dt), await endError(integrator, dt / 2)],
  })),
  twins,
  refused,
});
