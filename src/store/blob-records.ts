import type { Schema } from './schema.ts';
import type { Transaction } from './store.ts';
import { type Row, table } from './table.ts';

/** `expires_ns`: when it is looked at again and, if nobody holds it, deleted; null: it is held. */
export const blobs = table({
  name: 'blobs',
  key: ['digest'],
  columns: { digest: 'text', length: 'int64', expires_ns: 'int64?' },
  indexes: [{ columns: ['expires_ns'] }],
});

export const chunks = table({
  name: 'blob_chunks',
  key: ['digest', 'n'],
  columns: { digest: 'text', n: 'int64', bytes: 'blob' },
});

/** Chunks that belong to no blob: of one that is being written, or that was deleted. Past its time they go. */
export const looseChunks = table({
  name: 'blob_loose_chunks',
  key: ['digest'],
  columns: { digest: 'text', chunks: 'int64', expires_ns: 'int64' },
  indexes: [{ columns: ['expires_ns'] }],
});

/**
 * Why a blob stays, and who may read it: an upload (`holder` is the account) or a job whose request or answer names
 * it (`holder` is the job). At `review_ns` whoever knows this kind is asked whether it still holds; null: for ever.
 */
export const blobHolders = table({
  name: 'blob_holders',
  key: ['digest', 'kind', 'holder'],
  columns: {
    digest: 'text',
    kind: 'text',
    holder: 'text',
    account: 'text',
    length: 'int64',
    review_ns: 'int64?',
  },
  indexes: [{ columns: ['review_ns'] }, { columns: ['account', 'kind'] }],
});

export type BlobHolder = Row<typeof blobHolders>;

const MIGRATED_STAY_NS = 7n * 86_400_000_000_000n;

/** Blobs from before they had holders: what no answer names (the spine's migration says which) goes after a week. */
async function expireUnheld(tx: Transaction): Promise<void> {
  const expires_ns = BigInt(Date.now()) * 1_000_000n + MIGRATED_STAY_NS;
  const known = new Set<string>();
  for (const { digest } of await tx.find(blobs)) {
    known.add(digest);
    await tx.update(blobs, { digest }, { expires_ns });
  }
  for (const { digest } of await tx.sumBy(chunks, 'n', ['digest']))
    if (!known.has(digest))
      await tx.put(looseChunks, { digest, chunks: BigInt(await tx.count(chunks, { digest })), expires_ns });
}

export const blobSchema: Schema = {
  feature: 'blobs',
  tables: [blobs, chunks, looseChunks, blobHolders],
  migrations: [{ name: 'expire what nobody holds', run: expireUnheld }],
};
