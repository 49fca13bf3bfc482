import fc from 'fast-check';
import t from 'tap';
import { waveExamples } from '../../src/solvers/wave/examples.ts';
import { fieldOffsets, gridOf } from '../../src/solvers/wave/plan.ts';
import { readProblem } from '../../src/solvers/wave/problem.ts';
import type { WaveInput } from '../../src/solvers/wave/schema.ts';
import { wave } from '../../src/solvers/wave.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { goOn, startJob } from './continue-job.ts';
import { runJob, runKernel } from './run-job.ts';
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
import { refusalOfTwin } from './twin-job.ts';

t.setTimeout(120_000);

const string = { dim: 1, c: 100, Lx: 1, boundary: 'fixed' };
const pluck = { type: 'pluck', A: 0.01, x0: [0.25] };
const chord = { type: 'formula', equation: '0.01*sin(pi*x) + 0.009*sin(2*pi*x)' };
const drum = {
  ...{ c: 100, Lx: 2, Ly: 1, boundary: 'fixed', N: [64, 32], quantity: 'frequency', probe: [0.6, 0.5] },
  initial: { type: 'formula', equation: '0.01*(sin(pi*x/2) + 0.8*sin(pi*x))*sin(pi*y)' },
};
const membrane = { c: 100, Lx: 1, Ly: 1, boundary: 'fixed', initial: { type: 'mode', A: 0.01, m: 1, n: 1 } };
const pulse = { type: 'pulse', x0: [0.1], frequency: 1e9, width: 1e-9 };
const stack = {
  mode: 'maxwell',
  dim: 1,
  Lx: 1,
  source: pulse,
  boundary: 'pml',
  frequency: 1e9,
  N: 800,
};
const pane = (epsilonR: number) => [
  { L: 0.4, epsilonR: 1 },
  { L: 0.2, epsilonR },
  { L: 0.4, epsilonR: 1 },
];
const interface1to4 = [
  { L: 0.5, epsilonR: 1 },
  { L: 0.5, epsilonR: 4 },
];

const guide = waveExamples.find(({ title }) => title === 'a slab across a waveguide')!.body;
const ring = { left: 'pml', right: 'pml', bottom: 'periodic', top: 'periodic' };
/** Half of the height filled with ε 4 over 16 mm: no stack. */
const halfFilled = {
  ...guide,
  Lx: 0.28,
  N: [140, 56],
  epsilonR: Array.from({ length: 56 }, (_, j) =>
    Array.from({ length: 140 }, (__, i) => (i >= 112 && i < 120 && j < 28 ? 4 : 1)),
  ),
};

/** A plane wave on a row of cells, of a pulse or a sine: normal incidence into another medium. */
const row = {
  ...guide,
  Lx: 0.22,
  N: [88, 40],
  boundary: ring,
  epsilonR: [
    { L: 0.13, epsilonR: 1 },
    { L: 0.02, epsilonR: 4 },
    { L: 0.07, epsilonR: 2 },
  ],
  source: { type: 'pulse', x0: [0.04, 0.03], frequency: 1.2e9, width: 4e-9 },
  frequency: 1.2e9,
  quantity: 'reflectance',
};
/** A sine that begins with a jump. */
const sineOf = (x0: number[], frequency: number) => ({ type: 'sine', x0, frequency, width: 1e-12 });
const hum = { ...row, source: sineOf([0.04, 0.03], 1.2e9) };

/** A bump of the width w about (x, y) on N × N cells of the unit square, at rest. */
function bump(N: number, x: number, y: number, w: number) {
  const rows = Array.from({ length: N + 1 }, (_, j) =>
    Array.from({ length: N + 1 }, (_, i) => Math.exp(-((i / N - x) ** 2 + (j / N - y) ** 2) / (w * w))),
  );
  return { u: rows, v: rows.map((row) => row.map(() => 0)) };
}
const square = { c: 1, Lx: 1, Ly: 1 };

/** The result of the finest grid's run alone: random data need not be resolved there. */
function runOf(body: object): Float64Array {
  const input = inputOf(wave, body);
  const { kernel, parts, stepsPerSegment } = wave.plan(input, { requestHash: new Uint8Array(32) }).runs[0]!;
  const bytes = Buffer.concat(parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])));
  return new Float64Array(runKernel(kernel, bytes, stepsPerSegment).result.slice().buffer);
}
/** u and its rate there. */
function fieldsOf(body: object): [u: number[], rate: number[]] {
  const input = inputOf(wave, body);
  const grid = gridOf(readProblem(input), input.dt);
  const { u, rates } = fieldOffsets(grid, 0);
  const nodes = (grid.problem.box.nx + 1) * (grid.problem.box.ny + 1);
  const result = runOf(body);
  const from = (at: number) => [...result.subarray(at / 8, at / 8 + nodes)];
  return [from(u), from(rates)];
}

const gateOf = (job: Awaited<ReturnType<typeof solved>>, name: string) =>
  job.verdict.gates.find((row) => row.name === name)!.relError;

// ---- laws ----------------------------------------------------------------------------------------------

const small = fc.double({ min: -1, max: 1, noNaN: true });
const sixteen = fc.array(small, { minLength: 17, maxLength: 17 });

t.test('a string at the Courant number 1 is exact at its nodes, whatever the start (SOLV-20)', async (t) => {
  await fc.assert(
    fc.asyncProperty(sixteen, fc.integer({ min: 16, max: 80 }), async (u, steps) => {
      const ends = u.map((value, i) => (i === 0 || i === 16 ? 0 : value));
      const body = {
        dim: 1,
        c: 16,
        Lx: 16,
        boundary: 'fixed',
        initialState: { u: ends, v: ends.map(() => 0) },
        dt: 1 / 16,
        t_end: (4 * Math.ceil(steps / 4)) / 16,
        N: 16,
      };
      const n = 4 * Math.ceil(steps / 4);
      // d'Alembert: ½[F(i + n) + F(i − n)], F odd about both ends, of period 32.
      const F = (i: number) => {
        const k = ((i % 32) + 32) % 32;
        return k <= 16 ? ends[k]! : -ends[32 - k]!;
      };
      const [found] = fieldsOf(body);
      found!.forEach((value, i) => {
        if (!(Math.abs(value - 0.5 * (F(i + n) + F(i - n))) < 1e-12)) t.fail(`node ${i}: ${value}`);
      });
    }),
    { numRuns: 12 },
  );
  t.pass();
});

