import { concat, split } from '../src/proof/bytes.ts';
import type { FinishedRun } from '../src/proof/job.ts';
import type { Checkpoint, RunSpec, SpanEnd } from './executor.ts';

/** What goes between the main thread and a worker thread, packed so that it clones quickly. */

export interface ThreadTask {
  readonly runs: readonly RunSpec[];
  /** Index of the slot in the shared control memory. */
  readonly slot: number;
  readonly resumeFrom?: Checkpoint;
  readonly checkpoints?: { readonly port: unknown; readonly everyMs: number };
  readonly untilSegment?: number;
  /** Present for a run in spans: how long it goes on beside a checkpoint that is not kept. */
  readonly holdMs?: number;
  /** Of such a run: behind a checkpoint that took so long it goes on once that is kept. */
  readonly longMs?: number;
  /** Present for a run that others may assist: takes the Team, where its kernel has a twin. */
  readonly invitations?: unknown;
}

export type ThreadAnswer =
  | { readonly kind: 'finished'; readonly run: PackedRun; readonly end?: SpanEnd }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'memory'; readonly bytes: number }
  | { readonly kind: 'crashed'; readonly message: string };

export interface PackedRun extends Omit<FinishedRun, 'digests' | 'rows'> {
  readonly digests: Uint8Array;
  readonly rows: Uint8Array;
  readonly rowLengths: Float64Array;
}

export function packRun(run: FinishedRun): PackedRun {
  return { ...run, digests: concat(run.digests), rows: concat(run.rows), rowLengths: lengths(run.rows) };
}

export function unpackRun(packed: PackedRun): FinishedRun {
  const { rowLengths, ...run } = packed;
  const digests = split(packed.digests, new Float64Array(packed.digests.length / 32).fill(32));
  return { ...run, digests, rows: split(packed.rows, rowLengths) };
}

function lengths(pieces: readonly Uint8Array[]): Float64Array {
  return Float64Array.from(pieces, (piece) => piece.length);
}

/** How long a thread sleeps before it looks again whether it was cancelled between the look and the sleep. */
const WAKE_MS = 100;

/**
 * One slot of shared memory per running task:
 *
 *   i32  0  1 = cancel         i32  4  1 = runs, 2 = waits for a checkpoint to be kept
 *   i32  8  checkpoints sent   i32 12  checkpoints kept
 *   f64 16  steps    24 segments    32 work units    40 count of observed    48 … observed (16)
 */
export class ControlSlot {
  static readonly bytes = 192;
  #flags: Int32Array;
  #numbers: Float64Array;

  constructor(memory: SharedArrayBuffer, slot: number) {
    this.#flags = new Int32Array(memory, slot * ControlSlot.bytes, 4);
    this.#numbers = new Float64Array(memory, slot * ControlSlot.bytes + 16, 20);
  }

  reset(): void {
    this.#flags.fill(0);
    this.#numbers.fill(0);
  }

  get cancelled(): boolean {
    return Atomics.load(this.#flags, 0) === 1;
  }
  cancel(): void {
    Atomics.store(this.#flags, 0, 1);
    Atomics.notify(this.#flags, 3);
  }

  /** Started, and not waiting: its progress means something. */
  get runs(): boolean {
    return Atomics.load(this.#flags, 1) === 1;
  }
  start(): void {
    Atomics.store(this.#flags, 1, 1);
  }

  /** True when every checkpoint that was sent is durable. */
  get checkpointsKept(): boolean {
    return Atomics.load(this.#flags, 2) === Atomics.load(this.#flags, 3);
  }
  get checkpointsSent(): number {
    return Atomics.load(this.#flags, 2);
  }
  checkpointSent(): void {
    Atomics.add(this.#flags, 2, 1);
  }
  checkpointKept(): void {
    Atomics.add(this.#flags, 3, 1);
    Atomics.notify(this.#flags, 3);
  }
  /** In the thread: stands still until every checkpoint is durable or the run is cancelled. */
  awaitKept(): void {
    Atomics.store(this.#flags, 1, 2);
    for (;;) {
      const kept = Atomics.load(this.#flags, 3);
      if (this.cancelled || kept === Atomics.load(this.#flags, 2)) break;
      Atomics.wait(this.#flags, 3, kept, WAKE_MS);
    }
    Atomics.store(this.#flags, 1, 1);
  }

  report(steps: number, segments: number, work: number, observed: readonly number[]): void {
    this.#numbers.set([steps, segments, work, observed.length, ...observed.slice(0, 16)]);
  }

  get progress(): { steps: number; segments: number; work: bigint; observed: number[] } {
    const [steps, segments, work, count] = this.#numbers as unknown as [number, number, number, number];
    return { steps, segments, work: BigInt(work), observed: [...this.#numbers.subarray(4, 4 + count)] };
  }
}
