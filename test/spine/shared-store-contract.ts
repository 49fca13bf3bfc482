import type { Test } from 'tap';
import { buildApp } from '../../src/http/app.ts';
import { type NodeConfig, ServiceNode } from '../../src/node.ts';
import { RefusalAllowance } from '../../src/spine/allowance.ts';
import { JobRecords } from '../../src/spine/job-records.ts';
import { jobs } from '../../src/spine/records.ts';
import type { Store } from '../../src/store/store.ts';
import { figureEight, hour, testNode } from './test-node.ts';

// What several processes on one store owe each other, on each store. `config` gives every call a store of its own.

const LEASE_MS = 8000;
const longJob = { ...figureEight, dt: 1e-6, t_max: 400, integrator: 'leapfrog' };

export function run(t: Test, config: () => Partial<NodeConfig>): void {
  t.test('a job is cancelled by whichever process is asked, and its hold is voided', async (t) => {
    const shared = { dataDir: t.testdir(), threads: 1, ...config() };
    const runner = await testNode(t, shared);
    const other = await ServiceNode.open(shared);
    const options = { host: '127.0.0.1', port: 0, logLevel: 'silent', requestsPerMinute: 0 };
    const app = await buildApp(other, options);
    t.teardown(async () => {
      await app.close();
      await other.close();
    });
    const { zid } = await runner.accounts.create({ fuel: hour });
    const { key } = await runner.accounts.mintKey(zid);
    const before = await runner.accounts.means(zid);
    const request = { account: zid, solver: 'multibody', body: longJob, background: true };
    const job = await runner.spine.submit(request);
    const cancel = () =>
      app.inject({
        method: 'DELETE',
        url: `/api/svc/jobs/${job.id}`,
        headers: { authorization: `Bearer ${key}` },
      });
    t.match(await cancel(), { statusCode: 202 });
    await t.rejects(job.outcome, { code: 'CANCELLED' });
    t.equal((await other.spine.records.row(job.id))?.state, 'cancelled');
    t.same(await runner.accounts.means(zid), before);
    t.match(await cancel(), { statusCode: 409 }, 'it is over');
  });

  t.test(
    'a process whose clock is ahead takes nothing that lives, and one that is dead for all clocks is taken',
    async (t) => {
      const { store } = await testNode(t, config());
      const row = await runningJob(store);
      let ms = 0;
      for (const aheadNs of [3_600_000_000_000n, -3_600_000_000_000n]) {
        const records = new JobRecords(
          store,
          () => BigInt(Date.now()) * 1_000_000n + aheadNs,
          () => ms,
        );
        const abandoned = async () => (await records.abandoned()).map(({ id }) => id);
        const renew = () =>
          store.transaction(async (tx) => {
            const { lease_until_ns } = (await tx.get(jobs, { id: row.id }))!;
            await tx.update(jobs, { id: row.id }, { lease_until_ns: lease_until_ns + 1n });
          });
        t.same(await abandoned(), [], 'seen for the first time');
        for (let renewals = 0; renewals < 5; renewals++) {
          ms += LEASE_MS - 1;
          t.same(await abandoned(), []);
          await renew();
          t.same(await abandoned(), [], 'it was renewed');
        }
        ms += LEASE_MS - 1;
        t.same(await abandoned(), []);
        ms += 1;
        t.same(await abandoned(), [row.id], 'it stood still for its whole length');
      }
      const records = new JobRecords(store, () => 0n);
      await store.transaction((tx) => tx.update(jobs, { id: row.id }, { lease_until_ns: 0n }));
      t.equal((await records.abandoned()).length, 1, 'a lease that was given back need not be watched');
    },
  );

  t.test('of two that take a job over one gets it', async (t) => {
    const { store } = await testNode(t, config());
    await runningJob(store, { lease_until_ns: 0n });
    const takeOver = async () => {
      const records = new JobRecords(store, () => BigInt(Date.now()) * 1_000_000n);
      const [row] = await records.abandoned();
      return row && records.takeOver(row);
    };
    const leases = await Promise.all([takeOver(), takeOver(), takeOver()]);
    t.equal(leases.filter((lease) => lease !== undefined).length, 1);
  });

  t.test('refused work of one account is counted by all processes together', async (t) => {
    const { store } = await testNode(t, config());
    let now = 1_800_000_000_000_000_000n;
    const open = () => new RefusalAllowance(store, () => now, 100n);
    const [one, other] = [open(), open()];
    await one.check('z');
    await other.check('z');
    await one.count('z', 60n);
    await other.count('z', 40n);
    const spent = { code: 'REFUSAL_ALLOWANCE_SPENT' };
    await t.rejects(other.check('z'), spent, 'who counted last knows');
    now += 1_000_000_000n;
    await t.rejects(one.check('z'), spent, 'a second later all do');
    await t.resolves(one.check('y'), 'another account has its own');
    await t.rejects(open().check('z'), spent, 'a new process too');
    now += 86_400_000_000_000n;
    await t.resolves(one.check('z'), 'the next day');
  });
}

async function runningJob(store: Store, more: { lease_until_ns?: bigint } = {}) {
  const row = {
    ...{ id: 'job_1', account: 'z', solver: 'solve', request: new Uint8Array(), request_hash: '' },
    ...{ state: 'running', created_ns: 1n, ceiling_plancks: 1n, attempt: 1n, lease_until_ns: 1n },
    ...more,
  };
  await store.transaction((tx) => tx.insert(jobs, row));
  return row;
}
