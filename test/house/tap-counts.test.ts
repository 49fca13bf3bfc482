import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { repositoryRoot } from '../root.ts';

const load = (script: string) => import(pathToFileURL(join(repositoryRoot, 'scripts', script)).href);
const { emptyFile, failuresInBrief, finished, tally } = await load('tap-counts.mjs');
const { runFile, runGroup } = await load('run-file.mjs');

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly unknown[];
}
const said = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** A file that said this and ended with this code, as `npm test` would count it. */
function fileThatSaid(code: number, ...lines: readonly string[]): Counts {
  const { parser, node } = emptyFile('a.test.js');
  let results: unknown;
  parser.on('complete', (all: unknown) => {
    results = all;
  });
  parser.end(['TAP version 14', ...lines, ''].join('\n'));
  return tally(finished(node, { code, signal: null, results, errors: [], ms: 1 }));
}
const counted = (...file: Parameters<typeof fileThatSaid>): string => said(fileThatSaid(...file));

const subtest = (end: string, ...body: readonly string[]): string[] => [
  '# Subtest: claim',
  ...body.map((line) => `    ${line}`),
  end,
];

t.test('a thousand assertions are one test', async (t) => {
  const assertions = Array.from({ length: 1000 }, (_, index) => `ok ${index + 1} - case`);
  const one = subtest('ok 1 - claim', ...assertions, '1..1000');
  t.equal(counted(0, ...one, '1..1'), '1 passed, 0 failed, 0 skipped');
});

t.test('a failed assertion fails its test once, and not the file again', async (t) => {
  const one = subtest('not ok 1 - claim', 'ok 1 - this', 'not ok 2 - that', '1..2');
  t.equal(counted(1, ...one, '1..1'), '0 passed, 1 failed, 0 skipped');
});

t.test('a file that crashed after its tests passed is a failure', async (t) => {
  const one = subtest('ok 1 - claim', 'ok 1 - this', '1..1');
  t.equal(counted(1, ...one, '1..1'), '1 passed, 1 failed, 0 skipped');
});

t.test('a file that ended in the middle of its tests is a failure', async (t) => {
  const one = subtest('ok 1 - claim', 'ok 1 - this', '1..1');
  t.equal(counted(0, ...one), '1 passed, 1 failed, 0 skipped');
});

t.test('a file without tests that does not say why is a failure', async (t) => {
  t.equal(counted(1, '1..0'), '0 passed, 1 failed, 0 skipped');
  t.equal(counted(0, '1..0'), '0 passed, 1 failed, 0 skipped');
  t.equal(counted(0), '0 passed, 1 failed, 0 skipped');
});

t.test('a skip is neither passed nor failed, wherever it is said', async (t) => {
  t.equal(counted(0, 'ok 1 - claim # SKIP no server', '1..1'), '0 passed, 0 failed, 1 skipped');
  t.equal(counted(0, '1..0 # no gcc'), '0 passed, 0 failed, 1 skipped');
});

t.test('what failed and why stands on one line', async (t) => {
  const brief = (...file: Parameters<typeof fileThatSaid>) => failuresInBrief(fileThatSaid(...file).failures);
  const fails = (name: string) =>
    subtest(
      `not ok - ${name}`,
      'not ok 1 - five is six',
      '  ---',
      '  found: 5',
      '  wanted: 6',
      '  ...',
      '1..1',
    );
  t.equal(brief(1, ...fails('claim'), '1..1'), '› claim: five is six {"found":5,"wanted":6}');
  const five = Array.from({ length: 5 }, () => fails('claim')).flat();
  t.match(brief(1, ...five, '1..5'), /^(› claim: five is six \{\S+\} {2}){3}and 2 more$/);
  const long = subtest('not ok 1 - claim', `not ok 1 - ${'far '.repeat(1000)}`, '1..1');
  t.match(brief(1, ...long, '1..1'), /^.{200,300}…$/);
  t.equal(brief(0, ...subtest('ok 1 - claim', 'ok 1 - this', '1..1'), '1..1'), '');
});

interface RanFile {
  readonly name: string;
  readonly result: { readonly diag: { exitCode: number | null; signal: string | null; message: string } };
  readonly children: ReadonlyMap<unknown, RanFile>;
}

