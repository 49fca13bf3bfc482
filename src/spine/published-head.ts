import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fromBase64, toBase64, utf8 } from '../proof/bytes.ts';
import { emptyLog, logRoot } from '../proof/log-tree.ts';

/** A head of its own log that a node has shown to others, as far as it remembers. */
export interface PublishedHead {
  readonly size: number;
  /** 32 bytes */
  readonly root: Uint8Array;
  /** The restore of the store that was known of then (records.ts, `logRestores`); null: none. */
  readonly restore: string | null;
}

/** The head of a log to which nothing was ever added. */
export const nothingPublished: PublishedHead = { size: 0, root: logRoot(emptyLog), restore: null };

/** What outlives the store: the head that a node may not fall behind. */
export interface HeadMemory {
  read(): PublishedHead | undefined;
  write(head: PublishedHead): void;
}

/** Bytes of the file: it is written over in place, so its length must not change. */
const LENGTH = 2048;

/** A folder that cannot be written, such as one that holds keys only: the node then remembers while it runs. */
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT']);

/**
 * log-head.json beside the node's keys: a store that is put back is compared with it. It is written after a batch is
 * durable and before anybody sees its receipts, without waiting for the disk: a loss of power may set it back, and an
 * older head only asks for less.
 */
export class FolderHead implements HeadMemory {
  readonly #file: string;
  readonly #node: string;

  constructor(folder: string, node: string) {
    this.#file = join(folder, 'log-head.json');
    this.#node = node;
  }

  /** Undefined where there is none, or none that can be read, or that of other keys. */
  read(): PublishedHead | undefined {
    try {
      const { node, size, root, restore } = JSON.parse(readFileSync(this.#file, 'utf8'));
      const isOne = node === this.#node && Number.isSafeInteger(size) && size >= 0;
      const bytes = fromBase64(root);
      return isOne && bytes.length === 32 ? { size, root: bytes, restore: restore ?? null } : undefined;
    } catch {
      return undefined;
    }
  }

  write({ size, root, restore }: PublishedHead): void {
    const text = JSON.stringify({ node: this.#node, size, root: toBase64(root), restore });
    const bytes = utf8(`${text.padEnd(LENGTH - 1)}\n`);
    try {
      const file = openSync(this.#file, constants.O_WRONLY | constants.O_CREAT, 0o600);
      try {
        writeSync(file, bytes, 0, bytes.length, 0);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (!unwritable.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}