t.test('time turned back, a run returns to its start within 1e-10', async (t) => {
  const start = bump(32, 0.4, 0.55, 0.2);
  for (const boundary of ['fixed', 'free', 'periodic']) {
    // On a ring the last node is the first.
    const ring = (rows: number[][]) =>
      boundary === 'periodic' ? rows.map((_, j) => rows[0]!.map((__, i) => rows[j % 32]![i % 32]!)) : rows;
    const u = ring(start.u);
    const body = { ...square, boundary, N: 32, t_end: 0.7 };
    const [there, rate] = fieldsOf({ ...body, initialState: { u, v: start.v } });
    const back = { u: there!, v: rate!.map((v) => -v) };
    const [here] = fieldsOf({ ...body, initialState: back });
    const apart = Math.max(...here!.map((value, k) => Math.abs(value - u.flat()[k]!)));
    t.ok(apart <= 1e-10, `${boundary}: ${apart}`);
  }
});

t.test('x and y exchanged give the transposed field, to the bit', async (t) => {
  const { u, v } = bump(24, 0.3, 0.6, 0.15);
  const turned = u.map((row, j) => row.map((_, i) => u[i]![j]!));
  const sides = { left: 'fixed', right: 'free', bottom: 'absorbing', top: 'fixed' };
  const other = { left: 'absorbing', right: 'fixed', bottom: 'fixed', top: 'free' };
  const one = fieldsOf({
    ...square,
    N: 24,
    t_end: 0.4,
    initialState: { u, v },
    boundary: { ...sides, top: 'free', bottom: 'fixed' },
  })[0];
  const two = fieldsOf({
    ...square,
    N: 24,
    t_end: 0.4,
    initialState: { u: turned, v },
    boundary: { ...sides, top: 'free', bottom: 'fixed' },
  })[0];
  for (let j = 0; j <= 24; j++)
    for (let i = 0; i <= 24; i++) if (one[j * 25 + i] !== two[i * 25 + j]) t.fail(`${i}, ${j}`);
  const a = fieldsOf({ ...square, N: 24, t_end: 0.4, initialState: { u, v }, boundary: sides })[0];
  const b = fieldsOf({ ...square, N: 24, t_end: 0.4, initialState: { u: turned, v }, boundary: other })[0];
  const apart = Math.max(...a.map((value, k) => Math.abs(value - b[(k % 25) * 25 + Math.floor(k / 25)]!)));
  t.ok(apart < 1e-13, `with a layer to rounding: ${apart}`);
});

t.test('energy balances to rounding on every boundary, in every medium', async (t) => {
  const { u, v } = bump(64, 0.45, 0.5, 0.25);
  const field = { ...square, N: 64, t_end: 0.4, initialState: { u, v } };
  const light = {
    mode: 'maxwell',
    Lx: 1,
    Ly: 1,
    N: 80,
    t_end: 6e-9,
    source: { ...pulse, x0: [0.41, 0.37], frequency: 1e8, width: 1.5e-9 },
  };
  for (const body of [
    { ...field, boundary: 'absorbing' },
    { ...field, boundary: { left: 'absorbing', right: 'free', bottom: 'fixed', top: 'free' } },
    { ...light, epsilonR: 2, boundary: 'pml' },
    {
      ...light,
      epsilonR: 2,
      boundary: { ...ring, right: 'pec' },
      source: { ...light.source, x0: [0.41, 0.995] },
      probe: [0.6, 0.9],
    },
    {
      ...light,
      epsilonR: 2,
      sigma: 0.002,
      boundary: { left: 'pml', right: 'pec', bottom: 'pec', top: 'pec' },
    },
  ]) {
    const job = await solved(wave, body);
    t.ok(gateOf(job, 'energy') <= 1e-12 && gateOf(job, 'twin') <= 1e-10, `${gateOf(job, 'energy')}`);
  }
});

t.test('what comes back and what passes are all there is', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.double({ min: 1.2, max: 3, noNaN: true }), async (epsilon) => {
      const job = await solved(wave, { ...stack, epsilonR: pane(epsilon), quantity: 'transmittance' });
      const sum = outputOf(job, 'reflectance') + outputOf(job, 'transmittance');
      t.ok(Math.abs(sum - 1) <= 1e-3, `ε ${epsilon}: ${sum}`);
    }),
    { numRuns: 2 },
  );
});

t.test('in a plane all is sent on or back, whatever stands in the way (SOLV-20)', async (t) => {
  for (const body of [guide, halfFilled]) {
    const job = await solved(wave, body);
    const sum = outputOf(job, 'reflectance') + outputOf(job, 'transmittance');
    t.ok(Math.abs(sum - 1) <= 1e-5, `${sum}`);
    t.ok(gateOf(job, 'passed') <= 1e-5 && gateOf(job, 'R + T') <= 1e-5);
  }
});

t.test('what has left through a layer does not come back', async (t) => {
  const body = {
    ...square,
    boundary: 'absorbing',
    initialState: bump(96, 0.5, 0.5, 0.12),
    N: 96,
    t_end: 1.6,
    probe: [0.7, 0.3],
  };
  const largest = Math.max(...fieldsOf(body)[0].map(Math.abs));
  // In the plane without sides: the tail of a two-dimensional wave, ∬u₀ t/(2π c (t² − r²)^{3/2}) (Morse & Feshbach §7.3).
  const tail = (Math.PI * 0.12 * 0.12 * 1.6) / (2 * Math.PI * (1.6 * 1.6 - 0.25) ** 1.5);
  t.ok(largest < 1.6 * tail, `${largest} beside the tail ${tail}`);
});

t.test('fields are what they are called', async (t) => {
  const job = await solved(wave, { ...membrane, N: 32, t_end: 0.0101, probe: [0.5, 0.5] });
  const u = fieldOf(job, 'u');
  const [x, profile] = [fieldOf(job, 'x'), fieldOf(job, 'profile')];
  t.same([x[0], x[32]], [0, 1]);
  t.same([...profile], [...u.subarray(16 * 33, 17 * 33)]);
  const [times, series] = [fieldOf(job, 't'), fieldOf(job, 'series')];
  t.same([times[0], series[0]], [0, 0.01]);
  t.ok(Math.abs(times.at(-1)! - 0.0101) < 1e-15 && series.at(-1) === u[16 * 33 + 16]);
  const omega = 100 * Math.PI * Math.SQRT2;
  t.ok(Math.abs(fieldOf(job, 'v')[16 * 33 + 16]! + 0.01 * omega * Math.sin(omega * 0.0101)) < 2e-2, 'rate');
  const [f, spectrum] = [fieldOf(job, 'f'), fieldOf(job, 'spectrum')];
  t.ok(f[0] === 0 && spectrum.indexOf(Math.max(...spectrum)) === 1, 'two thirds of a period');
});

