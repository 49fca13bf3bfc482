import type { Where } from '../store.ts';
import type { Columns, Table } from '../table.ts';
import { encodeRow } from '../values.ts';
import { EmbeddedReader } from './reader.ts';
import { byKey, remove, type Sql, update } from './sql.ts';

/** The operations of one transaction, on the writing connection. */
export class EmbeddedTransaction extends EmbeddedReader {
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

  #run(sql: () => Sql): number {
    this.assertOpen();
    try {
      return this.connection.run(sql());
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  async insert(t: Table, row: object): Promise<void> {
    this.#run(() => ({ text: byKey(t).insert, values: encodeRow(t, row) }));
  }

  async put(t: Table, row: object): Promise<void> {
    this.#run(() => ({ text: byKey(t).put, values: encodeRow(t, row) }));
  }

  async update(t: Table, key: object, changes: object, expected?: Where<Columns>): Promise<boolean> {
    return this.#run(() => update(t, key, changes, expected)) > 0;
  }

  async delete(t: Table, key: object, expected?: Where<Columns>): Promise<boolean> {
    return this.#run(() => remove(t, key, expected)) > 0;
  }
}
