import { sha256 } from '#crypto';
import { Refusal } from '../../src/errors/refusal.ts';
import { equalBytes, toHex } from '../../src/proof/bytes.ts';
import { digestsOfRun, runHash } from '../../src/proof/digests.ts';
import type { Digest, FinishedRun } from '../../src/proof/job.ts';
import type { Store } from '../../src/store/store.ts';
import type { ExecuteOptions, Executor, RunName, RunSpec, StaysHere } from '../../workers/executor.ts';
import { RUNNING } from '../../workers/kernel-host.ts';
import type { KernelCatalogue } from '../../workers/kernels.ts';
import { openRun, type Policy, type RunState } from '../decide/run.ts';
import { LEAST_MEMORY } from '../desk.ts';
import type { JobClass } from '../subjects.ts';
import type { Coordinator } from './coordinator.ts';
import { cleared, doubtful, replacedByHouse } from './doubts.ts';
import { Gathered, MissingBytes } from './gathered.ts';
import { KERNELS, type Objects } from './ports.ts';
import { acceptedSpans, pendingName, type RunSheet, type StoredRun, storedRun } from './run-rows.ts';
import { stateOf } from './span-bytes.ts';
import { takenHome } from './taken-home.ts';

export interface MeshExecutorParts {
  readonly coordinator: Coordinator;
  readonly store: Store;
  readonly objects: Objects;
  readonly catalogue: KernelCatalogue;
  /** This machine's threads: for runs that are too short to travel, and for all while the mesh is empty. */
  readonly local: Executor;
  /** Whether anybody is there who could take work. */
  readonly isPeopled: () => Promise<boolean>;
  readonly policy: Policy;
  readonly now: () => bigint;
  /** Below so many work units a run stays here. Default 0.5 s of the reference core. */
  readonly leastWork?: number;
}

const LEAST_WORK = 500_000_000;
/** Above so many work units a run is a large one of its class. */
const LARGE_WORK = 60_000_000_000;
const UNEVEN = 4;
/** A claim with state and rows goes in one message, whose parts are 512 MiB at most: beside the state there is room. */
const MOST_STATE = 448 * 2 ** 20;
const POLL_MS = 1000;
/** A kernel that was put into the object store is not put there again before so long, however many runs ask for it. */
const KERNEL_MS = 4000;
/** Looks without any change until it is asked whether bytes were lost. */
const STALLED_POLLS = 5;
/** A run that is not done after its work fifty times over, and an hour, is given up and refunded. */
const DEADLINE_FACTOR = 50n;
const DEADLINE_LEAST_NS = 3_600_000_000_000n;

/**
 * The executor port over the mesh: puts a run into the store, where contributors take its segments, and gathers what
 * was accepted. What it knows is in the store: killed at any moment, another process goes on with the same run.
 */
export class MeshExecutor implements Executor {
  readonly #parts: MeshExecutorParts;
  readonly #kernels = new Map<Digest, { readonly atMs: number; readonly done: Promise<void> }>();

  constructor(parts: MeshExecutorParts) {
    this.#parts = parts;
  }

