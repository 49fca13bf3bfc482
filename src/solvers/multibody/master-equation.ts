import type { TObject, TSchema } from 'typebox';
import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun } from '../../proof/job.ts';
import { record } from '../input.ts';
import type { SolveInput } from '../solve/problem.ts';
import { solve } from '../solve.ts';
import type { Presentation, Verdict } from '../solver.ts';
import type { MultibodyInput } from './problem.ts';

/** A request without positions is one of the master equation, and goes the way of `solve` (SOLV-11). */

const { t_end: _, ...withoutEnd } = (solve.input.properties.inputs as TObject).properties as Record<
  string,
  TSchema
>;
export const inputsSchema = record(withoutEnd, {
  description: 'The master equation of solve, instead of bodies; its end is t_max.',
});

const bodyFields = [
  'position',
  'velocity',
  'mass',
  'initialState',
  'G',
  'softening',
  'integrator',
  'force',
  'theta',
] as const;

/** The same request as `solve` reads it; undefined where there are bodies. */
export function asSolve(input: MultibodyInput): SolveInput | undefined {
  if (input.inputs === undefined) return undefined;
  const stray = bodyFields.find((field) => input[field] !== undefined);
  if (stray) {
    refuse('INVALID_INPUT', `${stray} belongs to bodies, inputs to the master equation: give one of both.`, {
      field: stray,
      accepts: 'inputs, dt and t_max; or position, velocity, mass, referenceMode, dt and t_max',
    });
  }
  const inputs = { ...input.inputs, t_end: input.t_max } as SolveInput['inputs'];
  return { inputs, dt: input.dt, ...(input.masterBefore && { before: input.masterBefore }) };
}

/** What `solve` says, marked as a system whose energy was not asked for. */
export function presentMasterEquation(
  input: SolveInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const shown = solve.present(input, verdict, finished);
  const unchecked = { conservative: false, conservationChecked: false, energyDriftPct: null };
  return { ...shown, outputs: { ...shown.outputs, ...unchecked } };
}
