import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Work } from '../../../mesh/desk.ts';
import { Bus } from '../../../mesh/nats/bus.ts';
import type { NatsDesk } from '../../../mesh/nats/desk.ts';
import { PART_BYTES } from '../../../mesh/nats/frame.ts';
import { signature } from '../../../mesh/nats/signature.ts';
import { jobClasses, streams, subjects } from '../../../mesh/subjects.ts';
import { utf8 } from '../../../src/proof/bytes.ts';
import { type NatsServer, natsMissing } from '../../servers/nats.ts';
import { desk, hostile, keys, limits, meshServer, nodeOf, service } from './deployment.ts';

// What a contributor can do to the others with the permissions that it has, on a real server: the service lets an honest
// one go on (MESH-01).

const skip = natsMissing;
const [honest, mallory] = [nodeOf(1), nodeOf(2)];
const digest = 'a'.repeat(64);
const SEGMENTS = 12;
const STATE_BYTES = 3 * PART_BYTES;

interface Said {
  readonly run: string;
  readonly claim?: { readonly from: number };
}

/** Runs that are shown segment by segment, and the reconciler that rings for those that nobody has. */
class Runs {
  readonly #leases = new Map<string, string>();
  readonly #shown = new Map<string, Set<number>>();
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    this.ids = ids;
  }

  readonly front = {
    leases: async (node: string, runs: readonly string[]) =>
      runs.map((run) => {
        if (node !== honest.id || this.#leases.has(run)) return { run, refused: 'leased' as const };
        this.#leases.set(run, node);
        return { lease: work(run) };
      }),
    results: async (batch: readonly { node: string; result: Said }[]) =>
      batch.map(({ node, result: { run, claim } }) => {
        if (this.#leases.get(run) !== node) return 'fenced' as const;
        // What was not answered in time comes again, and counts once.
        if (claim) this.#shown.set(run, (this.#shown.get(run) ?? new Set()).add(claim.from));
        return 'kept' as const;
      }),
  };

  get free(): { id: string; class: 'free-small' }[] {
    return this.ids.filter((id) => !this.#leases.has(id)).map((id) => ({ id, class: 'free-small' as const }));
  }

  shown(run: string): number {
    return this.#shown.get(run)?.size ?? 0;
  }
}

const work = (run: string): Work => ({
  ...{ run, fence: 1, kernel: digest, parameters: digest, stepsPerSegment: 1, memory: 1, work: 1, from: 0 },
});

interface Deployed {
  readonly server: NatsServer;
  readonly runs: Runs;
  readonly node: NatsDesk;
}

async function deployed(t: Test, count: number): Promise<Deployed> {
  const server = await meshServer(t);
  const runs = new Runs(Array.from({ length: count }, (_, i) => `run-${i}`));
  const front = await service(t, server, {
    ...{ front: runs.front, pressureMs: 250, limits: { ...limits, resultsBytes: 16 << 20 } },
  });
  const node = await desk(t, server, honest);
  const reconciler = setInterval(() => void front.ring(runs.free), 777);
  t.teardown(() => clearInterval(reconciler));
  return { server, runs, node };
}

/** Takes runs from the queue until all are shown to their end, as a contributor does. */
async function contribute(node: NatsDesk, runs: Runs): Promise<void> {
  const shows: Promise<void>[] = [];
  while (shows.length < runs.ids.length) {
    const bells = await node.take(4);
    if (bells.length === 0) await delay(50);
    else
      for (const answer of await node.lease(bells.map(({ run }) => run)))
        if ('lease' in answer) shows.push(show(node, answer.lease));
    for (const bell of bells) bell.ack();
  }
  await Promise.all(shows);
}

async function show(node: NatsDesk, { run, fence }: Work): Promise<void> {
  const state = new Uint8Array(STATE_BYTES).fill(run.length);
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const [from, to] = [segment, segment];
    await again(() => node.commit({ run, fence, from, to, commitment: digest }));
    const claim = { from, to, digests: [digest], steps: 1, work: '1', state: digest };
    const hashes = { rowsRoot: digest, rowsHash: digest };
    const shown = { salt: new Uint8Array(32), state, rows: [utf8('row')], observed: [] };
    await again(() => node.reveal({ run, fence, claim: { ...claim, ...hashes }, ...shown }));
  }
}

/** As mesh/contributor/persist.ts does: said until it is kept. */
async function again(say: () => Promise<string>): Promise<void> {
  while ((await say().catch(() => 'unanswered')) !== 'kept');
}

/** A contributor that does as it likes for as long as it is let in, and comes back when it is not. */
function attack(t: Test, server: NatsServer, once: (bus: Bus) => Promise<unknown>) {
  let isOver = false;
  const seen = { refused: 0, done: 0 };
  const attacking = (async () => {
    while (!isOver) {
      const bus = await hostileAgain(server);
      if (!bus) seen.refused++;
      else
        while (!isOver && bus.isConnected)
          await once(bus).then(
            () => seen.done++,
            () => delay(5),
          );
      await bus?.close();
      await delay(50);
    }
  })();
  t.teardown(async () => {
    isOver = true;
    await attacking;
  });
  return seen;
}

const hostileAgain = (server: NatsServer) =>
  Bus.connect({ servers: server.url, identity: mallory, name: 'mallory', patienceMs: 2000 }).catch(
    () => undefined,
  );

t.test(
  'a node that fills the stream of parts loses its own and is shut out; an honest run ends',
  { skip },
  async (t) => {
    const { server, runs, node } = await deployed(t, 2);
    const part = new Uint8Array(PART_BYTES);
    const seen = attack(t, server, (bus) =>
      Promise.all(
        Array.from({ length: 8 }, () =>
          bus.persist(subjects.part(mallory.id, randomBytes(32).toString('hex')), part),
        ),
      ),
    );
    while (seen.done < 20) await delay(20);
    await contribute(node, runs);
    for (const run of runs.ids) t.equal(runs.shown(run), SEGMENTS);
    while (seen.refused === 0) await delay(20);
    t.pass(`shut out after ${8 * seen.done} parts`);
    t.strictSame(await node.alive([]), { mode: 'contributing', lost: [] }, 'the honest one never was');
  },
);

t.test(
  'a node that fills the stream of results is shut out, signed words or none; an honest run ends',
  { skip },
  async (t) => {
    const { server, runs, node } = await deployed(t, 2);
    const large = new Uint8Array(900_000);
    const seen = attack(t, server, (bus) =>
      Promise.all(
        Array.from({ length: 24 }, (_, i) => {
          const subject = subjects.results(`run-${i % 2}`, mallory.id);
          return bus.persist(subject, large, { headers: signature(mallory, subject, large) });
        }),
      ),
    );
    while (seen.done + seen.refused < 3) await delay(20);
    await contribute(node, runs);
    for (const run of runs.ids) t.equal(runs.shown(run), SEGMENTS);
    t.strictSame(await node.alive([]), { mode: 'contributing', lost: [] });
  },
);

t.test(
  'a node that takes every bell and holds it, and answers those of others, keeps nobody from work',
  { skip },
  async (t) => {
    const { server, runs, node } = await deployed(t, 12);
    const held: { working(): void }[] = [];
    const bus = await hostile(t, server, mallory);
    const seen = attack(t, server, async () => {
      const taken = await Promise.all(
        jobClasses.map((name) => bus.pull(streams.jobs, name, { batch: 64, waitMs: 200 })),
      );
      held.push(...taken.flat());
      for (const each of held) each.working();
      for (let seq = 1; seq < 60; seq++)
        bus.publish(`$JS.ACK.JOBS.free-small.1.${seq}.${seq}.1700000000000000000.0`, utf8('+ACK'));
      await bus.flush();
    });
    while (seen.done < 3) await delay(20);
    await contribute(node, runs);
    for (const run of runs.ids) t.equal(runs.shown(run), SEGMENTS);
    t.ok(held.length > 0, `${held.length} bells were held`);
  },
);

t.test(
  'a node that takes every bell and holds it, and answers none, keeps nobody from work',
  { skip },
  async (t) => {
    const { server, runs, node } = await deployed(t, 12);
    const held = new Map<string, { working(): void }>();
    const bus = await hostile(t, server, mallory);
    const seen = attack(t, server, async () => {
      const taken = await Promise.all(
        jobClasses.map((name) => bus.pull(streams.jobs, name, { batch: 64, waitMs: 50 })),
      );
      for (const each of taken.flat()) held.set(each.subject, each);
      for (const each of held.values()) each.working();
      await bus.flush();
    });
    while (held.size < 12) await delay(20);
    await contribute(node, runs);
    for (const run of runs.ids) t.equal(runs.shown(run), SEGMENTS);
    t.equal(seen.refused, 0, 'it was let do so');
  },
);

t.test(
  'whose name is over the entrance for service nodes is told by the service alone',
  { skip },
  async (t) => {
    const { server, node } = await deployed(t, 0);
    const bus = await hostile(t, server, mallory);
    bus.publish(subjects.shutOut, utf8(honest.id), {
      headers: signature(mallory, subjects.shutOut, utf8(honest.id)),
    });
    await bus.flush();
    const admin = await Bus.connect({ servers: server.url, identity: keys.service, name: 'admin' });
    t.teardown(() => admin.close());
    admin.publish(subjects.shutOut, utf8(honest.id)); // unsigned
    await admin.flush();
    await delay(700);
    t.ok(node.isConnected);
    t.ok(await desk(t, server, honest));
  },
);
