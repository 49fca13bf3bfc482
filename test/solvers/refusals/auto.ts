import type { Refused } from '../solver-test.ts';

const option = 'Black-Scholes call S=100 K=100 r=5% sigma=20%';

export const refused: readonly Refused[] = [
  {
    title: 'a text about nothing here',
    body: { query: 'the weather tomorrow in Vienna' },
    code: 'NO_ROUTE',
    field: 'query',
  },
  {
    title: 'a text about two solvers',
    body: { query: 'heat of an epidemic' },
    code: 'AMBIGUOUS_QUERY',
    field: 'query',
  },
  { title: 'no text', body: {}, code: 'MISSING_INPUT', field: 'query' },
  { title: 'an empty text', body: { query: '' }, code: 'INVALID_INPUT', field: 'query' },
  { title: 'a question that lacks an input', body: { query: option }, code: 'MISSING_INPUT', field: 'T' },
  {
    title: 'a number that nobody named',
    body: { query: `${option} T=1 year and then 7` },
    code: 'INVALID_INPUT',
    field: 'query',
  },
  {
    title: 'a constant against the text',
    body: { query: `${option} T=1 year`, constants: { K: 110 } },
    code: 'INVALID_INPUT',
    field: 'K',
  },
  {
    title: 'a constant that the solver has not',
    body: { query: `${option} T=1 year`, constants: { albedo: 0.3 } },
    code: 'INVALID_INPUT',
    field: 'constants.albedo',
  },
  {
    title: 'a value that the solver refuses',
    body: { query: 'Black-Scholes call S=100 K=100 r=5% sigma=-20% T=1 year' },
    code: 'INVALID_INPUT',
    field: 'sigma',
  },
];
