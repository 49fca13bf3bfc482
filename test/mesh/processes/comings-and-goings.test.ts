import t, { type Test } from 'tap';
import type { Store } from '../../../src/store/store.ts';
import { type NatsServer, natsMissing } from '../../servers/nats.ts';
import { ContributorProcess, customer, ServiceProcess, startServer, until } from './mesh-processes.ts';
import { books, claimed, leases, openChecks, SameJob, undisturbedRoot } from './orbit-job.ts';
import { SmallDisk, smallDisksMissing } from './small-disk.ts';

// A disk of nats-server that is full, and nodes that leave: a job is at work whenever one is looked for, and every span
// is checked, so that nothing of this comes too late however fast or busy the machine is.

t.setTimeout(600_000);

const STEPS = 200_000;
/** What the streams of a job take, many times over. */
const DISK_BYTES = 64 * 1024 * 1024;

interface Stage {
  readonly t: Test;
  readonly store: Store;
  readonly nats: NatsServer;
  readonly work: SameJob;
  readonly contributors: readonly ContributorProcess[];
}

async function stageFor(t: Test, disk?: SmallDisk): Promise<Stage> {
  const nats = await startServer(t, disk?.folder);
  const service = await ServiceProcess.start(t, nats.url, { policy: 'full' });
  const store = await service.store(t);
  const contributors = await Promise.all(
    [1, 2, 3].map((seed) => ContributorProcess.admit(t, store, { nats: nats.url, seed })),
  );
  const work = new SameJob(await customer(store, service), STEPS);
  return { t, store, nats, work, contributors };
}

async function movesOn({ t, store, work }: Stage, why: string): Promise<void> {
  const before = await claimed(store);
  await work.until(`the job moved on ${why}`, async () => (await claimed(store)) >= before + 3);
  t.pass(`the job moved on ${why}`);
}

/** Every job has the root of the undisturbed one, and who ran what is paid, each segment once. */
async function isWhole({ t, store, work }: Stage): Promise<void> {
  const roots = new Set(await work.roots());
  t.strictSame(roots, new Set([await undisturbedRoot(t, STEPS)]), 'the root of the undisturbed job');
  const { problems, accepted, credited } = await books(store);
  t.strictSame(problems, [], 'accepted: each segment once, none missing');
  t.ok(accepted.length > 0);
  t.strictSame(credited, accepted, 'each accepted span paid once to who ran it, and nothing else');
}

t.test(
  'a full disk of nats-server holds jobs up and ends none',
  { skip: natsMissing || smallDisksMissing },
  async (t) => {
    const disk = new SmallDisk(DISK_BYTES);
    t.teardown(() => disk.close());
    const stage = await stageFor(t, disk);
    const { nats, work } = stage;
    await movesOn(stage, 'at first');
    const { pid } = nats;
    await work.until('nats-server takes no more, and is started anew', () => {
      disk.fill(); // messages that were taken give their room back
      return nats.pid !== pid;
    });
    disk.empty();
    await movesOn(stage, 'once there was room again');
    await isWhole(stage);
  },
);

t.test(
  'who leaves in a segment or in a check is waited for by nobody, and comes back',
  { skip: natsMissing },
  async (t) => {
    const stage = await stageFor(t);
    const { store, work, contributors } = stage;
    await movesOn(stage, 'at first');

    let runner: ContributorProcess | undefined;
    await work.until('one has a lease', async () => {
      const held = await leases(store);
      runner = contributors.find(({ id }) => held.some(({ node }) => node === id));
      return runner !== undefined;
    });
    t.equal(await runner!.leave(), 0);
    const { id: left } = runner!;
    await until('it has given its lease back', async () =>
      (await leases(store)).every(({ node }) => node !== left),
    );
    await movesOn(stage, 'without who left in a segment');
    await runner!.start();

    let checker: ContributorProcess | undefined;
    await work.until('one is asked for a check', async () => {
      for (const each of contributors) if ((await openChecks(store, each.id)) > 0) checker = each;
      return checker !== undefined;
    });
    t.equal(await checker!.leave(), 0);
    const { id } = checker!;
    await until('nobody waits for its check', async () => (await openChecks(store, id)) === 0);
    await movesOn(stage, 'without who left in a check');
    await checker!.start();
    const said = checker!.said.length;
    await work.until('it works again', () =>
      checker!.said.slice(said).some(({ kind }) => kind === 'leased' || kind === 'checking'),
    );
    await isWhole(stage);
  },
);
