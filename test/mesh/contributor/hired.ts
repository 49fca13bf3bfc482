import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Contributor, type ContributorOptions } from '../../../mesh/contributor/contributor.ts';
import type { ContributorEvent } from '../../../mesh/contributor/events.ts';
import { KernelCache } from '../../../mesh/contributor/kernel-cache.ts';
import type { Desk } from '../../../mesh/desk.ts';
import { fromHex, toHex } from '../../../src/proof/bytes.ts';
import { digestsOfRun } from '../../../src/proof/digests.ts';
import type { FinishedRun } from '../../../src/proof/job.ts';
import { Layout } from '../../../src/solvers/layout.ts';
import type { RunSpec } from '../../../workers/executor.ts';
import { ThreadPool } from '../../../workers/pool.ts';
import { fixtureCatalogue } from '../../workers/fixture-kernels.ts';
import type { MemoryService } from '../memory-desk.ts';

export const folder = mkdtempSync(join(tmpdir(), 'svc-contributor-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
export const catalogue = await fixtureCatalogue('counter', 'hungry', 'trap', 'infinite');
export const brought = [...new KernelCache(folder).catalogue.folders.slice(0, 2), ...catalogue.folders];

let nodes = 0;

interface Hired {
  readonly contributor: Contributor;
  readonly pool: ThreadPool;
  readonly events: ContributorEvent[];
  readonly node: string;
  /** Resolves with the first event that fits. */
  seen<Kind extends ContributorEvent['kind']>(kind: Kind): Promise<Extract<ContributorEvent, { kind: Kind }>>;
}

type Change = Partial<Omit<ContributorOptions, 'desk'>> & { readonly desk?: (honest: Desk) => Desk };

/** A contributor of its own owner on threads of its own; ended with the test. */
export function hire(t: Test, service: MemoryService, { desk, ...options }: Change = {}): Hired {
  const node = `node-${++nodes}`;
  const honest = service.desk({ id: node, owner: `owner-${nodes}`, engine: 'test' });
  const kernels = new KernelCache(join(folder, node), brought);
  const pool = new ThreadPool({ threads: options.threads ?? 1, catalogue: kernels.catalogue });
  const events: ContributorEvent[] = [];
  const waiting: { kind: string; resolve: (event: ContributorEvent) => void }[] = [];
  const contributor = new Contributor({
    ...{ bells: service.bells, pool, kernels, threads: 1, memory: 2 ** 30, mode: 'contributing' },
    ...{ spanMs: 0, heartbeatMs: 50 },
    ...options,
    desk: desk ? desk(honest) : honest,
    onEvent: (event) => {
      events.push(event);
      for (const each of waiting.filter(({ kind }) => kind === event.kind)) each.resolve(event);
    },
  });
  service.employ(node, contributor);
  contributor.start();
  t.teardown(async () => {
    await contributor.leave();
    await pool.close();
  });
  const seen = (kind: string) =>
    new Promise((resolve) => {
      const before = events.find((event) => event.kind === kind);
      if (before) resolve(before);
      else waiting.push({ kind, resolve });
    });
  return { contributor, pool, events, node, seen: seen as Hired['seen'] };
}

/** Each segment is shown before the next one begins: a thread on a slow machine does not run ahead of who looks on. */
export const oneByOne = { spanMs: 0, joinMs: 0, holdMs: 0 };

/** Processor time of this process from here on, in ms: that of others on the machine is none of it. */
export function stopwatch(): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
}

export function counter(steps: number, more: Partial<RunSpec> = {}, kernel = 'counter'): RunSpec {
  const parameters = new Layout().f64(0.3, steps).bytes();
  const memory = 64 * 2 ** 20;
  return {
    kernel: catalogue.digest(kernel),
    parameters,
    stepsPerSegment: 1_000_000,
    memory,
    work: steps * 100,
    ...more,
  };
}

export const uninterrupted = (t: Test, spec: RunSpec): Promise<FinishedRun> => {
  const pool = new ThreadPool({ threads: 1, catalogue: new KernelCache(folder, brought).catalogue });
  t.teardown(() => pool.close());
  return pool.execute(spec);
};

/** What was accepted is the uninterrupted run to the bit. */
export function isWhole(t: Test, service: MemoryService, id: string, run: FinishedRun): void {
  const gathered = service.gathered(id);
  t.same(gathered.digests, run.digests.map(toHex));
  t.same(gathered.rows.map(toHex), run.rows.map(toHex));
  t.equal(gathered.work, String(run.work));
  t.equal(gathered.status, run.status);
  const { result = new Uint8Array(0) } = gathered;
  const leaf = digestsOfRun({ ...run, digests: gathered.digests.map(fromHex), result }).leaf;
  if (run.status === 1) t.equal(toHex(leaf), toHex(digestsOfRun(run).leaf), 'the leaf of the run');
}
