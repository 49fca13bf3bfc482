import { hmacKey, sha256 } from '#crypto';
import type { Beacons } from '../../mesh/beacons.ts';
import type { Contributor } from '../../mesh/contributor/contributor.ts';
import { engineName } from '../../mesh/contributor/identity.ts';
import { KernelCache } from '../../mesh/contributor/kernel-cache.ts';
import { Coordinator } from '../../mesh/coordinator/coordinator.ts';
import { type ErrandAnswer, Errands, withErrands } from '../../mesh/coordinator/errands.ts';
import { openHouse } from '../../mesh/coordinator/house.ts';
import { Housekeeping } from '../../mesh/coordinator/housekeeping.ts';
import { MeshExecutor } from '../../mesh/coordinator/mesh-executor.ts';
import { house, type Policy } from '../../mesh/decide/run.ts';
import type { Gossip } from '../../mesh/gossip/gossip.ts';
import { NatsFront } from '../../mesh/nats/front.ts';
import { deploymentKeys } from '../../mesh/nats/keys.ts';
import type { KernelCatalogue } from '../../workers/kernels.ts';
import type { ThreadPool } from '../../workers/pool.ts';
import { asMany } from '../challenges/claims.ts';
import type { SegmentRun, ThirdExecution } from '../challenges/ports.ts';
import { verdictWriter } from '../challenges/segment-verdicts.ts';
import type { Contributions } from '../contribute/contributions.ts';
import { fromHex, toHex, utf8 } from '../proof/bytes.ts';
import type { NoteSigner } from '../proof/note.ts';
import type { NodeLog } from '../spine/node-log.ts';
import { jobs } from '../spine/records.ts';
import { selfTest } from '../spine/self-test.ts';
import type { Reader, Store } from '../store/store.ts';

export interface MeshConfig {
  /** URLs of the NATS servers that this node connects to. */
  readonly nats: readonly string[];
  /** At least 32 characters that the service nodes of a mesh share. */
  readonly secret: string;
  /** What contributors are told to connect to; absent: the first of `nats`. */
  readonly advertised?: string;
  /** How much is run a second time where a job does not say it. */
  readonly policy: Policy;
}

export interface MeshParts {
  readonly store: Store;
  readonly catalogue: KernelCatalogue;
  readonly pool: ThreadPool;
  readonly signer: NoteSigner;
  readonly log: NodeLog;
  readonly beacons: Beacons;
  readonly gossip: Gossip;
  readonly contributions: Contributions;
  readonly now: () => bigint;
  readonly dataDir: string;
  /** Bytes that the service's own threads may take. */
  readonly memory: number;
  readonly onError: (error: unknown) => void;
}

/** A tick of the pulse: as often as the reconciler looks. */
const TICK_MS = 777;
const HOUSEKEEPING_MS = 3_600_000;
const SWEEP_AGAIN_MS = 60_000;
const MOST_BATCHES = 64;

/** A service node's part in the mesh: transport, decisions in the store, and its own threads behind those of others. */
export class NodeMesh {
  readonly executor: MeshExecutor;
  readonly coordinator: Coordinator;
  readonly front: NatsFront;
  /** Public nkey with which the service speaks on NATS, the same for all its nodes. */
  readonly nkey: string;
  readonly #house: Contributor;
  readonly #contributions: Contributions;
  readonly #onError: (error: unknown) => void;
  readonly #ticker: NodeJS.Timeout;
  readonly #errands: Errands;
  readonly #stopped = new AbortController();
  #ticking: Promise<void> = Promise.resolve();
  #housekeeping: NodeJS.Timeout | undefined;
  #housework: Promise<void> = Promise.resolve();
  #isTurning = false;

  /** @throws BusError where NATS cannot be reached */
  static async open(config: MeshConfig, parts: MeshParts): Promise<NodeMesh> {
    const { contributions, now, onError } = parts;
    const front = await NatsFront.open({
      servers: config.nats,
      keys: deploymentKeys(utf8(config.secret)),
      isAdmitted: (node) => contributions.isAdmitted(node),
      ...{ now, onError },
    });
    return new NodeMesh(config, parts, front);
  }

