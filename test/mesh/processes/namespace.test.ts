import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { natsMissing } from '../../servers/nats.ts';
import { ContributorProcess, customer, ServiceProcess, startServer, until } from './mesh-processes.ts';
import { Namespace, namespacesMissing } from './namespace.ts';
import { books, claimed, jobOf, leases, submit } from './orbit-job.ts';
import { Wire } from './proxy.ts';

// A contributor in a network namespace of its own, whose only cable is pulled while it runs a job.

t.setTimeout(300_000);

const STEPS = 150_000;

t.test(
  'a node that is cut off in a network namespace loses its lease, and is back when its cable is',
  { skip: natsMissing || namespacesMissing },
  async (t) => {
    const nats = await startServer(t);
    const service = await ServiceProcess.start(t, nats.url);
    const store = await service.store(t);
    const client = await customer(store, service);
    const inside = new Namespace();
    t.teardown(() => inside.close());
    const wire = await Wire.to(nats.port, inside.address); // nats-server hears on loopback only
    t.teardown(() => wire.close());
    const url = `nats://${inside.address}:${wire.port}`;
    const alone = await ContributorProcess.admit(t, store, { nats: url, seed: 1 }, inside.command);
    const job = await submit(client, STEPS);
    const held = async () => (await leases(store)).find(({ node }) => node === alone.id);
    await until('it has a lease', async () => (await held()) !== undefined);
    const had = (await held())!;

    inside.cut();
    const other = await ContributorProcess.admit(t, store, { nats: nats.url, seed: 2 });
    const isTaken = async () =>
      !(await leases(store)).some(({ run, fence }) => run === had.run && fence === had.fence);
    await until('its lease was taken back', isTaken);
    const before = await claimed(store);
    await until('others go on', async () => (await claimed(store)) > before);
    const words = alone.said.length;

    inside.mend();
    await until('it hears that it lost it', () =>
      alone.said.slice(words).some(({ kind }) => kind === 'lost'),
    );
    await until('the job is done', async () => {
      await delay(100);
      return (await jobOf(client, job)).state === 'done';
    });
    const { problems, accepted, credited, owners } = await books(store);
    t.strictSame(problems, [], 'accepted: each segment once, none missing');
    t.strictSame(credited, accepted, 'each accepted span paid once to who ran it');
    t.ok(owners.includes(other.zid) || owners.includes('house'), 'somebody else went on');
  },
);
