import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { toHex } from '../../src/proof/bytes.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { Assistants } from '../../workers/assistants.ts';
import type { Checkpoint, ExecuteOptions, RunSpec } from '../../workers/executor.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { leadTeam } from '../../workers/team.ts';
import { fixtureCatalogue } from './fixture-kernels.ts';

// A thread that assists a run may be lost at any moment. The run ends as if nobody had come, and nothing of it is left.

t.setTimeout(120_000);
const catalogue = await fixtureCatalogue('lossy');

/** What those do who never end a block. */
const assistantsTrap = 0;
const allTrap = 1;
const firstTraps = 2;
const assistantsHang = 3;

function lossy(steps: number, from: number, how: number): RunSpec {
  const parameters = new Layout().f64(0.3, steps, from, how).bytes();
  const kernel = catalogue.digest('lossy');
  return { kernel, parameters, stepsPerSegment: 50, memory: 2 ** 24, work: 6e8 };
}

const moduleOf = (bytes: Uint8Array | undefined) => new WebAssembly.Module(bytes as BufferSource);
const alone = (spec: RunSpec): FinishedRun =>
  driveRun(instantiateKernel(moduleOf(catalogue.bytes(spec.kernel))), spec);
const shown = (run: FinishedRun) => ({
  digests: run.digests.map(toHex),
  rows: run.rows.map(toHex),
  result: toHex(run.result),
  ...{ status: run.status, steps: run.steps, work: run.work },
});

/** Threads of this process that were made since, and are not over. */
const alive = new Set<Worker>();
process.on('worker', (worker) => {
  alive.add(worker);
  worker.once('exit', () => alive.delete(worker));
});

async function untilAlive(most: number): Promise<boolean> {
  for (let looks = 0; alive.size > most && looks < 200; looks++) await delay(50);
  return alive.size <= most;
}

type PoolTest = (pool: ThreadPool) => Promise<void>;

/** The threads of a lazy pool are those of its runs, and those that assist. */
async function onPool(t: Test, threads: number, test: PoolTest): Promise<void> {
  const pool = new ThreadPool({ threads, catalogue, lazy: true });
  try {
    await test(pool);
  } finally {
    await pool.close();
  }
  t.ok(await untilAlive(0), 'no thread is left');
}

const runShown = (t: Test, run: FinishedRun, spec: RunSpec) =>
  t.same(shown(run), shown(alone(spec)), 'digests, rows, result and work are those of one thread');

t.test('an assistant that traps costs its run nothing: it goes on alone from its start', async (t) => {
  const spec = lossy(1500, 0, assistantsTrap);
  await onPool(t, 2, async (pool) => {
    const run = await pool.execute(spec);
    runShown(t, run, spec);
    t.same(run.observed.slice(0, 3), [1500, 0, 0], 'in the plain kernel, from step 0 on');
  });
});

t.test('where it was lost late, the run goes on from what was kept on the way', async (t) => {
  const spec = lossy(16_500, 16_000, assistantsTrap);
  await onPool(t, 2, async (pool) => {
    const run = await pool.execute(spec);
    runShown(t, run, spec);
    const [, twin, first] = run.observed;
    t.equal(twin, 0, 'in the plain kernel');
    t.ok(first! > 0 && first! <= 16_000 && first! % 50 === 0, `from step ${first} on`);
  });
});

