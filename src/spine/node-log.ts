import { toBase64 } from '../proof/bytes.ts';
import { checkpointText, type LogProof } from '../proof/checkpoint.ts';
import {
  appendLeaves,
  consistencyProof,
  emptyLog,
  inclusionProof,
  type LogState,
  type NodeReader,
} from '../proof/log-tree.ts';
import { leafHash } from '../proof/merkle.ts';
import type { NoteSigner } from '../proof/note.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import { mustContinueLog, storedHead } from './log-continuity.ts';
import { stateAt, storeNodes, tiledNodes } from './log-tiles.ts';
import type { HeadMemory, PublishedHead } from './published-head.ts';
import { logHeads } from './records.ts';

/** Leaves that are in the log once their transaction is durable. */
export interface PendingBatch {
  readonly firstIndex: number;
  /** Proof of the i-th leaf of the batch against the checkpoint that covers it. */
  proof(i: number): LogProof;
  /** To be called when the transaction is durable: the next batch then reads no store. */
  committed(): void;
}

/** The log as this process last knew it to be. */
interface Known extends PublishedHead {
  readonly checkpoint: string | undefined;
}

const nowhere: HeadMemory = { read: () => undefined, write: () => undefined };

/**
 * This node's Merkle log in the store. The head is compared and set inside the appending transaction, so that two
 * processes on one store cannot fork it; one signed checkpoint covers a whole batch. A log that does not continue what
 * this node has signed, because the store was put back or exchanged below it, gets no leaf.
 */
export class NodeLog {
  readonly #signer: NoteSigner;
  readonly #now: () => bigint;
  readonly #memory: HeadMemory;
  #cached: LogState = emptyLog;
  #known: Known | undefined;

  constructor(signer: NoteSigner, now: () => bigint, memory: HeadMemory = nowhere) {
    this.#signer = signer;
    this.#now = now;
    this.#memory = memory;
  }

  get vkey(): string {
    return this.#signer.vkey;
  }

  /**
   * @param latestNs of the times that the leaves bear
   * @throws Refusal LOG_NOT_CONTINUED
   */
  async append(tx: Transaction, leaves: readonly Uint8Array[], latestNs = 0n): Promise<PendingBatch> {
    const node = this.#signer.name;
    const head = await tx.get(logHeads, { node });
    const { restore } = await this.#continued(tx, head?.checkpoint).catch(async (error) => {
      await touchHead(tx, node, head !== undefined, this.#now());
      throw error;
    });
    const before = await this.#state(tx, head ? Number(head.size) : 0);
    const batch = appendLeaves(before, leaves.map(leafHash));
    await storeNodes(tx, node, batch.nodes);
    const checkpoint = checkpointText(this.#signer, batch.state.size, batch.root);
    const signed_ns = latest(this.#now(), latestNs, head?.signed_ns ?? 0n);
    const row = { size: BigInt(batch.state.size), checkpoint, signed_ns };
    if (!head) await tx.insert(logHeads, { node, ...row });
    else if (!(await tx.update(logHeads, { node }, row, { size: head.size, checkpoint: head.checkpoint })))
      throw new Error('the head of the log moved inside a transaction');
    return {
      firstIndex: before.size,
      proof: (i) => {
        const index = before.size + i;
        return { index, path: batch.inclusionProof(index).map(toBase64), checkpoint };
      },
      committed: () => {
        const { state, root } = batch;
        if (state.size > this.#cached.size) this.#cached = state;
        if (state.size <= (this.#known?.size ?? 0)) return;
        this.#known = { size: state.size, root, restore, checkpoint };
        this.#memory.write(this.#known);
      },
    };
  }

  /**
   * Sees that the log in the store continues what this node has signed. Writes nothing.
   * @throws Refusal LOG_NOT_CONTINUED
   */
  async mustContinue(store: Store): Promise<void> {
    const stored = await this.#continued(store, await this.checkpoint(store));
    if (stored.size >= (this.#known?.size ?? 0)) this.#known = stored;
  }

  /**
   * What is known already costs nothing; what another process has added is looked at. Inside a transaction it is not
   * remembered: it may be taken back. What was signed is read before the store: that may grow meanwhile.
   */
  async #continued(reader: Reader, checkpoint: string | undefined): Promise<Known> {
    if (this.#known && this.#known.checkpoint === checkpoint) return this.#known;
    const seen = greater(this.#known, this.#memory.read());
    const stored = await storedHead(reader, this.#signer.name);
    await mustContinueLog(reader, stored, seen);
    return stored;
  }

  /** The last signed checkpoint; undefined while the log is empty. */
  async checkpoint(reader: Reader): Promise<string | undefined> {
    return (await reader.get(logHeads, { node: this.#signer.name }))?.checkpoint;
  }

  /** Leaves that are signed for. */
  async size(reader: Reader): Promise<number> {
    return Number((await reader.get(logHeads, { node: this.#signer.name }))?.size ?? 0n);
  }

  /** Proof of a leaf against the last checkpoint. */
  async proof(reader: Reader, index: number): Promise<LogProof | undefined> {
    return (await this.proofs(reader, [index])).at(0);
  }

  /** Proofs of leaves against one checkpoint, the last; leaves that it does not cover are left out. */
  async proofs(reader: Reader, indexes: readonly number[]): Promise<LogProof[]> {
    const head = await reader.get(logHeads, { node: this.#signer.name });
    const size = Number(head?.size ?? 0n);
    const covered = indexes.filter((index) => index < size);
    return Promise.all(
      covered.map(async (index) => {
        const path = await inclusionProof(index, size, this.#nodes(reader));
        return { index, path: path.map(toBase64), checkpoint: head!.checkpoint };
      }),
    );
  }

  /** That the log of `second` leaves continues the log of `first` leaves, base 64. */
  async consistency(reader: Reader, first: number, second: number): Promise<string[]> {
    return (await consistencyProof(first, second, this.#nodes(reader))).map(toBase64);
  }

  async #state(reader: Reader, size: number): Promise<LogState> {
    return size === this.#cached.size ? this.#cached : stateAt(reader, this.#signer.name, size);
  }

  #nodes(reader: Reader): NodeReader {
    return tiledNodes(reader, this.#signer.name);
  }
}

function greater(a: PublishedHead | undefined, b: PublishedHead | undefined): PublishedHead | undefined {
  return a && b ? (b.size > a.size ? b : a) : (a ?? b);
}

const latest = (...times: readonly bigint[]): bigint => times.reduce((a, b) => (a > b ? a : b));

/**
 * A transaction on a moment that is past may find a log shorter than it is by now. Writing the head of that moment is a
 * write conflict, after which it runs again; where it is none, the log is what it seems.
 */
async function touchHead(tx: Transaction, node: string, isThere: boolean, nowNs: bigint): Promise<void> {
  if (isThere) await tx.update(logHeads, { node }, { signed_ns: nowNs });
  else await tx.insert(logHeads, { node, size: 0n, checkpoint: '', signed_ns: nowNs });
}

/** When a node last signed the head of its log, in Unix ns: no later reading of its clock may come before. */
export async function lastSigned(reader: Reader, node: string): Promise<bigint | undefined> {
  return (await reader.get(logHeads, { node }))?.signed_ns;
}
