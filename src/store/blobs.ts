import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Refusal } from '../errors/refusal.ts';
import { blobs, chunks, looseChunks } from './blob-records.ts';
import type { Reader, Store, Transaction } from './store.ts';

/** Bytes under their SHA-256, in lower-case hexadecimal. */
export type BlobDigest = string;

/** A blob that nobody names stays this long: an answer that names it may be on its way. */
export const BLOB_GRACE_NS = 86_400_000_000_000n;

/** A MongoDB document holds at most 16 MiB; 4 MiB leaves room and keeps transactions short. */
export const chunkBytes = 4 * 1024 * 1024;

const wallNs = (): bigint => BigInt(Date.now()) * 1_000_000n;

export function blobDigest(bytes: Uint8Array): BlobDigest {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What is hashed in one go: a few milliseconds. */
const HASHED_AT_ONCE = 2 ** 20;

/** The same, with a turn for others after each MiB: 16 MiB in one go hold the event loop for a twentieth of a second. */
export async function blobDigestInTurns(bytes: Uint8Array): Promise<BlobDigest> {
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += HASHED_AT_ONCE) {
    if (from > 0) await setImmediate();
    hash.update(bytes.subarray(from, from + HASHED_AT_ONCE));
  }
  return hash.digest('hex');
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
 * Stores bytes under their digest, for a day and then as long as somebody holds them. A blob is there once its row in
 * `blobs` is, which is written together with the last chunk: what a killed process left behind is invisible, the
 * next put of the same bytes writes over it, and it goes after a day.
 * @param known the digest, where it was computed before
 */
export async function putBlob(
  store: Store,
  bytes: Uint8Array,
  nowNs: bigint = wallNs(),
  known?: BlobDigest,
): Promise<BlobDigest> {
  const digest = known ?? (await blobDigestInTurns(bytes));
  const rows = chunkRows(digest, bytes);
  if (rows.length <= 1) {
    await store.transaction((tx) => touchOrFinish(tx, bytes, digest, rows, nowNs));
    return digest;
  }
  if (await store.transaction((tx) => touchOrOpen(tx, digest, rows.length, nowNs))) return digest;
  for (const row of rows.slice(0, -1)) {
    await store.transaction((tx) => tx.put(chunks, row));
    await setImmediate(); // a chunk is as much work as a request may wait for
  }
  await store.transaction(async (tx) => {
    await closeLoose(tx, digest);
    await finishBlob(tx, bytes, digest, rows.slice(-1), nowNs);
  });
  return digest;
}

/** The same inside a transaction of the caller, for small blobs that must land with other records. */
export async function putBlobIn(
  tx: Transaction,
  bytes: Uint8Array,
  nowNs: bigint = wallNs(),
): Promise<BlobDigest> {
  const digest = blobDigest(bytes);
  await touchOrFinish(tx, bytes, digest, chunkRows(digest, bytes), nowNs);
  return digest;
}

/** Keeps a blob for another day, and from a deletion that is under way. @returns whether it is there */
export function touchBlob(tx: Transaction, digest: BlobDigest, nowNs: bigint): Promise<boolean> {
  return tx.update(blobs, { digest }, { expires_ns: nowNs + BLOB_GRACE_NS });
}

type ChunkRow = ReturnType<typeof chunkRows>[number];

async function touchOrFinish(
  tx: Transaction,
  bytes: Uint8Array,
  digest: BlobDigest,
  rows: readonly ChunkRow[],
  nowNs: bigint,
): Promise<void> {
  if (await touchBlob(tx, digest, nowNs)) return;
  if (rows.length > 0) await tx.delete(looseChunks, { digest });
  await finishBlob(tx, bytes, digest, rows, nowNs);
}

/** @returns whether the blob is there already; else its chunks may be written from now on */
async function touchOrOpen(
  tx: Transaction,
  digest: BlobDigest,
  count: number,
  nowNs: bigint,
): Promise<boolean> {
  if (await touchBlob(tx, digest, nowNs)) return true;
  await tx.put(looseChunks, { digest, chunks: BigInt(count), expires_ns: nowNs + BLOB_GRACE_NS });
  return false;
}

/** Chunks that were swept while they were written must not become a blob; another writer of the same may. */
async function closeLoose(tx: Transaction, digest: BlobDigest): Promise<void> {
  if ((await tx.delete(looseChunks, { digest })) || (await hasBlob(tx, digest))) return;
  throw new Refusal('STORE_UNAVAILABLE', 'Writing this blob took longer than a day; send it again.');
}

async function finishBlob(
  tx: Transaction,
  bytes: Uint8Array,
  digest: BlobDigest,
  rows: readonly ChunkRow[],
  nowNs: bigint,
): Promise<void> {
  for (const row of rows) await tx.put(chunks, row);
  await tx.put(blobs, { digest, length: BigInt(bytes.length), expires_ns: nowNs + BLOB_GRACE_NS });
}

// ---- deleting ------------------------------------------------------------------------------------------

/** Takes a blob away, if it still expires when it did; its chunks follow with `sweepLooseChunks`. */
export async function deleteBlob(
  tx: Transaction,
  blob: { readonly digest: BlobDigest; readonly length: bigint; readonly expires_ns: bigint | null },
  nowNs: bigint,
): Promise<boolean> {
  const { digest, length, expires_ns } = blob;
  if (!(await tx.delete(blobs, { digest }, { expires_ns }))) return false;
  const count = BigInt(Math.ceil(Number(length) / chunkBytes));
  if (count > 0n) await tx.put(looseChunks, { digest, chunks: count, expires_ns: nowNs });
  return true;
}

/** At most so many chunks go in one transaction: 64 MiB. */
const CHUNKS_AT_ONCE = 16n;

/** Deletes chunks that belong to no blob and whose time is over, of at most `limit` digests. @returns how many digests */
export async function sweepLooseChunks(store: Store, nowNs: bigint, limit: number): Promise<number> {
  const rows = await store.find(looseChunks, {
    where: { expires_ns: { lte: nowNs } },
    orderBy: { expires_ns: 'asc' },
    limit,
  });
  for (const { digest, expires_ns, chunks: count } of rows)
    for (let left = count; left > 0n; left -= CHUNKS_AT_ONCE) {
      const expected = { expires_ns, chunks: left };
      if (!(await store.transaction((tx) => dropChunks(tx, digest, left, expected)))) break;
    }
  return rows.length;
}

/** The last chunks of so many. A writer that began meanwhile has another `expires_ns`, and is let be. */
async function dropChunks(
  tx: Transaction,
  digest: BlobDigest,
  count: bigint,
  expected: { expires_ns: bigint; chunks: bigint },
): Promise<boolean> {
  const rest = count > CHUNKS_AT_ONCE ? count - CHUNKS_AT_ONCE : 0n;
  const kept =
    rest > 0n
      ? await tx.update(looseChunks, { digest }, { chunks: rest }, expected)
      : await tx.delete(looseChunks, { digest }, expected);
  if (kept) for (let n = rest; n < count; n++) await tx.delete(chunks, { digest, n });
  return kept;
}

// ---- reading -------------------------------------------------------------------------------------------

export async function hasBlob(reader: Reader, digest: BlobDigest): Promise<boolean> {
  return (await reader.get(blobs, { digest })) !== undefined;
}

/** Length in bytes, or undefined where there is no such blob. */
export async function blobLength(reader: Reader, digest: BlobDigest): Promise<number | undefined> {
  const row = await reader.get(blobs, { digest });
  return row && Number(row.length);
}

/** The chunks of a blob as far as they follow one another, with a turn for others after each. */
async function* chunksOf(reader: Reader, digest: BlobDigest, length: number): AsyncGenerator<Uint8Array> {
  for (let n = 0, read = 0; read < length; n++) {
    const bytes = (await reader.get(chunks, { digest, n: BigInt(n) }))?.bytes;
    if (bytes === undefined || bytes.length === 0 || read + bytes.length > length) return;
    yield bytes;
    read += bytes.length;
    if (read < length) await setImmediate();
  }
}

/** What is wrong with the stored bytes of a blob of this length, chunk by chunk; undefined: nothing. */
export async function blobFault(
  reader: Reader,
  digest: BlobDigest,
  length: number,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const bytes of chunksOf(reader, digest, length)) {
    hash.update(bytes);
    read += bytes.length;
  }
  if (read < length) return `${read} of its ${length} bytes are here`;
  return hash.digest('hex') === digest ? undefined : 'its stored bytes do not have this digest';
}

/**
 * The bytes, checked against their digest, or undefined where there is no such blob. Others have their turn while a large
 * one is read.
 * @throws Refusal STORE_UNAVAILABLE if what is stored has another digest
 */
export async function blobBytes(reader: Reader, digest: BlobDigest): Promise<Uint8Array | undefined> {
  const row = await reader.get(blobs, { digest });
  if (row === undefined) return undefined;
  const bytes = new Uint8Array(Number(row.length));
  let filled = 0;
  for await (const chunk of chunksOf(reader, digest, bytes.length)) {
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if ((await blobDigestInTurns(bytes)) !== digest)
    throw new Refusal('STORE_UNAVAILABLE', `The stored bytes of blob ${digest} do not have this digest.`);
  return bytes;
}
