import { hmacKey } from '#crypto';
import type { Beacons } from '../mesh/beacons.ts';
import type { Gossip } from '../mesh/gossip/gossip.ts';
import type { GossipBus } from '../mesh/gossip/on-bus.ts';
import { KernelCatalogue } from '../workers/kernels.ts';
import { ThreadPool } from '../workers/pool.ts';
import { Accounts } from './accounts/accounts.ts';
import { Attestor } from './attest/attest.ts';
import { Challenges } from './challenges/challenges.ts';
import { type Clock, systemClock } from './clock/clock.ts';
import { Contributions } from './contribute/contributions.ts';
import type { ContributePolicy } from './contribute/policy.ts';
import { plancksPerHour } from './ledger/plancks.ts';
import { type GossipConfig, NodeGossip } from './node/gossip.ts';
import type { MeshConfig, NodeMesh } from './node/mesh.ts';
import { openNodeStore, type StorePlace } from './node/node-store.ts';
import { WithoutMesh } from './node/without-mesh.ts';
import { type NoteSigner, noteSigner } from './proof/note.ts';
import { Reverifier } from './reverify/reverify.ts';
import { nodeKeys } from './spine/identity.ts';
import { jobHolders } from './spine/job-blobs.ts';
import { gapInTime, mustKnowTime } from './spine/known-time.ts';
import { lastSigned, NodeLog } from './spine/node-log.ts';
import type { SpineLimits } from './spine/parts.ts';
import { Spine } from './spine/pipeline.ts';
import { FolderHead } from './spine/published-head.ts';
import { revocations } from './spine/records.ts';
import type { Settler } from './spine/settlement.ts';
import { SettlingThread } from './spine/settling-thread.ts';
import { WritableStore } from './spine/writable-store.ts';
import { type Swept, sweepBlobs } from './store/blob-holders.ts';
import { Uploads } from './uploads/uploads.ts';

export interface NodeConfig extends StorePlace {
  /** Threads for kernels; absent: the processor's cores. */
  readonly threads?: number;
  /** Start threads only when there is a run for them: for one command, not for a node that serves. */
  readonly lazyThreads?: boolean;
  /** Seal and record small jobs on a thread beside the main one: for a node that serves many (embedded store only). */
  readonly settlingThread?: boolean;
  readonly limits?: Partial<SpineLimits>;
  /** Bytes of blobs that an account may have uploaded; absent: 1 GiB. */
  readonly uploadQuotaBytes?: number;
  /** What this node's operator decides about contributors. */
  readonly contribute?: Partial<ContributePolicy>;
  /** Absent: the node takes part in no gossip. */
  readonly gossip?: GossipConfig;
  /** Absent: all runs stay on this machine's threads. */
  readonly mesh?: MeshConfig;
  /** Absent: that of the machine. */
  readonly clock?: Clock;
}

export interface NodeLoad {
  /** Jobs that run or wait. */
  readonly jobs: number;
  /** Runs of kernels that have not started yet. */
  readonly queued: number;
  /** Leaves of the log. */
  readonly logSize: number;
}

const defaultLimits: SpineLimits = {
  memory: 2 ** 30,
  jobs: 4096,
  refusedPlancks: plancksPerHour / 10n,
};

/** Who is told of what goes wrong beside any request: nobody until the node is started. */
interface Reports {
  onError: (error: unknown) => void;
}

const RECOVERY_MS = 2000;
const HOUSEKEEPING_MS = 60_000;
/** What a batch of housekeeping looks at, and the pause between two while there is more. */
const SWEEP_BATCH = 50;
const SWEEP_PAUSE_MS = 50;

/** A service node without its surfaces: what the HTTP server, the command line and the tests are built on. */
export class ServiceNode {
  readonly name: string;
  readonly vkey: string;
  readonly store: WritableStore;
  readonly accounts: Accounts;
  readonly uploads: Uploads;
  readonly contributions: Contributions;
  readonly catalogue: KernelCatalogue;
  readonly log: NodeLog;
  readonly spine: Spine;
  readonly attestor: Attestor;
  readonly reverifier: Reverifier;
  readonly challenges: Challenges;
  readonly gossip: Gossip;
  readonly beacons: Beacons;
  readonly mesh: NodeMesh | undefined;
  readonly now: () => bigint;
  /** Threads for kernels, and what a job may take. */
  readonly threads: number;
  readonly limits: SpineLimits;
  readonly #executor: ThreadPool;
  readonly #settler: Settler | undefined;
  readonly #nodeGossip: NodeGossip;
  readonly #reports: Reports;
  readonly #clock: Clock;
  /** When the node last signed before it was started. */
  readonly #signedNs: bigint | undefined;
  #isInDoubt = false;
  #leaveBus: () => void = () => undefined;
  #recovery: NodeJS.Timeout | undefined;
  #housekeeping: NodeJS.Timeout | undefined;

