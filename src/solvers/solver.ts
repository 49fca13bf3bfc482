import type { TObject } from 'typebox';
import type { Refusal } from '../errors/refusal.ts';
import type { FinishedRun, Round } from '../proof/job.ts';
import type { Diagnostics } from '../proof/receipt.ts';
import type { KindName } from '../proof/verdict-bytes.ts';
import type { Outputs } from './outputs.ts';
import type { Plot } from './plot.ts';

/**
 * A solver is declared once and appears everywhere: REST route, OpenAPI entry, CLI verb with its flags and plot,
 * documentation page, price, conformance case. All sealed arithmetic happens in its kernels; what stands here
 * validates, lays out bytes and labels.
 */
export interface Solver<Input = unknown> {
  readonly id: string;
  readonly title: string;
  /** One or two sentences: what it computes and how. */
  readonly summary: string;
  /** The equation in LaTeX. */
  readonly equation: string;
  /** Books and papers, with the equation or section that is used. */
  readonly references: readonly string[];
  /** Request schema, made with the builders of `input.ts`. */
  readonly input: TObject;
  /** True where a missing input is answered with HTTP 200, `value` null and the refusal's `inputError` (CMP-04). */
  readonly missingInputIs200?: boolean;
  /**
   * The validated request in its one form, where the schema alone does not give it (aliases, units of operators). What
   * is hashed and planned is this; it is its own canonical form. Throws as plan() does.
   */
  canonical?(input: Input): Input;
  /** Gates in the order of their index in the verdict's rows. */
  readonly gates: readonly GateDeclaration[];
  /** The gates of this input, where they are another solver's (`auto`). */
  gatesOf?(input: Input): readonly GateDeclaration[];
  /** True when results carry a profile, spectrum or field (and so the receipt's diagnostics). */
  readonly field: boolean;
  /** What an answer may show beside the value; each number that it shows has its unit here. */
  readonly outputs: Outputs<Input>;
  /** The same for this input, where it is not said in advance. */
  outputsOf?(input: Input): Outputs<Input>;
  /** Unit of the value for this input; null where it has none that is known. */
  unit(input: Input): string | null;
  /** Operators that an envelope names behind KO42; none for a solver that is not made of operators. */
  operators?(input: Input): readonly string[];
  /** Numerical choices and standard conditions that the request left open, each listed. */
  assumed(input: Input): readonly Assumption[];
  /**
   * Work of the whole job, verdict included, before anything runs: exact where the plan knows the steps, else the
   * ceiling at the job's declared budget (at the ceiling the job is DID_NOT_CONVERGE). Throws as plan() does.
   */
  quote(input: Input, context: PlanContext): Quote;
  /** The first runs. Throws a Refusal for what the schema cannot say. Pure. */
  plan(input: Input, context: PlanContext): Round;
  /** More runs, or the verdict round, or undefined when the last finished run was the verdict. Pure. */
  next(input: Input, finished: readonly FinishedRun[], context: PlanContext): Round | undefined;
  /** Labels what the runs gave. Computes nothing. */
  present(input: Input, verdict: Verdict, finished: readonly FinishedRun[]): Presentation;
  /**
   * Names the details of a 422 from what the refusing kernel shows, e.g. {driftPct, boundPct, dt, t_max}; `message`
   * among them is the sentence.
   */
  refusalDetails?(input: Input, status: number, observed: readonly number[]): Record<string, unknown>;
  /**
   * What a job whose runs are those of other solvers is refused with, where the round that begins at run `first` of
   * `finished` had runs that ended with an error; absent or undefined: the lowest of them by refusalDetails.
   */
  refusal?(input: Input, finished: readonly FinishedRun[], first: number): Refusal | undefined;
  /**
   * Of a Monte-Carlo value the estimates of independent replicates, in the unit of the value and in an order that
   * depends on the seed alone, so that two jobs with one seed can be compared pair by pair (`shift`).
   */
  replicates?(input: Input, finished: readonly FinishedRun[]): FieldSource | undefined;
  /** How a job of this solver goes on from the end of an earlier one; absent where it cannot. */
  readonly continuation?: Continuation<Input>;
  readonly examples: readonly Example[];
  /** Small requests for kernels that no quick example reaches. */
  readonly probes?: readonly Probe[];
}

