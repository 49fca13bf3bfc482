import type { Executor } from '../../workers/executor.ts';
import { toHex } from '../proof/bytes.ts';
import { type ChallengeVerdict, judged, overturns, saysTheSame } from '../proof/challenge-verdict.ts';
import { areSealed, parametersOf } from '../proof/check-runs.ts';
import { runHash } from '../proof/digests.ts';
import { MAX_KERNEL_MEMORY } from '../proof/limits.ts';
import type { AnswerFile } from '../proof/read-answer.ts';
import { leafHashOf } from '../proof/revocation.ts';
import { DigestTree } from './digest-tree.ts';
import type { SegmentRun } from './ports.ts';
import { claimOfRun, endIn } from './settling.ts';
import { runThrough } from './through-segment.ts';

export interface Rejudged {
  readonly holds: boolean;
  /** In a sentence. */
  readonly detail: string;
}

/**
 * Runs the disputed segment of a verdict again, from the start of its run, and judges anew: no word of the service or
 * of a side is taken. Nothing is executed where verdict and answer do not belong together.
 * @throws Refusal as the executor does
 */
export async function rejudged(
  verdict: ChallengeVerdict,
  file: AnswerFile,
  executor: Executor,
  onProgress?: (segments: number) => void,
): Promise<Rejudged> {
  const parameters = parametersOfRun(verdict, file);
  const wrong =
    strangeness(verdict, file) ?? (parameters ? undefined : 'the answer lacks bytes of its parameters');
  if (wrong !== undefined) return { holds: false, detail: `${wrong}.` };
  const { kernel, stepsPerSegment, work } = file.runs[verdict.run]!;
  const spec = {
    kernel,
    parameters: parameters!,
    stepsPerSegment,
    memory: MAX_KERNEL_MEMORY,
    work: Number(work),
  };
  const ran = await runThrough(executor, spec, verdict.through, { ...(onProgress ? { onProgress } : {}) });
  return judgedAnew(verdict, file, ran);
}

function parametersOfRun(
  { run, runHash: expected }: ChallengeVerdict,
  file: AnswerFile,
): Uint8Array | undefined {
  const entry = file.runs[run];
  const parameters = entry && parametersOf(file, entry, run);
  const isRun = parameters && toHex(runHash(entry.kernel, parameters, entry.stepsPerSegment)) === expected;
  return isRun ? parameters : undefined;
}

/** What does not belong together: answer and verdict, or what the verdict says and what it concludes. */
function strangeness(verdict: ChallengeVerdict, file: AnswerFile): string | undefined {
  return strangeResult(verdict, file) ?? strangeSides(verdict, file) ?? inconsequence(verdict);
}

function strangeResult(verdict: ChallengeVerdict, file: AnswerFile): string | undefined {
  const entry = file.runs[verdict.run];
  const { of } = verdict;
  if (leafHashOf(file.answer.envelope) !== of.envelope) return 'The verdict is about another result';
  const names = Object.entries(namesOf(file.answer));
  if (names.some(([name, value]) => of[name as keyof typeof of] !== value))
    return 'The verdict calls the result by names that are not its own';
  if (!areSealed(file)) return 'The answer lists other runs or digests than were sealed';
  if (!entry || runMembers.some((name) => entry[name] !== verdict[name]))
    return 'The verdict names another run than the answer';
  return undefined;
}

const runMembers = ['kernel', 'segments', 'stepsPerSegment'] as const;

/** The sealed result by the names that a verdict has for it. */
const namesOf = ({ envelope: { node, token_id, jobRoot, engine_version } }: AnswerFile['answer']) => ({
  ...{ node, token_id, jobRoot, engine_version },
});

/** What the sides and the executions are said to claim, and cannot. */
function strangeSides(verdict: ChallengeVerdict, { runs }: AnswerFile): string | undefined {
  const { from, through, sealed, challenger, third, service, agreed } = verdict;
  const entry = runs[verdict.run]!;
  const tree = DigestTree.of(entry);
  if (from % tree.span !== 0 || through !== Math.min(from + tree.span - 1, entry.segments) || from > through)
    return 'No search ends at these segments';
  const isLast = through === entry.segments;
  const hash = tree.node(from, through - from + 1);
  if (!saysTheSame(sealed, { hash, ...endIn(isLast, entry) }))
    return 'What the verdict calls sealed is not what the answer lists';
  const said = [challenger, service, ...(third ? [third] : [])];
  if (
    said.some(({ resultHash, work, segments }) =>
      [resultHash, work, segments].some((end) => (end !== null) !== isLast),
    )
  )
    return 'Result, work and segments are said of the last segment, and of no other';
  if (saysTheSame(sealed, challenger)) return 'The sides do not differ';
  if (third && !saysTheSame(third, service)) return 'Third execution and that of the service differ';
  if (judged(verdict, service, agreed) !== verdict.outcome)
    return 'The outcome does not follow from what the verdict says of the executions';
  return undefined;
}

/** What a verdict draws from its outcome and may not. */
function inconsequence({ outcome, revoked, faulty, third, service }: ChallengeVerdict): string | undefined {
  if (revoked !== overturns(outcome)) return 'A result is revoked where it falls, and nowhere else';
  // Of several nodes that computed the segments nobody can say which was wrong.
  const most = outcome === 'contributor_wrong' ? 1 : 0;
  const right = [third?.node, service.node];
  return faulty.length > most || faulty.some((node) => right.includes(node))
    ? 'It withholds the bond of a node that it has not found wrong'
    : undefined;
}

function judgedAnew(
  verdict: ChallengeVerdict,
  file: AnswerFile,
  ran: Pick<SegmentRun, 'digests' | 'end'>,
): Rejudged {
  const { from, through } = verdict;
  const tree = DigestTree.of(file.runs[verdict.run]!);
  const own = claimOfRun(ran, { from, count: through - from + 1 }, { ...verdict, level: tree.level });
  const agreed = tree.startsLike(DigestTree.over(ran.digests, tree.level), from);
  const behind = ran.digests[from - 1];
  const before = behind ? toHex(behind) : null;
  const outcome = judged(verdict, own, agreed);
  const isSame = saysTheSame(own, verdict.service) && agreed === verdict.agreed;
  const holds = isSame && outcome === verdict.outcome && before === verdict.before;
  const where = from === through ? `segment ${from}` : `segments ${from} to ${through}`;
  const came = `run ${verdict.run}, ${where} came out here with ${own.hash}`;
  return {
    holds,
    detail: holds
      ? `${came}, as the verdict says: ${outcome}.`
      : `${came} behind ${before}, the verdict names ${verdict.service.hash} behind ${verdict.before}: ${outcome} by this execution, ${verdict.outcome} by the verdict.`,
  };
}
