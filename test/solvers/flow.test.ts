import fc from 'fast-check';
import t from 'tap';
import type { Refusal } from '../../src/errors/refusal.ts';
import { beforeVorticesRest } from '../../src/solvers/flow/at-rest.ts';
import type { FlowInput } from '../../src/solvers/flow/schema.ts';
import { flow } from '../../src/solvers/flow.ts';
import { goOn, startJob } from './continue-job.ts';
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

t.setTimeout(240_000);

const cavity = {
  case: 'cavity',
  nu: 0.01,
  Lx: 1,
  Ly: 1,
  U: 1,
  lidProfile: 'regularised',
  N: 96,
  quantity: 'uMin',
};
const vortices = {
  case: 'taylor-green',
  nu: 0.01,
  Lx: 1,
  Ly: 1,
  U: 0.1,
  t_end: 0.3,
  N: 32,
  quantity: 'u',
  probe: [0.1, 0.2],
};
const couette = {
  case: 'custom',
  nu: 0.1,
  Lx: 1,
  Ly: 1,
  boundary: { left: 'periodic', right: 'periodic', bottom: 'wall', top: { type: 'wall', u: 1 } },
  initialState: { u: 0, v: 0 },
  t_end: 1,
  N: 32,
  quantity: 'u',
};
const box = { ...couette, boundary: 'wall', nu: 0.05, t_end: 0.1, quantity: 'kineticEnergyRatio' };
const startUp = { case: 'channel', nu: 0.1, rho: 1, Ly: 1, G: 0.8, t_end: 1, quantity: 'u' };
const middles = (n: number, L: number) => Array.from({ length: n }, (_, i) => (L * (i + 0.5)) / n);
const bent = (y: number) => y * (1 - y) * (1 + 3 * y);
/** A channel that does not start from rest. */
const skew = { ...startUp, t_end: 0.5, probe: [0, 0.3], initialState: { u: middles(64, 1).map(bent) } };
const filled = {
  ...startUp,
  ...{ case: 'duct', Lz: 2, t_end: 0.5, probe: [0, 0.3, 0.7] },
  initialState: { u: middles(128, 2).map((z) => middles(64, 1).map((y) => bent(y) * z * (2 - z))) },
};
const FILLED = 0.5712364898530802;
const rho = 3;
/** Sums of the series, in Python. */
const CHANNEL = 0.615352514262608;
const DUCT = 0.328462209;

/** u and v of corner values ψ(x, y), without sources to the last bit but rounding. */
function stirred(n: number, psi: (x: number, y: number) => number, drift = 0) {
  const at = (i: number, j: number) => psi(i / n, j / n);
  const u = Array.from({ length: n }, (_, j) =>
    Array.from({ length: n + 1 }, (__, i) => drift + (at(i, j + 1) - at(i, j)) * n),
  );
  const v = Array.from({ length: n + 1 }, (_, j) =>
    Array.from({ length: n }, (__, i) => (at(i, j) - at(i + 1, j)) * n),
  );
  return { u, v };
}

// ---- laws ----------------------------------------------------------------------------------------------

t.test('between walls at rest kinetic energy only decays, whatever the start (SOLV-17)', async (t) => {
  const amplitude = fc.double({ min: -0.02, max: 0.02, noNaN: true });
  await fc.assert(
    fc.asyncProperty(amplitude, amplitude, amplitude, async (a, b, c) => {
      const sine = (m: number, x: number) => Math.sin(m * Math.PI * x) ** 2;
      const initialState = stirred(
        64,
        (x, y) => sine(1, x) * sine(1, y) * (0.05 + a * x + b * y + c * Math.sin(2 * Math.PI * x)),
      );
      const job = await solved(flow, { ...box, N: 64, initialState });
      const energy = fieldOf(job, 'kinetic_energy');
      t.ok(energy.every((value, i) => i === 0 || value <= energy[i - 1]!));
      t.ok(outputOf(job, 'divergence') < 1e-11 && outputOf(job, 'divergenceOfStart') < 1e-11);
    }),
    { numRuns: 4 },
  );
});