  private constructor(config: MeshConfig, parts: MeshParts, front: NatsFront) {
    const { store, catalogue, pool, beacons, contributions, now, onError } = parts;
    const { objects } = front;
    const own = { id: `${house}-${parts.signer.name}`, owner: house, engine: engineName() };
    this.front = front;
    this.#contributions = contributions;
    this.#onError = onError;
    this.nkey = deploymentKeys(utf8(config.secret)).service.id;
    this.coordinator = new Coordinator({
      ...{ store, objects, beacons, now, onError, post: front, credits: contributions, house: own },
      writeVerdict: verdictWriter(parts),
      barred: (node) => void front.bar(node).catch(onError),
      announce: (kind, body) => void parts.gossip.publish(kind, body).catch(() => undefined), // best effort
    });
    this.executor = new MeshExecutor({
      ...{
        coordinator: this.coordinator,
        store,
        objects,
        catalogue,
        local: pool,
        now,
        policy: config.policy,
      },
      isPeopled: async () => (await front.present()).length > 0,
    });
    this.#house = openHouse({
      ...{ coordinator: this.coordinator, node: own.id, pool, threads: pool.threads, memory: parts.memory },
      kernels: new KernelCache(parts.dataDir),
    });
    this.#errands = new Errands({
      ...{ store, objects, beacons, now, onError, post: front, credits: contributions },
      candidates: () => this.coordinator.candidates(),
      engine: own.engine,
      kernelBytes: (kernel) => catalogue.bytes(kernel),
    });
    front.serve(withErrands(this.coordinator, this.#errands));
    contributions.join({
      door: {
        nats: config.advertised ?? config.nats[0]!,
        nkey: this.nkey,
        secret: hmacKey(utf8(config.secret)),
        selfTest: onceAnswered(() => selfTest(pool, catalogue)),
      },
      present: () => front.present(),
      modeChanged: (nodes, mode) => {
        for (const node of nodes) void front.mode(node, mode).catch(onError);
      },
    });
    const housekeeping = new Housekeeping({
      ...{ store, objects, now },
      running: (ids) => runningJobs(store, ids),
    });
    this.#keepHouse(housekeeping, [0, SWEEP_AGAIN_MS]);
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Third executions for challenges, on nodes that are no side. */
  readonly third: ThirdExecution = {
    run: async (work, signal) => {
      const stop = AbortSignal.any([signal, this.#stopped.signal]);
      const answer = await this.#errands.run(work, stop);
      return answer && segmentRun(answer, work.through);
    },
    judged: async ({ errand }, counter) => {
      if (errand !== undefined) await this.#errands.judged(errand, counter).catch(this.#onError);
    },
  };

  /** One turn at a time: a store that is slow gets no second one before the first is over. */
  #tick(): void {
    this.coordinator.beat();
    if (this.#isTurning) return;
    this.#isTurning = true;
    this.#ticking = Promise.all([this.coordinator.tick(), this.#contributions.payOut()])
      .then(() => undefined, this.#onError)
      .finally(() => {
        this.#isTurning = false;
      });
  }

  /** At the start, soon after, because what is found once is let go of when it is found again, and then hourly. */
  #keepHouse(housekeeping: Housekeeping, [afterMs = HOUSEKEEPING_MS, ...then]: readonly number[]): void {
    this.#housekeeping = setTimeout(() => {
      this.#housework = housework(housekeeping)
        .catch(this.#onError)
        .then(() => {
          if (!this.#stopped.signal.aborted) this.#keepHouse(housekeeping, then);
        });
    }, afterMs).unref();
  }

  /** Leaves: what its threads have is shown or given back. Runs go on with others. */
  async close(): Promise<void> {
    clearInterval(this.#ticker);
    this.#stopped.abort();
    await this.#house.leave();
    clearTimeout(this.#housekeeping);
    await Promise.all([this.#ticking, this.#housework, this.#errands.idle()]);
    await this.front.close();
  }
}

/** Batches of what is old, until nothing of it is left or the rest may wait for the next time. */
async function housework(housekeeping: Housekeeping): Promise<void> {
  await housekeeping.sweep();
  for (let batch = 0; batch < MOST_BATCHES; batch++) if ((await housekeeping.forgetOld()) === 0) return;
}

async function runningJobs(reader: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const running = await reader.sumBy(jobs, 'attempt', ['id'], { id: { in: ids }, state: 'running' });
  return new Set(running.map(({ id }) => id));
}

/** What takes a while to compute is computed when it is first asked for, and again only where that failed. */
function onceAnswered<T>(compute: () => Promise<T>): () => Promise<T> {
  let computed: Promise<T> | undefined;
  return () => {
    computed ??= compute().catch((error) => {
      computed = undefined;
      throw error;
    });
    return computed;
  };
}

/** An errand's claim as challenges have it: a list as long as the question, and how the run ended. */
function segmentRun({ id: errand, node, engine, claim }: ErrandAnswer, through: number): SegmentRun {
  const { to, work, final } = claim;
  const digests = asMany(claim.digests.map(fromHex), through + 1);
  const resultHash = final?.status === 1 ? final.result : toHex(sha256());
  return {
    errand,
    node,
    engine,
    digests,
    end: { resultHash, work, segments: final ? to : through + 1 },
  };
}
