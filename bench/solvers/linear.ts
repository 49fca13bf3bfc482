import { type CaseName, caseTables } from '../../src/solvers/power-flow/network.ts';
import { besidePython, type Case } from '../beside-python.ts';
import { type Figure, quick } from '../figure.ts';

const cavity = quick ? 8 : 32;
const measurements = quick ? 200 : 2000;

const tracker = {
  ...{
    F: [
      [1, 1],
      [0, 1],
    ],
    H: [[1, 0]],
    R: [[1]],
  },
  Q: [
    [0.25, 0.5],
    [0.5, 1],
  ],
};
const P0 = [
  [1, 0],
  [0, 1],
];
const z = Array.from({ length: measurements }, (_, i) => [0.5 * i + ((i * 7919) % 13) / 13]);

function flow(name: CaseName, title: string): Case {
  const { baseMVA, buses, generators, branches } = caseTables[name];
  return {
    solver: 'grid',
    what: title,
    body: { case: name, quantity: 'loss' },
    peer: 'NumPy, dense Newton',
    ask: ['power_flow', { baseMVA, buses, generators, branches }],
    within: 1e-6,
  };
}

const cases: readonly Case[] = [
  {
    solver: 'schrodinger',
    what: 'sixth level of an oscillator to 1e-7',
    body: {
      ...{ mode: 'eigen1d', units: 'reduced', mass: 1, potential: { type: 'harmonic', omega: 1 } },
      ...{ domain: [-10, 10], N: 1024, n: 5 },
    },
    peer: 'LAPACK dstebz',
    ask: ['harmonic_level', { N: 16_384, L: 10, n: 5 }],
    truth: 5.5,
    within: 1e-6,
  },
  {
    solver: 'buckling',
    what: 'four loads of a cone',
    body: {
      ...{ E: 2e11, L: 1, ends: 'pinned-pinned', N: 64 },
      I: { taper: { I0: 1e-8, I1: 5.0625e-8, power: 4 } },
    },
    peer: 'LAPACK dsygvx',
    ask: ['cone', { N: 64, E: 2e11, I0: 1e-8, I1: 5.0625e-8, L: 1 }],
    within: 1e-6,
  },
  {
    solver: 'acoustic',
    what: `two modes of an L, ${cavity} elements a unit`,
    body: {
      ...{ analysis: 'modes', c: 343, boundary: 'rigid', count: 2, N: cavity },
      domain: {
        type: 'mask',
        h: 1,
        cells: [
          [1, 1],
          [1, 0],
        ],
      },
    },
    peer: 'SciPy eigsh',
    ask: ['cavity', { N: cavity, c: 343, count: 2 }],
    within: 1e-3,
  },
  flow('ieee14', 'power flow of 14 buses'),
  flow('ieee30', 'power flow of 30 buses'),
  {
    solver: 'kalman',
    what: `two states, ${measurements} measurements`,
    body: { ...tracker, x0: [0, 0], P0, z, quantity: 'logLikelihood' },
    peer: 'NumPy',
    ask: ['kalman', { ...tracker, x: [0, 0], P: P0, z }],
    within: 1e-9,
  },
];

export const figure: Figure = {
  title:
    'solvers: eigenvalues, networks, filters → whole jobs/s, against NumPy and SciPy to the same accuracy',
  run: () => besidePython('linear', cases),
};
