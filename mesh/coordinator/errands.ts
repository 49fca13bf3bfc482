import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { toHex } from '../../src/proof/bytes.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { type Claim, isClaim } from '../decide/claim.ts';
import { placementOrder } from '../decide/placement.ts';
import { house, type NodeFacts } from '../decide/run.ts';
import type { CheckWork, Holding, Kept } from '../desk.ts';
import type { Front } from '../front.ts';
import { type MeshErrandRow, meshErrands, meshNodes, meshUnpaid, type UnpaidReason } from '../records.ts';
import type { Coordinator, Result } from './coordinator.ts';
import { type Beacons, type Credits, KERNELS, type Objects, type Post } from './ports.ts';

/** A run that is over, to be run once more, from its start to the end of a segment, by somebody who is no side. */
export interface Errand {
  readonly kernel: Digest;
  readonly parameters: Uint8Array;
  readonly stepsPerSegment: number;
  readonly memory: number;
  readonly work: number;
  readonly through: number;
  readonly sides: { readonly nodes: readonly string[]; readonly owners: readonly string[] };
}

export interface ErrandAnswer {
  /** What the errand is called: `judged` takes it. */
  readonly id: string;
  readonly node: string;
  readonly engine: string;
  readonly claim: Claim;
}

export interface ErrandParts {
  readonly store: Store;
  readonly objects: Objects;
  readonly post: Post;
  readonly beacons: Beacons;
  readonly credits: Credits;
  readonly candidates: () => Promise<readonly NodeFacts[]>;
  /** WebAssembly engine and processor of the service's own threads. */
  readonly engine: string;
  readonly kernelBytes: (kernel: Digest) => Uint8Array | undefined;
  readonly now: () => bigint;
  readonly onError: (error: unknown) => void;
}

const PREFIX = 'errand-';
/** Who asks for them: one day of free work for all challenges together. */
const CHALLENGES = 'house:challenges';
const POLL_MS = 500;
/** Without a sign of life for so long another node is asked. */
const SILENT_NS = 10_000_000_000n;
const MOST_ASKED = 3;

/**
 * Third executions for challenges: a sealed run up to a segment, on a node that is neither side and shares no owner
 * with one, drawn by a beacon. What was asked and answered is in the store, so that any service node may take the
 * answer.
 */
export class Errands {
  readonly #parts: ErrandParts;
  readonly #running = new Set<Promise<unknown>>();

  constructor(parts: ErrandParts) {
    this.#parts = parts;
  }

  /**
   * Goes on until somebody answers or `signal` says that nobody waits any more: then the node is told so.
   * @returns undefined where nobody could be asked, or nobody answered
   */
  run(errand: Errand, signal: AbortSignal): Promise<ErrandAnswer | undefined> {
    const running = this.#run(errand, signal);
    const settled: Promise<unknown> = running
      .catch(() => undefined)
      .then(() => this.#running.delete(settled));
    this.#running.add(settled);
    return running;
  }

  /** Resolves once no errand of this process is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run(errand: Errand, signal: AbortSignal): Promise<ErrandAnswer | undefined> {
    const { beacons, candidates } = this.#parts;
    const { tNs, beacon } = await beacons.next();
    const { nodes, owners } = errand.sides;
    const engines = await this.#enginesOf(nodes);
    const sides = { nodes: new Set(nodes), owners: new Set([...owners, house]), engines };
    const order = placementOrder(
      await candidates(),
      sides,
      beacon,
      `${errand.kernel}/${errand.through}/${tNs}`,
    );
    const module = this.#parts.kernelBytes(errand.kernel);
    if (order.length === 0 || !module) return undefined;
    for (const node of order.slice(0, MOST_ASKED)) {
      if (signal.aborted) return undefined;
      const work = await this.#provided(errand, module);
      const claim = await this.#ask(node, work, tNs, signal).finally(() =>
        this.#parts.objects.forget(work.run).catch(this.#parts.onError),
      );
      if (claim) return { id: work.run, node: node.id, engine: node.engine, claim };
    }
    return undefined;
  }

  /** Where no node computed it, the service's own threads did. */
  async #enginesOf(nodes: readonly string[]): Promise<ReadonlySet<string>> {
    const { store, engine } = this.#parts;
    if (nodes.length === 0) return new Set([engine]);
    return new Set((await store.find(meshNodes, { where: { id: { in: nodes } } })).map((row) => row.engine));
  }

