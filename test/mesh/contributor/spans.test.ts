import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { KernelCache } from '../../../mesh/contributor/kernel-cache.ts';
import type { Desk } from '../../../mesh/desk.ts';
import type { ExecuteOptions, Executor, RunSpec } from '../../../workers/executor.ts';
import { ThreadPool } from '../../../workers/pool.ts';
import { MemoryService } from '../memory-desk.ts';
import { brought, counter, folder, hire, isWhole, oneByOne, uninterrupted } from './hired.ts';

// When a contributor shows what it ran, and what its thread does meanwhile.

t.test('short spans are shown with the commitment to the next one, and none is left behind', async (t) => {
  const service = new MemoryService();
  let turns = 0;
  const [shownIn, committedIn]: number[][] = [[], []];
  const inTurns = (desk: Desk): Desk => ({
    ...desk,
    commit: (commitment) => {
      committedIn!.push(turns);
      return desk.commit(commitment);
    },
    reveal: (reveal) => {
      shownIn!.push(turns);
      setImmediate(() => turns++);
      return desk.reveal(reveal);
    },
  });
  const threads = new ThreadPool({ threads: 1, catalogue: new KernelCache(folder, brought).catalogue });
  t.teardown(() => threads.close());
  const pool: Executor = {
    execute: (spec, options = {}) =>
      threads.execute(spec, { ...options, spans: { ...options.spans!, holdMs: 0 } }),
    close: () => threads.close(),
  };
  const { contributor } = hire(t, service, { desk: inTurns, pool, spanMs: 0, joinMs: 60_000 });
  await service.begin('run', counter(1_000_000, { stepsPerSegment: 100_000 }));
  await contributor.leave();
  t.equal(shownIn!.length, committedIn!.length);
  const together = committedIn!.filter((turn) => shownIn!.includes(turn)).length;
  t.ok(
    committedIn!.length > 2 && together >= committedIn!.length / 2,
    `${together} of ${committedIn!.length}`,
  );
});

t.test('where segments are long each one is kept before the next begins', async (t) => {
  const service = new MemoryService();
  const slow = (desk: Desk): Desk => ({
    ...desk,
    commit: async (commitment) => {
      await sleep(20);
      return desk.commit(commitment);
    },
  });
  hire(t, service, { longMs: 0, desk: slow });
  const spec = counter(10_000_000);
  await service.begin('run', spec);
  const { spans } = service.gathered('run');
  t.ok(
    spans.every(({ from, to }) => from === to),
    'who kills the node takes one segment',
  );
  isWhole(t, service, 'run', await uninterrupted(t, spec));
});

t.test('where nothing else is said a segment is long from half a second on (docs/mesh.md)', async (t) => {
  const service = new MemoryService();
  const threads = new ThreadPool({ threads: 1, catalogue: new KernelCache(folder, brought).catalogue });
  const asked: (ExecuteOptions | undefined)[] = [];
  const execute = (spec: RunSpec, options?: ExecuteOptions) => {
    asked.push(options);
    return threads.execute(spec, options);
  };
  hire(t, service, { pool: { execute, close: () => threads.close() }, spanMs: undefined });
  await service.begin('run', counter(1_000_000));
  t.match(asked, [{ checkpointMs: 250, spans: { holdMs: 250, longMs: 500 } }]);
  await threads.close();
});

t.test('behind a long segment the thread goes on when its claim is carried, and not before', async (t) => {
  for (const isCarried of [true, false]) {
    const service = new MemoryService();
    let pending = 0;
    let meanwhile = 0;
    const slow = (desk: Desk): Desk => ({
      ...desk,
      commit: (commitment) => {
        if (pending > 0) meanwhile++;
        return desk.commit(commitment);
      },
      reveal: async (reveal, carried) => {
        pending++;
        if (isCarried) carried?.();
        else await sleep(100);
        while (isCarried && meanwhile === 0) await sleep(5);
        pending--;
        return desk.reveal(reveal);
      },
    });
    const { contributor } = hire(t, service, { longMs: 0, joinMs: 0, holdMs: 0, desk: slow });
    const spec = counter(5_000_000);
    await service.begin('run', spec);
    t.equal(meanwhile > 0, isCarried);
    t.ok(service.gathered('run').spans.every(({ from, to }) => from === to));
    await contributor.leave();
  }
});

t.test('what is kept is a sign of life, and none is said beside it', async (t) => {
  const service = new MemoryService();
  const heartbeatMs = 200;
  const silencesMs: number[] = [];
  let keptMs = 0;
  const watched = (desk: Desk): Desk => ({
    ...desk,
    alive: (holding) => {
      if (holding.length > 0 && keptMs > 0) silencesMs.push(performance.now() - keptMs);
      return desk.alive(holding);
    },
    commit: async (commitment) => {
      const saidMs = performance.now();
      const kept = await desk.commit(commitment);
      keptMs = saidMs;
      return kept;
    },
  });
  const { contributor } = hire(t, service, { ...oneByOne, heartbeatMs, desk: watched });
  await service.begin('run', counter(100_000_000));
  await contributor.leave();
  t.ok(
    silencesMs.every((ms) => ms >= heartbeatMs),
    `said behind ${silencesMs} ms`,
  );
  hire(t, service, { spanMs: 1e6, heartbeatMs, desk: watched });
  void service.begin('silent', counter(1e9));
  while (silencesMs.length === 0) await sleep(20);
  t.ok(silencesMs.every((ms) => ms >= heartbeatMs));
});

t.test('silence counts from when it was said, however late the answer comes', async (t) => {
  const service = new MemoryService();
  const heartbeatMs = 1000;
  let saidMs = 0;
  const late = (desk: Desk): Desk => ({
    ...desk,
    commit: async (commitment) => {
      if (saidMs > 0) return new Promise(() => undefined);
      saidMs = performance.now();
      const kept = await desk.commit(commitment);
      await sleep(0.9 * heartbeatMs);
      return kept;
    },
    alive: (holding) => {
      if (saidMs > 0) silent(performance.now() - saidMs);
      return desk.alive(holding);
    },
  });
  let silent: (ms: number) => void = () => undefined;
  const silenceMs = new Promise<number>((resolve) => {
    silent = resolve;
  });
  hire(t, service, { ...oneByOne, heartbeatMs, desk: late });
  void service.begin('run', counter(1e9));
  t.ok((await silenceMs) < 1.8 * heartbeatMs, `${await silenceMs} ms`);
});
