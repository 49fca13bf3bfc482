import fc from 'fast-check';
import t from 'tap';
import type { RunPlan } from '../../src/proof/job.ts';
import { opt } from '../../src/solvers/opt.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { afiro } from './afiro.ts';
import {
  boxed,
  dropped,
  hs35,
  programmes,
  range,
  rankThree,
  scattered,
  semidefinite,
  stairs,
  steep,
  wyndor,
} from './programmes.ts';
import { kernelDigest, kernelModule } from './run-job.ts';
import { testRunsOf } from './run-laws.ts';
import {
  fieldOf,
  inputOf,
  outputOf,
  type Reference,
  refusalOf,
  solved,
  type Twin,
  testSolver,
} from './solver-test.ts';

// ---- smooth objectives ---------------------------------------------------------------------------------

const named = (name: string, x0: number[], more: object = {}) => ({
  mode: 'unconstrained',
  function: name,
  x0,
  seed: 1,
  ...more,
});
const minima: [string, object, number, string][] = [
  ['Rosenbrock', named('rosenbrock', [-1.2, 1], { n: 2 }), 0, 'Rosenbrock 1960'],
  [
    'Rosenbrock, n = 10',
    named(
      'rosenbrock',
      range(10, (i) => (i % 2 ? 1 : -1.2)),
      { n: 10 },
    ),
    0,
    'Rosenbrock 1960',
  ],
  ['Himmelblau', named('himmelblau', [0, 0]), 0, 'Himmelblau 1972'],
  ['Beale’s function', named('beale', [1, 1]), 0, 'Beale 1958'],
  [
    'Styblinski & Tang, n = 3',
    named('styblinski-tang', [-2, -2, -2], { n: 3 }),
    3 * -39.16616570377142,
    'Styblinski & Tang 1990',
  ],
  [
    'Rosenbrock under a bound, x₀ ≤ ½',
    named('rosenbrock', [-1.2, 1], { n: 2, upper: [0.5, null] }),
    0.25,
    'by hand: (½, ¼)',
  ],
];
const danWood = {
  mode: 'nls',
  model: 'power',
  data: { x: [1.309, 1.471, 1.49, 1.565, 1.611, 1.68], y: [2.138, 3.421, 3.597, 4.34, 4.882, 5.66] },
  x0: [1, 5],
};
const rat42 = {
  mode: 'nls',
  model: 'logistic',
  data: {
    x: [9, 14, 21, 28, 42, 57, 63, 70, 79],
    y: [8.93, 10.8, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08],
  },
  x0: [75, 0.07, 36],
};
const puromycin = {
  mode: 'nls',
  model: 'michaelis-menten',
  data: {
    x: [0.02, 0.02, 0.06, 0.06, 0.11, 0.11, 0.22, 0.22, 0.56, 0.56, 1.1, 1.1],
    y: [76, 47, 97, 107, 123, 139, 159, 152, 191, 201, 207, 200],
  },
  x0: [205, 0.08],
};
const bell = {
  x: [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5],
  y: [0.12, 0.4, 0.95, 1.8, 2.6, 2.9, 2.5, 1.7, 0.9, 0.4],
};
const decay = {
  x: range(12, (i) => (i + 1) * 0.3),
  y: [1.651, 1.337, 1.069, 0.847, 0.671, 0.54, 0.448, 0.382, 0.328, 0.274, 0.218, 0.16],
};
const fits: [string, object, string | undefined, number, string][] = [
  ['DanWood', danWood, undefined, 4.3173084083e-3, 'NIST StRD, certified'],
  ['DanWood', danWood, 'x.0', 0.76886226176, 'NIST StRD, certified'],
  ['DanWood', danWood, 'x.1', 3.8604055871, 'NIST StRD, certified'],
  ['Rat42', rat42, undefined, 8.0565229338, 'NIST StRD, certified'],
  ['Rat42', rat42, 'x.0', 72.462237576, 'NIST StRD, certified'],
  ['Rat42', rat42, 'x.1', 0.067359200066, 'NIST StRD, certified'],
  ['Puromycin', puromycin, 'x.0', 212.7, 'Bates & Watts, table 2.1'],
  ['Puromycin', puromycin, 'x.1', 0.0641, 'Bates & Watts, table 2.1'],
  [
    'a bell',
    { mode: 'nls', model: 'gaussian', data: bell, x0: [3, 0.5, 1] },
    undefined,
    0.0023443884363641824,
    'SciPy, curve_fit',
  ],
  [
    'a decay from a start that grows',
    { mode: 'nls', model: 'exponential', data: decay, x0: [2.5, 2.9] },
    undefined,
    0.004800416039762441,
    'SciPy, least_squares',
  ],
  [
    'a decay from a steeper start',
    { mode: 'nls', model: 'exponential', data: decay, x0: [3, 3] },
    'x.1',
    -0.70948271,
    'SciPy, least_squares',
  ],
  [
    'an exponential that does not fit',
    { mode: 'nls', model: 'exponential', data: bell, x0: [1, 0.5] },
    undefined,
    8.94311191583392,
    'SciPy, curve_fit',
  ],
  [
    'a cubic',
    { mode: 'nls', model: 'polynomial', data: bell, x0: [0, 0, 0, 0] },
    undefined,
    0.8542610489510496,
    'NumPy, polyfit',
  ],
];

