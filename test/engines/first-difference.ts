import type { JobOutcome, ProbeOutcome, RunOutcome } from './probe-run.ts';
import type { ProbeJob, ProbeSuite } from './probe-suite.ts';

/**
 * Where two engines part for the first time: solver, request, run and segment; undefined where every digest agrees.
 * `expected` and `actual` are outcomes of the same suite.
 */
export function firstDifference(
  suite: ProbeSuite,
  expected: ProbeOutcome,
  actual: ProbeOutcome,
): string | undefined {
  for (const [i, job] of suite.jobs.entries()) {
    const difference = differenceOfJobs(job, expected.jobs[i], actual.jobs[i]);
    if (difference) return `${job.solver}, ${job.request}: ${difference}`;
  }
  return undefined;
}

function differenceOfJobs(
  job: ProbeJob,
  expected: JobOutcome | undefined,
  actual: JobOutcome | undefined,
): string | undefined {
  if (!expected || !actual) return 'was not executed';
  for (const [i, run] of job.runs.entries()) {
    const difference = differenceOfRuns(expected.runs[i], actual.runs[i]);
    if (difference) return `run ${i} (${run.label}), ${difference}`;
  }
  return differing('job root', expected.jobRoot, actual.jobRoot);
}

function differenceOfRuns(
  expected: RunOutcome | undefined,
  actual: RunOutcome | undefined,
): string | undefined {
  if (!expected || !actual) return 'was not executed';
  const parameters = differing('parameters: run hash', expected.runHash, actual.runHash);
  return parameters ?? differenceOfSegments(expected, actual) ?? differenceOfEnds(expected, actual);
}

function differenceOfSegments(expected: RunOutcome, actual: RunOutcome): string | undefined {
  const segments = Math.max(expected.digests.length, actual.digests.length);
  for (let k = 0; k < segments; k++) {
    const difference = differing(`segment ${k}: digest`, expected.digests[k], actual.digests[k]);
    if (difference) return difference;
  }
  return undefined;
}

function differenceOfEnds(expected: RunOutcome, actual: RunOutcome): string | undefined {
  const figures = ['status', 'steps', 'work', 'root', 'resultHash'] as const;
  for (const figure of figures) {
    const difference = differing(figure, expected[figure], actual[figure]);
    if (difference) return difference;
  }
  return undefined;
}

const differing = (what: string, expected: unknown, actual: unknown): string | undefined =>
  expected === actual ? undefined : `${what} ${actual}, not ${expected}`;
