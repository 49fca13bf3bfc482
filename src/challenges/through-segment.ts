import type { Executor, RunSpec } from '../../workers/executor.ts';
import { equalBytes } from '../proof/bytes.ts';
import { canonicalText } from '../proof/canonical.ts';
import { asMany, endOf } from './claims.ts';
import type { SegmentRun } from './ports.ts';

export interface ThroughOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (segments: number) => void;
}

/**
 * Runs a run from its start to the end of a segment and no further: what comes behind is in no dispute.
 * @throws Refusal as the executor does
 */
export async function runThrough(
  executor: Executor,
  spec: RunSpec,
  through: number,
  { signal, onProgress }: ThroughOptions = {},
): Promise<Pick<SegmentRun, 'digests' | 'end'>> {
  const run = await executor.execute(spec, {
    untilSegment: through,
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress: ({ segments }) => onProgress(segments) } : {}),
  });
  return { digests: asMany(run.digests, through + 1), end: endOf(run, through) };
}

export const sameRun = (
  a: Pick<SegmentRun, 'digests' | 'end'>,
  b: Pick<SegmentRun, 'digests' | 'end'>,
): boolean =>
  a.digests.length === b.digests.length &&
  a.digests.every((digest, i) => equalBytes(digest, b.digests[i]!)) &&
  canonicalText(a.end) === canonicalText(b.end);
