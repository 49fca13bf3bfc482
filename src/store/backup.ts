import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Refusal } from '../errors/refusal.ts';
import { recordOf, tableOfRecord, tablesTable } from './schema.ts';
import type { DumpedTable, Store } from './store.ts';
import { baseType, type ColumnType, table as declare, type Table } from './table.ts';

/**
 * One format for every store: lines of JSON, ended by \n.
 *
 *     {"format":"svc-backup-1"}
 *     {"table":"blobs","columns":{"digest":"text","length":"int64"},"key":["digest"],"indexes":[]}
 *     ["e3b0c442…","0"]                       a row: its columns in the order of the table's line
 *     …
 *     {"sha256":"…","rows":1}                 SHA-256 of every byte before this line
 *
 * int64 is a decimal string, blob is base64, the rest is JSON. A backup shows one moment of the store.
 */
const format = 'svc-backup-1';

export interface BackupSummary {
  readonly rows: number;
  readonly tables: number;
  readonly sha256: string;
}

const encoders: Partial<Record<string, (value: never) => unknown>> = {
  int64: (value: bigint) => value.toString(),
  blob: (value: Uint8Array) => Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64'),
};

const decoders: Partial<Record<string, (value: never) => unknown>> = {
  int64: (value: string) => BigInt(value),
  blob: (value: string) => new Uint8Array(Buffer.from(value, 'base64')),
};

function encoded(type: ColumnType, value: unknown): unknown {
  return value === null ? null : (encoders[baseType(type)]?.(value as never) ?? value);
}

function decoded(type: ColumnType, value: unknown): unknown {
  return value === null ? null : (decoders[baseType(type)]?.(value as never) ?? value);
}

async function* linesOf(store: Store, count: { rows: number; tables: number }): AsyncIterable<string> {
  yield JSON.stringify({ format });
  for await (const { table, rows } of store.dump()) {
    count.tables++;
    const { name, columns, key, indexes } = table;
    yield JSON.stringify({ table: name, columns, key, indexes });
    const types = Object.entries(columns);
    for await (const row of rows) {
      count.rows++;
      yield JSON.stringify(types.map(([column, type]) => encoded(type, row[column])));
    }
  }
}

/**
 * Writes a backup of one moment of the store to a new file, readable by the owner only. The file appears when it is
 * whole and on the disk.
 * @throws Refusal CONFLICT if the file exists
 */
export async function backupTo(store: Store, file: string): Promise<BackupSummary> {
  const partial = `${file}.partial`;
  const count = { rows: 0, tables: 0 };
  const hash = createHash('sha256');
  const out = await open(partial, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw Object.assign(error, { path: file }); // the name that was asked for
  });
  try {
    for await (const line of linesOf(store, count)) {
      hash.update(`${line}\n`);
      await out.write(`${line}\n`);
    }
    const sha256 = hash.digest('hex');
    await out.write(`${JSON.stringify({ sha256, rows: count.rows })}\n`);
    await out.sync();
    await nameOnce(partial, file);
    return { ...count, sha256 };
  } finally {
    await out.close();
    await rm(partial, { force: true });
  }
}

/** A link, unlike a rename, never takes the place of a file that is there. */
async function nameOnce(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Refusal('CONFLICT', `${file} exists; a backup never overwrites a file.`, { field: 'file' });
  }
}

function refuseBackup(why: string): never {
  throw new Refusal('INVALID_INPUT', `This file is not a whole backup: ${why}.`, { field: 'file' });
}

function parsed(line: string): Record<string, unknown> | unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {}
  return refuseBackup('a line is not JSON');
}

/** The lines before the last, once the hash in the last has been compared with theirs at the end. */
async function* checkedLines(file: string): AsyncIterable<string> {
  const hash = createHash('sha256');
  let previous: string | undefined;
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (previous !== undefined) {
      hash.update(`${previous}\n`);
      yield previous;
    }
    previous = line;
  }
  const last = parsed(previous ?? '');
  if (Array.isArray(last) || last.sha256 === undefined) refuseBackup('its last line is missing');
  if (last.sha256 !== hash.digest('hex')) refuseBackup('its content does not have the hash of its last line');
}

