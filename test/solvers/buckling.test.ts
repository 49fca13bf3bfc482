import fc from 'fast-check';
import t from 'tap';
import { buckling } from '../../src/solvers/buckling.ts';
import type { Refused } from './refusals.ts';
import {
  fieldOf,
  type Reference,
  refusalOf,
  solved as solvedBy,
  type Twin,
  testSolver,
} from './solver-test.ts';

const unit = { E: 1, I: 1, L: 1 };
const solved = (body: object) => solvedBy(buckling, body);
const loadOf = async (body: object) => (await solved(body)).verdict.value;
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

// ---- values --------------------------------------------------------------------------------------------

const critical = 7.837347438943;
const references: Reference[] = [
  ...(
    [
      ['pinned-pinned', 9.869604401089358, 'π²'],
      ['fixed-free', 2.4674011002723395, 'π²/4'],
      ['fixed-fixed', 39.47841760435743, '4π²'],
      ['fixed-pinned', 20.190728556427, 'tan x = x, x = 4.493409457909064'],
    ] as const
  ).map(([ends, expect, source]) => ({
    title: `Euler, ${ends}`,
    body: { ...unit, ends },
    expect,
    tolerance: 1e-6,
    source,
  })),
  {
    title: 'a round bar of steel, 50 mm thick and 3 m long, pinned',
    body: { E: 2e11, I: 3.067961575771282e-7, L: 3, ends: 'pinned-pinned' },
    expect: 67287.92682,
    tolerance: 1e-6,
    source: 'π²EI/L²',
  },
  {
    title: 'load of a cantilever at the height where it buckles by itself',
    body: { ...unit, ends: 'fixed-free', q: critical },
    expect: 0,
    tolerance: 1e-7,
    scale: critical,
    source: 'qL³ = 9j²/4 EI, J_{−1/3}(j) = 0, j = 1.866350859 (Greenhill 1881)',
  },
  {
    title: 'stepped cantilever, stiff at the foot',
    body: { ...unit, I: { steps: [2, 1].map((I) => ({ L: 0.5, I })) }, ends: 'fixed-free' },
    expect: 4.134465793,
    tolerance: 1e-7,
    source: 'tan(k₁/2) tan(k₂/2) = k₂/k₁, by bisection',
  },
  {
    title: 'cone with the thin end at the foot',
    body: { ...unit, I: { taper: { I0: 1, I1: 1.5 ** 4, power: 4 } }, ends: 'pinned-pinned' },
    expect: 22.2066099,
    tolerance: 1e-7,
    source: '(1.5π)², w = z sin(k/z)',
  },
  {
    title: 'two half waves on a foundation',
    body: { ...unit, ends: 'pinned-pinned', kf: 800 },
    expect: 4 * Math.PI ** 2 + 800 / (4 * Math.PI ** 2),
    tolerance: 1e-7,
    source: 'EI(mπ/L)² + k_f(L/mπ)², m = 2',
  },
  {
    title: 'second load of the fixed column',
    body: { ...unit, ends: 'fixed-fixed' },
    of: 'loads.1',
    expect: 80.762914225708,
    tolerance: 1e-5,
    source: '4x², tan x = x',
  },
  {
    title: 'slenderness',
    body: {
      E: 2e11,
      I: 3.067961575771282e-7,
      L: 3,
      ends: 'fixed-free',
      A: 0.001963495408493621,
      sigmaY: 2.5e8,
    },
    of: 'slenderness',
    expect: 480,
    tolerance: 1e-7,
    source: 'KL/r = 2·3 m/(d/4), d = 50 mm',
  },
];

