import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { repositoryRoot } from '../root.ts';

const { emptyTally, tally, tapSink } = await import(
  pathToFileURL(join(repositoryRoot, 'scripts', 'tap-counts.mjs')).href
);

/** What `npm test` would count for files that said this. */
function counted(...lines: readonly string[]): string {
  const { parser, files } = tapSink();
  parser.end(['TAP version 14', ...lines, ''].join('\n'));
  const counts = emptyTally();
  for (const file of files) tally(file, [file.name], counts);
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}

const file = (end: string, ...body: readonly string[]): string[] => [
  '# Subtest: a.test.js',
  ...body.map((line) => `    ${line}`),
  end,
  '1..1',
];
const subtest = (end: string, ...body: readonly string[]): string[] => [
  '# Subtest: claim',
  ...body.map((line) => `    ${line}`),
  end,
];

t.test('a thousand assertions are one test', async (t) => {
  const assertions = Array.from({ length: 1000 }, (_, index) => `ok ${index + 1} - case`);
  const one = subtest('ok 1 - claim', ...assertions, '1..1000');
  t.equal(counted(...file('ok 1 - a.test.js', ...one, '1..1')), '1 passed, 0 failed, 0 skipped');
});

t.test('a failed assertion fails its test once, and not the file again', async (t) => {
  const one = subtest('not ok 1 - claim', 'ok 1 - this', 'not ok 2 - that', '1..2');
  t.equal(counted(...file('not ok 1 - a.test.js', ...one, '1..1')), '0 passed, 1 failed, 0 skipped');
});

t.test('a file that crashed after its tests passed is a failure', async (t) => {
  const one = subtest('ok 1 - claim', 'ok 1 - this', '1..1');
  t.equal(counted(...file('not ok 1 - a.test.js', ...one, '1..1')), '1 passed, 1 failed, 0 skipped');
});

t.test('a file that crashed before its first test is a failure', async (t) => {
  t.equal(counted(...file('not ok 1 - a.test.js', '1..0')), '0 passed, 1 failed, 0 skipped');
});

t.test('a skip is neither passed nor failed, wherever it is said', async (t) => {
  const skipped = ['ok 1 - claim # SKIP no server', '1..1'];
  t.equal(counted(...file('ok 1 - a.test.js', ...skipped)), '0 passed, 0 failed, 1 skipped');
  t.equal(
    counted(...file('ok 1 - a.test.js # SKIP no gcc', '1..0 # no gcc')),
    '0 passed, 0 failed, 1 skipped',
  );
});

t.test('no file, no count', async (t) => {
  t.equal(counted('1..0'), '0 passed, 0 failed, 0 skipped');
});
