import { openRuns } from '../../../mesh/coordinator/run-rows.ts';
import { frontier, type MeshRun } from '../../../mesh/decide/run.ts';
import { meshRuns, meshSpans } from '../../../mesh/records.ts';
import { workCredits } from '../../../src/contribute/records.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Client } from '../../spine/node-process.ts';
import { answerOf, hour, testNode } from '../../spine/test-node.ts';
import { type Job, until } from './mesh-processes.ts';

// A multibody job, as the tests of real processes submit it, and what the store says of it.

/** Bodies on a cubic lattice, far apart and slow: what they do is not the subject here. */
export function slowCluster(steps: number) {
  const position = Array.from({ length: 64 }, (_, i) => [i % 4, Math.floor(i / 4) % 4, Math.floor(i / 16)]);
  const velocity = position.map(([x, y]) => [0.05 * (1.5 - y!), 0.05 * (x! - 1.5), 0]);
  const dt = 1e-5;
  return {
    ...{ position, velocity, mass: position.map(() => 0.001) },
    ...{ referenceMode: 'gravity', G: 1, dt, t_max: steps * dt, integrator: 'leapfrog' },
  };
}

/**
 * Root of the job that nothing disturbs, on one thread of this process: it is computed while processes are killed and
 * waited for, and the machine has little else to do.
 */
export async function undisturbedRoot(t: Parameters<typeof testNode>[0], steps: number): Promise<string> {
  const home = await testNode(t, { threads: 1 });
  await home.accounts.create({ zid: 'payer', fuel: 10n * hour });
  const body = slowCluster(steps);
  const here = await home.spine.submit({ account: 'payer', solver: 'multibody', body, background: true });
  return answerOf((await here.outcome).answer).envelope.jobRoot;
}

export async function submit(client: Client, steps: number): Promise<string> {
  const body = slowCluster(steps);
  const headers = { prefer: 'respond-async' };
  return (await client.json<{ job: string }>('POST', '/api/svc/multibody', body, headers)).job;
}

/** @throws Error for a job that came to nothing */
export async function jobOf(client: Client, id: string): Promise<Job> {
  const job = await client.json<Job>('GET', `/api/svc/jobs/${id}`);
  if (['running', 'done'].includes(job.state)) return job;
  throw new Error(`the job is ${JSON.stringify(job)}`);
}

/** The same job again and again: whenever somebody looks one is at work, however fast machine and kernel are. */
export class SameJob {
  readonly ids: string[] = [];
  readonly client: Client;
  readonly #steps: number;

  constructor(client: Client, steps: number) {
    this.client = client;
    this.#steps = steps;
  }

  /** Submits it anew where the last one is done. */
  async goesOn(): Promise<void> {
    const last = this.ids.at(-1);
    if (last !== undefined && (await jobOf(this.client, last)).state !== 'done') return;
    this.ids.push(await submit(this.client, this.#steps));
  }

  /** `until`, with a job at work all the while. */
  async until(what: string, isThere: () => Promise<boolean> | boolean): Promise<void> {
    await until(what, async () => {
      await this.goesOn();
      return isThere();
    });
  }

  /** Waits for all of them. */
  async roots(): Promise<string[]> {
    const roots: string[] = [];
    for (const id of this.ids) {
      await until('each job is done', async () => (await jobOf(this.client, id)).state === 'done', 300_000);
      roots.push((await jobOf(this.client, id)).answer!.envelope.jobRoot);
    }
    return roots;
  }
}

// ---- what the store says -----------------------------------------------------------------------------------

/** Segments that have a claim, of all runs together. */
export async function claimed(store: Store): Promise<number> {
  const rows = await store.find(meshRuns);
  return rows.reduce((sum, { machine }) => sum + frontier(machine as MeshRun) + 1, 0);
}

/** Who has the lease of which run. */
export async function leases(store: Store): Promise<{ run: string; node: string; fence: number }[]> {
  const held = (await openRuns(store)).map(({ machine }) => machine);
  return held.flatMap(({ id, lease }) => (lease ? [{ run: id, node: lease.id, fence: lease.fence }] : []));
}

/** Last segment of a run with a claim behind it, while this node has its lease still. */
export async function shownBy(store: Store, run: string, node: string): Promise<number | undefined> {
  const machine = (await store.get(meshRuns, { id: run }))?.machine as MeshRun | undefined;
  if (machine?.lease?.id !== node) return undefined;
  return machine.spans.filter(({ claim }) => claim).at(-1)?.to ?? machine.accepted;
}

/** Checks that a node was asked for and has not answered. */
export async function openChecks(store: Store, node: string): Promise<number> {
  const runs = await openRuns(store);
  const checks = runs.flatMap(({ machine }) => machine.spans.flatMap((span) => span.checks));
  return checks.filter(({ id, claim }) => id === node && !claim).length;
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Why these are not 0 … n, each once and in order; empty where they are. */
export function gaps(intervals: readonly Interval[]): string[] {
  const sorted = [...intervals].sort((a, b) => a.from - b.from);
  return sorted.flatMap(({ from, to }, i) => {
    const expected = i === 0 ? 0 : sorted[i - 1]!.to + 1;
    return from === expected && to >= from ? [] : [`${from}…${to} where ${expected} comes`];
  });
}

/** Every accepted span with what was paid for it. */
export async function books(store: Store) {
  const spans = await store.find(meshSpans);
  const credits = await store.find(workCredits, { where: { kind: 'segment' } });
  const runs = [...new Set(spans.map(({ run }) => run))];
  return {
    runs,
    problems: runs.flatMap((run) =>
      gaps(
        spans
          .filter((span) => span.run === run)
          .map(({ from_segment, to_segment }) => ({ from: Number(from_segment), to: Number(to_segment) })),
      ).map((gap) => `${run}: ${gap}`),
    ),
    /** Segments, node and work, of those that are paid for at all. */
    accepted: spans
      .filter(({ owner, work }) => owner !== 'house' && work > 0n) // D₀ alone took no work
      .map(nameOf)
      .sort(),
    credited: credits
      .filter(({ owner }) => owner !== 'house')
      .map(nameOf)
      .sort(),
    owners: [...new Set(spans.map(({ owner }) => owner))],
  };
}

interface Named {
  readonly run: string;
  readonly from_segment: bigint;
  readonly to_segment: bigint;
  readonly node: string;
  readonly work: bigint;
}
const nameOf = ({ run, from_segment, to_segment, node, work }: Named) =>
  `${run}/${from_segment}…${to_segment} by ${node}: ${work}`;
