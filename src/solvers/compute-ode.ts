import type { Application } from '../operators/apply.ts';
import type { FinishedRun, Round, RunPlan } from '../proof/job.ts';
import { shiftedSystems, systemOfOperator } from './solve/operator-system.ts';
import type { System } from './solve/problem.ts';
import {
  type Integration,
  levelRun,
  PLAIN_LEVELS,
  PLAIN_STEPS,
  verdictMemory,
  verdictRound,
  verdictWork,
} from './solve/system-runs.ts';

// What `compute` does with an operator that has no closed form: RK4 of `solve` on three levels, and again at inputs
// that are one standard uncertainty lower and higher (HON-14).

export const FALLBACK_NOTE =
  'NUMERICAL FALLBACK: no closed form is known for this operator; the value is the RK4 integral of its equation.';

/** Where the uncertainty stands in the verdict's extras. */
export const UNCERTAINTY_AT = 2;
/** The level at which inputs are shifted. */
const SHIFTED_LEVEL = 1;

export const isOde = ({ operator }: Application): boolean => operator.ode !== undefined;

function integrationOf(system: System, steps = PLAIN_STEPS): Integration {
  const { components, start, end, isConserved, block } = system;
  return {
    starts: components.map((component) => component.start),
    ...{ start, isConserved, block, steps },
    h: (end - start) / steps,
    refinements: undefined,
  };
}

function integrations(application: Application): { own: Integration; shifted: Integration[] } {
  const steps = application.operator.ode!.steps;
  return {
    own: integrationOf(systemOfOperator(application), steps),
    shifted: shiftedSystems(application).map((system) => integrationOf(system, steps)),
  };
}

function runsOf(application: Application): RunPlan[] {
  const { own, shifted } = integrations(application);
  return [
    ...Array.from({ length: PLAIN_LEVELS }, (_, level) => levelRun(own, level, [])),
    ...shifted.map((one) => levelRun(one, SHIFTED_LEVEL, [])),
  ];
}

/** Work of the levels, the shifted runs and the verdict. */
export function odeQuote(application: Application): { work: number; memory: number } {
  const { own } = integrations(application);
  const work = runsOf(application).reduce((sum, run) => sum + run.work, verdictWork(own, PLAIN_LEVELS));
  return { work, memory: verdictMemory(own, PLAIN_LEVELS) };
}

/** The round after those before it, of which the operator's own begin at run `first`. */
export function odeRound(
  application: Application,
  finished: readonly FinishedRun[],
  first: number,
): Round | undefined {
  const runs = runsOf(application);
  const done = finished.length - first;
  if (done === 0) return { runs };
  if (done > runs.length) return undefined;
  const { own, shifted } = integrations(application);
  return verdictRound(own, PLAIN_LEVELS, first, shifted.length / 2);
}
