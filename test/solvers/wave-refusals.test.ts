import t from 'tap';
import { wave } from '../../src/solvers/wave.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { goOn, startJob } from './continue-job.ts';
import { type Refused, testRefusals } from './refusals.ts';
import { runJob } from './run-job.ts';
import { inputOf, refusalOf, solved } from './solver-test.ts';
import { refusalOfTwin } from './twin-job.ts';

const string = {
  dim: 1,
  c: 100,
  Lx: 1,
  initial: { type: 'mode', A: 0.01, m: 1 },
  boundary: 'fixed',
  t_end: 0.01,
  N: 32,
};
const membrane = { ...string, dim: 2, Ly: 1, initial: { type: 'mode', A: 0.01, m: 1, n: 1 } };
const source = { type: 'pulse', x0: [0.1], frequency: 1e9, width: 1e-9 };
const light = { mode: 'maxwell', dim: 1, Lx: 1, epsilonR: 1, source, boundary: 'pml', t_end: 1e-9, N: 128 };
const without = (body: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const stack = { ...without(light, 't_end'), quantity: 'transmittance', frequency: 1e9 };
const guide = {
  mode: 'maxwell',
  Lx: 0.2,
  Ly: 0.1,
  N: [120, 60],
  epsilonR: [
    { L: 0.13, epsilonR: 1 },
    { L: 0.02, epsilonR: 4 },
    { L: 0.05, epsilonR: 1 },
  ],
  source: { type: 'pulse', x0: [0.02, 0.05], frequency: 2e9, width: 1.7e-9 },
  boundary: { left: 'pml', right: 'pml', bottom: 'pec', top: 'pec' },
  frequency: 2e9,
  quantity: 'transmittance',
};
const still = { u: new Array(33).fill(0), v: new Array(33).fill(0) };
const dark = { Ez: new Array(129).fill(0), Hy: new Array(128).fill(0) };
const loaded = (initialState: object) => ({ ...without(string, 'initial'), initialState });
const lit = (initialState: object) => ({ ...without(light, 'source'), initialState });

const equation = 'F*sin(pi*x/L)*sin(W*t)';
const parameters = {
  F: { value: 1, unit: 'm/s^2' },
  L: { value: 1, unit: 'm' },
  W: { value: 1, unit: '1/s' },
};
const own = { ...without(string, 'initial'), source: { type: 'formula', equation }, parameters };
const shaped = (initial: object, rest: object = {}) => ({
  ...string,
  initial: { type: 'formula', ...initial },
  ...rest,
});

/** Its grids agree by accident within some cells of the probe: 0.52 % off, by leapfrog on 256 and 512 cells of another program. */
const bumpInCorner = {
  ...{ c: 1, Lx: 1, Ly: 1, boundary: 'fixed', t_end: 2.156, probe: [0.672, 0.139], N: 96 },
  initial: {
    type: 'formula',
    equation: '-0.817*sin(pi*x)*sin(pi*y)*exp(-((x-0.809)^2+(y-0.281)^2)/(2*0.136^2))',
  },
};

/** A bump of nine cells of the coarsest grid, whose grids agree at the probe by accident: 0.52 % off at N 48. */
const bumpOfNine = {
  ...{ dim: 1, Lx: 0.005025698521286972, c: 882.9581127616792, t_end: 1.8113791879921565e-6 },
  boundary: { left: 'absorbing', right: 'absorbing' },
  initial: {
    type: 'formula',
    equation: 'exp(-((x-0.0034359987827516504)/0.0007538547781930458)^2)',
    rate: '175688.63492742355*exp(-((x-0.0034359987827516504)/0.0007538547781930458)^2)',
  },
  probe: [0.0037546718854803494],
};

/** The field of a line current is as ln r beside it. */
const cavity = {
  mode: 'maxwell',
  Lx: 0.1,
  Ly: 0.1,
  epsilonR: 1,
  boundary: 'pec',
  source: { type: 'sine', frequency: 1e9, width: 2e-9, x0: [0.05, 0.05] },
  t_end: 5e-9,
};

t.test('a value at a point source is sent as far off as it may be taken', async (t) => {
  const { details } = await refusalOf(wave, cavity);
  const away = Number(/^a probe more than (\S+) m/.exec(String(details.accepts))?.[1]);
  await t.resolves(solved(wave, { ...cavity, probe: [0.05 + 1.01 * away, 0.05] }), 'there it is sealed');
});

t.test('a pulse that its grids do not show is sent to more cells, where it is answered', async (t) => {
  const [w, p, q, t_end, x, y] = [0.0181, 0.4, 0.55, 0.5, 0.3, 0.62];
  const metres = (value: number) => ({ value, unit: 'm' });
  const pulse = {
    ...{ dim: 2, c: 1, Lx: 1, Ly: 1, boundary: 'periodic', t_end, probe: [x, y], N: [64, 64] },
    initial: { type: 'formula', equation: 'A*exp(-((x-p)^2+(y-q)^2)/(2*w^2))' },
    parameters: { A: metres(1), p: metres(p), q: metres(q), w: metres(w) },
  };
  const { details } = await refusalOf(wave, pulse);
  t.match(details, { gate: 'three grids', field: 'N', accepts: 'N = [256, 256]' });
  // The Fourier series of a Gaussian in a periodic square.
  let series = 0;
  for (let m = -80; m <= 80; m++)
    for (let n = -80; n <= 80; n++) {
      const [kx, ky] = [2 * Math.PI * m, 2 * Math.PI * n];
      const part = 2 * Math.PI * w * w * Math.exp((-(kx * kx + ky * ky) * w * w) / 2);
      series += part * Math.cos(Math.hypot(kx, ky) * t_end) * Math.cos(kx * (x - p)) * Math.cos(ky * (y - q));
    }
  const { value } = (await solved(wave, { ...pulse, N: [512, 512] })).verdict;
  t.ok(Math.abs(value / series - 1) < 1e-6, `${value}`);
});

t.test(
  'a kink beside absorbing sides is sent to the cells that hold it against its closed form',
  async (t) => {
    // It has left the box: what is there is 0, and what lags behind is measured by a thousandth of the start.
    const plucked = { ...string, boundary: 'absorbing', initial: { type: 'pluck', A: 0.01, x0: [0.25] } };
    const left = { ...plucked, N: 2048, probe: [0.9], t_end: 0.02 };
    const { details } = await refusalOf(wave, left);
    t.match(details, { gate: 'closed form', field: 'N' });
    const [, cells] = /^N = (\d+)$/.exec(String(details.accepts)) ?? [];
    const { value } = (await solved(wave, { ...left, N: Number(cells) })).verdict;
    t.ok(Math.abs(value) < 1e-3 * 1e-3 * 0.01, `${value}`);
  },
);

t.test('a medium on cells is sent to whole parts of them that carry its shortest wave', async (t) => {
  const halves = (cells: number) => Array.from({ length: cells }, (_, i) => (i < cells / 2 ? 1 : 9));
  const dense = { ...without(light, 'N'), epsilonR: halves(100), t_end: 6e-9 };
  // Of 1 GHz and three deviations of a Gaussian of 1 ns, 2/c of them, at ε_r 9: 296 cells for 20.
  t.match((await refusalOf(wave, dense)).details, {
    measured: Number,
    bound: 20,
    accepts: /^N ≥ 300; as a rule N = 1800 /,
  });
  const { details } = await refusalOf(wave, { ...dense, epsilonR: halves(300) });
  t.match(details, { gate: 'three grids', accepts: 'N = 1200' });
  await t.resolves(solved(wave, { ...dense, epsilonR: halves(600) }));
});

t.test('a start on nodes is sent to one on more of them, and a job to another from its start', async (t) => {
  const places = Array.from({ length: 65 }, (_, i) => i / 64);
  const u = places.map((x) => 0.01 * Math.exp(-(((x - 0.5) / 0.06) ** 2)) * Math.sin(Math.PI * x));
  const narrow = loaded({ u, v: u.map(() => 0) });
  t.match((await refusalOf(wave, { ...narrow, N: undefined, t_end: 0.013 })).details, {
    gate: 'three grids',
    field: 'initialState',
    accepts: /^initialState on the nodes of N = \d+$/,
  });
  const bump = shaped(
    { equation: '0.01*exp(-((x-0.5)/0.12)^2)*sin(pi*x)' },
    { N: 64, t_end: 0.0004, dt: 8e-5 },
  );
  const first = await startJob(wave, inputOf(wave, bump));
  const later = { ...first.first, t_end: 33 * 0.0004 };
  await t.rejects(async () => goOn(wave, first, later), {
    code: 'OUTSIDE_TOLERANCE',
    details: { field: 'initialState.continue', accepts: /^a job from the start with N = \d+/ },
  });
});

t.test('what formulas hold between nodes and steps is sent to the cells that show it', async (t) => {
  const bodies = [
    shaped({ equation: '0.01*sin(pi*x) + 0.01*exp(-((x - 0.3337)/0.002)^2)' }),
    {
      ...own,
      parameters: undefined,
      source: { type: 'formula', equation: 'sin(pi*x)*(1 + exp(-((t - 0.00503)/1e-5)^2))' },
    },
  ];
  for (const body of bodies) {
    const { details } = await refusalOf(wave, body);
    t.equal(details.gate, 'between the points');
    const [, cells] = /^N = (\[.*\]|\d+), or a formula/.exec(String(details.accepts)) ?? [];
    if (!cells) return t.fail(String(details.accepts));
    await t.resolves(solved(wave, { ...body, N: JSON.parse(cells) }), cells);
  }
});

t.test('a frequency that others pull is sent to the time that parts them', async (t) => {
  // Two and a half periods of the stronger partial, 50 Hz: one sinusoid fits them at 50.9 Hz, on every grid.
  const chord = shaped(
    { equation: '0.01*sin(pi*x) + 0.009*sin(2*pi*x)' },
    { t_end: 0.05, quantity: 'frequency', probe: [0.4], N: 128 },
  );
  const { details } = await refusalOf(wave, chord);
  t.equal(details.gate, 'one line');
  const [, t_end] = /^t_end = (\S+) s or later/.exec(String(details.accepts)) ?? [];
  const { value } = (await solved(wave, { ...chord, t_end: Number(t_end) })).verdict;
  t.ok(Math.abs(value / 50 - 1) < 1e-5, `${value}`);
});

t.test('a frequency that is not that of the line is never sealed (HON-16)', async (t) => {
  const chord = { equation: '0.01*sin(pi*x) + 0.009*sin(2*pi*x)' };
  const input = inputOf(wave, shaped(chord, { t_end: 0.24, quantity: 'frequency', probe: [0.4], N: 128 }));
  await t.resolves(runJob(wave, input), 'the whole verdict is sealed');
  const twin = await brokenTwin('assembly/verdicts/wave.ts', {
    file: 'assembly/wave/series.ts',
    find: 'return found > 0.0 ? found : start;',
    replace: 'return 1.002 * (found > 0.0 ? found : start);',
  });
  const refusal = await refusalOfTwin(wave, input, 'wave.verdict', twin);
  t.equal(refusal?.details.gate, 'one line');
});

t.test('lines too close to be parted do not pass for one', async (t) => {
  // A membrane 1 × 1.01: modes 1,2 and 2,1 lie 0.6 % apart, 0.03 periods of their difference in five of theirs.
  const pair = {
    ...{
      c: 100,
      Lx: 1,
      Ly: 1.01,
      boundary: 'fixed',
      N: 64,
      t_end: 0.045,
      quantity: 'frequency',
      probe: [0.3, 0.3],
    },
    initial: {
      type: 'formula',
      equation: '0.01*sin(pi*x)*sin(2*pi*y/1.01) + 0.007*sin(2*pi*x)*sin(pi*y/1.01)',
    },
  };
  const { details } = await refusalOf(wave, pair);
  t.equal(details.gate, 'one line');
});

const refused: readonly Refused[] = [
  { title: 'a value at a point source', body: cavity, code: 'OUTSIDE_TOLERANCE', field: 'probe' },
  {
    title: 'three grids that agree at the probe alone',
    body: { ...bumpOfNine, N: 48 },
    code: 'OUTSIDE_TOLERANCE',
    field: 'N',
  },
  {
    title: 'little that is left beside what layers send back',
    body: {
      ...{ mode: 'maxwell', Lx: 1, Ly: 1, N: 96, dt: 1.6e-11, t_end: 1.2288e-8, probe: [0.4, 0.6] },
      epsilonR: [
        { L: 0.5, epsilonR: 1 },
        { L: 0.5, epsilonR: 1.5 },
      ],
      sigma: 0.001,
      source: { type: 'pulse', x0: [0.3, 0.4], frequency: 1e8, width: 1.5e-9 },
      boundary: { left: 'pml', right: 'pec', bottom: 'pml', top: 'pec' },
    },
    code: 'OUTSIDE_TOLERANCE',
    field: 't_end',
  },
  {
    title: 'three grids that agree around the probe, and not a phase away',
    body: bumpInCorner,
    code: 'OUTSIDE_TOLERANCE',
    field: 'N',
  },
  {
    title: 'a start with a spike between two nodes',
    body: shaped({ equation: '0.01*sin(pi*x) + 0.1*exp(-((x - 0.3337)/0.00003)^2)' }),
    code: 'OUTSIDE_TOLERANCE',
    field: 'initial.equation',
  },
  {
    title: 'a source between two steps',
    body: {
      ...own,
      parameters: undefined,
      source: { type: 'formula', equation: 'sin(pi*x)*(1 + 1e6*exp(-((t - 0.00501)/1e-8)^2))' },
    },
    code: 'OUTSIDE_TOLERANCE',
    field: 'source.equation',
  },
  {
    title: 'a source that is a displacement',
    body: { ...own, parameters: { ...parameters, F: { value: 1, unit: 'm' } } },
    code: 'INVALID_INPUT',
    field: 'source.equation',
  },
  {
    title: 'a current of a string',
    body: { ...own, parameters: { ...parameters, F: { value: 1, unit: 'A/m^2' } } },
    code: 'INVALID_INPUT',
    field: 'source.equation',
  },
  {
    title: 'a source with a letter of nobody',
    body: { ...own, parameters: without(parameters, 'W') },
    code: 'MISSING_INPUT',
    field: 'parameters.W',
  },
  {
    title: 'a time of one’s own',
    body: { ...own, parameters: { ...parameters, t: 1 } },
    code: 'INVALID_INPUT',
    field: 'parameters.t',
  },
  {
    title: 'a source that is an inequality',
    body: { ...own, source: { type: 'formula', equation: 'x > 1' }, parameters: undefined },
    code: 'NON_SCALAR_RESULT',
    field: 'source.equation',
  },
  {
    title: 'a source of y on a line',
    body: { ...own, source: { type: 'formula', equation: 'x*y' }, parameters: undefined },
    code: 'MISSING_INPUT',
    field: 'parameters.y',
  },
  {
    title: 'a source that is no number',
    body: { ...own, source: { type: 'formula', equation: 'sqrt(0.5 - x)' }, parameters: undefined },
    code: 'NON_FINITE',
  },
  {
    title: 'a start of the time',
    body: shaped({ equation: 'x*t' }),
    code: 'MISSING_INPUT',
    field: 'parameters.t',
  },
  { title: 'a formula without any', body: shaped({}), code: 'MISSING_INPUT', field: 'initial.equation' },
  {
    title: 'a rate that is a length',
    body: shaped(
      { rate: 'a*x/L' },
      { parameters: { a: { value: 1, unit: 'm' }, L: { value: 1, unit: 'm' } } },
    ),
    code: 'INVALID_INPUT',
    field: 'initial.rate',
  },
  {
    title: 'numbers by name without a formula',
    body: { ...string, parameters },
    code: 'INVALID_INPUT',
    field: 'parameters',
  },
  {
    title: 'a rate of light',
    body: { ...without(light, 'source'), initial: { type: 'formula', rate: 'x' } },
    code: 'INVALID_INPUT',
    field: 'initial.rate',
  },
  {
    title: 'a field along a conductor',
    body: { ...without(light, 'source'), boundary: 'pec', initial: { type: 'formula', equation: '1 + x' } },
    code: 'INVALID_INPUT',
    field: 'initial.equation',
  },
  {
    title: 'reflectance of a source that is a formula',
    body: { ...stack, source: { type: 'formula', equation: 'x*t' } },
    code: 'INVALID_INPUT',
    field: 'source',
  },
  { title: 'no speed', body: without(string, 'c'), code: 'MISSING_INPUT', field: 'c' },
  { title: 'a speed of zero', body: { ...string, c: 0 }, code: 'INVALID_INPUT', field: 'c' },
  { title: 'a speed whose square is none', body: { ...string, c: 1e300 }, code: 'INVALID_INPUT', field: 'c' },
  { title: 'a speed of light', body: { ...light, c: 3e8 }, code: 'INVALID_INPUT', field: 'c' },
  { title: 'no medium', body: without(light, 'epsilonR'), code: 'MISSING_INPUT', field: 'epsilonR' },
  {
    title: 'a medium of a membrane',
    body: { ...membrane, epsilonR: 2 },
    code: 'INVALID_INPUT',
    field: 'epsilonR',
  },
  { title: 'a source on a string', body: { ...string, source }, code: 'INVALID_INPUT', field: 'source' },
  {
    title: 'layers that do not fill the line',
    body: { ...light, epsilonR: [{ L: 0.5, epsilonR: 2 }] },
    code: 'INVALID_INPUT',
    field: 'epsilonR',
  },
  {
    title: 'cells of another shape',
    body: { ...light, epsilonR: new Array(100).fill(1) },
    code: 'INVALID_INPUT',
    field: 'epsilonR',
  },
  {
    title: 'a cell below the vacuum',
    body: { ...light, epsilonR: new Array(128).fill(0.5) },
    code: 'INVALID_INPUT',
    field: 'epsilonR',
  },
  {
    title: 'a conductivity below zero',
    body: { ...light, sigma: -1 },
    code: 'INVALID_INPUT',
    field: 'sigma',
  },
  { title: 'no second length', body: without(membrane, 'Ly'), code: 'MISSING_INPUT', field: 'Ly' },
  { title: 'no boundary', body: without(string, 'boundary'), code: 'MISSING_INPUT', field: 'boundary' },
  {
    title: 'a conductor at the end of a string',
    body: { ...string, boundary: { left: 'fixed', right: 'pec' } },
    code: 'INVALID_INPUT',
    field: 'boundary.right',
  },
  {
    title: 'a free end of light',
    body: { ...light, boundary: 'free' },
    code: 'INVALID_INPUT',
    field: 'boundary',
  },
  {
    title: 'one periodic side',
    body: { ...string, boundary: { left: 'periodic', right: 'fixed' } },
    code: 'INVALID_INPUT',
    field: 'boundary.right',
  },
  { title: 'no start', body: without(string, 'initial'), code: 'MISSING_INPUT', field: 'initial' },
  {
    title: 'two starts',
    body: { ...string, initialState: still },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'a plucked membrane',
    body: { ...membrane, initial: { type: 'pluck', A: 1, x0: [0.5] } },
    code: 'INVALID_INPUT',
    field: 'initial.type',
  },
  {
    title: 'a string plucked at its end',
    body: { ...string, initial: { type: 'pluck', A: 1, x0: [1] } },
    code: 'INVALID_INPUT',
    field: 'initial.x0',
  },
  {
    title: 'a mode without n',
    body: { ...membrane, initial: { type: 'mode', A: 1, m: 1 } },
    code: 'MISSING_INPUT',
    field: 'initial.n',
  },
  {
    title: 'a state without rates',
    body: loaded({ u: still.u }),
    code: 'MISSING_INPUT',
    field: 'initialState.v',
  },
  {
    title: 'a state of light on a string',
    body: loaded({ ...still, Hy: new Array(32).fill(0) }),
    code: 'INVALID_INPUT',
    field: 'initialState.Hy',
  },
  {
    title: 'a state of another shape',
    body: loaded({ u: still.u, v: [1, 2] }),
    code: 'INVALID_INPUT',
    field: 'initialState.v',
  },
  {
    title: 'a state without its magnetic field',
    body: lit({ Ez: dark.Ez }),
    code: 'MISSING_INPUT',
    field: 'initialState.Hy',
  },
  {
    title: 'a field along a conductor',
    body: { ...lit({ ...dark, Ez: new Array(129).fill(1) }), boundary: 'pec' },
    code: 'INVALID_INPUT',
    field: 'initialState.Ez',
  },
  {
    title: 'a ring whose ends differ',
    body: { ...loaded({ u: [...new Array(32).fill(0), 1], v: still.v }), boundary: 'periodic' },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  { title: 'no end', body: without(string, 't_end'), code: 'MISSING_INPUT', field: 't_end' },
  {
    title: 'an end before the start',
    body: loaded({ ...still, t0: 1 }),
    code: 'INVALID_INPUT',
    field: 't_end',
  },
  {
    title: 'a Courant number above 1 (SOLV-16)',
    body: { ...membrane, dt: 0.0003 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  {
    title: 'a Courant number above 1 on a line',
    body: { ...string, dt: 0.000313 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  {
    title: 'fewer than 20 cells per wave',
    body: { ...string, initial: { type: 'mode', A: 1, m: 4 } },
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
  {
    title: 'a carrier that the grid does not carry',
    body: { ...light, source: { ...source, frequency: 5e9 } },
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
  { title: 'an N that does not halve twice', body: { ...string, N: 18 }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'too many cells', body: { ...membrane, N: 4096 }, code: 'LIMIT_EXCEEDED', field: 'N' },
  { title: 'a tiny step', body: { ...string, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  {
    title: 'a frequency in too many steps',
    body: { ...string, quantity: 'frequency', t_end: 100 },
    code: 'LIMIT_EXCEEDED',
    field: 't_end',
  },
  { title: 'a probe outside', body: { ...string, probe: [2] }, code: 'INVALID_INPUT', field: 'probe.0' },
  {
    title: 'a source outside',
    body: { ...light, source: { ...source, x0: [2] } },
    code: 'INVALID_INPUT',
    field: 'source.x0',
  },
  {
    title: 'a source of one number in a plane',
    body: { ...light, dim: 2, Ly: 1 },
    code: 'INVALID_INPUT',
    field: 'source.x0',
  },
  {
    title: 'the transmittance of a string',
    body: { ...string, quantity: 'transmittance' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  {
    title: 'the transmittance of an open plane',
    body: { ...guide, boundary: 'pml' },
    code: 'INVALID_INPUT',
    field: 'boundary',
  },
  {
    title: 'a guide with one open end',
    body: { ...guide, boundary: { ...guide.boundary, right: 'pec' } },
    code: 'INVALID_INPUT',
    field: 'boundary',
  },
  {
    title: 'light on a ring along x',
    body: { ...guide, boundary: { ...guide.boundary, left: 'periodic', right: 'periodic' } },
    code: 'INVALID_INPUT',
    field: 'boundary.left',
  },
  {
    title: 'power of a sine in a plane at another frequency',
    body: { ...guide, source: { ...guide.source, type: 'sine' }, frequency: 1.9e9 },
    code: 'INVALID_INPUT',
    field: 'frequency',
  },
  {
    title: 'a sine just below where a third mode begins to travel, 4.497 GHz',
    body: {
      ...guide,
      epsilonR: 1,
      source: { ...guide.source, type: 'sine', frequency: 4.48e9 },
      frequency: 4.48e9,
    },
    code: 'INVALID_INPUT',
    field: 'frequency',
  },
  {
    title: 'a guide below its cutoff, 1.499 GHz',
    body: { ...guide, source: { ...guide.source, frequency: 8e8 }, frequency: 8e8 },
    code: 'INVALID_INPUT',
    field: 'frequency',
  },
  {
    title: 'a wave that runs nearly along the edges',
    body: { ...guide, source: { ...guide.source, frequency: 1.55e9, width: 2e-8 }, frequency: 1.55e9 },
    code: 'INVALID_INPUT',
    field: 'frequency',
  },
  {
    title: 'a pulse in which a mode begins to travel',
    body: { ...guide, source: { ...guide.source, width: 1.5e-9 } },
    code: 'INVALID_INPUT',
    field: 'source.width',
  },
  {
    title: 'power at a frequency that the pulse does not have',
    body: { ...guide, frequency: 2.4e9 },
    code: 'INVALID_INPUT',
    field: 'frequency',
  },
  {
    title: 'an obstacle in the near field of the source',
    body: { ...guide, source: { ...guide.source, x0: [0.1, 0.05] } },
    code: 'INVALID_INPUT',
    field: 'source.x0',
  },
  {
    title: 'a source behind the slab',
    body: { ...guide, source: { ...guide.source, x0: [0.17, 0.05] } },
    code: 'INVALID_INPUT',
    field: 'source.x0',
  },
  {
    title: 'a guide that loses power before the obstacle',
    body: { ...guide, epsilonR: 1, sigma: 1e-4 },
    code: 'INVALID_INPUT',
    field: 'sigma',
  },
  {
    title: 'a slab that keeps a mode between the cutoffs, which rings on',
    body: {
      ...guide,
      N: [84, 44],
      epsilonR: [
        { L: 0.13, epsilonR: 1 },
        { L: 0.01, epsilonR: 2.25 },
        { L: 0.06, epsilonR: 1 },
      ],
      source: { type: 'pulse', x0: [0.02, 0.03], frequency: 4e9, width: 2.5e-9 },
      frequency: 4e9,
    },
    code: 'DID_NOT_CONVERGE',
    field: 'source.width',
  },
  {
    title: 'a transmittance at no frequency',
    body: without(stack, 'frequency'),
    code: 'MISSING_INPUT',
    field: 'frequency',
  },
  { title: 'two ends', body: { ...stack, t_end: 1e-8 }, code: 'INVALID_INPUT', field: 't_end' },
  {
    title: 'a frequency without a power',
    body: { ...light, frequency: 1e9 },
    code: 'INVALID_INPUT',
    field: 'frequency',
  },
  {
    title: 'a transmittance between conductors',
    body: { ...stack, boundary: 'pec' },
    code: 'INVALID_INPUT',
    field: 'boundary',
  },
  {
    title: 'a transmittance out of a lossy medium',
    body: { ...stack, sigma: 0.1 },
    code: 'INVALID_INPUT',
    field: 'sigma',
  },
  {
    title: 'a source behind the first layer',
    body: {
      ...stack,
      epsilonR: [
        { L: 0.05, epsilonR: 1 },
        { L: 0.95, epsilonR: 1.1 },
      ],
    },
    code: 'INVALID_INPUT',
    field: 'source.x0',
  },
  {
    title: 'a sine at another frequency',
    body: { ...stack, source: { ...source, type: 'sine' }, frequency: 9e8 },
    code: 'INVALID_INPUT',
    field: 'frequency',
  },
  {
    title: 'a kink that this grid smears',
    body: {
      ...string,
      initial: { type: 'pluck', A: 0.01, x0: [0.25] },
      dt: 0.0002,
      probe: [0.25],
      t_end: 0.02,
    },
    code: 'OUTSIDE_TOLERANCE',
  },
  {
    title: 'the frequency of less than two periods',
    body: {
      ...loaded({ u: still.u.map((_, i) => Math.min(i, 32 - i) * 1e-4), v: still.v }),
      quantity: 'frequency',
      t_end: 0.015,
    },
    code: 'DID_NOT_CONVERGE',
    field: 't_end',
  },
];

t.test(
  'a guide that is refused at its frequency is told one that is taken, and where its source stands',
  async (t) => {
    const beside = { ...guide.source, type: 'sine', x0: [0.1, 0.05] };
    const at = (frequency: number, x: number) => ({
      ...{ ...guide, frequency, source: { ...beside, frequency, x0: [x, 0.05] } },
    });
    const { accepts } = (await refusalOf(wave, at(1.55e9, 0.1))).details as { accepts: string };
    const [, frequency, x] = /such as (\S+) Hz with source.x0 x at most (\S+) m/.exec(accepts) ?? [];
    // Collin, Field Theory of Guided Waves, §6.1: c/2Ly to 3c/2Ly, for the source lies in the node of the second.
    t.ok(Number(frequency) > 1.499e9 && Number(frequency) < 4.497e9, accepts);
    t.doesNotThrow(() =>
      wave.plan(inputOf(wave, at(Number(frequency), 0.999 * Number(x))), { requestHash: new Uint8Array(32) }),
    );
  },
);

testRefusals('wave', refused);