t.test('the magnetic field of a cavity stands in quadrature (SOLV-20)', async (t) => {
  const body = {
    mode: 'maxwell',
    Lx: 0.1,
    Ly: 0.2,
    epsilonR: 1,
    boundary: 'pec',
    N: [48, 96],
    t_end: 1.1e-9,
    initial: { type: 'mode', A: 1, m: 1, n: 1 },
  };
  const job = await solved(wave, body);
  const [kx, ky] = [Math.PI / 0.1, Math.PI / 0.2];
  const omega = 299792458 * Math.hypot(kx, ky);
  const unit = Math.sin(omega * 1.1e-9) / (1.25663706127e-6 * omega);
  // μ ∂Hx/∂t = −∂Ez/∂y, μ ∂Hy/∂t = ∂Ez/∂x (Balanis, Advanced Engineering Electromagnetics, §8.3).
  const Hx = fieldOf(job, 'Hx')[10 * 49 + 20]!;
  const Hy = fieldOf(job, 'Hy')[30 * 48 + 10]!;
  const hx = -ky * Math.cos((ky * 10.5 * 0.2) / 96) * Math.sin((kx * 20 * 0.1) / 48) * unit;
  const hy = kx * Math.cos((kx * 10.5 * 0.1) / 48) * Math.sin((ky * 30 * 0.2) / 96) * unit;
  t.ok(Math.abs(Hx / hx - 1) < 2e-3 && Math.abs(Hy / hy - 1) < 2e-3, `${Hx} ${hx}, ${Hy} ${hy}`);
});

t.test('a final state given as the start goes on where the run ended', async (t) => {
  const body = { mode: 'maxwell', Lx: 0.1, Ly: 0.1, epsilonR: 2, boundary: 'pec', N: 40 };
  const mode = { type: 'mode', A: 1, m: 1, n: 1 };
  const half = await solved(wave, { ...body, initial: mode, t_end: 4e-10 });
  const state = Object.fromEntries(['Ez', 'Hx', 'Hy'].map((name) => [name, [...fieldOf(half, name)]]));
  const then = await solved(wave, { ...body, initialState: { ...state, t0: 4e-10 }, t_end: 8e-10 });
  const whole = await solved(wave, { ...body, initial: mode, t_end: 8e-10 });
  t.ok(
    Math.abs(then.verdict.value / whole.verdict.value - 1) < 2e-3,
    `${then.verdict.value} ${whole.verdict.value}`,
  );
});

// ---- going on ------------------------------------------------------------------------------------------

const light2D = {
  mode: 'maxwell',
  Lx: 1,
  Ly: 1,
  N: 64,
  epsilonR: [
    { L: 0.5, epsilonR: 1 },
    { L: 0.5, epsilonR: 1.5 },
  ],
  sigma: 0.001,
  source: { ...pulse, x0: [0.3, 0.4], frequency: 1e8, width: 1.5e-9 },
  boundary: { left: 'pml', right: 'pec', bottom: 'pml', top: 'pec' },
  dt: 2e-11,
};
/** Driven beside its first mode: 8.9 mm at its farthest, 85 ms after the start, and 0.8 mm twice as late. */
const beating = {
  ...string,
  source: { type: 'formula', equation: 'F*sin(pi*x/L)*sin(W*t)' },
  parameters: {
    F: { value: 100, unit: 'm/s^2' },
    L: { value: 1, unit: 'm' },
    W: { value: 350, unit: 'rad/s' },
  },
  N: 64,
  t_end: 0.085,
};
for (const [title, body] of Object.entries({
  'a mode on three grids': { ...membrane, N: 32, dt: 0.0002, t_end: 0.008 },
  'a plucked string': { ...string, initial: pluck, N: 100, dt: 0.0001, t_end: 0.005, probe: [0.75] },
  'light behind layers': { ...light2D, N: 96, dt: 1.6e-11, t_end: 6.144e-9, probe: [0.7, 0.5] },
})) {
  t.test(`${title}: on from T₁ is the run to T₂, to the bit`, async (t) => {
    const until = (t_end: number) => inputOf(wave, { ...body, t_end });
    const whole = await startJob(wave, until(2 * body.t_end));
    const half = await startJob(wave, until(body.t_end)).catch((error) => error);
    if (half instanceof Error) return t.fail(half.message);
    const then = await goOn(wave, half, { t_end: 2 * body.t_end } as WaveInput);
    for (let run = 0; run < then.finished.length - 1; run++)
      t.ok(Buffer.compare(then.finished[run]!.result, whole.finished[run]!.result) === 0, `run ${run}`);
    t.equal(then.verdict.value, whole.verdict.value);
  });
}

t.test('the largest displacement is that of the whole run, wherever it was cut', async (t) => {
  const LARGEST = 18;
  const until = (t_end: number) => inputOf(wave, { ...beating, t_end });
  const whole = await startJob(wave, until(2 * beating.t_end));
  const half = await startJob(wave, until(beating.t_end));
  const then = await goOn(wave, half, { t_end: 2 * beating.t_end } as WaveInput);
  const [all, first, second] = [whole, half, then].map(({ verdict }) => verdict.extras[LARGEST]!);
  t.ok(first! > 8.8e-3 && first! < 8.9e-3, `${first} m where it is cut, which is no 64th step`);
  t.equal(second, all);
});

t.test('a new end between steps, or of what has passed, is refused', async (t) => {
  const first = await startJob(wave, inputOf(wave, { ...membrane, N: 32, dt: 0.0002, t_end: 0.008 }));
  await t.rejects(async () => goOn(wave, first, { t_end: 0.0131 } as WaveInput), { code: 'INVALID_INPUT' });
  await t.rejects(async () => goOn(wave, first, {} as WaveInput), { code: 'MISSING_INPUT' });
  const passed = await startJob(
    wave,
    inputOf(wave, { ...stack, epsilonR: interface1to4, quantity: 'transmittance' }),
  );
  await t.rejects(async () => goOn(wave, passed, { t_end: 1 } as WaveInput), { code: 'INVALID_INPUT' });
});

