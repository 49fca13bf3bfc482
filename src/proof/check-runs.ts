import { sha256 } from '#crypto';
import {
  type BytesEntry,
  blobDigest,
  type DigestNodes,
  MAX_DIGESTS,
  type PartEntry,
  type RunEntry,
} from './answer.ts';
import { concat, fromHex, toHex } from './bytes.ts';
import type { Checks } from './checks.ts';
import { runHash, runLeaf } from './digests.ts';
import type { Digest } from './job.ts';
import { leafHash, merkleRoot, nodeLevel, rootOfHashes } from './merkle.ts';
import { type AnswerFile, bytesAt, entryBytes } from './read-answer.ts';

/**
 * Every run from its parts to its leaf, and the leaves to the job's root.
 * @returns the runs whose run hash was recomputed: only of these are kernel, parts and cut the sealed ones
 */
export function checkRuns(file: AnswerFile, checks: Checks): ReadonlySet<number> {
  const bound = new Set<number>();
  for (const [i, run] of file.runs.entries()) if (checkRun(file, run, i, checks)) bound.add(i);
  checks.equal('job root', '/envelope/jobRoot', file.answer.envelope.jobRoot, jobRootOf(file));
  const work = file.runs.reduce((sum, run) => sum + BigInt(run.work), 0n);
  checks.equal('work', '/envelope/work', file.answer.envelope.work, String(work));
  return bound;
}

const jobRootOf = ({ runs }: AnswerFile): Digest => toHex(merkleRoot(runs.map(leafOfEntry)));

/** Whether the digests that the answer lists, and the ends of its runs, are those that were sealed. */
export const areSealed = (file: AnswerFile): boolean =>
  jobRootOf(file) === file.answer.envelope.jobRoot && file.runs.every((run) => rootOfEntry(run) === run.root);

function leafOfEntry(run: RunEntry): Uint8Array {
  const [hash, root, result] = [run.runHash, run.root, run.resultHash].map(fromHex) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  return runLeaf(hash, root, run.segments, result, BigInt(run.work));
}

function checkRun(file: AnswerFile, run: RunEntry, index: number, checks: Checks): boolean {
  const at = `/runs/${index}`;
  checks.that(
    'run status',
    `${at}/status`,
    run.status === 1,
    'finished',
    'a sealed job has finished runs only',
  );
  checks.that(
    'run steps',
    `${at}/steps`,
    stepsFit(run),
    'end in the last segment',
    `do not end in the last segment: ${run.segments} of ${run.stepsPerSegment} steps`,
  );
  if (run.segments > 0)
    checks.leave(`${at}/steps`, 'how many steps the last segment took: only a rerun proves it');
  const root = rootOfEntry(run);
  checks.that('digests', `${at}/digests`, root === run.root, 'lead to the root', 'do not lead to the root');
  checkBytes(file, run, index, checks);
  checkParts(file, run, at, checks);
  const parameters = parametersOf(file, run, index);
  if (parameters === undefined) {
    checks.leave(
      `${at}/parts`,
      'kernel and parameters take from bytes that are not in the file: a rerun makes and checks them',
    );
    return false;
  }
  const hash = toHex(runHash(run.kernel, parameters, run.stepsPerSegment));
  return checks.that(
    'run hash',
    `${at}/runHash`,
    hash === run.runHash,
    'kernel and parameters give it',
    `they give ${hash}`,
  );
}

function checkBytes(file: AnswerFile, run: RunEntry, index: number, checks: Checks): void {
  const at = `/runs/${index}`;
  if (index === file.runs.length - 1) checkResult(file, run, file.answer.verdict, '/verdict', checks);
  if (run.result !== undefined) checkResult(file, run, run.result, `${at}/result`, checks);
  checkLength(file, run.rows, `${at}/rows`, checks);
  if (run.rows !== undefined)
    checks.leave(`${at}/rows`, 'only a rerun proves rows: their digests cover the state too');
}

function checkResult(file: AnswerFile, run: RunEntry, entry: BytesEntry, at: string, checks: Checks): void {
  const bytes = entryBytes(file, entry, at);
  const hash = bytes ? toHex(sha256(bytes)) : blobDigest(entry);
  checks.that('result', at, hash === run.resultHash, 'has the sealed hash', `hashes to ${hash}`);
  checkLength(file, entry, at, checks);
  if (!bytes) checks.leave(at, 'its blob is not in the file');
}

function checkLength(file: AnswerFile, entry: BytesEntry | undefined, at: string, checks: Checks): void {
  const bytes = entryBytes(file, entry, at);
  if (bytes && typeof entry === 'object') checks.equal('length', `${at}/length`, entry.length, bytes.length);
}

