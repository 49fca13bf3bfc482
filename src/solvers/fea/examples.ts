import type { Example } from '../solver.ts';

/** Published problems with known answers; they are also the tests of the solver. */
export const feaExamples: readonly Example[] = [
  {
    title: "Cook's membrane",
    slow: true,
    body: {
      analysis: 'elasticity',
      planeType: 'stress',
      patches: [
        {
          corners: [
            [0, 0],
            [48, 44],
            [48, 60],
            [0, 44],
          ],
          N: [64, 64],
        },
      ],
      E: 1,
      nu: 0.3333333333333333,
      thickness: 1,
      supports: [{ on: { patch: 0, side: 'left' }, ux: 0, uy: 0 }],
      loads: [{ on: { patch: 0, side: 'right' }, total: [0, 1] }],
      quantity: 'displacement',
      component: 'y',
      probe: [48, 52],
    },
    expect: { value: 23.967741, unit: 'm' },
    tolerance: 0.001,
    source: "Cook's membrane, hp-converged on two gradings; 23.96 in the literature",
  },
  {
    title: 'Timoshenko cantilever, exact tractions',
    body: {
      analysis: 'elasticity',
      planeType: 'stress',
      patches: [
        {
          corners: [
            [0, -6],
            [48, -6],
            [48, 6],
            [0, 6],
          ],
          N: [16, 4],
        },
      ],
      E: 30000000.0,
      nu: 0.3,
      thickness: 1,
      supports: [
        { on: { point: [0, 0] }, ux: 0, uy: 0 },
        { on: { point: [0, 6] }, ux: 0 },
        { on: { point: [0, -6] }, ux: 0 },
      ],
      loads: [
        { on: { patch: 0, side: 'right' }, traction: [0, [125, 0, -125]] },
        {
          on: { patch: 0, side: 'left' },
          traction: [
            [0, 2000],
            [-125, 0, 125],
          ],
        },
      ],
      quantity: 'displacement',
      component: 'y',
      probe: [48, 0],
    },
    expect: { value: 0.0089, unit: 'm' },
    tolerance: 0.001,
    source: 'Timoshenko & Goodier, Theory of Elasticity, art. 21',
  },
  {
    title: 'Poisson on the unit square',
    body: {
      analysis: 'poisson',
      patches: [
        {
          corners: [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
          ],
          N: [16, 16],
        },
      ],
      k: 1,
      f: 1,
      supports: [{ on: 'outer', u: 0 }],
      quantity: 'u',
      probe: [0.5, 0.5],
    },
    expect: { value: 0.07367135328, unit: '1' },
    tolerance: 0.001,
    source: 'series solution of \u2212\u2207\u00b2u = 1 on the unit square (Timoshenko & Goodier, art. 109)',
  },
  {
    title: 'three-bar truss',
    body: {
      analysis: 'truss',
      nodes: [
        [-1, 1],
        [0, 1],
        [1, 1],
        [0, 0],
      ],
      bars: [
        { nodes: [0, 3], E: { value: 200, unit: 'GPa' }, A: 0.001 },
        { nodes: [1, 3], E: { value: 200, unit: 'GPa' }, A: 0.001 },
        { nodes: [2, 3], E: { value: 200, unit: 'GPa' }, A: 0.001 },
      ],
      supports: [{ on: { nodes: [0, 1, 2] }, ux: 0, uy: 0 }],
      loads: [{ on: { node: 3 }, force: { value: [0, -100], unit: 'kN' } }],
      quantity: 'displacement',
      component: 'y',
      probe: [0, 0],
    },
    expect: { value: -0.0002928932188, unit: 'm' },
    tolerance: 0.001,
    source: 'statics of the symmetric three-bar truss; downward',
  },
  {
    title: 'one nine-node element in tension',
    body: {
      analysis: 'elasticity',
      planeType: 'stress',
      nodes: [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
        [0.5, 0],
        [1, 0.5],
        [0.5, 1],
        [0, 0.5],
        [0.5, 0.5],
      ],
      elements: [[0, 1, 2, 3, 4, 5, 6, 7, 8]],
      E: 200000000000.0,
      nu: 0.3,
      thickness: 0.01,
      supports: [
        { on: { element: 0, side: 'left' }, ux: 0 },
        { on: { element: 0, side: 'bottom' }, uy: 0 },
      ],
      loads: [{ on: { element: 0, side: 'right' }, traction: [{ value: 1, unit: 'MPa' }, 0] }],
      quantity: 'displacement',
      component: 'x',
      probe: [1, 0.5],
    },
    expect: { value: 5e-6, unit: 'm' },
    tolerance: 0.001,
    source: '\u03c3L/E',
  },
];
