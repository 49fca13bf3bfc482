import { refuse } from '../errors/refusal.ts';

/** A multiple that rounding may have moved by this much is one. */
const ROUNDING = 5e-13;

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
    field: 'initialState.continue',
    accepts: 'its final state as initialState',
  });
}
