import fc from 'fast-check';
import t from 'tap';
import { tumor } from '../../src/solvers/tumor.ts';
import { goOn, startJob } from './continue-job.ts';
import type { Refused } from './refusals.ts';
import {
  fieldOf,
  inputOf,
  memoryOf,
  outputOf,
  refusalOf,
  solved as solvedBy,
  testSolver,
} from './solver-test.ts';
import { type Stretches, testStretches } from './stretches.ts';

const logistic = { model: 'logistic', V0: 10, K: 1000, r: 0.2, t_max: 25 };
const richards = { model: 'richards', V0: 5, K: 500, r: 0.3, nu: 0.5, t_max: 12 };
const bertalanffy = { model: 'bertalanffy', V0: 1e-3, alpha: 2, beta: 0.5, t_max: 7 };
const dose = (at: number) => ({ t: at, dose: 3, alpha: 0.35, beta: 0.035 });
const treated = { ...bertalanffy, schedule: [dose(3)] };
const front = { mode: 'invade', D: 1, r: 1, Lx: 80, initial: { type: 'front', x0: [36] }, t_max: 6, N: 512 };
const bump = Array.from({ length: 800 }, (_, i) => 0.8 * Math.exp(-((((i + 0.5) * 0.05 - 12) / 2) ** 2)));
const invasion = { mode: 'invade', D: 1, r: 1, Lx: 40, initialState: { u: bump }, t_max: 6 };
/** The same bump on fewer cells, for what need not be precise. */
const few = Array.from({ length: 400 }, (_, i) => (bump[2 * i]! + bump[2 * i + 1]!) / 2);

const relative = (value: number, reference: number) => Math.abs(value / reference - 1);
const solved = (body: object) => solvedBy(tumor, body);
const gateNames = async (body: object) => (await solved(body)).verdict.gates.map(({ name }) => name);

// ---- growth --------------------------------------------------------------------------------------------

const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const laws = fc.oneof(
  fc.record({ model: fc.constant('gompertz'), K: share(0.1, 100), a: share(0.01, 10) }),
  fc.record({ model: fc.constant('logistic'), K: share(0.1, 100), r: share(0.01, 10) }),
  fc.record({ model: fc.constant('richards'), K: share(0.1, 100), r: share(0.01, 10), nu: share(0.05, 8) }),
  fc.record({ model: fc.constant('bertalanffy'), alpha: share(0.5, 5), beta: share(0.1, 5) }),
);

