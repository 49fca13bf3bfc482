import type { Example, Probe } from '../solver.ts';

/** A square of steel with a notch half way through, pulled apart. */
export const notchedSquare = {
  model: 'at1',
  E: 210e9,
  nu: 0.3,
  Gc: 2700,
  ell: 1.7e-4,
  Lx: 1e-3,
  Ly: 1e-3,
  notch: { a: 5e-4, y: 5e-4, angle: 0 },
  loading: { uMax: 6e-6, steps: 12 },
  planeType: 'strain',
  split: 'none',
  quantity: 'pathDeviation',
  N: 24,
};

export const fractureExamples: readonly Example[] = [
  {
    title: 'bar, AT1, strength',
    body: {
      mode: 'bar',
      model: 'at1',
      E: { value: 30, unit: 'GPa' },
      Gc: 100,
      ell: 0.01,
      L: 0.2,
      loading: { uMax: 7.2e-5, steps: 1000 },
      N: 160,
    },
    expect: { value: 10606601.72, unit: 'Pa' },
    tolerance: 0.001,
    source: '√(3EG_c/8ℓ), Pham et al. 2011',
  },
  {
    title: 'bar, AT2, strength',
    body: {
      mode: 'bar',
      model: 'at2',
      E: 30e9,
      Gc: 100,
      ell: 0.01,
      L: 0.2,
      loading: { uMax: 8e-5, steps: 200 },
      N: 160,
    },
    expect: { value: 5625000, unit: 'Pa' },
    tolerance: 0.001,
    source: '(9/16)√(EG_c/3ℓ), Pham et al. 2011',
  },
  {
    title: 'notched square in tension, straight path',
    slow: true,
    body: notchedSquare,
    expect: { value: 0, unit: '1' },
    tolerance: 0.001,
    source: 'mirror symmetry, max|y − y₀|/Ly',
  },
];

export const fractureProbes: readonly Probe[] = [
  {
    title: 'a notched square of few elements',
    body: {
      ...{ model: 'at1', E: 2.1e11, nu: 0.3, Gc: 2700, ell: 3.4e-4, Lx: 1e-3, Ly: 1e-3, N: 12 },
      notch: { a: 5e-4, y: 5e-4, angle: 0 },
      loading: { uMax: 6e-6, steps: 6 },
      ...{ planeType: 'strain', split: 'none', quantity: 'pathDeviation' },
    },
  },
];
