import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { repositoryRoot } from '../root.ts';
import { type Evidence, evidenceOf, presentBuild, presentKernels } from '../solvers/evidence.ts';

t.test('of two test files in one process each keeps what it found itself', (t) => {
  const own = process.argv[1]!;
  t.teardown(() => {
    process.argv[1] = own;
  });
  const evidence = ['first', 'second'].map((name) => {
    process.argv[1] = join(repositoryRoot, 'dist', 'test', 'no-room', `${name}.test.js`);
    return evidenceOf('no-solver');
  });
  t.not(evidence[0], evidence[1]);
  t.equal(evidence[1], evidenceOf('no-solver'));
  process.on('exit', () => rmSync(evidenceFile('first')));
  process.on('exit', () => rmSync(evidenceFile('second')));
  t.end();
});
const tableOf = async (...found: object[][]): Promise<string> => {
  const { solversTable } = await import(pathToFileURL(join(repositoryRoot, 'scripts', 'solvers.mjs')).href);
  return solversTable(...found);
};
const evidenceFile = (name: string) =>
  join(repositoryRoot, 'dist', 'evidence', `no-room-${name}.no-solver.json`);

t.test('the table has a line for each solver, with its route, verb and page', async (t) => {
  const lines = (await tableOf()).split('\n').slice(2, 34);
  t.equal(lines.length, 32);
  for (const line of lines) t.match(line, /^([a-z]+) +yes +svc run \1 +yes /);
});

t.test(
  'a bench of a small size stands in no column of ratios, nor beside one of the whole size',
  async (t) => {
    const row = { figure: 'zeta: zero 100', unit: 'jobs/s', value: 100, peer: 25 };
    const native = { ...row, against: 'C' };
    const python = { ...row, against: 'Python: mpmath' };
    const lineOf = async (measured: object[]): Promise<string> =>
      (await tableOf(measured)).split('\n').find((line) => line.startsWith('zeta '))!;
    const whole = { rows: [native, python], quick: false, kernels: presentKernels };
    const small = {
      rows: [
        { ...native, peer: 700 },
        { ...python, peer: 900 },
      ],
      quick: true,
      kernels: presentKernels,
    };
    t.match(await lineOf([whole]), / 100 jobs\/s +0\.25 \(C\) +0\.25 \(mpmath\)$/);
    t.match(await lineOf([small, whole]), / 100 jobs\/s +0\.25 \(C\) +0\.25 \(mpmath\)$/);
    t.match(await lineOf([small]), / 100 jobs\/s, small size +– +–$/);
  },
);

const headline = { figure: 'zeta: zero 100', unit: 'jobs/s', value: 100, peer: 25, against: 'C' };
const benched = (changes: object = {}) => [
  { rows: [headline], quick: false, kernels: presentKernels, ...changes },
];

t.test('of several rows the one stands in which the peer is furthest ahead', async (t) => {
  const worse = { ...headline, figure: 'zeta: zero 1e6', peer: 90 };
  t.match(await tableOf(benched({ rows: [headline, worse] })), /^zeta .* 0\.9 \(C\)/m);
});

t.test('a rate of kernels that are no more says so', async (t) => {
  t.match(await tableOf(benched()), /^zeta .* 100 jobs\/s +0\.25/m);
  t.match(await tableOf(benched({ kernels: 'others' })), /^zeta .* 100 jobs\/s, earlier kernels +0\.25/m);
});

t.test('a row is whole by what tests and benches found, and not by what they failed at', async (t) => {
  const twin = { ended: 'OUTSIDE_TOLERANCE', refused: true };
  const whole: Evidence = {
    solver: 'zeta',
    build: presentBuild,
    references: [{ title: 'a zero', error: 1e-9, tolerance: 1e-8, source: 'a table' }],
    gates: {},
    orders: [{ title: 'steps', observed: 4.05, theory: 4 }],
    twins: [twin, twin, twin],
  };
  const lacks = async (changes: Partial<Evidence>, measured = benched()) =>
    /^ {2}zeta lacks (.*)$/m.exec(await tableOf(measured, [{ ...whole, ...changes }]))?.[1];
  t.equal(await lacks({}), undefined);
  const missed = { ...whole.references[0]!, error: 1e-7 };
  t.equal(await lacks({ references: [...whole.references, missed] }), 'reference values within tolerance');
  t.match(await lacks({ references: [{ ...missed, error: Number.NaN }] }), /within tolerance/);
  t.match(await lacks({ orders: [{ title: 'steps', observed: 3.8, theory: 4 }] }), /orders within 0\.1/);
  t.match(await lacks({ twins: [twin, twin, { ended: 'INVALID_INPUT', refused: false }] }), /3 twins/);
  t.match(await lacks({ build: 'another' }), /reference values, an order .*, 3 twins/);
  t.equal(await lacks({}, benched({ quick: true })), 'a bench of the whole size');
});
