import type { Refused } from '../solver-test.ts';

const rest = [
  [0, 0, 0],
  [0, 0, 0],
];
const initialState = {
  position: [
    [0, 0, 0],
    [1.2, 0, 0],
  ],
  velocity: rest,
};
const pair = { units: 'lj', box: 'open', dt: 0.005, t_max: 0.1, initialState };
const lattice = { cells: 3, density: 0.8, temperature: 1 };
const fluid = {
  units: 'lj',
  r_c: 2,
  truncation: 'shifted',
  dt: 0.004,
  t_max: 0.1,
  initialState: lattice,
};
const wrong = 'INVALID_INPUT';
const missing = 'MISSING_INPUT';
const { units: _, ...unscaled } = pair;
const { r_c: __, truncation: ___, ...bare } = fluid;

export const refused: readonly Refused[] = [
  { title: 'no scales', body: unscaled, code: missing, field: 'epsilon' },
  { title: 'a scale with reduced units', body: { ...pair, sigma: 1 }, code: wrong, field: 'sigma' },
  { title: 'no box', body: { ...pair, box: undefined }, code: missing, field: 'box' },
  { title: 'a box of a lattice', body: { ...fluid, box: 10 }, code: wrong, field: 'box' },
  {
    title: 'a flat box',
    body: { ...pair, box: [5, 5, 0], r_c: 1, truncation: 'shifted' },
    code: wrong,
    field: 'box',
  },
  { title: 'no cut-off in a periodic box', body: { ...pair, box: 8 }, code: missing, field: 'r_c' },
  { title: 'no cut-off of a lattice', body: bare, code: missing, field: 'r_c' },
  {
    title: 'an unknown treatment',
    body: { ...fluid, truncation: 'smooth' },
    code: wrong,
    field: 'truncation',
  },
  { title: 'no treatment', body: { ...pair, box: 8, r_c: 3 }, code: missing, field: 'truncation' },
  {
    title: 'a treatment of nothing',
    body: { ...pair, truncation: 'shifted' },
    code: wrong,
    field: 'truncation',
  },
  { title: 'a cut-off beyond half the box', body: { ...fluid, r_c: 2.6 }, code: wrong, field: 'r_c' },
  { title: 'a long step', body: { ...pair, dt: 0.021 }, code: 'STABILITY_LIMIT', field: 'dt' },
  { title: 'no start', body: { ...pair, initialState: {} }, code: missing, field: 'initialState.position' },
  {
    title: 'half a lattice',
    body: { ...fluid, initialState: { cells: 3, density: 0.8 } },
    code: missing,
    field: 'initialState.temperature',
  },
  {
    title: 'two starts',
    body: { ...fluid, initialState: { ...lattice, ...initialState } },
    code: wrong,
    field: 'initialState.cells',
  },
  {
    title: 'a velocity too few',
    body: { ...pair, initialState: { ...initialState, velocity: [[0, 0, 0]] } },
    code: wrong,
    field: 'initialState.velocity',
  },
  {
    title: 'a lonely atom',
    body: { ...pair, initialState: { position: [[0, 0, 0]], velocity: [[0, 0, 0]] } },
    code: wrong,
    field: 'initialState.position',
  },
  {
    title: 'atoms that overlap',
    body: {
      ...pair,
      initialState: {
        position: [
          [0, 0, 0],
          [0.3, 0.3, 0],
        ],
        velocity: rest,
      },
    },
    code: wrong,
    field: 'initialState.position[1]',
  },
  { title: 'too long a run', body: { ...fluid, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'a cut-off that jumps',
    body: { ...fluid, r_c: 1.5, truncation: 'truncated', t_max: 2 },
    code: 'ENERGY_NOT_CONSERVED',
  },
];
