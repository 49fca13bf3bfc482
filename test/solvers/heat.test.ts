import fc from 'fast-check';
import t from 'tap';
import type { HeatInput } from '../../src/solvers/heat/schema.ts';
import { heat } from '../../src/solvers/heat.ts';
import { goOn, startJob } from './continue-job.ts';
import { runKernel } from './run-job.ts';
import {
  fieldOf,
  inputOf,
  memoryOf,
  outputOf,
  refusalOf,
  solved,
  type Twin,
  testSolver,
} from './solver-test.ts';

t.setTimeout(120_000);

const wall = (T: number) => ({ type: 'dirichlet', T });
const insulated = { type: 'flux', q: 0 };
const uniform = (T: number) => ({ type: 'uniform', T });
const rod = { dim: 1, alpha: 1e-4, Lx: 1, initial: uniform(100), boundary: wall(0), t_end: 1000 };
const square = { alpha: 1e-4, Lx: 1, Ly: 1, initial: uniform(100), boundary: wall(0), t_end: 500 };
/** 10 W/(m² K) on 1 W/(m K) over 0.1 m: a Biot number of 1. */
const slab = {
  dim: 1,
  k: 1,
  rho: 1000,
  cp: 1000,
  Lx: 0.1,
  initial: uniform(400),
  boundary: { left: insulated, right: { type: 'robin', h: 10, Tinf: 300 } },
  t_end: 10000,
  N: 64,
};
const heated = {
  dim: 1,
  k: 10,
  rho: 1000,
  cp: 1000,
  Lx: 0.1,
  initial: uniform(300),
  boundary: { left: wall(300), right: { type: 'flux', q: 500 } },
  t_end: 300,
  N: 64,
  probe: [0.1],
};
const oneHot = {
  ...square,
  initial: uniform(300),
  boundary: { left: wall(400), right: wall(300), bottom: wall(300), top: wall(300) },
  N: 64,
};
const sourced = { ...rod, initial: uniform(0), s: 0.01, t_end: 2000, N: 64 };

/** Error of the value against the closed form that the verdict finds by itself. */
async function errorOf(body: object): Promise<number> {
  const { verdict } = await solved(heat, body);
  return verdict.gates[0]!.relError;
}

/** Twice the cells; with `dt`, half of it too. */
const orderOf = (body: object, N: number, dt?: number) => async (): Promise<[number, number]> => [
  await errorOf({ ...body, N, ...(dt && { dt }) }),
  await errorOf({ ...body, N: 2 * N, ...(dt && { dt: dt / 2 }) }),
];

/** The field of the finest grid's run alone: random data need not be resolved there. */
function fieldOfRun(body: object): Float64Array {
  const input = inputOf(heat, body);
  const { kernel, parts, stepsPerSegment } = heat.plan(input, { requestHash: new Uint8Array(32) }).runs[0]!;
  const bytes = Buffer.concat(parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])));
  const { result } = runKernel(kernel, bytes, stepsPerSegment);
  return new Float64Array(result.slice(64 + 4 * 8 * 17).buffer);
}

// ---- laws ----------------------------------------------------------------------------------------------

t.test('thin layers at walls have the cells that they take, or these are named', async (t) => {
  for (const body of [
    { ...square, t_end: 100 },
    { ...square, Lx: 4, t_end: 20 },
    { ...rod, t_end: 1 },
  ]) {
    await t.resolves(solved(heat, body));
    const { details } = await refusalOf(heat, { ...body, N: 32 });
    const { field, accepts } = details as { field: string; accepts: string };
    t.equal(field, 'N');
    await t.resolves(solved(heat, { ...body, N: JSON.parse(accepts.replace('N = ', '')) }), accepts);
  }
});

t.test(
  'of a run too short for the usual cells those are named that its layers and its few steps take',
  async (t) => {
    const body = { ...square, t_end: 0.5 };
    const { details } = await refusalOf(heat, { ...body, N: 64 });
    const { field, accepts } = details as { field: string; accepts: string };
    t.equal(field, 'N');
    await t.resolves(solved(heat, { ...body, N: JSON.parse(accepts.replace('N = ', '')) }), accepts);
  },
);

