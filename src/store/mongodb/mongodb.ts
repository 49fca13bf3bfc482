import { type ClientSession, type Db, MongoClient, MongoServerError } from 'mongodb';
import {
  changedTables,
  isFresh,
  type Migration,
  metaTables,
  migrationsTable,
  pendingMigrations,
  recordOf,
  type Schema,
  type StructureChange,
  structureChange,
  tableOfRecord,
  tablesTable,
} from '../schema.ts';
import type { DumpedTable, Page, Query, Reader, Store, Transaction } from '../store.ts';
import { type Columns, indexName, type Table } from '../table.ts';
import { indexSpec, indexSpecs, rowOf } from './documents.ts';
import { commitError, requiresReplicaSet, translated } from './errors.ts';
import { Presence } from './presence.ts';
import { finishSwitch, loadStaged } from './restore.ts';
import { MongoReader, MongoTransaction } from './transaction.ts';

export interface MongoOptions {
  readonly mongoUri: string;
  readonly database: string;
}

/** A majority of the nodes has it in its journal before anybody is told that it is written. */
const writeConcern = { w: 'majority', journal: true } as const;
const transactionOptions = { readConcern: { level: 'snapshot' }, writeConcern } as const;
/** Transactions of one process at once: more of them meet in the same rows and are only tried again. */
const transactionsMax = 16;
const namespaceExists = 48;

/** The store of a deployment with several nodes: a database of a MongoDB replica set. */
export class MongoStore extends MongoReader {
  readonly description: string;
  readonly #client: MongoClient;
  readonly #schemas: readonly Schema[];
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #presence: Presence | undefined;

  private constructor(client: MongoClient, database: string, schemas: readonly Schema[]) {
    super(client.db(database));
    this.description = `mongodb ${client.options.hosts.join(',')} ${database}`;
    this.#client = client;
    this.#schemas = schemas;
  }

  static async open(options: MongoOptions, schemas: readonly Schema[]): Promise<Store> {
    const client = new MongoClient(options.mongoUri, {
      writeConcern,
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      useBigInt64: true,
      ...(/serverSelectionTimeoutMS=/i.test(options.mongoUri) ? {} : { serverSelectionTimeoutMS: 10_000 }),
      ignoreUndefined: false,
    });
    const store = new MongoStore(client, options.database, schemas);
    try {
      await client.connect();
      await store.#assertReplicaSet();
      store.#presence = await Presence.enter(store.db);
      await finishSwitch(store.db);
      await store.#migrate();
    } catch (error) {
      await store.close();
      throw translated(error);
    }
    return store as unknown as Store;
  }

