import type { Example } from '../solver.ts';

/** Some are of solvers that a build may lack; the declaration shows those that are there. */
export const examples: readonly Example[] = [
  {
    title: 'kinetic energy over mass and speed',
    body: {
      solver: 'compute',
      inputs: { equation: 'm*v^2/2', inputs: {} },
      axes: [
        { name: 'inputs.m', values: [1, 2] },
        { name: 'inputs.v', start: 0, stop: 3, count: 3, scale: 'lin' },
      ],
      reduce: 'max',
    },
    expect: {
      value: 9,
      values: [0, 1.125, 4.5, 0, 2.25, 9],
      pointsRoot: '22586b32e807093366d76bd46935d94d4509c97e66cbbe7e03c633314b89c59b',
    },
    tolerance: 0,
    source: '½mv² by hand; the root by Python’s hashlib',
  },
  {
    title: 'operator over a logarithmic axis',
    body: {
      operators: ['SP7'],
      inputs: { P_noise: 1 },
      axes: [{ name: 'P_signal', start: 1, stop: 1000, count: 4, scale: 'log', unit: 'W' }],
      reduce: 'mean',
    },
    expect: { value: 15, unit: 'dB', values: [0, 10, 20, 30] },
    tolerance: 1e-3,
    source: '10·log10 of 1, 10, 100, 1000',
  },
  {
    title: 'a solver over its inputs, each point a job',
    body: {
      solver: 'solve',
      inputs: { inputs: { c: 1, y0: 5, t_end: 4 } },
      axes: [{ name: 'inputs.k', values: [0.1, 0.2, 0.3] }],
      reduce: 'min',
      proofs: [1],
    },
    expect: { value: 1.50597105956101, values: [3.3516002301782, 2.24664482058611, 1.50597105956101] },
    tolerance: 1e-3,
    source: '5 exp(−4k)',
  },
  {
    title: 'an operator without closed form, each point integrated',
    body: {
      operators: ['ODE_PENDULUM_DAMPED'],
      inputs: { t: 5, theta_0: 2.5, Omega_0: 0, g: 9.81, gamma: 0.15 },
      axes: [{ name: 'L', values: [1, 1.2, 1.4], unit: 'm' }],
      reduce: 'min',
      proofs: [2],
    },
    expect: {
      value: -1.361772279829,
      unit: 'rad',
      values: [1.118335081102, -0.413497739756, -1.361772279829],
    },
    tolerance: 1e-3,
    source: 'SciPy 1.17.1, DOP853 with rtol 3e-14',
  },
  {
    title: 'option price over strikes, one point',
    body: {
      solver: 'quant',
      inputs: { mode: 'option', type: 'european', right: 'call', S0: 100, r: 0.05, sigma: 0.2, T: 1 },
      axes: [{ name: 'K', values: [90, 100, 110] }],
      reduce: 'at',
      at: [1],
      proofs: [1],
    },
    expect: {
      value: 10.4505835721856,
      unit: 'currency',
      values: [16.699448408416, 10.4505835721856, 6.04008812972424],
    },
    tolerance: 1e-3,
    source: 'Black–Scholes–Merton formula, 25 digits',
  },
];
