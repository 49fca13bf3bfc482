import { sha256 } from '#crypto';
import { fromHex, toHex } from '../../src/proof/bytes.ts';
import { jobRoot } from '../../src/proof/digests.ts';
import type { Digest, FinishedRun } from '../../src/proof/job.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';
import type { Checkpoint } from '../../workers/executor.ts';
import {
  type DriveOptions,
  driveRun,
  instantiateKernel,
  type KernelExports,
  type RunInProgress,
} from '../../workers/kernel-host.ts';
import { base64, type ProbeJob, type ProbeRun, type ProbeSuite, parametersOf } from './probe-suite.ts';

/** What an engine made of a suite. A number, a digest or a text each, so that it can be compared by `===`. */
export interface ProbeOutcome {
  /** Processor time of the runs, compilation on other threads included. */
  readonly cpuSeconds: number;
  readonly jobs: readonly JobOutcome[];
}

export interface JobOutcome {
  readonly runs: readonly RunOutcome[];
  readonly jobRoot: Digest;
}

export interface RunOutcome {
  readonly runHash: Digest;
  readonly status: number;
  readonly steps: number;
  readonly work: string;
  readonly digests: readonly Digest[];
  readonly root: Digest;
  readonly resultHash: Digest;
  /** Where it was asked for, and the run has a segment left after it. */
  readonly checkpoint?: SavedCheckpoint;
}

/** A checkpoint as JSON, bytes in base 64. */
export interface SavedCheckpoint {
  readonly segment: number;
  readonly steps: number;
  readonly state: string;
  readonly digests: readonly Digest[];
  readonly rows: readonly string[];
}

/** How to go through a suite; no digest may depend on any of it. */
export interface ProbeOptions {
  /** Work units a call may take. */
  readonly budget?: number;
  /** A new instance for each run; default: one for each kernel, used again and again. */
  readonly fresh?: boolean;
  /** The last job first, so that a used instance has other runs behind it. */
  readonly backwards?: boolean;
  /** Keep the state in the middle of each run. */
  readonly checkpoints?: boolean;
  /** Begin each run at the checkpoint of this outcome where it has one. */
  readonly resumeFrom?: ProbeOutcome;
}

class Probing {
  readonly #suite: ProbeSuite;
  readonly #options: ProbeOptions;
  readonly #modules = new Map<Digest, WebAssembly.Module>();
  readonly #instances = new Map<Digest, KernelExports>();

  constructor(suite: ProbeSuite, options: ProbeOptions) {
    this.#suite = suite;
    this.#options = options;
  }

  job(job: ProbeJob, index: number): JobOutcome {
    const finished: FinishedRun[] = [];
    const runs = job.runs.map((run, i) => {
      const saved = this.#options.resumeFrom?.jobs[index]?.runs[i]?.checkpoint;
      const { outcome, gave } = this.#run(run, finished, saved);
      finished.push(gave);
      return outcome;
    });
    return { runs, jobRoot: toHex(jobRoot(finished)) };
  }

  #run(run: ProbeRun, finished: readonly FinishedRun[], saved: SavedCheckpoint | undefined) {
    const { kernel, stepsPerSegment } = run;
    const parameters = parametersOf(run, this.#suite, finished);
    const spec = { kernel, parameters, stepsPerSegment, memory: 2 ** 31, work: 0 };
    const keeper = this.#options.checkpoints ? new MiddleKeeper() : undefined;
    const options: DriveOptions = {
      ...(this.#options.budget !== undefined && { budget: this.#options.budget }),
      ...(saved && { resumeFrom: restored(saved) }),
      ...(keeper && { atSegmentEnd: (at: RunInProgress) => keeper.see(at) }),
    };
    const gave = driveRun(this.#instance(kernel), spec, options);
    const checkpoint = keeper?.middle(gave.digests.length - 1);
    return { outcome: { ...outcomeOf(gave), ...(checkpoint && { checkpoint }) }, gave };
  }

  #instance(digest: Digest): KernelExports {
    const known = this.#instances.get(digest);
    if (known && !this.#options.fresh) return known;
    const module =
      this.#modules.get(digest) ??
      new WebAssembly.Module(Buffer.from(this.#suite.kernels[digest]!, 'base64'));
    this.#modules.set(digest, module);
    const instance = instantiateKernel(module);
    this.#instances.set(digest, instance);
    return instance;
  }
}

/** Keeps the states of a run until it is known which one was in the middle. */
class MiddleKeeper {
  readonly #seen: Checkpoint[] = [];

  see(run: RunInProgress): void {
    if (run.status === 0) this.#seen.push(run.checkpoint(0));
  }

  middle(segments: number): SavedCheckpoint | undefined {
    const found = this.#seen[Math.min(this.#seen.length - 1, Math.floor(segments / 2))];
    return found && segments > found.segment ? saved(found) : undefined;
  }
}

const saved = ({ segment, steps, state, digests, rows }: Checkpoint): SavedCheckpoint => ({
  segment,
  steps,
  state: base64(state),
  digests: digests.map(toHex),
  rows: rows.map(base64),
});

const restored = ({ segment, steps, state, digests, rows }: SavedCheckpoint): Checkpoint => ({
  segment,
  steps,
  state: Buffer.from(state, 'base64'),
  from: 0,
  digests: digests.map(fromHex),
  rows: rows.map((bytes) => Buffer.from(bytes, 'base64')),
});

function outcomeOf(run: FinishedRun): RunOutcome {
  return {
    runHash: run.runHash,
    status: run.status,
    steps: run.steps,
    work: String(run.work),
    digests: run.digests.map(toHex),
    root: toHex(merkleRoot(run.digests)),
    resultHash: toHex(sha256(run.result)),
  };
}

/** Executes a suite in this engine and thread. */
export function runProbes(suite: ProbeSuite, options: ProbeOptions = {}): ProbeOutcome {
  const began = process.cpuUsage();
  const probing = new Probing(suite, options);
  const order = [...suite.jobs.entries()];
  if (options.backwards) order.reverse();
  const jobs: JobOutcome[] = [];
  for (const [index, job] of order) jobs[index] = probing.job(job, index);
  const { user, system } = process.cpuUsage(began);
  return { cpuSeconds: (user + system) / 1e6, jobs };
}
