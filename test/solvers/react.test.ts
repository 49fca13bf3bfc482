import fc from 'fast-check';
import t from 'tap';
import type { ReactInput } from '../../src/solvers/react/schema.ts';
import { react } from '../../src/solvers/react.ts';
import { goOn, startJob } from './continue-job.ts';
import { fieldOf, inputOf, memoryOf, outputOf, solved, type Twin, testSolver } from './solver-test.ts';

t.setTimeout(120_000);

const pulse = { type: 'gaussian', x0: [0.5], w: 0.05, deltaU: -0.5, deltaV: 0.25 };
const grayScott = {
  model: 'grayscott',
  dim: 1,
  Du: 2e-5,
  Dv: 1e-5,
  F: 0.04,
  k: 0.06,
  Lx: 1,
  boundary: 'periodic',
  initial: pulse,
  t_end: 400,
  N: 512,
};
const fisher = {
  model: 'fisher',
  dim: 1,
  D: 1,
  r: 1,
  Lx: 80,
  boundary: 'noflux',
  initial: { type: 'front', x0: [30] },
  t_end: 5,
  N: 1280,
  quantity: 'value',
  probe: [40],
};
const nagumo = {
  model: 'nagumo',
  dim: 1,
  D: 1,
  k: 1,
  a: 0.25,
  Lx: 60,
  boundary: 'noflux',
  initial: { type: 'front', x0: [25] },
  t_end: 8,
  N: 480,
  quantity: 'speed',
};
const brusselator = {
  model: 'brusselator',
  dim: 1,
  A: 1,
  B: 3,
  Du: 1,
  Dv: 1,
  Lx: 8,
  boundary: 'periodic',
  initialState: { u: new Array(33).fill(1), v: new Array(33).fill(2.5) },
  t_end: 3,
  N: 32,
};
const mixed = {
  ...grayScott,
  initial: undefined,
  F: 0.05,
  k: 0.06,
  initialState: { u: new Array(33).fill(0.5), v: new Array(33).fill(0.3) },
  t_end: 50,
  N: 32,
};
const uniform = { u: 0.4105572809, v: 0.2679285087 };
/** What is left of a small excess of u about the uniform state, by the eigenvalues a ± ib: e^(at)(cos bt + (J₁₁ − a) sin bt/b). */
function returned(t: number): number {
  const [a, b] = [-0.0058928, 0.0485973];
  return Math.exp(a * t) * (Math.cos(b * t) + ((-(uniform.v ** 2) - 0.05 - a) * Math.sin(b * t)) / b);
}
const { initial: _, ...stirred } = mixed;
const { initial: __, ...bare } = fisher;

/** Five modes of one size: which of them wins is for the equation to say. */
const ripples = (rest: number) =>
  Array.from({ length: 257 }, (_, i) =>
    [8, 9, 10, 11, 12].reduce((sum, m) => sum + 1e-3 * Math.cos((2 * Math.PI * m * (i % 256)) / 256), rest),
  );

/** Error of the finest grid alone. */
async function errorOf(body: object): Promise<number> {
  const job = await solved(react, body);
  return Math.abs(outputOf(job, 'grids.h') - outputOf(job, 'closedForm'));
}

// ---- laws ----------------------------------------------------------------------------------------------

t.test('what has reacted is what the means have changed, to 1e-12, whatever the pulse', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('periodic', 'noflux'),
      fc.double({ min: 0.2, max: 0.8, noNaN: true }),
      fc.double({ min: 0.1, max: 0.15, noNaN: true }),
      fc.double({ min: -0.6, max: 0, noNaN: true }),
      async (boundary, x, w, deltaU) => {
        const initial = { type: 'gaussian', x0: [x], w, deltaU, deltaV: 0.25 };
        const { verdict } = await solved(react, { ...grayScott, boundary, initial, t_end: 40, N: 256 });
        t.ok(verdict.gates.find(({ name }) => name === 'balance')!.relError <= 1e-12);
      },
    ),
    { numRuns: 10 },
  );
});

