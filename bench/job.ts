import { createHash } from 'node:crypto';
import type { FinishedRun } from '../src/proof/job.ts';
import { readInput } from '../src/solvers/input.ts';
import { solverOf } from '../src/solvers/registry.ts';
import type { Presentation, Verdict } from '../src/solvers/solver.ts';
import { executeRounds } from '../src/spine/rounds.ts';
import { runKernel } from '../test/solvers/run-job.ts';

export interface JobResult {
  readonly verdict: Verdict;
  readonly presentation: Presentation;
  readonly finished: readonly FinishedRun[];
}

const noBlobs = () => Promise.reject(new Error('no blobs here'));

/** Body → canonical request and its hash → plan → all rounds → verdict → labels, in this thread: all but seal and store. */
export async function wholeJob(id: string, body: object): Promise<JobResult> {
  const solver = solverOf(id);
  const read = readInput(solver.input, body).input;
  const input = solver.canonical ? solver.canonical(read) : read;
  const requestHash = createHash('sha256').update(JSON.stringify(input)).digest();
  const { finished, verdict } = await executeRounds(
    solver,
    input,
    { requestHash, blob: noBlobs },
    async (plan, parameters) => runKernel(plan.kernel, parameters, plan.stepsPerSegment),
  );
  return { verdict, finished, presentation: solver.present(input, verdict, finished) };
}

/**
 * Units of work per second of processor time, the work repeated until `seconds` of it are over. Batches double, since
 * asking for the time can cost as much as a small job.
 */
export async function cpuRate(work: () => number | Promise<number>, seconds: number): Promise<number> {
  const before = process.cpuUsage();
  let done = 0;
  for (let batch = 1; ; batch *= 2) {
    for (let i = 0; i < batch; i++) done += await work();
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1e6;
    if (spent >= seconds && spent > 0) return done / spent;
  }
}
