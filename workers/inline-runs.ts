import type { Digest, FinishedRun } from '../src/proof/job.ts';
import type { RunSpec } from './executor.ts';
import { KernelInstances, MemoryExceeded } from './instances.ts';
import type { KernelCatalogue } from './kernels.ts';

/** Work units, so about 20 µs: less than a message to a thread and its answer cost this thread. */
const INLINE_WORK = 20_000;
/** An instance that grew beyond this is dropped: the main thread holds little. */
const KEEP_BELOW_BYTES = 2 ** 20;

/**
 * Kernels whose shortest runs may be done on the main thread. `expression` is straight-line bytecode: it cannot stand
 * still, and each call into it ends after its budget. Longer kernels gain nothing: hashing their states here costs
 * what the message would.
 */
export const inlineKernels: readonly string[] = ['expression'];

/** The run does more than it said: a thread does it, where it can be watched and stopped. */
class TooLong extends Error {}

/**
 * Runs of a few microseconds on the calling thread, by the same host as in a worker thread, so with the same digests.
 * A trap is caught and costs its instance and nothing else: a kernel sees only its own memory.
 */
export class InlineRuns {
  readonly #instances: KernelInstances;
  readonly #kernels: ReadonlySet<Digest>;

  /** @param names kernels that may run here; names that the catalogue lacks are passed over */
  constructor(catalogue: KernelCatalogue, names: readonly string[]) {
    const there = new Set(catalogue.names);
    this.#kernels = new Set(names.filter((name) => there.has(name)).map((name) => catalogue.digest(name)));
    this.#instances = new KernelInstances(catalogue, KEEP_BELOW_BYTES);
  }

  /** @returns the finished run, or undefined when a thread must do it. @throws what the kernel traps with */
  run(spec: RunSpec): FinishedRun | undefined {
    if (spec.work > INLINE_WORK || !this.#kernels.has(spec.kernel)) return undefined;
    try {
      return this.#instances.run(spec, () => ({
        budget: INLINE_WORK,
        between: (run) => {
          if (run.work > INLINE_WORK) throw new TooLong();
        },
      }));
    } catch (error) {
      if (error instanceof TooLong || error instanceof MemoryExceeded) return undefined;
      throw error;
    }
  }
}
