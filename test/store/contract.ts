import fc from 'fast-check';
import t, { type Test } from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import type { Schema } from '../../src/store/schema.ts';
import { DuplicateKey, type Store } from '../../src/store/store.ts';
import { type NewRow, table } from '../../src/store/table.ts';

/** Opens the store of one test again and again: the same place each time that `place` is the same. */
export type Open = (place: string, schemas: readonly Schema[]) => Promise<Store>;

const things = table({
  name: 'things',
  key: ['id'],
  columns: {
    id: 'text',
    amount: 'int64',
    weight: 'real?',
    bytes: 'blob?',
    data: 'json?',
    owner: 'text?',
    serial: 'text?',
  },
  indexes: [{ columns: ['owner', 'amount'] }, { columns: ['serial'], unique: true }],
});

const steps = table({
  name: 'steps',
  key: ['run', 'n'],
  columns: { run: 'text', n: 'int64', digest: 'blob' },
});

export const schema: Schema = { feature: 'contract', tables: [things, steps] };

function thing(id: string, more: Partial<NewRow<typeof things>> = {}): NewRow<typeof things> {
  return { id, amount: 0n, ...more };
}

const insertAll = (store: Store, rows: NewRow<typeof things>[]) =>
  store.transaction(async (tx) => {
    for (const row of rows) await tx.insert(things, row);
  });

