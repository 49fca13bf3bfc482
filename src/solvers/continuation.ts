import { Type } from 'typebox';
import { refuse } from '../errors/refusal.ts';
import { optional } from './input.ts';
import type { Continuation, EarlierJob, EarlierRun, Solver } from './solver.ts';

/** A multiple that rounding may have moved by this much is one. */
const ROUNDING = 5e-13;
const FIELD = 'initialState.continue';

/**
 * Refuses a new end that does not lie behind the old one, or, where steps are equal, that no step ends at.
 * @throws Refusal INVALID_INPUT that names the nearest ends
 */
export function checkNewEnd(field: string, where: NewEnd): void {
  const { start, before, end, step } = where;
  if (!(end > before))
    refuse('INVALID_INPUT', `${field}: the job that is continued ended at ${before} already.`, {
      field,
      accepts: `> ${before}`,
    });
  if (step === undefined) return;
  const steps = (end - start) / step;
  const whole = Math.floor(steps + 0.5);
  if (Math.abs(steps - whole) <= ROUNDING * whole) return;
  const ends = [Math.floor(steps), Math.floor(steps) + 1].map((n) => start + n * step);
  refuse('INVALID_INPUT', `${field}: ${end} is not a whole number of the first job's steps of ${step}.`, {
    field,
    step,
    accepts: ends.filter((candidate) => candidate > before),
  });
}

/** The end that was sent. @throws Refusal MISSING_INPUT */
export function newEnd(field: string, end: number | undefined): number {
  if (end !== undefined) return end;
  return refuse('MISSING_INPUT', `To go on, a later ${field} is needed.`, {
    field,
    missing: [field],
    accepts: `a later ${field}`,
  });
}

/** All in the unit of the field; `step` is absent where steps are not equal. */
export interface NewEnd {
  readonly start: number;
  readonly before: number;
  readonly end: number;
  readonly step?: number;
}

/** @throws Refusal CONFLICT: the job's results were laid out by another version */
export function refuseOldResult(job: string): never {
  refuse('CONFLICT', `Job ${job} keeps no state that this version can go on from.`, {
    field: FIELD,
    accepts: 'its final state as initialState',
  });
}

/** Where runs of equal steps stand at the end of the job that is continued. */
export interface EarlierSteps {
  readonly job: string;
  readonly steps: number;
  /** Step of the finest run [s]. */
  readonly dt: number;
  /** Results of the runs, in order. */
  readonly results: readonly Uint8Array[];
}

export const resultsOf = (runs: readonly EarlierRun[]): Uint8Array[] =>
  runs.flatMap(({ result }) => (result ? [result] : []));

/** What is told of the job that was continued. */
export const continuesOf = (before: { readonly job: string; readonly steps: number } | undefined) =>
  before && { continues: { job: before.job, steps: before.steps } };

/** What join() puts into the input of a job that goes on. */
const MARKS = ['before', 'systemBefore', 'masterBefore'] as const;

/**
 * How a run was refused, in a job that goes on: its fields are those of the first job, so that what would do is a job from
 * the start with it, but for what is said of the end.
 */
