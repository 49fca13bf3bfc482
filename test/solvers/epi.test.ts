import fc from 'fast-check';
import t from 'tap';
import { epi } from '../../src/solvers/epi.ts';
import type { Refused } from './refusals.ts';
import { fieldOf, outputOf, refusalOf, solved as solvedBy, testSolver } from './solver-test.ts';
import { type Stretches, testStretches } from './stretches.ts';

const day = 86400;
const perDay = (value: number) => ({ value, unit: '1/d' });
const days = (value: number) => ({ value, unit: 'd' });
const school = {
  model: 'sir',
  N: 763,
  S0: 762,
  I0: 1,
  beta: perDay(1.66),
  gamma: perDay(0.44),
  t_max: days(10),
};
const latent = {
  model: 'seir',
  N: 1000,
  S0: 990,
  E0: 0,
  I0: 10,
  beta: perDay(0.5),
  gamma: perDay(0.25),
  sigma: perDay(0.2),
  t_max: days(60),
};
/** In units of 1/γ, from one infected in 10¹². */
const threshold = (R0: number) => ({
  model: 'sir',
  N: 1,
  S0: 1 - 1e-12,
  I0: 1e-12,
  beta: R0,
  gamma: 1,
  t_max: 1,
});

const relative = (value: number, reference: number) => Math.abs(value / reference - 1);
const solved = (body: object) => solvedBy(epi, body);
const gateNames = async (body: object) => (await solved(body)).verdict.gates.map(({ name }) => name);

// ---- laws ----------------------------------------------------------------------------------------------

const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });

t.test('every epidemic ends within its quote, its gates hold within 1e-5, and nobody is lost', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        R0: fc.oneof(share(0.05, 0.95), share(1.05, 12)),
        gamma: share(0.01, 10),
        sigma: fc.option(share(0.2, 5)),
        immune: share(0, 0.9),
        seed: share(2, 9),
        length: share(0.1, 100),
      }),
      async ({ R0, gamma, sigma, immune, seed, length }) => {
        const I0 = 10 ** -seed;
        const body = {
          ...(sigma === null ? { model: 'sir' } : { model: 'seir', E0: I0 / 2, sigma: sigma * gamma }),
          ...{ N: 1, S0: (1 - immune) * (1 - 2 * I0), I0, beta: R0 * gamma, gamma, t_max: length / gamma },
        };
        const job = await solved(body);
        const spent = job.finished.reduce((sum, run) => sum + Number(run.work), 0);
        t.ok(spent <= epi.quote(body as never, { requestHash: new Uint8Array(32) }).work);
        t.ok(
          job.verdict.precisionActual < 1e-5,
          `${job.verdict.precisionActual} with ${JSON.stringify(body)}`,
        );
        const { S, E = 0, I } = job.presentation.outputs.finalState as Record<string, number>;
        const all = S! + E + I! + outputOf(job, 'recovered');
        t.ok(relative(all, body.S0 + I0 + (sigma === null ? 0 : I0 / 2)) < 1e-6);
        t.ok([S!, E, I!].every((people) => people >= 0));
      },
    ),
    { numRuns: 40, seed: 7 },
  );
});

t.test('an epidemic in other units of time and of people is the same epidemic', async (t) => {
  const a = await solved(school);
  const b = await solved({ ...school, N: 763e6, S0: 762e6, I0: 1e6 });
  const c = await solved({ ...school, beta: 1.66, gamma: 0.44, t_max: 10 });
  t.ok(relative(b.verdict.value, 1e6 * a.verdict.value) < 1e-12);
  t.ok(relative(outputOf(c, 'peakTime') * day, outputOf(a, 'peakTime')) < 1e-12);
});

t.test('where too few are susceptible the infectious only decline: the peak is the start', async (t) => {
  const { verdict } = await solved({ ...school, S0: 150, quantity: 'peakTime' });
  t.equal(verdict.value, 0);
  t.equal(outputOf(await solved({ ...school, S0: 150, quantity: 'peak' })), 1);
});

