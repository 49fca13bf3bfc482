import { instantiateSync } from '@assemblyscript/loader';
import { sha256 } from '#crypto';
import { concat, fromHex, toHex } from '../src/proof/bytes.ts';
import { runHash, segmentDigest } from '../src/proof/digests.ts';
import type { FinishedRun } from '../src/proof/job.ts';
import type { Checkpoint, RunSpec } from './executor.ts';

/**
 * Drives one kernel instance through one run: start, segments, digests, result. No Node here: the same code runs
 * in a thread, in a re-execution by a stranger and in a browser.
 */

export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  configure(length: number): number;
  start(budget: number): number;
  advance(steps: number, budget: number): number;
  status(): number;
  state(): number;
  stateLength(): number;
  restore(length: number): number;
  resumed(budget: number): number;
  drain(): number;
  drainLength(): number;
  observe(): number;
  observeLength(): number;
  result(): number;
  resultLength(): number;
  work(): bigint;
}

export const RUNNING = 0;
export const FINISHED = 1;
/** From here on a status is an error code. */
export const FIRST_ERROR = 16;

/** Steps are i32 at the kernel's border; a segment longer than this takes several calls. */
const MAX_STEPS_PER_CALL = 2 ** 30;
/** About 5 ms of the reference core: what progress, cancelling and tiering need. */
export const DEFAULT_BUDGET = 5_000_000;

/** @throws RangeError for a module that imports something: a kernel's result depends on nothing but its parameters */
export function instantiateKernel(module: WebAssembly.Module): KernelExports {
  const [needed] = WebAssembly.Module.imports(module);
  if (needed) throw new RangeError(`a kernel imports nothing, this one ${needed.module}.${needed.name}`);
  return instantiateSync<Record<string, unknown>>(module, {}).exports as unknown as KernelExports;
}

export interface DriveOptions {
  /** Work units a call may take. */
  readonly budget?: number;
  readonly resumeFrom?: Checkpoint;
  /** Stops at the end of this segment. */
  readonly untilSegment?: number;
  /** Called between calls into the kernel; throw here to stop. */
  readonly between?: (kernel: RunInProgress) => void;
  /** Called at every segment's end with its digest; `run.checkpoint()` makes one. */
  readonly atSegmentEnd?: (run: RunInProgress) => void;
}

const nothing = new Uint8Array(0);
const noRowsHash = sha256(nothing);

/** A run between two calls into its kernel. */
export class RunInProgress {
  readonly spec: RunSpec;
  readonly runHash: Uint8Array;
  readonly digests: Uint8Array[] = [];
  readonly rows: Uint8Array[] = [];
  steps = 0;
  /** Bytes of rows so far. */
  rowBytes = 0;
  #kernel: KernelExports;
  #segmentRows: Uint8Array[] = [];

  constructor(kernel: KernelExports, spec: RunSpec) {
    this.#kernel = kernel;
    this.spec = spec;
    this.runHash = runHash(spec.kernel, spec.parameters, spec.stepsPerSegment);
  }

  get segment(): number {
    return this.digests.length - 1;
  }

  get status(): number {
    return this.#kernel.status();
  }