t.test('seen from a train, vortices are the same vortices (Galilei)', async (t) => {
  const [k, U, drift] = [2 * Math.PI, 0.1, 0.05];
  const wave = (x: number, y: number) => (-U / k) * Math.cos(k * x) * Math.cos(k * y);
  const body = { case: 'taylor-green', nu: 0.01, Lx: 1, Ly: 1, t_end: 0.4, N: 64, quantity: 'u' };
  const still = await solved(flow, { ...body, initialState: stirred(64, wave), probe: [0.1, 0.2] });
  const moving = await solved(flow, { ...body, initialState: stirred(64, wave, drift), probe: [0.12, 0.2] });
  t.ok(Math.abs(moving.verdict.value - drift - still.verdict.value) < 1e-5);
});

t.test('a flow without inertia is the same from left and right', async (t) => {
  const psi = fieldOf(await solved(flow, { ...cavity, nu: 1e4 }), 'psi');
  const [n, largest] = [96, Math.max(...psi.map(Math.abs))];
  let apart = 0;
  for (let j = 0; j <= n; j++)
    for (let i = 0; i <= n; i++)
      apart = Math.max(apart, Math.abs(psi[j * (n + 1) + i]! - psi[j * (n + 1) + n - i]!));
  t.ok(apart < 1e-5 * largest, `${apart / largest}`);
});

t.test('on an open side p is 0, whatever the fluid still does there', async (t) => {
  // test/fixtures/flow/outflow.py, where p = 0 and v has no gradient; with p = ν ∂u/∂x or half of it u is 0.925 or 0.916.
  const [nx, ny] = [32, 64];
  const through = (y: number) => 16 * (y ** 3 / 3 - y ** 4 / 2 + y ** 5 / 5);
  const u = Array.from({ length: ny }, (_, j) => ny * (through((j + 1) / ny) - through(j / ny)));
  const body = {
    ...{ case: 'custom', nu: 1, rho: 1, Lx: 0.25, Ly: 1, t_end: 0.4, N: [nx, ny] },
    boundary: { left: { type: 'inflow', u }, right: 'outflow', bottom: 'wall', top: 'wall' },
    initialState: { u: u.map((each) => new Array(nx + 1).fill(each)), v: 0 },
  };
  const valueAt = async (quantity: string, probe: number[]) =>
    (await solved(flow, { ...body, quantity, probe })).verdict.value;
  t.ok(Math.abs((await valueAt('u', [0.25, 0.5])) / 0.90121 - 1) < 1e-3);
  t.ok(Math.abs((await valueAt('p', [0.125, 0.5])) / 1.61372 - 1) < 1e-3);
  const upward = {
    ...{ ...body, Lx: 1, Ly: 0.25, N: [ny, nx] },
    boundary: {
      left: 'wall',
      right: 'wall',
      bottom: 'outflow',
      top: { type: 'inflow', v: u.map((each) => -each) },
    },
    initialState: { u: 0, v: Array.from({ length: nx + 1 }, () => u.map((each) => -each)) },
  };
  const { verdict } = await solved(flow, { ...upward, quantity: 'v', probe: [0.5, 0] });
  t.ok(Math.abs(verdict.value / -0.90121 - 1) < 1e-3, `${verdict.value}`);
});

t.test('cells that are too large for the viscosity are told how many do', async (t) => {
  const body = { ...couette, boundary: 'periodic', nu: 0.01, initialState: { u: 5, v: 0.5 }, t_end: 0.1 };
  const { code, details } = await refusalOf(flow, body);
  t.equal(code, 'STABILITY_LIMIT');
  const N = JSON.parse(/^N = (\[\d+, \d+\])/.exec(String(details.accepts))![1]!);
  t.strictSame(N, [64, 32]);
  t.equal((await solved(flow, { ...body, N })).verdict.value, 5);
});

t.test('ψ of a fluid that drifts, pressure of one that has none: of any number of cells', async (t) => {
  // ψ = Uy − Vx less its mean; between walls that let it through p is nothing.
  const drift = { ...couette, boundary: 'periodic', initialState: { u: 1, v: 0.5 }, quantity: 'psi' };
  const psi = await solved(flow, { ...drift, probe: [0.3, 0.2], t_end: 0.1 });
  t.ok(Math.abs(psi.verdict.value + 0.2) < 1e-12, `${psi.verdict.value}`);
  const side = { type: 'inflow', u: 0, v: -86.9 };
  const porous = {
    ...{ ...couette, nu: 24130, rho: 2, Lx: 26, Ly: 17.3, g: [44726, 0], t_end: 1.2e-4, N: [32, 48] },
    boundary: { left: 'periodic', right: 'periodic', bottom: side, top: side },
    ...{ initialState: { u: -36.5, v: -86.9 }, quantity: 'p', probe: [0.29, 3.37] },
  };
  t.ok(Math.abs((await solved(flow, porous)).verdict.value) < 1e-6);
});

