import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { Refusal } from '../src/errors/refusal.ts';
import type { FinishedRun } from '../src/proof/job.ts';
import { Assistants } from './assistants.ts';
import type { ExecuteOptions, Executor, RunSpec } from './executor.ts';
import { InlineRuns, inlineKernels } from './inline-runs.ts';
import { KernelCatalogue } from './kernels.ts';
import type { Team } from './team.ts';
import { ControlSlot, type ThreadAnswer, type ThreadTask, unpackRun } from './wire.ts';

/** Short runs go out together in one message; above this a run has a thread to itself. */
const SHORT_WORK = 2_000_000;
/** Above this a run goes to the threads for long work, so that short ones never wait behind it, and others may assist it. */
const LONG_WORK = 500_000_000;
const BATCH = 64;
const SLOTS = 1024;
const POLL_MS = 200;
const CANCEL_GRACE_MS = 1000;

export interface PoolOptions {
  /** Threads for short and, apart from them, for long runs. Default: the processor's cores. */
  readonly threads?: number;
  readonly catalogue?: KernelCatalogue;
  /** A started run whose steps and work stand still this long is killed. Default 60 s. */
  readonly watchdogMs?: number;
  /** Names of kernels whose runs of a few microseconds are done on the main thread. */
  readonly inline?: readonly string[];
  /** Start threads only when there is a run for them; default: those for short runs wait for it. */
  readonly lazy?: boolean;
}

interface Active {
  readonly slot: ControlSlot;
  readonly onProgress: ExecuteOptions['onProgress'];
  readonly kill: (reason: Refusal) => void;
  last: string;
  idlePolls: number;
}

