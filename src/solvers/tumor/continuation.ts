import { refuse } from '../../errors/refusal.ts';
import { overStretches } from '../continuation.ts';
import type { Continuation, EarlierJob } from '../solver.ts';
import { dosesIn, KEPT_BYTES } from './grow.ts';
import { keptBytes } from './invade.ts';
import type { Dose, TumorInput } from './schema.ts';

const stretches = overStretches<TumorInput>({
  kernels: ['tumor', 'tumor-invade'],
  end: 't_max',
  start: ['V0', 'initial'],
  bodies: (first) => (first.mode === 'invade' ? keptBytes(first) : [KEPT_BYTES]),
});

/** Doses are planned as the treatment goes: behind the earlier end there may be further ones. */
export const continuation: Continuation<TumorInput> = {
  ...stretches,
  beside: ['schedule'],
  literals: ['tumor'],
  join(sent, earlier, end) {
    const joined = stretches.join(sent, earlier, end);
    const schedule = scheduleBehind(sent, earlier, joined.before!.end);
    return schedule.length > 0 ? { ...joined, schedule } : joined;
  },
};

/** What the earlier job was given, and what is given from its end on; absent: nothing more. */
function scheduleBehind(
  { schedule }: TumorInput,
  { id, runs }: EarlierJob<TumorInput>,
  end: number,
): readonly Dose[] {
  const head = runs.find(({ kernel }) => kernel === 'tumor')?.literals?.[0];
  const given = head ? dosesIn(head) : [];
  if (schedule === undefined) return given;
  const wrong = given.findIndex((dose, i) => !isAlike(dose, schedule[i]));
  if (wrong >= 0)
    refuse('INVALID_INPUT', `schedule[${wrong}]: job ${id} was given another dose there.`, {
      field: `schedule[${wrong}]`,
      accepts: given[wrong],
    });
  const early = schedule.findIndex(({ t }, i) => i >= given.length && !(t >= end));
  if (early >= 0)
    refuse(
      'INVALID_INPUT',
      `schedule[${early}].t: job ${id} ended behind it, at ${end} s, without this dose.`,
      {
        field: `schedule[${early}].t`,
        accepts: `>= ${end} s`,
      },
    );
  return schedule;
}

const isAlike = (a: Dose, b: Dose | undefined) =>
  b !== undefined && a.t === b.t && a.dose === b.dose && a.alpha === b.alpha && a.beta === b.beta;