t.test('x and y exchanged give the transposed flow', async (t) => {
  const open = { ...couette, t_end: 0.2, quantity: 'kineticEnergyRatio' };
  const along = await solved(flow, {
    ...open,
    Lx: 1.25,
    N: [40, 32],
    boundary: { left: { type: 'inflow', u: 1 }, right: 'outflow', bottom: 'wall', top: 'slip' },
    initialState: { u: 1, v: 0 },
  });
  const upward = await solved(flow, {
    ...open,
    Ly: 1.25,
    N: [32, 40],
    boundary: { bottom: { type: 'inflow', v: 1 }, top: 'outflow', left: 'wall', right: 'slip' },
    initialState: { u: 0, v: 1 },
  });
  const [u, v] = [fieldOf(along, 'u'), fieldOf(upward, 'v')];
  let apart = 0;
  for (let j = 0; j < 32; j++)
    for (let i = 0; i <= 40; i++) apart = Math.max(apart, Math.abs(u[j * 41 + i]! - v[i * 32 + j]!));
  t.ok(apart < 1e-11, `${apart}`);
});

/** Place of the extreme of a field over equal steps: the parabola through the largest of `sign` times it and its neighbours. */
function extremeAt(places: Float64Array, values: Float64Array, sign: number): number {
  const inside = values.subarray(1, -1);
  const k = 1 + inside.reduce((best, value, i) => (sign * value > sign * inside[best]! ? i : best), 0);
  const [a, b, c] = [values[k - 1]!, values[k]!, values[k + 1]!];
  return places[k]! + ((places[1]! - places[0]!) * (a - c)) / (2 * (a - 2 * b + c));
}

t.test('extremes of the uniform cavity lie where they are known to lie, and Ghia’s are shown', async (t) => {
  const known = [
    { nu: 0.01, N: 128, y: 0.45809, x: [0.23698, 0.81043], ghia: [-0.2109, 0.17527, -0.24533, -0.20581] },
    { nu: 1e-3, N: 320, y: 0.1717, x: [0.15784, 0.90925], ghia: [-0.38289, 0.37095, -0.5155] },
  ];
  for (const { nu, N, y, x, ghia } of known) {
    const job = await solved(flow, { ...cavity, lidProfile: 'uniform', nu, N });
    const [u, v] = [fieldOf(job, 'u_centre'), fieldOf(job, 'v_centre')];
    const found = [
      extremeAt(fieldOf(job, 'y'), u, -1),
      extremeAt(fieldOf(job, 'x'), v, 1),
      extremeAt(fieldOf(job, 'x'), v, -1),
    ];
    [y, ...x].forEach((place, i) => void t.ok(Math.abs(found[i]! - place) < 1e-3, `${found[i]}, ${place}`));
    const shown = job.presentation.outputs.ghia1982 as Record<string, number>;
    t.same(
      ['uMin', 'vMax', 'vMin', 'uCentre'].flatMap((name) => shown[name] ?? []),
      ghia,
    );
  }
});

t.test('a long cavity is answered on its usual cells', async (t) => {
  const { N: _, ...open } = cavity;
  for (const [Ly, quantity, cells] of [
    [1.925, 'vMin', [128, 256]],
    [0.35, 'uMin', [384, 128]],
  ] as const) {
    const body = { ...open, lidProfile: 'uniform', nu: 0.27, Ly, quantity };
    t.match(flow.assumed(inputOf(flow, body)), [{ name: 'N', value: cells }]);
    await solved(flow, body);
  }
});

t.test('the vortex of the cavity at Re 1000 turns about (0.53079, 0.56524)', async (t) => {
  const N = 320;
  const job = await solved(flow, { ...cavity, lidProfile: 'uniform', nu: 1e-3, N });
  const psi = fieldOf(job, 'psi');
  const places = Float64Array.from({ length: N + 1 }, (_, i) => i / N);
  const lowest = psi.reduce((best, value, k) => (value < psi[best]! ? k : best), 0);
  const [i, j] = [lowest % (N + 1), Math.floor(lowest / (N + 1))];
  const along = extremeAt(places, psi.subarray(j * (N + 1), (j + 1) * (N + 1)), -1);
  const upward = extremeAt(
    places,
    psi.filter((_, k) => k % (N + 1) === i),
    -1,
  );
  t.ok(Math.abs(along - 0.53079) < 1e-3 && Math.abs(upward - 0.56524) < 1e-3, `${along}, ${upward}`);
});

