import { sha256 } from '#crypto';
import { fromHex, toHex } from '../../src/proof/bytes.ts';
import { runHash } from '../../src/proof/digests.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Checkpoint, RunSpec } from '../../workers/executor.ts';
import { isStateOf, resumePoint } from '../../workers/resume.ts';
import type { CheckWork, Desk, StartState, Work } from '../desk.ts';
import type { KernelCache } from './kernel-cache.ts';
import { beforeAbort } from './persist.ts';

/** This node cannot run what it was given. `failed`: nor can another, as far as it can see. */
export class Unrunnable extends Error {
  override readonly name = 'Unrunnable';
  readonly failed: boolean;

  constructor(message: string, failed: boolean) {
    super(message);
    this.failed = failed;
  }
}

export interface Prepared {
  readonly spec: RunSpec;
  readonly resumeFrom?: Checkpoint;
  /** Work units that the run had taken before. */
  readonly workBefore: bigint;
}

const isDigest = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least;

/** What the service asks for is held to its form before anything is fetched. @throws Unrunnable */
export function refuseStrangeWork(work: Work | CheckWork, memoryCap: number): void {
  const { kernel, parameters, stepsPerSegment, memory, from, start } = work;
  const isWork =
    isDigest(kernel) &&
    isDigest(parameters) &&
    isCount(stepsPerSegment, 1) &&
    isCount(memory, 0) &&
    isCount(from, 0) &&
    (start ? from > 0 && isStart(start) : from === 0) &&
    (!('through' in work) || isCount(work.through, from));
  if (!isWork) throw new Unrunnable('what the service asked for is no run', true);
  if (memory > memoryCap)
    throw new Unrunnable(
      `it may need ${mebibytes(memory)} MiB, and ${mebibytes(memoryCap)} are left here`,
      false,
    );
}

const isStart = ({ digest, steps, state, rowsHash }: StartState): boolean =>
  [digest, state, rowsHash].every(isDigest) && isCount(steps, 0);

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Fetches kernel, parameters and start state, each held to its digest. @throws Unrunnable */
export async function prepared(
  work: Work,
  desk: Desk,
  kernels: KernelCache,
  signal: AbortSignal,
): Promise<Prepared> {
  const bytes = (digest: Digest) => fetched(desk, work.run, digest, signal);
  await kernels.bring(work.kernel, () => bytes(work.kernel));
  const parameters = await bytes(work.parameters);
  const { kernel, stepsPerSegment, memory } = work;
  const spec = { kernel, parameters, stepsPerSegment, memory, work: work.work };
  if (!work.start) return { spec, workBefore: 0n };
  const state = await bytes(work.start.state);
  return { spec, ...goingOn(spec, work.from - 1, work.start, state) };
}

/** @throws Unrunnable for a state that does not lead to D_(from − 1): what comes of it would be this node's fault */
function goingOn(spec: RunSpec, segment: number, start: StartState, state: Uint8Array) {
  const { steps, digest } = start;
  const hash = runHash(spec.kernel, spec.parameters, spec.stepsPerSegment);
  const end = { segment, steps, state, rowsHash: fromHex(start.rowsHash) };
  if (!isStateOf(hash, end, fromHex(digest)))
    throw new Unrunnable(`the state that it is to go on from is not that of segment ${segment}`, true);
  return { resumeFrom: resumePoint(end), workBefore: workIn(state) };
}

/** The work counter of this project's kernels (assembly/kernel/frame.ts): shown, never relied on. */
const workIn = (state: Uint8Array): bigint =>
  state.length < 8 ? 0n : new DataView(state.buffer, state.byteOffset).getBigUint64(0, true);

const ATTEMPTS = 3;

/** Bytes under their digest; what comes damaged or not at all is asked for again. */
async function fetched(desk: Desk, run: string, digest: Digest, signal: AbortSignal): Promise<Uint8Array> {
  let why = 'they are not what they are called';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    signal.throwIfAborted();
    const bytes = await beforeAbort(desk.bytes(run, digest), signal).catch((error) => {
      signal.throwIfAborted();
      why = (error as Error).message;
      return undefined;
    });
    if (bytes && toHex(sha256(bytes)) === digest) return bytes;
  }
  throw new Unrunnable(`its bytes ${digest.slice(0, 12)}… cannot be had: ${why}`, false);
}
