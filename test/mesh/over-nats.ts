import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Contributor } from '../../mesh/contributor/contributor.ts';
import { KernelCache } from '../../mesh/contributor/kernel-cache.ts';
import type { BusStatus } from '../../mesh/nats/bus.ts';
import { NatsDesk } from '../../mesh/nats/desk.ts';
import { deploymentKeys } from '../../mesh/nats/keys.ts';
import { identityOf } from '../../mesh/nats/nkey.ts';
import { serverConfig } from '../../mesh/nats/server-config.ts';
import { meshNodes } from '../../mesh/records.ts';
import type { ServiceNode } from '../../src/node.ts';
import { utf8 } from '../../src/proof/bytes.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { type NatsServer, startNats } from '../servers/nats.ts';
import { LyingPool } from './liar.ts';

// A service node and contributors in one process, and a real nats-server between them.

export const secret = 'a secret of thirty-two characters or more';
const keys = deploymentKeys(utf8(secret));

interface Test {
  teardown(work: () => unknown): void;
}

export async function server(t: Test): Promise<NatsServer> {
  const whole = (port: number, folder: string) => serverConfig({ keys, port, folder: `${folder}/jetstream` });
  const nats = await startNats({ whole, restarts: true });
  t.teardown(() => nats.stop());
  return nats;
}

interface How {
  readonly isLiar?: boolean;
  readonly onStatus?: (status: BusStatus) => void;
}

/** A contributor with an account of its own, admitted by hand (admission has tests of its own), once the service calls on it. */
export async function contributor(t: Test, nats: string, node: ServiceNode, number: number, how: How = {}) {
  const identity = identityOf('user', new Uint8Array(32).fill(number));
  const { zid } = await node.accounts.create({ label: `contributor ${number}` });
  await node.store.transaction((tx) =>
    tx.insert(meshNodes, {
      ...{ id: identity.id, owner: zid, engine: `engine ${number}`, cores: 1n, memory: 2n ** 32n },
      ...{ mode: 'contributing', state: 'admitted', admitted_ns: 0n, heard_ns: 0n },
    }),
  );
  const presence = { engine: `engine ${number}`, cores: 1, memory: 2 ** 32 };
  const { onStatus } = how;
  const desk = await NatsDesk.open({ servers: nats, identity, service: keys.service.id, presence, onStatus });
  const folder = mkdtempSync(join(tmpdir(), 'svc-contributor-'));
  const threads = new ThreadPool({ threads: 1 });
  const pool = how.isLiar ? new LyingPool(threads) : threads;
  const kernels = new KernelCache(folder);
  const options = { desk, bells: desk, pool, kernels, threads: 1, memory: 2 ** 32 };
  const contributor = new Contributor({ ...options, mode: 'contributing' });
  desk.listen(contributor);
  contributor.start();
  const isCalled = async () =>
    (await node.mesh!.coordinator.candidates()).some(({ id }) => id === identity.id);
  while (!(await isCalled())) await delay(20);
  t.teardown(async () => {
    await contributor.leave();
    await desk.close();
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { id: identity.id, zid, identity, desk, contributor };
}