t.test(
  'a probe near a corner where T jumps is told the N that takes it, or how far it has to be',
  async (t) => {
    const body = {
      ...{ k: 1, rho: 1000, cp: 1000, Lx: 1, Ly: 1, steady: true, N: 32 },
      boundary: {
        ...{ left: wall(400), bottom: wall(300), top: insulated },
        right: { type: 'robin', h: 10, Tinf: 320 },
      },
    };
    const { details } = await refusalOf(heat, { ...body, probe: [0.04, 0.05] });
    t.match(details, { field: 'N', accepts: 'N = [284, 284]' });
    const { verdict } = await solved(heat, { ...body, probe: [0.04, 0.05], N: 284 });
    // Eigenvectors of either axis (SciPy), 1200² cells, extrapolated.
    t.ok(Math.abs(verdict.value - 357.00282) < 0.1, `${verdict.value}`);

    const { details: nearer } = await refusalOf(heat, { ...body, probe: [1e-6, 2e-6] });
    t.match(nearer, { field: 'probe', accepts: /^at least 0.125 m .* with N = \[144, 144\]$/ });
    await t.resolves(solved(heat, { ...body, probe: [0.12, 0.04], N: 144 }));
  },
);

t.test('surroundings behind a side that hardly cools are no measure of errors', async (t) => {
  const body = {
    ...{ dim: 1, k: 1, rho: 1000, cp: 1000, Lx: 1, t_end: 600, probe: [0.3] },
    initial: { type: 'formula', equation: '300+50*exp(-((x-0.3)/0.02)^2)' },
    boundary: { left: wall(400), right: { type: 'robin', h: 1e-12, Tinf: 1e6 } },
  };
  t.equal((await refusalOf(heat, { ...body, N: 64 })).code, 'OUTSIDE_TOLERANCE');
  const { verdict } = await solved(heat, { ...body, N: 512 });
  // Eigenvectors of 3072 cells (SciPy), extrapolated.
  t.ok(Math.abs(verdict.value - 318.8982236) < 0.1, `${verdict.value}`);
});

const temperature = fc.double({ min: 200, max: 500, noNaN: true });

t.test('explicit steps obey the maximum principle, whatever the start', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(temperature, { minLength: 17, maxLength: 17 }),
      temperature,
      temperature,
      async (T, left, right) => {
        const body = {
          dim: 1,
          alpha: 1,
          Lx: 1,
          initialState: { T },
          boundary: { left: wall(left), right: wall(right) },
          scheme: 'explicit',
          t_end: 0.5,
          N: 16,
        };
        const field = fieldOfRun(body);
        const [least, most] = [Math.min(...T, left, right), Math.max(...T, left, right)];
        t.ok(field.every((value) => value >= least - 1e-9 && value <= most + 1e-9));
      },
    ),
    { numRuns: 12 },
  );
});

t.test('x and y exchanged give the transposed field, to the bit', async (t) => {
  const sides = { left: wall(300), right: insulated, bottom: wall(350), top: wall(280) };
  const body = {
    alpha: 1e-4,
    Lx: 1,
    Ly: 0.5,
    N: [32, 24],
    initial: uniform(310),
    scheme: 'explicit',
    t_end: 300,
  };
  const one = fieldOf(await solved(heat, { ...body, boundary: sides }), 'T');
  const other = fieldOf(
    await solved(heat, {
      ...body,
      Lx: 0.5,
      Ly: 1,
      N: [24, 32],
      boundary: { left: sides.bottom, right: sides.top, bottom: sides.left, top: sides.right },
    }),
    'T',
  );
  for (let j = 0; j <= 24; j++)
    for (let i = 0; i <= 32; i++) if (one[j * 33 + i] !== other[i * 25 + j]) t.fail(`${i}, ${j}`);
  t.pass();
});

t.test('explicit and implicit steps agree', async (t) => {
  for (const body of [
    { ...oneHot, N: 32 },
    { ...slab, N: 32 },
    { ...sourced, N: 32 },
  ]) {
    const [a, b] = [
      await solved(heat, { ...body, scheme: 'explicit' }),
      await solved(heat, { ...body, scheme: 'adi' }),
    ];
    const scale = outputOf(a, 'range');
    fieldOf(a, 'T').forEach((value, i) => {
      const error = Math.abs(value - fieldOf(b, 'T')[i]!) / scale;
      if (!(error <= 1e-3)) t.fail(`node ${i}: ${error}`);
    });
    t.ok(Math.abs(a.verdict.value - b.verdict.value) <= 1e-3 * scale);
  }
});

