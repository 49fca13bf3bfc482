import type { Example, Probe } from '../solver.ts';

export const evolveExamples: readonly Example[] = [
  {
    title: 'argon dimer at rest at 1.2 σ',
    body: {
      epsilon: { value: 1.65e-21, unit: 'J' },
      sigma: { value: 3.405, unit: 'Angstrom' },
      mass: 6.6335e-26,
      box: 'open',
      dt: { value: 2, unit: 'fs' },
      t_max: { value: 2, unit: 'ps' },
      initialState: {
        position: [
          [0, 0, 0],
          [4.086e-10, 0, 0],
        ],
        velocity: [
          [0, 0, 0],
          [0, 0, 0],
        ],
      },
    },
    expect: { value: -1.47009272451207e-21, unit: 'J' },
    tolerance: 1e-3,
    source: '4ε(1.2⁻¹² − 1.2⁻⁶)',
  },
  {
    title: 'dense fluid from fcc, reduced units',
    slow: true,
    body: {
      units: 'lj',
      r_c: 2.5,
      truncation: 'shifted-force',
      dt: 0.004,
      t_max: 2,
      seed: 42,
      initialState: { cells: 4, density: 0.8442, temperature: 0.728 },
    },
    expect: { value: -1179.01923858206, unit: '1' },
    tolerance: 1e-3,
    source: 'lattice sum of 256 atoms and 3/2 · 255 · 0.728, which is conserved',
  },
];

export const evolveProbes: readonly Probe[] = [
  {
    title: 'a fluid of few particles',
    body: {
      ...{ units: 'lj', r_c: 2.5, truncation: 'shifted-force', dt: 0.004, t_max: 0.2, seed: 42 },
      initialState: { cells: 3, density: 0.8442, temperature: 0.728 },
    },
  },
];