t.test('a fluid in a box that is pulled stays at rest, and its pressure holds it', async (t) => {
  const body = {
    ...couette,
    rho,
    g: [0, -9.81],
    boundary: 'slip',
    quantity: 'p',
    probe: [0.5, 0.25],
    t_end: 0.05,
  };
  const { verdict } = await solved(flow, body);
  t.ok(Math.abs(verdict.value - rho * 9.81 * 0.25) < 1e-9);
});

t.test('a channel goes on from T₁ as it would have run to T₂, to the bit (SOLV-21)', async (t) => {
  const body = { ...skew, t_end: 0.25 };
  const half = await startJob(flow, inputOf(flow, body));
  const { presentation } = await solved(flow, body);
  const dt = presentation.outputs['dt'] as number;
  const whole = await startJob(flow, inputOf(flow, { ...body, t_end: 0.5, dt: dt * (1 + 1e-13) }));
  const then = await goOn(flow, half, { t_end: 0.5 } as FlowInput);
  for (let run = 0; run < 3; run++)
    t.same(then.finished[run]!.result, whole.finished[run]!.result, `grid ${run}`);
  t.equal(then.verdict.value, whole.verdict.value);
  await t.rejects(async () => goOn(flow, half, { t_end: 0.5 + dt } as FlowInput), { code: 'INVALID_INPUT' });
});

t.test('what a duct ends with is what another can start from', async (t) => {
  const first = await solved(flow, { ...filled, t_end: 0.25 });
  const state = first.presentation.outputs['finalState'] as { t0: number };
  const u = fieldOf(first, 'u');
  const rows = Array.from({ length: 128 }, (_, k) => [...u.slice(64 * k, 64 * k + 64)]);
  const { verdict } = await solved(flow, { ...filled, initialState: { u: rows, t0: state.t0 } });
  t.equal(state.t0, 0.25);
  t.ok(Math.abs(verdict.value / FILLED - 1) < 1e-3);
});

t.test('long ducts take the cells that they need', async (t) => {
  for (const [Ly, Lz] of [
    [1, 2],
    [1, 3],
    [1, 4],
    [4, 1],
    [1, 40],
  ]) {
    const body = { case: 'duct', nu: 0.1, rho: 1, Ly, Lz, G: 0.8, steady: true, quantity: 'u' };
    const { verdict, presentation } = await solved(flow, body);
    t.ok(
      Math.abs(verdict.value / (presentation.outputs['closedForm'] as number) - 1) < 1e-3,
      `${Ly} × ${Lz}`,
    );
  }
});

t.test('too few cells of a duct are refused with those that do', async (t) => {
  const body = { case: 'duct', nu: 0.1, rho: 1, Ly: 1, Lz: 8, G: 0.8, steady: true, quantity: 'u' };
  const refusal = await solved(flow, { ...body, N: 32 }).catch((error: unknown) => error as Refusal);
  const { accepts } = (refusal as Refusal).details as { accepts: string };
  const N = JSON.parse(accepts.replace('N = ', '')) as number[];
  t.ok((await solved(flow, { ...body, N })).verdict.value > 0);
});

t.test(
  'a probe near the end of a uniform lid is told the N that takes it, or how far from it one is taken',
  async (t) => {
    const near = { ...cavity, nu: 1, lidProfile: 'uniform', quantity: 'u', probe: [0.85, 0.9], N: 64 };
    const { details } = await refusalOf(flow, near);
    const N = JSON.parse(String(details.accepts).replace('N = ', '')) as number[];
    const { verdict } = await solved(flow, { ...near, N });
    // Bicubic Hermite elements of ψ on a graded mesh, another program.
    t.ok(Math.abs(verdict.value / 0.07886 - 1) < 1e-3, `${verdict.value}`);
    const nearer = await refusalOf(flow, { ...near, probe: [0.99, 1] });
    t.match(nearer.details, {
      field: 'probe',
      accepts: /^at least [\d.]+ m from the corners where the lid ends, with N = \[1024, 1024\]$/,
    });
  },
);

