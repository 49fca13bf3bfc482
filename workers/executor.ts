import type { Digest, FinishedRun } from '../src/proof/job.ts';

/**
 * The executor port: runs one (kernel, parameters) to its end. Two adapters: the threads of this machine
 * (workers/pool.ts) and the mesh. Same run, same bytes, whichever.
 */
export interface Executor {
  execute(run: RunSpec, options?: ExecuteOptions): Promise<FinishedRun>;
  /** A recorded job is over: what was kept elsewhere for its runs may go. */
  ended?(job: string): Promise<void>;
  /** Stops taking work, waits for what runs (or cancels it), and frees the threads. */
  close(): Promise<void>;
}

export interface RunSpec {
  readonly kernel: Digest;
  readonly parameters: Uint8Array;
  readonly stepsPerSegment: number;
  /** Upper limit of the kernel's memory in bytes; crossing it is LIMIT_EXCEEDED. */
  readonly memory: number;
  /** Bytes that it needs by its layout, where that is known: what a node must have free. */
  readonly layout?: number;
  /** Expected work units: short runs are gathered into one message, long ones have threads of their own. */
  readonly work: number;
}

/** What a run is called for ever, and for whom it is: what is kept of it outlives the process that asked. */
export interface RunName {
  /** Job and index of the run in it, `job_…-3`. */
  readonly id: string;
  readonly job: string;
  /** Account that pays. */
  readonly payer: string;
  /** Paid work goes before work that was given. */
  readonly paid: boolean;
  /** How much of it is run a second time; absent: as whoever runs it does by default. */
  readonly replication?: Replication;
}

/** Second executions: of nothing, of what is drawn, or of everything. */
export const replications = ['none', 'sampled', 'full'] as const;
export type Replication = (typeof replications)[number];

/** `short`: it is done before it could travel; `large`: its state is more than a mesh carries; `alone`: nobody is there, or can be reached. */
export type StaysHere = 'short' | 'large' | 'alone';

export interface ExecuteOptions {
  /** Of a run that is recorded; without it a run belongs to this process alone. */
  readonly name?: RunName;
  readonly signal?: AbortSignal;
  /** Called on the main thread a few times a second while the run goes on. */
  readonly onProgress?: (progress: RunProgress) => void;
  /** Called where there is a mesh and the threads of this machine run it all the same. */
  readonly onStays?: (why: StaysHere) => void;
  /** Go on from here instead of from the start. */
  readonly resumeFrom?: Checkpoint;
  /** Called at segment ends, at most every `checkpointMs`; awaited before the next one is taken. */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => Promise<void>;
  /** Default 2000. */
  readonly checkpointMs?: number;
  /** The run stops at the end of this segment and gives what it has; its status is 0 where it would go on. */
  readonly untilSegment?: number;
  /** For a run that is shown span by span: with `onCheckpoint` and `checkpointMs` 0 each segment's end is one. */
  readonly spans?: Spans;
}

/** How a run goes on beside those who keep its checkpoints. Rows are held until they were handed over, and no longer. */
export interface Spans {
  /** The run waits at a segment's end while the last checkpoint is older than this and still not kept. */
  readonly holdMs: number;
  /** Behind a checkpoint that took so long the next segment begins once it is kept. Absent: none is waited for. */
  readonly longMs?: number;
  /** The segments behind the last checkpoint, when the run has ended or stopped; before `execute` resolves. */
  readonly onEnd: (end: SpanEnd) => void;
}

/** The end of a run in spans, or of what was asked for of it. */
export interface SpanEnd extends Checkpoint {
  /** 0 where it would go on; with 16 and up the state counts as empty. */
  readonly status: number;
}

export interface RunProgress {
  readonly steps: number;
  readonly segments: number;
  readonly work: bigint;
  /** What the kernel shows of itself (observe), f64. */
  readonly observed: readonly number[];
}

/** The state at a segment's end, and what must be durable with it. */
export interface Checkpoint {
  readonly segment: number;
  readonly steps: number;
  readonly state: Uint8Array;
  /** The kernel's work counter there. Not needed in `resumeFrom`: it is in the state. */
  readonly work?: bigint;
  /**
   * The first segment whose digest and rows stand here: one after the checkpoint before, or 0 in `resumeFrom`,
   * which is whole.
   */
  readonly from: number;
  /** D_from … D_segment. */
  readonly digests: readonly Uint8Array[];
  /** Rows of segments from … segment. */
  readonly rows: readonly Uint8Array[];
}