  /** What the node fetches, under the name of this errand alone. */
  async #provided(errand: Errand, module: Uint8Array): Promise<CheckWork> {
    const { objects } = this.#parts;
    const id = PREFIX + toHex(randomBytes(12));
    const [parameters] = await Promise.all([
      objects.put(id, errand.parameters),
      objects.put(KERNELS, module),
    ]);
    return workOf(id, errand, parameters);
  }

  async #ask(
    { id: node, owner }: NodeFacts,
    work: CheckWork,
    drawnNs: bigint,
    signal: AbortSignal,
  ): Promise<Claim | undefined> {
    const { store, now, post, beacons, onError } = this.#parts;
    const { run: id, fence, from } = work;
    const row = { id, node, owner, work, asked_ns: now(), heard_ns: now() };
    await store.transaction(async (tx) => {
      await tx.insert(meshErrands, row);
      await beacons.keep(tx, drawnNs);
    });
    beacons.tell(drawnNs);
    await post.check(node, work);
    const claim = await this.#answer(id, signal);
    if (claim) return claim;
    await this.#giveUp(id);
    await post.lost(node, { run: id, fence, from }, signal.aborted ? 'ended' : 'lapsed').catch(onError);
    return undefined;
  }

  /** Polled, because another service node may take the answer. */
  async #answer(id: string, signal: AbortSignal): Promise<Claim | undefined> {
    const { store, now } = this.#parts;
    while (!signal.aborted) {
      const row = await store.get(meshErrands, { id });
      if (row?.claim) return row.claim as Claim;
      if (!row || row.answered_ns !== null || now() - row.heard_ns > SILENT_NS) return undefined;
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** Nobody waits for it any more: what comes now is not paid. */
  async #giveUp(id: string): Promise<void> {
    const { store, now } = this.#parts;
    const over = { answered_ns: now() };
    await store.transaction((tx) => tx.update(meshErrands, { id }, over, { answered_ns: null }));
  }

  /**
   * What the service's own run of the segments says of an answer: it pays by the counter that it found itself at their
   * end, out of what the house pays a day for challenges, or names why it does not. Once.
   *
   * @param counter the work counter at the end of the segments; undefined where the own run found something else
   */
  async judged(id: string, counter: bigint | undefined): Promise<void> {
    const { store, credits, now } = this.#parts;
    const atNs = now();
    await store.transaction(async (tx) => {
      const row = await tx.get(meshErrands, { id });
      const claim = row?.claim as Claim | null | undefined;
      if (!row || !claim || !(await tx.update(meshErrands, { id }, { judged_ns: atNs }, { judged_ns: null })))
        return;
      if (counter === undefined) return unpaidErrand(tx, row, claim, 'contradicted', atNs);
      const { from, to } = claim;
      const paid = { node: row.node, owner: row.owner, run: id, payer: CHALLENGES, from, to };
      await credits.credit(tx, { ...paid, work: counter, planned: counter, kind: 'check', fence: 1, atNs });
    });
  }

  // ---- what the node says of it ------------------------------------------------------------------------

  /** @returns whether the node still holds it */
  heard(node: string, { run: id }: Holding): Promise<boolean> {
    const { store, now } = this.#parts;
    const heard = { heard_ns: now() };
    return store.transaction((tx) => tx.update(meshErrands, { id }, heard, { node, answered_ns: null }));
  }

  async released(node: string, { run: id }: Holding): Promise<void> {
    await this.#parts.store.transaction((tx) =>
      tx.update(meshErrands, { id }, { heard_ns: 0n }, { node, answered_ns: null }),
    );
  }

  async answered(node: string, result: Result): Promise<Kept> {
    if (result.kind !== 'checked') return 'out-of-order';
    const { store, now } = this.#parts;
    const { run: id, claim } = result;
    return store.transaction(async (tx): Promise<Kept> => {
      const row = await tx.get(meshErrands, { id });
      const { from, through } = (row?.work ?? {}) as Partial<CheckWork>;
      if (row?.node !== node || !isClaim(claim) || claim.from !== from || claim.to > through!)
        return 'not-committed';
      const answered = { claim, answered_ns: now() };
      if (await tx.update(meshErrands, { id }, answered, { node, answered_ns: null })) return 'kept';
      if (row.claim) return 'settled';
      await unpaidErrand(tx, row, claim, 'unawaited', row.answered_ns!);
      return 'ended';
    });
  }

  async bytesFor(node: string, id: string, sha256: Digest): Promise<Uint8Array | undefined> {
    const row = await this.#parts.store.get(meshErrands, { id });
    if (row?.node !== node || row.answered_ns !== null) return undefined;
    const { kernel, parameters } = row.work as CheckWork;
    if (sha256 !== kernel && sha256 !== parameters) return undefined;
    return this.#parts.objects.get(sha256 === kernel ? KERNELS : id, sha256);
  }
}

function workOf(run: string, errand: Errand, parameters: Digest): CheckWork {
  const { kernel, stepsPerSegment, memory, work, through } = errand;
  const spec = { kernel, parameters, stepsPerSegment, memory, work, from: 0, through };
  return { run, fence: 1, kind: 'third', ...spec };
}

/** Names work that nobody pays to who did it. */
export function unpaidErrand(
  tx: Transaction,
  { node, id: run }: MeshErrandRow,
  { from, work }: Claim,
  reason: UnpaidReason,
  at_ns: bigint,
): Promise<void> {
  const line = { node, at_ns, run, from_segment: BigInt(from), work: BigInt(work), reason };
  return tx.put(meshUnpaid, line);
}

const isErrand = (run: string): boolean => run.startsWith(PREFIX);

/** The service as nodes have it: what they say of errands goes there, all else to the coordinator. */
export function withErrands(coordinator: Coordinator, errands: Errands): Front {
  return {
    asked: (node, kind, atMs) => coordinator.asked(node, kind, atMs),
    leases: (node, runs) => coordinator.leases(node, runs),
    release: (node, holding, failed) =>
      isErrand(holding.run) ? errands.released(node, holding) : coordinator.release(node, holding, failed),
    bytesFor: (node, run, sha256) => (isErrand(run) ? errands : coordinator).bytesFor(node, run, sha256),
    async alive(node, holding) {
      const runs = holding.filter(({ run }) => !isErrand(run));
      const others = holding.filter(({ run }) => isErrand(run));
      const [answer, held] = await Promise.all([
        coordinator.alive(node, runs),
        Promise.all(others.map((each) => errands.heard(node, each))),
      ]);
      return { ...answer, lost: [...answer.lost, ...others.filter((_, i) => !held[i])] };
    },
    results: async (batch) => {
      const others = batch.filter(({ result }) => !isErrand(result.run));
      const [kept, answers] = await Promise.all([
        coordinator.results(others),
        Promise.all(
          batch.map(({ node, result }) =>
            isErrand(result.run) ? errands.answered(node, result) : undefined,
          ),
        ),
      ]);
      const left = kept.values();
      return answers.map((answer) => answer ?? left.next().value!);
    },
  };
}
