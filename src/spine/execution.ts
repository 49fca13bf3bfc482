import type { ExecuteOptions, Executor, RunName, RunSpec } from '../../workers/executor.ts';
import type { KernelCatalogue } from '../../workers/kernels.ts';
import { Refusal } from '../errors/refusal.ts';
import { toHex } from '../proof/bytes.ts';
import { runHash } from '../proof/digests.ts';
import type { FinishedRun, RunPlan } from '../proof/job.ts';
import type { Solver } from '../solvers/solver.ts';
import type { LiveJob } from './live-job.ts';
import type { RecordedRuns } from './recorded-runs.ts';
import { type ExecutedJob, executeRounds, type RoundsContext } from './rounds.ts';

export interface ExecutionOptions {
  readonly executor: Executor;
  readonly catalogue: KernelCatalogue;
  /** Upper limit of a run's memory in bytes. */
  readonly memory: number;
  /** Work units that were held; a job that needs more did not converge. */
  readonly ceiling: number;
  /** Where a recorded job keeps what it has, and what its runs are called; absent for a small one. */
  readonly recorded?: { readonly runs: RecordedRuns; readonly name: Omit<RunName, 'id'> };
  /** A recorded or watched job is shown while it runs; a small one is not worth it. */
  readonly live?: Pick<LiveJob<unknown>, 'cancelled' | 'runStarts' | 'runStays' | 'runProgresses'>;
  /** Told of the work of each finished run, also of a job that is refused in the end. */
  readonly spend: (work: bigint) => void;
}

/** Executes a job's rounds on the executor, within its ceiling; finished runs of an earlier attempt are taken over. */
export async function executeJob<Input>(
  solver: Solver<Input>,
  input: Input,
  context: RoundsContext,
  options: ExecutionOptions,
): Promise<ExecutedJob> {
  let spent = 0n;
  return executeRounds(solver, input, context, async (plan, parameters, index) => {
    const run = await executeRun(plan, parameters, index, options);
    spent += run.work;
    options.spend(run.work);
    if (spent > BigInt(options.ceiling)) throw budgetSpent(solver.id, options.ceiling);
    return run;
  });
}

async function executeRun(
  plan: RunPlan,
  parameters: Uint8Array,
  index: number,
  { executor, catalogue, recorded, live, memory }: ExecutionOptions,
): Promise<FinishedRun> {
  live?.runStarts(index, plan.label, plan.steps ?? null);
  const spec: RunSpec = {
    kernel: catalogue.digest(plan.kernel),
    parameters,
    stepsPerSegment: plan.stepsPerSegment,
    memory,
    layout: plan.memory,
    work: plan.work,
  };
  const run = recorded
    ? await executeRecorded(spec, index, executor, recorded, live)
    : await executor.execute(spec, watching(index, live));
  live?.runProgresses(index, { ...run, segments: run.digests.length - 1 });
  return run;
}

/** Takes over what an earlier attempt finished, goes on from its checkpoint, and keeps what this one does. */
async function executeRecorded(
  spec: RunSpec,
  index: number,
  executor: Executor,
  { runs, name }: NonNullable<ExecutionOptions['recorded']>,
  live: ExecutionOptions['live'],
): Promise<FinishedRun> {
  const hash = toHex(runHash(spec.kernel, spec.parameters, spec.stepsPerSegment));
  const before = await runs.finished(index, hash);
  if (before) return before;
  const run = await executor.execute(spec, {
    ...watching(index, live),
    name: { ...name, id: `${name.job}-${index}` },
    resumeFrom: await runs.lastCheckpoint(index, hash),
    onCheckpoint: (checkpoint) => runs.keepCheckpoint(index, hash, checkpoint),
  });
  await runs.keepFinished(index, run);
  return run;
}

function watching(index: number, live: ExecutionOptions['live']): ExecuteOptions | undefined {
  return (
    live && {
      signal: live.cancelled.signal,
      onProgress: (progress) => live.runProgresses(index, progress),
      onStays: (why) => live.runStays(index, why),
    }
  );
}

function budgetSpent(solver: string, ceiling: number): Refusal {
  return new Refusal('DID_NOT_CONVERGE', `${solver}: the budget of ${ceiling} work units is spent.`, {
    ceiling_plancks: String(ceiling),
  });
}