t.test('every law, every schedule: gates within 1e-5, within the quote, V between its bounds', async (t) => {
  const schedules = fc.array(fc.tuple(share(0, 1), share(0.1, 6)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(laws, share(0.001, 200), share(0.1, 300), schedules, async (law, V0, t_max, given) => {
      const doses = given.map(([at, size]) => ({ t: at * t_max, dose: size, alpha: 0.3, beta: 0.03 }));
      const body = { ...law, V0, t_max, schedule: doses.sort((a, b) => a.t - b.t) };
      const job = await solved(body);
      const spent = job.finished.reduce((sum, run) => sum + Number(run.work), 0);
      t.ok(spent <= tumor.quote(body as never, { requestHash: new Uint8Array(32) }).work);
      t.ok(job.verdict.precisionActual < 1e-5, `${job.verdict.precisionActual} with ${JSON.stringify(body)}`);
      const V = fieldOf(job, 'V');
      const highest = Math.max(V0, outputOf(job, 'limitVolume')) * (1 + 1e-5);
      t.ok(V.every((volume) => volume > 0 && volume <= highest));
    }),
    { numRuns: 60, seed: 3 },
  );
});

t.test(
  'richards with ν = 1 is the logistic law; with ν → 0 and r = a/ν it is that of Gompertz',
  async (t) => {
    const one = await solved({ ...logistic, model: 'richards', nu: 1 });
    t.ok(relative(one.verdict.value, (await solved(logistic)).verdict.value) < 1e-12);
    const { r, ...rest } = logistic;
    const gompertz = await solved({ ...rest, model: 'gompertz', a: r });
    const flat = await solved({ ...rest, model: 'richards', nu: 1e-6, r: r / 1e-6 });
    t.ok(relative(flat.verdict.value, gompertz.verdict.value) < 1e-5);
  },
);

t.test('two doses at one time are their product, and a row at a dose shows what is behind it', async (t) => {
  const once = await solved({ ...logistic, schedule: [dose(25)] });
  const twice = await solved({ ...logistic, schedule: [dose(25), dose(25)] });
  const lost = Math.exp(-(0.35 * 3 + 0.035 * 9));
  t.ok(relative(once.verdict.value, (await solved(logistic)).verdict.value * lost) < 1e-13);
  t.ok(relative(twice.verdict.value, once.verdict.value * lost) < 1e-13);
  t.equal(fieldOf(once, 'V').at(-1), once.verdict.value);
  const first = await solved({ ...logistic, schedule: [dose(0)] });
  t.ok(relative(fieldOf(first, 'V')[0]!, 10 * lost) < 1e-13);
});

t.test('a treatment in the middle is a new run behind it', async (t) => {
  const before = await solved({ ...bertalanffy, t_max: 3 });
  const lost = Math.exp(-(0.35 * 3 + 0.035 * 9));
  const after = await solved({ ...bertalanffy, V0: before.verdict.value * lost, t_max: 4 });
  t.ok(relative((await solved(treated)).verdict.value, after.verdict.value) < 1e-7);
});

interface Described {
  readonly masterEquation: { closure: number; terms: Record<string, { rms: number | null }> };
  readonly functionalEquation: { balance: { lhs: number; rhs: number } };
}

t.test('doses have a term in the equation that the receipt describes, and its balance', async (t) => {
  const gompertz = { model: 'gompertz', V0: 1, K: 1000, a: 0.1, t_max: 20 };
  const weekly = Array.from({ length: 10 }, (_, i) => ({ ...dose(2 * i), dose: 1 }));
  const bodies = [
    { ...gompertz, schedule: [{ t: 10, dose: 2, alpha: 0.3, beta: 0.03 }] },
    { ...gompertz, schedule: weekly },
    { ...logistic, schedule: [dose(0), dose(7), dose(7.01), dose(25)] },
    treated,
  ];
  for (const body of bodies) {
    const said = JSON.stringify(body);
    const job = await solved(body);
    const { masterEquation, functionalEquation } = job.presentation.diagnostics as unknown as Described;
    t.ok(masterEquation.closure < 0.01, `closure ${masterEquation.closure}: ${said}`);
    t.ok(masterEquation.terms.source!.rms! > 0, said);
    const { lhs, rhs } = functionalEquation.balance;
    const largest = Math.max(...fieldOf(job, 'V'));
    t.ok(Math.abs(lhs - rhs) < 0.01 * largest, `${lhs} and ${rhs}: ${said}`);
  }
  const untreated = (await solved(gompertz)).presentation.diagnostics as unknown as Described;
  t.ok(untreated.masterEquation.closure < 0.01);
  t.equal(untreated.masterEquation.terms.source!.rms, null);
});

t.test('what doses kill is V(1 − e^{−αD − βD²}) of the closed form, in the rows around each', async (t) => {
  const lost = -Math.expm1(-(0.35 * 3 + 0.035 * 9));
  const body = { ...logistic, schedule: [dose(7.03)] };
  const { masterEquation } = (await solved(body)).presentation.diagnostics as unknown as Described;
  const V = 1000 / (1 + 99 * Math.exp(-0.2 * 7.03));
  /** Two of the 255 inner rows have it in their central differences of 2 · 25/256 s. */
  const rms = Math.sqrt(2 / 255) * ((V * lost) / (50 / 256));
  t.ok(relative(masterEquation.terms.source!.rms!, rms) < 1e-12);
});

t.test('a volume that is full stays full, one above it shrinks; neither doubles', async (t) => {
  const full = await solved({ ...logistic, V0: 1000 });
  t.ok(relative(full.verdict.value, 1000) < 1e-14);
  t.equal((full.presentation.outputs as { doublingTime: unknown }).doublingTime, null);
  t.ok((await solved({ ...logistic, V0: 2000 })).verdict.value < 2000);
});

t.test('V grows fastest at the inflection, at its time', async (t) => {
  for (const body of [
    logistic,
    richards,
    bertalanffy,
    { ...logistic, r: undefined, model: 'gompertz', a: 0.2 },
  ]) {
    const job = await solved({ ...JSON.parse(JSON.stringify(body)), t_max: 40 });
    const { V, t: at } = job.presentation.outputs.inflection as { V: number; t: number };
    const [times, volumes] = [fieldOf(job, 't'), fieldOf(job, 'V')];
    const rises = Array.from(volumes.subarray(1), (volume, i) => volume - volumes[i]!);
    const steepest = rises.indexOf(Math.max(...rises));
    t.ok(Math.abs(times[steepest]! - at) < 2 * times[1]!, `${body.model}: ${times[steepest]} and ${at}`);
    t.ok(relative(volumes[steepest]!, V) < 0.1);
  }
});

t.test('doubling time and inflection are those of the closed forms', async (t) => {
  const { r, ...rest } = logistic;
  /** dV/dt over V at the start, V and t where it grows fastest: from V̇ and V̈ = 0 of each law, by hand. */
  const laws: [object, number, number, number | null][] = [
    [{ ...logistic }, 0.2 * (1 - 10 / 1000), 500, Math.log(990 / 10) / 0.2],
    [{ ...rest, model: 'gompertz', a: r }, 0.2 * Math.log(100), 1000 / Math.E, Math.log(Math.log(100)) / 0.2],
    [
      { ...richards, t_max: 30 },
      0.3 * (1 - Math.sqrt(5 / 500)),
      500 / 1.5 ** 2,
      Math.log((1 / Math.sqrt(5 / 500) - 1) / 0.5) / (0.3 * 0.5),
    ],
    [
      bertalanffy,
      2 / Math.cbrt(1e-3) - 0.5,
      (8 / 3) ** 3,
      (3 / 0.5) * Math.log((4 - Math.cbrt(1e-3)) / (4 - 8 / 3)),
    ],
    [{ ...logistic, V0: 600 }, 0.2 * (1 - 0.6), 500, null],
  ];
  for (const [body, pace, V, at] of laws) {
    const job = await solved(body);
    const said = JSON.stringify(body);
    t.ok(relative(outputOf(job, 'doublingTime'), Math.log(2) / pace) < 1e-12, said);
    t.ok(relative(outputOf(job, 'inflection.V'), V) < 1e-12, said);
    if (at === null)
      t.equal((job.presentation.outputs.inflection as { t: unknown }).t, null, 'it lies behind');
    else t.ok(relative(outputOf(job, 'inflection.t'), at) < 1e-12, said);
  }
});

t.test('t0 only shifts the times; the fields go from start to end', async (t) => {
  const { V0: V, ...rest } = logistic;
  const job = await solved({ ...rest, initialState: { V, t0: 100 } });
  const [times, volumes] = [fieldOf(job, 't'), fieldOf(job, 'V')];
  t.strictSame([times[0], times.at(-1)], [100, 125]);
  t.ok(relative(volumes[0]!, 10) < 1e-14);
  t.strictSame(job.presentation.outputs.finalState, { V: volumes.at(-1), t0: 125 });
});

// ---- invasion ------------------------------------------------------------------------------------------

t.test('a front is exact where the ends are far, and stands beside twins where they are not', async (t) => {
  const always = ['three steps', 'profile, two steps'];
  t.strictSame(await gateNames(front), ['speed', 'profile', ...always]);
  t.strictSame(await gateNames({ ...front, quantity: 'value', probe: [45] }), [
    'speed',
    'profile',
    'probe',
    ...always,
  ]);
  const short = { ...front, Lx: 40, initial: { type: 'front', x0: [10] } };
  t.strictSame(await gateNames(short), [...always, 'twin: diffusion', 'twin: growth']);
  t.strictSame(await gateNames({ ...short, Lx: 80 }), [...always, 'twin: front']);
});

t.test(
  'a density alike everywhere grows as the logistic law says, and its mirror image is its own',
  async (t) => {
    const even = {
      ...invasion,
      N: 64,
      initialState: { u: Array(64).fill(0.1) },
      quantity: 'value',
      probe: [7],
    };
    const { verdict } = await solved(even);
    t.ok(relative(verdict.value, 1 / (1 + 9 * Math.exp(-6))) < 1e-4);
    const ahead = await solved({ ...invasion, initialState: { u: few } });
    const back = await solved({ ...invasion, initialState: { u: [...few].reverse() } });
    const [u, v] = [fieldOf(ahead, 'u'), fieldOf(back, 'u').reverse()];
    t.ok(u.every((density, i) => Math.abs(density - v[i]!) < 1e-14));
  },
);

t.test('the invaded length, which no gate holds, is sealed neither at the end nor as a series', async (t) => {
  const { presentation } = await solved({ ...invasion, initialState: { u: few } });
  const open = presentation.fields.filter(({ sealed }) => !sealed).map(({ name }) => name);
  t.strictSame(open, ['invaded']);
  t.equal(tumor.outputs.invaded![2], 'unsealed');
});

t.test('without much growth nothing is lost, whatever the density', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(share(0, 1), { minLength: 16, maxLength: 16 }), async (u) => {
      const wide = u.flatMap((density) => Array(8).fill(density));
      const job = await solved({ ...invasion, r: 1e-9, t_max: 30, initialState: { u: wide } });
      const invaded = fieldOf(job, 'invaded');
      t.ok(Math.abs(invaded.at(-1)! - invaded[0]!) <= 1e-6 * (invaded[0]! + 1e-3));
      t.ok(fieldOf(job, 'u').every((density) => density >= 0 && density <= 1 + 1e-9));
    }),
    { numRuns: 10, seed: 5 },
  );
});