t.test('x and y exchanged give the transposed field, to the bit', async (t) => {
  const body = { model: 'grayscott', Du: 2e-4, Dv: 1e-4, F: 0.04, k: 0.06, t_end: 8 };
  const initial = { type: 'gaussian', w: 0.15, deltaU: -0.5, deltaV: 0.25 };
  const ends = { left: 'periodic', right: 'periodic', bottom: 'noflux', top: 'noflux' };
  const turned = { left: 'noflux', right: 'noflux', bottom: 'periodic', top: 'periodic' };
  const one = await solved(react, {
    ...body,
    Lx: 1,
    Ly: 0.75,
    N: [64, 48],
    boundary: ends,
    initial: { ...initial, x0: [0.5, 0.4] },
  });
  const other = await solved(react, {
    ...body,
    Lx: 0.75,
    Ly: 1,
    N: [48, 64],
    boundary: turned,
    initial: { ...initial, x0: [0.4, 0.5] },
  });
  for (const name of ['u', 'v']) {
    const [a, b] = [fieldOf(one, name), fieldOf(other, name)];
    let apart = 0;
    for (let j = 0; j <= 48; j++) for (let i = 0; i <= 64; i++) if (a[j * 65 + i] !== b[i * 49 + j]) apart++;
    t.equal(apart, 0, name);
  }
});

t.test('a field that does not vary along y is that of one dimension', async (t) => {
  const one = await solved(react, { ...fisher, t_end: 1 });
  const two = await solved(react, {
    ...fisher,
    dim: 2,
    Ly: 2,
    N: [1280, 16],
    initial: { type: 'front', x0: [30, 0] },
    probe: [40, 1],
    dt: outputOf(one, 'dt') / 4,
    t_end: 1,
  });
  t.ok(Math.abs(one.verdict.value - two.verdict.value) < 1e-5, `${one.verdict.value - two.verdict.value}`);
});

t.test('cells that 4 divides and 8 does not are as good as others', async (t) => {
  const { Ly, initial, ...growth } = ownGrowth;
  const line = { dim: 1, N: 100, initial: { ...initial, x0: [0.5] } };
  for (const sides of [line, { Ly, initial, N: [60, 20] }, { Ly, initial, N: [20, 60] }]) {
    const job = await solved(react, { ...growth, ...sides });
    t.ok(Math.abs(job.verdict.value - 1 / (1 + 9 * Math.exp(-1.2))) < 1e-4, `${sides.N}`);
    t.ok(fieldOf(job, 'power').length > 0);
  }
});

t.test('fields are what they are called', async (t) => {
  const job = await solved(react, { ...grayScott, N: 256, t_end: 40 });
  const [u, v, x, profile] = ['u', 'v', 'x', 'profile'].map((name) => fieldOf(job, name)) as Float64Array[];
  t.same([...profile!], [...u!]);
  t.same([x![0], x![256]], [0, 1]);
  t.equal(u![0], u![256], 'a ring closes');
  t.ok(v![128]! > v![0]! && u![128]! < u![0]!, 'v is where u is not');
  const [times, means, probe] = ['t', 'mean_u', 'u_probe'].map((name) =>
    fieldOf(job, name),
  ) as Float64Array[];
  t.equal(times![0], 0);
  t.ok(Math.abs(times!.at(-1)! - 40) < 1e-9);
  t.ok(Math.abs(means!.at(-1)! - outputOf(job, 'meanU')) < 1e-14);
  t.equal(probe!.at(-1), u![128]);
});

// ---- going on ------------------------------------------------------------------------------------------

