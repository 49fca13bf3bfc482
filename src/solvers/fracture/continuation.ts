import { refuseOldResult } from '../continuation.ts';
import { invalid, missing } from '../grid/box.ts';
import type { Continuation } from '../solver.ts';
import { resultBytes } from './plan.ts';
import { readProblem } from './problem.ts';
import type { FractureInput } from './schema.ts';

/** Every grid goes on from its own last load step, in steps as large as before: uMax/steps of the first job. */
export const continuation: Continuation<FractureInput> = {
  end: () => 'loading.steps',
  start: [],
  results: ['fracture', 'fracture-bar'],
  join(sent, { id, first, runs }, field = 'loading.steps') {
    const last = sent.loading?.steps;
    if (last === undefined) missing(field, ['loading.steps'], 'a larger number of load steps');
    const problem = readProblem(first);
    const results = runs.flatMap(({ result }) => (result ? [result] : [])).slice(0, problem.levels);
    if (
      results.length !== problem.levels ||
      results.some(({ length }, i) => length !== resultBytes(problem, [1, 2, 4][i]!))
    )
      refuseOldResult(id);
    const steps = new DataView(results[0]!.buffer, results[0]!.byteOffset).getFloat64(0, true);
    if (!(last > steps))
      invalid(field, `the job that is continued ended with load step ${steps}`, `> ${steps}`);
    return { ...first, before: { job: id, steps, last, results } };
  },
};
