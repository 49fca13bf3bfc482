import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Bus } from '../../../mesh/nats/bus.ts';
import type { BusError } from '../../../mesh/nats/bus-error.ts';
import { streams, subjects } from '../../../mesh/subjects.ts';
import { auditSpine } from '../../../src/spine/audit.ts';
import type { Store } from '../../../src/store/store.ts';
import { type NatsServer, natsMissing } from '../../servers/nats.ts';
import { svcJson } from '../../spine/node-process.ts';
import {
  ContributorProcess,
  customer,
  type Killed,
  keys,
  ServiceProcess,
  startServer,
  until,
} from './mesh-processes.ts';
import { books, claimed, leases, SameJob, shownBy, undisturbedRoot } from './orbit-job.ts';
import { Wire } from './proxy.ts';

// One job of many bodies, and everything that can happen to the processes behind it: one nats-server, one service node,
// four contributors, each a process; one of them is `svc contribute` itself.

t.setTimeout(600_000);

const STEPS = 500_000;
const SEED = 20261121;

/** mulberry32. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Stage {
  readonly t: Test;
  readonly store: Store;
  readonly work: SameJob;
  readonly nats: NatsServer;
  readonly service: ServiceProcess;
  /** `svc contribute`. */
  readonly cli: ContributorProcess;
  /** Three that say where their threads are and show each segment; the first of them is behind the wire. */
  readonly contributors: readonly ContributorProcess[];
  readonly wire: Wire;
  /** Account of who pays. */
  readonly zid: string;
}

/** Segments that were done, or begun after the last one that was, and not shown: of each kill of who had a lease. */
const lostPerKill: number[] = [];

