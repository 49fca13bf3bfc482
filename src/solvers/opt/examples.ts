import type { Example } from '../solver.ts';

export const examples: Example[] = [
  {
    title: 'linear programme',
    body: {
      mode: 'lp',
      sense: 'max',
      c: [3, 5],
      A: [
        [1, 0],
        [0, 2],
        [3, 2],
      ],
      b: [4, 12, 18],
      lower: [0, 0],
    },
    expect: {
      value: 36,
      unit: '1',
      x: [2, 6],
    },
    tolerance: 0.001,
    source: 'Hillier & Lieberman, Wyndor Glass: vertex (2, 6)',
  },
  {
    title: 'quadratic programme HS76',
    body: {
      mode: 'qp',
      H: [
        [2, 0, -1, 0],
        [0, 1, 0, 0],
        [-1, 0, 2, 1],
        [0, 0, 1, 1],
      ],
      g: [-1, -3, 1, -1],
      A: [
        [1, 2, 1, 1],
        [3, 1, 2, -1],
        [0, -1, -4, 0],
      ],
      b: [5, 4, -1.5],
      lower: [0, 0, 0, 0],
    },
    expect: {
      value: -4.68181818181818,
      unit: '1',
      x: [0.272727272727273, 2.09090909090909, 0, 0.545454545454545],
    },
    tolerance: 0.001,
    source: 'Hock & Schittkowski, problem 76: −103/22',
  },
  {
    title: "McCormick's function on its box [−1.5,4]×[−3,4]",
    body: {
      mode: 'unconstrained',
      function: 'mccormick',
      x0: [-0.5, -1.5],
    },
    expect: {
      value: -1.913222954981,
      unit: '1',
      x: [-0.54719755, -1.54719755],
    },
    tolerance: 0.001,
    source: 'closed form: −√3/2 − π/3',
  },
  {
    title: 'polynomial x⁴ − 3x³ + 2',
    body: {
      mode: 'unconstrained',
      polynomial: [
        {
          c: 1,
          powers: [4],
        },
        {
          c: -3,
          powers: [3],
        },
        {
          c: 2,
          powers: [0],
        },
      ],
      x0: [3],
    },
    expect: {
      value: -6.54296875,
      unit: '1',
      x: [2.25],
    },
    tolerance: 0.001,
    source: 'calculus: minimum at 9/4',
  },
  {
    title: 'least squares, NIST Misra1a',
    body: {
      mode: 'nls',
      model: 'saturation',
      data: {
        x: [77.6, 114.9, 141.1, 190.8, 239.9, 289, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760],
        y: [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78],
      },
      x0: [250, 0.0005],
    },
    expect: {
      value: 0.12455138894,
      unit: '1',
      x: [238.94212918, 0.00055015643181],
    },
    tolerance: 0.001,
    source: 'NIST StRD, certified',
  },
];
