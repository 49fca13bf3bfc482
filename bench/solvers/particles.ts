import { besidePython, type Case } from '../beside-python.ts';
import { type Figure, quick } from '../figure.ts';
import type { JobResult } from '../job.ts';

const bodies = quick ? 64 : 256;
const steps = quick ? 10 : 50;
const cells = quick ? 4 : 6;
const atoms = 4 * cells ** 3;
const fluidSteps = quick ? 20 : 100;
const clusterSize = quick ? 5 : 13;
const lowest = quick ? -9.103852 : -44.326801;

const position = Array.from({ length: bodies }, (_, i) => [
  Math.sin(1.1 * i) * (1 + (i % 7)),
  Math.cos(2.3 * i) * (1 + (i % 5)),
  Math.sin(3.7 * i) * (1 + (i % 11)),
]);
const mass = position.map(() => 1 / bodies);
const rest = position.map(() => [0, 0, 0]);
const fluid = { cells, density: 0.8442, temperature: 0.728 };
const call = { S0: 100, K: 100, r: 0.05, sigma: 0.2, T: 1 };
const numberOf = (name: string) => (job: JobResult) => job.presentation.outputs[name] as number;

const cases: readonly Case[] = [
  {
    solver: 'multibody',
    what: `${bodies} bodies, all pairs, leapfrog`,
    body: {
      ...{ position, velocity: rest, mass, referenceMode: 'gravity', G: 1 },
      ...{ softening: 0.5, dt: 0.01, t_max: 0.01 * steps, integrator: 'leapfrog' },
    },
    peer: 'NumPy',
    ask: ['leapfrog', { position, mass, softening: 0.5, dt: 0.01, steps }],
    within: 1e-6,
    work: () => steps,
    unit: 'steps/s',
  },
  {
    solver: 'evolve',
    what: `${atoms} Lennard-Jones atoms`,
    body: {
      ...{ units: 'lj', r_c: 2.5, truncation: 'shifted-force', dt: 0.004, t_max: 0.004 * fluidSteps },
      ...{ seed: 42, initialState: fluid },
    },
    peer: 'NumPy, SciPy cKDTree',
    ask: ['lennard_jones', { ...fluid, cut: 2.5, dt: 0.004, steps: fluidSteps }],
    within: 1e-3,
    work: () => atoms * fluidSteps,
    unit: 'atom-steps/s',
  },
  {
    solver: 'dock',
    what: `cluster of ${clusterSize} atoms`,
    body: { mode: 'cluster', N: clusterSize, potential: 'lj' },
    peer: 'SciPy basinhopping',
    ask: ['cluster', { n: clusterSize, hops: quick ? 10 : 100 }],
    truth: lowest,
    within: 1e-6,
  },
  {
    solver: 'gauge',
    what: 'U(1), 4 × 4, to an error of 2e-4',
    body: { group: 'U1', beta: 5, L: 4, seed: 1 },
    peer: 'NumPy, 512 lattices at once',
    ask: ['heat_bath', { L: 4, beta: 5, chains: 512, sweeps: quick ? 16 : 120 }],
    truth: 0.899928853026897,
    within: quick ? 5e-3 : 1e-3,
    work: (job) => 32 * numberOf('sweeps')(job),
    unit: 'link updates/s',
  },
  {
    solver: 'quant',
    what: 'European call, delta and vega',
    body: { mode: 'option', type: 'european', right: 'call', ...call },
    peer: 'SciPy Sobol',
    ask: ['option', { ...call, fixings: 1, replicates: quick ? 2 : 32, points: 4096 }],
    truth: 10.4505835721856,
    within: 1e-3,
    work: numberOf('paths'),
    unit: 'paths/s',
  },
  {
    solver: 'quant',
    what: 'arithmetic Asian call, 12 fixings',
    body: { mode: 'option', type: 'asian-arithmetic', right: 'call', fixings: 12, ...call },
    peer: 'SciPy Sobol',
    ask: ['option', { ...call, fixings: 12, replicates: quick ? 2 : 32, points: 4096 }],
    within: quick ? 5e-3 : 1e-3,
    work: numberOf('paths'),
    unit: 'paths/s',
  },
  {
    solver: 'shift',
    what: 'a price by its volatility',
    body: {
      solver: 'quant',
      inputs: { mode: 'option', type: 'european', right: 'call', ...call },
      shift: { sigma: 0.01 },
    },
    peer: 'SciPy Sobol, both prices on the same points',
    // As many replicates of as many points as the job takes.
    ask: ['shifted_option', { ...call, replicates: quick ? 2 : 32, points: 4096, by: 0.01 }],
    truth: 0.37570374206514,
    within: quick ? 5e-3 : 1e-3,
  },
];

export const figure: Figure = {
  title:
    'solvers: bodies, atoms, links, paths → whole jobs and their steps/s, against NumPy and SciPy over whole arrays',
  run: () => besidePython('particles', cases),
};