const references: Reference[] = [
  ...[...programmes, ...minima].map(([title, body, expect, source]) => ({
    title,
    body,
    expect,
    tolerance: 1e-7,
    ...(expect === 0 && { scale: 1 }),
    source,
  })),
  ...fits.map(([title, body, of, expect, source]) => ({
    title: `${title}, ${of ?? 'Σr²'}`,
    body,
    ...(of && { of }),
    expect,
    tolerance: title === 'Puromycin' ? 1e-3 : 1e-7,
    source,
  })),
];

// ---- laws ----------------------------------------------------------------------------------------------

t.test('no feasible point is better than the optimum of a random programme', async (t) => {
  const small = fc.integer({ min: -9, max: 9 });
  const programme = fc.record({
    c: fc.array(small, { minLength: 4, maxLength: 4 }),
    A: fc.array(fc.array(small, { minLength: 4, maxLength: 4 }), { minLength: 3, maxLength: 3 }),
    b: fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 3, maxLength: 3 }),
    point: fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 4, maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(programme, async ({ c, A, b, point }) => {
      const bounds = { lower: [-5, -5, -5, -5], upper: [5, 5, 5, 5] };
      const { verdict } = await solved(opt, { mode: 'lp', c, A, b, ...bounds });
      const dot = (u: number[], v: number[]) => u.reduce((sum, each, i) => sum + each * v[i]!, 0);
      // 0 is feasible; from there on the point is shortened until it is.
      const reach = Math.min(
        1,
        ...A.map((row, i) => (dot(row, point) > b[i]! ? b[i]! / dot(row, point) : 1)),
      );
      t.ok(verdict.value <= reach * dot(c, point) + 1e-9);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

/**
 * A programme made from its optimum: x and multipliers of the right signs are drawn, sides and costs follow from them
 * in whole numbers. `rank` of H; of a linear programme 0.
 */
interface Made {
  readonly x: readonly number[];
  readonly rows: readonly { readonly a: readonly number[]; readonly y: number; readonly slack: number }[];
  readonly bounds: readonly number[];
  readonly root: readonly (readonly number[])[];
}
const madeProgrammes: fc.Arbitrary<Made> = fc.integer({ min: 1, max: 12 }).chain((n) => {
  const whole = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: n, maxLength: n });
  const row = fc.record({
    a: whole,
    y: fc.integer({ min: 0, max: 5 }),
    slack: fc.integer({ min: 0, max: 6 }),
  });
  return fc.record({
    x: whole,
    rows: fc.array(row, { maxLength: 12 }),
    bounds: whole,
    root: fc.array(whole, { maxLength: n }),
  });
});

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, j) => sum + value * b[j]!, 0);

function withOptimum({ x, rows, bounds, root }: Made, mode: 'lp' | 'qp'): { body: object; value: number } {
  const H = x.map((_, i) =>
    x.map((_, j) => (mode === 'qp' ? root.reduce((s, r) => s + r[i]! * r[j]!, 0) : 0)),
  );
  // A row or bound has a multiplier or a slack; 0 as both is degenerate.
  const b = rows.map(({ a, y, slack }) => dot(a, x) + (y > 0 ? 0 : slack));
  const lower = bounds.map((z, j) => (z > 0 ? x[j]! : z === 0 ? null : x[j]! - 3));
  const upper = bounds.map((z, j) => (z === -1 ? x[j]! : null));
  const c = x.map((_, j) => {
    const pull = bounds[j]! > 0 ? bounds[j]! : bounds[j] === -1 ? -2 : 0;
    return pull - dot(H[j]!, x) - rows.reduce((sum, { a, y }) => sum + a[j]! * y, 0);
  });
  const body = { mode, A: rows.map(({ a }) => a), b, lower, upper };
  const value =
    0.5 *
      dot(
        x,
        H.map((row) => dot(row, x)),
      ) +
    dot(c, x);
  return { body: mode === 'lp' ? { ...body, c } : { ...body, H, g: c }, value };
}