// ---- memory --------------------------------------------------------------------------------------------

/** Its state holds u or Ez at two times, φ₁, φ₂ of layers and ΣEz; of nodes of the box so many 8-byte numbers. */
const light = { mode: 'maxwell', Lx: 1, Ly: 1, N: 512, epsilonR: 2, boundary: 'pec', t_end: 4e-11 };
const drums = {
  ...square,
  N: 512,
  boundary: 'fixed',
  initial: { type: 'mode', A: 1, m: 1, n: 1 },
  t_end: 0.01,
};
const onCells = Array.from({ length: 512 }, (_, j) =>
  Array.from({ length: 512 }, (__, i) => 1 + ((i ^ j) & 1)),
);
const wobble = { type: 'formula', equation: 'sin(10*t)*exp(-x)' };
const shone = { ...light, initial: { type: 'mode', A: 1, m: 1, n: 1 } };
const lit = { ...light, source: { type: 'formula', equation: 'sin(1e9*t)' } };
const memories: [title: string, body: object, ratio: number][] = [
  ['a membrane', drums, 1.5],
  ['a membrane in the open', { ...drums, boundary: 'absorbing' }, 1.5],
  ['a membrane under a force', { ...drums, initial: undefined, source: wobble }, 1.5],
  ['a membrane whose start is a formula', { ...drums, initial: { type: 'formula', rate: 'sin(3*x)' } }, 1.5],
  ['a string at rest', { ...string, initial: pluck, N: 200_000, t_end: 1e-6 }, 1.5],
  [
    'light on a line',
    { ...light, dim: 1, Ly: undefined, N: 200_000, initial: { type: 'mode', A: 1, m: 1 } },
    5 / 3,
  ],
  ['light between conductors', shone, 5 / 3],
  ['light between conductors, with loss', { ...shone, sigma: 0.01 }, 5 / 3],
  ['light in cells', { ...shone, epsilonR: onCells, sigma: 0.01 }, 5 / 3],
  ['light that is driven', lit, 5 / 3],
  ['light in the open', { ...shone, boundary: 'pml' }, 1.5],
  ['light in cells in the open', { ...shone, epsilonR: onCells, sigma: onCells, boundary: 'pml' }, 1.5],
  ['light in the open that is driven', { ...lit, boundary: 'pml', sigma: 0.01 }, 1.5],
];
for (const [title, body, ratio] of memories)
  t.test(
    `${title} takes ${ratio.toFixed(2)} times the memory of its state, and no more than it asks for`,
    async (t) => {
      const plan = wave.plan(inputOf(wave, body), { requestHash: new Uint8Array(32) }).runs[0]!;
      const { taken, state } = memoryOf(plan);
      const sent = plan.parts.reduce((sum, part) => sum + ('bytes' in part ? part.bytes.length : 0), 0);
      t.ok(taken <= plan.memory, `${taken} of ${plan.memory}`);
      // Pages of 64 KiB, what lies along the axes and tables of formulas do not grow with the nodes.
      const most =
        ratio * state + sent + 2 ** 18 + ('source' in body || title.includes('formula') ? 2 ** 18 : 0);
      t.ok(plan.memory <= most, `${(plan.memory - sent) / state}`);
    },
  );

// ---- rows ----------------------------------------------------------------------------------------------

const stencil = 'assembly/wave/stencil.ts';
const tone = { ...membrane, N: 32, t_end: 0.0101, probe: [0.4, 0.45] };
const leaving = { ...string, initial: pluck, boundary: 'absorbing', N: 400, t_end: 0.004, probe: [0.1] };
const glass = { ...stack, epsilonR: interface1to4, quantity: 'reflectance' };

const cavity = {
  mode: 'maxwell',
  Lx: 0.1,
  Ly: 0.1,
  epsilonR: 2,
  boundary: 'pec',
  initial: { type: 'mode', A: 1, m: 1, n: 1 },
  t_end: 6.4e-10,
  probe: [0.04, 0.05],
};

const driven = {
  ...string,
  N: 64,
  source: { type: 'formula', equation: 'F*sin(pi*x/L)*sin(W*t)' },
  parameters: {
    F: { value: 1000, unit: 'm/s^2' },
    L: { value: 100, unit: 'cm' },
    W: { value: 500, unit: 'rad/s' },
  },
  t_end: 0.013,
};
const blown = {
  ...square,
  boundary: { left: 'absorbing', right: 'free', bottom: 'fixed', top: 'free' },
  source: { type: 'formula', equation: 'exp(-((x - 0.5)^2 + (y - 0.4)^2)/0.02)*sin(10*t)^2' },
  N: 64,
  t_end: 0.8,
};

/** A line source in the open, in a box whose cells are long: dx = 6.7 dy. */
const lineInTheOpen = {
  ...{ mode: 'maxwell', dim: 2, Lx: 1, Ly: 0.15, boundary: 'pml', epsilonR: 1, t_end: 6e-9 },
  source: { type: 'sine', x0: [0.4, 0.06], frequency: 6e8, width: 1e-9 },
  probe: [0.63, 0.0555],
};
/** A step at the very limit, long cells, waves that leave at once, and 60 times the time that takes. */
t.test('a start that is not 0 on a conductor is told a factor by which it is', async (t) => {
  const body = {
    ...{ mode: 'maxwell', dim: 1, Lx: 1, epsilonR: 1, boundary: { left: 'pec', right: 'pml' } },
    ...{ t_end: 2e-9, probe: [0.8] },
  };
  const start = (equation: string) => ({ ...body, initial: { type: 'formula', equation } });
  const hill = 'exp(-((x-0.3)/0.15)^2)';
  const { message } = await refusalOf(wave, start(hill));
  t.match(message, /Ez is not 0 on a conductor.*times sin\(pi\*x\/2\)/);
  const { verdict } = await solved(wave, start(`${hill}*sin(pi*x/2)`));
  // d’Alembert: half of it has gone to the right.
  const came = 0.8 - 299792458 * 2e-9;
  const exact = 0.5 * Math.exp(-(((came - 0.3) / 0.15) ** 2)) * Math.sin((Math.PI * came) / 2);
  t.ok(Math.abs(verdict.value / exact - 1) < 1e-3, `${verdict.value} for ${exact}`);
});

