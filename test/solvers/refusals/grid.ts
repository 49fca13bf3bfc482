import type { Refused } from '../solver-test.ts';

const loss = { quantity: 'loss' };
const ieee14 = { case: 'ieee14', ...loss };
const slack = { bus: 1, type: 3, Pd: 0, Qd: 0 };
const load = { bus: 2, type: 1, Pd: 50, Qd: 20 };
const source = { bus: 1, Pg: 0, Vg: 1 };
const line = { fbus: 1, tbus: 2, r: 0.02, x: 0.1, b: 0 };
const pair = { baseMVA: 100, buses: [slack, load], generators: [source], branches: [line] };
const of = (changes: object, more: object = {}) => ({ network: { ...pair, ...changes }, ...loss, ...more });
const wrong = 'INVALID_INPUT';
const missing = 'MISSING_INPUT';

export const refused: readonly Refused[] = [
  { title: 'no network', body: loss, code: missing, field: 'network' },
  { title: 'two networks', body: { ...ieee14, network: pair }, code: wrong, field: 'network' },
  { title: 'no quantity', body: { case: 'ieee14' }, code: missing, field: 'quantity' },
  { title: 'an unknown case', body: { ...ieee14, case: 'ieee15' }, code: wrong, field: 'case' },
  { title: 'a voltage nowhere', body: { case: 'ieee14', quantity: 'voltage' }, code: missing, field: 'bus' },
  {
    title: 'a bus that is not there',
    body: { case: 'ieee14', quantity: 'voltage', bus: 15 },
    code: wrong,
    field: 'bus',
  },
  {
    title: 'a branch that is not there',
    body: { case: 'ieee14', quantity: 'flow', branch: 20 },
    code: wrong,
    field: 'branch',
  },
  {
    title: 'the flow of a branch that is out',
    body: { case: 'ieee14', quantity: 'flow', branch: 2, outages: [2] },
    code: wrong,
    field: 'branch',
  },
  {
    title: 'an outage that is not there',
    body: { ...ieee14, outages: [1, 40] },
    code: wrong,
    field: 'outages[1]',
  },
  { title: 'an island', body: { ...ieee14, outages: [13] }, code: wrong, field: 'outages' },
  {
    title: 'no slack',
    body: of({ buses: [{ ...slack, type: 2 }, load] }),
    code: wrong,
    field: 'network.buses',
  },
  {
    title: 'two slacks',
    body: of({ buses: [slack, { ...load, type: 3 }], generators: [source, { bus: 2, Pg: 0, Vg: 1 }] }),
    code: wrong,
    field: 'network.buses',
  },
  { title: 'a bus twice', body: of({ buses: [slack, slack] }), code: wrong, field: 'network.buses[1].bus' },
  {
    title: 'a slack without a generator',
    body: of({ generators: [] }),
    code: wrong,
    field: 'network.generators',
  },
  {
    title: 'a branch without impedance',
    body: of({ branches: [{ ...line, r: 0, x: 0 }] }),
    code: wrong,
    field: 'network.branches[0].x',
  },
  {
    title: 'a branch to nowhere',
    body: of({ branches: [{ ...line, tbus: 7 }] }),
    code: wrong,
    field: 'network.branches[0].tbus',
  },
  {
    title: 'generators that disagree',
    body: of({ generators: [source, { ...source, Vg: 1.02 }] }),
    code: wrong,
    field: 'network.generators[1].Vg',
  },
  {
    title: 'limits that are not given',
    body: of(
      { buses: [slack, { ...load, type: 2 }], generators: [source, { bus: 2, Pg: 0, Vg: 1 }] },
      { enforceQ: true },
    ),
    code: missing,
    field: 'network.generators[1].Qmin',
  },
  { title: 'a negative load scale', body: { ...ieee14, loadScale: -1 }, code: wrong, field: 'loadScale' },
  { title: 'a voltage collapse', body: { ...ieee14, loadScale: 5 }, code: 'DID_NOT_CONVERGE' },
];
