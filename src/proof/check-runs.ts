import { sha256 } from '#crypto';
import { type DigestNodes, MAX_DIGESTS, type RunEntry } from './answer.ts';
import { concat, fromHex, toHex } from './bytes.ts';
import type { Checks } from './checks.ts';
import { runHash, runLeaf } from './digests.ts';
import type { Digest } from './job.ts';
import { leafHash, merkleRoot, nodeLevel, rootOfHashes } from './merkle.ts';
import { type AnswerFile, bytesAt, entryBytes } from './read-answer.ts';

/** Every run from its parts to its leaf, and the leaves to the job's root. */
export function checkRuns(file: AnswerFile, checks: Checks): void {
  file.runs.forEach((run, i) => {
    checkRun(file, run, i, checks);
  });
  const leaves = file.runs.map(leafOfEntry);
  checks.equal('job root', '/envelope/jobRoot', file.answer.envelope.jobRoot, toHex(merkleRoot(leaves)));
  const work = file.runs.reduce((sum, run) => sum + BigInt(run.work), 0n);
  checks.equal('work', '/envelope/work', file.answer.envelope.work, String(work));
}

function leafOfEntry(run: RunEntry): Uint8Array {
  const [hash, root, result] = [run.runHash, run.root, run.resultHash].map(fromHex) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  return runLeaf(hash, root, run.segments, result, BigInt(run.work));
}

function checkRun(file: AnswerFile, run: RunEntry, index: number, checks: Checks): void {
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
    'do not end in the last segment',
  );
  if (run.segments > 0)
    checks.leave(`${at}/steps`, 'how many steps the last segment took: only a rerun proves it');
  const root = rootOfEntry(run);
  checks.that('digests', `${at}/digests`, root === run.root, 'lead to the root', 'do not lead to the root');
  checkBytes(file, run, index, checks);
  const parameters = parametersOf(file, run, index);
  if (parameters === undefined) {
    checks.leave(
      `${at}/parts`,
      'takes from a run whose bytes are not in the file: a rerun makes and checks them',
    );
    return;
  }
  const hash = toHex(runHash(run.kernel, parameters, run.stepsPerSegment));
  checks.that(
    'run hash',
    `${at}/runHash`,
    hash === run.runHash,
    'kernel and parameters give it',
    `they give ${hash}`,
  );
}

function checkBytes(file: AnswerFile, run: RunEntry, index: number, checks: Checks): void {
  const at = `/runs/${index}`;
  const isVerdict = index === file.runs.length - 1;
  const result = resultOf(file, index);
  if (result) {
    const where = isVerdict ? '/verdict' : `${at}/result`;
    const hash = toHex(sha256(result));
    checks.that('result', where, hash === run.resultHash, 'has the sealed hash', `hashes to ${hash}`);
  } else if (run.result !== undefined) checks.leave(`${at}/result`, 'its blob is not in the file');
  if (run.rows !== undefined)
    checks.leave(`${at}/rows`, 'only a rerun proves rows: their digests cover the state too');
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
function parametersOf(file: AnswerFile, run: RunEntry, index: number): Uint8Array | undefined {
  const pieces: Uint8Array[] = [];
  for (const [i, part] of run.parts.entries()) {
    let piece: Uint8Array | undefined;
    if ('bytes' in part) piece = bytesAt(part.bytes, `/runs/${index}/parts/${i}/bytes`);
    else if ('blob' in part) piece = file.blob(part.blob);
    else if (part.run < index) {
      const whole = part.of === 'result' ? resultOf(file, part.run) : rowsOf(file, part.run);
      piece = whole?.subarray(part.from, part.from + part.length);
    }
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  return concat(pieces);
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
