import { sha256 } from '#crypto';
import { runHash, segmentDigest } from '../../src/proof/digests.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import type { Checkpoint, ExecuteOptions, Executor, RunSpec } from '../../workers/executor.ts';

/**
 * Threads that lie: one bit of the state is turned before it is hashed, from some segment on, so that everything that
 * is shown fits together and only another execution can tell. For tests alone.
 */
export class LyingPool implements Executor {
  /** Spans that were false. */
  lies = 0;
  /** The first segment that is false; may be set at any time. */
  from: number;
  readonly #honest: Executor;

  constructor(honest: Executor, from = 0) {
    this.#honest = honest;
    this.from = from;
  }

  execute(spec: RunSpec, options: ExecuteOptions = {}): Promise<FinishedRun> {
    const { onCheckpoint, spans } = options;
    return this.#honest.execute(spec, {
      ...options,
      ...(onCheckpoint && { onCheckpoint: (checkpoint) => onCheckpoint(this.#false(spec, checkpoint, 0)) }),
      ...(spans && {
        spans: { ...spans, onEnd: (end) => spans.onEnd(this.#false(spec, end, 1)) },
      }),
    });
  }

  close(): Promise<void> {
    return this.#honest.close();
  }

  #false<C extends Checkpoint>(spec: RunSpec, checkpoint: C, status: number): C {
    const { segment, steps, rows } = checkpoint;
    if (segment < this.from || checkpoint.state.length === 0) return checkpoint;
    this.lies++;
    const state = checkpoint.state.slice();
    state[state.length >> 1]! ^= 1;
    const run = runHash(spec.kernel, spec.parameters, spec.stepsPerSegment);
    const end = { segment, steps, status, state, rowsHash: sha256(rows.at(-1)!) };
    return { ...checkpoint, state, digests: checkpoint.digests.with(-1, segmentDigest(run, end)) };
  }
}
