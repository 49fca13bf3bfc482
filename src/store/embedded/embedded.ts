import { chmodSync } from 'node:fs';
import path from 'node:path';
import { Refusal } from '../../errors/refusal.ts';
import { ownFolder } from '../own-folder.ts';
import {
  changedTables,
  isFresh,
  metaTables,
  migrationsTable,
  pendingMigrations,
  recordOf,
  type Schema,
  structureChange,
  tableOfRecord,
  tablesTable,
} from '../schema.ts';
import type { DumpedTable, Reader, Store, Transaction } from '../store.ts';
import type { Row, Table } from '../table.ts';
import { CommitQueue } from './commit-queue.ts';
import { Connection } from './connection.ts';
import { translated } from './errors.ts';
import { asReader, EmbeddedReader } from './reader.ts';
import { addColumn, createIndex, createTable, dropIndex } from './sql.ts';
import { EmbeddedTransaction } from './transaction.ts';
import { UseLock } from './use-lock.ts';

export interface EmbeddedOptions {
  /** Made if it is not there. The store is `store.db` in it, with `-wal` and `-shm`; `store.lock` says who has it open. */
  readonly dataDir: string;
  /** The store never grows beyond this; writes that would are refused. */
  readonly maxBytes?: number;
}

const pageBytes = 4096;
/** Rows read at once in a dump; a table with blobs may hold 4 MiB a row. */
const dumpRows = { small: 500, large: 4 };

/** The default store: one SQLite file. Several processes may have it open at once. */
export class EmbeddedStore extends EmbeddedReader {
  readonly description: string;
  readonly #file: string;
  readonly #writer: Connection;
  readonly #queue: CommitQueue;
  readonly #schemas: readonly Schema[];
  #use: UseLock | undefined;

  private constructor(file: string, schemas: readonly Schema[]) {
    super(new Connection(file, 2_000));
    this.description = `embedded ${file}`;
    this.#file = file;
    this.#schemas = schemas;
    this.#writer = new Connection(file, 5_000);
    this.#queue = new CommitQueue(this.#writer);
  }

  static async open(options: EmbeddedOptions, schemas: readonly Schema[]): Promise<Store> {
    makeFolder(options.dataDir);
    const file = path.join(options.dataDir, 'store.db');
    const store = new EmbeddedStore(file, schemas);
    try {
      // SQLite gives the files beside it the same rights.
      chmodSync(file, 0o600);
      store.#use = new UseLock(path.join(options.dataDir, 'store.lock'));
      store.#configure(options);
      await store.#migrate();
    } catch (error) {
      await store.close();
      throw translated(error);
    }
    return store as unknown as Store;
  }