/** Slices lie within what they are cut from, which stands in the answer; blobs have the length that is said. */
function checkParts(file: AnswerFile, run: RunEntry, at: string, checks: Checks): void {
  for (const [i, part] of run.parts.entries()) {
    if ('bytes' in part) continue;
    if ('run' in part) checkStands(file, part, `${at}/parts/${i}/run`, 'part', checks);
    const source = sourceOf(file, part);
    if (!source) continue;
    const fits = 'blob' in part ? part.length === source.length : part.from + part.length <= source.length;
    const where = `${at}/parts/${i}/length`;
    checks.that('part', where, fits, 'fits its source', `does not fit its source of ${source.length} bytes`);
  }
}

/**
 * A run from which a later run or a field takes has that result or those rows as a member: bytes, or the blob that
 * they are. A file that left the member out hides what would speak against it.
 */
export function checkStands(
  file: AnswerFile,
  { run, of }: { readonly run: number; readonly of: 'result' | 'rows' },
  at: string,
  name: string,
  checks: Checks,
): boolean {
  const isVerdict = of === 'result' && run === file.runs.length - 1;
  const stands = isVerdict || file.runs[run]?.[of] !== undefined;
  return checks.that(name, at, stands, `its ${of} stand here`, `run ${run} has no ${of}: /runs/${run}/${of}`);
}

function stepsFit({ steps, segments, stepsPerSegment }: RunEntry): boolean {
  if (stepsPerSegment < 1) return false;
  if (segments === 0) return steps === 0;
  return steps >= (segments - 1) * stepsPerSegment && steps <= segments * stepsPerSegment;
}

/** Root over the listed digests or nodes, or undefined when there are too many or too few. */
function rootOfEntry({ digests, segments }: RunEntry): Digest | undefined {
  if (Array.isArray(digests)) {
    return digests.length === segments + 1 ? toHex(merkleRoot(digests.map(fromHex))) : undefined;
  }
  const { level, nodes } = digests as DigestNodes;
  const isListedLevel = level > 0 && level < 53 && Math.ceil((segments + 1) / 2 ** (level - 1)) > MAX_DIGESTS;
  const count = Math.ceil((segments + 1) / 2 ** level);
  return isListedLevel && nodes.length === count ? toHex(rootOfHashes(nodes.map(fromHex))) : undefined;
}

/** Result bytes of a run as far as the file holds them. */
export function resultOf(file: AnswerFile, index: number): Uint8Array | undefined {
  if (index === file.runs.length - 1) return bytesAt(file.answer.verdict, '/verdict');
  return entryBytes(file, file.runs[index]?.result, `/runs/${index}/result`);
}

export function rowsOf(file: AnswerFile, index: number): Uint8Array | undefined {
  return entryBytes(file, file.runs[index]?.rows, `/runs/${index}/rows`);
}

/** Parameters of a run, or undefined when a piece of them is not in the file (or not there at all). */
export function parametersOf(file: AnswerFile, run: RunEntry, index: number): Uint8Array | undefined {
  const pieces: Uint8Array[] = [];
  for (const [i, part] of run.parts.entries()) {
    const piece = 'bytes' in part ? bytesAt(part.bytes, `/runs/${index}/parts/${i}/bytes`) : cut(file, part);
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  return concat(pieces);
}

type OutsidePart = Exclude<PartEntry, { readonly bytes: string }>;

/** What a part is cut from, as far as the file holds it. */
function sourceOf(file: AnswerFile, part: OutsidePart): Uint8Array | undefined {
  if ('blob' in part) return file.blob(part.blob);
  return part.of === 'result' ? resultOf(file, part.run) : rowsOf(file, part.run);
}

function cut(file: AnswerFile, part: OutsidePart): Uint8Array | undefined {
  const source = sourceOf(file, part);
  return 'blob' in part ? source : source?.subarray(part.from, part.from + part.length);
}

/** Where a re-execution's digests first leave those of an entry: a span of segments, one wide where all are listed. */
export function divergentSpan(
  run: RunEntry,
  digests: readonly Uint8Array[],
): { readonly from: number; readonly to: number } | undefined {
  const isList = Array.isArray(run.digests);
  const { level, nodes } = isList
    ? { level: 0, nodes: run.digests as Digest[] }
    : (run.digests as DigestNodes);
  const own = isList ? digests : nodeLevel(digests.map(leafHash), level);
  for (let i = 0; i < Math.max(nodes.length, own.length); i++) {
    const node = own[i];
    if (node === undefined || toHex(node) !== nodes[i])
      return { from: i * 2 ** level, to: (i + 1) * 2 ** level - 1 };
  }
  return undefined;
}