for (const mode of ['lp', 'qp'] as const)
  t.test(`${mode}: programmes made from their optimum, degenerate ones too, come to it`, async (t) => {
    await fc.assert(
      fc.asyncProperty(madeProgrammes, async (made) => {
        const { body, value } = withOptimum(made, mode);
        const { verdict } = await solved(opt, body);
        return Math.abs(verdict.value - value) <= 1e-9 * Math.max(1, Math.abs(value));
      }),
      { seed: 6, numRuns: 400 },
    );
    t.pass();
  });

t.test('a quadratic programme does not depend on the order of its variables', async (t) => {
  const { verdict } = await solved(opt, semidefinite);
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(
        range(12, (i) => i),
        { minLength: 12 },
      ),
      async (order) => {
        const body = {
          ...semidefinite,
          H: order.map((i) => order.map((j) => semidefinite.H[i]![j]!)),
          g: order.map((i) => semidefinite.g[i]!),
        };
        const again = await solved(opt, body);
        t.ok(Math.abs(again.verdict.value / verdict.value - 1) < 1e-9);
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
});

t.test('rows may be scaled by anything', async (t) => {
  const scales = [1e-6, 3, 1e7, 1e-3, 42, 1e5];
  const body = boxed(10, 6, 1);
  const scaled = {
    ...body,
    A: body.A.map((row, i) => row.map((value) => value * scales[i]!)),
    b: body.b.map((value, i) => value * scales[i]!),
  };
  t.ok(Math.abs((await solved(opt, scaled)).verdict.value / -56.25925925925925 - 1) < 1e-9);
});

t.test('the certificates of a programme without an optimum are shown', async (t) => {
  const empty = await refusalOf(opt, { mode: 'lp', c: [1], A: [[1], [-1]], b: [1, -2] });
  const { kind, multipliers } = empty.details.certificate as { kind: string; multipliers: number[] };
  t.equal(kind, 'Farkas');
  t.ok(multipliers[0]! > 0 && Math.abs(multipliers[0]! - multipliers[1]!) < 1e-12, 'y = (1, 1)');
  const endless = await refusalOf(opt, { mode: 'lp', c: [-1, 0], A: [[1, -1]], b: [0], lower: [0, 0] });
  const ray = (endless.details.certificate as { direction: number[] }).direction;
  t.ok(ray[0]! > 0 && ray[1]! >= ray[0]! - 1e-12, 'a direction (1, ≥ 1)');
});

/** m equations in whole numbers that an x of whole numbers within ±3 fulfils (Park & Miller's generator). */
function equations(n: number, m: number, seed: number) {
  let state = seed;
  const whole = (most: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.round(most * ((2 * state) / 2_147_483_647 - 1));
  };
  const E = range(m, () => range(n, () => whole(10)));
  const x = range(n, () => whole(3));
  const d = E.map((row) => row.reduce((sum, entry, j) => sum + entry * x[j]!, 0));
  return { E, d, lower: range(n, () => -4), upper: range(n, () => 4) };
}

t.test('a feasible point is found where nothing is to be minimized, and behind a ray', async (t) => {
  for (const seed of [1, 2, 3]) {
    const { E, d, lower, upper } = equations(120, 90, seed);
    const { presentation } = await solved(opt, { mode: 'lp', c: range(120, () => 0), E, d, lower, upper });
    const { x, multipliers, changes } = presentation.outputs as {
      x: number[];
      multipliers: { equalities: number[] };
      changes: number;
    };
    const apart = E.map((row, i) => row.reduce((sum, entry, j) => sum + entry * x[j]!, -d[i]!));
    t.ok(Math.max(...apart.map(Math.abs)) < 1e-9 && x.every((value) => Math.abs(value) <= 4 + 1e-9));
    t.ok(changes < 300, `${changes} changes for 90 equations`);
    t.ok(multipliers.equalities.every((value) => value === 0));
    const free = {
      mode: 'lp',
      c: [...range(120, () => 0), -1],
      d,
      lower: [...lower, 0],
      upper: [...upper, null],
    };
    const ray = await refusalOf(opt, { ...free, E: E.map((row) => [...row, 0]) });
    t.match(ray.message, /unbounded along a ray/);
  }
});

t.test(
  'a bound that is passed by less than others count is held where that is worth something',
  async (t) => {
    // x ≤ 1, x + 1e-10 z = 1 + 5e-10 in doubles: all of the 5e-10 has to be z.
    const steep = { mode: 'lp', E: [[1, 1e-10]], d: [1.0000000005], lower: [0, 0], upper: [1, null] };
    const worth = (1.0000000005 - 1) / 1e-10;
    for (const [c, expected] of [
      [[0, 1], worth],
      [[1, 1], 1 + worth],
    ] as const) {
      const { verdict } = await solved(opt, { ...steep, c });
      t.ok(Math.abs(verdict.value / expected - 1) < 1e-6, `${verdict.value}, not ${expected}`);
    }
  },
);

t.test('a variable that hardly pulls goes as far as it may where that is worth something', async (t) => {
  // min x − 5e-11 z, x ≥ 3, z ≤ 1e11 as a row: by hand 3 − 5.
  const pulled = { mode: 'lp', c: [1, -5e-11], A: [[0, 1]], b: [1e11], lower: [3, 0] };
  const job = await solved(opt, pulled);
  t.ok(Math.abs(job.verdict.value + 2) < 1e-9, `${job.verdict.value}, not −2`);
  const negative = { mode: 'lp', c: [1, 5e-11], A: [[0, -1]], b: [1e11], lower: [3, null], upper: [null, 0] };
  t.ok(Math.abs((await solved(opt, negative)).verdict.value + 2) < 1e-9);
  await testRunsOf(t, opt, inputOf(opt, pulled));
});

t.test('of variables that hardly pull the one that goes farthest counts, however many do', async (t) => {
  const start = { mode: 'lp', lower: [3, 0, 0] };
  const columns = [
    [0, 1, 0],
    [0, 0, 1],
  ];
  const near = range(17, (i) => -6e-11 - i * 1e-12);
  // By hand: 3 − 5e-11 × 1e11, and parts of 1e-9 beside that.
  const pulled = [
    { ...start, c: [1, -5e-11, -5e-11], A: columns, b: [1, 1e11] },
    { ...start, c: [1, -5e-11, -5e-11], A: columns, b: [1e11, 1] },
    {
      ...{ mode: 'lp', c: [1, ...near, -5e-11], lower: [3, ...range(18, () => 0)] },
      A: range(18, (i) => range(19, (j) => (j === i + 1 ? 1 : 0))),
      b: [...range(17, () => 1), 1e11],
    },
    { mode: 'lp', c: [1, -5e-11], lower: [3, 0], upper: [null, 1e11] },
  ];
  for (const body of pulled) {
    const { verdict } = await solved(opt, body);
    t.ok(Math.abs(verdict.value + 2) < 1e-7, `${verdict.value}, not −2`);
  }
  for (const more of [{}, { A: [[1, 0]], b: [1e11] }])
    t.equal(
      (await refusalOf(opt, { mode: 'lp', c: [1, -5e-11], lower: [3, 0], ...more })).code,
      'DID_NOT_CONVERGE',
      'where nothing stops one there is no minimum',
    );
});

t.test('a programme that is not solved is told of its units, a function of its start', async (t) => {
  const { accepts } = opt.refusalDetails!(inputOf(opt, afiro), 17, []);
  t.match(accepts, /units/);
  t.notMatch(accepts, /x0/);
  t.match(opt.refusalDetails!(inputOf(opt, named('himmelblau', [0, 0])), 17, []).accepts, /x0/);
});

// Optima by SciPy, HiGHS, of the programme before its units differ. Rows and columns that were scaled by their largest entries
// alone gave 41.5, 28.2, 69.96 and 42.51.
const steeps: [seed: number, rows: number, powers: number, optimum: number][] = [
  [383, 7, 18, 39.06095238095237],
  [625, 9, 18, 26.00428571428572],
  [502045, 29, 30, 69.52952314017357],
  [505300, 14, 30, 42.70257142857143],
];

t.test(
  'units of rows and columns that differ by eleven and eighteen decades change no optimum',
  async (t) => {
    for (const [seed, rows, powers, optimum] of steeps) {
      const { plain, scaled } = steep(seed, rows, powers);
      for (const body of [plain, scaled]) {
        const { verdict } = await solved(opt, body);
        t.ok(Math.abs(verdict.value / optimum - 1) < 1e-8, `${verdict.value} for ${optimum}`);
      }
    }
  },
);

t.test('multipliers say what a side is worth', async (t) => {
  const job = await solved(opt, wyndor);
  const { multipliers } = job.presentation.outputs as { multipliers: { inequalities: number[] } };
  t.strictSame(multipliers.inequalities, [0, 1.5, 1]);
  t.strictSame([...fieldOf(job, 'x')], [2, 6]);
});

/** Work units of each step of the first run. */
function unitsOfSteps(body: object): number[] {
  const input = inputOf(opt, body);
  const [{ kernel, parts, memory, work }] = opt.plan(input, { requestHash: new Uint8Array(32) }).runs as [
    RunPlan,
  ];
  const [{ bytes }] = parts as [{ bytes: Uint8Array }];
  const spec = { kernel: kernelDigest(kernel), parameters: bytes, stepsPerSegment: 1, memory, work };
  const spent: number[] = [];
  driveRun(instantiateKernel(kernelModule(kernel)), spec, {
    atSegmentEnd: (run) => spent.push(Number(run.work)),
  });
  return spent.slice(1).map((each, k) => each - spent[k]!);
}

t.test(
  'to eliminate full columns takes a third of the cube of their number, with no search beside it',
  (t) => {
    const size = 120;
    const costs = range(size, (j) => ((7 * j) % 11) - 5);
    const most = Math.max(...unitsOfSteps({ mode: 'lp', c: costs, ...equations(size, size, 1) }));
    // A look for the shortest, sets that are united, and solutions: each so many times the square.
    t.ok(most > size ** 3 / 3 && most < size ** 3 / 3 + 24 * size ** 2, `${most}`);
    t.end();
  },
);

t.test('starts are quoted at one to fifteen times what they take, from near and far', async (t) => {
  const far = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 2, maxLength: 30 });
  for (const x0 of [[-1.2, 1], ...fc.sample(far, { numRuns: 10, seed: 6 })]) {
    for (const name of ['rosenbrock', 'styblinski-tang']) {
      const body = named(name, x0, { n: x0.length, seed: 1 });
      const { finished } = await solved(opt, body);
      const spent = finished.reduce((sum, { work }) => sum + Number(work), 0);
      const ratio = opt.quote(inputOf(opt, body), { requestHash: new Uint8Array(32) }).work / spent;
      t.ok(ratio >= 1 && ratio <= 15, `${name} of ${x0.length}: ${ratio}`);
    }
  }
});