t.test('the pinned mode is a sine, the clamped one 1 − cos', async (t) => {
  const shapes: [string, (x: number) => number][] = [
    ['pinned-pinned', (x) => Math.sin(Math.PI * x)],
    ['fixed-fixed', (x) => 0.5 - 0.5 * Math.cos(2 * Math.PI * x)],
    ['fixed-free', (x) => 1 - Math.cos((Math.PI * x) / 2)],
  ];
  for (const [ends, shape] of shapes) {
    const job = await solved({ ...unit, L: 2, ends });
    const [x, w] = [fieldOf(job, 'x'), fieldOf(job, 'w')];
    t.strictSame([x[0], x.at(-1)], [0, 2]);
    t.ok(Math.max(...w.map((value, i) => Math.abs(value - shape(x[i]! / 2)))) < 1e-6, ends);
  }
});

t.test('the error of a mode is said where meshes show it, and where only rounding is left', async (t) => {
  for (const N of [16, 64, 1024, 2048]) {
    const job = await solved({ ...unit, ends: 'pinned-pinned', N });
    const [x, w] = [fieldOf(job, 'x'), fieldOf(job, 'w')];
    const apart = Math.max(...w.map((value, i) => Math.abs(value - Math.sin(Math.PI * x[i]!))));
    const { relError } = job.verdict.gates.find(({ name }) => name === 'mode')!;
    t.ok(apart <= 1.2 * relError && relError <= 1e-3, `${N}: ${apart}, said ${relError}`);
  }
});

t.test('a mesh too coarse is refused with the N that does', async (t) => {
  const body = { ...unit, ends: 'pinned-pinned', kf: 2e4 };
  const { code, details } = await refusalOf(buckling, { ...body, N: 12 });
  t.match({ code, field: details.field }, { code: 'OUTSIDE_TOLERANCE', field: 'N' });
  const N = Number(/^N = (\d+)/.exec(String(details.accepts))?.[1]);
  // EI(mπ/L)² + k_f(L/mπ)², m = 4
  const exact = 16 * Math.PI ** 2 + 2e4 / (16 * Math.PI ** 2);
  t.ok(relative((await solved({ ...body, N })).verdict.value, exact) < 1e-3, `${N}`);
});

t.test('where two loads meet, the load is sealed and its mode is not vouched for', async (t) => {
  // m = 1 and m = 2 have the same load at k_f = 4π⁴.
  const { verdict, presentation } = await solved({ ...unit, ends: 'pinned-pinned', kf: 4 * Math.PI ** 4 });
  t.ok(relative(verdict.value, 5 * Math.PI ** 2) < 1e-6);
  t.strictSame(
    presentation.fields.map(({ name, sealed }) => [name, sealed]),
    [
      ['x', true],
      ['w', false],
    ],
  );
});

t.test('loads that nearly meet on a stiff foundation are told apart by their count', async (t) => {
  // Even modes α sin(α/2) cos(β/2) = β sin(β/2) cos(α/2), α² and β² = (P ± √(P² − 4k))/2: the lowest root, by halves.
  for (const [kf, exact] of [
    [1e4, 233.78550917914293],
    [1.19e8, 21856.35647605802],
  ] as const)
    t.ok(relative(await loadOf({ ...unit, ends: 'fixed-fixed', kf }), exact) < 1e-5, `${kf}`);
  // Odd modes there, even ones 2.2e-7 above.
  t.ok(relative(await loadOf({ ...unit, ends: 'fixed-fixed', kf: 1.95e10 }), 279324.2479968105) < 1e-5);
});

t.test('where no mesh is fine enough, a softer foundation is asked for', async (t) => {
  const { details } = await refusalOf(buckling, { ...unit, ends: 'fixed-free', kf: 5e10, N: 8 });
  t.match(details, { field: 'kf', accepts: /softer/ });
});

t.test('a column above its own limit must be pulled', async (t) => {
  const { verdict, presentation } = await solved({ ...unit, ends: 'fixed-free', q: 2 * critical });
  t.ok(verdict.value < 0 && verdict.value > -2 * critical);
  t.equal(presentation.outputs.K, null);
});

// ---- laws ----------------------------------------------------------------------------------------------

