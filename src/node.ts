import { hmacKey } from '#crypto';
import type { Executor } from '../workers/executor.ts';
import { KernelCatalogue } from '../workers/kernels.ts';
import { ThreadPool } from '../workers/pool.ts';
import { Accounts } from './accounts/accounts.ts';
import { accountsSchema } from './accounts/records.ts';
import { systemClock } from './clock/clock.ts';
import { plancksPerHour } from './ledger/plancks.ts';
import { ledgerSchema } from './ledger/records.ts';
import { noteSigner } from './proof/note.ts';
import { nodeKeys } from './spine/identity.ts';
import { NodeLog } from './spine/node-log.ts';
import { Spine, type SpineLimits } from './spine/pipeline.ts';
import { spineSchema } from './spine/records.ts';
import { blobSchema } from './store/blobs.ts';
import { openStore, type StoreConfig } from './store/open.ts';
import type { Store } from './store/store.ts';

export interface NodeConfig {
  /** Folder of the node's own files: keys and, with the embedded store, everything. */
  readonly dataDir: string;
  /** Absent: the embedded store in `dataDir`. */
  readonly mongo?: { readonly uri: string; readonly database: string };
  /** Threads for kernels; absent: the processor's cores. */
  readonly threads?: number;
  readonly limits?: Partial<SpineLimits>;
}

/** Everything that this version keeps; a store is opened with it, a backup needs none of it. */
export const schemas = [blobSchema, ledgerSchema, accountsSchema, spineSchema];

const defaultLimits: SpineLimits = {
  memory: 2 ** 30,
  jobs: 4096,
  refusedPlancks: plancksPerHour / 10n,
};

const RECOVERY_MS = 2000;

/** A service node without its surfaces: what the HTTP server, the command line and the tests are built on. */
export class ServiceNode {
  readonly name: string;
  readonly vkey: string;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly catalogue: KernelCatalogue;
  readonly log: NodeLog;
  readonly spine: Spine;
  readonly now: () => bigint;
  readonly #executor: Executor;
  #recovery: NodeJS.Timeout | undefined;

  private constructor(parts: {
    name: string;
    store: Store;
    catalogue: KernelCatalogue;
    executor: Executor;
    log: NodeLog;
    spine: Spine;
    now: () => bigint;
  }) {
    this.name = parts.name;
    this.vkey = parts.log.vkey;
    this.store = parts.store;
    this.accounts = new Accounts(parts.store, parts.now);
    this.catalogue = parts.catalogue;
    this.log = parts.log;
    this.spine = parts.spine;
    this.now = parts.now;
    this.#executor = parts.executor;
  }

  static async open(config: NodeConfig): Promise<ServiceNode> {
    const keys = nodeKeys(config.dataDir);
    const { now } = systemClock();
    const store = await openStore(storeConfig(config), schemas);
    const catalogue = new KernelCatalogue();
    const executor = new ThreadPool({ threads: config.threads, catalogue });
    const log = new NodeLog(noteSigner(keys.name, keys.signingSeed), now);
    const spine = new Spine({
      store,
      executor,
      catalogue,
      log,
      node: keys.name,
      hmacKey: hmacKey(keys.hmacKey),
      now,
      limits: { ...defaultLimits, ...config.limits },
    });
    return new ServiceNode({ name: keys.name, store, catalogue, executor, log, spine, now });
  }

  /** Goes on with the jobs of processes that are gone, now and from time to time. */
  async startRecovery(onError: (error: unknown) => void): Promise<void> {
    const recover = () => this.spine.recover().catch(onError);
    await recover();
    this.#recovery = setInterval(() => void recover(), RECOVERY_MS).unref();
  }

  /** Drains: small jobs end, recorded ones are left to the next start, then everything is let go of. */
  async close(): Promise<void> {
    clearInterval(this.#recovery);
    await this.spine.drain();
    await this.#executor.close();
    await this.store.close();
  }
}

function storeConfig({ dataDir, mongo }: NodeConfig): StoreConfig {
  return mongo ? { mongoUri: mongo.uri, database: mongo.database } : { dataDir };
}