  /** A replica set names itself in `hello`; a sharded cluster's router says `isdbgrid`. Both have transactions. */
  async #assertReplicaSet(): Promise<void> {
    const hello = await this.db.admin().command({ hello: 1 });
    const sessions = hello.logicalSessionTimeoutMinutes !== undefined;
    if (!sessions || (hello.setName === undefined && hello.msg !== 'isdbgrid')) throw requiresReplicaSet();
  }

  async transaction<R>(work: (tx: Transaction) => Promise<R>): Promise<R> {
    return this.#inTurn(async () => {
      const session = this.#client.startSession();
      const reached = { commit: false };
      try {
        return await this.#attempts(session, work, reached);
      } catch (error) {
        throw reached.commit ? commitError(error) : translated(error);
      } finally {
        await session.endSession();
      }
    });
  }

  /** The driver runs the callback again on a write conflict, and the commit on an unknown outcome. */
  #attempts<R>(
    session: ClientSession,
    work: (tx: Transaction) => Promise<R>,
    reached: { commit: boolean },
  ): Promise<R> {
    return session.withTransaction(async () => {
      reached.commit = false;
      const tx = new MongoTransaction(this.db, session);
      try {
        const value = tx.finished(await work(tx as unknown as Transaction));
        reached.commit = true;
        return value;
      } finally {
        tx.close();
      }
    }, transactionOptions);
  }

  async #inTurn<R>(work: () => Promise<R>): Promise<R> {
    if (this.#running >= transactionsMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  override page(t: Table, query: Query<Columns>): Promise<Page<Record<string, unknown>>> {
    return this.transaction((tx) => (tx as unknown as MongoReader).page(t, query));
  }

  async #migrate(): Promise<void> {
    for (const t of metaTables) await this.#create(t);
    const recorded = (await this.#records()).map(tableOfRecord);
    const change = structureChange(
      recorded,
      this.#schemas.flatMap((s) => s.tables),
    );
    await this.#restructure(change);
    const fresh = this.#schemas.filter((schema) => isFresh(schema, recorded));
    await this.transaction(async (tx) => {
      for (const t of changedTables(change)) await tx.put(tablesTable, recordOf(t));
      for (const schema of fresh) await this.#note(tx, schema, await this.#pending(tx, schema));
    });
    for (const schema of this.#schemas) await this.#runMigrations(schema);
  }

  /** Making a collection or an index that is there changes nothing, so processes may do it at the same time. */
  async #restructure(change: StructureChange): Promise<void> {
    for (const t of change.create) await this.#create(t);
    for (const { table, index } of change.dropIndexes)
      await this.db
        .collection(table.name)
        .dropIndex(indexName(table.name, index))
        .catch(() => undefined);
    for (const { table, index } of change.addIndexes) {
      const { name, fields, options } = indexSpec(table, index);
      await this.db.collection(table.name).createIndex(fields, { name, ...options });
    }
  }

  async #create(t: Table): Promise<void> {
    await createCollection(this.db, t.name);
    for (const { name, fields, options } of indexSpecs(t))
      await this.db.collection(t.name).createIndex(fields, { name, ...options });
  }

  async #records() {
    return (await (this as unknown as Reader).find(tablesTable)) as Parameters<typeof tableOfRecord>[0][];
  }

  async #pending(tx: Transaction, schema: Schema): Promise<readonly Migration[]> {
    const applied = await tx.find(migrationsTable, { where: { feature: schema.feature } });
    return pendingMigrations(schema, new Set(applied.map((m) => m.name)));
  }

  async #note(tx: Transaction, schema: Schema, migrations: readonly Migration[]): Promise<void> {
    for (const { name } of migrations) {
      const position = BigInt(schema.migrations!.findIndex((m) => m.name === name));
      await tx.insert(migrationsTable, { feature: schema.feature, name, position });
    }
  }

  /** Each in a transaction that also notes it: of two processes one meets a conflict and then finds it done. */
  async #runMigrations(schema: Schema): Promise<void> {
    const next = () =>
      this.transaction(async (tx) => {
        const [migration] = await this.#pending(tx, schema);
        if (migration === undefined) return false;
        await this.#note(tx, schema, [migration]);
        await migration.run(tx);
        return true;
      });
    while (await next());
  }

  /** In a snapshot session: one moment, as long as the server keeps its history (5 minutes by default). */
  async *dump(): AsyncIterable<DumpedTable> {
    const session = this.#client.startSession({ snapshot: true });
    try {
      const recorded: Table[] = [];
      for await (const record of rowsOf(this.db, tablesTable as unknown as Table, session))
        recorded.push(tableOfRecord(record as Parameters<typeof tableOfRecord>[0]));
      for (const table of [...metaTables, ...recorded])
        yield { table, rows: rowsOf(this.db, table, session) };
    } finally {
      await session.endSession();
    }
  }

  async load(tables: AsyncIterable<DumpedTable>): Promise<void> {
    try {
      const alone = () => this.#presence!.mustBeAlone();
      await alone();
      await loadStaged(this.db, tables, alone);
      await this.#migrate();
    } catch (error) {
      throw translated(error);
    }
  }

  async close(): Promise<void> {
    await this.#presence?.leave();
    await this.#client.close();
  }
}

/** The read concern is named here because the client's own would win over that of the snapshot session. */
async function* rowsOf(db: Db, t: Table, session: ClientSession): AsyncIterable<Record<string, unknown>> {
  const options = { session, readConcern: { level: 'snapshot' } } as const;
  for await (const document of db.collection(t.name).find({}, options)) yield rowOf(t, document);
}

async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== namespaceExists) throw error;
  }
}
