import type { Digest, FinishedRun } from '../src/proof/job.ts';
import type { RunSpec } from './executor.ts';
import { type DriveOptions, driveRun, instantiateKernel, type KernelExports } from './kernel-host.ts';
import type { KernelCatalogue } from './kernels.ts';
import { leadTeam, setSeats, type Team } from './team.ts';

/** The kernel took more memory than its run may. */
export class MemoryExceeded extends Error {}

/** A twin may take this many times the memory of its kernel: threads have rooms of their own. */
const TEAM_MEMORY = 4;

/** A thread's kernels, made on first use and used again. */
export class KernelInstances {
  readonly #catalogue: KernelCatalogue;
  readonly #keepBelowBytes: number;
  readonly #instances = new Map<Digest, KernelExports>();
  readonly #twins = new Map<Digest, WebAssembly.Module | undefined>();

  /** @param keepBelowBytes an instance whose memory grew to this is dropped, so that an idle thread holds little */
  constructor(catalogue: KernelCatalogue, keepBelowBytes: number) {
    this.#catalogue = catalogue;
    this.#keepBelowBytes = keepBelowBytes;
  }

  /**
   * One run from its start, or a checkpoint, to its end.
   * @param invite called where several threads can do it, with what the others need; they may come until this returns
   * @throws MemoryExceeded · what the kernel traps with
   */
  run(spec: RunSpec, options: () => DriveOptions, invite?: (team: Team) => void): FinishedRun {
    const twin = invite && this.#twin(spec.kernel);
    if (!twin) return this.#runAlone(spec, options());
    const { kernel, team } = leadTeam(twin);
    try {
      invite(team);
      return drive(kernel, spec, TEAM_MEMORY * spec.memory, options());
    } finally {
      setSeats(team, 0);
    }
  }

  #runAlone(spec: RunSpec, options: DriveOptions): FinishedRun {
    try {
      const kernel = this.#instance(spec.kernel);
      const run = drive(kernel, spec, spec.memory, options);
      if (kernel.memory.buffer.byteLength > this.#keepBelowBytes) this.#instances.delete(spec.kernel);
      return run;
    } catch (error) {
      this.#instances.delete(spec.kernel); // after a trap nothing in it can be trusted
      throw error;
    }
  }

  #twin(kernel: Digest): WebAssembly.Module | undefined {
    if (!this.#twins.has(kernel)) {
      const bytes = this.#catalogue.teamBytes(kernel);
      this.#twins.set(kernel, bytes && new WebAssembly.Module(bytes as BufferSource));
    }
    return this.#twins.get(kernel);
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

function drive(
  kernel: KernelExports,
  spec: RunSpec,
  memory: number,
  { between, ...others }: DriveOptions,
): FinishedRun {
  return driveRun(kernel, spec, {
    ...others,
    between: (run) => {
      if (kernel.memory.buffer.byteLength > memory) throw new MemoryExceeded();
      between?.(run);
    },
  });
}