t.test('a mode decays by the factor of the scheme to 1e-12, and heat balances', async (t) => {
  for (const scheme of ['explicit', 'adi'])
    for (const boundary of [wall(0), insulated, 'periodic']) {
      const { verdict } = await solved(heat, { ...square, boundary, scheme, N: 32 });
      const gate = (name: string) => verdict.gates.find((row) => row.name === name)!.relError;
      t.ok(
        gate('twin') <= 1e-12 && gate('balance') <= 1e-5,
        `${scheme}: ${gate('twin')}, ${gate('balance')}`,
      );
    }
});

t.test('a shift by half a period shifts the field', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(temperature, { minLength: 16, maxLength: 16 }), async (ring) => {
      const run = async (T: number[]) =>
        fieldOfRun({
          dim: 1,
          alpha: 1,
          Lx: 1,
          initialState: { T: [...T, T[0]] },
          boundary: 'periodic',
          scheme: 'explicit',
          t_end: 0.3,
          N: 16,
        });
      const one = await run(ring);
      const other = await run([...ring.slice(8), ...ring.slice(0, 8)]);
      for (let i = 0; i < 16; i++) t.equal(one[i], other[(i + 8) % 16]);
    }),
    { numRuns: 6 },
  );
});

t.test('fields are what they are called', async (t) => {
  const job = await solved(heat, { ...oneHot, N: 16, initialState: undefined });
  const T = fieldOf(job, 'T');
  t.same([T[8 * 17], T[8 * 17 + 16], T[0]], [400, 300, 350], 'left wall, right wall, corner');
  const [x, profile] = [fieldOf(job, 'x'), fieldOf(job, 'profile')];
  t.same([x[0], x[16]], [0, 1]);
  t.same([...profile], [...T.subarray(8 * 17, 9 * 17)]);
  const [times, series] = [fieldOf(job, 't'), fieldOf(job, 'T_probe')];
  t.same([times[0], series[0]], [0, 300]);
  t.ok(Math.abs(times.at(-1)! - 500) < 1e-9 && series.at(-1) === T[8 * 17 + 8]);
});

t.test('a flat row of numbers is the same start as nested rows', async (t) => {
  const rows = Array.from({ length: 17 }, (_, j) => Array.from({ length: 17 }, (_, i) => 300 + i * j));
  const { initial: _, ...body } = { ...square, N: 16, boundary: insulated, scheme: 'explicit', t_end: 50 };
  const nested = await solved(heat, { ...body, initialState: { T: rows } });
  const flat = await solved(heat, { ...body, initialState: { T: rows.flat() } });
  t.equal(nested.verdict.value, flat.verdict.value);
});

// ---- going on ------------------------------------------------------------------------------------------

for (const [title, body] of Object.entries({
  'three grids, ADI': { ...oneHot, N: 32, dt: 5, t_end: 320 },
  'closed form, explicit': { ...rod, N: 16, scheme: 'explicit', dt: 10, t_end: 640 },
  'a source and a start of numbers': {
    dim: 1,
    alpha: 1e-4,
    Lx: 1,
    s: new Array(65).fill(0.01),
    initialState: { T: new Array(65).fill(300), t0: 10 },
    boundary: wall(300),
    N: 64,
    dt: 1.25,
    t_end: 330,
  },
})) {
  t.test(`${title}: on from T₁ is the run to T₂, to the bit`, async (t) => {
    const until = (t_end: number) => inputOf(heat, { ...body, t_end });
    const first = until(body.t_end);
    const whole = await startJob(heat, until(2 * body.t_end - (first.initialState?.t0 ?? 0)));
    const half = await startJob(heat, first);
    const then = await goOn(heat, half, { t_end: whole.first.t_end } as HeatInput);
    for (let run = 0; run < then.finished.length - 1; run++)
      t.same(then.finished[run]!.result, whole.finished[run]!.result, `run ${run}`);
    t.equal(then.verdict.value, whole.verdict.value);
  });
}