// ---- what every solver must show -----------------------------------------------------------------------

const growth = async (dt: number) =>
  Math.abs((await solved({ ...logistic, dt })).verdict.value - 599.859601813035);
const speedError = async (N: number) =>
  Math.abs((await solved({ ...front, N })).verdict.value - 5 / Math.sqrt(6));

const growthFaults: [string, object, string, string][] = [
  ['half a step', logistic, 'step / 6.0 *', 'step / 12.0 *'],
  ['a law of the wrong sign', logistic, ': -rate * depth;', ': rate * depth;'],
  ['stages where the step begins', logistic, 'depth + (1.0 + depth) * expm1Near(exponent * way)', 'depth'],
  ['a surface for a volume', bertalanffy, '-1.0 / 3.0 : parameterF64(16)', '-2.0 / 3.0 : parameterF64(16)'],
  ['doses without their square', treated, '+ D * parameterF64(at + 16)', ''],
  ['doses that come too late', treated, 'doseTime(dose) <= t;', 'doseTime(dose) < t;'],
];
const invasionFaults: [string, object, string, string][] = [
  [
    'growth without a capacity',
    front,
    'f64x2.mul(f64x2.mul(r, here), f64x2.sub(f64x2.splat(1.0), here))',
    'f64x2.mul(r, here)',
  ],
  [
    'half the diffusion',
    invasion,
    'diffusion = h * parameterF64(0)',
    'diffusion = 0.5 * h * parameterF64(0)',
  ],
  ['an end that drains', front, 'store<f64>(u - 8, load<f64>(u));', 'store<f64>(u - 8, 0.0);'],
  [
    'a second stage of which an end drains',
    front,
    'vLeft = v128.shuffle<f64>(v, v, 0, 0);',
    'vLeft = f64x2.splat(0.0);',
  ],
  ['a speed of the whole run', invasion, '(0.5 * length())', '(0.49 * length())'],
];

