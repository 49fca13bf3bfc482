import t, { type Test } from 'tap';
import { house, type MeshRun } from '../../mesh/decide/run.ts';
import { meshRuns, meshSpans } from '../../mesh/records.ts';
import { accountId, accountRow, available } from '../../src/ledger/accounts.ts';
import type { ServiceNode } from '../../src/node.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { type NatsServer, natsMissing } from '../servers/nats.ts';
import { answerOf, figureEight, hour, testNode } from '../spine/test-node.ts';
import { contributor, secret, server } from './over-nats.ts';

const skip = natsMissing;

async function service(t: Test, nats: NatsServer): Promise<ServiceNode> {
  const mesh = { nats: [nats.url], secret, policy: 'sampled' } as const;
  const node = await testNode(t, { mesh, gossip: { secret } });
  await node.startRecovery((error) => t.comment(`the service: ${error}`));
  return node;
}

t.test(
  'a job is run by contributors over NATS, sealed as at home, and they are paid',
  { skip },
  async (t) => {
    const nats = await server(t);
    const node = await service(t, nats);
    const workers = [await contributor(t, nats.url, node, 1), await contributor(t, nats.url, node, 2)];
    await node.accounts.create({ zid: 'payer', fuel: 10n * hour });
    const body = { ...figureEight, dt: 1e-5, t_max: 16 };
    const request = { account: 'payer', solver: 'multibody', body, background: true } as const;
    const sealedOnce = async () =>
      answerOf((await (await node.spine.submit({ ...request, replication: 'full' })).outcome).answer);
    let sealed = await sealedOnce();
    // On a busy machine the service may have taken a run before anybody came.
    while ((await node.store.count(meshSpans, { owner: house })) === (await node.store.count(meshSpans)))
      sealed = await sealedOnce();
    const runs = await node.store.find(meshRuns);
    t.ok(runs.length > 0 && runs.every(({ state }) => state === 'done'), 'its long runs went over the mesh');
    t.ok(
      runs.every(({ machine }) => (machine as MeshRun).policy === 'full'),
      'as the request asked',
    );
    const spans = await node.store.find(meshSpans);
    t.ok(spans.every(({ owner }) => owner === house || workers.some(({ zid }) => zid === owner)));

    const home = await testNode(t);
    await home.accounts.create({ zid: 'payer', fuel: 10n * hour });
    const here = await home.spine.submit(request);
    t.equal(answerOf((await here.outcome).answer).envelope.jobRoot, sealed.envelope.jobRoot);
    t.match(await auditSpine(node.store), { sound: true });
    await node.contributions.payOut();
    const coins = await Promise.all(workers.map(({ zid }) => accountRow(node.store, accountId('coin', zid))));
    t.ok(coins.some((account) => available(account) > 0n));
  },
);