t.test('cells that a job chose by its own end are those of the jobs that go on from it', async (t) => {
  // A wall at 300 K on a body of 400 K that it does not reach through: T = 400 − 100 erfc(x/√(4αt)), and erf(0.25) =
  // 0.2763263901682369 (Abramowitz & Stegun, table 7.1).
  const sides = { left: wall(300), right: wall(400) };
  const body = { dim: 1, alpha: 1e-4, Lx: 1, initial: uniform(400), boundary: sides, probe: [0.02] };
  const first = await startJob(heat, inputOf(heat, { ...body, t_end: 1 }));
  const second = await goOn(heat, first, { t_end: 4 } as HeatInput);
  const third = await goOn(heat, second, { t_end: 16 } as HeatInput);
  const exact = 300 + 100 * 0.2763263901682369;
  t.ok(Math.abs(third.verdict.value / exact - 1) < 1e-5, `${third.verdict.value}`);
  const cells = first.finished[0]!.result.length;
  t.equal(third.finished[0]!.result.length, cells);
});

t.test('a new end between steps, or of a steady state, is refused', async (t) => {
  const first = await startJob(heat, inputOf(heat, { ...rod, N: 16, dt: 10 }));
  await t.rejects(async () => goOn(heat, first, { t_end: 1003 } as HeatInput), { code: 'INVALID_INPUT' });
  await t.rejects(async () => goOn(heat, first, {} as HeatInput), { code: 'MISSING_INPUT' });
  const { initial: _, t_end: __, ...rest } = rod;
  const steady = await startJob(heat, inputOf(heat, { ...rest, steady: true, N: 16 }));
  await t.rejects(async () => goOn(heat, steady, { t_end: 1 } as HeatInput), { code: 'INVALID_INPUT' });
});

// ---- rows ----------------------------------------------------------------------------------------------

const explicitSquare = {
  ...square,
  N: 32,
  t_end: 200,
  scheme: 'explicit',
  initial: { type: 'mode', A: 100, m: 1, n: 1 },
};
const adiSquare = { ...square, N: 32, t_end: 500 };
const implicitAxis = 'assembly/grid/implicit-axis.ts';
const explicitFile = 'assembly/heat/explicit.ts';
const poisson = { alpha: 1e-4, Lx: 1, Ly: 1, boundary: wall(0), s: 0.1, steady: true, N: 64 };

const ownRod = { dim: 1, alpha: 1e-4, Lx: 1, N: 64 };
const ownStart = {
  ...ownRod,
  initial: { type: 'formula', equation: '300 + 50*exp(-(x - 0.4)^2/0.02)' },
  s: '0.01*x*(1 - x)',
  boundary: { type: 'dirichlet', T: 300 },
  t_end: 200,
};

const pulsed = {
  ...ownRod,
  initial: { type: 'uniform', T: 300 },
  s: 's_0*sin(pi*x/L)*sin(w*t)',
  parameters: {
    s_0: { value: 0.1, unit: 'K/s' },
    L: { value: 1, unit: 'm' },
    w: { value: 0.01, unit: 'rad/s' },
  },
  boundary: { type: 'dirichlet', T: 300 },
  t_end: 500,
};

t.test('a source of the time goes on where its job ended', async (t) => {
  const body = { ...pulsed, dt: 500 / 256 };
  const whole = await startJob(heat, inputOf(heat, { ...body, t_end: 1000 }));
  const half = await startJob(heat, inputOf(heat, body));
  const then = await goOn(heat, half, { t_end: 1000 } as HeatInput);
  t.equal(then.verdict.value, whole.verdict.value);
  t.ok(then.verdict.gates.some(({ name }) => name === 'source'));
});

/** A wall at 300 K, convection to 400 K opposite: a thin layer whose cells bear no step of ¼ dx²/α. */
const convective = {
  ...{ dim: 2, k: 1, rho: 1000, cp: 1000, Lx: 0.1, Ly: 0.1, N: 16, scheme: 'explicit', t_end: 20_000 },
  boundary: {
    left: { type: 'dirichlet', T: 300 },
    right: { type: 'robin', h: 1500, Tinf: 400 },
    bottom: { type: 'flux', q: 0 },
    top: { type: 'flux', q: 0 },
  },
  initial: { type: 'uniform', T: 300 },
  probe: [0.07, 0.03],
};

