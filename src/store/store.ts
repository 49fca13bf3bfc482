import { Refusal } from '../errors/refusal.ts';
import type { Columns, NewRowOf, RowOf, Table, ValueOf } from './table.ts';

/**
 * The store port: what every feature may ask of a store, and nothing more. Two adapters implement it (embedded
 * SQLite and MongoDB) behind one contract test.
 *
 * Isolation is that of a snapshot: a transaction reads one moment and its writes land together or not at all, but
 * two transactions may each read a row that the other does not write. So whoever decides by a row also writes that
 * row (update with `expected`), and whoever relies on absence inserts under a unique key.
 */

type KeyOf<C extends Columns, K extends string> = { [P in K & keyof C]: ValueOf<C[P]> };
type Comparable<C> = Exclude<ValueOf<C>, null>;

/** A range over a column; a blob column is only compared for equality. */
export interface Range<V> {
  gt?: V;
  gte?: V;
  lt?: V;
  lte?: V;
  in?: readonly V[];
}

/** All conditions hold together. A bare value is equality, null included; json columns cannot be asked for. */
export type Where<C extends Columns> = {
  [K in keyof C as C[K] extends 'json' | 'json?' ? never : K]?: ValueOf<C[K]> | Range<Comparable<C[K]>>;
};

export type OrderBy<C extends Columns> = { [K in keyof C]?: 'asc' | 'desc' };

export interface Query<C extends Columns> {
  where?: Where<C>;
  /** First name first. The key is always appended, so that the order is total. Text and blobs compare by bytes. */
  orderBy?: OrderBy<C>;
  limit?: number;
  offset?: number;
  /** Only rows behind this one in the order; it holds the columns of the order and the key. */
  after?: Partial<RowOf<C>>;
}

export interface Page<R> {
  rows: R[];
  /** How many rows the conditions fit in all. */
  total: number;
}

/** A group of `sumBy`: the columns grouped by, and the exact sum. */
export type Sum<C extends Columns, G extends keyof C> = Pick<RowOf<C>, G> & { sum: bigint };

export interface Reader {
  get<C extends Columns, K extends string>(
    table: Table<C, K>,
    key: KeyOf<C, K>,
  ): Promise<RowOf<C> | undefined>;
  find<C extends Columns, K extends string>(table: Table<C, K>, query?: Query<C>): Promise<RowOf<C>[]>;
  /** Rows and total of one moment. */
  page<C extends Columns, K extends string>(table: Table<C, K>, query: Query<C>): Promise<Page<RowOf<C>>>;
  count<C extends Columns, K extends string>(table: Table<C, K>, where?: Where<C>): Promise<number>;
  /** Exact sum of an int64 column over the rows that fit; beyond 64 bits too. */
  sum<C extends Columns, K extends string>(
    table: Table<C, K>,
    column: keyof C & string,
    where?: Where<C>,
  ): Promise<bigint>;
  /** The same, for each combination of the group's values. */
  sumBy<C extends Columns, K extends string, G extends keyof C & string>(
    table: Table<C, K>,
    column: keyof C & string,
    group: readonly G[],
    where?: Where<C>,
  ): Promise<Sum<C, G>[]>;
}

/** What a transaction may do. A `DuplicateKey` ends the transaction: it cannot be caught and worked around. */
export interface Transaction extends Reader {
  /** @throws DuplicateKey */
  insert<C extends Columns, K extends string>(table: Table<C, K>, row: NewRowOf<C>): Promise<void>;
  /** Insert, or replace the row with this key. @throws DuplicateKey on another unique index */
  put<C extends Columns, K extends string>(table: Table<C, K>, row: NewRowOf<C>): Promise<void>;
  /**
   * Compare and set: changes the row with this key if every column in `expected` has the given value.
   * @returns whether there was such a row
   */
  update<C extends Columns, K extends string>(
    table: Table<C, K>,
    key: KeyOf<C, K>,
    changes: Partial<RowOf<C>>,
    expected?: Where<C>,
  ): Promise<boolean>;
  /** @returns whether there was such a row */
  delete<C extends Columns, K extends string>(
    table: Table<C, K>,
    key: KeyOf<C, K>,
    expected?: Where<C>,
  ): Promise<boolean>;
}

/** A stored row on its way into or out of a backup, with its table's recorded shape. */
export interface DumpedTable {
  readonly table: Table;
  readonly rows: AsyncIterable<Record<string, unknown>>;
}

export interface Store extends Reader {
  /**
   * Runs `work` and resolves once what it wrote is durable; if it throws, nothing of it remains. `work` runs again
   * after a write conflict, so it has no other effects, and it awaits nothing but `tx`: transactions that are
   * queued at the same time are committed together, so a slow one delays its neighbours.
   *
   * @throws DuplicateKey · Refusal STORE_UNAVAILABLE when the disk is full, the store read-only or out of reach ·
   *   OutcomeUnknown
   */
  transaction<R>(work: (tx: Transaction) => Promise<R>): Promise<R>;
  /** Every table at one moment, the store's own records included. See backup.ts. */
  dump(): AsyncIterable<DumpedTable>;
  /**
   * Replaces everything by what is given, or leaves everything as it was. See backup.ts.
   * @throws Refusal CONFLICT where another process has the store open
   */
  load(tables: AsyncIterable<DumpedTable>): Promise<void>;
  /** Waits for what is queued, then lets go of files and connections. */
  close(): Promise<void>;
  /** What this store is, in a line: `embedded /data/store.db`. */
  readonly description: string;
}

/** Whether the store is full, read-only or out of reach: what it refused it may take later. */
export const isStoreFault = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'STORE_UNAVAILABLE';

/** The store was lost between a commit and its answer: what was written may be there or not. A store fault. */
export class OutcomeUnknown extends Refusal {
  constructor({ code, message, details }: Refusal) {
    super(code, `${message} Whether the last transaction was committed is not known.`, details);
  }
}

/** A second row under a unique key. `index` lists its columns; for the table's key it is the key columns. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
  readonly table: string;
  readonly index: readonly string[];

  constructor(table: string, index: readonly string[]) {
    super(`${table} already has a row with this ${index.join(', ')}`);
    this.table = table;
    this.index = index;
  }
}