  async execute(spec: RunSpec, options: ExecuteOptions = {}): Promise<FinishedRun> {
    const { name } = options;
    const { local, store } = this.#parts;
    if (!name) return local.execute(spec, options);
    const known = this.#isShort(spec) ? undefined : await storedRun(store, name.id);
    const stays = known ? undefined : await this.#whyHere(spec, options);
    if (stays) {
      options.onStays?.(stays);
      return local.execute(spec, options);
    }
    const isThere = known && known.machine.state !== 'failed' && known.sheet.runHash === hashOf(spec);
    if (isThere || (await unlessAway(this.#begin(spec, name, options))))
      return this.#gather(spec, name, options);
    options.onStays?.('alone');
    return local.execute(spec, known ? await this.#takenHome(known, options) : options);
  }

  /** The mesh has begun it, and can neither be asked to go on nor to begin anew: nothing more of it is accepted. */
  async #takenHome(known: StoredRun, options: ExecuteOptions): Promise<ExecuteOptions> {
    const { coordinator, store } = this.#parts;
    const { id, state } = known.machine;
    if (state === 'open') await coordinator.cancel(id);
    return takenHome(store, known, options);
  }

  #isShort({ work }: RunSpec): boolean {
    return work < (this.#parts.leastWork ?? LEAST_WORK);
  }

  /** @returns undefined for a run that goes over the mesh */
  async #whyHere(spec: RunSpec, options: ExecuteOptions): Promise<StaysHere | undefined> {
    if (this.#isShort(spec)) return 'short';
    if (isTooLarge(spec, options)) return 'large';
    return (await this.#parts.isPeopled()) ? undefined : 'alone';
  }

  /** The mesh goes on without this process; its threads end what they have. */
  close(): Promise<void> {
    return this.#parts.local.close();
  }

  // ---- into the store ----------------------------------------------------------------------------------

  /** @returns true */
  async #begin(spec: RunSpec, name: RunName, options: ExecuteOptions): Promise<true> {
    const { coordinator, policy } = this.#parts;
    const parameters = await this.#provide(name.id, spec);
    const start = options.resumeFrom && (await this.#startOf(name.id, options.resumeFrom));
    const sheet: RunSheet = {
      runHash: hashOf(spec),
      kernel: spec.kernel,
      parameters,
      stepsPerSegment: spec.stepsPerSegment,
      memory: memoryOf(spec),
      work: spec.work,
      class: classOf(spec, name),
      start,
    };
    const machine = openRun(
      {
        id: name.id,
        kernel: spec.kernel,
        payer: name.payer,
        policy: name.replication ?? policy,
        work: { planned: spec.work, segment: segmentWork(spec) },
        accepted: start?.segment,
      },
      0,
    );
    await coordinator.begin(name.job, sheet, machine, this.#deadline(spec));
    return true;
  }

  #deadline({ work }: RunSpec): bigint {
    const often = DEADLINE_FACTOR * BigInt(Math.ceil(work));
    return this.#parts.now() + (often > DEADLINE_LEAST_NS ? often : DEADLINE_LEAST_NS);
  }

  /** Kernel and parameters, where contributors can fetch them. */
  async #provide(run: string, { kernel, parameters }: RunSpec): Promise<string> {
    const { objects, catalogue } = this.#parts;
    const module = catalogue.bytes(kernel);
    if (!module) throw new Refusal('KERNEL_CRASHED', `Kernel ${kernel.slice(0, 12)}… is not here.`);
    const [digest] = await Promise.all([objects.put(run, parameters), this.#provideKernel(kernel, module)]);
    return digest;
  }

  async #provideKernel(kernel: Digest, module: Uint8Array): Promise<void> {
    const put = this.#kernels.get(kernel);
    if (put && performance.now() - put.atMs < KERNEL_MS) return put.done;
    const done = this.#parts.objects.put(KERNELS, module).then(() => undefined);
    this.#kernels.set(kernel, { atMs: performance.now(), done });
    await done.catch((error: unknown) => {
      this.#kernels.delete(kernel);
      throw error;
    });
  }

  async #startOf(run: string, from: NonNullable<ExecuteOptions['resumeFrom']>): Promise<RunSheet['start']> {
    return {
      segment: from.segment,
      steps: from.steps,
      work: String(from.work ?? 0n),
      digest: toHex(from.digests.at(-1)!),
      state: await this.#parts.objects.put(run, from.state),
      rowsHash: toHex(sha256(from.rows.at(-1)!)),
    };
  }

  // ---- out of the store --------------------------------------------------------------------------------

  async #gather(spec: RunSpec, name: RunName, options: ExecuteOptions): Promise<FinishedRun> {
    const { coordinator, store, objects } = this.#parts;
    const gathered = new Gathered(name.id, spec, objects, options);
    const change = new Change();
    const unwatch = coordinator.watch(name.id, () => change.happened());
    const onAbort = () => change.happened();
    options.signal?.addEventListener('abort', onAbort, { once: true });
    let still = 0;
    try {
      for (;;) {
        const stored = await storedRun(store, name.id);
        if (!stored) throw new Refusal('KERNEL_CRASHED', `Run ${name.id} is gone from the store.`);
        const before = gathered.segment;
        const finished = await unlessAway(this.#take(stored, gathered, name, spec));
        if (finished) return await this.#undoubted(finished, stored, spec, options);
        await this.#leaveIfAborted(name, options.signal);
        still = gathered.segment === before ? still + 1 : 0;
        if (still > 0 && still % STALLED_POLLS === 0) await unlessAway(this.#mend(stored, gathered, spec));
        await change.within(POLL_MS);
      }
    } finally {
      unwatch();
      options.signal?.removeEventListener('abort', onAbort);
    }
  }

  async #take(
    { machine }: StoredRun,
    gathered: Gathered,
    { id }: RunName,
    spec: RunSpec,
  ): Promise<FinishedRun | undefined> {
    refuseGivenUp(machine.state);
    try {
      for (const span of await acceptedSpans(this.#parts.store, id, gathered.segment))
        await gathered.add(span);
    } catch (error) {
      if (!(error instanceof MissingBytes)) throw error;
      await this.#rewind(id, gathered, spec);
      return undefined;
    }
    return machine.state === 'done' && gathered.isWhole ? gathered.finished() : undefined;
  }

  /**
   * What stands on nothing but the word of somebody who was found out in this run, the service's own threads run before
   * anything is made of it; where they find another thing they run all of it. They are paid nothing, and nobody is.
   */
  async #undoubted(
    finished: FinishedRun,
    { machine: { id, distrusted = [] } }: StoredRun,
    spec: RunSpec,
    { signal }: ExecuteOptions,
  ): Promise<FinishedRun> {
    const { store, local } = this.#parts;
    const spans = await doubtful(store, id, distrusted);
    if (spans.length === 0) return finished;
    const through = Math.max(...spans.map(({ to_segment }) => Number(to_segment)));
    const own = await local.execute(spec, { untilSegment: through, ...(signal && { signal }) });
    if (!isBeginningOf(own, finished)) {
      await store.transaction((tx) => replacedByHouse(tx, id, -1));
      return local.execute(spec, signal ? { signal } : {});
    }
    await store.transaction((tx) => cleared(tx, spans));
    return finished;
  }

  /** A process that drains leaves the run to the mesh; a job that is cancelled takes it back. */
  async #leaveIfAborted({ id }: RunName, signal: AbortSignal | undefined): Promise<void> {
    if (!signal?.aborted) return;
    if (signal.reason !== 'abandoned') await this.#parts.coordinator.cancel(id);
    throw new Refusal('CANCELLED', 'The run was cancelled.');
  }

  /** Nothing moves: perhaps what it needs was lost with the object store. */
  async #mend(stored: StoredRun, gathered: Gathered, spec: RunSpec): Promise<void> {
    const { id } = stored.machine;
    await this.#provide(id, spec);
    if (await this.#hasStates(stored, gathered)) return;
    await this.#rewind(id, gathered, spec);
  }

  /** Those from which the next segment goes on, and the first check that is waited for. */
  async #hasStates({ machine, pending, sheet }: StoredRun, gathered: Gathered): Promise<boolean> {
    const { objects } = this.#parts;
    const { spans } = machine;
    const checked = spans.findIndex(({ sound }) => !sound);
    for (const before of new Set([spans.at(-1), spans[checked < 0 ? spans.length - 1 : checked - 1]])) {
      const last = before?.claim
        ? { claim: before.claim, bytes: pending[pendingName(before)] ?? '' }
        : gathered.lastSpan;
      const isThere = last
        ? (await stateOf(objects, machine.id, last)) !== undefined
        : !sheet.start || (await objects.get(machine.id, sheet.start.state)) !== undefined;
      if (!isThere) return false;
    }
    return true;
  }

  async #rewind(id: string, gathered: Gathered, spec: RunSpec): Promise<void> {
    const { coordinator } = this.#parts;
    await this.#provide(id, spec);
    const kept = gathered.backToCheckpoint();
    const start = kept && (await this.#startOf(id, kept));
    await coordinator.rewind(id, start);
  }

  /** What was kept for the runs of a job may go: the job is over. */
  ended(job: string): Promise<void> {
    return this.#parts.coordinator.forget(job);
  }
}

/** Whether a run, or the first segments of it, came out as the other did. */
function isBeginningOf(own: FinishedRun, whole: FinishedRun): boolean {
  if (own.status !== RUNNING) return toHex(digestsOfRun(own).leaf) === toHex(digestsOfRun(whole).leaf);
  return own.digests.every((digest, i) => whole.digests[i] && equalBytes(digest, whole.digests[i]));
}

/** What cannot be had now, because the transport is away or has no room, is there later: no run ends with it. */
async function unlessAway<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'MESH_UNAVAILABLE') return undefined;
    throw error;
  }
}

