import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'piscina';
import type { RunSpec } from './executor.ts';
import {
  type DriveOptions,
  driveRun,
  instantiateKernel,
  type KernelExports,
  type RunInProgress,
} from './kernel-host.ts';
import { KernelCatalogue } from './kernels.ts';
import { ControlSlot, packRun, type ThreadAnswer, type ThreadTask } from './wire.ts';

// Entry of a worker thread: runs what it is sent, one task at a time, and says what came of it.

const { control, folders } = workerData as { control: SharedArrayBuffer; folders: readonly string[] };
const catalogue = new KernelCatalogue(folders);

/** Instances are reused; one that grew large is dropped, so that an idle thread holds little. */
const KEEP_BELOW_BYTES = 64 * 2 ** 20;
const instances = new Map<string, KernelExports>();

class Cancelled extends Error {}
class MemoryExceeded extends Error {}

function instance(kernel: string): KernelExports {
  const known = instances.get(kernel);
  if (known) return known;
  const bytes = catalogue.bytes(kernel);
  if (!bytes) throw new Error(`kernel ${kernel} is not in this node's folders`);
  const made = instantiateKernel(new WebAssembly.Module(bytes as BufferSource));
  instances.set(kernel, made);
  return made;
}

export default function runTask(task: ThreadTask): ThreadAnswer[] {
  const slot = new ControlSlot(control, task.slot);
  slot.start();
  return task.runs.map((run) => runOne(run, task, slot));
}

function runOne(spec: RunSpec, task: ThreadTask, slot: ControlSlot): ThreadAnswer {
  try {
    const kernel = instance(spec.kernel);
    const run = driveRun(kernel, spec, options(spec, kernel, task, slot));
    if (kernel.memory.buffer.byteLength > KEEP_BELOW_BYTES) instances.delete(spec.kernel);
    return { kind: 'finished', run: packRun(run) };
  } catch (error) {
    instances.delete(spec.kernel); // after a trap nothing in it can be trusted
    if (error instanceof Cancelled) return { kind: 'cancelled' };
    if (error instanceof MemoryExceeded) return { kind: 'memory', bytes: spec.memory };
    return { kind: 'crashed', message: error instanceof Error ? error.message : String(error) };
  }
}

function options(spec: RunSpec, kernel: KernelExports, task: ThreadTask, slot: ControlSlot): DriveOptions {
  const between = (run: RunInProgress) => {
    if (slot.cancelled) throw new Cancelled();
    if (kernel.memory.buffer.byteLength > spec.memory) throw new MemoryExceeded();
    slot.report(run.steps, run.segment, Number(run.work), run.observed());
  };
  const { checkpoints, resumeFrom } = task;
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