t.test('explicit steps are as long as cells at convection bear, and a longer dt is refused', async (t) => {
  const { verdict } = await startJob(heat, inputOf(heat, convective));
  // Two resistances in series at rest: 300 + 100 · 0.07 h/(k + hL).
  t.ok(Math.abs(verdict.value - 369.53642384) < 1e-3, `${verdict.value}`);
  t.ok(verdict.gates.find(({ name }) => name === 'bounds')!.relError < 0.34, 'a third: as far as the bounds');
  const refused = { code: 'STABILITY_LIMIT', details: { field: 'dt' } };
  await t.rejects(async () => startJob(heat, inputOf(heat, { ...convective, dt: 8 })), refused);
});

t.test('where everything is 0, it stays so', async (t) => {
  const nothing = { alpha: 1e-4, Lx: 1, Ly: 1, N: 16, t_end: 10, initial: { type: 'uniform', T: 0 } };
  const { verdict } = await solved(heat, { ...nothing, boundary: { type: 'dirichlet', T: 0 } });
  t.equal(verdict.value, 0);
});

const twins: Twin[] = [
  {
    title: 'convection so strong that steps blow up',
    body: { ...convective, t_end: 2000 },
    file: 'assembly/grid/axis.ts',
    find: 'const end = ends + 32 * side, to = axis + 24 + 24 * side;',
    replace:
      'const end = ends + 32 * side, to = axis + 24 + 24 * side; if (load<f64>(end, 16) == 1500.0) { store<f64>(end, 150000.0, 16); store<f64>(end, 60000000.0, 24); }',
  },
  {
    title: 'a source of the time that is taken at the end of a step',
    body: pulsed,
    find: '(implicit ? 0.5 : 0.0)) * dt',
    replace: '1.0) * dt',
  },
  {
    title: 'a source of the time that stays what it was',
    body: pulsed,
    find: 'if (sourceMoves()) layMoving(done);',
    replace: 'if (sourceMoves() && done == 0) layMoving(done);',
  },
  {
    title: 'sums of formulas that are differences',
    body: ownStart,
    file: 'assembly/expression/strip.ts',
    find: 'case Op.ADD: { arithmetic(Op.ADD',
    replace: 'case Op.ADD: { arithmetic(Op.SUBTRACT',
  },
  {
    title: 'a source that is a formula and twice as strong',
    body: ownStart,
    file: 'assembly/heat/problem.ts',
    find: 'layFormulaRow(0, places, nx + 1, heightOf(j), array',
    replace: 'layFormulaRow(1, places, nx + 1, heightOf(j), array',
  },
  {
    title: 'the row below twice',
    body: explicitSquare,
    file: explicitFile,
    find: 'v128.load(above, isVector<Pair>() ? 16 : 0)',
    replace: 'v128.load(below, isVector<Pair>() ? 16 : 0)',
  },
  {
    title: 'half a step',
    body: adiSquare,
    find: 'dt = parameterF64(40);',
    replace: 'dt = 0.5 * parameterF64(40);',
  },
  {
    title: 'a half-step that forgets y',
    body: adiSquare,
    find: 'tableX, tau, 1.0, number',
    replace: 'tableX, tau, 0.0, number',
  },
  {
    title: 'half a flux at natural ends',
    body: slab,
    file: implicitAxis,
    find: 'return i == n ? -2.0 * kappa : -kappa;',
    replace: 'return -kappa;',
  },
  {
    title: 'a source that cools',
    body: sourced,
    file: 'assembly/heat/row.ts',
    find: 'load<f64>(p) + weight * number',
    replace: 'load<f64>(p) - weight * number',
  },
  {
    title: 'a start that is off by a percent',
    body: slab,
    file: 'assembly/heat/problem.ts',
    find: 'A == 0.0 ? T : ',
    replace: 'A == 0.0 ? 1.01 * T : ',
  },
  {
    title: 'a steady state that is not yet',
    body: poisson,
    kernel: 'heat-steady',
    find: '<= tol * tol *',
    replace: '<= 0.05 *',
  },
];

