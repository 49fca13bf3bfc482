/**
 * The shapes of runs and jobs (docs/protocol.md, 'Run' and 'Job'). Pure data: the planner makes it, an executor
 * runs it, an answer carries it, and a stranger re-executes it with the kernels alone.
 */

/** Lower-case hexadecimal SHA-256. */
export type Digest = string;

/** A piece of a run's parameters; the pieces are concatenated in order. */
export type Part =
  | { readonly bytes: Uint8Array }
  | { readonly blob: Digest; readonly length: number }
  | { readonly run: number; readonly of: 'result' | 'rows'; readonly from: number; readonly length: number };

/** One kernel on one block of parameters. `run` indices in parts count over the whole job, from 0. */
export interface RunPlan {
  /** Name of the kernel in the manifest, such as `multibody` or `multibody.verdict`. */
  readonly kernel: string;
  readonly parts: readonly Part[];
  readonly stepsPerSegment: number;
  /** Total steps if known, for progress. */
  readonly steps?: number;
  /** Work units (1 = 1 ns of the reference core): exact where known, else a ceiling. */
  readonly work: number;
  /** Bytes of memory that the kernel will need, by its layout. */
  readonly memory: number;
  /** What this run is for, in a word or two: `grid h`, `twin`, `verdict`. Shown, never hashed. */
  readonly label: string;
}

/** Runs that can go on at the same time. `first`: ends when run i succeeds and all below i are finished. */
export interface Round {
  readonly runs: readonly RunPlan[];
  readonly mode?: 'all' | 'first';
  /** The last round holds one run, and it is the verdict. */
  readonly verdict?: boolean;
}

/** What a run gave. */
export interface FinishedRun {
  readonly kernel: Digest;
  readonly runHash: Digest;
  readonly stepsPerSegment: number;
  /** 1 = finished; 16 and up = an error code. */
  readonly status: number;
  readonly steps: number;
  /** D₀ … D_n, 32 bytes each. */
  readonly digests: readonly Uint8Array[];
  readonly result: Uint8Array;
  /** Rows drained in each segment (index 0: after start), concatenated per segment. */
  readonly rows: readonly Uint8Array[];
  readonly work: bigint;
  /** The last observed quantities, f64; on an error what the kernel shows of it. */
  readonly observed: readonly number[];
}
