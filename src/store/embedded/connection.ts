import Database from 'libsql';
import { Refusal } from '../../errors/refusal.ts';
import { translated } from './errors.ts';
import type { Sql } from './sql.ts';

type Statement = ReturnType<InstanceType<typeof Database>['prepare']>;

/** Statements kept prepared; lists of varying length (`IN`) would else grow this without end. */
const statementsKept = 400;

/** One SQLite connection: prepared statements, rows as arrays, integers as bigint. */
export class Connection {
  readonly #database: InstanceType<typeof Database>;
  readonly #statements = new Map<string, Statement>();
  #isClosed = false;

  constructor(file: string, busyTimeoutMs: number) {
    this.#database = this.#translate(() => new Database(file, { timeout: busyTimeoutMs }));
  }

  #translate<R>(work: () => R): R {
    try {
      return work();
    } catch (error) {
      throw translated(error);
    }
  }

  /** The library ends the whole process when a closed database is used. */
  #mustBeOpen(): void {
    if (this.#isClosed) throw new Refusal('STORE_UNAVAILABLE', 'The store is closed.');
  }

  #prepared(text: string): Statement {
    this.#mustBeOpen();
    const known = this.#statements.get(text);
    if (known) return known;
    if (this.#statements.size >= statementsKept) this.#statements.clear();
    const made = this.#database.prepare(text).safeIntegers(true);
    if (made.reader) made.raw(true); // once: to say so costs half as much as a read
    this.#statements.set(text, made);
    return made;
  }

  /** @returns how many rows were changed */
  run(sql: Sql): number {
    return this.#translate(() => Number(this.#prepared(sql.text).run(sql.values).changes));
  }

  row(sql: Sql): unknown[] | undefined {
    return this.#translate(() => this.#prepared(sql.text).get(sql.values) as unknown[] | undefined);
  }

  rows(sql: Sql): unknown[][] {
    return this.#translate(() => this.#prepared(sql.text).all(sql.values) as unknown[][]);
  }

  /** Untranslated, because a caller that waits for a lock must see that it was busy. */
  exec(text: string): void {
    this.#mustBeOpen();
    this.#database.exec(text);
  }

  get inTransaction(): boolean {
    return !this.#isClosed && this.#database.inTransaction;
  }

  forgetStatements(): void {
    this.#statements.clear();
  }

  close(): void {
    this.#statements.clear();
    this.#isClosed = true;
    this.#database.close();
  }
}
