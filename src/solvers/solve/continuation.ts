import { refuse } from '../../errors/refusal.ts';
import { checkNewEnd, newEnd, refuseOldResult } from '../continuation.ts';
import type { Continuation, EarlierJob } from '../solver.ts';
import { readSystem } from './differential.ts';
import { type Before, magnitude, type SolveInput, type SystemBefore } from './problem.ts';
import { endInUnitOf, readOwnSystem } from './system.ts';
import { resultBytes, stateAt } from './system-runs.ts';

/** A level's result ends with the state to go on from; before it are 144 bytes and the samples (assembly/kernels/solve.ts). */
const STATE_BYTES = 72;
const lengthOf = (samples: number) => 144 + 3 * 8 * samples + STATE_BYTES;
/** Up to 0.4.0 there was room for so many samples, however many there were. */
const ONCE = lengthOf(257);
const END = 'inputs.t_end';

/** Every level goes on from its own end; with strict, a level that the earlier job did not need starts anew. */
export const continuation: Continuation<SolveInput> = {
  end: () => END,
  start: startFields,
  results: ['solve', 'solve-system'],
  join(sent, earlier, field = END) {
    const { first } = earlier;
    refuseOperator(first);
    return first.equation === undefined ? joinMaster(sent, earlier, field) : joinOwn(sent, earlier, field);
  },
};

/** The inputs that say where a system starts. */
function startFields({ equation }: SolveInput): readonly string[] {
  if (equation === undefined) return ['inputs.x0', 'inputs.v0', 'inputs.y0'];
  return readSystem(equation).components.flatMap(({ name }) => [`inputs.${name}0`, `inputs.${name}_0`]);
}

/** The end of an operator's motion is an input of its row. */
function refuseOperator({ operators }: SolveInput): void {
  if (operators === undefined) return;
  refuse('UNSUPPORTED', 'An operator runs from 0 to the input that its row names, and does not go on.', {
    field: 'initialState.continue',
    accepts: 'the operator with a later end',
  });
}

function joinMaster(sent: SolveInput, earlier: EarlierJob<SolveInput>, field: string): SolveInput {
  const { first } = earlier;
  const t_end = newEnd(field, magnitude(sent.inputs.t_end));
  const before = readBefore(earlier);
  const start = first.initialState?.t0 ?? 0;
  const end = start + before.steps * before.step;
  checkNewEnd(field, { start, before: end, end: t_end, step: before.step });
  return { ...first, inputs: { ...first.inputs, t_end }, before };
}

function readBefore({ id, runs }: EarlierJob<SolveInput>): Before {
  const states = runs.map(({ result }) => {
    if (!result || !endsWithState(result)) refuseOldResult(id);
    return result.slice(-STATE_BYTES);
  });
  const head = new DataView(states[0]!.buffer);
  return { job: id, steps: head.getFloat64(0, true), step: head.getFloat64(8, true), states };
}

function endsWithState(result: Uint8Array): boolean {
  if (result.length < lengthOf(1)) return false;
  const samples = new DataView(result.buffer, result.byteOffset).getFloat64(120, true);
  return result.length === lengthOf(samples) || result.length === ONCE;
}

// ---- systems of one's own ------------------------------------------------------------------------------

function joinOwn(sent: SolveInput, earlier: EarlierJob<SolveInput>, field: string): SolveInput {
  const { first } = earlier;
  newEnd(field, magnitude(sent.inputs.t_end));
  const t_end = endInUnitOf(first, sent.inputs.t_end!);
  const { start, components } = readOwnSystem(first);
  const systemBefore = readStates(earlier, components.length);
  const { steps, step } = systemBefore;
  checkNewEnd(field, { start, before: start + steps * step, end: magnitude(t_end)!, step });
  return { ...first, inputs: { ...first.inputs, t_end }, systemBefore };
}

/** The coarsest level may have left the numbers where it is refined: the step is then told by a finer one. */
function readStates({ id, runs }: EarlierJob<SolveInput>, n: number): SystemBefore {
  const states = runs.map(({ result }) => {
    if (result?.length !== resultBytes(n)) refuseOldResult(id);
    const state = result.slice(stateAt(n));
    return new DataView(state.buffer).getFloat64(0, true) < 0 ? undefined : state;
  });
  const level = states.findIndex((state) => state !== undefined);
  if (level < 0) refuseOldResult(id);
  const head = new DataView(states[level]!.buffer);
  const factor = 2 ** level;
  return {
    job: id,
    steps: head.getFloat64(0, true) / factor,
    step: head.getFloat64(8, true) * factor,
    states,
  };
}
