import type { Page, Query, Reader, Where } from '../store.ts';
import type { Columns, Table } from '../table.ts';
import { decodeValue } from '../values.ts';
import type { Connection } from './connection.ts';
import { byKey, keyValues, select, selectCount, selectSum } from './sql.ts';

type AnyRow = Record<string, unknown>;

export function decodedRow(t: Table, values: readonly unknown[]): AnyRow {
  const row: AnyRow = {};
  let i = 0;
  for (const column in t.columns) row[column] = decodeValue(t.columns[column]!, values[i++]);
  return row;
}

/** Reads on one connection. SQLite answers synchronously, so one read sees one moment. */
export class EmbeddedReader {
  protected readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Called before each operation; a transaction refuses when it is over. */
  protected assertOpen(): void {}

  async get(t: Table, key: object): Promise<AnyRow | undefined> {
    this.assertOpen();
    const values = this.connection.row({ text: byKey(t).get, values: keyValues(t, key) });
    return values && decodedRow(t, values);
  }

  async find(t: Table, query: Query<Columns> = {}): Promise<AnyRow[]> {
    this.assertOpen();
    return this.connection.rows(select(t, query)).map((values) => decodedRow(t, values));
  }

  async count(t: Table, where?: Where<Columns>): Promise<number> {
    this.assertOpen();
    return Number(this.connection.row(selectCount(t, where))![0]);
  }

  /** The total counts what the conditions fit, wherever the page begins. */
  async page(t: Table, query: Query<Columns>): Promise<Page<AnyRow>> {
    const nested = this.connection.inTransaction;
    if (!nested) this.connection.exec('BEGIN');
    try {
      const rows = this.connection.rows(select(t, query)).map((values) => decodedRow(t, values));
      return { rows, total: Number(this.connection.row(selectCount(t, query.where))![0]) };
    } finally {
      if (!nested) this.connection.exec('COMMIT');
    }
  }

  async sum(t: Table, column: string, where?: Where<Columns>): Promise<bigint> {
    return (await this.sumBy(t, column, [], where))[0]!.sum;
  }

  async sumBy(t: Table, column: string, group: readonly string[], where?: Where<Columns>) {
    this.assertOpen();
    return this.connection.rows(selectSum(t, column, group, where)).map((values) => {
      const [high, low] = values.slice(-2) as [bigint, bigint];
      const named = group.map((name, i) => [name, decodeValue(t.columns[name]!, values[i])]);
      return { ...Object.fromEntries(named), sum: (high << 32n) + low } as AnyRow & { sum: bigint };
    });
  }
}

/** The reader under the port's types: the rows have the shape that their declaration states. */
export function asReader(reader: EmbeddedReader): Reader {
  return reader as unknown as Reader;
}
