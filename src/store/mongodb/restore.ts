import type { Db } from 'mongodb';
import type { DumpedTable } from '../store.ts';
import { documentOf, indexSpecs } from './documents.ts';
import { presenceName } from './presence.ts';

/**
 * A restore that is all or nothing without one huge transaction: everything is first loaded into collections with a
 * prefix; then one record names them, and from that moment on the switch is finished by whoever comes next, here or
 * when the store is opened again after a crash.
 */
const staged = 'svc_restore_';
const switchRecord = 'svc_restore';
const batchBytes = 8 * 1024 * 1024;

type SwitchRecord = { _id: string; names: string[] };

async function collectionNames(db: Db): Promise<string[]> {
  return (await db.listCollections({}, { nameOnly: true }).toArray()).map((c) => c.name);
}

/** Loads and switches. @throws whatever the source, the server or `mayI` throws; the store then is as it was */
export async function loadStaged(
  db: Db,
  tables: AsyncIterable<DumpedTable>,
  mayI: () => Promise<void>,
): Promise<void> {
  await dropStaged(db);
  const names: string[] = [];
  for await (const dumped of tables) {
    await stage(db, dumped);
    names.push(dumped.table.name);
  }
  await mayI();
  await db.collection<SwitchRecord>(switchRecord).insertOne({ _id: 'switch', names });
  await finishSwitch(db);
}

async function dropStaged(db: Db): Promise<void> {
  for (const name of await collectionNames(db)) if (name.startsWith(staged)) await db.dropCollection(name);
}

async function stage(db: Db, { table, rows }: DumpedTable): Promise<void> {
  const collection = db.collection(staged + table.name);
  await db.createCollection(collection.collectionName);
  let batch: ReturnType<typeof documentOf>[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length > 0) await collection.insertMany(batch, { ordered: true });
    batch = [];
    bytes = 0;
  };
  for await (const row of rows) {
    batch.push(documentOf(table, row));
    bytes += sizeOf(row);
    if (bytes >= batchBytes || batch.length >= 1000) await flush();
  }
  await flush();
  for (const { name, fields, options } of indexSpecs(table))
    await collection.createIndex(fields, { name, ...options });
}

function sizeOf(row: Record<string, unknown>): number {
  return Object.values(row).reduce<number>((sum, v) => sum + (v instanceof Uint8Array ? v.length : 100), 0);
}

/** Puts a fully loaded restore in the place of what was there. Does nothing when there is none; may be repeated. */
export async function finishSwitch(db: Db): Promise<void> {
  const record = await db.collection<SwitchRecord>(switchRecord).findOne({ _id: 'switch' });
  if (record === null) return;
  const there = await collectionNames(db);
  for (const name of record.names)
    if (there.includes(staged + name)) await db.collection(staged + name).rename(name, { dropTarget: true });
  for (const name of there) if (!isOurs(name) && !record.names.includes(name)) await db.dropCollection(name);
  await db.dropCollection(switchRecord);
}

const isOurs = (name: string): boolean =>
  name === switchRecord || name === presenceName || name.startsWith(staged);
