import { Refusal } from '../errors/refusal.ts';
import type { Transaction } from './store.ts';
import {
  type Columns,
  type ColumnType,
  type Index,
  indexName,
  isNullable,
  type Table,
  table,
} from './table.ts';

/** A step that rewrites data once, in a transaction of its own together with the note that it was done. */
export interface Migration {
  readonly name: string;
  run(tx: Transaction): Promise<void>;
}

/**
 * What one feature keeps. Missing tables, nullable columns and indexes are made when a store is opened; what needs
 * data to change is a migration. Migrations are only ever appended to the list.
 */
export interface Schema {
  readonly feature: string;
  readonly tables: readonly Table[];
  readonly migrations?: readonly Migration[];
}

/** The store's record of the tables that it holds, so that a backup needs no declarations. */
export const tablesTable = table({
  name: 'svc_tables',
  key: ['name'],
  columns: { name: 'text', columns: 'json', key_columns: 'json', indexes: 'json' },
});

/** The store's record of the migrations that were run. */
export const migrationsTable = table({
  name: 'svc_migrations',
  key: ['feature', 'name'],
  columns: { feature: 'text', name: 'text', position: 'int64' },
});

export const metaTables: readonly Table[] = [tablesTable, migrationsTable];

export interface StructureChange {
  readonly create: readonly Table[];
  readonly addColumns: readonly { table: Table; column: string; type: ColumnType }[];
  readonly addIndexes: readonly { table: Table; index: Index }[];
  readonly dropIndexes: readonly { table: Table; index: Index }[];
}

export function recordOf(t: Table) {
  return { name: t.name, columns: t.columns, key_columns: t.key, indexes: t.indexes };
}

export function tableOfRecord(record: {
  name: string;
  columns: unknown;
  key_columns: unknown;
  indexes: unknown;
}) {
  return table({
    name: record.name,
    columns: record.columns as Columns,
    key: record.key_columns as string[],
    indexes: record.indexes as Index[],
  });
}

function refuseNewer(what: string): never {
  throw new Refusal(
    'STORE_UNAVAILABLE',
    `This store was written by a newer version (${what}); open it with that version, or restore an older backup.`,
  );
}

function newColumns(recorded: Table, declared: Table) {
  for (const [column, type] of Object.entries(recorded.columns)) {
    const now = declared.columns[column];
    if (now === undefined) refuseNewer(`${recorded.name}.${column} is not known here`);
    if (now !== type) refuseNewer(`${recorded.name}.${column} is ${type} there and ${now} here`);
  }
  if (recorded.key.join() !== declared.key.join()) refuseNewer(`the key of ${recorded.name} differs`);
  const added = Object.entries(declared.columns).filter(([column]) => recorded.columns[column] === undefined);
  for (const [column, type] of added)
    if (!isNullable(type))
      throw new TypeError(`${declared.name}.${column}: a column added to a table must be nullable`);
  return added.map(([column, type]) => ({ table: declared, column, type }));
}

function withoutIndexesOf(from: Table, other: Table) {
  const names = new Set(other.indexes.map((i) => indexName(other.name, i)));
  return from.indexes
    .filter((i) => !names.has(indexName(from.name, i)))
    .map((index) => ({ table: from, index }));
}

/** What must change so that the recorded tables become the declared ones. Tables of other features are left alone. */
export function structureChange(recorded: readonly Table[], declared: readonly Table[]): StructureChange {
  const known = new Map(recorded.map((t) => [t.name, t]));
  const kept = declared.flatMap((t) => (known.has(t.name) ? [[known.get(t.name)!, t] as const] : []));
  return {
    create: declared.filter((t) => !known.has(t.name)),
    addColumns: kept.flatMap(([before, now]) => newColumns(before, now)),
    addIndexes: kept.flatMap(([before, now]) => withoutIndexesOf(now, before)),
    dropIndexes: kept.flatMap(([before, now]) =>
      // The record is written from the table as it is declared now.
      withoutIndexesOf(before, now).map(({ index }) => ({ table: now, index })),
    ),
  };
}

/** The declared tables that differ from their record, for rewriting it. */
export function changedTables(change: StructureChange): Table[] {
  const tables = [
    ...change.create,
    ...[...change.addColumns, ...change.addIndexes, ...change.dropIndexes].map((c) => c.table),
  ];
  return [...new Map(tables.map((t) => [t.name, t])).values()];
}

/** Migrations still to run, in order; `fresh` when none of the feature's tables was there before. */
export function pendingMigrations(schema: Schema, applied: ReadonlySet<string>): readonly Migration[] {
  const declared = schema.migrations ?? [];
  const names = new Set(declared.map((m) => m.name));
  for (const name of applied)
    if (!names.has(name)) refuseNewer(`migration ${schema.feature}/${name} is not known here`);
  return declared.filter((m) => !applied.has(m.name));
}

/** A feature none of whose tables was recorded is new here: its tables have today's shape, nothing to migrate. */
export function isFresh(schema: Schema, recorded: readonly Table[]): boolean {
  const names = new Set(recorded.map((t) => t.name));
  return !schema.tables.some((t) => names.has(t.name));
}
