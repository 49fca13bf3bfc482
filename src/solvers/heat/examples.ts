import type { Example } from '../solver.ts';

export const heatExamples: readonly Example[] = [
  {
    title: 'decay of a sine',
    body: {
      dim: 1,
      alpha: 0.0001,
      Lx: 1,
      initial: {
        type: 'mode',
        A: 100,
        m: 1,
      },
      boundary: {
        type: 'dirichlet',
        T: 0,
      },
      t_end: 500,
      N: 64,
      dt: 1,
      scheme: 'explicit',
      probe: [0.5],
    },
    expect: {
      value: 61.04980253,
      unit: 'K',
    },
    tolerance: 0.001,
    source: '100 e^(−π²αt/L²)',
  },
  {
    title: 'square, cold edges, Fo = 0.05',
    body: {
      alpha: 0.0001,
      Lx: 1,
      Ly: 1,
      initial: {
        type: 'uniform',
        T: 400,
      },
      boundary: {
        type: 'dirichlet',
        T: 300,
      },
      t_end: 500,
      N: 64,
      scheme: 'adi',
    },
    expect: {
      value: 359.64652181,
      unit: 'K',
    },
    tolerance: 0.001,
    source: 'product of two slab series: centre θ = 0.5964652181',
  },
  {
    title: 'steady square with one hot side',
    body: {
      alpha: 0.0001,
      Lx: 1,
      Ly: 1,
      boundary: {
        left: {
          type: 'dirichlet',
          T: 400,
        },
        right: {
          type: 'dirichlet',
          T: 300,
        },
        bottom: {
          type: 'dirichlet',
          T: 300,
        },
        top: {
          type: 'dirichlet',
          T: 300,
        },
      },
      steady: true,
      N: 64,
    },
    expect: {
      value: 325,
      unit: 'K',
    },
    tolerance: 0.001,
    source: 'symmetry: a quarter of the side',
  },
  {
    title: 'frost in soil after 60 days',
    body: {
      dim: 1,
      alpha: 1.38e-7,
      Lx: 10,
      initial: {
        type: 'uniform',
        T: {
          value: 20,
          unit: 'degC',
        },
      },
      boundary: {
        left: {
          type: 'dirichlet',
          T: {
            value: -15,
            unit: 'degC',
          },
        },
        right: {
          type: 'dirichlet',
          T: {
            value: 20,
            unit: 'degC',
          },
        },
      },
      t_end: {
        value: 60,
        unit: 'd',
      },
      N: 1000,
      probe: [0.67696],
    },
    expect: {
      value: 273.15,
      unit: 'K',
    },
    tolerance: 0.001,
    source: 'Incropera & DeWitt, example 5.6 (erf), to more digits',
  },
  {
    title: 'steady rod, convective end, Bi = 1',
    body: {
      dim: 1,
      k: 1,
      rho: 2000,
      cp: 800,
      Lx: 0.1,
      boundary: {
        left: {
          type: 'dirichlet',
          T: 400,
        },
        right: {
          type: 'robin',
          h: 10,
          Tinf: 300,
        },
      },
      steady: true,
      N: 40,
      probe: [0.1],
    },
    expect: {
      value: 350,
      unit: 'K',
    },
    tolerance: 0.001,
    source: 'two equal thermal resistances in series',
  },
];
