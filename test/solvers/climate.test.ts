import fc from 'fast-check';
import t from 'tap';
import { climate } from '../../src/solvers/climate.ts';
import type { Refused } from './refusals.ts';
import { fieldOf, outputOf, solved as solvedBy, type Twin, testSolver } from './solver-test.ts';
import { type Stretches, testStretches } from './stretches.ts';

t.setTimeout(120_000);

const bare = { model: 'ebm', S0: 1365.2, A: 210, B: 2, D: 0.55, s2: -0.48, a0: 0.3, a2: 0.078 };
const iced = { ...bare, ai: 0.62, Tf: { value: -10, unit: 'degC' } };
const warm = { ...iced, start: 'warm', quantity: 'iceLatitude' };
const sun = { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 0.61, C: 1e7 };
const years = (value: number) => ({ value, unit: 'yr' });
const two = {
  model: 'two-layer',
  F: 3.71,
  lambda: 1.13,
  gamma: 0.73,
  C: { value: 7.3, unit: 'W*yr/(m^2*K)' },
  Cd: { value: 106, unit: 'W*yr/(m^2*K)' },
  t_end: years(10),
};

const relative = (value: number, reference: number) => Math.abs(value / reference - 1);
const solved = (body: object) => solvedBy(climate, body);
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

// ---- laws ----------------------------------------------------------------------------------------------

t.test(
  'a planet warms or cools to its balance, and every series is within 1e-6 of the closed form',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        number(10, 3000),
        number(0, 1),
        number(0.01, 1),
        number(5, 8),
        number(50, 1000),
        number(0.01, 30),
        async (S0, albedo, emissivity, capacity, T0, length) => {
          const C = 10 ** capacity;
          const hottest = Math.max(T0, ((S0 * (1 - albedo)) / (4 * emissivity * 5.67e-8)) ** 0.25);
          const t_end = (length * C) / (4 * emissivity * 5.67e-8 * hottest ** 3);
          const { verdict } = await solved({ model: 'zero-d', S0, albedo, emissivity, C, T0, t_end });
          t.ok(verdict.precisionActual < 1e-6, `${verdict.precisionActual}`);
        },
      ),
      { numRuns: 30, seed: 3 },
    );
  },
);

t.test('two layers respond linearly to their forcing, and in time to F/λ', async (t) => {
  const whole = await solved(two);
  const twice = await solved({ ...two, F: -7.42 });
  t.ok(relative(twice.verdict.value, -2 * whole.verdict.value) < 1e-12);
  const late = await solved({ ...two, t_end: years(5000) });
  const steady = await solved({ ...two, t_end: undefined, steady: true });
  t.ok(relative(late.verdict.value, 3.71 / 1.13) < 1e-6);
  t.ok(relative(steady.verdict.value, 3.71 / 1.13) < 1e-12);
});

t.test('a series goes on from its final state', async (t) => {
  const whole = await solved({ ...two, t_end: years(20) });
  const { finalState } = (await solved(two)).presentation.outputs as { finalState: object };
  const then = await solved({ ...two, initialState: finalState });
  t.ok(relative(then.verdict.value, whole.verdict.value) < 1e-8);
  t.equal(outputOf(then, 'finalState.t0'), outputOf(whole, 'finalState.t0'));
});

t.test('n grey layers are as warm as a depth of 4n/3, and none is no greenhouse', async (t) => {
  for (const n of [0, 1, 2, 7]) {
    const layers = await solved({ model: 'grey', S0: 1361, albedo: 0.3, n });
    const depth = await solved({ model: 'grey', S0: 1361, albedo: 0.3, tau: (4 * n) / 3 });
    t.ok(relative(layers.verdict.value, depth.verdict.value) < 1e-13);
    t.equal(fieldOf(layers, 'T').length, n + 1);
  }
});

t.test('without ice every climate is its three Legendre modes, and its energy is balanced', async (t) => {
  const body = fc.record({
    S0: number(1000, 1800),
    A: number(180, 230),
    B: number(1.5, 4),
    D: number(0.3, 2),
    s2: number(-0.6, 0.4),
    a0: number(0.2, 0.4),
    a2: number(-0.1, 0.2),
    x: number(-1, 1),
  });
  await fc.assert(
    fc.asyncProperty(body, async ({ x, ...constants }) => {
      const job = await solved({ ...constants, model: 'ebm', quantity: 'temperature', probe: [x] });
      t.ok(job.verdict.precisionActual < 1e-4, `${job.verdict.precisionActual}`);
      t.ok(relative(outputOf(job, 'outgoing'), outputOf(job, 'absorbed')) < 1e-10);
    }),
    { numRuns: 20, seed: 5 },
  );
});

