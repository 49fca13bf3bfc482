import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { blobSchema } from '../../src/store/blob-records.ts';
import { blobBytes, putBlob } from '../../src/store/blobs.ts';
import { openStore } from '../../src/store/open.ts';
import { run as runBlobs } from './blobs-contract.ts';
import { type Open, run } from './contract.ts';
import { run as runRecords } from './records-contract.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'store-'));
t.teardown(() => rmSync(folder, { recursive: true }));

const open: Open = (place, schemas) => openStore({ dataDir: path.join(folder, place) }, schemas);
run('embedded', open);
runRecords('embedded', open);
runBlobs('embedded', open);

t.test('a store that is closed refuses, and does not end the process', async (t) => {
  const dataDir = t.testdir();
  const store = await openStore({ dataDir }, [blobSchema]);
  const digest = await putBlob(store, new Uint8Array([1, 2, 3]));
  await store.close();
  await t.rejects(blobBytes(store, digest), { code: 'STORE_UNAVAILABLE' });
  await t.rejects(putBlob(store, new Uint8Array([4])), { code: 'STORE_UNAVAILABLE' });
});
