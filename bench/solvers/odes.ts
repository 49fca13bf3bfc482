import { besidePython, type Case } from '../beside-python.ts';
import { type Figure, quick } from '../figure.ts';

const year = 365.25 * 86_400;
const day = 86_400;
const exponents = { chains: 16, steps: 4000 };

const cases: readonly Case[] = [
  {
    solver: 'solve',
    what: 'Duffing oscillator to t = 50',
    body: { inputs: { t_end: 50, m: 1, k: 1, beta: 1, x0: 1, v0: 0 }, dt: 0.005 },
    peer: 'SciPy DOP853',
    ask: ['duffing', { t: 50, rtol: 1e-9 }],
    within: 1e-6,
  },
  {
    solver: 'lotka',
    what: 'predators and prey to t = 100',
    body: { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 1, y0: 1, t_max: 100 },
    peer: 'SciPy DOP853',
    ask: ['lotka', { t: 100, rtol: 1e-7 }],
    within: 1e-5,
  },
  {
    solver: 'epi',
    what: 'SIR, 763 boys for 60 days',
    body: {
      ...{ model: 'sir', N: 763, S0: 762, I0: 1 },
      beta: 1.66 / day,
      gamma: 0.44 / day,
      t_max: 60 * day,
    },
    peer: 'SciPy DOP853',
    ask: ['sir', { t: 60, beta: 1.66, gamma: 0.44, N: 763, rtol: 1e-8 }],
    within: 1e-7,
  },
  {
    solver: 'tumor',
    what: 'Gompertz growth for 100 days',
    body: { model: 'gompertz', V0: 1e-9, K: 1e-6, a: 0.1 / day, t_max: 100 * day },
    peer: 'SciPy DOP853',
    ask: ['gompertz', { t: 100, a: 0.1, K: 1000, V0: 1, rtol: 1e-9 }],
    truth: 1e-6 * Math.exp(Math.log(1e-3) * Math.exp(-10)),
    within: 1e-8,
  },
  {
    solver: 'lorenz',
    what: 'trajectory to t = 10',
    body: { mode: 'trajectory', sigma: 10, rho: 28, beta: 8 / 3, x0: 1, y0: 1, z0: 1, t_max: 10 },
    peer: 'SciPy DOP853',
    ask: ['lorenz', { t: 10, rtol: 1e-11 }],
    within: 1e-6,
    found: ({ presentation }) => (presentation.outputs.finalState as { z: number }).z,
  },
  {
    solver: 'climate',
    what: 'two layers for 150 years',
    body: {
      model: 'two-layer',
      ...{ F: 3.71, lambda: 1.13, gamma: 0.73, C: 7.3 * year, Cd: 106 * year, t_end: 150 * year },
    },
    peer: 'SciPy DOP853',
    ask: ['two_layer', { t: 150, rtol: 1e-9 }],
    within: 1e-7,
  },
  {
    solver: 'blackhole',
    what: 'deflection of light, b = 10 GM/c²',
    body: { M: 1.98841e31, mode: 'deflection', b: 147662.513407182 },
    peer: 'SciPy DOP853',
    ask: ['deflection', { b: 10, rtol: 1e-12 }],
    truth: 0.590395787605827,
    within: 1e-9,
  },
  {
    solver: 'action',
    what: 'Hénon–Heiles to t = 200',
    body: {
      ...{ system: 'henon-heiles', lambda: 1, q0: [0, 0.1], p0: [0.35, 0] },
      ...{ dt: 0.02, t_max: 200 },
    },
    peer: 'SciPy DOP853',
    ask: ['henon_heiles', { t: 200, rtol: 1e-9 }],
    within: 1e-5,
  },
  ...(quick
    ? []
    : [
        {
          solver: 'lorenz',
          what: 'exponents',
          body: { mode: 'exponents', sigma: 10, rho: 28, beta: 8 / 3, t_max: 5e5 },
          peer: 'NumPy, 16 chains at once',
          ask: ['lorenz_exponents', exponents],
          truth: 0.9056,
          within: 0.05,
          work: () => 5e5,
          unit: 'time units/s',
        } as const,
      ]),
];

export const figure: Figure = {
  title:
    'solvers: initial-value problems, 257 rows → whole jobs/s, against SciPy and NumPy to the same accuracy',
  run: () => besidePython('odes', cases),
};
