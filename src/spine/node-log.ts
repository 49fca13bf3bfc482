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
import type { Reader, Transaction } from '../store/store.ts';
import { logHeads, logNodes } from './records.ts';

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
    for (const { level, index, hash } of batch.nodes)
      await tx.insert(logNodes, { node, level: BigInt(level), position: BigInt(index), hash });
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

  /** Proof of a leaf against the last checkpoint. */
  async proof(reader: Reader, index: number): Promise<LogProof | undefined> {
    const head = await reader.get(logHeads, { node: this.#signer.name });
    if (!head || index >= Number(head.size)) return undefined;
    const path = await inclusionProof(index, Number(head.size), this.#nodes(reader));
    return { index, path: path.map(toBase64), checkpoint: head.checkpoint };
  }

  /** That the log of `second` leaves continues the log of `first` leaves, base 64. */
  async consistency(reader: Reader, first: number, second: number): Promise<string[]> {
    return (await consistencyProof(first, second, this.#nodes(reader))).map(toBase64);
  }

  async #state(reader: Reader, size: number): Promise<LogState> {
    if (size === this.#cached.size) return this.#cached;
    const nodes = this.#nodes(reader);
    const frontier: Promise<Uint8Array>[] = [];
    let from = 0;
    for (let level = Math.floor(Math.log2(size)); level >= 0; level--) {
      const span = 2 ** level;
      if (Math.floor(size / span) % 2 === 0) continue;
      frontier.push(nodes.node(level, from / span));
      from += span;
    }
    return { size, frontier: await Promise.all(frontier) };
  }

  #nodes(reader: Reader): NodeReader {
    const node = this.#signer.name;
    return {
      node: async (level, index) => {
        const key = { node, level: BigInt(level), position: BigInt(index) };
        const row = await reader.get(logNodes, key);
        if (!row) throw new Error(`the log lacks node (${level}, ${index})`);
        return row.hash;
      },
    };
  }
}
