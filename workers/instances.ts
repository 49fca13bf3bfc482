import type { Digest, FinishedRun } from '../src/proof/job.ts';
import type { Checkpoint, RunSpec } from './executor.ts';
import {
  type DriveOptions,
  driveRun,
  instantiateKernel,
  type KernelExports,
  type RunInProgress,
} from './kernel-host.ts';
import type { KernelCatalogue } from './kernels.ts';
import { collectMemories, isBroken, leadTeam, setSeats, type Team } from './team.ts';

/** The kernel took more memory than its run may. */
export class MemoryExceeded extends Error {}

/** Of a run with threads that have rooms of their own. */
const TEAM_MEMORY = 512 * 2 ** 20;
/** How old the state may be that an assisted run goes on from alone, where a segment takes no longer. */
const KEEP_MS = 2000;
/** A twin takes up to this many times the memory of its kernel, most of them one or two. */
const ROOMS = 8;

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
   * One run from its start, or a checkpoint, to its end. Where a thread that assists it is lost it goes on alone, from the
   * last state that was kept, as if nobody had come.
   * @param invite called where several threads can do it, with what the others need; they may come until this returns
   * @throws MemoryExceeded · what the kernel traps with
   */
  run(spec: RunSpec, options: () => DriveOptions, invite?: (team: Team) => void): FinishedRun {
    try {
      const run = invite && this.#runTogether(spec, options(), invite);
      return run ?? this.#runAlone(spec, options());
    } catch (error) {
      if (!(error instanceof TeamLost)) throw error;
      collectMemories();
      const own = options();
      return this.#runAlone(spec, { ...own, resumeFrom: error.kept ?? own.resumeFrom });
    }
  }

  /** Undefined where one thread does it alone. */
  #runTogether(spec: RunSpec, options: DriveOptions, invite: (team: Team) => void): FinishedRun | undefined {
    const led = this.#lead(spec);
    return led && runLed(led, spec, options, invite);
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

  /** Undefined without a twin, or without the memory for one. */
  #lead({ kernel, layout, memory }: RunSpec): Led | undefined {
    const twin = ROOMS * (layout ?? memory) <= TEAM_MEMORY ? this.#twin(kernel) : undefined;
    if (!twin) return undefined;
    collectMemories();
    try {
      return leadTeam(twin);
    } catch {
      return undefined; // no address space for a shared memory
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

type Led = ReturnType<typeof leadTeam>;

/** A block was begun by another thread and will never be done, so that the shared memory is worth nothing. */
class TeamLost extends Error {
  readonly kept: Checkpoint | undefined;

  constructor(kept: Checkpoint | undefined) {
    super();
    this.kept = kept;
  }
}

/** Others are called once the kernel is laid out: an instance that is made while a memory grows may not see all of it. */
function runLed(
  { kernel, team }: Led,
  spec: RunSpec,
  options: DriveOptions,
  invite: (team: Team) => void,
): FinishedRun {
  let isInvited = false;
  let kept: Checkpoint | undefined;
  let keptAt = performance.now();
  const atSegmentEnd = (run: RunInProgress) => {
    if (!isInvited) invite(team);
    isInvited = true;
    if (performance.now() - keptAt > KEEP_MS) {
      kept = run.checkpoint(0);
      keptAt = performance.now();
    }
    options.atSegmentEnd?.(run);
  };
  try {
    return drive(kernel, spec, Math.max(spec.memory, TEAM_MEMORY), { ...options, atSegmentEnd });
  } catch (error) {
    throw isBroken(team) && error instanceof WebAssembly.RuntimeError ? new TeamLost(kept) : error;
  } finally {
    setSeats(team, 0);
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
