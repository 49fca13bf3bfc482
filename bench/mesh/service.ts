import { signingKey } from '#crypto';
import { Beacons } from '../../mesh/beacons.ts';
import { Coordinator } from '../../mesh/coordinator/coordinator.ts';
import { MeshExecutor } from '../../mesh/coordinator/mesh-executor.ts';
import { house, type Policy } from '../../mesh/decide/run.ts';
import { NatsFront } from '../../mesh/nats/front.ts';
import type { NatsServer } from '../../mesh/nats/server.ts';
import { systemClock } from '../../src/clock/clock.ts';
import { Contributions } from '../../src/contribute/contributions.ts';
import { openNodeStore } from '../../src/node/node-store.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { NodeLog } from '../../src/spine/node-log.ts';
import type { Store } from '../../src/store/store.ts';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { keys } from './deployment.ts';

const { now } = systemClock();
const TICK_MS = 777;

/** A service node without surfaces: transport, decisions and books; its own threads run nothing of the mesh. */
export interface Service {
  readonly store: Store;
  readonly coordinator: Coordinator;
  readonly front: NatsFront;
  /** This machine's threads, as the peer. */
  readonly pool: ThreadPool;
  executor(policy: Policy): MeshExecutor;
  close(): Promise<void>;
}

export async function openService(nats: NatsServer, folder: string): Promise<Service> {
  const store = await openNodeStore({ dataDir: folder });
  const seed = new Uint8Array(32).fill(5);
  const log = new NodeLog(noteSigner('bench', seed), now);
  const contributions = new Contributions({ store, now });
  const onError = (error: unknown) => console.error(error);
  const isAdmitted = (node: string) => contributions.isAdmitted(node);
  const front = await NatsFront.open({ servers: nats.url, keys, isAdmitted, now, onError });
  const { objects } = front;
  const coordinator = new Coordinator({
    ...{ store, now, onError, objects, post: front, credits: contributions },
    beacons: new Beacons({
      ...{ store, now, node: 'bench', sign: signingKey(seed).sign },
      checkpoint: () => log.checkpoint(store),
    }),
    signVerdict: ({ id }) => id,
    house: { id: 'house-bench', owner: house, engine: 'bench' },
  });
  front.serve(coordinator);
  const ticker = setInterval(() => void coordinator.tick().catch(onError), TICK_MS);
  const catalogue = new KernelCatalogue();
  const pool = new ThreadPool({ threads: 2, catalogue });
  const isPeopled = () => Promise.resolve(true);
  const parts = { coordinator, store, objects, catalogue, local: pool, isPeopled, now, leastWork: 0 };
  return {
    ...{ store, coordinator, front, pool },
    executor: (policy) => new MeshExecutor({ ...parts, policy }),
    close: async () => {
      clearInterval(ticker);
      await front.close();
      await pool.close();
      await store.close();
    },
  };
}