t.test('a run in spans hands over every checkpoint once, also where it goes on alone', async (t) => {
  const spec = lossy(6000, 3000, assistantsTrap);
  await onPool(t, 2, async (pool) => {
    const kept: Checkpoint[] = [];
    let end: Checkpoint | undefined;
    const options: ExecuteOptions = {
      checkpointMs: 20,
      onCheckpoint: async (checkpoint) => void kept.push(checkpoint),
      spans: {
        holdMs: 1000,
        onEnd: (last) => {
          end = last;
        },
      },
    };
    const run = await pool.execute(spec, options);
    const expected = alone(spec);
    t.equal(run.observed[1], 0, 'in the plain kernel');
    t.same(run.digests.map(toHex), expected.digests.map(toHex));
    const pieces = [...kept, end!];
    for (const [i, piece] of pieces.entries())
      t.equal(piece.from, i === 0 ? 0 : pieces[i - 1]!.segment + 1, `piece ${i} begins where the last ended`);
    t.same(
      pieces.flatMap(({ rows }) => rows.map(toHex)),
      expected.rows.map(toHex),
    );
  });
});

t.test('an assistant whose thread is ended costs its run nothing', async (t) => {
  const spec = lossy(4000, 1e9, assistantsTrap);
  await onPool(t, 2, async (pool) => {
    let isEnded = false;
    const run = await pool.execute(spec, {
      onProgress: () => {
        const [, assistant] = [...alive];
        if (assistant && !isEnded) {
          isEnded = true;
          void assistant.terminate();
        }
      },
    });
    t.ok(isEnded, 'it was ended in the middle');
    runShown(t, run, spec);
  });
});

t.test('where one is lost, the others that do not leave are ended', async (t) => {
  const spec = lossy(1500, 0, firstTraps);
  await onPool(t, 3, async (pool) => {
    runShown(t, await pool.execute(spec), spec);
    t.ok(await untilAlive(2), 'who stands still is ended; who led and who trapped are free');
  });
});

t.test('a kernel that traps by itself is KERNEL_CRASHED, whoever assists it', async (t) => {
  await onPool(t, 3, async (pool) => {
    for (const from of [0, 1000])
      await t.rejects(pool.execute(lossy(1e9, from, allTrap)), {
        code: 'KERNEL_CRASHED',
        message: /trapped/,
      });
  });
});

t.test(
  'a run that is cancelled while its assistant stands still ends, and so does the assistant',
  async (t) => {
    await onPool(t, 2, async (pool) => {
      const controller = new AbortController();
      let last = -1;
      const stood = { ...lossy(1e9, 0, assistantsHang), work: 1e12 };
      const run = pool.execute(stood, {
        signal: controller.signal,
        onProgress: ({ steps }) => {
          if (alive.size === 2 && steps === last) controller.abort();
          last = steps;
        },
      });
      await t.rejects(run, { code: 'CANCELLED' });
      t.ok(await untilAlive(0), 'both threads are ended');
      const next = lossy(1500, 1e9, assistantsTrap);
      runShown(t, await pool.execute(next), next);
    });
  },
);

t.test('a pool that is closed in the middle of an assisted run says so, and is gone', async (t) => {
  for (const how of [assistantsTrap, assistantsHang]) {
    const pool = new ThreadPool({ threads: 3, catalogue, lazy: true });
    const run = pool.execute(lossy(1e9, how === assistantsHang ? 0 : 1e9, how), {
      onProgress: () => {
        if (alive.size === 3) void pool.close();
      },
    });
    await t.rejects(run, { code: 'SHUTTING_DOWN' });
    t.ok(await untilAlive(0), 'no thread is left');
  }
});

t.test('a thread that has no memory to start in assists nobody, and the process lives on', async (t) => {
  const resourceLimits = { maxOldGenerationSizeMb: 1, maxYoungGenerationSizeMb: 1 };
  const assistants = new Assistants(1, { idleTimeout: 1000, env: {}, resourceLimits });
  const spec = lossy(200, 1e9, assistantsTrap);
  const { kernel, team } = leadTeam(moduleOf(catalogue.teamBytes(spec.kernel)));
  const made = once(process, 'worker');
  assistants.add(team);
  assistants.spread(1);
  await made;
  t.ok(await untilAlive(0), 'it ended before it had a task');
  runShown(t, driveRun(kernel, spec), spec);
  assistants.remove(team);
  await assistants.close();
});