interface Waiting {
  readonly spec: RunSpec;
  readonly resolve: (run: FinishedRun) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Piscina tries `require` before `import`. A thread that is ended while Node requires a module takes the whole process
 * down (FATAL ERROR: v8::Module::IsGraphAsync), so threads have to import.
 */
const importAlone = ['--no-experimental-require-module'].filter((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

/**
 * Runs kernels on the threads of this machine by Piscina, one task a thread. Progress and the watchdog live on the
 * main thread and read shared memory; polls are counted, not seconds, so that a process that was suspended does not
 * find its own kernels hung.
 */
export class ThreadPool implements Executor {
  #short: Piscina<ThreadTask, ThreadAnswer[]>;
  #long: Piscina<ThreadTask, ThreadAnswer[]>;
  /** Threads that no long run has, for long runs that can use more than one. */
  #assistants: Assistants;
  #longTasks = 0;
  #inline: InlineRuns;
  #control = new SharedArrayBuffer(SLOTS * ControlSlot.bytes);
  #freeSlots = Array.from({ length: SLOTS }, (_, i) => SLOTS - 1 - i);
  #active = new Set<Active>();
  #waiting: Waiting[] = [];
  #slotWaiters: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #watchdogPolls: number;
  #closing = false;

  constructor(options: PoolOptions = {}) {
    const threads = options.threads ?? availableParallelism();
    const catalogue = options.catalogue ?? new KernelCatalogue();
    this.#inline = new InlineRuns(catalogue, options.inline ?? inlineKernels);
    this.#watchdogPolls = Math.ceil((options.watchdogMs ?? 60_000) / POLL_MS);
    const settings = {
      filename: fileURLToPath(new URL('./thread.js', import.meta.url)),
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 30_000,
      concurrentTasksPerWorker: 1,
      env: {},
      execArgv: importAlone,
      workerData: { control: this.#control, folders: catalogue.folders },
    };
    this.#short = new Piscina({ ...settings, minThreads: options.lazy ? 0 : threads });
    this.#long = new Piscina(settings);
    this.#assistants = new Assistants(threads - 1, settings);
  }

  /** For short runs, and as many more for long ones. */
  get threads(): number {
    return this.#short.maxThreads;
  }

  /** Runs that have not started yet. */
  get queued(): number {
    return this.#waiting.length + this.#short.queueSize + this.#long.queueSize;
  }

  execute(spec: RunSpec, options: ExecuteOptions = {}): Promise<FinishedRun> {
    if (this.#closing) return Promise.reject(shuttingDown());
    if (isAlone(options) || spec.work > SHORT_WORK) return this.#runAlone(spec, options);
    try {
      const run = this.#inline.run(spec);
      return run ? Promise.resolve(run) : this.#enqueueShort(spec);
    } catch (error) {
      return Promise.reject(trapOf(spec, error));
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#timer);
    await Promise.all([this.#short.destroy(), this.#long.destroy(), this.#assistants.close()]);
  }

  // ---- short runs, gathered ----------------------------------------------------------------------------

  #enqueueShort(spec: RunSpec): Promise<FinishedRun> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ spec, resolve, reject }) === 1) setImmediate(() => this.#flushShort());
    });
  }

  #flushShort(): void {
    const perThread = Math.ceil(this.#waiting.length / this.#short.maxThreads);
    while (this.#waiting.length > 0) void this.#runBatch(this.#waiting.splice(0, Math.min(BATCH, perThread)));
  }

  async #runBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#task(
        batch.map(({ spec }) => spec),
        {},
        this.#short,
      );
      batch.forEach(({ spec, resolve, reject }, i) => {
        const outcome = finishedOrRefusal(answers[i]!, spec);
        if (outcome instanceof Refusal) reject(outcome);
        else resolve(outcome);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  // ---- a run of its own --------------------------------------------------------------------------------

  async #runAlone(spec: RunSpec, options: ExecuteOptions): Promise<FinishedRun> {
    const lane = spec.work > LONG_WORK ? this.#long : this.#short;
    const [answer] = await this.#task([spec], options, lane);
    const outcome = finishedOrRefusal(answer!, spec);
    if (outcome instanceof Refusal) throw outcome;
    if (answer!.kind === 'finished' && answer!.end) options.spans?.onEnd(answer!.end);
    return outcome;
  }

  async #task(
    runs: readonly RunSpec[],
    options: ExecuteOptions,
    lane: Piscina<ThreadTask, ThreadAnswer[]>,
  ): Promise<ThreadAnswer[]> {
    const index = await this.#takeSlot();
    if (options.signal?.aborted) {
      this.#giveSlot(index);
      throw cancelled();
    }
    const slot = new ControlSlot(this.#control, index);
    slot.reset();
    const killer = new AbortController();
    let killedBecause: unknown;
    const kill = (reason: unknown) => {
      killedBecause ??= reason;
      killer.abort();
    };
    const active: Active = { slot, onProgress: options.onProgress, kill, last: '', idlePolls: 0 };
    const cancel = cancellation(slot, kill);
    options.signal?.addEventListener('abort', cancel.request, { once: true });
    const checkpoints = checkpointChannel(options, slot, (error) => {
      killedBecause ??= error;
      slot.cancel();
    });
    const isLong = lane === this.#long;
    const invitations = isLong ? this.#invitationChannel() : undefined;
    if (isLong) this.#assistants.limit(this.threads - ++this.#longTasks);
    this.#watch(active);
    try {
      const { resumeFrom, untilSegment, spans } = options;
      const where = { resumeFrom, untilSegment, holdMs: spans?.holdMs, longMs: spans?.longMs };
      const ports = { ...checkpoints?.forTask, ...invitations?.forTask };
      const task: ThreadTask = { runs, slot: index, ...where, ...ports };
      const transferList = [...(checkpoints?.transfer ?? []), ...(invitations?.transfer ?? [])];
      const answers = await lane.run(task, { signal: killer.signal, transferList });
      await checkpoints?.settled();
      if (killedBecause) throw killedBecause;
      if (options.onProgress) options.onProgress(slot.progress);
      return answers;
    } catch (error) {
      throw killedBecause ?? (this.#closing ? shuttingDown() : crashOf(error));
    } finally {
      cancel.clear();
      checkpoints?.close();
      invitations?.close();
      if (isLong) this.#longTasks--;
      options.signal?.removeEventListener('abort', cancel.request);
      this.#active.delete(active);
      this.#giveSlot(index);
    }
  }

  /** Hears from a run's thread that others may assist it, for as long as it goes on. */
  #invitationChannel() {
    const { port1, port2 } = new MessageChannel();
    let team: Team | undefined;
    let isOver = false;
    port1.on('message', (invited: Team) => {
      if (isOver) return;
      team = invited;
      this.#assistants.add(team);
      this.#assistants.spread(this.threads - this.#longTasks);
    });
    return {
      forTask: { invitations: port2 },
      transfer: [port2],
      close: () => {
        isOver = true;
        port1.close();
        if (team) this.#assistants.remove(team);
      },
    };
  }

  async #takeSlot(): Promise<number> {
    while (this.#freeSlots.length === 0)
      await new Promise<void>((resolve) => this.#slotWaiters.push(resolve));
    return this.#freeSlots.pop()!;
  }

  #giveSlot(index: number): void {
    this.#freeSlots.push(index);
    this.#slotWaiters.shift()?.();
  }

  // ---- progress and watchdog ---------------------------------------------------------------------------

  #watch(active: Active): void {
    this.#active.add(active);
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
  }

  #poll(): void {
    this.#assistants.spread(this.threads - this.#longTasks);
    for (const active of this.#active) {
      if (!active.slot.runs) continue;
      const progress = active.slot.progress;
      active.onProgress?.(progress);
      const seen = `${progress.steps}/${progress.work}`;
      active.idlePolls = seen === active.last ? active.idlePolls + 1 : 0;
      active.last = seen;
      if (active.idlePolls > this.#watchdogPolls)
        active.kill(new Refusal('KERNEL_CRASHED', 'A kernel stood still and was stopped by the watchdog.'));
    }
  }
}

const isAlone = ({ checkpointMs: _, ...others }: ExecuteOptions): boolean =>
  Object.values(others).some((option) => option !== undefined);

function finishedOrRefusal(answer: ThreadAnswer, spec: RunSpec): FinishedRun | Refusal {
  switch (answer.kind) {
    case 'finished':
      return unpackRun(answer.run);
    case 'cancelled':
      return cancelled();
    case 'memory':
      return new Refusal('LIMIT_EXCEEDED', `The kernel needed more than its ${spec.memory} bytes of memory.`);
    case 'crashed':
      return trapOf(spec, answer.message);
  }
}

function trapOf(spec: RunSpec, error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error);
  return new Refusal('KERNEL_CRASHED', `Kernel ${spec.kernel.slice(0, 12)}… trapped: ${message}.`);
}

const shuttingDown = (): Refusal => new Refusal('SHUTTING_DOWN', 'This node is draining.');
const cancelled = (): Refusal => new Refusal('CANCELLED', 'The run was cancelled.');

function crashOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Refusal('KERNEL_CRASHED', `A worker thread ended: ${message}.`);
}

/** Asks first by a flag that is read between calls into the kernel; ends the thread when nothing answers. */
function cancellation(slot: ControlSlot, kill: (reason: Refusal) => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    request: () => {
      slot.cancel();
      timer = setTimeout(() => kill(cancelled()), CANCEL_GRACE_MS);
    },
    clear: () => clearTimeout(timer),
  };
}

/**
 * Carries checkpoints to `onCheckpoint`, one at a time; one that cannot be kept ends the run. A thread's answer may
 * overtake its last checkpoint, which has a port of its own: `settled` waits for those that were sent.
 */
function checkpointChannel(options: ExecuteOptions, slot: ControlSlot, failed: (error: unknown) => void) {
  const { onCheckpoint } = options;
  if (!onCheckpoint) return undefined;
  const { port1, port2 } = new MessageChannel();
  let last: Promise<void> = Promise.resolve();
  let received = 0;
  port1.on('message', (checkpoint) => {
    received++;
    last = last.then(() => onCheckpoint(checkpoint)).then(() => slot.checkpointKept(), failed);
  });
  return {
    forTask: { checkpoints: { port: port2, everyMs: options.checkpointMs ?? 2000 } },
    transfer: [port2],
    settled: async () => {
      while (received < slot.checkpointsSent) await once(port1, 'message');
      await last;
    },
    close: () => port1.close(),
  };
}
