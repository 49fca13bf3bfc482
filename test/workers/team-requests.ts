// Requests whose runs several threads can share, by the kernel that has the twin; small ones that still have many blocks.

/** Bodies on a few shells, without a function of anybody's mathematics. */
function cluster(bodies: number, more: Record<string, unknown>): Record<string, unknown> {
  const spread = (i: number, prime: number) => ((i * prime) % 1009) / 1009 - 0.5 + i / 2 ** 20;
  const points = (primes: readonly number[], size: number) =>
    Array.from({ length: bodies }, (_, i) => primes.map((prime) => size * spread(i + 1, prime)));
  return {
    position: points([337, 523, 719], 2),
    velocity: points([211, 97, 641], 0.5),
    mass: Array.from({ length: bodies }, (_, i) => (1 + (i % 7)) / (4 * bodies)),
    referenceMode: 'gravity',
    G: 1,
    softening: 0.05,
    ...more,
  };
}

/** 129 rows of nodes in blocks of 64. */
const plate = {
  ...{ k: 1, rho: 1, cp: 1, Lx: 512, Ly: 128, N: [512, 128], scheme: 'explicit', dt: 0.2, t_end: 6.4 },
  initial: { type: 'mode', A: 1, m: 2, n: 2, T: 300 },
};

/** As many, of half as many nodes. */
const layer = { Lx: 256, Ly: 128, N: [256, 128], t_end: 0.25 };
const spot = { type: 'gaussian', x0: [100, 60], w: 20, deltaU: -0.5 };
const grayScott = {
  ...{ model: 'grayscott', Du: 25.6, Dv: 12.8, F: 0.04, k: 0.06, ...layer },
  initial: { ...spot, deltaV: 0.25 },
};
const growth = { model: 'fisher', D: 25.6, r: 0.25, ...layer, initial: { ...spot, deltaU: 0.5 } };
const oscillator = {
  ...{ model: 'brusselator', Du: 25.6, Dv: 12.8, A: 1, B: 2.5, ...layer, boundary: 'noflux' },
  initial: { ...spot, deltaU: 0.5, deltaV: 0.25 },
};
const vortices = { case: 'taylor-green', nu: 0.01, Lx: 1, Ly: 1, U: 0.1, quantity: 'u', probe: [0.1, 0.2] };

/** Some 200 rows of nodes on the finest mesh, in a handful of blocks. */
const square = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];
const warped = [
  [0, 0],
  [1, 0],
  [0.9, 0.95],
  [0, 1],
];
const poisson = { analysis: 'poisson', k: 1, f: 1, supports: [{ on: 'outer', u: 0 }], quantity: 'u' };
const tension = {
  ...{ analysis: 'elasticity', planeType: 'stress', E: 2e11, nu: 0.3, thickness: 1 },
  ...{ quantity: 'displacement', component: 'y' },
};
/** A quarter of a ring: corners, middles of sides, centre. */
const ring = (centre: readonly number[]) => [
  ...[
    [1, 0],
    [2, 0],
    [0, 2],
    [0, 1],
  ],
  ...[
    [1.5, 0],
    [1.42, 1.42],
    [0, 1.5],
    [0.71, 0.71],
  ],
  centre,
];
const below = [
  [1, -1],
  [2, -1],
  [2, 0],
  [1, 0],
];

const numbers = (columns: number, rows: number, at: (i: number, j: number) => number) =>
  Array.from({ length: rows }, (_, j) => Array.from({ length: columns }, (_, i) => at(i, j)));

/** Channels that flow along x or along y. */
const channel = {
  ...{ case: 'custom', nu: 0.01, Lx: 1, Ly: 1, t_end: 2e-3, quantity: 'u', probe: [0.3, 0.4] },
  initialState: { u: 1, v: 0 },
};

