import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../errors/refusal.ts';
import type { JobRecords } from './job-records.ts';
import { LiveJob } from './live-job.ts';
import type { JobRow, JobState } from './records.ts';

/** The answer of a job, as JSON bytes; `sealed` is false when sealing failed and nothing was charged. */
export interface Outcome {
  /** Id of the job that it is the answer of: of a repeat, the first one's. */
  readonly job: string;
  readonly answer: Uint8Array;
  readonly sealed: boolean;
}

export type SpineJob = LiveJob<Outcome>;

/** How often the store is asked about a job that another process runs, or that nobody has taken over yet. */
const POLL_MS = 250;

/** Jobs that were asked for before, for who asks again: over, under way here, elsewhere, or left by a process that died. */
export class PastJobs {
  readonly #records: JobRecords;
  readonly #live: ReadonlyMap<string, SpineJob>;
  readonly #closing = new AbortController();

  constructor(records: JobRecords, live: ReadonlyMap<string, SpineJob>) {
    this.#records = records;
    this.#live = live;
  }

  /** The job as if it were asked for now; it ends when that one does. @throws Refusal NOT_FOUND */
  async job(id: string): Promise<SpineJob> {
    const live = this.#live.get(id);
    if (live) return live;
    const row = await this.#records.row(id);
    if (!row) throw new Refusal('NOT_FOUND', `There is no job ${id}.`);
    const job: SpineJob = new LiveJob(viewOf(row));
    if (!toldEnd(job, row)) void this.follow(job);
    return job;
  }

  /** Who waits for jobs of other processes is sent away. */
  close(): void {
    this.#closing.abort();
  }

  /** Ends the job as the one of this id ends, which this process does not run. Never rejects. */
  async follow(job: SpineJob): Promise<void> {
    const { signal } = this.#closing;
    try {
      while (!signal.aborted) {
        await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
        const live = this.#live.get(job.id); // this process has taken it over
        if (live) return endWith(job, live);
        const row = await this.#records.row(job.id);
        if (row && toldEnd(job, row)) return;
      }
      job.fail(notOver(job.id), 'running');
    } catch (error) {
      job.fail(error, 'running');
    }
  }
}

/** One job ends as another does. */
export function endWith(job: SpineJob, other: SpineJob): void {
  other.outcome.then(
    (outcome) => job.succeed(outcome, other.state),
    (error) => job.fail(error, other.state),
  );
}

/** Who stops does not know whether another is there. */
const notOver = (job: string): Refusal =>
  new Refusal(
    'SHUTTING_DOWN',
    `This node is stopping. Job ${job} is not over: another node on this store goes on with it, or the next that starts there.`,
    { job },
  );

/** @returns whether the row says how it ended */
function toldEnd(job: SpineJob, { id, state, answer, error, token_id }: JobRow): boolean {
  if (answer) job.succeed({ job: id, answer, sealed: token_id !== null }, state as JobState);
  else if (error) job.fail(storedRefusal(error), state as JobState);
  return answer !== null || error !== null;
}

export function viewOf(row: JobRow) {
  return {
    id: row.id,
    account: row.account,
    solver: row.solver,
    createdNs: row.created_ns,
    expected: Number(row.ceiling_plancks),
  };
}

/** The refusal that a job's record holds. */
export function storedRefusal(error: unknown): Refusal {
  const { code, message, ...details } = (error as ReturnType<Refusal['toJSON']>).error;
  return new Refusal(code, message, details);
}
