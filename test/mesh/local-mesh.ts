import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Contributor } from '../../mesh/contributor/contributor.ts';
import { KernelCache } from '../../mesh/contributor/kernel-cache.ts';
import { Coordinator } from '../../mesh/coordinator/coordinator.ts';
import { DirectDesk } from '../../mesh/coordinator/direct-desk.ts';
import { openHouse } from '../../mesh/coordinator/house.ts';
import { MeshExecutor, type MeshExecutorParts } from '../../mesh/coordinator/mesh-executor.ts';
import {
  type CreditedWork,
  type Credits,
  KERNELS,
  type Objects,
  type Post,
} from '../../mesh/coordinator/ports.ts';
import { beaconMessage, beaconOf } from '../../mesh/decide/beacon.ts';
import { house, type NodeFacts, type Policy } from '../../mesh/decide/run.ts';
import type { Bell, Bells, Front } from '../../mesh/front.ts';
import { meshNodes, meshSchema } from '../../mesh/records.ts';
import type { JobClass } from '../../mesh/subjects.ts';
import { bellFor, WaitingRuns } from '../../mesh/waiting-runs.ts';
import { systemClock } from '../../src/clock/clock.ts';
import { TICK_NS } from '../../src/clock/pulse.ts';
import { refuse } from '../../src/errors/refusal.ts';
import { openStore } from '../../src/store/open.ts';
import type { Schema } from '../../src/store/schema.ts';
import type { Store } from '../../src/store/store.ts';
import type { ExecuteOptions, Executor } from '../../workers/executor.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { LyingPool } from './liar.ts';
import { MemoryCredits } from './memory-credits.ts';

const LEAVE_MS = 2000;

/** Bytes by run and digest in this process, with a way to lose them all, and one to have none of them for a while. */
export class MemoryObjects implements Objects {
  readonly bytes = new Map<string, Uint8Array>();
  isAway = false;

  async put(run: string, bytes: Uint8Array): Promise<string> {
    this.#mustBeThere();
    const digest = createHash('sha256').update(bytes).digest('hex');
    this.bytes.set(`${run}/${digest}`, bytes.slice());
    return digest;
  }
  async get(run: string, digest: string): Promise<Uint8Array | undefined> {
    this.#mustBeThere();
    return this.bytes.get(`${run}/${digest}`);
  }
  async delete(run: string, digest: string): Promise<void> {
    this.#mustBeThere();
    this.bytes.delete(`${run}/${digest}`);
  }
  async forget(run: string): Promise<void> {
    this.#mustBeThere();
    for (const name of this.bytes.keys()) if (name.startsWith(`${run}/`)) this.bytes.delete(name);
  }
  async runs(): Promise<string[]> {
    this.#mustBeThere();
    const names = new Set([...this.bytes.keys()].map((name) => name.split('/')[0]!));
    names.delete(KERNELS);
    return [...names];
  }

  #mustBeThere(): void {
    if (this.isAway) refuse('MESH_UNAVAILABLE', 'The mesh cannot be reached.');
  }
}

/** What may be wrong with a contributor in a test. */
interface Ills {
  /** From when on nothing of it is heard: its process was killed, or its network was. */
  readonly isDead?: () => boolean;
  readonly pool?: Executor;
  /**
   * Each segment is shown alone, and not before this resolves; the last one at once. Absent: together with what its
   * thread has done meanwhile, which on a slow machine may be all of the run.
   */
  readonly shows?: (segment: number) => Promise<void>;
}

/** Books in place of a list of what would stand in them. */
interface Books {
  readonly schemas: readonly Schema[];
  readonly credits: (store: Store) => Credits;
}

interface LocalMeshOptions {
  readonly books?: Books;
  /** Bytes that the service's own threads may take. */
  readonly memory?: number;
  /** Time passes only by `pass`: nobody is late, and the service takes no run from whoever is slow to take it. */
  readonly stands?: boolean;
  /** What draws checks and who makes them. Default: another one each time. */
  readonly beacon?: Uint8Array;
}

interface Test {
  teardown(work: () => Promise<void>): void;
}

/**
 * A mesh in one process, without NATS: the real store, decisions, threads and kernels; messages are calls. What NATS
 * adds is tested with NATS.
 */