const programs = 'mpmath, series with 25 digits';
testSolver(heat, {
  references: [
    {
      title: 'slab with both ends cold, Fo = 0.1',
      body: {
        ...{ dim: 1, alpha: 1e-4, Lx: 1, initial: { type: 'uniform', T: 400 } },
        ...{ boundary: { type: 'dirichlet', T: 300 }, t_end: 1000 },
      },
      expect: 347.44874604,
      tolerance: 1e-6,
      source: 'centre θ = 0.4744874604 of the sine series (Carslaw & Jaeger §3.3)',
    },
    {
      title: 'half a slab that air cools, Bi = 1, Fo = 0.5',
      body: {
        ...{ dim: 1, k: 10, rho: 1000, cp: 100, Lx: 0.1, initial: { type: 'uniform', T: 400 } },
        boundary: { left: { type: 'flux', q: 0 }, right: { type: 'robin', h: 100, Tinf: 300 } },
        ...{ t_end: 50, probe: [0] },
      },
      expect: 377.2526383423809,
      tolerance: 1e-6,
      source: 'Σ over ζ tan ζ = 1 (ζ₁ = 0.8603335890) by mpmath (Carslaw & Jaeger §3.11)',
    },
    {
      title: 'a rod that is heated to and fro in one mode',
      body: pulsed,
      expect: 302.2995384785735,
      tolerance: 1e-5,
      source: '300 + s₀ (λ sin wt − w cos wt + w e^(−λt))/(λ² + w²), λ = απ²; mpmath',
    },
    {
      title: 'the same by explicit steps',
      body: { ...pulsed, scheme: 'explicit' },
      expect: 302.2995384785735,
      tolerance: 1e-5,
      source: 'as above',
    },
    {
      title: 'a square that is heated to and fro in one mode',
      body: { ...pulsed, dim: 2, Ly: 1, N: 32, s: 's_0*sin(pi*x/L)*sin(pi*y/L)*sin(w*t)', dt: 4 },
      expect: 299.035207701914,
      tolerance: 1e-5,
      source: 'as above with λ = 2απ²; mpmath',
    },
    {
      title: 'a ring that is heated ever more, from t0',
      body: {
        ...ownRod,
        boundary: 'periodic',
        initialState: { T: new Array(65).fill(300), t0: 100 },
        s: '0.001*t',
        t_end: 300,
      },
      expect: 340,
      tolerance: 1e-10,
      source: '300 + 0.0005 (300² − 100²)',
    },
    {
      title: 'decay of a sine that is a formula',
      body: {
        ...ownRod,
        initial: { type: 'formula', equation: '100*sin(pi*x)' },
        boundary: { type: 'dirichlet', T: 0 },
        t_end: 500,
      },
      expect: 61.04980253,
      tolerance: 1e-3,
      source: '100 e^(−απ²t)',
    },
    {
      title: 'spreading of a Gaussian, in LaTeX with units',
      body: {
        ...ownRod,
        Lx: 2,
        initial: { type: 'formula', equation: 'T_0 + A e^{-(x - c)^2/w^2}' },
        parameters: {
          T_0: { value: 300, unit: 'K' },
          A: { value: 100, unit: 'K' },
          c: { value: 1, unit: 'm' },
          w: { value: 10, unit: 'cm' },
        },
        boundary: { type: 'dirichlet', T: 300 },
        N: 128,
        t_end: 50,
      },
      expect: 357.735026919,
      tolerance: 1e-4,
      source: 'T₀ + A w/√(w² + 4αt)',
    },
    {
      title: 'steady rod with a source that is a formula',
      body: {
        ...ownRod,
        s: 's_0*sin(pi*x/L)',
        parameters: { s_0: { value: 0.01, unit: 'K/s' }, L: { value: 1, unit: 'm' } },
        boundary: { type: 'dirichlet', T: 300 },
        steady: true,
      },
      expect: 310.1321183642338,
      tolerance: 1e-4,
      source: '300 + s₀/απ²',
    },
    {
      title: 'a square that is heated in one mode, from a formula, after a long time',
      body: {
        ...ownRod,
        dim: 2,
        Ly: 1,
        N: 32,
        initial: { type: 'formula', equation: '300 + 0*x' },
        s: '0.02*sin(pi*x)*sin(pi*y)',
        boundary: { type: 'dirichlet', T: 300 },
        t_end: 5000,
      },
      expect: 310.1316,
      tolerance: 1e-3,
      source: '300 + 0.02 (1 − e^(−2απ²t))/2απ²',
    },
    {
      title: 'soil at 0 °C, 60 days after its surface came to −15 °C',
      body: {
        ...{ dim: 1, alpha: 1.38e-7, Lx: 10, N: 1000, probe: [0.67696], t_end: 5_184_000 },
        initial: uniform(293.15),
        boundary: { left: wall(258.15), right: wall(293.15) },
      },
      expect: 273.15,
      tolerance: 1e-5,
      scale: 35,
      source: 'Incropera & DeWitt, example 5.6: erf(x/2√(αt)) = 15/35',
    },
    {
      title: 'slab, both ends cold, Fo = 0.1, centre',
      body: rod,
      expect: 47.44874604,
      tolerance: 1e-4,
      source: 'Carslaw & Jaeger §3.3; mpmath',
    },
    {
      title: 'square, Fo = 0.05, centre',
      body: { ...square, N: 128 },
      expect: 59.64652181,
      tolerance: 1e-4,
      source: 'Carslaw & Jaeger §5.6; mpmath',
    },
    {
      title: 'Robin slab, Bi = 1, Fo = 1, insulated face',
      body: { ...slab, probe: [0] },
      expect: 353.38594014,
      tolerance: 1e-5,
      source: 'Incropera & DeWitt §5.5, ζ₁ = 0.8603; mpmath',
    },
    {
      title: 'Robin slab, Bi = 1, Fo = 1, cooled face',
      body: { ...slab, probe: [0.1] },
      expect: 334.81768517,
      tolerance: 1e-5,
      source: programs,
    },
    { title: 'rod heated at its end', body: heated, expect: 303.06618035, tolerance: 1e-5, source: programs },
    {
      title: 'rod with a source, on three grids',
      body: sourced,
      expect: 10.70796113,
      tolerance: 1e-4,
      source: programs,
    },
    {
      title: 'square with one wall hot, on three grids, centre',
      body: oneHot,
      expect: 310.08836955,
      tolerance: 1e-5,
      source: 'mpmath, double series',
    },
    {
      title: 'the same at a quarter',
      body: { ...oneHot, probe: [0.25, 0.5] },
      expect: 340.51961245,
      tolerance: 1e-5,
      source: 'mpmath, double series',
    },
    {
      title: 'steady square with a source, centre',
      body: poisson,
      expect: 0.0736713533 * 1000,
      tolerance: 1e-5,
      source: 'White, Viscous Fluid Flow, §3-3.3: 0.0736713533 s L²/α',
    },
    {
      title: 'steady square, four walls of their own, centre',
      body: {
        ...poisson,
        s: 0,
        boundary: { left: wall(400), right: wall(300), bottom: wall(350), top: wall(250) },
      },
      expect: 325,
      tolerance: 1e-9,
      source: 'symmetry: the mean of the walls',
    },
    {
      title: 'mode on a ring',
      body: {
        ...rod,
        boundary: 'periodic',
        initial: { type: 'mode', A: 50, T: 300, m: 2 },
        probe: [0.25],
        t_end: 100,
      },
      expect: 300 + 50 * 0.6738397,
      tolerance: 1e-5,
      source: 'e^(−4π² · 0.01) = 0.6738397',
    },
    {
      title: 'insulated square keeps its mean',
      body: { ...square, boundary: insulated, t_end: 100 },
      expect: 100,
      tolerance: 1e-12,
      source: 'conservation',
    },
    {
      title: 'steady square, one convective side',
      body: {
        k: 2,
        rho: 1,
        cp: 1,
        Lx: 0.2,
        Ly: 0.2,
        boundary: {
          left: wall(400),
          right: { type: 'robin', h: 10, Tinf: 300 },
          bottom: insulated,
          top: insulated,
        },
        steady: true,
        N: 32,
        probe: [0.2, 0.05],
      },
      expect: 350,
      tolerance: 1e-9,
      source: 'two equal thermal resistances in series',
    },
  ],
  orders: [
    { title: 'explicit steps, mode in a square', theory: 2, errors: orderOf(explicitSquare, 32) },
    { title: 'ADI, square with cold walls', theory: 2, errors: orderOf(adiSquare, 64, 5) },
    { title: 'ADI, convective slab', theory: 2, errors: orderOf({ ...slab, probe: [0.1] }, 16) },
  ],
  twins,
});