async function movesOn({ t, store, work }: Stage, by: number, why: string): Promise<void> {
  const before = await claimed(store);
  const begun = performance.now();
  await work.until(`the job moved on ${why}`, async () => (await claimed(store)) >= before + by);
  t.pass(`the job moved on ${why}, after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

/** Kills one; after a while it is back with the same key. */
async function killed(stage: Stage, victim: ContributorProcess): Promise<void> {
  if (!victim.isLiving) return;
  const { store, cli } = stage;
  const held = (await leases(store)).filter(({ node }) => node === victim.id).map(({ run }) => run);
  const ends = await victim.kill();
  if (victim !== cli)
    // which shows as `svc contribute` does, and says only where it began
    for (const end of ends.filter(({ run }) => held.includes(run))) await noteLoss(stage, victim, end);
  await victim.start();
}

/** What it had said is read while the lease that it left behind stands. */
async function noteLoss({ store }: Stage, { id }: ContributorProcess, { run, at }: Killed): Promise<void> {
  let lost: number | undefined;
  while ((lost ?? 2) > 1) {
    const shown = await shownBy(store, run, id);
    if (shown === undefined) break;
    lost = Math.max(0, at - shown);
    await delay(50);
  }
  if (lost !== undefined) lostPerKill.push(lost);
}

/** The first is at work; who comes then is drawn. */
async function killAtRandom(stage: Stage, kills: number, random: (below: number) => number): Promise<void> {
  const returns: Promise<void>[] = [];
  for (let i = 0; i < kills; i++) {
    const anybody = stage.contributors[random(stage.contributors.length)]!;
    returns.push(killed(stage, i === 0 ? await holder(stage) : anybody));
    await delay(700 + random(600));
  }
  await Promise.all(returns);
}

/** Who has a lease and is at work on it, once one is. */
async function holder({ store, work, contributors, cli }: Stage): Promise<ContributorProcess> {
  let found: ContributorProcess | undefined;
  await work.until('a contributor is at a run', async () => {
    const held = await leases(store);
    found = [...contributors, cli].find(({ id, holds }) =>
      held.some(({ run, node }) => node === id && holds.includes(run)),
    );
    return found !== undefined;
  });
  return found!;
}

/** Of `svc contribute`: spans that it has shown. */
const shownByCli = ({ cli }: Stage): number => cli.said.filter(({ kind }) => kind === 'span').length;

/** Until what the node has now is another's, or nobody's any more. */
async function untilTaken({ store }: Stage, { id }: ContributorProcess): Promise<void> {
  const had = (await leases(store)).filter(({ node }) => node === id);
  await until('its lease was taken back', async () => {
    const held = await leases(store);
    return had.every(({ run, fence }) => !held.some((each) => each.run === run && each.fence === fence));
  });
}

/** Puts so much into the stream of results that nobody can say anything, while nobody reads it. */
async function fillResults(stage: Stage): Promise<void> {
  const { t, nats, service } = stage;
  const bus = await Bus.connect({ servers: nats.url, identity: keys.service, name: 'filler' });
  const { config } = await bus.api<{ config: object }>(`STREAM.INFO.${streams.results}`);
  service.signal('SIGSTOP');
  await bus.api(`STREAM.UPDATE.${streams.results}`, { ...config, max_bytes: 256 * 1024 });
  const junk = new Uint8Array(16 * 1024);
  let full: unknown;
  for (let i = 0; i < 100 && !full; i++)
    await bus.persist(subjects.results('junk', 'nobody'), junk).catch((error) => {
      full = error;
    });
  t.match(full, { problem: 'full' } as Partial<BusError>, 'the stream of results takes no more');
  await delay(500);
  service.signal('SIGCONT');
  await movesOn(stage, 3, 'behind a stream that was full');
  await bus.api(`STREAM.UPDATE.${streams.results}`, config);
  await bus.close();
}

/** The stream of objects takes nothing for a while: nothing can be kept meanwhile, and nothing is lost. */
async function fillObjects(stage: Stage): Promise<void> {
  const { nats } = stage;
  const bus = await Bus.connect({ servers: nats.url, identity: keys.service, name: 'filler' });
  const name = streams.segments;
  const { config } = await bus.api<{ config: object }>(`STREAM.INFO.${name}`);
  await bus.api(`STREAM.UPDATE.${name}`, { ...config, max_bytes: 1 });
  await delay(700);
  await bus.api(`STREAM.UPDATE.${name}`, config);
  await bus.close();
  await movesOn(stage, 3, 'behind an object store that was full');
}

/** `svc contribute` is alone when the job begins, so that it has a lease; the others come then. */
async function stageFor(t: Test): Promise<Stage> {
  const nats = await startServer(t);
  const service = await ServiceProcess.start(t, nats.url);
  const store = await service.store(t);
  const wire = await Wire.to(nats.port);
  t.teardown(() => wire.close());
  const cli = await ContributorProcess.hire(t, store, service);
  const client = await customer(store, service);
  const work = new SameJob(client, STEPS);
  await work.until('`svc contribute` has a lease', () => cli.holds.length > 0);
  const urls = [`nats://127.0.0.1:${wire.port}`, nats.url, nats.url];
  const contributors = await Promise.all(
    urls.map((url, i) => ContributorProcess.admit(t, store, { nats: url, seed: i + 1, showsEach: true })),
  );
  return { t, store, work, nats, service, cli, contributors, wire, zid: client.zid };
}

t.test('a job outlives whatever happens to the processes behind it', { skip: natsMissing }, async (t) => {
  const stage = await stageFor(t);
  const { store, work, nats, service, cli, contributors, wire, zid } = stage;
  const random = seeded(SEED);
  const undisturbed = undisturbedRoot(t, STEPS);
  undisturbed.catch(() => undefined); // said where it is waited for
  await movesOn(stage, 3, 'at first');

  await work.until('`svc contribute` has shown a span', () => shownByCli(stage) > 0);
  t.ok(cli.holds.length > 0, '`svc contribute` is killed while it has a lease');
  const words = cli.said.length;
  await cli.kill();
  const cliIsBack = cli.start();
  await killAtRandom(stage, 8, random);
  await cliIsBack;
  t.match(
    cli.said.findLast(({ kind }) => kind === 'contributing'),
    { node: cli.id },
    'it is back, the same node',
  );
  await movesOn(stage, 2, `after 8 kills of contributors (seed ${SEED})`);

  await nats.kill();
  await movesOn(stage, 3, 'after nats-server was killed');

  await work.goesOn();
  await service.kill();
  await service.startAgain();
  work.client.url = service.url;
  await movesOn(stage, 3, 'after the service node was killed');

  const paused = await holder(stage);
  paused.signal('SIGSTOP');
  wire.cut();
  await Promise.all([paused, contributors[0]!].map((each) => untilTaken(stage, each)));
  await movesOn(stage, 2, 'without a process that stands still and one that is cut off');
  paused.signal('SIGCONT');
  wire.mend();

  await fillResults(stage);
  await fillObjects(stage);
  await killAtRandom(stage, 4, random);
  const roots = new Set(await work.roots()); // under the ids that they had before the service node was killed
  t.strictSame(roots, new Set([await undisturbed]), 'the root of the undisturbed job');

  const { runs, problems, accepted, credited, owners } = await books(store);
  t.ok(runs.length >= 2, 'long runs went over the mesh');
  t.strictSame(problems, [], 'accepted: each segment once, none missing');
  t.strictSame(credited, accepted, 'each accepted span paid once to who ran it, and nothing else');
  t.ok(owners.filter((owner) => owner !== 'house').length > 1, 'more than one contributor has run it');
  t.ok(owners.includes(cli.zid), 'what `svc contribute` had shown when it was killed counts');
  const since = cli.said.slice(words).map(({ kind }) => kind);
  t.ok(since.includes('leased') || since.includes('checking'), 'and it has taken work again');
  t.ok(lostPerKill.length > 0, `${lostPerKill.length} kills hit a node that had a lease`);
  t.ok(
    lostPerKill.every((lost) => lost <= 1),
    `each took one segment at most: ${lostPerKill.join(', ')}`,
  );

  const { length: leaves } = work.ids;
  t.match(await auditSpine(store), { sound: true, problems: [], leaves }, 'charged once, in the log once');
  t.match(svcJson(service.place.dataDir, 'account', 'show', zid), { held_plancks: '0' });
});
