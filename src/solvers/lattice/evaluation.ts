import type { Refusal } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round } from '../../proof/job.ts';
import type { Said } from '../compose/said.ts';
import type { Assumption, Quote } from '../solver.ts';

/** How the values at the points come about: by runs of the target, or by one run of the kernel `lattice`. */
export interface Evaluation {
  readonly unit: string | null;
  readonly operators: readonly string[];
  readonly assumed: readonly Assumption[];
  /** All but the verdict. */
  quote(): Quote;
  /** The round that follows; undefined when all points are there. */
  next(finished: readonly FinishedRun[]): Round | undefined;
  /** Refusal that names the points of the round from run `first` on that failed. */
  refusal(finished: readonly FinishedRun[], first: number): Refusal | undefined;
  /** Of points that are jobs what their answers say; those of one kernel say it in columns. */
  said(finished: readonly FinishedRun[]): Said;
  readonly verdict: VerdictInput;
}

/** What the verdict is told of the points (assembly/verdicts/lattice.ts). */
export interface VerdictInput {
  /** 0: verdicts of the points' own jobs, 1: rows of the kernel. */
  readonly form: 0 | 1;
  readonly programs: readonly Program[];
  /** Literal bytes before the points. */
  readonly tables: Uint8Array;
  readonly bindings: number;
  /** Bytes of the block of programs, at the end of the tables. */
  readonly block: number;
  /** Work units beside those of its leaf. */
  readonly workPerPoint: number;
  /** Ceiling of the bytes of the points. */
  readonly bytes: number;
  points(finished: readonly FinishedRun[]): readonly Part[];
}

/** An operator of which the points have a value. */
export interface Program {
  readonly name: string;
  readonly unit: string | null;
}