export class LocalMesh {
  readonly store: Store;
  readonly objects = new MemoryObjects();
  readonly #listed = new MemoryCredits();
  readonly credited: readonly CreditedWork[] = this.#listed.credited;
  readonly withheld: readonly string[] = this.#listed.withheld;
  readonly takenBack = this.#listed.takenBack;
  readonly errors: unknown[] = [];
  /** Since when the transport brings what nodes say. */
  heardSinceNs = 0n;
  readonly coordinator: Coordinator;
  readonly #folder: string;
  readonly pool = new ThreadPool({ threads: 2 });
  readonly #contributors = new Map<string, Contributor>();
  /** Who said goodbye; the dead do not, and are taken to be there until somebody waits for them in vain. */
  readonly #left = new Set<string>();
  readonly #queue = new WaitingRuns();
  readonly #ticker: NodeJS.Timeout;
  readonly #house: Contributor;
  readonly #credits: Credits;
  readonly #clock = systemClock();
  /** The time at which it stands. */
  #standsAt: bigint | undefined;
  /** The time of all services. */
  readonly now = (): bigint => this.#standsAt ?? this.#clock.now();
  readonly #beacon: Uint8Array | undefined;

  private constructor(store: Store, folder: string, options: LocalMeshOptions) {
    const { books, memory = 2 ** 32, stands, beacon } = options;
    this.store = store;
    if (stands) this.#standsAt = this.#clock.now();
    this.#beacon = beacon;
    this.#credits = books?.credits(store) ?? this.#listed;
    this.#folder = folder;
    this.coordinator = this.service('house-1');
    this.#house = openHouse({
      ...{ coordinator: this.coordinator, node: 'house-1', pool: this.pool, threads: 2, memory },
      kernels: new KernelCache(folder),
    });
    this.#ticker = setInterval(() => void this.coordinator.tick(), 777);
  }

  static async open(t: Test, options: LocalMeshOptions = {}): Promise<LocalMesh> {
    const { books } = options;
    const folder = mkdtempSync(join(tmpdir(), 'svc-mesh-'));
    const store = await openStore({ dataDir: folder }, [meshSchema, ...(books?.schemas ?? [])]);
    const mesh = new LocalMesh(store, folder, options);
    t.teardown(() => mesh.#close());
    return mesh;
  }

  /** Another service process on the same store; its clock may be ahead. */
  service(node: string, ahead: bigint | (() => bigint) = 0n): Coordinator {
    const now = () => this.now() + (typeof ahead === 'bigint' ? ahead : ahead());
    let drawn = 0;
    return new Coordinator({
      store: this.store,
      objects: this.objects,
      post: this.#post,
      beacons: {
        next: (after = 0n) => {
          const here = now();
          const tNs = here > after ? here : after + 1n;
          const beacon = this.#beacon ?? beaconOf(beaconMessage(tNs, String(drawn++)));
          return Promise.resolve({ tNs, beacon });
        },
        keep: () => Promise.resolve(),
        tell: () => undefined,
      },
      credits: this.#credits,
      writeVerdict: (_, { id }) => Promise.resolve({ note: id, node, index: 0, committed: () => undefined }),
      house: { id: node, owner: house, engine: 'test' },
      now,
      onError: (error) => this.errors.push(error),
    });
  }

  executor(
    policy: Policy,
    coordinator = this.coordinator,
    others: Partial<MeshExecutorParts> = {},
  ): MeshExecutor {
    const { store, objects } = this;
    const { catalogue } = new KernelCache(this.#folder);
    const isPeopled = () => Promise.resolve(true);
    const { now, pool: local } = this;
    const parts = { coordinator, store, objects, catalogue, isPeopled, policy, now, local };
    return new MeshExecutor({ ...parts, leastWork: 0, ...others });
  }

  /** Lets so many ticks pass where time stands; what follows from each of them is done. */
  async pass(ticks: number): Promise<void> {
    for (let i = 0; i < ticks; i++) {
      this.#standsAt! += TICK_NS;
      await this.coordinator.tick();
    }
  }

  /** Admits a contributor and starts it. */
  async contribute(node: NodeFacts, { isDead, pool = this.pool, shows }: Ills = {}): Promise<Contributor> {
    await this.store.transaction((tx) =>
      tx.put(meshNodes, {
        ...node,
        ...{ cores: 1n, memory: 2n ** 32n, mode: 'contributing', state: 'admitted' },
        ...{ admitted_ns: 0n, heard_ns: 0n },
      }),
    );
    const front = isDead ? mortal(this.coordinator, isDead) : this.coordinator;
    const contributor = new Contributor({
      desk: new DirectDesk(front, node.id),
      bells: this.#bells,
      pool: shows ? inSegments(pool, shows) : pool,
      kernels: new KernelCache(this.#folder),
      ...{ threads: 1, memory: 2 ** 32, mode: 'contributing', spanMs: 10 },
    });
    this.#contributors.set(node.id, contributor);
    contributor.start();
    await this.#looksRound();
    return contributor;
  }

  /** Services look once a tick who is there. */
  async #looksRound(): Promise<void> {
    if (this.#standsAt !== undefined) await this.pass(1);
  }

  /** It gives back what it has and says goodbye: from then on nobody sees it there. */
  async leave(id: string): Promise<void> {
    await this.#contributors.get(id)!.leave();
    this.#left.add(id);
    await this.#looksRound();
  }

  /** Admits one that lies in every span. */
  async lie(node: NodeFacts, ills: Pick<Ills, 'shows'> = {}): Promise<LyingPool> {
    const pool = new LyingPool(this.pool);
    await this.contribute(node, { ...ills, pool });
    return pool;
  }

  readonly #bells: Pick<Bells, 'take'> = {
    take: (count) => {
      const runs = this.#queue.take(count);
      return Promise.resolve(runs.map((run) => this.#bell(run)));
    },
  };

  #bell(waiting: { readonly run: string; readonly class: JobClass }): Bell {
    const { run, class: jobClass } = waiting;
    const retry = (delayMs: number) => void setTimeout(() => this.#queue.add(run, jobClass), delayMs);
    return { ...bellFor(waiting), retry };
  }

  readonly #post: Post = {
    ring: (runs) => {
      for (const { id, class: jobClass } of runs) this.#queue.add(id, jobClass);
      for (const contributor of this.#contributors.values()) contributor.bell();
      return Promise.resolve();
    },
    check: (node, work) => Promise.resolve(this.#contributors.get(node)?.check(work)),
    lost: (node, holding, reason) => Promise.resolve(this.#contributors.get(node)?.lost(holding, reason)),
    mode: (node, mode) => Promise.resolve(this.#contributors.get(node)?.mode(mode)),
    present: () => Promise.resolve([...this.#contributors.keys()].filter((id) => !this.#left.has(id))),
    listeningSince: () => this.heardSinceNs,
  };

  async #close(): Promise<void> {
    clearInterval(this.#ticker);
    for (const contributor of [this.#house, ...this.#contributors.values()])
      await Promise.race([contributor.leave(), delay(LEAVE_MS)]); // the dead do not say goodbye
    await this.pool.close();
    await this.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Threads that show each segment alone, once `shows` has resolved for it. */
function inSegments(pool: Executor, shows: (segment: number) => Promise<void>): Executor {
  const paced = ({ onCheckpoint, spans, ...options }: ExecuteOptions): ExecuteOptions => ({
    ...options,
    checkpointMs: 0,
    ...(spans && { spans: { ...spans, holdMs: 0 } }),
    ...(onCheckpoint && {
      onCheckpoint: async (checkpoint) => {
        await shows(checkpoint.segment);
        await onCheckpoint(checkpoint);
      },
    }),
  });
  return { close: () => pool.close(), execute: (run, options = {}) => pool.execute(run, paced(options)) };
}

/** The service as a dead node has it: no call comes back. */
function mortal(front: Front, isDead: () => boolean): Front {
  const living =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isDead()) return new Promise<never>(() => undefined);
      return call(...args);
    };
  return {
    asked: living((node, kind, atMs) => front.asked(node, kind, atMs)),
    leases: living((node, runs) => front.leases(node, runs)),
    alive: living((node, holding) => front.alive(node, holding)),
    release: living((node, holding, failed) => front.release(node, holding, failed)),
    bytesFor: living((node, run, sha256) => front.bytesFor(node, run, sha256)),
    results: living((batch) => front.results(batch)),
  };
}
