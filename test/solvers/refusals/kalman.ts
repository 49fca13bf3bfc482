import type { Refused } from '../solver-test.ts';

const one = { F: [[1]], H: [[1]], Q: [[1]], R: [[1]], quantity: 'state', component: [0] };
const walk = { ...one, x0: [0], P0: [[1]], z: [[1], [2]] };
const { z: _, ...withoutZ } = walk;
const { P0: __, ...withoutP0 } = walk;
const { R: ___, ...withoutR } = walk;
const { component: ____, ...withoutComponent } = walk;
const { x0: _____, ...withoutStart } = withoutP0;

export const refused: readonly Refused[] = [
  { title: 'no noise', body: withoutR, code: 'MISSING_INPUT', field: 'R' },
  { title: 'half a start', body: withoutP0, code: 'MISSING_INPUT', field: 'P0' },
  { title: 'no measurements', body: withoutZ, code: 'MISSING_INPUT', field: 'z' },
  { title: 'no component', body: withoutComponent, code: 'MISSING_INPUT', field: 'component' },
  {
    title: 'a component beyond',
    body: { ...walk, component: [1] },
    code: 'INVALID_INPUT',
    field: 'component',
  },
  {
    title: 'a component of the likelihood',
    body: { ...walk, quantity: 'logLikelihood' },
    code: 'INVALID_INPUT',
    field: 'component',
  },
  { title: 'F that is no square', body: { ...walk, F: [[1, 0]] }, code: 'INVALID_INPUT', field: 'F' },
  { title: 'H of another width', body: { ...walk, H: [[1, 0]] }, code: 'INVALID_INPUT', field: 'H' },
  { title: 'a negative Q', body: { ...walk, Q: [[-1]] }, code: 'INVALID_INPUT', field: 'Q' },
  { title: 'R without noise', body: { ...walk, R: [[0]] }, code: 'INVALID_INPUT', field: 'R' },
  { title: 'a negative P0', body: { ...walk, P0: [[-1]] }, code: 'INVALID_INPUT', field: 'P0' },
  { title: 'measurements of two numbers', body: { ...walk, z: [[1, 2]] }, code: 'INVALID_INPUT', field: 'z' },
  { title: 'controls without B', body: { ...walk, u: [[1], [1]] }, code: 'MISSING_INPUT', field: 'B' },
  { title: 'too few controls', body: { ...walk, B: [[1]], u: [[1]] }, code: 'INVALID_INPUT', field: 'u' },
  {
    title: 'two starts',
    body: { ...walk, initialState: { x: [0], P: [[1]] } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'numbers that fill no row',
    body: { ...walk, H: [1, 0.5], R: [1, 0, 0, 1], z: [1, 2, 3] },
    code: 'INVALID_INPUT',
    field: 'z',
  },
  { title: 'a start without numbers', body: { ...withoutStart, initialState: {} }, code: 'MISSING_INPUT' },
  {
    title: 'half an initialState',
    body: { ...withoutStart, initialState: { x: [0] } },
    code: 'MISSING_INPUT',
    field: 'initialState.P',
  },
  {
    title: 'measurements of a limit',
    body: { ...walk, steady: true, quantity: 'gain', component: [0, 0] },
    code: 'INVALID_INPUT',
    field: 'z',
  },
  {
    title: 'a state of a limit',
    body: { ...withoutZ, steady: true },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  {
    title: 'a smoother of too much',
    body: { ...walk, z: Array.from({ length: 500 }, () => [1]), smoother: true },
    code: 'LIMIT_EXCEEDED',
    field: 'z',
  },
  {
    title: 'a limit that is none',
    body: { ...withoutZ, F: [[2]], H: [[0]], steady: true, quantity: 'covariance', component: [0, 0] },
    code: 'DID_NOT_CONVERGE',
    field: 'steady',
  },
];