/** Reads the whole file before anything is written. @throws Refusal INVALID_INPUT */
async function verify(file: string): Promise<void> {
  let first = true;
  for await (const line of checkedLines(file)) {
    const known = !first || (parsed(line) as Record<string, unknown>).format === format;
    if (!known) refuseBackup(`it does not begin with {"format":"${format}"}`);
    first = false;
  }
  if (first) refuseBackup('it is empty');
}

/** The tables of a backup. The rows of one must be read before the next is asked for. */
async function* tablesOf(file: string, count: { rows: number; tables: number }): AsyncIterable<DumpedTable> {
  const lines = checkedLines(file)[Symbol.asyncIterator]();
  await lines.next();
  let header = await lines.next();
  async function* rowsOf(t: Table): AsyncIterable<Record<string, unknown>> {
    const types = Object.entries(t.columns);
    for (
      header = await lines.next();
      !header.done && header.value.startsWith('[');
      header = await lines.next()
    ) {
      const values = parsed(header.value) as unknown[];
      count.rows++;
      yield Object.fromEntries(types.map(([column, type], i) => [column, decoded(type, values[i])]));
    }
  }
  while (!header.done) {
    const line = parsed(header.value) as Record<string, unknown>;
    const { columns, key, indexes } = line as unknown as Pick<Table, 'columns' | 'key' | 'indexes'>;
    count.tables++;
    const table = declare({ name: String(line.table), columns, key, indexes });
    yield { table, rows: rowsOf(table) };
  }
}

async function hasRows(store: Store): Promise<boolean> {
  for (const record of await store.find(tablesTable))
    if ((await store.find(tableOfRecord(record), { limit: 1 })).length > 0) return true;
  return false;
}

/** A table that a restore writes itself, in the place of what the backup holds of it. */
export interface TableBeside {
  readonly table: Table;
  readonly rows: readonly Record<string, unknown>[];
}

async function* withTable(
  tables: AsyncIterable<DumpedTable>,
  { table, rows }: TableBeside,
): AsyncIterable<DumpedTable> {
  const { name } = table;
  for await (const dumped of tables) {
    if (dumped.table.name === name) for await (const _ of dumped.rows);
    else if (dumped.table.name !== tablesTable.name) yield dumped;
    else yield { table: dumped.table, rows: recorded(dumped.rows, table) };
  }
  yield { table, rows: listed(rows) };
}

/** The records of the tables, with that of one more. */
async function* recorded(rows: DumpedTable['rows'], table: Table): DumpedTable['rows'] {
  for await (const row of rows) if (row.name !== table.name) yield row;
  yield recordOf(table);
}

async function* listed(rows: TableBeside['rows']): DumpedTable['rows'] {
  yield* rows;
}

/**
 * Puts a backup into a store, whole or not at all, after its hash was verified. An older backup is brought to today's
 * schema. `beside` is a table of a declared schema.
 * @throws Refusal INVALID_INPUT for a damaged file · CONFLICT for a store that has rows, unless `replace`, and for one
 *   that another process has open
 */
export async function restoreFrom(
  store: Store,
  file: string,
  options: { readonly replace?: boolean; readonly beside?: TableBeside } = {},
): Promise<Omit<BackupSummary, 'sha256'>> {
  await verify(file);
  if (!options.replace && (await hasRows(store)))
    throw new Refusal('CONFLICT', 'The store is not empty; a restore replaces everything only when told to.');
  const count = { rows: 0, tables: 0 };
  const tables = tablesOf(file, count);
  await store.load(options.beside ? withTable(tables, options.beside) : tables);
  return count;
}
