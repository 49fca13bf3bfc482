import { checkNewEnd, refuseOldResult } from '../continuation.ts';
import { invalid, missing } from '../grid/box.ts';
import type { Continuation } from '../solver.ts';
import { answerBytes, LEVELS } from './layout.ts';
import { marchOf } from './plan.ts';
import { isSection } from './problem.ts';
import { readProblem } from './read.ts';
import type { FlowInput } from './schema.ts';

/** Every grid goes on from its own end. */
export const continuation: Continuation<FlowInput> = {
  end: () => 't_end',
  start: ['initialState', 'U'],
  results: ['flow'],
  join({ t_end }, { id, first, runs }, field = 't_end') {
    const problem = readProblem(first);
    if (isSection(problem) || problem.form === 'cavity')
      return invalid('initialState.continue', `${first.case} has no state to go on from`, [
        'taylor-green',
        'custom',
      ]);
    if (t_end === undefined) missing(field, ['t_end'], 'a later t_end [s]');
    const march = marchOf(problem);
    const results = runs.flatMap(({ result }) => (result ? [result] : [])).slice(0, 3);
    const fits = results.every(
      ({ length }, i) => length === answerBytes(problem.nx / LEVELS[i]!, problem.ny / LEVELS[i]!),
    );
    if (results.length !== 3 || !fits) refuseOldResult(id);
    const steps = new DataView(results[0]!.buffer, results[0]!.byteOffset).getFloat64(0, true);
    const { t0 } = problem;
    checkNewEnd(field, { start: t0, before: t0 + steps * march.dt, end: t_end, step: 4 * march.dt });
    return { ...first, t_end, before: { job: id, steps, dt: march.dt, results } };
  },
};
