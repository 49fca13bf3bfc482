import t, { type Test } from 'tap';
import {
  type HolderKind,
  holdBlob,
  letGoOfBlob,
  sweepBlob,
  sweepBlobs,
} from '../../src/store/blob-holders.ts';
import { blobHolders, blobSchema, blobs, chunks, looseChunks } from '../../src/store/blob-records.ts';
import { BLOB_GRACE_NS, blobBytes, chunkBytes, hasBlob, putBlob } from '../../src/store/blobs.ts';
import type { Schema } from '../../src/store/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { table } from '../../src/store/table.ts';
import type { Open } from './contract.ts';

const hour = 3_600_000_000_000n;
const bytesOf = (length: number, seed = 1) =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + length + seed) & 255);

/** Blobs as they were before they had holders: two tables without a column for their end. */
const before: Schema = {
  feature: 'blobs',
  tables: [
    table({ name: 'blobs', key: ['digest'], columns: { digest: 'text', length: 'int64' } }),
    table({
      name: 'blob_chunks',
      key: ['digest', 'n'],
      columns: { digest: 'text', n: 'int64', bytes: 'blob' },
    }),
  ],
};

const holder = (digest: string, name: string, review_ns: bigint | null = null) => ({
  ...{ digest, kind: 'test', holder: name, account: 'z', review_ns },
});
const hold = (store: Store, digest: string, name: string, nowNs: bigint, review: bigint | null = null) =>
  store.transaction((tx) => holdBlob(tx, holder(digest, name, review), nowNs));

