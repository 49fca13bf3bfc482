import { childrenIn } from '../../mesh/decide/bisection.ts';
import type { Executor } from '../../workers/executor.ts';
import { Refusal } from '../errors/refusal.ts';
import type { RunEntry } from '../proof/answer.ts';
import { concat, fromHex, toHex } from '../proof/bytes.ts';
import { parametersOf } from '../proof/check-runs.ts';
import type { FinishedRun } from '../proof/job.ts';
import { MAX_KERNEL_MEMORY } from '../proof/limits.ts';
import { merkleRoot } from '../proof/merkle.ts';
import { type AnswerFile, bytesAt } from '../proof/read-answer.ts';
import type { Exchange } from './challenges.ts';
import { asMany, type Claim, endOf } from './claims.ts';
import type { ChallengeBody } from './opening.ts';
import type { ChallengeView } from './view.ts';

// The side of the challenger: runs an answer again, and shows its digests where they differ.

/** A run that came out otherwise than it was sealed. */
export interface Difference {
  readonly run: number;
  readonly label: string;
  readonly claim: Claim;
  /** As many as were sealed, 32 bytes each. */
  readonly digests: readonly Uint8Array[];
}

export interface Rerunning {
  readonly file: AnswerFile;
  readonly executor: Executor;
  /** This run only; absent: all in their order, to the first that differs. */
  readonly run?: number;
  readonly onProgress?: (run: number, segments: number) => void;
}

/**
 * Runs the runs of an answer again, each on the parameters that were sealed.
 * @returns the first that differs; undefined where all came out as they were sealed
 * @throws Refusal NOT_FOUND for a run or parameters that the file has not
 */
export async function firstDifference({
  file,
  executor,
  run: only,
  onProgress,
}: Rerunning): Promise<Difference | undefined> {
  const finished: FinishedRun[] = [];
  for (const [index, entry] of file.runs.entries()) {
    if (only !== undefined && index !== only) continue;
    const run = await rerun({ file, executor, onProgress }, entry, index, finished);
    const found = difference(entry, index, run);
    if (found) return found;
    finished[index] = run;
  }
  if (only === undefined || only < file.runs.length) return undefined;
  throw new Refusal('NOT_FOUND', `There is no run ${only}: this answer has ${file.runs.length}, from 0 on.`);
}

function rerun(
  { file, executor, onProgress }: Rerunning,
  entry: RunEntry,
  index: number,
  finished: readonly FinishedRun[],
): Promise<FinishedRun> {
  const { kernel, stepsPerSegment, segments, work } = entry;
  const parameters = parametersOf(file, entry, index) ?? parametersFrom(file, entry, index, finished);
  const spec = { kernel, parameters, stepsPerSegment, memory: MAX_KERNEL_MEMORY, work: Number(work) };
  return executor.execute(spec, {
    untilSegment: segments,
    ...(onProgress ? { onProgress: (progress) => onProgress(index, progress.segments) } : {}),
  });
}

/** Where the file does not hold what a run takes from those before it: these came out as they were sealed. */
function parametersFrom(
  file: AnswerFile,
  entry: RunEntry,
  index: number,
  finished: readonly FinishedRun[],
): Uint8Array {
  const pieces = entry.parts.map((part, i) => {
    if ('bytes' in part) return bytesAt(part.bytes, `/runs/${index}/parts/${i}/bytes`);
    if ('blob' in part) return file.blob(part.blob);
    const run = finished[part.run];
    const whole = run && (part.of === 'result' ? run.result : concat(run.rows));
    return whole?.subarray(part.from, part.from + part.length);
  });
  if (pieces.every((piece) => piece !== undefined)) return concat(pieces);
  throw new Refusal('NOT_FOUND', `The file does not hold the parameters of run ${index}.`, {
    accepts: 'a bundle, which svc bundle makes of an answer',
  });
}

function difference(entry: RunEntry, run: number, found: FinishedRun): Difference | undefined {
  const { segments, label } = entry;
  const digests = asMany(found.digests, segments + 1);
  const claim: Claim = { root: toHex(merkleRoot(digests)), ...endOf(found, segments) };
  const isSame = (['root', 'resultHash', 'work', 'segments'] as const).every(
    (name) => claim[name] === entry[name],
  );
  return isSame ? undefined : { run, label, claim, digests };
}

/**
 * What somebody claims who has run nothing and disputes a segment all the same: what was sealed, with the bits of that
 * digest inverted.
 * @throws Refusal NOT_FOUND for a run or segment that the answer has not, or does not list by itself
 */
export function disputed({ runs }: AnswerFile, run: number, segment: number): Difference {
  const entry = runs[run];
  if (!entry)
    throw new Refusal('NOT_FOUND', `There is no run ${run}: this answer has ${runs.length}, from 0 on.`);
  const { digests: sealed, label, resultHash, work, segments } = entry;
  if ('nodes' in sealed || segment > segments)
    throw new Refusal('NOT_FOUND', `Run ${run} of this answer lists no digest of segment ${segment}.`, {
      accepts: 'nodes' in sealed ? 'an answer of at most 16384 segments a run' : `0 to ${segments}`,
    });
  const digests = sealed.map(fromHex);
  digests[segment] = digests[segment]!.map((byte) => byte ^ 0xff);
  const claim = { root: toHex(merkleRoot(digests)), resultHash, work, segments };
  return { run, label, claim, digests };
}

/** The node as a challenger speaks to it. */
export interface Opponent {
  open(body: ChallengeBody): Promise<ChallengeView>;
  children(challenge: string, exchange: Exchange): Promise<ChallengeView>;
}

/** Opens the challenge and shows children until the segment is found. @returns how it stands then */
export async function contest(
  { envelope }: { readonly envelope: object },
  { run, claim, digests }: Difference,
  opponent: Opponent,
  onExchange: (view: ChallengeView) => void = () => undefined,
): Promise<ChallengeView> {
  let view = await opponent.open({ envelope: { ...envelope }, run, ...claim });
  const hex = digests.map(toHex);
  while (view.state === 'bisecting') {
    onExchange(view);
    const { from, count } = view.dispute;
    view = await opponent.children(view.challenge, { from, count, ...childrenIn(hex, from, count) });
  }
  return view;
}
