import { refuse } from '../../errors/refusal.ts';
import { checkNewEnd, newEnd, refuseOldResult } from '../continuation.ts';
import type { Continuation, EarlierJob } from '../solver.ts';
import { type Before, magnitude, type SolveInput } from './problem.ts';

/** Where a level's result has the state to go on from, and how long that is: assembly/kernels/solve.ts. */
const STATE_AT = 144 + 3 * 257 * 8;
const STATE_BYTES = 72;

/** Every level goes on from its own end; with strict, a level that the earlier job did not need starts anew. */
export const continuation: Continuation<SolveInput> = {
  end: () => 'inputs.t_end',
  start: ['inputs.x0', 'inputs.v0', 'inputs.y0'],
  results: ['solve'],
  join(sent, earlier, field = 'inputs.t_end') {
    const { first } = earlier;
    refuseOwn(first);
    const t_end = newEnd(field, magnitude(sent.inputs.t_end));
    const before = readBefore(earlier);
    const start = first.initialState?.t0 ?? 0;
    const end = start + before.steps * before.step;
    checkNewEnd(field, { start, before: end, end: t_end, step: before.step });
    return { ...first, inputs: { ...first.inputs, t_end }, before };
  },
};

/** The states of an own system are not kept. */
function refuseOwn({ equation, operators }: SolveInput): void {
  if (equation === undefined && operators === undefined) return;
  refuse('UNSUPPORTED', 'A job with an equation of its own cannot be continued.', {
    field: 'initialState.continue',
    accepts: 'its components at the end as a new start, with initialState.t0',
  });
}

function readBefore({ id, runs }: EarlierJob<SolveInput>): Before {
  const states = runs.map(({ result }) => {
    if (result?.length !== STATE_AT + STATE_BYTES) refuseOldResult(id);
    return result.slice(STATE_AT);
  });
  const head = new DataView(states[0]!.buffer);
  return { job: id, steps: head.getFloat64(0, true), step: head.getFloat64(8, true), states };
}
