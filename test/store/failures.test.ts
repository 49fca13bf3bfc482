import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { openStore } from '../../src/store/open.ts';
import { type Table, table } from '../../src/store/table.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'store-failures-'));
t.teardown(() => rmSync(folder, { recursive: true }));

const pages = table({ name: 'pages', key: ['n'], columns: { n: 'int64', bytes: 'blob' } });
const schemas = [{ feature: 'pages', tables: [pages as unknown as Table] }];
const unavailable = { code: 'STORE_UNAVAILABLE', status: 503 };

t.test('a full store refuses the write, keeps nothing of it, and goes on reading and writing', async (t) => {
  const store = await openStore({ dataDir: path.join(folder, 'full'), maxBytes: 400_000 }, schemas);
  t.teardown(() => store.close());
  await store.transaction((tx) => tx.insert(pages, { n: 0n, bytes: new Uint8Array(1000) }));
  const tooMuch = store.transaction(async (tx) => {
    for (let n = 1n; n < 10n; n++) await tx.insert(pages, { n, bytes: new Uint8Array(100_000) });
  });
  const neighbour = store.transaction((tx) => tx.insert(pages, { n: 50n, bytes: new Uint8Array(10) }));
  await t.rejects(tooMuch, unavailable);
  await neighbour.catch((e: unknown) =>
    t.match(e, unavailable, 'a neighbour may be refused too, but not lost'),
  );
  const kept = (await store.find(pages)).map((r) => r.n);
  t.same(
    kept.filter((n) => n > 0n && n < 50n),
    [],
  );
  await store.transaction((tx) => tx.put(pages, { n: 51n, bytes: new Uint8Array(10) }));
  t.equal((await store.get(pages, { n: 51n }))?.bytes.length, 10);
});

t.test('a store that cannot be opened is a refusal with a sentence', async (t) => {
  const file = path.join(folder, 'file');
  writeFileSync(file, 'this is not a folder');
  await t.rejects(openStore({ dataDir: path.join(file, 'below') }, schemas), unavailable);
  await t.rejects(openStore({ dataDir: file }, schemas), unavailable);
  // Where making a folder fails as if its parent were not there, Node's recursion never ends.
  if (existsSync('/proc/self'))
    await t.rejects(openStore({ dataDir: '/proc/nothing/here' }, schemas), unavailable);
  // A folder that is there and in which nobody, root included, can make a file.
  if (existsSync('/proc/self'))
    await t.rejects(openStore({ dataDir: '/proc' }, schemas), {
      ...unavailable,
      message: /cannot be opened/,
    });
  const garbage = path.join(folder, 'garbage');
  mkdirSync(garbage);
  writeFileSync(path.join(garbage, 'store.db'), 'x'.repeat(8192));
  await t.rejects(openStore({ dataDir: garbage }, schemas), unavailable);
});

t.test('the store is readable by its owner only', async (t) => {
  const dataDir = path.join(folder, 'rights');
  const store = await openStore({ dataDir }, schemas);
  t.teardown(() => store.close());
  for (const name of ['store.db', 'store.db-wal', 'store.db-shm'])
    t.equal(statSync(path.join(dataDir, name)).mode & 0o077, 0, name);
});

t.test('a table is declared with names, keys and indexes that exist', async (t) => {
  const columns = { id: 'text', data: 'json', maybe: 'text?' } as const;
  for (const wrong of [
    { name: 'Bad name', key: ['id'], columns },
    { name: 'x', key: [], columns },
    { name: 'x', key: ['none'], columns },
    { name: 'x', key: ['maybe'], columns },
    { name: 'x', key: ['id'], columns, indexes: [{ columns: ['data'] }] },
    { name: 'x', key: ['id'], columns, indexes: [{ columns: ['none'] }] },
  ])
    t.throws(() => table(wrong as never), TypeError);
  await t.rejects(openStore({ dataDir: path.join(folder, 'twice') }, [...schemas, ...schemas]), TypeError);
});
