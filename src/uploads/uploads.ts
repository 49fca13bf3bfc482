import { Refusal } from '../errors/refusal.ts';
import { namingJob } from '../spine/job-blobs.ts';
import { type HolderKind, letGoOfBlob, sweepBlob } from '../store/blob-holders.ts';
import { type BlobHolder, blobHolders } from '../store/blob-records.ts';
import { type BlobDigest, blobDigestInTurns, putBlob } from '../store/blobs.ts';
import type { Page, Reader, Store, Transaction } from '../store/store.ts';
import { uploadUsage } from './records.ts';

export const DEFAULT_QUOTA_BYTES = 2 ** 30;
const STAY_DAYS = 7;
const STAY_NS = BigInt(STAY_DAYS) * 86_400_000_000_000n;
/** A blob costs the store more than its bytes: no account fills it with a million tiny ones. */
const COUNTED_AT_LEAST = 4096n;

/** A job in one of these states needs the blobs of its request. */
const needing = { in: ['running', 'done', 'unsealed'] };

export interface Usage {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

const countedBytes = (length: bigint): bigint => (length > COUNTED_AT_LEAST ? length : COUNTED_AT_LEAST);

/**
 * Blobs that accounts upload for their requests. Each counts against its account's quota as long as the account
 * holds it: until it is deleted, or goes by itself after a week in which no job named it. What a job names stays.
 */
export class Uploads {
  readonly #store: Store;
  readonly #now: () => bigint;
  readonly #quota: bigint;

  constructor(store: Store, now: () => bigint, quotaBytes: number = DEFAULT_QUOTA_BYTES) {
    this.#store = store;
    this.#now = now;
    this.#quota = BigInt(quotaBytes);
  }

  /** Counted before it is written, so that uploads at one time cannot pass the quota together. @throws Refusal LIMIT_EXCEEDED */
  async put(account: string, bytes: Uint8Array): Promise<BlobDigest> {
    const digest = await blobDigestInTurns(bytes);
    const length = BigInt(bytes.length);
    const isNew = await this.#store.transaction((tx) => this.#take(tx, account, digest, length));
    try {
      return await putBlob(this.#store, bytes, this.#now(), digest);
    } catch (error) {
      if (isNew) await this.#letGo(account, digest).catch(() => undefined); // else the week does it
      throw error;
    }
  }

  /**
   * Takes an own upload back and frees its quota.
   * @throws Refusal NOT_FOUND where it is not one · CONFLICT where a job names it
   */
  async delete(account: string, digest: BlobDigest): Promise<void> {
    const job = await namingJob(this.#store, account, digest, needing);
    if (job !== undefined)
      throw new Refusal('CONFLICT', `Job ${job} names this blob; it stays as long as that does.`, { job });
    if (!(await this.#letGo(account, digest)))
      throw new Refusal('NOT_FOUND', 'This account has uploaded no blob with this digest.');
    await sweepBlob(this.#store, digest, this.#now());
  }

  /** What the account has uploaded, and how much of its quota that takes. */
  async list(account: string, page: { limit: number; offset: number }): Promise<Usage & Page<BlobHolder>> {
    const { rows, total } = await this.#store.page(blobHolders, {
      where: { account, kind: 'upload' },
      ...page,
    });
    return { rows, total, ...(await this.usage(account)) };
  }

  async usage(account: string): Promise<Usage> {
    const usedBytes = Number(await usedBy(this.#store, account));
    return { usedBytes, limitBytes: Number(this.#quota) };
  }

  /** An upload that a job of its account names stays, and stays counted; another one's week is over. */
  readonly holders: HolderKind = {
    held: async (tx, { account, digest }) =>
      (await namingJob(tx, account, digest, needing)) === undefined ? 'over' : 'still',
    letsGo: (tx, { account, length }) => uncount(tx, account, length),
  };

  /** @returns whether the account did not hold it before */
  async #take(tx: Transaction, account: string, digest: BlobDigest, length: bigint): Promise<boolean> {
    const key = { digest, kind: 'upload', holder: account };
    const known = await tx.get(blobHolders, key);
    if (!known) {
      const used = await usedBy(tx, account);
      if (used + countedBytes(length) > this.#quota) this.#refuse(used, length);
      await tx.put(uploadUsage, { account, bytes: used + countedBytes(length) });
    }
    await tx.put(blobHolders, { ...key, account, length, review_ns: this.#now() + STAY_NS });
    return known === undefined;
  }

  #letGo(account: string, digest: BlobDigest): Promise<boolean> {
    const key = { digest, kind: 'upload', holder: account };
    return this.#store.transaction(async (tx) => {
      const held = await tx.get(blobHolders, key);
      if (!held || !(await letGoOfBlob(tx, key, this.#now()))) return false;
      await uncount(tx, account, held.length);
      return true;
    });
  }

  #refuse(used: bigint, length: bigint): never {
    throw new Refusal(
      'LIMIT_EXCEEDED',
      `Uploads of this account take ${used} of ${this.#quota} bytes, and this one needs ${countedBytes(length)} more. ` +
        'DELETE /api/svc/blobs/{sha256} frees one that no job names; ' +
        `by itself it goes ${STAY_DAYS} days after it was last put.`,
      { used_bytes: Number(used), limit_bytes: Number(this.#quota) },
    );
  }
}

async function usedBy(reader: Reader, account: string): Promise<bigint> {
  return (await reader.get(uploadUsage, { account }))?.bytes ?? 0n;
}

async function uncount(tx: Transaction, account: string, length: bigint): Promise<void> {
  const bytes = (await usedBy(tx, account)) - countedBytes(length);
  await tx.put(uploadUsage, { account, bytes: bytes > 0n ? bytes : 0n });
}
