import type { Example, Probe } from '../solver.ts';

export const flowExamples: readonly Example[] = [
  {
    title: 'lid-driven cavity, Re 100',
    slow: true,
    body: { case: 'cavity', nu: 0.01, Lx: 1, Ly: 1, U: 1, lidProfile: 'uniform', N: 128, quantity: 'uMin' },
    expect: { value: -0.2140424, unit: 'm/s' },
    tolerance: 0.001,
    source: 'Marchi, Suero & Araki 2009',
  },
  {
    title: 'Taylor–Green decay',
    slow: true,
    body: {
      case: 'taylor-green',
      nu: 0.01,
      Lx: 6.283185307179586,
      Ly: 6.283185307179586,
      U: 1,
      t_end: 10,
      N: 128,
      quantity: 'kineticEnergyRatio',
    },
    expect: { value: 0.670320046, unit: '1' },
    tolerance: 0.001,
    source: 'e^(−4νk²t)',
  },
  {
    title: 'plane Poiseuille',
    body: {
      case: 'channel',
      mu: { value: 1, unit: 'mPa*s' },
      rho: 1000,
      Ly: 0.01,
      G: 0.8,
      steady: true,
      N: 64,
      quantity: 'u',
      probe: [0, 0.005],
    },
    expect: { value: 0.01, unit: 'm/s' },
    tolerance: 0.001,
    source: 'GH²/8µ',
  },
  {
    title: 'square duct, centre',
    body: {
      case: 'duct',
      mu: 0.001,
      rho: 1000,
      Ly: 0.01,
      Lz: 0.01,
      G: 1,
      steady: true,
      N: 64,
      quantity: 'u',
      probe: [0, 0.005, 0.005],
    },
    expect: { value: 0.00736713533, unit: 'm/s' },
    tolerance: 0.001,
    source: '0.0736713533·Gb²/µ',
  },
  {
    title: 'start-up of Couette flow',
    slow: true,
    body: {
      case: 'custom',
      nu: 0.1,
      Lx: 1,
      Ly: 1,
      boundary: {
        left: { type: 'periodic' },
        right: { type: 'periodic' },
        bottom: { type: 'wall' },
        top: { type: 'wall', u: 1 },
      },
      initialState: { u: 0, v: 0 },
      t_end: 1,
      N: 64,
      quantity: 'u',
      probe: [0.5, 0.5],
    },
    expect: { value: 0.262756269810124, unit: 'm/s' },
    tolerance: 0.001,
    source: 'Fourier series at νt/h² = 0.1',
  },
];

export const flowProbes: readonly Probe[] = [
  {
    title: 'a slow cavity',
    body: { case: 'cavity', nu: 1, Lx: 1, Ly: 1, U: 1, lidProfile: 'regularised', N: 64, quantity: 'psiMin' },
  },
  {
    title: 'a start of numbers between an inflow and an outflow',
    body: {
      ...{ case: 'custom', nu: 0.1, Lx: 2, Ly: 1, N: [64, 32], t_end: 0.5, quantity: 'uMax' },
      boundary: { left: { type: 'inflow', u: 1 }, right: 'outflow', bottom: 'wall', top: 'wall' },
      initialState: { u: 1, v: 0 },
    },
  },
];
