import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Table, table } from '../../src/store/table.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { alternatingMedians, secondsOf } from '../timing.ts';

const things = table({ name: 'things', key: ['id'], columns: { id: 'text', n: 'int64' } });
const schemas = [{ feature: 'bench', tables: [things as unknown as Table] }];

/** libsql alone: a durable commit per row, with the settings of the embedded store. */
export function rawCommits(folder: string): (count: number) => Promise<number> {
  const database = new Database(join(folder, 'raw.db'));
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, n INTEGER) STRICT, WITHOUT ROWID');
  const insert = database.prepare('INSERT INTO things VALUES (?, ?)');
  let n = 0;
  return async (count) => {
    const seconds = await secondsOf(() => {
      for (let i = 0; i < count; i++) insert.run([`t${n++}`, BigInt(i)]);
    });
    return count / seconds;
  };
}

/** Keeps `inFlight` works going until `count` are done; works a second. */
export async function rateInFlight(
  count: number,
  inFlight: number,
  work: (n: number) => Promise<unknown>,
): Promise<number> {
  let started = 0;
  const seconds = await secondsOf(() =>
    Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (started < count) await work(started++);
      }),
    ),
  );
  return count / seconds;
}

async function measure(store: Store, folder: string): Promise<Row[]> {
  const raw = rawCommits(folder);
  const count = quick ? 200 : 4000;
  let n = 0;
  const insert = () => store.transaction((tx) => tx.insert(things, { id: `t${n++}`, n: 1n }));
  const rates = await alternatingMedians(quick ? 1 : 3, {
    raw: () => raw(count / 5),
    one: () => rateInFlight(count / 5, 1, insert),
    many: () => rateInFlight(count, 256, insert),
    read: () => rateInFlight(count, 64, (i) => store.get(things, { id: `t${i}` })),
  });
  const against = 'libsql, a commit a row';
  const row = (figure: string, value: number) =>
    rated({ figure: `store: ${figure}`, value, unit: 'commits/s', against, peer: rates.raw });
  return [
    row('durable commits, one at a time', rates.one),
    row('durable commits, 256 in flight', rates.many),
    { figure: 'store: reads by key', value: rates.read, unit: 'reads/s' },
  ];
}

async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-store-'));
  const store = await openStore({ dataDir: folder }, schemas);
  try {
    return await measure(store, folder);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

export const figure: Figure = {
  title: 'store: durable commits of one row → commits/s, against libsql alone',
  run,
};
