import type { Example } from '../solver.ts';

export const waveExamples: readonly Example[] = [
  {
    title: 'square membrane, fundamental',
    body: {
      c: 100,
      Lx: 1,
      Ly: 1,
      initial: {
        type: 'mode',
        A: 0.01,
        m: 1,
        n: 1,
      },
      boundary: 'fixed',
      t_end: 0.2,
      N: 64,
      dt: 0.0001,
      quantity: 'frequency',
      probe: [0.5, 0.5],
    },
    expect: {
      value: 70.71067812,
      unit: 'Hz',
    },
    tolerance: 0.001,
    source: 'c/2L·√2, Morse & Ingard §5.2',
  },
  {
    title: 'plucked string after half a period',
    body: {
      dim: 1,
      c: {
        value: 360,
        unit: 'km/h',
      },
      Lx: 1,
      initial: {
        type: 'pluck',
        A: 0.01,
        x0: [0.25],
      },
      boundary: {
        left: 'fixed',
        right: 'fixed',
      },
      t_end: 0.01,
      N: 100,
      dt: 0.0001,
      probe: [0.75],
    },
    expect: {
      value: -0.01,
      unit: 'm',
    },
    tolerance: 0.001,
    source: "d'Alembert: u(x, L/c) = −u(L−x, 0); Courant number 1",
  },
  {
    title: 'metal cavity, TM11',
    body: {
      mode: 'maxwell',
      Lx: 0.1,
      Ly: 0.1,
      epsilonR: 1,
      initial: {
        type: 'mode',
        A: 1,
        m: 1,
        n: 1,
      },
      boundary: 'pec',
      t_end: 2e-8,
      N: 48,
      quantity: 'frequency',
    },
    expect: {
      value: 2119852800.0,
      unit: 'Hz',
    },
    tolerance: 0.001,
    source: 'c/2L·√2, Balanis §8.3',
  },
  {
    title: 'reflection at ε_r 1 → 4',
    slow: true,
    body: {
      mode: 'maxwell',
      dim: 1,
      Lx: 1,
      epsilonR: [
        {
          L: 0.5,
          epsilonR: 1,
        },
        {
          L: 0.5,
          epsilonR: 4,
        },
      ],
      source: {
        type: 'pulse',
        x0: [0.1],
        frequency: {
          value: 1,
          unit: 'GHz',
        },
        width: 1e-9,
      },
      boundary: 'pml',
      frequency: 1000000000.0,
      quantity: 'reflectance',
      N: 1600,
    },
    expect: {
      value: 0.111111111111111,
      unit: '1',
    },
    tolerance: 0.001,
    source: 'Fresnel: ((1 − 2)/(1 + 2))² = 1/9',
  },
  {
    title: 'a slab across a waveguide',
    body: {
      mode: 'maxwell',
      Lx: 0.2,
      Ly: 0.1,
      epsilonR: [
        {
          L: 0.13,
          epsilonR: 1,
        },
        {
          L: 0.02,
          epsilonR: 4,
        },
        {
          L: 0.05,
          epsilonR: 1,
        },
      ],
      source: {
        type: 'pulse',
        x0: [0.02, 0.05],
        frequency: 2e9,
        width: 1.7e-9,
      },
      boundary: {
        left: 'pml',
        right: 'pml',
        bottom: 'pec',
        top: 'pec',
      },
      frequency: 2e9,
      quantity: 'transmittance',
      N: [120, 60],
    },
    expect: {
      value: 0.401169254597243,
      unit: '1',
    },
    tolerance: 0.001,
    source: 'TE₁ at sin θ = λ/2Ly through a slab (Yeh §5.1), by its matrices in Python',
  },
];