t.test('what is minimized is drawn step by step, down to the value', async (t) => {
  for (const [body, sign] of [
    [afiro, 1],
    [hs35, 1],
    [wyndor, -1],
    [opt.examples[4]!.body, 1],
  ] as const) {
    const job = await solved(opt, body);
    const [, descent] = job.presentation.plots;
    t.match(descent, { y: ['iterates[0]'] });
    const constant = (body as { constant?: number }).constant ?? 0;
    const last = fieldOf(job, 'iterates').at(-2)!;
    t.ok(Math.abs(sign * last + constant - job.verdict.value) <= 1e-9, `${last} of ${job.verdict.value}`);
  }
});

t.test('near the minimum Newton’s method squares the gradient', async (t) => {
  const job = await solved(opt, named('rosenbrock', [-1.2, 1], { n: 2 }));
  const rows = fieldOf(job, 'iterates');
  const gradients = range(rows.length / 2, (k) => rows[2 * k + 1]!);
  const last = gradients.findIndex((size) => size < 1e-5);
  t.ok(
    last > 0 && gradients[last]! < 100 * gradients[last - 1]! ** 2,
    `${gradients.slice(last - 2, last + 1)}`,
  );
  t.notOk(job.presentation.outputs.local);
});

t.test('a minimum that is not known to be the lowest is called local', async (t) => {
  const job = await solved(opt, opt.examples[3]!.body);
  t.ok(job.presentation.outputs.local);
  t.equal(outputOf(job, 'startsSettled'), 8);
});