t.test('the few who only fall ill have their peak yet to come, however few they are', async (t) => {
  // S = 0 and σ = γ: E = e^{−γt}, I = γt e^{−γt}, which is largest at 1/γ.
  const few = { ...latent, N: 1e10, S0: 0, E0: 1, I0: 0, sigma: perDay(0.25), t_max: days(0.5) };
  const job = await solved({ ...few, quantity: 'peak' });
  t.ok(relative(job.verdict.value, Math.exp(-1)) < 1e-6);
  t.ok(relative(outputOf(job, 'peakTime'), 4 * day) < 1e-6);
});

t.test('nobody infected, nobody susceptible: nothing happens, or recovery alone', async (t) => {
  const quiet = await solved({ ...school, I0: 0 });
  t.equal(quiet.verdict.value, 0);
  t.strictSame(quiet.presentation.outputs.finalState, { S: 762, I: 0, t0: 10 * day });
  const alone = await solved({ ...school, S0: 0, I0: 100 });
  t.equal(alone.verdict.value, 100);
  const { I } = alone.presentation.outputs.finalState as { I: number };
  t.ok(relative(I, 100 * Math.exp(-4.4)) < 1e-5);
});

t.test('a very quick latent period is none', async (t) => {
  const { sigma: _, E0: __, ...sir } = latent;
  const quick = await solved({ ...latent, sigma: perDay(500), t_max: days(20), quantity: 'peak' });
  const none = await solved({ ...sir, model: 'sir', t_max: days(20), quantity: 'peak' });
  t.ok(relative(quick.verdict.value, none.verdict.value) < 2e-3);
});

t.test('SIR is held against quadrature, SEIR against two more steps', async (t) => {
  const always = ['final size', 'susceptible left', 'peak', 'peak time'];
  t.strictSame(await gateNames(school), [
    ...always,
    'series',
    'two steps, series',
    'invariant',
    'population',
  ]);
  t.strictSame(await gateNames(latent), [
    ...always,
    'two steps, series',
    'without infections',
    'invariant',
    'population',
  ]);
});

t.test('the fields go from the start to the end, and t0 only shifts the times', async (t) => {
  const { S0: S, E0: E, I0: I, ...rest } = latent;
  const job = await solved({ ...rest, initialState: { S, E, I, t0: days(5) } });
  const [times, s, e, i] = ['t', 'S', 'E', 'I'].map((name) => fieldOf(job, name)) as Float64Array[];
  const final = job.presentation.outputs.finalState as Record<string, number>;
  t.strictSame([times!.at(0), s!.at(0), e!.at(0), i!.at(0)], [5 * day, 990, 0, 10]);
  t.strictSame([times!.at(-1), s!.at(-1), e!.at(-1), i!.at(-1)], [final.t0, final.S, final.E, final.I]);
  t.equal(final.t0, 65 * day);
  t.equal(job.verdict.value, (await solved(latent)).verdict.value);
});

t.test('a clock that strikes 0 near the peak is held beside itself', async (t) => {
  // mpmath, ∫ dS/(β S I/N) to the peak with 20 digits: 551,364.35490017 s.
  const school = { model: 'sir', N: 763, beta: 1.66 / 86_400, gamma: 0.44 / 86_400, t_max: 1_728_000 };
  const near = { ...school, quantity: 'peakTime', initialState: { S: 762, I: 1, t0: -551_364 } };
  const { code, details } = await refusalOf(epi, near);
  t.match({ code, gate: details.gate }, { code: 'OUTSIDE_TOLERANCE', gate: 'peak time' });
  const { verdict } = await solved({ ...near, initialState: { S: 762, I: 1, t0: -551_000 } });
  t.ok(Math.abs(verdict.value / 364.35490017 - 1) < 1e-3, `${verdict.value} s`);
});

t.test('the time of the peak is by the clock of t0, as are the series and the end', async (t) => {
  for (const body of [school, latent]) {
    const { S0: S, E0: E, I0: I, ...rest } = { E0: undefined, ...body };
    const state = { S, ...(E !== undefined && { E }), I };
    const job = await solved({ ...rest, quantity: 'peakTime', initialState: { ...state, t0: days(5) } });
    const since = (await solved({ ...body, quantity: 'peakTime' })).verdict.value;
    t.ok(relative(job.verdict.value, since + 5 * day) < 1e-14, body.model);
    t.equal(outputOf(job, 'peakTime'), job.verdict.value);
    const [times, infectious] = ['t', 'I'].map((name) => fieldOf(job, name)) as [Float64Array, Float64Array];
    const highest = times[infectious.indexOf(Math.max(...infectious))]!;
    t.ok(Math.abs(highest - job.verdict.value) <= times[1]! - times[0]!, 'where the series is highest');
  }
});

