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
