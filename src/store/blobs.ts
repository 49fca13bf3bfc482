import { createHash } from 'node:crypto';
import { Refusal } from '../errors/refusal.ts';
import type { Schema } from './schema.ts';
import type { Reader, Store, Transaction } from './store.ts';
import { table } from './table.ts';

/** Bytes under their SHA-256, in lower-case hexadecimal. */
export type BlobDigest = string;

/** A MongoDB document holds at most 16 MiB; 4 MiB leaves room and keeps transactions short. */
export const chunkBytes = 4 * 1024 * 1024;

const blobs = table({ name: 'blobs', key: ['digest'], columns: { digest: 'text', length: 'int64' } });
const chunks = table({
  name: 'blob_chunks',
  key: ['digest', 'n'],
  columns: { digest: 'text', n: 'int64', bytes: 'blob' },
});

export const blobSchema: Schema = { feature: 'blobs', tables: [blobs, chunks] };

export function blobDigest(bytes: Uint8Array): BlobDigest {
  return createHash('sha256').update(bytes).digest('hex');
}

function chunkRows(digest: BlobDigest, bytes: Uint8Array) {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, n) => ({
    digest,
    n: BigInt(n),
    bytes: bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes),
  }));
}

/**
 * Stores bytes under their digest. A blob is there once its row in `blobs` is, which is written together with the
 * last chunk: what a killed process left behind is invisible, and the next put of the same bytes writes over it.
 */
export async function putBlob(store: Store, bytes: Uint8Array): Promise<BlobDigest> {
  const digest = blobDigest(bytes);
  if (await hasBlob(store, digest)) return digest;
  const rows = chunkRows(digest, bytes);
  for (const row of rows.slice(0, -1)) await store.transaction((tx) => tx.put(chunks, row));
  await store.transaction((tx) => finishBlob(tx, bytes, digest, rows.slice(-1)));
  return digest;
}

/** The same inside a transaction of the caller, for small blobs that must land with other records. */
export async function putBlobIn(tx: Transaction, bytes: Uint8Array): Promise<BlobDigest> {
  const digest = blobDigest(bytes);
  if (!(await hasBlob(tx, digest))) await finishBlob(tx, bytes, digest, chunkRows(digest, bytes));
  return digest;
}

type ChunkRow = ReturnType<typeof chunkRows>[number];

async function finishBlob(tx: Transaction, bytes: Uint8Array, digest: BlobDigest, rows: readonly ChunkRow[]) {
  for (const row of rows) await tx.put(chunks, row);
  await tx.put(blobs, { digest, length: BigInt(bytes.length) });
}

export async function hasBlob(reader: Reader, digest: BlobDigest): Promise<boolean> {
  return (await reader.get(blobs, { digest })) !== undefined;
}

/** Length in bytes, or undefined where there is no such blob. */
export async function blobLength(reader: Reader, digest: BlobDigest): Promise<number | undefined> {
  const row = await reader.get(blobs, { digest });
  return row && Number(row.length);
}

/**
 * The bytes, checked against their digest, or undefined where there is no such blob.
 * @throws Refusal STORE_UNAVAILABLE if what is stored has another digest
 */
export async function blobBytes(reader: Reader, digest: BlobDigest): Promise<Uint8Array | undefined> {
  const row = await reader.get(blobs, { digest });
  if (row === undefined) return undefined;
  const bytes = new Uint8Array(Number(row.length));
  let filled = 0;
  while (filled < bytes.length) {
    const chunk = await reader.get(chunks, { digest, n: BigInt(Math.floor(filled / chunkBytes)) });
    if (chunk === undefined || chunk.bytes.length === 0 || filled + chunk.bytes.length > bytes.length) break;
    bytes.set(chunk.bytes, filled);
    filled += chunk.bytes.length;
  }
  if (blobDigest(bytes) !== digest)
    throw new Refusal('STORE_UNAVAILABLE', `The stored bytes of blob ${digest} do not have this digest.`);
  return bytes;
}
