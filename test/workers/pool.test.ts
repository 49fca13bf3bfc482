import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { toHex } from '../../src/proof/bytes.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { Layout } from '../../src/solvers/layout.ts';
import type { Checkpoint, RunSpec } from '../../workers/executor.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { type FixtureKernel, fixtureCatalogue } from './fixture-kernels.ts';

const catalogue = await fixtureCatalogue('counter', 'hang', 'idle', 'trap', 'hungry', 'infinite', 'refuses');
const pool = new ThreadPool({ threads: 2, catalogue, watchdogMs: 800 });
t.teardown(() => pool.close());

const MEMORY = 64 * 2 ** 20;

function spec(kernel: FixtureKernel, steps: number, more: Partial<RunSpec> = {}): RunSpec {
  const parameters = new Layout().f64(0.3, steps).bytes();
  const digest = catalogue.digest(kernel);
  return { kernel: digest, parameters, stepsPerSegment: 10_000, memory: MEMORY, work: steps * 100, ...more };
}

const digestsOf = (run: FinishedRun) => run.digests.map(toHex);

/** The same run in this thread: what every thread must agree with. */
function here(run: RunSpec): FinishedRun {
  const module = new WebAssembly.Module(catalogue.bytes(run.kernel) as BufferSource);
  return driveRun(instantiateKernel(module), run);
}

t.test('a run on a thread gives the digests, rows and result of the same run here', async (t) => {
  const run = spec('counter', 123_456);
  const there = await pool.execute(run);
  const expected = here(run);
  t.same(digestsOf(there), digestsOf(expected));
  t.same(there.result, expected.result);
  t.same(there.rows.map(toHex), expected.rows.map(toHex));
  t.equal(there.digests.length, 14, '12 whole segments, a short one and the start');
  t.equal(there.work, 12_345_600n);
});

t.test('many short runs at once each get their own answer', async (t) => {
  const runs = Array.from({ length: 300 }, (_, i) => spec('counter', 100 + i));
  const answers = await Promise.all(runs.map((run) => pool.execute(run)));
  t.same(
    answers.map((answer) => answer.steps),
    runs.map((_, i) => 100 + i),
  );
});

t.test('a trap, a non-finite state and a refusal hurt no other task', async (t) => {
  const good = spec('counter', 5000);
  const [before, trapped, infinite, refused, after] = await Promise.allSettled([
    pool.execute(good),
    pool.execute(spec('trap', 10)),
    pool.execute(spec('infinite', 10)),
    pool.execute(spec('refuses', 10)),
    pool.execute(good),
  ]);
  t.match(trapped, { status: 'rejected', reason: { code: 'KERNEL_CRASHED' } });
  t.match(infinite, { status: 'fulfilled', value: { status: 16 } }, 'NON_FINITE is a status, not a crash');
  t.match(refused, { status: 'fulfilled', value: { status: 17, observed: [42] } });
  t.match(before, { status: 'fulfilled', value: { status: 1 } });
  t.match(after, { status: 'fulfilled', value: { status: 1 } });
});

t.test('a kernel that takes more memory than stated ends with LIMIT_EXCEEDED', async (t) => {
  await t.rejects(pool.execute(spec('hungry', 1e6)), { code: 'LIMIT_EXCEEDED' });
  t.equal((await pool.execute(spec('counter', 1000))).status, 1);
});

t.test(
  'the watchdog ends a kernel that does not return, and one that returns and gets nowhere',
  async (t) => {
    const [hang, idle] = await Promise.allSettled([
      pool.execute(spec('hang', 10)),
      pool.execute(spec('idle', 10)),
    ]);
    t.match(hang, { status: 'rejected', reason: { code: 'KERNEL_CRASHED', message: /watchdog/ } });
    t.match(idle, { status: 'rejected', reason: { code: 'KERNEL_CRASHED', message: /watchdog/ } });
    t.equal((await pool.execute(spec('counter', 1000))).status, 1, 'the pool has its threads back');
  },
);

t.test('a run that is cancelled stops, also inside a call that does not return', async (t) => {
  for (const kernel of ['counter', 'hang'] as const) {
    const controller = new AbortController();
    const run = pool.execute(spec(kernel, 1e12), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await t.rejects(run, { code: 'CANCELLED' }, kernel);
  }
});

t.test('progress is seen while a run goes on', async (t) => {
  const controller = new AbortController();
  const seen: number[] = [];
  const run = pool.execute(spec('counter', 1e12), {
    signal: controller.signal,
    onProgress: ({ steps, observed, work }) => {
      t.equal(work, BigInt(steps) * 100n);
      seen.push(observed[0] ?? 0);
      if (seen.length === 3) controller.abort();
    },
  });
  await t.rejects(run, { code: 'CANCELLED' });
  t.ok(seen[1]! > seen[0]! && seen[2]! > seen[1]!, `${seen}`);
});

t.test('a run that goes on from a checkpoint ends with the digests of the uninterrupted one', async (t) => {
  const run = spec('counter', 3_000_000);
  const kept: Checkpoint[] = [];
  const whole = await pool.execute(run, {
    checkpointMs: 1,
    onCheckpoint: async (checkpoint) => void kept.push(checkpoint),
  });
  t.ok(kept.length > 1, `${kept.length} checkpoints`);
  const upTo = kept.slice(0, Math.ceil(kept.length / 2));
  const last = upTo[upTo.length - 1]!;
  const resumed = await pool.execute(run, {
    resumeFrom: {
      ...last,
      from: 0,
      digests: upTo.flatMap((piece) => piece.digests),
      rows: upTo.flatMap((piece) => piece.rows),
    },
  });
  t.same(digestsOf(resumed), digestsOf(whole));
  t.same(resumed.rows.map(toHex), whole.rows.map(toHex));
  t.same(resumed.result, whole.result);
});

t.test('a checkpoint that cannot be kept ends the run with its reason', async (t) => {
  const run = pool.execute(spec('counter', 1e9), {
    checkpointMs: 1,
    onCheckpoint: () => Promise.reject(new Error('the disk is full')),
  });
  await t.rejects(run, { message: 'the disk is full' });
});

t.test('a closed pool takes no more work', async (t) => {
  const other = new ThreadPool({ threads: 1, catalogue });
  await other.close();
  await t.rejects(other.execute(spec('counter', 10)), { code: 'SHUTTING_DOWN' });
});

t.test('a run of a few microseconds is done on the main thread when its kernel may', async (t) => {
  const inline = new ThreadPool({ threads: 1, catalogue, inline: ['counter', 'trap', 'hungry', 'absent'] });
  t.teardown(() => inline.close());
  const short = spec('counter', 100);
  t.same(await inline.execute(short), here(short), 'to the byte what the host gives');
  const trapped = inline.execute(spec('trap', 10));
  await t.rejects(trapped, { code: 'KERNEL_CRASHED' }, 'a trap costs its run');
  t.same(await inline.execute(short), here(short), 'and no other');
});

t.test('a run that takes more work than it said is done by a thread', async (t) => {
  const inline = new ThreadPool({ threads: 1, catalogue, inline: ['counter'] });
  t.teardown(() => inline.close());
  const modest = spec('counter', 123_456, { work: 10 });
  t.same(digestsOf(await inline.execute(modest)), digestsOf(here(modest)));
});

t.test('a pool that is closed while its threads still load takes the process nowhere', async (t) => {
  for (let i = 0; i < 100; i++) {
    const young = new ThreadPool({ threads: 2, catalogue });
    await delay(15 + (i % 45));
    await young.close();
  }
  t.pass('and 200 threads were ended');
});