/** What was given up is not mended, even where its bytes are gone already. @throws Refusal CANCELLED · KERNEL_CRASHED */
function refuseGivenUp(state: RunState): void {
  if (state === 'cancelled') throw new Refusal('CANCELLED', 'The run was cancelled.');
  if (state === 'failed')
    throw new Refusal('KERNEL_CRASHED', 'No node could run a segment of this, nor could the service itself.');
}

/** Work of a segment by the rule of docs/protocol.md, 'Segment length', with room for uneven steps; one step may take all of it. */
function segmentWork({ stepsPerSegment, layout, work }: RunSpec): number {
  const most = stepsPerSegment > 1 ? UNEVEN * Math.max(2 ** 27, 2 ** 7 * (layout ?? 0)) : LARGE_WORK;
  return Math.min(work, most);
}

const hashOf = ({ kernel, parameters, stepsPerSegment }: RunSpec): Digest =>
  toHex(runHash(kernel, parameters, stepsPerSegment));

/** Whether a state may be too large to travel: this machine's threads can run it, the mesh would try for ever. */
const isTooLarge = ({ layout = 0 }: RunSpec, { resumeFrom }: ExecuteOptions): boolean =>
  Math.max(layout, resumeFrom?.state.length ?? 0) > MOST_STATE;

/** What a contributor must have free for it: twice its layout, where that is known, and never above its limit. */
function memoryOf({ memory, layout }: RunSpec): number {
  return layout === undefined ? memory : Math.min(memory, Math.max(LEAST_MEMORY, 2 * layout));
}

function classOf({ work }: RunSpec, { paid }: RunName): JobClass {
  const size = work > LARGE_WORK ? 'large' : 'small';
  return paid ? `paid-${size}` : `free-${size}`;
}

/** Wakes one waiter when something happened, also if it happened before the wait began. */
class Change {
  #pending = false;
  #wake: () => void = () => undefined;

  happened(): void {
    this.#pending = true;
    this.#wake();
  }

  async within(ms: number): Promise<void> {
    if (!this.#pending)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#pending = false;
  }
}
