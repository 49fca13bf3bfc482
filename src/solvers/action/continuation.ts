import { refuse } from '../../errors/refusal.ts';
import { checkNewEnd, refuseOldResult } from '../continuation.ts';
import type { Continuation } from '../solver.ts';
import { bodyBytes, continuedRuns, stepsOf } from './plan.ts';
import { readProblem } from './problem.ts';
import type { ActionInput } from './schema.ts';

/** Every run goes on from its own end but the twin, which is short and runs again. */
export const continuation: Continuation<ActionInput> = {
  end: () => 't_max',
  start: ['q0', 'p0'],
  results: ['action'],
  join({ t_max }, { id, first, runs }, field = 't_max') {
    if (t_max === undefined)
      refuse('MISSING_INPUT', 'To go on, action needs a later t_max.', {
        field,
        missing: ['t_max'],
        accepts: 't_max [s], counted from the first start',
      });
    const problem = readProblem(first);
    const bytes = bodyBytes(problem.q.length);
    const results = runs.flatMap(({ result }) => (result ? [result] : []));
    const own = results.filter((_, run) => problem.system !== 'fput' || run !== 3);
    if (own.length !== continuedRuns(problem, first) || own.some(({ length }) => length !== bytes))
      refuseOldResult(id);
    const steps = stepsOf({ result: own[0]! });
    const { dt } = problem;
    checkNewEnd(field, { start: 0, before: steps * dt, end: t_max, step: 4 * dt });
    return { ...first, t_max, before: { job: id, steps, dt, results: own } };
  },
};
