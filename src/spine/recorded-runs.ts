import type { Checkpoint } from '../../workers/executor.ts';
import { concat } from '../proof/bytes.ts';
import type { Digest, FinishedRun } from '../proof/job.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
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

  /** A finished run, unless it was another one: the kernel may have changed with the version. */
  async finished(run: number, runHash: Digest): Promise<FinishedRun | undefined> {
    const bytes = await this.#read(this.#store, run, 'run');
    const finished = bytes && decodeRun(bytes);
    return finished?.runHash === runHash ? finished : undefined;
  }

  /** Keeps a finished run and lets go of its checkpoints. */
  async keepFinished(run: number, finished: FinishedRun): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await this.#fence(tx);
      await this.#forgetRun(tx, run);
      await this.#write(tx, run, 'run', encodeRun(finished));
    });
  }

  /** The last checkpoint of this very run, whole; one of another run is thrown away. */
  async lastCheckpoint(run: number, runHash: Digest): Promise<Checkpoint | undefined> {
    const row = await this.#store.get(checkpoints, { job: this.#job, run: BigInt(run) });
    if (row?.run_hash !== runHash) {
      await this.#store.transaction(async (tx) => {
        await this.#fence(tx);
        await this.#forgetRun(tx, run);
      });
      return undefined;
    }
    const state = await this.#read(this.#store, run, stateName(row.segment));
    if (!state) return undefined;
    const pieces = await this.#pieces(run);
    return {
      segment: Number(row.segment),
      steps: Number(row.steps),
      work: row.work ?? undefined,
      state,
      from: 0,
      digests: pieces.flatMap((piece) => piece.digests),
      rows: pieces.flatMap((piece) => piece.rows),
    };
  }

  /** State, digests and rows in one transaction, written whole before they are named. */
  async keepCheckpoint(run: number, runHash: Digest, checkpoint: Checkpoint): Promise<void> {
    const key = { job: this.#job, run: BigInt(run) };
    await this.#store.transaction(async (tx) => {
      await this.#fence(tx);
      const before = await tx.get(checkpoints, key);
      if (before) await this.#remove(tx, run, stateName(before.segment));
      await this.#write(tx, run, stateName(checkpoint.segment), checkpoint.state);
      const pieces = encodePieces(checkpoint.digests, checkpoint.rows);
      await this.#write(tx, run, piecesName(checkpoint.from), pieces);
      await tx.put(checkpoints, {
        ...key,
        run_hash: runHash,
        segment: BigInt(checkpoint.segment),
        steps: BigInt(checkpoint.steps),
        work: checkpoint.work ?? null,
      });
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

  async #write(tx: Transaction, run: number, name: string, bytes: Uint8Array): Promise<void> {
    for (let part = 0; part === 0 || part * PART_BYTES < bytes.length; part++)
      await tx.insert(scratch, {
        job: this.#job,
        run: BigInt(run),
        name,
        part: BigInt(part),
        bytes: bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
      });
  }

  async #read(reader: Reader, run: number, name: string): Promise<Uint8Array | undefined> {
    const where = { job: this.#job, run: BigInt(run), name };
    const rows = await reader.find(scratch, { where, orderBy: { part: 'asc' } });
    return rows.length > 0 ? concat(rows.map((row) => row.bytes)) : undefined;
  }

  async #remove(tx: Transaction, run: number, name: string): Promise<void> {
    const where = { job: this.#job, run: BigInt(run), name };
    for (const row of await tx.find(scratch, { where }))
      await tx.delete(scratch, { ...where, part: row.part });
  }

  /** Names are zero-padded, so that their order is the order of the segments. */
  async #pieces(run: number): Promise<ReturnType<typeof decodePieces>[]> {
    const rows = await this.#store.find(scratch, {
      where: { job: this.#job, run: BigInt(run), name: { gte: 'pieces ', lt: 'pieces!' } },
      orderBy: { name: 'asc', part: 'asc' },
    });
    const byName = new Map<string, Uint8Array[]>();
    for (const row of rows) byName.set(row.name, [...(byName.get(row.name) ?? []), row.bytes]);
    return [...byName.values()].map((parts) => decodePieces(concat(parts)));
  }
}

const stateName = (segment: number | bigint): string => `state ${segment}`;
const piecesName = (from: number): string => `pieces ${String(from).padStart(12, '0')}`;
