import type { Refused } from '../solver-test.ts';

const column = { E: 2e11, I: 1e-8, L: 1, ends: 'pinned-pinned' };
const { E: _, ...withoutE } = column;
const steps = (...lengths: number[]) => ({ steps: lengths.map((L) => ({ L, I: 1e-8 })) });

export const refused: readonly Refused[] = [
  { title: 'no modulus', body: withoutE, code: 'MISSING_INPUT', field: 'E' },
  { title: 'no second moment', body: { ...column, I: 0 }, code: 'INVALID_INPUT', field: 'I' },
  { title: 'unknown ends', body: { ...column, ends: 'free-free' }, code: 'INVALID_INPUT', field: 'ends' },
  { title: 'a foundation that pushes', body: { ...column, kf: -1 }, code: 'INVALID_INPUT', field: 'kf' },
  { title: 'too few elements', body: { ...column, N: 4 }, code: 'INVALID_INPUT', field: 'N' },
  {
    title: 'a power above that of a cone',
    body: { ...column, I: { taper: { I0: 1e-8, I1: 2e-8, power: 5 } } },
    code: 'INVALID_INPUT',
    field: 'I.taper.power',
  },
  {
    title: 'steps that do not fill the column',
    body: { ...column, I: steps(0.5, 0.4) },
    code: 'INVALID_INPUT',
    field: 'I.steps',
  },
  {
    title: 'a yield stress without a section',
    body: { ...column, sigmaY: 2.5e8 },
    code: 'MISSING_INPUT',
    field: 'A',
  },
  {
    title: 'a section without a yield stress',
    body: { ...column, A: 1e-3 },
    code: 'MISSING_INPUT',
    field: 'sigmaY',
  },
  {
    title: 'a needle that thickens ten thousand times and more',
    body: { ...column, I: { taper: { I0: 1e-8, I1: 2e-4, power: 4 } } },
    code: 'LIMIT_EXCEEDED',
    field: 'I',
  },
  {
    title: 'a wedge whose series would need a panel for every grain',
    body: { ...column, I: { taper: { I0: 1e-8, I1: 1e-5, power: 1 } } },
    code: 'LIMIT_EXCEEDED',
    field: 'I',
  },
  { title: 'a foundation of rock', body: { ...column, kf: 1e30 }, code: 'LIMIT_EXCEEDED', field: 'kf' },
  {
    title: 'a stub that yields before it buckles',
    body: { ...column, L: 0.1, A: 1e-4, sigmaY: 2.5e8 },
    code: 'EULER_INVALID',
    field: 'sigmaY',
  },
  {
    title: 'a mesh that is too coarse for its foundation',
    body: { ...column, kf: 1e9, N: 8 },
    code: 'OUTSIDE_TOLERANCE',
  },
];
