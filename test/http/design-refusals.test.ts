import { createHash } from 'node:crypto';
import t from 'tap';
import { type Refused, testRefusals } from '../solvers/refusals.ts';
import { books, testApp } from './test-app.ts';

// Refusals of the design that the tests of their solvers ask of the plan alone, or not at all: here as a caller meets them.

t.setTimeout(300_000);

const spring = { t_end: 3, m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0 };
const decay = { t_end: 4, c: 1, k: 0.3, y0: 5 };
const duffing = { t_end: 60, m: 1, c: 0.02, k: -1, beta: 1, F: 0.3, Omega: 1.2, x0: 1, v0: 0 };

const row = (title: string, body: object, code: string, field?: string, says?: RegExp): Refused => ({
  ...{ title, body, code },
  ...(field !== undefined && { field }),
  ...(says && { says }),
});
const ofSpring = (more: object) => ({ inputs: { ...spring, ...more } });
const every = /inputs \{t_end, m, k, x0, v0\}.*or inputs \{t_end, c, k, y0\}/;

testRefusals('solve', [
  row(
    'nothing but an end, with every set that is accepted',
    { inputs: { t_end: 1 } },
    'MISSING_INPUT',
    'inputs',
    every,
  ),
  row('a mass without its start', { inputs: { t_end: 1, m: 1, k: 1 } }, 'MISSING_INPUT', 'inputs', every),
  row('a start of both orders', ofSpring({ y0: 1 }), 'INVALID_INPUT', 'inputs'),
  row('a force without Omega', ofSpring({ F: 1 }), 'MISSING_INPUT', 'inputs', /Omega/),
  row('Omega without a force', ofSpring({ Omega: 1 }), 'MISSING_INPUT', 'inputs', /F/),
  row('a mass of zero', ofSpring({ m: 0 }), 'INVALID_INPUT', 'inputs.m'),
  row('a negative mass', ofSpring({ m: -1 }), 'INVALID_INPUT', 'inputs.m'),
  row('an end at once', ofSpring({ t_end: 0 }), 'INVALID_INPUT', 'inputs.t_end'),
  row('a negative damping', ofSpring({ c: -1 }), 'INVALID_INPUT', 'inputs.c'),
  row('no damping at order 1', { inputs: { ...decay, c: 0 } }, 'INVALID_INPUT', 'inputs.c'),
  row(
    'strict without a limit',
    { inputs: spring, strict: true },
    'MISSING_INPUT',
    'maxIterations',
    /1 to 40/,
  ),
  row('no level', { inputs: spring, strict: true, maxIterations: 0 }, 'INVALID_INPUT', 'maxIterations'),
  row('41 levels', { inputs: spring, strict: true, maxIterations: 41 }, 'INVALID_INPUT', 'maxIterations'),
  row('levels without strict', { inputs: spring, maxIterations: 4 }, 'INVALID_INPUT', 'maxIterations'),
  row(
    'a step beyond the limit of RK4',
    { inputs: { t_end: 3, m: 2, k: 50, x0: 0.1, v0: 0 }, dt: 0.6 },
    'STABILITY_LIMIT',
    'dt',
    /2\.8284/,
  ),
  row('a decay beyond it', { inputs: { ...decay, k: 3 }, dt: 1 }, 'STABILITY_LIMIT', 'dt', /2\.7853/),
  row('a trillion steps', ofSpring({ t_end: 1e12 }), 'LIMIT_EXCEEDED', 'inputs.t_end'),
  row(
    'a motion that escapes',
    { inputs: { t_end: 20, m: 1, k: 1, beta: -1, x0: 1.2, v0: 0 } },
    'DID_NOT_CONVERGE',
    undefined,
    /escapes/,
  ),
  row(
    'a timeout without a closed form',
    { inputs: duffing, dt: 0.5, strict: true, maxIterations: 1 },
    'DID_NOT_CONVERGE',
  ),
  row(
    'levels that disagree',
    { inputs: { t_end: 400, m: 1, c: 0.05, k: 0, beta: 1, F: 7.5, Omega: 1, x0: 1, v0: 0 } },
    'OUTSIDE_TOLERANCE',
    undefined,
    /three steps/,
  ),
  row(
    'an operator that is not there',
    { operators: ['ODE_NOWHERE'], inputs: {} },
    'UNKNOWN_OPERATOR',
    'operators',
  ),
  row('an operator with a closed form', { operators: ['SP7'], inputs: {} }, 'UNSUPPORTED', 'operators'),
]);

const argon = { units: 'lj', r_c: 2.5, truncation: 'shifted', dt: 0.004, t_max: 0.004 };
testRefusals('evolve', [
  row(
    'more than a million atoms',
    { ...argon, initialState: { cells: 63, density: 0.8, temperature: 1 } },
    'INVALID_INPUT',
    'initialState.cells',
    /1 to 62/,
  ),
]);

testRefusals('sat', [
  row(
    'more than a million clauses',
    { mode: 'decide', dimacs: `p cnf 1 1000001\n${'1 0 '.repeat(1_000_001)}` },
    'LIMIT_EXCEEDED',
    'dimacs',
    /1000001 clauses/,
  ),
]);

const atoms = (count: number) => ({
  position: Array.from({ length: count }, (_, i) => [i, 0, 0]),
  sigma: 1,
  epsilon: 1,
});
testRefusals('dock', [
  row(
    'a receptor of 5001 atoms',
    {
      receptor: atoms(5001),
      ligand: atoms(1),
      combination: 'geometric',
      box: { center: [0, 0, 0], size: [1, 1, 1] },
    },
    'INVALID_INPUT',
    'receptor.position',
    /1 to 5000 items/,
  ),
  row(
    'a ligand of 201 atoms',
    {
      receptor: atoms(1),
      ligand: atoms(201),
      combination: 'geometric',
      box: { center: [0, 0, 0], size: [1, 1, 1] },
    },
    'INVALID_INPUT',
    'ligand.position',
    /1 to 200 items/,
  ),
]);

testRefusals('opt', [
  row(
    'a way to the optimum that leaves the finite numbers',
    {
      ...{ mode: 'lp', sense: 'max', c: [3, 5], b: [4, 12, 18], lower: [-1e308, 0] },
      A: [
        [1, 0],
        [0, 2],
        [3, 2],
      ],
    },
    'NON_FINITE',
  ),
  row(
    'McCormick outside of its box, below which it falls for ever',
    { mode: 'unconstrained', function: 'mccormick', x0: [5, 5] },
    'INVALID_INPUT',
    'x0[0]',
  ),
]);

t.test('multibody: 65537 bodies, which only blobs carry, are refused, and no planck moves', async (t) => {
  const api = await testApp(t);
  const blobOf = async (doubles: Float64Array) => {
    const bytes = Buffer.from(doubles.buffer);
    const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/octet-stream' };
    const put = await api.app.inject({ method: 'PUT', url: '/api/svc/blobs', headers, payload: bytes });
    t.equal(put.statusCode, 201, put.payload);
    return { $blob: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
  };
  const bodies = 65_537;
  const body = {
    position: await blobOf(Float64Array.from({ length: 3 * bodies }, (_, i) => i)),
    velocity: await blobOf(new Float64Array(3 * bodies)),
    mass: await blobOf(new Float64Array(bodies).fill(1)),
    ...{ referenceMode: 'gravity', dt: 1, t_max: 1 },
  };
  const before = await books(api);
  const { error } = (await api.post('/api/svc/multibody', body)).body;
  t.match(error, { code: 'LIMIT_EXCEEDED', field: 'position', bound: 65_536 });
  t.same(await books(api), before);
});
