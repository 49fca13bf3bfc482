import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { backupTo, restoreFrom } from '../../src/store/backup.ts';
import { blobSchema } from '../../src/store/blob-records.ts';
import { blobBytes, blobLength, chunkBytes, hasBlob, putBlob, putBlobIn } from '../../src/store/blobs.ts';
import type { Schema } from '../../src/store/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { type Columns, type Table, table } from '../../src/store/table.ts';
import type { Open } from './contract.ts';

const notes = table({
  name: 'notes',
  key: ['id'],
  columns: { id: 'int64', text: 'text' },
  indexes: [{ columns: ['text'] }], // gone in the next version, where a column comes
});
const notesNow = table({
  name: 'notes',
  key: ['id'],
  columns: { id: 'int64', text: 'text', length: 'int64?' },
  indexes: [{ columns: ['length'] }],
});
const every = table({
  name: 'every_type',
  key: ['a', 'b'],
  columns: { a: 'text', b: 'blob', c: 'int64?', d: 'real?', e: 'json?', f: 'text?' },
  indexes: [{ columns: ['c'], unique: true }],
});

const first: Schema = { feature: 'notes', tables: [notes as unknown as Table] };
const measured: Schema = {
  feature: 'notes',
  tables: [notesNow as unknown as Table],
  migrations: [
    {
      name: 'measure',
      run: async (tx) => {
        for (const { id, text } of await tx.find(notesNow))
          await tx.update(notesNow, { id }, { length: BigInt(text.length) });
      },
    },
  ],
};
const everything: readonly Schema[] = [
  first,
  blobSchema,
  { feature: 'every', tables: [every as unknown as Table] },
];

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);

function allButLastLine(file: string): string {
  const text = readFileSync(file, 'utf8');
  return text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
}

