import { refuse } from '../../errors/refusal.ts';
import { checkNewEnd, refuseOldResult } from '../continuation.ts';
import { missing } from '../grid/box.ts';
import type { Continuation } from '../solver.ts';
import { gridOf, resultSizes } from './plan.ts';
import { readProblem } from './problem.ts';
import type { WaveInput } from './schema.ts';

/** Every grid goes on from its own end, and so does the one with thicker layers; the twin is run anew. */
export const continuation: Continuation<WaveInput> = {
  end: () => 't_end',
  start: ['initial', 'source'],
  results: ['wave'],
  join({ t_end }, { id, first, runs }, field = 't_end') {
    if (first.quantity === 'transmittance' || first.quantity === 'reflectance')
      refuse('INVALID_INPUT', `Job ${id} ended when all had passed, and does not go on.`, {
        field: 'initialState.continue',
        accepts: 'a job with t_end',
      });
    if (t_end === undefined) missing(field, ['t_end'], 'a later t_end [s]');
    const grid = gridOf(readProblem(first), first.dt);
    const sizes = resultSizes(grid);
    const results = runs.flatMap(({ result }) => (result ? [result] : [])).slice(0, sizes.length);
    if (results.length !== sizes.length || results.some(({ length }, i) => length !== sizes[i]))
      refuseOldResult(id);
    const done = new DataView(results[0]!.buffer, results[0]!.byteOffset).getFloat64(0, true);
    const { problem, steps, levels } = grid;
    checkNewEnd(field, {
      start: problem.t0,
      before: problem.t0 + done * steps.dt,
      end: t_end,
      step: levels === 3 ? 4 * steps.dt : steps.dt,
    });
    return { ...first, t_end, before: { job: id, steps: done, dt: steps.dt, results } };
  },
};
