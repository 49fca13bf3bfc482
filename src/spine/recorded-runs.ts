import { sha256 } from '#crypto';
import type { Checkpoint } from '../../workers/executor.ts';
import { concat, equalBytes, utf8 } from '../proof/bytes.ts';
import type { Digest, FinishedRun } from '../proof/job.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Row } from '../store/table.ts';
import { checkpoints, jobs, scratch } from './records.ts';
import { decodePieces, decodeRun, encodePieces, encodeRun } from './run-codec.ts';

const PART_BYTES = 4 * 2 ** 20;

/** Another process took the job over: what this one still does must not count. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/**
 * What a recorded job keeps while it runs, so that it goes on after a kill: finished runs, and of unfinished ones
 * the last checkpoint. Every write is fenced by the job's attempt number.
 */
export class RecordedRuns {
  readonly #store: Store;
  readonly #job: string;
  readonly #attempt: bigint;

  constructor(store: Store, job: string, attempt: bigint) {
    this.#store = store;
    this.#job = job;
    this.#attempt = attempt;
  }

  /** A finished run, unless it was another one (the kernel may have changed with the version) or is damaged. */
  async finished(run: number, runHash: Digest): Promise<FinishedRun | undefined> {
    const bytes = await this.#read(run, 'run');
    const finished = bytes && decodeRun(bytes);
    return finished?.runHash === runHash ? finished : undefined;
  }

  /** Keeps a finished run, lets go of its states, and leaves its end for those who ask how far the job is. */
  async keepFinished(run: number, finished: FinishedRun): Promise<void> {
    const { runHash: run_hash, digests, steps, work } = finished;
    const end = { run_hash, segment: BigInt(digests.length - 1), steps: BigInt(steps), work };
    await this.#store.transaction(async (tx) => {
      await this.#fence(tx);
      await this.#forgetRun(tx, run);
      await tx.put(checkpoints, { job: this.#job, run: BigInt(run), ...end });
      await this.#write(tx, run, 'run', encodeRun(finished));
    });
  }