  /** WAL: readers and the writer do not wait for each other. FULL: a commit is on the disk when it returns. */
  #configure(options: EmbeddedOptions): void {
    this.#writer.rows({ text: 'PRAGMA journal_mode = WAL', values: [] });
    this.#writer.exec('PRAGMA synchronous = FULL');
    this.connection.exec('PRAGMA query_only = ON');
    if (options.maxBytes !== undefined) {
      const pages = Math.max(1, Math.floor(options.maxBytes / pageBytes));
      this.#writer.rows({ text: `PRAGMA max_page_count = ${pages}`, values: [] });
    }
    // From here on waiting for another process is the queue's matter (commit-queue.ts).
    this.#writer.rows({ text: 'PRAGMA busy_timeout = 20', values: [] });
  }

  transaction<R>(work: (tx: Transaction) => Promise<R>): Promise<R> {
    return this.#queue.add(async () => {
      const tx = new EmbeddedTransaction(this.#writer);
      try {
        return tx.finished(await work(tx as unknown as Transaction));
      } finally {
        tx.close();
      }
    });
  }

  async #migrate(): Promise<void> {
    await this.transaction(async (tx) => {
      if (!this.#hasMeta()) for (const t of metaTables) this.#create(t);
      await this.#applyStructure(tx);
    });
    this.#writer.forgetStatements();
  }

  #hasMeta(): boolean {
    const text = 'SELECT 1 FROM sqlite_schema WHERE name = ?';
    return this.#writer.row({ text, values: [tablesTable.name] }) !== undefined;
  }

  #create(t: Table): void {
    this.#writer.exec(createTable(t));
    for (const index of t.indexes) this.#writer.exec(createIndex(t, index));
  }

  async #applyStructure(tx: Transaction): Promise<void> {
    const recorded = (await tx.find(tablesTable)).map(tableOfRecord);
    const change = structureChange(
      recorded,
      this.#schemas.flatMap((s) => s.tables),
    );
    for (const t of change.create) this.#create(t);
    for (const { table, column } of change.addColumns) this.#writer.exec(addColumn(table, column));
    for (const { table, index } of change.dropIndexes) this.#writer.exec(dropIndex(table, index));
    for (const { table, index } of change.addIndexes) this.#writer.exec(createIndex(table, index));
    for (const t of changedTables(change)) await tx.put(tablesTable, recordOf(t));
    for (const schema of this.#schemas) await this.#applyMigrations(tx, schema, isFresh(schema, recorded));
  }

  async #applyMigrations(tx: Transaction, schema: Schema, fresh: boolean): Promise<void> {
    const applied = await tx.find(migrationsTable, { where: { feature: schema.feature } });
    const pending = pendingMigrations(schema, new Set(applied.map((m) => m.name)));
    for (const [i, migration] of pending.entries()) {
      if (!fresh) await migration.run(tx);
      const position = BigInt(applied.length + i);
      await tx.insert(migrationsTable, { feature: schema.feature, name: migration.name, position });
    }
  }

  /** On a connection of its own, inside one read transaction: one moment, whatever is written meanwhile. */
  async *dump(): AsyncIterable<DumpedTable> {
    const connection = new Connection(this.#file, 2_000);
    try {
      connection.exec('BEGIN');
      const reader = asReader(new EmbeddedReader(connection));
      const recorded = (await reader.find(tablesTable)).map(tableOfRecord);
      for (const table of [...metaTables, ...recorded]) yield { table, rows: rowsOf(reader, table) };
    } finally {
      connection.close();
    }
  }

  load(tables: AsyncIterable<DumpedTable>): Promise<void> {
    return this.#use!.alone(() => this.#replace(tables));
  }

  async #replace(tables: AsyncIterable<DumpedTable>): Promise<void> {
    await this.transaction(async (tx) => {
      this.#dropAll((await tx.find(tablesTable)).map(tableOfRecord));
      for await (const { table, rows } of tables) {
        this.#create(table);
        for await (const row of rows) await tx.insert(table, row as Row<Table>);
      }
    });
    this.#writer.forgetStatements();
    this.connection.forgetStatements();
    await this.#migrate();
  }

  #dropAll(recorded: readonly Table[]): void {
    for (const t of [...recorded, ...metaTables]) this.#writer.exec(`DROP TABLE "${t.name}"`);
    this.#writer.forgetStatements();
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    this.connection.close();
    this.#writer.close();
    this.#use?.close();
  }
}

function makeFolder(folder: string): void {
  try {
    ownFolder(folder);
  } catch (error) {
    const cause = (error as NodeJS.ErrnoException).code;
    throw new Refusal('STORE_UNAVAILABLE', `The data folder ${folder} cannot be made.`, { cause });
  }
}

async function* rowsOf(reader: Reader, t: Table): AsyncIterable<Record<string, unknown>> {
  const large = Object.values(t.columns).some((type) => type.startsWith('blob'));
  const limit = large ? dumpRows.large : dumpRows.small;
  let after: Record<string, unknown> | undefined;
  for (;;) {
    const rows: Record<string, unknown>[] = await reader.find(t, after ? { limit, after } : { limit });
    yield* rows;
    if (rows.length < limit) return;
    after = rows.at(-1)!;
  }
}