t.test('a refusal by a gate names it and keeps the value', async (t) => {
  const { details } = await refusalOf(epi, { ...school, t_max: days(4096), dt: days(2) });
  t.match(details, { gate: String, error: Number, bound: 1e-3, field: 'dt' });
});

t.test('few infected are held beside themselves', async (t) => {
  const few = { model: 'sir', N: 47.250423907848436, S0: 45.22088249137626, I0: 2.029541416472178 };
  const rates = { beta: 0.9062157225633688, gamma: 0.5553134704794428 };
  // I at 100 s, 2e-12 of N, was sealed 1.05e-3 of itself off (SciPy, DOP853 with rtol 1e-12).
  const { details } = await refusalOf(epi, {
    ...few,
    ...rates,
    t_max: 951.8939137067426,
    dt: 1.0385341361987328,
  });
  t.match(details, { gate: 'two steps, series', field: 'dt' });
  // mpmath odefun, 30 digits: I of the boarding school at sixty days.
  const { finalState } = (await solved({ ...school, t_max: days(60) })).presentation.outputs;
  t.ok(relative((finalState as { I: number }).I, 2.9291226932528931e-7) < 1e-6);
});

t.test(
  'a latent epidemic may end long ago: what is left of the twin is no more than its slower rate leaves',
  async (t) => {
    const rates = { beta: 6.24, gamma: 1.09, sigma: 0.135 };
    const job = await solved({ model: 'seir', N: 3e5, S0: 299_990, E0: 0, I0: 10, ...rates, t_max: 900 });
    t.ok(job.verdict.precisionActual < 1e-5);
  },
);

t.test('the peak is timed however few are infected at first', async (t) => {
  // dt = ds/(βI/N) over ln(1 + s S₀/I₀), mpmath with 40 digits.
  const few = { model: 'sir', N: 1e6, S0: 999999, I0: 1e-30, beta: 0.3, gamma: 0.1, t_max: 600 };
  const { verdict } = await solved({ ...few, quantity: 'peakTime' });
  t.ok(relative(verdict.value, 418.315434056588) < 1e-6);
  t.ok(verdict.precisionActual < 1e-4);
});

t.test('what is refused for its steps is sealed with those that are advised', async (t) => {
  let advised = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        R0: share(1.1, 8),
        sigma: fc.option(share(0.1, 10)),
        long: share(5, 40),
        length: share(50, 900),
      }),
      async ({ R0, sigma, long, length }) => {
        const body = {
          ...(sigma === null ? { model: 'sir' } : { model: 'seir', E0: 0, sigma }),
          ...{ N: 1e6, S0: 999_990, I0: 10, beta: R0, gamma: 1, t_max: length },
        };
        const dt = long / (16 * Math.max(R0, 1, sigma ?? 0));
        const job = solved({ ...body, dt });
        const { details } = await job.then(
          () => ({ details: {} }),
          ({ details }: { details: Record<string, unknown> }) => ({ details }),
        );
        const accepted = /^at most (\S+) s$/.exec(String((details as { accepts?: string }).accepts));
        if (!accepted) return void (await job);
        advised++;
        t.ok((await solved({ ...body, dt: Number(accepted[1]) })).verdict.precisionActual < 1e-4);
      },
    ),
    { numRuns: 30, seed: 3 },
  );
  t.ok(advised > 5, `${advised} were refused`);
});

t.test('what the steps of a request without dt miss is sealed with the dt that is named', async (t) => {
  const fast = { model: 'sir', N: 1000, S0: 999, I0: 1, beta: 100, gamma: 0.1, t_max: 3000 };
  const { details } = await refusalOf(epi, fast);
  t.match(details, { gate: 'series', field: 'dt' });
  const [, dt] = /^dt = (\S+) or less$/.exec(String(details.accepts)) ?? [];
  const sealed = await solved({ ...fast, dt: Number(dt), quantity: 'peak' });
  const peak = 1000 - (1 + Math.log(999)); // I₀ + S₀ − (γN/β)(1 + ln(βS₀/γN)) at γN/β = 1
  t.ok(relative(sealed.verdict.value, peak) < 1e-6);
});

