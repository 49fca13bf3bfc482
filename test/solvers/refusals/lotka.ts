import type { Refused } from '../solver-test.ts';

const rates = { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1 };
const orbit = { ...rates, x0: 1, y0: 1, t_max: 10 };
const { x0: _, ...withoutX0 } = orbit;
const { gamma: __, ...withoutGamma } = orbit;

export const refused: readonly Refused[] = [
  { title: 'no rate', body: withoutGamma, code: 'MISSING_INPUT', field: 'gamma' },
  { title: 'a rate of zero', body: { ...orbit, alpha: 0 }, code: 'INVALID_INPUT', field: 'alpha' },
  { title: 'a negative population', body: { ...orbit, y0: -1 }, code: 'INVALID_INPUT', field: 'y0' },
  { title: 'an end at once', body: { ...orbit, t_max: 0 }, code: 'INVALID_INPUT', field: 't_max' },
  { title: 'half a start', body: withoutX0, code: 'MISSING_INPUT', field: 'x0' },
  {
    title: 'two starts',
    body: { ...orbit, initialState: { x: 1, y: 1 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half an initialState',
    body: { ...rates, t_max: 1, initialState: { x: 1 } },
    code: 'MISSING_INPUT',
    field: 'initialState.y',
  },
  {
    title: 'an orbit that leaves the numbers',
    body: { ...orbit, x0: 1000 },
    code: 'LIMIT_EXCEEDED',
    field: 'x0',
  },
  {
    title: 'rates that overflow',
    body: { ...orbit, delta: 1e308, x0: 1e308 },
    code: 'LIMIT_EXCEEDED',
    field: 'x0',
  },
  { title: 'a tiny step', body: { ...orbit, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  { title: 'a very long run', body: { ...orbit, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'a period that is not reached',
    body: { ...orbit, t_max: 5, quantity: 'period' },
    code: 'INVALID_INPUT',
    field: 't_max',
  },
];