/** The store contract: every adapter passes it unchanged. */
export function run(name: string, open: Open): void {
  let places = 0;
  const fresh = () => open(`${name}-${++places}`, [schema]);

  async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
    const store = await fresh();
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }

  const claim = (title: string, work: (store: Store, t: Test) => Promise<void>) =>
    t.test(`${name}: ${title}`, (t) => withStore((store) => work(store, t)));

  claim('a row comes back as it was written, at the edges of every type', async (store, t) => {
    const row = {
      id: 'ä€𝄞',
      amount: -(2n ** 63n),
      weight: 5e-324,
      bytes: new Uint8Array([0, 255, 7]),
      data: { $set: 1, 'a.b': [null, 'x', { deep: true }], zero: 0 },
      owner: '',
      serial: null,
    };
    await insertAll(store, [
      row,
      thing('max', { amount: 2n ** 63n - 1n, weight: -1.5, bytes: new Uint8Array() }),
    ]);
    t.same(await store.get(things, { id: 'ä€𝄞' }), row);
    t.same(await store.get(things, { id: 'max' }), {
      id: 'max',
      amount: 2n ** 63n - 1n,
      weight: -1.5,
      bytes: new Uint8Array(),
      data: null,
      owner: null,
      serial: null,
    });
    t.equal(await store.get(things, { id: 'none' }), undefined);
  });

  claim('what would come back changed is refused on the way in', async (store, t) => {
    const refused = (row: object) =>
      t.rejects(insertAll(store, [{ ...thing('x'), ...row } as NewRow<typeof things>]));
    await refused({ id: 'nul\u0000' });
    await refused({ id: 'lone \ud800' });
    await refused({ amount: 2n ** 63n });
    await refused({ amount: 5 });
    await refused({ amount: null });
    await refused({ weight: Number.NaN });
    await refused({ weight: Number.POSITIVE_INFINITY });
    await refused({ unknown: 1 });
    t.equal(await store.count(things), 0);
  });

  claim('a second row under a key is a DuplicateKey that names the index', async (store, t) => {
    await insertAll(store, [thing('a', { serial: 's1' })]);
    const key = await insertAll(store, [thing('a')]).catch((e: unknown) => e);
    t.ok(key instanceof DuplicateKey);
    t.match(key, { table: 'things', index: ['id'] });
    const unique = await insertAll(store, [thing('b', { serial: 's1' })]).catch((e: unknown) => e);
    t.match(unique, { name: 'DuplicateKey', table: 'things', index: ['serial'] });
    await insertAll(store, [thing('c'), thing('d')]);
    t.equal(await store.count(things), 3, 'a unique index lets any number of nulls be');
  });

  claim('a DuplicateKey that the work swallows still ends the transaction', async (store, t) => {
    await insertAll(store, [thing('a')]);
    const work = store.transaction(async (tx) => {
      await tx.insert(things, thing('b'));
      await tx.insert(things, thing('a')).catch(() => undefined);
    });
    await t.rejects(work, { name: 'DuplicateKey' });
    t.equal(await store.get(things, { id: 'b' }), undefined);
  });

  claim('a transaction lands whole or not at all', async (store, t) => {
    const failing = store.transaction(async (tx) => {
      await tx.insert(things, thing('a'));
      await tx.put(things, thing('b'));
      throw new Refusal('CONFLICT', 'no');
    });
    await t.rejects(failing, { code: 'CONFLICT' });
    t.equal(await store.count(things), 0);
  });

  claim('a transaction sees its own writes and others do not until it commits', async (store, t) => {
    await store.transaction(async (tx) => {
      await tx.insert(things, thing('a', { amount: 4n }));
      t.equal((await tx.get(things, { id: 'a' }))?.amount, 4n);
      t.equal(await tx.sum(things, 'amount'), 4n);
      t.equal((await tx.page(things, { limit: 1 })).total, 1);
      t.equal(await store.get(things, { id: 'a' }), undefined);
    });
    t.equal((await store.get(things, { id: 'a' }))?.amount, 4n);
  });

  claim('of works committed together one that fails takes back only itself', async (store, t) => {
    const works = Array.from({ length: 20 }, (_, i) =>
      store.transaction(async (tx) => {
        await tx.insert(things, thing(`w${i}`));
        if (i % 5 === 3) throw new Refusal('CONFLICT', 'no');
      }),
    );
    const settled = await Promise.allSettled(works);
    t.equal(settled.filter((s) => s.status === 'rejected').length, 4);
    t.equal(await store.count(things), 16);
    t.equal(await store.get(things, { id: 'w3' }), undefined);
  });

  claim('update changes a row only where it still has the expected values', async (store, t) => {
    await insertAll(store, [thing('a', { amount: 1n })]);
    const update = (changes: object, expected?: object) =>
      store.transaction((tx) => tx.update(things, { id: 'a' }, changes, expected));
    t.equal(await update({ amount: 2n, owner: 'me' }, { amount: 1n, owner: null }), true);
    t.equal(await update({ amount: 3n }, { amount: 1n }), false);
    t.equal(await update({ amount: 3n }, { amount: { gte: 2n } }), true);
    t.equal(await update({ owner: null }), true);
    t.match(await store.get(things, { id: 'a' }), { amount: 3n, owner: null });
    t.equal(await store.transaction((tx) => tx.update(things, { id: 'no' }, { amount: 1n })), false);
  });

  claim('put replaces every column; delete can expect too', async (store, t) => {
    await insertAll(store, [thing('a', { amount: 1n, owner: 'me' })]);
    await store.transaction((tx) => tx.put(things, thing('a', { amount: 2n })));
    t.match(await store.get(things, { id: 'a' }), { amount: 2n, owner: null });
    const remove = (expected?: object) => store.transaction((tx) => tx.delete(things, { id: 'a' }, expected));
    t.equal(await remove({ amount: 1n }), false);
    t.equal(await remove({ amount: 2n }), true);
    t.equal(await remove(), false);
  });

  claim('an incomplete key is an error, never a wider condition', async (store, t) => {
    await t.rejects(
      store.transaction((tx) => tx.delete(steps, { run: 'r' } as never)),
      TypeError,
    );
    await t.rejects(store.get(steps, { n: 1n } as never), TypeError);
  });

  claim('concurrent counters lose no increment', async (store, t) => {
    await insertAll(store, [thing('n')]);
    const increment = () =>
      store.transaction(async (tx) => {
        const row = (await tx.get(things, { id: 'n' }))!;
        await tx.update(things, { id: 'n' }, { amount: row.amount + 1n }, { amount: row.amount });
      });
    await Promise.all(Array.from({ length: 12 }, increment));
    t.equal((await store.get(things, { id: 'n' }))?.amount, 12n);
  });

  claim('find, page and count agree with filtering and sorting in memory', async (store, t) => {
    const rows = Array.from({ length: 60 }, (_, i) =>
      thing(`k${String((i * 37) % 60).padStart(2, '0')}`, {
        amount: BigInt(i % 7),
        owner: i % 4 === 0 ? null : `o${i % 3}`,
        weight: i / 8,
      }),
    );
    await insertAll(store, rows);
    const byId = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1)).map((r) => r.id);
    t.same(
      (await store.find(things)).map((r) => r.id),
      byId,
    );
    const where = { amount: { gte: 2n, lt: 5n }, owner: { in: ['o1', 'o2'] } };
    const fit = rows.filter((r) => r.amount >= 2n && r.amount < 5n && (r.owner === 'o1' || r.owner === 'o2'));
    const order = [...fit].sort((a, b) =>
      a.amount === b.amount ? (a.id < b.id ? -1 : 1) : a.amount > b.amount ? -1 : 1,
    );
    const orderBy = { amount: 'desc', id: 'asc' } as const;
    t.same(
      (await store.find(things, { where, orderBy })).map((r) => r.id),
      order.map((r) => r.id),
    );
    const page = await store.page(things, { where, orderBy, limit: 4, offset: 3 });
    t.equal(page.total, fit.length);
    t.same(
      page.rows.map((r) => r.id),
      order.slice(3, 7).map((r) => r.id),
    );
    t.equal(await store.count(things, { owner: null }), 15);
    t.equal(await store.count(things, { amount: { in: [] } }), 0);
    t.equal(
      await store.count(things, { owner: { gt: 'o0' } }),
      rows.filter((r) => r.owner && r.owner > 'o0').length,
    );
  });

  claim('pages that go on after a row repeat none and skip none', async (store, t) => {
    await insertAll(
      store,
      Array.from({ length: 25 }, (_, i) => thing(`k${i}`, { amount: BigInt(i % 3) })),
    );
    for (const orderBy of [{ amount: 'asc' }, { amount: 'desc' }, { amount: 'desc', id: 'asc' }] as const) {
      const all = await store.find(things, { orderBy });
      const seen = [];
      for (let after = undefined as (typeof all)[number] | undefined; ; ) {
        const rows = await store.find(things, { orderBy, limit: 4, ...(after && { after }) });
        seen.push(...rows);
        if (rows.length < 4) break;
        after = rows.at(-1);
      }
      t.same(seen, all);
    }
  });

  claim('sums are exact beyond 64 bits and for negative numbers', async (store, t) => {
    const amounts = [
      2n ** 63n - 1n,
      2n ** 63n - 1n,
      2n ** 63n - 5n,
      -1n,
      -(2n ** 63n),
      2n ** 53n + 1n,
      -4294967297n,
    ];
    await insertAll(
      store,
      amounts.map((amount, i) => thing(`s${i}`, { amount, owner: i % 2 === 0 ? 'even' : 'odd' })),
    );
    const sum = (list: bigint[]) => list.reduce((a, b) => a + b, 0n);
    t.equal(await store.sum(things, 'amount'), sum(amounts));
    t.equal(await store.sum(things, 'amount', { owner: 'nobody' }), 0n);
    t.same(await store.sumBy(things, 'amount', ['owner']), [
      { owner: 'even', sum: sum(amounts.filter((_, i) => i % 2 === 0)) },
      { owner: 'odd', sum: sum(amounts.filter((_, i) => i % 2 === 1)) },
    ]);
  });

  claim('composite keys with bytes work, and bytes belong to the caller', async (store, t) => {
    const digest = new Uint8Array([1, 2, 3]);
    await store.transaction((tx) => tx.insert(steps, { run: 'r', n: 1n, digest }));
    digest[0] = 99;
    t.same((await store.get(steps, { run: 'r', n: 1n }))?.digest, new Uint8Array([1, 2, 3]));
    t.equal(await store.count(steps, { digest: new Uint8Array([1, 2, 3]) }), 1);
    await t.rejects(store.find(steps, { where: { digest: { gt: digest } } }), TypeError);
  });

  claim('any sequence of writes ends as it does in a map', async (store, t) => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const amount = fc.bigInt({ min: -5n, max: 5n });
    const operation = fc.record({ verb: fc.constantFrom('put', 'delete', 'update', 'fail'), id, amount });
    let round = 0;
    const property = fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
      const run = `r${++round}`;
      const model = new Map<string, bigint>();
      for (const { verb, id, amount } of operations) {
        const key = { run: `${run}${id}`, n: 0n };
        const digest = new TextEncoder().encode(String(amount));
        const work = store.transaction(async (tx) => {
          if (verb === 'put' || verb === 'fail') await tx.put(steps, { ...key, digest });
          if (verb === 'update') await tx.update(steps, key, { digest });
          if (verb === 'delete') await tx.delete(steps, key);
          if (verb === 'fail') throw new Refusal('CONFLICT', 'no');
        });
        await work.catch(() => undefined);
        if (verb === 'put' || (verb === 'update' && model.has(key.run))) model.set(key.run, amount);
        if (verb === 'delete') model.delete(key.run);
      }
      const rows = await store.find(steps, { where: { run: { gte: run, lt: `${run}~` } } });
      const stored = rows.filter((r) => r.run.length === run.length + 1);
      t.strictSame(
        stored.map((r) => [r.run, new TextDecoder().decode(r.digest)]),
        [...model].sort().map(([k, v]) => [k, String(v)]),
      );
    });
    await fc.assert(property, { numRuns: 15, seed: 42 });
  });
}