t.test('cells that are too wide are refused with how many do', async (t) => {
  const front = { mode: 'invade', D: 1, r: 1, Lx: 110, initial: { type: 'front', x0: [40] }, t_max: 10 };
  const { details } = await refusalOf(tumor, { ...front, N: 160 });
  t.equal(details.field, 'N');
  const N = Number(/^at least (\d+)$/.exec(String(details.accepts))?.[1]);
  const { verdict } = await solved({ ...front, N });
  const speed = 5 / Math.sqrt(6); // Ablowitz & Zeppetella 1979
  t.ok(Math.abs(verdict.value / speed - 1) <= 1e-3, `${verdict.value} on ${N} cells`);
  const few = Array.from({ length: 64 }, (_, i) => Math.exp(-(((i - 32) / 4) ** 2)));
  const ofDensity = await refusalOf(tumor, { ...invasion, initialState: { u: few } });
  t.match(ofDensity.details, {
    field: 'initialState.u',
    accepts: /^the same density in at least \d+ cells$/,
  });
});

t.test('an invasion takes the memory of its state, and no more than it asks for', async (t) => {
  const context = { requestHash: new Uint8Array(32) };
  const wide = { ...front, Lx: 8e4, t_max: 0.1, dt: 0.01, N: 2 ** 18 };
  const { runs } = tumor.plan(inputOf(tumor, wide), context);
  t.ok(runs[0]!.memory <= 1.1 * memoryOf(runs[0]!).state, `${runs[0]!.memory}`);
  for (const body of [wide, front, { ...front, N: 20 }, invasion])
    for (const run of tumor.plan(inputOf(tumor, body), context).runs)
      t.ok(memoryOf(run).taken <= run.memory, run.label);
});

