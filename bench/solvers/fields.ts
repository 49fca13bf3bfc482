import { besidePython, type Case } from '../beside-python.ts';
import { type Figure, quick } from '../figure.ts';
import type { JobResult } from '../job.ts';

const N = quick ? 64 : 256;
const steps = quick ? 128 : 1024;
const adiSteps = quick ? 32 : 256;
const side = quick ? 64 : 128;
const cold = { type: 'dirichlet', T: 0 };
const pearson = { Du: 1e-4, Dv: 5e-5, F: 0.04, k: 0.06 };
/** A step of the peer whose error is that of its grid. */
const euler = quick ? 0.1 : 0.025;
const day = 86_400;
const front = { type: 'front', x0: [30] };
const fs = 1e-15;

/** The value of the grid itself, where the job's value is extrapolated from two grids. */
const onGrid = ({ presentation }: JobResult) => presentation.outputs.onGrid as number;

const cases: readonly Case[] = [
  {
    solver: 'heat',
    what: `${N} × ${N} cells, ${steps} explicit steps`,
    body: {
      ...{ alpha: 1, Lx: N, Ly: N, initial: { type: 'uniform', T: 100 }, boundary: cold },
      ...{ scheme: 'explicit', dt: 0.2, t_end: 0.2 * steps, N, probe: [N / 2, N / 2] },
    },
    peer: 'NumPy slices',
    ask: ['heat_explicit', { N, steps, r: 0.2 }],
    within: 1e-5,
    found: onGrid,
  },
  {
    solver: 'heat',
    what: `${N} × ${N} cells, ${adiSteps} ADI steps`,
    body: {
      ...{ alpha: 1, Lx: N, Ly: N, initial: { type: 'mode', A: 100, m: 1, n: 1 }, boundary: cold },
      ...{ scheme: 'adi', dt: 4, t_end: 4 * adiSteps, N, probe: [N / 2, N / 2] },
    },
    peer: 'SciPy solve_banded',
    ask: ['heat_adi', { N, steps: adiSteps, r: 4 }],
    truth: 100 * Math.exp(-2 * (Math.PI / N) ** 2 * 4 * adiSteps),
    within: 1e-3,
  },
  {
    solver: 'wave',
    what: `membrane of ${N} × ${N} cells, ${2 * N} steps`,
    body: {
      ...{ c: 1, Lx: 1, Ly: 1, initial: { type: 'mode', A: 1, m: 1, n: 1 }, boundary: 'fixed' },
      ...{ t_end: 1, dt: 1 / (2 * N), N, probe: [0.5, 0.5] },
    },
    peer: 'NumPy slices',
    ask: ['membrane', { N, steps: 2 * N, courant: 0.5 }],
    truth: Math.cos(Math.SQRT2 * Math.PI),
    within: 1e-3,
  },
  {
    solver: 'react',
    what: `Gray–Scott, ${side} × ${side} cells`,
    body: {
      ...{ model: 'grayscott', ...pearson, Lx: 1, Ly: 1, boundary: 'periodic' },
      initial: { type: 'gaussian', x0: [0.5, 0.5], w: 0.1, deltaU: -0.5, deltaV: 0.25 },
      ...{ t_end: 100, N: side },
    },
    peer: 'NumPy',
    ask: ['grayscott', { N: side, steps: 100 / euler, dt: euler, ...pearson, w: 0.1 }],
    truth: 0.9447027, // the peer's own at 64 and 128 cells, extrapolated
    within: 1e-3,
  },
  {
    solver: 'react',
    what: 'Fisher front, 1280 cells',
    body: {
      ...{ model: 'fisher', dim: 1, D: 1, r: 1, Lx: 80, boundary: 'noflux', initial: front },
      ...{ t_end: 5, N: 1280, quantity: 'value', probe: [40] },
    },
    peer: 'NumPy slices',
    ask: ['fisher', { L: 80, N: 2560, t: 5, D: 1, r: 1, x0: 30, probe: 40 }],
    truth: (1 + Math.exp((10 - 25 / Math.sqrt(6)) / Math.sqrt(6))) ** -2,
    within: 1e-3,
  },
  {
    solver: 'tumor',
    what: 'invading front, 1600 cells',
    body: {
      mode: 'invade',
      ...{ D: 1e-7 / day, r: 0.1 / day, Lx: 0.1, t_max: 100 * day, N: 1600 },
      initial: { type: 'front', x0: [0.04] },
    },
    peer: 'NumPy slices',
    ask: ['front_speed', { L: 0.1, N: 1600, t: 100 * day, D: 1e-7 / day, r: 0.1 / day, x0: 0.04 }],
    truth: ((5 / Math.sqrt(6)) * Math.sqrt(1e-8)) / day,
    within: 2e-3,
  },
  {
    solver: 'schrodinger',
    what: 'packet, 1024 points, 1000 split steps',
    body: {
      ...{ mode: 'evolve', mass: 9.1093837139e-31, potential: { type: 'free' } },
      initial: { type: 'gaussian', x0: [0], sigma: 1e-9, k0: [0] },
      ...{ domain: [-2e-8, 2e-8], N: 1024, dt: 0.01 * fs, t_max: 10 * fs, quantity: 'width' },
    },
    peer: 'NumPy FFT',
    ask: ['packet', { L: 4e-8, N: 1024, steps: 1000, dt: 0.01 * fs, mass: 9.1093837139e-31, sigma: 1e-9 }],
    within: 1e-9,
  },
];

export const figure: Figure = {
  title: `solvers: fields on grids, ${N} × ${N} cells and lines → whole jobs/s, against NumPy and SciPy on the same grid`,
  run: () => besidePython('fields', cases),
};
