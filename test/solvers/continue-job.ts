import { createHash } from 'node:crypto';
import { canonicalBytes } from '../../src/proof/canonical.ts';
import type { FinishedRun, RunPlan } from '../../src/proof/job.ts';
import type { EarlierRun, Solver, Verdict } from '../../src/solvers/solver.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { runKernel } from './run-job.ts';

/** A job in this thread that keeps what a continuation needs. */
export interface Job<Input> {
  readonly first: Input;
  readonly input: Input;
  readonly plans: readonly RunPlan[];
  readonly finished: readonly FinishedRun[];
  readonly verdict: Verdict;
}

export function startJob<Input>(solver: Solver<Input>, input: Input): Promise<Job<Input>> {
  return job(solver, input, input);
}

/** Goes on from `earlier` as the spine does: the first job's input, the results and literals of the job before. */
export function goOn<Input>(solver: Solver<Input>, earlier: Job<Input>, sent: Input): Promise<Job<Input>> {
  const { results, literals = [], join } = solver.continuation!;
  const runs = earlier.plans.flatMap((plan, i): EarlierRun[] => {
    const { kernel } = plan;
    if (!results.includes(kernel) && !literals.includes(kernel)) return [];
    const bytes = plan.parts.flatMap((part) => ('bytes' in part ? [part.bytes] : []));
    return [
      {
        kernel,
        ...(results.includes(kernel) && { result: earlier.finished[i]!.result }),
        ...(literals.includes(kernel) && { literals: bytes }),
      },
    ];
  });
  const { first } = earlier;
  const input = join(sent, { id: 'job_before', first, firstHash: hashOf(first), runs });
  return job(solver, first, input);
}

async function job<Input>(solver: Solver<Input>, first: Input, input: Input): Promise<Job<Input>> {
  const context = {
    requestHash: hashOf(first),
    blob: () => Promise.reject(new Error('no blobs here')),
  };
  const executed = await executeRounds(solver, input, context, async (plan, parameters) =>
    runKernel(plan.kernel, parameters, plan.stepsPerSegment),
  );
  return { first, input, ...executed };
}

const hashOf = (input: unknown): Uint8Array => createHash('sha256').update(canonicalBytes(input)).digest();
