import { type Refused, testRefusals } from './refusals.ts';

const well = {
  mode: 'eigen1d',
  units: 'reduced',
  mass: 1,
  potential: { type: 'harmonic', omega: 1 },
  domain: [-8, 8],
  N: 128,
  n: 0,
};
const { mass: _, ...withoutMass } = well;
const { domain: __, ...withoutDomain } = well;
const { n: ___, ...withoutLevel } = well;
const packet = { type: 'gaussian', x0: [0], sigma: 1, k0: [0] };
const free = {
  mode: 'evolve',
  units: 'reduced',
  mass: 1,
  potential: { type: 'free' },
  domain: [-32, 32],
  N: 128,
  initial: packet,
  t_max: 1,
  dt: 0.01,
  quantity: 'width',
};
const { initial: ____, ...withoutStart } = free;
const plane = {
  mode: 'eigen2d',
  units: 'reduced',
  mass: 1,
  potential: { type: 'harmonic', omega: 1 },
  domain: [
    [-6, 6],
    [-6, 6],
  ],
  N: 24,
  n: 0,
};
const barrier = {
  mode: 'transmission',
  units: 'reduced',
  mass: 1,
  potential: { type: 'barrier', V0: 2, L: 1 },
  E: 1,
};
const levelled = (potential: object, more: object = {}) => ({ ...well, potential, ...more });

const formula = (equation: string, parameters?: object) => ({
  ...{ mode: 'eigen1d', mass: 9.1e-31, domain: [-1e-9, 1e-9], N: 128, n: 0 },
  potential: { type: 'formula', equation, ...(parameters && { parameters }) },
});

/** Sent against a barrier. */
const sent = {
  ...free,
  ...{ potential: { type: 'barrier', V0: 1, L: 1 }, domain: [-48, 48], t_max: 8, N: 1024, dt: 0.01 },
  initial: { type: 'gaussian', x0: [-11], sigma: 1.5, k0: [1.5] },
};

/** Sent against a wall that rises within a third, between nodes that see it; and over a well that lies between two. */
const wall = {
  ...free,
  ...{
    potential: { type: 'morse', De: 1, a: 3, re: 0 },
    domain: [-2, 100],
    t_max: 14,
    N: 1024,
    dt: undefined,
  },
  ...{ initial: { type: 'gaussian', x0: [20], sigma: 2, k0: [-2] }, quantity: 'mean' },
};
const needle = {
  ...free,
  ...{ potential: { type: 'poschl-teller', a: 200, lambda: 1e-4 }, domain: [-60, 60], t_max: 2, N: 1024 },
  ...{ initial: { type: 'gaussian', x0: [-4], sigma: 1, k0: [2] }, quantity: 'mean' },
};

