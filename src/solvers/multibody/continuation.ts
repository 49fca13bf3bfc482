import { checkNewEnd, refuseOldResult } from '../continuation.ts';
import { solve } from '../solve.ts';
import type { Continuation, EarlierJob } from '../solver.ts';
import { continuationBytes, resultBytes } from './cost.ts';
import { asSolve } from './master-equation.ts';
import { type Before, type MultibodyInput, readProblem } from './problem.ts';

const ofSolve = solve.continuation!;

/**
 * A run goes on from the end of an earlier one, its finer run from the end of the finer one; the twin is a run of its
 * own. The new end is a whole number of steps, but for radau15, whose steps are not equal: there any later end will do.
 */
export const continuation: Continuation<MultibodyInput> = {
  end: () => 't_max',
  start: ['position', 'velocity', 'inputs.x0', 'inputs.v0', 'inputs.y0'],
  results: ['multibody', 'multibody-radau15', ...ofSolve.results],
  join({ t_max }, earlier) {
    const { first } = earlier;
    const master = asSolve(first);
    if (master) {
      const sent = { ...master, inputs: { ...master.inputs, t_end: t_max } };
      const { before } = ofSolve.join(sent, { ...earlier, first: master }, 't_max');
      return { ...first, t_max, ...(before && { masterBefore: before }) };
    }
    const before = readBefore(earlier);
    const step = first.integrator === 'radau15' ? undefined : before.step;
    checkNewEnd('t_max', { start: 0, before: before.end, end: t_max, ...(step && { step }) });
    return { ...first, t_max, before };
  },
};

/** The states to go on from; behind run and finer run stands the two-body twin, which goes on from nothing. */
function readBefore({ id, first, runs }: EarlierJob<MultibodyInput>): Before {
  const problem = readProblem(first);
  const length = continuationBytes(problem);
  const states = runs.slice(0, 2).map(({ result }) => {
    if (result?.length !== resultBytes(problem) + length) refuseOldResult(id);
    return result.slice(-length);
  });
  const head = new DataView(states[0]!.buffer);
  const [steps, step, end] = [0, 8, 16].map((offset) => head.getFloat64(offset, true)) as [
    number,
    number,
    number,
  ];
  return { job: id, steps, step, end, states };
}