/** Schema versions, blobs and backups: what is built on the port, the same on every adapter. */
export function run(name: string, open: Open): void {
  let places = 0;
  const folder = mkdtempSync(path.join(tmpdir(), 'backup-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const place = () => `${name}-records-${++places}`;

  async function within<R>(
    where: string,
    schemas: readonly Schema[],
    work: (store: Store) => Promise<R>,
  ): Promise<R> {
    const store = await open(where, schemas);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  const claim = (title: string, work: (t: Test) => Promise<void>) => t.test(`${name}: ${title}`, work);

  const write = (store: Store, ids: readonly bigint[]) =>
    store.transaction(async (tx) => {
      for (const id of ids) await tx.insert(notes, { id, text: 'x'.repeat(Number(id)) });
    });

  claim('a store of an older schema gets its columns, indexes and migrations, once', async (t) => {
    const where = place();
    await within(where, [first], (store) => write(store, [1n, 5n]));
    await Promise.all([1, 2].map(() => within(where, [measured], async () => undefined)));
    await within(where, [measured], async (store) => {
      t.same(await store.find(notesNow), [
        { id: 1n, text: 'x', length: 1n },
        { id: 5n, text: 'xxxxx', length: 5n },
      ]);
      await store.transaction((tx) => tx.update(notesNow, { id: 1n }, { length: 99n }));
    });
    await within(where, [measured], async (store) => {
      t.equal((await store.get(notesNow, { id: 1n }))?.length, 99n, 'the migration does not run again');
    });
  });

  claim('a migration that fails leaves the store as it was', async (t) => {
    const where = place();
    await within(where, [first], (store) => write(store, [1n]));
    const broken = {
      ...measured,
      migrations: [
        {
          name: 'measure',
          run: async (tx) => {
            await tx.delete(notesNow, { id: 1n });
            throw new Error('no');
          },
        },
      ],
    } satisfies Schema;
    await t.rejects(open(where, [broken]), /no/);
    await within(where, [measured], async (store) => {
      t.equal((await store.get(notesNow, { id: 1n }))?.length, 1n);
    });
  });

  claim('a new store has today’s shape and nothing to migrate', async (t) => {
    const never: Schema = {
      ...measured,
      migrations: [{ name: 'measure', run: () => Promise.reject(new Error('ran')) }],
    };
    await within(place(), [never], async (store) => t.equal(await store.count(notesNow), 0));
  });

  claim('a store written by a newer version is refused, other features do not mind', async (t) => {
    const where = place();
    await within(where, [measured], async () => undefined);
    const refusal = { code: 'STORE_UNAVAILABLE', message: /newer version/ };
    await t.rejects(open(where, [first]), refusal, 'a column that is not known');
    await t.rejects(open(where, [{ ...measured, migrations: [] }]), refusal, 'a migration that is not known');
    await within(where, [blobSchema], (store) => putBlob(store, bytesOf(3)));
  });

  claim('a blob comes back by its digest, whatever its length', (t) =>
    within(place(), [blobSchema], async (store) => {
      for (const length of [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes + 5]) {
        const bytes = bytesOf(length);
        const digest = await putBlob(store, bytes);
        t.equal(digest, createHash('sha256').update(bytes).digest('hex'));
        t.equal(await putBlob(store, bytes), digest, 'putting again gives the same');
        t.equal(await blobLength(store, digest), length);
        t.ok(Buffer.from(bytes).equals((await blobBytes(store, digest))!));
      }
      t.equal(await blobBytes(store, '0'.repeat(64)), undefined);
    }),
  );

  claim('a blob put in a transaction that fails is not there', (t) =>
    within(place(), [blobSchema], async (store) => {
      let digest = '';
      const work = store.transaction(async (tx) => {
        digest = await putBlobIn(tx, bytesOf(10));
        throw new Error('no');
      });
      await t.rejects(work);
      t.equal(await hasBlob(store, digest), false);
    }),
  );

  claim('bytes that were changed in the store are never handed out', (t) =>
    within(place(), [blobSchema], async (store) => {
      const digest = await putBlob(store, bytesOf(10));
      const chunks = blobSchema.tables[1] as Table<Columns, string>;
      const key = { digest, n: 0n };
      await store.transaction((tx) => tx.update(chunks, key, { bytes: bytesOf(11).subarray(0, 10) }));
      await t.rejects(blobBytes(store, digest), { code: 'STORE_UNAVAILABLE' });
      await store.transaction((tx) => tx.delete(chunks, key));
      await t.rejects(blobBytes(store, digest), { code: 'STORE_UNAVAILABLE' });
    }),
  );

  async function fill(store: Store): Promise<void> {
    await write(store, [1n, 2n, 3n]);
    await putBlob(store, bytesOf(chunkBytes + 9));
    await store.transaction(async (tx) => {
      const b = new Uint8Array([0, 10, 255]);
      await tx.insert(every, {
        a: 'line\nbreak "quoted" €',
        b,
        c: -(2n ** 63n),
        d: 0.1,
        e: { x: [1, null] },
        f: '',
      });
      await tx.insert(every, { a: 'nulls', b: new Uint8Array() });
    });
  }

  async function contents(store: Store) {
    const tables = [];
    for await (const { table, rows } of store.dump()) {
      const list = [];
      for await (const row of rows) list.push(text(row));
      tables.push([table.name, table.columns, table.key, table.indexes, list.sort()]);
    }
    return tables.sort(byText);
  }
  const hex = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const text = (value: unknown) =>
    JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}` : v instanceof Uint8Array ? hex(v) : v));
  const byText = (a: unknown, b: unknown) => (text(a) < text(b) ? -1 : 1);

  claim('a restored backup is the store that was backed up', async (t) => {
    const file = path.join(folder, 'whole');
    const before = await within(place(), everything, async (store) => {
      await fill(store);
      const summary = await backupTo(store, file);
      t.equal(summary.sha256, createHash('sha256').update(allButLastLine(file)).digest('hex'));
      await t.rejects(backupTo(store, file), { code: 'CONFLICT' });
      return contents(store);
    });
    const where = place();
    await within(where, [], async (store) => {
      await restoreFrom(store, file);
      t.strictSame(await contents(store), before);
    });
    await within(where, everything, async (store) => {
      await t.rejects(write(store, [1n]), { name: 'DuplicateKey' });
      const c = -(2n ** 63n);
      const again = store.transaction((tx) => tx.insert(every, { a: 'z', b: bytesOf(1), c }));
      await t.rejects(again, { name: 'DuplicateKey', index: ['c'] }, 'unique indexes came along');
    });
  });

  claim('a store with rows is restored only when told to; a damaged file never', async (t) => {
    const file = path.join(folder, 'small');
    await within(place(), [first], async (store) => {
      await write(store, [1n, 2n]);
      await backupTo(store, file);
    });
    await within(place(), everything, async (store) => {
      await write(store, [7n]);
      await t.rejects(restoreFrom(store, file), { code: 'CONFLICT' });
      const good = readFileSync(file, 'utf8');
      const damage: [string, string][] = [
        ['a changed row', good.replace('"xx"', '"xy"')],
        ['a lost line', good.replace(/\["1",.*\n/, '')],
        ['a cut end', allButLastLine(file)],
        ['half a file', good.slice(0, good.length / 2)],
        ['another format', `{"format":"other"}\n${good}`],
        ['nothing', ''],
      ];
      for (const [what, content] of damage) {
        const bad = path.join(folder, 'bad');
        writeFileSync(bad, content);
        await t.rejects(restoreFrom(store, bad, { replace: true }), { code: 'INVALID_INPUT' }, what);
      }
      t.same(
        (await store.find(notes)).map((r) => r.id),
        [7n],
        'refused restores changed nothing',
      );
      await restoreFrom(store, file, { replace: true });
      t.same(
        (await store.find(notes)).map((r) => r.id),
        [1n, 2n],
      );
      t.equal(await hasBlob(store, '0'.repeat(64)), false, 'tables that the backup lacks are made again');
    });
  });

  claim('a restore is refused while another process has the store open', async (t) => {
    const file = path.join(folder, 'in-use');
    const where = place();
    await within(where, [first], async (store) => {
      await write(store, [1n]);
      await backupTo(store, file);
      await write(store, [2n]);
      await within(where, [first], async (other) => {
        const refused = { code: 'CONFLICT', message: /has this store open: stop the nodes/ };
        await t.rejects(restoreFrom(store, file, { replace: true }), refused);
        t.equal(await other.count(notes), 2, 'nothing was changed');
        await write(other, [3n]);
      });
      await restoreFrom(store, file, { replace: true });
      t.equal(await store.count(notes), 1, 'and not when it is gone');
      await within(where, [first], async (other) => t.equal(await other.count(notes), 1));
    });
  });

  claim('a restore that breaks off half way leaves everything as it was', (t) =>
    within(place(), [first], async (store) => {
      await write(store, [7n]);
      async function* breaking() {
        yield { table: notes as unknown as Table, rows: brokenRows() };
      }
      async function* brokenRows() {
        yield { id: 1n, text: 'x' };
        throw new Error('the disk is gone');
      }
      await t.rejects(store.load(breaking()), /the disk is gone/);
      t.same(
        (await store.find(notes)).map((r) => r.id),
        [7n],
      );
    }),
  );

  claim('a backup of an older version is migrated when it is restored', async (t) => {
    const file = path.join(folder, 'older');
    await within(place(), [first], async (store) => {
      await write(store, [4n]);
      await backupTo(store, file);
    });
    await within(place(), [measured], async (store) => {
      await restoreFrom(store, file);
      t.equal((await store.get(notesNow, { id: 4n }))?.length, 4n);
    });
  });
}
