import t from 'tap';
import { schrodinger } from '../../src/solvers/schrodinger.ts';
import { refusalOf, solved } from './solver-test.ts';

// Passages through tables, whose third derivative jumps at every node. Expected: SciPy's DOP853 from node to node of its
// natural cubic spline, at 1e-12.

const passage = { mode: 'transmission', units: 'reduced', mass: 1 };
const places = Array.from({ length: 301 }, (_, i) => i / 10 - 15);
const chain = {
  ...{ ...passage, E: 1 },
  potential: {
    ...{ type: 'table', x: places },
    V: places.map((_, i) => (i > 25 && i < 275 && i % 50 < 10 ? 3 : 0)),
  },
};
const uneven = {
  ...{ ...passage, E: 1.2 },
  potential: {
    ...{ type: 'table', x: [-4, -2.5, -2, -0.3, 0, 1.1, 1.3, 4] },
    V: [0, 6, 1, 8, -3, 7, 2, 0.5],
  },
};
const share = async (body: object) => (await solved(schrodinger, body)).verdict.value;

for (const [title, body, expected] of [
  ['a chain of five barriers', chain, 4.435143552920234e-7],
  ['nodes far apart, at different distances', uneven, 2.0505631214552034e-12],
] as const)
  t.test(`a passage through a table: ${title}`, async (t) => {
    t.ok(Math.abs((await share(body)) / expected - 1) < 1e-6);
  });

t.test('an N that a passage is told is taken', async (t) => {
  const coarse = { ...uneven, E: 9, N: 16 };
  const [, N] = /^N = (\d+)$/.exec(String((await refusalOf(schrodinger, coarse)).details.accepts)) ?? [];
  t.ok(
    Math.abs((await share({ ...coarse, N: Number(N) })) / (await share({ ...coarse, N: 4096 })) - 1) < 1e-3,
  );
});

t.test('waves of any length fit the steps of their own choice', async (t) => {
  const steep = { type: 'poschl-teller', a: 1, lambda: 192.96 };
  t.equal((await share({ ...passage, potential: steep, E: 2e4 })).toFixed(6), '1.000000');
});

t.test('what numbers have no digits for is not sealed', async (t) => {
  const wall = { ...passage, potential: { type: 'barrier', V0: 1e6, L: 1 }, E: 1 };
  t.match(await refusalOf(schrodinger, wall), { code: 'INVALID_INPUT', details: { field: 'E' } });
});
