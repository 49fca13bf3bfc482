import { EventEmitter, setMaxListeners } from 'node:events';
import type { RunProgress, StaysHere } from '../../workers/executor.ts';
import type { JobState } from './records.ts';

export interface JobProgress {
  /** Work units done, over all runs. */
  readonly work: bigint;
  /** Work units expected: exact or the ceiling. */
  readonly expected: number;
  /** The run that is furthest behind the others in the list, by its label, and what it shows. */
  readonly runs: readonly {
    label: string;
    steps: number;
    of: number | null;
    observed: readonly number[];
    /** Why this node's own threads run it although it belongs to a mesh. */
    here?: StaysHere;
  }[];
}

interface RunView {
  label: string;
  of: number | null;
  progress: RunProgress;
  here?: StaysHere;
}

const nothingYet: RunProgress = { steps: 0, segments: 0, work: 0n, observed: [] };

/**
 * A job that this process runs: what a watcher sees of it, and how it is cancelled. Emits `progress` and, once,
 * `end` with the final state.
 */
export class LiveJob<Outcome> extends EventEmitter<{ progress: [JobProgress]; end: [JobState] }> {
  readonly id: string;
  readonly account: string;
  readonly solver: string;
  readonly createdNs: bigint;
  readonly expected: number;
  /** Work units that jobs like it mostly stay within. */
  readonly likely: number;
  /** Settled when the job is over: its answer, or the Refusal that ended it. */
  readonly outcome: Promise<Outcome>;
  state: JobState = 'running';
  /** True for a job that is recorded while it runs. */
  recorded = false;
  /** True when this process stops working on it and another will go on. */
  abandoned = false;
  #runs: RunView[] = [];
  #cancelled: AbortController | undefined;
  #resolve!: (outcome: Outcome) => void;
  #reject!: (error: unknown) => void;

  constructor(job: {
    id: string;
    account: string;
    solver: string;
    createdNs: bigint;
    expected: number;
    likely?: number;
  }) {
    super();
    this.setMaxListeners(0); // as many as watch
    this.id = job.id;
    this.account = job.account;
    this.solver = job.solver;
    this.createdNs = job.createdNs;
    this.expected = job.expected;
    this.likely = job.likely ?? job.expected;
    this.outcome = new Promise<Outcome>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.outcome.catch(() => undefined); // watchers may come late, or never
  }

  /** Made when somebody asks: a small job is over before anybody could cancel it. */
  get cancelled(): AbortController {
    if (!this.#cancelled) {
      this.#cancelled = new AbortController();
      setMaxListeners(0, this.#cancelled.signal); // as many as it has runs
    }
    return this.#cancelled;
  }

  get isCancelled(): boolean {
    return this.#cancelled?.signal.aborted ?? false;
  }

  get progress(): JobProgress {
    return {
      work: this.#runs.reduce((sum, run) => sum + run.progress.work, 0n),
      expected: this.expected,
      runs: this.#runs.map(({ label, of, progress, here }) => ({
        label,
        of,
        steps: progress.steps,
        observed: progress.observed,
        ...(here && { here }),
      })),
    };
  }

  /** Stops this process's work on a recorded job without ending the job. */
  abandon(): void {
    this.abandoned = true;
    this.cancelled.abort('abandoned'); // whoever runs it elsewhere goes on
  }

  runStarts(index: number, label: string, of: number | null): void {
    this.#runs[index] = { label, of, progress: nothingYet };
  }

  runStays(index: number, why: StaysHere): void {
    this.#runs[index]!.here = why;
    this.emit('progress', this.progress);
  }

  runProgresses(index: number, progress: RunProgress): void {
    this.#runs[index]!.progress = progress;
    this.emit('progress', this.progress);
  }

  succeed(outcome: Outcome, state: JobState = 'done'): void {
    this.state = state;
    this.#resolve(outcome);
    this.emit('end', state);
  }

  fail(error: unknown, state: JobState): void {
    this.state = state;
    this.#reject(error);
    this.emit('end', state);
  }
}
