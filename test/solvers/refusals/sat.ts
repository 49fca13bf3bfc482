import type { Refused } from '../solver-test.ts';

const decide = (clauses: unknown, more: object = {}) => ({ mode: 'decide', clauses, ...more });
const text = (dimacs: string) => ({ mode: 'decide', dimacs });
/** Seven pigeons in six holes. */
const pigeons = [
  ...Array.from({ length: 7 }, (_, p) => Array.from({ length: 6 }, (_, h) => 6 * p + h + 1)),
  ...Array.from({ length: 6 }, (_, h) =>
    Array.from({ length: 7 }, (_, p) =>
      Array.from({ length: p }, (_, q) => [-(6 * p + h + 1), -(6 * q + h + 1)]),
    ),
  ).flat(2),
];

export const refused: readonly Refused[] = [
  { title: 'no mode', body: { clauses: [[1]] }, code: 'MISSING_INPUT', field: 'mode' },
  { title: 'no formula', body: { mode: 'decide' }, code: 'MISSING_INPUT', field: 'clauses' },
  {
    title: 'two formulas',
    body: { ...text('p cnf 1 1\n1 0\n'), clauses: [[1]] },
    code: 'INVALID_INPUT',
    field: 'clauses',
  },
  { title: 'the literal 0', body: decide([[1, 0]]), code: 'INVALID_INPUT', field: 'clauses[0][1]' },
  {
    title: 'a literal out of range',
    body: decide([[1], [-3]], { variables: 2 }),
    code: 'INVALID_INPUT',
    field: 'clauses[1][0]',
  },
  { title: 'half a literal', body: decide([[1.5]]), code: 'INVALID_INPUT', field: 'clauses[0][0]' },
  { title: 'no header', body: text('1 2 0\n'), code: 'INVALID_INPUT', field: 'dimacs' },
  {
    title: 'a header of another kind',
    body: text('p sat 2 1\n1 2 0\n'),
    code: 'INVALID_INPUT',
    field: 'dimacs',
  },
  { title: 'an unknown variable', body: text('p cnf 2 1\n1 3 0\n'), code: 'INVALID_INPUT', field: 'dimacs' },
  { title: 'words in a clause', body: text('p cnf 2 1\n1 two 0\n'), code: 'INVALID_INPUT', field: 'dimacs' },
  {
    title: 'a clause without an end',
    body: text('p cnf 2 1\n1 2\n'),
    code: 'INVALID_INPUT',
    field: 'dimacs',
  },
  { title: 'a clause too few', body: text('p cnf 2 2\n1 2 0\n'), code: 'INVALID_INPUT', field: 'dimacs' },
  {
    title: 'variables beside a text',
    body: { ...text('p cnf 1 1\n1 0\n'), variables: 1 },
    code: 'INVALID_INPUT',
    field: 'variables',
  },
  {
    title: 'a count over too many variables',
    body: { mode: 'count', clauses: [[1]], variables: 101 },
    code: 'LIMIT_EXCEEDED',
    field: 'clauses',
  },
  {
    title: 'variables without end',
    body: decide([[1]], { variables: 1e9 }),
    code: 'LIMIT_EXCEEDED',
    field: 'clauses',
  },
  {
    title: 'more models than a double holds',
    body: { mode: 'count', clauses: [[1]], variables: 60 },
    code: 'LIMIT_EXCEEDED',
    field: 'mode',
  },
  {
    title: 'a budget of nothing',
    body: decide([[1]], { conflictBudget: 0 }),
    code: 'INVALID_INPUT',
    field: 'conflictBudget',
  },
  {
    title: 'a budget that is spent',
    body: decide(pigeons, { conflictBudget: 20 }),
    code: 'DID_NOT_CONVERGE',
  },
  {
    title: 'a count whose budget is spent',
    body: { mode: 'count', clauses: pigeons, conflictBudget: 20 },
    code: 'DID_NOT_CONVERGE',
  },
];
