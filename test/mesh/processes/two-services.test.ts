import { randomBytes } from 'node:crypto';
import t from 'tap';
import { meshBeacons } from '../../../mesh/beacons.ts';
import { auditSpine } from '../../../src/spine/audit.ts';
import { envelopes, jobs } from '../../../src/spine/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { mongoMissing, startMongo } from '../../servers/mongodb.ts';
import { natsMissing } from '../../servers/nats.ts';
import type { Client } from '../../spine/node-process.ts';
import { ContributorProcess, customer, ServiceProcess, startServer, until } from './mesh-processes.ts';
import { books, claimed, jobOf, submit, undisturbedRoot } from './orbit-job.ts';

// Two service nodes on one database and one nats-server: each does part of the work of both, and either may be lost while
// it holds a job. Every span is checked, so that whoever hears of one draws who does it.

t.setTimeout(600_000);

const STEPS = 150_000;

/** Names of the service nodes whose beacons drew checks: what nodes show comes to either, whoever holds the job. */
async function drawnBy(store: Store): Promise<ReadonlySet<string>> {
  return new Set((await store.find(meshBeacons)).map(({ node }) => node));
}

async function sealedBy(store: Store, job: string): Promise<{ node: string; attempts: number }> {
  const [envelope] = await store.find(envelopes, { where: { job } });
  const row = await store.get(jobs, { id: job });
  return { node: envelope!.node, attempts: Number(row!.attempt) };
}

async function rootOf(client: Client, { url }: ServiceProcess, job: string): Promise<string> {
  client.url = url;
  await until('the job is done', async () => (await jobOf(client, job)).state === 'done', 400_000);
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
    const [one, other] = await Promise.all(
      [1, 2].map(() => ServiceProcess.start(t, nats.url, { mongo, policy: 'full' })),
    );
    const store = await one!.store(t);
    const client = await customer(store, one!);
    await Promise.all([1, 2].map((seed) => ContributorProcess.admit(t, store, { nats: nats.url, seed })));
    const submitTo = async ({ url }: ServiceProcess): Promise<string> => {
      client.url = url;
      return submit(client, STEPS);
    };
    const movedOn = async (by: number): Promise<void> => {
      const before = await claimed(store);
      await until('some of the work is there', async () => (await claimed(store)) >= before + by);
    };

    const [lost, kept] = [await submitTo(one!), await submitTo(other!)];
    const undisturbed = undisturbedRoot(t, STEPS);
    undisturbed.catch(() => undefined); // said where it is waited for
    await movedOn(4);
    await until('each has drawn checks', async () => (await drawnBy(store)).size === 2);
    t.pass('spans of the same runs come to both: each has drawn checks by beacons of its own');
    await one!.kill();
    const roots = [await rootOf(client, other!, lost), await rootOf(client, other!, kept)];
    await one!.startAgain();
    const back = await submitTo(other!);
    await movedOn(4);
    await other!.kill();
    roots.push(await rootOf(client, one!, back));

    const home = await undisturbed;
    t.strictSame(roots, [home, home, home], 'the root of the undisturbed job, each time');
    const [first, second, third] = await Promise.all([lost, kept, back].map((job) => sealedBy(store, job)));
    t.match(first, { node: second!.node, attempts: 2 }, 'the job of the one was ended by the other');
    t.equal(second!.attempts, 1, 'which had its own beside it');
    t.equal(third!.attempts, 2, 'and its last one was ended by the one');
    t.strictSame(
      new Set([first!.node, third!.node]),
      await drawnBy(store),
      'so each has sealed what it ended',
    );

    const { problems, accepted, credited } = await books(store);
    t.strictSame(problems, []);
    t.strictSame(credited, accepted, 'each accepted span paid once');
    t.match(await auditSpine(store), { sound: true, problems: [], leaves: 3 }, 'each job charged once');
  },
);
