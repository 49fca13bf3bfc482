import type { Refused } from '../solver-test.ts';

const spring = { system: 'harmonic', m: 1, k: 4, q0: 1, p0: 0, dt: 0.01, t_max: 1 };
const { k: _, ...withoutK } = spring;
const { p0: __, ...withoutP0 } = spring;
const { q0: ___, ...withoutStart } = withoutP0;
const planet = { system: 'kepler2d', m: 1, mu: 1, q0: [1, 0], p0: [0, 1], dt: 0.01, t_max: 1 };
const henon = { system: 'henon-heiles', lambda: 1, q0: [0, 0.1], p0: [0.35, 0], dt: 0.01, t_max: 1 };

export const refused: readonly Refused[] = [
  { title: 'no constant', body: withoutK, code: 'MISSING_INPUT', field: 'k' },
  { title: 'a constant of another system', body: { ...spring, g: 9.81 }, code: 'INVALID_INPUT', field: 'g' },
  { title: 'no momentum', body: withoutP0, code: 'MISSING_INPUT', field: 'p0' },
  {
    title: 'two starts',
    body: { ...spring, initialState: { q: [1], p: [0] } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half an initialState',
    body: { ...withoutStart, initialState: { q: [1] } },
    code: 'MISSING_INPUT',
    field: 'initialState.p',
  },
  { title: 'one coordinate of two', body: { ...planet, q0: 1 }, code: 'INVALID_INPUT', field: 'q0' },
  { title: 'a start in the centre', body: { ...planet, q0: [0, 0] }, code: 'INVALID_INPUT', field: 'q0' },
  { title: 'a fall into the centre', body: { ...planet, p0: [0, 0] }, code: 'INVALID_INPUT', field: 'p0' },
  { title: 'ω·dt = 2', body: { ...spring, dt: 1 }, code: 'STABILITY_LIMIT', field: 'dt' },
  { title: 'an escape', body: { ...henon, p0: [0.6, 0] }, code: 'INVALID_INPUT', field: 'p0' },
  {
    title: 'a start beyond the saddle',
    body: { ...henon, q0: [0, 1.4] },
    code: 'INVALID_INPUT',
    field: 'q0',
  },
  {
    title: 'a period of Hénon–Heiles',
    body: { ...henon, quantity: 'period' },
    code: 'UNSUPPORTED',
    field: 'quantity',
  },
  {
    title: 'a quartic well without a floor',
    body: { system: 'quartic', m: 1, lambda: -1, q0: 1, p0: 0, dt: 0.01, t_max: 1 },
    code: 'INVALID_INPUT',
    field: 'lambda',
  },
  { title: 'a run without an end', body: { ...spring, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'a period that is not reached',
    body: { ...spring, quantity: 'period' },
    code: 'INVALID_INPUT',
    field: 't_max',
  },
  {
    title: 'the period of rest',
    body: { ...spring, q0: 0, quantity: 'period' },
    code: 'INVALID_INPUT',
    field: 'q0',
  },
  { title: 'steps too coarse', body: { ...spring, dt: 0.9, t_max: 40 }, code: 'ENERGY_NOT_CONSERVED' },
];