/** A file that says this. */
function fileOf(t: Test, text: string, name = 'file'): string {
  const file = join(repositoryRoot, 'dist', `tap-counts-${process.pid}-${name}.mjs`);
  writeFileSync(file, text);
  t.teardown(() => rmSync(file, { force: true }));
  return file;
}

/** Runs a file that says this. */
const ran = (t: Test, text: string): Promise<RanFile> => runFile(fileOf(t, text), null);

/** What `npm test` would count for files that one process runs, in their order. */
async function countedTogether(t: Test, texts: Readonly<Record<string, string>>): Promise<string[]> {
  const files = Object.entries(texts).map(([name, text]) => fileOf(t, text, name));
  const counts: string[] = [];
  await runGroup(files, (file: RanFile) => counts.push(`${nameOf(file)}: ${said(tally(file))}`), null);
  return counts;
}

const nameOf = ({ name }: RanFile): string => /([a-z]+)\.mjs$/.exec(name)![1]!;

t.test('a file is run in a process of its own, and how it ends counts', async (t) => {
  const head = "import t from 'tap'; t.test('claim', async (t) => t.ok(true));";
  t.equal(said(tally(await ran(t, head))), '1 passed, 0 failed, 0 skipped');
  const killed = await ran(t, `${head} t.test('ends', () => process.kill(process.pid, 'SIGKILL'));`);
  t.equal(said(tally(killed)), '1 passed, 1 failed, 0 skipped');
  t.equal(killed.result.diag.signal, 'SIGKILL');
  const thrown = await ran(t, "throw new Error('before any test');");
  t.equal(said(tally(thrown)), '0 passed, 1 failed, 0 skipped');
  t.match(thrown.result.diag, { exitCode: 1, message: /before any test/ });
});

t.test('files of one process are counted, and tidied up after, one by one', async (t) => {
  const passes = "import t from 'tap'; t.test('claim', async (t) => t.ok(true));";
  const tidied = `${passes} globalThis.there = 1; t.teardown(() => { globalThis.there = 0; });`;
  const looks = "import t from 'tap'; t.test('tidied', async (t) => t.equal(globalThis.there, 0));";
  const fails = "import t from 'tap'; t.test('claim', async (t) => { t.ok(true); t.ok(false); });";
  const untidy = `${passes} t.teardown(() => { throw new Error('on purpose'); });`;
  t.strictSame(await countedTogether(t, { tidied, looks, fails, untidy, empty: '', passes }), [
    'tidied: 1 passed, 0 failed, 0 skipped',
    'looks: 1 passed, 0 failed, 0 skipped',
    'fails: 0 passed, 1 failed, 0 skipped',
    'untidy: 1 passed, 1 failed, 0 skipped',
    'empty: 0 passed, 1 failed, 0 skipped',
    'passes: 1 passed, 0 failed, 0 skipped',
  ]);
});

t.test('a file that breaks its process fails, and those behind it go on in another', async (t) => {
  const passes = "import t from 'tap'; t.test('claim', async (t) => t.ok(true));";
  const killed = `${passes} t.test('ends', () => process.kill(process.pid, 'SIGKILL'));`;
  const thrown = "throw new Error('before any test');";
  const late = `${passes} process.on('exit', () => { process.exitCode = 3; });`;
  t.strictSame(await countedTogether(t, { passes, killed, again: passes, thrown, late }), [
    'passes: 1 passed, 0 failed, 0 skipped',
    'killed: 1 passed, 1 failed, 0 skipped',
    'again: 1 passed, 0 failed, 0 skipped',
    'thrown: 0 passed, 1 failed, 0 skipped',
    'late: 1 passed, 1 failed, 0 skipped',
  ]);
});

const proc = process.platform !== 'linux' && 'no /proc';
t.test('what a file leaves running is ended with it', { skip: proc }, async (t) => {
  const text = `import { spawn } from 'node:child_process'; import t from 'tap';
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    left.unref();
    t.test(String(left.pid), async (t) => t.ok(true));`;
  const [{ name }] = [...(await ran(t, text)).children.values()] as [RanFile];
  const lives = () =>
    existsSync(`/proc/${name}`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${name}/stat`, 'utf8'));
  while (lives()) await new Promise(setImmediate);
  t.notOk(lives(), `process ${name} is gone`);
});

t.test('each of the longest files is there', async (t) => {
  const { longest } = await load('test-order.mjs');
  for (const file of longest) t.ok(existsSync(join(repositoryRoot, file)), file);
});