  get work(): bigint {
    return BigInt.asUintN(64, this.#kernel.work());
  }

  observed(): number[] {
    const at = this.#kernel.observe() >>> 0;
    const length = this.#kernel.observeLength() >>> 0;
    const view = new DataView(this.#kernel.memory.buffer, at, length);
    return Array.from({ length: length / 8 }, (_, i) => view.getFloat64(8 * i, true));
  }

  /** The state as bytes, at a segment's end. */
  state(): Uint8Array {
    return this.#copy(this.#kernel.state(), this.#kernel.stateLength());
  }

  checkpoint(from: number): Checkpoint {
    return {
      segment: this.segment,
      steps: this.steps,
      state: this.state(),
      work: this.work,
      from,
      digests: this.digests.slice(from),
      rows: this.rows.slice(from),
    };
  }

  /** Rows of the segments before were handed over. */
  forgetRowsBefore(segment: number): void {
    for (let k = segment - 1; k >= 0 && this.rows[k] !== nothing; k--) this.rows[k] = nothing;
  }

  start(options: DriveOptions): void {
    this.#write(this.#kernel.configure(this.spec.parameters.length), this.spec.parameters);
    const budget = options.budget ?? DEFAULT_BUDGET;
    if (options.resumeFrom) {
      this.#resume(options.resumeFrom, budget, options.between);
      return;
    }
    while (this.#kernel.start(budget) === 0) options.between?.(this);
    this.#drain();
    this.#endSegment();
  }

  /** Runs to the end of the next segment or of the run. */
  advanceSegment(options: DriveOptions): void {
    const budget = options.budget ?? DEFAULT_BUDGET;
    const end = this.segment * this.spec.stepsPerSegment + this.spec.stepsPerSegment;
    while (this.steps < end && this.#kernel.status() === RUNNING) {
      const steps = Math.min(end - this.steps, MAX_STEPS_PER_CALL);
      const taken = this.#kernel.advance(steps, budget);
      if (!(taken >= 0 && taken <= steps)) throw new RangeError(`a kernel took ${taken} of ${steps} steps`);
      this.steps += taken;
      this.#drain();
      options.between?.(this);
    }
    this.#endSegment();
  }

  finished(): FinishedRun {
    return {
      kernel: this.spec.kernel,
      runHash: toHex(this.runHash),
      stepsPerSegment: this.spec.stepsPerSegment,
      status: this.status,
      steps: this.steps,
      digests: this.digests,
      result:
        this.status === RUNNING ? nothing : this.#copy(this.#kernel.result(), this.#kernel.resultLength()),
      rows: this.rows,
      work: this.work,
      observed: this.observed(),
    };
  }

  #resume(from: Checkpoint, budget: number, between: DriveOptions['between']): void {
    const room = this.#kernel.restore(from.state.length);
    if (room === 0) throw new RangeError('the checkpoint does not fit these parameters');
    this.#write(room, from.state);
    while (this.#kernel.resumed(budget) === 0) between?.(this);
    this.steps = from.steps;
    this.digests.push(...from.digests);
    this.rows.push(...from.rows);
  }

  #endSegment(): void {
    const [only] = this.#segmentRows;
    const rows = only && this.#segmentRows.length === 1 ? only : concat(this.#segmentRows);
    this.#segmentRows = [];
    const at = this.#kernel.state(); // tests finiteness, so it comes before status()
    const status = this.#kernel.status();
    const length = this.#kernel.stateLength() >>> 0;
    const state = new Uint8Array(this.#kernel.memory.buffer, at >>> 0, length);
    this.rows.push(rows);
    this.digests.push(
      segmentDigest(this.runHash, {
        segment: this.digests.length,
        steps: this.steps,
        status,
        state,
        rowsHash: rows.length === 0 ? noRowsHash : sha256(rows),
      }),
    );
  }

  #drain(): void {
    const length = this.#kernel.drainLength() >>> 0;
    if (length > 0) this.#segmentRows.push(this.#copy(this.#kernel.drain(), length));
    this.rowBytes += length;
  }

  #copy(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#kernel.memory.buffer, at >>> 0, length >>> 0).slice();
  }

  #write(at: number, bytes: Uint8Array): void {
    new Uint8Array(this.#kernel.memory.buffer, at >>> 0, bytes.length).set(bytes);
  }
}

/** One run from start (or checkpoint) to its end, or to the end of `untilSegment`, in this thread. */
export function driveRun(kernel: KernelExports, spec: RunSpec, options: DriveOptions = {}): FinishedRun {
  const run = new RunInProgress(kernel, spec);
  run.start(options);
  options.atSegmentEnd?.(run);
  const last = options.untilSegment ?? Number.POSITIVE_INFINITY;
  while (run.status === RUNNING && run.segment < last) {
    run.advanceSegment(options);
    options.atSegmentEnd?.(run);
  }
  return run.finished();
}

/** The module's digest must be the kernel's name. */
export function checkKernelBytes(kernel: string, bytes: Uint8Array): void {
  if (toHex(sha256(bytes)) !== kernel) throw new RangeError(`these bytes are not kernel ${kernel}`);
  fromHex(kernel);
}