const size = fc.double({ min: 0.2, max: 5, noNaN: true });
const sections = fc.array(fc.record({ L: size, I: size }), { minLength: 1, maxLength: 4 });
const ends = fc.constantFrom('pinned-pinned', 'fixed-free', 'fixed-fixed', 'fixed-pinned');
const columnOf = (steps: { L: number; I: number }[]) => ({
  I: { steps },
  L: steps.reduce((sum, { L }) => sum + L, 0),
});

t.test('P grows as E I/L²', async () => {
  await fc.assert(
    fc.asyncProperty(sections, ends, size, async (steps, ends, factor) => {
      const one = await loadOf({ E: 1, ...columnOf(steps), ends });
      const longer = columnOf(steps.map(({ L, I }) => ({ L: factor * L, I })));
      const other = await loadOf({ E: 3, ...longer, ends });
      return relative((other * factor ** 2) / 3, one) < 1e-6;
    }),
    { numRuns: 6 },
  );
});

t.test('turned upside down, a column with equal ends has the same load', async () => {
  await fc.assert(
    fc.asyncProperty(sections, fc.constantFrom('pinned-pinned', 'fixed-fixed'), async (steps, ends) => {
      const [up, down] = [steps, [...steps].reverse()].map((each) => ({
        E: 1,
        ...columnOf(each),
        ends,
        kf: 1,
      }));
      return relative(await loadOf(up!), await loadOf(down!)) < 1e-6;
    }),
    { numRuns: 6 },
  );
});

t.test(
  'a small load beside the own weight is held beside itself, or refused with the elements that do',
  async (t) => {
    // φ″ + (P + q(1 − x))φ = 0, φ(0) = φ′(1) = 0 in Airy functions (mpmath): what is left of a weight 4.4e-5 below the critical.
    const left = 1.158126806134e-4;
    const body = { ...unit, ends: 'fixed-free', q: 7.837 };
    t.ok(relative(await loadOf(body), left) < 1e-3);
    const { code, details } = await refusalOf(buckling, { ...body, N: 16 });
    t.match({ code, ...details }, { code: 'OUTSIDE_TOLERANCE', field: 'N', accepts: 'N = 64 or more' });
  },
);

t.test('a column that its usual elements do not resolve is told of those that do', async (t) => {
  // Steep cones; Hermite elements of an eigenvalue solver (SciPy, 240): 91.2408.
  const taper = { I0: 1.7488662e-13, I1: 1.29067352e-10, power: 2 };
  const body = { E: 613276786926.89, I: { taper }, L: 0.95516308, ends: 'pinned-pinned', q: 2.27694353 };
  const { details } = await refusalOf(buckling, body);
  t.match(details, { field: 'N', accepts: 'N = 128' });
  t.ok(relative(await loadOf({ ...body, N: 128 }), 91.2408) < 1e-4);
});

t.test('a foundation and a stiffer end raise the load, own weight lowers it', async () => {
  await fc.assert(
    fc.asyncProperty(sections, size, async (steps, more) => {
      // With weight the next loads may come near to 0, and are held beside themselves.
      const column = { E: 1, ...columnOf(steps), N: 128 };
      const bare = await loadOf({ ...column, ends: 'fixed-pinned' });
      return (
        (await loadOf({ ...column, ends: 'fixed-pinned', kf: more })) > bare &&
        (await loadOf({ ...column, ends: 'fixed-fixed' })) > bare &&
        (await loadOf({ ...column, ends: 'fixed-pinned', q: 0.1 * more })) < bare
      );
    }),
    { numRuns: 4 },
  );
});

// ---- order and twins -----------------------------------------------------------------------------------

const errorAt = async (N: number) => (await loadOf({ ...unit, ends: 'pinned-pinned', N })) / Math.PI ** 2 - 1;

