import { signingKey } from '#crypto';
import { Beacons } from '../../mesh/beacons.ts';
import type { Contributor } from '../../mesh/contributor/contributor.ts';
import { KernelCache } from '../../mesh/contributor/kernel-cache.ts';
import { Coordinator } from '../../mesh/coordinator/coordinator.ts';
import { openHouse } from '../../mesh/coordinator/house.ts';
import { MeshExecutor } from '../../mesh/coordinator/mesh-executor.ts';
import { house, type Policy } from '../../mesh/decide/run.ts';
import type { Mode } from '../../mesh/desk.ts';
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
import { keys, MEMORY } from './deployment.ts';

const { now } = systemClock();
const TICK_MS = 777;
const HOUSE = 'house-bench';

/** A service node without surfaces: transport, decisions and books. */
export interface Service {
  readonly store: Store;
  readonly coordinator: Coordinator;
  readonly front: NatsFront;
  /** This machine's threads, as the peer. */
  readonly pool: ThreadPool;
  executor(policy: Policy): MeshExecutor;
  /** Its owner sends a contributor to work, or home. */
  switchMode(owner: string, mode: Mode): Promise<void>;
  /** From now on its own threads run what no stranger may be the last word on, and what nobody takes. */
  employ(): void;
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
    writeVerdict: (_, { id }) =>
      Promise.resolve({ note: id, node: 'bench', index: 0, committed: () => undefined }),
    house: { id: HOUSE, owner: house, engine: 'bench' },
  });
  front.serve(coordinator);
  contributions.join({
    modeChanged: (nodes, mode) => {
      for (const node of nodes) void front.mode(node, mode).catch(onError);
    },
  });
  const ticker = setInterval(() => void coordinator.tick().catch(onError), TICK_MS);
  const catalogue = new KernelCatalogue();
  const pool = new ThreadPool({ threads: 2, catalogue });
  const isPeopled = () => Promise.resolve(true);
  const parts = { coordinator, store, objects, catalogue, local: pool, isPeopled, now, leastWork: 0 };
  let threads: Contributor | undefined;
  return {
    ...{ store, coordinator, front, pool },
    employ: () => {
      const offer = { threads: 1, memory: MEMORY, kernels: new KernelCache(folder) };
      threads = openHouse({ coordinator, node: HOUSE, pool, ...offer });
    },
    executor: (policy) => new MeshExecutor({ ...parts, policy }),
    switchMode: async (owner, mode) => void (await contributions.switchMode(owner, mode)),
    close: async () => {
      clearInterval(ticker);
      await threads?.leave();
      await front.close();
      await pool.close();
      await store.close();
    },
  };
}
