import { sha256 } from '#crypto';
import type { RunEntry } from '../src/proof/answer.ts';
import { concat, equalBytes, toHex } from '../src/proof/bytes.ts';
import { divergentSpan, resultOf, rowsOf } from '../src/proof/check-runs.ts';
import { checkField } from '../src/proof/check-shown.ts';
import { Checks } from '../src/proof/checks.ts';
import { leafOfRun, runHash } from '../src/proof/digests.ts';
import type { Digest, FinishedRun, Part } from '../src/proof/job.ts';
import { MAX_KERNEL_MEMORY } from '../src/proof/limits.ts';
import { merkleRoot } from '../src/proof/merkle.ts';
import { type AnswerFile, partsOf } from '../src/proof/read-answer.ts';
import { compareRelease, type ReleaseFound, type Releases } from '../src/proof/releases.ts';
import { shownHash } from '../src/proof/shown-hash.ts';
import type { RunSpec } from './executor.ts';
import { driveRun, instantiateKernel, type RunInProgress } from './kernel-host.ts';
import { type Divergence, kernelFailure, Parted, partingFrom, roomAfter } from './rerun-limits.ts';

export interface Rerun {
  readonly agrees: boolean;
  /** In a sentence. */
  readonly detail: string;
  /** Runs that were executed again, the last one perhaps only in part. */
  readonly runs: number;
  readonly segments: number;
  readonly divergence?: Divergence;
  /** The release that the envelope names, and whether the kernels were compared with it. */
  readonly release: ReleaseFound;
}

export interface RerunSources {
  /** The releases whose kernels are known; without it every release is unknown. */
  readonly releases?: Releases;
  /** A kernel by digest, where the file does not hold it. */
  readonly kernel?: (digest: Digest) => Uint8Array | undefined;
  /** Executes one run; absent: in this thread. */
  readonly execute?: (spec: RunSpec, kernel: Uint8Array) => Promise<FinishedRun>;
  /** Called between runs and, in this thread, between calls into the kernel. */
  readonly onProgress?: (run: number, of: number, steps: number, work: bigint) => void;
  /** Called with each run that came out as the answer says. */
  readonly onRun?: (run: FinishedRun) => void;
}

/** A piece that a re-execution needs is not at hand, or stands in the file with bytes that are another one's. */
export class MissingPiece extends Error {
  override readonly name = 'MissingPiece';
}

/**
 * Executes every run of an answer again with the very kernels it names, the verdict included, and compares digest by
 * digest. The answer's own numbers are used for nothing but the comparison. Kernels that are not those of a release
 * that is known are not begun. Node-free, so that a browser can do it.
 */
export async function reexecute(file: AnswerFile, sources: RerunSources = {}): Promise<Rerun> {
  const version = file.answer.envelope.engine_version;
  const { release, faults } = compareRelease(version, file.runs, sources.releases ?? {});
  const [fault] = faults;
  if (!fault) return { ...(await executeRuns(file, sources)), release };
  const { run, detail } = fault;
  const divergence: Divergence = { run, label: file.runs[run]!.label, what: 'kernel', detail };
  return { agrees: false, detail: sentence(divergence), runs: 0, segments: 0, divergence, release };
}

async function executeRuns(file: AnswerFile, sources: RerunSources): Promise<Omit<Rerun, 'release'>> {
  const finished: FinishedRun[] = [];
  let segments = 0;
  for (const [index, entry] of file.runs.entries()) {
    const outcome = await rerunOne(file, entry, index, finished, sources).catch(parted);
    const run = outcome instanceof Parted ? undefined : outcome;
    segments += run ? run.digests.length - 1 : 0;
    const divergence = run
      ? compare(file, entry, index, run)
      : { run: index, label: entry.label, ...(outcome as Parted).divergence };
    if (divergence)
      return { agrees: false, detail: sentence(divergence), runs: index + 1, segments, divergence };
    finished.push(run!);
    sources.onRun?.(run!);
  }
  const divergence = compareWhole(file, finished);
  if (divergence)
    return { agrees: false, detail: sentence(divergence), runs: finished.length, segments, divergence };
  const detail = `${finished.length} runs in ${segments} segments give the same digests; job root ${file.answer.envelope.jobRoot}`;
  return { agrees: true, detail, runs: finished.length, segments };
}

/** What the runs lead to together: fields, job root, and what the envelope says is shown of them. */
function compareWhole(file: AnswerFile, finished: readonly FinishedRun[]): Divergence | undefined {
  const { answer, runs } = file;
  const { jobRoot, shownHash: sealed } = answer.envelope;
  const field = compareFields(file, finished);
  if (field) return field;
  const last = { run: runs.length - 1, label: runs[runs.length - 1]!.label };
  const root = toHex(merkleRoot(finished.map(leafOfRun)));
  if (root !== jobRoot)
    return { ...last, what: 'job root', detail: `the runs lead to ${root}, the envelope names ${jobRoot}` };
  const shown = sealed && shownHash(answer, runs);
  if (shown !== sealed)
    return {
      what: 'shown',
      detail: `what is shown hashes to ${shown}, the envelope names ${sealed}`,
    };
  return undefined;
}

