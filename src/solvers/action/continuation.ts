import { checkNewEnd, newEnd, refuseOldResult, resultsOf } from '../continuation.ts';
import type { Continuation } from '../solver.ts';
import { bodyBytes, continuedRuns, stepsOf } from './plan.ts';
import { readProblem } from './problem.ts';
import type { ActionInput } from './schema.ts';

/** Every run goes on from its own end but the twin, which is short and runs again. */
export const continuation: Continuation<ActionInput> = {
  end: () => 't_max',
  start: ['q0', 'p0'],
  results: ['action'],
  join(sent, { id, first, runs }, field = 't_max') {
    const t_max = newEnd(field, sent.t_max);
    const problem = readProblem(first);
    const bytes = bodyBytes(problem.q.length);
    const results = resultsOf(runs);
    const own = results.filter((_, run) => problem.system !== 'fput' || run !== 3);
    if (own.length !== continuedRuns(problem, first) || own.some(({ length }) => length !== bytes))
      refuseOldResult(id);
    const steps = stepsOf({ result: own[0]! });
    const { dt } = problem;
    checkNewEnd(field, { start: 0, before: steps * dt, end: t_max, step: 4 * dt });
    return { ...first, t_max, before: { job: id, steps, dt, results: own } };
  },
};
