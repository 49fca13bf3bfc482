import { tickOf } from '../../src/clock/pulse.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { LEASES_PER_CORE } from '../decide/leases.ts';
import { house, type MeshRun, type NodeFacts } from '../decide/run.ts';
import type { Mode } from '../desk.ts';
import { type MeshNodeRow, meshNodes, meshRuns } from '../records.ts';
import type { Post } from './ports.ts';

export interface RollParts {
  readonly store: Store;
  readonly post: Pick<Post, 'present'>;
  /** The service's own threads as a node. */
  readonly house: NodeFacts;
  readonly now: () => bigint;
}

/** Which nodes there are, and what each may do now. */
export class Roll {
  readonly #parts: RollParts;
  #called: { readonly tick: number; readonly candidates: Promise<readonly NodeFacts[]> } | undefined;

  constructor(parts: RollParts) {
    this.#parts = parts;
  }

  /** @returns undefined for whoever must not work: not admitted, switched off, left or barred */
  async facts(node: string): Promise<NodeFacts | undefined> {
    const { house: own, store } = this.#parts;
    if (node === own.id) return own;
    const row = await store.get(meshNodes, { id: node });
    return row?.state === 'admitted' && row.mode === 'contributing' ? factsOf(row) : undefined;
  }

  async mode(node: string): Promise<Mode> {
    if (node === this.#parts.house.id) return 'contributing';
    const row = await this.#parts.store.get(meshNodes, { id: node });
    return row?.state === 'admitted' ? (row.mode as Mode) : 'idle';
  }

  /** Nodes that are there and contribute: one look a tick, whoever asks. */
  candidates(): Promise<readonly NodeFacts[]> {
    const tick = tickOf(this.#parts.now());
    if (this.#called?.tick === tick) return this.#called.candidates;
    const candidates = this.#call();
    this.#called = { tick, candidates };
    candidates.catch(() => {
      this.#called = undefined; // the next one asks again
    });
    return candidates;
  }

  async #call(): Promise<readonly NodeFacts[]> {
    const { store, post } = this.#parts;
    const present = await post.present();
    if (present.length === 0) return [];
    const where = { id: { in: present }, state: 'admitted', mode: 'contributing' };
    return (await store.find(meshNodes, { where })).map(factsOf);
  }
}

const factsOf = ({ id, owner, engine }: MeshNodeRow): NodeFacts => ({ id, owner, engine });

/** Leases that a node may still take. */
export async function freeLeases(
  tx: Transaction,
  { id, owner }: NodeFacts,
  run: Pick<MeshRun, 'lease'>,
): Promise<number> {
  if (owner === house) return Number.POSITIVE_INFINITY;
  const row = await tx.get(meshNodes, { id });
  if (!row) return 0;
  const held = await tx.count(meshRuns, { holder: id, state: 'open' });
  return LEASES_PER_CORE * Number(row.cores) - (held - (run.lease?.id === id ? 1 : 0));
}

/** Of two leases at once, given to a node by two service nodes, one sees the other: both write its row. */
export async function notedLease(tx: Transaction, { id, owner }: NodeFacts, nowNs: bigint): Promise<void> {
  if (owner !== house) await tx.update(meshNodes, { id }, { heard_ns: nowNs });
}
