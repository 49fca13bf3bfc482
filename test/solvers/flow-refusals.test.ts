import { type Refused, testRefusals } from './refusals.ts';

const cavity = {
  case: 'cavity',
  nu: 0.01,
  Lx: 1,
  Ly: 1,
  U: 1,
  lidProfile: 'uniform',
  N: 32,
  quantity: 'uMin',
};
const vortices = { case: 'taylor-green', nu: 0.1, Lx: 1, Ly: 1, U: 1, t_end: 0.1, N: 32, quantity: 'u' };
const channel = { case: 'channel', mu: 1e-3, rho: 1000, Ly: 0.01, G: 0.8, steady: true, quantity: 'u' };
const couette = {
  case: 'custom',
  nu: 0.1,
  Lx: 1,
  Ly: 1,
  boundary: { left: 'periodic', right: 'periodic', bottom: 'wall', top: { type: 'wall', u: 1 } },
  initialState: { u: 0, v: 0 },
  t_end: 0.1,
  N: 32,
  quantity: 'u',
};
/** At 40 m/s along x, on 32 cells each way. */
const flowing = (u: number) => ({
  u: Array.from({ length: 32 }, () => new Array<number>(33).fill(u)),
  v: Array.from({ length: 33 }, () => new Array<number>(32).fill(0)),
});
const without = (body: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const walls = { left: 'wall', right: 'wall', bottom: 'wall', top: 'wall' };

const refused: readonly Refused[] = [
  { title: 'no case', body: without(cavity, 'case'), code: 'MISSING_INPUT', field: 'case' },
  { title: 'no viscosity', body: without(cavity, 'nu'), code: 'MISSING_INPUT', field: 'nu' },
  { title: 'two viscosities', body: { ...cavity, mu: 1, rho: 1 }, code: 'INVALID_INPUT', field: 'mu' },
  { title: 'a dynamic viscosity alone', body: without(channel, 'rho'), code: 'MISSING_INPUT', field: 'rho' },
  { title: 'no lid', body: without(cavity, 'lidProfile'), code: 'MISSING_INPUT', field: 'lidProfile' },
  { title: 'no speed', body: without(cavity, 'U'), code: 'MISSING_INPUT', field: 'U' },
  { title: 'no quantity', body: without(cavity, 'quantity'), code: 'MISSING_INPUT', field: 'quantity' },
  { title: 'a speed of zero', body: { ...cavity, U: 0 }, code: 'INVALID_INPUT', field: 'U' },
  { title: 'an unknown field', body: { ...cavity, Re: 100 }, code: 'INVALID_INPUT', field: 'Re' },
  { title: 'a field of another case', body: { ...cavity, G: 1 }, code: 'INVALID_INPUT', field: 'G' },
  { title: 'a cavity to a time', body: { ...cavity, t_end: 1 }, code: 'INVALID_INPUT', field: 't_end' },
  { title: 'a cavity above Re 3200', body: { ...cavity, nu: 1e-4 }, code: 'LIMIT_EXCEEDED', field: 'nu' },
  { title: 'cells above Re 8', body: { ...cavity, nu: 1e-3 }, code: 'STABILITY_LIMIT', field: 'N' },
  {
    title: 'a ratio of energies from rest',
    body: { ...couette, quantity: 'kineticEnergyRatio' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  {
    title: 'cells that cannot be halved',
    body: { ...cavity, N: 4 * 131 },
    code: 'INVALID_INPUT',
    field: 'N',
  },
  {
    title: 'arrays on cells above Re 8',
    body: { ...couette, N: undefined, initialState: flowing(40) },
    code: 'STABILITY_LIMIT',
    field: 'initialState',
  },
  { title: 'too many cells', body: { ...vortices, N: 40_000 }, code: 'LIMIT_EXCEEDED', field: 'N' },
  { title: 'cells that do not halve twice', body: { ...vortices, N: 34 }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'three numbers of cells', body: { ...channel, N: [32, 32] }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'an amplitude of nothing', body: without(vortices, 'U'), code: 'MISSING_INPUT', field: 'U' },
  {
    title: 'two starts',
    body: { ...vortices, initialState: { u: 0, v: 0 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half a start',
    body: { ...couette, initialState: { u: 0 } },
    code: 'MISSING_INPUT',
    field: 'initialState.v',
  },
  {
    title: 'a start of another shape',
    body: { ...couette, initialState: { u: [[0, 0]], v: 0 } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  {
    title: 'an end before the start',
    body: { ...couette, initialState: { u: 0, v: 0, t0: 1 } },
    code: 'INVALID_INPUT',
    field: 't_end',
  },
  { title: 'no start', body: without(couette, 'initialState'), code: 'MISSING_INPUT', field: 'initialState' },
  { title: 'no sides', body: without(couette, 'boundary'), code: 'MISSING_INPUT', field: 'boundary' },
  {
    title: 'three sides',
    body: { ...couette, boundary: without(walls, 'top') },
    code: 'MISSING_INPUT',
  },
  {
    title: 'half a ring',
    body: { ...couette, boundary: { ...walls, left: 'periodic' } },
    code: 'INVALID_INPUT',
    field: 'boundary.right',
  },
  {
    title: 'a wall that lets something through',
    body: { ...couette, boundary: { ...walls, left: { type: 'wall', u: 1 } } },
    code: 'INVALID_INPUT',
    field: 'boundary.left.u',
  },
  {
    title: 'an inflow without velocity',
    body: { ...couette, boundary: { ...walls, left: 'inflow', right: 'outflow' } },
    code: 'MISSING_INPUT',
    field: 'boundary.left.u',
  },
  {
    title: 'an inflow without a way out',
    body: { ...couette, boundary: { ...walls, left: { type: 'inflow', u: 1 } } },
    code: 'INVALID_INPUT',
    field: 'boundary',
  },
  {
    title: 'an outflow with a velocity',
    body: { ...couette, boundary: { ...walls, right: { type: 'outflow', u: 1 } } },
    code: 'INVALID_INPUT',
    field: 'boundary.right.u',
  },
  {
    title: 'velocities of another number than cells',
    body: { ...couette, boundary: { ...walls, left: { type: 'inflow', u: [1, 1] }, right: 'outflow' } },
    code: 'INVALID_INPUT',
    field: 'boundary.left.u',
  },
  {
    title: 'a step beyond the viscous limit',
    body: { ...couette, dt: 0.01 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  {
    title: 'a step beyond the Courant limit',
    body: { ...vortices, nu: 0.01, U: 2, dt: 0.02 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  { title: 'a run too long', body: { ...couette, t_end: 1e9 }, code: 'LIMIT_EXCEEDED', field: 't_end' },
  { title: 'a step too small', body: { ...couette, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 't_end' },
  {
    title: 'a probe outside',
    body: { ...couette, probe: [2, 0.5] },
    code: 'INVALID_INPUT',
    field: 'probe.0',
  },
  {
    title: 'a probe of a duct in a plane',
    body: { ...couette, probe: [0, 0, 0] },
    code: 'INVALID_INPUT',
    field: 'probe',
  },
  {
    title: 'a probe of an extreme',
    body: { ...cavity, probe: [0, 0] },
    code: 'INVALID_INPUT',
    field: 'probe',
  },
  {
    title: 'a pressure without density',
    body: { ...vortices, quantity: 'p' },
    code: 'MISSING_INPUT',
    field: 'rho',
  },
  {
    title: 'a ratio of energies of what is steady',
    body: { ...cavity, quantity: 'kineticEnergyRatio' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  {
    title: 'a steady channel with a start',
    body: { ...channel, initialState: { u: 0.01 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'a channel that moves across',
    body: { ...without(channel, 'steady'), t_end: 1, initialState: { u: 0.01, v: 0 } },
    code: 'INVALID_INPUT',
    field: 'initialState.v',
  },
  {
    title: 'the start of a duct in one row',
    body: { ...without(channel, 'steady'), case: 'duct', Lz: 0.01, t_end: 1, initialState: { u: [1, 2, 3] } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  {
    title: 'a channel without an end',
    body: without(channel, 'steady'),
    code: 'MISSING_INPUT',
    field: 't_end',
  },
  {
    title: 'a channel with two ends',
    body: { ...channel, t_end: 1 },
    code: 'INVALID_INPUT',
    field: 'steady',
  },
  {
    title: 'a channel that turns',
    body: { ...channel, quantity: 'v' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  { title: 'a duct of one width', body: { ...channel, case: 'duct' }, code: 'MISSING_INPUT', field: 'Lz' },
  {
    title: 'a channel’s step beyond its limit',
    body: { ...without(channel, 'steady'), t_end: 10, dt: 1 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  {
    title: 'a grid that does not resolve the flow',
    body: { ...cavity, nu: 4e-3 },
    code: 'OUTSIDE_TOLERANCE',
  },
];

testRefusals('flow', refused);
