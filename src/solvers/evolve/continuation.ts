import { checkNewEnd, refuseOldResult } from '../continuation.ts';
import type { Continuation, EarlierJob } from '../solver.ts';
import { resultBytes, stateBody } from './plan.ts';
import { type Before, type EvolveInput, readProblem } from './problem.ts';

/** The run goes on from the run's end, that with half the step from its own; the two atoms start anew. */
export const continuation: Continuation<EvolveInput> = {
  end: () => 't_max',
  start: ['initialState'],
  results: ['evolve'],
  join({ t_max }, earlier) {
    const before = readBefore(earlier);
    const { step, steps } = before;
    checkNewEnd('t_max', { start: 0, before: step * steps, end: t_max, step });
    return { ...earlier.first, t_max, before };
  },
};

function readBefore({ id, first, runs }: EarlierJob<EvolveInput>): Before {
  const problem = readProblem(first);
  const [own, finer] = runs.map(({ result }) => result);
  if (own?.length !== resultBytes(problem) || finer?.length !== own.length) return refuseOldResult(id);
  const head = new DataView(own.buffer, own.byteOffset);
  const body = stateBody(problem.atoms);
  return {
    job: id,
    steps: head.getFloat64(8, true),
    step: head.getFloat64(16, true),
    states: [own, finer].map((result) => result.slice(32, 32 + body)),
  };
}
