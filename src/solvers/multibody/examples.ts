import type { Example } from '../solver.ts';

export const examples: readonly Example[] = [
  {
    title: 'figure-eight choreography',
    body: {
      position: [
        [0.97000436, -0.24308753, 0],
        [-0.97000436, 0.24308753, 0],
        [0, 0, 0],
      ],
      velocity: [
        [0.466203685, 0.43236573, 0],
        [0.466203685, 0.43236573, 0],
        [-0.93240737, -0.86473146, 0],
      ],
      mass: [1, 1, 1],
      referenceMode: 'gravity',
      G: 1,
      dt: 0.005,
      t_max: 2.5,
      integrator: 'pefrl',
    },
    expect: {
      value: -1.28714199176633,
      unit: 'J',
      energyDriftBoundPct: 0.1,
      conservative: true,
      conservationChecked: true,
      finalState: {
        position: [
          [-0.390668942826549, -0.294013409908417, 0],
          [1.07440114, -0.06345321, 0],
          [-0.6837322, 0.35746662, 0],
        ],
      },
    },
    tolerance: 1e-3,
    source: 'Chenciner & Montgomery, Ann. Math. 152 (2000) 881, initial data by Simó',
  },
  {
    title: 'Pythagorean problem, close encounters',
    body: {
      position: [
        [1, 3, 0],
        [-2, -1, 0],
        [1, -1, 0],
      ],
      velocity: [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
      mass: [3, 4, 5],
      referenceMode: 'gravity',
      G: 1,
      dt: 0.01,
      t_max: 10,
      integrator: 'radau15',
    },
    expect: {
      value: -12.8166666666667,
      unit: 'J',
      finalState: {
        position: [
          [0.7784804101381, 0.1413923002901, 0],
          [-2.025092477978, 0.0972193841461, 0],
          [1.1529857363, -0.1626108874909, 0],
        ],
      },
    },
    tolerance: 1e-3,
    source: 'Szebehely & Peters, Astron. J. 72 (1967) 876; digits at t = 10 by integration with 25 digits',
  },
  {
    title: 'two bodies, Kepler e = 0.5',
    body: {
      position: [
        [0.25, 0, 0],
        [-0.25, 0, 0],
      ],
      velocity: [
        [0, 0.866025403784439, 0],
        [0, -0.866025403784439, 0],
      ],
      mass: [0.5, 0.5],
      referenceMode: 'gravity',
      G: 1,
      dt: 0.005,
      t_max: 1,
    },
    expect: {
      value: -0.125,
      unit: 'J',
      finalState: {
        position: [
          [-0.213983622780557, 0.431887850522552, 0],
          [0.213983622780557, -0.431887850522552, 0],
        ],
      },
    },
    tolerance: 1e-3,
    source: "Kepler's equation: relative orbit GM = a = 1 shared by equal masses",
  },
  {
    title: 'without positions',
    body: { inputs: { c: 1, k: 0.3, y0: 5 }, dt: 0.01, t_max: 4 },
    expect: {
      value: 1.50597105956101,
      conservative: false,
      conservationChecked: false,
      energyDriftPct: null,
    },
    tolerance: 1e-3,
    source: '5 exp(−1.2)',
  },
];
