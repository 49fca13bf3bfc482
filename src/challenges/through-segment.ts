import type { Executor, RunSpec } from '../../workers/executor.ts';
import { isStateOf, resumePoint } from '../../workers/resume.ts';
import { equalBytes } from '../proof/bytes.ts';
import { canonicalText } from '../proof/canonical.ts';
import { runHash } from '../proof/digests.ts';
import { asMany, endOf } from './claims.ts';
import type { SegmentRun, StartState } from './ports.ts';

export interface ThroughOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (segments: number) => void;
  /** Where to begin; absent: at the start of the run. */
  readonly start?: { readonly segment: number; readonly at: StartState };
}

/**
 * Runs a run to the end of a segment and no further: what comes behind is in no dispute.
 * @throws Refusal as the executor does
 */
export async function runThrough(
  executor: Executor,
  spec: RunSpec,
  through: number,
  { signal, onProgress, start }: ThroughOptions = {},
): Promise<Pick<SegmentRun, 'first' | 'digests' | 'end'>> {
  const run = await executor.execute(spec, {
    untilSegment: through,
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress: ({ segments }) => onProgress(segments) } : {}),
    ...(start ? { resumeFrom: resumePoint({ segment: start.segment, ...start.at }) } : {}),
  });
  const first = start ? start.segment + 1 : 0;
  const digests = asMany(run.digests, through + 1).slice(first);
  return { first, digests, end: endOf(run, through) };
}

/** Whether a state is the one at the end of a running segment whose digest is known. */
export function leadsTo(
  digest: Uint8Array,
  { kernel, parameters, stepsPerSegment }: Pick<RunSpec, 'kernel' | 'parameters' | 'stepsPerSegment'>,
  segment: number,
  state: StartState,
): boolean {
  return isStateOf(runHash(kernel, parameters, stepsPerSegment), { segment, ...state }, digest);
}

export const sameRun = (
  a: Pick<SegmentRun, 'digests' | 'end'>,
  b: Pick<SegmentRun, 'digests' | 'end'>,
): boolean =>
  a.digests.length === b.digests.length &&
  a.digests.every((digest, i) => equalBytes(digest, b.digests[i]!)) &&
  canonicalText(a.end) === canonicalText(b.end);