for (const [title, body] of Object.entries({
  'Gray–Scott': { ...grayScott, N: 256, t_end: 40 },
  'a start of numbers': {
    ...bare,
    Lx: 8,
    N: 64,
    probe: [4],
    initialState: {
      u: Array.from({ length: 65 }, (_, i) => 0.2 + 0.1 * Math.cos((Math.PI * i) / 64)),
      t0: 1,
    },
    t_end: 2,
    quantity: 'mean',
  },
})) {
  t.test(`${title}: on from T₁ is the run to T₂, to the bit`, async (t) => {
    const half = await startJob(react, inputOf(react, body));
    const t0 = half.first.initialState?.t0 ?? 0;
    const end = 2 * body.t_end - t0;
    const step =
      (body.t_end - t0) /
      outputOf(
        { ...half, presentation: react.present(half.input, half.verdict, half.finished) } as never,
        'steps',
      );
    const whole = await startJob(react, inputOf(react, { ...body, t_end: end, dt: step * (1 + 1e-13) }));
    const then = await goOn(react, half, { t_end: end } as ReactInput);
    for (let run = 0; run < 3; run++)
      t.same(then.finished[run]!.result, whole.finished[run]!.result, `grid ${run}`);
    t.equal(then.verdict.value, whole.verdict.value);
    await t.rejects(async () => goOn(react, half, { t_end: end + step / 3 } as ReactInput), {
      code: 'INVALID_INPUT',
    });
    await t.rejects(async () => goOn(react, half, {} as ReactInput), { code: 'MISSING_INPUT' });
  });
}

// ---- rows ----------------------------------------------------------------------------------------------

const stepFile = 'assembly/react/step.ts';
const small = { ...grayScott, N: 256, t_end: 40 };
const ownGrayScott = {
  ...{ model: 'own', dim: 1, Du: 2e-5, Dv: 1e-5, Lx: 1, boundary: 'periodic', t_end: 400, N: 512 },
  reaction: { u: 'F*(1 - u) - u*v^2', v: 'u*v^2 - (F + k)*v' },
  parameters: { F: 0.04, k: 0.06 },
  rest: { u: 1, v: 0 },
  initial: { type: 'gaussian', x0: [0.5], w: 0.05, deltaU: -0.5, deltaV: 0.25 },
};
const ownGrowth = {
  ...{ model: 'own', D: 1e-3, Lx: 1, Ly: 1, boundary: 'noflux', t_end: 2, N: 16, dt: 0.002 },
  reaction: { u: 'r\\,u\\left(1 - \\frac{u}{K}\\right)' },
  parameters: { r: { value: 0.6, unit: '1/s' }, K: { value: 1, unit: '1' } },
  rest: { u: 0.1 },
  initial: { type: 'gaussian', x0: [0.5, 0.5], w: 0.1, deltaU: 0 },
};
const ownSmall = { ...ownGrayScott, N: 128, t_end: 10, dt: 0.05, Du: 2e-4, Dv: 1e-4 };

const twins: Twin[] = [
  {
    title: 'rates of the caller’s own that are a tenth too small',
    body: ownSmall,
    file: stepFile,
    find: 'dt = factor(MADE);',
    replace: 'dt = f64x2.mul(f64x2.splat(0.9), factor(MADE));',
  },
  {
    title: 'one rate of the caller’s own for both species',
    body: ownSmall,
    file: stepFile,
    find: 'if (v) rateRow(1, u, v, ratesV);',
    replace: 'if (v) rateRow(0, u, v, ratesV);',
  },
  {
    title: 'half a diffusion along x',
    body: small,
    file: stepFile,
    find: 'uAlongX = Du * rx;',
    replace: 'uAlongX = 0.5 * Du * rx;',
  },
  {
    title: 'v that spreads as u does',
    body: small,
    file: stepFile,
    find: 'vAlongX = Dv * rx;',
    replace: 'vAlongX = Du * rx;',
  },
  {
    title: 'a feed at the rate of the kill',
    body: small,
    file: stepFile,
    find: 'fed = first * dt;',
    replace: 'fed = second * dt;',
  },
  {
    title: 'half a step',
    body: { ...fisher, t_end: 1 },
    find: 'dt = parameterF64(72);',
    replace: 'dt = 0.5 * parameterF64(72);',
  },
  {
    title: 'growth without a limit',
    body: { ...fisher, t_end: 1 },
    file: stepFile,
    find: 'quadratic = -first * dt; cubic',
    replace: 'quadratic = 0.0; cubic',
  },
  {
    title: 'a front that should stand and creeps',
    body: { ...nagumo, a: 0.5 },
    file: stepFile,
    find: 'quadratic = first * (1.0 + second) * dt;',
    replace: 'quadratic = first * (1.00001 + second) * dt;',
  },
  {
    title: 'v that is made of nothing',
    body: brusselator,
    file: stepFile,
    find: 'f64x2.add(f64x2.mul(turn, u), f64x2.mul(kept, v))',
    replace: 'f64x2.mul(kept, v)',
  },
  {
    title: 'a start that is off by a percent',
    body: small,
    file: 'assembly/react/problem.ts',
    find: 'parameterF64(296) + parameterF64(256)',
    replace: '1.01 * parameterF64(296) + parameterF64(256)',
  },
];

