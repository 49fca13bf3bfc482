import { shownSpan } from '../../mesh/contributor/claims.ts';
import { type Claim, saysTheSame } from '../../mesh/decide/claim.ts';
import { outcomeBy } from '../../mesh/decide/effects.ts';
import type { Executor, SpanEnd } from '../../workers/executor.ts';
import { RUNNING } from '../../workers/kernel-host.ts';
import { toHex } from '../proof/bytes.ts';
import { parametersOf } from '../proof/check-runs.ts';
import { runHash } from '../proof/digests.ts';
import { MAX_KERNEL_MEMORY } from '../proof/limits.ts';
import type { AnswerFile } from '../proof/read-answer.ts';
import type { Rejudged } from './rejudge.ts';
import type { SegmentVerdictStatement } from './segment-verdict.ts';

/**
 * Runs the segments of a verdict within a run again, from the start of the run, with the parameters that the answer
 * has: no word of the service or of a side is taken.
 * @throws Refusal as the executor does
 */
export async function rejudgedSegment(
  verdict: SegmentVerdictStatement,
  file: AnswerFile,
  executor: Executor,
  onProgress: (segments: number) => void = () => undefined,
): Promise<Rejudged> {
  const wrong = strangeness(verdict);
  if (wrong !== undefined) return { holds: false, detail: `${wrong}.` };
  const parameters = parametersIn(verdict, file);
  if (!parameters)
    return { holds: false, detail: 'The answer has no such run, or lacks bytes of its parameters.' };
  const { kernel, stepsPerSegment, segment } = verdict;
  const work = Number(verdict.third.claim.work);
  const spec = { kernel, parameters, stepsPerSegment, memory: MAX_KERNEL_MEMORY, work };
  let end: SpanEnd | undefined;
  const { status, result } = await executor.execute(spec, {
    untilSegment: segment,
    spans: {
      holdMs: 0,
      onEnd: (reached) => {
        end = reached;
      },
    },
    onProgress: ({ segments }) => onProgress(segments),
  });
  return judgedAnew(verdict, end!, status === RUNNING ? undefined : { status, result });
}

/** What the verdict says, and does not follow from what it says of the executions. */
function strangeness(verdict: SegmentVerdictStatement): string | undefined {
  const { contributor, challenger, third, service, outcome, faulty, from, segment } = verdict;
  const wrong = {
    contributor_wrong: [contributor.node],
    challenger_wrong: [challenger.node],
    not_reproducible: [],
  };
  const isOf = [contributor, challenger, third].every(({ claim }) => claim.from === from);
  if (!isOf || from > segment || third.claim.to > segment) return 'The executions are of other segments';
  if (service && !saysTheSame(third.claim, service.claim))
    return 'Third execution and that of the service differ';
  if (outcomeBy(third.claim, contributor.claim, challenger.claim) !== outcome)
    return 'The outcome does not follow from what the verdict says of the executions';
  if (faulty.join() !== wrong[outcome].join())
    return 'It withholds the bond of another node than the one that is wrong';
  return undefined;
}

function parametersIn(
  { kernel, runHash: expected }: SegmentVerdictStatement,
  file: AnswerFile,
): Uint8Array | undefined {
  for (const [index, entry] of file.runs.entries()) {
    const parameters = entry.kernel === kernel ? parametersOf(file, entry, index) : undefined;
    if (parameters && toHex(runHash(kernel, parameters, entry.stepsPerSegment)) === expected)
      return parameters;
  }
  return undefined;
}

function judgedAnew(
  verdict: SegmentVerdictStatement,
  end: SpanEnd,
  ended: Parameters<typeof shownSpan>[1],
): Rejudged {
  const { from, segment, before, outcome, contributor, challenger, third } = verdict;
  const found = end.digests[from - 1];
  if (end.segment < from || (found ? toHex(found) : null) !== before)
    return { holds: false, detail: `Segment ${from - 1}, from which they went on, came out otherwise here.` };
  const own: Claim = shownSpan(
    { ...end, from, digests: end.digests.slice(from), rows: end.rows.slice(from) },
    ended,
  ).claim;
  const here = outcomeBy(own, contributor.claim, challenger.claim);
  const came = `segment ${segment} came out here with ${own.digests.at(-1)}`;
  return here === outcome && saysTheSame(third.claim, own)
    ? { holds: true, detail: `${came}, as the verdict says: ${outcome}.` }
    : { holds: false, detail: `${came}: ${here} by this execution, ${outcome} by the verdict.` };
}
