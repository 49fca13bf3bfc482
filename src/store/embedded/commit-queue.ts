import { setImmediate, setTimeout } from 'node:timers/promises';
import { Refusal } from '../../errors/refusal.ts';
import type { Connection } from './connection.ts';
import { isBusy, translated } from './errors.ts';

interface Queued {
  work(): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Works committed together at most; bounds how long the first of them waits. */
const groupMax = 256;
/** Each try waits up to the connection's busy timeout and then a little without blocking the process. */
const lockTries = 400;

/**
 * Group commit. A durable commit costs one fsync however many works it covers, so works that are queued at the same
 * time run one after another inside one BEGIN IMMEDIATE … COMMIT, each in its own SAVEPOINT: one that fails takes
 * back itself and nothing else. Every promise settles after the COMMIT, because even a failure may rest on what a
 * neighbour wrote.
 */
export class CommitQueue {
  readonly #connection: Connection;
  #queue: Queued[] = [];
  #draining: Promise<void> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  add<R>(work: () => Promise<R>): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when nothing is queued or running. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // One turn of the event loop: whatever else arrives in it joins the group.
      await setImmediate();
      await this.#group();
    }
    this.#draining = undefined;
  }

  async #group(): Promise<void> {
    const settled: (() => void)[] = [];
    const members: Queued[] = [];
    try {
      await this.#begin();
      while (this.#queue.length > 0 && members.length < groupMax) {
        const member = this.#queue.shift()!;
        members.push(member);
        settled.push(await this.#runOne(member));
      }
      this.#connection.exec('COMMIT');
    } catch (error) {
      this.#abandon(members.length > 0 ? members : this.#queue.splice(0), error);
      return;
    }
    for (const settle of settled) settle();
  }

  async #runOne(member: Queued): Promise<() => void> {
    this.#connection.exec('SAVEPOINT work');
    try {
      const value = await member.work();
      this.#connection.exec('RELEASE work');
      return () => member.resolve(value);
    } catch (error) {
      // A full disk makes SQLite roll everything back on its own; then the whole group has failed.
      if (!this.#connection.inTransaction) throw error;
      this.#connection.exec('ROLLBACK TO work; RELEASE work');
      return () => member.reject(error);
    }
  }

  #abandon(members: readonly Queued[], error: unknown): void {
    try {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
    } catch {
      // What was not committed is not there, whether it can be taken back now or by who opens the file next.
    }
    for (const member of members) member.reject(translated(error));
  }

  /** Waits for another process's transaction without stopping this process's other work. */
  async #begin(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return this.#connection.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (tries >= lockTries)
          throw new Refusal('STORE_UNAVAILABLE', 'Another process has held the store for too long.');
        await setTimeout(1 + (tries % 7));
      }
    }
  }
}
