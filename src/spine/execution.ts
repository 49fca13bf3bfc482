import { setMaxListeners } from 'node:events';
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
  /** Work units of the quote, a ceiling, and how many of them are held: a job that needs more ends there. */
  readonly price: bigint;
  readonly held: bigint;
  /** Where a recorded job keeps what it has, and what its runs are called; absent for a small one. */
  readonly recorded?: { readonly runs: RecordedRuns; readonly name: Omit<RunName, 'id'> };
  /** A recorded or watched job is shown while it runs; a small one is not worth it. */
  readonly live?: Pick<LiveJob<unknown>, 'cancelled' | 'runStarts' | 'runStays' | 'runProgresses'>;
  /** Told of the work of each finished run, also of a job that is refused in the end. */
  readonly spend: (work: bigint) => void;
}

/** Executes a job's rounds on the executor, within what is held; finished runs of an earlier attempt are taken over. */
export async function executeJob<Input>(
  solver: Solver<Input>,
  input: Input,
  context: RoundsContext,
  options: ExecutionOptions,
): Promise<ExecutedJob> {
  const { live } = options;
  const spending = new Spending(options.held);
  try {
    return await executeRounds(solver, input, context, async (plan, parameters, index) => {
      const run = await executeRun(plan, parameters, index, options, spending);
      options.spend(run.work);
      spending.reaches(index, run.work);
      if (spending.isOver) throw heldSpent(solver.id, options);
      return run;
    });
  } catch (error) {
    const isOurs = error instanceof Refusal && error.code === 'CANCELLED' && !live?.cancelled.signal.aborted;
    throw isOurs && spending.isOver ? heldSpent(solver.id, options) : error;
  }
}

/** Work of all runs of a job beside what is held for it. */
class Spending {
  readonly #held: bigint;
  readonly #works: bigint[] = [];
  #total = 0n;
  #stop: { readonly over: AbortController; readonly signal: AbortSignal } | undefined;

  constructor(held: bigint) {
    this.#held = held;
  }

  get isOver(): boolean {
    return this.#total > this.#held;
  }

  reaches(run: number, work: bigint): void {
    this.#total += work - (this.#works[run] ?? 0n);
    this.#works[run] = work;
    if (this.isOver) this.#stop?.over.abort();
  }

  /** Stops runs that are watched where the job is cancelled, or more than is held is spent. */
  stops(cancelled: AbortSignal): AbortSignal {
    if (!this.#stop) {
      const over = new AbortController();
      this.#stop = { over, signal: AbortSignal.any([cancelled, over.signal]) };
      setMaxListeners(0, this.#stop.signal); // as many as it has runs
    }
    return this.#stop.signal;
  }
}

async function executeRun(
  plan: RunPlan,
  parameters: Uint8Array,
  index: number,
  { executor, catalogue, recorded, live, memory }: ExecutionOptions,
  spending: Spending,
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
    ? await executeRecorded(spec, index, executor, recorded, watching(index, live, spending))
    : await executor.execute(spec, watching(index, live, spending));
  live?.runProgresses(index, { ...run, segments: run.digests.length - 1 });
  return run;
}

/** Takes over what an earlier attempt finished, goes on from its checkpoint, and keeps what this one does. */
async function executeRecorded(
  spec: RunSpec,
  index: number,
  executor: Executor,
  { runs, name }: NonNullable<ExecutionOptions['recorded']>,
  watched: ExecuteOptions | undefined,
): Promise<FinishedRun> {
  const hash = toHex(runHash(spec.kernel, spec.parameters, spec.stepsPerSegment));
  const before = await runs.finished(index, hash);
  if (before) return before;
  const run = await executor.execute(spec, {
    ...watched,
    name: { ...name, id: `${name.job}-${index}` },
    resumeFrom: await runs.lastCheckpoint(index, hash),
    onCheckpoint: (checkpoint) => runs.keepCheckpoint(index, hash, checkpoint),
  });
  await runs.keepFinished(index, run);
  return run;
}

function watching(
  index: number,
  live: ExecutionOptions['live'],
  spending: Spending,
): ExecuteOptions | undefined {
  return (
    live && {
      signal: spending.stops(live.cancelled.signal),
      onProgress: (progress) => {
        live.runProgresses(index, progress);
        spending.reaches(index, progress.work);
      },
      onStays: (why) => live.runStays(index, why),
    }
  );
}

/** What is held is the price, which the work was not to exceed, or what of it was there. */
function heldSpent(solver: string, { price, held }: ExecutionOptions): Refusal {
  if (held === price)
    return new Refusal('DID_NOT_CONVERGE', `${solver}: the budget of ${held} work units is spent.`, {
      ceiling_plancks: String(held),
    });
  return new Refusal(
    'INSUFFICIENT_BALANCE',
    `${solver}: this needs more than the ${held} plancks that were there; it costs at most ${price}. With more of them ask again, under a new Idempotency-Key.`,
    { price_plancks: String(price), held_plancks: String(held) },
  );
}