// ---- what every solver must show -----------------------------------------------------------------------

/** Error of S at ten days; mpmath odefun, 30 digits. */
const errorAt = async (steps: number) =>
  Math.abs(outputOf(await solved({ ...school, dt: days(10 / steps) }), 'finalState.S') - 37.92509698236346);

const faults: [string, object, string, string][] = [
  ['a recovery of the wrong sign', school, 'I1 = o1 - gamma * I;', 'I1 = o1 + gamma * I;'],
  ['half a step', school, 'sixth = step / 6.0;', 'sixth = step / 12.0;'],
  [
    'a stage that is left out',
    latent,
    'E + sixth * (E1 + 2.0 * (E2 + E3) + E4)',
    'E + sixth * (E1 + 2.0 * (E2 + E3))',
  ],
  ['a latent period that is none', latent, 'return latent ? sigma * E : fresh;', 'return fresh;'],
  ['recoveries that are lost', school, 'field(24) + gamma', 'field(24) + 0.9 * gamma'],
  [
    'a clock that goes wrong, with a latent period',
    latent,
    'h = (end - beginning()) / <f64>steps;',
    'h = 1.01 * end / <f64>steps;',
  ],
  [
    'a peak that is a row',
    school,
    'store<f64>(body, t + part, 48);',
    'store<f64>(body, t + 100.0 * part, 48);',
  ],
  [
    'a clock that goes wrong',
    school,
    'h = (end - beginning()) / <f64>steps;',
    'h = 1.01 * end / <f64>steps;',
  ],
];

// ---- requests that are refused -------------------------------------------------------------------------

const sir = { model: 'sir', N: 1000, S0: 990, I0: 10, beta: 0.5, gamma: 0.25, t_max: 60 };
const seir = { ...sir, model: 'seir', E0: 0, sigma: 0.2 };
const { beta: _, ...withoutBeta } = sir;
const { I0: __, ...withoutI0 } = sir;
const { S0: ___, ...withoutStart } = withoutI0;
const { sigma: ____, ...withoutSigma } = seir;