const longPast = {
  ...{ c: 1, Lx: 1, Ly: 0.1, N: 64, boundary: 'absorbing', t_end: 60, probe: [0.63, 0.055] },
  initial: { type: 'formula', equation: 'exp(-((x-0.5)/0.12)^2)*exp(-((y-0.05)/0.012)^2)' },
};

t.test('layers bear long cells, steps at the limit and conductors', async (t) => {
  const [dx, dy] = [1 / 64, 0.1 / 64];
  const dt = (1 - 1e-9) / Math.hypot(1 / dx, 1 / dy);
  const sine = { type: 'sine', x0: [0.4, 0.4], frequency: 6.32e7, width: 3e-9 };
  const conductor = {
    mode: 'maxwell',
    dim: 2,
    Lx: 1,
    Ly: 1,
    N: 64,
    boundary: 'pml',
    epsilonR: 10,
    sigma: 10,
  };
  const bodies = [
    { ...longPast, dt },
    { ...conductor, source: sine, t_end: 5e-8, probe: [0.45, 0.45] },
  ];
  for (const body of bodies) {
    const [, start = 0, inflow = 0, work = 0] = runOf(body);
    t.ok(inflow <= 0, `${inflow} comes in`);
    t.ok(-inflow <= 1.001 * (start + Math.abs(work)), `${-inflow} goes out of ${start} and ${work}`);
  }
});

const lossy = {
  mode: 'maxwell',
  Lx: 0.1,
  Ly: 0.1,
  epsilonR: 1,
  sigma: 0.01,
  boundary: 'pec',
  N: 32,
  t_end: 5e-10,
  initial: { type: 'mode', A: 1, m: 1, n: 1 },
};

t.test('a field that is right and loses what it does not account for is ENERGY_NOT_CONSERVED', async (t) => {
  const input = inputOf(wave, lossy);
  await t.resolves(runJob(wave, input), 'the whole kernel is sealed');
  const file = 'assembly/kernels/wave.ts';
  const twin = await brokenTwin(file, {
    file,
    find: 'if (isLossy) flow(32, loss);',
    replace: 'if (isLossy) flow(32, 0.9 * loss);',
  });
  t.equal((await refusalOfTwin(wave, input, 'wave', twin))?.code, 'ENERGY_NOT_CONSERVED');
});

const twins: Twin[] = [
  {
    title: 'layers across long cells as strong as narrow ones bear',
    body: lineInTheOpen,
    file: 'assembly/wave/problem.ts',
    find: 'parameterF64(88) / width',
    replace: 'parameterF64(88) / (width / 6.7)',
  },
  {
    title: 'a source of twice its strength, whose work is too',
    body: driven,
    file: 'assembly/wave/source.ts',
    find: 'offsetOf(i, b))) : f;',
    replace: 'offsetOf(i, b))) : 2.0 * f;',
  },
  {
    title: 'a source that is half a step late',
    body: driven,
    file: 'assembly/wave/source.ts',
    find: 'if (!isMaxwell) { setTime(<f64>n * dt)',
    replace: 'if (!isMaxwell) { setTime((<f64>n + 0.5) * dt)',
  },
  {
    title: 'a current that is not kept until the next half step',
    body: {
      ...light2D,
      N: 32,
      dt: undefined,
      sigma: 0,
      source: { type: 'formula', equation: 'sin(5e8*t)*x*y' },
      t_end: 2e-8,
    },
    file: 'assembly/wave/source.ts',
    find: 'if (isMaxwell) memory.copy(',
    replace: 'if (!isMaxwell) memory.copy(',
  },
  {
    title: 'a source with x and y exchanged',
    body: blown,
    file: 'assembly/wave/source.ts',
    find: '<f64>b * dy : 0.0, now);',
    replace: '<f64>(ny - b) * dy : 0.0, now);',
  },
  {
    title: 'a rate of the start that is not kept',
    body: { ...string, initial: { type: 'formula', rate: '3*sin(pi*x)' }, N: 64, t_end: 0.013 },
    file: 'assembly/wave/problem.ts',
    find: 'if (formulaOf(2)) layNodes(next, v);',
    replace: 'if (formulaOf(2)) layNodes(next, u);',
  },
  {
    title: 'a field at rest that is moved by a thousand-millionth',
    body: {
      ...{ c: 100, Lx: 1, Ly: 1, N: 32, boundary: 'free', t_end: 0.0137 },
      initial: { type: 'mode', A: 0.01, m: 0, n: 0 },
    },
    file: stencil,
    find: 'b, under, over));',
    replace: 'b, under, f64x2.mul(f64x2.splat(1.000000001), over)));',
  },
  {
    title: 'the row below twice',
    body: tone,
    file: stencil,
    find: 'b, under, over));',
    replace: 'b, under, under));',
  },
  {
    title: 'a step of nine tenths',
    body: tone,
    file: 'assembly/wave/problem.ts',
    find: 'dt = parameterF64(56);',
    replace: 'dt = 0.9 * parameterF64(56);',
  },
  {
    title: 'a start that is pushed half a step too far',
    body: tone,
    file: 'assembly/wave/begin.ts',
    find: 'load<f64>(row + (<usize>i << 3)) + 0.5 * dt * dt * a',
    replace: 'load<f64>(row + (<usize>i << 3)) + dt * dt * a',
  },
  {
    title: 'layers of the wrong sign',
    body: leaving,
    file: 'assembly/wave/layer.ts',
    find: 'f64x2.sub(other, v128.load(table + p))',
    replace: 'f64x2.sub(v128.load(table + p), other)',
  },
  {
    title: 'an interface that is smeared over four cells',
    body: glass,
    file: 'assembly/wave/problem.ts',
    find: 'load<f64>(epsilonAt + (<usize>i << 3))',
    replace:
      '0.5 * (load<f64>(epsilonAt + (<usize>i << 3)) + load<f64>(epsilonAt + (<usize>min(i + 4, nx) << 3)))',
  },
  {
    title: 'power in a plane at another frequency',
    body: guide,
    find: '2.0 * Math.PI * frequency * <f64>n * dt',
    replace: '2.0 * Math.PI * (1.003 * frequency) * <f64>n * dt',
  },
  {
    title: 'a sine through windows with edges, which see how it began',
    body: { ...guide, N: [104, 52], source: sineOf([0.02, 0.05], 1.7e9), frequency: 1.7e9 },
    file: 'assembly/wave/lines.ts',
    find: 'const w = nuttall(z);',
    replace: 'const w = 1.0;',
  },
  {
    title: 'a sine in a plane of another frequency',
    body: hum,
    file: 'assembly/wave/problem.ts',
    find: 'ramp * ramp * Math.sin(2.0 * Math.PI * f * t)',
    replace: 'ramp * ramp * Math.sin(2.0 * Math.PI * 1.01 * f * t)',
  },
  {
    title: 'layers that do not see waves at an angle',
    body: guide,
    file: 'assembly/wave/layer.ts',
    find: 'store(out + p, f64x2.add(f64x2.mul(kept, v128.load(out + p)), push))',
    replace: 'store(out + p, f64x2.mul(kept, v128.load(out + p)))',
  },
  {
    title: 'a slab with the ε of its neighbours in one column',
    body: guide,
    file: 'assembly/wave/problem.ts',
    find: 'load<f64>(epsilonAt + (<usize>i << 3))',
    replace: 'load<f64>(epsilonAt + (<usize>(i == 80 ? 0 : i) << 3))',
  },
  {
    title: 'a loss that is not charged',
    body: lossy,
    file: stencil,
    find: '-(rho * (1.0 - z) - s + held) / divisor',
    replace: '-(rho * (1.0 - z) + s) / divisor',
  },
];

