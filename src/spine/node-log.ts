import { toBase64 } from '../proof/bytes.ts';
import { checkpointText, type LogProof } from '../proof/checkpoint.ts';
import {
  appendLeaves,
  consistencyProof,
  emptyLog,
  frontierAddresses,
  inclusionProof,
  type LogState,
  type NodeReader,
} from '../proof/log-tree.ts';
import { leafHash } from '../proof/merkle.ts';
import type { NoteSigner } from '../proof/note.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { storeNodes, tiledNodes } from './log-tiles.ts';
import { logHeads } from './records.ts';

/** Leaves that are in the log once their transaction is durable. */
export interface PendingBatch {
  readonly firstIndex: number;
  /** Proof of the i-th leaf of the batch against the checkpoint that covers it. */
  proof(i: number): LogProof;
  /** To be called when the transaction is durable: the next batch then reads no store. */
  committed(): void;
}

/**
 * This node's Merkle log in the store. The head is compared and set inside the appending transaction, so that two
 * processes on one store cannot fork it; one signed checkpoint covers a whole batch.
 */
export class NodeLog {
  readonly #signer: NoteSigner;
  readonly #now: () => bigint;
  #cached: LogState = emptyLog;

  constructor(signer: NoteSigner, now: () => bigint) {
    this.#signer = signer;
    this.#now = now;
  }

  get vkey(): string {
    return this.#signer.vkey;
  }

  async append(tx: Transaction, leaves: readonly Uint8Array[]): Promise<PendingBatch> {
    const node = this.#signer.name;
    const head = await tx.get(logHeads, { node });
    const before = await this.#state(tx, head ? Number(head.size) : 0);
    const batch = appendLeaves(before, leaves.map(leafHash));
    await storeNodes(tx, node, batch.nodes);
    const checkpoint = checkpointText(this.#signer, batch.state.size, batch.root);
    const row = { size: BigInt(batch.state.size), checkpoint, signed_ns: this.#now() };
    if (!head) await tx.insert(logHeads, { node, ...row });
    else if (!(await tx.update(logHeads, { node }, row, { size: head.size })))
      throw new Error('the head of the log moved inside a transaction');
    return {
      firstIndex: before.size,
      proof: (i) => {
        const index = before.size + i;
        return { index, path: batch.inclusionProof(index).map(toBase64), checkpoint };
      },
      committed: () => {
        if (batch.state.size > this.#cached.size) this.#cached = batch.state;
      },
    };
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
    if (size === this.#cached.size) return this.#cached;
    const nodes = this.#nodes(reader);
    const frontier: Uint8Array[] = [];
    for (const { level, index } of frontierAddresses(size)) frontier.push(await nodes.node(level, index));
    return { size, frontier };
  }

  #nodes(reader: Reader): NodeReader {
    return tiledNodes(reader, this.#signer.name);
  }
}