testSolver(react, {
  references: [
    {
      title: 'Gray and Scott’s reaction as formulas of one’s own, mean of u',
      body: ownGrayScott,
      expect: 0.8720314958,
      tolerance: 1e-4,
      source: 'Chebyshev collocation, as the built-in model',
    },
    {
      title: 'Gray and Scott’s reaction as formulas of one’s own, mean of v',
      body: { ...ownGrayScott, component: 'v' },
      expect: 0.0515726496,
      tolerance: 1e-4,
      source: 'Chebyshev collocation, as the built-in model',
    },
    {
      title: 'stirred growth of one species of one’s own, in LaTeX with units',
      body: ownGrowth,
      expect: 1 / (1 + 9 * Math.exp(-1.2)),
      tolerance: 1e-4,
      source: 'the logistic function 1/(1 + 9 e^(−rt))',
    },
    {
      title: 'Gray–Scott, mean of v',
      body: { ...grayScott, component: 'v' },
      expect: 0.0515726496,
      tolerance: 1e-4,
      source: 'Chebyshev collocation',
    },
    {
      title: 'Gray–Scott, u in the middle',
      body: { ...grayScott, quantity: 'value' },
      expect: 0.6837701,
      tolerance: 1e-4,
      source: 'Chebyshev collocation',
    },
    ...(
      [
        ['u', 0.4148536782347017],
        ['v', 0.2659035087968864],
      ] as const
    ).map(([component, expect]) => ({
      title: `Gray–Scott beside its uniform state (0.4105572809, 0.2679285087): ${component}`,
      body: {
        ...mixed,
        initialState: { u: new Array(33).fill(0.41), v: new Array(33).fill(0.27) },
        t_end: 100,
        component,
      },
      expect,
      tolerance: 2e-5,
      source: 'scipy solve_ivp, DOP853 at 1e-13',
    })),
    {
      title: 'Gray–Scott leaves its uniform state and comes back as e^((−0.0058928 ± 0.0485973i)t)',
      body: {
        ...mixed,
        initialState: { u: new Array(33).fill(uniform.u + 1e-5), v: new Array(33).fill(uniform.v) },
        t_end: 64,
      },
      expect: uniform.u + 1e-5 * returned(64),
      tolerance: 1e-3,
      scale: 1e-5,
      source: 'eigenvalues of the Jacobian for F = 0.05, k = 0.06',
    },
    {
      title: 'Gray–Scott, stirred',
      body: { ...stirred },
      expect: 0.40498944374,
      tolerance: 1e-5,
      source: 'mpmath odefun, 20 digits',
    },
    {
      title: 'Gray–Scott, stirred, v',
      body: { ...stirred, component: 'v' },
      expect: 0.24425615069,
      tolerance: 1e-5,
      source: 'mpmath odefun, 20 digits',
    },
    {
      title: 'Brusselator, stirred',
      body: brusselator,
      expect: 0.47146463344,
      tolerance: 1e-4,
      source: 'mpmath odefun, 20 digits',
    },
    {
      title: 'logistic growth',
      body: { ...bare, Lx: 8, N: 64, probe: [4], initialState: { u: new Array(65).fill(0.1) }, t_end: 2 },
      expect: 0.45085306038,
      tolerance: 1e-6,
      source: '0.1e²/(0.9 + 0.1e²)',
    },
    {
      title: 'speed of Fisher’s front',
      body: { ...fisher, quantity: 'speed' },
      expect: 2.0412414523,
      tolerance: 1e-5,
      source: 'Ablowitz & Zeppetella: 5/√6',
    },
    {
      title: 'speed of a front over the half of a run that begins between two rows',
      body: {
        ...bare,
        ...{ D: 1, Lx: 16, N: 160, t_end: 0.6, quantity: 'speed', probe: [8] },
        initialState: {
          u: Array.from({ length: 161 }, (_, i) => 0.5 * (1 - Math.tanh((i / 10 - 7) / 0.7))),
        },
      },
      expect: 0.678575577,
      tolerance: 2e-6,
      source: 'differences of order 4 on 1600 and 3200 cells, LSODA, another program',
    },
    {
      title: 'Nagumo’s front that comes back',
      body: { ...nagumo, a: 0.7, initial: { type: 'front', x0: [35] } },
      expect: -0.4 * Math.SQRT1_2,
      tolerance: 1e-5,
      source: '√(Dk/2)(1 − 2a)',
    },
    {
      title: 'Nagumo’s front that stands',
      body: { ...nagumo, a: 0.5 },
      expect: 0,
      tolerance: 1e-6,
      scale: Math.SQRT1_2,
      source: '√(Dk/2)(1 − 2a)',
    },
    {
      title: 'wavelength of the pattern at its threshold',
      body: {
        model: 'brusselator',
        dim: 1,
        A: 3,
        B: 4,
        Du: 1,
        Dv: 10,
        Lx: 64.50884127,
        boundary: 'periodic',
        initialState: { u: ripples(3), v: ripples(4 / 3) },
        t_end: 20,
        quantity: 'wavelength',
      },
      expect: 6.450884127,
      tolerance: 1e-6,
      source: '2π/√(A/√(Du Dv))',
    },
  ],
  orders: [
    {
      title: 'Fisher’s front, u at the probe',
      theory: 2,
      errors: async () => [
        await errorOf({ ...fisher, t_end: 2 }),
        await errorOf({ ...fisher, t_end: 2, N: 2560 }),
      ],
    },
    {
      title: 'Nagumo’s front, its speed',
      theory: 2,
      errors: async () => [await errorOf(nagumo), await errorOf({ ...nagumo, N: 960 })],
    },
  ],
  twins,
});

