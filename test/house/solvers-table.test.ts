import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { repositoryRoot } from '../root.ts';
import { evidenceOf } from '../solvers/evidence.ts';

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
const evidenceFile = (name: string) =>
  join(repositoryRoot, 'dist', 'evidence', `no-room-${name}.no-solver.json`);

t.test('the table has a line for each solver, with its route, verb and page', async (t) => {
  const { solversTable } = await import(pathToFileURL(join(repositoryRoot, 'scripts', 'solvers.mjs')).href);
  const lines = ((await solversTable()) as string).split('\n').slice(2, 34);
  t.equal(lines.length, 32);
  for (const line of lines) t.match(line, /^([a-z]+) +yes +svc run \1 +yes /);
});

t.test(
  'a bench of a small size stands in no column of ratios, nor beside one of the whole size',
  async (t) => {
    const { solversTable } = await import(pathToFileURL(join(repositoryRoot, 'scripts', 'solvers.mjs')).href);
    const row = { figure: 'zeta: zero 100', unit: 'jobs/s', value: 100, peer: 25 };
    const native = { ...row, against: 'C' };
    const python = { ...row, against: 'Python: mpmath' };
    const lineOf = async (measured: object[]): Promise<string> =>
      (await solversTable(measured)).split('\n').find((line: string) => line.startsWith('zeta '));
    const whole = { rows: [native, python], quick: false };
    const small = {
      rows: [
        { ...native, peer: 700 },
        { ...python, peer: 900 },
      ],
      quick: true,
    };
    t.match(await lineOf([whole]), / 100 jobs\/s +0\.25 \(C\) +0\.25 \(mpmath\)$/);
    t.match(await lineOf([small, whole]), / 100 jobs\/s +0\.25 \(C\) +0\.25 \(mpmath\)$/);
    t.match(await lineOf([small]), / 100 jobs\/s, small size +– +–$/);
  },
);
