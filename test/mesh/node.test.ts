import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Contributor } from '../../mesh/contributor/contributor.ts';
import { KernelCache } from '../../mesh/contributor/kernel-cache.ts';
import type { MeshRun } from '../../mesh/decide/run.ts';
import { NatsDesk } from '../../mesh/nats/desk.ts';
import { deploymentKeys } from '../../mesh/nats/keys.ts';
import { identityOf } from '../../mesh/nats/nkey.ts';
import { serverConfig } from '../../mesh/nats/server-config.ts';
import { meshNodes, meshRuns, meshSpans } from '../../mesh/records.ts';
import { accountId, accountRow, available } from '../../src/ledger/accounts.ts';
import type { ServiceNode } from '../../src/node.ts';
import { utf8 } from '../../src/proof/bytes.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { type NatsServer, natsMissing, startNats } from '../servers/nats.ts';
import { answerOf, figureEight, hour, testNode } from '../spine/test-node.ts';

const skip = natsMissing;
const secret = 'a secret of thirty-two characters or more';
const keys = deploymentKeys(utf8(secret));

async function server(t: Test): Promise<NatsServer> {
  const whole = (port: number, folder: string) => serverConfig({ keys, port, folder: `${folder}/jetstream` });
  const nats = await startNats({ whole, restarts: true });
  t.teardown(() => nats.stop());
  return nats;
}

async function service(t: Test, nats: NatsServer): Promise<ServiceNode> {
  const mesh = { nats: [nats.url], secret, policy: 'sampled' } as const;
  const node = await testNode(t, { mesh, gossip: { secret } });
  await node.startRecovery((error) => t.comment(`the service: ${error}`));
  return node;
}

/** A contributor over NATS in this process, admitted by hand: admission has tests of its own. */
async function contributor(t: Test, nats: NatsServer, node: ServiceNode, number: number) {
  const identity = identityOf('user', new Uint8Array(32).fill(number));
  const { zid } = await node.accounts.create({ label: `contributor ${number}` });
  await node.store.transaction((tx) =>
    tx.insert(meshNodes, {
      ...{ id: identity.id, owner: zid, engine: `engine ${number}`, cores: 1n, memory: 2n ** 32n },
      ...{ mode: 'contributing', state: 'admitted', admitted_ns: 0n, heard_ns: 0n },
    }),
  );
  const presence = { engine: `engine ${number}`, cores: 1, memory: 2 ** 32 };
  const desk = await NatsDesk.open({ servers: nats.url, identity, service: keys.service.id, presence });
  const folder = mkdtempSync(join(tmpdir(), 'svc-contributor-'));
  const pool = new ThreadPool({ threads: 1 });
  const kernels = new KernelCache(folder);
  const options = { desk, bells: desk, pool, kernels, threads: 1, memory: 2 ** 32 };
  const contributor = new Contributor({ ...options, mode: 'contributing' });
  desk.listen(contributor);
  contributor.start();
  t.teardown(async () => {
    await contributor.leave();
    await desk.close();
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { id: identity.id, zid, contributor };
}

t.test(
  'a job is run by contributors over NATS, sealed as at home, and they are paid',
  { skip },
  async (t) => {
    const nats = await server(t);
    const node = await service(t, nats);
    const workers = [await contributor(t, nats, node, 1), await contributor(t, nats, node, 2)];
    await node.accounts.create({ zid: 'payer', fuel: 10n * hour });
    const body = { ...figureEight, dt: 1e-5, t_max: 16 };
    const job = await node.spine.submit({
      account: 'payer',
      solver: 'multibody',
      body,
      background: true,
      replication: 'full',
    });
    const { answer } = await job.outcome;
    const sealed = answerOf(answer);
    const runs = await node.store.find(meshRuns);
    t.ok(runs.length > 0 && runs.every(({ state }) => state === 'done'), 'its long runs went over the mesh');
    t.ok(
      runs.every(({ machine }) => (machine as MeshRun).policy === 'full'),
      'as the request asked',
    );
    const spans = await node.store.find(meshSpans);
    t.ok(spans.every(({ owner }) => owner === 'house' || workers.some(({ zid }) => zid === owner)));
    t.ok(spans.some(({ owner }) => owner !== 'house'));

    const home = await testNode(t);
    await home.accounts.create({ zid: 'payer', fuel: 10n * hour });
    const here = await home.spine.submit({ account: 'payer', solver: 'multibody', body, background: true });
    t.equal(answerOf((await here.outcome).answer).envelope.jobRoot, sealed.envelope.jobRoot);
    t.match(await auditSpine(node.store), { sound: true });
    await node.contributions.payOut();
    const coins = await Promise.all(workers.map(({ zid }) => accountRow(node.store, accountId('coin', zid))));
    t.ok(coins.some((account) => available(account) > 0n));
  },
);