// ---- memory ------------------------------------------------------------------------------------------------

const short = { t_end: 1e-6, quantity: undefined, probe: undefined };
const plane = { ...{ dim: 2, Ly: 1, N: 256 }, initial: { ...pulse, x0: [0.5, 0.5] } };

t.test('a run takes at most 1.5 times the memory of its state, and no more than it asks for', async (t) => {
  const context = { requestHash: new Uint8Array(32) };
  const large = [
    { ...fisher, ...short, N: 20_480 },
    { ...grayScott, ...short, N: 65_536 },
    { ...grayScott, ...short, ...plane },
  ];
  for (const body of large) {
    const [run] = react.plan(inputOf(react, body), context).runs;
    const { state } = memoryOf(run!);
    t.ok(run!.memory <= 1.5 * state, `${run!.memory / state}`);
  }
  const others = [fisher, nagumo, grayScott, brusselator].map((body) => ({ ...body, ...short }));
  const own = [ownGrowth, { ...ownGrayScott, N: 4096 }].map((body) => ({ ...body, t_end: 1e-3 }));
  for (const body of [...large, ...others, ...own])
    for (const run of react.plan(inputOf(react, body), context).runs)
      t.ok(memoryOf(run).taken <= run.memory, `${body.model}, ${run.label}`);
});