const membrane = {
  ...{ c: 1, Lx: 256, Ly: 128, N: [256, 128], t_end: 12, probe: [100, 60] },
  initial: { type: 'mode', A: 1, m: 4, n: 4 },
};
const ripple = {
  ...{ ...membrane, N: [128, 64] },
  initial: { type: 'formula', equation: 'exp(-((x - 120)^2 + (y - 60)^2)/400)' },
};
/** A line source; half of the cells are of glass. */
const light = {
  ...{ mode: 'maxwell', Lx: 1, Ly: 0.5, N: [128, 64], epsilonR: 1, t_end: 1.2e-9, probe: [0.5, 0.2] },
  source: { type: 'pulse', x0: [0.3, 0.2], frequency: 3e8, width: 6e-10 },
};
const glass = numbers(128, 64, (i, j) => (i + j > 96 ? 2.25 : 1));

export interface TeamRequest {
  readonly kernel: string;
  readonly solver: string;
  readonly title: string;
  readonly body: Record<string, unknown>;
}

const row = (kernel: string, solver: string, title: string, body: Record<string, unknown>): TeamRequest => ({
  kernel,
  solver,
  title,
  body,
});

export const teamRequests: readonly TeamRequest[] = [
  row('multibody', 'multibody', 'leapfrog', cluster(333, { dt: 0.01, t_max: 0.3, integrator: 'leapfrog' })),
  row('multibody', 'multibody', 'pefrl', cluster(200, { dt: 0.01, t_max: 0.1, integrator: 'pefrl' })),
  row('multibody', 'multibody', 'a body without mass', {
    ...cluster(200, { dt: 0.01, t_max: 0.1, integrator: 'leapfrog' }),
    mass: Array.from({ length: 200 }, (_, i) => (i === 100 ? 0 : 1 / 200)),
  }),
  row('multibody', 'multibody', 'a tree of several branches, bodies in several blocks', {
    ...cluster(4500, { dt: 0.01, t_max: 0.02, integrator: 'leapfrog', force: 'tree', theta: 0.6 }),
  }),
  row(
    'multibody-radau15',
    'multibody',
    'radau15',
    cluster(80, { dt: 0.01, t_max: 0.02, integrator: 'radau15' }),
  ),
  row('heat', 'heat', 'explicit steps, a last row alone', { ...plate, boundary: { type: 'flux', q: 1 } }),
  row('heat', 'heat', 'explicit steps around a torus', { ...plate, boundary: 'periodic', s: 2 }),
  row('heat', 'heat', 'explicit steps between cold sides', {
    ...plate,
    boundary: { type: 'dirichlet', T: 0 },
  }),
  row('heat', 'heat', 'implicit steps between a cold side, a wall and flux', {
    ...{ ...plate, scheme: 'adi', dt: 1, t_end: 16, initial: { type: 'uniform', T: 300 } },
    boundary: {
      left: { type: 'dirichlet', T: 280 },
      right: { type: 'robin', h: 3, Tinf: 290 },
      bottom: { type: 'flux', q: 1 },
      top: { type: 'dirichlet', T: 310 },
    },
  }),
  row('heat', 'heat', 'implicit steps around a torus', {
    ...plate,
    scheme: 'adi',
    dt: 1,
    boundary: 'periodic',
    s: 2,
  }),
  row('heat', 'heat', 'implicit steps with natural ends of both axes', {
    ...{ ...plate, scheme: 'adi', dt: 1, boundary: { type: 'flux', q: 1 } },
  }),
  row('heat', 'heat', 'explicit steps with a source on the nodes', {
    ...{ ...plate, boundary: { type: 'dirichlet', T: 300 } },
    s: numbers(513, 129, (i, j) => (i % 7) - (j % 5)),
  }),
  row('react', 'react', 'a torus of Gray and Scott', { ...grayScott, boundary: 'periodic' }),
  row('react', 'react', 'a last row alone', { ...grayScott, boundary: 'noflux' }),
  row('react', 'react', 'the Brusselator', oscillator),
  row('react', 'react', 'one species', { ...growth, boundary: 'noflux' }),
  row('react', 'react', 'one species around a torus', { ...growth, boundary: 'periodic' }),
  row('flow', 'flow', 'vortices', { ...vortices, N: 256, t_end: 5e-3 }),
  row('flow', 'flow', 'a box with an outlet', {
    ...{ ...channel, N: [192, 160] },
    boundary: { left: { type: 'inflow', u: 1 }, right: 'outflow', bottom: 'wall', top: 'slip' },
  }),
  row('flow', 'flow', 'an outlet along y', {
    ...{ ...channel, N: [192, 160], initialState: { u: 0, v: 1 } },
    boundary: { left: 'slip', right: 'wall', bottom: { type: 'inflow', v: 1 }, top: 'outflow' },
  }),
  row('flow-duct', 'flow', 'a steady duct', {
    ...{ case: 'duct', nu: 0.01, rho: 1, Ly: 1, Lz: 1, G: 1, steady: true, N: 256, quantity: 'u' },
  }),
  row('flow-steady', 'flow', 'a cavity', {
    ...{ case: 'cavity', nu: 0.01, Lx: 1, Ly: 1, U: 1, lidProfile: 'regularised', N: 768, quantity: 'uMin' },
  }),
  row('fea', 'fea', 'cells alike', {
    ...poisson,
    patches: [{ corners: square, N: [14, 25] }],
    probe: [0.5, 0.5],
  }),
  row('fea', 'fea', 'no two cells alike', {
    ...poisson,
    patches: [{ corners: warped, N: [14, 25] }],
    probe: [0.5, 0.5],
  }),
  row('fea', 'fea', 'two patches, one of them curved', {
    ...tension,
    patches: [
      { corners: ring([1.06, 1.06]), N: [8, 24] },
      { corners: below, N: [8, 12] },
    ],
    supports: [{ on: { patch: 1, side: 'bottom' }, ux: 0, uy: 0 }],
    loads: [{ on: { patch: 0, side: 'top' }, total: [1, 1] }],
    probe: [1.5, -0.5],
  }),
  row('fea', 'fea', 'a patch that is folded', {
    ...poisson,
    patches: [{ corners: ring([1.6, 1.6]), N: [8, 24] }],
    probe: [1.5, 0.1],
  }),
  row('wave', 'wave', 'a membrane between fixed sides', { ...membrane, boundary: 'fixed' }),
  row('wave', 'wave', 'a torus', { ...membrane, boundary: 'periodic' }),
  row('wave', 'wave', 'free sides, a ring along y', {
    ...membrane,
    boundary: { left: 'free', right: 'fixed', bottom: 'periodic', top: 'periodic' },
  }),
  row('wave', 'wave', 'absorbing sides', { ...ripple, boundary: 'absorbing' }),
  row('wave', 'wave', 'one absorbing side, a ring along y', {
    ...ripple,
    initial: { type: 'formula', equation: 'exp(-(x - 120)^2/400)' },
    boundary: { left: 'absorbing', right: 'free', bottom: 'periodic', top: 'periodic' },
  }),
  row('wave', 'wave', 'absorbing sides along y, a ring along x', {
    ...ripple,
    initial: { type: 'formula', equation: 'exp(-(y - 60)^2/400)' },
    boundary: { left: 'periodic', right: 'periodic', bottom: 'absorbing', top: 'fixed' },
  }),
  row('wave', 'wave', 'a force by a formula', {
    ...{ ...membrane, boundary: 'fixed', initial: undefined },
    source: { type: 'formula', equation: 'sin(pi*x/256)*sin(pi*y/128)*cos(t/10)' },
  }),
  row('wave', 'wave', 'light between conductors', { ...light, N: [192, 96], boundary: 'pec' }),
  row('wave', 'wave', 'light that leaves, through glass', { ...light, boundary: 'pml', epsilonR: glass }),
  row('wave', 'wave', 'light in what conducts', {
    ...{ ...light, epsilonR: glass, sigma: numbers(128, 64, (i) => 1e-4 * i) },
    boundary: { left: 'pml', right: 'pec', bottom: 'periodic', top: 'periodic' },
  }),
  row('wave', 'wave', 'light that leaves, through a slab', {
    ...{ ...light, boundary: 'pml' },
    epsilonR: [
      { L: 0.6, epsilonR: 1 },
      { L: 0.4, epsilonR: 2.25 },
    ],
  }),
];
