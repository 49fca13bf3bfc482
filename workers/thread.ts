import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'piscina';
import type { RunSpec } from './executor.ts';
import { KernelInstances, MemoryExceeded } from './instances.ts';
import type { DriveOptions, RunInProgress } from './kernel-host.ts';
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
  try {
    return { kind: 'finished', run: packRun(instances.run(spec, () => options(task, slot))) };
  } catch (error) {
    if (error instanceof Cancelled) return { kind: 'cancelled' };
    if (error instanceof MemoryExceeded) return { kind: 'memory', bytes: spec.memory };
    return { kind: 'crashed', message: error instanceof Error ? error.message : String(error) };
  }
}

function options({ checkpoints, resumeFrom }: ThreadTask, slot: ControlSlot): DriveOptions {
  const between = (run: RunInProgress) => {
    if (slot.cancelled) throw new Cancelled();
    slot.report(run.steps, run.segment, Number(run.work), run.observed());
  };
  if (!checkpoints) return { between, resumeFrom };
  return { between, resumeFrom, atSegmentEnd: checkpointer(checkpoints, slot, resumeFrom?.segment ?? -1) };
}

/** Sends a checkpoint when the last one is durable and `everyMs` have passed; paces, never changes, the run. */
function checkpointer(
  checkpoints: NonNullable<ThreadTask['checkpoints']>,
  slot: ControlSlot,
  lastSegment: number,
): (run: RunInProgress) => void {
  const port = checkpoints.port as MessagePort;
  let last = performance.now();
  let from = lastSegment + 1;
  return (run) => {
    if (performance.now() - last < checkpoints.everyMs || !slot.checkpointsKept || run.status !== 0) return;
    slot.checkpointSent();
    port.postMessage(run.checkpoint(from));
    from = run.segment + 1;
    last = performance.now();
  };
}
