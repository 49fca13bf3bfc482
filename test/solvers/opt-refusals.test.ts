import { type Refused, testRefusals } from './refusals.ts';

const lp = { mode: 'lp', c: [1, 1], A: [[1, 1]], b: [4], lower: [0, 0] };
const qp = {
  mode: 'qp',
  H: [
    [2, 0],
    [0, 2],
  ],
  g: [1, 1],
};
const fit = { mode: 'nls', model: 'power', data: { x: [1, 2, 3], y: [1, 4, 9] }, x0: [1, 1] };
const quartic = { mode: 'unconstrained', polynomial: [{ c: 1, powers: [4] }], x0: [1] };

const refused: readonly Refused[] = [
  { title: 'no mode', body: { c: [1] }, code: 'MISSING_INPUT', field: 'mode' },
  { title: 'no cost', body: { mode: 'lp' }, code: 'MISSING_INPUT', field: 'c' },
  { title: 'rows without sides', body: { ...lp, b: undefined }, code: 'MISSING_INPUT', field: 'b' },
  { title: 'sides without rows', body: { ...lp, d: [1] }, code: 'MISSING_INPUT', field: 'E' },
  { title: 'a start of a programme', body: { ...lp, x0: [1, 1] }, code: 'INVALID_INPUT', field: 'x0' },
  { title: 'a row too short', body: { ...lp, A: [[1]] }, code: 'INVALID_INPUT', field: 'A[0]' },
  {
    title: 'a row too many',
    body: {
      ...lp,
      A: [
        [1, 1],
        [1, 2],
      ],
    },
    code: 'INVALID_INPUT',
    field: 'A',
  },
  {
    title: 'an entry outside',
    body: { ...lp, A: { shape: [1, 2], entries: [[0, 2, 1]] } },
    code: 'INVALID_INPUT',
    field: 'A.entries[0]',
  },
  {
    title: 'a sparse matrix of another shape',
    body: { ...lp, A: { shape: [2, 2], entries: [] } },
    code: 'INVALID_INPUT',
    field: 'A.shape',
  },
  {
    title: 'bounds that cross',
    body: { ...lp, upper: [-1, null] },
    code: 'INVALID_INPUT',
    field: 'upper[0]',
  },
  { title: 'a bound too few', body: { ...lp, lower: [0] }, code: 'INVALID_INPUT', field: 'lower' },
  {
    title: 'a small cost that falls for ever',
    body: { mode: 'lp', c: [-1e-12], lower: [0] },
    code: 'INVALID_INPUT',
    field: 'c',
  },
  {
    title: 'rows that contradict each other',
    body: {
      ...lp,
      A: [
        [1, 1],
        [-1, -1],
      ],
      b: [1, -2],
    },
    code: 'INVALID_INPUT',
    field: 'A',
  },
  {
    title: 'an equality out of reach',
    body: { ...lp, E: [[1, 0]], d: [5] },
    code: 'INVALID_INPUT',
    field: 'A',
  },
  {
    title: 'a cost without an end',
    body: { ...lp, sense: 'max', A: [[1, -1]] },
    code: 'INVALID_INPUT',
    field: 'c',
  },
  {
    title: 'a free cost without an end',
    body: { mode: 'lp', c: [1, 0] },
    code: 'INVALID_INPUT',
    field: 'c',
  },
  {
    title: 'a matrix that is not symmetric',
    body: {
      ...qp,
      H: [
        [2, 1],
        [0, 2],
      ],
    },
    code: 'INVALID_INPUT',
    field: 'H[0][1]',
  },
  {
    title: 'an indefinite matrix',
    body: {
      ...qp,
      H: [
        [1, 2],
        [2, 1],
      ],
    },
    code: 'INVALID_INPUT',
    field: 'H',
  },
  {
    title: 'a flat direction without an end',
    body: {
      ...qp,
      H: [
        [1, 1],
        [1, 1],
      ],
      g: [1, -1],
    },
    code: 'INVALID_INPUT',
    field: 'g',
  },
  {
    title: 'a quadratic programme without a point',
    body: { ...qp, E: [[1, 1]], d: [5], upper: [1, 1] },
    code: 'INVALID_INPUT',
    field: 'A',
  },
  {
    title: 'too many variables',
    body: { mode: 'lp', c: Array.from({ length: 3000 }, () => 1) },
    code: 'LIMIT_EXCEEDED',
    field: 'c',
  },
  {
    title: 'no objective',
    body: { mode: 'unconstrained', x0: [1] },
    code: 'MISSING_INPUT',
    field: 'function',
  },
  {
    title: 'two objectives',
    body: { ...quartic, function: 'beale' },
    code: 'INVALID_INPUT',
    field: 'polynomial',
  },
  {
    title: 'an unknown function',
    body: { mode: 'unconstrained', function: 'ackley', x0: [1, 1] },
    code: 'INVALID_INPUT',
    field: 'function',
  },
  {
    title: 'exponents of other variables',
    body: { ...quartic, x0: [1, 1] },
    code: 'INVALID_INPUT',
    field: 'polynomial[0].powers',
  },
  {
    title: 'a huge exponent',
    body: { ...quartic, polynomial: [{ c: 1, powers: [1e6] }] },
    code: 'LIMIT_EXCEEDED',
    field: 'polynomial[0].powers[0]',
  },
  {
    title: 'a cubic that falls for ever',
    body: { ...quartic, polynomial: [{ c: 1, powers: [3] }] },
    code: 'INVALID_INPUT',
    field: 'polynomial',
  },
  {
    title: 'a start outside of the box',
    body: { mode: 'unconstrained', function: 'mccormick', x0: [5, 0] },
    code: 'INVALID_INPUT',
    field: 'x0[0]',
  },
  {
    title: 'a minimum that is not isolated',
    body: { ...quartic, polynomial: [{ c: 1, powers: [2, 0] }], x0: [1, 1] },
    code: 'OUTSIDE_TOLERANCE',
  },
  { title: 'no data', body: { ...fit, data: undefined }, code: 'MISSING_INPUT', field: 'data' },
  { title: 'parameters too many', body: { ...fit, x0: [1, 1, 1] }, code: 'INVALID_INPUT', field: 'x0' },
  {
    title: 'ordinates too few',
    body: { ...fit, data: { x: [1, 2], y: [1] } },
    code: 'INVALID_INPUT',
    field: 'data.y',
  },
  {
    title: 'a weight of nothing',
    body: { ...fit, data: { ...fit.data, weight: [1, 0, 1] } },
    code: 'INVALID_INPUT',
    field: 'data.weight[1]',
  },
  {
    title: 'a power of a negative number',
    body: { ...fit, data: { x: [-1, 2, 3], y: [1, 4, 9] } },
    code: 'INVALID_INPUT',
    field: 'data.x[0]',
  },
];

testRefusals('opt', refused);