  private constructor(parts: {
    name: string;
    store: WritableStore;
    catalogue: KernelCatalogue;
    executor: ThreadPool;
    limits: SpineLimits;
    log: NodeLog;
    spine: Spine;
    attestor: Attestor;
    reverifier: Reverifier;
    signer: NoteSigner;
    settler: Settler | undefined;
    nodeGossip: NodeGossip;
    clock: Clock;
    signedNs: bigint | undefined;
    now: () => bigint;
    uploadQuotaBytes?: number;
    contributions: Contributions;
    mesh: NodeMesh | undefined;
    reports: Reports;
  }) {
    this.name = parts.name;
    this.vkey = parts.log.vkey;
    this.store = parts.store;
    this.accounts = new Accounts(parts.store, parts.now);
    this.uploads = new Uploads(parts.store, parts.now, parts.uploadQuotaBytes);
    this.contributions = parts.contributions;
    this.mesh = parts.mesh;
    this.#reports = parts.reports;
    this.catalogue = parts.catalogue;
    this.log = parts.log;
    this.spine = parts.spine;
    this.attestor = parts.attestor;
    this.reverifier = parts.reverifier;
    this.challenges = new Challenges({
      ...parts,
      node: parts.name,
      memory: parts.limits.memory,
      bonds: this.contributions,
      ...(parts.mesh ? { third: parts.mesh.third } : {}),
      barred: (node) => void parts.mesh?.front.bar(node).catch((error) => this.#reports.onError(error)),
    });
    this.now = parts.now;
    this.#clock = parts.clock;
    this.#signedNs = parts.signedNs;
    this.threads = parts.executor.threads;
    this.limits = parts.limits;
    this.#executor = parts.executor;
    this.#settler = parts.settler;
    this.#nodeGossip = parts.nodeGossip;
    this.gossip = parts.nodeGossip.gossip;
    this.beacons = parts.nodeGossip.beacons;
  }

  static async open(config: NodeConfig): Promise<ServiceNode> {
    const keys = nodeKeys(config.dataDir);
    const store = new WritableStore(await openNodeStore(config));
    const signedNs = await lastSigned(store, keys.name);
    const clock = config.clock ?? systemClock(signedNs);
    const { now } = clock;
    const signer = noteSigner(keys.name, keys.signingSeed);
    const log = new NodeLog(signer, now, new FolderHead(config.dataDir, keys.name));
    await log.mustContinue(store).catch(async (error) => {
      await store.close();
      throw error;
    });
    const catalogue = new KernelCatalogue();
    const executor = new ThreadPool({ threads: config.threads, catalogue, lazy: config.lazyThreads });
    const hmac = hmacKey(keys.hmacKey);
    const attestor = new Attestor({ executor, catalogue, signer, now });
    const reverifier = new Reverifier({
      ...{ signer, hmacKey: hmac, now },
      revocationOf: (token_id) => store.get(revocations, { token_id }),
      kernel: (name) => catalogue.digest(name),
    });
    const { dataDir } = config;
    const limits = { ...defaultLimits, ...config.limits };
    const settler =
      config.settlingThread && !config.mongo ? new SettlingThread({ dataDir, keys }) : undefined;
    const { threads } = executor;
    const { memory } = limits;
    const nodeGossip = new NodeGossip({ store, log, keys, now, threads, memory }, config.gossip);
    const contributions = new Contributions({ store, now, policy: config.contribute });
    const reports: Reports = { onError: () => undefined };
    const mesh =
      config.mesh &&
      (await openMesh(config.mesh, {
        ...{ store, catalogue, pool: executor, signer, log, contributions, now, dataDir, memory },
        beacons: nodeGossip.beacons,
        gossip: nodeGossip.gossip,
        onError: (error) => reports.onError(error),
      }).catch(async (error) => {
        await executor.close();
        await settler?.close();
        await store.close();
        throw error;
      }));
    const spine = new Spine({
      store,
      executor: mesh?.executor ?? new WithoutMesh({ store, local: executor, now }),
      catalogue,
      log,
      node: keys.name,
      hmacKey: hmac,
      now,
      limits,
      settler,
      mustKnowTime: () => mustKnowTime(clock),
      onError: (error) => reports.onError(error),
    });
    const { uploadQuotaBytes } = config;
    return new ServiceNode({
      name: keys.name,
      store,
      catalogue,
      executor,
      limits,
      log,
      spine,
      attestor,
      reverifier,
      signer,
      settler,
      nodeGossip,
      clock,
      signedNs: config.clock ? undefined : signedNs,
      now,
      uploadQuotaBytes,
      contributions,
      mesh,
      reports,
    });
  }

  /** By how much the machine's clock is ahead, where that is not believed; else 0n. */
  get clockAheadNs(): bigint {
    return this.#clock.ahead?.() ?? 0n;
  }

  /** @throws Refusal of the store, CLOCK_IN_DOUBT or LOG_NOT_CONTINUED, where the node can seal nothing */
  async mustBeAbleToSeal(): Promise<void> {
    await this.spine.mustBeAbleToWrite();
    mustKnowTime(this.#clock);
    await this.log.mustContinue(this.store);
  }

  /** Goes on with the jobs of processes that are gone, now and from time to time. */
  async startRecovery(onError: (error: unknown) => void): Promise<void> {
    this.#reports.onError = onError;
    if (this.mesh) this.#leaveBus = this.joinBus(this.mesh.front.bus, onError);
    const gap = this.#signedNs && gapInTime(this.#signedNs, BigInt(Date.now()) * 1_000_000n);
    if (gap) onError(new Error(gap));
    const recover = async () => {
      if (!this.#knowsTime(onError)) return;
      await Promise.all([this.spine.recover(), this.challenges.recover()]).catch(onError);
    };
    await recover();
    this.#recovery = setInterval(() => void recover(), RECOVERY_MS).unref();
    this.#keepHouse(HOUSEKEEPING_MS, onError);
    await this.#nodeGossip.start(onError);
  }

  /** Its operator is told once when it does not. */
  #knowsTime(onError: (error: unknown) => void): boolean {
    const wasInDoubt = this.#isInDoubt;
    try {
      mustKnowTime(this.#clock);
      this.#isInDoubt = false;
    } catch (error) {
      this.#isInDoubt = true;
      if (!wasInDoubt) onError(error);
    }
    return !this.#isInDoubt;
  }

  /** Hears and says gossip over NATS too, and publishes beacons there. @returns how to leave */
  joinBus(bus: GossipBus, onError: (error: unknown) => void): () => void {
    return this.#nodeGossip.join(bus, onError);
  }

  /** Resolves once the gossip that was said reached the peers, or was given up. */
  gossipSaid(): Promise<void> {
    return this.#nodeGossip.said();
  }

  /** What the node does at this moment. */
  async load(): Promise<NodeLoad> {
    const logSize = await this.log.size(this.store);
    return { jobs: this.spine.liveJobs.size, queued: this.#executor.queued, logSize };
  }

  /** Deletes blobs that nobody holds, a small batch at a time. */
  sweep(nowNs: bigint = this.now()): Promise<Swept> {
    return sweepBlobs(this.store, { job: jobHolders, upload: this.uploads.holders }, nowNs, SWEEP_BATCH);
  }

  #keepHouse(afterMs: number, onError: (error: unknown) => void): void {
    this.#housekeeping = setTimeout(async () => {
      await this.contributions.endTerms().catch(onError);
      await this.contributions.payOut().catch(onError); // a mesh does it each tick; its jobs may outlive it
      const swept = await this.sweep().catch(onError);
      const isMore = swept !== undefined && Object.values(swept).includes(SWEEP_BATCH);
      if (this.#housekeeping !== undefined)
        this.#keepHouse(isMore ? SWEEP_PAUSE_MS : HOUSEKEEPING_MS, onError);
    }, afterMs).unref();
  }

  /** Drains: small jobs end, recorded ones are left to the next start, then everything is let go of. */
  async close(): Promise<void> {
    clearInterval(this.#recovery);
    clearTimeout(this.#housekeeping);
    this.#housekeeping = undefined;
    this.#leaveBus();
    await this.#nodeGossip.close();
    await this.spine.drain();
    await this.challenges.stop();
    await this.mesh?.close();
    await this.#executor.close();
    await this.#settler?.close();
    await this.store.close();
  }
}

/** Only a node of a mesh loads what a mesh is made of. */
async function openMesh(...args: Parameters<typeof NodeMesh.open>): Promise<NodeMesh> {
  const { NodeMesh } = await import('./node/mesh.ts');
  return NodeMesh.open(...args);
}
