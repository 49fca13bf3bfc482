import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'piscina';
import type { RunSpec, SpanEnd } from './executor.ts';
import { KernelInstances, MemoryExceeded } from './instances.ts';
import { type DriveOptions, RUNNING, type RunInProgress } from './kernel-host.ts';
import { KernelCatalogue } from './kernels.ts';
import { ControlSlot, packRun, type ThreadAnswer, type ThreadTask } from './wire.ts';

// Entry of a worker thread: runs what it is sent, one task at a time, and says what came of it.

const { control, folders } = workerData as { control: SharedArrayBuffer; folders: readonly string[] };
const KEEP_BELOW_BYTES = 64 * 2 ** 20;
const instances = new KernelInstances(new KernelCatalogue(folders), KEEP_BELOW_BYTES);

class Cancelled extends Error {}

export default function runTask(task: ThreadTask): ThreadAnswer[] {
  const slot = new ControlSlot(control, task.slot);
  slot.start();
  return task.runs.map((run) => runOne(run, task, slot));
}

function runOne(spec: RunSpec, task: ThreadTask, slot: ControlSlot): ThreadAnswer {
  const spans = new SpanSender(task, slot);
  try {
    const port = task.invitations as MessagePort | undefined;
    const run = instances.run(
      spec,
      () => options(task, slot, spans),
      port && ((team) => port.postMessage(team)),
    );
    return { kind: 'finished', run: packRun(run), end: spans.end };
  } catch (error) {
    if (error instanceof Cancelled) return { kind: 'cancelled' };
    if (error instanceof MemoryExceeded) return { kind: 'memory', bytes: spec.memory };
    return { kind: 'crashed', message: error instanceof Error ? error.message : String(error) };
  }
}

function options(
  { resumeFrom, untilSegment }: ThreadTask,
  slot: ControlSlot,
  spans: SpanSender,
): DriveOptions {
  const between = (run: RunInProgress) => {
    if (slot.cancelled) throw new Cancelled();
    slot.report(run.steps, run.segment, Number(run.work), run.observed());
  };
  return { between, resumeFrom, untilSegment, atSegmentEnd: (run) => spans.see(run) };
}

/** Sends a checkpoint when the last one is durable and `everyMs` have passed; paces, never changes, the run. */
class SpanSender {
  /** What stands behind the last checkpoint of a run in spans, once it is over. */
  end: SpanEnd | undefined;
  readonly #task: ThreadTask;
  readonly #slot: ControlSlot;
  #from: number;
  #sent = performance.now();

  constructor(task: ThreadTask, slot: ControlSlot) {
    this.#task = task;
    this.#slot = slot;
    this.#from = (task.resumeFrom?.segment ?? -1) + 1;
  }

  see(run: RunInProgress): void {
    if (run.segment < this.#from) return; // where it went on from
    if (run.status !== RUNNING || run.segment === this.#task.untilSegment) this.#close(run);
    else if (this.#task.checkpoints) this.#maySend(run, this.#task.checkpoints.everyMs);
  }

  #maySend(run: RunInProgress, everyMs: number): void {
    const passed = performance.now() - this.#sent;
    if (!this.#isDue(passed, everyMs)) return;
    this.#send(run);
    if (passed < (this.#task.longMs ?? Number.POSITIVE_INFINITY)) return;
    this.#awaitKept();
    this.#sent = performance.now();
  }

  #isDue(passed: number, everyMs: number): boolean {
    if (passed < everyMs) return false;
    if (this.#slot.checkpointsKept) return true;
    if (passed < (this.#task.holdMs ?? Number.POSITIVE_INFINITY)) return false;
    this.#awaitKept();
    return true;
  }

  #awaitKept(): void {
    this.#slot.awaitKept();
    if (this.#slot.cancelled) throw new Cancelled();
  }

  #send(run: RunInProgress): void {
    this.#slot.checkpointSent();
    (this.#task.checkpoints!.port as MessagePort).postMessage(run.checkpoint(this.#from));
    this.#from = run.segment + 1;
    this.#sent = performance.now();
    if (this.#task.holdMs !== undefined) run.forgetRowsBefore(this.#from);
  }

  #close(run: RunInProgress): void {
    if (this.#task.holdMs !== undefined) this.end = { ...run.checkpoint(this.#from), status: run.status };
  }
}
