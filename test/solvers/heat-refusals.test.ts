import { type Refused, testRefusals } from './refusals.ts';

const cold = { type: 'dirichlet', T: 300 };
const rod = {
  dim: 1,
  alpha: 1e-4,
  Lx: 1,
  initial: { type: 'uniform', T: 400 },
  boundary: cold,
  t_end: 100,
  N: 16,
};
const square = { ...rod, dim: 2, Ly: 1 };
const without = (body: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const convective = { type: 'robin', h: 10, Tinf: 300 };

const from = (equation: string, more: object = {}) => ({
  ...rod,
  initial: { type: 'formula', equation },
  ...more,
});

/** A hot spot of a few of its 17 nodes. */
const spot = Array.from({ length: 17 }, (_, i) => 300 + 400 * Math.exp(-(((i - 6.5) / 1.2) ** 2)));

const refused: readonly Refused[] = [
  {
    title: 'a start on too few nodes for what it has',
    body: { ...without(rod, 'initial', 'N'), initialState: { T: spot } },
    code: 'OUTSIDE_TOLERANCE',
    field: 'initialState',
  },
  {
    title: 'three grids that agree at the probe alone', // 0.15 % off, an order of 1.98 by accident
    body: {
      ...{ dim: 1, k: 42.23981594462411, rho: 1000, cp: 1000, Lx: 0.009289685629122451, N: 24 },
      initial: { type: 'uniform', T: 314.5573131740093 },
      boundary: {
        left: { type: 'dirichlet', T: 365.05532034207135 },
        right: { type: 'flux', q: 167480.92727227698 },
      },
      s: '77.40863111313313*sin(6.807053055666316*t)*x/0.009289685629122451',
      ...{ t_end: 0.0077529962838950904, probe: [0.0011087830813358397] },
    },
    code: 'OUTSIDE_TOLERANCE',
    field: 'N',
  },
  {
    title: 'a start that is the same on every node and waves between them',
    body: from('100 + 100*cos(32*pi*x)', { boundary: { type: 'flux', q: 0 } }),
    code: 'OUTSIDE_TOLERANCE',
    field: 'initial.equation',
  },
  {
    title: 'a source between two nodes',
    body: { ...rod, s: '1000*exp(-((x - 0.3337)/0.0003)^2)' },
    code: 'OUTSIDE_TOLERANCE',
    field: 's',
  },
  {
    title: 'a source between two steps',
    body: { ...rod, s: '0.01 + 1000*exp(-((t - 33.3371)/0.003)^2)' },
    code: 'OUTSIDE_TOLERANCE',
    field: 's',
  },
  {
    title: 'a start with a letter that nobody gave',
    body: from('300 + A*x'),
    code: 'MISSING_INPUT',
    field: 'parameters.A',
  },
  {
    title: 'a start that is no temperature',
    body: from('A*x', { parameters: { A: { value: 1, unit: 'K' } } }),
    code: 'INVALID_INPUT',
    field: 'initial.equation',
  },
  {
    title: 'a source that is no rate of temperature',
    body: { ...rod, s: 'q*x/x', parameters: { q: { value: 1, unit: 'W/m^3' } } },
    code: 'INVALID_INPUT',
    field: 's',
  },
  {
    title: 'a source that is a relation',
    body: { ...rod, s: 'x > 1' },
    code: 'NON_SCALAR_RESULT',
    field: 's',
  },
  {
    title: 'a source with brackets a thousand deep',
    body: { ...rod, s: `${'('.repeat(900)}x${')'.repeat(900)}` },
    code: 'INVALID_INPUT',
    field: 's',
  },
  {
    title: 'a steady source of the time',
    body: {
      ...without(rod, 'initial', 't_end'),
      s: '0.01*t',
      steady: true,
    },
    code: 'MISSING_INPUT',
    field: 'parameters.t',
  },
  {
    title: 'numbers by name without a formula',
    body: { ...rod, parameters: { A: 1 } },
    code: 'INVALID_INPUT',
    field: 'parameters',
  },
  {
    title: 'a number that no formula names',
    body: from('300 + x', { parameters: { B: 1 } }),
    code: 'INVALID_INPUT',
    field: 'parameters.B',
  },
  { title: 'y on a line', body: from('300 + y'), code: 'MISSING_INPUT', field: 'parameters.y' },
  { title: 'a start below nothing', body: from('x - 1'), code: 'INVALID_INPUT' },
  { title: 'a start without a value', body: from('300 + ln(x)'), code: 'NON_FINITE' },
  { title: 'no diffusivity', body: without(rod, 'alpha'), code: 'MISSING_INPUT', field: 'alpha' },
  {
    title: 'half a material',
    body: { ...without(rod, 'alpha'), k: 1, rho: 1 },
    code: 'MISSING_INPUT',
    field: 'cp',
  },
  {
    title: 'two diffusivities',
    body: { ...rod, k: 1, rho: 1, cp: 1 },
    code: 'INVALID_INPUT',
    field: 'alpha',
  },
  {
    title: 'convection without k',
    body: { ...rod, boundary: { left: cold, right: convective } },
    code: 'MISSING_INPUT',
    field: 'k',
  },
  { title: 'no second length', body: without(square, 'Ly'), code: 'MISSING_INPUT', field: 'Ly' },
  { title: 'a second length in one dimension', body: { ...rod, Ly: 1 }, code: 'INVALID_INPUT', field: 'Ly' },
  { title: 'no boundary', body: without(rod, 'boundary'), code: 'MISSING_INPUT', field: 'boundary' },
  {
    title: 'half a boundary',
    body: { ...square, boundary: { left: cold, right: cold } },
    code: 'MISSING_INPUT',
    field: 'boundary.bottom',
  },
  {
    title: 'a top in one dimension',
    body: { ...rod, boundary: { left: cold, right: cold, top: cold } },
    code: 'INVALID_INPUT',
    field: 'boundary.top',
  },
  {
    title: 'one periodic side',
    body: { ...rod, boundary: { left: 'periodic', right: cold } },
    code: 'INVALID_INPUT',
    field: 'boundary.right',
  },
  {
    title: 'a wall below 0 K',
    body: { ...rod, boundary: { type: 'dirichlet', T: -1 } },
    code: 'INVALID_INPUT',
  },
  { title: 'a diffusivity of zero', body: { ...rod, alpha: 0 }, code: 'INVALID_INPUT', field: 'alpha' },
  { title: 'no start', body: without(rod, 'initial'), code: 'MISSING_INPUT', field: 'initial' },
  {
    title: 'two starts',
    body: { ...rod, initialState: { T: new Array(17).fill(300) } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'a start of another shape',
    body: { ...without(rod, 'initial'), initialState: { T: [1, 2, 3] } },
    code: 'INVALID_INPUT',
    field: 'initialState.T',
  },
  {
    title: 'a start below 0 K',
    body: { ...without(rod, 'initial'), initialState: { T: new Array(17).fill(-1) } },
    code: 'INVALID_INPUT',
    field: 'initialState.T',
  },
  {
    title: 'a mode without n',
    body: { ...square, initial: { type: 'mode', A: 1, m: 1 } },
    code: 'MISSING_INPUT',
    field: 'initial.n',
  },
  { title: 'no end', body: without(rod, 't_end'), code: 'MISSING_INPUT', field: 't_end' },
  { title: 'two ends', body: { ...rod, steady: true }, code: 'INVALID_INPUT', field: 'steady' },
  {
    title: 'a steady state with a start',
    body: { ...without(rod, 't_end'), steady: true },
    code: 'INVALID_INPUT',
    field: 'initial',
  },
  {
    title: 'a steady state that nothing holds',
    body: { ...without(rod, 't_end', 'initial'), steady: true, boundary: { type: 'flux', q: 0 } },
    code: 'INVALID_INPUT',
    field: 'boundary',
  },
  {
    title: 'an end before the start',
    body: { ...without(rod, 'initial'), initialState: { T: new Array(17).fill(1), t0: 200 } },
    code: 'INVALID_INPUT',
    field: 't_end',
  },
  {
    title: 'an explicit step above the limit',
    body: { ...rod, N: 64, scheme: 'explicit', dt: 2 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  { title: 'an N that does not halve twice', body: { ...rod, N: 18 }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'too many cells', body: { ...square, N: 4096 }, code: 'LIMIT_EXCEEDED', field: 'N' },
  { title: 'a tiny step', body: { ...rod, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  { title: 'a probe outside', body: { ...rod, probe: [2] }, code: 'INVALID_INPUT', field: 'probe.0' },
  {
    title: 'a mode that this grid does not resolve',
    body: { ...rod, initial: { type: 'mode', A: 50, T: 300, m: 7 }, probe: [1 / 14], t_end: 30 },
    code: 'OUTSIDE_TOLERANCE',
  },
  {
    title: 'a source of another shape',
    body: { ...rod, s: [1, 2] },
    code: 'INVALID_INPUT',
    field: 's',
  },
  {
    title: 'a ring whose ends differ',
    body: {
      ...without(rod, 'initial'),
      boundary: 'periodic',
      initialState: { T: [...new Array(16).fill(300), 301] },
    },
    code: 'INVALID_INPUT',
    field: 'initialState.T',
  },
];

testRefusals('heat', refused);
