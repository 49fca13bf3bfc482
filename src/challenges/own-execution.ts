import type { Executor } from '../../workers/executor.ts';
import type { SegmentRun, SegmentWork } from './ports.ts';
import { runThrough } from './through-segment.ts';

/** WebAssembly engine and processor of this process. */
export const ownEngine = (): string => `v8-${process.versions.v8} ${process.arch}`;

/**
 * The service runs the segments itself, on the threads of this machine, from the start of the run. One after the
 * other: a challenger has paid for two executions, not for all the threads.
 */
export class OwnExecution {
  readonly #executor: Executor;
  readonly #node: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: { readonly executor: Executor; readonly node: string }) {
    this.#executor = parts.executor;
    this.#node = parts.node;
  }

  /** @throws Refusal as the executor does */
  run(work: SegmentWork, signal: AbortSignal): Promise<SegmentRun> {
    const run = this.#last.then(() => {
      signal.throwIfAborted();
      return this.#run(work, signal);
    });
    this.#last = run.catch(() => undefined);
    return run;
  }

  async #run(work: SegmentWork, signal: AbortSignal): Promise<SegmentRun> {
    const { through, sides: _, ...spec } = work;
    const ran = await runThrough(this.#executor, spec, through, { signal });
    return { node: this.#node, engine: ownEngine(), ...ran };
  }
}
