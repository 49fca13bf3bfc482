import { type Refused, testRefusals } from './refusals.ts';

const silicon = { temperature: 300, epsR: 11.7, ni: 1e16 };
const junction = { dim: 1, ...silicon, Na: 1e22, Nd: 1e22, Lp: 1e-6, Ln: 1e-6, quantity: 'Vbi', N: 64 };
const bar = { ...silicon, doping: 1e21, L: 1e-5, quantity: 'Emax' };
const plane = {
  ...silicon,
  doping: [
    [1e21, -1e21],
    [1e21, -1e21],
  ],
  Lx: 4e-6,
  Ly: 1e-6,
  quantity: 'Vbi',
}; // prettier-ignore
const flow = { mun: 0.135, mup: 0.048, taun: 1e-6, taup: 1e-6 };
const biased = { ...junction, V: 0.4, ...flow, quantity: 'J' };
const without = (body: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

const refused: readonly Refused[] = [
  {
    title: 'no temperature',
    body: without(junction, 'temperature'),
    code: 'MISSING_INPUT',
    field: 'temperature',
  },
  { title: 'no permittivity', body: without(junction, 'epsR'), code: 'MISSING_INPUT', field: 'epsR' },
  { title: 'no intrinsic density', body: without(junction, 'ni'), code: 'MISSING_INPUT', field: 'ni' },
  { title: 'no quantity', body: without(junction, 'quantity'), code: 'MISSING_INPUT', field: 'quantity' },
  { title: 'a junction without dim', body: without(junction, 'dim'), code: 'MISSING_INPUT', field: 'dim' },
  { title: 'no profile', body: { dim: 1, ...silicon, quantity: 'Vbi' }, code: 'MISSING_INPUT', field: 'Na' },
  { title: 'half a junction', body: without(junction, 'Ln'), code: 'MISSING_INPUT', field: 'Ln' },
  { title: 'two profiles', body: { ...junction, doping: 1e21, L: 1e-6 }, code: 'INVALID_INPUT', field: 'Na' },
  { title: 'a junction in the plane', body: { ...junction, dim: 2 }, code: 'INVALID_INPUT', field: 'dim' },
  { title: 'a junction with L', body: { ...junction, L: 1e-6 }, code: 'INVALID_INPUT', field: 'L' },
  { title: 'a bar without its length', body: without(bar, 'L'), code: 'MISSING_INPUT', field: 'L' },
  { title: 'a bar with Ly', body: { ...bar, Ly: 1e-6 }, code: 'INVALID_INPUT', field: 'Ly' },
  { title: 'a rectangle without Ly', body: without(plane, 'Ly'), code: 'MISSING_INPUT', field: 'Ly' },
  { title: 'rows in one dimension', body: { ...plane, dim: 1 }, code: 'INVALID_INPUT', field: 'doping' },
  {
    title: 'numbers in two',
    body: { ...plane, dim: 2, doping: [1e21, 1e21] },
    code: 'INVALID_INPUT',
    field: 'doping',
  },
  { title: 'ragged rows', body: { ...plane, doping: [[1, 2], [1]] }, code: 'INVALID_INPUT', field: 'doping' },
  { title: 'one node', body: { ...bar, doping: [1e21] }, code: 'INVALID_INPUT', field: 'doping' },
  { title: 'degenerate acceptors', body: { ...junction, Na: 1e26 }, code: 'INVALID_INPUT', field: 'Na' },
  { title: 'a degenerate bar', body: { ...bar, doping: -1e26 }, code: 'INVALID_INPUT', field: 'doping' },
  { title: 'hardly any carriers', body: { ...bar, ni: 1e-90 }, code: 'INVALID_INPUT', field: 'ni' },
  {
    title: 'cold beyond numbers',
    body: { ...bar, temperature: 1e-300 },
    code: 'INVALID_INPUT',
    field: 'temperature',
  },
  { title: 'a current without V', body: { ...junction, quantity: 'J' }, code: 'MISSING_INPUT', field: 'V' },
  { title: 'a bias without mobilities', body: without(biased, 'mun'), code: 'MISSING_INPUT', field: 'mun' },
  {
    title: 'recombination without lifetimes',
    body: without(biased, 'taup'),
    code: 'MISSING_INPUT',
    field: 'taup',
  },
  {
    title: 'lifetimes of nothing',
    body: { ...biased, recombination: 'none' },
    code: 'INVALID_INPUT',
    field: 'taun',
  },
  {
    title: 'mobilities in equilibrium',
    body: { ...junction, mun: 0.1 },
    code: 'INVALID_INPUT',
    field: 'mun',
  },
  { title: 'a bias in the plane', body: { ...plane, V: 0.1, ...flow }, code: 'UNSUPPORTED', field: 'V' },
  {
    title: 'a current in the plane',
    body: { ...plane, quantity: 'J' },
    code: 'UNSUPPORTED',
    field: 'quantity',
  },
  { title: 'a bias beyond Vbi + 0.2', body: { ...biased, V: 0.92 }, code: 'INVALID_INPUT', field: 'V' },
  { title: 'a reverse bias above 50 V', body: { ...biased, V: -51 }, code: 'INVALID_INPUT', field: 'V' },
  {
    title: 'a contact in the depletion layer',
    body: { ...junction, Lp: 2e-7 },
    code: 'INVALID_INPUT',
    field: 'Lp',
  },
  {
    title: 'a depletion layer that grew to its contact',
    body: { ...biased, V: -12, quantity: 'Emax' },
    code: 'INVALID_INPUT',
    field: 'Ln',
  },
  {
    title: 'an array whose contact is not neutral',
    body: { ...bar, doping: [-1e22, 1e22], L: 1e-7 },
    code: 'INVALID_INPUT',
    field: 'L',
  },
  {
    title: 'an N that does not halve twice',
    body: { ...junction, N: 36 },
    code: 'INVALID_INPUT',
    field: 'N',
  },
  { title: 'too many cells', body: { ...junction, N: 131072 }, code: 'LIMIT_EXCEEDED', field: 'N' },
  { title: 'too many cells in the plane', body: { ...plane, N: 1024 }, code: 'LIMIT_EXCEEDED', field: 'N' },
  { title: 'too much work', body: { ...biased, V: -50, N: 65536 }, code: 'LIMIT_EXCEEDED', field: 'N' },
  { title: 'mobilities beyond numbers', body: { ...biased, mun: 1e300, mup: 1e300 }, code: 'NON_FINITE' },
  {
    title: 'a current that is less than rounding',
    body: { ...biased, ni: 1e-60, Lp: 4e-6, Ln: 4e-6, V: -10, N: 1024 },
    code: 'OUTSIDE_TOLERANCE',
    field: 'quantity',
  },
  {
    title: 'steps of the bias that take more iterations than are quoted',
    body: {
      ...{ ...biased, ni: 0.05, Na: 4e21, Nd: 4e21, Lp: 7e-6, Ln: 7e-6, V: -50, mun: 50, mup: 1e-4 },
      ...{ N: 32, tol: 1e-12 },
    },
    code: 'DID_NOT_CONVERGE',
    field: 'tol',
  },
  {
    title: 'an initial state',
    body: { ...junction, initialState: { psi: [0] } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'a mesh that does not resolve a junction',
    body: { ...bar, doping: [-1e24, -1e24, 1e24, 1e24], L: 3e-5, N: 64 },
    code: 'OUTSIDE_TOLERANCE',
  },
];

testRefusals('device', refused);