  /** The last checkpoint of this very run, whole; one of another run, or that is damaged, is thrown away. */
  async lastCheckpoint(run: number, runHash: Digest): Promise<Checkpoint | undefined> {
    const checkpoint = await this.#checkpoint(run, runHash);
    if (checkpoint === undefined)
      await this.#store.transaction(async (tx) => {
        await this.#fence(tx);
        await this.#forgetRun(tx, run);
      });
    return checkpoint;
  }

  async #checkpoint(run: number, runHash: Digest): Promise<Checkpoint | undefined> {
    const row = await this.#store.get(checkpoints, { job: this.#job, run: BigInt(run) });
    if (row?.run_hash !== runHash) return undefined;
    const state = await this.#read(run, stateName(row.segment), endOf(row));
    const pieces = await this.#pieces(run);
    if (state === undefined || pieces === undefined) return undefined;
    const checkpoint = {
      segment: Number(row.segment),
      steps: Number(row.steps),
      work: row.work ?? undefined,
      state,
      from: 0,
      digests: pieces.flatMap((piece) => piece.digests),
      rows: pieces.flatMap((piece) => piece.rows),
    };
    return checkpoint.digests.length === checkpoint.segment + 1 ? checkpoint : undefined;
  }

  /** State, digests and rows in one transaction, written whole before they are named. */
  async keepCheckpoint(run: number, runHash: Digest, checkpoint: Checkpoint): Promise<void> {
    const key = { job: this.#job, run: BigInt(run) };
    await this.#store.transaction(async (tx) => {
      await this.#fence(tx);
      const before = await tx.get(checkpoints, key);
      if (before) await this.#remove(tx, run, stateName(before.segment));
      const row = {
        ...key,
        run_hash: runHash,
        segment: BigInt(checkpoint.segment),
        steps: BigInt(checkpoint.steps),
        work: checkpoint.work ?? null,
      };
      await this.#write(tx, run, stateName(row.segment), checkpoint.state, endOf(row));
      const pieces = encodePieces(checkpoint.digests, checkpoint.rows);
      await this.#write(tx, run, piecesName(checkpoint.from), pieces);
      await tx.put(checkpoints, row);
    });
  }

  /** Lets go of everything, inside the transaction that ends the job. */
  async forgetAll(tx: Transaction): Promise<void> {
    const where = { job: this.#job };
    for (const { run } of await tx.find(checkpoints, { where }))
      await tx.delete(checkpoints, { ...where, run });
    for (const { run, name, part } of await tx.find(scratch, { where }))
      await tx.delete(scratch, { ...where, run, name, part });
  }

  async #forgetRun(tx: Transaction, run: number): Promise<void> {
    const key = { job: this.#job, run: BigInt(run) };
    await tx.delete(checkpoints, key);
    for (const row of await tx.find(scratch, { where: key }))
      await tx.delete(scratch, { ...key, name: row.name, part: row.part });
  }

  /** Throws unless this attempt still holds the job; writes the row, so that a rival's transaction conflicts. */
  async #fence(tx: Transaction): Promise<void> {
    const held = { state: 'running', attempt: this.#attempt };
    if (!(await tx.update(jobs, { id: this.#job }, { attempt: this.#attempt }, held)))
      throw new Fenced(`attempt ${this.#attempt} of job ${this.#job} was taken over`);
  }

  /** In parts, the last of which is the digest of all: a disk may give back other bytes than it was given. */
  async #write(tx: Transaction, run: number, name: string, bytes: Uint8Array, beside = ''): Promise<void> {
    const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
    const part = (i: number) => bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES);
    const key = { job: this.#job, run: BigInt(run), name };
    for (let i = 0; i < parts; i++) await tx.insert(scratch, { ...key, part: BigInt(i), bytes: part(i) });
    const digest = this.#digest(run, name, bytes, beside);
    await tx.insert(scratch, { ...key, part: BigInt(parts), bytes: digest });
  }

  /** What was written under this name with the same `beside`; undefined where it is not that, or not there. */
  async #read(run: number, name: string, beside = ''): Promise<Uint8Array | undefined> {
    const where = { job: this.#job, run: BigInt(run), name };
    const rows = await this.#store.find(scratch, { where, orderBy: { part: 'asc' } });
    return this.#whole(
      run,
      name,
      rows.map((row) => row.bytes),
      beside,
    );
  }

  #whole(run: number, name: string, parts: readonly Uint8Array[], beside = ''): Uint8Array | undefined {
    if (parts.length < 2) return undefined;
    const bytes = concat(parts.slice(0, -1));
    return equalBytes(this.#digest(run, name, bytes, beside), parts.at(-1)!) ? bytes : undefined;
  }

  #digest(run: number, name: string, bytes: Uint8Array, beside: string): Uint8Array {
    return sha256(utf8(`${this.#job}\n${run}\n${name}\n${beside}\n`), bytes);
  }

  async #remove(tx: Transaction, run: number, name: string): Promise<void> {
    const where = { job: this.#job, run: BigInt(run), name };
    for (const row of await tx.find(scratch, { where }))
      await tx.delete(scratch, { ...where, part: row.part });
  }

  /** All in the order of the segments, for names are zero-padded; undefined where one is damaged. */
  async #pieces(run: number): Promise<ReturnType<typeof decodePieces>[] | undefined> {
    const rows = await this.#store.find(scratch, {
      where: { job: this.#job, run: BigInt(run), name: { gte: 'pieces ', lt: 'pieces!' } },
      orderBy: { name: 'asc', part: 'asc' },
    });
    const byName = new Map<string, Uint8Array[]>();
    for (const row of rows) byName.set(row.name, [...(byName.get(row.name) ?? []), row.bytes]);
    const whole = [...byName].map(([name, parts]) => this.#whole(run, name, parts));
    return whole.every((bytes) => bytes !== undefined) ? whole.map(decodePieces) : undefined;
  }
}

/** What a state is at the end of: kept in the row, held by the digest beside the state. */
const endOf = ({ run_hash, segment, steps, work }: Row<typeof checkpoints>): string =>
  `${run_hash} ${segment} ${steps} ${work}`;
const stateName = (segment: number | bigint): string => `state ${segment}`;
const piecesName = (from: number): string => `pieces ${String(from).padStart(12, '0')}`;