/** Error of the value on the finest grid against the closed form that the verdict finds. */
async function errorOf(body: object): Promise<number> {
  const job = await solved(wave, body);
  return Math.abs(outputOf(job, 'onGrid') - outputOf(job, 'closedForm.value'));
}
/** Twice the cells; with `dt`, half of it too. */
const orderOf = (body: object, N: number, dt?: number) => async (): Promise<[number, number]> => [
  await errorOf({ ...body, N, ...(dt && { dt }) }),
  await errorOf({ ...body, N: 2 * N, ...(dt && { dt: dt / 2 }) }),
];

// ---- formulas ------------------------------------------------------------------------------------------

t.test('the work of a source that is a formula balances on every boundary (SOLV-20)', async (t) => {
  const light = { mode: 'maxwell', Lx: 1, Ly: 1, N: 128, t_end: 4e-9 };
  const current = { type: 'formula', equation: 'exp(-((x - 0.4)^2 + (y - 0.5)^2)/0.02)*sin(1e9*t)^2' };
  for (const body of [
    blown,
    { ...blown, boundary: 'periodic', N: 96 },
    { ...light, epsilonR: 2, sigma: 0.002, source: current, boundary: 'pec' },
    {
      ...light,
      epsilonR: 2,
      source: current,
      boundary: { left: 'pml', right: 'pec', bottom: 'pec', top: 'pml' },
    },
  ]) {
    const job = await solved(wave, body);
    t.ok(gateOf(job, 'energy') <= 1e-12 && gateOf(job, 'source') <= 1e-12, `${gateOf(job, 'energy')}`);
    t.ok(Math.abs(outputOf(job, 'energy.work')) > 0);
  }
});

t.test('a start that is a formula is the array of its values, to the bit', async (t) => {
  const nodes = (f: (x: number) => number) => Array.from({ length: 33 }, (_, i) => f(i / 32));
  const body = { dim: 1, c: 1, Lx: 1, boundary: 'free', N: 32, t_end: 0.4 };
  const asked = { type: 'formula', equation: '3*x^2 - x', rate: '1 - x' };
  const array = { u: nodes((x) => 3 * (x * x) - x), v: nodes((x) => 1 - x) };
  t.same(fieldsOf({ ...body, initial: asked }), fieldsOf({ ...body, initialState: array }));
});

t.test('the time of a source counts from t0, also where a job goes on', async (t) => {
  const body = { ...driven, dt: driven.t_end / 128 };
  const whole = await startJob(wave, inputOf(wave, { ...body, t_end: 2 * body.t_end }));
  const half = await startJob(wave, inputOf(wave, body));
  const then = await goOn(wave, half, { t_end: 2 * body.t_end } as WaveInput);
  t.equal(then.verdict.value, whole.verdict.value);
  t.ok(then.verdict.gates.some(({ name }) => name === 'source'));
  const { u, v } = { u: new Array(65).fill(0), v: new Array(65).fill(0) };
  const late = await solved(wave, {
    ...body,
    source: { type: 'formula', equation: '1000*sin(pi*x)*sin(500*(t - 2))' },
    parameters: undefined,
    initialState: { u, v, t0: 2 },
    t_end: 2 + body.t_end,
  });
  t.ok(Math.abs(late.verdict.value / half.verdict.value - 1) < 1e-9, `${late.verdict.value}`);
});

