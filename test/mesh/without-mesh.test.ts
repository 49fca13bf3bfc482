import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { insertRun, type RunSheet, storedRun } from '../../mesh/coordinator/run-rows.ts';
import { openRun } from '../../mesh/decide/run.ts';
import { ServiceNode } from '../../src/node.ts';
import { checkpoints, jobs } from '../../src/spine/records.ts';
import type { Store } from '../../src/store/store.ts';
import { figureEight, hour } from '../spine/test-node.ts';

/** As a mesh leaves a run in the store that it has begun. */
function begun(store: Store, job: string): Promise<void> {
  const id = `${job}-0`;
  const machine = openRun({ id, kernel: 'kernel', payer: 'payer', policy: 'sampled' }, 0);
  const begun = { segment: -1, work: 0n };
  const more = { createdNs: 0n, deadlineNs: 1n, paid: begun, after: 0n };
  const sheet = { class: 'paid-small' } as RunSheet;
  return store.transaction((tx) => insertRun(tx, job, sheet, machine, more));
}

t.test('a node that is started without its mesh takes the runs home that the mesh has begun', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-without-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const before = await ServiceNode.open({ dataDir, threads: 1 });
  await before.accounts.create({ zid: 'payer', fuel: 10n * hour });
  const body = { ...figureEight, dt: 1e-6, t_max: 10 };
  const request = { account: 'payer', solver: 'multibody', body, background: true } as const;
  const { id: job, outcome } = await before.spine.submit(request);
  outcome.catch(() => undefined);
  while ((await before.store.count(checkpoints, { job })) === 0) await delay(20);
  await begun(before.store, job);
  await before.close();

  const after = await ServiceNode.open({ dataDir, threads: 1 });
  t.teardown(() => after.close());
  t.equal((await storedRun(after.store, `${job}-0`))!.machine.state, 'open');
  t.equal(await after.spine.recover(), 1);
  const state = async () => (await storedRun(after.store, `${job}-0`))!.machine.state;
  while ((await state()) === 'open' && (await after.store.get(jobs, { id: job }))!.state === 'running')
    await delay(20);
  t.equal(await state(), 'failed', 'nobody of the mesh goes on with it');
});
