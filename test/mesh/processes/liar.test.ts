import t, { type Test } from 'tap';
import { meshNodes, meshSpans, meshTrust, meshVerdicts } from '../../../mesh/records.ts';
import { bonds, contributors } from '../../../src/contribute/records.ts';
import { auditSpine } from '../../../src/spine/audit.ts';
import type { Store } from '../../../src/store/store.ts';
import { natsMissing } from '../../servers/nats.ts';
import { answerOf, hour, testNode } from '../../spine/test-node.ts';
import { ContributorProcess, customer, ServiceProcess, startServer, until } from './mesh-processes.ts';
import { books, jobOf, leases, slowCluster, submit } from './orbit-job.ts';

// A contributor that lies, among others that do not, each a process.

t.setTimeout(300_000);

/** As placing it leaves it: coins of the account, marked. */
async function bond(store: Store, owner: string): Promise<string> {
  const id = `bond-of-${owner}`;
  await store.transaction(async (tx) => {
    await tx.put(contributors, { owner, mode: 'contributing', bond: id, changed_ns: 0n });
    await tx.insert(bonds, { id, owner, state: 'bonded', tokens: [], bonded_ns: 0n, ends_ns: 2n ** 62n });
  });
  return id;
}

/** The liar is alone when the job begins, so that a lease is its own for certain. */
async function amongLiars(t: Test, policy: string, liesFrom: number, steps: number) {
  const nats = await startServer(t);
  const service = await ServiceProcess.start(t, nats.url, { policy });
  const store = await service.store(t);
  const client = await customer(store, service);
  const liar = await ContributorProcess.admit(t, store, { nats: nats.url, seed: 66, liesFrom });
  const staked = await bond(store, liar.zid);
  const job = await submit(client, steps);
  await until('the liar has a lease', async () => (await leases(store)).some(({ node }) => node === liar.id));
  await Promise.all([1, 2].map((seed) => ContributorProcess.admit(t, store, { nats: nats.url, seed })));
  await until(
    'its bond is withheld',
    async () => (await store.get(bonds, { id: staked }))?.state === 'withheld',
  );
  const node = await store.get(meshNodes, { id: liar.id });
  t.match(node, { state: 'barred', mode: 'idle' }, 'it is barred');
  const verdicts = await store.find(meshVerdicts);
  t.ok(
    verdicts.every(({ faulty }) => faulty === liar.id),
    'and nobody else is found faulty',
  );
  t.ok(verdicts.length > 0 && verdicts.every(({ outcome }) => outcome === 'contributor_wrong'));
  return { store, client, job, liar };
}

t.test(
  'who lies in every span is caught by the first check, and its bond withheld',
  { skip: natsMissing },
  async (t) => {
    const steps = 300_000;
    const { store, client, job, liar } = await amongLiars(t, 'full', 0, steps);
    await until('the job is done', async () => (await jobOf(client, job)).state === 'done');
    const sealed = await jobOf(client, job);

    const home = await testNode(t);
    await home.accounts.create({ zid: 'payer', fuel: hour });
    const body = slowCluster(steps);
    const here = await home.spine.submit({ account: 'payer', solver: 'multibody', body, background: true });
    const { envelope } = answerOf((await here.outcome).answer);
    t.equal(sealed.answer!.envelope.jobRoot, envelope.jobRoot, 'the root is that of an honest run');
    const { problems, accepted, credited, owners } = await books(store);
    t.notOk(owners.includes(liar.zid), 'none of its spans was accepted');
    t.strictSame(problems, []);
    t.strictSame(credited, accepted);
    t.match(await auditSpine(store), { sound: true, problems: [], leaves: 1 });
  },
);

t.test(
  'who lies once it is trusted is caught within some spans, and is trusted with nothing any more',
  { skip: natsMissing },
  async (t) => {
    const liesFrom = 10;
    const { store, client, job, liar } = await amongLiars(t, 'sampled', liesFrom, 1_000_000);
    const spans = await store.find(meshSpans, { where: { node: liar.id } });
    const untrue = spans.filter(({ to_segment }) => to_segment >= BigInt(liesFrom));
    t.ok(spans.length - untrue.length >= 8, 'it had been checked and found right often enough');
    // A claim that is drawn for one in two stays hidden 20 times in a row once in a million.
    t.ok(untrue.length <= 20, `${untrue.length} false spans went by before`);
    const trust = await store.find(meshTrust, { where: { node: liar.id } });
    t.ok(trust.every(({ matches }) => matches === 0n));
    await client.send('DELETE', `/api/svc/jobs/${job}`);
  },
);
