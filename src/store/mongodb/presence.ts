import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { Refusal } from '../../errors/refusal.ts';

/** Beside the tables: no part of a backup, and left alone by a restore. */
export const presenceName = 'svc_open';

const BEAT_MS = 1_000;
/** A process that has not said for so long that it is there is taken for gone: several beats. */
const SILENCE_MS = 6_000;
const LOOK_MS = 250;

interface Present {
  _id: string;
  host: string;
  pid: number;
  beat: number;
}

/**
 * Who has the store open. Every process counts up a number in a row of its own; one whose number stands still is gone.
 * Clocks of two machines are never compared. A process that opens the store within a beat of a restore is not seen:
 * what it then seals is held against the log that it knows (docs/store.md, 'Backup and restore').
 */
export class Presence {
  readonly #all: Collection<Present>;
  readonly #id = randomUUID();
  #beating: NodeJS.Timeout | undefined;

  private constructor(db: Db) {
    this.#all = db.collection<Present>(presenceName);
  }

  static async enter(db: Db): Promise<Presence> {
    const presence = new Presence(db);
    await presence.#beat();
    presence.#beating = setInterval(() => void presence.#beat().catch(() => undefined), BEAT_MS).unref();
    return presence;
  }

  async #beat(): Promise<void> {
    const change = { $set: { host: hostname(), pid: process.pid }, $inc: { beat: 1 } };
    await this.#all.updateOne({ _id: this.#id }, change, { upsert: true });
  }

  /** @throws Refusal CONFLICT where another process has the store open */
  async mustBeAlone(): Promise<void> {
    const first = await this.#others();
    for (let waited = 0, left = first; left.length > 0; waited += LOOK_MS) {
      const moved = left.find(({ _id, beat }) => first.some((was) => was._id === _id && was.beat !== beat));
      const isNew = left.find(({ _id }) => !first.some((was) => was._id === _id));
      if (moved ?? isNew) throw inUse((moved ?? isNew)!);
      if (waited >= SILENCE_MS) break;
      await setTimeout(LOOK_MS);
      left = await this.#others();
    }
    await this.#all.deleteMany({ _id: { $in: first.map(({ _id }) => _id) } });
  }

  #others(): Promise<Present[]> {
    return this.#all.find({ _id: { $ne: this.#id } }).toArray();
  }

  async leave(): Promise<void> {
    clearInterval(this.#beating);
    await this.#all.deleteOne({ _id: this.#id }).catch(() => undefined); // it falls silent all the same
  }
}

const inUse = ({ host, pid }: Present): Refusal =>
  new Refusal(
    'CONFLICT',
    `Process ${pid} on ${host} has this store open: stop the nodes that use it, then restore. Nothing was changed.`,
  );
