import { refuse } from '../../errors/refusal.ts';
import { checkNewEnd, newEnd, refuseOldResult, resultsOf } from '../continuation.ts';
import type { Continuation } from '../solver.ts';
import { gridOf } from './plan.ts';
import { readProblem } from './problem.ts';
import type { HeatInput } from './schema.ts';

/** Every grid goes on from its own end, and so does the twin. */
export const continuation: Continuation<HeatInput> = {
  end: () => 't_end',
  start: ['initial'],
  results: ['heat'],
  join(sent, { id, first, runs }, field = 't_end') {
    const t_end = newEnd(field, sent.t_end);
    if (first.steady)
      refuse('INVALID_INPUT', `Job ${id} is a steady state, which does not go on.`, {
        field: 'initialState.continue',
        accepts: 'a job with t_end',
      });
    const { problem, steps, levels } = gridOf(readProblem(first), first.dt);
    const results = resultsOf(runs);
    if (results.length !== levels + 1) refuseOldResult(id);
    const done = new DataView(results[0]!.buffer, results[0]!.byteOffset).getFloat64(0, true);
    const coarsest = levels === 1 ? steps.dt : steps.dt * steps.factor * steps.factor;
    const before = problem.t0 + done * steps.dt;
    checkNewEnd(field, { start: problem.t0, before, end: t_end, step: coarsest });
    const { nx, ny } = problem.box;
    return { ...first, t_end, before: { job: id, steps: done, dt: steps.dt, results, cells: [nx, ny] } };
  },
};
