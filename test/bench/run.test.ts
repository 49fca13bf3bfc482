import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { rated } from '../../bench/figure.ts';
import { figureFiles, merged, report, runFigure } from '../../bench/run.ts';
import { table } from '../../bench/table.ts';
import { alternatingMedians, median } from '../../bench/timing.ts';
import { solvers } from '../../src/solvers/registry.ts';

// Small sizes measure nothing, so that some may run at once.
t.jobs = 4;

for (const file of figureFiles()) {
  const name = file.slice(file.indexOf('bench/'));
  t.test(`a small size of ${name} runs`, { buffered: true }, async (t) => {
    const { error, title, rows } = await runFigure(file, true);
    t.equal(error, undefined);
    t.match(title, /→/, 'the title says subject, size → unit, against whom');
    t.ok(rows.length > 0);
    for (const { figure, value, note } of rows) {
      t.ok(
        value !== undefined ? Number.isFinite(value) && value > 0 : note,
        `${figure}: a number, or why not`,
      );
    }
  });
}

/** A figure of this text, in a file of its own. */
function figureOf(t: Test, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-figure-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'figure.mjs');
  writeFileSync(file, `export const figure = { title: 'a figure', ${text} };`);
  return file;
}

t.test('a figure that throws, crashes or never ends is said so, and the others stand', async (t) => {
  const row = "{ figure: 'f', value: 1, unit: 'M/s' }";
  const texts = [
    `run: async () => [${row}]`,
    "run: async () => { throw new Error('on purpose'); }",
    'run: () => process.exit(3)',
    'run: async () => { for (;;) await new Promise(setImmediate); }',
  ];
  const ran = await Promise.all(
    texts.map((text, i) => runFigure(figureOf(t, text), true, { limitMs: i < 3 ? 60_000 : 3000 })),
  );
  t.same(
    ran.map(({ rows, error }) => [rows.length, error]),
    [
      [1, undefined],
      [0, 'ended with 1'],
      [0, 'ended with 3'],
      [0, 'did not end within 3 s'],
    ],
  );
  const text = report(ran, false);
  t.match(text, /^.*, \d+ threads, .*, node \d+/, 'the machine');
  t.match(text, /^f {2}.*1 M\/s/m, 'what was measured');
  t.equal(text.match(/^not measured: .*figure\.mjs: /gm)?.length, 3);
  t.notMatch(text, /20\d\d-\d\d/, 'no date');
});

t.test('results of figures that were not run again stay beside the new ones', async (t) => {
  const [old, gone, stays, now] = ['a', 'b', 'c', 'a'].map((file, at) => ({ file, rows: [], at: `${at}` }));
  t.strictSame(merged([old!, gone!, stays!], [now!], ['a', 'c']), [now, stays]);
});

t.test('every solver has a figure', async (t) => {
  const sources = figureFiles().map((file) => readFileSync(file, 'utf8'));
  for (const { id } of solvers) {
    const figure = new RegExp(`(kernels: |['"\`])${id}[,:]|solver: ['"]${id}['"]|name: ['"]${id}['"]`);
    t.ok(
      sources.some((source) => figure.test(source)),
      id,
    );
  }
});

t.test('a median is the middle one, or the mean of two', async (t) => {
  t.equal(median([3, 1, 2]), 2);
  t.equal(median([4, 1, 2, 3]), 2.5);
  t.throws(() => median([]), RangeError);
});

t.test(
  'contenders take turns, backwards every second round, and rounds that warm up do not count',
  async (t) => {
    const order: string[] = [];
    const turn = (name: string, values: number[]) => () => {
      order.push(name);
      return values.shift()!;
    };
    const contenders = () => ({ a: turn('a', [99, 1, 2, 3]), b: turn('b', [99, 7, 5, 6]) });
    t.strictSame(await alternatingMedians(3, contenders()), { a: 2, b: 6 });
    t.equal(order.join(''), 'ababbaab');
    const start = performance.now();
    await alternatingMedians(1, { a: () => 1 }, 20);
    t.ok(performance.now() - start >= 20, 'as long as it takes to warm up');
  },
);

t.test('a goal that is missed says NO, and a peer that is missing claims nothing', async (t) => {
  const row = { figure: 'f', value: 100, unit: 'M/s', against: 'C strict' };
  t.match(rated({ ...row, peer: 80, goal: { atMost: 0.8 } }), { ratio: 0.8, met: true });
  t.match(rated({ ...row, peer: 81, goal: { atMost: 0.8 } }), { ratio: 0.81, met: false });
  t.match(rated({ ...row, peer: 400, goal: { atLeast: 0.25 } }), { ratio: 0.25, met: true });
  t.match(rated({ ...row, peer: 401, goal: { atLeast: 0.25 } }), { met: false });
  const without = rated({ ...row, peer: 'no gcc: apt-get install -y gcc', goal: { atMost: 0.8 } });
  t.match(without, { ratio: undefined, met: undefined, note: /no gcc/ });
  const text = table([rated({ ...row, peer: 81, goal: { atMost: 0.8 } }), without]);
  t.match(text, /^f {2}.*100 M\/s {2}C strict {4}81 {3}0\.81 {2}N\/W ≤ 0\.8 {2}NO$/m);
  t.match(text, /^ {4}no gcc: apt-get install -y gcc$/m);
});