// ---- broken twins --------------------------------------------------------------------------------------

const lp = 'opt-lp';
const qp = 'opt-qp';
const newton = 'opt-newton';
const objective = 'assembly/opt/objective.ts';
const factors = 'assembly/opt/factors.ts';
const twins: Twin[] = [
  {
    title: 'a row that is taken out of U by multiples of the wrong sign',
    body: stairs(5),
    kernel: lp,
    file: factors,
    find: 'addEntry(i, multiple);',
    replace: 'addEntry(i, -multiple);',
  },
  {
    title: 'rows of the programme, an entry of each of which is left out',
    body: stairs(5),
    kernel: lp,
    file: 'assembly/opt/pricing.ts',
    find: 'let e = intAt(rowStarts, i); e < end; e++) {\n      const j',
    replace: 'let e = intAt(rowStarts, i) + 1; e < end; e++) {\n      const j',
  },
  {
    title: 'a nucleus whose rows do not know what fills in',
    body: scattered(60),
    kernel: lp,
    file: 'assembly/opt/nucleus.ts',
    find: 'unite(set, setOfRow(r));',
    replace: '',
  },
  {
    title: 'columns of L of the wrong sign',
    body: stairs(5),
    kernel: lp,
    file: 'assembly/opt/triangles.ts',
    find: 'addEntry(row, entryAt(k) / pivot)',
    replace: 'addEntry(row, -entryAt(k) / pivot)',
  },
  {
    title: 'multipliers of the wrong sign',
    body: wyndor,
    kernel: lp,
    find: '-at(y, i) * at(rowScales, i)',
    replace: 'at(y, i) * at(rowScales, i)',
  },
  {
    title: 'a ratio test that takes the largest',
    body: afiro,
    kernel: lp,
    find: 'at(ratios, child) < ratio',
    replace: 'at(ratios, child) > ratio',
    file: 'assembly/opt/breakpoints.ts',
  },
  {
    title: 'columns that are not scaled back',
    body: {
      mode: 'lp',
      sense: 'max',
      c: [3, 200],
      A: [
        [1, 100],
        [2, 100],
      ],
      b: [4, 6],
      lower: [0, 0],
    },
    kernel: lp,
    find: 'put(to, j, at(x, j) * at(columnScales, j) / extent)',
    replace: 'put(to, j, at(x, j) / extent)',
  },
  {
    title: 'costs that are not scaled back',
    body: { ...wyndor, c: [0.03, 0.05] },
    kernel: lp,
    find: '-at(y, i) * at(rowScales, i) / price',
    replace: '-at(y, i) * at(rowScales, i)',
  },
  {
    title: 'lengths that are not scaled back',
    body: { ...wyndor, b: [0.04, 0.12, 0.18] },
    kernel: lp,
    find: 'put(to, j, at(x, j) * at(columnScales, j) / extent)',
    replace: 'put(to, j, at(x, j) * at(columnScales, j))',
  },
  {
    title: 'a minimization with ε that is the last',
    body: rankThree,
    kernel: qp,
    find: 'field(32) == 0.0 ? 0.0 : leftOver()',
    replace: '0.0',
  },
  {
    title: 'multipliers that are carried over',
    body: rankThree,
    kernel: qp,
    find: '  dualStep(d, multipliers);\n',
    replace: '',
  },
  {
    title: 'constraints that are never dropped',
    body: dropped,
    kernel: qp,
    find: 'isEquality ? -1 : blocking()',
    replace: '-1',
  },
  {
    title: 'half of the sides that are active',
    body: hs35,
    kernel: qp,
    find: 'let sum = side(',
    replace: 'let sum = 0.5 * side(',
  },
  {
    title: 'a term of the gradient left out',
    body: named('mccormick', [-0.5, -1.5]),
    kernel: newton,
    file: objective,
    find: 'slope(0, c + 2.0 * apart - 1.5)',
    replace: 'slope(0, c + 2.0 * apart)',
  },
  {
    title: 'weights that count twice',
    body: { ...danWood, data: { ...danWood.data, weight: [1, 2, 3, 1, 2, 3] } },
    kernel: newton,
    file: objective,
    find: 'value += w * r * r',
    replace: 'value += w * w * r * r',
  },
  {
    title: 'a minimum before it is reached',
    body: opt.examples[4]!.body,
    kernel: newton,
    find: 'isSettled() || !moved',
    replace: 'true',
  },
];

/** Size of the gradient after one step of Newton's method from this far beside a minimum of Himmelblau's function. */
async function gradientAfterStep(h: number): Promise<number> {
  return fieldOf(await solved(opt, named('himmelblau', [3 + h, 2 - h])), 'iterates')[3]!;
}

testSolver(opt, {
  references,
  orders: [
    {
      title: 'a step of Newton’s method squares the distance',
      theory: 2,
      errors: () => Promise.all([gradientAfterStep(0.01), gradientAfterStep(0.005)]),
    },
  ],
  twins,
});
