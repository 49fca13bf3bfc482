import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { toHex } from '../../src/proof/bytes.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Store } from '../../src/store/store.ts';
import { type Claim, isClaim } from '../decide/claim.ts';
import { placementOrder } from '../decide/placement.ts';
import { house, type NodeFacts } from '../decide/run.ts';
import type { CheckWork, Holding, Kept, StartState } from '../desk.ts';
import type { Front } from '../front.ts';
import { meshErrands } from '../records.ts';
import type { Coordinator, Result } from './coordinator.ts';
import { type Beacons, type Credits, KERNELS, type Objects, type Post } from './ports.ts';

/** Segments of a run that is over, to be run once more by somebody who is no side. */
export interface Errand {
  readonly kernel: Digest;
  readonly parameters: Uint8Array;
  readonly stepsPerSegment: number;
  readonly memory: number;
  readonly work: number;
  readonly from: number;
  readonly through: number;
  readonly start?: Omit<StartState, 'state'> & { readonly state: Uint8Array };
  readonly sides: { readonly nodes: readonly string[]; readonly owners: readonly string[] };
}

export interface ErrandAnswer {
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
  readonly kernelBytes: (kernel: Digest) => Uint8Array | undefined;
  readonly now: () => bigint;
  readonly signal: AbortSignal;
}

const PREFIX = 'errand-';
const POLL_MS = 500;
/** Without a sign of life for so long another node is asked. */
const SILENT_NS = 10_000_000_000n;
const LONGEST_MS = 30 * 60_000;
const MOST_ASKED = 3;

/**
 * Third executions for challenges: one segment of a sealed run, on a node that is neither side and shares no owner with
 * one, drawn by a beacon. What was asked and answered is in the store, so that any service node may take the answer.
 */
export class Errands {
  readonly #parts: ErrandParts;

  constructor(parts: ErrandParts) {
    this.#parts = parts;
  }

  /** @returns undefined where nobody could be asked, or nobody answered */
  async run(errand: Errand): Promise<ErrandAnswer | undefined> {
    const { beacons, candidates } = this.#parts;
    const { tNs, beacon } = await beacons.next();
    const { nodes, owners } = errand.sides;
    const sides = { nodes: new Set(nodes), owners: new Set([...owners, house]), engines: new Set<string>() };
    const order = placementOrder(await candidates(), sides, beacon, `${errand.kernel}/${errand.from}/${tNs}`);
    const module = this.#parts.kernelBytes(errand.kernel);
    if (order.length === 0 || !module) return undefined;
    for (const node of order.slice(0, MOST_ASKED)) {
      const answer = await this.#ask(node, await this.#provided(errand, module));
      if (answer) return { node: node.id, engine: node.engine, claim: answer };
    }
    return undefined;
  }

  /** What the node fetches, under the name of this errand alone. */
  async #provided(errand: Errand, module: Uint8Array): Promise<CheckWork> {
    const { objects } = this.#parts;
    const id = PREFIX + toHex(randomBytes(12));
    const [parameters, state] = await Promise.all([
      objects.put(id, errand.parameters),
      errand.start && objects.put(id, errand.start.state),
      objects.put(KERNELS, module),
    ]);
    return workOf(id, errand, parameters, state);
  }

  async #ask(node: NodeFacts, work: CheckWork): Promise<Claim | undefined> {
    const { store, now, post } = this.#parts;
    const row = { id: work.run, node: node.id, owner: node.owner, work, asked_ns: now(), heard_ns: now() };
    await store.transaction((tx) => tx.insert(meshErrands, row));
    await post.check(node.id, work);
    return this.#answer(work.run);
  }

  /** Polled, because another service node may take the answer. */
  async #answer(id: string): Promise<Claim | undefined> {
    const { store, now, signal } = this.#parts;
    for (let waited = 0; waited < LONGEST_MS && !signal.aborted; waited += POLL_MS) {
      const row = await store.get(meshErrands, { id });
      if (row?.claim) return row.claim as Claim;
      if (!row || now() - row.heard_ns > SILENT_NS) return undefined;
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
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
    const { store, credits, now } = this.#parts;
    const { run: id, claim } = result;
    return store.transaction(async (tx): Promise<Kept> => {
      const row = await tx.get(meshErrands, { id });
      const { from, through, start } = (row?.work ?? {}) as Partial<CheckWork>;
      if (!row || !isClaim(claim) || claim.from !== from || claim.to > through!) return 'not-committed';
      const atNs = now();
      if (!(await tx.update(meshErrands, { id }, { claim, answered_ns: atNs }, { node, answered_ns: null })))
        return 'settled';
      // Its counter counts from the start of the run; what came before a given state nobody says, so it is not paid.
      const work = start ? 0n : BigInt(claim.work);
      const { owner } = row;
      const paid = { ...{ node, owner, run: id, payer: 'house:challenges', from, to: claim.to }, work, atNs };
      if (work > 0n) await credits.credit(tx, { ...paid, kind: 'check', fence: 1 });
      return 'kept';
    });
  }

  async bytesFor(node: string, id: string, sha256: Digest): Promise<Uint8Array | undefined> {
    const row = await this.#parts.store.get(meshErrands, { id });
    if (row?.node !== node || row.answered_ns !== null) return undefined;
    const { kernel, parameters, start } = row.work as CheckWork;
    if (![kernel, parameters, start?.state].includes(sha256)) return undefined;
    return this.#parts.objects.get(sha256 === kernel ? KERNELS : id, sha256);
  }
}

function workOf(run: string, errand: Errand, parameters: Digest, state: Digest | undefined): CheckWork {
  const { kernel, stepsPerSegment, memory, work, from, through, start } = errand;
  const named = { run, fence: 1, kind: 'third' as const };
  const spec = { kernel, parameters, stepsPerSegment, memory, work, from, through };
  return { ...named, ...spec, ...(start && state ? { start: { ...start, state } } : {}) };
}

const isErrand = (run: string): boolean => run.startsWith(PREFIX);

/** The service as nodes have it: what they say of errands goes there, all else to the coordinator. */
export function withErrands(coordinator: Coordinator, errands: Errands): Front {
  return {
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
    results: (batch) => {
      const say = (node: string, result: Result) =>
        isErrand(result.run)
          ? errands.answered(node, result)
          : coordinator.results([{ node, result }]).then(([kept]) => kept!);
      return Promise.all(batch.map(({ node, result }) => say(node, result)));
    },
  };
}