const refused: readonly Refused[] = [
  {
    title: 'a well narrower than a cell',
    body: needle,
    code: 'STABILITY_LIMIT',
    field: 'N',
    says: /nodes lie 23/,
  },
  {
    title: 'steps that make waves at a steep wall',
    body: { ...wall, dt: 0.014 },
    code: 'INVALID_INPUT',
    field: 'dt',
    says: /waves of their own/,
  },
  {
    title: 'a packet so far within a wall that V there is beyond all numbers',
    body: {
      ...free,
      potential: { type: 'morse', De: 12.5, a: 1, re: 0 },
      initial: { type: 'gaussian', x0: [30], sigma: 50, k0: [0] },
      domain: [-20, 100],
      N: 1024,
      quantity: 'mean',
    },
    code: 'INVALID_INPUT',
    field: 'initial.x0',
  },
  {
    title: 'nodes that do not see ψ fall before a steep wall',
    body: { ...wall, N: 512 },
    code: 'INVALID_INPUT',
    field: 'N',
    says: /not seen to fall/,
  },
  {
    title: 'a barrier that two grids see otherwise',
    body: { ...sent, dt: undefined, quantity: 'mean' },
    code: 'OUTSIDE_TOLERANCE',
    field: 'N',
    says: /accepted for N: N = 4096/,
  },
  {
    title: 'steps that make waves where V jumps',
    body: { ...sent, N: 4096, dt: 0.02 },
    code: 'INVALID_INPUT',
    field: 'dt',
    says: /waves of their own/,
  },
  {
    title: 'a potential with a needle between two nodes',
    body: levelled({ type: 'formula', equation: 'x^2/2 + 1000*exp(-((x - 0.3337)/0.0002)^2)' }),
    code: 'OUTSIDE_TOLERANCE',
    field: 'potential.equation',
  },
  {
    title: 'a formula without its text',
    body: levelled({ type: 'formula' }),
    code: 'MISSING_INPUT',
    field: 'potential.equation',
  },
  {
    title: 'a letter of the formula that nobody gave',
    body: formula('k*x^2/2'),
    code: 'MISSING_INPUT',
    field: 'potential.parameters.k',
  },
  {
    title: 'a formula that is no energy',
    body: formula('k*x^2/2', { k: { value: 1, unit: 'N' } }),
    code: 'INVALID_INPUT',
    field: 'potential.equation',
  },
  {
    title: 'an exponential of a length',
    body: formula('D*exp(x)', { D: { value: 1, unit: 'eV' } }),
    code: 'INVALID_INPUT',
    field: 'potential.equation',
  },
  {
    title: 'a formula that is an inequality',
    body: formula('x > 0'),
    code: 'NON_SCALAR_RESULT',
    field: 'potential.equation',
  },
  {
    title: 'a formula with brackets a thousand deep',
    body: formula(`${'('.repeat(900)}x${')'.repeat(900)}`),
    code: 'INVALID_INPUT',
    field: 'potential.equation',
  },
  {
    title: 'a formula of more than 2000 characters',
    body: formula(`${'1+'.repeat(1500)}x`),
    code: 'INVALID_INPUT',
    field: 'potential.equation',
  },
  {
    title: 'a number that the formula does not name',
    body: formula('V0*x/x', { V0: { value: 1, unit: 'J' }, W: 2 }),
    code: 'INVALID_INPUT',
    field: 'potential.parameters.W',
  },
  {
    title: 'a number for what the formula is of',
    body: formula('V0*x/x', { V0: { value: 1, unit: 'J' }, x: 2 }),
    code: 'INVALID_INPUT',
    field: 'potential.parameters.x',
  },
  {
    title: 'numbers by name for a potential that has none',
    body: levelled({ type: 'harmonic', omega: 1e15, parameters: { k: 1 } }),
    code: 'INVALID_INPUT',
    field: 'potential.parameters',
  },
  {
    title: 'a formula that has no value on the grid',
    body: formula('V0*ln(x/L)', { V0: { value: 1, unit: 'eV' }, L: { value: 1, unit: 'nm' } }),
    code: 'NON_FINITE',
  },
  {
    title: 'a frequency in rad/s of reduced units',
    body: levelled({ type: 'harmonic', omega: { value: 1, unit: 'rad/s' } }),
    code: 'INVALID_INPUT',
    field: 'potential.omega.unit',
  },
  {
    title: 'a height in electronvolts of reduced units',
    body: { ...barrier, potential: { type: 'barrier', V0: { value: 2, unit: 'eV' }, L: 1 } },
    code: 'INVALID_INPUT',
    field: 'potential.V0.unit',
  },
  {
    title: 'an end in femtoseconds of reduced units',
    body: { ...free, t_max: { value: 1, unit: 'fs' } },
    code: 'INVALID_INPUT',
    field: 't_max.unit',
  },
  { title: 'no mass', body: withoutMass, code: 'MISSING_INPUT', field: 'mass' },
  { title: 'no domain', body: withoutDomain, code: 'MISSING_INPUT', field: 'domain' },
  { title: 'no level', body: withoutLevel, code: 'MISSING_INPUT', field: 'n' },
  {
    title: 'a well without its frequency',
    body: levelled({ type: 'harmonic' }),
    code: 'MISSING_INPUT',
    field: 'potential.omega',
  },
  {
    title: 'a field of another potential',
    body: levelled({ type: 'harmonic', omega: 1, L: 1 }),
    code: 'INVALID_INPUT',
    field: 'potential.L',
  },
  { title: 'a field of another mode', body: { ...well, E: 1 }, code: 'INVALID_INPUT', field: 'E' },
  {
    title: 'levels of a free particle',
    body: levelled({ type: 'free' }),
    code: 'UNSUPPORTED',
    field: 'potential.type',
  },
  {
    title: 'a domain for an infinite well',
    body: levelled({ type: 'infinite-well', L: 1 }),
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  {
    title: 'a domain turned round',
    body: { ...well, domain: [8, -8] },
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  {
    title: 'a negative radius',
    body: { ...well, mode: 'radial', l: 0 },
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  { title: 'two axes on a line', body: { ...well, N: [64, 64] }, code: 'INVALID_INPUT', field: 'N' },
  {
    title: 'exponents of two axes on a line',
    body: levelled({ type: 'polynomial', terms: [{ c: 1, powers: [2, 2] }] }),
    code: 'INVALID_INPUT',
    field: 'potential.terms.0.powers',
  },
  {
    title: 'a table out of order',
    body: levelled({ type: 'table', x: [-9, 0, 0, 9], V: [1, 0, 0, 1] }),
    code: 'INVALID_INPUT',
    field: 'potential.x',
  },
  {
    title: 'a table that is too short',
    body: levelled({ type: 'table', x: [-9, 0, 9], V: [1, 0] }),
    code: 'INVALID_INPUT',
  },
  {
    title: 'a domain beyond the table',
    body: levelled({ type: 'table', x: [-1, 0, 1], V: [1, 0, 1] }),
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  {
    title: 'a DVR that is too large',
    body: { ...well, scheme: 'dvr', N: 4096 },
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  { title: 'more levels than the grid has', body: { ...well, n: 100 }, code: 'LIMIT_EXCEEDED', field: 'n' },
  {
    title: 'a level that is not bound',
    body: levelled({ type: 'poschl-teller', a: 1, lambda: 2 }, { domain: [-20, 20], N: 512, n: 3 }),
    code: 'INVALID_INPUT',
    field: 'n',
  },
  {
    title: 'a domain that cuts the state',
    body: { ...well, domain: [-3, 3] },
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  {
    title: 'a wall on one side of a Morse well',
    body: levelled({ type: 'morse', De: 10, a: 1, re: 3 }, { domain: [2, 10] }),
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  {
    title: 'a wall within the reach of the second level of a Lennard-Jones well',
    body: levelled({ type: 'formula', equation: '200*(x^-12 - x^-6)' }, { domain: [0.7, 2.2], N: 512, n: 1 }),
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  {
    title: 'a grid too coarse for its waves',
    body: { ...well, domain: [-20, 20], N: 32, n: 10 },
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
  {
    title: 'Numerov in the plane',
    body: { ...plane, scheme: 'numerov' },
    code: 'UNSUPPORTED',
    field: 'scheme',
  },
  {
    title: 'a line in the plane',
    body: { ...plane, domain: [-6, 6] },
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  {
    title: 'a plane that is too fine',
    body: { ...plane, N: [256, 256] },
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  { title: 'a level too high in the plane', body: { ...plane, n: 31 }, code: 'LIMIT_EXCEEDED', field: 'n' },
  {
    title: 'a state cut in the plane',
    body: {
      ...plane,
      domain: [
        [-2, 2],
        [-6, 6],
      ],
    },
    code: 'INVALID_INPUT',
    field: 'domain',
  },
  { title: 'a grid that is no power of two', body: { ...free, N: 100 }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'no start', body: withoutStart, code: 'MISSING_INPUT', field: 'initial' },
  {
    title: 'two starts',
    body: { ...free, initialState: { psiRe: [1], psiIm: [0] } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half a start',
    body: { ...withoutStart, initialState: { psiRe: [1] } },
    code: 'INVALID_INPUT',
    field: 'initialState.psiRe',
  },
  {
    title: 'a packet in the plane on a line',
    body: { ...free, initial: { ...packet, x0: [0, 0] } },
    code: 'INVALID_INPUT',
    field: 'initial.x0',
  },
  {
    title: 'a packet at the edge',
    body: { ...free, initial: { ...packet, x0: [30] } },
    code: 'INVALID_INPUT',
    field: 'domain',
    says: /the packet comes to its edge.*accepted: domain = \[-32,39\] with N = 128/,
  },
  {
    title: 'a packet over the sides of a well, whose tail of fast waves no domain holds',
    body: {
      ...free,
      ...{ potential: { type: 'finite-well', V0: 1, L: 2 }, domain: [-60, 60], N: 1024, dt: undefined },
      ...{ initial: { type: 'gaussian', x0: [-0.5], sigma: 1.5, k0: [2] }, t_max: 5 },
    },
    code: 'INVALID_INPUT',
    field: 'initial',
    says: /over a jump of V.*at least 11.7 from the jumps/,
  },
  {
    title: 'a packet faster than the grid',
    body: { ...free, initial: { ...packet, k0: [2.5] } },
    code: 'STABILITY_LIMIT',
    field: 'N',
    says: /N = 256/,
  },
  {
    title: 'a packet in a domain that begins far within a wall',
    body: { ...wall, domain: [-40, 100] },
    code: 'INVALID_INPUT',
    field: 'domain',
    says: /it begins 120 times 1.a within the wall/,
  },
  { title: 'a tiny step', body: { ...free, dt: 1e-12 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  {
    title: 'steps too coarse for their oscillator',
    body: {
      ...free,
      potential: { type: 'harmonic', omega: 1 },
      initial: { ...packet, x0: [2] },
      domain: [-16, 16],
      t_max: 32,
      dt: 0.25,
    },
    code: 'ENERGY_NOT_CONSERVED',
  },
  { title: 'no energy', body: { ...barrier, E: 0 }, code: 'INVALID_INPUT', field: 'E' },
  {
    title: 'a particle below the floor outside a well',
    body: { ...barrier, potential: { type: 'finite-well', V0: 2, L: 1 } },
    code: 'INVALID_INPUT',
    field: 'E',
  },
  {
    title: 'a passage that is too coarse',
    body: { ...barrier, E: 5000, N: 16 },
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
];

testRefusals('schrodinger', refused);
