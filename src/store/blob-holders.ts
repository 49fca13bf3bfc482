import { Refusal } from '../errors/refusal.ts';
import { type BlobHolder, blobHolders, blobs } from './blob-records.ts';
import { type BlobDigest, deleteBlob, sweepLooseChunks, touchBlob } from './blobs.ts';
import type { Reader, Store, Transaction } from './store.ts';

const DAY_NS = 86_400_000_000_000n;

/**
 * Names a blob on behalf of a job or an account, so that it stays. It writes the blob's row, so that a deletion under
 * way is undone or has been seen.
 * @throws Refusal NOT_FOUND where the blob is not there any more
 */
export async function holdBlob(
  tx: Transaction,
  holder: Omit<BlobHolder, 'length'>,
  nowNs: bigint,
): Promise<void> {
  const { digest } = holder;
  const blob = await tx.get(blobs, { digest });
  if (!blob || !(await touchBlob(tx, digest, nowNs)))
    throw new Refusal('NOT_FOUND', `There is no blob sha256:${digest} here any more; put it again.`);
  await tx.put(blobHolders, { ...holder, length: blob.length });
}

/** Lets go of a blob: it may be deleted now, if nobody else holds it. @returns whether it was held so */
export async function letGoOfBlob(
  tx: Transaction,
  { digest, kind, holder }: Pick<BlobHolder, 'digest' | 'kind' | 'holder'>,
  nowNs: bigint,
): Promise<boolean> {
  if (!(await tx.delete(blobHolders, { digest, kind, holder }))) return false;
  await tx.update(blobs, { digest }, { expires_ns: nowNs });
  return true;
}

/** Whether a holder still holds: for ever, as far as can be said today, or no more. */
export type Held = 'always' | 'still' | 'over';

/** What knows the holders of one kind. Both are called inside the transaction that acts by them. */
export interface HolderKind {
  held(tx: Reader, holder: BlobHolder): Promise<Held>;
  /** A holder is about to be let go of. */
  letsGo?(tx: Transaction, holder: BlobHolder): Promise<void>;
}

/** How many of each were looked at; as many as the limit means that there may be more. */
export interface Swept {
  readonly holders: number;
  readonly blobs: number;
  readonly looseChunks: number;
}

/**
 * One small batch of housekeeping: reviews holders whose time has come, deletes blobs that nobody holds, and chunks
 * that belong to no blob. Several processes may do it at once: each act expects what it saw.
 */
export async function sweepBlobs(
  store: Store,
  kinds: Readonly<Record<string, HolderKind>>,
  nowNs: bigint,
  limit = 50,
): Promise<Swept> {
  const due = await store.find(blobHolders, {
    where: { review_ns: { lte: nowNs } },
    orderBy: { review_ns: 'asc' },
    limit,
  });
  await Promise.all(
    due.map((holder) => store.transaction((tx) => review(tx, kinds[holder.kind], holder, nowNs))),
  );
  const expired = await store.find(blobs, {
    where: { expires_ns: { lte: nowNs } },
    orderBy: { expires_ns: 'asc' },
    limit,
  });
  await Promise.all(expired.map(({ digest }) => sweepBlob(store, digest, nowNs)));
  return {
    holders: due.length,
    blobs: expired.length,
    looseChunks: await sweepLooseChunks(store, nowNs, limit),
  };
}

async function review(
  tx: Transaction,
  kind: HolderKind | undefined,
  seen: BlobHolder,
  nowNs: bigint,
): Promise<void> {
  const { digest, kind: name, holder, review_ns } = seen;
  const key = { digest, kind: name, holder };
  const held = kind ? await kind.held(tx, seen) : 'still';
  const next = { review_ns: held === 'always' ? null : nowNs + DAY_NS };
  if (!(await tx.update(blobHolders, key, next, { review_ns })) || held !== 'over') return;
  await kind!.letsGo?.(tx, seen);
  await letGoOfBlob(tx, key, nowNs);
}

/** Deletes a blob whose time is over and that nobody holds; one that is held is not looked at again. */
export async function sweepBlob(store: Store, digest: BlobDigest, nowNs: bigint): Promise<void> {
  await store.transaction(async (tx) => {
    const blob = await tx.get(blobs, { digest });
    if (!blob || blob.expires_ns === null || blob.expires_ns > nowNs) return;
    const { expires_ns } = blob;
    if ((await tx.count(blobHolders, { digest })) > 0)
      await tx.update(blobs, { digest }, { expires_ns: null }, { expires_ns });
    else await deleteBlob(tx, { ...blob, expires_ns }, nowNs);
  });
}