// ---- requests that are refused -------------------------------------------------------------------------

const grow = { model: 'gompertz', V0: 1e-9, K: 1e-6, a: 1e-6, t_max: 1e6 };
const invade = { mode: 'invade', D: 1, r: 1, Lx: 40, initial: { type: 'front', x0: [20] }, t_max: 2, N: 64 };
const { a: _, ...withoutRate } = grow;
const { model: __, ...withoutModel } = grow;
const { V0: ___, ...withoutV0 } = grow;
const { initial: ____, ...withoutInitial } = invade;
const { D: _____, ...withoutD } = invade;
const doseAt = (t: number, size = 2) => ({ t, dose: size, alpha: 0.3, beta: 0.03 });
const u = Array.from({ length: 64 }, () => 0.5);

const refused: readonly Refused[] = [
  { title: 'no model', body: withoutModel, code: 'MISSING_INPUT', field: 'model' },
  { title: 'no rate', body: withoutRate, code: 'MISSING_INPUT', field: 'a' },
  { title: 'no volume', body: withoutV0, code: 'MISSING_INPUT', field: 'V0' },
  {
    title: 'no exponent',
    body: { ...withoutRate, model: 'richards', r: 1e-6 },
    code: 'MISSING_INPUT',
    field: 'nu',
  },
  { title: 'a rate of another model', body: { ...grow, r: 1 }, code: 'INVALID_INPUT', field: 'r' },
  {
    title: 'a capacity with bertalanffy',
    body: { model: 'bertalanffy', V0: 1, K: 1, alpha: 1, beta: 1, t_max: 1 },
    code: 'INVALID_INPUT',
    field: 'K',
  },
  { title: 'a diffusivity of growth', body: { ...grow, D: 1 }, code: 'INVALID_INPUT', field: 'D' },
  { title: 'a volume of zero', body: { ...grow, V0: 0 }, code: 'INVALID_INPUT', field: 'V0' },
  {
    title: 'doses out of order',
    body: { ...grow, schedule: [doseAt(5e5), doseAt(4e5)] },
    code: 'INVALID_INPUT',
    field: 'schedule[1].t',
  },
  {
    title: 'a dose behind the end',
    body: { ...grow, schedule: [doseAt(2e6)] },
    code: 'INVALID_INPUT',
    field: 'schedule[0].t',
  },
  {
    title: 'a dose of nothing',
    body: { ...grow, schedule: [doseAt(1, 0)] },
    code: 'INVALID_INPUT',
    field: 'schedule[0].dose',
  },
  {
    title: 'a dose that leaves no number',
    body: { ...grow, schedule: [doseAt(1, 200)] },
    code: 'LIMIT_EXCEEDED',
    field: 'schedule',
  },
  {
    title: 'a volume far above its capacity',
    body: { ...grow, V0: 1e3 },
    code: 'LIMIT_EXCEEDED',
    field: 'V0',
  },
  {
    title: 'two starts',
    body: { ...grow, initialState: { V: 1e-9 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'an empty initialState',
    body: { ...withoutV0, initialState: { t0: 1 } },
    code: 'MISSING_INPUT',
    field: 'initialState.V',
  },
  {
    title: 'a density for a volume',
    body: { ...withoutV0, initialState: { u } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  { title: 'a very long run', body: { ...grow, t_max: 1e20 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  { title: 'a tiny step', body: { ...grow, dt: 1e-9 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  {
    title: 'a step that is too coarse',
    body: { ...grow, a: 1e-3, dt: 3.9e3 },
    code: 'OUTSIDE_TOLERANCE',
    field: 'dt',
  },
  { title: 'no diffusivity', body: withoutD, code: 'MISSING_INPUT', field: 'D' },
  { title: 'no front', body: withoutInitial, code: 'MISSING_INPUT', field: 'initial' },
  {
    title: 'a front nowhere',
    body: { ...invade, initial: { type: 'front' } },
    code: 'MISSING_INPUT',
    field: 'initial.x0',
  },
  {
    title: 'a front outside',
    body: { ...invade, initial: { type: 'front', x0: [50] } },
    code: 'INVALID_INPUT',
    field: 'initial.x0',
  },
  { title: 'a value nowhere', body: { ...invade, quantity: 'value' }, code: 'MISSING_INPUT', field: 'probe' },
  {
    title: 'a probe without its quantity',
    body: { ...invade, probe: [1] },
    code: 'INVALID_INPUT',
    field: 'probe',
  },
  { title: 'cells that do not halve twice', body: { ...invade, N: 66 }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'a step beyond stability', body: { ...invade, dt: 0.2 }, code: 'STABILITY_LIMIT', field: 'dt' },
  {
    title: 'a density of other cells',
    body: { ...withoutInitial, N: 32, initialState: { u } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  {
    title: 'a negative density',
    body: { ...withoutInitial, initialState: { u: [...u.slice(1), -0.1] } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  {
    title: 'too many steps of too many cells',
    body: { ...invade, N: 2 ** 18 },
    code: 'LIMIT_EXCEEDED',
    field: 't_max',
  },
  {
    title: 'a front narrower than a cell',
    body: { ...invade, r: 400, N: 16, t_max: 0.1 },
    code: 'OUTSIDE_TOLERANCE',
  },
];

// ---- a job in parts -----------------------------------------------------------------------------------

/** A hill of cells, wide beside them. */
const hill = Array.from({ length: 640 }, (_, i) => 0.9 * Math.exp(-((i / 20 - 8) ** 2) / 8));
const stretches: readonly Stretches[] = [
  {
    title: 'growth under treatment',
    body: {
      model: 'gompertz',
      ...{ V0: 1e-9, K: 1e-6, a: 1e-6 },
      schedule: [
        { t: 5e5, dose: 2, alpha: 0.3, beta: 0.03 },
        { t: 1e6, dose: 2, alpha: 0.3, beta: 0.03 },
        { t: 1e6, dose: 1, alpha: 0.3, beta: 0.03 },
      ],
    },
    end: 't_max',
    start: ['V0'],
    ends: [1e6, 1.5e6, 2e6],
    uneven: 1.7e6,
    tolerance: 1e-7,
    ownGates: ['series'],
    refused: { model: 'gompertz', V0: 1e-9, K: 1e-6, a: 1e-3, t_max: 1e6, dt: 3.9e3 },
    fault: {
      kernel: 'tumor',
      find: '  setField(16, load<f64>(earlierBody(), 8));\n',
      replace: '',
    },
    sameBits: false,
  },
  ...[
    ['a front', { initial: { type: 'front', x0: [16] }, Lx: 48, N: 480, probe: [17] }],
    ['a density', { initialState: { u: hill, t0: 1 }, Lx: 32, probe: [17] }],
    ['a front that reaches the end', { initial: { type: 'front', x0: [8] }, Lx: 16, N: 160, probe: [9] }],
  ].map(
    ([title, place]): Stretches => ({
      title: `invasion: ${title}`,
      body: { mode: 'invade', D: 1 / 6, r: 1, ...(place as object), quantity: 'value', dt: 1 / 512 },
      end: 't_max',
      start: ['initial', 'initialState'],
      ends: [2, 4],
      uneven: 3.3,
      tolerance: 1e-5,
      // Its speed is of the second half of its own stretch.
      own: (result) => result.subarray(16),
      runs: 3,
      ownGates: ['speed', 'twin: front', 'twin: diffusion', 'twin: growth'],
      ...(title === 'a front' && {
        fault: {
          kernel: 'tumor-invade',
          find: 'h = length() / <f64>steps',
          replace: 'h = parameterF64(32) / <f64>steps',
        },
      }),
    }),
  ),
];

testStretches(tumor, stretches);

testSolver(tumor, {
  references: [
    {
      title: 'Richards, V(12)',
      body: richards,
      expect: 80.7936978164652,
      tolerance: 1e-6,
      source: 'mpmath odefun, 30 digits',
    },
    {
      title: 'Bertalanffy, V(3)',
      body: { ...bertalanffy, t_max: 3 },
      expect: 4.366958134561967,
      tolerance: 1e-6,
      source: 'mpmath odefun, 30 digits',
    },
    {
      title: 'Bertalanffy, 3 Gy after 3 s',
      body: treated,
      expect: 15.23008080160081,
      tolerance: 1e-6,
      source: 'mpmath odefun, 30 digits',
    },
    {
      title: 'invasion from a bump, speed',
      body: invasion,
      expect: 3.1577719,
      tolerance: 2e-4,
      source: 'SciPy LSODA on 400, 800, 1600 cells, extrapolated',
    },
    {
      title: 'invasion from a bump, density',
      body: { ...invasion, quantity: 'value', probe: [20] },
      expect: 0.71856468,
      tolerance: 1e-4,
      source: 'SciPy LSODA on 400, 800, 1600 cells, extrapolated',
    },
    {
      title: 'speed of the front',
      body: front,
      expect: 5 / Math.sqrt(6),
      tolerance: 1e-3,
      source: 'Ablowitz & Zeppetella 1979',
    },
  ],
  orders: [
    {
      title: 'V(25), steps of 25/256 and half',
      theory: 4,
      errors: async () => [await growth(25 / 256), await growth(25 / 512)],
    },
    {
      title: 'speed of the front, 256 cells and 512',
      theory: 2,
      errors: async () => [await speedError(256), await speedError(512)],
    },
  ],
  twins: [
    ...growthFaults.map(([title, body, find, replace]) => ({ title, body, find, replace })),
    ...invasionFaults.map(([title, body, find, replace]) => ({
      title,
      body,
      find,
      replace,
      kernel: 'tumor-invade',
    })),
  ],
  refused,
});

t.test('a job that goes on may be given further doses, and none that lie behind it', async (t) => {
  const [first, second, third] = [dose(3), dose(12), dose(20)];
  const sent = (t_max: number, ...schedule: object[]) => inputOf(tumor, { ...logistic, t_max, schedule });
  const whole = await startJob(tumor, sent(25, first, second, third));
  const start = await startJob(tumor, sent(10, first));
  const then = await goOn(tumor, start, sent(20, first, second));
  const end = await goOn(tumor, then, sent(25, first, second, third));
  t.ok(relative(end.verdict.value, whole.verdict.value) < 1e-9, 'the second was in no request of the first');
  const silent = await goOn(tumor, then, inputOf(tumor, { ...logistic, t_max: 25 }));
  t.ok(relative(silent.verdict.value, (await startJob(tumor, sent(25, first, second))).verdict.value) < 1e-9);
  const refused: [object[], object][] = [
    [[], { field: 'schedule[0]', accepts: first }],
    [[{ ...first, dose: 9 }, second], { field: 'schedule[0]', accepts: first }],
    [[first, { ...second, t: 13 }], { field: 'schedule[1]', accepts: second }],
    [[first, second, { ...third, t: 19 }], { field: 'schedule[2].t', accepts: '>= 20 s' }],
    [[first, second, { ...third, t: 26 }], { field: 'schedule[2].t' }],
  ];
  for (const [schedule, details] of refused)
    await t.rejects(async () => goOn(tumor, then, sent(25, ...schedule)), { code: 'INVALID_INPUT', details });
});
