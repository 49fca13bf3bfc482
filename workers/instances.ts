import type { Digest, FinishedRun } from '../src/proof/job.ts';
import type { RunSpec } from './executor.ts';
import { type DriveOptions, driveRun, instantiateKernel, type KernelExports } from './kernel-host.ts';
import type { KernelCatalogue } from './kernels.ts';

/** The kernel took more memory than its run may. */
export class MemoryExceeded extends Error {}

/** A thread's kernels, made on first use and used again. */
export class KernelInstances {
  readonly #catalogue: KernelCatalogue;
  readonly #keepBelowBytes: number;
  readonly #instances = new Map<Digest, KernelExports>();

  /** @param keepBelowBytes an instance whose memory grew to this is dropped, so that an idle thread holds little */
  constructor(catalogue: KernelCatalogue, keepBelowBytes: number) {
    this.#catalogue = catalogue;
    this.#keepBelowBytes = keepBelowBytes;
  }

  /** One run from its start, or a checkpoint, to its end. @throws MemoryExceeded · what the kernel traps with */
  run(spec: RunSpec, options: () => DriveOptions): FinishedRun {
    try {
      const kernel = this.#instance(spec.kernel);
      const { between, ...others } = options();
      const run = driveRun(kernel, spec, {
        ...others,
        between: (run) => {
          if (kernel.memory.buffer.byteLength > spec.memory) throw new MemoryExceeded();
          between?.(run);
        },
      });
      if (kernel.memory.buffer.byteLength > this.#keepBelowBytes) this.#instances.delete(spec.kernel);
      return run;
    } catch (error) {
      this.#instances.delete(spec.kernel); // after a trap nothing in it can be trusted
      throw error;
    }
  }

  #instance(kernel: Digest): KernelExports {
    const known = this.#instances.get(kernel);
    if (known) return known;
    const bytes = this.#catalogue.bytes(kernel);
    if (!bytes) throw new Error(`kernel ${kernel} is not in this node's folders`);
    const made = instantiateKernel(new WebAssembly.Module(bytes as BufferSource));
    this.#instances.set(kernel, made);
    return made;
  }
}
