import { notchedSquare } from '../../../src/solvers/fracture/examples.ts';
import type { Refused } from '../solver-test.ts';

const bar = {
  mode: 'bar',
  model: 'at1',
  E: 30e9,
  Gc: 100,
  ell: 0.01,
  L: 0.1,
  loading: { uMax: 3e-5, steps: 10 },
  N: 80,
};
const plate = { ...notchedSquare, loading: { uMax: 2e-6, steps: 2 } };
const without = (body: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const zeros = (count: number) => new Array<number>(count).fill(0);
const start = { u: zeros(81), d: zeros(81), step: 0 };

export const refused: readonly Refused[] = [
  { title: 'no model', body: without(bar, 'model'), code: 'MISSING_INPUT', field: 'model' },
  { title: 'no loading', body: without(bar, 'loading'), code: 'MISSING_INPUT', field: 'loading' },
  { title: 'a bar without length', body: without(bar, 'L'), code: 'MISSING_INPUT', field: 'L' },
  { title: 'a plate without notch', body: without(plate, 'notch'), code: 'MISSING_INPUT', field: 'notch' },
  {
    title: 'a plate without Poisson’s ratio',
    body: without(plate, 'nu'),
    code: 'MISSING_INPUT',
    field: 'nu',
  },
  { title: 'a plate without split', body: without(plate, 'split'), code: 'MISSING_INPUT', field: 'split' },
  { title: 'Poisson’s ratio of a bar', body: { ...bar, nu: 0.3 }, code: 'INVALID_INPUT', field: 'nu' },
  { title: 'a plate with a bar’s length', body: { ...plate, L: 1 }, code: 'INVALID_INPUT', field: 'L' },
  {
    title: 'a direction of a bar',
    body: { ...bar, loading: { ...bar.loading, direction: 'shear' } },
    code: 'INVALID_INPUT',
    field: 'loading.direction',
  },
  {
    title: 'the path of a bar',
    body: { ...bar, quantity: 'pathDeviation' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  {
    title: 'the strength of a plate',
    body: { ...plate, quantity: 'peakStress' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  { title: 'no fracture energy', body: { ...bar, Gc: 0 }, code: 'INVALID_INPUT', field: 'Gc' },
  { title: 'an incompressible plate', body: { ...plate, nu: 0.5 }, code: 'INVALID_INPUT', field: 'nu' },
  { title: 'a coarse end of alternation', body: { ...bar, tol: 1e-3 }, code: 'INVALID_INPUT', field: 'tol' },
  { title: 'a short bar', body: { ...bar, L: 0.03 }, code: 'INVALID_INPUT', field: 'L' },
  { title: 'a length of three elements', body: { ...bar, N: 30 }, code: 'STABILITY_LIMIT', field: 'N' },
  { title: 'a length of two cells', body: { ...plate, N: 12 }, code: 'STABILITY_LIMIT', field: 'N' },
  {
    title: 'cells that are not square',
    body: { ...plate, Ly: 1.01e-3 },
    code: 'INVALID_INPUT',
    field: 'N',
  },
  {
    title: 'cells without grids 2h and 4h',
    body: { ...plate, N: 26, quantity: 'crackLength' },
    code: 'INVALID_INPUT',
    field: 'N',
  },
  { title: 'too many elements', body: { ...bar, N: 1e9 }, code: 'LIMIT_EXCEEDED', field: 'N' },
  {
    title: 'too many cells',
    body: without({ ...plate, ell: 1e-9 }, 'N'),
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  {
    title: 'a notch at the edge',
    body: { ...plate, notch: { a: 5e-4, y: 1e-5, angle: 0 } },
    code: 'INVALID_INPUT',
    field: 'notch.y',
  },
  {
    title: 'a notch through the plate',
    body: { ...plate, notch: { a: 2e-3, y: 5e-4, angle: 0 } },
    code: 'INVALID_INPUT',
    field: 'notch.a',
  },
  {
    title: 'a notch that leaves the plate upwards',
    body: { ...plate, notch: { a: 6e-4, y: 5e-4, angle: 1.2 } },
    code: 'INVALID_INPUT',
    field: 'notch.a',
  },
  {
    title: 'a start without damage',
    body: { ...bar, initialState: { u: zeros(81), step: 0 } },
    code: 'MISSING_INPUT',
    field: 'initialState.d',
  },
  {
    title: 'a start without its load step',
    body: { ...bar, initialState: { u: zeros(81), d: zeros(81) } },
    code: 'MISSING_INPUT',
    field: 'initialState.step',
  },
  {
    title: 'a start of another shape',
    body: { ...bar, initialState: { ...start, u: zeros(3) } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  {
    title: 'damage above one',
    body: { ...bar, initialState: { ...start, d: new Array(81).fill(2) } },
    code: 'INVALID_INPUT',
    field: 'initialState.d',
  },
  {
    title: 'load steps that are done',
    body: { ...bar, initialState: { ...start, step: 10 } },
    code: 'INVALID_INPUT',
    field: 'loading.steps',
  },
  {
    title: 'a force that three grids do not agree on',
    body: { ...plate, quantity: 'peakForce' },
    code: 'OUTSIDE_TOLERANCE',
  },
];