const general = { ...unit, I: { taper: { I0: 2, I1: 1, power: 2 } }, ends: 'fixed-free', q: 1, kf: 20 };
const elements = 'assembly/beam/hermite.ts';
const faults: [string, string, string, string?][] = [
  ['a wrong curvature', '(6.0 * t - 4.0) / h', '(6.0 * t - 2.0) / h', elements],
  ['weight that lifts', '-weigh * weight * above', 'weigh * weight * above', elements],
  ['weight that hangs from the head', 'above = 1.0 - (foot', 'above = (foot', elements],
  ['a foundation left out', 'weigh * foundation, scratch', '0.0, scratch', elements],
  ['a foot that is hinged', 'if (ends != 0) hold', 'if (ends == 4) hold', elements],
  ['a taper of another power', 'Math.pow(1.0 + growth * along, power)', '(1.0 + growth * along)', elements],
  ['the second load for the first', '> load) setField(8', '> load + 1) setField(8', undefined],
];

const twins: Twin[] = faults.map(([title, find, replace, file]) => ({
  title,
  body: general,
  find,
  replace,
  ...(file === undefined ? {} : { file }),
}));

// ---- requests that are refused -------------------------------------------------------------------------

const column = { E: 2e11, I: 1e-8, L: 1, ends: 'pinned-pinned' };
const { E: _, ...withoutE } = column;
const steps = (...lengths: number[]) => ({ steps: lengths.map((L) => ({ L, I: 1e-8 })) });

const refused: readonly Refused[] = [
  { title: 'no modulus', body: withoutE, code: 'MISSING_INPUT', field: 'E' },
  { title: 'no second moment', body: { ...column, I: 0 }, code: 'INVALID_INPUT', field: 'I' },
  { title: 'unknown ends', body: { ...column, ends: 'free-free' }, code: 'INVALID_INPUT', field: 'ends' },
  { title: 'a foundation that pushes', body: { ...column, kf: -1 }, code: 'INVALID_INPUT', field: 'kf' },
  { title: 'too few elements', body: { ...column, N: 4 }, code: 'INVALID_INPUT', field: 'N' },
  {
    title: 'a power above that of a cone',
    body: { ...column, I: { taper: { I0: 1e-8, I1: 2e-8, power: 5 } } },
    code: 'INVALID_INPUT',
    field: 'I.taper.power',
  },
  {
    title: 'steps that do not fill the column',
    body: { ...column, I: steps(0.5, 0.4) },
    code: 'INVALID_INPUT',
    field: 'I.steps',
  },
  {
    title: 'a yield stress without a section',
    body: { ...column, sigmaY: 2.5e8 },
    code: 'MISSING_INPUT',
    field: 'A',
  },
  {
    title: 'a section without a yield stress',
    body: { ...column, A: 1e-3 },
    code: 'MISSING_INPUT',
    field: 'sigmaY',
  },
  {
    title: 'a needle that thickens ten thousand times and more',
    body: { ...column, I: { taper: { I0: 1e-8, I1: 2e-4, power: 4 } } },
    code: 'LIMIT_EXCEEDED',
    field: 'I',
  },
  {
    title: 'a wedge whose series would need a panel for every grain',
    body: { ...column, I: { taper: { I0: 1e-8, I1: 1e-5, power: 1 } } },
    code: 'LIMIT_EXCEEDED',
    field: 'I',
  },
  { title: 'a foundation of rock', body: { ...column, kf: 1e30 }, code: 'LIMIT_EXCEEDED', field: 'kf' },
  {
    title: 'a stub that yields before it buckles',
    body: { ...column, L: 0.1, A: 1e-4, sigmaY: 2.5e8 },
    code: 'EULER_INVALID',
    field: 'sigmaY',
  },
  {
    title: 'a mesh that is too coarse for its foundation',
    body: { ...column, kf: 1e9, N: 8 },
    code: 'OUTSIDE_TOLERANCE',
    field: 'N',
  },
];

testSolver(buckling, {
  references,
  orders: [
    {
      title: 'pinned column, 8 and 16 elements',
      theory: 4,
      errors: async () => [await errorAt(8), await errorAt(16)],
    },
  ],
  twins,
  refused,
});