t.test(
  'states follow one another stable and not, and warm is the cap, cold all ice (North 1975)',
  async (t) => {
    const job = await solved(warm);
    const { states } = job.presentation.outputs as { states: { iceLatitude: number; stable: boolean }[] };
    t.strictSame(
      states.map(({ stable }) => stable),
      [true, false, true, false, true],
    );
    t.ok(relative(states[1]!.iceLatitude, 13.7) < 1e-3, 'unstable: 13.70° (Chebyshev collocation)');
    t.ok(Math.abs(states[3]!.iceLatitude - 85.71) < 0.2, 'unstable: 85.71°, within a cell of the pole');
    t.equal((await solved({ ...warm, start: 'cold' })).verdict.value, 0);
    t.equal((await solved({ ...warm, S0: 1600 })).verdict.value, 90, 'no ice under a hot sun');
    t.equal((await solved({ ...warm, S0: 1000 })).verdict.value, 0, 'and ice alone under a cold one');
  },
);

t.test('from given temperatures the edge goes to the nearest state on its way', async (t) => {
  const { start: _, ...body } = warm;
  const latitudeFrom = async (T: unknown) => (await solved({ ...body, initialState: { T } })).verdict.value;
  const edgeAt = (x: number) =>
    Array.from({ length: 400 }, (_, i) => (Math.abs((i - 199.5) / 200) < x ? 280 : 250));
  t.equal(await latitudeFrom(300), 90);
  t.equal(await latitudeFrom(200), 0);
  for (const x of [0.4, 0.9, 0.99]) t.ok(relative(await latitudeFrom(edgeAt(x)), 73.1314) < 1e-3);
  t.equal(await latitudeFrom(edgeAt(0.1)), 0);
  const { finalState } = (await solved(warm)).presentation.outputs as { finalState: { T: number[] } };
  t.ok(relative(await latitudeFrom(finalState.T), 73.1314) < 1e-3, 'a final state stays');
});

t.test('both hemispheres are alike, and fields go from pole to pole', async (t) => {
  const job = await solved(warm);
  const [latitude, T] = [fieldOf(job, 'latitude'), fieldOf(job, 'T')];
  t.equal(T.length, 400);
  t.ok(latitude.at(0)! < -85 && latitude.at(-1)! > 85);
  t.strictSame([...T].reverse(), [...T]);
  t.ok(T.at(-1)! < T[200]!);
});

t.test('fields of a series are its start and its end', async (t) => {
  const job = await solved({ ...sun, T0: 250, t_end: 1e7 });
  const T = fieldOf(job, 'T');
  t.strictSame([T.at(0), T.at(-1), fieldOf(job, 't').at(-1)], [250, job.verdict.value, 1e7]);
});

// ---- what every solver must show -----------------------------------------------------------------------

const errorAt = async (N: number) => Math.abs(outputOf(await solved({ ...warm, N })) - 73.131399);
/** At ten years, which is row 10 of 256. */
const stepError = async (dt: number) =>
  Math.abs(fieldOf(await solved({ ...two, t_end: years(256), dt: years(dt) }), 'T')[10]! - afterTenYears);
/** Sum of two exponentials with 40 digits, by Python's decimal module. */
const afterTenYears = 1.857341451860411;

const twin = (
  title: string,
  body: object,
  kernel: string,
  find: string,
  replace: string,
  file?: string,
): Twin => ({
  title,
  body,
  kernel,
  find,
  replace,
  ...(file && { file }),
});
const hemisphere = 'assembly/climate/hemisphere.ts';
const transient = { ...sun, T0: 250, t_end: 1e8 };

// ---- requests that are refused -------------------------------------------------------------------------

const plainSun = { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 0.6 };
const layers = { model: 'two-layer', F: 3.7, lambda: 1.1, gamma: 0.7, C: 2e8, Cd: 3e9 };
const icy = { ...bare, ai: 0.62, Tf: 263.15 };
const wrong = 'INVALID_INPUT';
const missing = 'MISSING_INPUT';

