import type { RunEntry } from '../src/proof/answer.ts';
import { toHex } from '../src/proof/bytes.ts';
import type { DriveOptions, KernelExports, RunInProgress } from './kernel-host.ts';
import type { Divergence } from './reexecute.ts';

/** Bytes of memory that a kernel may take, and of rows that a run may make. */
export const MEMORY_LIMIT = 2 ** 31;
const ROWS_LIMIT = 2 ** 31;

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
 */
export function partingFrom(
  entry: RunEntry,
  kernel: KernelExports,
  onCall: (run: RunInProgress) => void,
): DriveOptions {
  const most = { steps: entry.steps, work: BigInt(entry.work) };
  const between = (run: RunInProgress) => {
    onCall(run);
    if (run.steps > most.steps) part('steps', `more than the ${most.steps} that the answer names`);
    if (run.work > most.work) part('work', `more than the ${most.work} units that the answer names`);
    if (kernel.memory.buffer.byteLength > MEMORY_LIMIT)
      part('kernel', `took more than ${MEMORY_LIMIT} bytes`);
    if (run.rowBytes > ROWS_LIMIT) part('rows', `more than ${ROWS_LIMIT} bytes`);
  };
  return { between, atSegmentEnd: (run) => compareSegment(entry, run) };
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