export interface Quote {
  /** Work units = plancks; an integer: what is charged at most. */
  readonly work: number;
  /**
   * Where `work` is a ceiling far above what most requests take: what requests like this one mostly stay within, an
   * integer. A job begins where so much is there, and ends uncharged where it needs more than there is. Absent: `work`.
   */
  readonly expected?: number;
  /** Where `expected` is less: the limits that would all have to be reached for `work` to be charged, in words. */
  readonly ceiling?: string;
  readonly exact: boolean;
  /** Peak bytes of the largest run. */
  readonly memory: number;
}

export interface PlanContext {
  /** SHA-256 of the canonical request: the default seed is its first 8 bytes. */
  readonly requestHash: Uint8Array;
}

/**
 * What `initialState: {"continue": job}` means (docs/protocol.md, 'Continuing'). A run's result holds the state to go
 * on from, so that a job keeps nothing more than its answer, and what the new job starts from is under a seal.
 */
export interface Continuation<Input = unknown> {
  /** Dotted path of the field that says where the job ends: the one that may differ from the first job's. */
  end(input: Input): string;
  /** Dotted paths of fields that say more of what comes after the old end, such as controls; may differ too. */
  readonly beside?: readonly string[];
  /** Dotted paths of the fields of the start, which a continuation leaves out; of a request, where it names them. */
  readonly start: readonly string[] | ((input: Input) => readonly string[]);
  /** Kernels of the runs whose results are needed, and those whose literal parameters are. */
  readonly results: readonly string[];
  readonly literals?: readonly string[];
  /**
   * The input that quote, plan, next and present get: the first job's with the new end, and in it what the runs go on
   * from. Throws a Refusal where the new end does not fit the step, or lies before the old one. `end` is what the
   * caller calls the end, where another solver passes its requests on. Pure.
   */
  join(sent: Input, earlier: EarlierJob<Input>, end?: string): Input;
}

/** The job that is continued. */
export interface EarlierJob<Input = unknown> {
  readonly id: string;
  /** Input of the job that started, which may lie further back: it has the start, the step and the seed. */
  readonly first: Input;
  /** SHA-256 of that job's canonical request. */
  readonly firstHash: Uint8Array;
  /** Those of the kernels that the declaration names, in order. */
  readonly runs: readonly EarlierRun[];
}

export interface EarlierRun {
  /** Name of the kernel. */
  readonly kernel: string;
  readonly result?: Uint8Array;
  /** Its parameter parts that are literal bytes or blobs, in order. */
  readonly literals?: readonly Uint8Array[];
}

export interface GateDeclaration {
  readonly name: string;
  readonly quantity: string;
  /** Where the reference comes from. */
  readonly source: string;
}

/** A verdict's result bytes, read (docs/protocol.md, 'Verdict'). */
export interface Verdict {
  readonly value: number;
  readonly precisionActual: number;
  readonly gates: readonly GateRow[];
  readonly extras: Float64Array;
}

export interface GateRow {
  readonly name: string;
  readonly kind: KindName;
  readonly quantity: string;
  readonly source: string;
  readonly measured: number;
  readonly reference: number;
  readonly relError: number;
  readonly bound: number;
}

export interface Assumption {
  readonly name: string;
  readonly value: unknown;
  readonly unit?: string;
  /** In a few words: `numerical choice`, `CODATA 2022`, `not in the equation`. */
  readonly because: string;
}

/** Where the numbers of a field stand: run index in the job, its result or rows, byte offset and length. */
export interface FieldSource {
  readonly run: number;
  readonly of: 'result' | 'rows';
  readonly from: number;
  readonly length: number;
}

export interface Field {
  readonly name: string;
  readonly unit: string | null;
  /** Row-major shape of f64 numbers. */
  readonly shape: readonly number[];
  readonly source: FieldSource;
  /** True when the verdict gated these numbers; otherwise they are shown, not vouched for. */
  readonly sealed: boolean;
}

export interface Presentation {
  /** Named scalars, labels and small structures beside the value (e.g. energyDriftPct, tuneStatus, iterations). */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly fields: readonly Field[];
  /** How to draw the fields. */
  readonly plots: readonly Plot[];
  /** The receipt's diagnostics that the verdict made of a profile, spectrum or field; absent for a scalar. */
  readonly diagnostics?: Diagnostics;
}

/** A request that engines and contributors are tried with, beside the examples. */
export interface Probe {
  readonly title: string;
  readonly body: Record<string, unknown>;
}

export interface Example extends Probe {
  /** It takes more than a fifth of a second: too long to try an engine with. */
  readonly slow?: true;
  readonly expect: Record<string, unknown>;
  /** Relative to the expected number; 0 means equal. */
  readonly tolerance: number;
  readonly source: string;
}