/** How long blobs stay, the same on every adapter. */
export function run(name: string, open: Open): void {
  let places = 0;

  const claim = (title: string, work: (store: Store, t: Test) => Promise<void>) =>
    t.test(`${name}: ${title}`, async (t) => {
      const store = await open(`${name}-blobs-${++places}`, [blobSchema]);
      try {
        await work(store, t);
      } finally {
        await store.close();
      }
    });

  claim(
    'a blob that nobody names goes after a day, with all its chunks; a named one stays',
    async (store, t) => {
      const [lost, kept] = [bytesOf(2 * chunkBytes + 5), bytesOf(100)];
      const [lostDigest, keptDigest] = [await putBlob(store, lost, 0n), await putBlob(store, kept, 0n)];
      await hold(store, keptDigest, 'job_1', 0n);
      await sweepBlobs(store, {}, BLOB_GRACE_NS - 1n);
      t.ok(await hasBlob(store, lostDigest), 'its answer may be on its way');
      await sweepBlobs(store, {}, BLOB_GRACE_NS);
      t.notOk(await hasBlob(store, lostDigest));
      t.equal(await store.count(chunks, { digest: lostDigest }), 0);
      t.same(await blobBytes(store, keptDigest), kept);
      t.same(await sweepBlobs(store, {}, 10n * BLOB_GRACE_NS), { holders: 0, blobs: 0, looseChunks: 0 });
    },
  );

  claim('the last who lets go of a blob lets it be deleted, not the first', async (store, t) => {
    const digest = await putBlob(store, bytesOf(10), 0n);
    for (const each of ['a', 'b']) await hold(store, digest, each, 0n);
    const letGo = (each: string) =>
      store.transaction((tx) => letGoOfBlob(tx, { digest, kind: 'test', holder: each }, hour));
    t.ok(await letGo('a'));
    t.notOk(await letGo('a'), 'twice is not once more');
    await sweepBlob(store, digest, hour);
    t.ok(await hasBlob(store, digest));
    await letGo('b');
    await sweepBlob(store, digest, hour);
    t.notOk(await hasBlob(store, digest));
    await t.rejects(hold(store, digest, 'c', hour), { code: 'NOT_FOUND' }, 'what is gone cannot be named');
    t.equal(await store.count(blobHolders), 0);
  });

  claim('bytes that are put again live another day, and can be put after they went', async (store, t) => {
    const bytes = bytesOf(chunkBytes + 1);
    const digest = await putBlob(store, bytes, 0n);
    await putBlob(store, bytes, hour);
    await sweepBlobs(store, {}, BLOB_GRACE_NS);
    t.ok(await hasBlob(store, digest));
    await sweepBlobs(store, {}, BLOB_GRACE_NS + hour);
    t.notOk(await hasBlob(store, digest));
    await putBlob(store, bytes, 2n * BLOB_GRACE_NS);
    t.ok(Buffer.from(bytes).equals((await blobBytes(store, digest))!));
  });

  claim('chunks of a killed writer go after a day; a writer at work is let be', async (store, t) => {
    const digest = 'd'.repeat(64);
    const put = (n: bigint) => store.transaction((tx) => tx.put(chunks, { digest, n, bytes: bytesOf(9) }));
    for (let n = 0n; n < 20n; n++) await put(n);
    const row = { digest, chunks: 21n, expires_ns: hour };
    await store.transaction((tx) => tx.put(looseChunks, row));
    await sweepBlobs(store, {}, hour - 1n);
    t.equal(await store.count(chunks), 20);
    await sweepBlobs(store, {}, hour);
    t.equal(await store.count(chunks), 0);
    t.equal(await store.count(looseChunks), 0);
  });

  claim('holders are reviewed by those who know them, and what is over is let go of', async (store, t) => {
    const digests = [];
    for (let i = 0; i < 4; i++) digests.push(await putBlob(store, bytesOf(10, i), 0n));
    const [over, still, always, stranger] = digests as [string, string, string, string];
    for (const [digest, what] of [
      [over, 'over'],
      [still, 'still'],
      [always, 'always'],
    ] as const)
      await hold(store, digest, what, 0n, hour);
    await store.transaction((tx) => holdBlob(tx, { ...holder(stranger, 'x', hour), kind: 'newer' }, 0n));
    const gone: string[] = [];
    const kind: HolderKind = {
      held: async (_, row) => row.holder as 'over' | 'still' | 'always',
      letsGo: async (_, row) => void gone.push(row.digest),
    };
    await sweepBlobs(store, { test: kind }, BLOB_GRACE_NS);
    t.same(gone, [over]);
    t.notOk(await hasBlob(store, over));
    for (const digest of [still, always, stranger]) t.ok(await hasBlob(store, digest));
    const review = async (digest: string) =>
      (await store.find(blobHolders, { where: { digest } }))[0]?.review_ns;
    t.equal(await review(always), null, 'never asked again');
    t.equal(await review(still), 2n * BLOB_GRACE_NS);
    t.equal(await review(stranger), 2n * BLOB_GRACE_NS, 'a kind that is not known here is not let go of');
  });

  claim('two sweeps at one time delete once and take nothing from a put beside them', async (store, t) => {
    const bytes = Array.from({ length: 12 }, (_, i) => bytesOf(50, i));
    for (const each of bytes) await putBlob(store, each, 0n);
    const now = 2n * BLOB_GRACE_NS;
    await Promise.all([
      sweepBlobs(store, {}, now),
      sweepBlobs(store, {}, now),
      ...bytes.slice(0, 6).map((each) => putBlob(store, each, now)),
    ]);
    const rows = await store.find(blobs);
    for (const each of bytes.slice(0, 6)) {
      const digest = await putBlob(store, each, now);
      t.same(await blobBytes(store, digest), each);
    }
    t.ok(rows.every((row) => row.expires_ns === now + BLOB_GRACE_NS));
    t.equal(await store.count(blobs), 6);
  });

  t.test(
    `${name}: a store from before blobs had holders is brought up: all is there, and goes if unnamed`,
    async (t) => {
      const where = `${name}-blobs-old`;
      const digest = await openAnd(where, [before], async (store) => {
        const [old, oldChunks] = before.tables as unknown as [typeof blobs, typeof chunks];
        const bytes = bytesOf(10);
        const made = '7'.repeat(64);
        await store.transaction(async (tx) => {
          await tx.insert(old, { digest: made, length: 10n } as never);
          await tx.insert(oldChunks, { digest: made, n: 0n, bytes });
          await tx.insert(oldChunks, { digest: 'e'.repeat(64), n: 0n, bytes });
        });
        return made;
      });
      await openAnd(where, [blobSchema], async (store) => {
        const now = BigInt(Date.now()) * 1_000_000n;
        await sweepBlobs(store, {}, now);
        t.ok(await hasBlob(store, digest));
        await sweepBlobs(store, {}, now + 8n * BLOB_GRACE_NS);
        t.equal(await store.count(blobs), 0);
        t.equal(await store.count(chunks), 0, 'those of a killed writer too');
      });
    },
  );

  async function openAnd<R>(where: string, schemas: readonly Schema[], work: (store: Store) => Promise<R>) {
    const store = await open(where, schemas);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }
}