t.test(
  'vortices that a coarse grid lets fall too fast are told its N, those at rest an earlier t_end',
  async (t) => {
    const vortices = {
      case: 'taylor-green',
      nu: 0.1,
      Lx: 1,
      Ly: 1,
      U: 1,
      t_end: 0.25,
      N: 32,
      quantity: 'uMax',
    };
    const { details } = await refusalOf(flow, vortices);
    const N = JSON.parse(String(details.accepts).replace('N = ', '')) as number[];
    const { verdict } = await solved(flow, { ...vortices, N });
    t.ok(Math.abs(verdict.value / Math.exp(-0.2 * Math.PI ** 2) - 1) < 1e-3, 'e^(−ν(k² + l²)t)');
    t.match((await refusalOf(flow, { ...vortices, nu: 1, t_end: 2 })).details, {
      field: 't_end',
      accepts: 't_end = 0.32 s',
    });
  },
);

t.test('a plane flow that has come to rest is told an earlier t_end', (t) => {
  // Sources of 10 velocities: it has fallen by e^39, and by e^7 their rounding is a tenth of the bound.
  const input = inputOf(flow, { ...couette, boundary: 'slip', t_end: 3 });
  t.match(flow.refusalDetails?.(input, 18, [4, 0, 10, 1e-12]), {
    field: 't_end',
    reason: 'the fluid has come to rest',
    accepts: 't_end = 0.53 s',
  });
  // e^(−8π²νt) is e^−25 after 0.32 s, whenever it begins.
  const late = { nu: 1, Lx: 1, Ly: 1, t0: 1000, duration: 2 } as Parameters<typeof beforeVorticesRest>[0];
  t.match(beforeVorticesRest(late), { accepts: 't_end = 1000.32 s' });
  t.end();
});

t.test(
  'a channel that has fallen by e⁻⁴⁹ is held against its slowest sine, and flows that cancel by what each carries',
  async (t) => {
    const open = { case: 'channel', nu: 1, rho: 1, Ly: 1, G: 0, quantity: 'u' };
    const { verdict } = await solved(flow, { ...open, N: 256, t_end: 5, initialState: { u: 1 } });
    t.ok(
      Math.abs(verdict.value / ((4 / Math.PI) * Math.exp(-5 * Math.PI ** 2)) - 1) < 1e-3,
      '4/π e^(−νπ²t/H²)',
    );
    const cells = Array.from({ length: 96 }, (_, i) => Math.sin((2 * Math.PI * (i + 0.5)) / 96));
    const against = { ...open, t_end: 0.05, initialState: { u: cells }, probe: [0, 0.25] };
    const theta = Math.PI / 96;
    const exact = (theta / Math.sin(theta)) * Math.exp(-0.2 * Math.PI ** 2);
    t.ok(Math.abs((await solved(flow, against)).verdict.value / exact - 1) < 1e-3, 'sin 2πy/H by itself');
    // It has fallen by e^63, and what rounding put into the slowest sine by e^16.
    const { details } = await refusalOf(flow, { ...against, t_end: 1.6 });
    t.match(details, { field: 't_end', reason: 'the fluid has come to rest', accepts: 't_end = 0.4 s' });
  },
);

t.test('on from T₁ is the run to T₂, to the bit (SOLV-21)', async (t) => {
  const half = await startJob(flow, inputOf(flow, couette));
  const dt =
    1 /
    outputOf(
      { ...half, presentation: flow.present(half.input, half.verdict, half.finished) } as never,
      'steps',
    );
  const whole = await startJob(flow, inputOf(flow, { ...couette, t_end: 2, dt: dt * (1 + 1e-13) }));
  const then = await goOn(flow, half, { t_end: 2 } as FlowInput);
  for (let run = 0; run < 3; run++)
    t.same(then.finished[run]!.result, whole.finished[run]!.result, `grid ${run}`);
  t.equal(then.verdict.value, whole.verdict.value);
  await t.rejects(async () => goOn(flow, half, { t_end: 2 + dt } as FlowInput), { code: 'INVALID_INPUT' });
});

// ---- memory --------------------------------------------------------------------------------------------