/** Copper, 1 m from its root and 1 mm thick: cells of 16 mm × 16 µm. */
const fin = {
  ...{ k: 400, rho: 8960, cp: 385, Lx: 1, Ly: 1e-3, steady: true },
  boundary: {
    left: wall(400),
    right: insulated,
    bottom: { type: 'robin', h: 5, Tinf: 300 },
    top: { type: 'robin', h: 5, Tinf: 300 },
  },
};

t.test('long thin bodies take as many iterations as cells, whichever way they lie', async (t) => {
  const { left, right, bottom, top } = fin.boundary;
  const turned = { left: bottom, right: top, bottom: left, top: right };
  // θ = cosh m(L − x)/cosh mL, m² = 2h/kd (Incropera & DeWitt §3.6); d is so small that T is the same across.
  const middle = 300 + (100 * Math.cosh(2.5)) / Math.cosh(5);
  for (const body of [fin, { ...fin, Lx: fin.Ly, Ly: fin.Lx, boundary: turned }]) {
    const job = await solved(heat, body);
    t.ok(Math.abs(job.verdict.value - middle) < 1e-3, `${job.verdict.value}`);
    t.ok(outputOf(job, 'iterations') <= 128, `${outputOf(job, 'iterations')} iterations`);
  }
  const ring = { ...fin, boundary: { left, right: wall(300), bottom: 'periodic', top: 'periodic' } };
  const around = await solved(heat, { ...ring, probe: [0.25, 0] });
  t.ok(Math.abs(around.verdict.value - 375) < 1e-6, `${around.verdict.value}`);
  const rod = await solved(heat, {
    dim: 1,
    alpha: 1e-4,
    Lx: 1,
    boundary: wall(0),
    s: 0.1,
    steady: true,
    N: 65_536,
  });
  t.ok(Math.abs(rod.verdict.value - 125) < 1e-6 && outputOf(rod, 'iterations') < 10);
  const sides = { left: { type: 'flux', q: 1 }, right: { type: 'robin', h: 1, Tinf: 300 } };
  const fluxes = { dim: 1, k: 1, rho: 1, cp: 1, Lx: 1, s: 1, boundary: sides, steady: true, N: 4096 };
  // −T″ = 1, −T′(0) = 1, −T′(1) = T(1) − 300: 303.5 − x − x²/2.
  t.ok(Math.abs((await solved(heat, fluxes)).verdict.value - 302.875) < 1e-6);
});