testSolver(wave, {
  references: [
    {
      title: 'a line source in the open, on long cells',
      body: lineInTheOpen,
      expect: -547.7316597917973,
      tolerance: 1e-3,
      source: '−(μ₀/2π) ∫ I′(t − (r/c) cosh s) ds over 0 … arcosh(ct/r); SciPy quad',
    },
    {
      title: 'a line source in the open, on the usual cells',
      body: {
        ...{ mode: 'maxwell', Lx: 1, Ly: 1, boundary: 'pml', epsilonR: 1, t_end: 1e-8, probe: [0.63, 0.37] },
        source: { type: 'sine', x0: [0.4, 0.4], frequency: 6e8, width: 1e-9 },
      },
      expect: 477.0177869811807,
      tolerance: 1e-3,
      source: 'the same',
    },
    {
      title: 'a bump that leaves, on the usual cells',
      body: {
        ...{ dim: 1, Lx: 0.005025698521286972, c: 882.9581127616792, t_end: 1.8113791879921565e-6 },
        boundary: 'absorbing',
        initial: {
          type: 'formula',
          equation: 'exp(-((x-0.0034359987827516504)/0.0007538547781930458)^2)',
          rate: '175688.63492742355*exp(-((x-0.0034359987827516504)/0.0007538547781930458)^2)',
        },
        probe: [0.0037546718854803494],
      },
      expect: 0.1654146198312229,
      tolerance: 1e-3,
      source: 'characteristics: ½u₀(x − ct) + ½u₀(L) + (1/2c) ∫v₀ between them; erf',
    },
    {
      title: 'a field at rest',
      body: {
        dim: 1,
        c: 100,
        Lx: 1,
        N: 64,
        initial: { type: 'mode', A: 0.01, m: 0 },
        boundary: 'free',
        t_end: 0.0137,
      },
      expect: 0.01,
      tolerance: 1e-12,
      source: 'a constant, without energy',
    },
    {
      title: 'a string driven in its first mode, with units',
      body: driven,
      expect: -0.009931733213883829,
      tolerance: 1e-6,
      source: 'F (sin Wt − (W/ω) sin ωt)/(ω² − W²), ω = 100π/s; mpmath',
    },
    {
      title: 'a string that is pulled and struck, by formulas',
      body: {
        ...string,
        initial: { type: 'formula', equation: '0.01 \\sin(\\pi x)', rate: '3 \\sin(\\pi x)' },
        N: 64,
        t_end: 0.013,
      },
      expect: -0.013603395744932,
      tolerance: 1e-5,
      source: '0.01 cos ωt + (3/ω) sin ωt; mpmath',
    },
    {
      title: 'a membrane under a load that stays',
      body: {
        ...square,
        c: 100,
        boundary: 'fixed',
        N: 64,
        source: { type: 'formula', equation: '2000*sin(pi*x)*sin(pi*y)' },
        t_end: 0.008,
      },
      expect: 0.0194135009313476,
      tolerance: 1e-5,
      source: 'F (1 − cos ωt)/ω², ω = 100π√2/s; mpmath',
    },
    {
      title: 'a cavity driven by a current that is a formula',
      body: {
        mode: 'maxwell',
        Lx: 0.1,
        Ly: 0.1,
        epsilonR: 1,
        boundary: 'pec',
        N: 48,
        t_end: 3e-10,
        source: { type: 'formula', equation: 'J*sin(pi*x/L)*sin(pi*y/L)*sin(W*t)' },
        parameters: {
          J: { value: 1, unit: 'A/m^2' },
          L: { value: 0.1, unit: 'm' },
          W: { value: 1e10, unit: '1/s' },
        },
      },
      expect: 4.86151741900542,
      tolerance: 1e-5,
      source: '(WJ/ε₀)(cos ωt − cos Wt)/(ω² − W²), ω = c π√2/L; mpmath',
    },
    {
      title: 'a current that is there from the start pushes the field at once',
      body: {
        mode: 'maxwell',
        Lx: 0.1,
        Ly: 0.1,
        epsilonR: 1,
        boundary: 'pec',
        N: 48,
        t_end: 3e-10,
        source: { type: 'formula', equation: 'sin(pi*x/0.1)*sin(pi*y/0.1)' },
      },
      expect: 6.39406258042987,
      tolerance: 1e-5,
      source: '−J sin ωt/ε₀ω; mpmath',
    },
    {
      title: 'string plucked at a quarter, t = L/c, three quarters',
      body: { ...string, initial: pluck, N: 100, dt: 0.0001, t_end: 0.01, probe: [0.75] },
      expect: -0.01,
      tolerance: 1e-12,
      source: 'd’Alembert',
    },
    {
      title: 'loudest partial of a string plucked at a quarter, heard at 0.4',
      body: { ...string, initial: pluck, N: 200, t_end: 0.2, quantity: 'frequency', probe: [0.4] },
      expect: 50,
      tolerance: 1e-4,
      source: 'c/2L, Morse & Ingard §4.3',
    },
    {
      title: 'stronger of two partials of a string, heard for twelve periods of it',
      body: { ...string, initial: chord, N: 200, t_end: 0.24, quantity: 'frequency', probe: [0.4] },
      expect: 50,
      tolerance: 1e-5,
      source: 'c/2L, Morse & Ingard §4.3',
    },
    {
      title: 'stronger of two modes of a membrane 2 × 1',
      body: { ...drum, t_end: 0.6 },
      expect: 55.9016994375,
      tolerance: 1e-5,
      source: 'c/2 √(1 + (1/2)²), beside c/2 √(1 + (2/2)²) (Morse & Ingard §5.2)',
    },
    {
      title: 'membrane 2 × 1, mode 2,1',
      body: {
        ...membrane,
        Lx: 2,
        N: [96, 48],
        initial: { type: 'mode', A: 1, m: 2, n: 1 },
        t_end: 0.1,
        quantity: 'frequency',
        probe: [0.5, 0.5],
      },
      expect: 70.71067812,
      tolerance: 1e-5,
      source: 'c/2 √((2/2)² + 1)',
    },
    {
      title: 'free square plate of air, mode 1,0',
      body: {
        c: 340,
        Lx: 1,
        Ly: 1,
        boundary: 'free',
        N: 40,
        initial: { type: 'mode', A: 1, m: 1, n: 0 },
        t_end: 0.02,
        quantity: 'frequency',
        probe: [0.1, 0.5],
      },
      expect: 170,
      tolerance: 1e-5,
      source: 'c/2L, Morse & Ingard §9.5',
    },
    {
      title: 'cavity of 0.1 m filled with ε 4, TM11',
      body: {
        mode: 'maxwell',
        Lx: 0.1,
        Ly: 0.1,
        epsilonR: 4,
        boundary: 'pec',
        N: 40,
        initial: { type: 'mode', A: 1, m: 1, n: 1 },
        t_end: 1e-8,
        quantity: 'frequency',
      },
      expect: 1.0599264e9,
      tolerance: 1e-5,
      source: 'half of that of the empty one, 2.1198528 GHz',
    },
    {
      title: 'interface ε 1 → 4, transmittance',
      body: { ...stack, epsilonR: interface1to4, quantity: 'transmittance' },
      expect: 8 / 9,
      tolerance: 5e-4,
      source: 'Fresnel: 1 − 1/9',
    },
    {
      title: 'a pane of a quarter wave that lets nothing back: √ε₁ε₃ = ε₂',
      body: {
        ...stack,
        N: 1600,
        epsilonR: [
          { L: 0.4, epsilonR: 1 },
          { L: 0.05299614005, epsilonR: 2 },
          { L: 0.54700385995, epsilonR: 4 },
        ],
        quantity: 'transmittance',
      },
      expect: 1,
      tolerance: 1e-3,
      source: 'Born & Wolf §1.6.4: L = λ/4√2 = 0.05299614 m at 1 GHz',
    },
    {
      title: 'a pane of a half wave, ε 4: nothing comes back',
      body: {
        ...stack,
        N: 1600,
        epsilonR: [
          { L: 0.4, epsilonR: 1 },
          { L: 0.0749481145, epsilonR: 4 },
          { L: 0.5250518855, epsilonR: 1 },
        ],
        quantity: 'transmittance',
      },
      expect: 1,
      tolerance: 1e-3,
      source: 'Born & Wolf §1.6.4: L = λ/2√ε = 0.0749481145 m at 1 GHz',
    },
    {
      title: 'a slab in the guide, what comes back',
      body: { ...guide, quantity: 'reflectance' },
      expect: 0.598830745402757,
      tolerance: 1e-3,
      source: 'TE₁ at sin θ = λ/2Ly, Yeh §5.1, by his matrices in Python',
    },
    {
      title: 'a plane wave on a row of cells: normal incidence into another medium',
      body: row,
      expect: 0.180012258033507,
      tolerance: 1e-3,
      source: 'Born & Wolf §1.6.4, eq. 57, evaluated by Yeh’s matrices in Python',
    },
    {
      title: 'the same by a sine that begins at once',
      body: hum,
      expect: 0.180012258033507,
      tolerance: 1e-3,
      source: 'Born & Wolf §1.6.4, eq. 57, evaluated by Yeh’s matrices in Python',
    },
    {
      title: 'a sine through a gap beyond the angle of total reflection',
      body: {
        ...guide,
        N: [80, 40],
        epsilonR: [
          { L: 0.1, epsilonR: 4 },
          { L: 0.02, epsilonR: 1 },
          { L: 0.08, epsilonR: 4 },
        ],
        source: sineOf([0.02, 0.05], 1.2e9),
        frequency: 1.2e9,
      },
      expect: 0.803483758479869,
      tolerance: 1e-3,
      source: 'frustrated total reflection, Yeh’s matrices in Python',
    },
    {
      title: 'a sine past a block on one wall of the guide',
      body: { ...halfFilled, source: sineOf([0.02, 0.05], 2e9) },
      expect: 0.554242,
      tolerance: 1e-3,
      source: 'mode matching in Python: 48 modes 0.5542422, 36 modes 0.5542442',
    },
    {
      title: 'two modes from a line off the middle',
      body: {
        ...guide,
        epsilonR: [
          { L: 0.13, epsilonR: 1 },
          { L: 0.01, epsilonR: 2.25 },
          { L: 0.06, epsilonR: 1 },
        ],
        source: { type: 'pulse', x0: [0.02, 0.03], frequency: 3.8e9, width: 2.5e-9 },
        frequency: 3.8e9,
      },
      expect: 0.737125120967063,
      tolerance: 1e-3,
      source: 'Σ sin²(qy₀)/kₓ T_q over the modes, T_q by Yeh’s matrices in Python',
    },
    {
      title: 'through a gap beyond the angle of total reflection',
      body: {
        ...guide,
        N: [80, 40],
        epsilonR: [
          { L: 0.1, epsilonR: 4 },
          { L: 0.02, epsilonR: 1 },
          { L: 0.08, epsilonR: 4 },
        ],
        source: { type: 'pulse', x0: [0.02, 0.05], frequency: 1.2e9, width: 2e-9 },
        frequency: 1.2e9,
      },
      expect: 0.803483758479869,
      tolerance: 1e-3,
      source: 'frustrated total reflection, Yeh’s matrices in Python',
    },
    {
      title: 'a block on one wall of the guide, which is no stack',
      body: halfFilled,
      expect: 0.554242,
      tolerance: 1e-3,
      source: 'mode matching in Python: 48 modes 0.5542422, 36 modes 0.5542442',
    },
    {
      title: 'the same by a sine',
      body: {
        ...stack,
        source: { ...pulse, type: 'sine', width: 3e-9 },
        epsilonR: interface1to4,
        quantity: 'reflectance',
      },
      expect: 1 / 9,
      tolerance: 1e-3,
      source: 'Fresnel',
    },
    {
      title: 'a sheet of 1 A/m drives half its impedance',
      body: {
        mode: 'maxwell',
        dim: 1,
        Lx: 1,
        epsilonR: 1,
        boundary: 'pml',
        source: { type: 'sine', x0: [0.5], frequency: 2.5e8, width: 5e-9 },
        N: 400,
        t_end: 2.5e-8,
        probe: [0.5],
      },
      expect: -188.365156,
      tolerance: 1e-3,
      source: 'Ez = −½η₀ J at the sheet, η₀ = 376.730313 Ω (Balanis §7.4), J = 1 A/m after 6¼ periods',
    },
    {
      title: 'a bump in the open plane, where it stood',
      body: { ...square, boundary: 'absorbing', initialState: bump(96, 0.5, 0.5, 0.14), N: 96, t_end: 0.35 },
      expect: -0.1154186108,
      tolerance: 1e-3,
      source:
        '½w²∫k e^(−k²w²/4) cos kct dk = 1 − 2z D(z), z = ct/w = 2.5; Dawson’s D by Simpson’s rule in Python, 0.2230837222 (Abramowitz & Stegun, table 7.5)',
    },
  ],
  orders: [
    {
      title: 'a source that is a formula',
      theory: 2,
      errors: async () => {
        const error = async (N: number) =>
          Math.abs(
            outputOf(await solved(wave, { ...driven, N, dt: 0.32 / 100 / N }), 'onGrid') +
              0.009931733213883829,
          );
        return [await error(32), await error(64)];
      },
    },
    { title: 'a mode in a square', theory: 2, errors: orderOf({ ...tone, t_end: 0.0112 }, 32, 2e-4) },
    { title: 'a mode of light', theory: 2, errors: orderOf(cavity, 32, 1e-11) },
    { title: 'reflectance of an interface', theory: 2, errors: orderOf(glass, 800) },
    {
      title: 'transmittance of a slab in a guide',
      theory: 2,
      errors: async () => {
        const { h, '2h': coarser } = (await solved(wave, guide)).presentation.outputs.grids as Record<
          string,
          number
        >;
        return [Math.abs(coarser! - 0.401169254597243), Math.abs(h! - 0.401169254597243)];
      },
    },
  ],
  twins,
});
