import { checkNewEnd, newEnd, refuseOldResult, resultsOf } from '../continuation.ts';
import type { Continuation } from '../solver.ts';
import { gridOf, resultBytes } from './plan.ts';
import { readProblem } from './problem.ts';
import type { ReactInput } from './schema.ts';

/** Every grid goes on from its own end. */
export const continuation: Continuation<ReactInput> = {
  end: () => 't_end',
  start: ['initial'],
  results: ['react'],
  join(sent, { id, first, runs }, field = 't_end') {
    const t_end = newEnd(field, sent.t_end);
    const grid = gridOf(readProblem(first));
    const results = resultsOf(runs).slice(0, 3);
    if (results.length !== 3 || results.some(({ length }, i) => length !== resultBytes(grid, 2 ** i)))
      refuseOldResult(id);
    const steps = new DataView(results[0]!.buffer, results[0]!.byteOffset).getFloat64(0, true);
    const { t0 } = grid.problem;
    checkNewEnd(field, { start: t0, before: t0 + steps * grid.dt, end: t_end, step: 16 * grid.dt });
    return { ...first, t_end, before: { job: id, steps, dt: grid.dt, results } };
  },
};