const refused: readonly Refused[] = [
  { title: 'no model', body: { S0: 1361 }, code: missing, field: 'model' },
  { title: 'no sunlight', body: { model: 'grey', albedo: 0.3, n: 1 }, code: missing, field: 'S0' },
  {
    title: 'a field of another model',
    body: { model: 'grey', S0: 1361, albedo: 0.3, n: 1, co2: 400 },
    code: wrong,
    field: 'co2',
  },
  {
    title: 'a reflecting planet',
    body: { ...plainSun, albedo: 1.1, steady: true },
    code: wrong,
    field: 'albedo',
  },
  { title: 'no end', body: { ...plainSun, C: 1e7, T0: 280 }, code: missing, field: 't_end' },
  { title: 'two ends', body: { ...plainSun, steady: true, t_end: 1 }, code: wrong, field: 'steady' },
  { title: 'no heat capacity', body: { ...plainSun, T0: 280, t_end: 1 }, code: missing, field: 'C' },
  { title: 'no start', body: { ...plainSun, C: 1e7, t_end: 1 }, code: missing, field: 'T0' },
  {
    title: 'a steady state with a start',
    body: { ...plainSun, T0: 280, steady: true },
    code: wrong,
    field: 'T0',
  },
  {
    title: 'no emission',
    body: { ...plainSun, emissivity: 0, steady: true },
    code: wrong,
    field: 'emissivity',
  },
  {
    title: 'an unstable step',
    body: { ...layers, t_end: 1e9, dt: 1e9 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  { title: 'a tiny step', body: { ...layers, t_end: 1e9, dt: 1e-6 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  {
    title: 'half an initialState',
    body: { ...layers, t_end: 1e9, initialState: { T: 1 } },
    code: missing,
    field: 'initialState.Td',
  },
  { title: 'layers and a depth', body: { model: 'grey', S0: 1, albedo: 0, n: 1, tau: 1 }, code: wrong },
  { title: 'no layers', body: { model: 'grey', S0: 1361, albedo: 0.3 }, code: missing, field: 'n' },
  {
    title: 'a temperature without feedback',
    body: { model: 'forcing', co2: 560, co2Ref: 280, quantity: 'temperature' },
    code: missing,
    field: 'lambda',
  },
  {
    title: 'a quantity of another model',
    body: { model: 'forcing', co2: 560, co2Ref: 280, quantity: 'iceLatitude' },
    code: wrong,
    field: 'quantity',
  },
  { title: 'temperature nowhere', body: { ...bare, quantity: 'temperature' }, code: missing, field: 'probe' },
  {
    title: 'temperature beyond the pole',
    body: { ...bare, quantity: 'temperature', probe: [1.2] },
    code: wrong,
    field: 'probe[0]',
  },
  { title: 'ice without its albedo', body: { ...bare, Tf: 263, start: 'warm' }, code: missing, field: 'ai' },
  { title: 'ice without a start', body: icy, code: missing, field: 'start' },
  { title: 'the edge of no ice', body: { ...bare, quantity: 'iceLatitude' }, code: missing, field: 'ai' },
  { title: 'a coarse grid', body: { ...bare, N: 100 }, code: wrong, field: 'N' },
  {
    title: 'temperatures of another grid',
    body: { ...icy, initialState: { T: [280, 270] } },
    code: wrong,
    field: 'initialState.T',
  },
  {
    title: 'ice on the equator',
    body: { ...icy, S0: 900, s2: 0.9, start: 'warm' },
    code: 'UNSUPPORTED',
    field: 'Tf',
  },
  {
    title: 'a step that is stable and too coarse',
    body: { ...layers, t_end: 1e11, dt: 2.5e8 },
    code: 'OUTSIDE_TOLERANCE',
    field: 'dt',
  },
  { title: 'a planet below 0 K', body: { ...bare, A: 1000 }, code: wrong, field: 'A' },
];

// ---- a job in parts -----------------------------------------------------------------------------------

const stretches: readonly Stretches[] = [
  {
    title: 'one temperature',
    body: { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 0.61, C: 4e8, T0: 250, dt: 2 ** 17 },
    end: 't_end',
    start: ['T0'],
    ends: [2 ** 26, 2 ** 27, 2 ** 28],
    uneven: 1e8,
    tolerance: 1e-9,
    ownGates: ['series'],
    notInTime: {
      title: 'a balance at rest',
      body: { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 0.61, steady: true },
    },
    refused: {
      ...{ model: 'ebm', S0: 900, A: 210, B: 2, D: 0.55, s2: 0.9, a0: 0.3, a2: 0.078 },
      ...{ ai: 0.62, Tf: 263.15, start: 'warm' },
    },
    fault: {
      kernel: 'climate',
      find: 'h = (parameterF64(64) - beginning()) /',
      replace: 'h = parameterF64(64) /',
    },
  },
  {
    title: 'two layers',
    body: {
      model: 'two-layer',
      ...{ F: 3.7, lambda: 1.2, gamma: 0.7, C: 2.5e8, Cd: 3e9, dt: 2 ** 21 },
      initialState: { T: 0.5, Td: 0.125, t0: 1024 },
    },
    end: 't_end',
    start: ['initialState'],
    ends: [2 ** 29, 2 ** 30, 2 ** 31],
    uneven: 1e9,
    tolerance: 1e-6,
    ownGates: ['series'],
  },
];

testStretches(climate, stretches);

testSolver(climate, {
  references: [
    {
      title: 'effective temperature of the Earth',
      body: { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 1, steady: true },
      expect: 254.57814,
      tolerance: 2e-8,
      source: '(S₀(1 − α)/4σ)^¼, Hartmann 2.3; mpmath',
    },
    {
      title: 'under one layer that is black in the infrared',
      body: { model: 'grey', S0: 1361, albedo: 0.3, n: 1 },
      expect: 302.74614,
      tolerance: 2e-8,
      source: '2^¼ times as much, Hartmann 2.3; mpmath',
    },
    {
      title: 'forcing of doubled CO₂',
      body: { model: 'forcing', co2: 560, co2Ref: 280 },
      expect: 3.7083374,
      tolerance: 2e-8,
      source: '5.35 ln 2, Myhre et al. 1998',
    },
    {
      title: 'ebm without ice, mean',
      body: bare,
      expect: 273.15 + 15.7328272,
      tolerance: 1e-8,
      source: '(S₀H₀/4 − A)/B',
    },
    ...(
      [
        ['equator', 0, 28.907986],
        ['pole', -1, -9.732841],
      ] as const
    ).map(([place, x, degrees]) => ({
      title: `ebm without ice, ${place}`,
      body: { ...bare, quantity: 'temperature', probe: [x] },
      expect: 273.15 + degrees,
      tolerance: 1e-6,
      source: 'Legendre modes 0, 2, 4 (North 1975)',
    })),
    {
      title: 'ebm with ice, 1600 cells, edge',
      body: { ...warm, N: 1600 },
      expect: 73.1314,
      tolerance: 1e-5,
      source: 'Chebyshev collocation',
    },
    {
      title: 'ebm with ice, 1600 cells, mean',
      body: { ...warm, N: 1600, quantity: 'meanTemperature' },
      expect: 273.15 + 14.734149,
      tolerance: 2e-6,
      source: 'Chebyshev collocation',
    },
    {
      title: 'two layers after ten years, deep',
      body: two,
      of: 'finalState.Td',
      expect: 0.085753,
      tolerance: 1e-5,
      source: 'Geoffroy et al. 2013, eigenmodes',
    },
    {
      title: 'temperature of doubled CO₂',
      body: { model: 'forcing', co2: 560, co2Ref: 280, lambda: 1.25, quantity: 'temperature' },
      expect: 2.9666699,
      tolerance: 1e-7,
      source: '5.35 ln 2 / 1.25',
    },
  ],
  orders: [
    {
      title: 'latitude of the ice, 800 and 1600 cells',
      theory: 2,
      errors: async () => [await errorAt(800), await errorAt(1600)],
    },
    {
      title: 'two layers after ten years, steps of 1/2 and 1/4 year',
      theory: 4,
      errors: async () => [await stepError(0.5), await stepError(0.25)],
    },
  ],
  twins: [
    twin('an emission of the cube', transient, 'climate', 'square * square', 'square * T'),
    twin(
      'half a step',
      two,
      'climate',
      'half = 0.5 * h, sixth = h / 6.0;\n  let T = load<f64>(body), D',
      'half = 0.25 * h, sixth = h / 12.0;\n  let T = load<f64>(body), D',
    ),
    twin(
      'a layer that radiates once',
      { model: 'grey', S0: 1361, albedo: 0.3, n: 3 },
      'climate',
      '1.0 / (2.0 - ratio)',
      '1.0 / (1.5 - ratio)',
    ),
    twin(
      'a heat flow through the pole',
      bare,
      'climate-ebm',
      '(n2 - <f64>(i + 1) * <f64>(i + 1))',
      'n2',
      hemisphere,
    ),
    twin(
      'an unstable state',
      warm,
      'climate-ebm',
      'note(bisected(placeOf(k), placeOf(k + 1), falls), falls)',
      'note(bisected(placeOf(k), placeOf(k + 1), falls), rises)',
    ),
    twin('ice that is dark', warm, 'climate-ebm', 'ofIce = 1.0 - get(p, 7)', 'ofIce = get(p, 7)', hemisphere),
    twin(
      'an edge where it is a twentieth of a degree too warm',
      warm,
      'climate-ebm',
      'temperatureOnEdge(edge) - Tf',
      'temperatureOnEdge(edge) - Tf - 0.05',
    ),
  ],
  refused,
});
