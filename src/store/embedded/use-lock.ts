import { chmodSync } from 'node:fs';
import { Refusal } from '../../errors/refusal.ts';
import { Connection } from './connection.ts';
import { isBusy, translated } from './errors.ts';

/** Longer than any command that only reads and writes records. */
const PATIENCE_MS = 2_000;

/**
 * Who has the store open. A second, empty SQLite file beside it is read-locked by everybody who does, and locked whole
 * by whoever replaces the store's content. The system lets go of the locks of a process that is gone, so nobody has
 * to find out whether another still lives.
 */
export class UseLock {
  readonly #connection: Connection;

  /** @throws Refusal STORE_UNAVAILABLE while the store is being restored */
  constructor(file: string) {
    this.#connection = new Connection(file, PATIENCE_MS);
    try {
      chmodSync(file, 0o600);
      this.#share();
    } catch (error) {
      this.#connection.close();
      throw isBusy(error)
        ? new Refusal('STORE_UNAVAILABLE', 'The store is being restored; open it when that is done.')
        : translated(error);
    }
  }

  /** Does the work while nobody else has the store open. @throws Refusal CONFLICT where somebody has */
  async alone<R>(work: () => Promise<R>): Promise<R> {
    this.#connection.exec('COMMIT');
    try {
      this.#takeWhole();
      try {
        return await work();
      } finally {
        this.#connection.exec('COMMIT');
      }
    } finally {
      this.#share();
    }
  }

  #takeWhole(): void {
    try {
      this.#connection.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if (!isBusy(error)) throw translated(error);
      throw new Refusal(
        'CONFLICT',
        'Another process has this store open: stop the nodes that use it, then restore. Nothing was changed.',
      );
    }
  }

  /** A transaction that has read holds the lock until it ends. */
  #share(): void {
    this.#connection.exec('BEGIN');
    this.#connection.exec('SELECT count(*) FROM sqlite_schema');
  }

  close(): void {
    this.#connection.close();
  }
}
