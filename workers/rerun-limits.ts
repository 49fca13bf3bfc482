import type { RunEntry } from '../src/proof/answer.ts';
import { toHex } from '../src/proof/bytes.ts';
import type { FinishedRun } from '../src/proof/job.ts';
import { MAX_KERNEL_MEMORY, MAX_OUTPUT } from '../src/proof/limits.ts';
import type { DriveOptions, KernelExports, RunInProgress } from './kernel-host.ts';

/** Where a re-execution and an answer part for the first time. */
export interface Divergence {
  /** Absent where every run agrees, and only what is shown of them does not. */
  readonly run?: number;
  /** What the run is for: its label. */
  readonly label?: string;
  readonly what:
    | 'parameters'
    | 'segment'
    | 'steps'
    | 'status'
    | 'result'
    | 'rows'
    | 'work'
    | 'field'
    | 'kernel'
    | 'job root'
    | 'shown';
  /** First and last segment that can be the one; equal where every digest is listed. */
  readonly segments?: { readonly from: number; readonly to: number };
  readonly detail: string;
}

/** The run cannot become the answer's any more: it need not be driven on. */
export class Parted extends Error {
  readonly divergence: Pick<Divergence, 'what' | 'segments' | 'detail'>;

  constructor(divergence: Parted['divergence']) {
    super(divergence.detail);
    this.divergence = divergence;
  }
}

/**
 * Stops a run where it parts from its entry, so that a kernel from a stranger's file can neither go on for ever nor
 * fill the memory: steps, work and segments end where the entry says, and each listed digest is compared at once.
 * @param room bytes of results and rows that the runs before have left (`roomAfter`)
 */
export function partingFrom(
  entry: RunEntry,
  kernel: KernelExports,
  room: number,
  onCall: (run: RunInProgress) => void,
): DriveOptions {
  const most = { steps: entry.steps, work: BigInt(entry.work) };
  const between = (run: RunInProgress) => {
    onCall(run);
    if (run.steps > most.steps) part('steps', `more than the ${most.steps} that the answer names`);
    if (run.work > most.work) part('work', `more than the ${most.work} units that the answer names`);
    if (kernel.memory.buffer.byteLength > MAX_KERNEL_MEMORY)
      part('kernel', `took more than ${MAX_KERNEL_MEMORY} bytes`);
    if (run.rowBytes > room) part('rows', `more than ${MAX_OUTPUT} bytes in the whole job`);
  };
  return { between, atSegmentEnd: (run) => compareSegment(entry, run) };
}

/** Bytes of results and rows that a job may still make after these runs. */
export function roomAfter(finished: readonly FinishedRun[]): number {
  const made = finished.flatMap(({ result, rows }) => [result, ...rows]);
  const room = made.reduce((left, { length }) => left - length, MAX_OUTPUT);
  if (room < 0) part('result', `more than ${MAX_OUTPUT} bytes in the whole job`);
  return room;
}

function compareSegment({ segments, digests }: RunEntry, run: RunInProgress): void {
  const k = run.segment;
  if (k > segments) part('segment', `segment ${k} of ${segments}`);
  if (Array.isArray(digests) && toHex(run.digests[k]!) !== digests[k])
    throw new Parted({ what: 'segment', segments: { from: k, to: k }, detail: 'the state digests differ' });
}

function part(what: Divergence['what'], detail: string): never {
  throw new Parted({ what, detail });
}

/** What an engine throws for a module that is no kernel, or that traps, as a sentence; others are not its doing. */
export function kernelFailure(error: unknown): Parted | undefined {
  const { CompileError, LinkError, RuntimeError } = WebAssembly;
  const isKernels = [CompileError, LinkError, RuntimeError, RangeError, TypeError].some(
    (kind) => error instanceof kind,
  );
  const detail = `the kernel failed: ${(error as Error).message}`;
  return isKernels ? new Parted({ what: 'kernel', detail }) : undefined;
}