t.test(
  'a march takes the memory of its answer, a section that of its cells, a cavity that of its directions, and no more than they ask for',
  async (t) => {
    const context = { requestHash: new Uint8Array(32) };
    const runsOf = (body: object) => flow.plan(inputOf(flow, body), context).runs;
    const outlet = { left: 'wall', right: 'slip', bottom: { type: 'inflow', v: 1 }, top: 'outflow' };
    const duct = { ...startUp, case: 'duct', Lz: 1 };
    const cases: [body: object, most: number][] = [
      [{ ...vortices, t_end: 1e-3, N: 512 }, 2.8],
      [{ ...couette, ...box, quantity: 'u', t_end: 1e-3, N: 512 }, 2.8],
      [{ ...couette, boundary: outlet, initialState: { u: 0, v: 1 }, t_end: 1e-3, N: 512 }, 3.5],
      [{ ...duct, t_end: 1e-4, N: 512 }, 1.2],
      [{ ...duct, t_end: undefined, steady: true, N: 1024 }, 1.25],
      [{ ...cavity, N: 1024 }, 12.2],
    ];
    for (const [body, most] of cases) {
      const [run] = runsOf(body);
      const { taken, state } = memoryOf(run!);
      t.ok(taken <= run!.memory, JSON.stringify(body));
      t.ok(run!.memory <= most * state, `${run!.memory / state} ${JSON.stringify(body)}`);
    }
    for (const body of [
      ...[
        cavity,
        { ...cavity, N: 192, nu: 4e-3 },
        { ...cavity, Lx: 2, N: [768, 384] },
        { ...cavity, Ly: 2, N: [384, 768] },
      ],
      vortices,
      couette,
      { ...couette, Ly: 0.01, t_end: 1e-4 },
      startUp,
      skew,
      filled,
    ])
      for (const run of runsOf(body)) t.ok(memoryOf(run).taken <= run.memory, JSON.stringify(body));
  },
);

// ---- rows ----------------------------------------------------------------------------------------------

const momentum = 'assembly/flow/momentum.ts';
const twins: Twin[] = [
  {
    title: 'half a step',
    body: couette,
    find: 'dt = parameterF64(40);',
    replace: 'dt = 0.5 * parameterF64(40);',
  },
  { title: 'a stage left out', body: couette, find: '  stage(-5.0 / 9.0, 15.0 / 16.0);\n', replace: '' },
  {
    title: 'sources that stay',
    body: {
      ...couette,
      boundary: { left: 'wall', right: 'wall', bottom: 'wall', top: 'wall' },
      quantity: 'kineticEnergyRatio',
      ...swirl(),
    },
    file: 'assembly/flow/projection.ts',
    find: '  solvePoisson();\n  each(takeGradients, blocks);',
    replace: '',
  },
  {
    title: 'velocities that carry the wrong way',
    body: couette,
    file: momentum,
    find: 'lay(ACROSS_X, 0.25 * dt / dx); lay(ACROSS_Y, 0.25 * dt / dy);',
    replace: 'lay(ACROSS_X, -0.25 * dt / dx); lay(ACROSS_Y, -0.25 * dt / dy);',
  },
  {
    title: 'a moving wall that stands still',
    body: couette,
    file: 'assembly/flow/problem.ts',
    find: 'isWall ? 2.0 * load<f64>(along + k) - inside : inside',
    replace: 'isWall ? -inside : inside',
  },
  {
    title: 'a steady flow of twice the inertia',
    kernel: 'flow-steady',
    body: cavity,
    file: momentum,
    find: 'lay(ACROSS_X, 0.25 * dt / dx); lay(ACROSS_Y, 0.25 * dt / dy);',
    replace: 'lay(ACROSS_X, 0.5 * dt / dx); lay(ACROSS_Y, 0.5 * dt / dy);',
  },
  {
    title: 'a force on the known flow for twice its viscosity',
    kernel: 'flow-steady',
    body: cavity,
    file: 'assembly/flow/steady.ts',
    find: 'takeCurlOfForce(to, speed, viscosity)',
    replace: 'takeCurlOfForce(to, speed, 2.0 * viscosity)',
  },
  {
    title: 'steps that end a thousand million times too early',
    kernel: 'flow-steady',
    body: cavity,
    find: 'isLast ? max(tolerance, rounding())',
    replace: 'isLast ? max(1e9 * tolerance, rounding())',
  },
  {
    title: 'a correction by viscosity that is taken away',
    kernel: 'flow-steady',
    body: { ...cavity, N: 192, nu: 4e-3 },
    file: 'assembly/flow/steady.ts',
    find: 'entry(rest, k) / viscosity',
    replace: '-entry(rest, k) / viscosity',
  },
  {
    title: 'a start that is half of what it was',
    kernel: 'flow-duct',
    body: skew,
    find: 'return sum / <f64>(lines * factor);',
    replace: 'return 0.5 * sum / <f64>(lines * factor);',
  },
  {
    title: 'half a force',
    kernel: 'flow-duct',
    body: startUp,
    find: 'push = parameterF64(56);',
    replace: 'push = 0.5 * parameterF64(56);',
  },
];

