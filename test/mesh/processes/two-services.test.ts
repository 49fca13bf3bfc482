import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { auditSpine } from '../../../src/spine/audit.ts';
import type { Store } from '../../../src/store/store.ts';
import { mongoMissing, startMongo } from '../../servers/mongodb.ts';
import { natsMissing } from '../../servers/nats.ts';
import type { Client } from '../../spine/node-process.ts';
import { answerOf, hour, testNode } from '../../spine/test-node.ts';
import { ContributorProcess, customer, ServiceProcess, startServer, until } from './mesh-processes.ts';
import { books, claimed, jobOf, slowCluster, submit } from './orbit-job.ts';

// Two service nodes on one database and one nats-server: either may be lost while it holds a job.

t.setTimeout(600_000);

const STEPS = 300_000;

async function rootAtHome(t: Test): Promise<string> {
  const home = await testNode(t);
  await home.accounts.create({ zid: 'payer', fuel: hour });
  const body = slowCluster(STEPS);
  const here = await home.spine.submit({ account: 'payer', solver: 'multibody', body, background: true });
  return answerOf((await here.outcome).answer).envelope.jobRoot;
}

/** Kills the node that holds this job when some of it is there; the other one ends it. @returns the root */
async function endedByTheOther(
  store: Store,
  client: Client,
  held: ServiceProcess,
  other: ServiceProcess,
): Promise<string> {
  client.url = held.url;
  const before = await claimed(store);
  const job = await submit(client, STEPS);
  await until('some of the job is there', async () => (await claimed(store)) >= before + 4);
  await held.kill();
  client.url = other.url;
  await until(
    'the other node has ended it',
    async () => (await jobOf(client, job)).state === 'done',
    240_000,
  );
  return (await jobOf(client, job)).answer!.envelope.jobRoot;
}

t.test(
  'two service nodes on one database share the load, and the loss of either costs no job',
  { skip: natsMissing || mongoMissing },
  async (t) => {
    const server = await startMongo();
    t.teardown(() => server.stop());
    const mongo = { uri: server.uri, database: `t${randomBytes(6).toString('hex')}` };
    const nats = await startServer(t);
    const one = await ServiceProcess.start(t, nats.url, { mongo });
    const other = await ServiceProcess.start(t, nats.url, { mongo });
    const store = await one.store(t);
    const client = await customer(store, one);
    for (const seed of [1, 2]) await ContributorProcess.admit(t, store, { nats: nats.url, seed });

    const roots = [await endedByTheOther(store, client, one, other)];
    await one.startAgain();
    roots.push(await endedByTheOther(store, client, other, one));
    const home = await rootAtHome(t);
    t.strictSame(roots, [home, home], 'the root of the undisturbed job, each time');

    const { problems, accepted, credited } = await books(store);
    t.strictSame(problems, []);
    t.strictSame(credited, accepted, 'each accepted span paid once');
    t.match(await auditSpine(store), { sound: true, problems: [], leaves: 2 }, 'each job charged once');
  },
);
