import type { ClientSession, Db, Document } from 'mongodb';
import type { Page, Query, Where } from '../store.ts';
import type { Columns, Table } from '../table.ts';
import { decodeValue } from '../values.ts';
import {
  changesOf,
  documentOf,
  filterOf,
  idOf,
  queryFilter,
  rowOf,
  sortOf,
  sumPipeline,
} from './documents.ts';
import { operationError, translated } from './errors.ts';

type AnyRow = Record<string, unknown>;

/** Reads, in a session or without one. */
export class MongoReader {
  protected readonly db: Db;
  protected readonly session: ClientSession | undefined;

  constructor(db: Db, session?: ClientSession) {
    this.db = db;
    this.session = session;
  }

  /** Called before each operation; a transaction refuses when it is over. */
  protected assertOpen(): void {}

  protected collection(t: Table) {
    this.assertOpen();
    return this.db.collection<Document>(t.name);
  }

  protected get options() {
    return this.session ? { session: this.session } : {};
  }

  /** Inside a transaction the driver looks at what failed, and may try again. */
  async #reading<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      throw this.session ? error : translated(error);
    }
  }

  async get(t: Table, key: object): Promise<AnyRow | undefined> {
    const document = await this.#reading(() =>
      this.collection(t).findOne({ _id: idOf(t, key) as never }, this.options),
    );
    return document ? rowOf(t, document) : undefined;
  }

  async find(t: Table, query: Query<Columns> = {}): Promise<AnyRow[]> {
    if (query.limit === 0) return [];
    const cursor = this.collection(t).find(queryFilter(t, query), this.options).sort(sortOf(t, query));
    if (query.offset !== undefined) cursor.skip(query.offset);
    if (query.limit !== undefined) cursor.limit(query.limit);
    return (await this.#reading(() => cursor.toArray())).map((document) => rowOf(t, document));
  }

  count(t: Table, where?: Where<Columns>): Promise<number> {
    return this.#reading(() => this.collection(t).countDocuments(filterOf(t, where), this.options));
  }

  async page(t: Table, query: Query<Columns>): Promise<Page<AnyRow>> {
    const rows = await this.find(t, query);
    return { rows, total: await this.count(t, query.where) };
  }

  async sum(t: Table, column: string, where?: Where<Columns>): Promise<bigint> {
    return (await this.sumBy(t, column, [], where))[0]?.sum ?? 0n;
  }

  async sumBy(t: Table, column: string, group: readonly string[], where?: Where<Columns>) {
    const pipeline = sumPipeline(t, column, group, where);
    const groups = await this.#reading(() =>
      this.collection(t).aggregate<Document>(pipeline, this.options).toArray(),
    );
    return groups.map(({ _id, low, high }) => {
      const named = group.map((name) => [name, decodeValue(t.columns[name]!, _id[name])]);
      const sum = (BigInt(high) << 32n) + BigInt(low);
      return { ...Object.fromEntries(named), sum } as AnyRow & { sum: bigint };
    });
  }
}

/** The operations of one attempt at a transaction. */
export class MongoTransaction extends MongoReader {
  #over = false;
  #failure: unknown;

  protected override assertOpen(): void {
    if (this.#over)
      throw new TypeError('This transaction is over; its work must await each of its operations.');
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** @throws what failed in it, should the work have caught that and gone on */
  finished<R>(value: R): R {
    if (this.#failure !== undefined) throw this.#failure;
    return value;
  }

  close(): void {
    this.#over = true;
  }

  async #writing<R>(t: Table, work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      this.#failure ??= operationError(error, t);
      throw this.#failure;
    }
  }

  async insert(t: Table, row: object): Promise<void> {
    await this.#writing(t, () => this.collection(t).insertOne(documentOf(t, row), this.options));
  }

  async put(t: Table, row: object): Promise<void> {
    const { _id, ...rest } = documentOf(t, row);
    await this.#writing(t, () =>
      this.collection(t).replaceOne({ _id }, rest, { ...this.options, upsert: true }),
    );
  }

  async update(t: Table, key: object, changes: object, expected?: Where<Columns>): Promise<boolean> {
    const result = await this.#writing(t, () =>
      this.collection(t).updateOne(this.#one(t, key, expected), changesOf(t, changes), this.options),
    );
    return result.matchedCount > 0;
  }

  async delete(t: Table, key: object, expected?: Where<Columns>): Promise<boolean> {
    const result = await this.#writing(t, () =>
      this.collection(t).deleteOne(this.#one(t, key, expected), this.options),
    );
    return result.deletedCount > 0;
  }

  #one(t: Table, key: object, expected: Where<Columns> | undefined): Document {
    return { $and: [{ _id: idOf(t, key) }, filterOf(t, expected)] };
  }
}