function swirl() {
  const sine = (x: number) => Math.sin(Math.PI * x) ** 2;
  return { t_end: 0.02, N: 64, initialState: stirred(64, (x, y) => 0.05 * sine(x) * sine(y) * (1 + x)) };
}

/** Error of the finest grid alone. */
async function errorOf(body: object, reference?: number): Promise<number> {
  const job = await solved(flow, body);
  return Math.abs(outputOf(job, 'grids.h') - (reference ?? outputOf(job, 'closedForm')));
}

const chebyshev = 'Chebyshev collocation, another program';
const { probe: _, ...anywhere } = vortices;

testSolver(flow, {
  references: [
    {
      title: 'regularised lid, u_min',
      body: cavity,
      expect: -0.163368691,
      tolerance: 3e-4,
      source: chebyshev,
    },
    {
      title: 'regularised lid, v_min',
      body: { ...cavity, quantity: 'vMin' },
      expect: -0.195346093,
      tolerance: 5e-4,
      source: chebyshev,
    },
    {
      title: 'regularised lid, u in the middle',
      body: { ...cavity, quantity: 'u' },
      expect: -0.161252163,
      tolerance: 5e-4,
      source: chebyshev,
    },
    {
      title: 'regularised lid, v_max',
      body: { ...cavity, N: 128, quantity: 'vMax' },
      expect: 0.139291202,
      tolerance: 3e-4,
      source: chebyshev,
    },
    ...(
      [
        [{ Lx: 1, Ly: 2, nu: 0.1395, N: [128, 256], quantity: 'psiMin' }, -0.0842600481],
        [{ Lx: 1, Ly: 2, nu: 0.1395, N: [128, 256], quantity: 'uMin' }, -0.158395755],
        [{ Lx: 0.5, Ly: 2, nu: 0.05, N: [128, 512], quantity: 'uMin' }, -0.15822672],
        [{ Lx: 1, Ly: 1, nu: 0.068, N: [256, 256], quantity: 'vMin' }, -0.151703877],
      ] as const
    ).map(([body, expect]) => ({
      title: `a cavity that is tall or slow, ${body.Lx} by ${body.Ly} m, ${body.quantity}`,
      body: { ...cavity, ...body },
      expect,
      tolerance: 1e-4,
      source: 'Chebyshev collocation of u·∇∇²ψ = ν∇⁴ψ, 25 × 33 and 29 × 41 points alike to 8 digits',
    })),
    ...(
      [
        ['uMin', -0.2140424],
        ['vMax', 0.1795729],
      ] as const
    ).map(([quantity, expect]) => ({
      title: `uniform lid, ${quantity}`,
      body: { ...cavity, lidProfile: 'uniform', N: 128, quantity },
      expect,
      tolerance: 3e-4,
      source: 'Marchi, Suero & Araki 2009',
    })),
    {
      title: 'uniform lid, v_min',
      body: { ...cavity, lidProfile: 'uniform', quantity: 'vMin' },
      expect: -0.2538031,
      tolerance: 5e-4,
      source: 'Marchi, Suero & Araki 2009',
    },
    {
      title: 'uniform lid, ψ_min',
      body: { ...cavity, lidProfile: 'uniform', quantity: 'psiMin' },
      expect: -0.103521,
      tolerance: 3e-4,
      source: 'Marchi, Suero & Araki 2009',
    },
    {
      title: 'uniform lid, Re 1000, u_min',
      body: { ...cavity, lidProfile: 'uniform', nu: 1e-3, N: 320 },
      expect: -0.3885698,
      tolerance: 1e-4,
      source: 'Botella & Peyret 1998',
    },
    ...(
      [
        ['vMax', 0.3769447],
        ['vMin', -0.5270771],
        ['psiMin', -0.1189366],
      ] as const
    ).map(([quantity, expect]) => ({
      title: `uniform lid, Re 1000, ${quantity}`,
      body: { ...cavity, lidProfile: 'uniform', nu: 1e-3, N: 320, quantity },
      expect,
      tolerance: 1e-4,
      source: 'Botella & Peyret 1998',
    })),
    {
      title: 'regularised lid on cells that are solved through coarser ones',
      body: { ...cavity, N: 192 },
      expect: -0.163368691,
      tolerance: 1e-4,
      source: chebyshev,
    },
    {
      title: 'vortices, u',
      body: vortices,
      expect: 0.1 * Math.cos(0.2 * Math.PI) * Math.sin(0.4 * Math.PI) * Math.exp(-0.024 * Math.PI ** 2),
      tolerance: 1e-4,
      source: 'Taylor 1923',
    },
    {
      title: 'vortices, ω',
      body: { ...vortices, quantity: 'omega' },
      expect:
        -0.4 * Math.PI * Math.cos(0.2 * Math.PI) * Math.cos(0.4 * Math.PI) * Math.exp(-0.024 * Math.PI ** 2),
      tolerance: 1e-4,
      source: 'Taylor 1923',
    },
    {
      title: 'vortices, p between them',
      body: { ...vortices, N: 96, rho, quantity: 'p', probe: [0.25, 0.25] },
      expect: 0.5 * rho * 0.01 * Math.exp(-0.048 * Math.PI ** 2),
      tolerance: 1e-4,
      source: 'Taylor 1923',
    },
    {
      title: 'vortices, ψ_min',
      body: { ...anywhere, quantity: 'psiMin' },
      expect: (-0.1 / (2 * Math.PI)) * Math.exp(-0.024 * Math.PI ** 2),
      tolerance: 1e-4,
      source: 'Taylor 1923',
    },
    {
      title: 'start of a channel',
      body: startUp,
      expect: CHANNEL,
      tolerance: 1e-5,
      source: 'Fourier series, summed in Python',
    },
    {
      title: 'start of a duct of one by two',
      body: { ...startUp, case: 'duct', Lz: 2, t_end: 0.5, N: [64, 128], probe: [0, 0.3, 0.7] },
      expect: DUCT,
      tolerance: 1e-5,
      source: 'double Fourier series, summed in Python',
    },
    {
      title: 'a channel that moves at the start and is let alone',
      body: { ...startUp, G: 0, initialState: { u: 1, t0: 2 }, t_end: 3 },
      expect: 0.47448746037974915,
      tolerance: 1e-4,
      source: 'Fourier series, summed in Python',
    },
    {
      title: 'a channel that does not start from rest',
      body: skew,
      expect: 0.6296284254942657,
      tolerance: 1e-4,
      source: 'Fourier series, summed in Python',
    },
    {
      title: 'a duct that does not start from rest',
      body: filled,
      expect: FILLED,
      tolerance: 1e-4,
      source: 'double Fourier series, summed in Python',
    },
    {
      title: 'the same start by a force in the plane',
      body: { ...couette, boundary: { ...couette.boundary, top: 'wall' }, g: [0.8, 0], t_end: 1 },
      expect: CHANNEL,
      tolerance: 1e-4,
      source: 'Fourier series, summed in Python',
    },
    {
      title: 'flow between plates far behind a uniform inflow',
      body: {
        ...couette,
        Lx: 2,
        N: [64, 32],
        boundary: { left: { type: 'inflow', u: 1 }, right: 'outflow', bottom: 'wall', top: 'wall' },
        initialState: { u: 1, v: 0 },
        t_end: 2,
        probe: [1.5, 0.5],
      },
      expect: 1.5,
      tolerance: 5e-4,
      source: 'Poiseuille: 3/2 of the mean',
    },
  ],
  orders: [
    {
      title: 'vortices, u at the probe',
      theory: 2,
      errors: async () => [await errorOf(vortices), await errorOf({ ...vortices, N: 64 })],
    },
    {
      title: 'regularised lid, u_min',
      theory: 2,
      errors: async () => [
        Math.abs(outputOf(await solved(flow, cavity), 'grids.2h') + 0.163368691),
        await errorOf(cavity, -0.163368691),
      ],
    },
  ],
  twins,
});

t.test(
  'a steady cavity that is given up names the tol that it would be within, if one may ask for it',
  (t) => {
    const input = inputOf(flow, cavity);
    t.match(flow.refusalDetails?.(input, 17, [3e-8, 40, 1e-9]), {
      residual: 3e-8,
      iterations: 40,
      accepts: 'tol = 6e-8, or more cells, or a smaller Re',
    });
    t.match(flow.refusalDetails?.(input, 17, [0.5, 40, 1e-9]), { accepts: 'more cells, or a smaller Re' });
    t.end();
  },
);