export function fromTheStart<Input>(
  { continuation }: Pick<Solver<Input>, 'continuation'>,
  input: Input,
  details: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { field, accepts } = details;
  const named = String(field).split(/[.[]/)[0]!;
  const goesOn = MARKS.some((mark) => (input as { readonly [name in typeof mark]?: object })[mark]);
  if (!goesOn || continuation === undefined || accepts === undefined) return details;
  const end = continuation.end(input);
  const text = [accepts].flat().join(' or ');
  const ofEnd = new RegExp(`^(a shorter |a later |at (most|least) )?${end.split('.').at(-1)!}\\b`);
  if (field === FIELD || field === end || ofEnd.test(text)) return details;
  if (continuation.beside?.includes(named)) return details;
  const isNamed = field === undefined || text.startsWith(`${field} `);
  return {
    ...details,
    field: FIELD,
    accepts: `a job from the start with ${isNamed ? '' : `${field}: `}${text}`,
  };
}

/** Of a new end: where steps are equal, and where it is a length. */
export const WHOLE_STEPS = 'that is a whole number of its steps';
export const FROM_ITS_START = 'counted from its start';

/** The field `continue` of an initialState; `which` says more of the new end. */
export const jobToContinue = (end: string, ...which: readonly string[]) =>
  optional(
    Type.String({
      maxLength: 200,
      description: `A job to continue, alone: that job's fields without its start, and a later ${[end, ...which].join(', ')}.`,
    }),
  );

/**
 * A request that names a job has to be joined with it before it is read.
 * @throws Refusal UNSUPPORTED
 */
export function refuseElsewhere(
  solver: string,
  state: { readonly continue?: string } | undefined,
  accepts: unknown,
): void {
  if (state?.continue === undefined) return;
  refuse('UNSUPPORTED', `${solver}: only the node that has a job can continue it.`, {
    field: FIELD,
    accepts,
  });
}

// ---- stretches of time ---------------------------------------------------------------------------------

/** Bytes before what a kernel keeps of its own: assembly/kernel/stretch.ts. */
const STRETCH_HEAD = 32;

/** Where the job ended that is continued, for runs over a stretch of time. */
export interface Stretch {
  readonly job: string;
  /** Since the first start, in the unit of the field that says where a job ends. */
  readonly end: number;
  /** Steps since the first start. */
  readonly steps: number;
  /** Of each run, in order, what it goes on from. */
  readonly states: readonly Uint8Array[];
}

type End = 't_max' | 't_end';

/** Of a solver that divides its time anew for every job, by steps that `dt` or the rates allow. */
export interface Stretches<Input> {
  /** Kernels of the runs, whose results close with the state to go on from. */
  readonly kernels: readonly string[];
  /** The field that says where a job ends, counted from the first start. */
  readonly end: End;
  readonly start: readonly string[];
  /** Bytes that each run of this job that goes on keeps of its own. @throws Refusal for a job that does not go on */
  bodies(first: Input): readonly number[];
}

/** Continues jobs over stretches of time: the new end is any later one, and each run goes on from its own end. */
export function overStretches<Input extends { readonly before?: Stretch }>(
  how: Stretches<Input>,
): Continuation<Input> {
  return {
    end: () => how.end,
    start: how.start,
    results: how.kernels,
    join(sent, earlier, field = how.end) {
      const before = stretchOf(how, earlier);
      const end = newEnd(field, (sent as { readonly [name in End]?: number })[how.end]);
      checkNewEnd(field, { start: 0, before: before.end, end });
      return { ...earlier.first, [how.end]: end, before };
    },
  };
}

function stretchOf<Input>(how: Stretches<Input>, { id, first, runs }: EarlierJob<Input>): Stretch {
  const bodies = how.bodies(first);
  const states = bodies.map((bytes, run) => {
    const { result } = runs[run] ?? {};
    if (result === undefined || result.length < STRETCH_HEAD + bytes) return refuseOldResult(id);
    return result.slice(result.length - STRETCH_HEAD - bytes);
  });
  const head = new DataView(states[0]!.buffer);
  return { job: id, end: head.getFloat64(0, true), steps: head.getFloat64(24, true), states };
}

/** Where a job's own stretch begins, counted from the first start. */
export const beginningOf = ({ before }: { readonly before?: Stretch }): number => before?.end ?? 0;

/** The parameters that follow a run's own: its earlier state, if it has one. */
export const earlierState = ({ before }: { readonly before?: Stretch }, run: number) =>
  before ? [{ bytes: before.states[run]! }] : [];

/** @throws Refusal INVALID_INPUT: a job has no time that could go on */
export function refuseWithoutTime(what: string, accepts: string): never {
  refuse('INVALID_INPUT', `The job is one of ${what}, which does not go on.`, {
    field: FIELD,
    accepts,
  });
}