async function rerunOne(
  file: AnswerFile,
  entry: RunEntry,
  index: number,
  finished: readonly FinishedRun[],
  { kernel: kernels, execute, onProgress }: RerunSources,
): Promise<FinishedRun> {
  const bytes = kernelBytes(file, entry, kernels);
  const spec: RunSpec = {
    kernel: entry.kernel,
    parameters: concat(partsOf(entry, `/runs/${index}`).map((part) => partBytes(part, file, finished))),
    stepsPerSegment: entry.stepsPerSegment,
    memory: MAX_KERNEL_MEMORY,
    work: Number(entry.work),
  };
  refuseOtherRun(entry, spec);
  const room = roomAfter(finished);
  onProgress?.(index, file.runs.length, 0, 0n);
  if (execute) return execute(spec, bytes);
  const onCall = (run: RunInProgress) => onProgress?.(index, file.runs.length, run.steps, run.work);
  return driveWatched(bytes, spec, entry, room, onCall);
}

/** A name whose bytes in the file are not that kernel is a broken file, whatever lies elsewhere under the name. */
function kernelBytes(
  file: AnswerFile,
  { kernel, name }: RunEntry,
  kernels: RerunSources['kernel'],
): Uint8Array {
  const bytes = file.kernel(kernel) ?? kernels?.(kernel);
  if (!bytes) throw new MissingPiece(`Kernel ${kernel} (${name}) is neither in the file nor here.`);
  if (toHex(sha256(bytes)) !== kernel)
    throw new MissingPiece(`The bytes under kernel ${kernel} (${name}) are not that kernel.`);
  return bytes;
}

function driveWatched(
  bytes: Uint8Array,
  spec: RunSpec,
  entry: RunEntry,
  room: number,
  onCall: (run: RunInProgress) => void,
): FinishedRun {
  try {
    const kernel = instantiateKernel(new WebAssembly.Module(bytes as BufferSource));
    return driveRun(kernel, spec, partingFrom(entry, kernel, room, onCall));
  } catch (error) {
    throw kernelFailure(error) ?? error;
  }
}

/** What is not the run that was hashed, or could never end, is not begun. */
function refuseOtherRun(entry: RunEntry, { kernel, parameters, stepsPerSegment }: RunSpec): void {
  if (stepsPerSegment < 1) throw new Parted({ what: 'parameters', detail: 'segments of no steps never end' });
  const hash = toHex(runHash(kernel, parameters, stepsPerSegment));
  if (hash !== entry.runHash)
    throw new Parted({ what: 'parameters', detail: `run hash ${hash}, not ${entry.runHash}` });
}

/** An error as the parting that it is, or thrown on. */
function parted(error: unknown): Parted {
  if (error instanceof Parted) return error;
  throw error;
}

function partBytes(part: Part, file: AnswerFile, finished: readonly FinishedRun[]): Uint8Array {
  if ('bytes' in part) return part.bytes;
  if ('blob' in part) {
    const blob = file.blob(part.blob);
    if (blob && blob.length === part.length && toHex(sha256(blob)) === part.blob) return blob;
    throw new MissingPiece(
      `Blob ${part.blob}, a run's parameters, is not in the file: svc bundle puts it there.`,
    );
  }
  const run = finished[part.run];
  if (!run) throw new MissingPiece(`A run takes from run ${part.run}, which does not stand before it.`);
  const whole = part.of === 'result' ? run.result : concat(run.rows);
  const end = part.from + part.length;
  if (end > whole.length)
    throw new MissingPiece(`A run takes bytes up to ${end} of run ${part.run}, which gave ${whole.length}.`);
  return whole.slice(part.from, end);
}

function compare(file: AnswerFile, entry: RunEntry, index: number, run: FinishedRun): Divergence | undefined {
  const at = { run: index, label: entry.label };
  if (run.runHash !== entry.runHash)
    return { ...at, what: 'parameters', detail: `run hash ${run.runHash}, not ${entry.runHash}` };
  const segments = divergentSpan(entry, run.digests);
  if (segments) return { ...at, what: 'segment', segments, detail: 'the state digests differ' };
  const figures = [
    ['steps', run.steps, entry.steps],
    ['segment', run.digests.length - 1, entry.segments],
    ['status', run.status, entry.status],
    ['segment', toHex(merkleRoot(run.digests)), entry.root],
    ['result', toHex(sha256(run.result)), entry.resultHash],
    ['work', String(run.work), entry.work],
  ] as const;
  for (const [what, own, theirs] of figures)
    if (own !== theirs) return { ...at, what, detail: `${own}, not ${theirs}` };
  if (!sameBytes(run.result, resultOf(file, index)))
    return { ...at, what: 'result', detail: 'the result bytes in the file differ' };
  if (!sameBytes(concat(run.rows), rowsOf(file, index)))
    return { ...at, what: 'rows', detail: 'the rows in the file differ' };
  return undefined;
}

/** Every field against what came out here: for one whose source is not in the file, this is the only check. */
function compareFields(file: AnswerFile, finished: readonly FinishedRun[]): Divergence | undefined {
  for (const [i, field] of file.answer.fields.entries()) {
    const { run: index, of } = field.source;
    const run = finished[index];
    const at = { run: index, label: file.runs[index]?.label ?? 'no run', what: 'field' } as const;
    const detail = `field ${i} (${field.name}) is not what came out here`;
    const checks = new Checks();
    if (run) checkField(field, of === 'result' ? run.result : concat(run.rows), `/fields/${i}`, checks);
    if (!run || checks.made.some(({ ok }) => !ok)) return { ...at, detail };
  }
  return undefined;
}

const sameBytes = (own: Uint8Array, shown: Uint8Array | undefined): boolean =>
  shown === undefined || equalBytes(own, shown);

function sentence({ run, label, what, segments, detail }: Divergence): string {
  if (run === undefined) return `${detail}, though every run agrees`;
  const where = segments
    ? segments.from === segments.to
      ? `segment ${segments.from}`
      : `segments ${segments.from} to ${segments.to}`
    : what;
  return `run ${run} (${label}), ${where}: ${detail}`;
}
