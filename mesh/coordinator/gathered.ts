import { fromHex, toHex } from '../../src/proof/bytes.ts';
import { runHash } from '../../src/proof/digests.ts';
import type { Digest, FinishedRun } from '../../src/proof/job.ts';
import type { Checkpoint, ExecuteOptions, RunSpec } from '../../workers/executor.ts';
import type { Objects } from './ports.ts';
import type { AcceptedSpan } from './run-rows.ts';
import { unpackSpan } from './span-bytes.ts';

/** An object that an accepted span names is not there: the object store lost it. */
export class MissingBytes extends Error {
  override readonly name = 'MissingBytes';
}

/**
 * What was accepted of a run so far, in order: digests and rows, from which the finished run is made, checkpoints for
 * whoever asked for them, and progress.
 */
export class Gathered {
  readonly #run: string;
  readonly #spec: RunSpec;
  readonly #objects: Objects;
  readonly #options: ExecuteOptions;
  #digests: Uint8Array[];
  #rows: Uint8Array[];
  #last: { span: AcceptedSpan; observed: readonly number[]; result?: Uint8Array } | undefined;
  /** The last checkpoint that is durable elsewhere, whole. */
  #kept: Checkpoint | undefined;
  #keptAt = performance.now();
  #states: Digest[] = [];
  /** Rows that are here, perhaps with a state that somebody goes on from, and were not let go of. */
  #packed: { readonly name: Digest; readonly hasState: boolean }[] = [];

  constructor(run: string, spec: RunSpec, objects: Objects, options: ExecuteOptions) {
    this.#run = run;
    this.#spec = spec;
    this.#objects = objects;
    this.#options = options;
    this.#kept = options.resumeFrom;
    this.#digests = [...(this.#kept?.digests ?? [])];
    this.#rows = [...(this.#kept?.rows ?? [])];
  }

  /** Last segment that is here; −1 before D₀. */
  get segment(): number {
    return this.#digests.length - 1;
  }

  /** The last span since the last checkpoint. */
  get lastSpan(): AcceptedSpan | undefined {
    return this.#last?.span;
  }

  get isWhole(): boolean {
    return this.#last?.span.claim.final !== undefined;
  }

  /** @throws MissingBytes */
  async add(span: AcceptedSpan): Promise<void> {
    const { claim } = span;
    // Another service node went back, and what was run again was cut otherwise.
    if (claim.from !== this.segment + 1) throw new MissingBytes(`segments before ${claim.from}`);
    const packed = await this.#objects.get(this.#run, span.bytes);
    if (!packed) throw new MissingBytes(`rows of segments ${claim.from} to ${claim.to}`);
    const { rows, result, observed, state } = unpackSpan(packed);
    this.#digests.push(...claim.digests.map(fromHex));
    this.#rows.push(...rows);
    this.#packed.push({ name: span.bytes, hasState: state !== undefined });
    this.#last = { span, result, observed };
    const { steps, work, to: segments } = claim;
    this.#options.onProgress?.({ steps, segments, work: BigInt(work), observed });
    if (!claim.final) await this.#keep(span, state);
    if (!state) await this.#thin(claim.state);
  }

  async #keep({ claim }: AcceptedSpan, beside: Uint8Array | undefined): Promise<void> {
    const { onCheckpoint, checkpointMs = 2000 } = this.#options;
    if (!onCheckpoint || performance.now() - this.#keptAt < checkpointMs) return;
    const state = beside ?? (await this.#objects.get(this.#run, claim.state));
    if (!state) return; // it was the last but two already
    const whole: Checkpoint = {
      ...{ segment: claim.to, steps: claim.steps, work: BigInt(claim.work), state, from: 0 },
      ...{ digests: [...this.#digests], rows: [...this.#rows] },
    };
    const from = (this.#kept?.segment ?? -1) + 1;
    await onCheckpoint({ ...whole, from, digests: whole.digests.slice(from), rows: whole.rows.slice(from) });
    this.#kept = whole;
    this.#keptAt = performance.now();
    await this.#freeRows();
  }

  /** Whoever gathers begins at the checkpoint: rows before it are asked for no more, unless a state lies beside them. */
  async #freeRows(): Promise<void> {
    const packed = this.#packed;
    this.#packed = packed.slice(-2).filter(({ hasState }) => hasState);
    for (const each of packed) if (!this.#packed.includes(each)) await this.#free(each.name);
  }

  /** The last two states of a living run stay; older ones are computed again when a dispute needs them. */
  async #thin(state: Digest): Promise<void> {
    this.#states.push(state);
    while (this.#states.length > 2) {
      const old = this.#states.shift()!;
      if (!this.#states.includes(old)) await this.#free(old);
    }
  }

  /** What cannot be let go of now goes with the run. */
  async #free(name: Digest): Promise<void> {
    await this.#objects.delete(this.#run, name).catch(() => undefined);
  }

  /** Forgets what came after the last checkpoint. @returns it, or undefined for the start of the run */
  backToCheckpoint(): Checkpoint | undefined {
    const count = (this.#kept?.segment ?? -1) + 1;
    this.#digests = this.#digests.slice(0, count);
    this.#rows = this.#rows.slice(0, count);
    this.#last = undefined;
    this.#states = [];
    this.#packed = [];
    return this.#kept;
  }

  finished(): FinishedRun {
    const { span, result, observed } = this.#last!;
    const { kernel, parameters, stepsPerSegment } = this.#spec;
    return {
      kernel,
      runHash: toHex(runHash(kernel, parameters, stepsPerSegment)),
      stepsPerSegment,
      status: span.claim.final!.status,
      steps: span.claim.steps,
      digests: this.#digests,
      result: result ?? new Uint8Array(0),
      rows: this.#rows,
      work: BigInt(span.claim.work),
      observed,
    };
  }
}
