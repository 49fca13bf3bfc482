import { checkNewEnd, refuseOldResult } from '../continuation.ts';
import { invalid, missing } from '../grid/box.ts';
import type { Continuation } from '../solver.ts';
import { answerBytes, type Factor, LEVELS } from './layout.ts';
import { marchOf } from './plan.ts';
import { isSection, type Problem } from './problem.ts';
import { readProblem } from './read.ts';
import type { FlowInput } from './schema.ts';
import { sectionBytes, sectionOf } from './section.ts';

/** Place of the steps in the result of a section. */
const SECTION_STEPS = 24;

const resultBytes = (problem: Problem, factor: Factor): number =>
  isSection(problem) ? sectionBytes(problem, factor) : answerBytes(problem.nx / factor, problem.ny / factor);

/** Every grid goes on from its own end. */
export const continuation: Continuation<FlowInput> = {
  end: () => 't_end',
  start: ['initialState', 'U'],
  results: ['flow', 'flow-duct'],
  join({ t_end }, { id, first, runs }, field = 't_end') {
    const problem = readProblem(first);
    if (isSection(problem) ? problem.duration === 0 : problem.form === 'cavity')
      return invalid('initialState.continue', 'a steady flow has no state to go on from', 'a job with t_end');
    if (t_end === undefined) missing(field, ['t_end'], 'a later t_end [s]');
    const { dt } = isSection(problem) ? sectionOf(problem) : marchOf(problem);
    const results = runs.flatMap(({ result }) => (result ? [result] : [])).slice(0, 3);
    const fits = results.every(({ length }, i) => length === resultBytes(problem, LEVELS[i]!));
    if (results.length !== 3 || !fits) refuseOldResult(id);
    const head = new DataView(results[0]!.buffer, results[0]!.byteOffset);
    const steps = head.getFloat64(isSection(problem) ? SECTION_STEPS : 0, true);
    const { t0 } = problem;
    const step = (isSection(problem) ? 16 : 4) * dt;
    checkNewEnd(field, { start: t0, before: t0 + steps * dt, end: t_end, step });
    return { ...first, t_end, before: { job: id, steps, dt, results } };
  },
};