t.test('a steady state needs at most 1.5 times the memory of its state', async (t) => {
  const end = (T: number) => ({ type: 'dirichlet', T });
  const boundary = { left: end(100), right: end(0), bottom: end(0), top: end(0) };
  const input = inputOf(heat, { alpha: 1, Lx: 1, Ly: 1, N: 1024, steady: true, boundary });
  const { runs } = heat.plan(input, { requestHash: new Uint8Array(32) });
  const state = 3 * 8 * (1024 + 6) * 1025;
  t.ok(runs[0]!.memory <= 1.5 * state, `${runs[0]!.memory / state}`);
});

t.test(
  'a run in time needs at most 1.5 times the memory of its state, and no more than it asks for',
  async (t) => {
    const context = { requestHash: new Uint8Array(32) };
    const large = {
      alpha: 1,
      Lx: 1,
      Ly: 1,
      initial: { type: 'uniform', T: 300 },
      boundary: 'periodic',
      N: 512,
    };
    const explicit = { ...large, scheme: 'explicit', t_end: 1e-6 };
    const adi = { ...large, t_end: 1e-6 };
    for (const body of [explicit, adi]) {
      const [run] = heat.plan(inputOf(heat, body), context).runs;
      const { state } = memoryOf(run!);
      t.ok(run!.memory <= 1.5 * state, `${run!.memory / state}`);
    }
    const few = { N: 64, boundary: { type: 'dirichlet', T: 0 } };
    const { Ly: _, ...line } = { ...large, ...few, dim: 1 };
    for (const body of [
      ...[explicit, adi, { ...adi, ...few, s: 'x*t' }, { ...explicit, ...few, s: 'x' }],
      ...[line, { ...line, scheme: 'explicit' }].map((body) => ({ ...body, t_end: 1e-6 })),
    ])
      for (const run of heat.plan(inputOf(heat, body), context).runs)
        t.ok(memoryOf(run).taken <= run.memory, `${JSON.stringify(body)}, ${run.label}`);
  },
);
