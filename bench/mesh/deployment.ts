import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deploymentKeys } from '../../mesh/nats/keys.ts';
import { identityOf } from '../../mesh/nats/nkey.ts';
import { findNatsServer, type NatsServer, startNatsServer } from '../../mesh/nats/server.ts';
import { serverConfig } from '../../mesh/nats/server-config.ts';
import { meshNodes } from '../../mesh/records.ts';
import { Accounts } from '../../src/accounts/accounts.ts';
import { systemClock } from '../../src/clock/clock.ts';
import { utf8 } from '../../src/proof/bytes.ts';
import type { Store } from '../../src/store/store.ts';
import type { Row } from '../figure.ts';

/** A nats-server with the configuration of a mesh, and who takes part, for the benches of the mesh. */

export const secret = 'the secret of the mesh that is measured';
export const keys = deploymentKeys(utf8(secret));

const root = fileURLToPath(new URL('../../..', import.meta.url));
const binary = findNatsServer({ given: process.env.NATS_SERVER, path: process.env.PATH, root });

export const natsMissing =
  'no nats-server: set NATS_SERVER, put it on PATH, or run `npm test` once, which brings one';

/** Measures beside a server; without one every figure says so. */
export async function withServer(
  figures: readonly { readonly figure: string; readonly unit: string }[],
  measure: (server: NatsServer, folder: string) => Promise<Row[]>,
): Promise<Row[]> {
  if (!binary) return figures.map((each) => ({ ...each, note: natsMissing }));
  const folder = mkdtempSync(join(tmpdir(), 'bench-mesh-'));
  const jetstream = join(folder, 'jetstream');
  const config = (port: number) => serverConfig({ keys, port, folder: jetstream });
  const server = await startNatsServer({ binary, folder: join(folder, 'nats'), config });
  try {
    return await measure(server, folder);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const identity = (seed: number) => identityOf('user', new Uint8Array(32).fill(seed));
export const MEMORY = 2 ** 32;

/** Admits the nodes of these seeds, each with an account of its own and so many cores, which is as many runs at once. */
export async function admit(store: Store, seeds: readonly number[], cores = 1): Promise<void> {
  const accounts = new Accounts(store, systemClock().now);
  for (const seed of seeds) await accounts.create({ zid: `owner-${seed}` });
  await store.transaction(async (tx) => {
    for (const seed of seeds)
      await tx.put(meshNodes, {
        ...{ id: identity(seed).id, owner: `owner-${seed}`, engine: `engine-${seed}`, cores: BigInt(cores) },
        ...{ memory: BigInt(MEMORY), mode: 'contributing', state: 'admitted', admitted_ns: 0n, heard_ns: 0n },
      });
  });
}