const refused: readonly Refused[] = [
  { title: 'no rate', body: withoutBeta, code: 'MISSING_INPUT', field: 'beta' },
  { title: 'half a start', body: withoutI0, code: 'MISSING_INPUT', field: 'I0' },
  { title: 'a latent period without its rate', body: withoutSigma, code: 'MISSING_INPUT', field: 'sigma' },
  { title: 'sir with exposed', body: { ...sir, E0: 1 }, code: 'INVALID_INPUT', field: 'E0' },
  { title: 'sir with sigma', body: { ...sir, sigma: 1 }, code: 'INVALID_INPUT', field: 'sigma' },
  { title: 'a negative rate', body: { ...sir, gamma: -1 }, code: 'INVALID_INPUT', field: 'gamma' },
  { title: 'a negative count', body: { ...sir, S0: -1 }, code: 'INVALID_INPUT', field: 'S0' },
  { title: 'an end at once', body: { ...sir, t_max: 0 }, code: 'INVALID_INPUT', field: 't_max' },
  { title: 'more people than there are', body: { ...sir, S0: 995 }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'another model', body: { ...sir, model: 'sis' }, code: 'INVALID_INPUT', field: 'model' },
  {
    title: 'two starts',
    body: { ...sir, initialState: { S: 990, I: 10 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half an initialState',
    body: { ...withoutStart, initialState: { S: 990 } },
    code: 'MISSING_INPUT',
    field: 'initialState.I',
  },
  { title: 'a tiny step', body: { ...sir, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  { title: 'a very long run', body: { ...sir, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'an epidemic on its threshold',
    body: { ...sir, S0: 1000 - 1e-12, I0: 1e-12, beta: 0.25 },
    code: 'LIMIT_EXCEEDED',
    field: 'beta',
  },
  {
    title: 'a step that is too coarse',
    body: { ...sir, t_max: 12288, dt: 4 },
    code: 'OUTSIDE_TOLERANCE',
    field: 'dt',
  },
  {
    title: 'a step that leaves the numbers',
    body: { ...sir, t_max: 12288, dt: 12 },
    code: 'NON_FINITE',
    field: 'dt',
  },
];

// ---- a job in parts -----------------------------------------------------------------------------------

const town = { N: 1000, S0: 980, I0: 10, beta: 0.5, gamma: 0.25, dt: 1 / 16 };
const stretches: readonly Stretches[] = [
  {
    title: 'SIR',
    body: { ...town, model: 'sir', quantity: 'peakTime' },
    end: 't_max',
    start: ['S0', 'I0'],
    ends: [64, 128, 256],
    uneven: 101.7,
    tolerance: 1e-6,
    ownGates: ['series', 'two steps, series', 'invariant', 'population'],
    refused: { model: 'sir', ...town, t_max: 12288, dt: 12 },
    fault: {
      kernel: 'epi',
      find: 'if (goesOn()) memory.copy(body, earlierBody(), SEVEN); else begin();',
      replace: 'begin();',
    },
  },
  {
    title: 'SEIR',
    body: { ...town, model: 'seir', E0: 5, sigma: 0.2, quantity: 'peak' },
    end: 't_max',
    start: ['S0', 'E0', 'I0'],
    ends: [64, 128, 256],
    uneven: 101.7,
    tolerance: 1e-6,
    ownGates: ['two steps, series', 'without infections', 'invariant', 'population'],
  },
];

testStretches(epi, stretches);

testSolver(epi, {
  references: [
    ...(
      [
        [1.5, 0.582811643865811],
        [2, 0.79681213002002],
        [3, 0.94047979070736],
      ] as const
    ).map(([R0, expect]) => ({
      title: `final size, R₀ = ${R0}`,
      body: threshold(R0),
      expect,
      tolerance: 1e-7,
      source: '1 + W₀(−R₀e^{−R₀})/R₀',
    })),
    {
      title: 'boarding school, those left',
      body: school,
      of: 'susceptibleLeft',
      expect: 19.268981461833,
      tolerance: 1e-6,
      source: 'Lambert’s W, 25 digits',
    },
    {
      title: 'boarding school, time of the peak',
      body: { ...school, quantity: 'peakTime' },
      expect: 6.381531885418673 * day,
      tolerance: 1e-6,
      source: 'mpmath odefun, 30 digits',
    },
    {
      title: 'boarding school, I at ten days',
      body: school,
      of: 'finalState.I',
      expect: 118.284569501747,
      tolerance: 1e-5,
      source: 'mpmath odefun, 30 digits',
    },
    {
      title: 'SEIR, peak',
      body: { ...latent, quantity: 'peak' },
      expect: 69.79099469098875,
      tolerance: 1e-6,
      source: 'mpmath odefun, 30 digits',
    },
    {
      title: 'SEIR, time of the peak',
      body: { ...latent, quantity: 'peakTime' },
      expect: 44.77948328405821 * day,
      tolerance: 1e-6,
      source: 'mpmath odefun, 30 digits',
    },
    ...(
      [
        ['S', 289.9546796346961],
        ['E', 48.44604955855808],
        ['I', 47.60911606554822],
      ] as const
    ).map(([name, expect]) => ({
      title: `SEIR, ${name} at sixty days`,
      body: latent,
      of: `finalState.${name}`,
      expect,
      tolerance: 1e-6,
      source: 'mpmath odefun, 30 digits',
    })),
    {
      title: 'boarding school, R₀',
      body: school,
      of: 'R0',
      expect: 1.66 / 0.44,
      tolerance: 1e-15,
      source: 'β/γ',
    },
    {
      title: 'threshold of immunity at R₀ = 3',
      body: threshold(3),
      of: 'herdImmunity',
      expect: 2 / 3,
      tolerance: 1e-15,
      source: '1 − 1/R₀',
    },
  ],
  orders: [
    {
      title: 'S(10 d) of the boarding school, 1024 steps and 2048',
      theory: 4,
      errors: async () => [await errorAt(1024), await errorAt(2048)],
    },
  ],
  twins: faults.map(([title, body, find, replace]) => ({ title, body, find, replace })),
  refused,
});
