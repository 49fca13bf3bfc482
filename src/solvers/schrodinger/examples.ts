import type { Example, Probe } from '../solver.ts';

const electron = 9.1093837139e-31;
const electronvolts = (value: number) => ({ value, unit: 'eV' });
const nanometres = (value: number) => ({ value, unit: 'nm' });

export const schrodingerExamples: readonly Example[] = [
  {
    title: 'electron in a finite well',
    body: {
      mode: 'eigen1d',
      mass: electron,
      potential: { type: 'finite-well', V0: electronvolts(10), L: nanometres(1) },
      domain: [-2e-9, 2e-9],
      N: 2048,
      n: 0,
    },
    expect: { value: 0.29760167615428, unit: 'eV' },
    tolerance: 1e-3,
    source: 'z tan z = √(z₀² − z²), by bisection',
  },
  {
    title: 'hydrogen ground state',
    body: {
      mode: 'radial',
      mass: 9.10442528891677e-31,
      potential: { type: 'coulomb', Z: 1 },
      l: 0,
      n: 0,
      domain: [0, 1.5e-9],
      N: 2000,
    },
    expect: { value: -13.598287264283, unit: 'eV' },
    tolerance: 1e-3,
    source: '−hcR∞ with the reduced mass, CODATA 2022',
  },
  {
    title: 'Hénon–Heiles ground state',
    slow: true,
    body: {
      mode: 'eigen2d',
      units: 'reduced',
      mass: 1,
      potential: {
        type: 'polynomial',
        terms: [
          { c: 0.5, powers: [2, 0] },
          { c: 0.5, powers: [0, 2] },
          { c: 0.111803, powers: [2, 1] },
          { c: -0.037267666666666664, powers: [0, 3] },
        ],
      },
      domain: [
        [-7, 7],
        [-7, 7],
      ],
      N: [48, 48],
      n: 0,
    },
    expect: { value: 0.99859478, unit: '1' },
    tolerance: 1e-3,
    source: 'λ = 0.111803: Davis & Heller, J. Chem. Phys. 71 (1979) 3383',
  },
  {
    title: 'free packet, width',
    body: {
      mode: 'evolve',
      mass: electron,
      potential: { type: 'free' },
      initial: { type: 'gaussian', x0: [0], sigma: 1e-9, k0: [0] },
      domain: [-2e-8, 2e-8],
      N: 1024,
      dt: { value: 0.01, unit: 'fs' },
      t_max: { value: 10, unit: 'fs' },
      quantity: 'width',
    },
    expect: { value: 1.155445212209e-9, unit: 'm' },
    tolerance: 1e-3,
    source: 'σ√(1 + (ħt/2mσ²)²)',
  },
  {
    title: 'tunnelling',
    body: {
      mode: 'transmission',
      mass: electron,
      potential: { type: 'barrier', V0: electronvolts(2), L: nanometres(0.3) },
      E: electronvolts(1),
    },
    expect: { value: 0.16897366549342, unit: '1' },
    tolerance: 1e-3,
    source: '[1 + V₀² sinh²κL/4E(V₀ − E)]⁻¹',
  },
];

export const schrodingerProbes: readonly Probe[] = [
  {
    title: 'p² + x⁴ in sinc functions',
    body: {
      mode: 'eigen1d',
      ...{ units: 'reduced', mass: 0.5, domain: [-5, 5], scheme: 'dvr', N: 128, n: 1 },
      potential: { type: 'polynomial', terms: [{ c: 1, powers: [4] }] },
    },
  },
  {
    title: 'Hénon–Heiles on few points',
    body: {
      mode: 'eigen2d',
      ...{ units: 'reduced', mass: 1, N: [24, 24], n: 0 },
      domain: [
        [-7, 7],
        [-7, 7],
      ],
      potential: {
        type: 'polynomial',
        terms: [
          { c: 0.5, powers: [2, 0] },
          { c: 0.5, powers: [0, 2] },
          { c: 0.111803, powers: [2, 1] },
          { c: -0.037267666666666664, powers: [0, 3] },
        ],
      },
    },
  },
];
